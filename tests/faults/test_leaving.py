"""A client that leaves while its request is being tried somewhere takes every upstream connection along."""

import socket
import time

from behaviours import headers_then, part_then, refuse, retry_after_ms, silence, status
from client import Client, chat_bytes
from gateway_test import provider
from imposter import Unreachable
from pace import NOTICED, scaled
from resilience_test import ResilienceTest

WAYS = {"close": Client.close, "reset": Client.reset,
        "half-close": lambda client: client.socket.shutdown(socket.SHUT_WR)}


class Leaving(ResilienceTest):
    kinds = {"A": "openai", "B": "anthropic"}
    fields = {"all": {"timeouts": {"first_token": "20s"}}}
    models = {"quick": {"retries": 0}}

    def leave(self, model, after_requests, way="close", stream=True, wait=0.0):
        """Leaves once so many upstream requests were made, and checks that nobody goes on with any."""
        client = self.connect()
        client.send(chat_bytes(model=model, stream=stream, headers={"X-Request-ID": f"left-{model}-{way}-{stream}"}))
        self.wait_until_asked(after_requests)
        time.sleep(wait)
        WAYS[way](client)
        self.assert_nothing_goes_on()

    def test_while_the_first_target_is_silent(self):
        for behaviour in (silence, headers_then(silence)):
            for way in WAYS:
                for stream in (True, False):
                    with self.subTest(way, stream=stream):
                        self.behave(A=behaviour)
                        self.leave("quick", 1, way, stream)
                        self.assert_asked("A")

    def test_while_the_second_target_is_silent(self):
        for way in WAYS:
            for stream in (True, False):
                with self.subTest(way, stream=stream):
                    self.behave(A=refuse("no such model"), B=silence)
                    self.leave("quick", 2, way, stream)

    def test_in_a_pause_between_two_attempts(self):
        for way in WAYS:
            for stream in (True, False):
                with self.subTest(way, stream=stream):
                    self.behave(A=refuse("rate limited", retry_after_ms(1900)))
                    model = f"a/paused-{way}-{stream}"
                    self.leave(model, 1, way, stream, wait=0.1)
                    line = self.log_line(f"left-{model}-{way}-{stream}")
                    self.assertTrue(line["client_closed"])
                    self.assertLess(line["total_ms"], 1800)
        time.sleep(2)
        self.assert_asked("A")

    def test_in_the_middle_of_the_answer(self):
        self.behave(A=refuse("no such model"), B=part_then(silence))
        client = self.connect()
        client.send(chat_bytes(model="quick"))
        client.head()
        client.next_piece()
        client.close()
        self.assert_nothing_goes_on()

    def test_leaving_is_not_held_against_the_target(self):
        self.behave(A=silence)
        for number in range(6):
            client = self.connect()
            client.send(chat_bytes(model="quick"))
            self.wait_until_asked(number + 1)
            client.close()
        self.assert_nothing_goes_on()
        self.behave()
        self.assert_served_by(self.ask("quick"), "A")

    def test_a_failed_attempt_leaves_its_connection_to_the_next(self):
        """What is not cut off is used again: a refusal read to its end costs no connection."""
        self.behave(A=status(409))
        for _ in range(2):
            self.ask("a/reused", retries=1)
        self.assertEqual(len({id(exchange.connection) for exchange in self.asked()}), 1)


class LeavingWhileConnecting(ResilienceTest):
    models = {"hole": {"targets": ["hole/m", "b/m"]}}

    @classmethod
    def setUpClass(cls):
        cls.hole = Unreachable("hole")
        cls.addClassCleanup(cls.hole.close)
        super().setUpClass()

    @classmethod
    def more_providers(cls):
        return {"hole": provider("openai-compatible", cls.hole.port, timeouts={"connect": "10s"})}

    def test_a_connection_attempt_is_given_up(self):
        client = self.connect()
        client.send(chat_bytes(model="hole"))
        self.assert_eventually(lambda: self.hole.connecting(self.runnel.pid) == 1)
        client.close()
        self.assert_eventually(lambda: self.hole.connecting(self.runnel.pid) == 0, NOTICED)
        time.sleep(scaled(0.05))
        self.assert_asked("")
