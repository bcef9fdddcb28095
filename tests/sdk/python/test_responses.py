"""OpenAI's Responses API, as the openai package of PyPI speaks it: whole, streamed, parsed, kept, in the background."""

import os
import time
import unittest

import openai
import pydantic
from test_openai_sdk import HELLO, for_each_family, one_string

WEATHER = {"type": "function", "name": "get_weather", "strict": False, "parameters": one_string("city")}


class ResponsesTest(unittest.TestCase):
    def setUp(self):
        self.client = openai.OpenAI(
            base_url=os.environ["RUNNEL_BASE_URL"], api_key="not-needed", max_retries=0, timeout=20
        )
        self.addCleanup(self.client.close)
        self.responses = self.client.responses

    def ended(self, response_id):
        while (response := self.responses.retrieve(response_id)).status in ("queued", "in_progress"):
            time.sleep(0.02)
        return response

    @for_each_family
    def test_a_response_reads_the_same_streamed_and_whole(self, letter):
        request = {"model": f"{letter}/text", "input": "Hi"}
        self.assertEqual(self.responses.create(**request).output_text, HELLO)
        with self.responses.stream(**request) as stream:
            text = "".join(event.delta for event in stream if event.type == "response.output_text.delta")
            self.assertEqual((text, stream.get_final_response().output_text), (HELLO, HELLO))

    @for_each_family
    def test_a_call_and_its_result_go_on_from_a_stored_response(self, letter):
        request = {"model": f"{letter}/tool-one", "tools": [WEATHER]}
        with self.responses.stream(**request, input="How is Oslo?") as stream:
            first = stream.get_final_response()
        [call] = [item for item in first.output if item.type == "function_call"]
        result = {"type": "function_call_output", "call_id": call.call_id, "output": "7 degrees"}
        second = self.responses.create(**request, previous_response_id=first.id, input=[result])
        self.assertIn("7 degrees", second.output_text)
        items = self.responses.input_items.list(second.id)
        self.assertEqual([item.type for item in items], ["function_call_output"])

    def test_what_is_parsed_is_what_was_asked_for(self):
        class Person(pydantic.BaseModel):
            name: str

        parsed = self.responses.parse(model="o/json", input="Who?", text_format=Person)
        self.assertIsInstance(parsed.output_parsed, Person)

    def test_a_conversation_keeps_its_turns(self):
        conversation = self.client.conversations.create(items=[{"role": "user", "content": "Be brief."}])
        for text in ("One", "Two"):
            self.responses.create(model="o/text", input=text, conversation=conversation.id)
        items = list(self.client.conversations.items.list(conversation.id, order="asc", limit=2))
        self.assertEqual([item.role for item in items], ["user", "user", "assistant", "user", "assistant"])
        self.client.conversations.items.delete(items[0].id, conversation_id=conversation.id)
        self.assertTrue(self.client.conversations.delete(conversation.id).deleted)

    def test_a_response_in_the_background_is_polled_and_streamed_again(self):
        begun = self.responses.create(model="o/text", input="Hi", background=True)
        self.assertIn(begun.status, ("queued", "in_progress"))
        self.assertEqual(self.ended(begun.id).output_text, HELLO)
        seen = []
        for event in self.responses.create(model="o/text", input="Hi", background=True, stream=True):
            seen.append(event)
            if event.type == "response.output_item.added":
                break
        response_id, last = seen[0].response.id, seen[-1].sequence_number
        seen += self.responses.retrieve(response_id, stream=True, starting_after=last)
        self.assertEqual([event.sequence_number for event in seen], list(range(len(seen))))
        self.assertEqual(seen[-1].type, "response.completed")

    def test_a_response_in_the_background_is_cancelled(self):
        begun = self.responses.create(model="o/endless", input="Hi", background=True)
        self.assertEqual(self.responses.cancel(begun.id).status, "cancelled")
        self.assertEqual(self.ended(begun.id).status, "cancelled")


if __name__ == "__main__":
    unittest.main()
