"""Whom Runnel is measured beside: installs and configures them, and writes the list of targets."""

import json
import os
import secrets
import shutil
import subprocess
import sys
from string import Template

LITELLM = "litellm[proxy]==1.106.2"
INSTALL_SECONDS_MAX = 900
MOCK = "http://127.0.0.1:9100"

# As a user would write it; everything not named here is as by default.
RUNNEL_CONFIG = Template("""\
data: "$data"
providers:
  mock:  {kind: openai, base_url: "$mock/v1", api_key: k}
  mockc: {kind: anthropic, base_url: "$mock", api_key: k}
models:
  gpt-mock:    {targets: [mock/gpt-mock]}
  claude-mock: {targets: [mockc/claude-mock]}
""")

LITELLM_CONFIG = Template("""\
model_list:
  - model_name: gpt-mock
    litellm_params: {model: openai/gpt-mock, api_base: "$mock/v1", api_key: k}
  - model_name: claude-mock
    litellm_params: {model: anthropic/claude-mock, api_base: "$mock", api_key: k}
general_settings: {master_key: $key}
""")


class Missing(Exception):
    """Why a peer cannot take part; what comes after "it"."""


def chat_apis(headers=()):
    """One endpoint; the model's name decides whose format is spoken upstream."""
    models = {"openai": "gpt-mock", "anthropic": "claude-mock"}
    path = "/v1/chat/completions"
    return {
        api: {"path": path, "model": model, "headers": list(headers)}
        for api, model in models.items()
    }


def install(what, command, folder):
    print(f"Installing {what}", flush=True)
    try:
        done = subprocess.run(
            command, cwd=folder, text=True, timeout=INSTALL_SECONDS_MAX,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
    except FileNotFoundError:
        raise Missing(f"needs {command[0]}") from None
    except subprocess.TimeoutExpired:
        raise Missing(f"was not installed within {INSTALL_SECONDS_MAX} s") from None
    if done.returncode:
        said = done.stdout.strip().splitlines() or [f"exit status {done.returncode}"]
        raise Missing(f"could not be installed: {said[-1]}")


def runnel(folder, binary):
    config = folder / "peers/runnel.yaml"
    data = folder / "peers/run/runnel-data"
    shutil.rmtree(data, ignore_errors=True)  # no run begins with the requests of another
    config.write_text(RUNNEL_CONFIG.substitute(mock=MOCK, data=data))
    url = "127.0.0.1:9300"
    command = [str(binary), "serve", "--config", str(config), "--listen", url, "--threads", "1"]
    return {"name": "runnel", "url": f"http://{url}", "cmd": command, "apis": chat_apis()}


def nginx(listed):
    program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
    if not program:
        raise Missing("is not there; ./dev bench installs it, or:  apt-get install nginx-light")
    return listed | {"cmd": [program, *listed["cmd"][1:]]}


def portkey(listed, folder):
    if not (folder / "peers/portkey/node_modules/@portkey-ai/gateway").exists():
        command = ["npm", "install", "--no-audit", "--no-fund"]
        install("Portkey (npm)", command, folder / "peers/portkey")
    return listed


def litellm(folder):
    home = folder / "peers/litellm"
    home.mkdir(exist_ok=True)
    stamp = home / "installed"
    if not stamp.exists() or stamp.read_text() != LITELLM:
        install("a Python environment", [sys.executable, "-m", "venv", "venv"], home)
        pip = [home / "venv/bin/pip", "install", "--disable-pip-version-check", "--retries", "1"]
        install("LiteLLM (PyPI, 750 MB)", [*pip, "--timeout", "15", LITELLM], home)
        stamp.write_text(LITELLM)
    # It does not start without a key that its clients must send.
    key = "sk-" + secrets.token_hex(32)
    (home / "config.yaml").write_text(LITELLM_CONFIG.substitute(mock=MOCK, key=key))
    command = ["venv/bin/litellm", "--config", "config.yaml", "--host", "127.0.0.1"]
    return {
        "name": "litellm",
        "url": "http://127.0.0.1:9206",
        "warm": 6,
        "cwd": str(home),
        # Its price list would be fetched from the network; its log for production is errors only.
        "env": {
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "LITELLM_LOG": "ERROR",
            "LITELLM_MODE": "PRODUCTION",
        },
        "cmd": [*command, "--port", "9206", "--num_workers", "1", "--telemetry", "False"],
        "apis": chat_apis([f"authorization: Bearer {key}"]),
    }


def prepare(folder, binary, wanted):
    """Writes the list of targets, `direct` first; returns its path. Leaves out who can't be had."""
    entries = json.loads((folder / "peers/targets.json").read_text())
    listed = {entry["name"]: entry for entry in entries}
    known = {
        "runnel": lambda: runnel(folder, binary),
        "nginx": lambda: nginx(listed["nginx"]),
        "portkey": lambda: portkey(listed["portkey"], folder),
        "litellm": lambda: litellm(folder),
    }
    targets = [listed["direct"]]
    for name in wanted:
        try:
            if name in known:
                targets.append(known[name]())
            elif name in listed:
                targets.append(listed[name])
            else:
                raise Missing(f"is unknown; there are {', '.join(known | listed)}")
        except Missing as reason:
            print(f"Without {name}: it {reason}.")
    path = folder / "out/targets.json"
    path.write_text(json.dumps(targets, indent=1))
    return path
