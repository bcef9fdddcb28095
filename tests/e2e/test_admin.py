"""What the operator can see, and who else can: /readyz?verbose and /admin/v1/providers."""

import json

from client import Client, get
from gateway_test import KINDS, GatewayTest
from key_admin import ADMIN_TOKEN

PATHS = ("/readyz?verbose", "/admin/v1/providers")


class Admin(GatewayTest):
    provider_fields = {"keys": ["sk-test-KEY-1", "sk-test-KEY-2"], "retries": 0,
                       "timeouts": {"idle": "7s"}, "concurrent": 3}

    def providers(self):
        return {one["name"]: one for one in get(self.runnel.port, "/admin/v1/providers").json()["data"]}

    def test_providers_are_listed_as_configured(self):
        providers = self.providers()
        self.assertEqual(set(providers), {*KINDS, "demo"})
        local = providers["local"]
        self.assertEqual(local["kind"], "openai-compatible")
        self.assertEqual(local["origin"], f"http://127.0.0.1:{self.upstream.port}")
        self.assertEqual((local["keys"], local["retries"]), (2, 0))
        self.assertEqual(local["timeouts_ms"], {"idle": 7000})
        self.assertEqual(local["requests"]["limit"], 3)
        self.assertIsNone(providers["demo"]["origin"])

    def test_no_key_is_shown(self):
        for path in PATHS:
            self.assertNotIn("sk-test", get(self.runnel.port, path).body.decode())

    def test_the_list_shows_how_targets_fare(self):
        self.ask(model="claude/m")
        targets = self.providers()["claude"]["targets"]
        self.assertEqual([target["target"].split("#")[0] for target in targets], ["claude/m"])
        self.assertEqual((targets[0]["breaker"], targets[0]["successes"], targets[0]["failures"]), ("closed", 1, 0))
        self.assertEqual(targets[0]["ready_in_ms"], 0)
        self.assertGreater(targets[0]["first_token_ms"], 0)

    def test_a_rest_is_shown(self):
        self.upstream.script = lambda exchange: exchange.reply(429, b"{}", [("Retry-After", "30")])
        self.assertEqual(self.ask(model="google/m").status, 429)
        ready = get(self.runnel.port, "/readyz?verbose")
        self.assertEqual((ready.status, ready.json()["status"]), (200, "ok"))
        google = next(one for one in ready.json()["providers"] if one["name"] == "google")
        self.assertTrue(all(20000 < target["ready_in_ms"] <= 30000 for target in google["targets"]), google)

    def test_readyz_alone_is_short(self):
        self.assertEqual(get(self.runnel.port, "/readyz").json(), {"status": "ok"})


class AdminToken(GatewayTest):
    config = {"admin": {"token": ADMIN_TOKEN}}

    def test_the_token_opens(self):
        for path in PATHS:
            response = get(self.runnel.port, path, headers={"Authorization": f"Bearer {ADMIN_TOKEN}"})
            self.assertEqual(response.status, 200)

    def test_nothing_else_does(self):
        for given, code in ((None, "missing_api_key"), (f"Bearer {ADMIN_TOKEN[:-1]}", "invalid_api_key"),
                            (f"Bearer {ADMIN_TOKEN}2", "invalid_api_key"), (ADMIN_TOKEN, "missing_api_key")):
            for path in PATHS:
                with self.subTest(given=given, path=path):
                    response = get(self.runnel.port, path, headers={"Authorization": given} if given else {})
                    self.assert_error(response, 401, code, "authentication_error")
        self.assertEqual(get(self.runnel.port, "/readyz").status, 200)

    def test_the_local_socket_opens_too(self):
        for path in PATHS:
            self.assertEqual(get(self.runnel.admin_socket, path, headers={}).status, 200)


class NoAdminToken(GatewayTest):
    config = {"admin": {}}

    def test_the_local_socket_opens_and_nothing_else_does(self):
        for path in PATHS:
            self.assertEqual(get(self.runnel.admin_socket, path, headers={}).status, 200)
            for headers in ({}, {"Authorization": "Bearer "}, {"X-Forwarded-For": "8.8.8.8"}, {"Origin": "https://evil.test"}):
                with self.subTest(headers=headers, path=path):
                    response = get(self.runnel.port, path, headers=headers)
                    self.assert_error(response, 401, "missing_api_key", "authentication_error")
                    self.assertIn("runnel admin-link", response.error["message"])


class ConfigCheck(GatewayTest):
    def test_patterns_are_compiled_where_nobody_waits_for_them(self):
        """What a check takes is nobody's wait but that of whoever asked for it."""
        rules = {f"rule{number}": {"input": {"patterns": [f"(a|b|{number}){{1,40}}c"], "action": "block"}} for number in range(40)}
        with Client(self.runnel.port) as checking:
            body = json.dumps({"text": json.dumps({"guardrails": rules})}).encode()
            checking.request("POST", "/admin/v1/config/check", body, {"Authorization": f"Bearer {ADMIN_TOKEN}"})
            self.assertEqual(get(self.runnel.port, "/healthz").status, 200)
            self.assertIn("problems", checking.response().json())
