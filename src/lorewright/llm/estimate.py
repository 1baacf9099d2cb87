"""Estimate: the models of a campaign's tiers -> what a turn may cost with them, before one was played."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from lorewright.errors import SettingsError
from lorewright.llm.taxonomy import BUILTIN, Row, row_of
from lorewright.settings import ModelsSettings

# Tiers: a stage -> the key of the model that it asks. The one table of which stages need a large model.

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


@dataclass(frozen=True, slots=True)
class Typical:
    """What a call takes in the midst of a scene, in tokens, and in how many of a hundred turns it is made."""

    read: int
    cached: int
    written: int
    in_hundred: int = 100


# Read and cached: means over twelve turns of Dead Drop. Written: a narration of some 180 words, a handful of proposals.
# The interpreter asks where its twin is unsure, resolution where a rulebook decides: rough guesses at how often.
TYPICAL: dict[str, Typical] = {
    "narrator": Typical(1_900, 950, 250),
    "lore_extractor": Typical(800, 400, 120),
    "planner": Typical(1_000, 500, 120),
    "interpreter": Typical(900, 500, 80, in_hundred=20),
    "resolution": Typical(1_200, 500, 200, in_hundred=20),
}
# What is asked beside these in some campaigns: where others act of their own accord, and in a long game. Rough guesses,
# with one or two of the cast acting in a turn.
BESIDE: dict[str, Typical] = {
    "npc_intent": Typical(1_100, 400, 90, in_hundred=150),
    "persona_extractor": Typical(700, 300, 40),
    "character_extractor": Typical(700, 300, 40, in_hundred=150),
    "summariser": Typical(3_000, 300, 250, in_hundred=5),
}


def turn_microusd(*, small: str, large: str, settings: ModelsSettings) -> int | None:
    """What a turn costs with these two models, in millionths of a dollar, about; None where a model that is asked has
    no price in the table.

    Raises:
        SettingsError: there is no such key, or the settings name a stage that there is not.
    """
    total = 0.0
    for stage, typical in TYPICAL.items():
        row = row_of(key_for(stage, small=small, large=large, settings=settings), settings)
        if row.provider == "builtin":
            continue
        if row.prices is None:
            return None
        total += _call_microusd(row, typical) * typical.in_hundred / 100
    return math.ceil(total)


def _call_microusd(row: Row, typical: Typical) -> float:
    assert row.prices is not None
    return row.prices.cost_microusd(typical.read, typical.written, cache_read=typical.cached)
