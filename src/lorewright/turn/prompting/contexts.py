"""The types that prompts are filled in with, by the name that a prompt's head gives."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from lorewright.turn.prompting.extractors import (
    CharacterExtractorContext,
    LoreExtractorContext,
    PersonaExtractorContext,
)
from lorewright.turn.prompting.interpreter import InterpreterContext
from lorewright.turn.prompting.later import NpcIntentContext, RecapContext, RepairContext, SummariserContext
from lorewright.turn.prompting.narrator import NarratorContext
from lorewright.turn.prompting.planner import PlannerContext
from lorewright.turn.prompting.resolution import ResolutionContext
from lorewright.turn.prompting.variables import Context

TURN_CONTEXTS: Mapping[str, type[Context]] = MappingProxyType(
    {
        one.__name__: one
        for one in (
            InterpreterContext,
            PlannerContext,
            NarratorContext,
            ResolutionContext,
            NpcIntentContext,
            PersonaExtractorContext,
            CharacterExtractorContext,
            LoreExtractorContext,
            SummariserContext,
            RecapContext,
            RepairContext,
        )
    }
)
