"""Two texts -> whether the one says what the other claims, as far as words can show it. In doubt it does not.

Every telling word of the claim must stand in one sentence, or in two that follow on each other; both deny or neither
does; what is hedged there must be hedged in the claim; names stand on the same side of the words beside them, and
numbers go with the same ones. So a claim that is put in
other words is not found, which costs a confirmation, and hardly a false one is.
"""

from __future__ import annotations

import re
from itertools import pairwise

from lorewright.index.words import words_of
from lorewright.world.state import WorldState

_CLAUSE = re.compile(r",\s+(?:and|but|so)?\s*|\s+(?:and|but)\s+")
_HEARSAY = re.compile(r"\b(?:some|people|they|others|somebody|everybody) (?:say|says|tell|think)\b", re.IGNORECASE)
_MOST_RUNS = 60
_SENTENCE = re.compile(r"(?<=[.!?:;])\s+")
# Words that bend without changing what is claimed. `before`, `only`, `never` and their like are none of them.
_SMALL = frozenset(
    "a an the i me my mine you your yours he him his she her hers it its they them their theirs we us our ours "
    "that this these those there here of to at in on by for from with as and or so be am is are was were been being "
    "do does did have has had will shall would'd just really still said told something".split()
)
_DENYING = frozenset("no not never nobody nothing none neither nor cannot without hardly".split())
_HEDGING = frozenset(
    "if unless maybe perhaps might may could would should rumour rumor rumours think thinks believe guess "
    "suppose probably likely supposed".split()
)
_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split()
    )
} | {"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90"}
# As they are without their endings.
_ORDINALS = frozenset(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth half quarter doubl twic".split()
)
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
    """Whether the text says what is claimed."""
    if not _telling(claimed):
        return False
    sentences = [one for one in _SENTENCE.split(text) if not _is_hedged(one, claimed)]
    # What is denied is denied in one sentence; a second one beside it may deny something else.
    pairs = [" ".join(pair) for pair in pairwise(sentences) if not any(map(_denied, pair))]
    return any(_one_says(one, claimed, state) for part in (*sentences, *pairs) for one in _parts_of(part))


def _one_says(said: str, claimed: str, state: WorldState) -> bool:
    if not _telling(claimed) <= _telling(said):
        return False
    denied, claim_denied = _denied(said), _denied(claimed)
    if bool(denied) != bool(claim_denied) or not claim_denied <= denied:
        return False
    return _sides_kept(claimed, said, state) and _counts_kept(claimed, said)


def _parts_of(sentence: str) -> list[str]:
    """The sentence, and each run of its clauses: what one of them denies, the others may say."""
    clauses = [one for one in _CLAUSE.split(sentence) if one.strip()]
    runs = [(start, end) for start in range(len(clauses)) for end in range(start + 1, len(clauses) + 1)]
    return [sentence, *(", ".join(clauses[start:end]) for start, end in runs[:_MOST_RUNS])]


def _is_hedged(said: str, claimed: str) -> bool:
    if (set(_plain(said)) & _HEDGING) - set(_plain(claimed)):
        return True
    return _HEARSAY.search(said) is not None and _HEARSAY.search(claimed) is None


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


def telling_words(text: str) -> list[str]:
    """Return the words that carry meaning, in order, without their endings; small numbers as digits."""
    return [_stem(word) for word in _plain(text) if word not in _SMALL and word not in _DENYING]


def _sides_kept(claimed: str, said: str, state: WorldState) -> bool:
    """Who asked whom: a name comes before or after the words beside it in both."""
    claim, there = telling_words(claimed), telling_words(said)
    names = _names(state)
    for at, word in enumerate(claim):
        if word in names:
            before, after = claim[max(at - 1, 0) : at], claim[at + 1 : at + 2]
            first, last = there.index(word), len(there) - 1 - there[::-1].index(word)
            if any(one not in names and there.index(one) > last for one in before):
                return False
            if any(len(there) - 1 - there[::-1].index(one) < first for one in after):
                return False
    return True


def _counts_kept(claimed: str, said: str) -> bool:
    """What is counted: a number goes with the word before it or after it in both."""
    claim, there = telling_words(claimed), telling_words(said)
    side_by_side = set(pairwise(there))
    if sum(map(_counts, there)) < 2:
        return True
    for at, word in enumerate(claim):
        if not _counts(word):
            continue
        beside = [*pairwise(claim[max(at - 1, 0) : at + 1]), *pairwise(claim[at : at + 2])]
        if beside and side_by_side.isdisjoint(beside):
            return False
    return True


def _counts(word: str) -> bool:
    return word.isdigit() or word in _ORDINALS


def _names(state: WorldState) -> set[str]:
    people = (one for one in state.entities.values() if one.type in ("npc", "player"))
    return {_stem(word) for one in people for word in _plain(one.name) if len(word) > 2}
