"""What admins do with commands: each once well and once badly, and what it leaves on record."""

import json
import os
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
import requests

from support import ALICE, BOB, CLIENTS, Dev, run_seleid
from support.commands import Event, Record, failed, ok
from support.flow import Lab

Done = Callable[..., tuple[list[str], list[Event]]]


@pytest.fixture(scope="module")
def dev() -> Iterator[Dev]:
    """A server of its own: these tests change clients, people, switches and keys."""
    with Dev() as dev:
        yield dev


@pytest.fixture(scope="module")
def record(dev: Dev) -> Record:
    return Record(dev)


@pytest.fixture
def lab(dev: Dev) -> Lab:
    return Lab(dev.issuer)


@pytest.fixture
def done(dev: Dev, record: Record) -> Done:
    """Runs a command that succeeds; gives its lines, and what it left on record.

    Run with --dry-run before, it says the same and leaves nothing.
    """

    def done(*words: str, stdin: str | None = None, dry: bool = True) -> tuple[list[str], list[Event]]:
        said: list[str] = []

        def work(*more: str) -> None:
            said[:] = ok(dev.admin(*words, *more, stdin=stdin)).splitlines()

        if dry:
            before = ok(dev.admin("export"))
            assert record.of(lambda: work("--dry-run")) == []
            assert ok(dev.admin("export")) == before
            *rehearsed, last = said
            assert last == "dry run: nothing was written"
        events = record.of(work)
        if dry:
            assert said == rehearsed
        return said, events

    return done


def listed(dev: Dev, *words: str) -> Any:
    return json.loads(ok(dev.admin(*words, "--json")))


def account(dev: Dev, name: str) -> dict[str, Any]:
    return json.loads(ok(dev.admin("account", "show", name)))


def client(dev: Dev, client_id: str) -> dict[str, Any]:
    return json.loads(ok(dev.admin("client", "show", client_id)))


# MARK: Switches


def test_a_switch_for_everybody(dev: Dev, done: Done, lab: Lab) -> None:
    assert "userinfo_endpoint" in lab.discovery
    assert done("switch", "set", "userinfo", "off") == (
        ["set switch userinfo to off"],
        [Event("switch.set", None, None, {"switch": "userinfo", "before": "per_client", "after": "off"})])
    assert "userinfo_endpoint" not in dev.discovery(), "told as done, and a server does not obey"
    assert {"name": "userinfo", "state": "off", "default": "off"} in listed(dev, "switch", "list")
    assert ["userinfo", "off", "off"] in [line.split() for line in ok(dev.admin("switch", "list")).splitlines()]
    assert done("switch", "set", "userinfo", "off") == (["unchanged switch userinfo"], [])
    done("switch", "set", "userinfo", "per_client")
    assert "userinfo_endpoint" in dev.discovery()


def test_an_unknown_switch_or_state_is_refused(dev: Dev) -> None:
    assert "did you mean userinfo?" in failed(dev.admin("switch", "set", "userinf", "on"), 2)
    assert "STATE must be off, per_client or on" in failed(dev.admin("switch", "set", "userinfo", "true"), 2)


# MARK: Admin tokens


def test_an_admin_token_is_printed_once_works_and_ends(dev: Dev, done: Done) -> None:
    words = ["admin-token", "add", "--name", "Ops team", "--role", "operator", "--area", "clients", "--area", "switches",
             "--expires-in", "90d"]
    assert ok(dev.admin(*words, "--dry-run")) == "made an admin token Ops team\ndry run: nothing was written\n"
    said, (event,) = done(*words, dry=False)
    token_id, token = said[0].split()[1], said[1].split()[1]
    assert event.kind == "admin_token.added" and event.detail["after"]["name"] == "Ops team"

    def clients(path: str = "clients") -> int:
        headers = {"Authorization": f"Bearer {token}"}
        return requests.get(dev.url(f"/admin/v1/{path}"), headers=headers, timeout=10).status_code

    assert (clients(), clients("accounts")) == (200, 403)
    (shown,) = [one for one in listed(dev, "admin-token", "list") if str(one["id"]) == token_id]
    assert (shown["role"], shown["areas"]) == ("operator", ["clients", "switches"])
    assert shown["expires_at"] and shown["last_used_at"] and token not in ok(dev.admin("admin-token", "list"))

    said, (event,) = done("admin-token", "revoke", token_id)
    assert said == [f"revoked admin token {token_id}"] and event.kind == "admin_token.revoked"
    assert clients() == 401
    assert "could be revoked" in failed(dev.admin("admin-token", "revoke", token_id))
    (line,) = [line for line in ok(dev.admin("admin-token", "list")).splitlines() if line.endswith("Ops team")]
    assert line.split()[3] == "revoked"


@pytest.mark.parametrize(("words", "reason", "code"), [
    (["--role", "admin"], "--name is missing", 2),
    (["--name", "n"], "--role is missing", 2),
    (["--name", "n", "--role", "root"], "--role must be one of admin, operator, auditor", 2),
    (["--name", "n", "--role", "admin", "--area", "all"], "--area must be one of", 2),
    (["--name", "n", "--role", "admin", "--expires-in", "never"], "--expires-in must be", 2),
    (["--name", "", "--role", "admin"], "name: must be 1 to 100 characters", 1),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_an_admin_token_must_make_sense(dev: Dev, words: list[str], reason: str, code: int) -> None:
    assert reason in failed(dev.admin("admin-token", "add", *words), code)


# MARK: Clients


def test_a_client_is_registered_with_a_record(dev: Dev, done: Done) -> None:
    words = ["client", "add", "--id", "made", "--name", "Made", "--redirect-uri", "https://made.example/cb"]
    assert ok(dev.admin(*words, "--dry-run")) == "created client made\ndry run: nothing was written\n"
    said, events = done(*words, dry=False)
    assert [event.kind for event in events] == ["client.created", "client_secret.added"]
    assert {event.client_id for event in events} == {"made"}
    assert said[2] == "Sign-in is off for this app until: seleid client switch made sign_in on"


def test_members_of_a_client_are_set(dev: Dev, done: Done) -> None:
    said, (event,) = done("client", "set", "web2", "client_name=New Name", "default_max_age=3600",
                          'post_logout_redirect_uris=["https://web2.example/bye"]')
    assert said == ["updated client web2 (client_name, default_max_age, post_logout_redirect_uris)"]
    assert (event.kind, event.client_id) == ("client.changed", "web2")
    assert event.detail["before"] == {"client_name": CLIENTS["web2"].raw["client_name"]}
    assert event.detail["after"]["default_max_age"] == 3600
    assert client(dev, "web2")["metadata"]["client_name"] == "New Name"

    assert done("client", "set", "web2", "default_max_age=null", "post_logout_redirect_uris=null")[0] == [
        "updated client web2 (default_max_age, post_logout_redirect_uris)"]
    assert done("client", "set", "web2", "client_name=New Name") == (["unchanged client web2"], [])


@pytest.mark.parametrize(("words", "reason", "code"), [
    (["web2", "redirect_uris=https://x.example/cb"], "redirect_uris: must be an array of strings", 1),
    (["web2", 'redirect_uris=["javascript:alert(1)"]', "colour=red"], "colour: is unknown here", 1),
    (["web2", "client_id=other"], "client_id: cannot be changed", 1),
    (["nobody", "client_name=N"], "there is no client nobody", 1),
    (["web2", "client_name"], "must be NAME=VALUE", 2),
    (["web2", "scope=openid", "scope=openid"], "is given twice", 2),
    (["web2"], "NAME=VALUE… is missing", 2),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_what_breaks_a_rule_is_not_set(dev: Dev, words: list[str], reason: str, code: int) -> None:
    before = client(dev, "web2")
    assert reason in failed(dev.admin("client", "set", *words), code)
    assert client(dev, "web2") == before


def test_a_switch_of_one_client(dev: Dev, done: Done, lab: Lab) -> None:
    signed = lab.sign_in(CLIENTS["web1"], scope="openid profile")
    said, (event,) = done("client", "switch", "web1", "userinfo", "off")
    assert said == ["set switch userinfo of client web1 to off"]
    assert (event.kind, event.client_id) == ("client.changed", "web1")
    assert event.detail["after"]["switches"]["userinfo"] is False
    assert lab.userinfo(signed.access_token).status_code == 403
    assert done("client", "switch", "web1", "userinfo", "off")[1] == []
    done("client", "switch", "web1", "userinfo", "default")
    assert "userinfo" not in client(dev, "web1")["metadata"]["switches"]
    done("client", "switch", "web1", "userinfo", "on")
    assert lab.userinfo(signed.access_token).status_code == 200

    assert done("client", "switch", "off1", "sign_in", "on")[0] == ["set switch sign_in of client off1 to on"]
    assert client(dev, "off1")["metadata"]["sign_in"] is True
    done("client", "switch", "off1", "sign_in", "default")
    assert "sign_in" not in client(dev, "off1")["metadata"]

    assert "on, off or default" in failed(dev.admin("client", "switch", "web1", "userinfo", "yes"), 2)
    assert "there is no switch" in failed(dev.admin("client", "switch", "web1", "logout", "on"), 2)
    assert "there is no client nobody" in failed(dev.admin("client", "switch", "nobody", "userinfo", "on"))


def test_a_switch_of_a_client_that_is_off_for_everybody_says_so(dev: Dev, done: Done) -> None:
    done("switch", "set", "introspection", "off")
    assert done("client", "switch", "web2", "introspection", "on")[0][1:] == [
        "It is off for everybody until: seleid switch set introspection per_client"]
    done("client", "switch", "web2", "introspection", "default")
    done("switch", "set", "introspection", "per_client")


def test_a_disabled_client_is_locked_out_at_once_and_what_it_had_stays_ended(dev: Dev, done: Done, lab: Lab) -> None:
    signed = lab.sign_in(CLIENTS["web1"], scope="openid offline_access")
    assert done("client", "disable", "web1") == (["disabled client web1"], [Event("client.disabled", "web1", None, {})])
    assert lab.refresh(CLIENTS["web1"], signed.refresh_token).json()["error"] == "invalid_client"
    assert done("client", "disable", "web1") == (["unchanged client web1"], [])
    table = [line.split() for line in ok(dev.admin("client", "list", "--search", "web1")).splitlines()]
    assert table[1][:3] == ["web1", "seleid", "disabled"] and len(table) == 2
    assert done("client", "enable", "web1") == (["enabled client web1"], [Event("client.enabled", "web1", None, {})])
    assert lab.refresh(CLIENTS["web1"], signed.refresh_token).json()["error"] == "invalid_grant"
    for word in ("enable", "disable", "delete"):
        assert failed(dev.admin("client", word, "nobody")) == "seleid: there is no client nobody\n"


def test_a_client_is_deleted_with_what_it_has(dev: Dev, done: Done) -> None:
    ok(dev.admin("client", "add", "--id", "gone", "--name", "Gone", "--redirect-uri", "https://gone.example/cb"))
    said, (event,) = done("client", "delete", "gone")
    assert said == ["deleted client gone"]
    assert (event.kind, event.client_id) == ("client.deleted", "gone")
    assert event.detail["before"]["client_name"] == "Gone"
    assert "there is no client gone" in failed(dev.admin("client", "show", "gone"))


def test_clients_are_searched(dev: Dev) -> None:
    def search(text: str) -> set[str]:
        return {one["client_id"] for one in listed(dev, "client", "list", "--search", text)}

    assert search("conf") == {"conf1", "conf2"}
    assert search("SINGLE page") == {"spa1"}
    assert search("%") == set()


def test_secrets_are_added_listed_and_ended(dev: Dev, done: Done) -> None:
    ok(dev.admin("client", "add", "--id", "keeper", "--name", "K", "--redirect-uri", "https://k.example/cb"))
    (first,) = listed(dev, "client", "secrets", "keeper")
    assert first["expires_at"] is None and first["last_used_at"] is None
    words = ["client", "secret", "keeper", "--expires-in", "30d"]
    assert ok(dev.admin(*words, "--dry-run")) == "added a secret to client keeper\ndry run: nothing was written\n"
    said, (event,) = done(*words, dry=False)
    second = int(said[0].split()[1])
    assert (event.kind, event.client_id, event.detail["after"]["id"]) == ("client_secret.added", "keeper", second)
    assert event.detail["after"]["expires_at"]
    said, events = done("client", "secret", "keeper", dry=False)
    assert [(event.kind, next(iter(event.detail.values()))["id"]) for event in events] == [
        ("client_secret.deleted", first["id"]), ("client_secret.added", int(said[0].split()[1]))]
    said, (event,) = done("client", "delete-secret", "keeper", str(second))
    assert said == [f"deleted secret {second} of client keeper, which has 1 left"]
    assert (event.kind, event.client_id) == ("client_secret.deleted", "keeper")
    assert len(ok(dev.admin("client", "secrets", "keeper")).splitlines()) == 2
    assert f"client keeper has no secret {second}" in failed(dev.admin("client", "delete-secret", "keeper", str(second)))
    assert "there is no client nobody" in failed(dev.admin("client", "secrets", "nobody"))
    assert "SECRET_ID must be a number" in failed(dev.admin("client", "delete-secret", "keeper", "first"), 2)
    assert "--expires-in must be" in failed(dev.admin("client", "secret", "keeper", "--expires-in", "1s"), 2)


# MARK: Accounts


def test_an_account_is_made_changed_and_named_in_both_ways(dev: Dev, done: Done) -> None:
    words = ["account", "add", "grace", "--name", "Grace", "--password-stdin"]
    assert ok(dev.admin(*words, "--dry-run", stdin="long enough\n")).startswith("created account grace\n")
    said, (event,) = done(*words, stdin="long enough\n", dry=False)
    subject = said[0].split()[-1]
    assert (event.kind, event.subject, event.detail["after"]["username"]) == ("account.created", subject, "grace")
    assert account(dev, "GRACE") == account(dev, subject)
    assert account(dev, "grace")["claims"] == {"name": "Grace"}

    said, (event,) = done("account", "set", "grace", "email=grace@example.test", "email_verified=true", "name=null",
                          'address={"country": "FI"}')
    assert said == ["updated account grace (address, email, email_verified, name)"]
    assert (event.kind, event.subject) == ("account.changed", subject)
    assert account(dev, subject)["claims"] == {
        "address": {"country": "FI"}, "email": "grace@example.test", "email_verified": True}
    assert done("account", "set", subject, "username=grace.hopper")[0] == ["updated account grace.hopper (username)"]
    assert account(dev, "grace.hopper")["sub"] == subject
    assert "there is no account grace" in failed(dev.admin("account", "show", "grace"))
    assert done("account", "set", subject, "email_verified=true") == (["unchanged account grace.hopper"], [])
    assert [one["sub"] for one in listed(dev, "account", "list", "--search", "grace@EXAMPLE")] == [subject]


@pytest.mark.parametrize(("words", "reason", "code"), [
    ([BOB.username, "shoe_size=43"], "shoe_size: there is no such claim", 1),
    ([BOB.username, "email_verified=perhaps"], "email_verified: must be true or false", 1),
    ([BOB.username, f"username={ALICE.username.upper()}"], "already", 1),
    ([BOB.username, "password=long enough"], "use seleid account password", 2),
    ([BOB.username, "status=disabled"], "use seleid account enable, disable or close", 2),
    ([BOB.username, "sub=1"], "sub never changes", 2),
    (["nobody", "name=N"], "there is no account nobody", 1),
], ids=lambda value: value[1] if isinstance(value, list) else "")
def test_what_breaks_a_rule_is_not_set_of_an_account(dev: Dev, words: list[str], reason: str, code: int) -> None:
    before = account(dev, BOB.username)
    assert reason in failed(dev.admin("account", "set", *words), code)
    assert account(dev, BOB.username) == before


def test_a_sub_names_its_own_account_whatever_usernames_there_are(dev: Dev) -> None:
    ok(dev.admin("account", "add", "victim", "--no-password"))
    subject = account(dev, "victim")["sub"]
    ok(dev.admin("account", "add", subject, "--no-password"))
    assert account(dev, subject)["username"] == "victim"


def test_a_password_is_set_with_a_record_that_does_not_hold_it(dev: Dev, done: Done, lab: Lab) -> None:
    signed = lab.sign_in(CLIENTS["web1"], scope="openid offline_access", account=BOB)
    words = ["account", "password", BOB.username, "--password-stdin"]
    said, (event,) = done(*words, stdin=f"{BOB.password}\n")
    assert said == [f"set the password of account {BOB.username}"]
    assert event == Event("account.password_set", None, signed.claims["sub"], {})
    assert lab.refresh(CLIENTS["web1"], signed.refresh_token).json()["error"] == "invalid_grant"
    assert "at least 8" in failed(dev.admin(*words, stdin="short\n"))


def test_disabling_enabling_and_closing_an_account(dev: Dev, done: Done, lab: Lab) -> None:
    signed = lab.sign_in(CLIENTS["web1"], scope="openid offline_access", account=BOB)
    subject = signed.claims["sub"]
    said, (event,) = done("account", "disable", BOB.username)
    assert said == [f"disabled account {BOB.username}"]
    assert (event.kind, event.subject) == ("account.disabled", subject)
    assert lab.refresh(CLIENTS["web1"], signed.refresh_token).json()["error"] == "invalid_grant"
    assert done("account", "disable", subject) == ([f"unchanged account {BOB.username}"], [])
    said, (event,) = done("account", "enable", subject)
    assert said == [f"enabled account {BOB.username}"] and event.kind == "account.enabled"
    assert lab.refresh(CLIENTS["web1"], signed.refresh_token).json()["error"] == "invalid_grant", "it came back"

    ok(dev.admin("account", "add", "leaver", "--no-password"))
    said, (event,) = done("account", "close", "leaver")
    assert said == ["closed account leaver"] and event.kind == "account.closed"
    assert "is closed, which is final" in failed(dev.admin("account", "enable", "leaver"))
    assert "is closed, which is final" in failed(
        dev.admin("account", "password", "leaver", "--password-stdin", stdin="long enough\n"))
    for word in ("enable", "disable", "close", "end-sessions", "show"):
        assert failed(dev.admin("account", word, "nobody")) == "seleid: there is no account nobody\n"


# MARK: Sessions, grants, consents


def test_sessions_are_listed_and_ended(dev: Dev, done: Done, lab: Lab) -> None:
    signed = lab.sign_in(CLIENTS["web1"], scope="openid offline_access")
    sid, subject = signed.claims["sid"], signed.claims["sub"]
    (session,) = [one for one in listed(dev, "session", "list", "--account", subject) if one["sid"] == sid]
    assert session["state"] == "live" and session["live_grants"] == 1
    assert sid in ok(dev.admin("session", "list", "--account", ALICE.username))
    said, (event,) = done("session", "end", sid)
    assert said == [f"ended session {sid}"]
    assert (event.kind, event.subject, event.detail["before"]["sid"]) == ("session.ended", subject, sid)
    assert lab.refresh(CLIENTS["web1"], signed.refresh_token).json()["error"] == "invalid_grant"
    assert done("session", "end", sid) == ([f"unchanged session {sid}: it is over"], [])
    assert sid not in ok(dev.admin("session", "list", "--account", ALICE.username))
    (session,) = [one for one in listed(dev, "session", "list", "--account", subject, "--all") if one["sid"] == sid]
    assert session["end_reason"] == "ended_by_admin"
    assert "there is no session nothing" in failed(dev.admin("session", "end", "nothing"))
    assert "--account is missing" in failed(dev.admin("session", "list"), 2)
    assert "there is no account nobody" in failed(dev.admin("session", "list", "--account", "nobody"))


def test_all_sessions_of_a_person_are_ended(dev: Dev, done: Done, lab: Lab) -> None:
    done("account", "end-sessions", ALICE.username)
    signed = lab.sign_in(CLIENTS["web1"], scope="openid offline_access")
    lab.sign_in(CLIENTS["conf1"], scope="openid", browser=signed.browser)
    said, (event,) = done("account", "end-sessions", ALICE.username)
    assert said == ["ended 1 sessions and 2 grants"]
    assert event == Event("account.sessions_ended", None, signed.claims["sub"], {"sessions": 1, "grants": 2})
    assert done("account", "end-sessions", ALICE.username) == (["ended 0 sessions and 0 grants"], [])


def test_grants_are_listed_and_ended(dev: Dev, done: Done, lab: Lab) -> None:
    signed = lab.sign_in(CLIENTS["web1"], scope="openid offline_access")
    subject = signed.claims["sub"]
    newest = listed(dev, "grant", "list", "--account", ALICE.username)[0]
    assert (newest["client_id"], newest["sub"], newest["state"]) == ("web1", subject, "live")
    assert newest in listed(dev, "grant", "list", "--client", "web1")
    assert newest in listed(dev, "grant", "list", "--client", "web1", "--account", subject)
    assert newest not in listed(dev, "grant", "list", "--client", "conf1", "--account", subject)
    said, (event,) = done("grant", "end", str(newest["id"]))
    assert said == [f"ended grant {newest['id']}"]
    assert (event.kind, event.client_id, event.subject) == ("grant.ended", "web1", subject)
    assert lab.refresh(CLIENTS["web1"], signed.refresh_token).json()["error"] == "invalid_grant"
    assert done("grant", "end", str(newest["id"])) == ([f"unchanged grant {newest['id']}: it is over"], [])
    row = ok(dev.admin("grant", "list", "--client", "web1", "--all")).splitlines()[1].split()
    assert row[0] == str(newest["id"]) and row[3] == "ended_by_admin"
    assert "there is no grant 999999" in failed(dev.admin("grant", "end", "999999"))
    assert "--account or --client is missing" in failed(dev.admin("grant", "list"), 2)
    assert "there is no client nobody" in failed(dev.admin("grant", "list", "--client", "nobody"))


def test_consents_are_listed_and_withdrawn(dev: Dev, done: Done, lab: Lab) -> None:
    signed = lab.sign_in(CLIENTS["web1"], scope="openid profile offline_access")
    (consent,) = [one for one in listed(dev, "consent", "list", "--account", ALICE.username)
                  if one["client_id"] == "web1"]
    assert "profile" in consent["scope"].split()
    assert "web1" in ok(dev.admin("consent", "list", "--account", signed.claims["sub"]))
    said, (event,) = done("consent", "withdraw", ALICE.username, "web1")
    assert said == [f"withdrew the consent of {ALICE.username} for client web1"]
    assert (event.kind, event.client_id, event.subject) == ("consent.withdrawn", "web1", signed.claims["sub"])
    assert lab.refresh(CLIENTS["web1"], signed.refresh_token).json()["error"] == "invalid_grant"
    assert "has granted nothing to a client web1" in failed(dev.admin("consent", "withdraw", ALICE.username, "web1"))
    assert "--account is missing" in failed(dev.admin("consent", "list"), 2)


# MARK: Keys


def test_keys_change_with_a_record(dev: Dev, done: Done) -> None:
    (first,) = [key["kid"] for key in listed(dev, "key", "list") if key["state"] == "signing"]
    _, (event,) = done("key", "rotate", dry=False)
    assert event.kind == "key.rotated"
    _, events = done("key", "revoke", first, dry=False)
    assert "key.revoked" in [event.kind for event in events]
    keys = requests.get(dev.discovery()["jwks_uri"], timeout=10).json()["keys"]
    assert first not in [key["kid"] for key in keys], "told as done, and a server still publishes it"


# MARK: The record


def test_the_record_is_listed_by_what_is_asked(dev: Dev, lab: Lab) -> None:
    signed = lab.sign_in(CLIENTS["conf1"], scope="openid")
    ok(dev.admin("client", "set", "web2", "client_name=Another"))
    newest = listed(dev, "audit", "list", "--limit", "1")
    assert [(one["event"], one["client_id"], one["actor"]["kind"]) for one in newest] == [
        ("client.changed", "web2", "command")]
    for words in (["--event", "client.changed"], ["--client", "web2"], ["--actor-kind", "command"],
                  ["--event", "client.created", "--event", "client.changed", "--since", "1h"]):
        assert newest[0] in listed(dev, "audit", "list", *words), words
    for words in (["--event", "client.created"], ["--client", "web1"], ["--actor-kind", "person"],
                  ["--until", "1h"], ["--since", "2100-01-01T00:00:00Z"], ["--account", ALICE.username]):
        assert newest[0] not in listed(dev, "audit", "list", *words), words
    about = listed(dev, "audit", "list", "--account", ALICE.username)
    assert about and {one["sub"] for one in about} == {signed.claims["sub"]}
    table = ok(dev.admin("audit", "list", "--limit", "3")).splitlines()
    assert table[0].split() == ["TIME", "EVENT", "BY", "CLIENT_ID", "SUB", "ADDRESS"]
    assert len(table) == 4 and table[1].split()[1] == "client.changed"


@pytest.mark.parametrize(("words", "reason", "code"), [
    (["--event", "client.change"], "did you mean client.changed?", 2),
    (["--actor-kind", "robot"], "--actor-kind must be one of", 2),
    (["--since", "yesterday"], "--since must be such as", 2),
    (["--account", "nobody"], "there is no account nobody", 1),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")
@pytest.mark.parametrize("word", ["list", "export"])
def test_a_record_is_not_asked_for_what_cannot_be(
    dev: Dev, word: str, words: list[str], reason: str, code: int
) -> None:
    assert reason in failed(dev.admin("audit", word, *words), code)


def test_the_whole_record_is_exported_page_by_page(dev: Dev, record: Record) -> None:
    # More than two of the pages that it is read in.
    record.database.execute(
        "INSERT INTO audit_events (event, actor_kind, detail) SELECT 'admin.refused', 'system', '{}'"
        " FROM generate_series(1, 2500)")
    lines = [json.loads(line) for line in ok(dev.admin("audit", "export")).splitlines()]
    ids = [row for (row,) in record.database.execute("SELECT id FROM audit_events ORDER BY id").fetchall()]
    assert [line["id"] for line in lines] == ids
    some = [json.loads(line) for line in ok(dev.admin("audit", "export", "--client", "web2")).splitlines()]
    assert some == [line for line in lines if line.get("client_id") == "web2"] and some


def test_the_one_who_typed_sudo_is_on_record_and_nobody_is_taken_at_his_word(dev: Dev, record: Record) -> None:
    environment = {**dev.serve_environment(), "SUDO_USER": "erika"}
    ok(run_seleid("switch", "set", "userinfo", "on", environment=environment))
    ok(dev.admin("switch", "set", "userinfo", "per_client"))
    row = record.database.execute(
        "SELECT actor FROM audit_events WHERE event = 'switch.set' ORDER BY id DESC OFFSET 1 LIMIT 1").fetchone()
    assert row is not None and (row[0] == "erika") == (os.getuid() == 0)


def test_secrets_are_printed_once_and_stand_nowhere_else(dev: Dev, record: Record) -> None:
    def printed(*words: str) -> str:
        return ok(dev.admin(*words)).split("client_secret" if words[0] == "client" else "admin_token")[1].split()[0]

    secrets = [
        printed("client", "add", "--id", "quiet", "--name", "Q", "--redirect-uri", "https://q.example/cb"),
        printed("client", "secret", "quiet"),
        printed("admin-token", "add", "--name", "quiet", "--role", "auditor"),
        "a password on its own", "another password alone", "a secret of a file, with 32 characters",
        "a password of a file",
    ]
    ok(dev.admin("account", "add", "quiet", "--password-stdin", stdin=f"{secrets[3]}\n"))
    ok(dev.admin("account", "password", "quiet", "--password-stdin", stdin=f"{secrets[4]}\n"))
    file = {
        "clients": [{"client_id": "quiet", "client_name": "Q", "redirect_uris": ["https://q.example/cb"],
                     "client_secret": secrets[5]}],
        "accounts": [{"username": "quiet", "password": secrets[6]}],
    }
    said = ok(dev.admin("apply", "-f", "-", stdin=json.dumps(file)))
    assert "set the secret of client quiet" in said and "set the password of account quiet" in said
    for words in (["client", "list", "--json"], ["client", "show", "quiet"], ["client", "secrets", "quiet", "--json"],
                  ["account", "list", "--json"], ["account", "show", "quiet"], ["admin-token", "list", "--json"],
                  ["audit", "export"], ["export"]):
        said += ok(dev.admin(*words))
    everything = said + record.text() + dev.log
    for secret in secrets:
        assert secret not in everything
    assert "argon2" not in everything


def test_what_fails_leaves_nothing_and_no_record(dev: Dev, record: Record) -> None:
    before = ok(dev.admin("export"))

    def work() -> None:
        failed(dev.admin("client", "add", "--id", "web1", "--name", "N", "--redirect-uri", "https://n.example/cb"))
        failed(dev.admin("client", "set", "web1", "redirect_uris=[]"))
        failed(dev.admin("account", "add", ALICE.username, "--no-password"))
        failed(dev.admin("grant", "end", "999999"))

    assert record.of(work) == []
    assert ok(dev.admin("export")) == before


def test_a_change_whose_record_cannot_be_kept_is_not_made(dev: Dev, record: Record) -> None:
    before = ok(dev.admin("export"))
    record.database.execute("ALTER TABLE audit_events ADD CONSTRAINT full_up CHECK (event <> 'switch.set') NOT VALID")
    try:
        assert "full_up" in failed(dev.admin("switch", "set", "userinfo", "off"))
    finally:
        record.database.execute("ALTER TABLE audit_events DROP CONSTRAINT full_up")
    assert ok(dev.admin("export")) == before


def test_commands_work_while_no_server_runs(dev: Dev) -> None:
    """On the database alone: nobody has to obey, and nobody is waited for."""
    database = dev.database_url.replace("/seleid?", "/copy?")
    with psycopg.connect(dev.database_url.replace("/seleid?", "/postgres?"), autocommit=True) as connection:
        connection.execute("CREATE DATABASE copy")
    environment = {**dev.serve_environment(), "SELEID_DATABASE_URL": database}
    ok(run_seleid("migrate", environment=environment))
    assert ok(run_seleid("switch", "set", "userinfo", "on", environment=environment)) == "set switch userinfo to on\n"
