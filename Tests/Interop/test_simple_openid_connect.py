"""simple-openid-connect signs people in; for a client with a secret it knows client_secret_basic only."""

import pytest
from simple_openid_connect import pkce
from simple_openid_connect.client import OpenidClient
from simple_openid_connect.data import TokenErrorResponse, TokenSuccessResponse

from support import ALICE, CLIENTS, Browser, free_port, nonce, state

CASES = {
    "client_secret_basic": (CLIENTS["web1"], CLIENTS["web1"].redirect_uri),
    "public PKCE, loopback": (CLIENTS["app1"], "http://127.0.0.1:{port}/cb"),
    "public PKCE, single page": (CLIENTS["spa1"], CLIENTS["spa1"].redirect_uri),
    "first party, camelCase twins beside the standard members": (CLIENTS["own1"], CLIENTS["own1"].redirect_uri),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_signs_in_verifies_the_id_token_and_refreshes_three_times(issuer: str, browser: Browser, case) -> None:
    client, redirect_uri = case
    app = OpenidClient.from_issuer_url(
        issuer, redirect_uri.format(port=free_port()), client.client_id, client.secret, "openid profile")
    sent_state, sent_nonce = state(), nonce()
    code_verifier, code_challenge = pkce.generate_pkce_pair()
    start = app.authorization_code_flow.start_authentication(
        state=sent_state, nonce=sent_nonce, code_challenge=code_challenge, code_challenge_method="S256")

    token = app.authorization_code_flow.handle_authentication_result(
        browser.authorize(start, ALICE), state=sent_state, code_verifier=code_verifier,
        code_challenge=code_challenge, code_challenge_method="S256")

    assert isinstance(token, TokenSuccessResponse), token
    first = app.decode_id_token(token.id_token, nonce=sent_nonce)
    assert first.iss == issuer
    for _ in range(3):
        answer = app.exchange_refresh_token(token.refresh_token)
        assert isinstance(answer, TokenSuccessResponse), answer
        assert answer.refresh_token != token.refresh_token
        claims = app.decode_id_token(answer.id_token)
        assert (claims.sub, claims.auth_time) == (first.sub, first.auth_time)
        token = answer


def test_a_refresh_token_that_never_was_is_an_error_the_library_can_read(issuer: str) -> None:
    client = CLIENTS["web1"]
    app = OpenidClient.from_issuer_url(issuer, client.redirect_uri, client.client_id, client.secret)

    answer = app.exchange_refresh_token("no-such-token")

    assert isinstance(answer, TokenErrorResponse) and answer.error == "invalid_grant"
