"""What becomes of each kind of block: how it is run or read, and what counts as a problem."""

import json
import os
import re
import shutil
import subprocess
import sys

import expected
import markdown
import shell
from pace import BINARY

SDK = markdown.ROOT / "tests" / "sdk"
PYTHON_WITH_SDK = markdown.ROOT / "build" / "sdk-venv" / "bin" / "python"
SCRIPT_LIMIT = 60  # seconds

# A config in a page need not repeat who its providers are.
USUAL_PROVIDERS = """
providers:
  openai: {kind: openai, api_key: docs}
  anthropic: {kind: anthropic, api_key: docs}
  claude: {kind: anthropic, api_key: docs}
  gemini: {kind: gemini, api_key: docs}
  local: {kind: openai-compatible, base_url: "http://127.0.0.1:8000/v1"}
"""

VARIABLE = re.compile(r"\$\{([A-Z][A-Z0-9_]*)\}")


class Skipped(Exception):
    """It can't be run here, and why."""


def completed(config):
    """A config that is whole: one without providers gets the usual ones."""
    return config if re.search(r"^providers:", config, re.MULTILINE) else config + "\n" + USUAL_PROVIDERS


def check_config(world, text):
    printed, status = world.run(f"runnel check {world.put_config('checked', completed(text))}")
    return None if status == 0 else printed


def check_json(text):
    """One value, or one on each line."""
    try:
        json.loads(text)
    except ValueError:
        try:
            for line in text.split("\n"):
                if line.strip():
                    json.loads(line)
        except ValueError as problem:
            return f"not JSON: {problem}"
    return None


def check_frames(text):
    """Comments, `data: {…}`, `data: [DONE]`; a line … stands for frames that are left out."""
    for line in text.split("\n"):
        if not line or line.startswith(":") or line in ("data: [DONE]", "…"):
            continue
        if not line.startswith("data: "):
            return f"not a frame: {line}"
        if problem := check_json(line.removeprefix("data: ")):
            return f"{problem}\n{line}"
    return None


def check_synopsis(text):
    """`runnel COMMAND [--option]…`: the options must be there."""
    problems = []
    for line in text.split("\n"):
        command = re.match(r"runnel ([a-z]+)", line)
        if not command:
            continue
        told = subprocess.run([BINARY, command[1], "--help-all"], capture_output=True, text=True, check=False)
        if told.returncode != 0:
            problems.append(f"there is no 'runnel {command[1]}'")
        problems += [f"runnel {command[1]} has no {option}" for option in re.findall(r"--[a-z-]+", line)
                     if option not in told.stdout]
    if re.search(r"^(\$ |curl |\./dev )", text, re.MULTILINE):
        problems.append("commands are in a `sh` block, or with what they print in a `console` block")
    return "\n".join(problems) or None


def run_session(world, text):
    """Each command after `$ `; where output is shown, it is compared, else the command must succeed."""
    pairs = shell.session_of(text)
    if not pairs:
        return "a session has commands after `$ `"
    problems = []
    for command, shown in pairs:
        if (file := re.fullmatch(r"cat ([\w.-]+)", command)) and shown.strip():
            world.put_file(file[1], shown.strip("\n") + "\n")  # `cat FILE` shows a file that the reader has
            continue
        printed, status = world.run(command)
        if shown.strip():
            if difference := expected.difference(shown, printed):
                problems.append(f"$ {command}\n{difference}")
            world.learn(expected.names_that_came(shown, printed))
        elif status != 0:
            problems.append(f"$ {command}\nexit status {status}\n{printed}")
    return "\n".join(problems) or None


def ask(world, model):
    """Whether the gateway has an answer to a request for this model."""
    body = json.dumps({"model": model, "stream": True, "messages": [{"role": "user", "content": "Hi"}]})
    printed, _ = world.run(f"curl http://127.0.0.1:8080/v1/chat/completions -d '{body}'")
    whole = '"content":"lo"' in printed and printed.rstrip().endswith("data: [DONE]")
    return None if whole else f"{model} does not answer:\n{printed}"


def run_script(world, text):
    """(what all commands printed, the problem)."""
    printed_by_all = []
    for command in shell.commands_of(text.split("\n")):
        printed, status = world.run(command)
        printed_by_all.append(printed)
        if status != 0:
            return "".join(printed_by_all), f"$ {command}\nexit status {status}\n{printed}"
    return "".join(printed_by_all), None


def run_program(world, arguments, name, text):
    if "127.0.0.1:8080" in text and (problem := world.need_gateway()):
        return "", problem
    world.put_file(name, world.here(text))
    done = subprocess.run([*arguments, name], cwd=world.folder, env=world.environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SCRIPT_LIMIT, check=False)
    printed = world.there(done.stdout.decode("utf-8", "replace"))
    return printed, None if done.returncode == 0 else f"exit status {done.returncode}\n{printed}"


def run_javascript(world, text):
    for package in re.findall(r"from '((?:@[\w-]+/)?[\w-]+)'", text):
        if not (SDK / "node_modules" / package).is_dir():
            raise Skipped(f"the npm package {package} is not in tests/sdk/node_modules; tests/sdk/run gets it")
    if not shutil.which("node"):
        raise Skipped("node is not there")
    modules = os.path.join(world.folder, "node_modules")
    if not os.path.exists(modules):
        os.symlink(SDK / "node_modules", modules)
    return run_program(world, ["node"], "block.mjs", text)


def run_python(world, text):
    if not re.search(r"^(from|import) openai", text, re.MULTILINE):
        return run_program(world, [sys.executable], "block.py", text)
    if not PYTHON_WITH_SDK.exists():
        raise Skipped("the PyPI package openai is not in build/sdk-venv; tests/sdk/run gets it")
    return run_program(world, [str(PYTHON_WITH_SDK)], "block.py", text)


def syntax_problem(block):
    """For what is not run: whether it could be."""
    if block.language == "sh":
        return shell.syntax_problem(block.text)
    if block.language == "console":
        found = [shell.syntax_problem(command) for command, _ in shell.session_of(block.text)]
        return "\n".join(filter(None, found)) or None
    if block.language == "python":
        try:
            compile(block.text, "block.py", "exec")
        except SyntaxError as problem:
            return str(problem)
    if block.language == "json":
        return check_json(block.text)
    return None


RUN = {"sh": run_script, "js": run_javascript, "python": run_python}
READ = {"json": check_json, "jsonl": check_json, "sse": check_frames, "text": check_synopsis}
