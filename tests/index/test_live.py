"""An index that is updated in memory holds what one that was built anew holds, and gives the same answers."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lorewright.errors import EmbedderError
from lorewright.index import live
from lorewright.index.building import fill
from lorewright.index.embedders.embedder import Vectors
from lorewright.index.embedders.hashing import HashingEmbedder
from lorewright.index.embedding_cache import EmbeddingCache
from lorewright.index.library import Library
from lorewright.index.live import LiveIndex
from lorewright.index.lore_indexer import LoreIndexer
from lorewright.index.vector_building import VectorBuilder
from lorewright.packs.files import ParseCache
from lorewright.packs.loader import load_pack
from lorewright.packs.models import Pack
from support.pack_builder import TOWN, as_bytes, ask, write_pack
from support.pack_edits import EDITS, TEXTS, apply_edit
from support.scale import scaled

QUESTIONS = ("who owns the bar", "Viktor", "the ledger behind the bar", "more", "Pier 9")
STAYS = {**TOWN, "hand.md": "# Hand\n\nA hand.\n"}


def builder(folder: Path) -> VectorBuilder:
    return VectorBuilder(HashingEmbedder(), EmbeddingCache(folder / "embeddings.db"), bool)


def rows_of(connection: sqlite3.Connection) -> dict[str, list[tuple[object, ...]]]:
    """All that stands in the tables of a generation; rows of chunks by their place, whatever their numbers."""
    places = {row: place for place, (row,) in enumerate(connection.execute("SELECT rowid FROM pack_chunks ORDER BY 1"))}
    told: dict[str, list[tuple[object, ...]]] = {}
    tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%\\_fts%' ESCAPE '\\'"
    for (table,) in connection.execute(tables).fetchall():
        columns = [column[1] for column in connection.execute(f"PRAGMA table_info({table})")]
        found = [dict(zip(columns, row, strict=True)) for row in connection.execute(f"SELECT * FROM {table}")]
        for row in found:
            for key in ("rowid", "chunk"):
                if key in row:
                    row[key] = places[row[key]]
        told[table] = sorted((tuple(map(str, row.values())) for row in found), key=str)
    return told


def assert_as_new(index: LiveIndex, pack: Pack, folder: Path) -> None:
    """What the updated index holds and answers is what an installed one does."""
    updated = index.update(pack)
    with closing(sqlite3.connect(":memory:")) as fresh:
        fill(fresh, pack)
        assert rows_of(updated.generation.connection) == rows_of(fresh)
    vectors = builder(folder)
    library = Library(folder / "indexes", vectors)
    root = Path(pack.root)
    key = LoreIndexer(library).index_pack(root, lenient=True).pack.key if not pack.errors else None
    if key is None:
        return
    with closing(library.open(key)) as installed:
        for viewer in ("gm", "player"):
            for words in QUESTIONS:
                asked = {"viewer": viewer, "location_id": "bar"}
                assert as_bytes(ask((updated.generation,), words, **asked)) == as_bytes(
                    ask((installed,), words, **asked)
                )


@pytest.mark.campaign
@settings(max_examples=scaled(12))
@given(edits=st.lists(EDITS, min_size=1, max_size=4))
@example(
    edits=[
        ("append", "npcs/mara.md", "\n## More\n\nmore\n"),
        ("rename", "npcs/mara.md", "a.md"),
        ("write", "a.md", TEXTS[9]),
    ]
)
@example(edits=[("delete", "items/hand.md", ""), ("delete", "locations/bar.md", "")])
def test_after_any_edits_it_holds_and_answers_what_an_installed_one_does(edits: list[tuple[str, str, str]]) -> None:
    with tempfile.TemporaryDirectory() as parent:
        folder = write_pack(Path(parent), STAYS)
        memory = ParseCache()
        with closing(LiveIndex(builder(Path(parent)))) as index:
            assert_as_new(index, load_pack(folder, memory=memory), Path(parent))
            for edit in edits:
                apply_edit(folder, edit)
                assert_as_new(index, load_pack(folder, memory=memory), Path(parent))


def test_only_what_changed_is_written_and_embedded(tmp_path: Path) -> None:
    folder = write_pack(tmp_path, TOWN)
    with closing(LiveIndex(builder(tmp_path))) as index:
        first = index.update(load_pack(folder))
        assert (first.changed, first.embedded > 0) == (len(load_pack(folder).chunks), True)
        assert (index.update(load_pack(folder)).changed, index.update(load_pack(folder)).embedded) == (0, 0)
        apply_edit(folder, ("append", "items/hand.md", "\nIt points north.\n"))
        edited = index.update(load_pack(folder))
        assert (edited.changed, edited.embedded) == (2, 1)
        apply_edit(folder, ("write", "items/hand.md", str(TOWN["items/hand.md"])))
        assert index.update(load_pack(folder)).embedded == 0


def test_where_there_is_no_room_between_two_chunks_all_is_written_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "_GAP", 2)
    folder = write_pack(tmp_path, TOWN)
    with closing(LiveIndex()) as index:
        index.update(load_pack(folder))
        apply_edit(folder, ("append", "factions/guild.md", "".join(f"\n## {name}\n\n{name}\n" for name in "ABCDE")))
        pack = load_pack(folder)
        updated = index.update(pack)
        assert updated.changed == len(pack.chunks)
        assert [chunk.id for chunk in updated.generation.all_chunks()] == [chunk.id for chunk in pack.chunks]


class Moody(HashingEmbedder):
    """Fails while it is told to."""

    fails = False

    def embed(self, texts: list[str]) -> Vectors:  # type: ignore[override]
        if self.fails:
            raise EmbedderError("no answer", hint="wait")
        return super().embed(texts)


def test_while_the_embedder_fails_words_find_it_and_then_meaning_again(tmp_path: Path) -> None:
    folder = write_pack(tmp_path, TOWN)
    embedder = Moody()
    with closing(LiveIndex(VectorBuilder(embedder, EmbeddingCache(tmp_path / "embeddings.db"), bool))) as index:
        assert index.update(load_pack(folder)).generation.vectors is not None
        embedder.fails = True
        apply_edit(folder, ("append", "items/hand.md", "\nIt points north.\n"))
        failed = index.update(load_pack(folder))
        assert failed.problem is not None
        assert failed.generation.vectors is None
        assert ask((failed.generation,), "points north").result.chunks
        embedder.fails = False
        assert index.update(load_pack(folder)).embedded == 1


def test_an_update_that_was_cut_off_is_made_good_by_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_pack(tmp_path, STAYS)
    with closing(LiveIndex(builder(tmp_path))) as index:
        index.update(load_pack(folder))
        apply_edit(folder, ("append", "npcs/mara.md", "\n## More\n\nmore\n"))
        with monkeypatch.context() as broken, pytest.raises(KeyboardInterrupt):
            broken.setattr(live, "write_meta", _interrupted)
            index.update(load_pack(folder))
        assert_as_new(index, load_pack(folder), tmp_path)


def _interrupted(*anything: object) -> None:
    raise KeyboardInterrupt
