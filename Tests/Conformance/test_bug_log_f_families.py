"""Public faults of other providers, F: refresh families and turning things off. Lost answers, races and outages:
Tests/Faults.
"""

from __future__ import annotations

import http.client
import json
import socket
import time
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support import CLIENTS, Client, Dev
from support.checks import check_error_page, check_token_answer, check_token_error, verify_signature
from support.fixtures import Account
from support.flow import Lab, basic
from support.secrecy import WIRE

WEB1, WEB2, APP1, CONF1, CONF2 = (CLIENTS[name] for name in ("web1", "web2", "app1", "conf1", "conf2"))


# MARK: B061, B062: rotation


def test_B061_a_retry_inside_the_window_gets_the_same_successor(lab: Lab) -> None:
    signed = lab.sign_in(CONF1)
    first = lab.refreshed(signed)
    again = lab.refreshed(signed)
    third = lab.refreshed(signed)
    assert first["refresh_token"] == again["refresh_token"] == third["refresh_token"] != signed.refresh_token
    lab.refreshed(signed, first["refresh_token"])


def test_B061_after_the_successor_was_used_the_old_one_ends_the_family(lab: Lab) -> None:
    """R1 -> R2 (tab A), R1 -> R2 (tab B), A uses R2 -> R3, B uses R2 -> R3: one line. R1 now is a replay and ends it."""
    signed = lab.sign_in(CONF1)
    second = lab.refreshed(signed)["refresh_token"]
    assert lab.refreshed(signed)["refresh_token"] == second
    third = lab.refreshed(signed, second)["refresh_token"]
    assert lab.refreshed(signed, second)["refresh_token"] == third
    check_token_error(lab.refresh(CONF1, signed.refresh_token), "invalid_grant", status=400)
    for token in (signed.refresh_token, second, third):
        check_token_error(lab.refresh(CONF1, token), "invalid_grant", status=400)


def test_B061_only_that_family_ends(lab: Lab) -> None:
    first = lab.sign_in(CONF1)
    other = lab.sign_in(CONF1, browser=first.browser)
    second = lab.refreshed(first)["refresh_token"]
    lab.refreshed(first, second)
    check_token_error(lab.refresh(CONF1, first.refresh_token), "invalid_grant")
    lab.refreshed(other)


@pytest.mark.parametrize("name", ["web2", "strict"])
def test_B061_strict_clients_have_no_window(lab: Lab, odd: dict[str, Client], name: str) -> None:
    client = odd[name] if name in odd else CLIENTS[name]
    signed = lab.sign_in(client)
    second = lab.refreshed(signed)["refresh_token"]
    check_token_error(lab.refresh(client, signed.refresh_token), "invalid_grant")
    check_token_error(lab.refresh(client, second), "invalid_grant")


def test_B062_an_answer_lost_on_the_way(lab: Lab) -> None:
    """The connection is cut before the reply can be read; the retry two seconds later gets a usable token."""
    signed = lab.sign_in(CONF1)
    parts = urlsplit(lab.token_endpoint)
    body = urlencode({"grant_type": "refresh_token", "refresh_token": signed.refresh_token}).encode()
    assert parts.hostname and parts.port
    with socket.create_connection((parts.hostname, parts.port), timeout=10) as cut:
        cut.sendall(
            f"POST {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nAuthorization: {basic('conf1', CONF1.secret or '')}\r\n"
            f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        # Wait for the first byte, so that the server has committed, and read no further.
        assert cut.recv(1)
    time.sleep(0.3)
    newer = lab.refreshed(signed)["refresh_token"]
    lab.refreshed(signed, newer)


def test_B062_outside_the_window_the_family_ends(lab: Lab, database: psycopg.Connection) -> None:
    """Time passes by an UPDATE: the last rotation was 61 s ago, just beyond the default window of 60 s; then 59 s,
    just inside.
    """
    for seconds, lives in ((61, False), (58, True)):
        signed = lab.sign_in(CONF1)
        second = lab.refreshed(signed)["refresh_token"]
        database.execute(
            "UPDATE grants SET rotated_at = rotated_at - make_interval(secs => %s) WHERE id = (SELECT max(id) FROM grants)",
            (seconds,),
        )
        answer = lab.refresh(CONF1, signed.refresh_token)
        if lives:
            assert check_token_answer(answer)["refresh_token"] == second
        else:
            check_token_error(answer, "invalid_grant")
            check_token_error(lab.refresh(CONF1, second), "invalid_grant")


def test_B062_one_event_says_why(lab: Lab, server: Dev) -> None:
    """The replay is in the log, with the client's id, without the token."""
    before = len(server.log)
    signed = lab.sign_in(CONF1)
    second = lab.refreshed(signed)["refresh_token"]
    lab.refreshed(signed, second)
    check_token_error(lab.refresh(CONF1, signed.refresh_token), "invalid_grant")
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        events = [json.loads(line) for line in server.log[before:].splitlines() if line.startswith("{")]
        replays = [event for event in events if "reuse" in event["event"] or "replay" in event["event"]]
        if replays:
            break
        time.sleep(0.05)
    assert len(replays) == 1, [event["event"] for event in events]
    assert replays[0]["level"] in {"warning", "info"}
    assert "conf1" in json.dumps(replays[0])


def test_idle_and_whole_life_of_a_family(lab: Lab, database: psycopg.Connection) -> None:
    """30 days unused, 90 days in all; refreshing moves the first and never the second."""
    signed = lab.sign_in(CONF1)
    read = "SELECT idle_expires_at - now(), expires_at - created_at, expires_at FROM grants WHERE id = (SELECT max(id) FROM grants)"
    idle, whole, end = database.execute(read).fetchone()
    assert 29.9 < idle.total_seconds() / 86400 <= 30 and abs(whole.total_seconds() / 86400 - 90) < 0.01
    database.execute(
        "UPDATE grants SET idle_expires_at = now() + interval '1 hour' WHERE id = (SELECT max(id) FROM grants)"
    )
    second = lab.refreshed(signed)["refresh_token"]
    idle, _, same_end = database.execute(read).fetchone()
    assert idle.total_seconds() > 29 * 86400 and same_end == end
    database.execute(
        "UPDATE grants SET idle_expires_at = now() - interval '1 second' WHERE id = (SELECT max(id) FROM grants)"
    )
    check_token_error(lab.refresh(CONF1, second), "invalid_grant")
    signed = lab.sign_in(CONF1)
    database.execute(
        "UPDATE grants SET expires_at = now() - interval '1 second' WHERE id = (SELECT max(id) FROM grants)"
    )
    check_token_error(lab.refresh(CONF1, signed.refresh_token), "invalid_grant")


# MARK: B064: the error path


def test_B064_a_failing_refresh_harms_nothing(lab: Lab) -> None:
    """Requests that fail for reasons of their own leave the family as it was."""
    signed = lab.sign_in(CONF2)
    token = signed.refresh_token
    check_token_error(lab.refresh(CONF2, token, scope="openid nonsense"), "invalid_scope")
    check_token_error(
        lab.token(
            None,
            [
                ("grant_type", "refresh_token"),
                ("refresh_token", token),
                ("refresh_token", token),
                ("client_id", "conf2"),
                ("client_secret", CONF2.secret),
            ],
            auth=None,
        ),
        "invalid_request",
    )
    check_token_error(lab.refresh(CONF2, token, client_secret="wrong"), "invalid_client")
    check_token_error(lab.refresh(CONF2, token, grant_type="bogus"), "unsupported_grant_type")
    check_token_error(lab.refresh(CONF2, token, grant_type=""), "invalid_request")
    newer = lab.refreshed(signed)["refresh_token"]
    assert newer != token
    check_token_error(lab.refresh(CONF2, newer, scope="openid phone"), "invalid_scope")
    lab.refreshed(signed, newer)


# MARK: B065: another client


@pytest.mark.parametrize("owner,thieves", [("app1", ["conf2", "web1", "spa1"]), ("conf1", ["conf2", "app1", "web2"])])
def test_B065_a_refresh_token_of_another_client(lab: Lab, owner: str, thieves: list[str]) -> None:
    signed = lab.sign_in(CLIENTS[owner])
    for thief in thieves:
        check_token_error(lab.refresh(CLIENTS[thief], signed.refresh_token), "invalid_grant", status=400)
    lab.refreshed(signed)


# MARK: B067: the ID Token of a refresh


def test_B067_claims_after_a_refresh(lab: Lab, database: psycopg.Connection) -> None:
    """iss, sub, aud, auth_time, azp, sid, acr, amr the same; nonce absent or the same; iat new. Also an hour later."""
    signed = lab.sign_in(CONF1, max_age="20000")
    database.execute(
        "UPDATE grants SET auth_time = auth_time - interval '1 hour' WHERE id = (SELECT max(id) FROM grants)"
    )
    signed.claims["auth_time"] -= 3600
    time.sleep(1.1)
    answer = lab.refreshed(signed)
    _, claims = verify_signature(answer["id_token"], lab.jwks())
    assert claims["iat"] > signed.claims["iat"]
    assert claims["exp"] > signed.claims["exp"]


def test_B067_a_narrower_scope(lab: Lab) -> None:
    """RFC 6749 §6: asked scope is a subset; without it the same as before, also after a narrower one."""
    signed = lab.sign_in(CONF1, scope="openid profile email")
    narrow = lab.refreshed(signed, scope="openid")
    assert narrow["scope"].split() == ["openid"]
    wide = lab.refreshed(signed, narrow["refresh_token"])
    assert set(wide.get("scope", "openid profile email").split()) == {"openid", "profile", "email"}
    for wrong in ("openid profile email phone", "openid made_up", "phone"):
        check_token_error(lab.refresh(CONF1, wide["refresh_token"], scope=wrong), "invalid_scope", status=400)
    lab.refreshed(signed, wide["refresh_token"], scope="email openid")


# MARK: B070, B073: off means off


def test_B070_a_disabled_client(lab: Lab, odd: dict[str, Client], database: psycopg.Connection) -> None:
    """Between authorize and token, and later: authorize shows a page, token says invalid_client. Enabled again it
    works, and nothing that it had before comes back.
    """
    client = odd["to-switch-off"]
    signed = lab.sign_in(client)
    ask = lab.ask(client)
    code = lab.code(ask, signed.browser)
    set_enabled = "UPDATE clients SET enabled = %s WHERE client_id = %s"
    database.execute(set_enabled, (False, client.client_id))
    try:
        wait_for(lambda: lab.refresh(client, "x").status_code == 401)
        check_token_error(lab.redeem(ask, code), "invalid_client", status=401)
        check_token_error(lab.refresh(client, signed.refresh_token), "invalid_client", status=401)
        check_error_page(lab.http("GET", lab.ask(client).url))
        check_error_page(lab.http("GET", lab.ask(client, prompt="none").url))
    finally:
        database.execute(set_enabled, (True, client.client_id))
    wait_for(lambda: lab.refresh(client, "x").status_code == 400)
    check_token_error(lab.refresh(client, signed.refresh_token), "invalid_grant")
    check_token_error(lab.redeem(ask, code), "invalid_grant")
    lab.refreshed(lab.sign_in(client))


def test_B070_changes_reach_a_request_on_its_way(
    lab: Lab, database: psycopg.Connection, odd: dict[str, Client]
) -> None:
    """A posted request goes on by a GET. What was switched off or struck off in between is off there too."""
    client = odd["to-switch-off"]
    signed = lab.sign_in(client)
    ask = lab.ask(client)
    on = lab.http("POST", ask.endpoint, data=ask.parameters).headers["Location"]
    change = "UPDATE clients SET metadata = metadata || %s WHERE client_id = %s"
    changed = lab.ask(client)

    def set_metadata(**values: object) -> None:
        database.execute(change, (Jsonb(values), client.client_id))

    try:
        set_metadata(redirect_uris=["http://127.0.0.1:9999/elsewhere"])
        wait_for(lambda: lab.authorize(changed).status_code == 400)
        page = signed.browser.get(on)
        assert not page.left and page.status == 400, "a code went to a redirect URI that is no longer registered"
        set_metadata(redirect_uris=[client.redirect_uri], sign_in=False)
        wait_for(lambda: "error=unauthorized_client" in lab.authorize(changed).headers.get("Location", ""))
        ask.error(signed.browser.get(on).url, "unauthorized_client")
    finally:
        set_metadata(redirect_uris=[client.redirect_uri], sign_in=True)
    wait_for(lambda: "error" not in lab.authorize(changed).headers.get("Location", "error"))
    lab.finish(ask, signed.browser.get(on).url, signed.browser)


def test_B070_sign_in_switched_off(lab: Lab, server: Dev, odd: dict[str, Client], tmp_path: Path) -> None:
    """The switch works at the next request: unauthorized_client at the redirect URI, and its refresh tokens rest."""
    client = odd["to-switch-off"]
    signed = lab.sign_in(client)

    def switch(on: bool) -> None:
        path = tmp_path / "switch.json"
        path.write_text(json.dumps({"clients": [client.raw | {"sign_in": on}]}))
        done = server.admin("apply", "-f", str(path))
        assert done.returncode == 0, done.stderr

    switch(False)
    try:
        wait_for(lambda: "error=unauthorized_client" in lab.authorize(lab.ask(client)).headers.get("Location", ""))
        lab.redirect_error(lab.ask(client), "unauthorized_client")
        lab.redirect_error(lab.ask(client, prompt="none"), "unauthorized_client")
        check_token_error(lab.refresh(client, signed.refresh_token), "unauthorized_client", "invalid_grant", status=400)
    finally:
        switch(True)
    wait_for(
        lambda: (
            lab.authorize(lab.ask(client)).status_code == 200
            or "error" not in lab.authorize(lab.ask(client)).headers.get("Location", "")
        )
    )


def test_B070_a_disabled_account(lab: Lab, database: psycopg.Connection, server: Dev) -> None:
    """Session, codes and refresh tokens of a disabled person are off at the next request."""
    carol = Account("carol@example.test", "a long enough password", {})
    add_account(server, carol)
    signed = lab.sign_in(CONF1, account=carol)
    ask = lab.ask(CONF1)
    code = lab.code(ask, signed.browser)
    database.execute("UPDATE accounts SET status = 'disabled' WHERE username = %s", (carol.username,))
    check_token_error(lab.redeem(ask, code), "invalid_grant")
    check_token_error(lab.refresh(CONF1, signed.refresh_token), "invalid_grant")
    silent = lab.ask(CONF1, prompt="none")
    silent.error(lab.silent(signed.browser, silent), "login_required")
    page = lab.browser()
    assert page.sign_in(page.get(lab.ask(CONF1).url), carol).has_password, "a disabled person got in"


def test_B070_a_new_password_ends_sessions_and_grants(lab: Lab, server: Dev) -> None:
    before = Account("dave@example.test", "the first long password", {})
    add_account(server, before)
    signed = lab.sign_in(CONF1, account=before)
    done = server.admin("account", "password", "--password-stdin", before.username, stdin="the second long password\n")
    assert done.returncode == 0, done.stderr
    check_token_error(lab.refresh(CONF1, signed.refresh_token), "invalid_grant")
    silent = lab.ask(CONF1, prompt="none")
    silent.error(lab.silent(signed.browser, silent), "login_required")
    lab.sign_in(CONF1, account=Account(before.username, "the second long password", {}))


def test_B073_a_rotated_secret_overlaps(
    lab: Lab, server: Dev, odd: dict[str, Client], database: psycopg.Connection
) -> None:
    client = odd["to-rotate"]
    made = server.admin("client", "secret", client.client_id)
    assert made.returncode == 0, made.stderr
    second = made.stdout.split()[-1]
    assert len(second) >= 43 and all(character.isalnum() or character in "-_" for character in second), "not URL-safe"
    WIRE.add(second)
    old, new = basic(client.client_id, client.secret or ""), basic(client.client_id, second)
    wait_for(lambda: lab.refresh(client, "x", auth=new).status_code == 400)
    for auth in (old, new, old):
        check_token_error(lab.refresh(client, "x", auth=auth), "invalid_grant")
    database.execute(
        "DELETE FROM client_secrets WHERE id = (SELECT min(id) FROM client_secrets WHERE client_id = %s)",
        (client.client_id,),
    )
    wait_for(lambda: lab.refresh(client, "x", auth=old).status_code == 401)
    check_token_error(lab.refresh(client, "x", auth=old), "invalid_client", status=401)
    check_token_error(lab.refresh(client, "x", auth=new), "invalid_grant")


# MARK: B079, B080: housekeeping and memory


def test_B079_used_codes_stay_as_long_as_a_replay_matters(lab: Lab, database: psycopg.Connection) -> None:
    """An hour after its use, long after it expired, a code's replay still ends what it gave, housekeeping or not."""
    signed = lab.sign_in(CONF1)
    database.execute(
        "UPDATE authorization_codes SET created_at = created_at - interval '1 hour', expires_at = expires_at - interval '1 hour', "
        "spent_at = spent_at - interval '1 hour' WHERE created_at = (SELECT max(created_at) FROM authorization_codes)"
    )
    lab.refreshed(signed)
    check_token_error(lab.redeem(signed.ask, signed.code), "invalid_grant")
    check_token_error(lab.refresh(CONF1, signed.refresh_token), "invalid_grant")


def test_B080_memory_stays_flat_under_nonsense(lab: Lab, server: Dev) -> None:
    """Unknown clients, wrong secrets and random kids, each new, thousands of times: nothing is remembered."""
    parts = urlsplit(lab.token_endpoint)
    authority = parts.netloc

    def resident() -> int:
        for line in Path(f"/proc/{server.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1])
        raise AssertionError("no VmRSS")

    def storm(first: int, count: int) -> None:
        connection = http.client.HTTPConnection(authority, timeout=30)
        for number in range(first, first + count):
            body = urlencode(
                {
                    "grant_type": "refresh_token",
                    "refresh_token": f"{number:040}",
                    "client_id": f"nobody-{number}-{'x' * 2000}",
                }
            )
            connection.request("POST", parts.path, body, {"Content-Type": "application/x-www-form-urlencoded"})
            assert connection.getresponse().read() and True
            connection.request("GET", f"/authorize?client_id=nobody-{number}-{'y' * 2000}&scope=openid")
            assert connection.getresponse().read() and True
        connection.close()

    storm(0, 800)
    before = resident()
    storm(10_000, 1600)
    grown = resident() - before
    # 1,600 names of 2,000 bytes would be over 3 MB of text alone; what an allocator keeps is allowed.
    assert grown < 3 * 1024, f"{grown} kB more after 1,600 unknown clients"


# MARK: Helpers


def wait_for(condition, seconds: float = 5) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds} s"
        time.sleep(0.02)


def add_account(server: Dev, account: Account) -> None:
    done = server.admin("account", "add", "--password-stdin", account.username, stdin=account.password + "\n")
    assert done.returncode == 0, done.stderr
