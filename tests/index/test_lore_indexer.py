"""The seed's operations on the index."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lorewright.errors import NotFound
from lorewright.index.embedders.hashing import HashingEmbedder
from lorewright.index.embedding_cache import EmbeddingCache
from lorewright.index.library import Library
from lorewright.index.lore_indexer import LoreIndexer
from lorewright.index.vector_building import VectorBuilder
from lorewright.packs.loader import load_pack
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
