"""The package on this machine: installed, used as its user, upgraded, removed, purged, and nothing left over."""

import grp
import os
import pwd
import shutil
import signal
import subprocess
import time
import unittest
from pathlib import Path

from pace import LIMIT
from packaged_service import PackagedService

PACKAGE = os.environ["RUNNEL_PACKAGE"]
UNIT = "/usr/lib/systemd/system/runnel.service"
CONFIG, SECRETS, DATA = Path("/etc/runnel/runnel.yaml"), Path("/etc/runnel/runnel.env"), Path("/var/lib/runnel")
ACCOUNTS = ("/etc/passwd", "/etc/group", "/etc/shadow", "/etc/gshadow")
# Where a package can leave something; dpkg's own notes are asked for by their name.
PLACES = ("/etc", "/usr", "/lib/systemd", "/var/lib", "/var/log", "/var/cache")
PAGES_OF_MAN = "/var/cache/man"  # which it keeps of what it has shown, and systemd-analyze has asked it


def is_known():
    done = subprocess.run(["dpkg-query", "-W", "runnel"], capture_output=True, check=False)
    return done.returncode == 0


def has_user():
    return any(entry.pw_name == "runnel" for entry in pwd.getpwall())


def why_not():
    """Why nothing can be installed here without harm; None where it can."""
    if os.geteuid() != 0:
        return "only root can install"
    if os.path.isdir("/run/systemd/system"):
        return "systemd runs here and would start the service"
    if is_known() or has_user() or CONFIG.parent.exists() or DATA.exists():
        return "Runnel is installed here, and a test must not touch it"
    return None


def traces():
    """Every path with the name in it, under the places where packages leave things."""
    found = []
    for place in PLACES:
        for folder, folders, files in os.walk(place):
            if folder == PAGES_OF_MAN:
                folders.clear()
            found += [os.path.join(folder, name) for name in folders + files if "runnel" in name]
    return sorted(found)


def accounts():
    return {name: Path(name).read_bytes() for name in ACCOUNTS}


def dpkg(*arguments):
    """Waits for whoever else is installing something."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"}
    until = time.monotonic() + 300
    while True:
        done = subprocess.run(["dpkg", *arguments], capture_output=True, text=True, env=environment, check=False,
                              stdin=subprocess.DEVNULL)
        if "lock" not in done.stderr or time.monotonic() > until:
            break
        time.sleep(1)
    assert done.returncode == 0, f"dpkg {' '.join(arguments)}:\n{done.stdout}{done.stderr}"


def purge():
    if is_known():
        dpkg("--purge", "runnel")


class InstallTest(unittest.TestCase):
    def setUp(self):
        if reason := why_not():
            print(f"SKIP: installing the package: {reason}")
            self.skipTest(reason)
        self.traces, self.accounts = traces(), accounts()
        self.addCleanup(purge)

    def as_user(self, *command):
        return subprocess.run(command, user="runnel", group="runnel", extra_groups=[], cwd="/", capture_output=True,
                              text=True, timeout=LIMIT, check=False, env={"PATH": os.environ["PATH"]})

    def test_it_comes_works_and_goes(self):
        dpkg("--install", PACKAGE)
        self.check_user_and_modes()
        self.check_unit()
        self.check_service()
        self.check_keys()
        self.check_upgrade()

        dpkg("--remove", "runnel")
        self.assertIsNone(shutil.which("runnel"))
        self.assertTrue(CONFIG.exists() and (DATA / "runnel.db").exists() and has_user(), "kept until it is purged")

        dpkg("--purge", "runnel")
        self.assertEqual(traces(), self.traces)
        self.assertEqual(accounts(), self.accounts)
        self.assertFalse(is_known())

    def check_user_and_modes(self):
        user = pwd.getpwnam("runnel")
        self.assertLess(user.pw_uid, 1000)
        self.assertEqual((user.pw_dir, user.pw_shell), (str(DATA), "/usr/sbin/nologin"))
        self.assertEqual(grp.getgrgid(user.pw_gid).gr_name, "runnel")
        facts = DATA.stat()
        self.assertEqual((facts.st_uid, facts.st_gid, facts.st_mode & 0o777), (user.pw_uid, user.pw_gid, 0o750))
        facts = SECRETS.stat()
        self.assertEqual((facts.st_uid, facts.st_gid, facts.st_mode & 0o777), (0, user.pw_gid, 0o640))
        self.assertEqual(self.as_user("test", "-r", SECRETS).returncode, 0)
        for file in (CONFIG, SECRETS, CONFIG.parent):
            self.assertNotEqual(self.as_user("test", "-w", file).returncode, 0)

    def check_unit(self):
        self.assertTrue(os.path.islink("/etc/systemd/system/multi-user.target.wants/runnel.service"), "enabled")
        if shutil.which("systemd-analyze"):
            man = [] if os.path.exists("/usr/share/man/man1/runnel.1.gz") else ["--man=no"]  # containers leave it out
            done = subprocess.run(["systemd-analyze", "verify", *man, UNIT], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def check_service(self):
        service = PackagedService(UNIT, user="runnel")
        self.addCleanup(service.kill)
        self.assertEqual(service.notice(), "READY=1")
        self.assertEqual(os.stat(f"/proc/{service.pid}").st_uid, pwd.getpwnam("runnel").pw_uid)
        self.assertEqual(os.stat(f"/proc/{service.pid}/environ").st_uid, 0, "not for its user to look into")
        self.assertEqual(service.ask("from the package"), "from the package")
        self.assertEqual(service.get("/healthz"), '{"status":"ok"}')
        service.signal(signal.SIGHUP)
        self.assertEqual(service.ask("after a reload"), "after a reload")
        service.signal(signal.SIGTERM)
        self.assertEqual(service.notice(), "STOPPING=1")
        self.assertEqual(service.wait(), 0, service.log())
        for folder, _, files in os.walk(DATA):
            for name in files:
                facts = os.stat(os.path.join(folder, name))
                self.assertEqual((pwd.getpwuid(facts.st_uid).pw_name, facts.st_mode & 0o077), ("runnel", 0), name)

    def check_keys(self):
        made = self.as_user("runnel", "keys", "create", "--config", CONFIG, "--name", "app")
        self.assertRegex(made.stdout, r"^rk-\w+\n$", made.stderr)

    def check_upgrade(self):
        """The administrator's changes stay, and so do the keys."""
        changed = CONFIG.read_text(encoding="utf-8") + "\ndrain_timeout: 10s\n"
        CONFIG.write_text(changed, encoding="utf-8")
        SECRETS.chmod(0o600)
        dpkg("--install", PACKAGE)
        self.assertEqual(CONFIG.read_text(encoding="utf-8"), changed)
        self.assertEqual(SECRETS.stat().st_mode & 0o777, 0o600)
        self.assertIn("app", self.as_user("runnel", "keys", "list", "--config", CONFIG).stdout)


if __name__ == "__main__":
    unittest.main()
