"""Texts of a generation, embedded here -> how far they lie from the vectors that it came with.

An embedder's fingerprint names its model, not the processor and the libraries that it runs on. So before a worker asks
a fetched generation by meaning, it embeds a few of that generation's own windows and compares.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lorewright.index.embedders.embedder import Embedder, Vectors
from lorewright.index.vector_building import window_texts

PROBES = 3
# Distances (1 - cosine): the last bits of another processor are some 1e-6, a model in eight bits some 1e-2.
TOLERANCE = 1e-4


def distance_of(folder: Path, vectors: Vectors, embedder: Embedder) -> float:
    """Return the largest distance between a generation's vectors and those of the same texts by an embedder: of its
    first, its middle and its longest window. Vectors of other lengths are 2 apart, as opposites are.

    Raises:
        EmbedderError: the embedder failed.
    """
    texts = window_texts(folder)
    if not texts or not len(vectors):
        return 0.0
    longest = max(range(len(texts)), key=lambda at: (len(texts[at]), -at))
    chosen = sorted({0, len(texts) // 2, longest})[:PROBES]
    embedded = embedder.embed([texts[at] for at in chosen])
    stored = np.asarray(vectors[chosen], dtype=np.float64)
    if embedded.shape != stored.shape:
        return 2.0
    return float(np.max(1.0 - (embedded.astype(np.float64) * stored).sum(axis=1)))
