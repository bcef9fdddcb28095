"""Requests under guardrails: wherever in a request something stands, it is found; what is found is never told again; and a
rule that can't do its work lets nothing pass."""

import http.server
import json
import os
import tempfile
import threading

from client import get
from frames import frames_of, text_of
from gateway_test import GatewayTest, provider
from key_admin import ADMIN_TOKEN
from pace import scaled
from runnel_process import run_command
from tools_test import calls, call, says

CARD = "4111 1111 1111 1111"
ASKED = {"when": "asked"}
ADMIN = {"Authorization": f"Bearer {ADMIN_TOKEN}"}

PII = {
    "email": ("jo.doe+x@mail.example.org", "a@b.co"),
    "phone": ("+49 30 901820", "(415) 555-2671", "0049 30 901820"),
    "card": ("4111 1111 1111 1111", "4111111111111111", "3782-822463-10005", "5500 0000 0000 0004"),
    "iban": ("DE89370400440532013000", "GB82 WEST 1234 5698 7654 32"),
    "secret": ("sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD", "AKIAIOSFODNN7EXAMPLE",
               "ghp_abcdefghijklmnopqrstuvwxyz0123456789"),
}
NO_PII = ("jo at example", "call 12 34", "4111 1111 1111 1112", "DE88370400440532013000", "sk-short", "In 2024 there were 1234567 birds")


def says_to(kind, text):
    """A conversation with the text in one of the places that a text can have in it."""
    question = {"role": "user", "content": "And?"}
    called = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": json.dumps({"a": [{"b": text}]})}}
    turn = {"role": "assistant", "content": None, "tool_calls": [called]}
    empty_turn = {**turn, "tool_calls": [{**called, "function": {"name": "f", "arguments": "{}"}}]}
    answer = {"role": "tool", "tool_call_id": "call_1", "content": "1"}
    return {
        "user": [{"role": "user", "content": text}],
        "system": [{"role": "system", "content": text}, question],
        "developer": [{"role": "developer", "content": text}, question],
        "assistant": [question, {"role": "assistant", "content": text}, question],
        "part": [{"role": "user", "content": [{"type": "text", "text": "x"}, {"type": "text", "text": text}]}],
        "two parts": [{"role": "user", "content": [{"type": "text", "text": text[:9]}, {"type": "text", "text": text[9:]}]}],
        "thoughts": [question, {"role": "assistant", "content": "y", "reasoning_content": text}, question],
        "call": [question, turn, answer],
        "result": [question, empty_turn, {**answer, "content": text}],
        "name": [{"role": "user", "name": text.replace(" ", ""), "content": "x"}],
    }[kind]


PLACES = ("user", "system", "developer", "assistant", "part", "two parts", "thoughts", "call", "result", "name")


class Moderator(http.server.BaseHTTPRequestHandler):
    """Answers as its path says."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        status, body = {"/500": (500, b'{"flagged":false}'), "/302": (302, b""), "/empty": (200, b""),
                        "/openai": (200, b'{"results":[{"flagged":true,"categories":{"violence":true,"hate":false}}]}')}[self.path]
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "/openai")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class GuardedRequests(GatewayTest):
    @classmethod
    def setUpClass(cls):
        cls.moderator = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Moderator)
        threading.Thread(target=cls.moderator.serve_forever, daemon=True).start()
        cls.addClassCleanup(cls.moderator.server_close)
        cls.addClassCleanup(cls.moderator.shutdown)
        words = tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False, encoding="utf-8")
        cls.addClassCleanup(os.remove, words.name)
        with words:
            words.write("# birds\nheron\n\nZürich\nnight owl\n")

        def checked(name, url, **fields):
            check = {"url": url, "timeout": f"{int(scaled(1) * 1000)}ms"}
            return {"name": name, "kind": "content_moderation", "check": check, "on": ["input"], **ASKED, **fields}

        at = f"http://127.0.0.1:{cls.moderator.server_address[1]}"
        cls.config = {
            "admin": {"token": ADMIN_TOKEN},
            "logs": {"content": "on"},
            "guardrails": [
                {"name": "all", "kind": "pii", **ASKED},
                {"name": "masked", "kind": "pii", "action": "redact", **ASKED},
                {"name": "birds", "words_file": words.name, **ASKED},
                {"name": "never", "words": ["heron"], "action": "decline", "on": ["input"], **ASKED},
                checked("failing", f"{at}/500"), checked("moved", f"{at}/302"), checked("mute", f"{at}/empty"),
                checked("gone", "http://127.0.0.1:1/"), checked("moderator", f"{at}/openai"),
                checked("watcher", "http://127.0.0.1:1/", action="log"),
                checked("polite", f"{at}/openai", action="decline"),
            ],
            "models": {"armed": {"targets": ["local/m"], "tools": ["calculator"]},
                       "preset": {"targets": ["local/m"], "system": f"The boss's card is {CARD}."}},
        }
        super().setUpClass()

    def record(self, response):
        path = f"/v1/logs/{response.headers['x-request-id']}"
        self.assert_eventually(lambda: get(self.runnel.port, path, headers=ADMIN).status == 200)
        return get(self.runnel.port, path, headers=ADMIN).json()

    def assert_blocked(self, response, why=""):
        self.assert_error(response, 400, "guardrail_blocked", "invalid_request_error")
        self.assertIn(why, response.error["message"])
        self.assertEqual(self.upstream.requests, [])

    # Where it stands.

    def test_it_is_found_wherever_it_stands(self):
        for place in PLACES:
            for stream in (True, False):
                with self.subTest(place, stream=stream):
                    self.assert_blocked(self.ask(messages=says_to(place, CARD), stream=stream, guardrails=["all"]), "card")

    def test_it_is_redacted_wherever_it_stands(self):
        for place in PLACES:
            with self.subTest(place):
                self.upstream.forget()
                response = self.ask(messages=says_to(place, CARD), guardrails=["masked"])
                if place in ("two parts", "name"):  # what can't be replaced goes nowhere
                    self.assert_blocked(response)
                    continue
                self.assertEqual(response.status, 200, response.body)
                sent = self.upstream.requests[0].body.decode()
                self.assertIn("[card]", sent)
                self.assertNotIn("1111", sent)
                json.loads(sent)

    def test_a_prompt_and_escapes(self):
        self.assert_blocked(self.ask(body=json.dumps({"model": "local/m", "prompt": f"x {CARD}", "guardrails": ["pii"]}).encode()))
        escaped = CARD.replace("4", "\\u0034").replace(" ", "\\u0020")
        body = b'{"model":"local/m","guardrails":["masked"],"messages":[{"role":"user","content":"x %s y"}]}' % escaped.encode()
        self.assertEqual(self.ask(body=body).status, 200)
        self.assertEqual(self.upstream.requests[0].json()["messages"][-1]["content"], "x [card] y")

    def test_the_systems_own_words_are_not_the_clients(self):
        self.assertEqual(self.ask(model="preset", guardrails=["all"]).status, 200)
        self.assertIn(CARD, self.upstream.requests[0].body.decode())

    def test_each_kind_of_personal_data(self):
        for kind, examples in PII.items():
            for example in examples:
                with self.subTest(example):
                    self.upstream.forget()
                    self.assert_blocked(self.ask(text=f"So: {example}, yes.", guardrails=["all"]), kind)
                    self.assertEqual(self.ask(text=f"So: {example}, yes.", guardrails=["masked"]).status, 200)
                    self.assertEqual(self.upstream.requests[0].json()["messages"][-1]["content"], f"So: [{kind}], yes.")
        for example in NO_PII:
            with self.subTest(example):
                self.assertEqual(self.ask(text=example, guardrails=["all"]).status, 200)

    def test_words_of_a_file(self):
        for text in ("A HERON!", "in zürich", "in ZÜRICH.", "the night owl"):
            with self.subTest(text):
                self.assert_blocked(self.ask(text=text, guardrails=["birds"]), "birds")
        for text in ("herons", "Zürichberg", "night owls", "# birds"):
            with self.subTest(text):
                self.assertEqual(self.ask(text=text, guardrails=["birds"]).status, 200)

    # What is kept of it.

    def test_what_was_blocked_is_told_and_kept_nowhere(self):
        marker = "jo.marker77@mail.example.org"
        for rules in (["all"], ["masked"]):
            response = self.ask(text=f"I am {marker}", guardrails=rules)
            self.assertNotIn(b"marker77", response.body)
            record = self.record(response)
            self.assertEqual(record["guardrails"], [f"{rules[0]}: {'block' if rules == ['all'] else 'redact'}"])
            self.assertNotIn("marker77", json.dumps(record))
        self.assertNotIn("marker77", self.runnel.log())
        for name in os.listdir(os.path.join(self.runnel.folder, "data")):
            path = os.path.join(self.runnel.folder, "data", name)
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    self.assertNotIn(b"marker77", file.read(), name)

    # What tools have answered.

    def test_a_tools_result_is_looked_at_before_the_provider_gets_it(self):
        work = calls(call("calculator", '{"expression":"2055555555555555*2+1"}'))
        for rules in (["all"], ["masked"]):
            with self.subTest(rules):
                self.upstream.forget()
                self.upstream.play(work, says("Done."))
                response = self.ask(model="armed", guardrails=rules, stream=False)
                self.assertEqual(response.status, 200, response.body)
                for request in self.upstream.requests:
                    self.assertNotIn("4111111111111111", request.body.decode())

    # Somebody else.

    def test_a_check_that_cannot_be_asked_lets_nothing_pass(self):
        for name in ("failing", "moved", "mute", "gone"):
            with self.subTest(name):
                self.assert_blocked(self.ask(guardrails=[name]), name)

    def test_a_check_that_only_watches_lets_all_pass(self):
        self.assertEqual(self.ask(guardrails=["watcher"]).status, 200)

    def test_openais_shape_of_an_answer(self):
        response = self.ask(guardrails=["moderator"])
        self.assert_blocked(response, "violence")
        self.assertNotIn("hate", response.error["message"])

    def test_a_check_can_have_the_model_refuse(self):
        response = self.ask(text="a secret question", guardrails=["polite"], stream=False)
        self.assertEqual(response.json()["choices"][0]["finish_reason"], "stop")
        self.assertNotIn("secret question", self.upstream.requests[0].body.decode())
        self.assertEqual(self.record(response)["guardrails"], ["polite: decline"])

    def test_who_is_declined_is_told_so_in_words_not_in_json(self):
        for rules in (["polite"], ["never"]):
            for stream in (True, False):
                with self.subTest(rules, stream=stream):
                    self.upstream.forget()
                    response = self.ask(text="a heron", guardrails=rules, stream=stream, json_only=True)
                    self.assertEqual(response.status, 200, response.body)
                    if stream:
                        self.assertEqual(text_of(frames_of(response.body)), "Hello")
                    else:
                        self.assertEqual(response.json()["choices"][0]["message"]["content"], "Hello")
                    self.assertNotIn("json", self.upstream.requests[0].body.decode().lower())

    def test_what_was_declined_is_kept_nowhere(self):
        for rules in (["polite"], ["never"], ["moderator"]):
            response = self.ask(text="a heron called Marker78", guardrails=rules)
            self.assertNotIn("Marker78", json.dumps(self.record(response)))
            path = f"/v1/logs/{response.headers['x-request-id']}/stream"
            self.assertNotIn(b"Marker78", get(self.runnel.port, path, headers=ADMIN).body)
        for name in os.listdir(os.path.join(self.runnel.folder, "data")):
            path = os.path.join(self.runnel.folder, "data", name)
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    self.assertNotIn(b"Marker78", file.read(), name)


class RulesThatCannotRun(GatewayTest):
    def test_the_start_is_refused_with_the_place_and_the_cure(self):
        at = provider("openai-compatible", 1)
        for rule, says_so in (({"name": "x", "patterns": ["(a"]}, "patterns[0]"),
                              ({"name": "x", "patterns": ["(?<=a)b"]}, "patterns[0]"),
                              ({"name": "x", "patterns": ["BEGIN.*END"]}, "bound"),
                              ({"name": "x", "patterns": ["a*"]}, "patterns[0]"),
                              ({"name": "x", "patterns": ["a.{0,100}b"]}, "hold_characters"),
                              ({"name": "x", "words_file": "/nowhere/words"}, "/nowhere/words"),
                              ({"name": "x", "kind": "content_moderation"}, "a check"),
                              ({"name": "x", "pii": ["shoe_size"]}, "shoe_size"),
                              ({"name": "x", "words": ["y"], "action": "explode"}, "explode"),
                              ({"name": "x", "words": ["y"], "on": ["moon"]}, "moon"),
                              ({"name": "x", "check": {"url": "http://127.0.0.1:1/"}, "action": "redact"}, "redact"),
                              ({"name": "x", "check": {"url": "nonsense"}}, "url"),
                              ({"name": "x"}, "nothing")):
            with self.subTest(rule), tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
                json.dump({"providers": {"local": at}, "guardrails": [rule]}, file)
                file.flush()
                done = run_command("serve", "--config", file.name, "--listen", "127.0.0.1:0")
                message = done.stderr.decode()
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("guardrails[0]", message)
                self.assertIn(says_so, message)

    def test_a_model_that_names_no_rule_is_refused_at_the_start(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            json.dump({"providers": {"local": provider("openai-compatible", 1)},
                       "models": {"m": {"targets": ["local/m"], "guardrails": ["cardz"]}}}, file)
            file.flush()
            done = run_command("serve", "--config", file.name, "--listen", "127.0.0.1:0")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("cardz", done.stderr.decode())
