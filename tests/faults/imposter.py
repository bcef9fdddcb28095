"""The imposter: targets of a model that misbehave as scripted, one behaviour per request, and note what they were asked."""

import socket

from behaviours import well
from black_hole import BlackHole
from fake_upstream import FakeUpstream
from lapse import Lapse


class Target(FakeUpstream):
    """Its behaviours are used up one per request; the last one stays."""

    def __init__(self, name, *behaviours, send_buffer=None):
        super().__init__(send_buffer=send_buffer)
        self.name = name
        self.says = f"Hello from {name}"
        # Everybody counts differently, so that a test sees whose count it got.
        self.usage = (10 + ord(name), 3 + ord(name))
        self.behave(*behaviours)

    def behave(self, *behaviours):
        """From now on; what it was asked before is forgotten."""
        *first, last = behaviours or (well,)
        self.forget()
        self.play(*first)
        self.script = last

    def take_script(self, exchange):
        exchange.over = False
        script = super().take_script(exchange)

        def play(exchange):
            try:
                script(exchange)
            finally:
                exchange.over = True

        return play

    def busy(self):
        """Requests that it has neither answered nor been relieved of."""
        return [exchange for exchange in list(self.exchanges) if not exchange.over]


class Refusing:
    """A port where nobody listens, and that nobody else gets meanwhile."""

    def __init__(self, name):
        self.name = name
        self.exchanges = []
        self._socket = socket.socket()
        self._socket.bind(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]

    def busy(self):
        return []

    def close(self):
        self._socket.close()


class Unreachable(BlackHole):
    """An address that neither accepts nor refuses."""

    def __init__(self, name):
        super().__init__()
        self.name = name
        self.exchanges = []

    def busy(self):
        return []


def asked(*targets):
    """What all of them were asked, in the order in which it came."""
    return sorted((exchange for target in targets for exchange in list(target.exchanges)),
                  key=lambda exchange: exchange.arrived_at)


def names_of(exchanges):
    return " ".join(exchange.connection.upstream.name for exchange in exchanges)


def gaps_of(exchanges):
    """From each request to the next."""
    return [Lapse(earlier.arrived_at, later.arrived_at) for earlier, later in zip(exchanges, exchanges[1:])]
