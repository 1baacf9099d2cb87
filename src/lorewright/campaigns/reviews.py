"""Reviews and the lorebook's flagged entries: what stages proposed without being sure enough of it, or against what is
established; and the decisions about it.

A decision is a turn of the kind `edit`; where that is taken back, the review or the entry waits again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.errors import CampaignError, EditRefused, NotFound
from lorewright.ids import canonical_json, content_hash, local
from lorewright.storage.annotation_rows import result_of
from lorewright.turn.checks.accepting import entries_of_ops, find_established
from lorewright.turn.store.annotations import StoredReview, lorebook, reviews
from lorewright.turn.store.store import CampaignStore
from lorewright.values.annotations import Annotations, Decision, EntryDecision, LorebookEntry
from lorewright.world import ops as o
from lorewright.world.apply import apply
from lorewright.world.schemas import plain
from lorewright.world.state import WorldState
from lorewright.world.things import Fact

# Names all reviews that wait.
ALL = "all"

_HINTS = {
    "contradicts_fact": "something else is established by now; reject it, or change the fact first",
    "changed_since": "it has moved since that was proposed; reject it",
    "already_exists": "there is one by now; reject it",
}


def waiting(store: CampaignStore) -> list[StoredReview]:
    """Return the reviews of the turns on the path to the head that nobody has decided there, oldest first. Equal
    proposals are one: the oldest, which names the others in `also`."""
    groups = _groups(reviews(store.database, store.position().turn_id))
    return [
        replace(group[0], also=tuple(other.short_id for other in group[1:]))
        for group in groups
        if group[0].decision is None
    ]


def _groups(known: Iterable[StoredReview]) -> list[list[StoredReview]]:
    """Return reviews, those that wait with equal ones that wait, in the order of the oldest."""
    groups: dict[object, list[StoredReview]] = {}
    for review in known:
        said = " ".join(review.review.shown.casefold().split())
        equal = (review.review.kind, review.review.subject_id, said)
        groups.setdefault(equal if review.decision is None else review.id, []).append(review)
    return list(groups.values())


def decide(campaign: OpenCampaign, *review_ids: str, accept: bool, action_id: str | None = None, by: str = "gm") -> str:
    """Accept reviews, so that what was proposed becomes true, or reject them, all in one turn or none; return the
    stored result of the turn that did. What equals one of them is decided along.

    If all were decided in the same way before, the last one's result is returned and nothing is changed. An ID is the
    full one or, on the path to the head, the short one; `all` are all that wait.

    Raises:
        NotFound: there is no such review on the path to the head, or nothing waits.
        CampaignError: one was decided otherwise.
        EditRefused: a proposal does not fit any more, with the reason; all of them still wait.
    """
    store, verdict = campaign.store, "accepted" if accept else "rejected"
    known = _groups(reviews(store.database, store.position().turn_id))
    wanted = _wanted(known, review_ids, store.campaign_id)
    decided = [_decided(store, group[0], verdict) for group in wanted if group[0].decision is not None]
    undecided = [group for group in wanted if group[0].decision is None]
    if not undecided:
        return decided[-1]
    now = store.head().state
    ops: list[o.StateOp] = []
    for found in (group[-1] for group in undecided if accept):
        _hold_to_now(found, now, store)
        ops += found.review.ops
        now = apply(now, found.review.ops).state
    head = store.position()
    key = canonical_json([[group[0].id for group in undecided], verdict, head.turn_id, head.revision])
    decisions = (Decision.model_validate(_decision(found, verdict)) for group in undecided for found in group)
    return campaign.edit(
        ops,
        action_id=action_id or f"review-{content_hash(key)[:16]}",
        by=by,
        note=f"{verdict}: {'; '.join(group[0].review.shown for group in undecided)}",
        kept=Annotations(lorebook=tuple(entries_of_ops(ops, now)), decisions=tuple(decisions)),
    )


def _decision(found: StoredReview, verdict: str) -> dict[str, object]:
    return {"review_turn_id": found.turn_id, "review_no": found.review_no, "decision": verdict}


def _wanted(
    known: Sequence[list[StoredReview]], review_ids: Sequence[str], campaign_id: str
) -> list[list[StoredReview]]:
    """Return the groups that IDs name, each once."""
    if list(review_ids) == [ALL]:
        found = [group for group in known if group[0].decision is None]
        if not found:
            raise NotFound("nothing waits", hint=f"see: lorewright campaign review list {campaign_id}")
        return found
    named: dict[str, list[StoredReview]] = {}
    for review_id in review_ids:
        group = next((group for group in known for review in group if review_id in (review.id, review.short_id)), None)
        if group is None:
            raise NotFound(
                f"there is no review {review_id} on the way to the head",
                hint=f"see: lorewright campaign review list {campaign_id}",
            )
        named[group[0].id] = group
    return list(named.values())


def _decided(store: CampaignStore, found: StoredReview, verdict: str) -> str:
    """Return the stored result of the turn that decided, byte for byte."""
    assert found.decided_in is not None
    if found.decision != verdict:
        raise CampaignError(
            f"review {found.short_id} was {found.decision} already",
            hint="take that turn back first: lorewright campaign rollback",
        )
    return result_of(store.database, found.decided_in)


def settle(campaign: OpenCampaign, entry_id: str, *, accept: bool, by: str = "gm") -> str:
    """Accept a flagged entry of the lorebook, so that it stands in place of what it speaks against, or reject it;
    return the stored result of the turn that did. If it was decided in the same way before, nothing is changed.

    Raises:
        NotFound: there is no flagged entry of that ID on the path to the head.
        CampaignError: it was decided otherwise.
        EditRefused: what it speaks against was changed, or it cannot be said of its subject any more.
    """
    store, verdict = campaign.store, "accepted" if accept else "rejected"
    head = store.position()
    known = lorebook(store.database, head.turn_id)
    found = next((entry for entry in known if entry.short_id == entry_id and entry.entry.flag), None)
    if found is None:
        raise NotFound(
            f"there is no flagged entry {entry_id} on the way to the head",
            hint=f"see: lorewright campaign lorebook {store.campaign_id} --flagged",
        )
    if found.decided_in is not None:
        if found.decision == verdict:
            return result_of(store.database, found.decided_in)
        raise CampaignError(
            f"entry {entry_id} was {found.decision} already",
            hint="take that turn back first: lorewright campaign rollback",
        )
    ops = (_restated(found.entry, store.head().state, store.campaign_id, head.turn_no + 1),) if accept else ()
    decision = EntryDecision.model_validate(
        {"entry_turn_id": found.turn_id, "entry_no": found.entry_no, "decision": verdict}
    )
    kept = Annotations(lorebook=tuple(entries_of_ops(ops, apply(store.head().state, ops).state)), settled=(decision,))
    key = content_hash(canonical_json([found.turn_id, found.entry_no, verdict, head.turn_id, head.revision]))
    note = f"{verdict}: {found.entry.predicate}: {found.entry.detail}"
    return campaign.edit(ops, action_id=f"lorebook-{key[:16]}", by=by, note=note, kept=kept)


def _restated(entry: LorebookEntry, state: WorldState, campaign_id: str, turn_no: int) -> o.StateOp:
    """Return the op by which an entry stands: in place of the fact that it speaks against, or as a fact of its own
    beside what a pack's frontmatter says."""
    if entry.against in state.facts:
        return o.UpdateFact(fact_id=entry.against, object=entry.detail)
    return o.AddFact(
        fact=Fact(
            id=f"{campaign_id}:accepted.{local(entry.subject_id)}.{entry.predicate}.{turn_no}",
            subject_id=entry.subject_id,
            predicate=entry.predicate,
            object=entry.detail,
            confidence=entry.confidence,
            discovered_turn=turn_no,
            discovery_method="accepted",
        )
    )


def _hold_to_now(found: StoredReview, now: WorldState, store: CampaignStore) -> None:
    """Refuse a review that fitted the world of its turn and does not fit the present one."""
    then = store.state_at(found.turn_id)
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
            stands = find_established(now, op.fact.subject_id, op.fact.predicate, op.fact.object)
            if stands is None:
                return None
            return "already_exists" if stands.compares == "same" else "contradicts_fact"
        case o.UpdateFact():
            return None if now.facts.get(op.fact_id) == then.facts.get(op.fact_id) else "changed_since"
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


def _refused(found: StoredReview, index: int, op: o.StateOp, reason: str) -> EditRefused:
    return EditRefused(
        f"review {found.short_id} ({found.review.shown}) does not fit any more: {op.op}: {reason}; it still waits",
        hint=_HINTS.get(reason, "reject it, or bring the world to where it fits"),
        index=index,
        reason=reason,
    )
