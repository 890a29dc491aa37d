"""Discovery and routes follow the switches, in all their combinations; what is off for a client is refused with the error of
the endpoint, which names the switch.

Every combination of the global states of the four endpoints is set, each with some of the client's own switches, in an order
that chance gives. `SWITCHES_SEED` repeats a run.
"""

from __future__ import annotations

import functools
import itertools
import json
import os
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import requests

from support import CLIENTS
from support.checks import (
    check_active,
    check_bearer_error,
    check_json,
    check_revoked,
    check_session_context,
    check_token_answer,
    check_token_error,
    check_userinfo,
)
from support.cluster import Cluster, Node, serving
from support.flow import Lab, Signed, basic
from support.settle import settle

CONF1 = CLIENTS["conf1"]
SEED = int(os.environ.get("SWITCHES_SEED", "20261"))
#: Choices of the client's own switches for each combination of global states, beside those where all are alike.
SAMPLES = 1
STATES = ("off", "per_client", "on")
SETTINGS = (None, False, True)
Setting = bool | None
WELL_KNOWN = ("/.well-known/openid-configuration", "/.well-known/oauth-authorization-server")
PREFLIGHT = {"Origin": "https://spa.example", "Access-Control-Request-Method": "POST"}


def is_allowed(state: str, setting: Setting) -> bool:
    return {
        ("per_client", True): True,
        ("on", None): True,
        ("on", True): True,
    }.get((state, setting), False)


class World:
    """One node and one person signed in at one app, whose switches the tests turn behind the node's back."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.lab = Lab(node.issuer)
        self.database = node.database()
        self.turn({})
        self.signed: Signed = self.lab.sign_in(CONF1, scope="openid profile")

    def turn(self, states: dict[str, str], settings: dict[str, Setting] | None = None) -> None:
        """Sets these switches, all others to their defaults; returns when the node has heard of it."""
        settings = dict(settings or {})
        sign_in = settings.pop("sign_in", True)
        changes: dict[str, Any] = {"switches": {name: on for name, on in settings.items() if on is not None}}
        if sign_in is not None:
            changes["sign_in"] = sign_in
        with self.database.transaction():
            self.database.execute("DELETE FROM switches")
            for name, state in states.items():
                self.database.execute("INSERT INTO switches (name, state) VALUES (%s, %s)", (name, state))
            self.database.execute(
                "UPDATE clients SET metadata = metadata - 'sign_in' - 'switches' || %s::jsonb WHERE client_id = %s",
                (json.dumps(changes), CONF1.client_id),
            )
        settle(self.database)

    def http(self, method: str, path: str, **options: Any) -> requests.Response:
        return self.lab.http(method, self.node.issuer + path, **options)

    @functools.cache
    def nothing(self, method: str) -> Any:
        """What is seen of a path that there never was."""
        return visible(self.http(method, "/oauth/nothing"))

    def bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.signed.access_token}"}

    def client(self, method: str, path: str) -> requests.Response:
        """With the client's credentials and its own access token in the form, as revocation and introspection want it."""
        assert CONF1.secret
        headers = {"Authorization": basic(CONF1.client_id, CONF1.secret)}
        # Not a token that anybody needs, where it might be revoked.
        token = self.signed.access_token if path.endswith("introspect") else "no token of anybody"
        return self.http(method, path, data={"token": token}, headers=headers)


@pytest.fixture(scope="module")
def world(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    node = serving(cluster, tmp_path_factory.mktemp("switches"), "switches")
    node.start()
    world = World(node)
    yield world
    world.database.close()
    node.stop()


# MARK: The endpoints


@dataclass(frozen=True)
class Endpoint:
    name: str
    path: str
    #: What discovery says of it, and only of it.
    keys: frozenset[str]
    methods: frozenset[str]
    #: A good request.
    use: Callable[[World], requests.Response]
    #: Judges its answer.
    check: Callable[[World, requests.Response], Any]
    takes_tokens: bool

    def refused(self, response: requests.Response) -> None:
        """Off for this client: the error that its kind of endpoint has for it, and the switch by name."""
        if self.takes_tokens:
            body = check_bearer_error(response, 403, "insufficient_scope")
        else:
            body = check_token_error(response, "unauthorized_client", status=400)
        assert f"switch {self.name}" in body["error_description"], body


ENDPOINTS = (
    Endpoint(
        "userinfo",
        "/oauth/userinfo",
        frozenset({"userinfo_endpoint", "userinfo_signing_alg_values_supported"}),
        frozenset({"GET", "POST", "OPTIONS"}),
        lambda world: world.http("GET", "/oauth/userinfo", headers=world.bearer()),
        lambda world, answer: check_userinfo(answer, sub=world.signed.claims["sub"], claims=None),
        takes_tokens=True,
    ),
    Endpoint(
        "session_context",
        "/v1/session/context",
        frozenset({"session_context_endpoint"}),
        frozenset({"GET", "OPTIONS"}),
        lambda world: world.http("GET", "/v1/session/context", headers=world.bearer()),
        lambda world, answer: check_session_context(answer, claims=world.signed.claims),
        takes_tokens=True,
    ),
    Endpoint(
        "revocation",
        "/oauth/revoke",
        frozenset({"revocation_endpoint", "revocation_endpoint_auth_methods_supported"}),
        frozenset({"POST", "OPTIONS"}),
        lambda world: world.client("POST", "/oauth/revoke"),
        lambda _, answer: check_revoked(answer),
        takes_tokens=False,
    ),
    Endpoint(
        "introspection",
        "/oauth/introspect",
        frozenset({"introspection_endpoint", "introspection_endpoint_auth_methods_supported"}),
        frozenset({"POST"}),
        lambda world: world.client("POST", "/oauth/introspect"),
        lambda world, answer: check_active(
            answer, issuer=world.node.issuer, claims=world.signed.claims, is_access_token=True
        ),
        takes_tokens=False,
    ),
)


def visible(answer: requests.Response) -> tuple[int, dict[str, str], bytes]:
    """All that can be seen of an answer, but what each has of its own."""
    headers = {name.lower(): value for name, value in answer.headers.items()}
    return answer.status_code, {name: headers[name] for name in headers if name not in ("date", "x-request-id")}, answer.content


class Documents:
    """The discovery documents of a world: what they say in each set of endpoints that are there."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.seen: dict[frozenset[str], requests.Response] = {}
        world.turn({endpoint.name: "on" for endpoint in ENDPOINTS})
        self.all: dict[str, Any] = check_json(world.http("GET", WELL_KNOWN[0]))
        keys = frozenset().union(*[endpoint.keys for endpoint in ENDPOINTS])
        assert keys <= set(self.all), keys - set(self.all)
        # A list that several features add to. Without userinfo it is what ID Tokens can say.
        world.turn({})
        self.token_claims: list[str] = check_json(world.http("GET", WELL_KNOWN[0]))["claims_supported"]
        assert set(self.token_claims) < set(self.all["claims_supported"]) and "sub" in self.token_claims

    def check(self, there: frozenset[str]) -> None:
        """They are equal, name what is there and nothing else, and say the same of all else."""
        first, second = [self.world.http("GET", path) for path in WELL_KNOWN]
        document = check_json(first)
        assert document == check_json(second)
        absent = frozenset().union(*[endpoint.keys for endpoint in ENDPOINTS if endpoint.name not in there])
        expected = {name: value for name, value in self.all.items() if name not in absent}
        if "userinfo" not in there:
            expected["claims_supported"] = self.token_claims
        assert document == expected
        # A client that has kept the document of another set hears that it is not current any more.
        for set_, answer in [*self.seen.items(), (there, first)]:
            again = self.world.http("GET", WELL_KNOWN[0], headers={"If-None-Match": answer.headers["ETag"]})
            assert again.status_code == (304 if set_ == there else 200), (set_, there)
        self.seen = {there: first}


def check_absent(world: World, endpoint: Endpoint) -> None:
    """404 for every method, without CORS: as a path that there never was."""
    for method in ("GET", "POST", "OPTIONS", "HEAD", "PUT", "DELETE"):
        headers = PREFLIGHT if method == "OPTIONS" else world.bearer()
        answer = world.http(method, endpoint.path, headers=headers)
        assert answer.status_code == 404, f"{method} {endpoint.path}: {answer.status_code}"
        assert not [name for name in answer.headers if name.lower().startswith("access-control-")]
        assert "Allow" not in answer.headers and "WWW-Authenticate" not in answer.headers
        assert visible(answer) == world.nothing(method)


def check_present(world: World, endpoint: Endpoint, allowed: bool) -> None:
    for method in ("GET", "POST", "OPTIONS"):
        answer = world.http(method, endpoint.path, headers=PREFLIGHT if method == "OPTIONS" else {})
        if method in endpoint.methods:
            # Without a token, without a form: it has looked at the request.
            assert answer.status_code in ((204,) if method == "OPTIONS" else (400, 401)), f"{method}: {answer.status_code}"
        else:
            assert answer.status_code == 405, f"{method}: {answer.status_code}"
            assert set(answer.headers["Allow"].split(", ")) - {"HEAD"} == endpoint.methods
        has_cors = answer.headers.get("Access-Control-Allow-Origin") == "*"
        assert has_cors == ("OPTIONS" in endpoint.methods), method
    answer = endpoint.use(world)
    if allowed:
        endpoint.check(world, answer)
    else:
        endpoint.refused(answer)


@pytest.mark.timeout(400)
def test_discovery_and_routes_follow_the_switches(world: World) -> None:
    """3 to the power of 4 global states; for each, the client's own switches all unset, off and on, and at random."""
    chance = random.Random(SEED)
    print(f"\nSWITCHES_SEED={SEED}")
    names = [endpoint.name for endpoint in ENDPOINTS]
    documents = Documents(world)
    walk: list[tuple[tuple[str, ...], tuple[Setting, ...]]] = []
    for states in itertools.product(STATES, repeat=len(names)):
        choices = [(setting,) * len(names) for setting in SETTINGS]
        choices += [tuple(chance.choices(SETTINGS, k=len(names))) for _ in range(SAMPLES)]
        walk += [(states, choice) for choice in choices]
    chance.shuffle(walk)
    met: set[tuple[str, str, Setting]] = set()
    for states, settings in walk:
        world.turn(dict(zip(names, states)), dict(zip(names, settings)))
        documents.check(frozenset(name for name, state in zip(names, states) if state != "off"))
        for endpoint, state, setting in zip(ENDPOINTS, states, settings):
            met.add((endpoint.name, state, setting))
            if state == "off":
                check_absent(world, endpoint)
            else:
                check_present(world, endpoint, is_allowed(state, setting))
    assert len(met) == len(names) * len(STATES) * len(SETTINGS)


def test_nothing_is_there_until_somebody_switches_it_on(world: World) -> None:
    """The defaults, without a row in the table."""
    documents = Documents(world)
    for setting in SETTINGS:
        world.turn({}, {endpoint.name: setting for endpoint in ENDPOINTS})
        documents.check(frozenset())
        for endpoint in ENDPOINTS:
            check_absent(world, endpoint)


# MARK: Signing in


def named(error: dict[str, Any]) -> None:
    assert "switch sign_in" in error["error_description"], error


@pytest.mark.parametrize("setting", SETTINGS, ids=["unset", "off", "on"])
@pytest.mark.parametrize("state", STATES)
def test_sign_in_is_switched_like_an_endpoint_that_stays(world: World, state: str, setting: Setting) -> None:
    """Off: unauthorized_client at the redirect URI, from a page that was open before, and at the token endpoint, where
    nothing is spent; discovery does not change.
    """
    lab = world.lab
    world.turn({})
    before = check_json(world.http("GET", WELL_KNOWN[0]))
    signed = lab.sign_in(CONF1)
    ask = lab.ask(CONF1)
    code = lab.code(ask, signed.browser)
    page_browser, page_ask = lab.browser(), lab.ask(CONF1)
    page = page_browser.get(page_ask.url)
    assert page.has_password

    world.turn({"sign_in": state}, {"sign_in": setting})
    assert check_json(world.http("GET", WELL_KNOWN[0])) == before
    if is_allowed(state, setting):
        lab.sign_in(CONF1)
    else:
        named(lab.redirect_error(lab.ask(CONF1), "unauthorized_client"))
        named(lab.redirect_error(lab.ask(CONF1, prompt="none"), "unauthorized_client"))
        left = page_browser.sign_in(page)
        assert left.left, left.status
        named(page_ask.error(left.url, "unauthorized_client"))
        named(check_token_error(lab.redeem(ask, code), "unauthorized_client"))
        named(check_token_error(lab.refresh(CONF1, signed.refresh_token), "unauthorized_client"))
        world.turn({})
    check_token_answer(lab.redeem(ask, code))
    lab.refreshed(signed)
