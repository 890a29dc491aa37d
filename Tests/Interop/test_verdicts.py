"""Three JOSE libraries that share no code give their verdict on one ID Token."""

import json

import jwt as pyjwt
import pytest
import requests
from jwcrypto import jwk as crypto_jwk
from jwcrypto import jwt as crypto_jwt
from jwcrypto.common import JWException

from support import CLIENTS, AuthorizationRequest, Browser, Dev, verify_id_token


@pytest.fixture
def signed_in(server: Dev, browser: Browser):
    request = AuthorizationRequest(server.issuer, CLIENTS["web1"])
    return request, request.exchange(request.code(browser.authorize(request.url)))


def spoilt(token: str) -> str:
    """The same token with one bit of its claims turned."""
    head, claims, signature = token.split(".")
    other = "A" if claims[20] != "A" else "B"
    return f"{head}.{claims[:20]}{other}{claims[21:]}.{signature}"


def test_joserfc(signed_in, jwks, issuer: str) -> None:
    request, token = signed_in
    checks = {"issuer": issuer, "client_id": "web1", "nonce": request.nonce, "access_token": token["access_token"]}

    assert verify_id_token(token["id_token"], jwks, **checks)["sub"]
    with pytest.raises(Exception, match="signature|bad_signature"):
        verify_id_token(spoilt(token["id_token"]), jwks, **checks)


def test_pyjwt(signed_in, discovery: dict, issuer: str) -> None:
    _, token = signed_in
    key = pyjwt.PyJWKClient(discovery["jwks_uri"]).get_signing_key_from_jwt(token["id_token"])
    required = {"require": ["iss", "aud", "sub", "iat", "exp", "nonce", "auth_time"]}

    claims = pyjwt.decode(token["id_token"], key, algorithms=["RS256"], audience="web1", issuer=issuer, options=required)

    assert claims["sub"]
    with pytest.raises(pyjwt.InvalidSignatureError):
        pyjwt.decode(spoilt(token["id_token"]), key, algorithms=["RS256"], audience="web1")


def test_jwcrypto(signed_in, discovery: dict, issuer: str) -> None:
    _, token = signed_in
    keys = crypto_jwk.JWKSet.from_json(requests.get(discovery["jwks_uri"], timeout=10).text)

    verdict = crypto_jwt.JWT(
        jwt=token["id_token"], key=keys, algs=["RS256"], check_claims={"iss": issuer, "aud": "web1", "exp": None})

    assert json.loads(verdict.claims)["sub"]
    with pytest.raises(JWException):
        crypto_jwt.JWT(jwt=spoilt(token["id_token"]), key=keys, algs=["RS256"])
