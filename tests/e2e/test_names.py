"""Host names: looked up on the loop, so that a dead one delays nobody else; both kinds of addresses are tried."""

import concurrent.futures
import socket
import time

from client import chat_bytes
from fake_names import SILENCE, FakeNames
from fake_upstream import FakeUpstream
from frames import frames_of, text_of
from gateway_test import LimitedTest, provider
from pace import scaled
from runnel_process import RunnelProcess
from stalls import undisturbed

import client

MANY = [f"10.9.{number // 250}.{number % 250}" for number in range(60)]


class Names(LimitedTest):
    names = {
        "live.test": ["127.0.0.1"],
        "dead.test": SILENCE,
        # The first address of the other family refuses, and its lookup works; its lookup is dead; it is a black hole.
        "refusing6.test": ["::1", "127.0.0.1"],
        "half-dead.test": {"AAAA": SILENCE, "A": ["127.0.0.1"]},
        "hole6.test": ["100::1", "127.0.0.1"],
        "hole4.test": ["240.0.0.1", "127.0.0.1"],
        "garbage.test": b"\xff" * 300,
        "loop.test": b"\xc0\x0c\0\x05\0\x01\0\0\0\x3c\0\x02\xc0\x0c",
        "lies.test": b"\xc0\x0c\0\x01\0\x01\0\0\0\x3c\xff\xff\x7f\0\0\x01",
        "many.test": MANY,
    }

    @classmethod
    def setUpClass(cls):
        cls.upstream = FakeUpstream()
        cls.addClassCleanup(cls.upstream.close)
        cls.server = FakeNames(cls.names, ttl=60)
        cls.addClassCleanup(cls.server.close)
        quick = {"timeouts": {"connect": "2s"}, "retries": 0}
        providers = {name.split(".")[0]: provider("openai-compatible", cls.upstream.port, host=name, **quick)
                     for name in (*cls.names, "missing.test", "localhost")}
        cls.runnel = RunnelProcess({"threads": 1, "providers": providers}, RUNNEL_DNS_SERVERS=cls.server.address)
        cls.addClassCleanup(cls.runnel.stop)

    def tearDown(self):
        self.runnel.assert_well()

    def ask(self, name, **request):
        return client.ask(self.runnel.port, model=f"{name}/m", **request)

    def assert_served(self, name):
        response = self.ask(name)
        self.assertEqual(response.status, 200, response.body)
        self.assertEqual(text_of(frames_of(response.body)), "Hello")

    def test_a_dead_name_delays_no_other(self):
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            dead = [pool.submit(self.ask, "dead") for _ in range(4)]
            self.assert_eventually(lambda: self.server.count("dead.test"))
            began = time.monotonic()
            self.assert_served("live")
            self.assert_served("localhost")
            self.assertLess(undisturbed(began), scaled(1))
            self.assertFalse(any(one.done() for one in dead))
            self.assertEqual([one.result().status for one in dead], [504] * 4)
        self.assertLessEqual(self.server.count("dead.test"), 8)  # asked for all four at once, again and again

    def test_a_name_is_asked_for_once_while_its_answer_holds(self):
        for _ in range(3):
            self.assert_served("live")
            for connection in list(self.upstream.connections):
                connection.close()
        self.assertLessEqual(self.server.count("live.test"), 2)

    def test_that_there_is_no_such_name_is_remembered_for_a_moment(self):
        before = self.server.count("missing.test")
        for _ in range(3):
            response = self.ask("missing")
            self.assertEqual(response.status, 502, response.body)
            self.assertNotIn("missing.test", response.error["message"])
        self.assertLessEqual(self.server.count("missing.test") - before, 4)

    def test_the_other_address_is_tried_where_one_is_dead(self):
        for name in ("refusing6", "half-dead", "hole6", "hole4"):
            with self.subTest(name):
                self.assert_served(name)

    def test_answers_that_are_none_are_a_failure_and_no_more(self):
        for name in ("garbage", "loop", "lies", "many"):
            with self.subTest(name):
                self.assertIn(self.ask(name).status, (502, 504))
        self.assert_served("live")

    def test_a_client_that_leaves_waits_for_no_name(self):
        files = self.runnel.open_files()
        for _ in range(5):
            with socket.create_connection(("127.0.0.1", self.runnel.port)) as leaving:
                leaving.sendall(chat_bytes(model="dead/m"))
                self.assert_eventually(lambda: self.server.count("dead.test"))
        self.assert_served("live")
        self.assert_eventually(lambda: self.runnel.open_files() <= files + 4)

    def test_servers_that_are_no_addresses_are_told_of(self):
        odd = RunnelProcess({"providers": {}}, RUNNEL_DNS_SERVERS="not an address")
        self.addCleanup(odd.stop)
        self.assert_eventually(lambda: "RUNNEL_DNS_SERVERS" in odd.log())
