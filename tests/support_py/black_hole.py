"""An address that neither accepts nor refuses: a listener whose queue is full, so that further SYNs are dropped."""

import os
import socket

QUEUE_FILLERS_MAX = 16


class BlackHole:
    def __init__(self):
        self._listener = socket.socket()
        self._listener.bind(("127.0.0.1", 0))
        self._listener.listen(0)
        self.port = self._listener.getsockname()[1]
        self._fillers = []
        while self._takes_another():
            assert len(self._fillers) < QUEUE_FILLERS_MAX, "the listener's queue never fills"

    def _takes_another(self):
        filler = socket.socket()
        filler.settimeout(0.2)
        self._fillers.append(filler)
        try:
            filler.connect(("127.0.0.1", self.port))
        except TimeoutError:
            return False
        return True

    def connecting(self, pid):
        """How many sockets of that process are still trying to connect here."""
        own = _socket_inodes(pid)
        with open("/proc/net/tcp", encoding="ascii") as table:
            rows = [line.split() for line in table][1:]
        return sum(
            int(row[2].split(":")[1], 16) == self.port and row[3] == "02" and row[9] in own
            for row in rows)

    def close(self):
        for filler in self._fillers:
            filler.close()
        self._listener.close()


def _socket_inodes(pid):
    inodes = set()
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            link = os.readlink(f"/proc/{pid}/fd/{name}")
        except FileNotFoundError:
            continue
        if link.startswith("socket:["):
            inodes.add(link[len("socket:[") : -1])
    return inodes
