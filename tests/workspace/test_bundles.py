"""A game in one file: another workspace plays it, and nothing that is there is written over."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lorewright.bootstrap import App, open_app
from lorewright.cli.root import app as commands
from lorewright.errors import DamagedFile, LorewrightError, NotFound, PackError, ScenarioError
from lorewright.lore_bootstrap import make_workspace
from lorewright.storage.containers import write_container
from support import harbour as h


def bundled(tmp_path: Path) -> Path:
    app = open_app(h.write_workspace(tmp_path / "here"))
    out = tmp_path / "night_boat.zip"
    app.bundles.write(app.campaigns.scenario_path("night_boat"), out)
    return out


def empty(tmp_path: Path) -> App:
    make_workspace(tmp_path / "there")
    return open_app(tmp_path / "there")


def texts(app: App) -> dict[str, bytes]:
    root = app.workspace.root
    folders = (root / "scenarios", root / "rulesets", root / "content_packs")
    found = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


def test_a_game_is_played_in_another_workspace_from_one_file(tmp_path: Path) -> None:
    path, there = bundled(tmp_path), empty(tmp_path)
    bundle = there.bundles.add(path)
    assert (bundle.scenario_id, bundle.packs) == ("night_boat", ("harbour",))
    assert "harbour" in bundle.licences[0]
    there.campaigns.new("night_boat", campaign_id="game", seed=1)
    with there.campaigns.open("game") as campaign:
        assert campaign.store.head().state.scene.location_id


def test_the_same_game_gives_the_same_file_without_campaigns_settings_or_dates(tmp_path: Path) -> None:
    (tmp_path / "again").mkdir()
    app = open_app(h.write_workspace(tmp_path / "again" / "here"))
    app.campaigns.new("night_boat", campaign_id="game", seed=1)
    app.bundles.write(app.campaigns.scenario_path("night_boat"), tmp_path / "again.zip")
    first = bundled(tmp_path)
    assert first.read_bytes() == (tmp_path / "again.zip").read_bytes()
    with zipfile.ZipFile(first) as archive:
        names = archive.namelist()
    assert {name.partition("/")[0] for name in names} == {"scenario.yaml", "packs", "LICENCES.txt", "manifest.json"}


def test_a_game_that_is_there_already_is_left_as_it_is(tmp_path: Path) -> None:
    path, there = bundled(tmp_path), empty(tmp_path)
    there.bundles.add(path)
    before = texts(there)
    there.bundles.add(path)
    assert texts(there) == before


@pytest.mark.parametrize("changed", ["scenarios/night_boat.yaml", "content_packs/harbour/pack.yaml"])
def test_what_is_there_with_another_text_is_not_written_over_and_nothing_is_added(tmp_path: Path, changed: str) -> None:
    path, there = bundled(tmp_path), empty(tmp_path)
    other = there.workspace.root / changed
    other.parent.mkdir(parents=True, exist_ok=True)
    other.write_text("id: harbour\nname: Another\n", encoding="utf-8")
    before = texts(there)
    with pytest.raises(ScenarioError, match="another text"):
        there.bundles.add(path)
    assert texts(there) == before
    assert there.library.packs() == []


def test_an_own_ruleset_and_packs_that_are_depended_on_are_in_the_file(tmp_path: Path) -> None:
    root = h.write_workspace(tmp_path / "here")
    shipped = (Path(__file__).parents[2] / "src/lorewright/rules/library/freeform.yaml").read_text(encoding="utf-8")
    (root / "rulesets").mkdir(exist_ok=True)
    (root / "rulesets" / "mine.yaml").write_text(shipped.replace("id: freeform", "id: mine", 1), encoding="utf-8")
    scenario = root / "scenarios" / "night_boat.yaml"
    scenario.write_text(scenario.read_text(encoding="utf-8") + "\nruleset: mine\n", encoding="utf-8")
    base = root / "content_packs" / "base"
    base.mkdir()
    (base / "pack.yaml").write_text("id: base\nname: Base\nlicense: {type: CC0}\n", encoding="utf-8")
    note = "---\nid: fog\ntype: rule\nimage: fog.png\n---\n\n# Fog\n\nIt comes at ten.\n"
    (base / "fog.md").write_text(note, encoding="utf-8")
    (base / "fog.png").write_bytes(b"\x89PNG\r\n\x1a\nfog")
    (base / "not_named.png").write_bytes(b"\x89PNG\r\n\x1a\nother")
    manifest = root / "content_packs" / "harbour" / "pack.yaml"
    manifest.write_text(manifest.read_text(encoding="utf-8") + "\ndepends_on: [{id: base}]\n", encoding="utf-8")
    app = open_app(root)
    assert app.bundles.write(scenario, tmp_path / "g.zip").packs == ("base", "harbour")
    there = empty(tmp_path)
    there.bundles.add(tmp_path / "g.zip")
    assert "rulesets/mine.yaml" in texts(there)
    assert {path for path in texts(there) if path.endswith(".png")} == {"content_packs/base/fog.png"}
    assert {pack.id for pack in there.library.packs()} == {"base", "harbour"}


def test_a_file_that_was_altered_or_is_no_game_adds_nothing(tmp_path: Path) -> None:
    path, there = bundled(tmp_path), empty(tmp_path)
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 1
    (tmp_path / "altered.zip").write_bytes(data)
    write_container(tmp_path / "other.zip", {"format": "something"}, [("a", b"b")])
    about = {"format": "lorewright-game", "version": 99, "scenario": "x", "name": "x", "packs": [], "licences": []}
    write_container(tmp_path / "later.zip", about, [("scenario.yaml", b"id: x\n")])
    before = texts(there)
    for name, problem in (
        ("altered.zip", LorewrightError),
        ("other.zip", PackError),
        ("later.zip", PackError),
        ("missing.zip", NotFound),
    ):
        with pytest.raises(problem):
            there.bundles.add(tmp_path / name)
    assert texts(there) == before


@pytest.mark.parametrize("member", ["../out.md", "packs/../../out.md", "/out.md", "packs/harbour/../../../out.md"])
def test_a_member_that_leads_out_of_the_file_is_refused(tmp_path: Path, member: str) -> None:
    about = {"format": "lorewright-game", "version": 1, "scenario": "x", "name": "x", "packs": [], "licences": []}
    write_container(tmp_path / "bad.zip", about, [("scenario.yaml", b"id: x\n"), (member, b"x")])
    there = empty(tmp_path)
    with pytest.raises((PackError, DamagedFile)):
        there.bundles.add(tmp_path / "bad.zip")
    assert not list(tmp_path.rglob("out.md"))


def test_names_that_lead_out_or_do_not_fit_the_manifest_are_refused(tmp_path: Path) -> None:
    scenario = "id: x\nname: X\nintro_seed: Here.\nstart: hall\nplaces: {hall: {name: Hall}}\n"
    pack = b"id: another\nname: X\nlicense: {type: CC0}\n"
    games = {
        "ruleset": (scenario + "ruleset: ../../out\n", [("ruleset.yaml", b"id: x\n")], []),
        "pack": (scenario, [("packs/one/pack.yaml", pack)], ["one"]),
    }
    there = empty(tmp_path)
    before = texts(there)
    for name, (text, members, packs) in games.items():
        about = {
            "format": "lorewright-game",
            "version": 1,
            "scenario": "x",
            "name": "x",
            "packs": packs,
            "licences": [],
        }
        write_container(tmp_path / f"{name}.zip", about, [("scenario.yaml", text.encode()), *members])
        with pytest.raises((PackError, ScenarioError)):
            there.bundles.add(tmp_path / f"{name}.zip")
    assert texts(there) == before
    assert not list(tmp_path.rglob("out.yaml"))


def test_the_commands_write_and_play_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(h.write_workspace(tmp_path / "here"))
    run = CliRunner().invoke
    written = run(commands, ["scenario", "bundle", "night_boat", "../g.zip"])
    assert written.exit_code == 0
    assert "lorewright play g.zip" in written.stdout
    again = run(commands, ["scenario", "bundle", "night_boat", "../g.zip"])
    assert isinstance(again.exception, PackError)
    make_workspace(tmp_path / "there")
    monkeypatch.chdir(tmp_path / "there")
    played = run(commands, ["play", "../g.zip", "--seed", "1"], input="look\n/quit\n")
    assert played.exit_code == 0, played.output
    assert (tmp_path / "there" / "scenarios" / "night_boat.yaml").is_file()
