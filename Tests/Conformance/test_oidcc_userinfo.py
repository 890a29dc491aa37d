"""What the Foundation's suite looks at in userinfo, scopes and the claims parameter: parts 1, 2 and 5 of its rows, named
like them, and their neighbours. Where the suite would only warn, these fail.

alice is the test user of whom every standard claim is known.
"""

from __future__ import annotations

import json
import time
from typing import Any

import psycopg
import pytest

from support import ALICE, BOB, CLIENTS, Client, Dev, register
from support.checks import (
    SCOPE_CLAIMS,
    check_bearer_error,
    check_token_answer,
    check_userinfo,
    claims_of,
    verify_signature,
)
from support.flow import Lab, readable

CONF1, CONF2, WEB1, WEB2, SPA1 = (CLIENTS[name] for name in ("conf1", "conf2", "web1", "web2", "spa1"))
ALL = "openid profile email address phone"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture(scope="module")
def signing(server: Dev) -> Client:
    """A client that registered `userinfo_signed_response_alg`."""
    return register(
        server,
        "signed-userinfo",
        ["http://127.0.0.1:9831/cb"],
        profile="oidc",
        scope=ALL,
        userinfo_signed_response_alg="RS256",
        switches={"userinfo": True},
    )


def claims(**members: dict[str, Any]) -> str:
    return json.dumps(members)


# MARK: The three ways to ask


def test_oidcc_userinfo_get(lab: Lab) -> None:
    signed = lab.sign_in(CONF1)
    answer = check_userinfo(lab.userinfo(signed.access_token), sub=signed.claims["sub"], claims=[])
    assert answer == {"sub": signed.claims["sub"]}


@pytest.mark.parametrize("body", [None, "", "x=y", b"\x00\xff"])
def test_oidcc_userinfo_post_header(lab: Lab, body: Any) -> None:
    """No useful body, with or without a type of its own."""
    signed = lab.sign_in(CONF1, scope="openid email")
    for headers in ({}, {"Content-Type": "application/octet-stream"}):
        answer = lab.userinfo(signed.access_token, method="POST", data=body, headers=headers)
        check_userinfo(answer, sub=signed.claims["sub"], claims=SCOPE_CLAIMS["email"])


def test_oidcc_userinfo_post_body(lab: Lab) -> None:
    signed = lab.sign_in(CONF1, scope="openid email")
    answer = lab.userinfo(None, method="POST", data={"access_token": signed.access_token, "more": "x"})
    check_userinfo(answer, sub=signed.claims["sub"], claims=SCOPE_CLAIMS["email"])


# MARK: Scopes


@pytest.mark.parametrize(
    "scope", ["openid profile", "openid email", "openid address", "openid phone", ALL, "openid phone email"]
)
def test_oidcc_scope(lab: Lab, scope: str) -> None:
    """oidcc-scope-profile, -email, -address, -phone, -all: all that a scope names comes at userinfo, nothing else, and
    none of it in the ID Token (which `check_id_token` looks at).
    """
    for item in scope.split():
        assert item in lab.discovery["scopes_supported"]
    signed = lab.sign_in(CONF1, scope=scope)
    assert set(signed.answer["scope"].split()) == set(scope.split())
    answer = lab.person(signed, claims=claims_of(scope))
    for name in claims_of(scope) - {"updated_at"}:
        assert answer[name] == ALICE.raw[name], name


def test_oidcc_scope_of_a_person_of_whom_little_is_known(lab: Lab) -> None:
    """What is missing is left out, never null or empty (Core §5.3.2)."""
    signed = lab.sign_in(CONF1, scope=ALL, account=BOB)
    answer = lab.person(signed, claims={"name", "email", "email_verified", "updated_at"})
    assert answer["name"] == "Bob Example" and answer["email_verified"] is False


def test_updated_at_is_when_the_claims_changed(lab: Lab, server: Dev, database: psycopg.Connection) -> None:
    before = int(time.time())
    done = server.admin(
        "apply",
        "-f",
        "-",
        stdin=json.dumps({"accounts": [{"username": "updated@example.test", "password": "a password of mine", "name": "U"}]}),
    )
    assert done.returncode == 0, done.stderr
    database.execute(
        "UPDATE accounts SET updated_at = '2026-01-02 03:04:05.999+00' WHERE username = 'updated@example.test'"
    )
    account = type(ALICE)("updated@example.test", "a password of mine", {})
    signed = lab.sign_in(CONF1, scope="openid profile", account=account)
    assert lab.person(signed)["updated_at"] == 1_767_323_045
    database.execute("UPDATE accounts SET updated_at = now() WHERE username = 'updated@example.test'")
    assert before <= lab.person(signed)["updated_at"] <= time.time() + 1


def test_the_scope_of_the_token_counts(lab: Lab) -> None:
    """A refresh for less gives a token that shows less; the grant keeps the rest."""
    signed = lab.sign_in(CONF1, scope="openid profile email")
    less = check_token_answer(lab.refresh(CONF1, signed.refresh_token, scope="openid email"))
    lab.person(signed, less["access_token"], claims=claims_of("email"))
    whole = check_token_answer(lab.refresh(CONF1, less["refresh_token"]))
    lab.person(signed, whole["access_token"], claims=claims_of("profile email"))


def test_claims_are_those_of_today(lab: Lab, server: Dev) -> None:
    """Not those of the sign-in."""

    def name_is(name: str) -> dict[str, Any]:
        file = {"accounts": [{"username": "renamed@example.test", "password": "a password of mine", "name": name}]}
        done = server.admin("apply", "-f", "-", stdin=json.dumps(file))
        assert done.returncode == 0, done.stderr
        return file["accounts"][0]

    raw = name_is("Before")
    account = type(ALICE)(raw["username"], raw["password"], raw)
    signed = lab.sign_in(CONF1, scope="openid profile", account=account)
    assert signed.person and signed.person["name"] == "Before"
    name_is("After")
    assert lab.person(signed)["name"] == "After"


# MARK: Signed answers


def test_oidcc_userinfo_rs256(lab: Lab, signing: Client) -> None:
    """Verified by three libraries (in `check_signed_userinfo`): iss, aud, no nonce, and the claims as ever."""
    assert "RS256" in lab.discovery["userinfo_signing_alg_values_supported"]
    signed = lab.sign_in(signing, scope=ALL)
    answer = lab.person(signed, claims=claims_of(ALL))
    assert answer["address"] == ALICE.raw["address"]
    assert set(answer) == {"iss", "aud", "sub"} | claims_of(ALL)
    kid = verify_signature(signed.id_token, lab.jwks())[0]["kid"]
    header, _ = verify_signature(lab.userinfo(signed.access_token).text, lab.jwks())
    assert header["kid"] == kid and header["alg"] == "RS256"
    # Errors are as ever.
    check_bearer_error(lab.userinfo("nonsense"), 401, "invalid_token")


def test_a_signed_answer_is_no_id_token_hint(lab: Lab, signing: Client) -> None:
    """Signed by the same key, about the same person, for the same client: still another kind of JWT (RFC 8725 §3.11)."""
    signed = lab.sign_in(signing)
    answer = lab.userinfo(signed.access_token).text
    lab.redirect_error(lab.ask(signing, prompt="none", id_token_hint=answer), "invalid_request")
    ask = lab.ask(signing, prompt="none", id_token_hint=signed.id_token)
    ask.code(lab.silent(signed.browser, ask))


# MARK: The claims parameter


def test_oidcc_claims_essential(lab: Lab, conf1: Client) -> None:
    """Scope openid alone: the name at userinfo, not in the ID Token, and nothing else of the profile."""
    signed = lab.sign_in(conf1, claims=claims(userinfo={"name": {"essential": True}}))
    assert "name" not in signed.claims
    assert signed.answer["scope"] == "openid", "the scope does not grow"
    assert lab.person(signed, claims={"name"})["name"] == ALICE.raw["name"]
    refreshed = lab.refreshed(signed)
    assert lab.person(signed, refreshed["access_token"], claims={"name"})["name"] == ALICE.raw["name"]


def test_claims_beside_a_scope(lab: Lab) -> None:
    asked = {"phone_number": None, "email": {"essential": True}, "address": {"purpose": "post"}}
    signed = lab.sign_in(CONF1, scope="openid email", claims=claims(userinfo=asked))
    lab.person(signed, claims={"email", "email_verified", "phone_number", "address"})


def test_claims_in_the_id_token(lab: Lab) -> None:
    """By name there, and there only; also after a refresh, and a retried one."""
    asked = claims(id_token={"email": {"essential": True}, "email_verified": None, "updated_at": None, "address": {}})
    signed = lab.sign_in(CONF1, claims=asked)
    names = {"email", "email_verified", "address"}
    assert {name: signed.claims[name] for name in names} == {name: ALICE.raw[name] for name in names}
    assert type(signed.claims["updated_at"]) is int
    lab.person(signed, claims=[])
    refreshed = lab.refreshed(signed)
    again = lab.refresh(CONF1, signed.refresh_token)  # the retry of a lost answer
    for token in (refreshed["id_token"], check_token_answer(again)["id_token"]):
        _, later = verify_signature(token, lab.jwks())
        assert {name: later[name] for name in names} == {name: ALICE.raw[name] for name in names}


def test_claims_that_are_not_known_of_the_person_are_left_out(lab: Lab) -> None:
    """Core §5.5.1: no error, even if essential."""
    asked = {"phone_number": {"essential": True}, "nickname": None}
    signed = lab.sign_in(CONF1, account=BOB, claims=claims(id_token=asked, userinfo=asked))
    assert not set(asked) & set(signed.claims)
    lab.person(signed, claims=[])


def test_claims_of_the_protocol_are_there_anyway(lab: Lab) -> None:
    """acr, auth_time, sub and others may be asked for; it changes nothing, and what is said is what happened."""
    listed = lab.discovery["acr_values_supported"]
    asked = {
        "auth_time": {"essential": True},
        "acr": {"values": ["urn:mace:incommon:iap:silver", *listed]},
        "sub": None,
        "amr": None,
        "nonce": {"essential": True},
        "iss": {"value": "https://other.example"},
    }
    signed = lab.finish(*sign_in_with(lab, claims(id_token=asked, userinfo={"sub": {"essential": True}})), auth_time=True)
    assert signed.claims["acr"] in listed
    assert signed.claims["iss"] == lab.issuer


def sign_in_with(lab: Lab, asked: str) -> tuple[Any, str, Any]:
    ask, browser = lab.ask(CONF1, claims=asked), lab.browser()
    return ask, browser.authorize(ask.url), browser


@pytest.mark.parametrize(
    "asked",
    [
        "{}",
        '{"id_token":{"made_up":null}}',
        '{"somewhere":{"x":{"essential":true}}}',
        '{"userinfo":null}',
        '{"userinfo":{"name#fi":null,"http://example.info/claims/groups":null}}',
        '{"id_token":{"name":7}}',
        '{"userinfo":{"given_name":{"essential":true,"unheard_of":[{}]}},"more":[]}',
    ],
)
def test_claims_not_understood(lab: Lab, asked: str) -> None:
    """What of `claims` is not understood causes no error (Core §5.5)."""
    signed = lab.sign_in(CONF1, claims=asked)
    assert not claims_of(ALL) & set(signed.claims)


@pytest.mark.parametrize(
    "asked",
    ["not json", "[]", '"name"', "null", '{"userinfo":{"name":null}', '{"userinfo":["name"]}', '{"id_token":true}',
     '{"userinfo":{"name":null,"name":null}}', '{"id_token":{"sub":{"value":7}}}', '{"x":"' + "y" * 4096 + '"}'],
)  # fmt: skip
def test_claims_that_are_no_json_object_are_invalid(lab: Lab, asked: str) -> None:
    lab.redirect_error(lab.ask(CONF1, claims=asked), "invalid_request")


def test_claims_of_a_scope_the_client_may_not_have_are_dropped(lab: Lab) -> None:
    """As the scope itself would be: spa1 may have the profile only."""
    asked = {"email": {"essential": True}, "nickname": None}
    signed = lab.sign_in(SPA1, claims=claims(userinfo=asked, id_token=asked))
    assert signed.claims["nickname"] == ALICE.raw["nickname"] and "email" not in signed.claims
    lab.person(signed, claims={"nickname"})


# MARK: Consent to claims


def fresh_client(server: Dev, name: str, port: int, **metadata: Any) -> Client:
    """Nobody has consented to it yet."""
    return register(
        server,
        name,
        [f"http://127.0.0.1:{port}/cb"],
        profile="oidc",
        scope=ALL,
        switches={"userinfo": True},
        **metadata,
    )


def test_the_consent_page_names_what_claims_ask_for(lab: Lab, server: Dev) -> None:
    """A claim counts as its scope there: shown, and remembered; what is granted is the claim alone."""
    client = fresh_client(server, "claims-consent", 9832)

    def shown(**changes: str) -> list[str]:
        browser = lab.browser()
        page = browser.sign_in(browser.get(lab.ask(client, **changes).url))
        assert "allow" in page.buttons(), readable(page.response)
        return [item.get_text(strip=True) for item in page.soup.select("ul.scopes li")]

    asked = claims(userinfo={"phone_number": None}, id_token={"email": None})
    by_scope = shown(scope="openid email phone")
    assert len(by_scope) == 3 and shown(claims=asked) == by_scope
    assert len(shown()) == 1

    ask, browser = lab.ask(client, claims=asked), lab.browser()
    signed = lab.finish(ask, browser.authorize(ask.url), browser)
    assert signed.answer["scope"] == "openid"
    assert signed.claims["email"] == ALICE.raw["email"]
    lab.person(signed, claims={"phone_number"})

    # Remembered: neither the same claims nor their scopes are asked for again; others are.
    for changes in ({"claims": asked}, {"scope": "openid email phone"}, {}):
        silent = lab.ask(client, prompt="none", **changes)
        silent.code(lab.silent(browser, silent))
    for changes in ({"claims": claims(userinfo={"name": None})}, {"claims": claims(id_token={"address": None})}):
        more = lab.ask(client, prompt="none", **changes)
        more.error(lab.silent(browser, more), "consent_required")
        assert "allow" in browser.get(lab.ask(client, **changes).url).buttons()


def test_denied_claims_are_not_given(lab: Lab, server: Dev) -> None:
    client = fresh_client(server, "claims-denied", 9833)
    ask = lab.ask(client, claims=claims(userinfo={"email": None}))
    browser = lab.browser()
    ask.error(browser.authorize(ask.url, decision="deny"), "access_denied")
    plain = lab.ask(client)
    signed = lab.finish(plain, browser.authorize(plain.url), browser)
    lab.person(signed, claims=[])


# MARK: sub with a value (Core §3.1.2.2, §5.5.1)


@pytest.mark.parametrize("member", ["id_token", "userinfo"])
def test_a_sub_that_is_asked_for_is_the_only_one_who_will_do(lab: Lab, member: str) -> None:
    alice = lab.sign_in(CONF1)
    bob = lab.sign_in(CONF1, account=BOB)

    def asking(sub: str, **changes: str) -> Any:
        return lab.ask(CONF1, claims=claims(**{member: {"sub": {"value": sub}}}), **changes)

    right = asking(alice.claims["sub"], prompt="none")
    signed = lab.finish(right, lab.silent(alice.browser, right), alice.browser)
    assert signed.claims["sub"] == alice.claims["sub"]
    for wrong in (bob.claims["sub"], "nobody", alice.claims["sub"].upper()):
        ask = asking(wrong, prompt="none")
        ask.error(lab.silent(alice.browser, ask), "login_required")

    # Where pages may be shown, the right person can sign in; another is refused.
    ask = asking(bob.claims["sub"])
    page = alice.browser.get(ask.url)
    assert page.has_password, readable(page.response)
    assert lab.finish(ask, alice.browser.authorize(ask.url, BOB), alice.browser).claims["sub"] == bob.claims["sub"]
    ask = asking(bob.claims["sub"])
    ask.error(lab.browser().authorize(ask.url, ALICE), "login_required")


def test_a_sub_and_a_hint_must_be_one_person(lab: Lab) -> None:
    alice = lab.sign_in(CONF1)
    bob = lab.sign_in(CONF1, account=BOB)
    asked = claims(id_token={"sub": {"value": alice.claims["sub"]}})
    ask = lab.ask(CONF1, prompt="none", claims=asked, id_token_hint=alice.id_token)
    ask.code(lab.silent(alice.browser, ask))
    lab.redirect_error(lab.ask(CONF1, claims=asked, id_token_hint=bob.id_token), "login_required")
    two = claims(id_token={"sub": {"value": alice.claims["sub"]}}, userinfo={"sub": {"value": bob.claims["sub"]}})
    lab.redirect_error(lab.ask(CONF1, claims=two), "login_required")


def test_an_id_token_full_of_claims_is_still_a_hint(lab: Lab) -> None:
    signed = lab.sign_in(CONF1, claims=claims(id_token={name: None for name in claims_of(ALL)}))
    assert claims_of(ALL) <= set(signed.claims)
    ask = lab.ask(CONF1, prompt="none", id_token_hint=signed.id_token)
    ask.code(lab.silent(signed.browser, ask))


# MARK: Discovery


def test_what_discovery_says_of_claims(lab: Lab) -> None:
    document = lab.discovery
    assert document["claims_parameter_supported"] is True
    assert claims_of(ALL) <= set(document["claims_supported"])
    assert {"iss", "sub", "aud", "exp", "iat", "auth_time", "acr", "amr", "sid"} <= set(document["claims_supported"])
    # Every claim listed comes from somewhere: from userinfo, or in the ID Token.
    signed = lab.sign_in(CONF1, scope=ALL)
    assert signed.person
    assert set(document["claims_supported"]) == set(signed.claims) | set(signed.person)
