"""Named texts and bytes <-> one file that is whole or refused: a zip whose manifest lists every member's SHA-256."""

from __future__ import annotations

import json
import os
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from lorewright.errors import DamagedFile
from lorewright.ids import canonical_json

MANIFEST = "manifest.json"

# A year of play is some 100 MB; whatever says that it is more was not made by us.
MAX_MEMBER_BYTES = 1 << 30
MAX_BYTES = 2 << 30
MAX_MEMBERS = 200_000
_MAX_MANIFEST_BYTES = 64 << 20

_AGAIN = "have it exported and sent again"
# The same content gives the same bytes.
_NO_DATE = (1980, 1, 1, 0, 0, 0)


def write_container(path: Path, about: Mapping[str, Any], members: Iterable[tuple[str, bytes]]) -> None:
    """Write a file whole or not at all: the members in their order, then the manifest, which is `about` and `members`.

    Raises:
        FileExistsError: there is a file of that name.
        OSError: the disk refuses.
    """
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".exporting-", delete=False) as building:
        made = Path(building.name)
        try:
            with zipfile.ZipFile(building, "w", zipfile.ZIP_DEFLATED) as archive:
                listed = {}
                for name, data in members:
                    archive.writestr(zipfile.ZipInfo(name, _NO_DATE), data, zipfile.ZIP_DEFLATED)
                    listed[name] = {"sha256": sha256(data).hexdigest(), "bytes": len(data)}
                manifest = canonical_json({**about, "members": listed}).encode()
                archive.writestr(zipfile.ZipInfo(MANIFEST, _NO_DATE), manifest, zipfile.ZIP_DEFLATED)
            building.flush()
            os.fsync(building.fileno())
            path.hardlink_to(made)
        finally:
            made.unlink()


@dataclass(frozen=True, slots=True)
class Container:
    """An open container: what its manifest says besides the list, and its members, each of which is checked when it is
    read."""

    about: Mapping[str, Any]
    _archive: zipfile.ZipFile
    _listed: Mapping[str, Mapping[str, Any]]

    @property
    def names(self) -> list[str]:
        """The names of the members, sorted."""
        return sorted(self._listed)

    def read(self, name: str) -> bytes:
        """A member's bytes, which are those that were written.

        Raises:
            DamagedFile: they are not, or there is no such member.
        """
        told = self._listed.get(name)
        if told is None:
            raise DamagedFile(f"{name} is missing in it", hint=_AGAIN)
        with _telling(name):
            data = _read(self._archive, name, told["bytes"])
        if len(data) != told["bytes"] or sha256(data).hexdigest() != told["sha256"]:
            raise DamagedFile(f"{name} in it is not what was written", hint=_AGAIN)
        return data


@contextmanager
def open_container(path: Path) -> Iterator[Container]:
    """A container, to read; it is closed when the block ends.

    Raises:
        DamagedFile: it is none, or holds other members than its manifest lists, or too much. Members are judged when
            they are read.
    """
    with ExitStack() as stack:
        with _telling(path.name):
            archive = stack.enter_context(zipfile.ZipFile(path))
            container = _container(archive)
        yield container


@contextmanager
def _telling(what: str) -> Iterator[None]:
    """Whatever a torn or hostile archive makes of the reader is one error."""
    try:
        yield
    except (
        zipfile.BadZipFile,
        zlib.error,
        NotImplementedError,  # a compression that zipfile does not know
        EOFError,
        RuntimeError,
        OSError,
        ValueError,
    ) as problem:
        raise DamagedFile(f"{what} is not what was exported ({problem})", hint=_AGAIN) from None


def _container(archive: zipfile.ZipFile) -> Container:
    names = archive.namelist()
    if MANIFEST not in names or len(names) > MAX_MEMBERS or len(set(names)) != len(names):
        raise zipfile.BadZipFile("no manifest" if MANIFEST not in names else "its list of members")
    if archive.comment or not all(map(_is_as_written, archive.infolist())):
        raise zipfile.BadZipFile("its list of members says what ours does not")
    try:
        manifest = json.loads(_read(archive, MANIFEST, _MAX_MANIFEST_BYTES))
        listed = manifest.pop("members")
        sizes = [one["bytes"] for one in listed.values()]
        sound = all(isinstance(one["sha256"], str) for one in listed.values())
        sound = sound and all(type(size) is int and 0 <= size <= MAX_MEMBER_BYTES for size in sizes)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise zipfile.BadZipFile(f"its manifest: {type(problem).__name__}") from None
    if not sound or sum(sizes) > MAX_BYTES or set(listed) != set(names) - {MANIFEST}:
        raise zipfile.BadZipFile("its manifest does not fit its members")
    return Container(manifest, archive, listed)


def _is_as_written(info: zipfile.ZipInfo) -> bool:
    """Whether an entry says of a member what we write, also where nobody reads it: so no byte is changed unseen."""
    written = zipfile.ZipInfo(info.filename, _NO_DATE)
    said = (info.date_time, info.create_version, info.extract_version, info.volume, info.internal_attr)
    ours = (written.date_time, written.create_version, written.extract_version, 0, 0)
    # Which system wrote it is the one thing that may differ: 0 or 3, as Python has it.
    return (
        said == ours
        and info.create_system in (0, 3)
        and info.external_attr == 0o600 << 16
        and not (info.extra or info.comment or info.reserved or info.flag_bits & ~0x0800)
    )


def _read(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """At most one byte more than `most`: what an archive says of sizes is its author's word."""
    if archive.getinfo(name).compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise zipfile.BadZipFile("it is packed in another way than ours")
    with archive.open(name) as member:
        return member.read(most + 1)
