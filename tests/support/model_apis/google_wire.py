"""Google's generateContent as a server speaks it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from lorewright.ids import canonical_json
from support.model_apis.wire import ANSWER, Asked, Said, Usage, data, text_of

_STATUS = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 429: "RESOURCE_EXHAUSTED"}


class GoogleWire:
    """Google's Gemini API."""

    name = "google"
    _ENDED: ClassVar = {"done": "STOP", "length": "MAX_TOKENS", "refusal": "SAFETY"}

    def asked(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> Asked:
        """What a body asks; the model's name stands in the path."""
        told = body.get("generationConfig", {})
        tools = [one for tool in body.get("tools", []) for one in tool.get("functionDeclarations", [])]
        calling = body.get("toolConfig", {}).get("functionCallingConfig", {})
        schema = told.get("responseJsonSchema") or told.get("responseSchema")
        of_tool: dict[str, Any] = next((tool for tool in tools if tool.get("name") == ANSWER), {})
        return Asked(
            wire=self.name,
            path=path,
            headers=headers,
            body=body,
            model=path.rpartition("/")[2].partition(":")[0],
            system=_texts(body.get("systemInstruction", {})),
            messages=tuple((one.get("role", "user"), _texts(one)) for one in body.get("contents", [])),
            schema=schema or of_tool.get("parametersJsonSchema") or of_tool.get("parameters"),
            tools=tuple(tool.get("name", "") for tool in tools),
            may_call=bool(tools) and calling.get("mode") != "NONE",
            streams="streamGenerateContent" in path,
        )

    def blocks(self, asked: Asked) -> list[tuple[str, bool]]:
        """Their cache finds the longest prefix by itself: every block may end one."""
        said = [part for one in asked.body.get("contents", []) for part in one.get("parts", [])]
        system = asked.body.get("systemInstruction", {}).get("parts", [])
        return [(text_of(block), True) for block in [*asked.body.get("tools", []), *system, *said]]

    def body(self, asked: Asked, said: Said, usage: Usage) -> dict[str, Any]:
        """A response with one candidate."""
        parts: list[dict[str, Any]] = [{"text": said.thought, "thought": True}] if said.thought else []
        parts += [{"text": said.text}] if said.text else []
        parts += [{"functionCall": {"id": use.id, "name": use.name, "args": use.arguments}} for use in said.uses]
        return self._response(asked, parts, said, usage)

    def events(self, asked: Asked, said: Said, usage: Usage) -> Iterator[str]:
        """Responses in pieces; the last says that the answer is whole."""
        if said.thought:
            yield data(self._response(asked, [{"text": said.thought, "thought": True}], None, usage))
        for piece in said.pieces:
            yield data(self._response(asked, [{"text": piece}], None, usage))
        for use in said.uses:
            call = {"functionCall": {"id": use.id, "name": use.name, "args": use.arguments}}
            yield data(self._response(asked, [call], None, usage))
        # Two events, as the others have: one says how it ended, one only counts.
        yield data(self._response(asked, [], said, usage))
        yield data(self._response(asked, [], said, usage))

    def error(self, status: int, message: str) -> dict[str, Any]:
        """An error as they send it."""
        return {"error": {"code": status, "message": message, "status": _STATUS.get(status, "INTERNAL")}}

    def _response(self, asked: Asked, parts: list[dict[str, Any]], said: Said | None, usage: Usage) -> dict[str, Any]:
        candidate: dict[str, Any] = {"index": 0, "content": {"role": "model", "parts": parts}}
        if said is not None:
            candidate["finishReason"] = self._ENDED[said.ended]
        counted = {
            "promptTokenCount": usage.read,
            "candidatesTokenCount": usage.written,
            "cachedContentTokenCount": usage.cached,
            "totalTokenCount": usage.read + usage.written,
        }
        return {
            "candidates": [candidate],
            "usageMetadata": counted,
            "modelVersion": asked.model,
            "responseId": "response-double",
        }


def _texts(content: dict[str, Any]) -> str:
    """The texts of a content, and what came of calls."""
    parts = content.get("parts", [])
    results = [canonical_json(part["functionResponse"]) for part in parts if "functionResponse" in part]
    return "\n\n".join([*(part["text"] for part in parts if part.get("text")), *results])
