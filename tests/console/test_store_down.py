"""The store can't be reached: the console says so and what to do, and shows what it can."""

import client
from console_test import ConsoleTest


class StoreDown(ConsoleTest):
    config = {"store": "postgres://runnel:hunter22@127.0.0.1:1/runnel"}

    def test_pages_that_need_it_say_what_is_wrong_and_what_to_do(self):
        for path, title in (("/requests", "Requests"), ("/keys", "Keys"), ("/usage", "Usage"), ("/requests/chatcmpl-1", "Request")):
            with self.subTest(path=path):
                page = self.open(path).has_title(title).shows("can’t be shown", "Chat requests are still answered", "database")
                self.assertNotIn("hunter22", page.text())
                self.assert_no_barriers(page)
        page.screenshot("store-down")

    def test_the_overview_shows_what_the_process_remembers(self):
        self.assertEqual(client.ask(self.runnel.port, model="demo/text").status, 200)
        page = self.open("/").has_title("Overview")
        page.wait_for("/Requests\\n1\\n/.test(document.querySelector('.figure')?.innerText)")
        page.click("Day").shows("Only what this process remembers is shown")
        page.wait_for("/Requests\\n1\\n/.test(document.querySelector('.figure')?.innerText)")

    def test_the_playground_works(self):
        page = self.open("/playground?model=demo%2Fecho").fill("Your message", "still there?").press("Enter")
        page.wait_for("document.querySelector('.step.text .said')?.textContent === 'still there?'")
