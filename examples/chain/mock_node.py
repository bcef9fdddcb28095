#!/usr/bin/env python3
"""Pretends to be two Ethereum nodes, so that the example runs without one: mock_node.py PORT

http://127.0.0.1:PORT/ethereum and …/base answer eth_getBalance, eth_gasPrice, eth_chainId and
eth_blockNumber as a node's JSON-RPC does, with the same numbers every time.
"""

import hashlib
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CHAINS = {  # gas in wei
    "/ethereum": {"id": 1, "gas": 2_340_000_000},
    "/base": {"id": 8453, "gas": 10_000_000},
}
VITALIK = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"


def balance_of(address):
    """Some ether for everybody, the same whenever one asks."""
    if address.lower() == VITALIK:
        return 5_688_914_350_696_581_971
    return int(hashlib.sha256(address.lower().encode()).hexdigest()[:16], 16)


def result_of(chain, method, params):
    if method == "eth_getBalance":
        return hex(balance_of(params[0]))
    return {"eth_gasPrice": hex(chain["gas"]), "eth_chainId": hex(chain["id"]), "eth_blockNumber": "0x1406f40"}[method]


class Node(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        call = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = {"jsonrpc": "2.0", "id": call.get("id")}
        try:
            answer["result"] = result_of(CHAINS[self.path], call["method"], call["params"])
        except (KeyError, IndexError):
            answer["error"] = {"code": -32601, "message": f"the method {call.get('method')} does not exist here"}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def main():
    if len(sys.argv) != 2 or not sys.argv[1].isdigit():
        sys.exit(__doc__)
    node = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Node)
    print(f"listening on http://127.0.0.1:{node.server_port}", flush=True)
    try:
        node.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
