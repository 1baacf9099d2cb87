"""OpenAI's chat completions as a server speaks them, OpenAI's own or one of the many that are compatible."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, ClassVar

from support.model_apis.wire import ANSWER, Asked, Said, Usage, Use, data, listed, text_of, texts_in


class OpenAIWire:
    """OpenAI's chat completions, as many servers speak them."""

    name = "openai"
    # A refusal ends like an answer; it stands in a field of its own.
    _ENDED: ClassVar = {"done": "stop", "length": "length", "refusal": "stop"}

    def asked(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> Asked:
        """What a body asks."""
        messages = [(one["role"], texts_in(one.get("content") or "")) for one in body.get("messages", [])]
        tools = [tool.get("function", {}) for tool in body.get("tools", [])]
        told = (body.get("response_format") or {}).get("json_schema") or {}
        of_tool = next((tool.get("parameters") for tool in tools if tool.get("name") == ANSWER), None)
        return Asked(
            wire=self.name,
            path=path,
            headers=headers,
            body=body,
            model=body.get("model", ""),
            system="\n\n".join(text for role, text in messages if role in ("system", "developer")),
            messages=tuple((role, text) for role, text in messages if role not in ("system", "developer")),
            schema=told.get("schema") or of_tool,
            tools=tuple(tool.get("name", "") for tool in tools),
            may_call=bool(tools) and body.get("tool_choice", "auto") in ("auto", "required"),
            streams=bool(body.get("stream")),
        )

    def blocks(self, asked: Asked) -> list[tuple[str, bool]]:
        """Their cache finds the longest prefix by itself: every block may end one."""
        said = [block for message in asked.body.get("messages", []) for block in listed(message.get("content") or "")]
        return [(text_of(block), True) for block in [*asked.body.get("tools", []), *said]]

    def body(self, asked: Asked, said: Said, usage: Usage) -> dict[str, Any]:
        """A chat completion."""
        refusal = "I cannot help with that." if said.ended == "refusal" else None
        message: dict[str, Any] = {"role": "assistant", "content": said.text or None, "refusal": refusal}
        if said.thought:
            message["reasoning_content"] = said.thought
        if said.uses:
            message["tool_calls"] = [_called(use) for use in said.uses]
        choice = {"index": 0, "message": message, "finish_reason": self._reason(said), "logprobs": None}
        return {**self._head(asked, "chat.completion"), "choices": [choice], "usage": _gpt_usage(usage)}

    def events(self, asked: Asked, said: Said, usage: Usage) -> Iterator[str]:
        """Server-sent events without names, and the word that ends them."""
        yield self._chunk(asked, {"role": "assistant", "content": ""})
        if said.thought:
            yield self._chunk(asked, {"reasoning_content": said.thought})
        for piece in said.pieces:
            yield self._chunk(asked, {"content": piece})
        if said.ended == "refusal":
            yield self._chunk(asked, {"refusal": "I cannot help with that."})
        for at, use in enumerate(said.uses):
            yield self._chunk(asked, {"tool_calls": [{"index": at, **_called(use)}]})
        last = {"index": 0, "delta": {}, "finish_reason": self._reason(said), "logprobs": None}
        counted = {**self._head(asked, "chat.completion.chunk"), "choices": [], "usage": _gpt_usage(usage)}
        yield data({**self._head(asked, "chat.completion.chunk"), "choices": [last]}) + data(counted)
        yield "data: [DONE]\n\n"

    def error(self, status: int, message: str) -> dict[str, Any]:
        """An error as they send it."""
        return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}

    def _chunk(self, asked: Asked, delta: dict[str, Any]) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": None, "logprobs": None}
        return data({**self._head(asked, "chat.completion.chunk"), "choices": [choice]})

    def _reason(self, said: Said) -> str:
        return "tool_calls" if said.uses and said.ended == "done" else self._ENDED[said.ended]

    @staticmethod
    def _head(asked: Asked, kind: str) -> dict[str, Any]:
        return {"id": "chatcmpl-double", "object": kind, "created": 1_700_000_000, "model": asked.model}


def _called(use: Use) -> dict[str, Any]:
    return {"id": use.id, "type": "function", "function": {"name": use.name, "arguments": json.dumps(use.arguments)}}


def _gpt_usage(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.read,
        "completion_tokens": usage.written,
        "total_tokens": usage.read + usage.written,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
    }
