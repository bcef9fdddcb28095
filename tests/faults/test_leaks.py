"""Thousands of aborted streams leave no socket, no memory and no slot behind.

RUNNEL_FAULTS_FULL=1 makes it 10,000 in place of 2,000.
"""

import concurrent.futures
import os
import random
import time

from behaviours import headers_then, part_then, refuse, silence, status, well
from client import Client, chat_bytes, get
from pace import scaled
from resilience_test import ResilienceTest
from runnel_process import MEMORY_SCALE
from sockets_of import connections_of

ABORTED = 10_000 if os.environ.get("RUNNEL_FAULTS_FULL") else 2_000
AT_ONCE = 40
GROWTH_MAX = 12 * (1 << 20) * MEMORY_SCALE

# The prompt says what the targets do, so that all of them are mixed at any time.
BEHAVIOURS = {"well": well, "silence": silence, "headers": headers_then(silence), "part": part_then(silence),
              "failing": status(500), "refused": refuse("no such model")}
# Few enough failures that no breaker opens and lets nobody through.
CHOICES = [*BEHAVIOURS, "well", "well"]


def as_the_prompt_says(exchange):
    said = exchange.request.json()["messages"][-1]["content"]
    prompt = said if isinstance(said, str) else said[0]["text"]
    first, second = prompt.split("/")
    BEHAVIOURS[first if exchange.connection.upstream.name == "A" else second](exchange)


class Leaks(ResilienceTest):
    kinds = {"A": "openai", "B": "anthropic"}
    models = {"mixed": {"hedge": {"after": "20ms"}, "limits": {"concurrent": 2 * AT_ONCE}, "midstream": "verified"}}
    config = {"ping": "50ms", "threads": 4}

    def abort(self, number):
        """One request that ends in the middle of whatever is going on."""
        generator = random.Random(number)
        prompt = f"{generator.choice(CHOICES)}/{generator.choice(CHOICES)}"
        with Client(self.runnel.port) as client:
            client.send(chat_bytes(model="mixed", text=prompt, stream=generator.random() < 0.8))
            time.sleep(generator.choice((0, 0.001, 0.01, 0.04)))
            if generator.random() < 0.3:
                client.reset()

    def abort_many(self, first, count):
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(self.abort, range(first, first + count)))
        self.assert_nothing_goes_on(scaled(1))

    def test_nothing_is_left_of_aborted_streams(self):
        self.behave(A=as_the_prompt_says, B=as_the_prompt_says)
        self.abort_many(0, ABORTED // 4)
        self.assert_at_rest()
        resident = self.runnel.resident_bytes()
        files = self.runnel.open_files()

        self.abort_many(ABORTED // 4, ABORTED - ABORTED // 4)
        self.assert_at_rest()
        self.assertLessEqual(self.runnel.open_files(), files + AT_ONCE, "kept connections apart, nothing is open")
        self.assertLess(self.runnel.resident_bytes() - resident, GROWTH_MAX)

        # Were a slot of the model's limit lost with each of them, there would be none left.
        self.behave()
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for response in pool.map(lambda _: self.ask("mixed", timeout=10_000), range(2 * AT_ONCE)):
                self.assertEqual(response.status, 200, response.body)

    def assert_at_rest(self):
        """No connection of a client is left, and none to a target beyond the idle ones that are kept."""
        self.assertEqual(get(self.runnel.port, "/healthz").status, 200)
        ports = {target.port for target in self.targets.values()}

        def strays():
            connections = connections_of(self.runnel.pid)
            return [connection for connection in connections
                    if connection.local_port == self.runnel.port and connection.state != "LISTEN"
                    or connection.remote_port in ports and connection.state != "ESTABLISHED"]

        self.assert_eventually(lambda: not strays(), scaled(2), strays())
        idle = sum(connection.remote_port in ports for connection in connections_of(self.runnel.pid))
        self.assertLessEqual(idle, 4 * AT_ONCE)
