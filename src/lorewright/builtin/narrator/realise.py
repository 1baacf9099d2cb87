"""A beat -> its sentences: a variant from the bag, slots filled by names first and pronouns where they are clear."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from lorewright.builtin.narrator.authored import ended, quoted
from lorewright.builtin.narrator.bag import Ledger
from lorewright.builtin.narrator.beats import Beat, Joint, Person
from lorewright.builtin.narrator.grammar import Facts, Groups, choose
from lorewright.builtin.narrator.memory import Memory, jars
from lorewright.builtin.parser.naming import capitalised
from lorewright.ids import local

_SLOT = re.compile(r"\{(\w+)\}")
_AGREEMENT = re.compile(r"\[([^|\]]+)\|([^|\]]+)\]")
_DOUBLE_STOP = re.compile(r"(?<![.…])\.\.(?!\.)|(?<=[!?…:])\.(?!\.)|(?<=[.!?…]”)\.")
# Slots that may name somebody else, after whom a pronoun would be unclear.
_OTHERS = frozenset(("names", "list", "reminder", "topic", "detail", "other"))
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
# What an act begins with that goes on from something else, where it begins with a name.
_JOINTS: Mapping[Joint, tuple[str, ...]] = MappingProxyType(
    {
        "next": ("Then", "After that", "Meanwhile,", "A moment later", "Before long", "Next"),
        "answer": ("At that,", "In turn,", "With that,"),
    }
)


@dataclass(frozen=True, slots=True)
class _Frame:
    """A variant with its slots filled, the same without quoted words, and who is named last after it."""

    text: str
    own: str
    focus: str | None


class Voice:
    """Makes sentences in the order in which they are told, and knows who was named last and what was told lately."""

    def __init__(
        self, ledger: Ledger, memory: Memory, scene: Facts, added: Groups, people: Collection[str] = ()
    ) -> None:
        self._ledger = ledger
        self._memory = memory
        self._scene = scene
        self._added = added
        self._people = tuple(capitalised(name) for name in people)
        self._focus: str | None = None
        self._before = self._after = ""

    def say(self, beat: Beat, *, is_first: bool, must: bool = False, before: str = "", after: str = "") -> str:
        """The beat as text; draws from the bags and notes what it used. `before` and `after` are the sentences
        beside it, with which it had better not jar.

        Empty where all variants of a beat that may be left out (and not `must` be told) are still in the ear.
        """
        self._before, self._after = before, after
        frame = self._frame(beat, is_first=is_first, must=must or beat.is_kept or bool(beat.authored))
        if frame is None:
            return ""
        for key in beat.keys:
            self._ledger.note(key)
        text = frame
        if beat.authored:
            self._focus = None  # authored text may have named anybody
            words = quoted(beat.authored) if beat.is_speech else ended(beat.authored)
            text = f"{frame} {words}".strip()
        text = self._joined(beat, text)
        self._memory.add(text)
        return text

    def _joined(self, beat: Beat, text: str) -> str:
        """The text with a word or two before it that it goes on with, where it begins with whoever acts."""
        who = beat.slots.get("who")
        if not beat.joint or not isinstance(who, Person) or not text.startswith(f"{capitalised(who.name)} "):
            return text
        if not beat.group and who.name[0].islower():
            return text  # an author's first letter stays
        words = _JOINTS[beat.joint]
        index = self._ledger.next_of(f"joint.{beat.joint}", len(words), among=range(len(words)))[0]
        self._ledger.drawn(f"joint.{beat.joint}", index)
        return f"{words[index]} {who.name}{text[len(who.name) :]}"

    def _frame(self, beat: Beat, *, is_first: bool, must: bool) -> str | None:
        if not beat.group:
            return ""
        facts = {**self._scene, **_about(beat), **beat.facts}
        for choice in (choices := choose(beat.group, facts, self._added)):
            frames = [self._filled(beat, text) for text in choice.texts]
            must_now = must and choice is choices[-1]
            index = self._pick(choice.bag, frames, is_first=is_first, must=must_now, is_act=beat.kind == "act")
            if index is not None:
                self._ledger.drawn(choice.bag, index)
                self._focus = frames[index].focus
                return frames[index].text
        return None

    def _pick(
        self, bag: str, frames: Sequence[_Frame], *, is_first: bool, must: bool, is_act: bool = False
    ) -> int | None:
        """The variant that was used least and is least in the ear; None, or where it must the oldest, of those that
        are."""
        ages = {index: self._memory.age(frame.own) for index, frame in enumerate(frames)}
        fresh = [index for index, age in ages.items() if age is None]
        if not fresh and not must:
            return None
        if not fresh:
            oldest = max(age for age in ages.values() if age is not None)
            fresh = [index for index, age in ages.items() if age == oldest]
        if is_first:
            fresh = [index for index in fresh if not self._memory.opens_alike(frames[index].text)] or fresh
        if is_act:
            if is_first:
                fresh = [index for index in fresh if not self._memory.opened_lately(frames[index].text)] or fresh
            # Not one sentence after the other, nor one narration of a turn after the other, with a name at its head.
            fresh = [index for index in fresh if not self._names_again(frames[index].text, is_first)] or fresh
        fresh = [index for index in fresh if not self._jars(frames[index].text)] or fresh
        waiting = self._ledger.next_of(bag, len(frames), among=fresh)
        return min(waiting, key=lambda index: self._memory.worn(frames[index].own))

    def _names_again(self, text: str, is_first: bool) -> bool:
        before = self._memory.last() if is_first else self._before
        return before.startswith(self._people) and text.startswith(self._people)

    def _jars(self, text: str) -> bool:
        return jars(self._before, text) or jars(text, self._after)

    def _filled(self, beat: Beat, variant: str) -> _Frame:
        focus = self._focus

        def fill(match: re.Match[str]) -> str:
            nonlocal focus
            slot = match.group(1)
            low = slot.lower()
            if low in _CASES or low == "name":
                text, focus = _person(beat, low, focus)
            else:
                text = str(beat.slots[low])
            return capitalised(text) if slot[0].isupper() else text

        text = _AGREEMENT.sub(lambda match: match.group(2 if beat.plural else 1), variant)
        filled = _SLOT.sub(fill, text)
        if _OTHERS & {slot.lower() for slot in _SLOT.findall(text)}:
            focus = None
        own = filled.replace(str(beat.slots["reminder"]), "") if beat.slots.get("reminder") else filled
        return _Frame(_tidy(filled), _tidy(own), focus)


def _about(beat: Beat) -> Facts:
    """Whom a beat is about, for guards."""
    who = beat.slots.get("who")
    return {"who": local(who.id)} if isinstance(who, Person) else {}


def _person(beat: Beat, case: str, focus: str | None) -> tuple[str, str]:
    """The name, or a pronoun for whoever was named last; a `they` is never a subject, so that verbs agree."""
    who = beat.slots["who"]
    if not isinstance(who, Person):
        raise KeyError(f"group {beat.group!r} needs a person")
    if case == "name" or focus != who.id or (case == "who" and who.pronoun == "they"):
        return _in_case(who.name, case), who.id
    return _PRONOUNS[who.pronoun][_CASES[case]], who.id


def _in_case(name: str, case: str) -> str:
    if case == "whose":
        return f"{name}'" if name.endswith("s") else f"{name}'s"
    return name


def _tidy(text: str) -> str:
    return _DOUBLE_STOP.sub(_single, capitalised(text))


def _single(match: re.Match[str]) -> str:
    return "." if match.group() == ".." else ""
