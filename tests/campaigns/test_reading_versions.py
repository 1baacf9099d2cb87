"""The rules of reading have a version: what was read by the first is read the same for ever."""

from __future__ import annotations

from pathlib import Path

from lorewright.campaigns.upgrade_changes import names_then, other_ids
from lorewright.ids import with_other_ids
from lorewright.index.building import build_generation
from lorewright.index.generation import Generation
from lorewright.packs.content_hash import READING, content_hash_of, reading_of
from lorewright.packs.loader import load_pack
from support.pack_builder import write_pack

NOTES = {
    "People/Anna Loaf.md": "# Biography\n\nShe bakes.\n\n## Secrets\n\n- {#oven} The oven is cold.\n",
    "Places/The Mill.md": "# The Mill\n\nIt grinds.\n\n### Treasure\n\n- search the sacks: A coin.\n\n> [!secret]\n> Ghost.\n",
    "Templates/Person.md": "# <% tp.file.title %>\n\nText.\n",
}


def test_the_hash_of_a_text_says_by_which_rules_it_is_read(tmp_path: Path) -> None:
    folder = write_pack(tmp_path, NOTES)
    first, now = (content_hash_of(folder, reading=version) for version in (1, READING))
    assert first != now
    assert (reading_of(folder, first), reading_of(folder, now), reading_of(folder, "0" * 64)) == (1, READING, None)
    assert load_pack(folder).content_hash == now
    assert load_pack(folder, reading=1).content_hash == first


def test_the_first_rules_cut_name_and_type_as_they_did(tmp_path: Path) -> None:
    pack = load_pack(write_pack(tmp_path, NOTES), reading=1)
    assert [(entity.id, entity.name) for entity in pack.entities] == [
        ("town:people-anna-loaf", "Biography"),
        ("town:places-the-mill", "The Mill"),
        ("town:templates-person", "something"),
    ]
    mill = [chunk for chunk in pack.chunks if chunk.entity_id == "town:places-the-mill"]
    assert [(chunk.role, "Ghost." in chunk.shown) for chunk in mill] == [("lore", True)]


def generations(tmp_path: Path) -> tuple[Generation, Generation]:
    folder, home = write_pack(tmp_path, NOTES), tmp_path / "generations"
    home.mkdir()
    then, now = (home / build_generation(load_pack(folder, reading=version), home).folder for version in (1, READING))
    return Generation(then), Generation(now)


def test_ids_that_move_are_followed_by_file_name_and_text(tmp_path: Path) -> None:
    then, now = generations(tmp_path)
    assert (then.reading, now.reading) == (1, READING)
    ids = other_ids(then, now)
    assert ids == {"town:people-anna-loaf": "town:anna-loaf", "town:places-the-mill": "town:the-mill"}
    assert with_other_ids("town:people-anna-loaf:secrets#oven", ids) == "town:anna-loaf:secrets#oven"
    assert other_ids(now, now) == {}
    then.close()
    now.close()


def test_a_scenario_of_the_first_rules_names_what_is_meant(tmp_path: Path) -> None:
    then, now = generations(tmp_path)
    scenario = {"start": "places-the-mill", "cast": {"people-anna-loaf": {"at": "places-the-mill"}}, "intro": "places"}
    assert with_other_ids(scenario, names_then(now)) == {
        "start": "the-mill",
        "cast": {"anna-loaf": {"at": "the-mill"}},
        "intro": "places",
    }
    then.close()
    now.close()
