"""BM25, term by term: any words may be asked, and what is not asked changes no score."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from lorewright.index.fulltext import fulltext_here
from lorewright.index.keywords import MAX_TERMS, KeywordTable, count_matching, rank_keywords

TEXTS = (
    "the bar below the railway",
    "the pier and its gulls",
    "a bar a bar a bar",
    "gulls own the roof of the railway",
    "nothing at all",
    "rain",
    "more rain on the pier",
    "weather",
)


@pytest.fixture(scope="module")
def connection() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as opened:
        yield opened


def table(connection: sqlite3.Connection, name: str, texts: Sequence[str]) -> KeywordTable:
    connection.execute(f"DROP TABLE IF EXISTS {name}")
    fulltext = fulltext_here()
    connection.execute(fulltext.create(name, english=True))
    fulltext.insert(connection, name, [(row, "", "", text) for row, text in enumerate(texts, start=1)])
    return KeywordTable(connection, name, len(texts))


@pytest.fixture(scope="module")
def words_table(connection: sqlite3.Connection) -> KeywordTable:
    return table(connection, "words", TEXTS)


def test_the_text_that_says_it_most_comes_first(words_table: KeywordTable) -> None:
    (hits,) = rank_keywords([words_table], ["bar"])
    assert set(hits) == {1, 3}
    assert hits[3].score > hits[1].score > 0


def test_the_terms_shares_add_up_to_the_score(words_table: KeywordTable) -> None:
    (hits,) = rank_keywords([words_table], ["rain", "pier", "gulls"])
    assert set(hits[7].terms) == {"rain", "pier"}
    assert all(hit.score == pytest.approx(sum(hit.terms.values())) for hit in hits.values())


def test_words_are_stemmed(words_table: KeywordTable) -> None:
    assert set(rank_keywords([words_table], ["raining"])[0]) == {6, 7}


def test_a_phrase_is_found_as_it_stands(words_table: KeywordTable) -> None:
    assert set(rank_keywords([words_table], ["gulls own"])[0]) == {4}


def test_a_word_that_everything_says_counts_only_where_there_is_no_other(words_table: KeywordTable) -> None:
    (hits,) = rank_keywords([words_table], ["the", "rain"])
    assert set(hits) == {6, 7}
    assert set(rank_keywords([words_table], ["the"])[0]) == {1, 2, 4, 7}


def test_words_that_are_not_there_find_nothing(words_table: KeywordTable) -> None:
    assert rank_keywords([words_table], ["zebra"]) == [{}]
    assert rank_keywords([words_table], []) == [{}]
    assert rank_keywords([], ["bar"]) == []


def test_only_so_many_of_the_rarest_terms_are_asked(connection: sqlite3.Connection) -> None:
    many = [f"w{number}" for number in range(MAX_TERMS + 5)]
    wide = table(connection, "wide", [*many, *many[:5]])
    (hits,) = rank_keywords([wide], many)
    asked = {term for hit in hits.values() for term in hit.terms}
    assert asked == set(many[5:])


def test_an_order_of_words_and_their_repetition_change_nothing(words_table: KeywordTable) -> None:
    first = rank_keywords([words_table], ["rain", "pier", "bar"])
    assert rank_keywords([words_table], ["bar", "pier", "rain", "pier"]) == first


def test_what_is_not_asked_changes_no_score(connection: sqlite3.Connection, words_table: KeywordTable) -> None:
    before = rank_keywords([words_table], ["rain", "bar"])
    table(connection, "others", ["rain rain", "bar", "bar"])
    assert rank_keywords([words_table], ["rain", "bar"]) == before


def test_tables_asked_together_are_ranked_nearly_as_one(connection: sqlite3.Connection) -> None:
    one = table(connection, "one", TEXTS)
    halves = [table(connection, "left", TEXTS[:4]), table(connection, "right", TEXTS[4:])]
    whole = rank_keywords([one], ["rain"])[0]
    left, right = rank_keywords(halves, ["rain"])
    assert left == {}
    assert {row + 4 for row in right} == set(whole)
    assert right[2].score > right[3].score


def test_a_rare_word_outweighs_a_common_one_across_tables(connection: sqlite3.Connection) -> None:
    tables = [
        table(connection, "left", ["rain", "x", "y", "z"]),
        table(connection, "right", ["rain", "snow", "v", "w"]),
    ]
    left, right = rank_keywords(tables, ["rain", "snow"])
    assert right[2].score > left[1].score


hostile = st.one_of(
    st.text(max_size=60),
    st.lists(
        st.sampled_from(
            [
                '"',
                "'",
                "*",
                "(",
                ")",
                "AND",
                "OR",
                "NOT",
                "NEAR",
                "^",
                "-",
                ":",
                "{",
                "}",
                "+",
                "\0",
                "🔥",
                "\ud800",
                "_",
            ]
        )
    ).map(" ".join),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(hostile)
@example('"')
@example("title:")
@example("NEAR(a b)")
@example("a\0b")
@example("\ud800")
@example("")
def test_no_word_is_a_syntax_error(words_table: KeywordTable, word: str) -> None:
    (hits,) = rank_keywords([words_table], [word])
    assert len(hits) <= count_matching(words_table, word)
