"""A scenario is played while it is written: each save is checked, and the lines are played again."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from lorewright.authoring.scenario_watch import ScenarioWatch, said_of
from lorewright.bootstrap import open_app
from support import harbour as h

pytestmark = pytest.mark.campaign


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[ScenarioWatch]:
    app = open_app(h.write_workspace(tmp_path / "workspace"))
    path = app.workspace.scenarios / "night_boat.yaml"
    watch = ScenarioWatch(path, app.scenarios, lambda folder: app.rehearsal(folder, by_words=True), seed=1)
    yield watch
    watch.close()


def save(path: Path, old: str, new: str) -> None:
    """Write another text, later than any save before."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    later = path.stat().st_mtime_ns + 2_000_000_000
    os.utime(path, ns=(later, later))


def test_a_save_shows_what_is_answered_otherwise_and_play_goes_on(watching: ScenarioWatch) -> None:
    assert watching.look().is_played
    watching.play("look")
    watching.play("go to the quay")
    assert not watching.has_changed()
    save(watching.path, "The rain has driven you", "The snow has driven you")
    save(watching.path, "bea: {at: quay}", "bea: {at: offstage}")
    assert watching.has_changed()
    look = watching.look()
    marks = [mark for mark, _ in said_of(look.answers)]
    assert (look.answers[0].line, marks[:3]) == ("", [">", "-", "+"])
    assert look.answers[0].after.startswith("The snow")
    assert "go to the quay" in [answer.line for answer in look.answers]
    assert watching.campaign is not None
    assert watching.campaign.store.head().state.scene.location_id == "harbour:quay"
    assert watching.play("go to the tavern") is not None


def test_an_error_is_told_and_the_game_before_goes_on(watching: ScenarioWatch) -> None:
    watching.look()
    save(watching.path, "start: tavern", "start: tavrn")
    look = watching.look()
    assert not look.is_played
    assert "tavrn" in look.new[0].message
    assert watching.play("look") is not None
    save(watching.path, "start: tavrn", "start: tavern")
    look = watching.look()
    assert look.is_played
    assert len(look.solved) == len([one for one in look.solved if "tavrn" in one.message])


def test_a_line_is_taken_back(watching: ScenarioWatch) -> None:
    watching.look()
    watching.play("go to the quay")
    watching.take_back()
    assert watching.lines == []
    assert watching.campaign is not None
    assert watching.campaign.store.head().state.scene.location_id == "harbour:tavern"
