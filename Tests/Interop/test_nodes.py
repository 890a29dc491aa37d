"""Nodes on one database: an app does not notice which of them it talks to, nor that one of them dies."""

from support import CLIENTS, AuthorizationRequest, Browser, Dev, Serve


def test_a_family_goes_on_over_nodes_and_over_the_death_of_one(server: Dev, browser: Browser) -> None:
    request = AuthorizationRequest(server.issuer, CLIENTS["conf1"])
    token = request.exchange(request.code(browser.authorize(request.url)))

    with Serve(server) as first, Serve(server) as second:
        for node in (first, second, first):
            token = request.refresh(token["refresh_token"], node.url("/oauth/token"))
        first.kill()
        token = request.refresh(token["refresh_token"], second.url("/oauth/token"))
        first.start()
        token = request.refresh(token["refresh_token"], first.url("/oauth/token"))

    assert token.status == 200


def test_a_code_of_one_node_is_redeemed_at_another(server: Dev, browser: Browser) -> None:
    request = AuthorizationRequest(server.issuer, CLIENTS["conf1"])
    code = request.code(browser.authorize(request.url))

    with Serve(server) as node:
        assert request.exchange(code, node.url("/oauth/token")).status == 200
        assert request.exchange(code, node.url("/oauth/token")).error == "invalid_grant"
