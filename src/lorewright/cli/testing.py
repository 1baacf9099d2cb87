"""lorewright campaign test, and what the leak suite found."""

from __future__ import annotations

from typing import Annotated

import typer

from lorewright.authoring.leaks.findings import Blocked, Leak, LeakReport
from lorewright.bootstrap import open_app
from lorewright.cli.output import say, show_json, show_table
from lorewright.cli.progress import progress_bar
from lorewright.cli.prose import wrapped
from lorewright.errors import SettingsError

CAMPAIGN_EXAMPLE = "Example: lorewright campaign test friday --leaks"

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Leaks = Annotated[bool, typer.Option("--leaks", help="Look for secrets wherever somebody may not know them.")]
_SHOWN = 25
_REMARKS = 12


def campaign_test(
    campaign_id: Annotated[str, typer.Argument(metavar="CAMPAIGN", help="The campaign's ID.")],
    leaks: Leaks = False,
    as_json: AsJson = False,
) -> None:
    """See whether the secrets of a campaign's packs kept in every turn that was played. Exit 1 where one did not.

    Every input and output of every stage, what was told and what can be asked is compared with what the player had
    learned just then; then the pinned packs are tested with the campaign's scenario, as `pack test --leaks` does.
    """
    if not leaks:
        raise SettingsError("say what to test", hint=f"lorewright campaign test {campaign_id} --leaks")
    lorewright = open_app()
    with progress_bar() as progress:
        report = lorewright.leaks.campaign(lorewright.campaigns, campaign_id, progress=progress)
    show_leaks(report, as_json=as_json)


def show_leaks(report: LeakReport, *, as_json: bool) -> None:
    """Show what the leak suite found; exit 1 where there is a leak."""
    if as_json:
        show_json(report.as_json())
    else:
        _show_leaks(report)
        _show_blocked(report)
        for remark in report.remarks[:_REMARKS]:
            say(wrapped(f"note: {remark}"), style="dim")
        kinds = ", ".join(f"{count} {channel}" for channel, count in report.checks.items())
        say(wrapped(f"looked at: {kinds}"), style="dim")
        say(
            f"{report.subject}: {report.secrets} secrets, {len(report.viewers)} viewers, "
            f"{sum(report.checks.values())} texts: {len(report.leaks)} leaks; "
            f"{report.over_blocked.count} wrongly blocked",
            style="bold",
        )
    if report.leaks:
        raise typer.Exit(1)


def _show_leaks(report: LeakReport) -> None:
    """Each secret and where it shows, with the hint once a channel."""
    if not report.leaks:
        return
    rows = [(f"{one.file}:{one.line}", one.secret, one.viewer, one.channel, _where(one)) for one in report.leaks]
    show_table(("secret", "ID", "who sees it", "by", "where"), rows[:_SHOWN])
    if len(rows) > _SHOWN:
        say(f"… and {len(rows) - _SHOWN} more (--json has all)", style="dim")
    for channel, hint in dict.fromkeys((one.channel, one.hint) for one in report.leaks):
        say(wrapped(f"{channel}: {hint}"))
    say()


def _where(leak: Leak) -> str:
    return f"{leak.where}: “{leak.quote}”"


def _show_blocked(report: LeakReport) -> None:
    blocked = report.over_blocked
    rows: list[Blocked] = [*blocked.not_shown, *blocked.refused_in_play, *blocked.worst]
    if blocked.sentences:
        say(
            f"of {blocked.sentences} open sentences a narrator could not quote {blocked.refused} while some secret is "
            f"hidden; {len(blocked.not_shown)} open texts are kept from somebody; "
            f"{len(blocked.refused_in_play)} times a parrot was refused in play"
        )
    if rows:
        cells = [(f"{one.file}:{one.line}", one.what, one.viewer, one.why) for one in rows[:_SHOWN]]
        show_table(("open text", "what", "for whom", "why it is blocked"), cells)
        say()
