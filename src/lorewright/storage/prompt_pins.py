"""Which version of each prompt a campaign uses."""

from __future__ import annotations

from collections.abc import Mapping

from lorewright.storage.database import Database


def prompt_pins(database: Database) -> dict[str, str]:
    """Name -> version of every prompt that is pinned; the newest is used of any other."""
    return {row["name"]: row["version"] for row in database.rows("SELECT name, version FROM prompt_pins ORDER BY name")}


def pin_prompts(database: Database, versions: Mapping[str, tuple[str, str]]) -> None:
    """From now on these versions are used: name -> (version, content hash)."""
    sql = """INSERT INTO prompt_pins (campaign_id, name, version, content_hash)
             SELECT id, ?, ?, ? FROM campaigns WHERE true
             ON CONFLICT (campaign_id, name) DO UPDATE SET version = excluded.version,
             content_hash = excluded.content_hash"""
    with database.transaction() as connection:
        for name, (version, content_hash) in sorted(versions.items()):
            connection.execute(sql, (name, version, content_hash))
