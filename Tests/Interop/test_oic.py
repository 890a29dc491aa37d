"""oic (pyoidc), a certified older relying party, signs people in."""

from urllib.parse import urlsplit

import pytest
from oic import rndstr
from oic.oic import Client as Library
from oic.oic.message import AccessTokenResponse, AuthorizationErrorResponse, AuthorizationResponse, RegistrationResponse
from oic.utils.authn.client import CLIENT_AUTHN_METHOD

from support import ALICE, CLIENTS, Browser, Client

CASES = {
    "client_secret_basic": CLIENTS["web1"],
    "client_secret_post": CLIENTS["web2"],
    "client_secret_basic without PKCE": CLIENTS["conf1"],
}


def library(issuer: str, client: Client) -> Library:
    app = Library(client_authn_method=CLIENT_AUTHN_METHOD, config={"code_challenge": {"method": "S256", "length": 64}})
    app.provider_config(issuer)
    app.store_registration_info(RegistrationResponse(
        client_id=client.client_id, client_secret=client.secret, redirect_uris=[client.redirect_uri]))
    app.redirect_uris = [client.redirect_uri]
    return app


def request_arguments(app: Library, **more: object) -> dict:
    return {
        "response_type": "code",
        "scope": ["openid", "profile"],
        "state": rndstr(32),
        "nonce": rndstr(32),
        "redirect_uri": app.redirect_uris[0],
        **more,
    }


def sign_in(app: Library, browser: Browser, client: Client, **more: object) -> tuple[dict, AccessTokenResponse]:
    """What was asked, and the verified token answer."""
    arguments, verifier = request_arguments(app, **more), None
    if client.raw["profile"] != "oidc":
        challenge, verifier = app.add_code_challenge()
        arguments.update(challenge)
    request = app.construct_AuthorizationRequest(request_args=arguments)

    back = browser.authorize(request.request(app.authorization_endpoint), ALICE)
    response = app.parse_response(AuthorizationResponse, info=urlsplit(back).query, sformat="urlencoded")

    assert isinstance(response, AuthorizationResponse) and response["state"] == arguments["state"]
    assert response["iss"] == app.provider_info["issuer"]
    exchange = {"code": response["code"], "redirect_uri": app.redirect_uris[0]}
    if verifier is not None:
        exchange["code_verifier"] = verifier
    token = app.do_access_token_request(state=arguments["state"], request_args=exchange, authn_method=client.method)
    assert isinstance(token, AccessTokenResponse), token
    app.verify_id_token(token["id_token"], request)  # beyond the signature, which parsing has verified
    assert token["id_token"]["nonce"] == arguments["nonce"]
    return arguments, token


@pytest.mark.parametrize("client", CASES.values(), ids=CASES)
def test_signs_in_verifies_the_id_token_and_refreshes_three_times(issuer: str, browser: Browser, client: Client) -> None:
    app = library(issuer, client)
    arguments, token = sign_in(app, browser, client)
    first = token["id_token"]

    for _ in range(3):
        previous = token["refresh_token"]
        token = app.do_access_token_refresh(state=arguments["state"], authn_method=client.method)
        assert isinstance(token, AccessTokenResponse), token
        assert token["refresh_token"] != previous
        app._verify_id_token(token["id_token"])
        assert (token["id_token"]["sub"], token["id_token"]["auth_time"]) == (first["sub"], first["auth_time"])


def test_prompt_none_without_a_session_is_an_error_response(issuer: str, browser: Browser) -> None:
    app = library(issuer, CLIENTS["web1"])
    challenge, _ = app.add_code_challenge()
    request = app.construct_AuthorizationRequest(request_args={**request_arguments(app, prompt="none"), **challenge})

    page = browser.get(request.request(app.authorization_endpoint))
    response = app.parse_response(AuthorizationResponse, info=urlsplit(page.url).query, sformat="urlencoded")

    assert isinstance(response, AuthorizationErrorResponse)
    assert response["error"] == "login_required" and response["state"] == request["state"]
