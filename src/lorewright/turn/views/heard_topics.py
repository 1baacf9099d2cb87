"""Texts that a player was told -> what they may ask about: names and things in the words in which they were told.

No topic comes from anywhere else, so that no suggestion says a name that nobody has spoken.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from lorewright.index.keywords import STOP_WORDS, content_words
from lorewright.scene_lore.models import SceneItem

# So many of the last texts are gone through, and the first one: the opening says what the story is about.
_LAST = 30
# A name has at most so many words.
_LONGEST_NAME = 5

_ARTICLES = ("the", "a", "an")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
# A noun shows itself by an article before it and by what follows: a sign, or a word that no noun phrase goes on with.
# After another word it may be a verb (`the bus goes to`), so that those that end like one are left out.
_NOUN = re.compile(
    r"\b(?:[Tt]he|[Aa]n?|[Mm]y|[Yy]our|[Hh]is|[Hh]er|[Ii]ts|[Tt]heir|[Oo]ur)"
    r"(?: ([a-z]{3,})| [a-z]+ ([a-z]{3,})(?<!s)(?<!ed)(?<!ing))"
    r"(?=[.,;:!?—”]|\s*$| (?:of|in|on|at|under|by|from|with|and|is|are|was|were|has|had|have|that|who|which|to|for|"
    r"but|or|into|behind|before|after|over|above|below|between|through|out|off|up|down|as|where|when|while|until|it|"
    r"you|he|she|the|an?|his|her|their|your|my|its|they|then|again)\b)"
)
# Verbs that do not show it by their ends.
_VERB = frozenset(
    "am are became began bent bit bled blew broke brought built burnt came caught chose come crept cut did do "
    "drank drew drove fell felt find found flew forgot fought gave get give go got grew had hang have heard "
    "held hid hit hung hurt keep kept knew lay led left lent let lie lit look lost made make may meant met "
    "might must paid put ran rang read rode rose run said sang sat saw say see sent set shook shot shut sit "
    "slept smell sold spoke stand stole stood struck swam take taught tell thought threw told took turn wear "
    "went wept woke won wore wrote will would could should can".split()
)
# Nouns that nobody is asked about.
_NO_TOPIC = frozenset(
    "same other others one ones time times way ways thing things moment minute minutes hour hours night day "
    "days lot bit kind sort end side front back middle rest first last next second third most best worst left "
    "right past present future more least whole half part place room face hand hands eye eyes head voice mouth "
    "word words while something nothing anything everything name question answer reason own few many only very".split()
)


@dataclass(frozen=True, slots=True)
class HeardTopic:
    """A name or thing that was told: `phrase` as it is typed after `about`, `words` its content words in lower case."""

    phrase: str
    words: frozenset[str]
    is_name: bool


def heard_topics(told: Sequence[str], names: Iterable[str]) -> tuple[HeardTopic, ...]:
    """Return those of the names that the texts say, then the things in them; what was told last comes first.

    `told` are the texts in their order. A name is spelled as they spell it; a common noun has its article.
    """
    window = [*reversed(told[-_LAST:]), *(told[:1] if len(told) > _LAST else ())]
    nouns = dict.fromkeys(noun for text in window for noun in _nouns(text))
    # Of several names that differ by an article the first is typed.
    called: dict[tuple[str, ...], str] = {}
    for name in names:
        called.setdefault(_key(name), name)
    named = dict.fromkeys(_typeable(called[key], window) for key in _said(called, window))
    in_names = {word for name in named for word in _words(name)}
    things = (noun for noun in nouns if noun not in in_names)
    return (
        *(HeardTopic(name, _content(name), is_name=True) for name in named),
        *(HeardTopic(f"the {noun}", _content(noun), is_name=False) for noun in things),
    )


def _typeable(name: str, texts: Sequence[str]) -> str:
    """Return a name as it stands in a sentence: `Jin`, `the Night Market`, `the storm drain`."""
    first, _, rest = name.partition(" ")
    bare = rest if rest and first.casefold() in _ARTICLES else name
    told = bare if any(bare in text for text in texts) else bare.lower()
    return told if told != told.lower() and bare is name else f"the {told}"


def _said(keys: Iterable[tuple[str, ...]], texts: Sequence[str]) -> list[tuple[str, ...]]:
    """Return those of the names' words that the texts say, in the order in which they first come; of two at one place
    the shorter comes first."""
    by_first: dict[str, list[tuple[str, ...]]] = {}
    for key in sorted(filter(None, keys), key=len):
        if len(key) <= _LONGEST_NAME:
            by_first.setdefault(key[0], []).append(key)
    found: dict[tuple[str, ...], None] = {}
    for words in map(_said_words, texts):
        for at, word in enumerate(words):
            for key in by_first.get(word, ()):
                if key not in found and words[at : at + len(key)] == key:
                    found[key] = None
    return list(found)


# All that was told in a story is gone through in a turn, 30 microseconds a text: that of a long one fits.
@lru_cache(maxsize=1024)
def _said_words(text: str) -> tuple[str, ...]:
    # Interned: the same words stand in all texts.
    return tuple(map(sys.intern, _words(text)))


@lru_cache(maxsize=4096)
def _key(name: str) -> tuple[str, ...]:
    words = _words(name)
    return tuple(words[1:] if len(words) > 1 and words[0] in _ARTICLES else words)


@lru_cache(maxsize=1024)
def _nouns(text: str) -> tuple[str, ...]:
    left_out = _NO_TOPIC | STOP_WORDS | _VERB
    found = (match[1] or match[2] for match in _NOUN.finditer(text))
    return tuple(dict.fromkeys(sys.intern(noun) for noun in found if noun not in left_out))


def _words(text: str) -> list[str]:
    return [word.casefold().removesuffix("'s").removesuffix("’s") for word in _WORD.findall(text)]


@lru_cache(maxsize=4096)
def _content(text: str) -> frozenset[str]:
    return frozenset(word for word in content_words(text) if word not in STOP_WORDS)


def words_about(item: SceneItem) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of an item's name and of what it is about, and those of its text and its trigger."""
    named = " ".join((item.name.replace("_", " "), *item.topics))
    return _content(named), _content(f"{item.text} {item.trigger or ''}")
