"""Limits by what they count and for whom, and prices by the numbers (spec S21.1, S21.2, S21.5, S21.7)."""

import json

from client import get
from frames import error_of, frames_of
from gateway_test import GatewayTest, KINDS
from key_admin import ADMIN_TOKEN, bearer, make_key

ADMIN = {"Authorization": f"Bearer {ADMIN_TOKEN}"}
MODEL_ID = "3f2c1f9e-6a53-4bb7-9d0e-1f6a7c2b8d10"


class LimitsTest(GatewayTest):
    def key(self, **fields):
        return bearer(make_key(self.runnel.port, name="k", **fields))

    def statuses(self, count, headers, **request):
        return [self.ask(headers=headers, **request).status for _ in range(count)]

    def record(self, response):
        path = f"/v1/logs/{response.headers['x-request-id']}"
        self.assert_eventually(lambda: get(self.runnel.port, path, headers=ADMIN).status == 200)
        return get(self.runnel.port, path, headers=ADMIN).json()


class ForKeys(LimitsTest):
    """Every answer of the fake upstream has 7 tokens in and 2 out."""
    config = {"admin": {"token": ADMIN_TOKEN}, "auth": {"mode": "keys"}, "teams": {"blue": {"budget": {"usd": 0.03}}},
              "prices": {"local/m": {"input": 0, "output": 0, "per_request": 0.01}},
              "limits": {"reserved_output_tokens": 1},
              "models": {"one": {"targets": ["local/m"]}, "two": {"targets": ["local/m"]},
                         "few": {"targets": ["local/m"], "limits": {"rpm": 1}}}}

    def test_tokens_count_in_and_out_and_as_they_were(self):
        for limit in ("tpm", "tpd"):
            with self.subTest(limit):
                headers = self.key(limits={limit: 10})  # 9 are used: one is left
                self.assertEqual(self.statuses(3, headers), [200, 200, 429])

    def test_requests_of_a_day(self):
        headers = self.key(limits={"rpd": 2})
        response = self.ask(headers=headers)
        self.assertEqual((response.headers["x-ratelimit-limit"], response.headers["x-ratelimit-remaining"]), ("2", "1"))
        self.assertEqual(int(response.headers["x-ratelimit-reset"]) % 86400, 0)
        self.assertEqual(self.statuses(2, headers), [200, 429])

    def test_one_model_of_a_key(self):
        headers = self.key(model_limits={"one": {"rpm": 1}})
        self.assertEqual(self.statuses(2, headers, model="one"), [200, 429])
        self.assertEqual(self.statuses(2, headers, model="two"), [200, 200])

    def test_one_model_of_everybody(self):
        self.assertEqual(self.statuses(1, self.key(), model="few"), [200])
        self.assertEqual(self.statuses(1, self.key(), model="few"), [429])

    def test_what_fails_at_the_provider_has_reached_it(self):
        headers = self.key(limits={"rpm": 1})
        self.upstream.play(lambda exchange: exchange.reply(400, exchange.wire.error("no")))
        self.assertEqual(self.statuses(2, headers), [400, 429])

    def test_a_team_has_one_budget(self):
        keys = [self.key(team="blue"), self.key(team="blue", budget={"usd": 100})]
        for number in range(3):
            self.assertEqual(self.ask(headers=keys[number % 2]).status, 200)
        for headers in keys:
            self.assert_error(self.ask(headers=headers), 402, "insufficient_balance")
        self.assertEqual(self.ask(headers=self.key(team="green")).status, 200)

    def test_a_keys_own_cap_is_named(self):
        headers = self.key(team="red", budget={"usd": 0.01})
        self.assertEqual(self.ask(headers=headers).status, 200)
        self.assert_error(self.ask(headers=headers), 402, "key_spend_limit_reached")


class ForAddresses(LimitsTest):
    config = {"limits": {"each_address": {"rpm": 3}}}

    def test_an_address_without_a_key(self):
        self.assertEqual(self.statuses(4, {}), [200, 200, 200, 429])


class ForPages(LimitsTest):
    config = {"admin": {"token": ADMIN_TOKEN}, "auth": {"mode": "keys"}, "limits": {"each_browser_key_address": {"rpm": 1}},
              "models": {"open": {"targets": ["local/m"], "id": MODEL_ID}}}

    def test_each_visitor_of_a_page_has_so_much(self):
        headers = self.key(kind="browser")
        self.assertEqual(self.statuses(2, headers, model=MODEL_ID), [200, 429])
        self.assertEqual(self.statuses(2, self.key()), [200, 200])


class Prices(LimitsTest):
    PRICE = {"input": 3.00, "output": 15.00, "cache_read": 0.30, "cache_write": 3.75}
    config = {"admin": {"token": ADMIN_TOKEN}, "prices": dict.fromkeys([f"{name}/*" for name in KINDS], PRICE)}

    def cost(self, response):
        return self.record(response)["cost"]["usd"]

    def test_tokens_times_prices(self):
        def script(exchange):
            exchange.head()
            exchange.delta("x")
            exchange.finish("stop", (2000, 500))

        for name in KINDS:
            with self.subTest(name):
                self.upstream.play(script)
                record = self.record(self.ask(model=f"{name}/m"))
                self.assertEqual((record["cost"]["usd"], record["usage"]["provenance"]), (0.0135, "reported"))
                self.assertAlmostEqual(sum(line["amount_usd"] for line in record["cost"]["lines"]), 0.0135, places=9)

    def test_what_is_read_from_a_cache_has_its_own_price(self):
        def script(exchange):
            exchange.head()
            exchange.delta("x")
            usage = {"prompt_tokens": 2000, "completion_tokens": 500, "total_tokens": 2500,
                     "prompt_tokens_details": {"cached_tokens": 1000}}
            tail = {"id": "u1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [], "usage": usage}
            exchange.body(exchange.wire.finish_reason() + b"data: " + json.dumps(tail).encode() + b"\n\n")
            exchange.raw(exchange.framed(exchange.wire.terminal) + exchange.end_bytes())

        self.upstream.play(script)
        self.assertAlmostEqual(self.cost(self.ask()), 0.003 + 0.0003 + 0.0075, places=9)

    def test_what_failed_before_any_output_is_free(self):
        self.upstream.play(lambda exchange: exchange.reply(500, exchange.wire.error("no")))
        response = self.ask(retries=0)
        self.assertEqual(response.status, 502, response.body)
        self.assertEqual(self.cost(response), 0)

    def test_what_was_cut_after_output_is_charged(self):
        def script(exchange):
            exchange.head()
            for _ in range(100):
                exchange.delta("word ")
            exchange.fin()

        self.upstream.play(script)
        response = self.ask(retries=0)
        self.assertIsNotNone(error_of(frames_of(response.body)))
        record = self.record(response)
        self.assertEqual(record["usage"]["provenance"], "estimated")
        self.assertTrue(80 <= record["usage"]["output"] <= 200, record["usage"])
        self.assertGreaterEqual(record["cost"]["usd"], record["usage"]["output"] * 15e-6)

    def test_a_model_without_a_price_has_no_cost(self):
        self.assertIsNone(self.cost(self.ask(model="demo/text")))
