"""The research assistant, with a page beside it and the file server from npm (examples/research)."""

import json
import shutil
import subprocess
import sys
import unittest

from example_process import REPOSITORY, START_LIMIT, blocks_of
from example_test import ExampleTest, frames_of

CONFIG = (REPOSITORY / "examples" / "research" / "runnel.yaml").read_text(encoding="utf-8")
PACKAGE = "@modelcontextprotocol/server-filesystem@" + CONFIG.partition("server-filesystem@")[2].partition('"')[0]


def can_be_fetched():
    if not shutil.which("npx"):
        return False
    fetch = ["npm", "exec", "--yes", f"--package={PACKAGE}", "--", "node", "--eval", "0"]
    try:
        done = subprocess.run(fetch, capture_output=True, stdin=subprocess.DEVNULL, timeout=START_LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


class ResearchTest(ExampleTest):
    name = "research"

    @classmethod
    def setUpClass(cls):
        if not can_be_fetched():
            print(f"SKIP: the research assistant: npx can't fetch {PACKAGE}", file=sys.stderr)
            raise unittest.SkipTest(f"npx can't fetch {PACKAGE}")
        super().setUpClass()
        cls.page = cls.example.printed(r"(http://\S+/rivers\.html)")

    def curl(self, number):
        return self.example.run_shell(blocks_of("Research", "sh")[number], self.page)

    def test_the_readmes_question_takes_a_page_and_a_file(self):
        frames = frames_of(self.curl(0))
        tools = [frame["servertool"] for frame in frames if "servertool" in frame]
        self.assertEqual([(tool["name"], tool["state"]) for tool in tools],
                         [(name, state) for name in ("fetch_url", "read_text_file")
                          for state in ("Created", "Running", "Completed")])
        text = "".join(choice["delta"].get("content", "") for frame in frames for choice in frame["choices"])
        self.assertIn("The Danube is 2,850 km long", text)
        self.assertIn("notes of last spring", text)

    def test_the_readmes_question_about_the_folder(self):
        answer = json.loads(self.curl(1))["choices"][0]["message"]["content"]
        self.assertIn("[FILE] rivers.txt", answer)

    def test_files_elsewhere_are_refused(self):
        response = self.ask(model="researcher", stream=False, text="read ../runnel.yaml")
        self.assertIn("Access denied", response.json()["choices"][0]["message"]["content"])


if __name__ == "__main__":
    unittest.main()
