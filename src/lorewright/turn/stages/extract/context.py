"""ExtractorInput -> the variables of the lore extractor's prompt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from lorewright.rules.patch import Outcome
from lorewright.turn.stages.variables import LoreVariables, PromptContext, in_words
from lorewright.values.proposals import ExtractorInput
from lorewright.world.frozen import Frozen

_FACTS = 40


class ListedEntity(Frozen):
    """An entity by ID and name."""

    id: str
    name: str


class TurnNarration(Frozen):
    """The current turn: its narration, and what code knows to have happened."""

    narration: str
    happened: tuple[str, ...] = ()


class LoreExtractorContext(PromptContext):
    """The lore extractor's variables: the new narration alone, and what is on record already (`lore`)."""

    stable: ClassVar[tuple[str, ...]] = ()

    turn: TurnNarration
    lore: LoreVariables = LoreVariables()
    player_id: str
    place_id: str
    present: tuple[ListedEntity, ...] = ()
    things: tuple[ListedEntity, ...] = ()
    threads: tuple[str, ...] = ()


def lore_extractor_context(given: ExtractorInput) -> LoreExtractorContext:
    """Return the lore extractor's variables, from its input."""
    names = {**given.present, **given.things}
    happened = tuple(_outcome(outcome, names) for outcome in given.outcomes)
    facts = [
        f"{names.get(str(fact.get('subject_id')), fact.get('subject_id'))}: {fact.get('predicate')}: "
        f"{in_words(fact.get('object', fact.get('detail')))}"
        for fact in given.facts[:_FACTS]
    ]
    return LoreExtractorContext(
        turn=TurnNarration(narration=given.narration, happened=happened),
        lore=LoreVariables(text="\n".join(facts)),
        player_id=given.player_id,
        place_id=given.place_id,
        present=_listed(given.present),
        things=_listed(given.things),
        threads=tuple(
            f"{thread.get('id')}: {thread.get('title')} ({thread.get('status')})" for thread in given.threads
        ),
    )


def _outcome(outcome: Outcome, names: Mapping[str, str]) -> str:
    about = [names.get(named, named) for named in (outcome.actor_id, outcome.target_id) if named]
    tried = " ".join([about[0], outcome.type, *about[1:]])
    return f"{tried}: {outcome.code}{f' ({outcome.band})' if outcome.band else ''}"


def _listed(names: Mapping[str, str]) -> tuple[ListedEntity, ...]:
    return tuple(ListedEntity(id=entity_id, name=name) for entity_id, name in sorted(names.items()))
