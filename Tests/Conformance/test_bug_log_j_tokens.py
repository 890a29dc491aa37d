"""Public faults of other providers, J: keys and ID Tokens; and N: traps of form coders and URL parsers, seen over
HTTP.
"""

from __future__ import annotations

import json
import re
import time
from urllib.parse import parse_qsl, urlsplit

import pytest

from support import CLIENTS, Dev
from support.checks import check_jwks, check_token_answer, check_token_error, decode_base64url, verify_signature
from support.flow import Lab, basic, readable

CONF1, CONF2, WEB1, APP1, OWN1 = (CLIENTS[name] for name in ("conf1", "conf2", "web1", "app1", "own1"))


# MARK: B118: rotation


def test_B118_a_new_key_is_published_before_it_signs(lab: Lab, server: Dev) -> None:
    """A relying party with the key set from before the rotation can still verify what is signed right after it."""
    cached = lab.jwks()
    etag = lab.http("GET", lab.discovery["jwks_uri"]).headers["ETag"]
    old_kid = verify_signature(lab.sign_in(CONF1).id_token, cached)[0]["kid"]
    done = server.admin("key", "rotate")
    assert done.returncode == 0, done.stderr
    deadline = time.monotonic() + 5
    while len((current := lab.jwks())["keys"]) == len(cached["keys"]):
        assert time.monotonic() < deadline, "the new key does not appear"
        time.sleep(0.02)
    check_jwks(current)
    kids = {key["kid"] for key in current["keys"]}
    assert {key["kid"] for key in cached["keys"]} < kids
    header, _ = verify_signature(lab.sign_in(CONF1).id_token, cached)
    assert header["kid"] == old_kid, "signs with a key nobody can know yet"
    fresh = lab.http("GET", lab.discovery["jwks_uri"], headers={"If-None-Match": etag})
    assert fresh.status_code == 200 and fresh.headers["ETag"] != etag, "the ETag does not follow the keys"
    # The listing names the states; the new one does not sign yet.
    listing = server.admin("key", "list")
    assert listing.returncode == 0
    assert "published" in listing.stdout and "signing" in listing.stdout
    assert not re.search(r"PRIVATE|-----", listing.stdout)


# MARK: B121, B122, B124, B127: members and their types


def test_B122_the_id_token_to_the_letter(lab: Lab) -> None:
    signed = lab.sign_in(CONF1, max_age="1000")
    header, payload, _ = (part for part in signed.id_token.split("."))
    text = decode_base64url(payload).decode()
    claims = json.loads(text)
    assert claims["aud"] == "conf1" and claims.get("azp", "conf1") == "conf1"
    for member in ("exp", "iat", "auth_time"):
        assert type(claims[member]) is int and 1_600_000_000 < claims[member] < 4_000_000_000
        assert re.search(rf'"{member}":\d+[,}}]', text), f"{member} is not written as a plain integer"
    assert set(json.loads(decode_base64url(header))) <= {"alg", "kid", "typ"}
    assert claims["sid"] and claims["sid"] not in signed.browser.session.cookies.get_dict().values(), (
        "sid gives the cookie away"
    )
    assert claims["exp"] - claims["iat"] == 3600


def test_B121_the_audience_is_one_string(lab: Lab) -> None:
    """For each client its own id, and no azp beside it (or the same)."""
    for client in (CONF1, CONF2, WEB1, APP1):
        claims = lab.sign_in(client).claims
        assert claims["aud"] == client.client_id and claims.get("azp", client.client_id) == client.client_id


def test_B124_the_token_answer_to_the_letter(lab: Lab) -> None:
    signed = lab.sign_in(CONF1)
    answer = signed.answer
    assert type(answer["expires_in"]) is int and 0 < answer["expires_in"] <= 600
    assert answer["token_type"] == "Bearer"
    assert set(answer) <= {"access_token", "token_type", "expires_in", "id_token", "refresh_token", "scope"}


def test_B124_camel_case_twins_only_where_switched_on(lab: Lab) -> None:
    signed = lab.sign_in(OWN1)
    twins = {
        "accessToken": "access_token",
        "tokenType": "token_type",
        "expiresIn": "expires_in",
        "idToken": "id_token",
        "refreshToken": "refresh_token",
    }
    for answer in (signed.answer, lab.refreshed(signed)):
        for twin, member in twins.items():
            assert answer[twin] == answer[member]


@pytest.mark.parametrize("nonce", [None, ""])
def test_B127_no_nonce_is_invented(lab: Lab, nonce: str | None) -> None:
    signed = lab.sign_in(CONF1, nonce=nonce)
    assert "nonce" not in signed.claims
    assert "nonce" not in verify_signature(lab.refreshed(signed)["id_token"], lab.jwks())[1]


@pytest.mark.parametrize(
    "changes,error",
    [
        ({"state": None}, True),
        ({"state": ""}, True),
        ({"nonce": None}, True),
        ({"nonce": ""}, True),
        ({"nonce": "n" * 15}, True),
        ({"nonce": "n" * 16}, False),
        ({"nonce": "n" * 256}, False),
        ({"nonce": "n" * 257}, True),
    ],
)
def test_the_seleid_profile_requires_state_and_nonce(lab: Lab, changes: dict[str, str | None], error: bool) -> None:
    """Design: required, the nonce of 16 to 256 characters. Profile oidc leaves both optional (Basic plan)."""
    ask = lab.ask(WEB1, **changes)
    if error:
        lab.redirect_error(ask, "invalid_request")
    else:
        assert lab.browser().get(ask.url).has_password


def test_at_hash_is_there_and_right(lab: Lab) -> None:
    """Optional in the code flow, but sent: a relying party can bind the access token (checked in `check_id_token`)."""
    signed = lab.sign_in(CONF1)
    if "at_hash" not in signed.claims:
        pytest.fail("no at_hash")
    assert "at_hash" in verify_signature(lab.refreshed(signed)["id_token"], lab.jwks())[1]


# MARK: B157, B158: coders


@pytest.mark.parametrize(
    "raw,value",
    [
        ("%2B+%3D", "+ ="),
        ("a%20b", "a b"),
        ("a=b", "a=b"),
        ("%c3%a9", "é"),
        ("a;b", "a;b"),
        ("/?:@-._~!$'()*,", "/?:@-._~!$'()*,"),
    ],
)
def test_B158_parameters_are_form_decoded_once(lab: Lab, raw: str, value: str) -> None:
    ask = lab.ask(CONF1, prompt="none", state=None)
    answer = lab.http("GET", f"{ask.url}&state={raw}")
    pairs = dict(parse_qsl(urlsplit(answer.headers["Location"]).query, keep_blank_values=True))
    assert pairs["state"] == value and pairs["error"] == "login_required"


@pytest.mark.parametrize("odd", ["b&c=&=d&", "&&&", "=", "=x", "x", "%20=1", "x=1&x=2"])
def test_B158_odd_but_harmless_pairs(lab: Lab, odd: str) -> None:
    """Names without value, empty names, empty pairs; an unknown parameter twice may be refused, cleanly."""
    ask = lab.ask(CONF1, prompt="none")
    answer = lab.http("GET", f"{ask.endpoint}?{odd}&{ask.query}")
    ask.error(
        answer.headers["Location"], *(["login_required", "invalid_request"] if "x=1&x=2" in odd else ["login_required"])
    )


@pytest.mark.parametrize("bad", ["e=1%", "e=%zz", "e=%2", "e=%ff", "%=1", "e=%c3%28", "e=%ed%a0%80"])
def test_B158_bad_escapes_are_an_error(lab: Lab, bad: str) -> None:
    """Never a crash, never a guess: a page (nothing else in the query can be trusted) or invalid_request."""
    ask = lab.ask(CONF1)
    answer = lab.http("GET", f"{ask.url}&{bad}")
    assert answer.status_code in (302, 303, 400), f"{answer.status_code} {readable(answer)}"
    if answer.status_code != 400:
        assert "error=invalid_request" in answer.headers["Location"]
    body = f"grant_type=refresh_token&refresh_token=x&{bad}"
    token = lab.http(
        "POST",
        lab.token_endpoint,
        data=body,
        headers={
            "Content-Type": "application/x-www-form-urlencoded",
            "Authorization": basic("conf1", CONF1.secret or ""),
        },
    )
    check_token_error(token, "invalid_request", status=400)


def test_B158_many_parameters(lab: Lab) -> None:
    body = "&".join(f"p{number}=1" for number in range(5000))
    answer = lab.http(
        "POST", lab.token_endpoint, data=body, headers={"Content-Type": "application/x-www-form-urlencoded"}
    )
    check_token_error(answer, "invalid_request", "invalid_client")


def test_B157_brackets_in_hosts(lab: Lab) -> None:
    """[::1] as a redirect host, to and fro, and duplicates in the query that do not crash."""
    lab.sign_in(APP1, redirect_uri="http://[::1]:61023/cb")
    answer = lab.http("GET", f"{lab.authorization_endpoint}?code=1&code=2&code=3")
    assert answer.status_code == 400
    check_token_answer(lab.refresh(CONF2, lab.sign_in(CONF2).refresh_token))
