"""A campaign's file -> the story before what stages are shown: its summary, and what that does not tell of yet."""

from __future__ import annotations

from collections.abc import Sequence

from lorewright.storage.database import Database
from lorewright.storage.story import narration_rows, story_row
from lorewright.turn.store.rows import message_of
from lorewright.turn.views.visibility import seen_by
from lorewright.values.kept import Summary, SummarySentence
from lorewright.values.messages import Message
from lorewright.values.summary_records import ToldTurn
from lorewright.values.told_before import RECENT_TURNS, SUMMARISE_AFTER
from lorewright.world.state import WorldState

# A narration is read so far, as everywhere (characters).
_READ = 1_500


def summary_at(database: Database, turn_id: str) -> Summary | None:
    """The summary that holds at a turn of any branch; None where none was made on the way there."""
    row = story_row(database, turn_id)
    if row is None:
        return None
    sentences = tuple(SummarySentence.model_validate(one) for one in row.sentences)
    return Summary(from_turn_no=row.from_turn_no, to_turn_no=row.to_turn_no, sentences=sentences)


def untold_at(
    database: Database, turn_id: str, turn_no: int, state: WorldState, summary: Summary | None
) -> tuple[ToldTurn, ...]:
    """What is to be summarised by the turn that follows one: the oldest turns that were told since the last summary and
    are shown no more, where there are enough of them; else nothing."""
    after, until = -1 if summary is None else summary.to_turn_no, turn_no - RECENT_TURNS
    if until - after < SUMMARISE_AFTER:
        return ()
    rows = narration_rows(database, turn_id, after=after, until=until)
    told = told_turns([(row["turn_no"], message_of(row)) for row in rows], state)
    return told[:SUMMARISE_AFTER] if len(told) >= SUMMARISE_AFTER else ()


def told_turns(messages: Sequence[tuple[int, Message]], state: WorldState) -> tuple[ToldTurn, ...]:
    """(turn number, message) of turns -> what was told in them, turn by turn, as far as one of the player's characters
    was there; oldest first."""
    number: dict[tuple[str, int], int] = {(one.turn_id, one.seq): turn_no for turn_no, one in messages}
    seen = seen_by("summariser", (one for _, one in messages), own_id={state.player_id, *state.personas})
    turns: dict[tuple[int, str], list[Message]] = {}
    for one in seen:
        turns.setdefault((number[one.turn_id, one.seq], one.turn_id), []).append(one)
    return tuple(
        ToldTurn(
            turn_no=turn_no,
            turn_id=turn_id,
            text="\n\n".join(one.content for one in told)[:_READ],
            # Where nothing is said of who was there, it was told to the player.
            audience=in_common([one.audience or (state.player_id,) for one in told]),
        )
        for (turn_no, turn_id), told in sorted(turns.items())
    )


def in_common(audiences: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Who is in all of them, in the order of the first."""
    first, *others = audiences
    return tuple(who for who in first if all(who in other for other in others))
