"""What the tests of failing stores share: load that must not notice, and rows that must be there in the end."""

import threading
import time

from client import ask, get
from gateway_test import LimitedTest
from key_admin import ADMIN_TOKEN
from pace import scaled
from stalls import undisturbed

ADMIN = {"Authorization": f"Bearer {ADMIN_TOKEN}"}


class Load:
    """Streams one after another through each gateway, from a few clients, until it is told to stop."""

    CLIENTS = 2  # of each gateway

    def __init__(self, gateways, name, headers=None):
        self.name = name
        self.headers = headers or {}
        self.asked = []  # request ids
        self.failures = []
        self.longest = 0.0
        self._guard = threading.Lock()
        self._enough = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(gateway, f"{name}-{number}-{client}"))
                         for number, gateway in enumerate(gateways) for client in range(self.CLIENTS)]
        for thread in self._threads:
            thread.start()

    def _run(self, gateway, name):
        while not self._enough.wait(0.01):
            with self._guard:
                request_id = f"{name}-{len(self.asked)}"
                self.asked.append(request_id)
            begun = time.monotonic()
            response = ask(gateway.port, headers={**self.headers, "X-Request-ID": request_id})
            with self._guard:
                self.longest = max(self.longest, undisturbed(begun))
                if response.status != 200 or not response.body.endswith(b"data: [DONE]\n\n"):
                    self.failures.append((request_id, response.status, response.body))

    def stop(self):
        self._enough.set()
        for thread in self._threads:
            thread.join()


class StoreTest(LimitedTest):
    WAIT = 1.5  # seconds that a stream may take: far less than the store is away for

    def recorded(self, gateway, name):
        """The ids of all requests that begin with the name, as the store has them."""
        ids, after = [], ""
        while True:
            page = get(gateway.port, f"/v1/logs?id={name}-&limit=100&after={after}", headers=ADMIN)
            if page.status != 200:
                return []
            page = page.json()
            ids += [record["request_id"] for record in page["data"]]
            if not page["has_more"]:
                return ids
            after = page["last_id"]

    def assert_all_recorded(self, gateway, load):
        self.assertGreater(len(load.asked), 0)
        self.assertEqual(load.failures, [])
        self.assertLess(load.longest, scaled(self.WAIT))
        self.assert_eventually(lambda: len(self.recorded(gateway, load.name)) >= len(load.asked), scaled(20))
        self.assertEqual(sorted(self.recorded(gateway, load.name)), sorted(load.asked))
