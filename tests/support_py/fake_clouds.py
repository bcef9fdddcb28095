"""What clouds have around their models: services that give out tokens and keys, and a Bedrock that checks signatures.
Each signature is made here a second time, from AWS' description."""

import base64
import datetime
import hashlib
import hmac
import json
import struct
import threading
import urllib.parse
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

REGION = "us-east-1"


def message(headers, payload):
    """One message of AWS' event stream."""
    encoded = b"".join(bytes([len(name)]) + name.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()
                       for name, value in headers.items())
    prelude = struct.pack(">II", 16 + len(encoded) + len(payload), len(encoded))
    body = prelude + struct.pack(">I", zlib.crc32(prelude)) + encoded + payload
    return body + struct.pack(">I", zlib.crc32(body))


def event(name, payload):
    return message({":event-type": name, ":content-type": "application/json", ":message-type": "event"},
                   json.dumps(payload).encode())


def exception(name, text):
    return message({":exception-type": name, ":content-type": "application/json", ":message-type": "exception"},
                   json.dumps({"message": text}).encode())


def converse_stream(*words):
    return (event("messageStart", {"role": "assistant"}) +
            b"".join(event("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": word}}) for word in words) +
            event("contentBlockStop", {"contentBlockIndex": 0}) + event("messageStop", {"stopReason": "end_turn"}) +
            event("metadata", {"usage": {"inputTokens": 7, "outputTokens": 2, "totalTokens": 9}}))


def claude_stream(*words):
    """As InvokeModel gives it."""
    events = [{"type": "message_start", "message": {"id": "msg_1", "usage": {"input_tokens": 7, "output_tokens": 1}}},
              {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
              *({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": word}} for word in words),
              {"type": "content_block_stop", "index": 0},
              {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
              {"type": "message_stop"}]
    return b"".join(event("chunk", {"bytes": base64.b64encode(json.dumps(e).encode()).decode()}) for e in events)


def signature(secret, request, authorization):
    """What must stand behind Signature= of this request."""
    _, scope = authorization["Credential"].split("/", 1)
    date, region, service, _ = scope.split("/")
    names = authorization["SignedHeaders"].split(";")
    path, _, query = request.path.partition("?")
    canonical = "\n".join([
        request.method, urllib.parse.quote(path, safe="/~"), query,
        *(f"{name}:{request.headers[name].strip()}" for name in names), "", ";".join(names),
        hashlib.sha256(request.body).hexdigest()])
    text = "\n".join(["AWS4-HMAC-SHA256", request.headers["x-amz-date"], scope,
                      hashlib.sha256(canonical.encode()).hexdigest()])
    key = b"AWS4" + secret.encode()
    for part in (date, region, service, "aws4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


class Request:
    def __init__(self, handler):
        self.method = handler.command
        self.path = handler.path
        self.headers = {name.lower(): value for name, value in handler.headers.items()}
        self.body = handler.rfile.read(int(self.headers.get("content-length", 0)))

    def form(self):
        return dict(urllib.parse.parse_qsl(self.body.decode()))


class Server(ThreadingHTTPServer):
    request_queue_size = 512  # many ask at once
    daemon_threads = True


class FakeCloud:
    """`answer(request)` gives (status, headers, body); what was asked is kept in `requests`."""

    def __init__(self):
        cloud = self
        self.requests = []
        self.secrets = {}  # of AWS, by key id
        self.tokens = {}  # that providers take
        self.lifetime = 3600  # seconds, of what is given out
        self.pause = 0  # seconds, before the token services answer
        self.broken = False
        self._lock = threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                request = Request(self)
                with cloud._lock:
                    cloud.requests.append(request)
                status, headers, body = cloud.answer(request)
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_PUT = answer

            def log_message(self, *_):
                pass

        self._server = Server(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def forget(self):
        with self._lock:
            self.requests.clear()

    def asked(self, part):
        """Requests with this in their path."""
        with self._lock:
            return [request for request in self.requests if part in request.path]

    def answer(self, request):
        if "/model/" in request.path:
            return self.bedrock(request)
        if "/publishers/" in request.path:
            return self.vertex(request)
        if "/chat/completions" in request.path:
            return self.azure(request)
        return self.give_out(request)

    # --- models

    def bedrock(self, request):
        refusal = self.refusal(request)
        if refusal:
            return 403, {"x-amzn-ErrorType": refusal}, json.dumps({"message": refusal}).encode()
        kind = {"Content-Type": "application/vnd.amazon.eventstream"}
        if request.path.endswith("/converse-stream"):
            return 200, kind, converse_stream("Hel", "lo")
        if request.path.endswith("/invoke-with-response-stream"):
            return 200, kind, claude_stream("Hel", "lo")
        message_of = {"role": "assistant", "content": [{"text": "Hello"}]}
        body = {"output": {"message": message_of}, "stopReason": "end_turn", "usage": {"inputTokens": 7, "outputTokens": 2}}
        return 200, {"Content-Type": "application/json"}, json.dumps(body).encode()

    def refusal(self, request):
        proof = request.headers.get("authorization", "")
        if proof.startswith("Bearer "):
            return None if proof[len("Bearer "):] in self.tokens else "UnrecognizedClientException"
        fields = dict(part.split("=", 1) for part in proof.removeprefix("AWS4-HMAC-SHA256 ").split(", "))
        secret = self.secrets.get(fields["Credential"].split("/")[0])
        if secret is None:
            return "ExpiredTokenException"
        if fields["Signature"] != signature(secret[0], request, fields):
            return "InvalidSignatureException"
        return None if request.headers.get("x-amz-security-token", "") == secret[1] else "InvalidClientTokenId"

    def is_let_in(self, request):
        return request.headers.get("authorization", "").removeprefix("Bearer ") in self.tokens

    def vertex(self, request):
        if not self.is_let_in(request):
            return 401, {}, b'{"error":{"code":401,"status":"UNAUTHENTICATED","message":"no"}}'
        if "rawPredict" in request.path:
            body = {"type": "message", "content": [{"type": "text", "text": "Hello"}], "stop_reason": "end_turn",
                    "usage": {"input_tokens": 1, "output_tokens": 1}}
        else:
            body = {"candidates": [{"content": {"parts": [{"text": "Hello"}]}, "finishReason": "STOP"}]}
        return 200, {"Content-Type": "application/json"}, json.dumps(body).encode()

    def azure(self, request):
        if not self.is_let_in(request):
            return 401, {}, b'{"error":{"code":"401","message":"no"}}'
        body = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"}]}
        return 200, {"Content-Type": "application/json"}, json.dumps(body).encode()

    # --- who gives out what proves who asks

    def give_out(self, request):
        if self.pause:
            threading.Event().wait(self.pause)
        if self.broken:
            return 500, {}, b"hunter2 is what was asked with"
        if request.path == "/latest/api/token":
            return 200, {}, b"imds-token"
        if request.path.endswith("/security-credentials/"):
            return 200, {}, b"role"
        if "security-credentials" in request.path or "container" in request.path:
            return 200, {}, json.dumps(self.aws_keys()).encode()
        return 200, {}, json.dumps({"access_token": self.token(), "expires_in": self.lifetime}).encode()

    def aws_keys(self):
        with self._lock:
            key_id = f"ASIA{len(self.secrets) + 1}"
            self.secrets[key_id] = (f"secret-{key_id}", f"session-{key_id}")
        end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=self.lifetime)
        return {"AccessKeyId": key_id, "SecretAccessKey": self.secrets[key_id][0], "Token": self.secrets[key_id][1],
                "Expiration": end.strftime("%Y-%m-%dT%H:%M:%SZ")}

    def token(self):
        with self._lock:
            token = f"token-{len(self.tokens) + 1}"
            self.tokens[token] = True
        return token
