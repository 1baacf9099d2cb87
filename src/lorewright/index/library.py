"""The library: which packs are installed, where they are, and which generation is current."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from lorewright.errors import DamagedFile, LorewrightError, NotFound, StaleIndexError
from lorewright.ids import did_you_mean, is_id
from lorewright.index.building import has_sound_chunks
from lorewright.index.embedders.embedder import Vectors
from lorewright.index.generation import CHUNKS_FILE, KEYWORDS, Generation, GenerationKey
from lorewright.index.installed_packs import (
    MIGRATIONS,
    InstalledPack,
    folder_now,
    neighbour_of,
    read_findings,
    read_installed,
)
from lorewright.index.reranker import Reranker
from lorewright.index.vector_building import Embedding, VectorBuilder
from lorewright.index.vectors.stored import DamagedVectors, StoredVectors, VectorFiles
from lorewright.packs.files import Finding, Progress, no_progress
from lorewright.packs.models import Neighbour
from lorewright.storage.database import (
    DAMAGED,
    is_sound,
    opened,
    refuse_foreign_schema,
    refuse_naming_journal,
    refuse_second_names,
    set_aside,
)
from lorewright.storage.enclosure import Enclosure, Trouble, error_for
from lorewright.storage.tables import migrate

# Errors while an index is read -> reported as damage, where its bytes are not as they were written.
#
# Checking every byte before each question would cost more than the answer, so it is done after an error.


@contextmanager
def report_damage(folders: Iterable[Path]) -> Iterator[None]:
    """Read the generations in these folders inside the block.

    Raises:
        DamagedFile: an error occurred and one of them is damaged; any other error is raised as it is.
    """
    try:
        yield
    except LorewrightError:
        raise
    except Exception as problem:
        damaged = [folder for folder in folders if (folder / CHUNKS_FILE).exists() and not has_sound_chunks(folder)]
        if not damaged:
            raise
        raise DamagedFile(f"{damaged[0]} is damaged: {problem}", hint="run: lorewright doctor") from problem


OpenNearest = Callable[[Path, Vectors], StoredVectors]


def without_index(folder: Path, vectors: Vectors) -> StoredVectors:
    """Return the vectors of a generation without any index, to be searched exactly."""
    return StoredVectors(vectors)


class Library:
    """The packs of one workspace, in `indexes/`. Everything in that folder can be rebuilt."""

    def __init__(
        self,
        indexes: Path,
        vectors: VectorBuilder | None = None,
        *,
        open_nearest: OpenNearest = without_index,
        reranker: Reranker | None = None,
    ) -> None:
        """Without `vectors` packs are searched by keywords alone. `open_nearest` opens a generation's vectors, with an
        index of them if there is one; a `reranker` reranks the best hits."""
        self.folder = Enclosure(indexes)
        self.database = indexes / "library.db"
        self.vectors = vectors
        self._open_nearest = open_nearest
        self._reranker = reranker
        self._shared: dict[GenerationKey, Generation] | None = None
        self._vector_files = VectorFiles()

    @property
    def home(self) -> Path:
        """The workspace's folder."""
        return self.database.parent.absolute().parent

    @property
    def generations(self) -> Path:
        """The folder of all generations.

        Raises:
            UnsafePath: this folder, or `indexes/` itself, is a link.
        """
        return self.folder.path("generations")

    def searched_exactly(self) -> Library:
        """Return the same library, except that it builds no index of vectors: building that takes longer than all the
        rest."""
        vectors = None if self.vectors is None else replace(self.vectors, build_nearest=bool)
        return Library(self.database.parent, vectors, open_nearest=self._open_nearest)

    def hold_to_trust(self) -> None:
        """Ask the user, or refuse, if the embedder may not be used without their consent.

        Raises:
            NotTrusted: the workspace's embedder may not be used.
        """
        if self.vectors is not None:
            self.vectors.hold()

    def embed(self, key: GenerationKey, *, progress: Progress = no_progress) -> Embedding | None:
        """Give a generation its vectors where they are missing; return None where there is no embedder.

        Raises:
            EmbedderError: the embedder failed.
        """
        return self.vectors.build(key, self.generations, progress=progress) if self.vectors else None

    def packs(self) -> list[InstalledPack]:
        """Return the installed packs, by ID.

        Raises:
            DamagedFile: the list of packs is damaged.
            FileUnavailable: it cannot be read now.
            UnsafePath: it is a link.
        """
        if not self.folder.checked(self.database).is_file():
            return []
        try:
            with opened(self.database) as database:
                migrate(database, MIGRATIONS, rebuildable=True)
                return [
                    read_installed(row, self.home) for row in database.rows("SELECT * FROM content_packs ORDER BY id")
                ]
        except (DamagedFile, *Trouble, ValueError, LookupError, TypeError) as problem:
            trouble = error_for(problem, self.database)
            if not isinstance(trouble, DamagedFile):
                raise trouble from None
            raise DamagedFile(f"{self.database} cannot be read: {problem}", hint="run: lorewright doctor") from None

    def get(self, pack_id: str) -> InstalledPack:
        """Return an installed pack.

        Raises:
            NotFound: no pack of that ID is installed.
        """
        return self.named([pack_id])[0]

    def named(self, pack_ids: Iterable[str]) -> list[InstalledPack]:
        """Return installed packs by their IDs, in the order given, each once; the list is read once for all of them.

        Raises:
            NotFound: no pack of one of these IDs is installed.
        """
        packs = {pack.id: pack for pack in self.packs()}
        wanted = list(dict.fromkeys(pack_ids))
        for pack_id in wanted:
            if pack_id not in packs:
                installed = ", ".join(packs) or "none"
                raise NotFound(
                    f"no pack {pack_id} is installed (installed: {installed})",
                    hint=did_you_mean(pack_id, packs) or "run: lorewright pack install FOLDER",
                )
        return [packs[pack_id] for pack_id in wanted]

    def findings_of(self, pack_id: str) -> tuple[Finding, ...] | None:
        """Return what was found in an installed pack's own files when it was indexed, sorted; None where that is to be
        found anew."""
        with opened(self.database) as database:
            migrate(database, MIGRATIONS, rebuildable=True)
            rows = database.rows("SELECT findings_json FROM content_packs WHERE id = ?", pack_id)
            return next((read_findings(row["findings_json"]) for row in rows), None)

    def open(self, key: GenerationKey) -> Generation:
        """Return a reader of a generation, with its vectors where the workspace's embedder made them.

        Raises:
            StaleIndexError: it does not exist, or was made by another embedder.
            DamagedFile: it is damaged.
        """
        if self._shared is not None and key in self._shared:
            return self._shared[key]
        folders = self.spaces(key)
        with report_damage(folders.values()):
            generation = self._opened(key, folders)
        if self._shared is not None:
            generation.is_shared = True
            self._shared[key] = generation
        return generation

    def open_by_words(self, key: GenerationKey) -> Generation:
        """Return a reader of a generation without its vectors.

        Raises:
            StaleIndexError: it does not exist.
            DamagedFile: it is damaged.
        """
        folders = self.spaces(key)
        with report_damage(folders.values()):
            return Generation(next(iter(folders.values()), self.generations / key.folder), reranker=self._reranker)

    @contextmanager
    def sharing(self) -> Iterator[None]:
        """Open each generation only once until the block ends, even if a reader closes it: for many questions in a row,
        by one thread. Changes of texts are not noticed meanwhile."""
        before, self._shared = self._shared, {}
        try:
            yield
        finally:
            shared, self._shared = self._shared, before
            for generation in shared.values():
                generation.is_shared = False
                generation.close()

    def _opened(self, key: GenerationKey, folders: dict[str, Path]) -> Generation:
        if self.vectors is not None and (fingerprint := self.vectors.embedder.fingerprint) in folders:
            return self._with_vectors(folders[fingerprint])
        if self.vectors is not None and (others := self.foreign_spaces(key)):
            raise StaleIndexError(
                f"{key.pack_id} was indexed with {others[0]}, and the settings say {fingerprint}",
                hint=f"run: lorewright pack reindex {key.pack_id}",
            )
        return Generation(next(iter(folders.values()), self.generations / key.folder), reranker=self._reranker)

    def foreign_spaces(self, key: GenerationKey) -> list[str]:
        """Return the other embedders that embedded a text, if the workspace's embedder has not."""
        spaces = [space for space in self.spaces(key) if space != KEYWORDS]
        return [] if self.vectors is None or self.vectors.embedder.fingerprint in spaces else spaces

    def _with_vectors(self, folder: Path) -> Generation:
        """Open a generation with its vectors; if they are damaged without, so that keywords still find the pack."""
        try:
            vectors = self._vector_files.open(folder)
        except DamagedVectors as problem:
            told = f"vectors are damaged: {problem}; run: lorewright doctor"
            return Generation(folder, reranker=self._reranker, without_vectors=told)
        assert self.vectors is not None
        return Generation(
            folder,
            vectors=self._open_nearest(folder, vectors),
            embedder=self.vectors.embedder,
            reranker=self._reranker,
        )

    def has(self, key: GenerationKey) -> bool:
        """Return True if the generation exists, for keywords at least, and not only as another embedder made it."""
        folders = self.spaces(key)
        return KEYWORDS in folders or (bool(folders) and self.vectors is None)

    def spaces(self, key: GenerationKey) -> dict[str, Path]:
        """Return the folders of a text by vector space, first the folder without vectors."""
        home = self.generations / key.folder
        found = {
            space: folder
            for folder in self.folder.entries(home.parent)
            if (space := key.space_of(folder.name)) and self.folder.checked(folder / CHUNKS_FILE).is_file()
        }
        return {KEYWORDS: found.pop(KEYWORDS), **found} if KEYWORDS in found else found

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Hold the lock under which generations are built and recorded, or unused ones deleted: one process at a time,
        so that no generation is deleted that is about to be recorded."""
        with self.folder.locked(self.generations / ".change.lock"):
            yield

    def is_sound(self) -> bool:
        """Return True if the list of installed packs is undamaged; without a list nothing is installed.

        Raises:
            FileUnavailable: it cannot be examined now.
            SettingsError: a newer version wrote it.
            UnsafePath: it is a link.
        """
        try:
            self.packs()
        except DamagedFile:
            return False
        return is_sound(self.database)

    def salvaged(self) -> list[tuple[str, str, bool]]:
        """Return what a damaged list still says of its packs: (id, folder, lenient); perhaps nothing.

        Raises:
            UnsafePath: it is a link, or its journal names a file.
        """
        found: list[tuple[str, str, bool]] = []
        uri = f"{self.folder.checked(self.database).as_uri()}?mode=ro"
        # A damaged schema may make SQLite raise anything, even errors with undecodable text: nothing more can be read.
        with suppress(DamagedFile, *Trouble, ValueError), ExitStack() as stack:
            stack.enter_context(self.folder.locked(self.database.with_name(f"{self.database.name}.lock")))
            refuse_second_names(self.database)
            refuse_naming_journal(self.database)
            rows = stack.enter_context(closing(sqlite3.connect(uri, uri=True)))
            refuse_foreign_schema(rows, self.database)
            for pack_id, path, lenient in rows.execute("SELECT id, path, lenient FROM content_packs NOT INDEXED"):
                if isinstance(pack_id, str) and isinstance(path, str) and is_id(pack_id):
                    found.append((pack_id, folder_now(path, self.home), bool(lenient)))
        return found

    def indexed_ids(self) -> list[str]:
        """Return the IDs of the packs with a generation, installed or not."""
        folders = self.folder.entries(self.generations)
        return [folder.name for folder in folders if is_id(folder.name) and self.folder.entries(folder)]

    def lost(self) -> set[str]:
        """Return the IDs of the packs that a list which was set aside may have held and that were not installed again:
        as long as that list exists, their generations are not deleted."""
        aside = (path for path in self.folder.entries() if path.name.startswith(f"{self.database.name}{DAMAGED}"))
        if next(aside, None) is None:
            return set()
        return set(self.indexed_ids()) - {pack.id for pack in self.packs()}

    def begin_anew(self) -> Path:
        """Move a damaged list aside, where it can be examined; return its new path."""
        lock = self.database.with_name(f"{self.database.name}.lock")
        with self.changing(), self.folder.locked(lock):
            return set_aside(self.database)

    def neighbours(self) -> dict[str, Neighbour]:
        """Return the installed packs in the form in which other packs are checked against them."""
        return {pack.id: neighbour_of(pack) for pack in self.packs()}
