"""Hundreds of clients that do not read: memory stays bounded, others are served, and nothing is left when they go.

RUNNEL_FAULTS_FULL=1 makes it 5,000 in place of 500.
"""

import os
import time

from client import Client, chat_bytes
from pace import SANITIZER, scaled
from resilience_test import ResilienceTest
from stalls import undisturbed

READERS = 5_000 if os.environ.get("RUNNEL_FAULTS_FULL") else 500
AHEAD_MAX = 50  # of the target, which is slower than Runnel
DELTA_BYTES = 32 << 10
DELTAS = 64  # 2 MiB a stream: far more than a stream may keep
# A stream keeps at most 256 KiB and what one read brought; a sanitizer's allocator some more of it.
PER_STREAM_MAX = (320 << 10) * (1.5 if SANITIZER else 1)


def flood(exchange):
    exchange.head()
    for _ in range(DELTAS):
        exchange.delta("x" * DELTA_BYTES)
    exchange.finish()


class SlowReaders(ResilienceTest):
    models = {"flood": {"targets": ["a/flood"], "retries": 0}}
    config = {"limits": {"concurrent": 2 * READERS}}
    send_buffer = 64 << 10

    def slow_reader(self, number):
        reader = Client(self.runnel.port, receive_buffer=4096, segment=1400)
        self.addCleanup(reader.close)
        reader.send(chat_bytes(model="flood"))
        self.wait_until_asked(number + 1 - AHEAD_MAX)
        return reader

    def bytes_sent(self):
        return sum(exchange.bytes_sent for exchange in list(self.targets["A"].exchanges))

    def wait_until_stalled(self):
        sent = -1
        while sent != self.bytes_sent():
            sent = self.bytes_sent()
            time.sleep(scaled(0.5))
        return sent

    def test_memory_is_bounded_and_others_go_on(self):
        self.assert_served_by(self.ask("flood"), "A")
        resident, files = self.runnel.resident_bytes(), self.runnel.open_files()
        self.behave(A=flood)
        readers = [self.slow_reader(number) for number in range(READERS)]
        self.wait_until_asked(READERS)
        sent = self.wait_until_stalled()
        self.assertLess(sent, READERS * DELTAS * DELTA_BYTES, "nobody held the providers back")
        self.assertLess(self.runnel.resident_bytes() - resident, READERS * PER_STREAM_MAX)

        began = time.monotonic()
        for _ in range(20):
            self.assert_served_by(self.ask("b/m"), "B")
        self.assertLess(undisturbed(began), scaled(4))

        for reader in readers:
            reader.close()
        self.assert_nothing_goes_on(scaled(3))
        self.assert_eventually(lambda: self.runnel.open_files() <= files + 2)
