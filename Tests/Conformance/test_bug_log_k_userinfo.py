"""Public faults of other providers, K: userinfo (B125, B128, B130, B131), and what older entries mean there (B011, B046,
B070, B071, B103, B104, B113).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from urllib.parse import quote

import psycopg
import pytest
from joserfc import jwk, jwt

from support import ALICE, BOB, CLIENTS, Client, Dev, register
from support.checks import (
    SCOPE_CLAIMS,
    check_bearer_error,
    check_person_claims,
    check_token_answer,
    check_token_error,
    check_userinfo,
    verify_signature,
)
from support.cluster import wait_until
from support.flow import Lab, Signed

CONF1, CONF2, WEB1, WEB2, APP1 = (CLIENTS[name] for name in ("conf1", "conf2", "web1", "web2", "app1"))
ORIGIN = {"Origin": "https://spa.example"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture(scope="module")
def signed(lab: Lab) -> Signed:
    return lab.sign_in(CONF1, scope="openid email")


# MARK: B125


def test_B125_types_to_the_letter(lab: Lab) -> None:
    """Booleans, a number of seconds, an object; at userinfo and in the ID Token alike."""
    names = ["email_verified", "phone_number_verified", "updated_at", "address"]
    asked = json.dumps({"id_token": dict.fromkeys(names)})
    signed = lab.sign_in(CONF1, scope="openid profile email address phone", claims=asked)
    text = lab.userinfo(signed.access_token).text
    assert '"email_verified":true' in text and '"phone_number_verified":true' in text
    for claims in (json.loads(text), signed.claims):
        check_person_claims(claims)
        assert claims["email_verified"] is True and type(claims["updated_at"]) is int
        assert claims["address"] == ALICE.raw["address"]
    bob = lab.sign_in(CONF1, scope="openid email", account=BOB)
    assert '"email_verified":false' in lab.userinfo(bob.access_token).text


def test_B125_an_empty_value_is_left_out(lab: Lab, server: Dev, database: psycopg.Connection) -> None:
    """Even one that somebody has written into the database past all rules."""
    raw = {"username": "empty@example.test", "password": "a password of mine", "name": "Empty", "email": "e@example.test"}
    done = server.admin("apply", "-f", "-", stdin=json.dumps({"accounts": [raw]}))
    assert done.returncode == 0, done.stderr
    database.execute(
        "UPDATE accounts SET claims = claims || %s WHERE username = 'empty@example.test'",
        ('{"nickname": "", "website": null, "address": {}, "groups": ["x"]}',),
    )
    account = type(ALICE)(raw["username"], raw["password"], raw)
    asked = json.dumps({"id_token": {"nickname": None, "address": None, "name": None}})
    signed = lab.sign_in(CONF1, scope="openid profile email address", account=account, claims=asked)
    lab.person(signed, claims={"name", "email", "updated_at"})
    assert signed.claims["name"] == "Empty" and not {"nickname", "address"} & set(signed.claims)


# MARK: B128


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_B128_no_token_is_a_challenge_without_an_error(lab: Lab, method: str) -> None:
    """RFC 6750 §3.1; so is another scheme than ours."""
    answers = [
        lab.userinfo(None, method=method),
        lab.userinfo(None, method=method, headers={"Authorization": "Basic Y29uZjE6eA=="}),
        lab.userinfo(None, method=method, headers={"Authorization": "DPoP abc"}),
        lab.userinfo(None, method=method, headers={"Authorization": "BearerX abc"}),
        lab.userinfo(None, method=method, headers={"Authorization": ""}),
    ]
    for answer in answers:
        check_bearer_error(answer, 401, None)


def test_B128_head_is_answered_like_get(lab: Lab, signed: Signed) -> None:
    answer = lab.userinfo(signed.access_token, method="HEAD")
    assert answer.status_code == 200 and not answer.content
    assert lab.userinfo(None, method="HEAD").status_code == 401


@pytest.mark.parametrize("value", ["Bearer", "Bearer ", "bearer", "Bearer a b", "Bearer {token} x"])
def test_B128_a_scheme_without_one_token_is_invalid(lab: Lab, signed: Signed, value: str) -> None:
    value = value.format(token=signed.access_token)
    check_bearer_error(lab.userinfo(None, headers={"Authorization": value}), 400, "invalid_request")


@pytest.mark.parametrize("text", ["expired", "x" * 4000, "\u00e9", "a,b", '"', "%00", "=", "{token}x", "{token}=", "{start}"])
def test_B128_a_token_of_nobody(lab: Lab, signed: Signed, text: str) -> None:
    text = text.format(token=signed.access_token, start=signed.access_token[:-1])
    answer = lab.userinfo(None, headers={"Authorization": f"Bearer {text}".encode().decode("latin-1")})
    check_bearer_error(answer, 401, "invalid_token")
    check_bearer_error(lab.userinfo(None, method="POST", data={"access_token": text}), 401, "invalid_token")


def test_B128_one_changed_character_is_another_token(lab: Lab, signed: Signed) -> None:
    for position in (0, 8, 40, len(signed.access_token) // 2, len(signed.access_token) - 3):
        old = signed.access_token[position]
        other = signed.access_token[:position] + ("A" if old != "A" else "B") + signed.access_token[position + 1 :]
        check_bearer_error(lab.userinfo(other), 401, "invalid_token")


def test_B128_an_expired_token(lab: Lab, server: Dev) -> None:
    client = register(
        server,
        "short-lived",
        ["http://127.0.0.1:9834/cb"],
        profile="oidc",
        access_token_lifetime=2,
        switches={"userinfo": True},
    )
    signed = lab.sign_in(client)
    wait_until(lambda: lab.userinfo(signed.access_token).status_code != 200, 10, "the token has expired")
    body = check_bearer_error(lab.userinfo(signed.access_token), 401, "invalid_token")
    assert "expired" in body["error_description"]
    assert lab.userinfo(lab.refreshed(signed)["access_token"]).status_code == 200


def test_B128_too_little_scope(lab: Lab) -> None:
    """A refresh for a scope without openid: 403, and the challenge names what is missing."""
    signed = lab.sign_in(CONF1, scope="openid profile")
    less = check_token_answer(lab.refresh(CONF1, signed.refresh_token, scope="profile"))
    for method in ("GET", "POST"):
        answer = lab.userinfo(less["access_token"], method=method)
        check_bearer_error(answer, 403, "insufficient_scope", scope="openid")


def test_B128_two_tokens_at_once(lab: Lab) -> None:
    """Header, form and query: one place only, whether the tokens are equal or not (RFC 6750 §2)."""
    token = lab.sign_in(CONF1).access_token
    endpoint = lab.discovery["userinfo_endpoint"]
    header = {"Authorization": f"Bearer {token}"}
    for other in (token, "x"):
        answer = lab.userinfo(token, method="POST", data={"access_token": other})
        check_bearer_error(answer, 400, "invalid_request")
        answer = lab.http("GET", f"{endpoint}?access_token={quote(other)}", headers=header)
        check_bearer_error(answer, 400, "invalid_request")
        body = f"access_token={quote(token)}&access_token={quote(other)}"
        check_bearer_error(lab.userinfo(None, method="POST", data=body, headers=FORM), 400, "invalid_request")
    raw = f"Bearer {token}"
    answer = lab.http("GET", endpoint, headers={"Authorization": f"{raw}, {raw}"})
    assert answer.status_code in (400, 401)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_B128_never_in_the_query(lab: Lab, signed: Signed, method: str) -> None:
    endpoint = lab.discovery["userinfo_endpoint"]
    for query in (f"access_token={signed.access_token}", f"x=%zz&access_token={signed.access_token}"):
        check_bearer_error(lab.http(method, f"{endpoint}?{query}"), 400, "invalid_request")
    # Anything else there is nobody's business.
    answer = lab.userinfo(signed.access_token, method=method, params={"schema": "openid"})
    if method == "GET":
        check_userinfo(answer, sub=signed.claims["sub"], claims=SCOPE_CLAIMS["email"])


def test_B128_a_form_is_read_with_post_only(lab: Lab, signed: Signed) -> None:
    """RFC 6750 §2.2: never with GET, and in no other type than the form's."""
    body = f"access_token={quote(signed.access_token)}"
    check_bearer_error(lab.userinfo(None, data=body, headers=FORM), 401, None)
    for media_type in ("text/plain", "multipart/form-data; boundary=x", "application/json"):
        answer = lab.userinfo(None, method="POST", data=body, headers={"Content-Type": media_type})
        check_bearer_error(answer, 401, None)
    answer = lab.userinfo(None, method="POST", json={"access_token": signed.access_token})
    check_bearer_error(answer, 401, None)
    check_bearer_error(
        lab.userinfo(None, method="POST", data="access_token=%zz", headers=FORM), 400, "invalid_request"
    )


@pytest.mark.parametrize(
    "media_type",
    [
        "application/x-www-form-urlencoded; charset=UTF-8",
        'application/x-www-form-urlencoded;charset="utf-8"',
        "Application/X-WWW-Form-Urlencoded",
    ],
)
def test_B011_spellings_of_the_media_type(lab: Lab, signed: Signed, media_type: str) -> None:
    body = f"access_token={quote(signed.access_token)}"
    answer = lab.userinfo(None, method="POST", data=body, headers={"Content-Type": media_type})
    check_userinfo(answer, sub=signed.claims["sub"], claims=SCOPE_CLAIMS["email"])


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "beArer", "Bearer  "])
def test_the_scheme_in_any_case(lab: Lab, signed: Signed, scheme: str) -> None:
    """RFC 6750 §2.1, RFC 9110 §11.1."""
    answer = lab.userinfo(None, headers={"Authorization": f"{scheme} {signed.access_token}"})
    check_userinfo(answer, sub=signed.claims["sub"], claims=SCOPE_CLAIMS["email"])


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH"])
def test_get_and_post_only(lab: Lab, signed: Signed, method: str) -> None:
    answer = lab.userinfo(signed.access_token, method=method)
    assert answer.status_code == 405
    assert {"GET", "HEAD", "POST"} <= {item.strip() for item in answer.headers["Allow"].split(",")}


# MARK: B130, B131


@pytest.mark.parametrize("client", [CONF1, CONF2, WEB1, APP1], ids=lambda client: client.client_id)
def test_B130_sub_is_that_of_the_id_token(lab: Lab, client: Client) -> None:
    """Also with scope openid alone, and after a refresh; one person, one sub."""
    signed = lab.sign_in(client)
    assert lab.person(signed, claims=[])["sub"] == signed.claims["sub"]
    refreshed = lab.refreshed(signed)
    assert lab.person(signed, refreshed["access_token"], claims=[])["sub"] == signed.claims["sub"]
    bob = lab.sign_in(client, account=BOB)
    assert lab.person(bob)["sub"] == bob.claims["sub"] != signed.claims["sub"]


def test_B131_what_is_no_access_token(lab: Lab, server: Dev) -> None:
    """An ID Token, a refresh token, a code, a signed userinfo answer, a logout token, a session's cookie: 401 for all."""
    client = register(
        server,
        "confused",
        ["http://127.0.0.1:9835/cb"],
        profile="oidc",
        userinfo_signed_response_alg="RS256",
        switches={"userinfo": True},
    )
    signed = lab.sign_in(client)
    ask = lab.ask(client)
    code = lab.code(ask, signed.browser)
    cookies = [cookie.value or "" for cookie in signed.browser.session.cookies]
    assert cookies
    _, claims = verify_signature(signed.id_token, lab.jwks())
    foreign = jwk.RSAKey.generate_key(2048, {"kid": lab.jwks()["keys"][0]["kid"]}, private=True)
    forged = jwt.encode(
        {"alg": "RS256", "kid": lab.jwks()["keys"][0]["kid"], "typ": "at+jwt"},
        {"iss": lab.issuer, "sub": claims["sub"], "aud": lab.issuer, "exp": int(time.time()) + 600, "scope": "openid"},
        foreign,
    )
    answer = lab.userinfo(signed.access_token).text
    for text in (signed.id_token, signed.refresh_token, code, answer, forged, *cookies):
        check_bearer_error(lab.userinfo(text), 401, "invalid_token")
        check_bearer_error(lab.userinfo(None, method="POST", data={"access_token": text}), 401, "invalid_token")
    # None of them was used up by it, and an access token is no refresh token either.
    check_token_error(lab.refresh(client, signed.access_token), "invalid_grant")
    check_token_answer(lab.redeem(ask, code))
    lab.refreshed(signed)


# MARK: Off means off


def test_the_switch_of_the_client(lab: Lab, server: Dev) -> None:
    """web2's is off: 403, with a challenge whose description names the switch. Its other half is `test_B113`."""
    signed = lab.sign_in(WEB2)
    assert signed.person is None
    for method in ("GET", "POST"):
        body = check_bearer_error(lab.userinfo(signed.access_token, method=method), 403, "insufficient_scope")
        assert "userinfo" in body["error_description"] and "switch" in body["error_description"]
    assert any(
        '"userinfo.refused"' in line and '"client_id":"web2"' in line for line in server.log.splitlines()
    ), "the log does not say whose"


def test_B046_a_replayed_code_ends_the_access_token(lab: Lab) -> None:
    signed = lab.sign_in(CONF1)
    newer = lab.refreshed(signed)
    check_token_error(lab.redeem(signed.ask, signed.code), "invalid_grant")
    for token in (signed.access_token, newer["access_token"]):
        check_bearer_error(lab.userinfo(token), 401, "invalid_token")


def test_a_replayed_refresh_token_ends_the_access_tokens(lab: Lab, server: Dev) -> None:
    client = register(
        server,
        "strict-userinfo",
        ["http://127.0.0.1:9837/cb"],
        profile="oidc",
        refresh_retry_seconds=0,
        switches={"userinfo": True},
    )
    signed = lab.sign_in(client)
    newer = lab.refreshed(signed)
    check_token_error(lab.refresh(client, signed.refresh_token), "invalid_grant")
    for token in (signed.access_token, newer["access_token"]):
        check_bearer_error(lab.userinfo(token), 401, "invalid_token")


def ended(how: str) -> Callable[[psycopg.Connection, str], None]:
    """Runs a statement with the account's id in it."""

    def run(database: psycopg.Connection, sub: str) -> None:
        row = database.execute("SELECT id FROM accounts WHERE subject = %s", (sub,)).fetchone()
        assert row
        database.execute(how, {"account": row[0]})

    return run


ENDS = {
    "B071 consent withdrawn": ended("SELECT withdraw_consent(%(account)s, 'conf2')"),
    "all sessions ended": ended("SELECT end_account_sessions(%(account)s, 'signed_out')"),
    "session ended": ended(
        "SELECT end_session(session_id, 'signed_out') FROM grants WHERE account_id = %(account)s ORDER BY id DESC LIMIT 1"
    ),
    "account disabled": ended("UPDATE accounts SET status = 'disabled' WHERE id = %(account)s"),
    "account closed": ended("UPDATE accounts SET status = 'closed' WHERE id = %(account)s"),
    "password changed": ended("SELECT set_password(username, password_hash) FROM accounts WHERE id = %(account)s"),
    "window passed": ended("UPDATE grants SET idle_expires_at = now() WHERE account_id = %(account)s"),
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_B071_what_ends_a_sign_in_ends_its_access_tokens(
    lab: Lab, server: Dev, database: psycopg.Connection, end: Callable[[psycopg.Connection, str], None]
) -> None:
    """At the next request; and activating an account again does not bring them back."""
    raw = {"username": f"ended-{time.monotonic_ns()}@example.test", "password": "a password of mine", "name": "E"}
    done = server.admin("apply", "-f", "-", stdin=json.dumps({"accounts": [raw]}))
    assert done.returncode == 0, done.stderr
    signed = lab.sign_in(CONF2, account=type(ALICE)(raw["username"], raw["password"], raw))
    assert signed.person, "it worked before"
    end(database, signed.claims["sub"])
    check_bearer_error(lab.userinfo(signed.access_token), 401, "invalid_token")
    check_token_error(lab.refresh(CONF2, signed.refresh_token), "invalid_grant")
    database.execute("UPDATE accounts SET status = 'active' WHERE subject = %s", (signed.claims["sub"],))
    check_bearer_error(lab.userinfo(signed.access_token), 401, "invalid_token")


def test_B070_a_disabled_client(lab: Lab, server: Dev, database: psycopg.Connection) -> None:
    """Its access tokens are dead at once, and stay so when it is enabled again."""
    client = register(
        server, "disabled-later", ["http://127.0.0.1:9836/cb"], profile="oidc", switches={"userinfo": True}
    )
    signed = lab.sign_in(client)
    assert signed.person
    for enabled in (False, True):
        database.execute("UPDATE clients SET enabled = %s WHERE client_id = %s", (enabled, client.client_id))
        check_bearer_error(lab.userinfo(signed.access_token), 401, "invalid_token")


# MARK: B103, B104: CORS


def test_B103_cors_on_answers_and_errors(lab: Lab, signed: Signed) -> None:
    off = lab.sign_in(WEB2)
    answers = [
        lab.userinfo(signed.access_token, headers=ORIGIN),
        lab.userinfo(signed.access_token, method="POST", headers=ORIGIN),
        lab.userinfo(None, headers=ORIGIN),
        lab.userinfo("expired", headers=ORIGIN),
        lab.userinfo(off.access_token, headers=ORIGIN),
        lab.userinfo(None, method="POST", data="access_token=%zz", headers=ORIGIN | FORM),
        lab.userinfo(signed.access_token, method="PUT", headers=ORIGIN),
    ]
    assert [answer.status_code for answer in answers] == [200, 200, 401, 401, 403, 400, 405]
    for answer in answers:
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert "Access-Control-Allow-Credentials" not in answer.headers
        assert "www-authenticate" in answer.headers["Access-Control-Expose-Headers"].lower()


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("asked", ["authorization", "authorization, content-type", "authorization, dpop"])
def test_B104_preflights_are_answered(lab: Lab, method: str, asked: str) -> None:
    headers = ORIGIN | {"Access-Control-Request-Method": method, "Access-Control-Request-Headers": asked}
    answer = lab.http("OPTIONS", lab.discovery["userinfo_endpoint"], headers=headers)
    assert answer.status_code == 204 and not answer.content
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert method in answer.headers["Access-Control-Allow-Methods"]
    for name in asked.split(", "):
        assert name in answer.headers["Access-Control-Allow-Headers"].lower()
