"""schemathesis reads the served description and tries what it says: no fault of the server's, no undocumented status or
content type, no answer that breaks its schema or lacks a header, nothing accepted that should not be.

All its checks are on but two: `missing_required_header` (none is required but the token's, which `ignored_auth` looks at)
and `object_level_authorization` (everything has one owner). schemathesis.toml says what is expected where a schema cannot.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from support import CLIENTS, Dev
from support.admin import AdminAPI, add_token, web_app
from support.flow import Lab
from support.server import clean_environment

CONFIG = Path(__file__).parent / "schemathesis.toml"
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "positive_data_acceptance",
    "unsupported_method",
    "allow_header_conformance",
    "use_after_free",
    "ensure_resource_availability",
    "ignored_auth",
)


def keep(dev: Dev, token_id: int) -> None:
    """Makes revoking the token that schemathesis works with do nothing, which it would come upon sooner or later."""
    with psycopg.connect(dev.database_url, autocommit=True) as database:
        database.execute("CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'")
        database.execute(
            "CREATE TRIGGER keep BEFORE UPDATE OF revoked_at ON admin_tokens"
            f" FOR EACH ROW WHEN (OLD.id = {token_id:d}) EXECUTE FUNCTION keep()"
        )


@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    ("phases", "more"),
    # The last follows links from answer to request for as long as it is given.
    [("examples,coverage,fuzzing", []), ("stateful", ["--max-time", "40"])],
    ids=["each request by itself", "requests that follow from answers"],
)
def test_the_server_does_what_its_description_says(phases: str, more: list[str], tmp_path: Path) -> None:
    # What it may ruin is its own.
    with Dev() as dev:
        api = AdminAPI(dev, add_token(dev))
        keep(dev, api.json("GET", "/me")["id"])
        # Something to be found: sessions, grants and consents, and tokens that may go.
        lab = Lab(dev.issuer)
        for name in ("conf1", "conf2"):
            lab.sign_in(CLIENTS[name])
        api("PUT", "/clients/shop", web_app(), expect=201)

        command = [
            str(Path(sys.executable).parent / "schemathesis"), "--config-file", str(CONFIG), "run",
            f"{dev.issuer}/admin/v1/openapi.yaml", "--url", f"{dev.issuer}/admin/v1", "--phases", phases,
            "--header", f"Authorization: Bearer {api.token}", "--checks", ",".join(CHECKS), *more,
        ]
        done = subprocess.run(
            command, cwd=tmp_path, env=clean_environment(), capture_output=True, text=True, timeout=300, check=False
        )
        api("GET", "/me", expect=200)  # else all the rest was 401, and proved nothing
        tried = {name: len(api.events(event=name)) for name in ("client.created", "account.created")}

    lines = [line[:400] for line in done.stdout.splitlines()]
    assert done.returncode == 0, "\n".join(lines[-400:])
    assert "No issues found" in done.stdout, "\n".join(lines[-40:])
    assert all(tried.values()), f"hardly anything was done: {tried}"
