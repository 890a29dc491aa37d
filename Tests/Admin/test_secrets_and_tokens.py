"""Secrets of apps and tokens of admins: told once, two at a time, dead at the next request."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
import requests

from support import CLIENTS, Account, Dev
from support.admin import AdminAPI, add_token, web_app
from support.flow import Lab


def later(**span: int) -> str:
    return (datetime.now(UTC) + timedelta(**span)).strftime("%Y-%m-%dT%H:%M:%SZ")


def is_taken(dev: Dev, client_id: str, secret: str) -> bool:
    """Whether the token endpoint takes the secret for the app's."""
    answer = requests.post(
        f"{dev.issuer}/oauth/token",
        data={"grant_type": "refresh_token", "refresh_token": "x"},
        auth=(client_id, secret),
        timeout=10,
    )
    # The app may not refresh, which only one hears who has said which app it is.
    assert answer.json()["error"] in ("unauthorized_client", "invalid_client")
    return answer.json()["error"] == "unauthorized_client"


# MARK: Secrets of apps


def test_two_secrets_live_at_once_and_a_deleted_one_is_dead_at_the_next_request(
    dev: Dev, api: AdminAPI, client: str
) -> None:
    path = f"/clients/{client}/secrets"
    assert api.items(path) == []
    old = api("POST", path, {}, expect=201)
    new = api.json("POST", path, {"expires_at": later(days=1)}, expect=201)
    assert old.headers["Location"] == f"/admin/v1{path}/{old.json()['id']}"
    assert is_taken(dev, client, old.json()["client_secret"])
    assert is_taken(dev, client, new["client_secret"])

    detail, _ = api.problem("POST", path, {}, expect=409)
    assert detail == f"client {client} has 2 live secrets; delete one first"

    api("DELETE", f"{path}/{old.json()['id']}", expect=204)
    assert not is_taken(dev, client, old.json()["client_secret"])
    assert is_taken(dev, client, new["client_secret"])
    api("DELETE", f"{path}/{old.json()['id']}", expect=404)
    api("DELETE", f"{path}/{new['id']}", expect=204)
    assert not is_taken(dev, client, new["client_secret"])


def test_a_secret_is_told_once(dev: Dev, api: AdminAPI, client: str, database: psycopg.Connection[Any]) -> None:
    path = f"/clients/{client}/secrets"
    answer = api("POST", path, {}, expect=201)
    made = answer.json()
    secret = made.pop("client_secret")
    assert api.items(path) == [made]
    assert made.keys() == {"id", "created_at", "expires_at", "last_used_at"}
    for text in (
        api("GET", f"/clients/{client}", expect=200).text,
        api("GET", "/audit", expect=200, client_id=client).text,
        dev.admin("export").stdout,
        str(database.execute("SELECT client_secrets::text FROM client_secrets").fetchall()),
    ):
        assert secret not in text
    events = api.events(client_id=client)
    assert events[0]["event"] == "client_secret.added"
    assert events[0]["detail"] == {"after": made}


def test_an_expired_secret_is_dead_and_does_not_count(
    dev: Dev, api: AdminAPI, client: str, database: psycopg.Connection[Any]
) -> None:
    path = f"/clients/{client}/secrets"
    secrets = [api.json("POST", path, {"expires_at": later(hours=1)}, expect=201) for _ in range(2)]
    # Only time could do it otherwise. The trigger tells the nodes.
    database.execute("UPDATE client_secrets SET expires_at = now() WHERE id = %s", (secrets[0]["id"],))
    assert not is_taken(dev, client, secrets[0]["client_secret"])
    assert is_taken(dev, client, secrets[1]["client_secret"])
    third = api.json("POST", path, {}, expect=201)
    assert [secret["id"] for secret in api.items(path)] == [secrets[1]["id"], third["id"]]
    api("POST", path, {}, expect=409)


@pytest.mark.parametrize(
    "value", ["", "tomorrow", 1893456000, "2099-01-01", "2099-01-01T00:00:00", "2099-02-30T00:00:00Z", True, [], {}]
)
def test_the_end_of_a_secret_or_token_is_a_time_in_the_future(api: AdminAPI, client: str, value: Any) -> None:
    said = [("expires_at", "must be null or a time such as 2026-01-31T23:59:59Z (RFC 3339)")]
    token = {"name": "x", "role": "auditor"}
    assert api.problem("POST", f"/clients/{client}/secrets", {"expires_at": value}, expect=422)[1] == said
    assert api.problem("POST", "/admin-tokens", token | {"expires_at": value}, expect=422)[1] == said
    for past in ("1999-12-31T23:59:59Z", later(seconds=-1)):
        said = [("expires_at", "must be in the future")]
        assert api.problem("POST", f"/clients/{client}/secrets", {"expires_at": past}, expect=422)[1] == said
        assert api.problem("POST", "/admin-tokens", token | {"expires_at": past}, expect=422)[1] == said


def test_a_time_of_any_offset_is_the_same_time(api: AdminAPI, client: str) -> None:
    made = api.json("POST", f"/clients/{client}/secrets", {"expires_at": "2099-01-01T01:30:00.5+01:30"}, expect=201)
    assert made["expires_at"] == "2099-01-01T00:00:00Z"


def test_only_a_confidential_app_that_is_there_has_secrets(api: AdminAPI, client: str, client_id: str) -> None:
    api("PATCH", f"/clients/{client}", {"token_endpoint_auth_method": "none"}, expect=200)
    detail, _ = api.problem("POST", f"/clients/{client}/secrets", {}, expect=409)
    assert detail == f"client {client} is public (token_endpoint_auth_method none) and has no secret"
    assert api.items(f"/clients/{client}/secrets") == []
    for method, path in (("GET", "secrets"), ("POST", "secrets"), ("DELETE", "secrets/1")):
        api(method, f"/clients/no-such-app/{path}", {}, expect=404)


def test_a_secret_of_another_app_is_none_of_this_one(api: AdminAPI, client: str) -> None:
    api("PUT", "/clients/neighbour", web_app(), expect=201)
    secret = api.json("POST", "/clients/neighbour/secrets", {}, expect=201)
    api("DELETE", f"/clients/{client}/secrets/{secret['id']}", expect=404)
    assert len(api.items("/clients/neighbour/secrets")) == 1
    api("DELETE", "/clients/neighbour", expect=204)


def test_a_secret_that_is_chosen_by_the_caller_is_refused(api: AdminAPI, client: str) -> None:
    _, fields = api.problem("POST", f"/clients/{client}/secrets", {"client_secret": "x" * 43}, expect=422)
    assert fields == [("client_secret", "is unknown here")]


# MARK: Passwords


def test_a_password_opens_the_door_and_is_never_told(api: AdminAPI, lab: Lab) -> None:
    first, second = ("correct horse battery staple", "a-second-one-that-is-long-enough")
    made = api("POST", "/accounts", {"username": "carla", "password": first}, expect=201)
    path = f"/accounts/{made.json()['sub']}"
    lab.sign_in(CLIENTS["conf1"], account=Account("carla", first, {}))
    api("PUT", f"{path}/password", {"password": second}, expect=204)
    lab.sign_in(CLIENTS["conf1"], account=Account("carla", second, {}))
    assert api("GET", path, expect=200).json()["has_password"] is True
    events = api("GET", "/audit", expect=200, sub=made.json()["sub"], limit=200).text
    for text in (made.text, api("GET", path, expect=200).text, events):
        assert first not in text and second not in text
    assert '"account.password_set"' in events


# MARK: Tokens of admins


def test_a_token_is_made_told_once_used_and_revoked(
    dev: Dev, api: AdminAPI, database: psycopg.Connection[Any]
) -> None:
    body = {"name": "deploy", "role": "operator", "areas": ["clients"], "expires_at": later(days=1)}
    answer = api("POST", "/admin-tokens", body, expect=201)
    made = answer.json()
    text = made.pop("token")
    assert answer.headers["Location"] == f"/admin/v1/admin-tokens/{made['id']}"
    assert (made["name"], made["role"], made["areas"]) == ("deploy", "operator", ["clients"])
    assert made["created_by"].endswith(" Ada")
    assert made in api.items("/admin-tokens", limit=200)
    for shown in (
        api("GET", "/admin-tokens?limit=200", expect=200).text,
        api("GET", "/audit", expect=200, event="admin_token.added").text,
        str(database.execute("SELECT admin_tokens::text FROM admin_tokens").fetchall()),
    ):
        assert text not in shown

    caller = AdminAPI(dev, text)
    caller("GET", "/clients", expect=200)
    caller("GET", "/accounts", expect=403)
    api("DELETE", f"/admin-tokens/{made['id']}?dry_run=true", expect=204)
    caller("GET", "/clients", expect=200)
    api("DELETE", f"/admin-tokens/{made['id']}", expect=204)
    caller("GET", "/clients", expect=401)
    api("DELETE", f"/admin-tokens/{made['id']}", expect=404)
    (revoked,) = [token for token in api.items("/admin-tokens", limit=200) if token["id"] == made["id"]]
    assert revoked["revoked_at"] and revoked["last_used_at"]
    assert api.events(event="admin_token.revoked")[0]["detail"]["before"]["name"] == "deploy"


def test_nobody_can_make_a_token_with_more_than_their_own(dev: Dev, api: AdminAPI) -> None:
    token = {"name": "x", "role": "admin"}
    narrowed = AdminAPI(dev, add_token(dev, "admin", areas=["admin_tokens", "clients"]))
    for areas in (None, ["accounts"], ["clients", "audit"]):
        detail, _ = narrowed.problem("POST", "/admin-tokens", token | {"areas": areas}, expect=403)
        assert detail == (
            "the token may not make one of other areas than its own (role admin, areas admin_tokens clients)"
        )
    detail, _ = narrowed.problem("POST", "/admin-tokens", token, expect=403)
    for role in ("admin", "operator", "auditor"):
        narrowed("POST", "/admin-tokens", {"name": "x", "role": role, "areas": ["clients"]}, expect=201)

    short = AdminAPI(dev, add_token(dev, "admin", expires_in="1h"))
    for expires_at in (None, later(hours=2)):
        detail, _ = short.problem("POST", "/admin-tokens", token | {"expires_at": expires_at}, expect=403)
        assert detail == "the token may not make one that lives longer than itself (role admin)"
    short("POST", "/admin-tokens", token | {"expires_at": later(minutes=30)}, expect=201)


@pytest.mark.parametrize(
    ("change", "field", "reason"),
    [
        ({"name": None}, "name", "must be a string"),
        ({"name": ""}, "name", "must be 1 to 100 characters without control characters"),
        ({"name": "x" * 101}, "name", "must be 1 to 100 characters without control characters"),
        ({"name": "a\nb"}, "name", "must be 1 to 100 characters without control characters"),
        ({"role": "root"}, "role", "must be admin, operator, auditor"),
        ({"role": ["admin"]}, "role", "must be admin, operator, auditor"),
        ({"areas": []}, "areas", None),
        ({"areas": ["everything"]}, "areas", None),
        ({"areas": ["keys", "keys"]}, "areas", None),
        ({"areas": "keys"}, "areas", None),
        ({"token": "seleid_admin_x"}, "token", "is unknown here"),
    ],
)
def test_a_token_that_cannot_be_is_told_with_the_reason(
    api: AdminAPI, change: dict[str, Any], field: str, reason: str | None
) -> None:
    areas = "clients, switches, accounts, sessions, keys, audit, admin_tokens"
    reason = reason or f"must be null, or a list of different ones of {areas}"
    body = {"name": "x", "role": "admin"} | change
    assert api.problem("POST", "/admin-tokens", body, expect=422)[1] == [(field, reason)]


def test_tokens_come_in_pages(api: AdminAPI) -> None:
    for _ in range(3):
        api("POST", "/admin-tokens", {"name": "page", "role": "auditor"}, expect=201)
    found: list[int] = []
    query: dict[str, Any] = {"limit": 2}
    while True:
        page = api.json("GET", "/admin-tokens", **query)
        found += [item["id"] for item in page["items"]]
        if "next" not in page:
            break
        query["after"] = page["next"]
    assert found == sorted(set(found)) and len(found) >= 4
    assert found == [token["id"] for token in api.items("/admin-tokens", limit=200)]


def test_the_last_token_may_go_and_so_may_the_one_that_asks(dev: Dev) -> None:
    caller = AdminAPI(dev, add_token(dev))
    caller("DELETE", f"/admin-tokens/{caller.json('GET', '/me')['id']}", expect=204)
    caller("GET", "/me", expect=401)
