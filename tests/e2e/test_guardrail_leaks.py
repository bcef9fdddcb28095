"""What a hostile tester tries with guardrails: places in a request that nobody thinks of, and answers that say a match by every
way there is."""

import itertools
import json

from client import get
from frames import error_of, finish_of, frames_of, text_of
from gateway_test import GatewayTest, KINDS
from key_admin import ADMIN_TOKEN
from tools_test import CLIENT_TOOL, call, calls, streams

CARD = "4111 1111 1111 1111"
ASKED = {"when": "asked"}
QUESTION = {"role": "user", "content": "And?"}
FUNCTIONS = [{"name": "f", "parameters": {"type": "object"}}]


def picture(**fields):
    return [{"role": "user", "content": [{"type": "text", "text": "x"}, {"type": "image_url", "image_url": fields}]}]


def called(name="f", arguments="{}", result="1", **fields):
    made = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}, **fields}
    return [QUESTION, {"role": "assistant", "content": None, "tool_calls": [made]},
            {"role": "tool", "tool_call_id": "call_1", "content": result}]


def old_call(arguments="{}", result="1"):
    made = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": arguments}}
    return [QUESTION, made, {"role": "function", "name": "f", "content": result}]


def told(**fields):
    return [QUESTION, {"role": "assistant", "content": None, **fields}, QUESTION]


def requests_with(text):
    """By place: requests with the text in them."""
    close = text.replace(" ", "")
    file = {"type": "file", "file": {"filename": f"{text}.pdf", "file_data": "data:application/pdf;base64,AAAA"}}
    return {
        "address of a picture": {"messages": picture(url=f"https://example.org/?n={close}")},
        "address of a picture, the short way": {"messages": [{"role": "user", "content": [
            {"type": "text", "text": "x"}, {"type": "image_url", "image_url": f"https://example.org/?n={close}"}]}]},
        "field of an old call": {"messages": [{**message, "note": text} for message in old_call()], "functions": FUNCTIONS},
        "alternative text": {"messages": picture(url="https://example.org/a.png", alt=text)},
        "name of a file": {"messages": [{"role": "user", "content": [{"type": "text", "text": "x"}, file]}]},
        "field of a part": {"messages": [{"role": "user", "content": [{"type": "text", "text": "x", "note": text}]}]},
        "field of a message": {"messages": [{**QUESTION, "note": {"deep": [text]}}]},
        "refusal": {"messages": told(refusal=text)},
        "source": {"messages": told(content="x", annotations=[{"type": "url_citation", "url_citation": {"title": text}}])},
        "sound": {"messages": told(audio={"id": "a", "transcript": text})},
        "old call": {"messages": old_call(json.dumps({"a": text})), "functions": FUNCTIONS},
        "old result": {"messages": old_call(result=text), "functions": FUNCTIONS},
        "result in parts": {"messages": called(result=[{"type": "text", "text": text[:9]}, {"type": "text", "text": text[9:]}])},
        "name of a tool": {"messages": called(name=f"f-{close}")},
        "prediction": {"prediction": {"type": "content", "content": text}},
        "stop": {"stop": [text]},
        "user": {"user": text},
        "unknown field": {"documents": [{"text": text}]},
    }


def breaks_off(*texts):
    def script(exchange):
        exchange.head()
        for text in texts:
            exchange.delta(text)
        exchange.fin()
    return script


def with_logprobs(*pieces, field="content"):
    """An answer whose pieces are runs of tokens, with their probabilities."""
    def script(exchange):
        exchange.head()
        for tokens in pieces:
            probabilities = [{"token": token, "logprob": -1, "bytes": None, "top_logprobs": []} for token in tokens]
            choice = {"index": 0, "delta": {field: "".join(tokens)}, "logprobs": {field: probabilities}, "finish_reason": None}
            exchange.body(b"data: " + json.dumps({"id": "u1", "choices": [choice]}).encode() + b"\n\n")
        exchange.finish()
    return script


class Leaks(GatewayTest):
    config = {
        "admin": {"token": ADMIN_TOKEN},
        "logs": {"content": "on"},
        "guardrails": [
            {"name": "cards", "pii": ["card"], **ASKED},
            {"name": "masked", "pii": ["card"], "action": "redact", **ASKED},
            {"name": "names", "words": ["falcon"], "patterns": ["sec[0-9]{2}ret"], "action": "redact", **ASKED},
            {"name": "common", "words": ["user", "role", "text", "content", "assistant", "type"], **ASKED},
        ],
        "models": {"steady": {"targets": ["local/m", "local/n"], "midstream": "verified"}},
    }

    # Requests.

    def test_nothing_of_a_request_escapes(self):
        for (place, fields), kind, rule in itertools.product(requests_with(CARD).items(), KINDS, ("cards", "masked")):
            with self.subTest(place, kind=kind, rule=rule):
                self.upstream.forget()
                response = self.ask(model=f"{kind}/m", guardrails=[rule], **fields)
                if response.status != 200:
                    self.assertIn(response.error["code"], ("guardrail_blocked", "unsupported_parameter"), response.body)
                for request in self.upstream.requests:
                    json.loads(request.body)
                    self.assertNotIn("1111", request.body.decode())
                if rule == "cards":
                    self.assertEqual(self.upstream.requests, [])

    def test_the_words_that_requests_are_made_of_are_nobodys(self):
        for fields in ({}, {"messages": picture(url="data:image/png;base64,iVBORw0KGgo=", detail="low")}, {"messages": called()}):
            with self.subTest(fields):
                self.assertEqual(self.ask(guardrails=["common"], **fields).status, 200)
        self.assert_error(self.ask(guardrails=["common"], text="a user"), 400, "guardrail_blocked")

    # Answers.

    def test_probabilities_name_no_token_that_was_replaced(self):
        for tokens in (("fal", "con", " sec1", "x"), ("a", " falcon", " sec", "12", "ret", " ok")):
            for cuts in range(2 ** (len(tokens) - 1)):
                pieces = [[tokens[0]]]
                for i, token in enumerate(tokens[1:]):
                    if cuts >> i & 1:
                        pieces.append([token])
                    else:
                        pieces[-1].append(token)
                for stream in (True, False):
                    self.upstream.play(with_logprobs(*pieces))
                    body = self.ask(guardrails=["names"], logprobs=True, stream=stream).body
                    for token in ("falcon", "fal", "con", " falcon"):
                        self.assertNotIn(f'"token":"{token}"'.encode(), body, pieces)
                    self.assertIn(b"[names]", body)
        self.upstream.play(with_logprobs(["falcon"], [" no"], field="refusal"))
        body = self.ask(guardrails=["names"], logprobs=True).body
        self.assertNotIn(b"falcon", body)

    def test_a_tool_is_not_called_what_may_not_be_said(self):
        self.upstream.play(calls(call("falcon", '{"a":1}'), text="Well. "))
        response = self.ask(guardrails=["names"], tools=[CLIENT_TOOL])
        self.assertNotIn(b"falcon", response.body)
        self.assertEqual(finish_of(frames_of(response.body)), "content_filter")

    def test_arguments_with_every_kind_of_escape(self):
        for arguments in (r'{"a":"\u0066alcon"}', r'{"a":"f\u0061lc\u006fn","b":"x\/y"}', '{"falcon":1}', "falcon", '"falcon"',
                          r'{"a":"\ud83d\ude00falcon"}', r'{"a":"{\"b\":\"falcon\"}"}', r'{"a":"{\"b\":\"f\\u0061lcon\"}"}',
                          '{"a":"a falcon'):
            for at in range(len(arguments) + 1):
                rest = {"index": 0, "function": {"arguments": arguments[at:]}}
                self.upstream.play(streams({"tool_calls": [call("theirs", arguments[:at])]}, {"tool_calls": [rest]}, finish="tool_calls"))
                frames = self.frames(guardrails=["names"], tools=[CLIENT_TOOL])
                shown = "".join(delta["function"].get("arguments", "") for frame in frames for choice in frame["choices"]
                                for delta in choice["delta"].get("tool_calls", []))
                self.assertNotIn("alc", shown, (arguments, at))
                self.assertEqual("[names]" in shown, finish_of(frames) == "tool_calls", (arguments, at))

    def test_escapes_in_an_answer_that_is_json(self):
        answer = r'{"a":"f\u0061lcon","b":1}'
        for at in range(1, len(answer)):
            for stream in (True, False):
                self.upstream.play(streams(answer[:at], answer[at:]))
                body = self.ask(guardrails=["names"], json_only=True, stream=stream).body.decode()
                said = body.removeprefix("data: ").removesuffix("\n\ndata: [DONE]\n\n")
                self.assertEqual(json.loads(said), {"a": "[names]", "b": 1})

    def test_refusals_and_thoughts(self):
        text = "no falcon, ok"
        for field in ("refusal", "reasoning_content"):
            for at in range(1, len(text)):
                for stream in (True, False):
                    self.upstream.play(streams({field: text[:at]}, {field: text[at:]}))
                    body = self.ask(guardrails=["names"], stream=stream).body.decode()
                    for leak in ("falcon", "alcon", "falc"):
                        self.assertNotIn(leak, body, (field, at))

    def test_characters_that_come_in_halves(self):
        def script(*pieces):
            def run(exchange):
                exchange.head()
                for piece in pieces:
                    exchange.body(b'data: {"id":"u1","choices":[{"index":0,"delta":{"content":"%s"}}]}\n\n' % piece)
                exchange.finish()
            return run

        for pieces, said in (((b"\xc3", b"\xa9 fal", b"con"), "é [names]"), ((rb"\ud83d", rb"\ude00 fal", b"con"), "😀 [names]"),
                             ((b"fal", b"con\xf0\x9f", b"\x98\x80"), "[names]😀"), ((rb"\ud83d", b"falcon"), "\ufffd[names]"),
                             ((rb"\u0000fal", rb"con\u0000"), "\0[names]\0")):
            with self.subTest(pieces):
                self.upstream.play(script(*pieces))
                self.assertEqual(text_of(self.frames(guardrails=["names"])), said)

    def test_endless_runs_are_no_matches(self):
        for text in ("4" * 20000, "a" * 20000, "4111 " * 4000):
            for size in (7, 500, len(text)):
                self.upstream.play(streams(*(text[at:at + size] for at in range(0, len(text), size))))
                frames = self.frames(guardrails=["masked", "names"])
                self.assertEqual((len(text_of(frames)), finish_of(frames)), (len(text), "stop"), (text[:5], size))

    def test_half_a_match_before_and_half_after_a_switch(self):
        text = "So: a falcon flies, 4111 1111 1111 1111."
        for at in range(1, len(text)):
            for rules, said, finish in ((["names"], text.replace("falcon", "[names]"), "stop"),
                                        (["cards"], text[:text.index("4")], "content_filter")):
                self.upstream.play(breaks_off(text[:at]), streams(text[:at - 1], text[at - 1:]))
                frames = self.frames(model="steady", guardrails=rules, retries=0)
                self.assertEqual((text_of(frames), finish_of(frames), error_of(frames)), (said, finish, None), at)

    # What is kept.

    def test_what_is_kept_of_an_answer_is_what_was_shown(self):
        headers = {"Authorization": f"Bearer {ADMIN_TOKEN}"}
        for rule, script in (("names", streams("the fal", "con flies")), ("cards", streams("Card 4111 1111", " 1111 1111 x")),
                             ("names", calls(call("theirs", '{"a":"falcon"}')))):
            self.upstream.play(script)
            response = self.ask(guardrails=[rule], text="a falcon" if rule == "names" else "x", tools=[CLIENT_TOOL])
            path = f"/v1/logs/{response.headers['x-request-id']}"
            self.assert_eventually(lambda: get(self.runnel.port, path, headers=headers).status == 200)
            for view in ("", "/content", "/stream", "/stream?dialect=timeline"):
                kept = get(self.runnel.port, path + view, headers=headers)
                self.assertEqual(kept.status, 200, kept.body)
                for leak in (b"falcon", b"4111"):
                    self.assertNotIn(leak, kept.body, view)
