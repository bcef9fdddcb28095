"""A million requests in the store: the console is as quick as with ten, and a restart empties nothing."""

import os
import shutil
import tempfile
import time

import client
from console_test import ConsoleTest
from many_requests import multiply
from runnel_process import RunnelProcess

COUNT = int(os.environ.get("RUNNEL_CONSOLE_REQUESTS", "1000000"))
MODELS = ("demo/text", "demo/echo", "demo/reasoning", "demo/error-before")

WATCH_FRAMES = """new Promise((done) => {
    const pauses = [];
    let last = performance.now();
    const tick = (now) => {
        pauses.push(now - last);
        last = now;
        if (pauses.length < 300) requestAnimationFrame(tick);
        else done(pauses.sort((one, other) => one - other));
    };
    requestAnimationFrame(tick);
})"""


class ManyRequests(ConsoleTest):
    @classmethod
    def start_gateway(cls):
        data = tempfile.mkdtemp(prefix="runnel-many-")
        cls.addClassCleanup(shutil.rmtree, data, ignore_errors=True)
        config = {"data": data, "prices": {"demo/text": {"input": 1, "output": 2}}}
        first = RunnelProcess(config)
        for model in MODELS:
            client.ask(first.port, model=model)
        first.stop()
        began = time.monotonic()
        multiply(os.path.join(data, "runnel.db"), COUNT, int(time.time() * 1000))
        cls.filled_in = time.monotonic() - began
        cls.runnel = RunnelProcess(config)
        cls.addClassCleanup(cls.runnel.stop)

    def figure(self, text):
        print(f"\nFIGURE: {text}", flush=True)

    def test_the_overview_shows_what_was_before_the_process(self):
        self.figure(f"{COUNT:,} requests made in {self.filled_in:.0f} s")
        page = self.open("/").has_title("Overview")
        hour = COUNT / 7 / 24
        requests = "Number(document.querySelector('.figure strong')?.textContent.replaceAll(',', ''))"
        page.wait_for(f"Math.abs({requests} - {hour}) < {hour} * 0.1")
        page.screenshot("many-hour")
        for range_, share in (("Day", 1 / 7), ("Week", 1), ("Month", 1)):
            page.click(range_)
            page.wait_for(f"Math.abs({requests} - {COUNT * share}) < {COUNT} * 0.01")
            page.screenshot(f"many-{range_.lower()}")
            pauses = page.run(WATCH_FRAMES)
            self.figure(f"overview, {range_.lower()}: of {len(pauses)} frames the slowest took {pauses[-1]:.0f} ms, p99 {pauses[-4]:.0f} ms")

    def test_the_process_recalls_every_hour_of_the_week(self):
        def known_hours():
            points = client.get(self.runnel.port, "/admin/v1/overview?range=week").json()["points"]
            return sum(point["requests"] > 0 and point["total_ms"]["p50"] is not None for point in points)

        self.assert_eventually(lambda: known_hours() >= 167)

    def test_what_each_page_asks_is_answered_quickly(self):
        self.open("/")
        day = time.strftime("%Y-%m-%dT00:00:00Z", time.gmtime(time.time() - 6 * 86_400))
        for path in ("/admin/v1/overview?range=week", f"/admin/v1/usage?from={day}&group_by=hour", "/admin/v1/usage?group_by=model",
                     "/admin/v1/logs?limit=50", "/admin/v1/logs?limit=50&error=*", "/admin/v1/logs?limit=50&model=demo/echo",
                     "/admin/v1/logs?limit=50&id=chatcmpl-0000000000000012345"):
            times = []
            for _ in range(5):
                began = time.monotonic()
                self.assertEqual(client.get(self.runnel.port, path).status, 200, path)
                times.append((time.monotonic() - began) * 1000)
            self.figure(f"{sorted(times)[2]:6.1f} ms (slowest of 5: {max(times):.1f})  {path}")

    def test_old_requests_are_found_and_paged_through(self):
        page = self.open("/requests?result=failed").has_title("Requests").shows("50 shown")
        page.click("Older requests").shows("100 shown").click("Older requests").shows("150 shown")
        page.fill("Look up a request by its id", f"chatcmpl-{COUNT // 2:020}").press("Enter")
        page.has_title("Request").shows("req_")
