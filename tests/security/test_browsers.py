"""What pages in somebody's browser can have done to a gateway that asks nobody for a key, or for keys of pages."""

from attack_table import AttackTest, attack
from client import CHAT_PATH, chat_body, get
from key_admin import bearer, make_key

JSON = {"Content-Type": "application/json"}
EVIL = ("https://evil.test", "null", "")


def cors_fields(response):
    return [name for name in response.headers if name.startswith("access-control")]


class OpenGateway(AttackTest):
    """Open to programs of this machine."""

    def post(self, path, body, **headers):
        with self.connect() as client:
            client.request("POST", path, body, {"Host": f"127.0.0.1:{self.runnel.port}", **headers})
            return client.response()

    def chat(self, **headers):
        return self.post(CHAT_PATH, chat_body(), **headers)

    def assert_refused(self, response):
        self.assert_error(response, 403, "origin_not_allowed")
        self.assertEqual(cors_fields(response), [])
        self.assertEqual(self.upstream.requests, [], "a provider was asked, and paid")

    @attack("page", "a form's POST of text/plain to chat, from another origin", "403, and no provider is asked")
    def test_a_form_of_another_page(self):
        for origin in EVIL:
            for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/json"):
                with self.subTest(origin=origin, kind=kind):
                    self.assert_refused(self.chat(Origin=origin, **{"Content-Type": kind}))

    @attack("page", "a POST without a Content-Type (a Blob), which needs no leave of CORS", "403, and no provider is asked")
    def test_a_blob_of_another_page(self):
        self.assert_refused(self.chat(Origin="https://evil.test"))
        self.assert_refused(self.chat(**{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}))

    @attack("page", "a tool, asked for by another origin's page", "403, and no tool runs")
    def test_a_tool_of_another_page(self):
        call = b'{"tool": "calculator", "args": {"expression": "6*7"}}'
        for kind in ("text/plain", "application/json"):
            response = self.post("/v1/tools/execute", call, Origin="https://evil.test", **{"Content-Type": kind})
            self.assert_refused(response)

    @attack("page", "text/plain to each endpoint that takes JSON", "415")
    def test_text_that_is_called_text(self):
        for path in (CHAT_PATH, "/v1/tools/execute"):
            self.assert_error(self.post(path, b"{}", **{"Content-Type": "text/plain"}), 415, "unsupported_media_type")
        self.assertEqual(self.upstream.requests, [])

    @attack("page", "a name of its own that was made to point here (DNS rebinding)", "403, and no provider is asked")
    def test_rebinding(self):
        for name in ("evil.test", f"evil.test:{self.runnel.port}", "127.0.0.1.evil.test", "localhost.evil.test"):
            with self.subTest(name=name):
                self.assert_refused(self.chat(Host=name, Origin=f"http://{name}", **JSON, **{"Sec-Fetch-Site": "same-origin"}))
                self.assert_refused(self.chat(Host=name, **JSON))
                self.assert_error(get(self.runnel.port, "/v1/logs", headers={"Host": name}), 403, "origin_not_allowed")

    @attack("page", "a preflight from another origin", "no leave is given")
    def test_no_leave_is_given(self):
        response = get(self.runnel.port, CHAT_PATH, "OPTIONS", {
            "Origin": "https://evil.test", "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"})
        self.assertEqual(cors_fields(response), [])

    def test_its_own_page_and_programs_go_on(self):
        own = f"http://127.0.0.1:{self.runnel.port}"
        for headers in ({}, {"Origin": own}, {"Host": "localhost"}, {"Host": "gateway.localhost:1"}, {"Host": "[::1]:8080"}):
            self.assertEqual(self.chat(**headers, **JSON).status, 200, headers)


class SomePages(AttackTest):
    config = {"cors": {"origins": ["https://Example.com"]}, "hosts": ["Gateway.internal"]}

    @attack("page", "origins that look like the one that is allowed", "403 for all but that one")
    def test_origins_are_compared_whole(self):
        for origin in ("https://evil-example.com", "https://example.com.evil.test", "http://example.com", "https://example.com:8443",
                       "https://sub.example.com", "example.com", "null"):
            with self.subTest(origin=origin):
                response = self.ask(headers={"Origin": origin})
                self.assert_error(response, 403, "origin_not_allowed")
                self.assertEqual(cors_fields(response), [])
        allowed = self.ask(headers={"Origin": "https://example.com"})
        self.assertEqual((allowed.status, allowed.headers["access-control-allow-origin"]), (200, "https://example.com"))

    def test_a_name_of_the_config_is_its_own(self):
        self.assertEqual(self.ask(headers={"Host": "gateway.internal:8080"}).status, 200)
        self.assertEqual(self.ask(headers={"Host": "other.internal"}).status, 403)


class Wallets(AttackTest):
    config = {"auth": {"mode": "header"}, "cors": {"origins": ["https://app.example.com"]}, "hosts": ["gateway.internal"]}
    wallet = {"x-wallet-address": "0x" + "a" * 40}

    def assert_serves(self):
        self.assertEqual(self.ask(headers=self.wallet).status, 200)

    @attack("page", "an address that no key proves, from another origin or by a name that was made to point here", "403, and no provider is asked")
    def test_an_address_of_another_page(self):
        for headers in ({"Host": "evil.test", "Origin": "http://evil.test", "Sec-Fetch-Site": "same-origin"}, {"Host": "evil.test"},
                        {"Origin": "https://evil.test"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
            with self.subTest(headers=headers):
                self.assert_error(self.ask(headers={**self.wallet, **headers}), 403, "origin_not_allowed")
        self.assertEqual(self.upstream.requests, [])
        for headers in ({"Origin": "https://app.example.com"}, {"Host": "gateway.internal"}):
            self.assertEqual(self.ask(headers={**self.wallet, **headers}).status, 200)


class BrowserKeys(AttackTest):
    config = {"auth": {"mode": "keys"}}

    def tearDown(self):
        self.runnel.assert_well()

    def preflight(self, origin):
        return get(self.runnel.port, CHAT_PATH, "OPTIONS", {
            "Origin": origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type"})

    @attack("page", "a browser key's secret, from origins that look like the key's", "403, without leave to read it")
    def test_a_key_is_for_its_own_pages(self):
        origin = "https://app.example.com"
        key = make_key(self.runnel.port, origins=["https://App.example.com:443"])
        self.assertEqual(self.preflight(origin).headers["access-control-allow-origin"], origin)
        allowed = self.ask(headers={**bearer(key), "Origin": origin})
        self.assertEqual((allowed.status, allowed.headers["access-control-allow-origin"]), (200, origin))
        for other in ("https://evil-app.example.com", "https://app.example.com.evil.test", "http://app.example.com", "null"):
            with self.subTest(other=other):
                self.assertEqual(cors_fields(self.preflight(other)), [])
                response = self.ask(headers={**bearer(key), "Origin": other})
                self.assert_error(response, 403, "origin_not_allowed")
                self.assertEqual(cors_fields(response), [])
