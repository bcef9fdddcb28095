"""Chromium without a window, driven through the DevTools protocol over a pipe: no driver and no package is needed."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

import client
from pace import LIMIT

COMMAND = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
BUILD = Path(__file__).resolve().parents[2] / "build"
PROFILE_FLAGS = ("--headless=new", "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions",
                 "--disable-background-networking", "--no-proxy-server", "--remote-debugging-pipe")


class Browser:
    """Its pages' screenshots go to build/FOLDER/screenshots."""

    def __init__(self, folder):
        self.screenshots = BUILD / folder / "screenshots"
        self._profile = tempfile.mkdtemp(prefix="runnel-browser-")
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        sandbox = ("--no-sandbox",) if os.geteuid() == 0 else ()  # root can't have one
        self._process = subprocess.Popen(
            [COMMAND, *PROFILE_FLAGS, *sandbox, f"--user-data-dir={self._profile}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False,
            preexec_fn=lambda: self._take_pipe(theirs_in, theirs_out), start_new_session=True)
        os.close(theirs_in)
        os.close(theirs_out)
        self._last_id = 0
        self._answers = {}
        self._arrived = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    @staticmethod
    def _take_pipe(theirs_in, theirs_out):
        """In the child: the browser reads from descriptor 3 and writes to 4."""
        high_in, high_out = os.dup(theirs_in), os.dup(theirs_out)  # neither may be in the way of the other
        os.dup2(high_in, 3)
        os.dup2(high_out, 4)
        os.closerange(5, 256)

    def _read(self):
        pending = b""
        while data := os.read(self._in, 1 << 16):
            *messages, pending = (pending + data).split(b"\0")
            for message in map(json.loads, messages):
                with self._arrived:
                    self._answers[message.get("id")] = message  # events go by without an id
                    self._arrived.notify_all()

    def call(self, method, session=None, **params):
        self._last_id += 1
        number = self._last_id
        message = {"id": number, "method": method, "params": params, **({"sessionId": session} if session else {})}
        os.write(self._out, json.dumps(message).encode() + b"\0")
        with self._arrived:
            assert self._arrived.wait_for(lambda: number in self._answers, LIMIT), f"the browser does not answer {method}"
            answer = self._answers.pop(number)
        assert "error" not in answer, f"{method}: {answer}"
        return answer["result"]

    def open(self, url, width=1000, height=800, scheme="light"):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session)
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)
        page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        page.call("Page.enable")
        page.call("Page.navigate", url=url)
        page.wait_for("document.readyState === 'complete' && location.href !== 'about:blank'")
        return page

    def close(self):
        try:
            self.call("Browser.close")
            self._process.wait(LIMIT)
        finally:
            if self._process.poll() is None:
                self._process.kill()
                self._process.wait()
            os.close(self._out)
            shutil.rmtree(self._profile, ignore_errors=True)


class Page:
    def __init__(self, browser, session):
        self._browser = browser
        self._session = session

    def call(self, method, **params):
        return self._browser.call(method, self._session, **params)

    def run(self, script):
        """The value of an expression, awaited where it is a promise."""
        done = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in done, f"{script}: {done['exceptionDetails']}"
        return done["result"].get("value")

    def wait_for(self, condition, within=LIMIT):
        assert client.eventually(lambda: self.run(f"Boolean({condition})"), within), \
            f"{condition} does not come true: {self.run('document.body.innerText')}"

    def click(self, selector):
        """With the mouse, in the middle, once the page has drawn it: what covers it, or hides it, is found out."""
        self.wait_for(f"document.querySelector({json.dumps(selector)})?.getBoundingClientRect().width")
        x, y = self.run(f"""(() => {{
            const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        }})()""")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def press_enter(self):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", text="\r", windowsVirtualKeyCode=13)

    def screenshot(self, name):
        folder = self._browser.screenshots
        folder.mkdir(parents=True, exist_ok=True)
        picture = self.call("Page.captureScreenshot", format="png")["data"]
        (folder / f"{name}.png").write_bytes(base64.b64decode(picture))
