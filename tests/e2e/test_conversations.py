"""Conversations that are kept: items that clients add, list and take away, turns that add themselves, and items that are
named in place of being told."""

import json

from client import Client
from gateway_test import GatewayTest
from key_admin import bearer, make_key

PATH = "/v1/conversations"


class Conversations(GatewayTest):
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

    def made(self, **fields):
        response = self.send("POST", PATH, fields)
        self.assertEqual(response.status, 200, response.body)
        return response.json()

    def respond(self, text, headers=None, **fields):
        return self.send("POST", "/v1/responses", {"model": "local/m", "input": text, **fields}, headers)

    def items(self, conversation, query="order=asc"):
        response = self.send("GET", f"{PATH}/{conversation}/items?{query}")
        self.assertEqual(response.status, 200, response.body)
        return response.json()

    def said(self):
        """What the provider was told last: role and text of each message."""
        messages = self.upstream.requests[-1].json()["messages"]
        return [(message["role"], message["content"]) for message in messages]

    def test_a_conversation_is_made_shown_changed_and_deleted(self):
        made = self.made(metadata={"topic": "x"})
        self.assertEqual((made["object"], made["metadata"]), ("conversation", {"topic": "x"}))
        self.assertTrue(made["id"].startswith("conv_"))
        path = f"{PATH}/{made['id']}"
        self.assertEqual(self.send("GET", path).json(), made)
        changed = self.send("POST", path, {"metadata": {"topic": "y"}}).json()
        self.assertEqual(changed, {**made, "metadata": {"topic": "y"}})
        self.assertEqual(self.send("DELETE", path).json(),
                         {"id": made["id"], "object": "conversation.deleted", "deleted": True})
        self.assertEqual(self.send("GET", path).status, 404)

    def test_items_are_added_listed_and_taken_away(self):
        user = {"type": "message", "role": "user", "content": "Hi"}
        conversation = self.made(items=[user])["id"]
        call = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": "{}"}
        added = self.send("POST", f"{PATH}/{conversation}/items", {"items": [call, user]}).json()
        self.assertEqual(added["data"][0], call)
        listed = self.items(conversation)
        self.assertEqual([item["type"] for item in listed["data"]], ["message", "function_call", "message"])
        self.assertEqual(listed["data"][0]["content"], [{"type": "input_text", "text": "Hi"}])
        self.assertEqual(len({item["id"] for item in listed["data"]}), 3)
        page = self.items(conversation, "limit=2")
        self.assertEqual([item["id"] for item in page["data"]], [item["id"] for item in listed["data"]][:0:-1])
        self.assertTrue(page["has_more"])
        rest = self.items(conversation, f"limit=2&after={page['last_id']}")
        self.assertEqual(([item["id"] for item in rest["data"]], rest["has_more"]), ([listed["first_id"]], False))
        path = f"{PATH}/{conversation}/items/fc_1"
        self.assertEqual(self.send("GET", path).json(), call)
        self.assertEqual(self.send("DELETE", path).json()["id"], conversation)
        self.assertEqual(self.send("GET", path).status, 404)
        self.assertEqual(len(self.items(conversation)["data"]), 2)

    def test_turns_go_on_from_it_and_add_themselves(self):
        self.upstream.play(lambda exchange: exchange.stream("one"), lambda exchange: exchange.stream("two"))
        conversation = self.made(items=[{"role": "user", "content": "Count."}])["id"]
        first = self.respond("1", conversation=conversation)
        self.assertEqual(first.status, 200, first.body)
        self.assertEqual(first.json()["conversation"], {"id": conversation})
        second = self.respond("2", conversation={"id": conversation}, stream=True, store=False)
        self.assertEqual(second.status, 200, second.body)
        self.assertEqual(self.said(), [("user", "Count."), ("user", "1"), ("assistant", "one"), ("user", "2")])
        items = self.items(conversation)["data"]
        self.assertEqual([(item["role"], item["content"][0]["text"]) for item in items],
                         [("user", "Count."), ("user", "1"), ("assistant", "one"), ("user", "2"), ("assistant", "two")])

    def test_what_failed_is_no_turn(self):
        def cut(exchange):
            exchange.head()
            exchange.delta("Hel")
            exchange.fin()

        conversation = self.made()["id"]
        self.upstream.play(cut)
        self.assertIn(b"response.failed", self.respond("x", conversation=conversation, stream=True).body)
        self.assertEqual(self.items(conversation)["data"], [])

    def test_nobody_else_finds_it(self):
        conversation = self.made(items=[{"id": "msg_1", "role": "user", "content": "secret"}])["id"]
        path = f"{PATH}/{conversation}"
        item = {"items": [{"role": "user", "content": "x"}]}
        for method, of, body in (("GET", path, None), ("POST", path, {"metadata": {}}), ("DELETE", path, None),
                                 ("GET", path + "/items", None), ("POST", path + "/items", item),
                                 ("GET", path + "/items/msg_1", None), ("DELETE", path + "/items/msg_1", None)):
            with self.subTest(method=method, path=of):
                self.assert_error(self.send(method, of, body, self.other), 404, "not_found")
        asked = len(self.upstream.requests)
        self.assert_error(self.respond("go on", self.other, conversation=conversation), 404, "not_found", param="conversation")
        self.assertEqual(len(self.upstream.requests), asked)
        self.assertEqual(len(self.items(conversation)["data"]), 1)

    def test_what_makes_no_sense_is_refused(self):
        conversation = self.made()["id"]
        self.assert_error(self.respond("x", conversation=conversation, previous_response_id="resp_1"), 400, "invalid_value")
        for items in ([{"role": "nobody", "content": "x"}], [7], "x", [{"type": "item_reference", "id": "msg_1"}],
                      [{"role": "user", "content": "x"}] * 21):
            with self.subTest(items=items):
                self.assertEqual(self.send("POST", f"{PATH}/{conversation}/items", {"items": items}).status, 400)
        self.assertEqual(self.send("POST", f"{PATH}/{conversation}", {"metadata": {"a": 1}}).status, 400)
        self.assertEqual(self.items(conversation)["data"], [])

    def test_items_are_found_by_their_ids(self):
        def call(exchange):
            chunk = {"choices": [{"index": 0, "delta": {"tool_calls": [
                {"index": 0, "id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}}]}
            exchange.head()
            exchange.body(b"data: " + json.dumps(chunk).encode() + b"\n\n")
            exchange.finish("tool_calls")

        self.upstream.play(call, lambda exchange: exchange.stream("42"))
        tools = [{"type": "function", "name": "f", "parameters": {"type": "object", "properties": {}}}]
        body = self.respond("look", tools=tools, stream=True).body.decode()
        first = json.loads([line for line in body.split("\n") if line.startswith("data: {")][-1][6:])["response"]
        again = [{"role": "user", "content": "look"}, {"type": "item_reference", "id": first["output"][0]["id"]},
                 {"type": "function_call_output", "call_id": "c1", "output": "it is 42"}]
        self.assert_error(self.respond(again, self.other, tools=tools), 404, "not_found", param="input")
        second = self.respond(again, tools=tools)
        self.assertEqual(second.status, 200, second.body)
        self.assertEqual([role for role, _ in self.said()], ["user", "assistant", "tool"])
        # It keeps what was meant, whatever becomes of the other.
        self.send("DELETE", f"/v1/responses/{first['id']}")
        items = self.send("GET", f"/v1/responses/{second.json()['id']}/input_items?order=asc").json()
        self.assertEqual([item["type"] for item in items["data"]], ["message", "function_call", "function_call_output"])


class GuardedConversations(GatewayTest):
    config = {"guardrails": [{"name": "mail", "pii": ["email"], "action": "redact", "on": ["input"]}]}

    def test_what_is_taken_out_is_not_kept(self):
        with Client(self.runnel.port) as client:
            client.request("POST", PATH)
            conversation = client.response().json()["id"]
            body = {"model": "local/m", "input": "I am bob@example.com.", "conversation": conversation, "store": False}
            client.request("POST", "/v1/responses", json.dumps(body).encode())
            self.assertEqual(client.response().status, 200)
            client.request("GET", f"{PATH}/{conversation}/items")
            items = client.response()
        self.assertIn(b"I am ", items.body)
        self.assertNotIn(b"bob@example.com", items.body)


class NoConversations(GatewayTest):
    config = {"responses": {"store": "off"}}

    def test_where_the_config_says_so(self):
        with Client(self.runnel.port) as client:
            client.request("POST", PATH)
            self.assertEqual(client.response().json()["error"]["code"], "unsupported_parameter")
            body = {"model": "local/m", "input": "x", "conversation": "conv_1"}
            client.request("POST", "/v1/responses", json.dumps(body).encode())
            self.assertEqual(client.response().json()["error"]["code"], "unsupported_parameter")


class WebSockets(GatewayTest):
    def test_are_declined_so_that_clients_take_to_http(self):
        upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
                   "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
        with Client(self.runnel.port) as client:
            client.request("GET", "/v1/responses", headers=upgrade)
            declined = client.response()
            self.assertEqual((declined.status, declined.headers["upgrade"]), (426, "HTTP/1.1"))
            self.assertIn("POST /v1/responses", declined.error["message"])
            client.request("GET", "/v1/responses")
            self.assertEqual(client.response().status, 405)
