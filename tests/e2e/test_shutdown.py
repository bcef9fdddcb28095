"""The end of the process: SIGTERM and SIGINT let open answers finish, for a while, and exit with 0 (spec S24.3)."""

import signal
import time

from client import Client, chat_bytes, get
from fake_upstream import FakeUpstream
from frames import finish_of, frames_of, text_of
from gateway_test import LimitedTest, provider
from pace import scaled
from runnel_process import STOP_LIMIT, RunnelProcess


class Shutdown(LimitedTest):
    def setUp(self):
        super().setUp()
        self.upstream = FakeUpstream()
        self.addCleanup(self.upstream.close)
        self.runnel = RunnelProcess(
            {"providers": {"local": provider("openai-compatible", self.upstream.port)}}, ("--threads", "2"))
        self.addCleanup(self.runnel.stop)

    def connect(self):
        client = Client(self.runnel.port)
        self.addCleanup(client.close)
        return client

    def test_an_idle_gateway_ends_at_once(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number):
                runnel = RunnelProcess({})
                self.addCleanup(runnel.stop)
                began = time.monotonic()
                runnel.signal(number)
                self.assertEqual(runnel.wait(STOP_LIMIT), 0)
                self.assertLess(time.monotonic() - began, scaled(1))

    def test_idle_connections_do_not_hold_it_up(self):
        client = self.connect()
        client.send(chat_bytes())
        client.response()
        half = self.connect()
        half.send(chat_bytes()[:100])
        self.connect()
        time.sleep(0.05)
        began = time.monotonic()
        self.runnel.signal(signal.SIGTERM)
        self.assertEqual(self.runnel.wait(STOP_LIMIT), 0)
        self.assertLess(time.monotonic() - began, scaled(1))

    def test_an_open_stream_is_finished_first(self):
        self.upstream.play(lambda exchange: exchange.stream(*"abcdef", gap=0.1))
        client = self.connect()
        client.send(chat_bytes())
        client.head()
        self.runnel.signal(signal.SIGTERM)
        frames = frames_of(client.rest())
        self.assertEqual((text_of(frames), finish_of(frames)), ("abcdef", "stop"))
        self.assertEqual(self.runnel.wait(STOP_LIMIT), 0)

    def test_no_new_connection_is_taken_meanwhile(self):
        self.upstream.play(lambda exchange: exchange.stream(*"abcdef", gap=0.2))
        client = self.connect()
        client.send(chat_bytes())
        client.head()
        self.runnel.signal(signal.SIGTERM)
        time.sleep(scaled(0.2))
        with self.assertRaises(OSError):
            get(self.runnel.port, "/healthz")
        client.rest()

    def test_a_stream_without_end_does_not_hold_it_up_forever(self):
        def silent(exchange):
            exchange.head()
            exchange.delta("a")
            exchange.hold()

        def busy(exchange):
            exchange.head()
            while True:
                exchange.delta("a")
                time.sleep(0.01)

        self.upstream.play(silent, busy, lambda exchange: exchange.hold())
        clients = [self.connect() for _ in range(3)]
        for client in clients:
            client.send(chat_bytes())
            time.sleep(0.05)
        self.runnel.signal(signal.SIGTERM)
        self.assertEqual(self.runnel.wait(STOP_LIMIT), 0)

