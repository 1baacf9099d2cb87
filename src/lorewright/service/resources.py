"""A desk -> the resources of the server: what a person attaches to a conversation. They say what the tools say."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError

from lorewright.errors import LorewrightError
from lorewright.ids import qualify
from lorewright.logs import logged_request
from lorewright.service.desk import MOST_TURNS, Desk
from lorewright.service.errors import told
from lorewright.service.pen import op_schema
from lorewright.service.rendering import entity_text, scene_text, transcript_text

SCHEME = "lorewright"
_MARKDOWN = "text/markdown"
_JSON = "application/json"


def add_resources(server: MCPServer[Any], desk: Desk, *, writes: bool) -> None:
    """The resources. Of the campaign that is served alone each is listed by its own URI; else they are templates."""
    campaign = "{campaign}" if desk.campaign_id is None else desk.campaign_id

    def state(campaign: str | None = None) -> str:
        found = desk.state(campaign_id=campaign)
        return json.dumps(found.model_dump(mode="json", exclude_none=True), ensure_ascii=False, indent=2)

    def scene(campaign: str | None = None) -> str:
        return scene_text(desk.scene(campaign_id=campaign))

    def transcript(campaign: str | None = None) -> str:
        return transcript_text(desk.transcript(campaign_id=campaign, last=MOST_TURNS))

    for reader, title, kind, what in (
        (state, "Where the story stands", _JSON, "The place, who is there, what is carried, clocks and threads."),
        (
            scene,
            "The scene at hand",
            _MARKDOWN,
            "What belongs to the scene: its atmosphere, who is there, what is known.",
        ),
        (transcript, "The story so far", _MARKDOWN, f"What was told in the last {MOST_TURNS} turns."),
    ):
        server.resource(
            f"{SCHEME}://campaign/{campaign}/{reader.__name__}",
            name=reader.__name__ if desk.campaign_id is None else f"{desk.campaign_id} {reader.__name__}",
            title=title,
            description=what,
            mime_type=kind,
        )(_telling(desk, reader if desk.campaign_id is None else _of_no_campaign(reader)))

    def packs() -> str:
        return desk.packs().model_dump_json(indent=2)

    def entity(pack: str, entity: str) -> str:
        return entity_text(desk.entity(qualify(pack, entity)))

    server.resource(
        f"{SCHEME}://packs", name="packs", title="Lore packs", description="The packs that are asked.", mime_type=_JSON
    )(_telling(desk, packs))
    server.resource(
        f"{SCHEME}://lore/{{pack}}/{{entity}}",
        name="entity",
        title="All that may be read of somebody or something",
        description="By pack and ID: its own file first, then what mentions it.",
        mime_type=_MARKDOWN,
    )(_telling(desk, entity))
    if writes:

        def ops() -> str:
            return json.dumps(op_schema(), indent=2)

        server.resource(
            f"{SCHEME}://ops",
            name="ops",
            title="The ops of apply_ops",
            description="The complete JSON Schema of every op.",
            mime_type=_JSON,
        )(ops)


def _telling(desk: Desk, function: Callable[..., str]) -> Callable[..., str]:
    @wraps(function)
    def told_of(*args: Any, **kwargs: Any) -> str:
        try:
            tool = f"resource:{function.__name__}"
            with logged_request(tool, campaign=desk.campaign_id, asked_for=kwargs.get("campaign")):
                return function(*args, **kwargs)
        except LorewrightError as error:
            raise ResourceNotFoundError(told(error, desk.app.workspace.root)) from None

    return told_of


def _of_no_campaign(function: Callable[..., str]) -> Callable[[], str]:
    def read() -> str:
        return function()

    read.__name__ = function.__name__
    return read
