"""A node that does not hear of changes: its listening connection is cut, ended by the server, or silently dead, or the whole
process stands still. What was switched off is off at the next request all the same.
"""

from __future__ import annotations

import contextlib
import http.client
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import requests

from support import CLIENTS
from support.checks import check_bearer_error, check_json, check_token_answer, check_token_error
from support.cluster import Cluster, Node, Proxy, paused, serving, wait_until
from support.flow import Lab, Signed
from support.settle import LISTENING, listening, settle

CONF1, WEB1 = CLIENTS["conf1"], CLIENTS["web1"]
DISCOVERY = "/.well-known/openid-configuration"


class Deaf:
    """A node that reaches PostgreSQL through a proxy, a person signed in there, and an admin with a connection of their own."""

    def __init__(self, node: Node, direct: Node, proxy: Proxy, admin: psycopg.Connection[Any]) -> None:
        self.node, self.proxy, self.admin = node, proxy, admin
        #: For commands, which are not cut off.
        self.direct = direct
        self.lab = Lab(node.issuer)
        self.signed: Signed = self.lab.sign_in(CONF1)

    # MARK: The connection

    def listener(self) -> tuple[int, int]:
        """Backend and port of the connection that listens."""
        row = self.admin.execute(
            f"SELECT pid, client_port FROM pg_stat_activity JOIN ({LISTENING.replace('objid::text', 'pid')}) l USING (pid)"
        ).fetchone()
        assert row, "the node does not listen"
        return row

    def losses(self) -> int:
        return self.node.log.read_text().count('"changes.not_heard"')

    @contextlib.contextmanager
    def noticed_loss(self) -> Iterator[None]:
        """Waits until the node has noticed that the connection is gone."""
        before = self.losses()
        yield
        wait_until(lambda: self.losses() > before, 10, "the node notices that it hears nothing")

    def listens(self) -> None:
        wait_until(lambda: listening(self.admin), 15, "the node listens again")
        settle(self.admin)

    @contextlib.contextmanager
    def cut(self) -> Iterator[None]:
        """The connection is gone and cannot be made anew; those for queries stay."""
        self.proxy.refuses = True
        try:
            with self.noticed_loss():
                self.proxy.cut(self.listener()[1])
            yield
            assert not listening(self.admin)
        finally:
            self.proxy.refuses = False
            self.listens()

    # MARK: Changes behind the node's back

    def switch(self, name: str, state: str) -> None:
        self.admin.execute(
            "INSERT INTO switches VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET state = excluded.state", (name, state)
        )

    def client(self, **changes: Any) -> None:
        self.admin.execute(
            "UPDATE clients SET metadata = metadata || %s::jsonb WHERE client_id = %s",
            (json.dumps(changes), CONF1.client_id),
        )

    def apply(self, state: str) -> None:
        """By a command, which ends when every node obeys."""
        self.direct.run("apply", "-f", "-", stdin=json.dumps({"switches": {"userinfo": state}}))

    # MARK: What the next request says

    def userinfo(self) -> requests.Response:
        headers = {"Authorization": f"Bearer {self.signed.access_token}"}
        return self.lab.get("/oauth/userinfo", headers=headers)

    def userinfo_is(self, there: bool) -> None:
        assert self.userinfo().status_code == (200 if there else 404)
        assert ("userinfo_endpoint" in check_json(self.lab.get(DISCOVERY))) == there


@pytest.fixture(scope="module")
def deaf(cluster: Cluster, directory: Path) -> Iterator[Deaf]:
    proxy = Proxy(cluster.port)
    made = serving(cluster, directory / "deaf", "deaf")
    node = Node(made.directory, cluster.url("deaf", proxy.port), environment={"SELEID_LOOPS": "4"})
    node.start()
    with made.database() as admin:
        deaf = Deaf(node, made, proxy, admin)
        deaf.listens()
        yield deaf
    node.stop()
    proxy.close()


def test_a_switch_is_obeyed_at_the_next_request(deaf: Deaf) -> None:
    with deaf.cut():
        for round_ in range(40):
            there = round_ % 2 == 1
            deaf.switch("userinfo", "per_client" if there else "off")
            deaf.userinfo_is(there)


def test_a_client_is_changed_at_the_next_request(deaf: Deaf) -> None:
    with deaf.cut():
        for round_ in range(40):
            allowed = round_ % 2 == 1
            deaf.client(switches={"userinfo": allowed})
            if allowed:
                assert deaf.userinfo().status_code == 200
            else:
                body = check_bearer_error(deaf.userinfo(), 403, "insufficient_scope")
                assert "switch userinfo" in body["error_description"]


def test_sign_in_is_switched_at_the_next_request(deaf: Deaf) -> None:
    """For everybody, and for one app."""
    turns: list[tuple[Callable[[], None], Callable[[], None]]] = [
        (lambda: deaf.switch("sign_in", "off"), lambda: deaf.switch("sign_in", "per_client")),
        (lambda: deaf.client(sign_in=False), lambda: deaf.client(sign_in=True)),
    ]
    signed = deaf.signed
    with deaf.cut():
        for off, on in turns * 5:
            off()
            deaf.lab.redirect_error(deaf.lab.ask(CONF1), "unauthorized_client")
            check_token_error(deaf.lab.refresh(CONF1, signed.refresh_token), "unauthorized_client")
            on()
            ask = deaf.lab.ask(CONF1, prompt="none")
            check_token_answer(deaf.lab.redeem(ask, ask.code(deaf.lab.silent(signed.browser, ask))))


def test_a_disabled_client_is_refused_at_the_next_request(deaf: Deaf) -> None:
    """And is known again at the next one after it is allowed, with a secret it got meanwhile."""
    with deaf.cut():
        signed = deaf.lab.sign_in(WEB1)
        check_token_answer(deaf.lab.refresh(WEB1, signed.refresh_token))
        deaf.admin.execute("UPDATE clients SET enabled = false WHERE client_id = 'web1'")
        check_token_error(deaf.lab.refresh(WEB1, signed.refresh_token), "invalid_client")
        deaf.admin.execute("UPDATE clients SET enabled = true WHERE client_id = 'web1'")
        deaf.lab.sign_in(WEB1)


def test_the_cache_is_trusted_again_when_the_node_hears_again(deaf: Deaf) -> None:
    """With the tables out of reach, a node that reads through cannot answer, and one that listens need not ask."""
    deaf.switch("userinfo", "per_client")
    deaf.client(switches={"userinfo": True})

    @contextlib.contextmanager
    def out_of_reach() -> Iterator[None]:
        with deaf.direct.database() as other, other.transaction():
            other.execute("SET LOCAL lock_timeout = '5s'")
            other.execute("LOCK TABLE switches, clients IN ACCESS EXCLUSIVE MODE")
            yield

    with deaf.cut():
        deaf.userinfo_is(True)
        with out_of_reach():
            assert deaf.userinfo().status_code == 503
    deaf.userinfo_is(True)
    with out_of_reach():
        deaf.userinfo_is(True)
    deaf.switch("userinfo", "off")
    settle(deaf.admin)
    deaf.userinfo_is(False)
    deaf.switch("userinfo", "per_client")
    settle(deaf.admin)
    deaf.userinfo_is(True)


def test_the_server_ends_the_connection_again_and_again(deaf: Deaf) -> None:
    """pg_terminate_backend, and a change at the same moment: it may be notified to nobody, and is obeyed."""
    for round_ in range(12):
        there = round_ % 2 == 1
        with deaf.noticed_loss():
            deaf.admin.execute("SELECT pg_terminate_backend(%s)", (deaf.listener()[0],))
            deaf.switch("userinfo", "per_client" if there else "off")
        deaf.userinfo_is(there)
        deaf.listens()
        deaf.userinfo_is(there)


def test_discovery_in_an_outage_says_what_was_known_last(deaf: Deaf) -> None:
    """From memory; the endpoints themselves cannot know, and say neither yes nor no."""
    for state in ("per_client", "off"):
        deaf.apply(state)
        before = check_json(deaf.lab.get(DISCOVERY))
        assert ("userinfo_endpoint" in before) == (state != "off")
        deaf.proxy.refuses = True
        with deaf.noticed_loss():
            deaf.proxy.cut_all()
        try:
            wait_until(lambda: deaf.node.readiness() == 503, 10, "the node notices the outage")
            assert check_json(deaf.lab.get(DISCOVERY)) == before
            answer = deaf.userinfo()
            assert answer.status_code == 503 and "Retry-After" in answer.headers
        finally:
            deaf.proxy.refuses = False
            wait_until(lambda: deaf.node.readiness() == 200, 15, "ready again")
            deaf.listens()
    deaf.apply("per_client")
    deaf.userinfo_is(True)


def test_before_anything_is_known(deaf: Deaf, cluster: Cluster) -> None:
    """A node that has never reached its database does not guess what is switched on."""
    proxy = Proxy(cluster.port)
    proxy.refuses = True
    node = Node(deaf.node.directory, cluster.url("deaf", proxy.port))
    node.start(ready=False)
    try:
        wait_until(lambda: node.get("/healthz"), 20, "answers at all")
        for path in (DISCOVERY, "/.well-known/oauth-authorization-server", "/oauth/userinfo", "/v1/session/context"):
            answer = node.get(path, timeout=20)
            assert answer and answer[0] == 503 and "retry-after" in answer[1], (path, answer)
            assert "max-age" not in answer[1].get("cache-control", "")
        unknown = node.get("/oauth/nothing")
        assert unknown and unknown[0] == 404
        proxy.refuses = False
        node.wait_ready()
        answer = node.get(DISCOVERY)
        assert answer and answer[0] == 200
    finally:
        node.stop()
        proxy.close()


def test_a_connection_that_is_silently_dead(deaf: Deaf) -> None:
    """Nobody notices its death: who makes the change waits until the node has stopped trusting what it knew."""
    deaf.apply("per_client")
    deaf.userinfo_is(True)
    deaf.proxy.mute(deaf.listener()[1])
    deaf.apply("off")
    deaf.userinfo_is(False)
    wait_until(lambda: listening(deaf.admin), 15, "the node listens again")
    deaf.apply("per_client")
    deaf.userinfo_is(True)


def test_a_process_that_stood_still(deaf: Deaf) -> None:
    """What it is asked first when it goes on may be read before the news, by another thread: it does not trust what it knew
    before.
    """
    assert deaf.node.process
    bearer = {"Authorization": f"Bearer {deaf.signed.access_token}"}
    for state, status in [("off", 404), ("per_client", 200)]:
        deaf.listens()
        deaf.userinfo()  # so that it is in the cache
        connections = [http.client.HTTPConnection("127.0.0.1", deaf.node.port, timeout=20) for _ in range(24)]
        with paused([deaf.node.process.pid]):
            deaf.apply(state)
            for connection in connections:
                connection.request("GET", "/oauth/userinfo", headers=bearer)
        assert [connection.getresponse().status for connection in connections] == [status] * len(connections)
        for connection in connections:
            connection.close()
