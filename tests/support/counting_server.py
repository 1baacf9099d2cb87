"""A server on loopback that counts who comes, keeps what they send first, and answers nobody."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class CountingServer:
    """Every connection is kept in `heard`, with the first bytes that came over it, and answered with 400."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []
        self._socket = socket.create_server(("127.0.0.1", 0))

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    @contextmanager
    def running(self) -> Iterator[CountingServer]:
        """Listen while the block runs."""
        threading.Thread(target=self._serve, daemon=True).start()
        try:
            yield self
        finally:
            self._socket.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                with connection, suppress(OSError):
                    connection.settimeout(5)
                    self.heard.append(connection.recv(65_536))
                    connection.sendall(
                        b"HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n"
                        b"content-type: application/json\r\nconnection: close\r\n\r\n{}"
                    )
