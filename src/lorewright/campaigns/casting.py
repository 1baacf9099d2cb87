"""Which models a campaign's turns are thought with: keys by tier -> the stages of a turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from lorewright.llm.model import Model
from lorewright.llm.prompt import Prompts
from lorewright.storage.database import Database
from lorewright.storage.model_rows import Spent, model_keys
from lorewright.turn.casting import make_stages
from lorewright.turn.pipeline import Stages
from lorewright.turn.stages.stage import BUILTIN


@dataclass(frozen=True, slots=True)
class ModelKeys:
    """The keys of the two tiers, as the taxonomy has them."""

    small: str = BUILTIN
    large: str = BUILTIN

    @property
    def are_builtin(self) -> bool:
        """Whether no model is asked by either tier."""
        return self.small == self.large == BUILTIN

    @classmethod
    def of(cls, database: Database) -> ModelKeys:
        """Those that hold for a campaign just now."""
        return cls(*model_keys(database))


BUILTIN_KEYS = ModelKeys()


class Casting(Protocol):
    """Gives stages their models and prompts."""

    def check(self, key: str) -> None:
        """Whether there is a model of that key that could be asked.

        Raises:
            SettingsError: there is none, or what it needs is not set.
        """
        ...

    def stages(self, keys: ModelKeys, pins: Mapping[str, str], spent: Spent) -> Stages:
        """The stages for one turn: with these models, these versions of prompts (by name; the newest where none is
        named), and what the sitting has cost so far.

        Raises:
            SettingsError: a model cannot be asked.
        """
        ...

    def model(self, stage: str, keys: ModelKeys, spent: Spent) -> Model | None:
        """The model of a stage outside of turns; None where it is built in."""
        ...

    def prompts(self, pins: Mapping[str, str]) -> Prompts:
        """The prompts, these versions of them."""
        ...


class FixedCasting:
    """The same models for every campaign, whatever its keys say: for tests, rehearsals and replays."""

    def __init__(self, models: Mapping[str, Model], prompts: Prompts) -> None:
        self._models = dict(models)
        self._prompts = prompts
        make_stages(models)

    def check(self, key: str) -> None:
        """Any key will do."""

    def stages(self, keys: ModelKeys, pins: Mapping[str, str], spent: Spent) -> Stages:
        """With the models that were given."""
        return make_stages(self._models, self._prompts)

    def model(self, stage: str, keys: ModelKeys, spent: Spent) -> Model | None:
        """The one that was given."""
        return self._models.get(stage)

    def prompts(self, pins: Mapping[str, str]) -> Prompts:
        """Those that were given."""
        return self._prompts
