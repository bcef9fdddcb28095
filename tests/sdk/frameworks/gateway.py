"""What the framework tests share: where the gateway is, and what its models say."""

import os

V1 = os.environ["RUNNEL_BASE_URL"]
ROOT = V1.removesuffix("/v1")
KEY = "not-needed"

HELLO = "Hello from the upstream."
WEATHER = "7 degrees and rain"
QUESTION = "What is the weather in Oslo?"

# The provider behind it is never the one whose API the client speaks.
FOREIGN = {"openai": "c", "anthropic": "g", "google": "o"}


def get_weather(city: str) -> str:
    """The weather in a city."""
    return f"{city} has {WEATHER}"
