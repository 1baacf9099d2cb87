"""lorewright play and lorewright turn: the game at a prompt, and one turn for programs."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from lorewright.bootstrap import App
from lorewright.bounded_files import read_lines
from lorewright.campaigns.estimate import require_agreement
from lorewright.campaigns.model_choice import choose_for_sitting
from lorewright.campaigns.scenarios.beginning import USUAL, Beginning, read_beginning
from lorewright.campaigns.scenarios.scenario import Scenario, load_scenario
from lorewright.campaigns.sessions import sit_down
from lorewright.cli.game.background_embedding import embedding_in_background
from lorewright.cli.game.play_session import terminal_listener
from lorewright.cli.game.session_zero import agreed_on
from lorewright.cli.game.sitting import Manner, answer_command, play_at_prompt, play_lines
from lorewright.cli.game.stories import Stories
from lorewright.cli.game.turn_output import note_lost_changes, show_result
from lorewright.cli.models import Both, Large, Small, Stream, Yes, agree_beforehand, tiers
from lorewright.cli.opening import open_app
from lorewright.cli.output import note, progress_bar
from lorewright.errors import LorewrightError, NotFound, SettingsError
from lorewright.grants import forget_agreements
from lorewright.values.records import TurnResult

EXAMPLES = {
    "play": "Example: lorewright play dead_drop --large-model claude-haiku",
    "turn": 'Example: lorewright turn friday "ask Viktor about Jin" --action-id 1 --json',
}

# A line that is played is a sentence or two; this is its limit in characters.
_MAX_LINE = 64 * 1024


def play(
    name: Annotated[
        str | None,
        typer.Argument(help="A campaign, a scenario or a game in a .zip to begin one from; without it, choose one."),
    ] = None,
    new: Annotated[bool, typer.Option("--new", help="Begin another campaign although there is one.")] = False,
    at: Annotated[
        str | None, typer.Option("--at", help="Begin in this place of the scenario, to try it: the ID or the name.")
    ] = None,
    given: Annotated[
        list[str] | None,
        typer.Option("--with", help="An effect that has happened before, as '{give: lamp_oil}' (may be repeated)."),
    ] = None,
    script: Annotated[Path | None, typer.Option(help="Play the lines of this file instead of asking.")] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**31, help="The seed of the dice, where a campaign is begun.")
    ] = None,
    session_zero: Annotated[
        bool, typer.Option("--session-zero", help="Be asked about tone and limits first, where a campaign is begun.")
    ] = False,
    model: Both = None,
    small_model: Small = None,
    large_model: Large = None,
    yes: Yes = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="After each turn, what models took for it.")] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="After each turn, what others thought and meant to do. It holds secrets.")
    ] = False,
    sandbox: Annotated[
        bool, typer.Option("--sandbox", help="After each turn, what everybody meant to do, and nothing else of it.")
    ] = False,
    stream: Stream = True,
    plain: Annotated[
        bool, typer.Option("--plain", help="Read lines plainly, as for a screen reader; so does LOREWRIGHT_PLAIN=1.")
    ] = False,
) -> None:
    """Play at a prompt; type /help there. With nothing to read on standard input, a demo is played and not kept.

    Without a name, what there is to play is listed, and at a terminal you choose. Models that are named hold from the
    beginning where a campaign is begun, else for this sitting. In a campaign that has none every stage is built in,
    whatever API keys there are.
    """
    small, large = tiers(model, small_model, large_model)
    manner = Manner(small, large, yes, verbose, stream, debug, plain, sandbox)
    lorewright = open_app(long_lived=True)
    stories = Stories(lorewright, manner.keys)
    if name is not None and name.lower().endswith(".zip"):
        name = _added(lorewright, Path(name))
    beginning = read_beginning(at, given or ())
    # Where somebody says how it is to begin, another campaign is begun.
    new = new or beginning != USUAL
    begun = partial(
        _campaign, lorewright, stories, manner, seed=seed, new=new, session_zero=session_zero, beginning=beginning
    )
    if name is None and beginning != USUAL:
        raise SettingsError("--at and --with are about a scenario", hint="name it: lorewright play NAME --at PLACE")
    if name is None:
        if script is None and sys.stdin is not None and sys.stdin.isatty():
            if (chosen := stories.choose()) is not None:
                _play_at_prompt(lorewright, _with_models(lorewright, chosen, manner), manner, stories)
        elif script is None:
            stories.show(stories.listed())
        else:
            raise SettingsError("a script is played in a campaign", hint="name it, or a scenario to begin it from")
        return
    piped = piped_lines()
    if script is not None:
        lines = lines_of(script)
        play_lines(lorewright.campaigns, begun(name), lines, manner)
    elif piped is None:
        _play_at_prompt(lorewright, begun(name, by_words=True), manner, stories)
    elif (first := next(piped, None)) is not None:
        play_lines(lorewright.campaigns, begun(name), chain([first], piped), manner)
    elif beginning != USUAL:
        # The demo begins where the scenario does: it would show nothing of this beginning.
        play_lines(lorewright.campaigns, begun(name), (), manner)
    else:
        _play_demo(lorewright, name, manner)


def _added(lorewright: App, path: Path) -> str:
    """Add the game in a file to the workspace and return the ID of its scenario."""
    with progress_bar() as progress:
        bundle = lorewright.bundles.add(path, progress=progress)
    for line in bundle.licences:
        note(line)
    return bundle.scenario_id


def _play_at_prompt(lorewright: App, campaign_id: str, manner: Manner, stories: Stories) -> None:
    with embedding_in_background(lorewright, campaign_id) as vectors_have_come:
        play_at_prompt(lorewright.campaigns, campaign_id, manner, stories=stories, vectors_have_come=vectors_have_come)


def turn(
    campaign_id: Annotated[str, typer.Argument(help="The campaign's ID.")],
    text: Annotated[str, typer.Argument(help="What the player says or does.")],
    action_id: Annotated[
        str | None,
        typer.Option(help="A name for this submission: sent again, it gives the stored result and plays nothing."),
    ] = None,
    persona: Annotated[
        str | None, typer.Option(help="Who speaks from now on: one of the player's personas, by ID or name.")
    ] = None,
    thought: Annotated[str, typer.Option(help="What they think by themselves; nobody else ever knows of it.")] = "",
    whisper: Annotated[str | None, typer.Option(help="Who alone is to hear it, by ID or name.")] = None,
    builtin: Annotated[bool, typer.Option("--builtin", help="Ask no model in this turn.")] = False,
    yes: Yes = False,
    stream: Stream = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print the TurnResult as JSON.")] = False,
) -> None:
    """Play one turn. When the result is printed, the turn is committed.

    A line that begins with / (/scene end, /undo) is a command to the game, as at its prompt; nobody in it hears it.
    It belongs to the sitting of the last turn, or after some hours to a new one: lorewright session list CAMPAIGN.
    """
    campaigns = open_app().campaigns
    campaigns.hold_to_trust()
    if text.startswith("/"):
        answer_command(campaigns, campaign_id, text, as_json=as_json)
        return
    with campaigns.open(campaign_id) as campaign, terminal_listener(streams=stream and not as_json) as turn_listener:
        note_lost_changes(campaign)
        if yes:
            agree_beforehand(campaign)
        if not builtin:
            require_agreement(campaign)
        sit_down(campaign, action_id=action_id)
        try:
            submission = campaign.submit(
                text,
                action_id=action_id,
                persona=persona,
                thought=thought,
                whisper_to=whisper,
                builtin=builtin,
                listener=turn_listener,
            )
            stored = asyncio.run(submission)
        except (LorewrightError, KeyboardInterrupt):
            turn_listener.did_not_happen()
            raise
        result_json = campaign.player_ids().told_json(stored)
        result = TurnResult.model_validate_json(result_json)
        is_told = turn_listener.happened(result.final_text)
        if not as_json:
            show_result(result, campaign=campaign, is_told=is_told)
    if as_json:
        sys.stdout.write(f"{result_json}\n")
        sys.stdout.flush()


def _campaign(
    lorewright: App,
    stories: Stories,
    manner: Manner,
    name: str,
    *,
    seed: int | None,
    new: bool,
    session_zero: bool,
    beginning: Beginning = USUAL,
    by_words: bool = False,
) -> str:
    """Return the ID of the campaign of that name, with the chosen models; else begin one from the scenario of that
    name. With `new` another campaign of the same scenario is begun. With `by_words` no new pack is embedded for it:
    that is left for later."""
    campaigns = lorewright.campaigns
    if name in campaigns.ids():
        if not new:
            if session_zero:
                raise SettingsError(f"{name} has begun already", hint="add --new to begin another with a session zero")
            return _with_models(lorewright, name, manner)
        with campaigns.reading(name) as store:
            name = store.campaign().scenario_id
    if not campaigns.scenario_path(name).is_file():
        hint = "see: lorewright campaign list, and the folder scenarios/"
        raise NotFound(f"there is neither a campaign nor a scenario {name}", hint=hint)
    agreed = agreed_on(campaigns, name, None, ask=session_zero)
    return stories.begin(name, seed=seed, calibration=agreed, by_words=by_words, beginning=beginning)


def _with_models(lorewright: App, campaign_id: str, manner: Manner) -> str:
    """Have a campaign ask the models that were chosen for this sitting, if any were; return its ID."""
    if manner.small is not None or manner.large is not None:
        with lorewright.campaigns.open(campaign_id) as campaign:
            choose_for_sitting(campaign, small=manner.small, large=manner.large)
    return campaign_id


def _play_demo(lorewright: App, name: str, manner: Manner) -> None:
    """Play the scenario's own lines, with its own dice, in a campaign that is thrown away. Lore is searched by words
    alone, so that nothing has to be embedded and the result is always the same."""
    scenario = _scenario_of(lorewright, name)
    if not scenario.demo:
        raise NotFound(f"the scenario {scenario.id} has no demo", hint="play it at a terminal, or give it a --script")
    note(f"standard input is closed: playing the demo of {scenario.id}; nothing of it is kept")
    with tempfile.TemporaryDirectory() as folder:
        campaigns = lorewright.rehearsal(Path(folder), by_words=True)
        with progress_bar() as progress:
            row = campaigns.new(
                scenario.id,
                campaign_id=f"{scenario.id}_demo",
                seed=scenario.demo_seed,
                keys=manner.keys,
                progress=progress,
            )
        try:
            play_lines(campaigns, row.id, scenario.demo, manner)
        finally:
            forget_agreements(campaigns.path(row.id))


def _scenario_of(lorewright: App, name: str) -> Scenario:
    campaigns = lorewright.campaigns
    if name in campaigns.ids():
        with campaigns.reading(name) as store:
            return Scenario.model_validate(store.campaign().scenario)
    return load_scenario(campaigns.scenario_path(name))


def piped_lines() -> Iterator[str] | None:
    """Return the non-blank lines on standard input; None where it is a terminal."""
    if sys.stdin is None or sys.stdin.closed:
        return iter(())
    if sys.stdin.isatty():
        return None
    lines = read_lines(sys.stdin, "standard input", SettingsError, max_chars=_MAX_LINE)
    return (line for line in lines if line.strip())


def lines_of(script: Path) -> list[str]:
    """Return the lines of a script that are not blank and no comments.

    Raises:
        NotFound: there is no such file.
        SettingsError: a line of it is too long.
    """
    if not script.is_file():
        raise NotFound(f"there is no file {script}", hint="a script is a text file with one line of play on each line")
    with script.open(encoding="utf-8", errors="replace") as file:
        lines = read_lines(file, str(script), SettingsError, max_chars=_MAX_LINE)
        return [line for line in lines if line.strip() and not line.startswith("#")]
