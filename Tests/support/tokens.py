"""Verdicts on ID Tokens by joserfc, never by the project's own code."""

import hashlib
import time

import requests
from joserfc import jwt
from joserfc.jwk import KeySet

from .oauth import b64url

CLOCK_SLACK = 5


def fetch_jwks(url: str, verify: str | bool = True) -> KeySet:
    answer = requests.get(url, timeout=10, verify=verify)
    answer.raise_for_status()
    return KeySet.import_key_set(answer.json())


def left_half_hash(value: str) -> str:
    """at_hash of an RS256 token (OpenID Connect Core §3.1.3.6)."""
    digest = hashlib.sha256(value.encode()).digest()
    return b64url(digest[: len(digest) // 2])


def verify_id_token(token: str, jwks: KeySet, *, issuer: str, client_id: str, nonce: str | None = None,
                    access_token: str | None = None, algorithm: str = "RS256") -> dict:
    """Signature by `kid`, then the checks of OpenID Connect Core §3.1.3.7; gives the claims."""
    decoded = jwt.decode(token, jwks, algorithms=[algorithm])
    assert decoded.header["alg"] == algorithm
    assert decoded.header.get("kid"), "no kid in the header"
    assert any(key.kid == decoded.header["kid"] for key in jwks.keys)
    claims, now = decoded.claims, time.time()
    assert claims["iss"] == issuer
    audience = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
    assert client_id in audience
    assert claims.get("azp", client_id) == client_id
    for name in ("exp", "iat"):
        assert type(claims[name]) is int, f"{name} is not a whole number of seconds"
    assert now - CLOCK_SLACK < claims["exp"] < now + 86_400
    assert abs(claims["iat"] - now) < 300
    assert 0 < len(claims["sub"]) <= 255 and claims["sub"].isascii() and claims["sub"].isprintable()
    if nonce is None:
        assert "nonce" not in claims
    else:
        assert claims["nonce"] == nonce
    if access_token is not None and "at_hash" in claims:
        assert claims["at_hash"] == left_half_hash(access_token)
    return claims
