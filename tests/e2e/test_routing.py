"""Names and what they stand for: aliases, stand-ins for streams, one's own fallbacks, models that lack something."""

from client import get
from gateway_test import GatewayTest

TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}]
IMAGE = [{"role": "user", "content": [
    {"type": "text", "text": "What is this?"},
    {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}]}]


class Routing(GatewayTest):
    provider_fields = {"models": {
        "plain": {"tools": False, "vision": False, "context_length": 1000, "max_output": 200},
        "able": {"tools": True, "vision": True, "streaming": True, "context_length": 5000, "max_output": 500},
        "whole": {"streaming": False},
    }}
    config = {
        "models": {
            "mixed": {"targets": ["local/plain", "claude/able"]},
            "operator": {"targets": ["local/able"], "system": "You operate."},
            "conductor": {"targets": ["claude/plain"], "streaming": False, "stream_fallback": "operator"},
            "silent": {"targets": ["local/able"], "streaming": False},
            "armed": {"targets": ["local/plain", "claude/able"], "defaults": {"tools": TOOLS}},
            "short": {"targets": ["local/able"], "limits": {"max_tokens": 50}},
        },
        "aliases": {"gpt": "mixed", "direct": "google/able", "boss": "conductor"},
        "default_model": "gpt",
    }

    def served(self, **request):
        """Who served it, and the warnings."""
        response = self.ask(**request)
        self.assertEqual(response.status, 200, response.body)
        return response.headers["x-model-used"], response.headers.get("x-gateway-warnings", "")

    def test_an_alias_is_another_name(self):
        self.assertEqual(self.served(model="gpt"), ("local/plain", ""))
        self.assertEqual(self.served(model="direct"), ("google/able", ""))
        self.assertEqual(self.served(model=""), ("local/plain", ""))

    def test_a_stream_of_a_model_that_cannot_stream_has_a_stand_in(self):
        for name in ("conductor", "boss"):
            with self.subTest(name):
                self.assertEqual(self.served(model=name), ("local/able", ""))
                self.assertEqual(self.upstream.requests[-1].json()["messages"][0]["content"], "You operate.")
                self.assertEqual(self.served(model=name, stream=False), ("claude/plain", ""))

    def test_a_stand_in_can_be_forbidden(self):
        self.assert_error(self.ask(model="conductor", strict_model=True), 400, "unsupported_parameter", param="model")
        self.assertEqual(self.served(model="conductor", strict_model=True, stream=False)[0], "claude/plain")

    def test_a_stream_that_nobody_can_serve_is_refused(self):
        for name in ("silent", "local/whole"):
            self.assert_error(self.ask(model=name), 400, "unsupported_parameter", param="stream")
        self.assertEqual(self.upstream.requests, [])

    def test_a_target_that_lacks_what_is_needed_is_passed_over(self):
        for fields in ({"tools": TOOLS}, {"messages": IMAGE}):
            with self.subTest(fields):
                self.assertEqual(self.served(model="mixed", **fields), ("claude/able", "fallback_skipped"))

    def test_a_models_defaults_count_too(self):
        self.assertEqual(self.served(model="armed"), ("claude/able", "fallback_skipped"))

    def test_nobody_is_asked_for_what_nobody_can_do(self):
        self.assert_error(self.ask(model="local/plain", tools=TOOLS), 400, "tool_unsupported_for_model", param="tools")
        self.assert_error(self.ask(model="local/plain", messages=IMAGE), 400, "unsupported_parameter", param="messages")
        self.assertEqual(self.upstream.requests, [])

    def test_more_tokens_than_the_model_allows_are_cut(self):
        for asked, sent in ((None, 50), (20, 20), (1000, 50)):
            fields = {} if asked is None else {"max_tokens": asked}
            self.served(model="short", **fields)
            self.assertEqual(self.upstream.requests[-1].json()["max_tokens"], sent)

    def test_models_say_what_they_can_do(self):
        def found(name):
            response = get(self.runnel.port, f"/v1/models/{name}")
            self.assertEqual(response.status, 200, response.body)
            return response.json()
        self.assertEqual(found("local/plain")["capabilities"], {"tools": False, "vision": False})
        mixed = found("mixed")
        self.assertEqual(mixed["capabilities"], {"tools": True, "vision": True, "streaming": True})
        self.assertEqual((mixed["context_length"], mixed["max_output_tokens"]), (1000, 200))
        self.assertEqual(mixed["targets"], ["local/plain", "claude/able"])
        self.assertEqual(found("gpt"), {**mixed, "id": "gpt"})
        self.assertFalse(found("conductor")["capabilities"]["streaming"])
        self.assertEqual(found("short")["max_output_tokens"], 50)
        names = [model["id"] for model in get(self.runnel.port, "/v1/models").json()["data"]]
        self.assertEqual(names[:9], ["mixed", "operator", "conductor", "silent", "armed", "short", "gpt", "direct",
                                     "boss"])
        self.assertEqual(len(names), len(set(names)))

    def test_the_demo_has_no_models_but_its_own(self):
        self.assert_error(get(self.runnel.port, "/v1/models/demo/nope"), 404, "model_not_found")
        self.assert_error(self.ask(model="demo/nope"), 404, "model_not_found", param="model")
