"""Who may spend what: rates, budgets and the cache, in one process and in several that share Redis."""

import json
import tempfile
import threading

from client import Client, ask, chat_bytes, get
from fake_upstream import FakeUpstream
from gateway_test import GatewayTest, LimitedTest, provider
from key_admin import ADMIN_TOKEN, admin, bearer, make_key
from pace import scaled
from replicas_test import ReplicasTest
from runnel_process import RunnelProcess
from tools_test import call

ADMIN = {"Authorization": f"Bearer {ADMIN_TOKEN}"}
# The fake upstream reports 7 tokens in and 2 out: with these prices a request costs a cent.
PRICES = {"local/m": {"input": 0, "output": 0, "per_request": 0.01}}


class Limits(GatewayTest):
    config = {"admin": {"token": ADMIN_TOKEN}, "auth": {"mode": "keys"}, "prices": PRICES}

    def test_requests_per_minute(self):
        key = make_key(self.runnel.port, name="rpm", limits={"rpm": 2})
        first, second = self.ask(headers=bearer(key)), self.ask(headers=bearer(key))
        self.assertEqual((first.headers["x-ratelimit-limit"], first.headers["x-ratelimit-remaining"]), ("2", "1"))
        self.assertEqual((second.status, second.headers["x-ratelimit-remaining"]), (200, "0"))
        refused = self.ask(headers=bearer(key))
        self.assert_error(refused, 429, "rate_limit_exceeded", kind="rate_limit_error")
        self.assertLessEqual(int(refused.headers["retry-after"]), 60)
        self.assertGreater(int(refused.headers["x-ratelimit-reset"]), 1_700_000_000)
        self.assertEqual(self.ask(headers=bearer(make_key(self.runnel.port, name="other"))).status, 200)

    def test_a_refused_request_counts_nothing(self):
        key = make_key(self.runnel.port, name="bad", limits={"rpm": 1})
        for _ in range(3):
            self.assert_error(self.ask(headers=bearer(key), body=b"{"), 400)
        self.assertEqual(self.ask(headers=bearer(key)).status, 200)

    def test_streams_at_a_time(self):
        key = make_key(self.runnel.port, name="two", limits={"concurrency": 2})
        self.upstream.play(*[lambda exchange: (exchange.head(), exchange.delta("a"), exchange.hold())] * 2)
        open_streams = [Client(self.runnel.port) for _ in range(2)]
        for client in open_streams:
            client.send(chat_bytes(headers=bearer(key)))
            self.assertEqual(client.head().status, 200)
        self.assert_error(self.ask(headers=bearer(key)), 429, "concurrency_limit_exceeded")
        open_streams.pop().close()
        self.assert_eventually(lambda: self.ask(headers=bearer(key)).status == 200)
        open_streams.pop().close()

    def test_a_budget_ends(self):
        key = make_key(self.runnel.port, name="three cents", budget={"usd": 0.03})
        for _ in range(3):
            self.assertEqual(self.ask(headers=bearer(key)).status, 200)
        calls = len(self.upstream.requests)
        self.assert_error(self.ask(headers=bearer(key)), 402, "key_spend_limit_reached", kind="billing_error")
        self.assertEqual(len(self.upstream.requests), calls)
        spent = lambda: get(self.runnel.port, "/v1/usage", headers=bearer(key)).json()["data"]
        self.assert_eventually(lambda: spent() and abs(spent()[0]["cost_usd"] - 0.03) < 1e-9)

    def test_what_failed_before_it_said_anything_is_not_paid_for(self):
        key = make_key(self.runnel.port, name="one cent", budget={"usd": 0.01})
        self.upstream.play(*[lambda exchange: exchange.reply(400, exchange.wire.error("no"))] * 3)
        for _ in range(3):
            self.assert_error(self.ask(headers=bearer(key)), 400)
        self.assertEqual(self.ask(headers=bearer(key)).status, 200)
        self.assert_error(self.ask(headers=bearer(key)), 402)


class Balance(GatewayTest):
    config = {"admin": {"token": ADMIN_TOKEN}, "auth": {"mode": "keys"}, "prices": PRICES,
              "teams": {"blue": {"budget": {"usd": 0.05, "period": "day"}}}}

    def balance(self, key):
        response = get(self.runnel.port, "/v1/balance", headers=bearer(key))
        self.assertEqual(response.status, 200, response.body)
        self.assertEqual(response.headers["cache-control"], "no-store")
        return response.json()

    def test_what_is_left(self):
        key = make_key(self.runnel.port, team="blue", budget={"usd": 0.03, "period": "month"})
        before = self.balance(key)
        told = before["key"]
        self.assertEqual((told["limit_usd"], told["spent_usd"], told["remaining_usd"]), (0.03, 0, 0.03))
        self.assertEqual((before["team"]["period"], before["team"]["limit_usd"]), ("day", 0.05))
        for budget in (before["key"], before["team"]):
            self.assertRegex(budget["resets_at"], r"^20\d\d-\d\d-\d\dT00:00:00Z$")
        self.assertEqual(self.ask(headers=bearer(key)).status, 200)
        # The end of a stream comes a moment before it is settled.
        self.assert_eventually(lambda: self.balance(key)["key"]["reserved_usd"] == 0)
        after = self.balance(key)
        self.assertEqual((after["key"]["spent_usd"], after["key"]["remaining_usd"]), (0.01, 0.02))
        self.assertEqual(after["remaining_usd"], 0.02)
        # A colleague sees the team's share of it, and has a budget of her own, or none.
        self.assertEqual(self.balance(make_key(self.runnel.port, team="blue"))["team"]["spent_usd"], after["team"]["spent_usd"])

    def test_what_a_stream_may_cost_is_reserved(self):
        key = make_key(self.runnel.port, budget={"usd": 1})
        self.upstream.play(lambda exchange: (exchange.head(), exchange.delta("a"), exchange.hold()))
        with Client(self.runnel.port) as client:
            client.send(chat_bytes(headers=bearer(key)))
            self.assertEqual(client.head().status, 200)
            told = self.balance(key)["key"]
            self.assertEqual((told["spent_usd"], told["reserved_usd"], told["remaining_usd"]), (0, 0.01, 0.99))
            self.assertIsNone(told["resets_at"])
        self.assert_eventually(lambda: self.balance(key)["key"]["reserved_usd"] == 0)

    def test_without_a_budget_it_is_null(self):
        none = {"object": "balance", "remaining_usd": None, "key": None, "team": None}
        self.assertEqual(self.balance(make_key(self.runnel.port, team="green")), none)
        writer = make_key(self.runnel.port, scopes=["chat:write"])
        self.assert_error(get(self.runnel.port, "/v1/balance", headers=bearer(writer)), 403, "insufficient_scope")
        self.assert_error(get(self.runnel.port, "/v1/balance"), 401, "missing_api_key")


class Rounds(GatewayTest):
    config = {"admin": {"token": ADMIN_TOKEN}, "auth": {"mode": "keys"}, "prices": PRICES,
              "models": {"worker": {"targets": ["local/m"], "tools": ["now"]}}}

    def test_a_budget_may_end_between_two_rounds(self):
        made = {"role": "assistant", "content": None, "tool_calls": [call("now", "{}")]}
        whole = {"choices": [{"index": 0, "finish_reason": "tool_calls", "message": made}],
                 "usage": {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}}
        key = make_key(self.runnel.port, name="a cent and a half", budget={"usd": 0.015})
        self.upstream.play(lambda exchange: exchange.reply(200, json.dumps(whole).encode()))
        self.assert_error(self.ask(headers=bearer(key), model="worker", stream=False), 402, "insufficient_balance")
        self.assertEqual(len(self.upstream.requests), 1)
        # The first round was paid for, and half a cent is left.
        self.assertEqual(self.ask(headers=bearer(key)).status, 200)
        self.assert_error(self.ask(headers=bearer(key)), 402, "key_spend_limit_reached")


class Cache(GatewayTest):
    config = {"cache": {"ttl": "1h"}}

    def cache(self, **request):
        response = self.ask(**request)
        self.assertEqual(response.status, 200, response.body)
        return response.headers.get("x-cache")

    def test_the_same_question_is_asked_once(self):
        self.assertEqual(self.cache(text="one"), "MISS")
        self.assertEqual(self.cache(text="one"), "HIT")
        self.assertEqual(self.cache(text="one", stream=False), "HIT")
        self.assertEqual(self.cache(text="one", max_tokens=5), "MISS")
        self.assertEqual(self.cache(text="one", headers={"X-Cache": "no-cache"}), "BYPASS")
        self.assertEqual(len(self.upstream.requests), 3)

    def test_an_answer_again_is_a_proper_stream_with_an_id_of_its_own(self):
        first, again = (self.ask(text="proper") for _ in range(2))
        self.assertNotEqual(first.headers["x-completion-id"], again.headers["x-completion-id"])
        strip = lambda response: response.body.replace(response.headers["x-completion-id"].encode(), b"ID")
        without_time = lambda body: b"".join(part for part in body.split(b'"created":')[:1])
        self.assertEqual(without_time(strip(first)), without_time(strip(again)))
        self.assertTrue(again.body.endswith(b"data: [DONE]\n\n"))

    def test_tools_and_bad_ends_are_not_kept(self):
        tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
        self.assertEqual([self.cache(text="tools", tools=tools) for _ in range(2)], ["BYPASS", "BYPASS"])
        self.upstream.play(lambda exchange: (exchange.head(), exchange.delta("a"), exchange.finish("length"),
                                             exchange.body(exchange.end_bytes())))
        self.assertEqual(self.cache(text="long"), "MISS")
        self.assertEqual(self.cache(text="long"), "MISS")

    def test_many_at_once_are_one_call(self):
        self.upstream.play(lambda exchange: exchange.stream("a", "b", gap=scaled(0.15)))
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(self.ask(text="at once", stream=False))) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual({answer.status for answer in answers}, {200})
        self.assertEqual(len({answer.json()["choices"][0]["message"]["content"] for answer in answers}), 1)
        self.assertEqual(len(self.upstream.requests), 1)


class AfterARestart(LimitedTest):
    MODEL_ID = "3f2c1f9e-6a53-4bb7-9d0e-1f6a7c2b8d10"

    def test_a_models_budget_counts_whatever_it_was_called(self):
        upstream = FakeUpstream()
        self.addCleanup(upstream.close)
        folder = tempfile.TemporaryDirectory(prefix="runnel-e2e-spending-")
        self.addCleanup(folder.cleanup)
        model = {"targets": ["local/m"], "budget": {"usd": 0.05}, "id": self.MODEL_ID}
        config = {"data": folder.name, "prices": PRICES, "models": {"fast": model}, "aliases": {"quick": "fast"},
                  "default_model": "quick", "providers": {"local": provider("openai-compatible", upstream.port)}}
        for names, statuses in ((("fast", "quick", self.MODEL_ID, None), [200] * 4), (("fast", "quick", "fast", None), [200] + [402] * 3)):
            gateway = RunnelProcess(config)
            try:
                told = []
                for name in names:
                    body = {"messages": [{"role": "user", "content": "Hi"}], **({"model": name} if name else {})}
                    told.append(ask(gateway.port, body=json.dumps(body).encode()).status)
            finally:
                gateway.stop()
            self.assertEqual(told, statuses)


class Replicas(ReplicasTest):
    REQUESTS = 300

    def setUp(self):
        super().setUp()
        self.start(cache={})

    def spend(self, key, count, first=0):
        """So many requests at once, spread over the gateways; how they were answered."""
        statuses = []

        def one(number):
            try:
                statuses.append(ask(self.gateways[number % 3].port, text=f"n{number}", headers=bearer(key)).status)
            except (OSError, EOFError, AssertionError):
                statuses.append(0)  # the gateway was killed

        threads = [threading.Thread(target=one, args=(first + number,)) for number in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return statuses

    def test_a_dollar_is_a_dollar_on_three_machines(self):
        key = self.new_key(budget={"usd": 1.0})
        statuses = self.spend(key, self.REQUESTS)
        self.assertEqual(set(statuses), {200, 402})
        self.assertLessEqual(len(self.upstream.requests), 101)
        self.assertGreaterEqual(len(self.upstream.requests), 95)
        self.assertEqual(set(self.spend(key, 30, first=1000)) - {402}, set(), "the dollar was spent")
        for gateway in self.gateways:
            told = lambda: get(gateway.port, "/v1/balance", headers=bearer(key)).json()["key"]
            self.assert_eventually(lambda: told()["reserved_usd"] == 0)
            self.assertEqual(told()["remaining_usd"], 0)
            self.assertAlmostEqual(told()["spent_usd"], len(self.upstream.requests) / 100)

    def test_also_when_one_of_them_is_killed(self):
        key = self.new_key(budget={"usd": 1.0})
        killer = threading.Timer(scaled(0.15), self.gateways[1].kill)
        killer.start()
        self.spend(key, self.REQUESTS)
        killer.join()
        self.gateways[1] = RunnelProcess(self.config)
        self.spend(key, self.REQUESTS, first=2000)
        self.assertLessEqual(len(self.upstream.requests), 101)

    def test_redis_that_goes_and_comes_back_stops_nobody(self):
        key = self.new_key(budget={"usd": 100.0})
        self.assertEqual(set(self.spend(key, 9)), {200})
        self.redis.kill()
        self.assertEqual(set(self.spend(key, 9, first=100)), {200})
        self.redis.start()
        self.assertEqual(set(self.spend(key, 9, first=200)), {200})

    def test_an_answer_of_one_is_an_answer_of_all(self):
        key = self.new_key()
        self.assertEqual(ask(self.gateways[0].port, text="shared", headers=bearer(key)).headers["x-cache"], "MISS")
        self.assert_eventually(
            lambda: ask(self.gateways[1].port, text="shared", headers=bearer(key)).headers["x-cache"] == "HIT")
        self.assertEqual(admin(self.gateways[2].port, "GET", "/admin/v1/usage").status, 200)
