"""Streamable HTTP with servers that are slow, broken, gone or not what they should be."""

import socket
import threading
import time
import unittest

from http_imposter import HttpImposter, LegacyServer, ModernServer, text_result
from mcp_test import McpTest
from pace import LIMIT, NOTICED, scaled
from session import Session
from stalls import undisturbed


class Hanging(LegacyServer):
    """Takes a call and never answers."""

    def on_tools_call(self, exchange):
        if exchange.params["arguments"].get("text") == "stream":
            exchange.begin_stream()
            exchange.raw(b": still here\n\n")
        self.released.wait(30)


class TimeTest(McpTest):
    def test_a_slow_tool_fails_in_time_and_is_told_so(self):
        server = self.serve(Hanging())
        session = self.session("http", server.url, time_ms=int(scaled(500)))
        session.list()
        began = time.monotonic()
        answer = session.call("echo")
        self.assertLess(undisturbed(began), scaled(2))
        self.assertFalse(answer["ok"])
        self.assertIn("there was no answer within", answer["text"])
        call = server.seen_calls()[0]
        self.assert_eventually(lambda: "notifications/cancelled" in server.seen_methods())
        cancelled = next(one for one in server.seen if one.method == "notifications/cancelled")
        self.assertEqual(cancelled.params["requestId"], call.id)
        self.assertEqual(cancelled.headers["Mcp-Session-Id"], server.sessions[0])

    def stop_in_the_middle(self, server, text):
        session = self.session("http", server.url)
        session.list()
        idle = len(session.connections())
        tag = session.begin_call("echo", {"text": text})
        self.assert_eventually(lambda: len(server.seen_calls()) == 1)
        time.sleep(0.05)
        session.stop(tag)
        self.assert_within(NOTICED, lambda: len(session.connections()) <= idle)
        self.assertEqual(session.wait(tag)["text"], "stopped")
        return session

    def test_who_stops_is_rid_of_it_at_once(self):
        for text in ("", "stream"):
            server = self.serve(Hanging())
            self.stop_in_the_middle(server, text)
            self.assert_eventually(lambda: "notifications/cancelled" in server.seen_methods())

    def test_a_modern_server_sees_the_connection_close_and_nothing_else(self):
        class HangingModern(ModernServer):
            on_tools_call = Hanging.on_tools_call

        server = self.serve(HangingModern())
        session = self.stop_in_the_middle(server, "stream")
        session.list()
        self.assertNotIn("notifications/cancelled", server.seen_methods())

    def test_who_stops_during_the_greeting_does_not_stop_the_others(self):
        go_on = threading.Event()

        class Pondering(LegacyServer):
            def on_initialize(self, exchange):
                go_on.wait(LIMIT)
                super().on_initialize(exchange)

        server = self.serve(Pondering())
        session = self.session("http", server.url)
        first, second = session.begin_list(), session.begin_list()
        self.assert_eventually(lambda: "initialize" in server.seen_methods())
        session.stop(first)
        self.assertIn("error", session.wait(first))
        go_on.set()
        self.assertEqual(len(session.wait(second)["tools"]), 1)

    def test_a_source_that_goes_ends_its_session_and_leaves_no_connection_busy(self):
        server = self.serve(Hanging())
        session = self.session("http", server.url)
        tag = session.begin_call("echo")
        self.assert_eventually(lambda: len(server.seen_calls()) == 1)
        session.stop(tag)
        session.wait(tag)
        session.drop()
        self.assert_eventually(lambda: not server.sessions)


    def test_the_gateway_may_end_in_the_middle_of_everything(self):
        class Telling(Hanging):
            capabilities = {"tools": {"listChanged": True}}

            def on_get(self, exchange):
                exchange.begin_stream()
                exchange.raw(b": here\n\n")
                self.released.wait(30)

        server = self.serve(Telling())
        session = self.session("http", server.url)
        session.list()
        session.begin_call("echo", {"text": "stream"})
        self.assert_eventually(lambda: len(server.seen_calls()) == 1)
        session.abandon()


class SessionTest(McpTest):
    def test_a_lost_session_is_begun_again_once_and_the_call_goes_through(self):
        for status in (404, 400):
            server = self.serve(LegacyServer())
            server.lost_status = status
            session = self.session("http", server.url)
            session.list()
            server.sessions.clear()
            self.assertEqual(session.call("echo", {"text": "again"})["text"], "again")
            self.assertEqual(server.seen_methods()[-4:],
                             ["tools/call", "initialize", "notifications/initialized", "tools/call"])

    def test_sessions_that_never_hold_are_given_up(self):
        class Forgetful(LegacyServer):
            def answer(self, exchange):
                if exchange.method == "tools/call":
                    self.sessions.clear()
                super().answer(exchange)

        server = self.serve(Forgetful())
        session = self.session("http", server.url)
        session.list()
        answer = session.call("echo")
        self.assertFalse(answer["ok"])
        self.assertEqual(server.seen_methods().count("tools/call"), 2)

    def test_calls_that_lose_the_session_together_begin_one_new_session(self):
        server = self.serve(LegacyServer())
        session = self.session("http", server.url)
        session.list()
        server.sessions.clear()
        tags = [session.begin_call("echo", {"text": str(number)}) for number in range(5)]
        self.assertEqual([session.wait(tag)["text"] for tag in tags], [str(number) for number in range(5)])
        self.assertEqual(server.seen_methods().count("initialize"), 2)

    def test_a_server_that_changed_its_era_is_found_out(self):
        legacy = self.serve(LegacyServer())
        session = self.session("http", legacy.url)
        self.assertEqual(session.names(), ["echo"])
        modern = self.serve(ModernServer())
        legacy.answer = modern.answer  # the same address, another server
        self.assertFalse(session.call("echo", {"text": "x"})["ok"])
        self.assert_eventually(lambda: session.call("echo", {"text": "x"})["ok"])


class BrokenTest(McpTest):
    def failing_call(self, on_call):
        class Broken(LegacyServer):
            on_tools_call = on_call

        server = self.serve(Broken())
        session = self.session("http", server.url)
        session.list()
        answer = session.call("echo", {"text": "x"})
        self.assertFalse(answer["ok"], answer)
        self.assertEqual(len(server.seen_calls()), 1, "a tool is never run twice")
        return answer["text"]

    def test_a_server_that_dies_in_the_middle(self):
        def before_it_says_anything(_, exchange):
            exchange.reset()

        def in_the_stream(_, exchange):
            exchange.begin_stream()
            exchange.raw(b'data: {"jsonrpc":"2.0","id"')
            exchange.reset()

        def in_the_body(_, exchange):
            exchange._handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
            exchange._handler.wfile.flush()
            exchange.reset()

        for dies in (before_it_says_anything, in_the_stream, in_the_body):
            self.assertEqual(self.failing_call(dies), "the tool's server broke off", dies)

    def test_a_stream_that_ends_without_an_answer(self):
        def only_a_comment(_, exchange):
            exchange.begin_stream()
            exchange.raw(b": bye\n\n")

        def wrong_ids(_, exchange):
            exchange.begin_stream()
            exchange.event({"jsonrpc": "2.0", "id": 12345, "result": text_result("not yours")})

        for ends in (only_a_comment, wrong_ids, lambda _, exchange: exchange.accepted()):
            self.assertEqual(self.failing_call(ends), "the tool's server broke off")

    def test_bad_json(self):
        unreadable = "the tool's server answered with something that can't be read"

        def in_a_stream(_, exchange):
            exchange.begin_stream()
            exchange.raw(b'data: {"jsonrpc":"2.0","id":1,"result":{]}\n\n')

        for bad in (lambda _, exchange: exchange.body(b'{"jsonrpc":"2.0","id":1,"result":'),
                    lambda _, exchange: exchange.body(b"<html>hello</html>", content_type="text/html"),
                    lambda _, exchange: exchange.body(b"\xff\xfe\x00"), in_a_stream):
            self.assertEqual(self.failing_call(bad), unreadable)

    def test_more_than_anybody_can_use(self):
        def huge_body(_, exchange):
            exchange.result(text_result("x" * (17 << 20)))

        def huge_event(_, exchange):
            exchange.begin_stream()
            exchange.answer_event(text_result("x" * (17 << 20)))

        for huge in (huge_body, huge_event):
            self.assertEqual(self.failing_call(huge), "the tool's server answered with something that can't be read")

    def test_broken_http(self):
        def not_http(_, exchange):
            exchange._handler.wfile.write(b"hello?\r\n\r\n")
            exchange.close_later()

        self.assertIn("tool's server", self.failing_call(not_http))

    def test_a_status_that_says_no(self):
        for status in (500, 503, 429):
            text = self.failing_call(lambda _, exchange: exchange.body(b"no", status))
            self.assertEqual(text, "the tool's server refuses to work")

    def test_a_kept_connection_that_was_closed_meanwhile_is_not_used(self):
        class Closing(LegacyServer):
            def answer(self, exchange):
                super().answer(exchange)
                exchange.close_later()

        server = self.serve(Closing())
        session = self.session("http", server.url)
        # The handshake's requests follow each other too closely for anybody to see that one was the last.
        self.assert_eventually(lambda: session.call("echo", {"text": "first"})["text"] == "first")
        self.assert_eventually(lambda: server.open_connections == 0)
        before = len(server.seen_calls())
        for number in range(5):
            self.assertEqual(session.call("echo", {"text": str(number)})["text"], str(number))
            self.assert_eventually(lambda: server.open_connections == 0)
        self.assertEqual(len(server.seen_calls()) - before, 5)


class AbsentTest(McpTest):
    """The error names the entry, the place, and what to do about it."""

    def error_of(self, url, **options):
        error = self.session("http", url, **options).list()["error"]
        self.assertIn("tools.under_test: the MCP server at http://", error)
        return error

    def error_from(self, answer):
        class Answering(HttpImposter):
            def answer(self, exchange):
                answer(exchange)

        return self.error_of(self.serve(Answering()).url)

    def test_nobody_is_there(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        url = f"http://127.0.0.1:{port}/mcp"
        session = self.session("http", url)
        error = session.list()["error"]
        self.assertIn(f"the MCP server at {url} can't be reached", error)
        self.assertIn("Connection refused", error)
        self.assertIn("is it running", error)
        self.assertEqual(session.call("echo")["text"], "the tool can't be reached now")

    def test_a_name_that_nobody_knows(self):
        self.assertIn("host name was not found", self.error_of("http://mcp.invalid/mcp"))

    def test_a_url_that_is_none(self):
        bad = Session("http", "ftp://127.0.0.1/mcp")
        self.assertIn("tools.under_test: this is not a URL", bad.wait(None)["error"])
        self.assertEqual(bad.close(), 1)

    def test_credentials_that_are_wrong(self):
        for status in (401, 403):
            self.assertIn(f"refuses our credentials (HTTP {status}): check `headers`",
                          self.error_from(lambda exchange: exchange.body(b"", status)))

    def test_a_redirect_is_not_followed(self):
        seen = []

        def redirect(exchange):
            seen.append(exchange)
            exchange.body(b"", 307, Location=f"http://{exchange.headers['Host']}/elsewhere")

        self.assertIn("redirects to another address (HTTP 307)", self.error_from(redirect))
        self.assertTrue(all(exchange._handler.path == "/mcp" for exchange in seen))

    def test_something_else_is_there(self):
        self.assertIn("answers with HTTP 404, not with MCP: check the URL",
                      self.error_from(lambda exchange: exchange.body(b"<h1>Not Found</h1>", 404)))
        self.assertIn("not JSON-RPC", self.error_from(lambda exchange: exchange.body(b"<h1>Hello</h1>")))
        self.assertIn("fails with HTTP 502", self.error_from(lambda exchange: exchange.body(b"", 502)))

    def test_a_server_without_tools(self):
        class Toolless(LegacyServer):
            def on_tools_list(self, exchange):
                exchange.error(-32601, "Method not found")

        self.assertIn("offers no tools", self.error_of(self.serve(Toolless()).url))

    def test_a_version_that_nobody_knows(self):
        class Future(LegacyServer):
            def on_initialize(self, exchange):
                exchange.result({"protocolVersion": "2031-01-01", "capabilities": {}})

        self.assertIn("speaks MCP '2031-01-01'", self.error_of(self.serve(Future()).url))

    def test_it_is_asked_again_when_it_has_come_back(self):
        class Late(LegacyServer):
            def answer(self, exchange):
                if len(self.seen) < 4:
                    exchange.body(b"", 503)
                else:
                    super().answer(exchange)

        session = self.session("http", self.serve(Late()).url)
        self.assertIn("error", session.list())
        self.assert_eventually(lambda: session.names() == ["echo"])


class HeaderTest(McpTest):
    def test_every_request_carries_what_the_config_says(self):
        server = self.serve(LegacyServer())
        session = self.session("http", server.url, variables={"Authorization": "Bearer sesame", "X-Team": "blue"})
        session.list()
        session.call("echo", {"text": "x"})
        for exchange in server.seen:
            self.assertEqual(exchange.headers["Authorization"], "Bearer sesame")
            self.assertEqual(exchange.headers["X-Team"], "blue")
        self.assertNotIn("sesame", str(session.log))

    def test_the_query_is_part_of_the_address_and_of_no_message(self):
        class Answering(HttpImposter):
            def answer(self, exchange):
                exchange.body(b"", 404)

        server = self.serve(Answering())
        error = self.session("http", f"{server.url}?key=sesame").list()["error"]
        self.assertEqual(server.seen[0]._handler.path, "/mcp?key=sesame")
        self.assertNotIn("sesame", error)


if __name__ == "__main__":
    unittest.main()
