"""Models for tests and rehearsals. They ship with the package: programs that build on Lorewright test with them."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from lorewright.errors import ProviderError
from lorewright.llm.model import ModelReply, ModelRequest, OnText
from lorewright.tokens import count_tokens

# The field of an answer that only the character itself reads.
_PRIVATE = "thought"


class ScriptedModel:
    """A model that answers from a queue of texts, data or whole replies, or by a function of the request, and keeps
    every request that it got. Where prose is asked for, data with one text in it stands for that text.
    """

    key = "scripted"
    provider = "scripted"

    def __init__(self, script: Iterable[Any] | Callable[[ModelRequest], Any]) -> None:
        self.requests: list[ModelRequest] = []
        self._answer = script if callable(script) else None
        self._queue: deque[Any] = deque() if callable(script) else deque(script)

    async def complete(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        """Return the next answer, in two pieces where pieces are wanted; raise an exception that stands in the script.

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


class ParrotModel:
    """A model that copies everything it is shown into every free text of its answer, and keeps every request that it
    got.

    The leak tests rest on it: everything that a stage could see stands in everything that it can say.
    """

    key = "parrot"
    provider = "parrot"

    def __init__(self) -> None:
        self.requests: list[ModelRequest] = []

    async def complete(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        """Return an answer that fits the schema and repeats the whole request."""
        self.requests.append(request)
        # The instructions are not part of the game, and are the same in every game.
        shown = request.text.removeprefix(request.prompt.system).strip()
        text = f"It is said: {shown}" if request.schema is None else _answer(request.schema, shown)
        if on_text is not None:
            on_text(text)
        return ModelReply(text, self.key)


def _answer(schema: dict[str, Any], text: str) -> str:
    return json.dumps(_repeat_in_schema(schema, schema.get("$defs", {}), text))


def _repeat_in_schema(schema: dict[str, Any], definitions: dict[str, Any], text: str) -> Any:
    """Return a value that fits a JSON schema, with `text` in place of every text; lists of other things stay empty."""
    if "$ref" in schema:
        return _repeat_in_schema(definitions[schema["$ref"].rsplit("/", 1)[-1]], definitions, text)
    if "anyOf" in schema:
        return _repeat_in_schema(schema["anyOf"][0], definitions, text)
    if "const" in schema or "enum" in schema:
        return schema["const"] if "const" in schema else schema["enum"][0]
    kind = schema.get("type")
    if kind == "object":
        properties = schema.get("properties", {})
        return {name: _repeat_in_schema(inner, definitions, text) for name, inner in properties.items()}
    if kind == "array":
        items = schema.get("items", {})
        return (
            [_repeat_in_schema(items, definitions, text)]
            if items.get("type") == "string" and "enum" not in items
            else []
        )
    if kind == "string":
        # The newest message stands last.
        return text[-schema["maxLength"] :] if "maxLength" in schema else text
    return schema.get("default", {"integer": schema.get("minimum", 0), "number": 1.0, "boolean": False}.get(str(kind)))


class ThiefModel:
    """A model that answers as `honest` does, and puts its own last thought into every free text but the private one.
    Give one thief to several stages: it remembers across them. Asked to repair an answer, it answers honestly.
    """

    key = "thief"
    provider = "thief"

    def __init__(self, honest: Callable[[ModelRequest], Any]) -> None:
        self.requests: list[ModelRequest] = []
        self.stolen: list[str] = []
        # How many answers had stolen text in them.
        self.thefts = 0
        self._honest = honest

    async def complete(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        """Return the honest answer with the stolen text; the honest answer alone where the last one was refused."""
        self.requests.append(request)
        answer = self._honest(request)
        if self.stolen and not request.talk:
            loaded = _add_loot(answer, self.stolen[-1])
            self.thefts += loaded != answer
        else:
            loaded = answer
        if isinstance(answer, dict) and answer.get(_PRIVATE):
            self.stolen.append(str(answer[_PRIVATE]))
        text = loaded if isinstance(loaded, str) else json.dumps(loaded)
        if on_text is not None:
            on_text(text)
        return ModelReply(text, self.key)


def _add_loot(answer: Any, loot: str) -> Any:
    """Return the answer with the stolen text after every text of several words; IDs and single words stay."""
    if isinstance(answer, dict):
        return {key: value if key == _PRIVATE else _add_loot(value, loot) for key, value in answer.items()}
    if isinstance(answer, list):
        return [_add_loot(part, loot) for part in answer]
    return f"{answer} {loot}" if isinstance(answer, str) and " " in answer else answer
