"""Clients and people of `Tests/Fixtures/first.json`, the one place where their secrets are written."""

import json
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "Tests" / "Fixtures" / "first.json"


@dataclass(frozen=True)
class Client:
    client_id: str
    secret: str | None
    method: str
    redirect_uris: tuple[str, ...]
    scope: str
    raw: dict = field(repr=False, hash=False)

    @property
    def redirect_uri(self) -> str:
        """The first registered one."""
        return self.redirect_uris[0]

    @property
    def basic(self) -> tuple[str, str]:
        """User and password for `requests`' `auth`; the fixtures' secrets need no form-encoding."""
        assert self.secret is not None
        return (self.client_id, self.secret)


@dataclass(frozen=True)
class Account:
    username: str
    password: str
    raw: dict = field(repr=False, hash=False)


def client_of(raw: dict) -> Client:
    return Client(
        raw["client_id"],
        raw.get("client_secret"),
        raw["token_endpoint_auth_method"],
        tuple(raw.get("redirect_uris", [])),
        raw.get("scope", "openid"),
        raw,
    )


_document = json.loads(FIXTURES.read_text())
CLIENTS: dict[str, Client] = {raw["client_id"]: client_of(raw) for raw in _document["clients"]}
ALICE, BOB = (Account(raw["username"], raw["password"], raw) for raw in _document["accounts"][:2])
