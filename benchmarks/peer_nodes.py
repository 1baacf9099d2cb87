"""What others are given to search: our chunks or our windows with their texts, and one vector for each.

A folder of nodes holds `nodes.jsonl` (`{id, file, section, text}` a line) and `vectors.npy`, float32 and of unit
length, row by row. Whoever searches keeps what it makes of them in a folder of its own beside these.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import numpy as np

from lorewright.index.building import windows_of
from lorewright.index.embedders.embedder import Vectors
from lorewright.index.embedders.minilm import MiniLM
from lorewright.index.generation import Generation, StoredChunk
from scale_store import KEPT, opened, pack_key

PEERS = KEPT / "peers"
Node = dict[str, str]


def section_of(chunk: StoredChunk) -> str:
    """The second heading above a chunk, as the questions name it."""
    return " > ".join(chunk.section_path.split(" > ")[1:])


def write_nodes(folder: Path, nodes: Iterable[Node], vectors: Vectors) -> Path:
    """Write a folder of nodes; the folder. Where it holds the same already, it and what was made of it stay."""
    lines = "".join(json.dumps(node) + "\n" for node in nodes)
    stamp = hashlib.sha256(lines.encode() + np.ascontiguousarray(vectors).tobytes()).hexdigest()
    mark = folder / "nodes.sha256"
    if mark.is_file() and mark.read_text(encoding="ascii") == stamp:
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "nodes.jsonl").write_text(lines, encoding="utf-8")
    np.save(folder / "vectors.npy", np.ascontiguousarray(vectors))
    mark.write_text(stamp, encoding="ascii")
    return folder


def nodes_of_size(size: int) -> Path:
    """The windows of a size that was built, with their stored vectors."""
    library = opened(size, MiniLM())
    with closing(library.open(pack_key(library))) as generation:
        assert generation.vectors is not None
        return write_nodes(PEERS / str(size), windows_nodes(generation), generation.vectors.vectors)


def windows_nodes(generation: Generation) -> list[Node]:
    """A node for each window, in the order of the vectors."""
    found: list[Node] = []
    for chunk in generation.all_chunks():
        for window in windows_of(chunk.text, generation.items_of(chunk.row)):
            text, place = window.text, {"file": chunk.file_path, "section": section_of(chunk)}
            found.append({"id": f"n{len(found)}", **place, "text": text})
    return found
