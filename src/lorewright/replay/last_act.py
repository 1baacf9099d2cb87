"""The last turn again, without the last act of the cast in it: its stages answer as they did then, its dice fall as
they fell, and the character who acted last does not act.

It is computed while the turn still stands, and replaces it only when it is whole.
"""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from typing import Any

from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.errors import CampaignError, HeadMoved, LorewrightError
from lorewright.ids import canonical_json, content_hash
from lorewright.replay.recording import PromptsOfTurn, RecordedModel, RecordedTurn, head_at, recorded_turn
from lorewright.turn.run.pipeline import think
from lorewright.turn.run.rounds import ACTIVATE, VALIDATE
from lorewright.turn.stages.extract.stage import Extract
from lorewright.turn.stages.narrate.stage import Narrate
from lorewright.turn.stages.npc_intent.stage import Intend
from lorewright.turn.stages.stages import NO_RUNS, STAGES, MakeStages, Stages, make_stages
from lorewright.turn.store.turn_store import redo, undo
from lorewright.turn.views.draft import Draft, Recorder, Submission
from lorewright.values.records import SILENT, TurnListener

# Where one narration tells everybody's acts, it is made anew without the last, and so are its additions.
_TOLD_AT_ONCE = (Narrate.name, Extract.name)


async def without_last_act(
    campaign: OpenCampaign, *, builtin: bool = False, listener: TurnListener = SILENT, make: MakeStages = make_stages
) -> str:
    """Play the last turn again without the last act of the cast in it; return its TurnResult as canonical JSON.

    Models are asked nothing that they were asked then, and what another version of a built-in stage made is taken as it
    was recorded; but where one narration told all acts, it is made anew. With `builtin` that is done without a model.

    Raises:
        CampaignError: the last turn was not played, or nobody but the player acted in it.
        HeadMoved: another turn was committed meanwhile.
        ProviderError: the narrator could not be asked, or its output stayed invalid.
    Whatever is raised, the turn stands as it was.
    """
    store = campaign.store
    path = store.path(last=3)
    if len(path) < 2 or path[-1].kind != "play":
        raise CampaignError("the last turn was not played", hint="/undo takes it back")
    rows = store.turns(path[-1].turn_id, after=path[0].turn_id if len(path) == 3 else None)
    turn = recorded_turn(rows[1], store.stage_records(path[-1].turn_id))
    position = store.position()
    draft = await _think_again(campaign, rows[0], turn, builtin=builtin, listener=listener, make=make)
    if store.position() != position:
        raise HeadMoved("another turn was committed meanwhile", hint="look at the story, and say it again")
    undo(store)
    try:
        return store.commit(replace(draft, head=replace(draft.head, revision=store.position().revision)))
    except (LorewrightError, OSError):
        with suppress(CampaignError):
            redo(store)
        raise


async def _think_again(
    campaign: OpenCampaign,
    parent: Mapping[str, Any],
    turn: RecordedTurn,
    *,
    builtin: bool,
    listener: TurnListener,
    make: MakeStages,
) -> Draft:
    store = campaign.store
    before = store.submission(turn.turn_id)
    submission = _without(before, turn.records, store.position().revision)
    state = store.state_at(parent["turn_id"])
    head = head_at(store, parent, state, session_id=turn.session_id)
    now = make({}, None, NO_RUNS) if builtin else campaign.stages
    stages = _recorded_stages(now, turn, make, is_told_at_once=campaign.setting.rules.profile == "ensemble")
    recorder = Recorder()
    try:
        return await think(head, submission, campaign.setting, stages, recorder, listener)
    except LorewrightError as error:
        store.keep_attempt(head, submission, error, recorder.records)
        raise
    except CancelledError:
        store.keep_attempt(head, submission, CampaignError("it was stopped"), recorder.records)
        raise


def _without(before: Submission, records: Sequence[Mapping[str, Any]], revision: int) -> Submission:
    """Return the submission of the turn in which the last of those who acted does not, nor anybody who would follow
    them."""
    acted = sum(record["stage"] == VALIDATE for record in records)
    intended = [record["input"]["me"]["id"] for record in records if record["stage"] == Intend.name]
    if not acted:
        raise CampaignError("nobody but you acted in the last turn", hint="/undo takes back all of it")
    order = next((record["output"]["order"] for record in records if record["stage"] == ACTIVATE), intended)
    # Characters who had left before their turn came are in the order all the same.
    last = intended[acted - 1]
    name = content_hash(canonical_json([before.action_id, before.beside, revision]))[:16]
    return replace(
        before,
        action_id=f"undo-npc-{name}",
        npc_rounds=order.index(last),
        dice_of=before.dice_of or before.action_id,
    )


def _recorded_stages(now: Stages, turn: RecordedTurn, make: MakeStages, *, is_told_at_once: bool) -> Stages:
    """Return the stages that answer as they did then; those that narrate everything at once are the current ones."""
    asked = [stage for stage in STAGES if stage in turn.asked()]
    recorded = make(
        {
            stage: RecordedModel(stage, [record for record in turn.records if record["stage"] == stage])
            for stage in asked
        },
        PromptsOfTurn({}, turn.records),
        turn.runs(),
    )
    if not is_told_at_once:
        return recorded
    anew = {
        stage.name: getattr(now, stage.name) for stage in fields(now) if getattr(now, stage.name).name in _TOLD_AT_ONCE
    }
    return replace(recorded, **anew)
