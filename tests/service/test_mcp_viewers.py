"""Nothing that a viewer may not see is readable over the protocol, by whatever way: answers, errors, lists, completions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.types import PromptReference, ResourceTemplateReference

from lorewright.bootstrap import App, open_app
from lorewright.world import ops as o
from lorewright.world.state import Entity, Fact
from support import harbour as h
from support.service_clients import asked, call, fail

# What somebody in the story has, and nobody else may know of: each with a word of its own.
LATENT, MANIFEST, MEMORY, HIDDEN_FACT, NOTE = "wolverine", "cormorant", "ocelot", "platypus", "narwhal"
OSK_PRIVATE = (LATENT, MANIFEST, MEMORY)
OWN_FILES = {
    **h.FILES,
    "npcs/watcher.md": """
        ---
        id: watcher
        type: npc
        visibility: gm
        aliases: [the basilisk]
        ---
        # The Basilisk

        Nobody knows that the watcher is a basilisk at all.
    """,
}
HIDDEN_ENTITY = "basilisk"
EVERYTHING = (*h.CANARIES, LATENT, MANIFEST, MEMORY, HIDDEN_FACT, NOTE, HIDDEN_ENTITY)

# What each may know before anything is found out, and after Osk told the player of the boat.
KNOWN: dict[str, set[str]] = {
    "player": set(),
    "npc:osk": {h.KNOWS, h.WITHHOLDS, MANIFEST, MEMORY},
    "npc:bea": {h.OTHER_KNOWS},
}
TOLD: dict[str, set[str]] = {
    "player": {h.KNOWS},
    "npc:osk": {h.KNOWS, h.WITHHOLDS, MANIFEST, MEMORY},
    "npc:bea": {h.OTHER_KNOWS},
}
WORDS = ("Osk", "Lin", "letter under the counter", "cellar", "watcher", "debt", "what is hidden", *EVERYTHING)


@pytest.fixture
def app(tmp_path: Path) -> App:
    root = h.write_workspace(tmp_path / "workspace")
    h.write_pack(root / "content_packs" / "harbour", OWN_FILES)
    app = open_app(root)
    app.campaigns.new("night_boat", campaign_id="game", seed=1)
    secret = Fact(id="game:secret", subject_id="harbour:osk", predicate="is", object=HIDDEN_FACT, visibility="gm")
    ops = (
        o.SetCharacterState(who="harbour:osk", name="grudge", value=LATENT, level=2),
        o.SetCharacterState(who="harbour:osk", name="mood", value=MANIFEST, level=8),
        o.Observe(who="harbour:osk", content=f"A {MEMORY} went by at noon.", importance=4),
        o.AddFact(fact=secret),
        o.AddEntity(entity=Entity(id="game:chest", type="item", name="chest"), at="harbour:quay"),
    )
    with app.campaigns.open("game") as campaign:
        campaign.edit(ops, action_id="secrets", note=f"a {NOTE} told me to")
    return app


async def everything(client: Client) -> str:
    """All that a client can get out of the server, whatever it tries, as one text."""
    found: list[str] = []

    async def attempt(what: Any) -> None:
        try:
            found.append((await what).model_dump_json())
        except MCPError as problem:
            found.append(str(problem))

    for uri in await _uris(client):
        await attempt(client.read_resource(uri))
    await attempt(client.list_resources())
    await attempt(client.list_resource_templates())
    await attempt(client.list_prompts())
    tools = (await client.list_tools()).tools
    found.append(json.dumps([tool.model_dump(mode="json") for tool in tools]))
    for tool in tools:
        for arguments in _arguments(tool.name):
            await attempt(client.call_tool(tool.name, arguments))
    for prompt in (await client.list_prompts()).prompts:
        for word in ("osk", "bea", "watcher", "harbour:watcher", "lin"):
            await attempt(client.get_prompt(prompt.name, {"entity": word} if prompt.name == "tell_me_about" else {}))
    for name in ("entity", "campaign", "pack"):
        for value in ("", "b", HIDDEN_ENTITY[:3]):
            reference = PromptReference(name="tell_me_about")
            await attempt(client.complete(reference, {"name": name, "value": value}))
            template = ResourceTemplateReference(uri="lorewright://lore/{pack}/{entity}")
            await attempt(client.complete(template, {"name": name, "value": value}, {"pack": "harbour"}))
    return "\n".join(found)


async def _uris(client: Client) -> list[str]:
    listed = [str(one.uri) for one in (await client.list_resources()).resources]
    people = ("osk", "bea", "lin", "watcher", "tavern", "quay")
    return [*listed, *(f"lorewright://lore/harbour/{one}" for one in people), "lorewright://ops"]


def _arguments(tool: str) -> Sequence[dict[str, Any]]:
    """Much that may be asked, without the words that are looked for: an error may say again what was asked."""
    words = [word for word in WORDS if word not in EVERYTHING]
    names = ("osk", "harbour:osk", "bea", "watcher", "harbour:watcher", "game:chest", "lin", "tavern")
    match tool:
        case "query_lore":
            filters = [{"text": "", "entity": [name]} for name in names] + [{"text": "", "location": "tavern"}]
            corpora = [{"text": word, "corpus": one} for word in words for one in ("authored", "history")]
            return [*corpora, *filters, *({"text": word, "limit": 50, "max_tokens": 20_000} for word in words)]
        case "get_entity":
            return [{"entity": name} for name in names]
        case "list_entities":
            return [{}, {"named": "w"}, {"type": "npc"}]
        case "get_scene":
            return [{}, *({"place": one} for one in ("tavern", "quay", "harbour:quay"))]
        case "get_transcript":
            return [{}, {"last": 50}]
        case "get_state":
            return [{}, {"parts": ["reveals", "characters", "observations", "facts"]}]
        case _:
            return [{}]


def seen(app: App, viewer: str, mode: str = "auto") -> set[str]:
    text = asked(app, everything, viewer=viewer, mode=mode).casefold()
    return {canary for canary in EVERYTHING if canary in text}


@pytest.mark.campaign
@pytest.mark.parametrize("viewer", sorted(KNOWN))
def test_before_anything_was_found_out_each_sees_what_is_theirs(app: App, viewer: str) -> None:
    assert seen(app, viewer) == KNOWN[viewer]


@pytest.mark.campaign
@pytest.mark.parametrize("viewer", sorted(TOLD))
def test_what_was_told_is_seen_by_whom_it_was_told_to(app: App, viewer: str) -> None:
    h.say(app, "ask Osk about Lin")
    assert seen(app, viewer, "legacy") == TOLD[viewer]


@pytest.mark.campaign
def test_a_game_master_sees_all_but_the_notes_of_the_record(app: App) -> None:
    assert seen(app, "gm") == set(EVERYTHING) - {NOTE}


def test_who_may_read_nothing_of_somebody_is_told_that_there_is_nobody(app: App) -> None:
    for viewer in ("player", "npc:bea"):
        hidden = fail(app, "get_entity", {"entity": "watcher"}, viewer=viewer)
        assert hidden.replace("watcher", "nobody") == fail(app, "get_entity", {"entity": "nobody"}, viewer=viewer)


def test_a_character_reads_only_what_it_was_there_for(app: App) -> None:
    h.say(app, "ask Osk about Lin", "go door", "look")
    turns = {
        viewer: {one["turn_no"] for one in call(app, "get_transcript", viewer=viewer)["messages"]}
        for viewer in ("player", "npc:osk", "npc:bea")
    }
    assert turns == {"player": {0, 2, 3, 4}, "npc:osk": {0, 2, 3}, "npc:bea": {3, 4}}


def test_a_character_elsewhere_sees_the_scene_where_it_is(app: App) -> None:
    assert call(app, "get_scene", viewer="npc:bea")["place"]["id"] == "harbour:quay"
    assert call(app, "get_state", viewer="npc:bea")["place"]["id"] == "harbour:quay"
    assert call(app, "get_state", viewer="npc:bea")["clocks"] == []


def test_queries_of_player_and_game_master_differ_by_what_is_secret(app: App) -> None:
    asked_for = {"text": "who sold her passage to the harbour master", "limit": 20}
    gm, player = (call(app, "query_lore", asked_for, viewer=viewer) for viewer in ("gm", "player"))
    assert h.WITHHOLDS in json.dumps(gm)
    assert h.WITHHOLDS not in json.dumps(player)
    assert len(player["chunks"]) < len(gm["chunks"])


@pytest.mark.campaign
def test_without_a_campaign_a_player_reads_open_lore_alone(app: App) -> None:
    text = asked(app, everything, viewer="player", campaign=None).casefold()
    assert [one for one in EVERYTHING if one in text] == []
