"""Scripts without spaces between words: a question finds names and words wherever they stand in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lorewright.authoring.query_page import pieces
from lorewright.index.building import build_generation
from lorewright.index.cuts import Cut, pruned
from lorewright.index.generation import Generation
from lorewright.index.keywords import parts_of_words
from lorewright.packs.loader import load_pack
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.view import LoreView
from lorewright.retrieval.why_not import explain_why_not
from support.pack_builder import ask, found, opened_packs, write_pack

Packs = tuple[Generation, ...]

MANIFEST = "id: p\nname: p\nlanguage: zh\nsynonyms: [[矿石, 光晶石]]\nlicense: {type: CC0}\n"


def entry(entity_id: str, name: str, text: str, aliases: str = "") -> tuple[str, str]:
    known = f"aliases: [{aliases}]\n" if aliases else ""
    return f"{entity_id}.md", f"---\nid: {entity_id}\ntype: item\n{known}---\n\n# {name}\n\n{text}\n"


FILES = {
    "pack.yaml": MANIFEST,
    **dict(
        [
            entry("crystal", "光晶石", "在满月之夜放入湖水，七日之后光芒最盛。"),
            entry("crystals", "光晶石矿脉", "北山之下有三条，已经废弃。"),
            entry("dragon", "古老者", "沉睡在火山之中。", "龍"),
            entry("lake", "静湖", "湖边的渔民以打鱼为生，冬天修补渔网。"),
            entry("seraphina", "세라피나", "숲을 지키는 마법사가 길을 밝힌다.", "x光女王"),
            entry("horse", "ม้า", "วิ่งเร็วบนทุ่งหญ้า"),
            entry("come", "มา", "เดินทางกลับบ้าน"),
            entry("secret", "夜会", "## Secrets\n\n- {#who} 会长在静湖边埋了金币。"),
        ]
    ),
}


@pytest.fixture(scope="module")
def packs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Packs]:
    with opened_packs(tmp_path_factory.mktemp("unspaced"), {"p": FILES}) as generations:
        yield generations


def first(packs: Packs, question: str, **fields: object) -> str:
    return found(ask(packs, question, **fields))[0].partition(":")[0]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "entity"),
    [
        ("光晶石怎么充能", "crystal"),
        ("请问光晶石矿脉在哪里", "crystals"),
        ("龍はどこにいるの？", "dragon"),
        ("세라피나는 어디에 있어?", "seraphina"),
        ("X光女王是谁", "seraphina"),
        ("ม้าอยู่ที่ไหน", "horse"),
    ],
)
def test_a_name_is_found_wherever_it_stands_in_the_question(packs: Packs, question: str, entity: str) -> None:
    assert first(packs, question) == entity


def test_a_name_inside_of_a_longer_one_is_not_meant(packs: Packs) -> None:
    names = {one.chunk_id: one.name for one in ask(packs, "光晶石矿脉在哪里").trace.chunks}
    assert (names["p:crystals:overview"], names.get("p:crystal:overview")) == ("光晶石矿脉", None)
    names = {one.chunk_id: one.name for one in ask(packs, "光晶石矿脉里的光晶石").trace.chunks}
    assert names["p:crystal:overview"] == "光晶石"


@pytest.mark.parametrize(
    ("question", "entity"),
    [("冬天渔民做什么", "lake"), ("谁的渔网要修补", "lake"), ("마법사의 숲", "seraphina"), ("ทุ่งหญ้าอยู่ไหน", "horse")],
)
def test_words_are_found_that_no_name_says(packs: Packs, question: str, entity: str) -> None:
    assert first(packs, question) == entity


def test_a_synonym_counts_wherever_it_stands(packs: Packs) -> None:
    answer = ask(packs, "哪里有矿石卖")
    assert found(answer)[0] == "crystal:overview"
    assert answer.trace.synonyms == {"矿石": ("光晶石",)}


def test_the_words_of_a_secret_are_found_by_those_who_have_learned_it(packs: Packs) -> None:
    assert "secret:secrets" not in found(ask(packs, "谁埋了金币", viewer="player"))
    learned = frozenset({"p:secret:secrets#who"})
    assert found(ask(packs, "谁埋了金币", viewer="player", revealed=learned))[0] == "secret:secrets"


def test_what_is_cut_out_is_not_found_any_more(packs: Packs) -> None:
    (generation,) = packs
    lake = generation.chunk("p:lake:overview")
    assert lake is not None
    assert found(ask((pruned(generation, Cut(frozenset({lake.row}))),), "渔民的渔网")) == []


def test_a_pack_read_by_the_first_rules_is_searched_as_it_was(tmp_path: Path) -> None:
    pack = load_pack(write_pack(tmp_path, FILES, pack_id="p", manifest=None), reading=1)
    assert max(chunk.token_count for chunk in pack.chunks) < 10
    key = build_generation(pack, tmp_path / "generations")
    generation = Generation(tmp_path / "generations" / key.folder)
    try:
        assert found(ask((generation,), "光晶石怎么充能")) == []
        assert found(ask((generation,), "光晶石 怎么充能"))[0] == "crystal:overview"
        assert found(ask((generation,), "冬天渔民做什么")) == []
    finally:
        generation.close()


def test_the_explanation_names_the_longest_parts_that_a_section_holds(packs: Packs) -> None:
    why = explain_why_not(LoreView(packs), LoreRetrievalQuery(keywords="冬天渔民做什么 dragon"), "p:lake:overview")
    assert (why.holds, why.lacks) == (("冬天", "渔民"), ("dragon",))


def test_on_a_page_the_parts_that_matched_are_marked() -> None:
    found = [one["piece"] for one in pieces("静湖的渔民冬天打鱼 fish", {"渔民", "冬天", "fish"}) if one["marked"]]
    assert found == ["渔民", "冬天", "fish"]


def test_what_a_question_asks_with_is_not_looked_up_beside_what_it_asks_about() -> None:
    assert parts_of_words(["老罗什么时候来"]) == parts_of_words(["老罗", "来"])
    assert parts_of_words(["什么"]) == ["什么"]
    assert parts_of_words(["灯台はどこですか"]) == parts_of_words(["灯台は"])
