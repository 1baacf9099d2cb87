"""A profile that is chosen when a campaign begins, and the initiative of casts that were made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lorewright.bootstrap import open_app
from lorewright.cli.root import app as command
from lorewright.rules.rulesets import CampaignRules
from support import harbour as h

runner = CliRunner()


def run(*args: str) -> str:
    result = runner.invoke(command, args)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = h.write_workspace(tmp_path / "workspace")
    monkeypatch.chdir(root)
    return root


def rules_of(root: Path, campaign_id: str) -> CampaignRules:
    with open_app(root).campaigns.reading(campaign_id) as store:
        return store.campaign().rules


@pytest.mark.parametrize("profile", ["stream", "ensemble", "freeform"])
def test_a_campaign_is_begun_in_another_profile(workspace: Path, profile: str) -> None:
    run("campaign", "new", "night_boat", "--id", "game", "--profile", profile)
    assert rules_of(workspace, "game").profile == profile
    with open_app(workspace).campaigns.reading("game") as store:
        assert store.campaign().scenario["profile"] == profile


def test_a_walk_in_a_profile_has_people_who_act(workspace: Path) -> None:
    script = workspace / "lines.txt"
    script.write_text("look\nwait\n", encoding="utf-8")
    run("explore", "content_packs/harbour", "--profile", "ensemble", "--script", str(script))
    (walk,) = [path.stem for path in (workspace / "campaigns").glob("*.db")]
    rules = rules_of(workspace, walk)
    assert rules.profile == "ensemble"
    assert {rule.chattiness for rule in rules.cast.values()} <= {0.3, 0.5, 0.7}
    assert rules.cast and all([act.id for act in rule.acts] == ["asks_what_brings_you"] for rule in rules.cast.values())
    assert rules.ruleset.states["morale"].value == 5


def test_without_a_profile_a_walk_has_nobody_who_could_not_act(workspace: Path) -> None:
    app = open_app(workspace)
    walk = app.explorer.walk(*app.explorer.pack(str(workspace / "content_packs" / "harbour")), seed=1).scenario
    assert walk.profile is None
    assert walk.cast and all(member.acts == () and member.chattiness for member in walk.cast.values())


def test_what_a_file_says_of_somebodys_will_holds(workspace: Path) -> None:
    osk = workspace / "content_packs" / "harbour" / "npcs" / "osk.md"
    osk.write_text(osk.read_text(encoding="utf-8").replace("---\n", "---\nchattiness: 0.1\n", 1), encoding="utf-8")
    app = open_app(workspace)
    walk = app.explorer.walk(*app.explorer.pack(str(workspace / "content_packs" / "harbour")), seed=1).scenario
    assert walk.cast["osk"].chattiness is None


def test_an_unknown_profile_is_refused(workspace: Path) -> None:
    result = runner.invoke(command, ["campaign", "new", "night_boat", "--profile", "solo"])
    assert result.exit_code == 2
    assert json.loads(run("campaign", "list", "--json")) == []
