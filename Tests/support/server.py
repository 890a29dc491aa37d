"""Starts and stops real server processes. Everything has a time limit and ends with the test run."""

import os
import selectors
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

import requests

from .fixtures import FIXTURES, ROOT

READY_SECONDS = 60.0
STOP_SECONDS = 30.0


def find_binary() -> Path:
    """`SELEID_BIN`, else the newest of the release and debug builds; builds a debug one if there is none."""
    named = os.environ.get("SELEID_BIN")
    if named:
        path = Path(named).resolve()
        assert os.access(path, os.X_OK), f"SELEID_BIN names {path}, which cannot be run"
        return path
    built = [ROOT / ".build" / kind / "seleid" for kind in ("release", "debug")]
    built = [path for path in built if os.access(path, os.X_OK)]
    if built:
        return max(built, key=lambda path: path.stat().st_mtime)
    subprocess.run(["swift", "build", "--product", "seleid"], cwd=ROOT, check=True, timeout=1800)
    return ROOT / ".build" / "debug" / "seleid"


def free_port(host: str = "127.0.0.1") -> int:
    """A port nobody listens on at this moment."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        listener.bind((host, 0))
        return listener.getsockname()[1]


def clean_environment(extra: dict[str, str] | None = None) -> dict[str, str]:
    """The environment without any `SELEID_…` of the person who runs the tests, plus `extra`."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SELEID_")}
    environment.update(extra or {})
    return environment


def run_seleid(*arguments: str, environment: dict[str, str] | None = None, stdin: str | None = None,
               timeout: float = 60) -> subprocess.CompletedProcess:
    """Runs one command of the command line to its end; output as text, exit code unchecked."""
    return subprocess.run(
        [str(find_binary()), *arguments], env=clean_environment(environment), input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None, capture_output=True, text=True, timeout=timeout)


class _Process:
    """One server process with its output in files."""

    def __init__(self, arguments: list[str], environment: dict[str, str], directory: Path, name: str) -> None:
        self.stdout_path = directory / f"{name}.stdout"
        self.stderr_path = directory / f"{name}.stderr"
        self._output = self.stdout_path.open("ab", buffering=0)
        self._errors = self.stderr_path.open("ab", buffering=0)
        self._process = subprocess.Popen(
            arguments, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._errors)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    @property
    def stdout(self) -> str:
        return self.stdout_path.read_text(errors="replace")

    @property
    def stderr(self) -> str:
        return self.stderr_path.read_text(errors="replace")

    def wait_for_line(self, start: str, seconds: float) -> str:
        """Reads standard output until a line begins with `start`; copies all of it to the file."""
        pipe = self._process.stdout
        assert pipe is not None
        os.set_blocking(pipe.fileno(), False)
        pending, deadline = b"", time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            while True:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError(f"no line {start!r} within {seconds:.0f} s{self._tail()}")
                if not selector.select(left):
                    continue
                chunk = os.read(pipe.fileno(), 65536)
                if not chunk:
                    code = self._process.wait(10)
                    raise RuntimeError(f"the server ended with exit code {code} before it was ready{self._tail()}")
                self._output.write(chunk)
                pending += chunk
                *lines, pending = pending.split(b"\n")
                for line in lines:
                    if line.startswith(start.encode()):
                        self.keep_copying()
                        return line.decode()

    def keep_copying(self) -> None:
        """From now on a thread copies standard output to the file, so that the pipe never fills."""
        pipe = self._process.stdout
        assert pipe is not None
        os.set_blocking(pipe.fileno(), True)

        def copy() -> None:
            try:
                while chunk := os.read(pipe.fileno(), 65536):
                    self._output.write(chunk)
            except (OSError, ValueError):
                pass

        threading.Thread(target=copy, daemon=True).start()

    def _tail(self) -> str:
        return f"\nstdout:\n{self.stdout[-2000:]}\nstderr:\n{self.stderr[-4000:]}"

    def stop(self, seconds: float = STOP_SECONDS) -> int:
        """SIGTERM, then the exit code; a process that does not end in time is killed and the test fails."""
        if self.running:
            self._process.send_signal(signal.SIGTERM)
        try:
            code = self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(10)
            raise TimeoutError(f"the server did not end within {seconds:.0f} s of SIGTERM{self._tail()}") from None
        return code

    def kill(self) -> None:
        """SIGKILL, as by a crash."""
        self._process.kill()
        self._process.wait(10)


class _Server:
    """What a running server offers to tests: its issuer and its process."""

    issuer: str
    process: _Process

    def url(self, path: str) -> str:
        return self.issuer.rstrip("/") + path

    @property
    def ca(self) -> str | bool:
        """For `verify` of requests: the CA file of a server with TLS."""
        return True

    def discovery(self) -> dict:
        answer = requests.get(self.url("/.well-known/openid-configuration"), timeout=10, verify=self.ca)
        answer.raise_for_status()
        return answer.json()

    @property
    def log(self) -> str:
        return self.process.stderr


class Dev(_Server):
    """`seleid dev` with a database of its own in a new directory.

    Used as a context manager: it is ready inside, and leaving checks that SIGTERM gave exit code 0.
    """

    def __init__(self, *, port: int | None = None, tls: bool = False, apply: Iterable[Path | str] = (FIXTURES,),
                 data: Path | None = None, environment: dict[str, str] | None = None) -> None:
        self.port = port or 0  # 0: any free one; the number is known when the server is ready
        self.tls = tls
        self._apply = [str(path) for path in apply]
        self._temporary: tempfile.TemporaryDirectory | None = None
        if data is None:
            # The private PostgreSQL runs as another user when root runs the tests, and socket paths are short.
            self._temporary = tempfile.TemporaryDirectory(prefix="seleid-", dir="/tmp", ignore_cleanup_errors=True)
            os.chmod(self._temporary.name, 0o755)
            data = Path(self._temporary.name) / "data"
            self.output = Path(self._temporary.name)
        else:
            self.output = data.parent
        self.data = data
        self._environment = clean_environment(environment)

    def start(self) -> "Dev":
        arguments = [str(find_binary()), "dev", "--port", str(self.port), "--data", str(self.data)]
        for path in self._apply:
            arguments += ["--apply", path]
        if self.tls:
            arguments.append("--tls")
        self.process = _Process(arguments, self._environment, self.output, "dev")
        try:
            self.ready_line = self.process.wait_for_line("ready", READY_SECONDS)
        except BaseException:
            self.process.kill()
            raise
        words = [word for word in self.ready_line.split() if word.startswith(("http://", "https://"))]
        assert words, f"the ready line names no issuer: {self.ready_line!r}"
        self.issuer = words[0]
        self.port = urlsplit(self.issuer).port or self.port
        return self

    def __enter__(self) -> "Dev":
        return self.start()

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            code = self.process.stop()
            if kind is None:
                assert code == 0, f"exit code {code} after SIGTERM\n{self.log[-4000:]}"
        finally:
            if self._temporary is not None:
                self._temporary.cleanup()

    @property
    def database_url(self) -> str:
        return (self.data / "database-url").read_text().strip()

    @property
    def master_key_file(self) -> Path:
        return self.data / "master.key"

    @property
    def ca_file(self) -> Path:
        """The certificate of the local CA that `--tls` makes."""
        found = sorted(self.data.glob("**/*ca*.pem")) or sorted(self.data.glob("**/*ca*.crt"))
        found = [path for path in found if "key" not in path.name]
        assert found, f"no CA certificate below {self.data}"
        return found[0]

    @property
    def ca(self) -> str | bool:
        return str(self.ca_file) if self.tls else True

    def admin(self, *arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess:
        """Runs `seleid ARGUMENTS` on this server's database."""
        return run_seleid(*arguments, environment=self.serve_environment(), stdin=stdin)

    def serve_environment(self, **extra: str) -> dict[str, str]:
        """What a `seleid serve` (or an admin command) on this database needs."""
        return {
            "SELEID_ISSUER": self.issuer,
            "SELEID_DATABASE_URL": self.database_url,
            "SELEID_MASTER_KEY_FILE": str(self.master_key_file),
            **extra,
        }


class Serve(_Server):
    """`seleid serve` on the database of a `Dev`: one more node with the same issuer on its own port.

    `url` gives addresses on this node; tokens still name the issuer of the `Dev`.
    """

    _count = 0

    def __init__(self, dev: Dev, *, port: int | None = None, issuer: str | None = None,
                 environment: dict[str, str] | None = None, log_level: str = "info") -> None:
        self.dev = dev
        self.port = port or free_port()
        self.issuer = issuer or dev.issuer
        self._extra = {
            "SELEID_ISSUER": self.issuer,
            "SELEID_LISTEN": f"127.0.0.1:{self.port}",
            "SELEID_LOG_LEVEL": log_level,
            **(environment or {}),
        }
        Serve._count += 1
        self._name = f"serve-{Serve._count}"

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def start(self, seconds: float = READY_SECONDS) -> "Serve":
        """Starts the process and waits until `/readyz` answers 200."""
        environment = clean_environment(self.dev.serve_environment(**self._extra))
        self.process = _Process([str(find_binary()), "serve"], environment, self.dev.output, self._name)
        self.process.keep_copying()
        self.wait_ready(seconds)
        return self

    def wait_ready(self, seconds: float = READY_SECONDS) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if not self.process.running:
                raise RuntimeError(f"the node ended before it was ready\n{self.log[-4000:]}")
            try:
                if requests.get(self.url("/readyz"), timeout=2).status_code == 200:
                    return
            except requests.RequestException:
                pass
            time.sleep(0.02)
        raise TimeoutError(f"the node was not ready within {seconds:.0f} s\n{self.log[-4000:]}")

    def stop(self) -> int:
        return self.process.stop()

    def kill(self) -> None:
        self.process.kill()

    def __enter__(self) -> "Serve":
        return self.start()

    def __exit__(self, kind: object, *_: object) -> None:
        code = self.process.stop()
        if kind is None:
            assert code in (0, -signal.SIGKILL), f"exit code {code} after SIGTERM\n{self.log[-4000:]}"
