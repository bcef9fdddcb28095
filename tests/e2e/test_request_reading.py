"""Requests as HTTP: sizes, framing, keep-alive, pipelining, and what is refused at this level."""

import json
import time

from client import CHAT_PATH, chat_body, chat_bytes, request_bytes
from frames import frames_of, text_of
from gateway_test import GatewayTest
from pace import scaled

KIB, MIB = 1 << 10, 1 << 20
BODY_MAX = 32 * MIB
HEADER_MAX = 32 * KIB


def chunked(body, size):
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(f"{len(piece):x}\r\n".encode() + piece + b"\r\n" for piece in pieces) + b"0\r\n\r\n"


class Bodies(GatewayTest):
    def test_a_body_of_1_mib_reaches_upstream_whole(self):
        text = "é" * (MIB // 2)
        self.assertEqual(text_of(self.frames(text=text)), "Hello")
        self.assertEqual(self.upstream.requests[0].json()["messages"][0]["content"], text)

    def test_a_chunked_body_reaches_upstream_whole(self):
        body = chat_body(text="z" * MIB)
        for size in (1000, 65_536, len(body)):
            with self.subTest(size):
                self.upstream.forget()
                client = self.connect()
                client.request("POST", CHAT_PATH, chunked(body, size),
                               {"Content-Type": "application/json", "Transfer-Encoding": "chunked"})
                self.assertEqual(text_of(frames_of(client.response().body)), "Hello")
                self.assertEqual(len(self.upstream.requests[0].json()["messages"][0]["content"]), MIB)

    def test_a_request_in_small_segments_is_read(self):
        client = self.connect()
        data = chat_bytes()
        for at in range(0, len(data), 7):
            client.send(data[at : at + 7])
            time.sleep(0.001)
        self.assertEqual(client.response().status, 200)

    def test_a_body_of_32_mib_passes(self):
        frame = len(chat_body(text=""))
        response = self.ask(text="x" * (BODY_MAX - frame))
        self.assertEqual(response.status, 200, response.body[:500])

    def test_a_longer_body_is_refused_before_it_is_sent(self):
        client = self.connect()
        client.send(request_bytes("POST", CHAT_PATH, headers={
            "Content-Type": "application/json", "Content-Length": str(BODY_MAX + 1)}))
        self.assert_error(client.response(), 413, "request_too_large", "invalid_request_error")
        self.assertTrue(client.is_closed_by_peer(within=scaled(5)))

    def test_a_longer_body_is_refused_though_the_client_sends_it_anyway(self):
        client = self.connect()
        data = chat_bytes(body=b"x" * (BODY_MAX + 1))
        try:
            client.send(data)
        except OSError:
            pass  # it may be cut off; what counts is that the answer is there
        self.assert_error(client.response(), 413, "request_too_large")

    def test_a_longer_chunked_body_is_refused(self):
        client = self.connect()
        client.send(request_bytes("POST", CHAT_PATH, headers={
            "Content-Type": "application/json", "Transfer-Encoding": "chunked"}))
        chunk = chunked(b"x" * MIB, MIB)[:-5]
        try:
            for _ in range(40):
                client.send(chunk)
        except OSError:
            pass
        self.assert_error(client.response(), 413, "request_too_large")
        self.assertEqual(self.upstream.requests, [])

    def test_a_header_block_within_the_limit_passes_and_one_above_is_refused(self):
        self.assertEqual(self.ask(headers={"X-Filler": "f" * (HEADER_MAX - 1000)}).status, 200)
        for filler in ({"X-Filler": "f" * HEADER_MAX}, {f"X-{n}": "f" * 1000 for n in range(40)}):
            self.assert_error(self.ask(headers=filler), 431, "headers_too_large", "invalid_request_error")

    def test_expect_100_continue_is_answered_before_the_body_comes(self):
        client = self.connect()
        body = chat_body()
        client.send(request_bytes("POST", CHAT_PATH, headers={
            "Content-Type": "application/json", "Content-Length": str(len(body)), "Expect": "100-continue"}))
        self.assertEqual(client.head().status, 100)
        client.send(body)
        self.assertEqual(text_of(frames_of(client.response().body)), "Hello")

    def test_expect_100_continue_is_not_answered_for_a_body_that_is_too_long(self):
        client = self.connect()
        client.send(request_bytes("POST", CHAT_PATH, headers={
            "Content-Length": str(BODY_MAX + 1), "Expect": "100-continue"}))
        self.assertEqual(client.head().status, 413)


class Connections(GatewayTest):
    def test_a_connection_carries_many_requests(self):
        client = self.connect()
        for number in range(20):
            client.send(chat_bytes(stream=bool(number % 2)))
            self.assertEqual(client.response().status, 200)

    def test_two_requests_in_one_write_are_answered_in_their_order(self):
        client = self.connect()
        client.send(chat_bytes(model="demo/echo", text="first") + chat_bytes(model="demo/echo", text="second"))
        self.assertEqual(text_of(frames_of(client.response().body)), "first")
        self.assertEqual(text_of(frames_of(client.response().body)), "second")

    def test_a_request_that_comes_during_an_answer_waits_for_its_turn(self):
        def slowly(exchange):
            exchange.head()
            exchange.delta("slow")
            time.sleep(0.3)
            exchange.finish()

        self.upstream.play(slowly)
        client = self.connect()
        client.send(chat_bytes())
        head = client.head()
        self.assertEqual(head.status, 200)
        second = chat_bytes(model="demo/echo", text="next " * 4000)
        client.send(second[:1000])
        time.sleep(0.05)
        client.send(second[1000:])
        self.assertEqual(text_of(frames_of(client.rest())), "slow")
        self.assertTrue(text_of(frames_of(client.response().body)).startswith("next "))

    def test_many_pipelined_requests_are_all_answered(self):
        client = self.connect()
        client.send(request_bytes("GET", "/healthz") * 100)
        for _ in range(100):
            self.assertEqual(client.response().status, 200)

    def test_errors_keep_the_connection(self):
        client = self.connect()
        for _ in range(3):
            client.send(chat_bytes(body=b"{"))
            self.assertEqual(client.response().status, 400)
        client.send(chat_bytes())
        self.assertEqual(client.response().status, 200)

    def test_connection_close_is_obeyed(self):
        client = self.connect()
        client.send(chat_bytes(headers={"Connection": "close"}))
        self.assertEqual(client.response().status, 200)
        self.assertTrue(client.is_closed_by_peer(within=scaled(1)))

    def test_an_http_1_0_client_gets_a_whole_answer_and_the_end_of_the_connection(self):
        client = self.connect()
        body = chat_body(stream=False)
        client.send(b"POST /v1/chat/completions HTTP/1.0\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        response = client.response()
        self.assertEqual(response.json()["choices"][0]["message"]["content"], "Hello")
        self.assertTrue(client.is_closed_by_peer(within=scaled(1)))

    def test_head_is_get_without_a_body(self):
        client = self.connect()
        client.request("HEAD", "/healthz")
        head = client.head()
        self.assertEqual(head.status, 200)
        client.request("GET", "/healthz")
        self.assertEqual(client.response().status, 200)

    def test_what_is_not_http_is_refused(self):
        for data in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 100 + b"\r\n\r\n",
                     b"hello\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET  / HTTP/1.1\r\nA b: c\r\n\r\n",
                     b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
                     b"POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
                     b"POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                     b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"):
            with self.subTest(data[:40]):
                client = self.connect()
                client.send(data)
                self.assert_error(client.response(), 400, kind="invalid_request_error")
                self.assertTrue(client.is_closed_by_peer(within=scaled(5)))
        self.assert_serves()

    def test_stray_line_ends_between_requests_are_let_pass(self):
        client = self.connect()
        for _ in range(2):
            client.send(chat_bytes(stream=False) + b"\r\n")
            self.assertEqual(client.response().status, 200)

    def test_a_hundred_connections_at_once_are_served(self):
        clients = [self.connect() for _ in range(100)]
        for client in clients:
            client.send(chat_bytes())
        for client in clients:
            self.assertEqual(text_of(frames_of(client.response().body)), "Hello")

    def test_a_message_with_every_kind_of_character_survives(self):
        text = "\u0000\u001f\"\\/\b\f\n\r\t é 漢字 😀 \u2028"
        self.assertEqual(text_of(self.frames(model="demo/echo", text=text)), text)
        body = json.dumps(json.loads(chat_body(model="demo/echo", text=text)), ensure_ascii=False).encode()
        self.assertEqual(text_of(self.frames(body=body)), text)


