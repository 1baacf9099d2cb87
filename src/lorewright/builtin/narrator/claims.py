"""What the player claims, checked -> beats: what does not hold is denied, by whoever it was put to."""

from __future__ import annotations

from collections.abc import Iterator

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.beats import Beat
from lorewright.rules.outcomes import Outcome
from lorewright.values.premise import Premise
from lorewright.values.records import NarratorInput


def claim_beats(given: NarratorInput, outcome: Outcome) -> list[Beat] | None:
    """What is answered to the claim that an attempt is; None where it is none, or where the record or what was told
    answers for itself."""
    if outcome.type != "recall" or outcome.code == "blocked":
        return None
    premise = next((one for one in given.premises if one.words == outcome.words), None)
    if premise is None or outcome.code in ("recalled", "told_before"):
        return None
    beat = _beat(given, premise, outcome.target_id)
    return None if beat is None else [beat]


def other_claims(given: NarratorInput) -> Iterator[Beat]:
    """What was taken for granted beside something else, and does not hold."""
    answered = {outcome.words for outcome in given.outcomes if outcome.type == "recall"}
    for premise in given.premises:
        if premise.words not in answered and not premise.holds:
            beat = _beat(given, premise, premise.put_to)
            if beat is not None:
                yield beat


def _beat(given: NarratorInput, premise: Premise, who_id: str | None) -> Beat | None:
    """Said by whoever is spoken to and here."""
    who = views.person(given, who_id)
    if who is None or all(view.id != who_id for view in given.scene.people):
        return None
    return Beat("outcome", _group(given, premise, who_id), {}, {"who": who})


def _group(given: NarratorInput, premise: Premise, who_id: str | None) -> str:
    ends = "true" if premise.holds else "false"
    if premise.kind == "owns":
        return f"claim.owns.{ends}"
    if who_id not in (premise.by, premise.to):
        return f"claim.of_others.{ends}"
    if premise.by == given.player_id:
        return f"claim.yours.{ends}"
    return f"claim.{'said' if premise.asks else premise.kind}.{ends}"
