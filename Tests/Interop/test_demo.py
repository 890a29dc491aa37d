"""The demo app of `seleid dev`: what a newcomer sees within the first minute."""

from chromium import Chromium
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from support import Account, Dev


def press(page: Chromium, action: str) -> None:
    page.wait_for(f"[data-action={action}]:not([disabled])").click()


def newest_entry(page: Chromium, count: int) -> WebElement:
    """The newest line of the log, once it has `count` lines."""
    page.wait(f"{count} lines in the log", lambda: page.cdp(
        "Runtime.evaluate", expression="document.querySelectorAll('#log > li').length")["result"]["value"] == count)
    return page.wait_for("#log > li:first-child")


def badge(entry: WebElement) -> str:
    return entry.find_element("css selector", ".badge").text


def test_signs_in_shows_the_claims_refreshes_and_shows_reuse(sized: Chromium, server: Dev) -> None:
    sized.open(server.url("/demo"))
    sized.wait_for("[data-action=sign-in]")
    assert sized.overflow <= 0
    sized.screenshot("demo-start")
    # A newcomer reads name and password from the page.
    username, password = [entry.text for entry in sized.driver.find_elements("css selector", ".credentials dd")]

    press(sized, "sign-in")
    sized.sign_in(Account(username, password, {}))
    sized.wait("consent or the app", lambda: sized.find("[name=decision][value=allow]") or sized.find("#title"))
    if sized.find("[name=decision][value=allow]"):
        sized.decide("allow")

    sized.wait("the claims", lambda: sized.find("#claims tr"))
    assert sized.wait_for("#title").text == "Signed in"
    claims = dict(row.text.split(maxsplit=1) for row in sized.driver.find_elements("css selector", "#claims tr"))
    assert claims["iss"] == server.issuer and claims["sub"]
    assert sized.find("#checks li") is not None and sized.find("#checks li.failed") is None
    assert "?" not in sized.url, "the code must not stay in the address"
    assert sized.overflow <= 0

    press(sized, "userinfo")
    entry = sized.wait_for("#userinfo > li:first-child")
    assert badge(entry) == "200 OK"
    entry.find_element("css selector", "summary").click()
    assert '"email": "demo@example.test"' in entry.text
    assert sized.overflow <= 0

    for count in range(1, 4):
        press(sized, "refresh")
        assert badge(newest_entry(sized, count)) == "200 OK"
    sized.screenshot("demo-signed-in")
    press(sized, "retry")
    assert badge(newest_entry(sized, 4)) == "200 OK", "a lost reply does no harm"
    press(sized, "replay")
    assert badge(newest_entry(sized, 6)) == "400 invalid_grant", "the newest token has ended with its family"
    sized.wait_for("[data-action=refresh][disabled]")
    sized.screenshot("demo-replayed")

    press(sized, "forget")
    sized.wait("the start page", lambda: sized.url == server.url("/demo"))
    assert sized.policy_violations == []
    assert sized.failed_requests(server.issuer) == []


def test_works_with_the_keyboard_alone(chrome: Chromium, server: Dev) -> None:
    chrome.open(server.url("/demo"))
    username, password = [entry.text for entry in chrome.driver.find_elements("css selector", ".credentials dd")]
    chrome.wait_for("[data-action=sign-in]").send_keys(Keys.ENTER)
    chrome.wait_for("input[name=username]")

    # The cursor stands in the first field; Enter in the last one signs in.
    active = chrome.driver.switch_to.active_element
    active.send_keys(username, Keys.TAB)
    chrome.driver.switch_to.active_element.send_keys(password, Keys.ENTER)
    chrome.wait("consent or the app", lambda: chrome.find("[name=decision][value=allow]") or chrome.find("#title"))
    if allow := chrome.find("[name=decision][value=allow]"):
        allow.send_keys(Keys.ENTER)

    chrome.wait("the claims", lambda: chrome.find("#claims tr"))


def test_denying_the_demo_is_explained(chrome: Chromium, server: Dev) -> None:
    chrome.open(server.url("/demo"))
    press(chrome, "sign-in")

    chrome.decide("cancel")

    chrome.wait("the explanation", lambda: chrome.find("#title") and chrome.find("#title").text == "Not signed in")
    assert "access_denied" in chrome.wait_for("#problem").text
    assert chrome.policy_violations == []
