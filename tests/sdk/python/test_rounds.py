"""The openai package of PyPI over five rounds with three tools of the gateway at once."""

import os
import unittest

import openai

ROUNDS, TOOLS = range(5), ("alpha", "beta", "gamma")
ANSWER = f"The tools said: {' '.join(f'{tool}{number}' for number in ROUNDS for tool in TOOLS)}."
WORDS = "".join(f"Round {number}. " for number in ROUNDS)
TOTAL_TOKENS = sum(20 + number + 4 + number for number in range(6))


class Rounds(unittest.TestCase):
    def setUp(self):
        self.client = openai.OpenAI(base_url=os.environ["RUNNEL_BASE_URL"], api_key="x", max_retries=0, timeout=20)
        self.addCleanup(self.client.close)

    def chunks(self, letter, dialect, **more):
        stream = self.client.chat.completions.create(
            model=f"rounds-{letter}", messages=[{"role": "user", "content": "Use your tools."}], stream=True,
            extra_headers={"X-Stream-Dialect": dialect}, **more)
        return list(stream)

    def test_a_loop_over_choices_0_prints_the_answer(self):
        for letter in "ocgl":
            for dialect, expected in (("openai", WORDS + ANSWER), ("agent", ANSWER)):
                with self.subTest(letter=letter, dialect=dialect):
                    printed, finishes = "", []
                    for chunk in self.chunks(letter, dialect):
                        printed += chunk.choices[0].delta.content or ""
                        finishes.append(chunk.choices[0].finish_reason)
                    self.assertEqual(printed, expected)
                    self.assertEqual([reason for reason in finishes if reason], ["stop"])

    def test_one_id_and_usage_over_all_rounds(self):
        for dialect in ("openai", "timeline", "agent"):
            chunks = self.chunks("c", dialect, stream_options={"include_usage": True})
            self.assertEqual(len({chunk.id for chunk in chunks}), 1)
            usages = [chunk.usage for chunk in chunks if chunk.usage]
            self.assertEqual([usage.total_tokens for usage in usages], [TOTAL_TOKENS])

    def test_the_steps_of_each_round_come_before_the_next(self):
        seen = {"timeline": [], "agent": []}
        for chunk in self.chunks("g", "timeline"):
            if tool := getattr(chunk, "servertool", None):
                seen["timeline"].append((tool["name"], tool["state"]))
            elif chunk.choices[0].delta.content:
                seen["timeline"].append("text")
        for chunk in self.chunks("g", "agent"):
            kind = getattr(chunk, "type", None)
            if kind in ("tool_start", "tool_trace"):
                seen["agent"].append((chunk.tool, kind))
            elif kind == "agent_text" or chunk.choices[0].delta.content:
                seen["agent"].append("text")
        for dialect, states in (("timeline", ("Created", "Running", "Completed")), ("agent", ("tool_start", "tool_trace"))):
            with self.subTest(dialect):
                rounds = self.split_at_text(seen[dialect])
                self.assertEqual(len(rounds), len(ROUNDS))
                for steps in rounds:
                    self.assertEqual(sorted(steps), sorted((tool, state) for tool in TOOLS for state in states))
                    for tool in TOOLS:
                        self.assertEqual([state for name, state in steps if name == tool], list(states))

    @staticmethod
    def split_at_text(steps):
        rounds = [[]]
        for step in steps:
            if step != "text":
                rounds[-1].append(step)
            elif rounds[-1]:
                rounds.append([])
        return [steps for steps in rounds if steps]


if __name__ == "__main__":
    unittest.main()
