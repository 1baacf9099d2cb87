"""A workspace for tests: one small pack with a canary in every secret, one scenario with a rule, a clock and
endings."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lorewright.bootstrap import App, open_app
from lorewright.llm.model import Model
from lorewright.lore_bootstrap import make_empty_workspace
from lorewright.turn.stages.stages import make_stages
from support.copied_workspaces import copied_workspace

KNOWS = "kestrel"
WITHHOLDS = "marmoset"
DISCOVERABLE = "pangolin"
OTHER_KNOWS = "axolotl"
CANARIES = (KNOWS, WITHHOLDS, DISCOVERABLE, OTHER_KNOWS)

FILES = {
    "pack.yaml": """
        id: harbour
        name: Harbour
        version: 1.0.0
        license: {type: cc-by}
    """,
    "locations/tavern.md": """
        ---
        id: tavern
        type: location
        tags: [drink]
        ---
        # The Tavern

        A low room under the sea wall. The ceiling was built for shorter people.

        ## Atmosphere

        Smoke hangs from the beams. Somebody is tuning a fiddle and not getting there.

        ## Discoverable

        - {#letter} search under the counter: Folded small under the counter lies a letter sealed with a pangolin.
    """,
    "locations/quay.md": """
        ---
        id: quay
        type: location
        ---
        # The Quay

        Wet stone and rope.

        ## Atmosphere

        Gulls walk along the edge like bailiffs.
    """,
    "npcs/osk.md": """
        ---
        id: osk
        type: npc
        pronoun: he
        aliases: [the landlord]
        related_entities: [lin]
        ---
        # Osk

        Landlord of the tavern, and a poor one.

        ## Disposition

        - Osk counts the same coins twice.
        - Osk keeps his back to the cellar door.

        ## Knows

        - {#boat} Lin took the night boat on Tuesday, with a cage under her arm and a kestrel in it.
        - {#weather} The wind turns at midnight, as it always does in March.

        ## Withholds

        - {#debt} I sold her passage to the harbour master for a marmoset and a month of quiet.

        ## Capabilities

        Slow, and stronger than he looks.
    """,
    "npcs/bea.md": """
        ---
        id: bea
        type: npc
        pronoun: she
        ---
        # Bea

        She mends nets and hears everything.

        ## Knows

        - {#cellar} There is an axolotl in the cellar, in a bath, and nobody says whose.
    """,
    "npcs/lin.md": """
        ---
        id: lin
        type: npc
        pronoun: she
        ---
        # Lin

        A bird seller who has not been seen for a week.
    """,
}

SCENARIO = """
    id: night_boat
    name: Night Boat
    intro_seed: The rain has driven you into the tavern. Lin is not here.
    content_packs: [harbour]
    start: tavern
    player: {name: Ada, items: [lantern], traits: {charm: 1}}
    places:
      tavern: {exits: {door: {to: quay, minutes: 3}, cellar: {to: quay, via: hatch}}}
      quay: {exits: {tavern: {to: tavern, minutes: 3}}}
    things:
      lantern: {name: lantern}
      rope: {name: coil of rope, aliases: [rope], at: tavern}
      hatch: {name: hatch, kind: door, at: [tavern, quay], locked: true, key: hatch_key}
      hatch_key: {name: rusty key}
    cast:
      osk: {at: tavern}
      bea: {at: quay}
    threads:
      lost: {title: "Where is Lin?", related: [lin]}
    clocks:
      dread: {name: Dread, max: 3, at: {2: [{arrive: bea}], 3: [{end: fled}]}}
    rules:
      - id: owning_up
        on: {act: ask, target: osk, topic: debt}
        when: {not: {revealed: osk/withholds#debt}}
        check: {dice: 2d6, add: charm}
        success: [{reveal: osk/withholds#debt}]
        mixed: [{reveal: osk/withholds#debt}, {clock: dread}]
        fail: [{clock: dread}]
    finds:
      tavern/discoverable#letter: [{give: hatch_key}]
    endings:
      fled: {say: "You run, and the fiddle stops behind you."}
"""


def dedent(text: str) -> str:
    """The text without the indentation of its first line."""
    lines = text.strip("\n").splitlines()
    margin = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(line[margin:] for line in lines).rstrip() + "\n"


def write_pack(folder: Path, files: Mapping[str, str] = FILES) -> Path:
    """Write the pack's files below a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
    return folder


def write_workspace(root: Path) -> Path:
    """A workspace with the harbour pack and its scenario."""
    make_empty_workspace(root)
    write_pack(root / "content_packs" / "harbour")
    (root / "scenarios" / "night_boat.yaml").write_text(dedent(SCENARIO), encoding="utf-8")
    return root


def harbour(
    tmp_path: Path,
    *,
    models: Mapping[str, Model] | None = None,
    seed: int = 1,
    played: tuple[str, ...] = (),
    scenario: str = SCENARIO,
    files: Mapping[str, str] = FILES,
) -> App:
    """Return an app with a campaign `game` begun and some lines played in it without models."""

    pack = tuple(sorted(files.items()))

    def install(root: Path) -> None:
        make_empty_workspace(root)
        write_pack(root / "content_packs" / "harbour", files)
        open_app(root).indexer.index_pack(root / "content_packs" / "harbour")

    def begin(root: Path) -> None:
        copied_workspace(root, install, "harbour installed", pack)
        (root / "scenarios" / "night_boat.yaml").write_text(dedent(scenario), encoding="utf-8")
        open_app(root).campaigns.new("night_boat", campaign_id="game", seed=seed)

    def play(root: Path) -> None:
        copied_workspace(root, begin, "harbour begun", pack, seed, scenario)
        if played:
            say(open_app(root), *played)

    # Which models there are makes no difference to what a campaign begins with.
    root = copied_workspace(tmp_path / "workspace", play, "harbour played", pack, seed, scenario, played)
    return open_app(root, models=models)


def with_models(app: App, models: Mapping[str, Model]) -> App:
    """The same workspace, its stages run by these models."""
    make_stages(models)
    return open_app(app.workspace.root, models=models)


def say(app: App, *lines: str, campaign: str = "game") -> list[dict[str, Any]]:
    """Play lines; the results as data."""
    results = []
    with app.campaigns.open(campaign) as opened:
        for line in lines:
            results.append(json.loads(asyncio.run(opened.submit(line))))
    return results


def stage_inputs(app: App, campaign: str = "game") -> dict[str, list[str]]:
    """Everything that each stage was ever given, as JSON texts."""
    found: dict[str, list[str]] = {}
    with app.campaigns.reading(campaign) as store:
        for turn in store.turns():
            for record in store.stage_records(turn["turn_id"]):
                found.setdefault(record["stage"], []).append(json.dumps(record["input"], ensure_ascii=False))
    return found


def stage_outputs(app: App, campaign: str = "game") -> dict[str, list[str]]:
    """Everything that each stage ever made, as JSON texts."""
    found: dict[str, list[str]] = {}
    with app.campaigns.reading(campaign) as store:
        for turn in store.turns():
            for record in store.stage_records(turn["turn_id"]):
                found.setdefault(record["stage"], []).append(json.dumps(record["output"], ensure_ascii=False))
    return found


def query(app: App, text: str, viewer: str, campaign: str | None = "game") -> str:
    """A lore query's result and trace, as one text."""
    from lorewright.retrieval.query import LoreRetrievalQuery

    asked = LoreRetrievalQuery(keywords=text, viewer=viewer, limit=50, max_tokens=10_000)
    found = app.lore.retrieve(asked, campaign_id=campaign)
    return found.result.model_dump_json() + found.trace.model_dump_json()
