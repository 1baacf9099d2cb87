"""The stages that a model may run, together."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel

from lorewright.llm.prompt_library import PromptLibrary, load_stored_template
from lorewright.llm.prompt_template import PromptTemplate
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
from lorewright.turn.stages.stage import Stage
from lorewright.turn.stages.summarise.context import SummariserContext
from lorewright.turn.stages.summarise.stage import Summarise
from lorewright.turn.stages.variables import RecapContext, RepairContext, SummaryOutput
from lorewright.values.annotations import SummariserInput, SummariserOutput
from lorewright.values.proposals import (
    ExtractorInput,
    ExtractorOutput,
    InnerInput,
    NpcIntentInput,
    ResolutionInput,
    ResolutionOutput,
    StateExtractorOutput,
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
    serialised, of outputs as they are validated."""
    for name, parts in types.items():
        for part, model in parts.items():
            schema = model.model_json_schema(mode="validation" if part == "output" else "serialization")
            yield f"{name}.{part}.json", json.dumps(schema, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


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
