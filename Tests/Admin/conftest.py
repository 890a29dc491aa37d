"""What the tests of the admin API share: a server of their own, since they turn switches and end what is there."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
import yaml

from support import CLIENTS, Dev
from support.admin import AdminAPI, add_token, web_app
from support.fixtures import ALICE, BOB, ROOT
from support.flow import Lab
from support.people import Person, changes_on_record
from support.people import make_person as make_person_by
from support.secrecy import WIRE


@pytest.fixture(scope="session")
def dev() -> Iterator[Dev]:
    """Ready, with the fixtures of first.json; when all is done, no secret is in its log nor in its audit record."""
    WIRE.add(ALICE.password, BOB.password, *[client.secret for client in CLIENTS.values()])
    with WIRE.listening(), Dev() as dev:
        yield dev
        with psycopg.connect(dev.database_url) as database:
            rows = database.execute("SELECT a::text FROM audit_events a").fetchall()
        assert len(rows) > 100, "hardly anything is on record"
        found = WIRE.found_in("\n".join(row[0] for row in rows))
        assert not found, f"{len(found)} secrets in the audit record, e.g. {found[:3]}"
        log = dev.log + dev.process.stdout
        assert "admin.token_unknown" in log
        found = WIRE.found_in(log)
        assert not found, f"{len(found)} secrets in the log, e.g. {found[:3]}"


@pytest.fixture(scope="session")
def api(dev: Dev) -> AdminAPI:
    """With a token of an admin, who may do everything."""
    return AdminAPI(dev, add_token(dev, "admin", name="Ada"))


@pytest.fixture(scope="session")
def lab(dev: Dev) -> Lab:
    return Lab(dev.issuer)


@pytest.fixture
def database(dev: Dev) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(dev.database_url, autocommit=True) as connection:
        yield connection


_numbers = itertools.count(1)


@pytest.fixture
def client_id() -> str:
    """One that no other test uses."""
    return f"app-{next(_numbers)}"


@pytest.fixture
def client(api: AdminAPI, client_id: str) -> str:
    """The client_id of a confidential app that is registered, without a secret."""
    api("PUT", f"/clients/{client_id}", web_app(), expect=201)
    return client_id


@pytest.fixture(scope="session")
def description() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "Docs" / "openapi.yaml").read_text())


# MARK: People


@pytest.fixture
def make_person(api: AdminAPI) -> Callable[..., Person]:
    """Makes somebody whom only one test knows."""
    return lambda **more: make_person_by(api, **more)


@pytest.fixture
def person(make_person: Callable[..., Person]) -> Person:
    return make_person(claims={"name": "Pat Example", "email": "pat@example.test", "email_verified": True})


@pytest.fixture
def record(database: psycopg.Connection[Any]) -> Callable[[str], list[Any]]:
    """What admins have changed about a person."""
    return lambda sub: changes_on_record(database, sub)
