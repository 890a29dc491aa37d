"""RFC 7009, RFC 7662, RFC 6750 at the session context, and the session context itself. Named by document and section;
the numbers in the texts are those of the list of duties.

Where the documents leave a choice: revoking a refresh token ends its whole grant, whatever its generation (B134);
revoking an access token ends all access tokens of the grant issued so far, and leaves the refresh token; another client's
token is refused with invalid_grant (B133); a public client may not introspect, 401.
"""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest

from support import CLIENTS, Client, Dev
from support.checks import (
    check_active,
    check_bearer_error,
    check_error_page,
    check_inactive,
    check_json,
    check_no_store,
    check_revoked,
    check_session_context,
    check_token_answer,
    check_token_error,
)
from support.cluster import wait_until
from support.fixtures import client_of
from support.flow import Lab, Signed, basic
from support.secrecy import WIRE

CONF1, CONF2, WEB1, WEB2, APP1, SPA1, API1 = (
    CLIENTS[name] for name in ("conf1", "conf2", "web1", "web2", "app1", "spa1", "api1")
)
ALL_METHODS = pytest.mark.parametrize("client", [CONF1, CONF2, APP1], ids=lambda client: client.method)


@pytest.fixture(scope="module")
def brief(server: Dev, tmp_path_factory: pytest.TempPathFactory) -> Client:
    """A client whose access tokens live for a second."""
    raw = CLIENTS["conf1"].raw | {
        "client_id": "brief",
        "client_name": "brief",
        "client_secret": "brief-0123456789abcdefghijklmnopqrstuvwxyz",
        "access_token_lifetime": 1,
    }
    WIRE.add(raw["client_secret"])
    path = tmp_path_factory.mktemp("brief") / "brief.json"
    path.write_text(json.dumps({"clients": [raw]}))
    done = server.admin("apply", "-f", str(path))
    assert done.returncode == 0, done.stderr
    return client_of(raw)


def expired(lab: Lab, signed: Signed) -> str:
    """The access token, once it has expired."""
    token = signed.access_token
    wait_until(lambda: not check_json(lab.introspect(signed.client, token))["active"], 10, "the access token expires")
    return token


def check_alive(lab: Lab, signed: Signed) -> None:
    check_session_context(lab.session_context(signed.access_token), claims=signed.claims)
    lab.refreshed(signed)


def check_dead(lab: Lab, token: str, reason: str | None) -> None:
    """At the session context."""
    body = check_bearer_error(lab.session_context(token), 401, "invalid_token")
    assert body.get("reason") == reason, body


def revocations(database: psycopg.Connection, signed: Signed) -> list[Any]:
    """What is on record about this sign-in's grant."""
    rows = database.execute(
        "SELECT e.detail ->> 'token', e.actor_kind, e.actor, e.client_id, e.subject, e.address, e.request_id <> '' "
        "FROM audit_events e JOIN grants g ON g.id = (e.detail ->> 'grant')::bigint "
        "WHERE e.event = 'token.revoked' AND g.sid = %s ORDER BY e.id",
        (signed.claims["sid"],),
    )
    return rows.fetchall()


# MARK: Discovery


def test_8414_2_what_discovery_says(lab: Lab) -> None:
    """B112: the methods are stated, since leaving them out means client_secret_basic alone."""
    methods = ["client_secret_basic", "client_secret_post"]
    assert lab.discovery["revocation_endpoint"] == lab.issuer + "/oauth/revoke"
    assert lab.discovery["revocation_endpoint_auth_methods_supported"] == [*methods, "none"]
    assert lab.discovery["introspection_endpoint"] == lab.issuer + "/oauth/introspect"
    assert lab.discovery["introspection_endpoint_auth_methods_supported"] == methods
    assert lab.discovery["session_context_endpoint"] == lab.issuer + "/v1/session/context"


# MARK: The form and the client, at both endpoints

ENDPOINTS = pytest.mark.parametrize("ask", [Lab.revoke, Lab.introspect], ids=["7009", "7662"])


@pytest.mark.parametrize("name", ["revocation_endpoint", "introspection_endpoint"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH"])
def test_2_1_post_only(lab: Lab, name: str, method: str) -> None:
    """101, 108."""
    answer = lab.http(method, lab.discovery[name] + "?token=x")
    assert answer.status_code == 405
    assert "POST" in [item.strip() for item in answer.headers["Allow"].split(",")]


@pytest.mark.parametrize("name", ["revocation_endpoint", "introspection_endpoint"])
def test_2_1_a_form_only(lab: Lab, name: str) -> None:
    """101, 108: application/x-www-form-urlencoded, and nothing secret in the URI, where logs would keep it."""
    signed = lab.sign_in(CONF1)
    url, token = lab.discovery[name], signed.refresh_token
    headers = {"Authorization": basic(CONF1.client_id, CONF1.secret or "")}
    for media, body in (
        ("application/json", json.dumps({"token": token})),
        ("text/plain", f"token={token}"),
        ("multipart/form-data; boundary=x", f"--x\r\n\r\n{token}\r\n--x--\r\n"),
        (None, f"token={token}"),
    ):
        sent = headers | ({"Content-Type": media} if media else {})
        check_token_error(lab.http("POST", url, data=body.encode(), headers=sent), "invalid_request")
    for query in (f"token={token}", f"client_secret={CONF1.secret}", f"access_token={signed.access_token}", "a=%ff"):
        check_token_error(lab.post(url, CONF1, {"token": token}, query=query), "invalid_request")
    check_alive(lab, signed)


@ENDPOINTS
def test_2_1_token_is_missing_or_repeated(lab: Lab, ask: Any) -> None:
    """B133: invalid_request."""
    for token in (None, "", ["x", "x"]):
        check_token_error(ask(lab, CONF1, token), "invalid_request", status=400)
    check_token_error(ask(lab, CONF1, "x", token_type_hint=["a", "b"]), "invalid_request", status=400)


@ENDPOINTS
def test_2_1_the_client_must_authenticate(lab: Lab, ask: Any) -> None:
    """B133, 101, 112: 401, and the token lives on."""
    signed = lab.sign_in(CONF1)
    token = signed.refresh_token
    for auth in (
        basic("conf1", "wrong"),
        basic("conf1", CONF2.secret or ""),
        basic("nobody", "x" * 40),
        f"Bearer {signed.access_token}",
        "none",
        "post",
    ):
        answer = ask(lab, CONF1, token, auth=auth)
        check_token_error(answer, "invalid_client", status=401)
        if auth.startswith("Basic"):
            assert answer.headers["WWW-Authenticate"].startswith("Basic ")
    check_token_error(ask(lab, None, token, auth=None), "invalid_client", status=401)
    check_token_error(ask(lab, CONF1, token, auth="basic", client_secret=CONF1.secret), "invalid_request")
    check_alive(lab, signed)


@ENDPOINTS
def test_B070_a_disabled_client(lab: Lab, server: Dev, odd: dict[str, Client], database: Any, ask: Any) -> None:
    client = odd["to-switch-off"]
    for enabled in (False, True):
        database.execute("UPDATE clients SET enabled = %s WHERE client_id = %s", (enabled, client.client_id))
        status = 400 if enabled else 401
        wait_until(lambda: ask(lab, client, "x").status_code == status, 5, "the node has heard")
        # Its switch is off, too, which is said to a client that may know.
        check_token_error(ask(lab, client, "x"), "unauthorized_client" if enabled else "invalid_client", status=status)


@ENDPOINTS
def test_off_for_a_client(lab: Lab, database: psycopg.Connection, ask: Any) -> None:
    """The error names the switch, and nothing is done."""
    signed = lab.sign_in(WEB2)
    name = "revocation" if ask is Lab.revoke else "introspection"
    for token in (signed.refresh_token, signed.access_token, "x"):
        body = check_token_error(ask(lab, WEB2, token), "unauthorized_client", status=400)
        assert name in body["error_description"]
    assert not revocations(database, signed)
    lab.refreshed(signed)


# MARK: RFC 7009


@ALL_METHODS
@pytest.mark.parametrize("hint", [None, "refresh_token", "access_token", "nonsense", "", "urn:example:x"])
def test_7009_2_1_a_refresh_token_ends_its_grant(
    lab: Lab, database: psycopg.Connection, client: Client, hint: str | None
) -> None:
    """103, 104: whatever the hint says; its access tokens die at once; it is on record."""
    signed = lab.sign_in(client)
    check_session_context(lab.session_context(signed.access_token), claims=signed.claims)
    check_revoked(lab.revoke(client, signed.refresh_token, token_type_hint=hint))
    check_token_error(lab.refresh(client, signed.refresh_token), "invalid_grant")
    check_dead(lab, signed.access_token, "revoked")
    if client.secret:
        check_inactive(lab.introspect(client, signed.access_token))
        check_inactive(lab.introspect(client, signed.refresh_token))
    assert revocations(database, signed) == [
        ("refresh_token", "client", client.client_id, client.client_id, signed.claims["sub"], "127.0.0.1", True)
    ]


def test_B134_an_old_refresh_token_ends_the_whole_family_and_no_other(lab: Lab) -> None:
    browser = lab.browser()
    signed, sibling = lab.sign_in(CONF1, browser=browser), lab.sign_in(CONF1, browser=browser)
    other = lab.sign_in(CONF2, browser=browser)
    newer = lab.refreshed(signed)
    newest = lab.refreshed(signed, newer["refresh_token"])
    check_revoked(lab.revoke(CONF1, signed.refresh_token))
    for answer in (signed.answer, newer, newest):
        check_token_error(lab.refresh(CONF1, answer["refresh_token"]), "invalid_grant")
        check_dead(lab, answer["access_token"], "revoked")
        check_inactive(lab.introspect(CONF1, answer["access_token"]))
    check_alive(lab, sibling)
    check_alive(lab, other)


@ALL_METHODS
@pytest.mark.parametrize("hint", [None, "access_token", "refresh_token", "nonsense"])
def test_7009_2_1_an_access_token_ends_those_issued_so_far(
    lab: Lab, database: psycopg.Connection, client: Client, hint: str | None
) -> None:
    """B134, by documented choice: all of them, not only the one; the refresh token stays. Sent again, as after a lost
    answer, it does not end those made since.
    """
    signed = lab.sign_in(client)
    newer = lab.refreshed(signed)
    check_revoked(lab.revoke(client, signed.access_token, token_type_hint=hint))
    for answer in (signed.answer, newer):
        check_dead(lab, answer["access_token"], "revoked")
        if client.secret:
            check_inactive(lab.introspect(client, answer["access_token"]))
    newest = lab.refreshed(signed, newer["refresh_token"])
    for token in (signed.access_token, newer["access_token"]):
        check_revoked(lab.revoke(client, token))
    check_session_context(lab.session_context(newest["access_token"]), claims=signed.claims)
    assert [row[0] for row in revocations(database, signed)] == ["access_token"]
    check_revoked(lab.revoke(client, newest["access_token"]))
    check_dead(lab, newest["access_token"], "revoked")
    # The predecessor sent again gets the same refresh token, and an access token that lives.
    again = check_token_answer(lab.refresh(client, newer["refresh_token"]))
    assert again["refresh_token"] == newest["refresh_token"]
    check_session_context(lab.session_context(again["access_token"]), claims=signed.claims)


def test_7009_2_1_an_expired_access_token_ends_the_others_too(lab: Lab, brief: Client) -> None:
    """It says which grant is meant, and that the app wants no access token of it to live."""
    signed = lab.sign_in(brief)
    old = expired(lab, signed)
    newer = lab.refreshed(signed)
    check_revoked(lab.revoke(brief, old))
    check_dead(lab, newer["access_token"], "revoked")
    lab.refreshed(signed, newer["refresh_token"])


@pytest.mark.parametrize("thief", [CONF2, WEB1, APP1], ids=lambda client: client.client_id)
def test_B133_another_clients_token(lab: Lab, database: psycopg.Connection, thief: Client) -> None:
    """102: refused with an error, and left alone."""
    signed = lab.sign_in(CONF1)
    for token in (signed.refresh_token, signed.access_token):
        for hint in (None, "access_token", "refresh_token"):
            body = check_token_error(lab.revoke(thief, token, token_type_hint=hint), "invalid_grant", status=400)
            assert body["error_description"] == "the token was issued to another client"
    assert not revocations(database, signed)
    check_alive(lab, signed)


def test_7009_2_2_unknown_tokens_are_over_already(lab: Lab, database: psycopg.Connection) -> None:
    """105: 200, so that an app need not know; what is no token of ours and what is no token for revoking alike."""
    signed, kept = lab.sign_in(CONF1), lab.sign_in(CONF1)
    refresh, access = signed.refresh_token, signed.access_token
    strange = ["x", "x" * 4000, "é", "a b", "\x01", "null", "%00", signed.id_token, signed.code, CONF1.secret]
    strange += [refresh[:-1], refresh + "A", refresh.swapcase(), access[:-1], access[1:], "." + refresh]
    for token in strange:
        check_revoked(lab.revoke(CONF1, token))
    assert not revocations(database, signed)
    for _ in range(2):
        check_revoked(lab.revoke(CONF1, refresh))
        check_revoked(lab.revoke(CONF1, access))
    assert len(revocations(database, signed)) == 1, "only what ended something is on record"
    check_alive(lab, kept)


def test_7009_2_2_a_grant_that_has_ended_otherwise(lab: Lab, database: psycopg.Connection) -> None:
    signed = lab.sign_in(CONF1)
    database.execute("UPDATE grants SET idle_expires_at = now() WHERE sid = %s", (signed.claims["sid"],))
    check_revoked(lab.revoke(CONF1, signed.refresh_token))
    assert not revocations(database, signed)
    check_dead(lab, signed.access_token, "reauthentication_required")


def check_preflight(lab: Lab, url: str, method: str, header: str) -> None:
    asked = {"Access-Control-Request-Method": method, "Access-Control-Request-Headers": header}
    answer = lab.http("OPTIONS", url, headers={"Origin": "https://app.example"} | asked)
    assert answer.status_code == 204
    assert method in answer.headers["Access-Control-Allow-Methods"]
    assert header in answer.headers["Access-Control-Allow-Headers"].lower()


def test_7009_2_3_scripts_of_other_origins_may_revoke(lab: Lab) -> None:
    """107: with CORS for any origin, on errors too, and without credentials."""
    url = lab.discovery["revocation_endpoint"]
    check_preflight(lab, url, "POST", "content-type")
    signed = lab.sign_in(APP1)
    for token in (signed.refresh_token, None):
        form = {"client_id": "app1", **({"token": token} if token else {})}
        answer = lab.http("POST", url, data=form, headers={"Origin": "https://app.example"})
        assert answer.status_code == (200 if token else 400)
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert "Access-Control-Allow-Credentials" not in answer.headers


# MARK: RFC 7662


@pytest.mark.parametrize("client", [CONF1, CONF2, WEB1], ids=lambda client: client.client_id)
def test_7662_2_2_a_client_sees_its_own_tokens(lab: Lab, client: Client) -> None:
    """111: what is known, with the right types, for both kinds; the hint does not matter."""
    signed = lab.sign_in(client, scope="openid email")
    for hint in (None, "refresh_token", "access_token", "x"):
        access = lab.introspect(client, signed.access_token, token_type_hint=hint)
        seen = check_active(access, issuer=lab.issuer, claims=signed.claims, is_access_token=True)
        assert seen["scope"] == "openid email"
        assert seen["exp"] - seen["iat"] == signed.answer["expires_in"]
        assert seen["aud"] == [client.client_id, *client.raw.get("audience", [])]
        refresh = lab.introspect(client, signed.refresh_token, token_type_hint=hint)
        seen = check_active(refresh, issuer=lab.issuer, claims=signed.claims, is_access_token=False)
        assert abs(seen["exp"] - seen["iat"] - 30 * 86_400) <= 1, "unused, a refresh token lives for 30 days"


def test_7662_2_2_the_scope_is_the_access_tokens(lab: Lab) -> None:
    """RFC 6749 §6: a refresh may ask for less, for that access token."""
    signed = lab.sign_in(CONF1, scope="openid email")
    narrow = check_token_answer(lab.refresh(CONF1, signed.refresh_token, scope="openid"))
    for token, scope in ((narrow["access_token"], "openid"), (narrow["refresh_token"], "openid email")):
        assert check_json(lab.introspect(CONF1, token))["scope"] == scope


def test_7662_2_2_a_refresh_token_ends_with_the_earlier_of_two_ends(lab: Lab, database: psycopg.Connection) -> None:
    signed = lab.sign_in(CONF1)
    row = database.execute(
        "UPDATE grants SET expires_at = now() + interval '1 hour' WHERE sid = %s "
        "RETURNING floor(extract(epoch FROM expires_at))::bigint",
        (signed.claims["sid"],),
    ).fetchone()
    assert row and check_json(lab.introspect(CONF1, signed.refresh_token))["exp"] == row[0]


def test_7662_2_2_only_the_newest_refresh_token_is_active(lab: Lab) -> None:
    signed = lab.sign_in(CONF1)
    newer = lab.refreshed(signed)
    check_inactive(lab.introspect(CONF1, signed.refresh_token))
    seen = lab.introspect(CONF1, newer["refresh_token"])
    check_active(seen, issuer=lab.issuer, claims=signed.claims, is_access_token=False)
    # Asking is not using.
    lab.refreshed(signed, newer["refresh_token"])


@pytest.mark.parametrize("client", [WEB1, APP1], ids=lambda client: client.client_id)
def test_7662_a_resource_server_sees_the_access_tokens_it_is_named_for(lab: Lab, client: Client) -> None:
    """110, 113: of those clients, and no refresh token."""
    signed = lab.sign_in(client)
    seen = lab.introspect(API1, signed.access_token)
    seen = check_active(seen, issuer=lab.issuer, claims=signed.claims, is_access_token=True)
    assert "api1" in seen["aud"]
    check_inactive(lab.introspect(API1, signed.refresh_token))
    check_revoked(lab.revoke(client, signed.access_token))
    check_inactive(lab.introspect(API1, signed.access_token))


@pytest.mark.parametrize("caller", [CONF2, WEB1, API1], ids=lambda client: client.client_id)
def test_7662_2_2_other_clients_tokens_are_inactive(lab: Lab, caller: Client) -> None:
    """110."""
    signed = lab.sign_in(CONF1)
    check_inactive(lab.introspect(caller, signed.access_token))
    check_inactive(lab.introspect(caller, signed.refresh_token))
    check_alive(lab, signed)


def test_7662_2_2_what_is_no_live_token_is_inactive(lab: Lab, brief: Client) -> None:
    """109, 110: alone, with 200."""
    signed = lab.sign_in(brief)
    unredeemed = lab.code(lab.ask(CONF1), signed.browser)
    strange = ["x", "é", "\x01", "x" * 4000, signed.id_token, signed.code, unredeemed, brief.secret]
    strange += [signed.refresh_token[:-1], signed.access_token[:-1] + "A" * 4, signed.access_token.swapcase()]
    for token in strange:
        check_inactive(lab.introspect(brief, token))
    check_inactive(lab.introspect(brief, expired(lab, signed)))
    newest = lab.refreshed(signed)
    check_token_error(lab.redeem(signed.ask, signed.code), "invalid_grant")  # which ends all that came of it
    check_inactive(lab.introspect(brief, newest["refresh_token"]))
    check_inactive(lab.introspect(brief, newest["access_token"]))


@pytest.mark.parametrize("client", [APP1, SPA1], ids=lambda client: client.client_id)
def test_7662_2_1_a_public_client_may_not_ask(lab: Lab, client: Client) -> None:
    """108, 112: it has shown no credentials."""
    signed = lab.sign_in(client)
    for token in (signed.access_token, signed.refresh_token, "x", None):
        check_token_error(lab.introspect(client, token), "invalid_client", status=401)


def test_7662_no_scripts_of_other_origins(lab: Lab) -> None:
    """Whoever may ask keeps a secret, and so does not live in a browser."""
    answer = lab.introspect(CONF1, "x")
    assert "Access-Control-Allow-Origin" not in answer.headers


def test_a_resource_server_signs_nobody_in(lab: Lab) -> None:
    """It has no grant: no authorization request, and no use of the token endpoint."""
    url = lab.authorization_endpoint + "?client_id=api1&response_type=code&scope=openid&state=" + "s" * 32
    for more in ("", "&redirect_uri=https%3A%2F%2Fapi.example%2Fcb"):
        check_error_page(lab.http("GET", url + more))
    signed = lab.sign_in(WEB1)
    for form in (
        {"grant_type": "refresh_token", "refresh_token": signed.refresh_token},
        {"grant_type": "authorization_code", "code": signed.code, "redirect_uri": WEB1.redirect_uri},
        {"grant_type": "client_credentials"},
    ):
        check_token_error(lab.token(API1, form), "unauthorized_client", status=400)
    check_alive(lab, signed)


# MARK: RFC 6750, at the session context


@ALL_METHODS
def test_the_session_context_of_a_sign_in_that_stands(lab: Lab, client: Client) -> None:
    signed = lab.sign_in(client, scope="openid email")
    context = check_session_context(lab.session_context(signed.access_token), claims=signed.claims)
    assert context["scope"] == "openid email"
    assert abs(context["reauthenticate_by"] - context["auth_time"] - 90 * 86_400) < 120
    assert abs(context["idle_expires_at"] - context["auth_time"] - 30 * 86_400) < 120
    newer = lab.refreshed(signed)
    later = check_session_context(lab.session_context(newer["access_token"]), claims=signed.claims)
    assert later["reauthenticate_by"] == context["reauthenticate_by"]
    assert later["idle_expires_at"] >= context["idle_expires_at"]
    head = lab.session_context(signed.access_token, method="HEAD")
    assert head.status_code == 200 and not head.content


def test_6750_2_1_the_scheme_in_any_case(lab: Lab) -> None:
    """83."""
    signed = lab.sign_in(CONF1)
    for scheme in ("Bearer", "bearer", "BEARER"):
        answer = lab.session_context(None, headers={"Authorization": f"{scheme} {signed.access_token}"})
        check_session_context(answer, claims=signed.claims)


def test_6750_2_the_header_only(lab: Lab) -> None:
    """84, 85, 86: not in the URI; and a GET has no form."""
    signed = lab.sign_in(CONF1)
    token = signed.access_token
    for query in (f"?access_token={token}", f"?x=1&access_token={token}", "?access_token=&access_token=", "?a=%ff"):
        check_bearer_error(lab.session_context(None, query=query), 400, "invalid_request")
        check_bearer_error(lab.session_context(token, query=query), 400, "invalid_request")
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    check_bearer_error(lab.session_context(None, headers=form, data=f"access_token={token}"), 401, None)
    check_session_context(lab.session_context(token, query="?x=1&y=2"), claims=signed.claims)
    for method in ("POST", "PUT", "DELETE"):
        assert lab.session_context(token, method=method).status_code == 405


def test_6750_3_without_a_token_there_is_no_error_code(lab: Lab) -> None:
    """87. Another scheme brings no token either."""
    check_bearer_error(lab.session_context(None), 401, None)
    check_bearer_error(
        lab.session_context(None, headers={"Authorization": basic("conf1", CONF1.secret or "")}), 401, None
    )


@pytest.mark.parametrize("header", ["Bearer", "Bearer ", "Bearer a b", "Bearer  "])
def test_6750_3_1_a_malformed_header(lab: Lab, header: str) -> None:
    """88."""
    check_bearer_error(lab.session_context(None, headers={"Authorization": header}), 400, "invalid_request")


def test_B131_what_is_no_access_token(lab: Lab) -> None:
    """88: invalid_token, and no reason: nothing is known of it, so nothing may be concluded about any sign-in."""
    signed = lab.sign_in(CONF1)
    token = signed.access_token
    unredeemed = lab.code(lab.ask(CONF1), signed.browser)
    for other in (signed.id_token, signed.refresh_token, unredeemed, "x", token[:-1], token + "AAAA", token.swapcase()):
        check_dead(lab, other, None)
    check_alive(lab, signed)


def test_6750_3_1_off_for_a_client(lab: Lab) -> None:
    """88: the token is good, its client lacks the right; no scope would help."""
    for client in (WEB2, SPA1):
        signed = lab.sign_in(client)
        body = check_bearer_error(lab.session_context(signed.access_token), 403, "insufficient_scope")
        assert "session_context" in body["error_description"] and "reason" not in body


def test_6750_scripts_of_other_origins_may_ask(lab: Lab) -> None:
    """And may read the challenge."""
    url = lab.discovery["session_context_endpoint"]
    check_preflight(lab, url, "GET", "authorization")
    signed = lab.sign_in(APP1)
    for token in (signed.access_token, "x", None):
        answer = lab.session_context(token, headers={"Origin": "https://app.example"})
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert "WWW-Authenticate" in answer.headers["Access-Control-Expose-Headers"]
        check_no_store(answer)


# MARK: Why a sign-in is over (test_off_means_off.py has the other reasons)


def test_the_reason_is_expired_only_while_the_sign_in_stands(
    lab: Lab, brief: Client, database: psycopg.Connection
) -> None:
    """An app that was away learns why the sign-in is over, not only that its access token is."""
    signed = lab.sign_in(brief)
    token = expired(lab, signed)
    check_dead(lab, token, "expired")
    lab.refreshed(signed)
    check_dead(lab, token, "expired")
    database.execute("UPDATE grants SET expires_at = now() WHERE sid = %s", (signed.claims["sid"],))
    check_dead(lab, token, "reauthentication_required")
    check_token_error(lab.refresh(brief, signed.refresh_token), "invalid_grant")


def test_the_reason_is_revoked_after_a_replay(lab: Lab) -> None:
    """Of a code, or of a refresh token: somebody else may hold it."""
    signed = lab.sign_in(CONF1)
    check_token_error(lab.redeem(signed.ask, signed.code), "invalid_grant")
    check_dead(lab, signed.access_token, "revoked")
    signed = lab.sign_in(CONF1)
    newest = lab.refreshed(signed, lab.refreshed(signed)["refresh_token"])
    check_token_error(lab.refresh(CONF1, signed.refresh_token), "invalid_grant")
    check_dead(lab, newest["access_token"], "revoked")


@pytest.mark.parametrize(
    ("stored", "reason"),
    [
        ("signed_out", "signed_out"),
        ("password_changed", "signed_out"),
        ("revoked", "revoked"),
        ("ended_by_admin", "revoked"),
        ("refresh_token_reused", "revoked"),
        ("code_reused", "revoked"),
        ("client_disabled", "revoked"),
        ("consent_withdrawn", "consent_withdrawn"),
        ("account_disabled", "account_disabled"),
        ("account_closed", "account_closed"),
        ("from_a_later_release", "revoked"),
        (None, "revoked"),
    ],
)
def test_the_reasons_that_can_be_stored(
    lab: Lab, database: psycopg.Connection, stored: str | None, reason: str
) -> None:
    signed = lab.sign_in(CONF1)
    database.execute(
        "UPDATE grants SET ended_at = now(), end_reason = %s WHERE sid = %s", (stored, signed.claims["sid"])
    )
    check_dead(lab, signed.access_token, reason)
