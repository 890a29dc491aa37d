"""The admin API, as an admin's own script uses it, and as a test that looks at every answer."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import requests

from .cluster import Node
from .secrecy import WIRE
from .server import Dev

BASE = "/admin/v1"

# MARK: Tokens


def make_admin_token(node: Node, role: str = "admin") -> str:
    """A token made by the command line on the node's database."""
    return told(node.run("admin-token", "add", "--name", f"test {role}", "--role", role).stdout)


def add_token(
    server: Dev, role: str = "admin", *, areas: list[str] | None = None, name: str | None = None,
    expires_in: str | None = None,
) -> str:
    """The text of a new token, from the command line; `expires_in` as there, such as 1h."""
    options = [word for area in areas or [] for word in ("--area", area)]
    if expires_in:
        options += ["--expires-in", expires_in]
    done = server.admin("admin-token", "add", "--name", name or role, "--role", role, *options)
    assert done.returncode == 0, done.stderr
    return told(done.stdout)


def told(output: str) -> str:
    """The text of the token in what the command printed."""
    found = re.search(r"seleid_admin_\S+", output)
    assert found, output
    WIRE.add(found.group())
    return found.group()


# MARK: Callers


class Admin:
    """An admin who works through one node."""

    def __init__(self, node: Node, token: str) -> None:
        self.base = f"http://127.0.0.1:{node.port}{BASE}"
        self.token = token

    def call(self, method: str, path: str, body: Any = None, seconds: float = 30) -> requests.Response:
        """One request on a connection of its own, so that any loop of the node may take it."""
        return requests.request(
            method, self.base + path, json=body, headers={"Authorization": f"Bearer {self.token}"}, timeout=seconds
        )

    def done(self, method: str, path: str, body: Any = None) -> Any:
        answer = self.call(method, path, body)
        assert answer.status_code in (200, 201, 204), f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def switch(self, name: str, state: str) -> None:
        """Turns a switch for everybody; every node obeys when this returns."""
        assert self.done("PUT", f"/switches/{name}", {"state": state})["state"] == state

    def client_switch(self, client_id: str, name: str, is_on: bool | None) -> None:
        """Turns a client's own switch."""
        body = {"sign_in": is_on} if name == "sign_in" else {"switches": {name: is_on}}
        self.done("PATCH", f"/clients/{client_id}", body)


@dataclass
class AdminAPI:
    """Calls the admin API with one token, and looks at what every answer of it must be like."""

    server: Dev | Node
    token: str | None
    #: Where the node is, if that is not where the issuer says.
    node: str | None = None
    session: requests.Session = field(default_factory=requests.Session)

    def url(self, path: str) -> str:
        return (self.node or self.server.issuer).rstrip("/") + BASE + path

    def __call__(
        self, method: str, path: str, body: Any = None, *, expect: int | tuple[int, ...], raw: bytes | None = None,
        headers: dict[str, str] | None = None, **query: str | int,
    ) -> requests.Response:
        """`path` as it goes over the wire; `expect` is the status, or one of several."""
        fields = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        if raw is not None or body is not None:
            fields["Content-Type"] = "application/merge-patch+json" if method == "PATCH" else "application/json"
        content = raw if raw is not None else None if body is None else json.dumps(body).encode()
        url = self.url(path) + ("?" + urlencode(query) if query else "")
        request = requests.Request(method, url, data=content, headers=fields | (headers or {}))
        prepared = self.session.prepare_request(request)
        prepared.url = url  # as it is: requests would tidy up the path
        response = self.session.send(prepared, timeout=30)
        expected = expect if isinstance(expect, tuple) else (expect,)
        assert response.status_code in expected, f"{method} {path}: {response.status_code} {response.text[:1000]}"
        check_answer(response)
        if self.token:
            assert self.token not in response.text
        return response

    def json(self, method: str, path: str, body: Any = None, *, expect: int = 200, **query: str | int) -> Any:
        return self(method, path, body, expect=expect, **query).json()

    def items(self, path: str, **query: str | int) -> list[dict[str, Any]]:
        return self.json("GET", path, **query)["items"]

    def events(self, **query: str | int) -> list[dict[str, Any]]:
        """What the audit record has, the newest first."""
        return self.items("/audit", limit=200, **query)

    def problem(
        self, method: str, path: str, body: Any = None, *, expect: int, **options: Any
    ) -> tuple[str, list[tuple[str, str]]]:
        """The detail of a problem, and its fields with the reasons."""
        document = self(method, path, body, expect=expect, **options).json()
        return document["detail"], [(error["field"], error["reason"]) for error in document.get("errors", [])]


#: The last part of a problem's type, for each status.
PROBLEMS = {
    400: "bad-request",
    401: "unauthorized",
    403: "forbidden",
    404: "not-found",
    405: "method-not-allowed",
    409: "conflict",
    412: "has-changed",
    415: "wrong-media-type",
    422: "invalid",
    503: "unavailable",
}


def check_answer(response: requests.Response) -> None:
    """No answer of the admin API may be stored, or read by scripts of other origins; errors are problem documents."""
    assert response.headers.get("Cache-Control") == "no-store" or response.status_code == 413
    assert not [name for name in response.headers if name.lower().startswith("access-control-")]
    if response.status_code < 400 or response.status_code == 413 or response.request.method == "HEAD":
        return
    assert response.headers["Content-Type"] == "application/problem+json"
    document = response.json()
    assert document["status"] == response.status_code
    assert document["type"] == f"urn:seleid:problem:{PROBLEMS[response.status_code]}"
    assert document["request_id"] == response.headers["X-Request-Id"]
    assert document["title"] and document["detail"]
    challenge = response.headers.get("WWW-Authenticate")
    assert (challenge is not None) == (response.status_code in (401, 403))


def web_app(**changes: Any) -> dict[str, Any]:
    """The body of a registration; None leaves a member out."""
    body = {"client_name": "Shop", "redirect_uris": ["https://shop.example/cb"]} | changes
    return {name: value for name, value in body.items() if value is not None}
