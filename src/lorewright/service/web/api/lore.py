"""The API of lore: questions to packs and campaigns, as far as a seat may know."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, Path, Query
from pydantic import BaseModel, ConfigDict, Field

from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.errors import NotFound
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.why_not import WhyNot, explain_why_not
from lorewright.service.queries import (
    MOST_CHUNKS,
    MOST_TOKENS,
    Entities,
    EntityFound,
    LoreFound,
    Packs,
    Queries,
)
from lorewright.service.web.access import Caller
from lorewright.service.web.accounts import Seat
from lorewright.service.web.api.requests import (
    READS,
    REFUSALS,
    Asker,
    AtTable,
    Here,
    needs,
)
from lorewright.service.web.chat import message_of
from lorewright.service.web.engine import Tables
from lorewright.service.web.lore_chat import check_lore_caller
from lorewright.service.web.service import Service
from lorewright.service.web.shapes import ContextQuestion, ContextSource, LoreContext, LoreQuestion, WhyNotQuestion
from lorewright.visibility import Viewer

T = TypeVar("T")

lore_api = APIRouter(prefix="/v1", responses=REFUSALS)

_ASKS = [Depends(needs("lore"))]
# Of a chat the last messages are asked about, in so many characters.
_LAST_SAID = 3
_LONGEST_QUESTION = 2_000


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


async def ask_packs(
    service: Service, caller: Caller, answer: Callable[[Queries], T], *, viewer: str | None = None
) -> T:
    """Return what a function makes of the installed packs, in the engine thread, as a viewer sees them: by default the
    game master.

    Raises:
        AccessRefused: the account is not the owner's, who alone sees packs outside of a campaign, or the viewer is
            another than `player` and the request has not the scope `gm`.
        SettingsError: there is no such viewer.
    """
    eyes = Viewer(viewer or "gm")
    check_lore_caller(caller, eyes.name)

    async def work(tables: Tables) -> T:
        return answer(Queries(tables.app, eyes))

    return await service.engine.run(work)


# Lore.


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
    return await _asked(service, caller, sent, lambda queries: found_by(queries, sent))


@lore_api.post("/lore/batch", tags=["lore"], dependencies=_ASKS)
async def query_batch(service: Here, caller: Asker, sent: Batch) -> Answers:
    """Several questions at once."""
    found = [await query_lore(service, caller, question) for question in sent.questions]
    return Answers(answers=tuple(found))


@lore_api.post("/lore/context", tags=["lore"], dependencies=_ASKS)
async def make_context(service: Here, caller: Asker, sent: ContextQuestion) -> LoreContext:
    """The lore for a question, or for the end of a chat, as a text to be put into a prompt, with its sources."""
    if not sent.text.strip() and sent.messages:
        sent = sent.model_copy(update={"text": end_of(sent.messages)})
    return context_of(await query_lore(service, caller, sent))


def end_of(messages: Sequence[Mapping[str, Any]]) -> str:
    """Return what was said last in a chat, and as much before it as a question may hold."""
    said = [message_of(dict(message)) for message in messages]
    texts = [message.text.strip() for message in said if message.role in ("user", "assistant") and message.text.strip()]
    question = ""
    for text in reversed(texts[-_LAST_SAID:]):
        if len(text) + len(question) >= _LONGEST_QUESTION:
            break
        question = f"{text}\n{question}"
    return (question or "".join(texts[-1:]))[:_LONGEST_QUESTION]


def context_of(found: LoreFound) -> LoreContext:
    """Return lore that was found as a text for a prompt, each section with a mark before it."""
    sources: list[ContextSource] = []
    texts: list[str] = []
    for chunk in found.chunks:
        mark = f"[{len(sources) + 1}]"
        sources.append(
            ContextSource(
                mark=mark,
                chunk_id=chunk.chunk_id,
                pack_id=chunk.pack_id,
                file_path=chunk.file_path,
                section_path=chunk.section_path,
            )
        )
        texts.append(f"{mark} {chunk.section_path}\n{chunk.text.strip()}")
    return LoreContext(text="\n\n".join(texts), sources=tuple(sources), tokens=found.total_tokens)


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
        return await ask_packs(service, caller, answer, viewer=sent.seat)
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


def found_by(queries: Queries, sent: LoreQuestion) -> LoreFound:
    """Return the sections that answer a question."""
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


@lore_api.get("/campaigns/{campaign}/entities", tags=["knowledge"], dependencies=READS)
async def list_entities(
    service: Here,
    seat: AtTable,
    kind: Annotated[str | None, Query(alias="type", max_length=40)] = None,
    named: Annotated[str, Query(max_length=300)] = "",
) -> Entities:
    """Who and what your seat may know of."""
    return await ask_table(service, seat, lambda queries: queries.entities(kind=kind, named=named))


@lore_api.get("/campaigns/{campaign}/entities/{entity}", tags=["knowledge"], dependencies=READS)
async def get_entity(service: Here, seat: AtTable, entity: Annotated[str, Path(max_length=300)]) -> EntityFound:
    """All that your seat may read of a person, place or thing."""
    return await ask_table(service, seat, lambda queries: queries.entity(entity))
