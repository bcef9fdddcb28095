"""Verified continuation (`midstream: verified`): after a cut the next target is asked for all of it again, what it repeats
is swallowed, and the stream goes on where the client's text ends; at the first difference it fails as usual."""

import time

from behaviours import MOMENT, error_frame, hang_up, part_then, reset, saying, silence, slowly, status
from client import chat_bytes
from frames import frames_of, text_of
from resilience_test import ResilienceTest

SHOWN = "The quick"
WHOLE = "The quick brown fox"


def pieces_then(end, *pieces):
    """These pieces of text, each by itself, then this."""
    def script(exchange):
        exchange.head()
        for piece in pieces:
            exchange.delta(piece)
            time.sleep(MOMENT / 3)
        end(exchange)

    return script


def cut_after(*pieces):
    return pieces_then(hang_up, *pieces)


def in_pieces(*pieces):
    return pieces_then(lambda exchange: exchange.finish("stop", exchange.connection.upstream.usage), *pieces)


def unescaped(behaviour):
    """The same answer with every character as itself, where the wires write \\u00e9."""
    def script(exchange):
        delta = exchange.wire.delta
        exchange.wire.delta = lambda text: delta("@@").replace(b"@@", text.replace("\n", "\\n").encode())
        behaviour(exchange)

    return script


class Continuation(ResilienceTest):
    models = {name: {"midstream": "verified", "retries": 0} for name in
              ("cut", "chunked", "reported", "differs", "early", "equal", "reasoning", "tools", "fails",
               "escapes", "left", "counted", "whole", "messages")}
    models["stalled"] = {"midstream": "verified", "retries": 0, "timeouts": {"idle": "250ms"}}

    def test_the_stream_goes_on_where_it_was_cut(self):
        for end in (hang_up, reset):
            with self.subTest(end=end):
                self.behave(A=pieces_then(end, "The ", "quick"), B=saying(WHOLE))
                response = self.ask("cut")
                self.assert_answer(response, WHOLE)
                self.assert_asked("A B")
                self.assertEqual(len({frame["id"] for frame in frames_of(response.body)}), 1)

    def test_however_the_repetition_is_cut_into_pieces(self):
        for pieces in ([WHOLE], list(WHOLE), ["The quick", " brown fox"], ["The qui", "ck brown", " fox"]):
            with self.subTest(pieces=pieces):
                self.behave(A=cut_after("The ", "quick"), B=in_pieces(*pieces))
                self.assert_answer(self.ask("chunked"), WHOLE)

    def test_a_stall_is_a_cut_too(self):
        self.behave(A=pieces_then(silence, SHOWN), B=saying(WHOLE))
        self.assert_answer(self.ask("stalled"), WHOLE)
        self.assert_nothing_goes_on()

    def test_an_error_that_the_provider_reports_is_a_cut_too(self):
        self.behave(A=pieces_then(error_frame, SHOWN), B=saying(WHOLE))
        self.assert_answer(self.ask("reported"), WHOLE)

    def test_at_the_first_difference_the_stream_fails(self):
        for other in ("The quack brown fox", "A quick brown fox", "the quick brown fox", " The quick brown fox"):
            with self.subTest(other):
                self.behave(A=cut_after(SHOWN), B=saying(other))
                self.assert_broken(self.ask("differs"), SHOWN, "upstream_error")

    def test_an_answer_that_ends_before_it_has_repeated_everything_fails(self):
        self.behave(A=cut_after(SHOWN), B=saying("The qui"))
        self.assert_broken(self.ask("early"), SHOWN)

    def test_an_answer_that_ends_just_there_is_complete(self):
        self.behave(A=cut_after(SHOWN), B=saying(SHOWN))
        self.assert_answer(self.ask("equal"), SHOWN)

    def test_reasoning_that_was_shown_can_not_be_continued(self):
        def think_and_begin(exchange):
            exchange.head()
            exchange.body(exchange.wire.reasoning("hm"))
            exchange.delta(SHOWN)
            time.sleep(MOMENT)
            exchange.fin()

        self.behave(A=think_and_begin, B=saying(WHOLE))
        self.assert_broken(self.ask("reasoning"), SHOWN, "upstream_error")
        self.assert_asked("A")

    def test_tool_calls_that_were_shown_can_not_be_continued(self):
        def begin_and_call(exchange):
            exchange.head()
            exchange.delta(SHOWN)
            exchange.body(exchange.wire.tool_call())
            time.sleep(MOMENT)
            exchange.fin()

        tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
        self.behave(A=begin_and_call, B=saying(WHOLE))
        self.assert_broken(self.ask("tools", tools=tools), SHOWN, "upstream_error")
        self.assert_asked("A")

    def test_when_the_next_target_fails_the_stream_fails(self):
        self.behave(A=cut_after(SHOWN), B=status(500))
        self.assert_broken(self.ask("fails"), SHOWN)

    def test_the_same_text_in_other_escapes_is_the_same_text(self):
        shown, whole = "Ein Café für 3 € 😀\n", "Ein Café für 3 € 😀\n– bitte"
        for first, second in ((cut_after(shown), unescaped(in_pieces(whole))),
                              (unescaped(cut_after(shown)), in_pieces(whole)),
                              (unescaped(cut_after(shown)), unescaped(in_pieces(*whole)))):
            self.behave(A=first, B=second)
            self.assert_answer(self.ask("escapes"), whole)

    def test_the_next_target_gets_the_conversation_as_it_was(self):
        """No half answer is put into its mouth: not every model takes that."""
        self.behave(A=cut_after(SHOWN), B=saying(WHOLE))
        self.ask("messages", text="Say it")
        first, second = (exchange.request.json()["messages"] for exchange in self.asked())
        self.assertEqual(second, first)

    def test_a_client_that_leaves_while_the_next_target_thinks_takes_it_along(self):
        self.behave(A=cut_after(SHOWN), B=slowly(5))
        client = self.connect()
        client.send(chat_bytes(model="left"))
        client.head()
        self.wait_until_asked(2)
        client.close()
        self.assert_nothing_goes_on()

    def test_the_usage_is_that_of_the_target_that_ended_it_and_the_log_says_so(self):
        self.behave(A=cut_after(SHOWN), B=saying(WHOLE))
        response = self.ask("counted", stream_options={"include_usage": True}, headers={"X-Request-ID": "cut-and-counted"})
        frames = frames_of(response.body)
        self.assertEqual(frames[-1]["usage"]["completion_tokens"], self.targets["B"].usage[1])
        self.assertEqual(text_of(frames), WHOLE)
        line = self.log_line("cut-and-counted")
        self.assertEqual((line["attempts"], line["continued_by"], line["continuation"]), (2, "b/counted", "verified"))

    def test_whole_answers_are_simply_asked_for_again(self):
        self.behave(A=part_then(hang_up))
        self.assert_served_by(self.ask("whole", stream=False), "B")


class ContinuationElsewhere(ResilienceTest):
    kinds = {"A": "anthropic", "B": "gemini", "C": "openai"}
    models = {name: {"midstream": "verified", "retries": 0} for name in ("cut", "twice")}

    def test_the_next_target_may_be_of_another_kind(self):
        self.behave(A=cut_after("The ", "quick"), B=in_pieces(*WHOLE))
        self.assert_answer(self.ask("cut"), WHOLE)

    def test_a_second_cut_is_continued_by_the_third_target_or_said(self):
        self.behave(A=cut_after(SHOWN), B=cut_after("The quick brown"), C=saying(WHOLE))
        self.assert_answer(self.ask("twice"), WHOLE)


class ContinuationAfterARace(ResilienceTest):
    models = {name: {"midstream": "verified", "hedge": {"after": "100ms"}, "retries": 0} for name in
              ("first-wins", "second-wins")}

    def test_the_loser_may_go_on_with_what_the_winner_began(self):
        self.behave(A=slowly(lambda: self.targets["B"].exchanges, cut_after(SHOWN)), B=[silence, saying(WHOLE)])
        self.assert_answer(self.ask("first-wins"), WHOLE)
        self.assert_asked("A B B")
        self.behave(A=[silence, saying(WHOLE)], B=cut_after(SHOWN))
        self.assert_answer(self.ask("second-wins"), WHOLE)
        self.assert_asked("A B A")
        self.assert_nothing_goes_on()
