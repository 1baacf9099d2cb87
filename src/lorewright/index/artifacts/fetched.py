"""A store and a folder -> generations that are whole, compared with their digests, and not more than there is room for.

    indexes/fetched/PACK/NAME/            a generation as `indexes/generations/` has it, and the list of its files
    indexes/fetched/.held/PACK.NAME       who uses it, over all processes; its time says when it was last used
    indexes/fetched/.fetching-…           what a process is fetching, or was when it died
    indexes/fetched/.removing-…           what is being removed

One process fetches at a time; it renames what is whole into place, and sweeps what others left.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lorewright.errors import DamagedFile, UnsafePath
from lorewright.index.artifacts.manifests import (
    LIMIT,
    GenerationManifest,
    StoredFile,
    manifest_name,
    read_manifest,
    seal,
)
from lorewright.index.artifacts.objects import ObjectMissing, ObjectStore
from lorewright.index.building import remove_left_over
from lorewright.index.generation import GenerationKey
from lorewright.logs import log_event
from lorewright.packs.files import Progress, no_progress
from lorewright.storage.enclosure import Enclosure, raising_our_errors
from lorewright.storage.faults import step
from lorewright.storage.holding import Hold, hold_shared, holding_alone

FETCHING = ".fetching-"
REMOVING = ".removing-"
_HELD = ".held"
_LOCK = ".fetch.lock"
# The manifest of a fetched generation, beside its files.
LIST_FILE = "fetched.json"


@dataclass(slots=True)
class Fetched:
    """A fetched generation that nobody removes until it is released."""

    folder: Path
    hold: Hold

    def release(self) -> None:
        """Let others remove it."""
        self.hold.release()


class FetchedGenerations:
    """The fetched generations of a folder."""

    def __init__(
        self, folder: Path, objects: ObjectStore, *, room_bytes: int, let_go: Callable[[], object] = bool
    ) -> None:
        """They take up to `room_bytes` together, more only where all are in use. `let_go` is called when room is
        needed: it closes what this process keeps open without need."""
        self._home = Enclosure(folder)
        self._objects = objects
        self._room_bytes = room_bytes
        self._let_go = let_go
        # The folders whose bytes this process has compared, by number and time of their list.
        self._compared: dict[Path, tuple[int, int]] = {}

    def get(self, key: GenerationKey, space: str, *, progress: Progress = no_progress) -> Fetched | None:
        """Return a generation, fetched if it is not here; None where the store has none of that text and space. The
        caller releases it.

        Raises:
            LoreStoreUnavailable: it is not here, and the store does not answer.
            DamagedFile: the store holds other bytes than were pushed, or not all.
            FileUnavailable: it cannot be written here.
            UnsafePath: a link stands where it belongs.
        """
        if (here := self.find(key, space)) is not None:
            return here
        manifest = self.manifest(key, space)
        if manifest is None:
            return None
        with raising_our_errors(self._home.root), self._home.locked(self._home.root / _LOCK):
            if (here := self.find(key, space)) is None:
                self._fetch(manifest, progress)
                here = self.find(key, space)
        if here is None:
            # Its folder was taken away between the two, by somebody's hand.
            raise DamagedFile(f"{self._folder(key, space)} is gone", hint="try again")
        return here

    def find(self, key: GenerationKey, space: str) -> Fetched | None:
        """Return a generation that is here and whole; None where it has to be fetched. The caller releases it."""
        folder = self._folder(key, space)
        if not (folder / LIST_FILE).is_file():
            return None
        hold = hold_shared(self._home, self._hold_of(folder))
        if self._is_whole(folder, key, space):
            return Fetched(folder, hold)
        hold.release()
        return None

    def spaces(self, key: GenerationKey) -> dict[str, Path]:
        """Return the folders of a text that are here, by vector space."""
        parent = self._home.root / key.pack_id
        found = ((key.space_of(folder.name), folder) for folder in self._home.entries(parent))
        return {space: folder for space, folder in found if space and (folder / LIST_FILE).is_file()}

    def manifest(self, key: GenerationKey, space: str) -> GenerationManifest | None:
        """Return what the store says of a generation; None where it has none.

        Raises: as `get`.
        """
        name = manifest_name(key, space)
        try:
            data = self._objects.read(name, limit=LIMIT)
        except ObjectMissing:
            return None
        return read_manifest(data, f"{self._objects.url}/{name}", key, space)

    def bytes_here(self) -> int:
        """Return how many bytes the generations take that are here."""
        return sum(map(_bytes_of, self._folders()))

    def _folder(self, key: GenerationKey, space: str) -> Path:
        return self._home.checked(self._home.root / key.folder_in(space))

    def _hold_of(self, folder: Path) -> Path:
        return self._home.root / _HELD / f"{folder.parent.name}.{folder.name}"

    def _fetch(self, manifest: GenerationManifest, progress: Progress) -> None:
        """Fetch a generation; the caller holds the lock under which that is done."""
        for prefix in (FETCHING, REMOVING):
            remove_left_over(self._home, prefix)
        final = self._folder(manifest.key, manifest.space)
        self._make_room(manifest.size, beside=final)
        building = self._home.temporary_folder(FETCHING)
        try:
            step("fetch:begun")
            done = 0
            for name, file in manifest.files.items():
                self._fetch_file(building / name, file, done, manifest, progress)
                done += file.size
                step("fetch:file")
            self._home.write(building / LIST_FILE, seal(manifest).data)
            self._home.sync(building)
            step("fetch:written")
            self._home.make_folder(final.parent)
            if final.exists():
                # It is not whole, else it would have been found.
                self._set_aside(final)
            self._home.move(building, final)
            self._home.sync(final.parent)
            step("fetch:renamed")
        finally:
            self._home.remove(building)
        log_event("fetched", pack=manifest.pack_id, bytes=manifest.size)

    def _fetch_file(
        self, path: Path, file: StoredFile, done: int, manifest: GenerationManifest, progress: Progress
    ) -> None:
        told = f"fetching {manifest.pack_id}"
        try:
            self._objects.fetch(
                file.name,
                path,
                size=file.size,
                sha256=file.sha256,
                on_bytes=lambda count: progress(told, done + count, manifest.size),
            )
        except ObjectMissing:
            raise DamagedFile(
                f"{self._objects.url}/{file.name} is missing, which {manifest.pack_id} needs",
                hint=f"push it again where it is installed: lorewright pack push {manifest.pack_id} --to URL --anew",
            ) from None

    def _is_whole(self, folder: Path, key: GenerationKey, space: str) -> bool:
        """Compare every byte with its digest, once in a process: a disk may have lost some since they came."""
        try:
            found = (folder / LIST_FILE).stat()
            stamp = (found.st_ino, found.st_mtime_ns)
            if self._compared.get(folder) == stamp:
                return True
            data = self._home.read(folder / LIST_FILE, limit=LIMIT)
            manifest = read_manifest(data, str(folder / LIST_FILE), key, space)
            if not all(_is_as_listed(self._home.checked(folder / name), file) for name, file in manifest.files.items()):
                return False
        except (FileNotFoundError, DamagedFile):
            return False
        self._compared[folder] = stamp
        return True

    def _make_room(self, needed: int, *, beside: Path) -> None:
        """Remove those that were not used for longest, until there is room for so many bytes or all are in use."""
        if self.bytes_here() + needed <= self._room_bytes:
            return
        self._let_go()
        sizes = {folder: _bytes_of(folder) for folder in self._folders() if folder != beside}
        taken = sum(sizes.values())
        for folder in sorted(sizes, key=self._used_at):
            if taken + needed <= self._room_bytes:
                return
            with holding_alone(self._home, self._hold_of(folder)) as is_unused:
                if is_unused:
                    self._set_aside(folder)
                    taken -= sizes[folder]
        if taken + needed > self._room_bytes:
            log_event("error", level="warning", code="lore_room_exceeded", bytes=taken + needed)

    def _set_aside(self, folder: Path) -> None:
        """Remove a folder, renamed first, so that it is there whole or not at all."""
        aside = self._home.temporary_folder(REMOVING)
        self._home.move(folder, aside / folder.name)
        step("evict:moved")
        with suppress(UnsafePath):
            self._home.remove(aside)

    def _used_at(self, folder: Path) -> float:
        with suppress(FileNotFoundError):
            return self._hold_of(folder).stat().st_mtime
        return 0.0

    def _folders(self) -> list[Path]:
        packs = [entry for entry in self._home.entries() if entry.name[0] != "."]
        return [folder for pack in packs for folder in self._home.entries(pack)]


def _is_as_listed(path: Path, file: StoredFile) -> bool:
    if path.stat().st_size != file.size:
        return False
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest() == file.sha256


def _bytes_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
