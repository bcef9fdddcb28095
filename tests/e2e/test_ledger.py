"""What is kept of requests: a record of each within a second, also of those that a killed gateway left behind."""

import os
import random
import shutil
import tempfile
import threading
import time

from client import Client, ask, chat_bytes, eventually, get
from fake_upstream import FakeUpstream
from gateway_test import GatewayTest, LimitedTest, provider
from key_admin import ADMIN_TOKEN, admin, bearer, make_key
from pace import LIMIT, scaled
from runnel_process import RunnelProcess

ADMIN = {"Authorization": f"Bearer {ADMIN_TOKEN}"}


class Records(GatewayTest):
    config = {"admin": {"token": ADMIN_TOKEN}, "auth": {"mode": "keys"}}

    def record(self, name, key):
        """The record of this id, once it is there."""
        path = f"/v1/logs/{name}"
        self.assert_eventually(lambda: get(self.runnel.port, path, headers=bearer(key)).status == 200, within=scaled(1))
        return get(self.runnel.port, path, headers=bearer(key)).json()

    def test_a_stream_is_found_by_both_its_ids_and_by_its_owner_alone(self):
        owner, other = make_key(self.runnel.port, name="a", team="blue"), make_key(self.runnel.port, name="b")
        response = self.ask(headers={**bearer(owner), "X-Request-ID": "ledger-1"})
        completion = response.headers["x-completion-id"]
        record = self.record(completion, owner)
        self.assertEqual(record, self.record("ledger-1", owner))
        self.assertEqual((record["id"], record["request_id"]), (completion, "ledger-1"))
        self.assertEqual((record["key_id"], record["team"], record["provider"]), (owner["id"], "blue", "local"))
        self.assertEqual((record["status"], record["finish_reason"], record["outcome"]), (200, "stop", "ok"))
        self.assertEqual((record["usage"]["input"], record["usage"]["output"]), (7, 2))
        self.assertEqual(record["usage"]["provenance"], "reported")
        self.assertIsNone(record["cost"]["usd"])  # a model that no list has a price for
        self.assertEqual(get(self.runnel.port, f"/v1/logs/{completion}", headers=bearer(other)).status, 404)
        self.assertEqual(get(self.runnel.port, f"/v1/logs/{completion}", headers=ADMIN).status, 200)

    def test_what_a_client_says_of_its_request_is_with_it(self):
        key = make_key(self.runnel.port, name="metadata")
        secret = "sk-proj-" + "a1B2" * 10
        cases = (({"user": "ada", "trace": "t-1"}, {"user": "ada", "trace": "t-1"}), (None, None), ({}, {}),
                 ({"api_key": secret}, {"api_key": "sk-***"}))
        for number, (sent, kept) in enumerate(cases):
            with self.subTest(sent=sent):
                self.ask(headers={**bearer(key), "X-Request-ID": f"metadata-{number}"}, metadata=sent)
                self.assertEqual(self.record(f"metadata-{number}", key)["metadata"], kept)
        listed = get(self.runnel.port, "/v1/logs?id=metadata-0", headers=bearer(key)).json()["data"]
        self.assertEqual(listed[0]["metadata"], cases[0][1])

    def test_too_much_of_it_is_left_out(self):
        key = make_key(self.runnel.port, name="much")
        response = self.ask(headers={**bearer(key), "X-Request-ID": "much"}, metadata={"note": "x" * 20_000})
        self.assertEqual((response.status, response.headers["x-gateway-warnings"]), (200, "metadata_not_logged"))
        record = self.record("much", key)
        self.assertEqual((record["metadata"], record["warnings"]), (None, ["metadata_not_logged"]))

    def test_a_cut_stream_has_an_estimate(self):
        def script(exchange):
            exchange.head()
            exchange.delta("Hello, this is cut")
            exchange.fin()

        key = make_key(self.runnel.port, name="cut")
        self.upstream.play(script)
        response = self.ask(headers=bearer(key))
        record = self.record(response.headers["x-completion-id"], key)
        self.assertEqual(record["error"]["code"], "upstream_truncated")
        self.assertEqual(record["usage"]["provenance"], "estimated")
        self.assertGreater(record["usage"]["output"], 0)

    def test_pages_have_no_gaps_and_filters_hold(self):
        key = make_key(self.runnel.port, name="pages")
        for number in range(7):
            self.ask(headers={**bearer(key), "X-Request-ID": f"page-{number}"}, stream=number % 2 == 0)
        self.ask(headers={**bearer(key), "X-Request-ID": "page-bad"}, body=b"{")
        self.record("page-bad", key)
        seen, after = [], ""
        while True:
            page = get(self.runnel.port, f"/v1/logs?limit=3&count=true&after={after}", headers=bearer(key)).json()
            self.assertEqual(page["count"], 8)
            seen += [record["request_id"] for record in page["data"]]
            if not page["has_more"]:
                break
            after = page["last_id"]
        self.assertEqual(seen, ["page-bad"] + [f"page-{number}" for number in reversed(range(7))])
        failed = get(self.runnel.port, "/v1/logs?status=4xx", headers=bearer(key)).json()["data"]
        self.assertEqual([record["request_id"] for record in failed], ["page-bad"])
        usage = get(self.runnel.port, "/v1/usage?group_by=model", headers=bearer(key)).json()["data"]
        self.assertEqual(sum(group["requests"] for group in usage), 8)

    def test_bad_queries_are_told_what_is_wrong(self):
        for path, param in (("/v1/logs?limit=0", "limit"), ("/v1/logs?status=abc", "status"), ("/v1/logs?modle=x", "modle"),
                            ("/v1/logs?from=yesterday", "from"), ("/v1/logs?after=nobody", None),
                            ("/v1/usage?group_by=moon", "group_by"), ("/v1/usage?from=20&to=10", "to")):
            with self.subTest(path=path):
                self.assert_error(get(self.runnel.port, path, headers=ADMIN), 400, "invalid_value", param=param)

    def test_nobodys_words_are_kept(self):
        key = make_key(self.runnel.port, name="words")
        self.upstream.play(lambda exchange: exchange.stream("ANSWER-MARKER"))
        response = self.ask(headers=bearer(key), text="PROMPT-MARKER")
        self.record(response.headers["x-completion-id"], key)
        for folder, _, names in os.walk(os.path.join(self.runnel.folder, "data")):
            for name in names:
                if name == os.path.basename(self.runnel.admin_socket):
                    continue
                with open(os.path.join(folder, name), "rb") as file:
                    kept = file.read()
                for marker in (b"PROMPT-MARKER", b"ANSWER-MARKER", key["key"].encode()):
                    self.assertNotIn(marker, kept, name)

    def test_words_are_kept_for_a_key_that_wants_it_and_can_be_played_again(self):
        key = make_key(self.runnel.port, name="kept", keeps_content=True)
        self.upstream.play(lambda exchange: exchange.stream("kept ", "words"))
        response = self.ask(headers=bearer(key), text="what was asked")
        completion = response.headers["x-completion-id"]
        self.record(completion, key)
        content = get(self.runnel.port, f"/v1/logs/{completion}/content", headers=bearer(key)).json()
        self.assertEqual(content["request"]["messages"][0]["content"], "what was asked")
        self.assertEqual("".join(event.get("text", "") for event in content["answer"]["events"]), "kept words")
        for dialect in ("openai", "timeline", "agent"):
            played = get(self.runnel.port, f"/v1/logs/{completion}/stream?dialect={dialect}", headers=bearer(key))
            self.assertIn(b'"content":"kept "', played.body)
            self.assertTrue(played.body.endswith(b"data: [DONE]\n\n"), played.body)
        self.assertEqual(admin(self.runnel.port, "DELETE", f"/admin/v1/logs/{completion}").json(), {"deleted": 1})
        self.assertEqual(get(self.runnel.port, f"/v1/logs/{completion}/content", headers=bearer(key)).status, 404)
        self.assertEqual(get(self.runnel.port, f"/v1/logs/{completion}", headers=bearer(key)).status, 200)


class Killed(LimitedTest):
    STREAMS = 200

    def test_each_call_of_a_provider_has_one_record_after_kill_9(self):
        upstream = FakeUpstream()
        self.addCleanup(upstream.close)
        folder = tempfile.mkdtemp(prefix="runnel-e2e-ledger-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        config = {"data": folder, "admin": {"token": ADMIN_TOKEN},
                  "providers": {"local": {**provider("openai-compatible", upstream.port), "retries": 0}}}
        seen = []
        guard = threading.Lock()

        def script(exchange):
            with guard:
                seen.append(exchange.request.json()["messages"][0]["content"])
            exchange.stream("a", "b", "c", gap=random.uniform(0, 0.03))

        upstream.play(*[script] * (self.STREAMS * 2))

        def stream(port, name):
            try:
                with Client(port) as client:
                    client.send(chat_bytes(text=name, headers={"X-Request-ID": name}))
                    client.response()
            except (OSError, EOFError, AssertionError):
                pass  # the gateway was killed

        asked = 0
        while asked < self.STREAMS:
            runnel = RunnelProcess(config)
            threads = [threading.Thread(target=stream, args=(runnel.port, f"kill-{asked + i}")) for i in range(20)]
            asked += len(threads)
            before = len(seen)
            for thread in threads:
                thread.start()
            if asked % 40:  # every other time, some have come to the provider, however slow the machine is
                eventually(lambda: len(seen) > before, LIMIT)
            time.sleep(random.uniform(0.0, 0.12))
            runnel.kill()
            for thread in threads:
                thread.join()

        runnel = RunnelProcess(config)
        self.addCleanup(runnel.stop)
        called = sorted(set(seen))
        self.assertEqual(len(called), len(seen))
        self.assertGreater(len(called), 0)

        def recorded():
            names, after = [], ""
            while True:
                page = get(runnel.port, f"/v1/logs?limit=100&after={after}", headers=ADMIN).json()
                names += [record["request_id"] for record in page["data"]]
                if not page["has_more"]:
                    return names
                after = page["last_id"]

        self.assertTrue(eventually(lambda: set(called) <= set(recorded()), scaled(10)), set(called) - set(recorded()))
        names = recorded()
        self.assertEqual(len(names), len(set(names)), "a request has two records")
        crashed = get(runnel.port, "/v1/logs?error=gateway_crashed&limit=100", headers=ADMIN).json()["data"]
        self.assertGreater(len(crashed), 0)
        for record in crashed:
            self.assertEqual(record["usage"]["provenance"], "estimated")
        ask(runnel.port, text="after all that")
