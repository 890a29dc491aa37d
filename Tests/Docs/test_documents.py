"""Every command that the documentation shows is run, as a reader would run it: the `sh` blocks of a page in one shell, in
order, against a server of its own. A page whose commands fail is wrong.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from support import CLIENTS, Dev
from support.fixtures import ROOT
from support.flow import Lab
from support.server import clean_environment, find_binary

PAGES = ("register-an-app", "api-reference", "errors-and-security", "operations")
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: str) -> list[str]:
    return BLOCK.findall((ROOT / "Docs" / f"{page}.md").read_text())


def refusals_said(block: str) -> str:
    """`!` before a command says that it is refused, which is exit code 1: the shell would take any, or none."""
    return re.sub(r"^! (.*)$", r"code=0; \1 || code=$?; [ $code -eq 1 ]", block, flags=re.MULTILINE)


def reader(dev: Dev, folder: Path) -> dict[str, str]:
    """What the pages take for granted: `seleid` at hand, the database's address, and an app that somebody signed in to."""
    programs = folder / "bin"
    programs.mkdir()
    (programs / "seleid").symlink_to(find_binary())
    app = CLIENTS["conf1"]
    signed = Lab(dev.issuer).sign_in(app)
    token = dev.admin("admin-token", "add", "--name", "Reader", "--role", "admin")
    assert token.returncode == 0, token.stderr
    secret = re.search(r"seleid_admin_\S+", token.stdout)
    assert secret, token.stdout
    environment = clean_environment(dev.serve_environment())
    return environment | {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "ISSUER": dev.issuer,
        "CLIENT_ID": app.client_id,
        "CLIENT_SECRET": app.secret or "",
        "ACCESS_TOKEN": signed.access_token,
        "ADMIN_TOKEN": secret.group(),
    }


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_do_what_it_says(page: str, tmp_path: Path) -> None:
    commands = blocks(page)
    assert commands, "the page shows no command"
    with Dev() as dev:
        for feature in ("userinfo", "revocation", "session_context", "introspection"):
            assert dev.admin("switch", "set", feature, "on").returncode == 0
        environment = reader(dev, tmp_path)
        script = "set -euo pipefail\nset -x\n" + "\n".join(refusals_said(block) for block in commands)
        run = subprocess.run(["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True,
                             timeout=110)
    assert run.returncode == 0, f"{run.stdout}\n{run.stderr}"


@pytest.mark.parametrize("page", [*PAGES, "configuration", "architecture"])
def test_links_lead_somewhere(page: str) -> None:
    text = (ROOT / "Docs" / f"{page}.md").read_text()
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", text):
        assert (ROOT / "Docs" / target).exists(), f"{page}.md names {target}, which is not there"
