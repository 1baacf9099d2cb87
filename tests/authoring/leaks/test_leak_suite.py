"""The suite over a small town: nothing where its secrets keep, and a hole in any place of ours is found."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from lorewright.authoring.leaks.suite import LeakSuite, Plays
from lorewright.cli.root import app as command_line
from lorewright.index.generation import Generation, StoredChunk
from lorewright.packs.content_hash import content_hash_of
from lorewright.retrieval.view import LoreView
from lorewright.scene_lore.models import SceneItem
from support import harbour as h
from support import leaky_town
from support.scale import scaled

NEVER_PLAYED = Plays(builtin=0, parrot=0)


@pytest.fixture
def few_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the commands play few lines where nobody says how many: with CAMPAIGN_SCALE=8 as many as users get."""
    few = Plays(builtin=scaled(5), parrot=scaled(1))
    monkeypatch.setattr(LeakSuite.__init__, "__kwdefaults__", {**LeakSuite.__init__.__kwdefaults__, "plays": few})


@pytest.mark.campaign
def test_a_town_whose_secrets_keep_has_no_leak_and_every_channel_is_looked_at(tmp_path: Path) -> None:
    report = leaky_town.tested(tmp_path)
    assert report.leaks == ()
    assert report.viewers == ("player", "npc:harbour:bea", "npc:harbour:lin", "npc:harbour:osk", "stages")
    assert set(report.checks) >= {
        "open lore", "atmosphere", "knows", "names", "manifest", "scenario",
        "lore", "query", "trace", "entity", "scene lore",
        "stage input", "stage output", "prompt", "narration", "log", "recap", "export", "history", "mcp", "/lore", "/who",
    }  # fmt: skip
    assert report.over_blocked.count == 0
    assert report.unproven == ()
    assert [one for one in report.remarks if "could not be played" in one] == []


@pytest.mark.campaign
def test_the_authors_folder_is_only_read(tmp_path: Path) -> None:
    suite = leaky_town.suite_over(tmp_path, h.FILES, plays=NEVER_PLAYED)
    pack = tmp_path / "workspace" / "content_packs" / "harbour"
    before = (content_hash_of(pack), sorted(path for path in (tmp_path / "workspace").rglob("*") if path.is_file()))
    suite.pack("harbour")
    after = (content_hash_of(pack), sorted(path for path in (tmp_path / "workspace").rglob("*") if path.is_file()))
    assert after == before


@pytest.mark.campaign
def test_two_runs_find_the_same(tmp_path: Path) -> None:
    files = leaky_town.spoiled(locations_quay=f"\n{leaky_town.DEBT}")
    first = leaky_town.tested(tmp_path / "one", files)
    assert first.leaks
    assert first == leaky_town.tested(tmp_path / "two", files)


def all_items(view: LoreView, generation: Generation, chunk: StoredChunk) -> str | None:
    return chunk.text


def everything(role: str, items: Sequence[SceneItem], *others: Any, **more: Any) -> list[SceneItem]:
    return list(items)


# Where -> what stands there instead, and the channels by which it must show.
HOLES: dict[str, tuple[Callable[..., Any], set[str]]] = {
    "lorewright.retrieval.lanes.visible_text": (all_items, {"query", "history", "/lore"}),
    "lorewright.authoring.leaks.asking.visible_text": (all_items, {"lore"}),
    "lorewright.scene_lore.models._seen": (everything, {"scene lore", "stage input"}),
    "lorewright.retrieval.pack_views.entity_for_viewer": (lambda entity, view, secret: entity, {"entity"}),
}


@pytest.mark.campaign
@pytest.mark.parametrize("hole", sorted(HOLES))
def test_a_hole_of_ours_is_found_by_every_channel_that_it_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hole: str
) -> None:
    stand_in, channels = HOLES[hole]
    monkeypatch.setattr(hole, stand_in)
    report = leaky_town.tested(tmp_path, plays=Plays(builtin=6, parrot=0))
    assert {one.channel for one in report.leaks} >= channels
    assert all(one.line > 0 and one.file.endswith(".md") and one.hint for one in report.leaks)


@pytest.mark.campaign
def test_open_lore_that_somebody_is_not_given_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = leaky_town.tested(tmp_path / "real", plays=NEVER_PLAYED)
    assert real.over_blocked.not_shown == ()
    monkeypatch.setattr("lorewright.retrieval.lanes.OPEN_ROLES", frozenset({"lore"}))
    report = leaky_town.tested(tmp_path / "blocked", plays=NEVER_PLAYED)
    assert {one.what for one in report.over_blocked.not_shown} >= {"harbour:tavern:atmosphere"}


@pytest.mark.campaign
def test_a_walk_is_played_where_no_scenario_uses_the_pack(tmp_path: Path) -> None:
    suite = leaky_town.suite_over(tmp_path, h.FILES, h.SCENARIO.replace("[harbour]", "[elsewhere]"))
    report = suite.pack("harbour")
    assert report.leaks == ()
    assert report.checks["narration"] > 6


@pytest.mark.campaign
def test_a_pack_that_keeps_nothing_says_so(tmp_path: Path) -> None:
    files = {"pack.yaml": h.FILES["pack.yaml"], "npcs/lin.md": h.FILES["npcs/lin.md"]}
    suite = leaky_town.suite_over(tmp_path, files, h.SCENARIO.replace("[harbour]", "[elsewhere]"))
    report = suite.pack(str(tmp_path / "workspace" / "content_packs" / "harbour"))
    assert "there are no secrets: every section is open to everybody" in report.remarks


def run(app_root: Path, monkeypatch: pytest.MonkeyPatch, *words: str) -> Any:
    monkeypatch.setenv("LOREWRIGHT_WORKSPACE", str(app_root))
    return CliRunner().invoke(command_line, list(words))


@pytest.mark.campaign
@pytest.mark.usefixtures("few_lines")
def test_the_command_says_where_and_exits_with_one_on_leaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = h.write_workspace(tmp_path / "workspace")
    sound = run(root, monkeypatch, "pack", "test", "harbour", "--leaks", "--json")
    assert (sound.exit_code, json.loads(sound.output)["leaks"]) == (0, [])
    h.write_pack(root / "content_packs" / "harbour", leaky_town.spoiled(locations_quay=f"\n{leaky_town.DEBT}"))
    leaking = run(root, monkeypatch, "pack", "test", "harbour", "--leaks", "--json")
    (leak, *_) = json.loads(leaking.output)["leaks"]
    assert leaking.exit_code == 1
    assert (leak["file"], leak["line"], leak["secret"]) == ("npcs/osk.md", 24, "harbour:osk:withholds#debt")
    told = run(root, monkeypatch, "pack", "test", "harbour", "--leaks")
    assert told.exit_code == 1
    assert "npcs/osk.md:24" in told.output
    assert "locations/quay.md:12" in told.output


@pytest.mark.campaign
def test_without_leaks_a_pack_is_asked_its_golden_queries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = h.write_workspace(tmp_path / "workspace")
    golden = "- {query: night boat, viewer: gm, include: [%s]}\n"
    tests = root / "content_packs" / "harbour" / "tests"
    tests.mkdir()
    (tests / "golden.yaml").write_text(golden % "harbour:osk:knows", encoding="utf-8")
    assert run(root, monkeypatch, "pack", "install", str(root / "content_packs" / "harbour")).exit_code == 0
    assert run(root, monkeypatch, "pack", "test", "harbour").exit_code == 0
    (tests / "golden.yaml").write_text(golden % "harbour:quay:overview", encoding="utf-8")
    missed = run(root, monkeypatch, "pack", "test", "harbour")
    assert missed.exit_code == 1
    assert "tests/golden.yaml:1" in missed.output


@pytest.mark.campaign
@pytest.mark.usefixtures("few_lines")
def test_a_campaign_is_tested_turn_by_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = h.harbour(tmp_path)
    h.say(app, "look", "ask osk about lin", "search under the counter", "go door")
    report = app.leaks.campaign(app.campaigns, "game")
    assert report.leaks == ()
    assert report.checks["narration"] > 4
    assert [one for one in report.remarks if "could not be played" in one] == []
    result = run(app.workspace.root, monkeypatch, "campaign", "test", "game", "--leaks")
    assert result.exit_code == 0, result.output
    assert run(app.workspace.root, monkeypatch, "campaign", "test", "game").exit_code == 1


@pytest.mark.campaign
def test_what_was_told_too_soon_in_a_campaign_is_found_with_its_turn(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    h.say(app, "look", "wait")
    with app.campaigns.reading("game") as store:
        turn_id = store.turns()[1]["turn_id"]
    path = app.campaigns.path("game")
    with sqlite3.connect(path) as database:
        database.execute(
            "UPDATE messages SET content = ? WHERE turn_id = ? AND type = 'narration'", (leaky_town.LETTER, turn_id)
        )
    database.close()
    report = app.leaks.campaign(app.campaigns, "game")
    assert {(one.secret, one.viewer, one.channel, one.where) for one in report.leaks} >= {
        ("harbour:tavern:discoverable#letter", "player", "log", "turn 1")
    }
