"""Secrets that are in files: read when the config is, said to nobody."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from attack_table import AttackTest, attack
from certificate import Certificate
from client import get
from gateway_test import provider
from pace import LIMIT
from runnel_process import run_command
from terminal import Terminal


class SecretFiles(AttackTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="runnel-secrets-")
        cls.addClassCleanup(folder.cleanup)
        cls.key = Path(folder.name, "provider")
        cls.write("sk-first-KEY")
        super().setUpClass()

    @classmethod
    def write(cls, secret, mode=0o600):
        cls.key.write_text(secret + "\n", encoding="utf-8")
        cls.key.chmod(mode)

    def use_file(self):
        made = provider("openai-compatible", self.upstream.port)
        self.reload(providers={"local": {**made, "api_key": {"file": str(self.key)}}})

    def key_that_arrives(self):
        self.upstream.forget()
        self.ask()
        return self.upstream.exchanges[-1].key

    def test_a_new_key_is_in_force_after_a_reload(self):
        for secret in ("sk-first-KEY", "sk-second-KEY"):
            self.write(secret)
            self.use_file()
            self.assert_eventually(lambda: self.key_that_arrives() == secret)  # noqa: B023

    def test_a_file_that_is_gone_changes_nothing_and_is_named(self):
        self.write("sk-kept-KEY")
        self.use_file()
        self.assert_eventually(lambda: self.key_that_arrives() == "sk-kept-KEY")
        self.key.unlink()
        self.use_file()
        self.assert_eventually(lambda: f"there is no file '{self.key}'" in self.runnel.log())
        self.assertEqual(self.key_that_arrives(), "sk-kept-KEY")

    @attack("neighbour", "a secret in a file that everybody can read", "the log warns, without the secret")
    def test_a_file_for_everybody(self):
        self.write("sk-open-KEY", 0o644)
        self.use_file()
        self.assert_eventually(lambda: f"can read the secret in '{self.key}'" in self.runnel.log())
        self.assertNotIn("sk-open-KEY", self.runnel.log())
        self.assertNotIn(b"sk-open-KEY", get(self.runnel.port, "/admin/v1/config").body)

    def test_check_says_what_is_wrong_with_the_file(self):
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder, "runnel.yaml")
            config.write_text("admin: {token: {file: token}}\n", encoding="utf-8")
            done = run_command("check", str(config))
            self.assertEqual((done.returncode, done.stderr.decode()), (
                1, f"{config}:1:16: admin.token: there is no file '{folder}/token'; write the secret into it, and nothing else\n"))
            Path(folder, "token").write_text("a-token-of-many-characters\n", encoding="utf-8")
            os.chmod(Path(folder, "token"), 0o644)
            done = run_command("check", str(config))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"can read the secret in '{folder}/token'", done.stderr.decode())
            self.assertNotIn("a-token-of", done.stderr.decode())
            config.write_text("admin: {token: {credential: token}}\n", encoding="utf-8")
            self.assertEqual(run_command("check", str(config), CREDENTIALS_DIRECTORY=folder).returncode, 0)
            self.assertIn("LoadCredential=token:PATH", run_command("check", str(config)).stderr.decode())

    def test_a_wrong_url_is_told_without_its_password(self):
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder, "runnel.yaml")
            config.write_text("providers: {p: {kind: openai, base_url: 'https://me:hunter22@api.example.com/v1?api_key=hunter33'}}\n",
                              encoding="utf-8")
            done = run_command("check", str(config))
            self.assertEqual(done.returncode, 1)
            self.assertIn("https://me:***@api.example.com", done.stderr.decode())
            self.assertNotIn("hunter", done.stderr.decode())

    @attack("fault", "a private key for TLS that has a pass phrase, at a start from a terminal", "it is refused, and nobody is asked for the phrase")
    def test_a_key_with_a_pass_phrase(self):
        made = Certificate()
        self.addCleanup(made.remove)
        locked = os.path.join(made.folder, "locked.pem")
        subprocess.run(["openssl", "pkey", "-in", made.key_file, "-aes128", "-passout", "pass:phrase", "-out", locked], check=True,
                       capture_output=True, timeout=LIMIT)
        config = Path(made.folder, "runnel.yaml")
        config.write_text(json.dumps({"tls": {"cert": made.cert_file, "key": locked}, "data": made.folder}), encoding="utf-8")
        terminal = Terminal("serve", "--config", str(config), "--listen", "127.0.0.1:0")
        self.addCleanup(terminal.close)
        self.assertEqual(terminal.wait_for_end(), 1)
        self.assertIn(f"tls.key: cannot use '{locked}'", terminal.text)
        self.assertNotIn("pass phrase", terminal.text)


if __name__ == "__main__":
    unittest.main()
