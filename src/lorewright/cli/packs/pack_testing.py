"""lorewright pack test: golden queries, sections that nothing finds, links, leaks; for people, programs and CI."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from lorewright.authoring.leaks.planting import Blocked, Leak, LeakReport
from lorewright.authoring.pack_baseline import (
    KINDS,
    STATUSES,
    Case,
    LinkFigures,
    PackReport,
    Status,
    write_baseline,
    write_junit,
)
from lorewright.authoring.pack_suite import LINKS_ASKED, SuiteOptions, suite_cases
from lorewright.cli.opening import open_app
from lorewright.cli.output import note, progress_bar, say, say_parts, show_json, show_table, wrapped
from lorewright.errors import SettingsError

# lorewright campaign test, and the output of the leak suite.

CAMPAIGN_EXAMPLE = "Example: lorewright campaign test friday --leaks"

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Leaks = Annotated[bool, typer.Option("--leaks", help="Look for secrets wherever somebody may not know them.")]
_SHOWN_LEAKS = 25
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
        raise SettingsError(
            "there is no test to run without --leaks", hint=f"lorewright campaign test {campaign_id} --leaks"
        )
    lorewright = open_app()
    with progress_bar() as progress:
        report = lorewright.leaks.campaign(lorewright.campaigns, campaign_id, progress=progress)
    show_leaks(report, as_json=as_json)


def show_leaks(report: LeakReport, *, as_json: bool) -> None:
    """Print what the leak suite found; exit 1 where there is a leak."""
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
    """Print each secret and where it shows, with the hint once for each channel."""
    if not report.leaks:
        return
    rows = [(f"{leak.file}:{leak.line}", leak.secret, leak.viewer, leak.channel, _where(leak)) for leak in report.leaks]
    show_table(("secret", "ID", "who sees it", "by", "where"), rows[:_SHOWN_LEAKS])
    if len(rows) > _SHOWN_LEAKS:
        say(f"… and {len(rows) - _SHOWN_LEAKS} more (--json has all)", style="dim")
    for channel, hint in dict.fromkeys((leak.channel, leak.hint) for leak in report.leaks):
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
        cells = [(f"{row.file}:{row.line}", row.what, row.viewer, row.why) for row in rows[:_SHOWN_LEAKS]]
        show_table(("open text", "what", "for whom", "why it is blocked"), cells)
        say()


# lorewright pack test, and its report.

EXAMPLES = {"test": "Example: lorewright pack test neo_seattle --junit lore.xml"}

_STYLES: dict[Status, str] = {"failed": "red", "warned": "magenta", "skipped": "dim", "passed": "green"}
# More cases of one kind than this are counted, not shown.
_SHOWN = 12


class Only(StrEnum):
    """The kinds of tests that can be run alone."""

    golden = "golden"
    retrievable = "retrievable"
    starved = "starved"
    links = "links"
    leaks = "leaks"


def pack_test(
    pack: Annotated[str, typer.Argument(help="The pack's ID or its folder, which need not be installed.")],
    only: Annotated[list[Only] | None, typer.Option(help="Only these kinds of tests (may be repeated).")] = None,
    links: Annotated[bool, typer.Option("--links", help="Only the benchmark of links; as --only links.")] = False,
    leaks: Annotated[bool, typer.Option("--leaks", help="Only the leak suite: secrets, wherever they show.")] = False,
    sample: Annotated[int, typer.Option(min=0, help="Ask so many links at most; 0 for all.")] = LINKS_ASKED,
    baseline: Annotated[
        Path | None, typer.Option(help="Compare with the answers kept there, not in tests/baseline.json.")
    ] = None,
    save_baseline: Annotated[Path | None, typer.Option(help="Keep the answers to the golden queries there.")] = None,
    junit: Annotated[Path | None, typer.Option(help="Write JUnit XML there, for CI.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings fail, too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Test a pack: its golden queries, whether every section can be found, its links, its secrets. Exit 1 on a failure.

    The text is tested as it lies in the folder now, together with what the pack depends on; nothing is installed.
    With --leaks a copy is made with a word of its own in each secret, and is queried, read and played by
    everybody who may not know them. docs/testing_packs.md says what each kind of test means.
    """
    app = open_app()
    chosen = frozenset(kind.value for kind in only or ()) | ({"links"} if links else frozenset())
    if leaks and not chosen:
        with progress_bar() as progress:
            found = app.leaks.pack(pack, progress=progress)
        if junit is not None:
            cases = tuple(suite_cases(found))
            write_junit(junit, PackReport(found.subject, "", pack, "", 0, cases))
        show_leaks(found, as_json=as_json)
        return
    wanted = SuiteOptions(
        only=frozenset(kind for kind in KINDS if kind in chosen or (leaks and kind == "leaks")),
        baseline=baseline,
        links=sample,
        deep_leaks=leaks,
    )
    if save_baseline is not None:
        # Answers that are saved now are not compared with those saved before.
        wanted = replace(wanted, compare=False)
    with progress_bar() as progress:
        tested = app.pack_tests.run(pack, wanted, progress=progress)
    report = tested.report.strictly() if strict else tested.report
    if save_baseline is not None:
        write_baseline(save_baseline, tested.baseline)
        note(f"kept the answers to {len(tested.baseline.answers)} golden queries in {save_baseline}")
    if junit is not None:
        write_junit(junit, report)
    if as_json:
        show_json(report.as_json())
    else:
        problem = app.without_vectors
        _show(report, problem.message if problem else "")
    if report.count("failed"):
        raise typer.Exit(1)


def _show(report: PackReport, without_vectors: str) -> None:
    by = f"words and meaning ({report.embedder})" if report.embedder else "words alone"
    say(f"{report.pack} {report.version}: {report.sections} sections, found by {by}", style="bold")
    for remark in (*report.notes, *([without_vectors] if without_vectors else ())):
        say(wrapped(f"note: {remark}"), style="dim")
    for kind in KINDS:
        cases = report.of_kind(kind)
        _show_cases([case for case in cases if case.status == "failed"], report.pack)
        _show_cases([case for case in cases if case.status == "warned"], report.pack)
        moved = [case for case in cases if case.status == "passed" and case.found and kind == "regression"]
        _show_moves(moved, report.pack)
    if report.links is not None:
        _show_links(report.links, report.pack)
    say()
    for kind in KINDS:
        counts = Counter(case.status for case in report.of_kind(kind))
        if counts:
            say_parts(
                (f"{kind:<12}", ""),
                *((f"{counts[status]} {status}  ", _STYLES[status]) for status in STATUSES if counts[status]),
            )
    _show_skipped(report)


def _show_cases(cases: list[Case], pack: str) -> None:
    """Print the cases that did not pass. The pack's own IDs stand without it, as its author writes them."""
    for case in cases[:_SHOWN]:
        say()
        say_parts(
            (case.status.upper(), f"bold {_STYLES[case.status]}"),
            (f"  {case.kind}  {case.place}", "bold"),
            (f"  {case.name.removeprefix(f'{pack}:')}", ""),
        )
        for label, text in (("expected", case.expected), ("found", case.found), ("why", case.why), ("hint", case.hint)):
            if text:
                shown = _own(text, pack)
                say(wrapped(shown, indent=f"  {label:<9} ", hanging=" " * 12, whole_words=True))
    if len(cases) > _SHOWN:
        say()
        say(f"… and {len(cases) - _SHOWN} more {cases[0].kind} {cases[0].status} (--json has all)", style="dim")


def _show_moves(cases: list[Case], pack: str) -> None:
    """Print answers that changed and lost nothing."""
    for case in cases[:_SHOWN]:
        say(wrapped(f"{case.name}: {_own(case.found, pack)}", hanging="  ", whole_words=True), style="dim")


def _own(text: str, pack: str) -> str:
    return re.sub(rf"(?<![\w:-]){re.escape(pack)}:(?=\w)", "", text)


def _show_skipped(report: PackReport) -> None:
    reasons = Counter((case.kind, case.why) for case in report.cases if case.status == "skipped")
    for (kind, why), count in reasons.items():
        say(wrapped(f"skipped {count} {kind}: {why}"), style="dim")


def _show_links(figures: LinkFigures, pack: str) -> None:
    say()
    asked = "all" if figures.asked == figures.links else f"{figures.asked} of"
    say(
        f"links: of {asked} {figures.links} sentences without the name that they link, the entity is found "
        f"first in {figures.any_at_1:.0%}, among ten in {figures.any_at_10:.0%}; MRR {figures.mrr:.2f}"
    )
    for worst in figures.worst[:5]:
        place = f"at {worst.rank}" if worst.rank else "not among ten"
        line = f"{worst.file}:{worst.line}  {worst.target} {place}: “{_short(worst.asked)}”"
        say(wrapped(_own(line, pack), indent="  ", hanging="    ", whole_words=True), style="dim")


def _short(text: str) -> str:
    return text if len(text) <= 100 else f"{text[:99].rpartition(' ')[0]} …"
