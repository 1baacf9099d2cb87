"""grammar.yaml -> groups of guarded variants; the choice of the bag that fits a beat's facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

import yaml

Fact = str | bool | int
Facts = Mapping[str, Fact]


@dataclass(frozen=True, slots=True)
class Variant:
    """One sentence with slots, and what must hold for it."""

    text: str
    when: tuple[tuple[str, Fact], ...] = ()
    rank: int = 0

    def fits(self, facts: Facts) -> bool:
        """Whether every guard holds."""
        return all(facts.get(key) == value for key, value in self.when)

    @property
    def precedence(self) -> tuple[int, int, bool, tuple[str, ...]]:
        """More guards win, then the rank; `you` only chooses among what is otherwise equal."""
        others = [guard for guard in self.when if guard[0] != "you"]
        return (len(others), self.rank, len(others) < len(self.when), tuple(map(str, self.when)))


@dataclass(frozen=True, slots=True)
class Choice:
    """The variants that fit best, and the name of the bag that they are drawn from."""

    bag: str
    texts: tuple[str, ...]


@cache
def grammar() -> Mapping[str, tuple[Variant, ...]]:
    """The shipped grammar: every `grammar*.yaml` beside this file, no group in two of them."""
    folder = resources.files(__package__)
    files = sorted(
        one.name for one in folder.iterdir() if one.name.startswith("grammar") and one.name.endswith(".yaml")
    )
    groups: dict[str, Any] = {}
    for name in files:
        groups |= yaml.safe_load(folder.joinpath(name).read_text("utf-8"))
    return MappingProxyType({name: tuple(map(_variant, rows)) for name, rows in groups.items()})


def _variant(row: str | dict[str, Any]) -> Variant:
    if isinstance(row, str):
        return Variant(row)
    return Variant(row["text"], tuple(sorted(row.get("when", {}).items())), row.get("rank", 0))


def choose(group: str, facts: Facts) -> Choice:
    """The best-guarded variants of a group.

    Raises:
        KeyError: no such group, or nothing in it fits the facts: a mistake in the grammar.
    """
    fitting = [variant for variant in grammar()[group] if variant.fits(facts)]
    if not fitting:
        raise KeyError(f"grammar group {group!r} has nothing for {dict(facts)}")
    best = max(variant.precedence for variant in fitting)
    texts = tuple(variant.text for variant in fitting if variant.precedence == best)
    guards = ",".join(f"{key}={value}" for key, value in next(v.when for v in fitting if v.precedence == best))
    return Choice(f"{group}?{guards}" if guards else group, texts)
