"""A beat -> its sentences: a variant from the bag, slots filled by names first and pronouns where they are clear."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from lorewright.ids import content_hash
from lorewright.turn.twins.naming import capitalised
from lorewright.turn.twins.narrator.authored import ended, quoted
from lorewright.turn.twins.narrator.bag import Ledger
from lorewright.turn.twins.narrator.beats import Beat, Person
from lorewright.turn.twins.narrator.grammar import choose

_SLOT = re.compile(r"\{(\w+)\}")
_AGREEMENT = re.compile(r"\[([^|\]]+)\|([^|\]]+)\]")
_DOUBLE_STOP = re.compile(r"(?<![.…])\.\.(?!\.)|(?<=[!?…:])\.(?!\.)")
# Slots that may name somebody else, after whom a pronoun would be unclear.
_OTHERS = frozenset(("names", "list", "reminder", "topic", "detail"))
# subject, object, possessive, reflexive
_PRONOUNS: Mapping[str, tuple[str, str, str, str]] = MappingProxyType(
    {
        "he": ("he", "him", "his", "himself"),
        "she": ("she", "her", "her", "herself"),
        "it": ("it", "it", "its", "itself"),
        "they": ("they", "them", "their", "themselves"),
    }
)
_CASES = MappingProxyType({"who": 0, "whom": 1, "whose": 2, "self": 3})


@dataclass(frozen=True, slots=True)
class Opening:
    """Whether a beat opens the turn, and whether "You" may be its first word."""

    is_first: bool
    may_say_you: bool


def opening(seed: str, turn_no: int, *, is_first: bool) -> Opening:
    """ "You" may open even turns, and does so in about two of three of them."""
    chance = int(content_hash(f"{seed}\nyou\n{turn_no}")[:8], 16) % 3
    return Opening(is_first, is_first and turn_no % 2 == 0 and chance > 0)


class Voice:
    """Makes sentences in the order in which they are told, and knows who was named last."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._focus: str | None = None

    def say(self, beat: Beat, opens: Opening) -> str:
        """The beat as text; draws from the bags and notes what it used."""
        frame = self._frame(beat, opens) if beat.group else ""
        for key in beat.keys:
            self._ledger.note(key)
        if not beat.authored:
            return frame
        self._focus = None  # authored text may have named anybody
        words = quoted(beat.authored) if beat.is_speech else ended(beat.authored)
        return f"{frame} {words}".strip()

    def _frame(self, beat: Beat, opens: Opening) -> str:
        facts = {**beat.facts, "you": True} if opens.may_say_you else beat.facts
        choice = choose(beat.group, facts)
        text = choice.texts[self._ledger.draw(choice.bag, len(choice.texts))]
        text = _AGREEMENT.sub(lambda match: match.group(2 if beat.plural else 1), text)
        filled = _SLOT.sub(lambda match: self._slot(beat, match.group(1)), text)
        if _OTHERS & {slot.lower() for slot in _SLOT.findall(text)}:
            self._focus = None
        return _DOUBLE_STOP.sub(_single, capitalised(filled))

    def _slot(self, beat: Beat, slot: str) -> str:
        low = slot.lower()
        text = self._person(beat, low) if low in _CASES or low == "name" else str(beat.slots[low])
        return capitalised(text) if slot[0].isupper() else text

    def _person(self, beat: Beat, case: str) -> str:
        """The name, or a pronoun for whoever was named last; a `they` is never a subject, so that verbs agree."""
        who = beat.slots["who"]
        if not isinstance(who, Person):
            raise KeyError(f"group {beat.group!r} needs a person")
        is_clear, self._focus = self._focus == who.id, who.id
        if case == "name" or not is_clear or (case == "who" and who.pronoun == "they"):
            return _in_case(who.name, case)
        return _PRONOUNS[who.pronoun][_CASES[case]]


def _in_case(name: str, case: str) -> str:
    if case == "whose":
        return f"{name}'" if name.endswith("s") else f"{name}'s"
    return name


def _single(match: re.Match[str]) -> str:
    return "." if match.group() == ".." else ""
