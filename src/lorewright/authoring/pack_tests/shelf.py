"""Folders of packs -> their generations, opened to be asked: the installed one where its text is the same, else one of
the moment. Nothing is installed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from lorewright.errors import EmbedderError, PackError
from lorewright.index.building import build_generation
from lorewright.index.generation import Generation, GenerationKey
from lorewright.index.library import Library
from lorewright.packs.loader import Progress, load_pack
from lorewright.packs.models import Pack
from lorewright.retrieval.desk import opened

_TOLD = 5


@dataclass(frozen=True, slots=True)
class Shelf:
    """The pack that is tested, and all that is asked: what it depends on, then itself. `notes` say why packs are asked
    by words alone that should not be."""

    pack: Pack
    generations: tuple[Generation, ...]
    notes: tuple[str, ...] = ()

    @property
    def own(self) -> Generation:
        """The generation of the pack itself."""
        return self.generations[-1]

    @property
    def embedder(self) -> str:
        """What the pack was embedded with; empty where it is found by words alone."""
        own = self.own
        return own.embedder.fingerprint if own.vectors is not None and own.embedder is not None else ""


@contextmanager
def open_shelf(roots: Sequence[Path], library: Library, *, progress: Progress) -> Iterator[Shelf]:
    """Open packs by their folders, the last of which is the one that is tested; closed when the block ends.

    What is embedded is kept in the workspace's cache, so that an install afterwards finds it there.

    Raises:
        PackError: a folder is no pack, or has errors.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lorewright-test-")))
        vectors = library.vectors
        # Of the moment: what searches many vectors faster takes longer to build than all the questions.
        here = Library(folder, None if vectors is None else replace(vectors, build_nearest=bool))
        packs = [_read(root, progress) for root in roots]
        notes: list[str] = []
        generations = []
        for pack in packs:
            key = GenerationKey(pack.manifest.id, pack.content_hash)
            if not _is_usable(key, library):
                build_generation(pack, here.generations)
                try:
                    here.embed(key, progress=progress)
                except EmbedderError as problem:
                    notes.append(f"{pack.manifest.id} is found by words alone: {problem.message}")
                generations.append(opened(stack, here.open(key)))
            else:
                generations.append(opened(stack, library.open(key)))
        yield Shelf(packs[-1], tuple(generations), tuple(notes))


def _read(root: Path, progress: Progress) -> Pack:
    pack = load_pack(root, progress=progress)
    if pack.errors:
        first = "\n  ".join(str(finding) for finding in pack.errors[:_TOLD])
        raise PackError(
            f"{pack.manifest.id} has {len(pack.errors)} error(s), and is not tested before they are mended\n  {first}",
            hint=f"see: lorewright pack validate {root}",
        )
    return pack


def _is_usable(key: GenerationKey, library: Library) -> bool:
    if library.vectors is None:
        return library.has(key)
    return library.vectors.embedder.fingerprint in library.spaces(key)
