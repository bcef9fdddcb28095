"""Programs that the gateway starts, MCP servers, and other neighbours on its machine: what they can get hold of."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from attack_table import AttackTest, attack
from client import Client, eventually, get
from gateway_test import LimitedTest
from pace import BINARY, LIMIT
from runnel_process import LISTENING, START_LIMIT, environment
from terminal import Terminal
from tools_test import call, calls, says

SERVER = str(Path(__file__).resolve().parent / "hostile_mcp_server.py")
NOBODY = 65534


def landlock_version():
    import ctypes
    return max(ctypes.CDLL(None).syscall(444, None, 0, 1), 0)


HAS_LANDLOCK = landlock_version() >= 1
HAS_SCOPES = landlock_version() >= 6


class ToolProgramTest(AttackTest):
    sandbox = None
    program = {}

    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory(prefix="runnel-shared-")
        cls.addClassCleanup(cls.shared.cleanup)
        Path(cls.shared.name, "given").mkdir()
        cls.secret = Path(cls.shared.name, "key-of-a-provider")
        cls.secret.write_text("sk-from-a-file\n", encoding="utf-8")
        cls.secret.chmod(0o600)
        program = {"command": "python3", "args": [SERVER], "env": {"GIVEN": "this"}, **cls.program}
        if cls.sandbox is not None:
            program["sandbox"] = cls.given_sandbox()
        cls.config = {"tools": {"hostile": {"mcp": program, "hook_key": {"file": str(cls.secret)}}},
                      "models": {"m": {"targets": ["local/m"], "tools": ["hostile"]}}}
        super().setUpClass()

    @classmethod
    def given_sandbox(cls):
        return cls.sandbox

    def attempt(self, what, target=""):
        self.upstream.forget()
        arguments = json.dumps({"what": what, "target": str(target)})
        self.upstream.play(calls(call("attempt", arguments)), says("done"))
        response = self.ask(model="m")
        self.assertEqual(response.status, 200, response.body)
        told = [message["content"] for message in self.upstream.requests[-1].json()["messages"]
                if message["role"] == "tool"]
        return json.loads(told[0])

    def assert_fails(self, what, target):
        self.assertIn(self.attempt(what, target), ("EACCES", "EPERM", "EXDEV", "ENOSYS", "ESRCH"), f"{what} {target}")

    def own(self, name):
        return os.path.join(self.runnel.folder, name)


class NamesOfTools(ToolProgramTest):
    """What a server calls its tools is the server's to say."""

    def run_tool(self, name, **arguments):
        client = self.connect()
        client.request("POST", "/v1/tools/execute", json.dumps({"tool": name, "args": arguments}).encode(),
                       {"Content-Type": "application/json"})
        return client.response().json()

    @attack("upstream", "a tool with the name of one that the gateway has", "it is not called in its place")
    def test_a_name_that_is_taken(self):
        self.assertEqual(self.run_tool("calculator", expression="6*7")["result"], 42)
        self.assertEqual(self.run_tool("hostile_calculator", what="parent", target="")["result"], str(self.runnel.pid))


@unittest.skipUnless(HAS_LANDLOCK, "this kernel has no Landlock")
class UsualSandbox(ToolProgramTest):
    @attack("upstream", "an MCP server on this machine reads /proc/GATEWAY/environ, mem, maps and fd", "it may not")
    def test_proc_of_the_gateway(self):
        self.assertEqual(self.attempt("parent"), self.runnel.pid)
        for name in ("environ", "mem", "maps", "auxv", "stack", "fd/0", "root/etc/hostname", "cwd/runnel.yaml"):
            self.assert_fails("read", f"/proc/{self.runnel.pid}/{name}")
        self.assert_fails("write", f"/proc/{self.runnel.pid}/mem")

    @attack("upstream", "it traces the gateway, reads its memory, takes its descriptors", "it may not")
    def test_tracing(self):
        for what in ("trace", "peek", "take_descriptor"):
            self.assert_fails(what, self.runnel.pid)

    @unittest.skipUnless(HAS_SCOPES, "this kernel's Landlock knows nothing of signals")
    @attack("upstream", "it sends the gateway a signal", "it may not")
    def test_signals(self):
        self.assert_fails("kill", self.runnel.pid)

    @attack("upstream", "it sets the gateway's limits and its priority", "it may not")
    def test_limits_of_the_gateway(self):
        for what in ("limit", "slow_down"):
            self.assert_fails(what, self.runnel.pid)

    @attack("upstream", "it listens on the gateway's port too, and would get clients with their keys (SO_REUSEPORT)", "it may not")
    def test_the_port_of_the_gateway(self):
        self.assert_fails("share_port", self.runnel.port)
        self.assertEqual(self.attempt("listen"), "did it")

    @attack("upstream", "it reads and writes the journal in shared memory: prompts, the ledger", "it may not")
    def test_the_journal_in_shared_memory(self):
        journals = [path for path in Path("/dev/shm").glob("runnel-journal-*") if Path(path, "of").exists()
                    and self.own("data") in Path(path, "of").read_text(encoding="utf-8")]
        self.assertEqual(len(journals), 1)
        files = [path for path in journals[0].rglob("*") if path.is_file()]
        self.assertGreater(len(files), 1)
        for path in files:
            for what in ("read", "write", "move"):
                self.assert_fails(what, path)
        self.assert_fails("write", journals[0] / "new")

    @attack("upstream", "it reads, links, moves and writes the gateway's config, data and secrets", "it may not")
    def test_files_of_the_gateway(self):
        Path(self.own(".env")).write_text("OPENAI_API_KEY=sk-live\n", encoding="utf-8")
        data = [path for path in Path(self.own("data")).rglob("*") if path.is_file()]
        self.assertTrue(data)
        for path in [*data, self.own("runnel.yaml"), self.secret]:
            for what in ("read", "link", "symlink", "write", "move"):
                self.assert_fails(what, path)
        self.assert_fails("write", self.own("data/new"))
        self.assert_fails("read", f"/proc/self/root{self.own('runnel.yaml')}")

    @attack("upstream", "it speaks to sockets of this machine, among them the gateway's for administrators", "it may not")
    def test_local_sockets(self):
        self.assert_fails("speak_to", self.own("data/admin.sock"))

    @attack("upstream", "it looks at what it has inherited", "the config's variables, no key, and three pipes")
    def test_what_it_inherits(self):
        variables = self.attempt("variables")
        self.assertIn("GIVEN", variables)
        self.assertLessEqual(set(variables), {"GIVEN", "PATH", "HOME", "LANG", "TMPDIR", "LC_ALL", "LC_CTYPE"})
        self.assertEqual(self.attempt("descriptors"), ["0", "1", "2"])

    def test_what_programs_need_is_there(self):
        for path in ("/etc/passwd", "/usr/bin/env", "/proc/self/maps", "/proc/cpuinfo", SERVER):
            self.assertNotIn(self.attempt("read", path), ("EACCES", "EPERM"), path)
        self.assertEqual(self.attempt("write", "/dev/null"), "did it")
        self.assertEqual(self.attempt("connect", self.upstream.port), "did it")
        self.assert_fails("write", "/etc/written-by-a-tool")


@unittest.skipUnless(HAS_LANDLOCK, "this kernel has no Landlock")
class AtATerminal(LimitedTest):
    @attack("upstream", "it types at the terminal that the gateway was started from (TIOCSTI), and listens to what is typed", "it may not")
    def test_the_terminal_of_the_gateway(self):
        with tempfile.TemporaryDirectory(prefix="runnel-e2e-") as folder:
            config = Path(folder, "runnel.yaml")
            config.write_text(json.dumps({"data": folder + "/data", "threads": 1, "tools": {"hostile": {
                "mcp": {"command": "python3", "args": [SERVER]}}}}), encoding="utf-8")
            terminal = Terminal("serve", "--config", str(config), "--listen", "127.0.0.1:0")
            self.addCleanup(terminal.close)
            terminal.wait_for("try:")
            port = int(LISTENING.search(terminal.text)[1])
            for what in ("type_at", "overhear"):
                for path in ("/dev/tty", os.readlink(f"/proc/{terminal.pid}/fd/0")):
                    with self.subTest(what=what, path=path), Client(port) as client:
                        asked = {"tool": "attempt", "args": {"what": what, "target": path}}
                        client.request("POST", "/v1/tools/execute", json.dumps(asked).encode(), {})
                        told = json.loads(client.response().json()["result"])
                        self.assertIn(told, ("EACCES", "EPERM", "ENXIO"))
            terminal.press_control("C")
            self.assertEqual(terminal.wait_for_end(), 0)


@unittest.skipUnless(HAS_LANDLOCK, "this kernel has no Landlock")
class GivenSandbox(ToolProgramTest):
    sandbox = "given"

    @classmethod
    def given_sandbox(cls):
        return {"read": [os.path.dirname(SERVER)], "write": [cls.shared.name + "/given"], "network": False}

    @attack("upstream", "it reads and connects beyond what its config gives it", "it may not")
    def test_nothing_but_what_is_given(self):
        self.assert_fails("connect", self.upstream.port)
        Path(self.shared.name, "note").write_text("private", encoding="utf-8")
        self.assert_fails("read", Path(self.shared.name, "note"))
        self.assertEqual(self.attempt("write", self.shared.name + "/given/new"), "did it")
        self.assertTrue(Path(self.shared.name, "given/new").exists())


class LocalSockets(ToolProgramTest):
    sandbox = {"local_sockets": True}

    @attack("upstream", "a server that may speak to sockets of this machine asks the one for administrators", "it gets no answer")
    def test_the_admins_socket(self):
        self.assertIn(self.attempt("speak_to", self.own("data/admin.sock")), ("nothing", "ECONNRESET", "EPIPE"))
        self.assertEqual(get(self.runnel.admin_socket, "/admin/v1/keys").status, 200)


class NoSandbox(ToolProgramTest):
    sandbox = "off"

    def test_off_is_off_and_still_inherits_nothing(self):
        self.assertNotIn(self.attempt("read", self.own("runnel.yaml")), ("EACCES", "EPERM"))
        self.assertEqual(self.attempt("descriptors"), ["0", "1", "2"])
        self.assertNotIn("OPENAI_API_KEY", self.attempt("variables"))


@unittest.skipUnless(os.geteuid() == 0 and os.path.exists("/usr/bin/python3"), "only root can be two users")
class AnotherUser(ToolProgramTest):
    program = {"command": "/usr/bin/python3", "user": "nobody"}

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="runnel-server-")  # for everybody, wherever this repository is
        cls.addClassCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        cls.program = {**cls.program, "args": [shutil.copy(SERVER, folder.name)]}
        super().setUpClass()

    @attack("upstream", "an MCP server that runs as another user looks for what root had", "a user of its own, no groups of root's")
    def test_it_is_somebody_else(self):
        user, effective, _, groups = self.attempt("user")
        self.assertEqual((user, effective), (NOBODY, NOBODY))
        self.assertNotIn(0, groups)
        self.assert_fails("read", self.own("runnel.yaml"))


@unittest.skipUnless(os.geteuid() == 0, "only root can be two users")
class Neighbours(LimitedTest):
    @attack("neighbour", "another process of the gateway's user reads its environment and memory", "it may not")
    def test_the_same_user(self):
        folder = tempfile.TemporaryDirectory(prefix="runnel-neighbour-")
        self.addCleanup(folder.cleanup)
        os.chown(folder.name, NOBODY, NOBODY)
        log = open(os.path.join(folder.name, "log"), "w+", encoding="utf-8")
        self.addCleanup(log.close)
        gateway = subprocess.Popen(
            [BINARY, "serve", "--listen", "127.0.0.1:0", "--data", folder.name + "/data", "--threads", "1"],
            user=NOBODY, group=NOBODY, extra_groups=[], cwd=folder.name, stderr=log, stdin=subprocess.DEVNULL,
            env=environment(OPENAI_API_KEY="sk-live-of-a-company", HOME=folder.name))
        self.addCleanup(gateway.wait)
        self.addCleanup(gateway.kill)

        def listens():
            return "listening on" in Path(log.name).read_text(encoding="utf-8")

        self.assertTrue(eventually(listens, START_LIMIT), Path(log.name).read_text(encoding="utf-8"))
        for name in ("environ", "mem", "maps", "auxv"):
            done = subprocess.run(["head", "-c", "1000", f"/proc/{gateway.pid}/{name}"], user=NOBODY, group=NOBODY,
                                  extra_groups=[], capture_output=True, timeout=LIMIT, check=False)
            self.assertNotEqual(done.returncode, 0, name)
            self.assertNotIn(b"sk-live", done.stdout)
        limits = Path(f"/proc/{gateway.pid}/limits").read_text(encoding="ascii")
        self.assertRegex(limits, r"Max core file size\s+0\s+0\s")


if __name__ == "__main__":
    unittest.main()
