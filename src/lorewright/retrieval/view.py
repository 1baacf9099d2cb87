"""LoreView: for whom lore is read, and the one predicate that decides what they may see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

from lorewright.index.cuts import Cut, pruned
from lorewright.index.entry_rules import entry_rules_of
from lorewright.index.generation import Generation, StoredChunk
from lorewright.packs.conditions import LoreConditions, holds
from lorewright.packs.content_hash import WITHOUT_GAPS
from lorewright.packs.items import without_items
from lorewright.packs.models import (
    LAYERS,
    EntryRules,
    Manifest,
    PackEntity,
    When,
    candidates,
    may_override,
    names_of,
    says_any,
)
from lorewright.visibility import Column, SectionSight, Viewer, sees_section, sights_of

# Generations searched together -> which entities are the same thing, and which sections are overridden.
#
# A file with `overrides: core:guard` tells of the same thing as core's guard. A later pack's section replaces the
# earlier one of the same slug; every other section is inherited. An introduction without text replaces nothing: a title
# is needed only so that the sections have one.

SameThings = Mapping[str, tuple[str, ...]]


def find_same_things(generations: Sequence[Generation]) -> SameThings:
    """Return entity ID -> all IDs of the same thing, the earliest pack's first. Things of only one pack are absent."""
    edges = _edges(generations)
    manifests = {generation.pack_id: generation.manifest for generation in generations}
    found: dict[str, tuple[str, ...]] = {}
    for entity_id in sorted({*edges, *(target for targets in edges.values() for target in targets)}):
        if entity_id not in found:
            group = sorted(
                _connected(entity_id, edges),
                key=lambda same_id: (_rank(same_id, manifests), _depth(same_id, edges), same_id),
            )
            found |= dict.fromkeys(group, tuple(group))
    return found


def ids_of(entity_id: str, same: SameThings) -> tuple[str, ...]:
    """Return all IDs of the thing that an ID names, itself included."""
    return same.get(entity_id, (entity_id,))


def replaced_rows(generations: Sequence[Generation]) -> list[frozenset[int]]:
    """Return for each generation the rows of the chunks that a later pack's section of the same slug replaces."""
    rows: list[set[int]] = [set() for _ in generations]
    same = find_same_things(generations)
    if same:
        edges = _edges(generations)
        places = {generation.pack_id: index for index, generation in enumerate(generations)}
        chunks = {entity_id: generations[places[_pack_of(entity_id)]].chunks_of(entity_id) for entity_id in same}
        for entity_id, group in same.items():
            index = places[_pack_of(entity_id)]
            later = [same_id for same_id in group if _is_above(same_id, entity_id, edges, generations, places)]
            taken = {_slug(chunk) for same_id in later for chunk in chunks[same_id] if chunk.section or chunk.text}
            rows[index] |= {chunk.row for chunk in chunks[entity_id] if _slug(chunk) in taken}
    return [frozenset(row) for row in rows]


def merge_entity(entity_id: str, generations: Sequence[Generation]) -> PackEntity | None:
    """Return an entity with the details of all packs: the latest name, every alias and tag, later keys over earlier
    ones; None where no pack has it."""
    ids = ids_of(entity_id, find_same_things(generations))
    found = [
        entity for same_id in ids for generation in generations if (entity := generation.entity(same_id)) is not None
    ]
    named = next((entity for entity in found if entity.id == entity_id), None)
    if named is None or len(found) == 1:
        return named
    name = found[-1].name
    names = [alias for entity in reversed(found) for alias in (entity.name, *entity.aliases) if alias != name]
    return replace(
        named,
        name=name,
        aliases=tuple(dict.fromkeys(names)),
        tags=tuple(dict.fromkeys(tag for entity in found for tag in entity.tags)),
        attrs={key: value for entity in found for key, value in entity.attrs.items()},
    )


def _edges(generations: Sequence[Generation]) -> dict[str, set[str]]:
    """Return entity ID -> the entities that it overrides: each in an earlier pack, and unambiguous."""
    by_pack = {generation.pack_id: generation for generation in generations}
    edges: dict[str, set[str]] = {}
    for generation in generations:
        for entity_id, reference in generation.overrides().items():
            meant = [
                candidate
                for candidate in candidates(reference, generation.manifest)
                if (other := by_pack.get(_pack_of(candidate))) is not None and other.entity(candidate) is not None
            ]
            if len(meant) == 1 and may_override(generation.manifest, by_pack[_pack_of(meant[0])].manifest):
                edges.setdefault(entity_id, set()).add(meant[0])
    return edges


def _connected(start: str, edges: Mapping[str, set[str]]) -> set[str]:
    """Return all entities that overrides tie to an entity, in either direction."""
    found, todo = {start}, [start]
    while todo:
        entity_id = todo.pop()
        near = edges.get(entity_id, set()) | {source for source, targets in edges.items() if entity_id in targets}
        todo += near - found
        found |= near
    return found


def _below(start: str, edges: Mapping[str, set[str]]) -> set[str]:
    """Return the entities that an entity overrides, and those that these override."""
    found: set[str] = set()
    todo = [start]
    while todo:
        near = edges.get(todo.pop(), set()) - found
        todo += near
        found |= near
    return found


def _is_above(
    entity_id: str,
    other: str,
    edges: Mapping[str, set[str]],
    generations: Sequence[Generation],
    places: Mapping[str, int],
) -> bool:
    if other in _below(entity_id, edges):
        return True
    packs = generations[places[_pack_of(entity_id)]].manifest, generations[places[_pack_of(other)]].manifest
    return may_override(*packs)


def _rank(entity_id: str, manifests: Mapping[str, Manifest]) -> int:
    return LAYERS.index(manifests[_pack_of(entity_id)].layer)


def _depth(entity_id: str, edges: Mapping[str, set[str]]) -> int:
    return len(_below(entity_id, edges))


def _slug(chunk: StoredChunk) -> str:
    return chunk.section_id.removeprefix(f"{chunk.entity_id}:")


def _pack_of(entity_id: str) -> str:
    return entity_id.partition(":")[0]


# What a campaign knows of its entries: the current turn, when each was last found, and the dice. Sticky, cooldown and
# probability need nothing else; the play half makes it.

# A throw is a whole number from 1 to this.
SIDES = 1000

Standing = Literal["sticky", "cooldown"]


@dataclass(frozen=True, slots=True)
class EntryHistory:
    """The current turn, counted along its own branch from 1; the turn in which each section with a sticky or a cooldown
    was found, by its ID; and the throw of an entry, the same for all its uses in a turn."""

    turn: int
    found: Mapping[str, int]
    throw: Callable[[str], int]

    def standing(self, section_id: str, rules: EntryRules) -> tuple[Standing, int] | None:
        """Return whether a section stays or stays away in this turn, and for how many turns more after it; None where
        it is free to be found.

        Found in turn 4, sticky 3, cooldown 5: it stays in 5 to 7, and stays away in 8 to 12.
        """
        found = self.found.get(section_id)
        since = 0 if found is None else self.turn - found
        if since < 1 or since > rules.sticky + rules.cooldown:
            return None
        if since <= rules.sticky:
            return "sticky", rules.sticky - since
        return "cooldown", rules.sticky + rules.cooldown - since

    def after(self, answered: Iterable[str], generations: Iterable[Generation]) -> dict[str, int]:
        """Return `found` after this turn, by section ID: the sections of the answered chunks that were found anew, and
        those that still stay or stay away."""
        rules = {
            chunk_id.partition("~")[0]: entry
            for generation in generations
            for chunk_id, entry in entry_rules_of(generation).items()
            if entry.sticky or entry.cooldown
        }
        sections = {chunk_id.partition("~")[0] for chunk_id in answered} & rules.keys()
        standing = {
            section_id
            for section_id in self.found.keys() & rules.keys()
            if self.standing(section_id, rules[section_id]) is not None
        }
        kept = {section_id: self.found[section_id] for section_id in standing}
        return dict(sorted((kept | dict.fromkeys(sections - standing, self.turn)).items()))


def has_entry_rules(generations: Iterable[Generation]) -> bool:
    """Return True if any entry of the packs has rules."""
    return any(entry_rules_of(generation) for generation in generations)


@dataclass(frozen=True, slots=True)
class LoreView:
    """A viewer and a campaign as the lore half knows them; nothing else of either reaches it.

    `viewer` is the name of a `visibility.Viewer`, whose ID is qualified. `revealed` holds the item IDs that this viewer
    has learned.
    `generations` are the packs to search, in the order of their IDs. `own_ids` are the IDs of the viewing character, if
    the viewer is one: several, where several packs tell of it. Without `conditions` there is no campaign: the game
    master reads what any condition guards, others nothing that depends on one. Without `entries` there is no current
    turn: nothing is thrown for, sticky or kept away. `unknown` holds entities of other packs, of which the viewer may
    read nothing: what happened may be about these as well.
    """

    generations: tuple[Generation, ...]
    viewer: str = "gm"
    revealed: frozenset[str] = field(default_factory=frozenset)
    conditions: LoreConditions | None = None
    entries: EntryHistory | None = None
    unknown: frozenset[str] = frozenset()
    own_ids: frozenset[str] = field(init=False)
    column: Column = field(init=False, repr=False)
    # How much of each kind of section the viewer is shown: many thousand chunks are looked at by it.
    sights: Mapping[str, SectionSight] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        viewer = Viewer(self.viewer)
        object.__setattr__(self, "column", viewer.column)
        object.__setattr__(self, "sights", sights_of(viewer.column))
        own = ids_of(viewer.id, find_same_things(self.generations)) if viewer.kind == "npc" else ()
        object.__setattr__(self, "own_ids", frozenset(own))

    @property
    def is_gm(self) -> bool:
        """True for the game master, from whom nothing is kept back."""
        return self.column == "gm"

    @property
    def npc_id(self) -> str | None:
        """The ID of the viewing character, or None where the viewer is no character."""
        return Viewer(self.viewer).id if self.column == "npc" else None


def may_see(view: LoreView, *, role: str, owner_id: str, item_id: str | None = None) -> bool:
    """Return True if a viewer may see a section of this role in the owner's file, or one item of it, by the table
    `visibility.SECTIONS`."""
    if view.sights.get(role) == "all":
        return True
    is_own, is_learned = owner_id in view.own_ids, item_id is not None and item_id in view.revealed
    # Of what is not shown whole, others than its owner see only what they have learned.
    return (is_own or is_learned) and sees_section(role, view.column, owner_is_viewer=is_own, is_learned=is_learned)


def visible_text(view: LoreView, generation: Generation, chunk: StoredChunk) -> str | None:
    """Return what of a chunk the viewer may read: as its author wrote it for the game master, its words for others, or
    the revealed items of it; None where there is nothing."""
    if may_see(view, role=chunk.role, owner_id=chunk.entity_id):
        return (chunk.written if view.sights["written"] == "all" else chunk.text) or None
    if not view.revealed:
        return None
    learned = [
        item.text
        for item in generation.items_of(chunk.row)
        if may_see(view, role=chunk.role, owner_id=chunk.entity_id, item_id=item.id)
    ]
    return "\n\n".join(learned) or None


def hidden_entities(view: LoreView) -> frozenset[str]:
    """Return the entities of which the viewer may read nothing: for them these do not exist, not even by name."""
    if view.is_gm:
        return frozenset()
    return view.unknown | frozenset(
        entity_id
        for generation in view.generations
        for entity_id in generation.entities_without_open_lore()
        if all(visible_text(view, generation, chunk) is None for chunk in generation.chunks_of(entity_id))
    )


def hidden_names(generations: Sequence[Generation], hidden: Iterable[str]) -> frozenset[str]:
    """Return the names of the hidden entities, in the form that `says_any` takes."""
    found = (generation.entity(entity_id) for entity_id in sorted(hidden) for generation in generations)
    return names_of(entity_id for entity_id in found if entity_id is not None)


def entity_for_viewer(entity: PackEntity, view: LoreView, secret: frozenset[str]) -> PackEntity:
    """Return an entity as its viewer may know it: without the pack's own keys, which may tell more, and without aliases
    and tags that say any of the `secret` names. The game master has all of it."""
    if sees_section("attrs", view.column):
        return entity
    aliases, tags = (
        tuple(word for word in said if not says_any(word, secret)) for said in (entity.aliases, entity.tags)
    )
    return replace(entity, aliases=aliases, tags=tags, attrs={})


def qualified(ids: Iterable[str], generations: Iterable[Generation]) -> set[str]:
    """Return full IDs; a bare ID stands for an entity of every pack that is searched."""
    packs = [generation.pack_id for generation in generations]
    return {
        full
        for entity_id in ids
        for full in ([entity_id] if ":" in entity_id else [f"{pack}:{entity_id}" for pack in packs])
    }


def hidden_from_players(generations: Iterable[Generation]) -> frozenset[str]:
    """Return the entities of which a player knows nothing before a reveal: not even their names may be said."""
    return hidden_entities(LoreView(tuple(generations), viewer="player"))


# A view -> the view of what is in force: its condition holds, and nothing later overrides it.
#
# What is not in force is removed before anything is tied, counted or scored, so it changes no score. A section whose
# condition does not hold overrides nothing.

NotInForce = Literal["overridden", "condition"]


@dataclass(frozen=True, slots=True)
class Removal:
    """A removal of chunks: its reason, their rows by generation, and the view that still had them."""

    reason: NotInForce
    before: LoreView
    rows: tuple[frozenset[int], ...]


@dataclass(frozen=True, slots=True)
class InForce:
    """The view of what is in force, and the removals that led to it, in order."""

    view: LoreView
    removals: tuple[Removal, ...] = ()


def in_force(view: LoreView) -> InForce:
    """Return what of the view is in force. Only the game master is told of conditions that do not hold."""
    unconditional = _cut_out(view, "condition", [_unmet(view, generation) for generation in view.generations])
    cuts = [Cut(rows=rows) for rows in replaced_rows(unconditional.view.generations)]
    later = _cut_out(unconditional.view, "overridden", cuts)
    shown = unconditional.removals if view.is_gm else ()
    return InForce(later.view, (*shown, *later.removals))


def generations_in_force(
    generations: Sequence[Generation], conditions: LoreConditions | None = None
) -> tuple[Generation, ...]:
    """Return the generations without what is not in force, as the game master reads them."""
    return in_force(LoreView(tuple(generations), conditions=conditions)).view.generations


def unmet_conditions(generations: Sequence[Generation], conditions: LoreConditions) -> tuple[tuple[int, ...], ...]:
    """Return for each generation the places of its conditions that do not hold: while these stay the same, so does
    what is in force."""
    view = LoreView(tuple(generations), conditions=conditions)
    return tuple(
        tuple(
            place
            for place, stored in enumerate(generation.conditions())
            if not meets(view, stored.when, generation.pack_id)
        )
        for generation in generations
    )


def _unmet(view: LoreView, generation: Generation) -> Cut:
    """Return what of a generation stands under a condition that does not hold."""
    unmet = [stored for stored in generation.conditions() if not meets(view, stored.when, generation.pack_id)]
    rows = frozenset(stored.row for stored in unmet if stored.item_id is None)
    items = {stored.item_id: stored.row for stored in unmet if stored.item_id is not None and stored.row not in rows}
    chunks = generation.chunks(items.values())
    removed: dict[int, frozenset[str]] = {}
    for item_id, row in items.items():
        removed[row] = removed.get(row, frozenset()) | {item_id.rpartition("#")[2]}
    texts = {
        row: (
            _without(chunk.text, removed[row], leaves_gaps=generation.reading < WITHOUT_GAPS),
            _without(chunk.written, removed[row], leaves_gaps=True),
        )
        for row, chunk in chunks.items()
    }
    return Cut(rows, frozenset(items), texts)


# The same items are missing from the same texts turn after turn, and each text is parsed for it.
_without = lru_cache(maxsize=1024)(without_items)


def meets(view: LoreView, when: When, pack_id: str) -> bool:
    """Tell whether a condition of a pack holds for a viewer; without a campaign it is undecided."""
    """Tell whether a condition of a pack holds for a viewer; without a campaign it is undecided."""
    if view.conditions is None:
        return sees_section("undecided", view.column)
    return holds(when, view.conditions, pack_id=pack_id)


def _cut_out(view: LoreView, reason: NotInForce, cuts: Sequence[Cut]) -> InForce:
    if not any(cuts):
        return InForce(view)
    kept = tuple(pruned(generation, cut) for generation, cut in zip(view.generations, cuts, strict=True))
    rows = tuple(cut.rows for cut in cuts)
    return InForce(replace(view, generations=kept), (Removal(reason, view, rows),) if any(rows) else ())
