"""lorewright scenario …: list, new, show, validate, map, watch, bundle, reach, generate."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Annotated

import typer

from lorewright.authoring.reach.scenario_reach import GoalReport, ReachLine, ReachReport
from lorewright.authoring.scenario_map import DrawnWay, draw_map, map_of
from lorewright.authoring.scenario_watch import ScenarioLook, ScenarioWatch, said_of
from lorewright.campaigns.solver.search import GUIDED_STATES
from lorewright.campaigns.stage_models import ModelKeys
from lorewright.cli.game.turn_output import show_result
from lorewright.cli.opening import open_app
from lorewright.cli.output import note, progress_bar, say, show_json, show_table, wrapped
from lorewright.cli.profiles import ProfileOption
from lorewright.errors import SettingsError
from lorewright.formats.exporting import write_file
from lorewright.generate.explore.writing import data_as_yaml, write_scenario
from lorewright.generate.scenario.generating import PROMPT, Generated
from lorewright.ids import is_id
from lorewright.llm.gateway import CallUsage
from lorewright.packs.files import Finding

app = typer.Typer(
    help="Scenarios: what there is to play, and what is wrong with one.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


@app.command("list", epilog="Example: lorewright scenario list --json")
def list_scenarios(as_json: AsJson = False) -> None:
    """The scenarios of the workspace."""
    scenarios, broken = open_app().scenarios.listed()
    for path in broken:
        note(f"{path.name} is no scenario: see lorewright scenario validate {path}")
    if as_json:
        show_json([asdict(scenario) for scenario in scenarios])
    elif scenarios:
        show_table(
            ("scenario", "name", "packs", "ruleset", "summary"),
            [
                (
                    scenario.id,
                    scenario.name,
                    _packs(scenario.packs, scenario.packs_here),
                    scenario.ruleset,
                    scenario.summary,
                )
                for scenario in scenarios
            ],
        )
    else:
        say("There is no scenario. Next: lorewright explore FOLDER --save scenarios/walk.yaml")


def _packs(packs: tuple[str, ...], here: bool) -> str:
    return (", ".join(packs) or "none") + ("" if here else " (not all here)")


@app.command(epilog="Example: lorewright scenario validate dead_drop")
def validate(
    scenario: Annotated[str, typer.Argument(help="A scenario's ID, or the path of its file.")], as_json: AsJson = False
) -> None:
    """Check a scenario as a compiler would, and play its demo. Exit 1 when it could not be begun."""
    lorewright = open_app()
    path = lorewright.campaigns.scenario_path(scenario)
    findings = lorewright.scenarios.findings(path)
    broken = any(finding.severity == "error" for finding in findings)
    if not broken:
        with tempfile.TemporaryDirectory() as folder:
            findings += lorewright.scenarios.demo_findings(path, lorewright.rehearsal(Path(folder), by_words=True))
    if as_json:
        show_json([asdict(finding) for finding in findings])
    else:
        _show(findings)
    if broken:
        raise typer.Exit(1)


def _show(findings: list[Finding]) -> None:
    for finding in findings:
        hint = f" ({finding.hint})" if finding.hint else ""
        style = "red" if finding.severity == "error" else "magenta"
        say(f"{finding.file}:{finding.line}: {finding.severity} {finding.message}{hint}", style=style)
    counts = Counter(finding.severity for finding in findings)
    say(f"{_count(counts['error'], 'error')}, {_count(counts['warning'], 'warning')}")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun if number == 1 else f'{noun}s'}"


@app.command(epilog="Example: lorewright scenario new night_boat --pack my_town")
def new(
    scenario_id: Annotated[str, typer.Argument(metavar="ID", help="The new scenario's ID: its file's name.")],
    pack: Annotated[str, typer.Option("--pack", help="The pack that it is made from: an ID.")],
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
) -> None:
    """Write a first scenario in a pack, with a comment on each part. It can be played as it is."""
    if not is_id(scenario_id):
        raise SettingsError(f"{scenario_id} is no ID", hint="use small letters, digits, - and _, as in night_boat")
    lorewright = open_app()
    path = lorewright.workspace.scenarios / f"{scenario_id}.yaml"
    if path.exists() and not force:
        raise SettingsError(f"{path} is there already", hint="choose another ID, or write over it: --force")
    text = lorewright.scenarios.new_text(scenario_id, pack)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, text, force=force)
    say(f"wrote {path}. Next: lorewright play {scenario_id}, or lorewright scenario watch {scenario_id}")


@app.command(epilog="Example: lorewright scenario show dead_drop --derived")
def show(
    scenario: Annotated[str, typer.Argument(help="A scenario's ID, or the path of its file.")],
    derived: Annotated[bool, typer.Option("--derived", help="Show only what its packs give.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show a scenario as a campaign would have it: what is written, and what its packs give.

    This is for authors: secrets are in it.
    """
    lorewright = open_app()
    shown = lorewright.scenarios.shown(lorewright.campaigns.scenario_path(scenario))
    if as_json:
        show_json({"derived": shown.derived} if derived else asdict(shown))
        return
    if not derived:
        say("# written", style="bold")
        say(data_as_yaml(shown.written))
    say("# from the packs" if shown.derived else "# nothing comes from the packs: all of it is written", style="bold")
    if shown.derived:
        say(data_as_yaml(shown.derived))


@app.command("map", epilog="Example: lorewright scenario map dead_drop --svg map.svg")
def show_map(
    scenario: Annotated[str, typer.Argument(help="A scenario's ID, or the path of its file.")],
    svg: Annotated[Path | None, typer.Option(help="Write it as a picture to this file, too.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show the places of a scenario, the ways between them, and who and what is where as it opens.

    This is for authors: what is hidden from players is on it.
    """
    lorewright = open_app()
    made, state = lorewright.scenarios.opening_state(lorewright.campaigns.scenario_path(scenario))
    found = map_of(state, made.name or made.id)
    if svg is not None:
        write_file(svg, draw_map(found), force=True)
        note(f"wrote {svg}")
    if as_json:
        show_json(found.as_json())
        return
    names = {place.id: place.name for place in found.places}
    show_table(
        ("place", "people", "things", "ways out"),
        [
            (
                f"{place.name}{' (start)' if place.is_start else ''}",
                ", ".join(place.people),
                ", ".join(place.things),
                ", ".join(_way_out(way, names) for way in found.ways_from(place.id)),
            )
            for place in found.places
        ],
    )
    if found.unreached():
        say(f"no way leads to: {', '.join(place.name for place in found.unreached())}", style="magenta")


def _way_out(way: DrawnWay, names: Mapping[str, str]) -> str:
    barred = f", {way.barred}" if way.barred else ""
    return f"{way.name} to {names[way.to_id]} ({way.minutes} min{barred})"


@app.command(epilog="Example: lorewright scenario bundle night_boat night_boat.zip")
def bundle(
    scenario: Annotated[str, typer.Argument(help="A scenario's ID, or the path of its file.")],
    out: Annotated[Path, typer.Argument(help="The file to write: a .zip.")],
    as_json: AsJson = False,
) -> None:
    """Write a game to one file: the scenario, its packs, its ruleset, and what their licences say.

    Another machine plays it with lorewright play FILE.zip. No campaign, setting or key is in it. Anybody who has the
    file can read all its secrets.
    """
    if out.suffix.lower() != ".zip":
        raise SettingsError(f"{out} does not end in .zip", hint=f"name it {out.with_suffix('.zip')}")
    lorewright = open_app()
    written = lorewright.bundles.write(lorewright.campaigns.scenario_path(scenario), out)
    if as_json:
        show_json({**asdict(written), "file": str(out)})
        return
    for line in written.licences:
        note(line)
    say(f"wrote {out}. It is played with: lorewright play {out.name}")


@app.command(epilog="Example: lorewright scenario watch night_boat")
def watch(
    scenario: Annotated[str, typer.Argument(help="A scenario's ID, or the path of its file.")],
    line: Annotated[list[str] | None, typer.Option(help="Play this first (may be repeated).")] = None,
    seed: Annotated[int | None, typer.Option(min=0, max=2**31, help="The dice; the demo's, if not given.")] = None,
    once: Annotated[bool, typer.Option("--once", help="End after the first save.")] = False,
) -> None:
    """Play a scenario while you write it. After each save of it or of its packs it is checked, your lines are played
    again, and what is answered otherwise is shown; play goes on from there. /undo takes a line back, /quit ends it.
    """
    lorewright = open_app()
    path = lorewright.campaigns.scenario_path(scenario)
    watching = ScenarioWatch(
        path, lorewright.scenarios, lambda folder: lorewright.rehearsal(folder, by_words=True), seed=seed
    )
    with closing(watching), lorewright.explorer.trying():
        _show_look(watching.look(), watching)
        for typed in line or ():
            say(f"> {typed}", style="bold")
            _play_watched(watching, typed)
        typed_lines = _typed_lines()
        with suppress(KeyboardInterrupt):
            while True:
                if watching.has_changed():
                    _show_look(watching.look(), watching)
                    if once:
                        return
                try:
                    typed = typed_lines.get(timeout=_LOOK_EVERY_S)
                except Empty:
                    continue
                if typed.strip() == "/quit":
                    return
                if typed.strip() == "/undo":
                    watching.take_back()
                    say(f"{len(watching.lines)} lines are played", style="dim")
                elif typed.strip():
                    _play_watched(watching, typed)


# A save is seen after at most so long.
_LOOK_EVERY_S = 0.3


def _typed_lines() -> Queue[str]:
    """Return the queue of the lines that are typed from now on, which a thread reads."""
    lines: Queue[str] = Queue()

    def read() -> None:
        for typed in sys.stdin if sys.stdin is not None and not sys.stdin.closed else ():
            lines.put(typed)

    Thread(target=read, daemon=True).start()
    return lines


def _play_watched(watching: ScenarioWatch, line: str) -> None:
    result = watching.play(line.strip())
    if result is None:
        say("the story has ended: /undo takes the last line back" if watching.is_over else "mend the errors first")
    else:
        show_result(result, campaign=watching.campaign)


def _show_look(look: ScenarioLook, watching: ScenarioWatch) -> None:
    say(f"{datetime.now():%H:%M:%S} {watching.path.name}", style="bold")
    for finding in look.new:
        hint = f" ({finding.hint})" if finding.hint else ""
        style = "red" if finding.severity == "error" else "magenta"
        say(f"  new: {finding.file}:{finding.line}: {finding.severity} {finding.message}{hint}", style=style)
    for finding in look.solved:
        say(f"  solved: {finding.message}", style="green")
    if not look.is_played:
        say("  it has errors: the game goes on as it was", style="red")
    for mark, text in said_of(look.answers):
        say(wrapped(f"{mark} {text}", indent="  "), style={"-": "red", "+": "green"}.get(mark, "bold"))
    if look.left:
        say(f"  the story ends earlier now: {look.left} of your lines are left out", style="magenta")
    if look.is_quiet:
        say("  nothing is answered otherwise" if watching.lines else "  no findings", style="dim")


# So long a scenario of a hundred rules takes on a machine of 2020, twice over.
_SECONDS = 300
_SHOWN_DEAD_ENDS = 12


@app.command(epilog="Example: lorewright scenario reach dead_drop --seconds 60")
def reach(
    scenario: Annotated[str, typer.Argument(help="A scenario's ID, or the path of its file.")],
    seconds: Annotated[float, typer.Option(min=1, help="Search for at most so long.")] = _SECONDS,
    states: Annotated[int, typer.Option(min=1, help="Go on from so many states for each goal.")] = GUIDED_STATES,
    as_json: AsJson = False,
) -> None:
    """Search for what a player can reach by typed lines: endings, discoverables, places, people, things, rules, and
    dead ends. Exit 1 when an ending or a discoverable was not reached.

    Every way that is shown was played with the built-in stages. What is not found within the bounds is "not found";
    "out of reach" is what nothing in the scenario, its ruleset and its packs leads to.
    """
    lorewright = open_app()
    path = lorewright.campaigns.scenario_path(scenario)
    with progress_bar() as progress:
        report = lorewright.scenario_reach.report(path, seconds=seconds, states=states, progress=progress)
    if as_json:
        show_json(report.as_json())
    else:
        _show_reach(report)
    if not report.is_whole:
        raise typer.Exit(1)


def _show_reach(report: ReachReport) -> None:
    show_table(("ending", "", "lines"), [_reach_row(goal) for goal in report.endings])
    say()
    show_table(
        ("discoverable", "", "found by", "lines"),
        [
            (goal.id, goal.status, str(goal.lines[-1]) if goal.status == "reached" and goal.lines else "", _way(goal))
            for goal in report.discoverables
        ],
    )
    for title, goals in (
        ("place", report.places),
        ("person", report.people),
        ("thing", report.things),
        ("rule", report.rules),
    ):
        missed = [goal for goal in goals if goal.status != "reached"]
        if missed:
            say()
            show_table((f"{title} not reached", "", "lines"), [_reach_row(goal) for goal in missed])
    _show_dead_ends(report)
    _show_bounds(report)


def _reach_row(goal: GoalReport) -> tuple[str, str, str]:
    return goal.id, goal.status, _way(goal)


def _way(goal: GoalReport) -> str:
    if goal.status == "reached":
        return _typed(goal.lines) or "at the start"
    return f"{goal.missing} (nearest after: {_typed(goal.lines) or 'the start'})"


def _typed(lines: tuple[ReachLine, ...]) -> str:
    return "; ".join(map(str, lines))


def _show_dead_ends(report: ReachReport) -> None:
    if report.dead_ends:
        say()
        rows = [
            ("none leads on" if dead_end.exhaustive else "none found", _typed(dead_end.lines))
            for dead_end in report.dead_ends
        ]
        show_table(("dead end: an ending", "after"), rows[:_SHOWN_DEAD_ENDS])
        if len(rows) > _SHOWN_DEAD_ENDS:
            say(f"… and {len(rows) - _SHOWN_DEAD_ENDS} more (--json has all)", style="dim")


def _show_bounds(report: ReachReport) -> None:
    say()
    if report.others_doing:
        say(f"not searched for, as they wait for an act of one of the cast: {', '.join(report.others_doing)}")
    say(
        f"searched: {report.lines_tried:,} lines, {report.states_seen:,} states seen, "
        f"{report.dead_ends_looked_at:,} of them tried for dead ends",
        style="dim",
    )
    stopped = "" if report.in_time else "; the time was used up, so more may be found with a larger --seconds"
    say(
        f"bounds: {report.seconds:g} seconds, {report.states:,} states for each goal, {report.most_lines} lines for "
        f"each way{stopped}",
        style="dim",
    )
    kinds = (("endings", report.endings), ("discoverables", report.discoverables), ("rules", report.rules))
    counts = [f"{_reached(goals)} of {len(goals)} {name}" for name, goals in kinds]
    say(f"{report.scenario}: reached {', '.join(counts)}; {len(report.dead_ends)} dead ends", style="bold")


def _reached(goals: tuple[GoalReport, ...]) -> int:
    return sum(goal.status == "reached" for goal in goals)


@app.command(epilog="Example: lorewright scenario generate --pack neo_seattle --brief 'a debt in the market' --seed 7")
def generate(
    packs: Annotated[list[str], typer.Option("--pack", help="A pack, by ID or folder; several: the first leads.")],
    ruleset: Annotated[str, typer.Option(help="How things are resolved: see lorewright ruleset list.")] = "freeform",
    brief: Annotated[str, typer.Option(help="What it should be about; its words choose places and people.")] = "",
    seed: Annotated[int, typer.Option(min=0, max=2**31, help="The same packs, seed and brief give the same.")] = 1,
    scenario_id: Annotated[str | None, typer.Option("--id", help="Its ID; PACK_SEED if not given.")] = None,
    out: Annotated[Path | None, typer.Option(help="The file; scenarios/ID.yaml if not given.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
    model: Annotated[str, typer.Option(help="Who outlines it: see lorewright models list.")] = "builtin",
    profile: ProfileOption = None,
    as_json: AsJson = False,
) -> None:
    """Make a scenario from packs: places, people, something to be had and brought, a clock, endings.

    It is played to its goal before it is written. With a model its title, cast and words are the model's; its rules
    are made by code in any case.
    """
    lorewright = open_app()
    generator = lorewright.generator
    outliner = lorewright.stage_models.model(PROMPT, ModelKeys(small=model, large=model), CallUsage())
    with lorewright.explorer.trying():
        with progress_bar() as progress:
            prepared = generator.prepare(packs, progress=progress)
        scenario_id = generator.id_for(prepared, scenario_id, seed)
        path = out or lorewright.workspace.scenarios / f"{scenario_id}.yaml"
        if path.exists() and not force:
            message = f"{path} is there already"
            raise SettingsError(message, hint="choose another --id or --out, or write over it: --force")
        if outliner is not None:
            note(f"{PROMPT}: asking {outliner.key} …")
        made = generator.generate(
            prepared,
            ruleset,
            seed=seed,
            brief=brief,
            scenario_id=scenario_id,
            profile=None if profile is None else profile.value,
            model=outliner,
            prompts=lorewright.stage_models.library,
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_scenario(made.scenario, path, replace=force)
    if as_json:
        show_json(_generated(made, path))
        return
    _tell(made, path)


def _generated(made: Generated, path: Path) -> dict[str, object]:
    scenario, log = made.scenario, made.log
    return {
        "id": scenario.id,
        "name": scenario.name,
        "summary": scenario.summary,
        "file": str(path),
        "ruleset": scenario.ruleset,
        "packs": list(scenario.content_packs),
        "places": list(scenario.places),
        "cast": list(scenario.cast),
        "goal": scenario.goals.get("player", ""),
        "lines_to_goal": made.lines,
        "unheard": list(made.unheard),
        "model": log.model_key if log else "builtin",
        "tokens": {"input": log.input_tokens, "output": log.output_tokens} if log else {"input": 0, "output": 0},
        "cost_microusd": log.cost_microusd if log else 0,
    }


def _tell(made: Generated, path: Path) -> None:
    scenario = made.scenario
    say(scenario.name, style="bold")
    say(wrapped(scenario.summary))
    say(f"{len(scenario.places)} places, {len(scenario.cast)} people; its goal is {made.lines} lines away", style="dim")
    if made.unheard:
        note(f"nothing in the packs is called: {', '.join(made.unheard)}")
    if made.log is not None:
        note(f"{made.log.model_name}: {made.log.input_tokens:,} tokens read, {made.log.output_tokens:,} written")
    say(f"wrote {path}. Next: lorewright play {scenario.id if path.stem == scenario.id else path}")
