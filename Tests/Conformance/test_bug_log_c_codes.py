"""Public faults of other providers, C: PKCE and codes; and of M what the provider's side of a mobile app's life is."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from support import CLIENTS
from support.checks import check_token_answer, check_token_error
from support.flow import Lab, RFC7636_CHALLENGE, RFC7636_VERIFIER
from support.oauth import challenge_s256, random_text

WEB1, WEB2, APP1, CONF1, CONF2 = (CLIENTS[name] for name in ("web1", "web2", "app1", "conf1", "conf2"))


# MARK: B041, B043, B044: PKCE


def test_B041_a_verifier_without_a_challenge_is_refused(lab: Lab) -> None:
    ask = lab.ask(CONF1)
    check_token_error(lab.redeem(ask, lab.code(ask), code_verifier=RFC7636_VERIFIER), "invalid_grant", status=400)


def test_B041_an_empty_verifier_counts_as_missing(lab: Lab) -> None:
    ask = lab.ask(CONF1)
    check_token_answer(lab.redeem(ask, lab.code(ask), code_verifier=""))


@pytest.mark.parametrize("verifier", [None, "", "x" * 43, RFC7636_VERIFIER[:-1] + "l", RFC7636_CHALLENGE])
def test_B041_a_challenge_needs_its_verifier(lab: Lab, verifier: str | None) -> None:
    """Missing, wrong, and the challenge itself (what `plain` would take)."""
    ask = lab.ask(CONF1, code_challenge=RFC7636_CHALLENGE, code_challenge_method="S256")
    check_token_error(lab.redeem(ask, lab.code(ask), code_verifier=verifier), "invalid_grant", status=400)


@pytest.mark.parametrize(
    "verifier,right",
    [
        (random_text(43), True),
        (random_text(128), True),
        ("-._~" * 11, True),
        (random_text(42), False),
        (random_text(129), False),
        ("a", False),
        (random_text(42) + " ", False),
        (random_text(42) + "+", False),
        (random_text(42) + "é", False),
        (random_text(42) + "=", False),
        (random_text(300), False),
    ],
)
def test_B043_verifier_length_and_alphabet(lab: Lab, verifier: str, right: bool) -> None:
    """43 to 128 unreserved characters; the challenge fits in every case, so only the rule can refuse."""
    ask = lab.ask(CONF1, code_challenge=challenge_s256(verifier), code_challenge_method="S256")
    answer = lab.redeem(ask, lab.code(ask), code_verifier=verifier)
    if right:
        check_token_answer(answer)
    else:
        check_token_error(answer, "invalid_grant", status=400)


@pytest.mark.parametrize(
    "challenge,method",
    [
        (RFC7636_CHALLENGE[:-1], "S256"),
        (RFC7636_CHALLENGE + "A", "S256"),
        (RFC7636_CHALLENGE + "=", "S256"),
        (RFC7636_CHALLENGE[:-1] + "+", "S256"),
        (RFC7636_CHALLENGE[:-1] + " ", "S256"),
        (RFC7636_CHALLENGE, "plain"),
        (RFC7636_CHALLENGE, None),
        (RFC7636_CHALLENGE, "s256"),
        (RFC7636_CHALLENGE, "S512"),
        (None, "S256"),
        ("", "S256"),
    ],
)
def test_B043_challenge_and_method(lab: Lab, challenge: str | None, method: str | None) -> None:
    """At the redirect URI (RFC 7636 §4.4.1), for clients that must and clients that may."""
    for client in (WEB1, APP1, CONF1):
        lab.redirect_error(lab.ask(client, code_challenge=challenge, code_challenge_method=method), "invalid_request")


def test_B043_public_clients_need_pkce_in_every_profile(lab: Lab) -> None:
    for client in (APP1, CLIENTS["spa1"], WEB1):
        lab.redirect_error(lab.ask(client, code_challenge=None, code_challenge_method=None), "invalid_request")


def test_B044_pkce_parameters_elsewhere_are_ignored(lab: Lab) -> None:
    signed = lab.sign_in(APP1)
    answer = check_token_answer(
        lab.refresh(APP1, signed.refresh_token, code_verifier="zzz", code="x", redirect_uri="y")
    )
    check_token_answer(lab.refresh(APP1, answer["refresh_token"], made_up="1"))


def test_a_wrong_verifier_spends_the_code(lab: Lab) -> None:
    """RFC 7636 §4.6: no second guess."""
    ask = lab.ask(CONF1, code_challenge=RFC7636_CHALLENGE, code_challenge_method="S256")
    code = lab.code(ask)
    check_token_error(lab.redeem(ask, code, code_verifier="x" * 43), "invalid_grant")
    check_token_error(lab.redeem(ask, code, code_verifier=RFC7636_VERIFIER), "invalid_grant")


# MARK: B046, B047: replay and injection


def test_B046_tokens_end_with_a_replayed_code(lab: Lab) -> None:
    signed = lab.sign_in(CONF1)
    time.sleep(0.5)
    check_token_error(lab.redeem(signed.ask, signed.code), "invalid_grant")
    check_token_error(lab.refresh(CONF1, signed.refresh_token), "invalid_grant")


def test_B046_also_after_a_refresh(lab: Lab) -> None:
    signed = lab.sign_in(CONF1)
    newer = lab.refreshed(signed)["refresh_token"]
    check_token_error(lab.redeem(signed.ask, signed.code), "invalid_grant")
    check_token_error(lab.refresh(CONF1, newer), "invalid_grant")


def test_B046_a_stranger_cannot_end_it(lab: Lab) -> None:
    """Another client, a wrong secret, nobody: their replay touches nothing."""
    signed = lab.sign_in(CONF1)
    check_token_error(lab.redeem(signed.ask, signed.code, client=CONF2), "invalid_grant")
    check_token_error(lab.redeem(signed.ask, signed.code, auth="Basic Y29uZjE6d3Jvbmc="), "invalid_client")
    check_token_error(lab.redeem(signed.ask, signed.code, auth="none"), "invalid_client")
    lab.refreshed(signed)


def test_B046_only_that_family_ends(lab: Lab) -> None:
    """A second sign-in of the same person, app and browser is untouched."""
    first = lab.sign_in(CONF1)
    second = lab.sign_in(CONF1, browser=first.browser)
    check_token_error(lab.redeem(first.ask, first.code), "invalid_grant")
    lab.refreshed(second)


@pytest.mark.parametrize("thief", ["web1", "conf2", "app1"])
def test_B047_a_code_of_another_client(lab: Lab, thief: str) -> None:
    """invalid_grant, and the owner can still use it."""
    ask = lab.ask(CONF1)
    code = lab.code(ask)
    check_token_error(lab.redeem(ask, code, client=CLIENTS[thief]), "invalid_grant", status=400)
    check_token_answer(lab.redeem(ask, code))


@pytest.mark.parametrize("code", ["", "x", "A" * 43, "A" * 5000, "é", "' OR 1=1 --", "%"])
def test_B047_made_up_codes(lab: Lab, code: str) -> None:
    ask = lab.ask(CONF1)
    check_token_error(lab.redeem(ask, code), "invalid_grant" if code else "invalid_request", status=400)


def test_B047_a_code_is_no_refresh_token_and_the_reverse(lab: Lab) -> None:
    ask = lab.ask(CONF1)
    code = lab.code(ask)
    check_token_error(lab.refresh(CONF1, code), "invalid_grant")
    answer = check_token_answer(lab.redeem(ask, code))
    for wrong in (
        answer["access_token"],
        answer["id_token"],
        answer["refresh_token"][:-1],
        answer["refresh_token"] + "A",
        answer["refresh_token"].swapcase(),
        "A" + answer["refresh_token"][1:],
    ):
        check_token_error(lab.refresh(CONF1, wrong), "invalid_grant")
    check_token_error(lab.redeem(ask, answer["refresh_token"]), "invalid_grant")
    check_token_answer(lab.refresh(CONF1, answer["refresh_token"]))


def test_an_expired_code_is_refused(lab: Lab, database: psycopg.Connection) -> None:
    """Codes live 60 s by the database's clock; here time passes by an UPDATE."""
    ask = lab.ask(CONF1)
    code = lab.code(ask)
    lives = database.execute(
        "SELECT max(extract(epoch FROM expires_at - created_at)) FROM authorization_codes"
    ).fetchone()
    assert lives and 0 < lives[0] <= 60, "a code lives longer than 60 s"
    newest = "created_at = (SELECT max(created_at) FROM authorization_codes)"
    database.execute(f"UPDATE authorization_codes SET expires_at = now() - interval '1 second' WHERE {newest}")
    check_token_error(lab.redeem(ask, code), "invalid_grant", status=400)


# MARK: B154, B155: apps on phones


def test_B154_two_sign_ins_of_one_app_side_by_side(lab: Lab) -> None:
    """The first tab is minimised, a second sign-in is started and left, the first one is finished."""
    browser = lab.browser()
    first, second, third = (lab.ask(APP1, redirect_uri="com.example.app:/seleid") for _ in range(3))
    first_page = browser.get(first.url)
    browser.get(second.url)
    third_page = browser.get(third.url)
    done = browser.sign_in(first_page)
    url = done.url if done.left else browser.decide(done).url
    lab.finish(first, url, browser)
    # The one started later is finished too, from the page that was already open.
    done = browser.sign_in(third_page)
    url = done.url if done.left else browser.decide(done).url
    lab.finish(third, url, browser)


def test_B154_an_unused_code_simply_expires(lab: Lab) -> None:
    browser = lab.browser()
    left = lab.ask(APP1)
    lab.code(left, browser)
    lab.sign_in(APP1, browser=browser)


def test_B155_a_redirect_delivered_twice(lab: Lab) -> None:
    """The second redemption is invalid_grant; the documented tolerance for a lost answer is that of refresh tokens,
    not of codes.
    """
    signed = lab.sign_in(APP1)
    check_token_error(lab.redeem(signed.ask, signed.code), "invalid_grant", status=400)


def test_B155_at_the_same_moment(lab: Lab) -> None:
    ask = lab.ask(APP1)
    code = lab.code(ask)
    gate = threading.Barrier(2)

    def redeem() -> int:
        own = Lab(lab.issuer, verify=lab.verify)
        own._discovery = lab.discovery
        gate.wait(10)
        return own.redeem(ask, code).status_code

    with ThreadPoolExecutor(2) as pool:
        assert sorted(future.result(30) for future in [pool.submit(redeem) for _ in range(2)]) == [200, 400]
