"""Who chooses a stream's dialect, and what each looks like over a socket."""

import json
import time

from client import chat_bytes
from fake_upstream import InStep
from frames import partial_frames, text_of
from gateway_test import GatewayTest
from pace import scaled

NAMES = ("openai", "timeline", "agent", "agent-raw")


class Dialects(GatewayTest):
    @classmethod
    def setUpClass(cls):
        cls.config = {"dialect": "timeline", "models": {"operator": {"targets": ["local/tiny"], "dialect": "agent"}}}
        super().setUpClass()

    def dialect_of(self, **request):
        response = self.ask(**request)
        self.assertEqual(response.status, 200, response.body)
        return response.headers["x-stream-dialect"]

    def test_header_body_model_and_server_choose_in_this_order(self):
        header = {"X-Stream-Dialect": "openai"}
        self.assertEqual(self.dialect_of(), "timeline")
        self.assertEqual(self.dialect_of(model="operator"), "agent")
        self.assertEqual(self.dialect_of(model="operator", stream_dialect="agent-raw"), "agent-raw")
        self.assertEqual(self.dialect_of(model="operator", stream_dialect="agent-raw", headers=header), "openai")

    def test_an_unknown_one_is_refused_before_anybody_is_asked(self):
        response = self.ask(headers={"X-Stream-Dialect": "foo"})
        self.assert_error(response, 400, "invalid_stream_dialect", param="X-Stream-Dialect")
        for name in NAMES:
            self.assertIn(name, response.error["message"])
        self.assertEqual(self.upstream.requests, [])

    def test_what_is_asked_of_the_gateway_does_not_go_upstream(self):
        self.ask(stream_dialect="agent", tool_events="comment", servertool_results=True, hold="round")
        sent = self.upstream.requests[-1].json()
        for field in ("stream_dialect", "tool_events", "servertool_results", "hold"):
            self.assertNotIn(field, sent)

    def test_each_tells_the_same_answer(self):
        for name in NAMES:
            with self.subTest(name):
                frames = self.frames(stream_dialect=name)
                self.assertEqual(text_of(frames), "Hello")
                self.assertEqual(frames[-1]["choices"][0]["finish_reason"], "stop")

    def test_a_timeline_has_its_role_at_once_and_its_usage_at_the_end(self):
        first, *_, last = self.frames(stream_dialect="timeline")
        self.assertEqual(list(first), ["id", "object", "created", "model", "system_fingerprint", "choices", "usage"])
        self.assertEqual(list(first["choices"][0]), ["index", "delta", "logprobs", "finish_reason"])
        self.assertEqual(first["choices"][0]["delta"]["role"], "assistant")
        self.assertTrue(first["choices"][0]["delta"]["content"])
        self.assertIsNone(first["usage"])
        self.assertEqual(last["usage"]["total_tokens"], 9)

    def test_whole_answers_and_errors_know_their_dialect_too(self):
        whole = self.ask(stream=False).json()
        self.assertIn("system_fingerprint", whole)
        self.assertEqual(whole["choices"][0]["message"]["content"], "Hello")
        self.assertNotIn("system_fingerprint", self.ask(stream=False, stream_dialect="openai").json())
        self.assert_error(self.ask(model="nobody/m"), 404, "model_not_found")

    def test_a_failure_in_a_timeline_is_its_finish(self):
        frames = self.frames(model="demo/error-midstream")
        self.assertEqual(frames[-1]["choices"][0]["finish_reason"], "error")
        self.assertEqual(frames[-1]["error"]["code"], "server_error")


CALL = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "calculator", "arguments": ""}}
ARGUMENTS = {"index": 0, "function": {"arguments": '{"expression":"6*7"}'}}


def calls_slowly(text, gap):
    """Says something and calls a tool at once; what it calls it with takes a while."""
    def script(exchange):
        exchange.head()
        # In one segment: nothing comes between the two, however busy the machine is.
        exchange.raw(exchange.framed(exchange.delta_bytes(text)) + exchange.framed(exchange.wire._chunk({"tool_calls": [CALL]})))
        time.sleep(gap)
        exchange.body(exchange.wire._chunk({"tool_calls": [ARGUMENTS]}))
        exchange.finish("tool_calls")
    return script


def says(*texts, gap=0.0):
    return lambda exchange: exchange.stream(*texts, gap=gap)


HELD = 0.35  # seconds, and a little more


class HeldText(GatewayTest):
    """In an agent's stream, text waits until it is known whether a tool follows, but not for long."""

    @classmethod
    def setUpClass(cls):
        cls.config = {"models": {"op": {"targets": ["local/m"], "tools": ["calculator"], "dialect": "agent"}}}
        super().setUpClass()

    def told(self, **fields):
        """What the client got, in order: (kind, text)."""
        steps = []
        for frame in self.frames(model="op", **fields):
            delta = frame["choices"][0]["delta"]
            if "type" in frame:
                steps.append((frame["type"], frame.get("content")))
            elif delta.get("content"):
                steps.append(("content", delta["content"]))
        return steps

    def first_text(self, *texts, **fields):
        """What the client sees of these texts before the provider goes on after the first one, and how long that took."""
        script = InStep(*texts)
        self.upstream.play(script)
        client = self.connect()
        began = time.monotonic()
        client.send(chat_bytes(**{"model": "op", **fields}))
        client.head()
        text = text_of(partial_frames(client.next_piece()))
        waited = time.monotonic() - began
        script.go_on(len(texts))
        client.rest()
        return text, waited

    def waits_for_first_text(self, *texts, **fields):
        """Several times, because a busy machine may be late now and then, but not every time."""
        shown = [self.first_text(*texts, **fields) for _ in range(3)]
        self.assertEqual({text for text, _ in shown}, {texts[0]})
        return [waited for _, waited in shown]

    def test_text_before_a_tool_is_no_answer_however_long_the_call_takes(self):
        self.upstream.play(calls_slowly("let me see", gap=0.8), says("42"))
        self.assertEqual(self.told(), [("agent_text", "let me see"), ("tool_start", None), ("tool_trace", None),
                                       ("content", "42")])

    def test_the_time_of_each_rounds_text_is_its_own(self):
        self.upstream.play(calls_slowly("one", 0.3), calls_slowly("two", 0.3), says("42"))
        kinds = [kind for kind, _ in self.told()]
        self.assertEqual(kinds, ["agent_text", "tool_start", "tool_trace"] * 2 + ["content"])

    def test_an_answer_streams_after_a_moment(self):
        waits = self.waits_for_first_text("The answer", " is", " 42")
        self.assertGreater(min(waits), HELD)
        self.assertLess(min(waits), HELD + scaled(1))

    def test_long_text_does_not_wait(self):
        self.assertLess(min(self.waits_for_first_text("x" * 200, "y")), HELD)

    def test_whole_rounds_are_held_on_demand(self):
        self.upstream.play(says("The answer", " is 42", gap=0.6))
        client = self.connect()
        client.send(chat_bytes(model="op", hold="round"))
        client.head()
        self.assertEqual(text_of(partial_frames(client.next_piece())), "The answer is 42")

    def test_a_model_without_tools_streams_at_once(self):
        waits = self.waits_for_first_text("The answer", " is 42", model="local/m", stream_dialect="agent")
        self.assertLess(min(waits), HELD)

    def test_comments_tell_of_tools_where_the_stream_shows_none(self):
        self.upstream.play(calls_slowly("", 0.0), says("42"))
        body = self.ask(model="op", stream_dialect="openai", tool_events="comment").body
        self.assertEqual(body.count(b": tool calculator started\n\n"), 1)
        self.assertEqual(body.count(b": tool calculator ok\n\n"), 1)

    def test_a_timeline_shows_results_on_demand(self):
        for wanted in (False, True):
            self.upstream.play(calls_slowly("", 0.0), says("42"))
            frames = self.frames(model="op", stream_dialect="timeline", servertool_results=wanted)
            last = [frame["servertool"] for frame in frames if "servertool" in frame][-1]
            self.assertEqual(last["state"], "Completed")
            self.assertEqual(last.get("result"), 42 if wanted else None)
            self.assertEqual(json.loads(last["contents"]), {"expression": "6*7"})
