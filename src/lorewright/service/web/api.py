"""The API under `/v1`: accounts, tables, turns, events."""

from __future__ import annotations

import asyncio
import secrets
import tempfile
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path as FilePath
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Body, Depends, Header, Path, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.background import BackgroundTask
from starlette.responses import FileResponse

from lorewright.campaigns.exchange import export, import_campaign
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.viewers import VisibleScene, scene_of, state_of, viewer_in
from lorewright.errors import (
    AccessRefused,
    DamagedFile,
    LorewrightError,
    NotSignedIn,
    SettingsError,
    UnsafePath,
)
from lorewright.service.play_tools import MOST_UNDONE
from lorewright.service.queries import TurnPlayed
from lorewright.service.web.access import COOKIE, Caller, caller_of
from lorewright.service.web.accounts import Account, Scope, Seat, Token, check_role
from lorewright.service.web.engine import Tables, in_engine
from lorewright.service.web.events import Event
from lorewright.service.web.problems import problem_of
from lorewright.service.web.service import Service
from lorewright.service.web.shapes import (
    CampaignSummary,
    Codex,
    HintShown,
    InvitationShown,
    Me,
    RecapShown,
    ScenarioShown,
    SeatShown,
    TableShown,
    TokenShown,
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
    show_table,
    show_turn,
    show_turns,
)
from lorewright.turn.checks.tools import StateSeen
from lorewright.turn.run.submitted import MOST_ACTIONS

T = TypeVar("T")

# What any operation may be refused with.
_PROBLEM = {"content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}}
REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"description": text, **_PROBLEM}
    for status, text in (
        (400, "The request cannot be read."),
        (401, "Nobody is signed in."),
        (402, "A model costs money, and nobody has agreed to that."),
        (403, "The account, seat or token does not allow it."),
        (404, "There is no such thing, or it may not be seen."),
        (409, "The story is not where the request takes it to be."),
        (413, "The request is too large."),
        (421, "The service is not called by this name."),
        (422, "What was sent does not fit."),
        (429, "Too many requests."),
        (503, "It cannot be done just now."),
    )
}

api = APIRouter(prefix="/v1", responses=REFUSALS)


def service_of(request: Request) -> Service:
    """Return the running service."""
    service: Service = request.app.state.service
    return service


def signed_in(request: Request) -> Caller:
    """Return who asks; every request counts.

    Raises:
        NotSignedIn, AccessRefused, TooManyRequests: as `caller_of` and `RateLimit` raise them.
    """
    service = service_of(request)
    caller = caller_of(request, service.accounts)
    service.requests.take(caller.account.id)
    return caller


Here = Annotated[Service, Depends(service_of)]
Asker = Annotated[Caller, Depends(signed_in)]
CampaignId = Annotated[
    str, Path(alias="campaign", max_length=100, description="The campaign's ID.", examples=["friday"])
]
As = Annotated[
    str | None,
    Query(
        alias="as",
        max_length=200,
        description="One of your own seats here, where you have several; a game master may also look as `player` or "
        "`pc:ID`.",
    ),
]
Revision = Annotated[
    int | None, Field(ge=0, description="Do it only while the table is at this revision.", examples=[12])
]
Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=200,
        description="Your own ID of this turn: sent again, it gives the first answer and plays nothing.",
    ),
]


class _Sent(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def seated(request: Request, campaign: CampaignId, caller: Asker, role: As = None) -> Seat:
    """Return the seat of the request at a table.

    Raises:
        NotFound: there is none.
    """
    return caller.seat(service_of(request).accounts, campaign, role=None if role is None else check_role(role))


AtTable = Annotated[Seat, Depends(seated)]


def needs(scope: Scope) -> Callable[[Caller], None]:
    """Return a dependency that refuses requests without a scope."""

    def check(caller: Asker) -> None:
        caller.needs(scope)

    return check


_READS = [Depends(needs("read"))]
_PLAYS = [Depends(needs("play"))]
_JUDGES = [Depends(needs("gm"))]


# Accounts.


class SignIn(_Sent):
    """A name and a password."""

    name: str = Field(max_length=200, examples=["Ann"])
    password: str = Field(max_length=1_000, examples=["correct horse battery staple"])


class NewToken(_Sent):
    """A token to be made."""

    name: str = Field(default="", max_length=40, examples=["bot"])
    scopes: tuple[Scope, ...] = Field(default=("read", "play"), min_length=1, max_length=5)
    campaign_id: str | None = Field(default=None, max_length=100, description="Only for this table.")
    role: str | None = Field(default=None, max_length=200, description="Only with this role there.")
    days: int | None = Field(default=None, ge=1, le=3_650, description="It ends after so many days.")


@api.post("/session", tags=["accounts"], status_code=204)
async def sign_in(request: Request, response: Response, service: Here, sent: SignIn) -> None:
    """Sign in with name and password: the answer sets the cookie of the session. What changes something is then sent
    with the header X-CSRF-Token, which `GET /v1/session` has."""
    address = request.client.host if request.client else ""
    service.sign_ins.take(f"at {address}")
    service.sign_ins.take(f"as {sent.name.casefold()}")
    account = await asyncio.to_thread(check_sign_in, service, sent.name, sent.password)
    set_cookie(response, service, service.accounts.begin_session(account)[0])


def check_sign_in(service: Service, name: str, password: str) -> Account:
    """Return the account of a name and its password; to be called in a thread of its own, since it takes a while.

    Raises:
        NotSignedIn: they do not fit.
    """
    try:
        found = service.accounts.check_password(name, password)
    finally:
        service.accounts.close()
    if found is None:
        raise NotSignedIn("name and password do not fit", hint="ask the owner for an invitation if you have none")
    return found


def set_cookie(response: Response, service: Service, secret: str) -> None:
    """Give a browser its session's cookie."""
    response.set_cookie(
        COOKIE,
        secret,
        max_age=30 * 24 * 3600,
        httponly=True,
        samesite="lax",
        secure=service.address.is_secure,
        path="/",
    )


class SessionShown(BaseModel):
    """The secret that a browser sends with what changes something."""

    csrf_token: str


@api.get("/session", tags=["accounts"])
async def session(caller: Asker) -> SessionShown:
    """The session of a browser."""
    if caller.csrf is None:
        raise SettingsError("a token has no session", hint="send it as it is")
    return SessionShown(csrf_token=caller.csrf)


@api.delete("/session", tags=["accounts"], status_code=204)
async def sign_out(request: Request, response: Response, service: Here, caller: Asker) -> None:
    """Sign out."""
    service.accounts.end_session(request.cookies.get(COOKIE, ""))
    response.delete_cookie(COOKIE, path="/")


@api.get("/me", tags=["accounts"])
async def me(service: Here, caller: Asker) -> Me:
    """Who asks, what they may do, and where they sit."""
    account = caller.account
    return Me(
        id=account.id,
        name=account.name,
        is_owner=account.is_owner,
        scopes=tuple(sorted(caller.scopes)),
        seats=tuple(
            SeatShown(account_id=seat.campaign_id, account=account.name, role=seat.role)
            for seat in service.accounts.seats_of(account)
            if caller.campaign_id in (None, seat.campaign_id)
        ),
    )


@api.get("/tokens", tags=["accounts"])
async def list_tokens(service: Here, caller: Asker) -> list[TokenShown]:
    """Your tokens, without their secrets."""
    _needs_browser(caller)
    return [_token(token) for token in service.accounts.tokens(caller.account)]


@api.post("/tokens", tags=["accounts"], status_code=201)
async def make_token(service: Here, caller: Asker, sent: NewToken) -> TokenShown:
    """Make a token for a program: it may do what its scopes name, and never more than you may. Its secret is told
    once."""
    _needs_browser(caller)
    secret, token = service.accounts.new_token(
        caller.account,
        name=sent.name,
        scopes=sent.scopes,
        campaign_id=sent.campaign_id,
        role=sent.role,
        days=sent.days,
    )
    service.accounts.note(caller.account, "token", campaign_id=sent.campaign_id, token=token.id)
    return _token(token, secret)


@api.delete("/tokens/{token}", tags=["accounts"], status_code=204)
async def revoke_token(service: Here, caller: Asker, token: Annotated[str, Path(max_length=40)]) -> None:
    """Revoke a token at once."""
    _needs_browser(caller)
    service.accounts.revoke_token(caller.account, token)


def _needs_browser(caller: Caller) -> None:
    """Refuse requests by a token: a token makes no other tokens."""
    if caller.csrf is None:
        raise AccessRefused("tokens are made by people", hint="sign in, in a browser")


def _token(token: Token, secret: str | None = None) -> TokenShown:
    return TokenShown(
        id=token.id,
        name=token.name,
        scopes=token.scopes,
        campaign_id=token.campaign_id,
        role=token.role,
        created_at=token.created_at,
        expires_at=token.expires_at,
        secret=secret,
    )


# Campaigns.


class NewCampaign(_Sent):
    """A game to be begun."""

    scenario_id: str = Field(max_length=200, examples=["dead_drop"])
    name: str = Field(default="", max_length=80, description="What the table is called.")


class Begun(BaseModel):
    """The campaign that was begun."""

    id: str


@api.get("/scenarios", tags=["tables"], dependencies=_READS)
async def list_scenarios(service: Here, caller: Asker) -> list[ScenarioShown]:
    """The stories that a game can be begun of."""
    return await service.scenarios()


class CampaignPage(BaseModel):
    """Campaigns, the one last played first; `next` is the cursor of those that follow."""

    campaigns: tuple[CampaignSummary, ...]
    next: str | None = None


@api.get("/campaigns", tags=["tables"], dependencies=_READS)
async def list_campaigns(
    service: Here,
    caller: Asker,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[str | None, Query(max_length=20, pattern="^[0-9]+$")] = None,
) -> CampaignPage:
    """The tables at which you sit."""
    found, start = service.listed(caller), int(cursor or 0)
    more = str(start + limit) if len(found) > start + limit else None
    return CampaignPage(campaigns=tuple(found[start : start + limit]), next=more)


@api.post("/campaigns", tags=["tables"], status_code=201, dependencies=_PLAYS)
async def begin_campaign(service: Here, caller: Asker, sent: NewCampaign) -> Begun:
    """Begin a game: you are its game master and its player, until you invite others."""
    if caller.campaign_id is not None:
        raise AccessRefused("the token is for one table", hint="use another token")
    service.turns.take(caller.account.id)
    return Begun(id=await service.begin(caller.account, sent.scenario_id, name=sent.name))


@api.get("/campaigns/{campaign}", tags=["tables"], dependencies=_READS)
async def table(service: Here, seat: AtTable) -> TableShown:
    """The table as your seat sees it: place, time, people, ways, clocks, sheet, suggestions."""
    return await service.read(seat, show_table)


@api.delete("/campaigns/{campaign}", tags=["tables"], status_code=204, dependencies=_JUDGES)
async def remove_campaign(service: Here, caller: Asker, campaign: CampaignId) -> None:
    """Delete a campaign with all its branches. This cannot be taken back."""
    await service.remove(caller.gm_seat(service.accounts, campaign), caller.account)


@api.get("/campaigns/{campaign}/members", tags=["tables"], dependencies=_READS)
async def members(service: Here, seat: AtTable) -> list[SeatShown]:
    """Who sits at the table."""
    return [
        SeatShown(account_id=account.id, account=account.name, role=found.role)
        for account, found in service.accounts.seats(seat.campaign_id)
    ]


@api.delete("/campaigns/{campaign}/members/{account}", tags=["tables"], status_code=204, dependencies=_JUDGES)
async def remove_member(
    service: Here,
    caller: Asker,
    campaign: CampaignId,
    account: Annotated[str, Path(max_length=40)],
    role: Annotated[str, Query(max_length=200, description="Which of their seats.", examples=["player"])],
) -> None:
    """Take somebody's seat away."""
    caller.gm_seat(service.accounts, campaign)
    service.accounts.remove_seat(campaign, account, role)
    service.accounts.note(caller.account, "remove_member", campaign_id=campaign, member=account, role=role)


class NewInvitation(_Sent):
    """An invitation to be made."""

    role: str = Field(max_length=200, examples=["player", "pc:ada", "watcher", "gm"])
    days: int = Field(default=14, ge=1, le=90)


@api.get("/campaigns/{campaign}/invites", tags=["tables"], dependencies=_JUDGES)
async def invitations(service: Here, caller: Asker, campaign: CampaignId) -> list[InvitationShown]:
    """The invitations that nobody has used."""
    caller.gm_seat(service.accounts, campaign)
    return [
        InvitationShown(id=link.id, role=link.role or "", expires_at=link.expires_at)
        for link in service.accounts.links(campaign)
    ]


@api.post("/campaigns/{campaign}/invites", tags=["tables"], status_code=201, dependencies=_JUDGES)
async def invite(service: Here, caller: Asker, campaign: CampaignId, sent: NewInvitation) -> InvitationShown:
    """Make an invitation: a link that lets one person take a seat."""
    seat = caller.gm_seat(service.accounts, campaign)
    return await make_invitation(service, caller, seat, sent.role, days=sent.days)


async def make_invitation(service: Service, caller: Caller, seat: Seat, role: str, *, days: int) -> InvitationShown:
    """Return an invitation to a seat, with its URL.

    Raises:
        SettingsError: there is no such role.
        NotFound: nobody is that persona.
    """
    checked = check_role(role)
    if checked.startswith("pc:"):
        # The persona's full ID, as the campaign has it.
        checked = await service.read(Seat(seat.campaign_id, seat.account_id, checked), _full_role)
    secret, link = service.accounts.new_link(
        "seat", caller.account, campaign_id=seat.campaign_id, role=checked, lasts=timedelta(days=days)
    )
    service.accounts.note(caller.account, "invite", campaign_id=seat.campaign_id, role=checked)
    url = f"{service.address.url}/enter/{secret}"
    return InvitationShown(id=link.id, role=checked, expires_at=link.expires_at, url=url)


def _full_role(campaign: OpenCampaign, seat: Seat) -> str:
    return viewer_in(campaign.store.head().state, seat.viewer).name


@api.delete("/campaigns/{campaign}/invites/{invitation}", tags=["tables"], status_code=204, dependencies=_JUDGES)
async def revoke_invitation(
    service: Here, caller: Asker, campaign: CampaignId, invitation: Annotated[str, Path(max_length=40)]
) -> None:
    """Revoke an invitation."""
    caller.gm_seat(service.accounts, campaign)
    service.accounts.revoke_link(campaign, invitation)


# Turns.


class NewTurn(_Sent):
    """A turn to be played: words, or actions in their place."""

    text: str = Field(default="", max_length=2_000, examples=["I ask Viktor about the crate"])
    actions: tuple[dict[str, Any], ...] | None = Field(default=None, max_length=MOST_ACTIONS)
    thought: str = Field(default="", max_length=2_000, description="What your character thinks; nobody else knows.")
    whisper_to: str | None = Field(default=None, min_length=1, max_length=300)
    revision: Revision = None


class Accepted(BaseModel):
    """A turn that is being played; the events of the table tell how it comes out."""

    status: str = "accepted"


# Turns that are played although nobody waits for the answer.
_PLAYING: set[asyncio.Task[None]] = set()


@api.post(
    "/campaigns/{campaign}/turns",
    tags=["play"],
    dependencies=_PLAYS,
    responses={202: {"model": Accepted, "description": "With `Prefer: respond-async`: it is being played."}},
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
    playing = service.play(
        seat,
        caller.account,
        sent.text,
        key=key,
        actions=sent.actions,
        thought=sent.thought,
        whisper=sent.whisper_to,
        revision=sent.revision,
    )
    if "respond-async" not in (prefer or ""):
        return await playing
    task = asyncio.create_task(_play_unwatched(service, seat, caller, playing))
    _PLAYING.add(task)
    task.add_done_callback(_PLAYING.discard)
    return Response(Accepted().model_dump_json(), 202, media_type="application/json")


async def _play_unwatched(service: Service, seat: Seat, caller: Caller, playing: Any) -> None:
    try:
        await playing
    except LorewrightError as error:
        problem = problem_of(error, service.workspace).model_dump_json(exclude_none=True)
        service.hub.publish(seat.campaign_id, Event("failed", problem, caller.account.id))


@api.get("/campaigns/{campaign}/turns", tags=["play"], dependencies=_READS)
async def list_turns(
    service: Here,
    seat: AtTable,
    last: Annotated[int, Query(ge=1, le=MOST_TURNS)] = 20,
    before: Annotated[int | None, Query(ge=0, le=10**9)] = None,
) -> Turns:
    """The story as your seat has read it, oldest first."""
    return await service.read(seat, lambda campaign, seat: show_turns(campaign, seat, last=last, before=before))


TurnNo = Annotated[int, Path(alias="turn", ge=0, le=10**9, description="The number of a turn.")]


@api.get("/campaigns/{campaign}/turns/{turn}", tags=["play"], dependencies=_READS)
async def get_turn(service: Here, seat: AtTable, turn: TurnNo) -> TurnShown:
    """One turn, as your seat has read it."""
    return await service.read(seat, lambda campaign, seat: show_turn(campaign, seat, turn))


@api.get("/campaigns/{campaign}/turns/{turn}/why", tags=["play"], dependencies=_READS)
async def why(service: Here, seat: AtTable, turn: TurnNo) -> Why:
    """Why a turn that you played came out as it did: its sentences with their sources, its dice."""
    return await service.read(seat, lambda campaign, seat: explain_turn(campaign, seat, turn))


class Move(_Sent):
    """A move of the story's head."""

    turns: int = Field(default=1, ge=1, le=MOST_UNDONE)
    revision: Revision = None


class Retry(_Sent):
    """The last turn again; with `text`, other words in place of those that were said."""

    text: str = Field(default="", max_length=2_000)
    revision: Revision = None


class NewBranch(_Sent):
    """A branch to be begun after a turn."""

    name: str = Field(min_length=1, max_length=80, examples=["what if"])
    turn: int = Field(ge=0, le=10**9)
    revision: Revision = None


class Switch(_Sent):
    """The branch to go on with."""

    name: str = Field(min_length=1, max_length=80)
    revision: Revision = None


@api.post("/campaigns/{campaign}/undo", tags=["play"], dependencies=_PLAYS)
async def undo_turns(service: Here, caller: Asker, seat: AtTable, sent: Annotated[Move, Body()]) -> TableShown:
    """Take the last turns back. They are kept, and can be redone."""
    await service.move(seat, caller.account, "undo", turns=sent.turns, revision=sent.revision)
    return await service.read(seat, show_table)


@api.post("/campaigns/{campaign}/redo", tags=["play"], dependencies=_PLAYS)
async def redo_turn(service: Here, caller: Asker, seat: AtTable, sent: Annotated[Move, Body()]) -> TableShown:
    """Do the turn again that was taken back last."""
    await service.move(seat, caller.account, "redo", revision=sent.revision)
    return await service.read(seat, show_table)


@api.post("/campaigns/{campaign}/retry", tags=["play"], dependencies=_PLAYS)
async def retry_turn(service: Here, caller: Asker, seat: AtTable, sent: Annotated[Retry, Body()]) -> TurnPlayed:
    """Play the last turn again, with other dice, or with other words."""
    return await service.retry(seat, caller.account, words=sent.text, revision=sent.revision)


@api.post("/campaigns/{campaign}/branches", tags=["play"], dependencies=_PLAYS)
async def begin_branch(service: Here, caller: Asker, seat: AtTable, sent: NewBranch) -> TableShown:
    """Go on from an earlier turn, on a branch of its own."""
    await service.move(seat, caller.account, "branch", name=sent.name, turn=sent.turn, revision=sent.revision)
    return await service.read(seat, show_table)


@api.post("/campaigns/{campaign}/switch", tags=["play"], dependencies=_PLAYS)
async def switch_branch(service: Here, caller: Asker, seat: AtTable, sent: Switch) -> TableShown:
    """Go on with another branch."""
    await service.move(seat, caller.account, "switch", name=sent.name, revision=sent.revision)
    return await service.read(seat, show_table)


@api.get(
    "/campaigns/{campaign}/events",
    tags=["play"],
    dependencies=_READS,
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}, "description": "Server-sent events."}},
)
async def events(
    service: Here,
    caller: Asker,
    seat: AtTable,
    after: Annotated[int | None, Query(ge=0, le=10**9)] = None,
    last_event_id: Annotated[str | None, Header(max_length=40)] = None,
) -> StreamingResponse:
    """What happens at the table, as server-sent events: `begun`, `told` (provisional), `withdrawn`, `ended`,
    `committed` (a turn, as your seat reads it), `moved` (load the table again), `failed`, `closing`. With Last-Event-ID
    the committed turns that were missed come first."""
    # Asked for before the stream begins, so that a refusal has its status.
    await service.read(seat, lambda campaign, seat: campaign.store.position().turn_no)
    start = turn_of(last_event_id)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(
        follow(service, caller, seat, after=after if start is None else start),
        media_type="text/event-stream",
        headers=headers,
    )


# What a seat knows.


@api.get("/campaigns/{campaign}/state", tags=["knowledge"], dependencies=_READS)
async def state(service: Here, seat: AtTable) -> StateSeen:
    """Where the story stands, as your seat may know it; for game masters with the whole state in `world`."""
    return await service.read(seat, lambda campaign, seat: state_of(campaign, seat.viewer))


@api.get("/campaigns/{campaign}/scene", tags=["knowledge"], dependencies=_READS)
async def scene(service: Here, seat: AtTable) -> VisibleScene:
    """The scene at hand: its atmosphere, who is there, what has been found."""
    return await service.read(seat, lambda campaign, seat: scene_of(campaign, seat.viewer))


@api.get("/campaigns/{campaign}/codex", tags=["knowledge"], dependencies=_READS)
async def codex(service: Here, seat: AtTable) -> Codex:
    """What your character has learned, and in which turn."""
    return await service.read(seat, show_codex)


@api.get("/campaigns/{campaign}/recap", tags=["knowledge"], dependencies=_READS)
async def recap(service: Here, seat: AtTable) -> RecapShown:
    """What you want, whom you met and what you learned, what is open."""
    return await service.read(seat, show_recap)


@api.get("/campaigns/{campaign}/hint", tags=["knowledge"], dependencies=_READS)
async def hint(service: Here, seat: AtTable, step: Annotated[int, Query(ge=1, le=3)] = 1) -> HintShown:
    """A hint; the third step is the plainest. It costs nothing."""
    return await service.read(seat, lambda campaign, seat: show_hint(campaign, seat, step=step))


# Moving campaigns in and out.


@api.get(
    "/campaigns/{campaign}/export",
    tags=["tables"],
    dependencies=_READS,
    response_class=FileResponse,
    responses={200: {"content": {"application/octet-stream": {}}, "description": "A .lorewright file."}},
)
async def export_campaign(service: Here, seat: AtTable) -> FileResponse:
    """The campaign as a file: for a game master all of it, to be played on elsewhere; for a player the story as they
    have read it."""
    folder = tempfile.mkdtemp(prefix="lorewright-export-")
    path = FilePath(folder) / f"{seat.campaign_id}.lorewright"

    def write(tables: Tables) -> None:
        export(tables.app.campaigns, seat.campaign_id, path, audience=seat.viewer)

    try:
        await service.engine.run(in_engine(write))
    except BaseException:
        _delete(path)
        raise
    return FileResponse(
        path,
        media_type="application/octet-stream",
        filename=path.name,
        background=BackgroundTask(_delete, path),
        headers={"Cache-Control": "no-store"},
    )


def _delete(path: FilePath) -> None:
    path.unlink(missing_ok=True)
    path.parent.rmdir()


@api.post("/import", tags=["tables"], status_code=201, dependencies=_PLAYS)
async def import_file(request: Request, service: Here, caller: Asker) -> Begun:
    """Add a campaign from a .lorewright file, which is the request's body: you become its game master and player."""
    if caller.campaign_id is not None:
        raise AccessRefused("the token is for one table", hint="use another token")
    return Begun(id=await add_campaign(service, caller, request.stream()))


async def add_campaign(service: Service, caller: Caller, body: AsyncIterator[bytes]) -> str:
    """Add a campaign from the bytes of an exported file; return its ID.

    Raises:
        CampaignError, PackError, SettingsError: it cannot be imported; nothing was added.
    """
    with tempfile.TemporaryDirectory(prefix="lorewright-import-") as folder:
        path = FilePath(folder) / "sent.lorewright"
        with path.open("wb") as file:
            async for piece in body:
                file.write(piece)

        def add(tables: Tables) -> str:
            # A new ID: whether there is a campaign of that ID is nothing that everybody may learn.
            new_id = f"table_{secrets.token_hex(5)}"
            try:
                return import_campaign(tables.app.campaigns, path, campaign_id=new_id).id
            except (DamagedFile, UnsafePath) as problem:
                raise SettingsError(
                    "the file is not what was exported: " + problem.message, hint="export it once more, and send that"
                ) from None

        campaign_id = await service.engine.run(in_engine(add))
    service.accounts.add_seat(campaign_id, caller.account, "gm")
    service.accounts.add_seat(campaign_id, caller.account, "player")
    await service.index(campaign_id)
    service.accounts.note(caller.account, "import", campaign_id=campaign_id)
    return campaign_id
