"""Named texts and bytes <-> a file that is intact or refused: a zip whose manifest lists every member's SHA-256."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from lorewright.bounded_files import describe_bound, open_zip
from lorewright.errors import DamagedFile
from lorewright.ids import canonical_json
from lorewright.storage.enclosure import PRIVATE, Enclosure
from lorewright.storage.temporary import temporary_path

MANIFEST = "manifest.json"

# A year of play is some 100 MB; a file that claims more than this was not made by us.
MAX_BYTES = 512 << 20
MAX_MEMBERS = 100_000
_MAX_MANIFEST_BYTES = 32 << 20
# The manifest has three values per member; a manifest with more values than this is not parsed.
_MAX_MANIFEST_VALUES = 6 * MAX_MEMBERS
# Rows of JSON are compressed to a tenth, those of long plays to a fiftieth.
_MAX_RATIO = 200
_SMALL_BYTES = 32 << 20

_AGAIN = "have it exported and sent again"
# The same content gives the same bytes.
_NO_DATE = (1980, 1, 1, 0, 0, 0)


def write_container(path: Path, about: Mapping[str, Any], members: Iterable[tuple[str, bytes]]) -> None:
    """Write a file completely or not at all: the members in their order, then the manifest (`about` and `members`).

    Raises:
        FileExistsError: there is a file of that name.
        UnsafePath: there is a link of that name.
        OSError: writing failed.
    """
    # The folder was named by the user and may be a link.
    folder = Enclosure(path.parent.resolve())
    made = temporary_path(folder.root / path.name, once=True)
    with made.open("xb") as building:
        made.chmod(PRIVATE)
        try:
            _write(building, about, members)
            # On a disk without hard links it is renamed, which some systems refuse for an open file.
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
    """An open container: the rest of its manifest, and its members, each of which is checked when it is read."""

    about: Mapping[str, Any]
    _archive: zipfile.ZipFile
    _listed: Mapping[str, Mapping[str, Any]]

    @property
    def names(self) -> list[str]:
        """The names of the members, sorted."""
        return sorted(self._listed)

    def read(self, name: str, *, max_bytes: int = MAX_BYTES) -> bytes:
        """Return a member's bytes, checked to be those that were written.

        Raises:
            DamagedFile: they are not, there is no such member, or it is larger than `max_bytes`.
        """
        entry = self._entry(name)
        if entry["bytes"] > max_bytes:
            raise DamagedFile(f"{name} in it is {describe_bound(max_bytes)}", hint=_AGAIN)
        with _reporting_damage(name):
            data = _read(self._archive, name, entry["bytes"])
        if len(data) != entry["bytes"] or sha256(data).hexdigest() != entry["sha256"]:
            raise _altered(name)
        return data

    def lines(self, name: str, *, max_bytes: int) -> Iterator[bytes]:
        """Yield the lines of a member with their line feeds; only one line is in memory at a time.

        Raises:
            DamagedFile: a line is longer than `max_bytes` or does not end; or, after the last one, the lines are not
                those that were written. Callers must discard what they made of the lines in that case.
        """
        entry, digest, size = self._entry(name), sha256(), 0
        with _reporting_damage(name), _opened(self._archive, name) as member:
            while size <= entry["bytes"] and (line := member.readline(max_bytes + 1)):
                if not line.endswith(b"\n"):
                    problem = (
                        f"has a line {describe_bound(max_bytes)}"
                        if len(line) > max_bytes
                        else "ends in the midst of a line"
                    )
                    raise DamagedFile(f"{name} in it {problem}", hint=_AGAIN)
                digest.update(line)
                size += len(line)
                yield line
        if size != entry["bytes"] or digest.hexdigest() != entry["sha256"]:
            raise _altered(name)

    def _entry(self, name: str) -> Mapping[str, Any]:
        entry = self._listed.get(name)
        if entry is None:
            raise DamagedFile(f"{name} is missing in it", hint=_AGAIN)
        return entry


def _altered(name: str) -> DamagedFile:
    return DamagedFile(f"{name} in it is not what was written", hint=_AGAIN)


@contextmanager
def open_container(path: Path) -> Iterator[Container]:
    """Open a container to read; it is closed when the block ends.

    Raises:
        DamagedFile: it is no container, its members are not those of its manifest, or it is too large. The contents of
            members are checked when they are read.
    """
    with ExitStack() as stack:
        with _reporting_damage(path.name):
            archive = stack.enter_context(open_zip(path, max_members=MAX_MEMBERS))
            container = _container(archive, packed_bytes=path.stat().st_size)
        yield container


@contextmanager
def _reporting_damage(what: str) -> Iterator[None]:
    """Raise any error of a damaged or hostile archive as DamagedFile."""
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
        raise zipfile.BadZipFile("its list of members has metadata that lorewright does not write")
    try:
        manifest = json.loads(_manifest(archive))
        listed = manifest.pop("members")
        sizes = [member["bytes"] for member in listed.values()]
        sound = all(isinstance(member["sha256"], str) for member in listed.values())
        sound = sound and all(type(size) is int and size >= 0 for size in sizes)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise zipfile.BadZipFile(f"its manifest: {type(problem).__name__}") from None
    if not sound or set(listed) != set(names) - {MANIFEST}:
        raise zipfile.BadZipFile("its manifest does not fit its members")
    if sum(sizes) > MAX_BYTES:
        raise zipfile.BadZipFile(f"unpacked it is {describe_bound(MAX_BYTES)}")
    if sum(sizes) > max(_SMALL_BYTES, _MAX_RATIO * packed_bytes):
        raise zipfile.BadZipFile(f"unpacked it is over {_MAX_RATIO} times as large")
    return Container(manifest, archive, listed)


def _is_as_written(info: zipfile.ZipInfo) -> bool:
    """Tell whether an entry's metadata is exactly what we write, even where nobody reads it, so that no byte can be
    changed unnoticed."""
    written = zipfile.ZipInfo(info.filename, _NO_DATE)
    said = (info.date_time, info.create_version, info.extract_version, info.volume, info.internal_attr)
    ours = (written.date_time, written.create_version, written.extract_version, 0, 0)
    # Only the system that wrote it may differ: 0 or 3 in Python.
    return (
        said == ours
        and info.create_system in (0, 3)
        and info.external_attr == 0o600 << 16
        and not (info.extra or info.comment or info.reserved or info.flag_bits & ~0x0800)
    )


def _manifest(archive: zipfile.ZipFile) -> bytes:
    """Return the manifest's text; a manifest with too many values to be parsed is refused."""
    data = _read(archive, MANIFEST, _MAX_MANIFEST_BYTES)
    if len(data) > _MAX_MANIFEST_BYTES or sum(map(data.count, (b",", b"[", b"{"))) > _MAX_MANIFEST_VALUES:
        raise zipfile.BadZipFile("its manifest holds too much")
    return data


def _read(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """Return a member's bytes, at most one more than `most`: the sizes in an archive cannot be trusted."""
    with _opened(archive, name) as member:
        return member.read(most + 1)


def _opened(archive: zipfile.ZipFile, name: str) -> IO[bytes]:
    if archive.getinfo(name).compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise zipfile.BadZipFile("it is compressed in a way that lorewright does not use")
    return archive.open(name)
