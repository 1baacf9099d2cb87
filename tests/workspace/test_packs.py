"""Packs as a workspace's owner handles them."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import pytest

from lorewright.bootstrap import App, open_app
from lorewright.errors import NotFound, PackError
from lorewright.lore_bootstrap import make_empty_workspace
from lorewright.retrieval.query import LoreRetrievalQuery
from support import harbour as h
from support.corpora import corpus_pack
from support.scale import scaled


@pytest.fixture
def app(tmp_path: Path) -> App:
    make_empty_workspace(tmp_path / "workspace")
    h.write_pack(tmp_path / "source" / "harbour")
    return open_app(tmp_path / "workspace")


def test_a_pack_is_used_where_it_lies_or_copied(app: App, tmp_path: Path) -> None:
    source = tmp_path / "source" / "harbour"
    assert app.packs.install(source).pack.path == str(source.resolve())
    app.packs.remove("harbour")
    assert app.packs.install(source, copy=True).pack.path == str(app.workspace.content_packs / "harbour")


def test_an_archive_is_copied_into_the_workspace(app: App, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "harbour.zip", "w") as archive:
        for path in (tmp_path / "source").rglob("*"):
            archive.write(path, path.relative_to(tmp_path / "source"))
    installed = app.packs.install(tmp_path / "harbour.zip").pack
    assert installed.path == str(app.workspace.content_packs / "harbour")
    assert app.packs.stats("harbour")["chunks"] == installed.chunks


def test_a_copy_with_errors_leaves_no_trace(app: App, tmp_path: Path) -> None:
    (tmp_path / "source" / "harbour" / "bad.md").write_text("---\na: b: c\n---\n")
    with pytest.raises(PackError, match="was not installed"):
        app.packs.install(tmp_path / "source" / "harbour", copy=True)
    assert not (app.workspace.content_packs / "harbour").exists()
    assert app.library.packs() == []


def test_a_pack_that_is_needed_is_not_removed(app: App, tmp_path: Path) -> None:
    root = h.write_workspace(app.workspace.root)
    app = open_app(root)
    app.campaigns.new("night_boat", campaign_id="game")
    with pytest.raises(PackError, match="the campaign game"):
        app.packs.remove("harbour")
    below = {"pack.yaml": "id: below\n", "a.md": "# A\n"}
    above = {"pack.yaml": "id: above\ndepends_on: [below]\n", "a.md": "# A\n"}
    app.packs.install(h.write_pack(tmp_path / "source" / "below", below))
    app.packs.install(h.write_pack(tmp_path / "source" / "above", above))
    with pytest.raises(PackError, match="the pack above"):
        app.packs.remove("below")
    app.packs.remove("above")
    app.packs.remove("below")
    assert [pack.id for pack in app.library.packs()] == ["harbour"]


def test_what_is_not_installed_is_named(app: App) -> None:
    for ask in (app.packs.show, app.packs.stats, app.packs.remove):
        with pytest.raises(NotFound, match="no pack nothing is installed"):
            ask("nothing")


def test_show_tells_who_needs_a_pack_and_what_it_holds(app: App) -> None:
    app = open_app(h.write_workspace(app.workspace.root))
    app.campaigns.new("night_boat", campaign_id="game")
    shown = app.packs.show("harbour")
    assert shown["campaigns"] == ["game"]
    assert [entity["name"] for entity in shown["entities"] if entity["type"] == "npc"] == ["Bea", "Lin", "Osk"]


@pytest.mark.campaign
@pytest.mark.corpora
@pytest.mark.parametrize(("name", "words"), [("asis-cairn", "goblin market"), ("asis-dnd-srd", "goblin")][: scaled(1)])
def test_a_real_authors_folder_installs_without_a_manifest_and_answers(
    app: App, tmp_path: Path, name: str, words: str
) -> None:
    folder = tmp_path / name
    shutil.copytree(corpus_pack(name), folder, ignore=shutil.ignore_patterns("pack.yaml"))
    installed = app.packs.install(folder)
    assert installed.pack.files > 400
    found = app.lore.retrieve(LoreRetrievalQuery(keywords=words), packs=[installed.pack.id]).result
    assert any("goblin" in chunk.text.casefold() for chunk in found.chunks)
