"""A turn that is thought to its end -> the Draft that is committed: messages, memory, result."""

from __future__ import annotations

from typing import Any

from lorewright.rules.actions import Action
from lorewright.rules.outcomes import EngineEvent, Resolution, Validation
from lorewright.turn.citations import citations
from lorewright.turn.draft import Draft, Head, Recorder, SceneLoreUse, Setting, Submission, turn_id_of
from lorewright.turn.messages import Message
from lorewright.turn.narration import Told
from lorewright.turn.records import NarratorInput, Unclear
from lorewright.turn.result import NEXT_PROMPT, Citation, TurnResult
from lorewright.turn.scope import suggestions
from lorewright.turn.views import TurnViews
from lorewright.turn.visibility import seen_by
from lorewright.world.apply import apply
from lorewright.world.ops import Recall
from lorewright.world.state import WorldState


def draft_of_question(
    head: Head,
    submission: Submission,
    recorder: Recorder,
    views: TurnViews,
    unclear: Unclear,
    validation: Validation,
) -> Draft:
    """A turn that asks back: the question is its result, its lines are what can be answered; the state is as before."""
    asked = Validation(clarification=validation.clarification)
    messages = _messages(head, submission, None, head.state)
    result = _result(
        head,
        submission,
        recorder,
        messages,
        head.state,
        final_text=unclear.question,
        options=unclear.lines,
        validation=asked,
    )
    return Draft(
        head=head,
        submission=submission,
        turn_id=result.turn_id,
        kind="clarification",
        ops=(),
        state=head.state,
        messages=messages,
        actions=(),
        validation=asked,
        records=tuple(recorder.records),
        result=result,
        scene_lore=_use(views, head.state, head.state),
    )


def draft_of_turn(
    head: Head,
    submission: Submission,
    setting: Setting,
    recorder: Recorder,
    views: TurnViews,
    actions: tuple[Action, ...],
    validation: Validation,
    resolution: Resolution,
    telling: Told,
    given: NarratorInput,
) -> Draft:
    """A turn that was played, with what its telling added; what the telling used is remembered on top."""
    told, after = telling.output, telling.state
    memory = tuple(Recall(key=key) for key in told.recall)
    # To remember a phrase fits every state.
    state = apply(after, memory).state
    messages = _messages(head, submission, told.final_text, after)
    result = _result(
        head,
        submission,
        recorder,
        messages,
        state,
        final_text=told.final_text,
        options=suggestions(state, views.heard_of(state), views.told_of(state), ruleset=setting.rules.ruleset),
        validation=validation,
        resolution=resolution,
        added=telling.events,
        cited=citations(told, given, setting.generations),
    )
    return Draft(
        head=head,
        submission=submission,
        turn_id=result.turn_id,
        kind="play",
        ops=(*resolution.ops, *telling.ops, *memory),
        state=state,
        messages=messages,
        actions=actions,
        validation=validation,
        records=tuple(recorder.records),
        result=result,
        scene_lore=_use(views, head.state, state),
    )


def _use(views: TurnViews, before: WorldState, after: WorldState) -> SceneLoreUse:
    """A turn used what was kept unless the scene that it began in or the one that it ended in was gathered whole."""
    scenes = {before.scene.id, after.scene.id}
    return SceneLoreUse(not scenes & views.cache.gathered, after.scene.id, views.cache.to_keep(after.scene.id))


def _messages(head: Head, submission: Submission, narration: str | None, after: WorldState) -> tuple[Message, ...]:
    """The marker of the last turn's move, the player's intention, the narration; who was there heard it."""
    before = head.state
    written: list[dict[str, Any]] = []
    if head.moved_from is not None:
        payload = {"from": head.moved_from, "to": before.scene.location_id}
        marker = {"owner": "system", "type": "scene_marker", "content": "", "subtype": "location_change"}
        written.append({**marker, "payload": payload})
    written.append({"owner": before.player_id, "type": "intention", "content": submission.text})
    if narration is not None:
        audience = tuple(dict.fromkeys((*before.present(), *after.present())))
        written.append({"owner": "narrator", "type": "narration", "content": narration, "audience": audience})
    turn_id = turn_id_of(head.campaign_id, head.turn_id, submission.action_id)
    return tuple(Message.model_validate({**one, "turn_id": turn_id, "seq": seq}) for seq, one in enumerate(written))


def _result(
    head: Head,
    submission: Submission,
    recorder: Recorder,
    messages: tuple[Message, ...],
    state: WorldState,
    *,
    final_text: str,
    options: tuple[str, ...],
    validation: Validation,
    resolution: Resolution | None = None,
    added: tuple[EngineEvent, ...] = (),
    cited: tuple[Citation, ...] = (),
) -> TurnResult:
    resolution = resolution or Resolution()
    return TurnResult(
        turn_no=head.turn_no + 1,
        turn_id=turn_id_of(head.campaign_id, head.turn_id, submission.action_id),
        messages=tuple(seen_by("player", messages, own_id=state.player_id)),
        final_text=final_text,
        next_prompt=NEXT_PROMPT if state.ended is None else "",
        suggested_actions=options,
        clarification_question=validation.clarification,
        citations=cited,
        engine_events=(*resolution.events, *added),
        validation=validation,
        rolls=resolution.rolls,
        clocks=state.clocks_shown(),
        tokens=recorder.tokens(),
    )
