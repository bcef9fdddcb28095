"""One bash for a whole page, so that what a reader sets in one block is there in the next."""

import os
import queue
import signal
import subprocess
import threading
import time

COMMAND_LIMIT = 60  # seconds


def is_whole(command):
    """Whether bash would run it rather than ask for another line."""
    if command.rstrip("\n").endswith("\\"):
        return False
    return syntax_problem(command) is None


def syntax_problem(command):
    read = subprocess.run(["bash", "-n"], input=command, capture_output=True, text=True, check=False)
    return None if read.returncode == 0 and "here-document" not in read.stderr else read.stderr.strip()


def commands_of(lines):
    """The commands of a script, each with all its lines."""
    found = []
    pending = []
    for line in lines:
        if not pending and (not line.strip() or line.lstrip().startswith("#")):
            continue
        pending.append(line)
        if is_whole("\n".join(pending)):
            found.append("\n".join(pending))
            pending = []
    return found + (["\n".join(pending)] if pending else [])


def session_of(text):
    """A session as (command, output) pairs: a command follows `$ `."""
    found = []
    command, output = None, []
    for line in text.split("\n"):
        if command is not None and not is_whole("\n".join(command)):
            command.append(line)
        elif line.startswith("$ "):
            if command is not None:
                found.append(("\n".join(command), "\n".join(output)))
            command, output = [line[2:]], []
        else:
            output.append(line)
    if command is not None:
        found.append(("\n".join(command), "\n".join(output)))
    return found


class Shell:
    def __init__(self, folder, environment):
        self._process = subprocess.Popen(
            ["bash", "--noprofile", "--norc"], cwd=folder, env=environment, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
        self._lines = queue.SimpleQueue()
        self._ends = 0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def run(self, command):
        """(what it printed, its exit status)."""
        self._ends += 1
        end = f"end-of-command-{self._ends}"
        self._process.stdin.write(f"{{\n{command}\n}} </dev/null\nprintf '\\n%s %d\\n' {end} $?\n")
        self._process.stdin.flush()
        printed = []
        deadline = time.monotonic() + COMMAND_LIMIT
        while True:
            try:
                line = self._lines.get(timeout=max(0.01, deadline - time.monotonic()))
            except queue.Empty:
                self.close()
                return "".join(printed) + f"\n(no end after {COMMAND_LIMIT} s)", -1
            if line is None:
                return "".join(printed) + "\n(the shell ended)", -1
            if line.startswith(f"{end} "):
                return "".join(printed).removesuffix("\n"), int(line.split()[1])
            printed.append(line)

    def close(self):
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._process.wait()
        self._process.stdin.close()
        self._reader.join()
        self._process.stdout.close()
