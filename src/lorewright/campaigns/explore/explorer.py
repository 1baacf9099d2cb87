"""A folder or pack -> a walk in it: found, installed, surveyed, begun, gone on with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.explore.making import make_scenario, scenario_id
from lorewright.campaigns.explore.report import report
from lorewright.campaigns.explore.survey import survey
from lorewright.campaigns.scenario import Scenario
from lorewright.errors import NotFound
from lorewright.index.library import InstalledPack, Library
from lorewright.packs.findings import Finding
from lorewright.packs.loader import Progress, content_hash_of, no_progress
from lorewright.turn.campaign import CampaignRow


@dataclass(frozen=True, slots=True)
class Found:
    """A pack that is ready to be walked in: its walk for a seed, and the lines that say what was found."""

    pack: InstalledPack
    scenario: Scenario
    lines: tuple[str, ...]


class Explorer:
    """Makes walks. The library that it is given finds by words alone, so that no embedding delays a first prompt."""

    def __init__(self, library: Library, content_packs: Path) -> None:
        self._library = library
        self._content_packs = content_packs

    def pack(self, name: str, *, progress: Progress = no_progress) -> tuple[InstalledPack, tuple[Finding, ...]]:
        """The pack of a folder, installed where it lies, files with errors left out; or the installed pack of an ID.

        Raises:
            NotFound: there is no such folder or pack.
            PackError: the folder cannot be installed.
        """
        folder = Path(name)
        return self._installed(folder, progress) if folder.is_dir() else self.pack_of_id(name, progress=progress)

    def unchanged(self, name: str) -> InstalledPack | None:
        """The installed pack of a folder or an ID, where its text is still what was indexed; None else."""
        folder = Path(name)
        for pack in self._library.packs():
            root = Path(pack.path)
            meant = (
                root.samefile(folder) if folder.is_dir() and root.is_dir() else pack.id == name and not folder.is_dir()
            )
            if meant and root.is_dir() and self._library.has(pack.key) and content_hash_of(root) == pack.content_hash:
                return pack
        return None

    def pack_of_id(self, name: str, *, progress: Progress = no_progress) -> tuple[InstalledPack, tuple[Finding, ...]]:
        """An installed pack, read again where its folder is there; a pack of the workspace is installed.

        Raises:
            NotFound: there is no such pack.
        """
        installed = {pack.id: pack for pack in self._library.packs()}
        if name in installed:
            there = Path(installed[name].path)
            return self._installed(there, progress) if there.is_dir() else (installed[name], ())
        if (self._content_packs / name).is_dir() and name not in ("", ".", "..") and "/" not in name:
            return self._installed(self._content_packs / name, progress)
        known = ", ".join(installed) or "none"
        hint = f"name a folder of markdown files, or an installed pack ({known})"
        raise NotFound(f"there is no folder or pack {name}", hint=hint)

    def _installed(self, folder: Path, progress: Progress) -> tuple[InstalledPack, tuple[Finding, ...]]:
        installed = self._library.install(folder, lenient=True, progress=progress)
        return installed.pack, installed.findings

    def walk(self, pack: InstalledPack, findings: tuple[Finding, ...], *, seed: int) -> Found:
        """The walk in an installed pack.

        Raises:
            NotFound: the pack has nothing that anyone may read.
        """
        generation = self._library.open(pack.key)
        try:
            seen = survey(generation)
            roles = generation.role_counts()
        finally:
            generation.close()
        if not seen.notes:
            raise NotFound(f"{pack.id} has no note that anyone may read", hint="see: lorewright pack validate FOLDER")
        scenario = make_scenario(seen, seed=seed)
        lines = report(seen, scenario, files=pack.files, roles=roles, findings=findings)
        return Found(pack, scenario, tuple(lines))

    def begin(self, found: Found, campaigns: Campaigns, *, campaign_id: str | None = None, seed: int) -> CampaignRow:
        """Begin a campaign of a walk, found by words for now.

        Raises:
            CampaignError: the ID is taken.
        """
        source = f"the walk in {found.pack.id}"
        return campaigns.begin(
            found.scenario, [found.pack], self._library, source=source, campaign_id=campaign_id, seed=seed
        )


def latest_walk(pack_id: str, campaigns: Campaigns) -> CampaignRow | None:
    """The campaign of the walk in a pack that was begun last, or None."""
    wanted = scenario_id(pack_id)
    walks = [
        row for row in campaigns.rows() if row.scenario_id == wanted and pack_id in {pin.pack_id for pin in row.pins}
    ]
    return max(walks, key=lambda row: (row.created_at, len(row.id), row.id), default=None)
