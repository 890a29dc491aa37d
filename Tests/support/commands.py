"""What tests of the command line share: how commands end, and what they leave on record."""

from __future__ import annotations

import json
import os
import pwd
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import psycopg

from .server import Dev

#: Runs a command that succeeds; gives its lines, and what it left on record.
Done = Callable[..., tuple[list[str], list["Event"]]]


def ok(result: subprocess.CompletedProcess) -> str:
    """Standard output of a command that did its work without a word of complaint."""
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    return result.stdout


def failed(result: subprocess.CompletedProcess, code: int = 1) -> str:
    """Standard error of a command that did nothing. Exit code 2: the command line could not be understood."""
    assert result.returncode == code, (result.stdout, result.stderr)
    assert result.stdout == ""
    assert "Fatal error" not in result.stderr
    return result.stderr


def listed(dev: Dev, *words: str) -> Any:
    """What a command prints with --json."""
    return json.loads(ok(dev.admin(*words, "--json")))


def account(dev: Dev, name: str) -> dict[str, Any]:
    return json.loads(ok(dev.admin("account", "show", name)))


def client(dev: Dev, client_id: str) -> dict[str, Any]:
    return json.loads(ok(dev.admin("client", "show", client_id)))


def operator() -> str:
    """Whom the record names for commands that this process runs."""
    return (os.getuid() == 0 and os.environ.get("SUDO_USER")) or pwd.getpwuid(os.getuid()).pw_name


@dataclass(frozen=True)
class Event:
    kind: str
    client_id: str | None
    subject: str | None
    detail: dict[str, Any]


class Record:
    """The audit events of a server's database."""

    def __init__(self, dev: Dev) -> None:
        self.database = psycopg.connect(dev.database_url, autocommit=True)

    def of(self, work: Callable[[], object]) -> list[Event]:
        """What `work` has left on record. All of it must be by commands of ours, and come from no network."""
        (newest,) = self.database.execute("SELECT COALESCE(max(id), 0) FROM audit_events").fetchone() or (0,)
        work()
        rows = self.database.execute(
            "SELECT event, client_id, subject, detail, actor_kind, actor, address, request_id FROM audit_events"
            " WHERE id > %s ORDER BY id", [newest]).fetchall()
        for row in rows:
            assert row[4:] == ("command", operator(), None, None), row
        return [Event(*row[:4]) for row in rows]

    def text(self) -> str:
        """Every event as text."""
        return "\n".join(row for (row,) in self.database.execute("SELECT e::text FROM audit_events e").fetchall())
