"""What the fault tests share: a PostgreSQL and servers of their own, which they may kill.

`FAULT_ROUNDS` says how often: 5 by default (kills of the server; PostgreSQL is killed 2 times); 50 for a full run (and 10).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support import CLIENTS, Client
from support.cluster import Cluster, Node, serving
from support.fixtures import ALICE, BOB
from support.flow import Lab, Signed
from support.load import Person
from support.secrecy import WIRE

ROUNDS = int(os.environ.get("FAULT_ROUNDS", "5"))


@pytest.fixture(scope="session")
def rounds() -> int:
    return ROUNDS


@pytest.fixture(scope="session")
def long_run() -> bool:
    return ROUNDS >= 50


@pytest.fixture(scope="session", autouse=True)
def no_secret_in_the_logs() -> Iterator[None]:
    WIRE.add(ALICE.password, BOB.password, *[client.secret for client in CLIENTS.values()])
    with WIRE.listening():
        yield
    WIRE.check_logs()


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster() as cluster:
        yield cluster


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("nodes")


@pytest.fixture(scope="module")
def node(cluster: Cluster, directory: Path) -> Iterator[Node]:
    """One node, running; a test that stops it starts it again."""
    node = serving(cluster, directory / "one", "faults")
    node.start()
    yield node
    node.stop()


@pytest.fixture
def lab(node: Node) -> Lab:
    return Lab(node.issuer)


@pytest.fixture
def second(node: Node) -> Iterator[Node]:
    """Another process on the same database, with the same issuer and master key."""
    other = node.beside()
    other.start()
    yield other
    other.stop()


@pytest.fixture
def families(lab: Lab, node: Node) -> Callable[..., list[Person]]:
    """Sign-ins of one person, each its own family."""

    def make(count: int, client: Client = CLIENTS["conf1"], port: Callable[[], int] | None = None) -> list[Person]:
        browser = lab.browser()
        people = []
        for _ in range(count):
            signed: Signed = lab.sign_in(client, browser=browser)
            with node.database() as database:
                row = database.execute("SELECT max(id) FROM grants").fetchone()
            assert row
            people.append(Person(client, signed.refresh_token, row[0], port or (lambda: node.port)))
        return people

    return make
