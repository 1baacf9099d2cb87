"""A workspace of the moment: copies of packs, scenarios and rulesets, in which campaigns are played and thrown away."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from lorewright.authoring.leaks.planting import Canaries, Secret, plant
from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.casting import FixedCasting
from lorewright.campaigns.history import Histories
from lorewright.campaigns.lore import LoreDesk
from lorewright.campaigns.rulesets import rulesets_beside
from lorewright.generate.explore.explorer import Explorer
from lorewright.index.library import Library
from lorewright.llm.model import Model
from lorewright.llm.prompts.library import PromptLibrary
from lorewright.packs.models import Pack
from lorewright.retrieval.desk import PackDesk


@dataclass(frozen=True, slots=True)
class Planted:
    """Packs as their authors wrote them, and what was planted in the copies."""

    packs: tuple[Pack, ...]
    canaries: Canaries


class Rehearsal:
    """Everything in one folder, which whoever made it deletes. Lore is found by words alone."""

    def __init__(self, folder: Path, prompts: PromptLibrary) -> None:
        self._folder = folder
        self._prompts = prompts
        self._content_packs = folder / "content_packs"
        self._scenarios = folder / "scenarios"
        self._scenarios.mkdir(parents=True)
        self._library = Library(folder / "indexes")
        self._histories = Histories(folder / "history", None)

    def install(self, roots: Iterable[Path]) -> Planted:
        """Plant canaries in copies of packs, in the order of their dependencies, and install those. Files with errors
        are left out.

        Raises:
            PackError: a folder is no pack, or its manifest cannot be read.
        """
        packs: list[Pack] = []
        words: dict[str, Secret] = {}
        unproven: list[Secret] = []
        for number, root in enumerate(roots):
            # The folder's name is the ID of a pack that says none.
            into = self._content_packs / f"{number}" / root.resolve().name
            pack, canaries = plant(root, into)
            self._library.install(into, lenient=True)
            packs.append(pack)
            words |= canaries.words
            unproven += canaries.unproven
        return Planted(tuple(packs), Canaries(words, tuple(unproven)))

    def install_as_they_are(self, folders: Iterable[Path]) -> None:
        """Install packs that lie in folders, in the order of their dependencies. Files with errors are left out."""
        for folder in folders:
            self._library.install(folder, lenient=True)

    def write_scenario(self, name: str, text: str, beside: Path) -> None:
        """Write a scenario under a file's name, and copy the rulesets that stand beside the folder of its own."""
        (self._scenarios / name).write_text(text, encoding="utf-8")
        self._add_rulesets(beside)

    def add_scenarios(self, paths: Iterable[Path], beside: Path) -> None:
        """Copy scenarios, and the rulesets that stand beside the folder of theirs."""
        for path in paths:
            shutil.copyfile(path, self._scenarios / path.name)
        self._add_rulesets(beside)

    def _add_rulesets(self, beside: Path) -> None:
        rulesets, own = rulesets_beside(beside), rulesets_beside(self._scenarios)
        if rulesets.is_dir() and not own.exists():
            shutil.copytree(rulesets, own)

    @property
    def desk(self) -> PackDesk:
        """Answers over the installed copies."""
        return PackDesk(self._library)

    @property
    def explorer(self) -> Explorer:
        """Makes walks in the installed copies."""
        return Explorer(self._library, self._content_packs)

    def campaigns(self, models: Mapping[str, Model]) -> Campaigns:
        """Campaigns whose stages are run by these models."""
        casting = FixedCasting(models, self._prompts)
        return Campaigns(
            self._folder / "campaigns",
            self._scenarios,
            self._content_packs,
            self._library,
            casting,
            self._histories,
        )

    def lore(self, campaigns: Campaigns) -> LoreDesk:
        """Answers over campaigns, too."""
        return LoreDesk(self._library, campaigns, self._histories)

    @property
    def folder(self) -> Path:
        """Where files of the moment may be written."""
        return self._folder
