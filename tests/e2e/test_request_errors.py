"""Requests that are refused, and how: real statuses and one JSON shape, before any upstream call."""

import json

from client import CHAT_PATH, chat_body, get
from gateway_test import GatewayTest


class RequestErrors(GatewayTest):
    def tearDown(self):
        self.assertEqual(self.upstream.requests, [], "upstream was asked")
        super().tearDown()

    def refuse(self, body, status=400, code=None, param=None, **request):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.assert_error(self.ask(body=data, **request), status, code, param=param)

    def test_an_unknown_path(self):
        response = get(self.runnel.port, "/v2/nothing")
        self.assert_error(response, 404, "not_found", "not_found_error")

    def test_a_wrong_method_names_the_right_one(self):
        response = get(self.runnel.port, CHAT_PATH)
        self.assert_error(response, 405, "method_not_allowed", "invalid_request_error")
        self.assertEqual(response.headers["allow"], "POST")
        response = get(self.runnel.port, "/v1/models", method="DELETE")
        self.assert_error(response, 405, "method_not_allowed")
        self.assertIn("GET", response.headers["allow"])

    def test_a_body_that_is_not_declared_as_json(self):
        for media in ("text/xml", "multipart/form-data; boundary=x"):
            response = self.ask(headers={"Content-Type": media})
            self.assert_error(response, 415, "unsupported_media_type", "invalid_request_error")

    def test_a_body_that_is_not_json(self):
        whole = chat_body()
        for body in (b"", b"{", b"nonsense", b"[]", b'"text"', b"null", b"\xff\xfe{}", whole[:-1], whole + b"}",
                     b'{"model":"local/m","messages":[{"role":"user","content":"\xc3\x28"}]}'):
            with self.subTest(body[-30:]):
                self.refuse(body, 400, "invalid_json")

    def test_json_nested_too_deep(self):
        def nested(depth):  # the body and its messages are two of the levels
            return (b'{"model":"demo/echo","messages":[{"role":"user","content":"x"}],"extra":'
                    + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}")

        self.assertEqual(self.ask(body=nested(128)).status, 200)
        self.refuse(nested(129), 400)
        self.refuse(nested(100_000), 400)

    def test_too_many_messages(self):
        message = {"role": "user", "content": "x"}
        self.assertEqual(self.ask(body=json.dumps(
            {"model": "demo/echo", "messages": [message] * 10_000}).encode()).status, 200)
        self.refuse({"model": "demo/echo", "messages": [message] * 10_001}, 400, param="messages")

    def test_missing_fields_are_named(self):
        self.refuse({"model": "local/m"}, 400, "missing_required_field", "messages")
        self.refuse({"messages": [{"role": "user", "content": "x"}]}, 400, "missing_required_field", "model")

    def test_wrong_types_are_named(self):
        good = json.loads(chat_body())
        for field, value in (("messages", "x"), ("messages", []), ("messages", [1]), ("model", 5),
                             ("stream", "yes"), ("temperature", "hot"), ("tools", {})):
            with self.subTest(field, value=value):
                response = self.ask(body=json.dumps({**good, field: value}).encode())
                self.assertEqual(response.status, 400, response.body)
                self.assertTrue((response.error["param"] or "").startswith(field), response.error)

    def test_stream_options_without_stream(self):
        body = json.loads(chat_body(stream=False, stream_options={"include_usage": True}))
        self.refuse(body, 400, "unsupported_parameter")

    def test_an_unknown_model(self):
        for model in ("nobody", "nobody/m", "@nobody/m", "/", "demo/nothing-of-the-kind", ""):
            with self.subTest(model):
                response = self.ask(model=model)
                self.assertIn(response.status, (400, 404) if not model else (404,), response.body)
                self.assert_error(response, response.status)

    def test_an_unknown_dialect_names_the_place(self):
        response = self.ask(headers={"X-Stream-Dialect": "foo"})
        self.assert_error(response, 400, "invalid_stream_dialect", param="X-Stream-Dialect")
        self.assert_error(self.ask(stream_dialect="foo"), 400, "invalid_stream_dialect", param="stream_dialect")

    def test_tools_that_make_no_sense(self):
        tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
        self.refuse(json.loads(chat_body(tools=[tool, tool])), 400, "tool_schema_invalid")
        self.refuse(json.loads(chat_body(tools=[{**tool, "function": {"name": "a b"}}])), 400, "tool_schema_invalid")
        self.refuse(json.loads(chat_body(tools=[tool], tool_choice={
            "type": "function", "function": {"name": "g"}})), 400, "tool_choice_invalid")

    def test_a_refusal_is_json_although_a_stream_was_asked_for(self):
        response = self.ask(model="nobody/m", stream=True)
        self.assertEqual(response.headers["content-type"].split(";")[0], "application/json")
