"""A sitting in a campaign: lines from a prompt, a script or a pipe are answered one by one until the player leaves."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, redirect_stdout
from dataclasses import dataclass

from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.estimate import require_agreement
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.sessions import end
from lorewright.campaigns.stage_models import ModelKeys
from lorewright.cli.game.background_embedding import never
from lorewright.cli.game.completion import LineCompleter, names_known_in
from lorewright.cli.game.endings import WaysOn
from lorewright.cli.game.line_history import LineHistory
from lorewright.cli.game.play_session import PlaySession
from lorewright.cli.game.prompt import PROMPT, open_prompt
from lorewright.cli.game.slash import TAB_ARGUMENTS, is_command, run_command
from lorewright.cli.game.stories import Stories
from lorewright.cli.game.turn_output import note_lost_changes, show_start, show_ways_on
from lorewright.cli.models import agree_beforehand, keys_of
from lorewright.cli.output import complain, note, refuse, say
from lorewright.errors import CampaignError, LorewrightError, NotFound
from lorewright.ids import canonical_json
from lorewright.storage.heads import head_row
from lorewright.storage.sittings import active_session_row


@dataclass(frozen=True, slots=True)
class Manner:
    """How a campaign is played: `small` and `large` are models that were chosen, `yes` agrees to pay for them; `plain`
    is for lines that are read without editing."""

    small: str | None = None
    large: str | None = None
    yes: bool = False
    verbose: bool = False
    streams: bool = True
    debug: bool = False
    plain: bool = False
    sandbox: bool = False

    @property
    def keys(self) -> ModelKeys:
        """Return the keys of a campaign that is begun."""
        return keys_of(self.small, self.large)

    def play_session(self, campaign: OpenCampaign, *, at_terminal: bool) -> PlaySession:
        """Return a play session in a campaign."""
        if self.yes:
            agree_beforehand(campaign)
        return PlaySession(
            campaign,
            at_terminal=at_terminal,
            verbose=self.verbose,
            streams=self.streams,
            debug=self.debug,
            sandbox=self.sandbox,
        )


PLAIN = Manner()


def play_at_prompt(
    campaigns: Campaigns,
    campaign_id: str,
    manner: Manner = PLAIN,
    *,
    stories: Stories | None = None,
    vectors_have_come: Callable[[], bool] = never,
) -> None:
    """Answer a person line by line until they leave. After an ending they may go on in another campaign, where there
    are `stories` to choose from. Once the vectors of the packs have come, they are used from the next line on."""
    campaigns.hold_to_trust()
    played, next_id = campaign_id, campaign_id
    try:
        while next_id:
            played = next_id
            next_id = _play_at_prompt(campaigns, played, manner, stories, vectors_have_come)
    except KeyboardInterrupt:
        _say_saved(campaigns, played)
        raise
    _say_saved(campaigns, played)


def _play_at_prompt(
    campaigns: Campaigns,
    campaign_id: str,
    manner: Manner,
    stories: Stories | None,
    vectors_have_come: Callable[[], bool],
) -> str:
    """Play one campaign at the prompt; return the ID of the campaign to go on with, empty where the player leaves."""
    with campaigns.open(campaign_id) as campaign, _sitting(campaign):
        session = manner.play_session(campaign, at_terminal=True)
        ways_on = WaysOn(session, stories)
        prompt = open_prompt(
            LineHistory(campaigns.lines_path(campaign_id)),
            LineCompleter(TAB_ARGUMENTS, lambda: names_known_in(campaign, session.persona)),
            plain=manner.plain,
        )
        session.campaigns, session.can_edit = campaigns, prompt.can_edit
        session.ways_on = ways_on.labels
        campaign.stage_models.warm(campaign.keys)
        note_lost_changes(campaign)
        if stories is not None and (notice := stories.notice(campaign)):
            say(notice, style="dim")
        show_start(campaign)
        if ways_on.is_reached:
            show_ways_on(session.ways_on)
        while (line := prompt.ask(session.given)) is not None and campaign_id in campaigns.ids():
            if vectors_have_come():
                campaign.reopen_packs()
            go_on_in = _answer(session, line, ways_on)
            if go_on_in != campaign_id:
                return go_on_in
    return ""


def _say_saved(campaigns: Campaigns, campaign_id: str) -> None:
    """Say that every turn is in the file; or that the file was deleted meanwhile, which an open file outlives."""
    if campaign_id in campaigns.ids():
        say("Saved. Go on with: lorewright play " + campaign_id, style="dim")
    else:
        complain(NotFound(f"the file of {campaign_id} was moved or deleted meanwhile", hint="put it back to play on"))


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
        session.campaigns = campaigns
        require_agreement(campaign)
        show_start(campaign)
        for line in filter(str.strip, lines):
            if not is_command(line) and campaign.store.head().state.ended is not None:
                note("the story has ended: /undo takes the last turn back")
                break
            say(f"{PROMPT}{line.strip()}", style="bold")
            if not _answer(session, line):
                break


def answer_command(campaigns: Campaigns, campaign_id: str, line: str, *, as_json: bool) -> None:
    """Carry out one out-of-character line; with `as_json` only the TurnResult of the head after it is printed.

    Raises:
        CampaignError: there is no such command, or it cannot be carried out.
    """
    with campaigns.open(campaign_id) as campaign:
        session = PLAIN.play_session(campaign, at_terminal=False)
        session.campaigns = campaigns
        with redirect_stdout(io.StringIO()) if as_json else nullcontext():
            run_command(campaign, line.strip(), session=session)
        if as_json:
            head = campaign.store.head().turn_id
            stored = canonical_json(next(turn["result"] for turn in campaign.store.turns() if turn["turn_id"] == head))
            sys.stdout.write(f"{campaign.player_ids().told_json(stored)}\n")


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


def _answer(session: PlaySession, line: str, ways_on: WaysOn | None = None) -> str:
    """Answer a line; return the ID of the campaign in which the play goes on, empty where the player leaves."""
    words, here = line.strip(), session.campaign.store.campaign_id
    given, session.given = session.given, ""
    try:
        if is_command(words):
            return here if run_command(session.campaign, words, session=session) else ""
        if given:
            # Emptied, the line stands as it was played.
            if words:
                session.play_instead(words)
        elif ways_on is not None and ways_on.is_reached:
            return ways_on.answer(words)
        elif words:
            session.submit(words)
        elif ways_on is not None:
            session.go_on()
    except (CampaignError, NotFound) as error:
        refuse(error)
    except LorewrightError as error:
        complain(error)
    return here
