"""What players type, and the actions that it should come to: a table written before the interpreter."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lorewright.rules.verbs import verbs
from lorewright.values.records import InterpreterOutput
from support.narrator_rooms import read_in

TABLE = Path(__file__).parents[1] / "utterances.jsonl"
ROWS: list[dict[str, Any]] = [json.loads(line) for line in TABLE.read_text("utf-8").splitlines()]
QUESTION, ASIDE = "question", "aside"
# What a row says of an action; where it is silent on a detail or a trait, any will do.
_FREE = ("detail", "trait", "verb")


def _shape(output: InterpreterOutput) -> list[dict[str, Any]] | str:
    if output.unclear is not None or output.aside is not None:
        return QUESTION if output.aside is None else ASIDE
    return [
        {
            key: value
            for key, value in (
                ("type", action.type),
                ("target", action.target_id),
                ("to", action.location_id),
                ("item", action.item_id),
                *((key, value) for key, value in action.metadata.items() if key != "item_id"),
            )
            if value is not None
        }
        for action in output.proposed_actions
    ]


def _fits(row: dict[str, Any], output: InterpreterOutput) -> bool:
    made, wanted = _shape(output), row["expect"]
    if isinstance(made, str) or isinstance(wanted, str):
        return made == wanted
    return len(made) == len(wanted) and all(map(_same, made, wanted))


def _same(made: Any, wanted: dict[str, Any]) -> bool:
    kept = {key: value for key, value in made.items() if key in wanted or key not in _FREE}
    return {key: _folded(value) for key, value in kept.items()} == {key: _folded(v) for key, v in wanted.items()}


def _folded(value: Any) -> Any:
    return value.lower().removeprefix("the ") if isinstance(value, str) else value


@pytest.mark.parametrize("rows", [ROWS[at::6] for at in range(6)], ids=lambda rows: rows[0]["text"])
def test_nearly_every_utterance_is_read_as_meant_and_every_miss_is_a_question(rows: list[dict[str, Any]]) -> None:
    misses = [(row, output) for row in rows if not _fits(row, output := read_in(row["scene"], row["text"]))]
    listed = "\n".join(f"{row['scene']}: {row['text']!r} is read as {_shape(output)}" for row, output in misses)
    assert len(ROWS) >= 250
    assert len(misses) <= 0.08 * len(rows), listed
    assert all(_shape(output) == QUESTION for _, output in misses), listed


def test_the_table_has_every_kind_of_action() -> None:
    kinds = {action["type"] for row in ROWS if not isinstance(row["expect"], str) for action in row["expect"]}
    assert kinds == verbs().keys()


@pytest.mark.parametrize("row", [row for row in ROWS if row["expect"] == QUESTION], ids=lambda row: row["text"])
def test_every_answer_that_a_question_offers_works_when_it_is_typed(row: dict[str, Any]) -> None:
    unclear = read_in(row["scene"], row["text"]).unclear
    assert unclear is not None
    for number, line in enumerate(unclear.lines, start=1):
        again = read_in(row["scene"], str(number), options=unclear.lines)
        assert again.unclear is None, line
        assert again.proposed_actions
