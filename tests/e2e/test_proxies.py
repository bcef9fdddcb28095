"""Proxies before the gateway: who they ask for is believed of those that are trusted, and of nobody else."""

import json
import socket
import struct
import threading

from certificate import Certificate
from client import Client, chat_bytes
from fake_upstream import FakeUpstream
from gateway_test import LimitedTest, provider
from key_admin import ADMIN_TOKEN, bearer
from pace import LIMIT
from runnel_process import RunnelProcess, run_command

PROXY = "127.0.0.2"
SECOND_PROXY = "127.0.0.3"
STRANGER = "127.0.0.1"
CLIENT = "203.0.113.7"
OTHER_CLIENT = "198.51.100.1"
SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"
LOCAL = SIGNATURE + b"\x20\x00\x00\x00"


def proxy_header(client=CLIENT, more=b""):
    """PROXY protocol, version 2: this client connected to the proxy."""
    family, kind = (socket.AF_INET6, b"\x21") if ":" in client else (socket.AF_INET, b"\x11")
    nowhere = socket.inet_pton(family, "::1" if ":" in client else "127.0.0.1")
    body = socket.inet_pton(family, client) + nowhere + struct.pack("!HH", 4711, 8080) + more
    return SIGNATURE + b"\x21" + kind + struct.pack("!H", len(body)) + body


class ProxiedTest(LimitedTest):
    """Not a test itself: a gateway that asks for keys, behind proxies."""

    config = {}
    first = b""  # what connections of the proxy begin with
    tls = None

    @classmethod
    def setUpClass(cls):
        cls.upstream = FakeUpstream()
        cls.addClassCleanup(cls.upstream.close)
        cls.runnel = RunnelProcess({
            "providers": {"local": provider("openai-compatible", cls.upstream.port)},
            "auth": {"mode": "keys"}, "admin": {"token": ADMIN_TOKEN},
            "trusted_proxies": [PROXY, "127.0.0.3/32"], **cls.config})
        cls.addClassCleanup(cls.runnel.stop)

    def setUp(self):
        super().setUp()
        self.upstream.forget()

    def tearDown(self):
        self.runnel.assert_well()

    def connect(self, source=PROXY, first=None):
        made = Client(self.runnel.port, source=source, tls=self.tls, first=self.first if first is None else first)
        self.addCleanup(made.close)
        return made

    def key_for(self, *addresses):
        client = self.connect()
        body = json.dumps({"addresses": addresses}).encode()
        client.request("POST", "/admin/v1/keys", body, {"Authorization": f"Bearer {ADMIN_TOKEN}"})
        response = client.response()
        self.assertEqual(response.status, 201, response.body)
        return response.json()

    def chat(self, key, source=PROXY, first=None, headers=None):
        client = self.connect(source, first)
        client.send(chat_bytes(headers={**bearer(key), **(headers or {})}))
        return client.response()


class ForwardedFor(ProxiedTest):
    def test_the_word_of_a_trusted_proxy_counts(self):
        key = self.key_for(CLIENT)
        for headers in ({"X-Forwarded-For": CLIENT}, {"X-Forwarded-For": f"{CLIENT}:4711"},
                        {"X-Forwarded-For": f"{OTHER_CLIENT}, {CLIENT}, {SECOND_PROXY}"},
                        {"Forwarded": f'for="{CLIENT}:4711";proto=https'}):
            with self.subTest(headers):
                self.assertEqual(self.chat(key, headers=headers).status, 200)

    def test_what_a_client_wrote_itself_does_not(self):
        key = self.key_for(CLIENT)
        for headers in ({"X-Forwarded-For": f"{CLIENT}, {OTHER_CLIENT}"}, {},
                        {"X-Forwarded-For": OTHER_CLIENT, "Forwarded": f"for={CLIENT}"}):
            with self.subTest(headers):
                self.assertEqual(self.chat(key, headers=headers).status, 403)

    def test_nobody_else_is_believed(self):
        key = self.key_for(CLIENT)
        self.assertEqual(self.chat(key, source=STRANGER, headers={"X-Forwarded-For": CLIENT}).status, 403)
        own = self.key_for(STRANGER)
        self.assertEqual(self.chat(own, source=STRANGER, headers={"X-Forwarded-For": CLIENT}).status, 200)

    def test_what_can_not_be_read_is_the_proxys_own(self):
        key, proxys_key = self.key_for(CLIENT), self.key_for(PROXY)
        for value in ("unknown", "", ",", f"{CLIENT} {CLIENT}", "[::1", f"'{CLIENT}'", "1" * 5000, "%00", "💧"):
            with self.subTest(value):
                headers = {"X-Forwarded-For": value.encode().decode("latin-1")}
                self.assertEqual(self.chat(key, headers=headers).status, 403)
                self.assertEqual(self.chat(proxys_key, headers=headers).status, 200)

    def test_the_log_has_the_client(self):
        response = self.chat(self.key_for(CLIENT), headers={"X-Forwarded-For": CLIENT})
        request_id = response.headers["x-request-id"]
        self.assert_eventually(lambda: self.runnel.log_of(request_id))
        asked = self.connect()

        def recorded():
            asked.request("GET", f"/v1/logs/{request_id}", headers={"Authorization": f"Bearer {ADMIN_TOKEN}"})
            answer = asked.response()
            return answer.status == 200 and CLIENT in answer.body.decode()

        self.assert_eventually(recorded)


class ProxyProtocol(ProxiedTest):
    config = {"proxy_protocol": True, "limits": {"connections_per_address": 2}}
    first = LOCAL

    def test_the_client_is_who_the_header_says(self):
        key = self.key_for(CLIENT, "2001:db8::/32")
        for client, status in ((CLIENT, 200), ("2001:db8::7", 200), (OTHER_CLIENT, 403), ("2001:db9::7", 403)):
            with self.subTest(client):
                self.assertEqual(self.chat(key, first=proxy_header(client)).status, status)
        self.assertEqual(self.chat(key, first=proxy_header(more=b"\x04\x00\x03abc")).status, 200)

    def test_forwarded_for_counts_only_where_the_header_names_a_proxy(self):
        key = self.key_for(CLIENT)
        headers = {"X-Forwarded-For": CLIENT}
        self.assertEqual(self.chat(key, first=proxy_header(OTHER_CLIENT), headers=headers).status, 403)
        self.assertEqual(self.chat(key, first=proxy_header(SECOND_PROXY), headers=headers).status, 200)
        self.assertEqual(self.chat(key, first=LOCAL, headers=headers).status, 200)

    def test_it_may_come_byte_by_byte(self):
        key = self.key_for(CLIENT)
        client = self.connect(first=b"")
        for byte in proxy_header():
            client.send(bytes([byte]))
        client.send(chat_bytes(headers=bearer(key)))
        self.assertEqual(client.response().status, 200)

    def test_connections_that_begin_otherwise_are_closed(self):
        request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        for first in (request, b"PROXY TCP4 203.0.113.7 127.0.0.1 4711 8080\r\n" + request,
                      SIGNATURE + b"\x21\x11\xff\xff" + b"x" * 3000, SIGNATURE + b"\x21\x11\x00\x04abcd" + request,
                      SIGNATURE + b"\x21\x31\x00\xd8" + b"\0" * 216 + request, SIGNATURE + b"\x11\x11\x00\x00" + request):
            with self.subTest(first[:20]):
                self.assertTrue(self.connect(first=first).is_closed_by_peer(LIMIT))

    def test_strangers_can_not_speak_it(self):
        client = self.connect(source=STRANGER, first=b"")
        self.assertTrue(client.is_closed_by_peer(LIMIT))

    def test_connections_are_counted_by_client(self):
        go_on = threading.Event()
        self.addCleanup(go_on.set)

        def answer(exchange):
            exchange.head()
            exchange.delta("a")
            go_on.wait(LIMIT)
            exchange.finish()

        self.upstream.script = answer
        key = self.key_for()

        def begin(client_address):
            client = self.connect(first=proxy_header(client_address))
            client.send(chat_bytes(headers=bearer(key)))
            return client, client.head().status

        held = [begin(address) for address in (CLIENT, CLIENT, OTHER_CLIENT, OTHER_CLIENT)]
        self.assertEqual([status for _, status in held], [200] * 4)
        self.assertEqual(begin(CLIENT)[1], 503)
        go_on.set()
        for client, _ in held:
            client.rest()


class ProxyProtocolAndTls(ProxiedTest):
    first = LOCAL

    @classmethod
    def setUpClass(cls):
        certificate = Certificate()
        cls.addClassCleanup(certificate.remove)
        cls.tls = certificate.client()
        cls.config = {"proxy_protocol": True,
                      "tls": {"cert": certificate.cert_file, "key": certificate.key_file}}
        super().setUpClass()

    def test_the_header_comes_before_tls(self):
        key = self.key_for(CLIENT)
        self.assertEqual(self.chat(key, first=proxy_header()).status, 200)
        self.assertEqual(self.chat(key, first=proxy_header(OTHER_CLIENT)).status, 403)


class Configs(LimitedTest):
    def test_what_can_not_be_meant_is_named(self):
        for config, message in (({"proxy_protocol": True}, "proxy_protocol: it needs trusted_proxies"),
                                ({"trusted_proxies": ["nginx"]}, r"trusted_proxies\[0\] must be an IP address"),
                                ({"trusted_proxies": ["10.0.0.0/33"]}, r"trusted_proxies\[0\] must be")):
            with self.subTest(config):
                done = run_command("check", "/dev/stdin", stdin=json.dumps(config).encode())
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr.decode(), message)
