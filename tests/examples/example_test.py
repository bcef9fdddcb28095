"""What the tests of the examples share: one example per class, stopped at the end with nothing left."""

import json

import client
from example_process import ExampleProcess
from gateway_test import LimitedTest


def frames_of(text):
    """The JSON of a stream that ends as streams do."""
    data = [line[6:] for line in text.split("\n") if line.startswith("data: ")]
    assert data[-1] == "[DONE]", text
    return [json.loads(payload) for payload in data[:-1]]


def execute(port, tool, **args):
    """What a tool says when it is run by hand."""
    with client.Client(port) as connection:
        connection.request("POST", "/v1/tools/execute", json.dumps({"tool": tool, "args": args}).encode())
        return connection.response().json()


class ExampleTest(LimitedTest):
    name = None

    @classmethod
    def setUpClass(cls):
        cls.example = ExampleProcess(cls.name)
        cls.addClassCleanup(cls.example.stop)

    def ask(self, **fields):
        return client.ask(self.example.port, **fields)
