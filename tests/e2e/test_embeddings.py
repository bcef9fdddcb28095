"""Embeddings: asked for in OpenAI's words and in Gemini's, of providers of each kind; admitted, counted and kept like chats."""

import base64
import json
import struct

from client import Client, get
from fake_collector import FakeCollector
from gateway_test import GatewayTest
from key_admin import ADMIN_TOKEN, bearer, make_key
from metrics_page import scrape

PATH = "/v1/embeddings"


def embed_openai(exchange):
    """The number of each input, as OpenAI and its like have it; each input costs two tokens."""
    asked = exchange.request.json()
    inputs = asked["input"]
    in_base64 = asked.get("encoding_format") == "base64"
    data = [{"object": "embedding", "index": at, "embedding": base64_of([at, 0.5]) if in_base64 else [at, 0.5]}
            for at in range(len(inputs))]
    data.reverse()  # whoever reads them goes by their index
    reply(exchange, {"object": "list", "data": data, "model": asked["model"],
                     "usage": {"prompt_tokens": 2 * len(inputs), "total_tokens": 2 * len(inputs)}})


def embed_gemini(exchange):
    texts = [one["content"]["parts"][0]["text"] for one in exchange.request.json()["requests"]]
    reply(exchange, {"embeddings": [{"values": [len(text), 0.5]} for text in texts]})


def embed_ollama(exchange):
    texts = exchange.request.json()["input"]
    reply(exchange, {"model": "x", "embeddings": [[len(text), 0.5] for text in texts], "prompt_eval_count": 3})


def reply(exchange, answer):
    exchange.reply(200, json.dumps(answer).encode())


def fail(exchange):
    exchange.reply(500, b'{"error":{"message":"broken"}}')


def base64_of(numbers):
    return base64.b64encode(struct.pack(f"<{len(numbers)}f", *numbers)).decode()


def floats_of(text):
    data = base64.b64decode(text)
    return list(struct.unpack(f"<{len(data) // 4}f", data))


class EmbeddingsTest(GatewayTest):
    def call(self, path, body, headers=None):
        with Client(self.runnel.port) as client:
            client.request("POST", path, json.dumps(body).encode(), headers)
            return client.response()

    def embed(self, headers=None, path=PATH, **body):
        return self.call(path, {"model": "local/e", "input": "Hi", **body}, headers)

    def vectors(self, **body):
        response = self.embed(**body)
        self.assertEqual(response.status, 200, response.body)
        answer = response.json()
        self.assertEqual(answer["object"], "list")
        self.assertEqual([one["index"] for one in answer["data"]], list(range(len(answer["data"]))))
        return [one["embedding"] for one in answer["data"]]

    def log_of(self, response, headers=None):
        path = f"/admin/v1/logs/{response.headers['x-completion-id']}"
        self.assert_eventually(lambda: get(self.runnel.port, path).status == 200)
        return get(self.runnel.port, path).json()


class Providers(EmbeddingsTest):
    config = {"admin": {"token": ADMIN_TOKEN}}

    def test_openais_family(self):
        self.upstream.script = embed_openai
        response = self.embed(input=["a", "b"], dimensions=2, user="u", model="local/e")
        self.assertEqual(response.status, 200, response.body)
        answer = response.json()
        self.assertEqual([one["embedding"] for one in answer["data"]], [[0, 0.5], [1, 0.5]])
        self.assertEqual((answer["model"], answer["usage"]), ("local/e", {"prompt_tokens": 4, "total_tokens": 4}))
        self.assertEqual(response.headers["x-model-used"], "local/e")
        asked = self.upstream.requests[0]
        self.assertEqual((asked.target, asked.headers["authorization"]), ("/v1/embeddings", "Bearer sk-test-KEY"))
        self.assertEqual(asked.json(), {"model": "e", "input": ["a", "b"], "dimensions": 2})

    def test_gemini(self):
        self.upstream.script = embed_gemini
        self.assertEqual(self.vectors(model="google/gemini-embedding-001", input=["a", "bb"], dimensions=2), [[1, 0.5], [2, 0.5]])
        asked = self.upstream.requests[0]
        self.assertEqual((asked.target, asked.headers["x-goog-api-key"]),
                         ("/v1beta/models/gemini-embedding-001:batchEmbedContents", "sk-test-KEY"))

    def test_ollama(self):
        self.upstream.script = embed_ollama
        response = self.embed(model="llama/nomic", input=["a", "bb"])
        self.assertEqual([one["embedding"] for one in response.json()["data"]], [[1, 0.5], [2, 0.5]])
        self.assertEqual(response.json()["usage"]["prompt_tokens"], 3)
        self.assertEqual(self.upstream.requests[0].target, "/api/embed")

    def test_a_provider_without_them_is_not_asked(self):
        response = self.embed(model="claude/claude-haiku-4-5")
        self.assert_error(response, 400, "unsupported_parameter", param="model")
        self.assertIn("Anthropic has no embeddings", response.error["message"])
        self.assertEqual(self.upstream.requests, [])

    def test_numbers_and_base64_whatever_the_provider_has(self):
        for script, model in ((embed_openai, "local/e"), (embed_ollama, "llama/e"), (embed_gemini, "google/e")):
            with self.subTest(model):
                self.upstream.script = script
                numbers = self.vectors(model=model, input=["a", "bb"])
                coded = self.vectors(model=model, input=["a", "bb"], encoding_format="base64")
                self.assertEqual([floats_of(one) for one in coded], numbers)
                self.upstream.script = fail

    def test_the_model_is_told_as_it_was_asked_for_where_that_is_wanted(self):
        self.upstream.script = embed_openai
        self.assertEqual(self.embed(model="@local/e", echo_model=True).json()["model"], "@local/e")
        self.assertEqual(self.embed(model="@local/e").json()["model"], "local/e")
        self.assertEqual(set(self.upstream.requests[0].json()), {"model", "input"})

    def test_tokens(self):
        self.upstream.script = embed_openai
        for tokens, sent in (([1, 2], [[1, 2]]), ([[1], [2, 3]], [[1], [2, 3]])):
            self.upstream.forget()
            self.upstream.script = embed_openai
            self.assertEqual(len(self.vectors(input=tokens)), len(sent))
            self.assertEqual(self.upstream.requests[0].json()["input"], sent)
        self.assert_error(self.embed(model="google/e", input=[1, 2]), 400, "invalid_value", param="input")

    def test_large_inputs_are_asked_for_in_pieces(self):
        self.upstream.script = embed_gemini
        texts = ["a" * (at % 7 + 1) for at in range(250)]
        self.assertEqual(self.vectors(model="google/e", input=texts), [[len(text), 0.5] for text in texts])
        self.assertEqual([len(request.json()["requests"]) for request in self.upstream.requests], [100, 100, 50])

    def test_azures_path_and_other_spellings(self):
        self.upstream.script = embed_openai
        for path in ("/embeddings", "/openai/v1/embeddings", "/api/v1/embeddings", "/v1/embeddings/", "//v1//embeddings"):
            with self.subTest(path):
                self.assertEqual(self.embed(path=path).status, 200)
        response = self.call("/openai/deployments/local%2Fe/embeddings?api-version=2024-10-21", {"input": "Hi"})
        self.assertEqual(response.status, 200, response.body)

    def test_what_is_no_request(self):
        for wrong, param in (({"input": None}, "input"), ({"input": []}, "input"), ({"input": [{}]}, "input[0]"),
                             ({"encoding_format": "int8"}, "encoding_format"), ({"dimensions": -1}, "dimensions"),
                             ({"fallback": ["local/f"]}, "fallback")):
            with self.subTest(wrong):
                self.assert_error(self.embed(**wrong), 400, param=param)
        self.assertEqual(self.upstream.requests, [])

    def test_answers_that_are_none(self):
        for answer in (b"", b"{", b'{"data":[]}', b'{"data":[{"index":7,"embedding":[1]}]}', b'{"data":[{"embedding":[1]},{"embedding":[1]}]}',
                       b'{"data":[{"embedding":"\\u0000"}]}'):
            with self.subTest(answer):
                self.upstream.script = lambda exchange, answer=answer: exchange.reply(200, answer)
                self.assert_error(self.embed(retries=0), 502, "upstream_error")

    def test_the_demo_needs_no_provider(self):
        near = self.vectors(model="demo/embedding", input=["the cat sat", "a cat sat", "rates fell"])
        product = lambda a, b: sum(x * y for x, y in zip(a, b))
        self.assertGreater(product(near[0], near[1]), product(near[0], near[2]))
        self.assertEqual(near, self.vectors(model="demo/embedding", input=["the cat sat", "a cat sat", "rates fell"]))
        self.assertEqual(self.upstream.requests, [])


class GeminiInbound(EmbeddingsTest):
    config = {"admin": {"token": ADMIN_TOKEN}}

    def test_one_and_many(self):
        self.upstream.script = embed_openai
        for version in ("v1beta", "v1"):
            one = self.call(f"/{version}/models/local/e:embedContent", {"content": {"parts": [{"text": "a"}]}, "outputDimensionality": 2})
            self.assertEqual((one.status, one.json()), (200, {"embedding": {"values": [0, 0.5]},
                                                              "usageMetadata": {"promptTokenCount": 2, "totalTokenCount": 2}}))
            many = self.call(f"/{version}/models/local/e:batchEmbedContents",
                             {"requests": [{"model": "models/x", "content": {"parts": [{"text": text}]}} for text in "ab"]})
            self.assertEqual(many.json()["embeddings"], [{"values": [0, 0.5]}, {"values": [1, 0.5]}])
        self.assertEqual(self.upstream.requests[0].json()["dimensions"], 2)

    def test_the_task_reaches_gemini(self):
        self.upstream.script = embed_gemini
        self.call("/v1beta/models/google/e:embedContent", {"content": {"parts": [{"text": "a"}]}, "taskType": "CLUSTERING"})
        self.assertEqual(self.upstream.requests[0].json()["requests"][0]["taskType"], "CLUSTERING")

    def test_errors_are_geminis(self):
        response = self.call("/v1beta/models/local/e:embedContent", {})
        self.assertEqual((response.status, response.json()["error"]["status"]), (400, "INVALID_ARGUMENT"))


class Failures(EmbeddingsTest):
    config = {"admin": {"token": ADMIN_TOKEN},
              "models": {"same": {"targets": ["local/e", "llama/e"]},
                         "other": {"targets": ["local/e", "llama/f"]},
                         "declared": {"targets": ["local/e", "llama/f"], "same_model": True},
                         "mixed": {"targets": ["claude/e", "local/e"]}}}

    def test_what_passes_is_asked_again(self):
        self.upstream.play(fail, embed_openai)
        response = self.embed()
        self.assertEqual((response.status, response.headers["x-gateway-attempts"]), (200, "2"))

    def test_only_the_piece_that_failed_is_asked_again(self):
        self.upstream.play(embed_gemini, fail, embed_gemini)
        self.assertEqual(len(self.vectors(model="google/e", input=["a"] * 150)), 150)
        self.assertEqual([len(request.json()["requests"]) for request in self.upstream.requests], [100, 50, 50])

    def test_another_target_is_asked_where_it_is_the_same_model(self):
        for model in ("same", "declared"):
            with self.subTest(model):
                self.upstream.forget()
                self.upstream.play(fail, embed_ollama)
                response = self.embed(model=model, retries=0)
                self.assertEqual(response.status, 200, response.body)
                self.assertEqual([request.target for request in self.upstream.requests], ["/v1/embeddings", "/api/embed"])

    def test_no_other_model_is_asked(self):
        self.upstream.play(fail)
        response = self.embed(model="other", retries=0)
        self.assert_error(response, 502)
        self.assertEqual(len(self.upstream.requests), 1)
        self.upstream.play(embed_openai)
        self.assertEqual(self.embed(model="other").headers["x-gateway-warnings"], "fallback_skipped")

    def test_who_has_no_embeddings_is_passed_over(self):
        self.upstream.play(embed_openai)
        self.assertEqual(self.embed(model="mixed").json()["model"], "local/e")

    def test_a_refusal_is_told_with_the_providers_words(self):
        self.upstream.play(lambda exchange: exchange.reply(
            400, b'{"error":{"message":"dimensions is too large","type":"invalid_request_error","param":"dimensions","code":null}}'))
        response = self.embed(dimensions=9)
        self.assertEqual(response.status, 400)
        self.assertIn("dimensions", response.error["message"])
        self.assertEqual(len(self.upstream.requests), 1)

    def test_silence_ends(self):
        self.upstream.script = lambda exchange: exchange.hold()
        self.assert_error(self.embed(timeout=300), 504, "upstream_timeout")

    def test_a_client_that_leaves_is_noticed(self):
        closed = []
        self.upstream.script = lambda exchange: closed.append(exchange.hold())
        with Client(self.runnel.port) as client:
            client.request("POST", PATH, json.dumps({"model": "local/e", "input": "Hi"}).encode())
            self.assert_eventually(lambda: self.upstream.requests)
        self.assert_eventually(lambda: closed == [True])


class Accounts(EmbeddingsTest):
    config = {"admin": {"token": ADMIN_TOKEN}, "auth": {"mode": "keys"}, "logs": {"content": "on"},
              "prices": {"local/e": {"input": 1000, "output": 0}, "google/e": {"input": 1000, "output": 0}},
              "limits": {"endpoints": {"/v1/embeddings": {"rpm": 1000}}},
              "guardrails": [{"name": "mail", "kind": "pii", "pii": ["email"], "action": "redact"},
                             {"name": "word", "words": ["forbidden"]}]}

    def key(self, **fields):
        return bearer(make_key(self.runnel.port, **fields))

    def test_what_was_used_is_counted_priced_and_kept(self):
        self.upstream.script = embed_openai
        key = self.key(team="blue")
        response = self.embed(headers=key, input=["a", "b"], metadata={"about": "test"})
        record = self.log_of(response)
        self.assertEqual((record["model"], record["provider"], record["dialect"], record["status"]), ("local/e", "local", "embeddings", 200))
        self.assertEqual(record["usage"]["input"], 4)
        self.assertAlmostEqual(record["cost"]["usd"], 0.004)
        self.assertEqual(record["metadata"], {"about": "test"})
        usage = lambda: get(self.runnel.port, "/v1/usage", headers=key).json()["data"]
        self.assert_eventually(lambda: usage() and abs(usage()[0]["cost_usd"] - 0.004) < 1e-9)

    def test_what_nobody_counted_is_estimated(self):
        self.upstream.script = embed_gemini
        response = self.embed(headers=self.key(), model="google/e", input="abcdef")
        self.assertEqual(response.json()["usage"]["prompt_tokens"], 2)
        self.assertEqual(self.log_of(response)["usage"]["provenance"], "estimated")

    def test_a_budget_ends(self):
        self.upstream.script = embed_openai
        key = self.key(budget={"usd": 0.004})
        self.assertEqual(self.embed(headers=key, input=["a", "b"]).status, 200)
        self.assert_error(self.embed(headers=key), 402, "key_spend_limit_reached")

    def test_a_rate_ends(self):
        self.upstream.script = embed_openai
        key = self.key(limits={"rpm": 1})
        self.assertEqual(self.embed(headers=key).status, 200)
        self.assert_error(self.embed(headers=key), 429, "rate_limit_exceeded")

    def test_a_key_needs_the_scope_and_the_model(self):
        self.assert_error(self.embed(headers=self.key(scopes=["models:read"])), 403, "insufficient_scope")
        self.assert_error(self.embed(headers=self.key(models=["local/other"])), 403, "model_not_allowed")
        self.assertEqual(self.embed().status, 401)
        self.assertEqual(self.upstream.requests, [])

    def test_guardrails_look_at_each_text(self):
        self.upstream.script = embed_openai
        key = self.key()
        self.assertEqual(self.embed(headers=key, input=["mail me@example.com", "x"]).status, 200)
        sent = self.upstream.requests[0].json()["input"]
        self.assertNotIn("me@example.com", sent[0])
        self.assertEqual(sent[1], "x")
        response = self.embed(headers=key, input=["fine", "a forbidden word"])
        self.assert_error(response, 400, "guardrail_blocked")
        self.assertEqual(len(self.upstream.requests), 1)

    def test_what_was_asked_is_kept_where_content_is(self):
        self.upstream.script = embed_openai
        response = self.embed(headers=self.key(), input="keep this")
        self.log_of(response)
        content = get(self.runnel.port, f"/admin/v1/logs/{response.headers['x-completion-id']}/content")
        self.assertEqual(content.status, 200, content.body)
        self.assertEqual(content.json()["request"]["input"], "keep this")
        replayed = get(self.runnel.port, f"/admin/v1/logs/{response.headers['x-completion-id']}/stream")
        self.assertEqual(replayed.status, 200, replayed.body)

    def test_they_are_in_the_metrics(self):
        self.upstream.script = embed_openai
        self.assertEqual(self.embed(headers=self.key()).status, 200)
        told = lambda: [labels for name, labels, value in scrape(self.runnel.port).samples
                        if name == "runnel_requests_total" and value >= 1]
        self.assert_eventually(lambda: any(labels["dialect"] == "embeddings" for labels in told()))


class Traces(EmbeddingsTest):
    @classmethod
    def setUpClass(cls):
        cls.collector = FakeCollector()
        cls.addClassCleanup(cls.collector.close)
        cls.config = {"traces": {"endpoint": cls.collector.endpoint}}
        super().setUpClass()

    def test_the_operation_is_embeddings(self):
        self.upstream.script = embed_openai
        response = self.embed()
        self.assertIn("traceparent", self.upstream.requests[0].headers)
        spans = lambda: self.collector.of_request(response.headers["x-request-id"])
        self.assert_eventually(spans)
        self.assertIn("embeddings", json.dumps([span.attributes for span in spans()]))
