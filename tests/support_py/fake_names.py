"""A name server (UDP) that says what it is told to, and notes what it was asked."""

import ipaddress
import socket
import struct
import threading

TYPES = {1: "A", 28: "AAAA"}
SILENCE = object()  # no answer at all


class FakeNames:
    """`names`: by name, the addresses; or SILENCE; or by type ("A", "AAAA") either of them; or bytes that follow the
    header and the question as they are. What is not there does not exist."""

    def __init__(self, names, ttl=60):
        self.names = names
        self.ttl = ttl
        self.asked = []
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def count(self, name):
        return sum(1 for asked, _ in self.asked if asked == name)

    def _serve(self):
        while True:
            try:
                query, client = self._socket.recvfrom(4096)
            except OSError:
                return  # closed
            if not query:
                return
            reply = self._reply(query)
            if reply is not None:
                self._socket.sendto(reply, client)

    def _reply(self, query):
        labels, at = [], 12
        while query[at]:
            labels.append(query[at + 1 : at + 1 + query[at]].decode())
            at += query[at] + 1
        name, question = ".".join(labels).lower(), query[12 : at + 5]
        kind = TYPES.get(struct.unpack(">H", query[at + 1 : at + 3])[0], "?")
        self.asked.append((name, kind))
        known = self.names.get(name)
        if isinstance(known, dict):
            known = known.get(kind, ())
        if known is SILENCE:
            return None
        if isinstance(known, bytes):
            return query[:2] + b"\x81\x80\0\x01\0\x01\0\0\0\0" + question + known
        records = b""
        count = 0
        for text in known or ():
            address = ipaddress.ip_address(text)
            if (address.version == 4) != (kind == "A"):
                continue
            count += 1
            records += (b"\xc0\x0c" + struct.pack(">HHIH", 1 if kind == "A" else 28, 1, self.ttl, len(address.packed))
                        + address.packed)
        code = b"\x81\x80" if known is not None else b"\x81\x83"
        return query[:2] + code + struct.pack(">HHHH", 1, count, 0, 0) + question + records

    def close(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as knock:
            knock.sendto(b"", self._socket.getsockname())
        self._socket.close()
