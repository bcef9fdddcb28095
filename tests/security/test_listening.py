"""Where the process listens, and with whom: a public address is opened on purpose only, and a port is one process's."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile

from attack_table import attack
from client import ask, get
from gateway_test import LimitedTest
from runnel_process import LISTENING, STOP_LIMIT, RunnelProcess, environment, run_command
from pace import BINARY, LIMIT

KEYS = {"auth": {"mode": "keys"}}
REALLY = {"auth": {"mode": "open", "really": True}}


def check(config):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        json.dump(config, file)
        file.flush()
        return run_command("check", file.name)


class PublicAddress(LimitedTest):
    @attack("stranger", "a request to a gateway that was opened to a network by mistake", "it does not start, and says why")
    def test_open_to_everybody(self):
        for listen in (":0", "*:0", "0.0.0.0:0", "[::]:0", "192.0.2.1:0", "[2001:db8::1]:0"):
            with self.subTest(listen):
                done = check({"listen": listen})
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr.decode(), r":1:\d+: listen: .*auth: \{mode: keys\}.*really: true")
                done = run_command("serve", "--listen", listen)
                self.assertEqual(done.returncode, 1)
                self.assertIn("really: true", done.stderr.decode())

    def test_what_is_for_this_machine_or_asks_for_keys_is_fine(self):
        for config in ({"listen": "127.0.0.1:0"}, {"listen": "127.1.2.3:0"}, {"listen": "[::1]:0"},
                       {"listen": "localhost:0"}, {"listen": ":0", **KEYS}, {"listen": ":0", **REALLY}):
            with self.subTest(config):
                done = check(config)
                self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(check({"auth": {"mode": "keys", "really": True}}).returncode, 1)

    def test_the_log_names_the_address_it_listens_on(self):
        runnel = RunnelProcess(KEYS, host="")
        self.addCleanup(runnel.stop)
        self.assert_logs(f"listening on http://0.0.0.0:{runnel.port}", runnel)
        self.assertEqual(get(runnel.port, "/healthz").status, 200)

    @attack("fault", "a reload that opens a public gateway", "the reload is refused, keys are still asked for")
    def test_a_reload_opens_nothing(self):
        runnel = RunnelProcess(KEYS, host="0.0.0.0")
        self.addCleanup(runnel.stop)
        runnel.write_config({})
        runnel.signal(signal.SIGHUP)
        self.assert_eventually(lambda: "config not reloaded" in runnel.log())
        self.assert_logs("really: true", runnel)
        self.assertEqual(ask(runnel.port, model="demo/text").status, 401)


    @attack("fault", "a reload with an address for this machine alone, which counts from the next start, and no keys", "the reload is refused")
    def test_a_reload_looks_at_the_address_that_is_listened_on(self):
        with tempfile.TemporaryDirectory(prefix="runnel-e2e-") as folder:
            file = os.path.join(folder, "runnel.yaml")

            def write(listen, auth):
                with open(file, "w", encoding="utf-8") as out:
                    json.dump({"listen": listen, "data": folder + "/data", "threads": 1, **auth}, out)

            write("0.0.0.0:0", KEYS)
            log = open(os.path.join(folder, "log"), "a+", encoding="utf-8")
            self.addCleanup(log.close)
            process = subprocess.Popen([BINARY, "serve", "--config", file], cwd=folder, env=environment(),
                                       stdin=subprocess.DEVNULL, stderr=log)

            def logged():
                with open(log.name, encoding="utf-8") as lines:
                    return lines.read()

            try:
                self.assert_eventually(lambda: LISTENING.search(logged()))
                port = int(LISTENING.search(logged())[1])
                for _ in range(2):
                    write("127.0.0.1:0", {"auth": {"mode": "open"}})
                    process.send_signal(signal.SIGHUP)
                    self.assert_eventually(lambda: "config not reloaded" in logged())
                    self.assertEqual(ask(port, model="demo/text").status, 401)
                    # The same in two steps.
                    write("127.0.0.1:0", KEYS)
                    process.send_signal(signal.SIGHUP)
                    self.assert_eventually(lambda: "config reloaded" in logged())
                    log.truncate(0)
            finally:
                process.send_signal(signal.SIGTERM)
                process.wait(STOP_LIMIT)


class OnePort(LimitedTest):
    def start(self, config, **options):
        runnel = RunnelProcess(config, **options)
        self.addCleanup(runnel.stop)
        return runnel

    @attack("fault", "a second process on the port of a forgotten open one", "it does not start, and names the other")
    def test_a_second_process(self):
        for threads in ("1", "3"):
            with self.subTest(threads):
                first = self.start({}, arguments=("--threads", threads))
                done = run_command("serve", "--listen", f"127.0.0.1:{first.port}")
                self.assertEqual(done.returncode, 1)
                said = done.stderr.decode()
                self.assertIn(f"process {first.pid} ({os.path.basename(BINARY)[:15]}) listens there already", said)
                self.assertIn("--take-over", said)
                done = run_command("serve", "--listen", f":{first.port}")
                self.assertEqual(done.returncode, 1)

    @attack("fault", "six processes that start at once on one port", "one of them serves")
    def test_many_at_once(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        processes = []
        for _ in range(6):
            folder = tempfile.TemporaryDirectory(prefix="runnel-e2e-")
            self.addCleanup(folder.cleanup)
            processes.append(subprocess.Popen(
                [BINARY, "serve", "--listen", f"127.0.0.1:{port}", "--threads", "2"], cwd=folder.name,
                env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        try:
            self.assert_eventually(lambda: sum(one.poll() is None for one in processes) <= 1)
            running = [one for one in processes if one.poll() is None]
            self.assertEqual(len(running), 1)
            self.assertEqual(get(port, "/healthz").status, 200)
        finally:
            for one in processes:
                if one.poll() is None:
                    one.send_signal(signal.SIGTERM)
                one.wait(STOP_LIMIT)

    def test_a_port_is_taken_over_when_that_is_asked_for(self):
        first = self.start({})
        second = self.start(KEYS, port=first.port, arguments=("--take-over",))
        first.signal(signal.SIGTERM)
        self.assertEqual(first.wait(STOP_LIMIT), 0)
        for _ in range(30):
            self.assertEqual(ask(second.port, model="demo/text").status, 401)

    def test_taking_over_from_nobody_is_no_error(self):
        runnel = self.start({}, arguments=("--take-over",))
        self.assertEqual(get(runnel.port, "/healthz").status, 200)

    @attack("neighbour", "another user's process that shares the port", "neither can join the other")
    def test_another_user(self):
        if os.getuid() != 0:
            self.skipTest("only root can be another user")
        runnel = self.start({}, arguments=("--take-over",))
        join = ("import os, socket, sys\n"
                "os.setuid(65534)\n"
                "made = socket.socket()\n"
                "made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)\n"
                "made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)\n"
                f"made.bind(('127.0.0.1', {runnel.port}))\n")
        done = subprocess.run([sys.executable, "-c", join], capture_output=True, timeout=LIMIT, check=False)
        self.assertIn(b"Address already in use", done.stderr)
