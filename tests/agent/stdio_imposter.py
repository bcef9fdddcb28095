#!/usr/bin/env python3
"""An MCP server over standard input and output that misbehaves as its arguments say.

usage: stdio_imposter.py [--modern] [HABIT[=VALUE]]...     the habits are the methods do_HABIT and the words below
"""

import json
import os
import signal
import subprocess
import sys
import time

TEXT = {"type": "object", "properties": {"text": {"type": "string"}}}
OUT = os.fdopen(os.dup(1), "wb", 0)


def send(message):
    OUT.write(json.dumps(message).encode() + b"\n")


class Imposter:
    def __init__(self, habits, modern):
        self.habits = habits
        self.modern = modern
        self.tools = [{"name": "run", "inputSchema": TEXT}]
        self.held = []
        self.seen = []

    def has(self, habit):
        return habit in self.habits

    def result(self, message, value):
        send({"jsonrpc": "2.0", "id": message["id"], "result": value})

    def text(self, message, text):
        self.result(message, {"content": [{"type": "text", "text": text}]})

    def serve(self):
        for line in sys.stdin:
            message = json.loads(line)
            self.seen.append(message)
            self.take(message)

    def take(self, message):
        method = message.get("method")
        if method == "server/discover" and self.modern:
            self.result(message, {"resultType": "complete", "supportedVersions": ["2026-07-28"],
                                  "capabilities": {"tools": {"listChanged": True}}})
        elif method == "initialize" and not self.modern:
            self.result(message, {"protocolVersion": "2025-06-18", "capabilities": {"tools": {"listChanged": True}}})
        elif method == "tools/list":
            self.result(message, {"tools": self.tools})
        elif method == "tools/call":
            self.call(message)
        elif "id" in message and method:
            if self.has("dies-of-the-unknown"):
                sys.exit(7)
            if not self.has("ignores-the-unknown"):
                send({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "Method not found"}})

    def call(self, message):
        """The tool does what its one argument says."""
        wanted, _, value = message["params"]["arguments"].get("text", "").partition("=")
        act = getattr(self, "do_" + wanted.replace("-", "_"), None)
        if act:
            act(message, value)
        else:
            self.text(message, wanted)

    def do_pid(self, message, _):
        self.text(message, str(os.getpid()))

    def do_die(self, message, value):
        print("about to die", file=sys.stderr, flush=True)
        os._exit(int(value or 1))

    def do_hang(self, message, _):
        pass

    def do_sleep(self, message, value):
        time.sleep(float(value))
        self.text(message, "slept")

    def do_seen(self, message, _):
        self.text(message, json.dumps([one.get("method") or one for one in self.seen]))

    def do_cancelled(self, message, _):
        self.text(message, json.dumps([one["params"] for one in self.seen
                                       if one.get("method") == "notifications/cancelled"]))

    def do_environment(self, message, _):
        self.text(message, json.dumps(dict(os.environ)))

    def do_descriptors(self, message, _):
        self.text(message, json.dumps(sorted(os.readlink(f"/proc/self/fd/{name}").split(":")[0]
                                             for name in os.listdir("/proc/self/fd")
                                             if os.path.exists(f"/proc/self/fd/{name}"))))

    def do_folder(self, message, _):
        self.text(message, os.getcwd())

    def do_huge(self, message, value):
        self.text(message, "x" * int(value))

    def do_broken_json(self, message, _):
        OUT.write(b'{"jsonrpc":"2.0","id":%d,"result":{]}\n' % message["id"])

    def do_wrong_ids(self, message, _):
        for wrong in (message["id"] + 1000, -1, "abc", None):
            send({"jsonrpc": "2.0", "id": wrong, "result": {"content": [{"type": "text", "text": "wrong"}]}})
        self.text(message, "right")

    def do_noise(self, message, _):
        OUT.write(b"Loading model...\n\n\xff\xfe\n[1,2]\n")
        self.text(message, "after the noise")

    def do_split(self, message, _):
        text = json.dumps({"jsonrpc": "2.0", "id": message["id"],
                           "result": {"content": [{"type": "text", "text": "whole"}]}}) + "\r\n"
        for byte in text.encode():
            OUT.write(bytes([byte]))
            time.sleep(0.001)

    def do_hold(self, message, value):
        """Answers when so many are there, the last one first."""
        self.held.append(message)
        if len(self.held) == int(value):
            for held in reversed(self.held):
                self.text(held, str(held["id"]))
            self.held.clear()

    def do_ask(self, message, _):
        send({"jsonrpc": "2.0", "id": "ping-1", "method": "ping"})
        send({"jsonrpc": "2.0", "id": 5, "method": "elicitation/create", "params": {}})
        answers = [json.loads(sys.stdin.readline()) for _ in range(2)]
        self.text(message, json.dumps(answers))

    def do_change(self, message, value):
        self.tools.append({"name": value, "inputSchema": TEXT})
        send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        self.text(message, "changed")

    def do_chatter(self, message, value):
        for number in range(int(value)):
            print(f"line {number} " + "x" * 2000, file=sys.stderr)
        sys.stderr.flush()
        self.text(message, "said a lot")

    def do_stop_reading(self, message, _):
        time.sleep(1000)


def main():
    arguments = sys.argv[1:]
    modern = "--modern" in arguments
    habits = dict(one.partition("=")[::2] for one in arguments if one != "--modern")
    if "exits-at-once" in habits:
        print("no config: SECRET_TOKEN=sk-abcdef0123456789abcdef missing", file=sys.stderr)
        sys.exit(int(habits["exits-at-once"]))
    if "prints-a-banner" in habits:
        OUT.write(b"*** Imposter 1.0 ***\n")
    if "has-a-child" in habits:
        # One that would live on by itself, and holds our output open.
        child = subprocess.Popen(["sleep", "1000"], stdin=subprocess.DEVNULL)
        with open(habits["has-a-child"], "w", encoding="ascii") as file:
            file.write(f"{os.getpid()} {child.pid}")
    if "will-not-go" in habits:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(float(habits.get("starts-slowly", 0)))
    imposter = Imposter(habits, modern)
    imposter.serve()
    while imposter.has("will-not-go"):
        time.sleep(1)


if __name__ == "__main__":
    main()
