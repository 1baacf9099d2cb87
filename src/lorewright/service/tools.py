"""Queries -> the tools of the server: their names, parameters and descriptions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import AfterValidator, Field

from lorewright.campaigns.viewers import Transcript, VisibleScene
from lorewright.packs.models import ENTITY_TYPES
from lorewright.retrieval.query import CorpusFilter
from lorewright.service.binding import bound_to, report_errors
from lorewright.service.play_tools import MOST_UNDONE, Move, PlayTools
from lorewright.service.queries import (
    MOST_CHUNKS,
    MOST_TOKENS,
    MOST_TURNS,
    CampaignList,
    EditDone,
    EditPreview,
    Entities,
    EntityFound,
    LorebookEntries,
    LoreFound,
    Moved,
    Packs,
    Queries,
    Reviews,
    TurnPlayed,
)
from lorewright.service.write_tools import WriteTools, op_lines
from lorewright.turn.checks.tools import OUTSIDE_OPS, PARTS, StateSeen
from lorewright.turn.run.editing import MOST_OPS
from lorewright.turn.run.submitted import MOST_ACTIONS

Text = Annotated[str, Field(max_length=2_000)]
Name = Annotated[str, Field(min_length=1, max_length=300)]
Campaign = Annotated[Name | None, Field(description="The campaign, by its ID, as list_campaigns gives it.")]
CallId = Annotated[
    str | None,
    Field(
        min_length=1,
        max_length=200,
        description="An ID of your own for this call, new for every change. Sent again with the same call_id, nothing "
        "is changed a second time and the first answer comes again.",
    ),
]
Op = Annotated[
    dict[str, Any],
    Field(
        json_schema_extra={
            "type": "object",
            "properties": {"op": {"type": "string", "enum": list(OUTSIDE_OPS)}},
            "required": ["op"],
        }
    ),
]
Ops = Annotated[
    list[Op],
    Field(min_length=1, max_length=MOST_OPS, description="The ops in order: all of them are done, or none."),
]


def _one_of(known: tuple[str, ...], given: str) -> str:
    if given not in known:
        raise ValueError(f"one of {', '.join(known)}")
    return given


Kind = Annotated[
    str, AfterValidator(partial(_one_of, ENTITY_TYPES)), Field(json_schema_extra={"enum": list(ENTITY_TYPES)})
]
Part = Annotated[str, AfterValidator(partial(_one_of, PARTS)), Field(json_schema_extra={"enum": list(PARTS)})]

_READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, destructive_hint=False, open_world_hint=False)
# Every change is a turn that can be undone; but it replaces what was there, so a client may want to confirm it.
_WRITES = ToolAnnotations(read_only_hint=False, idempotent_hint=True, destructive_hint=True, open_world_hint=False)


def add_reading_tools(server: MCPServer[Any], queries: Queries) -> None:
    """Add the tools that every viewer has. Those of a campaign take its ID only where none is served alone."""
    add = _Adder(server, queries)

    def list_packs() -> Packs:
        """The lore packs that are asked: sourcebooks of places, people, factions and history."""
        return queries.packs()

    def list_campaigns() -> CampaignList:
        """The running games, by ID. Most other tools ask for one of these IDs."""
        return queries.campaigns()

    def query_lore(
        text: Annotated[Text, Field(description="What you want to know, in plain words: names help.")],
        campaign: Campaign = None,
        corpus: Annotated[
            CorpusFilter, Field(description="authored: the packs; history: what happened in the campaign; all: both.")
        ] = "all",
        pack: Annotated[tuple[Name, ...], Field(max_length=50, description="Only these packs; all if empty.")] = (),
        location: Annotated[Name | None, Field(description="The place it is about, by ID or name.")] = None,
        entity: Annotated[
            tuple[Name, ...], Field(max_length=50, description="Whom or what it is about, by ID or name.")
        ] = (),
        faction: Annotated[tuple[Name, ...], Field(max_length=50, description="Factions that it is about.")] = (),
        thread: Annotated[tuple[Name, ...], Field(max_length=50, description="Threads of the story.")] = (),
        tag: Annotated[tuple[Name, ...], Field(max_length=50, description="Tags that count as fitting.")] = (),
        limit: Annotated[int | None, Field(ge=1, le=MOST_CHUNKS, description="At most so many sections.")] = None,
        max_tokens: Annotated[int | None, Field(ge=1, le=MOST_TOKENS, description="At most so much text.")] = None,
    ) -> LoreFound:
        """Find lore for a question: the sections of the packs that answer it, best first, each with its source.

        With a campaign also what happened in it. You see what your viewer may see: a player's answers hold no secret
        that was not found out in that campaign.
        """
        return queries.lore(
            text,
            campaign_id=campaign,
            corpus=corpus,
            packs=pack,
            location=location,
            entities=entity,
            factions=faction,
            threads=thread,
            tags=tag,
            limit=limit,
            max_tokens=max_tokens,
        )

    def get_entity(
        entity: Annotated[
            Name, Field(description="Its name or ID, with or without its pack (`viktor`, `neo_seattle:viktor`).")
        ],
        campaign: Campaign = None,
        max_tokens: Annotated[int | None, Field(ge=1, le=MOST_TOKENS, description="At most so much text.")] = None,
    ) -> EntityFound:
        """All that may be read of one person, place or thing: its own file first, then what mentions it."""
        return queries.entity(entity, campaign_id=campaign, max_tokens=max_tokens)

    def list_entities(
        type: Annotated[Kind | None, Field(description="Only those of this type.")] = None,  # noqa: A002
        named: Annotated[Text, Field(description="Only those whose name, alias or ID has this in it.")] = "",
        campaign: Campaign = None,
        pack: Annotated[tuple[Name, ...], Field(max_length=50, description="Only these packs; all if empty.")] = (),
    ) -> Entities:
        """Who and what the packs tell of, by ID, name and type: to find the ID that other tools ask for."""
        return queries.entities(kind=type, named=named, campaign_id=campaign, packs=pack)

    def get_state(campaign: Campaign = None) -> StateSeen:
        """Where the story stands now: the place, who is there, what is carried, the ways out, clocks, threads, what is
        established. As npc it is where that character stands, and what they remember and feel."""
        return queries.state(campaign_id=campaign)

    def get_world(
        campaign: Campaign = None,
        parts: Annotated[
            tuple[Part, ...],
            Field(max_length=len(PARTS), description="Only these parts in `world`, as many as you need."),
        ] = (),
    ) -> StateSeen:
        """Where the story stands now, and in `world` the complete state behind it with the IDs of everybody and
        everything, secrets included. Facts and memories can be long: name them as parts to read all of them."""
        return queries.state(campaign_id=campaign, parts=parts)

    def get_scene(campaign: Campaign = None) -> VisibleScene:
        """What belongs to the scene at hand: its atmosphere, who is there and what they bring to it, what has been
        found. As npc it is the scene where that character is."""
        return queries.scene(campaign_id=campaign)

    def get_scene_at(
        campaign: Campaign = None,
        place: Annotated[Name | None, Field(description="A place, by ID or name; else the player's scene.")] = None,
    ) -> VisibleScene:
        """What belongs to the scene at hand, or to another place and the people there, secrets included: atmosphere,
        briefings with what people know and keep back, what can be found and how, ties to the threads."""
        return queries.scene(campaign_id=campaign, place=place)

    def get_transcript(
        campaign: Campaign = None,
        last: Annotated[int, Field(ge=1, le=MOST_TURNS, description="So many turns.")] = 10,
        before_turn: Annotated[
            int | None, Field(ge=0, description="Turns before this one: what `earlier` said in the answer before.")
        ] = None,
    ) -> Transcript:
        """What was told and said, turn by turn, oldest first, as far as your viewer was to see it."""
        return queries.transcript(campaign_id=campaign, last=last, before_turn=before_turn)

    add.reading(list_packs, "List lore packs")
    add.reading(list_campaigns, "List campaigns")
    add.reading(query_lore, "Ask the lore")
    add.reading(get_entity, "Read about one entity")
    add.reading(list_entities, "List entities")
    add.reading(get_world if queries.viewer.is_gm else get_state, "Where the story stands", name="get_state")
    add.reading(get_scene_at if queries.viewer.is_gm else get_scene, "The scene at hand", name="get_scene")
    add.reading(get_transcript, "Read the story so far")


def add_playing_tools(server: MCPServer[Any], play_tools: PlayTools) -> None:
    """Add the tools that play. The caller must make sure that the viewer is a player or the game master."""
    add = _Adder(server, play_tools.queries)

    def take_turn(
        text: Annotated[Text, Field(description="What the player says or does, in plain words.")] = "",
        campaign: Campaign = None,
        actions: Annotated[
            list[dict[str, Any]] | None,
            Field(
                max_length=MOST_ACTIONS,
                description="In place of words: {type, target_id?, location_id?, metadata?}, judged as they are.",
            ),
        ] = None,
        persona: Annotated[Name | None, Field(description="Who speaks from now on, by ID or name.")] = None,
        thought: Annotated[Text, Field(description="What they think by themselves; nobody else knows of it.")] = "",
        whisper: Annotated[Name | None, Field(description="Who alone is to hear it, by ID or name.")] = None,
        action_id: Annotated[
            Name | None,
            Field(description="An ID of your own for this turn: sent again, it gives the first answer, plays nothing."),
        ] = None,
    ) -> TurnPlayed:
        """Play one turn for the player, and get what is told of it. When the answer comes, the turn is committed. With
        a `clarification_question` nothing happened: answer it with another turn."""
        return play_tools.turn(
            text,
            actions=actions,
            campaign_id=campaign,
            persona=persona,
            thought=thought,
            whisper=whisper,
            action_id=action_id,
        )

    def moves(
        move: Annotated[
            Move,
            Field(
                description="undo: take turns back; redo: do the last one again; branches: only say where the story "
                "stands; branch: name a turn to go on from; switch: go on with another branch."
            ),
        ],
        campaign: Campaign = None,
        turns: Annotated[int, Field(ge=1, le=MOST_UNDONE, description="How many turns to take back.")] = 1,
        name: Annotated[Name | None, Field(description="The branch that is begun or switched to.")] = None,
        turn: Annotated[int | None, Field(ge=0, description="The turn that a branch begins after.")] = None,
    ) -> Moved:
        """Take turns back and do them again, and go on from other turns. Nothing that was played is ever lost."""
        return play_tools.move(move, campaign_id=campaign, turns=turns, name=name, turn=turn)

    add.writing(take_turn, "Play a turn")
    if play_tools.queries.viewer.kind != "pc":
        add.writing(moves, "Undo, redo, branches")


def add_judging_tools(server: MCPServer[Any], write_tools: WriteTools) -> None:
    """Add the game master's tools that change nothing. The caller must make sure that the viewer is the game master."""
    add = _Adder(server, write_tools.queries)

    def preview_ops(ops: Ops, campaign: Campaign = None) -> EditPreview:
        """What ops would come to, without doing them: what follows by the rules, what the player would be told. Takes
        the same ops as apply_ops, and refuses what that would refuse."""
        return write_tools.preview(ops, campaign_id=campaign)

    def list_reviews(campaign: Campaign = None) -> Reviews:
        """What was read out of the story without being sure enough of it: proposals that wait for you."""
        return write_tools.waiting(campaign_id=campaign)

    def get_lorebook(
        campaign: Campaign = None,
        flagged: Annotated[bool, Field(description="Only what speaks against what is established.")] = False,
    ) -> LorebookEntries:
        """What narrations have added to the world: of whom, in which turn, how sure. What spoke against what is firm
        has a flag, and changed nothing."""
        return write_tools.lorebook(campaign_id=campaign, flagged=flagged)

    add.reading(preview_ops, "Try a change")
    add.reading(list_reviews, "Proposals that wait")
    add.reading(get_lorebook, "Read the campaign's lorebook")


def add_writing_tools(server: MCPServer[Any], write_tools: WriteTools) -> None:
    """Add the tools that change a campaign. The caller must make sure that the viewer is the game master."""
    add = _Adder(server, write_tools.queries)

    def apply_ops(
        ops: Ops,
        campaign: Campaign = None,
        call_id: CallId = None,
        note: Annotated[Text, Field(description="Why, for the record. No player reads it.")] = "",
        revision: Annotated[
            int | None,
            Field(ge=0, description="Do it only while the campaign is at this revision, as an answer before gave it."),
        ] = None,
    ) -> EditDone:
        return write_tools.apply(ops, campaign_id=campaign, call_id=call_id, note=note, revision=revision)

    def accept_review(
        review: Annotated[Name, Field(description="The ID of the proposal, as list_reviews gives it.")],
        campaign: Campaign = None,
        call_id: CallId = None,
    ) -> EditDone:
        """Accept a proposal: its ops become true, in a turn of their own."""
        return write_tools.decide(review, accept=True, campaign_id=campaign, call_id=call_id)

    def reject_review(
        review: Annotated[Name, Field(description="The ID of the proposal, as list_reviews gives it.")],
        campaign: Campaign = None,
        call_id: CallId = None,
    ) -> EditDone:
        """Reject a proposal: nothing of it becomes true."""
        return write_tools.decide(review, accept=False, campaign_id=campaign, call_id=call_id)

    add.writing(apply_ops, "Change the world", description=_apply_text())
    add.writing(accept_review, "Accept a proposal")
    add.writing(reject_review, "Reject a proposal")


def _apply_text() -> str:
    return f"""Change the world of a campaign by typed ops, all of them in one turn that can be undone, or none.

What the rules say follows from a change does follow: a clock that reaches a mark, a threat that falls due, an ending.
Where the player is moved, the scene follows. IDs are those of get_state (`world`); what is new gets CAMPAIGN:NAME.
Example: [{{"op": "move", "entity_id": "neo_seattle:jin", "to": "neo_seattle:neon_dragon"}}]

Each op is {{"op": KIND, …}} with these fields (? may be left out):
{op_lines()}"""


class _Adder:
    """Adds functions as tools: without the campaign where one is served alone, and with errors as answers."""

    def __init__(self, server: MCPServer[Any], queries: Queries) -> None:
        self._server = server
        self._queries = queries

    def reading(self, function: Callable[..., Any], title: str, *, name: str | None = None) -> None:
        """Add a tool that changes nothing."""
        self._add(function, title, _READS, name=name)

    def writing(self, function: Callable[..., Any], title: str, *, description: str | None = None) -> None:
        """Add a tool that changes a campaign."""
        self._add(function, title, _WRITES, description=description)

    def _add(
        self,
        function: Callable[..., Any],
        title: str,
        annotations: ToolAnnotations,
        *,
        name: str | None = None,
        description: str | None = None,
    ) -> None:
        called = report_errors(self._queries, function, name or function.__name__, ToolError)
        if self._queries.campaign_id is not None:
            called = bound_to(self._queries.campaign_id, called)
        self._server.add_tool(
            called,
            name=name or function.__name__,
            title=title,
            description=description or inspect.cleandoc(function.__doc__ or ""),
            annotations=annotations,
        )
