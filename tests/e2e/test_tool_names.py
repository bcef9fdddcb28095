"""Names of tools that a provider would refuse: it is sent others, and the client never sees them."""

import json

from client import Client
from frames import frames_of
from gateway_test import GatewayTest

NAMES = ("files.read/all:now", "a" * 200)


class ToolNames(GatewayTest):
    kinds = {"strict": "openai", "local": "openai-compatible", "claude": "anthropic", "google": "gemini"}

    def request(self, model, name, stream, history=()):
        tools = [{"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}]
        body = {"model": model, "stream": stream, "messages": [{"role": "user", "content": "Hi"}, *history], "tools": tools,
                "tool_choice": {"type": "function", "function": {"name": name}}}
        with Client(self.runnel.port) as client:
            client.request("POST", "/v1/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"})
            response = client.response()
        self.assertEqual(response.status, 200, response.body)
        return response

    @staticmethod
    def sent_name(request):
        """What the provider was told that the tool is called."""
        tool = request["tools"][0]
        return (tool.get("function") or tool.get("functionDeclarations", [tool])[0])["name"]

    def calls_what_it_was_sent(self, exchange):
        name = self.sent_name(exchange.request.json())
        call = exchange.wire.tool_call().replace(b'"name": "f"', json.dumps({"name": name})[1:-1].encode())
        exchange.head()
        if hasattr(exchange.wire, "message_start"):
            exchange.body(exchange.wire.message_start)
        exchange.body(call.replace(b'{\\"a\\":', b'{}'))
        exchange.finish("tool_calls")

    def test_a_streamed_call_has_the_clients_name(self):
        for name in NAMES:
            for provider in ("strict", "local", "claude", "google"):
                with self.subTest(provider=provider, name=name[:9]):
                    self.upstream.play(self.calls_what_it_was_sent)
                    frames = frames_of(self.request(f"{provider}/m", name, stream=True).body)
                    called = [call["function"]["name"] for frame in frames for choice in frame["choices"]
                              for call in choice["delta"].get("tool_calls", ()) if call["function"].get("name")]
                    self.assertEqual(called, [name])
                    sent = self.sent_name(self.upstream.requests[-1].json())
                    self.assertEqual(sent == name, provider == "local", sent)
                    self.assertLessEqual(len(sent), 200 if provider == "local" else 128)

    def test_a_whole_answer_and_the_conversation_after_it_have_it_too(self):
        name = NAMES[0]

        def whole(exchange):
            call = {"id": "call_1", "type": "function", "function": {"name": self.sent_name(exchange.request.json()), "arguments": "null"}}
            message = {"role": "assistant", "content": None, "tool_calls": [call]}
            exchange.reply(200, json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}).encode())

        self.upstream.play(whole)
        message = self.request("strict/m", name, stream=False).json()["choices"][0]["message"]
        self.assertEqual(message["tool_calls"][0]["function"], {"name": name, "arguments": "{}"})
        self.assertEqual((message["refusal"], message["annotations"]), (None, []))
        self.request("strict/m", name, stream=False, history=[message, {"role": "tool", "tool_call_id": "call_1", "content": "1"}])
        sent = self.upstream.requests[-1].json()
        self.assertEqual(sent["messages"][1]["tool_calls"][0]["function"]["name"], self.sent_name(sent))
        self.assertNotIn(name, json.dumps(sent))
