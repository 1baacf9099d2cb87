"""One of a scenario's cast as its author writes them: where they are, what they feel, what they do by themselves."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from lorewright.rules.actions import Deed
from lorewright.rules.conditions import ClockIs, Condition
from lorewright.rules.effects import Effect
from lorewright.rules.rulesets import Profile
from lorewright.world.frozen import Frozen, FrozenMap
from lorewright.world.inner import CharacterState

# Whom the player may play, as a scenario's author writes them.

# Text that says something; spaces at its ends are kept.
Written = Annotated[str, Field(pattern=r"\S")]


class ScenarioMemory(Frozen):
    """Something that a character remembers from the start, and how much it matters to them."""

    content: str = Field(min_length=1, max_length=500)
    importance: int = Field(default=3, ge=1, le=5)


class ScenarioPlayer(Frozen):
    """Who the player is, what moves them (`states`), and what they remember from the start (`observations`)."""

    name: str = "the traveller"
    pronoun: Literal["he", "she", "they", "it"] = "they"
    items: tuple[str, ...] = ()
    traits: FrozenMap[str, int] = Field(default_factory=dict)
    profile: FrozenMap[str, Any] = Field(default_factory=dict)
    states: FrozenMap[str, CharacterState] = Field(default_factory=dict)
    conditions: tuple[str, ...] = ()
    observations: tuple[ScenarioMemory, ...] = ()


class ScenarioPersona(ScenarioPlayer):
    """Somebody else whom the player may play: where they are at the start (where the story starts, if it is not said),
    and how much some of the cast trust them."""

    name: Written
    at: str | None = None
    aliases: tuple[str, ...] = ()
    trust: FrozenMap[str, int] = Field(default_factory=dict)


# A sentence of an act, and what somebody thinks at it; a record of a turn holds no more (characters).
_SAID = 600
# Sentences of one act: more is a scene.
_SENTENCES = 5


class AgendaStep(Frozen):
    """What a character does once a clock has risen to `min`: effects, or the name of one of the scenario's `deeds`."""

    when: ClockIs
    do: str | tuple[Effect, ...]


class ScenarioAct(Frozen):
    """Something that a character does of their own accord when their turn comes and `when` holds; without an `id` it is
    called by its number, `act_1`. `say` tells it as one sees it: a sentence, or several."""

    id: str = Field(default="", pattern=r"^[a-z0-9_]*$")
    when: Condition | None = None
    do: Deed
    say: tuple[Annotated[str, Field(pattern=r"\S", max_length=_SAID)], ...] = Field(default=(), max_length=_SENTENCES)
    thought: str = Field(default="", max_length=_SAID)
    once: bool = False

    @field_validator("say", mode="before")
    @classmethod
    def _one_sentence(cls, data: Any) -> Any:
        return (data,) if isinstance(data, str) else data


class ScenarioCast(Frozen):
    """Where a character is at the start (`offstage`: nowhere yet), how much they trust the player, what they will
    do; who they are (`profile`), what they are in (`conditions`), what moves them (`states`), how far they go, what
    they remember (`observations`).

    `baked` ones act in every turn in which they are there, others roll against their `chattiness`; where neither is
    said, what their file in a pack says holds. `acts` are what they do of their own accord.
    """

    at: str
    trust: int = 0
    name: str | None = None
    aliases: tuple[str, ...] = ()
    pronoun: Literal["he", "she", "they", "it"] | None = None
    baked: bool | None = None
    chattiness: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False)
    acts: tuple[ScenarioAct, ...] = ()
    agenda: tuple[AgendaStep, ...] = ()
    profile: FrozenMap[str, Any] = Field(default_factory=dict)
    conditions: tuple[str, ...] = ()
    states: FrozenMap[str, CharacterState] = Field(default_factory=dict)
    escalation: Profile = Field(default_factory=dict)
    observations: tuple[ScenarioMemory, ...] = ()
