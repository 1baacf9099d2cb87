"""The language of an imported book is guessed by its script and its commonest words, its types by words of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.formats.fields import guess_type
from lorewright.formats.languages import guess_language
from support.lorebook_sources import ImportedPack, world

SAMPLES = {
    "zh": "银月城是精灵的首都，位于森林深处。城主名叫Erin。",
    "ja": "銀月の都は森の奥にあり、エルフの女王が治めている。",
    "ko": "은월성은 숲 깊은 곳에 있는 엘프의 수도이다.",
    "th": "เมืองจันทร์เงินอยู่ในป่าลึก",
    "ru": "Серебряный город стоит в глубине леса, и правит им королева.",
    "uk": "Срібне місто стоїть у глибині лісу, і править ним королева.",
    "de": "Die Stadt liegt tief im Wald, und die Königin ist nicht von hier.",
    "fr": "La ville est dans la forêt, et la reine des elfes ne sort pas.",
    "es": "La ciudad está en el bosque, y la reina de los elfos no sale por la noche.",
    "pt": "A cidade fica no bosque, e a rainha dos elfos não sai à noite com os seus.",
    "en": "The city lies deep in the forest, and the queen of the elves is not from here.",
}


@pytest.mark.parametrize(("language", "text"), SAMPLES.items())
def test_a_language_is_known_by_a_sentence_or_two(language: str, text: str) -> None:
    assert guess_language([text]) == language


@pytest.mark.parametrize(
    "texts", [[], [""], ["123 !"], ["Zubin Marn, Eldoria, Tor"], ["The smith 光 says so of the sword."]]
)
def test_where_nothing_says_otherwise_it_is_english(texts: list[str]) -> None:
    assert guess_language(texts) == "en"


def test_the_language_is_written_into_the_manifest(tmp_path: Path) -> None:
    entry = {"key": ["银月城"], "comment": "银月城", "content": SAMPLES["zh"]}
    assert ImportedPack(world(entry), tmp_path / "book").pack.manifest.language == "zh"


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("银月城", "精灵所居。", "location"),
        ("静湖", "水面如镜。", "location"),
        ("銀の森", "誰も戻らない。", "location"),
        ("黑狼公会", "成员三百。", "faction"),
        ("赤竜騎士団", "百人の兵。", "faction"),
        ("碎星剑", "由陨铁打造。", "item"),
        ("百年战争", "持续了一个世纪。", "event"),
        ("은월 왕국", "북쪽에 있다.", "faction"),
        ("艾琳", "她今年十九岁，性格温柔，她喜欢花。", "npc"),
        ("ミラ", "彼女は十七歳の少女。", "npc"),
        ("世界观", "一切始于光。", "culture"),
    ],
)
def test_types_are_guessed_in_scripts_without_spaces(name: str, text: str, kind: str) -> None:
    assert guess_type(name, [], text)[0] == kind
