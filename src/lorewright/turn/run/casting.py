"""Models by stage -> the stages of a turn. A stage without a model is built in."""

from __future__ import annotations

from collections.abc import Mapping

from lorewright.errors import SettingsError
from lorewright.llm.model import Model
from lorewright.llm.prompt import Prompts
from lorewright.rules.rulesets import TurnProfile
from lorewright.turn.stages.extract.stage import Extract
from lorewright.turn.stages.inner.stage import CharacterExtract, PersonaExtract
from lorewright.turn.stages.interpret.stage import Interpret
from lorewright.turn.stages.narrate.stage import Narrate
from lorewright.turn.stages.npc_intent.stage import Intend
from lorewright.turn.stages.plan.stage import Plan
from lorewright.turn.stages.resolution.stage import Resolve
from lorewright.turn.stages.stages import Stages
from lorewright.turn.stages.summarise.stage import Summarise

# The stages of a turn, by the names that their prompts have.
STAGES = (
    *(Interpret.name, Plan.name, Resolve.name, Narrate.name, Extract.name),
    *(Intend.name, PersonaExtract.name, CharacterExtract.name, Summarise.name),
)


# Those of a turn in which others act of their own accord.
_OF_SEVERAL = (Intend.name, PersonaExtract.name, CharacterExtract.name)


def stages_of(profile: TurnProfile) -> tuple[str, ...]:
    """The stages that a turn of a profile may run."""
    return tuple(stage for stage in STAGES if profile != "freeform" or stage not in _OF_SEVERAL)


def make_stages(models: Mapping[str, Model], prompts: Prompts | None = None) -> Stages:
    """The stages, each with its model if it has one; without prompts they are shown their whole input as JSON.

    Raises:
        SettingsError: a model was given to a stage that there is not.
    """
    unknown = sorted(set(models) - set(STAGES))
    if unknown:
        raise SettingsError(f"there is no stage {unknown[0]}", hint=f"one of {', '.join(STAGES)}")
    return Stages(
        interpret=Interpret(models.get(Interpret.name), prompts),
        plan=Plan(models.get(Plan.name), prompts),
        resolve=Resolve(models.get(Resolve.name), prompts),
        narrate=Narrate(models.get(Narrate.name), prompts),
        extract=Extract(models.get(Extract.name), prompts),
        npc_intent=Intend(models.get(Intend.name), prompts),
        persona_extractor=PersonaExtract(models.get(PersonaExtract.name), prompts),
        character_extractor=CharacterExtract(models.get(CharacterExtract.name), prompts),
        summarise=Summarise(models.get(Summarise.name), prompts),
    )
