"""Responses that are stored: what goes on from them, who finds them, and when they are gone."""

import json

from client import Client
from gateway_test import GatewayTest
from key_admin import bearer, make_key

PATH = "/v1/responses"


class StoredResponses(GatewayTest):
    config = {"auth": {"mode": "keys"}}

    def setUp(self):
        super().setUp()
        self.mine = bearer(make_key(self.runnel.port, name="mine"))
        self.other = bearer(make_key(self.runnel.port, name="other"))

    def send(self, method, path, body=None, headers=None):
        with Client(self.runnel.port) as client:
            data = b"" if body is None else json.dumps(body).encode()
            client.request(method, path, data, headers or self.mine)
            return client.response()

    def respond(self, text, headers=None, **fields):
        return self.send("POST", PATH, {"model": "local/m", "input": text, **fields}, headers)

    def said(self):
        """What the provider was told last: role and text of each message."""
        messages = self.upstream.requests[-1].json()["messages"]
        return [(message["role"], message["content"]) for message in messages]

    def test_a_request_goes_on_from_an_answer(self):
        self.upstream.play(lambda exchange: exchange.stream("one"), lambda exchange: exchange.stream("two"),
                           lambda exchange: exchange.stream("three"))
        first = self.respond("1", instructions="Count.").json()
        self.assertTrue(first["store"])
        second = self.respond("2", previous_response_id=first["id"], stream=True)
        completed = [json.loads(line[6:]) for line in second.body.decode().split("\n")
                     if line.startswith("data: {")][-1]["response"]
        self.assertEqual(completed["previous_response_id"], first["id"])
        # At once: the end of a stream is not told before the store was given it.
        third = self.respond("3", previous_response_id=completed["id"])
        self.assertEqual(third.status, 200, third.body)
        self.assertEqual(self.said(), [("user", "1"), ("assistant", "one"), ("user", "2"), ("assistant", "two"),
                                       ("user", "3")])
        stored = self.send("GET", f"{PATH}/{completed['id']}").json()
        self.assertEqual(stored, completed)
        items = self.send("GET", f"{PATH}/{completed['id']}/input_items").json()
        self.assertEqual([item["content"][0]["text"] for item in items["data"]], ["2"])

    def test_results_of_calls_go_on_from_them(self):
        def call(exchange):
            chunk = {"choices": [{"index": 0, "delta": {"tool_calls": [
                {"index": 0, "id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}}]}
            exchange.head()
            exchange.body(b"data: " + json.dumps(chunk).encode() + b"\n\n")
            exchange.finish("tool_calls")

        self.upstream.play(call, lambda exchange: exchange.stream("42"))
        tools = [{"type": "function", "name": "f", "parameters": {"type": "object", "properties": {}}}]
        first = self.respond("look", tools=tools, stream=True)
        first = json.loads([line for line in first.body.decode().split("\n") if line.startswith("data: {")][-1][6:])["response"]
        output = [{"type": "function_call_output", "call_id": "c1", "output": "it is 42"}]
        second = self.respond(output, tools=tools, previous_response_id=first["id"])
        self.assertEqual(second.status, 200, second.body)
        self.assertEqual([role for role, _ in self.said()], ["user", "assistant", "tool"])

    def test_nobody_else_finds_them(self):
        first = self.respond("secret").json()
        path = f"{PATH}/{first['id']}"
        for method, of in (("GET", path), ("GET", path + "/input_items"), ("DELETE", path), ("POST", path + "/cancel")):
            with self.subTest(method=method, path=of):
                self.assertEqual(self.send(method, of, headers=self.other).status, 404)
        asked = len(self.upstream.requests)
        response = self.respond("go on", self.other, previous_response_id=first["id"])
        self.assertEqual((response.status, response.json()["error"]["code"]), (400, "previous_response_not_found"))
        self.assertEqual(len(self.upstream.requests), asked)
        self.assertEqual(self.send("GET", path).status, 200)

    def test_what_is_deleted_or_was_not_to_be_stored_is_not_there(self):
        unstored = self.respond("x", store=False).json()
        self.assertFalse(unstored["store"])
        self.assertEqual(self.send("GET", f"{PATH}/{unstored['id']}").status, 404)
        first = self.respond("x").json()
        path = f"{PATH}/{first['id']}"
        self.assertEqual(self.send("POST", path + "/cancel").status, 400)
        self.assertEqual(self.send("DELETE", path).json(), {"id": first["id"], "object": "response", "deleted": True})
        self.assertEqual(self.send("DELETE", path).status, 404)
        self.assertEqual(self.respond("y", previous_response_id=first["id"]).status, 400)

    def test_what_failed_is_not_stored(self):
        def cut(exchange):
            exchange.head()
            exchange.delta("Hel")
            exchange.fin()

        self.upstream.play(cut)
        response = self.respond("x", stream=True)
        failed = [json.loads(line[6:]) for line in response.body.decode().split("\n")
                  if line.startswith("data: {")][-1]["response"]
        self.assertEqual(failed["status"], "failed")
        self.assertEqual(self.send("GET", f"{PATH}/{failed['id']}").status, 404)


class GuardedResponses(GatewayTest):
    config = {"guardrails": [{"name": "mail", "pii": ["email"], "action": "redact", "on": ["input"]}]}

    def test_what_is_taken_out_is_not_stored(self):
        with Client(self.runnel.port) as client:
            body = {"model": "local/m", "input": "I am bob@example.com."}
            client.request("POST", PATH, json.dumps(body).encode())
            response = client.response()
            self.assertEqual(response.status, 200, response.body)
            client.request("GET", f"{PATH}/{response.json()['id']}/input_items")
            items = client.response()
        self.assertEqual(items.status, 200, items.body)
        self.assertIn(b"I am ", items.body)
        self.assertNotIn(b"bob@example.com", items.body)


class NothingIsStored(GatewayTest):
    config = {"responses": {"store": "off"}}

    def test_where_the_config_says_so(self):
        with Client(self.runnel.port) as client:
            client.request("POST", PATH, json.dumps({"model": "local/m", "input": "x", "store": True}).encode())
            response = client.response().json()
            self.assertFalse(response["store"])
            client.request("GET", f"{PATH}/{response['id']}")
            self.assertEqual(client.response().status, 404)
            body = {"model": "local/m", "input": "x", "previous_response_id": response["id"]}
            client.request("POST", PATH, json.dumps(body).encode())
            self.assertEqual(client.response().json()["error"]["code"], "unsupported_parameter")
