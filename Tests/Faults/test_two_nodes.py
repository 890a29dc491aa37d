"""Two server processes on one database: what an admin turns through one is obeyed by the other at the next request.

Nothing is waited for between the admin's answer and that request, and each request comes on a connection of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests

from support import CLIENTS, Client
from support.admin import Admin, make_admin_token
from support.checks import check_json, check_token_answer, check_token_error
from support.cluster import Cluster, Node, paused, serving, wait_until
from support.flow import Lab, Signed, basic

CONF1, CONF2, WEB1 = CLIENTS["conf1"], CLIENTS["conf2"], CLIENTS["web1"]
ROUNDS = 200


class Pair:
    """Two nodes of two loops each, and an admin at each; one person is signed in at two apps."""

    def __init__(self, nodes: list[Node]) -> None:
        self.nodes = nodes
        token = make_admin_token(nodes[0])
        self.admins = [Admin(node, token) for node in nodes]
        self.labs = [Lab(nodes[0].issuer, node=f"http://127.0.0.1:{node.port}") for node in nodes]
        self.signed: dict[str, Signed] = {
            client.client_id: self.labs[0].sign_in(client) for client in (CONF1, CONF2)
        }

    def ask(self, node: int, method: str, path: str, **options: object) -> requests.Response:
        """On a connection of its own."""
        return requests.request(
            method, f"http://127.0.0.1:{self.nodes[node].port}{path}", timeout=30, allow_redirects=False, **options
        )

    def userinfo(self, node: int, client: Client = CONF1) -> requests.Response:
        bearer = {"Authorization": f"Bearer {self.signed[client.client_id].access_token}"}
        return self.ask(node, "GET", "/oauth/userinfo", headers=bearer)

    def revoke(self, node: int, client: Client) -> requests.Response:
        assert client.secret
        headers = {"Authorization": basic(client.client_id, client.secret)}
        return self.ask(node, "POST", "/oauth/revoke", headers=headers, data={"token": "nobody's"})


@pytest.fixture(scope="module")
def pair(cluster: Cluster, directory: Path) -> Iterator[Pair]:
    loops = {"SELEID_LOOPS": "2"}
    one = serving(cluster, directory / "pair", "pair", environment=loops)
    two = one.beside(environment=loops)
    one.start()
    two.start()
    yield Pair([one, two])
    two.stop()
    one.stop()


@pytest.mark.timeout(300)
def test_a_switch_is_obeyed_by_the_other_node_at_the_next_request(pair: Pair) -> None:
    """200 of 200: on and off in turn, through each node in turn; by the endpoint, and by discovery."""
    obeyed = 0
    for round_ in range(ROUNDS):
        here, there = (round_ // 2) % 2, 1 - (round_ // 2) % 2
        is_on = round_ % 2 == 0
        pair.admins[here].switch("userinfo", "on" if is_on else "off")
        obeyed += pair.userinfo(there).status_code == (200 if is_on else 404)
        document = check_json(pair.ask(there, "GET", "/.well-known/openid-configuration"))
        assert ("userinfo_endpoint" in document) == is_on, f"discovery in round {round_}"
    print(f"\nobeyed {obeyed} of {ROUNDS}")
    assert obeyed == ROUNDS
    pair.admins[0].switch("userinfo", "per_client")


@pytest.mark.timeout(300)
def test_an_apps_switch_is_obeyed_by_the_other_node_at_the_next_request(pair: Pair) -> None:
    """200 of 200, and the other app notices nothing."""
    obeyed = 0
    for round_ in range(ROUNDS):
        here, there = (round_ // 2) % 2, 1 - (round_ // 2) % 2
        is_on = round_ % 2 == 1
        pair.admins[here].client_switch(CONF2.client_id, "userinfo", is_on)
        obeyed += pair.userinfo(there, CONF2).status_code == (200 if is_on else 403)
        assert pair.userinfo(there, CONF1).status_code == 200
    print(f"\nobeyed {obeyed} of {ROUNDS}")
    assert obeyed == ROUNDS


@pytest.mark.timeout(300)
def test_sign_in_of_an_app_is_switched_at_the_other_node(pair: Pair) -> None:
    """At the authorization endpoint and at the token endpoint, 50 of 50."""
    signed = pair.signed[CONF2.client_id]
    token = signed.refresh_token
    for round_ in range(50):
        here, there = round_ % 2, 1 - round_ % 2
        lab = pair.labs[there]
        pair.admins[here].client_switch(CONF2.client_id, "sign_in", False)
        check_token_error(lab.refresh(CONF2, token), "unauthorized_client")
        lab.redirect_error(lab.ask(CONF2), "unauthorized_client")
        pair.admins[there].client_switch(CONF2.client_id, "sign_in", True)
        token = check_token_answer(pair.labs[here].refresh(CONF2, token))["refresh_token"]


def test_many_admins_at_once(pair: Pair) -> None:
    """Each turns its own switch through either node; each finds it obeyed by the other when it is answered."""
    waiting = threading.Barrier(4)

    def turn(number: int) -> int:
        """Two switches for everybody, and one each of two apps."""
        obeyed = 0
        for round_ in range(20):
            is_on = round_ % 2 == 1
            here, there = (number + round_) % 2, (number + round_ + 1) % 2
            waiting.wait(60)
            if number == 0:
                pair.admins[here].switch("session_context", "per_client" if is_on else "off")
                status = pair.ask(there, "GET", "/v1/session/context").status_code
                obeyed += status == (401 if is_on else 404)
            elif number == 1:
                pair.admins[here].switch("introspection", "per_client" if is_on else "off")
                obeyed += pair.ask(there, "POST", "/oauth/introspect").status_code == (400 if is_on else 404)
            elif number == 2:
                pair.admins[here].client_switch(CONF1.client_id, "userinfo", is_on)
                obeyed += pair.userinfo(there, CONF1).status_code == (200 if is_on else 403)
            else:
                pair.admins[here].client_switch(WEB1.client_id, "revocation", is_on)
                obeyed += pair.revoke(there, WEB1).status_code == (200 if is_on else 400)
        return obeyed

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(turn, range(4), timeout=110)) == [20] * 4


def test_a_node_that_stands_still_is_waited_for(pair: Pair) -> None:
    """The admin is answered late, and the node obeys at its first request when it goes on."""
    assert pair.nodes[1].process
    assert pair.userinfo(1).status_code == 200
    with paused([pair.nodes[1].process.pid]):
        pair.admins[0].switch("userinfo", "off")
        assert pair.userinfo(0).status_code == 404
    assert pair.userinfo(1).status_code == 404
    pair.admins[0].switch("userinfo", "per_client")
    assert pair.userinfo(1).status_code == 200


def test_a_node_that_dies_is_not_waited_for(pair: Pair) -> None:
    """An admin whose change is under way when a node is killed gets an answer, and so does the next one."""
    pair.admins[0].switch("userinfo", "off")
    with ThreadPoolExecutor(1) as pool:
        assert pair.nodes[1].process
        with paused([pair.nodes[1].process.pid]):
            answer = pool.submit(pair.admins[0].switch, "userinfo", "per_client")
            wait_until(lambda: pair.userinfo(0).status_code == 200, 5, "the change is made")
            pair.nodes[1].kill()
        answer.result(30)
    before = pair.nodes[0].log.read_text().count("change.not_confirmed")
    for state, status in [("off", 404), ("per_client", 200)]:
        pair.admins[0].switch("userinfo", state)
        assert pair.userinfo(0).status_code == status
    assert pair.nodes[0].log.read_text().count("change.not_confirmed") == before
    pair.nodes[1].start()
    assert pair.userinfo(1).status_code == 200


def test_a_command_is_obeyed_by_all_nodes_when_it_ends(pair: Pair) -> None:
    for round_ in range(6):
        is_on = round_ % 2 == 1
        pair.nodes[0].run("switch", "set", "userinfo", "per_client" if is_on else "off")
        for node in (0, 1):
            assert pair.userinfo(node).status_code == (200 if is_on else 404)
