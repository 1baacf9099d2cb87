"""The stages that a model may run, together."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, TypeVar

from pydantic import BaseModel

from lorewright.errors import SettingsError
from lorewright.llm.model import Model
from lorewright.llm.prompt_library import PromptLibrary, load_stored_template
from lorewright.llm.prompt_template import Prompts, PromptTemplate
from lorewright.rules.rulesets import TurnProfile
from lorewright.storage.annotation_rows import PromptPin, pin_prompts, prompt_pins
from lorewright.storage.database import Database
from lorewright.turn.stages.extract.context import LoreExtractorContext
from lorewright.turn.stages.extract.stage import Extract
from lorewright.turn.stages.inner.context import CharacterExtractorContext, PersonaExtractorContext
from lorewright.turn.stages.inner.stage import CharacterExtract, PersonaExtract
from lorewright.turn.stages.interpret.context import InterpreterContext
from lorewright.turn.stages.interpret.stage import Interpret, ReadTurn
from lorewright.turn.stages.narrate.context import NarratorContext
from lorewright.turn.stages.narrate.stage import Narrate, Prose
from lorewright.turn.stages.npc_intent.context import NpcIntentContext
from lorewright.turn.stages.npc_intent.stage import Intend, Reflection
from lorewright.turn.stages.plan.context import PlannerContext
from lorewright.turn.stages.plan.stage import Plan
from lorewright.turn.stages.resolution.context import ResolutionContext
from lorewright.turn.stages.resolution.stage import Resolve
from lorewright.turn.stages.stage import RecordedRuns, Stage
from lorewright.turn.stages.summarise.context import SummariserContext
from lorewright.turn.stages.summarise.stage import Summarise
from lorewright.turn.stages.variables import RecapContext, RepairContext, SummaryOutput
from lorewright.values.annotations import SummariserInput, SummariserOutput
from lorewright.values.inner import InnerInput, StateExtractorOutput
from lorewright.values.packet import ContextPacket
from lorewright.values.proposals import (
    ExtractorInput,
    ExtractorOutput,
    NpcIntentInput,
    ResolutionInput,
    ResolutionOutput,
)
from lorewright.values.records import InterpreterInput, NarratorInput, PlannerInput, PlannerOutput

# A campaign's file and the library -> the prompts that the campaign uses: the pinned ones, with the text that they had
# then.


def pinned_library(database: Database, library: PromptLibrary) -> PromptLibrary:
    """Return the library with a campaign's pins in force. A pinned prompt is read from the campaign's file, so that it
    is the same on another machine and after its file was edited.

    Raises:
        PromptError: a stored text cannot be read as a prompt.
    """
    kept = (load_stored_template(pin.source, name=pin.name, version=pin.version) for pin in prompt_pins(database))
    return library.pinned(kept)


def pin_prompt(database: Database, library: PromptLibrary, name: str, version: str) -> PromptTemplate:
    """Pin a version of a prompt for a campaign, from the next turn on, and return it.

    Raises:
        NotFound: there is no such prompt or version; nothing was written.
        PromptError: it cannot be read as a prompt; nothing was written.
    """
    template = library.get(name, version)
    pin_prompts(database, _pins([template]))
    return template


def pins_in_force(library: PromptLibrary) -> list[PromptPin]:
    """Return the pins of every prompt in the version that is in force.

    Raises:
        PromptError: a prompt cannot be read.
    """
    return _pins(library.in_force())


def _pins(templates: Iterable[PromptTemplate]) -> list[PromptPin]:
    return [
        PromptPin(template.name, template.version, template.content_hash, template.source) for template in templates
    ]


# The JSON Schemas of every stage that a model may run: its input, its prompt's variables, its output.

# Prompt -> part (`input`: the stage's input; `context`: what of it the prompt shows; `output`: a model's answer) -> the
# type. A prompt without an input is filled in from its context alone.
STAGE_TYPES: Mapping[str, Mapping[str, type[BaseModel]]] = MappingProxyType(
    {
        "interpreter": {"input": InterpreterInput, "context": InterpreterContext, "output": ReadTurn},
        "planner": {"input": PlannerInput, "context": PlannerContext, "output": PlannerOutput},
        "narrator": {"input": NarratorInput, "context": NarratorContext, "output": Prose},
        "resolution": {"input": ResolutionInput, "context": ResolutionContext, "output": ResolutionOutput},
        "lore_extractor": {"input": ExtractorInput, "context": LoreExtractorContext, "output": ExtractorOutput},
        "npc_intent": {"input": NpcIntentInput, "context": NpcIntentContext, "output": Reflection},
        "persona_extractor": {"input": InnerInput, "context": PersonaExtractorContext, "output": StateExtractorOutput},
        "character_extractor": {
            "input": InnerInput,
            "context": CharacterExtractorContext,
            "output": StateExtractorOutput,
        },
        "summariser": {"input": SummariserInput, "context": SummariserContext, "output": SummariserOutput},
        "recap": {"context": RecapContext, "output": SummaryOutput},
        "repair": {"context": RepairContext},
    }
)


def schema_files(types: Mapping[str, Mapping[str, type[BaseModel]]] = STAGE_TYPES) -> Iterator[tuple[str, str]]:
    """Yield (file name, text) of every schema, such as `narrator.output.json`: of inputs and contexts as they are
    serialised, of outputs as they are validated; and that of the context packet, which is part of inputs."""
    for name, parts in types.items():
        for part, model in parts.items():
            schema = model.model_json_schema(mode="validation" if part == "output" else "serialization")
            yield f"{name}.{part}.json", _schema_text(schema)
    yield "context_packet.json", _schema_text(ContextPacket.model_json_schema(mode="serialization"))


def _schema_text(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


# The stages of a turn.


@dataclass(frozen=True, slots=True)
class Stages:
    """The stages of a turn, each built in or with its model."""

    interpret: Interpret
    plan: Plan
    resolve: Resolve
    narrate: Narrate
    extract: Extract
    npc_intent: Intend = field(default_factory=Intend)
    persona_extractor: PersonaExtract = field(default_factory=PersonaExtract)
    character_extractor: CharacterExtract = field(default_factory=CharacterExtract)
    summarise: Summarise = field(default_factory=Summarise)

    def __iter__(self) -> Iterator[Stage[Any, Any, Any]]:
        """Yield all stages."""
        return (getattr(self, stage.name) for stage in fields(self))

    @property
    def are_builtin(self) -> bool:
        """Return True if no stage has a model, so that a turn can be thought again at no cost."""
        return all(stage.is_builtin for stage in self)


# Models by stage -> the stages of a turn. A stage without a model is built in.

# By the names that their prompts have.
STAGES = (
    *(Interpret.name, Plan.name, Resolve.name, Narrate.name, Extract.name),
    *(Intend.name, PersonaExtract.name, CharacterExtract.name, Summarise.name),
)
_Stage = TypeVar("_Stage", bound=Stage[Any, Any, Any])
# The recorded runs of a new turn.
NO_RUNS: Mapping[str, RecordedRuns] = MappingProxyType({})
# Returns the stages of a turn: by the models of stages, the prompts, and the recorded runs of stages.
MakeStages = Callable[[Mapping[str, Model], Prompts | None, Mapping[str, RecordedRuns]], Stages]
# The stages in which other characters act of their own accord.
_OF_SEVERAL = (Intend.name, PersonaExtract.name, CharacterExtract.name)


def stages_of(profile: TurnProfile) -> tuple[str, ...]:
    """Return the stages that a turn of a profile may run."""
    return tuple(stage for stage in STAGES if profile != "freeform" or stage not in _OF_SEVERAL)


def make_stages(
    models: Mapping[str, Model], prompts: Prompts | None = None, recorded: Mapping[str, RecordedRuns] = NO_RUNS
) -> Stages:
    """Return the stages, each with its model if it has one, and with its recorded runs if it has any; without prompts
    models are shown their whole input as JSON.

    Raises:
        SettingsError: a model was given to an unknown stage.
    """
    unknown = sorted(set(models) - set(STAGES))
    if unknown:
        raise SettingsError(f"there is no stage {unknown[0]}", hint=f"one of {', '.join(STAGES)}")

    def made(kind: type[_Stage]) -> _Stage:
        return kind(models.get(kind.name), prompts, recorded.get(kind.name))

    return Stages(
        interpret=made(Interpret),
        plan=made(Plan),
        resolve=made(Resolve),
        narrate=made(Narrate),
        extract=made(Extract),
        npc_intent=made(Intend),
        persona_extractor=made(PersonaExtract),
        character_extractor=made(CharacterExtract),
        summarise=made(Summarise),
    )
