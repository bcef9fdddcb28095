"""Models that write their calls into their text."""

import json
import time

from client import chat_bytes
from frames import finish_of, frames_of, text_of
from pace import scaled
from tools_test import CLIENT_TOOL, ToolsTest, says

CALL = '{"name": "calculator", "arguments": {"expression": "6*7"}}'
FORMS = {
    "bare": CALL,
    "parameters": CALL.replace("arguments", "parameters"),
    "fenced": f"```json\n{CALL}\n```",
    "tagged": f"<tool_call>\n{CALL}\n</tool_call>",
    "list in tags": f"<tool_calls>[{CALL}]</tool_calls>",
    "OpenAI's": json.dumps({"tool_calls": [{"id": "x", "type": "function", "function": {
        "name": "calculator", "arguments": '{"expression": "6*7"}'}}]}),
}
ORDINARY = ['{"name": "Alice", "arguments": {}}', "```json\n{\"a\": [1]}\n```", "<tool_call>no call</tool_call>",
            "<p>{x}</p> [1] `y`"]


class TextCallsTest(ToolsTest):
    models = {"small": {"targets": ["local/m"], "tools": ["calculator"], "text_tool_calls": True},
              "bare": {"targets": ["local/m"], "text_tool_calls": True},
              "proper": {"targets": ["local/m"], "tools": ["calculator"]}}

    def results(self):
        """What the model was told of its calls."""
        return [message["content"] for message in self.upstream.requests[-1].json()["messages"]
                if message["role"] == "tool"]


class ServersTools(TextCallsTest):
    def test_each_form_is_run_once_and_never_shown(self):
        for name, form in FORMS.items():
            for pieces in ([form], list(form), [form[at:at + 7] for at in range(0, len(form), 7)]):
                with self.subTest(name, pieces=len(pieces)):
                    self.upstream.forget()
                    self.upstream.play(says("Let me see. ", *pieces), says("It is 42."))
                    frames = frames_of(self.stream(model="small").body)
                    self.assertEqual(text_of(frames), "Let me see. It is 42.")
                    self.assertEqual(finish_of(frames), "stop")
                    self.assertEqual(len(self.upstream.requests), 2)
                    self.assertEqual(self.results(), ["42"])
                    said = self.upstream.requests[1].json()["messages"][1]
                    self.assertEqual(said["content"], "Let me see. ")
                    self.assertEqual(json.loads(said["tool_calls"][0]["function"]["arguments"]), {"expression": "6*7"})

    def test_also_where_the_answer_is_not_streamed(self):
        self.upstream.play(lambda exchange: exchange.reply(200, exchange.wire.whole(FORMS["fenced"])),
                           lambda exchange: exchange.reply(200, exchange.wire.whole("It is 42.")))
        answer = self.ask(model="small", stream=False).json()
        self.assertEqual(answer["choices"][0]["message"]["content"], "It is 42.")
        self.assertEqual(self.results(), ["42"])

    def test_all_else_is_shown_as_it_came(self):
        for text in ORDINARY:
            with self.subTest(text):
                self.upstream.forget()
                self.upstream.play(says(*text))
                self.assertEqual(text_of(frames_of(self.stream(model="small").body)), text)
                self.assertEqual(len(self.upstream.requests), 1)

    def test_other_models_may_write_what_they_like(self):
        self.upstream.play(says(CALL))
        self.assertEqual(text_of(frames_of(self.stream(model="proper").body)), CALL)

    def test_what_was_said_before_a_call_is_agent_text_however_slowly_the_call_comes(self):
        def slowly(exchange):
            exchange.head()
            # The beginning in one segment: nothing comes in between, however busy the machine is.
            exchange.raw(exchange.framed(exchange.delta_bytes("Let me see. ")) + exchange.framed(exchange.delta_bytes(CALL[:10])))
            for at in range(10, len(CALL), 10):
                time.sleep(0.12)
                exchange.delta(CALL[at:at + 10])
            exchange.finish("stop")

        self.upstream.play(slowly, says("It is 42."))
        frames = self.plain_frames(self.stream("agent", model="small"))
        types = [frame.get("type", "chunk") for frame in frames]
        self.assertEqual(types[:3], ["agent_text", "tool_start", "tool_trace"])
        self.assertEqual(frames[0]["content"], "Let me see. ")
        self.assertEqual(text_of(frames), "It is 42.")

    def test_text_that_cannot_be_a_call_is_not_held(self):
        closed = []

        def script(exchange):
            exchange.head()
            exchange.delta('So: {"result": ')
            closed.append(exchange.hold(scaled(10)))

        self.upstream.play(script)
        client = self.connect()
        client.send(chat_bytes(model="small"))
        client.head()
        seen = b""
        while b"result" not in seen:
            seen += client.next_piece()
        client.close()
        self.assert_eventually(lambda: closed == [True])  # seen while the provider had not ended


class ClientsTools(TextCallsTest):
    def test_calls_to_the_clients_tools_are_shown_as_calls(self):
        written = '<tool_call>{"name": "theirs", "arguments": {"a": "b"}}</tool_call>'
        for model in ("bare", "small"):
            with self.subTest(model):
                self.upstream.forget()
                self.upstream.play(says("One moment.\n", *written))
                frames = frames_of(self.stream(model=model, tools=[CLIENT_TOOL]).body)
                self.assertEqual(text_of(frames), "One moment.\n")
                self.assertEqual(finish_of(frames), "tool_calls")
                shown = [made for frame in frames for choice in frame["choices"]
                         for made in choice["delta"].get("tool_calls", [])]
                self.assertEqual(shown[0]["function"]["name"], "theirs")
                self.assertTrue(shown[0]["id"].startswith("call_"))
                arguments = "".join(made["function"]["arguments"] for made in shown)
                self.assertEqual(json.loads(arguments), {"a": "b"})

    def test_not_where_the_client_wants_no_calls(self):
        written = '{"name": "theirs", "arguments": {}}'
        self.upstream.play(says(written))
        frames = frames_of(self.stream(model="bare", tools=[CLIENT_TOOL], tool_choice="none").body)
        self.assertEqual(text_of(frames), written)
