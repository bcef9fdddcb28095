"""What the operator can see, and who else can: /readyz?verbose and /admin/v1/providers."""

from client import get
from gateway_test import KINDS, GatewayTest

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

    def test_lines_show_how_targets_fare(self):
        self.ask(model="claude/m")
        lines = self.providers()["claude"]["lines"]
        self.assertEqual([line["line"].split("#")[0] for line in lines], ["claude/m"])
        self.assertEqual((lines[0]["breaker"], lines[0]["successes"], lines[0]["failures"]), ("closed", 1, 0))
        self.assertEqual(lines[0]["ready_in_ms"], 0)
        self.assertGreater(lines[0]["first_token_ms"], 0)

    def test_a_rest_is_shown(self):
        self.upstream.script = lambda exchange: exchange.reply(429, b"{}", [("Retry-After", "30")])
        self.assertEqual(self.ask(model="google/m").status, 429)
        ready = get(self.runnel.port, "/readyz?verbose")
        self.assertEqual((ready.status, ready.json()["status"]), (200, "ok"))
        google = next(one for one in ready.json()["providers"] if one["name"] == "google")
        self.assertTrue(all(20000 < line["ready_in_ms"] <= 30000 for line in google["lines"]), google)

    def test_readyz_alone_is_short(self):
        self.assertEqual(get(self.runnel.port, "/readyz").json(), {"status": "ok"})


class AdminToken(GatewayTest):
    config = {"admin": {"token": "let-me-in"}}

    def test_the_token_opens(self):
        for path in PATHS:
            response = get(self.runnel.port, path, headers={"Authorization": "Bearer let-me-in"})
            self.assertEqual(response.status, 200)

    def test_nothing_else_does(self):
        for given, code in ((None, "missing_api_key"), ("Bearer let-me-i", "invalid_api_key"),
                            ("Bearer let-me-in2", "invalid_api_key"), ("let-me-in", "missing_api_key")):
            for path in PATHS:
                with self.subTest(given=given, path=path):
                    response = get(self.runnel.port, path, headers={"Authorization": given} if given else None)
                    self.assert_error(response, 401, code, "authentication_error")
        self.assertEqual(get(self.runnel.port, "/readyz").status, 200)


class NoAdminToken(GatewayTest):
    def test_others_than_this_machine_are_refused(self):
        for headers in ({"X-Forwarded-For": "8.8.8.8"}, {"Origin": "https://evil.test"}):
            for path in PATHS:
                with self.subTest(headers=headers, path=path):
                    response = get(self.runnel.port, path, headers=headers)
                    self.assert_error(response, 403, "insufficient_scope", "permission_error")
