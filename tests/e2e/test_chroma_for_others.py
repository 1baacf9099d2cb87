"""What `pack install` builds for other programs: two Chroma collections that `chromadb` alone can read, in the
background, and never in the way of what is asked or played."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from lorewright.index import chroma_background
from lorewright.index.chroma_background import build_all, folders_without
from lorewright.index.library import Library
from lorewright.index.vectors import chroma_files
from lorewright.index.vectors.chroma_building import chroma_state
from lorewright.lore_bootstrap import make_empty_workspace, open_lore
from lorewright.settings import CHROMA_VARIABLE, EMBEDDER_VARIABLE, WORKSPACE_VARIABLE
from lorewright.storage.enclosure import Enclosure
from support.command_line import run_command, workspace_environment
from support.pack_builder import write_pack

FINGERPRINT = "hashing-256"
# What another program does, which knows nothing of this one.
READ = """
import json, sys
import chromadb
found = {}
client = chromadb.PersistentClient(sys.argv[1])
for collection in client.list_collections():
    read = client.get_collection(collection.name)
    records = read.get(include=["documents", "metadatas", "embeddings"])
    nearest = read.query(query_embeddings=[records["embeddings"][0]], n_results=1)
    found[read.name] = {
        "about": read.metadata, "count": read.count(), "ids": records["ids"], "texts": records["documents"],
        "metadata": records["metadatas"], "first": records["ids"][0], "nearest": nearest["ids"][0][0],
    }
assert not any(name.startswith("lorewright") for name in sys.modules)
print(json.dumps(found))
"""
FILES = {
    "places/mill.md": "# Mill\n\nRye is ground here.\n\n## History\n\n" + "The wheel turns in the brook. " * 30,
    "npcs/ada.md": "# Ada\n\nAda keeps the mill.\n\n## Secrets\n\n- {#flour} She mixes chalk into the flour.\n",
    "events/flood.md": "---\nwhen: {clock: rain, min: 3}\n---\n# Flood\n\nThe mill stands under water.\n",
}


def command(root: Path, *arguments: str, chroma: str = "auto") -> subprocess.CompletedProcess[str]:
    environment = workspace_environment(root, **{EMBEDDER_VARIABLE: "hashing", CHROMA_VARIABLE: chroma})
    return run_command(*arguments, environment=environment, cwd=root)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_empty_workspace(tmp_path / "ws")
    write_pack(tmp_path / "ws" / "content_packs", FILES, pack_id="valley")
    return tmp_path / "ws"


def built(root: Path) -> Path | None:
    """The folder of the only collection, once it is there."""
    return next(iter(root.glob(f"indexes/generations/*/*/{chroma_files.CHROMA}")), None)


def awaited(root: Path) -> Path:
    deadline = time.monotonic() + 120
    while (found := built(root)) is None and time.monotonic() < deadline:
        time.sleep(0.1)
    assert found is not None
    return found


def read_by_another(folder: Path) -> dict[str, Any]:
    done = subprocess.run([sys.executable, "-c", READ, str(folder)], capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.campaign
def test_another_program_reads_an_installed_pack_with_chromadb_alone(root: Path, tmp_path: Path) -> None:
    done = command(root, "pack", "install", "content_packs/valley", "--json")
    # The document stands alone on stdout, and the pack answers whether or not the collections are there.
    windows = json.loads(done.stdout)["embedding"]["windows"]
    assert "rye" in command(root, "lore", "query", "mill").stdout.lower()
    found = read_by_another(shutil.copytree(awaited(root), tmp_path / "copy"))
    assert sorted(found) == ["hidden", "open"]
    assert sum(each["count"] for each in found.values()) == windows
    assert all(each["nearest"] == each["first"] for each in found.values())
    with closing(sqlite3.connect(next(root.glob("indexes/generations/valley/*keywords*/chunks.db")))) as chunks:
        rows = chunks.execute(
            "SELECT embedding_id, id, role FROM pack_chunks WHERE embedding_id IS NOT NULL"
        ).fetchall()
    is_open = {name: role == "lore" and "flood" not in name for name, _, role in rows}
    for collection, each in found.items():
        ids = {name for name, belongs in is_open.items() if belongs == (collection == "open")}
        assert {name for name in each["ids"] if "@" not in name} == ids
        assert {about["embedding_id"] for about in each["metadata"]} == ids
        assert each["about"] == {
            "pack_id": "valley",
            "pack_version": "1.0.0",
            "license": "CC0",
            "embedder": FINGERPRINT,
        }
        assert all(
            {"entity_id", "type", "title", "section", "role", "file_path", "line"} <= set(about)
            for about in each["metadata"]
        )
    assert "valley:mill:history@2" in found["open"]["ids"]
    assert "chalk" not in json.dumps(found["open"]) and "under water" not in json.dumps(found["open"])
    assert any("chalk" in text for text in found["hidden"]["texts"])


@pytest.mark.campaign
def test_a_build_that_was_killed_is_finished_by_the_next_install_and_its_rest_is_swept(root: Path) -> None:
    assert command(root, "pack", "install", "content_packs/valley", chroma="never").returncode == 0
    folder = next(root.glob("indexes/generations/valley/*hashing*"))
    (folder / chroma_files.BUILDING).mkdir()
    (folder / chroma_files.BUILDING / "half").write_text("half")
    assert command(root, "doctor", chroma="auto").returncode == 0
    assert not (folder / chroma_files.BUILDING).exists()
    (folder / chroma_files.BUILDING).mkdir()
    assert command(root, "pack", "reindex", chroma="always").returncode == 0
    assert chroma_state(folder) == "sound"
    assert not (folder / chroma_files.BUILDING).exists()
    # It is nobody's loss: what is asked is answered as before, and nothing is said to be wrong.
    before = command(root, "lore", "query", "mill", "--json").stdout
    shutil.rmtree(folder / chroma_files.CHROMA)
    assert json.loads(command(root, "lore", "query", "mill", "--json").stdout)["chunks"] == json.loads(before)["chunks"]
    assert command(root, "doctor", "--dry-run").returncode == 0


@pytest.mark.campaign
def test_a_pack_that_is_removed_takes_its_half_built_collections_along(root: Path) -> None:
    assert command(root, "pack", "install", "content_packs/valley").returncode == 0
    assert command(root, "pack", "remove", "valley").returncode == 0
    time.sleep(1)
    assert not (root / "indexes" / "generations" / "valley").exists()


def installed(root: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    for name, value in ((WORKSPACE_VARIABLE, str(root)), (EMBEDDER_VARIABLE, "hashing")):
        monkeypatch.setenv(name, value)
    app = open_lore(root)
    app.install(root / "content_packs" / "valley")
    return app.library


def test_neither_a_game_nor_a_library_that_installs_builds_collections(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CHROMA_VARIABLE, "auto")
    library = installed(root, monkeypatch)
    assert [folder.parent.name for folder in folders_without(library, FINGERPRINT)] == ["valley"]
    assert not list((root / "indexes").rglob("chroma*"))


def test_one_process_builds_at_a_time_and_sees_what_others_install_meanwhile(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = installed(root, monkeypatch)
    write_pack(root / "content_packs", {"places/hill.md": "# Hill\n\nWind and grass.\n"}, pack_id="hill")
    order: list[str] = []

    def build(folder: Path) -> bool:
        order.append(folder.parent.name)
        # Another command installs a pack now, and finds that somebody builds already.
        open_lore(root).install(root / "content_packs" / "hill")
        assert build_all(library, FINGERPRINT, wait=False)
        return True

    monkeypatch.setattr(chroma_background, "build_missing_chroma", build)
    assert not build_all(library, FINGERPRINT, wait=False)
    assert order == ["valley", "hill"]


@pytest.mark.campaign
def test_whatever_a_builder_does_it_does_at_the_lowest_priority(root: Path) -> None:
    code = "import os; from lorewright.index.chroma_background import main; main('nowhere', 'none'); print(os.nice(0))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.strip() == "19"


def test_nothing_is_built_while_a_folder_is_indexed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = installed(root, monkeypatch)
    taken: list[str] = []
    real = Enclosure.locked

    def locked(self: Enclosure, path: Path, **options: Any) -> Any:
        taken.append(path.name)
        return real(self, path, **options)

    monkeypatch.setattr(Enclosure, "locked", locked)
    monkeypatch.setattr(chroma_background, "build_missing_chroma", lambda folder: taken.append("built"))
    build_all(library, FINGERPRINT, wait=False)
    assert taken == [".chroma.lock", ".build.lock", ".embed.lock", "built"]
