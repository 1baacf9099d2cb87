"""PackLoader: the seed's operations on packs; a pack is checked together with its neighbours: dependencies, circles,
duplicate IDs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from lorewright.bounded_files import read_bytes
from lorewright.errors import NotFound, PackError
from lorewright.packs.content_hash import READING
from lorewright.packs.files import MAX_FILE_BYTES, Finding, ParseCache, Progress, error, list_files, no_progress
from lorewright.packs.frontmatter import read_source
from lorewright.packs.linting import lint_dependencies
from lorewright.packs.loader import load_pack
from lorewright.packs.manifest import MANIFEST_FILE, load_manifest
from lorewright.packs.models import EntitiesOf, Manifest, Neighbour, Pack, lint_overrides

# At most this many neighbours are read: a folder with more is no folder of packs.
_MAX_NEIGHBOURS = 500


class ParseCaches(dict[Path, ParseCache]):
    """A parse cache for each folder that is read repeatedly: of a pack, and of the packs that it overrides."""

    def __missing__(self, root: Path) -> ParseCache:
        return self.setdefault(root, ParseCache())


class PackLoader:
    """Reads packs, each with the packs beside it and those that are installed. It installs and writes nothing."""

    def __init__(
        self,
        content_packs: Path,
        installed: Mapping[str, Neighbour] | None = None,
        *,
        memories: ParseCaches | None = None,
    ) -> None:
        """`content_packs` is the folder of the packs. With `memories`, only what has changed since they were last
        passed in is parsed anew."""
        self._content_packs = content_packs
        self._installed = dict(installed or {})
        self._memories = memories

    def load_pack(self, pack_path: Path) -> Manifest:
        """Return a pack's manifest, derived if it has none.

        Raises:
            PackError: the folder is no pack.
        """
        return load_pack(pack_path).manifest

    def list_packs(self) -> list[Manifest]:
        """Return the manifests of the packs in the folder, in the order of folder names."""
        folders = sorted(path for path in self._content_packs.glob("*") if path.is_dir() and path.name[0] != ".")
        return [load_manifest(folder)[0] for folder in folders]

    def check_pack(self, pack_path: Path, *, progress: Progress = no_progress) -> Pack:
        """Return a pack, checked together with the installed packs and those in neighbouring folders.

        Raises:
            PackError: the folder is no pack.
        """
        pack = load_pack(pack_path, progress=progress, memory=_memory(self._memories, pack_path))
        root = Path(pack.root)
        adjacent = list(_adjacent_packs(root))
        neighbours = {neighbour.manifest.id: neighbour for neighbour in adjacent} | self._installed
        known = {pack_id: neighbour.manifest for pack_id, neighbour in neighbours.items()}
        found = [*lint_dependencies(pack.manifest, known)]
        found += _duplicate_ids(pack.manifest.id, root, self._installed, adjacent)
        found += lint_overrides(pack, known, _entities_of(neighbours, self._memories))
        return replace(pack, findings=tuple(sorted({*pack.findings, *found})))

    def check_beside(self, pack_path: Path) -> tuple[Finding, ...]:
        """Return the findings about a pack that depend on which other packs there are, without reading its files; those
        on what it overrides are not among them."""
        root = pack_path.resolve()
        manifest, adjacent = load_manifest(root)[0], list(_adjacent_packs(root))
        neighbours = {neighbour.manifest.id: neighbour for neighbour in adjacent} | self._installed
        known = {pack_id: neighbour.manifest for pack_id, neighbour in neighbours.items()}
        return (
            *lint_dependencies(manifest, known),
            *_duplicate_ids(manifest.id, root, self._installed, adjacent),
        )

    def validate_pack(self, pack_path: Path) -> tuple[Finding, ...]:
        """Return all findings about a pack, checked as `check_pack` does; errors would stop an install.

        Raises:
            PackError: the folder is no pack.
        """
        return self.check_pack(pack_path).findings

    def parse_frontmatter(self, file_path: Path) -> dict[str, Any]:
        """Return `{metadata, content}` of a file; both are empty if it cannot be parsed.

        Raises:
            NotFound: there is no such file.
        """
        if not file_path.is_file():
            raise NotFound(f"there is no file {file_path}", hint="name a markdown file")
        source = read_source(file_path.name, read_bytes(file_path, MAX_FILE_BYTES, PackError))
        return {"metadata": source.metadata, "content": source.body}


def _adjacent_packs(root: Path) -> Iterator[Neighbour]:
    """Yield the packs in neighbouring folders that have a valid `pack.yaml`, by folder name."""
    folders = sorted(path for path in root.parent.iterdir() if path.is_dir() and not path.is_symlink() and path != root)
    for folder in folders[:_MAX_NEIGHBOURS]:
        if (folder / MANIFEST_FILE).is_file():
            manifest, findings = load_manifest(folder)
            if not any(finding.severity == "error" for finding in findings):
                yield Neighbour(manifest, folder)


def _memory(memories: ParseCaches | None, folder: Path) -> ParseCache | None:
    return None if memories is None else memories[folder]


def _entities_of(neighbours: Mapping[str, Neighbour], memories: ParseCaches | None) -> EntitiesOf:
    """Return a function that reads a neighbour's entity IDs, once; it returns None if the folder is missing."""

    @cache
    def entities(pack_id: str) -> frozenset[str] | None:
        root = neighbours[pack_id].root
        if not root.is_dir() or not list_files(root, reading=READING).paths:
            return None
        return frozenset(entity.id for entity in load_pack(root, memory=_memory(memories, root)).entities)

    return entities


def _duplicate_ids(
    pack_id: str, root: Path, installed: Mapping[str, Neighbour], adjacent: list[Neighbour]
) -> Iterator[Finding]:
    """Yield a finding if another folder has the pack's ID: the installed pack keeps it, else the first by name."""
    holder = installed.get(pack_id)
    if holder is not None:
        others = [holder.root] if holder.root != root and holder.root.is_dir() else []
    else:
        others = [
            neighbour.root for neighbour in adjacent if neighbour.manifest.id == pack_id and neighbour.root < root
        ]
    for other in others[:1]:
        message = f"the ID {pack_id} belongs to the pack at {other}; this one is at {root}"
        yield error(MANIFEST_FILE, "duplicate-pack-id", message, hint="give one of the two another id")
