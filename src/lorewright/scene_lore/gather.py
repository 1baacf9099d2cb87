"""Generations and a focus -> SceneLore: the lore of the place and of each present character, by ID."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from lorewright.index.entry_rules import entry_rules_of
from lorewright.index.generation import Generation, StoredChunk
from lorewright.packs.conditions import LoreConditions
from lorewright.packs.items import read_items
from lorewright.packs.markdown.chunking import plain_text
from lorewright.packs.models import OPEN_ROLES, EntryRules
from lorewright.retrieval.filters import named_entities
from lorewright.retrieval.view import (
    LoreView,
    SameThings,
    find_same_things,
    generations_in_force,
    hidden_from_players,
    ids_of,
    may_see,
)
from lorewright.scene_lore.models import (
    LoreText,
    NPCBriefing,
    PersonLore,
    PlaceLore,
    SceneFocus,
    SceneItem,
    SceneLore,
)

# A section's text -> plain sentences that can be quoted one by one.


@cache
def _segmenter() -> Any:
    # Imported late: pysbd is slow to import, and not every question about lore needs sentences.
    import pysbd

    return pysbd.Segmenter(language="en", clean=False)


def sentences(markdown: str) -> list[str]:
    """Return the sentences of a section's prose, in order, without markup."""
    return list(_sentences(markdown))


# A scene takes the same sections apart as the one before it, and that costs a millisecond a paragraph.
@lru_cache(maxsize=1024)
def _sentences(markdown: str) -> tuple[str, ...]:
    paragraphs = map(plain_text, markdown.split("\n\n"))
    return tuple(sentence for text in paragraphs if text for sentence in _cut(text))


def in_sentences(text: str) -> list[str]:
    """Return the sentences of plain prose, in order; a line break ends one."""
    return [sentence for line in text.split("\n") if line.strip() for sentence in _cut_line(line)]


# What was told last is cut for the scenery, for what was heard and for the next turns.
@lru_cache(maxsize=256)
def _cut_line(line: str) -> tuple[str, ...]:
    return tuple(_cut(line))


def _cut(text: str) -> list[str]:
    return [sentence.strip() for sentence in _segmenter().segment(text) if sentence.strip()]


# Tables, templates, addresses, code and footnotes: these are not prose, and a narration must not show them.
_NO_PROSE = re.compile(r"[|{}<>\\`=\[\]]|\]\(|\[\[|https?:|www\.|\.md\b|\[\^|\w:\w|\w_\w|#|\*\*|--|^[-*+•–—>\d(]|^\W*$")
_STARTS = re.compile(r"[“\"‘'«¿¡]?[^\W\d_]")
_ENDS = re.compile(r"[.!?…。！？][”\"’'»)]*$")
_FEWEST_WORDS, _MOST_WORDS = 3, 45
# A line with a larger share of numbers among its words is a calculation, not prose.
_NUMBERS_SHARE = 0.2


# A sample of dialogue, as cards have them: what is said in it tells how somebody speaks, not who they are.
_TALK = re.compile(r"\s*the player:", re.IGNORECASE)


def quotable_sentences(markdown: str) -> list[str]:
    """Return the sentences that read as prose where they are quoted alone: no fragments, tables or addresses."""
    return [sentence for sentence in sentences(_without_tables(markdown)) if is_quotable(sentence)]


def is_quotable(sentence: str) -> bool:
    """Return True if a sentence without markup is complete, neither too short nor too long, and prose."""
    if _NO_PROSE.search(sentence) or not _STARTS.match(sentence) or not _ENDS.search(sentence):
        return False
    words = sentence.split()
    if sum(1 for word in words if any(map(str.isdigit, word))) > _NUMBERS_SHARE * len(words):
        return False
    return _FEWEST_WORDS <= len(words) <= _MOST_WORDS or (not sentence.isascii() and len(sentence) >= 8)


def _without_tables(markdown: str) -> str:
    paragraphs = (text for text in markdown.split("\n\n") if not _TALK.match(text))
    return "\n\n".join(
        "\n".join(line for line in text.split("\n") if not line.lstrip().startswith(("|", "#", "{%")))
        for text in paragraphs
    )


def list_lines(markdown: str) -> list[str]:
    """Return the list items of a section, or its paragraphs where it has no list, in plain words."""
    return [item.text for item in read_items(markdown, chunk_id="", line=1, discoverable=False)]


# Generations and IDs -> what is openly said of people and things: sentences that can be quoted one by one.

# The most lines of an entity: enough for several looks, but not a whole book.
_MOST_LINES = 8
# Taking sentences apart costs a millisecond a paragraph; more than this is never shown of one thing, or at once.
_MOST_CHARACTERS = 3_000
_MOST_READ = 20_000


def described(generations: Sequence[Generation], entity_ids: Iterable[str]) -> Mapping[str, tuple[LoreText, ...]]:
    """Return for each of the IDs that a pack knows its first open lines, in source order; IDs without any are left out.

    `generations` are those in force.
    """
    same = find_same_things(generations)
    found = {
        entity_id: _take_open_lines(generations, ids_of(entity_id, same)) for entity_id in dict.fromkeys(entity_ids)
    }
    return {entity_id: lines for entity_id, lines in found.items() if lines}


def are_linked(generations: Sequence[Generation], entity_id: str, other: str) -> bool:
    """Return True if the open text of either of two entities names the other, or they are the same."""
    return entity_id == other or _names(generations, entity_id, other) or _names(generations, other, entity_id)


def _names(generations: Sequence[Generation], entity_id: str, other: str) -> bool:
    return any(
        value == other
        for generation in generations
        for chunk in generation.chunks_of(entity_id)
        if chunk.role in OPEN_ROLES
        for _, value in generation.links_of(chunk.row)
    )


def _take_open_lines(generations: Sequence[Generation], ids: Iterable[str]) -> tuple[LoreText, ...]:
    lines: list[LoreText] = []
    for generation in generations:
        for chunk in (chunk for entity_id in ids for chunk in generation.chunks_of(entity_id) if chunk.role == "lore"):
            lines += _number_lines(chunk, _quotable(chunk.text[:_MOST_CHARACTERS]))
            if len(lines) >= _MOST_LINES:
                return tuple(lines[:_MOST_LINES])
    return tuple(lines)


@lru_cache(maxsize=512)
def _quotable(text: str) -> tuple[str, ...]:
    return tuple(quotable_sentences(text))


# A view -> what its viewer may read of a place, a person or a thing: open sentences, and items that they have learned.


@dataclass(frozen=True, slots=True)
class ReadableLine:
    """A sentence that a viewer may read; `key` is that of the same sentence in a scene's lore, `source` the ID of its
    chunk or item. `is_sight`: it shows what is there, as atmosphere and introductions do, and found items."""

    key: str
    text: str
    source: str
    is_sight: bool


def readable_lines(
    view: LoreView, entity_ids: Iterable[str], *, introductions: Collection[str] = ()
) -> Iterator[ReadableLine]:
    """Yield the sentences that a viewer may read of entities, section by section; of a long section its beginning, of
    those among the `introductions` the first open section alone. After so much text that nobody would read more of it
    at once no further section is begun.

    The view's generations are those in force.
    """
    same, left = find_same_things(view.generations), _MOST_READ
    for entity_id in dict.fromkeys(entity_ids):
        if left <= 0:
            return
        is_introduced = False
        for generation, chunk in _chunks_of(view.generations, ids_of(entity_id, same)):
            if not may_see(view, role=chunk.role, owner_id=chunk.entity_id):
                yield from _found_lines(view, generation, chunk)
            elif left <= 0:
                continue
            elif chunk.role == "atmosphere":
                left -= len(chunk.text)
                yield from _readable(chunk, sentences(chunk.text), is_sight=True)
            elif not (is_introduced and entity_id in introductions) and (texts := _quotable(_beginning(chunk))):
                left -= len(_beginning(chunk))
                yield from _readable(chunk, texts, is_sight=not is_introduced)
                is_introduced = True


def _chunks_of(generations: Sequence[Generation], ids: Sequence[str]) -> Iterator[tuple[Generation, StoredChunk]]:
    return (
        (generation, chunk) for same_id in ids for generation in generations for chunk in generation.chunks_of(same_id)
    )


def _beginning(chunk: StoredChunk) -> str:
    return chunk.text[:_MOST_CHARACTERS]


def _readable(chunk: StoredChunk, texts: Iterable[str], *, is_sight: bool) -> Iterator[ReadableLine]:
    for line in _number_lines(chunk, texts):
        yield ReadableLine(f"lore:{line.key}", line.text, line.chunk_id, is_sight)


def _found_lines(view: LoreView, generation: Generation, chunk: StoredChunk) -> Iterator[ReadableLine]:
    """Yield the sentences of what the viewer has found. What somebody has told them of may be anywhere."""
    if not view.revealed or chunk.role != "discoverable":
        return
    for item in generation.items_of(chunk.row):
        if may_see(view, role=chunk.role, owner_id=chunk.entity_id, item_id=item.id):
            for number, text in enumerate(_quotable(item.text), start=1):
                yield ReadableLine(f"item:{item.id}@{number}", text, item.id, is_sight=True)


# Generations -> the open lore that stands in every scene: entries that are always there.

# It is in every packet of every turn; entries that do not fit are retrieved in each turn, besides the answer.
STANDING_TOKENS = 400


def standing_lore(generations: Sequence[Generation], *, max_tokens: int = STANDING_TOKENS) -> tuple[LoreText, ...]:
    """Return the sections that are `always` there and that no other rule can take out, by priority, then in the order
    of the packs, as far as the tokens reach: one text each, never cut.

    `generations` must be those in force. Entries that dice, a cooldown, a group or another entry may keep away are
    judged in each turn, and so are no part of a scene.
    """
    rules = {chunk_id: rule for generation in generations for chunk_id, rule in entry_rules_of(generation).items()}
    excluded = {entry for rule in rules.values() for entry in rule.excludes}
    if not any(rule.always for rule in rules.values()):
        return ()
    same = find_same_things(generations)
    found = [
        chunk
        for generation in generations
        for chunk_id, rule in entry_rules_of(generation).items()
        if _stands(rule)
        and (chunk := generation.chunk(chunk_id)) is not None
        and chunk.text
        and chunk.role in OPEN_ROLES
        and not _is_excluded(chunk, excluded, same)
    ]
    found.sort(key=lambda chunk: (-rules[chunk.id].priority, chunk.pack_id, chunk.row))
    return tuple(_fitting(found, max_tokens))


def _stands(rule: EntryRules) -> bool:
    may_go = rule.requires or rule.excludes or rule.groups or rule.cooldown or rule.probability < 1
    return rule.always and not may_go


def _is_excluded(chunk: StoredChunk, excluded: set[str], same: SameThings) -> bool:
    ids = ids_of(chunk.entity_id, same)
    section = chunk.section_id.removeprefix(f"{chunk.entity_id}:")
    return any(entity_id in excluded or f"{entity_id}:{section}" in excluded for entity_id in ids)


def _fitting(chunks: Sequence[StoredChunk], max_tokens: int) -> list[LoreText]:
    """Return the texts up to the first that does not fit: more room never loses what less room had."""
    texts: list[LoreText] = []
    for chunk in chunks:
        max_tokens -= chunk.token_count
        if max_tokens < 0:
            break
        texts.append(LoreText(key=f"{chunk.id}@1", chunk_id=chunk.id, text=chunk.text))
    return texts


# A focus -> the lore of the place and of each present character.


def gather(generations: Sequence[Generation], focus: SceneFocus, conditions: LoreConditions | None = None) -> SceneLore:
    """Return everything in force that the packs hold on the scene. An unknown place or character brings nothing."""
    generations = generations_in_force(generations, conditions)
    people = {npc_id: gather_person(generations, npc_id) for npc_id in focus.present_ids}
    return compose(focus, gather_place(generations, focus.location_id), people)


def gather_place(
    generations: Sequence[Generation], location_id: str, *, standing_tokens: int = STANDING_TOKENS
) -> PlaceLore:
    """Return all that generations (of what is in force) hold on a place."""
    place = _Sheet(generations, location_id)
    return PlaceLore(
        location_id=location_id,
        atmosphere=place.texts("atmosphere", sentences),
        overview=place.overview(),
        discoverable=place.items("discoverable"),
        threads=place.items("threads"),
        standing=standing_lore(generations, max_tokens=standing_tokens),
    )


def gather_person(generations: Sequence[Generation], npc_id: str) -> PersonLore:
    """Return all that generations (of what is in force) hold on a character."""
    person = _Sheet(generations, npc_id)
    return PersonLore(
        briefing=NPCBriefing(
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
    """Return the scene of a place and of those of the people who are present, in the order of their presence."""
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
    """The chunks of one entity, by role; of several packs introductions first, then pack by pack."""

    def __init__(self, generations: Sequence[Generation], entity_id: str) -> None:
        self.entity_id = entity_id
        self._generations = generations
        self._ids = ids_of(entity_id, find_same_things(generations))
        self._chunks = [
            (generation, chunk)
            for same_id in self._ids
            for generation in generations
            for chunk in generation.chunks_of(same_id)
        ]
        if len(self._ids) > 1:
            self._chunks.sort(key=lambda pair: pair[1].section != "")

    def texts(self, role: str, split: Callable[[str], list[str]]) -> tuple[LoreText, ...]:
        """Return the lines of the sections of a role."""
        chunks = [chunk for _, chunk in self._chunks if chunk.role == role and chunk.text]
        return tuple(line for chunk in chunks for line in _number_lines(chunk, split(chunk.text)))

    def overview(self) -> tuple[LoreText, ...]:
        """Return the sentences of the first open section that has any to quote."""
        for _, chunk in self._chunks:
            if chunk.role == "lore" and (lines := tuple(_number_lines(chunk, quotable_sentences(chunk.text)))):
                return lines
        return ()

    def items(self, role: str) -> tuple[SceneItem, ...]:
        """Return the items of the sections of a role, in source order."""
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
        """Return what an item is about, without its content: the names in it, else its own."""
        own = name.replace("_", " ")
        # A short name at a sentence's start may be any word; an item of that name makes it count.
        meant = {
            entity_id for generation in self._generations for entity_id in generation.entities_named([own]).get(own, ())
        }
        hidden = hidden_from_players(self._generations)
        named = named_entities(text, self._generations, in_scene=meant, hidden=hidden)
        found = [
            entity.name
            for generation in self._generations
            for entity_id in named
            if entity_id not in self._ids and (entity := generation.entity(entity_id)) is not None
        ]
        return tuple(dict.fromkeys(found)) or (own,)


def _number_lines(chunk: StoredChunk, texts: Iterable[str]) -> Iterator[LoreText]:
    for number, text in enumerate(texts, start=1):
        yield LoreText(key=f"{chunk.id}@{number}", chunk_id=chunk.id, text=text)
