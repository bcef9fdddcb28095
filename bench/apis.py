"""What a request and a chunk cost in each API beside what they cost in chat completions: RUNNEL [REPETITIONS]

Instructions of the gateway's own process, as callgrind counts them: they are the same however busy the machine is. The
upstream is OpenAI-like for all, and writes its chunks one by one: the next one when the client has the last.
"""

import http.client
import http.server
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

REPETITIONS = 20
FEW, MANY = 20, 120  # chunks of a stream
START_SECONDS_MAX = 120
WORDS = "The quick brown fox"
RATIO_MAX = 1.2

MESSAGES = [{"role": "user", "content": "Hello there, who are you?"}]
APIS = {  # name: path of a stream, path of a whole answer, body
    "chat": ("/v1/chat/completions", "/v1/chat/completions", {"messages": MESSAGES}),
    "messages": ("/v1/messages", "/v1/messages", {"messages": MESSAGES, "max_tokens": 100}),
    # Nothing else of the four is stored by default.
    "responses": ("/v1/responses", "/v1/responses", {"input": MESSAGES, "store": False}),
    "gemini": ("/v1beta/models/mock%2Fm:streamGenerateContent?alt=sse", "/v1beta/models/mock%2Fm:generateContent",
               {"contents": [{"role": "user", "parts": [{"text": MESSAGES[0]["content"]}]}]}),
}
MEASURED = {"request, whole": ("messages", "responses"), "chunk": ("messages", "responses")}  # that have a goal


class Upstream(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    chunks = 1
    client_is_ready = threading.Semaphore(0)

    def setup(self):
        super().setup()
        self.connection.setsockopt(6, 1, 1)  # TCP_NODELAY

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.stream() if request.get("stream") else self.answer()

    def head(self, content_type, *more):
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        for field in more:
            self.send_header(*field)
        self.end_headers()

    def answer(self):
        choice = {"index": 0, "message": {"role": "assistant", "content": WORDS}, "finish_reason": "stop"}
        body = json.dumps({"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice],
                           "usage": {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}}).encode()
        self.head("application/json", ("Content-Length", str(len(body))))
        self.wfile.write(body)

    def frame(self, choices, **fields):
        value = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices, **fields}
        data = b"data: " + json.dumps(value).encode() + b"\n\n"
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def stream(self):
        self.head("text/event-stream", ("Transfer-Encoding", "chunked"))
        for _ in range(Upstream.chunks):
            self.frame([{"index": 0, "delta": {"content": WORDS}, "finish_reason": None}])
            Upstream.client_is_ready.acquire(timeout=60)
        self.frame([{"index": 0, "delta": {}, "finish_reason": "stop"}])
        self.frame([], usage={"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12})
        self.wfile.write(b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")
        self.wfile.flush()

    def log_message(self, *_):
        pass


class Gateway:
    """Under callgrind."""

    def __init__(self, runnel, folder, upstream_port):
        self.folder = folder
        mock = {"kind": "openai", "base_url": f"http://127.0.0.1:{upstream_port}/v1", "api_key": "k"}
        config = {"data": "/proc/nowhere", "providers": {"mock": mock}, "policy": {"timeouts": {"connect": "60s", "first_token": "120s"}}}
        (folder / "runnel.yaml").write_text(json.dumps(config))  # JSON is YAML
        # Older valgrinds give up on the line tables of newer compilers.
        subprocess.run(["strip", "--strip-debug", "-o", folder / "runnel", runnel], check=True)
        with open(folder / "log", "wb") as log:
            self.process = subprocess.Popen(
                ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/counts", folder / "runnel", "serve", "--config",
                 folder / "runnel.yaml", "--listen", "127.0.0.1:0", "--threads", "1"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.port = self._port()

    def _port(self):
        end = time.monotonic() + START_SECONDS_MAX
        while time.monotonic() < end and self.process.poll() is None:
            found = re.search(r"127\.0\.0\.1:([1-9][0-9]*)", (self.folder / "log").read_text(errors="replace"))
            if found:
                return int(found[1])
            time.sleep(0.1)
        sys.exit(f"The gateway does not listen under valgrind:\n{(self.folder / 'log').read_text(errors='replace')}")

    def _control(self, what):
        subprocess.run(["callgrind_control", what, str(self.process.pid)], check=True, stdout=subprocess.DEVNULL)

    def instructions_of(self, work):
        self._control("--zero")
        work()
        before = set(self.folder.glob("counts.*"))
        self._control("--dump")
        dumped, = set(self.folder.glob("counts.*")) - before
        counted = re.search(rb"^(?:summary|totals): ([0-9]+)", dumped.read_bytes(), re.MULTILINE)
        return int(counted[1])

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()


class Client:
    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def ask(self, path, body):
        self.connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        answer = self.connection.getresponse()
        if answer.status != 200:
            sys.exit(f"{path} answers {answer.status}: {answer.read()[:300]}")
        return answer

    def whole(self, api):
        _, path, body = APIS[api]
        text = self.ask(path, {"model": "mock/m", **body}).read()
        assert WORDS.encode() in text, text

    def stream(self, api, chunks):
        path, _, body = APIS[api]
        Upstream.chunks = chunks
        while Upstream.client_is_ready.acquire(blocking=False):
            pass
        answer = self.ask(path, {"model": "mock/m", "stream": True, **body})
        seen = 0
        while piece := answer.read1():
            seen += piece.count(WORDS.encode())
            Upstream.client_is_ready.release()
        assert seen >= chunks, (api, seen)


def costs_of(api, gateway, client, repetitions):
    def streams(chunks):
        return gateway.instructions_of(lambda: [client.stream(api, chunks) for _ in range(repetitions)]) / repetitions

    for _ in range(3):  # what is done once
        client.whole(api)
        client.stream(api, 5)
    whole = gateway.instructions_of(lambda: [client.whole(api) for _ in range(repetitions)]) / repetitions
    few, many = streams(FEW), streams(MANY)
    chunk = (many - few) / (MANY - FEW)
    return {"request, whole": whole, "request, streamed": few - FEW * chunk, "chunk": chunk}


def measure(runnel, repetitions):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    os.environ["NO_PROXY"] = "127.0.0.1"
    with tempfile.TemporaryDirectory() as folder:
        gateway = Gateway(runnel, Path(folder), server.server_address[1])
        try:
            client = Client(gateway.port)
            return {api: costs_of(api, gateway, client, repetitions) for api in APIS}
        finally:
            gateway.stop()
            server.shutdown()


def main():
    runnel = Path(sys.argv[1])
    repetitions = int(sys.argv[2]) if len(sys.argv) > 2 else REPETITIONS
    costs = measure(runnel, repetitions)
    failed = False
    print("| instructions | " + " | ".join(APIS) + " | goal |")
    print("|---|" + "---|" * (len(APIS) + 1))
    for kind in costs["chat"]:
        cells = []
        for api in APIS:
            ratio = costs[api][kind] / costs["chat"][kind]
            cells.append(f"{costs[api][kind]:,.0f}" + ("" if api == "chat" else f" ({ratio:.2f} ×)"))
            failed |= api in MEASURED.get(kind, ()) and ratio > RATIO_MAX
        goal = f"{' and '.join(MEASURED[kind])} ≤ {RATIO_MAX} ×" if kind in MEASURED else ""
        print(f"| {kind} | " + " | ".join(cells) + f" | {goal} |")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
