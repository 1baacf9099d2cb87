"""What the engine itself takes of a turn, by how many facts a state holds; and how large the file of a long game grows.

    python benchmarks/overhead.py [--turns 100] [--long 1000]

Dead Drop is begun three times, and given 200, 2,000 and 20,000 facts about many people and things, as a long game would
have them. Then all three are played side by side, a turn of each in its turn, so that a busy machine slows all alike.
What is measured is one `submit`, from the line to the committed result, in a process that has the campaign open, while
the scene and so its lore stay the same; what the stages take that a model could run is told apart and taken off. The
last table is of another game, played for as many turns as `--long` says: all the bytes that it has on disk.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import cycle
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from lorewright.bootstrap import App, open_app
from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.rules.patch import Validation
from lorewright.settings import EMBEDDER_VARIABLE
from lorewright.storage.database import files_of
from lorewright.turn.stages.stages import Stages
from lorewright.turn.store.store import CampaignStore
from lorewright.turn.store.turn_store import undo
from lorewright.turn.views.draft import Draft, SceneLoreUse, Submission, turn_id_of
from lorewright.values.records import TurnResult
from lorewright.world import ops as o
from lorewright.world.apply import apply
from lorewright.world.state import Entity, Fact
from turns import QUIET

SIZES = (200, 2_000, 20_000)
AIM_MS = 25
AIM_MORE_MS = 100
AIM_MIB = 60
# Turns in which the facts were established, each at another place.
PAST_TURNS = 100
# Of each thing that a long game has brought up, so much is known.
FACTS_OF_ONE = 20
WARM_UP = 8


@dataclass(slots=True)
class Game:
    """A game that is measured: how many facts it has, and what its turns took, in milliseconds."""

    facts: int
    campaign: OpenCampaign
    whole: list[float] = field(default_factory=list)
    engine: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)


class Timed:
    """A stage with a clock on what runs it, where a model could."""

    def __init__(self, stage: Any) -> None:
        self._stage = stage
        self.spent_s = 0.0
        self.cpu_s = 0.0

    async def run(self, *given: Any, **how: Any) -> Any:
        """What the stage makes of it."""
        started, worked = time.perf_counter(), time.process_time()
        try:
            return await self._stage.run(*given, **how)
        finally:
            self.spent_s += time.perf_counter() - started
            self.cpu_s += time.process_time() - worked

    @property
    def is_builtin(self) -> bool:
        """As the stage says."""
        return bool(self._stage.is_builtin)

    def builtin_answer(self, given: Any) -> Any:
        """As the stage answers."""
        return self._stage.builtin_answer(given)


@dataclass(frozen=True, slots=True)
class Always:
    """The same stages for every turn."""

    cast: Stages

    def stages(self, *_: object) -> Stages:
        """Those."""
        return self.cast


def begin(campaigns: Campaigns, facts: int) -> str:
    """A game whose head holds so many facts; its ID. They were established over many turns, at every place and about
    everything."""
    campaign_id = f"facts{facts}"
    campaigns.new("dead_drop", campaign_id=campaign_id, seed=7)
    with campaigns.reading(campaign_id) as store:
        start = store.head().state
        places = sorted(one.id for one in start.entities.values() if one.type == "location")
        people, each = sorted(start.entities), facts // PAST_TURNS
        for turn in range(PAST_TURNS):
            place = start.scene.location_id if turn + 1 == PAST_TURNS else places[turn % len(places)]
            established: list[o.StateOp] = [
                op for n in range(turn * each, (turn + 1) * each) for op in fact_ops(n, people, turn)
            ]
            move: list[o.StateOp] = [
                o.AdvanceTime(minutes=5),
                o.Move(entity_id=start.player_id, to=place),
                o.OpenScene(location_id=place),
            ]
            commit(store, (*move, *established))
    return campaign_id


def fact_ops(number: int, people: Sequence[str], turn: int) -> Iterator[o.StateOp]:
    """One fact about somebody, or about a thing that was brought up; every twentieth brings up another."""
    thing = f"game:thing{number // FACTS_OF_ONE}"
    if number % FACTS_OF_ONE == 0:
        yield o.AddEntity(entity=Entity(id=thing, type="other", name=f"thing {number}", tags=("mentioned",)))
    about = people[number * 13 % len(people)]
    detail = f"by somebody who was asked on day {number // 40}"
    yield o.AddFact(
        fact=Fact(
            id=f"fact_{number:05d}",
            subject_id=about if number % 2 else thing,
            predicate="was_seen",
            object={"where": about, "detail": detail},
            tags=("seen",),
            discovered_turn=turn + 1,
        )
    )


def commit(store: CampaignStore, ops: Sequence[o.StateOp]) -> None:
    """A turn that changed the world so, and told of nothing."""
    head = store.head()
    turn_no, action_id = head.turn_no + 1, f"past{head.turn_no}"
    turn_id = turn_id_of(head.campaign_id, head.turn_id, action_id)
    state = apply(head.state, ops).state
    result = TurnResult.of_no_play(
        turn_no=turn_no,
        turn_id=turn_id,
        final_text="",
        next_prompt="",
        clocks=state.clocks_shown(),
    )
    store.commit(
        Draft(
            head=head,
            submission=Submission("", action_id),
            turn_id=turn_id,
            kind="play",
            ops=tuple(ops),
            state=state,
            messages=(),
            actions=(),
            validation=Validation(),
            records=(),
            result=result,
            scene_lore=SceneLoreUse(cached=False, scene_id=state.scene.id),
        )
    )


def play(game: Game, line: str, stages: Sequence[Timed]) -> None:
    """One turn, measured."""
    for stage in stages:
        stage.spent_s = stage.cpu_s = 0.0
    started, worked = time.perf_counter(), time.process_time()
    asyncio.run(game.campaign.submit(line))
    taken, cpu = time.perf_counter() - started, time.process_time() - worked
    game.whole.append(taken * 1000)
    game.engine.append((taken - sum(stage.spent_s for stage in stages)) * 1000)
    game.cpu.append((cpu - sum(stage.cpu_s for stage in stages)) * 1000)


def measured(app: App, folder: Path, turns: int) -> list[Game]:
    """The games, each played for so many turns beside the others."""
    campaigns = app.rehearsal(folder)
    with ExitStack() as opened:
        games = [Game(size, opened.enter_context(campaigns.open(begin(campaigns, size)))) for size in SIZES]
        clocks = []
        for game in games:
            stages = game.campaign.stages
            timed = [Timed(one) for one in (stages.interpret, stages.plan, stages.narrate)]
            interpret, plan, narrate = timed
            cast = replace(stages, interpret=interpret, plan=plan, narrate=narrate)  # type: ignore[arg-type]
            game.campaign.stage_models = Always(cast)  # type: ignore[assignment]
            clocks.append(timed)
        lines = cycle(QUIET)
        for number in range(turns + WARM_UP):
            line = next(lines)
            for game, timed in zip(games, clocks, strict=True):
                play(game, line, timed)
                if number < WARM_UP:
                    game.whole.clear()
                    game.engine.clear()
                    game.cpu.clear()
    return games


def long_game(app: App, folder: Path, turns: int) -> int:
    """The bytes on disk of a game of so many turns, as it lies there after it was closed."""
    campaigns = app.rehearsal(folder)
    campaigns.new("dead_drop", campaign_id="long", seed=7)
    with campaigns.open("long") as campaign:
        for _, line in zip(range(turns), cycle(scripted()), strict=False):
            if campaign.store.head().state.ended is not None:
                undo(campaign.store, turns=3)  # what is taken back stays in the file, and is weighed too
            asyncio.run(campaign.submit(line))
    return sum(file.stat().st_size for file in files_of(campaigns.path("long")) if file.exists())


def scripted() -> Iterator[str]:
    """The lines of a long game: asking, looking, taking and leaving, walking, waiting."""
    yield from QUIET
    yield from ("take the credstick", "drop the credstick", "search behind the bar", "wait", "go to the alley", "look")
    yield from ("ask about the rain", "go to the bar")


def quantile(taken: Sequence[float], share: float) -> float:
    """The time that so large a share of the turns did not exceed."""
    return sorted(taken)[min(int(len(taken) * share), len(taken) - 1)]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="What the engine itself takes of a turn, and what a game weighs.")
    parser.add_argument("--turns", type=int, default=100)
    parser.add_argument("--long", type=int, default=1_000, help="turns of the game that is weighed; 0 for none")
    arguments = parser.parse_args()
    os.environ[EMBEDDER_VARIABLE] = "none"
    times = Table("facts", "engine p50", "p95", "of it CPU p50", "with the stages p50", "p95", title="one turn, in ms")
    with tempfile.TemporaryDirectory() as workspace, tempfile.TemporaryDirectory() as folder:
        app = open_app(Path(workspace))
        games = measured(app, Path(folder), arguments.turns)
        size = long_game(app, Path(folder), arguments.long) if arguments.long else 0
    for game in games:
        of = [statistics.median(game.engine), quantile(game.engine, 0.95)]
        of += [statistics.median(game.cpu), statistics.median(game.whole), quantile(game.whole, 0.95)]
        times.add_row(f"{game.facts:,}", *(f"{one:.1f}" for one in of))
    least, middle, most = (statistics.median(game.engine) for game in games)
    console = Console(width=120)
    console.print(times)
    console.print(f"at {SIZES[1]:,} facts: {middle:.1f} ms (aim: under {AIM_MS})")
    console.print(
        f"at {SIZES[2]:,} facts: {most - least:.1f} ms more than at {SIZES[0]:,} (aim: at most {AIM_MORE_MS})"
    )
    if arguments.long:
        console.print(f"{arguments.long:,} turns of Dead Drop: {size / 2**20:.1f} MiB (aim: under {AIM_MIB})")


if __name__ == "__main__":
    main()
