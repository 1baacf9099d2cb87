"""Chroma itself: the one module that imports it. Records and their vectors in, the IDs nearest to a vector out.

Two collections, `open` and `hidden`: who reads only the first meets no secret. Inner product, as exact search computes
it. Whatever Chroma throws, panics of its Rust half included, comes out as ProposalFailed. What it does to a torn folder
does not come out at all: it kills the process.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lorewright.index.embedders.embedder import Vectors
from lorewright.index.vectors.search import ProposalFailed
from lorewright.telemetry import import_silenced

OPEN_COLLECTION = "open"
HIDDEN_COLLECTION = "hidden"
COLLECTIONS = (OPEN_COLLECTION, HIDDEN_COLLECTION)

_BATCH_ROWS = 5_000  # Chroma takes at most 5,461

# Measured on hashed words, the hardest there is. With 16 links and a breadth of 200 the ten best are among the proposed
# in half of the questions at 6,000 vectors; with 32 links and a sixth of the vectors as breadth in 19 of 20 on real
# packs, where stat blocks that repeat each other lie far from any path. As broad as the store, which takes twice the
# time, a search ends only when it has seen all that is linked.
_LINKS = 32
_BUILD_BREADTH = 200
_MOST_BREADTH = 20_000


@dataclass(frozen=True, slots=True)
class ChromaRecord:
    """One window as other programs find it in a collection: its ID, its text, and where that stands."""

    id: str
    text: str
    metadata: dict[str, str | int]
    is_open: bool


@contextmanager
def _failing_well() -> Iterator[None]:
    try:
        yield
    except (KeyboardInterrupt, SystemExit, ProposalFailed):
        raise
    except BaseException as problem:  # A panic of the Rust half is no Exception.
        raise ProposalFailed(f"Chroma: {problem}") from problem


def _client(folder: Path) -> Any:
    chromadb = import_silenced("chromadb")  # late: half a second, which a one-shot command does not pay
    # No `.env` of the folder one happens to stand in is read, and nothing is sent anywhere.
    settings = chromadb.config.Settings(_env_file=None, anonymized_telemetry=False, chroma_otel_collection_endpoint="")
    return chromadb.PersistentClient(str(folder), settings=settings)


def _configuration(rows: int) -> dict[str, Any]:
    graph = {
        "space": "ip",
        "max_neighbors": _LINKS,
        "ef_construction": _BUILD_BREADTH,
        "ef_search": min(rows, _MOST_BREADTH),
        # All rows reach the graph's files before the client closes; else each opening writes them anew.
        "sync_threshold": max(2, rows),
        "batch_size": min(max(2, rows), 100),
    }
    return {"hnsw": graph}


def write_store(folder: Path, records: Sequence[ChromaRecord], vectors: Vectors, about: dict[str, str]) -> None:
    """Make a store in a new folder and close it: both collections, either of which may be empty.

    `vectors` holds one row for each of the records, and `about` becomes the collections' metadata.

    Raises:
        ProposalFailed: Chroma refuses.
    """
    with _failing_well():
        client = _client(folder)
        try:
            for name in COLLECTIONS:
                rows = [row for row, each in enumerate(records) if each.is_open == (name == OPEN_COLLECTION)]
                collection = client.create_collection(
                    name, embedding_function=None, configuration=_configuration(len(rows)), metadata=about or None
                )
                for start in range(0, len(rows), _BATCH_ROWS):
                    batch = rows[start : start + _BATCH_ROWS]
                    collection.add(
                        ids=[records[row].id for row in batch],
                        embeddings=vectors[batch],
                        documents=[records[row].text for row in batch],
                        metadatas=[records[row].metadata for row in batch],
                    )
        finally:
            client.close()


class Store:
    """An open store. Opening writes to its folder, and a torn folder may kill the process."""

    def __init__(self, folder: Path) -> None:
        """Open a folder that `write_store` made.

        Raises:
            ProposalFailed: Chroma refuses.
        """
        with _failing_well():
            self._client = _client(folder)
            try:
                found = [self._client.get_collection(name, embedding_function=None) for name in COLLECTIONS]
                self._collections = [(each, count) for each in found if (count := each.count())]
                self.count: int = sum(count for _, count in self._collections)
            except BaseException:
                self._client.close()
                raise

    def ids(self) -> list[str]:
        """Return every ID, in no order."""
        with _failing_well():
            return [str(each) for collection, _ in self._collections for each in collection.get(include=[])["ids"]]

    def nearest(self, query: Vectors, *, top: int) -> list[str]:
        """Return at most `top` IDs of both collections, nearest first. Asked for all, it gives those that are
        linked."""
        with _failing_well():
            found: list[tuple[float, str]] = []
            for collection, count in self._collections:
                answer = collection.query(query_embeddings=[query], n_results=min(top, count), include=["distances"])
                found += zip(answer["distances"][0], answer["ids"][0], strict=True)
            return [name for _, name in sorted(found)[:top]]

    def close(self) -> None:
        """Close it."""
        with _failing_well():
            self._client.close()
