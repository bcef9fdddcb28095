"""Which TCP connections a process has open, as the kernel knows them."""

import os
from dataclasses import dataclass

STATES = {"01": "ESTABLISHED", "02": "SYN_SENT", "03": "SYN_RECV", "04": "FIN_WAIT1", "05": "FIN_WAIT2",
          "06": "TIME_WAIT", "07": "CLOSE", "08": "CLOSE_WAIT", "09": "LAST_ACK", "0A": "LISTEN", "0B": "CLOSING"}


@dataclass(frozen=True)
class TcpConnection:
    local_port: int
    remote_port: int
    state: str


def connections_of(pid):
    """Of IPv4."""
    own = _socket_inodes(pid)
    with open("/proc/net/tcp", encoding="ascii") as table:
        rows = [line.split() for line in table][1:]
    return [TcpConnection(_port(row[1]), _port(row[2]), STATES[row[3]]) for row in rows if row[9] in own]


def _port(address):
    return int(address.split(":")[1], 16)


def _socket_inodes(pid):
    inodes = set()
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            link = os.readlink(f"/proc/{pid}/fd/{name}")
        except FileNotFoundError:
            continue
        if link.startswith("socket:["):
            inodes.add(link[len("socket:[") : -1])
    return inodes
