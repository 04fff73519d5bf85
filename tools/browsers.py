"""Browsers without a screen, driven by their own protocols: Chromium over two pipes, Firefox by Marionette."""

import json
import os
import socket
import subprocess
import sys
import time

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
]


def die(what):
    sys.exit(f"{os.path.basename(sys.argv[0])}: {what}")


class Chromium:
    """Chromium, spoken to by its protocol over two pipes."""

    def __init__(self, profile, log, downloads=None):
        self.log = log
        to_read, self.to_write = os.pipe()
        self.to_take, to_answer = os.pipe()
        # 3 and 4 are what Chromium reads and writes
        command = ["bash", "-c", 'exec "$@" 3<&"$IN" 4>&"$ANSWERS"', "-", "chromium", *FLAGS]
        environment = dict(os.environ, IN=str(to_read), ANSWERS=str(to_answer))
        with open(log, "w") as file:
            self.process = subprocess.Popen(
                [*command, f"--user-data-dir={profile}"],
                pass_fds=(to_read, to_answer),
                env=environment,
                stdout=file,
                stderr=file,
            )
        os.close(to_read)
        os.close(to_answer)
        self.number, self.rest, self.events, self.session = 0, b"", [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        if downloads:
            self.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(downloads))
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Network", "Performance", "Runtime", "DOM"):
            self.call(f"{domain}.enable")

    def read(self):
        while b"\0" not in self.rest:
            got = os.read(self.to_take, 1 << 16)
            if not got:
                die(f"Chromium has ended; see {self.log}")
            self.rest += got
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    die(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.read())

    def value(self, expression):
        """The value of an expression, which may be a promise."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            die(f"Chromium: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def open(self, url):
        self.events.clear()
        self.call("Page.navigate", url=url)
        self.wait_for("Page.loadEventFired")

    def choose_file(self, selector, path):
        """Chooses a file in a field for files."""
        found = self.call("Runtime.evaluate", expression=f"document.querySelector({json.dumps(selector)})")
        self.call("DOM.setFileInputFiles", files=[str(path)], objectId=found["result"]["objectId"])

    def press(self, key):
        """A key by name, as a person presses it."""
        numbers = {"Tab": 9, "Enter": 13, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowRight": 39}
        text = {"Enter": "\r"}.get(key, "")
        common = {"key": key, "code": key, "windowsVirtualKeyCode": numbers[key]}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def processor_seconds(self):
        """Of the process that has the page: another program makes it wait, and takes none of them."""
        metrics = self.call("Performance.getMetrics")["metrics"]
        return next(metric["value"] for metric in metrics if metric["name"] == "ProcessTime")

    def close(self):
        self.call("Browser.close")
        self.process.wait()


class Firefox:
    """Firefox, spoken to by Marionette: lengths and JSON over a socket of this machine."""

    KEYS = {"Tab": "\ue004", "Enter": "\ue007", "End": "\ue010", "Home": "\ue011", "ArrowLeft": "\ue012", "ArrowRight": "\ue014"}

    def __init__(self, profile, log, downloads=None):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        (profile / "user.js").write_text(
            f'user_pref("marionette.port", {port});\n'
            f'user_pref("browser.download.folderList", 2);\nuser_pref("browser.download.dir", "{downloads}");\n'
            'user_pref("browser.helperApps.neverAsk.saveToDisk", "text/csv");\n'
            # requests of Firefox' own
            'user_pref("app.update.auto", false);\n'
            'user_pref("datareporting.policy.dataSubmissionEnabled", false);\n'
            'user_pref("network.captive-portal-service.enabled", false);\n'
        )
        with open(log, "w") as file:
            command = ["firefox-esr", "--headless", "--marionette", "--no-remote", "--profile", str(profile)]
            self.process = subprocess.Popen(command, stdout=file, stderr=file)
        for _ in range(600):
            if self.process.poll() is not None:
                die(f"Firefox has ended; see {log}")
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), timeout=600)
                break
            except OSError:
                time.sleep(0.1)
        else:
            die(f"Firefox does not answer; see {log}")
        self.number, self.rest = 0, b""
        self.read()
        capabilities = {"timeouts": {"script": 600_000}}
        self.call("WebDriver:NewSession", capabilities={"alwaysMatch": capabilities})

    def read(self):
        while b":" not in self.rest:
            self.receive()
        size, self.rest = self.rest.split(b":", 1)
        while len(self.rest) < int(size):
            self.receive()
        message, self.rest = self.rest[: int(size)], self.rest[int(size) :]
        return json.loads(message)

    def receive(self):
        got = self.socket.recv(1 << 16)
        if not got:
            die("Firefox has closed its socket")
        self.rest += got

    def call(self, method, **params):
        self.number += 1
        message = json.dumps([0, self.number, method, params]).encode()
        self.socket.sendall(b"%d:%s" % (len(message), message))
        _, _, error, result = self.read()
        if error:
            die(f"{method}: {error['error']}: {error['message']}")
        return result

    def value(self, expression):
        """The value of an expression, which may be a promise."""
        return self.call("WebDriver:ExecuteScript", script=f"return {expression}", args=[], sandbox=None)["value"]

    def open(self, url):
        self.call("WebDriver:Navigate", url=url)

    def element(self, selector):
        return next(iter(self.call("WebDriver:FindElement", using="css selector", value=selector)["value"].values()))

    def choose_file(self, selector, path):
        """Chooses a file in a field for files."""
        self.call("WebDriver:ElementSendKeys", id=self.element(selector), text=str(path))

    def type(self, text):
        actions = [action for letter in text for action in ({"type": "keyDown", "value": letter}, {"type": "keyUp", "value": letter})]
        self.call("WebDriver:PerformActions", actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def press(self, key):
        """A key by name, as a person presses it."""
        self.type(self.KEYS[key])

    def picture(self):
        return self.call("WebDriver:TakeScreenshot", full=True)["value"]

    def close(self):
        self.call("Marionette:Quit", flags=["eForceQuit"])
        self.process.wait()
