"""What every module of the Foundation's suite checks again and again, as functions.

Each takes plain values (a response, a URL, a document), so that `test_controls.py` can hand in wrong ones and see it fail.
Where the suite would only warn, these fail: there is no reason for this provider to collect warnings.
Tokens are verified three times, by joserfc, PyJWT and jwcrypto, none of which shares code with the server.
"""

from __future__ import annotations

import base64
import json
import math
import re
import time
from collections import Counter
from typing import Any, Iterable
from urllib.parse import parse_qsl, urlsplit

import joserfc.jwk
import joserfc.jwt
import jwcrypto.jwk
import jwcrypto.jwt
import jwt as pyjwt

from .tokens import left_half_hash

YEAR = 365 * 24 * 3600

#: What an error at the redirect URI may carry.
ERROR_PARAMETERS = {"error", "error_description", "error_uri", "state", "session_state", "iss"}

#: Members of an ID Token that belong to the protocol; no other claim is sent unasked in a code flow.
PROTOCOL_CLAIMS = {
    "iss",
    "sub",
    "aud",
    "exp",
    "iat",
    "nbf",
    "jti",
    "auth_time",
    "nonce",
    "acr",
    "amr",
    "azp",
    "at_hash",
    "c_hash",
    "sid",
    "txn",
}

#: Every authorization error code of RFC 6749 §4.1.2.1, Core §3.1.2.6 and §5.5.1.1 (that one by its own specification).
AUTHORIZATION_ERRORS = {
    "invalid_request",
    "unauthorized_client",
    "access_denied",
    "unsupported_response_type",
    "invalid_scope",
    "server_error",
    "temporarily_unavailable",
    "interaction_required",
    "unmet_authentication_requirements",
    "login_required",
    "account_selection_required",
    "consent_required",
    "invalid_request_uri",
    "invalid_request_object",
    "request_not_supported",
    "request_uri_not_supported",
    "registration_not_supported",
}

#: Every token error code of RFC 6749 §5.2, and what stands for a server that cannot answer now.
TOKEN_ERRORS = {
    "invalid_request",
    "invalid_client",
    "invalid_grant",
    "unauthorized_client",
    "unsupported_grant_type",
    "invalid_scope",
    "server_error",
    "temporarily_unavailable",
}

#: The claims a scope brings (Core §5.4).
SCOPE_CLAIMS = {
    "profile": {
        "name",
        "family_name",
        "given_name",
        "middle_name",
        "nickname",
        "preferred_username",
        "profile",
        "picture",
        "website",
        "gender",
        "birthdate",
        "zoneinfo",
        "locale",
        "updated_at",
    },
    "email": {"email", "email_verified"},
    "address": {"address"},
    "phone": {"phone_number", "phone_number_verified"},
}
ADDRESS_MEMBERS = {"formatted", "street_address", "locality", "region", "postal_code", "country"}

NO_UI_POSSIBLE = {"login_required", "interaction_required", "account_selection_required", "consent_required"}


# MARK: Small tools


def entropy_bits(text: str) -> float:
    """The Shannon estimate the suite uses: entropy per character of this text, times its length."""
    counts = Counter(text)
    return -sum(n * math.log2(n / len(text)) for n in counts.values())


def is_base64url(text: str) -> bool:
    return re.fullmatch(r"[A-Za-z0-9_-]+", text) is not None


def decode_base64url(text: str) -> bytes:
    assert is_base64url(text), f"not unpadded base64url: {text[:20]!r}"
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def media_type(response: Any) -> str:
    return response.headers.get("content-type", "").split(";")[0].strip().lower()


def query_of(url: str) -> dict[str, str]:
    """The query of a redirect as a dictionary; nothing may occur twice."""
    pairs = parse_qsl(urlsplit(url).query, keep_blank_values=True, strict_parsing=True, errors="strict")
    names = [name for name, _ in pairs]
    assert len(names) == len(set(names)), f"repeated parameter in the answer: {sorted(names)}"
    return dict(pairs)


def check_unguessable(text: str, what: str) -> None:
    assert re.fullmatch(r"[\x21-\x7e]+", text), f"{what}: not printable ASCII"
    assert len(text) * 8 >= 128, f"{what}: shorter than 128 bits"
    assert entropy_bits(text) > 96, f"{what}: the Shannon estimate is {entropy_bits(text):.0f} bits"


def check_description(text: str) -> None:
    """RFC 6749 §5.2 and §4.1.2.1: %x20-21 / %x23-5B / %x5D-7E."""
    assert re.fullmatch(r"[\x20\x21\x23-\x5b\x5d-\x7e]+", text), f"illegal character in error_description: {text!r}"


def check_error_uri(text: str) -> None:
    assert re.fullmatch(r"[\x21\x23-\x5b\x5d-\x7e]+", text) and urlsplit(text).scheme in {"http", "https"}, (
        f"bad error_uri: {text!r}"
    )


# MARK: Keys


def check_jwks(document: Any) -> None:
    """Setup of every module: the key set is public, complete, and each key can be told from the others."""
    assert isinstance(document, dict) and isinstance(document.get("keys"), list) and document["keys"], "no `keys`"
    kids = []
    for key in document["keys"]:
        assert isinstance(key, dict)
        kid = key.get("kid")
        assert isinstance(kid, str) and kid.strip(), "a key without kid"
        kids.append(kid)
        for member in ("d", "p", "q", "dp", "dq", "qi", "oth", "k"):
            assert member not in key, f"private member {member!r} is published"
        assert key.get("kty") in {"RSA", "EC", "OKP"}, f"unknown or symmetric kty {key.get('kty')!r}"
        needed = {"RSA": ("n", "e"), "EC": ("crv", "x", "y"), "OKP": ("crv", "x")}[key["kty"]]
        for member in needed:
            assert isinstance(key.get(member), str), f"{key['kty']} key without {member}"
            if member != "crv":
                decode_base64url(key[member])
        if key["kty"] == "RSA":
            modulus = decode_base64url(key["n"])
            assert modulus[0] != 0, "n has leading zero octets (RFC 7518 §6.3.1.1)"
            assert len(modulus) * 8 >= 2048, "RSA key below 2048 bits"
            assert int.from_bytes(decode_base64url(key["e"])) >= 65537
        if key["kty"] == "EC":
            size = {"P-256": 32, "P-384": 48, "P-521": 66}[key["crv"]]
            assert len(decode_base64url(key["x"])) == len(decode_base64url(key["y"])) == size, (
                "EC coordinate of wrong length"
            )
        assert key.get("use", "sig") in {"sig", "enc"}
        assert key.get("alg") in {None, "RS256", "PS256", "ES256", "EdDSA"}, f"unknown alg {key.get('alg')!r}"
        assert (
            key.get("alg") is None
            or {"RS256": "RSA", "PS256": "RSA", "ES256": "EC", "EdDSA": "OKP"}[key["alg"]] == key["kty"]
        )
        # Three libraries can read it.
        joserfc.jwk.import_key(key)
        pyjwt.PyJWK(key, algorithm=key.get("alg"))
        assert not jwcrypto.jwk.JWK(**key).has_private
    assert len(kids) == len(set(kids)), "a kid occurs twice"


# MARK: Front channel


def check_iss(parameters: dict[str, str], issuer: str) -> None:
    """RFC 9207 §2: in every answer, to the letter."""
    assert parameters.get("iss") == issuer, f"iss is {parameters.get('iss')!r}"


def check_landing(url: str, redirect_uri: str) -> dict[str, str]:
    """The answer went to exactly the redirect URI, its own query is intact, and nothing is in the fragment."""
    assert "#" not in url, "something in the fragment"
    assert url.startswith(redirect_uri), f"answer went elsewhere: {url.split('?')[0]}"
    rest = url[len(redirect_uri) :]
    assert rest[:1] == ("&" if "?" in redirect_uri else "?"), f"the redirect URI was changed: {url.split('?')[0]}"
    parameters = query_of(url)
    for name, value in parse_qsl(urlsplit(redirect_uri).query, keep_blank_values=True):
        assert parameters.pop(name, None) == value, f"query parameter {name!r} of the redirect URI was lost"
    return parameters


def check_success_redirect(url: str, *, redirect_uri: str, issuer: str, state: str | None) -> str:
    """Front channel, success. Returns the code."""
    parameters = check_landing(url, redirect_uri)
    assert "error" not in parameters, f"{parameters['error']}: {parameters.get('error_description')}"
    assert "error_description" not in parameters
    assert parameters.get("state") == state, "state came back changed"
    check_iss(parameters, issuer)
    code = parameters.get("code")
    assert code, "no code"
    check_unguessable(code, "code")
    assert set(parameters) <= {"code", "state", "iss"}, f"unexpected parameters: {sorted(parameters)}"
    return code


def check_redirect_error(
    url: str, *, redirect_uri: str, issuer: str, state: str | None, errors: Iterable[str] = AUTHORIZATION_ERRORS
) -> dict[str, str]:
    """RE: an error at the redirect URI."""
    parameters = check_landing(url, redirect_uri)
    assert "code" not in parameters, "a code beside or instead of an error"
    assert "error" in parameters, f"no error: {sorted(parameters)}"
    assert parameters["error"] in set(errors), (
        f"{parameters['error']} ({parameters.get('error_description')}), wanted {sorted(errors)}"
    )
    assert parameters.get("state") == state, "state came back changed"
    check_iss(parameters, issuer)
    assert set(parameters) <= ERROR_PARAMETERS, f"unexpected parameters: {sorted(set(parameters) - ERROR_PARAMETERS)}"
    if "error_description" in parameters:
        check_description(parameters["error_description"])
    if "error_uri" in parameters:
        check_error_uri(parameters["error_uri"])
    return parameters


def check_page_headers(response: Any) -> None:
    """Every page: no framing, no inline script, no leaking referrer, no cache (Core §3.1.2.3, RFC 6749 §10.13, RFC
    9700 §4.16).
    """
    assert media_type(response) == "text/html", f"not a page: {media_type(response)}"
    directives = {}
    for part in response.headers.get("content-security-policy", "").split(";"):
        words = part.split()
        if words:
            directives[words[0].lower()] = words[1:]
    assert directives.get("frame-ancestors") == ["'none'"], "frame-ancestors is not 'none'"
    assert directives.get("default-src", ["*"]) == ["'none'"], f"default-src is {directives.get('default-src')}"
    for name, values in directives.items():
        assert "'unsafe-inline'" not in values and "'unsafe-eval'" not in values, f"{name} allows inline code"
        assert "*" not in values, f"{name} allows everything"
    assert "base-uri" in directives, "no base-uri"
    assert response.headers.get("x-frame-options", "").upper() == "DENY"
    assert response.headers.get("x-content-type-options") == "nosniff"
    assert response.headers.get("referrer-policy") in {"no-referrer", "same-origin", "strict-origin", "origin"}
    assert "no-store" in response.headers.get("cache-control", "")
    assert "access-control-allow-origin" not in response.headers, "CORS on a page"


def check_error_page(response: Any, *, statuses: Iterable[int] = (400,)) -> str:
    """The provider's own page, no redirect. Returns its text."""
    assert response.status_code in set(statuses), f"status {response.status_code}"
    assert "location" not in response.headers, "redirected"
    assert "refresh" not in response.headers, "redirected by a Refresh header"
    check_page_headers(response)
    assert not re.search(r"http-equiv\s*=\s*[\"']?refresh", response.text, re.IGNORECASE), (
        "redirected by a meta element"
    )
    return response.text


# MARK: Token endpoint


def check_no_store(response: Any) -> None:
    """RFC 6749 §5.1. The suite looks for the item `no-store`, case as here."""
    items = [item.strip() for item in response.headers.get("cache-control", "").split(",")]
    assert "no-store" in items, f"Cache-Control: {response.headers.get('cache-control')}"


def check_json(response: Any) -> Any:
    assert media_type(response) == "application/json", f"Content-Type: {response.headers.get('content-type')}"

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        assert len(names) == len(set(names)), f"repeated members: {names}"
        return dict(pairs)

    return json.loads(response.content.decode("utf-8"), object_pairs_hook=unique)


def check_token_answer(response: Any, *, id_token: bool = True, refresh_token: bool | None = None) -> dict[str, Any]:
    """Token answer: 200 with everything RFC 6749 §5.1 and Core §3.1.3.3 ask for."""
    assert response.status_code == 200, f"{response.status_code}: {response.text}"
    answer = check_json(response)
    check_no_store(response)
    assert "error" not in answer
    assert isinstance(answer.get("access_token"), str)
    check_unguessable(answer["access_token"], "access token")
    assert isinstance(answer.get("token_type"), str) and answer["token_type"].lower() == "bearer"
    expires_in = answer.get("expires_in")
    assert type(expires_in) is int and 0 < expires_in <= YEAR, f"expires_in is {expires_in!r}"
    if id_token:
        assert isinstance(answer.get("id_token"), str), "no ID Token"
    if refresh_token is not None:
        assert ("refresh_token" in answer) == refresh_token, f"refresh token: {'refresh_token' in answer}"
    if "refresh_token" in answer:
        check_unguessable(answer["refresh_token"], "refresh token")
    if "scope" in answer:
        assert isinstance(answer["scope"], str) and re.fullmatch(
            r"[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*", answer["scope"]
        )
    return answer


def check_token_error(response: Any, *errors: str, status: int | None = None) -> dict[str, Any]:
    """TE: an error at the token endpoint (RFC 6749 §5.2)."""
    body = check_json(response)
    assert isinstance(body, dict) and isinstance(body.get("error"), str), (
        f"no error: {response.status_code} {sorted(body)}"
    )
    assert body["error"] in (set(errors) or TOKEN_ERRORS), f"{response.status_code} {body}, wanted {errors}"
    if status is not None:
        assert response.status_code == status, f"status {response.status_code}"
    elif body["error"] == "invalid_client":
        assert response.status_code in {400, 401}, f"status {response.status_code}"
    elif body["error"] in {"server_error", "temporarily_unavailable"}:
        assert response.status_code == 503, f"status {response.status_code}"
    else:
        assert response.status_code == 400, f"status {response.status_code}"
    check_no_store(response)
    for member in ("access_token", "id_token", "refresh_token"):
        assert member not in body, f"{member} in an error"
    if "error_description" in body:
        check_description(body["error_description"])
    if "error_uri" in body:
        check_error_uri(body["error_uri"])
    return body


# MARK: Claims about the person


def claims_of(scope: str) -> set[str]:
    """What a scope lets an app know, `sub` apart."""
    return {claim for name in scope.split() for claim in SCOPE_CLAIMS.get(name, ())}


def check_person_claims(claims: dict[str, Any], *, now: float | None = None) -> None:
    """The standard claims among these have the JSON type of Core §5.1 and say something."""
    now = time.time() if now is None else now
    for name, value in claims.items():
        assert value is not None and value not in ("", "null") and value != {} and value != [], f"{name} is empty"
    for name in {claim for scope in SCOPE_CLAIMS.values() for claim in scope} & set(claims):
        value = claims[name]
        if name in {"email_verified", "phone_number_verified"}:
            assert type(value) is bool, f"{name} is {value!r}"
        elif name == "updated_at":
            assert type(value) is int and 631_152_000 < value <= now + 5, f"updated_at is {value!r}"
        elif name == "address":
            assert isinstance(value, dict) and set(value) <= ADDRESS_MEMBERS, f"address is {value!r}"
            assert all(isinstance(part, str) and part for part in value.values()), f"address is {value!r}"
        else:
            assert isinstance(value, str), f"{name} is {value!r}"
    if "birthdate" in claims:
        assert re.fullmatch(r"\d{4}(-\d{2}-\d{2})?", claims["birthdate"]), claims["birthdate"]
    if "email" in claims:
        assert re.fullmatch(r"[^@\s]+@[^@\s]+", claims["email"]), claims["email"]
    for name in {"profile", "picture", "website"} & set(claims):
        assert urlsplit(claims[name]).scheme in {"http", "https"}, claims[name]
    for source in claims.get("_claim_names", {}).values():
        assert source in claims.get("_claim_sources", {}), f"_claim_names names no source: {source!r}"


# MARK: Userinfo


def check_userinfo(
    response: Any, *, sub: str, claims: Iterable[str] | None = None, all_of_them: bool = True
) -> dict[str, Any]:
    """A userinfo answer (Core §5.3.2).

    `claims`: what the app may know beside `sub`; with `all_of_them` it has to get to know all of it, as a person of whom
    everything is known shows.
    """
    assert response.status_code == 200, f"{response.status_code}: {response.text}"
    answer = check_json(response)
    check_no_store(response)
    check_answered_claims(answer, sub=sub, claims=claims, all_of_them=all_of_them)
    return answer


def check_signed_userinfo(
    response: Any,
    jwks: dict[str, Any],
    *,
    issuer: str,
    client_id: str,
    sub: str,
    claims: Iterable[str] | None = None,
    all_of_them: bool = True,
) -> dict[str, Any]:
    """The same as a JWT (Core §5.3.2): iss and aud beside, and nothing that would make an ID Token of it."""
    assert response.status_code == 200, f"{response.status_code}: {response.text}"
    assert media_type(response) == "application/jwt", response.headers.get("content-type")
    check_no_store(response)
    _, answer = verify_signature(response.content.decode("ascii"), jwks)
    assert answer.get("iss") == issuer, f"iss is {answer.get('iss')!r}"
    check_audience(answer, client_id)
    for member in ("nonce", "exp", "at_hash", "auth_time"):
        assert member not in answer, f"{member} in a userinfo answer"
    person = {name: value for name, value in answer.items() if name not in {"iss", "aud", "iat", "jti"}}
    check_answered_claims(person, sub=sub, claims=claims, all_of_them=all_of_them)
    return answer


def check_answered_claims(
    answer: Any, *, sub: str, claims: Iterable[str] | None = None, all_of_them: bool = True
) -> None:
    assert isinstance(answer, dict) and "error" not in answer
    assert answer.get("sub") == sub, f"sub is {answer.get('sub')!r}, in the ID Token {sub!r}"
    check_person_claims(answer)
    if claims is None:
        return
    allowed = {"sub", *claims}
    assert set(answer) <= allowed, f"claims nobody granted: {sorted(set(answer) - allowed)}"
    if all_of_them:
        assert set(answer) == allowed, f"claims are missing: {sorted(allowed - set(answer))}"


def check_bearer_error(response: Any, status: int, error: str | None, *, scope: str | None = None) -> dict[str, Any]:
    """RFC 6750 §3: the challenge and, beside it, the same in JSON. Without any token: the challenge alone (§3.1)."""
    assert response.status_code == status, f"{response.status_code}: {response.text}"
    check_no_store(response)
    challenge = response.headers.get("www-authenticate", "")
    assert re.fullmatch(r'Bearer [a-z_]+="[^"\\]*"(, ?[a-z_]+="[^"\\]*")*', challenge), f"challenge: {challenge!r}"
    members = dict(re.findall(r'([a-z_]+)="([^"]*)"', challenge))
    assert members.get("error") == error, f"challenge: {challenge!r}"
    assert members.get("scope") == scope, f"challenge: {challenge!r}"
    if error is None:
        assert "error_description" not in members, "no credentials, no error (§3.1)"
        return {}
    check_description(members["error_description"])
    body = check_json(response)
    assert body["error"] == error and body["error_description"] == members["error_description"]
    assert "sub" not in body
    return body


# MARK: Revocation, introspection, session context


def check_revoked(response: Any) -> None:
    """RFC 7009 §2.2: 200, and nothing that anybody would have to read."""
    assert response.status_code == 200, f"{response.status_code}: {response.text}"
    assert response.content == b""
    check_no_store(response)


def check_inactive(response: Any) -> None:
    """RFC 7662 §2.2: `active` alone, so that nothing can be told from it."""
    assert response.status_code == 200, f"{response.status_code}: {response.text}"
    assert check_json(response) == {"active": False}
    check_no_store(response)


#: What an active answer says, and for access tokens these two beside.
INTROSPECTION_MEMBERS = {"active", "iss", "client_id", "sub", "scope", "auth_time", "acr", "sid", "iat", "exp"}
ACCESS_TOKEN_MEMBERS = {"token_type", "aud"}


def check_active(response: Any, *, issuer: str, claims: dict[str, Any], is_access_token: bool) -> dict[str, Any]:
    """An active answer (RFC 7662 §2.2) about a token that came with an ID Token of these claims."""
    assert response.status_code == 200, f"{response.status_code}: {response.text}"
    answer = check_json(response)
    check_no_store(response)
    assert answer.get("active") is True, answer
    assert set(answer) == INTROSPECTION_MEMBERS | (ACCESS_TOKEN_MEMBERS if is_access_token else set()), set(answer)
    assert (answer["iss"], answer["client_id"]) == (issuer, claims["aud"])
    for member in ("sub", "auth_time", "acr", "sid"):
        assert answer[member] == claims[member], f"{member} is not the ID Token's"
    for member in ("iat", "exp", "auth_time"):
        assert type(answer[member]) is int, f"{member} is {answer[member]!r}"
    assert answer["iat"] - 5 <= time.time() < answer["exp"] and answer["iat"] >= claims["auth_time"]
    assert isinstance(answer["scope"], str) and "openid" in answer["scope"].split()
    if is_access_token:
        assert answer["token_type"] == "Bearer" and isinstance(answer["aud"], list)
        assert answer["aud"][0] == answer["client_id"]
    return answer


def check_session_context(response: Any, *, claims: dict[str, Any]) -> dict[str, Any]:
    """A sign-in that stands, of which an ID Token has these claims."""
    assert response.status_code == 200, f"{response.status_code}: {response.text}"
    answer = check_json(response)
    check_no_store(response)
    times = ("session_expires_at", "reauthenticate_by", "idle_expires_at")
    same = ("sub", "sid", "auth_time", "acr", "amr")
    assert set(answer) == {"active", "client_id", "scope", *same, *times}
    assert answer["active"] is True and answer["client_id"] == claims["aud"]
    assert isinstance(answer["scope"], str) and "openid" in answer["scope"].split()
    for member in same:
        assert answer[member] == claims[member], f"{member} is not the ID Token's"
    for member in times:
        assert type(answer[member]) is int and answer[member] > time.time(), f"{member} is {answer[member]!r}"
    assert answer["session_expires_at"] == min(answer["reauthenticate_by"], answer["idle_expires_at"])
    return answer


# MARK: ID Token


def verify_signature(
    token: str, jwks: dict[str, Any], *, algorithms: Iterable[str] = ("RS256",)
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Header and claims, after three libraries agreed on the one key its `kid` names."""
    algorithms = list(algorithms)
    header = json.loads(decode_base64url(token.split(".")[0]))
    assert header.get("alg") in algorithms, f"alg is {header.get('alg')!r}"
    assert isinstance(header.get("kid"), str) and header["kid"], "no kid in the header"
    for member in ("jwk", "jku", "x5u", "x5c"):
        assert member not in header, f"{member} in the header"
    keys = [key for key in jwks["keys"] if key["kid"] == header["kid"]]
    assert len(keys) == 1, f"{len(keys)} published keys have this kid"
    key = keys[0]
    assert key.get("use", "sig") == "sig" and key.get("alg", header["alg"]) == header["alg"]

    by_joserfc = joserfc.jwt.decode(token, joserfc.jwk.import_key(key), algorithms=algorithms)
    by_pyjwt = pyjwt.decode(
        token,
        pyjwt.PyJWK(key, algorithm=header["alg"]),
        algorithms=algorithms,
        options={"verify_aud": False, "verify_exp": False, "verify_iat": False, "verify_nbf": False},
    )
    by_jwcrypto = jwcrypto.jwt.JWT(algs=algorithms, check_claims=None)
    by_jwcrypto.leeway = 10 * YEAR  # times are judged below
    by_jwcrypto.deserialize(token, jwcrypto.jwk.JWK(**key))
    claims = json.loads(by_jwcrypto.claims)
    assert by_joserfc.claims == by_pyjwt == claims
    return header, claims


def check_audience(claims: dict[str, Any], client_id: str) -> None:
    """Core §2 allows an array; one plain string is what every relying party understands."""
    assert claims.get("aud") == client_id, f"aud is {claims.get('aud')!r}"
    assert claims.get("azp", client_id) == client_id


def check_id_token(
    token: str,
    jwks: dict[str, Any],
    *,
    issuer: str,
    client_id: str,
    nonce: str | None,
    access_token: str | None = None,
    code: str | None = None,
    now: float | None = None,
    auth_time: bool = False,
    extra_claims: Iterable[str] = (),
) -> dict[str, Any]:
    """ID Token: signature, then each claim (Core §2, §3.1.3.7). Returns the claims."""
    now = time.time() if now is None else now
    _, claims = verify_signature(token, jwks)
    assert claims.get("iss") == issuer, f"iss is {claims.get('iss')!r}"
    check_audience(claims, client_id)
    for member in ("exp", "iat", "auth_time", "nbf", "updated_at"):
        if member in claims:
            assert type(claims[member]) is int, f"{member} is {claims[member]!r}"
    for member in ("exp", "iat"):
        assert member in claims, f"no {member}"
    assert now - 300 < claims["exp"] < now + 50 * YEAR, f"exp is {claims['exp'] - now:.0f} s from now"
    assert abs(claims["iat"] - now) < 300, f"iat is {claims['iat'] - now:.0f} s from now"
    assert claims["exp"] > claims["iat"]
    if auth_time:
        assert "auth_time" in claims, "no auth_time"
    if "auth_time" in claims:
        assert now - YEAR < claims["auth_time"] <= now + 5, f"auth_time is {claims['auth_time'] - now:.0f} s from now"
        assert claims["auth_time"] <= claims["iat"] + 1
    if "acr" in claims:
        assert isinstance(claims["acr"], str) and claims["acr"]
    if "amr" in claims:
        assert (
            isinstance(claims["amr"], list)
            and claims["amr"]
            and all(isinstance(item, str) and item for item in claims["amr"])
        )
    if nonce is None:
        assert "nonce" not in claims, "a nonce that nobody sent"
    else:
        assert claims.get("nonce") == nonce, "nonce came back changed"
    assert isinstance(claims.get("sub"), str) and re.fullmatch(r"[\x20-\x7e]{1,255}", claims["sub"]), "sub"
    if "at_hash" in claims and access_token is not None:
        assert claims["at_hash"] == left_half_hash(access_token), "at_hash is not that of this access token"
    if "c_hash" in claims:
        assert code is not None and claims["c_hash"] == left_half_hash(code), "c_hash is not that of this code"
    check_person_claims(claims, now=now)
    unexpected = set(claims) - PROTOCOL_CLAIMS - set(extra_claims)
    assert not unexpected, f"claims in the ID Token that belong to userinfo: {sorted(unexpected)}"
    return claims


# MARK: Discovery

URL_MEMBERS = {
    "authorization_endpoint",
    "token_endpoint",
    "jwks_uri",
    "userinfo_endpoint",
    "registration_endpoint",
    "end_session_endpoint",
    "revocation_endpoint",
    "introspection_endpoint",
    "service_documentation",
    "op_policy_uri",
    "op_tos_uri",
    "check_session_iframe",
    "pushed_authorization_request_endpoint",
}
ARRAY_MEMBERS = {
    "scopes_supported",
    "response_types_supported",
    "response_modes_supported",
    "grant_types_supported",
    "acr_values_supported",
    "subject_types_supported",
    "id_token_signing_alg_values_supported",
    "id_token_encryption_alg_values_supported",
    "id_token_encryption_enc_values_supported",
    "userinfo_signing_alg_values_supported",
    "userinfo_encryption_alg_values_supported",
    "userinfo_encryption_enc_values_supported",
    "request_object_signing_alg_values_supported",
    "request_object_encryption_alg_values_supported",
    "request_object_encryption_enc_values_supported",
    "token_endpoint_auth_methods_supported",
    "token_endpoint_auth_signing_alg_values_supported",
    "display_values_supported",
    "claim_types_supported",
    "claims_supported",
    "claims_locales_supported",
    "ui_locales_supported",
    "code_challenge_methods_supported",
    "prompt_values_supported",
    "revocation_endpoint_auth_methods_supported",
    "introspection_endpoint_auth_methods_supported",
    "dpop_signing_alg_values_supported",
}
BOOLEAN_MEMBERS = {
    "claims_parameter_supported",
    "request_parameter_supported",
    "request_uri_parameter_supported",
    "require_request_uri_registration",
    "authorization_response_iss_parameter_supported",
    "require_pushed_authorization_requests",
    "backchannel_logout_supported",
    "backchannel_logout_session_supported",
    "frontchannel_logout_supported",
    "frontchannel_logout_session_supported",
    "tls_client_certificate_bound_access_tokens",
}


def check_discovery(document: Any, *, issuer: str, secure: bool = False) -> None:
    """oidcc-discovery-endpoint-verification. `secure` demands https, as the suite does; a loopback issuer may be http.
    """
    schemes = {"https"} if secure else {"https", "http"}

    def check_url(value: Any, what: str) -> None:
        assert isinstance(value, str), f"{what} is {value!r}"
        parts = urlsplit(value)
        assert parts.scheme in schemes and parts.hostname, f"{what} is {value!r}"
        assert parts.scheme == "https" or parts.hostname in {"127.0.0.1", "::1", "localhost"}, (
            f"{what}: http beyond loopback"
        )
        assert not parts.username and not parts.fragment and "#" not in value, f"{what} is {value!r}"

    assert isinstance(document, dict)
    assert document.get("issuer") == issuer, f"issuer is {document.get('issuer')!r}"
    check_url(document["issuer"], "issuer")
    assert "?" not in document["issuer"]
    for member, value in document.items():
        if member in URL_MEMBERS or member.endswith("_endpoint"):
            check_url(value, member)
        elif member in BOOLEAN_MEMBERS:
            assert type(value) is bool, f"{member} is {value!r}"
        elif member in ARRAY_MEMBERS or member.endswith("_supported"):
            assert isinstance(value, list) and value, f"{member} is {value!r}: a member without values is left out"
            assert all(isinstance(item, str) and item for item in value), f"{member} is {value!r}"
            assert len(value) == len(set(value)), f"{member} repeats itself"
        elif member not in {"issuer", "mtls_endpoint_aliases", "signed_metadata"}:
            raise AssertionError(f"a member the suite does not know: {member}")
    for member in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
        assert member in document, f"no {member}"
    legal = [
        {"code"},
        {"id_token"},
        {"code", "id_token"},
        {"id_token", "token"},
        {"code", "token"},
        {"code", "id_token", "token"},
    ]
    assert document.get("response_types_supported"), "no response_types_supported"
    for value in document["response_types_supported"]:
        assert set(value.split()) in legal, f"response type {value!r}"
    assert set(document.get("subject_types_supported", [])) <= {"public", "pairwise"} and document.get(
        "subject_types_supported"
    )
    assert "RS256" in document.get("id_token_signing_alg_values_supported", [])
    assert "none" not in document["id_token_signing_alg_values_supported"]
    assert document.get("claims_supported"), "claims_supported is missing (a warning of the suite)"
    assert "openid" in document.get("scopes_supported", [])
    for scope in document["scopes_supported"]:
        assert re.fullmatch(r"[\x21\x23-\x5b\x5d-\x7e]+", scope), f"scope {scope!r}"
    for member in ("ui_locales_supported", "claims_locales_supported"):
        for tag in document.get(member, []):
            assert re.fullmatch(r"[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|\d{3}))?", tag), f"{member}: {tag!r}"
    if "request_object_signing_alg_values_supported" in document:
        assert "RS256" in document["request_object_signing_alg_values_supported"]
    if "userinfo_endpoint" in document:
        assert "RS256" in document.get("userinfo_signing_alg_values_supported", []), "signed userinfo answers"
