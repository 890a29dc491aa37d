"""Apps through the admin API: all that can be done with them, conditions and races, and what validation says."""

from __future__ import annotations

import http.client
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from support import Dev
from support.admin import AdminAPI, web_app


def test_an_app_is_registered_read_changed_and_deleted(api: AdminAPI, client_id: str) -> None:
    created = api("POST", "/clients", web_app(client_id=client_id, client_name="Shop"), expect=201)
    path = f"/clients/{client_id}"
    assert created.headers["Location"] == f"/admin/v1{path}"
    assert created.json().items() >= {"client_id": client_id, "client_name": "Shop", "enabled": True}.items()

    read = api("GET", path, expect=200)
    assert read.json() == created.json()
    assert read.headers["ETag"] == created.headers["ETag"]

    changed = api("PATCH", path, {"sign_in": True, "switches": {"userinfo": True}}, expect=200)
    assert changed.json()["sign_in"] is True
    assert changed.headers["ETag"] != read.headers["ETag"]

    replaced = api("PUT", path, web_app(client_name="Other"), expect=200).json()
    assert replaced["client_name"] == "Other"
    assert "sign_in" not in replaced and "switches" not in replaced, "what was left out went back to its default"

    api("DELETE", path, expect=204)
    api("GET", path, expect=404)
    api("DELETE", path, expect=404)
    api("PATCH", path, {}, expect=404)
    names = [event["event"] for event in reversed(api.events(client_id=client_id))]
    assert names == ["client.created", "client.changed", "client.changed", "client.deleted"]


def test_an_app_without_an_id_gets_a_random_one(api: AdminAPI) -> None:
    first, second = (api.json("POST", "/clients", web_app(), expect=201)["client_id"] for _ in range(2))
    assert first != second
    assert len(first) == 32
    for client_id in (first, second):
        api("DELETE", f"/clients/{client_id}", expect=204)


def test_what_was_read_can_be_put_and_changes_nothing(api: AdminAPI, client: str) -> None:
    path = f"/clients/{client}"
    api("PATCH", path, {"enabled": False, "contacts": ["é", "a@b.example"], "default_max_age": 60}, expect=200)
    read = api("GET", path, expect=200)
    count = len(api.events(client_id=client))
    for _ in range(2):
        put = api("PUT", path, read.json(), expect=200)
        assert put.json() == read.json()
        assert put.headers["ETag"] == read.headers["ETag"]
    assert len(api.events(client_id=client)) == count, "nothing happened, and yet it is on record"


def test_a_body_cannot_be_about_another_app(api: AdminAPI, client: str) -> None:
    said = f"cannot be changed: it must be {client} or left out"
    for method, body in (("PUT", web_app(client_id="other")), ("PATCH", {"client_id": "other"})):
        assert api.problem(method, f"/clients/{client}", body, expect=422)[1] == [("client_id", said)]
    api("PATCH", f"/clients/{client}", {"client_id": client}, expect=200)


def test_null_in_a_patch_is_the_default(api: AdminAPI, client: str) -> None:
    path = f"/clients/{client}"
    api("PATCH", path, {"access_token_lifetime": 60, "tos_uri": "https://shop.example/tos"}, expect=200)
    patched = api("PATCH", path, {"access_token_lifetime": None, "tos_uri": None, "logo_uri": None}, expect=200).json()
    assert not {"access_token_lifetime", "tos_uri", "logo_uri"} & patched.keys()
    _, fields = api.problem("PATCH", path, {"client_name": None}, expect=422)
    assert fields == [("client_name", "is missing; people are asked by it")]


def test_before_and_after_are_on_record(api: AdminAPI, client: str) -> None:
    api("PATCH", f"/clients/{client}", {"client_name": "New", "require_auth_time": True}, expect=200)
    api("PATCH", f"/clients/{client}", {"enabled": False}, expect=200)
    api("DELETE", f"/clients/{client}", expect=204)
    deleted, disabled, changed, created = api.events(client_id=client)

    assert created["detail"] == {"after": web_app(client_id=client)}
    assert changed["detail"] == {
        "before": {"client_name": "Shop"},
        "after": {"client_name": "New", "require_auth_time": True},
    }
    assert (disabled["event"], disabled["detail"]) == ("client.disabled", {})
    assert deleted["detail"]["before"]["client_name"] == "New"
    assert {event["actor"]["name"].partition(" ")[2] for event in (deleted, disabled, changed, created)} == {"Ada"}
    assert all(event["address"] == "127.0.0.1" and event["request_id"] for event in (deleted, changed))


# MARK: Lists


def test_apps_are_found_and_come_in_pages(api: AdminAPI) -> None:
    ids = [f"page-{letter}" for letter in ("A", "B", "a", "b", "~")]
    for client_id in reversed(ids):
        uri = f"https://{'findme' if client_id == 'page-b' else 'other'}.example/%5f"
        api("PUT", f"/clients/{client_id}", web_app(client_name=f"50% of {client_id}", redirect_uris=[uri]), expect=201)

    found: list[str] = []
    query: dict[str, Any] = {"q": "PAGE-", "limit": 2}
    while True:
        page = api.json("GET", "/clients", **query)
        assert len(page["items"]) <= 2
        found += [item["client_id"] for item in page["items"]]
        if "next" not in page:
            break
        query["after"] = page["next"]
    assert found == ids, "by client_id, byte by byte"

    assert [item["client_id"] for item in api.items("/clients", q="FindMe.example")] == ["page-b"]
    assert [item["client_id"] for item in api.items("/clients", q="0% of page-A")] == ["page-A", "page-a"]
    assert api.items("/clients", q="0_ of page") == [], "a wildcard of the database's was one here"
    assert api.items("/clients", q="page-", after="page-~") == []
    for client_id in ids:
        api("DELETE", f"/clients/{client_id}", expect=204)


# MARK: Conditions


def test_if_match_lets_only_who_has_seen_it_change_it(api: AdminAPI, client: str) -> None:
    path = f"/clients/{client}"
    tag = api("GET", path, expect=200).headers["ETag"]
    count = len(api.events(client_id=client))
    for condition in ('"other"', f"W/{tag}", tag.replace('"', '"x', 1), f'"a,{tag[1:-1]}"', '"a", "b"'):
        headers = {"If-Match": condition}
        api("PUT", path, web_app(client_name="X"), expect=412, headers=headers)
        api("PATCH", path, {"client_name": "X"}, expect=412, headers=headers)
        api("DELETE", path, expect=412, headers=headers)
        api("GET", path, expect=412, headers=headers)
    assert len(api.events(client_id=client)) == count

    for condition in (tag, "*", f'"other", {tag}', f"W/{tag},{tag}", f'{tag} , ,, "x,y",'):
        headers = {"If-Match": condition}
        api("PATCH", path, {"client_name": "Shop"}, expect=200, headers=headers)
        api("GET", path, expect=200, headers=headers)
    api("PUT", "/clients/nothing", web_app(), expect=412, headers={"If-Match": "*"})
    api("GET", "/clients/nothing", expect=404)


def test_several_fields_of_a_condition_are_one_list(api: AdminAPI, client: str) -> None:
    tag = api("GET", f"/clients/{client}", expect=200).headers["ETag"]
    connection = http.client.HTTPConnection("127.0.0.1", api.server.port, timeout=10)
    for tags, status in (((tag, '"x"'), 200), (('"x"', tag), 200), (('"x"', '"y"'), 412), (("*", tag), 400)):
        connection.putrequest("GET", f"/admin/v1/clients/{client}")
        connection.putheader("Authorization", f"Bearer {api.token}")
        for value in tags:
            connection.putheader("If-Match", value)
        connection.endheaders()
        answer = connection.getresponse()
        answer.read()
        assert answer.status == status, tags
    connection.close()


def test_if_none_match_creates_only_and_saves_a_transfer(api: AdminAPI, client: str) -> None:
    path = f"/clients/{client}"
    tag = api("GET", path, expect=200).headers["ETag"]
    for condition in (tag, f"W/{tag}", "*", f'"x", {tag}'):
        answer = api("GET", path, expect=304, headers={"If-None-Match": condition})
        assert answer.headers["ETag"] == tag and answer.content == b""
        api("PUT", path, web_app(), expect=412, headers={"If-None-Match": condition})
    api("GET", path, expect=200, headers={"If-None-Match": '"other"'})
    api("PUT", path, web_app(), expect=200, headers={"If-None-Match": '"other"'})


@pytest.mark.parametrize("field", ["If-Match", "If-None-Match"])
@pytest.mark.parametrize("condition", ["", "x", "'x'", '"x', 'w/"x"', '*, "x"', '"x" "y"', "**"])
def test_a_condition_that_cannot_be_read_is_not_taken_for_one_that_holds(
    api: AdminAPI, client: str, field: str, condition: str
) -> None:
    for method, body in (("GET", None), ("PUT", web_app()), ("PATCH", {}), ("DELETE", None)):
        detail, _ = api.problem(method, f"/clients/{client}", body, expect=400, headers={field: condition})
        assert detail == f"{field}: must be * or a list of entity tags, each in quotes"


def at_once(*calls: Any) -> list[int]:
    """The statuses of calls that are made side by side, in order of their size."""
    with ThreadPoolExecutor(len(calls)) as pool:
        return sorted(future.result() for future in [pool.submit(call) for call in calls])


def test_of_two_who_put_with_the_same_tag_one_is_told(api: AdminAPI, client: str) -> None:
    path = f"/clients/{client}"
    for round in range(10):
        tag = api("GET", path, expect=200).headers["ETag"]

        def put(name: str, tag: str = tag) -> int:
            caller = AdminAPI(api.server, api.token)
            return caller(
                "PUT", path, web_app(client_name=name), expect=(200, 412), headers={"If-Match": tag}
            ).status_code

        assert at_once(lambda: put(f"one {round}"), lambda: put(f"two {round}")) == [200, 412]  # noqa: B023
    events = api.events(client_id=client)
    assert len(events) == 11


@pytest.mark.parametrize("method", ["PUT", "POST"])
def test_of_two_who_create_the_same_app_one_is_told(api: AdminAPI, client_id: str, method: str) -> None:
    for round in range(10):
        one = f"{client_id}-{round}"

        def create(name: str, one: str = one) -> int:
            caller = AdminAPI(api.server, api.token)
            if method == "POST":
                body = web_app(client_id=one, client_name=name)
                return caller("POST", "/clients", body, expect=(201, 409)).status_code
            headers = {"If-None-Match": "*"}
            body = web_app(client_name=name)
            return caller("PUT", f"/clients/{one}", body, expect=(201, 412), headers=headers).status_code

        told = 409 if method == "POST" else 412
        assert at_once(lambda: create("one"), lambda: create("two")) == [201, told]  # noqa: B023
        assert [event["event"] for event in api.events(client_id=one)] == ["client.created"]
        api("DELETE", f"/clients/{one}", expect=204)


# MARK: Validation

WEB = "must be https (or http on a loopback host); private-use schemes are for native apps"
NATIVE = {"application_type": "native", "token_endpoint_auth_method": "none"}


@pytest.mark.parametrize(
    ("uri", "reason", "more"),
    [
        ("https://a.example/cb#x", "must not have a fragment (#)", {}),
        ("https://a.example/cb#", "must not have a fragment (#)", {}),
        ("javascript:alert(1)", "must not use the scheme javascript", {}),
        ("JavaScript:alert(1)", "must not use the scheme javascript", NATIVE),
        ("data:text/html,x", "must not use the scheme data", NATIVE),
        ("http://a.example/cb", "must be https; http is only for 127.0.0.1, [::1] and localhost", {}),
        ("http://a.example/cb", "must be https; http is only for 127.0.0.1, [::1] and localhost", NATIVE),
        ("http://127.0.0.1.a.example/cb", "must be https; http is only for 127.0.0.1, [::1] and localhost", NATIVE),
        ("com.example.app:/cb", WEB, {}),
        (
            "myapp:/cb",
            "must have a dot in its private-use scheme: a reversed domain name (RFC 8252 section 7.1)",
            NATIVE,
        ),
        ("https://*.a.example/cb", "must not hold wildcards (*)", {}),
        ("https://u:p@a.example/cb", "must not hold user information (@)", {}),
        ("https://a.example/a/../b", "must not have . or .. segments in its path", {}),
        ("https://a.example/?code=1", "must not have a query parameter named code, which belongs to the answer", {}),
        (
            "/cb",
            "must be absolute: a scheme of letters, digits, +, - and . that begins with a letter, then a colon",
            {},
        ),
        ("https://a.example/é", "must be ASCII; write other characters as percent escapes", {}),
        ("https://a.example/\0", "must not hold control characters", {}),
        ("", "must be absolute: a scheme of letters, digits, +, - and . that begins with a letter, then a colon", {}),
        ("https://a.example/" + "a" * 2000, "must not be longer than 2000 bytes", {}),
    ],
)
def test_a_redirect_uri_that_cannot_be_is_told_with_the_reason(
    api: AdminAPI, uri: str, reason: str, more: dict[str, Any]
) -> None:
    body = web_app(client_id="never", redirect_uris=["https://a.example/fine", uri], **more)
    detail, fields = api.problem("POST", "/clients", body, expect=422)
    assert fields == [("redirect_uris[1]", reason)]
    assert detail == f"redirect_uris[1]: {reason}"
    api("GET", "/clients/never", expect=404)


LIFETIMES = {
    "authorization_code_lifetime": 60,
    "id_token_lifetime": 3600,
    "access_token_lifetime": 600,
    "refresh_token_idle_lifetime": 2592000,
    "refresh_token_lifetime": 7776000,
}


@pytest.mark.parametrize(("member", "most"), LIFETIMES.items())
def test_a_lifetime_can_only_be_made_shorter(api: AdminAPI, client: str, member: str, most: int) -> None:
    path = f"/clients/{client}"
    for value in (0, -1, most + 1, 2**63 - 1):
        _, fields = api.problem("PATCH", path, {member: value}, expect=422)
        assert fields == [(member, f"must be a whole number from 1 to {most}")]
    assert api.json("PATCH", path, {member: most - 1})[member] == most - 1
    assert member not in api.json("PATCH", path, {member: most}), "a default is left out"


@pytest.mark.parametrize(
    ("change", "field", "reason"),
    [
        ({"client_name": " "}, "client_name", "must be 1 to 200 characters, not all blank"),
        ({"client_name": "x" * 201}, "client_name", "must be 1 to 200 characters, not all blank"),
        (
            {"client_name": "a\u202eb"},
            "client_name",
            "must not hold control characters, line separators or direction overrides",
        ),
        ({"application_type": "desktop"}, "application_type", "must be web or native"),
        (
            {"token_endpoint_auth_method": "private_key_jwt"},
            "token_endpoint_auth_method",
            "must be client_secret_basic, client_secret_post or none",
        ),
        ({"grant_types": ["implicit"]}, "grant_types", "may hold only authorization_code and refresh_token"),
        ({"response_types": ["token"]}, "response_types", "must be [code], the only value offered"),
        ({"redirect_uris": []}, "redirect_uris", "must name at least one"),
        ({"redirect_uris": "https://a.example"}, "redirect_uris", "must be an array of strings"),
        ({"redirect_uris": ["https://a.example"] * 2}, "redirect_uris", "must not name anything twice"),
        (
            {"scope": "openid everything"},
            "scope",
            "holds an unknown scope; there are openid profile email address phone offline_access",
        ),
        ({"scope": "profile"}, "scope", "must hold openid"),
        ({"sign_in": "yes"}, "sign_in", "must be true or false"),
        ({"enabled": 1}, "enabled", "must be true or false"),
        (
            {"switches": {"sign_in": True}},
            "switches.sign_in",
            "is no switch; there are userinfo, revocation, session_context, introspection",
        ),
        ({"audience": ["a b"]}, "audience[0]", "must be the client_id of a resource server"),
        ({"logo_uri": "http://a.example"}, "logo_uri", "must be https (or http on a loopback host)"),
        ({"client_secret": "x" * 43}, "client_secret", "is not metadata; it is set apart from it"),
        ({"redirect_uri": "https://a.example"}, "redirect_uri", "is unknown here"),
        (
            {"token_endpoint_auth_method": "none", "pkce_policy": "optional"},
            "pkce_policy",
            "must be required for a public client",
        ),
    ],
)
def test_what_cannot_be_is_told_with_its_field_and_reason(
    api: AdminAPI, client: str, change: dict[str, Any], field: str, reason: str
) -> None:
    before = api.json("GET", f"/clients/{client}")
    _, fields = api.problem("PATCH", f"/clients/{client}", change, expect=422)
    assert fields == [(field, reason)]
    assert api.json("GET", f"/clients/{client}") == before


def test_every_problem_is_told_at_once(api: AdminAPI) -> None:
    body = {"client_id": "..", "redirect_uris": ["x", "javascript:1"], "id_token_lifetime": 3601, "x": 1}
    _, fields = api.problem("POST", "/clients", body, expect=422)
    assert [field for field, _ in fields] == [
        "client_id",
        "client_name",
        "redirect_uris[0]",
        "redirect_uris[1]",
        "id_token_lifetime",
        "x",
    ]


def test_who_creates_an_app_says_what_it_is_all_the_same_to_a_put(api: AdminAPI, dev: Dev, client_id: str) -> None:
    posted = api.json("POST", "/clients", web_app(client_id=client_id), expect=201)
    api("DELETE", f"/clients/{client_id}", expect=204)
    put = api.json("PUT", f"/clients/{client_id}", web_app(), expect=201)
    times = {"created_at", "updated_at"}
    assert {k: v for k, v in posted.items() if k not in times} == {k: v for k, v in put.items() if k not in times}
