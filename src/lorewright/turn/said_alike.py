"""Two texts -> whether the one says what the other claims, as far as words can show it. In doubt it does not.

Every telling word of the claim must stand in one sentence, or in two that follow on each other; both deny or neither
does; what is hedged there must be hedged in the claim; two names must come in the same order. So a claim that is put in
other words is not found, which costs a confirmation, and hardly a false one is.
"""

from __future__ import annotations

import re
from itertools import pairwise

from lorewright.index.words import words_of
from lorewright.world.state import WorldState

_SENTENCE = re.compile(r"(?<=[.!?:;])\s+")
# Words that bend without changing what is claimed. `before`, `only`, `never` and their like are none of them.
_SMALL = frozenset(
    "a an the i me my mine you your yours he him his she her hers it its they them their theirs we us our ours "
    "that this these those there here of to at in on by for from with as and or so be am is are was were been being "
    "do does did have has had will shall would'd just really still said told something".split()
)
_DENYING = frozenset("no not never nobody nothing none neither nor cannot without hardly".split())
_HEDGING = frozenset(
    "if unless maybe perhaps might may could would should rumour rumor rumours say says think thinks believe guess "
    "suppose probably likely supposed".split()
)
_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split()
    )
} | {"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90"}
_ENDINGS = ("ings", "ing", "ied", "ies", "ed", "es", "s", "e", "y")
_IRREGULAR = dict(
    pair.split(":")
    for pair in (
        "came:come went:go gone:go took:take taken:take gave:give given:give paid:pay sold:sell kept:keep left:leave "
        "saw:see seen:see knew:know known:know brought:bring bought:buy slept:sleep ran:run lent:lend lost:lose "
        "hid:hide hidden:hide met:meet made:make found:find"
    ).split()
)


def says(text: str, claimed: str, state: WorldState) -> bool:
    """Whether the text says what is claimed. The names of the state's people keep their order."""
    wanted = _telling(claimed)
    if not wanted:
        return False
    sentences = _SENTENCE.split(text)
    # What is denied is denied in one sentence; a second one beside it may deny something else.
    pairs = [" ".join(pair) for pair in pairwise(sentences) if not any(map(_denied, pair))]
    return any(_one_says(one, claimed, wanted, state) for one in (*sentences, *pairs))


def _one_says(sentence: str, claimed: str, wanted: set[str], state: WorldState) -> bool:
    if not wanted <= _telling(sentence):
        return False
    denied, claim_denied = _denied(sentence), _denied(claimed)
    if bool(denied) != bool(claim_denied) or not claim_denied <= denied:
        return False
    if (set(_plain(sentence)) & _HEDGING) - set(_plain(claimed)):
        return False
    order = _people(claimed, state)
    return len(order) < 2 or [one for one in _people(sentence, state) if one in order] == order


def _telling(text: str) -> set[str]:
    return {_stem(word) for word in _plain(text) if word not in _SMALL and word not in _DENYING}


def _plain(text: str) -> list[str]:
    return [part for word in words_of(text.replace("’", "'")) for part in _parts(word)]


def _parts(word: str) -> list[str]:
    """`didn't` denies, `it's` is small, `cold-store` is two words."""
    if word.endswith("n't"):
        return ["not", word[:-3]]
    return [one for one in re.split(r"['-]", word) if len(one) > 1 or one.isdigit()] or [word]


def _denied(text: str) -> set[str]:
    """What a text denies: the telling words that come next after each word that denies; empty where nothing is."""
    words = _plain(text)
    found = set()
    for at, word in enumerate(words):
        if word in _DENYING:
            after = (_stem(one) for one in words[at + 1 :] if one not in _SMALL and one not in _DENYING)
            found.add(next(after, ""))
    return found


def _stem(word: str) -> str:
    word = _IRREGULAR.get(word, _NUMBERS.get(word, word))
    if word.isdigit():
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def _people(text: str, state: WorldState) -> list[str]:
    """The people who are named, each once, in the order of their names."""
    low = text.casefold()
    found = [
        (at.start(), one.id)
        for one in state.entities.values()
        if one.type in ("npc", "player")
        for name in (one.name, one.name.split()[0])
        if len(name) > 2 and (at := re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", low))
    ]
    return list(dict.fromkeys(one for _, one in sorted(found)))
