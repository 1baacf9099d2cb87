"""The asker's words -> other words for them, as the packs that are asked have them: `synonyms:` in `pack.yaml`.

Names have aliases; this is for the rest of a world's vocabulary: what players call a thing that its pack calls
otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from lorewright.index.generation import Generation
from lorewright.index.words import words_of

Synonyms = dict[str, tuple[str, ...]]


def synonyms_said(text: str, generations: Sequence[Generation]) -> Synonyms:
    """What is said (as lower-case words) -> the other words for it, in the order of packs, groups and words.

    A text of several words is said where they stand side by side; singular and plural are one.
    """
    groups = [group for generation in generations for group in generation.manifest.synonyms]
    if not groups:
        return {}
    said = words_of(text)
    found: Synonyms = {}
    for group in groups:
        members = [" ".join(words_of(member)) for member in group]
        for member in members:
            if member and _stands(member.split(), said):
                others = (*found.get(member, ()), *(other for other in members if other and other != member))
                found[member] = tuple(dict.fromkeys(others))
    return found


def other_words(synonyms: Synonyms) -> list[str]:
    """All that is to be looked up besides what was said, each once."""
    return list(dict.fromkeys(chain.from_iterable(synonyms.values())))


def said_by(synonyms: Synonyms) -> dict[str, frozenset[str]]:
    """For each single word that was said: what says the same."""
    found: dict[str, frozenset[str]] = {}
    for member, others in synonyms.items():
        for word in member.split():
            found[word] = found.get(word, frozenset()) | frozenset(others)
    return found


def _stands(member: Sequence[str], said: Sequence[str]) -> bool:
    folded, wanted = [_singular(word) for word in said], [_singular(word) for word in member]
    return any(folded[start : start + len(wanted)] == wanted for start in range(len(folded) - len(wanted) + 1))


def _singular(word: str) -> str:
    """Enough to have `cops` say `cop`: what is looked up is stemmed by the index."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
