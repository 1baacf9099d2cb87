"""A generation's folder -> objects, then the manifest that makes it visible, then the pointer that makes it current."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from lorewright.errors import DamagedFile
from lorewright.index.artifacts.manifests import (
    LIMIT,
    FileName,
    GenerationManifest,
    Pointer,
    Sealed,
    StoredFile,
    manifest_name,
    pointer_name,
    read_manifest,
    seal,
    text_name,
)
from lorewright.index.artifacts.objects import ObjectMissing, ObjectStore
from lorewright.index.building import has_sound_chunks
from lorewright.index.generation import KEYWORDS, GenerationKey
from lorewright.index.vectors.stored import has_sound_vectors
from lorewright.packs.files import Progress, no_progress
from lorewright.storage.faults import step

_OF_WORDS: tuple[FileName, ...] = ("chunks.db", "chunks.sha256")
_OF_VECTORS: tuple[FileName, ...] = ("vectors.npy", "vectors.json")


@dataclass(frozen=True, slots=True)
class PushedGeneration:
    """A generation that a store has: the name of its folder, its manifest's digest, and how many files and bytes had to
    be sent."""

    name: str
    space: str
    digest: str
    files: int = 0
    bytes: int = 0


def push_generation(
    objects: ObjectStore,
    key: GenerationKey,
    space: str,
    folder: Path,
    *,
    anew: bool = False,
    progress: Progress = no_progress,
) -> PushedGeneration:
    """Send what a store lacks of a generation; it is there for others once its manifest is, which is written last. One
    that is there whole stays as it is; `anew` sends all of it again, in place of objects that were damaged.

    Raises:
        DamagedFile: the folder holds other bytes than were built; nothing was sent.
        LoreStoreUnavailable: the store does not answer; what was sent is taken up by the next push.
    """
    name = key.folder_in(space).partition("/")[2]
    objects.make()
    there = None if anew else _manifest_there(objects, key, space)
    if there is not None and all(objects.size(file.name) == file.size for file in set(there.files.values())):
        return PushedGeneration(name, space, seal(there).digest)
    manifest = _manifest_of(key, space, folder)
    files, sent, done = 0, 0, 0
    for file_name, file in manifest.files.items():
        progress(f"sending {key.pack_id}", done, manifest.size)
        if anew or objects.size(file.name) != file.size:
            objects.upload(file.name, folder / file_name)
            files, sent = files + 1, sent + file.size
            step("push:object")
        done += file.size
    progress(f"sending {key.pack_id}", done, manifest.size)
    sealed = seal(manifest)
    objects.write(manifest_name(key, space), sealed.data)
    step("push:manifest")
    return PushedGeneration(name, space, sealed.digest, files, sent)


def push_text(objects: ObjectStore, content_hash: str, archive: Path, *, anew: bool = False) -> int:
    """Send the archive of a pack's text, unless it is there; return how many bytes had to be sent.

    Raises:
        LoreStoreUnavailable: the store does not answer.
    """
    size = archive.stat().st_size
    if not anew and objects.size(text_name(content_hash)) is not None:
        return 0
    objects.upload(text_name(content_hash), archive)
    step("push:text")
    return size


def push_pointer(objects: ObjectStore, pointer: Pointer) -> bool:
    """Make a text its pack's current one, unless it is; return whether it had to be.

    Raises:
        LoreStoreUnavailable: the store does not answer.
    """
    name, sealed = pointer_name(pointer.id), seal(pointer)
    if _is_there(objects, name, sealed):
        return False
    objects.write(name, sealed.data)
    step("push:pointer")
    return True


def _is_there(objects: ObjectStore, name: str, sealed: Sealed) -> bool:
    try:
        return objects.read(name, limit=LIMIT) == sealed.data
    except (ObjectMissing, DamagedFile):
        return False


def _manifest_there(objects: ObjectStore, key: GenerationKey, space: str) -> GenerationManifest | None:
    """Return the manifest that the store has; None where it has none, or a damaged one, which is written anew."""
    name = manifest_name(key, space)
    try:
        return read_manifest(objects.read(name, limit=LIMIT), name, key, space)
    except (ObjectMissing, DamagedFile):
        return None


def _manifest_of(key: GenerationKey, space: str, folder: Path) -> GenerationManifest:
    is_sound = has_sound_chunks(folder) and (space == KEYWORDS or has_sound_vectors(folder, space))
    if not is_sound:
        raise DamagedFile(f"{folder} is damaged; nothing of it was sent", hint="run: lorewright doctor --fix")
    names = _OF_WORDS if space == KEYWORDS else (*_OF_WORDS, *_OF_VECTORS)
    files: dict[FileName, StoredFile] = {name: _file_of(folder / name) for name in names}
    return GenerationManifest(pack_id=key.pack_id, content_hash=key.content_hash, space=space, files=files)


def _file_of(path: Path) -> StoredFile:
    with path.open("rb") as opened:
        return StoredFile(sha256=hashlib.file_digest(opened, "sha256").hexdigest(), size=path.stat().st_size)
