"""The asker's words -> the entities that they name, longest name first."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence

from lorewright.index.generation import Generation
from lorewright.index.words import STOP_WORDS, WORD, words_of

# Names of more words than this are matched by their words alone.
_LONGEST = 7

# A lower-case word that stands in more than this share of all chunks is a word first and a name second.
_COMMON_SHARE = 0.01

# A text that is embedded says something with so many words that carry meaning.
_LEAST_WORDS = 2

_EMPTY_QUOTES = re.compile(r"[\"“«]\s*[\"”»]")


def named_entities(
    text: str, generations: Sequence[Generation], *, in_scene: Iterable[str] = (), hidden: Container[str] = ()
) -> dict[str, str]:
    """Qualified entity ID -> the name by which the text names it.

    A name of one word that is also a common word (`Light`, `Message`) counts only where it is capitalised inside a
    sentence, quoted, or in the scene; so a player's "light a match" does not ask for a spell. What is `hidden` has no
    name.
    """
    words = words_of(text)
    spans = [
        (start, size) for size in range(min(_LONGEST, len(words)), 0, -1) for start in range(len(words) - size + 1)
    ]
    known = _known(generations, {" ".join(words[start : start + size]) for start, size in spans}, hidden)
    scene = set(in_scene)
    marked = marked_words(text)
    used: set[int] = set()
    named: dict[str, str] = {}
    for start, size in spans:
        name = " ".join(words[start : start + size])
        place = set(range(start, start + size))
        if name not in known or used & place:
            continue
        if size == 1 and not _counts(name, marked, known[name], scene, generations):
            continue
        used |= place
        named.update(dict.fromkeys(sorted(known[name]), name))
    return named


def _known(generations: Sequence[Generation], names: set[str], hidden: Container[str]) -> dict[str, set[str]]:
    known: dict[str, set[str]] = {}
    for generation in generations:
        for name, entities in generation.entities_named(names).items():
            if shown := {entity_id for entity_id in entities if entity_id not in hidden}:
                known.setdefault(name, set()).update(shown)
    return known


def marked_words(text: str) -> set[str]:
    """Words that are capitalised elsewhere than at a sentence's start, or quoted."""
    capitalised = re.findall(r"(?<=[\w,;’'\"“(—–-] )[\"“‘(]?([A-Z]\w*(?:[’'\-]\w+)*)", text)
    quoted = re.findall(r"[\"“«]([^\"“”«»]{1,80})[\"”»]", text)
    after_colon = re.findall(r": ([A-Z]\w*)", text)
    return {word for found in (*capitalised, *quoted, *after_colon) for word in words_of(found)}


def without_names(text: str, names: Iterable[str]) -> str:
    """The text without the names (in lower-case words) wherever they stand in it; the whole text where hardly a word
    that means something would be left."""
    spans = [(found.start(), found.end(), " ".join(words_of(found.group()))) for found in WORD.finditer(text)]
    said = [word for _, _, word in spans]
    gone: set[int] = set()
    for name in {*names}:
        size = len(name.split())
        for start in range(len(said) - size + 1):
            if " ".join(said[start : start + size]) == name:
                gone |= set(range(start, start + size))
    bare = text
    for place in sorted(gone, reverse=True):
        bare = bare[: spans[place][0]] + bare[spans[place][1] :]
    bare = " ".join(_EMPTY_QUOTES.sub(" ", bare).split())
    return bare if gone and sum(word not in STOP_WORDS for word in set(words_of(bare))) >= _LEAST_WORDS else text


def _counts(
    name: str, marked: set[str], entities: set[str], scene: set[str], generations: Sequence[Generation]
) -> bool:
    packs = {entity_id.partition(":")[0] for entity_id in entities}
    if name in STOP_WORDS and all(one.english for one in generations if one.pack_id in packs):
        return False
    if name in marked or entities & scene:
        return True
    total = sum(generation.counts["open_fts"] for generation in generations)
    found = sum(generation.open_count_of(name) for generation in generations)
    return found <= max(3, _COMMON_SHARE * total)
