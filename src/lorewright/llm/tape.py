"""Tapes: the answers of models on record, one JSON object a line, and models that answer from such a file alone.

A line is written when an answer has come: `request` (a hash of the model's key and of everything that it was shown),
`stage`, `key`, and either `reply` or `error`. A tape holds the answers, so it is as secret as its game; requests are on
it as hashes only, and no API key ever reaches it.
"""

from __future__ import annotations

import json
from collections import defaultdict, deque
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lorewright.bounded_files import read_text
from lorewright.errors import BudgetExceeded, ModelRefused, ProviderBusy, ProviderError
from lorewright.ids import canonical_json, content_hash
from lorewright.llm.model import MAX_TOKENS, Model, ModelReply, ModelRequest, ModelWrapper, OnText, ToolCall

# Largest tape; a sitting's answers are some MB.
_MAX_BYTES = 256 * 1024 * 1024
_ERRORS = {error.code: error for error in (ProviderBusy, ModelRefused, BudgetExceeded, ProviderError)}


# How long an answer may be is a setting of the model and no part of the question; nor is what a schema is narrowed to,
# which follows from the rest. In the hash both are as when the first tapes were recorded, so that these can still be
# played.
_FIRST_BOUNDS = dict.fromkeys(("npc_intent", "persona_extractor", "character_extractor", "recap"), 1_024)


def request_hash(key: str, request: ModelRequest) -> str:
    """Return the hash of a question to a model; it is the same in any process and with any settings."""
    asked = asdict(request)
    del asked["narrow"]
    if request.max_tokens is None:
        asked["max_tokens"] = _FIRST_BOUNDS.get(request.stage, MAX_TOKENS)
    return content_hash(canonical_json({"key": key, "request": asked}))


class TapeRecorder(ModelWrapper):
    """A model whose answers and errors are appended to a file. Several models may write to one file."""

    def __init__(self, model: Model, path: Path) -> None:
        super().__init__(model)
        self._path = path

    async def complete(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        """Ask the model and record its answer.

        Raises:
            ProviderError: as the model does; it is on the tape.
        """
        try:
            reply = await self._model.complete(request, on_text=on_text)
        except ProviderError as error:
            recorded = {"code": error.code, "message": error.message, "hint": error.hint, "tries": error.tries}
            self._keep(request, {"error": recorded})
            raise
        self._keep(request, {"reply": asdict(reply)})
        return reply

    def _keep(self, request: ModelRequest, came: dict[str, Any]) -> None:
        line = {"request": request_hash(self.key, request), "stage": request.stage, "key": self.key, **came}
        with self._path.open("a", encoding="utf-8") as tape:
            tape.write(canonical_json(line) + "\n")


class TapePlayer:
    """A model that answers the questions on a tape as they were answered then, and no others. A repeated question is
    answered in the same order.
    """

    provider = "tape"

    def __init__(self, path: Path, *, key: str) -> None:
        """Read a tape; `key` is the key of the model that was recorded.

        Raises:
            ProviderError: a line of the tape cannot be read; the message has file and line.
        """
        self.key = key
        self._path = path
        self._answers = _read(path)

    async def complete(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        """Return the recorded answer, in one piece where pieces are wanted.

        Raises:
            ProviderError: the question is not on the tape, or not so often; or the recorded error.
        """
        answers = self._answers.get(request_hash(self.key, request))
        if not answers:
            raise ProviderError(
                f"{self._path}: the tape has no answer of {self.key} to what the {request.stage} stage asks",
                hint="the request differs from the recording; record the tape anew",
            )
        came = answers.popleft()
        if "error" in came:
            told = came["error"]
            raise _ERRORS[told["code"]](told["message"], hint=told["hint"], tries=tuple(told["tries"]))
        reply = _reply(came["reply"])
        if on_text is not None and reply.text:
            on_text(reply.text)
        return reply


def _read(path: Path) -> dict[str, deque[dict[str, Any]]]:
    answers: dict[str, deque[dict[str, Any]]] = defaultdict(deque)
    try:
        lines = read_text(path, _MAX_BYTES, ProviderError, encoding="utf-8").splitlines(keepends=True)
    except (OSError, UnicodeDecodeError):
        raise ProviderError(f"{path}: the tape cannot be read", hint="record one with TapeRecorder") from None
    for number, line in enumerate(lines, start=1):
        if not line.endswith("\n"):
            break  # The recorder was stopped in the midst of a line.
        try:
            came = json.loads(line)
            _check(came)
            answers[came["request"]].append(came)
        except (ValueError, KeyError, TypeError):
            raise ProviderError(f"{path}:{number}: this is no line of a tape", hint="record it anew") from None
    return answers


def _check(came: dict[str, Any]) -> None:
    if "error" in came:
        _ERRORS[came["error"]["code"]](came["error"]["message"], tries=tuple(came["error"]["tries"]))
    else:
        _reply(came["reply"])


def _reply(told: dict[str, Any]) -> ModelReply:
    calls = tuple(ToolCall(**call) for call in told["calls"])
    return ModelReply(**{**told, "calls": calls, "tries": tuple(told["tries"])})
