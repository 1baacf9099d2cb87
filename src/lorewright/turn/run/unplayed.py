"""A turn that nobody plays (an upgrade, an edit) -> the Draft that is committed.

The story stands still in it. Where the turn before it led to another place, the marker of that is written here, with
which the next turn would have begun."""

from __future__ import annotations

from lorewright.rules.outcomes import EngineEvent, Validation
from lorewright.turn.views.draft import (
    Draft,
    Head,
    SceneLoreUse,
    StageRecord,
    Submission,
    TurnKind,
    Upgrade,
    turn_id_of,
)
from lorewright.turn.views.stream import TurnStream
from lorewright.turn.views.visibility import seen_by
from lorewright.values.kept import NOTHING_KEPT, Kept
from lorewright.values.messages import Message
from lorewright.values.result import NEXT_PROMPT, TurnResult
from lorewright.world.ops import StateOp
from lorewright.world.state import WorldState


def draft_of_no_play(
    head: Head,
    submission: Submission,
    *,
    kind: TurnKind,
    ops: tuple[StateOp, ...],
    state: WorldState,
    record: StageRecord,
    final_text: str,
    options: tuple[str, ...],
    narration: str = "",
    events: tuple[EngineEvent, ...] = (),
    upgrade: Upgrade | None = None,
    closed: bool = False,
    kept: Kept = NOTHING_KEPT,
) -> Draft:
    """The draft of a turn that changes the state by `ops` to `state`. `narration`, where there is any, is told to those
    who are there then; `options` are the lines that are offered; `closed` says that the scene was closed in it."""
    turn_id = turn_id_of(head.campaign_id, head.turn_id, submission.action_id)
    messages = _messages(head, turn_id, narration, state, closed=closed)
    result = TurnResult.of_no_play(
        turn_no=head.turn_no + 1,
        turn_id=turn_id,
        final_text=final_text,
        next_prompt=NEXT_PROMPT if state.ended is None else "",
        suggested_actions=options,
        clocks=state.clocks_shown(),
        messages=tuple(seen_by("player", messages, own_id=state.player_id)),
    ).model_copy(update={"engine_events": events})
    return Draft(
        head=head,
        submission=submission,
        turn_id=turn_id,
        kind=kind,
        ops=ops,
        state=state,
        messages=messages,
        actions=(),
        validation=Validation(),
        records=(record,),
        result=result,
        scene_lore=SceneLoreUse(None, state.scene.id),
        upgrade=upgrade,
        kept=kept,
    )


def _messages(head: Head, turn_id: str, narration: str, state: WorldState, *, closed: bool) -> tuple[Message, ...]:
    stream = TurnStream(head, turn_id)
    stream.open()
    if closed:
        stream.add("system", "scene_marker", "", subtype="scene_close", payload={"at": head.state.scene.location_id})
    if narration:
        stream.add("narrator", "narration", narration, audience=state.present())
    return stream.messages
