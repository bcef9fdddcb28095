"""The end of the process: SIGTERM and SIGINT let open answers finish, for a while, and exit with 0."""

import signal
import threading
import time

from client import Client, chat_bytes, get
from fake_upstream import FakeUpstream, InStep
from frames import finish_of, frames_of, text_of
from gateway_test import LimitedTest, provider
from pace import LIMIT, scaled
from runnel_process import ADMIN_TOKEN, STOP_LIMIT, RunnelProcess
from stalls import undisturbed
from tools_test import call, calls, says

AT_ONCE = scaled(0.8)
LATE_REQUEST = 1  # seconds that a request which has begun to arrive is waited for
LAST_WORDS = 2


class ShutdownTest(LimitedTest):
    config = {}

    def setUp(self):
        super().setUp()
        self.upstream = FakeUpstream()
        self.addCleanup(self.upstream.close)
        self.runnel = RunnelProcess(
            {"providers": {"local": provider("openai-compatible", self.upstream.port)}, **self.config},
            ("--threads", "2"))
        self.addCleanup(self.runnel.stop)

    def connect(self):
        client = Client(self.runnel.port)
        self.addCleanup(client.close)
        return client

    def begin_stream(self, script, **fields):
        """A client whose answer has begun."""
        self.upstream.play(script)
        client = self.connect()
        client.send(chat_bytes(**fields))
        client.head()
        return client

    def signal_and_wait(self, number=signal.SIGTERM):
        """How long the end took."""
        began = time.monotonic()
        self.runnel.signal(number)
        self.assertEqual(self.runnel.wait(STOP_LIMIT), 0)
        return undisturbed(began)

    def begin_drain(self):
        self.runnel.signal(signal.SIGTERM)
        self.assert_eventually(lambda: '"draining"' in self.runnel.log())
        time.sleep(scaled(0.05))


class Shutdown(ShutdownTest):
    def test_an_idle_gateway_ends_at_once(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number):
                self.runnel = RunnelProcess({})
                self.addCleanup(self.runnel.stop)
                self.assertLess(self.signal_and_wait(number), AT_ONCE)

    def test_idle_connections_do_not_hold_it_up(self):
        for _ in range(3):
            client = self.connect()
            client.send(chat_bytes())
            client.response()
        self.assertLess(self.signal_and_wait(), AT_ONCE)

    def test_connections_that_ask_nothing_do_not_hold_it_up_for_long(self):
        half = self.connect()
        half.send(chat_bytes()[:100])
        self.connect()
        time.sleep(0.05)
        self.assertLess(self.signal_and_wait(), LATE_REQUEST + AT_ONCE)

    def test_sigint_does_not_wait_for_them_at_all(self):
        half = self.connect()
        half.send(chat_bytes()[:100])
        self.connect()
        time.sleep(0.05)
        self.assertLess(self.signal_and_wait(signal.SIGINT), AT_ONCE)

    def test_a_request_that_is_on_its_way_is_answered(self):
        late, half = self.connect(), self.connect()
        half.send(chat_bytes()[:100])
        time.sleep(0.05)
        self.begin_drain()
        half.send(chat_bytes()[100:])
        late.send(chat_bytes())
        for client in (half, late):
            response = client.response()
            self.assertEqual(response.status, 200)
            self.assertEqual(response.headers["connection"], "close")
        self.assertEqual(self.runnel.wait(STOP_LIMIT), 0)

    def test_an_open_stream_is_finished_first(self):
        client = self.begin_stream(lambda exchange: exchange.stream(*"abcdef", gap=0.1))
        self.runnel.signal(signal.SIGTERM)
        frames = frames_of(client.rest())
        self.assertEqual((text_of(frames), finish_of(frames)), ("abcdef", "stop"))
        self.assertTrue(client.is_closed_by_peer(LIMIT))
        self.assertEqual(self.runnel.wait(STOP_LIMIT), 0)

    def test_no_new_connection_is_taken_meanwhile(self):
        script = InStep("abcdef")
        client = self.begin_stream(script)
        self.begin_drain()
        with self.assertRaises(OSError):
            get(self.runnel.port, "/healthz")
        script.go_on()
        client.rest()

    def test_answers_say_that_the_connection_closes(self):
        go_on = threading.Event()

        def wait_for_it(exchange):
            go_on.wait(LIMIT)
            exchange.stream("Hello")

        self.upstream.play(wait_for_it)
        client = self.connect()
        client.send(chat_bytes())
        self.assert_eventually(lambda: self.upstream.exchanges)
        self.begin_drain()
        go_on.set()
        response = client.response()
        self.assertEqual((response.status, response.headers["connection"]), (200, "close"))
        self.assertEqual(text_of(frames_of(response.body)), "Hello")

    def test_readyz_says_that_it_drains(self):
        script = InStep("abcdef")
        client = self.connect()  # taken before the signal
        stream = self.begin_stream(script)
        self.begin_drain()
        client.request("GET", "/readyz")
        response = client.response()
        self.assertEqual((response.status, response.json()), (503, {"status": "draining"}))
        self.assertEqual(response.headers["connection"], "close")
        script.go_on()
        stream.rest()

    def test_the_config_is_not_reloaded_any_more(self):
        script = InStep("abcdef")
        client = self.connect()
        stream = self.begin_stream(script)
        self.begin_drain()
        client.request("POST", "/admin/v1/config/reload", headers={"Authorization": f"Bearer {ADMIN_TOKEN}"})
        response = client.response()
        self.assertEqual(response.status, 400)
        self.assertIn("shutting down", response.json()["problems"][0]["message"])
        script.go_on()
        stream.rest()

    def test_a_second_signal_ends_it_at_once(self):
        self.begin_stream(lambda exchange: (exchange.head(), exchange.delta("a"), exchange.hold()))
        self.begin_drain()
        self.assertLess(self.signal_and_wait(), AT_ONCE)


class DrainTimeout(ShutdownTest):
    config = {"drain_timeout": "500ms"}

    def assert_cut(self, client):
        """An error frame and [DONE] after what had come, and no finish."""
        body = client.rest().decode()
        self.assertTrue(body.endswith("data: [DONE]\n\n"), body)
        self.assertIn('"error":{"message":"the gateway is shutting down', body)
        self.assertNotIn('"finish_reason":"stop"', body)

    def test_streams_without_end_are_told_so(self):
        def silent(exchange):
            exchange.head()
            exchange.delta("a")
            exchange.hold()

        def busy(exchange):
            exchange.head()
            while True:
                exchange.delta("a")
                time.sleep(0.01)

        clients = [self.begin_stream(script) for script in (silent, busy)]
        began = time.monotonic()
        self.runnel.signal(signal.SIGTERM)
        for client in clients:
            self.assert_cut(client)
        self.assertEqual(self.runnel.wait(STOP_LIMIT), 0)
        self.assertLess(undisturbed(began), 0.5 + AT_ONCE)
        self.assert_logs("drain_timeout is over", self.runnel)

    def test_before_its_stream_a_request_is_answered_503(self):
        self.upstream.script = lambda exchange: exchange.hold()
        clients = [self.connect(), self.connect()]
        clients[0].send(chat_bytes(stream=True))
        clients[1].send(chat_bytes(stream=False))
        self.assert_eventually(lambda: len(self.upstream.exchanges) == 2)
        self.runnel.signal(signal.SIGTERM)
        for client in clients:
            response = client.response()
            self.assertEqual(response.status, 503, response.body)
            self.assertIn("shutting down", response.error["message"])
            self.assertIn("retry-after", response.headers)
        self.assertEqual(self.runnel.wait(STOP_LIMIT), 0)

    def test_a_client_that_reads_nothing_does_not_hold_it_up(self):
        def flood(exchange):
            exchange.head()
            while True:
                exchange.delta("x" * 65536)

        client = Client(self.runnel.port, receive_buffer=4096)
        self.addCleanup(client.close)
        self.upstream.play(flood)
        client.send(chat_bytes())
        time.sleep(scaled(0.3))
        self.assertLess(self.signal_and_wait(), 0.5 + LAST_WORDS + AT_ONCE)


class DuringACheck(ShutdownTest):
    """Somebody is asked about what is said, who takes too long for a process that ends."""

    def setUp(self):
        self.checker = FakeUpstream()
        self.addCleanup(self.checker.close)
        self.checker.script = lambda exchange: exchange.hold()
        check = {"url": f"http://127.0.0.1:{self.checker.port}/", "timeout": "1m"}
        self.config = {
            "drain_timeout": "500ms", "ping": "100ms",
            "guardrails": [{"name": place, "check": check, "on": [place], "when": "asked"}
                           for place in ("input", "output", "tool_arguments")],
            "models": {"armed": {"targets": ["local/m"], "tools": ["calculator"]}},
        }
        super().setUp()

    def ask(self, place, **fields):
        """Somebody who waits for a check of what stands there."""
        self.upstream.script = calls(call("calculator", '{"expression":"1+1"}')) if place == "tool_arguments" else says("Hello")
        asked = len(self.checker.exchanges)
        client = self.connect()
        client.send(chat_bytes(model="armed", guardrails=[place], **fields))
        self.assert_eventually(lambda: len(self.checker.exchanges) > asked)
        return client

    def test_who_waits_is_told_that_the_process_ends(self):
        clients = [self.ask(place, stream=stream, headers={"Sse-Stream-Options": "no-ping"})
                   for place in ("input", "output", "tool_arguments") for stream in (True, False)]
        self.runnel.signal(signal.SIGTERM)
        for client in clients:
            response = client.response()
            self.assertEqual((response.status, response.error["code"]), (503, "overloaded"), response.body)
            self.assertIn("shutting down", response.error["message"])
        self.assertEqual(self.runnel.wait(STOP_LIMIT), 0)
        self.assertNotIn("input: block", self.runnel.log())

    def test_a_stream_that_has_begun_ends_with_an_error(self):
        clients = [self.ask(place) for place in ("input", "output", "tool_arguments")]
        for client in clients:
            self.assertEqual(client.head().status, 200)  # and a ping
        self.runnel.signal(signal.SIGTERM)
        for client in clients:
            body = client.rest().decode()
            self.assertIn('"error":{"message":"the gateway is shutting down', body)
            self.assertNotIn("content_filter", body)
            self.assertTrue(body.endswith("data: [DONE]\n\n"), body)
        self.assertEqual(self.runnel.wait(STOP_LIMIT), 0)
