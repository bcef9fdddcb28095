"""An interactive zsh on a terminal of its own, asked what it would complete."""

import os
import pty
import re
import select
import signal
import time

from pace import LIMIT

# compadd is where zsh's completion functions hand in what they offer; those with -O, -A or -D only look.
SETUP = r"""
PROMPT=
LISTMAX=10000
autoload -U compinit
compinit -u -D
source "$1"
bindkey '^I' complete-word
begin_offers() { print; compprefuncs=(begin_offers) } # zsh forgets both each time
end_offers() { print -- '>>>'; comppostfuncs=(end_offers) }
compprefuncs=(begin_offers)
comppostfuncs=(end_offers)
compadd() {
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return $?; fi
    local -a offered
    builtin compadd -A offered "$@"
    print -r -- "<$offered>"
    builtin compadd "$@"
}
print READY
"""


class ZshTerminal:
    def __init__(self, folder, script):
        """The script lets zsh complete something; the folder is for what this writes."""
        setup = os.path.join(folder, "setup.zsh")
        with open(setup, "w", encoding="utf-8") as file:
            file.write(SETUP)
        self._pid, self._terminal = pty.fork()
        if self._pid == 0:
            os.chdir(folder)
            os.execvpe("zsh", ["zsh", "-f", "-i"], {"PATH": os.environ["PATH"], "HOME": folder, "TERM": "dumb",
                                                    "LC_ALL": "C.UTF-8"})
        self._write(f"source {setup} {script}\n")
        self._read_until("\nREADY")

    def _write(self, text):
        os.write(self._terminal, text.encode())

    def _read_until(self, mark):
        text, until = "", time.monotonic() + LIMIT
        while mark not in text:
            left = until - time.monotonic()
            assert left > 0 and select.select([self._terminal], [], [], left)[0], f"zsh said only:\n{text}"
            text += os.read(self._terminal, 65536).decode("utf-8", "replace")
        return text

    def offered_after(self, line):
        """The words that Tab offers behind the line."""
        self._write("\x15" + line + "\t")  # Ctrl-U: what was asked before is forgotten
        text = self._read_until(">>>")
        return {word for words in re.findall(r"^<([^<>]*)>", text, re.M) for word in words.split()}

    def close(self):
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        os.close(self._terminal)
