"""How much slower than a release build the binary under test may be, and what that makes of a time limit."""

import os

BINARY = os.environ.get("RUNNEL_BINARY", "")


def sanitizer():
    """Which sanitizer the binary was built with: "address", "thread" or none."""
    if not BINARY:
        return ""
    with open(BINARY, "rb") as file:
        code = file.read()
    if b"__tsan_init" in code:
        return "thread"
    return "address" if b"__asan_init" in code else ""


SANITIZER = sanitizer()
SCALE = float(os.environ.get("RUNNEL_E2E_SCALE", {"address": 3, "thread": 8}.get(SANITIZER, 1)))


def scaled(seconds):
    return seconds * SCALE


# For what must happen within a fifth of a second; a busy machine adds to it.
NOTICED = 0.1 + scaled(0.3)

# For what must happen at all: long enough for a busy machine, short enough not to hang a run.
LIMIT = 30 + scaled(10)
