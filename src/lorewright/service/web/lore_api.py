"""The API under `/v1`: questions to the lore, and the game master's desk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, Path, Query
from pydantic import BaseModel, ConfigDict, Field

from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.viewers import Transcript, viewer_in
from lorewright.errors import AccessRefused, NotFound
from lorewright.ids import holder_of, shown_item
from lorewright.retrieval.query import CorpusFilter, LoreRetrievalQuery
from lorewright.retrieval.why_not import WhyNot, explain_why_not
from lorewright.service.queries import (
    MOST_CHUNKS,
    MOST_TOKENS,
    EditDone,
    EditPreview,
    Entities,
    EntityFound,
    LorebookEntries,
    LoreFound,
    Packs,
    Queries,
    Reviews,
)
from lorewright.service.web.access import Caller
from lorewright.service.web.accounts import Seat
from lorewright.service.web.api import REFUSALS, As, Asker, AtTable, CampaignId, Here, Key, needs
from lorewright.service.web.engine import Tables
from lorewright.service.web.events import Event
from lorewright.service.web.service import Service
from lorewright.service.web.shapes import Attempt, Desk, Permission
from lorewright.service.web.table import MOST_TURNS, show_attempts, show_desk, show_stream
from lorewright.service.write_tools import WriteTools
from lorewright.turn.run.editing import MOST_OPS
from lorewright.turn.views.player_ids import readable
from lorewright.visibility import Viewer, section_sight

T = TypeVar("T")

lore_api = APIRouter(prefix="/v1", responses=REFUSALS)

_READS = [Depends(needs("read"))]
_JUDGES = [Depends(needs("gm"))]
_ASKS = [Depends(needs("lore"))]

Name = Annotated[str, Field(min_length=1, max_length=300)]


@dataclass(frozen=True, slots=True)
class TableQueries(Queries):
    """Queries of one campaign that is open already."""

    held: OpenCampaign | None = None

    @contextmanager
    def opened(self, campaign_id: str) -> Iterator[OpenCampaign]:
        """Yield the open campaign."""
        if self.held is None:
            raise NotFound("there is no such campaign")
        yield self.held


async def ask_table(service: Service, seat: Seat, answer: Callable[[TableQueries], T], *, writes: bool = False) -> T:
    """Return what a function makes of the queries of a seat's campaign, in the engine thread."""

    async def work(tables: Tables) -> T:
        opened = tables.writing if writes else tables.reading
        async with opened(seat.campaign_id) as campaign:
            return answer(TableQueries(tables.app, Viewer(seat.viewer), seat.campaign_id, held=campaign))

    return await service.engine.run(work)


async def ask_packs(service: Service, caller: Caller, answer: Callable[[Queries], T]) -> T:
    """Return what a function makes of the installed packs, in the engine thread, as the game master sees them.

    Raises:
        AccessRefused: the account is not the owner's, who alone sees packs outside of a campaign.
    """
    if not caller.account.is_owner or caller.campaign_id is not None:
        raise AccessRefused("only the owner asks packs outside of a campaign", hint="name a campaign: campaign_id")
    caller.needs("gm")

    async def work(tables: Tables) -> T:
        return answer(Queries(tables.app, Viewer("gm")))

    return await service.engine.run(work)


# Lore.


class LoreQuestion(BaseModel):
    """A question to the lore."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str = Field(default="", max_length=2_000, examples=["What does Viktor keep in the crate?"])
    campaign_id: str | None = Field(
        default=None, max_length=100, description="Ask as your seat in this campaign; without it as the packs' owner."
    )
    seat: str | None = Field(default=None, alias="as", max_length=200, description="As the query parameter `as`.")
    corpus: CorpusFilter = "authored"
    packs: tuple[Name, ...] = Field(default=(), max_length=50)
    location: Name | None = None
    entities: tuple[Name, ...] = Field(default=(), max_length=50)
    tags: tuple[Name, ...] = Field(default=(), max_length=50)
    limit: int | None = Field(default=None, ge=1, le=MOST_CHUNKS)
    max_tokens: int | None = Field(default=None, ge=1, le=MOST_TOKENS)


class WhyNotQuestion(LoreQuestion):
    """A question, and a section that did not come."""

    chunk_id: Name


class Batch(BaseModel):
    """Several questions."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    questions: tuple[LoreQuestion, ...] = Field(min_length=1, max_length=20)


class Answers(BaseModel):
    """The answers, in the order of the questions."""

    answers: tuple[LoreFound, ...]


@lore_api.post("/lore/query", tags=["lore"], dependencies=_ASKS)
async def query_lore(service: Here, caller: Asker, sent: LoreQuestion) -> LoreFound:
    """The sections that answer a question, best first, each with its source: as much of them as your seat may see."""
    return await _asked(service, caller, sent, lambda queries: _found(queries, sent))


@lore_api.post("/lore/batch", tags=["lore"], dependencies=_ASKS)
async def query_batch(service: Here, caller: Asker, sent: Batch) -> Answers:
    """Several questions at once."""
    found = [
        await _asked(service, caller, question, lambda queries, question=question: _found(queries, question))  # type: ignore[misc]
        for question in sent.questions
    ]
    return Answers(answers=tuple(found))


@lore_api.post("/lore/explain", tags=["lore"], dependencies=_ASKS)
async def explain_lore(service: Here, caller: Asker, sent: LoreQuestion) -> dict[str, Any]:
    """As `query`, with how each section was found and what the budget cut."""

    def explained(queries: Queries) -> dict[str, Any]:
        found = queries.app.lore.retrieve(_query(queries, sent), packs=sent.packs, campaign_id=queries.campaign_id)
        return {"result": found.result.model_dump(mode="json"), "trace": found.trace.model_dump(mode="json")}

    return await _asked(service, caller, sent, explained)


@lore_api.post("/lore/why-not", tags=["lore"], dependencies=_ASKS)
async def why_not(service: Here, caller: Asker, sent: WhyNotQuestion) -> WhyNot:
    """Why a section did not come."""

    def explained(queries: Queries) -> WhyNot:
        asked = _query(queries, sent)
        with queries.app.lore.asking(asked, sent.packs, campaign_id=queries.campaign_id) as (view, put):
            return explain_why_not(view, put, sent.chunk_id)

    return await _asked(service, caller, sent, explained)


async def _asked(service: Service, caller: Caller, sent: LoreQuestion, answer: Callable[[Queries], T]) -> T:
    if sent.campaign_id is None:
        return await ask_packs(service, caller, answer)
    return await ask_table(service, caller.seat(service.accounts, sent.campaign_id, role=sent.seat), answer)


def _query(queries: Queries, sent: LoreQuestion) -> LoreRetrievalQuery:
    defaults = queries.app.workspace.settings.lore
    return LoreRetrievalQuery(
        keywords=sent.text,
        location_id=sent.location,
        entity_ids=sent.entities,
        tags=sent.tags,
        corpus=sent.corpus,
        viewer=queries.viewer.name,
        limit=min(sent.limit or defaults.limit, MOST_CHUNKS),
        max_tokens=min(sent.max_tokens or defaults.max_tokens, MOST_TOKENS),
    )


def _found(queries: Queries, sent: LoreQuestion) -> LoreFound:
    return queries.lore(
        sent.text,
        corpus=sent.corpus,
        packs=sent.packs,
        location=sent.location,
        entities=sent.entities,
        tags=sent.tags,
        limit=sent.limit,
        max_tokens=sent.max_tokens,
    )


@lore_api.get("/packs", tags=["lore"], dependencies=_ASKS)
async def list_packs(service: Here, caller: Asker) -> Packs:
    """The installed packs, for their owner."""
    return await ask_packs(service, caller, lambda queries: queries.packs())


@lore_api.get("/packs/{pack}/entities/{entity}", tags=["lore"], dependencies=_ASKS)
async def get_pack_entity(
    service: Here,
    caller: Asker,
    pack: Annotated[str, Path(max_length=200)],
    entity: Annotated[str, Path(max_length=300)],
) -> EntityFound:
    """All that a pack says of an entity, for the pack's owner."""
    return await ask_packs(service, caller, lambda queries: queries.entity(f"{pack}:{entity}"))


@lore_api.get("/campaigns/{campaign}/entities", tags=["knowledge"], dependencies=_READS)
async def list_entities(
    service: Here,
    seat: AtTable,
    kind: Annotated[str | None, Query(alias="type", max_length=40)] = None,
    named: Annotated[str, Query(max_length=300)] = "",
) -> Entities:
    """Who and what your seat may know of."""
    return await ask_table(service, seat, lambda queries: queries.entities(kind=kind, named=named))


@lore_api.get("/campaigns/{campaign}/entities/{entity}", tags=["knowledge"], dependencies=_READS)
async def get_entity(service: Here, seat: AtTable, entity: Annotated[str, Path(max_length=300)]) -> EntityFound:
    """All that your seat may read of a person, place or thing."""
    return await ask_table(service, seat, lambda queries: queries.entity(entity))


# The game master's desk.


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
        examples=[
            [{"op": "reveal", "item_id": "neo_seattle:viktor:knows#pier9", "to": "dead_drop:player", "how": "told"}]
        ],
    )
    note: str = Field(default="", max_length=2_000)
    revision: int | None = Field(default=None, ge=0)


class Verdict(BaseModel):
    """Whether a proposal is accepted."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    accept: bool


@lore_api.get("/campaigns/{campaign}/desk", tags=["game master"], dependencies=_JUDGES)
async def desk(service: Here, seat: AtDesk) -> Desk:
    """The whole state, the scene, and each secret of the packs with who knows it."""
    return await service.read(seat, lambda campaign, seat: show_desk(campaign))


@lore_api.get("/campaigns/{campaign}/stream", tags=["game master"], dependencies=_JUDGES)
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


@lore_api.post("/campaigns/{campaign}/ops:preview", tags=["game master"], dependencies=_JUDGES)
async def preview_ops(service: Here, seat: AtDesk, sent: NewOps) -> EditPreview:
    """What ops would come to, without doing them."""
    return await ask_table(service, seat, lambda queries: WriteTools(queries).preview(sent.ops))


@lore_api.post("/campaigns/{campaign}/ops", tags=["game master"], dependencies=_JUDGES)
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
    service.hub.publish(seat.campaign_id, Event("moved", by=caller.account.id))
    await service.index(seat.campaign_id)


@lore_api.get("/campaigns/{campaign}/reviews", tags=["game master"], dependencies=_JUDGES)
async def list_reviews(service: Here, seat: AtDesk) -> Reviews:
    """The proposals that wait for you."""
    return await ask_table(service, seat, lambda queries: WriteTools(queries).waiting())


@lore_api.post("/campaigns/{campaign}/reviews/{review}", tags=["game master"], dependencies=_JUDGES)
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


@lore_api.get("/campaigns/{campaign}/lorebook", tags=["game master"], dependencies=_JUDGES)
async def get_lorebook(service: Here, seat: AtDesk, flagged: Annotated[bool, Query()] = False) -> LorebookEntries:
    """What narrations have added to the world."""
    return await ask_table(service, seat, lambda queries: WriteTools(queries).lorebook(flagged=flagged))


@lore_api.get("/campaigns/{campaign}/attempts", tags=["game master"], dependencies=_JUDGES)
async def list_attempts(service: Here, seat: AtDesk) -> list[Attempt]:
    """The turns that were tried and not committed, the newest first."""
    return await service.read(seat, lambda campaign, seat: show_attempts(campaign))


@lore_api.get("/campaigns/{campaign}/stages/{turn}", tags=["game master"], dependencies=_JUDGES)
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


@lore_api.post("/permissions:test", tags=["game master"], dependencies=_JUDGES)
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
