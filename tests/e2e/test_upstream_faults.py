"""A provider that fails before its first token: an HTTP status of ours, never a broken stream."""

import socket
import time

from black_hole import BlackHole
from client import chat_bytes
from fake_upstream import FakeUpstream
from gateway_test import GatewayTest, KINDS, provider
from pace import scaled
from stalls import undisturbed


def garbage(exchange):
    exchange.raw(b"\x00\x01\x02 this is not HTTP at all\r\n\r\n")
    exchange.fin()


def refuse_with(status, message="it failed", headers=()):
    return lambda exchange: exchange.reply(status, exchange.wire.error(message), headers)


class UpstreamFaults(GatewayTest):
    def assert_fails(self, script, status, code=None, model="local/m", retries=3):
        """Both kinds of request end the same way."""
        for stream in (True, False):
            with self.subTest(model=model, stream=stream):
                self.upstream.forget()
                self.upstream.script = script
                response = self.ask(model=model, stream=stream)
                self.assert_error(response, status, code)
                self.assertLessEqual(len(self.upstream.requests), retries)
        return response

    def test_statuses_become_ours(self):
        for name in KINDS:
            for status, ours in ((401, 502), (403, 502), (404, 404), (408, 504), (429, 429), (500, 502),
                                 (502, 502), (503, 502), (504, 504), (529, 502)):
                with self.subTest(status):
                    self.assert_fails(refuse_with(status), ours, model=f"{name}/m")

    def test_a_bad_credential_of_ours_is_never_a_401(self):
        response = self.assert_fails(refuse_with(401), 502, "tool_provider_error")
        self.assertNotIn("www-authenticate", response.headers)

    def test_a_rejected_request_is_the_clients_with_the_reason(self):
        for status in (400, 422):
            response = self.assert_fails(refuse_with(status, "temperature must be below 2"), 400)
            self.assertIn("temperature must be below 2", response.error["message"])

    def test_a_rate_limit_says_when_to_come_back(self):
        response = self.assert_fails(refuse_with(429, headers=[("Retry-After", "7")]), 429, "upstream_rate_limited")
        self.assertEqual(response.headers["retry-after"], "7")
        response = self.assert_fails(refuse_with(429), 429, "upstream_rate_limited")
        self.assertGreaterEqual(int(response.headers["retry-after"]), 1)

    def test_html_instead_of_an_answer(self):
        page = b"<html><body>Welcome to nginx</body></html>"
        for status in (200, 403, 404, 502):
            response = self.assert_fails(lambda exchange, status=status: exchange.reply(
                status, page, content_type="text/html"), 502)
            self.assertNotIn("html", response.body.decode())

    def test_an_empty_200(self):
        self.assert_fails(lambda exchange: exchange.reply(200, b""), 502)

    def test_a_stream_that_ends_before_it_said_anything(self):
        def script(exchange):
            exchange.head()
            exchange.raw(exchange.end_bytes())

        self.assert_fails(script, 502, "upstream_error")

    def test_bytes_that_are_not_http(self):
        self.assert_fails(garbage, 502, "upstream_error")

    def test_a_connection_that_is_cut_before_the_head(self):
        self.assert_fails(lambda exchange: exchange.fin(), 502, "upstream_error")
        self.assert_fails(lambda exchange: exchange.reset(), 502, "upstream_error")

    def test_a_connection_that_is_cut_in_the_head(self):
        def script(exchange):
            exchange.raw(b"HTTP/1.1 200 OK\r\nContent-Ty")
            exchange.fin()

        self.assert_fails(script, 502, "upstream_error")

    def test_a_connection_that_is_cut_after_the_head(self):
        for way in ("fin", "reset"):
            def script(exchange, way=way):
                exchange.head()
                getattr(exchange, way)()

            self.assert_fails(script, 502, "upstream_error")

    def test_an_error_whose_body_is_cut_keeps_its_status(self):
        def script(exchange):
            exchange.head(429, "length", length=1000, content_type="application/json")
            exchange.body(b'{"error":')
            exchange.fin()

        self.assert_fails(script, 429)

    def test_an_error_inside_a_200_before_any_text(self):
        for name in KINDS:
            def script(exchange):
                exchange.head()
                exchange.body(exchange.wire.error_in_stream("Overloaded"))
                exchange.raw(exchange.end_bytes())

            self.assert_fails(script, 502, model=f"{name}/m")

    def test_a_head_without_end(self):
        def script(exchange):
            exchange.raw(b"HTTP/1.1 200 OK\r\n")
            while True:
                exchange.raw(b"X-Filler: " + b"f" * 1000 + b"\r\n")

        self.assert_fails(script, 502)

    def test_an_error_body_without_end(self):
        def script(exchange):
            exchange.head(500, "eof")
            while True:
                exchange.raw(b"x" * 65_536)

        self.assert_fails(script, 502)

    def test_a_redirect_is_not_followed_and_the_key_stays_here(self):
        elsewhere = FakeUpstream()
        self.addCleanup(elsewhere.close)
        location = f"http://127.0.0.1:{elsewhere.port}/v1/chat/completions"
        for status in (301, 302, 307, 308):
            self.assert_fails(lambda exchange, status=status: exchange.reply(
                status, b"", [("Location", location)]), 502)
        self.assertEqual(elsewhere.connections, [])

    def test_what_only_the_log_may_see_stays_out_of_the_answer(self):
        secret = ("invalid key sk-live-XYZ0123456789abcdef for http://billing.internal.corp:8080/v1 "
                  "at db-7.internal.corp (10.1.2.3)")
        for status in (400, 401, 403, 404, 429, 500, 503):
            self.upstream.script = refuse_with(status, secret)
            for model in KINDS:
                body = self.ask(model=f"{model}/m").body.decode()
                for part in ("sk-live-XYZ", "internal.corp", "10.1.2.3"):
                    self.assertNotIn(part, body, f"{model} {status}")
        self.assertNotIn("sk-live-XYZ", self.runnel.log())

    def test_errors_name_the_provider_and_not_its_address(self):
        response = self.assert_fails(refuse_with(500), 502)
        self.assertNotIn(str(self.upstream.port), response.error["message"])
        self.assertNotIn("127.0.0.1", response.error["message"])


class Unreachable(GatewayTest):
    @classmethod
    def setUpClass(cls):
        cls.hole = BlackHole()
        cls.addClassCleanup(cls.hole.close)
        with socket.create_server(("127.0.0.1", 0)) as closed:
            closed_port = closed.getsockname()[1]
        quick = {"timeouts": {"connect": "300ms"}}
        cls.config = {"providers": {
            "closed": provider("openai-compatible", closed_port),
            "hole": provider("openai-compatible", cls.hole.port, **quick),
            "nowhere": provider("openai-compatible", 1, host="does-not-exist.invalid", **quick)}}
        super().setUpClass()

    def test_a_refused_connection(self):
        response = self.ask(model="closed/m")
        self.assert_error(response, 502, "upstream_error", "server_error")

    def test_a_connection_that_is_never_answered(self):
        began = time.monotonic()
        self.assert_error(self.ask(model="hole/m"), 504, "upstream_timeout", "server_error")
        self.assertGreater(time.monotonic() - began, 0.25)
        self.assertLess(undisturbed(began), 0.3 + scaled(0.5))
        self.assertEqual(self.hole.connecting(self.runnel.pid), 0)

    def test_a_host_that_does_not_exist(self):
        response = self.ask(model="nowhere/m")
        self.assertIn(response.status, (502, 504))  # 504 where the name servers don't answer
        self.assert_error(response, response.status)
        self.assertNotIn("does-not-exist", response.error["message"])


class TimeOuts(GatewayTest):
    config = {"models": {"hasty": {"targets": ["local/m"], "timeouts": {"first_token": "300ms"}}}}

    def assert_times_out(self, script, **request):
        self.upstream.play(script)
        began = time.monotonic()
        self.assert_error(self.ask(model="hasty", **request), 504, "upstream_timeout", "server_error")
        self.assertLess(undisturbed(began), 0.3 + scaled(0.5))
        connection = self.upstream.exchanges[-1].connection
        self.assert_eventually(lambda: connection.closed_at is not None)

    def test_no_first_token_in_time(self):
        for stream in (True, False):
            self.assert_times_out(lambda exchange: exchange.hold(), stream=stream)

    def test_a_head_without_a_first_token_in_time(self):
        def script(exchange):
            exchange.head()
            exchange.hold()

        self.assert_times_out(script)

    def test_comments_and_empty_deltas_do_not_count_as_a_first_token(self):
        def script(exchange):
            exchange.head()
            while True:
                exchange.body(b": still here\n\n" + exchange.wire.delta(""))
                time.sleep(0.05)

        self.assert_times_out(script)

    def test_the_client_can_go_on_after_a_time_out(self):
        self.upstream.play(lambda exchange: exchange.hold())
        client = self.connect()
        client.send(chat_bytes(model="hasty"))
        self.assertEqual(client.response().status, 504)
        client.send(chat_bytes())
        self.assertEqual(client.response().status, 200)
