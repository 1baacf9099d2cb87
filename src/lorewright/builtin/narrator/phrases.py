"""A scenario's phrases -> what is wrong with them, in words; and as variants of the narrator's groups."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence

from lorewright.builtin.narrator.grammar import GUARDS, Groups, Variant, grammar
from lorewright.rules.rulesets import Phrase

_SLOT = re.compile(r"\{(\w*)\}")
_MOST_WORDS = 30


def phrase_problems(added: Mapping[str, Sequence[Phrase]]) -> list[str]:
    """What does not fit: a group, guard or slot that there is not, a sentence without an end. Empty where all fits."""
    problems = []
    for group, phrases in added.items():
        if group not in grammar():
            problems.append(f"there is no group {group}{_near(group, list(grammar()))}")
            continue
        problems += [f"{group}: {one}" for phrase in phrases for one in _problems(group, phrase)]
    return problems


def variants_of(added: Mapping[str, Sequence[Phrase]]) -> Groups:
    """The phrases as variants."""
    return {
        group: tuple(Variant(one.text, tuple(sorted(one.when.items())), one.rank) for one in phrases)
        for group, phrases in added.items()
    }


def slots_of(group: str) -> frozenset[str]:
    """The slots that a group's sentences may have: those that its own sentences have, and the other cases of a
    person."""
    found = {slot.lower() for variant in grammar()[group] for slot in _SLOT.findall(variant.text)}
    return frozenset(found | ({"who", "whom", "whose", "self", "name"} if found & {"who", "name"} else set()))


def _problems(group: str, phrase: Phrase) -> list[str]:
    text, shown = phrase.text, repr(phrase.text[:40])
    problems = []
    for slot in _SLOT.findall(text):
        if slot.lower() not in slots_of(group):
            problems.append(
                f"{shown} has the slot {{{slot}}}; there are {', '.join(sorted(slots_of(group))) or 'none'}"
            )
    for guard, value in phrase.when.items():
        if guard not in GUARDS:
            problems.append(f"{shown} has the guard {guard}{_near(guard, list(GUARDS))}")
        elif not isinstance(value, GUARDS[guard]) or (GUARDS[guard] is int and isinstance(value, bool)):
            problems.append(f"{shown}: the guard {guard} is a {GUARDS[guard].__name__}, not {value!r}")
    if len(text.split()) > _MOST_WORDS:
        problems.append(f"{shown} has more than {_MOST_WORDS} words")
    if not text.strip() or text.strip()[-1] not in ".!?…:”":
        problems.append(f"{shown} does not end with a stop")
    if any(mark in text for mark in "*_`#<>\n") or re.search(r"\{(?!\w+\})|(?<!\w)\}", text):
        problems.append(f"{shown} has markup")
    return problems


def _near(word: str, known: list[str]) -> str:
    found = difflib.get_close_matches(word, known, n=1)
    return f" (did you mean {found[0]}?)" if found else ""
