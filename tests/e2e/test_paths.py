"""The names that clients have for a path: one endpoint behind all of them, and one door."""

import json

from client import get
from gateway_test import GatewayTest
from key_admin import ADMIN_TOKEN, make_key

CHAT_NAMES = ("/chat/completions", "/openai/v1/chat/completions", "/api/v1/chat/completions", "/v1/chat/completions/",
              "//v1//chat/completions")
ADMIN_NAMES = ("//admin/v1/keys", "/admin//v1/keys/", "///admin/v1/keys?limit=1")
NO_NAMES = ("/v1/../admin/v1/keys", "/openai/admin/v1/keys", "/openai/deployments/x/admin/v1/keys", "/v1/%2e%2e/admin/v1/keys")
QUESTION = [{"role": "user", "content": "Hi"}]


class Paths(GatewayTest):
    config = {"auth": {"mode": "keys"}, "admin": {"token": ADMIN_TOKEN}}

    def setUp(self):
        super().setUp()
        self.key = make_key(self.runnel.port)["key"]

    def post(self, path, body, headers=None):
        with self.connect() as client:
            client.request("POST", path, json.dumps(body).encode(), headers or {"Authorization": f"Bearer {self.key}"})
            return client.response()

    def test_chat_is_found_under_every_name(self):
        for path in CHAT_NAMES:
            with self.subTest(path):
                answer = self.post(path, {"model": "local/tiny", "messages": QUESTION})
                self.assertEqual(answer.status, 200, answer.body)
                self.assertEqual(answer.json()["object"], "chat.completion")

    def test_every_name_asks_for_a_key(self):
        for path in (*CHAT_NAMES, "/openai/deployments/tiny/chat/completions", "/messages", "/anthropic/v1/messages"):
            with self.subTest(path):
                self.assertEqual(self.post(path, {"messages": QUESTION}, {"X-Nothing": "1"}).status, 401)
        self.assertEqual(get(self.runnel.port, "/models").status, 401)

    def test_a_deployment_is_the_model_where_the_body_has_none(self):
        path = "/openai/deployments/local%2Ftiny/chat/completions?api-version=2024-10-21"
        self.assertEqual(self.post(path, {"messages": QUESTION}, {"api-key": self.key}).status, 200)
        self.assertEqual(self.upstream.requests[-1].json()["model"], "tiny")
        self.post(path, {"model": "local/other", "messages": QUESTION}, {"api-key": self.key})
        self.assertEqual(self.upstream.requests[-1].json()["model"], "other")

    def test_a_deployment_that_can_be_no_model_is_refused(self):
        for name in ("a%0d%0ab", "%00", "m" * 300):
            with self.subTest(name):
                answer = self.post(f"/openai/deployments/{name}/chat/completions", {"messages": QUESTION})
                self.assertEqual(answer.status, 404, answer.body)

    def test_two_api_key_fields_are_refused_as_two_of_the_others_are(self):
        with self.connect() as client:
            client.send(b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\napi-key: a\r\napi-key: b\r\n\r\n")
            self.assertEqual(client.response().status, 400)

    def test_no_name_leads_round_the_admins_door(self):
        for path in ADMIN_NAMES:
            with self.subTest(path):
                self.assertEqual(get(self.runnel.port, path, headers={}).status, 401)
                self.assertEqual(get(self.runnel.port, path, headers={"Authorization": f"Bearer {self.key}"}).status, 401)
                page = get(self.runnel.port, path, headers={"Origin": "https://evil.example"})
                self.assertNotIn("access-control-allow-origin", page.headers)
                asked = get(self.runnel.port, path, headers={"Authorization": f"Bearer {ADMIN_TOKEN}"})
                self.assertEqual(asked.status, 200, asked.body)
        for path in NO_NAMES:
            with self.subTest(path):
                self.assertEqual(get(self.runnel.port, path, headers={"Authorization": f"Bearer {ADMIN_TOKEN}"}).status, 404)

    def test_browsers_get_the_consoles_page_where_it_has_one(self):
        page = get(self.runnel.port, "/models", headers={"Accept": "text/html"})
        self.assertNotIn("json", page.headers["content-type"])
