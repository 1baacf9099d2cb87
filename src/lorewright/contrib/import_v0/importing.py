"""A v0 database -> campaigns of ours, all of them or none, and the report that compares the two."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.checks import check
from lorewright.campaigns.copying import new_campaign
from lorewright.campaigns.scenarios.rulesets import load_ruleset
from lorewright.campaigns.scenarios.scenario import Scenario
from lorewright.contrib.import_v0.parity import TableParity, parity_of
from lorewright.contrib.import_v0.reading import campaigns_of, unowned_summaries
from lorewright.contrib.import_v0.store import ImportedCampaign, Origin, origin_of, write_imported
from lorewright.contrib.import_v0.story import OPENING, sittings_of, turns_of
from lorewright.contrib.import_v0.tables import V0File, read_v0
from lorewright.contrib.import_v0.values import Faults, Notes, V0Campaign, note_numbers
from lorewright.contrib.import_v0.world import world_of
from lorewright.errors import CampaignError, ImportRefused, LorewrightError, NotFound
from lorewright.ids import canonical_json, is_id, slug
from lorewright.rules.patch import Validation
from lorewright.rules.rulesets import CampaignRules
from lorewright.storage.campaign_tables import CAMPAIGN_MIGRATIONS
from lorewright.storage.tables import migrate
from lorewright.turn.run.dry_run import DryRun
from lorewright.turn.run.suggestions import player_scope, suggest
from lorewright.turn.store.rows import now
from lorewright.turn.views.acquaintance import Acquaintance
from lorewright.turn.views.draft import turn_id_of
from lorewright.turn.views.story import StorySoFar
from lorewright.values.records import NEXT_PROMPT, Message, TurnResult
from lorewright.world.state import WorldState

_RULESET = "freeform"
_ONE_BY_ONE = "import them one by one with --only and --id"


@dataclass(frozen=True, slots=True)
class V0Import:
    """A campaign of a v0 file and ours; `is_new` where it was written now. `tables` compares them."""

    id: str
    v0_id: str
    turns: int
    is_new: bool
    tables: tuple[TableParity, ...]

    @property
    def is_equal(self) -> bool:
        """Return True if nothing differs that should not."""
        return not any(table.differs for table in self.tables)


@dataclass(frozen=True, slots=True)
class _Prepared:
    campaign: V0Campaign
    ours: ImportedCampaign
    notes: Notes
    is_new: bool


def import_v0(
    campaigns: Campaigns, path: Path, *, campaign_id: str | None = None, only: str | None = None
) -> list[V0Import]:
    """Import every campaign of a v0 file (or `only` one, by its ID there), and return how each compares with ours. A
    campaign that was imported already stays as it is.

    Raises:
        NotFound: there is no such file, or no such campaign in it.
        ImportRefused: the file holds what cannot be read, or has changed since it was imported.
        CampaignError: an ID is taken by another campaign, or no ID.
    Whatever is raised, nothing was imported, and the file is as it was.
    """
    file, faults = read_v0(path), Faults()
    found = campaigns_of(file, faults, fallback_id=path.stem)
    faults.refuse()
    everyone, named = found, ", ".join(campaign.id for campaign in found)
    if only is not None:
        found = [campaign for campaign in found if campaign.id == only]
    if not found:
        raise NotFound(f"{path.name} holds no campaign {only}", hint=f"it holds: {named}")
    if campaign_id is not None and len(found) > 1:
        raise CampaignError(
            f"{path.name} holds several campaigns ({named}), and --id names one", hint="say which with --only"
        )
    prepared = [_prepared(campaigns, path, campaign, campaign_id) for campaign in found]
    ids = [entry.ours.row["id"] for entry in prepared]
    if len(set(ids)) < len(ids):
        raise ImportRefused(f"campaigns of {path.name} would have the same ID here: {', '.join(ids)}", hint=_ONE_BY_ONE)
    _write(campaigns, [entry.ours for entry in prepared if entry.is_new])
    return [_compared(campaigns, entry, file, everyone) for entry in prepared]


def _prepared(campaigns: Campaigns, path: Path, campaign: V0Campaign, wanted: str | None) -> _Prepared:
    """Map a campaign; return it with the mapped one, which is marked as new or as imported before.

    Raises:
        ImportRefused, CampaignError: see `import_v0`.
    """
    campaign_id = wanted or _id_of(campaign)
    if not is_id(campaign_id):
        raise CampaignError(f"{campaign_id!r} cannot be a campaign ID", hint="use letters, digits, _ and -")
    is_new = campaign_id not in campaigns.ids()
    if not is_new:
        _same_as_before(campaigns, path, campaign, campaign_id)
    faults, notes = Faults(), Notes()
    state = world_of(campaign, campaign_id, faults, notes)
    note_numbers(campaign, notes)
    sittings = sittings_of(campaign, faults, notes)
    faults.refuse()
    opening = _opening(campaign_id, state)
    turns = turns_of(campaign, campaign_id, state, sittings, opening.turn_id)
    ours = ImportedCampaign(
        row=_row(campaign, campaign_id, state, notes),
        origin=Origin(campaign.id, campaign.fingerprint, len(turns), notes.kept),
        state=state,
        opening=opening,
        opening_result=_opening_result(opening, state),
        turns=turns,
        sittings=sittings,
    )
    return _Prepared(campaign, ours, notes, is_new)


def _id_of(campaign: V0Campaign) -> str:
    return campaign.id if is_id(campaign.id) else slug(campaign.id, fallback="v0").replace("-", "_")


def _same_as_before(campaigns: Campaigns, path: Path, campaign: V0Campaign, campaign_id: str) -> None:
    with campaigns.reading(campaign_id) as store:
        origin = origin_of(store)
    if origin is None or origin.v0_id != campaign.id:
        raise CampaignError(
            f"there is a campaign {campaign_id} already, and it did not come from {campaign.id!r} of {path.name}",
            hint="choose another --id (and --only, where the file holds several)",
        )
    if origin.fingerprint != campaign.fingerprint:
        raise ImportRefused(
            f"{campaign.id!r} of {path.name} is not what it was when {campaign_id} was imported "
            f"(then {origin.turns} turns, now {len(campaign.events)}); nothing was changed",
            hint="import it beside the first with another --id",
        )


def _row(campaign: V0Campaign, campaign_id: str, state: WorldState, notes: Notes) -> dict[str, Any]:
    ruleset, ruleset_hash = load_ruleset(_RULESET)
    player, own = state.entities[state.player_id], f"{campaign_id}:"
    # As an author would name them: the campaign's own entities have no pack before them.
    places = {
        entity.id.removeprefix(own): {"name": entity.name}
        for entity in state.entities.values()
        if entity.type == "location"
    }
    scenario = Scenario.model_validate(
        {
            "id": campaign_id,
            "name": campaign.name,
            "intro_seed": OPENING,
            "start": state.scene.location_id.removeprefix(own),
            "places": places,
            "player": {"name": player.name, "pronoun": player.pronoun},
            "scene_seed": notes.kept.get("scene"),
            "calibration": campaign.calibration,
            "system": campaign.system,
            "genre_rules": campaign.genre_rules,
        }
    )
    return {
        "id": campaign_id,
        "name": campaign.name,
        "scenario_id": campaign_id,
        "scenario_json": canonical_json(scenario.model_dump(mode="json", by_alias=True)),
        "rules_json": canonical_json(CampaignRules(ruleset=ruleset).model_dump(mode="json", by_alias=True)),
        "ruleset_id": ruleset.id,
        "ruleset_hash": ruleset_hash,
        # The same file gives the same dice.
        "seed": int(campaign.fingerprint[:7], 16),
        "created_at": campaign.created_at or now(),
    }


def _opening(campaign_id: str, state: WorldState) -> Message:
    return Message(
        owner="narrator",
        type="narration",
        turn_id=turn_id_of(campaign_id, None, "start"),
        seq=0,
        content=OPENING,
        audience=(state.player_id,),
    )


def _opening_result(opening: Message, state: WorldState) -> TurnResult:
    knows = Acquaintance(state, (), StorySoFar().grown([(0, opening)], state.player_id))
    run = DryRun(CampaignRules(ruleset=load_ruleset(_RULESET)[0]), (), scope=player_scope(knows))
    return TurnResult(
        turn_no=0,
        turn_id=opening.turn_id,
        messages=(opening,),
        final_text=opening.content,
        next_prompt=NEXT_PROMPT,
        suggested_actions=suggest(run, knows, [opening.content]),
        clarification_question=None,
        citations=(),
        engine_events=(),
        validation=Validation(),
        rolls=(),
        clocks=(),
        tokens={"input": 0, "output": 0},
    )


def _write(campaigns: Campaigns, new: Sequence[ImportedCampaign]) -> None:
    """Write all campaigns; where one cannot be written, none is left."""
    written: list[str] = []
    try:
        for campaign in new:
            campaign_id = campaign.row["id"]
            with new_campaign(campaigns.shelf.place(campaign_id), campaign_id) as database:
                migrate(database, CAMPAIGN_MIGRATIONS)
                write_imported(database, campaign, now())
                found = check(database.path).findings
                if found:
                    raise ImportRefused(f"what it holds does not fit together: {found[0].where}: {found[0].what}")
            written.append(campaign_id)
    except BaseException as problem:
        for campaign_id in written:
            with suppress(OSError, LorewrightError):
                campaigns.shelf.remove(campaign_id)
        if isinstance(problem, FileExistsError):
            raise CampaignError("another process made a campaign of that ID", hint="choose another --id") from None
        raise


def _compared(campaigns: Campaigns, prepared: _Prepared, file: V0File, everyone: Sequence[V0Campaign]) -> V0Import:
    campaign_id = prepared.ours.row["id"]
    with campaigns.reading(campaign_id) as store:
        tables = parity_of(prepared.campaign, store, prepared.notes, sittings=len(prepared.ours.sittings), file=file)
    homeless = unowned_summaries(file, everyone)
    if homeless:
        why = "scope_id names no campaign, thread, scene or sitting of the file"
        tables = (*tables, TableParity("summaries of nobody", homeless, 0, 0, no_home=(why,)))
    return V0Import(campaign_id, prepared.campaign.id, len(prepared.ours.turns), prepared.is_new, tables)
