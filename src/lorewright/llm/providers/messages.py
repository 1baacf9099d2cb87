"""A request of ours -> pydantic-ai's messages, parameters and settings.

The parts of a prompt stand in the order in which providers cache them: tools, system, the stable part, the changing
part, what was said since. A cache breakpoint stands after the system part and after the stable one.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lorewright.errors import ModelRefused, ProviderBusy
from lorewright.llm.model import ModelReply, ModelRequest, Talk, ToolCall, ToolSpec
from lorewright.llm.taxonomy import Mode, ModelRow

# Thoughts: what local models think aloud before an answer, between tags, is taken out of it, whole or in pieces.

_OPEN = "<think>"
_CLOSE = "</think>"


def without_thought(text: str) -> str:
    """The text without the thought that it begins with; nothing is left of one that does not end."""
    if not text.lstrip().startswith(_OPEN):
        return text
    return text.partition(_CLOSE)[2].lstrip()


class SpokenPieces:
    """Pieces of an answer in, the pieces of it that are no thought out. Joined they are `without_thought` of the
    whole, once `last` has been asked for too."""

    def __init__(self) -> None:
        self._held = ""
        self._is_open = False

    def next(self, piece: str) -> str:
        """What of the answer can be passed on after another piece, which may be nothing yet."""
        if self._is_open:
            return piece
        self._held += piece
        begun = self._held.lstrip()
        if begun.startswith(_OPEN):
            after = begun.partition(_CLOSE)[2].lstrip()
            return self._pass(after) if after else ""
        return "" if _OPEN.startswith(begun) else self._pass(self._held)

    def last(self) -> str:
        """What was held back although it was no thought."""
        return "" if self._is_open else self._pass(without_thought(self._held))

    def _pass(self, text: str) -> str:
        self._is_open, self._held = True, ""
        return text


# The library takes most of a second to import: each function does so when a model is asked.
if TYPE_CHECKING:
    from pydantic_ai import messages as theirs
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.settings import ModelSettings
    from pydantic_ai.tools import ToolDefinition

# The tool that a model calls to give a structured answer, where that is how it is held to a schema.
ANSWER_TOOL = "answer"


def messages_of(
    request: ModelRequest, *, recalled: Callable[[Talk], theirs.ModelResponse | None]
) -> list[theirs.ModelMessage]:
    """The messages; `recalled` gives back what a model said in its own form, where that is still known: some want the
    signatures in it again."""
    from pydantic_ai import messages as theirs

    prompt = request.prompt
    user: list[theirs.UserContent] = []
    if prompt.stable:
        user += [prompt.stable, theirs.CachePoint()]
    if prompt.changing or not user:
        # No provider takes a message of nothing.
        user.append(prompt.changing or "(nothing more)")
    parts: list[theirs.ModelRequestPart] = [theirs.SystemPromptPart(prompt.system)] if prompt.system else []
    first = theirs.ModelRequest(parts=[*parts, theirs.UserPromptPart(user)])
    return [first, *(_said(talk, recalled) for talk in request.talk)]


def _said(talk: Talk, recalled: Callable[[Talk], theirs.ModelResponse | None]) -> theirs.ModelMessage:
    from pydantic_ai import messages as theirs

    if talk.role == "user":
        results: list[theirs.ModelRequestPart] = [
            theirs.ToolReturnPart(tool_name=result.name, content=result.text, tool_call_id=result.call_id)
            for result in talk.results
        ]
        return theirs.ModelRequest(parts=[*results, *([theirs.UserPromptPart(talk.text)] if talk.text else [])])
    known = recalled(talk)
    if known is not None:
        return known
    calls: list[theirs.ModelResponsePart] = [
        theirs.ToolCallPart(tool_name=call.name, args=call.arguments, tool_call_id=call.id) for call in talk.calls
    ]
    return theirs.ModelResponse(parts=[*([theirs.TextPart(talk.text)] if talk.text else []), *calls])


def parameters_of(request: ModelRequest, row: ModelRow) -> ModelRequestParameters:
    """How the answer is to be given: as text, or held to the schema in the row's mode; and which tools there are."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

    tools = [_tool(spec) for spec in request.tools]
    if request.schema is None:
        return ModelRequestParameters(function_tools=tools)
    mode = mode_for(request.schema, row.mode)
    wanted = OutputObjectDefinition(json_schema=request.schema, name=request.stage, strict=mode == "native")
    if mode == "tool":
        answer = ToolDefinition(
            name=ANSWER_TOOL,
            description="Give the answer. Call this once, when you are done.",
            parameters_json_schema=request.schema,
            kind="output",
            strict=True,
        )
        return ModelRequestParameters(
            function_tools=tools, output_mode="tool", output_tools=[answer], allow_text_output=False
        )
    return ModelRequestParameters(function_tools=tools, output_mode=mode, output_object=wanted)


def _tool(spec: ToolSpec) -> ToolDefinition:
    from pydantic_ai.tools import ToolDefinition

    return ToolDefinition(name=spec.name, description=spec.description, parameters_json_schema=spec.schema)


def settings_of(request: ModelRequest, row: ModelRow) -> ModelSettings:
    """Bounds of the answer. Nothing is said of temperature: newer models take none.

    Models are told not to think at length before they answer: each stage is one small step, and the player waits.
    """
    settings: ModelSettings = {"max_tokens": request.max_tokens, "thinking": False}
    if request.tools and not request.may_call:
        settings["tool_choice"] = "none"
    if row.provider == "anthropic" and request.prompt.system:
        return {**settings, "anthropic_cache_instructions": True}  # type: ignore[typeddict-unknown-key]
    return settings


def mode_for(schema: dict[str, Any], mode: Mode) -> Mode:
    """The mode in which a schema can be asked for. A provider's guarantee needs every part of a schema to have a type
    and every object to name its fields; where one does not, the words of the prompt must do."""
    return mode if _is_closed(schema) else "prompted"


def _is_closed(schema: Any) -> bool:
    if not isinstance(schema, dict):
        return False
    if not {"type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const"} & schema.keys():
        return False
    if schema.get("type") == "object" and (not schema.get("properties") or schema.get("additionalProperties", False)):
        return False
    if schema.get("type") == "array" and "items" not in schema and "prefixItems" not in schema:
        return False
    inner = [
        *schema.get("properties", {}).values(),
        *schema.get("$defs", {}).values(),
        *schema.get("anyOf", ()),
        *schema.get("oneOf", ()),
        *schema.get("allOf", ()),
        *schema.get("prefixItems", ()),
        *([schema["items"]] if "items" in schema else []),
    ]
    return all(_is_closed(one) for one in inner)


# A whole response as pydantic-ai has it -> our reply, or the reason why it is none.

if TYPE_CHECKING:
    from pydantic_ai import messages as theirs

_TOO_LONG = "the answer is not finished: it reached the most tokens that it may have; answer more briefly"
_EMPTY = "the answer is empty"


def reply_of(response: theirs.ModelResponse, row: ModelRow, *, streamed: bool) -> ModelReply:
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


def _is_cut(response: theirs.ModelResponse, row: ModelRow, *, streamed: bool) -> bool:
    """Whether nothing says that the answer is whole. Some servers never say so of an answer in one piece, which cannot
    be cut without being no JSON."""
    told = (response.provider_details or {}).get("finish_reason")
    if told or response.finish_reason == "content_filter":
        return False
    return streamed or row.provider != "openai-compatible"


def _call(part: theirs.ToolCallPart) -> ToolCall:
    arguments = part.args if isinstance(part.args, str) else json.dumps(part.args or {}, ensure_ascii=False)
    return ToolCall(part.tool_call_id, part.tool_name, arguments)
