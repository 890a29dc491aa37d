"""People whom only one test knows, made through the admin API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import psycopg

from .admin import AdminAPI
from .fixtures import Account
from .oauth import random_text

#: A `sub` that nobody has.
NOBODY = "00000000-0000-0000-0000-000000000000"


@dataclass(frozen=True)
class Person:
    sub: str
    account: Account

    @property
    def path(self) -> str:
        """In the admin API."""
        return f"/accounts/{self.sub}"


def make_person(api: AdminAPI, **more: Any) -> Person:
    account = Account(f"person-{random_text(12)}", random_text(20), {})
    body = {"username": account.username, "password": account.password, **more}
    return Person(api.json("POST", "/accounts", body, expect=201)["sub"], account)


def changes_on_record(database: psycopg.Connection, sub: str) -> list[tuple[str, str | None, dict[str, Any]]]:
    """What admins have changed about a person, the oldest first: event, client_id, detail. Each says who did it, and
    from where.
    """
    rows = database.execute(
        "SELECT event, client_id, detail, actor, address, request_id FROM audit_events"
        " WHERE subject = %s AND actor_kind = 'admin_token' ORDER BY id",
        (sub,),
    ).fetchall()
    for *_, actor, address, request_id in rows:
        assert actor.split(" ", 1)[0].isdigit() and address == "127.0.0.1" and request_id
    return [(event, client_id, detail) for event, client_id, detail, *_ in rows]


def fields(problem: tuple[str, list[tuple[str, str]]]) -> list[str]:
    """The fields that a problem document of the admin API names."""
    return [field for field, _ in problem[1]]
