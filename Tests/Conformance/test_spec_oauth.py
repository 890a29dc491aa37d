"""RFC 6749, 7636, 8252, 8414, 9207, 9700 and plain HTTP: duties that no entry of the bug log covers. Named by document
and section.
"""

from __future__ import annotations

import re
import socket
import time
from urllib.parse import urlencode, urlsplit

import pytest

from support import CLIENTS, Dev
from support.checks import check_error_page, check_json, check_no_store, check_token_answer, check_token_error
from support.flow import Lab, basic, raw_basic

CONF1, CONF2, WEB1, WEB2, APP1, SPA1 = (CLIENTS[name] for name in ("conf1", "conf2", "web1", "web2", "app1", "spa1"))
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


# MARK: RFC 6749 §2.3: client authentication


def test_6749_2_3_two_methods_at_once(lab: Lab) -> None:
    """Refused, even when both are right; nothing is consumed."""
    signed = lab.sign_in(CONF1)
    answer = lab.refresh(CONF1, signed.refresh_token, auth="basic", client_id="conf1", client_secret=CONF1.secret)
    check_token_error(answer, "invalid_request", "invalid_client")
    answer = lab.refresh(CONF1, signed.refresh_token, auth="basic", client_secret=CONF1.secret)
    check_token_error(answer, "invalid_request", "invalid_client")
    lab.refreshed(signed)


def test_6749_2_3_client_id_beside_basic(lab: Lab) -> None:
    """The same one is harmless (many libraries send it), another one is not."""
    signed = lab.sign_in(CONF1)
    answer = check_token_answer(lab.refresh(CONF1, signed.refresh_token, client_id="conf1"))
    for other in ("conf2", "nobody", "CONF1"):
        check_token_error(
            lab.refresh(CONF1, answer["refresh_token"], client_id=other), "invalid_request", "invalid_client"
        )
    check_token_answer(lab.refresh(CONF1, answer["refresh_token"], client_secret=""))


def test_6749_2_3_authorization_twice(lab: Lab) -> None:
    header = basic("conf1", CONF1.secret or "")
    body = urlencode({"grant_type": "refresh_token", "refresh_token": "x"})
    status, head, _ = raw_request(
        lab, "POST", "/oauth/token", body, [("Authorization", header), ("Authorization", header)]
    )
    assert status in (400, 401), head


def test_6749_2_3_1_wrong_secrets(lab: Lab) -> None:
    """401, and WWW-Authenticate only where Basic was used (RFC 6749 §5.2)."""
    assert CONF1.secret and CONF2.secret
    for secret in (
        "",
        "x",
        CONF1.secret[:-1],
        CONF1.secret + "x",
        CONF1.secret.swapcase(),
        CONF2.secret,
        " " + CONF1.secret,
    ):
        answer = lab.refresh(CONF1, "x", auth=basic("conf1", secret))
        check_token_error(answer, "invalid_client", status=401)
        assert re.match(r'(?i)basic realm="[^"]*"', answer.headers["WWW-Authenticate"])
        if secret:
            answer = lab.token(
                None,
                {
                    "grant_type": "refresh_token",
                    "refresh_token": "x",
                    "client_id": "conf2",
                    "client_secret": secret + "y",
                },
                auth=None,
            )
            check_token_error(answer, "invalid_client", status=401)
            assert "basic" not in answer.headers.get("WWW-Authenticate", "").lower()


def test_6749_2_3_1_a_secret_in_the_url_of_authorize(lab: Lab) -> None:
    """Not a credential there: ignored as any unknown parameter, or refused; never needed and never logged (checked at
    the end).
    """
    answer = lab.http("GET", f"{lab.ask(CONF2).url}&client_secret={CONF2.secret}")
    assert answer.status_code in (200, 302, 303, 400)
    assert "code=" not in answer.headers.get("Location", "")


# MARK: RFC 6749 §3.2: the token endpoint


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH"])
def test_6749_3_2_post_only(lab: Lab, method: str) -> None:
    answer = lab.http(method, lab.token_endpoint + "?grant_type=refresh_token")
    assert answer.status_code == 405
    assert "POST" in [item.strip() for item in answer.headers["Allow"].split(",")]


def test_6749_3_2_1_a_public_client_names_itself(lab: Lab) -> None:
    ask = lab.ask(APP1)
    code = lab.code(ask)
    check_token_error(lab.redeem(ask, code, auth=None), "invalid_client", "invalid_request")
    check_token_answer(lab.redeem(ask, code))


def test_6749_3_2_1_a_public_client_by_basic(lab: Lab) -> None:
    """With an empty secret, as some libraries do: there is no secret, so it is no authentication, and harmless or
    refused.
    """
    ask = lab.ask(APP1)
    code = lab.code(ask)
    answer = lab.redeem(ask, code, auth=raw_basic("app1:"))
    if answer.status_code != 200:
        check_token_error(answer, "invalid_client", "invalid_request")
    check_token_error(
        lab.redeem(ask, code, auth=raw_basic("app1:guess")), "invalid_client", "invalid_request", "invalid_grant"
    )


@pytest.mark.parametrize("missing", ["code", "grant_type"])
def test_6749_4_1_3_required_parameters(lab: Lab, missing: str) -> None:
    ask = lab.ask(CONF1)
    code = lab.code(ask)
    for value in (None, ""):
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": ask.redirect_uri} | {missing: value}
        check_token_error(lab.token(CONF1, form), "invalid_request", status=400)
    check_token_answer(lab.redeem(ask, code))


def test_6749_6_required_parameters(lab: Lab) -> None:
    for value in (None, ""):
        check_token_error(lab.refresh(CONF1, "x", refresh_token=value), "invalid_request", status=400)


def test_6749_5_2_every_error_is_clean(lab: Lab) -> None:
    """JSON, no-store, printable descriptions, whatever was sent; nothing of it comes back."""
    for junk in ('"', "\\", "\u00e9", "\n", "<script>", "%00", "\u202e", "x" * 3000):
        for form in (
            {"grant_type": junk},
            {"grant_type": "refresh_token", "refresh_token": junk},
            {"grant_type": "authorization_code", "code": junk},
            {"grant_type": "refresh_token", "refresh_token": "x", "scope": junk},
        ):
            answer = lab.token(CONF1, form)
            body = check_token_error(answer)
            assert junk not in str(body) or junk in ("\\", "\n")


def test_6749_3_2_unknown_parameters_are_ignored(lab: Lab) -> None:
    signed = lab.sign_in(CONF1)
    check_token_answer(
        lab.refresh(CONF1, signed.refresh_token, resource="https://api.example", audience="x", extra="foobar")
    )


def test_6749_5_1_the_scope_is_told_when_it_differs(lab: Lab) -> None:
    signed = lab.sign_in(CONF1, scope="openid profile groups")
    assert signed.answer["scope"].split() == ["openid", "profile"]


# MARK: RFC 6749 §3.1, §4.1


@pytest.mark.parametrize(
    "parameter",
    [
        "request",
        "request_uri",
        "nonce",
        "prompt",
        "max_age",
        "code_challenge",
        "login_hint",
        "id_token_hint",
        "ui_locales",
        "acr_values",
        "display",
        "response_mode",
        "claims",
    ],
)
def test_6749_3_1_empty_parameters_count_as_missing(lab: Lab, parameter: str) -> None:
    """For conf1 all of these are optional."""
    ask = lab.ask(CONF1, **{parameter: ""})
    assert lab.browser().get(ask.url).has_password


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH"])
def test_6749_3_1_get_and_post_only(lab: Lab, method: str) -> None:
    answer = lab.http(method, lab.ask(CONF1).url)
    assert answer.status_code == 405
    allowed = {item.strip() for item in answer.headers["Allow"].split(",")}
    assert {"GET", "HEAD", "POST"} <= allowed


def test_6749_4_1_2_answers_are_not_cached(lab: Lab) -> None:
    answer = lab.authorize(lab.ask(CONF1, prompt="none"))
    check_no_store(answer)
    page = lab.browser().get(lab.ask(CONF1).url)
    check_no_store(page.response)


def test_6749_4_1_2_1_head_gives_no_code(lab: Lab) -> None:
    """HEAD wherever GET; a HEAD with a live session must not hand out codes for each prefetch, or at least keep its
    body empty.
    """
    browser = lab.sign_in(CONF1).browser
    answer = browser.session.head(lab.ask(CONF1).url, allow_redirects=False, timeout=30)
    assert answer.status_code in (200, 302, 303) and not answer.content


def test_6749_10_10_codes_and_tokens_are_unguessable(lab: Lab) -> None:
    """256 random bits; no two alike in their parts."""
    browser = lab.browser()
    seen: dict[str, set[str]] = {"code": set(), "access_token": set(), "refresh_token": set()}
    for _ in range(8):
        signed = lab.sign_in(CONF1, browser=browser)
        seen["code"].add(signed.code)
        seen["access_token"].add(signed.access_token)
        seen["refresh_token"].add(signed.refresh_token)
    for kind, values in seen.items():
        assert len(values) == 8 and min(len(value) for value in values) >= 43, kind
        assert len({value[-24:] for value in values}) == 8, kind


# MARK: RFC 7636, 8414, 9207, 9700


def test_7636_4_4_errors_at_the_redirect_uri(lab: Lab) -> None:
    lab.redirect_error(lab.ask(APP1, code_challenge=None, code_challenge_method=None), "invalid_request")


def test_8414_3_2_the_document(lab: Lab) -> None:
    answer = lab.get("/.well-known/oauth-authorization-server")
    assert answer.status_code == 200
    assert check_json(answer)["issuer"] == lab.issuer


def test_9700_4_11_2_no_open_redirector(lab: Lab) -> None:
    """Nothing but a registered redirect URI ever appears in Location, whatever path is asked."""
    for path in (
        "//evil.example",
        "/\\evil.example",
        "/%2F%2Fevil.example",
        "/.//evil.example",
        "//evil.example/%2e%2e",
        "/authorize/../../evil.example",
        "/https://evil.example",
        "/?url=https://evil.example",
        "/logout?post_logout_redirect_uri=https://evil.example",
    ):
        status, head, _ = raw_request(lab, "GET", path, "", [])
        assert "evil.example" not in head.lower(), path
        assert status in (400, 404, 200), path


def test_9700_2_4_no_password_grant(lab: Lab) -> None:
    answer = lab.token(
        CONF1, {"grant_type": "password", "username": "alice@example.test", "password": "correct horse battery staple"}
    )
    check_token_error(answer, "unsupported_grant_type", "unauthorized_client")


def test_9700_4_2_4_nothing_from_elsewhere_on_pages(lab: Lab) -> None:
    page = lab.browser().get(lab.ask(CONF1).url)
    for tag in page.soup.find_all(src=True) + page.soup.find_all("link", href=True):
        address = tag.get("src") or tag.get("href")
        assert urlsplit(address).netloc in ("", urlsplit(lab.issuer).netloc), address
    assert not page.soup.find_all("script"), "pages work without script"
    for tag in page.soup.find_all(True):
        assert not [name for name in tag.attrs if name.startswith("on") or name == "style"], tag.name
    for link in page.soup.find_all("link", rel="stylesheet"):
        style = lab.http("GET", lab.issuer + urlsplit(link["href"]).path)
        assert style.status_code == 200 and style.headers["Content-Type"].startswith("text/css")
        assert "immutable" in style.headers["Cache-Control"] or "max-age=31536000" in style.headers["Cache-Control"]


def test_pages_suit_password_managers(lab: Lab) -> None:
    page = lab.browser().get(lab.ask(CONF1).url)
    username, password = (page.soup.find("input", attrs={"name": name}) for name in ("username", "password"))
    assert (
        username["autocomplete"].split()[-1] in ("username", "email") and password["autocomplete"] == "current-password"
    )
    assert password["type"] == "password" and page.soup.find("html")["lang"]
    assert page.soup.find("meta", attrs={"name": "viewport"})


# MARK: HTTP


def raw_request(
    lab: Lab, method: str, target: str, body: str, headers: list[tuple[str, str]]
) -> tuple[int, str, bytes]:
    """To the letter, as `requests` would not send it."""
    parts = urlsplit(lab.issuer)
    assert parts.hostname and parts.port
    lines = [
        f"{method} {target} HTTP/1.1",
        f"Host: {parts.netloc}",
        "Connection: close",
        *[f"{name}: {value}" for name, value in headers],
    ]
    if body or method == "POST":
        lines += [f"Content-Length: {len(body)}", "Content-Type: application/x-www-form-urlencoded"]
    with socket.create_connection((parts.hostname, parts.port), timeout=10) as connection:
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n" + body).encode("latin-1"))
        answer = b""
        while chunk := connection.recv(65536):
            answer += chunk
    head, _, rest = answer.partition(b"\r\n\r\n")
    return int(head.split(b" ", 2)[1]), head.decode("latin-1"), rest


def test_http_request_ids(lab: Lab, server: Dev) -> None:
    """In and out; a bad one is replaced, not echoed."""
    assert (
        lab.get("/.well-known/jwks.json", headers={"X-Request-Id": "trace-1234.ABC_x"}).headers["X-Request-Id"]
        == "trace-1234.ABC_x"
    )
    for bad in ("has space", "x" * 65, "<script>", "é".encode().decode("latin-1")):
        back = lab.get("/.well-known/jwks.json", headers={"X-Request-Id": bad}).headers["X-Request-Id"]
        assert back != bad and re.fullmatch(r"[A-Za-z0-9._-]{1,64}", back)
    assert (
        lab.get("/.well-known/jwks.json").headers["X-Request-Id"]
        != lab.get("/.well-known/jwks.json").headers["X-Request-Id"]
    )


def test_http_dates(lab: Lab) -> None:
    from email.utils import parsedate_to_datetime

    date = parsedate_to_datetime(lab.get("/.well-known/jwks.json").headers["Date"])
    assert abs(date.timestamp() - time.time()) < 5


def test_http_health(lab: Lab) -> None:
    for path in ("/healthz", "/readyz"):
        answer = lab.get(path)
        assert answer.status_code == 200
        assert "no-store" in answer.headers.get("Cache-Control", "no-store")


def test_http_unknown_paths(lab: Lab) -> None:
    """404 as a page for browsers; unknown methods 405 or 501."""
    check_error_page(lab.http("GET", lab.issuer + "/no/such/thing", headers={"Accept": "text/html"}), statuses=(404,))
    assert lab.http("TRACE", lab.issuer + "/authorize").status_code in (405, 501)
    assert lab.http("CONNECTX", lab.issuer + "/authorize").status_code in (405, 501)


def test_http_too_much(lab: Lab) -> None:
    """64 kB of body, 16 kB of head; clean refusals."""
    assert lab.http("POST", lab.token_endpoint, data="x=" + "y" * 70_000, headers=FORM).status_code == 413
    assert lab.http("GET", lab.issuer + "/authorize?x=" + "y" * 20_000).status_code in (414, 431)
    assert lab.get("/.well-known/jwks.json", headers={"X-Big": "y" * 20_000}).status_code == 431
    assert lab.get("/.well-known/jwks.json").status_code == 200


def test_http_smuggling_shapes_on_the_real_server(lab: Lab) -> None:
    """One look from outside; the reader has its own table of tests."""
    body = "grant_type=x"
    status, head, _ = raw_request(lab, "POST", "/oauth/token", body, [("Transfer-Encoding", "chunked")])
    assert status == 400 and "connection: close" in head.lower()
    status, _, _ = raw_request(lab, "POST", "/oauth/token", body, [("Content-Length", str(len(body) + 1))])
    assert status == 400


def test_the_log_names_the_registered_client_that_was_refused(lab: Lab, server: Dev) -> None:
    """Whichever part of the request was wrong. A name that is not registered may be a secret in the wrong field."""
    import json
    from dataclasses import replace

    before = len(server.log)
    lab.refresh(replace(CONF1, secret="wrong"), "x", headers={"X-Request-Id": "refused-secret"})
    lab.refresh(CONF1, "x", headers={"X-Request-Id": "refused-token"})
    lab.refresh(CONF1, "x", client_id="unheard-of", headers={"X-Request-Id": "refused-name"})
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline and "refused-name" not in server.log[before:]:
        time.sleep(0.05)
    events = [json.loads(line) for line in server.log[before:].splitlines() if '"token.refused"' in line]
    clients = {event["request_id"]: event.get("client_id") for event in events}
    assert clients == {"refused-secret": "conf1", "refused-token": "conf1", "refused-name": None}
    assert "unheard-of" not in server.log[before:]


def test_log_lines_are_json(lab: Lab, server: Dev) -> None:
    """Each line one object with time, level and event; requests carry their id."""
    import json

    before = len(server.log)
    lab.refresh(CONF1, "x", headers={"X-Request-Id": "find-me-in-the-log"})
    lab.sign_in(CONF1)
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline and "find-me-in-the-log" not in server.log[before:]:
        time.sleep(0.05)
    lines = [line for line in server.log[before:].splitlines() if line.strip()]
    assert lines
    for line in lines:
        event = json.loads(line)
        assert {"time", "level", "event"} <= set(event)
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", event["time"])
    assert any("find-me-in-the-log" in line for line in lines)
