"""Campaigns over packs with conditions and overrides: what is in force follows the state of the turn."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from lorewright.bootstrap import App, open_app
from lorewright.errors import ScenarioError
from support import harbour as h

OSK = h.FILES["npcs/osk.md"]
# Osk speaks of the boat only once the thread is cold, and of the weather while there is no fact of it.
COLD = OSK.replace("{#boat}", "{#boat} (when thread lost is cold and fact asked of osk)")
RULE = """
  - id: cooling
    on: {act: ask, target: osk, topic: weather}
    success: [{thread: lost, status: cold}, {fact: asked, subject: osk}]
"""
SCENARIO = h.SCENARIO.replace(
    "    rules:\n", "    rules:\n" + "".join(f"    {x}\n" for x in RULE.strip("\n").split("\n"))
)

HOMEBREW = {
    "pack.yaml": """
        id: ourtown
        name: Our Town
        version: 1.0.0
        layer: homebrew
        license: {type: cc-by}
    """,
    "osk.md": """
        ---
        id: osk
        type: npc
        pronoun: she
        overrides: harbour:osk
        ---
        # Oska

        ## Knows

        - {#tide} The tide took a narwhal in the spring.
    """,
}


def started(tmp_path: Path, files: Mapping[str, str], scenario: str = SCENARIO) -> App:
    root = h.write_workspace(tmp_path / "workspace")
    h.write_pack(root / "content_packs" / "harbour", {**h.FILES, **files})
    h.write_pack(root / "content_packs" / "ourtown", HOMEBREW)
    (root / "scenarios" / "night_boat.yaml").write_text(h.dedent(scenario), encoding="utf-8")
    app = open_app(root)
    app.campaigns.new("night_boat", campaign_id="game", seed=1)
    return app


def test_an_item_is_told_only_while_its_condition_holds(tmp_path: Path) -> None:
    app = started(tmp_path, {"npcs/osk.md": COLD})
    (before,) = h.say(app, "ask Osk about Lin")
    assert h.KNOWS not in json.dumps(before)
    weather, after = h.say(app, "ask Osk about the weather", "ask Osk about Lin's boat")
    assert "wind turns" in weather["final_text"]
    assert h.KNOWS in after["final_text"]


def test_an_item_that_does_not_hold_reaches_no_stage(tmp_path: Path) -> None:
    app = started(tmp_path, {"npcs/osk.md": COLD})
    h.say(app, "look around", "ask Osk about Lin", "search under the counter")
    assert not any(h.KNOWS in text for texts in h.stage_inputs(app).values() for text in texts)


def test_a_query_in_a_campaign_follows_its_state(tmp_path: Path) -> None:
    app = started(tmp_path, {"npcs/osk.md": COLD})
    assert h.KNOWS not in h.query(app, h.KNOWS, "npc:osk")
    h.say(app, "ask Osk about the weather")
    assert h.KNOWS in h.query(app, h.KNOWS, "npc:osk")


@pytest.mark.parametrize(
    ("was", "now", "says"),
    [
        ("thread lost", "thread found", "harbour/npcs/osk.md:19: a condition names the thread found"),
        ("thread lost is cold", "clock luck >= 1", "harbour/npcs/osk.md:19: a condition names the clock luck"),
        ("of osk", "of nobody", "harbour/npcs/osk.md:19: a condition names the subject nobody"),
    ],
)
def test_a_name_that_the_scenario_does_not_have_is_told_with_its_place(
    tmp_path: Path, was: str, now: str, says: str
) -> None:
    with pytest.raises(ScenarioError) as caught:
        started(tmp_path, {"npcs/osk.md": COLD.replace(was, now)})
    assert says in caught.value.message


def test_a_things_own_name_may_be_a_subject(tmp_path: Path) -> None:
    started(tmp_path, {"npcs/osk.md": COLD.replace("of osk", "of lantern")})


def test_conditions_of_those_who_are_not_in_the_scenario_are_not_asked_for(tmp_path: Path) -> None:
    ghost = "---\nid: ghost\ntype: npc\nwhen: {thread: elsewhere, status: open}\n---\n# Ghost\n\nBoo.\n"
    started(tmp_path, {"npcs/ghost.md": ghost})


def test_an_overridden_character_is_played_by_the_later_pack(tmp_path: Path) -> None:
    both = h.SCENARIO.replace("content_packs: [harbour]", "content_packs: [harbour, ourtown]")
    app = started(tmp_path, {}, both.replace("osk/withholds", "harbour:osk/withholds"))
    (told,) = h.say(app, "ask Oska about the tide")
    assert "narwhal" in told["final_text"]
    (refused,) = h.say(app, "ask Oska about Lin's boat and the kestrel")
    assert h.KNOWS not in refused["final_text"]
    with app.campaigns.reading("game") as store:
        osk = store.head().state.entities["harbour:osk"]
    assert (osk.name, osk.pronoun) == ("Oska", "she")
    assert {"Osk", "the landlord"} <= set(osk.aliases)


def test_an_item_of_an_overridden_section_is_no_item(tmp_path: Path) -> None:
    both = h.SCENARIO.replace("content_packs: [harbour]", "content_packs: [harbour, ourtown]")
    with pytest.raises(ScenarioError, match="no pack has an item osk/knows#boat"):
        started(tmp_path, {}, both.replace("{reveal: osk/withholds#debt}]", "{reveal: osk/knows#boat}]"))


TAVERN = h.FILES["locations/tavern.md"].replace(
    "tags: [drink]",
    "exits: {out: {to: quay, minutes: 4, door: hatch}, yard: {to: quay, door: gate}, lane: elsewhere}",
)
NO_EXITS = h.SCENARIO.replace(
    "tavern: {exits: {door: {to: quay, minutes: 3}, cellar: {to: quay, via: hatch}}}", "tavern: {}"
)


def test_a_place_without_exits_takes_those_of_the_pack(tmp_path: Path) -> None:
    app = started(tmp_path, {"locations/tavern.md": TAVERN}, NO_EXITS)
    with app.campaigns.reading("game") as store:
        state = store.head().state
    assert [(way.name, way.to, way.minutes, way.via) for way in state.exits["harbour:tavern"]] == [
        ("out", "harbour:quay", 4, "game:hatch"),
        ("yard", "harbour:quay", 1, None),
    ]
    assert "exits" not in state.entities["harbour:tavern"].attrs
    (gone,) = h.say(app, "go to the yard")
    assert gone["validation"]["results"][0]["success"]


def test_a_scenarios_own_exits_win(tmp_path: Path) -> None:
    app = started(tmp_path, {"locations/tavern.md": TAVERN})
    with app.campaigns.reading("game") as store:
        assert [way.name for way in store.head().state.exits["harbour:tavern"]] == ["door", "cellar"]
