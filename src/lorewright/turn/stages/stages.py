"""The stages that a model may run, together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any

from lorewright.turn.stages.extract.stage import Extract
from lorewright.turn.stages.inner.stage import CharacterExtract, PersonaExtract
from lorewright.turn.stages.interpret.stage import Interpret
from lorewright.turn.stages.narrate.stage import Narrate
from lorewright.turn.stages.npc_intent.stage import Intend
from lorewright.turn.stages.plan.stage import Plan
from lorewright.turn.stages.resolution.stage import Resolve
from lorewright.turn.stages.stage import Stage
from lorewright.turn.stages.summarise.stage import Summarise


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
