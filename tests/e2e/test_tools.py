"""Tools that the gateway runs, several rounds deep, inside one answer."""

import json
import time

from client import chat_bytes, get
from frames import finish_of, frames_of, text_of
from pace import NOTICED, scaled
from stalls import undisturbed
from tools_test import CLIENT_TOOL, SlowTool, ToolsTest, call, calls, says


class Rounds(ToolsTest):
    def test_the_default_dialect_shows_one_plain_answer(self):
        self.upstream.play(calls(call("calculator", '{"expression":"6*7"}'), text="let me see"), says("42"))
        frames = frames_of(self.stream(stream_options={"include_usage": True}).body)
        self.assertEqual(text_of(frames), "let me see42")
        self.assertEqual(finish_of(frames), "stop")
        usage = [frame["usage"] for frame in frames if frame.get("usage")]
        self.assertEqual([(u["prompt_tokens"], u["completion_tokens"]) for u in usage], [(55, 10)])
        self.assertEqual(len({frame["id"] for frame in frames}), 1)
        second = self.upstream.requests[1].json()["messages"]
        self.assertEqual([message["role"] for message in second], ["user", "assistant", "tool"])
        self.assertEqual(second[1]["tool_calls"][0]["function"]["name"], "calculator")
        self.assertEqual(json.loads(second[2]["content"]), 42)

    def test_the_other_dialects_tell_of_each_step_in_order(self):
        for dialect, expected in (
                ("timeline", ["let me see", "Created", "Running", "Completed", "42"]),
                ("agent", ["agent_text", "tool_start", "tool_trace", "42"]),
                ("agent-raw", ["agent_text", "tool_start", "tool_trace", "42"])):
            with self.subTest(dialect):
                self.upstream.play(calls(call("calculator", '{"expression":"6*7"}'), text="let me see"), says("42"))
                steps = []
                for frame in self.plain_frames(self.stream(dialect)):
                    if "servertool" in frame:
                        steps.append(frame["servertool"]["state"])
                    elif "type" in frame:
                        steps.append(frame["type"])
                    elif frame["choices"][0]["delta"].get("content"):
                        steps.append(frame["choices"][0]["delta"]["content"])
                self.assertEqual(steps, expected)

    def test_not_streamed(self):
        self.upstream.play(
            lambda exchange: exchange.reply(200, json.dumps({"choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
                "role": "assistant", "content": None, "tool_calls": [call("calculator", '{"expression":"6*7"}')]}}],
                "usage": {"prompt_tokens": 20, "completion_tokens": 6, "total_tokens": 26}}).encode()),
            lambda exchange: exchange.reply(200, exchange.wire.whole("42", usage=(35, 4))))
        answer = self.ask(model="op", stream=False).json()
        self.assertEqual(answer["choices"][0]["message"]["content"], "42")
        self.assertEqual(answer["choices"][0]["finish_reason"], "stop")
        self.assertEqual(answer["usage"]["total_tokens"], 65)

    def test_a_model_that_always_calls_must_answer_in_the_end(self):
        self.upstream.play(*[calls(call("calculator", '{"expression":"1"}'))] * 3, says("enough"))
        frames = frames_of(self.stream().body)
        self.assertEqual(text_of(frames), "enough")
        self.assertEqual(len(self.upstream.requests), 4)
        self.assertEqual(self.upstream.requests[3].json()["tool_choice"], "none")

    def test_one_that_goes_on_calling_all_the_same_is_not_run_for_ever(self):
        self.upstream.play(*[calls(call("calculator", '{"expression":"1"}'))] * 6)
        self.assertEqual(finish_of(frames_of(self.stream().body)), "stop")
        self.assertEqual(len(self.upstream.requests), 4)

    def test_a_tool_that_takes_too_long_is_a_result_that_says_so(self):
        self.upstream.play(calls(call("hasty", '{"seconds":5}')), says("oh"))
        response = self.stream(model="local/m", builtin_tools={"tools": ["hasty"]})
        self.assertEqual(text_of(self.plain_frames(response)), "oh")
        self.assertIn("no answer within 200ms", self.upstream.requests[1].json()["messages"][-1]["content"])

    def test_what_goes_wrong_is_told_to_the_model(self):
        self.upstream.play(calls(call("calculator", '{"expression":"1/"}'), call("nap", "not JSON", 2)), says("oh"))
        self.assertEqual(text_of(frames_of(self.stream().body)), "oh")
        results = [message["content"] for message in self.upstream.requests[1].json()["messages"]
                   if message["role"] == "tool"]
        self.assertEqual(len(results), 2)
        self.assertIn("not a JSON object", results[1])


class Hidden(ToolsTest):
    models = {"shy": {"targets": ["local/m"], "tools": ["calculator"], "hidden_tools": {"chat": ["calculator"]}},
              "shy-elsewhere": {"targets": ["local/m"], "tools": ["calculator"], "hidden_tools": {"messages": ["*"]}}}

    def told(self, model, dialect):
        self.upstream.play(calls(call("calculator", '{"expression":"6*7"}'), text="let me see"), says("42"))
        body = self.stream(dialect, model, tool_events="comment").body.decode()
        self.assertIn("let me see", body)
        self.assertIn('"content":"42"', body)
        return body

    def test_no_dialect_shows_a_tool_that_its_api_is_not_to_see(self):
        for dialect in ("openai", "timeline", "agent", "agent-raw"):
            with self.subTest(dialect):
                self.assertIn("calculator", self.told("shy-elsewhere", dialect))
                self.assertNotIn("calculator", self.told("shy", dialect))


class SideBySide(ToolsTest):
    ping = "100ms"

    def test_calls_of_one_round_run_side_by_side(self):
        self.upstream.play(calls(*[call("nap", '{"seconds":0.3}', number) for number in (1, 2, 3)]), says("rested"))
        SlowTool.meeting = 3
        response = self.stream()
        self.assertEqual(text_of(frames_of(response.body.replace(b": ping\n\n", b""))), "rested")
        self.assertEqual(len(SlowTool.asked), 3)
        self.assertIn(b": ping\n\n", response.body)
        results = [message for message in self.upstream.requests[1].json()["messages"] if message["role"] == "tool"]
        self.assertEqual([result["tool_call_id"] for result in results], ["call_1", "call_2", "call_3"])


class MixedTurns(ToolsTest):
    def test_the_clients_calls_end_the_answer_and_the_others_come_back_with_them(self):
        self.upstream.play(calls(call("calculator", '{"expression":"6*7"}'), call("theirs", "{}", 2)))
        frames = frames_of(self.stream(tools=[CLIENT_TOOL]).body)
        self.assertEqual(finish_of(frames), "tool_calls")
        shown = [made for frame in frames for choice in frame["choices"]
                 for made in choice["delta"].get("tool_calls", [])]
        self.assertEqual([made["index"] for made in shown if "id" in made], [0])
        self.assertEqual({made["id"] for made in shown if "id" in made}, {"call_2"})

        self.upstream.play(says("42"))
        history = [{"role": "user", "content": "Hi"},
                   {"role": "assistant", "content": None, "tool_calls": [
                       {"id": "call_2", "type": "function", "function": {"name": "theirs", "arguments": "{}"}}]},
                   {"role": "tool", "tool_call_id": "call_2", "content": "mine"}]
        self.stream(messages=history, tools=[CLIENT_TOOL])
        messages = self.upstream.requests[-1].json()["messages"]
        made = [one["id"] for one in messages[1]["tool_calls"]]
        self.assertEqual(sorted(made), ["call_1", "call_2"])
        self.assertEqual(sorted(message["tool_call_id"] for message in messages[2:]), ["call_1", "call_2"])

    def test_one_name_on_both_sides_is_refused(self):
        tool = {"type": "function", "function": {"name": "calculator", "parameters": {"type": "object"}}}
        response = self.ask(model="op", stream=True, tools=[tool])
        self.assert_error(response, 400, "tool_schema_invalid", param="tools[0].function.name")
        self.assertEqual(self.upstream.requests, [])


class WhatHappensMeanwhile(ToolsTest):
    def test_a_client_that_leaves_takes_the_tool_with_it(self):
        for stream in (True, False):
            with self.subTest(stream=stream):
                self.setUp()
                turn = calls(call("nap", '{"seconds":5}'))
                whole = json.dumps({"choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
                    "role": "assistant", "content": None, "tool_calls": [call("nap", '{"seconds":5}')]}}]}).encode()
                self.upstream.play(turn if stream else lambda exchange: exchange.reply(200, whole))
                client = self.connect()
                client.send(chat_bytes(model="op", stream=stream))
                self.assert_eventually(lambda: SlowTool.asked)
                left = time.monotonic()
                client.close()
                self.assert_eventually(lambda: SlowTool.left)
                self.assertLess(undisturbed(left, SlowTool.left[0]), NOTICED)

    def test_a_requests_own_time_is_for_its_tools_too(self):
        whole = json.dumps({"choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
            "role": "assistant", "content": None, "tool_calls": [call("nap", '{"seconds":10}')]}}]}).encode()
        self.upstream.play(lambda exchange: exchange.reply(200, whole))
        began = time.monotonic()
        response = self.ask(model="op", stream=False, timeout=500)
        self.assert_error(response, 504, "upstream_timeout")
        self.assertLess(undisturbed(began), 0.5 + scaled(0.5))
        self.assertEqual(len(self.upstream.requests), 1)
        self.assert_eventually(lambda: SlowTool.left)

    def test_another_target_answers_the_second_round_only_if_nothing_was_shown(self):
        def refuses(exchange):
            exchange.reply(404, exchange.wire.error("no such model"))

        for dialect, served in (("openai", True), ("agent", False)):
            with self.subTest(dialect):
                self.setUp()
                self.upstream.script = lambda exchange: exchange.stream("from the other")
                self.upstream.play(calls(call("calculator", '{"expression":"1"}')), refuses)
                body = self.stream(dialect).body
                self.assertEqual(b"from the other" in body, served)
                self.assertEqual(b'"error"' in body, not served)


class ByHand(ToolsTest):
    """`POST /v1/tools/execute`."""

    def execute(self, body):
        client = self.connect()
        client.request("POST", "/v1/tools/execute", json.dumps(body).encode(), {"Content-Type": "application/json"})
        return client.response()

    def test_tools_are_listed(self):
        tools = get(self.runnel.port, "/v1/tools").json()["tools"]
        self.assertEqual(sorted(tool["name"] for tool in tools), ["calculator", "hasty", "nap", "now"])
        for tool in tools:
            self.assertEqual(set(tool), {"name", "description", "params"})
            self.assertEqual(tool["params"]["type"], "object")

    def test_and_run(self):
        answer = self.execute({"tool": "calculator", "args": {"expression": "6*7"}})
        self.assertEqual((answer.status, answer.json()), (200, {"ok": True, "tool": "calculator", "result": 42}))

    def test_what_is_slow_or_fails_is_an_answer(self):
        for tool, args in (("hasty", {"seconds": 5}), ("calculator", {"expression": "1/"}), ("calculator", {})):
            answer = self.execute({"tool": tool, "args": args})
            self.assertEqual(answer.status, 200, answer.body)
            self.assertEqual((answer.json()["ok"], answer.json()["tool"]), (False, tool))
            self.assertTrue(answer.json()["error"])

    def test_what_is_wrong_with_the_request_is_said(self):
        self.assert_error(self.execute({"tool": "calculater"}), 404, "not_found", param="tool")
        self.assertIn("calculator", self.execute({"tool": "calculater"}).error["message"])
        self.assert_error(self.execute({"args": {}}), 400, "missing_required_field", param="tool")
        self.assert_error(self.execute({"tool": "now", "args": [1]}), 400, "invalid_value", param="args")
