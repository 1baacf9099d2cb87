"""lorewright mcp: the world for other programs, over the Model Context Protocol."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from lorewright.cli.database import database_address
from lorewright.cli.output import note
from lorewright.extras import require_extra
from lorewright.logs import configure_logging

EXAMPLES = {"mcp": "Example: lorewright mcp --campaign friday --as player"}


def mcp(
    campaign: Annotated[str | None, typer.Option(help="Serve this campaign alone; else all of the workspace.")] = None,
    viewer: Annotated[str, typer.Option("--as", help="Whose view: gm, player, npc:ID or pc:ID.")] = "gm",
    read_only: Annotated[bool, typer.Option("--read-only", help="Offer nothing that changes anything.")] = False,
    http: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Serve over HTTP, at /mcp, in place of stdin and stdout.")
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="A name by which clients elsewhere call this machine (may be repeated); needs a token."),
    ] = None,
    log_level: Annotated[
        str | None,
        typer.Option(metavar="LEVEL", help="Log events to stderr: debug, info, warning or error; info:json for JSON."),
    ] = None,
) -> None:
    """Serve lore and campaigns to other programs over the Model Context Protocol.

    A client starts this command and talks to it on stdin and stdout; with --http it is found at http://HOST:PORT/mcp.
    A player or character is shown only what they may see; only a game master can change anything.
    """
    configure_logging(log_level, os.environ)
    require_extra("mcp", needed_by="lorewright mcp")
    # The protocol's library takes two seconds to import, and no other command needs it.
    from lorewright.service.server import serve

    served = serve(
        campaign_id=campaign,
        viewer=viewer,
        read_only=read_only,
        http=http,
        allowed=allow_host or (),
        database=database_address(),
        environ=os.environ,
        say=note,
    )
    served()
