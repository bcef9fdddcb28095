"""What the docs say is printed, against what is: the same, but for what is different every time."""

import difflib
import re

# What varies, and the word that stands for it on both sides.
VARIES = [
    (re.compile(r"\r"), ""),
    (re.compile(r"\b(chatcmpl|resp|req|key|srv|sess)([-_])[A-Za-z0-9]{12,}"), r"\1\2ID"),
    (re.compile(r"\b(rk|pk)-[A-Za-z0-9]{20,}"), r"\1-SECRET"),
    (re.compile(r"\b(rk|pk)-\w{4}\.\.\.\w{4}"), r"\1-MASKED"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)"), "TIME"),
    (re.compile(r"\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} [\d:]{8} GMT"), "TIME"),
    (re.compile(r"""(["']?)(created|reset)\1: ?\d{10}""", re.IGNORECASE), r"\2:SECONDS"),
    (re.compile(r"(-Reset): \d{10}", re.IGNORECASE), r"\1: SECONDS"),
    (re.compile(r'(_ms"?[:=] ?)\d+(\.\d+)?'), r"\1NUMBER"),
    (re.compile(r"\b\d+(\.\d+)? ms\b"), "NUMBER ms"),
    (re.compile(r"(Content-Length): \d+", re.IGNORECASE), r"\1: NUMBER"),
    (re.compile(r" {2,}"), "  "),  # columns are as wide as what is in them
]


# What a page shows once and has the reader use again.
NAMES = re.compile(r"\b(?:(?:chatcmpl|req|key)[-_]|[rp]k-)[A-Za-z0-9]{12,}")


def names_that_came(expected, actual):
    """Which id stands for which: the page's own, and those that came in their places."""
    shown, came = NAMES.findall(expected), NAMES.findall(actual)
    return dict(zip(shown, came)) if len(shown) == len(came) else {}


def settled(text):
    for pattern, word in VARIES:
        text = pattern.sub(word, text)
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))


def pattern_of(expected):
    """… on a line of its own is any lines, … elsewhere is anything on that line."""
    parts = []
    for line in settled(expected).split("\n"):
        if line.strip() == "…":
            parts.append(r"(?:[^\n]*\n)*?")
        else:
            parts.append("[^\n]*".join(re.escape(piece) for piece in line.split("…")) + "\n")
    return re.compile("".join(parts))


def difference(expected, actual):
    """Nothing where they agree; else both, for people."""
    if pattern_of(expected).fullmatch(settled(actual) + "\n"):
        return None
    lines = difflib.unified_diff(settled(expected).split("\n"), settled(actual).split("\n"),
                                 "the page says", "what came", lineterm="")
    return "\n".join(lines)
