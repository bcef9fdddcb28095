"""Targets that cannot do what a request needs are passed over, and the answer says so."""

from behaviours import refuse, status
from resilience_test import ResilienceTest

TOOLS = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
IMAGE = [{"role": "user", "content": [{"type": "text", "text": "What is it?"}, {
    "type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}]}]


class Tools(ResilienceTest):
    kinds = {"A": "openai", "B": "anthropic", "C": "openai"}
    fields = {"A": {"models": {"plain": {"tools": False, "vision": False}, "last": {"tools": False},
                               "long": {"context_length": 8000}}},
              "B": {"models": {"last": {"tools": False}, "long": {"context_length": 8000}}},
              "C": {"models": {"plain": {"tools": False, "vision": False}, "last": {"tools": False},
                               "long": {"context_length": 128_000}}}}
    models = {"plain": {"retries": 0}, "last": {}, "long": {}, "fallen": {"targets": ["b/fallen"], "retries": 0}}

    def warnings(self, response):
        return response.headers.get("x-gateway-warnings", "")

    def test_a_target_without_tools_is_not_asked_for_them(self):
        for stream in (True, False):
            self.behave()
            response = self.ask("plain", stream=stream, tools=TOOLS)
            self.assert_served_by(response, "B")
            self.assert_asked("B")
            self.assertIn("fallback_skipped", self.warnings(response))

    def test_it_is_asked_for_everything_else(self):
        response = self.ask("plain")
        self.assert_served_by(response, "A")
        self.assertNotIn("fallback_skipped", self.warnings(response))

    def test_a_target_without_eyes_is_not_shown_images(self):
        self.behave()
        response = self.ask("plain", messages=IMAGE)
        self.assert_served_by(response, "B")
        self.assert_asked("B")
        self.assertIn("fallback_skipped", self.warnings(response))

    def test_a_fallback_without_tools_is_no_fallback(self):
        self.behave(B=status(500))
        response = self.ask("fallen", fallback=["c/plain"], tools=TOOLS)
        self.assert_refused(response, 502, "tool_provider_error")
        self.assert_asked("B")

    def test_where_nobody_has_tools_the_client_is_told(self):
        self.assert_refused(self.ask("last", tools=TOOLS), 400, "tool_unsupported_for_model")
        self.assert_asked("")

    def test_too_long_a_conversation_goes_to_those_that_may_take_it(self):
        for stream in (True, False):
            self.behave(A=refuse("context too long"))
            self.assert_served_by(self.ask("long", stream=stream), "C")
            self.assert_asked("A C")
