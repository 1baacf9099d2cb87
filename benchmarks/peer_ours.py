"""Ours, asked as the others are: a size that `scale_store` built. Exact search, or Chroma."""

from __future__ import annotations

from pathlib import Path

from lorewright.index.embedders.embedder import RememberingEmbedder
from lorewright.index.embedders.minilm import MiniLM
from lorewright.index.vectors.chroma import open_chroma
from lorewright.index.vectors.stored import StoredVectors
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import retrieve
from lorewright.retrieval.view import LoreView
from scale_store import opened, pack_key


class _Ours:
    def __init__(self, view: LoreView) -> None:
        self._view = view

    def ask(self, text: str) -> list[str]:
        found = retrieve(self._view, LoreRetrievalQuery(keywords=text)).result.chunks
        return [f"{chunk.file_path}\t{' > '.join(chunk.section_path.split(' > ')[1:])}" for chunk in found]


def open_store(option: str, store: Path, model: str) -> _Ours:
    """The size that belongs to a folder of nodes."""
    library = opened(int(store.parent.name), RememberingEmbedder(MiniLM()))
    if option == "chroma":
        library._open_nearest = lambda folder, vectors: StoredVectors(vectors, open_chroma(folder))
    return _Ours(LoreView((library.open(pack_key(library)),)))
