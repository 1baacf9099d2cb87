"""A model that repeats all it was shown: it puts everything that a stage could see into everything that a stage can
say. The leak tests rest on it."""

from __future__ import annotations

import json
from typing import Any

from lorewright.llm.model import ModelReply, ModelRequest, OnText


class ParrotModel:
    """Copies all that it is shown into every free text of its answer; keeps every request it got."""

    key = "parrot"
    provider = "parrot"

    def __init__(self) -> None:
        self.requests: list[ModelRequest] = []

    async def complete(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        """An answer that fits the schema and says everything that was asked."""
        self.requests.append(request)
        # What it is told to do is no news of the game, and the same in every game.
        shown = request.text.removeprefix(request.prompt.system).strip()
        text = f"It is said: {shown}" if request.schema is None else _answer(request.schema, shown)
        if on_text is not None:
            on_text(text)
        return ModelReply(text, self.key)


def _answer(schema: dict[str, Any], text: str) -> str:
    return json.dumps(_parroted(schema, schema.get("$defs", {}), text))


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
        items = schema.get("items", {})
        return [_parroted(items, definitions, text)] if items.get("type") == "string" and "enum" not in items else []
    if kind == "string":
        # The newest stands last.
        return text[-schema["maxLength"] :] if "maxLength" in schema else text
    return schema.get("default", {"integer": schema.get("minimum", 0), "number": 1.0, "boolean": False}.get(str(kind)))
