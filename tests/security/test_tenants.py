"""One tenant against another: kept state, tools, models, cached answers, logs and what errors tell."""

import http.server
import threading

from attack_table import attack
from client import chat_bytes, get
from fake_upstream import InStep
from frames import frames_of
from key_admin import admin, bearer
from tenant_test import TenantTest

KIMI_ID = "functions.look:0"  # the same for everybody
LOOK = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
BOB = "0x0000000000000000000000000000000000000b0b"


def called(name, number=0, arguments="{}"):
    return {"index": number, "id": f"functions.{name}:{number}", "type": "function",
            "function": {"name": name, "arguments": arguments}}


def thinks(thought, *calls):
    """A turn of Kimi's: reasoning that it wants back, and calls whose ids everybody's have."""
    def script(exchange):
        exchange.head()
        exchange.body(exchange.wire.reasoning(thought))
        exchange.body(exchange.wire._chunk({"tool_calls": list(calls or [called("look")])}))
        exchange.finish("tool_calls")
    return script


def history(text, result="seen", **fields):
    """What a client comes back with after that turn."""
    call = {"id": KIMI_ID, "type": "function", "function": {"name": "look", "arguments": "{}"}}
    return [{"role": "user", "content": text},
            {"role": "assistant", "content": None, "tool_calls": [call], **fields},
            {"role": "tool", "tool_call_id": KIMI_ID, "content": result}]


class KeptState(TenantTest):
    fields = {"models": {"op": {"targets": ["kimi/kimi-k2.6"], "tools": ["calculator"]}}}

    def take_turn(self, who, text, thought, **fields):
        self.upstream.play(thinks(thought))
        frames_of(self.chat(who, model="kimi/kimi-k2.6", text=text, tools=[LOOK], **fields).body)

    def come_back(self, who, text, **fields):
        messages = fields.pop("messages", history(text))
        frames_of(self.chat(who, model="kimi/kimi-k2.6", messages=messages, tools=[LOOK], **fields).body)
        return self.sent()

    @attack("tenant", "another key's tool-call id, in its own and in the very same conversation",
            "the provider is sent nothing of the other's reasoning")
    def test_reasoning_of_another_key(self):
        alice, bob = self.key(), self.key()
        self.take_turn(alice, "I am ill", "ALICE IS ILL")
        self.assertNotIn("ALICE", self.come_back(bob, "hello"))
        self.assertNotIn("ALICE", self.come_back(bob, "I am ill"))
        self.assertIn("ALICE IS ILL", self.come_back(alice, "I am ill"), "who it belongs to gets it back")

    @attack("tenant", "another key's tool-call id, in the very same conversation, by each of the other APIs",
            "the provider is sent nothing of the other's reasoning")
    def test_reasoning_of_another_key_by_another_api(self):
        alice, bob = self.key(), self.key()
        self.take_turn(alice, "I am ill", "ALICE IS ILL")
        model, text = "kimi/kimi-k2.6", {"role": "user", "content": "I am ill"}
        schema = {"type": "object"}
        messages = [text, {"role": "assistant", "content": [{"type": "tool_use", "id": KIMI_ID, "name": "look", "input": {}}]},
                    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": KIMI_ID, "content": "seen"}]}]
        items = [text, {"type": "function_call", "call_id": KIMI_ID, "name": "look", "arguments": "{}"},
                 {"type": "function_call_output", "call_id": KIMI_ID, "output": "seen"}]
        contents = [{"role": "user", "parts": [{"text": "I am ill"}]},
                    {"role": "model", "parts": [{"functionCall": {"id": KIMI_ID, "name": "look", "args": {}}}]},
                    {"role": "user", "parts": [{"functionResponse": {"id": KIMI_ID, "name": "look", "response": {"output": "seen"}}}]}]
        for path, body in (
                ("/v1/messages", {"model": model, "max_tokens": 9, "messages": messages, "tools": [{"name": "look", "input_schema": schema}]}),
                ("/v1/responses", {"model": model, "input": items, "tools": [{"type": "function", "name": "look", "parameters": schema}]}),
                ("/v1beta/models/kimi%2Fkimi-k2.6:generateContent",
                 {"contents": contents, "tools": [{"functionDeclarations": [{"name": "look", "parameters": schema}]}]})):
            with self.subTest(path):
                self.assertEqual(self.post(bob, path, body).status, 200)
                self.assertIn(KIMI_ID, self.sent())
                self.assertNotIn("ALICE", self.sent())
                self.assertEqual(self.post(alice, path, body).status, 200)
                self.assertIn("ALICE IS ILL", self.sent(), "who it belongs to gets it back")

    @attack("tenant", "the same call id in two conversations with one key",
            "each conversation gets its own reasoning back")
    def test_two_conversations_of_one_key(self):
        key = self.key()
        self.take_turn(key, "first", "FIRST THOUGHT")
        self.take_turn(key, "second", "SECOND THOUGHT")
        first, second = self.come_back(key, "first"), self.come_back(key, "second")
        self.assertIn("FIRST THOUGHT", first)
        self.assertNotIn("SECOND THOUGHT", first)
        self.assertIn("SECOND THOUGHT", second)
        self.assertNotIn("THOUGHT", self.come_back(key, "third"))

    @attack("tenant", "the same conversation for two users of one key", "the users are not mixed")
    def test_two_users_of_one_key(self):
        key = self.key()
        self.take_turn(key, "Hi", "ABOUT ALICE", user="alice")
        self.assertNotIn("ABOUT", self.come_back(key, "Hi", user="bob"))
        self.assertIn("ABOUT ALICE", self.come_back(key, "Hi", user="alice"))

    def test_what_clients_change_without_meaning_it_costs_nobody_his_state(self):
        key = self.key()
        self.take_turn(key, "Grüezi", "MY THOUGHT")
        messages = history("Grüezi", content="", reasoning_content=None)
        messages[0]["content"] = [{"type": "text", "text": "Grüezi", "cache_control": {"type": "ephemeral"}}]
        self.assertIn("MY THOUGHT", self.come_back(key, "", messages=messages))

    @attack("tenant", "another key's shown call, after a turn with a hidden one",
            "the provider is sent nothing of the hidden call's result")
    def test_hidden_results_of_another_key(self):
        alice, bob = self.key(), self.key()

        def mixed(who, text):
            self.upstream.play(thinks("hm", called("look"), called("calculator", 1, '{"expression":"6*7"}')))
            frames_of(self.chat(who, model="op", text=text, tools=[LOOK]).body)

        def come_back(who, text):
            frames_of(self.chat(who, model="op", messages=history(text), tools=[LOOK]).body)
            return [message["role"] for message in self.upstream.requests[-1].json()["messages"]]

        mixed(alice, "I am ill")
        self.assertEqual(come_back(bob, "I am ill"), ["user", "assistant", "tool"])
        self.assertEqual(come_back(alice, "I am well"), ["user", "assistant", "tool"])
        self.assertEqual(come_back(alice, "I am ill"), ["user", "assistant", "tool", "tool"])


class KeptStateOfWallets(KeptState):
    auth = {"mode": "header", "wallet_tools": ["calculator"]}
    wallets = 0

    def key(self, **_):
        KeptStateOfWallets.wallets += 1
        return {"x-wallet-address": f"0x{KeptStateOfWallets.wallets:040x}"}


class KeptStateOfStrangers(TenantTest):
    auth = {"mode": "open"}

    @attack("stranger", "another stranger's tool-call id, from the same address, where nobody needs a key",
            "conversations are not mixed")
    def test_two_strangers(self):
        self.upstream.play(thinks("ALICE IS ILL"))
        frames_of(self.ask(model="kimi/kimi-k2.6", text="I am ill", tools=[LOOK]).body)
        frames_of(self.ask(model="kimi/kimi-k2.6", messages=history("hello"), tools=[LOOK]).body)
        self.assertNotIn("ALICE", self.sent())
        frames_of(self.ask(model="kimi/kimi-k2.6", messages=history("I am ill"), tools=[LOOK]).body)
        self.assertIn("ALICE", self.sent())


class LeakyTool(http.server.BaseHTTPRequestHandler):
    """Fails as servers do that tell everybody everything."""
    said = ('{"error":"db-7.internal:5432 refused sk-live-1234567890","url":"http://10.1.2.3:9000/x?sig=1",'
            '"other":"http://[fd00::7]:9001/inner?part=1","why":"no such city"}')

    def do_GET(self):
        body = LeakyTool.said.encode()
        self.send_response(500)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class ToolsOfTenants(TenantTest):
    """Who may have which tools run."""

    @classmethod
    def config_of(cls, port):
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), LeakyTool)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.addClassCleanup(cls.server.server_close)
        cls.addClassCleanup(cls.server.shutdown)
        leaky = {"url": f"http://127.0.0.1:{cls.server.server_address[1]}/", "method": "GET",
                 "description": "fails", "parameters": {"type": "object"}}
        return {"tools": {"payroll": {"http": leaky}},
                "models": {"op": {"targets": ["local/m"], "tools": ["calculator", "payroll"]}}}

    def offered(self):
        """The tools that the provider was told of."""
        return [tool["function"]["name"] for tool in self.upstream.requests[-1].json().get("tools", [])]

    @attack("tenant", "builtin_tools with a key for chat alone", "403, and no provider is asked")
    def test_builtin_tools_need_the_scope(self):
        key = self.key(scopes=["chat:write"])
        response = self.chat(key, builtin_tools={"tools": ["payroll"]})
        self.assert_error(response, 403, "insufficient_scope", param="builtin_tools")
        self.assertIn("tools:execute", response.error["message"])
        self.assertEqual(self.upstream.requests, [])
        frames_of(self.chat(key, model="op").body)
        self.assertEqual(self.offered(), ["calculator", "payroll"], "the operator gave them to the model")

    @attack("tenant", "tools that are not on its key's list, by every way there is",
            "they are not run, and not named")
    def test_tools_of_others(self):
        key = self.key(tools=["calculator"])
        self.assertEqual(key["tools"], ["calculator"])
        refused = self.chat(key, builtin_tools={"tools": ["payroll"]})
        self.assert_error(refused, 400, "invalid_value", param="builtin_tools.tools")
        unknown = self.chat(key, builtin_tools={"tools": ["payrol"]})
        for response in (refused, unknown):
            self.assertIn("there are: calculator", response.error["message"])
            self.assertNotIn("payroll,", response.error["message"])
        self.assertEqual(self.upstream.requests, [])
        response = self.chat(key, model="op")
        frames_of(response.body)
        self.assertEqual(self.offered(), ["calculator"])
        self.assertIn("server_tools_stripped", response.headers["x-gateway-warnings"])
        listed = get(self.runnel.port, "/v1/tools", headers=bearer(key)).json()["tools"]
        self.assertEqual([tool["name"] for tool in listed], ["calculator"])
        run = self.post(key, "/v1/tools/execute", {"tool": "payroll", "args": {}})
        self.assert_error(run, 404, "not_found")
        nearly = self.post(key, "/v1/tools/execute", {"tool": "payrol", "args": {}})
        self.assertNotIn("payroll", nearly.error["message"])
        run = self.post(key, "/v1/tools/execute", {"tool": "calculator", "args": {"expression": "6*7"}})
        self.assertTrue(run.json()["ok"], run.body)

    def test_a_list_of_tools_is_changed_and_taken_away(self):
        key = self.key(tools=[])
        frames_of(self.chat(key, model="op").body)
        self.assertEqual(self.offered(), [])
        for tools in (["payroll"], None):
            changed = admin(self.runnel.port, "PATCH", f"/admin/v1/keys/{key['id']}", {"tools": tools})
            self.assertEqual(changed.json()["tools"], tools, changed.body)
        frames_of(self.chat(key, model="op").body)
        self.assertEqual(self.offered(), ["calculator", "payroll"])

    @attack("tenant", "a call to a tool that fails with keys and addresses in its words",
            "neither the model nor the client reads them")
    def test_failures_of_tools_are_masked(self):
        key = self.key()
        run = self.post(key, "/v1/tools/execute", {"tool": "payroll", "args": {}})
        self.assertFalse(run.json()["ok"])
        shown = run.body.decode()
        for dialect in ("agent", "timeline"):
            self.upstream.play(thinks("hm", called("payroll")))
            response = self.chat({**bearer(key), "X-Stream-Dialect": dialect}, model="op", servertool_results=True)
            self.assertEqual(response.status, 200, response.body)
            shown += response.body.decode()
            shown += self.sent()
        self.assertIn("no such city", shown, "what helps the model is left")
        for secret in ("sk-live", "db-7", "10.1.2.3", "sig=1", "5432", "fd00", "9001", "inner"):
            self.assertNotIn(secret, shown)


class ToolsOfWallets(ToolsOfTenants):
    auth = {"mode": "header", "wallet_tools": ["calculator"]}

    @attack("stranger", "builtin_tools and a model's tools with an address that nothing proves",
            "only those that the config says are run")
    def test_builtin_tools_need_the_scope(self):
        wallet = {"x-wallet-address": BOB}
        response = self.chat(wallet, builtin_tools={"tools": ["payroll"]})
        self.assert_error(response, 400, "invalid_value", param="builtin_tools.tools")
        self.assertNotIn("payroll,", response.error["message"])
        frames_of(self.chat(wallet, model="op").body)
        self.assertEqual(self.offered(), ["calculator"])
        listed = get(self.runnel.port, "/v1/tools", headers=wallet).json()["tools"]
        self.assertEqual([tool["name"] for tool in listed], ["calculator"])
        self.assert_error(self.post(wallet, "/v1/tools/execute", {"tool": "payroll", "args": {}}), 404, "not_found")

    test_tools_of_others = test_a_list_of_tools_is_changed_and_taken_away = None
    test_failures_of_tools_are_masked = None


class ToolsAfterRedaction(TenantTest):
    """A request that a guardrail has changed is read a second time."""
    page = "0b54b0a4-7d7b-4a57-8d0c-3f1f8c1c2a11"
    fields = {"guardrails": [{"name": "mail", "kind": "pii", "action": "redact"}],
              "models": {"page": {"id": page, "targets": ["local/m"], "limits": {"max_tokens": 50},
                                  "defaults": {"builtin_tools": {"tools": ["calculator"]}}}}}

    @attack("tenant", "builtin_tools with a browser key, in a request that a guardrail redacts", "no tool is offered")
    def test_what_is_redacted_gains_no_tools(self):
        for key, fields in ((self.key(kind="browser"), {"builtin_tools": {"tools": ["calculator"]}}),
                            (self.key(tools=[]), {})):
            response = self.chat(key, model=self.page, text="I am ann@example.com", stream=False,
                                 max_completion_tokens=70, **fields)
            self.assertEqual(response.status, 200, response.body)
            sent = self.upstream.requests[-1].json()
            self.assertNotIn("ann@", self.sent())
            self.assertNotIn("tools", sent)
            self.assertEqual(sent["max_tokens"], 50)


class ModelsOfTenants(TenantTest):
    fields = {
        "models": {"local/few": {"targets": ["local/few"], "limits": {"rpm": 2}},
                   "fast": {"targets": ["local/few"], "limits": {"rpm": 5}},
                   "either": {"targets": ["local/few", "claude/m"]},
                   "whole": {"targets": ["claude/m"], "streaming": False, "stream_fallback": "secret-model"},
                   "secret-model": {"targets": ["llama/m"]},
                   "rare": {"targets": ["local/rare"], "limits": {"rpm": 1}},
                   "local/one": {"targets": ["local/one"], "limits": {"concurrent": 1}},
                   "both": {"targets": ["local/patient", "local/other"]},
                   "round-it": {"targets": ["local/one"]}},
        "limits": {"queue_time": "50ms"},
        "aliases": {"quick": "local/few"},
    }

    def asks(self, key, *models):
        return [self.chat(key, model=model).status for model in models]

    @attack("tenant", "other names for a model whose requests are limited", "all of them count")
    def test_names_go_round_no_limit(self):
        key = self.key()
        self.assertEqual(self.asks(key, "@local/few", "quick", "local/few", "@local/few", "quick", "fast"),
                         [200, 200, 429, 429, 429, 429])
        self.assertEqual(len(self.upstream.requests), 2)
        response = self.chat(key, model="either")
        self.assertEqual(response.status, 200, "another target is not limited")
        self.assertIn("limited_target_skipped", response.headers["x-gateway-warnings"])

    @attack("tenant", "a limited model as the fallback of one that fails", "its limit counts")
    def test_fallbacks_go_round_no_limit(self):
        key = self.key()

        def answer(exchange):
            if exchange.request.json()["model"] == "broken":
                exchange.reply(500, b"{}")
            else:
                exchange.stream("ok")

        self.upstream.script = answer
        statuses = [self.chat(key, model="local/broken", fallback=["rare"], retries=0).status for _ in range(3)]
        self.assertEqual(statuses[0], 200)
        self.assertGreaterEqual(min(statuses[1:]), 429, statuses)
        self.assert_error(self.chat(key, model="rare"), 429, "rate_limit_exceeded")

    @attack("tenant", "many at a time to a model that takes one, under other names", "one is served, the others get 503")
    def test_names_go_round_no_concurrency(self):
        key, first = self.key(), InStep("a", "b")
        self.upstream.play(first)
        client = self.connect()
        client.send(chat_bytes(model="round-it", headers=bearer(key)))
        self.assert_eventually(lambda: len(self.upstream.requests) == 1)
        for request in ({"model": "round-it"}, {"model": "@local/one"}, {"model": "local/one"}):
            self.assert_error(self.chat(key, **request), 503, "overloaded")
        first.go_on(2)
        self.assertEqual(client.response().status, 200)
        self.assert_eventually(lambda: self.asks(key, "round-it") == [200])

    @attack("tenant", "other names for a model that its key has limits for", "all of them count")
    def test_names_go_round_no_limit_of_a_key(self):
        key = self.key(model_limits={"llama/m": {"rpm": 1}})
        self.assertEqual(self.asks(key, "secret-model", "@llama/m", "llama/m"), [200, 429, 429])
        other = self.key(model_limits={"@llama/m": {"rpm": 1}})
        self.assertEqual(self.asks(other, "llama/m", "secret-model"), [200, 429])

    @attack("tenant", "versions of a limited model, its name in capital letters, or with what its provider leaves out",
            "all of them count")
    def test_spellings_go_round_no_limit(self):
        for limited, *others in (("local/gpt-9", "local/gpt-9-2026-08-07", "local/GPT-9", "local/gpt-9-latest"),
                                 ("google/gemini-9", "google/models/gemini-9", "google/models/Gemini-9-001"),
                                 ("llama/tiny", "llama/tiny:latest", "llama/TINY")):
            key = self.key(model_limits={limited: {"rpm": 1}})
            self.assertEqual(self.asks(key, limited, *others), [200] + [429] * len(others), limited)
            self.assertEqual(self.asks(key, limited + "-mini"), [200], "another model")
            self.assert_error(self.chat(key, model=limited + " "), 400, "invalid_value", param="model")

    @attack("tenant", "another model in a field that servers in Go take for model: \"Model\", \"MODEL\", and such for others",
            "400, and no provider is asked")
    def test_spellings_of_fields(self):
        key = self.key(models=["local/gpt-9"])
        for field in ("Model", "MODEL", "modeL", "Max_Tokens", "max_to\u212aens", "\u017ftream", "Builtin_Tools"):
            with self.subTest(field):
                response = self.chat(key, model="local/gpt-9", **{field: "local/secret"})
                self.assert_error(response, 400, "invalid_value", param=field)
        self.assertEqual(self.upstream.requests, [])
        self.assertEqual(self.chat(key, model="local/gpt-9", enableSearch=False).status, 200, "another field")

    @attack("tenant", "many requests with a time-out of their own that nobody can keep",
            "whom others ask is none of the worse for it")
    def test_impatience_is_nobodys_fault(self):
        impatient = self.key()
        self.upstream.script = lambda exchange: exchange.hold()
        for _ in range(8):
            self.assert_error(self.chat(impatient, model="local/patient", timeout=20), 504, "upstream_timeout")
        self.upstream.forget()
        self.assertEqual(self.asks(self.key(), "both"), [200])
        self.assertEqual(self.upstream.requests[0].json()["model"], "patient")

    @attack("tenant", "models that its key may not use: by name, by stand-in, by fallback, by guessing",
            "403 for all, and none is told of")
    def test_models_of_others(self):
        key = self.key(models=["whole"])
        for model in ("secret-model", "secret-mode", "@llama/m", "nobody/m"):
            response = self.chat(key, model=model)
            self.assert_error(response, 403, "model_not_allowed")
            described = get(self.runnel.port, f"/v1/models/{model.replace('/', '%2F')}", headers=bearer(key))
            self.assert_error(described, 403, "model_not_allowed")
            for message in (response.error["message"], described.error["message"]):
                self.assertNotIn("did you mean", message)
                self.assertNotIn("providers", message)
        self.assert_error(self.chat(key, model="whole"), 403, "model_not_allowed")
        self.assert_error(self.chat(key, model="whole", stream=False, fallback=["llama/m"]), 403, "model_not_allowed")
        self.assertEqual(self.upstream.requests, [])
        listed = get(self.runnel.port, "/v1/models", headers=bearer(key)).json()["data"]
        self.assertEqual([model["id"] for model in listed], ["whole"])


class AnswersOfTenants(TenantTest):
    fields = {"cache": {"ttl": "1h"}}

    @attack("tenant", "the very request that another key has asked", "an answer of its own; a team shares")
    def test_cached_answers_of_others(self):
        alice, bob, ann, ben = self.key(), self.key(), self.key(team="blue"), self.key(team="blue")
        found = [self.chat(key, stream=False, text="the same").headers["x-cache"] for key in (alice, alice, bob, ann, ben)]
        self.assertEqual(found, ["MISS", "HIT", "MISS", "MISS", "HIT"])

    @attack("tenant", "a request whose fallback of its own choice answers, then the same without one",
            "the fallback's answer is not in the cache for those who named none")
    def test_a_fallback_answers_for_nobody_else(self):
        def answer(exchange):
            if exchange.request.json()["model"] == "away":
                exchange.reply(404, b'{"error":{"message":"no such model","code":"model_not_found"}}')
            else:
                exchange.reply(200, exchange.wire.whole("from another"))

        self.upstream.script = answer
        anybody, other = self.key(team="red"), self.key(team="red", models=["local/away"])
        served = self.chat(anybody, model="local/away", stream=False, text="x", fallback=["local/secret"])
        self.assertIn(b"from another", served.body)
        self.assertNotIn(b"from another", self.chat(other, model="local/away", stream=False, text="x").body)


class LogsOfTenants(TenantTest):
    fields = {"logs": {"content": "on"}}

    @attack("tenant", "another's completion id and request id, in every way that logs are read", "404")
    def test_logs_of_others(self):
        alice, bob = self.key(), self.key()
        response = self.chat({**bearer(alice), "X-Request-ID": "same-for-both"}, text="my secret")
        completion = frames_of(response.body)[0]["id"]
        path = f"/v1/logs/{completion}"
        self.assert_eventually(lambda: get(self.runnel.port, path, headers=bearer(alice)).status == 200)
        for name in (completion, "same-for-both"):
            for way in ("", "/content", "/stream"):
                self.assert_error(get(self.runnel.port, f"/v1/logs/{name}{way}", headers=bearer(bob)), 404, "not_found")
        self.chat({**bearer(bob), "X-Request-ID": completion}, text="a forgery")
        self.assert_eventually(lambda: get(self.runnel.port, path, headers=bearer(bob)).status == 200)
        mine = get(self.runnel.port, path + "/content", headers=bearer(alice))
        self.assertIn("my secret", mine.body.decode())
        seen = admin(self.runnel.port, "GET", f"/admin/v1/logs/{completion}/content")
        self.assertIn("my secret", seen.body.decode(), "a request id stands behind a completion id")
        for query in (f"?key={alice['id']}", f"?id={completion}", "?model=local%2Fm"):
            listed = get(self.runnel.port, "/v1/logs" + query, headers=bearer(bob))
            self.assertNotIn(alice["id"], listed.body.decode() if listed.status == 200 else "")
        self.assertNotIn(alice["id"], get(self.runnel.port, "/v1/usage?group_by=key", headers=bearer(bob)).body.decode())

    @attack("tenant", "a request to a provider that is not there", "its record shows no address, but to the admin")
    def test_addresses_in_logs(self):
        key = self.key()

        def fails(exchange):
            exchange.reply(500, b'{"error":{"message":"gpu-7.internal:8000 is down"}}')

        self.upstream.script = fails
        response = self.chat(key, model="local/m")
        self.assertGreaterEqual(response.status, 500)
        request = response.headers["x-request-id"]
        path = f"/v1/logs/{request}"
        self.assert_eventually(lambda: get(self.runnel.port, path, headers=bearer(key)).status == 200)
        own = get(self.runnel.port, path, headers=bearer(key)).body.decode()
        listed = get(self.runnel.port, "/v1/logs", headers=bearer(key)).body.decode()
        for shown in (own, listed, response.body.decode()):
            self.assertNotIn("gpu-7", shown)
        self.assertIn("gpu-7", admin(self.runnel.port, "GET", f"/admin/v1/logs/{request}").body.decode())

    @attack("tenant", "its key where an id or a model's name belongs, by mistake", "neither log nor store has it")
    def test_keys_in_the_wrong_place(self):
        key = self.key()
        secret = key["key"]
        for path in (f"/v1/models/{secret}", f"/v1/logs/{secret}", f"/{secret}", f"/v1/chat/completions?api-key={secret}"):
            get(self.runnel.port, path, headers=bearer(key))
        get(self.runnel.port, "/v1/models", headers={**bearer(key), "X-Request-ID": secret})
        self.chat(key, model=secret)
        last = self.ask(model=secret, headers={**bearer(key), "X-Request-ID": "the-last-one"})
        self.assertEqual(last.status, 404, last.body)
        self.assert_logs("the-last-one", self.runnel)
        self.assertNotIn(secret, self.runnel.log())

        def usage():
            return admin(self.runnel.port, "GET", "/admin/v1/usage?group_by=model").body.decode()

        self.assert_eventually(lambda: "rk-***" in usage())
        self.assertNotIn(secret, usage())

    def test_the_log_leaves_the_gateways_own_words_alone(self):
        request = self.ask(headers={"X-Request-ID": "without-a-key"}).headers["x-request-id"]
        self.assert_eventually(lambda: self.runnel.log_of(request))
        self.assertIn("this needs a key: send Authorization: Bearer rk-… or X-API-Key: rk-…",
                      self.runnel.log_of(request)[0]["detail"])
