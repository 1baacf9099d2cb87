"""A digit or a few letters, by the words beside them -> the word that they stand for: `2` is `to`, `too` or two."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import cache

from lorewright.builtin.words.clauses import lexicon
from lorewright.scene_lore.nouns import is_verb
from lorewright.shipped_tables import read_table

# A digit that stands for a word, before one of these.
_DIGITS = {"2": "to", "4": "for"}
_AFTER_DIGITS = frozenset(
    "it me u you him her them us the a an my ur your do be go see say ask talk tell get that this nothing"
    " everything anything anyone any much sure real all free drink eat hide sit sleep play help find know"
    " hear open fun now once later luck money trouble hire ya self who whos whoever whoevers what whats where why"
    " how when if".split()
)
# After these a digit is a number of things: `drop 2 coins`.
_COUNTED = frozenset("take drop get grab put pour buy eat light use have want steal throw toss burn order".split())
# `2` is `too` before the first of these, and at an end after the second, `to` after the third, and between `up` and the
# fourth; `4` is `for` after time and its like; `1` is `one` after the last.
_AFTER_TOO = frozenset("good bad much many late soon hot cold dark far long loud scared tired early quiet".split())
_BEFORE_TOO = frozenset("me him her it that this ears eyes mouth hands go want".split())
_BEFORE_TO = frozenset(
    "forgot forget remember love like hate need want have has going got try used how where what went gonna trying able"
    " ready here came".split()
)
_BEFORE_PLACES = frozenset(
    "it this that him them something go walk run head talk speak back over come sneak listen next"
    " closer tiptoe creep move".split()
)
_UNITS = frozenset("steps floors times hours minutes levels paces days blocks miles feet more or doors stairs".split())
_AFTER_UP = frozenset(("", "out", "there", "here", "now", "tonight", "lately", "today", "then", "something", "no"))
_BEFORE_FOR = frozenset(
    "time here money thanks thx ask asking look looking lookin listen listening search searching waiting paying"
    " ready around round about hunt hunting check checking".split()
)
# A number of these is how long, or what time it is.
_OF_TIME = frozenset("pm am oclock o'clock mins minutes min hours hrs steps seconds secs days".split())
_BEFORE_ONE = frozenset("last first next this that which every other another right left only wrong no".split())


# Between these a curse stands for `what`.
_BEFORE_WHAT = frozenset(("", "and", "but", "so", "like"))
_AFTER_WHAT = frozenset("is are r does happened am".split())
# Before these `rite` is a side.
_AFTER_RIGHT = frozenset("side hand corner one middle midle mid centre center square box column edge now here".split())
# Before these one does not care about something: `idc about the tide`.
_CARED_ABOUT = frozenset("about abt bout if what who where how".split())


def word_meant(low: str, before: str, after: str, names: Collection[str]) -> str:
    """Return the word that a digit or a few letters in lower case stand for between two others; empty for none. `names`
    are words of names in scope."""
    is_inner = bool(before and after)
    is_count = before in _COUNTED and after not in _AFTER_DIGITS
    if low == "2" and (after in _AFTER_TOO or (not after and before in _BEFORE_TOO)):
        return "too"
    if low == "4" and is_inner and before in _BEFORE_FOR and after not in _OF_TIME:
        return "for"
    if is_inner and low in _DIGITS and not is_count and (after in _AFTER_DIGITS or after in names):
        return _DIGITS[low]
    if low == "4" and ((before in _PAID and not after.endswith("s")) or after in _HOURS):
        return "for"
    if low in _TITLES and after in names:
        return _TITLES[low]
    if low in ("gonna", "gunna") and before in _BEGINS and after not in _UNDECIDED and begins_verb(after):
        # What one is about to do is done.
        return "i"
    if low in ("gonna", "gunna") and before in _BEGINS and after in _UNDECIDED - {"have", "get", "win", "lose", "die"}:
        return "i'm going to"
    if low == "2" and is_inner and before in names and begins_verb(after):
        return "to"
    if low == "2" and (_leads_to(before, after) if is_inner else before == "up"):
        return "to"
    if low == "1" and before in _BEFORE_ONE and not after[:1].isdigit():
        return "one"
    if low == "rite" and after in _AFTER_RIGHT:
        return "right"
    if low in ("wtf", "wth") and after in _AFTER_WHAT and before in _BEFORE_WHAT:
        return "what"
    return "i don't care" if low == "idc" and after in _CARED_ABOUT else ""


@cache
def _signs() -> Mapping[str, re.Pattern[str]]:
    rows: dict[str, str] = read_table(__package__, "signs.yaml")
    return {act: re.compile(signs) for act, signs in rows.items()}


def act_of_signs(text: str) -> str:
    """Return the small act that a line of signs stands for, `I frown` for `:(`; empty for words."""
    plain = text.strip(" *") if len(text) < _LONGEST_SIGN else ""
    return next((act for act, signs in _signs().items() if plain and signs.fullmatch(plain)), "")


_LONGEST_SIGN = 12


_PAID = frozenset("pay pays paid paying".split())
_HOURS = frozenset("two three four five six seven eight nine ten twelve".split())
# Titles in full, before a name.
_TITLES = {"mister": "Mr", "missus": "Mrs", "mistress": "Mrs"}
# What one is going to do is no deed after other words than these, and where it is nobody's choice.
_BEGINS = frozenset(("", "and", "then", "ok", "k", "n", "lol", "now"))
_UNDECIDED = frozenset("be win lose die miss regret cry throw faint need have get happen become".split())


def begins_verb(word: str) -> bool:
    """Tell whether a word in lower case is a verb, as it is or as it is written in a chat."""
    word = lexicon().spellings.get(word, word)
    return word in lexicon().verb_words or is_verb(word)


def _leads_to(before: str, after: str) -> bool:
    """Tell whether `to` stands between two words, and no number."""
    spelled = lexicon().spellings.get(before, before).split()[0]
    is_up = before == "up" and after in _AFTER_UP
    return spelled in _BEFORE_TO or is_up or (before in _BEFORE_PLACES and after not in _UNITS)


def begins_act(word: str) -> bool:
    """Tell whether no `an` stands before a word, so that a letter of `and` was left out."""
    if len(word) < _SHORTEST or not word.isalpha():
        return False
    is_verb = word in lexicon().verb_words or word in lexicon().spellings
    return word in _VERBS_AFTER_AND or (word[0] not in "aeiouhlmnfrsx" or (is_verb and word[0] not in "aeiou"))


# Verbs with a vowel before them that are hardly ever nouns.
_VERBS_AFTER_AND = frozenset("ask eat enter use i'm im ill i'll its it's u you".split())
_SHORTEST = 3
