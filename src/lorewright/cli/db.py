"""lorewright db …: check campaigns' files for damage, migrate old ones, import those of v0, copy and back up all."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from lorewright import bootstrap
from lorewright.bootstrap import App
from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.checks import CampaignCheck, Migrated
from lorewright.campaigns.copying import check_campaign, copy_campaign, migrate_campaign
from lorewright.campaigns.shelves import FileShelf
from lorewright.cli.opening import open_app
from lorewright.cli.output import progress_bar, say, show_json, show_table
from lorewright.contrib.import_v0 import parity
from lorewright.contrib.import_v0.importing import V0Import, import_v0
from lorewright.errors import SettingsError
from lorewright.storage.postgres.store import LEFT_TO_POSTGRES, PostgresStore
from lorewright.workspace.accounts_copies import AccountsPlace, FileAccounts, PostgresAccounts, copy_accounts
from lorewright.workspace.backups import Saved, back_up
from lorewright.workspace.backups import restore as restore_backup

app = typer.Typer(
    help="Campaigns' files: check them, bring them up to date, back them up, import those of v0.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
CampaignId = Annotated[str | None, typer.Argument(help="The campaign's ID; all campaigns if not given.")]


@app.command("check", epilog="Example: lorewright db check friday")
def check_files(campaign_id: CampaignId = None, as_json: AsJson = False) -> None:
    """Check every invariant over a campaign's whole file: each state rebuilt from the beginning, each stored result,
    each branch and sitting, the texts of its packs. Nothing is changed. Exit 1 when anything is wrong.

    Of a campaign in PostgreSQL a copy of its rows is checked, read from one snapshot."""
    campaigns = open_app().campaigns
    found = {name: check_campaign(campaigns, name) for name in _ids(campaigns, campaign_id)}
    clean = all(result.clean for result in found.values())
    if as_json:
        checked = [{"id": name, "clean": result.clean, **asdict(result)} for name, result in found.items()]
        left = {} if isinstance(campaigns.shelf, FileShelf) else {"left_to_postgresql": LEFT_TO_POSTGRES}
        show_json({"clean": clean, "campaigns": checked, **left})
    else:
        for name, result in found.items():
            _show(name, result)
        if not found:
            say("There is no campaign to check.")
        elif not isinstance(campaigns.shelf, FileShelf):
            say(f"left to PostgreSQL: {'; '.join(LEFT_TO_POSTGRES)}", style="dim")
    if not clean:
        raise typer.Exit(1)


@app.command(epilog="Example: lorewright db migrate friday")
def migrate(campaign_id: CampaignId = None, as_json: AsJson = False) -> None:
    """Bring campaigns' files up to date and say what was done; tables that tell of the head's state and are not what it
    says are made anew. Whatever opens a campaign does so by itself. Exit 1 when a file cannot be."""
    campaigns = open_app().campaigns
    done = {name: migrate_campaign(campaigns, name) for name in _ids(campaigns, campaign_id)}
    if as_json:
        show_json([{"id": name, **asdict(result)} for name, result in done.items()])
    else:
        for name, result in done.items():
            say(f"{name}: {_told(result)}", style="red" if result.problem else "")
            if result.hint:
                say(f"  hint: {result.hint}")
        if not done:
            say("There is no campaign to bring up to date.")
    if any(result.problem for result in done.values()):
        raise typer.Exit(1)


def _told(done: Migrated) -> str:
    steps = [*done.applied, *(["the tables of the head's state were made anew"] if done.projected else [])]
    return ", ".join(steps) or (f"error[{done.code}]: {done.problem}" if done.problem else "up to date")


@app.command("import-v0", epilog="Example: lorewright db import-v0 old_game.db --id friday")
def import_file(
    file: Annotated[Path, typer.Argument(help="The SQLite file that v0 wrote. It is read from a copy.")],
    campaign_id: Annotated[
        str | None, typer.Option("--id", help="The campaign's ID here; v0's own if not given.")
    ] = None,
    only: Annotated[str | None, typer.Option(help="Of several campaigns in the file only this, by v0's ID.")] = None,
    as_json: AsJson = False,
) -> None:
    """Bring campaigns of the predecessor here, one or all that a file holds, and compare the two table by table. A
    second time nothing is changed. Exit 1 when anything differs that should not."""
    done = import_v0(open_app().campaigns, file, campaign_id=campaign_id, only=only)
    if as_json:
        show_json([{**asdict(imported), "is_equal": imported.is_equal} for imported in done])
    else:
        for imported in done:
            _show_imported(imported)
    if not all(imported.is_equal for imported in done):
        raise typer.Exit(1)


def _show_imported(imported: V0Import) -> None:
    what = f"{imported.turns} turns were imported" if imported.is_new else "up to date, nothing was changed"
    say(f"{imported.id} ({imported.v0_id} in v0): {what}", style="bold")
    rows = [
        (table.table, table.v0, table.ours, table.equal, "yes" if table.differs else "", parity.parity_text(table))
        for table in imported.tables
    ]
    show_table(("table", "v0", "here", "equal", "differs", "remarks"), rows, right=("v0", "here", "equal"))
    if imported.is_new:
        say(f"Next: lorewright play {imported.id}")


@app.command("copy", epilog="Example: lorewright db copy friday --to postgresql://lorewright@localhost/lorewright")
def copy_campaigns(
    campaign_id: CampaignId = None,
    to: Annotated[str | None, typer.Option(metavar="URL", help="The PostgreSQL database to copy into.")] = None,
    origin: Annotated[
        str | None, typer.Option("--from", metavar="URL", help="The PostgreSQL database to copy from, into files here.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Copy campaigns between this workspace and a PostgreSQL database, with all of them the service's accounts too, and
    compare the copies row by row. What is copied stays where it was; what is there already is left as it is. Exit 1
    when a copy differs."""
    if (to is None) == (origin is None):
        raise SettingsError("say where to copy", hint="give either --to URL or --from URL")
    with closing(PostgresStore(to or origin or "")) as store:
        opened = bootstrap.open_app()
        here, there = opened.campaigns, bootstrap.open_app(elsewhere=store).campaigns
        source, target = (here, there) if to is not None else (there, here)
        done = [copy_campaign(source, target, name) for name in _ids(source, campaign_id)]
        if campaign_id is None:
            places = FileAccounts(opened.workspace.accounts), PostgresAccounts(store)
            copied_accounts = copy_accounts(*places) if to is not None else copy_accounts(*reversed(places))
            done += [] if copied_accounts is None else [copied_accounts]
    if as_json:
        show_json([{**asdict(copied), "is_equal": copied.is_equal} for copied in done])
    else:
        rows = [(copied.id, copied.turns, copied.rows, copied.told) for copied in done]
        show_table(("campaign", "turns", "rows", "copy"), rows, right=("turns", "rows"))
    if not all(copied.is_equal for copied in done):
        raise typer.Exit(1)


@app.command(epilog="Example: lorewright db backup /mnt/backups/lorewright")
def backup(
    folder: Annotated[Path, typer.Argument(help="Where to write it; the next backup there writes what has changed.")],
    as_json: AsJson = False,
) -> None:
    """Back up all campaigns, with the texts of their packs, and the service's accounts, also while they are played.
    Exit 1 when a campaign is damaged: its last backup is kept."""
    opened = open_app()
    with progress_bar() as progress:
        _show_saved(back_up(opened.campaigns, _accounts(opened), folder, progress), as_json=as_json)


@app.command(epilog="Example: lorewright db restore /mnt/backups/lorewright")
def restore(
    folder: Annotated[Path, typer.Argument(help="The folder that `db backup` wrote.")],
    as_json: AsJson = False,
) -> None:
    """Bring campaigns and accounts back from a backup, of whichever store. What is there already stays as it is. Exit 1
    when a file of the backup is damaged; the others are restored."""
    opened = open_app()
    with progress_bar() as progress:
        _show_saved(restore_backup(opened.campaigns, _accounts(opened), folder, progress), as_json=as_json)


def _accounts(opened: App) -> AccountsPlace:
    postgres = opened.postgres
    return FileAccounts(opened.workspace.accounts) if postgres is None else PostgresAccounts(postgres)


def _show_saved(saved: Iterable[Saved], *, as_json: bool) -> None:
    found = list(saved)
    if as_json:
        show_json([asdict(each) for each in found])
    else:
        rows = [(each.id, each.outcome, each.problem) for each in found]
        show_table(("campaign", "backup", "why"), rows)
    if any(each.outcome == "failed" for each in found):
        raise typer.Exit(1)


def _ids(campaigns: Campaigns, campaign_id: str | None) -> list[str]:
    return campaigns.ids() if campaign_id is None else [campaign_id]


def _show(campaign_id: str, checked: CampaignCheck) -> None:
    if checked.clean:
        say(f"{campaign_id}: {checked.turns} turns, all is well", style="green")
        for note in checked.notes:
            say(f"  note: {note.where}: {note.what} ({note.hint})", style="dim")
        return
    say(f"{campaign_id}: {len(checked.findings)} findings in {checked.turns} turns", style="bold red")
    show_table(("code", "where", "what"), [(finding.code, finding.where, finding.what) for finding in checked.findings])
    for hint in dict.fromkeys(finding.hint for finding in checked.findings):
        say(f"  to do: {hint}", style="cyan")
