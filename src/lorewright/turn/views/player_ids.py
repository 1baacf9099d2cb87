"""A campaign's states and packs -> the IDs by which players know who is in disguise, and answers that say no others.

A scenario may stage an entity that a pack hides under a name of its own: the pack's `tear` is *the stranger*. The
pack's ID and file would undo that, so that programs which play are given an ID made from the name on stage. The
database has the pack's IDs: they are replaced where an answer leaves, and where a player's own input comes in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from lorewright.ids import canonical_json, holder_of, local, slug
from lorewright.index.generation import Generation
from lorewright.retrieval.view import find_same_things, hidden_from_players, ids_of
from lorewright.world.state import Entity, WorldState

# Fields of free text, partly a player's own: a replacement in these would tell a good guess from a bad one.
_WORDS = frozenset(
    {
        "aliases",
        "clarification",
        "clarification_question",
        "content",
        "detail",
        "final_text",
        "message",
        "name",
        "next_prompt",
        "player_text",
        "quote",
        "remembered",
        "suggested_actions",
        "summary",
        "text",
        "title",
        "topic",
        "verb",
        "words",
    }
)


@dataclass(frozen=True)
class PlayerIds:
    """The entities that players know by another ID than the pack's: the pack's ID -> the entity as it was first
    staged."""

    campaign_id: str
    disguised: Mapping[str, Entity] = field(default_factory=dict)
    taken: frozenset[str] = frozenset()

    @cached_property
    def ids(self) -> Mapping[str, str]:
        """Return the player's IDs by the pack's."""
        found: dict[str, str] = {}
        taken = set(self.taken - self.disguised.keys())
        for entity_id, entity in sorted(self.disguised.items(), key=lambda item: (item[1].name, item[0])):
            base = f"{self.campaign_id}:{slug(entity.name, fallback='somebody').replace('-', '_')}"
            numbered = (f"{base}_{number}" for number in range(2, len(self.disguised) + len(taken) + 2))
            found[entity_id] = next(candidate for candidate in (base, *numbered) if candidate not in taken)
            taken.add(found[entity_id])
        return found

    def told(self, value: Any) -> Any:
        """Return a JSON value with the player's IDs in place of the pack's. A citation of somebody in disguise names
        the entity, and neither section nor file."""
        return self._told(value) if self.disguised else value

    def told_json(self, stored: str) -> str:
        """Return stored canonical JSON with the IDs replaced, as in `told`."""
        return canonical_json(self._told(json.loads(stored))) if self.disguised else stored

    def _told(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            fields = self._told_citation(value)
            return {self._replaced(key): text if key in _WORDS else self._told(text) for key, text in fields.items()}
        if isinstance(value, (list, tuple)):
            return [self._told(item) for item in value]
        return self._replaced(value) if isinstance(value, str) else value

    def _told_citation(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a citation of somebody in disguise with the player's ID alone; any other value as it is."""
        chunk_id = value.get("chunk_id")
        entity_id = holder_of(chunk_id) if isinstance(chunk_id, str) else ""
        if entity_id not in self.disguised:
            return value
        known = self.ids[entity_id]
        shown = {"cite": local(known), "chunk_id": known, "item_id": None, "file_path": "", "entity_id": known}
        shown["section_path"] = self.disguised[entity_id].name
        return {**value, **{key: text for key, text in shown.items() if key in value}}

    def _replaced(self, text: str) -> str:
        return self._pattern.sub(lambda found: self.ids[found[1]], text) if ":" in text else text

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        """Return a pattern of the pack's IDs, with the section and the item that may follow them: their author named
        these."""
        ids = "|".join(re.escape(entity_id) for entity_id in sorted(self.disguised, key=len, reverse=True))
        return re.compile(rf"(?<![\w-])({ids})(?![\w-])(?::[\w-]+)?(?:#[\w-]+)?")


def disguised_in(state: WorldState, generations: Sequence[Generation]) -> dict[str, Entity]:
    """Return the entities of a state that packs hide from players and whose name in it is none of the packs' names,
    whatever a player has learned meanwhile; by ID."""
    same = find_same_things(generations)
    renamed: dict[str, tuple[str, ...]] = {}
    for entity in state.entities.values():
        told_as = ids_of(entity.pack_entity_id or entity.id, same)
        if entity.origin == "pack" and entity.name not in _names(told_as, generations):
            renamed[entity.id] = told_as
    hidden = hidden_from_players(generations) if renamed else frozenset()
    return {
        entity_id: state.entities[entity_id] for entity_id, told_as in renamed.items() if hidden.issuperset(told_as)
    }


def readable(state: WorldState, generations: Sequence[Generation], who: str | None = None) -> frozenset[str]:
    """Return the IDs of the items that a persona, by default the one who is played, has learned and their player may
    look up in the packs. Items that somebody in disguise has told are excluded: in the packs they stand under the
    hidden name."""
    learned = state.learned_by(who or state.player_id)
    disguised = disguised_in(state, generations) if learned else {}
    if not disguised:
        return learned
    same = find_same_things(generations)
    disguised_ids = {
        told_as for entity in disguised.values() for told_as in ids_of(entity.pack_entity_id or entity.id, same)
    }
    return frozenset(item_id for item_id in learned if holder_of(item_id) not in disguised_ids)


def player_ids(campaign_id: str, states: Iterable[WorldState], generations: Sequence[Generation]) -> PlayerIds:
    """Return the IDs for players; the earliest of the `states` says what an entity is called, so that one who is
    unmasked keeps the ID."""
    found: dict[str, Entity] = {}
    taken: set[str] = set()
    for state in states:
        found = {**disguised_in(state, generations), **found}
        taken |= state.entities.keys()
    return PlayerIds(campaign_id, found, frozenset(taken))


def _names(ids: Iterable[str], generations: Sequence[Generation]) -> set[str]:
    found = (generation.entity(entity_id) for entity_id in ids for generation in generations)
    return {entity.name for entity in found if entity is not None}
