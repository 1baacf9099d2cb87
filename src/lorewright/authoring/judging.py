"""A golden query and the packs to ask -> the answer, and what of it is not as its author expects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, model_validator

from lorewright.errors import NotFound
from lorewright.ids import canonical_json, qualify
from lorewright.index.generation import Generation, StoredChunk
from lorewright.packs.conditions import LoreConditions
from lorewright.packs.markdown.chunking import plain_text
from lorewright.retrieval.entity_names import NamedEntities
from lorewright.retrieval.pack_views import qualified_viewer
from lorewright.retrieval.query import DEFAULT_LIMIT, LoreRetrievalQuery, RetrievedChunk, scene_query
from lorewright.retrieval.retriever import Retrieval, retrieve
from lorewright.retrieval.view import LoreView, may_see, visible_text
from lorewright.retrieval.why_not import exclusion_reasons

# What an author writes for one golden query: what is asked by whom, and what the answer must and must not hold.

# `viktor:withholds`, with its pack `neo_seattle:viktor:withholds`; `…~2` is the second part of a split section.
ChunkId = Annotated[str, StringConstraints(pattern=r"^([^\s:]+:)?[^\s:]+:[^\s:]+$")]
# `viktor:withholds#debt`, with or without its pack; `viktor/withholds#debt`, as scenarios write it, is the same.
ItemId = Annotated[str, StringConstraints(pattern=r"^([^\s:#]+:)?[^\s:#]+[:/][^\s:#]+#[^\s:#]+$")]
PackViewer = Annotated[str, StringConstraints(pattern=r"^(gm|player|npc:\S+)$")]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
# So much of a sentence tells it apart from any other.
Sentence = Annotated[str, StringConstraints(min_length=3, max_length=2000)]

DEFAULT_BUDGET = 1000


class _Written(BaseModel):
    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")


class GoldenScene(_Written):
    """A scene that asks: its place, the characters there, and the open threads."""

    location: Name = Field(description="The place of the scene: the ID of a location.")
    present: tuple[Name, ...] = Field(default=(), description="Who is there: IDs of characters.")
    threads: tuple[Name, ...] = Field(default=(), description="Threads that are open.")


class GivenFact(_Written):
    """An established fact."""

    fact: Name = Field(description="The predicate, as a condition names it.")
    subject: Name = Field(description="Whom or what it is about.")


class QueryConditions(_Written):
    """The state of the campaign in which it is asked, by which conditions (`when:`) are judged."""

    threads: dict[Name, Name] = Field(default_factory=dict, description="Thread -> its status.")
    clocks: dict[Name, int] = Field(default_factory=dict, description="Clock -> its value.")
    facts: tuple[GivenFact, ...] = Field(default=(), description="What is established.")


class GoldenQuery(_Written):
    """A question and what its answer must and must not hold.

    It is asked in words (`query`), by a scene, by filters, or by several of these together. IDs may leave out the pack
    that the file belongs to.
    """

    name: Name | None = Field(default=None, description="What reports call it; unique in the pack.")
    query: str = Field(default="", max_length=4000, description="The question, in the viewer's words.")
    scene: GoldenScene | None = Field(
        default=None, description="A scene that asks; with `query` that is what the player does in it."
    )
    location: Name | None = Field(default=None, description="Filter: the place of the scene.")
    entities: tuple[Name, ...] = Field(default=(), description="Filter: characters and things in the scene.")
    factions: tuple[Name, ...] = Field(default=(), description="Filter: factions.")
    threads: tuple[Name, ...] = Field(default=(), description="Filter: threads of the story.")
    tags: tuple[Name, ...] = Field(default=(), description="Filter: tags.")
    viewer: PackViewer = Field(default="gm", description="Who asks: gm, player, or npc:ID for a character.")
    revealed: tuple[ItemId, ...] = Field(
        default=(), description="Items that the viewer has learned: `viktor:withholds#debt`."
    )
    given: QueryConditions | None = Field(
        default=None, description="The state of the campaign in which it is asked; without it there is no campaign."
    )
    budget: int = Field(default=DEFAULT_BUDGET, ge=1, description="At most so many tokens of text.")
    limit: int = Field(default=DEFAULT_LIMIT, ge=1, le=1000, description="At most so many sections.")
    top: int | None = Field(
        default=None, ge=1, le=1000, description="The chunks under include must be among the first so many sections."
    )
    include: tuple[ChunkId, ...] = Field(default=(), description="Sections that must be in the answer.")
    exclude: tuple[ChunkId, ...] = Field(default=(), description="Sections that must not be in the answer.")
    include_text: tuple[Sentence, ...] = Field(default=(), description="Sentences that must stand in the answer.")
    exclude_text: tuple[Sentence, ...] = Field(default=(), description="Sentences that must not stand in the answer.")
    needs: Literal["meaning"] | None = Field(
        default=None, description="`meaning`: words alone do not find it; it is skipped where nothing embeds."
    )

    @model_validator(mode="after")
    def _require_question(self) -> Self:
        filters = (self.location, self.entities, self.factions, self.threads, self.tags)
        if not self.query.strip() and self.scene is None and not any(filters):
            raise ValueError("ask something: query, scene, location, entities, factions, threads or tags")
        if self.scene is not None and any(filters):
            raise ValueError("a scene brings its filters along: leave out location, entities, factions, threads, tags")
        if self.viewer == "gm" and self.revealed:
            raise ValueError("the game master knows everything: revealed is for viewer player or npc:ID")
        return self

    @model_validator(mode="after")
    def _require_expectation(self) -> Self:
        """Refuse a query that names nothing, which could not fail, and one that contradicts itself, which always
        would."""
        if not (self.include or self.exclude or self.include_text or self.exclude_text):
            raise ValueError("name a chunk under include or exclude, or a sentence under include_text or exclude_text")
        both = sorted({*self.include} & {*self.exclude}) or sorted({*self.include_text} & {*self.exclude_text})
        if both:
            raise ValueError(f"{both[0]} is to be both in the answer and not in it")
        if self.top is not None and not self.include:
            raise ValueError("top limits the place of the chunks under include: name a chunk there")
        if self.top is not None and self.top > self.limit:
            raise ValueError(f"top is {self.top}, and the answer has at most {self.limit} sections (limit)")
        return self

    @property
    def title(self) -> str:
        """Return what a person calls the query: its name, else what is asked."""
        if self.name is not None:
            return self.name
        if self.scene is not None:
            there = ", ".join((self.scene.location, *self.scene.present))
            return f"scene {there}: {self.query}" if self.query else f"scene {there}"
        filters = ", ".join(filter(None, (self.location, *self.entities, *self.factions, *self.threads, *self.tags)))
        return self.query or filters

    @property
    def asked(self) -> str:
        """Return what is asked by whom, without what is expected, as JSON: the same text for the same question."""
        fields = {"name", "include", "exclude", "include_text", "exclude_text", "top", "needs"}
        return canonical_json(self.model_dump(mode="json", exclude=fields, exclude_defaults=True))


GOLDEN_QUERIES = TypeAdapter(tuple[GoldenQuery, ...], config=ConfigDict(defer_build=True))


def golden_schema() -> dict[str, Any]:
    """Return the JSON Schema of a file of golden queries: a list of them."""
    return {**GOLDEN_QUERIES.json_schema(), "title": "Golden queries of a Lorewright pack"}


# A golden query and its answer -> what of it is not as the author expects.

# Shorter words may stand in open lore, too.
_FEWEST_WORDS = 4


@dataclass(frozen=True, slots=True)
class Miss:
    """A thing that is not as expected: `str()` says it in a line. `key` and `number` are where it was expected
    (`include`, 0); `why` and `hint` are for the author, empty where the message says all. With `secret` the answer
    tells what its viewer may not know."""

    message: str
    key: str = "query"
    number: int = 0
    why: str = ""
    hint: str = ""
    secret: bool = False

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True, slots=True)
class Judged:
    """The answer to a golden query with its misses. `retrieval` is None where the query could not be asked."""

    misses: tuple[Miss, ...]
    view: LoreView | None = None
    query: LoreRetrievalQuery | None = None
    retrieval: Retrieval | None = None
    answer: tuple[RetrievedChunk, ...] = field(default=())

    @property
    def sections(self) -> tuple[str, ...]:
        """Return the IDs of the sections of the answer, best first."""
        return tuple(dict.fromkeys(_section(chunk.chunk_id) for chunk in self.answer))


def judge(generations: Sequence[Generation], golden: GoldenQuery) -> Judged:
    """Ask a golden query and judge the answer. Names that these packs do not have are misses, too."""
    unknown = tuple(_unknown_names(golden, generations))
    try:
        viewer = qualified_viewer(golden.viewer, generations)
    except NotFound as problem:
        return Judged(
            (*unknown, Miss(problem.message, "viewer", hint=_suggest(golden.viewer[4:], _entities(generations))))
        )
    if any(miss.key not in ("include", "exclude") for miss in unknown):
        return Judged(unknown)
    view = LoreView(
        tuple(generations),
        viewer=viewer,
        revealed=frozenset(filter(None, (_find_item(item_id, generations) for item_id in golden.revealed))),
        conditions=None if golden.given is None else _conditions(golden.given, generations),
    )
    query = query_of(golden, generations, viewer=viewer)
    retrieval = retrieve(view, query)
    found = Judged(unknown, view, query, retrieval, retrieval.result.chunks)
    secrets = _leaked_secrets(view, found.answer) if viewer != "gm" else ()
    return Judged(
        (*unknown, *_misplaced_chunks(golden, found), *_misjudged_texts(golden, found), *secrets),
        view,
        query,
        retrieval,
        found.answer,
    )


def query_of(golden: GoldenQuery, generations: Sequence[Generation], *, viewer: str) -> LoreRetrievalQuery:
    """Return what a golden query asks, by its words or as its scene does."""
    bounds = {"limit": golden.limit, "max_tokens": golden.budget}
    if golden.scene is None:
        return LoreRetrievalQuery(
            keywords=golden.query,
            location_id=golden.location and _by_id(golden.location, generations),
            entity_ids=tuple(_by_id(name, generations) for name in golden.entities),
            faction_ids=tuple(_by_id(name, generations) for name in golden.factions),
            thread_ids=golden.threads,
            tags=golden.tags,
            viewer=viewer,
            **bounds,
        )
    ids = [golden.scene.location, *golden.scene.present]
    entities = {entity_id: _find_entity(entity_id, generations) for entity_id in ids}
    asked = scene_query(
        entities[golden.scene.location] or golden.scene.location,
        present_ids=[entities[name] or name for name in golden.scene.present],
        thread_ids=golden.scene.threads,
        names={
            known.id: known.name
            for entity in entities.values()
            for generation in generations
            if entity is not None and (known := generation.entity(entity)) is not None
        },
        player_input=golden.query,
        viewer=viewer,
    )
    return asked.model_copy(update=bounds)


def _section(chunk_id: str) -> str:
    return chunk_id.partition("~")[0]


def _answers(chunk_id: str, wanted: str) -> bool:
    """Tell whether a chunk is the wanted one: that part of a section, or any part of a section that is named whole."""
    return chunk_id == wanted or _section(chunk_id) == wanted


def _find_chunk(chunk_id: str, generations: Sequence[Generation]) -> StoredChunk | None:
    """Return a section by its ID; a section named without its pack may be any pack's. None where there is none."""
    for generation in generations:
        full = chunk_id if chunk_id.count(":") == 2 else f"{generation.pack_id}:{chunk_id}"
        if (found := generation.chunk(full)) is not None:
            return found
    return None


def _find_entity(written: str, generations: Sequence[Generation]) -> str | None:
    """Return the full ID of the first pack's entity of an ID, else of the one that is called so; or None."""
    full = (
        qualify(generation.pack_id, written)
        for generation in generations
        if generation.entity(qualify(generation.pack_id, written))
    )
    by_id = next(full, None)
    named = NamedEntities(generations).meant(written) if by_id is None else (by_id,)
    return named[0] if len(named) == 1 else None


def _by_id(written: str, generations: Sequence[Generation]) -> str:
    """Return an ID as it is written, and for a name the ID of the one that is called so."""
    names = NamedEntities(generations)
    return written if names.with_id(written) else _find_entity(written, generations) or written


def _find_item(item_id: str, generations: Sequence[Generation]) -> str | None:
    """Return an item's full ID, None where there is none. Scenarios write `viktor/withholds#debt`."""
    where, _, name = item_id.replace("/", ":", 1).partition("#")
    for generation in generations:
        full = f"{where}#{name}" if where.count(":") == 2 else f"{generation.pack_id}:{where}#{name}"
        if generation.item(full) is not None:
            return full
    return None


def _conditions(given: QueryConditions, generations: Sequence[Generation]) -> LoreConditions:
    subjects = [
        (fact.fact, subject)
        for fact in given.facts
        for subject in (fact.subject, *(qualify(generation.pack_id, fact.subject) for generation in generations))
    ]
    return LoreConditions(threads=given.threads, clocks=given.clocks, facts=frozenset(subjects))


def _unknown_names(golden: GoldenQuery, generations: Sequence[Generation]) -> Iterator[Miss]:
    """Yield a miss for each name in the query that the packs do not have."""
    for key, ids in _entity_ids(golden):
        for number, entity_id in enumerate(ids):
            if _find_entity(entity_id, generations) is None:
                yield Miss(
                    f"there is no entity {entity_id}", key, number, hint=_suggest(entity_id, _entities(generations))
                )
    scene = golden.scene
    for key, kind, values in (
        ("threads", "thread", golden.threads),
        ("tags", "tag", golden.tags),
        ("scene", "thread", scene.threads if scene else ()),
    ):
        for number, value in enumerate(values):
            if not any(generation.linked(kind, [value]) for generation in generations):
                known = {value for generation in generations for value in generation.link_values(kind)}
                yield Miss(f"no section is tied to the {kind} {value}", key, number, hint=_suggest(value, known))
    for number, item_id in enumerate(golden.revealed):
        if _find_item(item_id, generations) is None:
            yield Miss(f"there is no item {item_id}", "revealed", number, hint=_suggest(item_id, _items(generations)))
    for key, ids in (("include", golden.include), ("exclude", golden.exclude)):
        for number, chunk_id in enumerate(ids):
            if _find_chunk(chunk_id, generations) is None:
                chunks = {_section(chunk.id) for generation in generations for chunk in generation.all_chunks()}
                yield Miss(f"there is no chunk {chunk_id}", key, number, hint=_suggest(chunk_id, chunks))


def _entity_ids(golden: GoldenQuery) -> Iterator[tuple[str, tuple[str, ...]]]:
    if golden.scene is not None:
        yield "scene", (golden.scene.location, *golden.scene.present)
    yield "location", (golden.location,) if golden.location else ()
    yield "entities", golden.entities
    yield "factions", golden.factions


def _entities(generations: Sequence[Generation]) -> set[str]:
    return {entity_id for generation in generations for entity_id in generation.entities()}


def _items(generations: Sequence[Generation]) -> set[str]:
    return {
        item.id
        for generation in generations
        for chunk in generation.hidden_chunks()
        for item in generation.items_of(chunk.row)
    }


def _suggest(name: str, known: Iterable[str]) -> str:
    """Return `did you mean …` for IDs with or without their pack; empty where nothing is near."""
    by_name = {
        known_id if name.count(":") == known_id.count(":") else known_id.partition(":")[2]: known_id
        for known_id in sorted(known)
    }
    near = get_close_matches(name.replace("/", ":", 1), by_name, n=1, cutoff=0.6)
    return f"did you mean {near[0]}?" if near else ""


def _misplaced_chunks(golden: GoldenQuery, found: Judged) -> Iterator[Miss]:
    assert found.view is not None and found.query is not None and found.retrieval is not None
    there = [chunk.chunk_id for chunk in found.answer]
    shown = ", ".join(there) or "nothing"
    for number, wanted in enumerate(golden.include):
        chunk = _find_chunk(wanted, found.view.generations)
        if chunk is None:
            continue
        if not any(_answers(chunk_id, chunk.id) for chunk_id in there):
            reason = exclusion_reasons(found.retrieval, found.query, chunk, visible=_is_visible(found.view, chunk))
            why, hint = (reason.why, reason.hint) if reason else ("", "")
            yield Miss(f"{wanted} is not in the answer, which is {shown}", "include", number, why, hint)
        elif golden.top is not None and (place := found.sections.index(_section(chunk.id)) + 1) > golden.top:
            yield Miss(
                f"{wanted} is at place {place}, and is to be among the first {golden.top}",
                "include",
                number,
                f"before it: {', '.join(found.sections[: place - 1])}",
                "say more plainly in it what it is about, or raise top",
            )
    for number, wanted in enumerate(golden.exclude):
        chunk = _find_chunk(wanted, found.view.generations)
        at = next((n for n, chunk_id in enumerate(there, 1) if chunk and _answers(chunk_id, chunk.id)), None)
        if at is not None:
            yield Miss(
                f"{wanted} is in the answer, at place {at} of {len(there)}",
                "exclude",
                number,
                _explain_hit(found.retrieval, there[at - 1]),
                _hint_for_excluded(golden),
            )


def _is_visible(view: LoreView, chunk: StoredChunk) -> bool:
    generation = next(candidate for candidate in view.generations if candidate.pack_id == chunk.pack_id)
    return not chunk.text or visible_text(view, generation, chunk) is not None


def _explain_hit(retrieval: Retrieval, chunk_id: str) -> str:
    """Return what brought a section into an answer, in words."""
    trace = retrieval.trace.why(chunk_id)
    if trace is None:
        return ""
    by = [f"its words {', '.join(trace.terms)}"] if trace.terms else []
    by += [f"what it means (cosine {trace.vector_score:.2f})"] if trace.vector_rank else []
    by += [f"the name {trace.name}"] if trace.name else []
    by += [f"the filter {' and '.join(trace.filters)}"] if trace.filters else []
    return f"it came by {'; '.join(by)}" if by else ""


def _hint_for_excluded(golden: GoldenQuery) -> str:
    if golden.viewer == "gm":
        return "the game master may read everything: ask as viewer: player, or lower the budget"
    return "put what it keeps under a heading that is not open, such as Withholds; see: lorewright pack validate"


def _misjudged_texts(golden: GoldenQuery, found: Judged) -> Iterator[Miss]:
    """Yield a miss for each sentence that should stand in the answer and does not, or should not and does."""
    assert found.view is not None
    said = [(chunk.chunk_id, _plain(chunk.text)) for chunk in found.answer]
    for key, texts in (("include_text", golden.include_text), ("exclude_text", golden.exclude_text)):
        for number, text in enumerate(texts):
            wanted = _plain(text)
            where = next((chunk_id for chunk_id, text in said if wanted in text), None)
            if where is not None and key == "exclude_text":
                yield Miss(f"“{text}” stands in the answer, in {where}", key, number, hint=_hint_for_excluded(golden))
            elif where is None and (home := _chunk_with(wanted, found.view.generations)) is None:
                yield Miss(f"no section holds “{text}”", key, number, hint="write it as it stands in the pack")
            elif where is None and key == "include_text":
                why, hint = _explain_missing_text(found, home)
                yield Miss(f"“{text}” is not in the answer", key, number, why, hint)


def _plain(text: str) -> str:
    return plain_text(text).casefold()


def _chunk_with(wanted: str, generations: Sequence[Generation]) -> StoredChunk | None:
    chunks = (chunk for generation in generations for chunk in generation.all_chunks())
    return next((chunk for chunk in chunks if wanted in _plain(chunk.text)), None)


def _explain_missing_text(found: Judged, home: StoredChunk | None) -> tuple[str, str]:
    assert home is not None and found.view is not None and found.query is not None and found.retrieval is not None
    if any(chunk.chunk_id == home.id for chunk in found.answer):
        cut = f"{home.id} is in the answer, and was cut before it or shown in part"
        return cut, "raise budget, or say it earlier in the section"
    reason = exclusion_reasons(found.retrieval, found.query, home, visible=_is_visible(found.view, home))
    return (f"it stands in {home.id}: {reason.why}", reason.hint) if reason else ("", "")


def _leaked_secrets(view: LoreView, chunks: Sequence[RetrievedChunk]) -> Iterator[Miss]:
    """Yield a miss for each secret that stands in the answer though the viewer may not know it, wherever it stands."""
    for generation in view.generations:
        for hidden in generation.hidden_chunks():
            if may_see(view, role=hidden.role, owner_id=hidden.entity_id):
                continue
            items = [item.text for item in generation.items_of(hidden.row) if item.id not in view.revealed]
            secrets = [text for text in (hidden.text, *items) if len(text.split()) >= _FEWEST_WORDS]
            for chunk in chunks:
                if any(text in chunk.text for text in secrets):
                    yield Miss(
                        f"{chunk.chunk_id} tells what is kept in {hidden.id}",
                        why="a sentence that is not open stands word for word in one that is",
                        hint="leave it out there, or make no secret of it",
                        secret=True,
                    )
