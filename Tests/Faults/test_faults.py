"""What the person notices when things break: nothing, or a moment's 503. No family is lost, none is forked.

How often is `FAULT_ROUNDS` (see conftest.py).
"""

from __future__ import annotations

import collections
import contextlib
import functools
import http.client
import json
import os
import random
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from support import ALICE, CLIENTS
from support.checks import (
    check_active,
    check_bearer_error,
    check_error_page,
    check_revoked,
    check_session_context,
    check_token_answer,
    check_token_error,
)
from support.cluster import Cluster, Node, Proxy, serving, wait_until
from support.flow import Ask, Lab, Signed, readable
from support.load import Crowd, Person
from support.secrecy import WIRE
from support.settle import listening, settle

CONF1, CONF2, WEB1, APP1 = (CLIENTS[name] for name in ("conf1", "conf2", "web1", "app1"))
ROUNDS = int(os.environ.get("FAULT_ROUNDS", "5"))
RECOVERY = 5.0
#: Nobody waits for ever, but a full run takes its time.
pytestmark = pytest.mark.timeout(max(120, ROUNDS * 8))
Families = Callable[..., list[Person]]


def check_families(lab: Lab, node: Node, people: list[Person]) -> None:
    """Each family lives, has rotated exactly as often as its person saw a new token, and is one line."""
    with node.database() as database:
        rows = {
            row[0]: row[1:]
            for row in database.execute(
                "SELECT id, generation, ended_at FROM grants WHERE id = ANY(%s)",
                ([person.grant_id for person in people],),
            )
        }
        count = database.execute("SELECT count(*) FROM grants WHERE id >= %s", (people[0].grant_id,)).fetchone()
    assert count and count[0] == len(people), "a refresh made a new family"
    for person in people:
        generation, ended = rows[person.grant_id]
        assert ended is None, "a family was lost"
        assert generation == person.rotations, (
            f"rotated {generation} times, {person.rotations} seen: a fork or a lost rotation"
        )
    for person in people[:3]:
        # The predecessor gets the same successor; two steps behind is a replay, and ends the one line there is.
        assert person.previous
        assert check_token_answer(lab.refresh(person.client, person.previous))["refresh_token"] == person.token
        newest = check_token_answer(lab.refresh(person.client, person.token))["refresh_token"]
        check_token_error(lab.refresh(person.client, person.previous), "invalid_grant")
        check_token_error(lab.refresh(person.client, newest), "invalid_grant")


# MARK: kill -9


def test_kill_the_server(lab: Lab, node: Node, families: Families, rounds: int) -> None:
    """kill -9 at random moments under refresh load, and a restart each time."""
    people = families(8)
    chance = random.Random(20_261)
    slowest = 0.0
    with Crowd(people) as crowd:
        for _ in range(rounds):
            time.sleep(chance.uniform(0.05, 0.5))
            node.kill()
            time.sleep(chance.uniform(0, 0.1))
            restarted = time.monotonic()
            node.start()
            slowest = max(slowest, crowd.wait_for_success(restarted, 20))
    print(f"\n{rounds} kills of the server: {crowd.summary()}, slowest start to everybody's success {slowest:.2f} s")
    assert any(name.startswith("closed") for name in crowd.summary()), "no kill hit a request"
    check_families(lab, node, people)


def test_kill_one_of_two_servers(lab: Lab, node: Node, second: Node, families: Families, rounds: int) -> None:
    """The people move to whichever is there; a token rotated by one is retried at the other."""
    ports = [node.port, second.port]
    chance = random.Random(7)
    people = families(6, port=lambda: chance.choice(ports))
    with Crowd(people) as crowd:
        for round_ in range(max(2, rounds // 2)):
            time.sleep(chance.uniform(0.05, 0.4))
            victim = (node, second)[round_ % 2]
            victim.kill()
            since = time.monotonic()
            crowd.wait_for_success(since, 20)
            victim.start()
    print(f"\nkills of one of two: {crowd.summary()}")
    check_families(lab, node, people)


def test_kill_postgresql(lab: Lab, node: Node, cluster: Cluster, families: Families, rounds: int) -> None:
    """kill -9 of all of PostgreSQL under refresh load; the server is back within 5 s of its return, without a restart."""
    people = families(8)
    chance = random.Random(5432)
    slowest = 0.0
    assert node.process
    pid = node.process.pid
    with Crowd(people) as crowd:
        for _ in range(max(2, rounds // 5)):
            time.sleep(chance.uniform(0.1, 0.6))
            cluster.kill()
            time.sleep(chance.uniform(0, 1.5))
            cluster.start()
            slowest = max(slowest, crowd.wait_for_success(time.monotonic(), RECOVERY + 15))
    print(f"\n{max(2, rounds // 5)} kills of PostgreSQL: {crowd.summary()}, slowest recovery {slowest:.2f} s")
    assert node.process.pid == pid and node.process.poll() is None
    assert crowd.summary().get("503", 0) > 0, "no outage was felt"
    assert slowest < RECOVERY
    check_families(lab, node, people)


def test_kill_a_database_session(lab: Lab, node: Node, cluster: Cluster, families: Families, rounds: int) -> None:
    """kill -9 of one backend makes PostgreSQL throw out all others and go through recovery."""
    people = families(6)
    slowest = 0.0
    with Crowd(people) as crowd:
        for _ in range(max(2, rounds // 5)):
            time.sleep(0.3)
            cluster.kill_a_backend("faults")
            time.sleep(0.05)

            def is_back() -> bool:
                try:
                    psycopg.connect(cluster.url("faults"), connect_timeout=2).close()
                    return True
                except psycopg.OperationalError:
                    return False

            wait_until(is_back, 20, "PostgreSQL's own recovery")
            slowest = max(slowest, crowd.wait_for_success(time.monotonic(), RECOVERY + 15))
    print(f"\nkills of a database session: {crowd.summary()}, slowest recovery {slowest:.2f} s")
    assert slowest < RECOVERY
    check_families(lab, node, people)


# MARK: A database that cannot be asked


class Holder:
    """A person with a live session, an unused code, a page open, and families of several clients: what an outage must
    not cost.
    """

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.signed: list[Signed] = [lab.sign_in(client) for client in (CONF1, CONF2, APP1)]
        self.unwanted: Signed = lab.sign_in(CONF1)
        self.browser = self.signed[0].browser
        self.ask: Ask = lab.ask(CONF1)
        self.code = lab.code(self.ask, self.browser)
        self.page_browser = lab.browser()
        self.page_ask = lab.ask(CONF1)
        self.page = self.page_browser.get(self.page_ask.url)
        assert self.page.has_password

    def look(self) -> list[str]:
        """One round of requests while the database cannot be asked, side by side: each may wait a moment for its
        return.

        Gives what was answered; a wrong answer fails here.
        """
        rounds: list[Callable[[], str]] = [functools.partial(self.refreshing, signed) for signed in self.signed]
        rounds += [self.redeeming, self.unknown, self.silent, self.posting]
        rounds += [self.asking_who, self.session_context, self.introspecting, self.revoking]
        with ThreadPoolExecutor(len(rounds)) as pool:
            return [future.result(60) for future in [pool.submit(one) for one in rounds]]

    def own(self) -> Lab:
        """A copy for one thread."""
        own = Lab(self.lab.issuer)
        own._discovery = self.lab.discovery
        return own

    def refreshing(self, signed: Signed) -> str:
        return self.must_wait(self.own().refresh(signed.client, signed.refresh_token))

    def redeeming(self) -> str:
        return self.must_wait(self.own().redeem(self.ask, self.code))

    def unknown(self) -> str:
        """A client that nobody can look up now, or whose look-up is not to be trusted."""
        return self.must_wait(self.own().refresh(CLIENTS["own1"], "x"))

    def asking_who(self) -> str:
        """Whose sign-in it is: neither an answer from memory nor a dead token."""
        return "userinfo " + self.must_wait(self.own().userinfo(self.signed[0].access_token))

    def session_context(self) -> str:
        """Whether the person is still signed in: unknown, which is not "no"."""
        return self.must_wait(self.own().session_context(self.signed[0].access_token))

    def introspecting(self) -> str:
        return self.must_wait(self.own().introspect(CONF1, self.signed[0].access_token))

    def revoking(self) -> str:
        """Not done yet, and the app hears it (RFC 7009 §2.2.1)."""
        return self.must_wait(self.own().revoke(CONF1, self.unwanted.refresh_token))

    def silent(self) -> str:
        """The person in the browser: a page that says try again, or the app hears it. Not: signed out."""
        ask = self.lab.ask(CONF1, prompt="none")
        page = self.browser.get(ask.url)
        if page.left:
            return "redirect " + ask.error(page.url, "server_error", "temporarily_unavailable")["error"]
        check_error_page(page.response, statuses=(503,))
        assert page.response is not None and int(page.response.headers["Retry-After"]) > 0
        return "page 503"

    def posting(self) -> str:
        """The right password at the wrong time."""
        answer = self.page_browser.submit(self.page, username=ALICE.username, password=ALICE.password)
        if answer.left:
            return "redirect " + self.page_ask.error(answer.url, "server_error", "temporarily_unavailable")["error"]
        assert answer.response is not None
        assert answer.status == 503 and "Retry-After" in answer.response.headers, (
            f"{answer.status} {readable(answer.response)}"
        )
        return "form 503"

    @staticmethod
    def must_wait(answer) -> str:
        body = check_token_error(answer, "server_error", "temporarily_unavailable", status=503)
        assert 0 < int(answer.headers["Retry-After"]) <= 120
        for word in ("SQL", "sql", "libpq", "connection", "relation", "PG"):
            assert word not in body.get("error_description", ""), body
        return f"503 {body['error']}"

    def documents(self, node: Node) -> None:
        """What needs no database is served: from memory, quickly, and never marked as an error to be cached."""
        for path in ("/.well-known/openid-configuration", "/.well-known/jwks.json", "/healthz"):
            started = time.monotonic()
            answer = node.get(path)
            assert answer and answer[0] == 200, f"{path}: {answer and answer[0]}"
            assert time.monotonic() - started < 2, f"{path} took {time.monotonic() - started:.1f} s"
        ready = node.get("/readyz")
        assert ready and ready[0] == 503
        assert "max-age" not in ready[1].get("cache-control", "")

    def nothing_was_lost(self) -> None:
        """Session, code, page, tokens and families work as if nothing had been."""
        lab, signed = self.lab, self.signed[0]
        check_session_context(lab.session_context(signed.access_token), claims=signed.claims)
        seen = lab.introspect(CONF1, signed.access_token)
        check_active(seen, issuer=lab.issuer, claims=signed.claims, is_access_token=True)
        check_revoked(lab.revoke(CONF1, self.unwanted.refresh_token))
        check_bearer_error(lab.session_context(self.unwanted.access_token), 401, "invalid_token")
        for signed in self.signed:
            lab.person(signed)
            lab.refreshed(signed)
        check_token_answer(lab.redeem(self.ask, self.code))
        silent = lab.ask(CONF1, prompt="none")
        lab.finish(silent, lab.silent(self.browser, silent), self.browser)
        page = self.page_browser.sign_in(self.page)
        lab.finish(self.page_ask, page.url if page.left else self.page_browser.decide(page).url, self.page_browser)


def outage(holder: Holder, node: Node, seconds: float) -> collections.Counter[str]:
    seen: collections.Counter[str] = collections.Counter()
    deadline = time.monotonic() + seconds
    wait_until(lambda: node.readiness() == 503, 15, "readiness says 503")
    while True:
        seen.update(holder.look())
        holder.documents(node)
        if time.monotonic() > deadline:
            return seen
        time.sleep(0.2)


def back_within(node: Node, since: float, seconds: float = RECOVERY) -> float:
    wait_until(lambda: node.readiness() == 200, seconds, "ready again")
    return time.monotonic() - since


def test_B074_a_database_stopped_for_a_while(lab: Lab, node: Node, cluster: Cluster, long_run: bool) -> None:
    """30 s (6 s in the short run): 503 with Retry-After everywhere, documents from memory, and all is well afterwards."""
    holder = Holder(lab)
    cluster.stop()
    try:
        seen = outage(holder, node, 30 if long_run else 6)
    finally:
        cluster.start()
    took = back_within(node, time.monotonic())
    holder.nothing_was_lost()
    print(f"\ndatabase stopped: {dict(seen)}, ready again after {took:.2f} s")


def test_B074_a_read_only_primary(lab: Lab, node: Node, cluster: Cluster) -> None:
    """A demoted primary answers SQLSTATE 25006: 503, and back when it takes writes again."""
    holder = Holder(lab)

    def read_only(on: bool) -> None:
        with cluster.connect("postgres") as database:
            database.execute("SET default_transaction_read_only = off")
            database.execute(
                f"ALTER SYSTEM {'SET default_transaction_read_only = on' if on else 'RESET default_transaction_read_only'}"
            )
            database.execute("SELECT pg_reload_conf()")

    read_only(True)
    try:
        time.sleep(0.3)
        seen: collections.Counter[str] = collections.Counter()
        with ThreadPoolExecutor(8) as pool:
            for _ in range(3):
                asked = [pool.submit(holder.refreshing, signed) for signed in holder.signed] + [
                    pool.submit(holder.redeeming)
                ]
                seen.update(future.result(60) for future in asked)
                time.sleep(0.3)
        for path in ("/.well-known/openid-configuration", "/.well-known/jwks.json", "/healthz"):
            answer = node.get(path)
            assert answer and answer[0] == 200
        wait_until(lambda: node.readiness() == 503, 10, "readiness says 503 while nothing can be written")
    finally:
        read_only(False)
    took = back_within(node, time.monotonic())
    holder.nothing_was_lost()
    print(f"\nread-only: {dict(seen)}, ready again after {took:.2f} s")


def test_B074_a_blocked_table(lab: Lab, node: Node) -> None:
    """A lock on the grants holds every connection of the pool: 503 after the statement's time limit, and nothing is
    consumed.
    """
    holder = Holder(lab)
    with node.database() as database:
        # A node that hears of changes, as one does that has not lost its connections a moment ago.
        wait_until(lambda: listening(database), 10, "the node listens")
        settle(database)
        assert node.get("/.well-known/openid-configuration")
    with node.database() as database:
        database.autocommit = False
        database.execute("LOCK TABLE grants IN ACCESS EXCLUSIVE MODE")
        answers: list[str] = []
        waits: list[float] = []

        def ask_once(signed: Signed) -> None:
            started = time.monotonic()
            answers.append(holder.refreshing(signed))
            waits.append(time.monotonic() - started)

        threads = [threading.Thread(target=ask_once, args=(holder.signed[number % 3],)) for number in range(40)]
        for thread in threads:
            thread.start()
        time.sleep(0.2)
        for path in ("/.well-known/openid-configuration", "/.well-known/jwks.json", "/healthz"):
            started = time.monotonic()
            answer = node.get(path)
            assert answer and answer[0] == 200 and time.monotonic() - started < 1, f"{path} waits for the database"
        for thread in threads:
            thread.join(60)
        assert len(answers) == 40, "a wrong answer, or none"
        assert max(waits) < 15, f"somebody waited {max(waits):.0f} s"
        database.rollback()
    took = back_within(node, time.monotonic())
    holder.nothing_was_lost()
    print(
        f"\nblocked table: {dict(collections.Counter(answers))}, longest wait {max(waits):.1f} s, ready after {took:.2f} s"
    )


def test_B076_no_connections_left(lab: Lab, node: Node, cluster: Cluster) -> None:
    """Others hold every slot of PostgreSQL when the server has to reconnect: 503, and back when slots are free."""
    holder = Holder(lab)
    held: list[psycopg.Connection] = []
    with cluster.connect("postgres") as database:
        database.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'faults' AND pid <> pg_backend_pid()"
        )
        try:
            deadline = time.monotonic() + 10
            full = 0
            while time.monotonic() < deadline and full < 20:
                try:
                    held.append(psycopg.connect(cluster.url("postgres"), connect_timeout=2))
                    full = 0
                except psycopg.OperationalError:
                    full += 1
                    # Whatever the server got hold of in the meantime is taken away again.
                    database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'faults'")
            seen = outage(holder, node, 1)
        finally:
            for connection in held:
                connection.close()
    took = back_within(node, time.monotonic())
    holder.nothing_was_lost()
    print(f"\nno connections left ({len(held)} held): {dict(seen)}, ready again after {took:.2f} s")


def test_B076_a_black_hole_in_front_of_the_database(cluster: Cluster, directory: Path, long_run: bool) -> None:
    """B076: TCP is accepted and nothing ever answers, for open connections and new ones. Time limits free every slot;
    no restart.
    """
    cluster.create("hole")
    proxy = Proxy(cluster.port)
    node = Node(directory / "hole", cluster.url("hole"))
    node.run("migrate")
    node.run("apply", "-f", str(Path(__file__).parents[1] / "Fixtures" / "first.json"))
    node.environment["SELEID_DATABASE_URL"] = cluster.url("hole", proxy.port)
    node.start()
    try:
        lab = Lab(node.issuer)
        holder = Holder(lab)
        proxy.black_hole = True
        seen = outage(holder, node, 20 if long_run else 6)
        proxy.recover()
        since = time.monotonic()
        took = back_within(node, since, 10)
        holder.nothing_was_lost()
        print(f"\nblack hole: {dict(seen)}, ready again after {took:.2f} s")
    finally:
        node.stop()
        proxy.close()


def test_a_node_started_before_its_database(cluster: Cluster, directory: Path) -> None:
    """It waits, says that it is not ready, and serves when the database is there."""
    node = serving(cluster, directory / "early", "early")
    cluster.stop()
    try:
        node.start(ready=False)
        wait_until(lambda: node.readiness() == 503, 10, "answers before its database is there")
        answer = node.get("/healthz")
        assert answer and answer[0] == 200
    finally:
        cluster.start()
    since = time.monotonic()
    try:
        back_within(node, since)
        Lab(node.issuer).sign_in(CONF1)
    finally:
        node.stop()


def test_B079_housekeeping_and_load_side_by_side(lab: Lab, node: Node, families: Families) -> None:
    """B079, from outside: nothing that lives is cleaned up while expired rows are."""
    people = families(4)
    with node.database() as database:
        account = database.execute("SELECT min(id) FROM accounts").fetchone()
        assert account
        database.execute(
            "INSERT INTO authorization_codes (code_hash, client_id, account_id, session_id, sid, redirect_uri, scope, auth_time, acr, amr, "
            "created_at, expires_at) SELECT decode(md5(n::text), 'hex'), 'conf1', %s, 0, 'x', 'x', '{openid}', now(), 'x', '{x}', "
            "now() - interval '200 days', now() - interval '200 days' FROM generate_series(1, 500) n",
            (account[0],),
        )
    with Crowd(people):
        time.sleep(1)
    check_families(lab, node, people)


# MARK: Leaving


def test_B083_a_graceful_drain(lab: Lab, node: Node, directory: Path, families: Families) -> None:
    """B083: SIGTERM one of two nodes under a refresh loop of 20 a second. Readiness turns first, nothing fails, exit
    code 0.
    """
    leaving = node.beside(environment={"SELEID_DRAIN_SECONDS": "2"})
    leaving.start()
    current = leaving
    (person,) = families(1, port=lambda: current.port)
    requests_at_leaving = 0
    for _ in range(20):
        assert person.refresh(), person.problems
    leaving.terminate()
    left_at = time.monotonic()
    turned: float | None = None
    while leaving.process and leaving.process.poll() is None and time.monotonic() - left_at < 20:
        # A balancer looks at readiness ten times a second and moves on once it has turned.
        if turned is None:
            if leaving.readiness() == 503:
                turned = time.monotonic()
            requests_at_leaving += 1
        elif time.monotonic() - turned > 0.2:
            current = node
        assert person.refresh(), (
            f"a refresh failed {time.monotonic() - left_at:.2f} s after SIGTERM: {dict(person.counts)} {person.problems}"
        )
        time.sleep(0.05)
    assert turned is not None, "readiness never turned while the listener was open"
    assert leaving.wait(20) == 0
    assert current is node and not person.problems and set(person.counts) == {"200"}, dict(person.counts)
    person.close()
    check_families(lab, node, [person])


def test_requests_in_flight_finish(node: Node, lab: Lab) -> None:
    """A request that the server has begun to read when SIGTERM comes is answered, with `Connection: close`."""
    leaving = node.beside()
    leaving.start()
    signed = lab.sign_in(CONF2)
    body = f"grant_type=refresh_token&refresh_token={signed.refresh_token}&client_id=conf2&client_secret={CONF2.secret}".encode()
    connection = http.client.HTTPConnection("127.0.0.1", leaving.port, timeout=20)
    connection.putrequest("POST", "/oauth/token")
    connection.putheader("Content-Type", "application/x-www-form-urlencoded")
    connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body[:50])
    time.sleep(0.2)
    leaving.terminate()
    time.sleep(0.3)
    connection.send(body[50:])
    response = connection.getresponse()
    answer = json.loads(response.read())
    assert response.status == 200 and response.getheader("Connection", "").lower() == "close"
    WIRE.add(*[value for name, value in answer.items() if name.endswith("_token")])
    assert leaving.wait(20) == 0


def test_sigterm_with_idle_connections(node: Node) -> None:
    """Connections that only wait do not hold the process up."""
    leaving = node.beside()
    leaving.start()
    with contextlib.ExitStack() as stack:
        for _ in range(50):
            connection = http.client.HTTPConnection("127.0.0.1", leaving.port, timeout=10)
            connection.request("GET", "/healthz")
            connection.getresponse().read()
            stack.callback(connection.close)
        started = time.monotonic()
        leaving.terminate()
        assert leaving.wait(10) == 0
        assert time.monotonic() - started < 5


# MARK: Clocks and zones


@contextlib.contextmanager
def with_clock(node: Node, offset: str) -> Iterator[Node]:
    """Another process on the same database whose clock is off; its timers run as they should."""
    assert shutil.which("faketime"), "the Debian package faketime is missing"
    other = node.beside(
        wrapper=["faketime", "-m", "-f", offset],
        environment={"FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"},
    )
    other.start(ready=False)
    try:
        wait_until(lambda: other.readiness() is not None, 20, "answers at all")
        yield other
    finally:
        other.stop()


@pytest.mark.parametrize("offset", ["+660", "-660", "+10"])
def test_B056_a_clock_that_is_off_is_noticed(node: Node, offset: str) -> None:
    """More than 5 s off the database's clock: not ready, and it says why in the log; the person is not sent there by a
    balancer.
    """
    with with_clock(node, offset) as wrong:
        wait_until(
            lambda: wrong.readiness() == 503 and "clock" in wrong.log.read_text(),
            10,
            "not ready, and says that it is the clock",
        )
        time.sleep(0.5)
        assert wrong.readiness() == 503
        answer = wrong.get("/healthz")
        assert answer and answer[0] == 200


def test_B056_a_clock_that_is_right_is_ready(node: Node) -> None:
    """The control: the same library, and a second is no reason."""
    with with_clock(node, "+1") as right:
        wait_until(lambda: right.readiness() == 200, 10, "ready")


@pytest.mark.parametrize("zone", ["America/Sao_Paulo", "Australia/Lord_Howe", "Asia/Kathmandu"])
def test_B058_time_zones_change_nothing(cluster: Cluster, directory: Path, zone: str) -> None:
    """The session's zone from PGTZ, the role's from ALTER ROLE, the server's from TZ: results as in UTC, codes live 60
    s.
    """
    name = "zone_" + zone.split("/")[1].lower()
    with cluster.connect("postgres") as database:
        database.execute(f"ALTER ROLE seleid SET timezone = '{zone}'")
    node = serving(cluster, directory / name, name, environment={"PGTZ": zone, "TZ": zone})
    node.start()
    try:
        lab = Lab(node.issuer)
        ask = lab.ask(CONF1, max_age="1000")
        browser = lab.browser()
        code = lab.code(ask, browser)
        with node.database() as database:
            (left,) = database.execute(
                "SELECT extract(epoch FROM max(expires_at) - now()) FROM authorization_codes"
            ).fetchone()
        assert 50 < left <= 60
        answer = check_token_answer(lab.redeem(ask, code))
        claims = lab.claims(ask, answer, code, auth_time=True)
        assert abs(claims["auth_time"] - time.time()) < 30
        signed = Signed(ask, code, answer, claims, browser)
        newer = lab.refreshed(signed)["refresh_token"]
        lab.refreshed(signed, newer)
        old = lab.ask(CONF1, max_age="0")
        assert browser.get(old.url).has_password
    finally:
        node.stop()
        with cluster.connect("postgres") as database:
            database.execute("ALTER ROLE seleid RESET timezone")
