"""Who chooses a stream's dialect, and what each looks like over a socket (spec S2, S3.1)."""

from frames import text_of
from gateway_test import GatewayTest

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
