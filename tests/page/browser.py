"""A real browser without a screen: Debian's Chromium, spoken to over its DevTools pipe."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


class Browser:
    """One process with one page; what the page complains about is kept in `errors`, what it asks for in `requests`."""

    def __init__(self, width=1280, height=900):
        self._profile = tempfile.mkdtemp(prefix="einlass-page-")
        there, self._out = os.pipe()
        self._in, here = os.pipe()

        def as_three_and_four():
            # Above both first, or one could be lost under the other.
            high = [os.dup2(fd, 100 + place) for place, fd in enumerate((there, here))]
            for place, fd in enumerate(high):
                os.dup2(fd, 3 + place, inheritable=True)

        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--no-first-run", f"--user-data-dir={self._profile}", "about:blank"],
            preexec_fn=as_three_and_four, pass_fds=(3, 4, there, here), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(there)
        os.close(here)
        self.errors, self.requests = [], []
        self._password = None
        self._calls, self._text, self._session = 0, b"", None
        try:
            target = self.call("Target.createTarget", url="about:blank")["targetId"]
            self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for part in ("Page", "Runtime", "Log", "Network"):
                self.call(f"{part}.enable")
            self.resize(width, height)
        except BaseException:
            self.stop()
            raise

    def stop(self):
        self.process.kill()
        self.process.wait()
        os.close(self._in)
        os.close(self._out)
        shutil.rmtree(self._profile, ignore_errors=True)

    def _tell(self, method, **parameters):
        self._calls += 1
        message = {"id": self._calls, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        return self._calls

    def call(self, method, patience=30, **parameters):
        asked = self._tell(method, **parameters)
        deadline = time.monotonic() + patience
        while True:
            answer = self._next(deadline, method)
            if answer.get("id") == asked:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]

    def _next(self, deadline, what):
        while b"\0" not in self._text:
            ready, _, _ = select.select([self._in], [], [], max(0, deadline - time.monotonic()))
            assert ready, f"the browser did not answer {what} in time"
            more = os.read(self._in, 1 << 16)
            assert more, "the browser has ended"
            self._text += more
        first, _, self._text = self._text.partition(b"\0")
        message = json.loads(first)
        self._take_note(message.get("method"), message.get("params", {}))
        return message

    def _take_note(self, event, about):
        if event == "Runtime.exceptionThrown":
            self.errors.append(about["exceptionDetails"].get("exception", {}).get("description", str(about)))
        elif event == "Runtime.consoleAPICalled" and about["type"] in ("error", "warning", "assert"):
            self.errors.append(str([one.get("value") for one in about["args"]]))
        elif event == "Log.entryAdded" and about["entry"]["level"] in ("error", "warning"):
            self.errors.append(about["entry"]["text"])
        elif event == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])
        elif event == "Fetch.requestPaused":
            self._tell("Fetch.continueRequest", requestId=about["requestId"])
        elif event == "Fetch.authRequired":
            answer = {"response": "CancelAuth"} if self._password is None else {
                "response": "ProvideCredentials", "username": "anybody", "password": self._password}
            self._tell("Fetch.continueWithAuth", requestId=about["requestId"], authChallengeResponse=answer)

    def log_in_with(self, password):
        """What somebody types where the browser asks for a login; None: who does not."""
        self._password = password
        self.call("Fetch.enable", handleAuthRequests=True)

    def open(self, url):
        self.call("Page.navigate", url=url)

    def resize(self, width, height, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)

    def prefer(self, scheme):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def value(self, script):
        """What the expression is in the page; promises are waited for."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, f"{script}: {answer['exceptionDetails']}"
        return answer["result"].get("value")

    def text(self, selector):
        return self.value(f"(document.querySelector({json.dumps(selector)}) || {{}}).innerText || ''")

    def press(self, key):
        """A key of the keyboard, where the focus is."""
        code = {"Tab": 9, "Enter": 13}[key]
        for kind in ("rawKeyDown", "char", "keyUp"):
            if kind == "char" and key != "Enter":
                continue
            text = {"text": "\r"} if kind != "keyUp" and key == "Enter" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **text)

    def picture(self, path, whole=True, before=None):
        """The whole page from top to bottom, or what of it is in the window; or what is above the first element of a selector."""
        self.call("Emulation.setScrollbarsHidden", hidden=True)
        clip = {}
        if before:
            top = self.value(f"document.querySelector({json.dumps(before)}).getBoundingClientRect().top + scrollY")
            clip = {"clip": {"x": 0, "y": 0, "width": self.value("innerWidth"), "height": round(top), "scale": 1}}
        answer = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole, **clip)
        with open(path, "wb") as file:
            file.write(base64.b64decode(answer["data"]))
