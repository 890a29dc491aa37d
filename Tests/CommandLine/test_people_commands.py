"""What admins do for people with commands: each once well and once badly, and what it leaves on record."""

import pytest

from support import ALICE, BOB, CLIENTS, Dev
from support.commands import Done, Event, account, failed, listed, ok
from support.flow import Lab

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
