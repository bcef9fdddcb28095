"""A real redis-server on a free loopback port, with its data in a folder of its own."""

import os
import shutil
import socket
import subprocess
import tempfile
import time

from pace import LIMIT


def find_redis():
    return shutil.which("redis-server")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class RedisProcess:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="runnel-redis-")
        self.port = free_port()
        self._process = None
        self.start()

    @property
    def url(self):
        return f"redis://127.0.0.1:{self.port}"

    def start(self):
        self._process = subprocess.Popen(
            [find_redis(), "--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.folder,
             "--appendonly", "yes", "--appendfsync", "always", "--save", ""],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + LIMIT
        while time.monotonic() < until:
            try:
                with socket.create_connection(("127.0.0.1", self.port), 1) as link:
                    link.sendall(b"PING\r\n")
                    if link.recv(16).startswith(b"+PONG"):
                        return
            except OSError:
                pass
            time.sleep(0.02)
        raise AssertionError("redis-server does not answer")

    def kill(self):
        self._process.kill()
        self._process.wait()

    def forget(self):
        """All that it knew, while it does not run."""
        shutil.rmtree(self.folder)
        os.mkdir(self.folder)

    def stop(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
