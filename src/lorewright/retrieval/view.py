"""For whom lore is read, and the one predicate that decides what they may see."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from lorewright.errors import SettingsError
from lorewright.index.generation import Generation, StoredChunk
from lorewright.packs.conditions import LoreConditions
from lorewright.packs.models import OPEN_ROLES, SHEET_ROLES, Entity
from lorewright.packs.references import names_of, says_any
from lorewright.retrieval.entry_history import EntryHistory
from lorewright.retrieval.overrides import ids_of, things

# What a character may see of its own file without having learned it.
_OWN_ROLES = SHEET_ROLES | {"knows", "withholds"}
_NPC = re.compile(r"npc:[^\s]+")


@dataclass(frozen=True, slots=True)
class LoreView:
    """What the lore half is told about a viewer and a campaign; nothing else of either reaches it.

    `viewer` is `gm`, `player` or `npc:ID` with a qualified ID. `revealed` holds the item IDs that this viewer has
    learned.
    `generations` are the packs to ask, in the order of their IDs. `own_ids` are the character's own, where it is one
    that looks: several, where several packs tell of it. Without `conditions` there is no campaign: the game master
    reads whatever may come to hold, others nothing that depends on it. Without `entries` no turn is at hand: nothing is
    thrown for, sticky or kept away. `unknown` holds entities of other packs, of which the viewer may read nothing:
    what happened may be about these as well.
    """

    generations: tuple[Generation, ...]
    viewer: str = "gm"
    revealed: frozenset[str] = field(default_factory=frozenset)
    conditions: LoreConditions | None = None
    entries: EntryHistory | None = None
    unknown: frozenset[str] = frozenset()
    own_ids: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        if self.viewer not in ("gm", "player") and not _NPC.fullmatch(self.viewer):
            raise SettingsError(f"unknown viewer {self.viewer}", hint="one of gm, player, npc:ID")
        own = ids_of(self.npc_id, things(self.generations)) if self.npc_id else ()
        object.__setattr__(self, "own_ids", frozenset(own))

    @property
    def npc_id(self) -> str | None:
        """The character who looks, where it is one."""
        return self.viewer.removeprefix("npc:") if self.viewer.startswith("npc:") else None


def may_see(view: LoreView, *, role: str, owner_id: str, item_id: str | None = None) -> bool:
    """Whether a viewer may see a section of this role in the owner's file, or one item of it.

    Everyone sees open lore; the game master sees everything; a character its own sheet; and whatever was revealed to
    the viewer is theirs, item by item.
    """
    if view.viewer == "gm" or role in OPEN_ROLES:
        return True
    if owner_id in view.own_ids and role in _OWN_ROLES:
        return True
    return item_id is not None and item_id in view.revealed


def visible_text(view: LoreView, generation: Generation, chunk: StoredChunk) -> str | None:
    """Return what of a chunk the viewer may read: as its author wrote it for the game master, its words for others, or
    the revealed items of it; None where there is nothing."""
    if view.viewer == "gm":
        return chunk.written or None
    if may_see(view, role=chunk.role, owner_id=chunk.entity_id):
        return chunk.text or None
    if not view.revealed:
        return None
    learned = [
        item.text
        for item in generation.items_of(chunk.row)
        if may_see(view, role=chunk.role, owner_id=chunk.entity_id, item_id=item.id)
    ]
    return "\n\n".join(learned) or None


def hidden_entities(view: LoreView) -> frozenset[str]:
    """The entities of which the viewer may read nothing: for them these do not exist, not even by name."""
    if view.viewer == "gm":
        return frozenset()
    return view.unknown | frozenset(
        entity_id
        for generation in view.generations
        for entity_id in generation.entities_without_open_lore()
        if all(visible_text(view, generation, chunk) is None for chunk in generation.chunks_of(entity_id))
    )


def hidden_names(generations: Sequence[Generation], hidden: Iterable[str]) -> frozenset[str]:
    """Return what those are called of whom a viewer may know nothing, as `says_any` looks for it."""
    found = (generation.entity(one) for one in sorted(hidden) for generation in generations)
    return names_of(one for one in found if one is not None)


def as_told(entity: Entity, view: LoreView, secret: frozenset[str]) -> Entity:
    """Return an entity as its viewer may know it: without keys of a pack's own, which may tell more, and without
    aliases and tags that say any of the `secret` names. The game master has all of it."""
    if view.viewer == "gm":
        return entity
    aliases, tags = (tuple(one for one in said if not says_any(one, secret)) for said in (entity.aliases, entity.tags))
    return replace(entity, aliases=aliases, tags=tags, attrs={})


def qualified(ids: Iterable[str], generations: Iterable[Generation]) -> set[str]:
    """IDs as they stand in the index; a bare one may mean an entity of any pack that is asked."""
    packs = [generation.pack_id for generation in generations]
    return {full for one in ids for full in ([one] if ":" in one else [f"{pack}:{one}" for pack in packs])}


def hidden_from_players(generations: Iterable[Generation]) -> frozenset[str]:
    """The entities of which a player knows nothing at all before a reveal: not even their names may be said."""
    return hidden_entities(LoreView(tuple(generations), viewer="player"))
