"""The API of the game master's desk: the whole state, changes of the world, reviews, attempts, stages."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query
from pydantic import BaseModel, ConfigDict, Field

from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.viewers import Transcript, viewer_in
from lorewright.campaigns.watching import learned_in_the_open
from lorewright.errors import NotFound
from lorewright.ids import holder_of, shown_item
from lorewright.service.queries import (
    EditDone,
    EditPreview,
    LorebookEntries,
    Reviews,
)
from lorewright.service.web.access import Caller
from lorewright.service.web.accounts import Seat
from lorewright.service.web.api.lore import ask_table
from lorewright.service.web.api.requests import (
    JUDGES,
    REFUSALS,
    As,
    Asker,
    CampaignId,
    Here,
    Key,
    Revision,
)
from lorewright.service.web.desk import (
    MOST_SECRETS,
    SECRETS_A_PAGE,
    show_attempts,
    show_desk,
    show_secrets,
    show_stream,
)
from lorewright.service.web.events import TableEvent, name_seat
from lorewright.service.web.service import Service
from lorewright.service.web.shapes import AttemptShown, Desk, Permission, SecretPage
from lorewright.service.web.table import MOST_TURNS
from lorewright.service.write_tools import WriteTools
from lorewright.turn.run.editing import MOST_OPS
from lorewright.turn.views.player_ids import readable
from lorewright.visibility import section_sight

desk_api = APIRouter(prefix="/v1", responses=REFUSALS)


async def gm_seat(service: Here, caller: Asker, campaign: CampaignId) -> Seat:
    """Return the game master's seat of the request.

    Raises:
        NotFound: the account has none there.
    """
    return caller.gm_seat(service.accounts, campaign)


AtDesk = Annotated[Seat, Depends(gm_seat)]


class NewOps(BaseModel):
    """A change of the world: ops, all of which are done, or none."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    ops: tuple[dict[str, Any], ...] = Field(
        min_length=1,
        max_length=MOST_OPS,
        description="The ops in order; what they come to by the rules follows from them.",
        examples=[
            [{"op": "reveal", "item_id": "neo_seattle:viktor:knows#pier9", "to": "dead_drop:player", "how": "told"}]
        ],
    )
    note: str = Field(default="", max_length=2_000, description="Why, for the record; no player reads it.")
    revision: Revision = None


class Verdict(BaseModel):
    """Whether a proposal is accepted."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    accept: bool


@desk_api.get("/campaigns/{campaign}/desk", tags=["game master"], dependencies=JUDGES)
async def desk(service: Here, seat: AtDesk) -> Desk:
    """The whole state, the scene, and the first secrets of the packs with who knows them."""
    return await service.read(seat, lambda campaign, seat: show_desk(campaign))


@desk_api.get("/campaigns/{campaign}/secrets", tags=["game master"], dependencies=JUDGES)
async def list_secrets(
    service: Here,
    seat: AtDesk,
    words: Annotated[
        str, Query(alias="q", max_length=300, description="Words that all stand in its title, section or text.")
    ] = "",
    limit: Annotated[int, Query(ge=1, le=MOST_SECRETS)] = SECRETS_A_PAGE,
    cursor: Annotated[str | None, Query(max_length=20, pattern="^[0-9]+$")] = None,
) -> SecretPage:
    """The secrets of the packs with who knows them, in the order of the packs: all, or those with certain words."""
    return await service.read(
        seat, lambda campaign, seat: show_secrets(campaign, words=words, limit=limit, cursor=cursor)
    )


@desk_api.get("/campaigns/{campaign}/stream", tags=["game master"], dependencies=JUDGES)
async def stream(
    service: Here,
    seat: AtDesk,
    viewer: As = None,
    last: Annotated[int, Query(ge=1, le=MOST_TURNS)] = 10,
    before: Annotated[int | None, Query(ge=0, le=10**9)] = None,
) -> Transcript:
    """All messages of the last turns, all intentions and thoughts too; with `as=npc:ID` as somebody of the cast."""
    found: Transcript = await service.read(
        seat, lambda campaign, seat: show_stream(campaign, viewer or "gm", last=last, before=before)
    )
    return found


@desk_api.post("/campaigns/{campaign}/ops:preview", tags=["game master"], dependencies=JUDGES)
async def preview_ops(service: Here, seat: AtDesk, sent: NewOps) -> EditPreview:
    """What ops would come to, without doing them."""
    return await ask_table(service, seat, lambda queries: WriteTools(queries).preview(sent.ops))


@desk_api.post("/campaigns/{campaign}/ops", tags=["game master"], dependencies=JUDGES)
async def apply_ops(service: Here, caller: Asker, seat: AtDesk, sent: NewOps, key: Key = None) -> EditDone:
    """Change the world, in a turn of its own. Sent again with the same Idempotency-Key, nothing is changed a second
    time."""
    done = await ask_table(
        service,
        seat,
        lambda queries: WriteTools(queries).apply(sent.ops, call_id=key, note=sent.note, revision=sent.revision),
        writes=True,
    )
    await noted(service, caller, seat, "ops", ops=[op.get("op") for op in sent.ops], turn=done.turn_no)
    return done


async def noted(service: Service, caller: Caller, seat: Seat, action: str, **detail: Any) -> None:
    """Write a change of the world into the audit log, and tell the table of it."""
    service.accounts.note(caller.account, action, campaign_id=seat.campaign_id, **detail)
    service.hub.publish(seat.campaign_id, TableEvent("moved", by=name_seat(seat)))
    await service.index(seat.campaign_id)


@desk_api.get("/campaigns/{campaign}/reviews", tags=["game master"], dependencies=JUDGES)
async def list_reviews(service: Here, seat: AtDesk) -> Reviews:
    """The proposals that wait for you."""
    return await ask_table(service, seat, lambda queries: WriteTools(queries).waiting())


@desk_api.post("/campaigns/{campaign}/reviews/{review}", tags=["game master"], dependencies=JUDGES)
async def decide_review(
    service: Here,
    caller: Asker,
    seat: AtDesk,
    review: Annotated[str, Path(max_length=300)],
    sent: Verdict,
    key: Key = None,
) -> EditDone:
    """Accept a proposal, so that it becomes true, or reject it."""
    done = await ask_table(
        service,
        seat,
        lambda queries: WriteTools(queries).decide(review, accept=sent.accept, call_id=key),
        writes=True,
    )
    await noted(service, caller, seat, "review", review=review, accepted=sent.accept)
    return done


@desk_api.get("/campaigns/{campaign}/lorebook", tags=["game master"], dependencies=JUDGES)
async def get_lorebook(service: Here, seat: AtDesk, flagged: Annotated[bool, Query()] = False) -> LorebookEntries:
    """What narrations have added to the world."""
    return await ask_table(service, seat, lambda queries: WriteTools(queries).lorebook(flagged=flagged))


@desk_api.get("/campaigns/{campaign}/attempts", tags=["game master"], dependencies=JUDGES)
async def list_attempts(service: Here, seat: AtDesk) -> list[AttemptShown]:
    """The turns that were tried and not committed, the newest first."""
    return await service.read(seat, lambda campaign, seat: show_attempts(campaign))


@desk_api.get("/campaigns/{campaign}/stages/{turn}", tags=["game master"], dependencies=JUDGES)
async def list_stages(service: Here, seat: AtDesk, turn: Annotated[int, Path(ge=0, le=10**9)]) -> list[dict[str, Any]]:
    """What each stage of a turn was given and made."""

    def records(campaign: OpenCampaign, seat: Seat) -> list[dict[str, Any]]:
        for point in campaign.store.path():
            if point.turn_no == turn:
                return campaign.store.stage_records(point.turn_id)
        raise NotFound(f"there is no turn {turn}")

    return await service.read(seat, records)


class PermissionQuestion(BaseModel):
    """A viewer, and something that they may or may not see."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    campaign_id: str = Field(max_length=100)
    viewer: str = Field(max_length=200, examples=["player", "pc:ada", "npc:viktor"])
    item: str = Field(
        max_length=400, description="The ID of an item or a section.", examples=["neo_seattle:viktor:knows#pier9"]
    )


@desk_api.post("/permissions:test", tags=["game master"], dependencies=JUDGES)
async def test_permission(service: Here, caller: Asker, sent: PermissionQuestion) -> Permission:
    """Whether a viewer may see an item or a section just now, and by which rule."""
    seat = caller.gm_seat(service.accounts, sent.campaign_id)
    return await service.read(seat, lambda campaign, seat: judge(campaign, sent.viewer, sent.item))


def judge(campaign: OpenCampaign, viewer: str, item_id: str) -> Permission:
    """Return whether a viewer may see an item or a section at the head, and by which rule.

    Raises:
        NotFound: there is no such item or viewer.
    """
    state, generations = campaign.store.head().state, campaign.setting.generations
    seer = viewer_in(state, viewer)
    chunk = next((found for pack in generations if (found := pack.chunk(item_id.partition("#")[0]))), None)
    if chunk is None or ("#" in item_id and all(pack.item(item_id) is None for pack in generations)):
        raise NotFound(f"there is no item or section {item_id}")
    sight = section_sight(chunk.role, seer.column)
    who = seer.id or state.player_id
    if seer.is_watcher:
        learned = learned_in_the_open(campaign.store)
    else:
        learned = readable(state, generations, who) if seer.is_player else state.learned_by(who)
    is_learned = item_id in learned
    is_own = holder_of(item_id) in {seer.id, _pack_id(campaign, seer.id)}
    rules = {
        "all": (True, f"{chunk.role}: open to {seer.column}"),
        "own": (is_own or is_learned, f"{chunk.role}: open to its own character, and item by item to who learned it"),
        "learned": (is_learned, f"{chunk.role}: item by item, to who learned it"),
        "topics": (is_learned, f"{chunk.role}: item by item, to who learned it"),
        "count": (is_learned, f"{chunk.role}: item by item, to who learned it"),
        "none": (False, f"{chunk.role}: closed to {seer.column}"),
    }
    allowed, rule = rules[sight]
    return Permission(viewer=seer.name, item=shown_item(item_id), allowed=allowed, rule=rule)


def _pack_id(campaign: OpenCampaign, entity_id: str) -> str | None:
    entity = campaign.store.head().state.entities.get(entity_id)
    return None if entity is None else entity.pack_entity_id
