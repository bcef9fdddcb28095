"""The openai package of PyPI over streams that show tools which the gateway runs."""

import json
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import openai

GOLDEN = Path(__file__).resolve().parents[2] / "fixtures" / "golden"
SERVER_TOOL = "v05_server_tool"


def frames_of(vector, dialect):
    lines = (GOLDEN / vector / f"{dialect}.sse").read_text(encoding="utf-8").split("\n")
    return [json.loads(line[6:]) for line in lines if line.startswith("data: ") and line != "data: [DONE]"]


class Recorded(BaseHTTPRequestHandler):
    """Answers with the specification's vector in the dialect that the path begins with, and pings between."""

    def do_POST(self):
        _, vector, dialect, *_ = self.path.split("/")
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write((GOLDEN / vector / f"{dialect}.sse").read_bytes().replace(b"\n\n", b"\n\n: ping\n\n"))

    def log_message(self, *_):
        pass


class ToolFrames(unittest.TestCase):
    def setUp(self):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Recorded)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)

    def stream(self, dialect, vector=SERVER_TOOL):
        url = f"http://127.0.0.1:{self.server.server_port}/{vector}/{dialect}"
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

    def test_a_loop_over_choices_0_prints_every_answer_that_did_not_fail(self):
        for dialect in ("openai", "agent"):
            for file in sorted(GOLDEN.glob(f"*/{dialect}.sse")):
                vector = file.parent.name
                frames = frames_of(vector, dialect)
                if not all(frame.get("choices") for frame in frames):
                    continue  # a failure, or usage in a frame of its own
                with self.subTest(vector=vector, dialect=dialect):
                    printed = "".join(chunk.choices[0].delta.content or "" for chunk in self.stream(dialect, vector))
                    self.assertEqual(printed, "".join(f["choices"][0]["delta"].get("content") or "" for f in frames))

    def test_a_recorded_failure_is_an_exception(self):
        for dialect in ("openai", "timeline", "agent"):
            with self.subTest(dialect), self.assertRaises(openai.APIError):
                list(self.stream(dialect, "v04_midstream_failure"))

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
