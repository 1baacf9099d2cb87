"""Anthropic's Messages API as a server speaks it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, ClassVar

from support.model_apis.wire import ANSWER, Asked, Said, Usage, data, listed, text_of, texts_in

# They want to see it again, with the thought that it is of.
_SIGNATURE = "signed-by-the-double"
_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
    529: "overloaded_error",
}


class AnthropicWire:
    """Anthropic's Messages API."""

    name = "anthropic"
    _ENDED: ClassVar = {"done": "end_turn", "length": "max_tokens", "refusal": "refusal"}

    def asked(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> Asked:
        """What a body asks."""
        tools = body.get("tools", [])
        told = (body.get("output_config") or {}).get("format") or body.get("output_format") or {}
        of_tool = next((tool.get("input_schema") for tool in tools if tool.get("name") == ANSWER), None)
        return Asked(
            wire=self.name,
            path=path,
            headers=headers,
            body=body,
            model=body.get("model", ""),
            system=texts_in(body.get("system", "")),
            messages=tuple((one["role"], texts_in(one["content"])) for one in body.get("messages", [])),
            schema=told.get("schema") or of_tool,
            tools=tuple(tool.get("name", "") for tool in tools),
            may_call=bool(tools) and (body.get("tool_choice") or {}).get("type") not in ("none", "tool"),
            streams=bool(body.get("stream")),
        )

    def blocks(self, asked: Asked) -> list[tuple[str, bool]]:
        """Tools, system, messages; a breakpoint stands after a block with `cache_control`."""
        body = asked.body
        said = [block for message in body.get("messages", []) for block in listed(message["content"])]
        blocks = [*body.get("tools", []), *listed(body.get("system", "")), *said]
        return [(text_of(block), "cache_control" in block) for block in blocks]

    def body(self, asked: Asked, said: Said, usage: Usage) -> dict[str, Any]:
        """A message."""
        content: list[dict[str, Any]] = []
        if said.thought:
            content.append({"type": "thinking", "thinking": said.thought, "signature": _SIGNATURE})
        if said.text:
            content.append({"type": "text", "text": said.text})
        content += [{"type": "tool_use", "id": use.id, "name": use.name, "input": use.arguments} for use in said.uses]
        return {**self._head(asked), "content": content, "usage": _claude_usage(usage), **self._end(said)}

    def events(self, asked: Asked, said: Said, usage: Usage) -> Iterator[str]:
        """Server-sent events, each with its name."""
        begun = {**_claude_usage(usage), "output_tokens": 1}
        head = {**self._head(asked), "content": [], "stop_reason": None, "stop_sequence": None, "usage": begun}
        yield _event({"type": "message_start", "message": head})
        index = 0
        if said.thought:
            unthought = {"type": "thinking", "thinking": "", "signature": ""}
            signed = ("signature_delta", "signature", [_SIGNATURE])
            yield from self._block(index, unthought, [("thinking_delta", "thinking", [said.thought]), signed])
            index += 1
        if said.text:
            yield from self._block(index, {"type": "text", "text": ""}, [("text_delta", "text", said.pieces)])
            index += 1
        for use in said.uses:
            empty = {"type": "tool_use", "id": use.id, "name": use.name, "input": {}}
            written = json.dumps(use.arguments)
            halves = [written[: len(written) // 2], written[len(written) // 2 :]]
            yield from self._block(index, empty, [("input_json_delta", "partial_json", halves)])
            index += 1
        yield _event({"type": "message_delta", "delta": self._end(said), "usage": {"output_tokens": usage.written}})
        yield _event({"type": "message_stop"})

    def error(self, status: int, message: str) -> dict[str, Any]:
        """An error as they send it."""
        return {"type": "error", "error": {"type": _KINDS.get(status, "api_error"), "message": message}}

    @staticmethod
    def _block(index: int, empty: dict[str, Any], deltas: list[tuple[str, str, list[str]]]) -> Iterator[str]:
        yield _event({"type": "content_block_start", "index": index, "content_block": empty})
        for kind, field_name, pieces in deltas:
            for piece in pieces:
                delta = {"type": kind, field_name: piece}
                yield _event({"type": "content_block_delta", "index": index, "delta": delta})
        yield _event({"type": "content_block_stop", "index": index})

    @staticmethod
    def _head(asked: Asked) -> dict[str, Any]:
        return {"id": "msg_double", "type": "message", "role": "assistant", "model": asked.model}

    def _end(self, said: Said) -> dict[str, Any]:
        reason = "tool_use" if said.uses and said.ended == "done" else self._ENDED[said.ended]
        return {"stop_reason": reason, "stop_sequence": None}


def _claude_usage(usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": usage.read - usage.cached - usage.stored,
        "cache_read_input_tokens": usage.cached,
        "cache_creation_input_tokens": usage.stored,
        "output_tokens": usage.written,
    }


def _event(value: dict[str, Any]) -> str:
    return f"event: {value['type']}\n{data(value)}"
