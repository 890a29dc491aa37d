"""Signing keys, switches and the record of what happened, through the admin API."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import requests

from support import CLIENTS, Dev
from support.admin import AdminAPI, add_token, web_app
from support.flow import Lab

# MARK: Keys


def published(dev: Dev) -> set[str]:
    answer = requests.get(f"{dev.issuer}/.well-known/jwks.json", timeout=10)
    return {key["kid"] for key in answer.json()["keys"]}


def test_a_key_is_rotated_and_revoked_and_every_answer_says_where_it_stands(dev: Dev, api: AdminAPI) -> None:
    (first,) = api.items("/keys")
    assert first["state"] == "signing" and first["alg"] == "RS256" and first["retired_at"] is None

    tried = api.json("POST", "/keys/rotate?dry_run=true")
    assert tried["state"] == "published" and api.items("/keys") == [first]

    second = api.json("POST", "/keys/rotate")
    assert second["state"] == "published" and second["kid"] != tried["kid"]
    assert published(dev) == {first["kid"], second["kid"]}, "the JWKS of this node has it when the answer comes"
    listed = {key["kid"]: key for key in api.items("/keys")}
    assert listed[second["kid"]] == second
    assert listed[first["kid"]]["retired_at"] == second["signs_from"]

    detail, _ = api.problem("POST", "/keys/rotate", expect=409)
    assert detail == f"key {second['kid']} waits to sign already"

    api("DELETE", f"/keys/{first['kid']}?dry_run=true", expect=204)
    assert published(dev) == {first["kid"], second["kid"]}
    api("DELETE", f"/keys/{first['kid']}", expect=204)
    assert published(dev) == {second["kid"]}
    states = {key["kid"]: key["state"] for key in api.items("/keys")}
    assert states == {first["kid"]: "revoked", second["kid"]: "signing"}
    api("DELETE", f"/keys/{first['kid']}", expect=404)
    api("DELETE", "/keys/nothing", expect=404)

    revoked, rotated = api.events(event="key.revoked")[0], api.events(event="key.rotated")[0]
    assert (revoked["detail"]["kid"], rotated["detail"]["kid"]) == (first["kid"], second["kid"])
    assert all(event["actor"]["name"].endswith(" Ada") and event["address"] for event in (revoked, rotated))


def test_what_is_read_of_keys_is_nothing_of_their_private_half(api: AdminAPI) -> None:
    for key in api.items("/keys"):
        assert key.keys() == {
            "kid", "alg", "state", "published_at", "signs_from", "retired_at", "gone_at", "revoked_at",
        }


# MARK: Switches


@pytest.fixture
def restored(api: AdminAPI) -> Any:
    before = {switch["name"]: switch["state"] for switch in api.items("/switches")}
    yield before
    for name, state in before.items():
        api("PUT", f"/switches/{name}", {"state": state}, expect=200)


def test_a_switch_is_obeyed_when_the_answer_comes(dev: Dev, api: AdminAPI, restored: dict[str, str]) -> None:
    assert restored.keys() == {"sign_in", "userinfo", "revocation", "session_context", "introspection"}
    for state, status, is_there in (("on", 401, True), ("off", 404, False), ("per_client", 401, True)) * 3:
        answer = api("PUT", "/switches/userinfo", {"state": state}, expect=200)
        assert answer.json() == {"name": "userinfo", "state": state, "default": "off"}
        assert api("GET", "/switches/userinfo", expect=200).headers["ETag"] == answer.headers["ETag"]
        assert requests.get(f"{dev.issuer}/oauth/userinfo", timeout=10).status_code == status
        assert ("userinfo_endpoint" in dev.discovery()) == is_there
    event = api.events(event="switch.set")[0]
    assert event["detail"] == {"switch": "userinfo", "before": "off", "after": "per_client"}


def test_a_switch_that_stands_so_already_is_not_set(api: AdminAPI, restored: dict[str, str]) -> None:
    api("PUT", "/switches/revocation", {"state": "on"}, expect=200)
    count = len(api.events(event="switch.set"))
    read = api("GET", "/switches/revocation", expect=200)
    api("PUT", "/switches/revocation", read.json(), expect=200, headers={"If-Match": read.headers["ETag"]})
    assert len(api.events(event="switch.set")) == count


def test_what_is_no_switch_and_no_state_is_told(api: AdminAPI) -> None:
    detail, _ = api.problem("PUT", "/switches/nothing", {"state": "on"}, expect=404)
    assert detail == "there is no such switch; there are sign_in, userinfo, revocation, session_context, introspection"
    for body in ({}, {"state": True}, {"state": "ON"}, {"state": None}):
        _, fields = api.problem("PUT", "/switches/userinfo", body, expect=422)
        assert fields == [("state", "must be off, per_client or on")]
    _, fields = api.problem("PUT", "/switches/userinfo", {"state": "on", "name": "revocation"}, expect=422)
    assert fields == [("name", "must be userinfo or left out")]
    _, fields = api.problem("PUT", "/switches/userinfo", {"state": "on", "enabled": True}, expect=422)
    assert fields == [("enabled", "is unknown here")]


def test_of_two_who_set_a_switch_with_the_same_tag_one_is_told(api: AdminAPI, restored: dict[str, str]) -> None:
    for _ in range(5):
        api("PUT", "/switches/introspection", {"state": "off"}, expect=200)  # its default: there may be no row of it
        tag = api("GET", "/switches/introspection", expect=200).headers["ETag"]

        def put(state: str, tag: str = tag) -> int:
            caller = AdminAPI(api.server, api.token)
            path, headers = "/switches/introspection", {"If-Match": tag}
            return caller("PUT", path, {"state": state}, expect=(200, 412), headers=headers).status_code

        with ThreadPoolExecutor(2) as pool:
            assert sorted(pool.map(put, ["on", "per_client"])) == [200, 412]


# MARK: The record


@pytest.fixture(scope="module")
def told(api: AdminAPI, lab: Lab) -> str:
    """Some events, among them those of a person; their sub."""
    for number in range(5):
        api("PUT", "/clients/audited", web_app(client_name=f"N{number}"), expect=(200, 201))
    return lab.sign_in(CLIENTS["conf1"]).claims["sub"]


def test_events_are_found_by_what_they_are_about(api: AdminAPI, told: str) -> None:
    mine = {"actor_kind": "admin_token", "actor": api.events(client_id="audited")[0]["actor"]["name"]}
    for query, holds in (
        ({"event": "client.changed"}, lambda event: event["event"] == "client.changed"),
        ({"client_id": "audited"}, lambda event: event["client_id"] == "audited"),
        ({"sub": told}, lambda event: event["sub"] == told),
        (mine, lambda event: event["actor"] == {"kind": "admin_token", "name": mine["actor"]}),
        (
            {"client_id": "audited", "event": "client.created"},
            lambda event: event["detail"]["after"]["client_name"] == "N0",
        ),
    ):
        found = api.events(**query)
        assert found and all(holds(event) for event in found), query
        assert [event["id"] for event in found] == sorted((event["id"] for event in found), reverse=True)
    one = api.events(client_id="audited")[2]
    assert api.events(request_id=one["request_id"]) == [one]
    for name, value in (("event", "x"), ("sub", "x"), ("actor_kind", "x"), ("request_id", "🙂"), ("client_id", "x\n")):
        assert api.events(**{name: value}) == []


def test_events_are_found_by_when_they_were(api: AdminAPI, told: str) -> None:
    middle = api.events(client_id="audited")[2]
    second = middle["time"][:19] + "Z"
    since = api.events(client_id="audited", since=second)
    until = api.events(client_id="audited", until=second)
    assert middle in since and middle not in until
    assert since + until == api.events(client_id="audited"), "an event is in neither, or in both"
    assert api.events(since="9999-12-31T23:59:59Z") == [] == api.events(until="0001-01-01T00:00:00Z")
    for name in ("since", "until"):
        for value in ("yesterday", "1893456000", "2026-01-31", "2026-01-31T00:00:00 01:00"):
            _, fields = api.problem("GET", "/audit", expect=400, **{name: value})
            assert fields == [(name, "must be a time such as 2026-01-31T23:59:59Z (RFC 3339)")]


def exported(api: AdminAPI, **query: str | int) -> list[dict[str, Any]]:
    """All of it, page by page."""
    events: list[dict[str, Any]] = []
    while True:
        answer = api("GET", "/audit/export", expect=200, **query)
        assert answer.headers["Content-Type"] == "application/x-ndjson"
        page = [json.loads(line) for line in answer.text.splitlines()]
        assert answer.text == "" or answer.text.endswith("\n")
        if not page:
            return events
        events += page
        query["after"] = page[-1]["id"]


def test_pages_of_the_record_hold_every_event_once(api: AdminAPI, told: str) -> None:
    newest = api.events()[0]["id"]
    listed: list[dict[str, Any]] = []
    query: dict[str, Any] = {"limit": 7, "before": newest + 1}
    while True:
        page = api.json("GET", "/audit", **query)
        listed += page["items"]
        if "next" not in page:
            break
        query["before"] = page["next"]
    ascending = [event for event in exported(api, limit=13) if event["id"] <= newest]
    assert ascending == listed[::-1]
    assert len({event["id"] for event in listed}) == len(listed) > 13


def test_an_export_takes_filters_and_bounds(api: AdminAPI, told: str) -> None:
    assert exported(api, client_id="audited", limit=2) == api.events(client_id="audited")[::-1]
    assert exported(api, event="nothing") == []
    for limit in (0, 1001):
        _, fields = api.problem("GET", "/audit/export", expect=400, limit=limit)
        assert fields == [("limit", "must be a whole number from 1 to 1000")]
    api("GET", "/audit/export?before=1", expect=400)
    api("GET", "/audit?after=1", expect=400)


def test_reading_the_record_is_no_change(dev: Dev, api: AdminAPI) -> None:
    auditor = AdminAPI(dev, add_token(dev, "auditor"))
    newest = api.events()[0]
    exported(auditor)
    assert auditor.events()[0] == newest
