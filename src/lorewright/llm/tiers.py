"""Tiers: a stage -> the key of the model that it asks. The one table of which stages need a large model."""

from __future__ import annotations

from typing import Literal

from lorewright.errors import SettingsError
from lorewright.llm.taxonomy import BUILTIN
from lorewright.settings import ModelsSettings

Tier = Literal["small", "large"]

TIERS: dict[str, Tier] = {
    "interpreter": "small",
    "resolution": "small",
    "npc_intent": "small",
    "persona_extractor": "small",
    "character_extractor": "small",
    "lore_extractor": "small",
    "summariser": "small",
    "planner": "large",
    "narrator": "large",
    "recap": "large",
    "scenario_generator": "large",
}

# These are built in unless the settings say otherwise: what the twin does there a model seldom does better.
BUILTIN_UNLESS_SET = frozenset({"planner"})


def key_for(stage: str, *, small: str, large: str, settings: ModelsSettings) -> str:
    """The key of the model that a stage asks, `builtin` where it asks none.

    `small` and `large` are the keys of the campaign's tiers; where a tier is `builtin`, so are its stages. Under
    `[models.stages]` the settings may name another tier for a stage, a key, or `builtin`.

    Raises:
        SettingsError: there is no such stage, or the settings name one that there is not.
    """
    unknown = sorted({stage, *settings.stages} - set(TIERS))
    if unknown:
        raise SettingsError(f"there is no stage {unknown[0]!r}", hint=f"stages are: {', '.join(TIERS)}")
    of_tier = {"small": small, "large": large}
    told = settings.stages.get(stage)
    if told is not None:
        return of_tier.get(told, told)
    return BUILTIN if stage in BUILTIN_UNLESS_SET else of_tier[TIERS[stage]]
