"""The ollama package of PyPI against a running Runnel; its address is in RUNNEL_BASE_URL."""

import os
import unittest

import ollama
from test_openai_sdk import HELLO, TOOLS, WEATHER, for_each_family, user_says


def joined(parts, text_in):
    parts = list(parts)
    return "".join(text_in(part) for part in parts), parts[-1]


class OllamaSdk(unittest.TestCase):
    def setUp(self):
        self.client = ollama.Client(host=os.environ["RUNNEL_BASE_URL"].removesuffix("/v1"), timeout=20)

    @for_each_family
    def test_an_answer_reads_the_same_streamed_and_whole(self, letter):
        request = {"model": f"{letter}/text", "messages": user_says("Hi")}
        self.assertEqual(self.client.chat(**request).message.content, HELLO)
        text, last = joined(self.client.chat(**request, stream=True), lambda part: part.message.content)
        self.assertEqual((text, last.done_reason), (HELLO, "stop"))
        self.assertGreater(last.eval_count, 0)

    @for_each_family
    def test_every_character_comes_through_its_reader_of_lines(self, letter):
        request = {"model": f"{letter}/escapes", "prompt": "Hi"}
        whole = self.client.generate(**request).response
        self.assertIn("\u2028", whole)
        self.assertEqual(joined(self.client.generate(**request, stream=True), lambda part: part.response)[0], whole)

    @for_each_family
    def test_a_tool_is_run_and_the_answer_goes_on(self, letter):
        if letter == "g":  # it wants its signature back, which is found by the call's id: this client drops that
            return
        messages = user_says("How is the weather in Oslo?")
        request = {"model": f"{letter}/tool-one", "messages": messages, "tools": TOOLS}
        message = self.client.chat(**request).message
        self.assertEqual(message.tool_calls[0].function.arguments, {"city": "Oslo"})
        messages += [message, {"role": "tool", "tool_name": "get_weather", "content": WEATHER}]
        self.assertIn(WEATHER, self.client.chat(**request).message.content)

    @for_each_family
    def test_a_failure_in_the_middle_is_an_error(self, letter):
        stream = self.client.chat(model=f"{letter}/cut", messages=user_says("Hi"), stream=True)
        with self.assertRaises(ollama.ResponseError):
            list(stream)

    def test_models_are_listed_and_shown(self):
        self.assertIn("rounds-c", [model.model for model in self.client.list().models])
        self.assertIn("completion", self.client.show("rounds-c").capabilities)
        with self.assertRaises(ollama.ResponseError) as refused:
            self.client.show("no-such-model")
        self.assertEqual(refused.exception.status_code, 404)
