"""pydantic-ai with its default model of each vendor: Responses, Messages and Gemini."""

import unittest

from gateway import FOREIGN, HELLO, KEY, QUESTION, ROOT, V1, WEATHER, get_weather
from pydantic_ai import Agent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.openai import OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.openai import OpenAIProvider


def model_of(vendor, script):
    name = f"{FOREIGN[vendor]}/{script}"
    if vendor == "openai":
        return OpenAIResponsesModel(name, provider=OpenAIProvider(base_url=V1, api_key=KEY))
    if vendor == "anthropic":
        return AnthropicModel(name, provider=AnthropicProvider(base_url=ROOT, api_key=KEY))
    return GoogleModel(name, provider=GoogleProvider(base_url=ROOT, api_key=KEY))


class PydanticAi(unittest.IsolatedAsyncioTestCase):
    async def test_an_agent_calls_its_tool_and_answers(self):
        for vendor in FOREIGN:
            with self.subTest(vendor):
                agent = Agent(model_of(vendor, "tool-one"), tools=[get_weather])
                result = await agent.run(QUESTION)
                self.assertIn(WEATHER, result.output)
                self.assertGreater(result.usage.output_tokens, 0)

    async def test_an_agent_streams(self):
        for vendor in FOREIGN:
            for script, expected in (("text", HELLO), ("reasoning", "The sum is 4.")):
                with self.subTest(vendor=vendor, script=script):
                    agent = Agent(model_of(vendor, script))
                    async with agent.run_stream("Hi") as result:
                        pieces = [piece async for piece in result.stream_text(delta=True, debounce_by=None)]
                    self.assertEqual("".join(pieces), expected)
