"""The commands besides serve, and what serve says when it cannot start."""

import json
import os
import tempfile

from frames import finish_of, frames_of, text_of
from gateway_test import LimitedTest
from provider_wires import Anthropic, Gemini, Ollama, OpenAi
from runnel_process import run_command

GOOD = "providers:\n  local: {kind: openai-compatible, base_url: 'http://127.0.0.1:1/v1'}\n"


class ConfigFiles(LimitedTest):
    def file(self, text):
        folder = tempfile.TemporaryDirectory(prefix="runnel-e2e-")
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "gateway.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def test_check_accepts_a_good_file(self):
        for text in ("", GOOD, "listen: 127.0.0.1:9999\n"):
            done = run_command("check", self.file(text))
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_check_names_file_line_column_and_the_nearest_key(self):
        path = self.file("providers:\n  local: {kind: openai, api_kye: x}\nlisten: nowhere\n")
        done = run_command("check", path)
        self.assertEqual(done.returncode, 1)
        complaints = (done.stderr + done.stdout).decode().splitlines()
        self.assertTrue(complaints[0].startswith(f"{path}:2:25: "), complaints)
        self.assertIn("api_key", complaints[0])
        self.assertTrue(any(line.startswith(f"{path}:3:") for line in complaints), complaints)

    def test_check_refuses_what_can_never_route_and_what_is_not_yaml(self):
        for text in ("models: {fast: {targets: [nobody/m]}}\n", "a: [\n", "default_model: nobody/x\n",
                     "providers: {a: {kind: nothing}}\n", "providers: {a: {kind: openai, api_key: '${NOT_SET}'}}\n"):
            with self.subTest(text):
                path = self.file(text)
                done = run_command("check", path)
                self.assertEqual(done.returncode, 1)
                self.assertRegex((done.stderr + done.stdout).decode(), rf"(?m)^{path}:\d+:\d+: .")

    def test_check_says_when_there_is_no_such_file(self):
        done = run_command("check", "/nonexistent/gateway.yaml")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"/nonexistent/gateway.yaml", done.stderr)

    def test_a_config_of_litellm_becomes_one_that_check_takes(self):
        path = self.file("model_list:\n"
                         "  - {model_name: fast, litellm_params: {model: openai/gpt-5-mini, api_key: sk-itself}}\n"
                         "litellm_settings: {success_callback: [langfuse]}\n")
        made = os.path.join(os.path.dirname(path), "runnel.yaml")
        done = run_command("import", "litellm", path, "-o", made)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{path}:2:76: ", done.stderr.decode())
        self.assertIn(f"{path}:3:20: litellm_settings.success_callback: ", done.stderr.decode())
        self.assertNotIn(b"sk-itself", done.stderr + open(made, "rb").read())
        done = run_command("check", made, OPENAI_API_KEY="sk")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = run_command("import", "litellm", self.file("model_list: {"))
        self.assertEqual((done.returncode, done.stdout), (1, b""))

    def test_serve_does_not_start_with_a_bad_file(self):
        path = self.file(GOOD + "lisen: 127.0.0.1:1\n")
        done = run_command("serve", "--config", path)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr.decode(), rf"(?m)^{path}:3:1: .*listen")

    def test_serve_says_what_is_wrong_with_its_address_or_certificate(self):
        for arguments in (("--listen", "nowhere"), ("--listen", "192.0.2.1:0"), ("--config", "/nonexistent"),
                          ("--config", self.file("tls: {cert: /nonexistent, key: /nonexistent}\n"))):
            with self.subTest(arguments):
                done = run_command("serve", *arguments)
                self.assertEqual(done.returncode, 1)
                self.assertIn(arguments[1] if arguments[0] == "--listen" else "/nonexistent", done.stderr.decode())


class Usage(LimitedTest):
    def test_a_command_line_that_makes_no_sense_is_explained(self):
        for arguments in ((), ("dance",), ("serve", "--nonsense"), ("check",), ("transcode",),
                          ("serve", "--threads", "many")):
            with self.subTest(arguments):
                done = run_command(*arguments)
                self.assertNotIn(done.returncode, (0, 1))
                self.assertRegex(done.stderr.decode(), r"^runnel: .+\nTry `runnel.* --help`\.\n$")

    def test_a_misspelt_command_is_guessed(self):
        done = run_command("serv", "--config", "gateway.yaml")
        self.assertIn("there is no command 'serv'; did you mean 'serve'?", done.stderr.decode())

    def test_help_lists_the_commands(self):
        done = run_command("--help")
        self.assertEqual(done.returncode, 0)
        for command in ("serve", "check", "transcode", "request", "version"):
            self.assertIn(command, done.stdout.decode())

    def test_version(self):
        for way in ("version", "--version"):
            with self.subTest(way):
                done = run_command(way)
                self.assertEqual(done.returncode, 0)
                self.assertRegex(done.stdout.decode(), r"^runnel \d+\.\d+\.\d+\S*\n$")


class Transcode(LimitedTest):
    WIRES = {"openai": OpenAi(), "anthropic": Anthropic(), "gemini": Gemini(), "ollama": Ollama()}

    def transcode(self, kind, data, *options):
        done = run_command("transcode", "--from", kind, "--to", "openai", *options, stdin=data)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_streams_become_a_stream_however_they_are_split(self):
        for kind, wire in self.WIRES.items():
            data = wire.start + wire.delta("Hel") + wire.delta("lo") + wire.finish()
            for split in ((), ("--split", "1"), ("--split", "7")):
                with self.subTest(kind, split=split):
                    frames = frames_of(self.transcode(kind, data, *split))
                    self.assertEqual((text_of(frames), finish_of(frames)), ("Hello", "stop"))

    def test_whole_bodies_become_a_stream_or_one_answer(self):
        for kind, wire in self.WIRES.items():
            with self.subTest(kind):
                self.assertEqual(text_of(frames_of(self.transcode(kind, wire.whole("Hello")))), "Hello")
                answer = json.loads(self.transcode(kind, wire.whole("Hello"), "--json", "--model", "mine"))
                self.assertEqual(answer["choices"][0]["message"]["content"], "Hello")
                self.assertEqual((answer["model"], answer["usage"]["total_tokens"]), ("mine", 9))

    def test_usage_is_shown_on_demand(self):
        wire = self.WIRES["anthropic"]
        data = wire.start + wire.delta("Hello") + wire.finish()
        self.assertNotIn(b'"usage"', self.transcode("anthropic", data))
        frames = frames_of(self.transcode("anthropic", data, "--include-usage"))
        self.assertEqual(frames[-1]["usage"]["total_tokens"], 9)

    def test_an_error_body_becomes_the_clients(self):
        data = self.WIRES["anthropic"].error("Overloaded", "overloaded_error")
        error = json.loads(self.transcode("anthropic", data, "--status", "529"))["error"]
        self.assertEqual(error["message"], "Anthropic returned 529 overloaded")
        self.assertEqual(error["code"], "tool_provider_error")

    def test_an_empty_or_cut_stream_still_ends_well(self):
        wire = self.WIRES["openai"]
        frames = frames_of(self.transcode("openai", wire.delta("Hel")))
        self.assertEqual(text_of(frames), "Hel")
        self.assertEqual(frames[-1]["error"]["code"], "upstream_error")

    def test_every_api_has_its_stream_its_answer_and_its_error(self):
        wire = self.WIRES["openai"]
        data = wire.start + wire.delta("Hello") + wire.finish()
        for dialect, end, member, error in (("messages", b'"message_stop"}\n\n', "content", "type"),
                                            ("responses", b"data: [DONE]\n\n", "output", "code"),
                                            ("gemini", b"}\n\n", "candidates", "status"),
                                            ("gemini-array", b"}]\n", "candidates", "status")):
            with self.subTest(dialect):
                def made(*options):
                    done = run_command("transcode", "--from", "openai", "--to", dialect, *options, stdin=data)
                    self.assertEqual((done.returncode, done.stderr), (0, b""))
                    return done.stdout

                self.assertTrue(made().endswith(end), made())
                self.assertEqual(made("--split", "3"), made())
                self.assertIn("Hello", json.dumps(json.loads(made("--json"))[member]))
                self.assertIn(error, json.loads(made("--status", "500"))["error"])

    def test_an_unknown_kind_or_dialect_is_explained(self):
        for options in (("--from", "nobody", "--to", "openai"), ("--from", "openai", "--to", "nobody")):
            done = run_command("transcode", *options)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("openai", done.stderr.decode())


class Request(LimitedTest):
    CHAT = b'{"model":"m","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"}]}'

    def test_every_kind_gets_its_own_request(self):
        for kind, path in (("openai", "chat/completions"), ("anthropic", "/v1/messages"),
                           ("gemini", "enerateContent"), ("ollama", "/api/chat")):
            with self.subTest(kind):
                done = run_command("request", "--to", kind, stdin=self.CHAT, OPENAI_API_KEY="sk-secret")
                self.assertEqual(done.returncode, 0, done.stderr)
                request = json.loads(done.stdout)
                self.assertEqual(set(request), {"method", "path", "headers", "body"})
                self.assertEqual(request["method"], "POST")
                self.assertIn(path, request["path"])
                self.assertIn("Hi", json.dumps(request["body"]))
                self.assertNotIn("sk-secret", done.stdout.decode())

    def test_a_request_comes_in_any_api(self):
        gemini = b'{"contents":[{"parts":[{"text":"Hi"}]}],"generationConfig":{"topK":4}}'
        for api, body, options in (
                ("chat", self.CHAT, ()),
                ("messages", b'{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hi"}],"top_k":4}', ()),
                ("responses", b'{"model":"m","input":"Hi"}', ()), ("gemini", gemini, ("--model", "m", "--stream"))):
            with self.subTest(api):
                done = run_command("request", "--from", api, "--to", "openai", *options, stdin=body)
                self.assertEqual(done.returncode, 0, done.stderr)
                request = json.loads(done.stdout)
                self.assertEqual(request["body"]["model"], "m")
                self.assertEqual(request["body"]["messages"][-1], {"role": "user", "content": "Hi"})
                self.assertEqual(request["body"].get("stream", False), api == "gemini")
                dropped = ["dropped_top_k"] if api in ("messages", "gemini") else None
                self.assertEqual(request.get("warnings"), dropped)
        done = run_command("request", "--from", "gemini", "--to", "openai", stdin=gemini)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"--model", done.stderr)
        done = run_command("request", "--from", "letters", "--to", "openai", stdin=gemini)
        self.assertIn(b"chat, messages, responses, gemini", done.stderr)

    def test_a_request_that_is_not_valid_ends_with_its_error(self):
        for body in (b"", b"{", b'{"model":"m"}'):
            done = run_command("request", "--to", "openai", stdin=body)
            self.assertEqual((done.returncode, done.stdout), (1, b""))
            self.assertTrue(done.stderr)
