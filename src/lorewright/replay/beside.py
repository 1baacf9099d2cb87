"""A turn that was thought again, beside its record -> all that differs, and the figures of both."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lorewright.errors import LorewrightError
from lorewright.replay.comparing import Difference, stage_differences, turn_differences
from lorewright.replay.figures import PlayedTurn, figures_of, narration_of
from lorewright.replay.recording import RecordedTurn
from lorewright.replay.replayed import TurnReplay
from lorewright.turn.store.rows import prompt_shown
from lorewright.turn.views.draft import Draft, StageRecord
from lorewright.world.state import WorldState
from lorewright.world.state_diff import StateDiff, state_diff


@dataclass(frozen=True, slots=True)
class CameOut:
    """How a turn came out: its draft, the state after it as it would be read, and its result as JSON has it. `anew` are
    the stages that did not answer as recorded."""

    draft: Draft
    state: WorldState
    result: Mapping[str, Any]
    anew: Mapping[str, str]


def replay_of(turn: RecordedTurn, played: PlayedTurn, after: WorldState, diff: StateDiff, now: CameOut) -> TurnReplay:
    """The comparison. `played` is the recorded turn with what it was thought from, `after` the state that it led to and
    `diff` what it changed."""
    told, text = narration_of(turn.result), narration_of(now.result)
    state_hash = now.state.content_hash()
    is_same = state_hash == turn.state_hash
    of_stages = tuple(stage_differences(turn.records, now.draft.records))
    of_turn = turn_differences(
        turn, kind=now.draft.kind, state_hash=state_hash, narration=text, told=told, result=now.result
    )
    given_otherwise = {one.stage for one in of_stages if one.aspect == "input"}
    return TurnReplay(
        **_of(turn),
        text=text,
        differences=(*of_stages, *of_turn),
        anew=now.anew,
        stale=tuple(stage for stage in turn.asked() if stage in given_otherwise and stage not in now.anew),
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
    """A turn that no stage made: `state` is what its ops led to now, `after` what they led to then."""
    note = f"of the kind {turn.kind}, which no stage makes: its changes are taken over as they were recorded"
    state_hash = state.content_hash()
    is_same = state_hash == turn.state_hash
    return TurnReplay(
        **_of(turn),
        text=narration_of(turn.result),
        note=note if fits else f"{note}; they do not fit the replayed state, which stays as it is",
        differences=() if is_same else (Difference("state", "", "", turn.state_hash[:16], state_hash[:16]),),
        state_hash=state_hash,
        state_json=state.to_json(),
        same_truth=is_same or state.truth_hash() == after.truth_hash(),
        recorded_diff=None if is_same else diff,
    )


def failed(
    turn: RecordedTurn, records: Sequence[StageRecord], anew: Mapping[str, str], error: LorewrightError
) -> TurnReplay:
    """A turn that came to nothing: how far its stages came, and why they came no further."""
    reached = [one for one in stage_differences(turn.records, records) if one.aspect != "missing"]
    told = f"{error.code}: {error.message}"
    last = records[-1] if records else None
    if last is not None and last.output_json == "null" and last.stage not in anew:
        told += f" (the {last.stage} answered as recorded; to have it answer anew: --model {last.stage}=KEY)"
    return TurnReplay(**_of(turn), differences=tuple(reached), anew=anew, error=told)


def _of(turn: RecordedTurn) -> dict[str, Any]:
    """What a replay repeats of the record."""
    return {
        "turn_no": turn.turn_no,
        "turn_id": turn.turn_id,
        "kind": turn.kind,
        "player_text": turn.player_text,
        "recorded_text": narration_of(turn.result),
        "recorded_hash": turn.state_hash,
        "recorded_rolls": turn.rolls,
    }


def _records(turn: RecordedTurn, now: CameOut) -> list[dict[str, Any]]:
    """The stages' records as they are stored. Who answered as recorded was not asked: what that cost, and how much of
    the prompt it was, is what was recorded."""
    left = {stage: [one for one in turn.records if one["stage"] == stage] for stage in turn.asked()}
    shown = []
    for record in now.draft.records:
        then = left.get(record.stage, [])
        was = then.pop(0) if then and record.calls and record.stage not in now.anew else None
        shown.append(_shown(record) | ({} if was is None else {key: was[key] for key in ("calls", "prompt")}))
    return shown


def _shown(record: StageRecord) -> dict[str, Any]:
    return {
        "stage": record.stage,
        "model_key": record.model_key,
        "provider": record.provider,
        "input": json.loads(record.input_json),
        "output": json.loads(record.output_json),
        "prompt": prompt_shown(record),
        "calls": [call.shown() for call in record.calls],
    }
