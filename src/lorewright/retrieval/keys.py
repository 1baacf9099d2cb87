"""The text of a question -> the keys in it: which entries it names, and whether their secondary keys hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lorewright.index.entry_rules import entry_rules_of
from lorewright.index.generation import Generation
from lorewright.packs.key_patterns import read_key
from lorewright.packs.models import EntryRules
from lorewright.retrieval.query import without_labels

# The first version of the rules for reading packs in which entries have keys.
WITH_KEYS = 2

# The end of a question is searched: there a scene says what is happening now.
MAX_CHARS = 4_000

# The patterns of a pack are tried up to this size, in the order of its files; with it the worst take about a second.
MAX_PATTERNS_SIZE = 50_000


def searched_text(question: str) -> str:
    """Return what of a question is searched for keys."""
    return without_labels(question)[-MAX_CHARS:]


def keys_said(question: str, generations: Sequence[Generation]) -> Iterator[tuple[int, str, str]]:
    """Yield for each chunk that one of its keys names the index of its generation, its ID and the words that named
    it."""
    text = searched_text(question)
    for index, generation in enumerate(generations if text.strip() else ()):
        room = MAX_PATTERNS_SIZE
        if generation.reading < WITH_KEYS:
            continue
        found: dict[tuple[str, ...], str | None] = {}
        for chunk_id, rules in entry_rules_of(generation).items():
            if rules.keys and rules.keys not in found:
                room -= sum(read_key(key).size for key in rules.keys)
                found[rules.keys] = first_said(rules.keys, text) if room >= 0 else None
            if rules.keys and (said := found[rules.keys]) is not None:
                yield index, chunk_id, said


def first_said(keys: Sequence[str], text: str) -> str | None:
    """Return what the first of the keys that a text holds matches, or None."""
    return next((said for key in keys if (said := read_key(key).find(text)) is not None), None)


def secondary_verdict(rules: EntryRules, text: str) -> tuple[bool, str] | None:
    """Return whether an entry's secondary keys let it into the answer to a text, and why; None where it has none."""
    if not (rules.any or rules.all or rules.not_any or rules.not_all):
        return None
    words: list[str] = []
    for name, keys in (("any", rules.any), ("not any", rules.not_any)):
        said = first_said(keys, text)
        if keys and (said is None) == (name == "any"):
            return False, f"{name}: {'none of its words is said' if said is None else f'“{said}” is said'}"
        if keys:
            words.append(f"{name}: {'none is said' if said is None else f'“{said}” is said'}")
    for name, keys in (("all", rules.all), ("not all", rules.not_all)):
        whole = all(read_key(key).find(text) is not None for key in keys)
        if keys and whole != (name == "all"):
            return False, f"{name}: {'all of its words are said' if whole else 'not all of its words are said'}"
        if keys:
            words.append(f"{name}: {'all are said' if whole else 'not all are said'}")
    return True, "; ".join(words)
