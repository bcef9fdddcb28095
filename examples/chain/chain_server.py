#!/usr/bin/env python3
"""An MCP server with two tools, get_eth_balance and gas_price, that asks an Ethereum node.

    chain_server.py               speaks MCP over standard input and output
    chain_server.py --http 9300   speaks MCP over Streamable HTTP, at http://127.0.0.1:9300/mcp

ETH_RPC_URL is the node's JSON-RPC URL; for several chains: "ethereum=https://… base=https://…".
It needs Python 3.9 and nothing else. Clients of 2025-06-18 (and before) may shake hands first; those
of 2026-07-28 send each request by itself. It keeps no state, so it can serve both at once.
"""

import argparse
import base64
import json
import os
import re
import sys
import threading
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

NAME, VERSION = "chain", "1.0.0"
MODERN = "2026-07-28"
LEGACY = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
NODE_SECONDS = 10

PARSE_ERROR, INVALID_REQUEST, NO_METHOD, BAD_PARAMS = -32700, -32600, -32601, -32602
HEADER_MISMATCH, UNSUPPORTED_VERSION = -32020, -32022

META = "io.modelcontextprotocol/"
LIST_LIFE_MS = 3_600_000  # the tools change only with the environment


# --- The chain ------------------------------------------------------------------------------------

class ToolError(Exception):
    """What went wrong, in words for the model."""


def read_nodes(text):
    """{"ethereum": URL, …} of the environment variable."""
    nodes = dict(part.split("=", 1) for part in text.split() if re.match(r"\w+=", part))
    return nodes or {"ethereum": text.strip()}


def ask_node(url, method, params):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json", "User-Agent": f"{NAME}/{VERSION}"})
    try:
        with urllib.request.urlopen(request, timeout=NODE_SECONDS) as reply:
            answer = json.load(reply)
        if "error" in answer:
            raise ToolError(f"the node says: {answer['error'].get('message', 'error')}")
        return int(answer["result"], 16)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ToolError(f"the node did not answer {method} ({type(error).__name__})") from error


def decimal(amount, places):
    """1230000000 with 9 places is "1.23": no digit is lost, as it would be in a float."""
    whole, rest = divmod(amount, 10 ** places)
    return f"{whole}.{rest:0{places}d}".rstrip("0").rstrip(".")


class Chain:
    def __init__(self, nodes):
        self._nodes = nodes
        chain = {"type": "string", "enum": list(nodes), "description": f"{next(iter(nodes))} if left out"}
        address = {"type": "string", "pattern": "^0x[0-9a-fA-F]{40}$", "description": "0x and 40 hexadecimal digits"}
        self._tools = {
            "get_eth_balance": (self.get_eth_balance, "The balance of an account, in ether.",
                                {"type": "object", "properties": {"address": address, "chain": chain},
                                 "required": ["address"]}),
            "gas_price": (self.gas_price, "What gas costs now, in gwei.",
                          {"type": "object", "properties": {"chain": chain}, "required": []}),
        }

    def tools(self):
        return [{"name": name, "description": description, "inputSchema": schema,
                 "annotations": {"readOnlyHint": True, "openWorldHint": True}}
                for name, (_, description, schema) in self._tools.items()]

    def call(self, name, arguments):
        return self._tools[name][0](arguments)

    def knows(self, name):
        return name in self._tools

    def get_eth_balance(self, arguments):
        address = arguments.get("address")
        if not isinstance(address, str) or not re.fullmatch("0x[0-9a-fA-F]{40}", address):
            raise ToolError("address must be 0x and 40 hexadecimal digits")
        name, url = self._node(arguments)
        wei = ask_node(url, "eth_getBalance", [address, "latest"])
        return {"address": address, "balance_eth": decimal(wei, 18), "chain": name}

    def gas_price(self, arguments):
        name, url = self._node(arguments)
        return {"chain": name, "gas_gwei": decimal(ask_node(url, "eth_gasPrice", []), 9)}

    def _node(self, arguments):
        name = arguments.get("chain") or next(iter(self._nodes))
        if name not in self._nodes:
            raise ToolError(f"chain must be one of {', '.join(self._nodes)}")
        return name.capitalize(), self._nodes[name]


# --- MCP ------------------------------------------------------------------------------------------

class Refusal(Exception):
    def __init__(self, code, message, status=200, data=None):
        super().__init__(message)
        self.error = {"code": code, "message": message, **({"data": data} if data else {})}
        self.status = status


class McpServer:
    """What is said to a message, whatever it came by."""

    def __init__(self, chain):
        self._chain = chain

    def reply(self, message):
        """(HTTP status, JSON-RPC message); no message for a notification."""
        number = message.get("id") if isinstance(message, dict) else None
        try:
            if not isinstance(message, dict) or message.get("jsonrpc") != "2.0" or "method" not in message:
                raise Refusal(INVALID_REQUEST, "this is not a JSON-RPC request", 400)
            if number is None:
                return 202, None
            if not isinstance(message.get("params", {}), dict):
                raise Refusal(BAD_PARAMS, "params must be an object")
            return 200, {"jsonrpc": "2.0", "id": number, "result": self._result(message)}
        except Refusal as refusal:
            return refusal.status, {"jsonrpc": "2.0", "id": number, "error": refusal.error}

    def _result(self, message):
        params = message.get("params", {})
        meta = params.get("_meta") or {}
        version = meta.get(META + "protocolVersion")
        if version is None:
            return self._legacy_result(message["method"], params)
        if version != MODERN:
            raise Refusal(UNSUPPORTED_VERSION, f"unsupported protocol version: {version}", 400,
                          {"supported": [MODERN], "requested": version})
        if META + "clientCapabilities" not in meta:
            raise Refusal(BAD_PARAMS, "_meta has no clientCapabilities", 400)
        result = self._modern_result(message["method"], params)
        return {**result, "resultType": "complete",
                "_meta": {META + "serverInfo": {"name": NAME, "version": VERSION}}}

    def _modern_result(self, method, params):
        life = {"ttlMs": LIST_LIFE_MS, "cacheScope": "public"}
        if method == "server/discover":
            return {"supportedVersions": [MODERN], "capabilities": {"tools": {}}, **life}
        if method == "tools/list":
            return {"tools": self._chain.tools(), **life}
        if method == "tools/call":
            return self._call(params)
        raise Refusal(NO_METHOD, f"method not found: {method}", 404)

    def _legacy_result(self, method, params):
        if method == "initialize":
            asked = params.get("protocolVersion")
            return {"protocolVersion": asked if asked in LEGACY else LEGACY[0], "capabilities": {"tools": {}},
                    "serverInfo": {"name": NAME, "version": VERSION}}
        if method == "ping":
            return {}
        if method == "tools/list":
            return {"tools": self._chain.tools()}
        if method == "tools/call":
            return self._call(params)
        raise Refusal(NO_METHOD, f"method not found: {method}")

    def _call(self, params):
        name, arguments = params.get("name"), params.get("arguments") or {}
        if not self._chain.knows(name):
            raise Refusal(BAD_PARAMS, f"there is no tool {name}")
        if not isinstance(arguments, dict):
            raise Refusal(BAD_PARAMS, "arguments must be an object")
        try:
            result = self._chain.call(name, arguments)
        except ToolError as error:
            return {"content": [{"type": "text", "text": str(error)}], "isError": True}
        return {"content": [{"type": "text", "text": json.dumps(result)}], "structuredContent": result}


# --- Transports -----------------------------------------------------------------------------------

def serve_stdio(server):
    writing = threading.Lock()

    def answer(line):
        try:
            reply = server.reply(json.loads(line))[1]
        except ValueError:
            reply = {"jsonrpc": "2.0", "id": None, "error": {"code": PARSE_ERROR, "message": "this is not JSON"}}
        if reply is not None:
            with writing:
                print(json.dumps(reply), flush=True)

    with ThreadPoolExecutor(8) as pool:  # calls side by side
        for line in sys.stdin:
            if line.strip():
                pool.submit(answer, line)


def header_text(value):
    """Headers are ASCII; other text comes as =?base64?…?=."""
    wrapped = re.fullmatch(r"=\?base64\?(.*)\?=", value or "")
    return base64.b64decode(wrapped[1]).decode() if wrapped else value


def check_headers(message, headers):
    """A request of 2026-07-28 says in its headers what it says in its body."""
    params = message.get("params") if isinstance(message, dict) else None
    if not isinstance(params, dict):
        return
    version = (params.get("_meta") or {}).get(META + "protocolVersion")
    if version is None:
        return
    expected = {"MCP-Protocol-Version": version, "Mcp-Method": message.get("method")}
    if message.get("method") == "tools/call":
        expected["Mcp-Name"] = params.get("name")
    for name, value in expected.items():
        if header_text(headers.get(name)) != value:
            raise Refusal(HEADER_MISMATCH, f"the header {name} does not match the body", 400)


class HttpHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = f"{NAME}/{VERSION}"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        origin = self.headers.get("Origin")
        if origin and urlsplit(origin).hostname not in ("127.0.0.1", "localhost", "::1"):
            return self._send(403, {"jsonrpc": "2.0", "id": None,
                                    "error": {"code": INVALID_REQUEST, "message": "pages of others may not ask"}})
        if urlsplit(self.path).path != "/mcp":
            return self._send(404, None)
        message = None
        try:
            message = json.loads(body)
            check_headers(message, self.headers)
        except Refusal as refusal:
            return self._send(refusal.status, {"jsonrpc": "2.0", "id": message.get("id"), "error": refusal.error})
        except ValueError:
            return self._send(400, {"jsonrpc": "2.0", "id": None,
                                    "error": {"code": PARSE_ERROR, "message": "this is not JSON"}})
        return self._send(*self.server.mcp.reply(message))

    def do_GET(self):
        self._send(405, None)  # there is nothing that it would say unasked

    do_DELETE = do_GET

    def _send(self, status, message):
        body = b"" if message is None else json.dumps(message).encode()
        self.send_response(status)
        if body:
            self.send_header("Content-Type", "application/json")
        if status == 405:
            self.send_header("Allow", "POST")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def serve_http(server, port):
    listener = ThreadingHTTPServer(("127.0.0.1", port), HttpHandler)
    listener.daemon_threads = True
    listener.mcp = server
    print(f"MCP server on http://127.0.0.1:{listener.server_port}/mcp", file=sys.stderr, flush=True)
    listener.serve_forever()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--http", type=int, metavar="PORT", help="0 takes a free one")
    arguments = parser.parse_args()
    if not os.environ.get("ETH_RPC_URL", "").strip():
        sys.exit("ETH_RPC_URL is not set: the URL of an Ethereum node, such as http://127.0.0.1:8545")
    server = McpServer(Chain(read_nodes(os.environ["ETH_RPC_URL"])))
    try:
        serve_stdio(server) if arguments.http is None else serve_http(server, arguments.http)
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
