"""StateOps from outside -> a committed turn of the kind `edit`: a game master's change, a tool call, a review.

It is a turn like others: it is guarded by head and revision, known by its action ID, replayed by its ops, undone and
redone. Nobody plays in it, nothing is rolled, no model is asked. Consequences that the rules attach to a change do
follow (a clock that reaches a mark, timers, a threat that falls due, an ending); they are told in the scenario's own
sentences if it has any.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lorewright.errors import CampaignError, EditRefused, HeadMoved
from lorewright.ids import canonical_json, is_id
from lorewright.rules.checks import run_timers
from lorewright.rules.consequences import reach_ending, trigger_clocks
from lorewright.rules.patch import Patch, Validation
from lorewright.rules.resolve import describe_hardships, finish_inquiries, run_out
from lorewright.rules.rulesets import CampaignRules
from lorewright.turn.checks.tools import write
from lorewright.turn.run.suggestions import options_at
from lorewright.turn.store.rows import OPS
from lorewright.turn.store.turn_store import TurnStore
from lorewright.turn.views.draft import (
    Draft,
    Head,
    SceneLoreUse,
    Setting,
    StageRecord,
    Submission,
    TurnKind,
    Upgrade,
    turn_id_of,
)
from lorewright.turn.views.point import TurnPoint, TurnStream
from lorewright.turn.views.story import seen_by
from lorewright.turn.views.views import TurnViews
from lorewright.values.annotations import NO_ANNOTATIONS, Annotations
from lorewright.values.entries import SKIPPED_MINUTES
from lorewright.values.records import NEXT_PROMPT, Message, TurnResult
from lorewright.world import ops as o
from lorewright.world.changes import minutes_passed
from lorewright.world.events import EngineEvent, SceneClosed, TimeSkipped
from lorewright.world.ops import StateOp
from lorewright.world.state import OFFSTAGE, WorldState

# A turn that nobody plays (an upgrade, an edit) -> the Draft that is committed. If the turn before it led to another
# place, the marker of that, which the next turn would have begun with, is written here.


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
    kept: Annotations = NO_ANNOTATIONS,
) -> Draft:
    """Return the draft of a turn that changes the state by `ops` to `state`. `narration`, if any, is told to those who
    are there then; `options` are the lines that are offered; `closed` says that the scene was closed in it."""
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
    stream = TurnStream.after(head, turn_id).with_markers(head.markers)
    if closed:
        at = {"at": head.state.scene.location_id}
        stream = stream.with_message("system", "scene_marker", "", subtype="scene_close", payload=at)
    if narration:
        stream = stream.with_message("narrator", "narration", narration, audience=state.present())
    return stream.messages


# Ops from outside -> a committed turn of the kind `edit`.

STAGE = "edit"

MOST_OPS = 200
# The most characters of JSON: all of it is stored, much of it in every later state.
MOST_TEXT = 100_000
# The most minutes that one op may let pass, some two years: every clock and threat of the world ticks in between.
MOST_MINUTES = 1_000_000

# Thinking an edit again is cheap, so it is tried again while others play.
_RETRIES = 20

# The hint for each reason.
HINTS = {
    "unknown_entity": "name an entity of the campaign by its ID",
    "unknown_place": "name a place of the campaign by its ID; a new person needs one in `at`",
    "unknown_item": "name a thing of the campaign by its ID; add a new thing with entity_add first",
    "unknown_lore_item": "name an item of the campaign's packs, as in pack:entity:section#name",
    "unknown_clock": "name one of the campaign's clocks",
    "unknown_thread": "name one of the campaign's threads",
    "unknown_fact": "name the ID of an established fact; add a new fact with fact_add",
    "unknown_ending": "name one of the scenario's endings",
    "unknown_threat": "name one of the scenario's threats",
    "unknown_situation": "name one of the situations of the ruleset or the scenario",
    "not_enough": "the owner does not have so many",
    "already_exists": "the ID is in use: change what has it, or use another ID",
    "door_locked": "unlock it first, with a door op",
    "bookkeeping": "ops of this kind are reserved for the engine",
    "player_elsewhere": "a scene is where the player is: move the player, and the scene follows",
    "player_offstage": "move the player to a place of the campaign: the player cannot be offstage",
    "not_of_the_campaign": "give a new entity an ID of the campaign, as in CAMPAIGN:name, and no pack",
    "one_player": "the campaign has a player already",
    "too_long_a_time": f"let at most {MOST_MINUTES} minutes pass in one op",
}


def edit(
    store: TurnStore,
    ops: Sequence[o.StateOp],
    *,
    action_id: str,
    setting: Setting,
    by: str = "gm",
    note: str = "",
    revision: int | None = None,
    kept: Annotations = NO_ANNOTATIONS,
) -> str:
    """Change the world by ops, all of them in one turn or none; return its TurnResult as canonical JSON.

    The same action ID with the same ops returns the stored bytes and changes nothing. `by` and `note` say who asked and
    why; they stand in the turn's record, which no player sees. With `revision` the change is only made to a head that
    is still the one which was read. `kept` are the turn's annotations, such as the decision about a review: with it
    there may be no ops at all.

    Raises:
        EditRefused: an op does not fit, is not allowed from outside, or would leave the player in no scene; or there is
            nothing to do.
        ActionIdReused: the action ID is known with other ops, or with words.
        TurnUndone: the action ID's turn was taken back.
        HeadMoved: the head is not of that `revision`, or others were faster again and again.
        CampaignError: the story has ended.
    Whatever is raised, nothing was changed.
    """
    ops = tuple(ops)
    submission = submission_of(ops, action_id, kept)
    for _ in range(_RETRIES):
        stored = store.stored_result(submission)
        if stored is not None:
            return stored
        head = store.head()
        if revision is not None and head.revision != revision:
            raise HeadMoved(
                f"the campaign is at revision {head.revision}, not {revision}",
                hint="read the state again, then change it",
            )
        if head.upgrade_id != setting.upgrade_id:
            raise HeadMoved("the campaign uses other rules or packs since it was opened", hint="open it again")
        draft = draft_of_edit(head, ops, submission, setting, by=by, note=note, kept=kept)
        try:
            return store.commit(draft)
        except HeadMoved:
            if revision is not None:
                raise
    raise HeadMoved("other turns were committed again and again", hint="try it again")


def submission_of(ops: tuple[o.StateOp, ...], action_id: str, kept: Annotations = NO_ANNOTATIONS) -> Submission:
    """Return the submission of an edit, whose body are its ops in place of words."""
    return Submission("", action_id, body=_request_json(ops, kept))


def _request_json(ops: tuple[o.StateOp, ...], kept: Annotations) -> str:
    """Return the JSON by which an action ID's edit is recognised: the ops, and the annotations if there are any. `by`
    and `note` are not in it, so that they may differ when it is sent again."""
    ops_json = OPS.dump_python(ops, mode="json")
    return canonical_json(
        ops_json if kept == NO_ANNOTATIONS else {"ops": ops_json, "kept": kept.model_dump(mode="json")}
    )


def draft_of_edit(
    head: Head,
    ops: tuple[o.StateOp, ...],
    submission: Submission,
    setting: Setting,
    *,
    by: str,
    note: str,
    kept: Annotations = NO_ANNOTATIONS,
) -> Draft:
    """Return the draft of an edit upon a head; nothing is written.

    Raises:
        EditRefused: an op does not fit.
        CampaignError: the story has ended.
    """
    if head.state.ended is not None:
        raise CampaignError("the story has ended", hint="take the last turn back first")
    patch = Patch(head.state, turn_no=head.turn_no + 1)
    if not ops and kept == NO_ANNOTATIONS:
        raise EditRefused("there is nothing to change", hint="give at least one op", reason="nothing_to_change")
    said = _apply_changes(patch, ops, head, setting)
    followed = OPS.dump_python(tuple(patch.ops[len(ops) :]), mode="json")
    narration = " ".join(said)
    closed = _is_scene_closed(head.state, ops)
    return draft_of_no_play(
        head,
        submission,
        kind="edit",
        ops=tuple(patch.ops),
        state=patch.state,
        record=StageRecord(
            STAGE,
            # `db check` compares it with the hash of the action ID's request.
            _request_json(ops, kept),
            canonical_json({"by": by, "note": note, "followed": followed}),
        ),
        final_text=narration,
        options=_options(head, patch.state, submission, setting),
        narration=narration,
        events=(*patch.events, *_boundary_events(head.state, patch.state, closed=closed)),
        closed=closed,
        kept=kept,
    )


def _is_scene_closed(state: WorldState, ops: tuple[o.StateOp, ...]) -> bool:
    """Return True if the scene is closed and another one opens in the same place."""
    opened = [op.location_id for op in ops if isinstance(op, o.OpenScene)]
    return bool(opened) and opened[0] == state.scene.location_id


def _boundary_events(before: WorldState, after: WorldState, *, closed: bool) -> Iterator[EngineEvent]:
    """Yield the events that the next turn is to tell of: that a scene was closed, and the time that was skipped."""
    minutes = minutes_passed(before, after)
    if closed:
        yield SceneClosed(at=before.scene.location_id)
    if (closed and minutes) or minutes >= SKIPPED_MINUTES:
        yield TimeSkipped(minutes=minutes)


def _apply_changes(patch: Patch, ops: tuple[o.StateOp, ...], head: Head, setting: Setting) -> list[str]:
    """Do the ops and their consequences; return the sentences that are to be told."""
    before, rules = patch.state, setting.rules
    _check_allowed(ops, head, setting)
    refusal = write(patch, ops, by="outside", ruleset=rules.ruleset)
    if refusal is not None:
        raise _refusal_of(ops, refusal.index, refusal.reason, refusal.field)
    for index, op in enumerate(ops):
        if isinstance(op, o.AddFact) and op.fact.subject_id not in patch.state.entities:
            raise _refusal_of(ops, index, "unknown_entity")
    _keep_the_scene_with_the_player(patch, ops)
    if patch.state.ended is not None:
        return _ending(patch, rules)
    run_timers(patch, before, rules)
    trigger_clocks(patch, before, rules)
    by_now = patch.state
    said = [
        *run_out(patch, rules),
        *finish_inquiries(patch, before, rules),
        *describe_hardships(before, patch.state, rules),
    ]
    trigger_clocks(patch, by_now, rules)
    reach_ending(patch, rules)
    return [*said, *_ending(patch, rules)]


def _ending(patch: Patch, rules: CampaignRules) -> list[str]:
    ending = None if patch.state.ended is None else rules.ending(patch.state.ended)
    return [] if ending is None else [ending.say]


def _keep_the_scene_with_the_player(patch: Patch, ops: tuple[o.StateOp, ...]) -> None:
    """Move the scene to the player's place, as in play; raise `EditRefused` if that is not possible."""
    state = patch.state
    place = state.positions.get(state.player_id, OFFSTAGE)
    if place == OFFSTAGE:
        raise _refusal_of(ops, _last(ops, "move"), "player_offstage")
    if place == state.scene.location_id:
        return
    if any(isinstance(op, o.OpenScene) for op in ops):
        raise _refusal_of(ops, _last(ops, "open_scene"), "player_elsewhere")
    patch.do(o.OpenScene(location_id=place))


def _last(ops: tuple[o.StateOp, ...], kind: str) -> int:
    return max((index for index, op in enumerate(ops) if op.op == kind), default=0)


def _check_allowed(ops: tuple[o.StateOp, ...], head: Head, setting: Setting) -> None:
    """Refuse ops that `apply` cannot judge, because packs and rules are not in the state."""
    if len(ops) > MOST_OPS:
        raise EditRefused(
            f"{len(ops)} ops are too many for one turn", hint=f"give at most {MOST_OPS}", reason="too_many"
        )
    if len(_request_json(ops, NO_ANNOTATIONS)) > MOST_TEXT:
        raise EditRefused(
            "that is too much text for one turn",
            hint=f"give at most {MOST_TEXT} characters of ops",
            reason="too_long",
        )
    for index, op in enumerate(ops):
        reason = _reason_not_allowed(op, head, setting)
        if reason is not None:
            raise _refusal_of(ops, index, reason)


def _reason_not_allowed(op: o.StateOp, head: Head, setting: Setting) -> str | None:
    rules = setting.rules
    match op:
        case o.RevealItem():
            known = any(generation.item(op.item_id) is not None for generation in setting.generations)
            return None if known else "unknown_lore_item"
        case o.EndCampaign():
            return None if rules.ending(op.ending_id) is not None else "unknown_ending"
        case o.Announce():
            return None if op.threat_id in rules.threats else "unknown_threat"
        case o.BeginSituation():
            return None if op.situation_id in rules.ruleset.situations else "unknown_situation"
        case o.AddEntity():
            return _reason_not_added(op, head)
        case o.AdvanceTime():
            return None if op.minutes <= MOST_MINUTES else "too_long_a_time"
        case _:
            return None


def _reason_not_added(op: o.AddEntity, head: Head) -> str | None:
    """Return the reason for refusing an entity, or None: a pack's own entities come with the scenario, never from
    outside."""
    entity = op.entity
    if entity.type == "player":
        return "one_player"
    pack_id, _, name = entity.id.partition(":")
    own = pack_id == head.campaign_id and is_id(name) and entity.origin == "campaign"
    return None if own and entity.pack_id is None and entity.pack_entity_id is None else "not_of_the_campaign"


def _refusal_of(ops: tuple[o.StateOp, ...], index: int, reason: str, field: str | None = None) -> EditRefused:
    where = "" if field is None else f" at {field}"
    return EditRefused(
        f"op {index} ({ops[index].op}){where} does not fit: {reason}; nothing was changed",
        hint=HINTS.get(reason),
        index=index,
        reason=reason,
        field=field,
    )


def _options(head: Head, state: WorldState, submission: Submission, setting: Setting) -> tuple[str, ...]:
    """Return lines that work in the state as it is now. Lore gathered for them is not cached: the next turn gathers its
    own."""
    with TurnViews(head, submission, setting) as views:
        _, at = views.at_scene(TurnPoint(state, TurnStream.after(head, "")))
        return options_at(views, setting, at, setting.tried(head))
