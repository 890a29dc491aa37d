"""Debian's Chromium, driven as a person would: types, clicks, looks. Nothing is downloaded."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from selenium import webdriver
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException, WebDriverException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from support import ALICE, Account
from support.fixtures import ROOT

SCREENSHOTS = ROOT / "artifacts" / "screenshots"
PHONE = (390, 844)
DESKTOP = (1280, 800)
PATIENCE = 15.0


class Chromium:
    """One browser process with a profile of its own, removed afterwards."""

    def __init__(self, ca_file: Path | None = None) -> None:
        binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
        assert binary and driver, "apt-get install chromium chromium-driver"
        self._home = tempfile.TemporaryDirectory(prefix="seleid-chromium-", dir="/tmp", ignore_cleanup_errors=True)
        home = Path(self._home.name)
        if ca_file is not None:
            _trust(home, ca_file)
        options = webdriver.ChromeOptions()
        options.binary_location = binary
        for argument in (
            "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-proxy-server",
            "--password-store=basic", "--lang=en", f"--user-data-dir={home / 'profile'}",
        ):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        options.page_load_strategy = "eager"
        environment = {**os.environ, "HOME": str(home), "XDG_CONFIG_HOME": str(home), "XDG_CACHE_HOME": str(home)}
        service = Service(driver, env=environment, log_output=subprocess.DEVNULL)
        self.driver = webdriver.Chrome(options=options, service=service)
        self.driver.set_page_load_timeout(30)
        self.driver.set_script_timeout(15)
        self._console: list[dict] = []
        self._events: list[dict] = []

    def quit(self) -> None:
        try:
            self.driver.quit()
        finally:
            self._home.cleanup()

    def fresh(self) -> None:
        """Forgets cookies, caches, tabs and logs, so that tests do not see one another."""
        while len(self.driver.window_handles) > 1:
            self.driver.switch_to.window(self.driver.window_handles[-1])
            self.driver.close()
        self.driver.switch_to.window(self.driver.window_handles[0])
        self.cdp("Network.clearBrowserCookies")
        self.cdp("Network.clearBrowserCache")
        self.cdp("Emulation.clearDeviceMetricsOverride")
        self.cdp("Emulation.setEmulatedMedia", features=[])
        self.cdp("Emulation.setScriptExecutionDisabled", value=False)
        self.driver.get("about:blank")
        self.cdp("Page.resetNavigationHistory")
        self.events()
        self.console()
        self._events, self._console = [], []

    def cdp(self, command: str, **parameters: object) -> dict:
        return self.driver.execute_cdp_cmd(command, parameters)

    # What the browser looks like

    def resize(self, size: tuple[int, int]) -> None:
        width, height = size
        phone = width < 600
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height,
                 deviceScaleFactor=2 if phone else 1, mobile=phone)

    def dark(self, on: bool = True) -> None:
        value = "dark" if on else "light"
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": value}])

    def scripts(self, on: bool) -> None:
        self.cdp("Emulation.setScriptExecutionDisabled", value=not on)

    def screenshot(self, name: str) -> Path:
        """Keeps a picture of the whole page as `artifacts/screenshots/NAME-WIDTH.png`."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        metrics = self.cdp("Page.getLayoutMetrics")
        width = metrics["cssLayoutViewport"]["clientWidth"]
        height = max(metrics["cssContentSize"]["height"], metrics["cssLayoutViewport"]["clientHeight"])
        picture = self.cdp("Page.captureScreenshot", captureBeyondViewport=True,
                           clip={"x": 0, "y": 0, "width": width, "height": height, "scale": 1})
        width = self.cdp("Runtime.evaluate", expression="innerWidth")["result"]["value"]
        path = SCREENSHOTS / f"{name}-{width}.png"
        path.write_bytes(base64.b64decode(picture["data"]))
        return path

    @property
    def overflow(self) -> int:
        """Pixels by which the page is wider than the window."""
        expression = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        return self.cdp("Runtime.evaluate", expression=expression)["result"]["value"]

    # What a person does

    def open(self, url: str) -> None:
        """Types an address; the end of a chain of redirects outside http is no error."""
        try:
            self.driver.get(url)
        except WebDriverException as error:
            if "net::ERR_ABORTED" not in str(error) and "ERR_UNKNOWN_URL_SCHEME" not in str(error):
                raise

    @property
    def url(self) -> str:
        return self.driver.current_url

    @property
    def text(self) -> str:
        return self.driver.find_element(By.TAG_NAME, "body").text

    def find(self, selector: str) -> WebElement | None:
        try:
            return self.driver.find_element(By.CSS_SELECTOR, selector)
        except NoSuchElementException:
            return None

    def wait(self, what: str, condition, seconds: float = PATIENCE):
        """Waits until `condition()` is true; gives its value."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                value = condition()
                if value:
                    return value
            except (StaleElementReferenceException, NoSuchElementException):
                pass
            if time.monotonic() > deadline:
                raise TimeoutError(f"waited {seconds:.0f} s for {what}; at {self.url.split('?')[0]}: {self.text[:500]}")
            time.sleep(0.03)

    def wait_for(self, selector: str) -> WebElement:
        return self.wait(selector, lambda: self.find(selector))

    def wait_for_url(self, start: str) -> str:
        return self.wait(f"an address beginning with {start}", lambda: self.url.startswith(start) and self.url)

    @property
    def sign_in_button(self) -> WebElement:
        form = self.wait_for("input[name=password]").find_element(By.XPATH, "./ancestor::form")
        return form.find_element(By.CSS_SELECTOR, "button:not([type=button]), input[type=submit]")

    def fill(self, account: Account = ALICE, password: str | None = None) -> None:
        username = self.wait_for("input[name=username]")
        username.clear()
        username.send_keys(account.username)
        self.wait_for("input[name=password]").send_keys(password or account.password)

    def sign_in(self, account: Account = ALICE, password: str | None = None) -> None:
        self.fill(account, password)
        self.sign_in_button.click()

    def decide(self, decision: str = "allow") -> None:
        self.wait_for(f"[name=decision][value={decision}]").click()

    # What the browser tells

    def events(self) -> list[dict]:
        """All protocol events since `fresh`, oldest first."""
        for entry in self.driver.get_log("performance"):
            self._events.append(json.loads(entry["message"])["message"])
        return self._events

    def console(self) -> list[dict]:
        self._console += self.driver.get_log("browser")
        return self._console

    def handed_over(self, scheme: str) -> list[str]:
        """Addresses of `scheme` that the browser was asked to go to, by redirect, refresh or click."""
        found = []
        for event in self.events():
            parameters = event["params"]
            url = ""
            if event["method"] in ("Page.frameRequestedNavigation", "Page.frameScheduledNavigation"):
                url = parameters["url"]
            elif event["method"] == "Network.requestWillBeSent":
                url = parameters["request"]["url"]
            if url.startswith(scheme + ":"):
                found.append(url)
        return found

    @property
    def policy_violations(self) -> list[str]:
        return [entry["message"] for entry in self.console() if "Content Security Policy" in entry["message"]]

    def failed_requests(self, origin: str) -> list[tuple[int, str]]:
        """Answers of `origin` with a server error."""
        answers = [event["params"]["response"] for event in self.events()
                   if event["method"] == "Network.responseReceived"]
        return [(answer["status"], answer["url"].split("?")[0]) for answer in answers
                if answer["url"].startswith(origin) and answer["status"] >= 500]


def _trust(home: Path, ca_file: Path) -> None:
    """Puts the CA into the certificate store that Chromium reads for this HOME."""
    certutil = shutil.which("certutil")
    assert certutil, "apt-get install libnss3-tools"
    store = home / ".pki" / "nssdb"
    store.mkdir(parents=True)
    for arguments in (["-N", "--empty-password"], ["-A", "-t", "C,,", "-n", "seleid-dev", "-i", str(ca_file)]):
        subprocess.run([certutil, "-d", f"sql:{store}", *arguments], check=True, capture_output=True, timeout=30)


@contextmanager
def chromium(ca_file: Path | None = None):
    browser = Chromium(ca_file)
    try:
        yield browser
    finally:
        browser.quit()
