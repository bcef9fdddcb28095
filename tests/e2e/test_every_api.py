"""What the gateway does for one API it does for all: the same promises, kept once for each of them."""

import functools
import json

from client import Client, get
from fake_collector import FakeCollector
from fake_upstream import speak
from gateway_test import KINDS, GatewayTest
from runnel_process import run_command
from tools_test import call, calls, says

CARD = "4111 1111 1111 1111"
REFUSED_WORD = "xyzzy"


def frames(body):
    """The JSON of a stream's frames, of whichever API."""
    data = [line[6:] for line in body.decode().split("\n") if line.startswith("data: ")]
    return [json.loads(frame) for frame in data if frame != "[DONE]"]


class Chat:
    name = "chat"

    def path(self, model, stream):
        return "/v1/chat/completions"

    def body(self, model, text, stream):
        return {"model": model, "stream": stream, "messages": [{"role": "user", "content": text}]}

    def text_of(self, answer):
        return answer["choices"][0]["message"]["content"]

    def streamed_text(self, told):
        return "".join(choice["delta"].get("content") or "" for frame in told for choice in frame.get("choices", ()))

    def finished(self, told):
        return any(choice["finish_reason"] for frame in told for choice in frame.get("choices", ()))

    def error_of(self, body):
        return body["error"]["message"]

    def id_of(self, answer):
        return answer["id"]


class Messages(Chat):
    name = "messages"

    def path(self, model, stream):
        return "/v1/messages"

    def body(self, model, text, stream):
        return {**super().body(model, text, stream), "max_tokens": 100}

    def text_of(self, answer):
        return "".join(block["text"] for block in answer["content"] if block["type"] == "text")

    def streamed_text(self, told):
        return "".join(frame["delta"].get("text", "") for frame in told if frame["type"] == "content_block_delta")

    def finished(self, told):
        return told[-1]["type"] == "message_stop"


class Responses(Chat):
    name = "responses"

    def path(self, model, stream):
        return "/v1/responses"

    def body(self, model, text, stream):
        return {"model": model, "stream": stream, "input": text}

    def text_of(self, answer):
        return "".join(part["text"] for item in answer["output"] if item["type"] == "message" for part in item["content"])

    def streamed_text(self, told):
        return "".join(frame["delta"] for frame in told if frame["type"] == "response.output_text.delta")

    def finished(self, told):
        return told[-1]["type"] == "response.completed"


class Gemini(Chat):
    name = "gemini"

    def path(self, model, stream):
        return f"/v1beta/models/{model}:" + ("streamGenerateContent?alt=sse" if stream else "generateContent")

    def body(self, model, text, stream):
        return {"contents": [{"role": "user", "parts": [{"text": text}]}]}

    def text_of(self, answer):
        parts = answer["candidates"][0]["content"]["parts"]
        return "".join(part.get("text", "") for part in parts if not part.get("thought"))

    def streamed_text(self, told):
        return "".join(self.text_of(frame) for frame in told if frame.get("candidates"))

    def finished(self, told):
        return any("finishReason" in candidate for frame in told for candidate in frame.get("candidates", ()))

    def id_of(self, answer):
        return answer["responseId"]


APIS = (Chat(), Messages(), Responses(), Gemini())
STREAMED_AND_WHOLE = (True, False)


def for_each_api(streamed=STREAMED_AND_WHOLE):
    """The promise `keeps(self, api, stream)`, once for each of them."""
    def test_of(keeps):
        @functools.wraps(keeps)
        def test(self):
            for api in APIS:
                for stream in streamed:
                    with self.subTest(api=api.name, stream=stream):
                        self.upstream.forget()
                        keeps(self, api, stream)
        return test
    return test_of


def first_target(api, stream):
    """A provider of its own: one that has failed is left alone for a while."""
    return f"first-{api.name}-{'stream' if stream else 'whole'}"


class EveryApi(GatewayTest):
    @classmethod
    def setUpClass(cls):
        cls.collector = FakeCollector()
        cls.addClassCleanup(cls.collector.close)
        firsts = [first_target(api, stream) for api in APIS for stream in STREAMED_AND_WHOLE]
        cls.kinds = {**KINDS, **dict.fromkeys(firsts, "openai-compatible")}
        cls.config = {
            "cache": {"ttl": "1h"},
            "logs": {"content": "on"},
            "traces": {"endpoint": cls.collector.endpoint},
            "guardrails": [{"name": "cards", "on": ["input", "output"], "pii": ["card"], "action": "redact"},
                           {"name": "magic", "on": ["input"], "words": [REFUSED_WORD], "action": "block"}],
            "models": {
                "plain": {"targets": ["local/m"], "cached": False},
                "kept": {"targets": ["local/m"]},
                **{f"two-{first}": {"targets": [f"{first}/m", "claude/m"], "cached": False} for first in firsts},
                **{f"continued-{first}": {"targets": [f"{first}/m", "claude/m"], "midstream": "verified", "cached": False}
                   for first in firsts},
                "few": {"targets": ["local/m"], "limits": {"rpm": len(APIS)}, "cached": False},
                "op": {"targets": ["local/m"], "tools": ["calculator"], "cached": False},
            },
        }
        super().setUpClass()

    def send(self, api, model="plain", text="Hi", stream=True, headers=None):
        with Client(self.runnel.port) as client:
            client.request("POST", api.path(model, stream), json.dumps(api.body(model, text, stream)).encode(),
                           {"Content-Type": "application/json", **(headers or {})})
            return client.response()

    def said(self, api, response):
        """The text of a good answer, streamed or whole."""
        self.assertEqual(response.status, 200, response.body)
        if response.headers["content-type"].startswith("application/json"):
            return api.text_of(response.json())
        told = frames(response.body)
        self.assertTrue(api.finished(told), response.body)
        return api.streamed_text(told)

    @for_each_api()
    def test_tools_of_the_gateway_are_run(self, api, stream):
        self.upstream.play(calls(call("calculator", '{"expression":"6*7"}'), text="Let me see. "), says("It is 42."))
        said = self.said(api, self.send(api, "op", "6*7?", stream))
        self.assertTrue(said.endswith("It is 42."), said)
        second = self.upstream.requests[1].json()["messages"]
        self.assertEqual((second[-1]["role"], "42" in second[-1]["content"]), ("tool", True), second)

    @for_each_api()
    def test_guardrails_see_what_is_asked_and_what_is_answered(self, api, stream):
        self.upstream.play(says("Pay with ", CARD[:9], CARD[9:] + "."))
        said = self.said(api, self.send(api, "plain", f"My card is {CARD}", stream))
        self.assertNotIn("4111", said)
        self.assertTrue(said.startswith("Pay with "), said)
        self.assertNotIn("4111", self.upstream.requests[-1].body.decode())
        asked = len(self.upstream.requests)
        refused = self.send(api, "plain", f"say {REFUSED_WORD}", stream)
        self.assertEqual(refused.status, 400, refused.body)
        self.assertNotIn(REFUSED_WORD, refused.body.decode())
        self.assertEqual(len(self.upstream.requests), asked)

    @for_each_api()
    def test_answers_come_from_the_cache(self, api, stream):
        text = f"asked in {api.name}, streamed: {stream}"
        first = self.send(api, "kept", text, stream)
        second = self.send(api, "kept", text, stream)
        self.assertEqual(self.said(api, first), "Hello")
        self.assertEqual(self.said(api, second), "Hello")
        self.assertEqual((first.headers["x-cache"], second.headers["x-cache"]), ("MISS", "HIT"))
        self.assertEqual(len(self.upstream.requests), 1)

    def test_limits_are_one_for_all(self):
        for api in APIS:
            self.assertEqual(self.send(api, "few").status, 200)
        for api in APIS:
            for stream in STREAMED_AND_WHOLE:
                with self.subTest(api=api.name, stream=stream):
                    refused = self.send(api, "few", stream=stream)
                    self.assertEqual(refused.status, 429, refused.body)
                    self.assertIn("retry-after", refused.headers)
                    self.assertTrue(api.error_of(refused.json()))

    @for_each_api()
    def test_another_target_is_asked_where_the_first_fails(self, api, stream):
        def first_is_busy(exchange):
            if "/chat/completions" in exchange.request.target:
                exchange.reply(503, exchange.wire.error("busy"))
            else:
                speak(exchange)

        self.upstream.script = first_is_busy
        self.assertEqual(self.said(api, self.send(api, f"two-{first_target(api, stream)}", stream=stream)), "Hello")
        asked = [request.target for request in self.upstream.requests]
        self.assertEqual((asked[0], asked[-1]), ("/v1/chat/completions", "/v1/messages"))

    @for_each_api(streamed=(True,))
    def test_a_stream_that_breaks_is_gone_on_with_elsewhere(self, api, stream):
        def breaks(exchange):
            exchange.head()
            exchange.delta("Hel")
            exchange.fin()

        self.upstream.play(breaks)
        self.assertEqual(self.said(api, self.send(api, f"continued-{first_target(api, stream)}", stream=stream)), "Hello")
        self.assertEqual(len(self.upstream.requests), 2)

    @for_each_api()
    def test_failures_are_told_in_the_apis_own_shape(self, api, stream):
        self.upstream.play(*[lambda exchange: exchange.reply(400, exchange.wire.error("no such thing"))] * 2)
        refused = self.send(api, stream=stream)
        self.assertEqual(refused.status, 400, refused.body)
        self.assertIn("no such thing", api.error_of(refused.json()))

    @for_each_api()
    def test_requests_are_logged_and_their_answers_replayed(self, api, stream):
        request_id = f"every-{api.name}-{stream}"
        response = self.send(api, stream=stream, headers={"X-Request-ID": request_id})
        self.said(api, response)
        self.assert_eventually(lambda: self.runnel.log_of(request_id))
        line, = self.runnel.log_of(request_id)
        self.assertEqual((line["status"], line["model"], line["stream"], line["output_tokens"]),
                         (200, "plain", stream, 2), line)
        completion = line["completion_id"]
        self.assert_eventually(lambda: get(self.runnel.port, f"/v1/logs/{completion}/content").status == 200)
        place = ("--url", f"http://127.0.0.1:{self.runnel.port}")
        for dialect in (api.name.replace("chat", "openai"), "openai"):
            done = run_command("replay", *place, completion, "--dialect", dialect)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            reader = api if dialect != "openai" else APIS[0]
            self.assertEqual(reader.streamed_text(frames(done.stdout)), "Hello")

    @for_each_api()
    def test_requests_are_traced(self, api, stream):
        response = self.send(api, stream=stream)
        self.said(api, response)
        request_id = response.headers["x-request-id"]
        self.assert_eventually(lambda: self.collector.of_request(request_id), message=self.runnel.log())
        kinds = {span.kind for span in self.collector.of_request(request_id)}
        self.assertEqual(kinds, {"server", "client"})
