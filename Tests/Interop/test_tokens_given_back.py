"""Libraries that give tokens back and ask what they are worth, with both endpoints on, off for the client and off for
all. Sign-in completes in any case.
"""

from collections.abc import Iterator

import psycopg
import pytest
import requests
from apache import Apache
from authlib.integrations.requests_client import OAuth2Session
from house import OFF, OFF_HERE, ON, House
from requests_oauth2client import BearerToken, ClientSecretBasic, MissingEndpointUri, OAuth2Client
from requests_oauth2client.exceptions import InvalidClient, InvalidGrant, UnauthorizedClient
from test_authlib import App
from test_mod_auth_openidc import Visitor, shown
from test_requests_oauth2client import library

from support import ALICE, Browser, Client, Dev, register

METHODS = ["client_secret_basic", "client_secret_post"]


@pytest.fixture(scope="module")
def provider() -> Iterator[Dev]:
    """One of its own, since others rely on the switches of the fixtures."""
    with Dev() as dev:
        yield dev


@pytest.fixture(scope="module", params=[ON, OFF_HERE, OFF])
def house(provider: Dev, request: pytest.FixtureRequest) -> House:
    return House(provider, request.param, "revocation", "introspection")


@pytest.fixture
def browser(house: House) -> Browser:
    return Browser(house.issuer)


# MARK: requests_oauth2client


def sign_in(app: OAuth2Client, browser: Browser) -> BearerToken:
    request = app.authorization_request(scope="openid email")
    return app.authorization_code(request.validate_callback(browser.authorize(request.uri, ALICE)), validate=True)


@pytest.mark.parametrize("method", METHODS)
def test_requests_oauth2client(house: House, browser: Browser, method: str) -> None:
    client = house.client(f"requests-{method[-5:].strip('_')}", method=method)
    app = library(house.issuer, client, client.redirect_uri)
    token = sign_in(app, browser)
    if house.how != ON:
        refusal = MissingEndpointUri if house.how == OFF else UnauthorizedClient
        for use in (app.revoke_access_token, app.revoke_refresh_token, app.introspect_token):
            with pytest.raises(refusal) as raised:
                use(token)
            if house.how == OFF_HERE:
                assert "is switched off for this client" in str(raised.value.description)
        assert app.refresh_token(token).access_token, "nothing was revoked"
        return

    for hint in (None, "access_token", "refresh_token"):
        seen = app.introspect_token(token, token_type_hint=hint)
        assert seen["active"] is True and seen["sub"] == token.id_token.subject
        assert seen["scope"] == "openid email" and seen["client_id"] == client.client_id
    assert app.revoke_access_token(token) is True
    assert app.introspect_token(token) == {"active": False}
    newer = app.refresh_token(token)
    assert app.introspect_token(newer)["active"] is True
    assert app.revoke_refresh_token(newer) is True
    for hint in (None, "refresh_token"):
        assert app.introspect_token(newer, token_type_hint=hint) == {"active": False}
    with pytest.raises(InvalidGrant):
        app.refresh_token(newer)
    assert app.revoke_refresh_token(newer) is True, "once more does no harm"


@pytest.mark.parametrize("house", [ON], indirect=True)
def test_requests_oauth2client_as_a_public_client(house: House, browser: Browser) -> None:
    """It may revoke what is its own, and introspect nothing."""
    client = house.client("requests-public", method="none")
    app = library(house.issuer, client, client.redirect_uri)
    token = sign_in(app, browser)

    with pytest.raises(InvalidClient):
        app.introspect_token(token)
    assert app.revoke_refresh_token(token) is True
    with pytest.raises(InvalidGrant):
        app.refresh_token(token)


@pytest.mark.parametrize("house", [ON], indirect=True)
def test_requests_oauth2client_with_another_clients_token(house: House, browser: Browser) -> None:
    mine, other = house.client("requests-mine"), house.client("requests-other")
    token = sign_in(library(house.issuer, mine, mine.redirect_uri), browser)
    stranger = library(house.issuer, other, other.redirect_uri)

    with pytest.raises(InvalidGrant, match="another client"):
        stranger.revoke_refresh_token(token)
    assert stranger.introspect_token(token) == {"active": False}


@pytest.mark.parametrize("house", [ON], indirect=True)
def test_requests_oauth2client_as_a_resource_server(house: House, browser: Browser) -> None:
    """It sees the access tokens of the app that names it, until they are revoked."""
    server: Client = register(
        house.server, "api-of-its-own", [], grant_types=[], switches={"introspection": True}, scope="openid")
    client = house.client("requests-audience", audience=[server.client_id])
    app = library(house.issuer, client, client.redirect_uri)
    api = OAuth2Client.from_discovery_endpoint(
        issuer=house.issuer, auth=ClientSecretBasic(server.client_id, server.secret), testing=True)
    token = sign_in(app, browser)

    seen = api.introspect_token(token)
    assert seen["active"] is True and seen["client_id"] == client.client_id
    assert seen["aud"] == [client.client_id, server.client_id] and seen["token_type"] == "Bearer"
    assert api.introspect_token(token, token_type_hint="refresh_token") == {"active": False}
    app.revoke_refresh_token(token)
    assert api.introspect_token(token) == {"active": False}


# MARK: Authlib


@pytest.mark.parametrize("method", METHODS)
def test_authlib(house: House, browser: Browser, method: str) -> None:
    client = house.client(f"authlib-{method[-5:].strip('_')}", method=method)
    app = App(house.issuer, client, client.redirect_uri, "openid email")
    app.sign_in(browser, ALICE)
    metadata = app.remote.load_server_metadata()
    if house.how == OFF:
        assert "revocation_endpoint" not in metadata and "introspection_endpoint" not in metadata
        assert app.refresh(app.token["refresh_token"])["access_token"]
        return

    session = OAuth2Session(
        client.client_id, client.secret, token_endpoint_auth_method=method, revocation_endpoint_auth_method=method)

    def use(name: str, token: str, hint: str | None = None) -> requests.Response:
        call = {"revocation": session.revoke_token, "introspection": session.introspect_token}[name]
        return call(metadata[f"{name}_endpoint"], token=token, token_type_hint=hint)

    access, refresh = app.token["access_token"], app.token["refresh_token"]
    if house.how == OFF_HERE:
        for name in ("revocation", "introspection"):
            answer = use(name, refresh)
            assert answer.status_code == 400 and answer.json()["error"] == "unauthorized_client"
            assert f"switch {name}" in answer.json()["error_description"]
        assert app.refresh(refresh)["access_token"], "nothing was revoked"
        return

    assert use("introspection", access, "access_token").json()["sub"] == app.token["userinfo"]["sub"]
    assert use("introspection", refresh, "refresh_token").json()["active"] is True
    assert use("revocation", access, "access_token").status_code == 200
    assert use("introspection", access).json() == {"active": False}
    newest = app.refresh(refresh)
    # With the wrong hint.
    assert use("revocation", newest["refresh_token"], "access_token").status_code == 200
    for token in (newest["access_token"], newest["refresh_token"]):
        assert use("introspection", token).json() == {"active": False}


# MARK: mod_auth_openidc


def test_mod_auth_openidc_revokes_when_people_sign_out(house: House) -> None:
    """By itself, when discovery names the endpoint; without it, or refused, signing out of the site works as well."""
    apache = Apache()
    client = house.client("apache-revoking", apache.redirect_uri)
    apache.start(house.issuer, client)
    try:
        visitor = Visitor(apache, house.issuer)
        page = visitor.open(apache.origin + "/app/page.html")
        assert page.status == 200 and shown(page, "refresh"), apache.log
        away = visitor.site.get(f"{apache.redirect_uri}?logout={apache.origin}/index.html")
        assert away.status == 200 and "open to all" in away.text, apache.log
        assert visitor.site.get(apache.origin + "/app/page.html").left, "still signed in at the site"
        with psycopg.connect(house.server.database_url) as database:
            row = database.execute(
                "SELECT end_reason FROM grants WHERE client_id = %s ORDER BY id DESC LIMIT 1", (client.client_id,)
            ).fetchone()
        assert row == ("revoked" if house.how == ON else None,), apache.log
    finally:
        apache.stop()
