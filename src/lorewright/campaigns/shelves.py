"""Where campaigns are kept: a file each in a folder, or rows of PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Protocol

from lorewright.campaigns.checks import damage_of
from lorewright.campaigns.store import pins_of
from lorewright.errors import NotFound, UnsafePath
from lorewright.ids import is_id
from lorewright.storage.database import Database, delete_unused
from lorewright.storage.enclosure import Enclosure
from lorewright.storage.integrity import all_pins
from lorewright.storage.postgres.store import PostgresStore
from lorewright.turn.store.store import CampaignStore
from lorewright.values.records import PackPin

_SUFFIX = ".db"
# What reading raises where a file is damaged: no JSON, no text, another shape. In a sound file each of these is a bug
# and is raised as it is.
_OF_DAMAGE = (ValueError, LookupError, TypeError, AttributeError, AssertionError, RecursionError)


class Shelf(Protocol):
    """A place for campaigns. IDs are checked by those who call."""

    def ids(self) -> list[str]:
        """Return the IDs of all campaigns, sorted."""
        ...

    def holds(self, campaign_id: str) -> bool:
        """Return True if there is a campaign of that ID."""
        ...

    def place(self, campaign_id: str) -> Path | Database:
        """Return where a campaign is, or would be: a file, or tables."""
        ...

    def told(self, campaign_id: str) -> str:
        """Return where a campaign is, in words for people."""
        ...

    def pins(self, campaign_id: str) -> tuple[PackPin, ...] | None:
        """Return the texts that a campaign pins on any branch; None where it cannot be read."""
        ...

    def opened(self, campaign_id: str, clock: Callable[[], str]) -> AbstractContextManager[CampaignStore]:
        """Open a campaign; it is closed when the block ends.

        Raises:
            NotFound: there is none of that ID.
            DamagedFile: it cannot be read.
        """
        ...

    def remove(self, campaign_id: str) -> None:
        """Delete a campaign.

        Raises:
            Busy: it is open elsewhere; nothing was deleted.
        """
        ...


class FileShelf:
    """Campaigns in files of a folder, by their IDs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def ids(self) -> list[str]:
        """Return the IDs of all campaigns, sorted, those included whose files are links and cannot be opened.

        Raises:
            UnsafePath: the folder of the campaigns is a link.
        """
        folder = Enclosure(self._folder).path()
        found = folder.iterdir() if folder.is_dir() else ()
        return sorted(path.stem for path in found if path.suffix == _SUFFIX and not path.name.startswith("."))

    def holds(self, campaign_id: str) -> bool:
        """Return True if there is a file of that ID."""
        return self.place(campaign_id).is_file()

    def place(self, campaign_id: str) -> Path:
        """Return where the file of a campaign is, or would be.

        Raises:
            UnsafePath: it, or the folder of the campaigns, is a link.
        """
        return Enclosure(self._folder).path(f"{campaign_id}{_SUFFIX}")

    def told(self, campaign_id: str) -> str:
        """Return the path of a campaign's file."""
        return str(self.place(campaign_id))

    def pins(self, campaign_id: str) -> tuple[PackPin, ...] | None:
        """Return the texts that a campaign pins on any branch; None where its file cannot be read."""
        try:
            return pins_of(self.place(campaign_id))
        except UnsafePath:
            return None

    @contextmanager
    def opened(self, campaign_id: str, clock: Callable[[], str]) -> Iterator[CampaignStore]:
        """Open a campaign's file.

        Raises:
            NotFound: there is none of that ID.
            DamagedFile: it cannot be read.
        """
        path = self.place(campaign_id)
        try:
            with closing(CampaignStore(path, clock=clock)) as store:
                yield store
        except _OF_DAMAGE:
            if (damage := damage_of(path)) is None:
                raise
            raise damage from None

    def remove(self, campaign_id: str) -> None:
        """Delete a campaign's file.

        Raises:
            Busy: it is open, here or in another process; nothing was deleted.
        """
        delete_unused(self.place(campaign_id))


class PostgresShelf:
    """Campaigns in PostgreSQL, which is asked for at the first of them."""

    def __init__(self, connect: Callable[[], PostgresStore]) -> None:
        self._connect = connect

    @cached_property
    def _store(self) -> PostgresStore:
        return self._connect()

    def ids(self) -> list[str]:
        """Return the IDs of all campaigns, sorted."""
        return self._store.ids()

    def holds(self, campaign_id: str) -> bool:
        """Return True if there is a campaign of that ID."""
        return self._store.holds(campaign_id)

    def place(self, campaign_id: str) -> Database:
        """Return the tables of a campaign, empty where there is none."""
        return self._store.database(campaign_id)

    def told(self, campaign_id: str) -> str:
        """Return the name of the database, and the campaign's in it."""
        return f"{campaign_id} in {self._store.name}"

    def pins(self, campaign_id: str) -> tuple[PackPin, ...]:
        """Return the texts that a campaign pins on any branch."""
        return tuple(PackPin(*row) for row in all_pins(self._store.database(campaign_id)) if is_id(row[0]))

    @contextmanager
    def opened(self, campaign_id: str, clock: Callable[[], str]) -> Iterator[CampaignStore]:
        """Open a campaign.

        Raises:
            NotFound: there is none of that ID.
        """
        if not self.holds(campaign_id):
            raise NotFound(f"there is no campaign {campaign_id}", hint="see: lorewright campaign list")
        with closing(CampaignStore(self._store.database(campaign_id), clock=clock)) as store:
            yield store

    def remove(self, campaign_id: str) -> None:
        """Delete a campaign with all that is stored of it."""
        self._store.remove(campaign_id)
