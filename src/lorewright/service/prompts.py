"""Queries -> the prompts and resources of the server, which a person picks from a menu, and completions of their
arguments. Each prompt brings along the lore that it is about."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, CallToolResult, Completion, GetPromptResult, InputRequiredResult
from pydantic import Field, ValidationError

from lorewright.campaigns.viewers import Transcript, VisibleScene
from lorewright.errors import LorewrightError
from lorewright.ids import local, qualify
from lorewright.service.binding import bound_to, report_errors
from lorewright.service.queries import MOST_TURNS, EntityFound, Queries
from lorewright.service.write_tools import op_schema
from lorewright.turn.checks.tools import MessageSeen, StateSeen, WaySeen

# Answers -> Markdown for the readers of resources and prompts.

# An item's name, which the author puts before its text.
_NAMES = re.compile(r"\{#[^}]*\}\s*")


def entity_text(found: EntityFound) -> str:
    """Return an entity with all chunks that were found of it, section by section, each with its source."""
    also = f"\n\nAlso called {', '.join(found.entity.aliases)}." if found.entity.aliases else ""
    sections = [
        f"## {chunk.section_path}\n\n{_NAMES.sub('', chunk.text)}\n\n({chunk.chunk_id})" for chunk in found.chunks
    ]
    return "\n\n".join([f"# {found.entity.name} ({found.entity.type}, {found.entity.id}){also}", *sections]) + "\n"


def state_text(state: StateSeen) -> str:
    """Return where the story stands, in a few lines."""
    lines = [f"Turn {state.turn_no}, {state.minutes} minutes in."]
    if state.place is not None:
        lines.append(f"Place: {state.place.name}.")
    if state.present:
        lines.append(f"Present: {', '.join(person.name for person in state.present)}.")
    if state.carried:
        many = (f"{item.name}{f' ({item.quantity})' if item.quantity > 1 else ''}" for item in state.carried)
        lines.append(f"Carried: {', '.join(many)}.")
    if state.ways:
        lines.append(f"Ways out: {', '.join(map(_way, state.ways))}.")
    lines += [f"Clock: {clock['name']} {clock['value']} of {clock['max']}." for clock in state.clocks]
    lines += [f"Thread: {thread.title} ({thread.status})." for thread in state.threads]
    lines += [
        f"Established: {fact.subject.name}: {fact.predicate.replace('_', ' ')} {_shown(fact.object)}".rstrip()
        for fact in state.facts
    ]
    lines += [f"Remembered: {memory}" for memory in state.remembered]
    if state.ended:
        lines.append("The story has ended.")
    return "\n".join(lines) + "\n"


def _way(way: WaySeen) -> str:
    return f"{way.way} (to {way.name})" if way.name else way.way


def scene_text(scene: VisibleScene) -> str:
    """Return a scene: its place, the people in it, and its lore."""
    who = ", ".join(person.name for person in scene.present) or "nobody"
    names = {person.id: person.name for person in (*scene.present, *scene.eyes)}
    return "\n".join([f"# {scene.place.name}", "", f"There: {who}.", "", *_lore(scene.lore, names)]).rstrip() + "\n"


def transcript_text(transcript: Transcript) -> str:
    """Return the entries, turn by turn."""
    lines: list[str] = []
    turn_no: int | None = None
    for message in transcript.messages:
        if message.turn_no != turn_no:
            turn_no = message.turn_no
            lines += [f"## Turn {turn_no}", ""]
        lines += [_said(message), ""]
    return "\n".join(lines).rstrip() + "\n" if lines else "Nothing yet.\n"


def _said(message: MessageSeen) -> str:
    if message.type == "narration":
        return message.content
    what = message.subtype or message.type
    if message.type == "scene_marker":
        return f"[{what}: {_shown(dict(message.payload))}]"
    return f"{message.owner.name} ({what}): {message.content}"


def _lore(lore: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of every part that is not empty, under a heading of its own."""
    for key, value in lore.items():
        if key in ("scene_id", "location_id") or not value:
            continue
        lines = list(_lines(value, names))
        if lines:
            yield f"## {key.replace('_', ' ').capitalize()}"
            yield ""
            yield from lines
            yield ""


def _lines(value: Any, names: Mapping[str, str]) -> Iterator[str]:
    if isinstance(value, Mapping):
        # A text with its source, as in a scene's lore: only the text is shown.
        if "text" in value:
            yield f"- {value['text']}"
            return
        whose = value.get("npc_id")
        for key, part in value.items():
            part_lines = [] if key in ("npc_id", "chunk_id", "key", "id") else list(_lines(part, names))
            of = f"{names.get(whose, whose)}: " if whose else ""
            if part_lines:
                yield f"- {of}{names.get(key, str(key)).replace('_', ' ')}"
                yield from (f"  {line}" for line in part_lines)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for part in value:
            yield from _lines(part, names)
    elif value not in ("", None):
        yield f"- {value}"


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_shown(part)}" for key, part in value.items())
    return "" if value in (None, True) else str(value)


# Queries -> the resources of the server, which a person attaches to a conversation. They say the same as the tools.

SCHEME = "lorewright"
_MARKDOWN = "text/markdown"
_JSON = "application/json"


def add_resources(server: MCPServer[Any], queries: Queries, *, writes: bool) -> None:
    """Add the resources. Of a campaign that is served alone each is listed by its own URI; else they are templates."""
    campaign = "{campaign}" if queries.campaign_id is None else queries.campaign_id

    def state(campaign: str | None = None) -> str:
        found = queries.state(campaign_id=campaign)
        return json.dumps(found.model_dump(mode="json", exclude_none=True), ensure_ascii=False, indent=2)

    def scene(campaign: str | None = None) -> str:
        return scene_text(queries.scene(campaign_id=campaign))

    def transcript(campaign: str | None = None) -> str:
        return transcript_text(queries.transcript(campaign_id=campaign, last=MOST_TURNS))

    for reader, title, kind, what in (
        (state, "Where the story stands", _JSON, "The place, who is there, what is carried, clocks and threads."),
        (
            scene,
            "The scene at hand",
            _MARKDOWN,
            "What belongs to the scene: its atmosphere, who is there, what is known.",
        ),
        (transcript, "The story so far", _MARKDOWN, f"What was told in the last {MOST_TURNS} turns."),
    ):
        server.resource(
            f"{SCHEME}://campaign/{campaign}/{reader.__name__}",
            name=reader.__name__ if queries.campaign_id is None else f"{queries.campaign_id} {reader.__name__}",
            title=title,
            description=what,
            mime_type=kind,
        )(_as_resource(queries, reader if queries.campaign_id is None else _of_no_campaign(reader)))

    def packs() -> str:
        return queries.packs().model_dump_json(indent=2)

    def entity(pack: str, entity: str) -> str:
        return entity_text(queries.entity(qualify(pack, entity)))

    server.resource(
        f"{SCHEME}://packs", name="packs", title="Lore packs", description="The packs that are asked.", mime_type=_JSON
    )(_as_resource(queries, packs))
    server.resource(
        f"{SCHEME}://lore/{{pack}}/{{entity}}",
        name="entity",
        title="All that may be read of somebody or something",
        description="By pack and ID or name: its own file first, then what mentions it.",
        mime_type=_MARKDOWN,
    )(_as_resource(queries, entity))
    if writes:

        def ops() -> str:
            return json.dumps(op_schema(), indent=2)

        server.resource(
            f"{SCHEME}://ops",
            name="ops",
            title="The ops of apply_ops",
            description="The complete JSON Schema of every op.",
            mime_type=_JSON,
        )(ops)


def _as_resource(queries: Queries, function: Callable[..., str]) -> Callable[..., str]:
    return report_errors(queries, function, f"resource:{function.__name__}", ResourceNotFoundError)


def _of_no_campaign(function: Callable[..., str]) -> Callable[[], str]:
    def read() -> str:
        return function()

    read.__name__ = function.__name__
    return read


# The prompts, and the completions of arguments.

_ONLY_THIS = "Use only what stands above. Where it does not say, say that it does not; invent nothing."
_MOST_COMPLETIONS = 100
# The most characters that are shown of a name that a client sent.
_SHOWN = 80

Campaign = Annotated[str, Field(description="The campaign, by its ID.")]


class PromptServer(MCPServer[Any]):
    """A server that tells a client which argument of a tool or prompt is unknown, missing or wrong."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool.

        Raises:
            ToolError: there is no such tool, its arguments are wrong, or it failed; the message says which and why.
        """
        taken = next((tool.input_schema for tool in await self.list_tools() if tool.name == name), None)
        if taken is not None and (
            # Where one campaign is served the tools do not ask for it; a client may name it all the same.
            unknown := sorted(set(arguments) - {*taken["properties"], "campaign"})
        ):
            names = ", ".join(taken["properties"])
            raise ToolError(f"the tool {name} takes no argument {unknown[0][:_SHOWN]}; its arguments are: {names}")
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            first = error.__cause__.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            raise ToolError(f"the argument {where} of the tool {name} does not fit: {first['msg']}") from None

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Context[Any, Any] | None = None
    ) -> GetPromptResult | InputRequiredResult:
        """Return a prompt, filled in.

        Raises:
            MCPError: there is no such prompt, or its arguments are wrong; the message names those that it has.
        """
        known = {prompt.name: prompt.arguments or [] for prompt in await self.list_prompts()}
        if name not in known:
            raise _refusal(f"there is no prompt {name[:_SHOWN]}; there are: {', '.join(known)}")
        given = set(arguments or {})
        names = {argument.name for argument in known[name]}
        if unknown := sorted(given - names):
            taken = ", ".join(sorted(names)) or "none"
            raise _refusal(f"the prompt {name} takes no argument {unknown[0][:_SHOWN]}; its arguments are: {taken}")
        if missing := [argument.name for argument in known[name] if argument.required and argument.name not in given]:
            raise _refusal(f"the prompt {name} needs the argument {missing[0]}")
        return await super().get_prompt(name, arguments, context)


def _refusal(message: str) -> MCPError:
    return MCPError(code=INVALID_PARAMS, message=message)


def add_prompts(server: MCPServer[Any], queries: Queries) -> None:
    """Add the prompts, and the completions of the arguments of prompts and resource templates."""
    bound = queries.campaign_id is not None

    def brief_scene(campaign: Campaign) -> str:
        """Brief me on this scene: where we are, who is here and what they bring to it, what is open."""
        return _asking(
            scene_text(queries.scene(campaign_id=campaign)) + "\n" + state_text(queries.state(campaign_id=campaign)),
            f"Brief me on this scene for somebody who {_whose(queries)}: first the place in two sentences, then each "
            "person in one, then what is open or pressing.",
        )

    def story_so_far(
        campaign: Campaign, turns: Annotated[str, Field(description=f"So many turns, at most {MOST_TURNS}.")] = "20"
    ) -> str:
        """What happened so far: a short retelling of the last turns."""
        last = int(turns) if turns.isdecimal() else 20
        return _asking(
            transcript_text(queries.transcript(campaign_id=campaign, last=last)),
            "Tell me in a few sentences what happened so far, in order, and what was left open.",
        )

    def tell_me_about(
        entity: Annotated[str, Field(description="A person, place or thing, by ID or name.")], campaign: Campaign = ""
    ) -> str:
        """Tell me about somebody or something: all that the lore holds on it, in short."""
        found = queries.entity(entity, campaign_id=campaign or None)
        return _asking(entity_text(found), f"Tell me what matters about {found.entity.name}, with the sources.")

    for function, title in (
        (brief_scene, "Brief me on this scene"),
        (story_so_far, "What happened so far"),
        (tell_me_about, "Tell me about …"),
    ):
        called = report_errors(queries, function, f"prompt:{function.__name__}", _refusal)
        server.prompt(title=title, description=inspect.getdoc(function))(
            bound_to(queries.campaign_id, called) if bound else called
        )

    async def complete(ref: Any, argument: Any, context: Any) -> Completion | None:
        given = dict(context.arguments or {}) if context is not None else {}
        values = _values(queries, argument.name, given)
        matching = [value for value in values if argument.value.casefold() in value.casefold()]
        return Completion(values=matching[:_MOST_COMPLETIONS], has_more=len(matching) > _MOST_COMPLETIONS)

    server.completion()(complete)  # type: ignore[no-untyped-call]


def _values(queries: Queries, name: str, given: dict[str, str]) -> list[str]:
    try:
        if name == "campaign":
            return [campaign.id for campaign in queries.campaigns().campaigns]
        if name == "pack":
            return [pack.id for pack in queries.packs().packs]
        if name == "entity" and "pack" in given:
            return [local(entity.id) for entity in queries.entities(packs=[given["pack"]]).entities]
        if name == "entity":
            return [entity.id for entity in queries.entities(campaign_id=given.get("campaign") or None).entities]
    except LorewrightError:
        return []  # no completions rather than an error
    return []


def _whose(queries: Queries) -> str:
    if queries.viewer.is_gm:
        return "runs the game and may know its secrets"
    if queries.viewer.is_watcher:
        return "watches it"
    if queries.viewer.kind == "pc":
        return f"plays {queries.viewer.id} in it"
    return "plays in it" if queries.viewer.is_player else f"is {queries.viewer.id}"


def _asking(text: str, question: str) -> str:
    return f"{text}\n---\n{question} {_ONLY_THIS}"
