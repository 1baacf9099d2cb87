"""MiniLM's weights -> the same with its large matrices in eight bits and a scale for each column.

Twice to three times as fast, and no longer the same on every processor: what is a last bit in float32 may here tip a
rounding, and a cosine moves by some thousandths.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lorewright.index.embedders.weights import Array

# One bit less than there is: processors without instructions of their own for it add two products in 16 bits, and
# 2 x 255 x 63 still fits.
_MOST = 63


def in_eight_bits(arrays: Mapping[str, Array]) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays with each layer's matrices as int8 (inputs, outputs), its scales and zeros beside it under the same
    name and ` scale` and ` zero`; the rest as it is."""
    found: dict[str, np.ndarray[Any, Any]] = dict(arrays)
    for name, weights in arrays.items():
        if name.startswith("encoder.layer.") and weights.ndim == 2:
            largest = np.abs(weights).max(axis=1, keepdims=True)
            scale = np.where(largest > 0, largest, 1) / np.float32(_MOST)
            found[name] = np.ascontiguousarray(np.rint(weights / scale).astype(np.int8).T)
            found[f"{name} scale"] = scale[:, 0].astype(np.float32)
            found[f"{name} zero"] = np.zeros(len(weights), np.int8)
    return found
