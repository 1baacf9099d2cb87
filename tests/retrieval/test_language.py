"""Packs in other languages: words are looked up as they are written, and English packs beside them as ever."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lorewright.index.generation import Generation
from lorewright.index.keywords import content_words, is_english
from lorewright.scene_lore.cache import match_items
from lorewright.scene_lore.gather import gather
from lorewright.scene_lore.models import SceneFocus
from support.pack_builder import Files, ask, found, opened_packs

Packs = tuple[Generation, ...]

# `war` and `die` are common German words; `Not` (distress) and `Die` look like English small words.
WIRT = """---
id: wirt
type: npc
---

# Der Wirt

Der Wirt kennt die Not der Fischer.

## Knows

- {#boot} Das Boot lag am Kai, und keiner fragte: Do or die, so hieß es.
- {#not} In der Not verkaufte er die Boote.
"""
KAI = "---\nid: kai\ntype: location\n---\n# Der Kai\n\nAm Kai liegen Boote und Netze.\n"
QUAY = "---\nid: quay\ntype: location\n---\n# The Quay\n\nBoats lie along the quay, and the boating men sing.\n"


def manifest(pack_id: str, language: str) -> str:
    return f"id: {pack_id}\nname: {pack_id}\nlanguage: {language}\nlicense: {{type: CC0}}\n"


PACKS: dict[str, Files] = {
    "hafen": {"pack.yaml": manifest("hafen", "de"), "wirt.md": WIRT, "kai.md": KAI},
    "port": {"pack.yaml": manifest("port", "en-GB"), "quay.md": QUAY},
}


@pytest.fixture(scope="module")
def packs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Packs]:
    with opened_packs(tmp_path_factory.mktemp("packs"), PACKS) as generations:
        yield generations


@pytest.mark.parametrize(
    ("language", "english"), [("en", True), ("EN", True), ("en-GB", True), ("en_US", True), ("de", False), ("", False)]
)
def test_english_is_known_by_its_code(language: str, english: bool) -> None:
    assert is_english(language) is english


def test_small_words_are_known_of_english_only() -> None:
    assert content_words("the boat was not there") == ["boat"]
    assert content_words("die Not war groß", english=False) == ["die", "not", "war", "gross"]


def test_nothing_is_stemmed_in_another_language(packs: Packs) -> None:
    german = packs[:1]
    assert found(ask(german, "Boote")) == ["kai:overview", "wirt:knows"]
    assert found(ask(german, "Booting")) == []
    assert found(ask(packs[1:], "boated")) == ["quay:overview"]


def test_a_small_english_word_is_a_word_in_another_language(packs: Packs) -> None:
    terms = {one.chunk_id: set(one.terms) for one in ask(packs, "or boats").trace.chunks}
    assert terms == {"hafen:wirt:knows": {"or"}, "port:quay:overview": {"boats"}}


@pytest.mark.parametrize(("words", "hits"), [("boote", ["wirt:knows"]), ("booting", [])])
def test_what_was_revealed_is_not_stemmed_either(packs: Packs, words: str, hits: list[str]) -> None:
    revealed = frozenset({"hafen:wirt:knows#not"})
    seen = found(ask(packs[:1], words, viewer="player", revealed=revealed))
    assert [one for one in seen if one.startswith("wirt")] == hits


def test_items_are_met_by_their_words_as_they_are(packs: Packs) -> None:
    focus = SceneFocus(scene_id="s", location_id="hafen:kai", present_ids=("hafen:wirt",))
    (sheet,) = gather(packs, focus).briefings
    assert [item.name for item in match_items("Not", sheet.knows, packs).items] == ["not"]
    assert [item.name for item in match_items("Boote", sheet.knows, packs).items] == ["not"]
    assert match_items("Booting", sheet.knows, packs).items == ()
