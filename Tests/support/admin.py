"""The admin API, as an admin's own script uses it."""

from __future__ import annotations

import re
from typing import Any

import requests

from .cluster import Node
from .secrecy import WIRE


def make_admin_token(node: Node, role: str = "admin") -> str:
    """A token made by the command line on the node's database."""
    done = node.run("admin-token", "add", "--name", f"test {role}", "--role", role)
    found = re.search(r"seleid_admin_\S+", done.stdout)
    assert found, done.stdout
    WIRE.add(found.group())
    return found.group()


class Admin:
    """An admin who works through one node."""

    def __init__(self, node: Node, token: str) -> None:
        self.base = f"http://127.0.0.1:{node.port}/admin/v1"
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
