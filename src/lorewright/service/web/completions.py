"""The frames of OpenAI's chat completions: a chat as it is sent, answers whole and in pieces, refusals."""

from __future__ import annotations

import json
import re
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response, StreamingResponse

from lorewright.service.web.shapes import Problem

# A streamed answer comes in pieces of so many words.
_PIECE = re.compile(r"(?:\S+\s*){1,6}")


class LoreWish(BaseModel):
    """What a chat with lore wants of it: `footnotes` below the answer, and how many tokens of lore."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    footnotes: bool = False
    max_tokens: int | None = Field(default=None, ge=1)


class ChatSent(BaseModel):
    """A chat. Other fields of the protocol, such as `temperature`, are taken and change nothing."""

    model_config = ConfigDict(extra="allow", frozen=True)

    model: str = Field(max_length=400, examples=["friday/pc:ada"])
    messages: list[dict[str, Any]] = Field(min_length=1, max_length=10_000)
    stream: bool = False
    n: int | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    stream_options: dict[str, Any] | None = None
    lorewright: LoreWish | None = None


def usage_of(read: int, written: int) -> dict[str, int]:
    """Return the numbers of tokens as this protocol has them."""
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


def _frame(sent: ChatSent, name: str, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{name}", "object": kind, "created": int(time.time()), "model": sent.model}


class AnswerStream:
    """The server-sent events of an answer: `begin`, pieces, `end`."""

    def __init__(self, sent: ChatSent, name: str) -> None:
        self._sent = sent
        self._frame = _frame(sent, name, "chat.completion.chunk")

    def _chunk(self, delta: dict[str, str], *, reason: str | None = None, **more: Any) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return f"data: {json.dumps({**self._frame, 'choices': [choice], **more})}\n\n"

    def begin(self) -> str:
        """Return the first event."""
        return self._chunk({"role": "assistant", "content": ""})

    def piece(self, text: str) -> str:
        """Return the event of a piece of the answer."""
        return self._chunk({"content": text})

    def end(self, usage: dict[str, int], beside: dict[str, Any], *, reason: str = "stop") -> Iterator[str]:
        """Yield the last events; `beside` stands beside the text."""
        yield self._chunk({}, reason=reason, lorewright=beside)
        if (self._sent.stream_options or {}).get("include_usage"):
            yield f"data: {json.dumps({**self._frame, 'choices': [], 'usage': usage})}\n\n"
        yield "data: [DONE]\n\n"


def whole_answer(
    sent: ChatSent, name: str, text: str, usage: dict[str, int], beside: dict[str, Any], *, reason: str = "stop"
) -> Iterator[str]:
    """Yield an answer: as one JSON object, or as a stream of pieces."""
    if not sent.stream:
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": reason}
        frame = _frame(sent, name, "chat.completion")
        yield json.dumps({**frame, "choices": [choice], "usage": usage, "lorewright": beside})
        return
    stream = AnswerStream(sent, name)
    yield stream.begin()
    for words in _PIECE.findall(text):
        yield stream.piece(words)
    yield from stream.end(usage, beside, reason=reason)


def respond_with(sent: ChatSent, pieces: AsyncIterator[str] | Iterator[str]) -> Response:
    """Return the response whose body these pieces are."""
    media = "text/event-stream" if sent.stream else "application/json"
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(pieces, media_type=media, headers=headers)


def chat_error(problem: Problem) -> dict[str, Any]:
    """Return a refusal in the shape of this protocol."""
    message = problem.detail if problem.hint is None else f"{problem.detail}; {problem.hint}"
    kind = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}.get(
        problem.status, "invalid_request_error" if problem.status < 500 else "server_error"
    )
    code = "model_not_found" if problem.status == 404 else problem.reason or problem.code
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}
