"""One turn after the other: its beginning as it was, and the stages that think it again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.history import (
    Histories,
    free_name,
    history_records,
    language_of,
    summaries,
    with_later_ids,
)
from lorewright.errors import LorewrightError
from lorewright.index.generation import Generation, oldest_reading
from lorewright.index.history import HistoryRecord, history_generation
from lorewright.replay.comparing import Difference, TurnReplay, stage_differences, turn_differences
from lorewright.replay.figures import PlayedTurn, figures_of, narration_of
from lorewright.replay.recording import (
    OtherVersion,
    RecordedDice,
    RecordedTurn,
    ReplayModels,
    ReplayStages,
    head_at,
    other_versions,
    recorded_turn,
)
from lorewright.rules.dice import Dice, SeededDice
from lorewright.rules.patch import Resolution
from lorewright.storage.heads import ancestor
from lorewright.turn.run.pipeline import think
from lorewright.turn.stages.stage import FIRST_VERSION
from lorewright.turn.store.rows import LaterIds, later_ids, prompt_shown
from lorewright.turn.store.store import CampaignStore
from lorewright.turn.views.draft import Draft, Head, Recorder, Setting, StageRecord
from lorewright.turn.views.leaks import RecordedLeakCheck
from lorewright.values.entries import markers_of, options_of
from lorewright.values.records import CampaignRow, Message
from lorewright.world.state import WorldState
from lorewright.world.state_diff import StateDiff, state_diff

# The comparison of a replayed turn with its record: all differences, and the figures of both.


@dataclass(frozen=True, slots=True)
class ReplayedTurn:
    """The result of a replayed turn: its draft, the state after it as it would be read, and its result as JSON has it.
    `cast` are the stages that made it."""

    draft: Draft
    state: WorldState
    result: Mapping[str, Any]
    cast: ReplayStages

    @property
    def anew(self) -> Mapping[str, str]:
        """Return the stages that did not answer as recorded, with the keys of their models."""
        return self.cast.anew


def replay_of(
    turn: RecordedTurn, played: PlayedTurn, after: WorldState, diff: StateDiff, now: ReplayedTurn
) -> TurnReplay:
    """Return the comparison. `played` is the recorded turn with its inputs, `after` the state that it led to and `diff`
    what it changed."""
    told, text = narration_of(turn.result), narration_of(now.result)
    state_hash = now.state.content_hash()
    is_same = state_hash == turn.state_hash
    of_stages = tuple(stage_differences(turn.records, now.draft.records))
    of_turn = turn_differences(
        turn, kind=now.draft.kind, state_hash=state_hash, narration=text, told=told, result=now.result
    )
    given_otherwise = {of_stage.stage for of_stage in of_stages if of_stage.aspect == "input"}
    taken = taken_of(now.draft.records, now.cast.versions)
    as_recorded = dict.fromkeys((*turn.asked(), *(other.stage for other in taken)))
    return TurnReplay(
        **_fields_of(turn),
        text=text,
        differences=(*of_stages, *of_turn),
        anew=now.anew,
        stale=tuple(stage for stage in as_recorded if stage in given_otherwise and stage not in now.anew),
        taken=taken,
        rethought=now.cast.rethought,
        state_hash=state_hash,
        state_json=now.state.to_json(),
        same_truth=is_same or now.state.truth_hash() == after.truth_hash(),
        recorded_diff=None if is_same else diff,
        diff=None if is_same else state_diff(now.draft.ops),
        rolls=now.draft.result.rolls,
        result=now.draft.result,
        recorded_figures=figures_of(played),
        figures=figures_of(
            replace(
                played,
                kind=now.draft.kind,
                lore_cached=now.draft.scene_lore.cached,
                scene=now.state.scene.id,
                result=now.result,
                records=_records(turn, now),
                before=now.draft.head.state,
            )
        ),
    )


def taken_over(turn: RecordedTurn, state: WorldState, after: WorldState, diff: StateDiff, *, fits: bool) -> TurnReplay:
    """Return the comparison of a turn that no stage made: `state` is what its ops led to now, `after` what they led to
    then."""
    note = f"of the kind {turn.kind}, which no stage makes: its changes are taken over as they were recorded"
    state_hash = state.content_hash()
    is_same = state_hash == turn.state_hash
    return TurnReplay(
        **_fields_of(turn),
        text=narration_of(turn.result),
        note=note if fits else f"{note}; they do not fit the replayed state, which stays as it is",
        differences=() if is_same else (Difference("state", "", "", turn.state_hash[:16], state_hash[:16]),),
        state_hash=state_hash,
        state_json=state.to_json(),
        same_truth=is_same or state.truth_hash() == after.truth_hash(),
        recorded_diff=None if is_same else diff,
    )


def _with_suggestions_of_then(turn: RecordedTurn, now: ReplayedTurn) -> ReplayedTurn:
    """Return a replayed turn with the suggestions as they were recorded where another version of a built-in stage made
    the turn and nothing else came out otherwise: the lines that are offered follow the version too."""
    is_same = now.state.content_hash() == turn.state_hash and not now.anew and not now.cast.rethought
    if not is_same or not taken_of(now.draft.records, now.cast.versions):
        return now
    return replace(now, result={**now.result, "suggested_actions": turn.result["suggested_actions"]})


def taken_of(records: Sequence[StageRecord], present: Mapping[str, int]) -> tuple[OtherVersion, ...]:
    """Return the runs of built-in stages, of a replayed turn, that another version than the present one made."""
    made = [record for record in records if record.stage in present and not record.calls]
    return other_versions(((record.stage, record.builtin_version or FIRST_VERSION) for record in made), present)


def failed(
    turn: RecordedTurn, records: Sequence[StageRecord], cast: ReplayStages, error: LorewrightError
) -> TurnReplay:
    """Return the comparison of a turn that failed: how far its stages came, and why they came no further."""
    reached = [
        stage_difference
        for stage_difference in stage_differences(turn.records, records)
        if stage_difference.aspect != "missing"
    ]
    told = f"{error.code}: {error.message}"
    last = records[-1] if records else None
    if last is not None and last.output_json == "null" and last.stage not in cast.anew:
        told += f" (the {last.stage} answered as recorded; to have it answer anew: --model {last.stage}=KEY)"
    return TurnReplay(
        **_fields_of(turn),
        differences=tuple(reached),
        anew=cast.anew,
        taken=taken_of(records, cast.versions),
        rethought=cast.rethought,
        error=told,
    )


def _fields_of(turn: RecordedTurn) -> dict[str, Any]:
    """Return the fields that a replay repeats from the record."""
    return {
        "turn_no": turn.turn_no,
        "turn_id": turn.turn_id,
        "kind": turn.kind,
        "player_text": turn.player_text,
        "recorded_text": narration_of(turn.result),
        "recorded_hash": turn.state_hash,
        "recorded_rolls": turn.rolls,
    }


def _records(turn: RecordedTurn, now: ReplayedTurn) -> list[dict[str, Any]]:
    """Return the stages' records as they are stored. A model that answered as recorded was not asked: its costs and the
    sizes of its prompt are the recorded ones."""
    left = {stage: [record for record in turn.records if record["stage"] == stage] for stage in turn.asked()}
    shown = []
    for record in now.draft.records:
        then = left.get(record.stage, [])
        was = then.pop(0) if then and record.calls and record.stage not in now.anew else None
        shown.append(_record_as_dict(record) | ({} if was is None else {key: was[key] for key in ("calls", "prompt")}))
    return shown


def _record_as_dict(record: StageRecord) -> dict[str, Any]:
    return {
        "stage": record.stage,
        "model_key": record.model_key,
        "provider": record.provider,
        "input": json.loads(record.input_json),
        "output": json.loads(record.output_json),
        "prompt": prompt_shown(record),
        "calls": [call.shown() for call in record.calls],
        "builtin_version": record.builtin_version,
    }


# What the player saw happen before a replayed turn: as it was recorded, and for turns that came out otherwise, as they
# did.

# The history records of turns that came out otherwise, by turn ID. Turns keep their IDs in a replay.
Otherwise = Mapping[str, tuple[HistoryRecord, ...]]


class ReplayedHistory:
    """The history of one setting. Turns that came out otherwise do not get into the index of the campaign's history."""

    def __init__(self, histories: Histories, store: CampaignStore, setting: Setting, otherwise: Otherwise) -> None:
        """Take the history; `otherwise` may grow while this is used."""
        self._histories = histories
        self._store = store
        self._setting = setting
        self._otherwise = otherwise

    @contextmanager
    def before(self, head: Head, leave_out: int) -> Iterator[tuple[Generation, ...]]:
        """Yield what the player saw happen until so many turns before a head."""
        last = ancestor(self._store.database, head.turn_id, back=leave_out) if self._otherwise else None
        turns = [] if last is None else self._store.turns(last)
        if all(turn["turn_id"] not in self._otherwise for turn in turns):
            with self._setting.history(head, leave_out) as recorded:
                yield recorded
            return
        told = summaries(self._store, turns)
        generations = self._setting.generations
        records = {
            key: (*self._otherwise[key.turn_id], *told.get(key.turn_id, ()))
            if key.turn_id in self._otherwise
            else recorded
            for key, recorded in self._histories.records(self._store, turns).items()
        }
        generation = history_generation(
            with_later_ids(records, later_ids(self._store.database, head.turn_id)),
            name=free_name(self._store.campaign_id, generations),
            witness=head.state.player_id,
            language=language_of(generations),
            reading=oldest_reading(generations),
            vectors=self._histories.vectors,
        )
        try:
            yield (generation,)
        finally:
            generation.close()


def records_of_draft(draft: Draft, after: WorldState) -> tuple[HistoryRecord, ...]:
    """Return the history records of a turn from its draft; `after` is the state that it led to."""
    resolved = [json.loads(record.output_json) for record in draft.records if record.stage == "resolve"]
    resolution = Resolution.model_validate(resolved[-1]) if resolved and resolved[-1] else Resolution()
    return history_records(draft.head.state, after, resolution, list(draft.messages))


# The turns, played again.


@dataclass(frozen=True, slots=True)
class _Carried:
    """The result of the turns so far: the state after the last one, its result, and the messages of each."""

    state: WorldState
    result: dict[str, Any]
    messages: Mapping[str, tuple[Message, ...]] = field(default_factory=dict)


class Rerun:
    """Replays turns of one campaign, in the order of its path; the stack closes what that opens."""

    def __init__(
        self,
        campaigns: Campaigns,
        histories: Histories,
        store: CampaignStore,
        stack: ExitStack,
        stage_models: ReplayModels,
        *,
        reroll: bool,
        each: bool,
        seed: int | None = None,
    ) -> None:
        self._campaigns = campaigns
        self._histories = histories
        self._store = store
        self._stack = stack
        self._stage_models = stage_models
        self._reroll = reroll or seed is not None
        self._seed = seed
        self._each = each
        self._settings: dict[tuple[str | None, tuple[str, ...]], tuple[CampaignRow, Setting]] = {}
        self._otherwise: dict[str, tuple[HistoryRecord, ...]] = {}
        self._scene_lore: dict[str, str] = {}
        # The last recorded turn, by ID, and the state after it.
        self._recorded: tuple[str, WorldState] | None = None
        self._carried: _Carried | None = None

    async def turn(self, parent: Mapping[str, Any], row: Mapping[str, Any]) -> TurnReplay:
        """Replay the turn that followed a parent; both are as `CampaignStore.turns` gives them."""
        parent_id = parent["turn_id"]
        turn = recorded_turn(row, self._store.stage_records(row["turn_id"]))
        before = self._recorded_before(parent_id)
        after = self._store.state_after(before, turn.turn_id)
        self._recorded = (turn.turn_id, after)
        if not turn.is_thought:
            return self._taken_over(turn, before, after)
        campaign, setting = self._setting(parent_id, turn.by_words)
        head = self._head_before(parent, turn, before)
        cast = self._stage_models.cast(turn)
        recorder = Recorder()
        try:
            draft = await think(
                head,
                self._store.submission(turn.turn_id),
                replace(
                    setting,
                    dice=self._dice_for(turn),
                    leaks=RecordedLeakCheck(turn.refusals),
                    renews_narrated=turn.renews_narrated,
                    code_version=turn.code_version,
                    lore=turn.lore,
                ),
                cast.stages,
                recorder,
            )
        except LorewrightError as error:
            return failed(turn, recorder.records, cast, error)
        now = ReplayedTurn(draft, draft.state.as_read_after(head.state), draft.result.model_dump(mode="json"), cast)
        now = _with_suggestions_of_then(turn, now)
        played = _played(turn, campaign, before, after)
        replayed = replay_of(turn, played, after, self._store.state_diff(turn.turn_id), now)
        self._go_on(draft, now, is_identical=replayed.is_identical)
        return replayed

    def _recorded_before(self, parent_id: str) -> WorldState:
        if self._recorded is not None and self._recorded[0] == parent_id:
            return self._recorded[1]
        return self._store.state_at(parent_id)

    def _taken_over(self, turn: RecordedTurn, before: WorldState, after: WorldState) -> TurnReplay:
        diff = self._store.state_diff(turn.turn_id)
        if self._carried is None:
            return taken_over(turn, after, after, diff, fits=True)
        state = self._store.state_after(self._carried.state, turn.turn_id)
        # Ops that do not fit leave the state unchanged.
        fits = state is not self._carried.state or after is before
        self._carried = _Carried(state, dict(turn.result), self._carried.messages)
        return taken_over(turn, state, after, diff, fits=fits)

    def _head_before(self, parent: Mapping[str, Any], turn: RecordedTurn, before: WorldState) -> Head:
        """Return the head as it was then, with the replayed turns so far in place of the recorded ones."""
        head = head_at(self._store, parent, before, session_id=turn.session_id)
        if self._carried is not None:
            head = replace(
                head,
                state=self._carried.state,
                options=options_of(self._carried.result),
                markers=markers_of(self._carried.result),
                recent=_recent_messages(
                    head, self._carried.messages, later_ids(self._store.database, parent["turn_id"])
                ),
            )
        kept = self._scene_lore.get(head.state.scene.id)
        return replace(head, scene_lore=() if kept is None else (kept,))

    def _setting(self, parent_id: str, by_words: tuple[str, ...]) -> tuple[CampaignRow, Setting]:
        """Return the setting while a turn was the head; the packs `by_words` had no vectors yet."""
        key = (self._store.upgrade_id(parent_id), by_words)
        if key not in self._settings:
            row, setting = self._campaigns.as_of(self._store, parent_id, self._stack, by_words=by_words)
            history = ReplayedHistory(self._histories, self._store, setting, self._otherwise)
            self._settings[key] = (row, replace(setting, history=history.before, by_words=by_words))
        return self._settings[key]

    def _dice_for(self, turn: RecordedTurn) -> Callable[[int, str, str], Dice]:
        def dice(seed: int, state_hash: str, action_id: str) -> Dice:
            thrown = SeededDice(seed if self._seed is None else self._seed, state_hash, action_id)
            return thrown if self._reroll else RecordedDice(turn.rolls, thrown)

        return dice

    def _go_on(self, draft: Draft, now: ReplayedTurn, *, is_identical: bool) -> None:
        """Remember what the next turn begins with."""
        if self._each:
            return
        if draft.scene_lore.to_keep is not None:
            self._scene_lore[draft.scene_lore.scene_id] = draft.scene_lore.to_keep
        messages = {} if self._carried is None else self._carried.messages
        self._carried = _Carried(now.state, dict(now.result), {**messages, draft.turn_id: draft.messages})
        if not is_identical:
            self._otherwise[draft.turn_id] = records_of_draft(draft, now.state)


def _recent_messages(
    head: Head, replayed: Mapping[str, tuple[Message, ...]], later: LaterIds
) -> tuple[tuple[int, Message], ...]:
    """Return the last messages, with those of replayed turns instead of the recorded ones."""
    recent: list[tuple[int, Message]] = []
    told: set[str] = set()
    for turn_no, message in head.recent:
        if message.turn_id not in replayed:
            recent.append((turn_no, message))
        elif message.turn_id not in told:
            told.add(message.turn_id)
            recent += [(turn_no, later.of_message(turn_no, anew)) for anew in replayed[message.turn_id]]
    return tuple(recent)


def _played(turn: RecordedTurn, campaign: CampaignRow, before: WorldState, after: WorldState) -> PlayedTurn:
    return PlayedTurn(
        turn_no=turn.turn_no,
        turn_id=turn.turn_id,
        kind=turn.kind,
        session_id=turn.session_id,
        lore_cached=turn.lore_cached,
        scene=after.scene.id,
        result=turn.result,
        records=turn.records,
        before=before,
        rules=campaign.rules,
        packs=frozenset(pin.pack_id for pin in campaign.pins),
    )
