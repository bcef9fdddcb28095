"""Clouds that want more than a key: signatures of AWS, tokens of Google and Microsoft, and keys that a program prints."""

import json
import os
import subprocess
import tempfile
import threading

import client
from fake_clouds import FakeCloud
from gateway_test import LimitedTest
from runnel_process import RunnelProcess

NOVA = "us.amazon.nova-lite-v1:0"
CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"


class IdentityTest(LimitedTest):
    def setUp(self):
        super().setUp()
        self.cloud = FakeCloud()
        self.addCleanup(self.cloud.close)
        self.folder = tempfile.mkdtemp(prefix="runnel-e2e-")

    def start(self, provider, **environment):
        runnel = RunnelProcess({"providers": {"cloud": {"base_url": self.cloud.url, "retries": 0, **provider}}},
                               HOME=self.folder, **environment)
        self.addCleanup(runnel.stop)
        self.runnel = runnel
        return runnel

    def bedrock(self, fields=None, **environment):
        return self.start({"kind": "bedrock", "region": "us-east-1", **(fields or {})}, **environment)

    def ask(self, model=NOVA, **fields):
        question = {"messages": [{"role": "user", "content": "Hi"}], "stream": False, **fields}
        return client.ask(self.runnel.port, model=f"cloud/{model}", **question)

    def assert_answers(self, model=NOVA, **fields):
        response = self.ask(model, **fields)
        self.assertEqual(response.status, 200, response.body)
        if not fields.get("stream"):
            self.assertEqual(response.json()["choices"][0]["message"]["content"], "Hello")
        else:
            self.assertIn(b'"content":"Hel"', response.body)
            self.assertTrue(response.body.endswith(b"data: [DONE]\n\n"), response.body)


class Aws(IdentityTest):
    def test_keys_of_the_config_sign_every_request(self):
        self.cloud.secrets["AKID"] = ("se/cret", "")
        self.bedrock({"credentials": {"access_key_id": "AKID", "secret_access_key": "se/cret"}})
        self.assert_answers()
        self.assert_answers(stream=True)
        self.assert_answers(CLAUDE, stream=True)
        self.assertEqual([request.path for request in self.cloud.requests],
                         ["/model/us.amazon.nova-lite-v1%3A0/converse", "/model/us.amazon.nova-lite-v1%3A0/converse-stream",
                          "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke-with-response-stream"])
        self.assertNotIn("se/cret", self.runnel.log())

    def test_a_key_of_bedrocks_own_is_a_bearer_token(self):
        self.cloud.tokens["bedrock-key"] = True
        self.bedrock({"api_key": "bedrock-key"})
        self.assert_answers(stream=True)

    def test_variables(self):
        self.cloud.secrets["AKENV"] = ("s", "session")
        self.bedrock(AWS_ACCESS_KEY_ID="AKENV", AWS_SECRET_ACCESS_KEY="s", AWS_SESSION_TOKEN="session")
        self.assert_answers()

    def test_a_profile(self):
        self.cloud.secrets["AKPRO"] = ("s", "")
        os.makedirs(f"{self.folder}/.aws")
        with open(f"{self.folder}/.aws/credentials", "w", encoding="utf-8") as file:
            file.write("[default]\naws_access_key_id = wrong\naws_secret_access_key = wrong\n"
                       "[work]\naws_access_key_id = AKPRO\naws_secret_access_key = s\n")
        self.bedrock(AWS_PROFILE="work")
        self.assert_answers()

    def test_a_container(self):
        self.bedrock(AWS_CONTAINER_CREDENTIALS_FULL_URI=f"{self.cloud.url}/container",
                     AWS_CONTAINER_AUTHORIZATION_TOKEN="pod")
        self.assert_answers()
        self.assertEqual(self.cloud.asked("/container")[0].headers["authorization"], "pod")

    def test_the_machine(self):
        self.bedrock(AWS_EC2_METADATA_SERVICE_ENDPOINT=self.cloud.url)
        self.assert_answers()
        self.assert_answers()
        self.assertEqual(len(self.cloud.asked("/latest/api/token")), 1)

    def test_keys_that_are_refused_before_their_time_are_fetched_anew(self):
        self.bedrock(AWS_EC2_METADATA_SERVICE_ENDPOINT=self.cloud.url)
        self.assert_answers()
        self.cloud.secrets.clear()  # as where somebody ends a session
        self.cloud.secrets["ASIA0"] = ("", "")
        first = self.ask().status  # fetched only now: nobody asks for others at once
        self.assertIn(first, (200, 502))
        self.assert_eventually(lambda: self.ask().status == 200, within=30)

    def test_a_service_that_fails_is_the_attempts_failure_and_found_again(self):
        self.cloud.broken = True
        self.bedrock(AWS_EC2_METADATA_SERVICE_ENDPOINT=self.cloud.url)
        response = self.ask()
        self.assertGreaterEqual(response.status, 500)
        self.assertIn(b"metadata service gave no credentials", response.body)
        self.assertNotIn(b"hunter2", response.body)
        self.assertNotIn("hunter2", self.runnel.log())
        self.cloud.broken = False
        self.assert_eventually(lambda: self.ask().status == 200)


class ManyAtOnce(IdentityTest):
    def test_many_requests_at_the_moment_of_expiry_cause_one_renewal(self):
        self.cloud.pause = 2
        self.bedrock({"concurrent": 1000}, AWS_EC2_METADATA_SERVICE_ENDPOINT=self.cloud.url)
        statuses = []
        lock = threading.Lock()

        def ask(count):
            for _ in range(count):
                status = self.ask().status
                with lock:
                    statuses.append(status)

        threads = [threading.Thread(target=ask, args=(5,)) for _ in range(60)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(statuses, [200] * 300)
        self.assertEqual(len(self.cloud.asked("/latest/api/token")), 1)


class Google(IdentityTest):
    def service_account(self):
        key = subprocess.run(["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
                             check=True, capture_output=True).stdout.decode()
        path = f"{self.folder}/account.json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"type": "service_account", "private_key_id": "k", "private_key": key,
                       "client_email": "me@example", "token_uri": f"{self.cloud.url}/token"}, file)
        os.chmod(path, 0o600)
        return path

    def test_a_service_accounts_token_asks_gemini_and_claude(self):
        self.start({"kind": "vertex", "project": "p1", "location": "europe-west1",
                    "credentials": {"file": self.service_account()}})
        self.assert_answers("gemini-2.5-pro")
        self.assert_answers("claude-sonnet-4-5@20250929")
        asked = self.cloud.asked("/token")
        self.assertEqual(len(asked), 1)
        self.assertEqual(asked[0].form()["assertion"].count("."), 2)
        self.assertEqual(self.cloud.asked("rawPredict")[0].path,
                         "/v1/projects/p1/locations/europe-west1/publishers/anthropic/models/"
                         "claude-sonnet-4-5@20250929:rawPredict")

    def test_the_metadata_server(self):
        self.start({"kind": "vertex", "project": "p1"}, GCE_METADATA_HOST=f"127.0.0.1:{self.cloud.port}")
        self.assert_answers("gemini-2.5-pro")
        self.assertEqual(self.cloud.asked("/computeMetadata")[0].headers["metadata-flavor"], "Google")


class Microsoft(IdentityTest):
    def test_an_applications_secret(self):
        self.start({"kind": "azure", "credentials": {"tenant_id": "t", "client_id": "c", "client_secret": "hunter2"}},
                   AZURE_AUTHORITY_HOST=self.cloud.url)
        self.assert_answers("gpt-5-mini")
        asked = self.cloud.asked("/t/oauth2/v2.0/token")
        self.assertEqual(asked[0].form()["client_secret"], "hunter2")
        self.assertNotIn("hunter2", self.runnel.log())

    def test_a_managed_identity(self):
        self.start({"kind": "azure", "credentials": {"managed_identity": True}},
                   IDENTITY_ENDPOINT=f"{self.cloud.url}/msi", IDENTITY_HEADER="h")
        self.assert_answers("gpt-5-mini")
        self.assertEqual(self.cloud.asked("/msi")[0].headers["x-identity-header"], "h")


class Command(IdentityTest):
    def test_what_a_program_prints_is_the_key(self):
        self.cloud.tokens["printed"] = True
        counter = f"{self.folder}/runs"
        script = f"echo run >> {counter}; echo noise >&2; echo printed"
        self.start({"kind": "azure", "api_key": {"command": ["sh", "-c", script], "ttl": "1h"},
                    "headers": {}})
        response = self.ask("gpt-5-mini")
        self.assertEqual(response.status, 502)  # Azure's keys stand in another header
        self.assertEqual(self.cloud.asked("/chat/completions")[-1].headers["api-key"], "printed")
        self.ask("gpt-5-mini")
        with open(counter, encoding="utf-8") as file:
            self.assertEqual(file.read(), "run\n")

    def test_a_program_that_fails_is_the_attempts_failure(self):
        self.start({"kind": "vertex", "project": "p", "api_key": {"command": ["sh", "-c", "echo hunter2; exit 3"]}})
        response = self.ask("gemini-2.5-pro")
        self.assertGreaterEqual(response.status, 500)
        self.assertNotIn("hunter2", self.runnel.log())
        self.assertIn("exited with status 3", response.body.decode() + self.runnel.log())
