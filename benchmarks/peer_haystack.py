"""Haystack's hybrid pipeline: BM25 and embedding retriever over its in-memory store, joined by reciprocal rank."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

from haystack import Document, Pipeline
from haystack.components.joiners import DocumentJoiner
from haystack.components.retrievers.in_memory import (
    InMemoryBM25Retriever,
    InMemoryEmbeddingRetriever,
)
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.utils import ComponentDevice
from haystack_integrations.components.embedders.sentence_transformers import (
    SentenceTransformersTextEmbedder,
)

TOP = 50


def build(option: str, nodes: list[dict[str, str]], vectors: Any, store: Path) -> None:
    """Write nodes that have their vectors into a store, and save it."""
    documents = InMemoryDocumentStore(embedding_similarity_function="cosine")
    documents.write_documents(
        [
            Document(
                id=node["id"],
                content=node["text"],
                meta={"file": node["file"], "section": node["section"]},
                embedding=vector.tolist(),
            )
            for node, vector in zip(nodes, vectors, strict=True)
        ]
    )
    documents.save_to_disk(str(store / "store.json"))


class _Joined:
    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline

    def ask(self, text: str) -> list[str]:
        found = self._pipeline.run({"embedder": {"text": text}, "words": {"query": text}})
        return [document.id for document in found["joiner"]["documents"]]


def open_store(option: str, store: Path, model: str) -> _Joined:
    """Load what was saved, and the model."""
    documents = InMemoryDocumentStore.load_from_disk(str(store / "store.json"))
    embedder = SentenceTransformersTextEmbedder(
        model=model,
        device=ComponentDevice.from_str("cpu"),
        token=None,
        progress_bar=False,
        normalize_embeddings=True,
        local_files_only=True,
    )
    pipeline = Pipeline()
    pipeline.add_component("embedder", embedder)
    pipeline.add_component("words", InMemoryBM25Retriever(document_store=documents, top_k=TOP))
    pipeline.add_component("meaning", InMemoryEmbeddingRetriever(document_store=documents, top_k=TOP))
    pipeline.add_component("joiner", DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=TOP))
    pipeline.connect("embedder.embedding", "meaning.query_embedding")
    pipeline.connect("words", "joiner")
    pipeline.connect("meaning", "joiner")
    if hasattr(embedder, "warm_up"):
        embedder.warm_up()
    return _Joined(pipeline)
