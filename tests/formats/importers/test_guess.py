"""The type of an entry, from what the source says and from its words."""

from __future__ import annotations

import pytest

from lorewright.formats.fields import guess_type, named_type, split_prefix
from lorewright.packs.models import ENTITY_TYPES


@pytest.mark.parametrize(
    ("name", "keys", "text", "expected"),
    [
        ("The Gilded Mug", ["tavern", "mug"], "Beer and songs.", "location"),
        ("Ashwood", ["ashwood"], "A forest north of the river.", "location"),
        ("Brother Anselm", ["Anselm"], "He keeps the gate. His hands shake.", "npc"),
        ("Sophia", ["Sophia"], "Long hair, worn in a bun. She laughs often.", "npc"),
        ("Thieves' Guild", ["thieves"], "They take a tenth.", "faction"),
        ("The Silver Order", ["silver order"], "Sworn to the dawn.", "faction"),
        ("Dawnbreaker", ["dawnbreaker"], "A sword that hums.", "item"),
        ("Red Draught", ["potion"], "It burns.", "item"),
        ("Harvest Festival", ["harvest"], "Held each autumn.", "event"),
        ("The Long War", ["war"], "It took nine years.", "event"),
        ("Bushido", ["bushido"], "A code of conduct.", "culture"),
        ("Слава", ["слава"], "Нет слов.", "culture"),
        ("", [], "", "culture"),
    ],
)
def test_words_say_the_type(name: str, keys: list[str], text: str, expected: str) -> None:
    kind, why = guess_type(name, keys, text)
    assert kind == expected
    assert why


def test_a_sample_of_talk_says_nothing_on_its_subject() -> None:
    assert guess_type("Power", ["magic"], "She smiles. Her eyes glow.", is_talk=True)[0] == "culture"


def test_one_word_among_many_keys_is_not_enough() -> None:
    keys = "code write script make develop function method variable module library".split()
    assert guess_type("Programming", keys, "")[0] == "culture"


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Location: Kyoto", ("location", "Kyoto")),
        ("[Character] - Yusa", ("npc", "Yusa")),
        ("Role: Oiran", ("culture", "Oiran")),
        ("Chapter: One", ("", "Chapter: One")),
        ("Item:", ("", "Item:")),
        ("Kyoto", ("", "Kyoto")),
    ],
)
def test_a_prefix_that_names_a_type_is_taken_off(title: str, expected: tuple[str, str]) -> None:
    assert split_prefix(title) == expected


def test_every_type_can_be_named() -> None:
    assert {named_type(kind) for kind in ENTITY_TYPES} == set(ENTITY_TYPES)
    assert named_type("Characters") == "npc"
    assert named_type("whatever") is None
