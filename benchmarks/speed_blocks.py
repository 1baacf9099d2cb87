"""Rows of times and sizes -> the blocks of the page that tell how fast, each a table in markdown, ratios first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from bench_cells import figure, table
from results import OURS

_SPEED = (
    ("p50_ms", "ms, middle"),
    ("p95_ms", "ms, 19 in 20"),
    ("index_per_s", "chunks/s indexed"),
    ("cold_s", "s cold"),
    ("memory_mb", "MB memory"),
    ("disk_mb", "MB disk"),
)
# Texts of which lengths are told of an embedder.
_LENGTHS = ("windows", "15 words", "60 words", "150 words")

Row = dict[str, Any]


def speed(rows: Sequence[Row]) -> str:
    """Ours at each size, by each way of searching vectors."""
    head = ["vectors", "search", *(heading for _, heading in _SPEED)]
    return table(head, [[f"{row['size']:,}", str(row["arm"]), *_times(row)] for row in rows])


def commands(rows: Sequence[Row]) -> str:
    """Whole commands, as they were told."""
    names = ("what", "ratio", "measured", "aim")
    return table(names, [[str(row[name]) for name in names] for row in rows])


def beside(rows: Sequence[Row]) -> str:
    """Ours beside another checkout of it: the ratio of time and of the processor's work, then the figures."""
    head = ["what", "takes", "works", "ours", "theirs", "aim"]
    found = []
    for row in rows:
        aim = "" if row["aim"] is None else f"≤ {row['aim']} × {'met' if row['ratio'] <= row['aim'] else '**missed**'}"
        ratios = [f"{row[name]:.2f} ×" for name in ("ratio", "cpu_ratio")]
        found.append([str(row["what"]), *ratios, str(row["ours"]), str(row["theirs"]), aim])
    return table(head, found)


def embedding(rows: Sequence[Row]) -> str:
    """Texts a second as a ratio to sentence-transformers (`st`) where it was measured, else to the first."""
    base = next((row for row in rows if row["arm"] == "st"), rows[0])
    head = ["arm", *(f"× {length}" for length in _LENGTHS), "windows/s", "s cold", "MB"]
    found = []
    for row in rows:
        ratios = [
            f"{row[length] / base[length]:.1f} ×" if length in row and length in base else "–" for length in _LENGTHS
        ]
        figures = [figure(row.get(name)) for name in ("windows", "cold s", "peak MB")]
        found.append([str(row["arm"]).replace("st", "sentence-transformers", 1), *ratios, *figures])
    return table(head, found)


def peers(rows: Sequence[Row]) -> str:
    """Each size: how many times as long each takes as ours on the same questions, then the figures."""
    head = ["vectors", "arm", "takes", *(heading for _, heading in _SPEED)]
    found = []
    for row in sorted(rows, key=lambda row: (row["size"], row.get("times_ours") or math.inf)):
        ratio = row.get("times_ours")
        found.append([f"{row['size']:,}", _peer(row), f"{ratio:.1f} ×" if ratio else "–", *_times(row)])
    return table(head, found)


def _peer(row: Row) -> str:
    return str(row["arm"]).replace("ours", OURS)


def _times(row: Row) -> list[str]:
    return [figure(row.get(key)) for key, _ in _SPEED]
