"""Authlib (its Flask client, as its documentation shows it) signs people in."""

from urllib.parse import urlsplit

import pytest
from authlib.integrations.flask_client import OAuth, OAuthError
from flask import Flask

from support import ALICE, BOB, CLIENTS, Browser, Client, free_port, random_text

# Client, redirect URI and account; the query of web2's redirect URI must come back.
CASES = {
    "client_secret_basic": (CLIENTS["web1"], CLIENTS["web1"].redirect_uri, ALICE),
    "client_secret_post": (CLIENTS["web2"], CLIENTS["web2"].redirect_uri, BOB),
    "public PKCE, loopback": (CLIENTS["app1"], "http://127.0.0.1:{port}/cb", ALICE),
    "public PKCE, single page": (CLIENTS["spa1"], CLIENTS["spa1"].redirect_uri, ALICE),
}


class App:
    """A small Flask app as in Authlib's guide: /login sends the browser away, the callback finishes."""

    def __init__(self, issuer: str, client: Client, redirect_uri: str, scope: str, **more: str) -> None:
        self.flask = Flask("app")
        self.flask.secret_key = random_text()
        self.remote = OAuth(self.flask).register(
            "seleid",
            client_id=client.client_id,
            client_secret=client.secret,
            server_metadata_url=f"{issuer}/.well-known/openid-configuration",
            client_kwargs={
                "scope": scope,
                "code_challenge_method": "S256",
                "token_endpoint_auth_method": client.method,
            },
        )
        self.token: dict = {}

        @self.flask.get("/login")
        def login():
            return self.remote.authorize_redirect(redirect_uri, **more)

        def callback():
            self.token = self.remote.authorize_access_token()
            return "signed in as " + self.token["userinfo"]["sub"]

        self.flask.add_url_rule(urlsplit(redirect_uri).path, "callback", callback)
        self.visitor = self.flask.test_client()

    def sign_in(self, browser: Browser, account) -> str:
        start = self.visitor.get("/login")
        assert start.status_code == 302
        back = urlsplit(browser.authorize(start.headers["Location"], account))
        answer = self.visitor.get(f"{back.path}?{back.query}")
        assert answer.status_code == 200, answer.text
        return answer.text

    def refresh(self, refresh_token: str) -> dict:
        metadata = self.remote.load_server_metadata()
        with self.flask.test_request_context():
            session = self.remote._get_oauth_client(**metadata)
            return session.refresh_token(metadata["token_endpoint"], refresh_token=refresh_token)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_signs_in_verifies_the_id_token_and_refreshes_three_times(issuer: str, browser: Browser, case) -> None:
    client, redirect_uri, account = case
    app = App(issuer, client, redirect_uri.format(port=free_port()), "openid profile")

    text = app.sign_in(browser, account)

    first = app.token["userinfo"]
    assert text == f"signed in as {first['sub']}"
    assert first["iss"] == issuer and first["aud"] in (client.client_id, [client.client_id])
    assert "at_hash" in first, "the library verifies at_hash only where there is one"
    newest = app.token
    for _ in range(3):
        answer = app.refresh(newest["refresh_token"])
        assert answer["refresh_token"] != newest["refresh_token"]
        assert answer["access_token"] != newest["access_token"]
        claims = app.remote.parse_id_token(answer, nonce=None)
        assert claims["sub"] == first["sub"] and claims["auth_time"] == first["auth_time"]
        newest = answer


def test_a_second_sign_in_of_a_known_browser_asks_nothing(issuer: str, browser: Browser) -> None:
    client = CLIENTS["web1"]
    App(issuer, client, client.redirect_uri, "openid").sign_in(browser, ALICE)

    app = App(issuer, client, client.redirect_uri, "openid")
    start = app.visitor.get("/login")
    page = browser.get(start.headers["Location"])

    assert page.left and "code=" in page.url


def test_denied_consent_reaches_the_library_as_access_denied(issuer: str, browser: Browser) -> None:
    client = CLIENTS["web2"]
    app = App(issuer, client, client.redirect_uri, "openid email", prompt="consent")
    start = app.visitor.get("/login")
    back = urlsplit(browser.authorize(start.headers["Location"], BOB, decision="deny"))

    with app.flask.test_request_context(f"{back.path}?{back.query}"):
        with pytest.raises(OAuthError) as caught:
            app.remote.authorize_access_token()

    assert caught.value.error == "access_denied"
