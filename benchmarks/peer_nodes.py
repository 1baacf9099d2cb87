"""What others are given to search: our chunks or our windows with their texts, and one vector for each.

A folder of nodes holds `nodes.jsonl` (`{id, file, section, text}` a line) and `vectors.npy`, float32 and of unit
length, row by row. Whoever searches keeps what it makes of them in a folder of its own beside these.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from scale_store import CORPORA, KEPT, built, opened, pack_key

from lorewright.index.embedders.embedder import Vectors
from lorewright.index.embedders.minilm import MiniLM
from lorewright.index.embedding_cache import EmbeddingCache
from lorewright.index.generation import Generation, StoredChunk
from lorewright.index.library import Library
from lorewright.index.vector_building import VectorBuilder
from lorewright.index.windows import windows_of

PEERS = KEPT / "peers"
Node = dict[str, str]


def section_of(chunk: StoredChunk) -> str:
    """The second heading above a chunk, as the questions name it."""
    return " > ".join(chunk.section_path.split(" > ")[1:])


def headed(chunk: StoredChunk) -> str:
    """A chunk's text below its headings, as a splitter by headings hands it on: names stand in titles."""
    return f"{chunk.section_path}\n\n{chunk.text}"


def write_nodes(folder: Path, nodes: Iterable[Node], vectors: Vectors) -> Path:
    """Write a folder of nodes anew; the folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with (folder / "nodes.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(node) + "\n" for node in nodes)
    np.save(folder / "vectors.npy", np.ascontiguousarray(vectors))
    return folder


def nodes_of_size(size: int) -> Path:
    """The windows of a size that was built, with their stored vectors."""
    folder = PEERS / str(size)
    mark, wanted = folder / "from.txt", str((built(size) or {})["folder"])
    if mark.is_file() and mark.read_text(encoding="utf-8") == wanted:
        return folder
    library = opened(size, MiniLM())
    generation = library.open(pack_key(library))
    assert generation.vectors is not None
    write_nodes(folder, windows_nodes(generation), generation.vectors.vectors)
    generation.close()
    mark.write_text(wanted, encoding="utf-8")
    return folder


def windows_nodes(generation: Generation) -> list[Node]:
    """A node for each window, in the order of the vectors."""
    found: list[Node] = []
    for chunk in generation.all_chunks():
        for window in windows_of(chunk.text, generation.items_of(chunk.row)):
            text, place = window.text, {"file": chunk.file_path, "section": section_of(chunk)}
            found.append({"id": f"n{len(found)}", **place, "text": text})
    return found


def sourcebook() -> Library:
    """A library with the published sourcebook, indexed and embedded as shipped."""
    vectors = VectorBuilder(MiniLM(), EmbeddingCache(KEPT / "embeddings.db"), bool)
    library = Library(KEPT / "shipped", vectors)
    library.install(CORPORA / "packs" / "eclipse-phase", lenient=True)
    return library


def sourcebook_nodes(*, whole: bool) -> Path:
    """The sourcebook's sections below their headings and embedded whole, or our windows of them."""
    library = sourcebook()
    generation = library.open(library.get("eclipse-phase").key)
    folder = PEERS / ("sections" if whole else "windows")
    if whole:
        chunks = [chunk for chunk in generation.all_chunks() if chunk.text]
        texts = [headed(chunk) for chunk in chunks]
        nodes = [
            {"id": f"n{number}", "file": chunk.file_path, "section": section_of(chunk), "text": text}
            for number, (chunk, text) in enumerate(zip(chunks, texts, strict=True))
        ]
        write_nodes(folder, nodes, embedded(texts))
    else:
        assert generation.vectors is not None
        write_nodes(folder, windows_nodes(generation), generation.vectors.vectors)
    generation.close()
    return folder


def embedded(texts: Sequence[str]) -> Vectors:
    """The vectors of some texts: the same model gives others the same, as their own loop would, only sooner."""
    cache = EmbeddingCache(KEPT / "embeddings.db")
    return cache.embed(texts, MiniLM(), progress=lambda done, total: None).vectors
