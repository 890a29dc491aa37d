"""Makers of the values a relying party makes, and one plain relying party without opinions."""

import base64
import hashlib
import secrets
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlencode, urlsplit

import requests

from .fixtures import Client


def b64url(octets: bytes) -> str:
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def random_text(characters: int = 32) -> str:
    return secrets.token_urlsafe(characters)[:characters]


def state() -> str:
    return random_text(32)


def nonce() -> str:
    return random_text(32)


def verifier(characters: int = 64) -> str:
    """A PKCE verifier of the wanted length (RFC 7636 §4.1: 43 to 128)."""
    return random_text(characters)


def challenge_s256(of: str) -> str:
    return b64url(hashlib.sha256(of.encode()).digest())


@dataclass
class TokenAnswer:
    response: requests.Response

    @property
    def status(self) -> int:
        return self.response.status_code

    @property
    def body(self) -> dict:
        return self.response.json()

    @property
    def error(self) -> str | None:
        return self.body.get("error")

    def __getitem__(self, name: str):
        assert self.status == 200, f"{self.status} {self.response.text}"
        return self.body[name]


@dataclass
class AuthorizationRequest:
    """One authorization request of `client`; every value can be replaced or left out (`None`) by `extra`."""

    issuer: str
    client: Client
    scope: str = "openid profile email"
    redirect_uri: str | None = None
    extra: dict[str, str | None] = field(default_factory=dict)
    verify: str | bool = True

    def __post_init__(self) -> None:
        self.state = state()
        self.nonce = nonce()
        self.verifier = verifier()
        self.redirect_uri = self.redirect_uri or self.client.redirect_uri

    @property
    def parameters(self) -> dict[str, str]:
        values: dict[str, str | None] = {
            "response_type": "code",
            "client_id": self.client.client_id,
            "redirect_uri": self.redirect_uri,
            "scope": self.scope,
            "state": self.state,
            "nonce": self.nonce,
            "code_challenge": challenge_s256(self.verifier),
            "code_challenge_method": "S256",
        }
        values.update(self.extra)
        return {name: value for name, value in values.items() if value is not None}

    @property
    def url(self) -> str:
        return f"{self.issuer.rstrip('/')}/authorize?{urlencode(self.parameters)}"

    def answer(self, url: str) -> dict[str, str]:
        """The parameters of an authorization response at `url`, each given once; checks URI, state and iss."""
        base = urlsplit(self.redirect_uri)
        got = urlsplit(url)
        assert (got.scheme, got.netloc, got.path) == (base.scheme, base.netloc, base.path), url
        values = parse_qs(got.query, keep_blank_values=True, strict_parsing=True)
        for name, own in parse_qs(base.query).items():
            assert values.pop(name) == own, f"the registered query did not survive: {url}"
        assert all(len(items) == 1 for items in values.values()), url
        flat = {name: items[0] for name, items in values.items()}
        if "state" in self.parameters:
            assert flat["state"] == self.parameters["state"]
        assert flat["iss"] == self.issuer
        return flat

    def code(self, url: str) -> str:
        """The code of a successful authorization response at `url`."""
        values = self.answer(url)
        assert "error" not in values, values
        return values["code"]

    def exchange(self, code: str, token_endpoint: str | None = None, **extra: str | None) -> TokenAnswer:
        values: dict[str, str | None] = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self.redirect_uri,
            "code_verifier": self.verifier if "code_challenge" in self.parameters else None,
        }
        values.update(extra)
        return self.post(values, token_endpoint)

    def refresh(self, refresh_token: str, token_endpoint: str | None = None, **extra: str | None) -> TokenAnswer:
        return self.post({"grant_type": "refresh_token", "refresh_token": refresh_token, **extra}, token_endpoint)

    def post(self, values: dict[str, str | None], token_endpoint: str | None = None) -> TokenAnswer:
        """A token request with the client's own authentication method."""
        body = {name: value for name, value in values.items() if value is not None}
        auth = None
        if self.client.method == "client_secret_basic":
            auth = self.client.basic
        else:
            body["client_id"] = self.client.client_id
            if self.client.secret is not None:
                body["client_secret"] = self.client.secret
        endpoint = token_endpoint or f"{self.issuer.rstrip('/')}/oauth/token"
        return TokenAnswer(requests.post(endpoint, data=body, auth=auth, timeout=30, verify=self.verify))
