"""Queries -> an MCP server, and the server over stdio: one client, which started it and reads its stdout."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from mcp.server import MCPServer

from lorewright import __version__
from lorewright.bootstrap import open_app
from lorewright.errors import SettingsError
from lorewright.logs import log_event
from lorewright.service.http import TOKEN_VARIABLE, address_of, http_app, run
from lorewright.service.play_tools import PlayTools
from lorewright.service.prompts import PromptServer, add_prompts, add_resources
from lorewright.service.queries import Queries
from lorewright.service.tools import add_judging_tools, add_playing_tools, add_reading_tools, add_writing_tools
from lorewright.service.write_tools import WriteTools
from lorewright.trust import ask_with
from lorewright.visibility import Viewer


def make_server(queries: Queries, *, read_only: bool = False) -> MCPServer[Any]:
    """Return the server for `queries`. Unless it is `read_only` it has tools that play, for players and a game master,
    and those that change the world, for the latter alone."""
    writes = queries.viewer.is_gm and not read_only
    plays = not read_only and (queries.viewer.is_gm or queries.viewer.is_player)
    server: MCPServer[Any] = PromptServer(
        "lorewright",
        title="Lorewright",
        version=__version__,
        instructions=_instructions(queries, writes=writes, plays=plays),
        # A client's log shows stderr, so only warnings are logged.
        log_level="WARNING",
    )
    add_reading_tools(server, queries)
    if queries.viewer.is_gm:
        add_judging_tools(server, WriteTools(queries))
    if plays:
        add_playing_tools(server, PlayTools(queries))
    if writes:
        add_writing_tools(server, WriteTools(queries))
    add_resources(server, queries, writes=writes)
    add_prompts(server, queries)
    return server


def serve_stdio(server: MCPServer[Any]) -> None:
    """Serve until the client closes stdin. Nothing but the protocol is written to stdout."""
    server.run()


def _instructions(queries: Queries, *, writes: bool, plays: bool) -> str:
    eyes = {
        "gm": "You look with the game master's eyes: answers hold secrets that players must not be told.",
        "player": "You look with the player's eyes: what was not found out yet is in no answer.",
    }.get(
        queries.viewer.name,
        f"You look with the eyes of {queries.viewer.id}: you know what they know.",
    )
    served = (
        "list_campaigns tells which games there are; most tools ask for one."
        if queries.campaign_id is None
        else f"All tools are about the campaign {queries.campaign_id}."
    )
    writing = (
        " apply_ops changes the world, as a turn of its own; get_state has the IDs that it asks for, preview_ops shows "
        "what would come of it."
        if writes
        else " The world changes by play alone."
        if plays
        else " Nothing can be changed from here."
    )
    playing = " take_turn plays a turn for the player; tell what it answers, and make up nothing." if plays else ""
    return (
        "Lorewright keeps the lore of a world in packs of Markdown and the games that are played in it. Ask query_lore "
        f"before you tell anything about the world. {eyes} {served}{playing}{writing}"
    )


# The options of the command line -> a server that is ready to run. Errors are found before the first client comes.


def serve(
    *,
    campaign_id: str | None,
    viewer: str,
    read_only: bool,
    http: str | None,
    allowed: Sequence[str],
    environ: Mapping[str, str],
    say: Callable[[str], None],
    database: str | None = None,
) -> Callable[[], None]:
    """Make everything ready and return a function that serves until the client leaves or the process is stopped. `say`
    tells people the server's address: never on stdout, which belongs to the protocol. `database` is the address of the
    PostgreSQL that keeps the campaigns, if it does.

    Raises:
        NotFound: there is no such campaign, or no such character in it.
        SettingsError: there is no such viewer, or the address cannot be served as it is.
        NotTrusted: the workspace's embedder may not be used.
    """
    opened = open_app(long_lived=True, database=database)
    # Trust is settled now: nobody is there to be asked when a client comes.
    opened.campaigns.hold_to_trust()
    ask_with(None)
    queries = Queries(opened, Viewer(viewer), campaign_id)
    server = make_server(queries, read_only=read_only)
    if http is None:
        if allowed:
            raise SettingsError("--allow-host is for --http", hint="give --http HOST:PORT as well, or leave it out")
        return partial(_logged, partial(serve_stdio, server), "stdio", queries)
    address = address_of(http)
    app = http_app(server, address, allowed=allowed, token=environ.get(TOKEN_VARIABLE))
    say(f"serving at {address.url} as {viewer}; Ctrl+C stops it")
    return partial(_logged, partial(run, app, address), "http", queries)


def _logged(serving: Callable[[], None], transport: str, queries: Queries) -> None:
    # Of a character only the kind is logged: an ID may name somebody who is hidden.
    viewer = queries.viewer.kind
    log_event(
        "started", process="mcp", transport=transport, viewer=viewer, campaign=queries.campaign_id, version=__version__
    )
    try:
        serving()
    finally:
        log_event("stopped", process="mcp")
        queries.app.close()
