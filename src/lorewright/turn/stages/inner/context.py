"""InnerInput -> the variables of the extractors' prompts: states, intention, thoughts, and narrations before."""

from __future__ import annotations

from typing import ClassVar

from lorewright.turn.stages.standing import memory_in_words
from lorewright.turn.stages.variables import (
    NOBODY,
    CharInside,
    MessageVariables,
    PlayerVariables,
    PromptContext,
    StateVariable,
    message_variables,
    state_variables,
)
from lorewright.values.inner import InnerInput


class PersonaExtractorContext(PromptContext):
    """The persona extractor's variables: `msgs` are narrations of before this round, `intention` and `thoughts` the
    persona's own, `observations` its memories with their weight; `all_states` has the latent ones."""

    stable: ClassVar[tuple[str, ...]] = ("player_name",)

    player_name: str = NOBODY
    player: PlayerVariables
    all_states: tuple[StateVariable, ...] = ()
    observations: tuple[str, ...] = ()
    msgs: tuple[MessageVariables, ...] = ()
    thoughts: tuple[str, ...] = ()
    intention: str


class CharacterExtractorContext(PromptContext):
    """The character extractor's variables, as the persona's; `char.all_states` has the latent states."""

    stable: ClassVar[tuple[str, ...]] = ()

    player_name: str = NOBODY
    char: CharInside
    observations: tuple[str, ...] = ()
    msgs: tuple[MessageVariables, ...] = ()
    thoughts: tuple[str, ...] = ()
    intention: str


def persona_extractor_context(given: InnerInput) -> PersonaExtractorContext:
    """Return the persona extractor's variables, from its input."""
    return PersonaExtractorContext(
        player_name=given.name or NOBODY,
        player=PlayerVariables(description=given.description, states=state_variables(given.all_states, latent=False)),
        all_states=state_variables(given.all_states, latent=True),
        observations=tuple(memory_in_words(memory, given.names) for memory in given.remembers),
        msgs=_told_before(given),
        thoughts=given.thoughts,
        intention=given.intention,
    )


def character_extractor_context(given: InnerInput) -> CharacterExtractorContext:
    """Return the character extractor's variables, from its input."""
    return CharacterExtractorContext(
        player_name=given.player_name or NOBODY,
        char=CharInside(
            name=given.name,
            description=given.description,
            all_states=state_variables(given.all_states, latent=True),
        ),
        observations=tuple(memory_in_words(memory, given.names) for memory in given.remembers),
        msgs=_told_before(given),
        thoughts=given.thoughts,
        intention=given.intention,
    )


def _told_before(given: InnerInput) -> tuple[MessageVariables, ...]:
    told_to = given.name if given.is_persona else given.player_name
    return message_variables(given.narrations, lambda who: given.names.get(who, who), told_to=told_to)
