"""A campaign's file: its turns are read from it and written to it. The only module where SQL meets a turn."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from lorewright.errors import ActionIdReused, DamagedFile, DatabaseUnavailable, LorewrightError, NotFound, TurnUndone
from lorewright.ids import canonical_json
from lorewright.logs import log_event
from lorewright.rules.patch import Resolution, TriedRound, tried_in
from lorewright.rules.rulesets import CampaignRules, read_rules
from lorewright.storage.campaign_tables import CAMPAIGN_MIGRATIONS
from lorewright.storage.database import Database, insert_row, read_json
from lorewright.storage.faults import step
from lorewright.storage.heads import (
    HeadMove,
    HeadRow,
    forget_state,
    guard_head,
    head_row,
    is_on_path,
    messages_of_turns,
    move_head,
    path_to,
    resolutions_on_path,
    set_head,
    undone_turns,
    words_on_path,
)
from lorewright.storage.integrity import RESTORE, campaign_row, upgrade_of, upgrade_row
from lorewright.storage.packed_texts import STAGE_RECORDS, StageInputs, selected
from lorewright.storage.sittings import (
    SceneLoreRow,
    active_session_row,
    keep_scene_lore,
    latest_time_of,
    scene_lore_row,
)
from lorewright.storage.tables import open_migrated
from lorewright.turn.store.projection import StateOf, bring_projection_up, projection_statements, stored_state
from lorewright.turn.store.rows import (
    OPS,
    RECORD,
    LaterIds,
    attempt_row,
    later_ids,
    message_of,
    now,
    prompt_text_statements,
    record_of,
    resolution_of,
    rows_of,
    submission_of,
    summary_at,
    turns_to_summarise,
)
from lorewright.turn.store.turn_store import TurnOnPath
from lorewright.turn.views.draft import Draft, Head, StageRecord, Submission, ToldOpening
from lorewright.turn.views.story import StorySoFar
from lorewright.values.entries import RECENT_TURNS, markers_of, options_of
from lorewright.values.records import CampaignRow, Message, PackPin
from lorewright.world.apply import apply
from lorewright.world.ops import StateOp
from lorewright.world.state import WorldState
from lorewright.world.state_diff import StateDiff, state_diff

# What is told of a turn as it is stored.
_TOLD = ("turn_no", "turn_id", "kind", "player_text", "state_hash", "session_id")


class CampaignStore:
    """An open campaign file. `database` is for tables besides the turns: the stack of undone turns, the sittings."""

    def __init__(self, place: Path | Database, *, clock: Callable[[], str] = now) -> None:
        """Open a campaign's file and bring its tables up to date, or take a database that is open. `clock` returns the
        time for a row, in UTC.

        Raises:
            NotFound: there is no such file.
            SettingsError: a newer version wrote it.
        """
        if isinstance(place, Path) and not place.is_file():
            raise NotFound(f"there is no campaign {place.stem}", hint="see: lorewright campaign list")
        self._clock = clock
        self.database = open_migrated(place, CAMPAIGN_MIGRATIONS) if isinstance(place, Path) else place
        row = self.database.row("SELECT id, created_at, revision FROM campaigns")
        if row is None:
            self.database.close()
            raise NotFound(f"{self.database.path.name} holds no campaign", hint="delete the file")
        self.campaign_id: str = row["id"]
        self._created_at: str = row["created_at"]
        # How many acknowledged changes are missing: SQLite drops a damaged tail of its log without a word.
        self.lost_changes = self.database.count_lost(self._created_at, row["revision"])
        # A head that cannot be read raises when it is read: the file opens all the same, so that it can be rolled back.
        with suppress(LorewrightError, ValueError):
            bring_projection_up(self.database)
        self._rules: dict[str | None, CampaignRules] = {}  # by the upgrade that set them: they never change
        # Of a turn these never change, and each turn asks for them again and again.
        self.later_ids = lru_cache(maxsize=8)(lambda at: later_ids(self.database, at))
        self._upgrade_of = lru_cache(maxsize=8)(lambda at: upgrade_of(self.database, at))
        self._is_on_path = lru_cache(maxsize=8)(lambda at, to: is_on_path(self.database, at, to=to))
        # The state of the turn that was read or committed last, as its JSON is read: a turn's state never changes.
        self._latest: tuple[str, WorldState] | None = None
        # The last story asked for, its turn, and the player and IDs that it is seen by: a turn adds a few words.
        self.last_story = StorySoFar()
        self._story_of: tuple[str, tuple[str, LaterIds]] = ("", ("", LaterIds()))
        # The turn of the last head whose rounds were asked for, the IDs since, and their actions.
        self._tried: tuple[str, LaterIds, tuple[TriedRound, ...]] = ("", LaterIds(), ())

    def close(self) -> None:
        """Close the file."""
        self.database.close()

    def campaign(self, at: str | None = None) -> CampaignRow:
        """Return the campaign itself, with the rules and pins that hold at its head, or at another turn."""
        row = campaign_row(self.database)
        pins = self.database.rows("SELECT pack_id, version, content_hash FROM pack_pins ORDER BY pack_id")
        upgrade_id = self._upgrade_of(at or row["head_turn_id"])
        upgrade = None if upgrade_id is None else upgrade_row(self.database, upgrade_id)
        if upgrade_id not in self._rules:
            rules_json = row["rules_json"] if upgrade is None else upgrade.rules_json
            self._rules[upgrade_id] = read_rules(rules_json)
        return CampaignRow(
            id=row["id"],
            name=row["name"],
            scenario_id=row["scenario_id"],
            scenario=read_json(row["scenario_json"]),
            rules=self._rules[upgrade_id],
            ruleset_hash=row["ruleset_hash"] if upgrade is None else upgrade.ruleset_hash,
            seed=row["seed"],
            current_turn=row["current_turn"],
            revision=row["revision"],
            created_at=row["created_at"],
            updated_at=row["updated_at"],
            pins=tuple(PackPin(*pin) for pin in (pins if upgrade is None else upgrade.pins)),
            upgrade_id=upgrade_id,
            calibration=read_json(row["calibration_json"]),
        )

    def upgrade_id(self, at: str | None = None) -> str | None:
        """Return the turn that set the rules and pins that hold at the head, or at a turn; None where none did."""
        return self._upgrade_of(at or head_row(self.database).turn_id)

    def head(self) -> Head:
        """Return the newest turn with its state and the last messages."""
        # CROSS, or SQLite reads every turn to find the head.
        row = self.database.row(
            """SELECT c.id, c.revision, t.turn_id, t.turn_no, t.result_json FROM campaigns c
               CROSS JOIN turns t ON t.campaign_id = c.id AND t.turn_id = c.head_turn_id"""
        )
        assert row is not None
        result = read_json(row["result_json"])
        state = self.state_at(row["turn_id"])
        self._latest = (row["turn_id"], state)
        path = path_to(self.database, row["turn_id"], last=RECENT_TURNS)
        cached = scene_lore_row(self.database, state.scene.id)
        session = active_session_row(self.database)
        is_known = session is not None and self._is_on_path(session.start_turn_id, row["turn_id"])
        summary = summary_at(self.database, row["turn_id"])
        return Head(
            campaign_id=row["id"],
            turn_id=row["turn_id"],
            turn_no=row["turn_no"],
            revision=row["revision"],
            state=state,
            options=options_of(result),
            recent=tuple(self._messages_of(path, row["turn_id"])),
            markers=markers_of(result),
            scene_lore=(cached.lore_json,) if cached else (),
            session_id=session.id if session else None,
            # A sitting that began after the head belongs to turns that were taken back.
            session_lore=session.session_lore if session and is_known else {},
            upgrade_id=self._upgrade_of(row["turn_id"]),
            summary=summary,
            untold=turns_to_summarise(self.database, row["turn_id"], row["turn_no"], state, summary),
        )

    def state_at(self, turn_id: str) -> WorldState:
        """Return the state after a turn: as it was stored, or rebuilt from the nearest stored one before it.

        Raises:
            NotFound: there is no such turn.
            StateMisfit: the stored state does not fit; the message names the field.
        """
        if self._latest is not None and self._latest[0] == turn_id:
            return self._latest[1]
        return stored_state(self.database, turn_id)

    def state_after(self, before: WorldState, turn_id: str) -> WorldState:
        """Return the state after a turn, given the state before it.

        Raises:
            NotFound: there is no such turn.
        """
        return apply(before, self._ops(turn_id)).state

    def state_diff(self, turn_id: str) -> StateDiff:
        """Return what a turn changed: the diff of its ops, empty where there are none.

        Raises:
            NotFound: there is no such turn.
        """
        return state_diff(self._ops(turn_id))

    def _ops(self, turn_id: str) -> tuple[StateOp, ...]:
        return OPS.validate_json(self._turn_row(turn_id)["ops_json"])

    def _turn_row(self, turn_id: str) -> sqlite3.Row:
        sql = "SELECT * FROM turns WHERE campaign_id = ? AND turn_id = ?"
        row = self.database.row(sql, self.campaign_id, turn_id)
        if row is None:
            raise NotFound(f"there is no turn {turn_id}", hint="see: lorewright campaign log CAMPAIGN")
        return row

    def turns(self, to: str | None = None, *, after: str | None = None) -> list[dict[str, Any]]:
        """Return the turns from the first to the head or another turn, in order, each with its number, ID, kind, words
        and result. With `after`, an ancestor of that turn, only those that follow it; if it is no ancestor, all of
        them."""
        to = head_row(self.database).turn_id if to is None else to
        return [
            {
                **{name: turn[name] for name in _TOLD},
                "action_id": turn["user_action_id"],
                "lore_cached": None if turn["lore_cached"] is None else bool(turn["lore_cached"]),
                "result": read_json(turn["result_json"]),
            }
            for turn in path_to(self.database, to, after=after)
        ]

    def messages(self, turn_id: str, *, last: int, seen_from: str | None = None) -> list[tuple[int, Message]]:
        """Return (turn number, message) of the last turns up to a turn, oldest first, with the IDs of that turn or of a
        later one that they are seen from."""
        return self._messages_of(path_to(self.database, turn_id, last=last), seen_from or turn_id)

    def _messages_of(self, turns: Sequence[sqlite3.Row], seen_from: str) -> list[tuple[int, Message]]:
        later = self.later_ids(seen_from)
        stored = messages_of_turns(self.database, self.campaign_id, [turn["turn_id"] for turn in turns])
        return [
            (turn["turn_no"], later.of_message(turn["turn_no"], message_of(row)))
            for turn in turns
            for row in stored[turn["turn_id"]]
        ]

    def opening(self) -> ToldOpening | None:
        """Return the narration that the campaign began with; None where the story was imported without one."""
        row = self.database.row(
            """SELECT m.turn_id, m.seq, m.content, m.audience_json, text_of(s.state_json) AS state_json
               FROM turns t JOIN world_states s ON s.campaign_id = t.campaign_id AND s.turn_id = t.turn_id
               JOIN messages m ON m.campaign_id = t.campaign_id AND m.turn_id = t.turn_id
               WHERE t.campaign_id = ? AND t.parent_id IS NULL AND m.type = 'narration' ORDER BY m.seq LIMIT 1""",
            self.campaign_id,
        )
        if row is None:
            return None
        audience, place = tuple(read_json(row["audience_json"])), None
        with suppress(ValueError, LookupError, TypeError):
            place = read_json(row["state_json"])["scene"]["location_id"]
        return ToldOpening(row["content"], f"{row['turn_id']}/{row['seq']}", place or "", audience)

    def story(self, head: Head) -> StorySoFar:
        """Return what reached the player of a head up to it."""
        (last, seen), so_far = self._story_of, self.last_story
        later = self.later_ids(head.turn_id)
        if seen != (head.state.player_id, later) or not (last and self._is_on_path(last, head.turn_id)):
            last, so_far = "", StorySoFar()
        rows = words_on_path(self.database, head.turn_id, after=last or None)
        if rows:
            told = [(row["turn_no"], later.of_message(row["turn_no"], message_of(row))) for row in rows]
            so_far = so_far.grown(told, head.state.player_id)
        self._story_of, self.last_story = (head.turn_id, (head.state.player_id, later)), so_far
        return so_far

    def tried(self, head: Head) -> tuple[TriedRound, ...]:
        """Return the actions of the player's rounds up to a head, in order, without unreadable records."""
        last, seen, so_far = self._tried
        later = self.later_ids(head.turn_id)
        if seen != later or not (last and self._is_on_path(last, head.turn_id)):
            last, so_far = "", ()
        rows = resolutions_on_path(self.database, head.turn_id, after=last or None)
        found = (resolution_of(row, later) for row in rows)
        so_far = (*so_far, *(tried_in(resolution) for resolution in found if resolution is not None))
        self._tried = (head.turn_id, later, so_far)
        return so_far

    def stage_records(self, turn_id: str) -> list[dict[str, Any]]:
        """Return the records of a turn's stages, in order."""
        sql = f"SELECT {selected(STAGE_RECORDS, *RECORD)} FROM stage_records WHERE campaign_id = ? AND turn_id = ?"
        rows = self.database.rows(f"{sql} ORDER BY seq", self.campaign_id, turn_id)
        return list(map(record_of, rows))

    def stage_output(self, turn_id: str, stage: str) -> Any:
        """Return the last output of a stage in a turn, or None where it was not run in it."""
        row = self.database.row(
            """SELECT output_json FROM stage_records WHERE campaign_id = ? AND turn_id = ? AND stage = ?
               ORDER BY seq DESC LIMIT 1""",
            self.campaign_id,
            turn_id,
            stage,
        )
        return None if row is None else read_json(row["output_json"])

    def resolution(self, turn_id: str) -> Resolution:
        """Return the resolution of a turn, from its record; an empty one where it has none.

        Raises:
            DamagedFile: the record is not as it was written.
        """
        output = self.stage_output(turn_id, "resolve")
        try:
            return Resolution() if output is None else Resolution.model_validate(output)
        except ValidationError:
            message = f"{self.database.path.name} is damaged: the result of the turn {turn_id} cannot be read"
            raise DamagedFile(message, hint=RESTORE) from None

    def attempts(self) -> list[dict[str, Any]]:
        """Return the submissions that failed, oldest first."""
        rows = self.database.rows("SELECT * FROM attempts ORDER BY attempt_no")
        return [{**dict(row), "records_json": read_json(row["records_json"])} for row in rows]

    def result_of(self, action_id: str) -> str | None:
        """Return the result of the turn that was played under an action ID, on any branch; None where none was."""
        sql = "SELECT result_json FROM turns WHERE campaign_id = ? AND user_action_id = ?"
        row = self.database.row(sql, self.campaign_id, action_id)
        return None if row is None else str(row["result_json"])

    def cached_scene(self) -> SceneLoreRow | None:
        """Return the stored lore of the head's scene; None where nothing was played in it."""
        return scene_lore_row(self.database, self.head().state.scene.id)

    def stored_result(self, submission: Submission) -> str | None:
        """Return the result of the turn that this action ID made, as it was first told; None for a new one.

        Raises:
            ActionIdReused: the action ID is known with other words.
            TurnUndone: its turn was taken back. An action ID names one turn for ever, so that sending it again neither
                returns a turn that is no part of the story, nor plays it a second time.
        """
        sql = "SELECT turn_id, request_hash, result_json FROM turns WHERE campaign_id = ? AND user_action_id = ?"
        row = self.database.row(sql, self.campaign_id, submission.action_id)
        if row is None:
            return None
        if row["request_hash"] != submission.request_hash:
            raise ActionIdReused(
                f"the action ID {submission.action_id} was used for other words",
                hint="use a new action ID for a new action",
            )
        if not self.is_on_path(row["turn_id"]):
            raise TurnUndone(
                f"the turn of the action ID {submission.action_id} was taken back, or is on another branch",
                hint="do it again with redo, switch to its branch, or use a new action ID to play it anew",
            )
        return str(row["result_json"])

    def position(self) -> HeadRow:
        """Return the head's turn and the revision that guards it."""
        return head_row(self.database)

    def path(self, *, last: int | None = None) -> list[TurnOnPath]:
        """Return the turns from the root (or the last few) to the head, in order."""
        return [_point(row) for row in path_to(self.database, self.position().turn_id, last=last)]

    def turn(self, turn_id: str) -> TurnOnPath:
        """Return a turn of any branch.

        Raises:
            NotFound: there is no such turn.
        """
        return _point(self._turn_row(turn_id))

    def submission(self, turn_id: str) -> Submission:
        """Return the submission of a turn of any branch: the words, and what was sent besides them.

        Raises:
            NotFound: there is no such turn.
        """
        return submission_of(self._turn_row(turn_id))

    def undone(self) -> list[str]:
        """Return the IDs of the turns that can be redone, the next one last."""
        return undone_turns(self.database)

    def is_on_path(self, turn_id: str) -> bool:
        """Return True if a turn is the head or one of its ancestors."""
        return is_on_path(self.database, turn_id, to=head_row(self.database).turn_id)

    def time(self, session_id: str | None = None) -> str:
        """Return the time for a new row, in UTC. Within a sitting it is never before the sitting's beginning or its
        last turn, even if the machine's clock has been set back."""
        latest = None if session_id is None else latest_time_of(self.database, session_id)
        return max(self._clock(), latest or "")

    def commit(self, draft: Draft) -> str:
        """Write a turn whole and move the head to it; return the stored result.

        Raises:
            HeadMoved: another turn was committed since the head was read; nothing was written.
            ActionIdReused: another turn took the action ID with other words; nothing was written.
        """
        result_json = canonical_json(draft.result.model_dump(mode="json"))
        before, after = StateOf(draft.head.turn_id, draft.head.state), StateOf(draft.turn_id, draft.state)
        statements = [
            *self._statements(draft, result_json),
            *projection_statements(self.database, draft.head.campaign_id, before, after),
        ]
        step("commit:thought")
        try:
            with self.database.transaction() as connection:
                guard_head(connection, draft.head.turn_id, draft.head.revision)
                step("commit:begun")
                for sql, parameters in statements:
                    connection.execute(sql, parameters)
                step("commit:written")
            step("commit:committed")
            self.database.keep_count(self._created_at, draft.head.revision + 1)
        except (sqlite3.Error, DatabaseUnavailable):
            # A COMMIT may have taken effect although it raised; and the same submission, sent twice, may have been
            # first.
            stored = self.stored_result(draft.submission)
            if stored is None:
                raise
            return stored
        self._latest = (draft.turn_id, draft.state.as_read_after(draft.head.state))
        log_event("turn_committed", campaign=draft.head.campaign_id, turn=draft.turn_no, kind=draft.kind)
        return result_json

    def _statements(self, draft: Draft, result_json: str) -> list[tuple[str, tuple[Any, ...]]]:
        """Return the statements of everything that a turn writes, serialised before the transaction begins."""
        time, campaign_id, lore_use = self.time(draft.head.session_id), draft.head.campaign_id, draft.scene_lore
        inputs = StageInputs(self.database.rows, campaign_id)
        statements: list[tuple[str, tuple[Any, ...]]] = [
            insert_row(*row) for row in rows_of(draft, time, result_json=result_json, pack_input=inputs.pack)
        ]
        statements += inputs.keys
        statements += prompt_text_statements(campaign_id, draft.records)
        statements += set_head(campaign_id, draft.turn_id, draft.turn_no, time)
        statements += forget_state(campaign_id, draft.head.turn_id)
        # Undone turns cannot be redone after a new turn; they stay on their own branch.
        statements.append(("DELETE FROM undone WHERE campaign_id = ?", (campaign_id,)))
        if lore_use.to_keep is not None:
            statements.append(
                keep_scene_lore(
                    campaign_id, SceneLoreRow(lore_use.scene_id, draft.head.session_id, lore_use.to_keep), time
                )
            )
        return statements

    def move_head(
        self,
        head: HeadRow,
        turn_id: str,
        state: WorldState,
        *,
        taken_back: tuple[str, ...] = (),
        redone: int = 0,
        named: str | None = None,
        onto: str | None = None,
    ) -> None:
        """Make another turn the head, with its state; see `HeadMove` for the other arguments.

        Raises:
            HeadMoved: another turn was committed since the head was read; nothing was changed.
        """
        before = None
        # A head that cannot be read can be left all the same.
        with suppress(LorewrightError, ValueError):
            before = StateOf(head.turn_id, self.state_at(head.turn_id))
        move = HeadMove(
            campaign_id=self.campaign_id,
            from_turn_id=head.turn_id,
            revision=head.revision,
            to_turn_id=turn_id,
            to_turn_no=self.turn(turn_id).turn_no,
            state_json=state.to_json(),
            time=self.time(),
            taken_back=taken_back,
            redone=redone,
            named=named,
            onto=onto,
            projection=projection_statements(self.database, self.campaign_id, before, StateOf(turn_id, state)),
        )
        move_head(self.database, move)
        self.database.keep_count(self._created_at, head.revision + 1)

    def keep_attempt(
        self, head: Head, submission: Submission, error: LorewrightError, records: Sequence[StageRecord]
    ) -> None:
        """Store the records of a submission that failed. The stream and the state do not change."""
        with self.database.transaction() as connection:
            connection.execute(*attempt_row(head, submission, error, records, self.time(head.session_id)))


def _point(row: sqlite3.Row) -> TurnOnPath:
    return TurnOnPath(row["turn_id"], row["turn_no"], row["kind"], row["player_text"], row["state_hash"])
