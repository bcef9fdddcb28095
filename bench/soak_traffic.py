"""What a soak sends and answers with: clients good and bad, and providers in every mood."""

import collections
import json
import random
import socket
import threading
import time

import behaviours
from client import Client, chat_body, chat_bytes, request_bytes
from frames import error_of, finish_of, frames_of
from imposter import Target
from tools_test import call, calls

HOLD_SECONDS = 3  # what a client that says nothing stays for
PIECE = "as one reads it, " * 240  # 4 KiB


def long_answer(exchange):
    """More than a slow reader takes before it leaves, in pieces."""
    if not exchange.streamed:
        return behaviours.well(exchange, PIECE * 64)
    exchange.head()
    for _ in range(200):
        exchange.delta(PIECE)
    return exchange.finish("stop", exchange.connection.upstream.usage)


def tool_rounds(exchange):
    """Calls a tool, and answers when it has the result."""
    messages = exchange.request.json()["messages"]
    if any(message["role"] == "tool" for message in messages):
        return behaviours.well(exchange)
    if exchange.streamed:
        return calls(call("calculator", '{"expression":"6*7"}'))(exchange)
    made = {"role": "assistant", "content": None, "tool_calls": [call("calculator", '{"expression":"6*7"}')]}
    answer = {"choices": [{"index": 0, "finish_reason": "tool_calls", "message": made}]}
    return exchange.reply(200, json.dumps(answer).encode())


HOSTILE = [behaviours.status(500), behaviours.status(429), behaviours.reset, behaviours.hang_up, behaviours.silence,
           behaviours.an_error_without_end, behaviours.headers_then(behaviours.reset), behaviours.error_in_200,
           behaviours.part_then(behaviours.hang_up), behaviours.part_then(behaviours.reset), behaviours.empty,
           behaviours.part_then(behaviours.silence), behaviours.garbage, behaviours.html, behaviours.only_pings,
           behaviours.with_a_broken_frame, behaviours.without_terminal, behaviours.without_finish]

BAD_FRAMING = [b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"POST /v1/chat/completions\r\n\r\n",
               b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
               b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5;" + b"e" * 20_000,
               b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}",
               b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
               b"GET /healthz HTTP/1.1\r\nHost: x\r\n" + b"A: " + b"b" * 100_000 + b"\r\n\r\n"]


class Moody(Target):
    """Well half of the time, and anything else the other half. It remembers nothing, however long it runs."""

    def __init__(self, name, random_source, good=0.5):
        super().__init__(name)
        self._random = random_source
        self._good = good

    def take_script(self, exchange):
        exchange.over = False
        self.connections[:] = [one for one in self.connections if one.socket.fileno() >= 0]
        model = exchange.request.json().get("model", "")
        if model == "tools":
            return self._tolerant(tool_rounds)
        if model == "long":
            return self._tolerant(long_answer)
        good = self._random.random() < self._good
        return self._tolerant(behaviours.well if good else self._random.choice(HOSTILE))

    @staticmethod
    def _tolerant(script):
        def play(exchange):
            try:
                script(exchange)
            except (OSError, ValueError):
                exchange.keep_alive = False  # whoever asked is gone

        return play


class Invalid(Exception):
    """An answer that no client may get."""


def check_stream(body, model):
    try:
        frames = frames_of(body)
        if error_of(frames):
            return "stream with an error frame"
        if not finish_of(frames):
            raise Invalid(f"{model}: neither a finish nor an error")
        return "stream"
    except (AssertionError, ValueError, KeyError, UnicodeDecodeError) as error:
        raise Invalid(f"{model}: {error}") from error


def check_whole(response, model):
    try:
        if response.status == 200:
            assert response.json()["choices"][0]["message"]["role"] == "assistant"
            return "whole answer"
        assert response.error["message"]
        return f"status {response.status}"
    except (AssertionError, ValueError, KeyError, IndexError) as error:
        raise Invalid(f"{model}: {response.status}: {error!r} {response.body[:200]!r}") from error


class Traffic:
    """Clients, until they are told to stop: each takes one kind of request after another."""

    def __init__(self, port, seed, count_max):
        self.port = port
        self.outcomes = collections.Counter()
        self.invalid = []
        self._random = random.Random(seed)
        self._left = count_max
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._threads = []

    KINDS = [("stream", 30), ("whole", 20), ("tools", 8), ("big", 3), ("abort", 12), ("abort_upload", 4), ("slow_reader", 3),
             ("half_open", 3), ("bad_framing", 6), ("pipelined", 4), ("health", 5)]

    def start(self, clients):
        self._stop.clear()
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(clients)]
        for thread in self._threads:
            thread.start()

    def stop(self):
        self._stop.set()
        for thread in self._threads:
            thread.join(120)
            if thread.is_alive():
                self._note_invalid("a client", "waits for two minutes after everybody was told to stop")

    def running(self):
        return not self._stop.is_set() and self._left > 0

    def _take(self):
        names, weights = zip(*self.KINDS)
        with self._lock:
            self._left -= 1
            return self._random.choices(names, weights)[0]

    def _note(self, outcome):
        with self._lock:
            self.outcomes[outcome] += 1

    def _note_invalid(self, kind, what):
        with self._lock:
            self.outcomes["INVALID"] += 1
            if len(self.invalid) < 20:
                self.invalid.append(f"{kind}: {what}")

    def _work(self):
        while self.running():
            kind = self._take()
            try:
                self._note(f"{kind}: {getattr(self, kind)()}")
            except Invalid as error:
                self._note_invalid(kind, error)
            except EOFError as error:
                self._note_invalid(kind, error)
            except TimeoutError:
                self._note_invalid(kind, "no answer in time")
            except OSError as error:
                self._note(f"{kind}: {type(error).__name__}")

    def model(self):
        return self._random.choice(["one", "two", "hedged"])

    def stream(self, model=None):
        model = model or self.model()
        with Client(self.port) as client:
            client.send(chat_bytes(model=model))
            response = client.response()
            return check_stream(response.body, model) if response.status == 200 else check_whole(response, model)

    def tools(self):
        return self.stream("tools")

    def whole(self, text="Hi"):
        model = self.model()
        with Client(self.port) as client:
            client.send(chat_bytes(model=model, stream=False, text=text))
            return check_whole(client.response(), model)

    def big(self):
        return self.whole("a large text " * self._random.randrange(20_000, 200_000))

    def pipelined(self):
        """Two requests on one connection; the second is sent before the first is answered."""
        with Client(self.port) as client:
            model = self.model()
            client.send(chat_bytes(model=model, stream=False) + request_bytes("GET", "/healthz"))
            said = check_whole(client.response(), model)
            if client.response().status != 200:
                raise Invalid("the second of two requests failed")
            return said

    def health(self):
        with Client(self.port) as client:
            client.request("GET", "/healthz")
            if client.response().status != 200:
                raise Invalid("/healthz is not well")
            return "200"

    def abort(self):
        with Client(self.port) as client:
            client.send(chat_bytes(model="long"))
            if self._random.random() < 0.7:
                client.head()
                client.next_piece()
            leave = client.reset if self._random.random() < 0.5 else client.close
            leave()
            return "left"

    def abort_upload(self):
        with Client(self.port) as client:
            request = chat_bytes(model="one", text="x" * 500_000)
            client.send(request[: self._random.randrange(len(request))])
            client.reset()
            return "left"

    def slow_reader(self):
        with Client(self.port, receive_buffer=4096) as client:
            client.send(chat_bytes(model="long"))
            client.head()
            until = time.monotonic() + 2 * HOLD_SECONDS
            while time.monotonic() < until and client.next_piece():
                time.sleep(0.02)
            return "read slowly"

    def half_open(self):
        with Client(self.port) as client:
            part = chat_bytes(body=chat_body(model="one"))
            client.send(part[: self._random.randrange(len(part))])
            client.socket.shutdown(socket.SHUT_WR) if self._random.random() < 0.3 else time.sleep(HOLD_SECONDS)
            return "held"

    def bad_framing(self):
        with Client(self.port) as client:
            client.send(self._random.choice(BAD_FRAMING))
            client.socket.settimeout(HOLD_SECONDS)
            try:
                response = client.head()
            except (EOFError, OSError):
                return "closed, or nothing said"
            if response.status < 400:
                raise Invalid(f"status {response.status}")
            return f"status {response.status}"
