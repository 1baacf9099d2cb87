"""Each format's fields, and the place that each of them has in a pack."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lorewright.errors import PackError
from lorewright.formats.reading import read
from support.lorebook_sources import ImportedPack, bytes_of, card, charx, picture, png, text_chunk, world

FULL_CARD = card(
    description="{{char}} mends radios for {{user}}.",
    personality="Dry and patient.",
    scenario="A stall under the bridge.",
    mes_example="<START>\n{{user}}: Hi.\n{{char}}: Mind the wires.\n<START>\n{{char}}: Closed.",
    alternate_greetings=["Back again?", "We open at noon."],
    group_only_greetings=["All of you at once?"],
    creator_notes="Made in an evening.",
    system_prompt="Write as {{char}}.",
    post_history_instructions="Stay in character.",
    tags=["tinkerer", "bridge"],
    nickname="Wires",
    extensions={"depth_prompt": {"depth": 4}},
)


def test_a_card_is_an_npc_with_a_section_for_each_thing_it_says(tmp_path: Path) -> None:
    pack = ImportedPack(FULL_CARD, tmp_path / "mara")
    assert pack.sections("mara") == {
        "": "Mara mends radios for the player.",
        "Personality": "Dry and patient.",
        "Scenario": "A stall under the bridge.",
        "Voice": "the player: Hi.\nMara: Mind the wires.\n\n---\n\nMara: Closed.",
        "Opening": "Hello.\n\n### Another opening 1\n\nBack again?\n\n### Another opening 2\n\nWe open at noon."
        "\n\n### An opening in company 1\n\nAll of you at once?",
    }
    (entity,) = pack.pack.entities
    assert (entity.type, entity.aliases, entity.tags) == ("npc", ("Wires",), ("tinkerer", "bridge"))


def test_what_a_card_says_to_a_model_is_kept_word_for_word_and_told_to_nobody(tmp_path: Path) -> None:
    pack = ImportedPack(FULL_CARD, tmp_path / "mara")
    (file,) = pack.files
    assert file.metadata["x_creator_notes"] == "Made in an evening."
    assert file.metadata["x_system_prompt"] == "Write as {{char}}."
    assert file.metadata["x_post_history_instructions"] == "Stay in character."
    assert file.metadata["x_extensions"] == {"depth_prompt": {"depth": 4}}
    assert not any("Write as" in chunk.text for chunk in pack.pack.chunks)


def test_a_card_of_version_one_has_its_fields_at_the_top(tmp_path: Path) -> None:
    pack = ImportedPack({"name": "Mara", "description": "Mends radios.", "first_mes": "Hm?"}, tmp_path / "mara")
    assert pack.sections("mara") == {"": "Mends radios.", "Opening": "Hm?"}


def test_what_a_card_repeats_for_old_readers_is_kept_once_and_what_differs_is_kept_too(tmp_path: Path) -> None:
    source = card(description="Mends radios.", creator="Ann") | {"description": "Mends radios.", "creator": "Bob"}
    pack = ImportedPack(source, tmp_path / "mara")
    (file,) = pack.files
    assert (file.metadata["x_creator"], file.metadata["x_creator_2"]) == ("Ann", "Bob")
    assert "x_description" not in file.metadata
    assert pack.place_of("description") == ["the same as data.description"]


def test_the_book_of_a_card_speaks_of_the_character_by_name(tmp_path: Path) -> None:
    entry = {"keys": ["stall"], "content": "{{char}} sleeps here.", "enabled": True, "insertion_order": 7}
    pack = ImportedPack(card(character_book={"entries": [entry], "scan_depth": 4}), tmp_path / "mara")
    assert pack.sections("stall") == {"": "Mara sleeps here."}
    assert pack.manifest["x_character_book"] == {"scan_depth": 4}
    assert pack.files[1].metadata["lore"] == {"priority": -93}


@pytest.mark.parametrize("kind", [b"tEXt", b"zTXt", b"iTXt"])
@pytest.mark.parametrize("keyword", ["chara", "ccv3", "Chara"])
def test_a_card_is_read_out_of_a_picture(keyword: str, kind: bytes) -> None:
    assert read(picture(FULL_CARD, keyword=keyword, kind=kind), "mara.png").name == "Mara"


def test_of_two_cards_in_a_picture_the_newer_one_is_read_and_the_other_is_kept(tmp_path: Path) -> None:
    old, new = picture(card(personality="Old.")), picture(card(personality="New."), keyword="ccv3")
    chunks = [data[33:-12] for data in (old, new)]
    pack = ImportedPack(png(*chunks), tmp_path / "mara", filename="mara.png")
    assert pack.sections("mara")["Personality"] == "New."
    assert pack.files[0].metadata["x_chara_in_the_picture"]["data"]["personality"] == "Old."


def test_a_lorebook_is_read_out_of_a_picture() -> None:
    book = {"lorebookVersion": 5, "entries": [{"text": "Rain.", "displayName": "Weather", "keys": []}]}
    assert read(picture(book, keyword="naidata"), "book.png").format == "NovelAI lorebook"


def test_a_card_is_read_out_of_a_charx_archive() -> None:
    archive = charx({"assets/icon.png": b"picture", "card.json": bytes_of(FULL_CARD)})
    assert read(archive, "mara.charx").name == "Mara"


def test_keys_become_aliases_but_patterns_and_combinations_stay_keys(tmp_path: Path) -> None:
    keys = ["Neon Dragon", "dragon", "/drag(on)+/i", "bar & neon", "a|b", "[[x]]", 7, "dragon"]
    pack = ImportedPack(world({"key": keys, "comment": "Neon Dragon", "content": "A bar."}), tmp_path / "dragon")
    (entity,) = pack.pack.entities
    assert (entity.name, entity.aliases) == ("Neon Dragon", ("dragon",))
    assert pack.files[0].metadata["x_key"] == ["bar & neon", "a|b", "[[x]]", 7]
    assert pack.files[0].metadata["lore"] == {"keys": ["/drag(on)+/i"]}


def test_of_the_keys_of_an_entry_that_uses_patterns_plain_words_are_aliases(tmp_path: Path) -> None:
    entry = {"keys": ["drag.*", "the worm"], "use_regex": True, "name": "Dragon", "content": "A bar."}
    pack = ImportedPack(card(character_book={"entries": [entry]}), tmp_path / "mara")
    assert pack.pack.entities[0].aliases == ("the worm",)
    assert pack.files[1].metadata["x_keys"] == ["drag.*"]


def test_an_entry_without_a_title_is_named_after_its_first_key(tmp_path: Path) -> None:
    pack = ImportedPack(world({"key": ["magical forest"], "content": "Trees."}), tmp_path / "woods")
    assert [entity.name for entity in pack.pack.entities] == ["Magical forest"]


@pytest.mark.parametrize("switch", [{"disable": True}, {"enabled": False}])
def test_an_entry_that_was_switched_off_is_for_the_game_master_alone(switch: dict[str, bool], tmp_path: Path) -> None:
    pack = ImportedPack(world({"key": ["plan"], "content": "Later.", **switch}), tmp_path / "plans")
    assert [chunk.role for chunk in pack.pack.chunks] == ["secret"]
    (name,) = switch
    assert "switched off: visibility gm" in pack.place_of(f"entries[].{name}")


def test_entries_may_be_a_list_and_the_members_that_are_none_are_kept(tmp_path: Path) -> None:
    source = {"entries": [{"key": ["a"], "content": "One."}, "stray", None], "name": "Mixed", "scanDepth": 3}
    pack = ImportedPack(source, tmp_path / "mixed")
    assert (pack.manifest["name"], pack.manifest["x_scanDepth"]) == ("Mixed", 3)
    assert pack.manifest["x_entries"] == ["stray", None]


def test_a_lorebook_of_a_version_three_card_by_itself_is_read(tmp_path: Path) -> None:
    source = {"spec": "lorebook_v3", "data": {"name": "Rain", "entries": [{"keys": ["rain"], "content": "Wet."}]}}
    pack = ImportedPack(source, tmp_path / "rain")
    assert (pack.manifest["name"], pack.manifest["x_spec"]) == ("Rain", "lorebook_v3")


def test_decorators_of_an_entry_are_no_part_of_its_text(tmp_path: Path) -> None:
    pack = ImportedPack(world({"key": ["rain"], "content": "@@depth 4\n@@@role user\nWet."}), tmp_path / "rain")
    assert pack.sections("rain") == {"": "Wet."}
    assert pack.files[0].metadata["x_decorators"] == ["@@depth 4", "@@@role user"]


def test_a_novelai_category_is_a_tag_and_says_the_type(tmp_path: Path) -> None:
    source = {
        "lorebookVersion": 5,
        "entries": [{"text": "Old.", "displayName": "The Anchor", "keys": ["anchor"], "category": "c1"}],
        "categories": [{"id": "c1", "name": "Places"}],
    }
    (entity,) = ImportedPack(source, tmp_path / "book").pack.entities
    assert (entity.type, entity.tags) == ("location", ("Places",))


def test_a_prefix_of_the_title_says_the_type_and_is_kept(tmp_path: Path) -> None:
    source = {"lorebookVersion": 1, "entries": [{"text": "x", "displayName": "Location: Kyoto", "keys": []}]}
    pack = ImportedPack(source, tmp_path / "book")
    assert [(entity.name, entity.type) for entity in pack.pack.entities] == [("Kyoto", "location")]
    assert pack.files[0].metadata["x_displayName"] == "Location: Kyoto"


def test_a_scenario_has_a_file_of_its_own_and_its_authors_note_is_kept_aside(tmp_path: Path) -> None:
    source = {
        "scenarioVersion": 1,
        "title": "The Well",
        "description": "A short one.",
        "prompt": "You wake up.",
        "context": [{"text": "A dry land.", "contextConfig": {"prefix": ""}}, {"text": "[ Style: terse ]"}],
        "lorebook": {"lorebookVersion": 1, "entries": [], "settings": {"order": False}},
    }
    pack = ImportedPack(source, tmp_path / "well")
    assert pack.sections("the-well") == {"": "A dry land.", "Opening": "You wake up."}
    assert pack.pack.manifest.description == "A short one."
    assert pack.manifest["x_context"] == [{"contextConfig": {"prefix": ""}}, {"text": "[ Style: terse ]"}]
    assert pack.manifest["x_lorebook"] == {"lorebookVersion": 1, "settings": {"order": False}}


STORY_CARD = {"keys": "anchor, the old anchor", "value": "Sells beer.", "type": "location", "title": "The Anchor"}


@pytest.mark.parametrize("wrap", [lambda cards: cards, lambda cards: {"storyCards": cards, "title": "Docks"}])
def test_story_cards_are_read_with_their_own_type(wrap: Any, tmp_path: Path) -> None:
    pack = ImportedPack(wrap([{**STORY_CARD, "description": "Notes for me."}]), tmp_path / "docks")
    (entity,) = pack.pack.entities
    assert (entity.name, entity.type) == ("The Anchor", "location")
    assert entity.aliases == ("anchor", "the old anchor")
    assert pack.files[0].metadata["x_description"] == "Notes for me."
    assert pack.files[0].metadata["x_type"] == "location"


def test_other_macros_stay_and_are_counted(tmp_path: Path) -> None:
    pack = ImportedPack(world({"key": ["rain"], "content": "{{random:wet,dry}} for {{user}}"}), tmp_path / "rain")
    assert pack.sections("rain") == {"": "{{random:wet,dry}} for the player"}
    assert pack.place_of("other {{…}} macros") == ["left as they are"]


@pytest.mark.parametrize("source", [{}, [], 7, "text", None, {"entries": {}}, {"entries": []}, {"story": 1}, [1]])
def test_what_is_no_lorebook_is_refused_with_what_can_be_read(source: Any) -> None:
    with pytest.raises(PackError) as caught:
        read(bytes_of(source), "odd.json")
    assert "odd.json" in caught.value.message
    assert caught.value.hint


def test_a_picture_without_a_card_is_refused() -> None:
    with pytest.raises(PackError, match="without a character card"):
        read(png(text_chunk("Software", b"paint")), "photo.png")
