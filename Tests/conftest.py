"""Shared pytest set-up of Tests/Interop and Tests/Conformance: one server for the whole run."""

from collections.abc import Iterator

import pytest

from support import Browser, Dev, fetch_jwks


@pytest.fixture(scope="session")
def server() -> Iterator[Dev]:
    """`seleid dev` with the fixtures of first.json; stopped by SIGTERM, exit code checked."""
    with Dev() as dev:
        dev.discovery()  # a server without it would fail every test in its own slow way
        yield dev


@pytest.fixture(scope="session")
def issuer(server: Dev) -> str:
    return server.issuer


@pytest.fixture(scope="session")
def discovery(server: Dev) -> dict:
    return server.discovery()


@pytest.fixture
def jwks(discovery: dict):
    return fetch_jwks(discovery["jwks_uri"])


@pytest.fixture
def browser(issuer: str) -> Browser:
    """A browser without cookies."""
    return Browser(issuer)
