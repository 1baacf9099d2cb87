"""The contents of `indexes/`, and the texts that are needed -> what is wrong. Nothing is changed.

Everything below `indexes/` can be rebuilt, so nearly every fault can be repaired: unneeded files are deleted, the rest
is indexed and embedded again. Faults are of four kinds:

    stale      another text than on disk, or made by another version, embedder or kind of full text
    torn       other bytes than were written
    orphaned   nothing needs it any more
    degraded   answers come, but not with all features or not as fast
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePath
from typing import Literal

from lorewright.errors import Busy, DamagedFile, FileUnavailable, LorewrightError, UnsafePath
from lorewright.index import building, vector_building
from lorewright.index.building import has_sound_chunks, windows_of
from lorewright.index.embedding_cache import EmbeddingCache
from lorewright.index.generation import CHUNKS_FILE, GenerationKey
from lorewright.index.history import HistoryIndex
from lorewright.index.installed_packs import InstalledPack
from lorewright.index.library import Library
from lorewright.index.vector_building import window_texts
from lorewright.index.vectors import chroma_files
from lorewright.index.vectors.chroma_building import chroma_state, rebuild_chroma
from lorewright.index.vectors.stored import about_vectors, has_sound_vectors
from lorewright.packs.content_hash import content_hash_of, reading_of
from lorewright.packs.files import Progress, no_progress
from lorewright.packs.manifest import load_manifest
from lorewright.storage.database import delete_files_of, is_sound, names_another_file
from lorewright.storage.enclosure import LINK_HINT, Enclosure, Trouble, error_for, is_link

# Unneeded files are deleted, under the locks of the processes that might be making or using them.


@contextmanager
def hold_index_locks(library: Library) -> Iterator[None]:
    """Hold the locks of installing, building and embedding; wait for them. Reading goes on."""
    home = Enclosure(library.generations)
    with library.changing(), home.locked(home.path(".build.lock")), home.locked(home.path(".embed.lock")):
        yield


def is_searched(folder: Path) -> bool:
    """Return True if another process searches a generation through Chroma: its files must not be deleted."""
    if not folder.is_dir():
        return False
    lock = chroma_files.lock(folder)
    if lock is None:
        return True
    lock.release()
    return False


def delete_generation(library: Library, folder: Path) -> bool:
    """Delete a generation's folder, unless another process searches it through Chroma; return whether it was deleted.
    The caller must hold the locks of `alone`.

    Processes that have it open keep their open files. It is renamed first, so that nobody finds a part of it.

    Raises:
        UnsafePath: it is a link or holds one; nothing of it was renamed or deleted.
    """
    home = Enclosure(library.generations)
    home.refuse_links(folder)
    if folder.is_dir() and is_searched(folder):
        return False
    aside = home.temporary_folder(building.TEMPORARY)
    home.move(folder, aside / folder.name)
    home.remove(aside)
    if folder.parent != library.generations:
        home.remove_if_empty(folder.parent)
    return True


def delete_scratch(path: Path) -> bool:
    """Delete what a process left in a generation's folder beside Chroma, unless another process has it now; return
    whether it was deleted."""
    lock = chroma_files.lock(path.parent)
    if lock is None:
        return False
    try:
        chroma_files.remove(path)
    finally:
        lock.release()
    return True


def mend_chroma(folder: Path, *, wanted: bool) -> bool:
    """Build a generation's Chroma anew, or delete a damaged one where none is wanted; return whether that was done."""
    if wanted:
        return rebuild_chroma(folder)
    return all(delete_scratch(folder / name) for name in (chroma_files.CHROMA, chroma_files.BROKEN))


def delete_database(path: Path) -> None:
    """Delete a database that can be rebuilt, with its log."""
    with Enclosure(path.parent).locked(path.with_name(f"{path.name}.lock")):
        delete_files_of(path)


Kind = Literal["stale", "torn", "orphaned", "degraded", "foreign", "unknown"]
Code = Literal[
    "link-found",
    "journal-found",
    "not-examined",
    "library-damaged",
    "embeddings-damaged",
    "history-damaged",
    "folder-gone",
    "folder-unreadable",
    "pack-renamed",
    "text-changed",
    "index-missing",
    "chunks-damaged",
    "other-embedder",
    "embedder-missing",
    "not-embedded",
    "vectors-damaged",
    "chroma-damaged",
    "chroma-missing",
    "chroma-scratch",
    "leftover",
    "temporary",
    "generation-unused",
    "history-unused",
    "embeddings-unused",
]

# Cached vectors that no text needs are deleted when they are more than this share: a text may come back.
_UNUSED_SHARE = 0.2

_TORN = "other bytes than were written"


@dataclass(frozen=True, slots=True)
class IndexFault:
    """A fault. `where` is a pack's ID or a path below `indexes/`; `hint` says what to do where a person must act. `key`
    and `path` are the text or the file that it is about, if it is about one.

    A `foreign` fault is a link, or a journal that names a file; only a person may follow or delete it. An `unknown`
    fault could not be examined: the disk is full, another process holds the file; nothing may be concluded from it.
    """

    kind: Kind
    code: Code
    where: str
    state: str
    hint: str | None = None
    key: GenerationKey | None = None
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """Examines the indexes of one workspace. `pinned` are the texts that campaigns need, even if they are not
    installed; `campaigns` are the IDs of existing campaigns; generations of `chroma_from` windows or more should have a
    Chroma, which is searched. Smaller ones need none: theirs is only for other programs."""

    library: Library
    cache: EmbeddingCache
    indexes: Path
    pinned: Sequence[GenerationKey] = ()
    campaigns: Collection[str] = ()
    chroma_from: int | None = None
    progress: Progress = field(default=no_progress)

    def databases(self) -> Iterator[IndexFault]:
        """Yield the faults of the databases. If the list of packs is damaged or unknown, no other check can run."""
        yield from unless_unknown("library.db", self._library_faults)
        yield from unless_unknown("embeddings.db", self._embeddings_faults)
        yield from unless_unknown("history", self._histories_faults)

    def _histories_faults(self) -> Iterator[IndexFault]:
        for path in self._histories():
            if path.stem in self.campaigns:
                yield from unless_unknown(self._name(path), partial(self._history_faults, path))

    def _library_faults(self) -> Iterator[IndexFault]:
        if not self.library.is_sound():
            yield IndexFault("torn", "library-damaged", "library.db", "the list of installed packs is damaged")

    def _embeddings_faults(self) -> Iterator[IndexFault]:
        if not self.cache.is_sound():
            yield IndexFault("torn", "embeddings-damaged", "embeddings.db", "the kept vectors are damaged")

    def _history_faults(self, path: Path) -> Iterator[IndexFault]:
        if not is_sound(path):
            yield IndexFault("torn", "history-damaged", self._name(path), "it is damaged", path=path)

    def texts(self) -> Iterator[IndexFault]:
        """Yield the faults of the installed packs and their keyword indexes, and of the texts that campaigns pin."""
        packs = self.library.packs()
        for done, pack in enumerate(packs):
            self.progress("checking packs", done, len(packs))
            yield from _pack_faults(pack)
            yield from unless_unknown(pack.id, partial(self._index_faults, pack.key))
        installed = {pack.key for pack in packs}
        for key in self.pinned:
            if key not in installed:
                yield from unless_unknown(key.pack_id, partial(self._index_faults, key))

    def _index_faults(self, key: GenerationKey) -> Iterator[IndexFault]:
        generations = Enclosure(self.library.generations)
        folder = generations.checked(generations.root / key.folder)
        if not (folder / CHUNKS_FILE).is_file():
            entries = generations.entries(folder.parent)
            others = [path for path in entries if path.name.startswith(f"{key.content_hash[:16]}-")]
            state = "its index was made by another version" if others else "there is no index of its text"
            yield IndexFault("stale", "index-missing", key.pack_id, state, key=key)
        elif not has_sound_chunks(folder):
            yield IndexFault("torn", "chunks-damaged", self._name(folder), _TORN, key=key)

    def vectors(self) -> Iterator[IndexFault]:
        """Yield the faults of the vectors of the texts whose keyword index exists."""
        keys = self._indexed()
        for done, key in enumerate(keys):
            self.progress("checking vectors", done, len(keys))
            yield from unless_unknown(key.pack_id, partial(self._vector_faults, key))

    def _vector_faults(self, key: GenerationKey) -> Iterator[IndexFault]:
        if self.library.vectors is None:
            return
        fingerprint = self.library.vectors.embedder.fingerprint
        generations = Enclosure(self.library.generations)
        folder = generations.checked(generations.root / key.folder_in(fingerprint))
        if not (folder / CHUNKS_FILE).is_file():
            others = self.library.foreign_spaces(key)
            if others:
                yield IndexFault(
                    "stale", "other-embedder", key.pack_id, f"embedded with {others[0]}", key=key, path=folder
                )
            else:
                yield IndexFault("degraded", "not-embedded", key.pack_id, "found by words alone", key=key, path=folder)
        elif not has_sound_chunks(folder):
            yield IndexFault("torn", "chunks-damaged", self._name(folder), _TORN, key=key, path=folder)
        elif not has_sound_vectors(folder, fingerprint):
            yield IndexFault("torn", "vectors-damaged", self._name(folder), _TORN, key=key, path=folder)

    def nearest(self) -> Iterator[IndexFault]:
        """Yield the faults of Chroma, in the generations whose vectors are sound."""
        folders = self._embedded()
        for done, folder in enumerate(folders):
            self.progress("checking Chroma", done, len(folders))
            yield from unless_unknown(self._name(folder), partial(self._chroma_faults, folder))

    def _chroma_faults(self, folder: Path) -> Iterator[IndexFault]:
        lock = chroma_files.lock(folder)
        scratch = (chroma_files.BUILDING, chroma_files.OPEN) if lock else ()
        left = [path for path in Enclosure(folder).entries() if path.name in scratch]
        if lock:
            lock.release()
        for path in left:
            yield IndexFault("orphaned", "chroma-scratch", self._name(path), "left by a process that died", path=path)
        state = chroma_state(folder)
        if state == "broken":
            yield IndexFault("torn", "chroma-damaged", self._name(folder), "Chroma does not open or find", path=folder)
        elif state == "absent" and wants_chroma(folder, self.chroma_from):
            yield IndexFault("degraded", "chroma-missing", self._name(folder), "there is no Chroma", path=folder)

    def orphans(self, *, alone: bool = False) -> Iterator[IndexFault]:
        """Yield what nothing needs: temporary folders, generations, histories, cached vectors. Temporary folders may
        be in use by a process that builds, unless the caller holds the locks of `alone`."""
        yield from self._leftovers(alone)
        lost = self.library.lost()
        for folder in self._unused_generations():
            state, hint = "no installed pack and no campaign needs it", None
            if folder.parent.name in lost:
                state = "its pack was in the list that was damaged"
                hint = f"install {folder.parent.name} again; or delete indexes/library.db.damaged to have it deleted"
            yield IndexFault("orphaned", "generation-unused", self._name(folder), state, hint, path=folder)
        for path in self._histories():
            if path.stem not in self.campaigns:
                yield IndexFault("orphaned", "history-unused", self._name(path), "its campaign is gone", path=path)
        # A linked folder is not read, so it is unknown which vectors it needs.
        if is_link(self.indexes / "history"):
            return
        # The needed vectors are known only when every text is indexed, and the current embedder has embedded all; and
        # opening a damaged cache would begin it anew.
        if self.library.vectors is None or not self.cache.is_sound():
            return
        if len(self._indexed()) == len(self._embedded()) == len(self.needed()):
            unused = self.cache.unused(self.library.vectors.embedder.fingerprint, self.needed_texts())
            if unused > self.cache.count() * _UNUSED_SHARE:
                yield IndexFault(
                    "orphaned", "embeddings-unused", "embeddings.db", f"{unused} vectors that nothing uses"
                )

    def _leftovers(self, alone: bool) -> Iterator[IndexFault]:
        generations = Enclosure(self.library.generations)
        for lock, prefix in ((".build.lock", building.TEMPORARY), (".embed.lock", vector_building.TEMPORARY)):
            left = [path for path in generations.entries() if path.name.startswith(prefix)]
            if left and (alone or _is_free(generations.root / lock)):
                for path in left:
                    yield IndexFault("orphaned", "leftover", self._name(path), "left by a process that died", path=path)

    def _unused_generations(self) -> Iterator[Path]:
        needed = {folder for key in self.needed() for folder in self._needed_folders(key)}
        generations = Enclosure(self.library.generations)
        for pack in generations.entries():
            for folder in generations.entries(pack) if pack.name[0] != "." else ():
                if folder not in needed and next(generations.links(folder), None) is None:
                    yield folder

    def _needed_folders(self, key: GenerationKey) -> Iterator[Path]:
        """Yield the folders that a text needs. Without the current embedder's, those of other embedders are kept."""
        spaces = self.library.spaces(key)
        yield self.library.generations / key.folder
        if self.library.vectors is None:
            yield from spaces.values()
            return
        own = self.library.vectors.embedder.fingerprint
        yield self.library.generations / key.folder_in(own)
        if own not in spaces:
            yield from spaces.values()

    def needed(self) -> list[GenerationKey]:
        """Return the keys of the texts of the installed packs and of the campaigns."""
        return list(dict.fromkeys([*(pack.key for pack in self.library.packs()), *self.pinned]))

    def needed_texts(self) -> Iterator[str]:
        """Yield the embedded texts of the needed packs, and of the histories of campaigns."""
        for key in self._indexed():
            yield from window_texts(self.library.generations / key.folder)
        for path in self._histories():
            if path.stem in self.campaigns:
                for text in HistoryIndex(path).texts():
                    yield from (window.text for window in windows_of(text, ()))

    def count_vectors(self) -> int:
        """Return the number of vectors of the needed texts."""
        return sum(about_vectors(folder).windows for folder in self._embedded())

    def _indexed(self) -> list[GenerationKey]:
        return [key for key in self.needed() if _has_own_chunks(self.library.generations / key.folder)]

    def _embedded(self) -> list[Path]:
        if self.library.vectors is None:
            return []
        fingerprint = self.library.vectors.embedder.fingerprint
        folders = [self.library.generations / key.folder_in(fingerprint) for key in self.needed()]
        return [folder for folder in folders if _has_own_chunks(folder) and has_sound_vectors(folder, fingerprint)]

    def _histories(self) -> list[Path]:
        """Return the history files; none where their folder is a link, which is reported elsewhere."""
        enclosure = Enclosure(self.indexes)
        if is_link(enclosure.root / "history"):
            return []
        return [path for path in enclosure.entries(enclosure.root / "history") if path.suffix == ".db"]

    def _name(self, path: Path) -> str:
        return path.relative_to(self.indexes).as_posix()


def links_below(folder: Path, shown: str) -> Iterator[IndexFault]:
    """Yield a fault for each link below a folder of the workspace, and for the folder itself if it is a link; `shown`
    is the folder's name in messages."""
    for path in Enclosure(folder).links():
        name = (PurePath(shown) / path.relative_to(folder)).as_posix()
        hint = f"{path}: {LINK_HINT}"
        yield IndexFault("foreign", "link-found", name, "a link, which is not followed", hint, path=path)


def journals_below(folder: Path, shown: str) -> Iterator[IndexFault]:
    """Yield a fault for each rollback journal below a folder of the workspace that names another file: SQLite would
    delete that file. `shown` is the folder's name in messages."""
    for path in () if is_link(folder) else Enclosure(folder).files():
        if path.name.endswith("-journal") and names_another_file(path):
            name = (PurePath(shown) / path.relative_to(folder)).as_posix()
            hint = f"delete {path} if you do not know where it comes from"
            yield IndexFault("foreign", "journal-found", name, "a journal that names another file", hint, path=path)


def unless_unknown(where: str, find: Callable[[], Iterable[IndexFault]]) -> list[IndexFault]:
    """Return the faults that are found, and last the fault that says why the rest is unknown, if it is."""
    found: list[IndexFault] = []
    try:
        found.extend(find())
    except (FileUnavailable, UnsafePath, DamagedFile, *Trouble) as problem:
        trouble = error_for(problem, Path(where))
        found.append(IndexFault("unknown", "not-examined", where, trouble.message, trouble.hint or "look at the disk"))
    return found


def _pack_faults(pack: InstalledPack) -> Iterator[IndexFault]:
    root = Path(pack.path)
    if not root.is_dir():
        hint = f"put it back at {root}, or run: lorewright pack remove {pack.id}"
        yield IndexFault("stale", "folder-gone", pack.id, "its folder is gone", hint)
        return
    try:
        text, found = content_hash_of(root), load_manifest(root)[0].id
    except (OSError, LorewrightError) as problem:
        yield IndexFault("stale", "folder-unreadable", pack.id, str(problem), f"mend {root}")
        return
    if found != pack.id:
        hint = f"run: lorewright pack remove {pack.id}, then: lorewright pack install {root}"
        yield IndexFault("stale", "pack-renamed", pack.id, f"its folder holds the pack {found} now", hint)
    elif text != pack.content_hash:
        is_older = reading_of(root, pack.content_hash) is not None
        what = (
            "it was read by the rules of an earlier version" if is_older else "its text differs from the indexed text"
        )
        yield IndexFault("stale", "text-changed", pack.id, what, key=pack.key)


def _has_own_chunks(folder: Path) -> bool:
    """Return True if the chunks are sound and not behind a link."""
    try:
        return has_sound_chunks(folder)
    except UnsafePath:
        return False


def _is_free(lock: Path) -> bool:
    try:
        with Enclosure(lock.parent).locked(lock, timeout_s=0):
            return True
    except Busy:
        return False


def wants_chroma(folder: Path, chroma_from: int | None) -> bool:
    """Return True if a generation is so large that its Chroma is searched."""
    return chroma_from is not None and about_vectors(folder).windows >= chroma_from
