"""The chain assistant, with its mock node (examples/chain)."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import client
from example_process import REPOSITORY, USUAL_URL, ExampleProcess, blocks_of
from example_test import ExampleTest, execute, frames_of
from gateway_test import LimitedTest
from pace import LIMIT

CLIENTS = Path(__file__).resolve().parent / "clients"
SDK_PYTHON = REPOSITORY / "build" / "sdk-venv" / "bin" / "python"  # tests/sdk/run makes it
BALANCE = "5.688914350696581971"


class ChainTest(ExampleTest):
    name = "chain"

    def curl(self, number):
        return self.example.run_shell(blocks_of("Chain", "sh")[number])

    def run_program(self, command, suffix, source, url):
        """A program as it is printed somewhere, but for the URL."""
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, f"program{suffix}")
            program.write_text(source.replace(url, self.example.url), encoding="utf-8")
            environment = {**os.environ, "NO_PROXY": "127.0.0.1"}
            done = subprocess.run([command, program], capture_output=True, text=True, timeout=LIMIT * 2, check=False,
                                  env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_readmes_stream_shows_the_tool_at_work(self):
        steps = [(frame.get("type"), frame.get("tool")) for frame in frames_of(self.curl(1)) if "type" in frame]
        self.assertEqual(steps, [("agent_text", None), ("tool_start", "gas_price"), ("tool_trace", "gas_price")])
        trace = next(frame for frame in frames_of(self.curl(1)) if frame.get("type") == "tool_trace")
        self.assertEqual((trace["ok"], trace["result"]), (True, {"chain": "Base", "gas_gwei": "0.01"}))

    def test_the_readmes_question_to_the_conductor_takes_two_tools(self):
        answer = json.loads(self.curl(2))["choices"][0]
        self.assertEqual(answer["finish_reason"], "stop")
        self.assertIn("2.34", answer["message"]["content"])
        self.assertIn(BALANCE, answer["message"]["content"])

    @unittest.skipUnless(shutil.which("node"), "there is no node")
    def test_the_readmes_javascript(self):
        printed = self.run_program("node", ".mjs", blocks_of("Chain", "js")[0], USUAL_URL)
        self.assertTrue(printed.startswith('calling gas_price …\ngas_price: {"chain":"Base","gas_gwei":"0.01"}\n'), printed)

    @unittest.skipUnless(SDK_PYTHON.exists(), "the openai package of PyPI is not installed (tests/sdk/run)")
    def test_the_readmes_python(self):
        printed = self.run_program(SDK_PYTHON, ".py", blocks_of("Chain", "python")[0], USUAL_URL)
        self.assertIn("0.01", printed)

    @unittest.skipUnless(shutil.which("node"), "there is no node")
    def test_a_reader_of_agents_in_javascript_as_others_print_it(self):
        source = (CLIENTS / "stream.mjs").read_text(encoding="utf-8")
        printed = self.run_program("node", ".mjs", source, "https://gateway.example.com")
        called, traced, answer = printed.split("\n", 2)
        self.assertEqual(called, "🔧 Calling gas_price...")
        self.assertEqual(traced, '✅ gas_price: {"chain":"Base","gas_gwei":"0.01"}')
        self.assertIn("0.01", answer)

    @unittest.skipUnless(SDK_PYTHON.exists(), "the openai package of PyPI is not installed (tests/sdk/run)")
    def test_a_loop_of_the_python_sdk_as_others_print_it(self):
        source = (CLIENTS / "stream.py").read_text(encoding="utf-8")
        self.assertIn("0.01", self.run_program(SDK_PYTHON, ".py", source, "https://gateway.example.com"))

    def test_a_stream_of_the_conductor_is_the_operators(self):
        served = [self.ask(model="conductor", stream=stream).headers["x-model-used"] for stream in (True, False)]
        operator = self.ask(model="operator", stream=True).headers["x-model-used"]
        self.assertEqual(served[0], operator)
        models = client.get(self.example.port, "/v1/models").json()["data"]
        streaming = {model["id"]: model["capabilities"]["streaming"] for model in models}
        self.assertEqual((streaming["operator"], streaming["conductor"]), (True, False))

    def test_an_account_that_is_none_is_told_to_the_model(self):
        response = self.ask(model="operator", stream=True, messages=[{"role": "user", "content": "balance of 0x12"}])
        trace = next(frame for frame in frames_of(response.body.decode()) if frame.get("type") == "tool_trace")
        self.assertFalse(trace["ok"])
        self.assertIn("40 hexadecimal digits", trace["error"])

    def test_tools_by_hand(self):
        called = execute(self.example.port, "get_eth_balance", address="0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045")
        self.assertEqual(called["result"]["balance_eth"], BALANCE)


class Ends(LimitedTest):
    def test_nothing_is_left_however_it_is_ended(self):
        example = ExampleProcess("chain")
        self.assertEqual(len(example.started()), 2, "Runnel, and the MCP server that it started")
        example.stop(15)

    def test_a_node_that_is_not_there_is_told_to_the_model(self):
        example = ExampleProcess("chain", ETH_RPC_URL="http://127.0.0.1:1")
        self.addCleanup(example.stop)
        called = execute(example.port, "gas_price")
        self.assertFalse(called["ok"])
        self.assertIn("the node did not answer", called["error"])


if __name__ == "__main__":
    unittest.main()
