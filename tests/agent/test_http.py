"""Streamable HTTP: both eras, sessions, streams, lists of tools."""

import threading
import unittest

from http_imposter import ECHO, HttpImposter, LegacyServer, ModernServer, text_result
from mcp_test import McpTest
from pace import NOTICED


class EraTest(McpTest):
    def test_a_legacy_server_is_greeted_and_every_request_names_session_and_version(self):
        server = self.serve(LegacyServer())
        session = self.session("http", server.url)
        self.assertEqual(session.names(), ["echo"])
        self.assertEqual(session.call("echo", {"text": "hi"}), {"ok": True, "text": "hi", "result": "hi"})
        self.assertEqual(server.seen_methods(), ["server/discover", "initialize", "notifications/initialized",
                                                 "tools/list", "tools/call"])
        for exchange in server.seen[2:]:
            self.assertEqual(exchange.headers["Mcp-Session-Id"], server.sessions[0])
            self.assertEqual(exchange.headers["MCP-Protocol-Version"], "2025-06-18")
        for exchange in server.seen:
            self.assertEqual(exchange.headers["Accept"], "application/json, text/event-stream")
            self.assertEqual(exchange.headers["Content-Type"], "application/json")

    def test_a_modern_server_is_asked_at_once_with_version_and_capabilities_in_every_request(self):
        server = self.serve(ModernServer())
        session = self.session("http", server.url)
        self.assertEqual(session.names(), ["echo"])
        self.assertEqual(session.call("echo", {"text": "hi"})["text"], "hi")
        self.assertEqual(server.seen_methods(), ["server/discover", "tools/list", "tools/call"])
        for exchange in server.seen:
            self.assertEqual(exchange.params["_meta"]["io.modelcontextprotocol/clientCapabilities"], {})
            self.assertNotIn("Mcp-Session-Id", exchange.headers)
        self.assertEqual(server.seen[-1].headers["Mcp-Name"], "echo")

    def test_a_modern_server_repeats_marked_parameters_in_the_header(self):
        server = self.serve(ModernServer())
        schema = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}
        server.tools = [{"name": "query", "inputSchema": schema},
                        {"name": "bad", "inputSchema": {"type": "object", "items": {"x-mcp-header": "X"}}}]
        session = self.session("http", server.url)
        self.assertEqual(session.names(), ["query"])
        session.call("query", {"region": "Ägypten"})
        self.assertEqual(server.seen[-1].headers["Mcp-Param-Region"], "=?base64?w4RneXB0ZW4=?=")
        self.assert_eventually(lambda: any("'bad' is left out" in warning for warning in session.warnings()))

    def test_a_server_that_knows_tools_and_nothing_else_is_taken_for_a_modern_one(self):
        server = self.serve(HttpImposter())
        session = self.session("http", server.url)
        self.assertEqual(session.names(), ["echo"])
        self.assertIn("_meta", server.seen[-1].params)

    def test_a_server_without_sessions_needs_none(self):
        class Sessionless(HttpImposter):
            def on_initialize(self, exchange):
                exchange.result({"protocolVersion": "2025-03-26", "capabilities": {"tools": {}}})

        server = self.serve(Sessionless())
        session = self.session("http", server.url)
        self.assertEqual(session.call("echo", {"text": "hi"})["text"], "hi")
        self.assertNotIn("Mcp-Session-Id", server.seen[-1].headers)
        self.assertEqual(server.seen[-1].headers["MCP-Protocol-Version"], "2025-03-26")

    def test_a_server_that_never_answers_the_first_question_is_greeted_all_the_same(self):
        class Deaf(LegacyServer):
            def answer(self, exchange):
                if exchange.method == "server/discover":
                    self.released.wait(30)
                super().answer(exchange)

        session = self.session("http", self.serve(Deaf()).url)
        self.assertEqual(session.names(), ["echo"])


class StreamTest(McpTest):
    def test_an_answer_comes_after_progress_and_answers_to_others(self):
        class Streaming(LegacyServer):
            def on_tools_call(self, exchange):
                token = exchange.params["_meta"]["progressToken"]
                exchange.begin_stream()
                exchange.raw(b": hello\n\nid: 1\ndata:\n\n")
                exchange.event({"jsonrpc": "2.0", "method": "notifications/progress",
                                "params": {"progressToken": token, "progress": 1}})
                exchange.event({"jsonrpc": "2.0", "id": 999, "result": text_result("somebody else's")})
                exchange.event({"jsonrpc": "2.0", "id": "x", "result": text_result("nobody's")})
                exchange.answer_event(text_result("mine"))

        session = self.session("http", self.serve(Streaming()).url)
        self.assertEqual(session.call("echo", {"text": ""})["text"], "mine")

    def test_what_the_server_asks_in_a_stream_is_answered(self):
        class Asking(LegacyServer):
            answered = threading.Semaphore(0)

            def on_answer(self, exchange):
                exchange.accepted()
                self.answered.release()

            def on_tools_call(self, exchange):
                exchange.begin_stream()
                for number, method in enumerate(["ping", "roots/list", "sampling/createMessage"]):
                    exchange.event({"jsonrpc": "2.0", "id": f"s{number}", "method": method, "params": {}})
                    self.answered.acquire(timeout=10)
                exchange.answer_event(text_result("done"))

        server = self.serve(Asking())
        session = self.session("http", server.url)
        self.assertEqual(session.call("echo")["text"], "done")
        answers = {one.id: one.message for one in server.seen if not one.method}
        self.assertEqual(answers["s0"]["result"], {})
        self.assertEqual(answers["s1"]["result"], {"roots": []})
        self.assertEqual(answers["s2"]["error"]["code"], -32601)

    def test_calls_run_side_by_side(self):
        class Meeting(LegacyServer):
            together = threading.Barrier(3)

            def on_tools_call(self, exchange):
                self.together.wait(10)
                super().on_tools_call(exchange)

        session = self.session("http", self.serve(Meeting()).url)
        tags = [session.begin_call("echo", {"text": str(number)}) for number in range(3)]
        self.assertEqual([session.wait(tag)["text"] for tag in tags], ["0", "1", "2"])


class ListTest(McpTest):
    def test_all_pages_are_read_and_remembered(self):
        class Paged(ModernServer):
            def on_tools_list(self, exchange):
                page = int(exchange.params.get("cursor", "0"))
                more = {"nextCursor": str(page + 1)} if page < 2 else {}
                exchange.result({"tools": [{**ECHO, "name": f"tool{page}"}], **more})

        server = self.serve(Paged())
        session = self.session("http", server.url)
        for _ in range(2):
            self.assertEqual(session.names(), ["tool0", "tool1", "tool2"])
        self.assertEqual(server.seen_methods().count("tools/list"), 3)

    def test_many_who_ask_at_once_cause_one_question(self):
        server = self.serve(LegacyServer())
        session = self.session("http", server.url)
        for tag in [session.begin_list() for _ in range(10)]:
            self.assertEqual(len(session.wait(tag)["tools"]), 1)
        self.assertEqual(server.seen_methods().count("tools/list"), 1)
        self.assertEqual(server.seen_methods().count("initialize"), 1)

    def change(self, server, notify):
        session = self.session("http", server.url)
        self.assertEqual(session.names(), ["echo"])
        self.assert_eventually(lambda: server.stream)
        server.tools = [ECHO, {**ECHO, "name": "new"}]
        server.stream.event({"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": notify})
        self.assert_eventually(lambda: session.names() == ["echo", "new"])
        open_before = len(session.connections())
        session.drop()
        self.assert_within(NOTICED, lambda: len(session.connections()) < open_before)

    def test_a_legacy_server_tells_of_changes_on_a_stream_of_its_own(self):
        class Telling(LegacyServer):
            capabilities = {"tools": {"listChanged": True}}
            stream = None

            def on_get(self, exchange):
                exchange.begin_stream()
                exchange.raw(b": here\n\n")
                self.stream = exchange
                self.released.wait(30)

        self.change(self.serve(Telling()), {})

    def test_a_modern_server_tells_of_changes_to_who_subscribed(self):
        class Telling(ModernServer):
            capabilities = {"tools": {"listChanged": True}}
            stream = None

            def on_subscriptions_listen(self, exchange):
                assert exchange.params["notifications"] == {"toolsListChanged": True}
                exchange.begin_stream()
                exchange.event({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": {}})
                self.stream = exchange
                self.released.wait(30)

        self.change(self.serve(Telling()), {"_meta": {"io.modelcontextprotocol/subscriptionId": 2}})

    def test_only_what_is_allowed_can_be_seen_or_called(self):
        server = self.serve(LegacyServer())
        server.tools = [ECHO, {**ECHO, "name": "danger"}]
        session = self.session("http", server.url, allow=["echo"])
        self.assertEqual(session.names(), ["echo"])
        answer = session.call("danger")
        self.assertFalse(answer["ok"])
        self.assertIn("no tool named 'danger'", answer["text"])
        self.assertEqual(server.seen_calls(), [])

    def test_a_schema_that_is_no_object_is_left_out_and_named_in_the_log(self):
        server = self.serve(LegacyServer())
        server.tools = [{"name": "odd", "inputSchema": {"type": "string"}}, ECHO]
        session = self.session("http", server.url)
        self.assertEqual(session.names(), ["echo"])
        self.assert_eventually(lambda: any("'odd' is left out" in warning for warning in session.warnings()))

    def test_names_that_models_cannot_take_are_mapped_and_mapped_back(self):
        server = self.serve(LegacyServer())
        server.tools = [{**ECHO, "name": "admin.tools/list"}]
        session = self.session("http", server.url)
        self.assertEqual(session.names(), ["admin_tools_list"])
        self.assertTrue(session.call("admin_tools_list", {"text": "x"})["ok"])
        self.assertEqual(server.seen_calls()[0].params["name"], "admin.tools/list")

    def test_an_old_list_serves_while_there_is_no_new_one(self):
        class Moody(ModernServer):
            def on_tools_list(self, exchange):
                if len(self.seen) > 2:
                    exchange.body(b"down", 503)
                else:
                    exchange.result({"tools": [ECHO], "ttlMs": 1})

        session = self.session("http", self.serve(Moody()).url)
        self.assert_eventually(lambda: session.names() == ["echo"]
                               and any("HTTP 503" in warning for warning in session.warnings()))
        self.assertEqual(session.names(), ["echo"])


class ResultTest(McpTest):
    def result_of(self, result, **options):
        class Giving(LegacyServer):
            def on_tools_call(self, exchange):
                exchange.result(result)

        return self.session("http", self.serve(Giving()).url, **options).call("echo")

    def test_structured_content_is_the_result(self):
        answer = self.result_of(text_result("5.6 ETH", structuredContent={"eth": "5.6"}))
        self.assertEqual(answer, {"ok": True, "text": "5.6 ETH", "result": {"eth": "5.6"}})

    def test_a_failure_is_in_the_tools_own_words(self):
        answer = self.result_of(text_result("no such file", isError=True))
        self.assertEqual(answer, {"ok": False, "text": "no such file", "result": "no such file"})

    def test_a_huge_result_is_cut(self):
        answer = self.result_of(text_result("ä" * 500_000), result_bytes=10_000)
        self.assertTrue(answer["ok"])
        self.assertLessEqual(len(answer["text"].encode()), 10_000)
        self.assertIn("[cut here: there is more]", answer["text"])

    def test_an_error_of_the_protocol_is_a_result_too(self):
        class Refusing(LegacyServer):
            def on_tools_call(self, exchange):
                exchange.error(-32602, "Unknown tool: echo")

        answer = self.session("http", self.serve(Refusing()).url).call("echo")
        self.assertFalse(answer["ok"])
        self.assertEqual(answer["text"], "the tool failed: Unknown tool: echo")

    def test_arguments_that_are_no_object_are_not_sent(self):
        server = self.serve(LegacyServer())
        session = self.session("http", server.url)
        session.list()
        for arguments in ("[1]", "{broken", ""):
            self.assertEqual(session.call("echo", arguments)["text"], "the arguments are not a JSON object")
        self.assertEqual(server.seen_calls(), [])


if __name__ == "__main__":
    unittest.main()
