"""Other tools' lorebooks and cards: imported, exported for SillyTavern and imported again, they say the same.

The same are: entities with their IDs, names, types, aliases and tags; the text and role of each section; what is switched
off; keys; every field that says something else than SillyTavern's default; and what the book says of itself.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from formats.importers.test_corpora import NAMES, lorebooks
from lorewright.formats.exporting import export_pack
from lorewright.formats.json_source import read_json
from lorewright.formats.reading import read_file
from lorewright.formats.rule_fields import DEFAULTS, as_world_info, rules_of, to_world_info
from lorewright.formats.shown import Audience
from lorewright.formats.writer import write_pack
from lorewright.packs.frontmatter import read_source
from lorewright.packs.loader import load_pack
from lorewright.packs.models import Pack
from support.lorebook_sources import bytes_of, card, world
from support.secretive_pack import secretive

GM = Audience.of("gm")
# `disable` and `enabled` are told by what is kept from players, `uid` by the order, `addMemo` by whether there is a title.
TOLD_OTHERWISE = {"disable", "enabled", "uid", "addMemo", "comment"}


def content(pack: Pack) -> dict[str, Any]:
    found: dict[str, Any] = {"": (pack.manifest.name, pack.manifest.description, kept(pack.manifest.extra))}
    for entity in pack.entities:
        chunks = [one for one in pack.chunks if one.entity_id == entity.id]
        fields = {key.removeprefix("x_"): value for key, value in entity.attrs.items() if key.startswith("x_")}
        keys = sorted(json.dumps(one) for key in ("key", "keys") for one in fields.pop(key, []))
        said = read_source("", (Path(pack.root) / entity.file_path).read_bytes()).metadata
        found[entity.id.partition(":")[2]] = {
            "entity": (entity.name, entity.type, entity.aliases, entity.tags),
            "sections": [(one.section, one.role, one.text) for one in chunks],
            "keys": keys,
            "fields": {
                key: value
                for key, value in {
                    **as_world_info(fields),
                    **to_world_info(rules_of(said, ""), lambda one: [one]),
                }.items()
                if key not in TOLD_OTHERWISE and value != DEFAULTS.get(key, "")
            },
        }
    return found


def kept(extra: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in extra.items() if key != "x_imported_from"}


def imported(source: Path, folder: Path) -> Pack:
    write_pack(read_file(source), folder)
    return load_pack(folder)


def there_and_back(source: Path, folder: Path, **options: Any) -> tuple[Pack, Pack, Path]:
    """The pack of a source, the pack of its export, and the export."""
    first, out = imported(source, folder / "first" / "book"), folder / "out.json"
    export_pack(first, GM, "sillytavern", out, **options)
    return first, imported(out, folder / "second" / "book"), out


@pytest.mark.corpora
@pytest.mark.parametrize("name", NAMES)
def test_every_lorebook_and_card_comes_back_equal(name: str, tmp_path: Path) -> None:
    first, second, out = there_and_back(lorebooks() / name, tmp_path)
    assert content(second) == content(first)
    is_card = "data" in json.loads(out.read_text(encoding="utf-8"))
    assert is_card == (name.startswith("sillytavern/") and "Eldoria" not in name)


@pytest.mark.corpora
@pytest.mark.parametrize("name", ["sillytavern/default_Seraphina.png", "sillytavern/contest_Assistant_Sakana.png"])
def test_a_card_comes_back_equal_as_a_book_too(name: str, tmp_path: Path) -> None:
    first, second, _ = there_and_back(lorebooks() / name, tmp_path, as_book=True)
    one, other = content(first), content(second)
    assert {key: value for key, value in other.items() if key} == {key: value for key, value in one.items() if key}


@pytest.mark.corpora
def test_the_fields_of_a_real_book_are_exported_as_they_were(tmp_path: Path) -> None:
    path = lorebooks() / "sillytavern" / "Eldoria.json"
    _, _, out = there_and_back(path, tmp_path)
    before, after = (json.loads(one.read_text(encoding="utf-8"))["entries"] for one in (path, out))
    assert after.keys() == before.keys()
    for key, entry in before.items():
        said = {name: value for name, value in entry.items() if name != "content"}
        assert {name: after[key][name] for name in said} == said


@pytest.mark.corpora
@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith(".chara.json")])
def test_the_fields_of_a_real_card_are_exported_as_they_were(name: str, tmp_path: Path) -> None:
    _, _, out = there_and_back(lorebooks() / name, tmp_path)
    # As read: with line feeds for line ends.
    before, after = (read_json(one.read_bytes(), what="")["data"] for one in (lorebooks() / name, out))
    after["extensions"].pop("lorewright")
    texts = {"description", "personality", "scenario", "first_mes", "mes_example", "alternate_greetings"}
    for key in before.keys() - texts - {"character_book"}:
        assert after.get(key) == before[key] or (key not in after and not before[key]), key
    for one, other in zip(
        before.get("character_book", {}).get("entries", []),
        after.get("character_book", {}).get("entries", []),
        strict=True,
    ):
        other["extensions"].pop("lorewright")
        # A title has names for placeholders, as texts have.
        filled = {"content": "", "comment": ""}
        assert {**other, **filled} == {"extensions": {}, **one, "keys": list(dict.fromkeys(one["keys"])), **filled}


def test_what_a_book_can_say_comes_back(tmp_path: Path) -> None:
    source = tmp_path / "book.json"
    entries = (
        {
            "key": ["tavern", "/t.*/i"],
            "comment": "Location: The Tavern",
            "content": "@@depth 3\nA room.",
            "order": 7,
            "sticky": 3,
        },
        {"key": [], "comment": "Law", "content": "Nobody drinks on a Sunday.", "constant": True, "group": "rules"},
        {"key": ["ghost"], "content": "# Boo\n\nSays the ghost. %% Boo. <!-- open", "disable": True, "probability": 30},
        {"key": ["ghost"], "content": "Another ghost.", "tags": ["undead"], "unknown": {"deep": [1, None]}},
    )
    source.write_bytes(bytes_of(world(*entries, name="Inn", description="Of an inn.", extensions={"mine": 1}, odd=[2])))
    first, second, out = there_and_back(source, tmp_path)
    assert content(second) == content(first)
    written = json.loads(out.read_text(encoding="utf-8"))
    assert (written["odd"], written["extensions"]["mine"]) == ([2], 1)
    tavern, law, ghost = (
        next(one for one in written["entries"].values() if text in one["content"])
        for text in ("A room.", "on a Sunday", "Says the ghost")
    )
    assert (tavern["key"], tavern["order"], tavern["sticky"]) == (["tavern", "/t.*/i"], 7, 3)
    assert tavern["content"].startswith("@@depth 3\nA room.")
    assert (law["key"], law["constant"], law["group"]) == ([], True, "rules")
    assert (ghost["disable"], ghost["probability"]) == (True, 30)
    assert set(DEFAULTS) <= tavern.keys()


def test_a_card_with_everything_comes_back(tmp_path: Path) -> None:
    source = tmp_path / "card.json"
    data = {
        "nickname": "May",
        "description": "Tall.",
        "personality": "Kind.",
        "mes_example": "<START>\nHello.\n<START>\nBye.",
        "alternate_greetings": ["Oh, you.", "Again?"],
        "group_only_greetings": ["All of you!"],
        "system_prompt": "Be {{char}}.",
        "tags": ["sailor"],
        "extensions": {"depth_prompt": {"depth": 4}},
        "character_book": {
            "name": "Sea",
            "entries": [
                {
                    "keys": ["boat"],
                    "content": "Leaks.",
                    "extensions": {"depth": 2},
                    "insertion_order": 5,
                    "enabled": False,
                }
            ],
        },
    }
    source.write_bytes(bytes_of(card(**data)))
    first, second, out = there_and_back(source, tmp_path)
    assert content(second) == content(first)
    written = json.loads(out.read_text(encoding="utf-8"))["data"]
    for key in ("nickname", "alternate_greetings", "group_only_greetings", "system_prompt", "tags"):
        assert written[key] == data[key]
    assert written["mes_example"] == data["mes_example"]
    assert written["character_book"]["entries"][0]["insertion_order"] == 5


def test_an_authored_pack_comes_back_with_its_sections_and_its_secrets(tmp_path: Path) -> None:
    pack = secretive(tmp_path / "pack")
    export_pack(pack, GM, "sillytavern", tmp_path / "out.json")
    back = imported(tmp_path / "out.json", tmp_path / "back")
    before = {(one.entity_id.partition(":")[2], one.section): one for one in pack.chunks if one.source and one.text}
    after = {(one.entity_id.partition(":")[2], one.section): one for one in back.chunks if one.text}
    assert after.keys() == before.keys()
    for key, chunk in after.items():
        # What has a condition becomes a secret: a lorebook cannot say when it holds.
        expected = "secret" if before[key].conditions else before[key].role
        assert chunk.role == expected, key


def test_entries_for_the_game_master_are_written_switched_off(tmp_path: Path) -> None:
    export_pack(secretive(tmp_path / "pack"), GM, "sillytavern", tmp_path / "out.json")
    entries = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["entries"].values()
    off = {entry["comment"]: entry["disable"] for entry in entries}
    assert off["Osk: Withholds"] is off["Aardwolf House"] is off["The Quay: Low Tide"] is True
    assert off["The Quay"] is off["Osk"] is False


def test_what_somebody_else_wrote_in_our_place_cannot_open_or_break_anything(tmp_path: Path) -> None:
    marks: list[Any] = [
        {"entity": "../../etc", "name": "A", "type": "god", "role": "everyone"},
        {"entity": 3, "name": []},
        "words",
        {"entity": "con", "name": "B", "section": "Tea", "tags": ["a|b", 3], "aliases": {"x": 1}},
        {"entity": "con", "name": "B", "visibility": "gm"},
    ]
    entries = [
        {"key": [f"k{n}"], "content": "Text.", "extensions": {"lorewright": mark}} for n, mark in enumerate(marks)
    ]
    source = tmp_path / "book.json"
    source.write_bytes(bytes_of(world(*entries)))
    pack = imported(source, tmp_path / "pack")
    assert not pack.errors
    assert all(not entity.file_path.startswith((".", "/")) and ".." not in entity.file_path for entity in pack.entities)
    told = {entity.id.partition(":")[2]: entity for entity in pack.entities}
    assert told.keys() == {"a", "k1", "k2", "b"}
    assert told["k1"].attrs["x_extensions"] == {"lorewright": {"entity": 3, "name": []}}
