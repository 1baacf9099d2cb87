"""Packs are installed, created and checked with their neighbours: dependencies, circles, duplicate IDs."""

from __future__ import annotations

import stat
import zipfile
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath

import yaml

from lorewright.bounded_files import open_zip
from lorewright.errors import PackError, UnsafePath
from lorewright.ids import is_id
from lorewright.packs.content_hash import pinned_paths
from lorewright.packs.files import (
    MAX_ARCHIVE_BYTES,
    MAX_FILE_BYTES,
    MAX_FILES,
)
from lorewright.packs.loader import load_pack
from lorewright.packs.manifest import MANIFEST_FILE
from lorewright.packs.models import Manifest, Pack
from lorewright.storage.enclosure import FOR_ALL, Enclosure, error_for
from lorewright.storage.faults import step

# Copying and unpacking: the target is complete or missing, and nothing is written outside of it. An archive is unpacked
# member by member within bounds; names that lead out, links and non-files are refused before anything is written.

_BUILDING = ".copying-"


def place_copy(source: Path, target: Path) -> None:
    """Copy the text of a pack (its `pack.yaml` and markdown) to a new folder.

    Raises:
        PackError: the target exists, or writing failed; nothing was left there.
        UnsafePath: the target or its folder is a link.
    """

    def fill(folder: Path) -> None:
        enclosure = Enclosure(folder)
        for name in pinned_paths(source):
            enclosure.copy_in(source / name, folder / name)

    _place(target, fill)


def unpack_zip(archive: Path, target: Path) -> None:
    """Unpack an archive to a new folder; a single folder around everything is removed.

    Raises:
        PackError: it is no zip, has a member that is refused, is too large, or the target exists; nothing was left
        there.
    """
    try:
        with open_zip(archive, max_members=2 * MAX_FILES) as opened:
            members = _members(archive, opened)
            _place(target, lambda folder: _extract(archive, opened, members, folder))
    except zipfile.BadZipFile as problem:
        raise PackError(f"{archive}: not a zip that can be read ({problem})", hint="pack it again, plainly") from None


def _place(target: Path, fill: Callable[[Path], None]) -> None:
    """Fill a folder under another name, then rename it, so that the target is complete or missing."""
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
        raise error_for(problem, target) from None
    finally:
        with suppress(OSError, UnsafePath):
            home.remove(building)


def _members(archive: Path, opened: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Return relative name -> member for the files of an archive; members that lead out are refused."""
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
    enclosure = Enclosure(folder)
    for name, info in sorted(members.items()):
        with opened.open(info) as member:
            data = member.read(MAX_FILE_BYTES + 1)
        room -= len(data)
        # The sizes in the archive's directory cannot be trusted; the unpacked bytes are counted.
        if len(data) > MAX_FILE_BYTES or room < 0:
            raise PackError(f"{archive}: {name} is too large when unpacked", hint="do not unpack it")
        enclosure.write_new(folder / name, data)


_EXAMPLES = {
    "locations/tavern.md": """\
---
id: tavern
type: location
aliases: [the inn]
tags: [social_hub]
related_entities: [keeper]
---

# The Tavern

What anyone may know of the place.

## Atmosphere

Smoke hangs from the beams. Somebody is tuning a fiddle.

## Discoverable

- {#letter} search under the counter: A folded letter with no name on it.
""",
    "npcs/keeper.md": """\
---
id: keeper
type: npc
pronoun: they
related_locations: [tavern]
---

# The Keeper

What anyone may know of them.

## Disposition

- The keeper counts the same coins twice.

## Knows

- {#road} The bridge has been down since the flood; take the mill path.

## Withholds

- {#debt} The tavern belongs to someone else, and has for years.
""",
}


def new_pack(folder: Path) -> Path:
    """Write a small example pack that installs and lints clean, and return the path of its manifest.

    Raises:
        PackError: the folder is not empty, or its name cannot be an ID.
    """
    if folder.exists() and any(folder.iterdir()):
        raise PackError(f"{folder} is not empty", hint="name a new folder, or use --from for one that has files")
    pack_id = folder.name.replace("-", "_")
    if not is_id(pack_id):
        raise PackError(f"{folder.name!r} cannot be a pack's ID", hint="use letters, digits, _ and -")
    for name, text in _EXAMPLES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    manifest = Manifest(id=pack_id, name=folder.name.replace("_", " ").title(), version="0.1.0")
    return _write(folder, manifest, Counter({"location": 1, "npc": 1}), {})


def manifest_for(folder: Path) -> Path:
    """Write the derived manifest into a folder of markdown, and return its path.

    Raises:
        PackError: the folder has a `pack.yaml`, or no markdown.
    """
    if (folder / MANIFEST_FILE).exists():
        raise PackError(f"{folder} has a {MANIFEST_FILE} already", hint="edit that one")
    pack = load_pack(folder)
    manifest = pack.manifest.model_copy(update={"version": "0.1.0"})
    return _write(folder, manifest, Counter(entity.type for entity in pack.entities), _types_of_folders(pack))


def _types_of_folders(pack: Pack) -> dict[str, str]:
    """Return folder -> the type of most of its files, for the author to correct; a folder in another goes without
    saying where it has the same type."""
    by_folder: dict[str, Counter[str]] = {}
    for entity in pack.entities:
        by_folder.setdefault(str(PurePosixPath(entity.file_path).parent), Counter())[entity.type] += 1
    found: dict[str, str] = {}
    for folder, counts in sorted(by_folder.items()):
        kind = counts.most_common(1)[0][0]
        above = next((found[str(up)] for up in PurePosixPath(folder).parents if str(up) in found), None)
        if folder != "." and kind != above:
            found[folder] = kind
    return found


def _write(folder: Path, manifest: Manifest, types: Counter[str], of_folders: Mapping[str, str]) -> Path:
    data = {
        "id": manifest.id,
        "name": manifest.name,
        "version": manifest.version,
        "layer": manifest.layer,
        "language": manifest.language,
        "depends_on": [],
        "provides": dict(sorted(types.items())),
        "license": {"type": "custom", "publisher": ""},
        **({"types": dict(of_folders)} if of_folders else {}),
    }
    path = folder / MANIFEST_FILE
    text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True)
    home = Enclosure(folder.resolve())
    home.write(home.path(MANIFEST_FILE), text.encode(), mode=FOR_ALL)
    return path
