"""A narration that a model wrote -> what the extractor is shown of it, and what that is so it speaks against."""

from __future__ import annotations

from lorewright.turn.checks.accepting import Accepted
from lorewright.values.known_facts import facts_shown
from lorewright.values.proposals import ExtractorInput
from lorewright.values.records import NarratorInput
from lorewright.world.state import Fact, WorldState

_FIELDS = {"subject_id", "predicate", "object"}


def extractor_input(narration: str, given: NarratorInput, state: WorldState) -> ExtractorInput:
    """What the player may know of the scene that the turn ended in, and nothing else."""
    place = state.scene.location_id
    things = [*state.held_by(place), *state.held_by(state.player_id)]
    here = [place, *state.present(), *things]
    facts = [fact for fact in facts_shown(state, here, hidden=False) if fact.subject_id in here]
    open_threads = [thread for _, thread in sorted(state.threads.items()) if thread.status == "open"]
    return ExtractorInput(
        narration=narration,
        outcomes=given.outcomes,
        place_id=place,
        player_id=state.player_id,
        present={who: state.name_of(who) for who in state.present()},
        things={thing: state.name_of(thing) for thing in things},
        facts=tuple(fact.model_dump(mode="json", include=_FIELDS) for fact in facts),
        threads=tuple({"id": one.id, "title": one.title, "status": one.status} for one in open_threads),
    )


def contradicted(record: Accepted, state: WorldState) -> str | None:
    """What of the established a narration speaks against, for whoever wrote it; None where it does not.

    What was itself only narrated may have changed since; and of what the player does not know, no more is said than
    that it is not so.
    """
    for refused in record.refused:
        if refused.reason != "contradicts_fact":
            continue
        subject, predicate = str(refused.proposal["subject_id"]), str(refused.proposal["predicate"])
        known = [fact for fact in state.facts_about(subject) if _key(fact.predicate) == _key(predicate)]
        firm = [fact for fact in known if not fact.is_only_told]
        if firm:
            said = f"{predicate}: {_ended(refused.proposal['detail'])}"
            return f"it says of {state.name_of(subject)}: {said} {_rather(firm[0])}"
    return None


def _rather(fact: Fact) -> str:
    return f"What is so: {fact.predicate}: {_ended(fact.object)}" if fact.visibility == "player" else "That is not so."


def _ended(said: object) -> str:
    """As a sentence, with one full stop."""
    return f"{str(said).rstrip('.')}."


def _key(predicate: str) -> str:
    return "".join(one for one in predicate.lower() if one.isalnum())
