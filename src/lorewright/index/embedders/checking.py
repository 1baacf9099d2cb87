"""What every embedder shares: text that can be encoded, rows that may be kept, and names of vector spaces."""

from __future__ import annotations

import hashlib
import re

import numpy as np

from lorewright.errors import EmbedderError
from lorewright.index.embedders.embedder import Vectors

_LONGEST_FINGERPRINT = 60
_UNSAFE = re.compile(r"[^a-z0-9.]+")


def encodable(text: str) -> str:
    """The text with `?` for lone surrogates, which no encoder takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


def unit_rows(rows: object, *, count: int, source: str) -> Vectors:
    """What an embedder gave -> float32 (count, dimensions), each row of unit length.

    Raises:
        EmbedderError: another number of rows, rows of different lengths, no numbers, not finite, or all zero.
    """
    try:
        table = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError):
        raise EmbedderError(f"{source} gave no table of numbers", hint=f"check that {source} embeds texts") from None
    if table.ndim != 2 or len(table) != count or not table.shape[1]:
        raise EmbedderError(f"{source} gave {table.shape} for {count} texts", hint=f"check that {source} embeds texts")
    # A sum over one row at a time: the same text keeps the same bits in any batch.
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.sqrt((table * table).sum(axis=1, keepdims=True))
    if not np.isfinite(lengths).all() or not lengths.all():
        raise EmbedderError(f"{source} gave a vector without direction", hint="try again, or use another model")
    unit: Vectors = (table / lengths).astype(np.float32)
    return unit


def name_space(kind: str, name: str, *details: str | bytes) -> str:
    """The fingerprint of a named model: kind and name made safe, and a short hash of the name and all details."""
    parts = [name, *details]
    digest = hashlib.sha256()
    for part in parts:
        raw = part if isinstance(part, bytes) else part.encode("utf-8", "replace")
        digest.update(len(raw).to_bytes(8, "big") + raw)
    tail = f"-{digest.hexdigest()[:8]}"
    safe = _UNSAFE.sub("-", f"{kind}-{name}".lower())
    return safe[: _LONGEST_FINGERPRINT - len(tail)].strip("-.") + tail
