"""What may not be said, asked and answered: rules on requests, streams and calls of tools."""

import http.server
import json
import threading
import time

from client import chat_bytes, get
from fake_upstream import InStep
from frames import error_of, finish_of, frames_of, partial_frames, text_of
from gateway_test import GatewayTest, KINDS
from key_admin import ADMIN_TOKEN, bearer, make_key
from pace import scaled
from tools_test import CLIENT_TOOL, call, calls, says

CARD = "4111 1111 1111 1111"
CARD_PIECES = ("Card 4111", " 1111 1111", " 1111 ok")


def asks(text, **fields):
    return {"messages": [{"role": "user", "content": text}], **fields}


class Checker(http.server.BaseHTTPRequestHandler):
    """Objects to texts with "bad" or 6042 in them, takes its time for "slow", and has no words for "odd"."""
    asked = []

    def do_POST(self):
        text = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        Checker.asked.append(text)
        if "slow" in text:
            time.sleep(scaled(1.5))
        body = b"what?" if "odd" in text else json.dumps({"flagged": "bad" in text or "6042" in text, "categories": ["rude"]}).encode()
        try:
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except BrokenPipeError:
            pass  # nobody waited for it

    def log_message(self, *_):
        pass


class Guardrails(GatewayTest):
    @classmethod
    def setUpClass(cls):
        cls.checker = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Checker)
        threading.Thread(target=cls.checker.serve_forever, daemon=True).start()
        cls.addClassCleanup(cls.checker.server_close)
        cls.addClassCleanup(cls.checker.shutdown)
        check = {"url": f"http://127.0.0.1:{cls.checker.server_address[1]}/", "timeout": f"{int(scaled(0.7) * 1000)}ms"}
        asked = {"when": "asked"}
        cls.config = {
            "admin": {"token": ADMIN_TOKEN},
            "guardrails": [
                {"name": "codenames", "words": ["falcon"], "action": "redact"},
                {"name": "cards", "pii": ["card"], **asked},
                {"name": "quiet", "words": ["hush"], "action": "log", **asked},
                {"name": "weapons", "words": ["bomb"], "action": "decline", "on": ["input"], **asked},
                {"name": "masked", "kind": "pii", "action": "redact", **asked},
                {"name": "moderated", "kind": "content_moderation", "check": check, "on": ["input"], **asked},
                {"name": "read", "check": check, "on": ["output"], **asked},
                {"name": "supervised", "check": check, "on": ["tool_arguments"], **asked},
            ],
            "models": {"careful": {"targets": ["local/m"], "guardrails": ["cards"]},
                       "slow": {"targets": ["local/m"], "guardrails": ["cards"], "streaming": False, "stream_fallback": "local/n"},
                       "armed": {"targets": ["local/m"], "tools": ["calculator"]},
                       "preset": {"targets": ["local/m"], "system": "Say nothing bad."}},
        }
        super().setUpClass()

    def setUp(self):
        super().setUp()
        Checker.asked.clear()

    def pieces(self, *texts, **request):
        """The frames of an answer that comes in these pieces."""
        self.upstream.play(lambda exchange: exchange.stream(*texts))
        return self.frames(**request)

    def noted(self, response):
        """The rules that the request's record names."""
        path = f"/v1/logs/{response.headers['x-completion-id']}"
        headers = {"Authorization": f"Bearer {ADMIN_TOKEN}"}
        self.assert_eventually(lambda: get(self.runnel.port, path, headers=headers).status == 200)
        return get(self.runnel.port, path, headers=headers).json()["guardrails"]

    # Requests.

    def test_header_and_body_ask_for_the_same(self):
        for fields in ({"guardrails": ["cards"]}, {"guardrails": {"cards": True}}, {"headers": {"X-Guardrails": "cards"}},
                       {"headers": {"X-Guardrails": "quiet, cards"}}):
            with self.subTest(fields):
                response = self.ask(**asks(f"Pay with {CARD}", **fields))
                self.assert_error(response, 400, "guardrail_blocked", "invalid_request_error")
                self.assertIn("card", response.error["message"])
                self.assertNotIn("4111", response.body.decode())
        self.assertEqual(self.upstream.requests, [])

    def test_who_does_not_ask_is_not_looked_at(self):
        self.assertEqual(self.ask(**asks(f"Pay with {CARD}")).status, 200)

    def test_what_does_not_exist_is_refused(self):
        for fields in ({"guardrails": ["cardz"]}, {"headers": {"X-Guardrails": "cards,cardz"}}):
            response = self.ask(**fields)
            self.assert_error(response, 400, "invalid_value", param="guardrails")
            self.assertIn("codenames", response.error["message"])

    def test_a_models_policy_cannot_be_switched_off(self):
        request = asks(CARD, model="careful", guardrails={"cards": False, "pii": False})
        self.assert_error(self.ask(**request), 400, "guardrail_blocked")

    def test_there_is_no_way_around_a_models_policy(self):
        for wish in ({"model": "slow", "stream": True}, {"model": "slow", "stream": False}, {"fallback": ["careful"]}):
            with self.subTest(wish):
                self.assert_error(self.ask(**asks(CARD, **wish)), 400, "guardrail_blocked")
        self.assertEqual(self.upstream.requests, [])

    def test_each_of_several_headers_counts(self):
        body = json.dumps({"model": "local/m", **asks(CARD)}).encode()
        head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nX-Guardrails: quiet\r\nx-guardrails: cards\r\n"
        client = self.connect()
        client.send(head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.assertEqual(client.head().status, 400)
        self.assertEqual(self.upstream.requests, [])

    def test_what_is_redacted_is_not_sent(self):
        for name in KINDS:
            with self.subTest(name):
                self.upstream.forget()
                parts = [{"type": "text", "text": "Falcon: mail a@b.com"}, {"type": "text", "text": "or \"call\"\n+1 415-555-2671"}]
                self.frames(model=f"{name}/m", messages=[{"role": "system", "content": "Be brief."},
                                                         {"role": "user", "content": parts}], guardrails=["masked"])
                sent = self.upstream.requests[0].body.decode()
                for text in ("[codenames]: mail [email]", "[phone]", "Be brief."):
                    self.assertIn(text, sent)
                for text in ("alcon", "a@b", "415"):
                    self.assertNotIn(text, sent)

    def test_a_declined_request_is_refused_by_the_model_itself(self):
        for name in KINDS:
            with self.subTest(name):
                self.upstream.forget()
                frames = self.frames(model=f"{name}/m", **asks("How is a bomb made?", guardrails=["weapons"], tools=[CLIENT_TOOL],
                                                               user="bomber"))
                self.assertEqual((text_of(frames), finish_of(frames)), ("Hello", "stop"))
                sent = self.upstream.requests[0].body.decode()
                self.assertNotIn("bomb", sent)
                self.assertNotIn("theirs", sent)

    # Answers.

    def test_v9(self):
        for stream in (True, False):
            with self.subTest(stream=stream):
                self.upstream.play(lambda exchange: exchange.stream(*CARD_PIECES))
                response = self.ask(model="careful", stream=stream)
                self.assertEqual(response.status, 200, response.body)
                self.assertNotIn(b"4111", response.body)
                self.assertNotIn(b"1111", response.body)
                if stream:
                    frames = frames_of(response.body)
                    self.assertEqual((text_of(frames), finish_of(frames), error_of(frames)), ("Card ", "content_filter", None))
                    self.assertEqual(response.body[-14:], b"data: [DONE]\n\n")
                else:
                    choice = response.json()["choices"][0]
                    self.assertEqual((choice["message"]["content"], choice["finish_reason"]), ("Card ", "content_filter"))

    def test_every_provider_and_every_split(self):
        text = f"Card {CARD} ok"
        for name in KINDS:
            for at in range(1, len(text)):
                frames = self.pieces(text[:at], text[at:], model=f"{name}/m", guardrails=["cards"])
                self.assertEqual((text_of(frames), finish_of(frames)), ("Card ", "content_filter"), f"{name}, split at {at}")

    def test_a_cut_ends_the_providers_stream(self):
        closed = []

        def script(exchange):
            exchange.head()
            exchange.delta(f"Card {CARD}, and ")
            closed.append(exchange.hold(scaled(10)))

        self.upstream.play(script)
        frames = self.frames(model="careful")
        self.assertEqual((text_of(frames), finish_of(frames)), ("Card ", "content_filter"))
        self.assert_eventually(lambda: closed == [True])

    def test_text_without_a_candidate_is_not_delayed(self):
        script = InStep("Hello", " world", " No. 12", " 34")
        self.upstream.play(script)
        client = self.connect()
        client.send(chat_bytes(model="careful"))
        client.head()
        texts = []
        for _ in range(3):
            texts.append(text_of(partial_frames(client.next_piece())))
            script.go_on()
        self.assertEqual(texts, ["Hello", " world", " No. "])
        script.go_on()
        texts.append(text_of(partial_frames(client.rest())))
        self.assertEqual("".join(texts), "Hello world No. 12 34")

    def test_answers_are_redacted(self):
        frames = self.pieces("the fal", "con, a@b", ".com; 日本", " é", guardrails=["masked"])
        self.assertEqual((text_of(frames), finish_of(frames)), ("the [codenames], [email]; 日本 é", "stop"))

    def test_a_call_with_a_match_is_not_shown(self):
        for arguments, finish in ((f'{{"n":"{CARD}"}}', "content_filter"), ('{"n":"12"}', "tool_calls")):
            self.upstream.play(calls(call("theirs", arguments), text="Well. "))
            frames = self.frames(model="careful", tools=[CLIENT_TOOL])
            self.assertEqual((text_of(frames), finish_of(frames)), ("Well. ", finish))
            shown = [delta for frame in frames for choice in frame["choices"] for delta in choice["delta"].get("tool_calls", [])]
            self.assertEqual("".join(delta["function"].get("arguments", "") for delta in shown),
                             arguments if finish == "tool_calls" else "")

    def test_a_cut_ends_the_rounds_of_tools(self):
        self.upstream.play(calls(call("calculator", '{"expression":"1+1"}'), text="Wait. "), says(*CARD_PIECES))
        frames = self.frames(model="armed", guardrails=["cards"], stream_options={"include_usage": True})
        self.assertEqual((text_of(frames), finish_of(frames)), ("Wait. Card ", "content_filter"))

    def test_a_failure_shows_what_was_held_first(self):
        def script(exchange):
            exchange.head()
            exchange.delta("In 2024")
            exchange.fin()

        self.upstream.play(script)
        frames = self.frames(model="careful")
        self.assertEqual(text_of(frames), "In 2024")
        self.assertIsNotNone(error_of(frames))

    def test_another_target_answers_while_all_is_held(self):
        def script(exchange):
            exchange.head()
            exchange.delta("4111")
            exchange.fin()

        self.upstream.play(script, lambda exchange: exchange.stream("Hel", "lo"))
        frames = self.frames(model="careful", retries=1)
        self.assertEqual((text_of(frames), finish_of(frames)), ("Hello", "stop"))

    def test_the_log_names_the_rules(self):
        response = self.ask(**asks("hush, falcon", guardrails=["quiet"]))
        self.assertEqual(response.status, 200)
        self.assertEqual(self.noted(response), ["codenames: redact", "quiet: log"])
        response = self.ask(**asks("bomb", guardrails=["weapons"]))
        self.assertEqual(self.noted(response), ["weapons: decline"])
        self.upstream.play(lambda exchange: exchange.stream(*CARD_PIECES))
        self.assertEqual(self.noted(self.ask(model="careful")), ["cards: block"])

    # Somebody else.

    def test_somebody_else_looks_at_the_request(self):
        self.assertEqual(self.ask(**asks("good", guardrails=["content_moderation"])).status, 200)
        self.assertEqual(Checker.asked, ["good"])
        self.upstream.forget()
        response = self.ask(**asks("bad", guardrails=["content_moderation"]))
        self.assert_error(response, 400, "guardrail_blocked")
        self.assertIn("rude", response.error["message"])
        self.assertEqual(self.upstream.requests, [])

    def test_what_the_gateway_adds_is_not_for_somebody_else(self):
        self.assertEqual(self.ask(**asks("good", model="preset", guardrails=["moderated"])).status, 200)
        self.assertEqual(self.ask(**asks("a bomb", model="preset", guardrails=["moderated", "weapons"])).status, 200)
        self.assertEqual(Checker.asked, ["good"])

    def test_a_check_that_fails_blocks(self):
        for text in ("slow", "odd"):
            response = self.ask(**asks(text, guardrails=["moderated"]))
            self.assert_error(response, 400, "guardrail_blocked")
            self.assertIn("moderated", response.error["message"])
        self.assertEqual(self.upstream.requests, [])

    def test_somebody_else_looks_at_the_whole_answer(self):
        frames = self.pieces("one ", "two", guardrails=["read"])
        self.assertEqual((text_of(frames), finish_of(frames)), ("one two", "stop"))
        self.assertEqual(Checker.asked, ["one two"])
        for last in ("bad", "slow", "odd"):
            frames = self.pieces("one ", last, guardrails=["read"])
            self.assertEqual((text_of(frames), finish_of(frames)), ("", "content_filter"), last)

    def test_somebody_else_sees_each_choice_by_itself(self):
        def script(exchange):
            exchange.head()
            for index, text in ((0, "ba"), (1, "x"), (0, "d"), (1, "y")):
                choice = {"index": index, "delta": {"content": text}, "finish_reason": None}
                exchange.body(b"data: " + json.dumps({"id": "u1", "choices": [choice]}).encode() + b"\n\n")
            exchange.finish()

        self.upstream.play(script)
        frames = self.frames(guardrails=["read"], n=2)
        self.assertEqual((text_of(frames), Checker.asked), ("", ["bad\nxy"]))

    def test_somebody_else_sees_the_sources(self):
        citation = {"url": "https://example.org/x", "title": "all b\u0061d", "start_index": 0, "end_index": 1}

        def script(exchange):
            exchange.head()
            exchange.delta("Birds.")
            exchange.body(exchange.wire._chunk({"annotations": [{"type": "url_citation", "url_citation": citation}]}))
            exchange.finish()

        self.upstream.play(script)
        frames = self.frames(guardrails=["read"])
        self.assertEqual((text_of(frames), finish_of(frames)), ("", "content_filter"))

    def test_a_call_that_somebody_else_objects_to_is_not_run(self):
        for expression, rounds in (("6042+1", 1), ("1+1", 2)):
            self.upstream.forget()
            self.upstream.play(calls(call("calculator", json.dumps({"expression": expression})), text="Wait. "), says("It is so."))
            response = self.ask(model="armed", guardrails=["supervised"], stream_options={"include_usage": True})
            frames = frames_of(response.body)
            shown = ("Wait. It is so.", "stop") if rounds == 2 else ("", "content_filter")
            self.assertEqual((text_of(frames), finish_of(frames)), shown)
            self.assertEqual(len(self.upstream.requests), rounds)
            self.assertEqual(len([frame for frame in frames if frame.get("usage")]), 1)
        arguments = json.dumps({"expression": "1+1"})
        self.assertEqual(Checker.asked[1:], [arguments, f"{arguments}\n2"], "before it is run, and what is shown of it")

    def test_somebody_else_sees_what_tools_answer_before_the_model_does(self):
        for expression, shown in (("6000+42", "withheld"), ("1+1", "2")):
            self.upstream.forget()
            self.upstream.play(calls(call("calculator", json.dumps({"expression": expression}))), says("Well."))
            frames = self.frames(model="armed", guardrails=["moderated"])
            self.assertEqual((text_of(frames), finish_of(frames)), ("Well.", "stop"))
            result = self.upstream.requests[1].json()["messages"][-1]["content"]
            self.assertIn(shown, result)
            self.assertNotIn("6042", result)


    def test_somebody_else_sees_what_tools_are_asked_with_what_may_not_be_said_replaced(self):
        self.upstream.play(calls(call("calculator", json.dumps({"expression": "1+1", "note": "the falcon"}))), says("Well."))
        self.frames(model="armed", guardrails=["supervised"])
        self.assertIn("[codenames]", Checker.asked[0])
        self.assertNotIn("falcon", "".join(Checker.asked))

    def test_somebody_else_is_not_asked_about_a_call_that_is_blocked_here(self):
        self.upstream.play(calls(call("calculator", json.dumps({"expression": "1+1", "note": CARD}))), says("Well."))
        response = self.ask(model="armed", guardrails=["supervised", "cards"])
        self.assertEqual((finish_of(frames_of(response.body)), Checker.asked), ("content_filter", []))
        self.assertEqual(self.noted(response), ["cards: block"])

    def test_escapes_hide_nothing_from_somebody_else(self):
        once, twice = r'{"expression":"604\u0032+1"}', json.dumps({"expression": r'{"a":"604\u0032"}'})
        for arguments in (once, twice):
            with self.subTest(arguments):
                self.upstream.play(calls(call("calculator", arguments)))
                self.assertEqual(finish_of(self.frames(model="armed", guardrails=["supervised"])), "content_filter")
                made = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": arguments}}
                history = [{"role": "user", "content": "And?"}, {"role": "assistant", "content": None, "tool_calls": [made]},
                           {"role": "tool", "tool_call_id": "call_1", "content": "1"}]
                self.assert_error(self.ask(messages=history, guardrails=["moderated"]), 400, "guardrail_blocked")


    # Tools that are run by hand.

    def calculate(self, expression, rules=""):
        body = json.dumps({"tool": "calculator", "args": {"expression": expression}}).encode()
        client = self.connect()
        client.request("POST", "/v1/tools/execute", body, {"Content-Type": "application/json", "X-Guardrails": rules})
        return client.response()

    def test_a_tool_is_not_asked_by_hand_what_it_may_not_be_asked(self):
        for rule, expression in (("cards", "4111111111111111+1"), ("supervised", "6042+1")):
            with self.subTest(rule):
                self.assertTrue(self.calculate(expression).json()["ok"])
                self.assert_error(self.calculate(expression, rule), 400, "guardrail_blocked", param="args")
                self.assertTrue(self.calculate("1+1", rule).json()["ok"])
        self.assert_error(self.calculate("1+1", "cardz"), 400, "invalid_value", param="guardrails")

    def test_a_tool_is_asked_by_hand_what_is_left_of_it(self):
        expression = "4111111111111111-4111111111111000"
        self.assertEqual(self.calculate(expression).json()["result"], 111)
        answer = self.calculate(expression, "masked").json()
        self.assertFalse(answer["ok"], answer)

    def test_what_a_tool_answers_by_hand_is_looked_at(self):
        for rule, expression in (("cards", "2055555555555555*2+1"), ("supervised", "6000+42")):
            with self.subTest(rule):
                answer = self.calculate(expression, rule).json()
                self.assertFalse(answer["ok"])
                self.assertIn("withheld", answer["error"])
        self.assertEqual(self.calculate("2055555555555555*2+1", "masked").json(), {"ok": True, "tool": "calculator", "result": "[card]"})


class WithoutRules(GatewayTest):
    def test_personal_data_can_be_asked_for(self):
        self.assert_error(self.ask(**asks("mail a@b.com", guardrails=["pii"])), 400, "guardrail_blocked")
        self.upstream.play(lambda exchange: exchange.stream("Mail a@b", ".com"))
        frames = self.frames(guardrails=["pii"])
        self.assertEqual((text_of(frames), finish_of(frames)), ("Mail ", "content_filter"))

    def test_moderation_says_what_is_missing(self):
        response = self.ask(guardrails=["content_moderation"])
        self.assert_error(response, 400, "invalid_value", param="guardrails")
        self.assertIn("config", response.error["message"])


class FirstToAsk(GatewayTest):
    def test_rules_that_nobody_asked_for_before_are_there_for_all_who_ask_at_once(self):
        """The rules are compiled meanwhile; who does not ask for them does not wait."""
        statuses = []

        def ask(**fields):
            statuses.append((fields.get("guardrails"), self.ask(**asks("mail a@b.com", **fields)).status))

        threads = [threading.Thread(target=ask, kwargs={"guardrails": ["pii"]} if i % 2 else {}) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(status for guardrails, status in statuses if guardrails), [400] * 4)
        self.assertEqual(sorted(status for guardrails, status in statuses if not guardrails), [200] * 4)


class OfKeys(GatewayTest):
    config = {"admin": {"token": ADMIN_TOKEN}, "auth": {"mode": "keys"},
              "guardrails": [{"name": "cards", "pii": ["card"], "when": "asked"}]}

    def key(self, **fields):
        made = make_key(self.runnel.port, name="k", **fields)
        self.assert_eventually(lambda: get(self.runnel.port, "/v1/models", headers=bearer(made)).status == 200)
        return made

    def test_a_keys_policy_cannot_be_switched_off(self):
        headers = bearer(self.key(guardrails=["cards"]))
        for wish in ({"cards": False}, {"pii": False}, []):
            self.assert_error(self.ask(**asks(CARD, guardrails=wish, headers=headers)), 400, "guardrail_blocked")
        self.assertEqual(self.upstream.requests, [])

    def test_a_keys_policy_holds_for_tools_that_are_run_by_hand(self):
        body = json.dumps({"tool": "calculator", "args": {"expression": "4111111111111111+1"}}).encode()
        client = self.connect()
        client.request("POST", "/v1/tools/execute", body, {"Content-Type": "application/json", **bearer(self.key(guardrails=["cards"]))})
        self.assert_error(client.response(), 400, "guardrail_blocked", param="args")

    def test_a_rule_that_is_gone_lets_nothing_pass(self):
        headers = bearer(self.key(guardrails=["cards"]))
        self.assertEqual(self.ask(headers=headers).status, 200)
        self.reload(guardrails=[])
        self.addCleanup(self.reload, **self.config)
        self.assert_eventually(lambda: self.ask(headers=headers).status != 200)
        response = self.ask(headers=headers)
        self.assert_error(response, 400, "guardrail_blocked")
        self.assertIn("cards", response.error["message"])

    def test_a_blocked_request_counts_nothing(self):
        headers = bearer(self.key(limits={"rpm": 1}))
        for _ in range(3):
            self.assert_error(self.ask(**asks(CARD, guardrails=["cards"], headers=headers)), 400, "guardrail_blocked")
        self.assertEqual(self.ask(headers=headers).status, 200)
        self.assertEqual(self.ask(headers=headers).status, 429)
