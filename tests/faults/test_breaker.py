"""The circuit breaker: a target that keeps failing is left alone, tried again one request at a time, and taken back.

How long it stays open is the unit tests' matter, where time is made up; here a target that is open is also probed
when there is nobody else left to ask, so no test waits for it.
"""

import threading
import time

from behaviours import refuse, retry_after, retry_after_ms, silence, slowly, status, well
from client import chat_bytes
from resilience_test import ResilienceTest

OPENS_AFTER = 5


class Breaker(ResilienceTest):
    models = {name: {"retries": 0} for name in
              ("opens", "spared", "closes", "limited", "rejected", "left", "flapping")}
    models["silent"] = {"retries": 0, "timeouts": {"first_token": "400ms"}}
    models |= {name: {"targets": [f"a/{name}"]} for name in ("alone", "probed")}

    def fail_over(self, model, times=OPENS_AFTER):
        """A fails so many times, and B serves."""
        self.behave(A=status(500))
        for _ in range(times):
            self.assert_served_by(self.ask(model), "B")
        self.assert_asked(" ".join(["A B"] * times))
        self.behave()

    def test_it_opens_after_some_failures_and_the_target_is_left_alone(self):
        self.fail_over("opens")
        for stream in (True, False):
            response = self.ask("opens", stream=stream)
            self.assert_served_by(response, "B")
            self.assertEqual(response.headers["x-gateway-attempts"], "1")
        self.assert_asked("B B")

    def test_fewer_failures_do_not_open_it(self):
        self.fail_over("spared", OPENS_AFTER - 1)
        self.assert_served_by(self.ask("spared"), "A")

    def test_it_is_a_last_resort_and_two_successes_close_it(self):
        self.fail_over("closes")
        self.behave(B=status(500))
        self.assert_served_by(self.ask("closes"), "A")
        self.assert_asked("B A")
        # One success makes it worth another try, the second makes it as good as any.
        go_on = threading.Event()
        self.behave(A=slowly(go_on.is_set))
        probe = self.ask_meanwhile("closes")
        self.wait_until_asked()
        self.assert_served_by(self.ask("closes"), "B")
        go_on.set()
        self.assert_served_by(probe.result(), "A")
        self.behave(A=slowly(0.3))
        for response in [self.ask_meanwhile("closes") for _ in range(3)]:
            self.assert_served_by(response.result(), "A")

    def test_silence_opens_it(self):
        self.behave(A=silence)
        for _ in range(OPENS_AFTER):
            self.assert_served_by(self.ask("silent"), "B")
        self.behave()
        self.assert_served_by(self.ask("silent"), "B")
        self.assert_asked("B")

    def test_rate_limits_do_not_open_it(self):
        self.behave(A=refuse("rate limited", retry_after_ms(1)))
        for _ in range(2 * OPENS_AFTER):
            self.assert_served_by(self.ask("limited"), "B")
            time.sleep(0.005)
        self.behave()
        self.assert_served_by(self.ask("limited"), "A")

    def test_bad_requests_do_not_open_it(self):
        self.behave(A=refuse("bad request"))
        for _ in range(2 * OPENS_AFTER):
            self.assert_refused(self.ask("rejected"), 400, "invalid_value")
        self.behave()
        self.assert_served_by(self.ask("rejected"), "A")

    def test_clients_that_leave_do_not_open_it(self):
        self.behave(A=silence)
        for number in range(2 * OPENS_AFTER):
            with self.connect() as client:
                client.send(chat_bytes(model="left"))
                self.wait_until_asked(number + 1)
        self.assert_nothing_goes_on()
        self.behave()
        self.assert_served_by(self.ask("left"), "A")

    def test_where_it_is_the_only_one_it_is_asked_twice_per_request(self):
        self.behave(A=status(500))
        for _ in range(3):
            self.assert_refused(self.ask("alone"), 502, "tool_provider_error")
        self.behave(A=status(500))
        self.assert_refused(self.ask("alone"), 502, "tool_provider_error")
        self.assert_asked("A A")

    def test_where_it_is_the_only_one_nobody_is_refused_while_another_tries_it(self):
        self.behave(A=status(500))
        for _ in range(2):
            self.ask("probed")
        self.behave(A=slowly(0.25))
        responses = [self.ask_meanwhile("probed") for _ in range(4)]
        for response in responses:
            self.assert_served_by(response.result(), "A")

    def test_a_provider_that_comes_and_goes_is_neither_hammered_nor_the_clients_problem(self):
        self.behave(A=[status(500), well] * 60)
        for number in range(60):
            response = self.ask("flapping", stream=bool(number % 2))
            self.assertEqual(response.status, 200, response.body)
        names = [exchange.connection.upstream.name for exchange in self.asked()]
        self.assertGreater(names.count("A"), 4, "left out too soon")
        self.assertLess(names.count("A"), 40, "half of what it is asked fails, and it is still asked")


class Resting(ResilienceTest):
    models = {"rests": {}, "rests-alone": {"targets": ["a/rests-alone"]}}

    def test_a_target_that_asked_for_a_rest_gets_it(self):
        self.behave(A=refuse("rate limited", retry_after(30)))
        self.assert_served_by(self.ask("rests"), "B")
        for _ in range(3):
            self.assert_served_by(self.ask("rests"), "B")
        self.assert_asked("A B B B B")

    def test_where_there_is_nobody_else_it_is_asked_all_the_same_but_once(self):
        self.behave(A=refuse("rate limited", retry_after(90)))
        self.assert_refused(self.ask("rests-alone"), 429, "upstream_rate_limited")
        self.behave(A=well)
        self.assert_served_by(self.ask("rests-alone"), "A")
