"""The packs of a workspace: install from anywhere, show, count, remove."""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any
from zipfile import is_zipfile

from lorewright.campaigns.campaigns import Campaigns
from lorewright.errors import PackError
from lorewright.index.installed_packs import InstalledPack
from lorewright.index.lore_indexer import Installed, LoreIndexer
from lorewright.packs.content_hash import content_hash_of
from lorewright.packs.files import Progress, no_progress
from lorewright.packs.installing import place_copy, unpack_zip
from lorewright.packs.manifest import load_manifest
from lorewright.packs.models import Pack
from lorewright.packs.pack_loader import PackLoader
from lorewright.storage.faults import step
from lorewright.turn.stages.interpret.finding import lint_triggers


class WorkspacePacks:
    """Installs and removes packs; knows which campaigns need which."""

    def __init__(
        self, indexer: LoreIndexer, campaigns: Campaigns, content_packs: Path, pack_loader: PackLoader
    ) -> None:
        self._indexer = indexer
        self._pack_loader = pack_loader
        self._library = indexer.library
        self._campaigns = campaigns
        self._content_packs = content_packs

    def check(self, folder: Path, *, progress: Progress = no_progress) -> Pack:
        """Return a pack with all findings: those of its files, then triggers that no typed line finds.

        Raises:
            PackError: it is not a folder.
        """
        pack = self._pack_loader.check_pack(folder, progress=progress)
        return replace(pack, findings=(*pack.findings, *lint_triggers(pack)))

    def install(
        self, source: Path, *, copy: bool = False, lenient: bool = False, progress: Progress = no_progress
    ) -> Installed:
        """Install a folder where it lies; with `copy`, or from a .zip, a copy of it in the workspace.

        Raises:
            PackError: it is no pack, has errors (unless `lenient`), or its place in the workspace is taken.
        Whatever is raised, nothing was installed and no copy is left.
        """
        if source.is_file():
            if source.suffix.lower() != ".zip" and not is_zipfile(source):
                hint = f"what another tool wrote is imported first: lorewright pack import {source} FOLDER"
                raise PackError(f"{source} is neither a pack's folder nor a .zip of one", hint=hint)
            return self._install_zip(source, lenient=lenient, progress=progress)
        if copy:
            source = self._copied(source, lenient=lenient)
        return self._indexer.index_pack(source, lenient=lenient, progress=progress)

    def _install_zip(self, archive: Path, *, lenient: bool, progress: Progress) -> Installed:
        """Install a copy of an archive; it is first checked in a temporary folder of its own name."""
        with tempfile.TemporaryDirectory() as folder:
            unpacked = Path(folder) / archive.name.partition(".")[0]
            unpack_zip(archive, unpacked)
            target = self._copied(unpacked, lenient=lenient)
        return self._indexer.index_pack(target, lenient=lenient, progress=progress)

    def _copied(self, folder: Path, *, lenient: bool) -> Path:
        """Return a copy in the workspace of a folder that may be installed. If an interrupted install left the same
        text there, it is used as it is."""
        if not folder.is_dir():
            raise PackError(f"{folder} is not a folder", hint="name the folder or .zip of the pack")
        target = self._content_packs / load_manifest(folder)[0].id
        if target.is_dir() and content_hash_of(target) == content_hash_of(folder):
            return target
        self._indexer.check(folder, lenient=lenient)
        place_copy(folder, target)
        return target

    def show(self, pack_id: str) -> dict[str, Any]:
        """Return the manifest of an installed pack and what it holds.

        Raises:
            NotFound: no pack of that ID is installed.
        """
        pack = self._library.get(pack_id)
        generation = self._library.open(pack.key)
        try:
            entities = [
                {"id": entity.id, "type": entity.type, "name": entity.name, "file_path": entity.file_path}
                for entity in generation.entities().values()
            ]
            manifest = generation.manifest.model_dump(mode="json")
        finally:
            generation.close()
        return {**asdict(pack), "manifest": manifest, "entities": entities, "campaigns": self.needed_by(pack_id)}

    def stats(self, pack_id: str) -> dict[str, Any]:
        """Return the index stats in the shape that the specification gives them, and counts by type and role.

        Raises:
            NotFound: no pack of that ID is installed.
        """
        pack = self._library.get(pack_id)
        generation = self._library.open(pack.key)
        try:
            windows = len(generation.vectors.vectors) if generation.vectors is not None else 0
            embedder = generation.embedder.fingerprint if generation.embedder is not None else None
            types = Counter(entity.type for entity in generation.entities().values())
            roles = generation.role_counts()
        finally:
            generation.close()
        size = sum(path.stat().st_size for path in generation.folder.rglob("*") if path.is_file())
        return {
            "pack_id": pack.id,
            "chunks": pack.chunks,
            "total_tokens": pack.tokens,
            "last_indexed": pack.installed_at,
            "files": pack.files,
            "embedder": embedder,
            "windows": windows,
            "chroma": (generation.folder / "chroma").is_dir(),
            "bytes_on_disk": size,
            "types": dict(sorted(types.items())),
            "roles": roles,
        }

    def remove(self, pack_id: str) -> InstalledPack:
        """Take a pack out of the library; its folder stays where it is. One transaction, then its index is deleted.

        Raises:
            NotFound: no pack of that ID is installed.
            PackError: a campaign or another pack needs it; nothing was changed.
        """
        pack = self._library.get(pack_id)
        needed = [f"the campaign {campaign_id}" for campaign_id in self.needed_by(pack_id)]
        needed += [f"the pack {other.id}" for other in self._library.packs() if pack_id in dict(other.depends_on)]
        if needed:
            raise PackError(f"{pack_id} is needed by {', '.join(needed)}", hint="delete or remove those first")
        step("remove:checked")
        self._indexer.remove(pack_id)
        return pack

    def needed_by(self, pack_id: str) -> list[str]:
        """Return the campaigns that pin a text of the pack, on any branch."""
        return self._campaigns.pinning(pack_id)
