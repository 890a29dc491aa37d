"""What people do with a browser beside the straight way: back, double click, reload, two tabs."""

from chromium import Chromium
from selenium.webdriver.common.action_chains import ActionChains

from support import AuthorizationRequest, Callback, Client, Dev, register


def redeem_newest(request: AuthorizationRequest, callback: Callback) -> None:
    """The answer that the person's browser ended on gives tokens."""
    token = request.exchange(request.code(callback.next()))
    assert token.status == 200, token.body


def no_fault(chrome: Chromium, server: Dev) -> None:
    assert chrome.failed_requests(server.issuer) == []
    assert chrome.policy_violations == []


def test_back_after_sign_in_goes_on_to_the_app_again(
        chrome: Chromium, server: Dev, web: Client, callback: Callback) -> None:
    """B086: never an error page, and the code is a new one."""
    request = AuthorizationRequest(server.issuer, web)
    chrome.open(request.url)
    chrome.sign_in()
    chrome.decide("allow")
    first = request.code(callback.next())
    assert request.exchange(first).status == 200
    chrome.wait_for_url(callback.origin)

    chrome.driver.back()
    # Some page of ours lies behind, from the browser's memory or fetched anew. Go on from it.
    chrome.wait("a way on", lambda: chrome.url.startswith(callback.origin) or chrome.find("input[name=password]")
                or chrome.find("[name=decision]"))
    if chrome.find("input[name=password]"):
        chrome.sign_in()
    elif chrome.find("[name=decision][value=allow]"):
        chrome.decide("allow")

    second = request.code(callback.next())
    assert second != first
    assert request.exchange(second).status == 200
    no_fault(chrome, server)


def test_far_back_after_sign_in_goes_on_to_the_app_again(
        chrome: Chromium, server: Dev, web: Client, callback: Callback) -> None:
    """B086: back to the sign-in page, with somebody signed in meanwhile and the code spent."""
    request = AuthorizationRequest(server.issuer, web)
    chrome.open(request.url)
    sign_in_page = chrome.wait_for("input[name=password]") and chrome.url
    chrome.sign_in()
    chrome.decide("allow")
    first = request.code(callback.next())
    assert request.exchange(first).status == 200

    chrome.open(sign_in_page)

    second = request.code(callback.next())
    assert second != first
    assert request.exchange(second).status == 200
    no_fault(chrome, server)


def test_double_click_on_sign_in_signs_in(chrome: Chromium, server: Dev, web: Client, callback: Callback) -> None:
    """B085: both submissions are good; the person sees consent, the app gets one answer."""
    request = AuthorizationRequest(server.issuer, web)
    chrome.open(request.url)
    chrome.fill()

    ActionChains(chrome.driver).double_click(chrome.sign_in_button).perform()

    chrome.decide("allow")
    redeem_newest(request, callback)
    no_fault(chrome, server)


def test_double_click_on_allow_gives_the_app_a_code_that_works(
        chrome: Chromium, server: Dev, web: Client, callback: Callback) -> None:
    request = AuthorizationRequest(server.issuer, web)
    chrome.open(request.url)
    chrome.sign_in()
    allow = chrome.wait_for("[name=decision][value=allow]")

    ActionChains(chrome.driver).double_click(allow).perform()

    chrome.wait_for_url(callback.origin)
    # The browser may have dropped the first answer; the one it shows is the one that must work.
    chrome.wait("the answer that is shown", lambda: chrome.url in [callback.origin + path for _, path, _ in callback.requests])
    assert request.exchange(request.code(chrome.url)).status == 200
    no_fault(chrome, server)


def test_two_tabs_sign_in_to_two_apps(chrome: Chromium, server: Dev, web: Client, callback: Callback) -> None:
    """B088: signing in in the second tab leaves the first one usable."""
    with Callback() as other_callback:
        other = register(server, f"web-{other_callback.port}", [other_callback.redirect_uri + "?tenant=7"])
        first, second = AuthorizationRequest(server.issuer, web), AuthorizationRequest(server.issuer, other)
        chrome.open(first.url)
        chrome.wait_for("input[name=password]")
        tab = chrome.driver.current_window_handle

        chrome.driver.switch_to.new_window("tab")
        chrome.open(second.url)
        chrome.sign_in()
        chrome.decide("allow")
        redeem_newest(second, other_callback)

        chrome.driver.close()
        chrome.driver.switch_to.window(tab)
        chrome.sign_in()
        chrome.decide("allow")
        redeem_newest(first, callback)
    no_fault(chrome, server)


def test_reload_of_every_page_is_harmless(chrome: Chromium, server: Dev, web: Client, callback: Callback) -> None:
    request = AuthorizationRequest(server.issuer, web)
    chrome.open(request.url)
    chrome.wait_for("input[name=password]")
    chrome.driver.refresh()
    chrome.sign_in()
    chrome.wait_for("[name=decision][value=allow]")
    chrome.driver.refresh()
    if chrome.find("input[name=password]"):
        chrome.sign_in()
    chrome.decide("allow")

    redeem_newest(request, callback)
    no_fault(chrome, server)


def test_a_form_without_its_cookie_explains_itself(chrome: Chromium, server: Dev, web: Client, callback: Callback) -> None:
    """Cookies thrown away between page and form: no code, no server error, a page in words."""
    request = AuthorizationRequest(server.issuer, web)
    chrome.open(request.url)
    chrome.fill()
    chrome.cdp("Network.clearBrowserCookies")

    chrome.sign_in_button.click()

    chrome.wait("an answer in words", lambda: chrome.find("[role=alert]") or chrome.find("h1"))
    assert chrome.url.startswith(server.issuer) and callback.empty
    no_fault(chrome, server)
