"""Off means off: what an admin, an app or a person ends is refused at the next request, at every node and endpoint,
with the right error and reason; and what was ended does not come back when it is allowed again.

Two nodes on one database. The app is signed in and used at both; then something is ended by a command or at one node,
and the other is asked at once. For what no command does yet, the database is asked to.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import psycopg
import pytest
import requests

from support import CLIENTS, Account, Client
from support.checks import (
    check_active,
    check_bearer_error,
    check_inactive,
    check_json,
    check_revoked,
    check_session_context,
    check_token_answer,
    check_token_error,
    check_userinfo,
)
from support.cluster import Cluster, Node, serving
from support.fixtures import client_of
from support.flow import Lab, Signed, basic
from support.secrecy import WIRE

API1 = CLIENTS["api1"]
APP = CLIENTS["conf1"].raw | {
    "client_id": "ending",
    "client_name": "ending",
    "client_secret": "ending-0123456789abcdefghijklmnopqrstuvwxyz",
    "audience": ["api1"],
}
PERSON = {"username": "erin@example.test", "password": "a password to begin with", "name": "Erin Example"}


class World:
    """An app and a person at two nodes."""

    def __init__(self, one: Node, two: Node) -> None:
        self.one, self.two = Lab(one.issuer), Lab(one.issuer, node=f"http://127.0.0.1:{two.port}")
        self.node = one
        self.client: Client = client_of(APP)
        self.account = Account(PERSON["username"], PERSON["password"], PERSON)
        self.apply()

    def apply(self) -> None:
        self.run("apply", "-f", "-", stdin=json.dumps({"clients": [APP], "accounts": [PERSON]}))

    def run(self, *arguments: str, stdin: str | None = None) -> None:
        self.node.run(*arguments, stdin=stdin)

    def sql(self, statement: str, *values: Any) -> Any:
        with self.node.database() as database:
            done: psycopg.Cursor[Any] = database.execute(statement, values)
            return done.fetchone() if done.description else None

    def sign_in(self) -> Signed:
        return self.one.sign_in(self.client, account=self.account, scope="openid profile")

    def session(self, signed: Signed) -> int:
        return self.sql("SELECT id FROM browser_sessions WHERE sid = %s", signed.claims["sid"])[0]

    def grant(self, signed: Signed) -> str:
        return str(self.sql("SELECT id FROM grants WHERE sid = %s", signed.claims["sid"])[0])

    def password(self, password: str) -> None:
        WIRE.add(password)
        self.run("account", "password", "--password-stdin", self.account.username, stdin=password + "\n")
        self.account = replace(self.account, password=password)

    def reopen(self) -> None:
        """No admin can: a closed account stays closed. A hand in the database might."""
        self.sql("UPDATE accounts SET status = 'active' WHERE username = %s", self.account.username)
        self.password(PERSON["password"])


@pytest.fixture(scope="module")
def world(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    one = serving(cluster, tmp_path_factory.mktemp("off"), "off_means_off")
    two = one.beside()
    WIRE.add(APP["client_secret"], PERSON["password"])
    one.start()
    two.start()
    yield World(one, two)
    two.stop()
    one.stop()


# MARK: What ends, and how it is refused


@dataclass(frozen=True)
class End:
    name: str
    off: Callable[[World, Signed], Any]
    #: Allows again what was switched off; nothing where there is nothing to allow.
    on: Callable[[World], Any] = lambda world: None
    #: What the session context says.
    reason: str | None = None
    #: The app itself is refused, not only what it holds.
    takes_client: bool = False
    #: What else came or will come of the sign-in ends, too.
    ends_session: bool = True


APP_ID, NAME = APP["client_id"], PERSON["username"]

ENDS = [
    End(
        "client disabled",
        lambda world, _: world.run("client", "disable", APP_ID),
        lambda world: world.run("client", "enable", APP_ID),
        reason="revoked",
        takes_client=True,
    ),
    # Of what is deleted nothing is known, and so no reason.
    End(
        "client deleted", lambda world, _: world.run("client", "delete", APP_ID), World.apply, takes_client=True
    ),
    End(
        "account disabled",
        lambda world, _: world.run("account", "disable", NAME),
        lambda world: world.run("account", "enable", NAME),
        reason="account_disabled",
    ),
    End("account closed", lambda world, _: world.run("account", "close", NAME), World.reopen, reason="account_closed"),
    End(
        "consent withdrawn",
        lambda world, _: world.run("consent", "withdraw", NAME, APP_ID),
        reason="consent_withdrawn",
    ),
    End(
        "signed out",
        lambda world, signed: world.sql("SELECT end_session(%s, 'signed_out')", world.session(signed)),
        reason="signed_out",
    ),
    End(
        "session ended by an admin",
        lambda world, signed: world.run("session", "end", signed.claims["sid"]),
        reason="revoked",
    ),
    End(
        "all sessions ended by an admin",
        lambda world, _: world.run("account", "end-sessions", NAME),
        reason="revoked",
    ),
    End(
        "grant ended by an admin",
        lambda world, signed: world.run("grant", "end", world.grant(signed)),
        reason="revoked",
        ends_session=False,
    ),
    End(
        "password changed",
        lambda world, _: world.password("a password from later on"),
        lambda world: world.password(PERSON["password"]),
        reason="signed_out",
    ),
    End(
        "refresh token revoked",
        lambda world, signed: check_revoked(world.one.revoke(world.client, signed.refresh_token)),
        reason="revoked",
        ends_session=False,
    ),
]


# MARK: Where it is refused


@dataclass(frozen=True)
class Endpoint:
    name: str
    #: How it is used, and what shows that the sign-in stands.
    use: Callable[[World, Lab, Signed], Any]
    #: The same use, refused.
    refuses: Callable[[World, Lab, Signed, End], Any]


def use_refresh(world: World, lab: Lab, signed: Signed) -> None:
    check_token_answer(lab.refresh(world.client, signed.refresh_token))


def refuses_refresh(world: World, lab: Lab, signed: Signed, end: End) -> None:
    check_client_error(lab.refresh(world.client, signed.refresh_token), end, grant_error)


def grant_error(answer: requests.Response) -> None:
    check_token_error(answer, "invalid_grant", status=400)


def check_client_error(answer: requests.Response, end: End, otherwise: Callable[[requests.Response], None]) -> None:
    """An app that is no more hears that first."""
    if end.takes_client:
        check_token_error(answer, "invalid_client", status=401)
    else:
        otherwise(answer)


def use_userinfo(world: World, lab: Lab, signed: Signed) -> None:
    check_userinfo(lab.userinfo(signed.access_token), sub=signed.claims["sub"])


def refuses_userinfo(world: World, lab: Lab, signed: Signed, end: End) -> None:
    check_bearer_error(lab.userinfo(signed.access_token), 401, "invalid_token")


def use_introspection(world: World, lab: Lab, signed: Signed) -> None:
    for caller in (world.client, API1):
        answer = lab.introspect(caller, signed.access_token)
        check_active(answer, issuer=lab.issuer, claims=signed.claims, is_access_token=True)
    answer = lab.introspect(world.client, signed.refresh_token)
    check_active(answer, issuer=lab.issuer, claims=signed.claims, is_access_token=False)


def refuses_introspection(world: World, lab: Lab, signed: Signed, end: End) -> None:
    check_inactive(lab.introspect(API1, signed.access_token))
    for token in (signed.access_token, signed.refresh_token):
        check_client_error(lab.introspect(world.client, token), end, check_inactive)


def use_session_context(world: World, lab: Lab, signed: Signed) -> None:
    check_session_context(lab.session_context(signed.access_token), claims=signed.claims)


def refuses_session_context(world: World, lab: Lab, signed: Signed, end: End) -> None:
    body = check_bearer_error(lab.session_context(signed.access_token), 401, "invalid_token")
    assert body.get("reason") == end.reason, body


ENDPOINTS = [
    Endpoint("refresh", use_refresh, refuses_refresh),
    Endpoint("userinfo", use_userinfo, refuses_userinfo),
    Endpoint("introspection", use_introspection, refuses_introspection),
    Endpoint("session context", use_session_context, refuses_session_context),
]


@pytest.mark.parametrize("end", ENDS, ids=lambda end: end.name)
@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.name)
def test_off_means_off_at_the_other_node(world: World, endpoint: Endpoint, end: End) -> None:
    signed = world.sign_in()
    try:
        # Both nodes know the app and the token; a refresh would move the token on, so the other uses warm up.
        for warm in ENDPOINTS[1:]:
            for lab in (world.one, world.two):
                warm.use(world, lab, signed)
        if endpoint.name == "refresh":
            use_refresh(world, world.two, signed)
        end.off(world, signed)
        endpoint.refuses(world, world.two, signed, end)
        endpoint.refuses(world, world.one, signed, end)
    finally:
        end.on(world)
    # The app or person is back; what it held stays dead.
    check_bearer_error(world.two.session_context(signed.access_token), 401, "invalid_token")
    for lab in (world.two, world.one):
        grant_error(lab.refresh(world.client, signed.refresh_token))
        check_inactive(lab.introspect(API1, signed.access_token))
    again = world.sign_in()
    for lab in (world.two, world.one):
        use_session_context(world, lab, again)


def test_B070_codes_of_a_disabled_client_and_revoking_there(world: World) -> None:
    """The app is switched off between authorize and token; a later refresh, and revoking, are refused too."""
    signed = world.sign_in()
    ask = world.one.ask(world.client)
    code = world.one.code(ask, signed.browser, world.account)
    try:
        world.run("client", "disable", APP_ID)
        for answer in (
            world.two.redeem(ask, code),
            world.two.refresh(world.client, signed.refresh_token),
            world.two.revoke(world.client, signed.refresh_token),
            world.two.introspect(world.client, signed.refresh_token),
        ):
            check_token_error(answer, "invalid_client", status=401)
    finally:
        world.run("client", "enable", APP_ID)
    grant_error(world.two.redeem(ask, code))


@pytest.mark.parametrize("end", [end for end in ENDS if not end.takes_client], ids=lambda end: end.name)
def test_a_code_of_what_has_ended_gives_nothing(world: World, end: End) -> None:
    signed = world.sign_in()
    ask = world.one.ask(world.client)
    code = world.one.code(ask, signed.browser, world.account)
    try:
        end.off(world, signed)
        answer = world.two.redeem(ask, code)
        if end.ends_session:
            grant_error(answer)
        else:
            check_token_answer(answer)
    finally:
        end.on(world)
    grant_error(world.two.redeem(ask, code))


def test_an_access_token_revoked_at_one_node_is_dead_at_the_other(world: World) -> None:
    signed = world.sign_in()
    use_session_context(world, world.two, signed)
    check_revoked(world.one.revoke(world.client, signed.access_token))
    end = End("access token revoked", lambda *_: None, reason="revoked")
    for refuses in (refuses_userinfo, refuses_session_context):
        refuses(world, world.two, signed, end)
    for caller in (world.client, API1):
        check_inactive(world.two.introspect(caller, signed.access_token))
    assert check_json(world.two.introspect(world.client, signed.refresh_token))["active"] is True
    use_refresh(world, world.two, signed)


def test_a_resource_server_that_is_disabled_sees_nothing(world: World) -> None:
    signed = world.sign_in()
    use_introspection(world, world.two, signed)
    try:
        world.run("client", "disable", "api1")
        check_token_error(world.two.introspect(API1, signed.access_token), "invalid_client", status=401)
    finally:
        world.run("client", "enable", "api1")
    wrong = basic("api1", "x" * 43)
    check_token_error(world.two.introspect(API1, "x", auth=wrong), "invalid_client", status=401)
