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
from typing import IO, Any

from lorewright.bounded_files import open_zip, over
from lorewright.errors import DamagedFile
from lorewright.ids import canonical_json
from lorewright.storage.enclosure import Enclosure

MANIFEST = "manifest.json"

# A year of play is some 100 MB; whatever says that it is more was not made by us.
MAX_BYTES = 512 << 20
MAX_MEMBERS = 100_000
_MAX_MANIFEST_BYTES = 32 << 20
# Of each member the manifest says three things; a manifest with more values in it is not read into memory.
_MAX_MANIFEST_VALUES = 6 * MAX_MEMBERS
# Rows of JSON are packed to a tenth, those of long plays to a fiftieth.
_MAX_RATIO = 200
_SMALL_BYTES = 32 << 20

_AGAIN = "have it exported and sent again"
# The same content gives the same bytes.
_NO_DATE = (1980, 1, 1, 0, 0, 0)


def write_container(path: Path, about: Mapping[str, Any], members: Iterable[tuple[str, bytes]]) -> None:
    """Write a file whole or not at all: the members in their order, then the manifest, which is `about` and `members`.

    Raises:
        FileExistsError: there is a file of that name.
        UnsafePath: there is a link of that name.
        OSError: the disk refuses.
    """
    # The folder was named by the user and may be a link.
    folder = Enclosure(path.parent.resolve())
    with tempfile.NamedTemporaryFile(dir=folder.root, prefix=".exporting-", delete=False) as building:
        made = Path(building.name)
        try:
            _write(building, about, members)
            # On a disk without hard links it is renamed, which some systems refuse of an open file.
            building.close()
            folder.name_new(made, folder.root / path.name)
        finally:
            made.unlink(missing_ok=True)


def _write(building: IO[bytes], about: Mapping[str, Any], members: Iterable[tuple[str, bytes]]) -> None:
    with zipfile.ZipFile(building, "w", zipfile.ZIP_DEFLATED) as archive:
        listed = {}
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name, _NO_DATE), data, zipfile.ZIP_DEFLATED)
            listed[name] = {"sha256": sha256(data).hexdigest(), "bytes": len(data)}
        manifest = canonical_json({**about, "members": listed}).encode()
        archive.writestr(zipfile.ZipInfo(MANIFEST, _NO_DATE), manifest, zipfile.ZIP_DEFLATED)
    building.flush()
    os.fsync(building.fileno())


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

    def read(self, name: str, *, max_bytes: int = MAX_BYTES) -> bytes:
        """A member's bytes, which are those that were written.

        Raises:
            DamagedFile: they are not, there is no such member, or it is larger than `max_bytes`.
        """
        told = self._told(name)
        if told["bytes"] > max_bytes:
            raise DamagedFile(f"{name} in it is {over(max_bytes)}", hint=_AGAIN)
        with _telling(name):
            data = _read(self._archive, name, told["bytes"])
        if len(data) != told["bytes"] or sha256(data).hexdigest() != told["sha256"]:
            raise _altered(name)
        return data

    def lines(self, name: str, *, max_bytes: int) -> Iterator[bytes]:
        """Yield the lines of a member one by one with their line feeds; only one of them is held at a time.

        Raises:
            DamagedFile: a line is longer than `max_bytes` or does not end; or, after the last one, the lines are not
                those that were written. Nobody may keep what was made of them before the end is reached.
        """
        told, digest, size = self._told(name), sha256(), 0
        with _telling(name), _opened(self._archive, name) as member:
            while size <= told["bytes"] and (line := member.readline(max_bytes + 1)):
                if not line.endswith(b"\n"):
                    problem = (
                        f"has a line {over(max_bytes)}" if len(line) > max_bytes else "ends in the midst of a line"
                    )
                    raise DamagedFile(f"{name} in it {problem}", hint=_AGAIN)
                digest.update(line)
                size += len(line)
                yield line
        if size != told["bytes"] or digest.hexdigest() != told["sha256"]:
            raise _altered(name)

    def _told(self, name: str) -> Mapping[str, Any]:
        told = self._listed.get(name)
        if told is None:
            raise DamagedFile(f"{name} is missing in it", hint=_AGAIN)
        return told


def _altered(name: str) -> DamagedFile:
    return DamagedFile(f"{name} in it is not what was written", hint=_AGAIN)


@contextmanager
def open_container(path: Path) -> Iterator[Container]:
    """A container, to read; it is closed when the block ends.

    Raises:
        DamagedFile: it is none, or holds other members than its manifest lists, or too much. Members are judged when
            they are read.
    """
    with ExitStack() as stack:
        with _telling(path.name):
            archive = stack.enter_context(open_zip(path, max_members=MAX_MEMBERS))
            container = _container(archive, packed_bytes=path.stat().st_size)
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


def _container(archive: zipfile.ZipFile, *, packed_bytes: int) -> Container:
    names = archive.namelist()
    if MANIFEST not in names or len(set(names)) != len(names):
        raise zipfile.BadZipFile("no manifest" if MANIFEST not in names else "its list of members")
    if archive.comment or not all(map(_is_as_written, archive.infolist())):
        raise zipfile.BadZipFile("its list of members says what ours does not")
    try:
        manifest = json.loads(_manifest(archive))
        listed = manifest.pop("members")
        sizes = [one["bytes"] for one in listed.values()]
        sound = all(isinstance(one["sha256"], str) for one in listed.values())
        sound = sound and all(type(size) is int and size >= 0 for size in sizes)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise zipfile.BadZipFile(f"its manifest: {type(problem).__name__}") from None
    if not sound or set(listed) != set(names) - {MANIFEST}:
        raise zipfile.BadZipFile("its manifest does not fit its members")
    if sum(sizes) > MAX_BYTES:
        raise zipfile.BadZipFile(f"unpacked it is {over(MAX_BYTES)}")
    if sum(sizes) > max(_SMALL_BYTES, _MAX_RATIO * packed_bytes):
        raise zipfile.BadZipFile(f"unpacked it is over {_MAX_RATIO} times as large")
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


def _manifest(archive: zipfile.ZipFile) -> bytes:
    """The manifest's text; one that would grow out of all bounds when it is read as JSON is refused."""
    data = _read(archive, MANIFEST, _MAX_MANIFEST_BYTES)
    if len(data) > _MAX_MANIFEST_BYTES or sum(map(data.count, (b",", b"[", b"{"))) > _MAX_MANIFEST_VALUES:
        raise zipfile.BadZipFile("its manifest holds too much")
    return data


def _read(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """At most one byte more than `most`: what an archive says of sizes is its author's word."""
    with _opened(archive, name) as member:
        return member.read(most + 1)


def _opened(archive: zipfile.ZipFile, name: str) -> IO[bytes]:
    if archive.getinfo(name).compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise zipfile.BadZipFile("it is packed in another way than ours")
    return archive.open(name)
