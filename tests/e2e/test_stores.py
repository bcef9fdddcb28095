"""Stores that are slow, stand still or go away: no stream waits for them, and no row is lost (spec S22)."""

import os
import sqlite3
import threading
import time
import unittest

from client import ask, get
from fake_upstream import FakeUpstream
from gateway_test import LimitedTest, provider
from key_admin import ADMIN_TOKEN
from pace import scaled
from postgres_process import PostgresProcess, find_postgres
from runnel_process import RunnelProcess

ADMIN = {"Authorization": f"Bearer {ADMIN_TOKEN}"}


class Load:
    """Streams one after another through each gateway, from a few clients, until it is told to stop."""

    CLIENTS = 2  # of each gateway

    def __init__(self, gateways, name):
        self.name = name
        self.asked = []  # request ids
        self.failures = []
        self.longest = 0.0
        self._guard = threading.Lock()
        self._enough = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(gateway, f"{name}-{number}-{client}"))
                         for number, gateway in enumerate(gateways) for client in range(self.CLIENTS)]
        for thread in self._threads:
            thread.start()

    def _run(self, gateway, name):
        while not self._enough.wait(0.01):
            with self._guard:
                request_id = f"{name}-{len(self.asked)}"
                self.asked.append(request_id)
            begun = time.monotonic()
            response = ask(gateway.port, headers={"X-Request-ID": request_id})
            with self._guard:
                self.longest = max(self.longest, time.monotonic() - begun)
                if response.status != 200 or not response.body.endswith(b"data: [DONE]\n\n"):
                    self.failures.append((request_id, response.status, response.body))

    def stop(self):
        self._enough.set()
        for thread in self._threads:
            thread.join()


class StoreTest(LimitedTest):
    WAIT = 1.5  # seconds that a stream may take: far less than the store is away for

    def recorded(self, gateway, name):
        """The ids of all requests that begin with the name, as the store has them."""
        ids, after = [], ""
        while True:
            page = get(gateway.port, f"/v1/logs?id={name}-&limit=100&after={after}", headers=ADMIN)
            if page.status != 200:
                return []
            page = page.json()
            ids += [record["request_id"] for record in page["data"]]
            if not page["has_more"]:
                return ids
            after = page["last_id"]

    def assert_all_recorded(self, gateway, load):
        self.assertGreater(len(load.asked), 0)
        self.assertEqual(load.failures, [])
        self.assertLess(load.longest, scaled(self.WAIT))
        self.assert_eventually(lambda: len(self.recorded(gateway, load.name)) >= len(load.asked), scaled(20))
        self.assertEqual(sorted(self.recorded(gateway, load.name)), sorted(load.asked))


@unittest.skipUnless(find_postgres(), "there is no PostgreSQL here: install the package postgresql")
class Postgres(StoreTest):
    @classmethod
    def setUpClass(cls):
        cls.postgres = PostgresProcess()
        cls.addClassCleanup(cls.postgres.stop)
        cls.upstream = FakeUpstream()
        cls.addClassCleanup(cls.upstream.close)
        config = {"store": cls.postgres.url, "admin": {"token": ADMIN_TOKEN},
                  "providers": {"local": provider("openai-compatible", cls.upstream.port)}}
        cls.gateways = []
        for _ in range(3):
            cls.gateways.append(RunnelProcess(config))
            cls.addClassCleanup(cls.gateways[-1].stop)

    def tearDown(self):
        for gateway in self.gateways:
            gateway.assert_well()

    def test_three_gateways_have_one_store(self):
        for number, gateway in enumerate(self.gateways):
            self.assertEqual(ask(gateway.port, headers={"X-Request-ID": f"shared-{number}"}).status, 200)
        expected = [f"shared-{number}" for number in range(3)]
        for gateway in self.gateways:
            self.assert_eventually(lambda: sorted(self.recorded(gateway, "shared")) == expected, scaled(2))

    def test_restarts_under_load_delay_no_stream_and_lose_no_row(self):
        load = Load(self.gateways, "restarts")
        for _ in range(3):
            time.sleep(0.7)
            self.postgres.kill()
            time.sleep(2)
            self.postgres.start()
        time.sleep(0.5)
        load.stop()
        self.assert_all_recorded(self.gateways[0], load)

    def test_a_server_that_stands_still_delays_no_stream_and_loses_no_row(self):
        load = Load(self.gateways, "frozen")
        time.sleep(0.5)
        self.postgres.freeze()
        time.sleep(4)
        self.postgres.thaw()
        time.sleep(0.5)
        load.stop()
        self.assert_all_recorded(self.gateways[0], load)


class Sqlite(StoreTest):
    def test_a_file_that_somebody_else_locks_delays_no_stream_and_loses_no_row(self):
        upstream = FakeUpstream()
        self.addCleanup(upstream.close)
        gateway = RunnelProcess({"admin": {"token": ADMIN_TOKEN},
                                 "providers": {"local": provider("openai-compatible", upstream.port)}})
        self.addCleanup(gateway.stop)
        load = Load([gateway], "locked")
        time.sleep(0.3)
        other = sqlite3.connect(os.path.join(gateway.folder, "data", "runnel.db"), isolation_level=None, timeout=10)
        other.execute("BEGIN IMMEDIATE")
        time.sleep(4)
        other.execute("ROLLBACK")
        other.close()
        time.sleep(0.3)
        load.stop()
        self.assert_all_recorded(gateway, load)
        gateway.assert_well()
