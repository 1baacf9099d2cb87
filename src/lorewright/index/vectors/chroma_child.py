"""Work on Chroma's folders in a process of its own, because opening a torn folder may kill the process.

    python -m lorewright.index.vectors.chroma_child build TARGET GENERATION    vectors.npy -> a sealed store in TARGET
    python -m lorewright.index.vectors.chroma_child probe COPY GENERATION      does COPY hold and find these vectors?

Exit code 0: done. Anything else, a signal included: not.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import numpy as np

from lorewright.child import die_with_parent
from lorewright.index.embedders.embedder import Vectors
from lorewright.index.generation import Generation
from lorewright.index.vector_building import windows_in
from lorewright.index.vectors.chroma_files import IDS_FILE, STRAYS_FILE, TWINS_FILE, read_ids, seal
from lorewright.index.vectors.chroma_store import ChromaRecord, Store, write_store
from lorewright.index.vectors.exact import Rows, open_vectors
from lorewright.index.vectors.stored import DamagedVectors, about_vectors
from lorewright.packs.models import OPEN_ROLES
from lorewright.storage.enclosure import Enclosure

_PROBED_ROWS = 16
_PROBE_TOP = 10


def build(target: Path, generation: Path) -> bool:
    """Write a store of all windows and their vectors, and seal it."""
    vectors = open_vectors(generation)
    records = list(records_of(generation))
    # Chroma makes folders: where the generation is gone by now, it is not to come back.
    if not np.isfinite(vectors).all() or len(records) != len(vectors) or not target.parent.is_dir():
        return False
    write_store(target, records, vectors, _about(generation))
    firsts = first_twins(vectors)
    Enclosure(target).write(target / IDS_FILE, json.dumps([each.id for each in records]).encode())
    np.save(target / TWINS_FILE, firsts)
    np.save(target / STRAYS_FILE, strays(target, vectors, firsts))
    seal(target, windows=vectors.shape[0], dimensions=vectors.shape[1])
    return True


def records_of(folder: Path) -> Iterator[ChromaRecord]:
    """Yield the record of each window of a generation, in the order of its vectors.

    A chunk's first window has the chunk's `embedding_id`, the second that and `@2`. A record is open where a player may
    read it before anything was learned or has happened: its section is, and it stands under no condition.
    """
    with closing(Generation(folder)) as generation:
        types = {entity_id: entity.type for entity_id, entity in generation.entities().items()}
        conditional = {(each.row, each.item_id) for each in generation.conditions()}
        last, number = 0, 0
        for chunk, window in windows_in(generation):
            last, number = chunk.row, number + 1 if chunk.row == last else 1
            metadata: dict[str, str | int] = {
                "embedding_id": chunk.id,
                "window": number,
                "pack_id": chunk.pack_id,
                "entity_id": chunk.entity_id,
                "type": types[chunk.entity_id],
                "title": chunk.title,
                "section": chunk.section,
                "role": chunk.role,
                "file_path": chunk.file_path,
                "line": chunk.line,
                **({"item_id": window.item_id} if window.item_id else {}),
            }
            is_open = chunk.role in OPEN_ROLES and not conditional & {(last, None), (last, window.item_id)}
            yield ChromaRecord(chunk.id if number == 1 else f"{chunk.id}@{number}", window.text, metadata, is_open)


def _about(folder: Path) -> dict[str, str]:
    with closing(Generation(folder)) as generation:
        manifest = generation.manifest
    about = {"pack_id": manifest.id, "pack_version": manifest.version, "license": str(manifest.license.get("type", ""))}
    with suppress(DamagedVectors):
        about["embedder"] = about_vectors(folder).fingerprint
    return {key: value for key, value in about.items() if value}


def first_twins(vectors: Vectors) -> Rows:
    """For each vector the first that is the same.

    Many twins would be linked with each other only, and a search that starts elsewhere never reaches them.
    """
    first: dict[bytes, int] = {}
    return np.array([first.setdefault(row.tobytes(), index) for index, row in enumerate(vectors)], dtype=np.int64)


def strays(target: Path, vectors: Vectors, firsts: Rows) -> Rows:
    """Return the vectors, each that stands there twice once, that a search for all does not find: neighbours are linked
    one way only, and some are nobody's."""
    distinct = np.unique(firsts)
    rows = {name: row for row, name in enumerate(read_ids(target, count=len(vectors)))}
    store = Store(target)
    missed = []
    for row in _some(distinct):
        found = np.array([rows[name] for name in store.nearest(vectors[row], top=len(vectors))], dtype=np.int64)
        missed.append(np.setdiff1d(distinct, firsts[found]))
    store.close()
    return np.unique(np.concatenate(missed))


def _some(rows: Rows) -> list[int]:
    return [int(row) for row in rows[:: len(rows) // _PROBED_ROWS + 1]]


def probe(copy: Path, generation: Path) -> bool:
    """Open a store, count, and ask for some of the vectors themselves."""
    vectors = open_vectors(generation)
    firsts = np.load(copy / TWINS_FILE, allow_pickle=False)
    linked = np.setdiff1d(np.unique(firsts), np.load(copy / STRAYS_FILE, allow_pickle=False))
    ids = read_ids(copy, count=len(vectors))
    rows = {name: row for row, name in enumerate(ids)}
    store = Store(copy)
    sound = sorted(store.ids()) == sorted(ids) and all(
        row in firsts[[rows[name] for name in store.nearest(vectors[row], top=_PROBE_TOP)]]
        for row in _some(linked)
        if vectors[row].any()
    )
    store.close()
    return sound


def main(command: str, folder: str, generation: str) -> int:
    """Build or probe, and return the exit code; end with the process that asked, which holds the other end of stdin."""
    die_with_parent()
    done = {"build": build, "probe": probe}[command](Path(folder), Path(generation))
    return 0 if done else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
