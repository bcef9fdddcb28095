"""Pings: comments in a silent stream, from before its first token on, here every 150 ms."""

import json
import time

from behaviours import headers_then, part_then, saying, silence, slowly, status, waits
from client import chat_bytes
from pace import scaled
from resilience_test import ResilienceTest

PING = b": ping\n\n"
INTERVAL = 0.15
TRIES = 6  # where only a machine that has time shows it
NO_PING = {"Sse-Stream-Options": "no-ping"}


def timeline(body):
    """The stream, frame by frame: "ping", "done", an error's code, or a piece of text."""
    assert body.endswith(b"\n\n"), body[-100:]
    shown = []
    for frame in body.split(b"\n\n")[:-1]:
        if frame == b": ping":
            shown.append("ping")
        elif frame == b"data: [DONE]":
            shown.append("done")
        else:
            value = json.loads(frame.removeprefix(b"data: "))
            if "error" in value:
                shown.append(value["error"]["code"])
            else:
                shown.extend(text for choice in value["choices"] if (text := choice["delta"].get("content")))
    return shown


def without_pings(shown):
    return [entry for entry in shown if entry != "ping"]


def pause_in_the_middle(until):
    def script(exchange):
        exchange.head()
        exchange.delta("a")
        if waits(exchange, until):
            exchange.delta("b")
            exchange.finish()

    return script


class Pings(ResilienceTest):
    config = {"ping": "150ms"}
    models = {name: {"retries": 0} for name in ("failing", "served")}
    models["retried"] = {"targets": ["a/retried"], "retries": 2}

    def setUp(self):
        super().setUp()
        self.heard = b""  # of the last stream, so far

    def has_heard(self, count):
        """A condition: the client has got so many pings."""
        return lambda: self.heard.count(PING) >= count

    def stream(self, model="a/m", **request):
        self.heard = b""
        client = self.connect()
        client.send(chat_bytes(model=model, **request))
        response = client.head()
        while piece := client.next_piece():
            self.heard += piece
        self.assertEqual(response.status, 200, self.heard)
        return response, timeline(self.heard)

    def test_they_come_while_the_provider_is_silent_between_two_tokens(self):
        self.behave(A=pause_in_the_middle(self.has_heard(2)))
        began = time.monotonic()
        _, shown = self.stream()
        self.assertEqual(shown[0], "a")
        pings = shown[1:-2].count("ping")
        self.assertTrue(2 <= pings <= (time.monotonic() - began) / INTERVAL, shown)
        self.assertEqual(without_pings(shown), ["a", "b", "done"])

    def test_they_are_comments_sent_one_by_one_in_good_time(self):
        # A busy machine may be late now and then, but not every time.
        self.assertTrue(any(self.come_in_good_time() for _ in range(TRIES)))

    def come_in_good_time(self):
        self.behave(A=pause_in_the_middle(2.5 * INTERVAL))
        client = self.connect()
        client.send(chat_bytes(model="a/m"))
        client.head()
        client.next_piece()
        pieces, times = [], [time.monotonic()]
        for _ in range(2):
            pieces.append(client.next_piece())
            times.append(time.monotonic())
        gaps = [later - earlier for earlier, later in zip(times, times[1:])]
        return pieces == [PING, PING] and all(INTERVAL - 0.05 < gap < INTERVAL + scaled(0.15) for gap in gaps)

    def test_they_come_before_the_first_token_too(self):
        for behaviour in (slowly(self.has_heard(2)), headers_then(slowly(self.has_heard(2), lambda exchange: (
                exchange.delta("Hello from A"), exchange.finish())))):
            self.behave(A=behaviour)
            response, shown = self.stream()
            self.assertEqual(shown[:2], ["ping", "ping"])
            self.assertEqual(without_pings(shown), ["Hello from A", "done"])
            # What they say was not known when the head went out.
            self.assertNotIn("x-model-used", response.headers)
            self.assertNotIn("x-gateway-attempts", response.headers)

    def test_a_client_can_do_without(self):
        for value in ("no-ping", "No-Ping", "foo, no-ping"):
            with self.subTest(value):
                self.behave(A=pause_in_the_middle(2.5 * INTERVAL))
                _, shown = self.stream(headers={"Sse-Stream-Options": value})
                self.assertEqual(shown, ["a", "b", "done"])
        self.behave(A=slowly(2.5 * INTERVAL))
        response, shown = self.stream(headers=NO_PING)
        self.assertEqual(shown, ["Hello from A", "done"])
        self.assertEqual(response.headers["x-model-used"], "a/m")

    def test_a_stream_that_is_not_silent_has_none(self):
        def talk(exchange):
            exchange.head()
            for _ in range(8):
                exchange.delta("x")
                time.sleep(INTERVAL / 3)
            exchange.finish()

        def shown():
            self.behave(A=talk)
            return self.stream()[1]

        self.assertIn(["x"] * 8 + ["done"], (shown() for _ in range(TRIES)))

    def test_there_is_none_after_the_end(self):
        def finish_and_stay(exchange):
            exchange.head()
            exchange.delta("x")
            exchange.body(exchange.wire.finish())
            exchange.hold(5 * INTERVAL)

        self.behave(A=finish_and_stay)
        _, shown = self.stream()
        self.assertEqual(shown, ["x", "done"])

    def test_a_failure_before_the_first_ping_is_a_status(self):
        def answers():
            for number in range(TRIES):
                self.behave(A=status(500))
                yield self.ask(f"a/early-{number}", retries=0)

        refused = next((response for response in answers() if response.status != 200), None)
        self.assert_refused(refused, 502, "tool_provider_error")

    def test_a_failure_after_the_first_ping_is_an_error_frame(self):
        self.behave(A=slowly(self.has_heard(1), status(500)))
        _, shown = self.stream("a/late", retries=0)
        self.assertEqual(shown[0], "ping")
        self.assertEqual(without_pings(shown), ["tool_provider_error", "done"])

    def test_a_failure_is_a_status_whenever_it_comes_without_pings(self):
        self.behave(A=slowly(1.5 * INTERVAL, status(500)))
        self.assert_refused(self.ask("a/late", retries=0, headers=NO_PING), 502, "tool_provider_error")

    def test_after_a_ping_the_next_target_is_still_asked(self):
        self.behave(A=slowly(self.has_heard(1), status(500)))
        response, shown = self.stream("served")
        self.assertEqual(without_pings(shown), ["Hello fr", "om B", "done"])
        self.assertEqual(shown[0], "ping")
        self.assert_asked("A B")
        self.assertNotIn("x-model-used", response.headers)
        self.assertNotIn("x-gateway-attempts", response.headers)

    def test_pauses_between_retries_are_silence_too(self):
        self.behave(A=[status(500), status(500), saying("x")])
        _, shown = self.stream("retried")
        self.assertIn("ping", shown)
        self.assertEqual(without_pings(shown), ["x", "done"])

    def test_a_whole_answer_has_none(self):
        self.behave(A=slowly(2.5 * INTERVAL))
        response = self.ask("a/m", stream=False)
        self.assert_served_by(response, "A")
        self.assertEqual(response.headers["x-gateway-attempts"], "1")

    def test_a_client_that_leaves_between_pings_is_noticed(self):
        for behaviour in (silence, part_then(silence)):
            self.behave(A=behaviour)
            client = self.connect()
            client.send(chat_bytes(model="a/left"))
            client.head()
            client.next_piece()
            client.close()
            self.assert_nothing_goes_on()


class WithoutPings(ResilienceTest):
    config = {"ping": "off"}

    def test_they_can_be_turned_off_for_all(self):
        self.behave(A=pause_in_the_middle(0.3))
        self.assertNotIn(b": ping", self.ask("a/m").body)


class UsualPings(ResilienceTest):
    def test_they_are_rare_by_default(self):
        self.behave(A=pause_in_the_middle(0.3))
        self.assertNotIn(b": ping", self.ask("a/m").body)
