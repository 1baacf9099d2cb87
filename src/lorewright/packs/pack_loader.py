"""PackLoader: the seed's four operations on packs, under Python names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lorewright.bounded_files import read_bytes
from lorewright.errors import NotFound, PackError
from lorewright.packs.files import MAX_FILE_BYTES, Finding
from lorewright.packs.frontmatter import read_source
from lorewright.packs.installing import Neighbour, check_pack
from lorewright.packs.loader import load_manifest, load_pack
from lorewright.packs.models import Manifest


class PackLoader:
    """A reader of the packs in a folder. It installs and writes nothing."""

    def __init__(self, content_packs: Path) -> None:
        self._content_packs = content_packs

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

    def validate_pack(self, pack_path: Path) -> tuple[Finding, ...]:
        """Return all findings about a pack, checked together with the packs in the same folder; errors would stop an
        install.

        Raises:
            PackError: the folder is no pack.
        """
        installed: dict[str, Neighbour] = {}
        return check_pack(pack_path, installed).findings

    def parse_frontmatter(self, file_path: Path) -> dict[str, Any]:
        """Return `{metadata, content}` of a file; both are empty if it cannot be parsed.

        Raises:
            NotFound: there is no such file.
        """
        if not file_path.is_file():
            raise NotFound(f"there is no file {file_path}", hint="name a markdown file")
        source = read_source(file_path.name, read_bytes(file_path, MAX_FILE_BYTES, PackError))
        return {"metadata": source.metadata, "content": source.body}
