"""Which model thinks which stage: by the campaign's keys and the settings; all of a turn share a budget."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.bootstrap import prompt_library
from lorewright.campaigns.stage_models import BUILTIN_KEYS, FixedStageModels, ModelKeys, TierStageModels
from lorewright.errors import SettingsError
from lorewright.llm.doubles import ScriptedModel
from lorewright.llm.gateway import CallUsage
from lorewright.settings import ModelsSettings, find_workspace
from support import harbour as h

ENVIRON = {"ANTHROPIC_API_KEY": "sk-ant-test", "OPENAI_API_KEY": "sk-test"}
KEYS = ModelKeys("claude-haiku", "claude-sonnet")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return h.write_workspace(tmp_path / "workspace")


def stage_models(root: Path, environ: dict[str, str] = ENVIRON, **settings: object) -> TierStageModels:
    library = prompt_library(find_workspace(root))
    return TierStageModels(ModelsSettings.model_validate(settings), library, environ)


def cast(one: TierStageModels, keys: ModelKeys) -> dict[str, str | None]:
    """Stage -> the key of the model that it really has."""
    stages = one.stages(keys, one.library, CallUsage())
    made = (stages.interpret, stages.plan, stages.resolve, stages.narrate, stages.extract)
    return {stage.name: None if stage.model is None else stage.model.key for stage in made}


def test_each_stage_has_the_model_of_its_tier_and_the_planner_is_built_in(root: Path) -> None:
    assert cast(stage_models(root), KEYS) == {
        "interpreter": "claude-haiku",
        "planner": None,
        "resolution": "claude-haiku",
        "narrator": "claude-sonnet",
        "lore_extractor": "claude-haiku",
    }


def test_the_settings_name_another_tier_a_key_or_none(root: Path) -> None:
    stages = {"planner": "large", "narrator": "gpt-5.2", "lore_extractor": "builtin", "interpreter": "large"}
    assert cast(stage_models(root, stages=stages), KEYS) == {
        "interpreter": "claude-sonnet",
        "planner": "claude-sonnet",
        "resolution": "claude-haiku",
        "narrator": "gpt-5.2",
        "lore_extractor": None,
    }


def test_a_key_in_the_environment_alone_is_asked_for_nothing(root: Path) -> None:
    assert set(cast(stage_models(root), BUILTIN_KEYS).values()) == {None}
    assert BUILTIN_KEYS.are_builtin


def test_a_model_whose_key_is_not_set_cannot_be_cast(root: Path) -> None:
    with pytest.raises(SettingsError, match="ANTHROPIC_API_KEY"):
        stage_models(root, {}).stages(KEYS, stage_models(root).library, CallUsage())
    with pytest.raises(SettingsError):
        stage_models(root).check("no-such-model")


def test_a_stage_that_there_is_not_is_refused(root: Path) -> None:
    with pytest.raises(SettingsError, match="no stage"):
        stage_models(root, stages={"narator": "large"}).key("narrator", KEYS)
    with pytest.raises(SettingsError, match="no stage"):
        FixedStageModels({"narratorr": ScriptedModel([])}, stage_models(root).library)
    assert FixedStageModels({"recap": ScriptedModel([])}, stage_models(root).library).key("recap", KEYS) == "scripted"


def test_all_models_of_a_turn_share_what_may_be_spent(root: Path) -> None:
    one = stage_models(root, stages={"planner": "gpt-5.2"})
    stages = one.stages(KEYS, one.library, CallUsage(10, 20))
    budgets = {
        id(_budget(stage.model)): _budget(stage.model) for stage in (stages.narrate, stages.extract, stages.plan)
    }
    assert [budget.sitting for budget in budgets.values()] == [CallUsage(10, 20)]


def _budget(model: object) -> object:
    """The budget that a model asks, however deep it lies."""
    while not hasattr(model, "_budget"):
        model = model._model  # type: ignore[attr-defined]
    return model._budget


def test_with_one_key_there_is_one_model(root: Path) -> None:
    one = stage_models(root)
    stages = one.stages(KEYS, one.library, CallUsage())
    assert stages.interpret.model is stages.extract.model
