"""Public faults of other providers, A: parameters and client authentication. One test an entry, named by its number.

The log's entries that touch nothing built yet, so that they are not looked for here:

| entries | wait for |
|---|---|
| B071 | the account page that withdraws consent (what withdrawing does stands in `test_bug_log_k_userinfo.py`) |
| B133, B134 | revocation |
| B136, B137, B139, B140, B142 | logout |
| B098 | `response_mode=form_post`, which is refused (see `test_spec_oauth.py`) |
| B143, B145, B146, B148, B149, B151, B152 | the association files of mobile apps |
| B068 | the first release after this one |
"""

from __future__ import annotations

import json
import re
import time
from urllib.parse import quote

import psycopg
import pytest

from support import CLIENTS, Client, Dev
from support.checks import check_error_page, check_token_answer, check_token_error
from support.flow import Lab, basic, raw_basic, readable
from support.oauth import random_text
from support.secrecy import WIRE

WEB1, WEB2, APP1, CONF1, CONF2 = (CLIENTS[name] for name in ("web1", "web2", "app1", "conf1", "conf2"))


TAIL = "-and-more-so-that-it-is-long-enough"
ODD = "odd%7E1%2Ex"  # the client "odd~1.x", form-encoded with zeal


# MARK: B001, B002, B004: Basic


def test_B001_basic_halves_are_form_decoded(lab: Lab, odd: dict[str, Client]) -> None:
    """Split at the first colon, then '+' is a space and %XX an octet, in both halves."""
    for header in (
        basic("odd~1.x", odd["odd"].secret or ""),
        raw_basic(f"{ODD}:p%2Bq%25r%2F1%3A%20x{TAIL}"),
        raw_basic(f"%6Fdd%7e1%2ex:p%2bq%25r/1:+x{TAIL}"),  # lower-case hex; the second colon belongs to the secret
    ):
        answer = lab.token(None, {"grant_type": "refresh_token", "refresh_token": "nothing"}, auth=header)
        check_token_error(answer, "invalid_grant")


def test_B001_a_plain_secret_needs_no_encoding(lab: Lab) -> None:
    signed = lab.sign_in(CONF1)
    assert CONF1.secret
    check_token_answer(lab.refresh(CONF1, signed.refresh_token, auth=raw_basic(f"{CONF1.client_id}:{CONF1.secret}")))


@pytest.mark.parametrize(
    "text",
    [
        "odd~1.x:p+q%r/1: x" + TAIL,  # wholly raw
        f"{ODD}:p+q%r/1: x{TAIL}",  # raw secret: '+' is a space, '%r/' no escape
        f"{ODD}:p%2Bq%25r%2F1%3A x{TAIL}%",  # cut escape
        f"{ODD}:p%2Bq%25r%2F1%3A%20x{TAIL}%00",  # NUL behind the secret
        f"{ODD}:p%2Bq%25r%2F1%3A%20x{TAIL}%FF",  # not UTF-8
        f"{ODD}:P%2Bq%25r%2F1%3A%20x{TAIL}",  # another case
        f"{ODD}:",  # empty
        f"odd~1.x%:p%2Bq%25r%2F1%3A%20x{TAIL}",  # a cut escape in the name
    ],
)
def test_B002_raw_basic_secrets_are_invalid_client(lab: Lab, odd: dict[str, Client], text: str) -> None:
    answer = lab.token(None, {"grant_type": "refresh_token", "refresh_token": "nothing"}, auth=raw_basic(text))
    check_token_error(answer, "invalid_client", status=401)
    assert answer.headers["WWW-Authenticate"].lower().startswith("basic")


def test_B002_issued_secrets_are_url_safe(server: Dev, lab: Lab, odd: dict[str, Client]) -> None:
    """Raw and form-encoded are the same for the secrets we make."""
    client = odd["markup"]
    made = server.admin("client", "secret", client.client_id)
    assert made.returncode == 0, made.stderr
    secret = made.stdout.split()[-1]
    WIRE.add(secret)
    assert re.fullmatch(r"[A-Za-z0-9_-]{43,}", secret)
    header = raw_basic(f"{client.client_id}:{secret}")
    deadline = time.monotonic() + 5
    while (answer := lab.refresh(client, "x", auth=header)).status_code == 401:
        assert time.monotonic() < deadline, "the new secret is not known"
        time.sleep(0.02)
    check_token_error(answer, "invalid_grant")


@pytest.mark.parametrize("scheme", ["basic", "BASIC", "bAsIc"])
def test_B004_the_scheme_is_case_insensitive(lab: Lab, scheme: str) -> None:
    header = basic(CONF1.client_id, CONF1.secret or "").replace("Basic", scheme)
    answer = lab.token(None, {"grant_type": "refresh_token", "refresh_token": "nothing"}, auth=header)
    check_token_error(answer, "invalid_grant")


@pytest.mark.parametrize(
    "header",
    [
        "Basic ????",
        "Basic",
        "Basic ",
        "Basic d2ViMQ==",
        "Basic d2Vi MTpz",
        "Basic OnNlY3JldA==",
        "Basic =",
        "Basic " + "A" * 5000,
        "Bearer d2ViMTpzZWNyZXQ=",
        "Negotiate abc",
        "d2ViMTpzZWNyZXQ=",
    ],
)
def test_B004_broken_authorization_is_invalid_client(lab: Lab, header: str) -> None:
    """Not base64, no colon, an empty name, another scheme."""
    answer = lab.token(None, {"grant_type": "refresh_token", "refresh_token": "nothing"}, auth=header)
    check_token_error(answer, "invalid_client", status=401)
    assert answer.headers["WWW-Authenticate"].lower().startswith("basic")


# MARK: B005, B007: repeated parameters


@pytest.mark.parametrize(
    "extra",
    [
        [("client_id", "app1")],
        [("client_id", "web1")],
        [("client_id", "")],
        [("redirect_uri", "https://evil.example/")],
        [("redirect_uri", WEB1.redirect_uri)],
        [("redirect_uri", "")],
    ],
)
def test_B005_repeated_client_id_or_redirect_uri_shows_a_page(lab: Lab, extra: list[tuple[str, str]]) -> None:
    lab.error_page(lab.ask(WEB1, repeated=extra).url)
    # The order does not matter.
    ask = lab.ask(WEB1)
    first = "&".join(f"{name}={quote(value, safe='')}" for name, value in extra)
    lab.error_page(f"{ask.endpoint}?{first}&{ask.query}")


@pytest.mark.parametrize(
    "name",
    [
        "scope",
        "response_type",
        "nonce",
        "prompt",
        "code_challenge",
        "code_challenge_method",
        "max_age",
        "login_hint",
        "ui_locales",
        "acr_values",
        "display",
        "id_token_hint",
        "response_mode",
    ],
)
def test_B005_another_repeated_parameter_is_redirected(lab: Lab, name: str) -> None:
    ask = lab.ask(WEB1)
    value = ask.parameters.get(name, "1")
    ask.parameters[name] = value
    ask.repeated = [(name, value)]
    lab.redirect_error(ask, "invalid_request")


def test_B005_a_repeated_state_is_redirected(lab: Lab) -> None:
    """Which state comes back, if any, nobody can say; the error must still arrive."""
    ask = lab.ask(WEB1, repeated=[("state", "other-state-other-state-other-st")])
    answer = lab.authorize(ask)
    assert answer.status_code in (302, 303)
    assert "error=invalid_request" in answer.headers["Location"] and "code=" not in answer.headers["Location"]


def test_B005_repeated_in_a_form_post(lab: Lab) -> None:
    ask = lab.ask(WEB1)
    check_error_page(lab.http("POST", ask.endpoint, data=[*ask.pairs, ("client_id", "app1")]))
    answer = lab.http("POST", ask.endpoint, data=[*ask.pairs, ("scope", "email")])
    ask.error(answer.headers["Location"], "invalid_request")


def test_B007_an_empty_first_copy_hides_no_request_object(lab: Lab) -> None:
    ask = lab.ask(WEB1, request="", repeated=[("request", "eyJhbGciOiJub25lIn0.e30.")])
    lab.redirect_error(ask, "invalid_request", "request_not_supported")
    lab.redirect_error(lab.ask(WEB1, request="eyJhbGciOiJub25lIn0.e30."), "request_not_supported")
    lab.redirect_error(
        lab.ask(WEB1, request="x", request_uri="y"),
        "invalid_request",
        "request_not_supported",
        "request_uri_not_supported",
    )
    # Empty counts as missing.
    assert lab.browser().get(lab.ask(WEB1, request="", request_uri="").url).has_password


@pytest.mark.parametrize("name", ["grant_type", "refresh_token", "client_id", "client_secret", "code", "scope"])
def test_B005_repeated_at_the_token_endpoint(lab: Lab, name: str) -> None:
    """invalid_request, and nothing is consumed."""
    signed = lab.sign_in(CONF2)
    form = [
        ("grant_type", "refresh_token"),
        ("refresh_token", signed.refresh_token),
        ("client_id", "conf2"),
        ("client_secret", CONF2.secret),
        ("scope", "openid"),
        ("code", "x"),
    ]
    value = dict(form)[name]
    check_token_error(lab.token(None, [*form, (name, value)], auth=None), "invalid_request")
    check_token_answer(lab.refresh(CONF2, signed.refresh_token))


# MARK: B008, B010: where secrets may be


def test_B008_an_empty_secret_counts_as_none(lab: Lab) -> None:
    ask = lab.ask(APP1)
    code = lab.code(ask)
    check_token_answer(lab.redeem(ask, code, client_secret=""))
    for client in (CONF1, CONF2):
        ask = lab.ask(client)
        code = lab.code(ask)
        answer = lab.redeem(ask, code, auth="none", client_secret="")
        check_token_error(answer, "invalid_client", status=401)
        check_token_answer(lab.redeem(ask, code))


def test_B008_a_public_client_that_sends_a_secret_is_refused(lab: Lab) -> None:
    """No secret was ever issued to it: whatever it sends is wrong (and a secret in an app is no proof)."""
    signed = lab.sign_in(APP1)
    check_token_error(
        lab.refresh(APP1, signed.refresh_token, client_secret="made-up"), "invalid_client", "invalid_request"
    )
    check_token_answer(lab.refresh(APP1, signed.refresh_token))


@pytest.mark.parametrize(
    "query",
    [
        "client_id=web2&client_secret={secret}",
        "client_secret={secret}",
        "client_id=web2",
        "refresh_token=abcdefghijklmnop",
    ],
)
def test_B010_parameters_in_the_query_of_the_token_endpoint(lab: Lab, query: str) -> None:
    """A secret in the URI is refused, whatever is in the body; and no parameter is taken from there."""
    secret = CLIENTS["web2"].secret or ""
    in_query = query.format(secret=secret)
    answer = lab.token(None, {"grant_type": "refresh_token", "refresh_token": "R1"}, auth=None, query=in_query)
    check_token_error(answer, "invalid_client", "invalid_request")
    if "client_secret" in query:
        signed = lab.sign_in(WEB2)
        answer = lab.refresh(WEB2, signed.refresh_token, auth="post")
        check_token_answer(answer)
        answer = lab.token(WEB2, {"grant_type": "refresh_token", "refresh_token": "R1"}, query=in_query)
        check_token_error(answer, "invalid_client", "invalid_request")


@pytest.mark.parametrize("tail", ["b=%ff", "b=%00", "&".join(f"b{number}=" for number in range(101))])
def test_B010_a_query_that_cannot_be_read_hides_no_secret(lab: Lab, tail: str) -> None:
    signed = lab.sign_in(WEB2)
    form = {"grant_type": "refresh_token", "refresh_token": signed.refresh_token}
    answer = lab.token(WEB2, form, query=f"client_secret={WEB2.secret}&{tail}")
    check_token_error(answer, "invalid_request")
    check_token_answer(lab.token(WEB2, form))


# MARK: B011, B013, B014: bodies


@pytest.mark.parametrize(
    "content_type",
    [
        "application/x-www-form-urlencoded; charset=UTF-8",
        'application/x-www-form-urlencoded;charset="utf-8"',
        "Application/X-WWW-Form-Urlencoded",
        "application/x-www-form-urlencoded ; charset=utf-8",
        "application/x-www-form-urlencoded;",
    ],
)
def test_B011_media_types_are_read_as_the_standard_says(lab: Lab, content_type: str) -> None:
    signed = lab.sign_in(CONF1)
    check_token_answer(lab.refresh(CONF1, signed.refresh_token, headers={"Content-Type": content_type}))
    ask = lab.ask(CONF1)
    answer = lab.http("POST", ask.endpoint, data=ask.query, headers={"Content-Type": content_type})
    assert answer.status_code in (200, 302, 303), readable(answer)
    assert "error" not in answer.headers.get("Location", "")


def test_B013_a_json_body_is_refused_and_the_code_lives(lab: Lab) -> None:
    ask = lab.ask(CONF1)
    code = lab.code(ask)
    body = json.dumps({"grant_type": "authorization_code", "code": code, "redirect_uri": ask.redirect_uri})
    answer = lab.http(
        "POST",
        lab.token_endpoint,
        data=body,
        headers={"Content-Type": "application/json", "Authorization": basic(CONF1.client_id, CONF1.secret or "")},
    )
    error = check_token_error(answer, "invalid_request", status=400)
    assert "x-www-form-urlencoded" in error["error_description"]
    check_token_answer(lab.redeem(ask, code))


@pytest.mark.parametrize("content_type", ["application/json", "text/plain", "multipart/form-data; boundary=x", "", "x"])
def test_B013_other_media_types(lab: Lab, content_type: str) -> None:
    """Neighbours: anything that is no form is refused the same way."""
    body = f"grant_type=refresh_token&refresh_token=x&client_id={CONF2.client_id}&client_secret={CONF2.secret}"
    answer = lab.http("POST", lab.token_endpoint, data=body, headers={"Content-Type": content_type})
    check_token_error(answer, "invalid_request", status=400)


def test_B014_nul_never_reaches_the_database(lab: Lab) -> None:
    """In any parameter of any endpoint; no text of the database comes out."""
    ask = lab.ask(WEB1)
    for url in (
        ask.url.replace("client_id=web1", "client_id=web1%00"),
        ask.url.replace("client_id=web1", "client_id=%00"),
        f"{ask.endpoint}?%00=1&{ask.query}",
        f"{ask.url}%00",
    ):
        answer = lab.http("GET", url)
        assert answer.status_code in (302, 303, 400), answer.status_code
        if answer.status_code == 400:
            check_error_page(answer)
        else:
            assert "error=invalid_request" in answer.headers["Location"]
    form = "grant_type=authorization_code&code=abc%00def&redirect_uri=x"
    answer = lab.http(
        "POST",
        lab.token_endpoint,
        data=form,
        headers={
            "Content-Type": "application/x-www-form-urlencoded",
            "Authorization": basic(CONF1.client_id, CONF1.secret or ""),
        },
    )
    check_token_error(answer, "invalid_request", "invalid_grant")
    answer = lab.token(None, {"grant_type": "refresh_token", "refresh_token": "x"}, auth=raw_basic("conf1%00:x"))
    check_token_error(answer, "invalid_client", status=401)


@pytest.mark.parametrize(
    "name,value",
    [
        ("username", "alice\0@example.test"),
        ("password", "x\0y"),
        ("username", "\0"),
        ("request", "\0"),
        ("username", "\ud800".encode("utf-8", "surrogatepass").decode("latin-1")),
        ("username", "a" * 30000),
    ],
)
def test_B014_nul_in_the_sign_in_form(lab: Lab, name: str, value: str) -> None:
    browser = lab.browser()
    page = browser.get(lab.ask(CONF1).url)
    values = {"username": "nobody-nul@example.test", "password": "wrong"} | {name: value}
    answer = browser.submit(page, having="password", **values)
    assert answer.status in (200, 400, 401, 403, 422), answer.status
    assert not answer.left
    for word in ("invalid byte sequence", "SQLSTATE", "UTF8", "ERROR:", "psql", "libpq"):
        assert word not in answer.text


# MARK: B016, B017: state and nonce


@pytest.mark.parametrize("characters", [600, 4000, 4096])
def test_B016_long_state_is_carried(lab: Lab, characters: int) -> None:
    lab.sign_in(CONF1, state=random_text(characters))


def test_B016_long_nonce_is_carried(lab: Lab) -> None:
    lab.sign_in(CONF1, nonce=random_text(1000))


@pytest.mark.parametrize("name,characters", [("state", 4097), ("state", 9000), ("nonce", 1025), ("nonce", 9000)])
def test_B016_above_the_cap_is_a_clean_error(lab: Lab, name: str, characters: int) -> None:
    """invalid_request (a too long state may be left out of it), never 500, never a code."""
    ask = lab.ask(CONF1, **{name: random_text(characters)})
    answer = lab.authorize(ask)
    if answer.status_code in (302, 303):
        if "state=" not in answer.headers["Location"]:
            ask.parameters.pop("state")
        ask.error(answer.headers["Location"], "invalid_request")
    else:
        check_error_page(answer)


def test_B016_a_20000_character_state_is_refused(lab: Lab) -> None:
    """Beyond the limit of a request line in GET; beyond our cap in POST."""
    ask = lab.ask(CONF1, state=random_text(20000))
    assert lab.authorize(ask).status_code in (400, 414, 431, 302, 303)
    answer = lab.http("POST", ask.endpoint, data=ask.pairs)
    assert answer.status_code in (302, 303, 400)
    assert "code=" not in answer.headers.get("Location", "")


@pytest.mark.parametrize(
    "state",
    [
        "a+b c&d=e%f",
        '{"k":"é"}',
        "%2B%20+ ",
        "a=b&code=x&iss=evil",
        "<b>\"'&amp;</b>",
        "日本語",
        "\u202e\U0001f600",
        " lead and trail ",
        "#frag?query",
        "\\..//",
        "~-._!*'();:@$,/[]",
        "+",
        "%",
        "%%",
        "%41",
    ],
)
def test_B017_state_comes_back_to_the_letter(lab: Lab, state: str) -> None:
    """In success, in errors, and through the pages."""
    lab.sign_in(CONF1, state=state)
    lab.redirect_error(lab.ask(CONF1, state=state, prompt="none"), "login_required")
    lab.redirect_error(lab.ask(CONF1, state=state, response_type="token"), "unsupported_response_type")


@pytest.mark.parametrize("nonce", ["a+b c&d=e%f", '{"k":"é"}', "日本語", '"\\/', "\u202e\U0001f600", "<&>"])
def test_B017_nonce_comes_back_to_the_letter(lab: Lab, nonce: str) -> None:
    lab.sign_in(CONF1, nonce=nonce)


# MARK: B019, B020: scope


def test_B019_unknown_scopes_are_dropped_and_the_answer_says_so(lab: Lab) -> None:
    signed = lab.sign_in(CONF1, scope="openid email groups made_up")
    assert signed.answer["scope"].split() == ["openid", "email"]
    refreshed = lab.refreshed(signed)
    assert refreshed.get("scope", "openid email").split() == ["openid", "email"]


@pytest.mark.parametrize(
    "scope,granted",
    [
        ("openid openid email", ["openid", "email"]),
        ("openid  email", ["openid", "email"]),
        (" openid", ["openid"]),
        ("openid OPENID Email", ["openid"]),
        ("openid address", ["openid"]),
    ],
)
def test_B019_neighbours(lab: Lab, scope: str, granted: list[str]) -> None:
    """Repeats, blanks, other cases, and a scope this client may not have (web1 has address, web2 has not)."""
    client = WEB2 if "address" in scope else CONF1
    signed = lab.sign_in(client, scope=scope)
    assert signed.answer.get("scope", scope).split() == granted


@pytest.mark.parametrize("scope", [None, "", "email", "profile email", "Openid", "open id"])
def test_B019_a_scope_without_openid_is_refused(lab: Lab, scope: str | None) -> None:
    lab.redirect_error(lab.ask(CONF1, scope=scope), "invalid_scope", "invalid_request")


def test_B020_offline_access_without_consent_is_dropped(
    lab: Lab, odd: dict[str, Client], database: psycopg.Connection
) -> None:
    """The sign-in succeeds, and the answer tells that offline_access was not granted; asked for with prompt=consent,
    it is.
    """
    client = odd["auth-time"]
    database.execute("DELETE FROM consents WHERE client_id = %s", (client.client_id,))
    signed = lab.sign_in(client, scope="openid email offline_access")
    assert signed.answer["scope"].split() == ["openid", "email"]
    silent = lab.ask(client, scope="openid offline_access", prompt="none")
    again = lab.finish(silent, lab.silent(signed.browser, silent), signed.browser)
    assert again.answer["scope"] == "openid"
    asked = lab.sign_in(client, browser=signed.browser, scope="openid offline_access", prompt="consent")
    assert "offline_access" in asked.answer.get("scope", "openid offline_access").split()
    remembered = lab.sign_in(client, browser=signed.browser, scope="openid offline_access")
    assert "offline_access" in remembered.answer.get("scope", "openid offline_access").split()


def test_B020_an_app_of_our_own_needs_no_consent_page(lab: Lab, odd: dict[str, Client]) -> None:
    """The operator's word is the "other condition" of Core §11; a client that cannot refresh gets no offline_access at
    all.
    """
    signed = lab.sign_in(odd["own-offline"], scope="openid offline_access")
    assert "offline_access" in signed.answer["scope"].split() and "refresh_token" in signed.answer
    signed = lab.sign_in(odd["codes-only"], scope="openid offline_access")
    assert signed.answer["scope"] == "openid" and "refresh_token" not in signed.answer


# MARK: B022, B023


def test_B022_request_uri_is_never_fetched(lab: Lab) -> None:
    """Refused with its own code, and nobody calls: a listener of ours stays alone."""
    import socket

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.5)
        port = listener.getsockname()[1]
        for address in (
            f"http://127.0.0.1:{port}/latest",
            f"https://127.0.0.1:{port}/x",
            "http://169.254.169.254/latest",
            "urn:ietf:params:oauth:request_uri:abc",
            "file:///etc/passwd",
        ):
            lab.redirect_error(lab.ask(CONF1, request_uri=address), "request_uri_not_supported")
        with pytest.raises(TimeoutError):
            listener.accept()
    assert lab.discovery["request_uri_parameter_supported"] is False


def test_B023_the_client_is_judged_before_the_grant(lab: Lab) -> None:
    for auth in (basic("nobody", "x"), basic("conf1", "wrong"), basic("", "")):
        answer = lab.token(None, {"grant_type": "authorization_code", "code": "garbage"}, auth=auth)
        check_token_error(answer, "invalid_client", status=401)
    for form in ({"client_id": "nobody"}, {"client_id": "conf2", "client_secret": "wrong"}, {}):
        answer = lab.token(None, {"grant_type": "authorization_code", "code": "garbage"} | form, auth=None)
        check_token_error(answer, "invalid_client", status=401)
        assert not answer.headers.get("WWW-Authenticate", "").lower().startswith("basic"), "Basic was not used"


@pytest.mark.parametrize(
    "grant_type,error",
    [
        ("client_credentials", "unauthorized_client"),
        ("password", "unsupported_grant_type"),
        ("implicit", "unsupported_grant_type"),
        ("urn:ietf:params:oauth:grant-type:device_code", "unsupported_grant_type"),
        ("made_up", "unsupported_grant_type"),
        ("Authorization_Code", "unsupported_grant_type"),
        ("", "invalid_request"),
        (None, "invalid_request"),
    ],
)
def test_B023_grant_types(lab: Lab, grant_type: str | None, error: str) -> None:
    """Known but not this client's: unauthorized_client; unknown: unsupported_grant_type. A grant that no client can
    have counts as unknown.
    """
    errors = {error, "unsupported_grant_type"} if grant_type == "client_credentials" else {error}
    for client in (APP1, CONF1, CONF2):
        check_token_error(lab.token(client, {"grant_type": grant_type, "code": "x"}), *errors, status=400)


def test_B023_a_known_grant_that_is_not_this_clients(lab: Lab, odd: dict[str, Client]) -> None:
    """A client registered for codes only asks to refresh."""
    check_token_error(lab.refresh(odd["codes-only"], "x"), "unauthorized_client", status=400)
