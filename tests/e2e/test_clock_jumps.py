"""A clock that is set forward or back while the gateway runs: streams end, limits and budgets hold, rows are found.
The clock is libfaketime's, which reads how far it is off from a file."""

import glob
import json
import os
import tempfile
import time
import unittest

from client import ask, chat_bytes, get, Client
from fake_upstream import FakeUpstream
from frames import frames_of
from gateway_test import LimitedTest, provider
from key_admin import ADMIN_TOKEN, bearer, make_key
from pace import SANITIZER, scaled
from redis_process import RedisProcess, find_redis
from runnel_process import RunnelProcess
from stalls import undisturbed

ADMIN = {"Authorization": f"Bearer {ADMIN_TOKEN}"}
HOUR = 3600
DAY = 24 * HOUR
JUMPS = (HOUR, -HOUR, DAY, -DAY)
PRICES = {"local/m": {"input": 0, "output": 0, "per_request": 0.01}}


def find_faketime():
    """The library, where it is installed; sanitizers want to be loaded before it."""
    found = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
    return found[0] if found and not SANITIZER else None


class Clock:
    """What a process takes for the time of day. Its steady clock is the real one."""

    def __init__(self):
        self.file = tempfile.NamedTemporaryFile("w", suffix=".clock", delete=False)
        self.file.close()
        self.set(0)

    def set(self, seconds):
        """So far off the real time; in one step, because processes read it at any moment."""
        with open(self.file.name + ".new", "w", encoding="ascii") as file:
            file.write(f"{seconds:+d}")
        os.rename(self.file.name + ".new", self.file.name)

    @property
    def environment(self):
        return {"LD_PRELOAD": find_faketime(), "FAKETIME_TIMESTAMP_FILE": self.file.name, "FAKETIME_NO_CACHE": "1",
                "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"}

    def remove(self):
        os.remove(self.file.name)


@unittest.skipUnless(find_faketime(), "libfaketime is not installed (package faketime), or this is a sanitizer build")
class ClockTest(LimitedTest):
    def setUp(self):
        super().setUp()
        self.upstream = FakeUpstream()
        self.addCleanup(self.upstream.close)

    def start(self, clock, **fields):
        config = {"admin": {"token": ADMIN_TOKEN}, "auth": {"mode": "keys"}, "prices": PRICES,
                  "providers": {"local": provider("openai-compatible", self.upstream.port)}, **fields}
        gateway = RunnelProcess(config, **clock.environment)
        self.addCleanup(gateway.stop)
        return gateway

    def new_clock(self):
        clock = Clock()
        self.addCleanup(clock.remove)
        return clock

    def new_key(self, gateway, **fields):
        key = make_key(gateway.port, name="k", **fields)
        self.assert_eventually(lambda: get(gateway.port, "/v1/models", headers=bearer(key)).status == 200)
        return key

    def record(self, gateway, response):
        path = f"/v1/logs/{response.headers['x-completion-id']}"
        self.assert_eventually(lambda: get(gateway.port, path, headers=ADMIN).status == 200)
        return get(gateway.port, path, headers=ADMIN).json()


class Jumps(ClockTest):
    def setUp(self):
        super().setUp()
        self.clock = self.new_clock()
        self.gateway = self.start(self.clock)
        self.port = self.gateway.port

    def streams_across(self, key, jump):
        """A stream during which the clock jumps; its response."""
        def fails(exchange):
            self.clock.set(jump // 2)
            time.sleep(0.1)
            exchange.reply(500, exchange.wire.error("no"))

        def streams(exchange):
            exchange.head()
            exchange.delta("one ")
            self.clock.set(jump)
            time.sleep(0.1)
            exchange.delta("two")
            exchange.finish()

        self.upstream.play(fails, streams)
        return ask(self.port, retries=1, headers=bearer(key))

    def test_the_clock_is_the_processes_own(self):
        """Or the other tests would show nothing."""
        key = self.new_key(self.gateway)
        self.clock.set(DAY)
        created = json.loads(ask(self.port, stream=False, headers=bearer(key)).body)["created"]
        self.assertAlmostEqual(created - time.time(), DAY, delta=scaled(30))

    def test_streams_end_and_their_times_are_times(self):
        key = self.new_key(self.gateway)
        seen = set()
        for jump in (*JUMPS, 0):
            with self.subTest(jump):
                begun = time.monotonic()
                response = self.streams_across(key, jump)
                frames_of(response.body)
                self.assertLess(undisturbed(begun), scaled(3))
                record = self.record(self.gateway, response)
                self.assertEqual((record["outcome"], len(record["attempts"])), ("ok", 2))
                times = [value for name, value in numbers_of(record) if name.endswith("ms") and name != "time_ms"]
                self.assertGreater(len(times), 3)
                for value in times:
                    self.assertTrue(0 <= value < scaled(5000), record)
                seen.add(record["id"])
        self.assertEqual(len(seen), 5)
        listed = get(self.port, "/v1/logs?limit=100", headers=ADMIN).json()["data"]
        self.assertLessEqual(seen, {record["id"] for record in listed})

    def test_a_place_comes_back(self):
        key = self.new_key(self.gateway, limits={"concurrency": 1})
        for jump in (*JUMPS, 0):
            with self.subTest(jump):
                self.assertEqual(self.streams_across(key, jump).status, 200)
                self.assertEqual(ask(self.port, headers=bearer(key)).status, 200)

    def test_minutes_are_not_the_clocks(self):
        key = self.new_key(self.gateway, limits={"rpm": 2})
        self.assertEqual([ask(self.port, headers=bearer(key)).status for _ in range(2)], [200, 200])
        for jump in (*JUMPS, 0):
            with self.subTest(jump):
                self.clock.set(jump)
                refused = ask(self.port, headers=bearer(key))
                self.assertEqual(refused.status, 429)
                self.assertLessEqual(int(refused.headers["retry-after"]), 60)
                reset = int(refused.headers["x-ratelimit-reset"]) - time.time() - jump
                self.assertTrue(-scaled(5) <= reset <= 61, reset)

    def test_days_are_the_clocks(self):
        key = self.new_key(self.gateway, limits={"rpd": 1})
        for jump, expected in ((0, 200), (0, 429), (DAY, 200), (DAY, 429), (0, 429), (-DAY, 200), (-DAY, 429), (0, 429)):
            with self.subTest(jump):
                self.clock.set(jump)
                self.assertEqual(ask(self.port, headers=bearer(key)).status, expected)

    def test_a_budget_holds(self):
        key = self.new_key(self.gateway, budget={"usd": 0.05, "period": "total"})
        statuses = []
        for jump in (0, *JUMPS, *JUMPS, 0):
            self.clock.set(jump)
            statuses.append(ask(self.port, headers=bearer(key)).status)
        self.assertEqual(statuses, [200] * 5 + [402] * 5)

    def test_a_budget_of_a_day_is_new_the_next_day_and_used_up_the_day_before(self):
        key = self.new_key(self.gateway, budget={"usd": 0.01, "period": "day"})
        for jump, expected in ((0, 200), (0, 402), (DAY, 200), (DAY, 402), (0, 402)):
            with self.subTest(jump):
                self.clock.set(jump)
                self.assertEqual(ask(self.port, headers=bearer(key)).status, expected)

    def test_keys_expire_by_the_clock(self):
        until = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 2 * HOUR))
        key = self.new_key(self.gateway, expires_at=until)
        for jump, expected in ((HOUR, 200), (DAY, 401), (-DAY, 200), (0, 200)):
            with self.subTest(jump):
                self.clock.set(jump)
                self.assertEqual(ask(self.port, headers=bearer(key)).status, expected)

    def test_pages_of_the_log_have_each_row_once(self):
        key = self.new_key(self.gateway)
        asked = []
        for jump in (0, *JUMPS, 0, *JUMPS):
            self.clock.set(jump)
            asked.append(ask(self.port, headers=bearer(key)).headers["x-completion-id"])
        self.clock.set(0)
        self.assertEqual(len(set(asked)), len(asked))

        def listed():
            ids, after = [], ""
            while True:
                page = get(self.port, f"/v1/logs?limit=3&after={after}", headers=ADMIN).json()
                ids += [record["id"] for record in page["data"]]
                if not page["has_more"]:
                    return ids
                after = page["last_id"]

        self.assert_eventually(lambda: set(asked) <= set(listed()))
        self.assertEqual(len(listed()), len(set(listed())))


@unittest.skipUnless(find_redis(), "redis-server is not installed")
class TwoClocks(ClockTest):
    def test_a_budget_is_one_for_machines_that_do_not_agree_on_the_time(self):
        redis = RedisProcess()
        self.addCleanup(redis.stop)
        folder = tempfile.TemporaryDirectory(prefix="runnel-e2e-clocks-")
        self.addCleanup(folder.cleanup)
        clocks = [self.new_clock(), self.new_clock()]
        gateways = [self.start(clock, shared=redis.url, data=folder.name) for clock in clocks]
        key = self.new_key(gateways[0], budget={"usd": 0.1, "period": "total"}, limits={"concurrency": 1})
        self.assert_eventually(lambda: get(gateways[1].port, "/v1/models", headers=bearer(key)).status == 200)
        for number in range(20):
            clocks[1].set((HOUR, -HOUR, DAY, -DAY, 0)[number % 5])
            ask(gateways[number % 2].port, headers=bearer(key))
        self.assertEqual(len(self.upstream.requests), 10)

        # A place that one of them has is taken for the other, and free when it is given back.
        plenty = self.new_key(gateways[0], limits={"concurrency": 1})
        self.assert_eventually(lambda: get(gateways[1].port, "/v1/models", headers=bearer(plenty)).status == 200)
        clocks[1].set(DAY)

        def script(exchange):
            exchange.head()
            exchange.delta("x")
            exchange.hold()

        self.upstream.play(script)
        with Client(gateways[0].port) as client:
            client.send(chat_bytes(headers=bearer(plenty)))
            client.head()
            self.assertEqual(ask(gateways[1].port, headers=bearer(plenty)).status, 429)
        self.assert_eventually(lambda: ask(gateways[1].port, headers=bearer(plenty)).status == 200)


def numbers_of(value, name=""):
    """All numbers in a JSON value, with the names of their fields."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield from numbers_of(member, key)
    elif isinstance(value, list):
        for member in value:
            yield from numbers_of(member, name)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield name, value
