"""on_terminal.py LOG PID_FILE PROGRAM ARGUMENTS…: runs a program as on a terminal, and keeps what it prints."""

import os
import pty
import sys

log_file, pid_file, *command = sys.argv[1:]
pid, terminal = pty.fork()
if pid == 0:
    os.execv(command[0], command)
with open(pid_file, "w", encoding="ascii") as file:
    file.write(str(pid))
with open(log_file, "wb", buffering=0) as log:
    try:
        while data := os.read(terminal, 1 << 16):
            log.write(data)
    except OSError:
        pass  # how the end of a terminal looks
os.waitpid(pid, 0)
