"""A real PostgreSQL on a free loopback port, with its data in a folder of its own."""

import glob
import os
import shutil
import signal
import subprocess
import tempfile
import time

from pace import LIMIT
from redis_process import free_port


def find_postgres():
    """The folder of its programs; None where it is not installed."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
    return os.path.dirname(found[-1]) if found else None


class PostgresProcess:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="runnel-postgres-")
        self.port = free_port()
        # It refuses to run as root.
        self._as_whom = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"] \
            if os.geteuid() == 0 else []
        if self._as_whom:
            shutil.chown(self.folder, "postgres", "postgres")
        self._programs = find_postgres()
        self._data = os.path.join(self.folder, "data")
        subprocess.run([*self._as_whom, self._programs + "/initdb", "-D", self._data, "-A", "trust", "-U", "runnel",
                        "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"],
                       cwd=self.folder, stdout=subprocess.DEVNULL, check=True)
        self._process = None
        self.start()
        self.url = f"postgres://runnel@127.0.0.1:{self.port}/postgres"

    def start(self):
        self._process = subprocess.Popen(
            [*self._as_whom, self._programs + "/postgres", "-D", self._data, "-p", str(self.port),
             "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off"],
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + LIMIT
        ready = [self._programs + "/pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        while subprocess.run(ready, check=False).returncode != 0:
            assert time.monotonic() < until, "postgres does not answer"
            time.sleep(0.02)

    def kill(self):
        """At once: what is under way is lost."""
        self.thaw()
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait()

    def freeze(self):
        """Connections stay open, and nobody answers on them; new ones are not served either."""
        self._signal(signal.SIGSTOP)

    def thaw(self):
        self._signal(signal.SIGCONT)

    def stop(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _signal(self, number):
        pid = self._process.pid
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as children:
            for process in [pid, *map(int, children.read().split())]:
                os.kill(process, number)
