"""What the binary has, the docs name: commands, keys of the config, endpoints, kinds of providers, error codes, demo models. And what
they say of configs in passing is good, too."""

import json
import re
import subprocess
import tempfile
import unittest

import markdown
from client import get
from pace import BINARY
from runnel_process import RunnelProcess


def page(name):
    return (markdown.ROOT / name).read_text(encoding="utf-8")


# A config with a key that is not known is answered with those that are.
SECTIONS = ["UNKNOWN", "limits: {UNKNOWN}", "logs: {UNKNOWN}", "cache: {UNKNOWN}", "auth: {UNKNOWN}", "shared: {UNKNOWN}",
            "policy: {UNKNOWN}", "tls: {UNKNOWN}", "admin: {UNKNOWN}", "cors: {UNKNOWN}", "log: {UNKNOWN}",
            "prices: {m: {UNKNOWN}}", "teams: {t: {UNKNOWN}}", "tools: {t: {UNKNOWN}}", "guardrails: [{name: x, UNKNOWN}]",
            "providers: {p: {kind: ollama, UNKNOWN}}", "providers: {p: {kind: ollama, timeouts: {UNKNOWN}}}",
            "models: {m: {targets: [demo/echo], UNKNOWN}}", "models: {m: {targets: [demo/echo], limits: {UNKNOWN}}}"]
PAGES_OF_SECTIONS = {"tools": "docs/tools.md", "guardrails": "docs/guardrails.md"}


def keys_told_by(config):
    return re.search(r"the keys here are (.*)", problems_of(config.replace("UNKNOWN", "zzzzzzzzzzzz: 1")))[1].split(", ")


def problems_of(config):
    """What `runnel check` says of it."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(config + "\n")
        file.flush()
        return subprocess.run([BINARY, "check", file.name], capture_output=True, text=True, check=False).stderr


class Completeness(unittest.TestCase):
    def assert_names(self, name, things, form="`{}`"):
        missing = [thing for thing in things if form.format(thing) not in page(name)]
        self.assertTrue(things)
        self.assertEqual(missing, [], f"{name} does not name them")

    def test_every_command_is_on_the_command_lines_page(self):
        told = subprocess.run([BINARY, "--help"], capture_output=True, text=True, check=True).stdout
        commands = re.findall(r"^  ([a-z]+) ", told.partition("ommands:")[2], re.MULTILINE)
        self.assert_names("docs/command-line.md", commands, "runnel {}")

    def test_every_kind_of_provider_is_in_the_table_and_has_a_config(self):
        told = problems_of("providers: {p: {kind: none-of-them}}")
        kinds = re.search(r"is not one of ([^;\n]+)", told)[1].split(", ")
        self.assert_names("docs/configuration.md", kinds)
        aliases = {"llama-cpp", "llama.cpp", "lm-studio", "kimi", "demo"}
        self.assert_names("docs/providers.md", sorted(set(kinds) - aliases), "kind: {}")

    def test_every_key_of_the_config_is_explained(self):
        for config in SECTIONS:
            where = next((page for section, page in PAGES_OF_SECTIONS.items() if config.startswith(section)),
                         "docs/configuration.md")
            for key in keys_told_by(config):
                with self.subTest(config=config, key=key):
                    self.assertTrue(re.search(rf"[`.]{key}[`.:]", page(where)), f"{where} does not name it")

    def test_configs_in_the_running_text_are_good(self):
        ambiguous = {"data", "guardrails", "limits", "models", "tools"}  # of a frame, a request, a model …
        keys = set(keys_told_by("UNKNOWN")) - ambiguous
        for path in markdown.pages():
            for key, value in re.findall(r"`([a-z_]+): ([^`\n]+)`", markdown.without_fences(path.read_text(encoding="utf-8"))):
                if key in keys:
                    with self.subTest(page=markdown.name_of(path)):
                        self.assertNotRegex(problems_of(f"{key}: {value}"), r"\.yaml:\d+:\d+:")

    def test_every_error_code_is_explained(self):
        source = (markdown.ROOT / "src/base/error.cpp").read_text(encoding="utf-8")
        codes = sorted(set(re.findall(r'\{\d{3}, [^,]+, "(\w+)"\}', source)))
        self.assert_names("docs/errors.md", codes)

    def test_every_endpoint_is_documented(self):
        told = "".join(path.read_text(encoding="utf-8") for path in markdown.pages())
        for path in self.ask_gateway("/openapi.json")["paths"]:
            # What is under /admin/v1 and under /v1 is the same, of every key.
            forms = [re.sub(r"\\\{\w+\\\}", r"\\{\\w+\\}", re.escape(form)) for form in (path, path.removeprefix("/admin"))]
            with self.subTest(path=path):
                self.assertTrue(re.search("|".join(forms), told), "no page names it")

    def ask_gateway(self, path):
        runnel = RunnelProcess({})
        self.addCleanup(runnel.stop)
        return json.loads(get(runnel.port, path).body)

    def test_every_demo_model_is_in_the_readme(self):
        listed = self.ask_gateway("/v1/models")["data"]
        self.assert_names("README.md", [model["id"] for model in listed if model["id"].startswith("demo/")])


if __name__ == "__main__":
    unittest.main()
