"""Limits by what they count and for whom, and prices by the numbers."""

import json
import time

from client import get
from frames import error_of, frames_of
from gateway_test import GatewayTest, KINDS
from key_admin import ADMIN_TOKEN, admin, bearer, make_key
from tools_test import SlowTool, ToolsTest

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


class Shown(LimitsTest):
    """How the limits stand is told with everything that a caller is answered."""
    config = {"admin": {"token": ADMIN_TOKEN}, "auth": {"mode": "keys"}, "cache": {"ttl": "1h"},
              "limits": {"request_body": "4KiB"},
              "models": {"kept": {"targets": ["local/m"], "cached": True}, "few": {"targets": ["local/m"], "limits": {"rpm": 3}}}}

    def assert_shown(self, response, limit, remaining):
        told = {name: response.headers.get(f"x-ratelimit-{name}") for name in ("limit", "remaining", "reset")}
        self.assertEqual((told["limit"], told["remaining"]), (str(limit), str(remaining)), (response.status, told))
        self.assertTrue(0 < int(told["reset"]) - time.time() <= 61, told)

    def test_with_what_uses_nothing_up(self):
        headers = self.key(limits={"rpm": 5}, scopes=["chat:write", "models:read"])
        self.assert_shown(get(self.runnel.port, "/v1/models", headers=headers), 5, 5)
        self.assert_shown(self.ask(headers=headers), 5, 4)
        refusals = {400: self.ask(headers=headers, body=b"{"), 404: self.ask(headers=headers, model="no/such"),
                    403: get(self.runnel.port, "/v1/logs", headers=headers),
                    405: get(self.runnel.port, "/v1/chat/completions", headers=headers),
                    415: self.ask(headers={**headers, "Content-Type": "text/html"}),
                    413: self.ask(headers=headers, user="u" * 5000)}
        for status, response in refusals.items():
            with self.subTest(status):
                self.assertEqual(response.status, status, response.body)
                self.assert_shown(response, 5, 4)
        self.assert_shown(get(self.runnel.port, "/api/v1/models/kept", headers=headers), 5, 4)
        for path in ("/healthz", "/openapi.json"):
            self.assertNotIn("x-ratelimit-limit", get(self.runnel.port, path, headers=headers).headers)

    def test_with_what_the_cache_has(self):
        headers = self.key(limits={"rpm": 5})
        for state in ("MISS", "HIT", "HIT"):
            response = self.ask(headers=headers, model="kept")
            self.assertEqual(response.headers["x-cache"], state)
            self.assert_shown(response, 5, 4)

    def test_of_the_model_that_was_asked(self):
        headers = self.key(limits={"rpm": 5})
        self.assert_shown(self.ask(headers=headers, model="few"), 3, 2)
        self.assert_shown(self.ask(headers=headers, model="few", stream_dialect="none"), 3, 2)

    def test_only_where_there_are_any(self):
        headers = self.key(limits={"tpm": 5000, "concurrency": 3})
        for response in (self.ask(headers=headers), get(self.runnel.port, "/v1/models", headers=headers),
                         get(self.runnel.port, "/v1/models")):
            self.assertNotIn("x-ratelimit-limit", response.headers)


class ForEndpoints(LimitsTest):
    config = {"admin": {"token": ADMIN_TOKEN}, "auth": {"mode": "keys"},
              "limits": {"endpoints": {"/v1/models": {"rpm": 2}, "/v1/chat/completions": {"rpm": 1},
                                       "/v1/tools/execute": {"rpd": 1}}},
              "models": {"clock": {"targets": ["local/m"], "tools": ["now"]}}}

    def models(self, headers, path="/v1/models"):
        return get(self.runnel.port, path, headers=headers)

    def test_each_key_has_so_much_of_one_endpoint(self):
        headers = self.key(limits={"rpm": 50})
        answers = [self.models(headers), self.models(headers, "/api/v1/models/clock"), self.models(headers)]
        self.assertEqual([answer.status for answer in answers], [200, 200, 429])
        self.assertEqual([answer.headers["x-ratelimit-remaining"] for answer in answers], ["1", "0", "0"])
        self.assert_error(answers[2], 429, "rate_limit_exceeded")
        self.assertIn("for this key at /v1/models", answers[2].json()["error"]["message"])
        self.assertLessEqual(int(answers[2].headers["retry-after"]), 60)
        self.assertEqual(self.models(self.key()).status, 200)
        self.assertEqual(get(self.runnel.port, "/v1/usage", headers=headers).headers["x-ratelimit-limit"], "50")
        self.assertEqual(self.statuses(2, headers), [200, 429])

    def test_what_is_refused_counts_nothing(self):
        headers = self.key()
        for _ in range(3):
            self.assertEqual(self.models(headers, "/v1/models/no/such").status, 404)
        self.assertEqual(self.models(headers).headers["x-ratelimit-remaining"], "1")

    def test_tools(self):
        headers = self.key()
        run = lambda tool: admin(self.runnel.port, "POST", "/v1/tools/execute", {"tool": tool, "args": {}}, headers)
        self.assertEqual([run(tool).status for tool in ("none", "now", "now")], [404, 200, 429])

    def test_the_admin_is_not_limited(self):
        for _ in range(3):
            self.assertEqual(get(self.runnel.port, "/v1/logs", headers=ADMIN).status, 200)


class AtATime(ToolsTest):
    limits = {"endpoints": {"/v1/tools/execute": {"concurrency": 1}}}

    def begin(self, seconds):
        client = self.connect()
        body = json.dumps({"tool": "nap", "args": {"seconds": seconds}}).encode()
        client.request("POST", "/v1/tools/execute", body, {"Content-Type": "application/json"})
        return client

    def test_a_place_is_free_when_its_caller_is_gone(self):
        first = self.begin(20)
        self.assert_eventually(lambda: SlowTool.asked)
        refused = self.begin(0.01).response()
        self.assert_error(refused, 429, "concurrency_limit_exceeded")
        self.assertIn("for this address at /v1/tools/execute", refused.error["message"])
        first.close()
        self.assert_eventually(lambda: self.begin(0.01).response().status == 200)


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
