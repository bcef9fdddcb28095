"""A second process takes the port over while the first drains: under load, no request fails."""

import signal
import threading
import time

from client import Client, ask, chat_bytes
from fake_upstream import FakeUpstream
from frames import finish_of, frames_of
from gateway_test import LimitedTest, provider
from pace import LIMIT, scaled
from runnel_process import STOP_LIMIT, RunnelProcess

THREADS = ("--threads", "2")


class Load:
    """Clients that ask as fast as they can, in every manner, until they are told to stop."""

    def __init__(self, port):
        self.port = port
        self.failures = []
        self.counts = {}
        self._over = threading.Event()
        manners = [self.connect_anew] * 3 + [self.keep_alive] * 3 + [self.stream] * 2
        self._threads = [threading.Thread(target=self._run, args=(manner,)) for manner in manners]
        for thread in self._threads:
            thread.start()

    def stop(self):
        self._over.set()
        for thread in self._threads:
            thread.join(LIMIT)

    def _run(self, manner):
        try:
            manner()
        except Exception as error:  # whatever it is, it is a failed request
            self.failures.append(f"{manner.__name__}: {error!r}")

    def _answered(self, response):
        assert response.status == 200, (response.status, response.body)
        model = response.headers["x-model-used"]
        self.counts[model] = self.counts.get(model, 0) + 1

    def connect_anew(self):
        while not self._over.is_set():
            self._answered(ask(self.port, model="which", stream=False))

    def keep_alive(self):
        """As HTTP says: a connection is used until an answer says that it closes."""
        while not self._over.is_set():
            with Client(self.port) as client:
                while not self._over.is_set():
                    client.send(chat_bytes(model="which", stream=False))
                    response = client.response()
                    self._answered(response)
                    if response.headers.get("connection") == "close":
                        break

    def stream(self):
        while not self._over.is_set():
            response = ask(self.port, model="slow")
            assert response.status == 200, (response.status, response.body)
            assert finish_of(frames_of(response.body)) == "stop", response.body


class Restart(LimitedTest):
    def setUp(self):
        super().setUp()
        self.upstream = FakeUpstream()
        self.addCleanup(self.upstream.close)

        def speak(exchange):
            if exchange.request.json().get("stream"):
                exchange.stream(*"abcde", gap=0.1)
            else:
                exchange.reply(200, exchange.wire.whole("Hello"))

        self.upstream.script = speak

    def start(self, name, port=0, arguments=THREADS):
        if port:
            arguments = (*arguments, "--take-over")
        runnel = RunnelProcess(
            {"providers": {name: provider("openai-compatible", self.upstream.port)},
             "models": {"which": {"targets": [f"{name}/m"]}, "slow": {"targets": [f"{name}/m"]}}},
            arguments, port=port)
        self.addCleanup(runnel.stop)
        return runnel

    def restart(self, old, name, arguments=THREADS):
        """Starts the next process on the same port, and ends the old one as soon as it listens."""
        new = self.start(name, old.port, arguments)
        old.signal(signal.SIGTERM)
        self.assertEqual(old.wait(STOP_LIMIT), 0)
        return new

    def wait_for_load(self, load, name):
        """Until that process has answered many."""
        self.assert_eventually(lambda: load.counts.get(f"{name}/m", 0) > 50 or load.failures)

    def test_no_request_fails_when_the_process_is_replaced_under_load(self):
        first = self.start("first")
        load = Load(first.port)
        self.addCleanup(load.stop)
        self.wait_for_load(load, "first")
        second = self.restart(first, "second")
        self.wait_for_load(load, "second")
        self.restart(second, "third")
        self.wait_for_load(load, "third")
        load.stop()
        self.assertEqual(load.failures, [])

    def test_the_newcomer_is_warned_and_then_alone(self):
        first = self.start("first")
        self.assertNotIn("another process listens", first.log())
        second = self.start("second", first.port)
        self.assert_eventually(lambda: "another process listens on this port too" in second.log())
        first.signal(signal.SIGTERM)
        self.assertEqual(first.wait(STOP_LIMIT), 0)
        self.assert_logs('"port_handed_over":true', first)
        self.assert_eventually(lambda: "the port is this process's alone" in second.log())

    def test_new_connections_go_to_the_newcomer_at_once(self):
        first = self.start("first")
        second = self.start("second", first.port)
        first.signal(signal.SIGTERM)
        self.assert_eventually(lambda: '"draining"' in first.log())
        for _ in range(50):
            self.assertEqual(ask(second.port, model="which", stream=False).headers["x-model-used"], "second/m")

    def test_a_newcomer_that_gives_up_loses_nothing_either(self):
        first = self.start("first")
        load = Load(first.port)
        self.addCleanup(load.stop)
        second = self.start("second", first.port)
        time.sleep(scaled(0.3))
        second.signal(signal.SIGTERM)
        self.assertEqual(second.wait(STOP_LIMIT), 0)
        time.sleep(scaled(0.3))
        load.stop()
        self.assertEqual(load.failures, [])
