"""What the tests of tenants share: a gateway that tells callers apart, and requests in the name of one of them."""

import json

from attack_table import AttackTest
from client import request_bytes
from fake_upstream import FakeUpstream
from gateway_test import KINDS, provider
from key_admin import ADMIN_TOKEN, bearer, make_key
from runnel_process import RunnelProcess

ALICE = "0x00000000000000000000000000000000000a11ce"


class TenantTest(AttackTest):
    """A gateway with a Kimi behind it; `auth` says how tenants are told apart."""

    auth = {"mode": "keys"}
    fields = {}

    @classmethod
    def setUpClass(cls):
        cls.upstream = FakeUpstream()
        cls.addClassCleanup(cls.upstream.close)
        providers = {name: provider(kind, cls.upstream.port) for name, kind in KINDS.items()}
        providers["kimi"] = {"kind": "moonshot", "base_url": f"http://127.0.0.1:{cls.upstream.port}/v1",
                             "api_key": "sk-test-KEY"}
        cls.runnel = RunnelProcess({"providers": providers, "auth": cls.auth, "admin": {"token": ADMIN_TOKEN},
                                    **cls.config_of(cls.upstream.port)})
        cls.addClassCleanup(cls.runnel.stop)

    @classmethod
    def config_of(cls, port):
        return cls.fields

    def assert_serves(self):
        self.upstream.forget()
        headers = {}
        if self.auth["mode"] == "keys":
            headers = bearer(self.key())
        elif self.auth["mode"] == "header":
            headers = {"x-wallet-address": ALICE}
        response = self.ask(headers=headers)
        self.assertEqual(response.status, 200, response.body)

    def key(self, **fields):
        return make_key(self.runnel.port, **fields)

    def chat(self, who, **request):
        """`who`: a key, or the headers that a caller sends."""
        headers = bearer(who) if "key" in who else who
        return self.ask(headers=headers, **request)

    def post(self, who, path, body):
        client = self.connect()
        headers = bearer(who) if "key" in who else who
        client.send(request_bytes("POST", path, json.dumps(body).encode(),
                                  {"Content-Type": "application/json", **headers}))
        return client.response()

    def sent(self):
        """What the provider was sent last, as text."""
        return json.dumps(self.upstream.requests[-1].json())
