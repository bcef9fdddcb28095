"""A page as a person sees it: things are found by what they say, clicked, and filled in."""

import re
from pathlib import Path

import client
from pace import LIMIT

SCREENSHOTS = Path(__file__).resolve().parents[2] / "build" / "console" / "screenshots"

# An open dialog is all that can be reached.
REACHABLE = "html:not(:has(dialog[open])), dialog[open]"
CLICKABLE = "button, a, summary, [role=tab], .choice label, .check"
FIELDS = "input, select, textarea"


class ConsolePage:
    def __init__(self, page):
        self.page = page
        self.wrong = []  # script errors, and what the page's policy forbids
        page.set_default_timeout(LIMIT * 1000)
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("console", self._hear)

    def _hear(self, message):
        if message.type == "error" and "Content Security Policy" in message.text:
            self.wrong.append(message.text)

    def go(self, url):
        self.page.goto(url)

    def run(self, script):
        """The value of an expression, awaited where it is a promise. What the page draws is read with what waits for it."""
        return self.page.evaluate(script)

    def there(self, selector):
        """The first that fits, once the page has drawn it."""
        found = self.page.locator(selector).first
        found.wait_for()
        return found

    def text_of(self, selector):
        return self.there(selector).inner_text()

    def value_of(self, selector):
        return self.there(selector).input_value()

    def focus(self, selector):
        self.there(selector).focus()
        return self

    def wait_for(self, condition, within=LIMIT):
        assert client.eventually(lambda: self.run(f"Boolean({condition})"), within), \
            f"{condition} does not come true: {self.text()}"
        return self

    def text(self):
        return self.run("document.body.innerText")

    def shows(self, *texts):
        """Waits until all of them can be read."""
        for text in texts:
            assert client.eventually(lambda: text in self.text(), LIMIT), f"'{text}' is not in: {self.text()}"
        return self

    def has_title(self, title):
        self.page.locator("h1").filter(has_text=re.compile(f"^{re.escape(title)}$")).wait_for()
        return self

    def is_at(self, path):
        self.page.wait_for_url(re.compile(rf"^http://[^/]+{re.escape(path)}(\?|$)"))
        return self

    def click(self, name):
        """What is called that, with the mouse: what covers it, or hides it, is found out."""
        called = re.compile(rf"^\s*{re.escape(name)}\s*$")
        reachable = self.page.locator(REACHABLE)
        reachable.locator(CLICKABLE).filter(has_text=called).or_(reachable.get_by_label(name, exact=True)).first.click()
        return self

    def click_on(self, selector):
        self.page.locator(selector).first.click()
        return self

    def _field(self, label):
        return self.page.locator(REACHABLE).get_by_label(label, exact=True).and_(self.page.locator(FIELDS)).first

    def fill(self, label, text):
        field = self._field(label)
        field.fill(text)
        field.focus()
        return self

    def choose(self, label, option):
        """The option of a select, by what it says."""
        self._field(label).select_option(label=option)
        return self

    def press(self, key):
        self.page.keyboard.press(key)
        return self

    def has_focus(self, text):
        """Waits until what has the focus says this."""
        assert client.eventually(lambda: self.focused() == text, LIMIT), f"'{self.focused()}' has the focus, not '{text}'"
        return self

    def focused(self):
        return self.run("document.activeElement?.textContent || document.activeElement?.ariaLabel || document.activeElement?.id")

    def screenshot(self, name):
        self.page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True)
