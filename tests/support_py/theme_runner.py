"""Runs a folder's test_*.py against a binary: each file is a theme, in a process of its own."""

import argparse
import concurrent.futures
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent

MODULE_LIMIT = 900  # seconds; each test has a limit of its own far below it


class Run:
    """The tests of one file."""

    def __init__(self, folder, theme, binary, names):
        self.theme = theme
        self.began = time.monotonic()
        only = [argument for name in names for argument in ("-k", name)]
        self.process = subprocess.Popen(
            [sys.executable, "-B", "-m", "unittest", f"test_{theme}", *only], cwd=folder,
            env={**os.environ, "RUNNEL_BINARY": binary, "PYTHONPATH": str(HERE)},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")

    def passed(self):
        try:
            output, _ = self.process.communicate(timeout=MODULE_LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            output, _ = self.process.communicate()
            output += f"\nno end after {MODULE_LIMIT} s\n"
        passed = self.process.returncode == 0
        seconds = time.monotonic() - self.began
        summary = next((line for line in output.splitlines() if line.startswith("Ran ")), "")
        report = f"  {self.theme:<20} {'passed' if passed else 'FAILED'}  {seconds:6.1f} s  {summary}"
        told = [line for line in output.splitlines() if line.startswith(("SKIP:", "FIGURE:"))]
        print("\n".join([report, *told]) if passed else f"{report}\n{output}", flush=True)
        return passed


def arguments_of(description, themes):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--only", action="append", default=[], metavar="THEME")
    parser.add_argument("-k", action="append", default=[], metavar="NAME", dest="names",
                        help="only tests whose name has this in it")
    arguments = parser.parse_args()
    if not os.access(arguments.binary, os.X_OK):
        parser.error(f"{arguments.binary} is not an executable file")
    arguments.themes = [name.replace("-", "_") for name in arguments.only] or themes
    if unknown := sorted(set(arguments.themes) - set(themes)):
        parser.error(f"there is no {', '.join(unknown)}; there are: {', '.join(themes)}")
    return arguments


def main(folder, title, description, beside=(), at_once=1):
    """`beside` are themes that mostly wait: they run beside the others, which run `at_once` at a time."""
    themes = [path.stem.removeprefix("test_") for path in sorted(folder.glob("test_*.py"))]
    arguments = arguments_of(description, themes)
    binary = os.path.realpath(arguments.binary)

    def start(theme):
        return Run(folder, theme, binary, arguments.names)

    began = time.monotonic()
    background = [start(theme) for theme in arguments.themes if theme in beside]
    in_turn = [theme for theme in arguments.themes if theme not in beside]
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        results = list(pool.map(lambda theme: start(theme).passed(), in_turn))
    failed = [theme for theme, passed in zip(in_turn, results) if not passed]
    failed += [run.theme for run in background if not run.passed()]
    if failed:
        print(f"{title}: FAILED: {', '.join(failed)}", file=sys.stderr)
        return 1
    print(f"{title}: passed in {time.monotonic() - began:.0f} s")
    return 0
