"""A campaign and the installed packs and ruleset -> what an upgrade would change; and, where nothing blocks it, the
turn that does it. The campaign keeps the scenario that it was begun with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.scenarios.names import with_ids
from lorewright.campaigns.scenarios.opening import try_composing
from lorewright.campaigns.scenarios.rulesets import load_ruleset, rulesets_beside
from lorewright.campaigns.scenarios.scenario import Scenario, read_scenario
from lorewright.campaigns.session_zero import calibrate_rules, calibrate_scenario, calibration_of
from lorewright.campaigns.upgrade_changes import (
    Remark,
    UpgradePlan,
    VersionChange,
    cast_changes,
    in_order,
    names_then,
    other_ids,
    pack_changes,
    reshaping,
    ruleset_changes,
)
from lorewright.errors import CampaignError, NotFound, PackError, RulesetError
from lorewright.ids import canonical_json, with_other_ids
from lorewright.index.generation import Generation, GenerationKey
from lorewright.index.installed_packs import InstalledPack
from lorewright.index.library import Library
from lorewright.packs.content_hash import content_hash_of
from lorewright.rules.rulesets import CampaignRules, Ruleset
from lorewright.turn.run.editing import draft_of_no_play
from lorewright.turn.store.store import CampaignStore
from lorewright.turn.views.draft import Draft, Head, StageRecord, Submission, Upgrade
from lorewright.values.records import CampaignRow, PackPin
from lorewright.world.apply import apply
from lorewright.world.ops import RenameIds, Reshape
from lorewright.world.state import WorldState

_STAGE = "upgrade"


@dataclass(frozen=True, slots=True)
class Upgraded:
    """What was planned for a campaign, and the turn that did it: None where nothing was done."""

    plan: UpgradePlan
    turn_no: int | None = None
    turn_id: str | None = None


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A plan with all that the turn needs."""

    plan: UpgradePlan
    head: Head
    rules: CampaignRules
    ruleset_hash: str
    pins: tuple[PackPin, ...]
    installed: tuple[InstalledPack, ...]
    ops: tuple[RenameIds | Reshape, ...]


class Upgrades:
    """Plans and does upgrades of a workspace's campaigns."""

    def __init__(self, campaigns: Campaigns, library: Library, scenarios: Path) -> None:
        self._campaigns = campaigns
        self._library = library
        self._scenarios = scenarios

    def plan(self, campaign_id: str) -> UpgradePlan:
        """Return what would change at the head of a campaign. Nothing of it is changed.

        Raises:
            NotFound: there is no such campaign, or a pinned text is missing.
            PackError: a pack that is installed has no index, or its folder holds another text by now.
        """
        with self._campaigns.reading(campaign_id) as store:
            return self._prepared(store).plan

    def upgrade(self, campaign_id: str) -> Upgraded:
        """Move a campaign to what is installed, in a turn of its own; return the plan and the turn. Where everything is
        as it is pinned nothing is done.

        Raises:
            CampaignError: something stands in the way; the message names all of it.
            HeadMoved: another turn was committed meanwhile.
        And what `plan` raises. Whatever is raised, nothing of the campaign was changed.
        """
        with self._campaigns.reading(campaign_id) as store:
            prepared = self._prepared(store)
            plan = prepared.plan
            if plan.blocking:
                lines = "\n".join(f"{remark.about}: {remark.what}" for remark in plan.blocking)
                raise CampaignError(f"{campaign_id} cannot be upgraded:\n{lines}", hint=plan.blocking[0].hint)
            if not plan.is_needed:
                return Upgraded(plan)
            # Texts are stored first: a text that no campaign pins does no harm.
            for pack in prepared.installed:
                self._campaigns.kept.keep(Path(pack.path), pack.content_hash)
            draft = _draft(prepared)
            store.commit(draft)
            return Upgraded(plan, draft.turn_no, draft.turn_id)

    def newer_packs(self, campaign: OpenCampaign) -> list[str]:
        """Return the IDs of the packs of an open campaign that are installed with another text than it pins."""
        installed = {pack.id: pack.content_hash for pack in self._library.packs()}
        return [
            pin.pack_id for pin in campaign.row.pins if installed.get(pin.pack_id, pin.content_hash) != pin.content_hash
        ]

    def has_other_scenario(self, campaign: OpenCampaign) -> bool:
        """Return whether the file that an open campaign was begun from holds another scenario by now. A file that was
        not written since the campaign began is not read: that takes a second."""
        row, generations = campaign.row, campaign.setting.generations
        path = self._scenarios / f"{row.scenario_id}.yaml"
        begun = datetime.fromisoformat(row.created_at).timestamp()
        try:
            if path.stat().st_mtime <= begun:
                return False
        except OSError:
            return False
        own = Scenario.model_validate(row.scenario)
        return _written(path, row, own, campaign.setting.rules.ruleset, generations) != own

    def _prepared(self, store: CampaignStore) -> _Prepared:
        row, head = store.campaign(), store.head()
        scenario = Scenario.model_validate(row.scenario)
        ruleset, ruleset_hash, remarks = self._ruleset(scenario, row)
        ids: dict[str, str] = {}
        found = [self._installed(pin) for pin in row.pins]
        pins = tuple(
            pin if pack is None else PackPin(pack.id, pack.version, pack.content_hash)
            for pin, pack in zip(row.pins, found, strict=True)
        )
        remarks += [
            Remark("pack-missing", pin.pack_id, f"{pin.pack_id} is not installed: it stays as it is pinned")
            for pin, pack in zip(row.pins, found, strict=True)
            if pack is None
        ]
        with ExitStack() as stack:
            then = {generation.pack_id: generation for generation in self._campaigns.generations(row)}
            for generation in then.values():
                stack.callback(generation.close)
            now = {pin.pack_id: self._opened(pin, then, row, stack) for pin in pins}
            for pack_id, before in then.items():
                if now[pack_id] is not before:
                    of_pack = other_ids(before, now[pack_id])
                    remarks += pack_changes(before, now[pack_id], head.state, of_pack)
                    ids |= of_pack
            in_scenario = [now[pack_id] for pack_id in scenario.content_packs if pack_id in now]
            then_names = {old: own for generation in in_scenario for old, own in names_then(generation).items()}
            named = Scenario.model_validate(with_other_ids(row.scenario, then_names))
            rules, problems = _composed(named, ruleset, in_scenario, row)
            remarks += problems
            remarks += cast_changes(row.rules, rules, head.state)
            remarks += self._scenario_file(scenario, ruleset, in_scenario, row)
        if ruleset_hash != row.ruleset_hash:
            remarks += ruleset_changes(row.rules.ruleset, ruleset, head.state)
        moved = tuple(
            VersionChange(pin.pack_id, pin.version, other.version, pin.content_hash, other.content_hash)
            for pin, other in zip(row.pins, pins, strict=True)
        )
        plan = UpgradePlan(
            row.id,
            moved,
            VersionChange(ruleset.id, "", "", row.ruleset_hash, ruleset_hash),
            (),
            in_order(remarks),
        )
        ops: tuple[RenameIds | Reshape, ...] = _renaming(ids, head.state)
        ops += reshaping(row.rules.ruleset, ruleset, head.state)
        return _Prepared(plan, head, rules, ruleset_hash, pins, tuple(pack for pack in found if pack), ops)

    def _ruleset(self, scenario: Scenario, row: CampaignRow) -> tuple[Ruleset, str, list[Remark]]:
        """Return the current ruleset, its hash and remarks; where there is none any more, the campaign's own copy."""
        try:
            return *load_ruleset(scenario.ruleset, rulesets_beside(self._scenarios)), []
        except (NotFound, RulesetError) as problem:
            what = f"the ruleset stays as it is pinned: {problem.message.splitlines()[0]}"
            return row.rules.ruleset, row.ruleset_hash, [Remark("ruleset-missing", scenario.ruleset, what)]

    def _installed(self, pin: PackPin) -> InstalledPack | None:
        """Return the installed pack of a pin, whose folder has the installed text; None where it is not installed.

        Raises:
            PackError: its folder holds another text by now.
        """
        pack = next((installed for installed in self._library.packs() if installed.id == pin.pack_id), None)
        if pack is None or pack.content_hash == pin.content_hash:
            return pack
        root = Path(pack.path)
        if not root.is_dir() or content_hash_of(root) != pack.content_hash:
            raise PackError(
                f"the folder of {pack.id} holds another text than what is installed",
                hint=f"run: lorewright pack reindex {pack.id}",
            )
        return pack

    def _opened(self, pin: PackPin, then: dict[str, Generation], row: CampaignRow, stack: ExitStack) -> Generation:
        """Return the generation that a campaign would go on with: the one that is open where the text is the same."""
        if pin in row.pins:
            return then[pin.pack_id]
        key = GenerationKey(pin.pack_id, pin.content_hash)
        if not self._library.has(key):
            raise PackError(f"{pin.pack_id} has no index", hint=f"run: lorewright pack reindex {pin.pack_id}")
        if self._library.foreign_spaces(key):
            self._library.embed(key)
        generation = self._library.open(key)
        stack.callback(generation.close)
        return generation

    def _scenario_file(
        self, scenario: Scenario, ruleset: Ruleset, generations: Sequence[Generation], row: CampaignRow
    ) -> Iterator[Remark]:
        """Yield what has changed in the file that the campaign was begun from. The campaign keeps its own scenario."""
        path = self._scenarios / f"{row.scenario_id}.yaml"
        if not path.is_file():
            return
        written = _written(path, row, scenario, ruleset, generations)
        if written == scenario:
            return
        if written is None:
            yield Remark("scenario-file", path.name, "the file is no scenario any more; the campaign keeps its own")
            return
        yield Remark("scenario-file", path.name, "the file is another than the campaign's own, which stays")
        if (
            set(written.content_packs) <= {generation.pack_id for generation in generations}
            and written.ruleset == scenario.ruleset
        ):
            _, problems = _composed(written, ruleset, generations, row)
            for problem in problems:
                yield Remark("scenario-file", path.name, f"the file fits no more: {problem.about}: {problem.what}")


def _written(
    path: Path, row: CampaignRow, scenario: Scenario, ruleset: Ruleset, generations: Sequence[Generation]
) -> Scenario | None:
    """Return the scenario of a file as a campaign that was begun from it now would have it, with what was agreed on in
    another one, and what was made of its packs as the campaign has it; None where the file is no scenario."""
    written, _ = read_scenario(path)
    if written is not None and not written.is_complete:
        written = _with_what_was_made(written, scenario)
    if written is not None and row.calibration:
        with suppress(CampaignError):
            written = calibrate_scenario(written, ruleset, calibration_of(row.calibration))
    return None if written is None else with_ids(written, generations)


def _with_what_was_made(written: Scenario, stored: Scenario) -> Scenario:
    """Return a scenario with the keys that it does not write as a campaign has them."""
    kept = stored.model_dump(mode="json", by_alias=True)
    given = written.model_dump(mode="json", by_alias=True, exclude_unset=True)
    cast = {who: {**member, "at": member.get("at") or stored.start} for who, member in given.get("cast", {}).items()}
    if written.add_to_packs:
        groups = ("places", "things", "finds", "threads", "clocks")
        beside = {group: {**kept.get(group, {}), **given.get(group, {})} for group in groups}
        return Scenario.model_validate({**kept, **given, **beside, "cast": {**kept.get("cast", {}), **cast}})
    return Scenario.model_validate({**kept, **given, **({"cast": cast} if cast else {})})


def _renaming(ids: Mapping[str, str], state: WorldState) -> tuple[RenameIds, ...]:
    """Return the op that gives the state the IDs of other rules of reading; none where it has none of them. Keys of the
    narrator's memory have IDs inside (`lore:ID@1`), and are named whole."""
    if not ids:
        return ()
    inside = re.compile(rf"(?<![^:])({'|'.join(map(re.escape, sorted(ids, key=len, reverse=True)))})(?![^:#/@])")
    keys = {key: inside.sub(lambda found: ids[found[1]], key) for key in state.recall}
    every = {**{key: other for key, other in keys.items() if other != key}, **ids}
    held = state.model_dump(mode="json")
    return (RenameIds(ids=every),) if with_other_ids(held, every) != held else ()


def _composed(
    scenario: Scenario, ruleset: Ruleset, generations: Sequence[Generation], row: CampaignRow
) -> tuple[CampaignRules, list[Remark]]:
    """Return the scenario's rules with every name looked up in other texts, and a remark for each unknown name."""
    opening, problems, in_packs = try_composing(scenario, ruleset, generations, campaign_id=row.id)
    hint = "give the pack again what is named, and install that"
    remarks = []
    for problem in problems:
        where, _, what = problem.partition(": ")
        remarks.append(Remark("scenario", where, what, True, hint))
    remarks += [Remark("condition", "a condition", line, True, hint) for line in in_packs]
    # The turn profile stays the one that the campaign was begun with.
    rules = opening.rules.model_copy(update={"profile": row.rules.profile})
    return calibrate_rules(rules, calibration_of(row.calibration)), remarks


def _draft(prepared: _Prepared) -> Draft:
    """Return the turn that upgrades a campaign; the suggestions stay."""
    head, plan = prepared.head, prepared.plan
    moved = [[change.id, change.hash_then, change.hash_now] for change in (*plan.packs, plan.ruleset, *plan.prompts)]
    remarks = [[remark.kind, remark.about, remark.what] for remark in plan.remarks]
    return draft_of_no_play(
        head,
        Submission("", f"upgrade-{head.revision}"),
        kind="upgrade",
        ops=prepared.ops,
        state=apply(head.state, prepared.ops).state,
        record=StageRecord(_STAGE, canonical_json(moved), canonical_json(remarks)),
        final_text=told_of(plan),
        options=head.options,
        upgrade=Upgrade(prepared.rules, prepared.ruleset_hash, prepared.pins),
    )


def told_of(plan: UpgradePlan) -> str:
    """Return the log's sentence of an upgrade. Remarks may hold secrets and are not part of it."""
    named = [f"{pack.id} {pack.version_now}".strip() for pack in (*plan.packs, plan.ruleset) if pack.is_other]
    return f"From here on the story goes by {', '.join(named)}."
