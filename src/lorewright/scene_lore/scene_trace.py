"""A view and a scene -> its lore: what belongs to it by ID, what is retrieved besides, and why each is there.

The lore of the place and of those present is always there; lore related to them is retrieved into the rest of the
budget. The trace holds only what its viewer may read; the game master alone is told how much of it others may not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from lorewright.ids import holder_of
from lorewright.index.generation import StoredCondition
from lorewright.packs.conditions import LoreConditions, holds, in_words
from lorewright.packs.models import OPEN_ROLES, PackEntity
from lorewright.retrieval.entity_names import NamedEntities
from lorewright.retrieval.explain import RetrievalTrace
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import Retrieval, retrieve_unknown
from lorewright.retrieval.view import (
    LoreView,
    entity_for_viewer,
    find_same_things,
    hidden_entities,
    hidden_names,
    ids_of,
    in_force,
    may_see,
    merge_entity,
)
from lorewright.scene_lore.gather import gather
from lorewright.scene_lore.lore_retriever import LoreRetriever
from lorewright.scene_lore.models import (
    LoreText,
    NPCBriefing,
    SceneFocus,
    SceneItem,
    SceneLore,
    character_view,
    scene_view,
    whole_scene,
)
from lorewright.tokens import count_tokens
from lorewright.visibility import sees_section

# Whose a section is that is there by its ID: `always` is nobody's, it stands in every scene.
Why = Literal["place", "person", "thread", "always"]


class _Frozen(BaseModel):
    model_config = ConfigDict(defer_build=True, frozen=True)


class SceneSection(_Frozen):
    """A section that belongs to somebody or something of the scene: `of` is its owner, `why` whether that is the place,
    somebody present, a thread of the query, or nobody, for it stands in every scene.

    `lines` is the number of its sentences and items that the viewer may read and `tokens` their size; `kept` is how
    many of them are not open to players before they are revealed; only the game master is told.
    """

    chunk_id: str
    of: str
    why: Why
    role: str
    lines: int
    tokens: int
    kept: int | None


class SceneCondition(_Frozen):
    """A section, or with `item_id` an item of it, that stands under a condition; `holds` is None where no campaign says
    whether the condition holds."""

    chunk_id: str
    item_id: str | None
    condition: str
    holds: bool | None


class SceneTrace(_Frozen):
    """The reasons for the lore of a scene. `conditions` are for the game master alone."""

    viewer: str
    location_id: str
    present_ids: tuple[str, ...]
    max_tokens: int
    by_id: tuple[SceneSection, ...]
    by_id_tokens: int
    by_retrieval: RetrievalTrace
    conditions: tuple[SceneCondition, ...]


@dataclass(frozen=True, slots=True)
class SceneFound:
    """A scene as its viewer may know it: the names of the place and of those present, all lines by section role and
    owner, and what was retrieved besides. `shown` is their view of it, in the shape of the seed's SceneLoreCache;
    `lore` is all of it, for the game master alone."""

    place: PackEntity
    present: tuple[PackEntity, ...]
    shown: Mapping[str, Any]
    lines: tuple[SceneLine, ...]
    beside: Retrieval
    query: LoreRetrievalQuery
    trace: SceneTrace
    lore: SceneLore | None = None


@dataclass(frozen=True, slots=True)
class SceneLine:
    """A sentence or item of the scene that the viewer may read, and why it is there."""

    chunk_id: str
    of: str
    why: Why
    role: str
    text: str
    kept: bool


def find_scene(
    view: LoreView,
    *,
    location: str,
    present: Sequence[str] = (),
    threads: Sequence[str] = (),
    limit: int,
    max_tokens: int,
) -> SceneFound:
    """Return the scene in a place (by its ID, with or without its pack, or its name), with those present, for the
    view's viewer.

    Raises:
        NotFound: there is no such place or person, or there are several; or the viewer may read nothing of them.
    """
    names = NamedEntities(view.generations, hidden=hidden_entities(in_force(view).view))
    place = _entity(view, names.find(location, what="place"), names.hidden)
    found = dict.fromkeys(names.find(name, what="character") for name in present)
    people = tuple(_entity(view, person_id, names.hidden) for person_id in found)
    focus = SceneFocus(
        scene_id="", location_id=place.id, present_ids=tuple(person.id for person in people), thread_ids=tuple(threads)
    )
    lore = gather(view.generations, focus, _conditions(view))
    lines = tuple(line for line in _lines(lore) if _is_shown(line, view))
    spent = sum(count_tokens(line.text) for line, _ in lines)
    shown_names = {person.id: person.name for person in (place, *people)}
    scene_query = LoreRetriever.of(view).build_query(focus, shown_names, {}, "")
    query = scene_query.model_copy(
        update={"corpus": "authored", "limit": limit, "max_tokens": max(0, max_tokens - spent), "viewer": view.viewer}
    )
    shown_lines = tuple(line for line, _ in lines)
    beside = retrieve_unknown(view, query, {line.chunk_id for line in shown_lines})
    trace = SceneTrace(
        viewer=view.viewer,
        location_id=place.id,
        present_ids=focus.present_ids,
        max_tokens=max_tokens,
        by_id=tuple(_sections(shown_lines, is_gm=view.is_gm)),
        by_id_tokens=spent,
        by_retrieval=beside.trace,
        conditions=tuple(_stands_under(view, (place, *people))) if view.is_gm else (),
    )
    whole = lore if view.is_gm else None
    return SceneFound(place, people, _shown(lore, view), shown_lines, beside, query, trace, whole)


def _entity(view: LoreView, entity_id: str, hidden: Set[str]) -> PackEntity:
    entity = merge_entity(entity_id, view.generations)
    assert entity is not None
    return entity_for_viewer(entity, view, hidden_names(view.generations, hidden))


def _conditions(view: LoreView) -> LoreConditions | None:
    """Return the conditions to gather by: without a campaign only the game master reads what depends on one."""
    if view.conditions is None and not sees_section("undecided", view.column):
        return LoreConditions()
    return view.conditions


def _lines(lore: SceneLore) -> Iterator[tuple[SceneLine, str | None]]:
    """Yield every line of the scene with the ID of its item, if it is one: the place, the people, then the threads."""
    place = lore.location_id
    for role, texts in (("atmosphere", lore.atmosphere), ("lore", lore.overview)):
        yield from ((_line(text, place, "place", role), None) for text in texts)
    yield from ((_line(item, place, "place", "discoverable"), item.id) for item in lore.discoverable)
    for briefing in lore.briefings:
        who = briefing.npc_id
        for role, texts in _sheet(briefing):
            yield from ((_line(text, who, "person", role), None) for text in texts)
        for role, items in (("knows", briefing.knows), ("withholds", briefing.withholds)):
            yield from ((_line(item, who, "person", role), item.id) for item in items)
    yield from ((_line(text, holder_of(text.chunk_id), "always", "lore"), None) for text in lore.standing)
    for item in lore.thread_connections:
        yield _line(item, holder_of(item.id), "thread", "threads"), item.id


def _sheet(briefing: NPCBriefing) -> tuple[tuple[str, tuple[LoreText, ...]], ...]:
    return (
        ("disposition", briefing.disposition),
        ("motivation", briefing.motivation),
        ("capabilities", briefing.capabilities),
    )


def _line(text: LoreText | SceneItem, of: str, why: Why, role: str) -> SceneLine:
    return SceneLine(text.chunk_id, of, why, role, text.text, kept=role not in OPEN_ROLES)


def _is_shown(line: tuple[SceneLine, str | None], view: LoreView) -> bool:
    shown, item_id = line
    return may_see(view, role=shown.role, owner_id=shown.of, item_id=item_id)


def _sections(lines: Sequence[SceneLine], *, is_gm: bool) -> Iterator[SceneSection]:
    """Yield a SceneSection for each section, in the order of the scene."""
    sections: dict[str, list[SceneLine]] = {}
    for line in lines:
        sections.setdefault(line.chunk_id, []).append(line)
    for chunk_id, of in sections.items():
        yield SceneSection(
            chunk_id=chunk_id,
            of=of[0].of,
            why=of[0].why,
            role=of[0].role,
            lines=len(of),
            tokens=sum(count_tokens(line.text) for line in of),
            kept=sum(line.kept for line in of) if is_gm else None,
        )


def _stands_under(view: LoreView, entities: Sequence[PackEntity]) -> Iterator[SceneCondition]:
    """Yield the conditions under which sections and items of the entities stand."""
    same = find_same_things(view.generations)
    own = {same_id for entity in entities for same_id in ids_of(entity.id, same)}
    for generation in view.generations:
        stored = [condition for condition in generation.conditions() if condition.entity_id in own]
        chunks = generation.chunks(condition.row for condition in stored)
        for condition in stored:
            yield SceneCondition(
                chunk_id=chunks[condition.row].id,
                item_id=condition.item_id,
                condition=in_words(condition.when),
                holds=_holds(condition, view, generation.pack_id),
            )


def _holds(stored: StoredCondition, view: LoreView, pack_id: str) -> bool | None:
    return None if view.conditions is None else holds(stored.when, view.conditions, pack_id=pack_id)


def _shown(lore: SceneLore, view: LoreView) -> dict[str, Any]:
    if view.npc_id is not None:
        return character_view(lore, view.npc_id, learned=view.revealed)
    return whole_scene(lore) if view.is_gm else scene_view(lore, "player", learned=view.revealed)
