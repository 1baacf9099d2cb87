"""The annotations of the turns up to a turn: entries of the lorebook, and reviews with the decisions about them. Other
branches do not see them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from lorewright.storage.annotation_rows import Row, decisions_in, entries_of, lorebook_rows, review_rows
from lorewright.storage.database import Database, read_json
from lorewright.turn.store.rows import OPS, LaterIds, later_ids
from lorewright.values.annotations import LorebookEntry, Review


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """An entry of the lorebook, and the turn whose narration it was extracted from. A flagged one has a `decision` once
    it was decided on, in the turn `decided_in`."""

    turn_id: str
    turn_no: int
    entry: LorebookEntry
    entry_no: int = 0
    decision: Literal["accepted", "rejected"] | None = None
    decided_in: str | None = None

    @property
    def short_id(self) -> str:
        """Return the entry's ID along a branch: `12.0` is the first of turn 12."""
        return f"{self.turn_no}.{self.entry_no}"


@dataclass(frozen=True, slots=True)
class StoredReview:
    """A review, and the turn that it belongs to. `decision` is None while it waits; `decided_in` is the turn that
    decided. `also` are the short IDs of equal ones that wait with it."""

    turn_id: str
    turn_no: int
    review_no: int
    review: Review
    decision: Literal["accepted", "rejected"] | None = None
    decided_in: str | None = None
    also: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Return the review's ID, unique in the campaign, on all branches."""
        return f"{self.turn_id}:{self.review_no}"

    @property
    def short_id(self) -> str:
        """Return the review's ID along a branch: `12.0` is the first of turn 12."""
        return f"{self.turn_no}.{self.review_no}"

    def shown(self) -> dict[str, Any]:
        """Return its fields for JSON, without the ops."""
        review = self.review.model_dump(mode="json", exclude={"ops"})
        of = {"id": self.id, "short_id": self.short_id, "turn_no": self.turn_no, "turn_id": self.turn_id}
        return {**of, **review, "also": list(self.also)}


def lorebook(database: Database, turn_id: str) -> list[StoredEntry]:
    """Return the campaign's lorebook as of a turn, the oldest entry first, with the IDs of that turn."""
    later = later_ids(database, turn_id)
    return [
        StoredEntry(
            row["turn_id"], row["turn_no"], _entry(row, later), row["entry_no"], row["decision"], row["decided_in"]
        )
        for row in lorebook_rows(database, turn_id)
    ]


def flagged_entries(database: Database, turn_id: str) -> list[LorebookEntry]:
    """Return the entries of one turn whose narrations contradict what is established, in order."""
    return [entry for row in entries_of(database, turn_id) if (entry := _entry(row, LaterIds())).flag is not None]


def reviews(database: Database, turn_id: str) -> list[StoredReview]:
    """Return the reviews of the turns up to a turn, the oldest first, decided ones included, with the IDs of that
    turn."""
    later = later_ids(database, turn_id)
    return [
        StoredReview(
            row["turn_id"], row["turn_no"], row["review_no"], _review(row, later), row["decision"], row["decided_in"]
        )
        for row in review_rows(database, turn_id)
    ]


def _entry(row: Row, later: LaterIds) -> LorebookEntry:
    fields = {name: row[name] for name in LorebookEntry.model_fields}
    return LorebookEntry.model_validate(later.of(row["turn_no"], fields) if later.upgrades else fields)


def _review(row: Row, later: LaterIds) -> Review:
    fields = {name: row[name] for name in Review.model_fields if name != "ops"}
    fields["ops"] = OPS.validate_python(later.of(row["turn_no"], read_json(row["ops_json"])))
    return Review.model_validate(fields)


def name_of_edit(database: Database, turn_id: str) -> str:
    """Return a name for a change from outside that tells no secret: `2 proposals accepted`."""
    decided = decisions_in(database, turn_id)
    named = {"reviews": ("a proposal", "proposals"), "lorebook": ("a flagged entry", "flagged entries")}
    parts = [f"{named[kind][0] if n == 1 else f'{n} {named[kind][1]}'} {verdict}" for kind, verdict, n in decided]
    return ", ".join(parts) or "a change from outside"
