"""While workers are replaced one by one, one of the version before meets tables that a newer one has expanded."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from lorewright.bootstrap import open_app
from lorewright.campaigns.copying import check_copy, copy_campaign
from lorewright.campaigns.exchange import export, import_campaign
from lorewright.errors import SettingsError
from lorewright.storage.postgres.schema import EXPANDS, migrations
from lorewright.storage.postgres.store import PostgresStore
from support import harbour as h
from support.postgres_server import new_database

pytestmark = pytest.mark.server

# What a newer version may do while this one serves.
EXPANSION = (
    "ALTER TABLE turns ADD COLUMN mood TEXT",
    "ALTER TABLE campaigns ADD COLUMN colour TEXT NOT NULL DEFAULT 'grey'",
    "CREATE INDEX turns_by_mood ON turns (campaign_id, mood)",
    """CREATE TABLE moods (campaign_id TEXT COLLATE "C" REFERENCES campaigns (id) ON DELETE CASCADE, mood TEXT)""",
)


@pytest.fixture
def address(postgres: str) -> str:
    return new_database(postgres)


@pytest.fixture
def older(address: str) -> Iterator[PostgresStore]:
    with closing(PostgresStore(address)) as store:
        yield store


def expand(store: PostgresStore) -> None:
    with store.connection("game") as connection:
        for statement in EXPANSION:
            connection.execute(statement)
        connection.execute("INSERT INTO migrations (name) VALUES (%s)", (f"campaign_999_mood{EXPANDS}",))
        connection.execute("INSERT INTO moods VALUES ('game', 'glum')")


def test_a_worker_of_the_version_before_plays_on_and_starts_on_expanded_tables(
    older: PostgresStore, address: str, tmp_path: Path
) -> None:
    here = h.harbour(tmp_path)
    running = open_app(here.workspace.root, elsewhere=older)
    copy_campaign(here.campaigns, running.campaigns, "game")
    with running.campaigns.open("game") as campaign:
        # So often that statements are prepared, with the columns that there are.
        for number in range(8):
            asyncio.run(campaign.submit("look", action_id=f"a{number}"))
        expand(older)
        for number in range(8, 16):
            asyncio.run(campaign.submit("wait", action_id=f"a{number}"))
    with closing(PostgresStore(address)) as store:
        started = open_app(here.workspace.root, elsewhere=store)
        with started.campaigns.open("game") as campaign:
            asyncio.run(campaign.submit("wait", action_id="last"))
            assert campaign.store.position().turn_no == 17
            assert check_copy(campaign.store.database, "game", started.campaigns.kept).clean
        export(started.campaigns, "game", tmp_path / "game.lorewright")
        import_campaign(started.campaigns, tmp_path / "game.lorewright", campaign_id="again")
        # What this version does not know of goes with the campaign.
        started.campaigns.remove("game")
        with store.connection("game") as connection:
            assert connection.execute("SELECT count(*) FROM moods").fetchone() == (0,)


def test_a_worker_does_not_start_on_tables_that_a_newer_version_has_contracted(
    older: PostgresStore, address: str
) -> None:
    with older.connection("game") as connection:
        connection.execute("INSERT INTO migrations (name) VALUES ('campaign_999_mood')")
    with pytest.raises(SettingsError, match="newer version"):
        PostgresStore(address)


def test_the_migrations_that_expand_only_add() -> None:
    for name, statements in migrations().items():
        if name.endswith(EXPANDS):
            words = " ".join(statements).upper()
            assert not any(word in words for word in ("DROP ", "RENAME ", "DELETE ", "TRUNCATE ", "SET NOT NULL")), name
