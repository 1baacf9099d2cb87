"""Which models a campaign's turns are thought with: keys by tier -> the stages of a turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from threading import Thread
from typing import Protocol

from lorewright.errors import SettingsError
from lorewright.llm.gateway import Budget, Spent
from lorewright.llm.model import Model
from lorewright.llm.opening import load_sdk, open_model
from lorewright.llm.prompt_library import PromptLibrary
from lorewright.llm.prompt_template import Prompts
from lorewright.llm.taxonomy import TIERS, Prices, asked_at, key_for, may_cost, row_of
from lorewright.settings import ModelsSettings
from lorewright.storage.database import Database
from lorewright.storage.model_rows import model_keys
from lorewright.trust import hold_models
from lorewright.turn.run.progress import STAGES, make_stages
from lorewright.turn.stages.stages import Stages
from lorewright.values.records import BUILTIN


@dataclass(frozen=True, slots=True)
class ModelKeys:
    """The keys of the two tiers, as the taxonomy has them."""

    small: str = BUILTIN
    large: str = BUILTIN

    @property
    def are_builtin(self) -> bool:
        """Whether neither tier has a model."""
        return self.small == self.large == BUILTIN

    @classmethod
    def of(cls, database: Database) -> ModelKeys:
        """Those that hold for a campaign just now."""
        return cls(*model_keys(database))


BUILTIN_KEYS = ModelKeys()


class StageModels(Protocol):
    """Gives stages their models and prompts."""

    @property
    def library(self) -> PromptLibrary:
        """The prompts that there are."""
        ...

    def check(self, key: str) -> None:
        """Whether there is a model of that key that could be asked.

        Raises:
            SettingsError: there is none, or what it needs is not set.
        """
        ...

    def key(self, stage: str, keys: ModelKeys) -> str:
        """The key of the model that a stage asks, `builtin` where it asks none.

        Raises:
            SettingsError: the settings name a stage or key that there is not.
        """
        ...

    def prices(self, key: str) -> Prices | None:
        """What a model costs; None where nothing is known to be paid for it.

        Raises:
            SettingsError: there is no such key.
        """
        ...

    def address(self, key: str) -> str | None:
        """Where a model is asked; None where nothing is sent to anybody.

        Raises:
            SettingsError: there is no such key, or nothing says where it is asked.
        """
        ...

    def may_cost(self, key: str) -> bool:
        """Whether asking a model may cost money: it has a price, or nobody says what it costs and it runs elsewhere.

        Raises:
            SettingsError: as `address`.
        """
        ...

    def hold_to_trust(self) -> None:
        """Refuse, or have the user asked, before a model is asked by settings that they have not said yes to.

        Raises:
            NotTrusted: no model may be asked by these settings.
        """
        ...

    def model(self, stage: str, keys: ModelKeys, spent: Spent) -> Model | None:
        """The model of one stage, None where it is built in; `spent` is what the sitting has cost so far.

        Raises:
            SettingsError: the model cannot be asked.
        """
        ...

    def stages(self, keys: ModelKeys, prompts: Prompts, spent: Spent) -> Stages:
        """The stages for one turn. All models in them share what may be spent.

        Raises:
            SettingsError: a model cannot be asked.
        """
        ...

    def warm(self, keys: ModelKeys) -> None:
        """Get ready, in the background, what the first question to these models needs. Of no use but speed."""
        ...


class TierStageModels:
    """Models by the campaign's keys and the settings."""

    def __init__(self, settings: ModelsSettings, library: PromptLibrary, environ: Mapping[str, str]) -> None:
        self._settings = settings
        self._library = library
        self._environ = environ

    @property
    def library(self) -> PromptLibrary:
        """The prompts that there are."""
        return self._library

    def check(self, key: str) -> None:
        """Whether there is such a key, and what it needs is set."""
        open_model(key, self._settings, environ=self._environ)

    def key(self, stage: str, keys: ModelKeys) -> str:
        """By the table of tiers."""
        return key_for(stage, small=keys.small, large=keys.large, settings=self._settings)

    def prices(self, key: str) -> Prices | None:
        """As its row says."""
        row = row_of(key, self._settings)
        return row.prices if row.is_paid else None

    def address(self, key: str) -> str | None:
        """As the environment, the settings or its row say, else its provider's own server."""
        return asked_at(row_of(key, self._settings), self._settings, self._environ)

    def may_cost(self, key: str) -> bool:
        """By its row, and by where it is asked."""
        row = row_of(key, self._settings)
        return row.is_paid or may_cost(row, self.address(key))

    def hold_to_trust(self) -> None:
        """As the settings reach out."""
        hold_models(self._settings)

    def model(self, stage: str, keys: ModelKeys, spent: Spent) -> Model | None:
        """As its key says."""
        return self._model(self.key(stage, keys), Budget(self._settings.budget, spent=spent))

    def stages(self, keys: ModelKeys, prompts: Prompts, spent: Spent) -> Stages:
        """Each with the model of its key; with one key one model."""
        budget = Budget(self._settings.budget, spent=spent)
        wanted = {stage: self.key(stage, keys) for stage in STAGES}
        opened = {key: self._model(key, budget) for key in sorted(set(wanted.values()))}
        return make_stages({stage: model for stage, key in wanted.items() if (model := opened[key])}, prompts)

    def warm(self, keys: ModelKeys) -> None:
        """Import their SDKs, which takes a second or two, while the player reads."""
        for key in sorted({self.key(stage, keys) for stage in STAGES} - {BUILTIN}):
            Thread(target=load_sdk, args=(key, self._settings), daemon=True).start()

    def _model(self, key: str, budget: Budget) -> Model | None:
        return open_model(key, self._settings, environ=self._environ, budget=budget)


class FixedStageModels:
    """The same models for every campaign, whatever its keys say: for tests, rehearsals and replays."""

    def __init__(self, models: Mapping[str, Model], library: PromptLibrary) -> None:
        """Models by stage.

        Raises:
            SettingsError: a model was given to a stage that there is not.
        """
        unknown = sorted(set(models) - set(TIERS))
        if unknown:
            raise SettingsError(f"there is no stage {unknown[0]}", hint=f"one of {', '.join(TIERS)}")
        self._models = dict(models)
        self._library = library

    @property
    def library(self) -> PromptLibrary:
        """The prompts that there are."""
        return self._library

    def check(self, key: str) -> None:
        """Any key will do."""

    def key(self, stage: str, keys: ModelKeys) -> str:
        """Of the model that was given."""
        return self._models[stage].key if stage in self._models else BUILTIN

    def prices(self, key: str) -> Prices | None:
        """Nothing is paid for what was given."""
        return None

    def address(self, key: str) -> str | None:
        """They were given: it is not known to whom they send anything."""
        return None

    def may_cost(self, key: str) -> bool:
        """Nothing is paid for what was given."""
        return False

    def hold_to_trust(self) -> None:
        """No settings choose them."""

    def model(self, stage: str, keys: ModelKeys, spent: Spent) -> Model | None:
        """The one that was given."""
        return self._models.get(stage)

    def stages(self, keys: ModelKeys, prompts: Prompts, spent: Spent) -> Stages:
        """With the models that were given."""
        return make_stages({stage: model for stage, model in self._models.items() if stage in STAGES}, prompts)

    def warm(self, keys: ModelKeys) -> None:
        """They are at hand."""
