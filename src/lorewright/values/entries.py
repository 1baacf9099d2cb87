"""A campaign's turns -> which entries stay and which stay away in the next one, and the dice that are thrown for them.

What a turn found stands in its own record, beside the stages': so it goes back with whoever goes back, and every branch
has its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import Field, ValidationError

from lorewright.retrieval.entry_history import SIDES, EntryHistory
from lorewright.rules.dice import SeededDice
from lorewright.storage.database import Database
from lorewright.storage.entry_rows import entries_json
from lorewright.world.frozen import Frozen, FrozenMap
from lorewright.world.state import WorldState


class EntriesFound(Frozen):
    """What a turn left: its number, counting those in which entries had rules, and when each section that stays or
    stays away was found, by its ID."""

    turn: int = Field(ge=1)
    found: FrozenMap[str, int] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EntryDice:
    """The throws of one turn: of the campaign's seed, the state that the turn begins with, its number and the entry."""

    seed: int
    state_hash: str
    turn: int

    def __call__(self, entry_id: str) -> int:
        """The throw of an entry, from 1."""
        dice = SeededDice(self.seed, self.state_hash, f"entries of turn {self.turn}")
        return dice.roll(f"1d{SIDES}", purpose="entry", actor_id=entry_id).total


def entry_history(database: Database, seed: int, turn_id: str, state: WorldState) -> EntryHistory:
    """What the turn that follows another one has to go by; `state` is the one after that."""
    left = _left(entries_json(database, turn_id))
    turn = 1 if left is None else left.turn + 1
    return EntryHistory(turn, {} if left is None else dict(left.found), EntryDice(seed, state.truth_hash(), turn))


def _left(text: str | None) -> EntriesFound | None:
    """What cannot be read is as if nothing had been found."""
    try:
        return None if text is None else EntriesFound.model_validate_json(text)
    except ValidationError:
        return None
