"""OpenID Connect Core, code flow: duties that no module of the Basic plan and no entry of the bug log covers. Named by
section.
"""

from __future__ import annotations

import time

import psycopg
import pytest

from support import BOB, CLIENTS, Client
from support.checks import NO_UI_POSSIBLE, check_error_page, check_token_answer, check_token_error
from support.cluster import Cluster, serving
from support.flow import Lab, readable

CONF1, CONF2, WEB1, WEB2, APP1, OWN1, OFF1 = (
    CLIENTS[name] for name in ("conf1", "conf2", "web1", "web2", "app1", "own1", "off1")
)


def test_3_1_2_1_get_and_post_are_alike(lab: Lab) -> None:
    """The same errors, the same page."""
    for changes in ({"prompt": "none"}, {"response_type": "token"}, {"request": "x"}, {"scope": None}):
        ask = lab.ask(CONF1, **changes)
        by_get, by_post = lab.browser(), lab.browser()
        assert ask.error(by_get.get(ask.url).url) == ask.error(by_post.post(ask.endpoint, ask.parameters).url)
        assert by_post.history[0].status_code == 303, "a form post is answered with 303 (RFC 9700 §4.12)"


def test_3_1_2_1_a_post_takes_nothing_from_the_query(lab: Lab) -> None:
    """Parameters of a form post come from the form."""
    ask = lab.ask(CONF1)
    answer = lab.http("POST", ask.url, data={"x": "1"})
    assert "code=" not in answer.headers.get("Location", "")
    check_error_page(answer)


@pytest.mark.parametrize("content_type", ["application/json", "text/plain", "multipart/form-data; boundary=x"])
def test_3_1_2_1_a_post_is_a_form(lab: Lab, content_type: str) -> None:
    ask = lab.ask(CONF1)
    check_error_page(
        lab.http("POST", ask.endpoint, data=ask.query, headers={"Content-Type": content_type}), statuses=(400, 415)
    )


def test_3_1_2_1_prompt_consent_asks_even_where_it_is_remembered(lab: Lab) -> None:
    first = lab.sign_in(CONF1)
    page = first.browser.get(lab.ask(CONF1, prompt="consent").url)
    assert not page.left and {"allow", "deny"} <= page.buttons()


def test_3_1_2_3_credentials_are_answered_with_303(lab: Lab) -> None:
    """RFC 9700 §4.12: never 307 or 308, which would send the password on."""
    browser = lab.sign_in(CONF1).browser
    for response in browser.history:
        if response.is_redirect:
            assert response.status_code == 303 or response.request.method == "GET", response.status_code
            assert response.status_code in (302, 303)
    posted = [response for response in browser.history if response.request.method == "POST"]
    assert posted and all(response.status_code in (200, 303) for response in posted)


def test_3_1_2_4_consent_is_remembered_per_person_app_and_scopes(
    lab: Lab, odd: dict[str, Client], database: psycopg.Connection
) -> None:
    client = odd["auth-time"]
    database.execute("DELETE FROM consents WHERE client_id = %s", (client.client_id,))
    browser = lab.browser()

    def asks(scope: str, who: Client = client) -> bool:
        page = browser.get(lab.ask(who, scope=scope).url)
        if page.has_password:
            page = browser.sign_in(page)
        if page.left:
            return False
        assert "allow" in page.buttons()
        assert browser.decide(page).left
        return True

    assert asks("openid profile")
    assert not asks("openid profile") and not asks("openid") and not asks("profile openid")
    assert asks("openid email"), "a new scope is asked for"
    assert not asks("openid profile email")
    other = lab.browser()
    page = other.sign_in(other.get(lab.ask(client, scope="openid").url), BOB)
    assert "allow" in page.buttons(), "alice's consent counted for bob"


def test_3_1_2_4_the_consent_page_names_app_person_and_scopes(lab: Lab) -> None:
    browser = lab.browser()
    page = browser.sign_in(browser.get(lab.ask(CONF1, scope="openid email phone", prompt="consent").url))
    text = page.soup.get_text(" ")
    assert "Conformance One" in text
    assert "Alice Example" in text or "alice@example.test" in text
    assert {"allow", "deny", "other"} <= page.buttons()
    assert "email" in text.lower() and "phone" in text.lower()


def test_3_1_2_4_another_account_from_the_consent_page(lab: Lab) -> None:
    browser = lab.browser()
    ask = lab.ask(CONF1, prompt="consent")
    page = browser.decide(browser.sign_in(browser.get(ask.url)), "other")
    assert page.has_password, readable(page.response)
    page = browser.sign_in(page, BOB)
    signed = lab.finish(ask, browser.decide(page).url if not page.left else page.url, browser)
    assert signed.claims["sub"] == lab.sign_in(CONF1, account=BOB).claims["sub"]


def test_3_1_2_4_refusing_gives_no_consent(lab: Lab, odd: dict[str, Client], database: psycopg.Connection) -> None:
    client = odd["markup"]
    database.execute("DELETE FROM consents WHERE client_id = %s", (client.client_id,))
    browser = lab.browser()
    ask = lab.ask(client)
    page = browser.decide(browser.sign_in(browser.get(ask.url)), "deny")
    ask.error(page.url, "access_denied")
    silent = lab.ask(client, prompt="none")
    silent.error(lab.silent(browser, silent), *NO_UI_POSSIBLE)
    assert "allow" in browser.get(lab.ask(client).url).buttons()


def test_8252_8_6_a_public_client_is_asked_again(lab: Lab) -> None:
    """Private-use schemes and loopback prove no identity: no silent approval (RFC 8252 §8.6), consent remembered or
    not.
    """
    for uri in ("com.example.app:/seleid", "http://127.0.0.1:51004/cb"):
        browser = lab.browser()
        ask = lab.ask(APP1, redirect_uri=uri)
        lab.finish(ask, browser.authorize(ask.url), browser)
        page = browser.get(lab.ask(APP1, redirect_uri=uri).url)
        assert not page.left and "allow" in page.buttons(), f"approved without asking at {uri.split(':')[0]}"
        silent = lab.ask(APP1, redirect_uri=uri, prompt="none")
        silent.error(lab.silent(browser, silent), *NO_UI_POSSIBLE)


def test_3_1_3_2_only_the_registered_method_authenticates(lab: Lab) -> None:
    """Post for a Basic client, Basic for a post client, nothing for either, a secret for a public one."""
    for client, wrong in ((CONF1, "post"), (CONF2, "basic"), (CONF1, "none"), (CONF2, "none")):
        answer = lab.refresh(client, "x", auth=wrong)
        check_token_error(answer, "invalid_client", status=401)
        challenge = answer.headers.get("WWW-Authenticate", "")
        assert (wrong == "basic") == challenge.lower().startswith("basic"), challenge


def test_3_1_3_3_the_answers_headers(lab: Lab) -> None:
    """RFC 6749 §5.1: no-store, and Pragma for old caches."""
    ask = lab.ask(CONF1)
    answer = lab.redeem(ask, lab.code(ask))
    check_token_answer(answer)
    assert answer.headers["Cache-Control"] == "no-store" and answer.headers.get("Pragma", "no-cache") == "no-cache"
    assert answer.headers["Content-Type"].lower() in (
        "application/json",
        "application/json;charset=utf-8",
        "application/json; charset=utf-8",
    )


def test_off_apps(lab: Lab) -> None:
    """Sign-in is off until switched on: unauthorized_client at the redirect URI, with prompt=none and when signed in
    too.
    """
    browser = lab.sign_in(CONF1).browser
    for changes in ({}, {"prompt": "none"}):
        ask = lab.ask(OFF1, **changes)
        ask.error(lab.silent(browser, ask), "unauthorized_client")
    lab.error_page(lab.ask(OFF1, redirect_uri="https://evil.example/").url)


def test_first_party_apps_skip_consent(lab: Lab) -> None:
    browser = lab.browser()
    ask = lab.ask(OWN1)
    page = browser.sign_in(browser.get(ask.url))
    assert page.left
    lab.finish(ask, page.url, browser)


def test_11_offline_access_needs_consent(lab: Lab) -> None:
    """With prompt=consent it is granted and said so; without consent of any kind it is not (B020)."""
    browser = lab.browser()
    ask = lab.ask(CONF1, scope="openid offline_access", prompt="consent")
    page = browser.sign_in(browser.get(ask.url))
    signed = lab.finish(ask, browser.decide(page).url, browser)
    assert "refresh_token" in signed.answer
    assert "offline_access" in signed.answer.get("scope", "openid offline_access").split()


def test_a_restart_between_page_and_answer(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No state before the code: a sign-in page opened before a restart works after it."""
    node = serving(cluster, tmp_path_factory.mktemp("restart"), "restart").start()
    try:
        lab = Lab(node.issuer)
        browser = lab.browser()
        ask = lab.ask(CONF1)
        page = browser.get(ask.url)
        node.stop()
        node.start()
        page = browser.sign_in(page)
        node.kill()
        node.start()
        lab.finish(ask, page.url if page.left else browser.decide(page).url, browser)
    finally:
        node.stop()


def test_state_of_time_in_the_pages(lab: Lab) -> None:
    """Pages are made for one request: a sealed request that was changed in one place is refused, quietly."""
    browser = lab.browser()
    page = browser.get(lab.ask(CONF1).url)
    _, action, form = page.form(having="password")
    sealed = form["request"]
    assert len(sealed) > 40
    started = time.monotonic()
    for position in range(0, len(sealed), max(1, len(sealed) // 10)):
        other = "A" if sealed[position] != "A" else "B"
        answer = browser.post(
            action,
            form | {"request": sealed[:position] + other + sealed[position + 1 :], "username": "x", "password": "y"},
        )
        assert answer.status in (200, 400) and not answer.left
    assert time.monotonic() - started < 30
