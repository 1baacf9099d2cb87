"""Packs of any size as ordinary generations, built by the product's own code and kept in `indexes/benchmarks/scale/`.

Each size is a workspace of its own, so that the command line can be asked too. Nothing is embedded but the real packs,
and these only where `indexes/benchmarks/embeddings.db` does not know them yet.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import scale_pack
from scale_pack import PACK, source_files, source_texts, write_pack

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tests"))

from lorewright.index.building import build_generation  # noqa: E402
from lorewright.index.embedders.embedder import Embedder, Vectors  # noqa: E402
from lorewright.index.embedders.minilm import MiniLM  # noqa: E402
from lorewright.index.embedding_cache import Embedded, EmbeddingCache, hash_of  # noqa: E402
from lorewright.index.generation import CHUNKS_FILE  # noqa: E402
from lorewright.index.keywords import GENERATION_FORMAT  # noqa: E402
from lorewright.index.library import Library  # noqa: E402
from lorewright.index.lore_indexer import LoreIndexer  # noqa: E402
from lorewright.index.vector_building import VectorBuilder  # noqa: E402
from lorewright.index.vectors.chroma_building import build_chroma  # noqa: E402
from lorewright.packs.loader import load_pack  # noqa: E402
from lorewright.packs.models import Pack  # noqa: E402
from support.tale_pack import write_tales  # noqa: E402

CORPORA = Path(os.environ.get("LOREWRIGHT_CORPORA", ROOT.parent / "shared" / "corpora"))
KEPT = Path(os.environ.get("LOREWRIGHT_BENCHMARKS", ROOT / "indexes" / "benchmarks"))
QUESTIONS = 200
_ABOUT = "built.json"
# One window in so many may be cut in another way than it was written.
_MOST_UNKNOWN = 500


def folder_of(size: int) -> Path:
    """The workspace of a size."""
    return KEPT / "scale" / str(size)


@dataclass(frozen=True, slots=True)
class Derived:
    """Stands where the embedding cache does: knows the vector of each text, and embeds none."""

    vectors: dict[bytes, Vectors]

    def embed(self, texts: Sequence[str], embedder: Embedder, *, progress: Callable[[int, int], None]) -> Embedded:
        """As `EmbeddingCache.embed`.

        Raises:
            ValueError: more than a few texts are none of the pack's windows: the pack was not cut as it was written.
        """
        hashes = [hash_of(text) for text in texts]
        unknown = sum(one not in self.vectors for one in hashes)
        if unknown * _MOST_UNKNOWN > len(texts):
            raise ValueError(f"{unknown} of {len(texts)} windows were cut in another way than they were written")
        # With other words a title or label may tell of a secret, and its text is cut there: any vector will do for it.
        other = next(iter(self.vectors.values()))
        return Embedded(np.stack([self.vectors.get(one, other) for one in hashes]), 0)


def real_packs() -> list[Pack]:
    """The published sourcebook and the tales."""
    tales = KEPT / "scale" / "tales"
    shutil.rmtree(tales, ignore_errors=True)
    write_tales(CORPORA / "ir" / "fairytaleqa", tales)
    return [load_pack(CORPORA / "packs" / "eclipse-phase"), load_pack(tales)]


def questions() -> list[str]:
    """Real questions on both packs, each once, mixed."""
    own = (CORPORA / "questions" / "eclipse-phase.jsonl").read_text(encoding="utf-8").splitlines()
    tales = (CORPORA / "ir" / "fairytaleqa" / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    asked = [json.loads(line)["query"] for line in own]
    others = [json.loads(line)["text_with_title"] for line in tales[:: len(tales) // (QUESTIONS - len(asked))]]
    mixed = list(dict.fromkeys([*asked, *others]))[:QUESTIONS]
    return [mixed[at] for at in np.random.default_rng(scale_pack.SEED).permutation(len(mixed))]


def recipe() -> str:
    """Changes whenever what is built would be another."""
    return f"{scale_pack.VERSION}-f{GENERATION_FORMAT}"


def built(size: int) -> dict[str, Any] | None:
    """What building a size took, or None where it is not there as it would be built now."""
    try:
        about: dict[str, Any] = json.loads((folder_of(size) / _ABOUT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    there = about["recipe"] == recipe() and (Path(about["folder"]) / CHUNKS_FILE).is_file()
    return about if there else None


def build(size: int, *, chroma: bool) -> dict[str, Any]:
    """Build a size anew and tell what each step took; with Chroma where that is asked for."""
    where = folder_of(size)
    shutil.rmtree(where, ignore_errors=True)
    where.mkdir(parents=True)
    (where / "lorewright.toml").write_text('name = "scale"\n', encoding="utf-8")
    files = source_files(real_packs())
    embedder = MiniLM()
    cache = EmbeddingCache(KEPT / "embeddings.db")
    sources = cache.embed(source_texts(files), embedder, progress=lambda done, total: None).vectors
    vectors = VectorBuilder(embedder, Derived(write_pack(files, sources, size, where / "pack")), bool)  # type: ignore[arg-type]
    library = Library(where / "indexes", vectors)
    times = {"began": time.perf_counter()}
    indexer = LoreIndexer(library)
    pack = indexer.check(where / "pack")
    times["read_s"] = time.perf_counter()
    with library.changing():
        key = build_generation(pack, library.generations)
        indexer._record(pack, lenient=False)
    times["words_s"] = time.perf_counter()
    library.embed(key)
    times["vectors_s"] = time.perf_counter()
    final = library.generations / key.folder_in(embedder.fingerprint)
    has_chroma = chroma and build_chroma(final)
    times["chroma_s"] = time.perf_counter()
    marks = list(times.items())
    about = {
        "recipe": recipe(),
        "folder": str(final),
        "chunks": len(pack.chunks),
        "windows": size,
        **{name: end - start for (_, start), (name, end) in pairwise(marks)},
        "chroma": has_chroma,
        **disk_mb(final),
    }
    (where / _ABOUT).write_text(json.dumps(about, indent=1), encoding="utf-8")
    return about


def add_chroma(size: int) -> dict[str, Any]:
    """Give a size that is there its Chroma; what is told of it then."""
    about = built(size)
    if about is None:
        return build(size, chroma=True)
    started = time.perf_counter()
    about["chroma"] = build_chroma(Path(about["folder"]))
    about["chroma_s"] = time.perf_counter() - started
    about |= disk_mb(Path(about["folder"]))
    (folder_of(size) / _ABOUT).write_text(json.dumps(about, indent=1), encoding="utf-8")
    return about


def disk_mb(folder: Path) -> dict[str, float]:
    """What a generation takes of the disk, without and for Chroma."""
    found = [path for path in folder.rglob("*") if path.is_file()]
    chroma = sum(path.stat().st_size for path in found if "chroma" in path.relative_to(folder).parts[0])
    whole = sum(path.stat().st_size for path in found)
    return {"disk_mb": (whole - chroma) / 1e6, "chroma_disk_mb": chroma / 1e6}


def opened(size: int, embedder: Embedder) -> Library:
    """The library of a size that was built."""
    return Library(folder_of(size) / "indexes", VectorBuilder(embedder, EmbeddingCache(KEPT / "none.db"), bool))


def pack_key(library: Library) -> Any:
    """The key of the one pack."""
    return library.get(PACK).key
