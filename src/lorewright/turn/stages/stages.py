"""The stages that a model may run, together."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel

from lorewright.turn.prompting.variables import RecapContext, RepairContext, SummaryOutput
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
from lorewright.values.kept import SummariserInput, SummariserOutput
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

# The JSON Schemas of every stage that a model may run: what it is given, what its prompt is filled in with, what it
# answers.

# Prompt -> its part (`input`: what the stage is given; `context`: what of it the prompt shows; `output`: what a model
# answers) -> the type. Where there is no input the context is all there is.
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
    """(file name, text) of every schema: `narrator.output.json`. Of inputs and contexts as they are written out, of
    outputs as they are read."""
    for name, parts in types.items():
        for part, one in parts.items():
            schema = one.model_json_schema(mode="validation" if part == "output" else "serialization")
            yield f"{name}.{part}.json", json.dumps(schema, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


@dataclass(frozen=True, slots=True)
class Stages:
    """Each stage of a turn, built in or with its model."""

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
        """All of them."""
        return (getattr(self, one.name) for one in fields(self))

    @property
    def are_builtin(self) -> bool:
        """Whether a turn can be thought again at no cost."""
        return all(stage.is_builtin for stage in self)
