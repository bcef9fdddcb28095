"""However a provider frames its HTTP response, the client's stream is the same."""

import time

from frames import finish_of, text_of
from gateway_test import GatewayTest, KINDS


class UpstreamFraming(GatewayTest):
    def assert_answer(self, script, model="local/m"):
        self.upstream.play(script)
        frames = self.frames(model=model)
        self.assertEqual(text_of(frames), "Hello")
        self.assertEqual(finish_of(frames), "stop")

    def whole_stream(self, exchange):
        return exchange.delta_bytes("Hel") + exchange.delta_bytes("lo") + exchange.wire.finish()

    def test_a_body_with_a_length(self):
        def script(exchange):
            body = self.whole_stream(exchange)
            exchange.head(framing="length", length=len(body))
            exchange.body(body)

        self.assert_answer(script)

    def test_a_body_that_ends_with_the_connection(self):
        def script(exchange):
            exchange.head(framing="eof")
            exchange.body(self.whole_stream(exchange))

        self.assert_answer(script)

    def test_an_http_1_0_response(self):
        def script(exchange):
            exchange.head(framing="eof", version="HTTP/1.0")
            exchange.body(self.whole_stream(exchange))

        self.assert_answer(script)

    def test_connection_close_is_obeyed(self):
        def script(exchange):
            exchange.head(headers=[("Connection", "close")])
            exchange.delta("Hello")
            exchange.finish()
            exchange.hold(5)

        self.assert_answer(script)
        self.assert_answer(script)
        first, second = self.upstream.exchanges
        self.assertIsNot(first.connection, second.connection)

    def test_interim_responses_are_skipped(self):
        def script(exchange):
            exchange.raw(b"HTTP/1.1 100 Continue\r\n\r\n")
            time.sleep(0.02)
            exchange.raw(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + exchange.head_bytes())
            exchange.delta("Hello")
            exchange.finish()

        self.assert_answer(script)

    def test_trailers_and_chunk_extensions_are_skipped(self):
        def script(exchange):
            exchange.head(headers=[("Trailer", "X-Sum")])
            body = self.whole_stream(exchange)
            exchange.raw(f"{len(body):x};name=value\r\n".encode() + body + b"\r\n0\r\nX-Sum: 1\r\n\r\n")

        self.assert_answer(script)

    def test_chunks_and_segments_cut_anywhere_in_every_format(self):
        for name in KINDS:
            for size in (1, 7, 50):
                def script(exchange, size=size):
                    body = self.whole_stream(exchange)
                    wire = exchange.head_bytes() + b"".join(
                        exchange.framed(body[at : at + 3]) for at in range(0, len(body), 3))
                    wire += exchange.end_bytes()
                    for at in range(0, len(wire), size):
                        exchange.raw(wire[at : at + size])

                with self.subTest(name, size=size):
                    self.assert_answer(script, f"{name}/m")

    def test_a_slow_head_is_waited_for(self):
        def script(exchange):
            for byte in exchange.head_bytes():
                exchange.raw(bytes([byte]))
                time.sleep(0.002)
            exchange.delta("Hello")
            exchange.finish()

        self.assert_answer(script)

    def test_a_whole_answer_where_a_stream_was_asked_for_becomes_a_stream(self):
        for name in KINDS:
            with self.subTest(name):
                self.assert_answer(lambda exchange: exchange.reply(200, exchange.wire.whole("Hello")), f"{name}/m")

    def test_the_request_says_who_asks_and_where(self):
        for name in KINDS:
            self.frames(model=f"{name}/m")
        for request in self.upstream.requests:
            self.assertEqual(request.method, "POST")
            self.assertEqual(request.headers["host"], f"127.0.0.1:{self.upstream.port}")
            self.assertTrue(request.headers["user-agent"].startswith("runnel/"))
            self.assertIn("sk-test-KEY", "".join(request.headers.values()) + request.target)
