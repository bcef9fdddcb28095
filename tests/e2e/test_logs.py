"""The log: one JSON line per request on stderr, with what happened and never with what was said."""

import json

from client import get
from gateway_test import GatewayTest

MARKERS = ("PROMPT-MARKER", "ANSWER-MARKER", "CLIENT-KEY-MARKER", "sk-test-KEY", "QUERY-MARKER", "TOOL-MARKER")


class Logs(GatewayTest):
    config = {"log": {"level": "debug"}}

    def line_for(self, request_id):
        self.assert_eventually(lambda: self.runnel.log_of(request_id))
        lines = self.runnel.log_of(request_id)
        self.assertEqual(len(lines), 1, lines)
        return lines[0]

    def test_each_request_is_one_line_that_says_how_it_went(self):
        self.ask(headers={"X-Request-ID": "log-stream"})
        line = self.line_for("log-stream")
        self.assertEqual((line["status"], line["model"], line["provider"]), (200, "local/m", "local"))
        self.assertEqual((line["stream"], line["finish"]), (True, "stop"))
        self.assertEqual((line["input_tokens"], line["output_tokens"]), (7, 2))
        self.assertGreater(line["bytes"], 0)
        self.assertGreaterEqual(line["total_ms"], line["first_ms"])

        self.ask(headers={"X-Request-ID": "log-whole"}, stream=False)
        self.assertEqual(self.line_for("log-whole")["stream"], False)

        self.ask(headers={"X-Request-ID": "log-refused"}, body=b"{")
        line = self.line_for("log-refused")
        self.assertEqual((line["status"], line["error"]), (400, "invalid_json"))

        get(self.runnel.port, "/nothing", headers={"X-Request-ID": "log-path"})
        self.assertEqual(self.line_for("log-path")["status"], 404)

    def test_a_failure_in_a_stream_is_in_its_line(self):
        def script(exchange):
            exchange.head()
            exchange.delta("Hel")
            exchange.fin()

        self.upstream.play(script)
        self.ask(headers={"X-Request-ID": "log-cut"})
        line = self.line_for("log-cut")
        self.assertEqual((line["status"], line["error"]), (200, "upstream_truncated"))

    def test_neither_words_nor_keys_are_logged(self):
        def say_marker(exchange):
            exchange.stream("ANSWER-MARKER")

        def fail_with_key(exchange):
            exchange.reply(401, exchange.wire.error("Incorrect API key provided: sk-test-KEY"))

        headers = {"Authorization": "Bearer CLIENT-KEY-MARKER", "X-API-Key": "CLIENT-KEY-MARKER"}
        tools = [{"type": "function", "function": {"name": "f", "description": "TOOL-MARKER"}}]
        for script in (say_marker, fail_with_key, lambda exchange: exchange.fin()):
            for stream in (True, False):
                self.upstream.script = script
                self.ask(headers=headers, text="PROMPT-MARKER", stream=stream, tools=tools,
                         path="/v1/chat/completions?api-key=QUERY-MARKER")
        self.ask(headers=headers, body=b'{"messages":"PROMPT-MARKER"')
        self.ask(headers=headers, body=b'{"model":"local/m","messages":"PROMPT-MARKER"}')
        get(self.runnel.port, "/nothing?key=QUERY-MARKER", headers=headers)
        get(self.runnel.port, "/healthz", headers={"X-Request-ID": "log-last"})
        self.line_for("log-last")
        for marker in MARKERS:
            self.assertNotIn(marker, self.runnel.log())

    def test_every_line_is_json_whatever_clients_send(self):
        self.ask(headers={"X-Request-ID": 'a"b\\'}, model='m"\\\x01\u2028')
        get(self.runnel.port, "/%22%0A" + "x" * 5000)
        with_garbage = self.connect()
        with_garbage.send(b"\xff\xfe\r\n\r\n")
        with_garbage.response()
        get(self.runnel.port, "/healthz", headers={"X-Request-ID": "log-json"})
        self.line_for("log-json")
        for line in self.runnel.log().removesuffix("\n").split("\n"):
            self.assertIsInstance(json.loads(line), dict, line)
