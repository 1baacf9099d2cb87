"""A generation without vectors -> the same with them: the second half, which takes minutes where the first takes
seconds.

Meanwhile the first half answers by keywords. Windows are embedded batch by batch into the cache, so that a crash loses
at most one batch; then the folder is built from the cache under a temporary name, synced and renamed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from lorewright.index.building import DIGEST_FILE, Window, has_sound_chunks, remove_left_over, windows_of
from lorewright.index.embedders.embedder import Embedder, Vectors
from lorewright.index.embedding_cache import EmbeddingCache
from lorewright.index.generation import CHUNKS_FILE, Generation, GenerationKey, StoredChunk
from lorewright.index.vectors.stored import about_vectors, has_sound_vectors, write_vectors
from lorewright.packs.files import Progress
from lorewright.storage.enclosure import Enclosure
from lorewright.storage.faults import step

TEMPORARY = ".embedding-"


@dataclass(frozen=True, slots=True)
class Embedding:
    """The number of a generation's windows, and how many of them had to be embedded now."""

    windows: int = 0
    new: int = 0


@dataclass(frozen=True, slots=True)
class VectorBuilder:
    """Gives generations their vectors. `build_nearest` makes a search index of the vectors, if any, in the folder of a
    generation that is already in use. `hold` raises if the embedder may not be used."""

    embedder: Embedder
    cache: EmbeddingCache
    build_nearest: Callable[[Path], object]
    hold: Callable[[], None] = lambda: None

    def embed_kept(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts that are no pack's, in their order; they are kept with all others.

        Raises:
            EmbedderError: the embedder failed, or the kept vectors cannot be read.
        """
        return self.cache.embed(texts, self.embedder, progress=lambda done, total: None).vectors

    def build(self, key: GenerationKey, generations: Path, *, progress: Progress) -> Embedding:
        """Add the vectors of a generation that is there without them, unless they are there already; return counts.

        One process embeds at a time; another waits and then finds its windows embedded.

        Raises:
            EmbedderError: the embedder failed; what was embedded before stays in the cache.
            NotTrusted: the workspace's embedder may not be used.
            UnsafePath: a link stands where the generation belongs.
        """
        home = Enclosure(generations)
        final = home.checked(generations / key.folder_in(self.embedder.fingerprint))
        if self._is_sound(final):
            return Embedding(about_vectors(final).windows)
        self.hold()
        progress("waiting for another process that embeds", 0, 1)
        with home.locked(generations / ".embed.lock"):
            remove_left_over(home, TEMPORARY)
            if self._is_sound(final):
                return Embedding(about_vectors(final).windows)
            texts = window_texts(home.checked(generations / key.folder))
            embedded = self.cache.embed(texts, self.embedder, progress=lambda *count: progress("embedding", *count))
            step("embed:embedded")
            building = home.temporary_folder(TEMPORARY)
            for name in (CHUNKS_FILE, DIGEST_FILE):
                home.share(generations / key.folder / name, building / name)
            write_vectors(building, embedded.vectors, self.embedder.fingerprint)
            step("embed:written")
            home.sync(building)
            home.remove(final)
            home.move(building, final)
            home.sync(final.parent)
            step("embed:renamed")
        progress("indexing vectors", 0, 1)
        self.build_nearest(final)
        step("embed:indexed")
        return Embedding(len(texts), embedded.new)

    def embed_ahead(self, texts: Sequence[str]) -> int:
        """Put the vectors of some texts into the cache; return how many had to be embedded.

        Raises:
            EmbedderError: the embedder failed; the batches before are kept.
        """
        return self.cache.embed(texts, self.embedder, progress=lambda done, total: None).new

    def _is_sound(self, folder: Path) -> bool:
        return has_sound_chunks(folder) and has_sound_vectors(folder, self.embedder.fingerprint)


def window_texts(folder: Path) -> list[str]:
    """Return the embedded texts of a generation, in the order of its vectors."""
    with closing(Generation(folder)) as generation:
        return [window.text for _, window in windows_in(generation)]


def windows_in(generation: Generation) -> Iterator[tuple[StoredChunk, Window]]:
    """Yield each window of a generation with its chunk, in the order of the vectors."""
    for chunk in generation.all_chunks():
        for window in windows_of(chunk.text, generation.items_of(chunk.row)):
            yield chunk, window
