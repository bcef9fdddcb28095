"""What a client must see, and what the targets must have been asked: the right-hand side of the fault table."""

from dataclasses import dataclass
from typing import Optional

from behaviours import PART

# Seconds between two attempts, from and to. The pauses between retries are random within a band that doubles.
AT_ONCE = (0, 0)
PAUSE_1 = (0.1, 0.2)
PAUSE_2 = (0.2, 0.4)
PAUSE_3 = (0.4, 0.8)


@dataclass(frozen=True)
class Answer:
    """The complete answer of this target, under its name."""
    by: str
    text: Optional[str] = None  # its own words, where nothing else is said
    finish: str = "stop"


@dataclass(frozen=True)
class Refusal:
    """An HTTP status with the error as its body."""
    status: int
    code: str
    retry_after: Optional[str] = None


@dataclass(frozen=True)
class Broken:
    """A stream that shows what came and says that it is not all: an error frame, then [DONE]."""
    code: str
    text: str = PART


@dataclass(frozen=True)
class Outcome:
    sees: object  # Answer, Refusal or Broken
    asked: str  # the targets by name, in order: "A A B"
    gaps: tuple = ()  # one (from, to) per gap between them
    attempts: Optional[int] = None  # where there are some that no target noticed
