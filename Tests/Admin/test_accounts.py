"""The admin API on people's accounts: their life, what they cannot be, and many who change them at once."""

from __future__ import annotations

import json
import re
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable

import pytest

from support import CLIENTS, Dev
from support.admin import AdminAPI
from support.fixtures import Account
from support.flow import Lab
from support.oauth import random_text
from support.people import NOBODY, Person, fields
from support.secrecy import WIRE

CONF1 = CLIENTS["conf1"]


# MARK: Accounts


def test_the_life_of_an_account(api: AdminAPI, record: Any) -> None:
    password = random_text(20)
    WIRE.add(password)
    username = f"Zo\u00eb-{random_text(8)}"
    claims = {"name": "Zo\u00eb", "email": "zoe@example.test", "address": {"country": "FI", "locality": "Oulu"}}
    made = api("POST", "/accounts", {"username": username, "password": password, "claims": claims}, expect=201)
    account = made.json()
    path = f"/accounts/{account['sub']}"
    assert made.headers["Location"].endswith(f"/admin/v1{path}")
    assert set(account) == {"sub", "username", "status", "claims", "has_password", "created_at", "updated_at"}
    assert (account["username"], account["status"], account["has_password"]) == (username, "active", True)
    assert account["claims"] == claims
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", account["created_at"])

    read = api("GET", path, expect=200)
    assert read.json() == account and read.headers["ETag"] == made.headers["ETag"]
    api("GET", path, headers={"If-None-Match": read.headers["ETag"]}, expect=304)
    api("HEAD", path, expect=200)

    patch = {"claims": {"email": None, "address": {"locality": None}, "nickname": "Zo"}}
    changed = api.json("PATCH", path, patch)
    assert changed["claims"] == {"name": "Zo\u00eb", "address": {"country": "FI"}, "nickname": "Zo"}
    # What was read may be sent: nothing changes, and nothing is on record.
    assert api.json("PATCH", path, changed) == changed
    renamed = api.json("PATCH", path, {"username": username.upper()})
    assert renamed["username"] == username.upper() and renamed["sub"] == account["sub"]

    for status in ("disabled", "active", "closed"):
        assert api.json("PATCH", path, {"status": status})["status"] == status
    assert api.json("GET", path)["has_password"] is False
    events = record(account["sub"])
    assert [event for event, _, _ in events] == [
        "account.created",
        "account.changed",
        "account.changed",
        "account.disabled",
        "account.enabled",
        "account.closed",
    ]
    assert events[1][2] == {
        "before": {"claims.address": claims["address"], "claims.email": "zoe@example.test"},
        "after": {"claims.address": {"country": "FI"}, "claims.nickname": "Zo"},
    }
    assert events[2][2] == {"before": {"username": username}, "after": {"username": username.upper()}}
    assert events[5][2] == {"before": {"status": "active"}, "after": {"status": "closed"}}
    assert password not in json.dumps([detail for _, _, detail in events])


def test_closed_is_final_and_its_username_stays_taken(api: AdminAPI, person: Person) -> None:
    api("PATCH", person.path, {"status": "closed"}, expect=200)
    closed = api.json("GET", person.path)
    for status in ("active", "disabled"):
        api("PATCH", person.path, {"status": status}, expect=409)
    api("PUT", f"{person.path}/password", {"password": "a new password"}, expect=409)
    api("POST", "/accounts", {"username": person.account.username.upper()}, expect=409)
    assert api.json("GET", person.path) == closed
    # An admin who means it renames the closed account, and takes away what it says of the person.
    api("PATCH", person.path, {"username": f"closed-{person.sub}", "claims": None}, expect=200)
    new = api.json("POST", "/accounts", {"username": person.account.username}, expect=201)
    assert new["sub"] != person.sub
    assert api.json("GET", person.path)["claims"] == {}


def test_there_is_no_way_to_delete_or_replace_an_account(api: AdminAPI, person: Person) -> None:
    for method in ("DELETE", "PUT", "POST"):
        answer = api(method, person.path, {}, expect=405)
        assert "PATCH" in answer.headers["Allow"]


def test_lists_and_searches(api: AdminAPI) -> None:
    mark = random_text(10).lower().replace("-", "x").replace("_", "x")
    names = [f"{mark}-{name}" for name in ("B", "a", "\u00e9", "_", "z%")]
    subs = {
        api.json("POST", "/accounts", {"username": name, "claims": {"name": f"Dr {mark} %_"}}, expect=201)["sub"]
        for name in names
    }
    for limit in (1, 2, 3, 200):
        found, after = [], {}
        while True:
            page = api.json("GET", "/accounts", q=mark.upper(), limit=limit, **after)
            assert len(page["items"]) <= limit
            found += page["items"]
            if "next" not in page:
                break
            after = {"after": page["next"]}
        assert [item["username"] for item in found] == [f"{mark}-{name}" for name in ("_", "a", "B", "z%", "\u00e9")]
        assert {item["sub"] for item in found} == subs
    # No character of what is looked for is special.
    assert [item["username"] for item in api.items("/accounts", q=f"{mark}-z%")] == [f"{mark}-z%"]
    assert len(api.items("/accounts", q=f"dr {mark} %_")) == 5
    assert api.items("/accounts", q=f"{mark}%") == []
    for spelling in (f"{mark}-E\u0301", f"{mark}-\u00e9", f"{mark.upper()}-\u00c9"):
        (item,) = api.items("/accounts", username=spelling)
        assert item["username"] == f"{mark}-\u00e9"
    assert api.items("/accounts", username=f"{mark}-") == []
    api("GET", "/accounts", username=f"{mark}-a", q="x", expect=400)


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=201", "limit=x", "limit=1&limit=1", "q=%00", "q=%ff", "username=%00", "after=%00", "sort=x",
     "q=", "dry_run=true"],
)
def test_queries_that_mean_nothing(api: AdminAPI, query: str) -> None:
    api("GET", f"/accounts?{query}", expect=400)


def test_a_person_signs_in_as_the_admin_says(
    api: AdminAPI, lab: Lab, person: Person, record: Callable[[str], list[tuple[Any, ...]]]
) -> None:
    """And not otherwise: with no password, with the former one, disabled."""
    signed = lab.sign_in(CONF1, account=person.account)
    assert signed.claims["sub"] == person.sub
    new = Account(person.account.username, random_text(20), {})
    api("PUT", f"{person.path}/password", {"password": new.password}, expect=204)
    assert lab.sign_in(CONF1, account=new).claims["sub"] == person.sub
    refused(lab, person.account)
    api("PATCH", person.path, {"status": "disabled"}, expect=200)
    refused(lab, new)
    api("PATCH", person.path, {"status": "active"}, expect=200)
    assert lab.sign_in(CONF1, account=new).claims["sub"] == person.sub
    events = record(person.sub)
    assert ("account.password_set", None, {}) in events
    for password in (person.account.password, new.password):
        assert password not in json.dumps(events)


def refused(lab: Lab, account: Account) -> None:
    browser = lab.browser()
    page = browser.sign_in(browser.get(lab.ask(CONF1).url), account)
    assert not page.left and page.has_password


def test_without_a_password_nobody_signs_in(api: AdminAPI, lab: Lab) -> None:
    username = f"nopass-{random_text(8)}"
    account = api.json("POST", "/accounts", {"username": username}, expect=201)
    assert account["has_password"] is False and account["claims"] == {}
    refused(lab, Account(username, "password", {}))
    refused(lab, Account(username, "", {}))


# MARK: What an account cannot be

SPELLINGS = [
    ("\u00e9", "e\u0301"), ("\u212a", "k"), ("\u212a", "K"), ("\uff21", "a"), ("\u017f", "s"), ("\u1e9e", "\u00df"),
    ("\ufb01", "fi"), ("\u0130", "i\u0307"), ("\u2460", "1"), ("\u00c5", "\u212b"),
]


@pytest.mark.parametrize("one, other", SPELLINGS, ids=lambda text: "+".join(f"{ord(char):04x}" for char in text))
def test_spellings_of_one_username(api: AdminAPI, one: str, other: str) -> None:
    """B100: in Unicode's forms and in both cases they are one account."""
    mark = random_text(10)
    account = api.json("POST", "/accounts", {"username": f"{mark}{one}"}, expect=201)
    # As it was sent, byte for byte; only the comparison is by canonical form.
    assert account["username"] == f"{mark}{one}"
    api("POST", "/accounts", {"username": f"{mark}{other}"}, expect=409)
    (found,) = api.items("/accounts", username=f"{mark}{other}")
    assert found["sub"] == account["sub"]
    renamed = api.json("PATCH", f"/accounts/{account['sub']}", {"username": f"{mark}{other}"})
    assert renamed["username"] == f"{mark}{other}"


BAD_USERNAMES = [
    "", " ", " a", "a ", "\u3000a", "a\u00a0", "a\u0000b", "a\nb", "a\u007f", "a\u0085b", "a\u2028b", "a\u200bb",
    "a\u00adb", "\u202ea", "\u2066a", "\ufeffa", "\u3164", "a\ufe0f", "a\U000e0041", "x" * 256, "x" * 10_240,
    "\u00e9" * 128, "\ufdfa" * 85, None, 7, 1.5, True, [], ["a"], {}, {"a": "b"},
]


@pytest.mark.parametrize("username", BAD_USERNAMES, ids=lambda value: ascii(value)[:24])
def test_usernames_that_are_none(api: AdminAPI, person: Person, username: Any) -> None:
    problem = api.problem("POST", "/accounts", {"username": username}, expect=422)
    assert fields(problem) == ["username"]
    # RFC 7396: null takes a member away, and nobody is without a name.
    assert fields(api.problem("PATCH", person.path, {"username": username}, expect=422)) == ["username"]
    assert api.json("GET", person.path)["username"] == person.account.username


GOOD_USERNAMES = [
    "long name" * 25, "\u00e9" * 120, "\U0001f600 \U0001f600", "\u05d0\u05d1\u05d2", "\u0627\u0644", "a b", "a'b\"c;--",
    "<b>", "%00", "\\u0000", "$1", "\U0010fffd", "\U0001d54f", "\u0e01\u0e33", "\ud55c\uae00", "null", "\u1100\u1161",
]


@pytest.mark.parametrize("username", GOOD_USERNAMES, ids=lambda value: ascii(value)[:24])
def test_odd_usernames_that_are_some(api: AdminAPI, username: str) -> None:
    made = api("POST", "/accounts", {"username": username}, expect=(201, 409))
    if made.status_code == 201:
        assert made.json()["username"] == username
    form = unicodedata.normalize("NFD", username)
    (found,) = api.items("/accounts", username=form)
    assert unicodedata.normalize("NFKC", found["username"]) == unicodedata.normalize("NFKC", username)


BAD_BODIES: list[tuple[Any, list[str]]] = [
    ({}, ["username"]),
    ({"username": "bad-body", "status": "closed"}, ["status"]),
    ({"username": "bad-body", "status": "Active"}, ["status"]),
    ({"username": "bad-body", "status": 1}, ["status"]),
    ({"username": "bad-body", "sub": NOBODY}, ["sub"]),
    ({"username": "bad-body", "has_password": True}, ["has_password"]),
    ({"username": "bad-body", "password_hash": "$argon2id$"}, ["password_hash"]),
    ({"username": "bad-body", "Claims": {}}, ["Claims"]),
    ({"username": "bad-body", "claims": None}, ["claims"]),
    ({"username": "bad-body", "claims": []}, ["claims"]),
    ({"username": "bad-body", "claims": "name"}, ["claims"]),
    ({"username": "bad-body", "claims": {"email": 7}}, ["claims.email"]),
    ({"username": "bad-body", "claims": {"email": None}}, ["claims.email"]),
    ({"username": "bad-body", "claims": {"email": "nobody"}}, ["claims.email"]),
    ({"username": "bad-body", "claims": {"email": "a b@c"}}, ["claims.email"]),
    ({"username": "bad-body", "claims": {"email": "a@b", "email_verified": "true"}}, ["claims.email_verified"]),
    ({"username": "bad-body", "claims": {"email_verified": True}}, ["claims.email_verified"]),
    ({"username": "bad-body", "claims": {"updated_at": 1}}, ["claims.updated_at"]),
    ({"username": "bad-body", "claims": {"sub": "y"}}, ["claims.sub"]),
    ({"username": "bad-body", "claims": {"shoe_size": 44}}, ["claims.shoe_size"]),
    ({"username": "bad-body", "claims": {"name": {"a": {"b": {"c": 1}}}}}, ["claims.name"]),
    ({"username": "bad-body", "claims": {"name": "a\u0000b"}}, ["claims.name"]),
    ({"username": "bad-body", "claims": {"name": "n" * 10_240}}, ["claims.name"]),
    ({"username": "bad-body", "claims": {"phone_number": 358401234567}}, ["claims.phone_number"]),
    ({"username": "bad-body", "claims": {"birthdate": 1990}}, ["claims.birthdate"]),
    ({"username": "bad-body", "claims": {"picture": "javascript:alert(1)"}}, ["claims.picture"]),
    ({"username": "bad-body", "claims": {"locale": "en GB"}}, ["claims.locale"]),
    ({"username": "bad-body", "claims": {"address": "1 A St"}}, ["claims.address"]),
    ({"username": "bad-body", "claims": {"address": {"planet": "Earth"}}}, ["claims.address.planet"]),
    ({"username": "bad-body", "claims": {"address": {"country": [[[[[["x"]]]]]]}}}, ["claims.address.country"]),
    ({"username": "bad-body", "claims": {"address": {"locality": "a\u0000b"}}}, ["claims.address.locality"]),
    ({"username": "bad-body", "claims": {"": 1}}, ["claims."]),
    ({"username": "bad-body", "password": 12345678}, ["password"]),
    ({"username": "bad-body", "password": None}, ["password"]),
    ({"username": "bad-body", "password": ""}, ["password"]),
    ({"username": "bad-body", "password": "1234567"}, ["password"]),
    ({"username": "bad-body", "password": "p" * 1025}, ["password"]),
    ({"username": "bad-body", "password": "pass\u0000word"}, ["password"]),
    ({"username": 1, "claims": {"email": 7}, "status": "gone", "x": 1}, ["x", "username", "status"]),
    ({"username": " x", "claims": {"email": 7, "zoneinfo": ""}}, ["username", "claims.email", "claims.zoneinfo"]),
]


@pytest.mark.parametrize("body, expected", BAD_BODIES, ids=lambda value: json.dumps(value)[:60])
def test_bodies_that_break_rules(api: AdminAPI, body: Any, expected: list[str]) -> None:
    """Each broken rule names its field, and no answer repeats a password."""
    detail, problems = api.problem("POST", "/accounts", body, expect=422)
    assert sorted(field for field, _ in problems) == sorted(expected)
    password = body.get("password")
    if isinstance(password, str) and len(password) > 4:
        assert password not in detail and password not in json.dumps(problems)
    assert api.items("/accounts", username="bad-body") == []


NO_JSON_OBJECTS = [
    b"", b"{", b"null", b"[]", b'"x"', b"7", b'{"username": "\xff"}', b'{"username": "\\ud800"}',
    b'{"username": "x", "username": "y"}', b"\xef\xbb\xbf{}", b"{'username': 'x'}",
    b'{"username": "x", "claims": {"name": ' + b"[" * 70 + b"]" * 70 + b"}}", b'{"username": 1e999999}',
    b'{"username": ' + b"9" * 400 + b"}", b'{"username": NaN}',
]


@pytest.mark.parametrize("raw", NO_JSON_OBJECTS, ids=lambda raw: repr(raw[:30]))
def test_bodies_that_are_no_json_objects(api: AdminAPI, person: Person, raw: bytes) -> None:
    """400 where it cannot be read, 422 where it is a number beyond all sizes."""
    for method, path in (("POST", "/accounts"), ("PATCH", person.path), ("PUT", f"{person.path}/password")):
        api(method, path, raw=raw, expect=(400, 422))
    assert api.json("GET", person.path)["username"] == person.account.username


def test_media_types(api: AdminAPI, person: Person) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/merge-patch+json", ""):
        api("POST", "/accounts", {"username": "x"}, headers={"Content-Type": kind}, expect=415)
    for kind in ("text/plain", "application/json-patch+json"):
        api("PATCH", person.path, {}, headers={"Content-Type": kind}, expect=415)
    api("PATCH", person.path, {}, headers={"Content-Type": "application/json; charset=utf-8"}, expect=200)


PATCHES: list[tuple[Any, list[str]]] = [
    ({"sub": NOBODY}, ["sub"]),
    ({"sub": 7}, ["sub"]),
    ({"password": "a new password"}, ["password"]),
    ({"id": 7}, ["id"]),
    ({"status": "gone"}, ["status"]),
    ({"status": ["closed"]}, ["status"]),
    ({"claims": []}, ["claims"]),
    ({"claims": "x"}, ["claims"]),
    ({"claims": {"email": "nobody"}}, ["claims.email"]),
    ({"claims": {"email": None}}, ["claims.email_verified"]),
    ({"claims": {"address": {"country": 7}}}, ["claims.address.country"]),
    ({"claims": {"name": {"deep": {"er": None}}}}, ["claims.name"]),
]


@pytest.mark.parametrize("patch, expected", PATCHES, ids=lambda value: json.dumps(value)[:60])
def test_patches_that_break_rules(api: AdminAPI, person: Person, patch: Any, expected: list[str]) -> None:
    before = api("GET", person.path, expect=200)
    assert fields(api.problem("PATCH", person.path, patch, expect=422)) == expected
    assert api("GET", person.path, expect=200).headers["ETag"] == before.headers["ETag"]


@pytest.mark.parametrize(
    "body", [{}, {"password": None}, {"password": 12345678}, {"password": "short"}, {"password": "p" * 1025},
             {"password": "long enough", "old": "x"}, {"password": ["long enough"]}],
    ids=lambda body: json.dumps(body)[:40],
)
def test_passwords_that_are_none(api: AdminAPI, lab: Lab, person: Person, body: Any) -> None:
    problem = api.problem("PUT", f"{person.path}/password", body, expect=422)
    assert fields(problem) == (["old"] if "old" in body else ["password"])
    assert "long enough" not in json.dumps(problem)
    assert lab.sign_in(CONF1, account=person.account).claims["sub"] == person.sub


# MARK: Things that are not there

ROUTES = [
    ("GET", "/accounts/{}"), ("PATCH", "/accounts/{}"), ("PUT", "/accounts/{}/password"),
    ("GET", "/accounts/{}/sessions"), ("POST", "/accounts/{}/end-sessions"), ("GET", "/accounts/{}/grants"),
    ("GET", "/accounts/{}/consents"), ("DELETE", "/accounts/{}/consents/conf1"), ("GET", "/clients/{}/grants"),
    ("GET", "/clients/{}/consents"), ("GET", "/sessions/{}"), ("DELETE", "/sessions/{}"), ("GET", "/grants/{}"),
    ("DELETE", "/grants/{}"),
]
NAMES = [
    NOBODY, "x", "0", "-1", "9223372036854775807", "9223372036854775808", "1e3", "1.0", "%20", "%00", "%ff", "%2F",
    "..%2f..", "%F0%9F%98%80", "e%CC%81", "'; DROP TABLE accounts; --".replace(" ", "%20"), "x" * 2000, "%25",
]


@pytest.mark.parametrize("method, path", ROUTES)
def test_names_of_nothing(api: AdminAPI, method: str, path: str) -> None:
    """404, whatever the name is made of."""
    bodies: dict[str, Any] = {"PATCH": {}, "PUT": {"password": "long enough"}}
    for name in NAMES:
        api(method, path.format(name), bodies.get(method), expect=404)


def test_nothing_granted_to_an_app(api: AdminAPI, person: Person) -> None:
    for client in ("conf1", "nobody", "%00", "x" * 200):
        api("DELETE", f"{person.path}/consents/{client}", expect=404)
    assert api.items(f"{person.path}/grants", client_id="nobody") == []
    assert api.items("/clients/conf1/grants", sub=person.sub) == []


# MARK: Many at once


def test_patches_at_once_with_the_same_tag(dev: Dev, api: AdminAPI, person: Person, record: Any) -> None:
    """One is made, the others hear 412, and the record has one."""
    tag = api("GET", person.path, expect=200).headers["ETag"]

    def patch(number: int) -> int:
        own = AdminAPI(dev, api.token)
        body = {"claims": {"nickname": f"number {number}"}}
        return own("PATCH", person.path, body, headers={"If-Match": tag}, expect=(200, 412)).status_code

    with ThreadPoolExecutor(20) as pool:
        statuses = list(pool.map(patch, range(20)))
    assert sorted(statuses) == [200] + [412] * 19
    assert [event for event, _, _ in record(person.sub)] == ["account.created", "account.changed"]
    winner = statuses.index(200)
    assert api.json("GET", person.path)["claims"]["nickname"] == f"number {winner}"


def test_one_username_wanted_by_many_at_once(dev: Dev, api: AdminAPI) -> None:
    mark = random_text(10)
    spellings = [f"{mark}\u00e9", f"{mark}e\u0301", f"{mark.upper()}\u00c9", f"{mark.lower()}E\u0301"] * 5

    def create(username: str) -> int:
        return AdminAPI(dev, api.token)("POST", "/accounts", {"username": username}, expect=(201, 409)).status_code

    with ThreadPoolExecutor(20) as pool:
        statuses = list(pool.map(create, spellings))
    assert sorted(statuses) == [201] + [409] * 19
    assert len(api.items("/accounts", q=mark)) == 1


def test_more_passwords_than_there_is_room_for(dev: Dev, api: AdminAPI, person: Person, lab: Lab) -> None:
    """Those that find the queue full hear 503 and when to come again; all others are set, and nothing breaks."""
    count = 120

    def put(number: int) -> tuple[int, str | None]:
        answer = AdminAPI(dev, api.token)(
            "PUT", f"{person.path}/password", {"password": f"password number {number:03}"}, expect=(204, 503)
        )
        return answer.status_code, answer.headers.get("Retry-After")

    with ThreadPoolExecutor(count) as pool:
        answers = list(pool.map(put, range(count)))
    assert {answer for answer in answers} == {(204, None), (503, "2")}
    set_ones = [number for number, (status, _) in enumerate(answers) if status == 204]
    api("PUT", f"{person.path}/password", {"password": "the last password of all"}, expect=204)
    assert set_ones and lab.sign_in(CONF1, account=Account(person.account.username, "the last password of all", {}))
