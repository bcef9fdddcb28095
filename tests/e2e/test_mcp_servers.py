"""Real MCP servers from npm behind the gateway: over standard input and output, and over Streamable HTTP."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from client import chat_bytes, eventually
from frames import finish_of, frames_of, text_of
from gateway_test import GatewayTest
from pace import LIMIT, NOTICED, scaled
from sockets_of import connections_of
from stalls import undisturbed
from tools_test import call, calls, says

sys.path.append(str(Path(__file__).resolve().parent.parent / "agent"))

import npm_servers

npm_servers.install()

EVERYTHING = str(npm_servers.PACKAGES / "server-everything" / "dist" / "index.js")
FILESYSTEM = str(npm_servers.PACKAGES / "server-filesystem" / "dist" / "index.js")
DIALECTS = ("openai", "timeline", "agent", "agent-raw")
LONG = '{"duration": 30, "steps": 30}'


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        found = file.read().split()
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
                found += file.read().split()
        except FileNotFoundError:
            pass
    return sorted(set(found))


@unittest.skipUnless(npm_servers.are_there(), "the packages of npm could not be installed")
class McpServersTest(GatewayTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name).resolve()
        (cls.folder / "note.txt").write_text("remember the milk\n", encoding="utf-8")
        with socket.create_server(("127.0.0.1", 0)) as free:
            cls.http_port = free.getsockname()[1]
        server = subprocess.Popen(["node", EVERYTHING, "streamableHttp"], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, env={**os.environ, "PORT": str(cls.http_port)})
        cls.addClassCleanup(server.wait)
        cls.addClassCleanup(server.kill)

        def listens():
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", cls.http_port)) == 0

        assert eventually(listens, 2 * LIMIT), "server-everything does not listen"
        cls.config = {
            "tools": {"local": {"mcp": {"command": "node", "args": [EVERYTHING, "stdio"]}, "timeout": "20s",
                                "allow": ["echo", "get-sum", "trigger-long-running-operation"]},
                      "remote": {"mcp": f"http://127.0.0.1:{cls.http_port}/mcp", "timeout": "20s",
                                 "allow": ["echo", "get-sum", "trigger-long-running-operation"]},
                      "files": {"mcp": {"command": "node", "args": [FILESYSTEM, str(cls.folder)]}}},
            "models": {"stdio": {"targets": ["local/m"], "tools": ["local"]},
                       "http": {"targets": ["local/m"], "tools": ["remote"]},
                       "all": {"targets": ["local/m"], "tools": ["local", "remote", "files"]}},
        }
        super().setUpClass()

    def ask_for_stream(self, model, dialect="openai"):
        response = self.ask(model=model, headers={"X-Stream-Dialect": dialect})
        self.assertEqual(response.status, 200, response.body)
        return response

    def results(self):
        """What the model was told of its calls."""
        return [message["content"] for message in self.upstream.requests[-1].json()["messages"]
                if message["role"] == "tool"]


class Rounds(McpServersTest):
    def test_five_rounds_of_three_tools_side_by_side(self):
        for model in ("stdio", "http"):
            for dialect in DIALECTS:
                with self.subTest(model, dialect=dialect):
                    self.upstream.forget()
                    for number in range(5):
                        made = [call("get-sum", json.dumps({"a": number, "b": i}), i + 1) for i in range(3)]
                        self.upstream.play(calls(*made, text=f"round {number} "))
                    self.upstream.play(says("done"))
                    body = self.ask_for_stream(model, dialect).body
                    frames = [json.loads(line[6:]) for line in body.decode().splitlines()
                              if line.startswith("data: {")]
                    self.assertEqual(len(self.upstream.requests), 6)
                    self.assertEqual(self.results(), [f"The sum of {number} and {i} is {number + i}."
                                                      for number in range(5) for i in range(3)])
                    self.assertTrue(text_of(frames).endswith("done"))
                    self.assertEqual(body.count(b'"finish_reason":"stop"'), 1)
                    self.assertEqual(body.count(b"[DONE]"), 1)
                    if dialect == "timeline":
                        states = [frame["servertool"]["state"] for frame in frames if "servertool" in frame]
                        self.assertEqual(sorted(states), ["Completed"] * 15 + ["Created"] * 15 + ["Running"] * 15)
                    if dialect.startswith("agent"):
                        self.assertEqual(sum(frame.get("type") == "tool_trace" and frame["ok"] for frame in frames), 15)

    def test_several_servers_in_one_round(self):
        note = str(self.folder / "note.txt")
        self.upstream.play(calls(call("echo", '{"message":"here"}'), call("remote_echo", '{"message":"there"}', 2),
                                 call("read_text_file", json.dumps({"path": note}), 3),
                                 call("read_text_file", '{"path":"/etc/hostname"}', 4)), says("done"))
        frames = frames_of(self.ask_for_stream("all").body)
        self.assertEqual((text_of(frames), finish_of(frames)), ("done", "stop"))
        results = self.results()
        self.assertEqual(results[:3], ["Echo: here", "Echo: there", "remember the milk\n"])
        self.assertIn("Access denied", results[3])


class Leaving(McpServersTest):
    def open_now(self):
        """What the gateway has running and open: processes, descriptors, connections to others."""
        outwards = [connection for connection in connections_of(self.runnel.pid)
                    if connection.state == "ESTABLISHED" and connection.local_port != self.runnel.port]
        return len(children_of(self.runnel.pid)), self.runnel.open_files(), len(outwards)

    def open_at_rest(self):
        """The same, when it has been so for a while."""
        seen = [self.open_now()]
        while len(seen) < 5 or len(set(seen[-5:])) > 1:
            time.sleep(scaled(0.05))
            seen.append(self.open_now())
        return seen[-1]

    def is_no_more_than(self, before):
        """Servers close connections that wait for the next request when they like."""
        return all(now <= then for now, then in zip(self.open_now(), before))

    def test_a_client_that_leaves_in_the_middle_of_a_tool_leaves_nothing_behind(self):
        for model in ("stdio", "http"):
            for stream in (True, False):
                with self.subTest(model, stream=stream):
                    # A busy machine may be late once, but not every time.
                    self.assertLess(min(self.leave(model, stream) for _ in range(3)), NOTICED)

    def leave(self, model, stream):
        """How long it took until all was as before."""
        whole = json.dumps({"choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
            "role": "assistant", "content": None,
            "tool_calls": [call("trigger-long-running-operation", LONG)]}}]}).encode()
        self.upstream.forget()
        self.upstream.play(calls(call("echo", '{"message":"x"}')), says("done"))
        self.ask_for_stream(model)  # so that servers and connections are there
        before = self.open_at_rest()
        self.upstream.forget()
        self.upstream.play(calls(call("trigger-long-running-operation", LONG)) if stream
                           else lambda exchange: exchange.reply(200, whole))
        client = self.connect()
        client.send(chat_bytes(model=model, stream=stream, headers={"X-Stream-Dialect": "agent"}))
        if stream:
            client.head()
            while b"tool_start" not in client.next_piece():
                pass
        self.assert_eventually(lambda: self.upstream.requests)
        time.sleep(0.3)
        self.assert_eventually(lambda: not self.is_no_more_than(before))  # the tool is at work
        left = time.monotonic()
        client.close()
        self.assert_eventually(lambda: self.is_no_more_than(before))
        took = undisturbed(left)
        time.sleep(0.2)
        self.assertEqual(len(self.upstream.requests), 1)
        self.assertTrue(self.is_no_more_than(before), f"{self.open_now()} after {before}")
        return took
