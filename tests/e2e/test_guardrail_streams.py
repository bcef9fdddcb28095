"""Answers under guardrails, in every dialect and by every way they take: nothing of a match is seen, however it is split,
and nothing else is delayed."""

import itertools
import json
import re
import threading

from client import chat_bytes, get
from frames import error_of, finish_of, frames_of, partial_frames, text_of
from gateway_test import GatewayTest, KINDS
from key_admin import ADMIN_TOKEN
from pace import LIMIT
from provider_wires import USAGE
from tools_test import CLIENT_TOOL, call, calls, says, streams

CARD = "4111 1111 1111 1111"
DIALECTS = ("openai", "timeline", "agent", "agent-raw")
ASKED = {"when": "asked"}
FOUND = {  # by each kind of personal data
    "email": "jo.doe+x@mail.example.org",
    "phone": "+49 30 901820",
    "card": "5500-0000-0000-0004",
    "iban": "DE89 3704 0044 0532 0130 00",
    "secret": "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD",
}


def plain(response):
    """The stream's frames as JSON, whatever their shape; [DONE] must be the last, once."""
    data = [line[6:] for line in response.body.decode().split("\n") if line.startswith("data: ")]
    assert data[-1] == "[DONE]" and data.count("[DONE]") == 1, data[-2:]
    return [json.loads(frame) for frame in data[:-1]]


def words_of(frames, field="content"):
    return "".join(choice["delta"].get(field) or "" for frame in frames for choice in frame.get("choices") or [])


def splits(text, pieces):
    """The text in so many pieces, in every way."""
    for cuts in itertools.combinations(range(1, len(text)), pieces - 1):
        yield [text[a:b] for a, b in zip((0, *cuts), (*cuts, len(text)))]


def at_once(*parts):
    """An answer whose texts, finish and usage come in one segment."""
    def script(exchange):
        exchange.head()
        texts = b"".join(exchange.framed(exchange.delta_bytes(part)) for part in parts)
        exchange.raw(texts + exchange.framed(exchange.wire.finish("stop", USAGE)) + exchange.end_bytes())
    return script


class GuardedStreams(GatewayTest):
    @classmethod
    def setUpClass(cls):
        cls.config = {
            "admin": {"token": ADMIN_TOKEN},
            "cache": {"ttl": "1h"},
            "guardrails": [
                {"name": "cards", "pii": ["card"], **ASKED},
                {"name": "veiled", "pii": ["card"], "action": "redact", **ASKED},
                {"name": "masked", "kind": "pii", "action": "redact", **ASKED},
                {"name": "names", "patterns": [r"fal{1,3}con"], "words": ["night owl"], "action": "redact", **ASKED},
                {"name": "never", "words": ["heron"], "action": "decline", **ASKED},
                {"name": "quiet", "words": ["hush"], "action": "log", **ASKED},
                {"name": "thoughts", "words": ["heron"], "on": ["reasoning"], **ASKED},
                {"name": "said", "words": ["heron"], "on": ["output"], **ASKED},
            ],
            "models": {"armed": {"targets": ["local/m"], "tools": ["calculator"]},
                       "fallen": {"targets": ["claude/m", "local/m"], "cached": False},
                       "uncached": {"targets": ["local/m"], "cached": False}},
        }
        super().setUpClass()

    def told(self, *scripts, model="uncached", **request):
        self.upstream.play(*scripts)
        response = self.ask(model=model, **request)
        self.assertEqual(response.status, 200, response.body)
        return response

    def record(self, response):
        path = f"/v1/logs/{response.headers['x-completion-id']}"
        headers = {"Authorization": f"Bearer {ADMIN_TOKEN}"}
        self.assert_eventually(lambda: get(self.runnel.port, path, headers=headers).status == 200)
        return get(self.runnel.port, path, headers=headers).json()

    # Ends.

    def test_a_block_ends_the_stream_well_in_every_dialect(self):
        for dialect in DIALECTS:
            with self.subTest(dialect):
                # Who is cut off is not waited for: what is used is told as far as it is known by then.
                response = self.told(at_once("Card 4111", " 1111 1111", " 1111 ok", " and more"), guardrails=["cards"],
                                     stream_dialect=dialect, stream_options={"include_usage": True})
                frames = plain(response)
                self.assertEqual(words_of(frames), "Card ")
                numbers = rb'"created":\d+|' + response.headers["x-completion-id"].encode()
                self.assertNotIn(b"11", re.sub(numbers, b"", response.body))
                reasons = [choice["finish_reason"] for frame in frames for choice in frame.get("choices") or []
                           if choice.get("finish_reason")]
                self.assertEqual(reasons, ["content_filter"])
                self.assertFalse([frame for frame in frames if frame.get("error")])
                usage = [frame["usage"] for frame in frames if frame.get("usage")]
                self.assertEqual(len(usage), 1, frames)

    def test_what_a_cut_answer_used_is_estimated(self):
        """Whoever was cut off has not counted, or not all of it; the client is told what the record says."""
        def script(exchange):
            exchange.head()
            exchange.delta("The card that you asked for is ")
            exchange.delta(f"{CARD} and ")
            exchange.hold()

        for kind, dialect in itertools.product(KINDS, DIALECTS):
            with self.subTest(kind, dialect=dialect):
                response = self.told(script, model=f"{kind}/m", guardrails=["cards"], stream_dialect=dialect,
                                     stream_options={"include_usage": True}, headers={"X-Cache": "no-cache"})
                usage = [frame["usage"] for frame in plain(response) if frame.get("usage")]
                self.assertEqual(len(usage), 1)
                record = self.record(response)["usage"]
                self.assertEqual(record["provenance"], "estimated")
                self.assertGreater(record["output"], 8)
                self.assertGreater(record["input"], 0)
                self.assertEqual((usage[0]["prompt_tokens"], usage[0]["completion_tokens"]), (record["input"], record["output"]))

    def test_what_a_round_used_that_was_cut_is_estimated(self):
        def cut(exchange):
            exchange.head()
            exchange.delta(f"The card that you asked for is {CARD} and ")
            exchange.hold()

        response = self.told(calls(call("calculator", '{"expression":"1+1"}')), cut, model="armed", guardrails=["cards"],
                             stream_options={"include_usage": True}, headers={"X-Cache": "no-cache"})
        record = self.record(response)["usage"]
        self.assertEqual(record["provenance"], "estimated")
        self.assertGreater(record["output"], 6 + 8)

    def test_what_rounds_before_a_cut_one_have_counted_is_not_estimated(self):
        """Also where the cut comes with the failure of the last round: what was held is looked at then."""
        def failing(exchange):
            exchange.head()
            exchange.delta(f"The card that you asked for is {CARD}")
            exchange.fin()

        response = self.told(calls(call("calculator", '{"expression":"1+1"}')), failing, model="armed", guardrails=["cards"],
                             retries=0, stream_options={"include_usage": True}, headers={"X-Cache": "no-cache"})
        self.assertEqual(finish_of(plain(response)), "content_filter")
        record = self.record(response)["usage"]
        self.assertEqual((record["input"], record["provenance"]), (20, "estimated"))
        self.assertGreater(record["output"], 6 + 8)

    def test_a_cut_answer_that_was_counted_is_not_estimated(self):
        response = self.told(at_once("Card ", CARD), guardrails=["cards"], stream_options={"include_usage": True})
        record = self.record(response)["usage"]
        self.assertEqual((record["input"], record["output"], record["provenance"]), (*USAGE, "reported"))

    def test_who_did_not_ask_is_not_told_what_a_cut_answer_used(self):
        response = self.told(streams("Card ", CARD, " and more"), guardrails=["cards"])
        self.assertNotIn(b'"usage":{', response.body)
        self.assertGreater(self.told(streams("Card ", CARD), guardrails=["cards"], stream=False).json()["usage"]["total_tokens"], 0)

    def test_the_record_says_what_ended_it(self):
        response = self.told(streams("Card ", CARD, " and more"), guardrails=["cards"])
        record = self.record(response)
        self.assertEqual((record["finish_reason"], record["guardrails"], record["error"]), ("content_filter", ["cards: block"], None))
        self.assertGreater(record["usage"]["output"], 0)

    def test_the_record_and_the_client_are_told_when_nobody_could_look_at_it(self):
        response = self.told(streams("sk-proj-" + "a" * 20_000, " and more"), guardrails=["masked"])
        self.assertEqual(finish_of(plain(response)), "content_filter")
        self.assertEqual(response.headers["x-gateway-warnings"], "guardrail_gave_up")
        self.assertEqual(self.record(response)["warnings"], ["guardrail_gave_up"])

    def test_the_record_says_what_was_found_before_a_stream_broke(self):
        def breaking(exchange):
            exchange.head()
            exchange.delta(f"Card {CARD} and more ")
            exchange.fin()

        record = self.record(self.told(breaking, guardrails=["veiled"]))
        self.assertEqual(record["guardrails"], ["veiled: redact"])
        self.assertIsNotNone(record["error"])

    def test_a_decline_in_an_answer_is_a_block(self):
        frames = frames_of(self.told(streams("the he", "ron flies"), guardrails=["never"]).body)
        self.assertEqual((text_of(frames), finish_of(frames)), ("the ", "content_filter"))

    def test_what_is_only_logged_passes_and_waits_for_nothing(self):
        response = self.told(streams("hu", "sh now"), guardrails=["quiet"])
        self.assertEqual(text_of(frames_of(response.body)), "hush now")
        self.assertEqual(self.record(response)["guardrails"], ["quiet: log"])

    # Splits.

    def test_a_redacted_match_leaks_nothing_however_it_is_split(self):
        text = "a fallcon, a night owl; ok"
        for pieces in (*splits(text, 2), *itertools.islice(splits(text, 3), 0, None, 3), list(text)):
            frames = frames_of(self.told(streams(*pieces), guardrails=["names"]).body)
            self.assertEqual((text_of(frames), finish_of(frames)), ("a [names], a [names]; ok", "stop"), pieces)

    def test_each_kind_of_personal_data_at_every_split(self):
        for kind, found in FOUND.items():
            text = f"so: {found}, now"
            for pieces in (*splits(text, 2), list(text)):
                said = text_of(frames_of(self.told(streams(*pieces), guardrails=["masked"]).body))
                self.assertEqual(said, text.replace(found, f"[{kind}]"), pieces)

    def test_characters_of_several_bytes_and_escapes_around_a_match(self):
        text = "é\"\n日本 falcon 😀\\"
        for pieces in splits(text, 3):
            frames = frames_of(self.told(streams(*pieces), guardrails=["names"]).body)
            self.assertEqual(text_of(frames), "é\"\n日本 [names] 😀\\", pieces)

    def test_a_match_that_is_written_in_escapes_on_the_wire(self):
        def script(exchange):
            exchange.head()
            for piece in (r"\u0066a", r"l\u0063", r"on ok"):
                exchange.body(b'data: {"id":"u1","choices":[{"index":0,"delta":{"content":"%s"}}]}\n\n' % piece.encode())
            exchange.finish()

        self.assertEqual(text_of(frames_of(self.told(script, guardrails=["names"]).body)), "[names] ok")

    def test_empty_fields_between_the_pieces_end_no_text(self):
        for filler in ({"content": ""}, {"reasoning_content": ""}, {"content": None, "tool_calls": []}, {"refusal": None},
                       {"role": "assistant", "content": "", "reasoning": ""}):
            with self.subTest(filler):
                script = streams("a fal", filler, "con; 4111 1111", filler, " 1111 1111 x")
                said = text_of(frames_of(self.told(script, guardrails=["names", "cards"]).body))
                self.assertEqual(said, "a [names]; ")

    def test_every_choice_has_a_text_of_its_own(self):
        def script(exchange):
            exchange.head()
            for index, text in ((0, "fal"), (1, "con "), (0, "con"), (1, "fal"), (0, "."), (1, "ling")):
                choice = {"index": index, "delta": {"content": text}, "finish_reason": None}
                exchange.body(b"data: " + json.dumps({"id": "u1", "choices": [choice]}).encode() + b"\n\n")
            for index in (0, 1):
                choice = {"index": index, "delta": {}, "finish_reason": "stop"}
                exchange.body(b"data: " + json.dumps({"id": "u1", "choices": [choice]}).encode() + b"\n\n")
            exchange.raw(exchange.framed(exchange.wire.terminal) + exchange.end_bytes())

        frames = frames_of(self.told(script, guardrails=["names"], n=2).body)
        by_choice = {index: "".join(choice["delta"].get("content") or "" for frame in frames for choice in frame["choices"]
                                    if choice["index"] == index) for index in (0, 1)}
        self.assertEqual(by_choice, {0: "[names].", 1: "con falling"})

    # Pace.

    def test_each_piece_arrives_before_the_next_is_sent(self):
        """Under every rule there is; what ends in no beginning of a match is there at once."""
        seen = threading.Semaphore(0)
        missed = []
        texts = ("Hello, ", "the weather is fine. ", "日本 😀! ", "No. of birds: ", "many. ") * 4

        def script(exchange):
            exchange.head()
            for text in texts:
                exchange.delta(text)
                if not seen.acquire(timeout=LIMIT):
                    missed.append(text)
                    break
            exchange.finish()

        for name in KINDS:
            with self.subTest(name):
                self.upstream.play(script)
                client = self.connect()
                client.send(chat_bytes(model=f"{name}/m", headers={"X-Cache": "no-cache"},
                                       guardrails=["cards", "masked", "names", "never", "thoughts", "said"]))
                client.head()
                said = ""
                while piece := client.next_piece():
                    for frame in partial_frames(piece):
                        if words_of([frame]):
                            said += words_of([frame])
                            seen.release()
                self.assertEqual((missed, said), ([], "".join(texts)))

    # Reasoning and tools.

    def test_reasoning_is_looked_at_by_its_own_rules(self):
        for name in ("local", "llama", "google"):
            def script(exchange):
                exchange.head()
                exchange.body(exchange.wire.reasoning("a her"))
                exchange.body(exchange.wire.reasoning("on? "))
                exchange.delta("A heron.")
                exchange.finish()

            with self.subTest(name):
                frames = plain(self.told(script, model=f"{name}/m", guardrails=["thoughts"], headers={"X-Cache": "no-cache"}))
                self.assertEqual((words_of(frames, "reasoning_content"), words_of(frames)), ("a ", ""))
                frames = plain(self.told(script, model=f"{name}/m", guardrails=["said"], headers={"X-Cache": "no-cache"}))
                self.assertEqual((words_of(frames, "reasoning_content"), words_of(frames)), ("a heron? ", "A "))

    def test_arguments_split_at_every_byte(self):
        arguments = '{"to":"the falcon","n":"4111 1111 1111 1111"}'
        for at in range(1, len(arguments)):
            start = call("theirs", arguments[:at])
            rest = {"index": 0, "function": {"arguments": arguments[at:]}}
            script = streams({"tool_calls": [start]}, {"tool_calls": [rest]}, finish="tool_calls")
            response = self.told(script, guardrails=["names"], tools=[CLIENT_TOOL])
            shown = "".join(delta["function"].get("arguments", "") for frame in frames_of(response.body)
                            for choice in frame["choices"] for delta in choice["delta"].get("tool_calls", []))
            self.assertEqual(json.loads(shown), {"to": "the [names]", "n": CARD}, at)
            frames = frames_of(self.told(script, guardrails=["cards"], tools=[CLIENT_TOOL]).body)
            self.assertNotIn("tool_calls", json.dumps(frames))
            self.assertEqual(finish_of(frames), "content_filter")

    def test_a_call_before_the_one_with_a_match_is_shown(self):
        script = calls(call("theirs", '{"n":1}'), call("theirs", f'{{"n":"{CARD}"}}', 2))
        frames = frames_of(self.told(script, guardrails=["cards"], tools=[CLIENT_TOOL]).body)
        self.assertNotIn("4111", json.dumps(frames))
        self.assertEqual(finish_of(frames), "content_filter")

    def test_whole_answers(self):
        response = self.told(calls(call("theirs", '{"to":"falcon"}'), text="a falcon. "), stream=False, guardrails=["names"],
                             tools=[CLIENT_TOOL])
        message = response.json()["choices"][0]["message"]
        self.assertEqual(message["content"], "a [names]. ")
        self.assertEqual(message["tool_calls"][0]["function"]["arguments"], '{"to":"[names]"}')
        response = self.told(calls(call("theirs", f'{{"n":"{CARD}"}}'), text="Well. "), stream=False, guardrails=["cards"],
                             tools=[CLIENT_TOOL])
        choice = response.json()["choices"][0]
        self.assertEqual((choice["message"]["content"], choice["finish_reason"]), ("Well. ", "content_filter"))
        self.assertNotIn("tool_calls", choice["message"])

    # Tools that the gateway runs.

    def test_rounds_of_tools_are_looked_at(self):
        work = calls(call("calculator", '{"expression":"1+1"}'), text="A falcon. ")
        for dialect in DIALECTS:
            with self.subTest(dialect):
                response = self.told(work, says("The fal", "con."), model="armed", guardrails=["names"], stream_dialect=dialect)
                self.assertNotIn(b"falcon", response.body)
                self.assertIn(b"[names]", response.body)

    def test_a_call_that_is_objected_to_is_not_run(self):
        for dialect in DIALECTS:
            with self.subTest(dialect):
                self.upstream.forget()
                script = calls(call("calculator", '{"expression":"4111111111111111+1"}'))
                response = self.told(script, says("It is 2."), model="armed", guardrails=["cards"], stream_dialect=dialect,
                                     servertool_results=True)
                self.assertNotIn(b"4111111111111111", response.body)
                self.assertIn(b"content_filter", response.body)
                self.assertEqual(self.record(response)["tools"], [])
                self.assertEqual(len(self.upstream.requests), 1)

    def test_a_tool_is_not_asked_what_is_redacted(self):
        for rules in ([], ["veiled"]):
            self.upstream.forget()
            script = calls(call("calculator", '{"expression":"4111111111111111-4111111111111000"}'))
            response = self.told(script, says("So."), model="armed", guardrails=rules, headers={"X-Cache": "no-cache"})
            self.assertEqual(finish_of(plain(response)), "stop")
            result = self.upstream.requests[1].json()["messages"][-1]["content"]
            (self.assertNotIn if rules else self.assertEqual)("111", result)

    def test_results_and_explanations_of_tools_are_looked_at(self):
        arguments = {"expression": "2055555555555555*2+1", "_tool_reason": "for the falcon", "_tool_goal": "4111111111111111"}
        script = calls(call("calculator", json.dumps(arguments)))
        for dialect in DIALECTS:
            with self.subTest(dialect):
                response = self.told(script, says("Done."), model="armed", guardrails=["names", "veiled"], stream_dialect=dialect,
                                     servertool_results=True, tool_invocation_explanations=True)
                self.assertNotIn(b"falcon", response.body)
                self.assertNotIn(b"4111111111111111", response.body)
                self.assertIn(b"Done.", response.body)
                plain(response)

    # Sources.

    def test_what_a_source_is_called_is_looked_at(self):
        def source(title):
            citation = {"url": "https://example.org/x", "title": title, "start_index": 0, "end_index": 1}
            return {"annotations": [{"type": "url_citation", "url_citation": citation}]}

        response = self.told(streams("Birds. ", source("the falcon")), guardrails=["names"])
        self.assertNotIn(b"falcon", response.body)
        self.assertIn(b"https://example.org/x", response.body)
        frames = frames_of(self.told(streams("Birds. ", source(CARD), "More."), guardrails=["cards"]).body)
        self.assertEqual((text_of(frames), finish_of(frames)), ("Birds. ", "content_filter"))

    # Other ways to an answer.

    def test_answers_again_are_looked_at_again(self):
        question = {"model": "local/m", "text": "what is seen at night?"}
        self.upstream.play(streams("a night ", "owl"))
        self.assertEqual(text_of(self.frames(**question)), "a night owl")
        for _ in range(2):  # under rules of its own it is another question
            self.upstream.play(streams("a night ", "owl"))
            response = self.ask(guardrails=["names"], **question)
            self.assertEqual(text_of(frames_of(response.body)), "a [names]")
        self.assertEqual(response.headers["x-cache"], "HIT")
        self.upstream.forget()
        self.upstream.play(streams("Card ", CARD), streams("Card ", CARD))
        for _ in range(2):  # a filtered answer is not kept
            response = self.ask(text="card?", model="local/m", guardrails=["cards"])
            self.assertEqual((finish_of(frames_of(response.body)), response.headers["x-cache"]), ("content_filter", "MISS"))

    def test_the_answer_of_another_target_is_looked_at(self):
        def fails(exchange):
            exchange.reply(500, exchange.wire.error("no"))

        self.upstream.play(fails)
        frames = frames_of(self.told(streams("Card ", CARD), model="fallen", guardrails=["cards"], retries=0).body)
        self.assertEqual((text_of(frames), finish_of(frames), error_of(frames)), ("Card ", "content_filter", None))
        self.assertEqual(len(self.upstream.requests), 2)

    def test_after_a_cut_nobody_else_is_asked(self):
        frames = frames_of(self.told(says(CARD + " ok"), model="fallen", guardrails=["cards"]).body)
        self.assertEqual((text_of(frames), finish_of(frames)), ("", "content_filter"))
        self.assertEqual(len(self.upstream.requests), 1)


class Reloaded(GatewayTest):
    """Rules change; answers that were kept under the old ones do not escape the new."""
    config = {"cache": {"ttl": "1h"}, "guardrails": [{"name": "names", "words": ["heron"], "action": "redact"}]}

    def test_a_kept_answer_is_looked_at_by_the_rules_of_now(self):
        self.upstream.play(streams("a night owl"))
        self.assertEqual(text_of(self.frames()), "a night owl")
        self.reload(guardrails=[{"name": "names", "words": ["night owl"], "action": "redact"}])
        self.upstream.script = streams("a night owl")
        self.assert_eventually(lambda: text_of(self.frames()) == "a [names]")
