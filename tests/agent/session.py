"""runnel_mcp_session as the tests use it: commands in, what came of them out."""

import itertools
import json
import os
import subprocess
import threading

from pace import BINARY, LIMIT
from sockets_of import connections_of


class Session:
    def __init__(self, *arguments, options=()):
        self._process = subprocess.Popen(
            [BINARY, *itertools.chain.from_iterable(options), *map(str, arguments)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1)
        self.pid = self._process.pid
        self._numbers = itertools.count(1)
        self._answers = {}
        self._arrived = threading.Condition()
        self.log = []  # the lines of stderr: objects, or text where they are none
        self._readers = [threading.Thread(target=read, daemon=True) for read in (self._read_answers, self._read_log)]
        for reader in self._readers:
            reader.start()

    def _read_answers(self):
        for line in self._process.stdout:
            answer = json.loads(line)
            with self._arrived:
                self._answers[answer.pop("tag", None)] = answer
                self._arrived.notify_all()

    def _read_log(self):
        for line in self._process.stderr:
            try:
                self.log.append(json.loads(line))
            except ValueError:
                self.log.append({"event": "no log line", "message": line})

    def _command(self, text):
        self._process.stdin.write(text + "\n")
        self._process.stdin.flush()

    def begin_list(self):
        tag = f"t{next(self._numbers)}"
        self._command(f"list {tag}")
        return tag

    def begin_call(self, name, arguments=None):
        tag = f"t{next(self._numbers)}"
        text = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
        self._command(f"call {tag} {name} {text}")
        return tag

    def wait(self, tag, within=2 * LIMIT):
        with self._arrived:
            if not self._arrived.wait_for(lambda: tag in self._answers, within):
                raise TimeoutError(f"no answer to {tag} within {within} s; log: {self.log}")
            return self._answers.pop(tag)

    def list(self):
        return self.wait(self.begin_list())

    def names(self):
        answer = self.list()
        return [tool["name"] for tool in answer["tools"]] if "tools" in answer else answer

    def call(self, name, arguments=None):
        return self.wait(self.begin_call(name, arguments))

    def stop(self, tag):
        self._command(f"stop {tag}")

    def drop(self):
        """Lets the source go; the process stays."""
        self._command("drop")

    def abandon(self):
        """Ends the process as it is, in the middle of whatever it does."""
        self._command("abandon")

    def close(self):
        """Ends it, and says how it ended."""
        self._process.stdin.close()
        try:
            self._process.wait(LIMIT)
        finally:
            self._process.kill()
            for reader in self._readers:
                reader.join(1)
            self._process.stdout.close()
            self._process.stderr.close()
        return self._process.returncode

    def warnings(self):
        return [line.get("message", "") for line in self.log if line.get("level") == "warning"]

    def connections(self):
        return [one for one in connections_of(self.pid) if one.state != "CLOSE"]

    def children(self):
        return processes(lambda status: status["PPid"] == str(self.pid))


def processes(wanted):
    """The pids of the processes whose /proc/PID/status is wanted."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/status", encoding="utf-8") as file:
                status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
        except (FileNotFoundError, ProcessLookupError):
            continue
        if wanted(status):
            found.append(int(name))
    return found


def is_alive(pid):
    return bool(processes(lambda status: status["Pid"] == str(pid) and not status["State"].startswith("Z")))
