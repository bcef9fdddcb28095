"""How long something took, as far as one can tell on a machine that may be busy."""

from pace import scaled
from stalls import stalled

LATE = 0.1 + scaled(0.3)  # what such a machine may add
EARLY = 0.01 + scaled(0.03)  # and take away, where the beginning is noticed late


class Lapse:
    """Between two moments of time.monotonic()."""

    def __init__(self, begin, end):
        self.seconds = end - begin
        self._least = self.seconds - stalled(begin, end)
        self._most = self.seconds + stalled(begin - 1, begin)

    def __repr__(self):
        return f"{self.seconds:.3f} s"

    def can_be(self, least, most):
        return self._most >= least - EARLY and self._least <= most + LATE

    def can_be_shorter_than(self, seconds):
        return self._least < seconds
