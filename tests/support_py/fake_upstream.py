"""A provider that does as it is told: every request is answered by a script, a function that gets the Exchange and
decides what is sent when, and how the connection ends."""

import collections
import json
import socket
import ssl
import struct
import threading
import time

from provider_wires import USAGE, wire_for

HOLD_LIMIT = 90  # a script that waits for a close that never comes ends here


class Request:
    def __init__(self, head, body):
        request_line, *fields = head.decode("latin-1").split("\r\n")
        self.method, self.target, self.version = request_line.split(" ")
        self.headers = {}
        for field in fields:
            name, _, value = field.partition(":")
            self.headers[name.lower()] = value.strip()
        self.body = body

    def json(self):
        return json.loads(self.body)


class Exchange:
    """One request and the means to answer it, badly if need be."""

    def __init__(self, connection, request):
        self.connection = connection
        self.request = request
        self.wire = wire_for(request.target)
        self.framing = "chunked"
        self.keep_alive = True
        self.arrived_at = time.monotonic()
        self.bytes_sent = 0
        self._started = False

    @property
    def streamed(self):
        """Whether a stream was asked for."""
        request = self.request
        return "stream" in request.target.lower() or (
            "generateContent" not in request.target and request.json().get("stream", False))

    @property
    def key(self):
        """The API key that came with the request, wherever its provider has it."""
        headers = self.request.headers
        bearer = headers.get("authorization", "").removeprefix("Bearer ")
        return bearer or headers.get("x-api-key") or headers.get("x-goog-api-key") or ""

    def raw(self, data):
        self.connection.socket.sendall(data)
        self.bytes_sent += len(data)

    def head(self, status=200, framing="chunked", headers=(), length=0, content_type=None,
             version="HTTP/1.1"):
        self.raw(self.head_bytes(status, framing, headers, length, content_type, version))

    def head_bytes(self, status=200, framing="chunked", headers=(), length=0, content_type=None,
                   version="HTTP/1.1"):
        self.framing = framing
        fields = [("Content-Type", content_type or self.wire.content_type), *headers]
        if framing == "chunked":
            fields.append(("Transfer-Encoding", "chunked"))
        elif framing == "length":
            fields.append(("Content-Length", str(length)))
        else:
            self.keep_alive = False  # only the end of the connection ends the body
        if version == "HTTP/1.0":
            self.keep_alive = False
        if ("Connection", "close") in fields:
            self.keep_alive = False
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields)
        return f"{version} {status} Reason\r\n{lines}\r\n".encode("latin-1")

    def framed(self, data):
        """The bytes of a piece of the body on the wire."""
        if self.framing == "chunked":
            return f"{len(data):x}\r\n".encode() + data + b"\r\n"
        return data

    def body(self, data):
        self.raw(self.framed(data))

    def delta_bytes(self, text):
        start = b"" if self._started else self.wire.start
        self._started = True
        return start + self.wire.delta(text)

    def delta(self, text):
        self.body(self.delta_bytes(text))

    def finish(self, finish="stop", usage=USAGE):
        """The finish reason, usage, and the end of the body, in one segment."""
        self.raw(self.framed(self.wire.finish(finish, usage)) + self.end_bytes())

    def end_bytes(self):
        return b"0\r\n\r\n" if self.framing == "chunked" else b""

    def stream(self, *texts, gap=0.0):
        self.head()
        for text in texts:
            self.delta(text)
            time.sleep(gap)
        self.finish()

    def reply(self, status, body, headers=(), content_type="application/json"):
        """A whole response with its length."""
        head = self.head_bytes(status, "length", headers, len(body), content_type)
        self.raw(head + body)

    def hold(self, seconds=HOLD_LIMIT):
        """Says nothing until Runnel closes the connection; False when it did not in that time."""
        return self.connection.wait_for_close(seconds)

    def fin(self):
        self.keep_alive = False
        self.connection.close()

    def reset(self):
        self.keep_alive = False
        self.connection.reset()


def speak(exchange):
    """What a well-behaved provider does: streams or not, as it was asked."""
    if exchange.streamed:
        exchange.stream("Hel", "lo")
    else:
        exchange.reply(200, exchange.wire.whole("Hello"))


class InStep:
    """A script that says one text after another, each when the client is ready for the next one."""

    def __init__(self, *texts):
        self._texts = texts
        self._ready = threading.Semaphore(0)

    def __call__(self, exchange):
        exchange.head()
        for text in self._texts:
            exchange.delta(text)
            self._ready.acquire(timeout=HOLD_LIMIT)
        exchange.finish()

    def go_on(self, times=1):
        self._ready.release(times)


class Connection:
    def __init__(self, upstream, accepted):
        self.upstream = upstream
        self.socket = accepted
        self.opened_at = time.monotonic()
        self.closed_at = None  # when Runnel closed it
        self.requests = 0
        self.tls_resumed = None
        self._unread = b""

    def serve(self):
        try:
            if self.upstream.tls is not None:
                self.socket = self.upstream.tls.wrap_socket(self.socket, server_side=True)
                self.tls_resumed = self.socket.session_reused
            while (request := self._next_request()) is not None:
                self.requests += 1
                exchange = Exchange(self, request)
                script = self.upstream.take_script(exchange)
                script(exchange)
                if not exchange.keep_alive:
                    break
        except (OSError, ssl.SSLError):
            self._note_close()
        finally:
            self.close()

    def _receive(self):
        data = self.socket.recv(1 << 18)
        if not data:
            self._note_close()
        return data

    def _next_request(self):
        while b"\r\n\r\n" not in self._unread:
            data = self._receive()
            if not data:
                return None
            self._unread += data
        head, _, rest = self._unread.partition(b"\r\n\r\n")
        request = Request(head, b"")
        length = int(request.headers.get("content-length", 0))
        pieces = [rest]
        size = len(rest)
        while size < length:
            data = self._receive()
            if not data:
                return None
            pieces.append(data)
            size += len(data)
        body = b"".join(pieces)
        request.body, self._unread = body[:length], body[length:]
        return request

    def wait_for_close(self, seconds):
        self.socket.settimeout(seconds)
        try:
            while self._receive():
                pass
        except TimeoutError:
            self.socket.settimeout(None)
            return False
        except OSError:
            self._note_close()
        return True

    def _note_close(self):
        if self.closed_at is None:
            self.closed_at = time.monotonic()

    def close(self):
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.socket.close()

    def reset(self):
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


class FakeUpstream:
    def __init__(self, tls=None, send_buffer=None):
        self.tls = tls
        self.script = speak  # for requests that no play() is meant for
        self.connections = []
        self.exchanges = []
        self._next_scripts = collections.deque()
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        if send_buffer:
            self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def play(self, *scripts):
        """The next requests, in their order, are answered by these."""
        with self._lock:
            self._next_scripts.extend(scripts)

    def forget(self):
        with self._lock:
            self.script = speak
            self._next_scripts.clear()
            self.connections.clear()
            self.exchanges.clear()

    @property
    def requests(self):
        return [exchange.request for exchange in self.exchanges]

    def take_script(self, exchange):
        with self._lock:
            self.exchanges.append(exchange)
            return self._next_scripts.popleft() if self._next_scripts else self.script

    def _accept(self):
        while True:
            try:
                accepted, _ = self._listener.accept()
            except OSError:
                return  # closed
            accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection = Connection(self, accepted)
            with self._lock:
                self.connections.append(connection)
            threading.Thread(target=connection.serve, daemon=True).start()

    def close(self):
        # Wakes the thread in accept(), which close() alone does not.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in self.connections:
            connection.close()
