"""The seed's operations on the index."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lorewright.errors import NotFound, PackError
from lorewright.index.embedders.hashing import HashingEmbedder
from lorewright.index.embedding_cache import EmbeddingCache
from lorewright.index.library import Library
from lorewright.index.lore_indexer import LoreIndexer
from lorewright.index.vector_building import VectorBuilder
from lorewright.packs.loader import load_pack
from lorewright.storage.database import opened
from support.pack_builder import write_pack

FILES = {"npcs/mara.md": "# Mara\n\nShe mends nets.\n\n## Past\n\nShe sailed with the *Heron*.\n"}


@pytest.fixture
def library(tmp_path: Path) -> Library:
    indexes = tmp_path / "indexes"
    return Library(indexes, VectorBuilder(HashingEmbedder(), EmbeddingCache(indexes / "embeddings.db"), bool))


def test_a_pack_is_indexed_reindexed_and_counted(tmp_path: Path, library: Library) -> None:
    indexer = LoreIndexer(library)
    folder = write_pack(tmp_path, FILES)
    installed = indexer.index_pack(folder)
    stats = indexer.get_index_stats(installed.pack.id)
    assert stats["chunks"] == 2
    assert stats["total_tokens"] == installed.pack.tokens
    assert stats["last_indexed"]
    assert indexer.reindex(installed.pack.id).embedding == replace(installed.embedding, new=0)


def test_a_chunk_that_was_indexed_ahead_is_not_embedded_again(tmp_path: Path, library: Library) -> None:
    folder = write_pack(tmp_path, FILES)
    indexer = LoreIndexer(library)
    chunks = load_pack(folder).chunks
    assert [indexer.index_chunk(chunk) for chunk in chunks] == [chunk.id for chunk in chunks]
    embedding = indexer.index_pack(folder).embedding
    assert embedding is not None
    assert (embedding.windows, embedding.new) == (2, 0)


def test_an_unknown_pack_has_no_stats(library: Library) -> None:
    with pytest.raises(NotFound, match="ghost"):
        LoreIndexer(library).get_index_stats("ghost")


def test_a_text_that_has_not_changed_is_not_parsed_and_says_the_same_of_itself(
    tmp_path: Path, library: Library
) -> None:
    indexer = LoreIndexer(library)
    folder = write_pack(tmp_path, {**FILES, "npcs/jin.md": "# Jin\n\nHe is with [[Nobody]].\n"})
    first = indexer.index_pack(folder)
    read: list[str] = []
    again = indexer.reindex(first.pack.id, progress=lambda what, done, of: read.append(what))
    assert not again.built
    assert again.findings == first.findings
    assert any(finding.code == "dangling-reference" for finding in again.findings)
    assert again.pack == first.pack
    assert "reading" not in read
    indexer.reindex(first.pack.id, anew=True, progress=lambda what, done, of: read.append(what))
    assert "reading" in read


@pytest.mark.parametrize("change", ["note", "manifest", "another version"])
def test_whatever_changes_what_is_found_has_the_text_read_again(tmp_path: Path, library: Library, change: str) -> None:
    indexer = LoreIndexer(library)
    folder = write_pack(tmp_path, FILES)
    pack_id = indexer.index_pack(folder).pack.id
    if change == "note":
        (folder / "npcs" / "mara.md").write_text("# Mara\n\nShe mends sails.\n", encoding="utf-8")
    elif change == "manifest":
        manifest = folder / "pack.yaml"
        manifest.write_text(manifest.read_text(encoding="utf-8") + "description: A harbour.\n", encoding="utf-8")
    else:
        with opened(library.database) as database, database.transaction() as connection:
            connection.execute("UPDATE content_packs SET findings_json = replace(findings_json, '0.', '9.')")
    read: list[str] = []
    indexer.reindex(pack_id, progress=lambda what, done, of: read.append(what))
    assert "reading" in read


def test_a_dependency_that_is_gone_is_told_though_the_text_is_the_same(tmp_path: Path, library: Library) -> None:
    indexer = LoreIndexer(library)
    base = {"pack.yaml": "id: base\nname: base\nversion: 1.0.0\n", **FILES}
    needs = {"pack.yaml": "id: needs\nname: needs\ndepends_on: [base]\n", "a.md": "# A\n\nText.\n"}
    indexer.index_pack(write_pack(tmp_path / "one", base))
    indexer.index_pack(write_pack(tmp_path / "two", needs))
    with opened(library.database) as database, database.transaction() as connection:
        connection.execute("DELETE FROM content_packs WHERE id = 'base'")
    with pytest.raises(PackError, match="base"):
        indexer.reindex("needs")
