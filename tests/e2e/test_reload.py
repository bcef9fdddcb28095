"""A config that is read again: new requests use it, open streams keep the one they began with."""

import os
import signal
import sqlite3
import threading

from certificate import Certificate
from client import Client, ask, chat_bytes, get
from fake_upstream import FakeUpstream
from frames import finish_of, frames_of, text_of
from gateway_test import LimitedTest, provider
from runnel_process import RunnelProcess

RELOAD_PATH = "/admin/v1/config/reload"


class Reload(LimitedTest):
    def setUp(self):
        super().setUp()
        self.upstream = FakeUpstream()
        self.addCleanup(self.upstream.close)
        self.config = {"providers": {"local": provider("openai-compatible", self.upstream.port)},
                       "models": {"fast": {"targets": ["local/old"]}}}
        self.runnel = RunnelProcess(self.config, ("--threads", "2"))
        self.addCleanup(self.runnel.stop)

    def reload(self, headers=None):
        return get(self.runnel.port, RELOAD_PATH, "POST", headers)

    def served_by(self, model):
        return ask(self.runnel.port, model=model).headers.get("x-model-used")

    def log_events(self, event):
        return [line for line in self.runnel.log_of(event) if line["event"] == event]

    def test_new_requests_use_the_new_config(self):
        self.assertEqual(self.served_by("fast"), "local/old")
        self.config["models"] = {"fast": {"targets": ["local/new"]}, "slow": {"targets": ["local/new"]}}
        self.config["providers"]["other"] = provider("openai-compatible", self.upstream.port)
        self.runnel.write_config(self.config)
        self.assertEqual(self.served_by("fast"), "local/old")
        response = self.reload()
        self.assertEqual(response.status, 200, response.body)
        self.assertEqual(response.json(), {
            "status": "reloaded", "providers_added": ["other"], "providers_removed": [],
            "models_added": ["slow"], "models_removed": [], "need_restart": []})
        for _ in range(8):  # whichever thread takes the connection
            self.assertEqual(self.served_by("fast"), "local/new")
            self.assertEqual(self.served_by("other/m"), "other/m")

    def test_sighup_does_the_same(self):
        self.config["models"]["fast"] = {"targets": ["local/new"]}
        self.runnel.write_config(self.config)
        self.runnel.signal(signal.SIGHUP)
        self.assert_eventually(lambda: self.log_events("config reloaded"))
        self.assert_eventually(lambda: self.served_by("fast") == "local/new")

    def test_open_streams_go_on_even_without_their_provider(self):
        count = 100
        begun = threading.Barrier(count + 1)
        go_on = threading.Event()

        def wait_in_the_middle(exchange):
            exchange.head()
            exchange.delta("before ")
            begun.wait()
            go_on.wait()
            exchange.delta("after")
            exchange.finish()

        self.upstream.play(*[wait_in_the_middle] * count)
        clients = [Client(self.runnel.port) for _ in range(count)]
        for client in clients:
            self.addCleanup(client.close)
            client.send(chat_bytes(model="fast"))
        begun.wait()
        self.runnel.write_config({"models": {"fast": {"targets": ["demo/text"]}}})
        response = self.reload()
        self.assertEqual(response.json()["providers_removed"], ["local"])
        self.assertEqual(self.served_by("fast"), "demo/text")
        go_on.set()
        for client in clients:
            frames = frames_of(client.response().body)
            self.assertEqual((text_of(frames), finish_of(frames)), ("before after", "stop"))

    def test_a_bad_file_changes_nothing_and_says_why(self):
        with open(self.runnel.config_file, "w", encoding="utf-8") as file:
            file.write("lisen: 1\nmodels:\n  fast: {targets: [nowhere/x]}\n")
        response = self.reload()
        self.assertEqual(response.status, 400)
        self.assertEqual(response.error["code"], "invalid_value")
        problems = response.json()["problems"]
        self.assertEqual((problems[0]["line"], problems[0]["column"]), (1, 1))
        self.assertIn("did you mean 'listen'", problems[0]["message"])
        self.assertEqual(self.served_by("fast"), "local/old")
        self.assert_eventually(lambda: self.log_events("config not reloaded"))
        logged = self.log_events("config not reloaded")[0]
        self.assertIn("runnel.yaml:1:1: unknown key 'lisen'", logged["problem"])

    def test_a_file_that_is_gone_changes_nothing(self):
        self.runnel.remove_config()
        response = self.reload()
        self.assertEqual(response.status, 400)
        self.assertIn("No such file", response.json()["problems"][0]["message"])
        self.assertEqual(self.served_by("fast"), "local/old")

    def test_keys_that_need_a_restart_are_named(self):
        self.runnel.write_config({**self.config, "data": "elsewhere", "listen": "127.0.0.1:1"})
        self.assertEqual(self.reload().json()["need_restart"], ["data"])  # --listen wins, then as now
        self.assert_eventually(lambda: self.log_events("some changes of the config need a restart"))

    def test_a_limit_of_the_new_config_holds_on_new_connections(self):
        self.runnel.write_config({**self.config, "limits": {"request_body": "1KiB"}})
        self.assertEqual(self.reload().status, 200)
        self.assertEqual(ask(self.runnel.port, text="x" * 2000).status, 413)

    def test_a_budget_of_the_new_config_counts_what_was_spent_under_every_name(self):
        self.config["prices"] = {"local/*": {"input": 0, "output": 0, "per_request": 0.01}}
        self.config["aliases"] = {"quick": "fast"}
        self.runnel.write_config(self.config)
        self.assertEqual(self.reload().status, 200)
        for name in ("fast", "quick"):
            self.assertEqual(ask(self.runnel.port, model=name).status, 200)
        usage = lambda: get(self.runnel.port, "/v1/usage").json()["data"]
        self.assert_eventually(lambda: usage() and usage()[0]["requests"] == 2)
        self.config["models"]["fast"]["budget"] = {"usd": 0.02}
        self.runnel.write_config(self.config)
        self.assertEqual(self.reload().status, 200)
        self.assertEqual(ask(self.runnel.port, model="fast").error["code"], "insufficient_balance")

    def test_records_go_when_the_new_config_keeps_them_no_longer(self):
        ids = [ask(self.runnel.port).headers["x-completion-id"] for _ in range(2)]
        status = lambda number: get(self.runnel.port, f"/v1/logs/{ids[number]}").status
        self.assert_eventually(lambda: (status(0), status(1)) == (200, 200))
        with sqlite3.connect(os.path.join(self.runnel.folder, "data", "runnel.db"), timeout=10) as store:
            aged = store.execute("UPDATE ledger SET began = began - 2 * 86400000 WHERE entry_id = ?", (ids[0],))
            self.assertEqual(aged.rowcount, 1)
        store.close()
        self.runnel.write_config({**self.config, "logs": {"retention": "36h"}})
        self.assertEqual(self.reload().json()["need_restart"], [])
        self.assert_eventually(lambda: status(0) == 404)
        self.assertEqual(status(1), 200)

    def test_it_is_not_for_pages_of_other_origins(self):
        response = self.reload({"Origin": "https://evil.test"})
        self.assertEqual(response.status, 401)
        self.assertEqual(response.error["type"], "authentication_error")
        self.assertNotIn("access-control-allow-origin", response.headers)


class ReloadToTls(LimitedTest):
    def test_the_first_https_provider_may_come_with_a_reload(self):
        certificate = Certificate()
        self.addCleanup(certificate.remove)
        upstream = FakeUpstream(tls=certificate.server())
        self.addCleanup(upstream.close)
        runnel = RunnelProcess({}, SSL_CERT_FILE=certificate.cert_file)
        self.addCleanup(runnel.stop)
        runnel.write_config({"providers": {
            "safe": provider("openai-compatible", upstream.port, "https", "localhost")}})
        self.assertEqual(get(runnel.port, RELOAD_PATH, "POST").status, 200)
        self.assertEqual(text_of(frames_of(ask(runnel.port, model="safe/m").body)), "Hello")


class ReloadWithoutAFile(LimitedTest):
    def test_the_defaults_are_made_again(self):
        runnel = RunnelProcess(None)
        self.addCleanup(runnel.stop)
        self.assertEqual(get(runnel.admin_socket, RELOAD_PATH, "POST").status, 200)
        self.assertEqual(ask(runnel.port, model="demo/text").status, 200)
