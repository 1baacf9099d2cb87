"""The composition root: settings -> a working set of objects. Backends and models are named here, and for the lore half
in `lore_bootstrap`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from lorewright.authoring.leaks.suite import LeakSuite
from lorewright.authoring.pack_roots import PackRoots
from lorewright.authoring.pack_tests.asking import Bounds
from lorewright.authoring.pack_tests.suite import PackTests
from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.casting import Casting, FixedCasting, TierCasting
from lorewright.campaigns.history import Histories
from lorewright.campaigns.lore import LoreDesk
from lorewright.campaigns.sessions import Sessions
from lorewright.campaigns.upgrades.upgrading import Upgrades
from lorewright.errors import EmbedderError, SettingsError
from lorewright.generate.explore.explorer import Explorer
from lorewright.generate.scenario.generating import Generator
from lorewright.index.library import Library
from lorewright.llm.metered import Budget
from lorewright.llm.model import Model
from lorewright.llm.opening import open_model
from lorewright.llm.prompts.library import PromptLibrary
from lorewright.llm.taxonomy import Row, asked_at, row_of
from lorewright.llm.tiers import key_for
from lorewright.lore_bootstrap import chroma_from, open_lore, shipped_content
from lorewright.replay.replay import Replays
from lorewright.settings import Workspace
from lorewright.trust import hold_models
from lorewright.turn.run.casting import STAGES
from lorewright.values.stage_run import BUILTIN
from lorewright.workspace.doctor import Doctor
from lorewright.workspace.packs import PackShelf
from lorewright.workspace.scenarios import Scenarios


@dataclass(frozen=True, slots=True)
class App:
    """Everything that the edges need."""

    workspace: Workspace
    library: Library
    campaigns: Campaigns
    lore: LoreDesk
    packs: PackShelf
    casting: Casting
    doctor: Doctor
    sessions: Sessions
    upgrades: Upgrades
    explorer: Explorer
    scenarios: Scenarios
    replays: Replays
    by_words: Library
    # Why packs are found by words alone although the settings name an embedder.
    without_vectors: EmbedderError | None = None

    @property
    def generator(self) -> Generator:
        """Makes scenarios from packs; what it makes is tried out by what is built in, whatever models there are."""

        def trial(folder: Path) -> Campaigns:
            casting = FixedCasting({}, self.casting.library)
            return _campaigns(self.workspace, self.by_words, casting, folder, Histories(folder / "history", None))

        return Generator(self.workspace.scenarios, self.by_words, self.explorer, trial)

    @property
    def leaks(self) -> LeakSuite:
        """Tests packs and campaigns for leaks, in a folder of the moment."""
        where = self.workspace
        return LeakSuite(self.by_words, where.scenarios, where.content_packs, self.casting.library)

    @property
    def pack_tests(self) -> PackTests:
        """Tests packs: what their authors expect of them, and that every section can be found."""
        where = self.workspace
        roots = PackRoots(self.library, where.content_packs, where.scenarios)
        bounds = Bounds(where.settings.lore.limit, where.settings.lore.max_tokens)
        return PackTests(self.library, roots, self.leaks, bounds)

    def rehearsal(self, folder: Path, *, by_words: bool = False) -> Campaigns:
        """Campaigns that are kept in another folder: for a demo that leaves nothing behind; where it finds `by_words`
        alone, no vectors of its packs either."""
        library = self.by_words if by_words else self.library
        return _campaigns(self.workspace, library, self.casting, folder, Histories(folder / "history", library.vectors))


def open_app(
    start: Path | str | None = None, *, models: Mapping[str, Model] | None = None, long_lived: bool = False
) -> App:
    """The app for the workspace around a folder. Outside of one, the user's own is made when it is first needed.

    `models` gives models to stages (`interpreter`, `planner`, `narrator`); every other stage is built in. A process
    that answers many questions is `long_lived`: it may take the time to open what makes each of them faster.

    Raises:
        SettingsError: the settings cannot be read as meant.
    """
    lore = open_lore(start, long_lived=long_lived)
    workspace, library = lore.workspace, lore.library
    library_of_prompts = prompt_library(workspace)
    casting: Casting = (
        TierCasting(workspace.settings.models, library_of_prompts, os.environ)
        if models is None
        else FixedCasting(models, library_of_prompts)
    )
    histories = Histories(workspace.indexes / "history", library.vectors)
    campaigns = _campaigns(workspace, library, casting, workspace.campaigns, histories)
    by_words = Library(workspace.indexes)
    explorer = Explorer(by_words, workspace.content_packs)
    return App(
        workspace=workspace,
        library=library,
        campaigns=campaigns,
        lore=LoreDesk(library, campaigns, histories),
        packs=PackShelf(library, campaigns, workspace.content_packs),
        casting=casting,
        doctor=Doctor(
            library,
            campaigns,
            lore.cache,
            workspace.indexes,
            workspace.content_packs,
            without_vectors=lore.without_vectors,
            chroma_from=chroma_from(workspace.settings.index),
        ),
        sessions=Sessions(campaigns),
        upgrades=Upgrades(campaigns, library, workspace.scenarios),
        explorer=explorer,
        scenarios=Scenarios(workspace.scenarios, workspace.content_packs, by_words, explorer),
        replays=_replays(workspace, campaigns, histories, library_of_prompts),
        by_words=by_words,
        without_vectors=lore.without_vectors,
    )


def _campaigns(
    workspace: Workspace, library: Library, casting: Casting, folder: Path, histories: Histories
) -> Campaigns:
    return Campaigns(folder, workspace.scenarios, workspace.content_packs, library, casting, histories)


def _replays(workspace: Workspace, campaigns: Campaigns, histories: Histories, library: PromptLibrary) -> Replays:
    """Replays whose overrides ask models by the settings; what one process replays counts as a sitting."""
    settings = workspace.settings.models
    budget = Budget(settings.budget)

    def opened(key: str) -> Model:
        model = open_model(key, settings, environ=os.environ, budget=budget)
        if model is None:
            raise SettingsError(f"{key} is no model that can be asked", hint="see: lorewright models list")
        return model

    def trusted_row(key: str) -> Row:
        # Whose settings choose the models is settled before anybody is asked about a price.
        row = row_of(key, settings)
        if row.provider != "builtin":
            hold_models(settings)
        return row

    def stages_of(key: str) -> dict[str, str]:
        found = {stage: key_for(stage, small=key, large=key, settings=settings) for stage in STAGES}
        return {stage: one for stage, one in found.items() if one != BUILTIN or key == BUILTIN}

    return Replays(
        campaigns,
        histories,
        library,
        open_model=opened,
        stages_of=stages_of,
        begin_turn=budget.begin_turn,
        row_of=trusted_row,
        address_of=partial(asked_at, settings=settings, environ=os.environ),
    )


def prompt_library(workspace: Workspace) -> PromptLibrary:
    """The prompts of a workspace over those that ship.

    Raises:
        PromptError: a file's name is not one that a prompt can have.
    """
    return PromptLibrary((shipped_content() / "prompts", workspace.prompts))
