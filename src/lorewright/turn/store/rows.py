"""A draft -> its rows, each with its table, in the order in which they can be written; and back, for a message of the
stream."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError

from lorewright.errors import LorewrightError
from lorewright.ids import canonical_json, content_hash, with_other_ids
from lorewright.rules.actions import Action
from lorewright.rules.patch import Resolution
from lorewright.storage.annotation_rows import narration_rows, story_row
from lorewright.storage.database import Database, read_json
from lorewright.storage.heads import upgrades_on_path
from lorewright.storage.integrity import Row as StoredRow
from lorewright.storage.integrity import turn_hash_row
from lorewright.storage.packing import pack
from lorewright.turn.views.draft import BESIDE, Draft, Head, StageRecord, Submission
from lorewright.turn.views.story import seen_by
from lorewright.values.annotations import Summary, SummarySentence, ToldTurn
from lorewright.values.entries import RECENT_TURNS, SUMMARISE_AFTER
from lorewright.values.records import Message
from lorewright.world.ops import RenameIds, StateOp
from lorewright.world.state import WorldState

OPS: TypeAdapter[tuple[StateOp, ...]] = TypeAdapter(tuple[StateOp, ...], config=ConfigDict(defer_build=True))

# A table and the values of one row of it, in the order of its columns.
Row = tuple[str, tuple[Any, ...]]


def rows_of(
    draft: Draft, time: str, *, result_json: str, pack_input: Callable[[str, str], str | bytes]
) -> Iterator[Row]:
    """Yield the rows of the turn, the state after it, its messages, its actions with their judgements, and the inputs
    and outputs of its stages; `pack_input` (of stage and text) makes what is stored of an input."""
    state_json = draft.state.to_json()
    turn = _turn_values(draft, time, content_hash(state_json), result_json)
    yield "turns", turn
    yield turn_hash_row(turn, ((record.stage, record.input_json, record.output_json) for record in draft.records))
    yield "world_states", (draft.head.campaign_id, draft.turn_id, state_json)
    yield from (message_row(draft.head.campaign_id, message) for message in draft.messages)
    yield from _action_rows(draft)
    yield from _record_rows(draft, pack_input)
    yield from _upgrade_rows(draft)
    yield from _annotation_rows(draft)


def message_row(campaign_id: str, message: Message) -> Row:
    """Return the row of a message."""
    return "messages", (
        campaign_id,
        message.turn_id,
        message.seq,
        message.owner,
        message.type,
        message.subtype,
        message.content,
        canonical_json(dict(message.payload)),
        canonical_json(list(message.audience)),
    )


def message_of(row: StoredRow) -> Message:
    """Return the message of a row."""
    return Message(
        owner=row["owner"],
        type=row["type"],
        turn_id=row["turn_id"],
        seq=row["seq"],
        content=row["content"],
        subtype=row["subtype"],
        payload=read_json(row["payload_json"]),
        audience=tuple(read_json(row["audience_json"])),
    )


@dataclass(frozen=True, slots=True)
class LaterIds:
    """The IDs that upgrades on the way to a turn gave to what had others: the number of each such turn with ID then ->
    ID now, oldest first."""

    upgrades: tuple[tuple[int, Mapping[str, str]], ...] = ()

    def of(self, turn_no: int, value: Any) -> Any:
        """Return a value of JSON that a turn holds, with the IDs of now."""
        for upgraded, ids in self.upgrades:
            value = with_other_ids(value, ids) if turn_no < upgraded else value
        return value

    def of_message(self, turn_no: int, message: Message) -> Message:
        """Return a message of a turn with the IDs of now; its words stay."""
        if not any(turn_no < upgraded for upgraded, _ in self.upgrades):
            return message
        held = {"owner": message.owner, "payload": dict(message.payload), "audience": list(message.audience)}
        now = self.of(turn_no, held)
        return message.model_copy(update={**now, "audience": tuple(now["audience"])})


def later_ids(database: Database, turn_id: str) -> LaterIds:
    """Return the IDs that upgrades on the way to a turn gave anew."""
    renamed = (
        (int(row["turn_no"]), op.ids)
        for row in upgrades_on_path(database, turn_id)
        for op in OPS.validate_json(row["ops_json"])
        if isinstance(op, RenameIds)
    )
    return LaterIds(tuple(renamed))


def submission_of(row: StoredRow, *, body: str | None = None) -> Submission:
    """Return the submission of a turn's row: the words, and what was sent besides them."""
    fields = read_json(row["submission_json"])
    known = {name: fields[name] for name in BESIDE if name in fields}
    known["actions"] = tuple(map(Action.model_validate, known.get("actions", ())))
    return Submission(row["player_text"], row["user_action_id"], **known, body=body)


# The columns that `record_of` reads.
RECORD = (
    *("stage", "input_json", "output_json", "model_key", "model_name", "attempts_json", "provider", "prompt_json"),
    *("cost_microusd", "calls_json", "builtin_version"),
)


def record_of(row: StoredRow) -> dict[str, Any]:
    """Return a stage's record as data, from its row."""
    return {
        "stage": row["stage"],
        "model_key": row["model_key"],
        "input": read_json(row["input_json"]),
        "output": read_json(row["output_json"]),
        "attempts": read_json(row["attempts_json"]),
        "model_name": row["model_name"],
        "provider": row["provider"],
        "prompt": read_json(row["prompt_json"]),
        "cost_microusd": row["cost_microusd"],
        "calls": read_json(row["calls_json"]),
        "builtin_version": row["builtin_version"],
    }


def resolution_of(row: StoredRow, later: LaterIds) -> Resolution | None:
    """Return the resolution that the row of a record holds, with the IDs of now; None where it cannot be read."""
    try:
        found = Resolution.model_validate_json(row["output_json"])
        if not later.upgrades:
            return found
        return Resolution.model_validate(later.of(row["turn_no"], found.model_dump(mode="json")))
    except ValidationError:
        return None


def now() -> str:
    """Return the time for a row, in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def attempt_row(
    head: Head, submission: Submission, error: LorewrightError, records: Sequence[StageRecord], time: str
) -> tuple[str, tuple[Any, ...]]:
    """Return the statement that stores a submission that failed, with the records of its stages and calls."""
    thought = [
        {
            "stage": record.stage,
            "input": record.input_json,
            "output": record.output_json,
            "model_key": record.model_key,
            "provider": record.provider,
            "prompt": prompt_shown(record) | ({"source": record.prompt.source} if record.prompt is not None else {}),
            "calls": [call.shown() for call in record.calls],
            "builtin_version": record.builtin_version,
        }
        for record in records
    ]
    sql = """INSERT INTO attempts (attempt_no, campaign_id, user_action_id, player_text, head_turn_id, error_code,
             message, records_json, created_at, session_id)
             SELECT coalesce(max(attempt_no), 0) + 1, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM attempts"""
    submitted = (head.campaign_id, submission.action_id, submission.text, head.turn_id)
    return sql, (*submitted, error.code, error.message, canonical_json(thought), time, head.session_id)


def _turn_values(draft: Draft, time: str, state_hash: str, result_json: str) -> tuple[Any, ...]:
    return (
        draft.head.campaign_id,
        draft.turn_id,
        draft.turn_no,
        draft.head.turn_id,
        draft.kind,
        draft.submission.action_id,
        draft.submission.request_hash,
        draft.submission.text,
        OPS.dump_json(draft.ops).decode(),
        state_hash,
        result_json,
        time,
        draft.head.session_id,
        None if draft.scene_lore.cached is None else int(draft.scene_lore.cached),
        canonical_json(draft.submission.beside),
    )


def _annotation_rows(draft: Draft) -> Iterator[Row]:
    key, kept = (draft.head.campaign_id, draft.turn_id), draft.kept
    if (told := kept.summary) is not None:
        sentences = canonical_json([sentence.model_dump(mode="json") for sentence in told.sentences])
        yield "story_summaries", (*key, told.from_turn_no, told.to_turn_no, sentences)
    for number, entry in enumerate(kept.lorebook):
        said = (entry.subject_id, entry.predicate, entry.detail, entry.confidence)
        yield "lorebook", (*key, number, *said, entry.fact_id, entry.flag, entry.against)
    for number, review in enumerate(kept.reviews):
        ops = OPS.dump_json(review.ops).decode()
        shown = (review.stage, review.kind, review.subject_id, ops, review.shown, review.confidence, review.reason)
        yield "reviews", (*key, number, *shown)
    yield from (
        ("review_decisions", (*key, decision.review_turn_id, decision.review_no, decision.decision))
        for decision in kept.decisions
    )
    yield from (
        ("lorebook_decisions", (*key, settled.entry_turn_id, settled.entry_no, settled.decision))
        for settled in kept.settled
    )


def _action_rows(draft: Draft) -> Iterator[Row]:
    key = (draft.head.campaign_id, draft.turn_id)
    for index, action in enumerate(draft.actions):
        metadata = canonical_json(dict(action.metadata))
        yield "actions", (*key, index, action.actor_id, action.type, action.target_id, action.location_id, metadata)
    for result in draft.validation.results:
        yield (
            "validation_results",
            (*key, result.action_index, int(result.success), result.reason, result.message),
        )


def _upgrade_rows(draft: Draft) -> Iterator[Row]:
    key, upgrade = (draft.head.campaign_id, draft.turn_id), draft.upgrade
    if upgrade is not None:
        rules = canonical_json(upgrade.rules.model_dump(mode="json", by_alias=True))
        prompts = canonical_json(dict(upgrade.prompts))
        yield "upgrades", (*key, pack(rules), upgrade.rules.ruleset.id, upgrade.ruleset_hash, prompts)
        yield from (("upgrade_pins", (*key, pin.pack_id, pin.version, pin.content_hash)) for pin in upgrade.pins)


def _record_rows(draft: Draft, pack_input: Callable[[str, str], str | bytes]) -> Iterator[Row]:
    key = (draft.head.campaign_id, draft.turn_id)
    for seq, record in enumerate(draft.records):
        yield (
            "stage_records",
            (
                *(*key, seq, record.stage, pack_input(record.stage, record.input_json), record.output_json),
                *(record.model_key, record.model_name),
                canonical_json([list(attempt) for attempt in record.attempts]),
                *(record.input_tokens, record.output_tokens, record.provider),
                canonical_json(prompt_shown(record)),
                record.cost_microusd,
                canonical_json([call.shown() for call in record.calls]),
                record.builtin_version,
            ),
        )


def prompt_shown(record: StageRecord) -> dict[str, Any]:
    """Return the prompt of a record without its text, which is stored once; empty where there was none."""
    if record.prompt is None:
        return {}
    return {name: value for name, value in asdict(record.prompt).items() if name != "source"}


def prompt_text_statements(campaign_id: str, records: Iterable[StageRecord]) -> list[tuple[str, tuple[Any, ...]]]:
    """Return the statements that store the text of every prompt that was used, once."""
    used = [record.prompt for record in records if record.prompt is not None]
    by_hash = {
        prompt.content_hash: (campaign_id, prompt.content_hash, prompt.name, prompt.version, pack(prompt.source))
        for prompt in used
    }
    sql = "INSERT OR IGNORE INTO prompt_texts VALUES (?, ?, ?, ?, ?)"
    return [(sql, by_hash[content_hash]) for content_hash in sorted(by_hash)]


# A campaign's file -> the story before the recent turns: its summary, and the turns that are not in it yet.

# The most characters of a narration that are used, as everywhere.
_MOST_CHARACTERS = 1_500


def summary_at(database: Database, turn_id: str) -> Summary | None:
    """Return the summary that holds at a turn of any branch; None where none was made on the way there."""
    row = story_row(database, turn_id)
    if row is None:
        return None
    # What was summarised may have been summarised before an upgrade or after it.
    told = later_ids(database, turn_id).of(row.from_turn_no, list(row.sentences))
    sentences = tuple(SummarySentence.model_validate(sentence) for sentence in told)
    return Summary(from_turn_no=row.from_turn_no, to_turn_no=row.to_turn_no, sentences=sentences)


def turns_to_summarise(
    database: Database, turn_id: str, turn_no: int, state: WorldState, summary: Summary | None
) -> tuple[ToldTurn, ...]:
    """Return the turns that the next turn is to summarise: the oldest ones that were told since the last summary and
    are not shown any more, if there are enough of them; else none."""
    after, until = -1 if summary is None else summary.to_turn_no, turn_no - RECENT_TURNS
    if until - after < SUMMARISE_AFTER:
        return ()
    rows = narration_rows(database, turn_id, after=after, until=until)
    later = later_ids(database, turn_id)
    messages = [(row["turn_no"], later.of_message(row["turn_no"], message_of(row))) for row in rows]
    told = told_turns(messages, state)
    return told[:SUMMARISE_AFTER] if len(told) >= SUMMARISE_AFTER else ()


def told_turns(messages: Sequence[tuple[int, Message]], state: WorldState) -> tuple[ToldTurn, ...]:
    """Return the narrations of turns, given as (turn number, message), turn by turn, as far as one of the player's
    characters was there; oldest first."""
    number: dict[tuple[str, int], int] = {(message.turn_id, message.seq): turn_no for turn_no, message in messages}
    seen = seen_by("summariser", (message for _, message in messages), own_id={state.player_id, *state.personas})
    turns: dict[tuple[int, str], list[Message]] = {}
    for message in seen:
        turns.setdefault((number[message.turn_id, message.seq], message.turn_id), []).append(message)
    return tuple(
        ToldTurn(
            turn_no=turn_no,
            turn_id=turn_id,
            text="\n\n".join(message.content for message in told)[:_MOST_CHARACTERS],
            # A narration without an audience was told to the player.
            audience=common_audience([message.audience or (state.player_id,) for message in told]),
        )
        for (turn_no, turn_id), told in sorted(turns.items())
    )


def common_audience(audiences: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return who is in all audiences, in the order of the first."""
    first, *others = audiences
    return tuple(who for who in first if all(who in other for other in others))
