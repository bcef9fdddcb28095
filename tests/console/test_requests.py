"""Requests as they come, and one of them step by step."""

import json
import threading

import client
from console_test import ConsoleTest
from pace import scaled


def refuse(exchange):
    exchange.reply(500, b'{"error":{"message":"the disk of the provider is full"}}')


class Requests(ConsoleTest):
    def ask(self, **request):
        response = client.ask(self.runnel.port, **request)
        return response.headers.get("x-completion-id") or response.headers["x-request-id"]

    def rows(self, page):
        return page.run("[...document.querySelectorAll('tbody tr')].map((row) => row.innerText)")

    def test_the_live_tail_shows_a_stream_when_it_is_over(self):
        page = self.open("/requests").has_title("Requests").shows("Live")
        go_on = threading.Event()

        def slowly(exchange):
            exchange.head()
            exchange.delta("Hel")
            go_on.wait(scaled(30))
            exchange.delta("lo")
            exchange.finish()

        self.upstream.script = slowly
        asking = threading.Thread(target=lambda: self.ask(model="first/slow-one"))
        asking.start()
        page.shows("1 running")
        self.assertFalse(any("first/slow-one" in row for row in self.rows(page)))
        page.screenshot("live-tail-during-a-stream")
        overview = self.open("/").has_title("Overview")
        overview.wait_for("[...document.querySelectorAll('.figure')].some((each) => /Open now\\n1/.test(each.innerText))")
        go_on.set()
        asking.join()
        page.wait_for("document.querySelector('tbody')?.innerText.includes('first/slow-one')")
        page.screenshot("live-tail")

    def test_filters_are_in_the_address(self):
        self.ask(model="demo/text")
        self.ask(model="demo/error-before")
        page = self.open("/requests").shows("demo/text", "demo/error-before")
        page.choose("Result", "Failed")
        page.wait_for("location.search === '?result=failed'")
        page.wait_for("document.querySelector('tbody')?.innerText.includes('demo/error-before')")
        page.wait_for("[...document.querySelectorAll('tbody tr')].every((row) => row.classList.contains('row-bad'))")
        again = self.open("/requests?model=demo%2Ftext")
        again.wait_for("document.querySelector('tbody')?.innerText.includes('demo/text')")
        self.assertNotIn("demo/error-before", again.text_of("tbody"))
        again.fill("Id", "chatcmpl-nothing-begins-like-this").shows("No request fits these filters.")

    def test_last_hours_failed_stream_is_found_in_three_clicks(self):
        self.upstream.script = refuse
        self.assertEqual(client.ask(self.runnel.port, model="fast").status, 502)
        page = self.open("/").has_title("Overview")
        page.wait_for("document.querySelector('.figure a.bad-text')")
        page.click_on(".figure a.bad-text")  # one
        page.has_title("Requests").wait_for("document.querySelector('tbody a')")
        page.click_on("tbody a")  # two
        page.has_title("Request").shows("first/m failed", "the disk of the provider is full", "second/m failed",
                                       "The client was told 502")
        page.screenshot("failed-request")

    def test_a_stream_that_broke_off_says_why_and_shows_how_far_it_came(self):
        def broken(exchange):
            exchange.head()
            exchange.delta("The answer is for")
            exchange.fin()

        self.upstream.script = broken
        self.ask(model="fast")
        page = self.open("/").has_title("Overview").shows("Latest failures", "mid-stream")
        page.click_on("tbody tr:has-text('mid-stream') td")  # anywhere in the row
        page.has_title("Request").shows("first/m failed", "The client got part of the answer, then the error", "The answer is for")
        page.screenshot("broken-stream")

    def test_a_request_that_was_failed_over_and_ran_tools(self):
        """The first target fails, the second calls a tool of the gateway's and answers."""
        self.upstream.script = refuse
        completion = self.ask(model="careful", text="What is (17.5 * 3 + 2) / 4?")
        page = self.open(f"/requests/{completion}").has_title("Request")
        page.shows("first/m failed", "HTTP 500: the disk of the provider is full.", "demo/agent then answered in",
                   "The gateway ran 1 tool in 2 rounds.", '"(17.5 * 3 + 2) / 4"', "13.625")
        page.there(".waterfall li")
        page.there(".steps > li")
        bars = page.run("[...document.querySelectorAll('.waterfall-name')].map((name) => name.innerText.split(' · ')[0].split('\\n'))")
        self.assertEqual(bars[:3], [["first/m", "upstream failed"], ["demo/agent", "called tools"], ["calculator", "tool"]])
        self.assertEqual(bars[-1], ["demo/agent", "answered"])
        kinds = page.run("[...document.querySelectorAll('.steps > li')].map((step) => step.className.split(' ')[1])")
        self.assertEqual([kind for kind in kinds if kind in ("tool", "text", "finish")], ["text", "tool", "text", "finish"])
        self.assertTrue(page.run("[...document.querySelectorAll('.step-time span')].every((each) => /^[\\d.]+ (ms|s)$/.test(each.textContent))"))
        self.assert_no_barriers(page)
        page.screenshot("stream-view")
        dark = self.open(f"/requests/{completion}", scheme="dark").shows("13.625")
        self.assert_no_barriers(dark)
        dark.screenshot("stream-view-dark")

    def test_attempts_are_a_waterfall(self):
        self.upstream.script = lambda exchange: refuse(exchange) if "chat/completions" in exchange.request.target else exchange.stream("Hel", "lo")
        completion = self.ask(model="fast")
        page = self.open(f"/requests/{completion}").shows("first/m failed", "second/m then answered")
        page.wait_for("document.querySelectorAll('.waterfall li').length === 2")
        bars = page.run("""[...document.querySelectorAll('.waterfall li')].map((line) => [
            line.querySelector('.waterfall-name span').textContent, line.querySelector('.waterfall-bar').className.split(' ')[1]])""")
        self.assertEqual(bars, [["first/m", "bad"], ["second/m", "good"]])
        page.screenshot("failed-over")
        phone = self.open(f"/requests/{completion}", width=390, height=844).shows("second/m then answered")
        self.assert_fits(phone, 390)
        phone.screenshot("failed-over-phone")

    def test_it_plays_again_with_its_real_timing(self):
        completion = self.ask(model="demo/slow")
        page = self.open(f"/requests/{completion}").shows("Play with real timing")
        whole = page.text_of(".step.text .said")
        page.click("Play with real timing")  # which leaves time for a pause, however busy the machine is
        page.wait_for(f"document.querySelector('.step.text .said')?.textContent.length < {len(whole)}")
        page.click("Pause").choose("Speed", "4 ×").click("Go on").shows("Play again")
        self.assertEqual(page.text_of(".step.text .said"), whole)

    def test_raw_frames_in_each_dialect(self):
        completion = self.ask(model="demo/reasoning", stream_dialect="timeline")
        page = self.open(f"/requests/{completion}").click("Raw frames")
        page.wait_for("document.querySelector('.frames')?.innerText.includes('\"reasoning\"')")
        page.wait_for("document.querySelector('.frames')?.innerText.includes('[DONE]')")
        page.choose("Dialect", "openai")
        page.wait_for("document.querySelector('.frames')?.innerText.includes('\"reasoning_content\"')")
        page.wait_for("location.search === '?part=frames'")

    def test_raw_frames_in_each_api(self):
        completion = self.ask(model="demo/reasoning")
        page = self.open(f"/requests/{completion}").click("Raw frames")
        for dialect, word in (("messages", "event: message_stop"), ("responses", "event: response.completed"),
                              ("gemini", "finishReason")):
            with self.subTest(dialect):
                page.choose("Dialect", dialect)
                page.wait_for(f"document.querySelector('.frames')?.innerText.includes('{word}')")

    def test_the_request_as_a_command(self):
        completion = self.ask(model="demo/echo", text="it's here")
        page = self.open(f"/requests/{completion}").shows("Open in playground")
        page.run("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
        page.click("Copy as curl").shows("Copied")
        command = page.run("window.copied")
        self.assertIn(f"curl -N {self.url}/v1/chat/completions", command)
        self.assertIn("it'\\''s here", command)
        self.assertEqual(json.loads(command.rpartition("-d '")[2][:-1].replace("'\\''", "'"))["model"], "demo/echo")
        page.click("Open in playground").has_title("Playground")
        page.wait_for("document.querySelector('.composer textarea')?.value === \"it's here\"")

    def test_an_id_is_looked_up_from_anywhere(self):
        completion = self.ask(model="demo/text")
        page = self.open("/config").has_title("Config")
        page.fill("Look up a request by its id", completion).press("Enter")
        page.has_title("Request").shows(completion, "demo/text answered")

    def test_an_unknown_id_says_what_an_id_is(self):
        page = self.open("/requests/chatcmpl-nobody").has_title("Unknown request")
        page.shows("No request with this id is in the log.", "X-Completion-Id")
        self.assert_no_barriers(page)
        page.screenshot("unknown-id")


class NotKept(ConsoleTest):
    config = {"logs": {"content": "off"}}

    def test_what_was_not_kept_is_not_shown_and_the_page_says_how_to(self):
        response = client.ask(self.runnel.port, model="demo/echo", text="a secret")
        page = self.open(f"/requests/{response.headers['x-completion-id']}").shows("demo/echo answered")
        page.shows("What was said in this request was not kept.", "logs.content")
        self.assertNotIn("a secret", page.text())
