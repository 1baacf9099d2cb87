"""Who sees what of a scene, cell by cell: planner, narrator and player, before and after a reveal."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lorewright.scene_lore.models import SceneLore, StageViewer, scene_view

VIKTOR = "town:viktor"
PARTS = {
    "atmosphere": "Neon hums over wet glass.",
    "disposition": "Viktor polishes one glass.",
    "capabilities": "He keeps a shotgun under the sink.",
    "knows": "Jin's last run went to Pier 9.",
    "withholds": "Zenith bought his debt of forty thousand.",
    "discoverable": "Dried blood marks the coin slot.",
    "threads": "Jin was last seen in the Dragon.",
}
ITEMS = {
    "knows": "town:viktor:knows#pier9",
    "withholds": "town:viktor:withholds#debt",
    "discoverable": "town:bar:discoverable#stain",
    "threads": "town:bar:threads#main_case",
}
# (part, viewer) -> whether its text is seen before and after its item was revealed.
CELLS: dict[tuple[str, StageViewer], tuple[bool, bool]] = {
    ("atmosphere", "planner"): (True, True),
    ("atmosphere", "narrator"): (True, True),
    ("atmosphere", "player"): (True, True),
    ("disposition", "planner"): (True, True),
    ("disposition", "narrator"): (True, True),
    ("disposition", "player"): (False, False),
    ("capabilities", "planner"): (True, True),
    ("capabilities", "narrator"): (True, True),
    ("capabilities", "player"): (False, False),
    ("knows", "planner"): (False, False),
    ("knows", "narrator"): (False, True),
    ("knows", "player"): (False, True),
    ("withholds", "planner"): (False, False),
    ("withholds", "narrator"): (False, True),
    ("withholds", "player"): (False, True),
    ("discoverable", "planner"): (False, True),
    ("discoverable", "narrator"): (False, True),
    ("discoverable", "player"): (False, True),
    ("threads", "planner"): (True, True),
    ("threads", "narrator"): (False, True),
    ("threads", "player"): (False, True),
}
VIEWERS: tuple[StageViewer, ...] = ("planner", "narrator", "player")


def view(lore: SceneLore, viewer: StageViewer, *learned: str) -> dict[str, Any]:
    return scene_view(lore, viewer, learned=frozenset(learned))


def said(lore: SceneLore, viewer: StageViewer, *learned: str) -> str:
    return json.dumps(view(lore, viewer, *learned))


def test_every_cell_of_the_table_is_tested() -> None:
    assert set(CELLS) == {(part, viewer) for part in PARTS for viewer in VIEWERS}


@pytest.mark.parametrize(("part", "viewer"), CELLS)
def test_a_part_is_seen_as_the_table_says(lore: SceneLore, part: str, viewer: StageViewer) -> None:
    before, after = CELLS[part, viewer]
    assert (PARTS[part] in said(lore, viewer)) is before
    revealed = [ITEMS[part]] if part in ITEMS else list(ITEMS.values())
    assert (PARTS[part] in said(lore, viewer, *revealed)) is after


@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("part", ITEMS)
def test_a_reveal_shows_one_item_and_not_its_neighbours(lore: SceneLore, part: str, viewer: StageViewer) -> None:
    always = {item.id for item in lore.thread_connections} if viewer == "planner" else set()
    others = [item.text for item in lore.items() if item.id not in {ITEMS[part], *always}]
    shown = said(lore, viewer, ITEMS[part])
    assert not any(text in shown for text in others)


@pytest.mark.parametrize("viewer", VIEWERS)
def test_triggers_and_hints_of_what_was_not_found_are_not_told(lore: SceneLore, viewer: StageViewer) -> None:
    assert "crooked" not in said(lore, viewer)
    assert "jukebox:" not in said(lore, viewer)
    assert "listen at the floor" not in said(lore, viewer)


def test_the_planner_sees_topics_and_counts(lore: SceneLore) -> None:
    seen = view(lore, "planner")
    assert seen["npc_briefings"][VIKTOR]["knows"] == ["Pier 9", "Night Guild", "weather"]
    assert seen["npc_briefings"][VIKTOR]["withholds_count"] == 2
    assert seen["discoverable"] == [{"where": "town:bar", "undiscovered_count": 3}]
    assert view(lore, "planner", ITEMS["discoverable"])["discoverable"][-1]["undiscovered_count"] == 2


def test_no_one_else_is_told_that_there_is_something(lore: SceneLore) -> None:
    assert view(lore, "narrator")["discoverable"] == view(lore, "player")["discoverable"] == []
    assert view(lore, "player")["npc_briefings"][VIKTOR] == {"knows": [], "withholds": []}
    assert "count" not in said(lore, "narrator") + said(lore, "player")


def test_when_all_is_found_the_planner_is_told_of_nothing_more(lore: SceneLore) -> None:
    everything = [item.id for item in lore.discoverable]
    assert [one["trigger"] for one in view(lore, "planner", *everything)["discoverable"]] == [
        "search behind the bar",
        "examine the jukebox",
        "listen at the floor",
    ]


def test_a_view_has_the_shape_of_the_cache(lore: SceneLore) -> None:
    for viewer in VIEWERS:
        seen = view(lore, viewer, *ITEMS.values())
        assert set(seen) == {"scene_id", "atmosphere", "npc_briefings", "discoverable", "thread_connections"}
        assert seen["thread_connections"] == {"main_case": PARTS["threads"]}
        assert list(seen["npc_briefings"]) == ["town:viktor", "town:mara"]


@pytest.mark.parametrize("viewer", ["narrator", "player"])
def test_what_was_not_learned_changes_no_byte(lore: SceneLore, viewer: StageViewer) -> None:
    emptied = lore.model_copy(
        update={
            "discoverable": (),
            "briefings": tuple(one.model_copy(update={"knows": (), "withholds": ()}) for one in lore.briefings),
        }
    )
    assert said(emptied, viewer) == said(lore, viewer)


def test_what_has_come_out_is_not_counted_among_what_is_kept_back(lore: SceneLore) -> None:
    kept = [item.id for briefing in lore.briefings if briefing.npc_id == VIKTOR for item in briefing.withholds]
    seen = scene_view(lore, "planner", learned=frozenset(kept[:1]))
    assert seen["npc_briefings"][VIKTOR]["withholds_count"] == 1
