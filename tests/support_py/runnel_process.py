"""The binary under test as a process: started on a free port in a folder of its own, watched, and ended by its pid."""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading

from pace import BINARY, LIMIT, SANITIZER, scaled

SANITIZER_REPORT = re.compile(
    r"(AddressSanitizer|LeakSanitizer|ThreadSanitizer|UndefinedBehaviorSanitizer|runtime error:)")

# What streams may take to end after SIGTERM, and what that makes of the process's end.
DRAIN_SECONDS = 5
STOP_LIMIT = DRAIN_SECONDS + 15 + scaled(5)
START_LIMIT = 45 + scaled(15)  # many guardrails take a sanitizer build on a busy machine half a minute

# Who may administer the gateways under test; "admin": {} in a config is one without a token.
ADMIN_TOKEN = "let-me-in-to-test"

LISTENING = re.compile(r"listening on https?://[\w.:\[\]]+:(\d+)")


def environment(**more):
    """No key and no proxy of the surrounding shell may change what the tests see."""
    kept = {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}
    return {**kept, "ASAN_OPTIONS": "detect_leaks=1:detect_stack_use_after_return=1:quarantine_size_mb=16",
            "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
            "TSAN_OPTIONS": "halt_on_error=0:second_deadlock_stack=1", **more}


def run_command(*arguments, stdin=b"", **more_environment):
    """Runs a command of the binary to its end, in a folder of its own: what it leaves there goes with it."""
    with tempfile.TemporaryDirectory(prefix="runnel-e2e-") as folder:
        done = subprocess.run([BINARY, *arguments], input=stdin, capture_output=True, timeout=LIMIT * 2, cwd=folder,
                              env=environment(**more_environment), check=False)
    report = SANITIZER_REPORT.search(done.stderr.decode("utf-8", "replace"))
    assert not report, done.stderr.decode("utf-8", "replace")
    return done


class RunnelProcess:
    def __init__(self, config, arguments=(), port=0, host="127.0.0.1", descriptors=None, **more_environment):
        """`descriptors`: how many it may have open (ulimit -n)."""
        self.folder = tempfile.mkdtemp(prefix="runnel-e2e-")
        self.config_file = os.path.join(self.folder, "runnel.yaml")
        named = []
        if config is not None:  # with none, what the environment offers is served
            self.write_config(config)
            named = ["--config", self.config_file]
        self._lines = []
        limited = ["prlimit", f"--nofile={descriptors}:{descriptors}"] if descriptors else []
        self._process = subprocess.Popen(
            [*limited, BINARY, "serve", *named, "--listen", f"{host}:{port}", *arguments],
            cwd=self.folder, env=environment(**more_environment), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self._found_port = threading.Event()
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self._reader.start()
        self.port = None
        self._found_port.wait(START_LIMIT)
        listening = LISTENING.search(self.log())
        if not listening:
            self.kill()
            raise AssertionError(f"runnel does not listen:\n{self.log()}")
        self.port = int(listening[1])

    def write_config(self, config):
        """For a reload; the process does not look by itself."""
        common = {"data": os.path.join(self.folder, "data"), "threads": 1, "drain_timeout": f"{DRAIN_SECONDS}s",
                  "admin": {"token": ADMIN_TOKEN}}
        with open(self.config_file, "w", encoding="utf-8") as file:
            json.dump({**common, **config}, file)  # JSON is YAML

    @property
    def admin_socket(self):
        """By which the admin comes, without a token."""
        return os.path.join(self.folder, "data", "admin.sock")

    def remove_config(self):
        os.remove(self.config_file)

    def _read_log(self):
        with self._process.stderr as log:
            for line in log:
                self._lines.append(line.decode("utf-8", "replace"))
                if LISTENING.search(self._lines[-1]):
                    self._found_port.set()
        self._found_port.set()  # it ended: there is no more to wait for

    @property
    def pid(self):
        return self._process.pid

    def log(self):
        return "".join(self._lines)

    def log_of(self, request_id):
        """The lines that are about this request."""
        return [json.loads(line) for line in list(self._lines) if request_id in line]

    def open_files(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def resident_bytes(self):
        with open(f"/proc/{self.pid}/status", encoding="ascii") as status:
            return 1024 * int(re.search(r"VmRSS:\s+(\d+)", status.read())[1])

    def assert_well(self):
        assert self._process.poll() is None, f"ended with {self._process.returncode}:\n{self.log()}"
        assert not SANITIZER_REPORT.search(self.log()), self.log()

    def signal(self, number):
        self._process.send_signal(number)

    def wait(self, seconds):
        """The exit status; an error when the process has not ended by then."""
        status = self._process.wait(seconds)
        self._reader.join(LIMIT)
        return status

    def stop(self):
        """SIGTERM must end it, with status 0 and with nothing for a sanitizer to report."""
        try:
            if self._process.poll() is None:
                self.signal(signal.SIGTERM)
            status = self.wait(STOP_LIMIT)
            assert not SANITIZER_REPORT.search(self.log()), self.log()
            assert status == 0, f"exit status {status}:\n{self.log()}"
        finally:
            self.kill()

    def kill(self):
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait(LIMIT)
        shutil.rmtree(self.folder, ignore_errors=True)


# Address sanitizer keeps freed memory, thread sanitizer a shadow of it all.
MEMORY_SCALE = {"address": 6, "thread": 12}.get(SANITIZER, 1)
