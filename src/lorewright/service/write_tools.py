"""Queries -> the changes that a game master may make: ops, all of them in one turn of the kind `edit` or none, each
call once; and decisions on proposals that wait."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic_core import PydanticUndefined

from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.reviews import decide, waiting
from lorewright.errors import CampaignError, EditRefused
from lorewright.ids import canonical_json, content_hash, local
from lorewright.service.queries import (
    EditDone,
    EditPreview,
    LorebookEntries,
    LorebookShown,
    Queries,
    Reviews,
    ReviewShown,
)
from lorewright.turn.checks.tools import OUTSIDE_OPS
from lorewright.turn.run.editing import STAGE, draft_of_edit, submission_of
from lorewright.turn.store.annotations import StoredReview, lorebook
from lorewright.turn.store.rows import OPS
from lorewright.turn.views.draft import turn_id_of
from lorewright.world.ops import StateOp
from lorewright.world.state import WorldState
from lorewright.world.state_diff import state_diff

# The ops that other programs may propose: as a list for models, as a JSON Schema, and from JSON to values.

_OPS: TypeAdapter[tuple[StateOp, ...]] = TypeAdapter(tuple[StateOp, ...], config=ConfigDict(defer_build=True))
_KINDS: dict[str, type[BaseModel]] = {kind.model_fields["op"].default: kind for kind in get_args(get_args(StateOp)[0])}

# Nested fields are written out, so that a model need not look them up.
_NESTED = {
    "entity_add": "{id: CAMPAIGN:NAME, type: npc|item|door|location|faction|other, name, aliases?, pronoun?, tags?}",
    "fact_add": "{id: CAMPAIGN:NAME, subject_id, predicate, object?, visibility?: player|gm}",
    "relationship": "{a, b, rel_type, intensity?}",
}
_FIELDS = {"entity_add": "entity", "fact_add": "fact", "relationship": "relationship"}


def op_lines() -> str:
    """Return a line for every kind of op: its fields, the optional ones with a question mark, and what it does."""
    return "\n".join(f"- {kind} {{{_fields(kind)}}}: {_describe(_KINDS[kind])}" for kind in OUTSIDE_OPS)


def op_schema() -> dict[str, Any]:
    """Return the JSON Schema of a list of ops, with everything nested in them."""
    schema = TypeAdapter(tuple[StateOp, ...]).json_schema()
    items = schema["items"]
    kinds = {kind: ref for kind, ref in items["discriminator"]["mapping"].items() if kind in OUTSIDE_OPS}
    items["discriminator"]["mapping"] = kinds
    items["oneOf"] = [{"$ref": ref} for ref in kinds.values()]
    return schema


def ops_of(given: Sequence[Any]) -> tuple[StateOp, ...]:
    """What a client sent -> ops.

    Raises:
        EditRefused: one of them is no op; the message says which, and what is wrong with it.
    """
    try:
        return _OPS.validate_python([dict(op) if isinstance(op, dict) else op for op in given], strict=False)
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False)[0]
        where = first["loc"]
        index = where[0] if where and isinstance(where[0], int) else 0
        kind = given[index].get("op") if index < len(given) and isinstance(given[index], dict) else None
        path = ".".join(str(part) for part in where[1:] if part != kind)
        hint = f"{kind} {{{_fields(kind)}}}" if kind in OUTSIDE_OPS else f"kinds of ops: {', '.join(OUTSIDE_OPS)}"
        raise EditRefused(
            f"op {index}{f' ({kind})' if isinstance(kind, str) else ''}{f' at {path}' if path else ''}: {first['msg']};"
            " nothing was changed",
            hint=hint,
            index=index,
            reason="no_such_op",
            field=path or None,
        ) from None


def _fields(kind: str) -> str:
    if kind in _NESTED:
        rest = ", at?: ID of the place" if kind == "entity_add" else ""
        return f"{_FIELDS[kind]}: {_NESTED[kind]}{rest}"
    fields = {name: info for name, info in _KINDS[kind].model_fields.items() if name != "op"}
    return ", ".join(
        name if info.default is PydanticUndefined and info.default_factory is None else f"{name}?"
        for name, info in fields.items()
    )


def _describe(kind: type[BaseModel]) -> str:
    return " ".join((kind.__doc__ or "").split())


# The changes that a game master may make, each whole in one turn or not at all.

_BY = "mcp"
_OWN = f"{_BY}-call-"
_DERIVED = f"{_BY}-auto-"
_LONGEST_CALL_ID = 200
_SIMILAR = 5


@dataclass(frozen=True, slots=True)
class WriteTools:
    """Changes the campaigns of `queries`."""

    queries: Queries

    def apply(
        self,
        ops: Sequence[Any],
        *,
        campaign_id: str | None = None,
        call_id: str | None = None,
        note: str = "",
        revision: int | None = None,
    ) -> EditDone:
        """Apply ops and return what came of it. The same call ID with the same ops answers as before and changes
        nothing.

        Without a call ID one is made from the ops and the head: repeated at once, it is the same call, and the answer
        says so.

        Raises:
            EditRefused: an op is not valid, or does not fit.
            ActionIdReused: the call ID came with other ops before.
            TurnUndone: the call's turn was taken back.
            HeadMoved: the campaign is at another revision.
            CampaignError: the story has ended.
            NotFound: there is no such campaign.
        """
        wanted = ops_of(ops)
        with self.queries.opened(self.queries.needed(campaign_id)) as campaign:
            made = _derive_action_id(campaign, wanted) if call_id is None else f"{_OWN}{_check_call_id(call_id)}"
            with _helping(campaign, wanted):
                known = campaign.store.stored_result(submission_of(wanted, made))
                result = known or campaign.edit(wanted, action_id=made, by=_BY, note=note, revision=revision)
            return done(campaign, result, call_id=call_id or made, repeated=known is not None)

    def preview(self, ops: Sequence[Any], *, campaign_id: str | None = None) -> EditPreview:
        """Return what ops would do at the head; nothing is changed.

        Raises:
            EditRefused: an op is not valid, or does not fit.
            CampaignError: the story has ended.
            NotFound: there is no such campaign.
        """
        wanted = ops_of(ops)
        with self.queries.opened(self.queries.needed(campaign_id)) as campaign, _helping(campaign, wanted):
            submission = submission_of(wanted, "preview")
            draft = draft_of_edit(campaign.store.head(), wanted, submission, campaign.setting, by=_BY, note="")
            return EditPreview(
                followed=tuple(draft.ops[len(wanted) :]),
                told=draft.result.final_text,
                events=tuple(event.model_dump(mode="json") for event in draft.result.engine_events),
                state_diff=state_diff(draft.ops).model_dump(mode="json"),
            )

    def waiting(self, *, campaign_id: str | None = None) -> Reviews:
        """Return the proposals that stages made without being sure, and that wait to be judged; the oldest first.

        Raises:
            NotFound: there is no such campaign.
        """
        with self.queries.opened(self.queries.needed(campaign_id)) as campaign:
            return Reviews(reviews=tuple(_review(proposal) for proposal in waiting(campaign.store)))

    def decide(
        self, review_id: str, *, accept: bool, campaign_id: str | None = None, call_id: str | None = None
    ) -> EditDone:
        """Accept or reject a proposal. A proposal that was judged in the same way before is answered as then.

        Raises:
            NotFound: there is no such proposal or campaign.
            CampaignError: it was judged otherwise.
            EditRefused: the proposed change does not fit any more; it still waits.
            ActionIdReused: the call ID came with something else before.
        """
        made = None if call_id is None else f"{_OWN}{_check_call_id(call_id)}"
        with self.queries.opened(self.queries.needed(campaign_id)) as campaign:
            before = campaign.store.position()
            result = decide(campaign, review_id, accept=accept, action_id=made, by=_BY)
            repeated = campaign.store.position() == before
            return done(campaign, result, call_id=call_id or review_id, repeated=repeated)

    def lorebook(self, *, campaign_id: str | None = None, flagged: bool = False) -> LorebookEntries:
        """Return what narrations have established, and what they said against established facts; the oldest first.

        Raises:
            NotFound: there is no such campaign.
        """
        with self.queries.opened(self.queries.needed(campaign_id)) as campaign:
            found = lorebook(campaign.store.database, campaign.store.position().turn_id)
            return LorebookEntries(
                entries=tuple(
                    LorebookShown(turn_no=stored.turn_no, turn_id=stored.turn_id, **stored.entry.model_dump())
                    for stored in found
                    if stored.entry.flag is not None or not flagged
                )
            )


def _review(proposal: StoredReview) -> ReviewShown:
    shown = proposal.shown()
    return ReviewShown(**{name: shown[name] for name in ReviewShown.model_fields})


def done(campaign: OpenCampaign, result: str, *, call_id: str, repeated: bool) -> EditDone:
    """Return the answer to a call, from the stored result of its turn."""
    stored = json.loads(result)
    record = campaign.store.stage_output(stored["turn_id"], STAGE) or {}
    return EditDone(
        turn_no=stored["turn_no"],
        turn_id=stored["turn_id"],
        call_id=call_id,
        revision=campaign.store.position().revision,
        repeated=repeated,
        followed=tuple(record.get("followed", ())),
        told=stored["final_text"],
        events=tuple(stored["engine_events"]),
    )


def _check_call_id(call_id: str) -> str:
    if not call_id.strip() or len(call_id) > _LONGEST_CALL_ID:
        raise CampaignError(
            "the call ID is blank or too long",
            hint=f"give a text of 1 to {_LONGEST_CALL_ID} characters, different for each call",
        )
    return call_id


def _derive_action_id(campaign: OpenCampaign, ops: tuple[StateOp, ...]) -> str:
    """Return an action ID of the ops and the head. If the head is the turn that these ops just made of its parent,
    return the ID of that turn: a client that repeats a call because no answer came changes nothing twice."""
    at = campaign.store.position()
    path = campaign.store.path(last=2)
    if len(path) == 2:
        again = _auto_id(path[0].turn_id, at.revision - 1, ops)
        if path[1].turn_id == turn_id_of(campaign.store.campaign_id, path[0].turn_id, again):
            return again
    return _auto_id(at.turn_id, at.revision, ops)


def _auto_id(turn_id: str, revision: int, ops: tuple[StateOp, ...]) -> str:
    body = canonical_json(OPS.dump_python(ops, mode="json"))
    return f"{_DERIVED}{content_hash(canonical_json([turn_id, revision, body]))[:24]}"


@contextmanager
def _helping(campaign: OpenCampaign, ops: tuple[StateOp, ...]) -> Iterator[None]:
    """Add similar IDs to the hint of a refusal where an op names an ID that does not exist."""
    try:
        yield
    except EditRefused as problem:
        if not problem.reason.startswith("unknown_") or problem.index >= len(ops):
            raise
        similar = _find_similar(ops[problem.index], campaign.store.head().state)
        if not similar:
            raise
        hint = f"did you mean {' or '.join(similar)}?"
        raise EditRefused(
            problem.message, hint=hint, index=problem.index, reason=problem.reason, field=problem.field
        ) from None


def _find_similar(op: StateOp, state: WorldState) -> list[str]:
    """Return IDs of the campaign that are similar to the unknown ones in an op."""
    known = {*state.entities, *state.clocks, *state.threads, *state.doors, *state.facts}
    by_name = {local(known_id): known_id for known_id in known} | {
        entity.name.casefold(): entity.id for entity in state.entities.values()
    }
    found: list[str] = []
    for given in op.model_dump(exclude={"op"}).values():
        if isinstance(given, str) and given and given not in known:
            named = [by_name[key] for key in (local(given), given.casefold()) if key in by_name]
            words = local(given).casefold().replace("_", " ")
            named = named or sorted(
                known_id for key, known_id in by_name.items() if words in key.casefold().replace("_", " ")
            )
            found += named or get_close_matches(given, sorted(known), n=_SIMILAR, cutoff=0.7)
    return list(dict.fromkeys(found))[:_SIMILAR]
