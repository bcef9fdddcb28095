"""What failover costs while nobody fails: FOLDER RUNNEL [ROUNDS]

One gateway, and models that differ only in what they could do if their first target failed. They
are asked in turn, in an order that is shuffled each round, so that whatever else the machine does
hits all of them alike. What is compared is the time to the first token, round by round.
"""

import json
import os
import random
import socket
import subprocess
import sys
import time
from pathlib import Path
from statistics import median, quantiles

GATEWAY_CORE, LOAD_CORE = 1, 0
MOCK_PORT, GATEWAY_PORT = 9100, 9302
ROUNDS, WARM_UP = 5000, 300
START_SECONDS_MAX = 10
NOISE = 0.02  # of the first token's time: what two runs of the same differ by

BOTH = ["a/{name}", "b/{name}"]
MODELS = {
    "one target": {"targets": ["a/{name}"]},
    "two targets": {"targets": BOTH},
    "two, hedged after 5 s": {"targets": BOTH, "hedge": {"after": "5s"}},
    "two, verified continuation": {"targets": BOTH, "midstream": "verified"},
}
MEASURED = "two targets"  # the others are there to be known


def config(folder):
    mock = {"kind": "openai", "base_url": f"http://127.0.0.1:{MOCK_PORT}/v1", "api_key": "k"}
    models = {}
    for number, model in enumerate(MODELS.values()):
        name = f"m{number}"
        targets = [target.format(name=name) for target in model["targets"]]
        models[name] = {**model, "targets": targets}
    return {"data": str(folder / "run-data"), "providers": {"a": mock, "b": mock}, "models": models}


class Connection:
    """One kept connection to the gateway."""

    def __init__(self):
        end = time.monotonic() + START_SECONDS_MAX
        while True:
            try:
                self._socket = socket.create_connection(("127.0.0.1", GATEWAY_PORT), timeout=30)
                break
            except ConnectionRefusedError:
                if time.monotonic() > end:
                    sys.exit(f"Runnel did not listen within {START_SECONDS_MAX} s")
                time.sleep(0.01)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def first_token_us(self, request):
        """Microseconds from the request to the first content; reads the answer to its end."""
        began = time.perf_counter()
        self._socket.sendall(request)
        received, first = b"", None
        while not received.endswith(b"0\r\n\r\n"):
            received += self._socket.recv(1 << 16)
            if first is None and b'"delta":' in received:
                first = (time.perf_counter() - began) * 1e6
        if not received.startswith(b"HTTP/1.1 200") or first is None:
            sys.exit(f"Runnel answered {received[:300]!r}")
        return first


def request_for(model):
    messages = [{"role": "user", "content": "Hello"}]
    body = json.dumps({"model": model, "stream": True, "messages": messages}).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}"
    return head.encode() + b"\r\n\r\n" + body


def measure(rounds):
    connection = Connection()
    requests = [request_for(f"m{number}") for number in range(len(MODELS))]
    times = [[] for _ in requests]
    for number in range(WARM_UP + rounds):
        order = random.sample(range(len(requests)), len(requests))
        taken = {index: connection.first_token_us(requests[index]) for index in order}
        if number >= WARM_UP:
            for index, microseconds in taken.items():
                times[index].append(microseconds)
    return times


def report(times):
    """Prints the table; says whether a second target costs nothing that can be told from noise."""
    alone = times[0]
    met = None
    print("| model | first token p50, µs | p90, µs | difference to one target, p50, µs | |")
    print("|---|---|---|---|---|")
    for name, taken in zip(MODELS, times):
        difference = median(ours - base for ours, base in zip(taken, alone))
        verdict = ""
        if name == MEASURED:
            met = difference <= max(1, NOISE * median(alone))
            verdict = "pass" if met else "MISS"
        figures = f"{median(taken):.0f} | {quantiles(taken, n=10)[8]:.0f} | {difference:+.1f}"
        print(f"| {name} | {figures} | {verdict} |")
    return met


def start(command, core):
    os.sched_setaffinity(0, {core})  # inherited
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    os.sched_setaffinity(0, {LOAD_CORE})
    return process


def main():
    folder, runnel = Path(sys.argv[1]), sys.argv[2]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else ROUNDS
    file = folder / "failover.yaml"
    file.write_text(json.dumps(config(folder)))  # JSON is YAML
    address = f"127.0.0.1:{GATEWAY_PORT}"
    mock = start([folder / "mock_upstream", "--port", str(MOCK_PORT), "--chunks", "1"], LOAD_CORE)
    gateway = start([runnel, "serve", "--config", file, "--listen", address, "--threads", "1"],
                    GATEWAY_CORE)
    try:
        met = report(measure(rounds))
    finally:
        for process in (gateway, mock):
            process.terminate()
            process.wait()
    print(f"\n{rounds:,} rounds; the goal is {NOISE:.0%} of the first token's time, or 1 µs.")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
