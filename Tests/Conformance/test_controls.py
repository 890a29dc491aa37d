"""Can our checks fail? First with forged values, then against a real but weak provider (`oidc-provider-mock`)."""

from __future__ import annotations

import importlib.util
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import oidc_provider_mock
import pytest
from joserfc import jwk, jwt

from support import CLIENTS, checks
from support.browser import Browser, Page
from support.fixtures import ALICE, Account
from support.flow import Lab
from support.secrecy import Wire

ISSUER, CLIENT, NONCE = "https://id.example", "conf1", "nonce-nonce"
KEY = jwk.RSAKey.generate_key(2048, {"kid": "one", "use": "sig", "alg": "RS256"}, private=True)
OTHER = jwk.RSAKey.generate_key(2048, {"kid": "one", "use": "sig", "alg": "RS256"}, private=True)


def public(*keys: jwk.RSAKey, **changes: Any) -> dict[str, Any]:
    return {"keys": [key.as_dict(private=False) | changes for key in keys]}


pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::authlib.deprecate.AuthlibDeprecationWarning"
)


def id_token(key: jwk.RSAKey = KEY, header: dict[str, Any] | None = None, **changes: Any) -> str:
    now = int(time.time())
    claims = {
        "iss": ISSUER,
        "sub": "248289761001",
        "aud": CLIENT,
        "exp": now + 3600,
        "iat": now,
        "auth_time": now - 5,
        "nonce": NONCE,
    } | changes
    claims = {name: value for name, value in claims.items() if value is not None}
    # A JOSE library refuses to sign some of these, so the payload is written by hand.
    head = {"alg": "RS256", "kid": "one"} | (header or {})
    head = {name: value for name, value in head.items() if value is not None}
    if head["alg"] == "none":
        import base64

        parts = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in (head, claims)]
        return ".".join([*parts, ""])
    from joserfc import jws

    return jws.serialize_compact(head, json.dumps(claims), key)


def judge(token: str, **changes: Any) -> dict[str, Any]:
    options = {"issuer": ISSUER, "client_id": CLIENT, "nonce": NONCE} | changes
    return checks.check_id_token(token, public(KEY), **options)


def refuses(run: Callable[[], Any]) -> None:
    with pytest.raises(Exception) as raised:  # a library's refusal is one too
        run()
    assert not isinstance(raised.value, (NameError, AttributeError)), raised.value


# MARK: Forged values


def test_a_good_id_token_passes() -> None:
    assert judge(id_token())["sub"] == "248289761001"
    assert judge(id_token(at_hash=checks.left_half_hash("token")), access_token="token")


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": ISSUER + "/"},
        {"iss": None},
        {"aud": "other"},
        {"aud": ["conf1", "other"]},
        {"aud": None},
        {"azp": "other"},
        {"exp": int(time.time()) - 3600},
        {"exp": (int(time.time()) + 3600) * 1000},
        {"exp": str(int(time.time()) + 3600)},
        {"exp": None},
        {"iat": int(time.time()) - 3600},
        {"iat": int(time.time()) + 3600},
        {"iat": time.time()},
        {"iat": None},
        {"auth_time": int(time.time()) + 600},
        {"auth_time": "2026-01-01T00:00:00Z"},
        {"auth_time": int(time.time()) * 1000},
        {"nonce": NONCE + "x"},
        {"nonce": None},
        {"sub": ""},
        {"sub": "x" * 256},
        {"sub": "é"},
        {"sub": None},
        {"sub": 7},
        {"acr": ""},
        {"acr": 1},
        {"amr": "pwd"},
        {"name": "Alice"},
        {"email": "alice@example.test"},
        {"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"},
        {"c_hash": "AAAAAAAAAAAAAAAAAAAAAA"},
        {"sid": ""},
        {"jti": "null"},
    ],
    ids=str,
)
def test_a_wrong_claim_fails(changes: dict[str, Any]) -> None:
    refuses(lambda: judge(id_token(**changes), access_token="token", code="code"))


@pytest.mark.parametrize(
    "header",
    [{"kid": None}, {"kid": "two"}, {"alg": "none"}, {"alg": "PS256"}, {"jku": "https://evil.example"}],
    ids=str,
)
def test_a_wrong_header_fails(header: dict[str, Any]) -> None:
    refuses(lambda: judge(id_token(header=header)))


def test_a_wrong_signature_fails() -> None:
    refuses(lambda: judge(id_token(OTHER)))
    refuses(lambda: judge(id_token()[:-4] + "AAAA"))
    refuses(lambda: judge(id_token(), nonce=None))


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"keys": []},
        public(KEY, kid=""),
        public(KEY, kid=None),
        public(KEY, OTHER),
        public(KEY, n="AA=="),
        public(KEY, n="AQAB"),
        public(KEY, alg="HS256"),
        public(KEY, kty="oct"),
        {"keys": [KEY.as_dict(private=True)]},
        {"keys": [{"kty": "RSA", "kid": "x", "e": "AQAB"}]},
        public(KEY, use="both"),
        {"keys": [{"kty": "oct", "kid": "x", "k": "AAAA"}]},
    ],
    ids=lambda document: str(document)[:60],
)
def test_a_wrong_key_set_fails(document: dict[str, Any]) -> None:
    refuses(lambda: checks.check_jwks(document))


def test_a_good_key_set_passes() -> None:
    checks.check_jwks(public(KEY))


CALLBACK = "https://rp.example/cb"
CODE = "hYd3k0sPq8vW2mNxZ5tRb7cJf1gLaE4uVoT9yQiKwXs"


@pytest.mark.parametrize(
    "url",
    [
        f"{CALLBACK}?code={CODE}&state=s",
        f"{CALLBACK}?code={CODE}&state=s&iss=https%3A%2F%2Fid.example%2F",
        f"{CALLBACK}?code={CODE}&iss={ISSUER}",
        f"{CALLBACK}?code={CODE}&state=S&iss={ISSUER}",
        f"{CALLBACK}#code={CODE}&state=s&iss={ISSUER}",
        f"{CALLBACK}/?code={CODE}&state=s&iss={ISSUER}",
        f"https://evil.example/?code={CODE}&state=s&iss={ISSUER}",
        f"{CALLBACK}?code=12345&state=s&iss={ISSUER}",
        f"{CALLBACK}?code={'a' * 43}&state=s&iss={ISSUER}",
        f"{CALLBACK}?code={CODE}&code={CODE}&state=s&iss={ISSUER}",
        f"{CALLBACK}?error=access_denied&state=s&iss={ISSUER}",
        f"{CALLBACK}?state=s&iss={ISSUER}",
        f"{CALLBACK}?code={CODE}&state=s&iss={ISSUER}&extra=1",
    ],
)
def test_a_wrong_success_fails(url: str) -> None:
    refuses(lambda: checks.check_success_redirect(url, redirect_uri=CALLBACK, issuer=ISSUER, state="s"))


def test_a_good_success_passes() -> None:
    assert (
        checks.check_success_redirect(
            f"{CALLBACK}?code={CODE}&state=s&iss={ISSUER}", redirect_uri=CALLBACK, issuer=ISSUER, state="s"
        )
        == CODE
    )
    with_query = CALLBACK + "?tenant=7"
    checks.check_success_redirect(
        f"{with_query}&code={CODE}&state=s&iss={ISSUER}", redirect_uri=with_query, issuer=ISSUER, state="s"
    )
    refuses(
        lambda: checks.check_success_redirect(
            f"{CALLBACK}?code={CODE}&state=s&iss={ISSUER}", redirect_uri=with_query, issuer=ISSUER, state="s"
        )
    )


@pytest.mark.parametrize(
    "query",
    [
        f"error=login_required&state=s&code={CODE}",
        "state=s",
        "error=made_up&state=s",
        "error=login_required",
        "error=login_required&state=t",
        "error=login_required&state=s&error_description=say%20%22hi%22",
        "error=login_required&state=s&error_description=%E2%80%9Chi",
        "error=login_required&state=s&error_description=a%0Ab",
        "error=login_required&state=s&error_uri=javascript%3Aalert",
        "error=login_required&state=s&x=1",
    ],
)
def test_a_wrong_error_redirect_fails(query: str) -> None:
    refuses(
        lambda: checks.check_redirect_error(
            f"{CALLBACK}?{query}&iss={ISSUER}", redirect_uri=CALLBACK, issuer=ISSUER, state="s"
        )
    )
    checks.check_redirect_error(
        f"{CALLBACK}?error=login_required&state=s&iss={ISSUER}", redirect_uri=CALLBACK, issuer=ISSUER, state="s"
    )


class Answer:
    def __init__(self, status: int, body: Any, **headers: str) -> None:
        self.status_code = status
        self.text = body if isinstance(body, str) else json.dumps(body)
        self.content = self.text.encode()
        self.headers = {"content-type": "application/json", "cache-control": "no-store"} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }


GOOD = {"access_token": CODE, "token_type": "Bearer", "expires_in": 600, "id_token": "x", "refresh_token": CODE[::-1]}


@pytest.mark.parametrize(
    "answer",
    [
        Answer(201, GOOD),
        Answer(200, GOOD, content_type="text/html"),
        Answer(200, GOOD, cache_control="private"),
        Answer(200, GOOD, cache_control="No-Store"),
        Answer(200, GOOD | {"expires_in": "600"}),
        Answer(200, GOOD | {"expires_in": 0}),
        Answer(200, GOOD | {"expires_in": 600_000_000}),
        Answer(200, GOOD | {"expires_in": 600.5}),
        Answer(200, GOOD | {"expires_in": True}),
        Answer(200, GOOD | {"token_type": "mac"}),
        Answer(200, GOOD | {"access_token": "1234"}),
        Answer(200, GOOD | {"refresh_token": "x" * 40}),
        Answer(200, GOOD | {"error": "x"}),
        Answer(200, GOOD | {"scope": ["openid"]}),
        Answer(200, {name: value for name, value in GOOD.items() if name != "id_token"}),
        Answer(200, '{"access_token":"a","access_token":"b"}'),
    ],
    ids=lambda answer: f"{answer.status_code} {answer.text[:20]} {answer.headers}",
)
def test_a_wrong_token_answer_fails(answer: Answer) -> None:
    refuses(lambda: checks.check_token_answer(answer))
    checks.check_token_answer(Answer(200, GOOD))


@pytest.mark.parametrize(
    "answer",
    [
        Answer(401, {"error": "invalid_grant"}),
        Answer(200, {"error": "invalid_grant"}),
        Answer(500, {"error": "invalid_grant"}),
        Answer(400, {"error": "made_up"}),
        Answer(400, {"error": "invalid_request"}),
        Answer(400, {"error": "invalid_grant", "error_description": 'it\'s a "trap"'}),
        Answer(400, {"error": "invalid_grant"}, content_type="text/plain"),
        Answer(400, {"error": "invalid_grant"}, cache_control="max-age=60"),
        Answer(400, "no"),
        Answer(400, {"error": "invalid_grant", "access_token": "x"}),
        Answer(400, {}),
        Answer(503, {"error": "invalid_grant"}),
    ],
    ids=lambda answer: f"{answer.status_code} {answer.text[:40]}",
)
def test_a_wrong_token_error_fails(answer: Answer) -> None:
    refuses(lambda: checks.check_token_error(answer, "invalid_grant"))
    checks.check_token_error(
        Answer(400, {"error": "invalid_grant", "error_description": "The code is not known."}), "invalid_grant"
    )


PERSON = {
    "sub": "a",
    "name": "Alice",
    "birthdate": "0000-04-01",
    "email_verified": True,
    "email": "a@b.example",
    "updated_at": 1_700_000_000,
    "address": {"country": "Finland"},
    "picture": "https://a.example/p.png",
}


def judge_person(answer: Any) -> dict[str, Any]:
    return checks.check_userinfo(answer, sub="a", claims=set(PERSON) - {"sub"})


@pytest.mark.parametrize(
    "changes",
    [
        {"sub": "b"},
        {"sub": None},
        {"name": ""},
        {"name": "null"},
        {"name": 7},
        {"email_verified": "true"},
        {"email": "nobody"},
        {"updated_at": "2026-01-01T00:00:00Z"},
        {"updated_at": 1_700_000_000.5},
        {"updated_at": 1_700_000_000_000},
        {"address": "Finland"},
        {"address": {}},
        {"address": {"country": None}},
        {"birthdate": "1.4.1990"},
        {"picture": "p.png"},
        {"nickname": "Al"},
        {"_claim_names": {"x": "src1"}},
    ],
    ids=str,
)
def test_a_wrong_userinfo_answer_fails(changes: dict[str, Any]) -> None:
    refuses(lambda: judge_person(Answer(200, PERSON | changes)))
    assert judge_person(Answer(200, PERSON))["name"] == "Alice"


def test_a_userinfo_answer_of_the_wrong_kind_fails() -> None:
    less = {name: value for name, value in PERSON.items() if name != "name"}
    for answer in (
        Answer(200, less),
        Answer(201, PERSON),
        Answer(200, PERSON, content_type="text/html"),
        Answer(200, PERSON, cache_control="max-age=60"),
        Answer(200, [PERSON]),
    ):
        refuses(lambda answer=answer: judge_person(answer))


@pytest.mark.parametrize(
    "changes",
    [{"iss": "x"}, {"iss": None}, {"aud": "other"}, {"aud": [CLIENT]}, {"nonce": NONCE}, {"exp": 4_000_000_000}, {"x": 1}],
    ids=str,
)
def test_a_wrong_signed_userinfo_answer_fails(changes: dict[str, Any]) -> None:
    def judge_signed(key: jwk.RSAKey = KEY, media_type: str = "application/jwt", **changes: Any) -> None:
        claims = {"iss": ISSUER, "aud": CLIENT} | PERSON | changes
        token = jwt.encode(
            {"alg": "RS256", "kid": "one"}, {name: value for name, value in claims.items() if value is not None}, key
        )
        checks.check_signed_userinfo(
            Answer(200, token, content_type=media_type),
            public(KEY),
            issuer=ISSUER,
            client_id=CLIENT,
            sub="a",
            claims=set(PERSON) - {"sub"},
        )

    judge_signed()
    refuses(lambda: judge_signed(**changes))
    refuses(lambda: judge_signed(OTHER))
    refuses(lambda: judge_signed(media_type="application/json"))


CHALLENGE = 'Bearer realm="x", error="invalid_token", error_description="it has expired"'
REFUSED = {"error": "invalid_token", "error_description": "it has expired"}


@pytest.mark.parametrize(
    "answer",
    [
        Answer(400, REFUSED, www_authenticate=CHALLENGE),
        Answer(401, REFUSED),
        Answer(401, REFUSED, www_authenticate='Bearer realm="x"'),
        Answer(401, REFUSED, www_authenticate=CHALLENGE.replace("invalid_token", "invalid_request")),
        Answer(401, REFUSED, www_authenticate=CHALLENGE.replace("Bearer", "Basic")),
        Answer(401, REFUSED, www_authenticate=CHALLENGE + ', scope="openid"'),
        Answer(401, REFUSED, www_authenticate=CHALLENGE, cache_control="private"),
        Answer(401, REFUSED | {"error": "other"}, www_authenticate=CHALLENGE),
        Answer(401, REFUSED | {"sub": "a"}, www_authenticate=CHALLENGE),
        Answer(401, "it has expired", www_authenticate=CHALLENGE),
    ],
    ids=lambda answer: f"{answer.status_code} {answer.headers}",
)
def test_a_wrong_bearer_error_fails(answer: Answer) -> None:
    refuses(lambda: checks.check_bearer_error(answer, 401, "invalid_token"))
    checks.check_bearer_error(Answer(401, REFUSED, www_authenticate=CHALLENGE), 401, "invalid_token")
    checks.check_bearer_error(Answer(401, "", www_authenticate='Bearer realm="x"'), 401, None)
    refuses(lambda: checks.check_bearer_error(Answer(401, REFUSED, www_authenticate=CHALLENGE), 401, None))


PAGE = {
    "content_type": "text/html",
    "content_security_policy": "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'",
    "x_frame_options": "DENY",
    "x_content_type_options": "nosniff",
    "referrer_policy": "same-origin",
}


@pytest.mark.parametrize(
    "changes",
    [
        {"content_security_policy": "default-src 'none'"},
        {"x_frame_options": "SAMEORIGIN"},
        {"location": "https://evil.example"},
        {"cache_control": "max-age=1"},
        {"content_security_policy": PAGE["content_security_policy"] + "; script-src 'unsafe-inline'"},
        {"access_control_allow_origin": "*"},
        {"refresh": "0;url=x"},
        {"content_security_policy": PAGE["content_security_policy"] + "; form-action *"},
        {"content_type": "application/json"},
        {"referrer_policy": "unsafe-url"},
    ],
    ids=str,
)
def test_a_wrong_page_fails(changes: dict[str, str]) -> None:
    refuses(lambda: checks.check_error_page(Answer(400, "<p>no</p>", **(PAGE | changes))))
    refuses(lambda: checks.check_error_page(Answer(400, '<meta HTTP-EQUIV=Refresh content="0;url=x">', **PAGE)))
    checks.check_error_page(Answer(400, "<p>no</p>", **PAGE))


DOCUMENT = {
    "issuer": ISSUER,
    "authorization_endpoint": ISSUER + "/authorize",
    "token_endpoint": ISSUER + "/oauth/token",
    "jwks_uri": ISSUER + "/jwks",
    "response_types_supported": ["code"],
    "subject_types_supported": ["public"],
    "id_token_signing_alg_values_supported": ["RS256"],
    "scopes_supported": ["openid"],
    "claims_supported": ["sub"],
    "request_uri_parameter_supported": False,
}


@pytest.mark.parametrize(
    "changes",
    [
        {"issuer": ISSUER + "/"},
        {"token_endpoint": "http://id.example/token"},
        {"jwks_uri": None},
        {"jwks_uri": "/jwks"},
        {"response_types_supported": []},
        {"response_types_supported": ["bogus"]},
        {"subject_types_supported": ["any"]},
        {"id_token_signing_alg_values_supported": ["ES256"]},
        {"id_token_signing_alg_values_supported": ["RS256", "none"]},
        {"scopes_supported": ["profile"]},
        {"claims_supported": []},
        {"made_up": 1},
        {"request_uri_parameter_supported": "false"},
        {"ui_locales_supported": ["EN_us"]},
        {"scopes_supported": "openid"},
        {"grant_types_supported": []},
        {"session_context_endpoint": "nowhere"},
        {"request_object_signing_alg_values_supported": ["ES256"]},
    ],
    ids=str,
)
def test_a_wrong_discovery_document_fails(changes: dict[str, Any]) -> None:
    refuses(lambda: checks.check_discovery(DOCUMENT | changes, issuer=ISSUER, secure=True))
    checks.check_discovery(DOCUMENT, issuer=ISSUER, secure=True)


# MARK: The look into the logs


def test_a_secret_in_a_log_is_found() -> None:
    wire = Wire()
    wire.add("correct horse battery staple", CODE, "short")
    wire.add_query(f"code={CODE[::-1]}&state=1234567890123456&x=y")
    for line in (
        f'{{"event":"x","code":"{CODE}"}}',
        "password correct horse battery staple!",
        f"GET /cb?code%3D{CODE[::-1]}",
        f"a={CODE[::-1]}b",
        f"GET /authorize?code={CODE[::-1]}&state=1234567890123456&x=y",
    ):
        assert wire.found_in(f"first line\n{line}\nlast line"), line
    for line in ("nothing here", CODE[:-1], "short", CODE.swapcase()):
        assert not wire.found_in(line), line


# MARK: A weak provider


#: The real one, where a fixture has put another in its place.
CHECK_USERINFO = checks.check_userinfo


class WeakBrowser(Browser):
    """Its one page asks for a subject and signs in whoever is named."""

    def sign_in(self, page: Page, account: Account = ALICE) -> Page:
        return self.submit(page, having="sub", sub=account.username)

    def authorize(self, url: str, account: Account = ALICE, decision: str = "allow") -> str:
        page = self.sign_in(self.get(url), account)
        assert page.left
        return page.url


class WeakLab(Lab):
    def browser(self, **headers: str) -> Browser:
        return WeakBrowser(self.issuer, headers=headers)


@pytest.fixture(scope="module")
def weak() -> Iterator[WeakLab]:
    with oidc_provider_mock.run_server_in_thread() as server:
        yield WeakLab(f"http://localhost:{server.server_port}")


@pytest.fixture
def lenient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without `iss` in the answer, without `kid`, with an array as `aud`, the person's claims in the ID Token and a
    userinfo answer that caches may keep, every flow would fail at once; here later faults are looked for.
    """
    monkeypatch.setattr(checks, "check_userinfo", lambda response, **_: response.json())
    monkeypatch.setattr(checks, "check_audience", lambda *_: None)
    monkeypatch.setattr(checks, "check_iss", lambda *_: None)
    monkeypatch.setattr(
        checks,
        "verify_signature",
        lambda token, _: [json.loads(checks.decode_base64url(part)) for part in token.split(".")[:2]],
    )
    monkeypatch.setattr(checks, "PROTOCOL_CLAIMS", checks.PROTOCOL_CLAIMS | {"email", "name"})


def module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"controlled_{name}", Path(__file__).with_name(f"{name}.py"))
    assert spec and spec.loader
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def test_the_weak_provider_can_sign_in(weak: WeakLab, lenient: None) -> None:
    """Else the failures below would say nothing."""
    conf1 = CLIENTS["conf1"]
    basic_plan = module("test_oidcc_basic")
    for name in (
        "test_oidcc_ensure_request_without_nonce_succeeds_for_code_flow",
        "test_oidcc_ensure_request_with_unknown_parameter_succeeds",
        "test_oidcc_codereuse",
    ):
        getattr(basic_plan, name)(weak, conf1)


def test_the_weak_provider_fails_without_iss(weak: WeakLab) -> None:
    with pytest.raises(AssertionError, match="iss is None"):
        weak.sign_in(CLIENTS["conf1"])


def test_the_weak_provider_fails_without_kid(weak: WeakLab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "check_iss", lambda *_: None)
    with pytest.raises(AssertionError, match="no kid"):
        weak.sign_in(CLIENTS["conf1"])


def test_the_weak_provider_fails_at_userinfo(
    weak: WeakLab, lenient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "check_userinfo", CHECK_USERINFO)
    with pytest.raises(AssertionError, match="Cache-Control"):
        weak.sign_in(CLIENTS["conf1"])


def test_the_weak_provider_fails_at_discovery(weak: WeakLab) -> None:
    refuses(lambda: checks.check_discovery(weak.discovery, issuer=weak.issuer))


@pytest.mark.parametrize(
    "source,name",
    [
        ("test_oidcc_basic", "test_oidcc_prompt_none_logged_in"),
        ("test_oidcc_basic", "test_oidcc_max_age_1"),
        ("test_oidcc_basic", "test_oidcc_max_age_10000"),
        ("test_oidcc_basic", "test_oidcc_prompt_login"),
        ("test_oidcc_basic", "test_oidcc_codereuse_30seconds"),
        ("test_oidcc_basic", "test_oidcc_response_type_missing"),
        ("test_oidcc_basic", "test_oidcc_id_token_hint"),
        ("test_oidcc_basic", "test_oidcc_ensure_request_object_with_redirect_uri"),
        ("test_oidcc_basic", "test_oidcc_unsigned_request_object_supported_correctly_or_rejected_as_unsupported"),
        ("test_oidcc_basic", "test_oidcc_ensure_request_with_valid_pkce_succeeds"),
        ("test_oidcc_basic", "test_user_rejects_authentication"),
        ("test_bug_log_c_codes", "test_B041_a_verifier_without_a_challenge_is_refused"),
        ("test_bug_log_c_codes", "test_B046_tokens_end_with_a_replayed_code"),
        ("test_bug_log_c_codes", "test_B043_public_clients_need_pkce_in_every_profile"),
        ("test_bug_log_a_parameters", "test_B014_nul_never_reaches_the_database"),
        ("test_bug_log_a_parameters", "test_B023_the_client_is_judged_before_the_grant"),
        ("test_bug_log_a_parameters", "test_B022_request_uri_is_never_fetched"),
        ("test_bug_log_b_redirect_uris", "test_B034_a_broken_query_shows_a_page"),
        ("test_bug_log_f_families", "test_B061_after_the_successor_was_used_the_old_one_ends_the_family"),
        ("test_bug_log_i_http", "test_B103_cors_on_token_answers_and_errors"),
        ("test_bug_log_i_http", "test_B112_defaults_are_written_out"),
        ("test_bug_log_i_http", "test_B115_jwks_can_be_cached"),
        ("test_spec_oauth", "test_6749_2_3_two_methods_at_once"),
        ("test_spec_oauth", "test_6749_2_3_1_wrong_secrets"),
        ("test_spec_oauth", "test_http_request_ids"),
        ("test_spec_core", "test_3_1_3_2_only_the_registered_method_authenticates"),
        ("test_oidcc_userinfo", "test_oidcc_claims_essential"),
        ("test_bug_log_k_userinfo", "test_B128_no_token_is_a_challenge_without_an_error"),
        ("test_bug_log_k_userinfo", "test_B128_two_tokens_at_once"),
    ],
)
def test_the_weak_provider_fails(weak: WeakLab, lenient: None, source: str, name: str) -> None:
    """The very tests that ours must pass."""
    import inspect

    test = getattr(module(source), name)
    fixtures: dict[str, Any] = {"lab": weak, "conf1": CLIENTS["conf1"], "conf2": CLIENTS["conf2"], "server": None}
    fixtures["method"] = "GET"
    arguments = {parameter: fixtures[parameter] for parameter in inspect.signature(test).parameters}
    with pytest.raises((AssertionError, KeyError)):
        test(**arguments)


@pytest.mark.parametrize("uri", ["https://evil.example/cb", "http://127.0.0.1:9805/cb/extra"])
def test_the_weak_provider_redirects_anywhere(weak: WeakLab, lenient: None, uri: str) -> None:
    refuses(lambda: weak.error_page(weak.ask(CLIENTS["conf1"], redirect_uri=uri).url))
