"""A word that is in no list -> the word that it is with a slip of the hand, or as it sounds; real words stay."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache, lru_cache

from rapidfuzz.distance import OSA

from lorewright.builtin.parser.clauses import lexicon
from lorewright.scene_lore.nouns import common_verbs, function_words, known_words


def mended_word(low: str, shown: Collection[str], *, begins: bool) -> str:
    """Return the only word that an unknown word in lower case is meant to be: one of the prose, a small word, or a verb
    where one stands (it `begins` a clause); empty where there is none, or more than one."""
    is_known = any(stem in _known() or stem in shown for stem in _stems(low))
    if len(low) < _LONG_ENOUGH or not low.isalpha() or is_known:
        return ""
    for words in (shown, _verb_words(), _small_words()) if begins else (shown, _small_words()):
        likely = {word for word in words if _is_slip(low, word)} or {word for word in words if _sounds_like(low, word)}
        if len(likely) == 1:
            return next(iter(likely))
    return ""


_LONG_ENOUGH = 4


def _stems(low: str) -> Iterator[str]:
    """Yield a word, and what it may be a form of: `water` for `waters`."""
    yield low
    yield f"{low}s"
    for ending in _ENDINGS:
        if low.endswith(ending) and len(low) - len(ending) >= _STEM:
            yield low.removesuffix(ending)
            yield f"{low.removesuffix(ending)}e"


_ENDINGS = ("s", "es", "ed", "ing", "er", "ers", "ly", "y", "ness")
_STEM = 3


def _is_slip(typed: str, word: str) -> bool:
    """Tell whether a word is another with a letter missing, doubled or out of its place; another letter makes another
    word."""
    if typed[0] != word[0] or len(word) < _LONG_ENOUGH or abs(len(typed) - len(word)) > 1:
        return False
    is_swapped = len(typed) == len(word) and sorted(typed) == sorted(word)
    return (is_swapped or len(typed) != len(word)) and OSA.distance(typed, word, score_cutoff=1) <= 1


def _sounds_like(typed: str, word: str) -> bool:
    is_long = len(word) >= _LONG_ENOUGH
    return is_long and word[0] in (typed[0], *_ALIKE.get(typed[0], "")) and _sound(typed) == _sound(word)


# First letters that sound alike.
_ALIKE = {"k": "cq", "c": "k", "q": "k", "f": "p", "j": "g", "g": "j", "r": "w", "n": "k", "s": "c", "w": "r"}
_SOUNDS = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        *(("^wr", "r"), ("^kn", "n"), ("ph", "f"), ("ck|q(?!u)|c(?![eiyh])", "k"), ("qu|kw", "kw"), ("x", "ks")),
        *(("c(?=[eiy])|z", "s"), (r"ght\b", "t"), (r"(.)\1", r"\1"), (r"(?<=\w)e\b", "")),
    )
)


@lru_cache(maxsize=4096)
def _sound(word: str) -> str:
    """Return a word as it sounds, roughly."""
    for pattern, sound in _SOUNDS:
        word = pattern.sub(sound, word)
    return word


@cache
def _small_words() -> frozenset[str]:
    """Return the small words, the adverbs and the commonest nouns that are long enough to be mended."""
    lex = lexicon()
    words = function_words() | lex.adverbs | lex.about | lex.articles | set(lex.numbers) | set(lex.directions)
    words |= {word for phrase in lex.question_words for word in phrase} | _COMMON_NOUNS
    return frozenset(word for word in words if len(word) >= _LONG_ENOUGH and word.isalpha())


# What stands in most rooms, and what players write of it.
_COMMON_NOUNS = frozenset(
    "door window table chair kitchen coffee stairs upstairs downstairs drink bottle glass shelf drawer cupboard mirror"
    " picture letter message street middle corner centre center bottom someone something anyone anything everything"
    " nothing people friend night morning evening tonight please thanks sorry".split()
)


@cache
def _verb_words() -> frozenset[str]:
    """Return the verbs that are long enough to be mended."""
    return frozenset(word for word in lexicon().verb_words | common_verbs() if len(word) >= _LONG_ENOUGH)


@cache
def _known() -> frozenset[str]:
    """Return the words that are right as they are."""
    lex = lexicon()
    parts = (lex.person_pronouns, lex.thing_pronouns, lex.body, lex.before_verbs, lex.saying)
    phrases = (*lex.inside, *lex.toward, *lex.lead_ins, *lex.verb_phrases, *lex.address)
    named = {word for phrase in phrases for word in phrase}
    return known_words().union(
        _small_words(), _verb_words(), named, lex.topic_head, lex.topic_tail, *parts, *lex.statements.values()
    )
