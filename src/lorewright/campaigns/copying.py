"""A campaign in one store -> the same campaign in another, compared row by row."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.checks import CampaignCheck, Migrated, check, migrate_file
from lorewright.campaigns.store import StoredPackTexts, new_file
from lorewright.errors import DamagedFile, LorewrightError, NotFound
from lorewright.ids import canonical_json
from lorewright.ids import content_hash as hash_of_text
from lorewright.storage.campaign_tables import CAMPAIGN_MIGRATIONS
from lorewright.storage.database import Database
from lorewright.storage.integrity import RESTORE, IntegrityFinding, Refused
from lorewright.storage.tables import Table, migrate, read_tables, write_tables
from lorewright.turn.store.projection import bring_projection_up


@dataclass(frozen=True, slots=True)
class CampaignCopy:
    """A campaign that was copied: how many turns and rows it has, and the hashes of both; `is_new` where the copy was
    made now, and not there before."""

    id: str
    turns: int
    rows: int
    hash: str
    hash_of_copy: str
    is_new: bool

    @property
    def is_equal(self) -> bool:
        """Tell whether both have the same rows."""
        return self.hash == self.hash_of_copy

    @property
    def told(self) -> str:
        """The outcome in words."""
        if self.is_equal:
            return "made, and equal row by row" if self.is_new else "there already, and equal"
        return "made, and DIFFERENT" if self.is_new else "there already, and different: left as it is"


def copy_campaign(source: Campaigns, target: Campaigns, campaign_id: str) -> CampaignCopy:
    """Copy a campaign whole, in one transaction, and compare the two. One that is in the target stays as it is. The
    texts of its packs lie in the workspace, which both use.

    Raises:
        NotFound: the source has no such campaign.
        DamagedFile, FileUnavailable: one of the two cannot be read or written; nothing was copied.
    """
    if not source.shelf.holds(campaign_id):
        raise NotFound(f"there is no campaign {campaign_id}", hint="see: lorewright campaign list")
    with source.reading(campaign_id) as store:
        tables = read_tables(store.database)
    is_new = not target.shelf.holds(campaign_id)
    if is_new:
        place = target.shelf.place(campaign_id)
        if isinstance(place, Path):
            _write_file(tables, place, campaign_id)
        else:
            write_tables(place, tables, campaign_id=campaign_id, was=campaign_id)
    with target.reading(campaign_id) as other:
        hash_of_copy = _hash_of(read_tables(other.database))
    rows = {table.name: len(tuple(table.rows)) for table in tables}
    return CampaignCopy(campaign_id, rows["turns"], sum(rows.values()), _hash_of(tables), hash_of_copy, is_new)


def copy_tables(source: Database, target: Database, campaign_id: str) -> None:
    """Copy a campaign from one store into another in which it is not, in one transaction.

    Raises:
        FileExistsError: the other store has a campaign of that ID.
    """
    if target.row("SELECT id FROM campaigns") is not None:
        raise FileExistsError(campaign_id)
    write_tables(target, read_tables(source), campaign_id=campaign_id, was=campaign_id)


@contextmanager
def new_campaign(place: Path | Database, campaign_id: str) -> Iterator[Database]:
    """Open a new file that a campaign is written into and judged in. It gets its name when the block ends, and does not
    exist when that raises; for another store it is a temporary one, which is copied then.

    Raises:
        FileExistsError: there is a campaign of that ID.
    """
    if isinstance(place, Path):
        with new_file(place) as database:
            yield database
        return
    with tempfile.TemporaryDirectory() as folder, new_file(Path(folder) / f"{campaign_id}.db") as database:
        yield database
        copy_tables(database, place, campaign_id)


def hash_of_tables(database: Database) -> str:
    """Return the SHA-256 of a campaign's tables in their canonical form: the same in every store."""
    return _hash_of(read_tables(database))


def _hash_of(tables: Iterable[Table]) -> str:
    rows = [[table.name, list(table.columns), list(map(list, table.rows))] for table in tables]
    return hash_of_text(canonical_json(rows))


def check_campaign(campaigns: Campaigns, campaign_id: str) -> CampaignCheck:
    """Return everything that is wrong with a campaign, wherever it is kept, and with the texts that it pins.

    Raises:
        NotFound: there is no such campaign.
        DatabaseUnavailable: the database that keeps it does not answer.
    """
    campaigns.path(campaign_id)
    place = campaigns.shelf.place(campaign_id)
    if isinstance(place, Path):
        return check(place, campaigns.kept)
    return check_copy(place, campaign_id, campaigns.kept)


def check_copy(database: Database, campaign_id: str, kept: StoredPackTexts | None = None) -> CampaignCheck:
    """Return what is wrong with a campaign that is kept in another store than a file: a copy in a file is checked."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{campaign_id}.db"
        tables = read_tables(database)
        try:
            _write_file(tables, path, campaign_id)
        except (DamagedFile, Refused) as problem:
            what = f"its rows make no file: {problem}"
            return CampaignCheck(0, (IntegrityFinding("unreadable", campaign_id, what, RESTORE),))
        return check(path, kept)


def migrate_campaign(campaigns: Campaigns, campaign_id: str) -> Migrated:
    """Bring a campaign up to date where it is kept, and return what was done; see `migrate_file`. In a database that
    was done when it was connected to, for all of its campaigns.

    Raises:
        NotFound: there is no such campaign.
    """
    campaigns.path(campaign_id)
    place = campaigns.shelf.place(campaign_id)
    return migrate_file(place) if isinstance(place, Path) else Migrated()


def _write_file(tables: Sequence[Table], path: Path, campaign_id: str) -> None:
    with new_file(path) as database:
        migrate(database, CAMPAIGN_MIGRATIONS)
        write_tables(database, tables, campaign_id=campaign_id, was=campaign_id)
        # Where the head cannot be read, a check tells.
        with suppress(LorewrightError, ValueError, LookupError):
            bring_projection_up(database, anew=True)
