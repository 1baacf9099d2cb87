"""Generations and a focus -> SceneLore: what belongs to the place and to each present character, by ID."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from lorewright.index.entry_rules import entry_rules_of
from lorewright.index.generation import Generation, StoredChunk
from lorewright.packs.conditions import LoreConditions
from lorewright.packs.models import OPEN_ROLES, EntryRules
from lorewright.retrieval.gazetteer import named_entities
from lorewright.retrieval.in_force import generations_in_force
from lorewright.retrieval.overrides import Things, ids_of, things
from lorewright.retrieval.view import hidden_from_players
from lorewright.scene_lore.models import (
    Briefing,
    LoreText,
    PersonLore,
    PlaceLore,
    SceneFocus,
    SceneItem,
    SceneLore,
)
from lorewright.scene_lore.sections import list_lines, quotable_sentences, sentences

# Generations -> the open lore that stands in every scene: entries that are always there, whatever else is.

# It is in every packet of every turn; what has no room here is looked up each turn beside what is asked.
STANDING_TOKENS = 400


def standing_lore(generations: Sequence[Generation], *, max_tokens: int = STANDING_TOKENS) -> tuple[LoreText, ...]:
    """The sections that are `always` there and that no other rule can take out, by priority, then as the packs have
    them, as far as the tokens reach: one text each, never cut.

    `generations` are those in force. What dice, a cooldown, a group or another entry may keep away is judged in each
    turn, and so is no part of a scene.
    """
    rules = {one: rule for generation in generations for one, rule in entry_rules_of(generation).items()}
    excluded = {entry for rule in rules.values() for entry in rule.excludes}
    if not any(rule.always for rule in rules.values()):
        return ()
    same = things(generations)
    found = [
        chunk
        for generation in generations
        for one, rule in entry_rules_of(generation).items()
        if _stands(rule)
        and (chunk := generation.chunk(one)) is not None
        and chunk.text
        and chunk.role in OPEN_ROLES
        and not _is_excluded(chunk, excluded, same)
    ]
    found.sort(key=lambda chunk: (-rules[chunk.id].priority, chunk.pack_id, chunk.row))
    return tuple(_fitting(found, max_tokens))


def _stands(rule: EntryRules) -> bool:
    may_go = rule.requires or rule.excludes or rule.groups or rule.cooldown or rule.probability < 1
    return rule.always and not may_go


def _is_excluded(chunk: StoredChunk, excluded: set[str], same: Things) -> bool:
    ids = ids_of(chunk.entity_id, same)
    section = chunk.section_id.removeprefix(f"{chunk.entity_id}:")
    return any(one in excluded or f"{one}:{section}" in excluded for one in ids)


def _fitting(chunks: Sequence[StoredChunk], max_tokens: int) -> list[LoreText]:
    """The first that does not fit ends it: more room never loses what less had."""
    texts: list[LoreText] = []
    for chunk in chunks:
        max_tokens -= chunk.token_count
        if max_tokens < 0:
            break
        texts.append(LoreText(key=f"{chunk.id}@1", chunk_id=chunk.id, text=chunk.text))
    return texts


def gather(generations: Sequence[Generation], focus: SceneFocus, conditions: LoreConditions | None = None) -> SceneLore:
    """Everything in force that the packs hold on the scene. A place or character that no pack knows brings nothing."""
    generations = generations_in_force(generations, conditions)
    people = {npc_id: gather_person(generations, npc_id) for npc_id in focus.present_ids}
    return compose(focus, gather_place(generations, focus.location_id), people)


def gather_place(generations: Sequence[Generation], location_id: str) -> PlaceLore:
    """All that generations (of what is in force) hold on a place."""
    place = _Sheet(generations, location_id)
    return PlaceLore(
        location_id=location_id,
        atmosphere=place.texts("atmosphere", sentences),
        overview=place.overview(),
        discoverable=place.items("discoverable"),
        threads=place.items("threads"),
        standing=standing_lore(generations),
    )


def gather_person(generations: Sequence[Generation], npc_id: str) -> PersonLore:
    """All that generations (of what is in force) hold on a character."""
    person = _Sheet(generations, npc_id)
    return PersonLore(
        briefing=Briefing(
            npc_id=npc_id,
            disposition=person.texts("disposition", list_lines),
            knows=person.items("knows"),
            withholds=person.items("withholds"),
            capabilities=person.texts("capabilities", list_lines),
            motivation=person.texts("motivation", list_lines),
        ),
        threads=person.items("threads"),
    )


def compose(focus: SceneFocus, place: PlaceLore, people: Mapping[str, PersonLore]) -> SceneLore:
    """The scene of a place and of those of the people who are present, in the order of their presence."""
    present = [people[npc_id] for npc_id in focus.present_ids]
    items = [*place.threads, *(item for person in present for item in person.threads)]
    return SceneLore(
        scene_id=focus.scene_id,
        location_id=focus.location_id,
        atmosphere=place.atmosphere,
        overview=place.overview,
        briefings=tuple(person.briefing for person in present),
        discoverable=place.discoverable,
        thread_connections=tuple(item for item in items if item.name in focus.thread_ids),
        standing=place.standing,
    )


class _Sheet:
    """The chunks of one entity, by role; where several packs tell of it, introductions first, then pack by pack."""

    def __init__(self, generations: Sequence[Generation], entity_id: str) -> None:
        self.entity_id = entity_id
        self._generations = generations
        self._ids = ids_of(entity_id, things(generations))
        self._chunks = [
            (generation, chunk)
            for one in self._ids
            for generation in generations
            for chunk in generation.chunks_of(one)
        ]
        if len(self._ids) > 1:
            self._chunks.sort(key=lambda pair: pair[1].section != "")

    def texts(self, role: str, split: Callable[[str], list[str]]) -> tuple[LoreText, ...]:
        """The lines of the sections of a role."""
        chunks = [chunk for _, chunk in self._chunks if chunk.role == role and chunk.text]
        return tuple(line for chunk in chunks for line in _lines(chunk, split))

    def overview(self) -> tuple[LoreText, ...]:
        """The sentences of the first open section that has any which can be quoted."""
        for _, chunk in self._chunks:
            if chunk.role == "lore" and (lines := tuple(_lines(chunk, quotable_sentences))):
                return lines
        return ()

    def items(self, role: str) -> tuple[SceneItem, ...]:
        """The items of the sections of a role, in source order."""
        return tuple(
            SceneItem(
                id=item.id,
                chunk_id=chunk.id,
                name=item.name,
                text=item.text,
                trigger=item.trigger,
                hint=item.hint,
                topics=self._topics(item.name, item.text),
            )
            for generation, chunk in self._chunks
            if chunk.role == role
            for item in generation.items_of(chunk.row)
        )

    def _topics(self, name: str, text: str) -> tuple[str, ...]:
        """What an item is about, without saying it: the names in it, else its own."""
        own = name.replace("_", " ")
        # A short name at a sentence's start may be any word; an item that is called so says which.
        meant = {one for generation in self._generations for one in generation.entities_named([own]).get(own, ())}
        hidden = hidden_from_players(self._generations)
        named = named_entities(text, self._generations, in_scene=meant, hidden=hidden)
        found = [
            entity.name
            for generation in self._generations
            for entity_id in named
            if entity_id not in self._ids and (entity := generation.entity(entity_id)) is not None
        ]
        return tuple(dict.fromkeys(found)) or (own,)


def _lines(chunk: StoredChunk, split: Callable[[str], list[str]]) -> Iterator[LoreText]:
    for number, text in enumerate(split(chunk.text), start=1):
        yield LoreText(key=f"{chunk.id}@{number}", chunk_id=chunk.id, text=text)
