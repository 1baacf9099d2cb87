"""The API of play: turns, moves, events, and what a seat knows."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Body, Header, Path, Query, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from lorewright.campaigns.viewers import VisibleScene, scene_of, state_of
from lorewright.errors import (
    LorewrightError,
)
from lorewright.service.play_tools import MOST_UNDONE
from lorewright.service.queries import TurnPlayed
from lorewright.service.web.access import Caller
from lorewright.service.web.accounts import Seat
from lorewright.service.web.api.requests import (
    PLAYS,
    READS,
    REFUSALS,
    Asker,
    AtTable,
    Here,
    Key,
    Revision,
    Sent,
)
from lorewright.service.web.events import TableEvent, name_seat
from lorewright.service.web.problems import problem_of
from lorewright.service.web.service import Service
from lorewright.service.web.shapes import (
    Codex,
    HintShown,
    RecapShown,
    TableShown,
    Turns,
    TurnShown,
    Why,
)
from lorewright.service.web.stream import follow, turn_of
from lorewright.service.web.table import (
    MOST_TURNS,
    explain_turn,
    show_codex,
    show_hint,
    show_recap,
    show_turn,
    show_turns,
)
from lorewright.turn.checks.tools import StateSeen
from lorewright.turn.run.submitted import MOST_ACTIONS

play_api = APIRouter(prefix="/v1", responses=REFUSALS)


class NewTurn(Sent):
    """A turn to be played: words, or actions in their place."""

    text: str = Field(
        default="",
        max_length=2_000,
        description="What your character says or does, in plain words.",
        examples=["I ask Viktor about the crate"],
    )
    actions: tuple[dict[str, Any], ...] | None = Field(
        default=None,
        max_length=MOST_ACTIONS,
        description="In place of words: actions, which are judged as they are. What they name that your seat may not "
        "know of is nothing at all.",
    )
    thought: str = Field(default="", max_length=2_000, description="What your character thinks; nobody else knows.")
    whisper_to: str | None = Field(
        default=None, min_length=1, max_length=300, description="Who alone is to hear it, by ID or name."
    )
    revision: Revision = None


class TurnAccepted(BaseModel):
    """A turn that is being played; the events of the table tell how it comes out."""

    status: str = "accepted"


# Turns that are played although nobody waits for the answer.
_PLAYING: set[asyncio.Task[None]] = set()


@play_api.post(
    "/campaigns/{campaign}/turns",
    tags=["play"],
    dependencies=PLAYS,
    responses={202: {"model": TurnAccepted, "description": "With `Prefer: respond-async`: it is being played."}},
    response_model=TurnPlayed,
)
async def play_turn(
    service: Here,
    caller: Asker,
    seat: AtTable,
    sent: NewTurn,
    key: Key = None,
    prefer: Annotated[str | None, Header(max_length=200)] = None,
) -> Any:
    """Play a turn from your seat. When the answer comes, the turn is committed; with a `clarification_question` nothing
    happened yet. With `Prefer: respond-async` the answer comes at once, and the events of the table tell the rest."""
    is_async = "respond-async" in (prefer or "")
    if is_async:
        await service.admit(seat, caller.account, sent.text, key=key, actions=sent.actions, revision=sent.revision)
    playing = service.play(
        seat,
        caller.account,
        sent.text,
        key=key,
        actions=sent.actions,
        thought=sent.thought,
        whisper=sent.whisper_to,
        revision=sent.revision,
        is_admitted=is_async,
    )
    if not is_async:
        return await playing
    task = asyncio.create_task(_play_unwatched(service, seat, caller, playing))
    _PLAYING.add(task)
    task.add_done_callback(_PLAYING.discard)
    return Response(TurnAccepted().model_dump_json(), 202, media_type="application/json")


async def _play_unwatched(service: Service, seat: Seat, caller: Caller, playing: Any) -> None:
    try:
        await playing
    except LorewrightError as error:
        problem = problem_of(error, service.workspace).model_dump_json(exclude_none=True)
        service.hub.publish(seat.campaign_id, TableEvent("failed", problem, name_seat(seat)))


@play_api.get("/campaigns/{campaign}/turns", tags=["play"], dependencies=READS)
async def list_turns(
    service: Here,
    seat: AtTable,
    last: Annotated[int, Query(ge=1, le=MOST_TURNS)] = 20,
    before: Annotated[int | None, Query(ge=0, le=10**9)] = None,
) -> Turns:
    """The story as your seat has read it, oldest first."""
    return await service.read(seat, lambda campaign, seat: show_turns(campaign, seat, last=last, before=before))


TurnNo = Annotated[int, Path(alias="turn", ge=0, le=10**9, description="The number of a turn.")]


@play_api.get("/campaigns/{campaign}/turns/{turn}", tags=["play"], dependencies=READS)
async def get_turn(service: Here, seat: AtTable, turn: TurnNo) -> TurnShown:
    """One turn, as your seat has read it."""
    return await service.read(seat, lambda campaign, seat: show_turn(campaign, seat, turn))


@play_api.get("/campaigns/{campaign}/turns/{turn}/why", tags=["play"], dependencies=READS)
async def why(service: Here, seat: AtTable, turn: TurnNo) -> Why:
    """Why a turn that you played came out as it did: its sentences with their sources, its dice."""
    return await service.read(seat, lambda campaign, seat: explain_turn(campaign, seat, turn))


class MoveRequest(Sent):
    """A move of the story's head."""

    turns: int = Field(default=1, ge=1, le=MOST_UNDONE)
    revision: Revision = None


class Retry(Sent):
    """The last turn again; with `text`, other words in place of those that were said."""

    text: str = Field(default="", max_length=2_000)
    revision: Revision = None


class NewBranch(Sent):
    """A branch to be begun after a turn."""

    name: str = Field(min_length=1, max_length=80, examples=["what if"])
    turn: int = Field(ge=0, le=10**9)
    revision: Revision = None


class Switch(Sent):
    """The branch to go on with."""

    name: str = Field(min_length=1, max_length=80)
    revision: Revision = None


@play_api.post("/campaigns/{campaign}/undo", tags=["play"], dependencies=PLAYS)
async def undo_turns(service: Here, caller: Asker, seat: AtTable, sent: Annotated[MoveRequest, Body()]) -> TableShown:
    """Take the last turns back. They are kept, and can be redone."""
    await service.move(seat, caller.account, "undo", turns=sent.turns, revision=sent.revision)
    return await service.table(seat)


@play_api.post("/campaigns/{campaign}/redo", tags=["play"], dependencies=PLAYS)
async def redo_turn(service: Here, caller: Asker, seat: AtTable, sent: Annotated[MoveRequest, Body()]) -> TableShown:
    """Do the turn again that was taken back last."""
    await service.move(seat, caller.account, "redo", revision=sent.revision)
    return await service.table(seat)


@play_api.post("/campaigns/{campaign}/retry", tags=["play"], dependencies=PLAYS)
async def retry_turn(
    service: Here, caller: Asker, seat: AtTable, sent: Annotated[Retry, Body()], key: Key = None
) -> TurnPlayed:
    """Play the last turn again, with other dice, or with other words."""
    return await service.retry(seat, caller.account, words=sent.text, key=key, revision=sent.revision)


@play_api.post("/campaigns/{campaign}/branches", tags=["play"], dependencies=PLAYS)
async def begin_branch(service: Here, caller: Asker, seat: AtTable, sent: NewBranch) -> TableShown:
    """Begin a branch after an earlier turn. `switch` goes on with it."""
    await service.move(seat, caller.account, "branch", name=sent.name, turn=sent.turn, revision=sent.revision)
    return await service.table(seat)


@play_api.post("/campaigns/{campaign}/switch", tags=["play"], dependencies=PLAYS)
async def switch_branch(service: Here, caller: Asker, seat: AtTable, sent: Switch) -> TableShown:
    """Go on with another branch."""
    await service.move(seat, caller.account, "switch", name=sent.name, revision=sent.revision)
    return await service.table(seat)


@play_api.get(
    "/campaigns/{campaign}/events",
    tags=["play"],
    dependencies=READS,
    response_class=StreamingResponse,
    responses={
        200: {"content": {"text/event-stream": {}}, "description": "Server-sent events."},
        204: {"description": "To a browser whose session has ended, so that its EventSource asks no more."},
    },
)
async def events(
    service: Here,
    caller: Asker,
    seat: AtTable,
    after: Annotated[int | None, Query(ge=0, le=10**9)] = None,
    last_event_id: Annotated[str | None, Header(max_length=40)] = None,
) -> StreamingResponse:
    """What happens at the table, as server-sent events: `begun`, `told` (provisional), `withdrawn`, `ended`,
    `committed` (a turn, as your seat reads it), `moved` (load the table again), `failed`, `closing` (with `reason`
    where you are let in no more: `signed_out`, `no_seat`). With Last-Event-ID the committed turns that were missed come
    first. A browser whose session has ended is answered with 204, by which an EventSource stops."""
    # Asked for before the stream begins, so that a refusal has its status.
    service.hub.check_room(caller.account.id)
    await service.read(seat, lambda campaign, seat: campaign.store.position().turn_no)
    start = turn_of(last_event_id)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(
        follow(service, caller, seat, after=after if start is None else start),
        media_type="text/event-stream",
        headers=headers,
    )


# What a seat knows.


@play_api.get("/campaigns/{campaign}/state", tags=["knowledge"], dependencies=READS)
async def state(service: Here, seat: AtTable) -> StateSeen:
    """Where the story stands, as your seat may know it; for game masters with the whole state in `world`."""
    return await service.read(seat, lambda campaign, seat: state_of(campaign, seat.viewer))


@play_api.get("/campaigns/{campaign}/scene", tags=["knowledge"], dependencies=READS)
async def scene(service: Here, seat: AtTable) -> VisibleScene:
    """The scene at hand: its atmosphere, who is there, what has been found."""
    return await service.read(seat, lambda campaign, seat: scene_of(campaign, seat.viewer))


@play_api.get("/campaigns/{campaign}/codex", tags=["knowledge"], dependencies=READS)
async def codex(service: Here, seat: AtTable) -> Codex:
    """What your character has learned, and in which turn."""
    return await service.read(seat, show_codex)


@play_api.get("/campaigns/{campaign}/recap", tags=["knowledge"], dependencies=READS)
async def recap(service: Here, seat: AtTable) -> RecapShown:
    """What you want, whom you met and what you learned, what is open."""
    return await service.read(seat, show_recap)


@play_api.get("/campaigns/{campaign}/hint", tags=["knowledge"], dependencies=READS)
async def hint(service: Here, seat: AtTable, step: Annotated[int, Query(ge=1, le=3)] = 1) -> HintShown:
    """A hint; the third step is the plainest. It costs nothing."""
    return await service.read(seat, lambda campaign, seat: show_hint(campaign, seat, step=step))
