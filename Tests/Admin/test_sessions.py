"""The admin API on what people have at apps: browser sessions, grants and consents. Whatever is ended is over at the
next request, wherever it is asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Iterator

import pytest

from support import CLIENTS, Dev
from support.admin import AdminAPI, add_token
from support.checks import (
    check_bearer_error,
    check_inactive,
    check_no_store,
    check_session_context,
    check_token_error,
)
from support.flow import Lab, Signed
from support.oauth import random_text
from support.people import Person

CONF1, CONF2 = CLIENTS["conf1"], CLIENTS["conf2"]


# MARK: What a person has


def test_sessions_grants_and_consents_are_told(api: AdminAPI, lab: Lab, person: Person) -> None:
    browser = lab.browser()
    scope = "openid email offline_access"
    first = lab.sign_in(CONF1, account=person.account, browser=browser, scope=scope, prompt="consent")
    second = lab.sign_in(CONF2, account=person.account, browser=browser)
    elsewhere = lab.sign_in(CONF1, account=person.account)
    lab.refreshed(first)

    sessions = api.items(f"{person.path}/sessions")
    assert [session["sid"] for session in sessions] == [elsewhere.claims["sid"], first.claims["sid"]]
    assert [session["live_grants"] for session in sessions] == [1, 2]
    for session in sessions:
        assert (session["sub"], session["state"]) == (person.sub, "live")
        assert session["acr"] == first.claims["acr"] and session["amr"] == first.claims["amr"]
        assert (session["ended_at"], session["end_reason"]) == (None, None)
        assert api.json("GET", f"/sessions/{session['sid']}") == session

    grants = api.items(f"{person.path}/grants")
    assert [grant["client_id"] for grant in grants] == ["conf1", "conf2", "conf1"]
    assert [grant["sid"] for grant in grants] == [signed.claims["sid"] for signed in (elsewhere, second, first)]
    assert set(grants[2]["scope"].split()) == set(scope.split())
    assert grants[2]["refreshed_at"] and not grants[0]["refreshed_at"]
    for grant in grants:
        assert (grant["sub"], grant["state"], grant["retries"]) == (person.sub, "live", 0)
        assert grant["idle_expires_at"] <= grant["expires_at"]
        assert api.json("GET", f"/grants/{grant['id']}") == grant
    assert api.items(f"{person.path}/grants", client_id="conf2") == [grants[1]]
    assert api.items("/clients/conf2/grants", sub=person.sub) == [grants[1]]
    assert grants[0] in api.items("/clients/conf1/grants", limit=200)

    consents = api.items(f"{person.path}/consents")
    assert [consent["client_id"] for consent in consents] == ["conf1", "conf2"]
    assert set(consents[0]["scope"].split()) == set(scope.split()) and consents[0]["sub"] == person.sub
    page = api.json("GET", f"{person.path}/consents", limit=1)
    assert page["items"] == consents[:1]
    assert api.items(f"{person.path}/consents", after=page["next"]) == consents[1:]
    found, after = [], {}
    while True:
        page = api.json("GET", "/clients/conf2/consents", limit=2, **after)
        found += page["items"]
        if "next" not in page:
            break
        after = {"after": page["next"]}
    assert consents[1] in found and len({consent["sub"] for consent in found}) == len(found)


def test_ended_ones_are_told_when_asked_for(api: AdminAPI, lab: Lab, person: Person) -> None:
    for _ in range(3):
        lab.sign_in(CONF1, account=person.account)
    grants = api.items(f"{person.path}/grants")
    sessions = api.items(f"{person.path}/sessions")
    api("DELETE", f"/grants/{grants[1]['id']}", expect=204)
    api("DELETE", f"/sessions/{sessions[2]['sid']}", expect=204)
    assert [grant["id"] for grant in api.items(f"{person.path}/grants")] == [grants[0]["id"]]
    for path in (f"{person.path}/grants", "/clients/conf1/grants"):
        query = {"sub": person.sub} if "clients" in path else {}
        found, after = [], {}
        while True:
            page = api.json("GET", path, state="all", limit=1, **query, **after)
            found += page["items"]
            if "next" not in page:
                break
            after = {"after": page["next"]}
        assert [grant["id"] for grant in found] == [grant["id"] for grant in grants]
        assert [grant["state"] for grant in found] == ["live", "ended", "ended"]
        assert [grant["end_reason"] for grant in found] == [None, "ended_by_admin", "ended_by_admin"]
        assert all((grant["ended_at"] is None) == (grant["state"] == "live") for grant in found)
    every = api.items(f"{person.path}/sessions", state="all")
    assert [session["state"] for session in every] == ["live", "live", "ended"]
    assert api.items(f"{person.path}/sessions", state="live") == every[:2]
    for query in ("state=ended", "state=", "after=x", "after=-1", "after=9223372036854775808", "before=1", "sub=x"):
        api("GET", f"{person.path}/grants?{query}", expect=400)


# MARK: Off means off


@dataclass(frozen=True)
class Ending:
    name: str
    #: The request, with a path made from the person and what they have.
    method: str
    path: Callable[[Person, Signed, dict[str, Any]], str]
    body: Any
    status: int
    #: What the session context says.
    reason: str
    event: str
    ends_session: bool = True


ENDINGS = [
    Ending(
        "disabled", "PATCH", lambda p, *_: p.path, {"status": "disabled"}, 200, "account_disabled", "account.disabled"
    ),
    Ending("closed", "PATCH", lambda p, *_: p.path, {"status": "closed"}, 200, "account_closed", "account.closed"),
    Ending(
        "password", "PUT", lambda p, *_: f"{p.path}/password", {"password": "another password"}, 204, "signed_out",
        "account.password_set",
    ),
    Ending(
        "sessions", "POST", lambda p, *_: f"{p.path}/end-sessions", None, 200, "revoked", "account.sessions_ended"
    ),
    Ending(
        "session", "DELETE", lambda _, signed, __: f"/sessions/{signed.claims['sid']}", None, 204, "revoked",
        "session.ended",
    ),
    Ending(
        "grant", "DELETE", lambda _, __, grant: f"/grants/{grant['id']}", None, 204, "revoked", "grant.ended",
        ends_session=False,
    ),
    Ending(
        "consent", "DELETE", lambda p, *_: f"{p.path}/consents/conf1", None, 204, "consent_withdrawn",
        "consent.withdrawn", ends_session=False,
    ),
]

def check_over(lab: Lab, signed: Signed, reason: str) -> None:
    """At the next request, wherever it is asked."""
    token = signed.access_token
    check_token_error(lab.refresh(CONF1, signed.refresh_token), "invalid_grant", status=400)
    check_bearer_error(lab.userinfo(token), 401, "invalid_token")
    body = check_bearer_error(lab.session_context(token), 401, "invalid_token")
    assert body["reason"] == reason
    for one in (token, signed.refresh_token):
        check_inactive(lab.introspect(CONF1, one))


@pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: ending.name)
def test_what_is_ended_is_over(api: AdminAPI, lab: Lab, person: Person, record: Any, ending: Ending) -> None:
    browser = lab.browser()
    signed = lab.sign_in(CONF1, account=person.account, browser=browser)
    (grant,) = api.items(f"{person.path}/grants")
    check_session_context(lab.session_context(signed.access_token), claims=signed.claims)
    answer = api(ending.method, ending.path(person, signed, grant), ending.body, expect=ending.status)
    check_no_store(answer)
    check_over(lab, signed, ending.reason)
    assert record(person.sub)[-1][0] == ending.event
    if ending.name == "sessions":
        assert answer.json() == {"sessions": 1, "grants": 1}
    ended = api.json("GET", f"/grants/{grant['id']}")
    assert ended["state"] == "ended" and ended["ended_at"]

    # The browser is asked again, or not.
    ask = lab.ask(CONF1, prompt="none")
    url = lab.silent(browser, ask)
    if ending.ends_session:
        ask.error(url, "login_required")
    elif ending.name == "consent":
        ask.error(url, "consent_required")
    else:
        assert lab.finish(ask, url, browser).claims["sub"] == person.sub
    # Nothing of it comes back.
    if ending.name == "disabled":
        api("PATCH", person.path, {"status": "active"}, expect=200)
        ask.error(lab.silent(browser, ask), "login_required")
    check_over(lab, signed, ending.reason)


@pytest.mark.parametrize("ending", [e for e in ENDINGS if e.name != "grant"], ids=lambda ending: ending.name)
def test_a_code_that_was_given_out_before(api: AdminAPI, lab: Lab, person: Person, ending: Ending) -> None:
    """It gives nothing any more, wherever the account, the session or the consent behind it is gone."""
    browser = lab.browser()
    signed = lab.sign_in(CONF1, account=person.account, browser=browser)
    (grant,) = api.items(f"{person.path}/grants")
    ask = lab.ask(CONF1)
    code = lab.code(ask, browser, person.account)
    api(ending.method, ending.path(person, signed, grant), ending.body, expect=ending.status)
    check_token_error(lab.redeem(ask, code), "invalid_grant", status=400)
    assert api.items(f"{person.path}/grants") == []


def test_one_ending_leaves_the_rest(
    api: AdminAPI, lab: Lab, person: Person, make_person: Callable[..., Person]
) -> None:
    browser, bystander = lab.browser(), make_person()
    here = lab.sign_in(CONF1, account=person.account, browser=browser)
    same_browser = lab.sign_in(CONF2, account=person.account, browser=browser)
    elsewhere = lab.sign_in(CONF1, account=person.account)
    somebody = lab.sign_in(CONF1, account=bystander.account)

    grant = next(g for g in api.items(f"{person.path}/grants", client_id="conf1") if g["sid"] == here.claims["sid"])
    api("DELETE", f"/grants/{grant['id']}", expect=204)
    check_over(lab, here, "revoked")
    lab.refreshed(same_browser)
    api("DELETE", f"{person.path}/consents/conf2", expect=204)
    check_token_error(lab.refresh(CONF2, same_browser.refresh_token), "invalid_grant")
    lab.refreshed(elsewhere)
    api("DELETE", f"/sessions/{here.claims['sid']}", expect=204)
    lab.refreshed(elsewhere, lab.refreshed(elsewhere)["refresh_token"])
    assert api.json("POST", f"{person.path}/end-sessions") == {"sessions": 1, "grants": 1}
    check_token_error(lab.refresh(CONF1, elsewhere.refresh_token), "invalid_grant")
    lab.refreshed(somebody)


def test_ending_what_is_over_changes_nothing(api: AdminAPI, lab: Lab, person: Person, record: Any) -> None:
    signed = lab.sign_in(CONF1, account=person.account)
    (grant,) = api.items(f"{person.path}/grants")
    api("DELETE", f"/sessions/{signed.claims['sid']}", expect=204)
    before = api.json("GET", f"/grants/{grant['id']}"), len(record(person.sub))
    api("DELETE", f"/sessions/{signed.claims['sid']}", expect=204)
    api("DELETE", f"/grants/{grant['id']}", expect=204)
    assert api.json("POST", f"{person.path}/end-sessions") == {"sessions": 0, "grants": 0}
    assert (api.json("GET", f"/grants/{grant['id']}"), len(record(person.sub))) == before
    api("DELETE", f"{person.path}/consents/conf1", expect=204)
    api("DELETE", f"{person.path}/consents/conf1", expect=404)


# MARK: Conditions, dry runs, roles


def changing_requests(person: Person, signed: Signed, grant: dict[str, Any]) -> Iterator[tuple[str, str, Any, int]]:
    """Every route that changes what is there: method, path, body, status."""
    yield "PATCH", person.path, {"claims": {"name": "Changed"}}, 200
    for ending in ENDINGS:
        yield ending.method, ending.path(person, signed, grant), ending.body, ending.status


def everything(api: AdminAPI, person: Person) -> list[Any]:
    parts = [api.json("GET", person.path)]
    for path in ("sessions", "grants", "consents"):
        query = {} if path == "consents" else {"state": "all"}
        parts.append(api.items(f"{person.path}/{path}", **query))
    return parts


def test_conditions_that_do_not_hold(api: AdminAPI, lab: Lab, person: Person, record: Any) -> None:
    signed = lab.sign_in(CONF1, account=person.account)
    (grant,) = api.items(f"{person.path}/grants")
    before = everything(api, person), record(person.sub)
    stale = {"If-Match": '"0123456789abcdef0123456789abcdef"'}
    for method, path, body, _ in changing_requests(person, signed, grant):
        api(method, path, body, headers=stale, expect=412)
        api(method, path, body, headers={"If-None-Match": "*"}, expect=412)
        api(method, path, body, headers={"If-Match": "no tag"}, expect=400)
    assert (everything(api, person), record(person.sub)) == before
    lab.refreshed(signed)


def test_conditions_that_hold(api: AdminAPI, lab: Lab, person: Person) -> None:
    signed = lab.sign_in(CONF1, account=person.account)
    (grant,) = api.items(f"{person.path}/grants")
    for path in (f"/grants/{grant['id']}", f"/sessions/{signed.claims['sid']}"):
        tag = api("GET", path, expect=200).headers["ETag"]
        api("DELETE", path, headers={"If-Match": tag}, expect=204)
        api("DELETE", path, headers={"If-Match": tag}, expect=412)
    api("DELETE", f"{person.path}/consents/conf1", headers={"If-Match": "*"}, expect=204)
    for method, path, body, status in (
        ("PATCH", person.path, {"status": "disabled"}, 200),
        ("PUT", f"{person.path}/password", {"password": "another password"}, 204),
        ("POST", f"{person.path}/end-sessions", None, 200),
    ):
        tag = api("GET", person.path, expect=200).headers["ETag"]
        api(method, path, body, headers={"If-Match": tag}, expect=status)


def test_dry_runs_change_nothing(api: AdminAPI, lab: Lab, person: Person, record: Any) -> None:
    signed = lab.sign_in(CONF1, account=person.account)
    (grant,) = api.items(f"{person.path}/grants")
    before = everything(api, person), record(person.sub)
    for method, path, body, status in changing_requests(person, signed, grant):
        answer = api(method, path, body, dry_run="true", expect=status)
        assert "ETag" not in answer.headers
        if isinstance(body, dict) and "status" in body:
            assert answer.json()["status"] == body["status"]
    username = f"dry-{random_text(8)}"
    made = api("POST", "/accounts", {"username": username, "password": "long enough"}, dry_run="true", expect=200)
    assert made.json()["username"] == username and "Location" not in made.headers
    assert api.items("/accounts", username=username) == []
    # What would fail fails.
    api("POST", "/accounts", {"username": person.account.username}, dry_run="true", expect=409)
    api("PATCH", person.path, {"status": "gone"}, dry_run="true", expect=422)
    assert (everything(api, person), record(person.sub)) == before
    lab.refreshed(signed)


def test_who_may(dev: Dev, api: AdminAPI, lab: Lab, person: Person, record: Any) -> None:
    signed = lab.sign_in(CONF1, account=person.account)
    (grant,) = api.items(f"{person.path}/grants")
    reads = {
        "accounts": ["/accounts", person.path],
        "sessions": [
            f"{person.path}/sessions", f"{person.path}/grants", f"{person.path}/consents", "/clients/conf1/grants",
            "/clients/conf1/consents", f"/sessions/{signed.claims['sid']}", f"/grants/{grant['id']}",
        ],
    }
    auditor, operator = AdminAPI(dev, add_token(dev, "auditor")), AdminAPI(dev, add_token(dev, "operator"))
    before = everything(api, person), record(person.sub)
    for method, path, body, status in changing_requests(person, signed, grant):
        operator(method, path, body, dry_run="true", expect=status)
    for method, path, body, _ in [*changing_requests(person, signed, grant), ("POST", "/accounts", {}, 201)]:
        auditor(method, path, body, expect=403)
        AdminAPI(dev, None)(method, path, body, expect=401)
        is_account = path in ("/accounts", person.path, f"{person.path}/password")
        other = AdminAPI(dev, add_token(dev, "operator", areas=["sessions" if is_account else "accounts"]))
        other(method, path, body, expect=403)
    for area, paths in reads.items():
        narrowed = AdminAPI(dev, add_token(dev, "auditor", areas=[area]))
        others = AdminAPI(dev, add_token(dev, "admin", areas=["clients", "audit"]))
        for path in paths:
            auditor("GET", path, expect=200)
            narrowed("GET", path, expect=200)
            others("GET", path, expect=403)
    assert (everything(api, person), record(person.sub)) == before
    lab.refreshed(signed)
