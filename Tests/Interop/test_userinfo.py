"""Each library with userinfo on, off for its client, and off for all: sign-in completes in any case, and what the library
says then is written down here.
"""

from collections.abc import Iterator

import pytest
import requests
from apache import Apache
from house import OFF, OFF_HERE, ON, House
from joserfc import jwt
from oic.oauth2.exception import MissingEndpoint
from oic.oauth2.message import ErrorResponse
from oic.oic.message import Claims, ClaimsRequest, OpenIDSchema
from requests_oauth2client import MissingEndpointUri
from simple_openid_connect import pkce
from simple_openid_connect.client import OpenidClient
from simple_openid_connect.data import TokenSuccessResponse, UserinfoErrorResponse, UserinfoSuccessResponse
from simple_openid_connect.exceptions import UnsupportedByProviderError
from test_authlib import App
from test_mod_auth_openidc import Visitor, shown
from test_oic import library as oic_library
from test_oic import sign_in as oic_sign_in
from test_requests_oauth2client import library as requests_library
from test_verdicts import spoilt

from support import ALICE, Browser, Dev, fetch_jwks, nonce, state

@pytest.fixture(scope="module")
def provider() -> Iterator[Dev]:
    """One of its own, since others rely on the switches of the fixtures."""
    with Dev() as dev:
        yield dev


@pytest.fixture(scope="module", params=[ON, OFF_HERE, OFF])
def house(provider: Dev, request: pytest.FixtureRequest) -> House:
    return House(provider, request.param, "userinfo")


@pytest.fixture
def browser(house: House) -> Browser:
    return Browser(house.issuer)


def test_authlib(house: House, browser: Browser) -> None:
    """It asks with GET, when the app tells it to."""
    client = house.client("authlib")
    app = App(house.issuer, client, client.redirect_uri, "openid profile email")
    app.sign_in(browser, ALICE)
    sub = app.token["userinfo"]["sub"]

    with app.flask.test_request_context():
        if house.how == ON:
            person = app.remote.userinfo(token=app.token)
            assert (person.sub, person.name, person.email) == (sub, ALICE.raw["name"], ALICE.raw["email"])
            assert person.email_verified is True
        elif house.how == OFF_HERE:
            with pytest.raises(requests.HTTPError) as raised:
                app.remote.userinfo(token=app.token)
            assert raised.value.response.status_code == 403
            assert raised.value.response.json()["error"] == "insufficient_scope"
        else:
            with pytest.raises(KeyError, match="userinfo_endpoint"):
                app.remote.userinfo(token=app.token)


def test_requests_oauth2client(house: House, browser: Browser) -> None:
    """It asks with POST, the token in the header."""
    client = house.client("requests")
    app = requests_library(house.issuer, client, client.redirect_uri)
    request = app.authorization_request(scope="openid email")
    response = request.validate_callback(browser.authorize(request.uri, ALICE))
    token = app.authorization_code(response, validate=True)

    if house.how == ON:
        assert app.userinfo(token) == {
            "sub": token.id_token.subject, "email": ALICE.raw["email"], "email_verified": True}
    elif house.how == OFF_HERE:
        with pytest.raises(requests.HTTPError) as raised:
            app.userinfo(token)
        assert raised.value.response.status_code == 403
        assert 'error="insufficient_scope"' in raised.value.response.headers["WWW-Authenticate"]
    else:
        with pytest.raises(MissingEndpointUri):
            app.userinfo(token)


@pytest.mark.parametrize("method", ["POST", "GET"])
def test_oic(house: House, browser: Browser, method: str) -> None:
    """It asks with POST, the token in the form, or with GET; and compares the two `sub` itself."""
    client = house.client("oic")
    app = oic_library(house.issuer, client)
    arguments, token = oic_sign_in(app, browser, client)

    if house.how == OFF:
        with pytest.raises(MissingEndpoint):
            app.do_user_info_request(method, state=arguments["state"])
        return
    answer = app.do_user_info_request(method, state=arguments["state"])
    if house.how == ON:
        assert isinstance(answer, OpenIDSchema) and answer.verify()
        assert answer["sub"] == token["id_token"]["sub"]
        assert answer["birthdate"] == ALICE.raw["birthdate"] and isinstance(answer["updated_at"], int)
    else:
        assert isinstance(answer, ErrorResponse) and answer["error"] == "insufficient_scope"
        assert "switch userinfo" in answer["error_description"]


def test_simple_openid_connect(house: House, browser: Browser) -> None:
    client = house.client("simple")
    app = OpenidClient.from_issuer_url(
        house.issuer, client.redirect_uri, client.client_id, client.secret, "openid profile email")
    sent, (verifier, challenge) = {"state": state(), "nonce": nonce()}, pkce.generate_pkce_pair()
    start = app.authorization_code_flow.start_authentication(
        **sent, code_challenge=challenge, code_challenge_method="S256")
    token = app.authorization_code_flow.handle_authentication_result(
        browser.authorize(start, ALICE), state=sent["state"], code_verifier=verifier, code_challenge=challenge,
        code_challenge_method="S256")
    assert isinstance(token, TokenSuccessResponse), token
    claims = app.decode_id_token(token.id_token, nonce=sent["nonce"])

    if house.how == OFF:
        with pytest.raises(UnsupportedByProviderError):
            app.fetch_userinfo(token.access_token)
        return
    answer = app.fetch_userinfo(token.access_token)
    if house.how == ON:
        assert isinstance(answer, UserinfoSuccessResponse)
        assert (answer.sub, answer.given_name) == (claims.sub, ALICE.raw["given_name"])
    else:
        assert isinstance(answer, UserinfoErrorResponse) and answer.error == "insufficient_scope"


@pytest.mark.parametrize("token_method", ["authz_header", "post_param"])
@pytest.mark.parametrize("kind", ["plain", "signed"])
def test_mod_auth_openidc(house: House, token_method: str, kind: str) -> None:
    """It asks in every sign-in by itself, as discovery says. What it does not get to know is not there; the page is open
    all the same, to the one whom the ID Token names.
    """
    apache = Apache()
    signing = {"userinfo_signed_response_alg": "RS256"} if kind == "signed" else {}
    client = house.client("apache", apache.redirect_uri, **signing)
    more = f"OIDCUserInfoTokenMethod {token_method}"
    if kind == "signed":
        more += "\nOIDCUserInfoSignedResponseAlg RS256"
    apache.start(house.issuer, client, more)
    try:
        page = Visitor(apache, house.issuer).open(apache.origin + "/app/page.html")
        assert page.status == 200, apache.log
        assert shown(page, "iss") == house.issuer and shown(page, "user") not in ("", "(none)")
        if house.how == ON:
            assert shown(page, "name") == ALICE.raw["name"], apache.log
            assert shown(page, "email_verified") in ("1", "true")
        else:
            assert shown(page, "name") == shown(page, "email_verified") == "(none)"
    finally:
        apache.stop()


# MARK: Signed answers


@pytest.mark.parametrize("house", [ON], indirect=True)
def test_a_signed_answer_is_verified_by_oic(house: House, browser: Browser) -> None:
    """By its own JOSE, with the keys it has fetched."""
    client = house.client("oic-signed", userinfo_signed_response_alg="RS256")
    app = oic_library(house.issuer, client)
    arguments, token = oic_sign_in(app, browser, client)

    answer = app.do_user_info_request(state=arguments["state"])

    assert isinstance(answer, OpenIDSchema)
    assert (answer["sub"], answer["iss"]) == (token["id_token"]["sub"], house.issuer)
    assert answer["name"] == ALICE.raw["name"]


@pytest.mark.parametrize("house", [ON], indirect=True)
def test_a_signed_answer_is_verified_by_joserfc(house: House, browser: Browser) -> None:
    client = house.client("requests-signed", scope="openid phone", userinfo_signed_response_alg="RS256")
    app = requests_library(house.issuer, client, client.redirect_uri)
    request = app.authorization_request(scope="openid phone")
    token = app.authorization_code(request.validate_callback(browser.authorize(request.uri, ALICE)), validate=True)

    answer = requests.get(
        app.userinfo_endpoint, headers={"Authorization": f"Bearer {token.access_token}"}, timeout=10)

    assert answer.headers["Content-Type"] == "application/jwt"
    keys = fetch_jwks(house.server.discovery()["jwks_uri"])
    claims = jwt.decode(answer.text, keys, algorithms=["RS256"]).claims
    assert claims == {
        "iss": house.issuer, "aud": client.client_id, "sub": token.id_token.subject,
        "phone_number": ALICE.raw["phone_number"], "phone_number_verified": True}
    with pytest.raises(Exception, match="signature|bad_signature"):
        jwt.decode(spoilt(answer.text), keys, algorithms=["RS256"])


# MARK: The claims parameter


def test_a_library_asks_for_claims_by_name(house: House, browser: Browser) -> None:
    """Those in the ID Token come whether there is userinfo or not."""
    client = house.client("oic-claims")
    app = oic_library(house.issuer, client)
    asked = ClaimsRequest(id_token=Claims(email={"essential": True}), userinfo=Claims(name=None))
    arguments, token = oic_sign_in(app, browser, client, scope=["openid"], claims=asked)

    assert token["id_token"]["email"] == ALICE.raw["email"] and "name" not in token["id_token"]
    if house.how == ON:
        answer = app.do_user_info_request(state=arguments["state"])
        assert answer["name"] == ALICE.raw["name"] and "email" not in answer
