"""A relying party that checks everything it sees: each step of a flow applies the repeated checks of `checks`.

Every value of every request can be replaced, repeated or left out, so that a test states only what it changes.
"""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass, field
from typing import Any, Iterable
from urllib.parse import quote, quote_plus, urlencode, urlsplit

import requests

from . import checks
from .browser import Browser, Page
from .fixtures import ALICE, Account, Client
from .oauth import challenge_s256, random_text, verifier

Pairs = list[tuple[str, str]]

#: The verifier and challenge of RFC 7636 Appendix B.
RFC7636_VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
RFC7636_CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

NOT_GIVEN = object()


def is_public(client: Client) -> bool:
    return client.method == "none"


def basic(client_id: str, secret: str) -> str:
    """An Authorization value with both halves form-encoded (RFC 6749 §2.3.1)."""
    return "Basic " + base64.b64encode(f"{quote_plus(client_id)}:{quote_plus(secret)}".encode()).decode()


def raw_basic(text: str | bytes) -> str:
    return "Basic " + base64.b64encode(text.encode() if isinstance(text, str) else text).decode()


@dataclass
class Ask:
    """One authorization request and what is needed to judge its answer."""

    issuer: str
    client: Client
    endpoint: str
    parameters: dict[str, str]
    verifier: str | None
    redirect_uri: str
    #: Parameters that go out a second time, behind the others.
    repeated: Pairs = field(default_factory=list)

    @property
    def state(self) -> str | None:
        return self.parameters.get("state") or None

    @property
    def nonce(self) -> str | None:
        return self.parameters.get("nonce") or None

    def asked_claims(self, member: str) -> set[str]:
        """The names in a member (`userinfo`, `id_token`) of the claims parameter."""
        return set(json.loads(self.parameters.get("claims") or "{}").get(member) or ())

    @property
    def pairs(self) -> Pairs:
        return [*self.parameters.items(), *self.repeated]

    @property
    def query(self) -> str:
        return urlencode(self.pairs, quote_via=quote)

    @property
    def url(self) -> str:
        return f"{self.endpoint}?{self.query}"

    def code(self, url: str) -> str:
        """The code of a success at `url`; everything else about that answer is checked."""
        return checks.check_success_redirect(url, redirect_uri=self.redirect_uri, issuer=self.issuer, state=self.state)

    def error(self, url: str, *errors: str) -> dict[str, str]:
        return checks.check_redirect_error(
            url,
            redirect_uri=self.redirect_uri,
            issuer=self.issuer,
            state=self.state,
            errors=errors or checks.AUTHORIZATION_ERRORS,
        )


@dataclass
class Signed:
    """A finished sign-in: the answer, and the verified claims of its ID Token."""

    ask: Ask
    code: str
    answer: dict[str, Any]
    claims: dict[str, Any]
    browser: Browser
    #: What userinfo said; None where it is off.
    person: dict[str, Any] | None = None

    @property
    def client(self) -> Client:
        return self.ask.client

    @property
    def refresh_token(self) -> str:
        return self.answer["refresh_token"]

    @property
    def access_token(self) -> str:
        return self.answer["access_token"]

    @property
    def id_token(self) -> str:
        return self.answer["id_token"]


class Lab:
    """A provider under test."""

    def __init__(
        self, issuer: str, *, verify: str | bool = True, headers: dict[str, str] | None = None, node: str | None = None
    ) -> None:
        self.issuer = issuer
        self.verify = verify
        self.headers = headers or {}
        #: Scheme and authority of the node to ask, where it is not the issuer's.
        self.node = node
        self.session = requests.Session()
        self.session.trust_env = False
        self._discovery: dict[str, Any] | None = None

    # MARK: Documents

    @property
    def discovery(self) -> dict[str, Any]:
        if self._discovery is None:
            self._discovery = checks.check_json(self.get("/.well-known/openid-configuration"))
        return self._discovery

    @property
    def token_endpoint(self) -> str:
        return self._at_node(self.discovery["token_endpoint"])

    @property
    def authorization_endpoint(self) -> str:
        return self._at_node(self.discovery["authorization_endpoint"])

    def _at_node(self, url: str) -> str:
        if self.node is None:
            return url
        parts = urlsplit(url)
        return self.node + url[len(f"{parts.scheme}://{parts.netloc}") :]

    def jwks(self) -> dict[str, Any]:
        answer = self.http("GET", self._at_node(self.discovery["jwks_uri"]))
        assert answer.status_code == 200
        document = checks.check_json(answer)
        checks.check_jwks(document)
        return document

    def http(self, method: str, url: str, **options: Any) -> requests.Response:
        """One request without cookies and without following redirects."""
        self.session.cookies.clear()
        options.setdefault("timeout", 30)
        options["headers"] = self.headers | (options.get("headers") or {})
        return self.session.request(method, url, allow_redirects=False, verify=self.verify, **options)

    def get(self, path: str, **options: Any) -> requests.Response:
        return self.http("GET", (self.node or self.issuer.rstrip("/")) + path, **options)

    # MARK: Front channel

    def browser(self, **headers: str) -> Browser:
        return Browser(self.node or self.issuer, verify=self.verify, headers=self.headers | headers)

    def ask(
        self, client: Client, *, without: Iterable[str] = (), repeated: Pairs | None = None, **changes: str | None
    ) -> Ask:
        """An authorization request as the client's profile needs it, with changes; `None` leaves a parameter out.

        Clients of profile `oidc` send what the Foundation's Basic plan sends: state and nonce of 10 characters, no PKCE.
        """
        plain = client.raw["profile"] == "oidc"
        size = 10 if plain else 32
        parameters: dict[str, str | None] = {
            "client_id": client.client_id,
            "redirect_uri": client.redirect_uri,
            "scope": "openid",
            "state": random_text(size),
            "nonce": random_text(size),
            "response_type": "code",
        }
        secret = None
        if not plain or is_public(client):
            secret = verifier()
            parameters |= {"code_challenge": challenge_s256(secret), "code_challenge_method": "S256"}
        parameters |= changes
        for name in without:
            parameters[name] = None
        if "code_challenge" in changes or parameters.get("code_challenge") is None:
            secret = None
        sent = {name: value for name, value in parameters.items() if value is not None}
        return Ask(
            self.issuer,
            client,
            self.authorization_endpoint,
            sent,
            secret,
            sent.get("redirect_uri") or client.redirect_uri,
            repeated or [],
        )

    def authorize(self, ask: Ask) -> requests.Response:
        """The bare first answer of the authorization endpoint, without cookies."""
        return self.http("GET", ask.url)

    def error_page(self, url: str, *, statuses: Iterable[int] = (400,), never: Iterable[str] = ()) -> str:
        """The request ends on the provider's own page, which names none of `never`."""
        text = checks.check_error_page(self.http("GET", url), statuses=statuses)
        for part in never:
            assert part not in text, f"the page repeats what was sent: {part!r}"
        return text

    def redirect_error(self, ask: Ask, *errors: str) -> dict[str, str]:
        """The request ends at once, without any page, with one of these errors at the redirect URI.

        A private-use scheme is handed over by a page that goes on by itself.
        """
        if not ask.redirect_uri.startswith("http"):
            return ask.error(self.silent(self.browser(), ask), *errors)
        answer = self.authorize(ask)
        assert answer.status_code in (302, 303), f"status {answer.status_code}: {readable(answer)}"
        return ask.error(answer.headers["Location"], *errors)

    def silent(self, browser: Browser, ask: Ask) -> str:
        """The URL a request leads to when no page may be shown."""
        page = browser.get(ask.url)
        assert page.left, f"a page was shown: {page.status} {readable(page.response)}"
        return page.url

    # MARK: Token endpoint

    def token(self, client: Client | None, form: dict[str, Any] | Pairs, **options: Any) -> requests.Response:
        """A token request."""
        return self.post(self.token_endpoint, client, form, **options)

    def post(
        self,
        url: str,
        client: Client | None,
        form: dict[str, Any] | Pairs,
        *,
        auth: Any = NOT_GIVEN,
        headers: dict[str, str] | None = None,
        query: str = "",
        **options: Any,
    ) -> requests.Response:
        """A form of a client's. `auth`: "basic", "post", "none" or an Authorization value; the registered method by
        default.
        """
        pairs: Pairs = []
        for name, value in form.items() if isinstance(form, dict) else form:
            for item in value if isinstance(value, (list, tuple)) else [value]:
                if item is not None:
                    pairs.append((name, item))
        headers = dict(headers or {})
        if auth is NOT_GIVEN and client is not None:
            auth = {"client_secret_basic": "basic", "client_secret_post": "post", "none": "none"}[client.method]
        names = {name for name, _ in pairs}
        if auth == "basic":
            assert client and client.secret
            headers["Authorization"] = basic(client.client_id, client.secret)
        elif auth == "post":
            assert client and client.secret
            pairs += [
                (name, value)
                for name, value in (("client_id", client.client_id), ("client_secret", client.secret))
                if name not in names
            ]
        elif auth == "none":
            assert client
            pairs += [("client_id", client.client_id)] if "client_id" not in names else []
        elif isinstance(auth, str):
            headers["Authorization"] = auth
        headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
        return self.http("POST", url + (f"?{query}" if query else ""), data=urlencode(pairs), headers=headers, **options)

    def redeem(
        self,
        ask: Ask,
        code: str,
        *,
        client: Client | None = None,
        auth: Any = NOT_GIVEN,
        headers: dict[str, str] | None = None,
        **changes: Any,
    ) -> requests.Response:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": ask.parameters.get("redirect_uri"),
            "code_verifier": ask.verifier,
        } | changes
        return self.token(client or ask.client, form, auth=auth, headers=headers)

    def refresh(
        self,
        client: Client,
        token: str,
        *,
        auth: Any = NOT_GIVEN,
        headers: dict[str, str] | None = None,
        **changes: Any,
    ) -> requests.Response:
        return self.token(
            client, {"grant_type": "refresh_token", "refresh_token": token} | changes, auth=auth, headers=headers
        )

    def refreshed(self, signed: Signed, token: str | None = None, **changes: Any) -> dict[str, Any]:
        """A refresh that succeeds, its answer and ID Token checked against the sign-in (Core §12.2)."""
        answer = checks.check_token_answer(
            self.refresh(signed.client, token or signed.refresh_token, **changes), refresh_token=True
        )
        claims = checks.check_id_token(
            answer["id_token"],
            self.jwks(),
            issuer=self.issuer,
            client_id=signed.client.client_id,
            nonce=checks.verify_signature(answer["id_token"], self.jwks())[1].get("nonce"),
            access_token=answer["access_token"],
            extra_claims=signed.ask.asked_claims("id_token"),
        )
        for member in ("iss", "sub", "aud", "auth_time", "azp", "sid", "acr", "amr"):
            assert claims.get(member) == signed.claims.get(member), f"{member} changed by a refresh"
        assert claims.get("nonce", signed.ask.nonce) == signed.ask.nonce
        return answer

    def claims(self, ask: Ask, answer: dict[str, Any], code: str, **options: Any) -> dict[str, Any]:
        options.setdefault("extra_claims", ask.asked_claims("id_token"))
        return checks.check_id_token(
            answer["id_token"],
            self.jwks(),
            issuer=self.issuer,
            client_id=ask.client.client_id,
            nonce=ask.nonce,
            access_token=answer["access_token"],
            code=code,
            **options,
        )

    def finish(self, ask: Ask, url: str, browser: Browser, **options: Any) -> Signed:
        """From the answer at the redirect URI to verified tokens, and to what userinfo says to them."""
        code = ask.code(url)
        answer = checks.check_token_answer(self.redeem(ask, code))
        signed = Signed(ask, code, answer, self.claims(ask, answer, code, **options), browser)
        if self.userinfo_is_on(ask.client):
            signed.person = self.person(signed)
        return signed

    # MARK: Userinfo

    def userinfo_is_on(self, client: Client) -> bool:
        """As the fixtures have it: for those whose own switch is on."""
        return "userinfo_endpoint" in self.discovery and client.raw.get("switches", {}).get("userinfo") is True

    def userinfo(
        self, token: str | None, *, method: str = "GET", headers: dict[str, str] | None = None, **options: Any
    ) -> requests.Response:
        """A userinfo request with the token in the header, if there is one."""
        headers = dict(headers or {})
        if token is not None:
            headers.setdefault("Authorization", f"Bearer {token}")
        return self.http(method, self._at_node(self.discovery["userinfo_endpoint"]), headers=headers, **options)

    def person(
        self, signed: Signed, token: str | None = None, *, claims: Iterable[str] | None = None, **options: Any
    ) -> dict[str, Any]:
        """What userinfo says of who signed in, checked; by default no more than the scope that was granted, and what
        the claims parameter named.
        """
        if claims is None:
            claims = checks.claims_of(signed.answer["scope"]) | signed.ask.asked_claims("userinfo")
            options.setdefault("all_of_them", False)
        answer = self.userinfo(token or signed.access_token)
        if signed.client.raw.get("userinfo_signed_response_alg"):
            options |= {"issuer": self.issuer, "client_id": signed.client.client_id}
            return checks.check_signed_userinfo(
                answer, self.jwks(), sub=signed.claims["sub"], claims=claims, **options
            )
        return checks.check_userinfo(answer, sub=signed.claims["sub"], claims=claims, **options)

    # MARK: What tokens are worth

    def revoke(
        self, client: Client | None, token: str | None, *, auth: Any = NOT_GIVEN, **form: Any
    ) -> requests.Response:
        url = self._at_node(self.discovery["revocation_endpoint"])
        return self.post(url, client, {"token": token} | form, auth=auth)

    def introspect(
        self, client: Client | None, token: str | None, *, auth: Any = NOT_GIVEN, **form: Any
    ) -> requests.Response:
        url = self._at_node(self.discovery["introspection_endpoint"])
        return self.post(url, client, {"token": token} | form, auth=auth)

    def session_context(
        self, token: str | None, *, method: str = "GET", headers: dict[str, str] | None = None, query: str = "",
        **options: Any,
    ) -> requests.Response:
        """A request with the token in the header, if there is one."""
        headers = dict(headers or {})
        if token is not None:
            headers.setdefault("Authorization", f"Bearer {token}")
        url = self._at_node(self.discovery["session_context_endpoint"]) + query
        return self.http(method, url, headers=headers, **options)

    # MARK: Whole flows

    def code(self, ask: Ask, browser: Browser | None = None, account: Account = ALICE) -> str:
        """Signs in (and consents) where asked; gives the code."""
        return ask.code((browser or self.browser()).authorize(ask.url, account))

    def sign_in(
        self,
        client: Client,
        *,
        browser: Browser | None = None,
        account: Account = ALICE,
        ask: Ask | None = None,
        **changes: str | None,
    ) -> Signed:
        """The whole way, every step checked."""
        browser = browser or self.browser()
        ask = ask or self.ask(client, **changes)
        return self.finish(ask, browser.authorize(ask.url, account), browser)


def readable(response: requests.Response | None) -> str:
    """The words of a page, for a failure's text."""
    if response is None:
        return ""
    text = re.sub(r"(?s)<(style|head)\b.*?</\1>|<[^>]+>", " ", response.text)
    return re.sub(r"\s+", " ", text).strip()[:400]
