"""What a few scripted turns say of a model: of one that tells what was learned, of one that understands nothing, of one
that is away, and of none."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import open_app
from lorewright.errors import ProviderBusy
from lorewright.llm.doubles import ParrotModel, ScriptedModel
from lorewright.llm.model import Model, ModelRequest
from lorewright.lore_bootstrap import make_empty_workspace
from lorewright.turn.stages.stages import STAGES
from lorewright.workspace.model_trial import LINES, ModelTrial, try_model


class Careful:
    """A narrator that tells all that is learned, and at first answers with data."""

    def __call__(self, request: ModelRequest) -> Any:
        if not request.talk:
            return '{"data": 1}'
        learned = re.search(r"<learned>(.*?)</learned>", request.prompt.changing, re.DOTALL)
        told = re.findall(r"\[\d+\] (.*)", learned[1] if learned else "")
        return " ".join(["You wait a little.", *told])


def away(request: ModelRequest) -> Any:
    return ProviderBusy("the server is away")


def files_in(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("trials")


@pytest.fixture(scope="module")
def tried(root: Path) -> dict[str, ModelTrial]:
    """Return the trials of some models."""
    make_empty_workspace(root / "own")
    make_empty_workspace(root / "untouched")
    models: dict[str, dict[str, Model]] = {
        "none": {},
        "careful": {"narrator": ScriptedModel(Careful())},
        "parrot": dict.fromkeys(STAGES, ParrotModel()),
        "away": dict.fromkeys(STAGES, ScriptedModel(away)),
    }
    return {name: _tried(name, given, root) for name, given in models.items()}


def _tried(name: str, models: dict[str, Model], root: Path) -> ModelTrial:
    app = open_app(root / "own", models=models)
    return try_model(app.model_trial(name, root / name), name)


def test_without_a_model_every_line_is_played_and_every_clue_told(tried: dict[str, ModelTrial]) -> None:
    trial = tried["none"]
    assert (trial.turns, trial.committed, trial.refused) == (len(LINES), len(LINES), ())
    assert trial.told == trial.learned >= 2
    assert (trial.told_by_model, trial.answers, trial.calls, trial.cost_usd) == (0, 0, 0, 0.0)


def test_a_model_that_tells_what_was_learned_has_told_it_itself(tried: dict[str, ModelTrial]) -> None:
    trial = tried["careful"]
    assert trial.learned == tried["none"].learned
    assert trial.told_by_model == trial.told == trial.learned
    assert (trial.repaired, trial.fell_back) == (trial.answers, {})
    assert trial.input_tokens > trial.output_tokens > 0


def test_a_model_that_understands_nothing_falls_back_and_every_clue_is_told_all_the_same(
    tried: dict[str, ModelTrial],
) -> None:
    trial = tried["parrot"]
    assert (trial.committed, trial.refused) == (len(LINES), ())
    assert trial.fell_back["narrator"] > 0
    assert trial.told == trial.learned > 0
    assert trial.told_by_model == 0


def test_turns_of_a_model_that_is_away_are_refused_with_the_reason(tried: dict[str, ModelTrial]) -> None:
    trial = tried["away"]
    assert trial.committed == 0
    assert set(trial.refused) == {"provider_busy: the server is away"}
    assert len(trial.refused) == len(LINES)


def test_a_trial_leaves_nothing_in_the_workspace(tried: dict[str, ModelTrial], root: Path) -> None:
    assert files_in(root / "own") == files_in(root / "untouched")
