"""Waiting until every live node has heard of what was committed, as the nodes wait for each other: by a fact, not by time."""

from __future__ import annotations

import secrets
import time
from typing import Any

import psycopg

#: The advisory locks by which nodes show that they listen.
LISTENING = """
    SELECT objid::text FROM pg_locks
    WHERE locktype = 'advisory' AND classid = 7357003 AND objsubid = 2 AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


def listening(database: psycopg.Connection[Any]) -> set[str]:
    """The nodes that listen."""
    return {row[0] for row in database.execute(LISTENING)}


def settle(database: psycopg.Connection[Any], seconds: float = 10) -> None:
    """Notifies a ping and waits for everybody's pong. Who has heard it has heard of all changes that were committed before.

    The connection is one with autocommit, and listens from now on.
    """
    word = secrets.token_hex(8)
    database.execute("LISTEN seleid")
    silent = listening(database)
    assert silent, "no node listens"
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        # Again and again: one that has only just begun to listen may have missed it.
        database.execute("SELECT pg_notify('seleid', %s)", (f"ping:{word}",))
        for heard in database.notifies(timeout=0.25):
            kind, *rest = heard.payload.split(":")
            if kind == "pong" and rest[0] == word:
                silent.discard(rest[1])
            if not silent:
                return
    raise TimeoutError(f"{len(silent)} nodes did not answer within {seconds} s")
