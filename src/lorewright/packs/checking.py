"""A pack and its neighbours -> the pack with what only they can tell: dependencies, circles, an ID that is taken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from lorewright.packs.files import Finding, error, list_files
from lorewright.packs.linting import lint_dependencies
from lorewright.packs.loader import Memory, Progress, load_manifest, load_pack, no_progress
from lorewright.packs.manifest import MANIFEST_FILE
from lorewright.packs.models import EntitiesOf, Manifest, Pack, lint_overrides

# A folder with more neighbours than this is no shelf of packs.
_MAX_NEIGHBOURS = 500


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another pack that can be had: its manifest and where it lies."""

    manifest: Manifest
    root: Path


class Memories(dict[Path, Memory]):
    """A memory for each folder that is read again and again: that of a pack, and those of packs that it overrides."""

    def __missing__(self, root: Path) -> Memory:
        return self.setdefault(root, Memory())


def check_pack(
    folder: Path,
    installed: Mapping[str, Neighbour],
    *,
    progress: Progress = no_progress,
    memories: Memories | None = None,
) -> Pack:
    """Read a pack and judge it among the installed packs and the folders beside it. With `memories`, only what has
    changed since they were last handed in is parsed anew.

    Raises:
        PackError: the folder is no pack at all.
    """
    pack = load_pack(folder, progress=progress, memory=_memory(memories, folder))
    root = Path(pack.root)
    beside = list(_beside(root))
    neighbours = {neighbour.manifest.id: neighbour for neighbour in beside} | dict(installed)
    known = {pack_id: neighbour.manifest for pack_id, neighbour in neighbours.items()}
    found = [*lint_dependencies(pack.manifest, known), *_taken(pack, installed, beside)]
    found += lint_overrides(pack, known, _entities_of(neighbours, memories))
    return replace(pack, findings=tuple(sorted({*pack.findings, *found})))


def _beside(root: Path) -> Iterator[Neighbour]:
    """The packs in the folders beside this one that have a sound `pack.yaml`, by folder name."""
    folders = sorted(path for path in root.parent.iterdir() if path.is_dir() and not path.is_symlink() and path != root)
    for folder in folders[:_MAX_NEIGHBOURS]:
        if (folder / MANIFEST_FILE).is_file():
            manifest, findings = load_manifest(folder)
            if not any(finding.severity == "error" for finding in findings):
                yield Neighbour(manifest, folder)


def _memory(memories: Memories | None, folder: Path) -> Memory | None:
    return None if memories is None else memories[folder]


def _entities_of(neighbours: Mapping[str, Neighbour], memories: Memories | None) -> EntitiesOf:
    """Reads a neighbour's entities when they are asked for, and once; None for one whose folder is gone."""

    @cache
    def entities(pack_id: str) -> frozenset[str] | None:
        root = neighbours[pack_id].root
        if not root.is_dir() or not list_files(root).paths:
            return None
        return frozenset(entity.id for entity in load_pack(root, memory=_memory(memories, root)).entities)

    return entities


def _taken(pack: Pack, installed: Mapping[str, Neighbour], beside: list[Neighbour]) -> Iterator[Finding]:
    """Of two folders with one ID the installed one has it, else the first by name."""
    root = Path(pack.root)
    holder = installed.get(pack.manifest.id)
    if holder is not None:
        others = [holder.root] if holder.root != root and holder.root.is_dir() else []
    else:
        others = [one.root for one in beside if one.manifest.id == pack.manifest.id and one.root < root]
    for other in others[:1]:
        message = f"the ID {pack.manifest.id} belongs to the pack at {other}; this one is at {root}"
        yield error(MANIFEST_FILE, "duplicate-pack-id", message, hint="give one of the two another id")
