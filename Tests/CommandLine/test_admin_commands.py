"""What admins do with commands for apps: each once well and once badly, and what it leaves on record."""

import pytest
import requests

from support import CLIENTS, Dev
from support.commands import Done, Event, client, failed, listed, ok
from support.flow import Lab

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
    words = ["admin-token", "add", "--name", "Ops team", "--role", "operator", "--area", "clients",
             "--area", "switches", "--expires-in", "90d"]
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
    again = dev.admin("client", "delete-secret", "keeper", str(second))
    assert f"client keeper has no secret {second}" in failed(again)
    assert "there is no client nobody" in failed(dev.admin("client", "secrets", "nobody"))
    assert "SECRET_ID must be a number" in failed(dev.admin("client", "delete-secret", "keeper", "first"), 2)
    assert "--expires-in must be" in failed(dev.admin("client", "secret", "keeper", "--expires-in", "1s"), 2)
