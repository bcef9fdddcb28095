"""How a target behaves when it is asked: functions of one exchange, the good way and all the bad ones."""

import email.utils
import json
import time

from error_replies import REPLIES

MOMENT = 0.03  # long enough for what was sent to be read by itself
WIRES = {"OpenAi": "openai", "Anthropic": "anthropic", "Gemini": "gemini", "Ollama": "ollama"}
PART = "Hello fr"  # what comes of "Hello from A" before an answer breaks


def provider_of(exchange):
    return WIRES[type(exchange.wire).__name__]


# --- Good answers -----------------------------------------------------------------------------------


def well(exchange, text=None, finish="stop"):
    """The target's own words, in two pieces, or whole where no stream was asked for."""
    target = exchange.connection.upstream
    text = target.says if text is None else text
    if not exchange.streamed:
        exchange.reply(200, exchange.wire.whole(text, finish, target.usage))
        return
    exchange.head()
    for piece in (text[: len(PART)], text[len(PART) :]):
        exchange.delta(piece)
    exchange.finish(finish, target.usage)


def saying(text, finish="stop"):
    return lambda exchange: well(exchange, text, finish)


def slowly(until, behave=well):
    """Headers at once where that is possible, and nothing more for so many seconds, or until that is true."""
    def script(exchange):
        if not exchange.streamed or behave is not well:
            if waits(exchange, until):
                behave(exchange)
            return
        exchange.head()
        if waits(exchange, until):
            exchange.delta(exchange.connection.upstream.says)
            exchange.finish("stop", exchange.connection.upstream.usage)

    return script


def waits(exchange, until):
    """Whether the answer is still wanted then."""
    if not callable(until):
        return not exchange.hold(until)
    while not until():
        if exchange.hold(MOMENT):
            return False
    return True


# --- Refusals ---------------------------------------------------------------------------------------


def refuse(name, headers=lambda: []):
    """An error in the provider's own words."""
    def script(exchange):
        status, body = REPLIES[name][provider_of(exchange)]
        exchange.reply(status, json.dumps(body).encode(), headers())

    script.providers = list(REPLIES[name])
    return script


def status(code, headers=lambda: []):
    """A status with a body that says nothing in particular."""
    return lambda exchange: exchange.reply(code, b'{"error":{"message":"it failed"}}', headers())


def an_error_without_end(exchange):
    """What went wrong is known from the status; the words for it never come."""
    exchange.head(500, "length", length=1000, content_type="application/json")
    exchange.body(b'{"error":')
    exchange.hold()


def retry_after(seconds):
    return lambda: [("Retry-After", str(seconds))]


def retry_after_ms(milliseconds):
    return lambda: [("retry-after-ms", str(milliseconds))]


def retry_after_date(seconds):
    """The time of day when to come back, and what time the provider thinks it is."""
    def headers():
        now = time.time()
        return [("Date", email.utils.formatdate(now, usegmt=True)),
                ("Retry-After", email.utils.formatdate(now + seconds, usegmt=True))]

    return headers


def retry_after_our_date(seconds):
    """The time of day only: whoever sends no Date goes by everybody's clock. It has whole seconds."""
    return lambda: [("Retry-After", email.utils.formatdate(time.time() + seconds, usegmt=True))]


# --- Nothing, or not enough -------------------------------------------------------------------------


def reset(exchange):
    exchange.reset()


def hang_up(exchange):
    exchange.fin()


def silence(exchange):
    exchange.hold()


def begin(exchange):
    """The head of an answer, of either kind."""
    if exchange.streamed:
        exchange.head()
    else:
        exchange.head(framing="length", length=500, content_type="application/json")


def headers_then(end):
    def script(exchange):
        begin(exchange)
        time.sleep(MOMENT)
        end(exchange)

    return script


def part_then(end):
    """A part of the answer: of its text, or of its JSON."""
    def script(exchange):
        target = exchange.connection.upstream
        if exchange.streamed:
            exchange.head()
            exchange.delta(PART)
        else:
            body = exchange.wire.whole(target.says, "stop", target.usage)
            exchange.head(framing="length", length=len(body), content_type="application/json")
            exchange.body(body[: len(body) // 2])
        time.sleep(MOMENT)
        end(exchange)

    return script


def half_a_frame(exchange):
    frame = exchange.wire.delta("om A")
    exchange.body(frame[: len(frame) // 2])
    time.sleep(MOMENT)
    exchange.fin()


def end_of_body(exchange):
    exchange.raw(exchange.end_bytes())


def only_pings(exchange):
    while not exchange.hold(MOMENT):
        exchange.body(exchange.wire.ping)


# --- Errors inside a 200, and answers that are none -------------------------------------------------


def error_in_200(exchange):
    """Before any output: after the role, or the start of the message."""
    if not exchange.streamed:
        exchange.reply(200, exchange.wire.error("Overloaded", code=500))
        return
    exchange.head()
    exchange.body(preamble(exchange))
    time.sleep(MOMENT)
    exchange.body(exchange.wire.error_in_stream("Overloaded"))
    exchange.raw(exchange.end_bytes())


def preamble(exchange):
    """What a provider says before it says anything."""
    if provider_of(exchange) == "anthropic":
        return exchange.wire.start + exchange.wire.ping
    return exchange.wire.delta("") + exchange.wire.ping


def error_frame(exchange):
    exchange.body(exchange.wire.error_in_stream("Overloaded"))
    exchange.raw(exchange.end_bytes())


def empty(exchange):
    """A finish and nothing else."""
    target = exchange.connection.upstream
    if not exchange.streamed:
        exchange.reply(200, exchange.wire.whole("", "stop", target.usage))
        return
    exchange.head()
    exchange.body(preamble(exchange))
    exchange.finish("stop", target.usage)


def only_the_end(exchange):
    """In OpenAI's words: the mark after the last frame and no frame; an answer without any choice."""
    if not exchange.streamed:
        exchange.reply(200, b'{"id":"u1","object":"chat.completion","created":1,"model":"m","choices":[]}')
        return
    exchange.head()
    exchange.body(exchange.wire.terminal)
    exchange.raw(exchange.end_bytes())


def garbage(exchange):
    exchange.reply(200, b"\x00\x01\x02 none of this is an answer \xff\xfe", content_type=exchange.wire.content_type)


def html(exchange):
    exchange.reply(200, b"<html><body>Welcome to nginx</body></html>", content_type="text/html")


def with_a_broken_frame(exchange):
    """In a stream, one frame that nobody can read; a whole answer that nobody can read."""
    target = exchange.connection.upstream
    if not exchange.streamed:
        body = exchange.wire.whole(target.says)
        exchange.reply(200, body[: len(body) // 2] + b'"oops')
        return
    exchange.head()
    exchange.delta(PART)
    exchange.body(exchange.wire.broken)
    exchange.delta(target.says[len(PART) :])
    exchange.finish("stop", target.usage)


def without_terminal(exchange):
    """A finish reason, then the end of the body where a marker should be."""
    exchange.head()
    exchange.delta(exchange.connection.upstream.says)
    exchange.body(exchange.wire.finish_reason())
    exchange.raw(exchange.end_bytes())


def without_finish(exchange):
    """The terminal marker, and no finish reason before it."""
    exchange.head()
    exchange.delta(exchange.connection.upstream.says)
    exchange.body(exchange.wire.terminal)
    exchange.raw(exchange.end_bytes())
