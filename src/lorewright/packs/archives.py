"""A folder or a .zip that somebody sent -> a folder of ours: whole or not at all, and nothing outside of it.

An archive is unpacked member by member within bounds; names that lead out, links and what is no file are refused before
anything is written.
"""

from __future__ import annotations

import stat
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path, PurePosixPath

from lorewright.bounded_files import open_zip
from lorewright.errors import PackError, UnsafePath
from lorewright.packs.files import MAX_ARCHIVE_BYTES, MAX_FILE_BYTES, MAX_FILES
from lorewright.packs.loader import source_paths
from lorewright.packs.manifest import MANIFEST_FILE
from lorewright.storage.enclosure import Enclosure
from lorewright.storage.faults import step

_BUILDING = ".copying-"


def place_copy(source: Path, target: Path) -> None:
    """Copy the text of a pack (its `pack.yaml` and markdown) to a new folder.

    Raises:
        PackError: the target exists, or the disk refuses; nothing was left there.
        UnsafePath: the target or its folder is a link.
    """

    def fill(folder: Path) -> None:
        here = Enclosure(folder)
        for name in source_paths(source):
            here.copy_in(source / name, folder / name)

    _place(target, fill)


def unpack_zip(archive: Path, target: Path) -> None:
    """Unpack an archive to a new folder; one folder around everything is taken off.

    Raises:
        PackError: it is no zip, holds what we do not unpack, is too large, or the target exists; nothing was left
        there.
    """
    try:
        with open_zip(archive, max_members=2 * MAX_FILES) as opened:
            members = _members(archive, opened)
            _place(target, lambda folder: _extract(archive, opened, members, folder))
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as problem:
        raise PackError(f"{archive}: not a zip that can be read ({problem})", hint="pack it again, plainly") from None


def _place(target: Path, fill: Callable[[Path], None]) -> None:
    """Fill a folder under another name, then rename it: the target is there whole or not at all."""
    home = Enclosure(target.parent)
    if home.checked(target).exists():
        raise PackError(f"{target} exists already", hint="remove it, or install it where it lies")
    for left_over in home.entries():
        if left_over.name.startswith(_BUILDING):
            with suppress(UnsafePath):
                home.remove(left_over)
    building = home.temporary_folder(_BUILDING)
    try:
        step("copy:writing")
        fill(building)
        home.sync(*home.files(building))
        step("copy:written")
        home.open_to_all(building)
        home.move(building, target)
        step("copy:moved")
    except OSError as problem:
        raise PackError(f"{target}: {problem.strerror or problem}", hint="look at the disk and its rights") from None
    finally:
        with suppress(OSError, UnsafePath):
            home.remove(building)


def _members(archive: Path, opened: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Relative name -> member, of the files that a pack may consist of; everything else is refused or passed over."""
    infos = [info for info in opened.infolist() if not info.is_dir()]
    if len(infos) > MAX_FILES:
        raise PackError(f"{archive}: over {MAX_FILES} files", hint="split the pack")
    if sum(info.file_size for info in infos) > MAX_ARCHIVE_BYTES:
        raise PackError(f"{archive}: over {MAX_ARCHIVE_BYTES // 2**20} MiB when unpacked", hint="split the pack")
    members: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        name = PurePosixPath(info.filename.replace("\\", "/"))
        if not name.parts:
            raise PackError(f"{archive}: the member {info.filename!r} has no name", hint="pack it again, plainly")
        outside = name.is_absolute() or ".." in name.parts or ":" in name.parts[0] or "\0" in info.filename
        if outside or stat.S_ISLNK(info.external_attr >> 16):
            raise PackError(f"{archive}: the member {info.filename!r} leads out of the pack", hint="do not unpack it")
        members[name.as_posix()] = info
    return _without_wrapper(members)


def _without_wrapper(members: dict[str, zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
    tops = {name.partition("/")[0] for name in members}
    if MANIFEST_FILE in members or len(tops) != 1 or any("/" not in name for name in members):
        return members
    return {name.partition("/")[2]: info for name, info in members.items()}


def _extract(archive: Path, opened: zipfile.ZipFile, members: dict[str, zipfile.ZipInfo], folder: Path) -> None:
    room = MAX_ARCHIVE_BYTES
    here = Enclosure(folder)
    for name, info in sorted(members.items()):
        with opened.open(info) as member:
            data = member.read(MAX_FILE_BYTES + 1)
        room -= len(data)
        # What the directory of the archive says of sizes is its author's word; what comes out is counted.
        if len(data) > MAX_FILE_BYTES or room < 0:
            raise PackError(f"{archive}: {name} is too large when unpacked", hint="do not unpack it")
        here.write_new(folder / name, data)
