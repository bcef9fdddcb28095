"""Hedging: when the first target is slow to speak, the next is asked too; the first to speak wins, the other is let go."""

import time

from behaviours import empty, headers_then, only_the_end, part_then, refuse, retry_after, silence, slowly, status
from client import chat_bytes
from frames import partial_frames, text_of
from pace import NOTICED
from resilience_test import ResilienceTest
from stalls import undisturbed

AFTER = 0.2
LATER = 1  # where the first must not be late by chance


class Hedging(ResilienceTest):
    kinds = {"A": "openai", "B": "anthropic", "C": "gemini"}
    models = {name: {"hedge": {"after": "200ms"}, "retries": 0} for name in
              ("silent", "first-wins", "one-only", "first-fails", "second-fails", "both-fail", "left", "empty", "all-empty")}
    models |= {name: {"hedge": {"after": f"{LATER}s"}, "retries": 0} for name in ("quick", "half-way")}
    models["resting"] = {"hedge": {"after": "200ms"}, "targets": ["a/resting", "b/resting"]}
    models["off"] = {"targets": ["a/off", "b/off"]}

    def assert_hedged(self):
        self.assertTrue(self.gaps()[0].can_be(AFTER, AFTER), self.gaps())

    def is_asked(self, name):
        """A condition: that target has been asked too."""
        return lambda: self.targets[name].exchanges

    def has_answered(self, name):
        return lambda: self.targets[name].exchanges and not self.targets[name].busy()

    def test_the_second_is_asked_when_the_first_is_silent_and_serves(self):
        for stream in (True, False):
            for behaviour in (silence, headers_then(silence)):
                with self.subTest(stream=stream, behaviour=behaviour):
                    self.behave(A=behaviour)
                    response = self.ask("silent", stream=stream)
                    answered = time.monotonic()
                    self.assert_served_by(response, "B")
                    self.assert_asked("A B")
                    self.assert_hedged()
                    self.assertEqual(response.headers["x-model-used"], "b/silent")
                    self.assertEqual(response.headers["x-gateway-attempts"], "2")
                    self.assert_nothing_goes_on()
                    self.assertLess(undisturbed(answered, self.asked()[0].connection.closed_at), NOTICED)

    def test_one_that_speaks_soon_is_left_alone(self):
        self.behave(A=slowly(0.05))
        for stream in (True, False):
            self.assert_served_by(self.ask("quick", stream=stream), "A")
        self.assert_asked("A A")

    def test_one_that_has_begun_to_speak_is_left_alone_however_slowly_it_goes_on(self):
        def hesitate(exchange):
            exchange.delta(" …")
            time.sleep(LATER + 0.3)
            exchange.finish()

        self.behave(A=part_then(hesitate))
        self.assert_answer(self.ask("half-way"), "Hello fr …")
        self.assert_asked("A")

    def test_the_first_may_still_win_and_the_second_is_let_go(self):
        for stream in (True, False):
            self.behave(A=slowly(self.is_asked("B")), B=silence)
            response = self.ask("first-wins", stream=stream)
            self.assert_served_by(response, "A")
            self.assert_asked("A B")
            self.assert_nothing_goes_on()
            self.assertEqual(response.headers["x-model-used"], "a/first-wins")

    def test_there_is_one_hedge_and_no_more(self):
        self.behave(A=silence, B=silence)
        client = self.connect()
        client.send(chat_bytes(model="one-only"))
        self.wait_until_asked(2)
        time.sleep(3 * AFTER)
        self.assert_asked("A B")
        client.close()
        self.assert_nothing_goes_on()

    def test_a_first_that_fails_meanwhile_leaves_it_to_the_second(self):
        self.behave(A=slowly(self.is_asked("B"), status(500)), B=slowly(self.has_answered("A")))
        self.assert_served_by(self.ask("first-fails"), "B")
        self.assert_asked("A B")

    def test_a_second_that_fails_leaves_it_to_the_first(self):
        for stream in (True, False):
            self.behave(A=slowly(self.has_answered("B")), B=refuse("no such model"))
            response = self.ask("second-fails", stream=stream)
            self.assert_served_by(response, "A")
            self.assertEqual([exchange.connection.upstream.name for exchange in self.asked()][:2], ["A", "B"])
            self.assert_nothing_goes_on()

    def test_when_both_fail_the_third_is_asked(self):
        self.behave(A=slowly(self.has_answered("B"), status(500)), B=status(500))
        self.assert_served_by(self.ask("both-fail"), "C")

    def test_a_target_at_rest_is_no_hedge(self):
        self.behave(B=refuse("rate limited", retry_after(30)), A=status(500))
        self.assertEqual(self.ask("resting", retries=0).status, 429)
        self.behave(A=slowly(2 * AFTER))
        self.assert_served_by(self.ask("resting"), "A")
        self.assert_asked("A")

    def test_a_client_that_leaves_takes_both_with_it(self):
        for stream in (True, False):
            self.behave(A=silence, B=headers_then(silence))
            client = self.connect()
            client.send(chat_bytes(model="left", stream=stream))
            self.wait_until_asked(2)
            client.close()
            self.assert_nothing_goes_on()

    def test_what_the_winner_says_is_all_the_client_sees(self):
        """The loser may begin to speak at the very moment in which it is let go."""
        for _ in range(5):
            self.behave(A=slowly(AFTER + 0.02), B=slowly(0.02))
            client = self.connect()
            client.send(chat_bytes(model="first-wins"))
            head = client.head()
            served = {"a": "A", "b": "B"}[head.headers["x-model-used"][0]]
            frames = partial_frames(client.rest())
            self.assertEqual(text_of(frames), self.targets[served].says)
            self.assertEqual(len({frame["model"] for frame in frames}), 1)

    def test_both_attempts_are_logged(self):
        self.behave(A=silence)
        self.ask("silent", headers={"X-Request-ID": "hedged"})
        line = self.log_line("hedged")
        self.assertEqual((line["attempts"], line["provider"]), (2, "b"))
        self.assertIn("a/silent", str(self.runnel.log_of("hedged")))

    def test_a_first_that_says_nothing_at_all_leaves_it_to_the_next(self):
        """The client sees one answer, with one end."""
        for nothing in (empty, only_the_end):
            for stream in (True, False):
                for dialect in ("openai", "timeline", "agent"):
                    with self.subTest(nothing=nothing, stream=stream, dialect=dialect):
                        self.behave(A=nothing)
                        response = self.ask("empty", stream=stream, headers={"X-Stream-Dialect": dialect})
                        self.assert_asked("A B")
                        self.assertEqual(response.headers["x-model-used"], "b/empty")
                        self.assertEqual(response.body.count(b"[DONE]"), 1 if stream else 0, response.body)
                        if dialect == "openai":
                            self.assert_served_by(response, "B")

    def test_a_second_that_says_nothing_leaves_it_to_the_first(self):
        for stream in (True, False):
            self.behave(A=slowly(self.has_answered("B")), B=empty)
            self.assert_served_by(self.ask("empty", stream=stream), "A")
            self.assert_asked("A B")

    def test_when_all_say_nothing_the_answer_is_empty_and_ends_once(self):
        for stream in (True, False):
            self.behave(A=empty, B=empty, C=empty)
            self.assert_answer(self.ask("all-empty", stream=stream), "")
            self.assert_asked("A B C")

    def test_without_the_setting_nobody_else_is_asked(self):
        self.behave(A=slowly(2 * AFTER))
        self.assert_served_by(self.ask("off"), "A")
        self.assert_asked("A")
