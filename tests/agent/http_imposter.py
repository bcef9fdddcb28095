"""An MCP server over Streamable HTTP that does as each test says, in either era."""

import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ECHO = {"name": "echo", "description": "Says it again",
        "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}}


def text_result(text, **more):
    return {"content": [{"type": "text", "text": text}], **more}


class Exchange:
    """One request, and the ways to answer it."""

    def __init__(self, handler, body):
        self._handler = handler
        self.verb = handler.command
        self.headers = handler.headers
        self.message = json.loads(body) if body else {}
        self.method = self.message.get("method", "")
        self.params = self.message.get("params", {})
        self.id = self.message.get("id")

    def body(self, bytes_, status=200, content_type="application/json", **headers):
        self._handler.send_response(status)
        self._handler.send_header("Content-Type", content_type)
        self._handler.send_header("Content-Length", str(len(bytes_)))
        for name, value in headers.items():
            self._handler.send_header(name.replace("_", "-"), value)
        self._handler.end_headers()
        self._handler.wfile.write(bytes_)

    def json(self, value, status=200, **headers):
        self.body(json.dumps(value).encode(), status, **headers)

    def result(self, value, **headers):
        self.json({"jsonrpc": "2.0", "id": self.id, "result": value}, **headers)

    def error(self, code, message, status=200, data=None):
        error = {"code": code, "message": message, **({"data": data} if data else {})}
        self.json({"jsonrpc": "2.0", "id": self.id, "error": error}, status)

    def accepted(self):
        self.body(b"", 202)

    def begin_stream(self):
        """A stream that is over when the connection is."""
        self._handler.close_connection = True
        self._handler.send_response(200)
        self._handler.send_header("Content-Type", "text/event-stream")
        self._handler.send_header("Connection", "close")
        self._handler.end_headers()

    def raw(self, bytes_):
        self._handler.wfile.write(bytes_)
        self._handler.wfile.flush()

    def event(self, value):
        self.raw(b"event: message\ndata: " + json.dumps(value).encode() + b"\n\n")

    def answer_event(self, result):
        self.event({"jsonrpc": "2.0", "id": self.id, "result": result})

    def reset(self):
        """Breaks the connection, as a server that dies does."""
        self._handler.close_connection = True
        linger = (1).to_bytes(4, "little") + (0).to_bytes(4, "little")
        self._handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self._handler.connection.close()

    def close_later(self):
        """Closes after this answer, without a word of it in the header."""
        self._handler.close_connection = True


class HttpImposter:
    """Answers as `on_METHOD` says; `seen` has every request. Tests replace what they need."""

    tools = [ECHO]

    def __init__(self):
        self.seen = []
        self.open_connections = 0
        self.released = threading.Event()  # what hangs hangs until then
        imposter = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1

            def setup(self):
                super().setup()
                imposter.open_connections += 1

            def finish(self):
                try:
                    super().finish()
                except OSError:
                    pass  # it was broken on purpose
                imposter.open_connections -= 1

            def handle(self):
                try:
                    super().handle()
                except (OSError, ValueError):
                    pass

            def answer(self):
                exchange = Exchange(self, self.rfile.read(int(self.headers.get("Content-Length") or 0)))
                imposter.seen.append(exchange)
                imposter.answer(exchange)
                self.wfile.flush()

            do_GET = do_POST = do_DELETE = answer

            def log_message(self, *_):
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 64

            def handle_error(self, *_):
                pass

        self._server = Server(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/mcp"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def close(self):
        self.released.set()
        self._server.shutdown()
        self._server.server_close()

    def answer(self, exchange):
        if exchange.verb != "POST":
            name = f"on_{exchange.verb.lower()}"
        elif not exchange.method:
            name = "on_answer"
        else:
            name = "on_" + exchange.method.replace("/", "_")
        getattr(self, name, self.on_other)(exchange)

    def on_other(self, exchange):
        if exchange.verb != "POST":
            exchange.body(b"", 405)
        elif exchange.id is None:
            exchange.accepted()
        else:
            exchange.error(-32601, f"Method not found: {exchange.method}")

    def on_answer(self, exchange):
        exchange.accepted()

    def on_tools_list(self, exchange):
        exchange.result({"tools": self.tools})

    def on_tools_call(self, exchange):
        exchange.result(text_result(exchange.params["arguments"].get("text", "")))

    def seen_methods(self):
        return [exchange.method or exchange.verb for exchange in self.seen]

    def seen_calls(self):
        return [exchange for exchange in self.seen if exchange.method == "tools/call"]


class LegacyServer(HttpImposter):
    """2025-06-18: a handshake, then a session."""

    capabilities = {"tools": {}}
    lost_status = 404

    def __init__(self):
        super().__init__()
        self.sessions = []  # those that are alive

    def answer(self, exchange):
        session = exchange.headers.get("Mcp-Session-Id")
        if exchange.verb == "POST" and exchange.method != "initialize" and session not in self.sessions:
            exchange.error(-32000, "no such session", self.lost_status if session else 400)
            return
        super().answer(exchange)

    def on_initialize(self, exchange):
        self.sessions.append(f"session-{len(self.seen)}")
        exchange.result({"protocolVersion": exchange.params["protocolVersion"], "capabilities": self.capabilities,
                         "serverInfo": {"name": "imposter", "version": "1"}}, Mcp_Session_Id=self.sessions[-1])

    def on_delete(self, exchange):
        self.sessions.remove(exchange.headers["Mcp-Session-Id"])
        exchange.body(b"", 200)


class ModernServer(HttpImposter):
    """2026-07-28: every request by itself, and strict about its headers."""

    capabilities = {"tools": {}}

    def answer(self, exchange):
        meta = exchange.params.get("_meta", {})
        version = meta.get("io.modelcontextprotocol/protocolVersion")
        if exchange.verb == "POST" and version is None:
            exchange.error(-32602, "no protocol version in _meta", 400)
        elif exchange.verb == "POST" and (exchange.headers.get("MCP-Protocol-Version") != version
                                          or exchange.headers.get("Mcp-Method") != exchange.method):
            exchange.error(-32020, "the headers do not match the body", 400)
        elif exchange.verb == "POST" and version != "2026-07-28":
            exchange.error(-32022, "version", 400, {"supported": ["2026-07-28"], "requested": version})
        else:
            super().answer(exchange)

    def on_server_discover(self, exchange):
        exchange.result({"resultType": "complete", "supportedVersions": ["2026-07-28"],
                         "capabilities": self.capabilities, "ttlMs": 0, "cacheScope": "private"})

    def on_other(self, exchange):
        if exchange.verb == "POST" and exchange.id is not None:
            exchange.error(-32601, "Method not found", 404)
        else:
            super().on_other(exchange)
