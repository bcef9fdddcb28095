"""Whatever takes however long, a stream tells what happened in the order in which it happened."""

import concurrent.futures
import json
import random
import time

from client import ask
from frames import text_of
from tools_test import ToolsTest, call

SEEDS = range(24)
DIALECTS = ("openai", "timeline", "agent", "agent-raw")


class Story:
    """What a model does, drawn by lot: rounds of words and calls, then an answer."""

    def __init__(self, seed, dialect):
        self.name = f"{dialect}-{seed}"
        self.dialect = dialect
        lot = random.Random(self.name)
        self.lot = lot
        self.rounds = []
        number = 0
        for round_number in range(lot.randint(1, 5)):
            words = [f"r{round_number}w{i} " for i in range(lot.randint(0, 3))]
            made = []
            for _ in range(lot.randint(1, 4)):
                number += 1
                made.append((f"call_{number}", round(lot.uniform(0.001, 0.12), 4)))
            self.rounds.append((words, made))
        self.answer = [f"a{i} " for i in range(lot.randint(1, 5))]
        self.hold = {"hold": "round"} if dialect.startswith("agent") else {}
        self.requests = []

    def pause(self):
        time.sleep(self.lot.choice((0, 0, 0.002, 0.03, 0.08)))

    def play(self, exchange):
        self.requests.append(exchange.request.json())
        turn = sum(message["role"] == "assistant" for message in self.requests[-1]["messages"])
        exchange.head()
        words, made = self.rounds[turn] if turn < len(self.rounds) else (self.answer, [])
        for word in words:
            self.pause()
            exchange.delta(word)
        for index, (name, seconds) in enumerate(made):
            arguments = json.dumps({"seconds": seconds})
            self.pause()
            begun = {**call("nap", arguments[:5], index + 1), "id": name}
            exchange.body(exchange.wire._chunk({"tool_calls": [begun]}))
            self.pause()
            rest = {"index": index, "function": {"arguments": arguments[5:]}}
            exchange.body(exchange.wire._chunk({"tool_calls": [rest]}))
        self.pause()
        exchange.finish("tool_calls" if made else "stop", (3, 2))

    def everything_said(self):
        return "".join("".join(words) for words, _ in self.rounds) + "".join(self.answer)


class Order(ToolsTest):
    models = {"long": {"targets": ["local/m"], "tools": ["nap"], "max_tool_rounds": 8}}

    def test_under_random_delays(self):
        stories = {}
        for dialect in DIALECTS:
            for seed in SEEDS:
                story = Story(seed, dialect)
                stories[story.name] = story
        self.upstream.script = lambda exchange: stories[
            exchange.request.json()["messages"][0]["content"]].play(exchange)

        def tell(story):
            response = ask(self.runnel.port, model="long", text=story.name, servertool_results=True,
                           headers={"X-Stream-Dialect": story.dialect}, **story.hold)
            return story, response

        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            told = list(pool.map(tell, stories.values()))
        for story, response in told:
            with self.subTest(story.name):
                self.assertEqual(response.status, 200, response.body)
                frames = self.plain_frames(response)
                self.check_results(story)
                if story.dialect == "openai":
                    self.assertEqual(text_of(frames), story.everything_said())
                elif story.dialect == "timeline":
                    self.check_timeline(story, frames)
                else:
                    self.check_agent(story, frames)

    def check_results(self, story):
        """The model is told what came of its calls in their order, round by round."""
        self.assertEqual(len(story.requests), len(story.rounds) + 1)
        told = [(message["tool_call_id"], json.loads(message["content"])["slept"])
                for message in story.requests[-1]["messages"] if message["role"] == "tool"]
        self.assertEqual(told, [made for _, calls in story.rounds for made in calls])

    def check_timeline(self, story, frames):
        self.assertEqual(text_of(frames), story.everything_said())
        events = []
        for frame in frames:
            if "servertool" in frame:
                run = frame["servertool"]
                events.append((run["state"], run["id"], json.loads(run["contents"]).get("seconds"), run.get("result")))
            elif text := text_of([frame]):
                events.append(("text", text, None, None))
        number = 0
        for words, made in story.rounds:
            for word in words:
                self.assertEqual(events.pop(0)[:2], ("text", word))
            ids = [f"srv_{number + i + 1}" for i in range(len(made))]
            number += len(made)
            for run, (_, seconds) in zip(ids, made):
                self.assertEqual(events.pop(0)[:3], ("Created", run, seconds))
            states = {run: ["Running", "Completed"] for run in ids}
            while any(states.values()):
                state, run, seconds, result = events.pop(0)
                self.assertEqual(state, states[run].pop(0))
                self.assertEqual(seconds, made[ids.index(run)][1])
                if state == "Completed":
                    self.assertEqual(result, {"slept": seconds})
        self.assertEqual([event[1] for event in events], story.answer)

    def check_agent(self, story, frames):
        """`hold: round`: what was said before a tool is agent_text, whole, and nothing else is."""
        self.assertEqual(text_of(frames), "".join(story.answer))
        frames = [frame for frame in frames if "type" in frame]
        for words, made in story.rounds:
            if words:
                frame = frames.pop(0)
                self.assertEqual((frame["type"], frame["content"]), ("agent_text", "".join(words)))
            started, ended = [], []
            while len(ended) < len(made):
                frame = frames.pop(0)
                if frame["type"] == "tool_start":
                    started.append(frame["args"]["seconds"])
                else:
                    self.assertEqual(frame["type"], "tool_trace")
                    self.assertIn(frame["result"]["slept"], started)
                    ended.append(frame["result"]["slept"])
            self.assertEqual(started, [seconds for _, seconds in made])
            self.assertEqual(sorted(ended), sorted(started))
        self.assertEqual(frames, [])
