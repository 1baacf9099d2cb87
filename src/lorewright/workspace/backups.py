"""Campaigns and accounts <-> a folder of backups: a file for each campaign, and one for accounts, of either store.

A campaign's file is what `campaign export` writes: every row, and the text of every pinned pack, each member with its
digest. So a backup of one store can be restored into another, and a folder from a stranger does no harm.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.copying import hash_of_tables
from lorewright.campaigns.exchange import export, import_campaign
from lorewright.errors import CampaignError, FileUnavailable, LorewrightError, NotFound
from lorewright.ids import canonical_json, is_id
from lorewright.packs.files import Progress
from lorewright.settings import ACCOUNTS_FILE
from lorewright.storage.database import Database
from lorewright.storage.enclosure import Enclosure
from lorewright.workspace.accounts_copies import ACCOUNTS, AccountsPlace

# What became of a campaign, or of the accounts.
Outcome = Literal["written", "unchanged", "restored", "there already", "failed"]
_SUFFIX = ".campaign"
_LIST = "backup.json"


@dataclass(frozen=True, slots=True)
class Saved:
    """A campaign or the accounts (`ACCOUNTS`), what became of it, and why not where it failed."""

    id: str
    outcome: Outcome
    problem: str = ""


def back_up(campaigns: Campaigns, accounts: AccountsPlace, folder: Path, on_progress: Progress) -> Iterator[Saved]:
    """Write every campaign, and the accounts where there are any, into a folder, which is made if it is missing; yield
    each when it is there. What has not changed since the last backup in the folder is left as it is, and what is no
    longer in the store stays. Each campaign is read from one snapshot, also while it is played.

    Raises:
        CampaignError: it is the folder of the campaigns.
        UnsafePath, FileUnavailable: the folder cannot be written; what was yielded is there.
    """
    if folder.resolve() == campaigns.folder.resolve():
        raise CampaignError(f"{folder} holds the campaigns", hint="choose a folder of its own, best on another disk")
    enclosure = Enclosure(folder)
    enclosure.make_folder(folder)
    known = _listed(enclosure)
    ids = campaigns.ids()
    try:
        for number, campaign_id in enumerate(ids):
            on_progress("backing up", number, len(ids))
            yield _back_up_one(campaigns, campaign_id, enclosure, known)
    finally:
        enclosure.write(enclosure.path(_LIST), canonical_json({"campaigns": known}).encode())
    if (data := accounts.read()) is not None:
        enclosure.write(enclosure.path(ACCOUNTS_FILE), data)
        yield Saved(ACCOUNTS, "written")


def _back_up_one(campaigns: Campaigns, campaign_id: str, enclosure: Enclosure, known: dict[str, str]) -> Saved:
    """Write a campaign's file where its rows are others than those of the `known` hash, which is then theirs."""
    path = enclosure.path(f"{campaign_id}{_SUFFIX}")
    try:
        with campaigns.reading(campaign_id) as store:
            now = hash_of_tables(store.database)
        if known.get(campaign_id) == now and path.is_file():
            return Saved(campaign_id, "unchanged")
        _export(campaigns, campaign_id, path, enclosure)
    except FileUnavailable:
        raise
    except LorewrightError as problem:
        return Saved(campaign_id, "failed", str(problem))
    # A turn that was committed in between is in the file, and has the campaign written again the next time.
    known[campaign_id] = now
    return Saved(campaign_id, "written")


def restore(campaigns: Campaigns, accounts: AccountsPlace, folder: Path, on_progress: Progress) -> Iterator[Saved]:
    """Bring every campaign of a folder of backups, and the accounts, into the store; yield each when it is there. What
    the store has already stays as it is.

    Raises:
        NotFound: there is no backup in the folder.
    """
    enclosure = Enclosure(folder)
    entries = enclosure.entries()
    files = [path for path in entries if path.suffix == _SUFFIX and is_id(path.stem)]
    if not files and not enclosure.path(ACCOUNTS_FILE).is_file():
        raise NotFound(f"there is no backup in {folder}", hint="give the folder that `db backup` wrote")
    for number, path in enumerate(files):
        on_progress("restoring", number, len(files))
        if campaigns.shelf.holds(path.stem):
            yield Saved(path.stem, "there already")
            continue
        try:
            import_campaign(campaigns, path, campaign_id=path.stem)
        except FileUnavailable:
            raise
        except LorewrightError as problem:
            yield Saved(path.stem, "failed", str(problem))
            continue
        yield Saved(path.stem, "restored")
    kept = enclosure.path(ACCOUNTS_FILE)
    if kept.is_file():
        yield _restored_accounts(kept, accounts)


def _restored_accounts(kept: Path, accounts: AccountsPlace) -> Saved:
    try:
        # As any file of a stranger's it is looked at before it is used.
        with closing(Database(kept)) as database:
            data = database.copied()
        is_new = accounts.fill(data)
    except FileUnavailable:
        raise
    except LorewrightError as problem:
        return Saved(ACCOUNTS, "failed", str(problem))
    return Saved(ACCOUNTS, "restored" if is_new else "there already")


def _export(campaigns: Campaigns, campaign_id: str, path: Path, enclosure: Enclosure) -> None:
    """Write a campaign's file in place of an earlier one, which stays where it cannot be."""
    making = enclosure.path(f".{campaign_id}{_SUFFIX}")
    enclosure.remove(making)
    try:
        export(campaigns, campaign_id, making)
        enclosure.move(making, path)
    finally:
        enclosure.remove(making)


def _listed(enclosure: Enclosure) -> dict[str, str]:
    """Return the hashes of the campaigns in a folder of backups; none where its list cannot be read, so that all are
    written anew."""
    path = enclosure.path(_LIST)
    try:
        data = json.loads(path.read_bytes()) if path.is_file() else {}
    except (OSError, ValueError):
        return {}
    found = data.get("campaigns") if isinstance(data, Mapping) else None
    return {str(key): str(value) for key, value in found.items()} if isinstance(found, Mapping) else {}
