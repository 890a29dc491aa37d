"""A hundred requests at one instant: one process, and two on one database."""

from __future__ import annotations

import collections
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from support import CLIENTS, Client
from support.checks import check_bearer_error, check_revoked, check_token_answer, check_token_error
from support.cluster import Cluster, Node, serving
from support.flow import Lab
from support.load import Answer, all_at_once, form_of, refresh_form

CONF1, WEB2, APP1 = (CLIENTS[name] for name in ("conf1", "web2", "app1"))
MANY = 100


@pytest.fixture(params=["one process", "two processes"])
def ports(request: pytest.FixtureRequest, node: Node) -> list[int]:
    if request.param == "one process":
        return [node.port]
    return [node.port, request.getfixturevalue("second").port]


def statuses(answers: list[Answer]) -> dict[str, int]:
    return dict(collections.Counter(f"{answer.status} {answer.error or ''}".strip() for answer in answers))


def grants(node: Node) -> Any:
    with node.database() as database:
        return database.execute(
            "SELECT id, generation, ended_at, end_reason FROM grants ORDER BY id DESC LIMIT 1"
        ).fetchone()


def number_of_grants(node: Node) -> int:
    with node.database() as database:
        row = database.execute("SELECT count(*) FROM grants").fetchone()
    assert row
    return row[0]


@pytest.mark.parametrize("client", [CONF1, APP1, WEB2], ids=lambda client: client.client_id)
def test_parallel_redemptions_of_one_code(lab: Lab, node: Node, ports: list[int], client: Client) -> None:
    """One success; the others are replays, so what the success gave is ended."""
    ask = lab.ask(client)
    code = lab.code(ask)
    before = number_of_grants(node)
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": ask.redirect_uri}
    if ask.verifier:
        form["code_verifier"] = ask.verifier
    answers = all_at_once(ports, *form_of(client, form), MANY)
    assert statuses(answers) == {"200": 1, "400 invalid_grant": MANY - 1}
    winner = next(answer for answer in answers if answer.status == 200)
    check_token_error(lab.refresh(client, winner.body["refresh_token"]), "invalid_grant")
    assert number_of_grants(node) == before + 1
    _, generation, ended, reason = grants(node)
    assert (generation, reason) == (0, "code_reused") and ended is not None


@pytest.mark.parametrize("client", [CONF1, APP1], ids=lambda client: client.client_id)
def test_parallel_refreshes_of_one_token(lab: Lab, node: Node, ports: list[int], client: Client) -> None:
    """One family with one live successor: inside the retry window all of them get it."""
    signed = lab.sign_in(client)
    before = number_of_grants(node)
    token = signed.refresh_token
    for round_ in range(1, 4):
        answers = all_at_once(ports, *refresh_form(client, token), MANY)
        assert statuses(answers) == {"200": MANY}
        successors = {answer.body["refresh_token"] for answer in answers}
        assert len(successors) == 1 and token not in successors
        token = successors.pop()
        _, generation, ended, _ = grants(node)
        assert (generation, ended) == (round_, None)
    assert number_of_grants(node) == before
    check_token_answer(lab.refresh(client, token))
    check_token_error(lab.refresh(client, signed.refresh_token), "invalid_grant")
    check_token_error(lab.refresh(client, token), "invalid_grant")


def test_parallel_refreshes_of_a_strict_client(lab: Lab, node: Node, ports: list[int]) -> None:
    """No window: one success, and the family is ended."""
    signed = lab.sign_in(WEB2)
    answers = all_at_once(ports, *refresh_form(WEB2, signed.refresh_token), MANY)
    assert statuses(answers) == {"200": 1, "400 invalid_grant": MANY - 1}
    winner = next(answer for answer in answers if answer.status == 200)
    check_token_error(lab.refresh(WEB2, winner.body["refresh_token"]), "invalid_grant")
    _, generation, ended, reason = grants(node)
    assert generation == 1 and ended is not None and reason == "refresh_token_reused"


def test_a_stranger_in_the_race_changes_nothing(lab: Lab, node: Node, ports: list[int]) -> None:
    """Another client sends the code and the token a hundred times: refused, and the owner goes on."""
    ask = lab.ask(CONF1)
    code = lab.code(ask)
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": ask.redirect_uri}
    assert statuses(all_at_once(ports, *form_of(WEB2, form), MANY)) == {"400 invalid_grant": MANY}
    answer = check_token_answer(lab.redeem(ask, code))
    assert statuses(all_at_once(ports, *refresh_form(WEB2, answer["refresh_token"]), MANY)) == {
        "400 invalid_grant": MANY
    }
    check_token_answer(lab.refresh(CONF1, answer["refresh_token"]))


@pytest.mark.parametrize("client", [CONF1, APP1], ids=lambda client: client.client_id)
def test_a_revocation_among_refreshes(lab: Lab, node: Node, ports: list[int], client: Client) -> None:
    """Whatever came before it, nothing lives after it."""
    signed = lab.sign_in(client)
    body, headers = refresh_form(client, signed.refresh_token)
    with ThreadPoolExecutor(1) as pool:
        refreshes = pool.submit(all_at_once, ports, body, headers, MANY)
        while grants(node)[1] == 0 and not refreshes.done():
            pass  # until the first of them has come through
        check_revoked(lab.revoke(client, signed.refresh_token))
        answers = refreshes.result(60)
    found = statuses(answers)
    assert set(found) <= {"200", "400 invalid_grant"} and found["200"] > 0, found
    successors = {answer.body["refresh_token"] for answer in answers if answer.status == 200}
    assert len(successors) == 1
    for token in (*successors, signed.refresh_token):
        check_token_error(lab.refresh(client, token), "invalid_grant")
    for answer in answers:
        if answer.status == 200:
            check_bearer_error(lab.session_context(answer.body["access_token"]), 401, "invalid_token")
    _, _, ended, reason = grants(node)
    assert ended is not None and reason == "revoked"


def test_old_and_new_at_once(lab: Lab, node: Node, ports: list[int]) -> None:
    """The predecessor and its successor race, as two tabs do: still one line, and it lives."""
    signed = lab.sign_in(CONF1)
    older, newer = signed.refresh_token, lab.refreshed(signed)["refresh_token"]
    answers = all_at_once(ports, *refresh_form(CONF1, newer), MANY // 2)
    assert statuses(answers) == {"200": MANY // 2}
    newest = {answer.body["refresh_token"] for answer in answers}
    assert len(newest) == 1
    # `newer` is the predecessor now, `older` is two steps behind.
    retried = all_at_once(ports, *refresh_form(CONF1, newer), 10)
    assert {answer.body["refresh_token"] for answer in retried} == newest
    assert statuses(all_at_once(ports, *refresh_form(CONF1, older), 10)) == {"400 invalid_grant": 10}
    check_token_error(lab.refresh(CONF1, newest.pop()), "invalid_grant")


def test_B077_races_under_serializable_isolation(cluster: Cluster, directory: Path) -> None:
    """B077: an administrator has made SERIALIZABLE the default, so that losers hear SQLSTATE 40001. Clean answers, one
    line.
    """
    other = serving(cluster, directory / "serializable", "serializable")
    with cluster.connect("postgres") as database:
        database.execute("ALTER DATABASE serializable SET default_transaction_isolation = 'serializable'")
    other.start()
    try:
        there = Lab(other.issuer)
        signed = there.sign_in(CONF1)
        answers = all_at_once([other.port], *refresh_form(CONF1, signed.refresh_token), MANY)
        found = statuses(answers)
        assert set(found) <= {"200", "503 server_error", "503 temporarily_unavailable"} and found["200"] > 0, found
        successors = {answer.body["refresh_token"] for answer in answers if answer.status == 200}
        assert len(successors) == 1
        check_token_answer(there.refresh(CONF1, successors.pop()))
        ask = there.ask(CONF1)
        code = there.code(ask)
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": ask.redirect_uri}
        found = statuses(all_at_once([other.port], *form_of(CONF1, form), MANY))
        assert found.get("200", 0) == 1 and set(found) <= {
            "200",
            "400 invalid_grant",
            "503 server_error",
            "503 temporarily_unavailable",
        }, found
    finally:
        other.stop()
