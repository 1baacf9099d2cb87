"""Generated scenarios for tests: a workshop to make them in, and what must hold for each of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lorewright.authoring.reach.played_plans import PlayedPlans
from lorewright.bootstrap import App, open_app
from lorewright.campaigns.campaigns import OpenCampaign
from lorewright.campaigns.scenarios.scenario import load_scenario
from lorewright.campaigns.solver.search import GoalSearch, SearchNode
from lorewright.generate.explore.writing import write_scenario
from lorewright.generate.scenario.generating import Generated, Generator, Prepared
from lorewright.lore_bootstrap import make_workspace
from lorewright.scene_lore.gather import gather_person
from lorewright.turn.run.dry_run import DryRun
from support.walking_player import reachable

MOST_ACTIONS = 40
GOAL = "done"


@dataclass(frozen=True, slots=True)
class Workshop:
    """A workspace, what makes scenarios in it, and packs that were read once."""

    app: App
    generator: Generator
    prepared: Prepared

    def make(self, seed: int = 1, ruleset: str = "freeform", *, brief: str = "") -> Generated:
        """A scenario by seed."""
        return self.generator.generate(self.prepared, ruleset, seed=seed, brief=brief)


def workshop(folder: Path, *packs: str) -> Workshop:
    """A workshop in a new workspace below a folder."""
    make_workspace(folder / "workspace")
    app = open_app(folder / "workspace")
    return Workshop(app, app.generator, app.generator.prepare(packs))


@dataclass(frozen=True, slots=True)
class Proven:
    """What a generated scenario came to: findings of its file, places that can be reached, people who hold or know
    something, how many lines a player who tries everything needs, and how it ended when they were played."""

    findings: tuple[str, ...]
    places: int
    people_with_items: int
    lines: int
    ended: str | None

    @property
    def holds(self) -> bool:
        """Whether it is all that a generated scenario has to be."""
        enough = self.places >= 3 and self.people_with_items >= 2
        return not self.findings and enough and self.lines <= MOST_ACTIONS and self.ended == GOAL


def proven(shop: Workshop, made: Generated, folder: Path) -> Proven:
    """Write a scenario, read it again, check it as its author would, and play it breadth first."""
    path = folder / f"{made.scenario.id}.yaml"
    write_scenario(made.scenario, path, replace=True)
    assert load_scenario(path) == made.scenario
    findings = tuple(str(one) for one in shop.app.scenarios.findings(path) if one.severity in ("error", "warning"))
    campaigns = shop.app.rehearsal(folder / f"{made.scenario.id}_games")
    campaigns.folder.mkdir()
    campaigns.begin(
        made.scenario, shop.prepared.installed, shop.app.by_words, source=str(path), campaign_id="game", seed=1
    )
    with campaigns.open("game") as campaign:
        return _played(campaign, findings)


def _played(campaign: OpenCampaign, findings: tuple[str, ...]) -> Proven:
    start = campaign.store.head().state
    generations = campaign.setting.generations
    people = [who for who in start.positions if who != start.player_id]
    briefings = {who: gather_person(generations, who).briefing for who in people}
    with_items = [who for who in people if start.held_by(who) or briefings[who].knows or briefings[who].withholds]
    search = GoalSearch(DryRun(campaign.setting.rules, campaign.setting.generations), start)
    goal = next(one for one in search.goals() if (one.kind, one.name) == ("ending", GOAL))
    found = search.plan(goal)
    assert isinstance(found, SearchNode), str(found)
    nodes = PlayedPlans(campaign, search).play(found.plan())
    return Proven(findings, len(reachable(start)), len(with_items), len(found.plan()), nodes[-1].state.ended)
