"""Every config that docs/resilience.md shows is one that Runnel takes."""

import re
import tempfile
import unittest
from pathlib import Path

from runnel_process import run_command

PAGE = Path(__file__).resolve().parents[2] / "docs/resilience.md"
VARIABLE = re.compile(r"\$\{(\w+)\}")


def configs():
    text = PAGE.read_text(encoding="utf-8")
    return [block[1] for block in re.finditer(r"^```yaml\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)]


class DocumentedConfigs(unittest.TestCase):
    def test_there_are_some(self):
        self.assertGreater(len(configs()), 5)

    def test_each_of_them_passes_the_check(self):
        for config in configs():
            with self.subTest(config.splitlines()[-1]), tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
                file.write(config)
                file.flush()
                keys = {name: "key" for name in VARIABLE.findall(config)}
                done = run_command("check", file.name, **keys)
                self.assertEqual(done.returncode, 0, (done.stdout + done.stderr).decode())
