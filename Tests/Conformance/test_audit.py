"""The record of what happened: who, from where, for which app, and why; no secret in it; nothing without it."""

from __future__ import annotations

import itertools
import json
import os
import pwd
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from support import ALICE, BOB, CLIENTS
from support.checks import check_error_page, check_token_answer, check_token_error
from support.cluster import Cluster, Node, serving
from support.fixtures import Account
from support.flow import Lab
from support.secrecy import WIRE

WEB1, WEB2, APP1, CONF1 = (CLIENTS[name] for name in ("web1", "web2", "app1", "conf1"))
ACR = "urn:seleid:acr:password"
#: Of a device of its own each, so that failed sign-ins of one test do not slow down another.
ADDRESSES = (f"198.51.100.{number}" for number in itertools.count(1))
REQUESTS = (f"audit-{number}" for number in itertools.count(1))


@dataclass(frozen=True)
class Event:
    kind: str
    actor: tuple[str, str | None]
    client_id: str | None
    subject: str | None
    address: str | None
    detail: dict[str, Any]


class Recorded(Lab):
    """A lab whose requests all come from one address and have one request id, by which the record is asked."""

    def __init__(self, node: Node) -> None:
        self.server = node
        self.address = next(ADDRESSES)
        self.request_id = next(REQUESTS)
        super().__init__(
            node.issuer, headers={"X-Forwarded-For": self.address, "X-Request-Id": self.request_id}
        )

    @property
    def events(self) -> list[Event]:
        """In their order; that they come from this address is checked."""
        with self.server.database() as database:
            rows = database.execute(
                "SELECT event, actor_kind, actor, client_id, subject, address, detail FROM audit_events"
                " WHERE request_id = %s ORDER BY id",
                (self.request_id,),
            ).fetchall()
        assert all(row[5] == self.address for row in rows)
        return [Event(row[0], (row[1], row[2]), *row[3:]) for row in rows]

    @property
    def names(self) -> list[str]:
        return [event.kind for event in self.events]

    def again(self) -> "Recorded":
        """The same place, with requests of another id."""
        other = Recorded(self.server)
        other.address = other.headers["X-Forwarded-For"] = self.address
        return other


@pytest.fixture(scope="module")
def node(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    node = serving(
        cluster,
        tmp_path_factory.mktemp("audit"),
        "audit",
        environment={"SELEID_TRUSTED_PROXIES": "127.0.0.1/32"},
    )
    yield node.start()
    node.stop()


@pytest.fixture
def lab(node: Node) -> Recorded:
    return Recorded(node)


def subject_of(node: Node, account: Account) -> str:
    with node.database() as database:
        row = database.execute("SELECT subject FROM accounts WHERE username = %s", (account.username,)).fetchone()
    assert row
    return row[0]


@pytest.fixture
def alice(node: Node) -> str:
    return subject_of(node, ALICE)


def forget_consents(node: Node) -> None:
    with node.database() as database:
        database.execute("DELETE FROM consents")


# MARK: Sign-ins, consents, codes


def test_a_sign_in_from_its_first_slip_to_the_code(lab: Recorded, node: Node, alice: str) -> None:
    forget_consents(node)
    browser, ask = lab.browser(), lab.ask(WEB1, scope="openid profile email")
    page = browser.get(ask.url)
    page = browser.sign_in(page, Account(ALICE.username, "wrong password", {}))
    page = browser.sign_in(page, ALICE)
    ask.code(browser.decide(page).url)
    failed, signed_in, consented, granted = lab.events
    assert failed == Event(
        "sign_in.failed", ("anonymous", None), "web1", alice, lab.address, {"reason": "wrong_password"}
    )
    session = signed_in.detail["session"]
    assert signed_in == Event(
        "sign_in.succeeded", ("person", alice), "web1", alice, lab.address, {"acr": ACR, "session": session}
    )
    assert consented == Event(
        "consent.granted", ("person", alice), "web1", alice, lab.address, {"scope": "openid profile email"}
    )
    assert granted == Event(
        "authorization.granted",
        ("person", alice),
        "web1",
        alice,
        lab.address,
        {"scope": "openid profile email", "acr": ACR, "session": session},
    )
    with node.database() as database:
        assert database.execute("SELECT account_id FROM browser_sessions WHERE id = %s", (session,)).fetchone()


def test_what_was_typed_in_place_of_a_username_is_not_kept(lab: Recorded, node: Node) -> None:
    """People type their password there."""
    browser = lab.browser()
    typed = "my-secret-passphrase-that-is-no-name"
    WIRE.add(typed)
    browser.sign_in(browser.get(lab.ask(CONF1).url), Account(typed, "another-secret-of-mine", {}))
    assert lab.events == [
        Event("sign_in.failed", ("anonymous", None), "conf1", None, lab.address, {"reason": "unknown_username"})
    ]
    with node.database() as database:
        everything = database.execute("SELECT string_agg(e::text, E'\n') FROM audit_events e").fetchone()
    assert everything and typed not in everything[0] and "another-secret" not in everything[0]


@pytest.mark.parametrize("status", ["disabled", "closed"])
def test_the_right_password_of_an_account_that_is_off(lab: Recorded, node: Node, status: str) -> None:
    bob = subject_of(node, BOB)
    browser = lab.browser()
    page = browser.get(lab.ask(CONF1).url)
    with node.database() as database:
        database.execute("UPDATE accounts SET status = %s WHERE subject = %s", (status, bob))
    try:
        browser.sign_in(page, BOB)
    finally:
        with node.database() as database:
            database.execute("UPDATE accounts SET status = 'active' WHERE subject = %s", (bob,))
    assert lab.events == [
        Event("sign_in.failed", ("anonymous", None), "conf1", bob, lab.address, {"reason": f"account_{status}"})
    ]


def test_too_many_guesses(lab: Recorded, alice: str) -> None:
    browser = lab.browser()
    page = browser.get(lab.ask(CONF1).url)
    for _ in range(6):
        page = browser.sign_in(page, Account(ALICE.username, "wrong password", {}))
    assert page.status == 429
    assert lab.names == ["sign_in.failed"] * 5 + ["sign_in.throttled"]
    assert lab.events[-1] == Event("sign_in.throttled", ("anonymous", None), "conf1", alice, lab.address, {})


def test_a_person_says_no(lab: Recorded, node: Node, alice: str) -> None:
    forget_consents(node)
    browser, ask = lab.browser(), lab.ask(WEB1)
    page = browser.sign_in(browser.get(ask.url))
    ask.error(browser.decide(page, "deny").url, "access_denied")
    signed_in, denied, refused = lab.events
    assert signed_in.kind == "sign_in.succeeded"
    assert denied == Event("consent.denied", ("person", alice), "web1", alice, lab.address, {"scope": "openid"})
    assert (refused.kind, refused.actor, refused.client_id) == ("authorization.refused", ("person", alice), "web1")
    assert refused.detail["error"] == "access_denied"


def test_a_person_turns_back_at_the_sign_in_page(lab: Recorded) -> None:
    browser, ask = lab.browser(), lab.ask(WEB1)
    ask.error(browser.decide(browser.get(ask.url), "cancel").url, "access_denied")
    (refused,) = lab.events
    assert (refused.kind, refused.actor, refused.subject) == ("authorization.refused", ("anonymous", None), None)
    assert refused.detail["detail"] == "cancelled at /sign-in"


# MARK: Refused authorizations


def test_what_an_app_is_refused(lab: Recorded, node: Node, alice: str) -> None:
    forget_consents(node)
    lab.redirect_error(lab.ask(WEB1, response_type="token"), "unsupported_response_type")
    lab.redirect_error(lab.ask(WEB1, prompt="none"), "login_required")
    browser = lab.browser()
    browser.sign_in(browser.get(lab.ask(WEB1).url))
    silent = lab.ask(WEB1, prompt="none")
    silent.error(lab.silent(browser, silent), "consent_required")
    first, second, signed_in, third = lab.events
    assert signed_in.kind == "sign_in.succeeded"
    for event, error, actor in (
        (first, "unsupported_response_type", ("anonymous", None)),
        (second, "login_required", ("anonymous", None)),
        (third, "consent_required", ("person", alice)),
    ):
        assert (event.kind, event.actor, event.client_id) == ("authorization.refused", actor, "web1")
        assert event.detail["error"] == error and event.detail["reason"]


def test_a_refusal_on_our_own_page(lab: Recorded, node: Node) -> None:
    lab.error_page(lab.ask(WEB1, redirect_uri="http://127.0.0.1:9801/cb/?own=query-of-the-attacker").url)
    with node.database() as database:
        database.execute("UPDATE clients SET enabled = false WHERE client_id = 'web2'")
        try:
            lab.error_page(lab.ask(WEB2).url)
        finally:
            database.execute("UPDATE clients SET enabled = true WHERE client_id = 'web2'")
    first, second = lab.events
    assert (first.kind, first.actor, first.client_id) == ("authorization.refused", ("anonymous", None), "web1")
    assert first.detail["error"] == "invalid_request" and "redirect_uri" in first.detail["reason"]
    assert "attacker" not in json.dumps(first.detail)
    assert (second.client_id, second.detail["reason"]) == ("web2", "the client is disabled")


def test_what_names_no_known_client_is_not_on_record(lab: Recorded) -> None:
    """It costs nothing to invent."""
    lab.error_page(lab.ask(WEB1, client_id="nobody").url)
    lab.error_page(lab.ask(WEB1, without=["client_id"]).url)
    form = {"grant_type": "refresh_token", "refresh_token": "x"}
    check_token_error(lab.token(None, form | {"client_id": "nobody"}), "invalid_client")
    check_token_error(lab.token(None, form), "invalid_client")
    check_token_error(
        lab.token(None, form | {"client_id": "web1"}, headers={"Content-Type": "text/plain"}), "invalid_request"
    )
    assert lab.events == []


# MARK: The token endpoint


def test_what_an_app_is_refused_at_the_token_endpoint(lab: Recorded) -> None:
    check_token_error(lab.refresh(WEB1, "x", auth=f"Basic {'d2ViMTp3cm9uZy1zZWNyZXQtb2Ytd2ViMQ=='}"), "invalid_client")
    check_token_error(lab.refresh(APP1, "x", auth="none", client_secret="not-so-secret-secret"), "invalid_client")
    check_token_error(lab.refresh(WEB1, "no-token-of-ours-at-all"), "invalid_grant")
    check_token_error(lab.refresh(WEB1, "x", grant_type="password"), "unsupported_grant_type")
    wrong, method, grant, unsupported = lab.events
    for event, client, error, actor in (
        (wrong, "web1", "invalid_client", ("anonymous", None)),
        (method, "app1", "invalid_client", ("anonymous", None)),
        (grant, "web1", "invalid_grant", ("client", "web1")),
        (unsupported, "web1", "unsupported_grant_type", ("client", "web1")),
    ):
        assert (event.kind, event.client_id, event.actor, event.subject) == ("token.refused", client, actor, None)
        assert event.detail["error"] == error and event.detail["reason"]
    assert method.detail["detail"] == "sent client_secret_post"


def test_what_an_app_is_refused_at_the_switched_endpoints(lab: Recorded) -> None:
    signed = lab.sign_in(WEB2)
    later = lab.again()
    form = {"token": "no token of ours", "client_id": "web2", "client_secret": WEB2.secret}
    for path in ("/oauth/revoke", "/oauth/introspect"):
        answer = later.http("POST", later.issuer + path, data=form | {"client_secret": "wrong-wrong-wrong-wrong"})
        check_token_error(answer, "invalid_client")
        check_token_error(later.http("POST", later.issuer + path, data=form), "unauthorized_client")
    for path in ("/oauth/userinfo", "/v1/session/context"):
        bearer = {"Authorization": f"Bearer {signed.access_token}"}
        assert later.get(path, headers=bearer).status_code == 403
        # Not on record: it is nobody's.
        assert later.get(path, headers={"Authorization": "Bearer no-token-of-ours"}).status_code == 401
    assert [(event.kind, event.actor, event.client_id, event.detail["error"]) for event in later.events] == [
        ("revocation.refused", ("anonymous", None), "web2", "invalid_client"),
        ("revocation.refused", ("client", "web2"), "web2", "unauthorized_client"),
        ("introspection.refused", ("anonymous", None), "web2", "invalid_client"),
        ("introspection.refused", ("client", "web2"), "web2", "unauthorized_client"),
        ("userinfo.refused", ("client", "web2"), "web2", "insufficient_scope"),
        ("session_context.refused", ("client", "web2"), "web2", "insufficient_scope"),
    ]


def test_a_code_that_comes_twice(lab: Recorded, alice: str) -> None:
    signed = lab.sign_in(CONF1)
    later = lab.again()
    check_token_error(later.redeem(signed.ask, signed.code), "invalid_grant")
    check_token_error(later.redeem(signed.ask, signed.code), "invalid_grant")
    replayed, refused, refused_again = later.events
    assert (replayed.kind, replayed.actor, replayed.client_id) == ("code.replayed", ("client", "conf1"), "conf1")
    assert replayed.subject == alice and replayed.detail["ended_grant"] > 0
    assert {refused.kind, refused_again.kind} == {"token.refused"}
    assert refused.detail["error"] == "invalid_grant"


def test_a_refresh_token_that_comes_again(lab: Recorded, alice: str) -> None:
    signed = lab.sign_in(CONF1)
    first = lab.again()
    newer = first.refreshed(signed)["refresh_token"]
    assert first.events == [], "an ordinary refresh is traffic"
    retried = lab.again()
    assert retried.refreshed(signed)["refresh_token"] == newer
    (event,) = retried.events
    assert (event.kind, event.actor, event.subject) == ("refresh.retried", ("client", "conf1"), alice)
    lab.refreshed(signed, newer)
    reused = lab.again()
    check_token_error(reused.refresh(CONF1, signed.refresh_token), "invalid_grant")
    event, refused = reused.events
    assert (event.kind, event.actor, event.client_id) == ("refresh.reused", ("client", "conf1"), "conf1")
    assert event.subject == alice and event.detail["grant"] > 0
    assert refused.kind == "token.refused"


def test_refusals_are_bounded_and_the_rest_is_counted(node: Node) -> None:
    """A client_id is public, so anybody can have any client refused. What was left out is written when a server stops,
    if its minute is not over."""
    other = node.beside(environment={"SELEID_TRUSTED_PROXIES": "127.0.0.1/32"}).start()
    try:
        lab = Recorded(node)
        lab.node = f"http://127.0.0.1:{other.port}"
        for _ in range(75):
            check_token_error(lab.refresh(WEB2, "x", client_secret="wrong-wrong-wrong-wrong"), "invalid_client")
        check_token_error(lab.refresh(WEB1, "x"), "invalid_grant")
    finally:
        other.stop()
    assert lab.names == ["token.refused"] * 61
    assert [event.client_id for event in lab.events].count("web2") == 60
    with node.database() as database:
        rows = database.execute(
            "SELECT event, actor_kind, client_id, detail FROM audit_events WHERE detail ? 'suppressed'"
        ).fetchall()
    assert rows == [("token.refused", "system", "web2", {"suppressed": 15})]


# MARK: Keys


def test_keys(node: Node) -> None:
    user = pwd.getpwuid(os.getuid()).pw_name
    node.run("key", "rotate")
    keys = {key["state"]: key["kid"] for key in json.loads(node.run("key", "list", "--json").stdout)}
    node.run("key", "revoke", keys["published"])
    with node.database() as database:
        rows = database.execute(
            "SELECT event, actor_kind, actor, detail ->> 'kid', address, request_id FROM audit_events"
            " WHERE event LIKE 'key.%' ORDER BY id"
        ).fetchall()
    assert rows == [
        ("key.created", "system", None, keys["signing"], None, None),
        ("key.rotated", "command", user, keys["published"], None, None),
        ("key.revoked", "command", user, keys["published"], None, None),
    ]


# MARK: Nothing without it


def test_what_cannot_be_recorded_is_not_done(lab: Recorded, node: Node) -> None:
    """503 while the record cannot be written, and nothing is given, spent or ended; afterwards all goes on."""
    signed = lab.sign_in(CONF1)
    newer = lab.refreshed(signed)["refresh_token"]
    newest = lab.refreshed(signed, newer)["refresh_token"]
    browser, ask = lab.browser(), lab.ask(WEB1)
    page = browser.get(ask.url)
    counts = "SELECT (SELECT count(*) FROM authorization_codes), (SELECT count(*) FROM browser_sessions)"
    with node.database() as database:
        before = database.execute(counts).fetchone()
        database.execute("ALTER TABLE audit_events RENAME TO elsewhere")
        try:
            for account in (ALICE, Account(ALICE.username, "wrong password", {})):
                answer = browser.sign_in(page, account)
                assert answer.response is not None and not answer.left
                check_error_page(answer.response, statuses=(503,))
                assert int(answer.response.headers["Retry-After"]) > 0
            # Somebody who is signed in gets no code either.
            silent = lab.ask(CONF1, prompt="none")
            silent.error(lab.silent(signed.browser, silent), "temporarily_unavailable")
            for refused in (
                lab.refresh(WEB2, "x", client_secret="wrong-wrong-wrong-wrong"),
                lab.refresh(WEB1, "no token"),
                lab.refresh(CONF1, signed.refresh_token),  # reuse
                lab.redeem(signed.ask, signed.code),  # a replay
            ):
                check_token_error(refused, "temporarily_unavailable", status=503)
            elsewhere = browser.get(lab.ask(WEB1, redirect_uri="http://127.0.0.1:9801/other").url)
            check_error_page(elsewhere.response, statuses=(503,))
            # What leaves no trace in the record goes on, and what names nobody too.
            newest = check_token_answer(lab.refresh(CONF1, newest))["refresh_token"]
            lab.error_page(lab.ask(WEB1, client_id="nobody").url)
            assert database.execute(counts).fetchone() == before
        finally:
            database.execute("ALTER TABLE elsewhere RENAME TO audit_events")
    lab.refreshed(signed, newest)
    page = browser.sign_in(page)
    ask.code(page.url if page.left else browser.decide(page).url)


def test_no_secret_is_on_record(lab: Recorded, node: Node) -> None:
    """Whatever secret went over the wire until now: all flows of this file."""
    lab.sign_in(WEB1)
    with node.database() as database:
        (count, text) = database.execute("SELECT count(*), string_agg(e::text, E'\n') FROM audit_events e").fetchone()
    assert count > 100
    assert WIRE.found_in(text) == []
