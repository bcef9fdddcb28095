"""GET /openapi.json: a valid description of the API, and a true one: its examples are taken, and what is answered fits it."""

import json
import re
import subprocess
import sys

from api_description import ApiDescription
from client import Client, get
from gateway_test import GatewayTest
from key_admin import ADMIN_TOKEN, admin, bearer, make_key
from python_packages import python_with

VALIDATOR = "openapi-spec-validator==0.9.0"
VALIDATE = """
import json, sys
from openapi_spec_validator import OpenAPIV31SpecValidator
for error in OpenAPIV31SpecValidator(json.load(sys.stdin)).iter_errors():
    print("/".join(map(str, error.absolute_path)), error.message[:200])
"""
ADMIN = {"Authorization": f"Bearer {ADMIN_TOKEN}"}
WALLET = "0x52908400098527886e0f7030069857d2e4169ee7"
CHAT = "/v1/chat/completions"


def parts_of(value):
    """The value and all that is in it, with the keys that lead there."""
    yield (), value
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, member in members:
        for path, part in parts_of(member):
            yield (name, *path), part

# What a request of chat completions may choose.
CHAT_DIALECTS = ("openai", "timeline", "agent", "agent-raw")

# Their errors have shapes of their own.
OTHER_ERRORS = ("/v1/messages", "/v1/messages/count_tokens", "/v1beta/models", "/v1beta/models/{model}", "/api/chat", "/api/generate", "/api/tags", "/api/show", "/api/ps", "/api/version",
                *(f"/{version}/models/{{model}}:{method}" for version in ("v1", "v1beta")
                  for method in ("generateContent", "streamGenerateContent", "countTokens", "embedContent", "batchEmbedContents")))


class DescribedTest(GatewayTest):
    config = {"admin": {"token": ADMIN_TOKEN}, "auth": {"mode": "keys"}, "logs": {"content": "on"}, "cache": {"ttl": "1h"},
              "traces": {"endpoint": "http://127.0.0.1:9/v1/traces"},  # nobody is there
              "models": {"worker": {"targets": ["demo/agent"], "tools": ["now"]}},
              "prices": {"local/m": {"input": 1, "output": 2, "per_request": 0.01}}}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.document = get(cls.runnel.port, "/openapi.json").json()
        cls.api = ApiDescription(cls.document)

    def setUp(self):
        super().setUp()
        self.key = make_key(self.runnel.port, name="described", team="research", limits={"rpm": 10_000})

    def call(self, method, path, body=None, headers=None):
        """One request; what is answered must be as the document says."""
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        with Client(self.runnel.port) as client:
            client.request(method, path, data, headers)
            response = client.response()
        bare = path.split("?")[0].removeprefix("/api") if path.startswith("/api/v1") else path.split("?")[0]
        operation = self.api.find(method, bare)
        self.assertIsNotNone(operation, f"{method} {path} is not described")
        problems = self.api.response_problems(operation, response)
        self.assertEqual(problems, [], f"{method} {path} → {response.status}: {response.body[:500]}")
        return response

    def logged(self, **request):
        """The record of a new request, once it is there."""
        answer = self.ask(headers=bearer(self.key), **request)
        path = f"/v1/logs/{answer.headers['x-completion-id']}"
        self.assert_eventually(lambda: get(self.runnel.port, path, headers=bearer(self.key)).status == 200)
        return self.call("GET", path, headers=bearer(self.key)).json()


class Document(DescribedTest):
    def test_anybody_may_read_it(self):
        response = get(self.runnel.port, "/openapi.json", headers={"Origin": "https://docs.example.com"})
        self.assertEqual((response.status, response.headers["content-type"]), (200, "application/json"))
        self.assertEqual(response.headers["cache-control"], "no-cache")
        again = get(self.runnel.port, "/openapi.json", headers={"If-None-Match": response.headers["etag"]})
        self.assertEqual((again.status, again.body), (304, b""))
        self.assertTrue(self.document["openapi"].startswith("3.1."))

    def test_its_parts_fit_together(self):
        references = {part for path, part in parts_of(self.document) if path and path[-1] == "$ref"}
        for reference in references:
            self.api.schemas.resolve(reference)
        names = [operation.name for operation in self.api.operations]
        self.assertEqual(len(names), len(set(names)))
        tags = {tag["name"] for tag in self.document["tags"]}
        for operation in self.api.operations:
            with self.subTest(operation.name):
                self.assertTrue(operation.body["summary"])
                self.assertTrue(operation.body["responses"])
                self.assertLessEqual(set(operation.body["tags"]), tags)
                places = [(one["name"].lower(), one["in"]) for one in operation.parameters]
                self.assertEqual(len(places), len(set(places)), places)
                in_path = {one["name"] for one in operation.parameters if one["in"] == "path" and one["required"]}
                self.assertEqual(in_path, set(re.findall(r"\{(\w+)\}", operation.path)))
                if "requestBody" in operation.body:
                    self.assertNotIn(None, operation.examples())
        schemes = self.document["components"]["securitySchemes"]
        self.assertLessEqual({name for one in self.api.operations for way in one.body["security"] for name in way}, set(schemes))

    def test_nothing_in_it_is_left_over(self):
        references = {part for path, part in parts_of(self.document) if path and path[-1] == "$ref"}
        for kind, components in self.document["components"].items():
            if kind != "securitySchemes":
                for name in components:
                    self.assertIn(f"#/components/{kind}/{name}", references)

    def test_it_is_openapi_3_1(self):
        python = python_with("openapi-venv", VALIDATOR)
        if python is None:
            print(f"SKIP: {VALIDATOR} could not be installed (is PyPI reachable, is python3-venv there?)", file=sys.stderr)
            self.skipTest("no validator")
        done = subprocess.run([python, "-c", VALIDATE], input=json.dumps(self.document), capture_output=True, text=True,
                              timeout=120, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr[-2000:])


class Truth(DescribedTest):
    def headers_for(self, operation):
        """Whoever may: a key, else the admin; and the header fields that it has examples of."""
        ways = [name for way in operation.body["security"] for name in way]
        who = bearer(self.key) if "key" in ways else ADMIN if "adminToken" in ways else {}
        return {**who, **{name: str(value) for name, value in operation.examples_of("header").items()}}

    def made(self, path, **body):
        """The id of what is made there."""
        with Client(self.runnel.port) as client:
            client.request("POST", path, json.dumps(body).encode(), bearer(self.key))
            return re.search(rb'"id":"(\w+)"', client.response().body)[1].decode()

    def place_of(self, operation):
        """The path, with something that is there where it has a parameter."""
        if "/keys/{id}" in operation.path:
            return operation.path.replace("{id}", make_key(self.runnel.port, name="named")["id"])
        if operation.path.startswith("/v1/responses/"):
            return operation.path.replace("{id}", self.made("/v1/responses", model="demo/echo", input="Hi", background=True,
                                                            stream=True))
        if operation.path.startswith("/v1/conversations/"):
            conversation = self.made("/v1/conversations", items=[{"id": "msg_1", "role": "user", "content": "Hi"}])
            return operation.path.replace("{id}", conversation).replace("{item_id}", "msg_1")
        if "{id}" in operation.path:
            return operation.path.replace("{id}", self.logged()["id"])
        return operation.path.replace("{model}", operation.examples_of("path").get("model", ""))

    def queries_of(self, operation):
        """Nothing, each of its parameters alone, and all of them."""
        written = {name: str(value).lower() if isinstance(value, bool) else value
                   for name, value in operation.examples_of("query").items()}
        each = [f"?{name}={value}" for name, value in written.items()]
        together = ["?" + "&".join(query[1:] for query in each)] if len(each) > 1 else []
        return ["", *each, *together]

    def test_every_example_is_taken_and_answered_as_described(self):
        self.logged(stream=False)
        for operation in self.api.operations:
            for body in operation.examples():
                for query in self.queries_of(operation):
                    with self.subTest(operation.name, query=query, body=body):
                        if body is not None:
                            self.assertEqual(self.api.request_problems(operation, body), [])
                        path = self.place_of(operation) + query
                        response = self.call(operation.method, path, body, self.headers_for(operation))
                        # It is for gateways that know their users by their wallets: below.
                        taken = {"createWalletKey": (404,), "declineWebSocket": (405,)}.get(operation.name, (200, 201))
                        self.assertIn(response.status, taken, response.body)

    def test_also_under_their_other_names(self):
        for operation in self.api.operations:
            for server in self.document["paths"][operation.path].get("servers", ()):
                path = server["url"].removesuffix("/") + self.place_of(operation)
                for body in operation.examples():
                    if operation.name != "declineWebSocket":
                        self.assertEqual(self.call(operation.method, path, body, self.headers_for(operation)).status, 200)

    def test_streams_in_every_dialect(self):
        for dialect in self.document["components"]["parameters"]["ReplayDialect"]["schema"]["enum"]:
            asked = dialect if dialect in CHAT_DIALECTS else "openai"
            for model in ("demo/reasoning", "demo/tools", "demo/error-midstream", "worker"):
                tools = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}]
                body = {"model": model, "stream": True, "stream_dialect": asked, "servertool_results": True,
                        "messages": [{"role": "user", "content": "What time is it?"}],
                        **({"tools": tools} if model == "demo/tools" else {})}
                with self.subTest(dialect=dialect, model=model):
                    response = self.call("POST", CHAT, body, bearer(self.key))
                    self.assertEqual(response.headers["x-stream-dialect"], asked)
                    path = f"/v1/logs/{response.headers['x-completion-id']}/stream"
                    self.assert_eventually(lambda: get(self.runnel.port, path, headers=bearer(self.key)).status == 200)
                    if dialect in CHAT_DIALECTS:
                        self.call("GET", f"{path}?dialect={dialect}", headers=bearer(self.key))
                    else:
                        self.assertEqual(get(self.runnel.port, f"{path}?dialect={dialect}", headers=bearer(self.key)).status, 200)

    def test_a_key_from_its_first_day_to_its_last(self):
        new = {"name": "life", "limits": {"rpm": 1}, "metadata": {"cost_center": 7}}
        made = self.call("POST", "/admin/v1/keys", new, ADMIN).json()
        path = f"/admin/v1/keys/{made['id']}"
        self.assertEqual(self.call("GET", path, headers=ADMIN).json()["name"], "life")
        self.call("PATCH", path, {"budget": {"usd": 0.005}, "model_limits": {"local/m": {"tpd": 100000}}}, ADMIN)
        self.assertEqual(self.ask(headers=bearer(made)).headers["x-ratelimit-remaining"], "0")
        chat = {"model": "local/m", "messages": [{"role": "user", "content": "Hi again"}]}
        self.assertEqual(self.call("POST", CHAT, chat, bearer(made)).status, 402)
        self.call("PATCH", path, {"budget": None}, ADMIN)
        self.assertEqual(self.call("POST", CHAT, chat, bearer(made)).status, 429)
        rotated = self.call("POST", f"{path}/rotate", {"grace": "1h"}, ADMIN).json()
        self.assertEqual(self.call("GET", "/v1/models", headers=bearer(rotated)).status, 200)
        page = self.call("GET", "/admin/v1/keys?limit=1", headers=ADMIN).json()
        self.call("GET", f"/admin/v1/keys?limit=1&after={page['last_id']}", headers=ADMIN)
        self.assertTrue(self.call("DELETE", path, headers=ADMIN).json()["deleted"])
        self.assertEqual(self.call("GET", path, headers=ADMIN).status, 404)

    def test_pages_and_sums_of_the_log(self):
        for _ in range(3):
            record = self.logged(metadata={"page": "three"})
        self.assertEqual(record["cost"]["usd"] is None, False)
        seen, path = [], "/v1/logs?limit=1&count=true"
        page = self.call("GET", path, headers=bearer(self.key)).json()
        while page["data"]:
            seen += [entry["id"] for entry in page["data"]]
            page = self.call("GET", f"{path}&after={page['last_id']}", headers=bearer(self.key)).json()
        self.assertEqual(len(seen), page["count"])
        for group in ("key", "team", "model", "provider", "day", "hour"):
            self.call("GET", f"/admin/v1/usage?group_by={group}", headers=ADMIN)
        self.assertTrue(self.call("GET", "/admin/v1/logs/export?team=research", headers=ADMIN).body)

    def test_what_is_refused(self):
        mine = bearer(self.key)
        asked_for = [("GET", "/v1/models", None, {}, 401), ("GET", "/v1/models/no/such", None, mine, 404),
                     ("POST", CHAT, b"{", mine, 400), ("POST", CHAT, {"model": "local/m", "messages": 7}, mine, 400),
                     ("POST", CHAT, {"model": "nobody", "prompt": "Hi"}, mine, 404),
                     ("POST", CHAT, {"model": "demo/error-before", "prompt": "Hi"}, mine, 502),
                     ("POST", CHAT, b"a=b", {**mine, "Content-Type": "text/plain"}, 415),
                     ("GET", "/v1/logs?limit=1000", None, mine, 400), ("GET", "/v1/logs?from=then", None, mine, 400),
                     ("GET", "/v1/logs/chatcmpl-nobody", None, mine, 404), ("GET", "/v1/usage?key=key_another", None, mine, 403),
                     ("GET", "/v1/logs/x/stream?dialect=none", None, mine, 404),
                     ("POST", "/v1/tools/execute", {"tool": "nothing"}, mine, 404), ("POST", "/v1/tools/execute", {}, mine, 400),
                     ("POST", "/v1/tools/execute", {"tool": "calculator", "args": {"expression": "1/"}}, mine, 200),
                     ("GET", "/admin/v1/keys", None, mine, 401), ("POST", "/admin/v1/keys", {"scope": ["chat"]}, ADMIN, 400),
                     ("PATCH", "/admin/v1/keys/key_0", {"name": "a"}, ADMIN, 404),
                     ("GET", "/admin/v1/overview?range=year", None, ADMIN, 400),
                     ("POST", "/admin/v1/session", {"token": "wrong"}, {"X-Runnel-Console": "1"}, 401),
                     ("POST", "/admin/v1/session", {"token": ADMIN_TOKEN}, {}, 403),
                     ("POST", "/admin/v1/config/check", {}, ADMIN, 400),
                     ("GET", "/readyz?verbose", None, {}, 401), ("GET", "/readyz?verbose", None, ADMIN, 200)]
        for method, path, body, headers, status in asked_for:
            with self.subTest(method=method, path=path, body=body):
                self.assertEqual(self.call(method, path, body, headers).status, status)
        limited = make_key(self.runnel.port, scopes=["models:read"])
        self.assertEqual(self.call("GET", "/v1/logs", headers=bearer(limited)).status, 403)
        self.assertEqual(self.call("GET", "/healthz").status, 200)

    def test_a_config_that_is_not_taken(self):
        with open(self.runnel.config_file, encoding="utf-8") as file:
            config = json.load(file)
        self.addCleanup(self.runnel.write_config, config)
        self.runnel.write_config({**config, "lisen": 1})
        self.assertEqual(self.call("POST", "/admin/v1/config/reload", headers=ADMIN).status, 400)

    def test_other_methods_are_refused(self):
        taken = {}
        for operation in self.api.operations:
            taken.setdefault(operation.path, set()).add(operation.method)
        for path, methods in taken.items():
            response = admin(self.runnel.port, "PUT", path.replace("{id}", "x").replace("{model}", "x"))
            self.assertEqual(response.status, 405)
            if path not in OTHER_ERRORS:
                self.assert_error(response, 405, "method_not_allowed")
            self.assertEqual(set(response.headers["allow"].split(", ")), methods, path)


class Wallets(DescribedTest):
    config = {"admin": {"token": ADMIN_TOKEN}, "auth": {"mode": "header", "wallet": "free"}}

    def test_a_key_for_a_wallet(self):
        made = self.call("POST", "/auth/api-keys", {"name": "wallet"}, {**ADMIN, "X-Wallet-Address": WALLET})
        self.assertEqual((made.status, made.json()["wallet"]), (201, WALLET))
        self.assertEqual(self.call("POST", "/auth/api-keys", {}, ADMIN).status, 401)
        self.assertEqual(self.call("GET", "/v1/models", headers={"X-Wallet-Address": WALLET}).status, 200)
