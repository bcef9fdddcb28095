"""What a client sees of a stream: framing, order, and when each piece comes."""

import json
import threading
import time

from client import Client, chat_body, chat_bytes, get
from fake_upstream import InStep
from frames import error_of, finish_of, frames_of, partial_frames, text_of
from gateway_test import GatewayTest, KINDS
from pace import LIMIT, scaled


class Streaming(GatewayTest):
    def test_every_provider_streams_the_same_answer(self):
        for name in KINDS:
            with self.subTest(name):
                frames = self.frames(model=f"{name}/m")
                self.assertEqual(text_of(frames), "Hello")
                self.assertEqual(finish_of(frames), "stop")
                self.assertIsNone(error_of(frames))

    def test_every_provider_gives_the_same_whole_answer(self):
        for name in KINDS:
            with self.subTest(name):
                response = self.ask(model=f"{name}/m", stream=False)
                self.assertEqual(response.status, 200, response.body)
                self.assertEqual(response.headers["content-type"].split(";")[0], "application/json")
                answer = response.json()
                self.assertEqual(answer["object"], "chat.completion")
                self.assertEqual(answer["choices"][0]["message"]["content"], "Hello")
                self.assertEqual(answer["choices"][0]["finish_reason"], "stop")
                self.assertEqual(answer["usage"]["total_tokens"], 9)

    def test_an_answer_that_is_only_a_picture_is_an_answer(self):
        picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,eA=="}}
        part = {"inlineData": {"mimeType": "image/png", "data": "eA=="}}
        bodies = {"local": {"choices": [{"index": 0, "message": {"content": "", "images": [picture]}, "finish_reason": "stop"}]},
                  "google": {"candidates": [{"content": {"parts": [part]}, "finishReason": "STOP"}]}}
        for name, body in bodies.items():
            with self.subTest(name):
                self.upstream.script = lambda exchange, body=body: exchange.reply(200, json.dumps(body).encode())
                message = self.ask(model=f"{name}/m", stream=False).json()["choices"][0]["message"]
                self.assertEqual(message["images"], [picture])
                deltas = [frame["choices"][0]["delta"] for frame in self.frames(model=f"{name}/m")]
                self.assertIn({"images": [{"index": 0, **picture}]}, deltas)

    def test_a_stream_ends_with_done_and_then_the_body_ends(self):
        with Client(self.runnel.port) as client:
            client.send(chat_bytes())
            client.head()
            body = client.rest()
        self.assertEqual(body[-14:], b"data: [DONE]\n\n")
        frames_of(body)

    def test_the_head_forbids_caches_and_buffers_and_is_never_compressed(self):
        response = self.ask(headers={"Accept-Encoding": "gzip, br"})
        self.assertEqual(response.status, 200)
        self.assertEqual(response.headers["content-type"].split(";")[0], "text/event-stream")
        self.assertEqual(response.headers["cache-control"], "no-cache, no-transform")
        self.assertEqual(response.headers["x-accel-buffering"], "no")
        self.assertNotIn("content-length", response.headers)
        self.assertNotIn("content-encoding", response.headers)

    def test_upstream_is_asked_for_an_uncompressed_answer(self):
        self.ask(headers={"Accept-Encoding": "gzip, br"})
        self.assertIn(self.upstream.requests[0].headers.get("accept-encoding", "identity"), ("identity",))

    def test_both_paths_answer_alike(self):
        bodies = []
        for path in ("/v1/chat/completions", "/api/v1/chat/completions"):
            frames = self.frames(path=path)
            bodies.append([[frame["choices"], frame["model"]] for frame in frames])
        self.assertEqual(bodies[0], bodies[1])

    def test_deltas_apart_in_time_arrive_one_by_one_each_whole(self):
        script = InStep(*"abcde")
        self.upstream.play(script)
        client = self.connect()
        client.send(chat_bytes())
        client.head()
        texts = []
        while piece := client.next_piece():
            texts.append(text_of(partial_frames(piece)))
            script.go_on()
        self.assertEqual(texts[:5], list("abcde"))
        self.assertEqual("".join(texts[5:]), "")

    def test_deltas_of_one_upstream_segment_leave_in_one_write(self):
        def script(exchange):
            head = exchange.head_bytes()
            exchange.raw(head + b"".join(exchange.framed(exchange.delta_bytes(text)) for text in "abcde"))
            time.sleep(scaled(0.2))
            exchange.finish()

        self.upstream.play(script)
        client = self.connect()
        client.send(chat_bytes())
        client.head()
        self.assertEqual(text_of(partial_frames(client.next_piece())), "abcde")

    def test_nothing_is_sent_before_the_first_event_and_then_role_and_text_together(self):
        wait = 0.5
        was_read = threading.Event()
        self.addCleanup(was_read.set)

        def script(exchange):
            exchange.head()
            exchange.body(exchange.wire._chunk({"role": "assistant", "content": ""}))
            time.sleep(wait)
            exchange.delta("late")
            was_read.wait(LIMIT)
            exchange.finish()

        self.upstream.play(script)
        client = self.connect()
        began = time.monotonic()
        client.send(chat_bytes())
        client.head()  # the head waits too: until then the answer can still become an error
        self.assertGreater(time.monotonic() - began, wait - 0.05)
        role, text = partial_frames(client.next_piece())
        self.assertEqual(role["choices"][0]["delta"], {"role": "assistant", "content": ""})
        self.assertEqual(text["choices"][0]["delta"], {"content": "late"})

    def test_the_role_is_said_once_and_a_finish_ends_the_chunks(self):
        frames = self.frames()
        roles = [frame for frame in frames if "role" in frame["choices"][0]["delta"]]
        self.assertEqual(roles, frames[:1])
        self.assertEqual(frames[-1]["choices"][0]["delta"], {})
        self.assertEqual(frames[-1]["choices"][0]["finish_reason"], "stop")

    def test_id_created_and_model_stay_the_same_in_a_stream_and_differ_between_streams(self):
        first, second = self.frames(), self.frames()
        for frames in (first, second):
            self.assertEqual(len({(f["id"], f["created"], f["model"]) for f in frames}), 1)
        self.assertNotEqual(first[0]["id"], second[0]["id"])
        self.assertNotEqual(first[0]["id"], "u1")

    def test_usage_comes_only_when_asked_for(self):
        self.assertFalse(any("usage" in frame for frame in self.frames()))
        frames = self.frames(stream_options={"include_usage": True})
        self.assertEqual(frames[-1]["choices"], [])
        self.assertEqual(frames[-1]["usage"]["total_tokens"], 9)

    def test_an_http_1_0_client_gets_the_stream_without_chunks_until_the_connection_ends(self):
        client = self.connect()
        body = chat_body()
        client.send(b"POST /v1/chat/completions HTTP/1.0\r\nContent-Type: application/json\r\n"
                    b"Content-Length: %d\r\n\r\n" % len(body) + body)
        head = client.head()
        self.assertEqual(head.status, 200)
        self.assertNotIn("transfer-encoding", head.headers)
        self.assertEqual(text_of(frames_of(client.rest())), "Hello")

    def test_the_demo_models_answer_without_any_upstream(self):
        frames = self.frames(model="demo/echo", text="one two three")
        self.assertEqual(text_of(frames), "one two three")
        self.assertEqual(self.upstream.requests, [])
        self.assertIsNotNone(error_of(self.frames(model="demo/error-midstream")))
        self.assertGreaterEqual(self.ask(model="demo/error-before").status, 400)

    def test_a_demo_stream_that_is_left_ends(self):
        files = self.files_at_rest()
        for _ in range(5):
            with Client(self.runnel.port) as client:
                client.send(chat_bytes(model="demo/slow"))
                client.head()
        self.assert_eventually(lambda: self.runnel.open_files() <= files)

    def test_models_are_listed_and_found(self):
        listed = get(self.runnel.port, "/v1/models").json()
        self.assertEqual(listed["object"], "list")
        names = [model["id"] for model in listed["data"]]
        self.assertIn("demo/echo", names)
        found = get(self.runnel.port, "/v1/models/demo%2Fecho")
        self.assertEqual((found.status, found.json()["id"]), (200, "demo/echo"))
        self.assert_error(get(self.runnel.port, "/v1/models/nobody"), 404, "model_not_found")


