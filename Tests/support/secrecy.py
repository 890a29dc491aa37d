"""Remembers everything secret that went over the wire in a run, to look for it in the logs afterwards."""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path
from typing import Any, Iterator
from urllib.parse import parse_qsl, unquote, urlsplit

import requests

#: Shorter values could stand in a log by chance.
SHORTEST = 16

#: Parameters whose values must never be written down.
FORM_SECRETS = {
    "password",
    "code",
    "code_verifier",
    "client_secret",
    "refresh_token",
    "id_token_hint",
    "request",
    "assertion",
    "access_token",
    "id_token",
    "token",
    "state",
    "nonce",
    "code_challenge",
}
JSON_SECRETS = {
    "access_token",
    "refresh_token",
    "id_token",
    "accessToken",
    "refreshToken",
    "idToken",
    # Of the admin API: what is told once, and what is set.
    "client_secret",
    "token",
    "password",
}


class Wire:
    """What was sent and received, reduced to what must not reach a log."""

    def __init__(self) -> None:
        self.secrets: set[str] = set()
        self.logs: set[Path] = set()

    def add(self, *values: str | None) -> None:
        for value in values:
            if value and len(value) >= SHORTEST:
                self.secrets.add(value)

    def add_query(self, query: str) -> None:
        self.add(query)
        for name, value in parse_qsl(query, keep_blank_values=True, errors="replace"):
            if name in FORM_SECRETS:
                self.add(value)

    def add_exchange(self, request: requests.PreparedRequest, response: requests.Response) -> None:
        self.add_query(urlsplit(request.url or "").query)
        body = request.body.decode("utf-8", "replace") if isinstance(request.body, bytes) else request.body
        if isinstance(body, str):
            kind = request.headers.get("Content-Type", "")
            self.add_json(body) if "json" in kind else self.add_query(body)
        self.add(request.headers.get("Authorization", "").partition(" ")[2])
        for header in (request.headers.get("Cookie", ""), response.headers.get("Set-Cookie", "")):
            for value in re.findall(r"=\"?([^;,\"\s]+)", header):
                self.add(value)
        self.add_query(urlsplit(response.headers.get("Location", "")).query)
        if response.headers.get("Content-Type", "").startswith("application/json"):
            self.add_json(response.text)

    def add_json(self, text: str) -> None:
        with contextlib.suppress(ValueError):
            document = json.loads(text)
            if isinstance(document, dict):
                self.add(*[value for name, value in document.items() if name in JSON_SECRETS and isinstance(value, str)])

    @contextlib.contextmanager
    def listening(self) -> Iterator["Wire"]:
        """Records every exchange of `requests` in the block."""
        original = requests.Session.send
        wire = self

        def send(session: requests.Session, request: requests.PreparedRequest, **options: Any) -> requests.Response:
            response = original(session, request, **options)
            wire.add_exchange(request, response)
            return response

        requests.Session.send = send  # type: ignore[method-assign]
        try:
            yield self
        finally:
            requests.Session.send = original  # type: ignore[method-assign]

    def found_in(self, text: str) -> list[str]:
        """Secrets that occur in a log, each cut short."""
        starts: dict[str, list[str]] = {}
        for secret in self.secrets:
            starts.setdefault(secret[:SHORTEST], []).append(secret)
        # Each word once, and decoded: far less to search than the log itself. Passphrases hold blanks and are looked for apart.
        words = set(re.findall(rf"\S{{{SHORTEST},}}", text))
        words |= {unquote(word) for word in words if "%" in word}
        found = {secret for secret in self.secrets if " " in secret and secret in text}
        for word in words:
            for position in range(len(word) - SHORTEST + 1):
                for secret in starts.get(word[position : position + SHORTEST], ()):
                    if word.startswith(secret, position):
                        found.add(secret)
        return [secret[:6] + "…" for secret in sorted(found)]

    def check_logs(self) -> None:
        assert len(self.secrets) > 10, "nothing was recorded"
        for path in self.logs:
            text = path.read_text(errors="replace")
            found = self.found_in(text)
            assert not found, f"{path.name}: {len(found)} secrets in the log, e.g. {found[:3]}"


WIRE = Wire()
