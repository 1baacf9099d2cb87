"""Plays of twenty turns with their lines fixed -> pages in docs/, so that one can read what the narrator does today.

`PYTHONPATH=tests python -m support.transcripts` writes the pages anew; a test holds them to what the program prints.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lorewright.bootstrap import App, open_app
from lorewright.lore_bootstrap import make_workspace
from lorewright.values.records import TurnResult
from lorewright.world.events import ClockTicked
from support.harbour_town import harbour_town
from support.island_vault import write_island

DOCS = Path(__file__).parents[2] / "docs"
_WIDTH = 100


@dataclass(frozen=True, slots=True)
class Transcript:
    """A page: its file, its title and what stands below it, how the play begins, and what is typed."""

    file: str
    title: str
    about: str
    begin: Callable[[Path], App]
    lines: tuple[str, ...]


def page(one: Transcript, folder: Path) -> str:
    """The page as the program prints it today, played in a workspace below the folder."""
    app = one.begin(folder)
    parts = [f"# {one.title}", _wrapped(one.about)]
    with app.campaigns.open("game") as opened:
        parts.append(_quoted(str(opened.store.turns()[0]["result"]["final_text"])))
        for line in one.lines:
            result = TurnResult.model_validate_json(asyncio.run(opened.submit(line)))
            told = result.clarification_question or result.final_text
            parts += [f"**> {line}**", _quoted(told)]
            if facts := _facts(result):
                parts.append(f"`{facts}`")
    return "\n\n".join(parts) + "\n"


def _facts(result: TurnResult) -> str:
    """The dim line: dice, clocks that moved, the notes that were quoted."""
    rolls = [f"{roll.expression}{roll.modifier:+d} = {roll.total}, {roll.band}" for roll in result.rolls]
    moved = {event.clock for event in result.engine_events if isinstance(event, ClockTicked)}
    clocks = [f"{clock['name']} {clock['value']}/{clock['max']}" for clock in result.clocks if clock["id"] in moved]
    cited = list(dict.fromkeys(citation.cite for citation in result.citations))
    return " · ".join([*rolls, *clocks, *([f"[{', '.join(cited)}]"] if cited else [])])


def _quoted(text: str) -> str:
    return "\n>\n".join(
        textwrap.fill(" ".join(part.split()), _WIDTH, initial_indent="> ", subsequent_indent="> ")
        for part in text.split("\n\n")
    )


def _wrapped(text: str) -> str:
    return textwrap.fill(" ".join(text.split()), _WIDTH)


def _dead_drop(folder: Path) -> App:
    make_workspace(folder / "workspace")
    app = open_app(folder / "workspace")
    app.campaigns.new("dead_drop", campaign_id="game", seed=2)
    return app


def _night_desk(folder: Path) -> App:
    make_workspace(folder / "workspace")
    app = open_app(folder / "workspace")
    app.campaigns.new("night_desk", campaign_id="game", seed=7)
    return app


def _island(folder: Path) -> App:
    make_workspace(folder / "workspace")
    app = open_app(folder / "workspace")
    found = app.explorer.walk(*app.explorer.pack(str(write_island(folder))), seed=7)
    app.explorer.begin(found, app.campaigns, campaign_id="game", seed=7)
    return app


TRANSCRIPTS = (
    Transcript(
        "transcript_dead_drop.md",
        "Dead Drop, twenty-two turns",
        """Played without a model, with seed 2. What is typed stands in bold; below each telling the dice, the clocks and
        the notes that its sentences come from. `PYTHONPATH=tests python -m support.transcripts` makes this page anew.""",
        _dead_drop,
        (
            "look",
            "ask Viktor about Jin",
            "ask Captain Bao about the drain",
            "ask Captain Lund about the drain",
            "ask Captain Bao about the crank",
            "ask Viktor about the ice",
            "search behind the bar",
            "go kitchen",
            "go clinic",
            "ask the doctor about Jin",
            "search the shoe rack",
            "ask the doctor about her shoes",
            "ask the doctor about the opera",
            "go alley",
            "go laundromat",
            "search the last dryer",
            "unlock the hatch",
            "go hatch",
            "search the sluice",
            "go ladder",
            "search the winch house",
            "take the lamp",
        ),
    ),
    Transcript(
        "transcript_night_desk.md",
        "The Night Desk, thirty-three turns",
        """A night in which others act as well: after each turn of the player's those who are there have theirs. Played without
        a model, with seed 7. `PYTHONPATH=tests python -m support.transcripts` makes this page anew.""",
        _night_desk,
        (
            "look",
            "search under the desk",
            "wait",
            "ask Ines about the third telling",
            "wait",
            "ask Bram about the cake",
            "ask Bram about the errand",
            "go lot",
            "go walkway",
            "search the tray",
            "knock on the door of room 12",
            "open the door of room 12",
            "go room 12",
            "give the toast to Odile",
            "ask Odile about the boats",
            "ask Odile about the bus",
            "go out",
            "close the door of room 12",
            "go room 7",
            "ask Wendell about the transcript",
            "give the coin to Wendell",
            "go out",
            "go lot",
            "go office",
            "wait",
            "show the page to Ines",
            "wait",
            "show the page to Bram",
            "look",
            "go lot",
            "go diner",
            "ask Ines about Hallam Renn",
            "give the page to Ines",
        ),
    ),
    Transcript(
        "transcript_high_water.md",
        "High Water, twenty turns",
        """A small harbour of four places and three people, without rules of its own but for a tide. Played without a model,
        with seed 3. `PYTHONPATH=tests python -m support.transcripts` makes this page anew.""",
        lambda folder: harbour_town(folder, seed=3),
        (
            "look around",
            "look at Osk",
            "ask Osk about Lin",
            "ask Osk about Bea",
            "go cellar",
            "search the bench",
            "search under the counter",
            "look",
            "go quay",
            "ask Marten about Lin",
            "look at the gulls",
            "search the steps",
            "wait",
            "go ladder",
            "ask Bea about Lin",
            "ask Bea about the cellar",
            "take the twine",
            "search behind the nets",
            "ask Bea about the moon",
            "ask Bea about Lin",
            "look at the lantern",
        ),
    ),
    Transcript(
        "transcript_walk.md",
        "A walk on an island, twenty turns",
        """A folder of fifteen notes with links, without pack.yaml, scenario or rules, as `lorewright explore` makes a walk of it.
        Played without a model, with seed 7. `PYTHONPATH=tests python -m support.transcripts` makes this page anew.""",
        _island,
        (
            "look",
            "look at the timetable",
            "go to the ferry house",
            "look at Jonna",
            "ask Jonna about Bell Rock",
            "look at the umbrella",
            "look",
            "ask Jonna about the umbrella",
            "go landing",
            "go salt works",
            "ask Old Per about the church field",
            "search the sheds",
            "tell Old Per about the tally",
            "ask Old Per about the salt rake",
            "take the rake",
            "go bell rock",
            "look at the seals",
            "wait an hour",
            "go salt works",
            "give the rake to Old Per",
            "ask Old Per about himself",
        ),
    ),
)


def main() -> None:
    """Write every page."""
    os.environ.update(LOREWRIGHT_EMBEDDER="none", LOREWRIGHT_CHROMA="never")
    for one in TRANSCRIPTS:
        with tempfile.TemporaryDirectory() as folder:
            (DOCS / one.file).write_text(page(one, Path(folder)), encoding="utf-8")


if __name__ == "__main__":
    main()
