"""What a campaign knows of its entries: the turn at hand, when each was last found, and the dice. All that sticky,
cooldown and probability need; what makes it is the play half's matter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from lorewright.index.entry_rules import entry_rules_of
from lorewright.index.generation import Generation
from lorewright.packs.models import EntryRules

# A throw is a whole number from 1 to this.
SIDES = 1000

Standing = Literal["sticky", "cooldown"]


@dataclass(frozen=True, slots=True)
class EntryHistory:
    """The turn at hand, counted along its own branch from 1; the turn in which each section with a sticky or a cooldown
    was found, by its ID; and the throw of an entry, the same however often it is asked for in a turn."""

    turn: int
    found: Mapping[str, int]
    throw: Callable[[str], int]

    def standing(self, section_id: str, rules: EntryRules) -> tuple[Standing, int] | None:
        """Whether a section stays or stays away in this turn, and for how many turns more after it; None where it is
        free to be found.

        Found in turn 4, sticky 3, cooldown 5: it stays in 5 to 7, and stays away in 8 to 12.
        """
        found = self.found.get(section_id)
        since = 0 if found is None else self.turn - found
        if since < 1 or since > rules.sticky + rules.cooldown:
            return None
        if since <= rules.sticky:
            return "sticky", rules.sticky - since
        return "cooldown", rules.sticky + rules.cooldown - since

    def after(self, answered: Iterable[str], generations: Iterable[Generation]) -> dict[str, int]:
        """`found` as the turn leaves it, by section ID: what of the chunks in its answers was found anew, and what
        still stays or stays away."""
        rules = {
            chunk_id.partition("~")[0]: one
            for generation in generations
            for chunk_id, one in entry_rules_of(generation).items()
            if one.sticky or one.cooldown
        }
        sections = {chunk_id.partition("~")[0] for chunk_id in answered} & rules.keys()
        standing = {one for one in self.found.keys() & rules.keys() if self.standing(one, rules[one]) is not None}
        kept = {one: self.found[one] for one in standing}
        return dict(sorted((kept | dict.fromkeys(sections - standing, self.turn)).items()))


def has_entry_rules(generations: Iterable[Generation]) -> bool:
    """Whether any entry of the packs has rules."""
    return any(entry_rules_of(generation) for generation in generations)
