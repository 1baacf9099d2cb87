"""LlamaIndex's hybrid retriever: QueryFusionRetriever over its vector index and its BM25, fused by reciprocal rank.

Its vectors lie in the simple store that it uses unless told otherwise, or in Chroma (`llamaindex+chroma`). No model
writes other queries: `num_queries=1`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import Stemmer
from llama_index.core import StorageContext, VectorStoreIndex, load_index_from_storage
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.llms import MockLLM
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import TextNode
from llama_index.embeddings.huggingface import HuggingFaceEmbedding
from llama_index.retrievers.bm25 import BM25Retriever

TOP = 50


def _chroma(store: Path) -> Any:
    import chromadb
    from chromadb.config import Settings
    from llama_index.vector_stores.chroma import ChromaVectorStore

    client = chromadb.PersistentClient(str(store / "chroma"), settings=Settings(anonymized_telemetry=False))
    return ChromaVectorStore(chroma_collection=client.get_or_create_collection("nodes"))


def build(option: str, nodes: list[dict[str, str]], vectors: Any, store: Path) -> None:
    """Index nodes that have their vectors, and persist both halves."""
    given = [
        TextNode(
            id_=node["id"],
            text=node["text"],
            metadata={"file": node["file"], "section": node["section"]},
            excluded_embed_metadata_keys=["file", "section"],
            embedding=vector.tolist(),
        )
        for node, vector in zip(nodes, vectors, strict=True)
    ]
    context = StorageContext.from_defaults(vector_store=_chroma(store)) if option == "chroma" else None
    # A vector that a node has is kept: the model given here is never asked.
    index = VectorStoreIndex(given, embed_model=MockEmbedding(embed_dim=384), storage_context=context)
    index.storage_context.persist(str(store / "index"))
    words = BM25Retriever.from_defaults(nodes=given, similarity_top_k=TOP, stemmer=Stemmer.Stemmer("english"))
    words.persist(str(store / "bm25"))


class _Fused:
    def __init__(self, retriever: QueryFusionRetriever) -> None:
        self._retriever = retriever

    def ask(self, text: str) -> list[str]:
        return [found.node.node_id for found in self._retriever.retrieve(text)]


def open_store(option: str, store: Path, model: str) -> _Fused:
    """Load what was persisted, and the model."""
    embedding = HuggingFaceEmbedding(model_name=model, device="cpu", local_files_only=True)
    if option == "chroma":
        index = VectorStoreIndex.from_vector_store(_chroma(store), embed_model=embedding)
    else:
        index = load_index_from_storage(
            StorageContext.from_defaults(persist_dir=str(store / "index")), embed_model=embedding
        )
    meaning = index.as_retriever(similarity_top_k=TOP)
    words = BM25Retriever.from_persist_dir(str(store / "bm25"))
    return _Fused(
        QueryFusionRetriever(
            [meaning, words],
            llm=MockLLM(),
            mode="reciprocal_rerank",
            similarity_top_k=TOP,
            num_queries=1,
            use_async=False,
        )
    )
