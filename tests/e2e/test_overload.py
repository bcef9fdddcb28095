"""Too many requests at a time: some wait for a short while, the others are told when to come back."""

import signal
import threading
import time

from client import chat_bytes, get
from fake_upstream import speak
from gateway_test import GatewayTest
from pace import LIMIT, scaled
from runnel_process import STOP_LIMIT
from stalls import undisturbed


class OverloadTest(GatewayTest):
    def setUp(self):
        super().setUp()
        self.assert_eventually(lambda: self.running()["running"] == 0)  # of the test before
        self.go_on = threading.Event()
        self.addCleanup(self.go_on.set)

        def wait_for_it(exchange):
            self.go_on.wait(LIMIT)
            speak(exchange)

        self.upstream.script = wait_for_it

    def begin(self, **fields):
        """A client whose request has been sent."""
        client = self.connect()
        client.send(chat_bytes(**fields))
        return client

    def running(self):
        return get(self.runnel.port, "/readyz?verbose").json()["requests"]

    def fill(self, count):
        """As many requests as there may be at a time."""
        clients = [self.begin() for _ in range(count)]
        self.assert_eventually(lambda: len(self.upstream.exchanges) == count)
        return clients

    def assert_overloaded(self, response):
        self.assert_error(response, 503, "overloaded", "server_error")
        self.assertGreaterEqual(int(response.headers["retry-after"]), 1)


class WithoutAQueue(OverloadTest):
    config = {"limits": {"concurrent": 2, "queue": 0}, "threads": 2}

    def test_one_too_many_is_answered_503_at_once(self):
        clients = self.fill(2)
        for stream in (True, False):
            self.assert_overloaded(self.begin(stream=stream).response())
        self.assertEqual(len(self.upstream.exchanges), 2)
        self.go_on.set()
        for client in clients:
            self.assertEqual(client.response().status, 200)
        self.assert_serves()

    def test_health_readiness_and_models_are_answered_all_the_same(self):
        self.fill(2)
        for path in ("/healthz", "/readyz", "/v1/models"):
            self.assertEqual(get(self.runnel.port, path).status, 200)
        self.assertEqual(self.running(), {"running": 2, "waiting": 0, "limit": 2})

    def test_a_client_that_leaves_makes_room(self):
        clients = self.fill(2)
        clients[0].close()
        self.assert_eventually(lambda: self.running()["running"] == 1)
        third = self.begin()
        self.go_on.set()
        self.assertEqual(third.response().status, 200)


class WithAQueue(OverloadTest):
    config = {"limits": {"concurrent": 1, "queue": 2, "queue_time": "30s"}, "threads": 2}

    def queue_up(self, count):
        clients = []
        for number in range(1, count + 1):
            clients.append(self.begin(text=f"number {number}"))
            self.assert_eventually(lambda: self.running()["waiting"] == number)
        return clients

    def test_those_who_wait_are_served_in_their_order(self):
        first, = self.fill(1)
        waiting = self.queue_up(2)
        self.assert_overloaded(self.begin().response())
        self.go_on.set()
        for client in (first, *waiting):
            self.assertEqual(client.response().status, 200)
        texts = [request.json()["messages"][0]["content"] for request in self.upstream.requests]
        self.assertEqual(texts, ["Hi", "number 1", "number 2"])

    def test_whoever_leaves_the_queue_is_not_served(self):
        first, = self.fill(1)
        gone, stays = self.queue_up(2)
        gone.close()
        self.assert_eventually(lambda: self.running()["waiting"] == 1)
        self.go_on.set()
        self.assertEqual([first.response().status, stays.response().status], [200, 200])
        self.assertEqual(len(self.upstream.exchanges), 2)


class ForAShortWhile(OverloadTest):
    config = {"limits": {"concurrent": 1, "queue": 5, "queue_time": "200ms"}}

    def test_a_wait_that_gets_too_long_ends_with_503(self):
        self.fill(1)
        began = time.monotonic()
        self.assert_overloaded(self.begin().response())
        self.assertGreater(time.monotonic() - began, 0.19)
        self.assertLess(undisturbed(began), 0.2 + scaled(1))


class AtTheEnd(OverloadTest):
    config = {"limits": {"concurrent": 1, "queue": 5, "queue_time": "30s"}, "drain_timeout": "200ms"}

    def test_those_who_wait_are_told_so(self):
        self.fill(1)
        waiting = self.begin()
        self.assert_eventually(lambda: self.running()["waiting"] == 1)
        self.runnel.signal(signal.SIGTERM)
        response = waiting.response()
        self.assert_overloaded(response)
        self.assertIn("shutting down", response.error["message"])
        self.assertEqual(self.runnel.wait(STOP_LIMIT), 0)

    def tearDown(self):
        pass  # it has ended


class AfterAReload(OverloadTest):
    config = {"limits": {"concurrent": 1, "queue": 5, "queue_time": "30s"}}

    def test_a_higher_limit_lets_in_those_who_wait(self):
        first, = self.fill(1)
        waiting = self.begin()
        self.assert_eventually(lambda: self.running()["waiting"] == 1)
        with open(self.runnel.config_file, encoding="utf-8") as file:
            text = file.read()
        with open(self.runnel.config_file, "w", encoding="utf-8") as file:
            file.write(text.replace('"concurrent": 1', '"concurrent": 2'))
        self.assertEqual(get(self.runnel.port, "/admin/v1/config/reload", "POST").status, 200)
        self.assert_eventually(lambda: len(self.upstream.exchanges) == 2)
        self.go_on.set()
        self.assertEqual([first.response().status, waiting.response().status], [200, 200])


class PerProviderAndModel(OverloadTest):
    provider_fields = {"concurrent": 1}
    config = {"limits": {"queue": 0},
              "models": {"either": {"targets": ["local/m", "claude/m"]},
                         "narrow": {"targets": ["google/m"], "limits": {"concurrent": 1}}}}

    def test_a_provider_takes_so_many_and_the_next_target_the_others(self):
        first = self.begin(model="either")
        self.assert_eventually(lambda: len(self.upstream.exchanges) == 1)
        second = self.begin(model="either")
        self.assert_eventually(lambda: len(self.upstream.exchanges) == 2)
        self.assert_overloaded(self.begin(model="either").response())
        self.go_on.set()
        self.assertEqual(first.response().headers["x-model-used"], "local/m")
        self.assertEqual(second.response().headers["x-model-used"], "claude/m")
        self.assert_serves()

    def test_a_model_takes_so_many(self):
        first = self.begin(model="narrow")
        self.assert_eventually(lambda: len(self.upstream.exchanges) == 1)
        self.assert_overloaded(self.begin(model="narrow").response())
        self.go_on.set()
        self.assertEqual(first.response().status, 200)
        self.assertEqual(self.begin(model="narrow").response().status, 200)
