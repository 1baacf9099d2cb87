"""lorewright indexer: installs the packs that are sent to services, in a process of its own."""

from __future__ import annotations

import asyncio
import os
from typing import Annotated

import typer

from lorewright.cli.database import database_address
from lorewright.cli.opening import open_app
from lorewright.cli.output import note
from lorewright.errors import SettingsError
from lorewright.extras import require_extra
from lorewright.logs import configure_logging

EXAMPLES = {"indexer": "Example: lorewright indexer --database postgresql://lorewright@db.example.org/lorewright"}


def indexer(
    lore: Annotated[
        str | None,
        typer.Option(
            envvar="LOREWRIGHT_LORE", metavar="URL", help="Push what was installed there: file:///mnt/lore or s3://…"
        ),
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="Stop when nothing waits.")] = False,
    log_level: Annotated[
        str | None,
        typer.Option(metavar="LEVEL", help="Log events to stderr: debug, info, warning or error; info:json for JSON."),
    ] = None,
) -> None:
    """Install the packs that are sent to `lorewright serve --indexers`, one after the other.

    Several may run, each in a workspace of its own or in one that they share. Ctrl+C, or SIGTERM, stops it; a job that
    it was doing is done by another, or when it is started again.
    """
    configure_logging(log_level, os.environ)
    require_extra("indexer", needed_by="lorewright indexer")
    database = database_address()
    if database is None:
        raise SettingsError("packs wait for indexers in PostgreSQL", hint="give --database URL")
    # The service's libraries take a second to import, and few commands need them.
    from lorewright.service.web.indexing.indexer import Indexer

    app = open_app()
    # Nobody sits at a terminal: what was not agreed to beforehand is refused.
    app.campaigns.hold_to_trust()
    working = Indexer(database, app.workspace.root, lore_url=lore)
    note("waiting for packs to install; Ctrl+C stops it" if not once else "installing the packs that wait")
    asyncio.run(working.run(is_once=once))
