"""The models of a campaign's turns: keys by tier -> the stages of a turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from threading import Thread
from typing import Protocol

from lorewright.errors import SettingsError
from lorewright.llm.gateway import Budget, CallUsage
from lorewright.llm.model import Model
from lorewright.llm.opening import load_sdk, open_model
from lorewright.llm.prompt_library import PromptLibrary
from lorewright.llm.prompt_template import Prompts
from lorewright.llm.taxonomy import TIERS, Prices, asked_at, key_for, may_cost, row_of
from lorewright.settings import ModelsSettings
from lorewright.storage.database import Database
from lorewright.storage.model_rows import model_keys
from lorewright.trust import hold_models
from lorewright.turn.stages.stages import STAGES, Stages, make_stages
from lorewright.values.records import BUILTIN


@dataclass(frozen=True, slots=True)
class ModelKeys:
    """The keys of the two tiers, as the taxonomy has them."""

    small: str = BUILTIN
    large: str = BUILTIN

    @property
    def are_builtin(self) -> bool:
        """Tell whether neither tier has a model."""
        return self.small == self.large == BUILTIN

    @classmethod
    def of(cls, database: Database) -> ModelKeys:
        """Return the keys that hold for a campaign now."""
        return cls(*model_keys(database))


BUILTIN_KEYS = ModelKeys()


class StageModels(Protocol):
    """Gives stages their models and prompts."""

    @property
    def library(self) -> PromptLibrary:
        """Return the library of prompts."""
        ...

    def check(self, key: str) -> None:
        """Check that there is a model of that key and that it could be asked.

        Raises:
            SettingsError: there is no such model, or what it needs is not set.
        """
        ...

    def key(self, stage: str, keys: ModelKeys) -> str:
        """Return the key of the model that a stage asks, `builtin` where it asks none.

        Raises:
            SettingsError: the settings name an unknown stage or key.
        """
        ...

    def prices(self, key: str) -> Prices | None:
        """Return the prices of a model; None where it is not known to cost anything.

        Raises:
            SettingsError: there is no such key.
        """
        ...

    def address(self, key: str) -> str | None:
        """Return the address at which a model is asked; None where nothing is sent to anybody.

        Raises:
            SettingsError: there is no such key, or its address is unknown.
        """
        ...

    def may_cost(self, key: str) -> bool:
        """Tell whether asking a model may cost money: it has a price, or its price is unknown and it runs elsewhere.

        Raises:
            SettingsError: as `address`.
        """
        ...

    def hold_to_trust(self) -> None:
        """Refuse, or ask the user, before a model is asked by settings that they have not trusted.

        Raises:
            NotTrusted: no model may be asked by these settings.
        """
        ...

    def model(self, stage: str, keys: ModelKeys, spent: CallUsage) -> Model | None:
        """Return the model of one stage, None where the stage is built in; `spent` is the cost of the sitting so far.

        Raises:
            SettingsError: the model cannot be asked.
        """
        ...

    def stages(self, keys: ModelKeys, prompts: Prompts, spent: CallUsage) -> Stages:
        """Return the stages for one turn. All models in them share one budget.

        Raises:
            SettingsError: a model cannot be asked.
        """
        ...

    def warm(self, keys: ModelKeys) -> None:
        """Prepare, in the background, the first call of these models; only for speed."""
        ...


class TierStageModels:
    """The models of the campaign's keys, by the settings."""

    def __init__(self, settings: ModelsSettings, library: PromptLibrary, environ: Mapping[str, str]) -> None:
        self._settings = settings
        self._library = library
        self._environ = environ

    @property
    def library(self) -> PromptLibrary:
        """Return the library of prompts."""
        return self._library

    def check(self, key: str) -> None:
        """Check that there is such a key, and that what it needs is set."""
        open_model(key, self._settings, environ=self._environ)

    def key(self, stage: str, keys: ModelKeys) -> str:
        """Return the key by the table of tiers."""
        return key_for(stage, small=keys.small, large=keys.large, settings=self._settings)

    def prices(self, key: str) -> Prices | None:
        """Return the prices of the key's row; None where it has none."""
        row = row_of(key, self._settings)
        return row.prices if row.is_paid else None

    def address(self, key: str) -> str | None:
        """Return the address from the environment, the settings or the key's row, else that of its provider's own
        server."""
        return asked_at(row_of(key, self._settings), self._settings, self._environ)

    def may_cost(self, key: str) -> bool:
        """Tell whether the row of the key has prices or its address makes a cost possible."""
        row = row_of(key, self._settings)
        return row.is_paid or may_cost(row, self.address(key))

    def hold_to_trust(self) -> None:
        """Refuse, or ask the user, where these settings reach out and are not trusted."""
        hold_models(self._settings)

    def model(self, stage: str, keys: ModelKeys, spent: CallUsage) -> Model | None:
        """Return the model of the stage's key."""
        return self._model(self.key(stage, keys), Budget(self._settings.budget, spent=spent))

    def stages(self, keys: ModelKeys, prompts: Prompts, spent: CallUsage) -> Stages:
        """Return the stages, each with the model of its key; stages with the same key share one model."""
        budget = Budget(self._settings.budget, spent=spent)
        wanted = {stage: self.key(stage, keys) for stage in STAGES}
        opened = {key: self._model(key, budget) for key in sorted(set(wanted.values()))}
        return make_stages({stage: model for stage, key in wanted.items() if (model := opened[key])}, prompts)

    def warm(self, keys: ModelKeys) -> None:
        """Import the models' SDKs in threads, which takes a second or two, while the player reads."""
        for key in sorted({self.key(stage, keys) for stage in STAGES} - {BUILTIN}):
            Thread(target=load_sdk, args=(key, self._settings), daemon=True).start()

    def _model(self, key: str, budget: Budget) -> Model | None:
        return open_model(key, self._settings, environ=self._environ, budget=budget)


class FixedStageModels:
    """The same models for every campaign, whatever its keys are: for tests, rehearsals and replays."""

    def __init__(self, models: Mapping[str, Model], library: PromptLibrary) -> None:
        """Take the models by stage.

        Raises:
            SettingsError: a model was given to an unknown stage.
        """
        unknown = sorted(set(models) - set(TIERS))
        if unknown:
            raise SettingsError(f"there is no stage {unknown[0]}", hint=f"one of {', '.join(TIERS)}")
        self._models = dict(models)
        self._library = library

    @property
    def library(self) -> PromptLibrary:
        """Return the library of prompts."""
        return self._library

    def check(self, key: str) -> None:
        """Accept any key."""

    def key(self, stage: str, keys: ModelKeys) -> str:
        """Return the key of the model that was given for the stage, else `builtin`."""
        return self._models[stage].key if stage in self._models else BUILTIN

    def prices(self, key: str) -> Prices | None:
        """Return None: the given models cost nothing."""
        return None

    def address(self, key: str) -> str | None:
        """Return None: the address of the given models is not known."""
        return None

    def may_cost(self, key: str) -> bool:
        """Return False: the given models cost nothing."""
        return False

    def hold_to_trust(self) -> None:
        """Accept everything: no settings choose the models."""

    def model(self, stage: str, keys: ModelKeys, spent: CallUsage) -> Model | None:
        """Return the model that was given for the stage, or None."""
        return self._models.get(stage)

    def stages(self, keys: ModelKeys, prompts: Prompts, spent: CallUsage) -> Stages:
        """Return the stages with the models that were given."""
        return make_stages({stage: model for stage, model in self._models.items() if stage in STAGES}, prompts)

    def warm(self, keys: ModelKeys) -> None:
        """Do nothing: the models are ready."""
