"""What commands leave on record, how it is read, and what never stands in it."""

import json
import os

import psycopg
import pytest
import requests

from support import ALICE, CLIENTS, Dev, run_seleid
from support.commands import Done, Record, failed, listed, ok
from support.flow import Lab

# MARK: Keys


def test_keys_change_with_a_record(dev: Dev, done: Done) -> None:
    (first,) = [key["kid"] for key in listed(dev, "key", "list") if key["state"] == "signing"]
    assert ok(dev.admin("key", "rotate", "--dry-run")).startswith("published a key, which signs in ")
    assert [key["kid"] for key in listed(dev, "key", "list")] == [first]
    _, (event,) = done("key", "rotate", dry=False)
    assert event.kind == "key.rotated"
    _, events = done("key", "revoke", first)
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
