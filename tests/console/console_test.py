"""What the tests of the console share: a gateway, providers that do as they are told, and a browser."""

import json
import os
import shutil
import unittest
from pathlib import Path

import barriers
import client
from console_page import ConsolePage
from fake_upstream import FakeUpstream
from gateway_test import LimitedTest, provider
from runnel_process import ADMIN_TOKEN, RunnelProcess

try:
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None

CHROMIUM = shutil.which("chromium")


def is_in(binary):
    """Whether the console is in the binary: this is in its page."""
    return bool(binary) and os.path.isfile(binary) and b'<form class="first-paint"' in Path(binary).read_bytes()


@unittest.skipUnless(CHROMIUM, "there is no chromium")
@unittest.skipUnless(sync_playwright, "there is no Playwright")
@unittest.skipUnless(is_in(os.environ.get("RUNNEL_BINARY")), "the binary was built without its console")
class ConsoleTest(LimitedTest):
    config = {}
    width = 1280

    @classmethod
    def setUpClass(cls):
        cls.upstream = FakeUpstream()
        cls.addClassCleanup(cls.upstream.close)
        cls.start_gateway()
        playwright = sync_playwright().start()
        cls.addClassCleanup(playwright.stop)
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-proxy-server"])
        cls.addClassCleanup(chromium.close)
        cls.browser = chromium.new_context()
        cls.enter()

    @classmethod
    def start_gateway(cls):
        providers = {"first": provider("openai-compatible", cls.upstream.port, retries=0),
                     "second": provider("anthropic", cls.upstream.port, retries=0)}
        models = {"fast": {"targets": ["first/m", "second/m"]},
                  "assistant": {"targets": ["demo/agent"], "tools": ["calculator", "now"]},
                  "careful": {"targets": ["first/m", "demo/agent"], "tools": ["calculator", "now"]}}
        cls.runnel = RunnelProcess({"providers": providers, "models": models, "logs": {"content": "on"}, **cls.config})
        cls.addClassCleanup(cls.runnel.stop)

    signs_in = False  # the test itself

    @classmethod
    def enter(cls):
        """The browser has a session from the beginning, as after a visit of its user."""
        if cls.signs_in:
            return
        with client.Client(cls.runnel.port) as asking:
            asking.request("POST", "/admin/v1/session", json.dumps({"token": ADMIN_TOKEN}).encode(), {"X-Runnel-Console": "1"})
            answer = asking.response()
        assert answer.status == 200, answer.body
        name, value = answer.headers["set-cookie"].partition(";")[0].split("=")
        cls.browser.add_cookies([{"name": name, "value": value, "url": f"http://127.0.0.1:{cls.runnel.port}", "sameSite": "Strict"}])

    def setUp(self):
        super().setUp()
        self.upstream.forget()
        self.pages = []

    def tearDown(self):
        self.runnel.assert_well()
        for page in self.pages:
            self.assertEqual(page.wrong, [], "script errors, or what the page's policy forbids")
            page.page.close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.runnel.port}"

    def open(self, path="/", width=None, height=900, scheme="light"):
        page = self.browser.new_page()
        page.set_viewport_size({"width": width or self.width, "height": height})
        page.emulate_media(color_scheme=scheme)
        shown = ConsolePage(page)
        self.pages.append(shown)
        shown.go(self.url + path)
        return shown

    def assert_no_barriers(self, page):
        if barriers.are_looked_for():
            self.assertEqual(barriers.found_in(page), [])

    def assert_fits(self, page, width):
        self.assertLessEqual(page.run("document.documentElement.scrollWidth"), width)
