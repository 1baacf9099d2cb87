"""An HTTP client -> one whose answers are counted as they are unpacked, and refused beyond a bound.

The clients of providers read a whole answer, or a whole line of a stream, into memory: here a server that sends without
end, or a small body that unpacks to a large one, is stopped before that. To import this module is slow, as httpx2 is.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx2

from lorewright.bounded_files import describe_bound

# A model's longest answer in one piece (a hundred thousand tokens) is under a MiB; the vectors of 128 texts are under
# 16, as numbers.
MAX_BODY_BYTES = 16 * 1024 * 1024
# In a stream every token comes in an event of some hundred bytes.
MAX_STREAM_BYTES = 64 * 1024 * 1024
MAX_STREAM_LINE_BYTES = 1024 * 1024
# Each line costs its reader more than its bytes.
MAX_STREAM_LINES = 1_000_000
_PIECE = 64 * 1024
_LINE_END = re.compile(rb"[\r\n]")
_PACKED = ("gzip", "x-gzip")
_PLAIN = ("", "identity")

# Makes the exception for an answer beyond a bound, from the words for that bound.
Refuse = Callable[[str], Exception]


def bounded(refuse: Refuse) -> dict[str, list[Callable[..., Any]]]:
    """Return the event hooks of an `httpx2.Client` that hold its answers to the bounds."""

    def hold(response: httpx2.Response) -> None:
        assert isinstance(response.stream, httpx2.SyncByteStream)
        response.stream = _Stream(response.stream, _meter_of(response, refuse))

    return {"request": [_ask_plainly], "response": [hold]}


def async_bounded(refuse: Refuse) -> dict[str, list[Callable[..., Any]]]:
    """Return the same for an `httpx2.AsyncClient`."""

    async def ask_plainly(request: httpx2.Request) -> None:
        _ask_plainly(request)

    async def hold(response: httpx2.Response) -> None:
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _AsyncStream(response.stream, _meter_of(response, refuse))

    return {"request": [ask_plainly], "response": [hold]}


@dataclass(slots=True)
class _Meter:
    """Takes the bytes of one answer as they come and gives them unpacked, piece by piece."""

    refuse: Refuse
    streamed: bool
    unpacker: zlib._Decompress | None
    taken: int = 0
    lines: int = 0
    of_line: int = 0

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        for piece in self._unpacked(chunk):
            self.taken += len(piece)
            most = MAX_STREAM_BYTES if self.streamed else MAX_BODY_BYTES
            if self.taken > most:
                raise self.refuse(describe_bound(most))
            if self.streamed:
                self._count_lines(piece)
            yield piece

    def _count_lines(self, piece: bytes) -> None:
        head, *others = _LINE_END.split(piece)
        self.lines += len(others)
        if self.lines > MAX_STREAM_LINES:
            raise self.refuse(f"a stream of over {MAX_STREAM_LINES:,} lines")
        if max(self.of_line + len(head), *map(len, others), 0) > MAX_STREAM_LINE_BYTES:
            raise self.refuse(f"a stream with a line {describe_bound(MAX_STREAM_LINE_BYTES)}")
        self.of_line = len(others[-1]) if others else self.of_line + len(head)

    def _unpacked(self, chunk: bytes) -> Iterator[bytes]:
        if self.unpacker is None:
            yield chunk
            return
        while chunk and not self.unpacker.eof:
            try:
                piece = self.unpacker.decompress(chunk, _PIECE)
            except zlib.error as problem:
                raise httpx2.DecodingError(str(problem)) from None
            chunk = self.unpacker.unconsumed_tail
            if piece:
                yield piece


class _Stream(httpx2.SyncByteStream):
    def __init__(self, inner: httpx2.SyncByteStream, meter: _Meter) -> None:
        self._inner = inner
        self._meter = meter

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._inner:
            yield from self._meter.pieces(chunk)

    def close(self) -> None:
        self._inner.close()


class _AsyncStream(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, meter: _Meter) -> None:
        self._inner = inner
        self._meter = meter

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._inner:
            for piece in self._meter.pieces(chunk):
                yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()


def _ask_plainly(request: httpx2.Request) -> None:
    """Ask for gzip only, which is unpacked here."""
    request.headers["accept-encoding"] = "gzip"


def _meter_of(response: httpx2.Response, refuse: Refuse) -> _Meter:
    """Return the meter of an answer, and remove the header that says that it is packed."""
    packing = response.headers.pop("content-encoding", "").strip().lower()
    if packing not in (*_PACKED, *_PLAIN):
        raise httpx2.DecodingError(f"the answer is packed as {packing[:40]!r}, which was not asked for")
    streamed = response.headers.get("content-type", "").lower().startswith("text/event-stream")
    return _Meter(
        refuse,
        streamed,
        zlib.decompressobj(zlib.MAX_WBITS | 16) if packing in _PACKED else None,
    )
