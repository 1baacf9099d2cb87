"""Rows of the table `prompt_pins`, with the texts that they stand for: plain values in, plain values out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lorewright.storage.database import Database


@dataclass(frozen=True, slots=True)
class PromptPin:
    """Which version of a prompt a campaign uses, and its whole text as it was when it was pinned."""

    name: str
    version: str
    content_hash: str
    source: str


def prompt_pins(database: Database) -> tuple[PromptPin, ...]:
    """The pins of a campaign, by name."""
    rows = database.rows(
        """SELECT p.name, p.version, p.content_hash, t.source FROM prompt_pins p
           JOIN prompt_texts t ON t.campaign_id = p.campaign_id AND t.content_hash = p.content_hash ORDER BY p.name"""
    )
    return tuple(PromptPin(*row) for row in rows)


def kept_prompt(database: Database, content_hash: str) -> PromptPin | None:
    """A prompt that was used or pinned, by its hash, or None where its text is not kept."""
    row = database.row(
        "SELECT name, version, content_hash, source FROM prompt_texts WHERE content_hash = ?", content_hash
    )
    return None if row is None else PromptPin(*row)


def pin_prompts(database: Database, pins: Iterable[PromptPin]) -> None:
    """Pin versions of prompts, each in place of the one that was pinned before, and keep their texts."""
    with database.transaction() as connection:
        (campaign_id,) = connection.execute("SELECT id FROM campaigns").fetchone()
        for sql, parameters in pinning(campaign_id, pins):
            connection.execute(sql, parameters)


def pinning(campaign_id: str, pins: Iterable[PromptPin]) -> list[tuple[str, tuple[str, ...]]]:
    """The statements that pin versions of prompts."""
    statements: list[tuple[str, tuple[str, ...]]] = []
    for pin in pins:
        text = (campaign_id, pin.content_hash, pin.name, pin.version, pin.source)
        statements.append(("INSERT OR IGNORE INTO prompt_texts VALUES (?, ?, ?, ?, ?)", text))
        sql = """INSERT INTO prompt_pins VALUES (?, ?, ?, ?) ON CONFLICT (campaign_id, name)
                 DO UPDATE SET version = excluded.version, content_hash = excluded.content_hash"""
        statements.append((sql, (campaign_id, pin.name, pin.version, pin.content_hash)))
    return statements


def unpin_prompt(database: Database, name: str) -> None:
    """Let a prompt go by its newest version again; the text of the old one is kept."""
    with database.transaction() as connection:
        connection.execute("DELETE FROM prompt_pins WHERE name = ?", (name,))
