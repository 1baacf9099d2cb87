"""A desk -> an MCP server, and the server over stdio: one client, which started us and reads our stdout."""

from __future__ import annotations

from typing import Any

from mcp.server import MCPServer

from lorewright import __version__
from lorewright.service.desk import Desk
from lorewright.service.pen import Pen
from lorewright.service.prompts import PromptServer, add_prompts
from lorewright.service.resources import add_resources
from lorewright.service.tools import add_judging_tools, add_reading_tools, add_writing_tools


def make_server(desk: Desk, *, read_only: bool = False) -> MCPServer[Any]:
    """The server for a desk. It has tools that write only for a game master, and not where it is `read_only`."""
    writes = desk.viewer.is_gm and not read_only
    server: MCPServer[Any] = PromptServer(
        "lorewright",
        title="Lorewright",
        version=__version__,
        instructions=_instructions(desk, writes=writes),
        # What is well goes unsaid: a client's log shows what we write to stderr.
        log_level="WARNING",
    )
    add_reading_tools(server, desk)
    if desk.viewer.is_gm:
        add_judging_tools(server, Pen(desk))
    if writes:
        add_writing_tools(server, Pen(desk))
    add_resources(server, desk, writes=writes)
    add_prompts(server, desk)
    return server


def serve_stdio(server: MCPServer[Any]) -> None:
    """Answer until the client closes stdin. Nothing but the protocol is written to stdout."""
    server.run()


def _instructions(desk: Desk, *, writes: bool) -> str:
    eyes = {
        "gm": "You look with the game master's eyes: answers hold secrets that players must not be told.",
        "player": "You look with the player's eyes: what was not found out yet is in no answer.",
    }.get(
        desk.viewer.name, f"You look with the eyes of {desk.viewer.name.removeprefix('npc:')}: you know what they know."
    )
    served = (
        "list_campaigns tells which games there are; most tools ask for one."
        if desk.campaign_id is None
        else f"All tools are about the campaign {desk.campaign_id}."
    )
    writing = (
        " apply_ops changes the world, as a turn of its own; get_state has the IDs that it asks for, preview_ops shows "
        "what would come of it."
        if writes
        else " Nothing can be changed from here."
    )
    return (
        "Lorewright keeps the lore of a world in packs of Markdown and the games that are played in it. Ask query_lore "
        f"before you tell anything about the world. {eyes} {served}{writing}"
    )
