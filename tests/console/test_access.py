"""Who gets in: the admin token opens, nothing else does, and a session ends."""

import json
import re
import tempfile

from client import Client, get
from console_page import ConsolePage
from console_test import ConsoleTest
from runnel_process import run_command
from terminal import Terminal

TOKEN = "let-me-in-please"
ADMIN_PATHS = ("/admin/v1/overview", "/admin/v1/config", "/admin/v1/keys", "/admin/v1/logs", "/admin/v1/providers")


def ask(port, method, path, body=None, **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    with Client(port) as client:
        client.request(method, path, json.dumps(body).encode() if body is not None else b"", named)
        return client.response()


class SignIn(ConsoleTest):
    config = {"admin": {"token": TOKEN}, "auth": {"mode": "keys"}}
    signs_in = True

    def sign_in(self, page):
        return page.fill("Admin token", TOKEN).click("Sign in")

    def test_the_token_opens_the_page_that_was_asked_for(self):
        page = self.open("/requests?result=failed").has_title("Runnel")
        page.wait_for("document.activeElement === document.querySelector('input')")
        self.assert_no_barriers(page)
        page.screenshot("sign-in")
        self.sign_in(page).has_title("Requests")
        self.assertEqual(page.run("location.search"), "?result=failed")
        self.assertNotIn(TOKEN, page.run("JSON.stringify([localStorage, sessionStorage, document.cookie])"))
        # The cookie is for every page of the console, until somebody signs out.
        other = self.open("/keys").has_title("Keys")
        other.click("Sign out").has_title("Runnel")
        page.go(self.url + "/keys")
        page.has_title("Runnel")

    def test_nothing_but_the_token_does(self):
        page = self.open().has_title("Runnel")
        page.fill("Admin token", "let-me-in-pleas").click("Sign in").shows("Not signed in.", "This is not the admin token.")
        page.screenshot("sign-in-refused")
        self.assertEqual(page.run("document.cookie"), "")
        for path in ADMIN_PATHS:
            self.assertEqual(page.run(f"fetch('{path}').then((answer) => answer.status)"), 401, path)

    def test_a_session_that_is_over_says_so_and_goes_on_where_it_was(self):
        page = self.open("/providers").has_title("Runnel")
        self.sign_in(page).has_title("Providers & models")
        # As after twelve hours, or a restart: the browser still has its cookie, the gateway knows none.
        port = self.runnel.port
        self.runnel.stop()
        type(self).runnel = type(self.runnel)(self.runnel_config(), port=port)
        self.addClassCleanup(self.runnel.stop)
        page.shows("Your session is over.")
        page.screenshot("session-over")
        self.sign_in(page).has_title("Providers & models").is_at("/providers")
        page.click("Sign out").has_title("Runnel")

    def runnel_config(self):
        return {"providers": {}, **self.config}

    def test_without_credentials_the_page_is_401_and_asks_for_them(self):
        html = {"Accept": "text/html"}
        self.assertEqual(get(self.runnel.port, "/", headers=html).status, 401)
        answer = get(self.runnel.port, "/", headers={**html, "Authorization": f"Bearer {TOKEN}"})
        self.assertEqual(answer.status, 200)
        self.assertIn(b"<form", answer.body)

    def test_the_cookie_is_of_use_to_the_consoles_own_page_only(self):
        port = self.runnel.port
        own = {"X_Runnel_Console": "1"}
        self.assertEqual(ask(port, "POST", "/admin/v1/session", {"token": TOKEN}).status, 403)
        signed_in = ask(port, "POST", "/admin/v1/session", {"token": TOKEN}, **own)
        self.assertEqual(signed_in.status, 200)
        self.assertEqual(signed_in.json(), {"signed_in": True, "needs_token": True, "mode": "keys"})
        cookie = signed_in.headers["set-cookie"]
        for part in ("HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=43200"):
            self.assertIn(part, cookie)
        self.assertNotIn("Secure", cookie)
        session = {"Cookie": cookie.partition(";")[0]}
        for path in ADMIN_PATHS:
            self.assertEqual(ask(port, "GET", path, **session).status, 200, path)
        self.assertEqual(ask(port, "GET", "/v1/models", **session).status, 200)
        self.assertEqual(ask(port, "POST", "/admin/v1/keys", {"name": "x"}, **session).status, 401)
        self.assertEqual(ask(port, "POST", "/admin/v1/keys", {"name": "x"}, Origin="http://evil.test", **own, **session).status, 401)
        self.assertEqual(ask(port, "POST", "/admin/v1/keys", {"name": "x"}, **own, **session).status, 201)
        self.assertEqual(ask(port, "DELETE", "/admin/v1/session", **own, **session).status, 200)
        self.assertEqual(ask(port, "GET", "/admin/v1/keys", **session).status, 401)

    def test_behind_tls_the_cookie_is_for_tls_only(self):
        port = self.runnel.port
        answer = ask(port, "POST", "/admin/v1/session", {"token": TOKEN}, Origin="https://gateway.localhost", X_Forwarded_Proto="https")
        self.assertIn("Secure", answer.headers["set-cookie"])
        self.assertTrue(answer.headers["set-cookie"].startswith("__Host-runnel_session="))


class ByLink(ConsoleTest):
    """Without a token: a link opens the console, once."""

    config = {"admin": {}}
    signs_in = True

    def link(self):
        made = run_command("admin-link", "--data", f"{self.runnel.folder}/data")
        self.assertEqual(made.returncode, 0, made.stderr)
        return made.stdout.decode().strip()

    def test_a_link_opens_the_console_once(self):
        link = self.link()
        page = self.open()
        page.shows("The console opens with a link.", "runnel admin-link", "admin:")
        self.assert_no_barriers(page)
        page.screenshot("by-link")
        page.go(link)
        page.has_title("Overview").wait_for("location.href.endsWith('/') && history.length > 0")
        self.assertNotIn("ticket", page.run("location.href + document.cookie + JSON.stringify([localStorage, sessionStorage])"))
        other = self.open("/keys").has_title("Keys")
        other.click("Sign out").shows("The console opens with a link.")
        page.go(link)
        page.shows("The console opens with a link.").wait_for("!location.href.includes('ticket')")

    def test_it_opens_the_page_that_was_asked_for(self):
        link = self.link()
        page = self.open("/requests" + link[link.index("?"):] + "&result=failed").has_title("Requests")
        page.wait_for("location.search === '?result=failed'")
        page.click("Sign out").shows("The console opens with a link.")

    def test_nobody_gets_in_for_being_on_this_machine(self):
        port = self.runnel.port
        for path in ADMIN_PATHS:
            self.assertEqual(ask(port, "GET", path, Host="evil.test").status, 401, path)
            self.assertEqual(ask(port, "GET", path, Host=f"127.0.0.1:{port}").status, 401, path)
        session = ask(port, "GET", "/admin/v1/session").json()
        self.assertEqual(session, {"signed_in": False, "needs_token": False, "mode": "open"})


class AtATerminal(ConsoleTest):
    """`runnel serve` at a terminal, as on the first day: one click."""

    signs_in = True

    @classmethod
    def start_gateway(cls):
        folder = tempfile.TemporaryDirectory(prefix="runnel-console-")
        cls.addClassCleanup(folder.cleanup)
        cls.terminal = Terminal("serve", "--listen", "127.0.0.1:0", "--data", folder.name)
        cls.addClassCleanup(cls.terminal.close)

    def tearDown(self):
        for page in self.pages:
            self.assertEqual(page.wrong, [])
            page.page.close()

    def test_the_printed_link_opens_the_console(self):
        self.terminal.wait_for("try:")
        page = ConsolePage(self.browser.new_page())
        self.pages.append(page)
        page.go(re.search(r"console: +(http://127\.0\.0\.1:\d+/\?ticket=\w{64})", self.terminal.text)[1])
        page.has_title("Overview").wait_for("!location.href.includes('ticket')")
