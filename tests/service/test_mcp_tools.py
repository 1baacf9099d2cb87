"""The tools, resources and prompts of the server: what a client is told of them, and what they answer to anybody."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, PromptReference, ResourceTemplateReference

from lorewright.bootstrap import App
from lorewright.errors import NotFound, SettingsError
from lorewright.service.queries import Queries
from lorewright.turn.run import editing
from lorewright.visibility import Viewer
from support import harbour as h
from support.service_clients import MODES, asked, call, fail

READING = {
    *("list_packs", "list_campaigns", "query_lore", "get_entity", "list_entities"),
    *("get_state", "get_scene", "get_transcript"),
}
PLAYING = {"take_turn", "moves"}
WRITING = {"apply_ops", "accept_review", "reject_review"}
# Nothing is changed by these either; but they look at what is a game master's to judge.
JUDGING = {"preview_ops", "list_reviews", "get_lorebook"}


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> App:
    """A campaign of which everybody asks and which nobody changes."""
    app = h.harbour(tmp_path_factory.mktemp("tools"))
    h.say(app, "look", "ask Osk about Lin", "go door")
    return app


async def tools_of(client: Client) -> dict[str, Any]:
    return {tool.name: tool for tool in (await client.list_tools()).tools}


@pytest.mark.parametrize("mode", MODES)
def test_a_client_finds_the_tools_with_titles_texts_and_both_schemas(app: App, mode: str) -> None:
    tools = asked(app, tools_of, mode=mode)
    assert set(tools) == READING | PLAYING | WRITING | JUDGING
    for tool in tools.values():
        assert tool.title
        assert len(tool.description) > 30
        assert tool.output_schema["type"] == "object"
        for name, field in tool.input_schema["properties"].items():
            assert field.get("description") or name == "campaign", (tool.name, name)


def test_tools_say_whether_they_change_anything(app: App) -> None:
    for name, tool in asked(app, tools_of).items():
        hints = tool.annotations
        assert hints.read_only_hint is (name not in WRITING | PLAYING)
        assert hints.destructive_hint is (name in WRITING | PLAYING)
        assert hints.idempotent_hint
        assert hints.open_world_hint is False


@pytest.mark.parametrize(
    ("viewer", "read_only", "plays"),
    [("player", False, True), ("npc:osk", False, False), ("gm", True, False), ("player", True, False)],
)
def test_only_a_game_master_who_may_write_has_tools_that_write(
    app: App, viewer: str, read_only: bool, plays: bool
) -> None:
    tools = set(asked(app, tools_of, viewer=viewer, read_only=read_only))
    assert tools == READING | (JUDGING if viewer == "gm" else set()) | (PLAYING if plays else set())
    told = fail(app, "apply_ops", {"ops": [{"op": "advance_time", "minutes": 5}]}, viewer=viewer, read_only=read_only)
    assert "Unknown tool" in told
    with app.campaigns.reading("game") as store:
        assert len(store.turns()) == 4


def test_a_campaign_is_asked_for_only_where_none_is_served_alone(app: App) -> None:
    for campaign in ("game", None):
        tools = asked(app, tools_of, campaign=campaign)
        asking = {name for name, tool in tools.items() if "campaign" in tool.input_schema["properties"]}
        assert asking == (set() if campaign else (set(tools) - {"list_packs", "list_campaigns"}))


def test_without_a_campaign_packs_are_asked_and_a_campaign_can_be_named(app: App) -> None:
    assert call(app, "list_campaigns", campaign=None)["campaigns"][0]["id"] == "game"
    everything = call(app, "query_lore", {"text": "Lin"}, campaign=None)
    assert {one["source"] for one in everything["chunks"]} == {"authored"}
    of_the_game = call(app, "query_lore", {"text": "who answered about Lin", "campaign": "game"}, campaign=None)
    assert "history" in {one["source"] for one in of_the_game["chunks"]}
    assert "no campaign is named" in fail(app, "get_state", campaign=None)


def test_of_another_campaign_than_the_one_that_is_served_nothing_is_told(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    h.say(app, "look")
    app.campaigns.new("night_boat", campaign_id="other", seed=2)
    assert [one["id"] for one in call(app, "list_campaigns")["campaigns"]] == ["game"]
    # It is no argument of the tool: what is sent of it is not looked at.
    assert call(app, "get_state", {"campaign": "other"})["turn_no"] == 1
    with pytest.raises(NotFound):
        Queries(app, Viewer("gm"), "game").state(campaign_id="other")


def test_names_do_where_ids_do(app: App) -> None:
    assert call(app, "get_entity", {"entity": "the landlord"}) == call(app, "get_entity", {"entity": "harbour:osk"})
    assert "did you mean Osk [harbour:osk]?" in fail(app, "get_entity", {"entity": "Oskk"})


def test_filters_and_places_are_named_as_well(app: App) -> None:
    by_id = {"text": "Lin", "location": "tavern", "entity": ["osk"]}
    by_name = {"text": "Lin", "location": "The Tavern", "entity": ["the Landlord"]}
    assert call(app, "query_lore", by_name) == call(app, "query_lore", by_id)
    assert call(app, "get_scene", {"place": "the quay"})["place"]["id"] == "harbour:quay"
    assert "did you mean The Quay [harbour:quay]?" in fail(app, "get_scene", {"place": "the quayy"})


def test_lore_is_found_with_its_sources_and_bounded_as_asked(app: App) -> None:
    found = call(app, "query_lore", {"text": "where did Lin go", "limit": 1})
    (chunk,) = found["chunks"]
    assert chunk["file_path"] == "npcs/lin.md"
    assert len(call(app, "query_lore", {"text": "Lin", "limit": 3})["chunks"]) > 1
    assert call(app, "query_lore", {"text": "Lin", "max_tokens": 5})["total_tokens"] <= 5


def test_what_is_asked_wrongly_is_told_with_a_code_and_a_hint(app: App) -> None:
    told = fail(app, "query_lore", {"text": "  "})
    assert "settings_invalid: nothing was asked" in told
    assert "Hint: " in told
    assert "not_found: " in fail(app, "get_entity", {"entity": "nobody"})
    assert "not_found: " in fail(app, "query_lore", {"text": "Lin", "pack": ["none"]}, campaign=None)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("query_lore", {}),
        ("query_lore", {"text": "Lin", "corpus": "secrets"}),
        ("query_lore", {"text": "Lin", "limit": -1}),
        ("query_lore", {"text": "Lin", "limit": 10**9}),
        ("query_lore", {"text": "x" * 100_000}),
        ("query_lore", {"text": ["Lin"]}),
        ("list_entities", {"type": "dragon"}),
        ("get_transcript", {"last": 0}),
        ("get_transcript", {"before_turn": -3}),
        ("get_state", {"parts": ["recall"]}),
        ("get_entity", {"entity": ""}),
        ("get_entity", {"entity": None}),
    ],
)
def test_arguments_that_do_not_fit_the_schema_are_refused_without_a_trace(
    app: App, tool: str, arguments: dict[str, Any]
) -> None:
    told = fail(app, tool, arguments)
    assert "Traceback" not in told
    assert str(app.workspace.root) not in told


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd",
        "harbour:osk:knows#boat",
        "'; DROP TABLE turns; --",
        "\x00",
        "🦆" * 50,
        "npc:osk",
        ":",
        "::",
        "*",
    ],
)
def test_names_that_are_none_are_not_found_and_nothing_else_happens(app: App, name: str) -> None:
    assert "not_found" in fail(app, "get_entity", {"entity": name})
    assert "not_found" in fail(app, "get_scene", {"place": name})
    if name != "\x00":
        assert "not_found" in fail(app, "get_state", {"campaign": name}, campaign=None)
    with app.campaigns.reading("game") as store:
        assert len(store.turns()) == 4


def test_a_message_of_ours_names_no_folder_of_the_machine(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    (app.workspace.campaigns / "broken.db").write_bytes(
        b"this is no database at all, and long enough to be read as one"
    )
    told = fail(app, "get_state", {"campaign": "broken"}, campaign=None)
    assert str(app.workspace.root) not in told
    assert str(Path.home()) not in told.replace("/root", str(Path.home())) or Path.home() == Path("/")


def test_the_state_says_where_the_story_stands_and_its_parts_can_be_named(app: App) -> None:
    state = call(app, "get_state")
    assert (state["place"]["id"], [one["id"] for one in state["present"]]) == ("harbour:quay", ["harbour:bea"])
    assert "facts" not in state["world"]
    assert set(call(app, "get_state", {"parts": ["facts", "positions"]})["world"]) == {"facts", "positions"}


def test_a_game_master_looks_at_another_place(app: App) -> None:
    here, there = call(app, "get_scene"), call(app, "get_scene", {"place": "tavern"})
    assert (here["place"]["id"], there["place"]["id"]) == ("harbour:quay", "harbour:tavern")
    assert [one["id"] for one in there["present"]] == ["harbour:osk"]
    assert h.DISCOVERABLE in json.dumps(there)


def test_a_transcript_is_read_page_by_page(app: App) -> None:
    pages: list[int] = []
    before: int | None = None
    while True:
        found = call(app, "get_transcript", {"last": 2} | ({} if before is None else {"before_turn": before}))
        pages = sorted({one["turn_no"] for one in found["messages"]}) + pages
        before = found["earlier"]
        if before is None:
            break
    assert pages == [0, 1, 2, 3]


def test_resources_say_what_tools_say(app: App) -> None:
    async def read(client: Client) -> dict[str, str]:
        listed = [str(one.uri) for one in (await client.list_resources()).resources]
        uris = [*listed, "lorewright://lore/harbour/osk"]
        return {uri: (await client.read_resource(uri)).contents[0].text for uri in uris}  # type: ignore[union-attr]

    texts = asked(app, read)
    assert set(texts) == {
        *(f"lorewright://campaign/game/{one}" for one in ("state", "scene", "transcript")),
        *("lorewright://packs", "lorewright://ops", "lorewright://lore/harbour/osk"),
    }
    state = json.loads(texts["lorewright://campaign/game/state"])
    assert state["place"] == call(app, "get_state")["place"]
    assert "Gulls walk" in texts["lorewright://campaign/game/scene"]
    assert "## Turn 3" in texts["lorewright://campaign/game/transcript"]
    assert h.WITHHOLDS in texts["lorewright://lore/harbour/osk"]
    assert "{#" not in texts["lorewright://lore/harbour/osk"]
    kinds = json.loads(texts["lorewright://ops"])["items"]["discriminator"]["mapping"]
    assert "move" in kinds
    assert "recall" not in kinds


@pytest.mark.campaign
@pytest.mark.parametrize(
    "uri",
    [
        "lorewright://lore/harbour/nobody",
        "lorewright://lore/none/osk",
        "lorewright://campaign/none/state",
        "lorewright://campaign/../state",
        "lorewright://campaign/%2e%2e%2fx/state",
        "file:///etc/passwd",
    ],
)
def test_a_resource_that_is_none_is_an_error_that_tells_nothing(app: App, uri: str) -> None:
    async def read(client: Client) -> str:
        with pytest.raises(MCPError) as problem:
            await client.read_resource(uri)
        return str(problem.value)

    for campaign in ("game", None):
        told = asked(app, read, campaign=campaign)
        assert str(app.workspace.root) not in told
        assert "Traceback" not in told


def test_prompts_bring_along_what_they_ask_about(app: App) -> None:
    async def get(client: Client) -> dict[str, str]:
        names = {one.name: one for one in (await client.list_prompts()).prompts}
        assert all(one.title and one.description for one in names.values())
        given = {"tell_me_about": {"entity": "osk"}, "story_so_far": {"turns": "2"}}
        got = {name: await client.get_prompt(name, given.get(name, {})) for name in names}
        return {name: one.messages[0].content.text for name, one in got.items()}  # type: ignore[union-attr]

    texts = asked(app, get)
    assert set(texts) == {"brief_scene", "story_so_far", "tell_me_about"}
    assert "Place: The Quay." in texts["brief_scene"]
    assert "## Turn 3" in texts["story_so_far"]
    assert "## Turn 1" not in texts["story_so_far"]
    assert "Landlord of the tavern" in texts["tell_me_about"]
    assert all("invent nothing" in text for text in texts.values())


def test_arguments_are_completed(app: App) -> None:
    async def complete(client: Client) -> list[list[str]]:
        about = PromptReference(name="tell_me_about")
        lore = ResourceTemplateReference(uri="lorewright://lore/{pack}/{entity}")
        return [
            (await client.complete(about, {"name": "campaign", "value": "g"})).completion.values,
            (await client.complete(about, {"name": "entity", "value": "OSK"})).completion.values,
            (await client.complete(lore, {"name": "pack", "value": ""})).completion.values,
            (await client.complete(lore, {"name": "entity", "value": "o"}, {"pack": "harbour"})).completion.values,
            (await client.complete(about, {"name": "other", "value": ""})).completion.values,
        ]

    campaigns, entities, packs, of_the_pack, none = asked(app, complete, campaign=None)
    assert (campaigns, entities, packs, none) == (["game"], ["harbour:osk"], ["harbour"], [])
    assert of_the_pack == ["osk"]


@pytest.mark.parametrize("viewer", ["GM", "", "npc:", "npc:a:b:c", "npc:a b", "everyone"])
def test_an_unknown_viewer_is_refused(viewer: str) -> None:
    with pytest.raises(SettingsError):
        Viewer(viewer)


def test_a_campaign_or_a_character_that_is_not_there_is_found_out_at_once(app: App) -> None:
    for viewer, campaign in (("gm", "none"), ("npc:nobody", "game"), ("npc:lin", "game")):
        with pytest.raises(NotFound):
            Queries(app, Viewer(viewer), campaign)


@pytest.mark.parametrize(
    ("name", "given", "told"),
    [
        ("brief_scene", {"campaign": "game", "tone": "dry"}, "takes no argument tone; its arguments are: campaign"),
        ("brief_scene", {"x" * 5_000: "x"}, "takes no argument x"),
        ("tell_me_about", {}, "needs the argument entity"),
        ("tell_a_lie", {}, "there is no prompt tell_a_lie; there are: brief_scene"),
    ],
)
def test_a_prompt_asked_for_with_other_arguments_tells_which_it_has(
    app: App, caplog: pytest.LogCaptureFixture, name: str, given: dict[str, str], told: str
) -> None:
    async def ask(client: Any) -> MCPError:
        with pytest.raises(MCPError) as problem:
            await client.get_prompt(name, given)
        return problem.value

    problem = asked(app, ask, campaign=None)
    assert told in problem.error.message
    assert problem.error.code == INVALID_PARAMS
    assert len(problem.error.message) < 300
    assert not caplog.records


def test_the_manual_names_every_tool_resource_and_prompt_and_no_other(app: App) -> None:
    page = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text(encoding="utf-8")

    async def names(client: Client) -> tuple[set[str], set[str], set[str]]:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        prompts = {one.name for one in (await client.list_prompts()).prompts}
        listed = {str(one.uri) for one in (await client.list_resources()).resources}
        templates = {one.uri_template for one in (await client.list_resource_templates()).resource_templates}
        return tools, prompts, listed | templates

    tools, prompts, uris = asked(app, names)
    rows = set(re.findall(r"^\| `([a-z]+_[a-z]+|moves)` \|", page, re.MULTILINE))
    assert rows == tools
    assert all(f"`{prompt}`" in page for prompt in prompts)
    shown = {uri.replace("/game/", "/ID/").replace("{pack}", "PACK").replace("{entity}", "ENTITY") for uri in uris}
    assert {uri for uri in shown if f"`{uri}`" not in page} == set()


def test_the_manual_tells_every_reason_for_which_a_change_is_refused() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reasons.md").read_text(encoding="utf-8")
    source = (Path(editing.__file__)).read_text(encoding="utf-8")
    codes = {*re.findall(r'reason="([a-z_]+)"', source), *editing.HINTS}
    assert {"unknown_ending", "one_player", "nothing_to_change", "bookkeeping"} <= codes
    assert {code for code in codes if f"`{code}`" not in page} == set()
