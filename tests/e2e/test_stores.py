"""Stores that are slow, stand still or go away: no stream waits for them, and no row is lost."""

import os
import signal
import sqlite3
import tempfile
import time
import unittest

from client import ask, get
from fake_upstream import FakeUpstream
from gateway_test import provider
from key_admin import ADMIN_TOKEN, admin, bearer
from metrics_page import scrape
from pace import scaled
from postgres_process import PostgresProcess, find_postgres
from replicas_test import ReplicasTest
from runnel_process import STOP_LIMIT, RunnelProcess
from store_test import ADMIN, Load, StoreTest


@unittest.skipUnless(find_postgres(), "there is no PostgreSQL here: install the package postgresql")
class Postgres(StoreTest):
    @classmethod
    def setUpClass(cls):
        cls.postgres = PostgresProcess()
        cls.addClassCleanup(cls.postgres.stop)
        cls.upstream = FakeUpstream()
        cls.addClassCleanup(cls.upstream.close)
        cls.config = {"store": cls.postgres.url, "admin": {"token": ADMIN_TOKEN},
                      "providers": {"local": provider("openai-compatible", cls.upstream.port)}}
        cls.gateways = []
        for _ in range(3):
            cls.gateways.append(RunnelProcess(cls.config))
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

    def test_a_gateway_that_starts_first_keeps_its_rows_until_the_server_is_there(self):
        self.postgres.kill()
        try:
            gateway = RunnelProcess(self.config)
            self.addCleanup(gateway.stop)
            load = Load([gateway], "first")
            time.sleep(1.5)
            load.stop()
        finally:
            self.postgres.start()
        self.assert_all_recorded(gateway, load)


class Redis(ReplicasTest):
    def test_restarts_under_load_stop_nobody_and_every_call_is_paid_for(self):
        self.start()
        key = self.new_key(budget={"usd": 1000}, limits={"rpm": 1000000, "concurrency": 100})
        load = Load(self.gateways, "redis", bearer(key))
        for _ in range(3):
            time.sleep(0.6)
            self.redis.kill()
            time.sleep(1)
            self.redis.start()
        time.sleep(1)
        load.stop()
        self.assert_all_recorded(self.gateways[0], load)
        self.assertEqual(len(self.upstream.requests), len(load.asked))
        usage = get(self.gateways[0].port, "/v1/usage?group_by=key", headers=bearer(key)).json()["data"]
        self.assertAlmostEqual(sum(group["cost_usd"] for group in usage), len(load.asked) * self.PRICE, places=6)

    def test_a_budget_is_not_spent_twice_after_a_restart_without_its_data(self):
        self.start()
        key = self.new_key(budget={"usd": 20 * self.PRICE})
        statuses = [ask(self.gateways[number % 3].port, headers=bearer(key)).status for number in range(12)]
        self.assertEqual(set(statuses), {200})
        usage = lambda: get(self.gateways[0].port, "/v1/usage?group_by=key", headers=bearer(key)).json()["data"]
        # What is not in the ledger yet when Redis forgets is not counted.
        self.assert_eventually(lambda: sum(group["requests"] for group in usage()) == 12)
        self.redis.kill()
        self.redis.forget()
        self.redis.start()
        statuses = [ask(self.gateways[number % 3].port, headers=bearer(key)).status for number in range(30)]
        self.assertEqual(set(statuses), {200, 402})
        # The last one may overdraw it; and each machine lets one pass by itself before it knows that Redis is back.
        self.assertLessEqual(len(self.upstream.requests), 20 + 1 + 3)

    def test_where_it_was_said_so_nobody_passes_without_it(self):
        self.start(shared={"redis": self.redis.url, "without_it": "refuse"})
        limited, free = self.new_key(limits={"rpm": 1000}), self.new_key()
        self.assertEqual(ask(self.gateways[0].port, headers=bearer(limited)).status, 200)
        self.redis.kill()
        for gateway in self.gateways:
            refused = ask(gateway.port, headers=bearer(limited))
            self.assertEqual((refused.status, refused.error["code"]), (503, "store_unavailable"), refused.body)
            self.assertGreaterEqual(int(refused.headers["retry-after"]), 1)
            self.assertEqual(ask(gateway.port, headers=bearer(free)).status, 200)  # it is under no limit
        self.assertEqual(len(self.upstream.requests), 4)
        self.redis.start()
        for gateway in self.gateways:
            self.assert_eventually(lambda: ask(gateway.port, headers=bearer(limited)).status == 200)


class Sqlite(StoreTest):
    def start(self, **fields):
        upstream = FakeUpstream()
        self.addCleanup(upstream.close)
        gateway = RunnelProcess({"admin": {"token": ADMIN_TOKEN}, **fields,
                                 "providers": {"local": provider("openai-compatible", upstream.port)}})
        self.addCleanup(gateway.stop)
        return gateway

    def test_a_file_that_can_not_be_used_yet_gets_its_rows_when_it_can(self):
        folder = tempfile.TemporaryDirectory(prefix="runnel-e2e-sqlite-", ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        file = os.path.join(folder.name, "runnel.db")
        with open(file, "w", encoding="ascii") as broken:
            broken.write("no database " * 1000)
        gateway = self.start(data=folder.name)
        self.assertTrue(gateway.log_of("the store can't be opened"))
        load = Load([gateway], "broken")
        time.sleep(1)
        load.stop()
        self.assertEqual(get(gateway.port, "/v1/logs", headers=ADMIN).status, 503)
        new_key = lambda: admin(gateway.port, "POST", "/admin/v1/keys", {"name": "n"})
        self.assertEqual(new_key().status, 503)
        os.remove(file)
        self.assert_all_recorded(gateway, load)
        self.assert_eventually(lambda: new_key().status == 201, scaled(10))
        gateway.assert_well()

    def test_rows_that_have_nowhere_to_go_are_counted(self):
        gateway = self.start(data="/proc/nowhere")
        self.assert_eventually(lambda: gateway.log_of("the journal can't be written to the disk"))
        for _ in range(3):
            self.assertEqual(ask(gateway.port).status, 200)
        metrics = scrape(gateway.port, ADMIN)
        self.assertEqual((metrics.sum("runnel_store_rows_waiting"), metrics.sum("runnel_store_up")), (3, 0))
        gateway.signal(signal.SIGTERM)
        self.assertEqual(gateway.wait(STOP_LIMIT), 0)
        told = gateway.log_of("requests are missing in the log and the ledger")
        self.assertEqual([line["lost"] for line in told], [3])

    def test_a_file_that_somebody_else_locks_delays_no_stream_and_loses_no_row(self):
        gateway = self.start()
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
