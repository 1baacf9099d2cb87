"""Short names in a scenario -> qualified IDs, with every unknown name collected as a problem."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from lorewright.index.generation import Generation
from lorewright.packs.bounded_yaml import line_of
from lorewright.retrieval.view import find_same_things, ids_of
from lorewright.rules.rulesets import ANY_NPC
from lorewright.world.state import OFFSTAGE

# The faults of a file that an author wrote: line, message, and what to do about it.

# Messages for authors in place of pydantic's own, which speak of Python.
_IN_PLAIN_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "missing": "is missing, and must be there",
        "extra_forbidden": "there is no such key",
        "string_type": "write text; in quotation marks where it is a number or begins with a bracket",
        "string_pattern_mismatch": "is empty; write text",
        "dict_type": "write `key: value` lines",
        "model_type": "write `key: value` lines",
        "tuple_type": "write a list: [one, another]",
        "int_type": "write a whole number",
        "int_parsing": "write a whole number",
        "bool_parsing": "write true or false",
    }
)
# At most this many faults are printed.
_MOST_TOLD = 5


@dataclass(frozen=True, slots=True)
class FileFault:
    """A fault of a file: its line (from 1), the message, and what to do about it."""

    line: int
    message: str
    hint: str


def faults_of(problem: ValidationError, lines: Mapping[tuple[str, ...], int], *, hint: str) -> list[FileFault]:
    """Return the faults that a model finds in the data of a file whose keys stand on these lines, in the model's
    order."""
    return [
        FileFault(line_of(lines, error["loc"]), f"{'.'.join(map(str, error['loc']))}: {_said(error)}", hint)
        for error in problem.errors(include_url=False, include_input=False)
    ]


def _said(error: ErrorDetails) -> str:
    return _IN_PLAIN_WORDS.get(error["type"], error["msg"])


def faults_in_lines(path: Path, faults: Sequence[FileFault]) -> str:
    """Return the first faults as `file:line: message`, a line each."""
    return "\n".join(f"{path}:{fault.line}: {fault.message}" for fault in faults[:_MOST_TOLD])


# Short names -> qualified IDs, with every unknown name collected.

M = TypeVar("M", bound=BaseModel)

# How a scenario names the player.
PLAYER_NAMES = ("you", "player")
# Which fields of effects and conditions hold names of which kind.
_ITEM_FIELDS = frozenset({"reveal", "revealed"})
_KINDS = {
    "clock": frozenset({"clock"}),
    "thread": frozenset({"thread", "progress"}),
    "ending": frozenset({"end"}),
    "situation": frozenset({"situation"}),
    "threat": frozenset({"announce", "avert", "announced"}),
}
_PAIRS = frozenset({"relation", "tie"})
# Fields in which `you` may be any of several personas: the one that is played when it is used.
_YOU_FIELDS = frozenset({"of", "by", "subject", "turn", "depart", "target"}) | _PAIRS
_SAID = frozenset({"promise", "threat", "owes"})
# Fields of words and values, which hold no names.
_TEXTS = frozenset({"observe", "averted", "title", "is", "value"})
_ENTITY_FIELDS = frozenset(
    {
        *("has", "at", "present", "visited", "arrive", "depart", "to", "by", "give", "lose", "put", "unlock"),
        *("subject", "target", "item", "of", "escalate", "escalation", "turn", "regard"),
    }
)


class NameLookup:
    """Looks names up: things, doors and the player are the campaign's own, people and places the packs' or its own."""

    def __init__(
        self,
        campaign_id: str,
        generations: Sequence[Generation],
        *,
        own: Mapping[str, str | None],
        made: Iterable[str],
        clocks: Iterable[str],
        threads: Iterable[str],
        endings: Iterable[str],
        situations: Iterable[str] = (),
        threats: Iterable[str] = (),
        personas: Iterable[str] = (),
    ) -> None:
        """`own` maps the scenario's things to the pack's entity that they are, or None; `made` are the places and
        people that are the scenario's own where no pack has them; `personas` whom the player may play besides the
        player character."""
        self._generations = generations
        self._personas = frozenset(personas)
        self._own = {name: f"{campaign_id}:{name}" for name in (*own, *sorted(self._personas))}
        self._made = {name: f"{campaign_id}:{name}" for name in made}
        self.player_id = f"{campaign_id}:player"
        self._known = {
            "clock": set(clocks),
            "thread": set(threads),
            "ending": set(endings),
            "situation": set(situations),
            "threat": set(threats),
        }
        self.problems: list[str] = []
        for name, entity in own.items():
            if entity is not None:
                self._own[name] = self.in_packs(entity) or self._missing(entity, where=f"things.{name}")

    def entity(self, name: str, *, where: str) -> str:
        """Return the qualified ID of a person, place or thing; an unknown name is noted as a problem and returned as it
        is."""
        if name in PLAYER_NAMES:
            return self.player_id
        if name == OFFSTAGE:
            return name
        if name in self._own:
            return self._own[name]
        return self.in_packs(name) or self._made.get(name) or self._missing(name, where=where)

    def entity_or_you(self, name: str, *, where: str) -> str:
        """Return the same as `entity`, except that `you` stays where it may be any of several personas."""
        return name if self._personas and name == "you" else self.entity(name, where=where)

    def _missing(self, name: str, *, where: str) -> str:
        packs = ", ".join(generation.pack_id for generation in self._generations)
        searched = f"in the scenario or in {packs}" if packs else "in the scenario, which has no packs,"
        self.problems.append(f"{where}: nothing {searched} is called {name}")
        return name

    def is_own(self, name: str) -> bool:
        """Tell whether a name is the scenario's own: a thing, a door, the player."""
        return name in self._own or name in self._made or name in PLAYER_NAMES

    def in_packs(self, name: str) -> str | None:
        """Return the first pack's entity of that ID, or None."""
        for generation in self._generations:
            entity_id = name if ":" in name else f"{generation.pack_id}:{name}"
            if generation.entity(entity_id) is not None:
                return entity_id
        return None

    def item(self, reference: str, *, where: str) -> str:
        """Return the full ID of an item, `viktor/withholds#debt` -> `neo_seattle:viktor:withholds#debt`, in the pack
        whose section is in force."""
        entity, _, rest = reference.partition("/")
        told_as = ids_of(self.in_packs(entity) or entity, find_same_things(self._generations))
        ids = [f"{told_id}:{rest}" for told_id in told_as]
        found = [entity_id for entity_id in ids if any(generation.item(entity_id) for generation in self._generations)]
        if not found:
            self.problems.append(f"{where}: no pack has an item {reference}")
        return (found or ids)[0]

    def resolved(self, model: M, *, where: str) -> M:
        """Return an effect, condition or rule with every name in it looked up."""
        data = model.model_dump(mode="json", by_alias=True, exclude_none=True)
        return type(model).model_validate(self._walk(data, where))

    def _walk(self, data: Any, where: str) -> Any:
        if isinstance(data, Mapping):
            return {key: self._value(key, value, where) for key, value in data.items()}
        if isinstance(data, list):
            return [self._walk(part, where) for part in data]
        return data

    def _value(self, key: str, value: Any, where: str) -> Any:
        if self._personas and key in _SAID and isinstance(value, Mapping):
            others = {name: part for name, part in value.items() if name != "to" or part != "you"}
            return {**self._walk(others, where), **({"to": "you"} if others.keys() != value.keys() else {})}
        if self._personas and key in _YOU_FIELDS and value == "you":
            return value
        if key in _PAIRS:
            stays = ("you",) if self._personas else ()
            return [name if name in stays else self.entity(name, where=where) for name in value]
        if not isinstance(value, str) or key == "say":
            return self._walk(value, where) if key != "say" else value
        if key in _TEXTS:
            return value
        if key in _ITEM_FIELDS:
            return self.item(value, where=where)
        if key in _ENTITY_FIELDS and (key, value) != ("by", ANY_NPC):
            return self.entity(value, where=where)
        for kind, fields in _KINDS.items():
            if key in fields and value not in self._known[kind]:
                self.problems.append(f"{where}: there is no {kind} {value}")
        return value
