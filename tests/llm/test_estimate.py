"""What a turn may cost is told before one was played."""

from __future__ import annotations

import pytest

from lorewright.errors import SettingsError
from lorewright.llm.taxonomy import BESIDE, TYPICAL, estimate_turn_cost
from lorewright.settings import ModelsSettings
from lorewright.turn.stages.stages import STAGES, stages_of

NONE = ModelsSettings()


def estimate(small: str, large: str, settings: ModelsSettings = NONE) -> int | None:
    return estimate_turn_cost(small=small, large=large, settings=settings)


def test_a_turn_that_asks_nobody_costs_nothing() -> None:
    assert estimate("builtin", "builtin") == 0


def test_a_turn_is_the_sum_of_the_stages_that_ask() -> None:
    # The narrator alone: 950 read at 2, 950 from the cache at 0.1, 250 written at 10.
    assert estimate("builtin", "claude-sonnet") == 1_900 + 95 + 2_500
    both = estimate("claude-haiku", "claude-sonnet")
    assert both is not None
    assert 4_495 < both < 5_000


def test_a_planner_that_asks_is_counted() -> None:
    asks = ModelsSettings(stages={"planner": "large"})
    without, with_it = estimate("builtin", "claude-sonnet"), estimate("builtin", "claude-sonnet", asks)
    assert without is not None
    assert with_it is not None
    assert with_it > without


def test_what_has_no_price_has_no_estimate_unless_it_is_not_asked() -> None:
    assert estimate("ollama/x", "claude-sonnet") is None
    all_else = {stage: "builtin" for stage in TYPICAL if stage != "narrator"}
    assert estimate("ollama/x", "claude-sonnet", ModelsSettings(stages=all_else)) == 4_495


def test_an_unknown_model_is_told() -> None:
    with pytest.raises(SettingsError, match="claude-tiny"):
        estimate("claude-tiny", "builtin")


def test_there_is_a_figure_for_every_stage_that_a_model_may_run() -> None:
    assert {*TYPICAL, *BESIDE} == set(STAGES)
    assert set(TYPICAL) < set(stages_of("freeform")) < set(stages_of("stream")) == set(STAGES)
