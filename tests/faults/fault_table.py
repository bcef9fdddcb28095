"""The table: fault → what the client sees → who is asked, how often, with which gaps.

Each row is run as a stream and as a whole answer, over every provider that can have the fault, always with a second
target B of another kind unless there is to be none. docs/resilience.md tells the same to users.
"""

from dataclasses import dataclass, field
from typing import Optional

from behaviours import (
    an_error_without_end, empty, end_of_body, error_frame, error_in_200, garbage, half_a_frame, hang_up, headers_then,
    html, only_pings, part_then, refuse, reset, retry_after, retry_after_date, retry_after_ms, retry_after_our_date,
    saying, silence, slowly, status, well, with_a_broken_frame, without_finish, without_terminal)
from imposter import Refusing, Unreachable
from outcomes import AT_ONCE, PAUSE_1, PAUSE_2, Answer, Broken, Outcome, Refusal

NOBODY = ()  # in place of B's behaviours: there is no B


@dataclass(frozen=True)
class Fault:
    name: str
    a: tuple  # what A does, one behaviour per request, the last one for all others; or a kind of target
    outcome: Optional[Outcome] = None  # of both kinds of request
    stream: Optional[Outcome] = None  # or of each: None is not run
    whole: Optional[Outcome] = None
    b: tuple = (well,)
    timeouts: dict = field(default_factory=dict)
    timed: str = "A"  # who has them: those that do well have the usual ones, which a busy machine may need
    model: dict = field(default_factory=dict)
    request: dict = field(default_factory=dict)
    providers: tuple = ("openai", "anthropic", "gemini", "ollama")

    def outcome_of(self, mode):
        return self.outcome or getattr(self, mode)


def last_word(status, code, asked="A", gaps=(), **more):
    return Outcome(Refusal(status, code, **more), asked, gaps)


SERVED_AGAIN = Outcome(Answer("A"), "A A", (PAUSE_1,))
SERVED_BY_NEXT_AT_ONCE = Outcome(Answer("B"), "A B", (AT_ONCE,))
SERVED_BY_NEXT_AFTER_RETRIES = Outcome(Answer("B"), "A A A B", (PAUSE_1, PAUSE_2, AT_ONCE))
RETRIED_IN_VAIN = (PAUSE_1, PAUSE_2)
UNTOUCHED = Outcome(Answer("A"), "A")

FIRST_TOKEN = {"first_token": "250ms"}
SERVED_BY_NEXT_AFTER_SILENCE = Outcome(Answer("B"), "A B", ((0.25, 0.25),))

RATE_LIMITS = [
    Fault("429, Retry-After in seconds", (refuse("rate limited", retry_after(1)), well),
          Outcome(Answer("A"), "A A", ((1, 1),))),
    Fault("429, Retry-After as long as one waits", (refuse("rate limited", retry_after(2)), well),
          Outcome(Answer("A"), "A A", ((2, 2),)), providers=("openai",)),
    Fault("429, Retry-After as a date", (refuse("rate limited", retry_after_date(1)), well),
          Outcome(Answer("A"), "A A", ((1, 1),))),
    Fault("429, Retry-After as a date by our clock", (refuse("rate limited", retry_after_our_date(1.99)), well),
          Outcome(Answer("A"), "A A", ((0.5, 2),))),
    Fault("429, retry-after-ms", (refuse("rate limited", retry_after_ms(400)), well),
          Outcome(Answer("A"), "A A", ((0.4, 0.4),))),
    Fault("429, Retry-After too long to wait", (refuse("rate limited", retry_after(30)),), SERVED_BY_NEXT_AT_ONCE),
    Fault("429 once", (refuse("rate limited"), well), SERVED_AGAIN),
    Fault("429 forever", (refuse("rate limited"),), SERVED_BY_NEXT_AFTER_RETRIES),
    Fault("429 forever, nobody else", (refuse("rate limited"),), b=NOBODY,
          outcome=last_word(429, "upstream_rate_limited", "A A A", RETRIED_IN_VAIN, retry_after="1")),
    Fault("429, Retry-After too long to wait, nobody else", (refuse("rate limited", retry_after(11)),), b=NOBODY,
          outcome=last_word(429, "upstream_rate_limited", retry_after="11")),
    Fault("429, Retry-After short enough to wait, nobody else", (refuse("rate limited", retry_after_ms(600)), well),
          Outcome(Answer("A"), "A A", ((0.6, 0.6),)), b=NOBODY),
    Fault("out of quota", (refuse("out of quota"),), SERVED_BY_NEXT_AT_ONCE,
          providers=("openai", "anthropic", "gemini")),
    Fault("out of quota, nobody else", (refuse("out of quota"),), b=NOBODY,
          outcome=last_word(429, "upstream_rate_limited"), providers=("openai", "anthropic", "gemini")),
]

# What another key or another target may cure, and waiting does not.
CREDENTIALS = [
    Fault("401", (refuse("bad key"),), SERVED_BY_NEXT_AT_ONCE),
    Fault("401, nobody else", (refuse("bad key"),), b=NOBODY, outcome=last_word(502, "tool_provider_error")),
    Fault("403", (refuse("not permitted"),), SERVED_BY_NEXT_AT_ONCE),
    Fault("403, nobody else", (refuse("not permitted"),), b=NOBODY, outcome=last_word(502, "tool_provider_error")),
    Fault("404", (refuse("no such model"),), SERVED_BY_NEXT_AT_ONCE),
    Fault("404, nobody else", (refuse("no such model"),), b=NOBODY, outcome=last_word(404, "model_not_found")),
]

# What would fail everywhere: nobody else is bothered.
CLIENTS_FAULTS = [
    Fault("400", (refuse("bad request"),), last_word(400, "invalid_value")),
    Fault("422", (refuse("unprocessable"),), last_word(400, "invalid_value")),
    # Another model may take longer conversations.
    Fault("context too long", (refuse("context too long"),), SERVED_BY_NEXT_AT_ONCE),
    Fault("context too long, nobody else", (refuse("context too long"),), b=NOBODY,
          outcome=last_word(400, "context_length_exceeded")),
    Fault("context too long, and then failures", (refuse("context too long"),), b=(silence,), timeouts=FIRST_TOKEN,
          timed="B", outcome=last_word(400, "context_length_exceeded", "A B", (AT_ONCE,))),
    Fault("content policy, as an error", (refuse("content policy"),), last_word(400, "content_policy_violation"),
          providers=("openai",)),
    Fault("content filter, as a finish", (saying("Hello fr", "content_filter"),),
          Outcome(Answer("A", "Hello fr", "content_filter"), "A"), providers=("openai", "anthropic", "gemini")),
    Fault("content filter, as a finish and nothing else", (saying("", "content_filter"),),
          Outcome(Answer("A", "", "content_filter"), "A"), providers=("openai", "anthropic", "gemini")),
]

# What may pass: asked again, then the next.
SERVER_FAULTS = [
    Fault("409 once", (status(409), well), SERVED_AGAIN),
    Fault("500 once", (status(500), well), SERVED_AGAIN),
    Fault("500 forever", (status(500),), SERVED_BY_NEXT_AFTER_RETRIES),
    Fault("500 forever, nobody else", (status(500),), b=NOBODY,
          outcome=last_word(502, "tool_provider_error", "A A A", RETRIED_IN_VAIN)),
    Fault("502 forever", (status(502),), SERVED_BY_NEXT_AFTER_RETRIES),
    Fault("503 forever", (refuse("overloaded"),), SERVED_BY_NEXT_AFTER_RETRIES),
    Fault("500, and a body that never ends", (an_error_without_end,), model={"retries": 0},
          outcome=Outcome(Answer("B"), "A B", ((2, 2),)), providers=("openai",)),
    Fault("503, Retry-After too long to wait", (status(503, retry_after(30)),), SERVED_BY_NEXT_AT_ONCE),
    Fault("529 forever, nobody else", (status(529),), b=NOBODY,
          outcome=last_word(502, "tool_provider_error", "A A A", RETRIED_IN_VAIN)),
    Fault("all targets down", (status(503),), b=(status(500),),
          outcome=last_word(502, "tool_provider_error", "A A A B", (PAUSE_1, PAUSE_2, AT_ONCE))),
    Fault("a bad key, then a server that fails once", (refuse("bad key"),), b=(status(500), well),
          outcome=Outcome(Answer("B"), "A B B", (AT_ONCE, PAUSE_1))),
    Fault("a server that fails, then a bad request", (status(500),), b=(refuse("bad request"),),
          outcome=last_word(400, "invalid_value", "A A A B", (PAUSE_1, PAUSE_2, AT_ONCE))),
    Fault("500 forever, no retries", (status(500),), SERVED_BY_NEXT_AT_ONCE, model={"retries": 0}),
    Fault("500 forever, one retry", (status(500),), Outcome(Answer("B"), "A A B", (PAUSE_1, AT_ONCE)),
          model={"retries": 1}),
]

# What a target says of time, and what it does to it: a silent one is not asked again.
SILENCES = [
    Fault("408", (status(408),), SERVED_BY_NEXT_AT_ONCE),
    Fault("408, nobody else", (status(408),), b=NOBODY, outcome=last_word(504, "upstream_timeout")),
    Fault("504", (status(504),), SERVED_BY_NEXT_AT_ONCE),
    Fault("no answer at all", (silence,), SERVED_BY_NEXT_AFTER_SILENCE, timeouts=FIRST_TOKEN),
    Fault("no answer at all, nobody else", (silence,), b=NOBODY, timeouts=FIRST_TOKEN,
          outcome=last_word(504, "upstream_timeout")),
    Fault("headers, then silence", (headers_then(silence),), SERVED_BY_NEXT_AFTER_SILENCE, timeouts=FIRST_TOKEN),
    Fault("headers, then only pings", (headers_then(only_pings),), timeouts=FIRST_TOKEN,
          stream=SERVED_BY_NEXT_AFTER_SILENCE),
    Fault("a first token that is late", (slowly(2),), SERVED_BY_NEXT_AFTER_SILENCE, timeouts=FIRST_TOKEN),
    Fault("a first token that takes its time", (slowly(0.3),), UNTOUCHED, timeouts={"first_token": "3s"}),
    Fault("no target answers", (silence,), b=(silence,), timeouts=FIRST_TOKEN, timed="AB",
          outcome=last_word(504, "upstream_timeout", "A B", ((0.25, 0.25),))),
    Fault("no connection, and no refusal", Unreachable, Outcome(Answer("B"), "B", attempts=2),
          timeouts={"connect": "200ms"}, providers=("openai",)),
]

LOST_CONNECTIONS = [
    Fault("reset before the headers, once", (reset, well), SERVED_AGAIN),
    Fault("reset before the headers, forever", (reset,), SERVED_BY_NEXT_AFTER_RETRIES),
    Fault("closed before the headers, once", (hang_up, well), SERVED_AGAIN),
    Fault("reset after the headers, once", (headers_then(reset), well), SERVED_AGAIN),
    Fault("closed after the headers, forever", (headers_then(hang_up),), SERVED_BY_NEXT_AFTER_RETRIES),
    Fault("connection refused", Refusing, Outcome(Answer("B"), "B", attempts=4)),
    Fault("connection refused, nobody else", Refusing, b=NOBODY,
          outcome=Outcome(Refusal(502, "upstream_error"), "", attempts=3)),
]

# An error inside a 200, and answers that are none, while the client has seen nothing.
BAD_200S = [
    Fault("an error inside a 200, once", (error_in_200, well), SERVED_AGAIN),
    Fault("an error inside a 200, forever", (error_in_200,), SERVED_BY_NEXT_AFTER_RETRIES),
    Fault("an error inside a 200, nobody else", (error_in_200,), b=NOBODY,
          outcome=last_word(502, "tool_provider_error", "A A A", RETRIED_IN_VAIN)),
    # Saying nothing may be the right answer: another one is asked, but in the end it is better than an error.
    Fault("an empty answer", (empty,), SERVED_BY_NEXT_AT_ONCE),
    Fault("an empty answer, nobody else", (empty,), Outcome(Answer("A", ""), "A"), b=NOBODY),
    Fault("an empty answer, and then failures", (empty,), b=(status(500),),
          outcome=Outcome(Answer("A", ""), "A B B B", (AT_ONCE, PAUSE_1, PAUSE_2))),
    Fault("garbage, once", (garbage, well), SERVED_AGAIN),
    Fault("garbage, forever", (garbage,), SERVED_BY_NEXT_AFTER_RETRIES),
    Fault("garbage, nobody else", (garbage,), b=NOBODY,
          outcome=last_word(502, "upstream_error", "A A A", RETRIED_IN_VAIN)),
    Fault("a web page", (html,), SERVED_BY_NEXT_AFTER_RETRIES),
    Fault("a stream that ends before it began", (headers_then(end_of_body), well), stream=SERVED_AGAIN),
]

# Once the client has seen a part there is nobody else to ask; a whole answer is only shown when it is whole.
BROKEN_ANSWERS = [
    Fault("cut after content, closed", (part_then(hang_up), well), stream=Outcome(Broken("upstream_error"), "A"),
          whole=SERVED_AGAIN),
    Fault("cut after content, reset", (part_then(reset), well), stream=Outcome(Broken("upstream_error"), "A"),
          whole=SERVED_AGAIN),
    Fault("cut after content, every time", (part_then(hang_up),), stream=Outcome(Broken("upstream_error"), "A"),
          whole=SERVED_BY_NEXT_AFTER_RETRIES),
    Fault("cut inside a frame", (part_then(half_a_frame),), stream=Outcome(Broken("upstream_error"), "A")),
    Fault("the body ends after content", (part_then(end_of_body),), stream=Outcome(Broken("upstream_error"), "A")),
    Fault("an error inside a 200, after content", (part_then(error_frame),),
          stream=Outcome(Broken("tool_provider_error"), "A")),
    Fault("a stall after content", (part_then(silence),), timeouts={"idle": "250ms", **FIRST_TOKEN},
          stream=Outcome(Broken("upstream_timeout"), "A"), whole=SERVED_BY_NEXT_AFTER_SILENCE),
    Fault("only pings after content", (part_then(only_pings),), timeouts={"idle": "250ms"},
          stream=Outcome(Broken("upstream_timeout"), "A")),
]

# Nothing is wrong, or nothing that matters.
HARMLESS = [
    Fault("no fault", (well,), UNTOUCHED),
    Fault("a broken frame in a good stream", (with_a_broken_frame, well), stream=UNTOUCHED, whole=SERVED_AGAIN),
    Fault("a finish reason, no terminal marker", (without_terminal,), stream=UNTOUCHED),
    Fault("a terminal marker, no finish reason", (without_finish,), stream=UNTOUCHED,
          providers=("openai", "anthropic")),
]

FAULTS = [*RATE_LIMITS, *CREDENTIALS, *CLIENTS_FAULTS, *SERVER_FAULTS, *SILENCES, *LOST_CONNECTIONS, *BAD_200S,
          *BROKEN_ANSWERS, *HARMLESS]
