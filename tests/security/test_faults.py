"""Faults that nobody wished for: what becomes of money and records when Redis, stores, disks and processes go away."""

import glob
import json
import os
import random
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import unittest

from attack_table import attack, memory_of
from client import Client, ask, chat_bytes, get
from fake_upstream import FakeUpstream
from gateway_test import provider
from key_admin import ADMIN_TOKEN, bearer, make_key
from metrics_page import scrape
from pace import BINARY, LIMIT, SANITIZER, scaled
from postgres_process import PostgresProcess, find_postgres
from replicas_test import ReplicasTest
from runnel_process import RunnelProcess, environment
from small_disk import MIB, FreezableDisk, SmallDisk
from store_test import ADMIN, Load, StoreTest

PRICE = 0.01
# The fake upstream's requests cost a cent each, and a cent is reserved for each.
PRICES = {"local/m": {"input": 0, "output": 0, "per_request": PRICE}}


def hold(exchange):
    exchange.head()
    exchange.delta("a")
    exchange.hold()


class FaultTest(StoreTest):
    def setUp(self):
        super().setUp()
        self.upstream = FakeUpstream()
        self.addCleanup(self.upstream.close)
        folder = tempfile.TemporaryDirectory(prefix="runnel-faults-", ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.data = folder.name

    def config(self, **fields):
        return {"data": self.data, "admin": {"token": ADMIN_TOKEN}, "prices": PRICES,
                "providers": {"local": {**provider("openai-compatible", self.upstream.port), "retries": 0}}, **fields}

    def start(self, **fields):
        gateway = RunnelProcess(self.config(**fields))
        self.addCleanup(gateway.kill)
        return gateway

    def assert_does_not_start(self, *words, **fields):
        """It ends, and says why with all these words."""
        with tempfile.NamedTemporaryFile("w", suffix=".yaml", delete=False) as file:
            json.dump({"threads": 1, **self.config(**fields)}, file)
        self.addCleanup(os.remove, file.name)
        done = subprocess.run([BINARY, "serve", "--config", file.name, "--listen", "127.0.0.1:0"], capture_output=True,
                              timeout=LIMIT, env=environment(), check=False)
        said = done.stderr.decode()
        self.assertNotEqual(done.returncode, 0, said)
        for word in words:
            self.assertIn(word, said)

    def spent(self, gateway, key):
        usage = get(gateway.port, "/v1/usage?group_by=key", headers=bearer(key)).json()["data"]
        return round(sum(group["cost_usd"] for group in usage), 6)


class RedisGoes(ReplicasTest):
    @attack("fault", "Redis is stopped when a budget is spent", "no gateway gives the budget again")
    def test_a_spent_budget_stays_spent(self):
        self.start()
        key = self.new_key(budget={"usd": 20 * self.PRICE})
        for number in range(20):
            self.assertEqual(ask(self.gateways[number % 3].port, headers=bearer(key)).status, 200)
        self.assertEqual(ask(self.gateways[0].port, headers=bearer(key)).status, 402)
        usage = lambda: get(self.gateways[0].port, "/v1/usage?group_by=key", headers=bearer(key)).json()["data"]
        self.assert_eventually(lambda: round(sum(group["cost_usd"] for group in usage()), 6) == 0.2)
        self.redis.kill()
        for gateway in self.gateways:
            for _ in range(3):
                refused = ask(gateway.port, headers=bearer(key))
                self.assertEqual((refused.status, refused.error["code"]), (402, "key_spend_limit_reached"), refused.body)
        self.assertEqual(len(self.upstream.requests), 20)

    def assert_not_given_again(self, fault):
        """The ledger gets what was spent a moment later: what Redis last said is known before."""
        self.start()
        key = self.new_key(budget={"usd": 20 * self.PRICE})
        for number in range(20):
            self.assertEqual(ask(self.gateways[number % 3].port, headers=bearer(key)).status, 200)
        fault()
        for number in range(30):
            ask(self.gateways[number % 3].port, headers=bearer(key))
        # Of the last that the two others let in, each may not have heard.
        self.assertLessEqual(len(self.upstream.requests), 20 + 3 * 2)

    @attack("fault", "Redis is stopped the moment a budget is spent", "no gateway gives the budget again")
    def test_a_budget_that_was_just_spent_stays_spent(self):
        self.assert_not_given_again(self.redis.kill)

    @attack("fault", "Redis loses its data the moment a budget is spent", "no gateway gives the budget again")
    def test_a_budget_that_redis_forgets_stays_spent(self):
        def flush():
            with socket.create_connection(("127.0.0.1", self.redis.port)) as redis:
                redis.sendall(b"FLUSHALL\r\n")
                self.assertEqual(redis.recv(16), b"+OK\r\n")
        self.assert_not_given_again(flush)

    @attack("fault", "Redis is stopped while streams are under way", "what they may cost stays reserved")
    def test_what_is_under_way_stays_reserved(self):
        self.start()
        key = self.new_key(budget={"usd": 5 * self.PRICE})
        self.upstream.play(*[hold] * 5)
        for number in range(5):
            client = Client(self.gateways[number % 3].port)
            self.addCleanup(client.close)
            client.send(chat_bytes(headers=bearer(key)))
            self.assertEqual(client.head().status, 200)
        time.sleep(scaled(1))
        self.redis.kill()
        # They keep their journals in one place, and look at each other's a few times a second.
        for gateway in self.gateways:
            self.assert_eventually(lambda: ask(gateway.port, headers=bearer(key)).status == 402)
        self.assertLessEqual(len(self.upstream.requests), 5 + 3)


class TakeOver(FaultTest):
    @attack("fault", "a process takes over while another has 30 streams open", "both together spend the budget once")
    def test_reservations_are_handed_over(self):
        first = self.start(auth={"mode": "keys"})
        key = make_key(first.port, name="k", budget={"usd": 0.5})
        self.upstream.script = hold
        def hold_streams(gateway, count):
            held = 0
            for _ in range(count):
                client = Client(gateway.port)
                self.addCleanup(client.close)
                client.send(chat_bytes(headers=bearer(key)))
                status = client.head().status
                self.assertIn(status, (200, 402))
                held += status == 200
            return held
        self.assertEqual(hold_streams(first, 30), 30)
        second = self.start(auth={"mode": "keys"})
        self.assertEqual(hold_streams(second, 30), 20)
        # And the first, while it lives, knows of the second's a moment later.
        time.sleep(scaled(0.5))
        self.assert_eventually(lambda: hold_streams(first, 1) == 0)
        self.assertLessEqual(len(self.upstream.requests), 52)

    @attack("fault", "a process is killed with 30 streams open, and another starts", "their money counts as spent")
    def test_reservations_of_the_dead_count(self):
        first = self.start(auth={"mode": "keys"})
        key = make_key(first.port, name="k", budget={"usd": 0.3})
        self.upstream.script = hold
        for _ in range(30):
            client = Client(first.port)
            self.addCleanup(client.close)
            client.send(chat_bytes(headers=bearer(key)))
            self.assertEqual(client.head().status, 200)
        first.kill()
        second = self.start(auth={"mode": "keys"})
        for _ in range(10):
            self.assertEqual(ask(second.port, headers=bearer(key)).status, 402)
        self.assert_eventually(lambda: self.spent(second, key) == 0.3)
        records = get(second.port, "/v1/logs?error=gateway_crashed", headers=ADMIN).json()["data"]
        self.assertEqual({record["stream"] for record in records}, {True})


class DiskWithoutRoom(FaultTest):
    def setUp(self):
        super().setUp()
        self.disk = SmallDisk(16 * MIB)
        self.addCleanup(self.disk.remove)
        if not self.disk.mounted:
            self.skipTest("nobody but root may mount a small file system")
        self.data = os.path.join(self.disk.folder, "data")

    @attack("fault", "a start on a full disk, with budgets", "it does not start, and says where room is needed")
    def test_budgets_need_room(self):
        self.disk.fill()
        self.assert_does_not_start(self.disk.folder, "budget", "room", teams={"blue": {"budget": {"usd": 1}}})

    @attack("fault", "a start on a disk that is full or read-only, with a key that has a budget", "it does not start")
    def test_budgets_of_keys_need_room(self):
        gateway = self.start(auth={"mode": "keys"})
        make_key(gateway.port, name="k", budget={"usd": 1})
        gateway.stop()
        self.disk.fill()
        self.assert_does_not_start(self.disk.folder, auth={"mode": "keys"})
        self.disk.make_room()
        self.disk.write_protect()
        self.assert_does_not_start(self.disk.folder, auth={"mode": "keys"})

    @attack("fault", "a start on a full disk, without budgets", "nothing is lost once there is room")
    def test_rows_wait_for_room(self):
        self.disk.fill()
        gateway = self.start()
        self.assert_eventually(lambda: scrape(gateway.port, ADMIN).sum("runnel_store_up") == 0)
        load = Load([gateway], "early")
        time.sleep(0.5)
        load.stop()
        self.assert_logs("the journal can't be written to the disk", gateway)
        self.disk.make_room()
        self.assert_all_recorded(gateway, load)
        self.assert_eventually(lambda: scrape(gateway.port, ADMIN).sum("runnel_store_up") == 1)
        gateway.stop()


class DataThatVanishes(FaultTest):
    @attack("fault", "the folder with the store is moved away", "rows wait until it is back, and that is told")
    def test_rows_wait_for_the_store_to_come_back(self):
        data = os.path.join(self.data, "data")
        gateway = self.start(data=data)
        self.assertEqual(ask(gateway.port, headers={"X-Request-ID": "kept-0"}).status, 200)
        self.assert_eventually(lambda: self.recorded(gateway, "kept"))
        os.rename(data, data + ".away")
        load = Load([gateway], "away")
        self.assert_eventually(lambda: scrape(gateway.port, ADMIN).sum("runnel_store_up") == 0)
        load.stop()
        self.assert_logs("the store's file is gone", gateway)
        self.assertFalse(os.path.exists(os.path.join(data, "runnel.db")))
        os.rename(data + ".away", data)
        self.assert_all_recorded(gateway, load)
        gateway.stop()


class DiskThatFreezes(FaultTest):
    def setUp(self):
        super().setUp()
        self.disk = FreezableDisk()
        self.addCleanup(self.disk.remove)
        if not self.disk.mounted:
            self.skipTest("nobody but root may freeze a file system")
        self.data = os.path.join(self.disk.folder, "data")

    @attack("fault", "the disk is frozen for six seconds", "no request waits for it, and none is lost")
    def test_requests_go_on(self):
        gateway = self.start()
        self.assertEqual(ask(gateway.port).status, 200)
        load = Load([gateway], "frozen")
        time.sleep(0.5)
        self.disk.freeze()
        try:
            before = len(load.asked)
            time.sleep(6)
            self.assertGreater(len(load.asked), before + 20)
        finally:
            self.disk.thaw()
        load.stop()
        self.assert_all_recorded(gateway, load)
        gateway.stop()

    @attack("fault", "the gateway is killed while the disk is frozen", "the next one finds every request")
    def test_what_waits_outlives_the_process(self):
        gateway = self.start()
        self.assertEqual(ask(gateway.port).status, 200)
        self.disk.freeze()
        try:
            load = Load([gateway], "killed")
            time.sleep(1)
            load.stop()
            killer = threading.Thread(target=gateway.kill)  # its threads that wait for the disk end when that is back
            killer.start()
            time.sleep(0.2)
        finally:
            self.disk.thaw()
        killer.join()
        self.assert_all_recorded(self.start(), load)


class DamagedJournal(FaultTest):
    ROWS = 40

    def damage(self, bytes_, dice):
        block = 512
        some = lambda: dice.randrange(len(bytes_) // block) * block
        kind = dice.randrange(4)
        if kind == 0:
            return bytes_[:64 + dice.randrange(len(bytes_) // 8)]
        if kind == 1:
            at = dice.randrange(16) * block
            return bytes_[:at] + bytes(8 * block) + bytes_[at + 8 * block:]
        if kind == 2:
            source, at = some(), dice.randrange(32) * block
            return bytes_[:at] + bytes_[source:source + block] + bytes_[at + block:]
        damaged = bytearray(bytes_)
        for _ in range(20):
            damaged[dice.randrange(64 * 1024)] = dice.randrange(256)
        return bytes(damaged)

    @attack("fault", "a journal of a killed gateway is cut, zeroed, written over", "each row is there or is told to be lost")
    def test_nothing_is_lost_in_silence(self):
        dice = random.Random(5)
        for round_ in range(4):
            folder = os.path.join(self.data, str(round_))
            os.mkdir(folder)
            with open(os.path.join(folder, "runnel.db"), "w", encoding="ascii") as broken:
                broken.write("no database " * 1000)  # so rows stay in the journal
            gateway = self.start(data=folder)
            for number in range(self.ROWS):
                self.assertEqual(ask(gateway.port, headers={"X-Request-ID": f"row-{number}"}).status, 200)
            copies = lambda: glob.glob(os.path.join(folder, "journal/*/closed-*"))
            self.assert_eventually(copies)
            time.sleep(scaled(1))  # what waits is copied to the disk now and then
            gateway.kill()
            # As after a power cut: memory is gone, and the disk is damaged.
            for memory in glob.glob(f"/dev/shm/runnel-journal-{os.geteuid()}-*"):
                with open(os.path.join(memory, "of"), encoding="utf-8") as of:
                    if of.read().endswith(folder):
                        shutil.rmtree(memory)
            for path in copies():
                with open(path, "r+b") as file:
                    damaged = self.damage(file.read(), dice)
                    file.seek(0)
                    file.truncate()
                    file.write(damaged)
            os.remove(os.path.join(folder, "runnel.db"))
            gateway = self.start(data=folder)
            lost = lambda: scrape(gateway.port, ADMIN).sum("runnel_store_rows_lost_total")
            self.assert_eventually(lambda: len(self.recorded(gateway, "row")) + lost() >= self.ROWS,
                                   message=f"round {round_}: {len(self.recorded(gateway, 'row'))} rows, {lost()} lost")
            if lost() > 0:
                told = lambda: gateway.log_of("a file of the journal is damaged")
                self.assert_eventually(lambda: sum(line["requests"] for line in told()) == lost())
                self.assertTrue(all("closed-" in line["file"] for line in told()))
            gateway.stop()


class EmptyDatabase(FaultTest):
    @attack("fault", "the database is cut to no bytes", "it does not start where keys are needed, and says what to do")
    def test_an_empty_store_is_refused(self):
        gateway = self.start(auth={"mode": "keys"})
        make_key(gateway.port, name="k")
        gateway.stop()
        for size in (1, 0):
            for path in glob.glob(os.path.join(self.data, "runnel.db*")):
                os.truncate(path, size)
            self.assert_does_not_start("runnel.db is empty", "backup", "delete", auth={"mode": "keys"})
        gateway = self.start()
        self.assertEqual(ask(gateway.port).status, 200)
        self.assert_logs("is empty (0 bytes)", gateway)
        self.assert_eventually(lambda: scrape(gateway.port, ADMIN).sum("runnel_store_up") == 0)
        for path in glob.glob(os.path.join(self.data, "runnel.db*")):
            os.remove(path)
        self.assert_eventually(lambda: scrape(gateway.port, ADMIN).sum("runnel_store_up") == 1)
        gateway.stop()


@unittest.skipUnless(find_postgres(), "there is no PostgreSQL here: install the package postgresql")
class SilentStore(FaultTest):
    @attack("fault", "PostgreSQL keeps its connections and says nothing", "a request on a budget is refused within seconds")
    def test_nobody_waits_for_long(self):
        postgres = PostgresProcess()
        self.addCleanup(postgres.stop)
        gateway = self.start(store=postgres.url, auth={"mode": "keys"})
        key = make_key(gateway.port, name="unseen", budget={"usd": 1})
        postgres.freeze()
        try:
            begun = time.monotonic()
            refused = ask(gateway.port, headers=bearer(key))
            took = time.monotonic() - begun
        finally:
            postgres.thaw()
        self.assertEqual((refused.status, refused.error["code"]), (503, "store_unavailable"), refused.body)
        self.assertGreaterEqual(int(refused.headers["retry-after"]), 1)
        self.assertLess(took, scaled(6))
        self.assert_eventually(lambda: ask(gateway.port, headers=bearer(key)).status == 200)
        balance = lambda: get(gateway.port, "/v1/balance", headers=bearer(key)).json()["key"]
        self.assert_eventually(lambda: balance()["reserved_usd"] == 0)
        gateway.stop()

    @attack("fault", "PostgreSQL says nothing while answers to requests of 12 MiB are to be stored",
            "they are answered; what waits draws on the memory for requests and answers")
    def test_answers_that_wait_for_it(self):
        postgres = PostgresProcess()
        self.addCleanup(postgres.stop)
        gateway = self.start(store=postgres.url, limits={"memory": "64MiB"})
        asked = json.dumps({"model": "local/m", "input": "a" * (12 * MIB)}).encode()
        before = most = memory_of(gateway.pid)
        postgres.freeze()
        try:
            for _ in range(20):
                self.assertEqual(ask(gateway.port, body=asked, path="/v1/responses").status, 200)
                most = max(most, memory_of(gateway.pid))
        finally:
            postgres.thaw()
        if not SANITIZER:
            self.assertLess(most - before, 128 * MIB)
        self.assert_logs("too much waits for the store", gateway)
        self.assert_eventually(lambda: scrape(gateway.port, ADMIN).sum("runnel_memory_bytes") < MIB)
        gateway.stop()
