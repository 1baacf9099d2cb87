"""A request of ours -> pydantic-ai's messages, parameters and settings.

The parts of a prompt stand in the order in which providers cache them: tools, system, the stable part, the changing
part, what was said since. A cache breakpoint stands after the system part and after the stable one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from lorewright.errors import ModelRefused, ProviderBusy
from lorewright.llm.model import ModelReply, ModelRequest, Narrow, RequestMessage, ToolCall, ToolSpec
from lorewright.llm.taxonomy import Mode, ModelRow

# Thoughts: local models think aloud before an answer, between tags; this is removed, from whole texts or pieces.

_OPEN = "<think>"
_CLOSE = "</think>"


def without_thought(text: str) -> str:
    """Return the text without the thought at its beginning; empty if the thought does not end."""
    if not text.lstrip().startswith(_OPEN):
        return text
    return text.partition(_CLOSE)[2].lstrip()


class SpokenPieces:
    """A filter of an answer's pieces that removes the thought. Joined, and with `last` at the end, they are
    `without_thought` of the whole.
    """

    def __init__(self) -> None:
        self._held = ""
        self._is_open = False

    def next(self, piece: str) -> str:
        """Return the part of the answer that can be passed on after another piece; it may be empty."""
        if self._is_open:
            return piece
        self._held += piece
        begun = self._held.lstrip()
        if begun.startswith(_OPEN):
            after = begun.partition(_CLOSE)[2].lstrip()
            return self._pass(after) if after else ""
        return "" if _OPEN.startswith(begun) else self._pass(self._held)

    def last(self) -> str:
        """Return the text that was held back although it was no thought."""
        return "" if self._is_open else self._pass(without_thought(self._held))

    def _pass(self, text: str) -> str:
        self._is_open, self._held = True, ""
        return text


# A request of ours -> pydantic-ai's messages, parameters and settings.

# The library takes most of a second to import: each function imports it when a model is asked.
if TYPE_CHECKING:
    from pydantic_ai import messages as theirs
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.settings import ModelSettings
    from pydantic_ai.tools import ToolDefinition

# The tool that a model calls to give a structured answer, where a tool is what holds it to a schema.
ANSWER_TOOL = "answer"


def messages_of(
    request: ModelRequest, *, recalled: Callable[[RequestMessage], theirs.ModelResponse | None]
) -> list[theirs.ModelMessage]:
    """Return the messages; `recalled` returns a model's earlier message in its own form, if still known: some providers
    want the signatures in it again.
    """
    from pydantic_ai import messages as theirs

    prompt = request.prompt
    user: list[theirs.UserContent] = []
    if prompt.stable:
        user += [prompt.stable, theirs.CachePoint()]
    if prompt.changing or not user:
        # No provider takes an empty message.
        user.append(prompt.changing or "(nothing more)")
    parts: list[theirs.ModelRequestPart] = [theirs.SystemPromptPart(prompt.system)] if prompt.system else []
    first = theirs.ModelRequest(parts=[*parts, theirs.UserPromptPart(user)])
    return [first, *(_said(talk, recalled) for talk in request.talk)]


def _said(
    talk: RequestMessage, recalled: Callable[[RequestMessage], theirs.ModelResponse | None]
) -> theirs.ModelMessage:
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
    """Return how the answer is to be given: as text, or held to the schema in the row's mode; and the tools."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

    tools = [_tool(spec) for spec in request.tools]
    if request.schema is None:
        return ModelRequestParameters(function_tools=tools)
    mode = mode_for(request.schema, row.mode)
    schema = request.schema
    if mode == "native" and row.provider == "openai-compatible":
        # Such a server makes a grammar of each schema that it gets. Vendors compile each new one for seconds and lose
        # their prompt cache by it, and in the other modes the schema is a part of the prompt.
        schema = narrow_schema(schema, request.narrow)
    wanted = OutputObjectDefinition(json_schema=schema, name=request.stage, strict=mode == "native")
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
    """Return the bounds of the answer. Temperature is not set: newer models take none.

    Models are told not to think at length before they answer: each stage is one small step, and the player waits.
    """
    settings: ModelSettings = {"max_tokens": request.longest, "thinking": False}
    if request.tools and not request.may_call:
        settings["tool_choice"] = "none"
    if row.provider == "anthropic" and request.prompt.system:
        return {**settings, "anthropic_cache_instructions": True}  # type: ignore[typeddict-unknown-key]
    return settings


def mode_for(schema: dict[str, Any], mode: Mode) -> Mode:
    """Return the mode in which a schema can be asked for. A provider's guarantee needs every part of a schema to have a
    type and every object to name its fields; where one does not, the mode is that of instructions in the prompt.
    """
    return mode if _is_closed(schema) else "prompted"


def narrow_schema(schema: dict[str, Any], narrow: Narrow) -> dict[str, Any]:
    """Return a schema with the keywords that some of its fields get besides, by their paths."""
    if not narrow:
        return schema
    narrowed = deepcopy(schema)
    for path, keywords in narrow.items():
        _narrow_part(narrowed, narrowed.get("$defs", {}), path.split("."), keywords)
    return narrowed


def _narrow_part(
    part: dict[str, Any], definitions: dict[str, Any], path: list[str], keywords: Mapping[str, Any]
) -> None:
    """Narrow the field at a path below a part of a schema, in place."""
    if "$ref" in part:
        # The definition may stand in other places, which stay as they are.
        name = part.pop("$ref").rsplit("/", 1)[-1]
        part.update({**deepcopy(definitions[name]), **part})
    if "anyOf" in part:
        others = [other for other in part["anyOf"] if other.get("type") != "null"]
        if not path and keywords.get("enum") == []:
            part["anyOf"] = [other for other in part["anyOf"] if other not in others] or others
            return
        for other in others:
            _narrow_part(other, definitions, path, keywords)
    elif path:
        inner = part["items"] if path[0] == "*" else part["properties"][path[0]]
        _narrow_part(inner, definitions, path[1:], keywords)
    elif "anyOf" in keywords:
        part.pop("type", None)
        part.update(deepcopy(dict(keywords)))
    elif keywords.get("enum") != []:
        if "enum" in keywords:
            # An ID may be longer than what a model would make up.
            for bound in ("minLength", "maxLength", "pattern"):
                part.pop(bound, None)
        part.update(keywords)


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
    return all(_is_closed(part) for part in inner)


# Reply: a whole response of pydantic-ai -> our reply, or an error that says why it is none.

if TYPE_CHECKING:
    from pydantic_ai import messages as theirs

_TOO_LONG = "the answer is not finished: it reached the most tokens that it may have; answer more briefly"
_EMPTY = "the answer is empty"


def reply_of(response: theirs.ModelResponse, row: ModelRow, *, streamed: bool) -> ModelReply:
    """Return a model's answer: its text without any thought, its calls, and what it cost.

    An answer that reached its bound, or is empty, is marked `unfinished`, for the model to repair. It has no calls,
    because the last of them may be cut.

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
    # The SDKs do not validate what a server sends: a block of an unknown kind can be a text of None.
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
    """Tell whether nothing says that the answer is whole. Some servers never say so of an answer in one piece; a cut
    there would leave invalid JSON.
    """
    reason = (response.provider_details or {}).get("finish_reason")
    if reason or response.finish_reason == "content_filter":
        return False
    return streamed or row.provider != "openai-compatible"


def _call(part: theirs.ToolCallPart) -> ToolCall:
    arguments = part.args if isinstance(part.args, str) else json.dumps(part.args or {}, ensure_ascii=False)
    return ToolCall(part.tool_call_id, part.tool_name, arguments)
