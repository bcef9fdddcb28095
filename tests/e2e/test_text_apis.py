"""Text completions and Ollama's API: what providers are asked, what clients are told, and who may ask."""

import json
import time

from client import get
from frames import frames_of
from gateway_test import GatewayTest
from key_admin import ADMIN_TOKEN, bearer, make_key
from pace import scaled

QUESTION = [{"role": "user", "content": "Hi"}]


class TextApis(GatewayTest):
    config = {"auth": {"mode": "keys"}, "admin": {"token": ADMIN_TOKEN}}

    def setUp(self):
        super().setUp()
        self.key = make_key(self.runnel.port)

    def send(self, method, path, body=None, key=None):
        with self.connect() as client:
            data = b"" if body is None else json.dumps(body).encode()
            client.request(method, path, data, bearer(key or self.key))
            return client.response()

    def post(self, path, **body):
        return self.send("POST", path, body)

    def lines(self, path, **body):
        """The objects of a stream that begins with 200, each on a line."""
        response = self.post(path, **body)
        self.assertEqual(response.status, 200, response.body)
        self.assertEqual(response.headers["content-type"], "application/x-ndjson")
        *lines, rest = response.body.split(b"\n")
        self.assertEqual(rest, b"")
        return [json.loads(line) for line in lines]

    def asked(self):
        """What the provider was asked last."""
        return self.upstream.requests[-1].json()


class Completions(TextApis):
    def test_a_prompt_is_a_message(self):
        answer = self.post("/v1/completions", model="local/m", prompt=["Once"], max_tokens=5, suffix="end", echo=True)
        self.assertEqual(answer.status, 200, answer.body)
        self.assertEqual(self.asked(), {"model": "m", "messages": [{"role": "user", "content": "Once"}], "max_tokens": 5})
        whole = answer.json()
        self.assertEqual(whole["choices"], [{"index": 0, "text": "OnceHello", "logprobs": None, "finish_reason": "stop"}])
        self.assertEqual((whole["object"], whole["usage"]["total_tokens"]), ("text_completion", 9))
        self.assertTrue(whole["id"].startswith("cmpl-"))

    def test_it_streams(self):
        answer = self.post("/v1/completions", model="claude/c", prompt="Hi", max_tokens=9, stream=True,
                           stream_options={"include_usage": True})
        chunks = frames_of(answer.body)
        self.assertEqual("".join(chunk["choices"][0]["text"] for chunk in chunks[:-1]), "Hello")
        self.assertEqual(chunks[-2]["choices"][0]["finish_reason"], "stop")
        self.assertEqual((chunks[-1]["choices"], chunks[-1]["usage"]["total_tokens"]), ([], 9))

    def test_every_choice_begins_with_the_prompt(self):
        def two(exchange):
            exchange.head()
            for index in (0, 1):
                for delta, finish in (({"content": f" {index}"}, None), ({}, "stop")):
                    choice = {"index": index, "delta": delta, "finish_reason": finish}
                    exchange.body(b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n")
                    time.sleep(0.01)  # so that one has been sent when the other begins
            exchange.finish()

        self.upstream.script = two
        answer = self.post("/v1/completions", model="local/m", prompt="Count:" * 1000, n=2, echo=True, stream=True)
        texts = ["", ""]
        for chunk in frames_of(answer.body):
            for choice in chunk["choices"]:
                texts[choice["index"]] += choice["text"]
        self.assertEqual(texts, ["Count:" * 1000 + " 0", "Count:" * 1000 + " 1"])

    def test_it_is_found_under_other_names(self):
        for path in ("/completions", "/openai/v1/completions", "/api/v1/completions/",
                     "/openai/deployments/local%2Fm/completions?api-version=2024-10-21"):
            with self.subTest(path):
                named = {} if "deployments" in path else {"model": "local/m"}
                answer = self.post(path, prompt="Hi", **named)
                self.assertEqual((answer.status, answer.json().get("object")), (200, "text_completion"))

    def test_what_is_wrong_is_told_in_openais_words(self):
        self.assert_error(self.post("/v1/completions", model="local/m", prompt=[1, 2]), 400, param="prompt")
        self.assert_error(self.post("/v1/completions", model="local/m", prompt=["a", "b"]), 400, param="prompt")
        self.assert_error(self.post("/v1/completions", model="no/m", prompt="a"), 404, "model_not_found")
        self.assertEqual(self.upstream.requests, [])

    def test_a_failure_in_the_middle_is_an_error_frame(self):
        def break_off(exchange):
            exchange.head()
            exchange.delta("Hel")
            exchange.reset()

        self.upstream.script = break_off
        answer = self.post("/v1/completions", model="local/m", prompt="Hi", stream=True)
        chunks = frames_of(answer.body)
        self.assertEqual(chunks[0]["choices"][0]["text"], "Hel")
        self.assertIn("error", chunks[-1])


class OllamaApi(TextApis):
    def test_a_chat_streams_unless_told_not_to(self):
        *parts, end = self.lines("/api/chat", model="claude/c", messages=QUESTION, options={"num_predict": 9})
        self.assertEqual("".join(part["message"]["content"] for part in parts), "Hello")
        self.assertEqual({part["done"] for part in parts}, {False})
        self.assertEqual((end["done"], end["done_reason"], end["prompt_eval_count"], end["eval_count"]),
                         (True, "stop", 7, 2))
        self.assertGreaterEqual(end["total_duration"], end["prompt_eval_duration"])
        self.assertEqual(self.asked()["max_tokens"], 9)
        whole = self.post("/api/chat", model="local/m", messages=QUESTION, stream=False)
        self.assertEqual(whole.headers["content-type"], "application/json")
        self.assertEqual(whole.json()["message"], {"role": "assistant", "content": "Hello"})

    def test_one_text_is_answered(self):
        *parts, end = self.lines("/api/generate", model="local/m", prompt="Hi", system="Be brief.")
        self.assertEqual("".join(part["response"] for part in parts), "Hello")
        self.assertEqual((end["response"], end["done_reason"]), ("", "stop"))
        self.assertEqual([message["role"] for message in self.asked()["messages"]], ["system", "user"])

    def test_what_only_ollama_knows_goes_to_ollama_alone(self):
        options = {"num_ctx": 4096, "temperature": 0.5}
        self.lines("/api/chat", model="llama/m", messages=QUESTION, options=options, keep_alive="5m")
        self.assertEqual(self.asked()["options"], options)
        self.assertNotIn("keep_alive", self.asked())
        self.lines("/api/chat", model="local/m", messages=QUESTION, options=options)
        self.assertEqual(self.asked()["temperature"], 0.5)
        self.assertNotIn("options", self.asked())

    def test_a_call_and_its_result_find_each_other(self):
        tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
        call = {"function": {"name": "f", "arguments": {"a": 1}}}
        messages = [*QUESTION, {"role": "assistant", "content": "", "tool_calls": [call]},
                    {"role": "tool", "tool_name": "f", "content": "7"}]
        self.lines("/api/chat", model="local/m", messages=messages, tools=tools)
        _, assistant, result = self.asked()["messages"]
        self.assertEqual(json.loads(assistant["tool_calls"][0]["function"]["arguments"]), {"a": 1})
        self.assertEqual(result["tool_call_id"], assistant["tool_calls"][0]["id"])

    def test_a_failure_is_the_last_line(self):
        def break_off(exchange):
            exchange.head()
            exchange.delta("Hel")
            exchange.reset()

        self.upstream.script = break_off
        part, end = self.lines("/api/chat", model="local/m", messages=QUESTION)
        self.assertEqual(part["message"]["content"], "Hel")
        self.assertEqual(list(end), ["error"])

    def test_a_failure_before_it_has_a_status(self):
        for method, path, body, status in (
                ("POST", "/api/chat", {"model": "no/m", "messages": QUESTION}, 404),
                ("POST", "/api/generate", {"model": "local/m", "prompt": 7}, 400),
                ("POST", "/api/show", {"model": "no/m"}, 404), ("POST", "/api/show", {}, 400), ("GET", "/api/chat", None, 405)):
            with self.subTest(path=path, body=body):
                response = self.send(method, path, body)
                self.assertEqual(response.status, status, response.body)
                self.assertEqual(list(response.json()), ["error"])
                self.assertIsInstance(response.json()["error"], str)

    def test_a_model_is_loaded_without_asking_it(self):
        for path, body in (("/api/generate", {"keep_alive": 0}), ("/api/chat", {"messages": []})):
            with self.subTest(path):
                end, = self.lines(path, model="local/m", **body)
                self.assertEqual((end["done"], end["done_reason"]), (True, "load"))
        self.assertEqual(self.post("/api/generate", model="no/m").status, 404)
        self.assertEqual(self.upstream.requests, [])

    def test_models_are_listed_and_shown_to_who_may_use_them(self):
        names = [model["name"] for model in self.send("GET", "/api/tags").json()["models"]]
        self.assertIn("claude/claude-haiku-4-5", names)
        shown = self.post("/api/show", name="claude/claude-haiku-4-5").json()
        self.assertEqual(shown["capabilities"], ["completion", "tools", "vision", "thinking"])
        self.assertEqual(shown["model_info"]["runnel.context_length"], 200_000)
        some = make_key(self.runnel.port, models=["google/*"])
        seen = self.send("GET", "/api/tags", key=some).json()["models"]
        self.assertTrue(seen and all(model["name"].startswith("google/") for model in seen))
        self.assertEqual(self.send("POST", "/api/show", {"model": "claude/claude-haiku-4-5"}, some).status, 403)
        self.assertEqual(self.send("GET", "/api/ps").json(), {"models": []})

    def test_every_one_but_the_version_asks_for_a_key(self):
        for path in ("/api/tags", "/api/ps"):
            self.assertEqual(get(self.runnel.port, path).status, 401)
        for path in ("/api/chat", "/api/generate", "/api/show"):
            with self.connect() as client:
                client.request("POST", path, b"{}", {"X-Nothing": "1"})
                response = client.response()
                self.assertEqual((response.status, list(response.json())), (401, ["error"]))
        self.assertEqual(get(self.runnel.port, "/api/version").status, 200)

    def test_it_stands_in_nobodys_way(self):
        self.assertEqual(get(self.runnel.port, "/api/health").json(), {"status": "ok"})
        answer = self.post("/api/v1/chat/completions", model="local/m", messages=QUESTION)
        self.assertEqual(answer.json()["object"], "chat.completion")


class Pings(TextApis):
    config = {**TextApis.config, "ping": "100ms"}

    def test_of_ollamas_belong_to_the_line_that_follows(self):
        def slowly(exchange):
            time.sleep(scaled(0.5))
            exchange.stream("Hel", "lo", gap=scaled(0.5))

        self.upstream.script = slowly
        response = self.post("/api/chat", model="local/m", messages=QUESTION)
        self.assertTrue(response.body.startswith(b" "), response.body)
        lines = response.body.decode().removesuffix("\n").split("\n")
        self.assertEqual("".join(json.loads(line)["message"]["content"] for line in lines), "Hello")


class Gateway(TextApis):
    """What the gateway does for chat completions it does for these, too."""
    config = {**TextApis.config, "cache": {"ttl": "1h"}, "logs": {"content": "on"},
              "guardrails": [{"name": "names", "words": ["heron"], "action": "redact"}],
              "limits": {"endpoints": {"/v1/models": {"rpm": 1}}},
              "models": {"worker": {"targets": ["demo/agent"], "tools": ["now"], "system": "Be brief."}}}

    def test_guardrails_look_at_what_is_asked_and_answered(self):
        self.upstream.script = lambda exchange: exchange.stream("A her", "on flies")
        body = {"model": "local/m", "prompt": "A heron", "stream": True}
        echoed = frames_of(self.post("/v1/completions", echo=True, **body).body)
        self.assertEqual(self.asked()["messages"][-1]["content"], "A [names]")
        self.assertEqual("".join(chunk["choices"][0]["text"] for chunk in echoed), "A [names]A [names] flies")
        parts = self.lines("/api/generate", **body, options={"seed": 2})
        self.assertEqual("".join(part["response"] for part in parts), "A [names] flies")

    def test_tools_run_here_do_not_show(self):
        for stream in (False, True):
            with self.subTest(stream=stream):
                response = self.post("/api/chat", model="worker", messages=QUESTION, stream=stream)
                self.assertEqual(response.status, 200, response.body)
                objects = [json.loads(line) for line in response.body.splitlines()]
                self.assertTrue("".join(one["message"]["content"] for one in objects))
                self.assertTrue(all("tool_calls" not in one["message"] for one in objects))

    def test_an_answer_is_cached_and_logged(self):
        answers = [self.post("/api/chat", model="local/m", messages=QUESTION, options={"seed": 3}) for _ in range(2)]
        self.assertEqual([answer.headers["x-cache"] for answer in answers], ["MISS", "HIT"])
        self.assertEqual(len(self.upstream.requests), 1)
        end = json.loads(answers[1].body.splitlines()[-1])
        self.assertEqual((end["done_reason"], end["eval_count"]), ("stop", 2))
        path = f"/v1/logs/{answers[0].headers['x-completion-id']}/stream?dialect=ollama"
        self.assert_eventually(lambda: self.send("GET", path).status == 200)
        told = [json.loads(line) for line in self.send("GET", path).body.splitlines()]
        self.assertEqual("".join(part["message"]["content"] for part in told), "Hello")

    def test_models_are_under_the_limits_of_models(self):
        self.assertEqual(self.send("GET", "/api/tags").status, 200)
        refused = self.post("/api/show", model="worker")
        self.assertEqual((refused.status, list(refused.json())), (429, ["error"]))

    def test_a_model_with_a_system_text_is_loaded_without_asking_it(self):
        end, = self.lines("/api/chat", model="worker", messages=[])
        self.assertEqual(end["done_reason"], "load")
