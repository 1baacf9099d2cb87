"""What a narration established, or tried to -> entries of the campaign's lorebook."""

from __future__ import annotations

from lorewright.values.kept import LorebookEntry
from lorewright.values.proposals import EstablishedFact
from lorewright.world.things import Fact

# What a narration established is less sure than what code did.
NARRATED_CONFIDENCE = 0.8


def entry_of(fact: Fact) -> LorebookEntry:
    """The lorebook's entry of a fact that was established."""
    return LorebookEntry(
        subject_id=fact.subject_id,
        predicate=fact.predicate,
        detail=str(fact.object),
        confidence=fact.confidence,
        fact_id=fact.id,
    )


def flagged_entry(fact: EstablishedFact, subject: str, predicate: str, *, against: str) -> LorebookEntry:
    """The entry of what speaks against something established, which stays as it is."""
    return LorebookEntry(
        subject_id=subject,
        predicate=predicate,
        detail=" ".join(fact.detail.split()),
        confidence=round(NARRATED_CONFIDENCE * fact.confidence, 4),
        flag="contradicts",
        against=against,
    )
