"""Keys, from the first to the last click: made, used, limited, replaced, revoked."""

import client
from console_test import ConsoleTest

TOKEN = "let-me-in-please"


class Keys(ConsoleTest):
    config = {"admin": {"token": TOKEN}, "auth": {"mode": "keys"}}
    signs_in = True

    def open_signed_in(self, path):
        page = self.open(path)
        if page.text_of("h1") == "Runnel":
            page.fill("Admin token", TOKEN).click("Sign in")
        return page

    def make(self, page, name, **fields):
        page.has_title("Keys").click("New key").fill("Name", name)
        for label, text in fields.items():
            page.fill(label, text)
        page.click("Make the key").shows("Your new key")
        return page.text_of("[data-secret]")

    def status_with(self, secret, model="demo/text"):
        return client.ask(self.runnel.port, model=model, headers={"Authorization": f"Bearer {secret}"}).status

    def tools_of(self, name):
        answer = client.get(self.runnel.port, f"/admin/v1/keys?name={name}", headers={"Authorization": f"Bearer {TOKEN}"})
        return answer.json()["data"][0]["tools"]

    def test_a_key_from_its_making_to_its_first_use(self):
        page = self.open_signed_in("/keys")
        secret = self.make(page, "First", Models="demo/*")
        page.screenshot("key-made")
        self.assert_no_barriers(page)
        self.assertRegex(secret, r"^rk-\w{43}$")
        self.assertIn(secret, page.text_of("dialog pre"))
        page.press("Escape")
        page.shows("Your new key")  # it is shown this once: not closed by accident
        page.click("I have copied it").shows("First").wait_for("!document.querySelector('dialog[open]')")
        self.assertNotIn(secret, page.text())
        self.assertEqual(self.status_with(secret), 200)
        self.assertEqual(self.status_with(secret, model="first/m"), 403)
        page.click("First").has_title("First").click("Those with this key").has_title("Requests")
        page.wait_for("document.querySelector('tbody')?.innerText.includes('demo/text')")

    def test_the_audit_log_has_what_was_done(self):
        page = self.open_signed_in("/keys")
        self.make(page, "Watched", Models="demo/*")
        page.click("I have copied it").click("Audit log").has_title("Audit log").shows("key.create", "console, 127.0.0.1")
        self.assert_no_barriers(page)
        page.screenshot("audit")

    def test_a_key_is_changed_stopped_replaced_and_revoked(self):
        page = self.open_signed_in("/keys")
        old = self.make(page, "Second", **{"Requests per minute": "100", "US dollars": "5"})
        page.click("I have copied it").shows("100 rpm", "$0 of $5.00 per month").click("Second").has_title("Second")
        self.assert_no_barriers(page)
        page.screenshot("key")
        page.fill("Requests per minute", "1").click("Save").shows("Saved.")
        self.assertEqual([self.status_with(old), self.status_with(old)], [200, 429])
        page.fill("Requests per minute", "1000").click("Save").shows("Saved.")
        self.assertIsNone(self.tools_of("Second"))
        page.click("More").fill("Tools", "now, files").click("Save").shows("Saved.")
        self.assert_eventually(lambda: self.tools_of("Second") == ["now", "files"])
        page.fill("Tools", "none").click("Save").shows("Saved.")
        self.assert_eventually(lambda: self.tools_of("Second") == [])
        page.click("Stop").shows("stopped")
        self.assertEqual(self.status_with(old), 401)
        page.click("Let it be used again").shows("in use")
        page.click("New secret …").choose("The old secret ends", "at once").click("Make a new secret").shows("The new secret")
        new = page.text_of("[data-secret]")
        page.click("I have copied it")
        self.assertNotEqual(new, old)
        self.assertEqual([self.status_with(old), self.status_with(new)], [401, 200])
        page.click("Revoke …").shows("can’t be undone").click("Revoke for good").has_title("Keys")
        self.assertEqual(self.status_with(new), 401)
        page.wait_for("!document.querySelector('.loading') && !document.body.innerText.includes('Second')")

    def test_what_is_wrong_with_a_form_is_said_in_it(self):
        page = self.open_signed_in("/keys").has_title("Keys").click("New key").fill("Name", "Third").fill("Models", "a*b")
        page.click("Make the key").shows("is not right", "may end in *")
        page.screenshot("key-refused")
        page.press("Escape").wait_for("!document.querySelector('dialog')")

    def test_an_unknown_key_says_so(self):
        page = self.open_signed_in("/keys/key_nobody").has_title("Unknown key").shows("revoked, or never made")

    def test_the_playground_asks_without_a_key_or_with_one(self):
        page = self.open_signed_in("/keys")
        secret = self.make(page, "Fourth", Models="demo/echo")
        page.click("I have copied it").click("Playground").has_title("Playground").choose("Model", "demo/text")
        page.fill("Your message", "As the admin").press("Enter").wait_for("document.querySelector('.turn-facts')")
        page.wait_for("document.querySelector('.step.text')")
        page.click("Options: timeline, tools on").fill("Key", secret)
        page.fill("Your message", "As its owner").press("Enter").shows("403 model_not_allowed")
