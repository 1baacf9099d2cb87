"""A whole response as pydantic-ai has it -> our reply, or the reason why it is none."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from lorewright.errors import ModelRefused, ProviderBusy
from lorewright.llm.model import ModelReply, ToolCall
from lorewright.llm.providers.messages import ANSWER_TOOL
from lorewright.llm.providers.thoughts import without_thought
from lorewright.llm.taxonomy import Row

if TYPE_CHECKING:
    from pydantic_ai import messages as theirs

_TOO_LONG = "the answer is not finished: it reached the most tokens that it may have; answer more briefly"
_EMPTY = "the answer is empty"


def reply_of(response: theirs.ModelResponse, row: Row, *, streamed: bool) -> ModelReply:
    """What a model answered: its text without anything that it thought, its calls, and what it cost.

    An answer that ran into its bound, or has nothing in it, is marked `unfinished`: it is the model's to mend. It has
    no calls, for the last of them may be half a one.

    Raises:
        ModelRefused: it declined, or the provider's filter did.
        ProviderBusy: it broke off without saying that it was done.
    """
    from pydantic_ai import messages as theirs  # late: it takes most of a second

    who = f"{row.provider} ({row.key})"
    ended = response.finish_reason
    if ended == "content_filter":
        raise ModelRefused(
            f"{who}: the model declined to answer", hint="put it another way, or let the built-in stage do it"
        )
    if _is_cut(response, row, streamed=streamed) or ended == "error":
        raise ProviderBusy(f"{who}: the answer broke off", hint="try again")
    called = [part for part in response.parts if isinstance(part, theirs.ToolCallPart)]
    answers = [part.args_as_json_str() for part in called if part.tool_name == ANSWER_TOOL]
    texts = [part.content for part in response.parts if isinstance(part, theirs.TextPart)]
    # The SDKs hold what a server sends to no type: a block that they do not know can be a text of None.
    said = without_thought("".join(text for text in texts if isinstance(text, str)))
    calls = tuple(_call(part) for part in called if part.tool_name != ANSWER_TOOL)
    text = answers[0] if answers else said
    unfinished = _TOO_LONG if ended == "length" else None if text.strip() or calls else _EMPTY
    usage = response.usage
    return ModelReply(
        text=text,
        model_name=response.model_name or row.model,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        calls=() if unfinished else calls,
        unfinished=unfinished,
    )


def _is_cut(response: theirs.ModelResponse, row: Row, *, streamed: bool) -> bool:
    """Whether nothing says that the answer is whole. Some servers never say so of an answer in one piece, which cannot
    be cut without being no JSON."""
    told = (response.provider_details or {}).get("finish_reason")
    if told or response.finish_reason == "content_filter":
        return False
    return streamed or row.provider != "openai-compatible"


def _call(part: theirs.ToolCallPart) -> ToolCall:
    arguments = part.args if isinstance(part.args, str) else json.dumps(part.args or {}, ensure_ascii=False)
    return ToolCall(part.tool_call_id, part.tool_name, arguments)
