"""A pack's folder -> the hash of its text, which also names the rules by which the text is read.

What a text means depends on the rules of cutting, naming, roles and types. They have a version, and the version is part
of the hash: a campaign that pins a hash is rebuilt by the rules under which it was begun, whatever is newest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from lorewright.bounded_files import read_bytes
from lorewright.errors import PackError
from lorewright.packs.files import MAX_FILE_BYTES, list_files
from lorewright.packs.images import image_in
from lorewright.packs.manifest import MANIFEST_FILE, is_inside, load_manifest

# Version 1 cut at H1 and H2 alone, named a note by its H1 and made IDs of whole paths. Version 2 took a heading below
# H2 with which a note begins for a section, never for the note's name. Version 3 left the blank lines around what was
# cut out of a text for players.
READING = 4
READINGS = (4, 3, 2, 1)
# The version from which on a note that begins with a heading below H2, and has none above it, is named by that heading.
DEEP_NAMES = 3
# The version from which on a text out of which something is cut reads as if that had never been written.
WITHOUT_GAPS = 4


class TextHash:
    """A reader of a pack's files that hashes their paths and bytes as it goes: `pack.yaml` first."""

    def __init__(self, root: Path, reading: int = READING) -> None:
        self._root = root
        # The hash of the first version has no version in it.
        self._digest = hashlib.sha256(b"" if reading == 1 else f"reading {reading}\0".encode("ascii"))
        self._images: set[str] = set()
        for path in source_paths(root, ()):
            self.read(path)

    def read(self, path: str) -> bytes:
        """Return the bytes of a file, and add them to the hash; a note's picture is added at the end."""
        data = read_bytes(self._root / path, MAX_FILE_BYTES, PackError)
        image = image_in(self._root, path, data)
        self._images |= set() if image is None else {image}
        self._digest.update(f"{path}\0{len(data)}\0".encode("utf-8", "surrogateescape"))
        self._digest.update(data)
        return data

    @property
    def hex(self) -> str:
        """The SHA-256 of everything read so far, in hexadecimal, with the pictures of the notes among it."""
        digest = self._digest.copy()
        for path in sorted(self._images):
            data = read_bytes(self._root / path, MAX_FILE_BYTES, PackError)
            digest.update(f"{path}\0{len(data)}\0".encode("utf-8", "surrogateescape") + data)
        return digest.hexdigest()


def content_hash_of(root: Path, paths: Iterable[str] | None = None, *, reading: int = READING) -> str:
    """Return the SHA-256 over path and bytes of the manifest and of every listed file, in path order."""
    digest = TextHash(root, reading)
    for path in source_paths(root, paths, reading=reading):
        if path != MANIFEST_FILE:
            digest.read(path)
    return digest.hex


def reading_of(root: Path, content_hash: str) -> int | None:
    """Return the version of the rules by which a folder has this hash; None where its text is another one."""
    return next((reading for reading in READINGS if content_hash_of(root, reading=reading) == content_hash), None)


def pinned_paths(root: Path, *, reading: int = READING) -> list[str]:
    """Return the relative paths of all files that a pack's hash covers: its text, and the pictures of its notes."""
    text = source_paths(root, reading=reading)
    found = (image_in(root, path, read_bytes(root / path, MAX_FILE_BYTES, PackError)) for path in text)
    return [*text, *sorted({image for image in found if image is not None})]


def source_paths(root: Path, paths: Iterable[str] | None = None, *, reading: int = READING) -> list[str]:
    """Return the relative paths of the files that a pack's text consists of: `pack.yaml`, then markdown files by
    path."""
    manifest = root / MANIFEST_FILE
    own = [MANIFEST_FILE] if manifest.is_file() and is_inside(manifest, root) else []
    if paths is None:
        about = load_manifest(root)[0]
        paths = list_files(root, about.exclude, include=about.include, reading=reading).paths
    return [*own, *paths]
