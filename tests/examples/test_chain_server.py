"""The chain assistant's MCP server by itself: both eras, both transports (examples/chain/chain_server.py)."""

import http.client
import json
import os
import re
import subprocess
import sys
import threading
import unittest
from http.server import ThreadingHTTPServer

from example_process import REPOSITORY
from example_test import execute
from gateway_test import LimitedTest
from pace import LIMIT
from runnel_process import RunnelProcess

FOLDER = REPOSITORY / "examples" / "chain"
sys.path.insert(0, str(FOLDER))
from mock_node import Node

MODERN = "2026-07-28"
VITALIK = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
META = {"_meta": {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {},
                  "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"}}}


def request(method, number=1, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


class ServerTest(LimitedTest):
    @classmethod
    def setUpClass(cls):
        node = ThreadingHTTPServer(("127.0.0.1", 0), Node)
        threading.Thread(target=node.serve_forever, daemon=True).start()
        cls.addClassCleanup(node.server_close)
        cls.addClassCleanup(node.shutdown)
        url = f"http://127.0.0.1:{node.server_port}"
        cls.environment = {**os.environ, "ETH_RPC_URL": f"ethereum={url}/ethereum base={url}/base",
                           "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}

    def start(self, *arguments):
        process = subprocess.Popen([sys.executable, FOLDER / "chain_server.py", *arguments], env=self.environment,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        def end():
            process.kill()
            process.communicate()

        self.addCleanup(end)
        return process

    def assert_tools(self, result):
        self.assertEqual([tool["name"] for tool in result["tools"]], ["get_eth_balance", "gas_price"])
        for tool in result["tools"]:
            self.assertEqual(tool["inputSchema"]["type"], "object")

    def assert_balance(self, result):
        expected = {"address": VITALIK, "balance_eth": "5.688914350696581971", "chain": "Base"}
        self.assertEqual(result["structuredContent"], expected)
        self.assertEqual(json.loads(result["content"][0]["text"]), expected)
        self.assertNotIn("isError", result)


class OverHttp(ServerTest):
    def setUp(self):
        super().setUp()
        self.port = int(re.search(r":(\d+)/mcp", self.start("--http", "0").stderr.readline())[1])

    def send(self, message, verb="POST", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT)
        body = message if isinstance(message, str) else json.dumps(message)
        connection.request(verb, "/mcp", body, {
            "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
            **{name.replace("_", "-"): value for name, value in headers.items()}})
        with connection.getresponse() as response:
            text = response.read()
        connection.close()
        return response.status, json.loads(text) if text else None

    def send_modern(self, method, **params):
        name = {"Mcp_Name": params["name"]} if "name" in params else {}
        return self.send(request(method, **params, **META), MCP_Protocol_Version=MODERN, Mcp_Method=method, **name)

    def test_the_modern_era_needs_no_handshake(self):
        status, found = self.send_modern("server/discover")
        self.assertEqual((status, found["result"]["supportedVersions"]), (200, [MODERN]))
        self.assertEqual(found["result"]["resultType"], "complete")
        _, listed = self.send_modern("tools/list")
        self.assert_tools(listed["result"])
        self.assertIn("ttlMs", listed["result"])
        _, called = self.send_modern("tools/call", name="get_eth_balance", arguments={"address": VITALIK, "chain": "base"})
        self.assert_balance(called["result"])

    def test_the_legacy_era_shakes_hands(self):
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        status, greeted = self.send(request("initialize", **hello))
        self.assertEqual((status, greeted["result"]["protocolVersion"]), (200, "2025-06-18"))
        self.assertNotIn("resultType", greeted["result"])
        self.assertEqual(self.send({"jsonrpc": "2.0", "method": "notifications/initialized"}), (202, None))
        _, listed = self.send(request("tools/list"), MCP_Protocol_Version="2025-06-18")
        self.assert_tools(listed["result"])
        call = request("tools/call", name="get_eth_balance", arguments={"address": VITALIK, "chain": "base"})
        self.assert_balance(self.send(call)[1]["result"])
        self.assertEqual(self.send(request("ping"))[1]["result"], {})

    def test_what_does_not_fit_is_refused_as_the_protocol_says(self):
        listing = request("tools/list", **META)
        wrong_method = self.send(listing, MCP_Protocol_Version=MODERN, Mcp_Method="tools/call")
        self.assertEqual((wrong_method[0], wrong_method[1]["error"]["code"]), (400, -32020))
        future = json.loads(json.dumps(listing).replace(MODERN, "2030-01-01"))
        refused = self.send(future, MCP_Protocol_Version="2030-01-01", Mcp_Method="tools/list")
        self.assertEqual((refused[0], refused[1]["error"]["code"]), (400, -32022))
        self.assertEqual(refused[1]["error"]["data"]["supported"], [MODERN])
        unknown = self.send_modern("resources/list")
        self.assertEqual((unknown[0], unknown[1]["error"]["code"]), (404, -32601))
        self.assertEqual(self.send("{nope")[1]["error"]["code"], -32700)
        self.assertEqual(self.send([1, 2])[0], 400)
        self.assertEqual(self.send({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": []})[1]["error"]["code"],
                         -32602)
        self.assertEqual(self.send_modern("tools/call", name="no_such_tool")[1]["error"]["code"], -32602)
        self.assertEqual(self.send(request("tools/list"), Origin="https://elsewhere.example")[0], 403)
        self.assertEqual(self.send("", verb="GET")[0], 405)

    def test_what_goes_wrong_in_a_tool_is_a_result(self):
        for arguments in ({}, {"address": "0x12"}, {"address": VITALIK, "chain": "moon"}):
            _, called = self.send_modern("tools/call", name="get_eth_balance", arguments=arguments)
            self.assertTrue(called["result"]["isError"], called)

    def test_runnel_reaches_it_by_url(self):
        runnel = RunnelProcess({"tools": {"chain": {"mcp": f"http://127.0.0.1:{self.port}/mcp", "allow": ["gas_price"]}}})
        self.addCleanup(runnel.stop)
        self.assertEqual(execute(runnel.port, "gas_price", chain="base")["result"], {"chain": "Base", "gas_gwei": "0.01"})


class OverStdio(ServerTest):
    def test_both_eras_and_calls_side_by_side(self):
        server = self.start()
        messages = [request("server/discover", 1, **META), request("tools/list", 2, **META), request("tools/list", 3),
                    {"jsonrpc": "2.0", "method": "notifications/initialized"}]
        messages += [request("tools/call", 10 + n, name="gas_price", arguments={}) for n in range(10)]
        server.stdin.write("".join(json.dumps(message) + "\n" for message in messages) + "nonsense\n")
        server.stdin.flush()
        answers = {answer["id"]: answer for answer in (json.loads(server.stdout.readline()) for _ in range(14))}
        self.assertEqual(answers[1]["result"]["supportedVersions"], [MODERN])
        self.assert_tools(answers[2]["result"])
        self.assert_tools(answers[3]["result"])
        self.assertEqual(answers[None]["error"]["code"], -32700)
        for number in range(10, 20):
            self.assertEqual(answers[number]["result"]["structuredContent"]["gas_gwei"], "2.34")

    def test_it_ends_with_its_input(self):
        server = self.start()
        server.stdin.close()
        self.assertEqual(server.wait(LIMIT), 0)
        server.stdin = None

    def test_it_says_what_is_missing(self):
        self.environment = {**self.environment, "ETH_RPC_URL": ""}
        server = self.start()
        self.assertEqual(server.wait(LIMIT), 1)
        self.assertIn("ETH_RPC_URL is not set", server.stderr.read())


if __name__ == "__main__":
    unittest.main()
