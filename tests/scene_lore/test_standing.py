"""What is always there stands in every scene's lore, as far as its room reaches; what anything can take out does not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from lorewright.packs.conditions import LoreConditions
from lorewright.scene_lore.gather import gather
from lorewright.scene_lore.models import SceneFocus, character_view, scene_view
from support.pack_builder import TOWN, opened_packs

BAR = SceneFocus(scene_id="s1", location_id="town:bar", present_ids=("town:viktor",))


def law(entity_id: str, rules: str, text: str, *, more: str = "") -> dict[str, str]:
    return {
        f"{entity_id}.md": f"---\nid: {entity_id}\ntype: culture\nlore: {{{rules}}}\n{more}---\n\n# {entity_id}\n\n{text}\n"
    }


def standing(tmp_path: Path, files: Mapping[str, str], conditions: LoreConditions | None = None) -> list[str]:
    with opened_packs(tmp_path, {"town": {**TOWN, **files}}) as town:
        return [line.text for line in gather(town, BAR, conditions).standing]


def test_it_stands_by_priority_then_as_the_pack_has_it(tmp_path: Path) -> None:
    files = {
        **law("arms", "always: true", "No blades inside."),
        **law("bells", "always: true, priority: 2, sticky: 3", "Eight bells, and home."),
        **law("crows", "always: true", "Nobody counts the crows."),
        **law("dues", "priority: 9", "A copper for the gate."),
    }
    assert standing(tmp_path, files) == ["Eight bells, and home.", "No blades inside.", "Nobody counts the crows."]


@pytest.mark.parametrize(
    ("rules", "other"),
    [
        ("probability: 0.5", ""),
        ("cooldown: 2", ""),
        ("requires: [viktor]", ""),
        ("excludes: [viktor]", ""),
        ("group: law", ""),
        ("priority: 1", "excludes: [arms]"),
        ("priority: 1", 'excludes: ["arms:overview"]'),
    ],
)
def test_what_anything_may_take_out_is_no_part_of_a_scene(tmp_path: Path, rules: str, other: str) -> None:
    files = {
        **law("arms", f"always: true, {rules}", "No blades inside."),
        **law("dues", other or "priority: 1", "A copper."),
    }
    assert standing(tmp_path, files) == []


def test_what_is_kept_from_players_does_not_stand_there(tmp_path: Path) -> None:
    assert standing(tmp_path, law("arms", "always: true", "The guard is bought.", more="visibility: gm\n")) == []


def test_a_condition_holds_for_it_too(tmp_path: Path) -> None:
    files = law("arms", "always: true", "No blades inside.", more="when: {thread: siege, status: open}\n")
    assert standing(tmp_path / "open", files, LoreConditions(threads={"siege": "open"})) == ["No blades inside."]
    assert standing(tmp_path / "shut", files, LoreConditions(threads={"siege": "done"})) == []


def test_more_than_its_room_is_left_to_the_turns(tmp_path: Path) -> None:
    long = "Nobody goes out after the eighth bell, whatever the reason may be. " * 25
    files = {
        **law("arms", "always: true", "No blades inside."),
        **law("bells", "always: true", long),
        **law("crows", "always: true", "Crows."),
    }
    assert standing(tmp_path, files) == ["No blades inside."]


def test_every_view_of_a_scene_has_it_and_a_scene_without_any_has_no_place_for_it(tmp_path: Path) -> None:
    with opened_packs(
        tmp_path / "ruled", {"town": {**TOWN, **law("arms", "always: true", "No blades inside.")}}
    ) as town:
        lore = gather(town, BAR)
        views = [scene_view(lore, viewer, learned=frozenset()) for viewer in ("planner", "narrator", "player")]
        views.append(character_view(lore, "town:viktor", learned=frozenset()))
        assert [view["standing"] for view in views] == [["No blades inside."]] * 4
        assert "No blades inside." in [line.text for line in lore.sights()]
    with opened_packs(tmp_path / "plain", {"town": TOWN}) as town:
        lore = gather(town, BAR)
        assert "standing" not in lore.model_dump_json()
        assert "standing" not in scene_view(lore, "planner", learned=frozenset())
