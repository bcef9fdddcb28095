"""Upstream connections are kept and used again, and a kept one that died is not the client's problem."""

import threading
import time

from client import chat_bytes, get
from frames import frames_of, text_of
from gateway_test import GatewayTest, KINDS
from pace import LIMIT


class Pool(GatewayTest):
    provider_fields = {"retries": 0}  # what is sent twice here was sent twice by the pool

    def test_one_after_the_other_use_one_connection(self):
        client = self.connect()
        for number in range(20):
            client.send(chat_bytes(stream=bool(number % 2)))
            self.assertEqual(client.response().status, 200)
        self.assertEqual(len({id(exchange.connection) for exchange in self.upstream.exchanges}), 1)

    def test_every_provider_reuses_its_connection(self):
        for name in KINDS:
            with self.subTest(name):
                self.upstream.forget()
                for _ in range(3):
                    self.frames(model=f"{name}/m")
                    time.sleep(0.02)
                self.assertEqual(len({id(exchange.connection) for exchange in self.upstream.exchanges}), 1)

    def test_a_connection_whose_body_ends_a_little_later_is_kept(self):
        ended = threading.Event()

        def late_end(exchange):
            exchange.head()
            exchange.delta("Hello")
            exchange.body(exchange.wire.finish())
            time.sleep(0.05)
            exchange.raw(exchange.end_bytes())
            ended.set()

        self.upstream.play(late_end)
        self.frames()
        self.assertTrue(ended.wait(LIMIT))
        for _ in range(2):  # what had come before this is asked has been seen when it is answered
            get(self.runnel.port, "/healthz")
        self.frames()
        first, second = self.upstream.exchanges
        self.assertIs(first.connection, second.connection)

    def test_a_kept_connection_that_upstream_closed_meanwhile_is_replaced(self):
        self.frames()
        kept = self.upstream.exchanges[-1].connection
        kept.close()
        time.sleep(0.05)
        self.assertEqual(text_of(self.frames()), "Hello")
        self.assertIsNot(self.upstream.exchanges[-1].connection, kept)

    def test_a_request_that_was_read_is_not_sent_again_by_the_pool(self):
        """However soon the connection ends: with no retries left, whoever has read it was asked once."""
        for way in ("fin", "reset"):
            for after in (0, 0.3):
                with self.subTest(way, after=after):
                    self.frames()
                    self.upstream.forget()

                    def script(exchange, way=way, after=after):
                        time.sleep(after)
                        getattr(exchange, way)()

                    self.upstream.play(script)
                    self.assertEqual(self.ask().status, 502)
                    self.assertEqual(len(self.upstream.requests), 1)

    def test_a_request_is_not_repeated_once_an_answer_has_begun(self):
        def half_a_head(exchange):
            exchange.raw(b"HTTP/1.1 200 OK\r\n")
            exchange.fin()

        self.frames()
        self.upstream.forget()
        self.upstream.play(half_a_head)
        self.assertEqual(self.ask().status, 502)
        self.assertEqual(len(self.upstream.requests), 1)

    def test_a_new_connection_that_dies_is_not_tried_again(self):
        self.upstream.script = lambda exchange: exchange.fin()
        self.ask()  # uses up what was kept
        self.upstream.exchanges.clear()
        self.assertEqual(self.ask().status, 502)
        self.assertEqual(len(self.upstream.requests), 1)

    def test_bytes_after_an_answer_forbid_the_next_use_of_a_connection(self):
        def too_much(exchange):
            body = exchange.wire.whole("Hello")
            exchange.raw(exchange.head_bytes(200, "length", length=len(body)) + body + b"HTTP/1.1 200 OK\r\n")

        self.upstream.play(too_much)
        self.ask(stream=False)
        self.assertEqual(text_of(self.frames()), "Hello")
        first, second = self.upstream.exchanges
        self.assertIsNot(first.connection, second.connection)

    def test_streams_at_the_same_time_have_connections_of_their_own(self):
        clients = [self.connect() for _ in range(10)]
        together = threading.Barrier(len(clients))

        def script(exchange):
            together.wait(LIMIT)
            exchange.stream("Hel", "lo")

        self.upstream.script = script
        for client in clients:
            client.send(chat_bytes())
        for client in clients:
            self.assertEqual(text_of(frames_of(client.response().body)), "Hello")
        self.assertEqual(len({id(exchange.connection) for exchange in self.upstream.exchanges}), 10)

    def test_an_error_answer_leaves_the_connection_usable(self):
        self.upstream.script = lambda exchange: exchange.reply(400, exchange.wire.error("no"))
        for _ in range(3):
            self.assertEqual(self.ask().status, 400)
        self.assertEqual(len({id(exchange.connection) for exchange in self.upstream.exchanges}), 1)
