"""Who is asked first: the first in the list, one drawn by weight, or the quickest."""

from behaviours import slowly, status, well
from resilience_test import ResilienceTest

DRAWS = 400


class Strategies(ResilienceTest):
    models = {
        "in-order": {},
        "weighted": {"strategy": "weighted", "targets": [{"target": "a/weighted", "weight": 3}, "b/weighted"]},
        "weighted-failing": {"strategy": "weighted", "retries": 0},
        "quickest": {"strategy": "least-latency"},
        "quickest-failing": {"strategy": "least-latency", "retries": 0},
    }

    def count(self, target):
        return sum(exchange.connection.upstream.name == target for exchange in self.asked())

    def test_the_first_is_asked_first(self):
        for _ in range(10):
            self.assert_served_by(self.ask("in-order"), "A")

    def test_weights_are_kept(self):
        for _ in range(DRAWS):
            self.assertEqual(self.ask("weighted", stream=False).status, 200)
        # Four standard deviations around three quarters.
        self.assertTrue(265 <= self.count("A") <= 335, self.count("A"))
        self.assertEqual(self.count("A") + self.count("B"), DRAWS)

    def test_whoever_is_drawn_and_fails_is_followed_by_the_others_and_then_left_out(self):
        self.behave(A=status(500))
        for _ in range(40):
            self.assert_served_by(self.ask("weighted-failing"), "B")
        self.assertTrue(5 <= self.count("A") <= 8, "its breaker has not opened")

    def test_the_quickest_is_asked_first_most_of_the_time(self):
        self.behave(A=slowly(0.2))
        for _ in range(60):
            self.assertEqual(self.ask("quickest").status, 200)
        self.assertGreater(self.count("B"), 45)
        self.assertGreater(self.count("A"), 0, "nobody would notice if it became quicker")

    def test_the_quickest_may_change(self):
        self.behave(A=slowly(0.2))
        for _ in range(20):
            self.ask("quickest-failing")
        self.behave(A=well, B=status(500))
        for _ in range(10):
            self.assert_served_by(self.ask("quickest-failing"), "A")
