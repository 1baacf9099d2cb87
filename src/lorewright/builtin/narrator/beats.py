"""Beat: one thing to be told, typed: a group of the grammar with facts and slots, authored text, or both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from lorewright.builtin.narrator.grammar import Facts

Kind = Literal[
    "lead", "outcome", "evidence", "price", "gain", "atmosphere", "people", "things", "exits",
    "movement", "reaction", "pressure", "help", "filler", "ending", "act", "aside", "quiet",
]  # fmt: skip

# How a beat goes on from the one before it: with the next thing, or in answer to it.
Joint = Literal["", "next", "answer"]

# What is dropped first where a telling is too long. Outcome, act, evidence, price and ending never are.
SALIENCE: Mapping[Kind, int] = MappingProxyType(
    {
        "lead": 75, "movement": 80, "gain": 70, "help": 65, "pressure": 60, "people": 55, "exits": 50, "atmosphere": 45,
        "things": 35, "reaction": 30, "aside": 20, "quiet": 15, "filler": 10,
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Person:
    """A person as a slot: the name, and the pronoun for where it is clear who is meant."""

    id: str
    name: str
    pronoun: str = "they"


Slot = str | Person


@dataclass(frozen=True, slots=True)
class Beat:
    """What is told with a sentence of ours (`group`), with `authored` text after it, or with that alone.

    `plural` is for verbs that agree with a list. `cites` and `keys` are what the text quotes and uses up.
    `continues` goes on with what somebody was saying. `joint` is how an act follows on what was told before it.
    """

    kind: Kind
    group: str = ""
    facts: Facts = field(default_factory=dict)
    slots: Mapping[str, Slot] = field(default_factory=dict)
    plural: bool = False
    authored: str = ""
    is_speech: bool = False
    cites: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    starts_paragraph: bool = False
    continues: bool = False
    joint: Joint = ""

    @property
    def is_kept(self) -> bool:
        """Whether it must be told however long the telling gets."""
        return self.kind not in SALIENCE
