"""Raw token requests: many at one instant, and people who keep refreshing while things break under the server."""

from __future__ import annotations

import collections
import http.client
import json
import selectors
import socket
import threading
import time
from dataclasses import dataclass, field
from typing import Any, Callable
from urllib.parse import urlencode

from .fixtures import Client
from .flow import basic
from .secrecy import WIRE

TOKEN_PATH = "/oauth/token"


def form_of(client: Client, values: dict[str, str]) -> tuple[bytes, dict[str, str]]:
    """Body and headers of a token request with the client's registered method."""
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    if client.method == "client_secret_basic":
        headers["Authorization"] = basic(client.client_id, client.secret or "")
    else:
        values = values | {"client_id": client.client_id} | ({"client_secret": client.secret} if client.secret else {})
    return urlencode(values).encode(), headers


def refresh_form(client: Client, token: str) -> tuple[bytes, dict[str, str]]:
    return form_of(client, {"grant_type": "refresh_token", "refresh_token": token})


# MARK: All at once


@dataclass
class Answer:
    status: int
    body: dict[str, Any]

    @property
    def error(self) -> str | None:
        return self.body.get("error")


def all_at_once(
    ports: list[int], body: bytes, headers: dict[str, str], count: int, seconds: float = 60
) -> list[Answer]:
    """Sends the same token request `count` times: each on a connection of its own, all but its last byte, and then all
    last bytes.
    """
    lines = [
        f"POST {TOKEN_PATH} HTTP/1.1",
        "Host: 127.0.0.1",
        "Connection: close",
        f"Content-Length: {len(body)}",
        *[f"{name}: {value}" for name, value in headers.items()],
    ]
    request = ("\r\n".join(lines) + "\r\n\r\n").encode() + body
    connections = [
        socket.create_connection(("127.0.0.1", ports[number % len(ports)]), timeout=10) for number in range(count)
    ]
    received: dict[socket.socket, bytes] = {connection: b"" for connection in connections}
    try:
        for connection in connections:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.sendall(request[:-1])
        time.sleep(0.2)  # so that every server has read what was sent
        for connection in connections:
            connection.send(request[-1:])
        deadline = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            for connection in connections:
                connection.setblocking(False)
                selector.register(connection, selectors.EVENT_READ)
            while selector.get_map():
                assert time.monotonic() < deadline, (
                    f"{len(selector.get_map())} requests without an answer after {seconds} s"
                )
                for key, _ in selector.select(1):
                    chunk = key.fileobj.recv(65536)
                    if chunk:
                        received[key.fileobj] += chunk
                    else:
                        selector.unregister(key.fileobj)
    finally:
        for connection in connections:
            connection.close()
    answers = []
    for text in received.values():
        head, _, rest = text.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 "), f"no answer: {text[:80]!r}"
        answer = Answer(int(head.split(b" ", 2)[1]), json.loads(rest))
        WIRE.add(*[value for name, value in answer.body.items() if name.endswith("_token")])
        answers.append(answer)
    return answers


# MARK: People


@dataclass
class Person:
    """Keeps refreshing one family: rotates on success, sends the same token again when the answer was lost or was 503.
    """

    client: Client
    token: str
    grant_id: int
    #: The port to go to, asked anew for each request.
    port: Callable[[], int]
    rotations: int = 0
    previous: str | None = None
    counts: collections.Counter[str] = field(default_factory=collections.Counter)
    problems: list[str] = field(default_factory=list)
    last_success: float = 0.0
    longest_wait: float = 0.0
    _connection: http.client.HTTPConnection | None = None

    def refresh(self, timeout: float = 20) -> bool:
        """One request. Whatever is neither a success, nor a clean 503, nor a closed connection is a problem."""
        port = self.port()
        body, headers = refresh_form(self.client, self.token)
        started = time.monotonic()
        try:
            if self._connection is None or self._connection.port != port:
                self.close()
                self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
            self._connection.request("POST", TOKEN_PATH, body, headers)
            response = self._connection.getresponse()
            text = response.read()
        except TimeoutError:
            self.problems.append(f"no answer in {timeout} s")
            self.close()
            return False
        except (OSError, http.client.HTTPException) as error:
            self.counts[f"closed ({type(error).__name__})"] += 1
            self.close()
            return False
        finally:
            self.longest_wait = max(self.longest_wait, time.monotonic() - started)
        if response.will_close:
            self.close()
        self.counts[str(response.status)] += 1
        try:
            answer = json.loads(text)
        except ValueError:
            self.problems.append(f"{response.status} without JSON")
            return False
        if response.status == 200:
            WIRE.add(answer["refresh_token"], answer["access_token"], answer["id_token"])
            if answer["refresh_token"] == self.token:
                self.problems.append("a refresh gave the same token back")
            self.previous, self.token = self.token, answer["refresh_token"]
            self.rotations += 1
            self.last_success = time.monotonic()
            return True
        if (
            response.status == 503
            and response.getheader("Retry-After")
            and answer.get("error") in ("server_error", "temporarily_unavailable")
        ):
            return False
        self.problems.append(f"{response.status} {answer}")
        return False

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class Crowd:
    """People refreshing side by side until the block ends; then each goes on until a last success, so that no answer
    is open.
    """

    def __init__(self, people: list[Person], pause: float = 0.005) -> None:
        self.people = people
        self.pause = pause
        self._stopping = threading.Event()
        self._threads = [threading.Thread(target=self._live, args=(person,), daemon=True) for person in people]

    def _live(self, person: Person) -> None:
        while not self._stopping.is_set() and not person.problems:
            if not person.refresh():
                time.sleep(0.02)
            time.sleep(self.pause)
        deadline = time.monotonic() + 20
        while not person.problems and not person.refresh():
            if time.monotonic() > deadline:
                person.problems.append("no success any more")
            time.sleep(0.05)

    def wait_for_success(self, since: float, seconds: float) -> float:
        """Until every person has succeeded after `since`; gives how long that took after it."""
        deadline = time.monotonic() + seconds
        while any(person.last_success < since for person in self.people):
            for person in self.people:
                assert not person.problems, person.problems
            assert time.monotonic() < deadline, f"not everybody could refresh within {seconds} s: {self.summary()}"
            time.sleep(0.01)
        return max(person.last_success for person in self.people) - since

    def summary(self) -> dict[str, int]:
        total: collections.Counter[str] = collections.Counter()
        for person in self.people:
            total += person.counts
        return dict(sorted(total.items()))

    def __enter__(self) -> "Crowd":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._stopping.set()
        for thread in self._threads:
            thread.join(60)
        for person in self.people:
            person.close()
        if kind is None:
            assert not any(thread.is_alive() for thread in self._threads)
            problems = [problem for person in self.people for problem in person.problems]
            assert not problems, f"{len(problems)} wrong answers, first: {problems[:3]}"
