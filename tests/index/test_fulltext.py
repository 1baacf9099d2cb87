"""FTS5 and FTS4 find the same rows with the same scores, and no word is more than a word to either."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from lorewright.errors import SettingsError, StaleIndexError
from lorewright.index import fulltext as module
from lorewright.index.fulltext import (
    FTS4,
    FTS5,
    FULLTEXT_VARIABLE,
    FullText,
    Row,
    can_read,
    fulltext_here,
    fulltext_of,
)
from lorewright.index.generation import Generation
from lorewright.index.keywords import content_words
from lorewright.index.library import Library
from lorewright.index.lore_indexer import LoreIndexer
from lorewright.packs.conditions import LoreConditions
from lorewright.packs.loader import load_pack
from lorewright.packs.models import Pack
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import Retrieval
from lorewright.retrieval.view import LoreView
from lorewright.scene_lore.lore_retriever import LoreRetriever
from support.corpora import SOME_PACKS, corpus_pack
from support.pack_builder import TOWN, as_bytes, found, write_pack
from support.scale import scaled

ROOT = Path(__file__).parents[2]
WEIGHTS = (3.0, 2.0, 1.0)

# The same formula over the same counts; only the order of the additions differs.
TOLERANCE = 1e-12

TEXTS = (
    "the bar—below the railway",
    "Rain on the pier’s roof",
    "Crème brûlée in the Café Zoë",
    "OR title NEAR AND NOT",
    "the ситуация of Йод",
    "railways and raining",
    "nothing",
    "a_b c",
)


@pytest.fixture(params=[FTS5, FTS4], ids=lambda fulltext: fulltext.name)
def fulltext(request: pytest.FixtureRequest) -> FullText:
    chosen: FullText = request.param
    if not can_read(chosen):
        pytest.skip(f"no {chosen.name} here")
    return chosen


@pytest.fixture
def both() -> None:
    if not (can_read(FTS5) and can_read(FTS4)):
        pytest.skip("not both of them here")


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as opened:
        yield opened


def rows_of(texts: Iterable[str]) -> list[Row]:
    return [(row, "", "", text) for row, text in enumerate(texts, start=1)]


def fill(
    connection: sqlite3.Connection,
    fulltext: FullText,
    rows: Sequence[Row],
    *,
    name: str = "words",
    english: bool = True,
    content: str | None = None,
) -> None:
    connection.execute(fulltext.create(name, english=english, content=content))
    fulltext.insert(connection, name, rows)


def scores(
    connection: sqlite3.Connection, fulltext: FullText, word: str, *, name: str = "words", digits: int = 9
) -> dict[int, float]:
    found = fulltext.match(connection, name, word, WEIGHTS)
    assert sorted(found.rows.tolist()) == sorted(fulltext.rows(connection, name, word).tolist())
    return {row: round(score, digits) for row, score in zip(found.rows.tolist(), found.scores.tolist(), strict=True)}


@pytest.mark.parametrize(
    ("word", "rows"),
    [
        ("bar", {1}),
        ("railway", {1, 6}),
        ("rain", {2, 6}),
        ("RAIN", {2, 6}),
        ("pier", {2}),
        ("creme", {3}),
        ("BRÛLÉE", {3}),
        ("brûle\u0301e", {3}),
        ("cafe zoe", {3}),
        ("zoe cafe", set()),
        ("bar-below", {1}),
        ("йод", {5}),
        ("иод", set()),
        ("b", {8}),
    ],
)
def test_words_are_found_however_they_are_written(
    connection: sqlite3.Connection, fulltext: FullText, word: str, rows: set[int]
) -> None:
    fill(connection, fulltext, rows_of(TEXTS))
    assert set(scores(connection, fulltext, word)) == rows


@pytest.mark.parametrize(
    ("word", "rows"),
    [
        ("OR", {4}),
        ("near", {4}),
        ("and not", {4}),
        ("rain OR nothing", set()),
        ("rain NOT pier", set()),
        ("title:", {4}),
        ("chunk_text:rain", set()),
        ("ra*", set()),
        ("pie*", set()),
        ("^pier", {2}),
        ("^below", {1}),
        ('rain" OR "nothing', set()),
        ('no"thing', set()),
        ('"nothing"', {7}),
        ("nothing\0", {7}),
        ("-nothing", {7}),
        ("", set()),
        ("*", set()),
        ('"', set()),
        ("\ud800", set()),
    ],
)
def test_nothing_in_a_word_has_a_meaning_of_its_own(
    connection: sqlite3.Connection, fulltext: FullText, word: str, rows: set[int]
) -> None:
    fill(connection, fulltext, rows_of(TEXTS))
    assert set(scores(connection, fulltext, word)) == rows


SYNTAX = ('"', "'", "*", "(", ")", "AND", "OR", "NOT", "NEAR", "NEAR/2", "^", "-", ":", "{", "}", "+", "\0", "title:")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from([*SYNTAX, "rain", "🔥", "\ud800", "_"])).map(" ".join)))
@example('rain" OR "nothing')
@example('""')
@example("a\0b")
def test_no_word_is_a_syntax_error(fulltext: FullText, word: str) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        fill(connection, fulltext, rows_of(TEXTS))
        assert set(scores(connection, fulltext, word)) <= set(range(1, len(TEXTS) + 1))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.text("abcdeéß’xyz", min_size=1, max_size=9), min_size=1, max_size=4).map(" ".join),
    st.sampled_from(['"', '""', "*", "^", "(", ":", "-", "\0"]),
)
def test_a_phrase_finds_the_text_that_it_was_taken_from(fulltext: FullText, phrase: str, mark: str) -> None:
    assume(content_words(phrase))
    with closing(sqlite3.connect(":memory:")) as connection:
        fill(connection, fulltext, rows_of([f"before {phrase} after", "other words"]))
        assert set(scores(connection, fulltext, phrase)) == {1}
        assert scores(connection, fulltext, f"{mark}{phrase}{mark}") == scores(connection, fulltext, phrase)


def test_words_are_stemmed_in_english_only(connection: sqlite3.Connection, fulltext: FullText) -> None:
    fill(connection, fulltext, rows_of(TEXTS), name="german", english=False)
    assert set(scores(connection, fulltext, "rain", name="german")) == {2}
    assert set(scores(connection, fulltext, "café", name="german")) == {3}


def test_a_title_weighs_more_than_a_section_and_a_section_more_than_text(
    connection: sqlite3.Connection, fulltext: FullText
) -> None:
    rows = [
        (1, "x", "x", "bar"),
        (2, "x", "bar", "x"),
        (3, "bar", "x", "x"),
        *((n, "y", "y", "y") for n in range(4, 9)),
    ]
    fill(connection, fulltext, rows)
    by_row = scores(connection, fulltext, "bar")
    assert by_row[3] > by_row[2] > by_row[1] > 0


def test_a_word_in_more_than_half_of_all_rows_still_counts_for_something(
    connection: sqlite3.Connection, fulltext: FullText
) -> None:
    fill(connection, fulltext, rows_of(["bar", "bar", "bar x"]))
    assert (fulltext.match(connection, "words", "bar", WEIGHTS).scores > 0).all()


def test_rows_that_are_picked_out_have_the_same_scores_and_others_are_not_there(
    connection: sqlite3.Connection, fulltext: FullText
) -> None:
    fill(connection, fulltext, rows_of(["bar", "x", "bar bar x", "bar y", "bar bar bar"]))
    whole = fulltext.match(connection, "words", "bar", WEIGHTS)
    some = fulltext.match(connection, "words", "bar", WEIGHTS, rows=np.array([2, 3, 5, 99]))
    assert some.rows.tolist() == [3, 5]
    assert some.scores.tobytes() == whole.scores[np.isin(whole.rows, [3, 5])].tobytes()
    assert not len(fulltext.match(connection, "words", "bar", WEIGHTS, rows=np.zeros(0, np.int64)).rows)


def test_a_row_that_is_taken_out_leaves_the_scores_as_if_it_had_never_been_there(
    connection: sqlite3.Connection, fulltext: FullText
) -> None:
    rows = rows_of(TEXTS)
    connection.execute("CREATE TABLE texts (rowid INTEGER PRIMARY KEY, title, section, chunk_text)")
    connection.executemany("INSERT INTO texts VALUES (?, ?, ?, ?)", rows)
    fill(connection, fulltext, rows, content="texts")
    fulltext.take_out(connection, "words", rows[1])
    connection.execute("DELETE FROM texts WHERE rowid = 2")
    fill(connection, fulltext, [rows[0], *rows[2:]], name="never")
    for word in ("rain", "the", "pier", "nothing", "railway"):
        assert scores(connection, fulltext, word) == scores(connection, fulltext, word, name="never")


def test_a_row_can_be_put_back_with_another_text(connection: sqlite3.Connection, fulltext: FullText) -> None:
    rows = rows_of(TEXTS)
    connection.execute("CREATE TABLE texts (rowid INTEGER PRIMARY KEY, title, section, chunk_text)")
    connection.executemany("INSERT INTO texts VALUES (?, ?, ?, ?)", rows)
    fill(connection, fulltext, rows, content="texts")
    fulltext.take_out(connection, "words", rows[1])
    connection.execute("UPDATE texts SET chunk_text = 'fog' WHERE rowid = 2")
    fulltext.insert(connection, "words", [(2, "", "", "fog")])
    assert set(scores(connection, fulltext, "fog")) == {2}
    assert set(scores(connection, fulltext, "rain")) == {6}


def test_a_table_can_be_optimized_and_is_known_by_its_kind(connection: sqlite3.Connection, fulltext: FullText) -> None:
    fill(connection, fulltext, rows_of(TEXTS))
    before = scores(connection, fulltext, "rain")
    connection.execute("INSERT INTO words(words) VALUES ('optimize')")
    assert scores(connection, fulltext, "rain") == before
    assert fulltext_of(connection, "words") is fulltext


def rows_of_pack(pack: Pack) -> list[Row]:
    titles = {entity.id: entity.name for entity in pack.entities}
    return [
        (row, titles[chunk.entity_id], chunk.section, chunk.text)
        for row, chunk in enumerate(pack.chunks, start=1)
        if chunk.text
    ]


def assert_ranked_alike(rows: Sequence[Row], words: Iterable[str], *, english: bool) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        for fulltext in (FTS5, FTS4):
            fill(connection, fulltext, rows, name=fulltext.name, english=english)
        for word in words:
            five, four = (scores(connection, one, word, name=one.name, digits=15) for one in (FTS5, FTS4))
            assert four == pytest.approx(five, rel=TOLERANCE), word
            assert in_order(four) == in_order(five), word


def in_order(by_row: dict[int, float]) -> list[int]:
    return sorted(by_row, key=lambda row: (-round(by_row[row], 9), row))


def words_of_rows(rows: Iterable[Row]) -> list[str]:
    found = {word for row in rows for text in row[1:] for word in content_words(text)}
    return sorted(found)


@pytest.mark.campaign
@pytest.mark.usefixtures("both")
@pytest.mark.parametrize("english", [True, False])
def test_every_word_of_the_shipped_pack_is_ranked_alike(english: bool) -> None:
    rows = rows_of_pack(load_pack(ROOT / "content_packs" / "neo_seattle"))
    assert_ranked_alike(rows, words_of_rows(rows), english=english)


@pytest.mark.campaign
@pytest.mark.corpora
@pytest.mark.usefixtures("both")
@pytest.mark.parametrize("name", SOME_PACKS)
def test_what_real_authors_wrote_is_ranked_alike(name: str) -> None:
    rows = rows_of_pack(load_pack(corpus_pack(name)))
    # FTS4's stemmer leaves words with digits as they are, and shortens them.
    words = [word for word in words_of_rows(rows) if not re.search(r"\d", word)]
    assert_ranked_alike(rows, words[:: max(1, 40 // scaled(1))], english=True)


def test_an_unknown_choice_is_an_error_that_says_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FULLTEXT_VARIABLE, "fts9")
    with pytest.raises(SettingsError) as caught:
        fulltext_here()
    assert "fts4" in str(caught.value.hint)


def test_without_fts5_tables_are_made_with_fts4(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FULLTEXT_VARIABLE, raising=False)
    monkeypatch.setattr(module, "_is_built_in", lambda name: name == "fts4")
    assert fulltext_here() is FTS4
    monkeypatch.setattr(module, "_is_built_in", lambda name: False)
    with pytest.raises(SettingsError):
        fulltext_here()


GHOST = """---
id: ghost
type: npc
when: {thread: case, status: open}
related_entities: [viktor]
---

# Pale Rider

A laundry ghost walks where it burned.

## Knows

- {#fire} (when thread case is closed) The fire was laid by Zenith.
- {#rain} Rain comes before midnight.
"""
HAUNTED = {
    **TOWN,
    "npcs/ghost.md": GHOST,
    "pack.yaml": "id: town\nname: Town\nversion: 1.0.0\nthreads: {case: The Case}\n",
}
WORDS = "Viktor laundry ghost burned fire Zenith rain midnight the bar’s ledger debt “jukebox” OR* 9"
VIEWS: tuple[dict[str, object], ...] = (
    {"viewer": "gm"},
    {"viewer": "gm", "conditions": LoreConditions(threads={"case": "open"})},
    {"viewer": "gm", "conditions": LoreConditions(threads={"case": "closed"})},
    {"viewer": "player"},
    {"viewer": "player", "revealed": frozenset({"town:viktor:withholds#debt", "town:bar:discoverable#ledger"})},
    {"viewer": "npc:town:viktor", "conditions": LoreConditions(threads={"case": "open"})},
)


def answers(generation: Generation) -> list[Retrieval]:
    views = [LoreView((generation,), **view) for view in VIEWS]  # type: ignore[arg-type]
    return [LoreRetriever.of(view).retrieve(LoreRetrievalQuery(keywords=WORDS, viewer=view.viewer)) for view in views]


def installed(library: Library, folder: Path) -> Generation:
    LoreIndexer(library).index_pack(folder, lenient=True)
    return library.open(library.get("town").key)


@pytest.mark.usefixtures("both")
def test_every_viewer_is_answered_alike_under_all_conditions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_pack(tmp_path / "packs", HAUNTED)
    library = Library(tmp_path / "indexes")
    with closing(installed(library, folder)) as generation:
        by_fts5 = answers(generation)
    monkeypatch.setenv(FULLTEXT_VARIABLE, "fts4")
    with closing(installed(library, folder)) as generation:
        assert fulltext_of(generation.connection, "open_fts") is FTS4
        by_fts4 = answers(generation)
    assert [as_bytes(answer) for answer in by_fts4] == [as_bytes(answer) for answer in by_fts5]
    # The same, and not the same nothing.
    assert len({tuple(found(answer)) for answer in by_fts4}) == len(VIEWS)
    LoreIndexer(library).remove("town")
    assert [path for path in library.generations.iterdir() if path.is_dir()] == []


@pytest.mark.usefixtures("both")
def test_an_index_that_fts5_built_is_refused_without_it_and_built_anew_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_pack(tmp_path / "packs", TOWN)
    library = Library(tmp_path / "indexes")
    with closing(installed(library, folder)) as generation:
        built_with_fts5 = generation.folder
    monkeypatch.setenv(FULLTEXT_VARIABLE, "fts4")
    with pytest.raises(StaleIndexError) as caught:
        Generation(built_with_fts5)
    assert "pack reindex" in str(caught.value.hint)
    with pytest.raises(StaleIndexError):
        library.open(library.get("town").key)
    with closing(installed(library, folder)) as generation:
        assert generation.folder != built_with_fts5
        assert generation.open_count_of("bar")
    assert built_with_fts5.is_dir()


@pytest.mark.usefixtures("both")
def test_an_index_that_fts4_built_is_read_with_it_wherever_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Library(tmp_path / "indexes")
    monkeypatch.setenv(FULLTEXT_VARIABLE, "fts4")
    with closing(installed(library, write_pack(tmp_path / "packs", TOWN))) as generation:
        folder, count = generation.folder, generation.open_count_of("bars")
    monkeypatch.delenv(FULLTEXT_VARIABLE)
    with closing(Generation(folder)) as generation:
        assert generation.open_count_of("bars") == count > 0


@pytest.mark.campaign
def test_all_that_holds_of_the_index_holds_without_fts5() -> None:
    """The fast tests of retrieval, and those of the scene's lore with CAMPAIGN_SCALE=2."""
    suites = [
        "tests/retrieval",
        *(["tests/scene_lore"] if scaled(1) > 1 else []),
        *(f"tests/index/test_{one}.py" for one in ("keywords", "generation", "library")),
    ]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *suites, "-m", "not campaign and not corpora", "-p", "no:cacheprovider"],
        cwd=ROOT,
        env={**os.environ, FULLTEXT_VARIABLE: "fts4", "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout[-3000:]
