"""A server on loopback in the place of OpenAI and Voyage: it embeds by hashing, or misbehaves as it is told."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from lorewright.index.embedders.hashing import HashingEmbedder

DIMENSIONS = 64


@dataclass
class Answer:
    """What is sent instead of vectors."""

    status: int = 200
    body: str | bytes = "{}"
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    delay_s: float = 0.0


Reply = Answer | Callable[[dict[str, Any]], Answer]


@dataclass
class StandIn:
    """The server's address, what it was asked, and what it shall answer next; nothing prepared means vectors."""

    url: str
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    next_answers: deque[Reply] = field(default_factory=deque)

    def answer(self, asked: dict[str, Any]) -> Answer:
        self.asked.append(asked)
        if not self.next_answers:
            return vectors(asked)
        reply = self.next_answers.popleft()
        return reply(asked) if callable(reply) else reply


def vectors(asked: dict[str, Any]) -> Answer:
    """What a provider answers; a question to Voyage gets another vector than a text."""
    mark = "asked: " if asked.get("input_type") == "query" else ""
    rows = HashingEmbedder(DIMENSIONS).embed([mark + text for text in asked["input"]]) * 3
    if asked.get("encoding_format") == "base64":
        return table([base64.b64encode(row.astype("<f4").tobytes()).decode() for row in rows])
    return table([row.tolist() for row in rows])


def table(rows: list[Any]) -> Answer:
    """An answer with these rows."""
    data = [{"object": "embedding", "index": number, "embedding": row} for number, row in enumerate(rows)]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return Answer(body=json.dumps({"object": "list", "model": "stand-in", "data": data, "usage": usage}))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 65536
    disable_nagle_algorithm = True
    stand_in: StandIn

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.stand_in.keys.append(self.headers.get("Authorization", ""))
        answer = self.stand_in.answer(asked)
        time.sleep(answer.delay_s)
        raw = answer.body.encode() if isinstance(answer.body, str) else answer.body
        try:
            self.send_response(answer.status)
            for name, value in {**answer.headers, "Content-Type": answer.content_type}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)
        except OSError:
            self.close_connection = True  # whoever asked has gone

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nothing on the terminal."""


@contextmanager
def serving() -> Iterator[StandIn]:
    """A stand-in that runs while the block does."""
    handler = type("Handler", (_Handler,), {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    stand_in = StandIn(f"http://127.0.0.1:{server.server_address[1]}/v1")
    handler.stand_in = stand_in  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield stand_in
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
