"""LangChain's three packages, each through its vendor's own API."""

import unittest

from gateway import FOREIGN, HELLO, KEY, QUESTION, ROOT, V1, WEATHER, get_weather
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_google_genai import ChatGoogleGenerativeAI
from langchain_openai import ChatOpenAI


def models_of(script):
    """Of OpenAI both APIs that it has."""
    def of(vendor):
        return f"{FOREIGN[vendor]}/{script}"

    common = {"max_retries": 0, "timeout": 20}
    openai = {"model": of("openai"), "base_url": V1, "api_key": KEY, **common}
    return {
        "openai chat": ChatOpenAI(**openai, use_responses_api=False),
        "openai responses": ChatOpenAI(**openai, use_responses_api=True),
        "anthropic": ChatAnthropic(model=of("anthropic"), base_url=ROOT, api_key=KEY, max_tokens=1000, **common),
        "google": ChatGoogleGenerativeAI(model=of("google"), base_url=ROOT, google_api_key=KEY, **common),
    }


class LangChain(unittest.TestCase):
    def test_a_whole_answer_and_its_usage(self):
        for name, model in models_of("text").items():
            with self.subTest(name):
                answer = model.invoke("Hi")
                self.assertEqual(answer.text, HELLO)
                self.assertEqual(answer.usage_metadata["output_tokens"], 6)

    def test_a_stream(self):
        for name, model in models_of("text").items():
            with self.subTest(name):
                pieces = list(model.stream("Hi"))
                self.assertEqual("".join(piece.text for piece in pieces), HELLO)
                self.assertGreater(len([piece for piece in pieces if piece.text]), 1)

    def test_a_tool_round(self):
        for name, model in models_of("tool-one").items():
            with self.subTest(name):
                bound = model.bind_tools([get_weather])
                asked = [HumanMessage(QUESTION)]
                call = bound.invoke(asked)
                self.assertEqual([(made["name"], made["args"]) for made in call.tool_calls], [("get_weather", {"city": "Oslo"})])
                result = ToolMessage(get_weather(**call.tool_calls[0]["args"]), tool_call_id=call.tool_calls[0]["id"])
                self.assertIn(WEATHER, bound.invoke([*asked, call, result]).text)
