"""A model that says what it was told to."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from lorewright.errors import ProviderError
from lorewright.llm.model import ModelReply, ModelRequest, OnText
from lorewright.tokens import count_tokens


class ScriptedModel:
    """Answers from a queue of texts, data or whole replies, or by a function of the request; keeps every request it
    got. Where prose is asked for, data with one text in it stands for that text."""

    key = "scripted"
    provider = "scripted"

    def __init__(self, script: Iterable[Any] | Callable[[ModelRequest], Any]) -> None:
        self.requests: list[ModelRequest] = []
        self._answer = script if callable(script) else None
        self._queue: deque[Any] = deque() if callable(script) else deque(script)

    async def complete(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        """The next answer, in two pieces where pieces are wanted; an exception in the script is raised.

        Raises:
            ProviderError: the script is at its end.
        """
        self.requests.append(request)
        if self._answer is None and not self._queue:
            raise ProviderError("the script is at its end", hint="give the scripted model more answers")
        answer = self._answer(request) if self._answer else self._queue.popleft()
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, ModelReply):
            return answer
        text = _text_of(answer, prose=request.schema is None)
        if on_text is not None:
            half = len(text) // 2
            for piece in (text[:half], text[half:]):
                on_text(piece)
        return ModelReply(text, self.key, count_tokens(request.text), count_tokens(text))


def _text_of(answer: Any, *, prose: bool) -> str:
    if isinstance(answer, str):
        return answer
    if prose and isinstance(answer, dict) and len(answer) == 1:
        return str(next(iter(answer.values())))
    return json.dumps(answer)
