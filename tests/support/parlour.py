"""A workspace for tests of rulesets: one pack of two rooms and two grown people, one scenario per ruleset."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from lorewright.bootstrap import App, open_app
from lorewright.lore_bootstrap import make_empty_workspace
from support.copied_workspaces import copied_workspace
from support.harbour import dedent

FIXTURES = Path(__file__).parents[1] / "fixtures"

BASE = """
    id: parlour
    name: The parlour
    summary: A party that is nearly over.
    content_pack: parlour
    start: parlour
    intro_seed: The guests have gone but for three. The clock ticks.
    places:
      parlour: {exits: {hall: {to: hall}}}
      hall: {exits: {parlour: {to: parlour}}}
    cast:
      lena: {at: parlour}
      tom: {at: parlour}
"""

# What each ruleset's scenario adds to the base.
BY_RULESET = {
    "freeform": """
        ruleset: freeform
        player: {name: Jo, traits: {charm: 1, nerve: 1}}
        clocks:
          trouble: {name: Trouble, max: 4}
    """,
    "freeform-d20": """
        ruleset: freeform-d20
        player: {name: Jo}
        stat_blocks:
          player: {charm: 3, nerve: -1}
    """,
    "everyday-tension": """
        ruleset: everyday-tension
        # The player alone: what others do is told of elsewhere.
        profile: freeform
        player: {name: Jo}
        stat_blocks:
          player: {warmth: 2, self_awareness: -1, logic: 3}
          lena: {warmth: 1, boundaries: 4}
        scene_seed: {pressure_clock: 2, pressure: the last train}
    """,
    "inner-chorus": """
        ruleset: inner-chorus
        # The player alone: what others do is told of elsewhere.
        profile: freeform
        player: {name: Jo}
        stat_blocks:
          player: {rhetoric: 6, empathy: 1, physique: 0, composure: 1}
    """,
    "seven-minutes": """
        ruleset: seven-minutes
        # The player alone: what others do is told of elsewhere.
        profile: freeform
        player: {name: Jo}
        stat_blocks:
          player: {shyness: 7, chemistry: 3, age: 29}
          lena: {shyness: 7, chemistry: 3, age: 31}
          tom: {shyness: 2, chemistry: 1, age: 40}
        scene_seed: {minutes_left: 7, location: storage closet, pressure: timer, lines: [no violence]}
        endings:
          over: {say: "Outside the clock strikes.", when: {path: minutes_left, max: 0}}
    """,
}


def scenario_text(ruleset: str, *, more: str = "") -> str:
    """The scenario for a ruleset, as its author would write it."""
    return dedent(BASE) + dedent(BY_RULESET[ruleset]) + (dedent(more) if more else "")


def workspace(root: Path, text: str) -> App:
    """A workspace with the pack and one scenario `parlour`."""
    make_empty_workspace(root)
    shutil.copytree(FIXTURES / "parlour", root / "content_packs" / "parlour")
    (root / "scenarios" / "parlour.yaml").write_text(text, encoding="utf-8")
    return open_app(root)


def begun(root: Path, ruleset: str, *, seed: int = 1, more: str = "") -> App:
    """An app with a campaign `game` begun by a ruleset."""

    def begin(folder: Path) -> None:
        app = workspace(folder, scenario_text(ruleset, more=more))
        app.campaigns.new("parlour", campaign_id="game", seed=seed)

    return open_app(copied_workspace(root, begin, "parlour", ruleset, seed, more))


def played(app: App) -> list[dict[str, Any]]:
    """What every turn did, without a word of prose: actions, validation, rolls, ops but for memory, events."""
    found = []
    with app.campaigns.reading("game") as store:
        for turn in store.turns():
            records = {record["stage"]: record["output"] for record in store.stage_records(turn["turn_id"])}
            if "resolve" in records:
                resolved = records["resolve"]
                found.append(
                    {
                        "line": turn["player_text"],
                        "actions": records["interpreter"]["proposed_actions"],
                        "validation": records["validate"],
                        "rolls": resolved["rolls"],
                        "ops": [op for op in resolved["ops"] if op["op"] != "recall"],
                        "events": resolved["events"],
                    }
                )
    return found
