"""What the tests of the console share: a gateway, a browser, and a page as a person sees it."""

import json
import unittest
from pathlib import Path

import barriers
import browser
from fake_upstream import FakeUpstream
from gateway_test import LimitedTest, provider
from runnel_process import RunnelProcess

BUILT = Path(__file__).resolve().parents[2] / "console" / "dist" / "index.html"

# Before the page's own scripts: what goes wrong in them, and what its policy forbids.
WATCH = """
    window.wrong = [];
    addEventListener('error', (event) => window.wrong.push(event.message));
    addEventListener('unhandledrejection', (event) => window.wrong.push(String(event.reason)));
    addEventListener('securitypolicyviolation', (event) => window.wrong.push(`${event.violatedDirective}: ${event.blockedURI}`));
"""

# What can be clicked and is called that.
CLICKABLE = """[...(document.querySelector('dialog[open]') ?? document).querySelectorAll(
    'button, a, summary, [role=tab], .choice label, .check')].find(
    (each) => each.textContent.trim() === NAME || each.getAttribute('aria-label') === NAME)"""

# The field that a label names.
FIELD = """[...(document.querySelector('dialog[open]') ?? document).querySelectorAll('input, select, textarea')].find(
    (each) => each.getAttribute('aria-label') === NAME
        || [...(each.labels ?? [])].some((label) => label.textContent.trim() === NAME))"""


class ConsolePage:
    def __init__(self, page):
        self.page = page
        self.run = page.run
        self.wait_for = page.wait_for
        self.screenshot = page.screenshot

    def go(self, url):
        self.page.call("Page.navigate", url=url)
        self.wait_for(f"location.href === {json.dumps(url)} && document.readyState === 'complete'")

    def text(self):
        return self.run("document.body.innerText")

    def shows(self, *texts):
        """Waits until all of them can be read."""
        for text in texts:
            self.wait_for(f"document.body.innerText.includes({json.dumps(text)})")
        return self

    def has_title(self, title):
        self.wait_for(f"document.querySelector('h1')?.textContent === {json.dumps(title)}")
        return self

    def is_at(self, path):
        self.wait_for(f"location.pathname === {json.dumps(path)}")
        return self

    def click(self, name):
        self._click(CLICKABLE.replace("NAME", json.dumps(name)), name)
        return self

    def _click(self, script, name):
        self.wait_for(f"(() => {{ const found = {script}; return found && !found.disabled; }})()")
        x, y = self.run(f"""(() => {{
            const found = {script};
            found.scrollIntoView({{ block: 'center' }});
            const box = found.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        }})()""")
        hit = self.run(f"(() => {{ const found = {script}; const hit = document.elementFromPoint({x}, {y});"
                       " return found === hit || found.contains(hit) || Boolean(hit?.contains(found)); })()")
        assert hit, f"something covers '{name}'"
        for kind in ("mousePressed", "mouseReleased"):
            self.page.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def fill(self, label, text):
        """As with a keyboard: what was there goes."""
        script = FIELD.replace("NAME", json.dumps(label))
        self.wait_for(f"Boolean({script})")
        self.run(f"(() => {{ const field = {script}; field.scrollIntoView({{ block: 'center' }}); field.focus(); field.select?.(); }})()")
        self.page.type(text)
        return self

    def choose(self, label, option):
        """The option of a select, by what it says."""
        script = FIELD.replace("NAME", json.dumps(label))
        self.wait_for(f"[...({script})?.options ?? []].some((each) => each.textContent === {json.dumps(option)})")
        self.run(f"""(() => {{
            const field = {script};
            field.value = [...field.options].find((each) => each.textContent === {json.dumps(option)}).value;
            field.dispatchEvent(new Event('change', {{ bubbles: true }}));
        }})()""")
        return self

    def press(self, key, code=None, **more):
        for kind in ("keyDown", "keyUp"):
            self.page.call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key, **more)
        return self

    def press_enter(self):
        self.page.press_enter()
        return self

    def focused(self):
        return self.run("document.activeElement?.textContent || document.activeElement?.ariaLabel || document.activeElement?.id")

    def wrong(self):
        return self.run("window.wrong")


@unittest.skipUnless(browser.COMMAND, "there is no chromium")
@unittest.skipUnless(BUILT.exists(), "the console is not built")
class ConsoleTest(LimitedTest):
    config = {}
    width = 1280

    @classmethod
    def setUpClass(cls):
        cls.upstream = FakeUpstream()
        cls.addClassCleanup(cls.upstream.close)
        cls.start_gateway()
        cls.browser = browser.Browser("console")
        cls.addClassCleanup(cls.browser.close)

    @classmethod
    def start_gateway(cls):
        providers = {"first": provider("openai-compatible", cls.upstream.port, retries=0),
                     "second": provider("anthropic", cls.upstream.port, retries=0)}
        models = {"fast": {"targets": ["first/m", "second/m"]},
                  "assistant": {"targets": ["demo/agent"], "tools": ["calculator", "now"]}}
        cls.runnel = RunnelProcess({"providers": providers, "models": models, "logs": {"content": "on"}, **cls.config})
        cls.addClassCleanup(cls.runnel.stop)

    def setUp(self):
        super().setUp()
        self.upstream.forget()
        self.pages = []

    def tearDown(self):
        self.runnel.assert_well()
        for page in self.pages:
            self.assertEqual(page.wrong(), [], "script errors, or what the page's policy forbids")

    @property
    def url(self):
        return f"http://127.0.0.1:{self.runnel.port}"

    def open(self, path="/", width=None, height=900, scheme="light"):
        page = self.browser.open("about:blank#new", width=width or self.width, height=height, scheme=scheme)
        page.call("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        shown = ConsolePage(page)
        shown.go(self.url + path)
        self.pages.append(shown)
        return shown

    def assert_no_barriers(self, page):
        if barriers.are_looked_for():
            self.assertEqual(barriers.found_in(page), [])

    def assert_fits(self, page, width):
        self.assertLessEqual(page.run("document.documentElement.scrollWidth"), width)
