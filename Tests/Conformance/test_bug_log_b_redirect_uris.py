"""Public faults of other providers, B: redirect URIs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support import CLIENTS, Client, Dev
from support.checks import check_error_page, check_redirect_error, check_token_answer, check_token_error
from support.flow import Lab

WEB1, WEB2, APP1, CONF1, CONF2 = (CLIENTS[name] for name in ("web1", "web2", "app1", "conf1", "conf2"))


# MARK: B025, B026, B038: loopback


@pytest.mark.parametrize(
    "uri",
    [
        "http://127.0.0.1:51004/cb",
        "http://[::1]:61023/cb",
        "http://127.0.0.1:1/cb",
        "http://127.0.0.1:65535/cb",
        "http://127.0.0.1/cb",
        "http://[::1]/cb",
        "http://127.0.0.1:80/cb",
    ],
)
def test_B025_loopback_ports_of_native_clients_vary(lab: Lab, uri: str) -> None:
    lab.sign_in(APP1, redirect_uri=uri)


@pytest.mark.parametrize("uri", ["http://127.0.0.1:5000/cb", "http://[::1]:5000/cb"])
def test_B038_the_loopback_host_stays_as_it_was_asked(lab: Lab, uri: str) -> None:
    """Neither 127.0.0.1 nor [::1] becomes localhost, in success and in errors."""
    url = lab.browser().authorize(lab.ask(APP1, redirect_uri=uri).url)
    assert url.startswith(uri + "?code=")
    url = lab.browser().get(lab.ask(APP1, redirect_uri=uri, prompt="none").url).url
    assert url.startswith(uri + "?error=")


@pytest.mark.parametrize(
    "uri",
    [
        "http://evil@127.0.0.1:9/cb",
        "http://127.0.0.1.evil.example:9/cb",
        "http://127.0.0.1:9/cb/../x",
        "http://localhost:9/cb",
        "https://127.0.0.1:9/cb",
        "http://127.1:9/cb",
        "http://127.0.0.1:9@evil.example/cb",
        # Neighbours.
        "http://127.0.0.1:/cb",
        "http://127.0.0.1:99999/cb",
        "http://127.0.0.1:65536/cb",
        "http://127.0.0.1:0x50/cb",
        "http://127.0.0.1:-1/cb",
        "http://127.0.0.1: 9/cb",
        "http://127.0.0.1:9/cb/",
        "http://127.0.0.1:9/CB",
        "http://127.0.0.1:9/cb?x=1",
        "http://127.0.0.1:9/cb#",
        "http://127.0.0.1:9",
        "http://127.0.0.2:9/cb",
        "http://[::2]:9/cb",
        "http://[0:0:0:0:0:0:0:1]:9/cb",
        "http://[::1%25lo]:9/cb",
        "http://[::ffff:127.0.0.1]:9/cb",
        "http://0x7f000001:9/cb",
        "http://2130706433:9/cb",
        "http://127.0.0.1:9\\@evil.example/cb",
        "HTTP://127.0.0.1:9/cb",
        "http://127.0.0.1:9%2fcb",
        "http://127.0.0.1:9:9/cb",
        "http://127.0.0.1:+9/cb",
        "http://127.0.0.1:９/cb",
        "http:/127.0.0.1:9/cb",
        "//127.0.0.1:9/cb",
        "http://127.0.0.1:9//cb",
        "http://127.0.0.1:9/cb\t",
        "http://127.0.0.1:9/cb%00",
    ],
)
def test_B026_the_loopback_rule_is_no_wider(lab: Lab, uri: str) -> None:
    lab.error_page(lab.ask(APP1, redirect_uri=uri).url)


@pytest.mark.parametrize(
    "uri", ["http://127.0.0.1:51004/cb", "http://127.0.0.1/cb", "http://[::1]:9801/cb", "http://localhost:9801/cb"]
)
def test_B026_ports_of_web_clients_do_not_vary(lab: Lab, uri: str) -> None:
    lab.error_page(lab.ask(WEB1, redirect_uri=uri).url)
    lab.error_page(lab.ask(CONF1, redirect_uri=uri).url)


def test_B037_the_loopback_port_is_bound_to_the_code(lab: Lab) -> None:
    ask = lab.ask(APP1, redirect_uri="http://127.0.0.1:51004/cb")
    code = lab.code(ask)
    check_token_error(lab.redeem(ask, code, redirect_uri="http://127.0.0.1:51005/cb"), "invalid_grant")


# MARK: B028, B031: registration


def attempt(server: Dev, directory: Path, uri: str, kind: str = "web") -> tuple[int, str]:
    """What `seleid apply` says to a client with this redirect URI, without storing it."""
    public = (
        {"token_endpoint_auth_method": "none"}
        if kind == "native"
        else {"client_secret": "attempt-0123456789abcdefghijklmnopqrstuvwxyz"}
    )
    document = {
        "clients": [
            {
                "client_id": "attempt",
                "client_name": "Attempt",
                "application_type": kind,
                "redirect_uris": [uri],
                "grant_types": ["authorization_code"],
                "scope": "openid",
                **public,
            }
        ]
    }
    path = directory / "attempt.json"
    path.write_text(json.dumps(document))
    done = server.admin("apply", "--dry-run", "-f", str(path))
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("uri", ["https://rp.example/cb#x", "https://rp.example/cb#"])
def test_B028_a_fragment_is_refused_at_registration(server: Dev, tmp_path: Path, uri: str) -> None:
    code, text = attempt(server, tmp_path, uri)
    assert code == 1 and "redirect_uris" in text, text


@pytest.mark.parametrize("suffix", ["#x", "#", "#code=1"])
def test_B028_a_fragment_in_a_request_shows_a_page(lab: Lab, suffix: str) -> None:
    lab.error_page(lab.ask(CONF1, redirect_uri=CONF1.redirect_uri + suffix).url)


@pytest.mark.parametrize(
    "uri,legal",
    [
        ("com.example.my-app:/cb", True),
        ("com.example.my+app:/cb", True),
        ("com.example.my_app:/cb", False),
        ("1app:/cb", False),
        ("myapp:/cb", False),
        ("https://app.example/cb", True),
        ("http://127.0.0.1/cb", True),
        ("http://[::1]/cb", True),
        ("http://app.example/cb", False),
        ("javascript:alert(1)", False),
        ("data:text/html,x", False),
        ("/cb", False),
        ("com.example.app:/c b", False),
        ("https://", False),
        ("https:///cb", False),
        ("https://user:pass@app.example/cb", False),
        ("", False),
        ("https://app.example\\@evil.example/cb", False),
    ],
)
def test_B031_schemes_at_registration(server: Dev, tmp_path: Path, uri: str, legal: bool) -> None:
    """Illegal ones are refused with the reason, dot-less and dangerous ones too (RFC 3986 §3.1, RFC 8252 §7.1)."""
    code, text = attempt(server, tmp_path, uri, "native")
    assert (code == 0) == legal, text
    if not legal:
        assert code == 1 and "redirect_uris" in text, text


@pytest.mark.parametrize(
    "uri", ["http://rp.example/cb", "https://*.example/cb", "https://rp.example/*", "com.example.app:/cb"]
)
def test_B031_web_clients_use_https(server: Dev, tmp_path: Path, uri: str) -> None:
    """And no wildcard is ever one: a star, if taken at all, is a star."""
    code, text = attempt(server, tmp_path, uri)
    if "*" in uri and code == 0:
        return
    assert code == 1, text


def test_B031_private_use_schemes_work(lab: Lab) -> None:
    lab.sign_in(APP1, redirect_uri="com.example.app:/seleid")


# MARK: B029, B032, B040: exact comparison


@pytest.mark.parametrize(
    "uri",
    [
        "https://spa.example/cb/",
        "https://SPA.example/cb",
        "https://spa.example:443/cb",
        "HTTPS://spa.example/cb",
        "https://spa.example/CB",
        "https://spa.example/cb?",
        "https://spa.example//cb",
        "https://spa.example./cb",
    ],
)
def test_B029_nothing_is_normalised(lab: Lab, uri: str) -> None:
    lab.error_page(lab.ask(CLIENTS["spa1"], redirect_uri=uri).url)


@pytest.mark.parametrize(
    "uri",
    [
        "https://spa.example/cb/..;/admin",
        "https://a@b@spa.example/cb",
        "https://spa.example.evil.example/cb",
        "https://spa.example\\@evil.example/cb",
        "https://spa.example/cb\r\nX: y",
        "https://spa.example/cb\x01",
        "https://spa.example/%63b",
        "https://evil.example/?https://spa.example/cb",
        "https://spa.example/cb https://evil.example/",
        "*",
        "https://*",
        "https://spa.example/cb%0d%0a",
        "javascript:alert(1)//https://spa.example/cb",
        "https://spa.examplе/cb",
        "\u200bhttps://spa.example/cb",
        "https://spa.example/cb\u200b",
    ],
)
def test_B032_no_bypass(lab: Lab, uri: str) -> None:
    lab.error_page(lab.ask(CLIENTS["spa1"], redirect_uri=uri).url, never=["evil.example"])


def test_B040_percent_encoding_is_compared_as_it_stands(lab: Lab, odd: dict[str, Client]) -> None:
    client = odd["escaped"]
    for wrong in ("https://rp.example/a/b", "https://rp.example/a%2fb", "https://rp.example/a%252Fb"):
        lab.error_page(lab.ask(client, redirect_uri=wrong).url)
    lab.sign_in(client, redirect_uri="https://rp.example/a%2Fb")


def test_B029_the_query_of_a_registered_uri_is_exact(lab: Lab) -> None:
    for wrong in (
        "http://127.0.0.1:9802/cb",
        "http://127.0.0.1:9802/cb?tenant=8",
        "http://127.0.0.1:9802/cb?tenant=7&x=1",
        "http://127.0.0.1:9802/other?tenant=7",
    ):
        lab.error_page(lab.ask(WEB2, redirect_uri=wrong).url)
    lab.sign_in(WEB2)
    lab.redirect_error(lab.ask(WEB2, prompt="none"), "login_required")


# MARK: B034, B035: where errors go


@pytest.mark.parametrize(
    "changes",
    [
        {"redirect_uri": "https://evil.example/", "response_type": "bogus"},
        {"client_id": "nobody", "scope": ""},
        {"client_id": None},
        {"client_id": ""},
        {"redirect_uri": "https://evil.example/", "prompt": "none"},
        {"redirect_uri": None},
        {"redirect_uri": ""},
        {"redirect_uri": "https://evil.example/", "request": "x"},
        {"client_id": "nobody", "redirect_uri": "https://evil.example/"},
        {"client_id": "Web2"},
        {"client_id": "web2 "},
        {"client_id": "web2\n"},
        {"client_id": "a" * 5000},
        {"redirect_uri": "https://evil.example/", "response_mode": "form_post"},
    ],
)
def test_B034_no_redirect_before_client_and_uri_are_good(lab: Lab, changes: dict[str, str | None]) -> None:
    """web2 has two URIs, so leaving it out names none."""
    lab.error_page(lab.ask(WEB2, **changes).url, never=["evil.example"])


def test_B034_the_same_in_a_form_post(lab: Lab) -> None:
    ask = lab.ask(WEB2, redirect_uri="https://evil.example/", response_type="bogus")
    check_error_page(lab.http("POST", ask.endpoint, data=ask.pairs))


def test_B034_a_broken_query_shows_a_page(lab: Lab) -> None:
    for query in ("%zz=1", "client_id=%", "client_id=%ff%fe", "=", "&&&", ""):
        lab.error_page(f"{lab.authorization_endpoint}?{query}")
    lab.error_page(lab.authorization_endpoint)


@pytest.mark.parametrize(
    "value,errors",
    [
        ("token", {"unsupported_response_type"}),
        ("id_token", {"unsupported_response_type"}),
        ("code token", {"unsupported_response_type"}),
        ("code id_token", {"unsupported_response_type"}),
        ("none", {"unsupported_response_type"}),
        ("bogus", {"unsupported_response_type"}),
        ("Code", {"unsupported_response_type"}),
        ("code code", {"unsupported_response_type", "invalid_request"}),
        ("", {"invalid_request"}),
    ],
)
def test_B035_errors_go_to_a_good_redirect_uri(lab: Lab, value: str, errors: set[str]) -> None:
    """In the query, with state and iss."""
    for client in (WEB1, WEB2, CONF1):
        lab.redirect_error(lab.ask(client, response_type=value), *errors)


def test_B035_off_at_the_redirect_uri(lab: Lab) -> None:
    """An app whose sign-in is off hears unauthorized_client, not a page."""
    lab.redirect_error(lab.ask(CLIENTS["off1"]), "unauthorized_client")


def test_B035_private_use_schemes_get_errors_too(lab: Lab) -> None:
    """Whatever way the page takes to hand a private-use URI over, it holds the error."""
    ask = lab.ask(APP1, redirect_uri="com.example.app:/seleid", prompt="none")
    page = lab.browser().get(ask.url)
    assert page.left
    check_redirect_error(
        page.url, redirect_uri=ask.redirect_uri, issuer=lab.issuer, state=ask.state, errors={"login_required"}
    )


# MARK: B037


def test_B037_the_redirect_uri_is_bound_to_the_code(lab: Lab) -> None:
    one, other = WEB2.redirect_uris
    for wrong in (other, None, "", one + "&x=1", one.upper()):
        ask = lab.ask(WEB2, redirect_uri=one)
        code = lab.code(ask)
        check_token_error(lab.redeem(ask, code, redirect_uri=wrong), "invalid_grant", status=400)
        # A try with a wrong URI may spend the code; it never gives tokens.
    ask = lab.ask(WEB2, redirect_uri=one)
    check_token_answer(lab.redeem(ask, lab.code(ask)))


def test_B037_it_must_be_sent_even_when_one_is_registered(lab: Lab) -> None:
    """RFC 6749 §3.1.2.3 would fill it in, Core §3.1.2.1 demands it: a page, as with any redirect URI that is not
    proven good.
    """
    assert len(CONF2.redirect_uris) == 1
    for value in (None, ""):
        lab.error_page(lab.ask(CONF2, redirect_uri=value).url)
