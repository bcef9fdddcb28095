"""kill -9 of a provider under load: everybody gets a complete answer or a clear error, never a part that looks whole."""

import concurrent.futures
import itertools
import subprocess
import sys
import threading
import time
from pathlib import Path

from client import ask
from frames import error_of, finish_of, frames_of, text_of
from gateway_test import LimitedTest, provider
from pace import scaled
from runnel_process import RunnelProcess

TEXT = " ".join(f"word{number}" for number in range(20))
PACE = 0.01
CLIENTS = 24


class UpstreamProcess:
    """One that can be killed."""

    def __init__(self, text):
        program = Path(__file__).with_name("upstream_process.py")
        self._process = subprocess.Popen([sys.executable, "-B", program, text, str(PACE)],
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.port = int(self._process.stdout.readline())

    def kill(self):
        self._process.kill()
        self._process.wait()

    def close(self):
        self.kill()
        self._process.stdin.close()
        self._process.stdout.close()


class Result:
    """One client's request and what became of it."""

    def __init__(self, port, model, stream):
        self.began = time.monotonic()
        response = ask(port, model=model, stream=stream)
        self.ended = time.monotonic()
        self.stream = stream
        self.status = response.status
        self.body = response.body
        if stream and response.status == 200:
            frames = frames_of(response.body)
            self.error, self.text, self.finish = error_of(frames), text_of(frames), finish_of(frames)
        elif response.status == 200:
            choice = response.json()["choices"][0]
            self.error, self.text, self.finish = None, choice["message"]["content"], choice["finish_reason"]
        else:
            self.error, self.text, self.finish = response.error, "", None

    def complete(self):
        return self.error is None and self.finish == "stop" and self.text == TEXT

    def clear(self):
        """Complete, or an error that says so."""
        return self.complete() or (self.error is not None and TEXT.startswith(self.text))


class KilledUpstreams(LimitedTest):
    def setUp(self):
        super().setUp()
        self.upstreams = [UpstreamProcess(TEXT) for _ in range(2)]
        for upstream in self.upstreams:
            self.addCleanup(upstream.close)
        names = ("a", "b")
        providers = {name: provider("openai-compatible", upstream.port)
                     for name, upstream in zip(names, self.upstreams)}
        models = {"plain": {"targets": ["a/plain", "b/plain"]},
                  "verified": {"targets": ["a/verified", "b/verified"], "midstream": "verified"},
                  "balanced": {"targets": ["a/balanced", "b/balanced"], "strategy": "weighted"}}
        self.runnel = RunnelProcess({"providers": providers, "models": models, "threads": 4})
        self.addCleanup(self.runnel.stop)

    def load(self, model, seconds, at_half_time):
        """Many clients one after the other, streaming or not, while something happens."""
        end = time.monotonic() + seconds
        streams = itertools.cycle((True, True, False))

        def ask_again_and_again():
            results, since = [], 0
            while time.monotonic() < end or since < 2:  # however slow the machine is
                since += not happened.is_alive()
                results.append(Result(self.runnel.port, model, next(streams)))
            return results

        happened = threading.Timer(seconds / 2, at_half_time)
        happened.start()
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            asked = [pool.submit(ask_again_and_again) for _ in range(CLIENTS)]
            results = [result for future in asked for result in future.result()]
        happened.join()
        self.runnel.assert_well()
        return results

    def kill_first(self):
        self.killed_at = time.monotonic()
        self.upstreams[0].kill()

    def assert_all_clear(self, results):
        unclear = [(result.status, result.body[-300:]) for result in results if not result.clear()]
        self.assertEqual(unclear, [])
        self.assertGreater(len(results), CLIENTS)

    def test_whoever_was_not_in_the_middle_of_an_answer_gets_all_of_it(self):
        for model in ("plain", "balanced"):
            with self.subTest(model):
                results = self.load(model, 2, self.kill_first)
                self.assert_all_clear(results)
                failed = [result for result in results if not result.complete()]
                # The one thing that can't be saved: a stream whose client had seen a part of it.
                for result in failed:
                    self.assertTrue(result.stream and result.text, (result.status, result.body[-300:]))
                    self.assertTrue(result.began < self.killed_at < result.ended + scaled(0.1))
                later = [result for result in results if result.began > self.killed_at]
                self.assertGreater(len(later), CLIENTS)
            self.doCleanups()
            self.setUp()

    def test_with_verified_continuation_everybody_gets_all_of_it(self):
        results = self.load("verified", 2, self.kill_first)
        self.assertEqual([(result.status, result.body[-300:]) for result in results if not result.complete()], [])

    def test_when_all_are_killed_everybody_is_told(self):
        def kill_all():
            for upstream in self.upstreams:
                upstream.kill()

        results = self.load("plain", 1.5, kill_all)
        self.assert_all_clear(results)
        self.assertIn(results[-1].status, (502, 503))
