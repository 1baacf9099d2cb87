"""What takes long to build is built once for all test processes of a run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from lorewright.index.embedders.embedder import Embedder
from lorewright.index.embedding_cache import EmbeddingCache
from lorewright.index.library import Library
from lorewright.index.vector_building import VectorBuilder


def embedding_library(indexes: Path, embedder: Embedder) -> Library:
    """A library whose packs are embedded, without Chroma."""
    return Library(indexes, VectorBuilder(embedder, EmbeddingCache(indexes / "embeddings.db"), bool))


def built_once(factory: pytest.TempPathFactory, name: str, build: Callable[[Path], None]) -> Path:
    """The folder that `build` fills; whoever comes first builds, the others wait for it."""
    base = factory.getbasetemp()
    # Under pytest-xdist each process has a folder of its own below that of the run.
    shared = (base.parent if base.name.startswith("popen-") else base) / f"shared-{name}"
    with FileLock(f"{shared}.lock"):
        if not (shared / "done").is_file():
            shared.mkdir(exist_ok=True)
            build(shared)
            (shared / "done").touch()
    return shared
