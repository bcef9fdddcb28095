"""`runnel replay`: what a gateway has kept of an answer, played again over HTTP."""

import time

from client import get
from frames import finish_of, frames_of, text_of
from gateway_test import GatewayTest
from runnel_process import run_command

GAP = 0.4


class Replay(GatewayTest):
    config = {"logs": {"content": "on"}}

    def replay(self, *arguments, **environment):
        return run_command("replay", "--url", f"http://127.0.0.1:{self.runnel.port}", *arguments, **environment)

    def recorded(self, script=None):
        """The id of an answer that has been kept."""
        if script:
            self.upstream.play(script)
        frames = frames_of(self.ask(text="hi").body)
        completion = frames[0]["id"]
        self.assert_eventually(lambda: get(self.runnel.port, f"/v1/logs/{completion}/content").status == 200)
        return completion

    def assert_fails(self, done, *words):
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        said = done.stderr.decode()
        self.assertEqual(said.count("\n"), 1, said)
        for word in words:
            self.assertIn(word, said)

    def test_an_answer_comes_again_in_any_dialect(self):
        completion = self.recorded()
        for dialect in ("openai", "agent", "timeline"):
            for pace in ("none", "real"):
                with self.subTest(dialect=dialect, pace=pace):
                    done = self.replay(completion, "--dialect", dialect, "--pace", pace)
                    self.assertEqual((done.returncode, done.stderr), (0, b""))
                    frames = frames_of(done.stdout)
                    self.assertEqual((text_of(frames), finish_of(frames)), ("Hello", "stop"))
        whole = self.replay(completion).stdout
        self.assertEqual(self.replay(completion, "--pace", "real").stdout, whole)
        self.assertEqual(get(self.runnel.port, f"/v1/logs/{completion}/stream").body, whole)

    def test_an_answer_comes_again_in_any_api(self):
        completion = self.recorded()
        ends = {"messages": b'{"type":"message_stop"}\n\n', "responses": b"data: [DONE]\n\n",
                "gemini": b'}\n\n', "gemini-array": b"}]\n"}
        for dialect, end in ends.items():
            with self.subTest(dialect=dialect):
                whole = self.replay(completion, "--dialect", dialect)
                self.assertEqual((whole.returncode, whole.stderr), (0, b""))
                self.assertIn(b'"Hel"', whole.stdout)
                self.assertTrue(whole.stdout.endswith(end), whole.stdout)
                self.assertEqual(self.replay(completion, "--dialect", dialect, "--pace", "real").stdout, whole.stdout)
                told = get(self.runnel.port, f"/v1/logs/{completion}/stream?dialect={dialect}")
                self.assertEqual(told.body, whole.stdout)
                self.assertEqual(told.headers["content-type"].startswith("application/json"), dialect == "gemini-array")

    def test_it_is_the_stream_that_the_client_had(self):
        first = self.ask(text="hi", stream_options={"include_usage": True}).body
        completion = frames_of(first)[0]["id"]
        self.assert_eventually(lambda: get(self.runnel.port, f"/v1/logs/{completion}/content").status == 200)
        self.assertEqual(self.replay(completion).stdout, first)

    def test_the_pauses_come_again_where_they_are_wanted(self):
        def pausing(exchange):
            exchange.stream("Hel", "lo", gap=GAP)

        completion = self.recorded(pausing)
        began = time.monotonic()
        self.assertEqual(self.replay(completion, "--pace", "real").returncode, 0)
        self.assertGreater(time.monotonic() - began, GAP * 0.9)

    def test_it_says_what_is_wrong(self):
        self.assert_fails(self.replay("chatcmpl-nobody"), "no request 'chatcmpl-nobody'")
        self.assert_fails(self.replay("a/../b"), "an id is")
        self.assert_fails(self.replay("chatcmpl-a", "--dialect", "klingon"), "klingon", "openai, timeline",
                          "messages, responses, gemini")
        self.assert_fails(run_command("replay", "chatcmpl-a", "--url", "http://127.0.0.1:1"),
                          "no gateway answers at http://127.0.0.1:1", "runnel serve", "--url")
        self.assert_fails(run_command("replay", "chatcmpl-a", RUNNEL_URL="nowhere"), "--url", "http://")


class WithoutContent(GatewayTest):
    config = {"auth": {"mode": "keys"}, "admin": {}}

    def test_the_switch_is_named_where_nothing_was_kept(self):
        place = ("--data", f"{self.runnel.folder}/data")
        key = run_command("keys", "create", *place).stdout.decode().strip()
        self.assert_eventually(lambda: self.ask(headers={"Authorization": f"Bearer {key}"}).status == 200)
        body = self.ask(headers={"Authorization": f"Bearer {key}"}).body
        completion = frames_of(body)[0]["id"]
        url = ("--url", f"http://127.0.0.1:{self.runnel.port}")
        self.assert_eventually(lambda: b"content: on" in run_command("replay", completion, *url, "--key", key).stderr)
        refused = run_command("replay", completion, *url)
        self.assertIn(b"RUNNEL_KEY", refused.stderr)
        refused = run_command("replay", completion, *url, RUNNEL_KEY="rk-wrong")
        self.assertIn(b"not taken", refused.stderr)
        # The admin's own socket needs no key.
        asked = run_command("replay", completion, "--url", f"unix:{self.runnel.admin_socket}")
        self.assertIn(b"content: on", asked.stderr)
        for pace in ("none", "real"):
            done = run_command("replay", completion, *url, "--pace", pace, RUNNEL_KEY=key)
            self.assertEqual((done.returncode, done.stdout), (1, b""))
