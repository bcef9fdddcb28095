"""What a request may ask of the tools that the gateway runs, and what is told of them: to tools, to clients, to the log."""

import http.server
import json
import sys
import threading
import warnings
from pathlib import Path

from client import get
from frames import error_of, frames_of, text_of
from gateway_test import GatewayTest
from tools_test import CLIENT_TOOL, ToolsTest, call, calls, says

sys.path.append(str(Path(__file__).resolve().parent.parent / "agent"))

from http_imposter import LegacyServer

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import crypt

HOOK_KEY = "a long random key"


def names_in(request):
    return [tool["function"]["name"] for tool in request.json().get("tools", [])]


class BuiltinTools(ToolsTest):
    """`builtin_tools`: a request names the tools that it wants run."""

    def test_a_request_can_have_more_tools_than_its_model(self):
        for model, tools in (("local/m", ["now", "nap"]), ("op", ["calculator", "nap", "now"])):
            with self.subTest(model):
                self.upstream.forget()
                self.upstream.play(calls(call("now")), says("It is late."))
                frames = frames_of(self.stream(model=model, builtin_tools={"tools": ["now", "nap"], "options": {}}).body)
                self.assertEqual(text_of(frames), "It is late.")
                first, second = self.upstream.requests
                self.assertEqual(names_in(first), tools)
                self.assertNotIn("builtin_tools", first.json())
                self.assertIn("weekday", second.json()["messages"][-1]["content"])

    def test_without_them_the_model_has_its_own(self):
        self.stream(model="local/m")
        self.assertEqual(names_in(self.upstream.requests[0]), [])

    def test_a_tool_that_is_not_there_is_refused_with_those_that_are(self):
        response = self.ask(builtin_tools={"tools": ["nwo"]})
        self.assert_error(response, 400, "invalid_value", param="builtin_tools.tools")
        self.assertIn("'nwo'", response.error["message"])
        for name in ("nap", "calculator", "now"):
            self.assertIn(name, response.error["message"])
        self.assertEqual(self.upstream.requests, [])

    def test_one_name_on_both_sides_is_refused(self):
        tool = {"type": "function", "function": {"name": "now", "parameters": {"type": "object"}}}
        response = self.ask(tools=[tool], builtin_tools={"tools": ["now"]})
        self.assert_error(response, 400, "tool_schema_invalid", param="tools[0].function.name")

    def test_they_go_together_with_the_clients(self):
        self.upstream.play(calls(call("now"), call("theirs", "{}", 2)))
        frames = frames_of(self.stream(model="local/m", tools=[CLIENT_TOOL], builtin_tools={"tools": ["now"]}).body)
        self.assertEqual(frames[-1]["choices"][0]["finish_reason"], "tool_calls")

    def test_a_model_that_must_call_a_tool_may_answer_afterwards(self):
        self.upstream.play(calls(call("now")), says("It is late."))
        frames = frames_of(self.stream(model="local/m", tools=[CLIENT_TOOL], tool_choice="required",
                                       builtin_tools={"tools": ["now"]}).body)
        self.assertEqual(text_of(frames), "It is late.")
        self.assertEqual([request.json()["tool_choice"] for request in self.upstream.requests], ["required", "auto"])


class Explanations(ToolsTest):
    """`tool_invocation_explanations`: the model says why it calls a tool."""

    def test_the_model_says_why_and_the_tool_does_not_hear_of_it(self):
        arguments = {"_tool_reason": "they asked", "expression": "6*7", "_tool_goal": "the product"}
        self.upstream.play(calls(call("calculator", json.dumps(arguments))), says("42"))
        frames = self.plain_frames(self.stream("timeline", tool_invocation_explanations=True, servertool_results=True))
        runs = [frame["servertool"] for frame in frames if "servertool" in frame]
        self.assertEqual([run["state"] for run in runs], ["Created", "Running", "Completed"])
        for run in runs:
            self.assertEqual(run["explanation"], {"reason": "they asked", "goal": "the product"})
            self.assertEqual(json.loads(run["contents"]), {"expression": "6*7"})
        self.assertEqual(runs[-1]["result"], 42)
        for tool in self.upstream.requests[0].json()["tools"]:
            parameters = tool["function"]["parameters"]
            self.assertEqual(list(parameters["properties"])[:2], ["_tool_reason", "_tool_goal"])
            self.assertEqual(parameters["required"][:2], ["_tool_reason", "_tool_goal"])

    def test_nothing_of_it_where_nobody_asked(self):
        self.upstream.play(calls(call("calculator", '{"expression":"6*7"}')), says("42"))
        frames = self.plain_frames(self.stream("timeline"))
        self.assertNotIn("explanation", json.dumps(frames))
        self.assertNotIn("_tool_reason", self.upstream.requests[0].body.decode())

    def test_a_model_may_leave_it_out(self):
        self.upstream.play(calls(call("calculator", '{"expression":"6*7"}')), says("42"))
        frames = self.plain_frames(self.stream("timeline", tool_invocation_explanations=True))
        self.assertEqual([frame["servertool"]["state"] for frame in frames if "servertool" in frame],
                         ["Created", "Running", "Completed"])


class Callback(http.server.BaseHTTPRequestHandler):
    seen = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        Callback.seen.append((dict(self.headers), json.loads(body)))
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"1.50 ")

    def log_message(self, *_):
        pass


class WhoAsks(ToolsTest):
    """Those who are asked can tell by whom, and for whom."""

    @classmethod
    def setUpClass(cls):
        hook = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Callback)
        threading.Thread(target=hook.serve_forever, daemon=True).start()
        cls.addClassCleanup(hook.server_close)
        cls.addClassCleanup(hook.shutdown)
        cls.mcp = LegacyServer()
        cls.addClassCleanup(cls.mcp.close)
        cls.tools = {"stock": {"http": {"url": f"http://127.0.0.1:{hook.server_address[1]}/hook", "callback": True,
                                        "parameters": {"properties": {"symbol": {"type": "string"}}}},
                               "hook_key": HOOK_KEY},
                     "chain": {"mcp": cls.mcp.url, "hook_key": HOOK_KEY}}
        cls.models = {"op2": {"targets": ["local/m"], "tools": ["stock", "chain"]}}
        super().setUpClass()

    def assert_fits(self, nonce):
        self.assertTrue(nonce.startswith("$2b$"), nonce)
        self.assertEqual(crypt.crypt(HOOK_KEY, nonce), nonce)

    def test_a_callback(self):
        Callback.seen.clear()
        made = [call("stock", '{"symbol":"X"}', number) for number in (1, 2)]
        self.upstream.play(calls(*made), says("1.50"))
        self.stream(model="op2", user="ann", metadata={"team": "blue"})
        self.assertEqual(len(Callback.seen), 2)
        nonces = [headers["X-Request-Nonce"] for headers, _ in Callback.seen]
        self.assertNotEqual(*nonces)
        for nonce in nonces:
            self.assert_fits(nonce)
        body = Callback.seen[0][1]
        self.assertEqual(body["type"], "tool_call")
        self.assertEqual(body["function"], {"name": "stock", "content": {"symbol": "X"}})
        moment = body["context"].pop("moment")
        self.assertRegex(moment, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertEqual(body["context"], {"externalUserId": "ann", "metadata": {"team": "blue"},
                                           "callSource": "inference", "conversationToken": None})
        self.assertEqual(self.upstream.requests[1].json()["messages"][-1]["content"], "1.50 ")

    def test_an_mcp_server(self):
        self.upstream.play(calls(call("echo", '{"text":"hi"}')), says("hi"))
        self.stream(model="op2", user="ann")
        made = [exchange.params for exchange in self.mcp.seen if exchange.method == "tools/call"]
        self.assertEqual(len(made), 1)
        self.assert_fits(made[0]["_meta"]["_aiv_nonce"])
        self.assertEqual(made[0]["_meta"]["user"], "ann")


class NotThere(GatewayTest):
    """Bad input: what is wrong is named, at the start or on the request."""
    config = {"tools": {"gone": {"mcp": "http://127.0.0.1:9/mcp"},
                        "missing": {"mcp": {"command": "no-such-program-here"}}},
              "models": {"a": {"targets": ["local/m"], "tools": ["gone"]},
                         "b": {"targets": ["local/m"], "tools": ["missing", "now"]},
                         "c": {"targets": ["local/m"], "tools": ["now"]}}}

    def test_the_gateway_starts_and_warns(self):
        for name, cause in (("gone", "http://127.0.0.1:9/mcp"), ("missing", "no-such-program-here")):
            with self.subTest(name):
                def warnings_of(tool=name):
                    lines = [json.loads(line) for line in self.runnel.log().splitlines() if line.startswith("{")]
                    return [line for line in lines if line.get("tools") == tool and line["level"] == "warning"]
                self.assert_eventually(warnings_of)
                warning = warnings_of()[0]
                self.assertIn(cause, warning["message"])
                self.assertIn(f"tools.{name}", warning["cure"])

    def test_a_request_that_needs_it_is_told(self):
        for model, tool in (("a", "gone"), ("b", "missing")):
            for stream in (True, False):
                with self.subTest(tool, stream=stream):
                    response = self.ask(model=model, stream=stream)
                    self.assert_error(response, 503, "model_unavailable")
                    self.assertIn(f"'{tool}'", response.error["message"])
                    self.assertNotIn("127.0.0.1", response.error["message"])
                    self.assertIn("retry-after", response.headers)
        self.assertEqual(self.upstream.requests, [])

    def test_others_are_not_touched(self):
        self.assertEqual(self.ask(model="c").status, 200)
        tools = get(self.runnel.port, "/v1/tools").json()["tools"]
        self.assertEqual(sorted(tool["name"] for tool in tools), ["calculator", "now"])


class FailoverScope(ToolsTest):
    """`failover_scope`: whether another target may go on where one has begun with its tools."""
    models = {"loose": {"targets": ["local/m", "llama/m"], "tools": ["calculator"], "failover_scope": "round"}}

    @staticmethod
    def refuses(exchange):
        exchange.reply(404, exchange.wire.error("no such model"))

    @staticmethod
    def breaks_off(exchange):
        """In the middle of a call that nobody sees."""
        exchange.head()
        exchange.body(exchange.wire._chunk({"tool_calls": [call("calculator", '{"expre')]}))
        exchange.fin()

    @staticmethod
    def breaks_off_in_text(exchange):
        exchange.head()
        exchange.delta("It is")
        exchange.fin()

    def test_a_round_of_which_nothing_was_shown_may_be_asked_of_another(self):
        for dialect in ("openai", "timeline", "agent"):
            for fails in (self.refuses, self.breaks_off):
                with self.subTest(dialect, fails=fails.__name__):
                    self.setUp()
                    self.upstream.play(calls(call("calculator", '{"expression":"1"}'), text="let me see"))

                    def script(exchange, fails=fails):
                        other = "/api/chat" in exchange.request.target
                        exchange.stream("from the other") if other else fails(exchange)

                    self.upstream.script = script
                    frames = self.plain_frames(self.stream(dialect, model="loose"))
                    self.assertIn("from the other", text_of(frames))
                    self.assertIsNone(error_of(frames))

    def test_what_was_shown_is_not_said_again(self):
        self.upstream.play(calls(call("calculator", '{"expression":"1"}'), text="let me see "), self.breaks_off_in_text)
        frames = self.plain_frames(self.stream(model="loose"))
        self.assertEqual(text_of(frames), "let me see It is")
        self.assertIsNotNone(error_of(frames))

    def test_by_default_the_stream_stays_where_it_began(self):
        self.upstream.play(calls(call("calculator", '{"expression":"1"}'), text="let me see"), self.refuses)
        frames = self.plain_frames(self.stream())
        self.assertIsNotNone(error_of(frames))


class Log(ToolsTest):
    def test_rounds_and_tools_are_counted(self):
        self.upstream.play(calls(call("calculator", '{"expression":"MARKER"}'), call("calculator", '{"expression":"1"}', 2)),
                           calls(call("calculator", '{"expression":"1"}')), says("2"))
        self.ask(model="op", headers={"X-Request-ID": "log-tools"})
        self.assert_eventually(lambda: self.runnel.log_of("log-tools"))
        line = self.runnel.log_of("log-tools")[0]
        self.assertEqual((line["rounds"], line["tools"]), (3, 3))
        self.assertEqual(len(line["tools_failed"]), 1)
        self.assertIn("calculator", line["tools_failed"][0])
        self.assertNotIn("MARKER", json.dumps(line))
        self.assertEqual((line["input_tokens"], line["output_tokens"]), (75, 16))

    def test_tokens_of_rounds_before_a_failure_count(self):
        self.upstream.play(calls(call("calculator", '{"expression":"1"}'), text="let me see"))
        self.upstream.script = lambda exchange: exchange.reply(400, exchange.wire.error("no"))
        self.ask(model="op", headers={"X-Request-ID": "log-failed"})
        self.assert_eventually(lambda: self.runnel.log_of("log-failed"))
        line = self.runnel.log_of("log-failed")[0]
        self.assertEqual((line["rounds"], line["tools"], line["input_tokens"]), (2, 1, 20))
