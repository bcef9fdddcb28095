"""An example as its user starts it: one command, what it prints, and a Ctrl-C that leaves nothing behind."""

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import client
from pace import BINARY, LIMIT, scaled

REPOSITORY = Path(__file__).resolve().parents[2]
README = (REPOSITORY / "examples" / "README.md").read_text(encoding="utf-8")
USUAL_URL = "http://127.0.0.1:8080"

START_LIMIT = 90 + scaled(5)  # npx may fetch a server first
STOP_LIMIT = 10 + scaled(3)
READY = "Ctrl-C ends it."
LISTENING = re.compile(r"listening on (http://127\.0\.0\.1:\d+)")

sys.path.insert(0, str(REPOSITORY / "examples" / "support"))
from example import end_with_us


def fields_of(pid):
    """State, parent and more of a process, as /proc tells them; nothing where it is gone."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    return stat.rpartition(")")[2].split()


def descendants_of(pid):
    parents = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        if fields := fields_of(name):
            parents.setdefault(int(fields[1]), []).append(int(name))
    found, waiting = set(), [pid]
    while waiting:
        children = set(parents.get(waiting.pop(), [])) - found
        found |= children
        waiting += children
    return found


def is_alive(pid):
    fields = fields_of(pid)
    return fields is not None and fields[0] != "Z"


class ExampleProcess:
    def __init__(self, name, **environment):
        kept = {key: value for key, value in os.environ.items() if not key.upper().endswith(("_PROXY", "_API_KEY"))}
        self._lines = []
        self._process = subprocess.Popen(
            [REPOSITORY / "examples" / name / "run", "--port", "0"], env={**kept, "RUNNEL": BINARY, **environment},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            start_new_session=True, preexec_fn=end_with_us)
        self._ready = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._ready.wait(START_LIMIT)
        if not self._is_up():
            self.kill()
            raise AssertionError(f"examples/{name}/run did not come up:\n{self.output()}")
        self.url = self.printed(LISTENING)
        self.port = int(self.url.rpartition(":")[2])

    def _read(self):
        with self._process.stdout as output:
            for line in output:
                self._lines.append(line)
                if self._is_up():
                    self._ready.set()
        self._ready.set()  # it ended: there is no more to wait for

    def _is_up(self):
        """Both the script and Runnel have said so, in any order: they are two processes that print to one place."""
        return READY in self.output() and LISTENING.search(self.output()) is not None

    def output(self):
        return "".join(self._lines)

    def printed(self, pattern):
        return re.search(pattern, self.output())[1]

    def started(self):
        """The processes that are there because of it."""
        return descendants_of(self._process.pid)

    def stop(self, number=signal.SIGINT):
        """Ctrl-C ends it and all that it started, with status 0."""
        started = self.started()
        try:
            if self._process.poll() is None:
                self._process.send_signal(number)
            status = self._process.wait(STOP_LIMIT)
            assert status == 0, f"exit status {status}:\n{self.output()}"
            left = [pid for pid in started if is_alive(pid)]
            assert client.eventually(lambda: not any(map(is_alive, left)), 5), f"processes are left: {left}"
        finally:
            self.kill(started)

    def kill(self, started=()):
        for pid in (*started, self._process.pid):
            if is_alive(pid):
                os.kill(pid, signal.SIGKILL)
        self._process.wait(LIMIT)
        self._reader.join(LIMIT)

    def run_shell(self, command, page=None):
        """What a command of the README prints here, where other ports are taken than there."""
        command = command.replace(USUAL_URL, self.url)
        if page:
            command = re.sub(r"http://127\.0\.0\.1:8091/\S+\.html", page, command)
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=LIMIT * 2, check=False)
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        return done.stdout


def blocks_of(section, language):
    """The fenced code of one section of the README."""
    body = re.split(r"^## ", README, flags=re.M)
    text = next(part for part in body if part.startswith(section))
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.M | re.S)
