"""The fault finder: what it says of a request is what the server does with it, and it does nothing itself."""

from __future__ import annotations

import http.client
import json
import random
import re
import socket
import subprocess
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import psycopg
import pytest
import requests
from bs4 import BeautifulSoup

from support import CLIENTS, Client, Dev, run_seleid
from support.checks import check_token_answer
from support.clients import register
from support.fixtures import BOB
from support.flow import Ask, Lab, Pairs, basic, raw_basic
from support.oauth import random_text
from support.secrecy import WIRE

WEB1, WEB2, APP1, SPA1, OWN1, OFF1, CONF1, CONF2 = (
    CLIENTS[name] for name in ("web1", "web2", "app1", "spa1", "own1", "off1", "conf1", "conf2")
)


@pytest.fixture(scope="module")
def disabled(server: Dev) -> Client:
    client = register(server, "explain-disabled", ["http://127.0.0.1:9830/cb"])
    WIRE.add(client.secret)
    done = server.admin("client", "disable", client.client_id)
    assert done.returncode == 0, done.stderr
    return client


class Admin:
    """Whoever holds an admin token."""

    def __init__(self, server: Dev, role: str = "admin", *options: str) -> None:
        self.url = f"{server.issuer}/admin/v1/explain"
        made = server.admin("admin-token", "add", "--name", f"explain {role}", "--role", role, *options)
        found = re.search(r"seleid_admin_\S+", made.stdout)
        assert found, made.stderr
        self.token = found.group()
        WIRE.add(self.token)

    def explain(self, body: Any, expect: int = 200) -> requests.Response:
        answer = requests.post(self.url, json=body, headers={"Authorization": f"Bearer {self.token}"}, timeout=30)
        assert answer.status_code == expect, f"{answer.status_code} {answer.text}"
        assert answer.headers["Cache-Control"] == "no-store"
        found = WIRE.found_in(answer.text)
        assert not found, f"secrets are told: {found}"
        return answer


@pytest.fixture(scope="module")
def admin(server: Dev) -> Admin:
    return Admin(server)


# MARK: What the server does


@dataclass
class Answer:
    """As the verdict of an explanation has it."""

    place: str
    status: int | None = None
    error: str | None = None
    description: str | None = None


def get(server: Dev, target: str) -> http.client.HTTPResponse:
    """A GET of a target to the letter, which the libraries would tidy up."""
    parts = urlsplit(server.issuer)
    with socket.create_connection((parts.hostname, parts.port or 80), timeout=30) as connection:
        connection.sendall(f"GET {target} HTTP/1.1\r\nHost: {parts.netloc}\r\nConnection: close\r\n\r\n".encode())
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        answer.text = answer.read().decode()  # type: ignore[attr-defined]
        return answer


def authorize(server: Dev, url: str) -> Answer:
    """What comes of an authorization request in a browser in which nobody is signed in."""
    answer = get(server, url.removeprefix(server.issuer))
    text = answer.text  # type: ignore[attr-defined]
    location = answer.headers.get("Location")
    if location is None and answer.status == 200:
        page = BeautifulSoup(text, "html.parser").find("meta", attrs={"http-equiv": "refresh"})
        assert page is not None, "a page that leads nowhere"
        location = str(page["content"]).partition("url=")[2]
    if location is not None:
        if location.startswith(f"{server.issuer}/sign-in?"):
            return Answer("sign_in_page")
        query = dict(parse_qsl(urlsplit(location).query))
        return Answer("redirect_uri", None, query["error"], query["error_description"])
    if answer.status == 400 and answer.headers["Content-Type"].startswith("text/html"):
        details = [tag.get_text() for tag in BeautifulSoup(text, "html.parser").find_all("dd")]
        return Answer("page", 400, details[0], details[1])
    return Answer("http", answer.status)


def check_same(explanation: dict[str, Any], served: Answer) -> None:
    verdict = explanation["verdict"]
    failed = [check["rule"] for check in explanation["checks"] if check["outcome"] == "failed"]
    if verdict["outcome"] == "accepted":
        assert not failed
        if verdict["next"] == "answer_without_page":  # nobody is signed in to the tests' browser
            assert (served.place, served.error) == ("redirect_uri", "login_required"), served
        else:
            assert served.place == verdict["next"], (verdict, served)
        return
    assert verdict["rule"] == failed[0]
    expected = Answer(verdict["place"], verdict.get("status"), verdict.get("error"), verdict.get("error_description"))
    assert expected == served


class Explained:
    """Explains through the admin API, and compares with what the server does."""

    def __init__(self, server: Dev, admin: Admin, lab: Lab) -> None:
        self.server, self.admin, self.lab = server, admin, lab

    def explain(self, body: dict[str, str]) -> dict[str, Any]:
        return self.admin.explain(body).json()

    def url(self, url: str) -> dict[str, Any]:
        WIRE.add_query(urlsplit(url).query)
        explanation = self.explain({"url": url})
        check_same(explanation, authorize(self.server, url))
        return explanation

    def ask(self, client: Client, **options: Any) -> dict[str, Any]:
        return self.url(self.lab.ask(client, **options).url)

    def token(self, pairs: Pairs, authorization: str | None = None, *, then: bool = True) -> dict[str, Any]:
        """`then`: the request is also sent, and its answer in the explanation's `sent`."""
        body = urlencode(pairs)
        WIRE.add_query(body)
        request = {"token_request": body} | ({"authorization": authorization} if authorization is not None else {})
        explanation = self.explain(request)
        if then:
            headers = {"Content-Type": "application/x-www-form-urlencoded"}
            if authorization is not None:
                headers["Authorization"] = authorization
            answer = self.lab.http("POST", self.lab.token_endpoint, data=body, headers=headers)
            if answer.status_code == 200:
                served = Answer("tokens")
            else:
                document = answer.json()
                served = Answer("response", answer.status_code, document["error"], document["error_description"])
            check_same(explanation, served)
            explanation["sent"] = answer
        return explanation


@pytest.fixture(scope="module")
def explained(server: Dev, admin: Admin, lab: Lab) -> Explained:
    return Explained(server, admin, lab)


def rule(explanation: dict[str, Any], name: str) -> dict[str, Any]:
    return next(check for check in explanation["checks"] if check["rule"] == name)


def outcome(explanation: dict[str, Any]) -> str:
    verdict = explanation["verdict"]
    return verdict["next"] if verdict["outcome"] == "accepted" else verdict["rule"]


# MARK: Authorization requests: the classic faults


REDIRECTS = {
    "B029-slash": "http://127.0.0.1:9801/cb/",
    "B029-https": "https://127.0.0.1:9801/cb",
    "B029-port": "http://127.0.0.1:9802/cb",
    "B029-no-port": "http://127.0.0.1/cb",
    "B029-case": "http://127.0.0.1:9801/CB",
    "B029-query": "http://127.0.0.1:9801/cb?x=1",
    "B026-userinfo": "http://evil@127.0.0.1:9801/cb",
    "B026-host": "http://127.0.0.1.evil.example:9801/cb",
    "B028-fragment": "http://127.0.0.1:9801/cb#x",
    "B028-empty-fragment": "http://127.0.0.1:9801/cb#",
    "B032-wildcard": "http://127.0.0.1:9801/*",
    "B032-backslash": "http://127.0.0.1:9801\\@evil.example/cb",
    "encoded-twice": "http%3A%2F%2F127.0.0.1%3A9801%2Fcb",
    "unregistered": "https://evil.example/cb",
    "empty": "",
}


@pytest.mark.parametrize("uri", REDIRECTS.values(), ids=REDIRECTS)
def test_a_redirect_uri_that_is_not_registered(explained: Explained, uri: str) -> None:
    explanation = explained.ask(WEB1, redirect_uri=uri)
    assert outcome(explanation) == "redirect_uri"
    check = rule(explanation, "redirect_uri")
    assert check["registered"] == ["http://127.0.0.1:9801/cb"]
    assert check["sent"] == (uri or "empty, which counts as not sent")
    assert explanation["verdict"]["place"] == "page"


@pytest.mark.parametrize(
    "uri,kind",
    [
        ("http://127.0.0.1:9801/cb/", "a trailing slash"),
        ("https://127.0.0.1:9801/cb", "http against https"),
        ("http://127.0.0.1:9802/cb", "its port"),
        ("http://127.0.0.1:9801/CB", "upper and lower case"),
        ("http://127.0.0.1:9801/cb#x", "a fragment"),
        ("http%3A%2F%2F127.0.0.1%3A9801%2Fcb", "percent-encoding"),
    ],
)
def test_what_differs_is_said(explained: Explained, uri: str, kind: str) -> None:
    check = rule(explained.ask(WEB1, redirect_uri=uri), "redirect_uri")
    assert kind in check["finding"]
    assert "http://127.0.0.1:9801/cb" in check["advice"]


FAULTS: dict[str, tuple[str, dict[str, str | None]]] = {
    "no-client": ("client_id", {"client_id": None}),
    "B014-NUL": ("encoding", {"client_id": "web1\0"}),
    "unknown-client": ("client", {"client_id": "Web1"}),
    "odd-client": ("client_id", {"client_id": "we b1"}),
    "B022-request_uri": ("unsupported_parameters", {"request_uri": "http://169.254.169.254/latest"}),
    "B007-request": ("unsupported_parameters", {"request": "eyJhbGciOiJub25lIn0.e30."}),
    "no-response_type": ("response_type", {"response_type": None}),
    "token": ("response_type", {"response_type": "token"}),
    "hybrid": ("response_type", {"response_type": "code id_token"}),
    "fragment-mode": ("response_mode", {"response_mode": "fragment"}),
    "no-scope": ("scope", {"scope": None}),
    "scope-without-openid": ("scope", {"scope": "profile"}),
    "scope-characters": ("scope", {"scope": 'openid "email"'}),
    "no-state": ("state", {"state": None}),
    "empty-state": ("state", {"state": ""}),
    "B016-long-state": ("state", {"state": "s" * 4097}),
    "no-nonce": ("nonce", {"nonce": None}),
    "short-nonce": ("nonce", {"nonce": "n" * 15}),
    "no-challenge": ("code_challenge", {"code_challenge": None, "code_challenge_method": None}),
    "plain": ("code_challenge", {"code_challenge_method": "plain"}),
    "no-method": ("code_challenge", {"code_challenge_method": None}),
    "padded-challenge": ("code_challenge", {"code_challenge": "A" * 43 + "="}),
    "none-login": ("prompt", {"prompt": "none login"}),
    "capital-prompt": ("prompt", {"prompt": "LOGIN"}),
    "max_age": ("max_age", {"max_age": "-1"}),
    "hint": ("required_subject", {"id_token_hint": "eyJhbGciOiJub25lIn0.e30."}),
    "long-hint": ("id_token_hint", {"id_token_hint": "h" * 8193}),
    "claims": ("claims", {"claims": "[]"}),
    "claims-of-two": (
        "claims", {"claims": '{"id_token":{"sub":{"value":"a"}},"userinfo":{"sub":{"value":"b"}}}'}),
    "B019-unknown-scope": ("sign_in_page", {"scope": "openid email groups made_up"}),
    "prompts": ("sign_in_page", {"prompt": "login consent"}),
    "none": ("answer_without_page", {"prompt": "none"}),
    "unknown-parameter": ("sign_in_page", {"audience": "x"}),
}


@pytest.mark.parametrize("expected,changes", FAULTS.values(), ids=FAULTS)
def test_a_fault_is_named(explained: Explained, expected: str, changes: dict[str, str | None]) -> None:
    assert outcome(explained.ask(WEB1, **changes)) == expected


@pytest.mark.parametrize("name,expected", [("client_id", "client_id"), ("redirect_uri", "redirect_uri"),
                                           ("state", "repeated_parameters"), ("nonce", "repeated_parameters")])
def test_B005_a_repeated_parameter(explained: Explained, name: str, expected: str) -> None:
    explanation = explained.ask(WEB1, repeated=[(name, "again")])
    assert outcome(explanation) == expected


def test_a_switch_and_a_client_that_are_off(explained: Explained, disabled: Client) -> None:
    switched_off = explained.ask(OFF1)
    assert outcome(switched_off) == "sign_in"
    assert rule(switched_off, "sign_in")["registered"] == ["switch sign_in: per_client", "of this client: not set"]
    assert outcome(explained.ask(disabled)) == "enabled"


def test_policies_of_the_profile_are_told(explained: Explained) -> None:
    """What the client of profile `seleid` must send, the one of profile `oidc` may leave out."""
    assert outcome(explained.ask(CONF1, state=None, nonce=None)) == "sign_in_page"
    strict, plain = explained.ask(WEB1), explained.ask(CONF1)
    assert rule(strict, "nonce")["registered"] == ["required, 16 to 256 characters"]
    assert rule(plain, "nonce")["registered"] == ["optional, at most 1024 bytes"]


def test_private_use_schemes_and_loopback_ports(explained: Explained) -> None:
    assert outcome(explained.ask(APP1, redirect_uri="http://127.0.0.1:51004/cb")) == "sign_in_page"
    assert outcome(explained.ask(APP1, redirect_uri="http://localhost:9/cb")) == "redirect_uri"
    assert outcome(explained.ask(APP1, redirect_uri="com.example.app:/seleid", prompt="none login")) == "prompt"


def test_everything_wrong_is_told_at_once(explained: Explained) -> None:
    explanation = explained.ask(WEB1, redirect_uri="http://127.0.0.1:9801/", state=None, prompt="none login")
    failed = [check["rule"] for check in explanation["checks"] if check["outcome"] == "failed"]
    assert failed == ["redirect_uri", "state", "prompt"]


def test_trouble_with_the_encoding_of_the_url(explained: Explained, lab: Lab, server: Dev) -> None:
    url = lab.ask(WEB1).url
    broken = explained.url(url + "&login_hint=100%")
    assert (outcome(broken), broken["verdict"]["place"]) == ("url", "http")
    assert "login_hint" in rule(broken, "url")["finding"]
    assert outcome(explained.url(url + "&login_hint=a b")) == "url"
    assert outcome(explained.url(url + "&login_hint=é")) == "url"
    assert outcome(explained.url(url + "&login_hint=%FF")) == "encoding"
    assert explained.url(url + "&login_hint=" + "x" * 14336)["verdict"]["status"] == 414
    assert explained.url(url.replace("/authorize", "/authorise"))["verdict"]["status"] == 404
    assert explained.url(url.replace("/authorize", "/authorise") + "&x=%")["verdict"]["status"] == 400
    unencoded = f"{server.issuer}/authorize?client_id=web2&redirect_uri=http://127.0.0.1:9802/cb?x=1&tenant=7"
    assert "tenant" in " ".join(explained.url(unencoded)["notes"])


def test_a_url_of_another_server_and_a_query_alone(explained: Explained, lab: Lab, server: Dev) -> None:
    url = lab.ask(WEB1).url
    elsewhere = explained.explain({"url": url.replace(server.issuer, "https://id2.example")})
    assert outcome(elsewhere) == "sign_in_page"
    assert any("https://id2.example" in note and server.issuer in note for note in elsewhere["notes"])
    alone = explained.explain({"url": urlsplit(url).query})
    assert outcome(alone) == "sign_in_page"
    assert alone["notes"] == []


# MARK: Authorization requests: any


VALUES: dict[str, list[str]] = {
    "client_id": ["web1", "Web1", "conf1", "app1", "off1", "explain-disabled", "", "a b", "é", "."],
    "redirect_uri": [
        "http://127.0.0.1:9801/cb", "http://127.0.0.1:9801/cb/", "https://127.0.0.1:9801/cb", "com.example.app:/seleid",
        "http://127.0.0.1:5/cb", "http://[::1]:5/cb", "https://app.example/oauth/cb",
        "http://127.0.0.1:9802/cb?tenant=7",
        "", "x", "http://127.0.0.1:9801/cb#", "HTTP://127.0.0.1:9801/cb",
    ],
    "response_type": ["code", "token", "code id_token", "", "Code"],
    "response_mode": ["query", "fragment", "form_post", ""],
    "scope": ["openid", "email", "openid  email x", "", " ", 'openid "', "openid\topenid", "é openid"],
    "state": ["", "s", "s" * 4096, "s" * 4097, "a\nb", "é", "a b+c%"],
    "nonce": ["", "n" * 15, "n" * 16, "n" * 256, "n" * 257, "n" * 1025, "éö" * 8, "n" * 16 + "\x7f"],
    "code_challenge": ["", "A" * 43, "A" * 42, "A" * 44, "A" * 42 + "=", "A" * 42 + "+"],
    "code_challenge_method": ["", "S256", "plain", "s256"],
    "prompt": ["", "none", "login", "consent login", "none none", "none login", "create", "select_account", " "],
    "max_age": ["", "0", "-1", "1.5", "99999999999999999999", " 1"],
    "id_token_hint": ["", "x", "h" * 8193, "a.b.c"],
    "claims": [
        "", "{}", "[]", "{", '{"userinfo":{"email":null}}', '{"userinfo":[]}', '{"id_token":{"sub":{"value":1}}}',
        '{"id_token":{"sub":{"value":"x"}}}', '{"a":1,"a":2}',
    ],
    "request": ["", "x"], "request_uri": ["", "https://x.example/"], "registration": ["", "{}"],
    "login_hint": ["alice", "\0"], "ui_locales": ["fi de"], "resource": ["https://api.example"], "made_up": ["1"],
}


def mutated(random: random.Random, lab: Lab) -> str:
    """An authorization URL with some faults, or with none."""
    client = random.choice([WEB1, WEB1, WEB2, APP1, SPA1, OWN1, OFF1, CONF1])
    pairs = list(lab.ask(client).parameters.items())
    for _ in range(random.choice([0, 1, 1, 1, 2, 3])):
        name = random.choice(list(VALUES))
        place = next((index for index, pair in enumerate(pairs) if pair[0] == name), None)
        kind = random.random()
        if place is not None and kind < 0.2:
            del pairs[place]
        elif place is None or kind < 0.3:
            pairs.insert(random.randrange(len(pairs) + 1), (name, random.choice(VALUES[name])))
        else:
            pairs[place] = (name, random.choice(VALUES[name]))
    random.shuffle(pairs)
    query = urlencode(pairs, quote_via=quote)
    if random.random() < 0.2:
        place = random.randrange(len(query))
        junk = random.choice(["%", "%0", "%00", "%FF", "%C3", "&", "=", "+", " ", "é", "&&", '"', "x"])
        query = query[:place] + junk + query[place + random.randrange(3):]
    return f"{lab.issuer}/authorize?{query}"


def test_for_any_authorization_request_the_verdict_is_the_servers(
    explained: Explained, lab: Lab, disabled: Client
) -> None:
    """400 requests; error, its words and where it goes are the same."""
    generator = random.Random(20)
    seen: set[str] = set()
    for _ in range(400):
        url = mutated(generator, lab)
        try:
            seen.add(outcome(explained.url(url)))
        except AssertionError as error:
            raise AssertionError(f"{url}\n{error}") from error
    assert len(seen) >= 18, f"the requests reach only {sorted(seen)}"


# MARK: Token requests


def form(client: Client, form: dict[str, str | None]) -> tuple[Pairs, str | None]:
    """Form and Authorization header as the client is registered."""
    pairs = [(name, value) for name, value in form.items() if value is not None]
    if client.method == "client_secret_basic":
        return pairs, basic(client.client_id, client.secret or "")
    pairs.append(("client_id", client.client_id))
    if client.secret is not None:
        pairs.append(("client_secret", client.secret))
    return pairs, None


def redeem_form(ask: Ask, code: str, **changes: str | None) -> dict[str, str | None]:
    return {
        "grant_type": "authorization_code", "code": code, "redirect_uri": ask.redirect_uri,
        "code_verifier": ask.verifier,
    } | changes


def refresh_form(token: str, **changes: str | None) -> dict[str, str | None]:
    return {"grant_type": "refresh_token", "refresh_token": token} | changes


def fresh(lab: Lab, client: Client = WEB1) -> tuple[Ask, str]:
    ask = lab.ask(client)
    return ask, lab.code(ask)


@pytest.mark.parametrize(
    "expected,changes",
    [
        ("tokens", {}),
        ("redirect_uri", {"redirect_uri": "http://127.0.0.1:9801/cb/"}),
        ("redirect_uri", {"redirect_uri": None}),
        ("code_verifier", {"code_verifier": None}),
        ("code_verifier", {"code_verifier": "x" * 43}),
        ("code_verifier", {"code_verifier": "short"}),
        ("code", {"code": "A" * 48}),
        ("code", {"code": "garbage"}),
        ("code_parameter", {"code": None}),
        ("grant_type", {"grant_type": None}),
        ("grant_type", {"grant_type": "password"}),
        ("grant_type", {"grant_type": "client_credentials"}),
        ("refresh_token_parameter", {"grant_type": "refresh_token"}),
    ],
)
def test_a_fault_of_a_code_is_named(
    explained: Explained, lab: Lab, expected: str, changes: dict[str, str | None]
) -> None:
    ask, code = fresh(lab)
    assert outcome(explained.token(*form(WEB1, redeem_form(ask, code) | changes))) == expected


def test_of_a_wrong_redirect_uri_both_are_shown(explained: Explained, lab: Lab) -> None:
    ask, code = fresh(lab)
    explanation = explained.token(*form(WEB1, redeem_form(ask, code, redirect_uri="https://127.0.0.1:9801/cb")))
    check = rule(explanation, "redirect_uri")
    assert (check["registered"], check["sent"]) == ([ask.redirect_uri], "https://127.0.0.1:9801/cb")
    assert "http against https" in check["finding"]


AUTHENTICATION: dict[str, tuple[str, str | None, dict[str, str | None]]] = {
    "none": ("client_authentication", None, {}),
    "B008-public": ("token_endpoint_auth_method", None, {"client_id": "web1", "client_secret": ""}),
    "post": ("token_endpoint_auth_method", None, {"client_id": "web1", "client_secret": WEB1.secret}),
    "both": ("client_authentication", basic("web1", WEB1.secret or ""), {"client_secret": "x"}),
    "B004-base64": ("client_authentication", "Basic ????", {}),
    "B004-colon": ("client_authentication", "Basic d2ViMQ==", {}),
    "B004-scheme": ("client_authentication", "Bearer abc", {}),
    "B004-lower-case": ("tokens", basic("web1", WEB1.secret or "").replace("Basic", "basic"), {}),
    "B023-unknown": ("client", basic("nobody", "x" * 20), {}),
    "wrong-secret": ("client_secret", basic("web1", "wrong" * 8), {}),
    "another-secret": ("client_secret", basic("web1", CONF1.secret or ""), {}),
    "other-client": ("code_client", basic("conf1", CONF1.secret or ""), {}),
    "differing-id": ("client_authentication", basic("web1", WEB1.secret or ""), {"client_id": "conf1"}),
}


@pytest.mark.parametrize("expected,authorization,more", AUTHENTICATION.values(), ids=AUTHENTICATION)
def test_a_fault_of_the_clients_authentication_is_named(
    explained: Explained, lab: Lab, expected: str, authorization: str | None, more: dict[str, str | None]
) -> None:
    ask, code = fresh(lab)
    pairs = [(name, value) for name, value in (redeem_form(ask, code) | more).items() if value is not None]
    explanation = explained.token(pairs, authorization)
    assert outcome(explanation) == expected
    method = next((check for check in explanation["checks"] if check["rule"] == "token_endpoint_auth_method"), None)
    if expected == "token_endpoint_auth_method":
        assert method and method["registered"] == ["client_secret_basic"] and method["sent"] != "client_secret_basic"


def test_B001_a_secret_that_was_not_form_encoded(explained: Explained, server: Dev) -> None:
    secret = "p+q%r/1 and more so that it is long"
    raw = register(server, "explain-odd", ["http://127.0.0.1:9831/cb"]).raw | {"client_secret": secret}
    assert server.admin("apply", "-f", "-", stdin=json.dumps({"clients": [raw]})).returncode == 0
    WIRE.add(secret)
    pairs = [("grant_type", "refresh_token"), ("refresh_token", "nothing")]
    explanation = explained.token(pairs, raw_basic(f"explain-odd:{secret}"))
    assert outcome(explanation) == "client_authentication"  # "%r/" is no escape
    explanation = explained.token(pairs, raw_basic(f"explain-odd:{secret.replace('%r', '%72')}"))
    assert outcome(explanation) == "client_secret"
    assert outcome(explained.token(pairs, basic("explain-odd", secret))) == "refresh_token"


def test_a_switch_and_a_client_that_are_off_at_the_token_endpoint(explained: Explained, disabled: Client) -> None:
    request = refresh_form("nothing")
    assert outcome(explained.token(*form(OFF1, request))) == "sign_in"
    assert outcome(explained.token(*form(disabled, request))) == "enabled"


def test_a_code_that_was_used(explained: Explained, lab: Lab) -> None:
    """The explanation tells what it gave, and that using it again ends that."""
    ask, code = fresh(lab)
    used = check_token_answer(explained.token(*form(WEB1, redeem_form(ask, code)))["sent"])
    explanation = explained.token(*form(WEB1, redeem_form(ask, code)), then=False)
    assert outcome(explanation) == "code_unspent"
    assert "which this use would end" in rule(explanation, "code_unspent")["finding"]
    # It has only been explained: the grant is as it was.
    newer = check_token_answer(lab.refresh(WEB1, used["refresh_token"]))
    assert outcome(explained.token(*form(WEB1, redeem_form(ask, code)))) == "code_unspent"
    ended = explained.token(*form(WEB1, refresh_form(newer["refresh_token"])))
    assert outcome(ended) == "grant"
    assert "code_reused" in rule(ended, "grant")["finding"]


def test_a_code_whose_first_use_was_refused(explained: Explained, lab: Lab) -> None:
    """What was wrong with the first use still is to be seen."""
    ask, code = fresh(lab)
    wrong = form(WEB1, redeem_form(ask, code, code_verifier=ask.parameters["code_challenge"]))
    assert outcome(explained.token(*wrong)) == "code_verifier"
    explanation = explained.token(*wrong)
    assert outcome(explanation) == "code_unspent"
    assert "gave nothing" in rule(explanation, "code_unspent")["finding"]
    assert "the challenge itself" in rule(explanation, "code_verifier")["finding"]


LAST_CODE = "(SELECT code_hash FROM authorization_codes ORDER BY created_at DESC LIMIT 1)"


@pytest.mark.parametrize(
    "expected,statement",
    [
        ("code_lifetime", f"UPDATE authorization_codes SET expires_at = now() WHERE code_hash = {LAST_CODE}"),
        ("session", "UPDATE browser_sessions SET ended_at = now(), end_reason = 'signed_out' WHERE id = "
                    f"(SELECT session_id FROM authorization_codes WHERE code_hash = {LAST_CODE})"),
        ("consent", "DELETE FROM consents c USING authorization_codes a WHERE c.account_id = a.account_id "
                    f"AND c.client_id = a.client_id AND a.code_hash = {LAST_CODE}"),
        ("account", "UPDATE accounts SET status = 'disabled' WHERE id = "
                    f"(SELECT account_id FROM authorization_codes WHERE code_hash = {LAST_CODE})"),
    ],
)
def test_what_ends_a_code(
    explained: Explained, lab: Lab, database: psycopg.Connection[Any], expected: str, statement: str
) -> None:
    ask = lab.ask(WEB1)
    code = lab.code(ask, account=BOB)
    try:
        database.execute(statement)  # type: ignore[arg-type]
        assert outcome(explained.token(*form(WEB1, redeem_form(ask, code)))) == expected
    finally:
        database.execute("UPDATE accounts SET status = 'active' WHERE username = %s", (BOB.username,))


@pytest.mark.parametrize(
    "expected,changes",
    [
        ("tokens", {}),
        ("tokens", {"scope": "openid"}),
        ("granted_scope", {"scope": "openid phone"}),
        ("scope", {"scope": " "}),
        ("scope", {"scope": '"'}),
        ("refresh_token", {"refresh_token": "garbage"}),
        ("refresh_token_parameter", {"refresh_token": None}),
    ],
)
def test_a_fault_of_a_refresh_token_is_named(
    explained: Explained, lab: Lab, expected: str, changes: dict[str, str | None]
) -> None:
    signed = lab.sign_in(WEB1)
    assert outcome(explained.token(*form(WEB1, refresh_form(signed.refresh_token) | changes))) == expected


def test_an_access_token_in_place_of_a_refresh_token(explained: Explained, lab: Lab) -> None:
    signed = lab.sign_in(WEB1)
    explanation = explained.token(*form(WEB1, refresh_form(signed.access_token)))
    assert rule(explanation, "refresh_token")["finding"] == "this is an access token"


def test_another_clients_refresh_token(explained: Explained, lab: Lab) -> None:
    signed = lab.sign_in(WEB1)
    explanation = explained.token(*form(CONF1, refresh_form(signed.refresh_token, scope="phone")))
    assert outcome(explanation) == "refresh_token_client"
    check = rule(explanation, "refresh_token_client")
    assert (check["registered"], check["sent"]) == (["web1"], "conf1")


def test_a_refresh_token_that_was_used(explained: Explained, lab: Lab) -> None:
    """Inside the retry window it gets the same answer; older ones end the sign-in, and explaining does not."""
    signed = lab.sign_in(WEB1)
    first = signed.refresh_token
    second = check_token_answer(lab.refresh(WEB1, first))["refresh_token"]
    assert outcome(explained.token(*form(WEB1, refresh_form(first)))) == "tokens"
    check_token_answer(lab.refresh(WEB1, second))
    explanation = explained.token(*form(WEB1, refresh_form(first)), then=False)
    assert outcome(explanation) == "generation"
    assert "2 generations older" in rule(explanation, "generation")["finding"]
    assert outcome(explained.token(*form(WEB1, refresh_form(second)))) == "tokens"
    assert outcome(explained.token(*form(WEB1, refresh_form(first)))) == "generation"
    explanation = explained.token(*form(WEB1, refresh_form(second)))
    assert "refresh_token_reused" in rule(explanation, "grant")["finding"]


def test_a_strict_client_gets_no_second_answer(explained: Explained, lab: Lab) -> None:
    signed = lab.sign_in(WEB2)
    check_token_answer(lab.refresh(WEB2, signed.refresh_token))
    explanation = explained.token(*form(WEB2, refresh_form(signed.refresh_token)))
    assert outcome(explanation) == "generation"
    assert "1 generation older" in rule(explanation, "generation")["finding"]


@pytest.mark.parametrize(
    "expected,change",
    [
        ("grant", "ended_at = now(), end_reason = 'password_changed'"),
        ("grant_lifetime", "expires_at = now()"),
        ("grant_lifetime", "idle_expires_at = now()"),
        ("generation", "generation = -1"),
    ],
)
def test_what_ends_a_refresh_token(
    explained: Explained, lab: Lab, database: psycopg.Connection[Any], expected: str, change: str
) -> None:
    signed = lab.sign_in(WEB1)
    where = "WHERE id = (SELECT max(id) FROM grants)"
    database.execute(f"UPDATE grants SET {change} {where}")  # type: ignore[arg-type]
    explanation = explained.token(*form(WEB1, refresh_form(signed.refresh_token)))
    assert outcome(explanation) == expected
    if expected == "grant":
        assert "password_changed" in rule(explanation, "grant")["finding"]


# MARK: Token requests: any


class Pool:
    """Codes and refresh tokens in every state, as use leaves them."""

    def __init__(self, lab: Lab, database: psycopg.Connection[Any], generator: random.Random) -> None:
        self.lab, self.database, self.random = lab, database, generator
        self.browser = lab.browser()
        self.used: list[tuple[Client, dict[str, str | None]]] = []
        self.tokens: list[tuple[Client, str]] = []

    def code(self, client: Client) -> dict[str, str | None]:
        ask = self.lab.ask(client)
        code = ask.code(self.browser.authorize(ask.url))
        if self.random.random() < 0.1:
            self.database.execute(
                f"UPDATE authorization_codes SET expires_at = now() WHERE code_hash = {LAST_CODE}")
        return redeem_form(ask, code)

    def request(self) -> tuple[Client, dict[str, str | None]]:
        kind = self.random.random()
        if kind < 0.15 and self.used:
            return self.random.choice(self.used)
        if kind < 0.6 and self.tokens:
            client, token = self.random.choice(self.tokens[-12:])
            return client, refresh_form(token)
        client = self.random.choice([WEB1, WEB2, APP1, CONF1])
        request = (client, self.code(client))
        self.used.append(request)
        return request

    def take(self, client: Client, explanation: dict[str, Any]) -> None:
        answer = explanation["sent"]
        if answer.status_code == 200:
            self.tokens.append((client, answer.json()["refresh_token"]))


def with_faults(
    generator: random.Random, client: Client, request: dict[str, str | None]
) -> tuple[Pairs, str | None]:
    """The request as the client would send it, with some faults or none, in its form and in its authentication."""
    values: dict[str, list[str | None]] = {
        "grant_type": [None, "", "password", "client_credentials", "authorization_code", "refresh_token"],
        "code": [None, "", "x", "A" * 48], "redirect_uri": [None, "", "x", f"{client.redirect_uri}/"],
        "code_verifier": [None, "", "v" * 42, "v" * 43, ("éö" * 22)[:43]], "refresh_token": [None, "", "x"],
        "scope": [None, "", " ", "openid", "openid phone", '"'], "made_up": ["1"],
    }
    changed = dict(request)
    for _ in range(generator.choice([0, 0, 1, 1, 2])):
        name = generator.choice(list(values))
        changed[name] = generator.choice(values[name])
    pairs, authorization = form(client, changed)
    kind = generator.random()
    if kind < 0.06:
        pairs.append(generator.choice(pairs))
    elif kind < 0.1:
        other = generator.choice([WEB1, CONF1, OFF1])
        pairs = [pair for pair in pairs if pair[0] not in ("client_id", "client_secret")]
        authorization = basic(other.client_id, other.secret or "")
    elif kind < 0.25:
        authorization = generator.choice([
            None, "", "Basic", "Basic x", "Bearer x", basic("nobody", "x"), basic(client.client_id, "wrong-secret"),
            raw_basic(f"{client.client_id}:"), raw_basic("%zz:x"), raw_basic(b"\xff:x"),
        ])
    elif kind < 0.3:
        pairs.append(("client_secret", "wrong-secret-wrong"))
    elif kind < 0.33:
        pairs.append(("client_id", generator.choice(["web1", "nobody", ".", ""])))
    elif kind < 0.35:
        pairs.append(("client_assertion", "x"))
    return pairs, authorization


def test_for_any_token_request_the_verdict_is_the_servers(
    explained: Explained, lab: Lab, database: psycopg.Connection[Any]
) -> None:
    """400 requests, each explained and then sent; status, error and its words are the same."""
    generator = random.Random(21)
    pool = Pool(lab, database, generator)
    seen: dict[str, int] = {}
    for _ in range(400):
        client, request = pool.request()
        pairs, authorization = with_faults(generator, client, request)
        explanation = explained.token(pairs, authorization)
        pool.take(client, explanation)
        seen[outcome(explanation)] = seen.get(outcome(explanation), 0) + 1
    assert len(seen) >= 18, f"the requests reach only {seen}"
    assert seen["tokens"] > 40


# MARK: It only looks


TABLES = (
    "clients", "client_secrets", "accounts", "browser_sessions", "consents", "grants", "authorization_codes",
    "signing_keys", "switches", "sign_in_failures", "audit_events",
)


def snapshot(database: psycopg.Connection[Any]) -> dict[str, Any]:
    return {
        table: database.execute(
            f"SELECT count(*), md5(string_agg(t::text, '|' ORDER BY t::text)) FROM {table} t"  # type: ignore[arg-type]
        ).fetchone()
        for table in TABLES
    }


def test_no_secret_is_on_record(database: psycopg.Connection[Any]) -> None:
    rows = database.execute("SELECT a::text FROM audit_events a").fetchall()
    assert rows
    found = WIRE.found_in("\n".join(row[0] for row in rows))
    assert not found, f"{len(found)} secrets in the audit record, e.g. {found[:3]}"


def test_explaining_changes_nothing(explained: Explained, lab: Lab, database: psycopg.Connection[Any]) -> None:
    ask, code = fresh(lab)
    signed = lab.sign_in(WEB1)
    spent = lab.sign_in(WEB1)
    requests = [redeem_form(ask, code), redeem_form(ask, code, code_verifier="x"), refresh_form(signed.refresh_token),
                redeem_form(spent.ask, spent.code)]
    before = snapshot(database)
    for request in requests:
        explained.token(*form(WEB1, request), then=False)
        explained.token(*form(CONF1, request), then=False)
    explained.explain({"url": ask.url})
    assert snapshot(database) == before
    assert outcome(explained.token(*form(WEB1, requests[0]))) == "tokens"
    assert outcome(explained.token(*form(WEB1, requests[2]))) == "tokens"


# MARK: Who may ask, and how


def test_the_right_to_read_is_enough(server: Dev, lab: Lab) -> None:
    body = {"url": lab.ask(WEB1).url}
    for role in ("admin", "operator", "auditor"):
        Admin(server, role).explain(body)
    Admin(server, "admin", "--area", "clients").explain(body)
    Admin(server, "admin", "--area", "audit").explain(body, expect=403)
    answer = requests.post(f"{server.issuer}/admin/v1/explain", json=body, timeout=30)
    assert answer.status_code == 401


@pytest.mark.parametrize(
    "body,field",
    [
        ({}, "url"),
        ({"url": "x", "token_request": "y"}, "token_request"),
        ({"url": 1}, "url"),
        ({"token_request": None}, "token_request"),
        ({"url": "x", "authorization": "y"}, "authorization"),
        ({"url": "x", "content_type": "y"}, "content_type"),
        ({"token_request": "x", "authorization": []}, "authorization"),
        ({"token_request": "x", "dry_run": True}, "dry_run"),
    ],
)
def test_a_body_that_makes_no_sense(admin: Admin, body: dict[str, Any], field: str) -> None:
    problem = admin.explain(body, expect=422).json()
    assert field in [error["field"] for error in problem["errors"]]


def test_the_media_type_of_a_token_request(explained: Explained) -> None:
    body = {"token_request": '{"grant_type":"authorization_code"}', "content_type": "application/json"}
    assert outcome(explained.explain(body)) == "content_type"


def test_no_text_makes_it_fail(explained: Explained) -> None:
    odd = ("", "?", "#", "://", "https://", "%", "\0", "\ud7ff\U0001f600", " ")
    for text in (*odd, "a" * 20_000, "&" * 9000, "=" * 9000):
        explained.explain({"url": text})
        explained.explain({"token_request": text, "authorization": text, "content_type": text})


# MARK: The command


def command(server: Dev, *arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    done = server.admin("explain", *arguments, stdin=stdin)
    found = WIRE.found_in(done.stdout + done.stderr)
    assert not found, f"secrets are told: {found}"
    return done


def told(server: Dev, code: int, *arguments: str, stdin: str | None = None) -> str:
    done = command(server, *arguments, stdin=stdin)
    assert (done.returncode, done.stderr) == (code, "")
    return done.stdout


def test_the_command_tells_of_a_url(server: Dev, lab: Lab) -> None:
    good, bad = lab.ask(WEB1), lab.ask(WEB1, redirect_uri="http://127.0.0.1:9801/cb/")
    WIRE.add_query(good.query)
    WIRE.add_query(bad.query)
    assert told(server, 0, good.url).startswith("It would be accepted: ")
    text = told(server, 1, bad.url)
    assert text.startswith("Refused by the rule redirect_uri: the person sees an error page (invalid_request)")
    lines = text.splitlines()
    failed = next(index for index, line in enumerate(lines) if line.startswith("FAILED   redirect_uri"))
    column = lines[failed].index("registered")
    assert lines[failed][column:] == "registered  http://127.0.0.1:9801/cb"
    assert lines[failed + 1][column:] == "sent        http://127.0.0.1:9801/cb/"
    assert max(map(len, lines)) < 200
    document = json.loads(told(server, 1, bad.url, "--json"))
    assert outcome(document) == "redirect_uri"


def test_the_command_tells_of_a_token_request(server: Dev, lab: Lab, tmp_path: Any) -> None:
    ask, code = fresh(lab)
    pairs, authorization = form(WEB1, redeem_form(ask, code))
    body = urlencode(pairs)
    file = tmp_path / "request"
    file.write_text(body + "\n")
    header = f"Authorization: {authorization}"
    assert told(server, 0, "--token-request", str(file), "--header", header).startswith("It would be accepted: ")
    assert told(server, 1, "--token-request", str(file)).startswith("Refused by the rule client_authentication")
    # As an HTTP message, so that no secret stands in the list of processes.
    message = f"POST /oauth/token HTTP/1.1\r\nHost: x\r\n{header}\r\n\r\n{body}"
    assert told(server, 0, "--token-request", "-", stdin=message).startswith("It would be accepted: ")
    text = told(server, 1, "--token-request", "-", "--header", "Content-Type: application/json", stdin=message)
    assert text.startswith("Refused by the rule content_type")
    check_token_answer(lab.redeem(ask, code))
    assert "FAILED   code_unspent" in told(server, 1, "--token-request", "-", stdin=message)


def test_the_command_reads_only(server: Dev, lab: Lab, database: psycopg.Connection[Any]) -> None:
    """It is enough that its role in the database may read."""
    ask, code = fresh(lab)
    pairs, authorization = form(WEB1, redeem_form(ask, code))
    message = f"Authorization: {authorization}\n\n{urlencode(pairs)}"
    database.execute("CREATE ROLE explain_reader LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO explain_reader")
    environment = server.serve_environment()
    url = environment["SELEID_DATABASE_URL"]
    environment["SELEID_DATABASE_URL"] = re.sub("//[^/@]*@", "//explain_reader@", url)
    assert "//explain_reader@" in environment["SELEID_DATABASE_URL"]
    done = run_seleid("explain", "--token-request", "-", environment=environment, stdin=message)
    assert (done.returncode, done.stderr) == (0, "")
    change = json.dumps({"switches": {"userinfo": "on"}})
    refused = run_seleid("apply", "-f", "-", environment=environment, stdin=change)
    assert refused.returncode == 1 and "permission denied" in refused.stderr, "it could have written"


def test_the_command_says_when_a_url_is_another_servers(server: Dev, lab: Lab) -> None:
    url = lab.ask(WEB1).url.replace(server.issuer, "https://id2.example")
    assert re.search(r"^Note: .*https://id2\.example", told(server, 0, url), re.MULTILINE)


def test_what_is_shown_cannot_steer_a_terminal(server: Dev) -> None:
    text = told(server, 1, f"{server.issuer}/authorize?client_id=web1&redirect_uri=%1b%5b2J%c2%9b1mx%e2%80%aey")
    assert not [character for character in text if character != "\n" and not character.isprintable()]


@pytest.mark.parametrize(
    "arguments",
    [
        [], ["x", "y"], ["x", "--token-request", "-"], ["x", "--header", "A: b"],
        ["--token-request", "-", "--header", "x"],
    ],
    ids=" ".join,
)
def test_usage_errors(server: Dev, arguments: list[str]) -> None:
    done = server.admin("explain", *arguments, stdin="")
    assert done.returncode == 2
    assert done.stderr.startswith("seleid: ") and "seleid explain --help" in done.stderr


def test_a_file_that_is_not_there(server: Dev) -> None:
    done = server.admin("explain", "--token-request", "/nowhere")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("seleid: cannot read /nowhere")


def test_help_says_what_the_exit_code_means(server: Dev) -> None:
    text = server.admin("explain", "--help").stdout
    assert "0" in text and "1" in text and "Exit" in text
