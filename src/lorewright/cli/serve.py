"""lorewright serve: tables in the browser, and their API."""

from __future__ import annotations

import os
from contextlib import ExitStack, closing
from typing import Annotated

import typer

from lorewright.cli.database import database_address
from lorewright.cli.output import note
from lorewright.errors import SettingsError
from lorewright.extras import require_extra
from lorewright.logs import configure_logging
from lorewright.settings import CAMPAIGN_ROOM_MB, TURNS_A_MINUTE
from lorewright.storage.postgres.store import PostgresStore

EXAMPLES = {"serve": "Example: lorewright serve --at 127.0.0.1:8000"}


def serve(
    at: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Where to listen; a port alone is of this machine.")
    ] = "127.0.0.1:8000",
    accounts: Annotated[
        bool, typer.Option("--accounts", help="Let people on other machines in; everybody signs in.")
    ] = False,
    public_url: Annotated[
        str | None, typer.Option(help="How browsers reach it, as in https://lore.example.org, behind a proxy.")
    ] = None,
    proxy: Annotated[
        bool, typer.Option("--proxy", help="A proxy on this machine says who asks: believe its headers.")
    ] = False,
    proxy_from: Annotated[
        list[str] | None,
        typer.Option(metavar="ADDRESS", help="A proxy elsewhere says who asks: believe it, by its address or network."),
    ] = None,
    drain: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", min=0, help="How long to answer on after SIGTERM, so that a proxy sees it leave."
        ),
    ] = 0.0,
    lore_model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY", help="A model that your chats with lore may ask, whatever it costs within [models.budget]."
        ),
    ] = None,
    lore: Annotated[
        str | None,
        typer.Option(
            envvar="LOREWRIGHT_LORE",
            metavar="URL",
            help="Fetch packs that are not installed, as `pack push` put them there: file:///mnt/lore or s3://bucket/prefix.",
        ),
    ] = None,
    lore_room: Annotated[
        float,
        typer.Option(
            envvar="LOREWRIGHT_LORE_ROOM", metavar="GB", min=0.0, help="How much of what was fetched is kept here."
        ),
    ] = 20.0,
    indexers: Annotated[
        bool,
        typer.Option(
            "--indexers",
            help="Leave the packs that are sent to `lorewright indexer` processes; needs --database.",
        ),
    ] = False,
    turns_a_minute: Annotated[
        int, typer.Option(metavar="N", min=1, help="How many turns each account may play in a minute.")
    ] = TURNS_A_MINUTE,
    campaign_room: Annotated[
        float,
        typer.Option(
            metavar="MB",
            min=1.0,
            help="How much memory open campaigns may take, about; those that were not asked for longest are closed.",
        ),
    ] = CAMPAIGN_ROOM_MB,
    log_level: Annotated[
        str | None,
        typer.Option(metavar="LEVEL", help="Log events to stderr: debug, info, warning or error; info:json for JSON."),
    ] = None,
) -> None:
    """Serve tables to browsers, with an API for programs.

    It prints a link that lets you in, once; from there you begin games and invite others. Ctrl+C, or SIGTERM, stops it
    when the turns that are being played have ended.
    """
    configure_logging(log_level, os.environ)
    require_extra("serve", needed_by="lorewright serve")
    database = database_address()
    if indexers and database is None:
        raise SettingsError("packs wait for indexers in PostgreSQL", hint="give --database URL, too")
    # The web server's libraries take a second to import, and no other command needs them.
    from lorewright.service.web.serving import make_service, open_lore_store, owner_link, run

    with ExitStack() as stack:
        elsewhere = None if database is None else stack.enter_context(closing(PostgresStore(database)))
        service = make_service(
            at,
            public_url=public_url,
            with_accounts=accounts,
            lore_models=lore_model or (),
            elsewhere=elsewhere,
            lore_store=None if lore is None else open_lore_store(lore, room_gb=lore_room),
            jobs_at=database if indexers else None,
            turns_a_minute=turns_a_minute,
            campaign_room_mb=campaign_room,
        )
        note(f"serving at {service.address.url}; Ctrl+C stops it")
        note(f"your link, for one use within 12 hours: {owner_link(service)}")
        run(service, at, behind_proxy=proxy, proxies=proxy_from or (), drain_s=drain)
