"""Forward proxies: HTTPS_PROXY, HTTP_PROXY and NO_PROXY, and a provider's own."""

from certificate import Certificate
from client import ask
from fake_proxy import FakeProxy
from fake_upstream import FakeUpstream
from frames import frames_of, text_of
from gateway_test import LimitedTest, provider
from runnel_process import RunnelProcess

# Another name for this machine that is not exempt from proxies by itself.
ANY_ADDRESS = "0.0.0.0"


class Proxy(LimitedTest):
    def setUp(self):
        super().setUp()
        self.upstream = FakeUpstream()
        self.addCleanup(self.upstream.close)
        self.proxy = FakeProxy(self.upstream.port)
        self.addCleanup(self.proxy.close)

    def start(self, configured, **environment):
        runnel = RunnelProcess({"providers": {"local": configured}}, **environment)
        self.addCleanup(runnel.stop)
        return runnel

    def plain(self, host="upstream.test", port=None, **fields):
        return provider("openai-compatible", port or self.upstream.port, host=host, **fields)

    def proxy_url(self, credentials=""):
        return f"http://{credentials}127.0.0.1:{self.proxy.port}"

    def assert_answers(self, runnel):
        response = ask(runnel.port, model="local/m")
        self.assertEqual(response.status, 200, response.body)
        self.assertEqual(text_of(frames_of(response.body)), "Hello")

    def test_https_goes_through_a_tunnel_and_is_verified_end_to_end(self):
        certificate = Certificate()
        self.addCleanup(certificate.remove)
        upstream = FakeUpstream(tls=certificate.server())
        self.addCleanup(upstream.close)
        proxy = FakeProxy(upstream.port)
        self.addCleanup(proxy.close)
        runnel = self.start(provider("openai-compatible", 443, "https", "upstream.test"),
                            HTTPS_PROXY=f"http://127.0.0.1:{proxy.port}", SSL_CERT_FILE=certificate.cert_file)
        self.assert_answers(runnel)
        self.assert_answers(runnel)
        self.assertEqual(len(proxy.requests), 1, "the tunnel is kept")
        self.assertTrue(proxy.requests[0].startswith("CONNECT upstream.test:443 HTTP/1.1\r\n"))
        self.assertNotIn("sk-test-KEY", proxy.requests[0])

    def test_http_proxy_is_for_http_and_credentials_are_sent(self):
        runnel = self.start(self.plain(port=8080), HTTP_PROXY=self.proxy_url("me:secret@"))
        self.assert_answers(runnel)
        self.assertIn("CONNECT upstream.test:8080 ", self.proxy.requests[0])
        self.assertIn("Proxy-Authorization: Basic bWU6c2VjcmV0\r\n", self.proxy.requests[0])

    def test_lower_case_names_count(self):
        self.assert_answers(self.start(self.plain(), http_proxy=self.proxy_url()))
        self.assertEqual(len(self.proxy.requests), 1)

    def test_https_proxy_is_not_for_http(self):
        self.assert_answers(self.start(self.plain(ANY_ADDRESS), HTTPS_PROXY=self.proxy_url()))
        self.assertEqual(self.proxy.requests, [])

    def test_no_proxy_goes_around_it(self):
        for exempt in (ANY_ADDRESS, "*", f"other.test, {ANY_ADDRESS}"):
            with self.subTest(exempt):
                runnel = self.start(self.plain(ANY_ADDRESS), HTTP_PROXY=self.proxy_url(), NO_PROXY=exempt)
                self.assert_answers(runnel)
        self.assertEqual(self.proxy.requests, [])

    def test_no_proxy_for_others_changes_nothing(self):
        runnel = self.start(self.plain(), HTTP_PROXY=self.proxy_url(), NO_PROXY="other.test,stream.test")
        self.assert_answers(runnel)
        self.assertEqual(len(self.proxy.requests), 1)

    def test_this_machine_is_never_reached_by_a_proxy(self):
        self.assert_answers(self.start(self.plain("127.0.0.1"), HTTP_PROXY=self.proxy_url()))
        self.assertEqual(self.proxy.requests, [])

    def test_a_providers_own_proxy_wins(self):
        runnel = self.start(self.plain(proxy=self.proxy_url()), HTTP_PROXY="http://127.0.0.1:1", NO_PROXY="*")
        self.assert_answers(runnel)
        self.assertEqual(len(self.proxy.requests), 1)

    def test_a_proxy_that_refuses_is_an_error(self):
        for refusal in (b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", b"nonsense\r\n\r\n", b"\r\n\r\n"):
            proxy = FakeProxy(self.upstream.port, refusal)
            self.addCleanup(proxy.close)
            runnel = self.start(self.plain(proxy=f"http://127.0.0.1:{proxy.port}"))
            response = ask(runnel.port, model="local/m")
            self.assertEqual((response.status, response.error["code"]), (502, "upstream_error"))
        self.assertEqual(self.upstream.requests, [])
