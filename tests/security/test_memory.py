"""However much is sent, the gateway keeps no more of it than it may, and says so to whoever it refuses."""

import http.server
import json
import os
import select
import signal
import subprocess
import tempfile
import threading

from attack_table import AttackTest, attack
from client import Client, chat_bytes, get
from fake_upstream import FakeUpstream
from frames import frames_of
from gateway_test import LimitedTest, provider
from metrics_page import MetricsPage
from pace import BINARY, LIMIT, SANITIZER
from runnel_process import STOP_LIMIT, environment
from tools_test import call, calls, says

MIB = 1 << 20
PIECE = "x" * (256 << 10)
ONE_ANSWER = 128 * MIB  # limits::held_answer_bytes
BUDGET = 64 * MIB
SLACK = 96 * MIB  # the allocator's own, the parser's, one frame on its way


def without_end(piece):
    """An answer of such deltas that ends when the gateway has had enough of it."""
    def script(exchange):
        exchange.head()
        while exchange.bytes_sent < 2 * ONE_ANSWER:
            exchange.body(exchange.wire._chunk(piece))
        exchange.hold()
    return script


class MemoryTest(AttackTest):
    def assert_grows_less(self, before, bytes_max):
        if not SANITIZER:
            self.assertLess(self.memory() - before, bytes_max)


class AnswerTest(MemoryTest):
    bytes_max = 0

    def refused(self, piece, **request):
        """What the client is told in the end; the upstream must have been left long before its own."""
        before = self.memory()
        self.upstream.play(without_end(piece))
        response = self.ask(**request)
        exchange = self.upstream.exchanges[0]
        self.assert_eventually(lambda: exchange.connection.closed_at is not None)
        self.assertLess(exchange.bytes_sent, 2 * ONE_ANSWER)
        self.assertEqual(len(self.upstream.exchanges), 1, "nobody is asked for it again")
        self.assert_grows_less(before, self.bytes_max + SLACK)
        return response


class OneAnswer(AnswerTest):
    """There is memory for more, but no answer may have it."""
    config = {"limits": {"memory": "4GiB"}, "policy": {"retries": 0}, "ping": "off"}
    bytes_max = ONE_ANSWER

    @attack("upstream", "a stream without an end, to a client that wants the answer whole", "502, and the upstream is left")
    def test_whole_answer_without_end(self):
        response = self.refused({"content": PIECE}, stream=False)
        self.assert_error(response, 502)
        self.assertIn("more than 128 MiB", response.error["message"])

    @attack("upstream", "tool arguments without an end", "502, and the upstream is left")
    def test_tool_arguments_without_end(self):
        call = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "theirs", "arguments": PIECE}}
        tool = {"type": "function", "function": {"name": "theirs", "parameters": {"type": "object"}}}
        before = self.memory()
        self.upstream.play(without_end({"tool_calls": [call]}))
        self.assert_error(self.ask(stream=False, tools=[tool]), 502)
        self.assert_grows_less(before, SLACK)

    @attack("upstream", "two hundred thousand annotations in one answer", "502")
    def test_annotations_without_number(self):
        annotations = [{"type": "url_citation", "url_citation": {"url": f"http://a/{number}", "title": "b"}}
                       for number in range(200_000)]
        message = json.dumps({"role": "assistant", "content": "Hi", "annotations": annotations})
        body = ('{"id":"u1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":'
                + message + ',"finish_reason":"stop"}]}').encode()
        before = self.memory()
        self.upstream.script = lambda exchange: exchange.reply(200, body)
        self.assert_error(self.ask(stream=False), 502)
        self.assert_grows_less(before, ONE_ANSWER + SLACK)


class HeldBack(AnswerTest):
    """What no client sees until something else comes, where there is little memory."""
    config = {**OneAnswer.config, "limits": {"memory": "64MiB"}}
    bytes_max = BUDGET

    @attack("upstream", "reasoning without an end that the client does not want to see", "503, and the upstream is left")
    def test_hidden_reasoning_without_end(self):
        response = self.refused({"reasoning_content": PIECE}, include_reasoning=False)
        self.assert_error(response, 503, "overloaded")

    @attack("upstream", "pages that it cites beside its choices, without an end", "503, and the upstream is left")
    def test_sources_without_end(self):
        def script(exchange):
            exchange.head()
            number = 0
            while exchange.bytes_sent < 2 * ONE_ANSWER:
                cited = [f"http://a/{number}/{other}/{PIECE[:1000]}" for other in range(200)]
                exchange.body(b'data: {"choices":[{"index":0,"delta":{"content":"a"}}],"citations":' + json.dumps(cited).encode() + b"}\n\n")
                number += 1
            exchange.hold()

        before = self.memory()
        self.upstream.play(script)
        response = self.ask()
        self.assertEqual(frames_of(response.body)[-1]["error"]["code"], "overloaded")
        self.assert_grows_less(before, 2 * BUDGET + SLACK)

    @attack("upstream", "text without an end where the client wants JSON only", "an error, and the upstream is left")
    def test_json_without_end(self):
        response = self.refused({"content": '{"a":"' + PIECE}, json_only=True)
        self.assert_error(response, 503, "overloaded")


class ManyAnswers(MemoryTest):
    """Each is of a size that one may have; there is not memory for all of them."""
    config = {"limits": {"memory": "64MiB"}, "threads": 2, "policy": {"retries": 0}, "ping": "off",
              "metrics": {"access": "open"}}

    def level(self):
        page = MetricsPage(get(self.runnel.port, "/metrics").body.decode())
        return page.sum("runnel_memory_bytes"), page.sum("runnel_memory_limit_bytes")

    def crowd(self, count, **request):
        """So many clients at a time, none of whom reads."""
        clients = [self.connect(receive_buffer=1 << 16) for _ in range(count)]
        for one in clients:
            one.send(chat_bytes(**request))
        return clients

    def answers_of(self, clients):
        """What each is told when it reads at last."""
        found = []
        threads = [threading.Thread(target=lambda one=one: found.append(one.response())) for one in clients]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LIMIT)
        self.assertEqual(len(found), len(clients), "all are answered")
        return found

    @attack("upstream", "forty whole answers of 4 MiB that do not end", "503 with Retry-After beyond the budget, small ones are served")
    def test_whole_answers(self):
        done = threading.Event()

        def script(exchange):
            exchange.head()
            for _ in range(16):
                exchange.delta(PIECE)
            done.wait(LIMIT)
            exchange.finish()

        before = self.memory()
        self.upstream.play(*[script] * 40)
        clients = self.crowd(40, stream=False)
        sockets = [one.socket for one in clients]
        self.assert_eventually(lambda: len(select.select(sockets, [], [], 0)[0]) > 20)
        taken, limit = self.level()
        self.assertEqual(limit, BUDGET)
        self.assertLessEqual(taken, limit)
        self.assertEqual(get(self.runnel.port, "/healthz").status, 200)
        done.set()
        answers = self.answers_of(clients)
        self.assert_grows_less(before, BUDGET + SLACK)
        refused = [one for one in answers if one.status != 200]
        self.assertGreater(len(refused), 20)
        self.assertLess(len(refused), 40, "what runs goes on")
        for one in refused:
            self.assert_error(one, 503, "overloaded")
            self.assertIn("retry-after", one.headers)
        self.assert_eventually(lambda: self.level()[0] < MIB)

    def test_the_limit_is_read_again(self):
        self.reload(limits={"memory": "128MiB"})
        self.assert_eventually(lambda: self.level()[1] == 2 * BUDGET)
        self.reload(limits={"memory": "64MiB"})
        self.assert_eventually(lambda: self.level()[1] == BUDGET)

    @attack("tenant", "forty streams of huge pieces, none of which is read", "error frames beyond the budget, others are told to come later, and served then")
    def test_slow_readers(self):
        def script(exchange):
            exchange.head()
            exchange.delta("y" * (6 * MIB))
            exchange.finish()

        before = self.memory()
        self.upstream.play(*[script] * 40)
        clients = self.crowd(40)
        self.assert_eventually(lambda: self.level()[0] > BUDGET // 2)
        self.assert_grows_less(before, BUDGET + 2 * SLACK)
        self.assertEqual(get(self.runnel.port, "/healthz").status, 200)
        for _ in range(5):
            response = self.ask(text="short")
            if response.status != 200:
                self.assert_error(response, 503, "overloaded")
                self.assertIn("retry-after", response.headers)
        answers = self.answers_of(clients)
        self.assertGreater(sum(one.status == 200 for one in answers), 1, "what runs goes on")
        for one in answers:
            if one.status == 200:
                frames_of(one.body)  # a whole answer, or one that ends with an error: both end well
            else:
                self.assert_error(one, 503, "overloaded")
        self.assert_eventually(lambda: self.level()[0] < MIB)


class StoredAnswers(MemoryTest):
    config = {"limits": {"memory": "64MiB"}, "threads": 2}

    @attack("tenant", "what it has stored, 12 MiB, asked for forty times, none of which is read",
            "503 and Retry-After beyond the budget, and all is well afterwards")
    def test_what_was_stored_is_not_read(self):
        asked = json.dumps({"model": "local/m", "input": "a" * (12 * MIB)}).encode()
        stored = self.ask(body=asked, path="/v1/responses").json()["id"]
        path = f"/v1/responses/{stored}/input_items"
        self.assert_eventually(lambda: len(get(self.runnel.port, path).body) > 12 * MIB)
        before = most = self.memory()
        clients = [self.connect(receive_buffer=1 << 16) for _ in range(40)]
        for one in clients:
            one.request("GET", path)
        heads = []
        for one in clients:
            heads.append(one.head())
            most = max(most, self.memory())
        if not SANITIZER:
            self.assertLess(most - before, 2 * BUDGET + SLACK)
        self.assertEqual({head.status for head in heads}, {200, 503})
        self.assertTrue(all("retry-after" in head.headers for head in heads if head.status == 503))
        for one in clients:
            one.close()
        self.assert_eventually(lambda: get(self.runnel.port, path).status == 200)


class EndlessTool(http.server.BaseHTTPRequestHandler):
    sent = 0

    def do_GET(self):
        EndlessTool.sent = 0
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        try:
            while EndlessTool.sent < 2 * ONE_ANSWER:
                self.wfile.write(PIECE.encode())
                EndlessTool.sent += len(PIECE)
        except OSError:
            pass

    def log_message(self, *_):
        pass


class ToolResults(MemoryTest):
    @classmethod
    def setUpClass(cls):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), EndlessTool)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        cls.addClassCleanup(server.server_close)
        cls.addClassCleanup(server.shutdown)
        tool = {"url": f"http://127.0.0.1:{server.server_address[1]}/", "method": "GET", "description": "talks",
                "parameters": {"type": "object", "properties": {}}}
        cls.config = {"limits": {"memory": "64MiB"}, "tools": {"talker": {"http": tool}},
                      "models": {"op": {"targets": ["local/m"], "tools": ["talker"]}}}
        super().setUpClass()

    @attack("upstream", "eight tool results without an end", "they are cut, and the model answers")
    def test_results_without_end(self):
        before = self.memory()
        self.upstream.play(calls(*[call("talker", number=number + 1) for number in range(8)]), says("Done"))
        response = self.ask(model="op", stream=False)
        self.assertEqual(response.status, 200, response.body)
        self.assertEqual(response.json()["choices"][0]["message"]["content"], "Done")
        self.assertLess(len(self.upstream.requests[1].body), 4 * MIB)
        self.assert_grows_less(before, SLACK)


class ManyFields(MemoryTest):
    config = {"threads": 2}

    def body_with(self, fields):
        return b'{"model":"local/m","messages":[{"role":"user","content":"Hi"' + fields

    def refused(self, body):
        """Others are served while it is read."""
        attacker = self.connect()
        attacker.send(chat_bytes(body=body))
        for _ in range(10):
            self.assertEqual(self.ask().status, 200)
        return attacker.response()

    @attack("stranger", "a body of a million fields (11 MiB)", "400, and others are served meanwhile")
    def test_fields_of_the_request(self):
        for count, told in ((400_000, "400002 fields"), (1_000_000, "500000 values")):
            fields = b",".join(b'"a%d":0' % number for number in range(count))
            response = self.refused(self.body_with(b"}],") + fields + b"}")
            self.assert_error(response, 400, "invalid_value")
            self.assertIn(told, response.error["message"])

    @attack("stranger", "one field a million times", "400")
    def test_the_same_field(self):
        fields = b",".join([b'"temperature":1'] * 1_000_000)
        self.assert_error(self.refused(self.body_with(b"}],") + fields + b"}"), 400)

    @attack("stranger", "a message of 400,000 fields; of a million contents", "400")
    def test_fields_of_a_message(self):
        fields = b",".join(b'"a%d":0' % number for number in range(400_000))
        self.assert_error(self.refused(self.body_with(b"," + fields + b"}]}")), 400, "invalid_value")
        contents = b",".join([b'"content":"a"'] * 1_000_000)
        self.assert_error(self.refused(self.body_with(b"," + contents + b"}]}")), 400)

    @attack("stranger", "200,000 content parts; 100,000 tool calls; a million stop sequences or guardrails", "400")
    def test_lists(self):
        part = b'{"type":"text","text":""}'
        call = b'{"id":"a","type":"function","function":{"name":"b"}}'
        for body in (b'{"model":"local/m","messages":[{"role":"user","content":[' + b",".join([part] * 200_000) + b"]}]}",
                     b'{"model":"local/m","messages":[{"role":"assistant","tool_calls":[' + b",".join([call] * 100_000) + b"]}]}",
                     self.body_with(b'}],"stop":[' + b",".join([b'"a"'] * 1_000_000) + b"]}"),
                     self.body_with(b'}],"guardrails":[' + b",".join([b'"a"'] * 1_000_000) + b"]}")):
            before = self.memory()
            self.assert_error(self.refused(body), 400, "invalid_value")
            self.assert_grows_less(before, 2 * SLACK)


    @attack("stranger", "14 million numbers (28 MiB), in a field, a schema, a tool's schema or a call's arguments", "400, and little is kept of them")
    def test_numbers(self):
        numbers = b"0," * (14 * MIB) + b"0"
        tool = b'"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","x":['
        calls = b'{"id":"a","type":"function","function":{"name":"f","arguments":"[' + numbers + b']"}}'
        for body in (self.body_with(b'}],"x":[' + numbers + b"]}"),
                     self.body_with(b'}],"response_schema":{"x":[' + numbers + b"]}}"),
                     self.body_with(b"}]," + tool + numbers + b"]}}}]}"),
                     b'{"model":"local/m","messages":[{"role":"assistant","tool_calls":[' + calls + b"]}]}"):
            before = self.memory()
            self.assert_error(self.refused(body), 400, "invalid_value")
            self.assert_grows_less(before, SLACK)

    @attack("tenant", "schemas of 19,000 names, for a provider whose schemas are rewritten", "it is asked, and others are served meanwhile")
    def test_schemas(self):
        names = [f"a{number}" for number in range(4000)]
        unknown = {"type": "object", **{f"x{number}": 0 for number in range(19_000)}}
        required = {"type": "object", "properties": {name: {"type": "string"} for name in names}, "required": names}
        for schema in (unknown, required):
            tool = {"type": "function", "function": {"name": "f", "parameters": schema}}
            attacker = self.connect()
            attacker.send(chat_bytes(model="google/gemini-2.5-pro", tools=[tool]))
            for _ in range(10):
                self.assertEqual(self.ask().status, 200)
            self.assertEqual(attacker.response().status, 200)


class WholeAnswers(MemoryTest):
    """JSON that takes far more memory as values than as text."""
    config = {"threads": 1, "policy": {"retries": 0}}

    def answer(self, content, more=""):
        body = ('{"id":"u1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":'
                + json.dumps({"role": "assistant", "content": content}) + ',"finish_reason":"stop"}]' + more + "}").encode()
        self.upstream.script = lambda exchange: exchange.reply(200, body)

    @attack("upstream", "31 million numbers in one answer (62 MiB)", "502; nothing of it stays")
    def test_numbers(self):
        before = self.memory()
        self.answer("Hi", ',"x":[' + "1," * (31 * MIB) + "1]")
        self.assert_error(self.ask(stream=False), 502)
        self.assert_eventually(lambda: SANITIZER or self.memory() - before < 2 * SLACK // 3)

    @attack("upstream", "a large answer that is read", "its memory goes back at once")
    def test_a_large_answer(self):
        before = self.memory()
        self.answer("Hi", ',"x":[' + "10000000," * (3 * MIB) + "1]")
        self.assertEqual(self.ask(stream=False).status, 200)
        self.assert_eventually(lambda: SANITIZER or self.memory() - before < 16 * MIB)

    @attack("upstream", "15 million numbers where the client wants JSON by a schema", "an error, and little is kept of them")
    def test_numbers_to_be_checked(self):
        before = self.memory()
        self.answer("[" + "0," * (15 * MIB) + "0]")
        response = self.ask(stream=False, response_schema={"type": "array"})
        self.assert_error(response, 400, "response_schema_unsatisfied")
        self.assert_grows_less(before, ONE_ANSWER + SLACK)


class BlockedLog(LimitedTest):
    @attack("fault", "whoever reads stderr stops reading it", "requests are answered, SIGTERM ends the process")
    def test_nobody_reads_stderr(self):
        upstream = FakeUpstream()
        self.addCleanup(upstream.close)
        with tempfile.TemporaryDirectory(prefix="runnel-security-") as folder:
            config = {"listen": "127.0.0.1:0", "data": os.path.join(folder, "data"), "threads": 1,
                      "log": {"format": "json"}, "providers": {"local": provider("openai-compatible", upstream.port)}}
            file = os.path.join(folder, "runnel.yaml")
            with open(file, "w", encoding="utf-8") as out:
                json.dump(config, out)
            process = subprocess.Popen([BINARY, "serve", "--config", file], cwd=folder, env=environment(),
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            self.addCleanup(process.stderr.close)
            try:
                line = b""
                while b"listening on" not in line:
                    line = process.stderr.readline()
                    self.assertTrue(line, "it does not listen")
                port = int(json.loads(line)["event"].rsplit(":", 1)[1])
                # Far more than a pipe takes: a line has some hundred bytes.
                with Client(port) as asked:
                    for _ in range(600):
                        asked.send(chat_bytes(stream=False))
                        self.assertEqual(asked.response().status, 200)
                process.send_signal(signal.SIGTERM)
                self.assertEqual(process.wait(STOP_LIMIT), 0)
            finally:
                if process.poll() is None:
                    process.kill()
                    process.wait(LIMIT)
