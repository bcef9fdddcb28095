#!/usr/bin/env python3
"""An MCP server that tries what it is told to on the machine it runs on, and says what came of it: "did it", or the error's name."""

import ctypes
import errno
import fcntl
import json
import os
import resource
import socket
import sys
import termios

LIBC = ctypes.CDLL(None, use_errno=True)
PTRACE_ATTACH = 16
PROCESS_VM_READV, PIDFD_OPEN, PIDFD_GETFD = 310, 434, 438  # on x86-64


def checked(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "")
    return result


def read(path):
    with open(path, "rb") as file:
        return file.read(100).hex()


def write(path):
    with open(path, "ab") as file:
        file.write(b"x")


def link(path):
    """Another name for a file, where it may be read."""
    name = os.path.join(os.environ["TMPDIR"], "linked")
    os.link(path, name)
    read(name)


def move(path):
    os.rename(path, os.path.join(os.environ["TMPDIR"], "moved"))


def symlink(path):
    name = os.path.join(os.environ["TMPDIR"], "link-to-" + os.path.basename(path))
    os.symlink(path, name)
    read(name)


def trace(pid):
    checked(LIBC.ptrace(PTRACE_ATTACH, int(pid), 0, 0))


def peek(pid):
    class Vector(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]

    here = ctypes.create_string_buffer(8)
    local, remote = Vector(ctypes.addressof(here), 8), Vector(0x400000, 8)
    checked(LIBC.syscall(PROCESS_VM_READV, int(pid), ctypes.byref(local), 1, ctypes.byref(remote), 1, 0))


def take_descriptor(pid):
    process = checked(LIBC.syscall(PIDFD_OPEN, int(pid), 0))
    try:
        for number in range(3, 40):
            checked(LIBC.syscall(PIDFD_GETFD, process, number, 0))
    finally:
        os.close(process)


def kill(pid):
    os.kill(int(pid), 0)


def limit(pid):
    """Takes away what another process may have open: as good as its end."""
    before = resource.prlimit(int(pid), resource.RLIMIT_NOFILE)
    resource.prlimit(int(pid), resource.RLIMIT_NOFILE, before)


def slow_down(pid):
    os.sched_setscheduler(int(pid), os.SCHED_OTHER, os.sched_param(0))
    os.setpriority(os.PRIO_PROCESS, int(pid), 0)


def share_port(port):
    """Clients of another process of this user would come here."""
    with socket.socket() as made:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        made.bind(("127.0.0.1", int(port)))
        made.listen()


def listen(_):
    with socket.socket() as made:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(("127.0.0.1", 0))
        made.listen()


def type_at(terminal):
    """As if somebody had typed it, for the shell that comes next."""
    opened = os.open(terminal, os.O_RDWR | os.O_NOCTTY)
    try:
        fcntl.ioctl(opened, termios.TIOCSTI, b"x")
    finally:
        os.close(opened)


def overhear(terminal):
    """Opens it for what somebody types."""
    os.close(os.open(terminal, os.O_RDWR | os.O_NOCTTY))


def speak_to(path):
    with socket.socket(socket.AF_UNIX) as made:
        made.connect(path)
        made.sendall(b"GET /admin/v1/keys HTTP/1.1\r\nHost: x\r\n\r\n")
        return made.recv(100).decode() or "nothing"


def connect(port):
    socket.create_connection(("127.0.0.1", int(port)), 5).close()


def variables(_):
    return sorted(os.environ)


def descriptors(_):
    return sorted(name for name in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{name}"))


def user(_):
    return [os.getuid(), os.geteuid(), os.getgid(), os.getgroups()]


def parent(_):
    return os.getppid()


def run(what, target):
    try:
        return globals()[what](target) or "did it"
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error))


def answer(message):
    method = message.get("method")
    if method == "initialize":
        return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "h", "version": "1"}}
    if method == "tools/list":
        text = {"type": "string"}
        schema = {"type": "object", "properties": {"what": text, "target": text}}
        return {"tools": [{"name": name, "inputSchema": schema} for name in ("attempt", "calculator")]}
    if method == "tools/call":
        done = run(**message["params"]["arguments"])
        return {"content": [{"type": "text", "text": json.dumps(done)}]}
    return None


for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    result = answer(asked)
    reply = {"result": result} if result is not None else {"error": {"code": -32601, "message": "Method not found"}}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **reply}), flush=True)
