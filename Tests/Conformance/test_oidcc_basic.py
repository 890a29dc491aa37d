"""The Foundation's Basic OP plan (`oidcc-basic-certification-test-plan`), one test a module and named like it.

Modules that look at userinfo alone stand in `test_oidcc_userinfo.py`; every sign-in here asks it too (`Lab.finish`). Left
aside: those that need dynamic registration (marked (d) in the plan, apart from the two whose question can also be asked of
a static client). Where the suite would only warn, these fail.
"""

from __future__ import annotations

import json
import time

import pytest

from support import ALICE, BOB, CLIENTS, Client
from support.checks import (
    NO_UI_POSSIBLE,
    check_bearer_error,
    check_no_store,
    check_token_answer,
    check_token_error,
    check_unguessable,
    verify_signature,
)
from support.flow import Lab, RFC7636_CHALLENGE, RFC7636_VERIFIER, readable
from support.oauth import random_text

#: The suite's long states end in the four unreserved marks.
LONG = [43, 64, 128, 384, 1000]


def long_text(characters: int) -> str:
    return random_text(characters - 4) + "-._~"


def unsigned_jwt(claims: dict[str, object]) -> str:
    import base64

    def part(value: dict[str, object]) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()

    return f"{part({'alg': 'none'})}.{part(claims)}."


@pytest.mark.parametrize("name", ["conf1", "conf2"])
def test_oidcc_server(lab: Lab, name: str) -> None:
    """Plain code flow. The ID Token holds no claim beyond the protocol's (checked in `check_id_token`)."""
    client = CLIENTS[name]
    signed = lab.sign_in(client, scope="openid profile email address phone")
    assert "expires_in" in signed.answer
    check_unguessable(signed.code, "code")
    assert not {"name", "email", "address", "phone_number"} & set(signed.claims)
    assert signed.person and signed.person["name"] == ALICE.raw["name"]


@pytest.mark.parametrize("characters", LONG)
def test_oidcc_server_with_long_state_and_nonce(lab: Lab, conf1: Client, characters: int) -> None:
    """States and nonces of all lengths the suite uses come back to the letter, through the sign-in page."""
    lab.sign_in(conf1, state=long_text(characters), nonce=long_text(characters))


def test_oidcc_response_type_missing(lab: Lab, conf1: Client) -> None:
    """In the query, never in the fragment."""
    lab.redirect_error(lab.ask(conf1, without=["response_type"]), "invalid_request", "unsupported_response_type")


def test_oidcc_idtoken_signature(lab: Lab, conf1: Client) -> None:
    """A client that names no algorithm gets RS256 with a kid."""
    header, _ = verify_signature(lab.sign_in(conf1).id_token, lab.jwks())
    assert header["alg"] == "RS256" and header["kid"]
    assert header.get("typ", "JWT") == "JWT"


def test_oidcc_idtoken_unsigned(lab: Lab) -> None:
    """`none` is not on offer."""
    assert "none" not in lab.discovery["id_token_signing_alg_values_supported"]


def test_oidcc_ensure_request_without_nonce_succeeds_for_code_flow(lab: Lab, conf1: Client) -> None:
    signed = lab.sign_in(conf1, nonce=None)
    assert "nonce" not in signed.claims


def test_oidcc_alternate_happy_flow(lab: Lab, conf1: Client) -> None:
    """Scopes in reverse order, parameters shuffled."""
    ask = lab.ask(conf1, scope="phone address email profile openid")
    names = sorted(ask.parameters, reverse=True)
    ask.parameters = {name: ask.parameters[name] for name in names}
    lab.sign_in(conf1, ask=ask)


@pytest.mark.parametrize("display", ["page", "popup", "touch", "wap"])
def test_oidcc_display(lab: Lab, conf1: Client, display: str) -> None:
    """oidcc-display-page, -popup; the two others must not hurt either."""
    lab.sign_in(conf1, display=display)


def test_oidcc_prompt_login(lab: Lab, conf1: Client) -> None:
    first = lab.sign_in(conf1, max_age="15000")
    time.sleep(1.1)
    ask = lab.ask(conf1, prompt="login", max_age="15000")
    page = first.browser.get(ask.url)
    assert not page.left and page.has_password, "no fresh sign-in was asked"
    second = lab.finish(ask, first.browser.authorize(ask.url), first.browser, auth_time=True)
    assert second.claims["auth_time"] > first.claims["auth_time"]
    assert second.claims["sub"] == first.claims["sub"]


def test_oidcc_prompt_none_not_logged_in(lab: Lab, conf1: Client) -> None:
    lab.redirect_error(lab.ask(conf1, prompt="none", state=long_text(128)), *NO_UI_POSSIBLE)


def test_oidcc_prompt_none_logged_in(lab: Lab, conf1: Client) -> None:
    first = lab.sign_in(conf1, max_age="15000")
    ask = lab.ask(conf1, prompt="none", max_age="15000")
    second = lab.finish(ask, lab.silent(first.browser, ask), first.browser, auth_time=True)
    assert second.claims["sub"] == first.claims["sub"]
    assert second.claims["auth_time"] == first.claims["auth_time"]


def test_oidcc_max_age_1(lab: Lab, conf1: Client) -> None:
    first = lab.sign_in(conf1)
    time.sleep(2.1)
    ask = lab.ask(conf1, max_age="1")
    page = first.browser.get(ask.url)
    assert not page.left and page.has_password, "no fresh sign-in was asked"
    started = time.time()
    second = lab.finish(ask, first.browser.authorize(ask.url), first.browser, auth_time=True)
    assert abs(second.claims["auth_time"] - started) < 60
    if "auth_time" in first.claims:
        assert second.claims["auth_time"] > first.claims["auth_time"]


def test_oidcc_max_age_10000(lab: Lab, conf1: Client) -> None:
    first = lab.sign_in(conf1, max_age="15000")
    ask = lab.ask(conf1, max_age="10000")
    second = lab.finish(ask, lab.silent(first.browser, ask), first.browser, auth_time=True)
    assert first.claims["auth_time"] == second.claims["auth_time"]
    assert first.claims["sub"] == second.claims["sub"]


def test_oidcc_ensure_request_with_unknown_parameter_succeeds(lab: Lab, conf1: Client) -> None:
    signed = lab.sign_in(conf1, extra="foobar")
    assert "extra" not in signed.answer


def test_oidcc_id_token_hint(lab: Lab, conf1: Client) -> None:
    first = lab.sign_in(conf1)
    ask = lab.ask(conf1, prompt="none", id_token_hint=first.id_token)
    second = lab.finish(ask, lab.silent(first.browser, ask), first.browser)
    assert second.claims["sub"] == first.claims["sub"]


def test_oidcc_id_token_hint_of_somebody_else(lab: Lab, conf1: Client) -> None:
    """The neighbour the suite leaves out: a hint about bob is never answered with alice (Core §3.1.2.1, §3.1.2.2)."""
    bob = lab.sign_in(conf1, account=BOB)
    alice = lab.sign_in(conf1)
    ask = lab.ask(conf1, prompt="none", id_token_hint=bob.id_token)
    ask.error(lab.silent(alice.browser, ask), *NO_UI_POSSIBLE)


def test_oidcc_login_hint(lab: Lab, conf1: Client) -> None:
    ask = lab.ask(conf1, login_hint="alice@example.test")
    browser = lab.browser()
    page = browser.get(ask.url)
    assert page.has_password
    assert page.soup.find("input", attrs={"name": "username"})["value"] == "alice@example.test"
    lab.finish(ask, browser.authorize(ask.url), browser)


@pytest.mark.parametrize("value", ["se", "de-CH fr en", "xx-yy-zz", "*", "en_GB", "a" * 300])
def test_oidcc_ui_locales(lab: Lab, conf1: Client, value: str) -> None:
    lab.sign_in(conf1, ui_locales=value)


def test_oidcc_ui_locales_are_honoured(lab: Lab, conf1: Client) -> None:
    """What the tester looks at by eye: the page speaks the language asked for, when discovery lists it."""
    offered = lab.discovery["ui_locales_supported"]
    for tag in offered:
        page = lab.browser().get(lab.ask(conf1, ui_locales=tag).url)
        assert page.soup.find("html")["lang"].split("-")[0] == tag.split("-")[0]


@pytest.mark.parametrize("value", ["se", "de-CH fr en"])
def test_oidcc_claims_locales(lab: Lab, conf1: Client, value: str) -> None:
    lab.sign_in(conf1, claims_locales=value)


@pytest.mark.parametrize("value", [None, "1 2", "urn:example:never-heard-of"])
def test_oidcc_ensure_request_with_acr_values_succeeds(lab: Lab, conf1: Client, value: str | None) -> None:
    """All listed values, or "1 2"; what comes back is what happened, one of the listed ones."""
    listed = lab.discovery.get("acr_values_supported", [])
    signed = lab.sign_in(conf1, acr_values=value or " ".join(listed) or "1 2")
    if listed and value is None:
        assert signed.claims["acr"] in listed


def test_oidcc_codereuse(lab: Lab, conf1: Client) -> None:
    signed = lab.sign_in(conf1)
    check_token_error(lab.redeem(signed.ask, signed.code), "invalid_grant", status=400)


def test_oidcc_codereuse_30seconds(lab: Lab, conf1: Client) -> None:
    """The suite waits 30 s; the answer may not depend on it, so a moment does here. What the first use gave is ended: its
    access token is refused at userinfo.
    """
    signed = lab.sign_in(conf1)
    time.sleep(2)
    check_token_error(lab.redeem(signed.ask, signed.code), "invalid_grant", status=400)
    check_bearer_error(lab.userinfo(signed.access_token), 401, "invalid_token")
    check_token_error(lab.refresh(conf1, signed.refresh_token), "invalid_grant", status=400)


@pytest.mark.parametrize("suffix", ["/extra", "/", "?a=b", "x", "%2F", "/.", "/../cb"])
def test_oidcc_ensure_registered_redirect_uri(lab: Lab, conf1: Client, suffix: str) -> None:
    """An error page, and never a redirect, neither to the asked URI nor to the registered one."""
    lab.error_page(lab.ask(conf1, redirect_uri=conf1.redirect_uri + suffix).url)


def test_oidcc_ensure_post_request_succeeds(lab: Lab, conf1: Client) -> None:
    """The request as a form, from another site and without cookies (SameSite=Lax leaves them behind)."""
    ask = lab.ask(conf1)
    browser = lab.browser()
    page = browser.post(ask.endpoint, ask.parameters)
    assert page.has_password, readable(page.response)
    page = browser.sign_in(page)
    url = page.url if page.left else browser.decide(page).url
    lab.finish(ask, url, browser)


def test_oidcc_ensure_post_request_succeeds_with_a_session(lab: Lab, conf1: Client) -> None:
    first = lab.sign_in(conf1)
    ask = lab.ask(conf1)
    page = first.browser.post(ask.endpoint, ask.parameters)
    assert page.left, readable(page.response)
    assert lab.finish(ask, page.url, first.browser).claims["sub"] == first.claims["sub"]


def test_oidcc_server_client_secret_post(lab: Lab, conf2: Client) -> None:
    assert "client_secret_post" in lab.discovery["token_endpoint_auth_methods_supported"]
    lab.sign_in(conf2)


def test_oidcc_request_uri_unsigned_supported_correctly_or_rejected_as_unsupported(lab: Lab, conf1: Client) -> None:
    """Refused with its own code; discovery says so, since the default of the member is true."""
    assert lab.discovery["request_uri_parameter_supported"] is False
    lab.redirect_error(lab.ask(conf1, request_uri="https://rp.example/request.jwt"), "request_uri_not_supported")


def test_oidcc_unsigned_request_object_supported_correctly_or_rejected_as_unsupported(lab: Lab, conf1: Client) -> None:
    """`state` only inside: whoever ignores the object loses it."""
    inside = unsigned_jwt({"client_id": conf1.client_id, "state": "inside", "response_type": "code", "scope": "openid"})
    ask = lab.ask(conf1, request=inside, state=None)
    lab.redirect_error(ask, "request_not_supported")
    assert lab.discovery.get("request_parameter_supported", False) is False


def test_oidcc_ensure_request_object_with_redirect_uri(lab: Lab, conf1: Client) -> None:
    """A bad redirect_uri outside: an error page. Saying request_not_supported to the registered URI would be the
    failure.
    """
    inside = unsigned_jwt(
        {"client_id": conf1.client_id, "redirect_uri": conf1.redirect_uri, "response_type": "code", "scope": "openid"}
    )
    lab.error_page(lab.ask(conf1, request=inside, redirect_uri="https://rp.example/not-registered").url)
    lab.error_page(
        lab.ask(conf1, request_uri="https://rp.example/r.jwt", redirect_uri="https://rp.example/not-registered").url
    )


def test_oidcc_refresh_token(lab: Lab, conf1: Client, conf2: Client) -> None:
    """offline_access with prompt=consent; client 1 refreshes with `scope`, client 2 without."""
    assert "refresh_token" in lab.discovery["grant_types_supported"]
    scope = "openid offline_access" if "offline_access" in lab.discovery["scopes_supported"] else "openid"
    newest = {}
    for client, asked in ((conf1, scope), (conf2, None)):
        ask = lab.ask(client, scope=scope, prompt="consent")
        browser = lab.browser()
        page = browser.sign_in(browser.get(ask.url))
        assert {"allow", "deny"} <= page.buttons(), "prompt=consent shows no consent page"
        signed = lab.finish(ask, browser.decide(page).url, browser)
        time.sleep(1.1)
        response = lab.refresh(client, signed.refresh_token, scope=asked)
        check_no_store(response)
        answer = check_token_answer(response, refresh_token=True)
        assert "expires_in" in answer
        assert answer["access_token"] != signed.access_token
        lab.person(signed, answer["access_token"])
        _, claims = verify_signature(answer["id_token"], lab.jwks())
        assert claims["iat"] > signed.claims["iat"], "iat did not change"
        for member in ("iss", "sub", "aud", "azp", "auth_time"):
            assert claims.get(member) == signed.claims.get(member)
        newest[client.client_id] = answer["refresh_token"]
    check_token_error(lab.refresh(conf1, newest["conf2"]), "invalid_grant", status=400)
    check_token_answer(lab.refresh(conf2, newest["conf2"]))


def test_oidcc_ensure_request_with_valid_pkce_succeeds(lab: Lab, conf1: Client) -> None:
    assert "S256" in lab.discovery["code_challenge_methods_supported"]
    ask = lab.ask(conf1, code_challenge=RFC7636_CHALLENGE, code_challenge_method="S256")
    ask.verifier = RFC7636_VERIFIER
    lab.sign_in(conf1, ask=ask)


def test_user_rejects_authentication(lab: Lab, conf1: Client) -> None:
    """Not in the Basic plan, but in FAPI's: no consent gives access_denied, with a long state."""
    ask = lab.ask(conf1, prompt="consent", state=long_text(1000))
    browser = lab.browser()
    page = browser.decide(browser.sign_in(browser.get(ask.url)), "deny")
    assert page.left, readable(page.response)
    ask.error(page.url, "access_denied")
    # Refusing is no consent: the next silent request cannot be answered unless consent was given before.
    assert lab.browser().get(lab.ask(conf1).url).has_password
