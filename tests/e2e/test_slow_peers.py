"""The time-outs as they are where the config says nothing: a request that never ends, a client that never reads.

Each is a test of its own, but they only wait, so all of them begin together and each looks at its own outcome.
"""

import threading
import time

from client import Client, chat_bytes
from gateway_test import GatewayTest
from pace import scaled

REQUEST_READ_TIME = 30
BLOCKED_CLIENT_TIME = 60
SLACK = 2 + scaled(2)


class SlowSender(threading.Thread):
    """Sends one part at once and the rest at a byte a second; keeps the answer and the time it took."""

    def __init__(self, port, at_once, slowly):
        super().__init__(daemon=True)
        self.client = Client(port)
        self.client.socket.settimeout(REQUEST_READ_TIME + SLACK + 5)
        self.at_once, self.slowly = at_once, slowly
        self.response = self.took = None
        self.start()

    def run(self):
        began = time.monotonic()
        self.client.send(self.at_once)
        threading.Thread(target=self._trickle, daemon=True).start()
        self.response = self.client.response()
        self.took = time.monotonic() - began

    def _trickle(self):
        for byte in self.slowly:
            time.sleep(1)
            if self.response is not None:
                return
            self.client.send(bytes([byte]))


def flood(exchange):
    exchange.head()
    while True:
        exchange.delta("x" * 8192)


class SlowPeers(GatewayTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        request = chat_bytes(text="x" * 1000)
        body = request.index(b"\r\n\r\n") + 4
        cls.slow_head = SlowSender(cls.runnel.port, request[:1], request[1:])
        cls.slow_body = SlowSender(cls.runnel.port, request[:body], request[body:])
        cls.upstream.play(flood)
        cls.deaf = Client(cls.runnel.port, receive_buffer=1 << 16)
        cls.began = time.monotonic()
        cls.deaf.send(chat_bytes())

    def setUp(self):
        pass  # what the class has begun must not be forgotten

    def assert_cut_off(self, sender):
        sender.join(REQUEST_READ_TIME + SLACK)
        self.assertIsNotNone(sender.response, "no answer in time")
        self.assert_error(sender.response, 408, "request_timeout", "invalid_request_error")
        self.assertGreater(sender.took, REQUEST_READ_TIME - 1)
        self.assertLess(sender.took, REQUEST_READ_TIME + SLACK)

    def test_a_head_at_a_byte_a_second_is_cut_off(self):
        self.assert_cut_off(self.slow_head)

    def test_a_body_at_a_byte_a_second_is_cut_off(self):
        self.assert_cut_off(self.slow_body)

    def test_a_client_that_reads_nothing_is_dropped_and_upstream_with_it(self):
        connection = self.upstream.exchanges[0].connection
        self.assert_eventually(lambda: connection.closed_at is not None, BLOCKED_CLIENT_TIME + SLACK + 5)
        took = connection.closed_at - self.began
        self.assertGreater(took, BLOCKED_CLIENT_TIME - 1)
        self.assertLess(took, BLOCKED_CLIENT_TIME + SLACK + 5)
