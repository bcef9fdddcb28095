"""Connections and descriptors: whoever holds as many as he can, health checks, the admin and other clients are served."""

import threading

from attack_table import AttackTest, attack
from client import Client, chat_bytes, get
from metrics_page import scrape
from pace import LIMIT

ESSENTIAL = ("/healthz", "/readyz", "/metrics", "/admin/v1/providers")


class Streams:
    """Requests whose answers do not end before they are let go."""

    def __init__(self, test):
        self.test = test
        self.go_on = threading.Event()
        test.addCleanup(self.go_on.set)
        test.upstream.script = self.answer

    def answer(self, exchange):
        exchange.head()
        exchange.delta("a")
        self.go_on.wait(LIMIT)
        exchange.finish()

    def open(self, **options):
        client = self.test.connect(**options)
        client.send(chat_bytes())
        head = client.head()
        self.test.assertEqual(head.status, 200)
        client.next_piece()
        return client


class ConnectionTest(AttackTest):
    """Not a test itself."""

    def open_silent(self, count, **options):
        return [self.connect(**options) for _ in range(count)]

    def assert_essentials(self):
        for path in ESSENTIAL:
            response = get(self.runnel.port, path)
            self.assertEqual(response.status, 200, (path, response.body))

    def assert_turned_away(self, **options):
        client = self.connect(**options)
        client.send(chat_bytes())
        response = client.response()
        self.assert_error(response, 503, "overloaded")
        self.assertIn("retry-after", response.headers)
        self.assertEqual(response.headers.get("connection"), "close")


class FewDescriptors(ConnectionTest):
    descriptors = 256

    @attack("stranger", "300 connections that say nothing, with 256 descriptors", "health, admin and chats are answered")
    def test_silent_connections(self):
        self.open_silent(300)
        self.assert_essentials()
        self.assert_serves()
        self.assert_essentials()

    @attack("stranger", "300 connections that send half a head", "health, admin and chats are answered")
    def test_half_a_head(self):
        for client in self.open_silent(300):
            try:
                client.send(b"POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\n")
            except OSError:
                pass  # it had to make room already
        self.assert_essentials()
        self.assert_serves()

    @attack("stranger", "300 connections, from three addresses, that send half a body", "health and admin are answered, chats once these have gone")
    def test_half_a_body(self):
        clients = [client for number in range(3) for client in self.open_silent(100, source=f"127.0.0.{2 + number}")]
        for client in clients:
            try:
                client.send(chat_bytes()[:-1])
            except OSError:
                pass
        self.assert_essentials()
        for client in clients:
            client.close()
        self.assert_eventually(lambda: self.ask().status == 200)

    @attack("stranger", "300 connections that send half a body after a head that is refused", "health, admin and chats are answered")
    def test_half_a_body_that_nobody_wants(self):
        for client in self.open_silent(300):
            try:
                client.send(b"POST /v1/nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\nhalf of it")
            except OSError:
                pass
        self.assert_essentials()
        self.assert_serves()

    @attack("stranger", "300 connections that ask once and stay", "health, admin and chats are answered")
    def test_idle_connections(self):
        for client in self.open_silent(300):
            try:
                client.request("GET", "/healthz")
                client.response()
            except (OSError, EOFError):
                pass
        self.assert_essentials()
        self.assert_serves()

    @attack("stranger", "as many streams as there may be", "health and admin are answered, others told to come later")
    def test_streams(self):
        streams = Streams(self)
        limit = int(scrape(self.runnel.port).sum("runnel_client_connections_limit"))
        self.assertLess(limit, self.descriptors / 2)
        held = [streams.open(source=f"127.0.0.{2 + i % 2}") for i in range(limit)]
        self.open_silent(60)
        self.assert_essentials()
        self.assert_turned_away()
        streams.go_on.set()
        for client in held:
            client.rest()


class DescriptorsRunOut(ConnectionTest):
    """More connections are allowed than there are descriptors for."""

    descriptors = 256
    config = {"limits": {"connections": 10000, "connections_per_address": 10000}}

    @attack("stranger", "400 connections that say nothing, more than there are descriptors", "health, admin and chats are answered")
    def test_no_descriptor_is_left(self):
        self.assert_logs("limits.connections is more than there can be", self.runnel)
        self.open_silent(400)
        self.assert_essentials()
        self.assert_serves()
        self.assert_eventually(lambda: '"limit":"descriptors"' in self.runnel.log())


class PerAddress(ConnectionTest):
    config = {"limits": {"connections": 40, "connections_per_address": 4}}

    @attack("stranger", "more streams than one address may have", "its further chats are refused, those of others are not")
    def test_streams_of_one_address(self):
        streams = Streams(self)
        held = [streams.open() for _ in range(4)]
        self.assert_turned_away()
        self.assert_essentials()
        other = streams.open(source="127.0.0.2")
        streams.go_on.set()
        for client in [*held, other]:
            client.rest()

    @attack("stranger", "connections that say nothing, from one address", "the oldest of them make room for its next")
    def test_silent_connections_of_one_address(self):
        silent = self.open_silent(4)
        neighbour = self.connect(source="127.0.0.3")
        self.assert_serves()
        self.assertTrue(silent[0].is_closed_by_peer(LIMIT))
        neighbour.request("GET", "/healthz")
        self.assertEqual(neighbour.response().status, 200)

    @attack("stranger", "thousands of connections beyond the limit", "the log says so once in a while, the metrics count")
    def test_what_the_operator_sees(self):
        streams = Streams(self)
        held = [streams.open() for _ in range(4)]
        before = self.runnel.log().count("too many connections")
        for _ in range(300):
            Client(self.runnel.port).close()
        self.assert_eventually(lambda: "limits.connections_per_address" in self.runnel.log())
        self.assertLess(self.runnel.log().count("too many connections") - before, 20)

        def counted():
            page = scrape(self.runnel.port)
            return page.sum("runnel_client_connections_refused_total", limit="connections_per_address") >= 300

        self.assert_eventually(counted)
        streams.go_on.set()
        for client in held:
            client.rest()
