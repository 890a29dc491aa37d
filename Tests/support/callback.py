"""A relying party's callback on loopback, for browsers that follow the redirect over real HTTP."""

import queue
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True


class _Listener6(_Listener):
    address_family = socket.AF_INET6


class Callback:
    """Listens on `port` (0: a free one) and keeps the URLs it was asked for, in order.

    A context manager; `next` waits for the next request whose path begins with `path`.
    """

    def __init__(self, port: int = 0, host: str = "127.0.0.1", path: str = "/cb") -> None:
        self.path = path
        self.requests: list[tuple[str, str, str]] = []
        self._queue: queue.Queue[str] = queue.Queue()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            timeout = 30

            def _answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                if self.path.split("?")[0] != outer.path:
                    self.send_error(404)
                    return
                outer.requests.append((self.command, self.path, body))
                page = b"<!doctype html><title>Back in the app</title><h1>Back in the app</h1>"
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(page)))
                self.end_headers()
                self.wfile.write(page)
                outer._queue.put(outer.origin + self.path)

            do_GET = do_POST = _answer

            def log_message(self, *_: object) -> None:
                pass

        listener = _Listener6 if ":" in host else _Listener
        self._server = listener((host, port), Handler)
        self.port = self._server.server_address[1]
        shown = f"[{host}]" if ":" in host else host
        self.origin = f"http://{shown}:{self.port}"

    @property
    def redirect_uri(self) -> str:
        return self.origin + self.path

    def next(self, seconds: float = 15) -> str:
        try:
            return self._queue.get(timeout=seconds)
        except queue.Empty:
            raise TimeoutError(f"nobody came to the callback within {seconds:.0f} s") from None

    @property
    def empty(self) -> bool:
        return self._queue.empty()

    def __enter__(self) -> "Callback":
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)
