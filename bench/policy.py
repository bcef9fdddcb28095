"""What it costs to know who asks, to count, to keep and to look: FOLDER RUNNEL [ROUNDS]

Gateways that differ only in what is on. They are asked in turn, in an order that is shuffled each round, by the same load
generator, and the processor time of each is compared within the round: what else the machine does hits all of them alike.
"""

import json
import os
import random
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from statistics import median

GATEWAY_CORE, LOAD_CORE = 1, 0
MOCK_PORT, FIRST_PORT = 9100, 9310
ROUNDS, SECONDS = 7, 1.5  # of each gateway and kind of request in a round
START_SECONDS_MAX = 10
ADMIN_TOKEN = "bench-admin-token"
CHUNKS = 100

PATTERNS = [r"\bproject (?:falcon|heron)\b", r"internal use only", r"\bINC-[0-9]{6}\b", r"(?i)confidential", r"\b[A-Z]{3}-[0-9]{4}\b",
            r"begin secret.{0,20}end secret", r"(?i)\bpassword is\b", r"\b10\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\b"]
WORDS = ["nightingale", "top secret", "blackbird", "moonshot", "hemlock", "nitroglycerin", "acme merger"]
KINDS = ["email", "phone", "card", "iban", "secret"]
RULES = ([{"name": f"pii-{kind}", "pii": [kind]} for kind in KINDS]
         + [{"name": f"pattern-{number}", "patterns": [pattern], "action": "redact"} for number, pattern in enumerate(PATTERNS)]
         + [{"name": f"words-{number}", "words": [word]} for number, word in enumerate(WORDS)])
assert len(RULES) == 20

KEYS = {"auth": {"mode": "keys"}, "limits": {"each_address": {"rpm": 100_000_000}},
        "prices": {"mock/*": {"input": 1, "output": 2}}}
# `data` that can't be made: then nothing is recorded.
VARIANTS = {
    "nothing": {"data": "/proc/nowhere"},
    "log": {},
    "log, keys, limits, budget": KEYS,
    "guardrails (20 rules)": {"data": "/proc/nowhere", "guardrails": RULES},
    "all of it": {**KEYS, "guardrails": RULES},
}
MEASURED = "all of it"  # the others are there to be known

KINDS_OF_REQUEST = {  # name: what the mock does, how it is asked, what it is divided by, the goal
    "request": ("chunks=1,bytes=20", ["-c", "64"], "ok", 1.15),
    "chunk, one by one": (f"chunks={CHUNKS},bytes=20", ["-c", "64", "--stream", "--lazy-us", "200"], "chunks", 1.3),
    "chunk, all at once": (f"chunks={CHUNKS},bytes=20,coalesce=0", ["-c", "64", "--stream"], "chunks", 1.3),
}


class Gateway:
    def __init__(self, folder, runnel, name, number, fields):
        self.name = name
        self.port = FIRST_PORT + number
        data = folder / f"policy-data-{number}"
        mock = {"kind": "openai", "base_url": f"http://127.0.0.1:{MOCK_PORT}/v1", "api_key": "k"}
        config = {"data": str(data), "admin": {"token": ADMIN_TOKEN}, "providers": {"mock": mock}, **fields}
        file = folder / f"policy-{number}.yaml"
        file.write_text(json.dumps(config))  # JSON is YAML
        os.sched_setaffinity(0, {GATEWAY_CORE})  # inherited
        self.process = subprocess.Popen([runnel, "serve", "--config", file, "--listen", f"127.0.0.1:{self.port}", "--threads", "1"],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.sched_setaffinity(0, {LOAD_CORE})
        self._wait()
        self.header = []
        if "auth" in config:
            self.header = ["-H", f"authorization: Bearer {self._make_key()}"]
            time.sleep(1.5)  # until it is known

    def _wait(self):
        end = time.monotonic() + START_SECONDS_MAX
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=1).close()
                return
            except OSError:
                if time.monotonic() > end:
                    sys.exit(f"The gateway with {self.name} did not listen within {START_SECONDS_MAX} s")
                time.sleep(0.02)

    def _make_key(self):
        limits = {"rpm": 100_000_000, "tpm": 1_000_000_000_000, "concurrency": 10_000}
        body = json.dumps({"name": "bench", "limits": limits, "budget": {"usd": 1_000_000}}).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/admin/v1/keys", body,
                                         {"Authorization": f"Bearer {ADMIN_TOKEN}"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)["key"]

    def cpu_ns(self):
        """Of all its threads: what the log costs is spent on the store's."""
        tasks = Path(f"/proc/{self.process.pid}/task")
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks.iterdir())

    def stop(self):
        self.process.terminate()
        self.process.wait()


def cost(folder, gateway, arguments, divided_by, seconds):
    """Nanoseconds of processor time for each request or chunk."""
    command = ["taskset", "-c", str(LOAD_CORE), folder / "loadgen", "--url", f"http://127.0.0.1:{gateway.port}/v1/chat/completions",
               "--model", "mock/m", *gateway.header, *arguments, "-d", str(seconds), "--timeout", "30"]
    before = gateway.cpu_ns()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    time.sleep(0.3)  # the last rows go into the store
    after = gateway.cpu_ns()
    result = json.loads(done.stdout.strip().splitlines()[-1])
    if result["errors"] or not result["ok"]:
        sys.exit(f"{gateway.name}: {result['ok']} answers, {result['errors']} failures: {done.stdout[:600]}")
    count = result["ok"] if divided_by == "ok" else result["ok"] * CHUNKS
    return (after - before) / count


def measure(folder, gateways, rounds):
    """costs[kind][name]: one figure for each round"""
    costs = {kind: {gateway.name: [] for gateway in gateways} for kind in KINDS_OF_REQUEST}
    for number in range(rounds + 1):
        for kind, (mock, arguments, divided_by, _) in KINDS_OF_REQUEST.items():
            url = f"http://127.0.0.1:{MOCK_PORT}/__mock/set?{mock.replace(',', '&')}"
            if "coalesce" not in mock:
                url += "&coalesce=1"
            urllib.request.urlopen(urllib.request.Request(url, b"", method="POST"), timeout=5).close()
            for gateway in random.sample(gateways, len(gateways)):
                figure = cost(folder, gateway, arguments, divided_by, SECONDS)
                if number > 0:  # the first is to warm up
                    costs[kind][gateway.name].append(figure)
        print(f"round {number} of {rounds}", file=sys.stderr, flush=True)
    return costs


def report(costs):
    met = True
    print("| CPU for a … | with | µs | × nothing | goal | |")
    print("|---|---|---|---|---|---|")
    for kind, (_, _, _, goal) in KINDS_OF_REQUEST.items():
        base = costs[kind]["nothing"]
        for name, figures in costs[kind].items():
            ratio = median(ours / theirs for ours, theirs in zip(figures, base))
            verdict = ("pass" if ratio <= goal else "MISS") if name == MEASURED else ""
            met = met and verdict != "MISS"
            print(f"| {kind} | {name} | {median(figures) / 1000:.2f} | {ratio:.2f} | {goal if verdict else ''} | {verdict} |")
    return met


def main():
    folder, runnel = Path(sys.argv[1]), sys.argv[2]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else ROUNDS
    mock = subprocess.Popen(["taskset", "-c", str(LOAD_CORE), folder / "mock_upstream", "--port", str(MOCK_PORT)],
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    gateways = []
    try:
        for number, (name, fields) in enumerate(VARIANTS.items()):
            gateways.append(Gateway(folder, runnel, name, number, fields))
        met = report(measure(folder, gateways, rounds))
    finally:
        for process in gateways:
            process.stop()
        mock.terminate()
        mock.wait()
    print(f"\n{rounds} rounds of {SECONDS} s for each; a ratio is taken within a round, the table has the medians.")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
