"""`seleid apply` and `seleid export`: what a file says is what the database says afterwards, or nothing has changed."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from support import ALICE, BOB, CLIENTS, FIXTURES, Dev, run_seleid
from support.commands import Record, failed, ok
from support.fixtures import ROOT
from support.flow import Lab

DRY = "dry run: nothing was written"


def apply(dev: Dev, file: dict[str, Any], *words: str) -> list[str]:
    return ok(dev.admin("apply", "-f", "-", *words, stdin=json.dumps(file))).splitlines()


def refused(dev: Dev, file: dict[str, Any], *words: str) -> str:
    """Why a file is refused; nothing has changed then."""
    before = ok(dev.admin("export"))
    message = failed(dev.admin("apply", "-f", "-", *words, stdin=json.dumps(file)))
    assert ok(dev.admin("export")) == before
    return message


def exported(dev: Dev) -> dict[str, Any]:
    return json.loads(ok(dev.admin("export")))


def web(client_id: str, **members: Any) -> dict[str, Any]:
    return {"client_id": client_id, "client_name": client_id.title(),
            "redirect_uris": [f"https://{client_id}.example/cb"], **members}


#: Every member that a client can have, each other than its default; and all ways in which clients and people can stand.
EVERYTHING: dict[str, Any] = {
    "switches": {"sign_in": "on", "userinfo": "on", "revocation": "off", "session_context": "per_client",
                 "introspection": "on"},
    "clients": [
        web("full", application_type="native", profile="oidc", sign_in=True, first_party=True, camel_case_aliases=True,
            token_endpoint_auth_method="client_secret_post", grant_types=["authorization_code", "refresh_token"],
            post_logout_redirect_uris=["https://full.example/bye"], scope="openid profile email address phone",
            refresh_retry_seconds=0, authorization_code_lifetime=30, id_token_lifetime=60, access_token_lifetime=60,
            refresh_token_idle_lifetime=600, refresh_token_lifetime=6000, state_policy="required",
            nonce_policy="required", pkce_policy="required", require_auth_time=True, default_max_age=60,
            client_uri="https://full.example/", logo_uri="https://full.example/logo.png",
            policy_uri="https://full.example/policy", tos_uri="https://full.example/tos",
            contacts=["ops@full.example"], userinfo_signed_response_alg="RS256", audience=["api"],
            switches={"userinfo": False, "revocation": True, "session_context": True, "introspection": False}),
        web("locked", enabled=False, sign_in=False),
        {"client_id": "api", "client_name": "API", "grant_types": [], "switches": {"introspection": True}},
        web("page", token_endpoint_auth_method="none"),
    ],
    "accounts": [
        {"username": "Zoë Ångström", "password": "a good password", "name": "Zoë", "email": "zoe@example.test",
         "email_verified": True, "address": {"country": "FI", "locality": "Turku"}, "birthdate": "0000-02-29"},
        {"username": "locked", "status": "disabled", "nickname": "L"},
        {"username": "left", "name": "Left"},
    ],
}


def test_export_and_apply_change_nothing_of_anything_there_can_be(dev: Dev, record: Record) -> None:
    apply(dev, EVERYTHING)
    ok(dev.admin("account", "close", "left"))
    before = ok(dev.admin("export"))
    file = json.loads(before)
    assert file["switches"] == EVERYTHING["switches"]
    clients = {client["client_id"]: client for client in file["clients"]}
    assert [clients[client["client_id"]] for client in EVERYTHING["clients"]] == EVERYTHING["clients"]
    accounts = {account["username"]: account for account in file["accounts"]}
    assert accounts["locked"] == EVERYTHING["accounts"][1]
    assert accounts["left"] == {"username": "left", "status": "closed", "name": "Left"}
    assert "status" not in accounts["Zoë Ångström"] and "enabled" not in clients["page"]
    assert not any(word in before for word in ("client_secret\"", "password", "argon2", "hash"))

    for words in ([], ["--prune"], ["--dry-run", "--prune"]):
        said: list[str] = []
        assert record.of(lambda: said.extend(apply(dev, file, *words))) == [], words
        assert said and all(line.startswith("unchanged ") or line == DRY for line in said)
    assert ok(dev.admin("export")) == before


def test_another_database_becomes_the_same_but_for_who_has_left(dev: Dev) -> None:
    with psycopg.connect(dev.database_url.replace("/seleid?", "/postgres?"), autocommit=True) as connection:
        connection.execute("CREATE DATABASE another")
    environment = {"SELEID_DATABASE_URL": dev.database_url.replace("/seleid?", "/another?")}
    ok(run_seleid("migrate", environment=environment))
    file = exported(dev)
    said = ok(run_seleid("apply", "-f", "-", environment=environment, stdin=json.dumps(file))).splitlines()
    assert "unchanged account left, which is not there to be closed" in said
    assert "created client locked" in said and "disabled client locked" in said
    file["accounts"] = [account for account in file["accounts"] if account["username"] != "left"]
    assert json.loads(ok(run_seleid("export", environment=environment))) == file


def test_the_fixtures_twice_change_nothing_not_even_secrets_and_passwords(dev: Dev) -> None:
    ok(dev.admin("apply", "--file", str(FIXTURES)))
    before = json.loads(ok(dev.admin("client", "show", "web1")))
    applied = ok(dev.admin("apply", "--file", str(FIXTURES)))
    assert all(line.startswith("unchanged ") for line in applied.splitlines()), applied
    assert json.loads(ok(dev.admin("client", "show", "web1"))) == before


def test_apply_tells_what_it_changes_and_a_dry_run_changes_nothing(dev: Dev, tmp_path: Path) -> None:
    file = tmp_path / "change.json"
    file.write_text(json.dumps({
        "switches": {"userinfo": "on"},
        "clients": [
            {"client_id": "spa1", "client_name": "Renamed", "token_endpoint_auth_method": "none", "sign_in": True,
             "grant_types": ["authorization_code", "refresh_token"], "redirect_uris": ["https://spa.example/cb"],
             "scope": "openid profile", "switches": {"userinfo": True}},
            {"client_id": "fresh", "client_name": "Fresh", "redirect_uris": ["https://fresh.example/cb"],
             "client_secret": "0123456789abcdef0123456789abcdef"}],
        "accounts": [
            {"username": "bob@example.test", "password": "another password", "email": "bob@example.test",
             "email_verified": True, "name": "Bob Example"},
            {"username": "carol", "name": "Carol"}],
    }))
    expected = [
        "set switch userinfo to on", "updated client spa1 (client_name)", "created client fresh",
        "updated account bob@example.test (email_verified)", "set the password of account bob@example.test",
        "created account carol"]
    before = ok(dev.admin("export"))
    dry = ok(dev.admin("apply", "-f", str(file), "--dry-run")).splitlines()
    assert dry == [*expected, "dry run: nothing was written"]
    assert ok(dev.admin("export")) == before
    assert ok(dev.admin("apply", "-f", str(file))).splitlines() == expected
    assert ok(dev.admin("apply", "-f", str(file))).splitlines() == [
        "unchanged switch userinfo", "unchanged client spa1", "unchanged client fresh",
        "unchanged account bob@example.test", "unchanged account carol"]


def test_the_example_in_the_documentation_can_be_applied(dev: Dev) -> None:
    text = (ROOT / "Docs" / "configuration.md").read_text()
    (example,) = re.findall(r"^```json\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    out = ok(dev.admin("apply", "-f", "-", "--dry-run", stdin=example))
    assert out.endswith("dry run: nothing was written\n")


def test_a_file_with_one_fault_writes_nothing(dev: Dev, tmp_path: Path) -> None:
    file = tmp_path / "fault.json"
    file.write_text(json.dumps({"accounts": [{"username": "dave"}, {"username": "erin", "nickname": 7}]}))
    before = ok(dev.admin("export"))
    assert failed(dev.admin("apply", "-f", str(file))) == (
        f"seleid: {file}: accounts[1] (erin).nickname: must be a string\n")
    assert ok(dev.admin("export")) == before


# MARK: Whether something is enabled


def test_what_was_switched_off_stays_off_until_the_file_says_otherwise(dev: Dev, record: Record) -> None:
    file = {"clients": [web("nightly")], "accounts": [{"username": "nightly"}]}
    assert apply(dev, file) == ["created client nightly", "created account nightly"]
    ok(dev.admin("client", "disable", "nightly"))
    ok(dev.admin("account", "disable", "nightly"))
    assert apply(dev, file) == ["unchanged client nightly", "unchanged account nightly"]

    def work() -> None:
        assert apply(dev, {"clients": [web("nightly", enabled=True)],
                           "accounts": [{"username": "nightly", "status": "active"}]}) == [
            "enabled client nightly", "enabled account nightly"]

    assert [event.kind for event in record.of(work)] == ["client.enabled", "account.enabled"]
    assert apply(dev, {"clients": [web("nightly", enabled=False)],
                       "accounts": [{"username": "nightly", "status": "closed"}]}) == [
        "disabled client nightly", "closed account nightly"]


def test_a_closed_account_stays_closed(dev: Dev) -> None:
    apply(dev, {"accounts": [{"username": "over"}]})
    ok(dev.admin("account", "close", "over"))
    assert "account over is closed, which is final" in refused(
        dev, {"clients": [web("never")], "accounts": [{"username": "over", "status": "active"}]})
    assert "account over is closed, which is final" in refused(
        dev, {"accounts": [{"username": "over", "password": "long enough"}]})
    assert apply(dev, {"accounts": [{"username": "over", "name": "Over"}]}) == ["updated account over (name)"]


def test_two_spellings_of_one_name_are_one_account(dev: Dev) -> None:
    assert "accounts: ｄouble and DOUBLE are the same account" in refused(
        dev, {"accounts": [{"username": "ｄouble"}, {"username": "DOUBLE"}]})
    assert apply(dev, {"accounts": [{"username": "double"}]}) == ["created account double"]
    assert apply(dev, {"accounts": [{"username": "Double"}]}) == ["updated account Double (username)"]


# MARK: Secrets


def test_a_secret_of_the_file_is_the_only_one_and_does_not_end(dev: Dev, record: Record) -> None:
    secret = "a secret of thirty-two characters"
    file = {"clients": [web("sealed", client_secret=secret)]}
    assert apply(dev, file) == ["created client sealed"]
    assert apply(dev, file) == ["unchanged client sealed"]
    ok(dev.admin("client", "secret", "sealed"))
    assert apply(dev, file) == ["unchanged client sealed"], "another one beside it does no harm"
    record.database.execute("UPDATE client_secrets SET expires_at = now() + interval '1 h' WHERE client_id = 'sealed'")
    events = record.of(lambda: apply(dev, file))
    assert [event.kind for event in events] == ["client_secret.deleted", "client_secret.deleted", "client_secret.added"]
    (left,) = json.loads(ok(dev.admin("client", "secrets", "sealed", "--json")))
    assert left["expires_at"] is None
    environment = {"SELEID_DATABASE_URL": dev.database_url}
    message = failed(run_seleid("apply", "-f", "-", environment=environment, stdin=json.dumps(file)))
    assert message == "seleid: client_secret: needs the master key (SELEID_MASTER_KEY_FILE or SELEID_MASTER_KEY)\n"


# MARK: Pruning


@pytest.fixture
def pruned() -> Iterator[Dev]:
    with Dev() as dev:
        yield dev


def test_pruning_lets_go_what_the_file_does_not_name(pruned: Dev) -> None:
    dev, record, lab = pruned, Record(pruned), Lab(pruned.issuer)
    signed = lab.sign_in(CLIENTS["web1"], scope="openid offline_access")
    kept = {"switches": {"userinfo": "per_client"}, "clients": [CLIENTS["web2"].raw], "accounts": [BOB.raw]}
    clients = sorted({client["client_id"] for client in exported(dev)["clients"]} - {"web2"})
    expected = [
        "unchanged switch userinfo",
        *[f"set switch {name} to off, which the file does not name"
          for name in ("revocation", "session_context", "introspection")],
        "unchanged client web2",
        *[f"deleted client {client_id}, which the file does not name" for client_id in clients],
        f"unchanged account {BOB.username}",
        *[f"closed account {username}, which the file does not name" for username in (ALICE.username, "demo")],
    ]
    before = ok(dev.admin("export"))
    assert record.of(lambda: apply(dev, kept, "--dry-run", "--prune")) == []
    assert apply(dev, kept, "--dry-run", "--prune") == [*expected, DRY]
    assert ok(dev.admin("export")) == before

    said: list[str] = []
    events = record.of(lambda: said.extend(apply(dev, kept, "--prune")))
    assert said == expected
    assert [(event.kind, event.client_id) for event in events] == [
        *[("switch.set", None)] * 3, *[("client.deleted", client_id) for client_id in clients],
        *[("account.closed", None)] * 2]
    assert events[-2].subject == signed.claims["sub"]
    assert lab.refresh(CLIENTS["web1"], signed.refresh_token).json()["error"] == "invalid_client"
    assert "revocation_endpoint" not in dev.discovery()
    assert [client["client_id"] for client in exported(dev)["clients"]] == ["web2"]
    assert {account["username"]: account.get("status") for account in exported(dev)["accounts"]} == {
        ALICE.username: "closed", BOB.username: None, "demo": "closed"}
    assert all(line.startswith("unchanged ") for line in apply(dev, kept, "--prune"))


def test_sections_that_the_file_does_not_have_are_left_alone(dev: Dev) -> None:
    before = exported(dev)
    (switch,) = [name for name in before["switches"] if name == "userinfo"]
    apply(dev, {"switches": {switch: before["switches"][switch]}}, "--prune")
    after = exported(dev)
    assert (after["clients"], after["accounts"]) == (before["clients"], before["accounts"])


@pytest.mark.parametrize(("file", "name"), [
    ({"clients": []}, "clients"), ({"accounts": []}, "accounts"), ({"switches": {}}, "switches"),
    ({"clients": [web("web9")], "accounts": []}, "accounts"),
], ids=["clients", "accounts", "switches", "one of two"])
def test_an_empty_section_is_no_order_to_let_go_everything(dev: Dev, file: dict[str, Any], name: str) -> None:
    assert f"{name}: is empty, and all {name} would be pruned" in refused(dev, file, "--prune")
    assert apply(dev, {name: {} if name == "switches" else []}) == []


def test_pruning_alone_is_not_enough(dev: Dev) -> None:
    assert "-f FILE is missing" in failed(dev.admin("apply", "--prune"), 2)
    assert "there is no option" in failed(dev.admin("export", "--prune"), 2)
