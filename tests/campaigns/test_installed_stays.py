"""Checking and making scenarios, and walks: an installed pack stays as it is, whatever its folder holds by now."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

import pytest

from lorewright.bootstrap import App, open_app
from support import harbour as h

FOLDERS = ("indexes/generations", "content_packs")


def everything(app: App) -> dict[str, str]:
    """The list of packs, and the bytes of all that is kept of them."""
    root = app.workspace.root
    found = {"packs": json.dumps([asdict(pack) for pack in app.library.packs()])}
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            # Locks are empty files, there or not.
            if path.is_file() and not path.name.endswith(".lock"):
                found[path.relative_to(root).as_posix()] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


@pytest.fixture
def app(tmp_path: Path) -> App:
    root = h.write_workspace(tmp_path / "workspace")
    app = open_app(root)
    app.indexer.index_pack(root / "content_packs" / "harbour")
    return app


def change(app: App) -> None:
    folder = app.workspace.content_packs / "harbour"
    (folder / "npcs").mkdir(exist_ok=True)
    text = "---\nid: nessa\ntype: npc\nname: Nessa\n---\n# Nessa\n\nShe mends nets at the quay.\n"
    (folder / "npcs" / "nessa.md").write_text(text, encoding="utf-8")


def validate(app: App, folder: Path) -> None:
    path = app.campaigns.scenario_path("night_boat")
    assert not [one for one in app.scenarios.findings(path) if one.severity == "error"]
    app.scenarios.demo_findings(path, app.rehearsal(folder, by_words=True))


@pytest.mark.parametrize("is_changed", [False, True], ids=["the same text", "another text"])
def test_to_check_a_scenario_changes_nothing_that_is_installed(app: App, tmp_path: Path, is_changed: bool) -> None:
    if is_changed:
        change(app)
    before = everything(app)
    validate(app, tmp_path / "trial")
    assert everything(app) == before


@pytest.mark.parametrize("is_changed", [False, True], ids=["the same text", "another text"])
def test_to_read_packs_for_a_scenario_changes_nothing_that_is_installed(app: App, is_changed: bool) -> None:
    if is_changed:
        change(app)
    before = everything(app)
    with app.explorer.trying():
        prepared = app.generator.prepare(["harbour"])
        assert len(prepared.installed) == 1
        # What is read is the folder as it is now.
        names = {one.entity.name for one in prepared.ground.survey.notes.values()}
        assert ("Nessa" in names) == is_changed
    assert everything(app) == before


@pytest.mark.parametrize("by", ["id", "folder"])
def test_a_walk_in_a_changed_folder_has_its_text_and_leaves_the_installed_pack(app: App, by: str) -> None:
    change(app)
    before = everything(app)
    name = "harbour" if by == "id" else str(app.workspace.content_packs / "harbour")
    pack, findings = app.explorer.pack(name)
    found = app.explorer.walk(pack, findings, seed=1)
    row = app.explorer.begin(found, app.campaigns, seed=1)
    assert row.pins[0].content_hash == pack.content_hash != app.library.get("harbour").content_hash
    after = everything(app)
    assert {key: after[key] for key in before} == before
    # It is known again, and gone on with.
    again = app.explorer.unchanged(name)
    assert again is not None
    assert again.key == pack.key
    assert app.explorer.unchanged(name, installed=True) is None


def test_with_another_embedder_nothing_is_embedded(app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = everything(app)
    monkeypatch.setenv("LOREWRIGHT_EMBEDDER", "hashing")
    other = open_app(app.workspace.root)
    assert other.library.vectors is not None
    validate(other, tmp_path / "trial")
    with other.explorer.trying():
        other.generator.prepare(["harbour"])
    assert everything(app) == before
