"""The campaigns of a workspace: create, open, list and read them."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from lorewright.builtin.words.tagging import tagger_with
from lorewright.campaigns.history import Histories
from lorewright.campaigns.open_campaign import Made, OpenCampaign, ids_in
from lorewright.campaigns.played_history import PlayedHistory, entries_of
from lorewright.campaigns.scenarios.beginning import USUAL, Beginning
from lorewright.campaigns.scenarios.cast import agendas_of, check_state
from lorewright.campaigns.scenarios.names import beginning_with_ids, with_ids
from lorewright.campaigns.scenarios.opening import Opening, compose
from lorewright.campaigns.scenarios.rulesets import load_ruleset, rulesets_beside
from lorewright.campaigns.scenarios.scenario import Complete, Scenario, load_scenario, with_profile
from lorewright.campaigns.session_zero import Calibration, calibrate_rules, calibrate_scenario
from lorewright.campaigns.shelves import FileShelf, Shelf
from lorewright.campaigns.solver.hints import guided
from lorewright.campaigns.stage_models import BUILTIN_KEYS, ModelKeys, StageModels
from lorewright.campaigns.store import FindText, StoredPackTexts, create_campaign, first_narration, first_result
from lorewright.errors import (
    CampaignError,
    DamagedFile,
    EmbedderError,
    FileUnavailable,
    LorewrightError,
    NotFound,
    UnsafePath,
)
from lorewright.grants import forget_agreements
from lorewright.ids import canonical_json, is_id
from lorewright.index.generation import Generation, GenerationKey
from lorewright.index.installed_packs import InstalledPack
from lorewright.index.library import Library, report_damage
from lorewright.index.lore_indexer import LoreIndexer
from lorewright.packs.content_hash import content_hash_of
from lorewright.packs.files import Progress, no_progress
from lorewright.rules.rulesets import Ruleset, TurnProfile
from lorewright.settings import USUAL_LORE, PlayLore
from lorewright.storage.enclosure import Enclosure
from lorewright.turn.stages.stages import pins_in_force
from lorewright.turn.store.rows import now
from lorewright.turn.store.store import CampaignStore
from lorewright.turn.views.draft import Setting
from lorewright.turn.views.leaks import LiveLeakCheck
from lorewright.turn.views.player_ids import PlayerIds
from lorewright.values.records import CampaignRow, Message, PackPin, TurnResult


@dataclass(frozen=True, slots=True)
class Pins:
    """The pack texts that campaigns pin; `unreadable` are the campaigns whose pins are unknown."""

    texts: tuple[PackPin, ...]
    unreadable: tuple[str, ...]


class Campaigns:
    """All campaigns of a workspace: one file each in `folder`, and the texts that they pin in `kept`."""

    def __init__(
        self,
        folder: Path,
        scenarios: Path,
        packs: Path,
        library: Library,
        stage_models: StageModels,
        histories: Histories,
        *,
        complete: Complete,
        lore: PlayLore = USUAL_LORE,
        clock: Callable[[], str] = now,
        shelf: Shelf | None = None,
        text_elsewhere: FindText | None = None,
    ) -> None:
        """`complete` gives a scenario the places of its packs where it has none; `lore` are the budgets of play.
        `clock` gives the time for what is written into campaigns, in UTC. With a `shelf` campaigns are kept there, and
        the folder has the texts of their packs alone. `text_elsewhere` gives texts that are not there."""
        self.folder = folder
        self.shelf: Shelf = FileShelf(folder) if shelf is None else shelf
        self._complete = complete
        self._scenarios = scenarios
        self._packs = packs
        self._library = library
        self._stage_models = stage_models
        self._histories = histories
        self._leaks = LiveLeakCheck(None if library.vectors is None else library.vectors.embedder)
        self._tag_acts = tagger_with(None if library.vectors is None else library.vectors.embedder)
        self._lore = lore
        self.clock = clock
        self.kept = StoredPackTexts(folder / "packs-kept", text_elsewhere)

    def hold_to_trust(self) -> None:
        """Refuse, or ask the user, before anything of a game is embedded by an embedder that they have not trusted.

        Raises:
            NotTrusted: the workspace's embedder may not be used.
        """
        self._library.hold_to_trust()

    def scenario_path(self, name: str) -> Path:
        """Return the file of a scenario, given by its ID or as a path."""
        path = Path(name)
        return path if path.suffix in (".yaml", ".yml") else self._scenarios / f"{name}.yaml"

    def new(
        self,
        scenario_name: str,
        *,
        campaign_id: str | None = None,
        seed: int | None = None,
        keys: ModelKeys = BUILTIN_KEYS,
        calibration: Calibration | None = None,
        profile: TurnProfile | None = None,
        beginning: Beginning = USUAL,
        library: Library | None = None,
        progress: Progress = no_progress,
    ) -> CampaignRow:
        """Create a campaign: read the scenario, index its packs, store and pin their text, write the first state. A
        `profile` is played in place of the scenario's, and a `beginning` in place of its start.
        `keys` are the models that it asks, `calibration` the result of session zero. Another `library` of the same
        folder indexes the packs in its own way: without vectors, where it has none.

        Raises:
            NotFound: there is no such scenario, pack or ruleset.
            RulesetError: the ruleset's file is no valid ruleset.
            ScenarioError: the scenario has unknown names.
            CampaignError: the ID is taken or invalid, or the calibration does not fit the ruleset.
            SettingsError: there is no model of that key, or it cannot be asked.
        Whatever is raised, there is no new campaign.
        """
        for key in (keys.small, keys.large):
            self._stage_models.check(key)
        source = self.scenario_path(scenario_name)
        scenario = with_profile(load_scenario(source), profile)
        campaign_id = self._free_id(campaign_id, scenario.id)
        self._ruleset(scenario)
        library = self._library if library is None else library
        installed = [self._current(pack_id, library, progress) for pack_id in scenario.content_packs]
        return self.begin(
            scenario,
            installed,
            library,
            source=str(source),
            campaign_id=campaign_id,
            seed=seed,
            keys=keys,
            calibration=calibration,
            beginning=beginning,
        )

    def begin(
        self,
        scenario: Scenario,
        installed: Sequence[InstalledPack],
        library: Library,
        *,
        source: str,
        campaign_id: str | None = None,
        seed: int | None = None,
        keys: ModelKeys = BUILTIN_KEYS,
        calibration: Calibration | None = None,
        beginning: Beginning = USUAL,
    ) -> CampaignRow:
        """Create a campaign from a scenario whose packs are indexed in a library; see `new`. `source` names the
        scenario in errors."""
        campaign_id = self._free_id(campaign_id, scenario.id)
        ruleset, ruleset_hash = self._ruleset(scenario)
        if calibration is not None:
            scenario = calibrate_scenario(scenario, ruleset, calibration)
        generations = [library.open(pack.key) for pack in installed]
        try:
            scenario = with_ids(self._complete(scenario, generations), generations)
            scenario, given = beginning_with_ids(beginning, scenario, generations)
            opening = compose(scenario, ruleset, generations, campaign_id=campaign_id, source=source, given=given)
            intro = first_narration(campaign_id, scenario.intro_seed, opening.state)
            result = first_result(intro, opening.state, opening.rules, generations)
        finally:
            for generation in generations:
                generation.close()
        if calibration is not None:
            opening = replace(opening, rules=calibrate_rules(opening.rules, calibration))
        for pack in installed:
            self.kept.keep(Path(pack.path), pack.content_hash)
        row = {
            "id": campaign_id,
            "name": scenario.name or scenario.id,
            "scenario_id": scenario.id,
            "scenario_json": canonical_json(scenario.model_dump(mode="json", by_alias=True)),
            "rules_json": canonical_json(opening.rules.model_dump(mode="json", by_alias=True)),
            "ruleset_id": ruleset.id,
            "ruleset_hash": ruleset_hash,
            "seed": secrets.randbelow(2**31) if seed is None else seed,
            "small_model_key": keys.small,
            "large_model_key": keys.large,
            "calibration_json": canonical_json({} if calibration is None else calibration.model_dump(mode="json")),
        }
        self._write(row, installed, opening, intro, result)
        with self._store(campaign_id) as store:
            return store.campaign()

    def read(self, scenario_name: str) -> tuple[Scenario, Ruleset]:
        """Return a scenario, given by its ID or as a path, and its ruleset.

        Raises:
            NotFound: there is no such scenario or ruleset.
            ScenarioError: it is no scenario.
            RulesetError: the ruleset's file is no valid ruleset.
        """
        scenario = load_scenario(self.scenario_path(scenario_name))
        return scenario, self._ruleset(scenario)[0]

    def _ruleset(self, scenario: Scenario) -> tuple[Ruleset, str]:
        return load_ruleset(scenario.ruleset, rulesets_beside(self._scenarios))

    def _write(
        self,
        row: dict[str, Any],
        installed: Sequence[InstalledPack],
        opening: Opening,
        intro: Message,
        result: TurnResult,
    ) -> None:
        pins = [PackPin(pack.id, pack.version, pack.content_hash) for pack in installed]
        try:
            create_campaign(
                self.shelf.place(row["id"]),
                row=row,
                pins=pins,
                state=opening.state,
                result_json=canonical_json(result.model_dump(mode="json")),
                intro=intro,
                prompts=pins_in_force(self._stage_models.library),
            )
        except FileExistsError:
            raise CampaignError(f"there is a campaign {row['id']} already", hint="choose another --id") from None

    def path(self, campaign_id: str) -> Path:
        """Return the file of a campaign; of one that is no file, the name that it has instead of a path.

        Raises:
            NotFound: there is no such campaign.
        """
        if not is_id(campaign_id) or not self.shelf.holds(campaign_id):
            raise NotFound(f"there is no campaign {campaign_id}", hint="see: lorewright campaign list")
        return self.name_of(campaign_id)

    def where(self, campaign_id: str) -> str:
        """Return where a campaign is kept, in words for people.

        Raises:
            NotFound: there is no such campaign.
        """
        self.path(campaign_id)
        return self.shelf.told(campaign_id)

    def name_of(self, campaign_id: str) -> Path:
        """Return the path of a campaign's file, or its name in another store, whether there is one or not."""
        place = self.shelf.place(campaign_id)
        return place if isinstance(place, Path) else place.path

    def ids(self) -> list[str]:
        """Return the IDs of all campaigns, sorted, those included whose files are links and cannot be opened.

        Raises:
            UnsafePath: the folder of the campaigns is a link.
        """
        return self.shelf.ids()

    def pins(self) -> Pins:
        """Return every text that a campaign pins, and the campaigns that cannot be read."""
        found = {campaign_id: self.shelf.pins(campaign_id) for campaign_id in self.ids()}
        texts = {pin for pins in found.values() for pin in pins or ()}
        return Pins(
            tuple(sorted(texts, key=lambda pin: (pin.pack_id, pin.content_hash))),
            tuple(campaign_id for campaign_id, pins in found.items() if pins is None),
        )

    def pinning(self, pack_id: str) -> list[str]:
        """Return the IDs of the campaigns that pin a text of a pack on any branch."""
        pins = {campaign_id: self.shelf.pins(campaign_id) or () for campaign_id in self.ids()}
        return [campaign_id for campaign_id, found in pins.items() if any(pin.pack_id == pack_id for pin in found)]

    def rows(self) -> list[CampaignRow]:
        """Return all campaigns that can be read, by ID."""
        return [row for row in map(self._row, self.ids()) if row is not None]

    def damaged(self) -> list[str]:
        """Return the IDs of the campaigns whose files cannot be read, sorted."""
        return [campaign_id for campaign_id in self.ids() if self._row(campaign_id) is None]

    def _row(self, campaign_id: str) -> CampaignRow | None:
        try:
            with self._store(campaign_id) as store:
                return store.campaign()
        except (DamagedFile, FileUnavailable, UnsafePath, NotFound):
            return None

    @contextmanager
    def reading(self, campaign_id: str) -> Iterator[CampaignStore]:
        """Open a campaign's file for reading; no index is needed.

        Raises:
            NotFound: there is no such campaign.
        """
        with self._store(campaign_id) as store:
            yield store

    def player_ids(self, store: CampaignStore) -> PlayerIds:
        """Return the IDs that disguised entities have for the player of a campaign. The pinned packs are opened for it.

        Raises:
            NotFound: a pinned text is missing.
        """
        with ExitStack() as stack:
            generations = [
                stack.enter_context(closing(generation)) for generation in self.generations(store.campaign())
            ]
            return ids_in(store, generations)

    @contextmanager
    def open(self, campaign_id: str) -> Iterator[OpenCampaign]:
        """Open a campaign for play. A missing index is built again from the stored text.

        Raises:
            NotFound: there is no such campaign, or a pinned text is missing.
            StateMisfit: the stored state does not fit the ruleset; nothing was changed.
        """
        with self._store(campaign_id) as store, ExitStack() as stack:
            make = partial(self._made, store, stack)
            yield OpenCampaign(store, self._stage_models, make, make())

    def as_of(
        self, store: CampaignStore, turn_id: str, stack: ExitStack, *, by_words: Collection[str] = ()
    ) -> tuple[CampaignRow, Setting]:
        """Return a campaign and its setting as they were while a turn was the head; the stack closes them."""
        return self._made(store, stack, at=turn_id, by_words=by_words)

    def _made(
        self, store: CampaignStore, stack: ExitStack, *, at: str | None = None, by_words: Collection[str] = ()
    ) -> Made:
        """Return the row and the setting at the head of a campaign, or at another turn; the stack closes them."""
        row = store.campaign(at)
        state = store.head().state if at is None else store.state_at(at)
        check_state(state, row.rules.ruleset)
        generations = self.generations(row, by_words=by_words)
        for generation in generations:
            stack.callback(generation.close)
        history = stack.enter_context(closing(PlayedHistory(self._histories, store, generations)))
        stack.enter_context(report_damage([generation.folder for generation in generations]))
        agendas = agendas_of(row.scenario, state, row.rules.cast)
        setting = Setting(
            row.rules,
            row.seed,
            generations,
            history.before,
            agendas=agendas,
            entries=entries_of(store, row.seed, generations),
            upgrade_id=row.upgrade_id,
            **row.told_as,
            story=store.story,
            tried=store.tried,
            leaks=self._leaks,
            tag_acts=self._tag_acts,
            by_words=()
            if self._library.vectors is None
            else tuple(generation.pack_id for generation in generations if generation.vectors is None),
            lore=self._lore,
            opening=store.opening(),
            player_ids=lambda: ids_in(store, generations).ids,
        )
        return row, guided(setting, row.scenario)

    def generations(self, row: CampaignRow, *, by_words: Collection[str] = ()) -> tuple[Generation, ...]:
        """Return readers of the generations that a campaign pins, by pack ID; the caller closes them. The packs in
        `by_words` are opened without vectors."""
        keys = [GenerationKey(pin.pack_id, pin.content_hash) for pin in row.pins]
        for pin, key in zip(row.pins, keys, strict=True):
            if not self._library.has(key):
                self.restore(pin)
            elif self._library.foreign_spaces(key):
                self._library.embed(key)
        return tuple(
            self._library.open_by_words(key) if key.pack_id in by_words else self._library.open(key) for key in keys
        )

    def restore(self, pin: PackPin, *, progress: Progress = no_progress) -> None:
        """Index a pinned text again, from its stored copy.

        Raises:
            NotFound: its text is not stored.
            PackError: the stored text is another one.
        """
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / pin.pack_id
            root.mkdir()
            self.kept.unpack(pin.content_hash, root)
            LoreIndexer(self._library).rebuild(root, content_hash=pin.content_hash, progress=progress)

    @contextmanager
    def _store(self, campaign_id: str) -> Iterator[CampaignStore]:
        if not is_id(campaign_id):
            raise NotFound(f"{campaign_id!r} is no campaign ID", hint="see: lorewright campaign list")
        with self.shelf.opened(campaign_id, self.clock) as store:
            yield store

    def remove(self, campaign_id: str) -> None:
        """Delete a campaign: its file with all branches, the lines that were typed in it, its search index, and what
        the user agreed to pay for in it. The pack texts that it pins are kept: others may pin them too.

        Raises:
            NotFound: there is no such campaign.
            Busy: it is open, here or in another process.
        Whatever is raised, nothing was deleted.
        """
        path = self.path(campaign_id)
        self.shelf.remove(campaign_id)
        Enclosure(self.folder).remove(self.lines_path(campaign_id))
        self._histories.forget(campaign_id)
        forget_agreements(path)

    def lines_path(self, campaign_id: str) -> Path:
        """Return where the prompt keeps the lines that were typed in a campaign, whether there are any or not."""
        return self.folder / f"{campaign_id}.lines"

    def free_id(self, given: str) -> str:
        """Return the given ID if it can be that of a new campaign.

        Raises:
            CampaignError: it is taken or invalid.
        """
        if not is_id(given):
            raise CampaignError(f"{given!r} cannot be a campaign ID", hint="use letters, digits, _ and -")
        if given in self.ids():
            raise CampaignError(f"there is a campaign {given} already", hint="choose another --id")
        return given

    def _free_id(self, given: str | None, scenario_id: str) -> str:
        if given is not None:
            return self.free_id(given)
        taken = set(self.ids())
        # A scenario's own name is left to its own campaign.
        numbered = (f"{scenario_id}_{n}" for n in count(2))
        free = (name for name in numbered if name not in taken and not self.scenario_path(name).is_file())
        return scenario_id if scenario_id not in taken else next(free)

    def _current(self, pack_id: str, library: Library, progress: Progress) -> InstalledPack:
        """Return the installed pack with a current generation, embedded where the library does that and can.

        A pack of the workspace is installed when it is needed.
        """
        home = self._packs / pack_id
        try:
            installed = library.get(pack_id)
        except LorewrightError:
            if not home.is_dir():
                raise
            return LoreIndexer(library).index_pack(home, progress=progress).pack
        root = Path(installed.path)
        changed = root.is_dir() and content_hash_of(root) != installed.content_hash
        if changed or not library.has(installed.key):
            folder = root if root.is_dir() else home
            return LoreIndexer(library).index_pack(folder, lenient=installed.lenient, progress=progress).pack
        # A pack that was embedded by another embedder can be opened only after this one has embedded it too.
        embedding = self._library if self._library.foreign_spaces(installed.key) else library
        with suppress(EmbedderError):
            embedding.embed(installed.key, progress=progress)
        return installed
