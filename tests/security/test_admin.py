"""Who is taken for the admin: neighbours, strangers behind a proxy, guesses, links and cookies that are another's."""

import json
import os
import stat
import subprocess
import sys
import tempfile
import unittest

from attack_table import AttackTest, attack
from client import Client, get
from gateway_test import LimitedTest
from key_admin import ADMIN_TOKEN
from pace import LIMIT
from runnel_process import RunnelProcess, run_command

ADMIN_PATHS = ("/admin/v1/keys", "/admin/v1/config", "/admin/v1/logs", "/metrics", "/readyz?verbose")
OWN_PAGE = {"X-Runnel-Console": "1"}


def ask(port, method, path, body=None, headers=None, **options):
    with Client(port, **options) as client:
        client.request(method, path, b"" if body is None else json.dumps(body).encode(), headers or {})
        return client.response()


class NoToken(AttackTest):
    config = {"admin": {}}

    def link(self):
        made = run_command("admin-link", "--data", f"{self.runnel.folder}/data")
        self.assertEqual(made.returncode, 0, made.stderr)
        url = made.stdout.decode().strip()
        self.assertTrue(url.startswith(f"http://127.0.0.1:{self.runnel.port}/?ticket="), url)
        return url.partition("=")[2]

    def enter(self, ticket, **headers):
        return ask(self.runnel.port, "POST", "/admin/v1/session", {"ticket": ticket}, {**OWN_PAGE, **headers})

    @attack("stranger", "the admin API, through a plain proxy on the gateway's machine that adds no header", "401 for all of it")
    def test_a_proxy_on_this_machine_lends_nobody_its_address(self):
        for path in ADMIN_PATHS:
            for headers in ({}, {"Host": f"127.0.0.1:{self.runnel.port}"}, {"Host": "gateway.example.com"},
                            {"X-Forwarded-For": "127.0.0.1"}, {"X-Forwarded-For": "local socket"}, {"Authorization": "Bearer "}):
                with self.subTest(path=path, headers=headers):
                    self.assert_error(get(self.runnel.port, path, headers=headers), 401, "missing_api_key")
        self.assert_error(ask(self.runnel.port, "POST", "/admin/v1/links", {}), 401, "missing_api_key")

    @attack("neighbour", "a connection to the admin's socket by another user of the machine", "the file system refuses it")
    def test_the_socket_is_the_users_own(self):
        status = os.stat(self.runnel.admin_socket)
        self.assertTrue(stat.S_ISSOCK(status.st_mode))
        self.assertEqual((stat.S_IMODE(status.st_mode), status.st_uid), (0o600, os.getuid()))

    @unittest.skipUnless(os.geteuid() == 0, "only root can be another user")
    @attack("neighbour", "the same, with a socket whose mode a program of the gateway's user has changed", "no answer")
    def test_the_socket_is_the_users_own_whatever_its_mode(self):
        for path in (self.runnel.folder, os.path.dirname(self.runnel.admin_socket), self.runnel.admin_socket):
            self.addCleanup(os.chmod, path, os.stat(path).st_mode)
            os.chmod(path, 0o777)
        ask_it = ("import os, socket, sys\n"
                  "os.setuid(65534)\n"
                  "made = socket.socket(socket.AF_UNIX)\n"
                  "made.connect(sys.argv[1])\n"
                  "made.sendall(b'GET /admin/v1/keys HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n')\n"
                  "print(made.recv(100))\n")
        asked = subprocess.run([sys.executable, "-c", ask_it, self.runnel.admin_socket], capture_output=True, timeout=LIMIT, check=False)
        self.assertNotIn(b"HTTP/1.1", asked.stdout)
        self.assertNotIn(b"PermissionError", asked.stderr)

    @attack("neighbour", "files of another user's in the data folder, of a gateway without a umask", "the folder is for its user only")
    def test_the_data_folder_is_the_users_own(self):
        before = os.umask(0)
        try:
            runnel = RunnelProcess({"admin": {}})
        finally:
            os.umask(before)
        self.addCleanup(runnel.stop)
        self.assertEqual(stat.S_IMODE(os.stat(os.path.join(runnel.folder, "data")).st_mode), 0o700)
        self.assertNotIn("can put files", runnel.log())

    @attack("neighbour", "a link that was used, one that was never made, and none", "401, and no cookie")
    def test_a_link_is_good_once(self):
        ticket = self.link()
        self.assertGreaterEqual(len(ticket) * 4, 128)
        self.assert_error(ask(self.runnel.port, "POST", "/admin/v1/session", {"ticket": ticket}), 403, "origin_not_allowed")
        self.assert_error(self.enter(ticket, Origin="https://evil.test"), 403, "origin_not_allowed")
        entered = self.enter(ticket)
        self.assertEqual(entered.status, 200, entered.body)
        session = {"Cookie": entered.headers["set-cookie"].partition(";")[0]}
        self.assertEqual(get(self.runnel.port, "/admin/v1/keys", headers=session).status, 200)
        for wrong in (ticket, ticket[:-1], "", "x" * 64):
            refused = self.enter(wrong)
            self.assert_error(refused, 401, "invalid_api_key")
            self.assertNotIn("set-cookie", refused.headers)

    @attack("page", "a session's name of its own choosing (session fixation)", "401; whoever enters gets a new name")
    def test_a_session_has_the_name_that_the_gateway_gives_it(self):
        chosen = {"Cookie": f"runnel_session={'a' * 64}"}
        self.assert_error(get(self.runnel.port, "/admin/v1/keys", headers=chosen), 401, "expired_api_key")
        entered = self.enter(self.link(), **chosen)
        self.assertNotIn("a" * 64, entered.headers["set-cookie"])
        self.assert_error(get(self.runnel.port, "/admin/v1/keys", headers=chosen), 401, "expired_api_key")

    @attack("page", "the admin's cookie, from another page", "401, and nothing is changed")
    def test_a_cookie_is_nothing_without_the_own_page(self):
        cookie = self.enter(self.link()).headers["set-cookie"]
        for part in ("HttpOnly", "SameSite=Strict", "Path=/"):
            self.assertIn(part, cookie)
        session = {"Cookie": cookie.partition(";")[0]}
        own = f"http://127.0.0.1:{self.runnel.port}"
        for headers in ({}, {"Origin": "https://evil.test", **OWN_PAGE}, {"Origin": "null"}, {"Origin": "https://127.0.0.1"},
                        {"Origin": own.replace("http", "https")}, {"Origin": own + "1"}, {"Origin": "http://evil-127.0.0.1"},
                        {"Sec-Fetch-Site": "same-site"}, {"Sec-Fetch-Site": "cross-site", **OWN_PAGE}):
            with self.subTest(headers=headers):
                response = ask(self.runnel.port, "POST", "/admin/v1/keys", {"name": "x"}, {"Host": own[7:], **headers, **session})
                self.assert_error(response, 401, "expired_api_key")
        self.assertEqual(get(self.runnel.admin_socket, "/admin/v1/keys").json()["data"], [])
        made = ask(self.runnel.port, "POST", "/admin/v1/keys", {"name": "x"}, {"Host": own[7:], "Origin": own, **session})
        self.assertEqual(made.status, 201)

    @attack("neighbour", "the log of a gateway that runs without a terminal", "no ticket is in it, but how to get one")
    def test_the_log_has_no_ticket(self):
        ticket = self.link()
        self.assertNotIn("ticket=", self.runnel.log())
        self.assertNotIn(ticket, self.runnel.log())
        self.assert_logs("admin.sock", self.runnel)


class TakeOver(LimitedTest):
    @attack("fault", "a newer process that takes the socket's name while an older one goes", "the newer one answers, and leaves nothing")
    def test_the_name_stays_with_the_newer_process(self):
        folder = tempfile.TemporaryDirectory(prefix="runnel-admin-")
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "admin.sock")
        older = RunnelProcess({"admin": {}, "data": folder.name})
        self.addCleanup(older.kill)
        newer = RunnelProcess({"admin": {}, "data": folder.name})
        self.addCleanup(newer.kill)
        older.stop()
        self.assertIn(f":{newer.port}/", ask(path, "POST", "/admin/v1/links").json()["url"])
        newer.stop()
        self.assertEqual([name for name in os.listdir(folder.name) if "sock" in name], [])

    @attack("fault", "a socket that a killed process has left behind", "the next process takes its name")
    def test_what_is_left_behind_is_in_nobodys_way(self):
        folder = tempfile.TemporaryDirectory(prefix="runnel-admin-")
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "admin.sock")
        RunnelProcess({"admin": {}, "data": folder.name}).kill()
        self.assertTrue(os.path.exists(path))
        runnel = RunnelProcess({"admin": {}, "data": folder.name})
        self.addCleanup(runnel.stop)
        self.assertEqual(ask(path, "GET", "/admin/v1/keys").status, 200)


class Guessing(AttackTest):
    @attack("stranger", "guesses at the admin token, at the API, the sign-in and the logs", "429 with Retry-After after a few, even for the right one")
    def test_guesses_are_slowed_down(self):
        guess = {"Authorization": "Bearer let-me-in-please"}
        right = {"Authorization": f"Bearer {ADMIN_TOKEN}"}
        ways = {"127.0.0.2": lambda source: ask(self.runnel.port, "GET", "/admin/v1/keys", None, guess, source=source),
                "127.0.0.3": lambda source: ask(self.runnel.port, "POST", "/admin/v1/session", {"token": "let-me-in-please"}, OWN_PAGE,
                                                source=source),
                "127.0.0.4": lambda source: ask(self.runnel.port, "GET", "/v1/logs", None, guess, source=source)}
        for source, way in ways.items():
            with self.subTest(source=source):
                for _ in range(5):
                    self.assertNotEqual(way(source).status, 429)
                refused = ask(self.runnel.port, "GET", "/admin/v1/keys", None, right, source=source)
                self.assert_error(refused, 429, "rate_limit_exceeded")
                self.assertGreaterEqual(int(refused.headers["retry-after"]), 1)
        self.assertEqual(ask(self.runnel.port, "GET", "/admin/v1/keys", None, right, source="127.0.0.9").status, 200)
        self.assertEqual(get(self.runnel.port, "/admin/v1/keys").status, 200)
