"""The API of tables: campaigns, who sits at them, invitations, files."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path as FilePath
from typing import Annotated, BinaryIO

from fastapi import APIRouter, Path, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from lorewright.campaigns.exchange import export, import_campaign
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.viewers import viewer_in
from lorewright.errors import (
    AccessRefused,
    DamagedFile,
    SettingsError,
    UnsafePath,
)
from lorewright.service.web.access import Caller
from lorewright.service.web.accounts import Seat, check_role, require_owner
from lorewright.service.web.api.requests import (
    JUDGES,
    PLAYS,
    READS,
    REFUSALS,
    Asker,
    AtTable,
    CampaignId,
    Here,
    Sent,
)
from lorewright.service.web.engine import Tables, in_engine
from lorewright.service.web.service import Service
from lorewright.service.web.service import remove_member as remove_seat
from lorewright.service.web.shapes import (
    CampaignSummary,
    InvitationShown,
    ScenarioShown,
    SeatShown,
    TableShown,
)

# The body of an import, which is read as it comes.
_FILE = {"type": "string", "format": "binary"}

tables_api = APIRouter(prefix="/v1", responses=REFUSALS)


class NewCampaign(Sent):
    """A game to be begun."""

    scenario_id: str = Field(max_length=200, examples=["dead_drop"])
    name: str = Field(default="", max_length=80, description="What the table is called.")


class Begun(BaseModel):
    """The campaign that was begun."""

    id: str


@tables_api.get("/scenarios", tags=["tables"], dependencies=READS)
async def list_scenarios(service: Here, caller: Asker) -> list[ScenarioShown]:
    """The stories that a game can be begun of."""
    return await service.scenarios()


class CampaignPage(BaseModel):
    """Campaigns, the one last played first; `next` is the cursor of those that follow."""

    campaigns: tuple[CampaignSummary, ...]
    next: str | None = None


@tables_api.get("/campaigns", tags=["tables"], dependencies=READS)
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


@tables_api.post("/campaigns", tags=["tables"], status_code=201, dependencies=PLAYS)
async def begin_campaign(service: Here, caller: Asker, sent: NewCampaign) -> Begun:
    """Begin a game, as the service's owner: you are its game master and its player, until you invite others."""
    if caller.campaign_id is not None:
        raise AccessRefused("the token is for one table", hint="use another token")
    service.turns.take(caller.account.id)
    return Begun(id=await service.begin(caller.account, sent.scenario_id, name=sent.name))


@tables_api.get("/campaigns/{campaign}", tags=["tables"], dependencies=READS)
async def table(service: Here, seat: AtTable) -> TableShown:
    """The table as your seat sees it: place, time, people, ways, clocks, sheet, suggestions."""
    return await service.table(seat)


@tables_api.delete("/campaigns/{campaign}", tags=["tables"], status_code=204, dependencies=JUDGES)
async def remove_campaign(service: Here, caller: Asker, campaign: CampaignId) -> None:
    """Delete a campaign with all its branches. This cannot be taken back."""
    await service.remove(caller.gm_seat(service.accounts, campaign), caller.account)


@tables_api.get("/campaigns/{campaign}/members", tags=["tables"], dependencies=READS)
async def members(service: Here, seat: AtTable) -> list[SeatShown]:
    """Who sits at the table."""
    return [
        SeatShown(account_id=account.id, account=account.name, role=found.role)
        for account, found in service.accounts.seats(seat.campaign_id)
    ]


@tables_api.delete("/campaigns/{campaign}/members/{account}", tags=["tables"], status_code=204, dependencies=JUDGES)
async def remove_member(
    service: Here,
    caller: Asker,
    campaign: CampaignId,
    account: Annotated[str, Path(max_length=40)],
    role: Annotated[str, Query(max_length=200, description="Which of their seats.", examples=["player"])],
) -> None:
    """Take somebody's seat away."""
    caller.gm_seat(service.accounts, campaign)
    remove_seat(service, caller, campaign, account, role)


class NewInvitation(Sent):
    """An invitation to be made."""

    role: str = Field(max_length=200, examples=["player", "pc:ada", "watcher", "gm"])
    days: int = Field(default=14, ge=1, le=90)


@tables_api.get("/campaigns/{campaign}/invites", tags=["tables"], dependencies=JUDGES)
async def invitations(service: Here, caller: Asker, campaign: CampaignId) -> list[InvitationShown]:
    """The invitations that nobody has used."""
    caller.gm_seat(service.accounts, campaign)
    return [
        InvitationShown(id=link.id, role=link.role or "", expires_at=link.expires_at)
        for link in service.accounts.links(campaign)
    ]


@tables_api.post("/campaigns/{campaign}/invites", tags=["tables"], status_code=201, dependencies=JUDGES)
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


@tables_api.delete("/campaigns/{campaign}/invites/{invitation}", tags=["tables"], status_code=204, dependencies=JUDGES)
async def revoke_invitation(
    service: Here, caller: Asker, campaign: CampaignId, invitation: Annotated[str, Path(max_length=40)]
) -> None:
    """Revoke an invitation."""
    caller.gm_seat(service.accounts, campaign)
    service.accounts.revoke_link(campaign, invitation)


# Moving campaigns in and out.


@tables_api.get(
    "/campaigns/{campaign}/export",
    tags=["tables"],
    dependencies=READS,
    response_class=StreamingResponse,
    responses={200: {"content": {"application/octet-stream": {}}, "description": "A .lorewright file."}},
)
async def export_campaign(service: Here, seat: AtTable) -> StreamingResponse:
    """The campaign as a file: for a game master all of it, to be played on elsewhere; for a player the story as they
    have read it. Who watches has none."""
    if not seat.may_play:
        raise AccessRefused("you watch at this table", hint="ask its game master for a seat that plays")
    name = f"{seat.campaign_id}.lorewright"

    def write(tables: Tables) -> BinaryIO:
        # It is read by its open handle: of the folder nothing is left, whether or not somebody waits for it still.
        with tempfile.TemporaryDirectory(prefix="lorewright-export-") as folder:
            path = FilePath(folder) / name
            export(tables.app.campaigns, seat.campaign_id, path, audience=seat.viewer)
            return path.open("rb")

    return _Download(await service.engine.run(in_engine(write)), name)


class _Download(StreamingResponse):
    """A file that is sent once, and closed however that ends: read whole, broken off or never begun."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        headers = {"Cache-Control": "no-store", "Content-Disposition": f'attachment; filename="{name}"'}
        headers["Content-Length"] = str(os.fstat(file.fileno()).st_size)
        super().__init__(_pieces(file), media_type="application/octet-stream", headers=headers)
        self._file = file

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._file.close()


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    while piece := file.read(256 * 1024):
        yield piece


@tables_api.post(
    "/import",
    tags=["tables"],
    status_code=201,
    dependencies=PLAYS,
    openapi_extra={"requestBody": {"required": True, "content": {"application/octet-stream": {"schema": _FILE}}}},
)
async def import_file(request: Request, service: Here, caller: Asker) -> Begun:
    """Add a campaign from a .lorewright file, which is the request's body, as the service's owner: you become its
    game master and player."""
    if caller.campaign_id is not None:
        raise AccessRefused("the token is for one table", hint="use another token")
    return Begun(id=await add_campaign(service, caller, request.stream()))


async def add_campaign(service: Service, caller: Caller, body: AsyncIterator[bytes]) -> str:
    """Add a campaign from the bytes of an exported file; return its ID.

    Raises:
        AccessRefused: the account is not the owner's.
        CampaignError, PackError, SettingsError: it cannot be imported; nothing was added.
    """
    require_owner(caller.account)
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
