"""Public faults of other providers, D: prompt, max_age, hints, step-up; and E: clocks."""

from __future__ import annotations

import json
import time

import psycopg
import pytest

from support import BOB, CLIENTS, Client
from support.checks import NO_UI_POSSIBLE, verify_signature
from support.flow import Lab, readable

CONF1, CONF2, WEB1, APP1, OWN1 = (CLIENTS[name] for name in ("conf1", "conf2", "web1", "app1", "own1"))


# MARK: B049, B050: prompt


def test_B049_prompt_none_leaves_the_session_alone(lab: Lab) -> None:
    """Success or error, the session goes on afterwards, with the same auth_time, and no cookie is cleared."""
    first = lab.sign_in(CONF1, max_age="15000")
    browser = first.browser
    bob = lab.sign_in(CONF1, account=BOB)
    for changes in (
        {"id_token_hint": first.id_token},
        {},
        {"id_token_hint": bob.id_token},
        {"max_age": "0"},
        {"id_token_hint": "garbage"},
        {"scope": "openid offline_access"},
    ):
        before = dict(browser.session.cookies.items())
        ask = lab.ask(CONF1, prompt="none", **changes)
        assert browser.get(ask.url).left
        assert dict(browser.session.cookies.items()) == before
    ask = lab.ask(CONF1, max_age="15000")
    assert lab.finish(ask, lab.silent(browser, ask), browser).claims["auth_time"] == first.claims["auth_time"]


@pytest.mark.parametrize(
    "prompt", ["none login", "login none", "none consent", "none select_account", "none none login"]
)
def test_B050_none_with_another_value(lab: Lab, prompt: str) -> None:
    lab.redirect_error(lab.ask(CONF1, prompt=prompt), "invalid_request")


def test_B050_login_and_consent_are_both_honoured(lab: Lab) -> None:
    first = lab.sign_in(CONF1)
    for prompt in ("login consent", "consent login"):
        page = first.browser.get(lab.ask(CONF1, prompt=prompt).url)
        assert page.has_password
        page = first.browser.sign_in(page)
        assert "allow" in page.buttons(), "no consent page after the sign-in"
        assert first.browser.decide(page).left


def test_B050_login_and_consent_for_an_app_of_our_own(lab: Lab) -> None:
    """First-party apps skip consent, unless it is asked for."""
    browser = lab.browser()
    ask = lab.ask(OWN1)
    page = browser.sign_in(browser.get(ask.url))
    assert page.left, "an app of our own showed a consent page"
    page = browser.get(lab.ask(OWN1, prompt="consent").url)
    assert page.left or "allow" in page.buttons()


@pytest.mark.parametrize("prompt", ["NONE", "bogus", "Login", "create", "login bogus"])
def test_B050_unknown_values_are_refused(lab: Lab, prompt: str) -> None:
    """Values are case-sensitive: NONE is not none, and a page where silence was asked for would be no better than an
    error.
    """
    lab.redirect_error(lab.ask(CONF1, prompt=prompt), "invalid_request")


@pytest.mark.parametrize("prompt", ["", " ", "login login"])
def test_B050_neighbours(lab: Lab, prompt: str) -> None:
    assert lab.browser().get(lab.ask(CONF1, prompt=prompt).url).has_password


def test_prompt_none_shows_no_consent_page(lab: Lab) -> None:
    """Signed in, but this app was never allowed: consent_required, and no page."""
    browser = lab.sign_in(CONF1).browser
    ask = lab.ask(WEB1, prompt="none", scope="openid phone address")
    ask.error(lab.silent(browser, ask), "consent_required", "interaction_required")


def test_select_account(lab: Lab) -> None:
    """The account page: go on with this one, or sign in with another."""
    browser = lab.sign_in(CONF1).browser
    ask = lab.ask(CONF1, prompt="select_account")
    page = browser.get(ask.url)
    assert {"continue", "other"} <= page.buttons(), readable(page.response)
    lab.finish(ask, browser.decide(page, "continue").url, browser)
    ask = lab.ask(CONF1, prompt="select_account")
    page = browser.decide(browser.get(ask.url), "other")
    assert page.has_password
    page = browser.sign_in(page, BOB)
    url = page.url if page.left else browser.decide(page).url
    bob = lab.finish(ask, url, browser)
    assert bob.claims["sub"] == lab.sign_in(CONF1, account=BOB).claims["sub"]


def test_select_account_with_none_is_refused(lab: Lab) -> None:
    browser = lab.sign_in(CONF1).browser
    ask = lab.ask(CONF1, prompt="none select_account")
    ask.error(lab.silent(browser, ask), "invalid_request")


# MARK: B052, B053: max_age


@pytest.mark.parametrize(
    "changes",
    [
        {"max_age": "0"},
        {"prompt": "login"},
        {"prompt": "login", "max_age": "0"},
        {"prompt": "login", "max_age": "3600"},
    ],
)
def test_B052_one_fresh_sign_in_and_no_loop(lab: Lab, database: psycopg.Connection, changes: dict[str, str]) -> None:
    """Signed in an hour ago (by an UPDATE); the flow then asks once and completes."""
    browser = lab.sign_in(CONF1).browser
    database.execute(
        "UPDATE browser_sessions SET auth_time = now() - interval '1 hour' WHERE id = (SELECT max(id) FROM browser_sessions)"
    )
    ask = lab.ask(CONF1, **changes)
    page = browser.get(ask.url)
    assert page.has_password
    started = int(time.time())
    page = browser.sign_in(page)
    assert page.left or not page.has_password, "asked a second time"
    url = page.url if page.left else browser.decide(page).url
    signed = lab.finish(ask, url, browser, auth_time="max_age" in changes)
    assert signed.claims.get("auth_time", started) >= started - 1


@pytest.mark.parametrize("value", ["3600", "15000", "1", "2147483647", "4294967296", "99999999999999999999", "000060"])
def test_B053_auth_time_is_there_when_max_age_was_asked(lab: Lab, value: str) -> None:
    browser = lab.browser()
    ask = lab.ask(CONF1, max_age=value)
    lab.finish(ask, browser.authorize(ask.url), browser, auth_time=True)


def test_B053_require_auth_time(lab: Lab, odd: dict[str, Client]) -> None:
    browser = lab.browser()
    ask = lab.ask(odd["auth-time"])
    lab.finish(ask, browser.authorize(ask.url), browser, auth_time=True)


@pytest.mark.parametrize("value", ["-1", "abc", "1.5", "1e3", "+5", "0x10", " 5", "5 ", "١", "-0", "1,000"])
def test_B053_bad_max_age(lab: Lab, value: str) -> None:
    """Non-numeric or negative."""
    lab.redirect_error(lab.ask(CONF1, max_age=value), "invalid_request")


def test_B053_an_empty_max_age_counts_as_missing(lab: Lab) -> None:
    browser = lab.sign_in(CONF1).browser
    ask = lab.ask(CONF1, max_age="")
    lab.finish(ask, lab.silent(browser, ask), browser)


def test_max_age_with_prompt_none(lab: Lab, database: psycopg.Connection) -> None:
    """Too old, and no page allowed: login_required."""
    browser = lab.sign_in(CONF1).browser
    database.execute(
        "UPDATE browser_sessions SET auth_time = now() - interval '1 hour' WHERE id = (SELECT max(id) FROM browser_sessions)"
    )
    for value, error in (("0", True), ("3000", True), ("4000", False)):
        ask = lab.ask(CONF1, prompt="none", max_age=value)
        url = lab.silent(browser, ask)
        ask.error(url, "login_required") if error else ask.code(url)


# MARK: B055: acr


@pytest.mark.parametrize("asked", ["2", "urn:mace:incommon:iap:silver 1", "phr phrh", "9" * 500])
def test_B055_acr_says_what_happened(lab: Lab, asked: str) -> None:
    """A password is what was used, whatever was asked for voluntarily; the same on a later request with the live
    session.
    """
    plain = lab.sign_in(CONF1)
    signed = lab.sign_in(CONF1, acr_values=asked)
    assert signed.claims.get("acr") == plain.claims.get("acr")
    assert signed.claims.get("amr", ["pwd"]) == ["pwd"]
    again = lab.sign_in(CONF1, browser=signed.browser, acr_values=asked)
    assert again.claims.get("acr") == plain.claims.get("acr")


# MARK: id_token_hint (Core §3.1.2.1; B119)


def test_an_expired_or_foreign_audience_hint_is_good(lab: Lab) -> None:
    """The provider need not be, and is not, in the audience; a hint from another app of ours names the same person."""
    signed = lab.sign_in(CONF1)
    lab.sign_in(CONF2, browser=signed.browser)
    ask = lab.ask(CONF2, prompt="none", id_token_hint=signed.id_token)
    lab.finish(ask, lab.silent(signed.browser, ask), signed.browser)


def test_a_hint_of_another_person_asks_for_that_person(lab: Lab) -> None:
    """Without prompt=none: a sign-in; and if alice goes on all the same, the answer is no success for bob's hint."""
    bob = lab.sign_in(CONF1, account=BOB)
    alice = lab.sign_in(CONF1)
    ask = lab.ask(CONF1, id_token_hint=bob.id_token)
    page = alice.browser.get(ask.url)
    assert not page.left and (page.has_password or "other" in page.buttons()), readable(page.response)
    if page.has_password:
        page = alice.browser.sign_in(page)
        if page.left:
            ask.error(page.url, *NO_UI_POSSIBLE)


@pytest.mark.parametrize("kind", ["garbage", "foreign", "none", "tampered", "random kid"])
def test_B119_a_bad_hint_never_helps(lab: Lab, kind: str) -> None:
    """Signature, algorithm and key are ours or the hint is bad; a random kid is looked up in memory only."""
    import base64
    import json

    from joserfc import jwk, jwt

    signed = lab.sign_in(CONF1)
    header, claims = verify_signature(signed.id_token, lab.jwks())
    foreign = jwk.RSAKey.generate_key(2048)

    def forged(kid: str) -> str:
        return jwt.encode({"alg": "RS256", "kid": kid}, claims, foreign)

    hints = {
        "garbage": ["garbage", "a.b.c", "..", "eyJhbGciOiJSUzI1NiJ9..x"],
        "foreign": [forged(header["kid"])],
        "none": [
            base64.urlsafe_b64encode(json.dumps({"alg": "none"}).encode()).decode().rstrip("=")
            + "."
            + signed.id_token.split(".")[1]
            + "."
        ],
        "tampered": [signed.id_token[:-6] + "AAAAAA", signed.id_token + "A"],
        "random kid": [forged(f"kid-{number}") for number in range(50)],
    }[kind]
    for hint in hints:
        ask = lab.ask(CONF1, prompt="none", id_token_hint=hint)
        ask.error(lab.silent(signed.browser, ask), "invalid_request")


# MARK: E. Clocks (B056 and B058 need servers of their own: Tests/Faults)


def test_B059_order_is_that_of_the_database(lab: Lab, database: psycopg.Connection) -> None:
    """Rotation goes by generation, and the retry window by the database's clock: a family whose times lie ahead still
    refreshes.

    The clock stepping back by five minutes looks to the rows as if they had been written five minutes ahead, and the reverse.
    """
    for step in ("5 minutes", "-5 minutes"):
        signed = lab.sign_in(CONF1)
        second = lab.refreshed(signed)["refresh_token"]
        moved = database.execute(
            f"UPDATE grants SET rotated_at = rotated_at + interval '{step}', created_at = created_at + interval '{step}' "
            "WHERE id = (SELECT max(id) FROM grants)"
        )
        assert moved.rowcount == 1
        third = lab.refreshed(signed, second)["refresh_token"]
        assert len({signed.refresh_token, second, third}) == 3


def test_B056_iat_is_now_in_whole_seconds(lab: Lab) -> None:
    before = int(time.time())
    signed = lab.sign_in(CONF1)
    assert before <= signed.claims["iat"] <= time.time() + 1


def test_B055_an_essential_acr_that_cannot_be_reached_is_an_error(lab: Lab, conf1: Client) -> None:
    """Core §5.5.1.1, where a voluntary one may be missed."""
    acr = {"essential": True, "values": ["urn:example:more"]}
    ask = lab.ask(conf1, claims=json.dumps({"id_token": {"acr": acr}}))
    lab.redirect_error(ask, "unmet_authentication_requirements")
    signed = lab.sign_in(conf1, scope="openid", claims=json.dumps({"id_token": {"acr": acr | {"essential": False}}}))
    assert signed.claims["acr"] in lab.discovery["acr_values_supported"]
