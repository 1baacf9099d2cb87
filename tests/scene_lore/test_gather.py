"""A scene's lore: what belongs to the place and to each who is present, by the roles of their sections."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.index.generation import Generation
from lorewright.scene_lore.gather import gather
from lorewright.scene_lore.models import NPCBriefing, SceneFocus, SceneLore
from support import layered_packs
from support.pack_builder import TOWN, opened_packs

Town = tuple[Generation, ...]


def briefing(lore: SceneLore, npc_id: str) -> NPCBriefing:
    found = lore.briefing(npc_id)
    assert found is not None
    return found


def test_the_place_brings_its_atmosphere_sentence_by_sentence(lore: SceneLore) -> None:
    assert [text.text for text in lore.atmosphere] == [
        "Neon hums over wet glass.",
        "The jukebox plays one song.",
        "Somebody has mopped recently.",
    ]
    assert {text.chunk_id for text in lore.atmosphere} == {"town:bar:atmosphere"}
    assert len({text.key for text in lore.atmosphere}) == 3


def test_the_overview_is_the_places_first_open_section_alone(lore: SceneLore) -> None:
    assert [text.text for text in lore.overview] == [
        "The Neon Dragon is a bar below the elevated railway.",
        "It has nine stools and one rule.",
        "It closes at dawn.",
    ]


def test_each_who_is_present_brings_a_sheet(lore: SceneLore) -> None:
    assert [one.npc_id for one in lore.briefings] == ["town:viktor", "town:mara"]
    viktor = briefing(lore, "town:viktor")
    assert [text.text for text in viktor.disposition] == [
        "Viktor polishes one glass.",
        "Viktor watches the street door.",
    ]
    assert [item.name for item in viktor.knows] == ["pier9", "guild", "weather"]
    assert [item.name for item in viktor.withholds] == ["debt", "name"]
    assert [text.text for text in viktor.capabilities] == [
        "He reads people like a dealer. He keeps a shotgun under the sink."
    ]


def test_the_place_brings_what_can_be_found_in_it(lore: SceneLore) -> None:
    assert [(item.name, item.trigger) for item in lore.discoverable] == [
        ("ledger", "search behind the bar"),
        ("stain", "examine the jukebox"),
        ("cellar", "listen at the floor"),
    ]
    assert lore.discoverable[0].hint == "The shelf behind the counter sits crooked."


def test_only_threads_in_focus_are_connected(town: Town, lore: SceneLore) -> None:
    assert [item.name for item in lore.thread_connections] == ["main_case"]
    assert gather(town, SceneFocus(scene_id="s", location_id="town:bar")).thread_connections == ()


def test_an_items_topics_are_the_names_in_it_else_its_own(lore: SceneLore) -> None:
    topics = {item.name: item.topics for item in lore.items()}
    assert topics["pier9"] == ("Pier 9",)
    assert topics["guild"] == ("Night Guild",)
    assert topics["weather"] == ("weather",)


def test_an_item_called_after_somebody_is_about_them_though_their_name_begins_the_sentence(tmp_path: Path) -> None:
    lines = "\n".join(f"Nine jins hang in row {number}, and a jin is only a bottle." for number in range(8))
    files = {
        "npcs/jin.md": "---\nid: jin\ntype: npc\n---\n\n# Jin\n\nA courier.\n",
        "npcs/wick.md": "---\nid: wick\ntype: npc\n---\n\n# Wick\n\nA doctor.\n\n## Knows\n\n"
        "- {#jin} Jin has not been in since the summer.\n- {#jar} Jin is what I keep in the jar.\n",
        **{f"culture/row{number}.md": f"# Row {number}\n\n{lines}\n" for number in range(8)},
    }
    with opened_packs(tmp_path, {"town": files}) as town:
        lore = gather(town, SceneFocus(scene_id="s", location_id="town:bar", present_ids=("town:wick",)))
    assert {item.name: item.topics for item in lore.items()} == {"jin": ("Jin",), "jar": ("jar",)}


def test_who_is_not_present_brings_nothing(town: Town) -> None:
    lore = gather(town, SceneFocus(scene_id="s", location_id="town:pier", present_ids=("town:mara",)))
    assert [one.npc_id for one in lore.briefings] == ["town:mara"]
    assert lore.discoverable == ()
    assert lore.item("town:viktor:knows#pier9") is None


def test_a_place_or_person_that_no_pack_knows_brings_nothing(town: Town) -> None:
    lore = gather(town, SceneFocus(scene_id="s", location_id="c1:cellar", present_ids=("c1:stranger",)))
    assert lore == SceneLore(scene_id="s", location_id="c1:cellar", briefings=(NPCBriefing(npc_id="c1:stranger"),))
    assert gather((), SceneFocus(scene_id="s", location_id="town:bar")).atmosphere == ()


def test_items_are_found_by_their_ids(lore: SceneLore) -> None:
    assert len({item.id for item in lore.items()}) == len(lore.items()) == 11
    item = lore.item("town:bar:discoverable#stain")
    assert item is not None
    assert item.text == "Dried blood marks the coin slot."


def test_a_gm_place_brings_no_open_text(tmp_path: Path) -> None:
    text = str(TOWN["locations/bar.md"]).replace("type: location", "type: location\nvisibility: gm")
    with opened_packs(tmp_path, {"town": {"bar.md": text}}) as generations:
        lore = gather(generations, SceneFocus(scene_id="s", location_id="town:bar"))
    assert (lore.atmosphere, lore.overview) == ((), ())


def test_a_section_in_several_parts_is_gathered_whole(tmp_path: Path) -> None:
    items = "".join(f"- {{#n{number}}} Fact {number} {'word ' * 60}\n" for number in range(30))
    with opened_packs(tmp_path, {"town": {"a.md": f"---\nid: a\ntype: npc\n---\n# A\n\n## Knows\n\n{items}"}}) as packs:
        lore = gather(packs, SceneFocus(scene_id="s", location_id="x:y", present_ids=("town:a",)))
    assert [item.name for item in briefing(lore, "town:a").knows] == [f"n{number}" for number in range(30)]


@pytest.mark.parametrize("npc_id", ["core:guard", "town:watchman"])
def test_an_overridden_character_has_the_later_section_and_inherits_the_rest(tmp_path: Path, npc_id: str) -> None:
    with opened_packs(tmp_path, {"core": layered_packs.core(), "town": layered_packs.town()}) as packs:
        lore = gather(packs, SceneFocus(scene_id="s", location_id=npc_id, present_ids=(npc_id,)))
    sheet = briefing(lore, npc_id)
    assert [item.text for item in sheet.knows] == ["The password is quince."]
    assert [item.id for item in sheet.withholds] == ["core:guard:withholds#bribe"]
    assert [text.text for text in lore.overview] == ["A guard leans on a halberd by the gate."]
