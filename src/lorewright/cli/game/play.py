"""lorewright play and lorewright turn: the game at a prompt, and one turn for programs."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from lorewright.bootstrap import App, open_app
from lorewright.bounded_files import read_lines
from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.estimate import require_agreement
from lorewright.campaigns.model_choice import choose_for_sitting
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.scenarios.scenario import Scenario, load_scenario
from lorewright.campaigns.sessions import end
from lorewright.campaigns.stage_models import ModelKeys
from lorewright.cli.game.background_embedding import embedding_in_background, never
from lorewright.cli.game.play_session import PlaySession, terminal_listener
from lorewright.cli.game.slash import is_command, run_command
from lorewright.cli.game.turn_output import show_result, show_start
from lorewright.cli.models import Both, Large, Small, Stream, Yes, agree_beforehand, keys_of, tiers
from lorewright.cli.output import bold, complain, note, progress_bar, say
from lorewright.errors import LorewrightError, NotFound, SettingsError
from lorewright.grants import forget_agreements
from lorewright.storage.heads import head_row
from lorewright.storage.sittings import active_session_row
from lorewright.values.records import TurnResult

EXAMPLES = {
    "play": "Example: lorewright play dead_drop --large-model claude-haiku",
    "turn": 'Example: lorewright turn friday "ask Viktor about Jin" --action-id 1 --json',
}

_PROMPT = "> "
# A line that is played is a sentence or two; this is its limit in characters.
_MAX_LINE = 64 * 1024


@dataclass(frozen=True, slots=True)
class Manner:
    """How a campaign is played: `small` and `large` are models that were chosen, `yes` agrees to pay for them."""

    small: str | None = None
    large: str | None = None
    yes: bool = False
    verbose: bool = False
    streams: bool = True
    debug: bool = False

    @property
    def keys(self) -> ModelKeys:
        """Return the keys of a campaign that is begun."""
        return keys_of(self.small, self.large)

    def play_session(self, campaign: OpenCampaign, *, at_terminal: bool) -> PlaySession:
        """Return a play session in a campaign."""
        if self.yes:
            agree_beforehand(campaign)
        return PlaySession(
            campaign, at_terminal=at_terminal, verbose=self.verbose, streams=self.streams, debug=self.debug
        )


PLAIN = Manner()


def play(
    name: Annotated[str, typer.Argument(help="A campaign, or a scenario to begin one from.")],
    script: Annotated[Path | None, typer.Option(help="Play the lines of this file instead of asking.")] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**31, help="The seed of the dice, where a campaign is begun.")
    ] = None,
    model: Both = None,
    small_model: Small = None,
    large_model: Large = None,
    yes: Yes = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="After each turn, what models took for it.")] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="After each turn, what others thought and meant to do. It holds secrets.")
    ] = False,
    stream: Stream = True,
) -> None:
    """Play at a prompt; type /help there. With nothing to read on standard input, a demo is played and not kept.

    Models that are named hold from the beginning where a campaign is begun, else for this sitting. In a campaign that
    has none every stage is built in, whatever API keys there are.
    """
    small, large = tiers(model, small_model, large_model)
    manner = Manner(small, large, yes, verbose, stream, debug)
    lorewright = open_app(long_lived=True)
    piped = piped_lines()
    if script is not None:
        lines = lines_of(script)
        play_lines(lorewright.campaigns, _campaign(lorewright, name, seed, manner), lines, manner)
    elif piped is None:
        campaign_id = _campaign(lorewright, name, seed, manner, by_words=True)
        with embedding_in_background(lorewright, campaign_id) as vectors_have_come:
            play_at_prompt(lorewright.campaigns, campaign_id, manner, vectors_have_come=vectors_have_come)
    elif (first := next(piped, None)) is not None:
        play_lines(lorewright.campaigns, _campaign(lorewright, name, seed, manner), chain([first], piped), manner)
    else:
        _play_demo(lorewright, name, manner)


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
    """Play one turn. When the result is printed, the turn is committed."""
    campaigns = open_app().campaigns
    campaigns.hold_to_trust()
    with campaigns.open(campaign_id) as campaign, terminal_listener(streams=stream and not as_json) as turn_listener:
        if yes:
            agree_beforehand(campaign)
        if not builtin:
            require_agreement(campaign)
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
    if as_json:
        sys.stdout.write(f"{result_json}\n")
        sys.stdout.flush()
    else:
        show_result(result, is_told=is_told)


def _campaign(lorewright: App, name: str, seed: int | None, manner: Manner, *, by_words: bool = False) -> str:
    """Return the ID of the campaign of that name, with the chosen models; else begin one from the scenario of that
    name. With `by_words` no new pack is embedded for it: that is left for later."""
    campaigns = lorewright.campaigns
    if name in campaigns.ids():
        if manner.small is not None or manner.large is not None:
            with campaigns.open(name) as campaign:
                choose_for_sitting(campaign, small=manner.small, large=manner.large)
        return name
    if not campaigns.scenario_path(name).is_file():
        hint = "see: lorewright campaign list, and the folder scenarios/"
        raise NotFound(f"there is neither a campaign nor a scenario {name}", hint=hint)
    campaigns.hold_to_trust()
    note(f"beginning a campaign from {name} (packs are read when they are new) …")
    library = lorewright.by_words if by_words else None
    with progress_bar() as progress:
        return campaigns.new(name, seed=seed, keys=manner.keys, library=library, progress=progress).id


def play_at_prompt(
    campaigns: Campaigns,
    campaign_id: str,
    manner: Manner = PLAIN,
    *,
    vectors_have_come: Callable[[], bool] = never,
) -> None:
    """Answer a person line by line until they leave. Once the vectors of the packs have come, they are used from the
    next line on."""
    # Gives the prompt a history and editing keys, where the platform has them.
    import contextlib

    with contextlib.suppress(ImportError):
        import readline  # noqa: F401

    campaigns.hold_to_trust()
    try:
        with campaigns.open(campaign_id) as campaign, _sitting(campaign):
            session = manner.play_session(campaign, at_terminal=True)
            campaign.stage_models.warm(campaign.keys)
            show_start(campaign)
            while (line := _ask()) is not None and campaign_id in campaigns.ids():
                if vectors_have_come():
                    campaign.reopen_packs()
                if not _answer(session, line):
                    break
    except KeyboardInterrupt:
        _say_saved(campaigns, campaign_id)
        raise
    _say_saved(campaigns, campaign_id)


def _say_saved(campaigns: Campaigns, campaign_id: str) -> None:
    """Say that every turn is in the file; or that the file was deleted meanwhile, which an open file outlives."""
    if campaign_id in campaigns.ids():
        say("Saved. Go on with: lorewright play " + campaign_id, style="dim")
    else:
        complain(NotFound(f"the file of {campaign_id} was moved or deleted meanwhile", hint="put it back to play on"))


def _ask() -> str | None:
    try:
        with bold():
            return input(_PROMPT)
    except EOFError:
        say()
        return None
    except KeyboardInterrupt:
        say()
        raise


def play_lines(campaigns: Campaigns, campaign_id: str, lines: Iterable[str], manner: Manner = PLAIN) -> None:
    """Play the lines one by one. Once the story has ended, only commands are answered: the next other line stops the
    play.

    Raises:
        NotTrusted: what the workspace's settings choose is not trusted; nothing was played.
        NotAgreed: the campaign asks a paid model that nobody has agreed to; nothing was played.
    """
    campaigns.hold_to_trust()
    with campaigns.open(campaign_id) as campaign, _sitting(campaign):
        session = manner.play_session(campaign, at_terminal=False)
        require_agreement(campaign)
        show_start(campaign)
        for line in filter(str.strip, lines):
            if not is_command(line) and campaign.store.head().state.ended is not None:
                note("the story has ended: /undo takes the last turn back")
                break
            say(f"{_PROMPT}{line.strip()}", style="bold")
            if not _answer(session, line):
                break


@contextmanager
def _sitting(campaign: OpenCampaign) -> Iterator[None]:
    """End the active sitting, with its summary, when the block ends in any way, if a turn was played in it."""
    first = head_row(campaign.store.database).revision
    try:
        yield
    finally:
        active = active_session_row(campaign.store.database)
        if active is not None and head_row(campaign.store.database).revision != first:
            end(campaign, active)


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


def _answer(session: PlaySession, line: str) -> bool:
    """Answer a line; return True if the play goes on."""
    words = line.strip()
    if not words:
        return True
    try:
        if is_command(words):
            return run_command(session.campaign, words, session=session)
        session.submit(words)
    except LorewrightError as error:
        complain(error)
    return True


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
