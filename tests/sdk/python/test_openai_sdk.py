"""The openai package of PyPI against a running Runnel; its address is in RUNNEL_BASE_URL."""

import functools
import json
import os
import unittest

import openai

FAMILIES = {"o": "OpenAI-like", "c": "Anthropic", "g": "Gemini", "l": "Ollama"}
HELLO = "Hello from the upstream."
WEATHER = "Oslo has 7 degrees and rain"
TIME = "it is 14:03"


def one_string(field):
    return {"type": "object", "properties": {field: {"type": "string"}}, "required": [field]}


TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": one_string(field)}}
    for name, field in (("get_weather", "city"), ("get_time", "zone"))
]


def user_says(text):
    return [{"role": "user", "content": text}]


def for_each_family(test):
    """Runs a test once per provider family, with the letter that its models begin with."""

    @functools.wraps(test)
    def run_all(self):
        for letter, title in FAMILIES.items():
            with self.subTest(title):
                test(self, letter)

    return run_all


class SdkTest(unittest.TestCase):
    def setUp(self):
        self.client = openai.OpenAI(
            base_url=os.environ["RUNNEL_BASE_URL"], api_key="not-needed", max_retries=0, timeout=20
        )
        self.addCleanup(self.client.close)
        self.completions = self.client.chat.completions


class TextTest(SdkTest):
    @for_each_family
    def test_a_loop_over_choices_0_of_every_chunk_prints_the_answer(self, letter):
        scripts = {"text": HELLO, "pings": HELLO, "empty": "", "reasoning": "The sum is 4.",
                   "surrogates": "smile \U0001f600 done"}
        for script, expected in scripts.items():
            stream = self.completions.create(
                model=f"{letter}/{script}", messages=user_says("Hi"), stream=True
            )
            printed = ""
            for chunk in stream:
                if chunk.choices[0].delta.content:
                    printed += chunk.choices[0].delta.content
            self.assertEqual(printed, expected)

    @for_each_family
    def test_a_whole_answer_equals_the_streamed_one(self, letter):
        request = {"model": f"{letter}/utf8", "messages": user_says("Hi")}
        whole = self.completions.create(**request)
        streamed = "".join(
            chunk.choices[0].delta.content or ""
            for chunk in self.completions.create(**request, stream=True)
        )
        self.assertEqual(whole.choices[0].message.content, streamed)
        self.assertIn("漢字", streamed)

    @for_each_family
    def test_reasoning_is_an_extra_field_of_the_delta(self, letter):
        stream = self.completions.create(
            model=f"{letter}/reasoning", messages=user_says("2 + 2?"), stream=True
        )
        thoughts = [getattr(c.choices[0].delta, "reasoning_content", None) or "" for c in stream]
        self.assertEqual("".join(thoughts), "First add, then check. ")

    @for_each_family
    def test_usage_is_in_the_last_chunk_only_when_asked_for(self, letter):
        request = {"model": f"{letter}/usage", "messages": user_says("Hi"), "stream": True}
        silent = list(self.completions.create(**request))
        self.assertTrue(all(chunk.usage is None for chunk in silent))
        chunks = list(self.completions.create(**request, stream_options={"include_usage": True}))
        self.assertEqual(chunks[-1].choices, [])
        self.assertEqual(chunks[-1].usage.prompt_tokens, 1876)
        self.assertEqual(chunks[-1].usage.total_tokens, 1892)
        self.assertTrue(all(chunk.usage is None for chunk in chunks[:-1]))


class ToolTest(SdkTest):
    def run_call(self, call):
        arguments = json.loads(call.function.arguments)
        known = {"get_weather": lambda: f"{arguments['city']} has 7 degrees and rain",
                 "get_time": lambda: f"{TIME} in {arguments['zone']}"}
        return {"role": "tool", "tool_call_id": call.id, "content": known[call.function.name]()}

    @for_each_family
    def test_the_stream_helper_builds_calls_that_a_round_trip_accepts(self, letter):
        messages = user_says("Use your tools.")
        request = {"model": f"{letter}/tool-parallel", "messages": messages, "tools": TOOLS}
        with self.completions.stream(**request) as stream:
            for _ in stream:
                pass
            turn = stream.get_final_completion().choices[0]
        self.assertEqual(turn.finish_reason, "tool_calls")
        self.assertEqual(turn.message.role, "assistant")
        names = [call.function.name for call in turn.message.tool_calls]
        self.assertEqual(names, ["get_weather", "get_time"])

        messages += [turn.message.model_dump(exclude_none=True)]
        messages += [self.run_call(call) for call in turn.message.tool_calls]
        answer = self.completions.create(**request).choices[0].message.content
        self.assertIn(WEATHER, answer)
        self.assertIn(TIME, answer)


class ErrorTest(SdkTest):
    @for_each_family
    def test_refusals_are_the_exceptions_that_their_status_means(self, letter):
        expected = {"error-400": openai.BadRequestError, "error-429": openai.RateLimitError,
                    "error-500": openai.InternalServerError, "nosuchmodel": openai.NotFoundError}
        for script, kind in expected.items():
            for stream in (True, False):
                with self.assertRaises(kind):
                    self.completions.create(
                        model=f"{letter}/{script}", messages=user_says("Hi"), stream=stream
                    )

    @for_each_family
    def test_a_failure_in_the_stream_raises_after_the_text_so_far(self, letter):
        for script in ("error-midstream", "cut"):
            text = ""
            with self.assertRaises(openai.APIError) as raised:
                for chunk in self.completions.create(
                    model=f"{letter}/{script}", messages=user_says("Hi"), stream=True
                ):
                    text += chunk.choices[0].delta.content or ""
            self.assertEqual(text, "Hello")
            self.assertNotIsInstance(raised.exception, openai.APIStatusError)
            self.assertEqual(raised.exception.type, "server_error")


class DemoTest(SdkTest):
    def test_the_demo_models_answer_without_any_provider(self):
        for model in ("demo/echo", "demo/text", "demo/reasoning"):
            stream = self.completions.create(model=model, messages=user_says("Hi"), stream=True)
            self.assertTrue("".join(chunk.choices[0].delta.content or "" for chunk in stream))


if __name__ == "__main__":
    unittest.main()
