"""Keys: made, shown once, listed, changed, rotated and revoked; what each lets its holder do."""

import base64
import hashlib
import os
import time

from client import chat_bytes, get
from frames import frames_of
from gateway_test import GatewayTest
from key_admin import ADMIN_TOKEN, admin, bearer, make_key

ALICE = "0x00000000000000000000000000000000000a11ce"
BOB = "0x0000000000000000000000000000000000000b0b"
BUSY = (2, 8, 30)  # seconds: the first that is enough for the machine
PAGE_MODEL = "0b54b0a4-7d7b-4a57-8d0c-3f1f8c1c2a11"


class KeyTest(GatewayTest):
    config = {"auth": {"mode": "keys"}, "admin": {"token": ADMIN_TOKEN}}

    def make(self, **fields):
        return make_key(self.runnel.port, **fields)

    def admin(self, method, path, body=None, **options):
        return admin(self.runnel.port, method, path, body, **options)

    def change(self, key, **fields):
        response = self.admin("PATCH", f"/admin/v1/keys/{key['id']}", fields)
        self.assertEqual(response.status, 200, response.body)
        return response.json()

    def chat(self, key=None, headers=None, **request):
        return self.ask(headers={**(bearer(key) if key else {}), **(headers or {})}, **request)

    def get(self, path, key=None, headers=None):
        return get(self.runnel.port, path, headers={**(bearer(key) if key else {}), **(headers or {})})

    def assert_may(self, key, **request):
        response = self.chat(key, **request)
        self.assertEqual(response.status, 200, response.body)


class Keys(KeyTest):
    config = {**KeyTest.config, "aliases": {"quick": "fast"},
              "models": {"fast": {"targets": ["local/m"]}, "slow": {"targets": ["claude/m"]}}}

    def test_a_made_key_works_and_is_shown_once(self):
        made = self.make(name="laptop")
        self.assertRegex(made["key"], r"^rk-[0-9A-Za-z]{43}$")
        self.assert_may(made)
        for answer in (self.admin("GET", "/admin/v1/keys"), self.admin("GET", f"/admin/v1/keys/{made['id']}"),
                       self.admin("PATCH", f"/admin/v1/keys/{made['id']}", {"name": "desk"})):
            self.assertEqual(answer.status, 200)
            self.assertNotIn(made["key"], answer.body.decode())
            self.assertIn(made["masked"], answer.body.decode())

    def test_only_hashes_are_stored(self):
        made = self.make(name="laptop")
        kept = b""
        folder = os.path.join(self.runnel.folder, "data")
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    kept += file.read()
        self.assertIn(made["id"].encode(), kept)
        self.assertIn(hashlib.sha256(made["key"].encode()).hexdigest().encode(), kept)
        self.assertNotIn(made["key"].encode(), kept)

    def test_without_a_key_nothing_is_asked(self):
        for headers, code in ((None, "missing_api_key"), ({"Authorization": "Bearer rk-nobodys"}, "invalid_api_key"),
                              ({"X-API-Key": "sk-other"}, "invalid_api_key"),
                              ({"Authorization": f"Bearer {ADMIN_TOKEN}"}, "invalid_api_key")):
            for ask in (lambda fields: self.chat(headers=fields), lambda fields: self.get("/v1/models", headers=fields),
                        lambda fields: self.get("/v1/tools", headers=fields)):
                with self.subTest(headers=headers):
                    self.assert_error(ask(headers), 401, code, "authentication_error")
        self.assertEqual(self.upstream.requests, [])
        for path in ("/healthz", "/readyz", "/"):
            self.assertEqual(self.get(path).status, 200)

    def test_a_refusal_can_be_read_by_a_page_that_the_key_is_for(self):
        page = {"Origin": "https://app.example.com"}
        key = self.make(origins=[page["Origin"]], models=["local/other"])
        response = self.chat(key, headers=page)
        self.assert_error(response, 403, "model_not_allowed")
        self.assertEqual(response.headers["access-control-allow-origin"], page["Origin"])
        without = self.chat(headers=page)
        self.assert_error(without, 401, "missing_api_key")
        self.assertNotIn("access-control-allow-origin", without.headers)

    def test_a_key_comes_in_every_form(self):
        secret = self.make()["key"]
        basic = base64.b64encode(f"user:{secret}".encode()).decode()
        for headers in ({"Authorization": f"Bearer {secret}"}, {"authorization": f"bearer {secret}"},
                        {"X-API-Key": secret}, {"Authorization": f"Basic {basic}"},
                        {"Authorization": "Token other", "X-API-Key": secret}):
            with self.subTest(headers=headers):
                self.assertEqual(self.chat(headers=headers).status, 200)
        self.assert_error(self.ask(path=f"/v1/chat/completions?api-key={secret}"), 401, "missing_api_key")
        self.assert_error(self.chat(headers={"Authorization": "Bearer x", "X-API-Key": secret}), 401,
                          "invalid_api_key")

    def test_a_key_that_is_revoked_is_refused_at_once(self):
        made = self.make()
        self.assert_may(made)
        gone = self.admin("DELETE", f"/admin/v1/keys/{made['id']}")
        self.assertEqual((gone.status, gone.json()), (200, {"id": made["id"], "object": "key", "deleted": True}))
        self.assert_error(self.chat(made), 401, "invalid_api_key")
        for method, path in (("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/rotate")):
            with self.subTest(method=method):
                response = self.admin(method, f"/admin/v1/keys/{made['id']}{path}")
                self.assert_error(response, 404, "not_found")

    def test_a_key_is_disabled_and_enabled(self):
        made = self.make()
        self.change(made, enabled=False)
        self.assert_error(self.chat(made), 401, "invalid_api_key")
        self.change(made, enabled=True)
        self.assert_may(made)

    def test_a_key_ends_when_it_was_said(self):
        for seconds in BUSY:
            end = time.time() + seconds
            made = self.make(expires_at=time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(end)) + f".{int(end % 1 * 1000):03}Z")
            response = self.chat(made)
            if time.time() < end:
                break
        self.assertEqual(response.status, 200, response.body)
        time.sleep(max(0.0, end - time.time()) + 0.05)
        self.assert_error(self.chat(made), 401, "expired_api_key", "authentication_error")
        self.change(made, expires_at=int(time.time()) + 100)
        self.assert_may(made)

    def test_a_key_has_scopes(self):
        reader = self.make(scopes=["models:read"])
        self.assert_error(self.chat(reader), 403, "insufficient_scope", "permission_error")
        self.assert_error(self.get("/v1/tools", reader), 403, "insufficient_scope")
        self.assertEqual(self.get("/v1/models", reader).status, 200)
        writer = self.make(scopes=["chat:write"])
        self.assert_may(writer)
        self.assert_error(self.get("/v1/models", writer), 403, "insufficient_scope")

    def test_a_key_has_models(self):
        made = self.make(models=["fast", "llama/*"])
        for model in ("fast", "quick", "llama/m", "@llama/other"):
            with self.subTest(model=model):
                self.assert_may(made, model=model)
        self.upstream.forget()
        for model in ("slow", "local/m", "claude/m", "demo/echo"):
            with self.subTest(model=model):
                self.assert_error(self.chat(made, model=model), 403, "model_not_allowed", param="model")
        self.assert_error(self.chat(made, model="fast", fallback=["slow"]), 403, "model_not_allowed")
        self.assert_error(self.chat(made, model="nobody/m"), 403, "model_not_allowed")  # as if it were another's
        self.assertEqual(self.upstream.requests, [])
        listed = [model["id"] for model in self.get("/v1/models", made).json()["data"]]
        self.assertEqual(listed, ["fast", "quick"])
        self.assertEqual(self.get("/v1/models/llama/x", made).status, 200)
        self.assert_error(self.get("/v1/models/slow", made), 403, "model_not_allowed")

    def test_a_key_has_addresses_and_origins(self):
        self.assert_may(self.make(addresses=["127.0.0.0/8", "2001:db8::/32"]))
        elsewhere = self.make(addresses=["10.0.0.0/8"])
        self.assert_error(self.chat(elsewhere), 403, "address_not_allowed", "permission_error")
        # Nobody says where he comes from but the connection itself.
        self.assert_error(self.chat(elsewhere, headers={"X-Forwarded-For": "10.0.0.1"}), 403, "address_not_allowed")
        page = self.make(origins=["https://app.example.com"])
        self.assert_may(page, headers={"Origin": "https://app.example.com"})
        for origin in ({"Origin": "https://evil.test"}, {}):
            self.assert_error(self.chat(page, headers=origin), 403, "origin_not_allowed", "permission_error")

    def test_a_key_has_a_dialect(self):
        made = self.make(dialect="agent")
        self.assertEqual(self.chat(made).headers["x-stream-dialect"], "agent")
        asked = self.chat(made, headers={"X-Stream-Dialect": "openai"})
        self.assertEqual(asked.headers["x-stream-dialect"], "openai")

    def test_a_rotated_key_has_a_new_secret(self):
        made = self.make(name="laptop")
        rotated = self.admin("POST", f"/admin/v1/keys/{made['id']}/rotate").json()
        self.assertEqual((rotated["id"], rotated["name"]), (made["id"], "laptop"))
        self.assertNotEqual(rotated["key"], made["key"])
        self.assert_may(rotated)
        self.assert_error(self.chat(made), 401, "invalid_api_key")

    def test_a_rotated_keys_old_secret_may_last_a_while(self):
        made = self.make()
        path = f"/admin/v1/keys/{made['id']}/rotate"
        for seconds in BUSY:
            begun = time.monotonic()
            rotated = self.admin("POST", path, {"grace": f"{seconds}s"}).json()
            rotated_at = time.monotonic()
            response = self.chat(made)
            if time.monotonic() < begun + seconds:
                break
            made = rotated
        self.assertIsNotNone(rotated["old_key_until"])
        self.assertEqual(response.status, 200, response.body)
        self.assert_may(rotated)
        time.sleep(max(0.0, rotated_at + seconds - time.monotonic()) + 0.1)
        self.assert_error(self.chat(made), 401, "invalid_api_key")
        self.assert_may(rotated)
        for body in ({"grace": "tomorrow"}, {"grace": 3}, {"grace": "800h"}, {"time": "1s"}, b"[]"):
            self.assert_error(self.admin("POST", path, body), 400)
        self.assert_may(rotated)

    def test_a_stream_goes_on_when_its_key_is_revoked(self):
        made = self.make()
        self.upstream.play(lambda exchange: (exchange.head(), exchange.delta("one"), time.sleep(0.5),
                                             exchange.delta("two"), exchange.finish()))
        client = self.connect()
        client.send(chat_bytes(headers=bearer(made)))
        self.assertEqual(client.head().status, 200)
        self.admin("DELETE", f"/admin/v1/keys/{made['id']}")
        frames_of(client.rest())

    def test_keys_are_never_in_the_log(self):
        made = self.make(name="marked")
        marker = "MARKER" + made["key"][-10:]
        basic = base64.b64encode(f"user:rk-{marker}".encode()).decode()
        for headers in (bearer(made), {"Authorization": f"Bearer rk-{marker}"}, {"X-API-Key": marker},
                        {"Authorization": f"Basic {basic}"}, {"Authorization": marker}):
            self.chat(headers=headers)
        self.ask(path=f"/v1/chat/completions?api-key={marker}")
        get(self.runnel.port, f"/v1/nothing?api-key={marker}")
        self.admin("POST", f"/admin/v1/keys/{made['id']}/rotate")
        request_id = self.chat(made).headers["x-request-id"]
        self.assert_eventually(lambda: self.runnel.log_of(request_id))
        for secret in (made["key"], made["key"][8:-5], marker, basic, ADMIN_TOKEN):
            self.assertNotIn(secret, self.runnel.log())


class KeyList(KeyTest):
    def ids(self, query=""):
        response = self.admin("GET", f"/admin/v1/keys{query}")
        self.assertEqual(response.status, 200, response.body)
        return [key["id"] for key in response.json()["data"]]

    def test_pages_have_every_key_once_newest_first(self):
        made = [self.make(name=str(number), team="pages")["id"] for number in range(7)]
        seen, after = [], ""
        while True:
            page = self.admin("GET", f"/admin/v1/keys?team=pages&limit=3{after}").json()
            seen += [key["id"] for key in page["data"]]
            self.assertEqual(page["last_id"], seen[-1])
            after = f"&after={page['last_id']}"
            if not page["has_more"]:
                break
        self.assertEqual(seen, sorted(made, reverse=True))

    def test_keys_are_found_by_what_they_are(self):
        blue = self.make(name="n 1", team="blue")["id"]
        browser = self.make(kind="browser", team="red")["id"]
        disabled = self.make(enabled=False, team="red", wallet=ALICE)["id"]
        self.assertEqual(self.ids("?team=blue"), [blue])
        self.assertEqual(self.ids("?name=n%201"), [blue])
        self.assertEqual(self.ids("?team=red&kind=browser"), [browser])
        self.assertEqual(self.ids("?team=red&enabled=false"), [disabled])
        self.assertEqual(self.ids(f"?wallet={ALICE.upper().replace('X', 'x')}"), [disabled])

    def test_what_is_no_list_is_refused(self):
        for query, param in (("limit=0", "limit"), ("limit=x", "limit"), ("limit=101", "limit"), ("after=x", "after"),
                             ("after=", "after"), ("kind=x", "kind"), ("enabled=1", "enabled"), ("teem=x", "teem")):
            with self.subTest(query=query):
                self.assert_error(self.admin("GET", f"/admin/v1/keys?{query}"), 400, param=param)

    def test_the_admin_api_is_for_the_admin(self):
        made = self.make()
        for method, path in (("GET", ""), ("POST", ""), ("GET", f"/{made['id']}"), ("PATCH", f"/{made['id']}"),
                             ("DELETE", f"/{made['id']}"), ("POST", f"/{made['id']}/rotate")):
            for headers, code in (({"Authorization": ""}, "missing_api_key"), (bearer(made), "invalid_api_key")):
                with self.subTest(method=method, path=path, code=code):
                    response = self.admin(method, f"/admin/v1/keys{path}", headers=headers)
                    self.assert_error(response, 401, code)
                    self.assertEqual(self.admin("GET", "/admin/v1/keys").status, 200)  # so that nobody seems to guess
        self.assert_may(made)

    def test_other_methods_are_refused(self):
        for path, methods in (("", "GET, POST"), ("/key_1", "GET, PATCH, DELETE"), ("/key_1/rotate", "POST")):
            response = self.admin("PUT", f"/admin/v1/keys{path}")
            self.assert_error(response, 405, "method_not_allowed")
            self.assertEqual(response.headers["allow"], methods)


WRONG = (
    (b"nope", None), (b"[]", None), ({"nmae": "x"}, "nmae"), ({"name": 3}, "name"),
    ({"scopes": ["chat"]}, "scopes[0]"), ({"scopes": ["chat:write", "admin"]}, "scopes[1]"), ({"scopes": []}, "scopes"),
    ({"kind": "public"}, "kind"), ({"limits": None, "budget": []}, "budget"),
    ({"expires_at": "2020-01-01T00:00:00Z"}, "expires_at"), ({"expires_at": "soon"}, "expires_at"),
    ({"expires_at": 1}, "expires_at"), ({"limits": {"rpm": -1}}, "limits.rpm"), ({"limits": {"rps": 1}}, "limits.rps"),
    ({"limits": {"tpm": "1"}}, "limits.tpm"), ({"model_limits": {"m": {"rpm": 0.5}}}, "model_limits.m.rpm"),
    ({"budget": {"usd": -1}}, "budget.usd"), ({"budget": {"usd": 1, "period": "year"}}, "budget.period"),
    ({"budget": 5}, "budget"), ({"addresses": ["10.0.0.0/33"]}, "addresses[0]"),
    ({"addresses": ["127.0.0.1", "::/129"]}, "addresses[1]"), ({"origins": ["app.example.com"]}, "origins[0]"),
    ({"models": ["a*b"]}, "models[0]"), ({"wallet": "0x1"}, "wallet"), ({"dialect": "klingon"}, "dialect"),
    ({"guardrails": ["nobody"]}, "guardrails[0]"), ({"enabled": 1}, "enabled"), ({"metadata": []}, "metadata"),
    ({"metadata": {"a": "x" * 20000}}, "metadata"), ({"name": "x" * 200}, "name"), ({"name": "a\nb"}, "name"),
)


class BadInput(KeyTest):
    def count(self):
        return len(self.admin("GET", "/admin/v1/keys?limit=100").json()["data"])

    def test_a_key_that_can_not_be_is_not_made(self):
        before = self.count()
        for body, param in WRONG:
            with self.subTest(body=body):
                response = self.admin("POST", "/admin/v1/keys", body)
                self.assert_error(response, 400, param=param)
        self.assert_error(self.admin("POST", "/admin/v1/keys", {"kind": "browser", "scopes": ["*"]}), 400, param="scopes")
        self.assertEqual(self.count(), before)

    def test_a_change_that_can_not_be_changes_nothing(self):
        made = self.make(name="before", limits={"rpm": 100})
        path = f"/admin/v1/keys/{made['id']}"
        before = self.admin("GET", path).body
        for body, param in WRONG:
            if isinstance(body, dict):
                body = {"name": "after", "limits": {"tpm": 5}, **body}
            with self.subTest(body=body):
                self.assert_error(self.admin("PATCH", path, body), 400, param=param)
        self.assert_error(self.admin("PATCH", path, {"name": "after", "kind": "browser"}), 400, param="kind")
        self.assertEqual(self.admin("GET", path).body, before)

    def test_a_large_body_is_refused(self):
        self.assert_error(self.admin("POST", "/admin/v1/keys", {"name": "x" * 2_000_000}), 400, param="name")


class KeyInQuery(KeyTest):
    config = {**KeyTest.config, "auth": {"mode": "keys", "key_in_query": True}}

    def test_a_key_may_come_in_the_query(self):
        secret = self.make()["key"]
        response = self.ask(path=f"/v1/chat/completions?a=b&api-key={secret.replace('-', '%2D')}")
        self.assertEqual(response.status, 200)
        request_id = response.headers["x-request-id"]
        self.assert_eventually(lambda: self.runnel.log_of(request_id))
        self.assertNotIn(secret[5:], self.runnel.log())


class FreeWallets(KeyTest):
    config = {**KeyTest.config, "auth": {"mode": "header"}}

    def test_an_address_is_enough(self):
        for headers in ({"x-wallet-address": ALICE}, {"X-Wallet-Address": ALICE.upper().replace("X", "x")},
                        {"x-wallet-address": ALICE, "Authorization": "Bearer not-needed"}):
            with self.subTest(headers=headers):
                self.assertEqual(self.chat(headers=headers).status, 200)

    def test_no_address_or_a_wrong_one_is_refused(self):
        self.assert_error(self.chat(), 401, "missing_wallet_address", "authentication_error")
        self.assert_error(self.chat(headers={"Authorization": "Bearer not-needed"}), 401, "missing_wallet_address")
        for address in ("0xYourAddress", "0x1", "alice", ALICE + "0"):
            self.assert_error(self.chat(headers={"x-wallet-address": address}), 401, "invalid_wallet_address")

    def test_a_known_key_counts(self):
        free, bound = self.make(scopes=["models:read"]), self.make(wallet=ALICE)
        self.assert_error(self.chat(free, headers={"x-wallet-address": ALICE}), 403, "insufficient_scope")
        self.assert_may(bound)
        self.assert_may(bound, headers={"x-wallet-address": ALICE})
        self.assert_error(self.chat(bound, headers={"x-wallet-address": BOB}), 401, "invalid_wallet_address")

    def test_keys_are_made_for_an_address(self):
        made = self.admin("POST", "/auth/api-keys", {"name": "mine"}, headers={"x-wallet-address": ALICE})
        self.assertEqual(made.status, 201, made.body)
        self.assertEqual(made.json()["wallet"], ALICE)
        self.assert_may(made.json())
        self.assert_error(self.admin("POST", "/auth/api-keys"), 401, "missing_wallet_address")
        self.assert_error(self.admin("POST", "/auth/api-keys", headers={"x-wallet-address": "0x1"}), 401,
                          "invalid_wallet_address")
        self.assert_error(self.admin("POST", "/auth/api-keys", {"wallet": BOB}, headers={"x-wallet-address": ALICE}),
                          400, param="wallet")
        self.assert_error(self.admin("POST", "/auth/api-keys",
                                     headers={"x-wallet-address": ALICE, "Authorization": "Bearer x"}), 401)


class RequiredWallets(KeyTest):
    config = {**KeyTest.config, "auth": {"mode": "header", "wallet": "required"}}

    def test_the_address_and_its_key_are_needed(self):
        alice, nobody = self.make(wallet=ALICE), self.make()
        self.assert_may(alice, headers={"x-wallet-address": ALICE})
        address = {"x-wallet-address": ALICE}
        self.assert_error(self.chat(headers=address), 401, "missing_api_key", "authentication_error")
        self.assert_error(self.chat(alice), 401, "missing_wallet_address")
        self.assert_error(self.chat(headers={**address, "Authorization": "Bearer not-needed"}), 401, "invalid_api_key")
        self.assert_error(self.chat(alice, headers={"x-wallet-address": BOB}), 401, "invalid_wallet_address")
        self.assert_error(self.chat(nobody, headers=address), 401, "invalid_wallet_address")


class LenientWallets(KeyTest):
    config = {**KeyTest.config,
              "auth": {"mode": "header", "header": "X-Account", "lenient_addresses": True}}

    def test_placeholders_pass_in_the_header_that_is_named(self):
        self.assertEqual(self.chat(headers={"X-Account": "0xYourAddress"}).status, 200)
        self.assert_error(self.chat(headers={"X-Account": "YourAddress"}), 401, "invalid_wallet_address")
        self.assert_error(self.chat(headers={"x-wallet-address": ALICE}), 401, "missing_wallet_address")


class BrowserKeys(KeyTest):
    config = {**KeyTest.config, "aliases": {"alias": "page"},
              "models": {"page": {"targets": ["local/m"], "tools": ["now"], "id": PAGE_MODEL,
                                  "defaults": {"max_tokens": 77}},
                         "other": {"targets": ["local/m"]}}}

    def setUp(self):
        super().setUp()
        self.key = self.make(kind="browser", name="page")

    def test_a_browser_key_says_so(self):
        self.assertRegex(self.key["key"], r"^pk-")
        self.assertEqual(self.key["scopes"], ["chat:write", "models:read"])

    def test_models_are_named_by_their_ids(self):
        self.assert_may(self.key, model=PAGE_MODEL)
        for model in ("page", "alias", "other", "local/m", "demo/echo", PAGE_MODEL.upper()):
            with self.subTest(model=model):
                self.assert_error(self.chat(self.key, model=model), 403, "public_key_restricted", "permission_error")
        listed = self.get("/v1/models", self.key).json()["data"]
        self.assertEqual([model["id"] for model in listed], [PAGE_MODEL])
        self.assertNotIn("targets", listed[0])
        self.assert_error(self.get("/v1/models/page", self.key), 403, "public_key_restricted")

    def test_requests_have_plain_fields_only(self):
        self.assert_may(self.key, model=PAGE_MODEL, temperature=0.5, top_p=0.5, top_k=5, seed=1, reasoning_effort="low",
                        max_completion_tokens=50)
        for name, value in (("fallback", ["other"]), ("metadata", {}), ("max_tokens", 5), ("n", 1),
                            ("stream_dialect", "agent"), ("retries", 5)):
            with self.subTest(name=name):
                self.assert_error(self.chat(self.key, model=PAGE_MODEL, **{name: value}), 400, "unsupported_parameter",
                                  param=name)

    def test_the_gateways_tools_are_not_for_everybody(self):
        response = self.chat(self.key, model=PAGE_MODEL, builtin_tools={"tools": ["fetch_url"]})
        self.assertEqual(response.status, 200, response.body)
        sent = self.upstream.requests[-1].json()
        self.assertNotIn("tools", sent)
        self.assertNotIn("builtin_tools", sent)
        self.assertEqual(sent.get("max_tokens", sent.get("max_completion_tokens")), 77)
        self.assertIn("server_tools_stripped", response.headers["x-gateway-warnings"])
        self.assert_may(self.make(), model="page")
        self.assertIn("tools", self.upstream.requests[-1].json())

    def test_a_browser_key_runs_no_tools_and_makes_no_keys(self):
        self.assert_error(self.get("/v1/tools", self.key), 403, "public_key_restricted")
        self.assert_error(self.admin("GET", "/admin/v1/keys", headers=bearer(self.key)), 401)

    def test_the_id_is_a_name_for_others_too(self):
        self.assert_may(self.make(models=["page"]), model=PAGE_MODEL)


class OpenMode(KeyTest):
    config = {"admin": {"token": ADMIN_TOKEN}}

    def test_anybody_may_ask_and_keys_can_be_made_before_they_are_needed(self):
        self.assertEqual(self.chat().status, 200)
        self.assertEqual(self.chat(headers={"Authorization": "Bearer not-needed"}).status, 200)
        made = self.make()
        self.assert_may(made)
        self.assert_error(self.admin("POST", "/auth/api-keys", headers={"x-wallet-address": ALICE}), 404, "not_found")
        self.runnel.write_config({"auth": {"mode": "keys"}, "admin": {"token": ADMIN_TOKEN}})
        self.assertEqual(self.admin("POST", "/admin/v1/config/reload").status, 200)
        self.assert_error(self.chat(model="demo/echo"), 401, "missing_api_key")
        self.assert_may(made, model="demo/echo")
