"""A model that steals: whatever it was made to think in private it says in every other answer. The leak tests rest on
it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from lorewright.llm.model import ModelReply, ModelRequest, OnText

# What nobody but whoever thinks it reads.
_PRIVATE = "thought"


class ThiefModel:
    """Answers as `honest` does, with the thought that it had last put into every free text but the private one. Give
    one thief to several stages: it remembers across them. Whoever is asked to mend an answer mends it."""

    key = "thief"
    provider = "thief"

    def __init__(self, honest: Callable[[ModelRequest], Any]) -> None:
        self.requests: list[ModelRequest] = []
        self.stolen: list[str] = []
        # How many answers had something stolen in them.
        self.thefts = 0
        self._honest = honest

    async def complete(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        """The honest answer and the loot; the honest answer alone where the last one was refused."""
        self.requests.append(request)
        answer = self._honest(request)
        if self.stolen and not request.talk:
            loaded = _loaded(answer, self.stolen[-1])
            self.thefts += loaded != answer
        else:
            loaded = answer
        if isinstance(answer, dict) and answer.get(_PRIVATE):
            self.stolen.append(str(answer[_PRIVATE]))
        text = loaded if isinstance(loaded, str) else json.dumps(loaded)
        if on_text is not None:
            on_text(text)
        return ModelReply(text, self.key)


def _loaded(answer: Any, loot: str) -> Any:
    """The same answer with the loot after every text that says anything: IDs and names of one word stay."""
    if isinstance(answer, dict):
        return {key: value if key == _PRIVATE else _loaded(value, loot) for key, value in answer.items()}
    if isinstance(answer, list):
        return [_loaded(one, loot) for one in answer]
    return f"{answer} {loot}" if isinstance(answer, str) and " " in answer else answer
