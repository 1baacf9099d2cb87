"""What a player sees at the prompt: the telling, a dim line of dice and clocks, suggestions, and the commands."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Callable

from lorewright.campaigns.campaigns import OpenCampaign
from lorewright.cli.output import say
from lorewright.rules.outcomes import Roll
from lorewright.turn.result import TurnResult

# Prose is read best at the width of a book's page.
_WIDEST = 88

_HELP = """\
Say what you do in plain words: look at the bar · ask Viktor about Jin · search behind the counter ·
take the key · go street · wait. A number takes the suggestion of that number.
/who    who is here          /inv    what you carry       /recap  the last turns again
/why    the dice of the last turn, and the notes that its sentences came from
/quit   leave; everything is saved"""


def show_start(campaign: OpenCampaign) -> None:
    """Where the story stands: its title, and the opening or the last thing that was told."""
    say(campaign.row.name, style="bold")
    turns = campaign.store.turns()
    say(_wrapped(_last_told(turns)))
    _show_options(tuple(turns[-1]["result"]["suggested_actions"]))


def show_result(result: TurnResult) -> None:
    """One turn's telling."""
    if result.clarification_question is not None:
        say(_wrapped(result.clarification_question), style="yellow")
    else:
        say(_wrapped(result.final_text))
        facts = " · ".join([*map(_roll, result.rolls), *_clocks(result)])
        cited = ", ".join(dict.fromkeys(citation.cite for citation in result.citations))
        if facts or cited:
            say(f"  {facts}{'   ' if facts and cited else ''}{f'[{cited}]' if cited else ''}", style="dim")
    if any(event.type == "campaign_ended" for event in result.engine_events):
        say("  — the end —", style="bold")
    _show_options(result.suggested_actions)


def _show_options(options: tuple[str, ...]) -> None:
    if options:
        say("  " + "   ".join(f"{number} {line}" for number, line in enumerate(options, start=1)), style="dim")
    say()


def _roll(roll: Roll) -> str:
    added = f"{roll.modifier:+d}" if roll.modifier else ""
    return f"{roll.expression}{added} = {roll.total}, {roll.band}"


def _clocks(result: TurnResult) -> list[str]:
    """The clocks that moved, as they stand now."""
    moved = {event.details["clock"] for event in result.engine_events if event.type == "clock_ticked"}
    return [f"{clock['name']} {clock['value']}/{clock['max']}" for clock in result.clocks if clock["id"] in moved]


def _wrapped(text: str) -> str:
    width = min(_WIDEST, shutil.get_terminal_size().columns)
    return "\n\n".join(textwrap.fill(" ".join(part.split()), width) for part in text.split("\n\n") if part.strip())


def _last_told(turns: list[dict[str, object]]) -> str:
    told = [turn["result"] for turn in turns if turn["kind"] != "clarification"]
    last = told[-1]
    return str(last["final_text"]) if isinstance(last, dict) else ""


def _help(campaign: OpenCampaign) -> None:
    say(_HELP)


def _who(campaign: OpenCampaign) -> None:
    state = campaign.store.head().state
    people = [state.name_of(one) for one in state.present_npcs()]
    say(f"{state.name_of(state.scene.location_id)}: {', '.join(people) or 'no one but you'}")


def _inventory(campaign: OpenCampaign) -> None:
    state = campaign.store.head().state
    carried = [
        f"{state.name_of(item)}{f' × {n}' if n > 1 else ''}" for item, n in state.held_by(state.player_id).items()
    ]
    say(f"You carry: {', '.join(carried) or 'nothing'}")


def _why(campaign: OpenCampaign) -> None:
    result = TurnResult.model_validate(campaign.store.turns()[-1]["result"])
    for roll in result.rolls:
        say(f"{_roll(roll)}: the dice fell {', '.join(map(str, roll.rolls))}")
    for citation in result.citations:
        say(f"[{citation.cite}] {citation.file_path}, {citation.section_path}")
        say(f"  “{citation.quote}”", style="dim")
    if not result.rolls and not result.citations:
        say("Nothing was rolled and nothing was quoted.")


def _recap(campaign: OpenCampaign) -> None:
    for turn in campaign.store.turns()[-3:]:
        say(_wrapped(turn["result"]["final_text"]), style="dim")


COMMANDS: dict[str, Callable[[OpenCampaign], None]] = {
    "/help": _help,
    "/who": _who,
    "/inv": _inventory,
    "/why": _why,
    "/recap": _recap,
}
