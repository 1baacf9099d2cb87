"""The composition root: settings -> the objects of the program. Backends and models are named here, and for the lore
half in `lore_bootstrap`.

Each part is imported and made on first use: installing a pack imports nothing of the game, and playing nothing of the
leak suite, the generator or the replays. Only this module and `lore_bootstrap` may import so late.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from lorewright.errors import EmbedderError, SettingsError
from lorewright.index.embedding_cache import EmbeddingCache
from lorewright.index.library import Library
from lorewright.lore_bootstrap import chroma_from, make_library, make_workspace, open_lore, shipped_content
from lorewright.packs.files import Progress, no_progress
from lorewright.settings import Workspace, read_workspace

if TYPE_CHECKING:
    from lorewright.authoring.leaks.suite import LeakSuite
    from lorewright.authoring.pack_suite import PackTests
    from lorewright.authoring.reach.scenario_reach import ScenarioReach
    from lorewright.campaigns.campaigns import Campaigns
    from lorewright.campaigns.history import Histories
    from lorewright.campaigns.scenarios.scenario import Scenario
    from lorewright.campaigns.sessions import Sessions
    from lorewright.campaigns.shelves import Shelf
    from lorewright.campaigns.stage_models import StageModels
    from lorewright.campaigns.upgrading import Upgrades
    from lorewright.generate.explore.explorer import Explorer
    from lorewright.generate.scenario.generating import Generator
    from lorewright.index.artifacts.lore_store import LoreStore
    from lorewright.index.generation import Generation
    from lorewright.index.lore_indexer import LoreIndexer
    from lorewright.llm.gateway import Budget
    from lorewright.llm.model import Model
    from lorewright.llm.prompt_library import PromptLibrary
    from lorewright.llm.taxonomy import ModelRow
    from lorewright.packs.pack_loader import PackLoader
    from lorewright.replay.replay import Replays
    from lorewright.scene_lore.lore_retriever import LoreRetriever
    from lorewright.storage.postgres.store import PostgresStore
    from lorewright.workspace.bundles import Bundles
    from lorewright.workspace.doctor import Doctor
    from lorewright.workspace.packs import WorkspacePacks
    from lorewright.workspace.scenarios import Scenarios


@dataclass(frozen=True)
class App:
    """The parts of the program for commands and servers; each is made on first use, and once."""

    workspace: Workspace
    library: Library
    cache: EmbeddingCache
    campaigns_folder: Path
    # Stage -> its model, every other stage built in; None where the settings decide.
    models: Mapping[str, Model] | None = None
    # Why packs are searched by words alone although the settings name an embedder.
    without_vectors: EmbedderError | None = None
    # Where campaigns are kept, if not in files: a store that its caller closes, or the address of one.
    elsewhere: PostgresStore | None = None
    database: str | None = None
    # Where packs come from that are not installed, if anywhere.
    lore_store: LoreStore | None = None

    @cached_property
    def by_words(self) -> Library:
        """The packs searched by words alone, whatever the settings name."""
        return make_library(self.workspace.indexes, self.lore_store)

    @cached_property
    def indexer(self) -> LoreIndexer:
        """Installs packs, indexes them anew and removes them."""
        from lorewright.index.lore_indexer import LoreIndexer

        return LoreIndexer(self.library)

    @property
    def pack_loader(self) -> PackLoader:
        """Reads and checks packs beside those that are installed now."""
        from lorewright.packs.pack_loader import PackLoader

        return PackLoader(self.workspace.content_packs, self.library.neighbours())

    @cached_property
    def prompts(self) -> PromptLibrary:
        """The prompts of the workspace over those that ship.

        Raises:
            PromptError: a file's name is not one that a prompt can have.
        """
        return prompt_library(self.workspace)

    @cached_property
    def stage_models(self) -> StageModels:
        """The model of each stage."""
        from lorewright.campaigns.stage_models import FixedStageModels, TierStageModels

        if self.models is None:
            return TierStageModels(self.workspace.settings.models, self.prompts, os.environ)
        return FixedStageModels(self.models, self.prompts)

    def open_model(self, key: str, budget: Budget) -> Model:
        """Return the model of a key, whose calls a budget counts. Nothing is sent before it is asked.

        Raises:
            SettingsError: there is no such model, it is built in, or it cannot be asked.
            NotTrusted: the settings that name it are not trusted.
        """
        from lorewright.llm.opening import open_model

        if self.models is not None:
            found = next((model for model in self.models.values() if model.key == key), None)
        else:
            found = open_model(key, self.workspace.settings.models, environ=os.environ, budget=budget)
        if found is None:
            raise SettingsError(f"{key} is no model that can be asked", hint="choose one of: lorewright models list")
        return found

    @cached_property
    def histories(self) -> Histories:
        """The searchable histories of the campaigns."""
        from lorewright.campaigns.history import Histories

        return Histories(self.workspace.indexes / "history", self.library.vectors)

    @cached_property
    def campaigns(self) -> Campaigns:
        """The campaigns."""
        parts = (self.workspace, self.library, self.stage_models, self.campaigns_folder, self.histories)
        return _campaigns(*parts, self._shelf(), self.lore_store)

    @property
    def postgres(self) -> PostgresStore | None:
        """The PostgreSQL that keeps the campaigns, connected to when it is asked for; None where they are files."""
        return self.elsewhere or (None if self.database is None else self._connected)

    def _shelf(self) -> Shelf | None:
        """Return where campaigns are kept; None where that is the folder. Nothing is connected yet."""
        if self.elsewhere is None and self.database is None:
            return None
        from lorewright.campaigns.shelves import PostgresShelf

        return PostgresShelf(lambda: self.elsewhere or self._connected)

    @cached_property
    def _connected(self) -> PostgresStore:
        from lorewright.storage.postgres.store import PostgresStore

        return PostgresStore(self.database or "", is_patient=False)

    def close(self) -> None:
        """Close the connections to the database, if there are any."""
        if "_connected" in vars(self):
            self._connected.close()

    @cached_property
    def lore(self) -> LoreRetriever:
        """The retriever for the lore of packs and campaigns."""
        from lorewright.campaigns.lore import CampaignViews
        from lorewright.scene_lore.lore_retriever import LoreRetriever

        return LoreRetriever(CampaignViews(self.library, self.campaigns, self.histories))

    @cached_property
    def packs(self) -> WorkspacePacks:
        """Installs, lists and removes packs."""
        from lorewright.workspace.packs import WorkspacePacks

        return WorkspacePacks(self.indexer, self.campaigns, self.workspace.content_packs, self.pack_loader)

    @cached_property
    def sessions(self) -> Sessions:
        """The sessions of campaigns."""
        from lorewright.campaigns.sessions import Sessions

        return Sessions(self.campaigns)

    @cached_property
    def upgrades(self) -> Upgrades:
        """Moves a campaign to the current packs and scenario."""
        from lorewright.campaigns.upgrading import Upgrades

        return Upgrades(self.campaigns, self.library, self.workspace.scenarios)

    @cached_property
    def doctor(self) -> Doctor:
        """Examines and repairs the workspace's indexes."""
        from lorewright.workspace.doctor import Doctor

        return Doctor(
            self.library,
            self.campaigns,
            self.cache,
            self.workspace.indexes,
            self.workspace.content_packs,
            without_vectors=self.without_vectors,
            chroma_from=chroma_from(self.workspace.settings.index),
        )

    @cached_property
    def explorer(self) -> Explorer:
        """Explores a pack."""
        from lorewright.generate.explore.explorer import Explorer

        return Explorer(self.by_words, self.workspace.content_packs)

    @cached_property
    def scenarios(self) -> Scenarios:
        """The scenarios of the workspace."""
        from lorewright.workspace.scenarios import Scenarios

        return Scenarios(self.workspace.scenarios, self.workspace.content_packs, self.by_words, self.explorer)

    @cached_property
    def bundles(self) -> Bundles:
        """Writes a game to a file, and adds a game from a file."""
        from lorewright.workspace.bundles import Bundles

        return Bundles(self.packs, self.library, self.workspace.scenarios, self.workspace.content_packs)

    @cached_property
    def generator(self) -> Generator:
        """Makes scenarios from packs; it tries them with the built-in stages, whatever models there are."""
        from lorewright.generate.scenario.generating import Generator

        return Generator(self.workspace.scenarios, self.by_words, self.explorer, self._trial)

    @cached_property
    def scenario_reach(self) -> ScenarioReach:
        """Searches scenarios for what a player can reach; it plays with the built-in stages, whatever models there
        are."""
        from lorewright.authoring.reach.scenario_reach import ScenarioReach

        return ScenarioReach(self.by_words, self.explorer, self._trial)

    def _trial(self, folder: Path) -> Campaigns:
        """Return campaigns in another folder, with built-in stages and packs that are searched by words alone."""
        from lorewright.campaigns.history import Histories
        from lorewright.campaigns.stage_models import FixedStageModels

        stage_models = FixedStageModels({}, self.stage_models.library)
        return _campaigns(self.workspace, self.by_words, stage_models, folder, Histories(folder / "history", None))

    @cached_property
    def leaks(self) -> LeakSuite:
        """Tests packs and campaigns for leaks, in a temporary folder."""
        from lorewright.authoring.leaks.suite import LeakSuite

        where = self.workspace
        return LeakSuite(self.by_words, where.scenarios, where.content_packs, self.stage_models.library)

    @cached_property
    def pack_tests(self) -> PackTests:
        """Tests packs: what their authors expect of them, and that every section can be found."""
        from lorewright.authoring.pack_figures import PackRoots
        from lorewright.authoring.pack_suite import PackTests
        from lorewright.authoring.section_coverage import AnswerLimits

        where = self.workspace
        roots = PackRoots(self.library, where.content_packs, where.scenarios)
        bounds = AnswerLimits(where.settings.lore.limit, where.settings.lore.max_tokens)
        return PackTests(self.library, roots, self.leaks, bounds)

    @cached_property
    def replays(self) -> Replays:
        """Replays recorded turns."""
        return _replays(self.workspace, self.campaigns, self.histories, self.prompts)

    def fetch_lore_of(self, campaign_id: str) -> None:
        """Fetch what a campaign pins and is not here, by a library of its own: in another thread than that which plays.

        Raises:
            LoreStoreUnavailable, DamagedFile, FileUnavailable: it cannot be fetched.
        """
        from lorewright.index.generation import GenerationKey

        if self.lore_store is None:
            return
        library = make_library(self.workspace.indexes, self.lore_store, self.library.vectors)
        for pin in self.campaigns.shelf.pins(campaign_id) or ():
            library.has(GenerationKey(pin.pack_id, pin.content_hash))

    def build_chroma(self, *, progress: Progress = no_progress) -> int:
        """Have the Chroma collections built that installed packs lack; returns how many another process is building
        from now on. With `chroma = "always"` they are there when this returns, and it is 0.

        Raises:
            OSError: no process can be started.
        """
        from lorewright.index.chroma_background import start_building

        wanted = self.workspace.settings.index.chroma
        if wanted == "never":
            return 0
        started = start_building(self.library, self.workspace.indexes, wait=wanted == "always", progress=progress)
        return started if wanted == "auto" else 0

    def rehearsal(self, folder: Path, *, by_words: bool = False) -> Campaigns:
        """Return campaigns stored in another folder: for a demo that leaves nothing behind. With `by_words` its packs
        are searched by words alone, and no vectors are opened."""
        from lorewright.campaigns.history import Histories

        library = self.by_words if by_words else self.library
        return _campaigns(
            self.workspace, library, self.stage_models, folder, Histories(folder / "history", library.vectors)
        )

    def model_trial(self, key: str, folder: Path) -> Campaigns:
        """Return campaigns in a new workspace in a folder, with what ships, in which every stage asks the model of a
        key by the settings and with the prompts of this one; packs are searched by words alone. `parrot` is the double
        that ships."""
        from lorewright.campaigns.history import Histories

        make_workspace(folder)
        where = read_workspace(folder)
        library = Library(where.indexes)
        histories = Histories(where.indexes / "history", None)
        return _campaigns(where, library, self._models_of_trial(key), where.campaigns, histories)

    def _models_of_trial(self, key: str) -> StageModels:
        from lorewright.campaigns.stage_models import FixedStageModels, TierStageModels
        from lorewright.llm.doubles import ParrotModel
        from lorewright.llm.taxonomy import TIERS
        from lorewright.turn.stages.stages import STAGES

        if self.models is not None:
            return self.stage_models
        if key == ParrotModel.key:
            return FixedStageModels(dict.fromkeys(STAGES, ParrotModel()), self.prompts)
        settings = self.workspace.settings.models.model_copy(update={"stages": dict.fromkeys(TIERS, key)})
        return TierStageModels(settings, self.prompts, os.environ)


def open_app(
    start: Path | str | None = None,
    *,
    models: Mapping[str, Model] | None = None,
    long_lived: bool = False,
    elsewhere: PostgresStore | None = None,
    lore_store: LoreStore | None = None,
    database: str | None = None,
) -> App:
    """Return the app for the workspace around a folder; outside of any workspace the user's own, made on first use.

    `models` gives models to stages (`interpreter`, `planner`, `narrator`); every other stage is built in. `long_lived`
    is for a process that answers many questions: it may take the time to open what makes each of them faster. With
    `elsewhere` campaigns are kept there; the caller closes it. With the address of a PostgreSQL `database` they are
    kept there, too: it is connected to when the first campaign is asked for, and `close` ends that. With a `lore_store`
    packs that are not installed come from there.

    Raises:
        SettingsError: the settings cannot be read as intended.
    """
    lore = open_lore(start, long_lived=long_lived, lore_store=lore_store)
    return App(
        lore.workspace,
        lore.library,
        lore.cache,
        lore.workspace.campaigns,
        models,
        without_vectors=lore.without_vectors,
        elsewhere=elsewhere,
        lore_store=lore_store,
        database=database,
    )


def _campaigns(
    workspace: Workspace,
    library: Library,
    stage_models: StageModels,
    folder: Path,
    histories: Histories,
    shelf: Shelf | None = None,
    lore_store: LoreStore | None = None,
) -> Campaigns:
    from lorewright.campaigns.campaigns import Campaigns

    def complete(scenario: Scenario, generations: Sequence[Generation]) -> Scenario:
        from lorewright.generate.explore.completing import complete_scenario

        return complete_scenario(scenario, generations)

    packs = workspace.content_packs
    lore = workspace.settings.lore.of_play
    return Campaigns(
        folder,
        workspace.scenarios,
        packs,
        library,
        stage_models,
        histories,
        complete=complete,
        lore=lore,
        shelf=shelf,
        text_elsewhere=None if lore_store is None else lore_store.text,
    )


def _replays(workspace: Workspace, campaigns: Campaigns, histories: Histories, library: PromptLibrary) -> Replays:
    """Return replays whose overrides ask models by the settings; a process counts as one session for the budget."""
    from lorewright.llm.gateway import Budget
    from lorewright.llm.opening import open_model
    from lorewright.llm.taxonomy import asked_at, key_for, row_of
    from lorewright.replay.replay import Replays
    from lorewright.trust import hold_models
    from lorewright.turn.stages.stages import STAGES
    from lorewright.values.records import BUILTIN

    settings = workspace.settings.models
    budget = Budget(settings.budget)

    def opened(key: str) -> Model:
        model = open_model(key, settings, environ=os.environ, budget=budget)
        if model is None:
            raise SettingsError(f"{key} is not a model that a replay can ask", hint="see: lorewright models list")
        return model

    def trusted_row(key: str) -> ModelRow:
        # The trust in settings that choose models is settled before anybody is asked about a price.
        row = row_of(key, settings)
        if row.provider != "builtin":
            hold_models(settings)
        return row

    def stages_of(key: str) -> dict[str, str]:
        found = {stage: key_for(stage, small=key, large=key, settings=settings) for stage in STAGES}
        return {stage: found_key for stage, found_key in found.items() if found_key != BUILTIN or key == BUILTIN}

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
    """Return the prompts of a workspace over those that ship.

    Raises:
        PromptError: a file's name is not one that a prompt can have.
    """
    from lorewright.llm.prompt_library import PromptLibrary

    return PromptLibrary((shipped_content() / "prompts", workspace.prompts))
