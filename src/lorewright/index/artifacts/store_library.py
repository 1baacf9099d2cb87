"""The packs of a workspace and of an object store as one library: what is lacking here is fetched when it is opened.

Where both have a pack, the store says which of its texts is current. A generation that was built here is used as it
is; of the store's, the one with this worker's vectors, or the one without any.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from lorewright.errors import EmbedderError, StaleIndexError
from lorewright.index.artifacts.fetched import Fetched, FetchedGenerations
from lorewright.index.artifacts.lore_store import LoreStore
from lorewright.index.artifacts.probes import TOLERANCE, distance_of
from lorewright.index.generation import KEYWORDS, Generation, GenerationKey
from lorewright.index.installed_packs import InstalledPack
from lorewright.index.library import Library, OpenNearest, without_index
from lorewright.index.reranker import Reranker
from lorewright.index.vector_building import Embedding, VectorBuilder
from lorewright.index.vectors.stored import DamagedVectors, VectorFiles
from lorewright.logs import log_event
from lorewright.packs.files import Progress, no_progress

FOLDER = "fetched"


class StoreLibrary(Library):
    """A library whose packs come from a store, but for those that were installed here."""

    def __init__(
        self,
        indexes: Path,
        vectors: VectorBuilder | None = None,
        *,
        store: LoreStore,
        open_nearest: OpenNearest = without_index,
        reranker: Reranker | None = None,
    ) -> None:
        """See `Library`."""
        super().__init__(indexes, vectors, open_nearest=open_nearest, reranker=reranker)
        self.store = store
        self._fetched = FetchedGenerations(
            indexes / FOLDER, store.objects, room_bytes=store.room_bytes, let_go=self._close_unread
        )
        self._compared_files = VectorFiles()

    def searched_exactly(self) -> Library:
        """Return the same library, except that it builds no index of vectors."""
        vectors = None if self.vectors is None else replace(self.vectors, build_nearest=bool)
        return StoreLibrary(self.database.parent, vectors, store=self.store, open_nearest=self._open_nearest)

    def packs(self) -> list[InstalledPack]:
        """Return the packs of the store and those that are installed here alone, by ID.

        Raises:
            LoreStoreUnavailable: the store does not answer, and never has.
        And what `Library.packs` raises.
        """
        here = {pack.id: pack for pack in super().packs()}
        there = self.store.pointers()
        found = {
            pack_id: here[pack_id]
            if pack_id in here and here[pack_id].content_hash == pointer.content_hash
            else pointer.as_installed(self.store.url)
            for pack_id, pointer in there.items()
        }
        return [pack for _, pack in sorted({**here, **found}.items())]

    def has(self, key: GenerationKey) -> bool:
        """Return True if the generation is here or could be fetched, which it then was.

        Raises: as `FetchedGenerations.get`.
        """
        with self._at_hand(key):
            return bool(self.spaces(key)) or bool(self.foreign_spaces(key))

    def spaces(self, key: GenerationKey) -> dict[str, Path]:
        """Return the folders of a text that are here, by vector space, first the folder without vectors; those that
        were built here before those that were fetched."""
        found = {**self._fetched.spaces(key), **super().spaces(key)}
        return {KEYWORDS: found.pop(KEYWORDS), **found} if KEYWORDS in found else found

    def foreign_spaces(self, key: GenerationKey) -> list[str]:
        """Return the other embedders that embedded a text, here or for the store, if this one has not."""
        if self.vectors is None or self.vectors.embedder.fingerprint in self.spaces(key):
            return []
        return [space for space in {*self.spaces(key), *self._spaces_there(key)} if space != KEYWORDS]

    def embed(self, key: GenerationKey, *, progress: Progress = no_progress) -> Embedding | None:
        """Give a generation that was built here its vectors. What was fetched gets none: workers with different vectors
        would answer differently.

        Raises:
            EmbedderError: the embedder failed.
        """
        return super().embed(key, progress=progress) if KEYWORDS in super().spaces(key) else None

    def open(self, key: GenerationKey) -> Generation:
        """Return a reader of a generation, fetched if it is not here.

        Raises: as `Library.open`, and as `FetchedGenerations.get`.
        """
        if self._shared is not None and key in self._shared:
            self._shared[key].readers += 1
            return self._shared[key]
        with self._at_hand(key) as fetched:
            if KEYWORDS not in super().spaces(key) and (others := self.foreign_spaces(key)):
                raise self._other_embedder(key, others)
            generation = super().open(key)
            _pass_on(fetched, generation)
        generation.readers = 1
        return generation

    def open_by_words(self, key: GenerationKey) -> Generation:
        """Return a reader of a generation without its vectors, fetched if it is not here.

        Raises: as `open`.
        """
        with self._at_hand(key) as fetched:
            generation = super().open_by_words(key)
            _pass_on(fetched, generation)
            return generation

    @contextmanager
    def _at_hand(self, key: GenerationKey) -> Iterator[list[Fetched]]:
        """Fetch what is lacking of a text, and see that nobody removes it while the block runs; what the block takes
        out of the list is kept for longer."""
        held: list[Fetched] = []
        try:
            wanted = KEYWORDS if self.vectors is None else self.vectors.embedder.fingerprint
            here = super().spaces(key)
            if wanted not in here and (wanted != KEYWORDS or not here):
                held += self._get(key, wanted, is_here=bool(here))
            yield held
        finally:
            for fetched in held:
                fetched.release()

    def _get(self, key: GenerationKey, wanted: str, *, is_here: bool) -> list[Fetched]:
        """Return the generation of a space; without it the one without vectors, unless others embedded the text or it
        `is_here`."""
        found = self._fetched.find(key, wanted)
        if found is None:
            there = self._spaces_there(key)
            if wanted in there:
                found = self._fetched.get(key, wanted)
            elif there == [KEYWORDS] and not is_here:
                found = self._fetched.get(key, KEYWORDS)
        return [] if found is None else [found]

    def _spaces_there(self, key: GenerationKey) -> list[str]:
        """Return the spaces of a text for which the store has a generation. Of a current text the pointer says it, so
        that the store need not be asked."""
        pointer = self.store.pointers().get(key.pack_id)
        if pointer is not None and pointer.content_hash == key.content_hash:
            names = list(pointer.generations)
        else:
            entries = self.store.objects.entries(f"generations/{key.pack_id}")
            names = [name.removesuffix(".json") for name in entries]
        return sorted(space for name in names if (space := key.space_of(name)))

    def _other_embedder(self, key: GenerationKey, others: list[str]) -> StaleIndexError:
        assert self.vectors is not None
        return StaleIndexError(
            f"{key.pack_id} was pushed as {others[0]} embedded it, and the settings say "
            f"{self.vectors.embedder.fingerprint}",
            hint=f"set the same embedder here, or push it with this one: lorewright pack push {key.pack_id}",
        )

    def _with_vectors(self, folder: Path) -> Generation:
        """Open a generation with its vectors; without, where the same texts embedded here lie elsewhere."""
        if FOLDER not in folder.relative_to(self.database.parent).parts[:1]:
            return super()._with_vectors(folder)
        told = self._disagreement(folder)
        if told is None:
            return super()._with_vectors(folder)
        return Generation(folder, reranker=self._reranker, without_vectors=told)

    def _disagreement(self, folder: Path) -> str | None:
        """Return why a fetched generation is not to be asked by this worker's embedder; None where it may be."""
        assert self.vectors is not None
        name = f"{folder.parent.name}/{folder.name}"
        agrees = self.store.agreement(name)
        if agrees is None:
            try:
                vectors = self._compared_files.open(folder)
                agrees = distance_of(folder, vectors, self.vectors.embedder) <= TOLERANCE
            except (EmbedderError, DamagedVectors) as problem:
                # It is tried again when it is opened the next time.
                return f"its vectors cannot be compared with this worker's embedder: {problem}"
            self.store.note_agreement(name, agrees=agrees)
            if not agrees:
                log_event("error", level="error", code="embedder_differs", pack=folder.parent.name)
        if agrees:
            return None
        return (
            f"this worker's {self.vectors.embedder.fingerprint} embeds its texts otherwise than they were embedded; "
            "run all workers with the same processor and libraries, or push the pack again from a machine like this"
        )

    def _close_unread(self) -> None:
        """Close the shared generations that nobody reads, so that they can be removed to make room."""
        for key, generation in list((self._shared or {}).items()):
            if generation.readers <= 0 and generation.hold is not None:
                del (self._shared or {})[key]
                generation.is_shared = False
                generation.close()


def _pass_on(held: list[Fetched], generation: Generation) -> None:
    """Have a reader hold its folder until it is closed."""
    for fetched in [each for each in held if each.folder == generation.folder]:
        held.remove(fetched)
        generation.hold = fetched
