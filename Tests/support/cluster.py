"""A PostgreSQL cluster and `seleid serve` processes that a test owns: it may stop, kill, freeze and reconfigure them.

`seleid dev` keeps its PostgreSQL to itself, so tests that pull the database away from the server start their own.
"""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import os
import pathlib
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from typing import Any, Iterator

import psycopg

from .fixtures import FIXTURES
from .secrecy import WIRE
from .server import clean_environment, find_binary, free_port


def wait_until(condition: Any, seconds: float, what: str, interval: float = 0.02) -> Any:
    """Polls until the condition holds and returns what it gave."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {seconds} s: {what}")
        time.sleep(interval)


def children_of(pid: int) -> list[int]:
    with contextlib.suppress(OSError):
        return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


class Cluster:
    """One private PostgreSQL, on TCP loopback and a Unix socket, run as user postgres when we are root."""

    def __init__(self) -> None:
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="seleid-pg-", dir="/tmp"))
        self.data = self.directory / "data"
        self.log = self.directory / "postgres.log"
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None
        self.settings: dict[str, str] = {}
        self._prefix: list[str] = []
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(self.directory, user.pw_uid, user.pw_gid)
            self._prefix = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        self.directory.chmod(0o755)
        subprocess.run(
            [
                *self._prefix,
                self._tool("initdb"),
                "-D",
                str(self.data),
                "-U",
                "seleid",
                "-A",
                "trust",
                "-E",
                "UTF8",
                "--locale=C.UTF-8",
                "--no-sync",
            ],
            check=True,
            stdout=subprocess.DEVNULL,
            cwd="/",
        )

    @staticmethod
    def _tool(name: str) -> str:
        places = sorted(pathlib.Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3]))
        return str(places[-1]) if places else (shutil.which(name) or name)

    def start(self, **settings: str) -> None:
        """Starts and waits until it takes connections. Settings stay for later starts."""
        self.settings |= settings
        deadline = time.monotonic() + 30
        while True:
            options = [word for name, value in self.settings.items() for word in ("-c", f"{name}={value}")]
            with open(self.log, "ab") as log:
                # The tests kill processes, never the kernel, so nothing is lost without fsync.
                self.process = subprocess.Popen(
                    [
                        *self._prefix,
                        self._tool("postgres"),
                        "-D",
                        str(self.data),
                        "-k",
                        str(self.directory),
                        "-p",
                        str(self.port),
                        "-c",
                        "listen_addresses=127.0.0.1",
                        "-c",
                        "fsync=off",
                        *options,
                    ],
                    stdout=log,
                    stderr=log,
                    stdin=subprocess.DEVNULL,
                    cwd="/",
                    start_new_session=True,
                )
            while time.monotonic() < deadline and self.process.poll() is None:
                with contextlib.suppress(psycopg.OperationalError):
                    psycopg.connect(self.url("postgres"), connect_timeout=2).close()
                    return
                time.sleep(0.02)
            # After kill -9 the shared memory of the old one can linger until its last backend is gone.
            if time.monotonic() > deadline:
                raise TimeoutError(f"PostgreSQL did not start: {self.log.read_text()[-2000:]}")
            time.sleep(0.05)

    def stop(self) -> None:
        """A clean, fast shutdown."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """kill -9 of the postmaster and all of its children at once."""
        assert self.process
        children = children_of(self.process.pid)
        self._end(signal.SIGKILL)
        for pid in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def kill_a_backend(self, database: str) -> None:
        """kill -9 of one backend: PostgreSQL then throws out all others and recovers by itself."""
        with self.connect(database) as connection:
            row = connection.execute(
                "SELECT pid FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1",
                (database,),
            ).fetchone()
        if row:
            with contextlib.suppress(ProcessLookupError):
                os.kill(row[0], signal.SIGKILL)

    def _end(self, how: signal.Signals) -> None:
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(timeout=30)

    def __enter__(self) -> "Cluster":
        try:
            self.start()
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def remove(self) -> None:
        self.kill() if self.process else None
        shutil.rmtree(self.directory, ignore_errors=True)

    def url(self, database: str, port: int | None = None, **parameters: str) -> str:
        """A libpq URL over TCP; another port leads through a proxy."""
        query = "&".join(f"{name}={value}" for name, value in parameters.items())
        return f"postgresql://seleid@127.0.0.1:{port or self.port}/{database}" + (f"?{query}" if query else "")

    def connect(self, database: str) -> psycopg.Connection[Any]:
        return psycopg.connect(self.url(database), autocommit=True, connect_timeout=5)

    def create(self, database: str, template: str | None = None) -> None:
        with self.connect("postgres") as connection:
            connection.execute(f'CREATE DATABASE "{database}"' + (f' TEMPLATE "{template}"' if template else ""))


class Node:
    """One `seleid serve` process. Several may share a database and a port."""

    def __init__(
        self,
        directory: pathlib.Path,
        database_url: str,
        *,
        issuer: str | None = None,
        port: int | None = None,
        environment: dict[str, str] | None = None,
        scheme: str = "http",
        wrapper: list[str] | None = None,
    ) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.directory = directory
        self.port = port or free_port()
        self.issuer = issuer or f"{scheme}://127.0.0.1:{self.port}"
        self.log = directory / f"seleid-{self.port}.log"
        self.wrapper = wrapper or []
        self.process: subprocess.Popen[bytes] | None = None
        self.master_key = directory / "master.key"
        if not self.master_key.exists():
            self.master_key.write_text(base64.urlsafe_b64encode(secrets.token_bytes(32)).rstrip(b"=").decode() + "\n")
            self.master_key.chmod(0o600)
        inherited = {name: value for name, value in clean_environment().items() if not name.startswith("PG")}
        self.environment = (
            inherited
            | {
                "SELEID_ISSUER": self.issuer,
                "SELEID_LISTEN": f"127.0.0.1:{self.port}",
                "SELEID_DATABASE_URL": database_url,
                "SELEID_MASTER_KEY_FILE": str(self.master_key),
                # No load balancer has to see that we leave, unless the test is about that.
                "SELEID_DRAIN_SECONDS": "0",
            }
            | (environment or {})
        )

    def beside(self, *, environment: dict[str, str] | None = None, wrapper: list[str] | None = None) -> "Node":
        """Another process on the same database, with the same issuer and master key; not started yet."""
        return Node(
            self.directory,
            self.environment["SELEID_DATABASE_URL"],
            issuer=self.issuer,
            environment=environment,
            wrapper=wrapper,
        )

    def run(self, *arguments: str, check: bool = True, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
        """A command line of `seleid` with this node's environment."""
        done = subprocess.run(
            [str(find_binary()), *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=60,
            input=stdin,
            check=False,
        )
        if check and done.returncode != 0:
            raise RuntimeError(f"seleid {arguments[0]} exited {done.returncode}: {done.stderr[-2000:]}")
        return done

    def database(self) -> psycopg.Connection[Any]:
        return psycopg.connect(self.environment["SELEID_DATABASE_URL"], autocommit=True, connect_timeout=5)

    def start(self, *, ready: bool = True, seconds: float = 20) -> "Node":
        WIRE.logs.add(self.log)
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [*self.wrapper, str(find_binary()), "serve"],
                env=self.environment,
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        if ready:
            self.wait_ready(seconds)
        return self

    def readiness(self) -> int | None:
        """The status of /readyz; None when nobody answers."""
        answer = self.get("/readyz")
        return answer[0] if answer else None

    def get(
        self, path: str, headers: dict[str, str] | None = None, timeout: float = 5
    ) -> tuple[int, dict[str, str], bytes] | None:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request("GET", path, headers=headers or {})
            response = connection.getresponse()
            return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    def wait_ready(self, seconds: float = 20) -> None:
        def look() -> bool:
            assert self.process
            if self.process.poll() is not None:
                raise RuntimeError(f"seleid serve exited {self.process.returncode}: {self.log_tail()}")
            return self.readiness() == 200

        wait_until(look, seconds, f"ready on port {self.port}: {self.log_tail()}")

    def log_tail(self) -> str:
        return self.log.read_text(errors="replace")[-2000:] if self.log.exists() else ""

    def _signal(self, how: signal.Signals) -> None:
        """To the server itself; a wrapper around it ends when it does."""
        assert self.process
        for pid in children_of(self.process.pid) if self.wrapper else [self.process.pid]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, how)

    def kill(self) -> None:
        if self.process and self.process.poll() is None:
            self._signal(signal.SIGKILL)
            self.process.wait(timeout=10)

    def terminate(self) -> None:
        """SIGTERM: drain and exit."""
        self._signal(signal.SIGTERM)

    def wait(self, seconds: float = 30) -> int:
        assert self.process
        return self.process.wait(timeout=seconds)

    def stop(self) -> None:
        if self.process and self.process.poll() is None:
            self.terminate()
            try:
                self.process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                self.kill()


def serving(cluster: Cluster, directory: pathlib.Path, name: str, **options: Any) -> Node:
    """A node, not started yet, on a database of its own that is migrated and holds first.json."""
    cluster.create(name)
    node = Node(directory, cluster.url(name), **options)
    node.run("migrate")
    node.run("apply", "-f", str(FIXTURES))
    return node


class Proxy:
    """A TCP relay in front of PostgreSQL that can turn into a black hole: connections are taken, nothing ever comes
    back. Or it cuts a single connection, or mutes it, and takes no new ones.

    Single connections are named by their port at PostgreSQL's end (`client_port` of pg_stat_activity).
    """

    def __init__(self, target_port: int) -> None:
        self.target_port = target_port
        self.black_hole = False
        #: Whether new connections are closed at once.
        self.refuses = False
        self._muted: set[socket.socket] = set()
        self._closing = False
        self._pairs: list[tuple[socket.socket, socket.socket | None]] = []
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while not self._closing:
            try:
                inner, _ = self._listener.accept()
            except OSError:
                return
            if self.refuses:
                inner.close()
                continue
            outer: socket.socket | None = None
            if not self.black_hole:
                try:
                    outer = socket.create_connection(("127.0.0.1", self.target_port), timeout=5)
                    outer.settimeout(None)
                except OSError:
                    inner.close()
                    continue
            with self._lock:
                self._pairs.append((inner, outer))
            if outer:
                for source, sink in ((inner, outer), (outer, inner)):
                    threading.Thread(target=self._relay, args=(source, sink), daemon=True).start()

    def _relay(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if self.black_hole or source in self._muted:
                    # Swallow: the peer sees a live connection on which nothing happens.
                    continue
                sink.sendall(data)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _pair(self, client_port: int) -> tuple[socket.socket, socket.socket]:
        with self._lock:
            for inner, outer in self._pairs:
                if outer and outer.fileno() >= 0 and outer.getsockname()[1] == client_port:
                    return inner, outer
        raise LookupError(f"no connection goes out from port {client_port}")

    def cut(self, client_port: int) -> None:
        """Ends one connection, as a reset on the way does: both sides notice."""
        for end in self._pair(client_port):
            # The end of the one may have ended the other.
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def cut_all(self) -> None:
        """Ends all connections."""
        with self._lock:
            ends = [end for pair in self._pairs for end in pair if end]
        for end in ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def mute(self, client_port: int) -> None:
        """Carries nothing on one connection any more; it stays open, and neither side notices."""
        self._muted |= set(self._pair(client_port))

    def recover(self) -> None:
        """Relays new connections again; those of the black hole stay mute, as after a lost route."""
        self.black_hole = False

    def close(self) -> None:
        self._closing = True
        with self._lock:
            for pair in self._pairs:
                for end in pair:
                    if end:
                        with contextlib.suppress(OSError):
                            end.close()
        self._listener.close()


@contextlib.contextmanager
def paused(pids: list[int]) -> Iterator[None]:
    """SIGSTOP for the time of the block."""
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def json_of(body: bytes) -> Any:
    return json.loads(body.decode("utf-8"))
