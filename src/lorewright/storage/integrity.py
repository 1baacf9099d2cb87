"""A campaign's tables -> the rows that break an invariant. Nothing is changed.

Each invariant is a query for the rows that break it. Contents that SQL cannot check (states, stored results) are
checked by the modules that read them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lorewright.ids import hash_of_texts
from lorewright.storage.database import Database
from lorewright.storage.heads import FULL_STATE_EVERY
from lorewright.storage.packed_texts import PACKED, STAGE_RECORDS, selected
from lorewright.storage.projected_tables import FIRST_REVEALS
from lorewright.storage.projection import REBUILT_TABLES

# Rows of the tables `upgrades` and `upgrade_pins`: the rules and texts that hold from a turn of the kind `upgrade` on.

_PIN_TABLES = ("pack_pins", "upgrade_pins")


@dataclass(frozen=True, slots=True)
class UpgradeRow:
    """An upgrade, in force from its turn on: the rules as JSON, the ruleset's ID and hash, the pins (pack, version,
    content hash) by pack, and the prompts as JSON."""

    turn_id: str
    rules_json: str
    ruleset_id: str
    ruleset_hash: str
    prompts_json: str
    pins: tuple[tuple[str, str, str], ...]


def upgrade_of(database: Database, turn_id: str) -> str | None:
    """Return the ID of the nearest turn of the kind `upgrade` from a turn to the root, that turn included; None if
    there is none."""
    if database.row("SELECT 1 FROM upgrades") is None:
        return None
    found = database.row(
        """WITH RECURSIVE path(turn_id) AS (
             SELECT ?1 UNION ALL
             SELECT t.parent_id FROM path JOIN turns t
             ON t.campaign_id = (SELECT id FROM campaigns) AND t.turn_id = path.turn_id WHERE t.parent_id IS NOT NULL
           ) SELECT path.turn_id FROM path WHERE path.turn_id IN (SELECT turn_id FROM upgrades) LIMIT 1""",
        turn_id,
    )
    return None if found is None else str(found["turn_id"])


def upgrade_row(database: Database, turn_id: str) -> UpgradeRow | None:
    """Return the upgrade of a turn, or None if it has none."""
    names = ("rules_json", "ruleset_id", "ruleset_hash", "prompts_json")
    row = database.row(f"SELECT {selected('upgrades', *names)} FROM upgrades WHERE turn_id = ?", turn_id)
    if row is None:
        return None
    pins = database.rows(
        "SELECT pack_id, version, content_hash FROM upgrade_pins WHERE turn_id = ? ORDER BY pack_id", turn_id
    )
    return UpgradeRow(
        turn_id, row["rules_json"], row["ruleset_id"], row["ruleset_hash"], row["prompts_json"], tuple(map(tuple, pins))
    )


def all_pins(database: Database) -> list[tuple[str, str, str]]:
    """Return (pack, version, content hash) of every text that is pinned on any branch, each once, by pack; for a file
    of any version."""
    existing = set(database.table_names())
    found: set[tuple[str, str, str]] = set()
    for table in (name for name in _PIN_TABLES if name in existing or name == "pack_pins"):
        found |= {tuple(row) for row in database.rows(f"SELECT pack_id, version, content_hash FROM {table}")}
    return sorted(found)


def rules_of_upgrades(database: Database) -> list[sqlite3.Row]:
    """Return (turn_id, rules_json) of every upgrade, by turn ID."""
    return database.rows("SELECT turn_id, text_of(rules_json) AS rules_json FROM upgrades ORDER BY turn_id")


# The rows that are checked, as they are stored.

Row = sqlite3.Row
# Any error of SQLite.
Refused = sqlite3.Error

# Table -> the SQL expression that names a row, and its columns with JSON that no pydantic model reads, each with the
# allowed types.
_JSON_COLUMNS: Mapping[str, tuple[str, Mapping[str, tuple[type, ...]]]] = {
    "campaigns": ("id", {"scenario_json": (dict,), "calibration_json": (dict,), "agreed_keys_json": (list,)}),
    "actions": ("turn_id || ', action ' || action_index", {"metadata_json": (dict,)}),
    "messages": ("turn_id || ', message ' || seq", {"payload_json": (dict,), "audience_json": (list,)}),
    "stage_records": (
        "turn_id || ', stage ' || stage",
        {
            "input_json": (dict, list),
            # A model whose answers stayed invalid has none; the built-in stage beside it has.
            "output_json": (dict, list, type(None)),
            "attempts_json": (list,),
            "prompt_json": (dict,),
            "calls_json": (list,),
        },
    ),
    "attempts": ("attempt_no", {"records_json": (list,)}),
    "sessions": ("id", {"session_lore_json": (dict,), "world_events_pending": (list,)}),
    "scene_lore": ("scene_id", {"lore_json": (dict,)}),
    "model_calls": ("call_no", {"record_json": (dict,)}),
    "reviews": ("turn_id || ', review ' || review_no", {"ops_json": (list,)}),
    "story_summaries": ("turn_id", {"sentences_json": (list,)}),
}


def turn_count(database: Database) -> int:
    """Return the number of turns on all branches."""
    return int(database.rows("SELECT count(*) FROM turns")[0][0])


def campaign_row(database: Database) -> Mapping[str, Any]:
    """Return the campaign's row, with its texts unpacked."""
    texts = database.rows(f"SELECT {selected('campaigns', *PACKED['campaigns'])} FROM campaigns")[0]
    return {**dict(database.rows("SELECT * FROM campaigns")[0]), **dict(texts)}


def json_texts(database: Database) -> Iterator[tuple[str, str, str, tuple[type, ...]]]:
    """Yield (row, column, text, allowed types) of all JSON that no pydantic model reads."""
    for table, (where, columns) in _JSON_COLUMNS.items():
        for row in database.each(f"SELECT {where} AS place, {selected(table, *columns)} FROM {table}"):
            for column, kinds in columns.items():
                yield f"{table}, {row['place']}", column, row[column], kinds


def state_rows(database: Database) -> list[Row]:
    """Return every turn with its ops, the hash of the state after it and, if it is stored, that state; parents
    first."""
    return database.rows(
        """SELECT t.turn_id, t.parent_id, t.turn_no, t.ops_json, t.state_hash, text_of(s.state_json) AS state_json
           FROM turns t LEFT JOIN world_states s USING (campaign_id, turn_id) ORDER BY t.turn_no, t.rowid"""
    )


def turns_with_messages(database: Database) -> Iterator[tuple[Row, list[Row]]]:
    """Yield every turn with its messages; parents first."""
    for turn in database.rows("SELECT * FROM turns ORDER BY turn_no, rowid"):
        sql = "SELECT * FROM messages WHERE campaign_id = ? AND turn_id = ?"
        yield turn, database.rows(sql, turn["campaign_id"], turn["turn_id"])


# The columns of a turn that its hash is of, by their place in the row.
_HASHED = ("player_text", "ops_json", "result_json")
_PLACES = (7, 8, 10)
# The stage, input and output of a record.
RecordTexts = tuple[str, str, str]


def turn_hash_row(turn: Sequence[Any], records: Iterable[RecordTexts] = ()) -> tuple[str, tuple[str, str, str]]:
    """Return the table and the row of the hash of a turn, of the values of its own row in the order of the columns, and
    of the stage, input and output of each of its records."""
    texts = (*(turn[place] for place in _PLACES), *(text for record in records for text in record))
    return "turn_hashes", (turn[0], turn[1], hash_of_texts(*texts))


def altered_turns(database: Database) -> Iterator[Row]:
    """Yield every turn whose words, ops, result or records are not those that were written with it; parents first. The
    hashes of turns from before there were packed texts are without the records."""
    sql = """SELECT t.*, h.hash FROM turns t LEFT JOIN turn_hashes h USING (campaign_id, turn_id)
             ORDER BY t.turn_no, t.rowid"""
    of_turn = f"""SELECT {selected(STAGE_RECORDS, "stage", "input_json", "output_json")} FROM stage_records
                  WHERE campaign_id = ? AND turn_id = ? ORDER BY seq"""
    for turn in database.each(sql):
        texts = [turn[name] for name in _HASHED]
        if turn["hash"] != hash_of_texts(*texts):
            records = database.rows(of_turn, turn["campaign_id"], turn["turn_id"])
            if turn["hash"] != hash_of_texts(*texts, *(text for record in records for text in record)):
                yield turn


def edits_asked_for(database: Database) -> dict[str, str]:
    """Return turn ID -> the stored input of every turn of the kind edit."""
    sql = """SELECT turn_id, text_of(input_json) AS input_json FROM stage_records r
             JOIN turns t USING (campaign_id, turn_id) WHERE t.kind = 'edit' AND r.stage = 'edit'"""
    return {row["turn_id"]: row["input_json"] for row in database.rows(sql)}


def pinned_texts(database: Database) -> list[tuple[str, str]]:
    """Return (pack, content hash) of every text that is pinned on any branch, by pack."""
    return list(dict.fromkeys((pack_id, text_hash) for pack_id, _, text_hash in all_pins(database)))


# The invariants, and the rows that break them.

RESTORE = "restore the campaign's file from a copy or an export"


@dataclass(frozen=True, slots=True)
class IntegrityFinding:
    """A fault in a campaign's file: a stable code, the place, a description and a hint."""

    code: str
    where: str
    what: str
    hint: str


@dataclass(frozen=True, slots=True)
class Invariant:
    """A query that returns (where, what) for each row that breaks the invariant."""

    code: str
    sql: str
    hint: str = RESTORE


_TURN = "'turn ' || t.turn_no || ' (' || t.turn_id || ')'"


def _counted(table: str, column: str) -> str:
    """Return the query for turns whose rows in a table are not numbered 0, 1, 2 … without a gap."""
    return f"""SELECT {_TURN}, 'its rows in {table} are not numbered from 0 without a gap' FROM {table} x
        JOIN turns t USING (campaign_id, turn_id) GROUP BY t.campaign_id, t.turn_id
        HAVING min(x.{column}) != 0 OR max(x.{column}) != count(*) - 1"""


_KNOWN_FIRST = FIRST_REVEALS.removeprefix("INSERT INTO first_reveals")

# The other invariants can be checked only if these hold.
FOUNDATIONS = (
    Invariant(
        "campaign-count",
        "SELECT 'campaigns', 'the file holds ' || count(*) || ' campaigns' FROM campaigns HAVING count(*) != 1",
    ),
    Invariant(
        "root",
        """SELECT 'turns', count(*) || ' turns have no parent; one must, which is turn 0 and of the kind start'
           FROM turns WHERE parent_id IS NULL HAVING count(*) != 1 OR max(turn_no) != 0 OR max(kind) != 'start'""",
    ),
    Invariant(
        "head-unknown",
        """SELECT 'campaign', 'its head ' || head_turn_id || ' is no turn' FROM campaigns c WHERE NOT EXISTS
           (SELECT 1 FROM turns t WHERE t.campaign_id = c.id AND t.turn_id = c.head_turn_id)""",
    ),
    Invariant(
        "turn-parent",
        f"""SELECT {_TURN}, 'its parent ' || t.parent_id || ' is no turn' FROM turns t LEFT JOIN turns p
            ON p.campaign_id = t.campaign_id AND p.turn_id = t.parent_id
            WHERE t.parent_id IS NOT NULL AND p.turn_id IS NULL""",
    ),
    # If numbers grow by one along every edge, there is no circle, and no gap on any branch.
    Invariant(
        "turn-number",
        f"""SELECT {_TURN}, 'its parent is turn ' || p.turn_no FROM turns t JOIN turns p
            ON p.campaign_id = t.campaign_id AND p.turn_id = t.parent_id WHERE t.turn_no != p.turn_no + 1""",
    ),
)

INVARIANTS = (
    Invariant(
        "head-number",
        """SELECT 'campaign', 'it counts ' || c.current_turn || ' turns, its head is turn ' || t.turn_no
           FROM campaigns c JOIN turns t ON t.campaign_id = c.id AND t.turn_id = c.head_turn_id
           WHERE t.turn_no != c.current_turn""",
    ),
    Invariant(
        "revision-behind",
        """SELECT 'campaign', 'its revision is ' || c.revision || ', and ' || count(*) || ' turns were committed'
           FROM campaigns c JOIN turns t ON t.campaign_id = c.id AND t.parent_id IS NOT NULL
           GROUP BY c.id HAVING c.revision < count(*)""",
    ),
    Invariant(
        "stranger",
        """SELECT 'turn ' || turn_id, 'it is of the campaign ' || campaign_id FROM turns
           WHERE campaign_id NOT IN (SELECT id FROM campaigns)
           UNION ALL SELECT 'attempt ' || attempt_no, 'it is of the campaign ' || campaign_id FROM attempts
           WHERE campaign_id NOT IN (SELECT id FROM campaigns)""",
    ),
    Invariant(
        "branch-unknown",
        """SELECT 'campaign', 'the branch at hand, ' || branch || ', is not on its list' FROM campaigns c
           WHERE NOT EXISTS (SELECT 1 FROM branches b WHERE b.campaign_id = c.id AND b.name = c.branch)""",
    ),
    Invariant(
        "branch-head",
        """SELECT 'branch ' || b.name, 'it is at hand, and its head ' || b.head_turn_id || ' is not the head'
           FROM branches b JOIN campaigns c ON c.id = b.campaign_id AND c.branch = b.name
           WHERE b.head_turn_id != c.head_turn_id""",
    ),
    Invariant(
        "state-missing",
        f"""SELECT {_TURN}, 'no complete state is kept of it' FROM turns t WHERE NOT EXISTS
            (SELECT 1 FROM world_states s WHERE s.campaign_id = t.campaign_id AND s.turn_id = t.turn_id) AND
            (t.turn_no % {FULL_STATE_EVERY} = 0
             OR t.turn_id IN (SELECT head_turn_id FROM campaigns UNION SELECT head_turn_id FROM branches)
             OR (SELECT count(*) FROM turns k WHERE k.campaign_id = t.campaign_id AND k.parent_id = t.turn_id) > 1)""",
        "its state is still rebuilt from the turns before it; " + RESTORE,
    ),
    Invariant("message-order", _counted("messages", "seq")),
    Invariant("action-order", _counted("actions", "action_index")),
    Invariant("record-order", _counted("stage_records", "seq")),
    Invariant(
        "message-missing",
        f"""SELECT {_TURN}, 'a turn of the kind ' || t.kind || ' without its ' || w.type FROM turns t
            JOIN (SELECT 'start' AS kind, 'narration' AS type UNION ALL SELECT 'play', 'intention'
                  UNION ALL SELECT 'play', 'narration' UNION ALL SELECT 'clarification', 'intention') w USING (kind)
            WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.campaign_id = t.campaign_id
                              AND m.turn_id = t.turn_id AND m.type = w.type)""",
    ),
    Invariant(
        "record-missing",
        f"""SELECT {_TURN}, 'a turn that was played, without what its stages were given and made' FROM turns t
            WHERE t.kind = 'play' AND NOT EXISTS (SELECT 1 FROM stage_records r
            WHERE r.campaign_id = t.campaign_id AND r.turn_id = t.turn_id)""",
    ),
    Invariant(
        "record-version",
        """SELECT 'turn ' || turn_id || ', stage ' || stage, 'its built-in version is ' || builtin_version
           FROM stage_records WHERE builtin_version < 1""",
    ),
    # Of the other packed texts it is said where they are read.
    Invariant(
        "packed-altered",
        """SELECT 'prompt ' || name || ' ' || version, 'its text is not what was packed' FROM prompt_texts
           WHERE typeof(source) = 'blob' AND text_of(source) = ''
           UNION ALL SELECT 'key ' || key_no || ' of the stage ' || stage, 'its text is not what was packed'
           FROM stage_keys WHERE text_of(input) = ''""",
    ),
    Invariant(
        "first-reveals",
        f"""SELECT 'first_reveals', 'what was known when the campaign began is not that of its first state'
            WHERE EXISTS ({_KNOWN_FIRST} EXCEPT SELECT * FROM first_reveals)
            OR EXISTS (SELECT * FROM first_reveals EXCEPT {_KNOWN_FIRST})""",
    ),
    Invariant(
        "action-unjudged",
        f"""SELECT {_TURN}, 'action ' || a.action_index || ' was not judged' FROM actions a
            JOIN turns t USING (campaign_id, turn_id) LEFT JOIN validation_results v
            USING (campaign_id, turn_id, action_index) WHERE t.kind = 'play' AND v.turn_id IS NULL""",
    ),
    Invariant(
        "judgement-unfounded",
        f"""SELECT {_TURN}, 'action ' || v.action_index || ' was judged, and is not there' FROM validation_results v
            JOIN turns t USING (campaign_id, turn_id) LEFT JOIN actions a USING (campaign_id, turn_id, action_index)
            WHERE t.kind = 'play' AND a.turn_id IS NULL""",
    ),
    Invariant(
        "refusal-unexplained",
        f"""SELECT {_TURN}, 'action ' || v.action_index || ' was refused without a reason' FROM validation_results v
            JOIN turns t USING (campaign_id, turn_id) WHERE v.success = 0 AND v.reason IS NULL""",
    ),
    Invariant(
        "undone-order",
        """SELECT 'undone ' || u.position, 'it does not go on from what would be done again before it' FROM undone u
           JOIN turns t USING (campaign_id, turn_id) JOIN campaigns c ON c.id = u.campaign_id
           WHERE t.parent_id IS NOT coalesce((SELECT n.turn_id FROM undone n WHERE n.campaign_id = u.campaign_id
           AND n.position > u.position ORDER BY n.position LIMIT 1), c.head_turn_id)""",
        "do not redo: play on, or switch to a branch",
    ),
    Invariant(
        "attempt-head",
        """SELECT 'attempt ' || attempt_no, 'it was thought from ' || head_turn_id || ', which is no turn'
           FROM attempts a WHERE NOT EXISTS
           (SELECT 1 FROM turns t WHERE t.campaign_id = a.campaign_id AND t.turn_id = a.head_turn_id)""",
    ),
    Invariant(
        "upgrade-turn",
        f"""SELECT {_TURN}, 'a turn of the kind upgrade, and what it goes on with is not said' FROM turns t
            LEFT JOIN upgrades u USING (campaign_id, turn_id) WHERE t.kind = 'upgrade' AND u.turn_id IS NULL
            UNION ALL SELECT {_TURN}, 'a turn of the kind ' || t.kind || ' that says what it goes on with'
            FROM upgrades u JOIN turns t USING (campaign_id, turn_id) WHERE t.kind != 'upgrade'""",
    ),
    Invariant(
        "session-open",
        """SELECT 'sittings', count(*) || ' are open; one may be' FROM sessions WHERE ended_at IS NULL
           HAVING count(*) > 1""",
        "end them: lorewright session end ID",
    ),
    Invariant(
        "session-range",
        """SELECT 'sitting ' || s.id, 'its range is ' || coalesce(s.turn_range_start, '?') || ' to '
           || coalesce(s.turn_range_end, '?') || ', and its last turn is ' || coalesce(t.turn_no, 'none')
           FROM sessions s LEFT JOIN turns t ON t.campaign_id = s.campaign_id AND t.turn_id = s.end_turn_id
           WHERE s.turn_range_end IS NOT t.turn_no OR s.turn_range_start > s.turn_range_end
           OR s.turn_range_start IS NULL OR (s.ended_at IS NULL AND s.end_turn_id IS NOT NULL)""",
    ),
    Invariant(
        "session-summary",
        """SELECT 'sitting ' || id, 'it has ' || CASE WHEN summary IS NULL THEN 'no summary, and ended'
           ELSE 'a summary, and goes on' END FROM sessions WHERE (summary IS NULL) != (ended_at IS NULL)""",
    ),
)

# Harmless oddities: the clock was set back while an older version wrote times without a check.
ODDITIES = (
    Invariant(
        "session-time",
        """SELECT 'sitting ' || id, 'it ended before it began' FROM sessions WHERE ended_at < started_at""",
        "nothing is lost by it; look at the clock of the machine",
    ),
    Invariant(
        "session-turn",
        f"""SELECT {_TURN}, 'it was played in ' || s.id || ', which began after it' FROM turns t
            JOIN sessions s ON s.id = t.session_id WHERE t.created_at < s.started_at""",
        "nothing is lost by it; look at the clock of the machine",
    ),
)


def find_file_faults(database: Database) -> list[IntegrityFinding]:
    """Return the faults that SQLite finds in a file (torn pages, an index that lacks a row, dangling foreign keys), and
    values of another type than their column, which SQLite allows. Projected tables are compared with their state
    elsewhere."""
    problems = [row[0] for row in database.rows("PRAGMA integrity_check(10)") if row[0] != "ok"]
    mend = migration_hint(database)
    found = [IntegrityFinding("file-torn", "the file", problem, RESTORE) for problem in problems]
    for row in database.rows("PRAGMA foreign_key_check"):
        where = f"{row['table']}, row {row['rowid']}"
        hint = mend if row["table"] in REBUILT_TABLES else RESTORE
        found.append(
            IntegrityFinding("foreign-key", where, f"it points at a row of {row['parent']} that is not there", hint)
        )
    for table in database.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"):
        if table["name"] in REBUILT_TABLES:
            continue
        for column in database.rows(f"PRAGMA table_info({table['name']})"):
            found += _of_another_type(database, table["name"], column)
    return found


def migration_hint(database: Database) -> str:
    """Return the hint for tables that can be rebuilt."""
    return f"make it anew: lorewright db migrate {database.path.stem}"


def _of_another_type(database: Database, table: str, column: sqlite3.Row) -> list[IntegrityFinding]:
    name, allowed = column["name"], [column["type"].lower(), *([] if column["notnull"] else ["null"])]
    if name in PACKED.get(table, ()):
        allowed.append("blob")
    marks = ", ".join("?" * len(allowed))
    sql = f"SELECT rowid AS row_no, typeof({name}) AS type FROM {table} WHERE typeof({name}) NOT IN ({marks})"
    return [
        IntegrityFinding(
            "value-type", f"{table}, row {row['row_no']}", f"its {name} is of the type {row['type']}", RESTORE
        )
        for row in database.rows(sql, *allowed)
    ]


def find_violations(database: Database, invariants: tuple[Invariant, ...]) -> list[IntegrityFinding]:
    """Return a finding for each row that breaks one of the invariants, in their order."""
    return [
        IntegrityFinding(invariant.code, str(row[0]), str(row[1]), invariant.hint)
        for invariant in invariants
        for row in database.rows(invariant.sql)
    ]
