"""A client that does not read holds its own stream back and nothing else."""

import socket
import time

from client import Client, chat_bytes
from frames import finish_of, frames_of, text_of
from gateway_test import GatewayTest
from pace import scaled
from runnel_process import MEMORY_SCALE
from stalls import undisturbed

MIB = 1 << 20
DELTA_BYTES = 8192
DELTAS = 50 * MIB // DELTA_BYTES

# What the kernel's socket buffers may take on the way; everything else must stay upstream.
IN_FLIGHT_MAX = 24 * MIB
GROWTH_MAX = 4 * MIB * MEMORY_SCALE


def flood(exchange):
    exchange.head()
    for number in range(DELTAS):
        exchange.delta(f"{number:08}" + "x" * (DELTA_BYTES - 8))
    exchange.finish()


class SlowReader(GatewayTest):
    def stalled(self, exchange):
        """Waits until upstream can send no more; gives what it had sent."""
        sent = -1
        while sent != exchange.bytes_sent:
            sent = exchange.bytes_sent
            time.sleep(scaled(0.3))
        return sent

    def test_upstream_waits_memory_stays_and_the_stream_is_whole_in_the_end(self):
        self.assert_serves()
        resident = self.runnel.resident_bytes()
        self.upstream.play(flood)
        client = self.connect(receive_buffer=1 << 16)
        client.send(chat_bytes())
        self.assert_eventually(lambda: self.upstream.exchanges and self.upstream.exchanges[-1].bytes_sent > 0)
        exchange = self.upstream.exchanges[-1]

        sent = self.stalled(exchange)
        self.assertLess(sent, IN_FLIGHT_MAX, "upstream felt no back-pressure")
        self.assertLess(self.runnel.resident_bytes() - resident, GROWTH_MAX)

        self.assertEqual(client.head().status, 200)
        text = text_of(frames_of(client.rest()))
        self.assertEqual(len(text), DELTAS * DELTA_BYTES)
        for number in (0, DELTAS // 2, DELTAS - 1):
            self.assertEqual(text[number * DELTA_BYTES :][:8], f"{number:08}")
        self.assertLess(self.runnel.resident_bytes() - resident, GROWTH_MAX)

    def test_others_run_at_full_speed_meanwhile(self):
        self.upstream.play(flood)
        client = self.connect(receive_buffer=1 << 16)
        client.send(chat_bytes())
        self.assert_eventually(lambda: self.upstream.exchanges and self.upstream.exchanges[-1].bytes_sent > 0)
        self.stalled(self.upstream.exchanges[-1])

        began = time.monotonic()
        for _ in range(50):
            self.assertEqual(text_of(self.frames()), "Hello")
        self.assertLess(undisturbed(began), scaled(5))

    def test_a_blocked_stream_whose_client_leaves_is_cancelled(self):
        ways = {"close": Client.close, "reset": Client.reset,
                "half-close": lambda client: client.socket.shutdown(socket.SHUT_WR)}
        for way, leave in ways.items():
            with self.subTest(way):
                self.upstream.forget()
                self.upstream.play(flood)
                client = self.connect(receive_buffer=1 << 16)
                client.send(chat_bytes())
                self.assert_eventually(lambda: len(self.upstream.exchanges) == 1)
                exchange = self.upstream.exchanges[-1]
                self.stalled(exchange)
                leave(client)
                self.assert_eventually(lambda: exchange.connection.closed_at is not None, scaled(1))

    def test_a_stream_that_was_blocked_for_a_while_still_notices_a_hang_up(self):
        def flood_then_silence(exchange):
            exchange.head()
            for _ in range(1000):
                exchange.delta("x" * DELTA_BYTES)
            exchange.hold()

        self.upstream.play(flood_then_silence)
        client = self.connect(receive_buffer=1 << 16)
        client.send(chat_bytes() + b"\r\n")  # a byte more: some clients send a stray line end
        self.assert_eventually(lambda: len(self.upstream.exchanges) == 1)
        self.stalled(self.upstream.exchanges[-1])
        client.head()
        received = 0
        while received < 1000 * DELTA_BYTES:
            received += len(client.next_piece())
        time.sleep(scaled(0.2))
        client.close()
        connection = self.upstream.exchanges[-1].connection
        self.assert_eventually(lambda: connection.closed_at is not None, scaled(0.5))

    def test_one_huge_delta_passes(self):
        size = 8 * MIB

        def script(exchange):
            exchange.head()
            exchange.delta("y" * size)
            exchange.finish()

        self.upstream.play(script)
        frames = self.frames()
        self.assertEqual(len(text_of(frames)), size)
        self.assertEqual(finish_of(frames), "stop")
