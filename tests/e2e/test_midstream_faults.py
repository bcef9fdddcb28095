"""A provider that fails after its first token: the stream says so and still ends well."""

import threading
import time

from client import chat_bytes
from frames import error_of, finish_of, frames_of, partial_frames, text_of
from gateway_test import GatewayTest, KINDS
from pace import LIMIT, scaled
from stalls import undisturbed

IDLE, TOTAL = 1, 3  # seconds


def begin(exchange):
    exchange.head()
    exchange.delta("Hel")
    time.sleep(0.05)


class MidstreamTest(GatewayTest):
    provider_fields = {"retries": 0}

    def fail_midstream(self, script, code=None, model="local/m", **fields):
        self.upstream.play(script)
        frames = self.frames(model=model, **fields)
        self.assertTrue(text_of(frames).startswith("Hel"), frames)
        error = error_of(frames)
        self.assertIsNotNone(error, frames)
        self.assertEqual(set(error), {"message", "type", "code", "param"})
        self.assertEqual((error["type"], error["param"]), ("server_error", None))
        if code:
            self.assertEqual(error["code"], code, error)
        return error


class MidstreamFaults(MidstreamTest):
    def test_a_cut_is_an_error_frame_and_done(self):
        for name in KINDS:
            for way in ("fin", "reset"):
                def script(exchange, way=way):
                    begin(exchange)
                    getattr(exchange, way)()

                with self.subTest(name, way=way):
                    self.fail_midstream(script, "upstream_error", f"{name}/m")

    def test_a_body_that_ends_without_a_finish_is_a_cut(self):
        def script(exchange):
            begin(exchange)
            exchange.raw(exchange.end_bytes())

        for name in KINDS:
            with self.subTest(name):
                self.fail_midstream(script, "upstream_error", f"{name}/m")

    def test_no_usage_follows_an_error(self):
        def script(exchange):
            begin(exchange)
            exchange.fin()

        self.fail_midstream(script, stream_options={"include_usage": True})

    def test_an_error_the_provider_reports_in_its_stream(self):
        def script(exchange):
            begin(exchange)
            exchange.body(exchange.wire.error_in_stream("Overloaded, see http://status.internal"))
            exchange.hold(1)

        for name in KINDS:
            with self.subTest(name):
                error = self.fail_midstream(script, "tool_provider_error", f"{name}/m")
                self.assertNotIn("internal", error["message"])

    def test_broken_http_in_the_middle(self):
        def script(exchange):
            begin(exchange)
            exchange.raw(b"this is no chunk size\r\n")
            exchange.hold(1)

        self.fail_midstream(script, "upstream_error")

    def test_broken_frames_do_not_break_the_clients_stream(self):
        def script(exchange):
            begin(exchange)
            exchange.body(b"event: what\nid: 7\nretry: 5\n: comment\ndata:\n\n")
            exchange.body(b'data: {"unknown": true}\n\n')
            exchange.delta("lo")
            exchange.finish()

        self.upstream.play(script)
        frames = self.frames()
        self.assertEqual(text_of(frames), "Hello")
        self.assertEqual(finish_of(frames), "stop")

    def test_frames_that_are_not_json_leave_a_valid_stream(self):
        def script(exchange):
            begin(exchange)
            exchange.body(b"data: this is not JSON\n\ndata: {\"choices\": 5}\n\n")
            exchange.delta("lo")
            exchange.finish()

        self.upstream.play(script)
        frames = self.frames()
        self.assertTrue(text_of(frames) == "Hello" or error_of(frames), frames)

    def test_an_answer_that_is_not_streamed_fails_with_a_status(self):
        def script(exchange):
            begin(exchange)
            exchange.fin()

        self.upstream.play(script)
        response = self.ask(stream=False)
        self.assert_error(response, 502, "upstream_error")

    def test_done_comes_at_once_although_upstream_keeps_the_connection_open(self):
        def finish_then_hold(exchange):
            exchange.head()
            exchange.delta("Hello")
            exchange.body(exchange.wire.finish())
            exchange.hold()

        for name in KINDS:
            with self.subTest(name):
                self.upstream.play(finish_then_hold)
                began = time.monotonic()
                self.assertEqual(finish_of(self.frames(model=f"{name}/m")), "stop")
                # Gemini gives a finish reason with every event at times: there it takes a little longer to be sure.
                self.assertLess(undisturbed(began), scaled(3 if name == "google" else 1))

    def test_done_comes_soon_although_upstream_says_no_more_after_its_finish_reason(self):
        def finish_reason_then_hold(exchange):
            exchange.head()
            exchange.delta("Hello")
            exchange.body(exchange.wire.finish_reason())
            exchange.hold()

        self.upstream.play(finish_reason_then_hold)
        began = time.monotonic()
        self.assertEqual(finish_of(self.frames()), "stop")
        self.assertLess(undisturbed(began), scaled(1))
        self.assert_eventually(lambda: self.upstream.exchanges[-1].connection.closed_at is not None)

    def test_a_cut_after_the_finish_reason_is_a_normal_end(self):
        for way in ("fin", "reset"):
            def script(exchange, way=way):
                begin(exchange)
                exchange.body(exchange.wire.finish_reason())
                time.sleep(0.05)
                getattr(exchange, way)()

            with self.subTest(way):
                self.upstream.play(script)
                self.assertEqual(finish_of(self.frames()), "stop")

    def test_the_connection_goes_on_after_an_error_in_a_stream(self):
        def script(exchange):
            begin(exchange)
            exchange.fin()

        self.upstream.play(script)
        client = self.connect()
        for expected in (True, False):
            client.send(chat_bytes())
            self.assertEqual(error_of(frames_of(client.response().body)) is not None, expected)

    def test_the_first_piece_does_not_wait_for_what_goes_wrong_later(self):
        was_read = threading.Event()
        self.addCleanup(was_read.set)

        def script(exchange):
            begin(exchange)
            was_read.wait(LIMIT)
            exchange.fin()

        self.upstream.play(script)
        client = self.connect()
        client.send(chat_bytes())
        client.head()
        self.assertEqual(text_of(partial_frames(client.next_piece())), "Hel")
        was_read.set()
        self.assertIn(b'"error"', client.rest())


class MidstreamTimeOuts(MidstreamTest):
    provider_fields = {**MidstreamTest.provider_fields, "timeouts": {"idle": f"{IDLE}s", "total": f"{TOTAL}s"}}

    def test_a_stream_that_falls_silent_times_out(self):
        def script(exchange):
            begin(exchange)
            exchange.hold()

        began = time.monotonic()
        self.fail_midstream(script, "upstream_timeout")
        self.assertLess(undisturbed(began), IDLE + scaled(0.5))
        self.assert_eventually(lambda: self.upstream.exchanges[-1].connection.closed_at is not None)

    def test_a_stream_that_never_ends_is_ended(self):
        def script(exchange):
            begin(exchange)
            while True:
                exchange.delta("x")
                time.sleep(0.02)

        began = time.monotonic()
        self.fail_midstream(script, "upstream_timeout")
        self.assertLess(undisturbed(began), TOTAL + scaled(0.5))

    def test_a_slow_stream_is_not_a_silent_one(self):
        def script(exchange):
            exchange.head()
            for _ in range(6):
                exchange.delta("x")
                time.sleep(IDLE / 4)
            exchange.finish()

        self.upstream.play(script)
        self.assertEqual(text_of(self.frames()), "x" * 6)
