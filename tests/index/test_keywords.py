"""BM25, term by term: any words may be asked, and what is not asked changes no score."""

from __future__ import annotations

import math
import random
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from lorewright.index.fulltext import FullText, Matches, fulltext_here, own_idf
from lorewright.index.keywords import COLUMN_WEIGHTS, MAX_SHARE, MAX_TERMS, KeywordHit, KeywordTable, rank_keywords

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


def table(connection: sqlite3.Connection, name: str, texts: Sequence[str], *, english: bool = True) -> KeywordTable:
    connection.execute(f"DROP TABLE IF EXISTS {name}")
    fulltext = fulltext_here()
    connection.execute(fulltext.create(name, english=english))
    fulltext.insert(connection, name, [(row, "", "", text) for row, text in enumerate(texts, start=1)])
    return KeywordTable(connection, name, len(texts), english)


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


# The best alone: as if all had been scored


def scored_one_by_one(
    tables: Sequence[KeywordTable], words: Sequence[str], foreign: Sequence[str]
) -> list[dict[int, KeywordHit]]:
    """Every row of every word, each added to what was there."""
    total = sum(table.count for table in tables)
    counted = [
        (word, [table.count_of(word) * (word in (words if table.english else foreign)) for table in tables])
        for word in dict.fromkeys([*words, *foreign])
    ]
    found = sorted((pair for pair in counted if sum(pair[1])), key=lambda pair: (sum(pair[1]), pair[0]))
    telling = [pair for pair in found if sum(pair[1]) <= max(1, MAX_SHARE * total)]
    hits: list[dict[int, KeywordHit]] = [{} for _ in tables]
    for word, counts in (telling or found)[:MAX_TERMS]:
        idf = math.log(1 + (total - sum(counts) + 0.5) / (sum(counts) + 0.5))
        for table, count, of_table in zip(tables, counts, hits, strict=True):
            if count:
                matches = table.fulltext.match(table.connection, table.name, word, COLUMN_WEIGHTS)
                for row, score in zip(matches.rows.tolist(), matches.scores.tolist(), strict=True):
                    hit = of_table.setdefault(row, KeywordHit())
                    hit.terms[word] = score * (idf / own_idf(table.count, count))
                    hit.score += hit.terms[word]
    return hits


def zipfian(connection: sqlite3.Connection, name: str, seed: int, count: int, *, english: bool = True) -> KeywordTable:
    """Texts as of a language: few words stand everywhere, most nearly nowhere; a fifth of the texts are others again."""
    chance = random.Random(seed)
    vocabulary = [f"w{number}" for number in range(400)]
    weights = [1 / (number + 1) for number in range(400)]
    texts = [" ".join(chance.choices(vocabulary, weights, k=chance.randint(1, 40))) for _ in range(count)]
    texts = [chance.choice(texts) if chance.random() < 0.2 else text for text in texts]
    return table(connection, name, texts, english=english)


@pytest.fixture(scope="module")
def language(connection: sqlite3.Connection) -> list[KeywordTable]:
    sizes = {"first": 900, "second": 40, "third": 300}
    return [
        zipfian(connection, name, seed, count, english=name != "third")
        for seed, (name, count) in enumerate(sizes.items())
    ]


asked = st.lists(
    st.integers(0, 30).map("w{}".format)
    | st.integers(0, 450).map("w{}".format)
    | st.tuples(st.integers(0, 9), st.integers(0, 9)).map(lambda pair: f"w{pair[0]} w{pair[1]}"),
    max_size=30,
)


@given(words=asked, foreign=asked, best=st.integers(0, 80) | st.just(5_000))
def test_the_best_are_those_of_all_bit_by_bit(
    language: list[KeywordTable], words: list[str], foreign: list[str], best: int
) -> None:
    every = scored_one_by_one(language, words, foreign)
    assert rank_keywords(language, words, foreign=foreign) == every
    found = rank_keywords(language, words, foreign=foreign, best=best)
    order = sorted(
        ((round(hit.score, 6), -place, -row) for place, hits in enumerate(every) for row, hit in hits.items())
    )
    for _, place, row in order[len(order) - best :]:
        hit, original = found[-place].pop(-row), every[-place][-row]
        assert (hit, list(hit.terms)) == (original, list(original.terms))
    left = [hit.score for hits in found for hit in hits.values()]
    if len(order) > best > 0 and left:
        # What is there besides is as good as the last, or so near that rounding may tell it so.
        assert min(left) >= order[len(order) - best][0] - 2e-5


class Counting:
    """A kind of keyword table that counts the rows that it scores."""

    def __init__(self, asked: FullText) -> None:
        self._asked = asked
        self.scored = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._asked, name)

    def match(self, *arguments: Any, **options: Any) -> Matches:
        found = self._asked.match(*arguments, **options)
        self.scored += len(found.rows)
        return found


def test_where_only_the_best_are_wanted_few_are_scored(language: list[KeywordTable]) -> None:
    words = ["w300", "w200", "w40", "w8", "w5", "w4", "w3"]
    first = replace(language[0])
    counting = Counting(first.fulltext)
    object.__setattr__(first, "fulltext", counting)
    found = rank_keywords([first], words, best=5)
    assert found[0].keys() <= rank_keywords(language[:1], words)[0].keys()
    assert 0 < counting.scored < sum(map(first.count_of, words)) / 2


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
    assert len(hits) <= words_table.count_of(word)
