"""TLS on both sides: upstream certificates are verified, sessions are resumed, and the listener can speak it."""

import json
import os
import shutil
import signal
import ssl
import tempfile
import time

from certificate import Certificate
from client import Client, ask, chat_bytes, eventually
from fake_upstream import FakeUpstream, InStep
from frames import error_of, frames_of, partial_frames, text_of
from gateway_test import GatewayTest, KINDS, LimitedTest, provider
from pace import LIMIT, NOTICED, scaled
from runnel_process import ADMIN_TOKEN, RunnelProcess, run_command
from stalls import undisturbed

PING = b": ping\n\n"


class TlsUpstreamTest(GatewayTest):
    """Not a test itself: a gateway in front of an upstream that speaks TLS."""

    @classmethod
    def start(cls, **roots):
        cls.upstream = FakeUpstream(tls=cls.certificate.server())
        cls.addClassCleanup(cls.upstream.close)
        providers = {name: provider(kind, cls.upstream.port, "https", "localhost") for name, kind in KINDS.items()}
        providers["byaddress"] = provider("openai-compatible", cls.upstream.port, "https", "127.0.0.1")
        cls.runnel = RunnelProcess({"providers": providers}, **roots)
        cls.addClassCleanup(cls.runnel.stop)

    @classmethod
    def setUpClass(cls):
        cls.certificate = Certificate()
        cls.addClassCleanup(cls.certificate.remove)


class TrustedUpstream(TlsUpstreamTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.start(SSL_CERT_FILE=cls.certificate.cert_file)

    def test_every_provider_can_be_reached_by_https(self):
        for name in KINDS:
            with self.subTest(name):
                self.assertEqual(text_of(self.frames(model=f"{name}/m")), "Hello")

    def test_an_address_in_the_certificate_is_as_good_as_a_name(self):
        self.assertEqual(text_of(self.frames(model="byaddress/m")), "Hello")

    def test_the_connection_is_kept(self):
        for _ in range(5):
            self.frames()
            time.sleep(0.02)
        self.assertEqual(len({id(exchange.connection) for exchange in self.upstream.exchanges}), 1)

    def test_a_second_connection_resumes_the_first_ones_session(self):
        def and_close(exchange):
            exchange.head(headers=[("Connection", "close")])
            exchange.delta("Hello")
            exchange.finish()

        self.upstream.script = and_close
        for _ in range(4):
            self.frames()
        resumed = [exchange.connection.tls_resumed for exchange in self.upstream.exchanges]
        self.assertEqual(resumed[-2:], [True, True])

    def test_deltas_come_one_by_one_and_large_ones_whole(self):
        script = InStep("a", "b" * 200_000, "c")
        self.upstream.play(script)
        client = self.connect()
        client.send(chat_bytes())
        client.head()
        self.assertEqual(text_of(partial_frames(client.next_piece())), "a")
        script.go_on(3)
        self.assertEqual(len(text_of(frames_of(client.rest()))), 200_001)

    def test_a_cut_without_a_farewell_is_an_error(self):
        def script(exchange):
            exchange.head()
            exchange.delta("Hel")
            time.sleep(0.05)
            exchange.reset()

        self.upstream.play(script)
        self.assertIsNotNone(error_of(self.frames()))

    def test_a_hang_up_is_passed_on(self):
        def script(exchange):
            exchange.head()
            exchange.delta("first")
            exchange.hold()

        self.upstream.play(script)
        client = self.connect()
        client.send(chat_bytes())
        client.head()
        since = time.monotonic()
        client.close()
        connection = self.upstream.exchanges[-1].connection
        self.assert_eventually(lambda: connection.closed_at is not None)
        self.assertLess(undisturbed(since, connection.closed_at), NOTICED)


class UntrustedUpstream(TlsUpstreamTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.start()

    def test_a_certificate_nobody_vouches_for_is_refused(self):
        for stream in (True, False):
            self.assert_error(self.ask(stream=stream), 502, "upstream_error", "server_error")
        self.assertEqual(self.upstream.requests, [], "the request went out all the same")


class MisnamedUpstream(TlsUpstreamTest):
    """The certificate is trusted, but for another host."""

    @classmethod
    def setUpClass(cls):
        cls.certificate = Certificate(names="DNS:elsewhere.test")
        cls.addClassCleanup(cls.certificate.remove)
        cls.start(SSL_CERT_FILE=cls.certificate.cert_file)

    def test_a_certificate_for_another_host_is_refused(self):
        self.assert_error(self.ask(), 502, "upstream_error")
        self.assert_error(self.ask(model="byaddress/m"), 502, "upstream_error")
        self.assertEqual(self.upstream.requests, [])


class TlsListenerTest(LimitedTest):
    ping = "15s"

    @classmethod
    def setUpClass(cls):
        certificate = Certificate()
        cls.addClassCleanup(certificate.remove)
        cls.tls = certificate.client()
        cls.upstream = FakeUpstream()
        cls.addClassCleanup(cls.upstream.close)
        cls.runnel = RunnelProcess({
            "tls": {"cert": certificate.cert_file, "key": certificate.key_file},
            "ping": cls.ping,
            "providers": {"local": provider("openai-compatible", cls.upstream.port),
                          "hasty": provider("openai-compatible", cls.upstream.port, timeouts={"idle": "300ms"})}})
        cls.addClassCleanup(cls.runnel.stop)

    def setUp(self):
        super().setUp()
        self.upstream.forget()

    def tearDown(self):
        self.runnel.assert_well()

    def connect(self, **options):
        made = Client(self.runnel.port, tls=self.tls, **options)
        self.addCleanup(made.close)
        return made


class TlsListener(TlsListenerTest):
    def test_browsers_are_kept_to_tls(self):
        client = self.connect()
        for host, kept in (("gateway.example.com", True), ("127.0.0.1:8443", False), ("localhost", False)):
            client.request("GET", "/healthz", headers={"Host": host})
            self.assertEqual("strict-transport-security" in client.response().headers, kept, host)
        session = {"Host": "gateway.example.com", "Origin": "https://gateway.example.com"}
        client.request("POST", "/admin/v1/session", json.dumps({"token": ADMIN_TOKEN}).encode(), session)
        cookie = client.response().headers["set-cookie"]
        self.assertTrue(cookie.startswith("__Host-runnel_session="), cookie)
        for part in ("Secure", "HttpOnly", "SameSite=Strict", "Path=/"):
            self.assertIn(part, cookie)

    def test_whole_and_streamed_answers(self):
        client = self.connect()
        for number in range(6):
            client.send(chat_bytes(stream=bool(number % 2)))
            self.assertEqual(client.response().status, 200)
        self.assertEqual(text_of(frames_of(ask(self.runnel.port, self.tls).body)), "Hello")

    def test_deltas_come_one_by_one(self):
        script = InStep(*"abc")
        self.upstream.play(script)
        client = self.connect()
        client.send(chat_bytes())
        client.head()
        for text in "abc":
            self.assertEqual(text_of(partial_frames(client.next_piece())), text)
            script.go_on()

    def test_a_hang_up_cancels_upstream(self):
        for way in ("close", "reset"):
            with self.subTest(way):
                self.upstream.forget()
                self.upstream.play(lambda exchange: (exchange.head(), exchange.delta("a"), exchange.hold()))
                client = self.connect()
                client.send(chat_bytes())
                client.head()
                since = time.monotonic()
                getattr(client, way)()
                connection = self.upstream.exchanges[-1].connection
                self.assert_eventually(lambda: connection.closed_at is not None)
                self.assertLess(undisturbed(since, connection.closed_at), NOTICED)

    def test_a_time_out_is_told(self):
        self.upstream.play(lambda exchange: (exchange.head(), exchange.delta("a"), exchange.hold()))
        frames = frames_of(ask(self.runnel.port, self.tls, model="hasty/m").body)
        self.assertEqual((text_of(frames), error_of(frames)["code"]), ("a", "upstream_timeout"))

    def test_a_polite_farewell_cancels_upstream_too(self):
        self.upstream.play(lambda exchange: (exchange.head(), exchange.delta("a"), exchange.hold()))
        client = self.connect()
        client.send(chat_bytes())
        client.head()
        since = time.monotonic()
        client.socket.settimeout(0.5)
        try:
            client.socket.unwrap()
        except (OSError, ssl.SSLError):
            pass
        connection = self.upstream.exchanges[-1].connection
        self.assert_eventually(lambda: connection.closed_at is not None)
        self.assertLess(undisturbed(since, connection.closed_at), NOTICED)

    def test_large_requests_and_pipelined_ones(self):
        client = self.connect()
        client.send(chat_bytes(text="x" * (1 << 20)) + chat_bytes(model="demo/echo", text="second"))
        self.assertEqual(text_of(frames_of(client.response().body)), "Hello")
        self.assertEqual(text_of(frames_of(client.response().body)), "second")

    def test_a_slow_reader_gets_everything(self):
        size, count = 8192, 2000

        def flood(exchange):
            exchange.head()
            for _ in range(count):
                exchange.delta("x" * size)
            exchange.finish()

        self.upstream.play(flood)
        client = self.connect(receive_buffer=1 << 16)
        client.send(chat_bytes())
        time.sleep(scaled(0.5))
        client.head()
        self.assertEqual(len(text_of(frames_of(client.rest()))), size * count)

    def test_a_hang_up_is_noticed_after_a_busy_time_too(self):
        def busy_then_silent(exchange):
            exchange.head()
            for _ in range(500):
                exchange.delta("x" * 8192)
            exchange.hold()

        for _ in range(5):
            self.upstream.forget()
            self.upstream.play(busy_then_silent)
            client = self.connect(receive_buffer=1 << 16)
            client.send(chat_bytes())
            client.send(b"\r\n")  # something to read while the answer is being written
            client.head()
            received = 0
            while received < 500 * 8192:
                received += len(client.next_piece())
            time.sleep(scaled(0.05))
            client.close()
            connection = self.upstream.exchanges[-1].connection
            self.assert_eventually(lambda connection=connection: connection.closed_at is not None, scaled(0.5))

    def test_plain_http_and_garbage_are_dropped_and_hurt_nobody(self):
        for data in (b"GET / HTTP/1.1\r\n\r\n", b"\0" * 1000, b"\x16\x03\x01"):
            with Client(self.runnel.port) as client:
                client.send(data)
                client.socket.settimeout(0.2)
                try:
                    client.socket.recv(100)
                except OSError:
                    pass
        self.assertEqual(ask(self.runnel.port, self.tls).status, 200)


class SilentTlsStreams(TlsListenerTest):
    ping = "350ms"

    def test_a_silent_stream_is_kept_alive(self):
        heard = b""

        def slow(exchange):
            eventually(lambda: heard.count(PING) >= 2, LIMIT)
            exchange.head()
            exchange.delta("a")
            before = heard.count(PING)
            eventually(lambda: heard.count(PING) >= before + 2, LIMIT)
            exchange.delta("b")
            exchange.finish()

        self.upstream.play(slow)
        began = time.monotonic()
        client = self.connect()
        client.send(chat_bytes())
        client.head()
        while piece := client.next_piece():
            heard += piece
        self.assertTrue(heard.startswith(PING + PING), heard[:100])
        self.assertTrue(4 <= heard.count(PING) <= (time.monotonic() - began) / 0.35, heard)
        self.assertEqual(text_of(frames_of(heard.replace(PING, b""))), "ab")


class ReloadedCertificate(LimitedTest):
    def setUp(self):
        super().setUp()
        self.old, self.new = Certificate(), Certificate()
        self.addCleanup(self.old.remove)
        self.addCleanup(self.new.remove)
        self.folder = tempfile.mkdtemp(prefix="runnel-e2e-tls-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.files = {name: os.path.join(self.folder, name) for name in ("cert", "key")}
        self.put(self.old)
        self.config = {"tls": self.files}
        self.runnel = RunnelProcess(self.config)
        self.addCleanup(self.runnel.stop)

    def put(self, certificate):
        shutil.copy(certificate.cert_file, self.files["cert"])
        shutil.copy(certificate.key_file, self.files["key"])

    def reload(self, client):
        client.request("POST", "/admin/v1/config/reload", headers={"Authorization": f"Bearer {ADMIN_TOKEN}"})
        return client.response()

    def serves(self, certificate):
        try:
            return ask(self.runnel.port, certificate.client(), model="demo/text", stream=False).status == 200
        except ssl.SSLCertVerificationError:
            return False

    def test_new_connections_have_the_new_one_and_old_ones_go_on(self):
        before = Client(self.runnel.port, tls=self.old.client())
        self.addCleanup(before.close)
        self.put(self.new)
        self.assertTrue(self.serves(self.old), "nobody asked for another yet")
        response = self.reload(before)
        self.assertEqual(response.status, 200, response.body)
        self.assertEqual(response.json()["need_restart"], [])
        self.assertTrue(self.serves(self.new))
        self.assertFalse(self.serves(self.old))
        before.request("GET", "/healthz")
        self.assertEqual(before.response().status, 200)

    def test_a_bad_file_changes_nothing_and_is_named(self):
        client = Client(self.runnel.port, tls=self.old.client())
        self.addCleanup(client.close)
        shutil.copy(self.new.cert_file, self.files["cert"])  # and another's key
        response = self.reload(client)
        self.assertEqual(response.status, 400, response.body)
        self.assertIn(f"tls.key: cannot use '{self.files['key']}'", response.json()["problems"][0]["message"])
        self.assert_eventually(lambda: "tls.key: cannot use" in self.runnel.log())
        with open(self.files["cert"], "w", encoding="ascii") as file:
            file.write("-----BEGIN nothing")
        self.assertEqual(self.reload(client).status, 400)
        os.remove(self.files["cert"])
        self.runnel.signal(signal.SIGHUP)
        self.assert_eventually(lambda: "No such file" in self.runnel.log())
        self.assertTrue(self.serves(self.old))

    def test_another_file_needs_no_restart_and_no_tls_does(self):
        client = Client(self.runnel.port, tls=self.old.client())
        self.addCleanup(client.close)
        self.runnel.write_config({"tls": {"cert": self.new.cert_file, "key": self.new.key_file}})
        self.assertEqual(self.reload(client).json()["need_restart"], [])
        self.assertTrue(self.serves(self.new))
        self.runnel.write_config({})
        self.assertEqual(self.reload(client).json()["need_restart"], ["tls"])
        self.assertTrue(self.serves(self.new))


class ClientCertificates(LimitedTest):
    def setUp(self):
        super().setUp()
        self.certificate, self.friend, self.stranger = Certificate(), Certificate(), Certificate()
        for made in (self.certificate, self.friend, self.stranger):
            self.addCleanup(made.remove)
        self.runnel = RunnelProcess({"tls": {"cert": self.certificate.cert_file, "key": self.certificate.key_file,
                                             "client_ca": self.friend.cert_file}})
        self.addCleanup(self.runnel.stop)

    def ask_with(self, shown, version=None):
        tls = self.certificate.client()
        if version:
            tls.maximum_version = version
        if shown:
            tls.load_cert_chain(shown.cert_file, shown.key_file)
        return ask(self.runnel.port, tls, model="demo/text", stream=False).status

    def test_only_those_with_a_certificate_are_heard(self):
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            for _ in range(3):  # sessions are resumed
                self.assertEqual(self.ask_with(self.friend, version), 200)
            for shown in (None, self.stranger):
                with self.subTest(version=version, shown=bool(shown)):
                    with self.assertRaises((ssl.SSLError, OSError, EOFError)):
                        self.ask_with(shown, version)

    def test_old_versions_are_refused(self):
        with self.assertRaises((ssl.SSLError, OSError)):
            tls = self.certificate.client()
            tls.load_cert_chain(self.friend.cert_file, self.friend.key_file)
            tls.set_ciphers("ALL:@SECLEVEL=0")
            tls.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
            tls.options |= ssl.OP_NO_TLSv1_2 | ssl.OP_NO_TLSv1_3
            ask(self.runnel.port, tls, model="demo/text")


class TlsFiles(LimitedTest):
    def test_check_names_those_that_can_not_be_used(self):
        certificate = Certificate()
        self.addCleanup(certificate.remove)
        good = {"cert": certificate.cert_file, "key": certificate.key_file}
        for bad in ({"cert": "/nonexistent"}, {"key": "/nonexistent"}, {"key": certificate.cert_file},
                    {"client_ca": "/nonexistent"}, {"client_ca": certificate.key_file}):
            (name, file), = bad.items()
            with self.subTest(bad):
                done = run_command("check", "/dev/stdin", stdin=json.dumps({"tls": {**good, **bad}}).encode())
                self.assertIn(f"tls.{name}: cannot use '{file}'", done.stderr.decode())
