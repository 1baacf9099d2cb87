"""A family of verbs is one file: without it, and with no other edit, its verbs are gone everywhere and the rest works."""

from __future__ import annotations

from typing import Any

import pytest

from support.without_families import LINES, without_families

Found = dict[str, dict[str, Any]]

# Families and their verbs; `whole` is the program with all of them.
FAMILIES = {"whole": (), "moving": ("go", "sneak"), "asking": ("ask",), "things": ("take", "drop", "give")}
REMOVED = [family for family, gone in FAMILIES.items() if gone]
# What nobody needs to walk, ask or carry anything for.
ALWAYS = ("look around", "wait", "inventory", "search", "attack Tom")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    return without_families(tmp_path_factory.mktemp("families"), tuple(FAMILIES))


def first_words(lines: list[str]) -> set[str]:
    return {line.partition(" ")[0] for line in lines}


@pytest.mark.parametrize("family", REMOVED)
def test_its_verbs_are_gone_from_the_records_the_help_and_the_page(found: Found, family: str) -> None:
    without, whole, gone = found[family], found["whole"], FAMILIES[family]
    assert not without["imported"]
    assert without["verbs"] == [verb for verb in whole["verbs"] if verb not in gone]
    for verb in gone:
        assert f"\n## {verb}\n" in whole["page"] and f"\n## {verb}\n" not in without["page"]
        assert f" {verb} · " in whole["help"] and f" {verb} · " not in without["help"]


@pytest.mark.parametrize("family", REMOVED)
def test_no_turn_has_them_and_nobody_suggests_or_plans_them(found: Found, family: str) -> None:
    without, gone = found[family], set(FAMILIES[family])
    offered = [line for turn in without["turns"].values() for line in turn["offered"]]
    assert offered and first_words(offered) & gone == set()
    assert first_words(without["planned"]) & gone == set()
    assert {kind for turn in without["turns"].values() for kind in turn["acts"]} & gone == set()
    assert not any(f" {verb}," in turn["question"] for turn in without["turns"].values() for verb in gone)


@pytest.mark.parametrize("family", REMOVED)
def test_the_rest_is_played_as_before(found: Found, family: str) -> None:
    turns = found[family]["turns"]
    assert list(turns) == list(LINES)
    assert all(turn["text"] for turn in turns.values())
    assert {line: turns[line]["question"] for line in ALWAYS} == dict.fromkeys(ALWAYS, "")
    assert {line: turns[line]["acts"] for line in ALWAYS} == {
        line: found["whole"]["turns"][line]["acts"] for line in ALWAYS
    }


def test_with_all_of_them_every_verb_of_these_families_is_played_and_planned(found: Found) -> None:
    whole = found["whole"]
    played = {kind for turn in whole["turns"].values() for kind in turn["acts"]}
    assert {verb for gone in FAMILIES.values() for verb in gone} <= played
    assert {"go", "take"} <= first_words(whole["planned"])
