"""A server whose clients, people, switches and keys commands may change, and what they leave on record."""

from collections.abc import Iterator

import pytest

from support import Dev
from support.commands import Done, Event, Record, ok
from support.flow import Lab


@pytest.fixture(scope="module")
def dev() -> Iterator[Dev]:
    """One for each module."""
    with Dev() as dev:
        yield dev


@pytest.fixture(scope="module")
def record(dev: Dev) -> Record:
    return Record(dev)


@pytest.fixture
def lab(dev: Dev) -> Lab:
    return Lab(dev.issuer)


@pytest.fixture
def done(dev: Dev, record: Record) -> Done:
    """Runs a command that succeeds; gives its lines, and what it left on record.

    Run with --dry-run before, it says the same and leaves nothing.
    """

    def done(*words: str, stdin: str | None = None, dry: bool = True) -> tuple[list[str], list[Event]]:
        said: list[str] = []

        def work(*more: str) -> None:
            said[:] = ok(dev.admin(*words, *more, stdin=stdin)).splitlines()

        if dry:
            before = ok(dev.admin("export"))
            assert record.of(lambda: work("--dry-run")) == []
            assert ok(dev.admin("export")) == before
            *rehearsed, last = said
            assert last == "dry run: nothing was written"
        events = record.of(work)
        if dry:
            assert said == rehearsed
        return said, events

    return done
