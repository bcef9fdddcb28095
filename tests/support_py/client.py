"""A raw HTTP/1.1 client: a test decides every byte and every pause, and sees what each read brought."""

import json
import socket
import struct
import time

from pace import LIMIT
from runnel_process import ADMIN_TOKEN
from stalls import undisturbed

READ_BYTES = 1 << 18


class Body:
    """Takes a response body out of its framing, piece by piece."""

    def __init__(self, head):
        self.done = False
        self.excess = b""  # bytes after the end of the body
        self.chunked = "chunked" in head.headers.get("transfer-encoding", "")
        length = head.headers.get("content-length")
        self.remaining = int(length) if length is not None else None
        self._pending = b""
        self._in_chunk = 0
        bodiless = head.status in (204, 304) or head.status < 200
        if bodiless or self.remaining == 0:
            self.done = True

    def feed(self, data):
        if self.done:
            self.excess += data
            return b""
        if self.chunked:
            return self._feed_chunks(data)
        if self.remaining is None:
            return data
        taken, self.excess = data[: self.remaining], data[self.remaining :]
        self.remaining -= len(taken)
        self.done = self.remaining == 0
        return taken

    def _feed_chunks(self, data):
        self._pending += data
        out = b""
        while not self.done:
            if self._in_chunk > 0:
                piece = self._pending[: self._in_chunk]
                self._pending = self._pending[len(piece) :]
                self._in_chunk -= len(piece)
                out += piece
                if self._in_chunk > 0:
                    break
                self._in_chunk = -2  # the line end after the data
            if self._in_chunk == -2:
                if len(self._pending) < 2:
                    break
                assert self._pending[:2] == b"\r\n", self._pending[:20]
                self._pending = self._pending[2:]
                self._in_chunk = 0
            line, found, rest = self._pending.partition(b"\r\n")
            if not found:
                break
            size = int(line, 16)
            if size > 0:
                self._pending, self._in_chunk = rest, size
                continue
            if not rest.startswith(b"\r\n"):
                break
            self.done, self.excess, self._pending = True, rest[2:], b""
        return out

    def end_of_connection(self):
        """Says whether the peer may close here."""
        whole = self.done or (not self.chunked and self.remaining is None)
        self.done = True
        return whole


class Response:
    def __init__(self, head):
        status_line, *fields = head.decode("latin-1").split("\r\n")
        self.version, status, *_ = status_line.split(" ", 2)
        self.status = int(status)
        self.fields = [tuple(part.strip() for part in field.split(":", 1)) for field in fields]
        self.headers = {name.lower(): value for name, value in self.fields}
        self.body = b""

    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        return self.json()["error"]


class Client:
    def __init__(self, port, tls=None, receive_buffer=None, segment=None, source=None, first=b""):
        """`port` may be the path of a local socket; `source`: the address it comes from, one of 127.0.0.0/8; `first`: what
        is sent before TLS begins."""
        local = isinstance(port, str)
        self.socket = socket.socket(socket.AF_UNIX if local else socket.AF_INET)
        if source:
            self.socket.bind((source, 0))
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        if segment:  # as on a real network: loopback's are so large that the peer's kernel keeps megabytes
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, segment)
        self.socket.settimeout(LIMIT)
        self.socket.connect(port if local else ("127.0.0.1", port))
        if not local:
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(first)
        if tls is not None:
            self.socket = tls.wrap_socket(self.socket, server_hostname="localhost")
        self._unread = b""
        self._body = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def reset(self):
        """Closes with RST in place of FIN."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def request(self, method, path, body=b"", headers=None):
        self.send(request_bytes(method, path, body, headers))

    def head(self):
        """The next response's status and header fields; next_piece() brings its body."""
        while b"\r\n\r\n" not in self._unread:
            data = self.socket.recv(READ_BYTES)
            if not data:
                raise EOFError(f"closed before the end of the head: {self._unread[:200]!r}")
            self._unread += data
        head, _, self._unread = self._unread.partition(b"\r\n\r\n")
        response = Response(head)
        self._body = Body(response)
        return response

    def next_piece(self):
        """What the next read brings of the body; empty at its end."""
        while not self._body.done:
            data, self._unread = self._unread, b""
            if not data:
                data = self.socket.recv(READ_BYTES)
                if not data:
                    if not self._body.end_of_connection():
                        raise EOFError("closed in the middle of the body")
                    return b""
            piece = self._body.feed(data)
            if piece:
                return piece
        self._unread, self._body.excess = self._body.excess + self._unread, b""
        return b""

    def rest(self):
        pieces = []
        while piece := self.next_piece():
            pieces.append(piece)
        return b"".join(pieces)

    def response(self):
        """The next response, interim ones left out."""
        response = self.head()
        while response.status < 200:
            response = self.head()
        response.body = self.rest()
        return response

    def is_closed_by_peer(self, within):
        """True when the peer closes the connection, in whichever way, without sending more."""
        self.socket.settimeout(within)
        try:
            return self.socket.recv(1) == b""
        except TimeoutError:
            return False
        except OSError:
            return True
        finally:
            self.socket.settimeout(LIMIT)


def request_bytes(method, path, body=b"", headers=None):
    fields = {"Host": "gateway.localhost", **(headers or {})}
    names = {name.lower() for name in fields}
    if body and "transfer-encoding" not in names and "content-length" not in names:
        fields["Content-Length"] = str(len(body))
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode("latin-1") + body


ADMIN_PATHS = ("/admin/", "/metrics", "/readyz?verbose")
CHAT_PATH = "/v1/chat/completions"


def chat_body(model="local/m", stream=True, text="Hi", **fields):
    messages = [{"role": "user", "content": text}]
    return json.dumps({"model": model, "stream": stream, "messages": messages, **fields}).encode()


def chat_bytes(body=None, headers=None, path=CHAT_PATH, **fields):
    """A whole chat request, ready to be sent."""
    fields_of_head = {"Content-Type": "application/json", **(headers or {})}
    return request_bytes("POST", path, chat_body(**fields) if body is None else body, fields_of_head)


def ask(port, tls=None, **request):
    """One chat request on a connection of its own."""
    with Client(port, tls) as client:
        client.send(chat_bytes(**request))
        return client.response()


def get(port, path, method="GET", headers=None):
    """What only the admin may ask is asked as the admin, unless the test says with which headers."""
    if headers is None and path.startswith(ADMIN_PATHS):
        headers = {"Authorization": f"Bearer {ADMIN_TOKEN}"}
    with Client(port) as client:
        client.request(method, path, headers=headers)
        return client.response()


def eventually(condition, within):
    """Waits until the condition holds; says whether it did in time, which is not that in which the machine stalls."""
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > within and undisturbed(began) > within:
            return False
        time.sleep(0.002)
    return True
