"""Generations and a focus -> SceneLore: what belongs to the place and to each present character, by ID."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from lorewright.index.entry_rules import entry_rules_of
from lorewright.index.generation import Generation, StoredChunk
from lorewright.packs.chunking import plain_text
from lorewright.packs.conditions import LoreConditions
from lorewright.packs.items import read_items
from lorewright.packs.models import OPEN_ROLES, EntryRules
from lorewright.retrieval.filters import named_entities
from lorewright.retrieval.view import Things, generations_in_force, hidden_from_players, ids_of, things
from lorewright.scene_lore.models import (
    Briefing,
    LoreText,
    PersonLore,
    PlaceLore,
    SceneFocus,
    SceneItem,
    SceneLore,
)

# A section's text -> plain sentences that can be quoted one by one.


@cache
def _segmenter() -> Any:
    # Imported late: whoever asks for lore need not wait for what takes sentences apart.
    import pysbd

    return pysbd.Segmenter(language="en", clean=False)


def sentences(markdown: str) -> list[str]:
    """The sentences of a section's prose, in order, without markup."""
    found: list[str] = []
    for paragraph in markdown.split("\n\n"):
        text = plain_text(paragraph)
        found += [sentence.strip() for sentence in _segmenter().segment(text) if sentence.strip()] if text else []
    return found


def in_sentences(text: str) -> list[str]:
    """The sentences of plain prose, in order; a line break ends one."""
    lines = [line for line in text.split("\n") if line.strip()]
    return [one.strip() for line in lines for one in _segmenter().segment(line) if one.strip()]


# Tables, templates, addresses, code and footnotes: what is no prose, and what a telling must not show.
_NO_PROSE = re.compile(r"[|{}<>\\`=\[\]]|\]\(|\[\[|https?:|www\.|\.md\b|\[\^|\w:\w|\w_\w|#|\*\*|--|^[-*+•–—>\d(]|^\W*$")
_STARTS = re.compile(r"[“\"‘'«¿¡]?[^\W\d_]")
_ENDS = re.compile(r"[.!?…。！？][”\"’'»)]*$")
_FEWEST_WORDS, _MOST_WORDS = 3, 45
# Of more numbers than this among its words a line is made of that reckons rather than tells.
_NUMBERS_SHARE = 0.2


def quotable_sentences(markdown: str) -> list[str]:
    """The sentences that read as prose where they are quoted alone: no fragments, tables or addresses."""
    return [sentence for sentence in sentences(_without_tables(markdown)) if is_quotable(sentence)]


def is_quotable(sentence: str) -> bool:
    """Whether a sentence without markup begins and ends as one, is neither too short nor too long, and is prose."""
    if _NO_PROSE.search(sentence) or not _STARTS.match(sentence) or not _ENDS.search(sentence):
        return False
    words = sentence.split()
    if sum(1 for word in words if any(map(str.isdigit, word))) > _NUMBERS_SHARE * len(words):
        return False
    return _FEWEST_WORDS <= len(words) <= _MOST_WORDS or (not sentence.isascii() and len(sentence) >= 8)


def _without_tables(markdown: str) -> str:
    return "\n".join(line for line in markdown.split("\n") if not line.lstrip().startswith(("|", "#", "{%")))


def list_lines(markdown: str) -> list[str]:
    """The list items of a section, or its paragraphs where it has no list, in plain words."""
    return [item.text for item in read_items(markdown, chunk_id="", line=1, discoverable=False)]


# Generations and IDs -> what is openly said of people and things: sentences that can be quoted one by one.

# Who looks closer reads on, but not a whole book: enough for several looks.
_MOST_LINES = 8
# Taking sentences apart costs a millisecond a paragraph; more than this is never told of one thing.
_MOST_CHARACTERS = 3_000


def described(generations: Sequence[Generation], entity_ids: Iterable[str]) -> Mapping[str, tuple[LoreText, ...]]:
    """For each of the IDs that a pack knows its first open lines, in source order; what has none is left out.

    `generations` are those in force.
    """
    same = things(generations)
    found = {
        entity_entity_id: _lines_of_sections(generations, ids_of(entity_entity_id, same))
        for entity_entity_id in dict.fromkeys(entity_ids)
    }
    return {entity_id: lines for entity_id, lines in found.items() if lines}


def are_linked(generations: Sequence[Generation], one: str, other: str) -> bool:
    """Whether the open text of either of two entities names the other, or they are the same."""
    return one == other or _names(generations, one, other) or _names(generations, other, one)


def _names(generations: Sequence[Generation], one: str, other: str) -> bool:
    return any(
        value == other
        for generation in generations
        for chunk in generation.chunks_of(one)
        if chunk.role in OPEN_ROLES
        for _, value in generation.links_of(chunk.row)
    )


def _lines_of_sections(generations: Sequence[Generation], ids: Iterable[str]) -> tuple[LoreText, ...]:
    lines: list[LoreText] = []
    for generation in generations:
        for chunk in (chunk for entity_id in ids for chunk in generation.chunks_of(entity_id) if chunk.role == "lore"):
            for number, text in enumerate(_quotable(chunk.text[:_MOST_CHARACTERS]), start=1):
                lines.append(LoreText(key=f"{chunk.id}@{number}", chunk_id=chunk.id, text=text))
            if len(lines) >= _MOST_LINES:
                return tuple(lines[:_MOST_LINES])
    return tuple(lines)


@lru_cache(maxsize=512)
def _quotable(text: str) -> tuple[str, ...]:
    return tuple(quotable_sentences(text))


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
    return any(entity_id in excluded or f"{entity_id}:{section}" in excluded for entity_id in ids)


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
