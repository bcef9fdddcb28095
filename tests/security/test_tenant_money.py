"""One tenant's limits and budgets against what it sends: prices, versions, thinking, fees, and requests that are not waited for."""

import json
import threading

from attack_table import attack
from client import ask, chat_bytes, get
from key_admin import admin, bearer
from pace import LIMIT
from runnel_process import RunnelProcess
from tenant_test import TenantTest


class MoneyOfTenants(TenantTest):
    fields = {"prices": dict.fromkeys(["local/priced", "local/too"], {"input": 0, "output": 0, "per_request": 0.02}),
              "models": {"free-for-all": {"targets": ["llama/m"]},
                         "mixed": {"targets": ["llama/m", "local/too"]},
                         "local/priced": {"targets": ["local/priced"], "budget": {"usd": 0.05}},
                         "cheap": {"targets": ["local/priced"]},
                         "local/base": {"targets": ["local/base"], "budget": {"usd": 0.05}}},
              "tool_fees": {"calculator": 0.01}}
    fields["prices"].update({"local/base*": {"input": 0, "output": 0, "per_request": 0.02},
                             "local/read": {"input": 1000, "output": 1000}})

    def spent(self, key):
        balance = get(self.runnel.port, "/v1/balance", headers=bearer(key)).json()["key"]
        return balance["spent_usd"] if not balance["reserved_usd"] else 0

    @attack("tenant", "long prompts, and a hang-up or a time-out of its own before the answer begins",
            "what the provider read is paid for")
    def test_who_does_not_wait_pays_for_what_was_read(self):
        self.upstream.script = lambda exchange: exchange.hold()
        key = self.key(budget={"usd": 100})
        self.assert_error(self.chat(key, model="local/read", text="word " * 300, timeout=200), 504, "upstream_timeout")
        self.assert_eventually(lambda: 0.5 < self.spent(key) < 0.6)
        for stream in (True, False):
            key = self.key(budget={"usd": 100})
            asked = len(self.upstream.requests)
            client = self.connect()
            client.send(chat_bytes(model="local/read", text="word " * 300, stream=stream, headers=bearer(key)))
            self.assert_eventually(lambda: len(self.upstream.requests) > asked)
            client.close()
            self.assert_eventually(lambda: 0.5 < self.spent(key) < 0.6)

    @attack("tenant", "many at once that may write one token each, and think for 60,000",
            "thinking is reserved too: the budget is overdrawn by one request at most")
    def test_thinking_goes_round_no_budget(self):
        key, waits = self.key(budget={"usd": 1}), threading.Event()

        def think(exchange):
            waits.wait(LIMIT)
            exchange.reply(200, exchange.wire.whole("x", usage=(5, 60_000)))

        self.upstream.script = think
        request = {"model": "claude/claude-sonnet-4-5", "max_tokens": 1, "stream": False,
                   "thinking": {"type": "enabled", "budget_tokens": 60_000}}
        first = self.connect()
        first.send(chat_bytes(**request, headers=bearer(key)))
        self.assert_eventually(lambda: len(self.upstream.requests) == 1)
        self.assertEqual(self.upstream.requests[0].json()["max_tokens"], 60_001)
        for _ in range(5):
            self.assert_error(self.chat(key, **request), 402, "key_spend_limit_reached")
        waits.set()
        self.assertEqual(first.response().status, 200)
        absurd = {**request, "max_tokens": 2**63 - 1}
        self.assert_error(self.chat(key, **absurd), 400, "invalid_value", param="max_tokens")

    def test_what_a_provider_refuses_is_free(self):
        self.upstream.script = lambda exchange: exchange.reply(400, b'{"error":{"message":"no"}}')
        key = self.key(budget={"usd": 100})
        self.assertEqual(self.chat(key, model="local/read", text="word " * 300, timeout=5000).status, 400)
        self.assert_eventually(
            lambda: get(self.runnel.port, "/v1/balance", headers=bearer(key)).json()["key"]["reserved_usd"] == 0)
        self.assertEqual(self.spent(key), 0)

    @attack("tenant", "a tool with a fee, run by hand, with a key that has a budget", "403: no budget would count it")
    def test_fees_go_round_no_budget(self):
        run = {"tool": "calculator", "args": {"expression": "6*7"}}
        response = self.post(self.key(budget={"usd": 1}), "/v1/tools/execute", run)
        self.assert_error(response, 403, "insufficient_scope", param="tool")
        self.assertEqual(self.post(self.key(), "/v1/tools/execute", run).status, 200)

    @attack("tenant", "versions of a model whose budget is spent, and after a restart", "402")
    def test_versions_go_round_no_budget(self):
        key = self.key()
        models = ("local/base-2026-08-07", "local/base", "local/base-latest", "local/base-2026-08-07")
        self.assertEqual([self.chat(key, model=model).status for model in models], [200, 200, 200, 402])
        self.assert_eventually(lambda: admin(self.runnel.port, "GET", "/admin/v1/logs?status=200&count=true&model=local%2Fbase-latest")
                               .json()["count"] == 1)
        with open(self.runnel.config_file, encoding="utf-8") as file:
            another = RunnelProcess(json.load(file))
        self.addCleanup(another.stop)
        self.assert_error(ask(another.port, headers=bearer(key), model="local/base"), 402, "insufficient_balance")

    @attack("tenant", "a model without a price, with a key that has a budget", "403 with the cure; priced ones are asked")
    def test_unpriced_models_under_a_budget(self):
        key = self.key(budget={"usd": 1})
        for model in ("llama/m", "free-for-all", "@llama/m"):
            response = self.chat(key, model=model)
            self.assert_error(response, 403, "model_not_allowed", param="model")
            self.assertIn("`prices`", response.error["message"])
            self.assertIn("unpriced: allow", response.error["message"])
        self.assertEqual(self.upstream.requests, [])
        self.assertEqual(self.chat(key, model="demo/echo").status, 200)
        self.assertEqual(self.chat(self.key(), model="llama/m").status, 200, "without a budget nothing is counted")
        response = self.chat(key, model="mixed")
        self.assertEqual(response.status, 200)
        self.assertIn("unpriced_target_skipped", response.headers["x-gateway-warnings"])
        self.assertEqual(self.upstream.requests[-1].json()["model"], "too")

    @attack("tenant", "a model's spent budget, under other names, and after a restart", "402")
    def test_names_go_round_no_budget(self):
        key = self.key()
        statuses = [self.chat(key, model=model).status for model in ("cheap", "@local/priced", "cheap", "cheap")]
        self.assertEqual(statuses, [200, 200, 200, 402])
        self.assert_eventually(lambda: admin(self.runnel.port, "GET", "/admin/v1/logs?status=200&count=true&model=local%2Fpriced")
                               .json()["count"] >= 3)
        with open(self.runnel.config_file, encoding="utf-8") as file:
            another = RunnelProcess(json.load(file))  # it has the same store, and nothing in memory
        self.addCleanup(another.stop)
        for model in ("cheap", "local/priced", "@local/priced"):
            response = ask(another.port, headers=bearer(key), model=model)
            self.assert_error(response, 402, "insufficient_balance")
