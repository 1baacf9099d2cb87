"""Whatever a server sends, and wherever it points, comes to an error of ours."""

from __future__ import annotations

import pytest

from llm.asking import ask, asked_at, at_once
from lorewright.errors import ProviderError
from lorewright.llm.doubles.faults import Raw
from lorewright.llm.doubles.server import ModelServer

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


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("content_type", ["application/json", "text/event-stream", "text/plain"])
@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("key", KEYS)
def test_whatever_a_server_sends_is_an_error_of_ours_or_no_answer(
    server: ModelServer, key: str, body: bytes, content_type: str, stream: bool
) -> None:
    server._answer = lambda asked: Raw(body, content_type=content_type)
    try:
        reply = ask(at_once(asked_at(server, key)), prose=True, on_text=(lambda _: None) if stream else None)
    except ProviderError as error:
        assert key in error.message
    else:
        assert reply.unfinished


@pytest.mark.parametrize("key", KEYS)
def test_nobody_is_sent_elsewhere_with_a_key(server: ModelServer, key: str) -> None:
    elsewhere = (("Location", f"{server.url}/elsewhere/messages"),)
    server._answer = lambda asked: Raw(b"", status=307, headers=elsewhere)
    with pytest.raises(ProviderError):
        ask(at_once(asked_at(server, key)), prose=True)
    assert not any("elsewhere" in asked.path for asked in server.asked)
