"""Generations' folders with vectors in them, and what searches them."""

from __future__ import annotations

import hashlib
import re
import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path

import numpy as np

from lorewright.index.building import fill
from lorewright.index.embedders.embedder import Vectors
from lorewright.index.generation import CHUNKS_FILE
from lorewright.index.vectors import chroma_child
from lorewright.index.vectors.chroma import ChromaIndex, open_chroma
from lorewright.index.vectors.chroma_files import CHROMA
from lorewright.index.vectors.exact import VECTORS_FILE, WindowVectors
from lorewright.packs.content_hash import READING
from lorewright.packs.models import Chunk, Manifest, Pack, PackEntity


def unit(rows: np.ndarray) -> Vectors:
    return (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(np.float32)


def clustered(seed: int, count: int, *, dimensions: int = 16, clusters: int = 5, twins: float = 0.2) -> Vectors:
    """Unit vectors round some centres, a share of them the same as others."""
    chance = np.random.default_rng(seed)
    centres = chance.standard_normal((clusters, dimensions))
    rows = unit(centres[chance.integers(clusters, size=count)] + 0.4 * chance.standard_normal((count, dimensions)))
    again = chance.random(count) < twins
    rows[again] = rows[chance.integers(count, size=int(again.sum()))]
    return rows


def generation(folder: Path, vectors: Vectors) -> Path:
    """A generation of as many sections as there are vectors, every third of them hidden."""
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / VECTORS_FILE, vectors)
    (folder / CHUNKS_FILE).unlink(missing_ok=True)
    with closing(sqlite3.connect(folder / CHUNKS_FILE, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        fill(connection, pack_of(len(vectors)))
        connection.execute("COMMIT")
    return folder


def pack_of(sections: int) -> Pack:
    """A pack of one file with so many sections, each of one window."""
    manifest = Manifest(id="sample", name="Sample")
    chunks = tuple(
        Chunk(
            id=f"sample:place:{number}",
            pack_id="sample",
            entity_id="sample:place",
            file_path="place.md",
            section_path=f"Place/{number}",
            section=str(number),
            role="withholds" if number % 3 == 2 else "lore",
            text="words",
            source="words",
            line=1,
            part=1,
            position=number,
            token_count=1,
        )
        for number in range(sections)
    )
    entity = PackEntity("sample:place", "location", "Place", "place.md")
    return Pack(manifest, "", "0" * 64, (entity,), chunks, (), READING)


def with_chroma(folder: Path, vectors: Vectors) -> ChromaIndex:
    """A generation's Chroma, built in this process: quicker, and as safe as the vectors are good."""
    assert chroma_child.build(generation(folder, vectors) / CHROMA, folder)
    index = open_chroma(folder)
    assert index is not None
    return index


def embedded(texts: list[str], *, dimensions: int = 384) -> Vectors:
    """A small stand-in for a model: each word has a direction of its own, and a text is the sum of its words."""
    rows = np.zeros((len(texts), dimensions))
    for row, text in zip(rows, texts, strict=True):
        for word in re.findall(r"\w+", text.lower()):
            row += direction(word, dimensions)
        row[0] += 1e-6  # a text without words has a direction too
    return unit(rows)


@cache
def direction(word: str, dimensions: int) -> np.ndarray:
    seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest())
    return np.random.default_rng(seed).standard_normal(dimensions)


class Counted:
    """Windows that count how often all of them were looked at."""

    def __init__(self, windows: WindowVectors) -> None:
        self.vectors = windows.vectors
        self.best_of = windows.best_of
        self.windows = windows
        self.full_scans = 0

    def best_chunks(self, query: Vectors, *, top: int) -> list[tuple[int, float]]:
        self.full_scans += 1
        return self.windows.best_chunks(query, top=top)
