"""The page that draws a timeline, in a real browser (examples/timeline-page)."""

import json
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import browser
from example_process import REPOSITORY, ExampleProcess
from example_test import ExampleTest

CLIENTS = Path(__file__).resolve().parent / "clients"

QUESTION = "What is (17.5 * 3 + 2) / 4, and what time is it now?"

# Every change of a tool's state, and every step that is added, as they happen.
WATCH = """
    window.seen = [];
    new MutationObserver((changes) => {
        for (const { type, target, addedNodes, attributeName } of changes) {
            if (type === 'attributes' && attributeName === 'data-state') window.seen.push(['state', target.className]);
            for (const node of addedNodes) if (node.tagName === 'LI') window.seen.push(['step', node.className]);
        }
    }).observe(document.getElementById('talk'), { subtree: true, childList: true, attributes: true });
"""
IS_IDLE = "!document.getElementById('send').hidden && Boolean(document.querySelector('.answer:last-of-type li:not(.waiting)'))"


@unittest.skipUnless(browser.COMMAND, "there is no chromium")
class PageTest(ExampleTest):
    name = "timeline-page"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = browser.Browser("examples")
        cls.addClassCleanup(cls.browser.close)
        cls.address = cls.example.printed(r"(http://\S+/\?gateway=\S+)")

    def open(self, model=None, **options):
        page = self.browser.open(self.address + (f"&model={model}" if model else ""), **options)
        page.wait_for("!document.getElementById('model').disabled")
        return page

    def ask(self, page, question=QUESTION):
        self.begin(page, question)
        page.wait_for(IS_IDLE)

    def begin(self, page, question):
        page.run("document.getElementById('question').focus()")
        page.type(question)
        page.press_enter()

    def steps(self, page):
        """The last answer's steps, as a reader sees them: kind and text."""
        return page.run("""[...[...document.querySelectorAll('.answer')].at(-1).children].map(
            (item) => [item.className, item.dataset.state ?? item.textContent])""")

    def assert_fits(self, page, width):
        widths = page.run("""[document.documentElement.scrollWidth,
            Math.max(...[...document.querySelectorAll('body *')].map((each) => each.getBoundingClientRect().right))]""")
        self.assertLessEqual(max(widths), width)

    def test_reasoning_tools_and_text_are_one_sequence(self):
        page = self.open()
        self.assertEqual(page.run("document.getElementById('model').value"), "assistant")
        page.run(WATCH)
        self.ask(page)
        steps = self.steps(page)
        self.assertEqual([kind for kind, _ in steps],
                         ["reasoning", "text", "tool", "reasoning", "text", "tool", "reasoning", "text", "note usage"])
        self.assertIn("calculator can tell", steps[0][1])
        self.assertEqual(steps[1][1], "Let me ask calculator.\n")
        self.assertEqual(steps[2][1], "Completed")
        self.assertIn("calculator says: 13.625", steps[7][1])
        self.assertRegex(steps[8][1], r"^stop · \d+ tokens in, \d+ out · [\d.]+ s$")
        page.screenshot("light")

    def test_a_tools_states_change_its_one_line(self):
        page = self.open()
        page.run(WATCH)
        self.ask(page)
        seen = page.run("window.seen")
        tools = [at for at, (what, kind) in enumerate(seen) if (what, kind) == ("step", "tool")]
        self.assertEqual(len(tools), 2)
        # Created (with the line itself), Running, Completed.
        self.assertEqual([kind for what, kind in seen if what == "state"], ["tool"] * 6)
        shown = page.run("[...document.querySelectorAll('.tool')].map((item) => item.textContent)")
        self.assertRegex(shown[0], r"^calculator Completed, [\d.]+ s\{\"expression\":\"\(17.5 \* 3 \+ 2\) / 4\"\}13.625$")

    def test_what_came_first_stays_first_while_it_streams(self):
        page = self.open()
        self.begin(page, QUESTION)
        longest = []
        while not page.run(IS_IDLE):
            kinds = [kind for kind, _ in self.steps(page)] if page.run("document.querySelector('.answer')") else []
            if kinds != ["note waiting"]:
                self.assertEqual(kinds[:len(longest)], longest, "a step moved, or went")
                longest = kinds

    def test_a_tool_that_fails_says_so(self):
        page = self.open(scheme="dark")
        self.ask(page, "What is 1 / 0?")
        self.assertIn(["tool", "Failed"], self.steps(page))
        page.wait_for("document.querySelector('.tool details')")
        page.run("document.querySelector('.tool details').open = true")
        page.wait_for("document.querySelector('.tool .result')?.textContent.includes('zero')")
        page.screenshot("dark")

    def test_stop_ends_an_answer_and_the_next_one_comes(self):
        page = self.open("demo/slow")
        self.begin(page, "Take your time")
        page.wait_for("document.querySelector('.text')?.textContent.length > 20")
        page.screenshot("streaming")
        page.click("#stop")
        page.wait_for(IS_IDLE)
        steps = self.steps(page)
        self.assertEqual([kind for kind, _ in steps], ["text", "note"])
        self.assertEqual(steps[1][1], "Stopped.")
        self.assertNotIn("tomorrow", steps[0][1])
        page.run("document.getElementById('model').value = 'demo/echo'")
        self.ask(page, "And now?")
        self.assertEqual(self.steps(page)[0], ["text", "And now?"])

    def test_errors_are_shown_where_they_happen(self):
        page = self.open("demo/error-midstream")
        self.ask(page, "Fail")
        text, error = self.steps(page)
        self.assertEqual((text[0], error[0]), ("text", "error"))
        self.assertTrue(text[1] and error[1])
        page.run("document.getElementById('model').value = 'demo/error-before'")
        self.ask(page, "Fail at once")
        self.assertEqual([kind for kind, _ in self.steps(page)], ["error"])
        page.screenshot("errors")

    def test_a_phone_shows_it_without_scrolling_sideways(self):
        page = self.open(width=390, height=844)
        self.assert_fits(page, 390)
        page.screenshot("phone-empty")
        page.click(".ideas button")
        page.wait_for(IS_IDLE)
        page.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        self.assert_fits(page, 390)
        page.screenshot("phone")
        page.run("document.getElementById('model').value = 'demo/echo'")
        self.ask(page, "x" * 300)
        self.assert_fits(page, 390)
        height = page.run("document.getElementById('send').getBoundingClientRect().height")
        self.assertGreaterEqual(height, 44, "large enough for a finger")

    def test_a_gateway_that_is_not_there_is_named(self):
        page = self.browser.open(self.address.partition("?")[0] + "?gateway=http://127.0.0.1:1")
        page.wait_for("document.getElementById('status').textContent")
        self.assertIn("http://127.0.0.1:1 can't be reached", page.run("document.getElementById('status').textContent"))
        page.wait_for("document.getElementById('settings').open")

    def test_a_gateway_that_goes_away_in_the_middle_is_an_error_in_the_answer(self):
        example = ExampleProcess("timeline-page")
        self.addCleanup(example.stop)
        page = self.browser.open(example.printed(r"(http://\S+/\?gateway=\S+)") + "&model=demo/slow")
        page.wait_for("!document.getElementById('model').disabled")
        self.begin(page, "Take your time")
        page.wait_for("document.querySelector('.text')?.textContent.length > 20")
        example.stop()
        page.wait_for(IS_IDLE)
        self.assertEqual([kind for kind, _ in self.steps(page)], ["text", "error"])

    def test_it_works_as_a_file_too(self):
        example = ExampleProcess("timeline-page", PAGE_ORIGIN="null")  # as browsers call a file's
        self.addCleanup(example.stop)
        page = self.browser.open(f"file://{REPOSITORY}/examples/timeline-page/index.html?gateway={example.url}")
        page.wait_for("!document.getElementById('model').disabled")
        self.ask(page, "What is 6 * 7?")
        self.assertIn("calculator says: 42", self.steps(page)[-2][1])

    def test_nothing_is_loaded_from_elsewhere(self):
        page = self.open()
        loaded = page.run("performance.getEntriesByType('resource').map((entry) => entry.name)")
        self.assertEqual([url for url in loaded if not url.startswith(self.example.url)], [])


class EmptyPage(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()

    def log_message(self, *_):
        pass


@unittest.skipUnless(browser.COMMAND, "there is no chromium")
class OtherPagesTest(ExampleTest):
    """A page of another origin that reads an agent's stream, as others print it."""

    name = "chain"

    def test_a_reader_of_agents_in_a_browser(self):
        chromium = browser.Browser("examples")
        self.addCleanup(chromium.close)
        # Chromium asks its user before a page of the internet may ask this machine; one of this machine may.
        elsewhere = ThreadingHTTPServer(("127.0.0.1", 0), EmptyPage)
        threading.Thread(target=elsewhere.serve_forever, daemon=True).start()
        self.addCleanup(elsewhere.server_close)
        self.addCleanup(elsewhere.shutdown)
        page = chromium.open(f"http://127.0.0.1:{elsewhere.server_port}/")
        example = ExampleProcess("chain", PAGE_ORIGIN=f"http://127.0.0.1:{elsewhere.server_port}")
        self.addCleanup(example.stop)
        source = (CLIENTS / "stream.mjs").read_text(encoding="utf-8")
        source = source.replace("https://gateway.example.com", example.url)
        printed = page.run(f"""(async () => {{
            let printed = '';
            const process = {{ stdout: {{ write: (text) => {{ printed += text; }} }} }};
            const console = {{ log: (line) => {{ printed += line + '\\n'; }} }};
            await (async () => {{ {source} }})();
            return printed;
        }})()""")
        self.assertTrue(printed.startswith("🔧 Calling gas_price...\n✅ gas_price: "), json.dumps(printed))
        self.assertIn("0.01", printed)


if __name__ == "__main__":
    unittest.main()
