"""Several gateways, and the command line, on one store of keys: what one does the others know within a second."""

import json
import os
import shutil
import tempfile

from client import ask, eventually
from gateway_test import LimitedTest
from key_admin import ADMIN_TOKEN, admin, bearer, make_key
from pace import scaled
from runnel_process import RunnelProcess, run_command

WITHIN = 1.0  # second; the promise


def status(runnel, key):
    return ask(runnel.port, model="demo/echo", headers=bearer(key)).status


class Replicas(LimitedTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="runnel-e2e-keys-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.config = {"data": os.path.join(cls.folder, "data"), "auth": {"mode": "keys"},
                      "admin": {"token": ADMIN_TOKEN}}
        cls.gateways = [RunnelProcess(cls.config) for _ in range(2)]
        for gateway in cls.gateways:
            cls.addClassCleanup(gateway.stop)

    def keys(self, *arguments, code=0):
        done = run_command("keys", *arguments, "--data", self.config["data"])
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return done

    def assert_soon(self, expected, key):
        """Every gateway answers so within a second."""
        for gateway in self.gateways:
            self.assertTrue(eventually(lambda: status(gateway, key) == expected, scaled(WITHIN)), expected)

    def test_what_one_does_the_others_know(self):
        one, other = (gateway.port for gateway in self.gateways)
        made = make_key(one)
        self.assertEqual(status(self.gateways[0], made), 200)
        self.assert_soon(200, made)
        admin(other, "PATCH", f"/admin/v1/keys/{made['id']}", {"enabled": False})
        self.assertEqual(status(self.gateways[1], made), 401)
        self.assert_soon(401, made)
        admin(one, "PATCH", f"/admin/v1/keys/{made['id']}", {"enabled": True})
        self.assert_soon(200, made)
        rotated = admin(other, "POST", f"/admin/v1/keys/{made['id']}/rotate").json()
        self.assert_soon(200, rotated)
        self.assert_soon(401, made)
        self.assertEqual(admin(one, "DELETE", f"/admin/v1/keys/{made['id']}").status, 200)
        self.assertEqual(status(self.gateways[0], rotated), 401)
        self.assert_soon(401, rotated)

    def test_the_command_line_changes_what_gateways_know(self):
        made = {"key": self.keys("create", "--name", "by hand", "--model", "demo/*").stdout.decode().strip()}
        self.assertRegex(made["key"], r"^rk-\w+$")
        self.assert_soon(200, made)
        listed = json.loads(self.keys("list", "--json").stdout)["data"]
        key_id = next(key["id"] for key in listed if key["name"] == "by hand")
        self.keys("update", key_id, "--disable")
        self.assert_soon(401, made)
        self.keys("update", key_id, "--enable", "--team", "blue")
        self.assert_soon(200, made)
        rotated = {"key": self.keys("rotate", key_id, "--grace", "1h").stdout.decode().strip()}
        self.assert_soon(200, rotated)
        self.assert_soon(200, made)
        self.keys("revoke", key_id)
        self.assert_soon(401, rotated)
        self.assert_soon(401, made)


class KeysCommand(LimitedTest):
    def setUp(self):
        super().setUp()
        self.folder = tempfile.mkdtemp(prefix="runnel-e2e-keys-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def keys(self, *arguments, code=0):
        done = run_command("keys", *arguments, "--data", os.path.join(self.folder, "data"))
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return done

    def test_everything_can_be_said(self):
        made = json.loads(self.keys(
            "create", "--json", "--name", "n", "--kind", "secret", "--team", "t", "--scope", "chat:write",
            "--scope", "models:read", "--model", "fast", "--expires", "30d", "--origin", "https://a.test",
            "--address", "10.0.0.0/8", "--wallet", "0x00000000000000000000000000000000000a11ce", "--dialect", "agent",
            "--rpm", "1", "--rpd", "2", "--tpm", "3", "--tpd", "4", "--concurrency", "5", "--budget", "1.5",
            "--period", "day", "--keep-content", "--no-cache",
            "--fields", '{"metadata": {"a": 1}, "model_limits": {"fast": {"rpm": 7}}}').stdout)
        self.assertRegex(made.pop("key"), r"^rk-")
        shown = json.loads(self.keys("show", made["id"], "--json").stdout)
        self.assertEqual(shown, made)
        self.assertEqual(made["limits"], {"rpm": 1, "rpd": 2, "tpm": 3, "tpd": 4, "concurrency": 5})
        self.assertEqual((made["budget"], made["scopes"]), ({"usd": 1.5, "period": "day"}, ["chat:write", "models:read"]))
        self.assertEqual((made["keeps_content"], made["may_cache"], made["metadata"]), (True, False, {"a": 1}))
        changed = json.loads(self.keys("update", made["id"], "--json", "--clear", "budget", "--clear", "models", "--rpm",
                                       "9", "--expires", "never", "--no-content", "--cache").stdout)
        self.assertEqual((changed["budget"], changed["models"], changed["expires_at"]), (None, [], None))
        self.assertEqual(changed["limits"], {"rpm": 9, "rpd": 2, "tpm": 3, "tpd": 4, "concurrency": 5})
        self.assertEqual((changed["keeps_content"], changed["may_cache"]), (False, True))

    def test_a_secret_is_printed_once_and_alone(self):
        made = self.keys("create", "--name", "laptop")
        secret = made.stdout.decode().strip()
        self.assertRegex(secret, r"^rk-[0-9A-Za-z]{43}$")
        self.assertIn("not shown again", made.stderr.decode())
        listed = self.keys("list").stdout.decode()
        self.assertIn("laptop", listed)
        key_id = listed.splitlines()[1].split()[0]
        for arguments in (("list",), ("list", "--json"), ("show", key_id), ("show", key_id, "--json"),
                          ("update", key_id, "--name", "desk")):
            done = self.keys(*arguments)
            self.assertNotIn(secret, done.stdout.decode() + done.stderr.decode())

    def test_a_mistake_is_named_and_changes_nothing(self):
        key_id = json.loads(self.keys("create", "--json").stdout)["id"]
        before = self.keys("show", key_id, "--json").stdout
        for arguments, message in ((("--scope", "chat"), "scopes[0] must be one of"),
                                   (("--expires", "soon"), "expires_at must be a time"),
                                   (("--expires", "2020-01-01T00:00:00Z"), "expires_at is over already"),
                                   (("--address", "10.0.0.0/33"), "addresses[0] must be an IP address"),
                                   (("--rpm", "-1"), "limits.rpm must be"), (("--budget", "-1"), "budget.usd must be"),
                                   (("--guardrail", "x"), "guardrails[0] names no guardrail"),
                                   (("--fields", "nope"), "--fields: the body is not valid JSON"),
                                   (("--fields", '{"what": 1}'), "there is no field 'what'")):
            for command in (("create",), ("update", key_id, "--name", "x")):
                with self.subTest(arguments=arguments, command=command[0]):
                    done = self.keys(*command, *arguments, code=1)
                    self.assertIn(f"runnel: {message}", done.stderr.decode())
                    self.assertEqual(done.stdout, b"")
        self.assertEqual(self.keys("show", key_id, "--json").stdout, before)
        self.assertEqual(len(json.loads(self.keys("list", "--json").stdout)["data"]), 1)

    def test_a_key_that_is_not_there_is_not_found(self):
        for command in ("show", "update", "rotate", "revoke"):
            self.assertIn("key_nobody", self.keys(command, "key_nobody", code=1).stderr.decode())
        self.assertIn("there are no keys", self.keys("list").stderr.decode())

    def test_the_help_says_what_there_is(self):
        for command in ("create", "list", "show", "update", "rotate", "revoke"):
            done = run_command("keys", command, "--help")
            self.assertEqual(done.returncode, 0)
            self.assertIn("--data", done.stdout.decode())


class NoStore(LimitedTest):
    def setUp(self):
        super().setUp()
        handle, self.file = tempfile.mkstemp(prefix="runnel-e2e-keys-")
        os.close(handle)
        self.addCleanup(os.remove, self.file)

    def test_keys_are_needed_and_can_not_be_read(self):
        with self.assertRaisesRegex(AssertionError, "auth.mode asks for keys, but they can't be read"):
            RunnelProcess({"data": self.file, "auth": {"mode": "keys"}})

    def test_without_keys_the_gateway_serves(self):
        runnel = RunnelProcess({"data": self.file, "admin": {"token": ADMIN_TOKEN}})
        self.addCleanup(runnel.stop)
        self.assertEqual(ask(runnel.port, model="demo/echo").status, 200)
        self.assert_logs("no keys: the store can't be read", runnel)
        for method, path in (("POST", ""), ("GET", ""), ("DELETE", "/key_1")):
            response = admin(runnel.port, method, f"/admin/v1/keys{path}")
            self.assertEqual((response.status, response.error["code"]), (503, "store_unavailable"))
