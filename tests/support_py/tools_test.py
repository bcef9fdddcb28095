"""What the tests of tools that the gateway runs share: turns of a model, a tool that takes its time, and a model that has it."""

import http.server
import json
import threading
import time

from client import chat_bytes, eventually
from gateway_test import GatewayTest
from pace import LIMIT

CLIENT_TOOL = {"type": "function", "function": {"name": "theirs", "parameters": {"type": "object"}}}


def call(name, arguments="{}", number=1):
    return {"index": number - 1, "id": f"call_{number}", "type": "function",
            "function": {"name": name, "arguments": arguments}}


def calls(*made, text=""):
    """A turn of an OpenAI-like model that calls tools."""
    def script(exchange):
        exchange.head()
        if text:
            exchange.delta(text)
        exchange.body(exchange.wire._chunk({"tool_calls": list(made)}))
        exchange.finish("tool_calls", (20, 6))
    return script


def says(*texts):
    """A turn that is an answer."""
    def script(exchange):
        exchange.head()
        for text in texts:
            exchange.delta(text)
        exchange.finish("stop", (35, 4))
    return script


def streams(*parts, finish="stop"):
    """An answer in chunks of OpenAI's shape: texts, or whole deltas."""
    def script(exchange):
        exchange.head()
        for part in parts:
            exchange.body(exchange.wire._chunk({"content": part} if isinstance(part, str) else part))
        exchange.finish(finish)
    return script


class SlowTool(http.server.BaseHTTPRequestHandler):
    """Sleeps as long as it is told to, and says when it was asked and when it was left."""
    asked = []
    left = []
    meeting = 1  # it answers when so many have been asked

    def do_GET(self):
        SlowTool.asked.append(time.monotonic())
        seconds = float(self.path.split("=")[-1])
        self.connection.settimeout(seconds)
        try:
            if self.connection.recv(1) == b"":
                SlowTool.left.append(time.monotonic())
                return
        except TimeoutError:
            pass
        eventually(lambda: len(SlowTool.asked) >= SlowTool.meeting, LIMIT)
        body = json.dumps({"slept": seconds}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class ToolsTest(GatewayTest):
    ping = "15s"
    models = {}  # besides "op"
    limits = {}
    tools = {}   # besides "nap", and "hasty", which is the same with little patience

    @classmethod
    def setUpClass(cls):
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), SlowTool)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.addClassCleanup(cls.server.server_close)
        cls.addClassCleanup(cls.server.shutdown)
        nap = {"url": f"http://127.0.0.1:{cls.server.server_address[1]}/", "method": "GET", "description": "sleeps",
               "parameters": {"type": "object", "properties": {"seconds": {"type": "number"}}}}
        cls.config = {
            "ping": cls.ping, "limits": cls.limits,
            "tools": {"nap": {"http": nap}, "hasty": {"http": nap, "timeout": "200ms"}, **cls.tools},
            "models": {"op": {"targets": ["local/m", "llama/m"], "tools": ["calculator", "nap"], "max_tool_rounds": 3},
                       **cls.models},
        }
        super().setUpClass()

    def setUp(self):
        super().setUp()
        SlowTool.asked.clear()
        SlowTool.left.clear()
        SlowTool.meeting = 1

    def stream(self, dialect="openai", model="op", **fields):
        client = self.connect()
        client.send(chat_bytes(model=model, stream=True, headers={"X-Stream-Dialect": dialect}, **fields))
        response = client.response()
        self.assertEqual(response.status, 200, response.body)
        return response

    def plain_frames(self, response):
        """As JSON, whatever their shape; without [DONE], which must be there."""
        data = [line[6:] for line in response.body.decode().split("\n") if line.startswith("data: ")]
        self.assertEqual(data[-1], "[DONE]")
        return [json.loads(frame) for frame in data[:-1]]
