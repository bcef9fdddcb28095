"""Responses in the background: they go on without their client, are polled, streamed again from any frame on, cancelled,
and end when their process does."""

import contextlib
import json
import os
import re
import signal
import sqlite3
import tempfile

from client import Client
from fake_upstream import FakeUpstream, InStep
from gateway_test import GatewayTest, LimitedTest, provider
from key_admin import bearer, make_key
from runnel_process import STOP_LIMIT, RunnelProcess

PATH = "/v1/responses"


def data_of(stream):
    """What each frame says: an event, or [DONE]."""
    frames = re.findall(rb"(?:event: .*\n)?data: (.*)\n\n", stream)
    return [frame.decode() if frame == b"[DONE]" else json.loads(frame) for frame in frames]


def numbers(events):
    return [event["sequence_number"] for event in events if event != "[DONE]"]


class BackgroundTest(GatewayTest):
    config = {"auth": {"mode": "keys"}}

    def setUp(self):
        super().setUp()
        self.mine = bearer(make_key(self.runnel.port, name="mine"))
        self.other = bearer(make_key(self.runnel.port, name="other"))

    def send(self, method, path, body=None, headers=None):
        with Client(self.runnel.port) as client:
            data = b"" if body is None else json.dumps(body).encode()
            client.request(method, path, data, headers or self.mine)
            return client.response()

    def begin(self, **fields):
        return self.send("POST", PATH, {"model": "local/m", "input": "Hi", "background": True, **fields})

    def show(self, response_id):
        response = self.send("GET", f"{PATH}/{response_id}")
        self.assertEqual(response.status, 200, response.body)
        return response.json()

    def wait_for(self, response_id, status):
        self.assert_eventually(lambda: self.show(response_id)["status"] == status)
        return self.show(response_id)


class Background(BackgroundTest):
    def test_it_is_polled(self):
        script = InStep("Hel", "lo")
        self.upstream.play(script)
        begun = self.begin()
        self.assertEqual(begun.status, 200, begun.body)
        begun = begun.json()
        self.assertIn(begun["status"], ("queued", "in_progress"))
        self.assertEqual((begun["background"], begun["output"], begun["usage"]), (True, [], None))
        self.wait_for(begun["id"], "in_progress")
        # Others may not go on from it yet, nor find it at all.
        self.assertEqual(self.send("POST", PATH, {"model": "local/m", "input": "x", "previous_response_id": begun["id"]})
                         .error["code"], "invalid_value")
        self.assertEqual(self.send("GET", f"{PATH}/{begun['id']}", headers=self.other).status, 404)
        self.assertEqual(self.send("POST", f"{PATH}/{begun['id']}/cancel", headers=self.other).status, 404)
        script.go_on(2)
        done = self.wait_for(begun["id"], "completed")
        self.assertEqual(done["output"][0]["content"][0]["text"], "Hello")
        self.assertGreater(done["usage"]["total_tokens"], 0)
        self.upstream.play(lambda exchange: exchange.stream("more"))
        second = self.send("POST", PATH, {"model": "local/m", "input": "x", "previous_response_id": begun["id"]})
        self.assertEqual(second.status, 200, second.body)
        self.assertEqual(self.send("POST", f"{PATH}/{begun['id']}/cancel").json()["status"], "completed")

    def test_its_stream_is_read_on_from_any_frame(self):
        script = InStep("one ", "two ", "three")
        self.upstream.play(script)
        client = self.connect()
        body = {"model": "local/m", "input": "Hi", "background": True, "stream": True}
        client.request("POST", PATH, json.dumps(body).encode(), self.mine)
        self.assertEqual(client.head().status, 200)
        seen = b""
        while b"one " not in seen:
            seen += client.next_piece()
        client.close()
        first = data_of(seen)
        self.assertEqual([frame["type"] for frame in first][:3], ["response.created", "response.queued", "response.in_progress"])
        self.assertEqual(numbers(first), list(range(len(first))))
        response_id = first[0]["response"]["id"]
        path = f"{PATH}/{response_id}?stream=true&starting_after={first[-1]['sequence_number']}"
        self.assertEqual(self.send("GET", path, headers=self.other).status, 404)
        again = self.connect()
        again.request("GET", path, headers=self.mine)
        self.assertEqual(again.head().status, 200)
        script.go_on(3)
        live = again.rest()
        whole = self.send("GET", f"{PATH}/{response_id}?stream=true").body
        self.assertEqual(seen + live, whole)
        frames = data_of(whole)
        self.assertEqual((numbers(frames), frames[-1]), (list(range(len(frames) - 1)), "[DONE]"))
        done = frames[-2]
        self.assertEqual((done["type"], done["response"]), ("response.completed", self.show(response_id)))
        last = self.send("GET", f"{PATH}/{response_id}?stream=true&starting_after={len(frames) - 3}").body
        self.assertEqual(data_of(last), frames[-2:])

    def test_it_is_cancelled_at_once(self):
        ended = []
        self.upstream.play(lambda exchange: (exchange.head(), exchange.delta("Hel"), ended.append(exchange.hold())))
        begun = self.begin(stream=False).json()
        self.wait_for(begun["id"], "in_progress")
        cancelled = self.send("POST", f"{PATH}/{begun['id']}/cancel").json()
        self.assertEqual((cancelled["id"], cancelled["status"]), (begun["id"], "cancelled"))
        self.assert_eventually(lambda: ended == [True])
        self.assertEqual(self.wait_for(begun["id"], "cancelled")["output"], [])
        self.assertEqual(self.send("POST", f"{PATH}/{begun['id']}/cancel").json()["status"], "cancelled")

    def test_what_is_deleted_ends(self):
        ended = []
        self.upstream.play(lambda exchange: (exchange.head(), exchange.delta("Hel"), ended.append(exchange.hold())))
        begun = self.begin().json()
        self.wait_for(begun["id"], "in_progress")
        self.assertEqual(self.send("DELETE", f"{PATH}/{begun['id']}").status, 200)
        self.assert_eventually(lambda: ended == [True])
        self.assert_eventually(lambda: self.send("GET", f"{PATH}/{begun['id']}").status == 404)

    def test_what_fails_says_so(self):
        self.upstream.play(*[lambda exchange: exchange.reply(400, b'{"error":{"message":"no","type":"x"}}')] * 4)
        begun = self.begin(stream=True)
        frames = data_of(begun.body)[:-1]
        self.assertEqual([frame["type"] for frame in frames],
                         ["response.created", "response.queued", "response.in_progress", "response.failed"])
        failed = self.show(frames[0]["response"]["id"])
        self.assertEqual(failed["status"], "failed")
        self.assertEqual(failed["error"], frames[-1]["response"]["error"])

    def test_what_can_not_run_is_refused_at_once(self):
        self.assert_error(self.begin(model="no-such-model"), 404, "model_not_found")
        self.assert_error(self.begin(store=False), 400, "invalid_value", param="background")
        self.assert_error(self.begin(temperature=7), 400)
        self.assert_error(self.begin(previous_response_id="resp_1"), 400, "previous_response_not_found")
        self.assertEqual(self.upstream.requests, [])

    def test_only_streams_are_streamed_again(self):
        begun = self.begin().json()
        self.wait_for(begun["id"], "completed")
        self.assert_error(self.send("GET", f"{PATH}/{begun['id']}?stream=true"), 400, "invalid_value")
        self.assert_error(self.send("GET", f"{PATH}/{begun['id']}?starting_after=1"), 400, "invalid_value")

    def test_it_is_recorded_with_its_tokens(self):
        begun = self.begin().json()
        self.wait_for(begun["id"], "completed")

        def tokens():
            logs = self.send("GET", "/v1/logs").json()["data"]
            return [log["usage"]["output"] for log in logs if begun["id"] in json.dumps(log)]

        self.assert_eventually(lambda: len(tokens()) == 1)
        self.assertGreater(tokens()[0], 0)


class NoBackground(GatewayTest):
    config = {"responses": {"store": "off"}}

    def test_where_nothing_is_stored(self):
        with Client(self.runnel.port) as client:
            body = {"model": "local/m", "input": "x", "background": True}
            client.request("POST", PATH, json.dumps(body).encode())
            self.assertEqual(client.response().json()["error"]["code"], "unsupported_parameter")


class TheEndOfTheProcess(LimitedTest):
    def setUp(self):
        super().setUp()
        self.upstream = FakeUpstream()
        self.addCleanup(self.upstream.close)
        self.data = self.enterContext(tempfile.TemporaryDirectory(prefix="runnel-e2e-"))
        self.killed = []
        self.script = InStep("Hel", "lo")
        self.upstream.play(self.script)

    def start(self, drain_timeout):
        config = {"providers": {"local": provider("openai-compatible", self.upstream.port)},
                  "drain_timeout": drain_timeout, "data": self.data}
        runnel = RunnelProcess(config, ("--threads", "2"))
        self.addCleanup(lambda: runnel.kill() if runnel in self.killed else runnel.stop())
        return runnel

    def send(self, runnel, method, path, body=None):
        with Client(runnel.port) as client:
            client.request(method, path, b"" if body is None else json.dumps(body).encode())
            return client.response()

    def begin(self, runnel):
        begun = self.send(runnel, "POST", PATH, {"model": "local/m", "input": "x", "background": True, "stream": False})
        self.assertEqual(begun.status, 200, begun.body)
        self.assert_eventually(lambda: self.upstream.requests)
        return f"{PATH}/{begun.json()['id']}"

    def after(self, path):
        return self.send(self.start("5s"), "GET", path).json()

    def test_lets_them_end(self):
        runnel = self.start("20s")
        path = self.begin(runnel)
        runnel.signal(signal.SIGTERM)
        self.assert_eventually(lambda: '"draining"' in runnel.log())
        self.script.go_on(2)
        self.assertEqual(runnel.wait(STOP_LIMIT), 0)
        self.assertEqual(self.after(path)["output"][0]["content"][0]["text"], "Hello")

    def test_leaves_those_that_take_too_long_as_failed(self):
        runnel = self.start("1s")
        path = self.begin(runnel)
        runnel.signal(signal.SIGTERM)
        self.assertEqual(runnel.wait(STOP_LIMIT), 0)
        failed = self.after(path)
        self.assertEqual(failed["status"], "failed")
        self.assertIn("shut", failed["error"]["message"])

    def test_is_seen_where_nobody_told_of_it(self):
        runnel = self.start("5s")
        path = self.begin(runnel)
        runnel.kill()
        self.killed.append(runnel)
        runnel = self.start("5s")
        self.assertIn(self.send(runnel, "GET", path).json()["status"], ("queued", "in_progress"))
        with contextlib.closing(sqlite3.connect(os.path.join(self.data, "runnel.db"))) as store:
            store.execute("UPDATE responses SET running_until = 1")
            store.commit()
        failed = self.send(runnel, "GET", path).json()
        self.assertEqual((failed["status"], failed["error"]["code"]), ("failed", "server_error"))
        self.assertEqual(self.send(runnel, "GET", path).json(), failed)

    def test_another_process_cancels_it(self):
        runnel = self.start("5s")
        path = self.begin(runnel)
        other = self.start("5s")
        self.assertIn(self.send(other, "GET", path).json()["status"], ("queued", "in_progress"))
        self.assertEqual(self.send(other, "GET", path + "?stream=true").status, 400)
        self.assertEqual(self.send(other, "POST", path + "/cancel").json()["status"], "cancelled")
        self.script.go_on(2)
        self.assertEqual(self.send(other, "GET", path).json()["status"], "cancelled")
        self.assert_eventually(lambda: self.send(runnel, "GET", path).json()["status"] == "cancelled")
