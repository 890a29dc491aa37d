"""Clients beside those of the fixtures, for tests that need a redirect URI of their own."""

import json
import tempfile

from .fixtures import Client, client_of
from .oauth import random_text
from .server import Dev


def register(server: Dev, client_id: str, redirect_uris: list[str], *, method: str = "client_secret_basic",
             **metadata: object) -> Client:
    """Adds or changes one client on the running server through `seleid apply`; its secret is made here."""
    raw = {
        "client_id": client_id,
        "client_name": client_id,
        "profile": "seleid",
        "sign_in": True,
        "token_endpoint_auth_method": method,
        "grant_types": ["authorization_code", "refresh_token"],
        "redirect_uris": redirect_uris,
        "scope": "openid profile email",
        **metadata,
    }
    if method != "none":
        raw["client_secret"] = random_text(43)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"clients": [raw]}, file)
        file.flush()
        result = server.admin("apply", "-f", file.name)
    assert result.returncode == 0, result.stderr
    return client_of(raw)
