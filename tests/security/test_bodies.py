"""Bodies are taken of whom they are wanted from, within the process's memory and as long as they come on."""

import gzip
import threading
import time

from attack_table import AttackTest, attack
from certificate import Certificate
from client import CHAT_PATH, Client, chat_body, chat_bytes, get, request_bytes
from frames import frames_of, text_of
from key_admin import ADMIN_TOKEN, admin, bearer, make_key
from pace import SANITIZER, scaled
from stalls import undisturbed

MIB = 1 << 20
JSON = {"Content-Type": "application/json"}


class Strangers(AttackTest):
    config = {"auth": {"mode": "keys"}, "admin": {"token": ADMIN_TOKEN}}

    def assert_serves(self):
        key = make_key(self.runnel.port, name="one")
        self.assertEqual(self.ask(headers=bearer(key)).status, 200)

    def pour(self, clients, size, headers=JSON, path=CHAT_PATH, method="POST"):
        """Each sends a body at once, as far as it is taken; the most memory that it took."""
        self.assert_serves()
        before = most = self.memory()

        def send(client):
            try:
                client.send(request_bytes(method, path, headers={**headers, "Content-Length": str(size)}))
                for _ in range(size // MIB):
                    client.send(b"x" * MIB)
            except OSError:
                pass  # cut off

        senders = [threading.Thread(target=send, args=(client,), daemon=True) for client in clients]
        for sender in senders:
            sender.start()
        while any(sender.is_alive() for sender in senders):
            most = max(most, self.memory())
            time.sleep(0.01)
        return most - before

    @attack("stranger", "30 bodies of 32 MiB without a key", "401 each, and less than 16 MiB of memory in all")
    def test_bodies_of_strangers_are_not_read(self):
        clients = [self.connect() for _ in range(30)]
        took = self.pour(clients, 32 * MIB)
        if not SANITIZER:
            self.assertLess(took, 16 * MIB)
        for client in clients:
            response = client.response()
            self.assert_error(response, 401, "missing_api_key")
            self.assertEqual(response.headers["connection"], "close")

    @attack("stranger", "heads that promise a body that never comes", "the answer at once, and the end")
    def test_the_refusal_does_not_wait_for_the_body(self):
        for path, method, status in ((CHAT_PATH, "POST", 401), ("/nothing", "POST", 404), (CHAT_PATH, "GET", 405),
                                     ("/v1/tools/execute", "POST", 401), ("/admin/v1/keys", "POST", 401)):
            with self.subTest(path, method=method):
                client = self.connect()
                client.send(request_bytes(method, path, headers={**JSON, "Content-Length": str(MIB),
                                                                 "Expect": "100-continue"}))
                head = client.head()
                self.assertEqual(head.status, status)  # and not 100
                self.assertEqual(head.headers["connection"], "close")
                client.rest()
                self.assertTrue(client.is_closed_by_peer(within=scaled(5)))

    @attack("stranger", "a sign-in of 32 MiB", "413")
    def test_a_sign_in_is_short(self):
        client = self.connect()
        client.send(request_bytes("POST", "/admin/v1/session", headers={**JSON, "Content-Length": str(32 * MIB)}))
        self.assertIn(client.response().status, (403, 413))

    def test_a_small_refused_body_that_is_there_keeps_the_connection(self):
        client = self.connect()
        for _ in range(3):
            client.send(chat_bytes())
            response = client.response()
            self.assert_error(response, 401, "missing_api_key")
            self.assertNotIn("connection", response.headers)

    @attack("tenant", "a body that is no JSON by its Content-Type, never sent", "415 at once")
    def test_media_types_are_refused_before_the_body(self):
        key = make_key(self.runnel.port, name="one")
        for fields in ({"Content-Type": "text/xml"}, {**JSON, "Content-Encoding": "br"}):
            client = self.connect()
            client.send(request_bytes("POST", CHAT_PATH, headers={**fields, **bearer(key), "Content-Length": "9"}))
            self.assert_error(client.response(), 415, "unsupported_media_type")

    @attack("tenant", "a long body, with no requests left in the minute", "429 before the body is sent")
    def test_limits_come_before_the_body(self):
        key = make_key(self.runnel.port, name="one", limits={"rpm": 1})
        self.assertEqual(self.ask(headers=bearer(key)).status, 200)
        client = self.connect()
        client.send(request_bytes("POST", CHAT_PATH, headers={**JSON, **bearer(key), "Content-Length": str(MIB),
                                                              "Expect": "100-continue"}))
        head = client.head()
        self.assertEqual(head.status, 429)
        self.assertIn("retry-after", head.headers)

    @attack("tenant", "100 heads that promise 32 MiB each", "no memory is taken for promises")
    def test_promises_take_no_memory(self):
        key = make_key(self.runnel.port, name="one")
        before = self.memory()
        clients = [self.connect() for _ in range(100)]
        for client in clients:
            client.send(request_bytes("POST", CHAT_PATH, headers={**JSON, **bearer(key), "Expect": "100-continue",
                                                                  "Content-Length": str(32 * MIB)}))
        for client in clients:
            self.assertEqual(client.head().status, 100)
        if not SANITIZER:
            self.assertLess(self.memory() - before, 16 * MIB)


class Memory(AttackTest):
    config = {"limits": {"memory": "64MiB"}, "admin": {"token": ADMIN_TOKEN}}

    def promise(self, client, size):
        client.send(request_bytes("POST", CHAT_PATH, headers={**JSON, "Content-Length": str(size)}))

    @attack("stranger", "30 bodies of 32 MiB, open to all, with 64 MiB for requests and answers",
            "503 and Retry-After for those that don't fit; memory is bounded")
    def test_bodies_draw_on_the_budget(self):
        self.assert_serves()
        before = most = self.memory()
        clients = [self.connect() for _ in range(30)]
        cut_off = set()
        for client in clients:
            self.promise(client, 32 * MIB)
        for _ in range(31):
            for client in clients:
                try:
                    if client not in cut_off:
                        client.send(b"x" * MIB)
                except OSError:
                    cut_off.add(client)
            most = max(most, self.memory())
        if not SANITIZER:
            self.assertLess(most - before, 160 * MIB)
        refused = 0
        for client in clients:
            client.socket.settimeout(0.2)
            try:
                response = client.response()
            except (OSError, EOFError):
                continue  # one that fits, or one that sent on until it was cut off
            refused += 1
            self.assert_error(response, 503, "overloaded")
            self.assertIn("retry-after", response.headers)
        self.assertGreater(refused, 0)
        for client in clients:
            client.close()
        self.assert_eventually(lambda: self.ask().status == 200)

    @attack("stranger", "bodies that fill the memory for requests and answers, and never end",
            "new requests get 503 and Retry-After; health, metrics and admin answer; all is well afterwards")
    def test_near_the_end_nothing_new_is_begun(self):
        clients = [self.connect() for _ in range(2)]
        for client in clients:
            self.promise(client, 30 * MIB)
            client.send(b"x" * (30 * MIB - 1))
        self.assert_eventually(lambda: self.ask().status == 503)
        refused = self.ask()
        self.assert_error(refused, 503, "overloaded")
        self.assertIn("retry-after", refused.headers)
        self.assertEqual(refused.headers["connection"], "close")
        self.assertEqual(get(self.runnel.port, "/healthz").status, 200)
        self.assertEqual(get(self.runnel.port, "/readyz").status, 200)
        self.assertEqual(get(self.runnel.port, "/v1/models").status, 200)
        self.assertEqual(admin(self.runnel.port, "GET", "/metrics").status, 200)
        self.assertEqual(admin(self.runnel.port, "POST", "/admin/v1/keys", {"name": "one"}).status, 201)
        for client in clients:
            client.close()
        self.assert_eventually(lambda: self.ask().status == 200)


    @attack("stranger", "1000 heads of 32 KiB that never end", "they draw on the budget: 503 and Retry-After for those that don't fit")
    def test_heads_draw_on_the_budget(self):
        self.assert_serves()
        before = self.memory()
        clients = [self.connect() for _ in range(1000)]
        for client in clients:
            client.send(b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"a:\r\n" * 8000)
        self.assertEqual(get(self.runnel.port, "/healthz").status, 200)
        if not SANITIZER:
            self.assertLess(self.memory() - before, 100 * MIB)
        self.assert_error(clients[-1].response(), 503, "overloaded")
        for client in clients:
            client.close()
        self.assert_eventually(lambda: self.ask().status == 200)


class Encrypted(AttackTest):
    @classmethod
    def setUpClass(cls):
        certificate = Certificate()
        cls.addClassCleanup(certificate.remove)
        cls.tls = certificate.client()
        cls.config = {"tls": {"cert": certificate.cert_file, "key": certificate.key_file}}
        super().setUpClass()

    def assert_serves(self):
        self.assertEqual(self.ask(tls=self.tls).status, 200)

    @attack("stranger", "over TLS, line ends or tiny chunks as fast as they are taken", "others have their turn all the while")
    def test_a_sender_that_never_stops(self):
        endless = ((b"", b"\r\n"),
                   (request_bytes("POST", CHAT_PATH, headers={**JSON, "Transfer-Encoding": "chunked"}),
                    b"1;" + b"e" * 1000 + b"\r\n \r\n"))
        for head, piece in endless:
            with self.subTest(head=head):
                attacker = self.connect(tls=self.tls)
                over = threading.Event()

                def send(attacker=attacker, head=head, data=piece * (MIB // len(piece)), over=over):
                    attacker.send(head)
                    while not over.is_set():
                        attacker.send(data)

                sender = threading.Thread(target=send, daemon=True)
                sender.start()
                time.sleep(0.3)
                began = time.monotonic()
                try:
                    client = self.connect(tls=self.tls)
                    client.request("GET", "/healthz")
                    self.assertEqual(client.response().status, 200)
                    self.assertLess(undisturbed(began), scaled(1))
                finally:
                    over.set()
                    sender.join()
                    attacker.close()


class Slow(AttackTest):
    config = {"limits": {"head_time": "1s", "body_time": "1s"}}

    def trickle(self, client, data, size, pause):
        """Sends in pieces until it is over or cut off."""
        for at in range(0, len(data), size):
            try:
                client.send(data[at : at + size])
            except OSError:
                return
            time.sleep(pause)

    @attack("stranger", "a head a byte at a time", "408 after limits.head_time")
    def test_head_that_dribbles(self):
        client = self.connect()
        threading.Thread(target=self.trickle, args=(client, chat_bytes(), 1, 0.2), daemon=True).start()
        self.assert_error(client.response(), 408, "request_timeout")
        self.assertTrue(client.is_closed_by_peer(within=scaled(5)))

    @attack("stranger", "a body a byte at a time, chunked, gzip or plain", "408 after limits.body_time")
    def test_body_that_dribbles(self):
        for fields in ({}, {"Transfer-Encoding": "chunked"}, {"Content-Encoding": "gzip"}):
            with self.subTest(fields):
                client = self.connect()
                head = {**JSON, **fields}
                if "Transfer-Encoding" not in head:
                    head["Content-Length"] = "100000"
                client.send(request_bytes("POST", CHAT_PATH, headers=head))
                data = b"1\r\n \r\n" * 1000 if "Transfer-Encoding" in head else gzip.compress(chat_body()) * 1000
                threading.Thread(target=self.trickle, args=(client, data, 6, 0.2), daemon=True).start()
                self.assert_error(client.response(), 408, "request_timeout")
                self.assertTrue(client.is_closed_by_peer(within=scaled(5)))

    def test_a_slow_body_that_comes_on_is_waited_for(self):
        """Three times as long as limits.body_time, and at more than the least rate all along."""
        client = self.connect()
        data = chat_bytes(text="x" * 400_000)
        began = time.monotonic()
        self.trickle(client, data, len(data) // 30, 0.1)
        self.assertGreater(time.monotonic() - began, 2.5)
        self.assertEqual(text_of(frames_of(client.response().body)), "Hello")

    @attack("stranger", "half a body, and then the end of the connection", "it is forgotten")
    def test_a_sender_that_leaves(self):
        for cut in (1, 100):
            with Client(self.runnel.port) as client:
                client.send(chat_bytes(text="x" * 100_000)[:-cut])
        self.assert_serves()
        self.assertEqual(len(self.upstream.requests), 1)
