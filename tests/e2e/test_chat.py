"""`runnel chat`: at a terminal, and with stdin that is none."""

import os
import signal
import socket
import threading
import time

from gateway_test import GatewayTest
from runnel_process import run_command
from terminal import Terminal

PROMPT = "> "


class Chat(GatewayTest):
    config = {"prices": {"local/m": {"input": 1, "output": 1}},
              "models": {"helper": {"targets": ["demo/agent"], "tools": ["calculator"]}}}

    def open(self, *arguments, model="local/m", **environment):
        terminal = Terminal("chat", "--url", f"http://127.0.0.1:{self.runnel.port}", "--model", model, *arguments,
                            **environment)
        self.addCleanup(terminal.close)
        terminal.wait_for("/help for help\n" + PROMPT)
        return terminal

    def pipe(self, text, *arguments, **environment):
        return run_command("chat", "--url", f"http://127.0.0.1:{self.runnel.port}", *arguments, stdin=text.encode(),
                           **environment)

    def messages(self):
        """Of the last request that the provider got."""
        request = self.upstream.requests[-1].json()
        return [(message["role"], message["content"]) for message in request["messages"]]

    def test_an_answer_is_shown_while_it_comes(self):
        go_on = threading.Event()

        def script(exchange):
            exchange.head()
            exchange.delta("first words, ")
            assert go_on.wait(20)
            exchange.delta("last words")
            exchange.finish()

        self.upstream.play(script)
        terminal = self.open()
        terminal.enter("hi")
        terminal.wait_for("first words, ")
        self.assertNotIn("last words", terminal.text)
        go_on.set()
        terminal.wait_for("last words\n")
        terminal.wait_for(" s\n\n" + PROMPT)

    def test_the_conversation_goes_on_until_it_is_cleared(self):
        terminal = self.open("--system", "Be brief.")
        terminal.enter("one")
        terminal.wait_for("Hello\n")
        terminal.wait_for(PROMPT)
        terminal.enter("two")
        terminal.wait_for("Hello\n")
        terminal.wait_for(PROMPT)
        self.assertEqual(self.messages(), [("system", "Be brief."), ("user", "one"), ("assistant", "Hello"),
                                           ("user", "two")])
        terminal.enter("/retry")
        terminal.wait_for("Hello\n")
        terminal.wait_for(PROMPT)
        self.assertEqual(self.messages()[-2:], [("assistant", "Hello"), ("user", "two")])
        terminal.enter("/clear")
        terminal.wait_for("a new conversation\n" + PROMPT)
        terminal.enter("/system")
        terminal.wait_for("no system text\n" + PROMPT)
        terminal.type("\x1b[A\x1b[A\x1b[A\x1b[A")  # four lines back
        terminal.enter(" more")
        terminal.wait_for("Hello\n")
        self.assertEqual(self.messages(), [("user", "two more")])

    def test_what_is_used_and_what_it_costs_is_said(self):
        terminal = self.open()
        terminal.enter("hi")
        terminal.wait_for("Hello\n7 tokens in, 2 out · $0.000009 · ")

    def test_ctrl_c_stops_the_answer_and_not_the_program(self):
        def script(exchange):
            exchange.head()
            exchange.delta("It was a dark")
            exchange.hold()

        self.upstream.play(script)
        terminal = self.open()
        terminal.enter("tell me a story")
        terminal.wait_for("It was a dark")
        terminal.press_control("C")
        terminal.wait_for("(stopped)\n")
        terminal.wait_for(PROMPT)
        terminal.enter("go on")
        terminal.wait_for("Hello\n")
        self.assertEqual(self.messages(), [("user", "tell me a story"), ("assistant", "It was a dark"),
                                           ("user", "go on")])
        terminal.wait_for(PROMPT)
        terminal.press_control("D")
        self.assertEqual(terminal.wait_for_end(), 0)

    def test_a_signal_between_answers_ends_nothing(self):
        terminal = self.open()
        os.kill(terminal.pid, signal.SIGINT)
        time.sleep(0.1)
        terminal.enter("hi")
        terminal.wait_for("Hello\n")
        self.assertNotIn("stopped", terminal.text)

    def test_the_terminal_is_as_it_was_afterwards(self):
        for end in (lambda terminal: terminal.press_control("D"), lambda terminal: os.kill(terminal.pid, signal.SIGTERM)):
            terminal = self.open()
            self.assertFalse(terminal.edits_lines)
            end(terminal)
            terminal.wait_for_end()
            self.assertTrue(terminal.edits_lines)

    def test_ctrl_c_ends_the_wait_for_a_gateway_that_says_nothing(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            terminal = Terminal("chat", "--url", f"http://127.0.0.1:{silent.getsockname()[1]}")
            self.addCleanup(terminal.close)
            with silent.accept()[0] as asked:
                asked.recv(1)
                terminal.press_control("C")
                terminal.wait_for("runnel: interrupted\n")
            self.assertEqual(terminal.wait_for_end(), 1)

    def test_ctrl_c_at_an_empty_prompt_leaves_the_second_time(self):
        terminal = self.open()
        terminal.type("half a line")
        terminal.wait_for("half a line")
        terminal.press_control("C")
        terminal.wait_for("\n" + PROMPT)
        terminal.press_control("C")
        terminal.wait_for("Ctrl-C again")
        terminal.wait_for(PROMPT)
        terminal.enter("hi")  # not meant so
        terminal.wait_for("Hello\n")
        terminal.wait_for(PROMPT)
        terminal.press_control("C")
        terminal.wait_for("Ctrl-C again")
        terminal.wait_for(PROMPT)
        terminal.press_control("C")
        self.assertEqual(terminal.wait_for_end(), 0)
        self.assertEqual(len(self.upstream.requests), 1)

    def test_the_model_can_be_changed(self):
        terminal = self.open()
        terminal.enter("/models")
        terminal.wait_for("  helper\n")
        terminal.enter("/model demo/ecko")
        terminal.wait_for("error: ")
        terminal.wait_for("did you mean 'demo/echo'?")
        terminal.enter("/model demo/echo")
        terminal.wait_for("now with demo/echo\n" + PROMPT)
        terminal.enter("Grüße, 世界 🌍")
        terminal.wait_for("\nGrüße, 世界 🌍\n")
        terminal.wait_for(PROMPT)
        terminal.enter("//etc")
        terminal.wait_for("\n/etc\n")
        terminal.wait_for(PROMPT)
        terminal.type("one \\\rtwo\r")
        terminal.wait_for("one \ntwo\n")
        terminal.wait_for(PROMPT)
        terminal.enter("/nothing")
        terminal.wait_for("there is no command /nothing")
        terminal.enter("/quit")
        self.assertEqual(terminal.wait_for_end(), 0)

    def test_reasoning_is_dim_and_tools_are_shown(self):
        terminal = self.open(model="helper")
        terminal.enter("what is 2+2*3?")
        terminal.wait_for('» calculator {"expression":"2+2*3"}\n« calculator 8\n')
        terminal.wait_for("calculator says: 8\n")
        self.assertIn("\x1b[2mThis is something", terminal.shown)
        self.assertIn("\x1b[2m» calculator", terminal.shown)

        terminal = self.open(model="helper", NO_COLOR="1")
        terminal.enter("what is 2+2*3?")
        terminal.wait_for("(thinking) This is something")
        terminal.wait_for("calculator says: 8\n")
        self.assertNotRegex(terminal.shown, r"\x1b\[[0-9;]*m")

    def test_a_model_cannot_speak_to_the_terminal(self):
        evil = "a\x1b]0;title\x07b\x1b[2Jc\rd\u009b31me\u202ef"
        self.upstream.play(lambda exchange: exchange.stream(*evil))
        terminal = self.open()
        terminal.enter("hi")
        terminal.wait_for("a␛]0;title␇b␛[2Jcd\ufffd31me\ufffdf\n")

        self.upstream.play(lambda exchange: exchange.stream(evil))
        self.assertEqual(self.pipe("hi", "--model", "local/m").stdout.decode(), evil + "\n")

    def test_failures_are_told_and_the_chat_goes_on(self):
        terminal = self.open(model="demo/error-before")
        terminal.enter("hi")
        terminal.wait_for("error: ")
        terminal.wait_for(PROMPT)
        terminal.enter("/model demo/error-midstream")
        terminal.wait_for(PROMPT)
        terminal.enter("hi")
        terminal.wait_for("error: ")
        terminal.wait_for(PROMPT)
        terminal.enter("/model demo/echo")
        terminal.enter("still here")
        terminal.wait_for("\nstill here\n")

    def test_with_stdin_that_is_no_terminal_only_the_answer_is_printed(self):
        done = self.pipe("hi\n", "--model", "local/m", "--system", "Be brief.")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"Hello\n", b""))
        self.assertEqual(self.messages(), [("system", "Be brief."), ("user", "hi")])
        done = self.pipe("what is 2+2*3?")  # the first model of the list
        self.assertEqual(done.stdout.decode().splitlines()[-1], "calculator says: 8")
        done = self.pipe("two\nlines\n", "--model", "demo/echo")
        self.assertEqual(done.stdout, b"two\nlines\n")
        done = run_command("chat", "--model", "demo/echo", stdin=b"a\xffb",
                           RUNNEL_URL=f"http://127.0.0.1:{self.runnel.port}/v1")
        self.assertEqual(done.stdout.decode(), "a\ufffdb\n")

    def test_every_api_is_talked_in(self):
        for api, path in (("chat", "/v1/chat/completions"), ("messages", "/v1/messages"),
                          ("responses", "/v1/responses"), ("gemini", "/v1beta/models/")):
            with self.subTest(api):
                done = self.pipe("hi\n", "local/m", "--api", api, "--system", "Be brief.")
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"Hello\n", b""))
                self.assertEqual(self.messages(), [("system", "Be brief."), ("user", "hi")])
                terminal = self.open("--api", api, model="demo/reasoning")
                terminal.enter("hi")
                terminal.wait_for(" tokens in, ")
                self.assertIn("\x1b[2m", terminal.shown)
                done = self.pipe("hi", "demo/error-midstream", "--api", api)
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr.decode(), "^runnel: .")
        done = self.pipe("hi", "--api", "letters")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"chat, messages, responses, gemini", done.stderr)

    def test_it_says_what_is_wrong(self):
        for text, arguments, word in (("", (), "no message"), ("hi", ("--model", "nobody/m"), "nobody/m"),
                                      ("hi", ("--model", "demo/error-before"), ""),
                                      ("hi", ("--model", "demo/error-midstream"), "")):
            with self.subTest(arguments):
                done = self.pipe(text, *arguments)
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr.decode(), "^runnel: .*" + word)
                self.assertEqual(done.stderr.count(b"\n"), 1)
        done = run_command("chat", stdin=b"hi", RUNNEL_URL="http://127.0.0.1:1")
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn(b"Start one with `runnel serve`", done.stderr)
        terminal = Terminal("chat", "--url", "http://127.0.0.1:1")
        self.addCleanup(terminal.close)
        terminal.wait_for("no gateway answers at http://127.0.0.1:1")
        self.assertEqual(terminal.wait_for_end(), 1)


class ChatWithKeys(GatewayTest):
    config = {"auth": {"mode": "keys"}}

    def test_a_key_is_asked_for_and_taken(self):
        url = f"http://127.0.0.1:{self.runnel.port}"
        done = run_command("chat", "--url", url, stdin=b"hi")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"--key or in RUNNEL_KEY", done.stderr)
        made = run_command("keys", "create", "--data", f"{self.runnel.folder}/data", "--scope", "chat:write",
                           "--scope", "models:read")
        key = made.stdout.decode().strip()
        self.assert_eventually(lambda: run_command("chat", "--url", url, "--model", "local/m", stdin=b"hi",
                                                   RUNNEL_KEY=key).stdout == b"Hello\n")
        terminal = Terminal("chat", "--url", url, "--key", key, "--model", "local/m")  # may not read costs
        self.addCleanup(terminal.close)
        terminal.enter("hi")
        terminal.wait_for("Hello\n7 tokens in, 2 out · ")
        terminal.wait_for(" s\n\n" + PROMPT)
