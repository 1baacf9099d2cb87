"""A pack's name -> the folder where its text lies, and the folders of what it depends on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lorewright.campaigns.scenario import Scenario, read_scenario
from lorewright.errors import NotFound, PackError
from lorewright.index.library import Library
from lorewright.packs.loader import load_manifest

_SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class PackRoots:
    """Where packs and the scenarios that use them lie. The library only says where installed packs are."""

    library: Library
    content_packs: Path
    scenarios: Path

    def root(self, name: str) -> Path:
        """A pack's folder: as it is named, where it is installed, or in the workspace.

        Raises:
            NotFound: there is no such folder or pack.
        """
        for root in (Path(name), *self._places(name)):
            if root.is_dir():
                return root
        raise NotFound(f"there is no folder or pack {name}", hint="name a pack's folder, or see: lorewright pack list")

    def there(self, pack_ids: Iterable[str], *, but: str) -> list[Path]:
        """The folders of those of the packs that are there."""
        found = (
            next((one for one in self._places(pack_id) if one.is_dir()), None) for pack_id in pack_ids if pack_id != but
        )
        return [root for root in dict.fromkeys(found) if root is not None]

    def with_dependencies(self, roots: Sequence[Path]) -> list[Path]:
        """The folders, each after those that it depends on, which lie beside it, are installed, or in the workspace.

        Raises:
            PackError: a folder is no pack, or what it depends on is not there.
        """
        ordered: dict[Path, None] = {}
        open_now: list[Path] = []

        def add(root: Path) -> None:
            root = root.resolve()
            if root in ordered or root in open_now:
                return
            open_now.append(root)
            for needed in load_manifest(root)[0].depends_on:
                beside = [root.parent / needed.id] if "/" not in needed.id else []
                there = next((one for one in (*self._places(needed.id), *beside) if one.is_dir()), None)
                if there is None:
                    raise PackError(f"{root.name} depends on {needed.id}, which is not there", hint="install it first")
                add(there)
            open_now.remove(root)
            ordered[root] = None

        for root in roots:
            add(root)
        return list(ordered)

    def scenarios_of(self, pack_id: str) -> list[tuple[Path, Scenario]]:
        """The workspace's scenarios that use a pack, by file."""
        found = []
        for path in sorted(self.scenarios.glob("*")) if self.scenarios.is_dir() else ():
            scenario = read_scenario(path)[0] if path.suffix in _SUFFIXES and path.is_file() else None
            if scenario is not None and pack_id in scenario.content_packs:
                found.append((path, scenario))
        return found

    def _places(self, pack_id: str) -> list[Path]:
        installed = [Path(pack.path) for pack in self.library.packs() if pack.id == pack_id]
        own = self.content_packs / pack_id
        return [*installed, own] if "/" not in pack_id and pack_id not in ("", ".", "..") else installed
