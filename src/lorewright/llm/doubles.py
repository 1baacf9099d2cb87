"""Models for tests and rehearsals: one that says what it was told to, and one that repeats all it was shown.

They ship with the package: whoever builds on Lorewright tests with them, and the leak tests rest on the parrot, for it
puts everything that a stage could see into everything that a stage can say.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from lorewright.errors import ProviderError
from lorewright.llm.model import ModelReply, ModelRequest


class ScriptedModel:
    """Answers from a queue of texts or data, or by a function of the request; keeps every request it got."""

    key = "scripted"

    def __init__(self, script: Iterable[Any] | Callable[[ModelRequest], Any]) -> None:
        self.requests: list[ModelRequest] = []
        self._answer = script if callable(script) else None
        self._queue: deque[Any] = deque() if callable(script) else deque(script)

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The next answer; an exception in the script is raised.

        Raises:
            ProviderError: the script is at its end.
        """
        self.requests.append(request)
        if self._answer is None and not self._queue:
            raise ProviderError("the script is at its end", hint="give the scripted model more answers")
        answer = self._answer(request) if self._answer else self._queue.popleft()
        if isinstance(answer, Exception):
            raise answer
        return ModelReply(answer if isinstance(answer, str) else json.dumps(answer), self.key)


class ParrotModel:
    """Copies its whole input into every free text of its answer; keeps every request it got."""

    key = "parrot"

    def __init__(self) -> None:
        self.requests: list[ModelRequest] = []

    async def complete(self, request: ModelRequest) -> ModelReply:
        """An answer that fits the schema and says everything that was asked."""
        self.requests.append(request)
        schema = request.schema
        answer = _parroted(schema, schema.get("$defs", {}), request.context)
        return ModelReply(json.dumps(answer), self.key)


def _parroted(schema: dict[str, Any], definitions: dict[str, Any], text: str) -> Any:
    """A value that fits a JSON schema, with `text` wherever any text may stand; lists of other things stay empty."""
    if "$ref" in schema:
        return _parroted(definitions[schema["$ref"].rsplit("/", 1)[-1]], definitions, text)
    if "anyOf" in schema:
        return _parroted(schema["anyOf"][0], definitions, text)
    if "const" in schema or "enum" in schema:
        return schema["const"] if "const" in schema else schema["enum"][0]
    kind = schema.get("type")
    if kind == "object":
        properties = schema.get("properties", {})
        return {name: _parroted(inner, definitions, text) for name, inner in properties.items()}
    if kind == "array":
        return [text] if schema.get("items", {}).get("type") == "string" else []
    if kind == "string":
        return text
    return schema.get("default", {"integer": schema.get("minimum", 0), "number": 1.0, "boolean": False}.get(str(kind)))
