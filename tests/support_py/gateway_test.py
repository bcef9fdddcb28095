"""What the tests of a running gateway share: one Runnel and one fake upstream per class, a time limit per test."""

import faulthandler
import json
import signal
import time
import unittest

import client
from fake_upstream import FakeUpstream
from frames import frames_of
from pace import LIMIT, scaled
from runnel_process import RunnelProcess

TEST_LIMIT = 240 + scaled(30)

KINDS = {"local": "openai-compatible", "claude": "anthropic", "google": "gemini", "llama": "ollama"}


def provider(kind, port, scheme="http", host="127.0.0.1", **fields):
    path = "/v1" if kind == "openai-compatible" else ""
    key = {} if "keys" in fields else {"api_key": "sk-test-KEY"}
    return {"kind": kind, "base_url": f"{scheme}://{host}:{port}{path}", **key, **fields}


class LimitedTest(unittest.TestCase):
    """A test that hangs prints where, and ends the run."""

    def setUp(self):
        faulthandler.dump_traceback_later(TEST_LIMIT, exit=True)
        self.addCleanup(faulthandler.cancel_dump_traceback_later)

    def assert_eventually(self, condition, within=LIMIT, message=None):
        self.assertTrue(client.eventually(condition, within), message)

    def assert_logs(self, words, runnel):
        """The log has these words in the end: a thread of its own writes it, a moment after what it tells of."""
        self.assertTrue(client.eventually(lambda: words in runnel.log(), LIMIT), f"{words!r} is not in the log:\n{runnel.log()}")


class GatewayTest(LimitedTest):
    kinds = KINDS         # of the providers, by their names
    provider_fields = {}  # the same for every provider: timeouts and the like
    config = {}
    arguments = ()
    descriptors = None  # as RunnelProcess takes them

    @classmethod
    def setUpClass(cls):
        cls.upstream = FakeUpstream()
        cls.addClassCleanup(cls.upstream.close)
        providers = {name: provider(kind, cls.upstream.port, **cls.provider_fields)
                     for name, kind in cls.kinds.items()}
        cls.runnel = RunnelProcess({"providers": providers, **cls.config}, cls.arguments,
                                   descriptors=cls.descriptors)
        cls.addClassCleanup(cls.runnel.stop)

    def setUp(self):
        super().setUp()
        self.upstream.forget()

    def tearDown(self):
        self.runnel.assert_well()

    def reload(self, **fields):
        """The same config but for these fields; it takes a moment to be in force."""
        with open(self.runnel.config_file, encoding="utf-8") as file:
            config = json.load(file)
        self.runnel.write_config({**config, **fields})
        self.runnel.signal(signal.SIGHUP)

    def connect(self, **options):
        made = client.Client(self.runnel.port, **options)
        self.addCleanup(made.close)
        return made

    def ask(self, **request):
        return client.ask(self.runnel.port, **request)

    def frames(self, **request):
        """The frames of a stream that begins with 200."""
        response = self.ask(**request)
        self.assertEqual(response.status, 200, response.body)
        return frames_of(response.body)

    def assert_error(self, response, status, code=None, kind=None, param=None):
        """An error before the stream: its status, and the one JSON shape that errors have."""
        self.assertEqual(response.status, status, response.body)
        self.assertEqual(response.headers["content-type"].split(";")[0], "application/json")
        self.assertIn("x-request-id", response.headers)
        self.assertEqual(list(response.json()), ["error"])
        error = response.error
        self.assertEqual(set(error), {"message", "type", "param", "code"})
        self.assertTrue(error["message"])
        if code is not None:
            self.assertEqual(error["code"], code, error)
        if kind is not None:
            self.assertEqual(error["type"], kind, error)
        if param is not None:
            self.assertEqual(error["param"], param, error)

    def files_at_rest(self):
        """How many descriptors the gateway has open when nothing is going on."""
        client.get(self.runnel.port, "/healthz")
        counts = [-1]
        while counts[-1] != self.runnel.open_files():
            counts.append(self.runnel.open_files())
            time.sleep(scaled(0.05))
        return counts[-1]

    def assert_serves(self):
        """Whatever happened before, the next request is answered."""
        self.upstream.forget()
        response = self.ask()
        self.assertEqual(response.status, 200, response.body)
        frames_of(response.body)
