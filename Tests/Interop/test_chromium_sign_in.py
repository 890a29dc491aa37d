"""Chromium signs people in by the real pages, at the width of a phone and of a desk. Keeps a picture of each page."""

import pytest
from chromium import PHONE, Chromium

from support import ALICE, BOB, CLIENTS, AuthorizationRequest, Callback, Client, Dev, verify_id_token


def check(page: Chromium, server: Dev, picture: str | None = None) -> None:
    """What holds on every page: it fits, breaks no policy, nothing failed; then its picture is taken."""
    if picture:
        page.screenshot(picture)
    assert page.overflow <= 0, f"the page is {page.overflow} pixels wider than the window"
    assert page.policy_violations == []
    assert page.failed_requests(server.issuer) == []


def claims_of(request: AuthorizationRequest, url: str, jwks, issuer: str) -> dict:
    token = request.exchange(request.code(url))
    return verify_id_token(token["id_token"], jwks, issuer=issuer, client_id=request.client.client_id,
                           nonce=request.nonce, access_token=token["access_token"])


def test_a_web_app_signs_a_person_in(sized: Chromium, server: Dev, web: Client, callback: Callback, jwks) -> None:
    request = AuthorizationRequest(server.issuer, web)

    sized.open(request.url)
    sized.wait_for("input[name=password]")
    check(sized, server, "sign-in")
    assert web.raw["client_name"] in sized.text
    sized.sign_in()
    sized.wait_for("[name=decision][value=allow]")
    check(sized, server, "consent")
    assert web.raw["client_name"] in sized.text and ALICE.username in sized.text
    sized.decide("allow")

    claims = claims_of(request, callback.next(), jwks, server.issuer)
    assert claims["sub"]
    check(sized, server)
    assert len(callback.requests) == 1, "the app got its answer once"


def test_a_native_app_on_a_random_loopback_port(sized: Chromium, server: Dev, callback: Callback, jwks) -> None:
    request = AuthorizationRequest(
        server.issuer, CLIENTS["app1"], redirect_uri=callback.redirect_uri, extra={"prompt": "consent"})

    sized.open(request.url)
    sized.sign_in(BOB)
    sized.decide("allow")

    claims_of(request, callback.next(), jwks, server.issuer)
    check(sized, server)


def test_a_native_app_on_ipv6_loopback(chrome: Chromium, server: Dev, jwks) -> None:
    with Callback(host="::1") as callback:
        request = AuthorizationRequest(
            server.issuer, CLIENTS["app1"], redirect_uri=callback.redirect_uri, extra={"prompt": "consent"})

        chrome.open(request.url)
        chrome.sign_in()
        chrome.decide("allow")

        claims_of(request, callback.next(), jwks, server.issuer)
        check(chrome, server)


def test_a_private_use_scheme_is_handed_to_the_browser(sized: Chromium, server: Dev, jwks) -> None:
    request = AuthorizationRequest(
        server.issuer, CLIENTS["app1"], redirect_uri="com.example.app:/seleid", extra={"prompt": "consent"})

    sized.open(request.url)
    sized.sign_in()
    sized.decide("allow")

    handed = sized.wait("the app's URL", lambda: sized.handed_over("com.example.app"))
    assert len(set(handed)) == 1
    check(sized, server, "return")
    link = sized.wait_for("a[href^='com.example.app:']")
    # No click here: the browser's own question whether to open the app now lies over the page.
    assert link.is_displayed() and link.get_attribute("href") == handed[0], "a visible way on, to the same URL"
    claims_of(request, handed[0], jwks, server.issuer)


def test_an_app_link_is_handed_to_the_browser(chrome: Chromium, server: Dev, jwks) -> None:
    uri = "https://app.example/oauth/cb"
    request = AuthorizationRequest(server.issuer, CLIENTS["app1"], redirect_uri=uri, extra={"prompt": "consent"})

    chrome.open(request.url)
    chrome.sign_in()
    chrome.decide("allow")

    handed = chrome.wait("the app link", lambda: [url for url in chrome.handed_over("https") if url.startswith(uri)])
    assert chrome.policy_violations == []
    claims_of(request, handed[0], jwks, server.issuer)


def test_a_wrong_password_is_said_plainly_and_the_next_try_works(
        sized: Chromium, server: Dev, web: Client, callback: Callback, jwks) -> None:
    request = AuthorizationRequest(server.issuer, web)
    sized.open(request.url)

    sized.sign_in(ALICE, password="not her password")

    sized.wait_for("[role=alert]")
    check(sized, server, "wrong-password")
    assert sized.wait_for("input[name=username]").get_attribute("value") == ALICE.username
    assert sized.wait_for("input[name=password]").get_attribute("value") == ""
    sized.sign_in()
    sized.decide("allow")
    claims_of(request, callback.next(), jwks, server.issuer)


def test_deny_tells_the_app_access_denied(chrome: Chromium, server: Dev, web: Client, callback: Callback) -> None:
    request = AuthorizationRequest(server.issuer, web)
    chrome.open(request.url)
    chrome.sign_in()

    chrome.decide("deny")

    answer = request.answer(callback.next())
    assert answer["error"] == "access_denied" and "code" not in answer
    assert chrome.policy_violations == []


def test_cancel_on_the_sign_in_page_tells_the_app_access_denied(
        chrome: Chromium, server: Dev, web: Client, callback: Callback) -> None:
    request = AuthorizationRequest(server.issuer, web)
    chrome.open(request.url)

    chrome.decide("cancel")

    assert request.answer(callback.next())["error"] == "access_denied"
    assert chrome.policy_violations == []


def test_prompt_none_stays_silent_after_sign_in(
        chrome: Chromium, server: Dev, web: Client, callback: Callback, jwks) -> None:
    first = AuthorizationRequest(server.issuer, web)
    chrome.open(first.url)
    chrome.sign_in()
    chrome.decide("allow")
    known = claims_of(first, callback.next(), jwks, server.issuer)

    silent = AuthorizationRequest(server.issuer, web, extra={"prompt": "none"})
    chrome.open(silent.url)

    claims = claims_of(silent, callback.next(), jwks, server.issuer)
    assert (claims["sub"], claims["auth_time"]) == (known["sub"], known["auth_time"])


def test_account_choice_goes_on_or_takes_another_account(
        sized: Chromium, server: Dev, web: Client, callback: Callback, jwks) -> None:
    first = AuthorizationRequest(server.issuer, web)
    sized.open(first.url)
    sized.sign_in()
    sized.decide("allow")
    alice = claims_of(first, callback.next(), jwks, server.issuer)

    choice = AuthorizationRequest(server.issuer, web, extra={"prompt": "select_account"})
    sized.open(choice.url)
    sized.wait_for("[name=decision][value=continue]")
    check(sized, server, "account")
    assert ALICE.username in sized.text
    sized.decide("continue")
    assert claims_of(choice, callback.next(), jwks, server.issuer)["sub"] == alice["sub"]

    other = AuthorizationRequest(server.issuer, web, extra={"prompt": "select_account"})
    sized.open(other.url)
    sized.decide("other")
    sized.sign_in(BOB)
    sized.wait_for("[name=decision][value=allow]")
    assert BOB.username in sized.text
    sized.decide("allow")
    assert claims_of(other, callback.next(), jwks, server.issuer)["sub"] != alice["sub"]


def test_consent_offers_another_account(
        chrome: Chromium, server: Dev, web: Client, callback: Callback, jwks) -> None:
    request = AuthorizationRequest(server.issuer, web)
    chrome.open(request.url)
    chrome.sign_in(ALICE)

    chrome.decide("other")
    chrome.sign_in(BOB)
    chrome.wait("the page for the other account", lambda: BOB.username in chrome.text)
    chrome.decide("allow")

    claims_of(request, callback.next(), jwks, server.issuer)


@pytest.mark.parametrize("fault", ["unknown app", "unregistered redirect URI"])
def test_a_request_that_proves_no_app_ends_on_a_page(
        sized: Chromium, server: Dev, web: Client, callback: Callback, fault: str) -> None:
    extra = {"client_id": "nobody"} if fault == "unknown app" else {"redirect_uri": callback.redirect_uri + "/more"}
    request = AuthorizationRequest(server.issuer, web, extra=extra)

    sized.open(request.url)

    assert sized.url.startswith(server.issuer) and callback.empty
    check(sized, server, "error-" + fault.split()[-1].lower())
    assert sized.text.strip()


def test_the_whole_way_works_without_script(
        chrome: Chromium, server: Dev, web: Client, callback: Callback, jwks) -> None:
    chrome.scripts(False)
    request = AuthorizationRequest(server.issuer, web)

    chrome.open(request.url)
    chrome.sign_in()
    chrome.decide("allow")

    claims_of(request, callback.next(), jwks, server.issuer)


def test_pages_follow_the_dark_mode(sized: Chromium, server: Dev, web: Client, callback: Callback) -> None:
    def lightness() -> float:
        script = "getComputedStyle(document.body).backgroundColor + '|' + " \
            "getComputedStyle(document.documentElement).backgroundColor"
        colours = sized.cdp("Runtime.evaluate", expression=script)["result"]["value"].split("|")
        for colour in colours:
            numbers = [float(part) for part in colour[colour.index("(") + 1:-1].replace(",", " ").split() if part != "/"]
            if len(numbers) < 4 or numbers[3] > 0:
                return sum(numbers[:3]) / 3
        return 255.0  # the browser's own white

    sized.dark()
    sized.open(AuthorizationRequest(server.issuer, web).url)
    sized.wait_for("input[name=password]")
    assert lightness() < 64
    check(sized, server, "sign-in-dark")
    sized.sign_in()
    sized.wait_for("[name=decision][value=allow]")
    assert lightness() < 64
    check(sized, server, "consent-dark")

    sized.dark(False)
    assert lightness() > 192


def test_fields_serve_password_managers_and_telephones(chrome: Chromium, server: Dev, web: Client) -> None:
    chrome.resize(PHONE)
    chrome.open(AuthorizationRequest(server.issuer, web, extra={"login_hint": BOB.username}).url)
    username, password = chrome.wait_for("input[name=username]"), chrome.wait_for("input[name=password]")

    assert username.get_attribute("value") == BOB.username
    assert username.get_attribute("autocomplete") == "username"
    assert username.get_attribute("autocapitalize") in ("none", "off")
    assert password.get_attribute("type") == "password"
    assert password.get_attribute("autocomplete") == "current-password"
    for field in (username, password):
        assert chrome.find(f"label[for='{field.get_attribute('id')}']") is not None
        # Below 16 CSS pixels, iOS zooms into the page on focus.
        assert float(field.value_of_css_property("font-size").removesuffix("px")) >= 16
    assert chrome.sign_in_button.size["height"] >= 44
    assert chrome.wait_for("html").get_attribute("lang")


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "fi", "sv"])
def test_pages_of_every_language_fit_a_narrow_telephone(
        chrome: Chromium, server: Dev, web: Client, callback: Callback, language: str) -> None:
    chrome.resize((320, 568))
    chrome.open(AuthorizationRequest(server.issuer, web, extra={"ui_locales": language}).url)

    chrome.wait_for("input[name=password]")
    assert chrome.wait_for("html").get_attribute("lang") == language
    check(chrome, server, f"sign-in-{language}")
    chrome.sign_in()
    chrome.wait_for("[name=decision][value=allow]")
    check(chrome, server, f"consent-{language}")
