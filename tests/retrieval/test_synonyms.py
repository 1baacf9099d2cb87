"""A pack's own words for things: whoever asks for one of a group asks for all of it, and the trace says so."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lorewright.index.generation import Generation
from lorewright.retrieval.lanes import synonyms_said
from support.pack_builder import ask, loaded, opened_packs

MANIFEST = """id: city
name: City
version: 1.0.0
license: {type: cc0}
synonyms:
  - [police, badges, the watch]
  - hypercorp, megacorp
"""
FILES = {
    "pack.yaml": MANIFEST,
    "badges.md": "# The Badges\n\nThe badges walk in pairs and take what they like.\n",
    "tower.md": "# Tower\n\nA megacorp owns the tower, and the police guard it.\n",
    "fish.md": "# Fish\n\nFish is sold at the quay, and a megacorp boat goes out for it.\n",
    "bread.md": "# Bread\n\nBread is dear.\n",
    "rain.md": "# Rain\n\nIt rains.\n",
}


@pytest.fixture(scope="module")
def city(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Generation, ...]]:
    with opened_packs(tmp_path_factory.mktemp("synonyms"), {"city": FILES}) as generations:
        yield generations


def answer(city: tuple[Generation, ...], words: str) -> list[str]:
    return [chunk.file_path for chunk in ask(city, words).result.chunks]


def test_what_a_pack_calls_otherwise_is_found(city: tuple[Generation, ...]) -> None:
    assert set(answer(city, "who are the police")) >= {"badges.md", "tower.md"}
    assert set(answer(city, "hypercorp")) == {"tower.md", "fish.md"}


def test_singular_and_plural_are_one(city: tuple[Generation, ...]) -> None:
    assert set(answer(city, "hypercorps")) == {"tower.md", "fish.md"}


def test_several_words_are_said_where_they_stand_side_by_side(city: tuple[Generation, ...]) -> None:
    assert synonyms_said("who pays the watch?", city) == {"the watch": ("police", "badges")}
    assert synonyms_said("watch the door", city) == {}


def test_the_trace_says_what_was_looked_up_for_what(city: tuple[Generation, ...]) -> None:
    trace = ask(city, "hypercorp").trace
    assert trace.synonyms == {"hypercorp": ("megacorp",)}
    assert "megacorp" in trace.chunks[0].terms


def test_another_word_for_it_covers_the_question_as_the_word_does(city: tuple[Generation, ...]) -> None:
    for words in ("hypercorp boat", "megacorp boat"):
        assert answer(city, words)[0] == "fish.md"


def test_a_pack_without_synonyms_looks_nothing_else_up(city: tuple[Generation, ...]) -> None:
    assert ask(city, "bread and rain").trace.synonyms == {}


@pytest.mark.parametrize(
    "wrong", ["synonyms: police", "synonyms: [[police]]", "synonyms: {police: badges}", "synonyms: [['', x]]"]
)
def test_synonyms_of_another_shape_are_an_error_with_its_line(
    tmp_path_factory: pytest.TempPathFactory, wrong: str
) -> None:
    text = MANIFEST.partition("synonyms:")[0] + wrong + "\n"
    pack = loaded(tmp_path_factory.mktemp("wrong"), {**FILES, "pack.yaml": text}, pack_id="city")
    found = [finding for finding in pack.errors if "synonyms" in finding.message]
    assert found and found[0].line == 5, pack.findings
