"""ExtractorInput -> the variables of the lore extractor's prompt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from lorewright.turn.stages.standing import established_in_words, witnessed_in_words
from lorewright.turn.stages.variables import LoreVariables, PromptContext
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
    """The lore extractor's variables: the new narration alone, and what is on record already (`lore`). `scene_state` is
    the ruleset's scene, `writable` the values of it that a narration may change; `relations` how people stand to each
    other, which a narration may move where `moves_relations`."""

    stable: ClassVar[tuple[str, ...]] = ()

    turn: TurnNarration
    lore: LoreVariables = LoreVariables()
    player_id: str
    place_id: str
    present: tuple[ListedEntity, ...] = ()
    things: tuple[ListedEntity, ...] = ()
    threads: tuple[str, ...] = ()
    scene_state: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    moves_relations: bool = False


def lore_extractor_context(given: ExtractorInput) -> LoreExtractorContext:
    """Return the lore extractor's variables, from its input."""
    names = {**given.present, **given.things}
    happened = tuple(witnessed_in_words(outcome, names, heard=False) for outcome in given.outcomes)
    facts = [
        established_in_words(
            str(fact.get("subject_id")), str(fact.get("predicate")), fact.get("object", fact.get("detail")), names
        )
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
        scene_state=given.scene_in_words,
        writable=tuple(f"{path.removeprefix('scene.')}, a {kind}" for path, kind in given.writable.items()),
        relations=given.relations,
        moves_relations=given.moves_relations,
    )


def _listed(names: Mapping[str, str]) -> tuple[ListedEntity, ...]:
    return tuple(ListedEntity(id=entity_id, name=name) for entity_id, name in sorted(names.items()))
