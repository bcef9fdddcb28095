"""GET /metrics: exact, bounded, and what the dashboard and the alerts are made of."""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from client import ask, chat_body, chat_bytes, eventually, get
from fake_upstream import InStep, speak
from gateway_test import GatewayTest
from key_admin import ADMIN_TOKEN
from metrics_page import scrape
from pace import LIMIT
from provider_wires import USAGE
from tools_test import call, calls, says

ROOT = Path(__file__).resolve().parents[2]
DASHBOARD = ROOT / "deploy/grafana/runnel-dashboard.json"
RULES = ROOT / "deploy/prometheus/rules.yaml"
RULES_TEST = ROOT / "deploy/prometheus/rules_test.yaml"
REFERENCE = ROOT / "docs/metrics.md"

PROMTOOL = shutil.which("promtool") or shutil.which(ROOT / "build/tools/promtool")
METRIC = re.compile(r"\b(?:runnel|process)_[a-z_]+")


def refuse(status):
    return lambda exchange: exchange.reply(status, b"{}")


class MetricsTest(GatewayTest):
    provider_fields = {"retries": 0}
    config = {
        "threads": 2,
        "cache": {},
        "prices": {"local/m": {"input": 1000, "output": 10000}},
        "guardrails": [{"name": "codenames", "words": ["falcon"], "action": "redact"}],
        "models": {"fast": {"targets": ["local/m"]}, "safe": {"targets": ["local/m", "llama/m"]},
                   "op": {"targets": ["local/m"], "tools": ["calculator"]},
                   "racing": {"targets": ["local/m", "llama/m"], "hedge": {"after": "50ms"}}},
        "aliases": {"quick": "fast"},
    }

    def setUp(self):
        super().setUp()
        self.before = scrape(self.runnel.port)

    def grown(self, metric, **labels):
        return self.after.sum(metric, **labels) - self.before.sum(metric, **labels)

    def scrape_after(self, requests, metric="runnel_requests_total"):
        """Who answers is done a moment before its request is counted."""
        def counted():
            self.after = scrape(self.runnel.port)
            return self.grown(metric) == requests
        self.assert_eventually(counted)


class Figures(MetricsTest):
    def test_requests_tokens_and_cost_are_exact(self):
        for i in range(3):
            self.frames(model="fast", text=f"figures {i}")
        self.frames(model="quick", text="an alias")
        self.assertEqual(self.ask(model="fast", stream=False, text="whole").status, 200)
        self.scrape_after(5)
        fast = {"model": "fast", "provider": "local"}
        self.assertEqual(self.grown("runnel_requests_total", dialect="openai", stream="true", outcome="ok", **fast), 4)
        self.assertEqual(self.grown("runnel_requests_total", stream="false", outcome="ok", **fast), 1)
        self.assertEqual(self.grown("runnel_tokens_total", kind="input", **fast), 5 * USAGE[0])
        self.assertEqual(self.grown("runnel_tokens_total", kind="output", **fast), 5 * USAGE[1])
        self.assertEqual(self.grown("runnel_tokens_total"), 5 * sum(USAGE))
        cost = 5 * (USAGE[0] * 1000 + USAGE[1] * 10000) / 1e6
        self.assertAlmostEqual(self.grown("runnel_cost_usd_total", **fast), cost)
        self.assertEqual(self.grown("runnel_attempts_total", provider="local", outcome="ok"), 5)
        for metric in ("runnel_first_token_seconds", "runnel_request_seconds"):
            self.assertEqual(self.grown(f"{metric}_count", **fast), 5)
            self.assertEqual(self.grown(f"{metric}_bucket", le="+Inf", **fast), 5)
            self.assertGreater(self.grown(f"{metric}_sum", **fast), 0)
        self.assertEqual(self.grown("runnel_errors_total"), 0)

    def test_a_failover_is_told_of_the_provider_that_failed(self):
        self.upstream.play(refuse(503))
        self.frames(model="safe", text="failover")
        self.scrape_after(1)
        self.assertEqual(self.grown("runnel_requests_total", model="safe", provider="llama", outcome="ok"), 1)
        self.assertEqual(self.grown("runnel_failovers_total", provider="local"), 1)
        self.assertEqual(self.grown("runnel_failovers_total"), 1)
        self.assertEqual(self.grown("runnel_attempts_total", provider="local", outcome="upstream_overloaded"), 1)
        self.assertEqual(self.grown("runnel_attempts_total", provider="llama", outcome="ok"), 1)
        self.assertEqual(self.grown("runnel_errors_total"), 0)

    def test_errors_have_their_codes(self):
        self.upstream.script = refuse(500)
        self.assertEqual(self.ask(model="fast", text="error").status, 502)
        self.assertEqual(self.ask(model="nobody-has-this").status, 404)
        self.assertEqual(get(self.runnel.port, "/nothing-here").status, 404)
        self.scrape_after(3, "runnel_errors_total")
        self.assertEqual(self.grown("runnel_requests_total", model="fast", outcome="error"), 1)
        self.assertEqual(self.grown("runnel_requests_total", model="other", provider="none", outcome="error"), 1)
        self.assertEqual(self.grown("runnel_errors_total", code="upstream_failed"), 1)
        self.assertEqual(self.grown("runnel_errors_total", code="model_not_found"), 1)
        self.assertEqual(self.grown("runnel_errors_total", code="not_found"), 1)
        self.assertEqual(self.grown("runnel_http_requests_total", status="404"), 2)

    def test_the_cache_is_told_and_uses_nothing(self):
        for headers in ({}, {}, {"X-Cache": "no-cache"}):
            self.frames(model="fast", text="cached", headers=headers)
        self.scrape_after(3)
        for result in ("hit", "miss", "bypass"):
            self.assertEqual(self.grown("runnel_cache_requests_total", result=result), 1)
        self.assertEqual(self.grown("runnel_tokens_total"), 2 * sum(USAGE))
        self.assertEqual(self.grown("runnel_attempts_total"), 2)
        self.assertGreater(self.after.sum("runnel_cache_bytes"), 0)

    def test_tools_and_guardrails_are_told(self):
        self.upstream.play(calls(call("calculator", '{"expression":"6*7"}'), call("calculator", '"?"', 2)), says("falcon"))
        self.assertEqual(self.ask(model="op", text="tools").status, 200)
        self.scrape_after(1)
        self.assertEqual(self.grown("runnel_tool_runs_total", tool="calculator", outcome="ok"), 1)
        self.assertEqual(self.grown("runnel_tool_runs_total", tool="calculator", outcome="error"), 1)
        self.assertEqual(self.grown("runnel_guardrail_hits_total", guardrail="codenames", action="redact"), 1)
        self.assertEqual(self.grown("runnel_attempts_total", provider="local", outcome="ok"), 2)

    def test_the_pauses_of_streams_are_told(self):
        script = InStep("a", "b", "c")
        self.upstream.play(script)
        client = self.connect()
        client.send(chat_bytes(model="fast", text="pauses"))
        client.head()
        while client.next_piece():
            time.sleep(0.06)
            script.go_on()
        self.scrape_after(1)
        self.assertEqual(self.grown("runnel_chunk_gap_seconds_count"), 2)
        self.assertGreaterEqual(self.grown("runnel_chunk_gap_seconds_sum"), 0.1)
        self.assertEqual(self.grown("runnel_chunk_gap_seconds_bucket", le="0.025"), 0)

    def test_idle_connections_and_records_are_told(self):
        self.frames(model="fast", text="stored")
        self.scrape_after(1)
        self.assert_eventually(lambda: scrape(self.runnel.port).sum("runnel_upstream_connections", state="idle") > 0)
        stored = self.before.sum("runnel_store_rows_total")
        self.assert_eventually(lambda: scrape(self.runnel.port).sum("runnel_store_rows_total") > stored)
        self.assertEqual(self.after.sum("runnel_store_up"), 1)
        self.assertEqual(self.after.sum("runnel_store_rows_lost_total"), 0)

    def test_breakers_are_told_of_every_provider(self):
        states = {(one["provider"], one["state"]) for one in self.before.series("runnel_breakers")}
        self.assertLessEqual({("google", "closed"), ("google", "open"), ("google", "half_open")}, states)
        self.upstream.script = refuse(500)
        asked = []
        def opened():
            asked.append(self.ask(model="google/m"))
            return scrape(self.runnel.port).sum("runnel_breakers", provider="google", state="open") == 1
        self.assert_eventually(opened)
        self.scrape_after(len(asked))


class UnderWay(MetricsTest):
    config = {**MetricsTest.config, "ping": "100ms"}

    def test_what_is_under_way_is_seen_while_it_is(self):
        def script(exchange):
            exchange.head()
            exchange.delta("Hel")
            exchange.hold()
        self.upstream.play(script)
        client = self.connect()
        client.send(chat_bytes(model="fast", text="open"))
        client.head()
        client.next_piece()
        during = scrape(self.runnel.port)
        self.assertEqual(during.sum("runnel_streams_open"), 1)
        self.assertEqual(during.sum("runnel_requests_running"), 1)
        self.assertEqual(during.sum("runnel_upstream_connections", state="busy"), 1)
        self.assertGreaterEqual(during.sum("runnel_client_connections"), 2)  # its own is one of them
        self.assert_eventually(
            lambda: scrape(self.runnel.port).sum("runnel_pings_total") >= self.before.sum("runnel_pings_total") + 2)
        client.close()
        self.scrape_after(1)
        self.assertEqual(self.grown("runnel_requests_total", outcome="client_closed"), 1)
        for metric in ({"metric": "runnel_streams_open"}, {"metric": "runnel_requests_running"},
                       {"metric": "runnel_upstream_connections", "state": "busy"}):
            self.assert_eventually(lambda: scrape(self.runnel.port).sum(**metric) == 0, message=metric)


class Bounds(MetricsTest):
    def test_a_thousand_unknown_models_are_one_series(self):
        client = self.connect()
        for i in range(1000):
            # Nobody has the first; the provider may have the second, for all the gateway knows.
            name = f"local/made-up-{i}" if i % 10 == 0 else f"made-up-{i}"
            client.send(chat_bytes(body=chat_body(model=name, stream=False, text=name)))
            self.assertEqual(client.response().status, 200 if i % 10 == 0 else 404)
        self.scrape_after(1000)
        self.assertNotIn("made-up", self.after.text)
        failed = [labels for labels in self.after.series("runnel_requests_total") if labels["outcome"] == "error"]
        self.assertEqual([labels["model"] for labels in failed], ["other"])
        self.assertEqual(self.grown("runnel_requests_total", model="other", outcome="error"), 900)
        self.assertEqual(self.grown("runnel_requests_total", model="other", provider="local", outcome="ok"), 100)

    def test_no_key_and_no_text_is_in_it(self):
        self.frames(model="fast", text="a secret between us", user="somebody@example.com")
        self.scrape_after(1)
        for word in ("sk-test", "secret", "somebody", "127.0.0.1"):
            self.assertNotIn(word, self.after.text)


class Access(GatewayTest):
    def test_the_local_socket_is_enough_where_there_is_no_token(self):
        response = get(self.runnel.admin_socket, "/metrics", headers={})
        self.assertEqual(response.status, 200)
        self.assertEqual(response.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8")
        self.assert_error(get(self.runnel.port, "/metrics", headers={}), 401, "missing_api_key")


class AccessWithToken(GatewayTest):
    config = {"admin": {"token": ADMIN_TOKEN}}

    def test_the_token_is_wanted(self):
        self.assert_error(get(self.runnel.port, "/metrics", headers={}), 401, "missing_api_key")
        self.assertEqual(get(self.runnel.port, "/metrics", headers={"Authorization": f"Bearer {ADMIN_TOKEN}"}).status, 200)


class OpenAccess(GatewayTest):
    config = {"admin": {"token": ADMIN_TOKEN}, "metrics": {"access": "open"}}

    def test_everybody_may_read_them(self):
        self.assertEqual(get(self.runnel.port, "/metrics", headers={"X-Forwarded-For": "8.8.8.8"}).status, 200)
        self.assert_error(get(self.runnel.port, "/admin/v1/providers", headers={}), 401, "missing_api_key")


class WhatIsMadeOfThem(GatewayTest):
    """The dashboard, the alerts and the docs name what there is."""
    provider_fields = MetricsTest.provider_fields
    config = MetricsTest.config

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        fail, slow = refuse(503), lambda exchange: exchange.hold()
        cls.upstream.play(fail, speak, fail, calls(call("calculator", '{"expression":"6*7"}')), says("falcon"), slow, speak)
        for model in ("safe", "op", "racing"):
            answer = ask(cls.runnel.port, model=model, retries=1 if model == "op" else 0)
            assert answer.status == 200, answer.body
        assert eventually(lambda: scrape(cls.runnel.port).sum("runnel_requests_total") == 3, LIMIT)
        cls.page = scrape(cls.runnel.port)

    def board_queries(self):
        board = json.loads(DASHBOARD.read_text(encoding="utf-8"))
        return [target["expr"] for panel in board["panels"] for target in panel.get("targets", [])]

    def queries(self):
        board = json.loads(DASHBOARD.read_text(encoding="utf-8"))
        variables = [one["definition"] for one in board["templating"]["list"] if "definition" in one]
        return self.board_queries() + variables + [RULES.read_text(encoding="utf-8")]

    def test_every_metric_that_is_asked_for_exists(self):
        asked = {name for query in self.queries() for name in METRIC.findall(query)}
        self.assertGreater(len(asked), 25)
        self.assertEqual(asked - self.page.names(), set())

    def test_every_metric_is_shown_and_documented(self):
        shown = {re.sub("_(bucket|sum|count)$", "", name) for query in self.queries() for name in METRIC.findall(query)}
        self.assertEqual(set(self.page.types) - shown, set())
        documented = set(re.findall(r"^\| `([a-z_]+)", REFERENCE.read_text(encoding="utf-8"), re.M))
        self.assertEqual(documented, set(self.page.types))

    def test_every_alert_says_what_to_do(self):
        rules = RULES.read_text(encoding="utf-8")
        alerts = re.findall(r"- alert: (\w+)", rules)
        self.assertEqual(re.findall(r"runbook: docs/metrics\.md#(\w+)", rules), [alert.lower() for alert in alerts])
        self.assertEqual(re.findall(r"^### (Runnel\w+)$", REFERENCE.read_text(encoding="utf-8"), re.M), alerts)
        tested = set(re.findall(r"alertname: (\w+)", RULES_TEST.read_text(encoding="utf-8")))
        self.assertEqual(tested, set(alerts))

    def test_panels_do_not_overlap(self):
        places = set()
        for panel in json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]:
            at = panel["gridPos"]
            for x in range(at["x"], at["x"] + at["w"]):
                for y in range(at["y"], at["y"] + at["h"]):
                    self.assertNotIn((x, y), places, panel["title"])
                    places.add((x, y))

    def board_as_rules(self):
        """The dashboard's queries in the form of rules, which promtool can read; JSON is YAML."""
        rules = [{"record": f"dashboard:query:{number}", "expr": re.sub(r"\$\w+", "all", query.replace("$__rate_interval", "5m"))}
                 for number, query in enumerate(self.board_queries())]
        return json.dumps({"groups": [{"name": "dashboard", "rules": rules}]})

    def test_promtool_has_nothing_to_say(self):
        if PROMTOOL is None:
            print("SKIP: promtool is not there (./dev test fetches it)", file=sys.stderr)
            raise unittest.SkipTest("no promtool")
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as board:
            board.write(self.board_as_rules())
            board.flush()
            for arguments, given in ((["check", "metrics"], self.page.text), (["check", "rules", RULES], ""),
                                     (["test", "rules", RULES_TEST], ""), (["check", "rules", board.name], "")):
                with self.subTest(arguments):
                    done = subprocess.run([PROMTOOL, *arguments], input=given, capture_output=True, text=True,
                                          timeout=60, check=False)
                    self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
