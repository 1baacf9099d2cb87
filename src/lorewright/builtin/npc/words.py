"""grammar/*.yaml -> sentences about what somebody does: once by name, for whoever reads the log, and once as the player
sees it, to whom they say `you`. Variants come from a shuffled bag: none again before all were used."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType

import yaml

from lorewright.ids import content_hash
from lorewright.values.intents import SENTENCES, SHARED, NpcIntentInput
from lorewright.values.records import Named

# The one in C reads the grammar in a tenth of the time, where PyYAML has it.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_SLOT = re.compile(r"\{([A-Za-z']+)\}")
# Cases of whoever acts, by pronoun: he, him, his, himself.
_CASES: Mapping[str, tuple[str, str, str, str]] = MappingProxyType(
    {
        "he": ("he", "him", "his", "himself"),
        "she": ("she", "her", "her", "herself"),
        "they": ("they", "them", "their", "themselves"),
        "it": ("it", "it", "its", "itself"),
    }
)
# After `they` a verb is plural: in these sentences there are no others.
_PLURAL = (
    ("they is", "they are"),
    ("they was", "they were"),
    ("they has", "they have"),
    ("they thinks", "they think"),
    ("they likes", "they like"),
    ("they does", "they do"),
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """What is done, by name (`text`) and as the player sees it (`seen`), and the memory key of the variant."""

    text: str
    seen: str
    key: str


@cache
def grammar() -> Mapping[str, tuple[str, ...]]:
    """Group -> its variants."""
    found: dict[str, tuple[str, ...]] = {}
    folder = resources.files(__package__) / "grammar"
    for path in sorted(folder.iterdir(), key=lambda one: one.name):
        if path.name.endswith(".yaml"):
            data = yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)
            found |= {group: tuple(rows) for group, rows in data.items()}
    return MappingProxyType(found)


class Words:
    """What one character says things with: its grammar's bags as far as they were used, and what it did last."""

    def __init__(self, given: NpcIntentInput, lately: Collection[str]) -> None:
        """`lately` are texts that should not come again just yet."""
        self._given = given
        self._lately = frozenset(lately)
        self._people = {one.id: one for one in (*given.scope.people, given.scope.player)}

    def sentence(
        self, group: str, *, person: str | None = None, third: str | None = None, **slots: str
    ) -> Sentence | None:
        """The next variant of a group that was not used lately and is no longer than an intention may be; None where
        there is none."""
        variants = grammar()[group]
        for index in self._order(group, len(variants)):
            text = self._filled(variants[index], person, third, slots, by_name=True)
            if text is not None and len(text) <= SENTENCES and text not in self._lately:
                seen = self._filled(variants[index], person, third, slots, by_name=False) or text
                return Sentence(text, seen, _key(group, index))
        return None

    def _order(self, group: str, size: int) -> list[int]:
        """The variants that anybody used least first, as the bag was shuffled. Everybody who is there begins at another
        one, because in some profiles all of them think at once."""
        counts = [self._given.recall.get(_key(group, index), 0) for index in range(size)]
        order = sorted(range(size), key=lambda index: (counts[index], self._place(group, counts[index], index)))
        first = self._rank % size
        return [*order[first:], *order[:first]]

    @property
    def _rank(self) -> int:
        """One's place among the cast who are there, by ID."""
        me = self._given.me.id
        return sum(one.id < me for one in self._given.scope.people if one.id != self._given.player_id)

    def _place(self, group: str, cycle: int, index: int) -> str:
        """Where a variant stands in the shuffled bag of a cycle."""
        return content_hash(f"{self._given.seed}\n{group}\n{cycle}\n{index}")

    def _filled(
        self, variant: str, person: str | None, third: str | None, slots: Mapping[str, str], *, by_name: bool
    ) -> str | None:
        """With its slots filled; None where a slot has nothing to fill it."""
        me = self._given.me
        he, him, his, self_ = _CASES[me.pronoun]
        known = {"N": me.name, "he": he, "He": he.capitalize(), "him": him, "his": his, "himself": self_, **slots}
        for slot, who in (("P", person), ("T", third)):
            if who is not None and (named := self._named(who, by_name=by_name)):
                known |= {slot: named[0], f"{slot}'s": named[1]}
        if any(name not in known for name in _SLOT.findall(variant)):
            return None
        text = _SLOT.sub(lambda found: known[found.group(1)], variant)
        for wrong, right in _PLURAL if me.pronoun == "they" else ():
            text = text.replace(wrong, right).replace(wrong.capitalize(), right.capitalize())
        return " ".join(text.split())

    def _named(self, who: str, *, by_name: bool) -> tuple[str, str] | None:
        """Somebody's name and the same as an owner's."""
        if who == self._given.player_id and not by_name:
            return "you", "your"
        one = self._people.get(who)
        name = one.name if one is not None else self._given.names.get(who)
        return None if not name else (name, f"{name}'s")


def _key(group: str, index: int) -> str:
    """The memory key of a variant, which all of the cast share."""
    return f"{SHARED}{group}#{index}"


def the(one: Named) -> str:
    """A thing inside a sentence: with an article, unless its name stands for itself."""
    bare = one.name[4:] if one.name.casefold().startswith("the ") else one.name
    return f"the {bare}" if bare != one.name or one.name[:1].islower() or one.name[:1].isdigit() else one.name
