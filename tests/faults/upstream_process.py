"""A provider in a process of its own, so that it can be killed. Prints its port; ends when its standard input does.

usage: upstream_process.py TEXT SECONDS_PER_WORD
"""

import sys
import time

from fake_upstream import FakeUpstream
from provider_wires import USAGE


def speaker(text, pace):
    words = text.split(" ")

    def script(exchange):
        if not exchange.streamed:
            time.sleep(pace * len(words))
            exchange.reply(200, exchange.wire.whole(text, "stop", USAGE))
            return
        exchange.head()
        for number, word in enumerate(words):
            exchange.delta(f" {word}" if number else word)
            time.sleep(pace)
        exchange.finish()

    return script


def main():
    upstream = FakeUpstream()
    upstream.script = speaker(sys.argv[1], float(sys.argv[2]))
    print(upstream.port, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
