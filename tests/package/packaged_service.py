"""The service as its unit file says it, started without systemd."""

import json
import os
import re
import shlex
import socket
import subprocess
import threading
import urllib.request
from pathlib import Path

from pace import LIMIT

LISTENING = re.compile(r"listening on http://127\.0\.0\.1:(\d+)")


def settings_of(unit):
    """The keys of a unit file; the last one counts, as for those that are no lists."""
    lines = Path(unit).read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def variables_of(file):
    lines = Path(file).read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


class PackagedService:
    """Runs ExecStart on a free port, as the user that is named, or as whoever this is; `root` is where the package is."""

    def __init__(self, unit, root="", user=None, more_arguments=()):
        said = settings_of(unit)
        command = [root + word if word.startswith("/") else word for word in shlex.split(said["ExecStart"])]
        self._manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._manager.settimeout(LIMIT)
        name = f"runnel-package-test-{os.getpid()}"
        self._manager.bind("\0" + name)
        as_whom = {"user": user, "group": user, "extra_groups": []} if user else {}
        self._process = subprocess.Popen(
            [*command, "--listen", "127.0.0.1:0", *more_arguments], **as_whom,
            umask=int(said["UMask"], 8), cwd=said["WorkingDirectory"] if user else "/",
            env={**variables_of(root + said["EnvironmentFile"].removeprefix("-")), "NOTIFY_SOCKET": "@" + name},
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self._lines = []
        self._found_port = threading.Event()
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self._reader.start()
        self._found_port.wait(LIMIT)
        listening = LISTENING.search(self.log())
        if not listening:
            self.kill()
            raise AssertionError(f"the service does not start:\n{self.log()}")
        self.url = f"http://127.0.0.1:{listening[1]}"

    def _read_log(self):
        with self._process.stderr as log:
            for line in log:
                self._lines.append(line)
                if LISTENING.search(line):
                    self._found_port.set()
        self._found_port.set()  # it ended: there is no more to wait for

    def log(self):
        return "".join(self._lines)

    @property
    def pid(self):
        return self._process.pid

    def notice(self):
        """What the service manager is told next."""
        return self._manager.recv(1000).decode()

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=LIMIT) as answer:
            return answer.read().decode()

    def ask(self, text):
        """What the demo model answers to a text."""
        body = {"model": "demo/echo", "messages": [{"role": "user", "content": text}]}
        request = urllib.request.Request(self.url + "/v1/chat/completions", json.dumps(body).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=LIMIT) as answer:
            return json.load(answer)["choices"][0]["message"]["content"]

    def signal(self, number):
        self._process.send_signal(number)

    def wait(self):
        status = self._process.wait(LIMIT)
        self._reader.join(LIMIT)
        return status

    def kill(self):
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait(LIMIT)
        self._reader.join(LIMIT)
        self._manager.close()
