"""A command at a terminal of its own: what it shows, and what somebody types."""

import errno
import os
import pty
import re
import select
import signal
import termios
import time

from pace import BINARY, LIMIT
from runnel_process import SANITIZER_REPORT, environment

STYLE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    def __init__(self, *arguments, **more_environment):
        variables = environment(TERM="xterm", **more_environment)
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            os.execve(BINARY, [BINARY, *arguments], variables)
        self._shown = b""
        self._seen = 0  # up to here, somebody has looked for something
        self._status = None

    @property
    def shown(self):
        """Everything so far, with its escapes."""
        return self._shown.decode("utf-8", "replace")

    @property
    def text(self):
        """The same as people see it."""
        return STYLE.sub("", self.shown).replace("\r", "")

    def type(self, text):
        os.write(self._fd, text.encode())

    def enter(self, text):
        self.type(text + "\r")

    def press_control(self, letter):
        self.type(chr(ord(letter) - ord("A") + 1))

    @property
    def edits_lines(self):
        """Whether the terminal itself does, as it is while no program asks for single keys."""
        return bool(termios.tcgetattr(self._fd)[3] & termios.ICANON)

    def wait_for(self, wanted, within=LIMIT):
        """Reads until `wanted` is shown behind what was waited for before."""
        deadline = time.monotonic() + within
        while True:
            at = self.text.find(wanted, self._seen)
            if at >= 0:
                self._seen = at + len(wanted)
                return
            assert time.monotonic() < deadline, f"{wanted!r} is not shown: {self.text!r}"
            assert self._read(0.05) or self.text.find(wanted, self._seen) >= 0, \
                f"it ended before it showed {wanted!r}: {self.text!r}"

    def wait_for_end(self, within=LIMIT):
        """Its exit status."""
        deadline = time.monotonic() + within
        while self._read(0.05):
            assert time.monotonic() < deadline, f"it does not end: {self.text!r}"
        self._reap(0)
        assert not SANITIZER_REPORT.search(self.shown), self.shown
        return os.waitstatus_to_exitcode(self._status)

    def close(self):
        if self._status is None:
            os.kill(self.pid, signal.SIGKILL)
            self._reap(0)
        os.close(self._fd)

    def _reap(self, options):
        if self._status is None:
            self._status = os.waitpid(self.pid, options)[1]

    def _read(self, seconds):
        """False when nothing more will come."""
        if not select.select([self._fd], [], [], seconds)[0]:
            return True
        try:
            piece = os.read(self._fd, 65536)
        except OSError as error:  # the other side is gone
            assert error.errno == errno.EIO, error
            piece = b""
        self._shown += piece
        return bool(piece)
