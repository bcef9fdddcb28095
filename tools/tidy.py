#!/usr/bin/env python3
"""Checks what no compiler checks: who includes whom, file sizes, names, leftovers.

Usage: tools/tidy.py [FOLDER]      the repository to check; this one by default

Prints FILE:LINE: message for each finding and exits with 1 if there is any.
"""

import os
import re
import sys
from pathlib import Path

# Where it stands what each folder of src/ may include besides itself: folders, or single headers of one.
LAYERS_PAGE = "docs/architecture.md"
LAYERS_ROW = re.compile(r"^\| `([\w.]+)/?` \|.*\| ([^|]+) \|$", re.MULTILINE)

# Headers under tests/ that unit tests share.
TEST_SUPPORT = "support"

# Sockets and TLS stay in the shell: the core is bytes in, bytes out. Of OpenSSL it may have hashes and randomness.
IO_FOLDERS = {"http", "tools", "storage", "exchange", "server", "app", "cli", "main.cpp"}
IO_HEADER = re.compile(
    r"boost/(asio|beast)|openssl/(?!(?:crypto|evp|rand)\.h)|sys/(socket|epoll|un)\.h|netinet/|arpa/|netdb\.h|poll\.h"
)

# The log must know whether anybody reads stderr.
MAY_POLL = "src/base/log.cpp"

# A task started anywhere else could outlive what it uses.
MAY_CO_SPAWN = re.compile(r"src/http/(task_group|server/listener)\.[ch]pp$")

LINES_MAX = 600
SOURCE_SUFFIXES = {".cpp", ".hpp", ".py", ".js", ".mjs", ".ts", ".tsx", ".css", ".sh", ".cmake"}

VAGUE_NAME = re.compile(r"(?:.*_)?(?:utils?|commons?|managers?|helpers?)|contexts?")

# The patterns are written so that this file does not match them.
MACHINE_PATH = re.compile(r"(?<![\w.~$}/-])/(?:home|root|Users|work)/[\w.]")
OPEN_END = re.compile(r"\b(?:FIX[M]E|X[X]X)\b|\bTO[D]O\b(?!\((?:perf|security|test|someday)\): \S)")

# Neither ours nor written by hand.
SKIPPED_FOLDERS = {".git", "build", "data", "node_modules", "__pycache__", ".venv", "out", "dist"}
RECORDED = re.compile(r"(^|/)(fixtures|corpus)/")
SKIPPED_FILES = {"package-lock.json", "LICENSE"}

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
USING = re.compile(r"^\s*using (?:\w+::)+(\w+);")
COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def files_of(root):
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS)
        for name in sorted(names):
            path = Path(folder, name)
            if name not in SKIPPED_FILES and path.is_file() and not path.is_symlink():
                yield path.relative_to(root).as_posix()


def blank_comments_and_strings(text):
    """The same text, line by line, with nothing but code in it."""
    return COMMENT_OR_STRING.sub(lambda match: "\n" * match[0].count("\n"), text)


def read_layers(root):
    """Folder of src/ -> what it may include, from the table under "## Folders"."""
    text = (root / LAYERS_PAGE).read_text(encoding="utf-8")
    section = text.split("## Folders", 1)[-1].split("\n## ", 1)[0]
    return {folder: may.replace("–", "").split() for folder, may in LAYERS_ROW.findall(section)}


def check_includes(name, lines, layers):
    layer = name.split("/")[1]
    if layer not in layers:
        yield 1, f"src/{layer} is not in the table of folders ({LAYERS_PAGE})"
        return
    allowed = layers[layer]
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        ours, theirs = match.groups()
        polls = theirs == "poll.h" and name == MAY_POLL
        if theirs and IO_HEADER.match(theirs) and layer not in IO_FOLDERS and not polls:
            yield number, f"<{theirs}> in {layer}: sockets and TLS belong to {sorted(IO_FOLDERS)}"
        if not ours:
            continue
        folder = ours.split("/")[0]
        if name.endswith("_test.cpp") and folder == TEST_SUPPORT:
            continue
        if "/" not in ours or folder not in layers:
            yield number, f'"{ours}": name a header by its path under src/'
        elif folder != layer and "all" not in allowed and not {folder, ours} & set(allowed):
            yield number, f"{layer} may not include {folder} (it may: {', '.join(allowed) or 'nothing'})"


def check_co_spawn(name, text):
    if name.endswith("_test.cpp") or MAY_CO_SPAWN.search(name):
        return
    for number, line in enumerate(blank_comments_and_strings(text).splitlines(), 1):
        if re.search(r"\bco_spawn\b", line):
            yield number, "co_spawn: start tasks through http/task_group"


def check_using(name, text):
    """clang-tidy reads many files as one: there another file's use would do."""
    if not name.endswith(".cpp"):
        return
    code = blank_comments_and_strings(text)
    for number, line in enumerate(code.splitlines(), 1):
        if (match := USING.match(line)) and len(re.findall(rf"\b{match[1]}\b", code)) == 1:
            yield number, f"nothing here uses '{match[1]}'"


def check_file(name, text, layers):
    lines = text.splitlines()
    path = Path(name)
    is_source = path.suffix in SOURCE_SUFFIXES or text.startswith("#!")
    if is_source and len(lines) > LINES_MAX:
        yield LINES_MAX, f"{len(lines)} lines; past {LINES_MAX} a file is two files"
    stem = re.sub(r"_(test|bench|fuzz)$", "", path.stem)
    if is_source and VAGUE_NAME.fullmatch(stem):
        yield 1, f"'{stem}' says nothing: name the file after what is in it"
    for number, line in enumerate(lines, 1):
        if MACHINE_PATH.search(line):
            yield number, "an absolute path of one machine"
        if OPEN_END.search(line):
            yield number, "a loose end: mend it, or write its kind and a sentence (CONTRIBUTING.md)"
    if name.startswith("src/") and path.suffix in {".cpp", ".hpp"}:
        yield from check_includes(name, lines, layers)
        yield from check_co_spawn(name, text)
        yield from check_using(name, text)


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    layers = read_layers(root)
    count, findings = 0, 0
    for name in files_of(root):
        if RECORDED.search(name):
            continue
        try:
            text = (root / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # not text
        count += 1
        for line, message in check_file(name, text, layers):
            findings += 1
            print(f"{name}:{line}: {message}")
    print(f"{count} files, {findings} findings" if findings else f"{count} files, clean")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
