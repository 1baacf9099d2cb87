"""What the extractors' prompts are filled in with: the lore extractor by its input, those of persona and character by
states, words and what was told before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from lorewright.rules.outcomes import Outcome
from lorewright.turn.inner import InnerInput
from lorewright.turn.prompting.variables import (
    NOBODY,
    CharInside,
    Context,
    LoreVariables,
    MessageVariables,
    PlayerVariables,
    StateVariable,
    in_words,
    message_variables,
    state_variables,
)
from lorewright.turn.proposals import ExtractorInput
from lorewright.world.frozen import Frozen

_FACTS = 40


class Listed(Frozen):
    """Somebody or something by ID and name."""

    id: str
    name: str


class TurnNarration(Frozen):
    """The turn at hand: what was told, and what code knows to have happened."""

    narration: str
    happened: tuple[str, ...] = ()


class LoreExtractorContext(Context):
    """The lore extractor's variables: the new narration alone, and what is on record already (`lore`)."""

    stable: ClassVar[tuple[str, ...]] = ()

    turn: TurnNarration
    lore: LoreVariables = LoreVariables()
    player_id: str
    place_id: str
    present: tuple[Listed, ...] = ()
    things: tuple[Listed, ...] = ()
    threads: tuple[str, ...] = ()


class PersonaExtractorContext(Context):
    """The persona extractor's variables: `msgs` are narrations of before this round, `intention` and `thoughts` the
    persona's own; `all_states` has the latent ones."""

    stable: ClassVar[tuple[str, ...]] = ("player_name",)

    player_name: str = NOBODY
    player: PlayerVariables
    all_states: tuple[StateVariable, ...] = ()
    msgs: tuple[MessageVariables, ...] = ()
    thoughts: tuple[str, ...] = ()
    intention: str


class CharacterExtractorContext(Context):
    """The character extractor's variables, as the persona's; `char.all_states` has the latent states."""

    stable: ClassVar[tuple[str, ...]] = ()

    player_name: str = NOBODY
    char: CharInside
    msgs: tuple[MessageVariables, ...] = ()
    thoughts: tuple[str, ...] = ()
    intention: str


def lore_extractor_context(given: ExtractorInput) -> LoreExtractorContext:
    """The lore extractor's variables, of its input."""
    names = {**given.present, **given.things}
    happened = tuple(_outcome(one, names) for one in given.outcomes)
    facts = [
        f"{names.get(str(one.get('subject_id')), one.get('subject_id'))}: {one.get('predicate')}: "
        f"{in_words(one.get('object', one.get('detail')))}"
        for one in given.facts[:_FACTS]
    ]
    return LoreExtractorContext(
        turn=TurnNarration(narration=given.narration, happened=happened),
        lore=LoreVariables(text="\n".join(facts)),
        player_id=given.player_id,
        place_id=given.place_id,
        present=_listed(given.present),
        things=_listed(given.things),
        threads=tuple(f"{one.get('id')}: {one.get('title')} ({one.get('status')})" for one in given.threads),
    )


def persona_extractor_context(given: InnerInput) -> PersonaExtractorContext:
    """The persona extractor's variables, of its input."""
    return PersonaExtractorContext(
        player_name=given.name or NOBODY,
        player=PlayerVariables(description=given.description, states=state_variables(given.all_states, latent=False)),
        all_states=state_variables(given.all_states, latent=True),
        msgs=_told_before(given),
        thoughts=given.thoughts,
        intention=given.intention,
    )


def character_extractor_context(given: InnerInput) -> CharacterExtractorContext:
    """The character extractor's variables, of its input."""
    return CharacterExtractorContext(
        player_name=given.player_name or NOBODY,
        char=CharInside(
            name=given.name,
            description=given.description,
            states=state_variables(given.all_states, latent=False),
            all_states=state_variables(given.all_states, latent=True),
        ),
        msgs=_told_before(given),
        thoughts=given.thoughts,
        intention=given.intention,
    )


def _told_before(given: InnerInput) -> tuple[MessageVariables, ...]:
    return message_variables(given.narrations, lambda who: given.names.get(who, who))


def _outcome(one: Outcome, names: Mapping[str, str]) -> str:
    about = [names.get(named, named) for named in (one.actor_id, one.target_id) if named]
    tried = " ".join([about[0], one.type, *about[1:]])
    return f"{tried}: {one.code}{f' ({one.band})' if one.band else ''}"


def _listed(names: Mapping[str, str]) -> tuple[Listed, ...]:
    return tuple(Listed(id=one, name=name) for one, name in sorted(names.items()))
