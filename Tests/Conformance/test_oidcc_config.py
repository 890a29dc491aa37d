"""The Foundation's Config OP plan, and the set-up every module of its suite begins with."""

from __future__ import annotations

import subprocess

import pytest

from support import Dev
from support.checks import check_discovery, check_json, check_jwks
from support.cluster import Node, json_of
from support.flow import Lab


def test_oidcc_discovery_endpoint_verification(lab: Lab) -> None:
    """On loopback, where the issuer may be http."""
    answer = lab.get("/.well-known/openid-configuration")
    assert answer.status_code == 200
    document = check_json(answer)
    check_discovery(document, issuer=lab.issuer)
    assert "max-age" in answer.headers["Cache-Control"]
    assert "userinfo_endpoint" in document, "missing (a warning of the suite)"


def test_oidcc_discovery_endpoint_verification_with_https(with_path: Node) -> None:
    """As the suite sees it: an https issuer, every URL https."""
    answer = with_path.get("/t1/.well-known/openid-configuration")
    assert answer and answer[0] == 200
    check_discovery(json_of(answer[2]), issuer="https://id.example/t1", secure=True)


def test_oidcc_discovery_endpoint_verification_over_tls() -> None:
    """The same over a real TLS connection, with the certificate verified, and a sign-in with `__Host-` cookies."""
    from support import CLIENTS

    with Dev(tls=True) as dev:
        assert dev.issuer.startswith("https://")
        lab = Lab(dev.issuer, verify=dev.ca)
        check_discovery(lab.discovery, issuer=dev.issuer, secure=True)
        lab.jwks()
        signed = lab.sign_in(CLIENTS["conf1"])
        names = set(signed.browser.session.cookies.get_dict())
        assert names and all(name.startswith("__Host-") for name in names), names
        assert all(cookie.secure for cookie in signed.browser.session.cookies)
        lab.refreshed(signed)
        for version, taken in (("-tls1_3", True), ("-tls1_2", True), ("-tls1_1", False), ("-tls1", False)):
            done = subprocess.run(
                [
                    "openssl",
                    "s_client",
                    "-connect",
                    f"127.0.0.1:{dev.port}",
                    version,
                    "-cipher",
                    "DEFAULT@SECLEVEL=0",
                    "-CAfile",
                    str(dev.ca),
                    "-verify_return_error",
                ],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=20,
                check=False,
            )
            assert (done.returncode == 0) == taken, f"{version}: {done.stdout[-300:]}{done.stderr[-300:]}"
        hsts = lab.get("/.well-known/openid-configuration").headers.get("Strict-Transport-Security")
        assert hsts is None or "max-age" in hsts


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post", "none"])
def test_setup_the_methods_under_test_are_listed(lab: Lab, method: str) -> None:
    assert method in lab.discovery["token_endpoint_auth_methods_supported"]


def test_setup_jwks(lab: Lab) -> None:
    document = lab.jwks()
    check_jwks(document)
    for key in document["keys"]:
        assert key["use"] == "sig" and key["alg"] == "RS256"


def test_setup_documents_answer_head(lab: Lab) -> None:
    for path in (
        "/.well-known/openid-configuration",
        "/.well-known/oauth-authorization-server",
        "/.well-known/jwks.json",
    ):
        get, head = lab.get(path), lab.http("HEAD", lab.issuer + path)
        assert head.status_code == 200 and not head.content
        assert head.headers["Content-Length"] == str(len(get.content))
        assert head.headers["Content-Type"] == get.headers["Content-Type"]


def test_everything_announced_is_true(lab: Lab) -> None:
    """Discovery §3: what is listed works. Values that other tests do not exercise are named here, so that a new one is
    noticed.
    """
    known = {
        "issuer",
        "authorization_endpoint",
        "token_endpoint",
        "jwks_uri",
        "response_types_supported",
        "response_modes_supported",
        "grant_types_supported",
        "subject_types_supported",
        "id_token_signing_alg_values_supported",
        "scopes_supported",
        "claims_supported",
        "claim_types_supported",
        "token_endpoint_auth_methods_supported",
        "code_challenge_methods_supported",
        "request_parameter_supported",
        "request_uri_parameter_supported",
        "claims_parameter_supported",
        "require_request_uri_registration",
        "authorization_response_iss_parameter_supported",
        "ui_locales_supported",
        "acr_values_supported",
        "prompt_values_supported",
        "display_values_supported",
        "service_documentation",
        # With the switches of first.json:
        "userinfo_endpoint",
        "userinfo_signing_alg_values_supported",
        # See test_spec_tokens.py.
        "revocation_endpoint",
        "revocation_endpoint_auth_methods_supported",
        "introspection_endpoint",
        "introspection_endpoint_auth_methods_supported",
        "session_context_endpoint",
    }
    assert not set(lab.discovery) - known, f"new members need tests: {sorted(set(lab.discovery) - known)}"
    assert set(lab.discovery["scopes_supported"]) <= {
        "openid",
        "profile",
        "email",
        "address",
        "phone",
        "offline_access",
    }
    assert lab.discovery["subject_types_supported"] == ["public"]
    assert lab.discovery["id_token_signing_alg_values_supported"] == ["RS256"]
    assert lab.discovery["userinfo_signing_alg_values_supported"] == ["RS256"]
    assert lab.discovery["claims_parameter_supported"] is True
    assert set(lab.discovery.get("prompt_values_supported", [])) <= {"none", "login", "consent", "select_account"}
