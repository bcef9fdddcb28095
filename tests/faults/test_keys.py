"""Several keys of one provider: used in turn, and one that is limited, exhausted or refused is passed over."""

from behaviours import refuse, retry_after, retry_after_ms, well
from fault_case import PROMPT
from lapse import EARLY
from resilience_test import ResilienceTest

KEYS = ["key-1", "key-2"]
LIMITED = [f"limited-{number}" for number in range(10)]  # a busy machine may be late often, but not every time
REQUESTS = 16  # of which some begin with the first key, unless luck is beyond belief


def by_key(**behaviours):
    """What happens depends on the key that comes: key_1=…, the others do well."""
    return lambda exchange: behaviours.get(exchange.key.replace("-", "_"), well)(exchange)


class Keys(ResilienceTest):
    fields = {"A": {"keys": KEYS}}
    models = {name: {} for name in (*LIMITED, "turns", "exhausted", "refused", "forbidden", "all-limited",
                                   "long-limited")}
    models["alone"] = {"targets": ["a/alone"]}

    def keys(self):
        return [exchange.key for exchange in self.asked()]

    def test_they_are_used_in_turn(self):
        for _ in range(REQUESTS):
            self.assert_served_by(self.ask("turns"), "A")
        for key in KEYS:
            self.assertGreaterEqual(self.keys().count(key), 2, self.keys())

    def test_a_limited_key_rests_and_the_next_one_is_asked_at_once(self):
        to_the_next = []
        for model in LIMITED:
            self.behave(A=by_key(key_1=refuse("rate limited", retry_after(30))))
            attempts = []
            for number in range(REQUESTS):
                response = self.ask(model, stream=bool(number % 2))
                self.assert_served_by(response, "A")
                attempts.append(response.headers["x-gateway-attempts"])
            self.assertEqual(self.keys().count("key-1"), 1, "it was asked again although it should rest")
            self.assertEqual(sorted(attempts), ["1"] * (REQUESTS - 1) + ["2"])
            to_the_next.append(self.gaps()[self.keys().index("key-1")])
            if to_the_next[-1].can_be_shorter_than(PROMPT):
                return
        self.fail(f"there is a pause where there should be none: {to_the_next}")

    def test_an_exhausted_key_rests_too_and_so_does_a_refused_one(self):
        for model, refusal in (("exhausted", "out of quota"), ("refused", "bad key"), ("forbidden", "not permitted")):
            self.behave(A=by_key(key_1=refuse(refusal)))
            for _ in range(REQUESTS):
                self.assert_served_by(self.ask(model), "A")
            self.assertEqual(self.keys().count("key-1"), 1)

    def test_when_all_are_limited_for_long_the_next_target_is_asked(self):
        self.behave(A=refuse("rate limited", retry_after(30)))
        self.assert_served_by(self.ask("long-limited"), "B")
        self.assert_asked("A A B")
        self.assertEqual(sorted(self.keys()[:2]), KEYS)
        self.behave(A=refuse("rate limited", retry_after(30)))
        self.assert_served_by(self.ask("long-limited"), "B")
        self.assert_asked("B")

    def test_when_all_are_limited_for_a_moment_that_is_waited_for(self):
        self.behave(A=[refuse("rate limited", retry_after_ms(300)), refuse("rate limited", retry_after_ms(300)), well])
        self.assert_served_by(self.ask("all-limited"), "A")
        self.assert_asked("A A A")
        self.assertGreater(sum(gap.seconds for gap in self.gaps()), 0.29 - EARLY)

    def test_when_all_are_limited_and_nobody_else_is_there_the_client_is_told_for_how_long(self):
        self.behave(A=refuse("rate limited", retry_after(90)))
        response = self.ask("alone")
        self.assert_refused(response, 429, "upstream_rate_limited")
        self.assertIn(response.headers["retry-after"], ("89", "90"))
        self.assertEqual(sorted(self.keys()), KEYS)
