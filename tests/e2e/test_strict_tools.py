"""Calls to tools that are strict: their arguments fit, or the client gets none."""

import json

from frames import error_of, finish_of, frames_of, text_of
from gateway_test import GatewayTest

TOOL = {"type": "function", "function": {
    "name": "f", "strict": True,
    "parameters": {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}},
                   "additionalProperties": False}}}
GOOD, BAD = {"a": 1}, {"a": "one"}
CHECKED = ("claude/claude-sonnet-4-5", "google/gemini-2.5-flash", "llama/m")


def call_bytes(wire, arguments):
    """A whole call to f in the provider's words."""
    kind = type(wire).__name__
    if kind == "Gemini":
        return wire.delta("").replace(b'{"text": ""}', json.dumps({"functionCall": {"name": "f", "args": arguments}}).encode())
    if kind == "Ollama":
        return wire._line({"tool_calls": [{"function": {"name": "f", "arguments": arguments}}]})
    text = json.dumps(arguments)
    if kind == "Anthropic":
        return wire.tool_call().replace(b'"{\\"a\\":"', json.dumps(text).encode())
    call = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "f", "arguments": text}}
    return wire._chunk({"tool_calls": [call]})


def calls(arguments, text="Let me see. "):
    def script(exchange):
        exchange.head()
        exchange.delta(text)
        exchange.body(call_bytes(exchange.wire, arguments))
        exchange.finish("tool_calls", (10, 2))
    return script


def calls_in(frames):
    made = [call for frame in frames for choice in frame.get("choices", []) for call in choice["delta"].get("tool_calls", [])]
    return [call["function"]["name"] for call in made if call["function"].get("name")], "".join(
        call["function"].get("arguments", "") for call in made)


class StrictTools(GatewayTest):
    def test_wrong_twice_then_right_is_one_clean_call(self):
        for model in CHECKED:
            with self.subTest(model):
                self.upstream.forget()
                self.upstream.play(calls(BAD), calls(BAD, ""), calls(GOOD, ""))
                frames = self.frames(model=model, tools=[TOOL], stream_options={"include_usage": True})
                names, arguments = calls_in(frames)
                self.assertEqual((names, json.loads(arguments)), (["f"], GOOD))
                self.assertEqual((text_of(frames), finish_of(frames)), ("Let me see. ", "tool_calls"))
                self.assertEqual(frames[-1]["usage"]["total_tokens"], 36)
                self.assertEqual(len(self.upstream.requests), 3)
                self.assertIn("$.a must be an integer, not a string", self.upstream.requests[1].body.decode())

    def test_three_times_wrong_is_an_error(self):
        for model in CHECKED:
            with self.subTest(model):
                self.upstream.forget()
                self.upstream.script = calls(BAD)
                error = error_of(self.frames(model=model, tools=[TOOL]))
                self.assertEqual(error["code"], "tool_call_invalid_arguments")
                self.assertEqual(len(self.upstream.requests), 3)
                # Where nothing was shown, with its status.
                self.upstream.script = calls(BAD, "")
                self.assert_error(self.ask(model=model, tools=[TOOL]), 400, "tool_call_invalid_arguments")

    def test_a_provider_that_sees_to_it_is_not_checked(self):
        self.upstream.play(calls(BAD))
        frames = self.frames(tools=[TOOL])
        self.assertEqual(json.loads(calls_in(frames)[1]), BAD)
        self.assertEqual(self.upstream.requests[0].json()["tools"], [TOOL])

    def test_loose_tools_are_not_checked(self):
        loose = {"type": "function", "function": {**TOOL["function"], "strict": False}}
        self.upstream.play(calls(BAD))
        self.assertEqual(json.loads(calls_in(self.frames(model="llama/m", tools=[loose]))[1]), BAD)

    def test_other_answers_stream_as_they_come(self):
        self.assertEqual(text_of(self.frames(model="llama/m", tools=[TOOL])), "Hello")
