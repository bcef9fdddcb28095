"""The audit log: who changed what about the gateway, and from where."""

import signal

from gateway_test import GatewayTest
from key_admin import ADMIN_TOKEN, admin, make_key
from runnel_process import run_command


class Audit(GatewayTest):
    config = {"admin": {"token": ADMIN_TOKEN}, "auth": {"mode": "keys"}}

    def entries(self, query=""):
        response = admin(self.runnel.port, "GET", f"/admin/v1/audit{query}")
        self.assertEqual(response.status, 200, response.body)
        return response.json()["data"]

    def last(self, action):
        return next((entry for entry in self.entries() if entry["action"] == action), None)

    def test_a_key_s_life_is_told_without_its_secret(self):
        key = make_key(self.runnel.port, name="Ann", models=["demo/*"])
        path = f"/admin/v1/keys/{key['id']}"
        self.assertEqual(admin(self.runnel.port, "PATCH", path, {"models": ["demo/text"]}).status, 200)
        self.assertEqual(admin(self.runnel.port, "POST", f"{path}/rotate").status, 200)
        self.assertEqual(admin(self.runnel.port, "DELETE", path).status, 200)
        told = self.entries(f"?subject={key['id']}")
        self.assertEqual([entry["action"] for entry in told], ["key.revoke", "key.rotate", "key.update", "key.create"])
        self.assertEqual(told[2]["changes"], {"models": [["demo/*"], ["demo/text"]]})
        self.assertEqual({(entry["by"], entry["address"]) for entry in told}, {("token", "127.0.0.1")})
        self.assertNotIn(key["key"], str(told))

    def test_what_is_refused_is_no_change(self):
        before = self.entries()
        self.assertEqual(admin(self.runnel.port, "POST", "/admin/v1/keys", {"scope": []}).status, 400)
        self.assertEqual(admin(self.runnel.port, "DELETE", "/admin/v1/keys/nobody").status, 404)
        self.assertEqual(self.entries(), before)

    def test_a_reload_is_told_with_who_asked_for_it(self):
        self.assertEqual(admin(self.runnel.port, "POST", "/admin/v1/config/reload").status, 200)
        self.assert_eventually(lambda: self.last("config.reload"))
        self.assertEqual(self.last("config.reload")["by"], "token")
        self.runnel.signal(signal.SIGHUP)
        self.assert_eventually(lambda: self.last("config.reload")["by"] == "signal")

    def test_the_command_line_names_its_user(self):
        done = run_command("keys", "create", "--name", "Bob", "--config", self.runnel.config_file)
        self.assertEqual(done.returncode, 0, done.stderr)
        entry = self.last("key.create")
        self.assertEqual((entry["by"], entry["changes"]["name"]), ("command line", [None, "Bob"]))
        self.assertTrue(entry["address"])

    def test_pages_follow_each_other(self):
        for name in "abc":
            make_key(self.runnel.port, name=name)
        first = admin(self.runnel.port, "GET", "/admin/v1/audit?limit=2").json()
        self.assertTrue(first["has_more"])
        second = self.entries(f"?limit=1&after={first['last_id']}")
        self.assertEqual(second[0]["changes"]["name"], [None, "a"])

    def test_only_the_admin_reads_it(self):
        key = make_key(self.runnel.port, name="curious")
        refused = admin(self.runnel.port, "GET", "/admin/v1/audit", headers={"Authorization": f"Bearer {key['key']}"})
        self.assertIn(refused.status, (401, 403))
