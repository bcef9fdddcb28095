"""What a request and an answer are made of: where they end, how large their parts are, what becomes a header."""

import gzip
import json
import time
import zlib

from attack_table import AttackTest, attack
from client import CHAT_PATH, chat_body, chat_bytes, request_bytes
from frames import frames_of, text_of
from key_admin import ADMIN_TOKEN, bearer, make_key
from pace import SANITIZER, scaled

MIB = 1 << 20
CHUNKED = b"Transfer-Encoding: chunked\r\n"
SMUGGLED = b"GET /admin/v1/keys HTTP/1.1\r\nHost: x\r\n\r\n"


def post(fields, body=b"", version=b"HTTP/1.1", host=b"Host: localhost\r\n"):
    return (b"POST /v1/chat/completions " + version + b"\r\n" + host +
            b"Content-Type: application/json\r\n" + fields + b"\r\n" + body)


class Endless(AttackTest):
    def pour(self, begin, piece, total):
        """Sends without an end, as far as it is taken; the answer, and how much memory it cost."""
        self.assert_serves()
        before = most = self.memory()
        client = self.connect()
        try:
            client.send(begin)
            for _ in range(total // len(piece)):
                client.send(piece)
                most = max(most, self.memory())
        except OSError:
            pass  # cut off, as it should be
        most = max(most, self.memory())
        if not SANITIZER:
            self.assertLess(most - before, 4 * MIB)
        return client.response()

    @attack("stranger", "a chunk-extension line of 64 MiB", "400, less than 4 MiB of memory")
    def test_chunk_line_without_end(self):
        response = self.pour(post(CHUNKED, b"1;"), b"x" * MIB, 64 * MIB)
        self.assert_error(response, 400, "invalid_value")

    @attack("stranger", "64 MiB of trailers", "400, less than 4 MiB of memory")
    def test_trailers_without_end(self):
        response = self.pour(post(CHUNKED, b"0\r\n"), b"A: b\r\n" * 100_000, 64 * MIB)
        self.assert_error(response, 400, "invalid_value")

    @attack("stranger", "64 MiB of header fields", "431, less than 4 MiB of memory")
    def test_head_without_end(self):
        response = self.pour(b"GET / HTTP/1.1\r\nHost: a\r\n", b"A: b\r\n" * 100_000, 64 * MIB)
        self.assert_error(response, 431, "headers_too_large")

    @attack("stranger", "requests without an end, one behind the other", "they are answered as they are read; less than 4 MiB of memory")
    def test_requests_without_end(self):
        self.assert_serves()
        before = most = self.memory()
        client = self.connect()
        client.socket.settimeout(1)
        sent = 0
        try:
            while sent < 32 * MIB:
                client.send(request_bytes("GET", "/nothing") * 10_000)
                sent += MIB
                most = max(most, self.memory())
        except TimeoutError:
            pass  # nobody takes the answers, so nobody reads the requests
        time.sleep(0.3)
        if not SANITIZER:
            self.assertLess(max(most, self.memory()) - before, 4 * MIB)

    @attack("stranger", "64 KiB behind a request that is being answered, and then the end of the connection",
            "the provider is told no more")
    def test_hang_up_behind_a_next_request(self):
        def held(exchange):
            exchange.head()
            exchange.delta("Hello")
            exchange.hold()

        self.upstream.play(held)
        client = self.connect()
        client.send(chat_bytes())
        client.head()
        client.send(b"GET /" + b"x" * 65536)
        client.close()
        connection = self.upstream.exchanges[-1].connection
        self.assert_eventually(lambda: connection.closed_at is not None, scaled(5))

    @attack("stranger", "a first line of 64 MiB", "431, less than 4 MiB of memory")
    def test_first_line_without_end(self):
        self.assert_error(self.pour(b"GET /", b"x" * MIB, 64 * MIB), 431, "headers_too_large")


class HostileAnswers(AttackTest):
    config = {"policy": {"retries": 0}}

    def answered(self, begin, piece, times):
        """What a client gets when its provider answers so; the provider is cut off before it has sent it all."""
        cut_off = []

        def script(exchange):
            exchange.keep_alive = False
            try:
                exchange.raw(begin)
                for _ in range(times):
                    exchange.raw(piece)
                exchange.hold()
            except OSError:
                cut_off.append(True)
                raise

        self.upstream.play(script)
        before = self.memory()
        response = self.ask(stream=False)
        if not SANITIZER:
            self.assertLess(self.memory() - before, 8 * MIB)
        self.assertEqual(response.status, 502, response.body)

    @attack("upstream", "header fields without an end", "502, bounded")
    def test_head_without_end(self):
        self.answered(b"HTTP/1.1 200 OK\r\n", b"A: b\r\n" * 10_000, 100)

    @attack("upstream", "header fields without an end, a line in each segment", "502 after 64 KiB")
    def test_head_a_line_at_a_time(self):
        self.answered(b"HTTP/1.1 200 OK\r\n", b"Abcdefghijklmn: opqrstuvwxyz\r\n", 20_000)

    @attack("upstream", "one header field without an end", "502, bounded")
    def test_header_line_without_end(self):
        self.answered(b"HTTP/1.1 200 OK\r\nA: ", b"x" * 65536, 500)

    @attack("upstream", "a chunk-extension line without an end", "502, bounded")
    def test_chunk_line_without_end(self):
        self.answered(b"HTTP/1.1 200 OK\r\n" + CHUNKED + b"\r\n1;", b"x" * 65536, 500)

    @attack("upstream", "trailers without an end", "502 or the answer, bounded")
    def test_trailers_without_end(self):
        self.answered(b"HTTP/1.1 200 OK\r\n" + CHUNKED + b"\r\n0\r\n", b"A: b\r\n" * 10_000, 500)

    @attack("upstream", "interim responses without an end", "502, bounded")
    def test_interim_responses_without_end(self):
        self.answered(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n" * 1000, 500)

    @attack("upstream", "Transfer-Encoding with a Content-Length, and another answer behind",
            "the connection is not used again")
    def test_coding_and_length(self):
        def script(exchange):
            body = exchange.wire.whole("Hello")
            exchange.raw(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 3\r\n" + CHUNKED +
                         b"\r\n" + exchange.framed(body) + b"0\r\n\r\n")

        self.upstream.play(script, script)
        for _ in range(2):
            response = self.ask(stream=False)
            self.assertEqual(response.json()["choices"][0]["message"]["content"], "Hello")
        first, second = self.upstream.exchanges
        self.assertIsNot(first.connection, second.connection)

    @attack("upstream", "an unknown Transfer-Encoding, two lengths, a field in two lines", "502")
    def test_framing_that_nobody_can_read(self):
        for fields in (b"Transfer-Encoding: gzip, chunked\r\n", b"Transfer-Encoding: x\r\n",
                       b"Content-Length: 2\r\nContent-Length: 3\r\n", b"Content-Length: 1e3\r\n",
                       b"A: b\r\n c\r\nContent-Length: 2\r\n", b"A : b\r\nContent-Length: 2\r\n"):
            with self.subTest(fields):
                def script(exchange, fields=fields):
                    exchange.keep_alive = False
                    exchange.raw(b"HTTP/1.1 200 OK\r\n" + fields + b"\r\n{}")

                self.upstream.play(script)
                self.assertEqual(self.ask(stream=False).status, 502)


class Smuggling(AttackTest):
    config = {"auth": {"mode": "keys"}, "admin": {"token": ADMIN_TOKEN}}

    def assert_serves(self):
        pass  # strangers are not served here

    def assert_refused(self, wire):
        """One answer, 400, and the end of the connection: nothing of it was read as a second request."""
        client = self.connect()
        client.send(wire + SMUGGLED)
        self.assert_error(client.response(), 400, kind="invalid_request_error")
        self.assertTrue(client.is_closed_by_peer(within=scaled(5)))
        self.assertEqual(self.upstream.requests, [])

    @attack("stranger", "a Transfer-Encoding other than chunked, with a request in the body", "400 and close")
    def test_unknown_coding(self):
        for coding in (b"xchunked", b"identity", b"gzip, chunked", b"chunked, identity", b"chunked, chunked",
                       b"\x0bchunked", b"chunked;q=1", b"", b"CHUNKE\xc4"):
            with self.subTest(coding):
                self.assert_refused(post(b"Transfer-Encoding: " + coding + b"\r\n"))
        self.assert_refused(post(CHUNKED + CHUNKED, b"0\r\n\r\n"))

    @attack("stranger", "Transfer-Encoding and Content-Length", "400 and close")
    def test_coding_and_length(self):
        self.assert_refused(post(CHUNKED + b"Content-Length: 5\r\n", b"0\r\n\r\n"))
        self.assert_refused(post(b"Content-Length: 5\r\n" + CHUNKED, b"0\r\n\r\n"))

    @attack("stranger", "chunked on HTTP/1.0", "400 and close")
    def test_coding_of_http_1_0(self):
        self.assert_refused(post(CHUNKED, b"0\r\n\r\n", version=b"HTTP/1.0"))

    @attack("stranger", "several, differing or malformed lengths", "400 and close")
    def test_lengths(self):
        for fields in (b"Content-Length: 1\r\nContent-Length: 2\r\n", b"Content-Length: 2\r\nContent-Length: 2\r\n",
                       b"Content-Length: 2, 2\r\n", b"Content-Length: +2\r\n", b"Content-Length: -2\r\n",
                       b"Content-Length: 0x2\r\n", b"Content-Length: 2 2\r\n", b"Content-Length:\r\n",
                       b"Content-Length: 18446744073709551618\r\n"):
            with self.subTest(fields):
                self.assert_refused(post(fields, b"{}"))

    @attack("stranger", "no Host, two, or one with a path in it", "400 and close")
    def test_host(self):
        for host in (b"", b"Host: a\r\nHost: a\r\n", b"Host: a\r\nhost: b\r\n", b"Host: a/b\r\n", b"Host: a b\r\n",
                     b"Host: a@b\r\n", b"Host: \xc3\xa9\r\n"):
            with self.subTest(host):
                self.assert_refused(post(b"Content-Length: 0\r\n", host=host))

    @attack("stranger", "two Authorization fields, of which a proxy may have checked the other", "400 and close")
    def test_two_authorizations(self):
        self.assert_refused(post(b"Authorization: Bearer a\r\nauthorization: Bearer b\r\nContent-Length: 0\r\n"))

    @attack("stranger", "two X-API-Key fields, of which a proxy may have checked the other", "400")
    def test_two_keys(self):
        key = make_key(self.runnel.port, name="two")["key"]
        for fields, status in ((f"X-API-Key: {key}\r\n", 200), (f"X-API-Key: {key}\r\nx-api-key: rk-other\r\n", 400)):
            client = self.connect()
            client.send(f"GET /v1/models HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n".encode())
            self.assertEqual(client.response().status, status)

    @attack("stranger", "bare CR, LF or NUL in a field, a space before its colon, a second line", "400 and close")
    def test_fields(self):
        for field in (b"X: a\rY: b\r\n", b"X: a\nY: b\r\n", b"X: a\0b\r\n", b"X : a\r\n", b"X: a\r\n b\r\n",
                      b"\tX: a\r\n", b"X\r\n", b": a\r\n", b"X\0: a\r\n", b"Transfer-Encoding\x0b: chunked\r\n"):
            with self.subTest(field):
                self.assert_refused(post(field + b"Content-Length: 0\r\n"))

    @attack("stranger", "an Authorization in the trailers", "401: trailers are no header fields")
    def test_trailers_do_not_authorize(self):
        key = make_key(self.runnel.port, name="one")
        body = chat_body()
        wire = post(CHUNKED, f"{len(body):x}\r\n".encode() + body + b"\r\n0\r\nAuthorization: " +
                    bearer(key)["Authorization"].encode() + b"\r\n\r\n")
        client = self.connect()
        client.send(wire)
        self.assert_error(client.response(), 401, "missing_api_key")
        self.assertEqual(self.upstream.requests, [])


class HeaderFields(AttackTest):
    def assert_clean(self, response):
        self.assertNotIn("set-cookie", response.headers)
        for name, _ in response.fields:
            self.assertNotIn("evil", name.lower())

    @attack("stranger", 'a model named "x\\r\\nSet-Cookie: a=b"', "400 that names the field; no such header")
    def test_model_name_splits_no_header(self):
        for name in ("local/x\r\nSet-Cookie: evil=1", "local/x\nEvil: 1", "local/x\rEvil: 1", "local/x\0", "local/\x7f",
                     "local/x\r\n\r\nHTTP/1.1 200 OK\r\nEvil: 1\r\n\r\n", "m" * 300, "local/" + "é" * 10):
            for stream in (True, False):
                with self.subTest(name, stream=stream):
                    response = self.ask(model=name, stream=stream)
                    self.assert_clean(response)
                    self.assert_error(response, 400, "invalid_value", param="model")
            with self.subTest(name, fallback=True):
                response = self.ask(model="local/m", fallback=[name], stream=False)
                self.assert_clean(response)
                self.assertEqual(response.status, 400, response.body)
        self.assertEqual(self.upstream.requests, [])

    @attack("stranger", "fields with names of a megabyte, or with line ends in them, for a provider that drops what it does not know",
            "400; neither header nor log has them")
    def test_names_of_fields_are_bounded(self):
        logged = len(self.runnel.log())
        for name in ("x" * 1_000_000, "evil\r\nSet-Cookie: evil=1", "a field", "\u00e9"):
            with self.subTest(name[:20]):
                response = self.ask(model="local/m", **{name: 1})
                self.assert_clean(response)
                self.assert_error(response, 400, "invalid_value")
                self.assertLess(len(response.body), 1000)
        self.assertEqual(self.upstream.requests, [])
        self.assert_eventually(lambda: self.runnel.log().count("is not how a field is spelled") >= 4)
        self.assertLess(len(self.runnel.log()) - logged, 10_000)

    @attack("stranger", "names of models that are in use somewhere", "they reach the provider as they are")
    def test_real_model_names_pass(self):
        for name in ("local/ft:gpt-4o-mini:org::abc123", "local/@cf/meta/llama-3.1-8b", "local/hf.co/a/b-GGUF:Q4_K_M",
                     "local/arn:aws:bedrock:us-east-1:1:inference-profile/x", "local/model+lora~2", "local/my model (1)"):
            with self.subTest(name):
                self.upstream.forget()
                self.assertEqual(self.ask(model=name).status, 200)
                self.assertEqual(self.upstream.requests[0].json()["model"], name.removeprefix("local/"))

    @attack("stranger", "a model name that ends the request line to a provider with the model in its path",
            "one line, as far as it goes out at all")
    def test_model_name_in_a_path(self):
        for name in ("google/x y HTTP/1.1", "google/x?a=b#c", "google/../../admin", "google/x%0d%0aEvil: 1"):
            with self.subTest(name):
                self.upstream.forget()
                self.ask(model=name)
                for request in self.upstream.requests:
                    self.assertNotIn("evil", request.headers)
                    self.assertNotIn(" ", request.target)

    @attack("stranger", "bytes that are no text in a path and in a header that an error names", "the error is JSON all the same")
    def test_errors_are_json(self):
        for wire in (b"GET /\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n",
                     post(b"Content-Encoding: \xc3(\r\nContent-Length: 2\r\n", b"{}")):
            client = self.connect()
            client.send(wire)
            self.assertIn("\ufffd", client.response().error["message"])

    @attack("stranger", "controls of terminals beyond ASCII, and what turns text round, in a path", "the log has none of them")
    def test_controls_in_a_log_line(self):
        controls = ("\u009b31m", "\u009d0;title\u009c", "\u202ereversed", "\u2066hidden")
        for control in controls:
            client = self.connect()
            client.send(f"GET /seen-{control} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            self.assert_error(client.response(), 404, "not_found")
        self.assert_eventually(lambda: self.runnel.log().count('"/seen-') >= len(controls))
        for control in controls:
            self.assertNotIn(control[0], self.runnel.log())

    @attack("upstream", "the same in an error's words", "the log has none of them")
    def test_controls_in_an_error(self):
        self.upstream.play(lambda exchange: exchange.reply(400, b'{"error":{"message":"not so \\u001b[2J\\u009b2J"}}'))
        self.assertEqual(self.ask(stream=False).status, 400)
        self.assert_logs("not so", self.runnel)
        self.assertFalse({"\x1b", "\x9b"} & set(self.runnel.log()))

    @attack("stranger", "a request id that can't be a header", "another is given")
    def test_request_id(self):
        for given in ("a b", 'a"b', "x" * 200, "a\\b"):
            response = self.ask(headers={"X-Request-ID": given})
            self.assertNotEqual(response.headers["x-request-id"], given)

    @attack("upstream", "an answer whose model has line ends in it", "no header of the client's answer is its")
    def test_model_of_an_answer_splits_no_header(self):
        def script(exchange):
            whole = json.loads(exchange.wire.whole("Hello"))
            whole["model"] = "x\r\nSet-Cookie: evil=1"
            exchange.reply(200, json.dumps(whole).encode())

        self.upstream.play(script)
        response = self.ask(stream=False)
        self.assertEqual(response.status, 200)
        self.assert_clean(response)


def zstd(data):
    """One frame of raw blocks: it needs nothing to write, and must be read all the same."""
    frame = b"\x28\xb5\x2f\xfd" + b"\xa0" + len(data).to_bytes(4, "little")  # one segment, size in four bytes
    blocks = [data[at : at + 65536] for at in range(0, len(data), 65536)] or [b""]
    for number, block in enumerate(blocks):
        frame += ((len(block) << 3) | (number == len(blocks) - 1)).to_bytes(3, "little") + block
    return frame


class Encodings(AttackTest):
    config = {"limits": {"request_body": "8MiB"}}

    def ask_encoded(self, body, coding, chunked=False):
        client = self.connect()
        headers = {"Content-Type": "application/json", "Content-Encoding": coding}
        if chunked:
            headers["Transfer-Encoding"] = "chunked"
            pieces = [body[at : at + 50] for at in range(0, len(body), 50)]
            body = b"".join(f"{len(piece):x}\r\n".encode() + piece + b"\r\n" for piece in pieces) + b"0\r\n\r\n"
        client.send(request_bytes("POST", CHAT_PATH, body, headers))
        return client.response()

    def test_compressed_bodies_are_read(self):
        body = chat_body(text="é" * 100_000)
        for coding, wire in (("gzip", gzip.compress(body)), ("deflate", zlib.compress(body)), ("zstd", zstd(body)),
                             ("identity", body), ("GZIP", gzip.compress(body))):
            for chunked in (False, True):
                with self.subTest(coding, chunked=chunked):
                    self.upstream.forget()
                    response = self.ask_encoded(wire, coding, chunked)
                    self.assertEqual(text_of(frames_of(response.body)), "Hello")
                    content = self.upstream.requests[0].json()["messages"][0]["content"]
                    self.assertEqual(content, "é" * 100_000)

    @attack("stranger", "an encoding that is not understood, or several", "415 that names those that are")
    def test_unknown_encodings(self):
        for coding in ("br", "gzip, gzip", "compress", "zstd, gzip", "x" * 100):
            response = self.ask_encoded(b"x", coding)
            self.assert_error(response, 415, "unsupported_media_type")
            self.assertIn("gzip, deflate and zstd", response.error["message"])

    @attack("stranger", "a bomb: 1 MiB that inflates to 1 GiB", "413; it is inflated up to the limit only")
    def test_bomb(self):
        piece = zlib.compressobj(9, zlib.DEFLATED, 31)
        wire = b"".join(piece.compress(b" " * MIB) for _ in range(1024)) + piece.flush()
        self.assertLess(len(wire), 2 * MIB)
        before = self.memory()
        for _ in range(4):
            self.assert_error(self.ask_encoded(wire, "gzip"), 413, "request_too_large")
        if not SANITIZER:
            self.assertLess(self.memory() - before, 48 * MIB)

    @attack("stranger", "a sign-in in a zstd frame that wants 8 MiB", "400: nothing of a sign-in lies so far back")
    def test_window_of_a_sign_in(self):
        client = self.connect()
        client.send(request_bytes("POST", "/admin/v1/session", b"\x28\xb5\x2f\xfd\x00\x68\x40\x1f\x00",
                                  {"Content-Type": "application/json", "Content-Encoding": "zstd",
                                   "Content-Length": "4000"}))
        self.assert_error(client.response(), 400, "invalid_value")

    @attack("stranger", "compressed bytes that are broken or cut short", "400 that says so")
    def test_broken(self):
        body = chat_body()
        for coding, wire in (("gzip", gzip.compress(body)), ("deflate", zlib.compress(body)), ("zstd", zstd(body))):
            for bad in (wire[:-1], wire[1:], body, wire + b"\0\1\2", b""):
                with self.subTest(coding, bad=bad[:20]):
                    response = self.ask_encoded(bad, coding)
                    self.assertEqual(response.status, 400, response.body)
