"""Answers over HTTP: they come unpacked, and more of them than a bound is never handed on."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator, Iterator

import httpx2
import pytest

from lorewright import bounded_http
from lorewright.bounded_http import MAX_STREAM_LINE_BYTES, async_bounded, bounded

GZIPPED = {"Content-Encoding": "gzip"}
EVENTS = {"Content-Type": "text/event-stream; charset=utf-8"}


class TooMuch(Exception):
    """What these tests raise past a bound."""


class Endless(httpx2.SyncByteStream, httpx2.AsyncByteStream):
    """The same bytes again and again; it says how often they were taken."""

    def __init__(self, chunk: bytes) -> None:
        self.chunk = chunk
        self.taken = 0

    def __iter__(self) -> Iterator[bytes]:
        while True:
            self.taken += 1
            yield self.chunk

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self:
            yield chunk


def answered(stream: httpx2.SyncByteStream | bytes, headers: dict[str, str]) -> httpx2.Client:
    def answer(request: httpx2.Request) -> httpx2.Response:
        assert request.headers["accept-encoding"] == "gzip"
        if isinstance(stream, bytes):
            return httpx2.Response(200, headers=headers, stream=httpx2.ByteStream(stream))
        return httpx2.Response(200, headers=headers, stream=stream)

    return httpx2.Client(transport=httpx2.MockTransport(answer), event_hooks=bounded(TooMuch))


def test_an_answer_without_end_is_left_at_the_bound() -> None:
    endless = Endless(b" " * 65536)
    with pytest.raises(TooMuch, match="over 16 MiB"):
        answered(endless, {}).get("http://x/")
    assert endless.taken == 16 * 16 + 1


def test_an_endless_line_of_a_stream_is_left_sooner() -> None:
    endless = Endless(b"x" * 65536)
    with pytest.raises(TooMuch, match="line over 1 MiB"):
        answered(endless, EVENTS).get("http://x/")
    assert endless.taken == MAX_STREAM_LINE_BYTES // 65536 + 1


def test_a_stream_of_short_lines_is_left_at_its_own_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_http, "MAX_STREAM_BYTES", 2**20)
    monkeypatch.setattr(bounded_http, "MAX_STREAM_LINES", 5_000)
    with pytest.raises(TooMuch, match="over 1 MiB"):
        answered(Endless(b"data: " + b"x" * 1000 + b"\n\n"), EVENTS).get("http://x/")
    with pytest.raises(TooMuch, match="over 5,000 lines"):
        answered(Endless(b"\r\n"), EVENTS).get("http://x/")


@pytest.mark.parametrize("ends", [b"\n", b"\r", b"\r\n"])
def test_lines_that_end_are_counted_each_for_itself(ends: bytes) -> None:
    line = b"data: " + b"x" * (MAX_STREAM_LINE_BYTES - 100)
    body = (line + ends) * 3
    assert answered(body, EVENTS).get("http://x/").content == body


def test_what_is_counted_is_what_comes_out_of_the_packing() -> None:
    bomb = gzip.compress(b" " * (17 * 2**20))
    assert len(bomb) < 32 * 1024
    with pytest.raises(TooMuch):
        answered(bomb, GZIPPED).get("http://x/")


def test_an_answer_within_the_bounds_comes_as_it_was_written() -> None:
    text = "It rains, and it rains. " * 1000
    assert answered(gzip.compress(text.encode()), GZIPPED).get("http://x/").text == text
    assert answered(text.encode(), {"Content-Encoding": "identity"}).get("http://x/").text == text


def test_a_torn_packing_and_one_that_nobody_asked_for_are_errors_of_the_client() -> None:
    for body, packing in ((b"no gzip", "gzip"), (b"", "br"), (gzip.compress(gzip.compress(b"x")), "gzip, gzip")):
        with pytest.raises(httpx2.DecodingError):
            answered(body, {"Content-Encoding": packing}).get("http://x/")


def test_asynchronous_clients_are_held_to_the_same() -> None:
    endless = Endless(b"x" * 65536)

    async def ask(headers: dict[str, str]) -> httpx2.Response:
        transport = httpx2.MockTransport(lambda request: httpx2.Response(200, headers=headers, stream=endless))
        async with httpx2.AsyncClient(transport=transport, event_hooks=async_bounded(TooMuch)) as client:
            return await client.get("http://x/")

    for headers in ({}, EVENTS):
        with pytest.raises(TooMuch):
            asyncio.run(ask(headers))
    assert endless.taken <= 16 * 16 + 1 + 17
