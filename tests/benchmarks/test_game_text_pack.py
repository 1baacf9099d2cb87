"""A pack is made of a game's descriptions by their layout alone; the Debian package itself is asked where it is here."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.packs.loader import load_pack
from support.game_text_pack import KINDS, installed_descriptions, read_records, write_game_texts

RECORDS = """# A note of the authors.
%%%%
Lantern oil spell

Burns <w>for</w> an
hour.

{{ return "code" }}It smells # of fish.
%%%%
Old lamp spell

<Lantern oil spell>
%%%%
__internal

Never shown.
%%%%
Empty spell
%%%%
"""


def test_records_are_keys_with_plain_paragraphs() -> None:
    found = read_records(RECORDS)
    assert found["Lantern oil spell"] == "Burns for an hour.\n\nIt smells  of fish."
    assert found["Old lamp spell"] == "<Lantern oil spell>"
    assert set(found) == {"Lantern oil spell", "Old lamp spell"}


def descriptions(folder: Path, **texts: str) -> Path:
    folder.mkdir()
    for kind in KINDS:
        (folder / f"{kind}.txt").write_text(texts.get(kind, "%%%%\nA thing\n\nIs here.\n%%%%\n"), encoding="utf-8")
    return folder


def test_what_all_names_end_with_is_left_out_and_a_second_key_is_an_alias(tmp_path: Path) -> None:
    gods = "%%%%\nUm\n\nIs old.\n%%%%\nUm powers\n\nRain falls.\n%%%%\n"
    write_game_texts(descriptions(tmp_path / "source", spells=RECORDS, gods=gods), tmp_path / "pack")
    pack = load_pack(tmp_path / "pack")
    entities = {entity.id: entity for entity in pack.entities}
    assert entities["crawl:spells_lantern_oil"].name == "Lantern oil"
    assert entities["crawl:spells_lantern_oil"].aliases == ("Old lamp",)
    texts = {chunk.section: chunk.text for chunk in pack.chunks if chunk.entity_id == "crawl:gods_um"}
    assert texts == {"": "Is old.", "Powers": "Rain falls."}


@pytest.mark.campaign
def test_the_package_becomes_a_pack_without_errors(tmp_path: Path) -> None:
    written = write_game_texts(installed_descriptions(), tmp_path / "pack")
    pack = load_pack(tmp_path / "pack")
    assert len(pack.entities) == written > 1_000
    assert all("%%%%" not in chunk.text and "{{" not in chunk.text for chunk in pack.chunks)
