"""What tests of several gateways share: three of them, with one Redis and one store."""

import tempfile
import unittest

from client import get
from fake_upstream import FakeUpstream
from gateway_test import provider
from key_admin import ADMIN_TOKEN, bearer, make_key
from redis_process import RedisProcess, find_redis
from runnel_process import RunnelProcess
from store_test import StoreTest


@unittest.skipUnless(find_redis(), "redis-server is not installed")
class ReplicasTest(StoreTest):
    PRICE = 0.01  # US dollars that a request costs

    def setUp(self):
        super().setUp()
        self.redis = RedisProcess()
        self.addCleanup(self.redis.stop)
        self.upstream = FakeUpstream()
        self.addCleanup(self.upstream.close)
        folder = tempfile.TemporaryDirectory(prefix="runnel-e2e-replicas-", ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.config = {"data": folder.name, "admin": {"token": ADMIN_TOKEN}, "auth": {"mode": "keys"},
                       "prices": {"local/m": {"input": 0, "output": 0, "per_request": self.PRICE}}, "shared": self.redis.url,
                       "providers": {"local": {**provider("openai-compatible", self.upstream.port), "retries": 0}}}
        self.gateways = []
        self.addCleanup(lambda: [gateway.stop() for gateway in self.gateways])

    def start(self, **fields):
        self.config.update(fields)
        for _ in range(3):
            self.gateways.append(RunnelProcess(self.config))

    def new_key(self, **fields):
        """A key that all of them know."""
        key = make_key(self.gateways[0].port, name="k", **fields)
        for gateway in self.gateways:
            self.assert_eventually(lambda: get(gateway.port, "/v1/models", headers=bearer(key)).status == 200)
        return key
