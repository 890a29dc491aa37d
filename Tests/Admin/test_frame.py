"""What holds for every part of the admin API: who gets in, how errors look, what of a request is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
import requests

from support import CLIENTS, Dev
from support.admin import AdminAPI, add_token, check_answer
from support.fixtures import ROOT
from support.flow import Lab, raw_basic

NOBODY = "seleid_admin_" + "A" * 48


def operations(description: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Method, path and description of each that needs a token."""
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            if method != "parameters" and operation.get("security") != []:
                yield method.upper(), path, operation


def filled(path: str, value: str | None = None) -> str:
    """With a value for every parameter: one that stands for nothing, but for switches."""
    fill = {"{name}": value or "userinfo"}
    return "/".join(fill.get(part, value or "999999") if part.startswith("{") else part for part in path.split("/"))


def mutates(method: str, operation: dict[str, Any]) -> bool:
    return {"$ref": "#/components/parameters/DryRun"} in operation.get("parameters", [])


# MARK: The description


def test_the_description_is_served_to_everybody_as_it_stands_in_the_docs(api: AdminAPI) -> None:
    nobody = AdminAPI(api.server, None)
    answer = nobody("GET", "/openapi.yaml", expect=200)

    assert answer.headers["Content-Type"] == "application/yaml"
    assert answer.content == (ROOT / "Docs" / "openapi.yaml").read_bytes()


def test_every_change_can_be_tried(description: dict[str, Any]) -> None:
    for method, path, operation in operations(description):
        # Explaining takes a POST, and changes nothing.
        assert mutates(method, operation) == (method != "GET" and path != "/explain"), f"{method} {path}"


# MARK: Who gets in


def test_an_unknown_path_and_an_unknown_method_are_told_to_everybody_and_alike(api: AdminAPI) -> None:
    for caller in (api, AdminAPI(api.server, None), AdminAPI(api.server, NOBODY)):
        for path in ("", "/", "/nothing", "/clients/", "/Clients", "/clients/a/b", "/keys/rotate/now"):
            caller("GET", path, expect=404)
        answer = caller("DELETE", "/clients", expect=405)
        assert answer.headers["Allow"] == "GET, HEAD, POST"
        assert caller("BREW", "/clients/shop", expect=405).headers["Allow"] == "GET, HEAD, PUT, PATCH, DELETE"
        assert caller("OPTIONS", "/me", expect=405).headers["Allow"] == "GET, HEAD"


def test_without_a_token_nothing_is_answered(api: AdminAPI, description: dict[str, Any]) -> None:
    nobody = AdminAPI(api.server, None)
    for method, path, _ in operations(description):
        answer = nobody(method, filled(path), {}, expect=401)
        assert answer.headers["WWW-Authenticate"] == 'Bearer realm="seleid-admin"'


def test_what_is_no_live_token_is_refused_whatever_else_it_is_good_for(
    dev: Dev, api: AdminAPI, lab: Lab, database: psycopg.Connection[Any]
) -> None:
    app = CLIENTS["conf1"]
    assert app.secret
    signed = lab.sign_in(app)
    expired, revoked = add_token(dev, name="expired", expires_in="1h"), add_token(dev, name="revoked")
    for text in (expired, revoked):
        AdminAPI(dev, text)("GET", "/me", expect=200)
    # Only time could do it otherwise.
    database.execute("UPDATE admin_tokens SET expires_at = now() WHERE name = 'expired'")
    (token_id,) = [token["id"] for token in api.items("/admin-tokens", limit=200) if token["name"] == "revoked"]
    assert dev.admin("admin-token", "revoke", str(token_id)).returncode == 0
    details = set()
    for text in (
        NOBODY,
        app.secret,
        signed.access_token,
        signed.refresh_token,
        "seleid_admin_" + app.secret,
        "seleid_admin_",
        expired,
        revoked,
        str(api.token)[:-1],
        str(api.token).upper(),
        str(api.token).removeprefix("seleid_admin_"),
    ):
        answer = AdminAPI(dev, text)("GET", "/me", expect=401)
        assert answer.headers["WWW-Authenticate"] == 'Bearer realm="seleid-admin", error="invalid_token"'
        details.add(answer.json()["detail"])
    assert len(details) == 1, "the answer tells what kind of text it was"


def test_a_token_comes_as_bearer_in_one_field_and_nowhere_else(dev: Dev, api: AdminAPI) -> None:
    assert api.token
    nobody = AdminAPI(dev, None)
    assert CLIENTS["conf1"].secret
    for value in (
        raw_basic(f"admin:{api.token}"),
        raw_basic(f"conf1:{CLIENTS['conf1'].secret}"),
        api.token,
        f"Token {api.token}",
        f"Bearer {api.token} x",
        f"Bearer {api.token}, Bearer {api.token}",
        "Bearer",
        "Bearer ",
    ):
        nobody("GET", "/me", expect=401, headers={"Authorization": value})
    nobody("GET", "/me", expect=401, access_token=api.token)
    nobody("GET", "/me", expect=401, headers={"Cookie": f"token={api.token}"})
    assert nobody("GET", "/me", expect=200, headers={"Authorization": f"bearer  {api.token}"}).json()["name"] == "Ada"


def test_a_token_can_see_what_it_is(dev: Dev) -> None:
    caller = AdminAPI(dev, add_token(dev, "auditor", areas=["audit"], name="Bo", expires_in="1h"))
    me = caller.json("GET", "/me")
    assert (me["name"], me["role"], me["areas"], me["revoked_at"]) == ("Bo", "auditor", ["audit"], None)
    assert me["expires_at"] > me["created_at"]
    caller("GET", "/me", expect=200)
    assert caller.json("GET", "/me")["last_used_at"] is not None


OPERATOR = {"clients", "switches", "accounts", "sessions"}


@pytest.mark.parametrize("role", ["admin", "operator", "auditor"])
@pytest.mark.parametrize("area", [None, "clients", "switches", "accounts", "sessions", "keys", "audit", "admin_tokens"])
def test_a_token_reaches_what_its_role_and_areas_say_and_nothing_else(
    dev: Dev, description: dict[str, Any], role: str, area: str | None
) -> None:
    caller = AdminAPI(dev, add_token(dev, role, areas=[area] if area else None))
    for method, path, operation in operations(description):
        (tag,) = operation["tags"]
        change = mutates(method, operation)
        allowed = role == "admin" or (tag in OPERATOR if change and role == "operator" else False)
        allowed = allowed or (not change and tag != "admin_tokens")
        if tag == "api":
            allowed = True
        elif area and tag != area:
            allowed = False
        query: dict[str, str | int] = {"dry_run": "true"} if change else {}
        body = None if method == "GET" else {}
        if allowed:
            caller(method, filled(path), body, expect=(200, 204, 404, 422), **query)
        else:
            answer = caller(method, filled(path), body, expect=403, **query)
            assert answer.headers["WWW-Authenticate"] == 'Bearer realm="seleid-admin", error="insufficient_scope"'


def test_what_a_live_token_may_not_do_is_on_record_and_an_unknown_token_is_not(dev: Dev, api: AdminAPI) -> None:
    # A server of its own: refusals beyond so many a minute are only counted, and the test above makes many.
    with Dev() as other:
        admin = AdminAPI(other, add_token(other))
        auditor = AdminAPI(other, add_token(other, "auditor", name="Bo"))
        auditor("PUT", "/clients/shop?oops", {}, expect=403, headers={"X-Request-Id": "refused-1"})
        AdminAPI(other, NOBODY)("PUT", "/clients/shop", {}, expect=401, headers={"X-Request-Id": "refused-2"})
        (event,) = admin.events(event="admin.refused")

    assert event["request_id"] == "refused-1"
    assert event["actor"] == {"kind": "admin_token", "name": event["actor"]["name"]}
    assert event["actor"]["name"].endswith(" Bo")
    assert event["address"] == "127.0.0.1"
    assert event["detail"] == {
        "reason": "the token may not change clients",
        "role": "auditor",
        "method": "PUT",
        "path": "/admin/v1/clients/{client_id}",
    }


# MARK: Queries


def test_an_unknown_parameter_is_refused_everywhere(api: AdminAPI, description: dict[str, Any]) -> None:
    for method, path, operation in operations(description):
        body = None if method == "GET" else {}
        _, fields = api.problem(method, filled(path), body, expect=400, nonsense=1)
        assert fields == [("nonsense", "there is no such parameter here")], f"{method} {path}"


def test_a_dry_run_that_could_be_taken_for_one_changes_nothing(api: AdminAPI, description: dict[str, Any]) -> None:
    for method, path, operation in operations(description):
        if not mutates(method, operation):
            api(method, filled(path) + "?dry_run=true", None if method == "GET" else {}, expect=400)
            continue
        for value in ("", "=", "=yes", "=1", "=true&dry_run=false", "=true%00"):
            query = f"dry_run{value}"
            api(method, f"{filled(path)}?{query}", {}, expect=400)


def test_every_parameter_that_is_described_is_known_once_and_never_empty(
    api: AdminAPI, description: dict[str, Any]
) -> None:
    parameters = description["components"]["parameters"]
    for method, path, operation in operations(description):
        for parameter in operation.get("parameters", []):
            parameter = parameters[parameter["$ref"].split("/")[-1]] if "$ref" in parameter else parameter
            if parameter["in"] == "query":
                name, target = parameter["name"], filled(path)
                body = None if method == "GET" else {}
                _, fields = api.problem(method, f"{target}?{name}=", body, expect=400)
                assert fields == [(name, "must not be empty; leave it out")], f"{method} {path}"
                _, fields = api.problem(method, f"{target}?{name}=1&{name}=1", body, expect=400)
                assert fields == [(name, "must not be repeated")], f"{method} {path}"


@pytest.mark.parametrize("value", ["%00", "a%00b", "%FF", "%C0%80", "%ED%A0%80", "%F5%80%80%80"])
def test_text_that_the_database_could_not_hold_is_refused_and_not_our_fault(
    api: AdminAPI, description: dict[str, Any], value: str
) -> None:
    for method, path, operation in operations(description):
        body = None if method == "GET" else {}
        if "{" in path:
            api(method, filled(path, value), body, expect=404)
        api(method, f"{filled(path)}?q={value}", body, expect=400)


@pytest.mark.parametrize(
    "value",
    [
        "%F0%9F%92%A9",
        "%EF%BF%BF",
        "%E2%80%AE",
        "%2F..%2F..",
        "%27%3B--",
        "%25",
        "-1",
        "0",
        "1e3",
        "%2B1",
        "9223372036854775807",
        "9223372036854775808",
        "99999999999999999999999999",
        "%D9%A1",
        "null",
        "a" * 5000,
    ],
)
def test_an_id_of_nothing_is_404_whatever_it_looks_like(
    api: AdminAPI, description: dict[str, Any], value: str
) -> None:
    for method, path, operation in operations(description):
        if "{" not in path:
            continue
        change = "?dry_run=true" if mutates(method, operation) else ""
        body = None if method == "GET" else {}
        # A PUT or PATCH may find the body wanting first.
        expect = (404, 422) if method in ("PUT", "PATCH") else 404
        api(method, filled(path, value) + change, body, expect=expect)


@pytest.mark.parametrize(
    "value", ["0", "201", "-1", "+5", "%2B5", "5.0", "1e1", "0x10", "99999999999999999999", "%D9%A1", "x", "true"]
)
def test_limit_is_a_whole_number_from_1_to_200(api: AdminAPI, value: str) -> None:
    for path in ("/clients", "/accounts", "/admin-tokens", "/audit"):
        _, fields = api.problem("GET", f"{path}?limit={value}", expect=400)
        assert fields == [("limit", "must be a whole number from 1 to 200")]


# MARK: Bodies


@pytest.mark.parametrize(
    ("raw", "detail"),
    [
        (b"", "the body is not JSON: value missing at byte 0"),
        (b"{", "the body is not JSON: member name expected at byte 1"),
        (b"[]", "the body has to be a JSON object"),
        (b"null", "the body has to be a JSON object"),
        (b'"{}"', "the body has to be a JSON object"),
        (b"{}{}", "the body is not JSON: something behind the value at byte 2"),
        (b'{"a":1,"a":2}', "the body is not JSON: repeated member name at byte 7"),
        (b'{"a":"\\ud800"}', "the body is not JSON: half of a surrogate pair at byte 6"),
        (b'{"a":"\xff"}', "the body is not JSON: string is not UTF-8 at byte 5"),
        (b"\xef\xbb\xbf{}", "the body is not JSON: no value begins so at byte 0"),
        (b'{"a":' * 70 + b"1" + b"}" * 70, "the body is not JSON: nested too deeply at byte 320"),
        (b'{"a":1e999}', "the body is not JSON: number out of range at byte 5"),
    ],
)
def test_a_body_is_one_sound_json_object(
    api: AdminAPI, description: dict[str, Any], raw: bytes, detail: str
) -> None:
    for method, path, operation in operations(description):
        if "requestBody" in operation:
            assert api.problem(method, filled(path), expect=400, raw=raw) == (detail, []), f"{method} {path}"


def test_a_body_says_that_it_is_json(api: AdminAPI, description: dict[str, Any]) -> None:
    for method, path, operation in operations(description):
        if "requestBody" not in operation:
            continue
        for kind in ("text/plain", "application/x-www-form-urlencoded", "application/jsonp", "application/", ""):
            answer = api(method, filled(path), expect=415, raw=b"{}", headers={"Content-Type": kind})
            accepted = " or ".join(operation["requestBody"]["content"])
            assert answer.json()["detail"] == f"the body has to be {accepted}", f"{method} {path}"


def test_a_body_over_64_kib_is_refused_before_it_is_read(api: AdminAPI) -> None:
    api("PUT", "/clients/big", expect=413, raw=b'{"client_name":"' + b"a" * 65536 + b'"}')


def test_long_lists_and_objects_are_answered_and_cost_little(api: AdminAPI, client: str) -> None:
    uris = [f"x{number}" for number in range(6000)]
    _, fields = api.problem("PATCH", f"/clients/{client}", {"redirect_uris": uris}, expect=422)
    assert ("redirect_uris", "must not have more than 100 entries") in fields
    members = {f"x{number}": 1 for number in range(5000)}
    _, fields = api.problem("PATCH", f"/clients/{client}", members, expect=422)
    assert fields == [(name, "is unknown here") for name in members]


@pytest.mark.parametrize("name", ["\0", "", "a\nb", "\u202e", "é", "e\u0301", "🙂"])
def test_the_name_of_an_unknown_member_comes_back_as_it_was_sent(api: AdminAPI, client: str, name: str) -> None:
    _, fields = api.problem("PATCH", f"/clients/{client}", {name: 1}, expect=422)
    assert fields == [(name, "is unknown here")]


def test_a_number_is_what_it_says_however_it_is_written(api: AdminAPI, client: str) -> None:
    raw = b'{"refresh_retry_seconds": 3.0e1}'
    assert api("PATCH", f"/clients/{client}", expect=200, raw=raw).json()["refresh_retry_seconds"] == 30
    for text in (b"30.5", b"-1", b"301", b"9223372036854775808", b"1e300", b'"30"', b"true", b"[30]"):
        raw = b'{"refresh_retry_seconds": ' + text + b"}"
        _, fields = api.problem("PATCH", f"/clients/{client}", expect=422, raw=raw)
        assert fields == [("refresh_retry_seconds", "must be a whole number from 0 to 300")]


def test_head_is_get_without_the_body(api: AdminAPI, client: str) -> None:
    for path in ("/me", "/clients", f"/clients/{client}", "/keys", "/audit?limit=1", "/openapi.yaml"):
        got = api("GET", path, expect=200)
        head = api("HEAD", path, expect=200)
        assert head.content == b""
        assert head.headers["Content-Type"] == got.headers["Content-Type"]
        assert head.headers.get("ETag") == got.headers.get("ETag")
    api("HEAD", "/clients/nothing", expect=404)
    tag = api("GET", f"/clients/{client}", expect=200).headers["ETag"]
    api("HEAD", f"/clients/{client}", expect=304, headers={"If-None-Match": tag})


def test_scripts_of_other_origins_get_nothing(api: AdminAPI) -> None:
    headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "GET"}
    answer = requests.options(api.url("/clients"), headers=headers, timeout=10)
    assert answer.status_code == 405
    check_answer(answer)
    api("GET", "/clients", expect=200, headers={"Origin": "https://evil.example"})


def test_a_request_id_of_the_caller_goes_back_and_on_record(api: AdminAPI, client: str) -> None:
    answer = api("PATCH", f"/clients/{client}", {"sign_in": True}, expect=200, headers={"X-Request-Id": "mine-42"})
    assert answer.headers["X-Request-Id"] == "mine-42"
    assert [event["event"] for event in api.events(request_id="mine-42")] == ["client.changed"]


def test_answers_are_json_and_nothing_else(api: AdminAPI, client: str) -> None:
    answer = api("GET", f"/clients/{client}", expect=200, headers={"Accept": "text/html"})
    assert answer.headers["Content-Type"] == "application/json"
    json.loads(answer.text)
    assert api("GET", "/nothing", expect=404, headers={"Accept": "text/html"}).json()["status"] == 404
