"""Two threads under concurrent mixed load: every provider, streams and whole answers, errors and aborts."""

import random
import threading

from client import Client, chat_bytes, get
from frames import error_of, frames_of, text_of
from gateway_test import GatewayTest, KINDS
from pace import scaled

CONNECTIONS = 20
REQUESTS = 200
MODELS = [f"{name}/m" for name in KINDS] + ["demo/echo", "demo/tools", "demo/reasoning"]

TOOLS = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]


def moody(exchange):
    """Mostly well-behaved; the request itself says when not to be."""
    body = exchange.request.body
    if b"please-cut" in body:
        exchange.head()
        exchange.delta("Hel")
        exchange.reset()
    elif b"please-fail" in body:
        exchange.reply(500, exchange.wire.error("it failed"))
    elif b"please-dawdle" in body:
        exchange.stream(*["word "] * 20, gap=0.005)
    elif b'"stream":true' in body.replace(b" ", b"") or b"stream" in exchange.request.target.encode():
        exchange.stream("Hel", "lo")
    else:
        exchange.reply(200, exchange.wire.whole("Hello"))


class WholeBinary(GatewayTest):
    arguments = ("--threads", "2")

    def test_concurrent_mixed_load_with_aborts(self):
        self.upstream.script = moody
        problems = []
        threads = [threading.Thread(target=self.load, args=(seed, problems), daemon=True)
                   for seed in range(CONNECTIONS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(scaled(30))
        self.assertFalse([thread for thread in threads if thread.is_alive()], "some requests hang")
        self.assertEqual(problems, [])
        self.assert_serves()

    def load(self, seed, problems):
        chance = random.Random(seed)
        client = Client(self.runnel.port)
        try:
            for _ in range(REQUESTS // CONNECTIONS):
                client = self.one_request(chance, client)
        except Exception as problem:  # a thread's failure must reach the test
            problems.append(f"{seed}: {problem!r}")
        finally:
            client.close()

    def one_request(self, chance, client):
        """Sends one request of some kind; gives back the connection for the next."""
        kind = chance.choice(["stream"] * 4 + ["whole"] * 2 + ["cut", "fail", "abort", "leave", "refused", "health"])
        model = chance.choice(MODELS)
        if kind == "stream":
            client.send(chat_bytes(model=model, text="Hello", tools=TOOLS))
            assert error_of(frames_of(client.response().body)) is None
        elif kind == "whole":
            client.send(chat_bytes(model=model, stream=False, text="x" * chance.randrange(200_000)))
            assert client.response().status == 200
        elif kind == "cut":
            client.send(chat_bytes(text="please-cut"))
            frames = frames_of(client.response().body)
            assert (text_of(frames), error_of(frames)["code"]) == ("Hel", "upstream_error")
        elif kind == "fail":
            client.send(chat_bytes(model="claude/m", text="please-fail"))
            assert client.response().status == 502
        elif kind == "refused":
            client.send(chat_bytes(body=b"{"))
            assert client.response().status == 400
        elif kind == "health":
            assert get(self.runnel.port, "/v1/models").status == 200
        else:
            client.send(chat_bytes(model="google/m", text="please-dawdle"))
            if kind == "leave":
                client.head()
                client.next_piece()
            (client.reset if chance.random() < 0.5 else client.close)()
            client = Client(self.runnel.port)
        return client

    def test_both_threads_take_connections_on_the_one_port(self):
        for _ in range(40):
            self.assertEqual(get(self.runnel.port, "/healthz").status, 200)
