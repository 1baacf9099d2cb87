"""A workspace for tests: a scenario that has no packs, with places, things, people, a clock and two endings."""

from __future__ import annotations

from pathlib import Path

from lorewright.bootstrap import App, open_app
from lorewright.lore_bootstrap import make_empty_workspace
from support.copied_workspaces import copied_workspace
from support.harbour import dedent

SCENARIO = """
    id: bare_house
    name: The Bare House
    intro_seed: You stand in the hall. Rain runs down the windows.
    start: hall
    player: {name: Ada, pronoun: she, items: [lamp]}
    places:
      hall: {name: Hall, exits: {kitchen: {to: kitchen}, cellar: {to: cellar, via: cellar_door}}}
      kitchen: {name: Kitchen, exits: {hall: {to: hall}}}
      cellar: {name: Cellar, exits: {hall: {to: hall, via: cellar_door}}}
    things:
      lamp: {name: lamp}
      iron_key: {name: iron key, held_by: tom}
      cellar_door: {name: cellar door, kind: door, locked: true, key: iron_key}
      chest: {name: chest, at: cellar}
    cast:
      tom: {at: kitchen, name: Tom, pronoun: he}
    entities:
      - {id: aunt, type: npc, name: Aunt Vi}
    threads:
      below: {title: "What is in the cellar?", related: [tom, aunt]}
    clocks:
      rain: {name: Rain, max: 4, at: {4: [{end: flood}]}}
    rules:
      - "on": {act: persuade, target: tom}
        success: [{give: iron_key}, {clock: rain}]
    endings:
      flood: {say: "The water comes in."}
      found: {say: "You have the chest.", when: {has: chest}}
    demo: [go to the kitchen, persuade Tom]
"""

TO_THE_END = (
    "look around",
    "go to the kitchen",
    "ask Tom about Aunt Vi",
    "search",
    "persuade Tom to give me the key",
    "go to the hall",
    "unlock the cellar door",
    "go to the cellar",
    "take the chest",
)


def write_bare_house(root: Path, *, packs: str = "") -> Path:
    """A workspace with the scenario alone; `packs` is a line for it."""
    make_empty_workspace(root)
    (root / "scenarios" / "bare_house.yaml").write_text(f"{dedent(SCENARIO)}{packs}\n", encoding="utf-8")
    return root


def bare_house(tmp_path: Path, *, packs: str = "", seed: int = 1) -> App:
    """An app with a campaign `game` begun in it."""

    def begin(root: Path) -> None:
        open_app(write_bare_house(root, packs=packs)).campaigns.new("bare_house", campaign_id="game", seed=seed)

    return open_app(copied_workspace(tmp_path / "workspace", begin, "bare_house", packs, seed))
