"""Words that no grammar reads are read by meaning: played where that is sure, asked about where it is likely."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from lorewright.builtin.parser.interpreter import interpret
from lorewright.builtin.parser.meaning import ACT, CONFIRM, MARGIN, MeaningReader, Meant, exemplars, no_meaning
from lorewright.builtin.parser.noun_phrases import Nouns, nouns_of
from lorewright.errors import EmbedderError
from lorewright.index.embedders.embedder import Vectors
from lorewright.index.embedders.hashing import HashingEmbedder
from lorewright.values.records import InterpreterInput, InterpreterOutput
from support.narrator_bar import SCOPES, STREET

BAR = nouns_of(SCOPES["bar"])
PHRASES = [phrase for phrase, _ in exemplars()]


class NearExemplars:
    """An embedder to which each exemplar has a direction of its own, and a listed text is so near to a listed one."""

    def __init__(self, near: Mapping[str, Mapping[str, float]]) -> None:
        self.asked: list[str] = []
        self.embedded = 0
        self._near = near

    def exemplars(self, phrases: Sequence[str]) -> Vectors:
        self.embedded += 1
        return np.eye(len(phrases), len(phrases) + 1, dtype=np.float32)

    def of(self, text: str) -> Vectors:
        self.asked.append(text)
        row = np.zeros(len(PHRASES) + 1, dtype=np.float32)
        for phrase, score in self._near.get(text, {}).items():
            row[PHRASES.index(phrase)] = score
        return row

    def reader(self) -> MeaningReader:
        return MeaningReader(self.exemplars, self.of)


def exemplar_of(line: str) -> str:
    """The first exemplar of a line."""
    return next(phrase for phrase, stands_for in exemplars() if stands_for == line)


DEEP, BACK = exemplar_of("take a deep breath"), exemplar_of("lean back")


def reading(text: str, score: float, *, line: str = DEEP, next_score: float = 0.0) -> InterpreterOutput:
    near = NearExemplars({text: {line: score, BACK: next_score}})
    return interpret(InterpreterInput(player_text=text, scope=SCOPES["bar"]), near.reader())


UNKNOWN = "frobnicate inside out"


def test_words_near_an_exemplar_are_played_and_what_they_were_taken_for_is_said() -> None:
    output = reading(UNKNOWN, ACT + 0.02)
    assert [action.type for action in output.proposed_actions] == ["pose"]
    assert output.unclear is None
    assert any(UNKNOWN in said and "take a deep breath" in said for said in output.assumptions)
    assert output.confidence <= 0.8


def test_words_less_near_are_asked_about_in_one_word() -> None:
    unclear = reading(UNKNOWN, CONFIRM + 0.01).unclear
    assert unclear is not None
    assert unclear.question == "You mean: take a deep breath? Yes or no. 1 take a deep breath"
    assert unclear.lines == ("take a deep breath",)


@pytest.mark.parametrize("answer", ["yes", "y", "Yes.", "ok", "do it", "1"])
def test_yes_plays_what_was_asked_about(answer: str) -> None:
    given = InterpreterInput(player_text=answer, scope=SCOPES["bar"], options=("take a deep breath",))
    assert [action.type for action in interpret(given).proposed_actions] == ["pose"]


@pytest.mark.parametrize("answer", ["no", "nope", "look around"])
def test_any_other_answer_does_not(answer: str) -> None:
    given = InterpreterInput(player_text=answer, scope=SCOPES["bar"], options=("take a deep breath",))
    assert "pose" not in {action.type for action in interpret(given).proposed_actions}


def test_yes_to_several_lines_is_no_choice_among_them() -> None:
    given = InterpreterInput(player_text="yes", scope=SCOPES["bar"], options=("take a deep breath", "wait"))
    assert "pose" not in {action.type for action in interpret(given).proposed_actions}


def test_two_meanings_that_are_about_as_near_are_asked_about_however_near_they_are() -> None:
    output = reading(UNKNOWN, ACT + 0.1, next_score=ACT + 0.1 - MARGIN / 2)
    assert output.proposed_actions == ()
    assert output.unclear is not None
    assert output.unclear.lines == ("take a deep breath",)


def test_words_far_from_all_are_read_as_without_an_embedder() -> None:
    assert reading(UNKNOWN, CONFIRM - 0.01) == interpret(InterpreterInput(player_text=UNKNOWN, scope=SCOPES["bar"]))


def test_what_the_grammar_reads_is_asked_of_no_embedder() -> None:
    near = NearExemplars({})
    for text in ("look around", "ask Viktor about Jin", "take the unit", "where is Jin?", "I'm lost"):
        interpret(InterpreterInput(player_text=text, scope=SCOPES["bar"]), near.reader())
    assert near.asked == []


def test_names_are_put_aside_before_words_are_compared_and_put_back_into_the_line() -> None:
    near = NearExemplars({})
    reader = near.reader()
    reader("have a rummage behind the backup comm unit", BAR)
    reader("give Viktor a proper grilling over my credstick", BAR)
    assert near.asked == [
        "have a rummage behind the thing",
        "give somebody a proper grilling over the thing",
    ]


def test_a_line_with_a_name_is_meant_only_by_words_with_one_of_its_kind() -> None:
    phrase, line = next((phrase, line) for phrase, line in exemplars() if "{person}" in line)
    words = phrase.replace("somebody", "Viktor")
    named = NearExemplars({phrase: {phrase: 0.9}}).reader()(words, BAR)
    assert named is not None
    assert (named.line, named.score) == (line.format(person="Viktor"), 0.9)
    nobody = nouns_of(SCOPES["cell"])
    unnamed = NearExemplars({words.casefold(): {phrase: 0.9}}).reader()(words, nobody)
    assert unnamed is not None
    assert unnamed.score == 0.0


def test_a_violent_reading_is_always_asked_about() -> None:
    def sure(words: str, nouns: Nouns) -> Meant:
        return Meant(line="attack Viktor", score=0.99)

    output = interpret(InterpreterInput(player_text=UNKNOWN, scope=SCOPES["bar"]), sure)
    assert output.proposed_actions == ()
    assert output.unclear is not None
    assert output.unclear.lines == ("attack Viktor",)


@pytest.mark.parametrize("words", ["frobnicate", "and again " * 9])
def test_a_single_word_and_a_whole_story_are_compared_with_nothing(words: str) -> None:
    near = NearExemplars({})
    assert near.reader()(words, BAR) is None
    assert near.asked == []


def test_exemplars_are_embedded_once_and_only_when_words_are_first_read() -> None:
    near = NearExemplars({})
    reader = near.reader()
    assert near.embedded == 0
    for number in range(3):
        reader(f"frobnicate {number}", BAR)
    assert near.embedded == 1


def _failing(words: object) -> Vectors:
    raise EmbedderError("the weights are gone")


@pytest.mark.parametrize("fails_at", ["exemplars", "words"])
def test_an_embedder_that_fails_costs_nothing(fails_at: str) -> None:
    near = NearExemplars({})
    reader = MeaningReader(
        _failing if fails_at == "exemplars" else near.exemplars, _failing if fails_at == "words" else near.of
    )
    for text in (UNKNOWN, "look around and frobnicate inside out"):
        given = InterpreterInput(player_text=text, scope=SCOPES["bar"])
        assert interpret(given, reader) == interpret(given, no_meaning) == interpret(given)


def test_one_clause_read_by_meaning_joins_the_others() -> None:
    near = NearExemplars({UNKNOWN: {DEEP: 0.9}})
    given = InterpreterInput(player_text=f"Look around. {UNKNOWN}. Take the unit.", scope=SCOPES["bar"])
    output = interpret(given, near.reader())
    assert [action.type for action in output.proposed_actions] == ["look", "pose", "take"]
    assert output.not_played == ()


def test_every_exemplar_stands_for_a_line_that_the_grammar_reads() -> None:
    names = {"person": "Viktor", "thing": "credstick", "place": "Night Market"}
    one_way = SCOPES["bar"].model_copy(update={"exits": (STREET,)})
    for line in sorted({line for _, line in exemplars()}):
        output = interpret(InterpreterInput(player_text=line.format(**names), scope=one_way))
        assert output.proposed_actions, line
        assert output.unclear is None, line


def test_the_same_words_mean_the_same_and_ties_go_by_the_line() -> None:
    embedder = HashingEmbedder()
    readers = [MeaningReader(embedder.embed, embedder.embed_query) for _ in range(2)]
    one, other = (reader("make myself comfortable", BAR) for reader in readers)
    assert one == other
    assert one is not None
    assert (one.line, one.score, one.is_sure) == ("lean back", 1.0, True)
    assert Meant(line="x", score=ACT, next_line="y", next_score=ACT - MARGIN / 2).is_likely
