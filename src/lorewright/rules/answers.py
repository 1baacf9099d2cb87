"""Answer: what an Outcome says beside who did what."""

from __future__ import annotations

from dataclasses import dataclass

from lorewright.rules.outcomes import OutcomeCode
from lorewright.rules.rulesets import BandName


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of an attempt; `roll` is the place of the dice among the patch's rolls, `minutes` what a check added
    to or took from the cost in time."""

    code: OutcomeCode
    known_item_ids: tuple[str, ...] = ()
    fact_ids: tuple[str, ...] = ()
    band: BandName | None = None
    roll: int | None = None
    say: tuple[str, ...] = ()
