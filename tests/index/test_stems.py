"""Words are the same as in the index: stemmed in English, folded, and never taken for syntax."""

from __future__ import annotations

from lorewright.index.keywords import matching_words


def test_a_word_matches_what_the_index_would_find() -> None:
    found = matching_words(["owes", "café", "nothing"], ["He owed it, and is owing still.", "The Cafe by the wall"])
    assert found == {"owes": {"owed", "owing"}, "café": {"cafe"}, "nothing": frozenset()}


def test_other_languages_are_taken_as_they_are_written() -> None:
    assert matching_words(["owes"], ["owed owes"], english=False) == {"owes": {"owes"}}


def test_signs_that_mean_something_to_a_search_do_not_here() -> None:
    found = matching_words(['"', "crasher's bazaar", "AND OR NEAR(", "x-1"], ["The crasher bazaar, x 1"])
    assert found['"'] == frozenset()
    assert found["crasher's bazaar"] == {"crasher", "bazaar"}
    assert found["x-1"] == {"x", "1"}
