"""Packed texts: what is read is what was written; what was altered is noticed and never a traceback."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.ids import canonical_json
from lorewright.storage import packing
from lorewright.storage.database import add_functions
from lorewright.storage.packed_texts import StageInputs
from lorewright.storage.packing import PackingKey, key_of, pack, unpack

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=9), inner, max_size=6),
    max_leaves=60,
)
# Words that repeat, with the signs at which texts are cut.
PROSE = st.lists(st.sampled_from(["smoke", "hangs, ", "low. ", "}", "]\n", "\u00e9t\u00e9", "“", "\x00", '","'])).map(
    "".join
)
TEXTS = st.text() | PROSE.map(lambda text: text * 40) | JSON.map(canonical_json)


def read(stored: str | bytes, key: PackingKey | None = None) -> str:
    return stored if isinstance(stored, str) else unpack(stored, key)


@given(TEXTS)
def test_what_is_read_is_what_was_packed(text: str) -> None:
    stored = pack(text)
    assert read(stored) == text
    assert len(stored) <= len(text.encode())


@given(TEXTS, TEXTS, st.integers(1, 2**31))
def test_what_is_read_by_a_key_is_what_was_packed_by_it(text: str, known: str, number: int) -> None:
    key = PackingKey(number, known * 3)
    stored = pack(known + text + known, key)
    assert read(stored, key) == known + text + known
    if isinstance(stored, bytes):
        assert key_of(stored) == number


@given(TEXTS, st.data())
def test_bytes_that_were_altered_never_become_another_text(text: str, data: st.DataObject) -> None:
    text = text * 5 + "x" * 400
    stored = pack(text)
    assert isinstance(stored, bytes)
    at, other = data.draw(st.integers(0, len(stored) - 1)), data.draw(st.integers(1, 255))
    for altered in (stored[:at], stored + b"\0"):
        with pytest.raises(ValueError, match="packed"):
            unpack(altered)
    try:
        # The last byte has bits that mean nothing.
        assert unpack(stored[:at] + bytes([stored[at] ^ other]) + stored[at + 1 :]) == text
    except ValueError as problem:
        assert "packed" in str(problem)


@given(st.binary(max_size=60))
def test_any_bytes_are_refused_in_words(data: bytes) -> None:
    for bytes_ in (data, b"\x01\x00" + data):
        with pytest.raises(ValueError, match="packed"):
            unpack(bytes_)


def test_a_few_bytes_never_become_a_great_many() -> None:
    text = "a" * (64 * 1024 * 1024)
    stored = pack(text)
    assert stored == text


def test_a_text_that_is_too_long_to_be_compared_is_packed_all_the_same() -> None:
    text = "".join(f"{number}, " for number in range(400_000))
    stored = pack(text)
    assert isinstance(stored, bytes)
    assert unpack(stored) == text


def test_the_words_that_texts_are_packed_by_are_those_that_were_released() -> None:
    assert (
        hashlib.sha256(packing._words()).hexdigest()
        == "48801384dd39af67c3810eea9352f0c65ff382d422836ecb5029d581c2153cee"
    )


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as made:
        add_functions(made)
        made.execute("CREATE TABLE stage_keys (key_no INTEGER PRIMARY KEY, campaign_id, stage TEXT, input BLOB)")
        yield made


def inputs_of(connection: sqlite3.Connection) -> StageInputs:
    return StageInputs(lambda sql, *values: connection.execute(sql, values).fetchall(), "game")


def given_to(stage: str, number: int, of: str = "hall") -> str:
    return canonical_json(
        {stage: [f"The {of} is {n * n} steps wide, and {n} lamps burn." for n in range(90)], "n": number}
    )


def test_one_key_serves_a_stage_until_it_is_given_something_else(connection: sqlite3.Connection) -> None:
    stored: list[tuple[str, str | bytes]] = []
    for number, (stage, of) in enumerate(
        [("narrator", "hall")] * 4 + [("planner", "hall")] + [("narrator", "sea")] * 3
    ):
        inputs, text = inputs_of(connection), given_to(stage, number, of)
        stored.append((text, inputs.pack(stage, text)))
        for statement in inputs.keys:
            connection.execute(*statement)
    keys = connection.execute("SELECT stage FROM stage_keys ORDER BY key_no").fetchall()
    assert keys == [("narrator",), ("planner",), ("narrator",)]
    for text, packed in stored:
        assert connection.execute("SELECT text_of(?)", (packed,)).fetchone() == (text,)
        assert len(packed) < 100


def test_in_sql_a_text_is_itself_and_altered_bytes_are_an_empty_text(connection: sqlite3.Connection) -> None:
    text = given_to("narrator", 1)
    inputs = inputs_of(connection)
    by_a_key_that_is_not_there = inputs.pack("narrator", text)
    for value, wanted in (("{}", "{}"), (None, None), (b"", ""), (b"\x01", ""), (by_a_key_that_is_not_there, "")):
        assert connection.execute("SELECT text_of(?)", (value,)).fetchone() == (wanted,)
    assert connection.execute("SELECT text_of(packed_text(?))", (text,)).fetchone() == (text,)
    assert connection.execute("SELECT typeof(packed_text(?))", (text,)).fetchone() == ("blob",)


def test_a_key_that_cannot_be_read_is_followed_by_another(connection: sqlite3.Connection) -> None:
    connection.execute("INSERT INTO stage_keys VALUES (4, 'game', 'narrator', x'0100')")
    inputs, text = inputs_of(connection), given_to("narrator", 1)
    packed = inputs.pack("narrator", text)
    for statement in inputs.keys:
        connection.execute(*statement)
    assert connection.execute("SELECT text_of(?)", (packed,)).fetchone() == (text,)
    assert connection.execute("SELECT max(key_no) FROM stage_keys").fetchone() == (5,)
