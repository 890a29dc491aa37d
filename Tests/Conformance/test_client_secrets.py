"""Client secrets: two at once, each with its own end, and when each was last used."""

from __future__ import annotations

import time
from dataclasses import replace

import psycopg
import pytest

from support import Client, Dev, register
from support.checks import check_token_error
from support.cluster import wait_until
from support.flow import Lab
from support.secrecy import WIRE


@pytest.fixture(scope="module")
def client(server: Dev) -> Client:
    client = register(server, "secrets", ["http://127.0.0.1:9830/cb"], profile="oidc")
    WIRE.add(client.secret)
    return client


@pytest.fixture(scope="module")
def second(server: Dev, client: Client) -> Client:
    """The same client with the secret that was added behind the first."""
    done = server.admin("client", "secret", client.client_id)
    assert done.returncode == 0, done.stderr
    secret = done.stdout.split()[-1]
    WIRE.add(secret)
    return replace(client, secret=secret)


def rows(database: psycopg.Connection) -> list[tuple]:
    return database.execute(
        "SELECT id, last_used_at, last_used_at = date_trunc('hour', last_used_at, 'UTC')"
        " AND last_used_at > now() - interval '61 minutes' FROM client_secrets WHERE client_id = 'secrets' ORDER BY id"
    ).fetchall()


def authenticates(lab: Lab, client: Client) -> bool:
    """Whether the client is taken for the one it says, however bad its token."""
    error = "invalid_grant"
    answer = lab.refresh(client, "no token")
    if answer.status_code == 401:
        error = "invalid_client"
    check_token_error(answer, error)
    return error == "invalid_grant"


def test_each_secret_is_noted_as_used_to_the_hour(
    lab: Lab, client: Client, second: Client, database: psycopg.Connection
) -> None:
    assert [row[1] for row in rows(database)] == [None, None]
    assert not authenticates(lab, replace(client, secret="wrong-wrong-wrong-wrong-wrong"))
    assert [row[1] for row in rows(database)] == [None, None], "a wrong one is nobody's"
    assert authenticates(lab, second)
    first_row, second_row = rows(database)
    assert first_row[1] is None and second_row[2]
    assert authenticates(lab, client)
    assert [row[2] for row in rows(database)] == [True, True]


def test_once_an_hour_is_enough(lab: Lab, client: Client, second: Client, database: psycopg.Connection) -> None:
    assert authenticates(lab, client)
    # Seen by the server, which has written it: the version of the row stays.
    read = "SELECT xmin::text FROM client_secrets WHERE client_id = 'secrets' ORDER BY id"
    hour, before = time.time() // 3600, database.execute(read).fetchall()
    for _ in range(5):
        assert authenticates(lab, client)
    assert database.execute(read).fetchall() == before or time.time() // 3600 != hour


def test_that_it_cannot_be_noted_is_no_clients_matter(
    lab: Lab, server: Dev, client: Client, second: Client, database: psycopg.Connection
) -> None:
    third = server.admin("client", "secret", client.client_id)
    secret = third.stdout.split()[-1]
    WIRE.add(secret)
    database.execute(
        """
        CREATE FUNCTION refuse_note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not today'; END $$;
        CREATE TRIGGER refuse_note BEFORE UPDATE OF last_used_at ON client_secrets
            FOR EACH ROW WHEN (NEW.client_id = 'secrets') EXECUTE FUNCTION refuse_note();
        """
    )
    try:
        before = len(server.log)
        assert authenticates(lab, replace(client, secret=secret))
        wait_until(lambda: '"client_secret.use_not_noted"' in server.log[before:], 10, "a warning in the log")
    finally:
        database.execute("DROP TRIGGER refuse_note ON client_secrets; DROP FUNCTION refuse_note()")
    assert not authenticates(lab, client), "the oldest of three is gone"


def test_a_secret_ends_while_the_client_is_known(
    lab: Lab, server: Dev, database: psycopg.Connection
) -> None:
    """Nobody tells the server when it ends: it had read the end beforehand, and looks at the clock at each use."""
    client = register(server, "secret-with-end", ["http://127.0.0.1:9831/cb"], profile="oidc")
    WIRE.add(client.secret)
    database.execute(
        "UPDATE client_secrets SET expires_at = now() + interval '4 seconds' WHERE client_id = 'secret-with-end'"
    )
    assert authenticates(lab, client)
    wait_until(lambda: not authenticates(lab, client), 30, "the end of the secret")
    database.execute("UPDATE client_secrets SET expires_at = NULL WHERE client_id = 'secret-with-end'")
    wait_until(lambda: authenticates(lab, client), 10, "every node to hear of the change")
