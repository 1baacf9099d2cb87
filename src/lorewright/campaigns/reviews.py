"""What stages proposed without being sure enough of it: what waits, and what becomes of it. A decision is a turn of the
kind `edit`; where that is taken back the review waits again."""

from __future__ import annotations

from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.errors import CampaignError, EditRefused, NotFound
from lorewright.ids import canonical_json, content_hash
from lorewright.storage.kept_rows import result_of
from lorewright.turn.checks.accepting import entry_of, standing
from lorewright.turn.store.keeping import KeptReview, reviews
from lorewright.turn.store.store import CampaignStore
from lorewright.values.kept import Decision, Kept
from lorewright.world import ops as o
from lorewright.world.apply import apply
from lorewright.world.schemas import plain
from lorewright.world.state import WorldState

_HINTS = {
    "contradicts_fact": "something else is established by now; reject it, or change the fact first",
    "changed_since": "it has moved since that was proposed; reject it",
    "already_exists": "there is one by now; reject it",
}


def waiting(store: CampaignStore) -> list[KeptReview]:
    """The reviews of the turns on the way to the head that nobody has decided there, the oldest first."""
    return [one for one in reviews(store.database, store.position().turn_id) if one.decision is None]


def decide(
    campaign: OpenCampaign, review_id: str, *, accept: bool, action_id: str | None = None, by: str = "gm"
) -> str:
    """Accept a review, so that what was proposed becomes true, or reject it; the stored result of the turn that did.

    Decided in the same way before, that turn's result is given and nothing is changed. `review_id` is the full ID or,
    on the way to the head, the short one.

    Raises:
        NotFound: there is no such review on the way to the head.
        CampaignError: it was decided otherwise.
        EditRefused: what was proposed does not fit any more, with the reason; it waits still.
    """
    store, verdict = campaign.store, "accepted" if accept else "rejected"
    found = _found(store, review_id)
    if found.decision is not None:
        return _decided(store, found, verdict)
    ops = found.review.ops if accept else ()
    if accept:
        _hold_to_now(found, store)
    head = store.position()
    asked = canonical_json([found.id, verdict, head.turn_id, head.revision])
    kept = Kept(
        lorebook=tuple(entry_of(op.fact) for op in ops if isinstance(op, o.AddFact)),
        decisions=(Decision.model_validate(_decision(found, verdict)),),
    )
    return campaign.edit(
        ops,
        action_id=action_id or f"review-{content_hash(asked)[:16]}",
        by=by,
        note=f"{verdict}: {found.review.shown}",
        kept=kept,
    )


def _decision(found: KeptReview, verdict: str) -> dict[str, object]:
    return {"review_turn_id": found.turn_id, "review_no": found.review_no, "decision": verdict}


def _found(store: CampaignStore, review_id: str) -> KeptReview:
    known = reviews(store.database, store.position().turn_id)
    found = next((one for one in known if review_id in (one.id, one.short_id)), None)
    if found is None:
        raise NotFound(
            f"there is no review {review_id} on the way to the head",
            hint=f"see: lorewright campaign review list {store.campaign_id}",
        )
    return found


def _decided(store: CampaignStore, found: KeptReview, verdict: str) -> str:
    """The stored result of the turn that decided, byte for byte."""
    assert found.decided_in is not None
    if found.decision != verdict:
        raise CampaignError(
            f"review {found.short_id} was {found.decision} already",
            hint="take that turn back first: lorewright campaign rollback",
        )
    return result_of(store.database, found.decided_in)


def _hold_to_now(found: KeptReview, store: CampaignStore) -> None:
    """Refuse what fitted the world of its turn and fits that of the head no more."""
    now, then = store.head().state, store.state_at(found.turn_id)
    for index, op in enumerate(found.review.ops):
        reason = _why_not_now(op, now, then)
        if reason is not None:
            raise _refused(found, index, op, reason)
    refusal = apply(now, found.review.ops).refusal
    if refusal is not None:
        raise _refused(found, refusal.index, found.review.ops[refusal.index], refusal.reason)


def _why_not_now(op: o.StateOp, now: WorldState, then: WorldState) -> str | None:
    match op:
        case o.AddFact():
            stands = standing(now, op.fact.subject_id, op.fact.predicate, op.fact.object)
            if stands is None:
                return None
            return "already_exists" if stands.compares == "same" else "contradicts_fact"
        case o.SetCharacterState() | o.ClearCharacterState():
            return None if _inner(now, op.who, op.name) == _inner(then, op.who, op.name) else "changed_since"
        case o.SetPath():
            return None if _at_path(now, op) == _at_path(then, op) else "changed_since"
        case o.UpdateThread():
            return None if now.threads.get(op.thread_id) == then.threads.get(op.thread_id) else "changed_since"
        case _:
            return None


def _inner(state: WorldState, who: str, name: str) -> str:
    character = state.characters.get(who)
    held = None if character is None else character.states.get(name)
    return "" if held is None else canonical_json(held.model_dump(mode="json"))


def _at_path(state: WorldState, op: o.SetPath) -> str:
    return "" if state.ruleset is None else canonical_json(plain(state.ruleset.value(op.path, of=op.of)))


def _refused(found: KeptReview, index: int, op: o.StateOp, reason: str) -> EditRefused:
    return EditRefused(
        f"review {found.short_id} ({found.review.shown}) does not fit any more: {op.op}: {reason}; it waits still",
        hint=_HINTS.get(reason, "reject it, or bring the world to where it fits"),
        index=index,
        reason=reason,
    )
