"""txtai's hybrid index: dense vectors in Faiss beside its own BM25, joined by its own weights (a half each).

Vectors are given through its `external` method; when the index is opened its model embeds the questions.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from txtai import Embeddings

TOP = 50


def build(option: str, nodes: list[dict[str, str]], vectors: Any, store: Path) -> None:
    """Index nodes that have their vectors, and save both halves."""
    given = {node["text"]: vector for node, vector in zip(nodes, vectors, strict=True)}

    def transform(texts: list[str]) -> list[Any]:
        return [given[text] for text in texts]

    embeddings = Embeddings(method="external", transform=transform, hybrid=True, content=False)
    embeddings.index((node["id"], node["text"], None) for node in nodes)
    # A function cannot be kept: `open_store` names the model in its place.
    embeddings.config["transform"] = None
    embeddings.save(str(store / "index"))


class _Hybrid:
    def __init__(self, embeddings: Embeddings) -> None:
        self._embeddings = embeddings

    def ask(self, text: str) -> list[str]:
        return [node_id for node_id, _ in self._embeddings.search(text, TOP)]


def open_store(option: str, store: Path, model: str) -> _Hybrid:
    """Load what was saved, and the model."""
    embeddings = Embeddings()
    embeddings.load(str(store / "index"), config={"method": "sentence-transformers", "path": model, "gpu": False})
    return _Hybrid(embeddings)
