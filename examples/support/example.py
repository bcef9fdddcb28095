"""What the examples' run scripts share: Runnel with the example's config, small servers beside it, and a clean end.

Runnel is $RUNNEL if that is set, else build/release/runnel, which is built if it is not there.
"""

import argparse
import ctypes
import functools
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
START_SECONDS = 30
TOOLS_SECONDS = 90  # npx may have to fetch a server first
STOP_SECONDS = 8
PR_SET_PDEATHSIG = 1


def runnel_binary():
    named = os.environ.get("RUNNEL")
    if named:
        if not os.access(named, os.X_OK):
            sys.exit(f"$RUNNEL is {named}, which is not an executable file.")
        return str(Path(named).resolve())
    built = REPOSITORY / "build" / "release" / "runnel"
    if not built.exists():
        subprocess.run([REPOSITORY / "dev", "build"], check=True)
    return str(built)


def free_port(wanted):
    """That port, or with 0 any; another Runnel there would share it, and answer half of the questions."""
    try:
        with socket.create_server(("127.0.0.1", wanted)) as taken:
            return taken.getsockname()[1]
    except OSError as error:
        sys.exit(f"Port {wanted} can't be had ({os.strerror(error.errno)}). Choose another: --port 9000")


def end_with_us():
    """In the child: however this script ends, Runnel ends too."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class QuietFiles(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Example:
    def __init__(self, run_file, description):
        self.folder = Path(run_file).resolve().parent
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("--port", type=int, default=8080, help="where Runnel listens (8080); 0 takes a free one")
        wanted = parser.parse_args().port
        self.port = free_port(wanted)
        self.wants_usual_ports = wanted != 0
        self.url = f"http://127.0.0.1:{self.port}"
        self._stopped = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: self._stopped.set())

    def serve_beside(self, handler, usual_port=0):
        """A small server in this process; its URL. Another port than the usual one where that is taken."""
        server = None
        if usual_port and self.wants_usual_ports:
            try:
                server = ThreadingHTTPServer(("127.0.0.1", usual_port), handler)
            except OSError:
                pass
        server = server or ThreadingHTTPServer(("127.0.0.1", 0), handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}"

    def serve_files_beside(self, folder, usual_port=0):
        return self.serve_beside(functools.partial(QuietFiles, directory=str(folder)), usual_port)

    def run(self, next_steps, **environment):
        """Serves until Ctrl-C, or until Runnel ends by itself; the exit status."""
        (REPOSITORY / "build" / "examples" / self.folder.name).mkdir(parents=True, exist_ok=True)
        runnel = subprocess.Popen(
            [runnel_binary(), "serve", "--config", "runnel.yaml", "--listen", f"127.0.0.1:{self.port}"],
            cwd=self.folder, env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for this script, which then ends Runnel
            preexec_fn=end_with_us)
        try:
            if self._answers(runnel, "/healthz", START_SECONDS):
                print("\nStarting the tools …", flush=True)
                if self._answers(runnel, "/v1/tools", TOOLS_SECONDS):
                    print(f"\n{next_steps.strip()}\n\nCtrl-C ends it.\n", flush=True)
            while runnel.poll() is None and not self._stopped.wait(0.2):
                pass
            return runnel.poll() or 0
        finally:
            self._end(runnel)

    def _answers(self, runnel, path, seconds):
        """True once it answers; false where it has ended, or was told to."""
        deadline = time.monotonic() + seconds
        problem = "nothing listens"
        while runnel.poll() is None and not self._stopped.is_set():
            try:
                urllib.request.urlopen(self.url + path, timeout=seconds).close()
                return True
            except urllib.error.HTTPError as error:
                problem = error.read().decode("utf-8", "replace")
            except OSError as error:
                problem = str(error)
            if time.monotonic() > deadline:
                sys.exit(f"{self.url}{path} does not answer: {problem}")
            self._stopped.wait(0.1)
        return False

    def _end(self, runnel):
        if runnel.poll() is not None:
            return
        runnel.terminate()
        try:
            runnel.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            runnel.kill()
            runnel.wait()
