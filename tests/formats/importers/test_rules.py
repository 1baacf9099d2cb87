"""What lorebooks say of when an entry is told becomes rules; what no rule can say stays as it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lorewright.formats.exporting import export_pack
from lorewright.formats.shown import Audience
from lorewright.packs.loader import load_pack
from support.lorebook_sources import ImportedPack, card, world


def entry(name: str, **fields: Any) -> dict[str, Any]:
    return {"comment": name, "key": [name.casefold()], "content": f"Of {name}.", **fields}


def metadata(tmp_path: Path, *entries: dict[str, Any]) -> list[dict[str, Any]]:
    return [file.metadata for file in ImportedPack(world(*entries), tmp_path / "pack").files]


@pytest.mark.parametrize(
    ("fields", "rules"),
    [
        ({"constant": True}, {"always": True}),
        ({"order": 250}, {"priority": 150}),
        ({"order": 0}, {"priority": -100}),
        ({"sticky": 3, "cooldown": 5}, {"sticky": 3, "cooldown": 5}),
        ({"group": "weather"}, {"group": "weather"}),
        ({"group": "weather, sky,weather"}, {"group": ["weather", "sky"]}),
        ({"probability": 30, "useProbability": True}, {"probability": 0.3}),
        ({"probability": 12.5}, {"probability": 0.125}),
        ({"forceActivation": True, "contextConfig": {"budgetPriority": 500}}, {"always": True, "priority": 100}),
        ({"content": "@@activate\nOf Storm."}, {"always": True}),
        (
            {"insertion_order": 90, "extensions": {"sticky": 2, "group": "g"}},
            {"priority": -10, "sticky": 2, "group": "g"},
        ),
        # What the entry itself says goes before its extensions.
        ({"order": 101, "extensions": {"order": 102}}, {"priority": 1}),
    ],
)
def test_a_field_becomes_a_rule(tmp_path: Path, fields: dict[str, Any], rules: dict[str, Any]) -> None:
    (found,) = metadata(tmp_path, entry("Storm", **fields))
    assert found["lore"] == rules
    assert not {f"x_{key}" for key in fields} - {"x_useProbability"} & found.keys()


@pytest.mark.parametrize(
    "fields",
    [
        {"constant": False, "order": 100, "sticky": None, "cooldown": 0, "group": "", "probability": 100},
        {"probability": 30, "useProbability": False},
        {"order": "first", "sticky": 1000, "group": ["a"], "constant": 1},
        {"order": 10**6, "group": " , ", "probability": 250},
        {"delay": 4, "groupWeight": 20, "position": 4},
    ],
)
def test_what_is_so_anyway_or_no_rule_can_say_stays_as_it_was(tmp_path: Path, fields: dict[str, Any]) -> None:
    (found,) = metadata(tmp_path, entry("Storm", **fields))
    assert "lore" not in found
    assert {f"x_{key}": value for key, value in fields.items()} == {key: found[key] for key in found if key[:2] == "x_"}


def test_what_is_told_in_no_case_is_for_the_game_master_alone(tmp_path: Path) -> None:
    found = metadata(tmp_path, entry("Storm", probability=0), entry("Fog", content="@@dont_activate\nOf Fog."))
    assert [one["visibility"] for one in found] == ["gm", "gm"]
    assert (found[0]["x_probability"], found[1]["x_decorators"]) == (0, ["@@dont_activate"])


OTHERS = (entry("Viktor"), entry("The Bridge", key=["bridge", "old bridge"]))


@pytest.mark.parametrize(("logic", "rule"), [(0, "any"), (1, "not all"), (2, "not any"), (3, "all"), (None, "any")])
def test_secondary_keys_become_words_that_a_question_must_say_or_not(
    tmp_path: Path, logic: int | None, rule: str
) -> None:
    ruled = entry("Storm", keysecondary=["viktor", "/ra+in/i"], selective=True, selectiveLogic=logic)
    found = metadata(tmp_path, ruled, *OTHERS)[0]
    assert found["lore"] == {rule: ["viktor", "/ra+in/i"]}
    assert "x_keysecondary" not in found
    assert found.get("x_selectiveLogic") in (None, 0)


def test_a_cards_book_names_them_otherwise(tmp_path: Path) -> None:
    ruled = {"name": "Storm", "keys": ["storm"], "content": "Of it.", "secondary_keys": ["Mara"], "selective": True}
    book = {"entries": [{**ruled, "extensions": {"selectiveLogic": 3}}]}
    pack = ImportedPack(card(character_book=book), tmp_path / "mara")
    found = next(file.metadata for file in pack.files if file.metadata["id"] == "storm")
    assert found["lore"] == {"all": ["Mara"]}
    assert "x_extensions" not in found
    chunk = next(one for one in pack.pack.chunks if one.entity_id == "mara:storm")
    assert chunk.rules is not None
    assert chunk.rules.all == ("Mara",)


@pytest.mark.parametrize(
    "fields",
    [
        {"keysecondary": ["rain"], "selective": False},
        {"keysecondary": ["rain"], "selectiveLogic": 4},
        {"keysecondary": ["rain"], "selectiveLogic": True},
        {"keysecondary": ["rain", "/(?=rain)/"]},
        {"keysecondary": ["rain", "{{user}}"]},
        {"keysecondary": ["rain", 7]},
        {"keysecondary": ["word"] * 51},
    ],
)
def test_secondary_keys_that_are_not_used_or_cannot_be_looked_for_stay_as_they_were(
    tmp_path: Path, fields: dict[str, Any]
) -> None:
    (found,) = metadata(tmp_path, entry("Storm", **fields))
    assert "lore" not in found
    assert {f"x_{key}": value for key, value in fields.items()}.items() <= found.items()


def test_a_pattern_among_the_keys_becomes_a_key_and_one_that_cannot_be_read_stays(tmp_path: Path) -> None:
    (found,) = metadata(tmp_path, entry("Storm", key=["storm", " /thunder(s|ing)?/i ", "/(/", "/a{{user}}/"]))
    assert found["lore"] == {"keys": ["/thunder(s|ing)?/i"]}
    assert (found["aliases"], found["x_key"]) == (["storm"], ["/(/", "/a{{user}}/"])


def test_an_imported_book_is_read_without_a_finding_about_its_rules(tmp_path: Path) -> None:
    ruled = entry("Storm", keysecondary=["viktor"], selectiveLogic=3, constant=True, order=7, probability=5, sticky=1)
    pack = ImportedPack(world(ruled, *OTHERS), tmp_path / "pack")
    codes = {finding.code for finding in pack.pack.findings}
    assert {"bad-entry-rule", "entry-never-there", "dangling-reference"}.isdisjoint(codes)
    (chunk,) = (one for one in pack.pack.chunks if one.entity_id == "pack:storm")
    assert chunk.rules is not None
    assert (chunk.rules.always, chunk.rules.priority, chunk.rules.all) == (True, -93, ("viktor",))


PEOPLE = """---
id: viktor
type: npc
lore: {priority: 5, group: [guests, crew], sticky: 2}
section_lore:
  Rumours: {probability: 0.3, requires: [storm]}
  The bar: {keys: ["/stools?/i", nine seats], not all: [rain, "/sto+rm/"]}
---

# Viktor

He owns the bar.

## Rumours

He was seen at the mole.

## The bar

It has nine stools.
"""
STORM = "---\nid: storm\ntype: event\nlore: {always: true, not any: [Viktor], keys: '/gales?/', cooldown: 4}\n---\n\n# Storm\n\nIt comes.\n"


def test_rules_come_back_from_sillytavern_as_they_went(tmp_path: Path) -> None:
    folder = tmp_path / "town"
    for name, text in {"pack.yaml": "id: town\nname: Town\n", "viktor.md": PEOPLE, "storm.md": STORM}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    before = load_pack(folder)
    export_pack(before, Audience.of("gm"), "sillytavern", tmp_path / "town.json")
    after = ImportedPack((tmp_path / "town.json").read_bytes(), tmp_path / "again" / "town").pack
    assert {chunk.id: chunk.rules for chunk in before.chunks} == {chunk.id: chunk.rules for chunk in after.chunks}
    assert all(chunk.rules is not None for chunk in after.chunks)
