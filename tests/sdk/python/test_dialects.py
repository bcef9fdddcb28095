"""The openai package of PyPI over streams that show tools which the gateway runs."""

import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import openai

GOLDEN = Path(__file__).resolve().parents[2] / "fixtures" / "golden" / "v05_server_tool"


class Recorded(BaseHTTPRequestHandler):
    """Answers with the specification's vector in the dialect that the path begins with."""

    def do_POST(self):
        dialect = self.path.split("/")[1]
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write((GOLDEN / f"{dialect}.sse").read_bytes())

    def log_message(self, *_):
        pass


class ToolFrames(unittest.TestCase):
    def setUp(self):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Recorded)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)

    def stream(self, dialect):
        url = f"http://127.0.0.1:{self.server.server_port}/{dialect}"
        client = openai.OpenAI(base_url=url, api_key="x", max_retries=0, timeout=20)
        self.addCleanup(client.close)
        return client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "gas?"}], stream=True
        )

    def test_a_loop_over_choices_0_of_an_agents_stream_prints_the_answer(self):
        printed, types = "", []
        for chunk in self.stream("agent"):
            types.append(getattr(chunk, "type", None))
            if chunk.choices[0].delta.content:
                printed += chunk.choices[0].delta.content
        self.assertEqual(printed, "0.01 gwei")
        self.assertEqual(types, ["agent_text", "tool_start", "tool_trace", None, None])

    def test_a_timelines_steps_come_in_their_order(self):
        steps = []
        for chunk in self.stream("timeline"):
            if getattr(chunk, "servertool", None):
                steps.append(chunk.servertool["state"])
            elif chunk.choices[0].delta.content:
                steps.append(chunk.choices[0].delta.content)
        self.assertEqual(steps, ["let me look", "Created", "Running", "Completed", "0.01 gwei"])


if __name__ == "__main__":
    unittest.main()
