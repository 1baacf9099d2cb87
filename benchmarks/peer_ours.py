"""Ours, asked as the others are: a size that `scale_store` built, or the sourcebook. Exact search, or Chroma."""

from __future__ import annotations

from pathlib import Path

from peer_nodes import sourcebook
from scale_store import built, opened, pack_key

from lorewright.index.embedders.minilm import MiniLM
from lorewright.index.embedders.remembering import RememberingEmbedder
from lorewright.index.library import Library
from lorewright.index.vectors.chroma import open_chroma
from lorewright.index.vectors.stored import StoredVectors
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import retrieve
from lorewright.retrieval.view import LoreView


class _Ours:
    def __init__(self, view: LoreView) -> None:
        self._view = view

    def ask(self, text: str) -> list[str]:
        found = retrieve(self._view, LoreRetrievalQuery(keywords=text)).result.chunks
        return [f"{chunk.file_path}\t{' > '.join(chunk.section_path.split(' > ')[1:])}" for chunk in found]


def open_store(option: str, store: Path, model: str) -> _Ours:
    """The library that belongs to a folder of nodes."""
    name = store.parent.name
    if name.isdigit() and built(int(name)) is not None:
        library: Library = opened(int(name), RememberingEmbedder(MiniLM()))
        key = pack_key(library)
    else:
        library = sourcebook()
        key = library.get("eclipse-phase").key
    if option == "chroma":
        library._open_nearest = lambda folder, vectors: StoredVectors(vectors, open_chroma(folder))
    return _Ours(LoreView((library.open(key),)))
