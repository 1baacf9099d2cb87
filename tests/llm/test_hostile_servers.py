"""Whatever a server sends, and wherever it points, comes to an error of ours."""

from __future__ import annotations

import gzip
import json
from functools import partial
from itertools import product

import pytest

from lorewright import bounded_http
from lorewright.errors import ProviderBusy, ProviderError
from support.model_apis.faults import Raw
from support.model_apis.server import ModelServer
from support.model_requests import ask, asked_at, at_once

KEYS = ("claude-haiku", "gpt-5.2", "google-pro")
HOSTILE = {
    "nothing": b"",
    "a list": b"[]",
    "null": b"null",
    "a number": b"17",
    "an empty object": b"{}",
    "half": b'{"id": "x", "content": [{"type": "te',
    "wrong types": b'{"id": 1, "type": "message", "role": 5, "content": 7, "choices": "x", "candidates": 3, "usage": []}',
    "empty lists": b'{"content": [], "choices": [], "candidates": []}',
    "nulls": b'{"content": null, "choices": [null], "candidates": [null], "usage": null}',
    "no text": b"\xff\xfe\x00\x80",
    "deep": b"[" * 50_000,
    "an unknown block": b'{"id":"1","type":"message","role":"assistant","model":"m","content":[{"type":"spell"}],'
    b'"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1},"choices":[{"index":0}],"candidates":[{}]}',
    "events": b'event: message_start\ndata: {"type":"message_start"}\n\ndata: {"choices":[{}]}\n\ndata: [DONE]\n\n',
    "an error in a stream": b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"x"}}\n\n',
}


CONTENT_TYPES = ("application/json", "text/event-stream")


@pytest.mark.parametrize(
    "content_types", [CONTENT_TYPES, pytest.param(("text/plain",), marks=pytest.mark.campaign)], ids=["ours", "another"]
)
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("key", KEYS)
def test_whatever_a_server_sends_is_an_error_of_ours_or_no_answer(
    server: ModelServer, key: str, name: str, content_types: tuple[str, ...]
) -> None:
    """Whole or as a stream, of whatever type it calls itself."""
    answered = []
    for content_type, stream in product(content_types, (False, True)):
        server._answer = partial(_raw, HOSTILE[name], content_type)
        try:
            reply = ask(at_once(asked_at(server, key)), prose=True, on_text=(lambda _: None) if stream else None)
        except ProviderError as error:
            assert key in error.message
        else:
            if not reply.unfinished:
                answered.append((content_type, stream))
    assert answered == []


def _raw(body: bytes, content_type: str, asked: object) -> Raw:
    return Raw(body, content_type=content_type)


@pytest.mark.parametrize("key", KEYS)
def test_nobody_is_sent_elsewhere_with_a_key(server: ModelServer, key: str) -> None:
    elsewhere = (("Location", f"{server.url}/elsewhere/messages"),)
    server._answer = lambda asked: Raw(b"", status=307, headers=elsewhere)
    with pytest.raises(ProviderError):
        ask(at_once(asked_at(server, key)), prose=True)
    assert not any("elsewhere" in asked.path for asked in server.asked)


# Over the bounds that the test sets, which are those of a small machine.
_BODY, _LINE = 300_000, 100_000
_GZIPPED = (("Content-Encoding", "gzip"),)
TOO_MUCH = {
    "a body": Raw(b" " * _BODY),
    "what unpacks to too much": Raw(gzip.compress(b" " * _BODY), headers=_GZIPPED),
    "an error that unpacks to too much": Raw(gzip.compress(b" " * _BODY), status=500, headers=_GZIPPED),
    "a line of a stream": Raw(b"data: " + b"x" * _LINE, content_type="text/event-stream"),
    "a packed line of a stream": Raw(
        gzip.compress(b"data: " + b"x" * _LINE), content_type="text/event-stream", headers=_GZIPPED
    ),
    "a stream of empty lines": Raw(gzip.compress(b"\r\n" * 20_000), content_type="text/event-stream", headers=_GZIPPED),
}


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("said", TOO_MUCH.values(), ids=TOO_MUCH)
@pytest.mark.parametrize("key", KEYS)
def test_more_than_any_answer_has_is_refused_for_good(
    server: ModelServer, key: str, said: Raw, stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded_http, "MAX_BODY_BYTES", 200 * 1024)
    monkeypatch.setattr(bounded_http, "MAX_STREAM_LINE_BYTES", 64 * 1024)
    monkeypatch.setattr(bounded_http, "MAX_STREAM_LINES", 30_000)
    server._answer = lambda asked: said
    with pytest.raises(ProviderError) as refused:
        ask(at_once(asked_at(server, key), tries=3), prose=True, on_text=(lambda _: None) if stream else None)
    assert "over" in refused.value.message
    assert key in refused.value.message
    # To ask again would bring the same.
    assert not isinstance(refused.value, ProviderBusy)
    assert len(server.asked) <= 1


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("packing", ["br", "zstd", "gzip, gzip", "deflate"])
def test_an_answer_that_is_packed_in_a_way_nobody_asked_for_is_refused(
    server: ModelServer, packing: str, stream: bool
) -> None:
    server._answer = lambda asked: Raw(b"\x1b\x00\x00", headers=(("Content-Encoding", packing),))
    with pytest.raises(ProviderError):
        ask(at_once(asked_at(server, "gpt-5.2")), prose=True, on_text=(lambda _: None) if stream else None)


def test_an_answer_that_came_packed_is_read(server: ModelServer) -> None:
    message = {"role": "assistant", "content": "The rain has stopped."}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    body = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    server._answer = lambda asked: Raw(gzip.compress(json.dumps(body).encode()), headers=_GZIPPED)
    assert ask(at_once(asked_at(server, "gpt-5.2")), prose=True).text == "The rain has stopped."
    assert server.asked[0].headers["accept-encoding"] == "gzip"
