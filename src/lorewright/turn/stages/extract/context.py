"""What the lore extractor's prompt is filled in with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from lorewright.rules.patch import Outcome
from lorewright.turn.stages.variables import LoreVariables, PromptContext, in_words
from lorewright.values.proposals import ExtractorInput
from lorewright.world.frozen import Frozen

_FACTS = 40


class ListedEntity(Frozen):
    """Somebody or something by ID and name."""

    id: str
    name: str


class TurnNarration(Frozen):
    """The turn at hand: what was told, and what code knows to have happened."""

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
    """The lore extractor's variables, of its input."""
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


def _outcome(one: Outcome, names: Mapping[str, str]) -> str:
    about = [names.get(named, named) for named in (one.actor_id, one.target_id) if named]
    tried = " ".join([about[0], one.type, *about[1:]])
    return f"{tried}: {one.code}{f' ({one.band})' if one.band else ''}"


def _listed(names: Mapping[str, str]) -> tuple[ListedEntity, ...]:
    return tuple(ListedEntity(id=one, name=name) for one, name in sorted(names.items()))
