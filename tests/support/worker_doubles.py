"""Workers that only say who they are and what they were asked, to look at a proxy with."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class WorkerDouble:
    """A worker at a port: it answers each request with its name and what came; it can leave, refuse, die and come back."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.name = f"worker{port}"
        self.is_leaving = False
        # A request at its path waits for this before it is answered.
        self.gate = threading.Event()
        self.gate.set()
        self.asked: list[tuple[str, str]] = []
        self.start()

    def start(self) -> None:
        """Listen."""
        double = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                double.answer(self)

            do_POST = do_DELETE = do_GET

            def log_message(self, *_: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            block_on_close = False

            def handle_error(self, *_: Any) -> None:
                pass

        self._server = Server(("127.0.0.1", self.port), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def die(self) -> None:
        """Listen no more."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        """Answer a request."""
        body = handler.rfile.read(int(handler.headers.get("content-length") or 0))
        if handler.path == "/readyz":
            self._send(handler, 503 if self.is_leaving else 200, {"host": handler.headers["Host"]})
        elif handler.path.endswith("/events"):
            self._stream(handler)
        elif self.is_leaving and handler.command == "POST":
            self._send(handler, 503, {"code": "busy"})
        else:
            self.asked.append((handler.command, handler.path))
            self.gate.wait(30)
            self._send(
                handler,
                200,
                {
                    "worker": self.name,
                    "path": handler.path,
                    "from": handler.headers.get("X-Forwarded-For"),
                    "host": handler.headers["Host"],
                    "body": body.decode(),
                },
            )

    def _send(self, handler: BaseHTTPRequestHandler, status: int, told: dict[str, Any]) -> None:
        sent = json.dumps(told).encode()
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(sent)))
        # So that a worker that dies holds no connection.
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.wfile.write(sent)

    def _stream(self, handler: BaseHTTPRequestHandler) -> None:
        handler.close_connection = True
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Connection", "close")
        handler.end_headers()
        for number in range(5):
            handler.wfile.write(f"id: {number}.0\nevent: committed\ndata: {{}}\n\n".encode())
            handler.wfile.flush()
            time.sleep(0.2)
