"""How long the machine kept this process waiting: a limit of a few tenths of a second is not for that time."""

import threading
import time

PERIOD = 0.01
NOTICEABLE = 0.005  # waking up takes a little on an idle machine too


class Watch:
    """A thread that wants to run every few milliseconds, and notes when it could not."""

    def __init__(self):
        self._stalls = []  # (from, to), in order
        self._due = time.monotonic()
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        while True:
            self._due = time.monotonic() + PERIOD
            time.sleep(PERIOD)
            woken = time.monotonic()
            if woken - self._due > NOTICEABLE:
                self._stalls.append((self._due, woken))

    def seconds(self, since, until):
        # What asks may be awake again before the thread is.
        stalls = [*self._stalls, (self._due, time.monotonic())]
        total = 0.0
        for begin, end in reversed(stalls):
            if end < since:
                break
            total += max(0.0, min(end, until) - max(begin, since))
        return total


_watch = Watch()


def stalled(since, until=None):
    """So many of the seconds between these moments of time.monotonic() went by while nothing of this process ran."""
    return _watch.seconds(since, time.monotonic() if until is None else until)


def undisturbed(since, until=None):
    """The seconds between them without those."""
    until = time.monotonic() if until is None else until
    return until - since - stalled(since, until)
