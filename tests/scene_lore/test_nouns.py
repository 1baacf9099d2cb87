"""The things that a sentence shows, judged on two hundred sentences that were tagged by hand.

The tags (`nouns`: things that can be looked at; `also`: words that may be taken for one) were written before the word
lists; `missed` and `wrong` are the failures that are known.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lorewright.scene_lore.nouns import is_abstract, may_name_a_thing, other_words, shown_nouns, singular

TAGGED = Path(__file__).parents[1] / "fixtures" / "scenery_nouns.jsonl"
ROWS: list[dict[str, Any]] = [json.loads(line) for line in TAGGED.read_text("utf-8").splitlines()]


def _heads(row: dict[str, Any]) -> set[str]:
    return {noun.head for noun in shown_nouns(row["sentence"])}


def _missed(row: dict[str, Any]) -> set[str]:
    return set(row["nouns"]) - _heads(row)


def _wrong(row: dict[str, Any]) -> set[str]:
    return _heads(row) - {*row["nouns"], *row["also"]}


def test_nine_of_ten_things_are_found_and_few_words_are_taken_for_one() -> None:
    failures = "\n".join(
        f"{row['sentence']}\n    missed {sorted(_missed(row))}, wrong {sorted(_wrong(row))}"
        for row in ROWS
        if _missed(row) or _wrong(row)
    )
    tagged, found = sum(len(row["nouns"]) for row in ROWS), sum(len(_heads(row) & {*row["nouns"]}) for row in ROWS)
    wrong = sum(len(_wrong(row)) for row in ROWS)
    assert len(ROWS) == 200
    assert found / tagged >= 0.92, failures
    assert found / (found + wrong) >= 0.96, failures


def test_nothing_is_missed_or_wrong_that_was_not_before() -> None:
    new = [
        (
            row["sentence"],
            sorted(_missed(row) - {*row.get("missed", ())}),
            sorted(_wrong(row) - {*row.get("wrong", ())}),
        )
        for row in ROWS
        if not (_missed(row) <= {*row.get("missed", ())} and _wrong(row) <= {*row.get("wrong", ())})
    ]
    assert new == []


@pytest.mark.parametrize(
    ("sentence", "phrases"),
    [
        ("Rain ends in a beer bucket by the door.", ["rain", "beer bucket", "door"]),
        ("There is no chair, nor a table without a candle.", []),
        ("“The lamp is out,” he says, and shuts the door.", ["door"]),
        ("Two pilots step around the old red bucket.", ["pilots", "bucket"]),
        ("For a moment she thinks of the time and the way home.", []),
        ("Viktor wipes the glass that Jin left at the Neon Dragon.", ["glass"]),
        ("", []),
    ],
)
def test_a_sentence_shows_its_things_and_neither_names_nor_times_nor_what_is_denied(
    sentence: str, phrases: list[str]
) -> None:
    assert [noun.phrase for noun in shown_nouns(sentence)] == phrases


def test_what_is_yours_is_told_apart() -> None:
    nouns = shown_nouns("An hour ago your handset woke, and your brother's cat left the room.")
    assert [(noun.phrase, noun.is_yours) for noun in nouns] == [("handset", True), ("cat", False), ("room", False)]


def test_words_are_named_in_the_singular() -> None:
    plurals = "buckets glasses shelves knives men boxes bodies grass bus canvas feet dishes".split()
    singulars = "bucket glass shelf knife man box body grass bus canvas foot dish".split()
    assert list(map(singular, plurals)) == singulars


def test_times_qualities_and_acts_cannot_be_looked_at() -> None:
    assert all(map(is_abstract, "hour nights kindness conversation walking idea".split()))
    assert not any(map(is_abstract, "bucket station ceiling ships cushion paper".split()))


def test_a_few_words_read_as_the_name_of_a_thing_or_as_something_else() -> None:
    assert may_name_a_thing(("wooden", "hat")) and may_name_a_thing(("gun",))
    others = (("time",), ("quietly",), ("behind", "me"), ("very", "old"), ("12",), ("nothing",), ())
    assert not any(map(may_name_a_thing, others))


def test_other_words_are_what_a_thing_might_be_called_by_all_the_same() -> None:
    sentence = "Behind the bar Viktor watches the moor without a lamp."
    assert [noun.head for noun in shown_nouns(sentence)] == ["bar", "moor"]
    assert other_words(sentence) == ("watches", "lamp")
