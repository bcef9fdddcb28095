"""An address that neither accepts nor refuses: a listener whose queue is full, so that further SYNs are dropped."""

import socket

from sockets_of import connections_of

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
        return sum(connection.remote_port == self.port and connection.state == "SYN_SENT"
                   for connection in connections_of(pid))

    def close(self):
        for filler in self._fillers:
            filler.close()
        self._listener.close()

