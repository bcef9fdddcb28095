"""What was used, and the config."""

from pathlib import Path

import client
from console_test import ConsoleTest


class Usage(ConsoleTest):
    config = {"prices": {"demo/text": {"input": 1, "output": 2}}}

    def test_sums_by_model_and_day_and_as_csv(self):
        for _ in range(3):
            client.ask(self.runnel.port, model="demo/text")
        client.ask(self.runnel.port, model="demo/echo")
        page = self.open("/usage").has_title("Usage").click("Model")
        page.wait_for("document.querySelector('.card tbody')?.innerText.includes('demo/text')")
        page.wait_for("document.querySelector('.card tbody').innerText.includes('demo/echo')")
        rows = dict(page.run("[...document.querySelectorAll('.card tbody tr')].map((row) => [row.cells[0].innerText, row.cells[2].innerText])"))
        self.assertEqual((rows["demo/text"], rows["demo/echo"]), ("3", "1"))
        page.shows("models without a price")
        with page.page.expect_download() as download:
            page.click("Download CSV")
        head, *lines = Path(download.value.path()).read_bytes().decode().strip().split("\r\n")
        self.assertTrue(head.startswith("model,name,requests,errors,"))
        self.assertTrue(any(line.startswith("demo/text,demo/text,3,0,") for line in lines), lines)
        page.click("Day").wait_for("/^\\d{4}-\\d\\d-\\d\\d/.test(document.querySelector('.card tbody')?.innerText)")
        page.screenshot("usage-by-day")


class Config(ConsoleTest):
    secret = "sk-test-KEY"  # of the providers

    def test_secrets_are_masked(self):
        page = self.open("/config").has_title("Config").shows("with secrets masked")
        page.wait_for("document.querySelector('.editor textarea')?.value.includes('openai-compatible')")
        text = page.value_of(".editor textarea")
        self.assertNotIn(self.secret, text)
        self.assertIn("***", text)

    def test_an_edited_one_is_checked_and_problems_lead_to_their_line(self):
        page = self.open("/config").has_title("Config").click("Check this text").shows("This config is right.")
        page.fill("Config as YAML", "listen: 127.0.0.1:0\nproviders:\n  x: {kind: opnai}\n").click("Check this text")
        page.shows("1 problem", "openai")
        page.screenshot("config-problem")
        self.assert_no_barriers(page)
        page.click("Line 3, column 13")
        editor = "document.querySelector('.editor textarea')"
        page.wait_for(f"{editor}.value.startsWith('opnai', {editor}.selectionStart)")
        page.click("Back to the running one").wait_for(f"{editor}.value.includes('openai-compatible')")


class Reload(ConsoleTest):
    def test_reload_says_what_changed_or_what_is_wrong(self):
        page = self.open("/config").has_title("Config")
        self.runnel.write_config({"models": {"brand-new": {"targets": ["demo/text"]}}})
        page.click("Reload the config").shows("Reloaded.", "Models added: brand-new", "Providers removed")
        page.wait_for("document.querySelector('.editor textarea')?.value.includes('brand-new')")
        self.runnel.write_config({"models": {"brand-new": {"targets": ["nobody/x"]}}})
        page.click("Reload the config").shows("the config has problems", "nobody")
        page.screenshot("config-reload")
