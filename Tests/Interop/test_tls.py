"""`seleid dev --tls`: an https issuer under a CA of its own, trusted by file."""

from collections.abc import Iterator

import pytest
import requests
from chromium import Chromium, chromium
from requests_oauth2client import ClientSecretBasic, OAuth2Client

from support import ALICE, AuthorizationRequest, Browser, Callback, Client, Dev, fetch_jwks, register, verify_id_token


@pytest.fixture(scope="module")
def secure() -> Iterator[Dev]:
    with Dev(tls=True) as dev:
        yield dev


@pytest.fixture(scope="module")
def trusting(secure: Dev) -> Iterator[Chromium]:
    with chromium(secure.ca_file) as browser:
        yield browser


@pytest.fixture
def app(secure: Dev, callback: Callback) -> Client:
    return register(secure, f"tls-{callback.port}", [callback.redirect_uri])


def test_the_issuer_and_every_endpoint_are_https(secure: Dev) -> None:
    discovery = secure.discovery()

    assert discovery["issuer"] == secure.issuer and secure.issuer.startswith("https://")
    for name, value in discovery.items():
        if name.endswith("_endpoint") or name == "jwks_uri":
            assert value.startswith(secure.issuer), name


def test_without_the_ca_nobody_connects(secure: Dev) -> None:
    with pytest.raises(requests.exceptions.SSLError):
        requests.get(secure.url("/.well-known/openid-configuration"), timeout=10)


def test_a_strict_library_signs_in_over_https(secure: Dev, app: Client) -> None:
    session = requests.Session()
    session.trust_env = False  # or REQUESTS_CA_BUNDLE would win over the file named here
    session.verify = secure.ca
    # No `testing` here: the library demands https of every endpoint itself.
    library = OAuth2Client.from_discovery_endpoint(
        issuer=secure.issuer, auth=ClientSecretBasic(app.client_id, app.secret), redirect_uri=app.redirect_uri,
        id_token_signed_response_alg="RS256", session=session)
    request = library.authorization_request(scope="openid profile")
    browser = Browser(secure.issuer, verify=secure.ca)

    response = request.validate_callback(browser.authorize(request.uri, ALICE))
    token = library.authorization_code(response, validate=True)
    for _ in range(3):
        newer = library.refresh_token(token)
        assert newer.refresh_token != token.refresh_token
        token = newer


def test_cookies_are_bound_to_the_host(secure: Dev, app: Client) -> None:
    browser = Browser(secure.issuer, verify=secure.ca)
    browser.authorize(AuthorizationRequest(secure.issuer, app).url, ALICE)

    lines = [line for response in browser.history for line in response.raw.headers.getlist("Set-Cookie")]
    assert lines
    for line in lines:
        name, *attributes = [part.strip() for part in line.split(";")]
        attributes = [attribute.lower() for attribute in attributes]
        assert name.startswith("__Host-"), name.split("=")[0]
        assert {"secure", "httponly", "path=/", "samesite=lax"} <= set(attributes)
        assert not any(attribute.startswith("domain") for attribute in attributes)


def test_chromium_signs_in_over_https(secure: Dev, trusting: Chromium, app: Client, callback: Callback) -> None:
    request = AuthorizationRequest(secure.issuer, app, verify=secure.ca)

    trusting.open(request.url)
    trusting.sign_in()
    cookies = trusting.cdp("Network.getAllCookies")["cookies"]
    trusting.decide("allow")

    token = request.exchange(request.code(callback.next()))
    verify_id_token(
        token["id_token"], fetch_jwks(secure.url("/.well-known/jwks.json"), verify=secure.ca), issuer=secure.issuer,
        client_id=app.client_id, nonce=request.nonce, access_token=token["access_token"])
    assert cookies and all(cookie["name"].startswith("__Host-") and cookie["secure"] for cookie in cookies)
    assert trusting.policy_violations == []
