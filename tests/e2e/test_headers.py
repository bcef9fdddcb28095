"""What every answer carries: request ids, who served, CORS; and the open health routes."""

from client import CHAT_PATH, get
from frames import frames_of
from gateway_test import GatewayTest

EXPOSED = ("X-Request-ID", "X-Completion-Id", "X-Model-Used", "X-Cache", "Retry-After", "X-Stream-Dialect")

TOO_LONG = {"Content-Length": str(1 << 40)}


class RequestIds(GatewayTest):
    def each_kind_of_answer(self, headers):
        yield "stream", self.ask(headers=headers)
        yield "whole", self.ask(headers=headers, stream=False)
        yield "refused", self.ask(headers=headers, body=b"{")
        yield "unknown model", self.ask(headers=headers, model="nobody/m")
        yield "unknown path", get(self.runnel.port, "/nothing", headers=headers)
        yield "health", get(self.runnel.port, "/healthz", headers=headers)
        yield "preflight", get(self.runnel.port, CHAT_PATH, "OPTIONS", headers)
        yield "unreadable", get(self.runnel.port, CHAT_PATH, "POST", {**headers, **TOO_LONG})
        self.upstream.play(lambda exchange: exchange.reply(500, b"{}"))
        yield "failed upstream", self.ask(headers=headers)

    def test_the_clients_id_comes_back_on_success_and_on_errors(self):
        for kind, response in self.each_kind_of_answer({"X-Request-ID": "my-id_1.2:3"}):
            with self.subTest(kind):
                self.assertEqual(response.headers["x-request-id"], "my-id_1.2:3")

    def test_without_one_an_id_is_made_each_time(self):
        ids = [response.headers["x-request-id"] for _, response in self.each_kind_of_answer({})]
        self.assertEqual(len(set(ids)), len(ids))

    def test_an_id_that_could_harm_is_replaced(self):
        for harmful in ("x" * 129, "two words", 'quo"te', "tab\there", "\x7f", "é"):
            with self.subTest(harmful):
                given = self.ask(headers={"X-Request-ID": harmful}).headers["x-request-id"]
                self.assertNotEqual(given, harmful)
                self.assertTrue(0 < len(given) <= 128)
        longest = "x" * 128
        self.assertEqual(self.ask(headers={"X-Request-ID": longest}).headers["x-request-id"], longest)

    def test_the_completion_id_is_the_one_in_the_chunks(self):
        streamed = self.ask()
        self.assertEqual({frame["id"] for frame in frames_of(streamed.body)}, {streamed.headers["x-completion-id"]})
        whole = self.ask(stream=False)
        self.assertEqual(whole.json()["id"], whole.headers["x-completion-id"])
        self.assertTrue(whole.json()["id"].startswith("chatcmpl-"))


class WhoServed(GatewayTest):
    @classmethod
    def setUpClass(cls):
        cls.config = {"models": {"fast": {"targets": ["local/tiny"], "system": "Be brief.",
                                          "defaults": {"temperature": 0.2}}},
                      "default_model": "fast", "id_prefix": "run-"}
        super().setUpClass()

    def test_the_model_that_served_is_named(self):
        for asked in ("fast", "local/tiny", "@local/tiny"):
            with self.subTest(asked):
                response = self.ask(model=asked)
                self.assertEqual(response.headers["x-model-used"].removeprefix("@"), "local/tiny")
                names = {frame["model"] for frame in frames_of(response.body)}
                self.assertEqual({name.removeprefix("@") for name in names}, {"local/tiny"})
                self.assertEqual(self.upstream.requests[-1].json()["model"], "tiny")

    def test_the_asked_name_is_echoed_on_demand(self):
        response = self.ask(model="fast", echo_model=True)
        self.assertEqual({frame["model"] for frame in frames_of(response.body)}, {"fast"})
        self.assertEqual(response.headers["x-model-used"], "local/tiny")
        self.assertNotIn("echo_model", self.upstream.requests[-1].json())

    def test_a_model_of_our_own_brings_its_system_text_and_defaults(self):
        self.ask(model="fast")
        sent = self.upstream.requests[-1].json()
        self.assertEqual(sent["messages"][0], {"role": "system", "content": "Be brief."})
        self.assertEqual(sent["temperature"], 0.2)
        self.ask(model="fast", temperature=1)
        self.assertEqual(self.upstream.requests[-1].json()["temperature"], 1)

    def test_the_default_model_serves_requests_without_one(self):
        response = self.ask(body=b'{"messages":[{"role":"user","content":"x"}]}')
        self.assertEqual(response.headers["x-model-used"], "local/tiny")

    def test_the_id_prefix_can_be_chosen(self):
        self.assertTrue(self.ask().headers["x-completion-id"].startswith("run-"))

    def test_the_dialect_is_named(self):
        self.assertEqual(self.ask().headers["x-stream-dialect"], "openai")
        self.assertEqual(self.ask(headers={"X-Stream-Dialect": "openai"}).status, 200)


class Cors(GatewayTest):
    config = {"cors": {"origins": ["*"]}}
    ORIGIN = {"Origin": "https://app.example.com"}

    def test_a_preflight_allows_whatever_headers_it_asks_for(self):
        asked = "authorization,content-type,x-wallet-address,x-stainless-os"
        for path in (CHAT_PATH, "/v1/models"):
            response = get(self.runnel.port, path, "OPTIONS", {
                **self.ORIGIN, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": asked})
            self.assertEqual(response.status, 204)
            self.assertIn(response.headers["access-control-allow-origin"], ("*", self.ORIGIN["Origin"]))
            self.assertEqual(response.headers["access-control-allow-headers"], asked)
            self.assertIn("POST", response.headers["access-control-allow-methods"])
            self.assertGreater(int(response.headers["access-control-max-age"]), 0)
            self.assertEqual(response.headers["vary"], "Origin, Access-Control-Request-Headers")
            self.assertNotIn("access-control-allow-credentials", response.headers)

    def test_answers_errors_and_streams_can_be_read_by_a_page(self):
        self.upstream.script = lambda exchange: exchange.stream("Hello")
        answers = [self.ask(headers=self.ORIGIN), self.ask(headers=self.ORIGIN, body=b"{"),
                   self.ask(headers=self.ORIGIN, model="nobody/m"), get(self.runnel.port, "/x", headers=self.ORIGIN),
                   get(self.runnel.port, CHAT_PATH, "POST", {**self.ORIGIN, **TOO_LONG})]
        for response in answers:
            with self.subTest(response.status):
                self.assertIn("access-control-allow-origin", response.headers)
                exposed = response.headers["access-control-expose-headers"]
                for name in EXPOSED:
                    self.assertIn(name, exposed)

    def test_other_clients_get_no_such_headers(self):
        self.assertFalse([name for name in self.ask().headers if name.startswith("access-control")])


class NoCors(GatewayTest):
    def test_no_page_is_let_in_unless_the_config_says_whose(self):
        origin = {"Origin": "https://app.example.com"}
        asked = get(self.runnel.port, CHAT_PATH, "OPTIONS", {**origin, "Access-Control-Request-Method": "POST"})
        for response in (asked, self.ask(headers=origin), get(self.runnel.port, "/v1/models", headers=origin)):
            self.assertFalse([name for name in response.headers if name.startswith("access-control")])


class CorsForOneOrigin(GatewayTest):
    config = {"cors": {"origins": ["https://app.example.com"]}}

    def test_only_that_origin_is_allowed(self):
        for origin, allowed in (("https://app.example.com", True), ("https://evil.example.com", False),
                                ("https://app.example.com.evil.test", False), ("null", False)):
            with self.subTest(origin):
                headers = self.ask(headers={"Origin": origin}).headers
                self.assertEqual(headers.get("access-control-allow-origin"), origin if allowed else None)
                self.assertIn("Origin", headers["vary"])


class Health(GatewayTest):
    def test_health_needs_no_key(self):
        for path in ("/healthz", "/health", "/api/health", "/readyz"):
            with self.subTest(path):
                self.assertEqual(get(self.runnel.port, path).status, 200)
