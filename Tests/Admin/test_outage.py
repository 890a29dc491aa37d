"""The admin API while the database cannot be asked, and below an issuer that has a path."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import requests

from support.admin import AdminAPI, make_admin_token, web_app
from support.cluster import Cluster, Node, serving, wait_until

@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster() as cluster:
        yield cluster


def started(node: Node) -> Iterator[Node]:
    node.start()
    try:
        yield node
    finally:
        node.stop()


@pytest.fixture
def node(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    yield from started(serving(cluster, tmp_path_factory.mktemp("outage"), "outage"))


@pytest.fixture
def with_path(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    node = serving(cluster, tmp_path_factory.mktemp("path"), "admin_path", issuer="https://id.example/t1")
    yield from started(node)


def test_what_could_not_be_found_out_is_503_and_never_a_no(cluster: Cluster, node: Node) -> None:
    api = AdminAPI(node, make_admin_token(node))
    api("PUT", "/clients/shop", web_app(), expect=201)
    cluster.stop()
    # A token that cannot be looked up is not taken for an unknown one, nor for a known one.
    for caller in (api, AdminAPI(node, str(api.token)[:-4] + "AAAA")):
        for method, path, body in (
            ("GET", "/me", None),
            ("GET", "/clients/shop", None),
            ("GET", "/audit/export", None),
            ("PUT", "/clients/shop", web_app(client_name="New")),
            ("DELETE", "/clients/shop", None),
            ("POST", "/clients/shop/secrets", {}),
            ("POST", "/keys/rotate", None),
        ):
            answer = caller(method, path, body, expect=503)
            assert answer.headers["Retry-After"] == "2"
    AdminAPI(node, None)("GET", "/openapi.yaml", expect=200)
    api("GET", "/nothing", expect=404)
    AdminAPI(node, None)("GET", "/me", expect=401)

    cluster.start()
    wait_until(lambda: api("GET", "/me", expect=(200, 503)).status_code == 200, 20, "the database is back")
    assert api.json("GET", "/clients/shop")["client_name"] == "Shop"
    assert [event["event"] for event in api.events(client_id="shop")] == ["client.created"]
    assert api.items("/clients/shop/secrets") == []


def test_below_the_path_of_the_issuer_all_is_the_same(with_path: Node) -> None:
    here = f"http://127.0.0.1:{with_path.port}"
    api = AdminAPI(with_path, make_admin_token(with_path), node=f"{here}/t1")
    created = api("POST", "/clients", web_app(client_id="shop"), expect=201)
    assert created.headers["Location"] == "/t1/admin/v1/clients/shop"
    api("GET", "/clients/shop", expect=200)
    api("GET", "/nothing", expect=404)
    api("DELETE", "/clients", expect=405)
    AdminAPI(with_path, None, node=f"{here}/t1")("GET", "/openapi.yaml", expect=200)

    elsewhere = requests.get(f"{here}/admin/v1/clients", headers={"Authorization": f"Bearer {api.token}"}, timeout=10)
    assert elsewhere.status_code == 404
    assert elsewhere.headers["Content-Type"].startswith("text/plain")
