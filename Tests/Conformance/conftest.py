"""Fixtures of the conformance checks: one provider for all, and a look at its log when they are done."""

from __future__ import annotations

import json
from collections.abc import Iterator

import psycopg
import pytest

from support import CLIENTS, Client, Dev
from support.cluster import Cluster, Node, serving
from support.flow import Lab
from support.fixtures import ALICE, BOB, client_of
from support.secrecy import WIRE


@pytest.fixture(scope="session", autouse=True)
def no_secret_in_the_log(server: Dev) -> Iterator[None]:
    """Whatever secret went over the wire in this run, neither the server's log nor its audit record holds it."""
    WIRE.add(ALICE.password, BOB.password, *[client.secret for client in CLIENTS.values()])
    with WIRE.listening():
        yield
    WIRE.logs.add(server.process.stderr_path)
    WIRE.logs.add(server.process.stdout_path)
    WIRE.check_logs()
    with psycopg.connect(server.database_url) as connection:
        (record,) = connection.execute("SELECT string_agg(e::text, E'\n') FROM audit_events e").fetchone() or ("",)
    found = WIRE.found_in(record or "")
    assert not found, f"{len(found)} secrets on record, e.g. {found[:3]}"


@pytest.fixture(scope="session")
def lab(server: Dev) -> Lab:
    return Lab(server.issuer, verify=server.ca)


@pytest.fixture(scope="session")
def conf1() -> Client:
    """The Basic plan's first client: client_secret_basic."""
    return CLIENTS["conf1"]


@pytest.fixture(scope="session")
def conf2() -> Client:
    """The Basic plan's second client: client_secret_post."""
    return CLIENTS["conf2"]


def odd_client(client_id: str, port: int, **changes: object) -> dict[str, object]:
    return {
        "client_id": client_id,
        "client_name": client_id,
        "client_secret": f"odd-{port}-0123456789abcdefghijklmnopqrstuvwxyz",
        "profile": "oidc",
        "sign_in": True,
        "token_endpoint_auth_method": "client_secret_basic",
        "grant_types": ["authorization_code", "refresh_token"],
        "redirect_uris": [f"http://127.0.0.1:{port}/cb"],
        "scope": "openid profile email offline_access",
    } | changes


#: Clients beside those of first.json, for questions that the latter cannot ask.
ODD = {
    "odd": odd_client("odd~1.x", 9811, client_secret="p+q%r/1: x-and-more-so-that-it-is-long-enough"),
    "codes-only": odd_client("codes-only", 9812, grant_types=["authorization_code"]),
    "own-offline": odd_client("own-offline", 9813, first_party=True),
    "markup": odd_client("markup", 9814, client_name='<img src=x onerror=alert(1)> & "Co"'),
    "escaped": odd_client("escaped", 9815, redirect_uris=["https://rp.example/a%2Fb"]),
    "auth-time": odd_client("auth-time", 9816, require_auth_time=True),
    "to-switch-off": odd_client("to-switch-off", 9817),
    "to-rotate": odd_client("to-rotate", 9818),
    "strict": odd_client("strict", 9819, refresh_retry_seconds=0),
}


@pytest.fixture(scope="session")
def odd(server: Dev, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Client]:
    path = tmp_path_factory.mktemp("odd") / "odd.json"
    path.write_text(json.dumps({"clients": list(ODD.values())}))
    done = server.admin("apply", "-f", str(path))
    assert done.returncode == 0, done.stderr
    WIRE.add(*[str(raw["client_secret"]) for raw in ODD.values()])
    return {name: client_of(raw) for name, raw in ODD.items()}


@pytest.fixture
def database(server: Dev) -> Iterator[psycopg.Connection]:
    """The server's own database, for what only time or an administrator could otherwise do."""
    with psycopg.connect(server.database_url, autocommit=True) as connection:
        yield connection


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A PostgreSQL for servers with a configuration of their own."""
    with Cluster() as cluster:
        yield cluster


@pytest.fixture(scope="session")
def behind_proxy(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A node that believes `X-Forwarded-For` from loopback, so that a test can come from any network."""
    node = serving(
        cluster,
        tmp_path_factory.mktemp("proxy"),
        "behind_proxy",
        environment={"SELEID_TRUSTED_PROXIES": "127.0.0.1/32"},
    )
    yield node.start()
    node.stop()


@pytest.fixture(scope="session")
def with_path(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A node whose issuer is https and has a path; a proxy in front would end TLS. It believes nobody."""
    node = serving(cluster, tmp_path_factory.mktemp("path"), "with_path", issuer="https://id.example/t1")
    yield node.start()
    node.stop()


@pytest.fixture
def from_network(behind_proxy: Node):
    """A `Lab` whose requests come from this address."""
    return lambda address: Lab(behind_proxy.issuer, headers={"X-Forwarded-For": address})
