"""`?dry_run=true` does everything and changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from support import CLIENTS, Dev
from support.admin import AdminAPI, add_token, web_app
from support.flow import Lab


@pytest.fixture(scope="module")
def other() -> Iterator[Dev]:
    """A server of its own: nobody else changes anything while we look."""
    with Dev() as dev:
        yield dev


#: Everything but what is noted of the use of a token.
TABLES = (
    "clients", "client_secrets", "switches", "accounts", "browser_sessions", "grants", "consents", "signing_keys",
    "audit_events",
)


def everything(dev: Dev) -> dict[str, Any]:
    """What the server has, as the database and `seleid export` say."""
    with psycopg.connect(dev.database_url) as database:
        found = {table: database.execute(f"SELECT t::text FROM {table} t ORDER BY 1").fetchall() for table in TABLES}
        found["admin_tokens"] = database.execute(
            "SELECT id, name, role, areas, expires_at, revoked_at FROM admin_tokens ORDER BY id"
        ).fetchall()
    export = dev.admin("export")
    assert export.returncode == 0
    return found | {"export": export.stdout}


def test_a_dry_run_of_every_change_changes_nothing(other: Dev, description: dict[str, Any]) -> None:
    api = AdminAPI(other, add_token(other))
    lab = Lab(other.issuer)
    signed, _ = lab.sign_in(CLIENTS["conf1"]), lab.sign_in(CLIENTS["conf2"])
    sub, sid = signed.claims["sub"], signed.claims["sid"]
    (key,) = api.items("/keys")
    values = {
        "client_id": "conf1",
        "secret_id": api.items("/clients/conf1/secrets")[0]["id"],
        "name": "userinfo",
        "sub": sub,
        "sid": sid,
        "id": api.items(f"/accounts/{sub}/grants", client_id="conf1")[0]["id"],
        "kid": key["kid"],
        "token_id": api.json("POST", "/admin-tokens", {"name": "x", "role": "auditor"}, expect=201)["id"],
    }
    # In an order in which each has something left to do.
    changes: list[tuple[str, str, Any, int]] = [
        ("DELETE", "/grants/{id}", None, 204),
        ("DELETE", "/accounts/{sub}/consents/{client_id}", None, 204),
        ("DELETE", "/sessions/{sid}", None, 204),
        ("POST", "/accounts/{sub}/end-sessions", None, 200),
        ("PUT", "/accounts/{sub}/password", {"password": "long enough"}, 204),
        ("PATCH", "/accounts/{sub}", {"status": "closed"}, 200),
        ("POST", "/accounts", {"username": "new", "password": "long enough"}, 201),
        ("POST", "/clients", web_app(client_id="new"), 201),
        ("POST", "/clients/{client_id}/secrets", {}, 201),
        ("DELETE", "/clients/{client_id}/secrets/{secret_id}", None, 204),
        ("PUT", "/clients/{client_id}", web_app(), 200),
        ("PATCH", "/clients/{client_id}", {"enabled": False}, 200),
        ("DELETE", "/clients/{client_id}", None, 204),
        ("PUT", "/switches/{name}", {"state": "on"}, 200),
        ("POST", "/keys/rotate", None, 200),
        ("DELETE", "/keys/{kid}", None, 204),
        ("POST", "/admin-tokens", {"name": "new", "role": "admin"}, 201),
        ("DELETE", "/admin-tokens/{token_id}", None, 204),
    ]
    described = {
        (method.upper(), path)
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
        if method != "parameters" and {"$ref": "#/components/parameters/DryRun"} in operation.get("parameters", [])
    }
    assert {(method, path) for method, path, _, _ in changes} == described, "a change is not tried here"

    before = everything(other)
    for method, path, body, status in changes:
        answer = api(method, path.format(**values), body, expect=200 if status == 201 else status, dry_run="true")
        assert not {"ETag", "Location"} & answer.headers.keys(), f"{method} {path}"
        if answer.content:
            assert not {"client_secret", "token"} & answer.json().keys(), "a secret that is none"
        assert everything(other) == before, f"{method} {path}"
    for method, path, body, status in changes:
        api(method, path.format(**values), body, expect=status)
        after = everything(other)
        assert after != before, f"{method} {path} does nothing anyhow"
        before = after


def test_a_dry_run_answers_what_the_change_would(other: Dev) -> None:
    api = AdminAPI(other, add_token(other))
    tried = api.json("PUT", "/clients/tried", web_app(), expect=200, dry_run="true")
    api("GET", "/clients/tried", expect=404)
    made = api.json("PUT", "/clients/tried", web_app(), expect=201, dry_run="false")
    times = {"created_at", "updated_at"}
    assert {k: v for k, v in tried.items() if k not in times} == {k: v for k, v in made.items() if k not in times}

    tag = api("GET", "/clients/tried", expect=200).headers["ETag"]
    for status, body, headers in (
        (422, web_app(client_name=""), {}),
        (412, web_app(), {"If-Match": '"x"'}),
        (412, web_app(), {"If-None-Match": tag}),
        (200, web_app(), {"If-Match": tag}),
    ):
        api("PUT", "/clients/tried", body, expect=status, headers=headers, dry_run="true")
    api("POST", "/clients", web_app(client_id="tried"), expect=409, dry_run="true")
    api("DELETE", "/clients/nothing", expect=404, dry_run="true")
