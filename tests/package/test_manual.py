"""What --help says is in the manual page, and in what shells complete."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from runnel_process import run_command
from zsh_terminal import ZshTerminal

# A line of CLI11's help: "  -h,--help    Print …", "  --config FILE    The …", "  serve    Serve …".
OPTION = re.compile(r"^  ((?:-\w,)?--[\w-]+)", re.M)
COMMAND = re.compile(r"^  ([a-z][\w-]*) ", re.M)


def output_of(*arguments):
    done = run_command(*arguments)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def help_of(path=()):
    """Each command's path with its options and commands, as its own --help lists them."""
    text = output_of(*path, "--help")
    options = [name for names in OPTION.findall(text) for name in names.split(",")]
    _, _, listed = text.partition("\nSubcommands:\n")
    commands = COMMAND.findall(listed)
    found = {path: (options, commands)}
    for name in commands:
        found.update(help_of((*path, name)))
    return found


class ManualTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.help = help_of()
        cls.folder = tempfile.mkdtemp(prefix="runnel-manual-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        for shell in ("bash", "zsh", "fish"):
            Path(cls.folder, shell).write_text(output_of("completion", shell), encoding="utf-8")

    def need(self, program):
        if not shutil.which(program):
            print(f"SKIP: there is no {program}")
            self.skipTest(f"there is no {program}")

    def shell(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=self.folder, timeout=60,
                              env={"PATH": os.environ["PATH"], "HOME": self.folder, "LC_ALL": "C.UTF-8"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def assert_all_offered(self, offered_after):
        """`offered_after(line)`: the words that a shell offers behind it."""
        for path, (options, commands) in self.help.items():
            line = " ".join(("runnel", *path, ""))
            with self.subTest(line):
                self.assertLessEqual(set(commands), offered_after(line))
                self.assertLessEqual({name for name in options if name.startswith("--")}, offered_after(line + "--"))

    def test_help_has_been_read(self):
        self.assertIn("--listen", self.help[("serve",)][0])
        self.assertIn("create", self.help[("keys",)][1])
        self.assertIn("-h", self.help[("keys", "create")][0])

    def test_the_page_has_every_command_and_option(self):
        page = output_of("man").replace("\\-", "-")
        general = page[page.index(".SH OPTIONS"):page.index(".SH COMMANDS")]
        sections = dict(re.findall(r"^\.SS \\fBrunnel ([a-z -]+)\\fR(.*?)(?=^\.S[HS] )", page, re.M | re.S))
        for path, (options, _) in self.help.items():
            section = general + (sections[" ".join(path)] if path else "")
            for name in options:
                with self.subTest(path=path, name=name):
                    self.assertIn(f"\\fB{name}\\fR", section)

    def test_man_reads_the_page_without_a_warning(self):
        self.need("man")
        page = Path(self.folder, "runnel.1")
        page.write_text(output_of("man"), encoding="utf-8")
        shown = self.shell("man", "--warnings", "-E", "UTF-8", "-l", str(page))
        self.assertIn("EXIT STATUS", shown)

    def test_bash_offers_every_command_and_option(self):
        lines = [" ".join(("runnel", *path, "")) + begun for path in self.help for begun in ("", "--")]
        ask = ["compopt() { :; }; source ./bash"]
        for line in lines:
            words = line.split(" ")
            ask.append(f"COMP_WORDS=({' '.join(words[:-1])} '{words[-1]}') COMP_CWORD={len(words) - 1}; _runnel; "
                       'echo "${COMPREPLY[*]}"')
        offered = dict(zip(lines, self.shell("bash", "-c", "\n".join(ask)).splitlines()))
        self.assert_all_offered(lambda line: set(offered[line].split()))

    def test_fish_offers_every_command_and_option(self):
        self.need("fish")
        ask = "source ./fish; complete -C $argv[1]"
        self.assert_all_offered(lambda line: {row.split("\t")[0] for row in
                                              self.shell("fish", "--no-config", "-c", ask, line).splitlines()})

    def test_zsh_offers_every_command_and_option(self):
        self.need("zsh")
        zsh = ZshTerminal(self.folder, os.path.join(self.folder, "zsh"))
        self.addCleanup(zsh.close)
        self.assert_all_offered(zsh.offered_after)

    def test_values_that_are_known_are_offered(self):
        self.need("fish")
        ask = "source ./fish; complete -C $argv[1]"
        for line, value in (("runnel transcode --from ", "anthropic"), ("runnel transcode --to ", "timeline"),
                            ("runnel completion ", "zsh"), ("runnel check ", "zsh"), ("runnel keys create --kind ", "browser")):
            with self.subTest(line):
                offered = self.shell("fish", "--no-config", "-c", ask, line)
                self.assertIn(value, [row.split("\t")[0] for row in offered.splitlines()])


if __name__ == "__main__":
    unittest.main()
