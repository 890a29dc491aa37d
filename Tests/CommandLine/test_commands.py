"""The administration commands on a real database: what they print, what they change, how they fail."""

import base64
import json
import os
import pty
import re
import shlex
import subprocess
import time

import pytest

from support import find_binary, run_seleid
from support.commands import failed, ok
from support.fixtures import ROOT
from support.server import clean_environment

GROUPS = {
    "serve": [], "dev": [], "migrate": [], "apply": [], "export": [], "explain": [], "version": [],
    "client": ["list", "show", "add", "set", "switch", "enable", "disable", "delete", "secret", "secrets",
               "delete-secret"],
    "account": ["list", "show", "add", "set", "password", "enable", "disable", "close", "end-sessions"],
    "switch": ["list", "set"], "session": ["list", "end"], "grant": ["list", "end"], "consent": ["list", "withdraw"],
    "key": ["list", "rotate", "revoke"], "admin-token": ["list", "add", "revoke"], "audit": ["list", "export"],
}


@pytest.mark.parametrize("words", [[name, *([sub] if sub else [])] for name, subs in GROUPS.items()
                                   for sub in subs or [""]], ids=" ".join)
def test_every_command_has_help(words):
    text = ok(run_seleid(*words, "--help"))
    assert text.startswith(f"Usage: seleid {' '.join(words)}")


def test_the_commands_and_options_that_the_documentation_names_exist():
    text = (ROOT / "Docs" / "configuration.md").read_text()
    commands = re.findall(r"`(?:SELEID_[^`]* )?seleid ([a-z][^`]*)`", text)
    assert len(commands) > 20
    for command in commands:
        ok(run_seleid(*shlex.split(command), "--help"))


@pytest.mark.parametrize("arguments", [[], ["nothing"], ["client"], ["client", "nothing"], ["client", "show"],
                                       ["serve", "now"], ["dev", "--port"], ["dev", "--port", "http"],
                                       ["dev", "--nothing"], ["apply"], ["key", "revoke"]], ids=" ".join)
def test_usage_errors_exit_with_2(arguments):
    message = failed(run_seleid(*arguments), 2)
    assert message.startswith("seleid: ") and "--help" in message


def test_a_missing_database_setting_is_one_clear_line():
    assert failed(run_seleid("client", "list")) == "seleid: SELEID_DATABASE_URL: must be set\n"


def test_an_unreachable_database_is_one_clear_line(tmp_path):
    message = failed(run_seleid("export", environment={"SELEID_DATABASE_URL": f"postgresql://x@/x?host={tmp_path}"}))
    assert message.startswith("seleid: the database cannot be reached: ")
    assert "No such file or directory" in message, "the reason, not only that there was no connection"
    assert message.count("\n") == 1


def test_a_database_without_tables_is_told_what_to_do(dev):
    empty = dev.database_url.replace("/seleid?", "/template1?")
    message = failed(run_seleid("client", "list", environment={"SELEID_DATABASE_URL": empty}))
    assert message == "seleid: the database has no tables yet: run seleid migrate\n"


def test_migrate_says_when_there_is_nothing_to_do(dev):
    assert ok(dev.admin("migrate")) == "nothing to do\n"


def test_an_issued_secret_is_printed_once_and_a_second_one_lives_beside_it(dev):
    out = ok(dev.admin("client", "add", "--id", "shop", "--name", "Shop", "--redirect-uri", "https://shop.example/cb",
                       "--redirect-uri", "https://shop.example/cb2", "--sign-in"))
    first = out.split("client_secret")[1].strip()
    assert len(first) == 43
    assert "client_id      shop\n" in out
    shown = ok(dev.admin("client", "show", "shop"))
    assert json.loads(shown)["metadata"]["redirect_uris"] == ["https://shop.example/cb", "https://shop.example/cb2"]
    second = ok(dev.admin("client", "secret", "shop")).split()[-1]
    assert first not in shown and second != first
    assert len(json.loads(ok(dev.admin("client", "show", "shop")))["secrets"]) == 2
    third = ok(dev.admin("client", "secret", "shop")).split()[-1]
    assert third not in (first, second)
    assert len(json.loads(ok(dev.admin("client", "show", "shop")))["secrets"]) == 2


def test_client_add_refuses_what_exists_and_what_is_wrong(dev):
    add = ["client", "add", "--name", "N", "--redirect-uri"]
    assert "there is a client web1 already" in failed(dev.admin(*add, "https://a.example/cb", "--id", "web1"))
    assert "redirect_uris" in failed(dev.admin(*add, "https://a.example/cb#fragment"))
    assert "--redirect-uri is missing" in failed(dev.admin("client", "add", "--name", "N"), 2)


def test_client_add_takes_the_way_in_which_the_secret_is_sent(dev):
    add = ["client", "add", "--name", "N", "--redirect-uri", "https://a.example/cb", "--id", "posts"]
    ok(dev.admin(*add, "--auth-method", "client_secret_post"))
    shown = json.loads(ok(dev.admin("client", "show", "posts")))
    assert shown["metadata"]["token_endpoint_auth_method"] == "client_secret_post"
    assert "token_endpoint_auth_method: must be" in failed(dev.admin(*add, "--auth-method", "post"))
    assert "--public excludes --auth-method" in failed(dev.admin(*add, "--public", "--auth-method", "none"), 2)


def test_a_public_client_has_no_secret(dev):
    out = ok(dev.admin("client", "add", "--id", "page", "--name", "Page", "--public", "--redirect-uri",
                       "https://page.example/cb"))
    assert "client_secret" not in out
    assert "is public" in failed(dev.admin("client", "secret", "page"))


def test_client_list_in_both_forms(dev):
    table = ok(dev.admin("client", "list")).splitlines()
    assert table[0].split() == ["CLIENT_ID", "PROFILE", "SIGN_IN", "NAME"]
    assert ["off1", "seleid", "off", "Not", "Yet", "On"] in [line.split() for line in table]
    listed = json.loads(ok(dev.admin("client", "list", "--json")))
    assert {"web1", "conf1", "demo"} <= {client["client_id"] for client in listed}


def test_unknown_names_fail_in_one_line(dev):
    assert failed(dev.admin("client", "show", "nobody")) == "seleid: there is no client nobody\n"
    assert failed(dev.admin("account", "password", "nobody", "--password-stdin", stdin="long enough\n")) == (
        "seleid: there is no account nobody\n")
    assert failed(dev.admin("key", "revoke", "nothing")) == "seleid: there is no key nothing that could be revoked\n"


def test_accounts_get_their_password_from_standard_input(dev):
    add = ["account", "add", "frank", "--email", "frank@example.test", "--password-stdin"]
    assert "at least 8" in failed(dev.admin(*add, stdin="short\n"))
    assert ok(dev.admin(*add, stdin="long enough\n")).startswith("created account frank, sub ")
    assert "there is an account FRANK already" in failed(
        dev.admin("account", "add", "FRANK", "--password-stdin", stdin="long enough\n"))
    assert ok(dev.admin("account", "password", "frank", "--password-stdin", stdin="still longer\n")) == (
        "set the password of account frank\n")
    people = json.loads(ok(dev.admin("account", "list", "--json")))
    assert [one["claims"] for one in people if one["username"] == "frank"] == [{"email": "frank@example.test"}]


def test_a_password_typed_in_a_terminal_is_not_echoed(dev):
    environment = clean_environment(dev.serve_environment())
    leader, follower = pty.openpty()
    process = subprocess.Popen([str(find_binary()), "account", "password", "alice@example.test"], env=environment,
                               stdin=follower, stdout=follower, stderr=follower, start_new_session=True,
                               preexec_fn=lambda: os.close(os.open(os.ttyname(0), os.O_RDWR)))
    os.close(follower)
    seen, asked, deadline = b"", 0, time.monotonic() + 30
    try:
        while time.monotonic() < deadline:
            try:
                seen += os.read(leader, 4096)
            except OSError:
                break
            if asked < 2 and seen.count(b": ") > asked:
                asked += 1
                os.write(leader, b"typed by a person\n")
    finally:
        code = process.wait(30)
        os.close(leader)
    assert code == 0, seen
    assert b"set the password of account alice@example.test" in seen
    assert b"typed" not in seen


def test_keys_are_rotated_with_notice_and_revoked_at_once(dev):
    def keys():
        return {key["kid"]: key["state"] for key in json.loads(ok(dev.admin("key", "list", "--json")))}

    (first,) = keys()
    assert keys() == {first: "signing"}
    new = ok(dev.admin("key", "rotate")).split()[2].rstrip(",")
    assert keys() == {first: "signing", new: "published"}
    assert "waits to sign already" in failed(dev.admin("key", "rotate"))
    assert ok(dev.admin("key", "revoke", first)) == f"revoked key {first}\n"
    assert keys() == {first: "revoked", new: "signing"}
    revoked_at = json.loads(ok(dev.admin("key", "list", "--json")))[0]["revoked_at"]
    row = ok(dev.admin("key", "list")).splitlines()[1].split()
    assert row[0] == first and row[-2:] == [revoked_at, revoked_at], "what was planned for it no longer holds"


def test_secrets_need_the_master_key(dev):
    environment = {"SELEID_DATABASE_URL": dev.database_url}
    message = failed(run_seleid("client", "secret", "web2", environment=environment))
    assert message == "seleid: SELEID_MASTER_KEY_FILE: must be set (or SELEID_MASTER_KEY)\n"
    assert ok(run_seleid("client", "list", environment=environment))


def test_version():
    assert ok(run_seleid("version")).split()[0] == "seleid"


def test_a_new_master_key_can_be_made_as_the_documentation_says(dev, tmp_path):
    key = base64.urlsafe_b64encode(os.urandom(32)).rstrip(b"=").decode()
    file = tmp_path / "master.key"
    file.write_text(f"# new\n{key}\n{dev.master_key_file.read_text()}")
    environment = {**dev.serve_environment(), "SELEID_MASTER_KEY_FILE": str(file)}
    applied = ok(run_seleid("apply", "-f", "-", environment=environment, stdin=ok(dev.admin("export"))))
    assert all(line.startswith("unchanged ") for line in applied.splitlines())
