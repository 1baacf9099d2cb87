"""ModelServer: a server on loopback that speaks the APIs of Anthropic, OpenAI and Google, answers as it is told, and
misbehaves as it is told. The real SDKs are tested through it, and builders rehearse what can go wrong."""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from support.model_apis.anthropic_wire import AnthropicWire
from support.model_apis.faults import NEED_NO_ANSWER, Fault, Raw, spoilt
from support.model_apis.google_wire import GoogleWire
from support.model_apis.openai_wire import OpenAIWire
from support.model_apis.wire import ANSWER, Asked, PrefixCache, Said, Use, Wire

_SECRET_HEADERS = frozenset({"authorization", "x-api-key", "x-goog-api-key", "cookie"})
_PAGE = "<!doctype html><title>Bad gateway</title><p>The page is away."


class ModelServer:
    """Answers from a queue or by a function of what was asked; keeps every request it got, in order.

    An answer is a text, data (sent as JSON; where prose is asked for, data with one text in it stands for that text), a
    tool to call or several (`Use`), a whole `Said`, bytes as they are (`Raw`), or a `Fault`. Faults that are put into
    `faults` strike the next requests, before any answer is taken from the script, unless they need one to spoil. With
    `expects_key` a request with another key gets 401.
    """

    def __init__(self, script: Iterable[Any] | Callable[[Asked], Any] = (), *, expects_key: str | None = None) -> None:
        self.asked: list[Asked] = []
        self.faults: deque[Fault] = deque()
        self.expects_key = expects_key
        self.most_at_once = 0
        self._answer = script if callable(script) else None
        self._queue: deque[Any] = deque() if callable(script) else deque(script)
        self._caches: dict[str, PrefixCache] = {}
        self._at_once = 0
        self._calls = 0
        self._lock = threading.Lock()
        self._server: ThreadingHTTPServer | None = None

    @property
    def url(self) -> str:
        """Where it listens."""
        assert self._server is not None, "it runs inside `with server.running():`"
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def environ(self) -> dict[str, str]:
        """The environment in which every known model is asked here, with keys that open nothing."""
        return {
            "ANTHROPIC_API_KEY": "sk-ant-double-0000",
            "ANTHROPIC_BASE_URL": self.url,
            "OPENAI_API_KEY": "sk-double-0000",
            "OPENAI_BASE_URL": f"{self.url}/v1",
            "GOOGLE_API_KEY": "double-0002",
            "GOOGLE_GEMINI_BASE_URL": self.url,
            "DEEPSEEK_API_KEY": "sk-double-0001",
            "DEEPSEEK_BASE_URL": self.url,
            "OLLAMA_BASE_URL": f"{self.url}/v1",
            "OPENAI_COMPATIBLE_BASE_URL": f"{self.url}/v1",
        }

    @contextmanager
    def running(self) -> Iterator[ModelServer]:
        """Listen while the block runs."""
        handler = type("Handler", (_Handler,), {"double": self})
        self._server = _Listener(("127.0.0.1", 0), handler)
        thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            thread.join()
            self._server.server_close()

    def take(self, asked: Asked) -> tuple[Said | Raw, Fault | None]:
        """What is answered to a request, and what goes wrong with it; the request is kept. At the end of the script it
        is HTTP 501."""
        with self._lock:
            self.asked.append(asked)
            fault = self.faults.popleft() if self.faults else None
            if fault is not None and fault.kind in NEED_NO_ANSWER:
                return Said(), fault
            if self._answer is None and not self._queue:
                return Said(), Fault("error", status=501, message="the script is at its end")
            answer = None if self._answer else self._queue.popleft()
        # A function may take its time: others are answered meanwhile.
        answer = self._answer(asked) if self._answer else answer
        if isinstance(answer, Fault):
            return Said(), answer
        if isinstance(answer, Raw):
            return answer, None
        return self._numbered(_said(answer, asked)), fault

    def cache_of(self, model: str) -> PrefixCache:
        """The prompts of a model that were seen."""
        with self._lock:
            return self._caches.setdefault(model, PrefixCache())

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Count who is served at the same time."""
        with self._lock:
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            yield
        finally:
            with self._lock:
                self._at_once -= 1

    def _numbered(self, said: Said) -> Said:
        uses = []
        for use in said.uses:
            self._calls += 1
            uses.append(use if use.id else replace(use, id=f"call_{self._calls}"))
        return replace(said, uses=tuple(uses))


def _said(answer: Any, asked: Asked) -> Said:
    if isinstance(answer, Said):
        return answer
    if isinstance(answer, Use):
        return Said(uses=(answer,))
    if isinstance(answer, (list, tuple)) and answer and all(isinstance(one, Use) for one in answer):
        return Said(uses=tuple(answer))
    if isinstance(answer, str):
        return Said(answer)
    if isinstance(answer, dict) and ANSWER in asked.tools:
        return Said(uses=(Use(ANSWER, answer),))
    if isinstance(answer, dict) and asked.schema is None and len(answer) == 1:
        return Said(str(next(iter(answer.values()))))
    return Said(json.dumps(answer))


def _wire_of(path: str) -> Wire:
    place = path.partition("?")[0]
    if place.endswith("/messages"):
        return AnthropicWire()
    return GoogleWire() if "generatecontent" in place.lower() else OpenAIWire()


class _Listener(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever asked has gone in the midst of an answer: that is theirs to do."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 65536
    disable_nagle_algorithm = True
    double: ModelServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        wire = _wire_of(self.path)
        with self.double.busy():
            try:
                self._serve(wire, body)
            except OSError:
                self.close_connection = True  # whoever asked has gone

    def _serve(self, wire: Wire, body: dict[str, Any]) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        given = next((headers[name] for name in ("x-api-key", "x-goog-api-key") if name in headers), None)
        given = given or headers.get("authorization", "").removeprefix("Bearer ")
        shown = {name: "[key]" if name in _SECRET_HEADERS else value for name, value in headers.items()}
        asked = wire.asked(self.path, shown, body)
        if self.double.expects_key is not None and given != self.double.expects_key:
            self.double.asked.append(asked)
            self._send(401, wire.error(401, f"invalid key {given}"))
            return
        said, fault = self.double.take(asked)
        if isinstance(said, Raw):
            self._send(said.status, said.body, {"Content-Type": said.content_type, **dict(said.headers)})
        elif not self._failed(wire, fault):
            self._answer(wire, asked, spoilt(said, fault), fault)

    def _failed(self, wire: Wire, fault: Fault | None) -> bool:
        """Send what is no answer at all."""
        match fault.kind if fault is not None else None:
            case "rate_limited":
                assert fault is not None
                self._send(429, wire.error(429, fault.message), {"Retry-After": f"{fault.seconds:g}"})
            case "error":
                assert fault is not None
                self._send(fault.status, wire.error(fault.status, fault.message))
            case "overloaded":
                assert fault is not None
                self._send(529, wire.error(529, fault.message))
            case "dropped":
                self._drop()
            case "html":
                self._send(200, _PAGE, {"Content-Type": "text/html"})
            case _:
                return False
        return True

    def _answer(self, wire: Wire, asked: Asked, said: Said, fault: Fault | None) -> None:
        usage = self.double.cache_of(asked.model).usage(wire.blocks(asked), said)
        if asked.streams:
            self._stream(list(wire.events(asked, said, usage)), fault)
            return
        if fault is not None and fault.kind == "slow":
            time.sleep(fault.seconds)
        raw = json.dumps(wire.body(asked, said, usage))
        if fault is not None and fault.kind in ("dropped_midway", "cut"):
            self._head(200, {"Content-Type": "application/json", "Content-Length": str(len(raw))})
            self.wfile.write(raw[: len(raw) // 2].encode())
            self._drop()
            return
        self._send(200, raw, {"Content-Type": "application/json"})

    def _stream(self, events: list[str], fault: Fault | None) -> None:
        self._head(200, {"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"})
        kind = fault.kind if fault is not None else None
        # The last two say that the answer is whole.
        sent = {"dropped_midway": events[: len(events) // 2 + 1], "cut": events[:-2]}.get(kind or "", events)
        for event in sent:
            if kind == "slow" and fault is not None:
                time.sleep(fault.seconds)
            raw = event.encode()
            self.wfile.write(f"{len(raw):x}\r\n".encode() + raw + b"\r\n")
            self.wfile.flush()
        if kind == "dropped_midway":
            self._drop()
            return
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()

    def _send(self, status: int, body: bytes | str | dict[str, Any], headers: dict[str, str] | None = None) -> None:
        raw = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
        told = {"Content-Type": "application/json", **(headers or {}), "Content-Length": str(len(raw))}
        self._head(status, told)
        self.wfile.write(raw)
        self.wfile.flush()

    def _head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _drop(self) -> None:
        self.close_connection = True
        with suppress(OSError):
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (its name there)
        """Nothing on the terminal."""
