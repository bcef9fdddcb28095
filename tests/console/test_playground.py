"""The playground, with the demo models."""

from console_test import ConsoleTest


class Playground(ConsoleTest):
    def open_with(self, model, **options):
        page = self.open(f"/playground?model={model}", **options).has_title("Playground")
        page.wait_for("document.querySelector('.composer')")
        return page

    def say(self, page, text):
        return page.fill("Your message", text).press("Enter")

    def answers(self, page, panel=0):
        return page.run(f"[...document.querySelectorAll('.panel')[{panel}].querySelectorAll('.step.text .said')].map((each) => each.textContent)")

    def is_done(self, page):
        page.wait_for("document.querySelector('.composer button')?.textContent === 'Send' && document.querySelector('.turn-facts')")

    def test_an_answer_streams_with_its_frames_beside_it(self):
        page = self.open_with("demo/echo")
        self.say(page, "one two three")
        self.is_done(page)
        self.assertEqual(self.answers(page), ["one two three"])
        page.wait_for("document.querySelector('.frames')?.innerText.includes('[DONE]')")
        self.assertIn("chat.completion.chunk", page.text_of(".frames"))
        page.screenshot("playground")
        self.assert_no_barriers(page)
        # The conversation goes on with what was said.
        self.say(page, "four")
        page.wait_for("document.querySelectorAll('.turn-facts').length === 2")
        self.assertEqual(self.answers(page), ["one two three", "four"])
        page.click("See the request").has_title("Request").shows("demo/echo answered")

    def test_two_models_side_by_side(self):
        page = self.open_with("demo/echo")
        page.choose("Beside it", "demo/reasoning")
        self.say(page, "Which one?")
        page.wait_for("document.querySelectorAll('.turn-facts').length === 2")
        self.assertEqual(self.answers(page, 0), ["Which one?"])
        self.assertTrue(self.answers(page, 1)[0])
        self.assertTrue(page.run("Boolean(document.querySelectorAll('.panel')[1].querySelector('.step.reasoning'))"))
        left, right = page.run("[...document.querySelectorAll('.panel')].map((each) => each.getBoundingClientRect().x)")
        self.assertLess(left, right)
        page.screenshot("playground-two")

    def test_stop_stops(self):
        page = self.open_with("demo/slow")
        self.say(page, "Take your time")
        page.wait_for("document.querySelector('.said')?.textContent.length > 10")
        page.click("Stop").shows("Stopped.")
        self.say(page, "Once more")
        page.wait_for("document.querySelectorAll('.said')[1]?.textContent.length > 10")
        page.press("Escape").wait_for("document.querySelectorAll('.turn-facts').length === 2")
        page.screenshot("playground-stopped")
        page.wait_for("document.querySelector('.composer button')?.textContent === 'Send'")

    def test_tools_on_and_off(self):
        page = self.open_with("assistant")
        self.say(page, "What is 6 * 7?")
        self.is_done(page)
        page.shows("calculator", "42")
        page.screenshot("playground-tools")
        page.click("New conversation")
        page.click("Options: timeline, tools on").choose("Tools", "Off")
        self.say(page, "What is 6 * 7?")
        self.is_done(page)
        self.assertFalse(page.run("Boolean(document.querySelector('.step.tool'))"))

    def test_each_dialect_is_drawn_the_same(self):
        page = self.open_with("assistant")
        page.click("Options: timeline, tools on")
        for dialect in ("timeline", "agent", "agent-raw"):
            with self.subTest(dialect=dialect):
                page.choose("Dialect", dialect).click("Raw frames").click("Raw frames")
                self.say(page, "What is 6 * 7?")
                self.is_done(page)
                page.shows("calculator", "completed")
                page.click("New conversation")

    def test_errors_are_told_where_they_happen(self):
        page = self.open_with("demo/error-midstream")
        self.say(page, "Fail")
        page.wait_for("document.querySelector('.step.error')")
        page.click("New conversation").choose("Model", "demo/error-before")
        self.say(page, "Fail")
        page.wait_for("document.querySelector('.turn .notice.bad')")
        page.screenshot("playground-error")
        page.click("See the request").has_title("Request").shows("demo/error-before failed", "The client was told 502")

    def test_a_phone_has_room_for_it(self):
        page = self.open_with("demo/echo", width=390, height=844)
        self.say(page, "x" * 300)
        self.is_done(page)
        self.assert_fits(page, 390)
        page.screenshot("playground-phone")
