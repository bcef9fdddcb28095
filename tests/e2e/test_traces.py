"""Traces: spans for a collector, traceparent from the client to the provider, and what a bad collector costs: nothing."""

import http.server
import json
import signal
import threading
import time

from client import Client, ask, chat_bytes, get
from fake_collector import FakeCollector
from fake_upstream import speak
from gateway_test import GatewayTest, LimitedTest, provider
from pace import LIMIT, scaled
from runnel_process import RunnelProcess
from stalls import undisturbed
from tools_test import call, calls, says

TRACE = "4bf92f3577b34da6a3ce929d0e0e47{:02x}"
CALLER = "00f067aa0ba902b7"

GATHERING = 0.5  # a batch is gathered so long
PAUSE_MAX = 5    # between two tries to reach a collector


def overloaded(exchange):
    exchange.reply(503, b'{"error":{"message":"SECRET-upstream-words"}}')


class EchoTool(http.server.BaseHTTPRequestHandler):
    parents = []

    def do_GET(self):
        EchoTool.parents.append(self.headers.get("traceparent"))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


class TracedTest(GatewayTest):
    """A gateway with a collector behind it."""
    traces = {}

    @classmethod
    def setUpClass(cls):
        cls.collector = FakeCollector()
        cls.addClassCleanup(cls.collector.close)
        cls.config = {**cls.config, "traces": {"endpoint": cls.collector.endpoint, **cls.traces}}
        super().setUpClass()

    def tearDown(self):
        self.assertEqual(self.collector.problems, [])
        super().tearDown()

    def spans_of(self, response):
        """A request's spans, its own first."""
        request_id = response.headers["x-request-id"]
        self.assert_eventually(lambda: self.collector.of_request(request_id), message=self.runnel.log())
        spans = self.collector.of_request(request_id)
        own = [span for span in spans if span.kind == "server"]
        self.assertEqual(len(own), 1, spans)
        for span in spans:
            if span is not own[0]:
                self.assertEqual(span.parent, own[0].id)
                self.assertTrue(own[0].start <= span.start and span.end <= own[0].end, spans)
        return own + [span for span in spans if span is not own[0]]

    def assert_no_spans_of(self, trace):
        """Not even when a later request's have come."""
        self.spans_of(self.ask(headers={"traceparent": f"00-{'f' * 32}-{CALLER}-01"}))
        self.assertEqual(self.collector.of_trace(trace), [])


class OneTrace(TracedTest):
    traces = {"headers": {"X-Api-Token": "t0ken"}, "service_name": "shop-gateway"}
    config = {"models": {"two": {"targets": ["local/first", "llama/second"]},
                         "op": {"targets": ["local/m"], "tools": ["echo"]}}}

    @classmethod
    def setUpClass(cls):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), EchoTool)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        cls.addClassCleanup(server.server_close)
        cls.addClassCleanup(server.shutdown)
        echo = {"url": f"http://127.0.0.1:{server.server_address[1]}/", "method": "GET", "description": "echoes",
                "parameters": {"type": "object", "properties": {"text": {"type": "string"}}}}
        cls.config = {**cls.config, "tools": {"echo": {"http": echo}}}
        super().setUpClass()

    def setUp(self):
        super().setUp()
        EchoTool.parents.clear()

    def test_goes_from_the_client_through_the_gateway_to_the_provider(self):
        trace = TRACE.format(1)
        before = time.time_ns()
        response = self.ask(text="SECRET-question", headers={"traceparent": f"00-{trace}-{CALLER}-01"})
        request, attempt = self.spans_of(response)
        self.assertEqual((request.trace, request.parent, request.flags), (trace, CALLER, 0x301))
        self.assertEqual(request.name, "chat local/m")
        self.assertFalse(request.failed)
        told = request.attributes
        self.assertEqual(told["gen_ai.operation.name"], "chat")
        self.assertEqual(told["gen_ai.provider.name"], "local")
        self.assertEqual(told["gen_ai.request.model"], "local/m")
        self.assertEqual(told["gen_ai.response.model"], "local/m")
        self.assertEqual(told["gen_ai.response.id"], response.headers["x-completion-id"])
        self.assertEqual(told["gen_ai.response.finish_reasons"], ["stop"])
        self.assertIs(told["gen_ai.request.stream"], True)
        self.assertGreater(told["gen_ai.usage.input_tokens"], 0)
        self.assertGreater(told["gen_ai.usage.output_tokens"], 0)
        self.assertGreater(told["gen_ai.response.time_to_first_chunk"], 0)
        self.assertEqual(told["http.response.status_code"], 200)
        self.assertEqual(told["url.path"], "/v1/chat/completions")
        self.assertNotIn("error.type", told)
        self.assertIn("first_token", request.events)
        self.assertLess(abs(request.start - before), 60e9)

        self.assertEqual((attempt.kind, attempt.name, attempt.failed), ("client", "chat m", False))
        self.assertEqual(attempt.attributes["server.address"], "127.0.0.1")
        self.assertEqual(attempt.attributes["server.port"], self.upstream.port)
        self.assertIn("first_token", attempt.events)
        asked, = self.upstream.requests
        self.assertEqual(asked.headers["traceparent"], f"00-{trace}-{attempt.id}-01")
        self.assertEqual(request.resource["service.name"], "shop-gateway")
        self.assertTrue(request.resource["service.version"])
        self.assertTrue(request.resource["service.instance.id"])
        line, = [line for line in self.runnel.log_of(response.headers["x-request-id"]) if "status" in line]
        self.assertEqual(line["trace_id"], trace)

    def test_is_posted_as_the_config_says(self):
        self.spans_of(self.ask())
        path, headers, _, _ = self.collector.posts[-1]
        self.assertEqual(path, "/v1/traces")
        self.assertEqual(headers["Content-Type"], "application/json")
        self.assertEqual(headers["X-Api-Token"], "t0ken")

    def test_has_each_attempt(self):
        trace = TRACE.format(2)
        self.upstream.play(*[overloaded] * 3, speak)
        response = self.ask(model="two", headers={"traceparent": f"00-{trace}-{CALLER}-01"})
        self.assertEqual(response.status, 200)
        request, *attempts = self.spans_of(response)
        self.assertEqual(len(attempts), len(self.upstream.requests))
        self.assertGreater(len(attempts), 1)
        self.assertEqual([span.attributes["runnel.attempt"] for span in attempts],
                         list(range(1, len(attempts) + 1)))
        for span, asked in zip(attempts, self.upstream.requests):
            self.assertEqual(asked.headers["traceparent"], f"00-{trace}-{span.id}-01")
        for span in attempts[:-1]:
            self.assertTrue(span.failed)
            self.assertTrue(span.attributes["error.type"].startswith("upstream"), span)
        self.assertFalse(attempts[-1].failed or request.failed)
        self.assertEqual(request.attributes["runnel.attempts"], len(attempts))

    def test_has_each_run_of_a_tool(self):
        trace = TRACE.format(3)
        wish = '{"text":"SECRET-argument"}'
        self.upstream.play(calls(call("echo", wish, 1), call("echo", wish, 2)), says("SECRET-answer"))
        response = self.ask(model="op", headers={"traceparent": f"00-{trace}-{CALLER}-01"})
        request, *others = self.spans_of(response)
        tools = [span for span in others if span.name == "execute_tool echo"]
        self.assertEqual([span.kind for span in tools], ["internal"] * 2)
        self.assertEqual(tools[0].attributes, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "echo",
                                               "gen_ai.tool.type": "extension"})
        self.assertEqual(len([span for span in others if span.kind == "client"]), 2)
        self.assertEqual(sorted(EchoTool.parents), sorted(f"00-{trace}-{span.id}-01" for span in tools))
        self.assertEqual(request.attributes["runnel.rounds"], 2)

    def test_begins_where_the_client_has_none(self):
        for header in ("", "00-0-0-01", f"00-{'0' * 32}-{CALLER}-01", f"00-{TRACE.format(4).upper()}-{CALLER}-01"):
            with self.subTest(header):
                self.upstream.forget()
                request, attempt = self.spans_of(self.ask(headers={"traceparent": header} if header else {}))
                self.assertIsNone(request.parent)
                self.assertEqual(self.upstream.requests[0].headers["traceparent"],
                                 f"00-{request.trace}-{attempt.id}-01")

    def test_begins_where_the_client_has_two(self):
        header = f"traceparent: 00-{TRACE.format(5)}-{CALLER}-01\r\n".encode()
        client = self.connect()
        client.send(chat_bytes(headers={"X-Twice": "1"}).replace(b"X-Twice: 1\r\n", header + header))
        self.assertIsNone(self.spans_of(client.response())[0].parent)

    def test_that_is_not_sampled_goes_on_untold(self):
        trace = TRACE.format(6)
        self.assertEqual(self.ask(headers={"traceparent": f"00-{trace}-{CALLER}-00"}).status, 200)
        sent = self.upstream.requests[0].headers["traceparent"]
        self.assertTrue(sent.startswith(f"00-{trace}-") and sent.endswith("-00"), sent)
        self.assertNotIn(CALLER, sent)
        self.assert_no_spans_of(trace)

    def test_tells_what_went_wrong(self):
        request, = self.spans_of(self.ask(model="no-such-model"))
        self.assertEqual((request.name, request.failed), ("chat", False))
        self.assertEqual(request.attributes["error.type"], "model_not_found")
        self.assertEqual(request.attributes["http.response.status_code"], 404)

        self.upstream.script = lambda exchange: exchange.reply(400, b'{"error":{"message":"SECRET"}}')
        self.assertFalse(self.spans_of(self.ask(model="claude/m"))[0].failed)
        self.upstream.script = overloaded
        failed = self.spans_of(self.ask(model="claude/m"))[0]
        self.assertTrue(failed.failed)
        self.assertGreaterEqual(failed.attributes["http.response.status_code"], 500)

    def test_z_has_nothing_of_what_was_said(self):
        """Last, as far as names go: whatever the others sent has been posted."""
        self.spans_of(self.ask(text="SECRET"))
        for _, _, body, _ in self.collector.posts:
            self.assertNotIn(b"SECRET", body)


class Sampling(TracedTest):
    traces = {"sample": 0}

    def test_of_no_requests_still_follows_the_caller(self):
        own = self.ask()
        self.assertTrue(self.upstream.requests[0].headers["traceparent"].endswith("-00"))
        sampled = self.ask(headers={"traceparent": f"00-{TRACE.format(7)}-{CALLER}-01"})
        self.assertEqual(self.spans_of(sampled)[0].parent, CALLER)
        self.assertEqual(self.collector.of_request(own.headers["x-request-id"]), [])


class Reloaded(TracedTest):
    traces = {"sample": 0}

    def test_the_share_changes_without_a_restart(self):
        untold = self.ask()
        self.spans_of(self.ask(headers={"traceparent": f"00-{TRACE.format(8)}-{CALLER}-01"}))
        self.assertEqual(self.collector.of_request(untold.headers["x-request-id"]), [])
        providers = {"local": provider("openai-compatible", self.upstream.port)}
        self.runnel.write_config({"providers": providers,
                                  "traces": {"endpoint": self.collector.endpoint, "sample": 1}})
        reloaded = get(self.runnel.port, "/admin/v1/config/reload", method="POST").json()
        self.assertEqual((reloaded["status"], reloaded["need_restart"]), ("reloaded", []))
        self.spans_of(self.ask())


class Off(GatewayTest):
    def test_nothing_is_traced_unless_it_is_asked_for(self):
        response = self.ask(headers={"traceparent": f"00-{TRACE.format(9)}-{CALLER}-01"})
        self.assertEqual(response.status, 200)
        self.assertNotIn("traceparent", self.upstream.requests[0].headers)
        self.assertNotIn("traces", get(self.runnel.port, "/readyz?verbose").json())


class Strangers(TracedTest):
    config = {"auth": {"mode": "keys"}}

    def test_do_not_fill_the_collector(self):
        trace = TRACE.format(10)
        refused = self.ask(headers={"traceparent": f"00-{trace}-{CALLER}-01"})
        self.assertEqual(refused.status, 401)
        time.sleep(2 * GATHERING)
        self.assertEqual(self.collector.posts, [])


class BadCollectors(LimitedTest):
    """Each test has its own; whatever it does, requests are answered at once."""

    def start(self, endpoint):
        self.runnel = RunnelProcess({"traces": {"endpoint": endpoint}})
        self.addCleanup(self.runnel.stop)

    def collect(self, **how):
        self.collector = FakeCollector(**how)
        self.addCleanup(self.collector.close)
        return self.collector

    def ask(self, count=1):
        """Asked one by one; none may be slow or fail. Their ids."""
        ids = []
        for _ in range(count):
            began = time.monotonic()
            response = ask(self.runnel.port, model="demo/text", stream=False)
            self.assertEqual(response.status, 200, response.body)
            self.assertLess(undisturbed(began), scaled(2))
            ids.append(response.headers["x-request-id"])
        return ids

    def figures(self):
        return get(self.runnel.port, "/readyz?verbose").json()["traces"]

    def assert_arrive(self, ids, within):
        self.assert_eventually(lambda: all(self.collector.of_request(one) for one in ids), within + LIMIT,
                               self.runnel.log())
        self.assertEqual(self.collector.problems, [])

    def assert_counted(self, sent, dropped):
        """Once the collector's last word has been heard."""
        expected = {"waiting_requests": 0, "sent_spans": sent, "dropped_spans": dropped}
        self.assert_eventually(lambda: self.figures() == expected, message=self.figures())

    def warnings(self):
        return [json.loads(line) for line in self.runnel.log().splitlines()
                if line.startswith("{") and "the collector does not take" in line]

    def test_down_and_up_again(self):
        self.collect(away=True)
        self.start(self.collector.endpoint)
        ids = self.ask(5)
        self.assert_eventually(self.warnings)
        time.sleep(2)
        self.assertEqual(self.figures()["sent_spans"], 0)
        self.collector.come()
        self.assert_arrive(ids, PAUSE_MAX)
        self.assertEqual(len(self.warnings()), 1, self.runnel.log())
        self.assert_eventually(lambda: "the collector takes traces again" in self.runnel.log())
        self.assert_counted(sent=10, dropped=0)

    def test_slow(self):
        self.collect().delay = 10
        self.start(self.collector.endpoint)
        first = self.ask(3)
        self.assert_eventually(lambda: self.collector.posts)
        later = self.ask(5)
        self.assertEqual(self.collector.spans, [], "it has answered: these were not asked meanwhile")
        self.assert_arrive(first + later, 25)
        self.assert_counted(sent=16, dropped=0)
        self.assertEqual(len(self.collector.spans), 16)  # none twice

    def test_that_ask_for_a_pause_get_it(self):
        self.collect().answers = [(503, {"Retry-After": "3"}, b"busy"), (429, {}, b"")]
        self.start(self.collector.endpoint)
        self.assert_arrive(self.ask(2), 3 + PAUSE_MAX)
        first, second, third = (post[3] for post in self.collector.posts[:3])  # of the first batch
        self.assertGreaterEqual(second - first, 2.9)
        self.assertGreaterEqual(third - second, 0.9)
        warning, = self.warnings()
        self.assertIn("status 503: busy", warning["detail"])

    def test_that_refuse_are_not_asked_twice_for_the_same(self):
        self.collect().answers = [(401, {}, b"who are you?")]
        self.start(self.collector.endpoint)
        self.ask()
        self.assert_eventually(lambda: self.figures()["dropped_spans"] == 2)
        self.assertEqual(len(self.collector.posts), 1)
        self.assert_eventually(self.warnings)
        self.assertIn("status 401: who are you?", self.warnings()[0]["detail"])
        self.assert_arrive(self.ask(), 0)
        self.assert_counted(sent=2, dropped=2)

    def test_that_take_only_some(self):
        partly = b'{"partialSuccess":{"rejectedSpans":"1","errorMessage":"too strange"}}'
        self.collect().answers = [(200, {}, partly)]
        self.start(self.collector.endpoint)
        self.ask()
        self.assert_eventually(lambda: self.figures()["dropped_spans"] == 1)
        self.assertEqual(self.figures()["sent_spans"], 1)
        self.assert_eventually(self.warnings)
        self.assertEqual(self.warnings()[0]["detail"], "too strange")

    def test_that_hang_cost_a_bounded_queue(self):
        self.collect().delay = 60
        self.start(self.collector.endpoint)
        self.ask()
        self.assert_eventually(lambda: self.collector.posts)
        many = 4500
        answered = 0
        refused = chat_bytes(model="nobody-has-this", stream=False)
        for _ in range(many // 100):
            answered += self.pipelined(refused, 100)
        self.assertEqual(answered, many)
        figures = self.figures()
        waiting, dropped = figures["waiting_requests"], figures["dropped_spans"]
        self.assertTrue(0 < waiting <= 4096 and dropped > 0, figures)
        # The others are on their way: the first one's two, or the next batch, where this took so long that they are given up.
        self.assertIn(2 + many - waiting - dropped, (2, 200), figures)
        self.ask(5)

    def pipelined(self, request, count):
        with Client(self.runnel.port) as client:
            client.send(request * count)
            return sum(client.response().status == 404 for _ in range(count))

    def test_get_the_last_spans_when_the_gateway_ends(self):
        self.collect()
        self.start(self.collector.endpoint)
        ids = self.ask(3)
        self.runnel.signal(signal.SIGTERM)
        self.assertEqual(self.runnel.wait(LIMIT), 0)
        self.assert_arrive(ids, 0)

    def test_do_not_keep_the_gateway_from_ending(self):
        self.collect().delay = 60
        self.start(self.collector.endpoint)
        self.ask(3)
        self.assert_eventually(lambda: self.collector.posts)
        began = time.monotonic()
        self.runnel.signal(signal.SIGTERM)
        self.assertEqual(self.runnel.wait(LIMIT), 0)
        self.assertLess(undisturbed(began), 3 + scaled(5))


class Environment(LimitedTest):
    def test_without_a_config_names_the_collector_as_opentelemetry_does(self):
        collector = FakeCollector()
        self.addCleanup(collector.close)
        runnel = RunnelProcess(None, ["--data", "data"], OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{collector.port}",
                               OTEL_SERVICE_NAME="from-outside")
        self.addCleanup(runnel.stop)
        self.assertEqual(ask(runnel.port, model="demo/text").status, 200)
        self.assert_eventually(lambda: collector.spans)
        self.assertEqual(collector.spans[0].resource["service.name"], "from-outside")
        self.assertEqual(collector.posts[0][0], "/v1/traces")
        self.assertEqual(collector.problems, [])
