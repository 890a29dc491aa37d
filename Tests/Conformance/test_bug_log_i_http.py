"""Public faults of other providers, I: HTTP, CORS, proxies, discovery."""

from __future__ import annotations

import pytest

from support import CLIENTS
from support.checks import check_discovery, check_error_page, check_json, check_token_answer, check_token_error
from support.cluster import Node, json_of
from support.flow import Lab, basic

CONF1, CONF2, WEB1, APP1 = (CLIENTS[name] for name in ("conf1", "conf2", "web1", "app1"))
ORIGIN = {"Origin": "https://spa.example"}
DOCUMENTS = ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server", "/.well-known/jwks.json"]


# MARK: B103, B104: CORS


def check_cors(response) -> None:
    assert response.headers.get("Access-Control-Allow-Origin") == "*", response.status_code
    assert "Access-Control-Allow-Credentials" not in response.headers


@pytest.mark.parametrize("path", DOCUMENTS)
def test_B103_cors_on_documents_and_their_errors(lab: Lab, path: str) -> None:
    check_cors(lab.get(path, headers=ORIGIN))
    check_cors(lab.http("HEAD", lab.issuer + path, headers=ORIGIN))
    check_cors(lab.http("POST", lab.issuer + path, headers=ORIGIN))
    etag = lab.get(path).headers.get("ETag")
    if etag:
        not_modified = lab.get(path, headers=ORIGIN | {"If-None-Match": etag})
        assert not_modified.status_code == 304
        check_cors(not_modified)


def test_B103_cors_on_token_answers_and_errors(lab: Lab) -> None:
    signed = lab.sign_in(CONF1)
    answer = lab.refresh(CONF1, signed.refresh_token, headers=ORIGIN)
    check_token_answer(answer)
    check_cors(answer)
    errors = [
        lab.refresh(CONF1, "expired", headers=ORIGIN),
        lab.refresh(CONF1, "x", auth=basic("conf1", "wrong"), headers=ORIGIN),
        lab.token(CONF1, {"grant_type": "nonsense"}, headers=ORIGIN),
        lab.http("GET", lab.token_endpoint, headers=ORIGIN),
        lab.http("PUT", lab.token_endpoint, headers=ORIGIN),
        lab.http("POST", lab.token_endpoint, data="{}", headers=ORIGIN | {"Content-Type": "application/json"}),
        lab.http(
            "POST",
            lab.token_endpoint,
            data="x=" + "y" * 100_000,
            headers=ORIGIN | {"Content-Type": "application/x-www-form-urlencoded"},
        ),
        lab.http(
            "POST",
            lab.token_endpoint,
            data="grant_type=%zz",
            headers=ORIGIN | {"Content-Type": "application/x-www-form-urlencoded"},
        ),
    ]
    for error in errors:
        assert error.status_code >= 400
        if error.status_code != 413:  # refused by the reader, before any route is known
            check_cors(error)
    exposed = lab.refresh(CONF1, "x", auth=basic("conf1", "wrong"), headers=ORIGIN).headers.get(
        "Access-Control-Expose-Headers", ""
    )
    assert "www-authenticate" in exposed.lower()


@pytest.mark.parametrize(
    "path,method,asked",
    [
        ("/oauth/token", "POST", "content-type"),
        ("/oauth/token", "POST", "authorization, content-type"),
        ("/oauth/token", "POST", "content-type, dpop"),
        ("/oauth/token", "POST", None),
        ("/.well-known/openid-configuration", "GET", "x-requested-with"),
        ("/.well-known/jwks.json", "GET", None),
    ],
)
def test_B104_preflights_are_answered(lab: Lab, path: str, method: str, asked: str | None) -> None:
    headers = (
        ORIGIN
        | {"Access-Control-Request-Method": method}
        | ({"Access-Control-Request-Headers": asked} if asked else {})
    )
    answer = lab.http("OPTIONS", lab.issuer + path, headers=headers)
    assert answer.status_code in (200, 204)
    check_cors(answer)
    assert method in answer.headers.get("Access-Control-Allow-Methods", "").upper()
    allowed = answer.headers.get("Access-Control-Allow-Headers", "").lower()
    for name in ["authorization", "content-type"] if path == "/oauth/token" and asked else []:
        assert name in allowed
    if answer.status_code == 204:
        assert not answer.content and "Content-Length" not in answer.headers


def test_B104_never_at_the_authorization_endpoint(lab: Lab) -> None:
    """Nor on any page."""
    ask = lab.ask(CONF1)
    answers = [
        lab.http("GET", ask.url, headers=ORIGIN),
        lab.http("GET", lab.ask(CONF1, prompt="none").url, headers=ORIGIN),
        lab.http("GET", lab.ask(CONF1, client_id="nobody").url, headers=ORIGIN),
        lab.http("POST", ask.endpoint, data=ask.pairs, headers=ORIGIN),
        lab.http("OPTIONS", ask.endpoint, headers=ORIGIN | {"Access-Control-Request-Method": "GET"}),
        lab.http("GET", lab.issuer + "/nothing", headers=ORIGIN),
    ]
    for answer in answers:
        assert not [name for name in answer.headers if name.lower().startswith("access-control-")], answer.status_code


# MARK: B106, B107: proxies


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "10.0.0.5:8080"},
        {"Host": "evil.example", "X-Forwarded-Host": "evil.example"},
        {"X-Forwarded-Proto": "http"},
        {"X-Forwarded-Proto": "https", "X-Forwarded-Port": "443", "X-Forwarded-Prefix": "/evil"},
        {"Forwarded": "host=evil.example;proto=https;for=1.2.3.4"},
        {"X-Forwarded-For": "1.2.3.4, 5.6.7.8"},
        {"X-Original-URL": "/evil", "X-Rewrite-URL": "/evil"},
    ],
)
def test_B106_links_come_from_the_configuration(lab: Lab, behind_proxy: Node, headers: dict[str, str]) -> None:
    """The same documents and links for every Host, with and without a proxy that is believed."""
    for issuer in (lab.issuer, behind_proxy.issuer):
        asked = Lab(issuer)
        for path in DOCUMENTS:
            plain, odd = asked.get(path), asked.get(path, headers=headers)
            assert odd.status_code == 200 and odd.content == plain.content
        page = asked.http("GET", asked.ask(CONF1).url, headers=headers)
        assert (
            "evil" not in page.text
            and "evil" not in page.headers.get("Location", "")
            and "evil" not in page.headers.get("Set-Cookie", "")
        )
        error = asked.http("GET", asked.ask(CONF1, prompt="none").url, headers=headers)
        assert error.headers["Location"].startswith(CONF1.redirect_uri)


def test_B107_forwarded_addresses_of_strangers_are_not_believed(lab: Lab, server) -> None:
    """This server has no trusted proxy: a new `X-Forwarded-For` each time is still one network, which is slowed down.

    The name guessed is nobody's, so that no other test feels it.
    """
    slowed = False
    for number in range(25):
        browser = lab.browser()
        page = browser.get(lab.ask(CONF1).url)
        browser.session.headers["X-Forwarded-For"] = f"203.0.113.{number}"
        page = browser.submit(page, username="forwarded-nobody@example.test", password="wrong")
        slowed = slowed or page.status == 429 or "Retry-After" in page.response.headers
    assert slowed


def test_B107_the_rightmost_untrusted_hop_counts(from_network) -> None:
    """What a client writes itself stands further left and changes nothing."""
    slowed = False
    for number in range(25):
        spoofing = from_network(f"10.9.8.{number}, 198.51.100.200")
        browser = spoofing.browser()
        page = browser.submit(
            browser.get(spoofing.ask(CONF1).url), username="rightmost-nobody@example.test", password="wrong"
        )
        slowed = slowed or page.status == 429 or "Retry-After" in page.response.headers
    assert slowed


# MARK: B109: an issuer with a path


@pytest.mark.parametrize("path", ["/t1/.well-known/openid-configuration", "/.well-known/oauth-authorization-server/t1"])
def test_B109_an_issuer_with_a_path(with_path: Node, path: str) -> None:
    """Suffix form for OpenID Connect, inserted form for RFC 8414: 200, same content, no redirect."""
    answer = with_path.get(path)
    assert answer and answer[0] == 200 and answer[1]["content-type"].split(";")[0] == "application/json"
    document = json_of(answer[2])
    check_discovery(document, issuer="https://id.example/t1", secure=True)
    for member, value in document.items():
        if member.endswith("_endpoint") or member == "jwks_uri":
            assert value.startswith("https://id.example/t1/"), member
    other = with_path.get("/t1/.well-known/openid-configuration")
    assert other and json_of(other[2]) == document


def test_B109_routes_lie_below_the_path(with_path: Node) -> None:
    below = with_path.get("/t1/.well-known/jwks.json")
    assert below and below[0] == 200
    for path in (
        "/.well-known/openid-configuration",
        "/oauth/token",
        "/authorize",
        "/.well-known/jwks.json",
        "/t1",
        "/t1/t1/authorize",
    ):
        answer = with_path.get(path)
        assert answer and answer[0] == 404, path
    page = with_path.get("/t1/authorize?client_id=nobody")
    assert page and page[0] == 400
    assert b'href="/t1/' in page[2] or b"stylesheet" not in page[2], "the style sheet is not below the path"


def test_B109_the_inserted_form_without_a_path(lab: Lab) -> None:
    one, other = (lab.get(path) for path in DOCUMENTS[:2])
    assert one.status_code == other.status_code == 200
    assert check_json(one) == check_json(other)


# MARK: B110, B112, B113, B115, B116: documents


def test_B110_statuses_and_types(lab: Lab) -> None:
    for path in DOCUMENTS:
        answer = lab.get(path)
        assert answer.status_code == 200 and answer.headers["Content-Type"].split(";")[0] == "application/json"
    signed = lab.sign_in(CONF1)
    assert lab.refresh(CONF1, signed.refresh_token).status_code == 200
    for path in (
        "/.well-known/openid-configuration/",
        "/.well-known/jwks",
        "/oauth/token/",
        "/Authorize",
        "//authorize",
        "/authorize/..",
    ):
        assert lab.http("GET", lab.issuer + path).status_code == 404, path
    for answer in (lab.refresh(CONF1, "x"), lab.token(CONF1, {}), lab.token(None, {}, auth=None)):
        assert answer.headers["Content-Type"].split(";")[0] == "application/json"


def test_B112_defaults_are_written_out(lab: Lab) -> None:
    document = lab.discovery
    assert document["request_uri_parameter_supported"] is False
    assert document.get("request_parameter_supported", False) is False
    assert document["claims_parameter_supported"] is True
    assert set(document["token_endpoint_auth_methods_supported"]) == {
        "client_secret_basic",
        "client_secret_post",
        "none",
    }
    assert document["response_types_supported"] == ["code"]
    assert set(document["grant_types_supported"]) == {"authorization_code", "refresh_token"}
    assert document["response_modes_supported"] == ["query"]
    assert document["code_challenge_methods_supported"] == ["S256"]


def test_B113_what_is_not_there_is_not_announced(lab: Lab, with_path: Node) -> None:
    """Every announced endpoint answers; the planned ones are neither announced nor routed, and say nothing."""
    paths = {
        "userinfo_endpoint": "/oauth/userinfo",
        "revocation_endpoint": "/oauth/revoke",
        "introspection_endpoint": "/oauth/introspect",
        "end_session_endpoint": "/oauth/end-session",
        "session_context_endpoint": "/v1/session/context",
        "registration_endpoint": "/oauth/register",
        "pushed_authorization_request_endpoint": "/oauth/par",
    }
    for member, path in paths.items():
        for method in ("GET", "POST"):
            answer = lab.http(method, lab.issuer + path, headers=ORIGIN)
            if member in lab.discovery:
                assert answer.status_code != 404, member
            else:
                assert answer.status_code == 404, f"{path} is routed and not announced"
                assert "Access-Control-Allow-Origin" not in answer.headers
    for member, value in lab.discovery.items():
        if member.endswith("_endpoint") or member == "jwks_uri":
            assert lab.http("GET", value).status_code != 404, member


def test_B115_jwks_can_be_cached(lab: Lab) -> None:
    url = lab.discovery["jwks_uri"]
    first = lab.http("GET", url)
    control = [item.strip() for item in first.headers["Cache-Control"].split(",")]
    age = next(int(item.split("=")[1]) for item in control if item.startswith("max-age="))
    assert "public" in control and 60 <= age <= 3600
    etag = first.headers["ETag"]
    assert etag.startswith('"') and etag.endswith('"')
    for value in (etag, f"W/{etag}", f'"other", {etag}', "*"):
        again = lab.http("GET", url, headers={"If-None-Match": value})
        assert again.status_code == 304 and not again.content, value
        assert again.headers["ETag"] == etag and "max-age" in again.headers["Cache-Control"]
    assert lab.http("GET", url, headers={"If-None-Match": '"other"'}).status_code == 200
    assert lab.http("HEAD", url).headers["ETag"] == etag
    assert lab.http("GET", url).headers["ETag"] == etag, "changes without a reason"
    missing = lab.http("GET", lab.issuer + "/.well-known/jwks.jsom")
    assert "max-age" not in missing.headers.get("Cache-Control", "")


def test_B116_iss_everywhere_and_announced(lab: Lab) -> None:
    """In success and in errors (checked to the letter), after refusal too."""
    assert lab.discovery["authorization_response_iss_parameter_supported"] is True
    lab.sign_in(CONF1)
    lab.redirect_error(lab.ask(CONF1, prompt="none"), "login_required")
    lab.redirect_error(lab.ask(CONF1, response_type="token"), "unsupported_response_type")
    lab.redirect_error(lab.ask(CONF1, scope="email"), "invalid_scope", "invalid_request")
    ask = lab.ask(CONF1, prompt="consent")
    browser = lab.browser()
    ask.error(browser.decide(browser.sign_in(browser.get(ask.url)), "deny").url, "access_denied")


@pytest.mark.parametrize("mode", ["fragment", "form_post", "query.jwt", "jwt", "web_message", "bogus"])
def test_response_modes_we_do_not_have_are_refused(lab: Lab, mode: str) -> None:
    lab.redirect_error(lab.ask(CONF1, response_mode=mode), "invalid_request", "unsupported_response_mode")


def test_response_mode_query_is_the_default(lab: Lab) -> None:
    lab.sign_in(CONF1, response_mode="query")


def test_a_token_error_is_never_a_page(lab: Lab) -> None:
    """And an authorization error never JSON."""
    check_token_error(lab.token(None, {}, auth=None), "invalid_client", "invalid_request")
    check_error_page(lab.http("GET", lab.authorization_endpoint))
