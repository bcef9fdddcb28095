"""A page of Markdown as the tests see it: its blocks of code and the marks between them, its headings, its links."""

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

FENCE = re.compile(r"^( *)(`{3,})\s*(\S*)")
LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.*?) *#*$")


@dataclass
class Block:
    """A block of code."""

    language: str
    text: str
    line: int
    reason_not_to_run: str | None = None
    file: str | None = None  # the name under which it is kept


@dataclass
class Mark:
    """An HTML comment that tells the test something: `<!-- word: what -->`."""

    word: str
    what: str
    line: int


MARK_WORDS = ("checked, not run", "saved as", "gateway", "file", "run first", "provider answers",
              "the config above answers")
MARK = re.compile(rf"^ *<!-- ({'|'.join(MARK_WORDS)}):? ?(.*?) *-->\s*$", re.DOTALL)


def pages():
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def name_of(page):
    return str(page.relative_to(ROOT))


def language_of_indented(text):
    """Indented blocks can't say what they are, so they are what they look like."""
    for beginning, language in (("$ ", "console"), ("curl ", "sh"), ("runnel ", "text"), ("data: ", "sse"), (": ", "sse"),
                                ("{", "json")):
        if text.startswith(beginning):
            return language
    return ""


def items_of(text):
    """The blocks and marks of a page, in their order."""
    lines = text.split("\n")
    found = []
    at = 0
    while at < len(lines):
        begin, line = at, lines[at]
        at += 1
        if fence := FENCE.match(line):
            while not re.match(rf"^ *{fence[2]} *$", lines[at]):
                at += 1
            body = textwrap.dedent("\n".join(lines[begin + 1 : at]))
            at += 1
            found.append(Block(fence[3], body, begin + 1))
        elif line.lstrip().startswith("<!--"):
            while "-->" not in lines[at - 1]:
                at += 1
            comment = "\n".join(lines[begin:at])
            mark = MARK.match(comment)
            found.append(Mark(mark[1], mark[2], begin + 1) if mark else Mark("", comment, begin + 1))
        elif line.startswith("    ") and line.strip() and (begin == 0 or not lines[begin - 1].strip()):
            while at < len(lines) and (lines[at].startswith("    ") or not lines[at].strip()):
                at += 1
            body = textwrap.dedent("\n".join(lines[begin:at])).rstrip("\n")
            if not re.match(r"[-*] |\d+\. ", body):  # a list in a list
                found.append(Block(language_of_indented(body), body, begin + 1))
    return with_marks_on_blocks(found)


def with_marks_on_blocks(items):
    """`checked, not run` and `saved as` are about the block behind them."""
    kept = []
    reason = file = None
    for item in items:
        if isinstance(item, Mark) and item.word == "checked, not run":
            reason = item.what
        elif isinstance(item, Mark) and item.word == "saved as":
            file = item.what
        else:
            if isinstance(item, Block):
                item.reason_not_to_run, item.file, reason, file = reason, file, None, None
            kept.append(item)
    return kept


def without_fences(text):
    """The prose: blocks can hold what looks like links and headings."""
    return re.sub(r"^( *)(`{3,})[^\n]*\n.*?^ *\2 *$", "", text, flags=re.DOTALL | re.MULTILINE)


def links_of(text):
    """So can `code`; but a link may have code in its words."""
    prose = re.sub(r"`[^`\n]*`", lambda code: code[0].replace("[", "(").replace("]", ")"), without_fences(text))
    return LINK.findall(prose)


def anchors_of(text):
    """The anchors that GitHub makes of headings."""
    made = []
    for line in without_fences(text).split("\n"):
        if heading := HEADING.match(line):
            words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).lower()
            slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
            again = sum(1 for other in made if re.fullmatch(rf"{re.escape(slug)}(-\d+)?", other))
            made.append(f"{slug}-{again}" if again else slug)
    return made
