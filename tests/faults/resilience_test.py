"""What the tests beside the table share: one gateway per class, with targets A, B, C behind providers a, b, c.

What a breaker remembers is kept per provider and model. So every model of a class has upstream models of its own, and
tests that use different models do not disturb each other.
"""

import concurrent.futures
import time

import client
from fault_case import KINDS
from frames import error_of, finish_of, frames_of, text_of
from gateway_test import LimitedTest, provider
from imposter import Target, asked, gaps_of, names_of
from lapse import Lapse
from pace import NOTICED
from runnel_process import RunnelProcess


class ResilienceTest(LimitedTest):
    kinds = {"A": "openai", "B": "openai"}  # the targets, and what each speaks
    fields = {}  # of the providers: by target, or for all under "all"
    models = {}  # by name; `targets` is all of them, in order, where it is left out
    config = {}
    send_buffer = None  # the targets', in bytes

    @classmethod
    def setUpClass(cls):
        cls.targets = {name: Target(name, send_buffer=cls.send_buffer) for name in cls.kinds}
        for target in cls.targets.values():
            cls.addClassCleanup(target.close)
        providers = {
            name.lower(): provider(KINDS[kind], cls.targets[name].port,
                                   **cls.fields.get("all", {}), **cls.fields.get(name, {}))
            for name, kind in cls.kinds.items()} | cls.more_providers()
        models = {name: {"targets": [f"{target.lower()}/{name}" for target in cls.kinds], **model}
                  for name, model in cls.models.items()}
        cls.runnel = RunnelProcess({"providers": providers, "models": models, **cls.config})
        cls.addClassCleanup(cls.runnel.stop)

    @classmethod
    def more_providers(cls):
        """Beside those of the targets."""
        return {}

    def setUp(self):
        super().setUp()
        self.behave()

    def tearDown(self):
        self.runnel.assert_well()

    def behave(self, **behaviours):
        """What each target does from now on: one behaviour, or a list of them; the others do well."""
        for name, target in self.targets.items():
            given = behaviours.get(name, ())
            target.behave(*(given if isinstance(given, (list, tuple)) else (given,)))

    def ask(self, model, **request):
        return client.ask(self.runnel.port, model=model, **request)

    def ask_meanwhile(self, model, **request):
        """Asks in a thread of its own; the response is its result()."""
        pool = concurrent.futures.ThreadPoolExecutor(1)
        self.addCleanup(pool.shutdown)
        return pool.submit(self.ask, model, **request)

    def connect(self):
        made = client.Client(self.runnel.port)
        self.addCleanup(made.close)
        return made

    def asked(self):
        return asked(*self.targets.values())

    def assert_asked(self, names):
        self.assertEqual(names_of(self.asked()), names)

    def gaps(self):
        return gaps_of(self.asked())

    def assert_answer(self, response, text, finish="stop"):
        """A complete answer, of either kind."""
        self.assertEqual(response.status, 200, response.body)
        if response.headers["content-type"].startswith("application/json"):
            choice = response.json()["choices"][0]
            self.assertEqual((choice["message"]["content"], choice["finish_reason"]), (text, finish))
            return
        frames = frames_of(response.body)
        self.assertIsNone(error_of(frames), frames)
        self.assertEqual((text_of(frames), finish_of(frames)), (text, finish))

    def assert_served_by(self, response, target):
        self.assert_answer(response, self.targets[target].says)

    def assert_broken(self, response, text, code=None):
        """A stream that shows this much and then says that something went wrong."""
        self.assertEqual(response.status, 200, response.body)
        frames = frames_of(response.body)
        self.assertEqual(text_of(frames), text)
        self.assertIsNotNone(error_of(frames), frames)
        if code is not None:
            self.assertEqual(error_of(frames)["code"], code)

    def assert_refused(self, response, status, code, param=None):
        self.assertEqual(response.status, status, response.body)
        self.assertEqual(response.error["code"], code, response.error)
        if param is not None:
            self.assertEqual(response.error["param"], param, response.error)

    def assert_nothing_goes_on(self, within=NOTICED):
        """No target is kept busy by anybody any more."""
        self.assert_eventually(
            lambda: not any(target.busy() for target in self.targets.values()), within, "an upstream request goes on")

    def wait_until_asked(self, count=1):
        self.assert_eventually(lambda: len(self.asked()) >= count)

    def log_line(self, request_id):
        """The line that is written when the request is over."""
        self.assert_eventually(lambda: self.lines_that_end(request_id))
        return self.lines_that_end(request_id)[-1]

    def lines_that_end(self, request_id):
        return [line for line in self.runnel.log_of(request_id) if "total_ms" in line and "status" in line]

    def timed(self, model, **request):
        """The response, and how long it took."""
        began = time.monotonic()
        response = self.ask(model, **request)
        return response, Lapse(began, time.monotonic())
