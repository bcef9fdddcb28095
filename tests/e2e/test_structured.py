"""Answers that are JSON: json_only, schemas, and response_format where the provider has none."""

import json
import random
import time

from client import chat_bytes
from fake_upstream import InStep
from frames import error_of, finish_of, frames_of, partial_frames, text_of
from gateway_test import GatewayTest
from pace import scaled

PING = b": ping\n\n"
DIALECTS = ("openai", "timeline", "agent", "agent-raw")
MODELS = ("local/m", "claude/claude-3-5-haiku", "claude/claude-sonnet-4-5", "google/gemini-2.5-flash", "llama/m")

CAPITALS = {"capitals": [{"country": "France", "city": "Paris"}, {"country": "Österreich", "city": "Wien 🎡"}]}
FENCED = f"Here it is:\n```json\n{json.dumps(CAPITALS, indent=2, ensure_ascii=False)}\n```\n"
CAPITALS_LINE = json.dumps(CAPITALS, separators=(",", ":"), ensure_ascii=False)

SCHEMA = {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}, "additionalProperties": False}
JSON_OBJECT = {"type": "json_object"}
TOOL = {"type": "function", "function": {"name": "theirs", "parameters": {"type": "object"}}}


def json_schema(schema=None, **fields):
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema or SCHEMA, **fields}}


def pieces_of(text, count):
    """The text cut in so many places, at random."""
    cuts = sorted(random.Random(text + str(count)).sample(range(1, len(text)), min(count, len(text)) - 1))
    return [text[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(text)])]


def says(text, pieces=3, finish="stop", usage=(10, 2)):
    """A turn with this text, streamed or whole as it is asked for."""
    def script(exchange):
        if not exchange.streamed:
            exchange.reply(200, exchange.wire.whole(text, finish, usage))
            return
        exchange.head()
        for piece in pieces_of(text, pieces) if len(text) > 1 else [text]:
            exchange.delta(piece)
        exchange.finish(finish, usage)
    return script


class StructuredTest(GatewayTest):
    config = {"models": {
        "op": {"targets": ["local/m"], "tools": ["calculator"]},
        "two": {"targets": ["local/m", "llama/m"]},
    }}

    def messages(self, number):
        return self.upstream.requests[number].json()["messages"]

    def told(self, **request):
        """The text of an answer, streamed and whole, and how often the model was asked for each."""
        turns = request.pop("turns")
        self.upstream.forget()
        self.upstream.play(*turns)
        streamed = self.frames(stream=True, **request)
        asked = len(self.upstream.requests)
        self.upstream.forget()
        self.upstream.play(*turns)
        whole = self.ask(stream=False, **request)
        self.assertEqual(whole.status, 200, whole.body)
        message = whole.json()["choices"][0]["message"]
        self.assertEqual(message["content"], text_of(streamed))
        self.assertEqual(len(self.upstream.requests), asked)
        return text_of(streamed), asked


class JsonOnly(StructuredTest):
    def test_one_event_in_every_dialect_from_every_provider(self):
        for model in MODELS:
            for dialect in DIALECTS:
                with self.subTest(model=model, dialect=dialect):
                    self.upstream.play(says('Here it is:\n```json\n{\n "a": 1\n}\n```', 7))
                    response = self.ask(model=model, json_only=True, headers={"X-Stream-Dialect": dialect})
                    self.assertEqual(response.body, b'data: {"a":1}\n\ndata: [DONE]\n\n')
                    self.assertTrue(response.headers["content-type"].startswith("text/event-stream"))
                    self.assertEqual(response.headers["x-stream-dialect"], dialect)
                    self.assertIn("x-completion-id", response.headers)

    def test_however_the_text_is_cut(self):
        for count in (1, 2, 20, 40, len(FENCED)):
            self.upstream.play(says(FENCED, count))
            body = self.ask(json_only=True, stream_options={"include_usage": True}).body
            self.assertEqual(body.decode(), f"data: {CAPITALS_LINE}\n\ndata: [DONE]\n\n")

    def test_the_body_is_the_json_where_nothing_is_streamed(self):
        for model in MODELS:
            with self.subTest(model):
                self.upstream.play(says(FENCED))
                response = self.ask(model=model, stream=False, json_only=True)
                self.assertEqual(response.status, 200)
                self.assertEqual(response.headers["content-type"], "application/json")
                self.assertTrue(response.headers["x-completion-id"].startswith("chatcmpl-"))
                self.assertEqual(response.body.decode(), CAPITALS_LINE)

    def test_the_model_is_told_and_the_provider_is_not(self):
        self.upstream.play(says("{}"))
        self.ask(json_only=True, messages=[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "x"}])
        body = self.upstream.requests[0].json()
        self.assertNotIn("json_only", body)
        self.assertEqual([message["role"] for message in body["messages"]], ["system", "system", "user"])
        self.assertIn("JSON", body["messages"][1]["content"])

    def test_no_json_at_all(self):
        for stream in (True, False):
            self.upstream.forget()
            self.upstream.play(says("Paris, of course."))
            response = self.ask(stream=stream, json_only=True, headers={"X-Request-ID": f"none-{stream}"})
            self.assert_error(response, 400, "response_schema_unsatisfied", "invalid_request_error")
            self.assertEqual(len(self.upstream.requests), 1)
            self.assert_eventually(lambda: self.runnel.log_of(f"none-{stream}"))
            line = self.runnel.log_of(f"none-{stream}")[0]
            self.assertEqual((line["error"], line["input_tokens"]), ("response_schema_unsatisfied", 10))

    def test_a_schema_is_minded(self):
        self.upstream.play(says('{"b": 1}'), says('{"a": 1}'))
        response = self.ask(json_only=True, response_schema=SCHEMA)
        self.assertEqual(response.body, b'data: {"a":1}\n\ndata: [DONE]\n\n')
        self.assertEqual(len(self.upstream.requests), 2)

    def test_tools_of_the_client_contradict_it(self):
        response = self.ask(json_only=True, tools=[TOOL])
        self.assert_error(response, 400, "invalid_value", param="json_only")
        self.assertEqual(self.upstream.requests, [])

    def test_tools_of_the_gateway_run_first_and_unseen(self):
        def calculates(exchange):
            call = {"index": 0, "id": "call_1", "type": "function",
                    "function": {"name": "calculator", "arguments": '{"expression":"6*7"}'}}
            exchange.head()
            exchange.delta("Let me see {")
            exchange.body(exchange.wire._chunk({"tool_calls": [call]}))
            exchange.finish("tool_calls")

        for dialect in DIALECTS:
            with self.subTest(dialect):
                self.upstream.forget()
                self.upstream.play(calculates, says("No."), says('{"a": 42}'))
                response = self.ask(model="op", json_only=True, response_schema=SCHEMA,
                                    headers={"X-Stream-Dialect": dialect})
                self.assertEqual(response.body, b'data: {"a":42}\n\ndata: [DONE]\n\n')
                self.assertEqual([message["role"] for message in self.messages(2)],
                                 ["system", "user", "assistant", "tool", "assistant", "user"])


class Schemas(StructuredTest):
    def test_asked_again_until_it_fits(self):
        for model in MODELS:
            with self.subTest(model):
                turns = [says("Sure! Which a?", usage=(10, 3)), says('{"a": "1"}', usage=(20, 5)),
                         says('{"a": 1}', usage=(30, 7))]
                self.upstream.forget()
                self.upstream.play(*turns)
                frames = self.frames(model=model, response_schema=SCHEMA, stream_options={"include_usage": True})
                self.assertEqual(text_of(frames), '{"a":1}')
                self.assertEqual(finish_of(frames), "stop")
                self.assertEqual(len(self.upstream.requests), 3)
                self.assertEqual(len({frame["id"] for frame in frames}), 1)
                usage = [frame["usage"] for frame in frames if frame.get("usage")]
                self.assertEqual([(u["prompt_tokens"], u["completion_tokens"]) for u in usage], [(60, 15)])

                self.upstream.forget()
                self.upstream.play(*turns)
                whole = self.ask(model=model, stream=False, response_schema=SCHEMA).json()
                self.assertEqual(whole["choices"][0]["message"]["content"], '{"a":1}')
                self.assertEqual(whole["usage"]["total_tokens"], 75)

    def test_the_model_is_told_what_was_wrong(self):
        self.upstream.play(says('{"a": "1"}'), says('{"a": 1}'))
        self.ask(response_schema=SCHEMA)
        self.assertNotIn("response_schema", self.upstream.requests[0].json())
        first, second = self.messages(0), self.messages(1)
        self.assertEqual([message["role"] for message in first], ["system", "user"])
        self.assertIn(json.dumps(SCHEMA, separators=(",", ":")), first[0]["content"])
        self.assertEqual([message["role"] for message in second], ["system", "user", "assistant", "user"])
        self.assertEqual(second[2]["content"], '{"a": "1"}')
        self.assertIn("$.a must be an integer, not a string", second[3]["content"])

    def test_it_ends_some_time(self):
        for fields, attempts in (({"response_schema": SCHEMA}, 3),
                                 ({"response_format": json_schema(healing_options={"max_attempts": 2})}, 2)):
            self.upstream.forget()
            self.upstream.script = says('{"a": "1"}')
            name = f"ends-{attempts}"
            response = self.ask(headers={"X-Request-ID": name}, **fields)
            self.assert_error(response, 400, "response_schema_unsatisfied")
            self.assertIn("$.a must be an integer", response.error["message"])
            self.assertEqual(len(self.upstream.requests), attempts)
            self.assert_eventually(lambda: self.runnel.log_of(name))
            line = self.runnel.log_of(name)[0]
            self.assertEqual((line["rounds"], line["input_tokens"]), (attempts, 10 * attempts))
            self.assertNotIn("$.a", line["detail"])  # what was said stays out of the log

    def test_healing_options_stay_here(self):
        self.upstream.play(says('{"a": "1"}'), says('{"a": 1}'))
        told = json_schema(strict=True)
        asked = json_schema(strict=True, healing_options={"max_attempts": 2})
        self.assertEqual(text_of(self.frames(response_format=asked)), '{"a":1}')
        self.assertEqual([request.json()["response_format"] for request in self.upstream.requests], [told, told])

    def test_a_schema_is_an_object(self):
        for schema in ("string", 3, [SCHEMA], True):
            self.assert_error(self.ask(response_schema=schema), 400, "invalid_value", param="response_schema")
        response = self.ask(response_format=json_schema(healing_options={"max_attempts": 11}))
        self.assert_error(response, 400, "invalid_value",
                          param="response_format.json_schema.healing_options.max_attempts")
        self.assertEqual(self.upstream.requests, [])

    def test_calls_of_the_clients_tools_go_on_as_they_are(self):
        def calls(exchange):
            call = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "theirs", "arguments": "{}"}}
            exchange.head()
            exchange.delta("One moment.")
            exchange.body(exchange.wire._chunk({"tool_calls": [call]}))
            exchange.finish("tool_calls")

        self.upstream.play(calls)
        frames = self.frames(response_schema=SCHEMA, tools=[TOOL])
        self.assertEqual((text_of(frames), finish_of(frames)), ("One moment.", "tool_calls"))
        self.assertEqual(len(self.upstream.requests), 1)

    def test_what_was_cut_off_is_not_taken_for_whole(self):
        self.upstream.play(says('{"a": 12', finish="length"))
        response = self.ask(response_schema=SCHEMA)
        self.assert_error(response, 400, "response_schema_unsatisfied")
        self.assertIn("max_tokens", response.error["message"])
        self.assertEqual(len(self.upstream.requests), 1)


class Failures(StructuredTest):
    def test_another_target_answers_as_long_as_nothing_was_shown(self):
        def breaks_off(exchange):
            exchange.head()
            exchange.delta('{"a":')
            exchange.fin()

        def refuses(exchange):
            exchange.reply(404, exchange.wire.error("no such model"))

        for turns in ([breaks_off, says('{"a": 1}')], [says("No."), refuses, says('{"a": 1}')]):
            for fields in ({"json_only": True, "response_schema": SCHEMA}, {"response_schema": SCHEMA}):
                self.upstream.forget()
                self.upstream.play(*turns)
                response = self.ask(model="two", retries=0, **fields)
                self.assertEqual(response.status, 200, response.body)
                self.assertIn(b'{"a":1}' if "json_only" in fields else b'{\\"a\\":1}', response.body)
                self.assertIn("/api/chat", self.upstream.requests[-1].target)
                self.assertEqual(response.headers["x-model-used"], "llama/m")

    def test_an_upstream_error_is_told_as_such(self):
        self.upstream.script = lambda exchange: exchange.reply(500, exchange.wire.error("broken"))
        self.assert_error(self.ask(retries=0, json_only=True), 502)
        self.upstream.play(says("No."))
        self.assert_error(self.ask(retries=0, response_schema=SCHEMA), 502)


class Pings(StructuredTest):
    config = {"ping": "60ms"}

    def test_go_on_while_the_model_tries(self):
        def slowly(text):
            def script(exchange):
                exchange.head()
                exchange.delta(text[:3])
                time.sleep(scaled(0.2))
                exchange.delta(text[3:])
                exchange.finish()
            return script

        self.upstream.play(slowly("Sure."), slowly('{"a": 1}'))
        response = self.ask(json_only=True, response_schema=SCHEMA)
        self.assertIn(PING, response.body)
        self.assertEqual(response.body.replace(PING, b""), b'data: {"a":1}\n\ndata: [DONE]\n\n')

        for dialect in DIALECTS:
            self.upstream.play(slowly("Never."))
            response = self.ask(json_only=True, headers={"X-Stream-Dialect": dialect})
            self.assertEqual(response.status, 200)
            error = error_of(frames_of(response.body.replace(PING, b"")))
            self.assertEqual(error["code"], "response_schema_unsatisfied")


class Formats(StructuredTest):
    def test_go_on_to_providers_that_have_them(self):
        for format in (JSON_OBJECT, json_schema()):
            self.upstream.play(says('{"a": 1}'))
            self.assertEqual(text_of(self.frames(response_format=format)), '{"a": 1}')  # as it came
            self.assertEqual(self.upstream.requests[-1].json()["response_format"], format)
            self.assertEqual(len(self.messages(-1)), 1)

    def test_which_stream_as_they_speak(self):
        for model, format in (("local/m", JSON_OBJECT), ("claude/claude-sonnet-4-5", json_schema()),
                              ("google/gemini-2.5-flash", json_schema()), ("llama/m", JSON_OBJECT)):
            with self.subTest(model):
                script = InStep('{"a":', " 1}")
                self.upstream.play(script)
                client = self.connect()
                client.send(chat_bytes(model=model, response_format=format))
                client.head()
                self.assertEqual(text_of(partial_frames(client.next_piece())), '{"a":')
                script.go_on(2)
                client.rest()

    def test_are_emulated_where_they_are_missing(self):
        anthropic = "claude/claude-3-5-haiku"
        for format in (JSON_OBJECT, json_schema()):
            text, asked = self.told(model=anthropic, response_format=format, turns=[says("Sure."), says(FENCED if format is JSON_OBJECT else '```json\n{"a": 1}\n```')])
            self.assertEqual(asked, 2)
            self.assertEqual(text, CAPITALS_LINE if format is JSON_OBJECT else '{"a":1}')
            for request in self.upstream.requests:
                self.assertNotIn("response_format", request.json())

    def test_a_provider_that_takes_no_notice_of_them_is_helped(self):
        for model in MODELS:
            text, asked = self.told(model=model, response_format=json_schema(), turns=[says('Here:\n```json\n{"a": 1}\n```')])
            self.assertEqual((text, asked), ('{"a":1}', 1))

    def test_several_answers_are_not_looked_at(self):
        choices = [{"index": i, "message": {"role": "assistant", "content": "x"}, "finish_reason": "stop"} for i in (0, 1)]
        self.upstream.play(lambda exchange: exchange.reply(200, json.dumps({"choices": choices}).encode()))
        answer = self.ask(stream=False, n=2, response_format=JSON_OBJECT).json()
        self.assertEqual([choice["message"]["content"] for choice in answer["choices"]], ["x", "x"])


class Demo(StructuredTest):
    def test_shows_it_without_a_key(self):
        response = self.ask(model="demo/text", json_only=True, response_schema=SCHEMA)
        self.assertEqual(response.body, b'data: {"a":1}\n\ndata: [DONE]\n\n')
        answer = self.ask(model="demo/text", stream=False, json_only=True).json()
        self.assertEqual(list(answer), ["answer"])
        text = text_of(self.frames(model="demo/reasoning", response_format=json_schema()))
        self.assertEqual(json.loads(text), {"a": 1})
        self.assert_error(self.ask(model="demo/echo", json_only=True), 400, "response_schema_unsatisfied")
        self.assert_error(self.ask(model="demo/length", json_only=True), 400, "response_schema_unsatisfied")
