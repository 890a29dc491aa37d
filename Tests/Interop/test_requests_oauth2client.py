"""requests_oauth2client: strict about state, iss (RFC 9207) and every check of the ID Token."""

import attrs
import pytest
from requests_oauth2client import ClientSecretBasic, ClientSecretPost, OAuth2Client, PublicApp
from requests_oauth2client.exceptions import AuthorizationResponseError, InvalidGrant, LoginRequired

from support import ALICE, CLIENTS, Browser, Client, free_port

CASES = {
    "client_secret_basic": (CLIENTS["web1"], CLIENTS["web1"].redirect_uri),
    "client_secret_post": (CLIENTS["web2"], CLIENTS["web2"].redirect_uri),
    "public PKCE, loopback": (CLIENTS["app1"], "http://127.0.0.1:{port}/cb"),
    "public PKCE, IPv6 loopback": (CLIENTS["app1"], "http://[::1]:{port}/cb"),
    "public PKCE, private-use scheme": (CLIENTS["app1"], "com.example.app:/seleid"),
    "public PKCE, app link": (CLIENTS["app1"], "https://app.example/oauth/cb"),
}


def library(issuer: str, client: Client, redirect_uri: str) -> OAuth2Client:
    if client.method == "client_secret_basic":
        auth = ClientSecretBasic(client.client_id, client.secret)
    elif client.method == "client_secret_post":
        auth = ClientSecretPost(client.client_id, client.secret)
    else:
        auth = PublicApp(client.client_id)
    # `testing` only lifts the demand for https, which the server under test does not have here.
    return OAuth2Client.from_discovery_endpoint(
        issuer=issuer, auth=auth, redirect_uri=redirect_uri, id_token_signed_response_alg="RS256", testing=True)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_signs_in_verifies_the_id_token_and_refreshes_three_times(issuer: str, browser: Browser, case) -> None:
    client, redirect_uri = case
    app = library(issuer, client, redirect_uri.format(port=free_port()))
    assert app.authorization_response_iss_parameter_supported, "discovery must promise iss (RFC 9207)"
    request = app.authorization_request(scope="openid profile email")

    response = request.validate_callback(browser.authorize(request.uri, ALICE))
    token = app.authorization_code(response, validate=True)

    assert token.id_token.issuer == issuer and token.id_token.get_claim("at_hash")
    first = token.id_token
    # A refreshed ID Token carries no nonce (OpenID Connect Core §12.2); all else is checked as before.
    later = attrs.evolve(response, nonce=None)
    for _ in range(3):
        answer = app.refresh_token(token)
        assert answer.refresh_token != token.refresh_token
        assert 0 < answer.expires_in <= 3600
        answer = answer.validate_id_token(app, later)
        assert answer.id_token.subject == first.subject
        assert answer.id_token.auth_time == first.auth_time
        token = answer


def test_reuse_of_an_old_refresh_token_is_invalid_grant_and_ends_that_family_only(issuer: str, browser: Browser) -> None:
    app = library(issuer, CLIENTS["web2"], CLIENTS["web2"].redirect_uri)  # retry window 0: strict

    def sign_in():
        request = app.authorization_request(scope="openid")
        return app.authorization_code(request.validate_callback(browser.authorize(request.uri, ALICE)), validate=True)

    stolen, other = sign_in(), sign_in()
    newest = app.refresh_token(stolen)

    with pytest.raises(InvalidGrant):
        app.refresh_token(stolen)
    with pytest.raises(InvalidGrant):
        app.refresh_token(newest)
    assert app.refresh_token(other).access_token


def test_errors_of_the_authorization_endpoint_are_understood(issuer: str, browser: Browser) -> None:
    app = library(issuer, CLIENTS["web1"], CLIENTS["web1"].redirect_uri)

    silent = app.authorization_request(scope="openid", prompt="none")
    with pytest.raises(LoginRequired):
        silent.validate_callback(browser.get(silent.uri).url)

    asked = app.authorization_request(scope="openid profile", prompt="consent")
    with pytest.raises(AuthorizationResponseError) as caught:
        asked.validate_callback(browser.authorize(asked.uri, ALICE, decision="deny"))
    assert caught.value.error == "access_denied"
