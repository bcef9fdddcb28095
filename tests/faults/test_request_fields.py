"""What a client may say of one request: `fallback`, `retries` and `timeout` in the body."""

from behaviours import hang_up, part_then, refuse, retry_after, silence, slowly, status
from outcomes import PAUSE_1, PAUSE_2, PAUSE_3
from resilience_test import ResilienceTest


def endless(exchange):
    while not exchange.hold(0.03):
        exchange.delta("…")


class RequestFields(ResilienceTest):
    kinds = {"A": "openai", "B": "anthropic"}
    models = {"own": {"targets": ["a/own"], "retries": 0}, "other": {"targets": ["b/other"]}}

    def test_fallback_names_who_is_asked_next(self):
        self.behave(A=status(503))
        for number, fallback in enumerate((["b/x"], ["@b/x"], ["other"], ["a/y", "b/x"])):
            for stream in (True, False):
                self.behave(A=status(503))
                response = self.ask(f"a/first-{number}-{stream}", fallback=fallback, retries=0, stream=stream)
                self.assert_served_by(response, "B")
                self.assertTrue(response.headers["x-model-used"].startswith("b/"))

    def test_fallback_comes_after_the_models_own_targets(self):
        self.behave(A=status(503))
        self.assert_served_by(self.ask("own", fallback=["b/x"]), "B")
        self.assert_asked("A B")

    def test_a_fallback_that_does_not_exist_is_said_before_anybody_is_asked(self):
        response = self.ask("a/x", fallback=["nowhere/x"])
        self.assertIn(response.status, (400, 404))
        self.assertIn("nowhere/x", response.error["message"])
        self.assert_asked("")

    def test_retries_is_how_many_more_attempts_there_are(self):
        for retries in (0, 1, 3):
            self.behave(A=status(500))
            self.assert_refused(self.ask(f"a/retries-{retries}", retries=retries), 502, "tool_provider_error")
            self.assert_asked(" ".join("A" * (retries + 1)))
        for gap, pause in zip(self.gaps(), (PAUSE_1, PAUSE_2, PAUSE_3)):
            self.assertTrue(gap.can_be(*pause), self.gaps())

    def test_retries_of_the_request_wins_over_the_models(self):
        self.behave(A=status(500))
        self.ask("own", retries=1)
        self.assert_asked("A A")

    def test_never_more_attempts_than_targets_and_retries(self):
        self.behave(A=status(500), B=status(500))
        for number, retries in enumerate((0, 1, 2)):
            self.behave(A=status(500), B=status(500))
            response = self.ask(f"a/budget-{number}", fallback=[f"b/budget-{number}"], retries=retries)
            self.assertEqual(response.status, 502)
            self.assertEqual(len(self.asked()), 2 + retries)

    def test_timeout_is_for_the_whole_request(self):
        for stream in (True, False):
            self.behave(A=silence, B=silence)
            response, took = self.timed(f"a/late-{stream}", timeout=300, fallback=[f"b/late-{stream}"], stream=stream)
            self.assert_refused(response, 504, "upstream_timeout")
            self.assertTrue(took.can_be(0.3, 0.3), took)
            self.assert_nothing_goes_on()

    def test_timeout_ends_a_stream_that_goes_on_and_on(self):
        self.behave(A=part_then(endless))
        response, took = self.timed("a/endless", timeout=400)
        self.assertTrue(took.can_be(0.4, 0.4), took)
        self.assertTrue(response.body.endswith(b"data: [DONE]\n\n"))
        self.assertIn(b'"upstream_timeout"', response.body)
        self.assert_nothing_goes_on()

    def test_no_pause_is_begun_that_the_timeout_would_not_let_end(self):
        self.behave(A=refuse("rate limited", retry_after(5)))
        response, took = self.timed("a/short", timeout=1000)
        self.assert_refused(response, 429, "upstream_rate_limited")
        self.assertEqual(response.headers["retry-after"], "5")
        self.assertTrue(took.can_be(0, 0), took)

    def test_what_is_out_of_range_is_refused_by_name(self):
        for field, values in (("retries", (-1, 6, "2", 1.5)), ("timeout", (0, -5, 300_001, "1s")),
                              ("fallback", ("b/x", [1], {}))):
            for value in values:
                with self.subTest(field, value=value):
                    response = self.ask("a/x", **{field: value})
                    self.assertEqual((response.status, response.error["code"]), (400, "invalid_value"))
                    self.assertTrue(response.error["param"].startswith(field), response.error)
        self.assert_asked("")

    def test_they_never_go_upstream(self):
        self.ask("a/x", fallback=["b/x"], retries=1, timeout=5000)
        self.assertFalse({"fallback", "retries", "timeout"} & set(self.asked()[0].request.json()))


class Policy(ResilienceTest):
    """What the config says for every request counts for provider/model and fallbacks too."""
    config = {"policy": {"retries": 0, "timeouts": {"first_token": "1s", "idle": "300ms"}, "midstream": "verified",
                         "hedge": {"after": "150ms"}}}
    models = {"own": {"retries": 1, "timeouts": {"first_token": "10s"}, "hedge": {"after": "10s"}}}

    def test_it_counts_where_nothing_else_is_said(self):
        self.behave(A=status(500))
        self.assert_served_by(self.ask("a/retried", fallback=["b/retried"]), "B")
        self.assert_asked("A B")

        self.targets["B"].says = self.targets["A"].says
        self.addCleanup(setattr, self.targets["B"], "says", "Hello from B")
        for end in (hang_up, silence):
            self.behave(A=part_then(end))
            self.assert_served_by(self.ask("a/cut", fallback=["b/cut"]), "A")
            self.assert_asked("A B")

    def test_it_hedges(self):
        self.behave(A=silence)
        response, took = self.timed("a/hedged", fallback=["b/hedged"])
        self.assert_served_by(response, "B")
        self.assertTrue(took.can_be(0.15, 0.15), took)

    def test_a_model_may_say_otherwise(self):
        self.behave(A=[status(500), slowly(1.3)])
        self.assert_served_by(self.ask("own"), "A")
        self.assert_asked("A A")
