"""Simon Willison's llm with the gateway as a model of OpenAI's."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from gateway import FOREIGN, HELLO, KEY, V1


class Llm(unittest.TestCase):
    def ask(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            models = [{"model_id": "gateway", "model_name": f"{FOREIGN['openai']}/text", "api_base": V1}]
            # JSON is YAML, too.
            Path(folder, "extra-openai-models.yaml").write_text(json.dumps(models), encoding="utf-8")
            done = subprocess.run([sys.executable, "-m", "llm", "-m", "gateway", "--key", KEY, "-n", *arguments, "Hi"],
                                  env={**os.environ, "LLM_USER_PATH": folder}, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def test_a_prompt_is_answered_streamed_and_whole(self):
        self.assertEqual(self.ask(), HELLO)
        self.assertEqual(self.ask("--no-stream"), HELLO)
