"""Hostile upstreams: what a provider sends, or does not send, holds up nobody, reaches no other client and is asked for once."""

import time

from attack_table import AttackTest, attack
from fake_upstream import FakeUpstream
from frames import frames_of, text_of
from pace import LIMIT, scaled
from stalls import undisturbed

LINES = b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" * 20


def for_ever(send, pause=0.0):
    """Until the gateway has had enough of it."""
    def script(exchange):
        while True:
            send(exchange)
            time.sleep(pause)

    return script


class Upstreams(AttackTest):
    config = {"models": {
        "hasty": {"targets": ["local/hasty"], "retries": 0, "timeouts": {"first_token": "300ms"}},
        "short": {"targets": ["local/short"], "retries": 0, "timeouts": {"total": "700ms", "idle": "500ms"}},
        "once": {"targets": ["local/once"], "retries": 0},
        "twice": {"targets": ["local/twice"], "retries": 1},
    }}

    def assert_ends_in_time(self, model, script, stream=True):
        self.upstream.play(script)
        began = time.monotonic()
        response = self.ask(model=model, stream=stream)
        self.assertLess(undisturbed(began), 0.7 + scaled(0.8))
        connection = self.upstream.exchanges[-1].connection
        self.assert_eventually(lambda: connection.closed_at is not None, LIMIT)
        return response

    @attack("upstream", "a kept connection takes the request, works on it, and is reset without an answer",
            "502, the provider was asked once; with a retry it was asked twice, and the client is told so")
    def test_a_late_reset_on_a_kept_connection(self):
        def late(exchange):
            time.sleep(0.5)
            exchange.reset()

        for model, asked, status in (("once", 1, 502), ("twice", 2, 200)):
            self.assertEqual(self.ask(model=model).status, 200)
            self.upstream.forget()
            self.upstream.play(late)
            response = self.ask(model=model)
            self.assertEqual((response.status, len(self.upstream.requests)), (status, asked), model)
            if status == 200:
                self.assertEqual(response.headers["x-gateway-attempts"], str(asked))

    @attack("upstream", "interim responses (1xx) for ever", "504 when the first token is due")
    def test_interim_responses_for_ever(self):
        for pause in (0.0, 0.02):
            response = self.assert_ends_in_time("hasty", for_ever(lambda exchange: exchange.raw(LINES), pause))
            self.assertIn(response.status, (502, 504))

    @attack("upstream", "comments and keep-alives for ever before the first token", "504 when it is due")
    def test_keep_alives_for_ever(self):
        def script(exchange):
            exchange.head()
            for_ever(lambda held: held.body(b": still here\n\n" * 100), 0.001)(exchange)

        self.assertEqual(self.assert_ends_in_time("hasty", script).status, 504)

    @attack("upstream", "a head that comes a byte at a time", "504 when the first token is due")
    def test_a_head_that_trickles(self):
        def script(exchange):
            for byte in b"HTTP/1.1 200 OK\r\n" + b"X-Filler: f\r\n" * 100_000:
                exchange.raw(bytes([byte]))
                time.sleep(0.01)

        self.assertEqual(self.assert_ends_in_time("hasty", script).status, 504)

    @attack("upstream", "an answer that comes a byte at a time", "an error when the total time is over")
    def test_an_answer_that_trickles(self):
        def trickle(exchange):
            exchange.head()
            for_ever(lambda held: held.delta("a"), 0.01)(exchange)

        frames = frames_of(self.assert_ends_in_time("short", trickle).body)
        self.assertIn("error", frames[-1])

        def whole(exchange):
            exchange.head(framing="length", length=100_000, content_type="application/json")
            for_ever(lambda held: held.raw(b" "), 0.01)(exchange)

        self.assertEqual(self.assert_ends_in_time("short", whole, stream=False).status, 504)

    @attack("upstream", "a second response nobody asked for, with the first or a moment after it",
            "the connection is dropped, and the next client gets an answer of its own")
    def test_a_response_for_the_next_client(self):
        def poison(exchange, late):
            body = exchange.wire.whole("stolen")
            extra = exchange.head_bytes(200, "length", (), len(body), "application/json") + body
            first = exchange.wire.whole("Hello")
            head = exchange.head_bytes(200, "length", (), len(first), "application/json")
            if late:
                exchange.raw(head + first)
                time.sleep(0.1)
                exchange.raw(extra)
            else:
                exchange.raw(head + first + extra)
            poisoned.append(exchange.connection)

        for late in (False, True):
            poisoned = []
            self.upstream.play(lambda exchange, late=late: poison(exchange, late))
            self.assertEqual(self.ask(stream=False).status, 200)
            self.assert_eventually(lambda: poisoned)
            response = self.ask(stream=False)
            self.assertEqual(response.json()["choices"][0]["message"]["content"], "Hello")
            self.assertIsNot(self.upstream.exchanges[-1].connection, poisoned[0])

    @attack("upstream", "a redirect to another host", "502, and nobody there hears of the key")
    def test_a_redirect(self):
        elsewhere = FakeUpstream()
        self.addCleanup(elsewhere.close)
        location = f"http://127.0.0.1:{elsewhere.port}/v1/chat/completions"
        for status in (301, 302, 303, 307, 308):
            self.upstream.script = lambda exchange, status=status: exchange.reply(
                status, b"{}", [("Location", location)])
            self.assertEqual(self.ask(model="once").status, 502)
        self.assertEqual(elsewhere.connections, [])

    @attack("upstream", "header fields of its own", "the client sees none of them")
    def test_header_fields_of_its_own(self):
        fields = [("Set-Cookie", "a=b"), ("Access-Control-Allow-Origin", "*"), ("X-Evil", "yes"),
                  ("X-Model-Used", "evil"), ("Location", "http://evil.test/"), ("X-Request-ID", "evil")]

        def streamed(exchange):
            exchange.head(headers=fields)
            exchange.delta("Hello")
            exchange.finish()

        for script, status in ((streamed, 200),
                               (lambda exchange: exchange.reply(400, exchange.wire.error("no"), fields), 400)):
            self.upstream.play(script)
            response = self.ask(model="once")
            self.assertEqual(response.status, status)
            self.assertNotIn("evil", str(response.headers))
            for name in ("set-cookie", "access-control-allow-origin", "x-evil", "location"):
                self.assertNotIn(name, response.headers)

    def test_the_well_behaved_are_served(self):
        self.assertEqual(text_of(frames_of(self.ask(model="once").body)), "Hello")
