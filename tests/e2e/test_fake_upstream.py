"""The fake upstream keeps its own promises; without that no other test means anything."""

import time

from client import Client, chat_bytes, eventually
from fake_upstream import FakeUpstream
from gateway_test import LimitedTest
from provider_wires import wire_for
from stalls import undisturbed


class FakeUpstreamItself(LimitedTest):
    def setUp(self):
        super().setUp()
        self.upstream = FakeUpstream()
        self.addCleanup(self.upstream.close)
        self.client = Client(self.upstream.port)
        self.addCleanup(self.client.close)

    def ask(self, **request):
        self.client.send(chat_bytes(**request))
        return self.client.response()

    def test_it_streams_or_not_as_asked_on_one_connection(self):
        self.assertIn(b"Hel", self.ask().body)
        self.assertEqual(self.ask(stream=False).json()["choices"][0]["message"]["content"], "Hello")
        self.assertEqual(len(self.upstream.connections), 1)
        self.assertEqual(len(self.upstream.requests), 2)

    def test_it_speaks_by_path(self):
        for path, part in (("/v1/messages", b"content_block_delta"),
                           ("/v1beta/models/m:streamGenerateContent", b"parts"),
                           ("/api/chat", b'"done": true')):
            self.assertIn(part, self.ask(path=path).body)

    def test_scripts_are_played_in_their_order_and_then_the_usual(self):
        self.upstream.play(lambda exchange: exchange.reply(500, b"one"), lambda exchange: exchange.reply(501, b"two"))
        self.assertEqual([self.ask().status for _ in range(3)], [500, 501, 200])

    def test_it_notes_when_its_client_closes(self):
        self.upstream.play(lambda exchange: exchange.hold())
        self.client.send(chat_bytes())
        self.assertTrue(eventually(lambda: self.upstream.exchanges, 5))
        since = time.monotonic()
        self.client.close()
        connection = self.upstream.exchanges[0].connection
        self.assertTrue(eventually(lambda: connection.closed_at is not None, 5))
        self.assertLess(undisturbed(since, connection.closed_at), 1)

    def test_it_can_end_a_connection_in_two_ways(self):
        self.upstream.play(lambda exchange: exchange.fin())
        self.client.send(chat_bytes())
        self.assertEqual(self.client.socket.recv(10), b"")
        second = Client(self.upstream.port)
        self.addCleanup(second.close)
        self.upstream.play(lambda exchange: exchange.reset())
        second.send(chat_bytes())
        with self.assertRaises(ConnectionResetError):
            second.socket.recv(10)

    def test_bodies_of_every_framing_are_whole(self):
        for framing in ("chunked", "length", "eof"):
            def script(exchange, framing=framing):
                body = wire_for("/").delta("Hello")
                exchange.head(framing=framing, length=len(body))
                exchange.body(body)
                exchange.raw(exchange.end_bytes())

            self.upstream.play(script)
            self.assertIn(b"Hello", self.ask().body)
