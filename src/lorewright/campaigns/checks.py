"""A campaign's whole file -> every finding of damage in it. Nothing is changed, not even an old schema.

What SQL can check is in `storage/integrity.py`; here every state is rebuilt by its ops from the root, and every stored
JSON text is validated against its model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from lorewright.campaigns.store import StoredPackTexts
from lorewright.errors import DamagedFile, LorewrightError, SettingsError
from lorewright.ids import content_hash
from lorewright.rules.rulesets import CampaignRules
from lorewright.storage.campaign_tables import CAMPAIGN_MIGRATIONS
from lorewright.storage.commit_counts import LOSS_HINT, CommitCount, tell_loss
from lorewright.storage.database import Database, opened, read_json
from lorewright.storage.enclosure import error_for
from lorewright.storage.heads import head_row, path_to
from lorewright.storage.integrity import (
    FOUNDATIONS,
    INVARIANTS,
    ODDITIES,
    RESTORE,
    IntegrityFinding,
    Refused,
    Row,
    altered_turns,
    campaign_row,
    edits_asked_for,
    find_file_faults,
    find_violations,
    json_texts,
    migration_hint,
    pinned_texts,
    rules_of_upgrades,
    state_rows,
    turn_count,
    turns_with_messages,
)
from lorewright.storage.projection import PROJECTED, projected_rows, projected_turn
from lorewright.storage.sittings import session_rows
from lorewright.storage.tables import migrate, missing
from lorewright.turn.store.projection import all_rows, bring_projection_up, stored_state
from lorewright.turn.store.rows import OPS, message_of, submission_of
from lorewright.values.records import Message, TurnResult
from lorewright.world.apply import apply
from lorewright.world.state import WorldState, pair, relation_key

# A thousand people and places are some 30,000 values; parsed, each takes up to a hundred bytes.
_MAX_VALUES = 1_000_000


@dataclass(frozen=True, slots=True)
class CampaignCheck:
    """How many turns were checked and the findings, gravest first; `notes` are harmless oddities."""

    turns: int
    findings: tuple[IntegrityFinding, ...]
    notes: tuple[IntegrityFinding, ...] = ()

    @property
    def clean(self) -> bool:
        """Tell whether there are no findings."""
        return not self.findings


def check(path: Path, kept: StoredPackTexts | None = None) -> CampaignCheck:
    """Return everything that is wrong with a campaign's file and, where `kept` is given, with the texts that it pins.

    It never raises for what it finds: a file that is no database is a finding, too.
    """
    try:
        with opened(path) as database, database.snapshot():
            return _checked(database, kept)
    except SettingsError as problem:
        return CampaignCheck(0, (IntegrityFinding("newer-version", path.name, problem.message, problem.hint or ""),))
    except (LorewrightError, Refused) as problem:
        trouble = error_for(problem, path)
        hint = RESTORE if isinstance(trouble, DamagedFile) else trouble.hint or ""
        return CampaignCheck(0, (IntegrityFinding("unreadable", path.name, str(problem), hint),))


def damage_of(path: Path) -> DamagedFile | None:
    """Return the damage of a campaign's file as an error that names the place; None where the file is sound."""
    found = check(path).findings
    if not found:
        return None
    return DamagedFile(f"{path.name} is damaged: {found[0].where}: {found[0].what}", hint=found[0].hint)


@dataclass(frozen=True, slots=True)
class Migrated:
    """The migrations that were applied to a file, in order, and whether its projection of the head's state was made
    anew; or why nothing could be done, with the error's code and what to do."""

    applied: tuple[str, ...] = ()
    projected: bool = False
    problem: str | None = None
    code: str | None = None
    hint: str | None = None


def migrate_file(path: Path) -> Migrated:
    """Bring a campaign's file up to date, make its projection anew where that is not the head's, and return what was
    done. It never raises: a file that cannot be migrated is left as it is, with the problem in the result."""
    try:
        with opened(path) as database:
            applied = tuple(migrate(database, CAMPAIGN_MIGRATIONS))
            if find_violations(database, FOUNDATIONS):
                return Migrated(applied)
            wrong = next(_projection(database), None) is not None
            return Migrated(applied, bring_projection_up(database, anew=wrong))
    except (LorewrightError, Refused, ValueError) as problem:
        error = error_for(problem, path)
        return Migrated(problem=str(error), code=error.code, hint=error.hint)


def _checked(database: Database, kept: StoredPackTexts | None) -> CampaignCheck:
    old = missing(database, CAMPAIGN_MIGRATIONS)
    if old:
        name = database.path.stem
        what = f"it was written by an older version: {', '.join(old)} is missing"
        return CampaignCheck(0, (IntegrityFinding("older-version", name, what, f"run: lorewright db migrate {name}"),))
    found = [*find_file_faults(database), *find_violations(database, FOUNDATIONS)]
    notes: list[IntegrityFinding] = []
    turns = turn_count(database)
    # A tree with a hole cannot be walked, and findings about its states would only hide the hole.
    if not found:
        unreadable = list(_unreadable(database))
        found = [*find_violations(database, INVARIANTS), *unreadable, *_campaign(database), *_states(database)]
        found += [] if unreadable else [*_results(database), *_sittings(database)]
        found += _projection(database)
        notes = [*_lost_changes(database), *find_violations(database, ODDITIES)]
    if kept is not None:
        found += _pins(database, kept)
    return CampaignCheck(turns, tuple(found), tuple(notes))


def _unreadable(database: Database) -> Iterator[IntegrityFinding]:
    for where, column, text, kinds in json_texts(database):
        if (problem := _misread(partial(_json_of, kinds), text)) is not None:
            yield IntegrityFinding("json-unreadable", where, f"{column} cannot be read: {problem}", RESTORE)


def _json_of(kinds: tuple[type, ...], text: str) -> None:
    if isinstance(text, str) and sum(map(text.count, ",[{")) > _MAX_VALUES:
        raise ValueError(f"it has over {_MAX_VALUES} values")
    if not isinstance(read_json(text), kinds):
        raise ValueError(f"it is no {' or '.join(kind.__name__ for kind in kinds)}")


def _campaign(database: Database) -> Iterator[IntegrityFinding]:
    row = campaign_row(database)
    if row["id"] != database.path.stem and not database.path.name.startswith("."):
        what = f"the file is called {database.path.name}, its campaign {row['id']}"
        yield IntegrityFinding(
            "file-name",
            "campaign",
            what,
            f"rename it to {row['id']}.db; for a second one export it and import it with --id",
        )
    if (problem := _misread(CampaignRules.model_validate_json, row["rules_json"])) is not None:
        yield IntegrityFinding("rules-unreadable", "campaign", problem, RESTORE)
    for rule in rules_of_upgrades(database):
        if (problem := _misread(CampaignRules.model_validate_json, rule["rules_json"])) is not None:
            yield IntegrityFinding("rules-unreadable", f"upgrade {rule['turn_id']}", problem, RESTORE)


def _lost_changes(database: Database) -> Iterator[IntegrityFinding]:
    """Yield a note where the file was further once. What is left of it is sound, so that it can be played on."""
    row = campaign_row(database)
    if lost := CommitCount(database.path, row["created_at"]).lost(row["revision"]):
        yield IntegrityFinding("changes-lost", "campaign", tell_loss(lost), LOSS_HINT)


def _states(database: Database) -> Iterator[IntegrityFinding]:
    """Yield the findings of every state, rebuilt from the root on by the ops of its turn; a branch goes on from the
    state where it began."""
    children: dict[str, list[Row]] = {}
    rows = state_rows(database)
    for row in rows[1:]:
        children.setdefault(row["parent_id"], []).append(row)
    try:
        root = WorldState.model_validate_json(rows[0]["state_json"] or "")
    except (ValidationError, RecursionError) as problem:
        yield IntegrityFinding("state-unreadable", _named(rows[0]), _first(problem), RESTORE)
        return
    yield from _state(rows[0], root, None)
    waiting = [(child, root) for child in reversed(children.get(rows[0]["turn_id"], ()))]
    while waiting:
        row, before = waiting.pop()
        try:
            applied = apply(before, OPS.validate_json(row["ops_json"]))
        except (ValidationError, RecursionError) as problem:
            yield IntegrityFinding("ops-unreadable", _named(row), _first(problem), RESTORE)
            continue
        if applied.refusal is not None:
            what = f"its op {applied.refusal.index} does not fit the state before it: {applied.refusal.reason}"
            yield IntegrityFinding("ops-refused", _named(row), what, RESTORE)
            continue
        yield from _state(row, applied.state, before)
        waiting += [(child, applied.state) for child in reversed(children.get(row["turn_id"], ()))]


def _state(row: Row, state: WorldState, before: WorldState | None) -> Iterator[IntegrityFinding]:
    if state.content_hash() != row["state_hash"]:
        what = "its ops do not lead to the state that was committed"
        yield IntegrityFinding("state-hash", _named(row), what, RESTORE)
    if row["state_json"] is not None and content_hash(row["state_json"]) != row["state_hash"]:
        yield IntegrityFinding("state-changed", _named(row), "the state that is kept of it is another one", RESTORE)
    if before is None or state.relations is not before.relations:
        for key, edge in state.relations.items():
            if key != relation_key(edge.a, edge.b) or (edge.a, edge.b) != pair(edge.a, edge.b) or edge.a == edge.b:
                what = f"the relation {key} is not the one edge between two people"
                yield IntegrityFinding("relation-edge", _named(row), what, RESTORE)
    yield from _unknown_ids(row, state)


def _unknown_ids(row: Row, state: WorldState) -> Iterator[IntegrityFinding]:
    """Yield people, places and things that are somewhere in the state and are no entities; and clocks over their
    maximum."""
    named = {state.player_id, state.scene.location_id, *state.positions, *state.inventory}
    for unknown in sorted(named - set(state.entities)):
        yield IntegrityFinding(
            "entity-unknown", _named(row), f"{unknown} has a place in the state and is no entity", RESTORE
        )
    for clock in state.clocks.values():
        if clock.value > clock.max:
            what = f"the clock {clock.id} shows {clock.value} of {clock.max}"
            yield IntegrityFinding("clock-over", _named(row), what, RESTORE)


def _results(database: Database) -> Iterator[IntegrityFinding]:
    """Yield stored results that are not those of their own turn, or whose messages differ from the stream."""
    for row in altered_turns(database):
        what = "its words, its changes, its result or its records are not those that were written"
        yield IntegrityFinding("turn-altered", _named(row), what, RESTORE)
    edits = edits_asked_for(database)
    for row, messages in turns_with_messages(database):
        try:
            result = TurnResult.model_validate_json(row["result_json"])
        except (ValidationError, RecursionError) as problem:
            yield IntegrityFinding("result-unreadable", _named(row), _first(problem), RESTORE)
            continue
        if (result.turn_id, result.turn_no) != (row["turn_id"], row["turn_no"]):
            what = f"its stored result is that of turn {result.turn_no} ({result.turn_id})"
            yield IntegrityFinding("result-of-another", _named(row), what, RESTORE)
            continue
        stream = {stored["seq"]: stored for stored in messages}
        for message in result.messages:
            stored = stream.get(message.seq)
            if stored is None or _message(stored) != message:
                what = f"message {message.seq} of its result is not the one in the stream"
                yield IntegrityFinding("result-message", _named(row), what, RESTORE)
        if row["kind"] != "start" and row["request_hash"] != _request_hash(row, edits):
            yield IntegrityFinding("request-hash", _named(row), "its words are not those that were submitted", RESTORE)


def _request_hash(row: Row, edits: Mapping[str, str]) -> str | None:
    try:
        return submission_of(row, body=edits.get(row["turn_id"])).request_hash
    except (ValueError, TypeError, RecursionError):
        return None


def _message(row: Row) -> Message | None:
    try:
        return message_of(row)
    except ValidationError:
        return None


def _sittings(database: Database) -> Iterator[IntegrityFinding]:
    """Yield the ended sittings whose range of turns is not that of the turns played in them."""
    for session in session_rows(database):
        if session.ended_at is None or session.end_turn_id is None:
            continue
        own = [row for row in path_to(database, session.end_turn_id) if row["session_id"] == session.id]
        first = own[0]["turn_no"] if own else None
        last = own[-1]["turn_id"] if own else None
        if (first, last) != (session.turn_range_start, session.end_turn_id):
            what = f"the turns that were played in it do not go from {session.turn_range_start} to its last"
            yield IntegrityFinding("session-turns", f"sitting {session.id}", what, RESTORE)


def _projection(database: Database) -> Iterator[IntegrityFinding]:
    """Yield the projected tables that differ from the head's state, row by row."""
    head, row, hint = head_row(database), campaign_row(database), migration_hint(database)
    with suppress(LorewrightError, ValueError):
        wanted = all_rows(row["id"], stored_state(database, head.turn_id), row["rules_json"])
        if projected_turn(database) != head.turn_id:
            yield IntegrityFinding(
                "projection-behind", "projection", "its tables are not a projection of the head", hint
            )
        for table in PROJECTED:
            if _typed(wanted[table]) != _typed(_projected(database, table)):
                yield IntegrityFinding("projection-differs", table, "its rows are not those of the head's state", hint)


def _projected(database: Database, table: str) -> list[tuple[object, ...]]:
    """Return the rows of a table; a single row that matches nothing where they cannot be read."""
    try:
        return projected_rows(database, table)
    except Refused:
        return [(None,)]


def _typed(rows: Iterable[tuple[object, ...]]) -> set[tuple[object, ...]]:
    """Return the rows with the type of each value, so that the text 1 is not the number, nor the number 1.0."""
    return {tuple((value, type(value)) for value in row) for row in rows}


def _pins(database: Database, kept: StoredPackTexts) -> Iterator[IntegrityFinding]:
    for pack_id, text_hash in pinned_texts(database):
        problem = kept.problem_with(text_hash)
        if problem is not None:
            hint = "restore campaigns/packs-kept, or install the same text of the pack and import an export"
            yield IntegrityFinding("text-lost", f"pack {pack_id}", problem, hint)


def _misread(read: Callable[[str], Any], text: str) -> str | None:
    """Return why a text cannot be read, or None."""
    try:
        read(text)
    except (ValueError, TypeError, RecursionError) as problem:
        return _first(problem)
    return None


def _first(problem: Exception) -> str:
    """Return the first fault of a text, in a line, without the text itself: it may hold secrets."""
    if isinstance(problem, ValidationError):
        error = problem.errors(include_url=False, include_input=False)[0]
        return f"{'.'.join(map(str, error['loc'])) or 'all of it'}: {error['msg']}"
    return str(problem).splitlines()[0] if str(problem) else type(problem).__name__


def _named(row: Row) -> str:
    return f"turn {row['turn_no']} ({row['turn_id']})"
