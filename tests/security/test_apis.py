"""The same attacks through every API: each has a reader of its own, paths, names of models and errors."""

import json
import os

from attack_table import AttackTest, attack
from client import CHAT_PATH, get, request_bytes
from colliding_names import colliding_names
from key_admin import ADMIN_TOKEN
from metrics_page import MetricsPage

HI = [{"role": "user", "content": "Hi"}]
GEMINI_PATH = "/v1beta/models/local%2Fm:generateContent"

# A request of each API, by its path.
ASKED = {
    CHAT_PATH: {"model": "local/m", "messages": HI},
    "/v1/messages": {"model": "local/m", "max_tokens": 9, "messages": HI},
    "/v1/responses": {"model": "local/m", "input": HI},
    GEMINI_PATH: {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]},
}

# What else leads to one of them.
OTHER_PATHS = {
    "/chat/completions": CHAT_PATH, "/api/v1/chat/completions": CHAT_PATH, "/v1//chat/completions/": CHAT_PATH,
    "/openai/deployments/local%2Fm/chat/completions": CHAT_PATH, "/messages": "/v1/messages",
    "/anthropic/v1/messages": "/v1/messages", "/responses": "/v1/responses", "/openai/v1/responses": "/v1/responses",
    "/v1/models/local%2Fm:streamGenerateContent": GEMINI_PATH,
}
STORED = (("GET", "/v1/responses/resp_1"), ("DELETE", "/v1/responses/resp_1"), ("POST", "/v1/responses/resp_1/cancel"),
          ("GET", "/v1/responses/resp_1/input_items"))


def of_one_turn(ids):
    """Requests in which the model has called a tool once for each id."""
    call = {"type": "function", "function": {"name": "f", "arguments": "{}"}}
    turn = {"role": "assistant", "tool_calls": [{"id": name, **call} for name in ids]}
    blocks = [{"type": "tool_use", "id": name, "name": "f", "input": {}} for name in ids]
    items = [{"type": "function_call", "call_id": name, "name": "f", "arguments": "{}"} for name in ids]
    parts = [{"functionCall": {"id": name, "name": name, "args": {}}} for name in ids]
    return {
        CHAT_PATH: {**ASKED[CHAT_PATH], "messages": [*HI, turn]},
        "/v1/messages": {**ASKED["/v1/messages"], "messages": [*HI, {"role": "assistant", "content": blocks}]},
        "/v1/responses": {"model": "local/m", "input": [*HI, *items]},
        GEMINI_PATH: {"contents": [*ASKED[GEMINI_PATH]["contents"], {"role": "model", "parts": parts}]},
    }


class ApiTest(AttackTest):
    def send(self, path, body=b"", method="POST", **headers):
        """`body`: JSON, or a request as it is."""
        client = self.connect()
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        client.send(request_bytes(method, path, data, {"Content-Type": "application/json", **headers}))
        return client

    def post(self, path, body, **headers):
        return self.send(path, body, **headers).response()


class Readers(ApiTest):
    config = {"threads": 2}

    def processor_seconds(self):
        """What the process has used so far."""
        with open(f"/proc/{self.runnel.pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def cost_of(self, path, body):
        data = json.dumps(body).encode()
        before = self.processor_seconds()
        self.assertEqual(self.post(path, data).status, 200, path)
        return self.processor_seconds() - before

    @attack("stranger", "16,384 calls, and properties of a schema, whose names have one hash", "they take no more time than others")
    def test_names_of_one_hash(self):
        names = colliding_names(14)
        others = of_one_turn([f"{number:0{len(names[0])}}" for number in range(len(names))])
        for path, body in of_one_turn(names).items():
            with self.subTest(path):
                usual = self.cost_of(path, others[path])
                self.assertLess(self.cost_of(path, body), 4 * usual + 0.1)

        def with_schema(properties):
            schema = {"type": "object", "properties": {name: {} for name in properties}, "required": properties}
            tool = {"type": "function", "function": {"name": "f", "parameters": schema}}
            return {**ASKED[CHAT_PATH], "model": "google/gemini-2.5-pro", "tools": [tool]}

        usual = self.cost_of(CHAT_PATH, with_schema([f"p{number}" for number in range(6000)]))
        self.assertLess(self.cost_of(CHAT_PATH, with_schema(names[:6000])), 4 * usual + 0.1)

    @attack("stranger", "a million fields; 120,000 messages and parts; a megabyte of brackets; a number of a megabyte",
            "400, and others are served meanwhile")
    def test_bodies_without_measure(self):
        fields = b",".join(b'"a%d":0' % number for number in range(1_000_000))
        for path, asked in ASKED.items():
            whole = json.dumps(asked).encode()[:-1]
            listed, element = max(asked.items(), key=lambda field: isinstance(field[1], list))
            for more in (fields, b'"x":' + b"[" * 1_000_000, b'"temperature":' + b"9" * 1_000_000,
                         b'"%s":%s' % (listed.encode(), json.dumps(element * 120_000).encode())):
                with self.subTest(path, more=more[:20]):
                    attacker = self.send(path, whole + b"," + more + b"}")
                    for _ in range(3):
                        self.assertEqual(self.post(CHAT_PATH, ASKED[CHAT_PATH]).status, 200)
                    self.assertEqual(attacker.response().status, 400)


class Words(ApiTest):
    """What a client says comes back in errors, warnings and the log, and is a header field or a line nowhere."""

    config = {"metrics": {"access": "open"}}
    hostile = "x\r\nSet-Cookie: evil=1\x1b[31m\x9b\u202e"

    def assert_clean(self, response):
        self.assertNotIn("set-cookie", response.headers)
        for name, value in response.fields:
            self.assertNotIn("evil", name.lower())
            self.assertTrue(value.isprintable(), value)

    @attack("stranger", "a model with line ends in it, by every API and in every path", "400 or 404; no such header, nothing is asked")
    def test_names_of_models(self):
        for path, asked in ASKED.items():
            if "model" in asked:
                response = self.post(path, {**asked, "model": "local/" + self.hostile})
                self.assertEqual(response.status, 400, path)
                self.assert_clean(response)
        for name in ("x%0d%0aSet-Cookie:%20evil=1", "x%00", "x%20y", "x%1b[31m", "x%c3%a9", "%ff", "x" * 300, ".."):
            for path, asked in (("/v1beta/models/local%2F{}:generateContent", ASKED[GEMINI_PATH]),
                                ("/v1beta/models/{}:generateContent", ASKED[GEMINI_PATH]),
                                ("/openai/deployments/{}/chat/completions", {"messages": HI})):
                with self.subTest(path, name=name):
                    if name == ".." and "local" in path:
                        continue  # a name like any other
                    response = self.post(path.format(name), asked)
                    self.assertEqual(response.status, 404, response.body)
                    self.assert_clean(response)
        self.assertEqual(self.upstream.requests, [])

    @attack("stranger", "line ends and escapes in ids, kinds of tools, items and fields, and in who the user is",
            "neither a header, nor a line of the log, nor a label has them, here and at the provider")
    def test_words_of_other_fields(self):
        word = self.hostile
        messages, responses, gemini = ASKED["/v1/messages"], ASKED["/v1/responses"], ASKED[GEMINI_PATH]
        for path, body in (
                ("/v1/messages", {**messages, "tools": [{"type": word, "name": word}]}),
                ("/v1/messages", {**messages, "metadata": {"user_id": word}, "service_tier": word}),
                ("/v1/messages", {**messages, "messages": [{"role": "user", "content": [{"type": word}, {"type": "text", "text": "a"}]}]}),
                ("/v1/messages", {**messages, word: 1}),
                ("/v1/responses", {**responses, "tools": [{"type": word}]}),
                ("/v1/responses", {**responses, "user": word, "safety_identifier": word, "prompt_cache_key": word, "service_tier": word}),
                ("/v1/responses", {**responses, "input": [{"type": word}, *HI]}),
                ("/v1/responses", {**responses, "previous_response_id": word}),
                ("/v1/responses", {**responses, "reasoning": {"effort": word, "summary": word}}),
                (GEMINI_PATH, {**gemini, "tools": [{word: {}}]}),
                (GEMINI_PATH, {"contents": [{"role": word, "parts": [{"text": "a"}]}]}),
                (GEMINI_PATH, {"contents": [{"parts": [{word: 1}, {"text": "a"}]}]}),
                (GEMINI_PATH, {**gemini, "generationConfig": {word: 1}}),
                (CHAT_PATH, {**ASKED[CHAT_PATH], "stream_dialect": word})):
            with self.subTest(path, body=str(body)[:120]):
                self.assert_clean(self.post(path, body))
        for method, path in STORED:
            response = self.send(path.replace("resp_1", "x%0d%0aSet-Cookie:%20evil=1%1b%ff%00"), method=method).response()
            self.assert_error(response, 404, "not_found")
            self.assert_clean(response)
        for request in self.upstream.requests:
            self.assertNotIn("evil", request.target + str(request.headers))
        self.assert_eventually(lambda: self.runnel.log().count("/v1/responses/") >= len(STORED))
        self.assertFalse({"\x1b", "\x9b", "\u202e"} & set(self.runnel.log()))
        labels = get(self.runnel.port, "/metrics").body.decode()
        self.assertGreater(MetricsPage(labels).sum("runnel_requests_total"), 0)
        self.assertNotIn("evil", labels)


class Pages(ApiTest):
    """A gateway that is open to programs of this machine."""

    @attack("page", "each path of each API, from another origin and by a name that was made to point here", "403, and no leave to read it")
    def test_every_path(self):
        asked = [("POST", path, body) for path, body in ASKED.items()]
        asked += [("POST", path, ASKED[of]) for path, of in OTHER_PATHS.items()]
        asked += [(method, path, {} if method == "POST" else b"") for method, path in STORED]
        for method, path, body in asked:
            for headers in ({"Host": "evil.test"}, {"Origin": "https://evil.test"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"},
                            {"Host": "evil.test", "Origin": "http://evil.test", "Sec-Fetch-Site": "same-origin"}):
                with self.subTest(path, method=method, headers=headers):
                    response = self.send(path, body, method, **headers).response()
                    self.assertEqual(response.status, 403, response.body)
                    self.assertNotIn("access-control-allow-origin", response.headers)
            preflight = self.send(path, method="OPTIONS", **{"Origin": "https://evil.test", "Access-Control-Request-Method": method})
            self.assertNotIn("access-control-allow-origin", preflight.response().headers)
        self.assertEqual(self.upstream.requests, [])
        for method, path, body in asked[:-len(STORED)]:
            self.assertEqual(self.send(path, body, method).response().status, 200, path)


class Paths(ApiTest):
    config = {"auth": {"mode": "keys"}, "admin": {"token": ADMIN_TOKEN}}

    def assert_serves(self):
        pass  # strangers are not served here

    @attack("stranger", "paths that a reader might take for another: dots, escapes, slashes, prefixes of other servers",
            "401 where somebody must be asked, else 404 or 405")
    def test_ways_round(self):
        for path in ("/v1/responses/../../admin/v1/keys", "/v1/responses/%2e%2e/%2e%2e/admin/v1/keys", "//admin/v1/keys",
                     "/admin//v1/keys/", "/%61dmin/v1/keys", "/admin/v1/keys%00", "/ADMIN/v1/keys", "/api/admin/v1/keys",
                     "/openai/deployments/x/admin/v1/keys", "/openai/deployments/x/../../../admin/v1/keys", "/./admin/v1/keys",
                     "/healthz/../admin/v1/keys", "/admin/v1/session/../keys", "http://localhost/admin/v1/keys",
                     "/openai/deployments/x/models", "/openai/deployments//v1/models", "/anthropic/v1/models", "/models/x",
                     "/v1/models/x:generateContent", "/v1/responses/", "/v1/responses/a/b/c", "/v1/logs/%2e%2e/stream"):
            for method in ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "get"):
                with self.subTest(path, method=method):
                    client = self.send(path, b"" if method in ("GET", "HEAD") else b"{}", method)
                    self.assertIn(client.head().status, (400, 401, 404, 405, 415))
        self.assertEqual(self.upstream.requests, [])
