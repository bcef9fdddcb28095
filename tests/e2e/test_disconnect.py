"""Whoever hangs up is noticed, in every phase of a request: upstream is cancelled, nothing leaks."""

import socket
import time

from black_hole import BlackHole
from client import Client, chat_body, chat_bytes, get, request_bytes
from gateway_test import GatewayTest, provider
from pace import NOTICED, scaled
from runnel_process import RunnelProcess
from stalls import undisturbed

ABORTED_STREAMS = 500


def answer_never(exchange):
    exchange.hold()


def head_only(exchange):
    exchange.head()
    exchange.hold()


def first_delta_only(exchange):
    exchange.head()
    exchange.delta("first")
    exchange.hold()


class Disconnect(GatewayTest):
    def wait_for_request(self, count=1):
        self.assert_eventually(lambda: len(self.upstream.exchanges) >= count)

    def assert_upstream_closed(self, since):
        connection = self.upstream.exchanges[-1].connection
        self.assert_eventually(lambda: connection.closed_at is not None, NOTICED + 1,
                               "the upstream connection is still open")
        self.assertLess(undisturbed(since, connection.closed_at), NOTICED)

    def hang_up(self, client, way="close"):
        since = time.monotonic()
        {"close": client.close, "reset": client.reset,
         "half-close": lambda: client.socket.shutdown(socket.SHUT_WR)}[way]()
        return since

    def test_while_the_request_body_is_being_sent(self):
        files = self.files_at_rest()
        for way in ("close", "reset", "half-close"):
            client = self.connect()
            client.send(chat_bytes(text="x" * 100_000)[:50_000])
            time.sleep(0.02)
            self.hang_up(client, way)
        self.assert_eventually(lambda: self.runnel.open_files() <= files)
        self.assertEqual(self.upstream.requests, [])
        self.assert_serves()

    def test_before_the_head_of_the_answer(self):
        for way in ("close", "reset", "half-close"):
            for stream in (True, False):
                with self.subTest(way, stream=stream):
                    self.upstream.forget()
                    self.upstream.play(answer_never)
                    client = self.connect()
                    client.send(chat_bytes(stream=stream))
                    self.wait_for_request()
                    self.assert_upstream_closed(self.hang_up(client, way))
                    self.assert_serves()

    def test_after_the_head_before_the_first_delta(self):
        self.upstream.play(head_only)
        client = self.connect()
        client.send(chat_bytes())
        self.wait_for_request()
        time.sleep(0.05)
        self.assert_upstream_closed(self.hang_up(client))
        self.assert_serves()

    def test_in_the_middle_of_a_silent_stream(self):
        for way in ("close", "reset", "half-close"):
            with self.subTest(way):
                self.upstream.forget()
                self.upstream.play(first_delta_only)
                client = self.connect()
                client.send(chat_bytes())
                client.head()
                client.next_piece()
                self.assert_upstream_closed(self.hang_up(client, way))
                self.assert_serves()

    def test_in_the_middle_of_a_busy_stream(self):
        def talk(exchange):
            exchange.head()
            while True:
                exchange.delta("word ")
                time.sleep(0.001)

        self.upstream.play(talk)
        client = self.connect()
        client.send(chat_bytes())
        client.head()
        for _ in range(20):
            client.next_piece()
        self.assert_upstream_closed(self.hang_up(client))
        self.assert_serves()

    def test_in_the_middle_of_an_answer_that_is_not_streamed(self):
        def half_an_answer(exchange):
            body = exchange.wire.whole("Hello")
            exchange.head(framing="length", length=len(body), content_type="application/json")
            exchange.body(body[:20])
            exchange.hold()

        self.upstream.play(half_an_answer)
        client = self.connect()
        client.send(chat_bytes(stream=False))
        self.wait_for_request()
        time.sleep(0.05)
        self.assert_upstream_closed(self.hang_up(client))
        self.assert_serves()

    def test_while_runnel_sends_a_large_request_to_an_upstream_that_does_not_read(self):
        # The listener's queue takes the connection, and the kernel's buffers a part of the request.
        with socket.create_server(("127.0.0.1", 0), backlog=8) as deaf:
            config = {"providers": {"deaf": provider("openai-compatible", deaf.getsockname()[1])}}
            runnel = RunnelProcess(config)
            self.addCleanup(runnel.stop)
            get(runnel.port, "/healthz")
            time.sleep(scaled(0.1))
            files = runnel.open_files()
            client = Client(runnel.port)
            client.send(chat_bytes(model="deaf/m", text="x" * (24 << 20)))
            self.assert_eventually(lambda: runnel.open_files() == files + 2)
            time.sleep(scaled(0.3))
            client.close()
            self.assert_eventually(lambda: runnel.open_files() == files, NOTICED)

    def test_a_next_request_that_waits_does_not_hide_the_hang_up(self):
        self.upstream.play(first_delta_only)
        client = self.connect()
        client.send(chat_bytes() + chat_bytes())
        client.head()
        client.next_piece()
        self.assert_upstream_closed(self.hang_up(client))
        self.assertEqual(len(self.upstream.requests), 1)
        self.assert_serves()

    def test_a_half_closed_client_counts_as_gone_even_after_its_whole_request(self):
        self.upstream.play(answer_never)
        client = self.connect()
        client.send(chat_bytes())
        self.wait_for_request()
        self.assert_upstream_closed(self.hang_up(client, "half-close"))
        self.assertTrue(client.is_closed_by_peer(within=NOTICED))

    def test_the_log_says_that_the_client_left(self):
        self.upstream.play(first_delta_only)
        client = self.connect()
        client.send(chat_bytes(headers={"X-Request-ID": "left-in-the-middle"}))
        client.head()
        client.close()
        self.assert_eventually(lambda: self.runnel.log_of("left-in-the-middle"))
        self.assertEqual([line.get("client_closed") for line in self.runnel.log_of("left-in-the-middle")], [True])

    def test_no_descriptor_is_left_after_hundreds_of_aborted_streams(self):
        # The request names its script: one that is aborted early enough never comes to upstream.
        scripts = {"never": answer_never, "head": head_only, "delta": first_delta_only}
        self.assert_serves()
        files = self.files_at_rest()
        self.upstream.script = lambda exchange: scripts[
            exchange.request.json()["messages"][0]["content"]](exchange)
        for number in range(ABORTED_STREAMS):
            name = list(scripts)[number % len(scripts)]
            with Client(self.runnel.port) as client:
                client.send(chat_bytes(text=name))
                if name == "delta":
                    client.head()
                elif number % 2:
                    time.sleep(0.002)
        self.assert_eventually(lambda: self.runnel.open_files() <= files)
        still_open = lambda: [c for c in self.upstream.connections if c.requests > 0 and c.closed_at is None]
        # The other side may be told a little later.
        self.assert_eventually(lambda: len(still_open()) <= 1, message="one idle connection may be kept")
        self.assert_serves()


class DisconnectWhileConnecting(GatewayTest):
    @classmethod
    def setUpClass(cls):
        cls.hole = BlackHole()
        cls.addClassCleanup(cls.hole.close)
        cls.config = {"providers": {"hole": provider("openai-compatible", cls.hole.port)}}
        super().setUpClass()

    def test_a_connection_attempt_is_given_up(self):
        files = self.files_at_rest()
        client = self.connect()
        client.send(chat_bytes(model="hole/m"))
        self.assert_eventually(lambda: self.hole.connecting(self.runnel.pid) == 1)
        client.close()
        self.assert_eventually(lambda: self.hole.connecting(self.runnel.pid) == 0, NOTICED)
        self.assert_eventually(lambda: self.runnel.open_files() <= files)

    def test_a_request_before_the_blank_line_is_dropped(self):
        files = self.files_at_rest()
        client = self.connect()
        client.send(request_bytes("POST", "/v1/chat/completions", chat_body())[:30])
        client.close()
        self.assert_eventually(lambda: self.runnel.open_files() <= files)
