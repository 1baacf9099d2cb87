"""Which entities words name: the longest name first, and a common word only where a name is meant."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.index.generation import Generation
from lorewright.retrieval.filters import named_entities
from support.pack_builder import opened_packs

FILES = {
    "light.md": "---\nid: light\ntype: item\n---\n# Light\n\nA spell.\n",
    "dragon.md": "---\nid: dragon\ntype: npc\n---\n# Dragon\n\nA beast.\n",
    "neon.md": "---\nid: neon_dragon\ntype: location\naliases: [the old laundry]\n---\n# Neon Dragon\n\nA bar.\n",
    "zubin.md": "---\nid: zubin\ntype: npc\n---\n# Zubin\n\nA man.\n",
    "twin.md": "---\nid: twin\ntype: npc\naliases: [Zubin]\n---\n# Twin\n\nAnother.\n",
    "will.md": "---\nid: will\ntype: npc\n---\n# Will\n\nA boy.\n",
    "plain.md": "# Plain\n\n" + "".join(f"## Part {number}\n\nA light and a dragon.\n\n" for number in range(12)),
}


@pytest.fixture(scope="module")
def packs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Generation, ...]]:
    with opened_packs(tmp_path_factory.mktemp("names"), {"p": FILES}) as generations:
        yield generations


def named(packs: tuple[Generation, ...], text: str, *scene: str) -> dict[str, str]:
    return {
        key.removeprefix("p:"): name
        for key, name in named_entities(text, packs, in_scene=[f"p:{one}" for one in scene]).items()
    }


def test_the_longest_name_counts_and_its_words_name_nothing_else(packs: tuple[Generation, ...]) -> None:
    assert named(packs, "Who runs the Neon Dragon?") == {"neon_dragon": "neon dragon"}
    assert named(packs, "The Neon Dragon and a Dragon") == {"neon_dragon": "neon dragon", "dragon": "dragon"}


def test_an_alias_is_a_name(packs: tuple[Generation, ...]) -> None:
    assert named(packs, "meet me at the old laundry") == {"neon_dragon": "the old laundry"}


def test_a_possessive_is_its_name(packs: tuple[Generation, ...]) -> None:
    assert named(packs, "what is in zubin’s pocket") == {"zubin": "zubin", "twin": "zubin"}


def test_a_name_that_two_have_names_both(packs: tuple[Generation, ...]) -> None:
    assert set(named(packs, "zubin")) == {"zubin", "twin"}


@pytest.mark.parametrize("text", ["I light a match", "Light a match", "is there light?", "slay a dragon"])
def test_a_common_word_in_lower_case_is_no_name(packs: tuple[Generation, ...], text: str) -> None:
    assert named(packs, text) == {}


@pytest.mark.parametrize("text", ["I cast Light.", 'cast "light" now', "What is the spell: Light", "the spell “light”"])
def test_a_common_word_that_is_capitalised_or_quoted_is_a_name(packs: tuple[Generation, ...], text: str) -> None:
    assert named(packs, text) == {"light": "light"}


def test_a_common_word_is_a_name_where_its_thing_is_in_the_scene(packs: tuple[Generation, ...]) -> None:
    assert named(packs, "slay the dragon", "dragon") == {"dragon": "dragon"}


def test_a_word_that_says_nothing_is_no_name_even_in_the_scene(packs: tuple[Generation, ...]) -> None:
    assert named(packs, "what will happen", "will") == {}


def test_a_rare_name_counts_however_it_is_written(packs: tuple[Generation, ...]) -> None:
    assert set(named(packs, "ask zubin")) == set(named(packs, "ASK ZUBIN")) == {"zubin", "twin"}


def test_what_is_hidden_has_no_name(packs: tuple[Generation, ...]) -> None:
    hidden = {"p:neon_dragon", "p:twin"}
    assert named_entities("the Neon Dragon and Zubin", packs, hidden=hidden) == {
        "p:dragon": "dragon",
        "p:zubin": "zubin",
    }


@pytest.mark.parametrize("text", ["", "???", "🔥", "\ud800", "nobody here"])
def test_what_names_nothing_names_nothing(packs: tuple[Generation, ...], text: str) -> None:
    assert named(packs, text) == {}


WORDS = ("the", "old", "Neon", "Dragon", "laundry", "light", "Light", "Zubin", "will", "plain", "a", "bar", "and")


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=24))
def test_a_name_is_found_in_a_long_text_as_in_a_short_one(packs: tuple[Generation, ...], words: list[str]) -> None:
    short = " ".join(words)
    # A full stop ends what is quoted or capitalised inside a sentence; the words behind it name nothing.
    long = f"{short} {'nobody else was there ' * 20}"
    assert named(packs, long) == named(packs, short)
