"""Two play at one table: each word that only some may know is read by those, in every way in which anybody reads, and by
nobody else."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from lorewright.bootstrap import App
from lorewright.campaigns.lore import support_of
from lorewright.campaigns.viewers import scene_of, state_of, transcript_of, turns_told
from lorewright.errors import LorewrightError, NotFound, SettingsError
from lorewright.visibility import Viewer
from support import harbour_crew as c
from support import two_at_a_table as t
from support.command_line import run_command, workspace_environment
from support.service_clients import asked

# Viewer -> whose eyes these are, after a play whose last turn was Ada's.
VIEWERS = {
    "pc:bo": t.BO,
    "pc:game:bo": t.BO,
    "npc:bo": t.BO,
    "pc:ada": t.ADA,
    "player": t.ADA,
    "npc:osk": t.OSK,
    "npc:bea": t.BEA,
}
PLAYERS = ("pc:bo", "npc:bo", "pc:ada", "player")
# Persona -> what commands show of their own: thoughts, whispers, finds, reveals, promises. (Records of the history that
# say nearly the same as others are left out of an answer, and inner states are in no command's.)
SHOWN = {
    t.ADA: {"aardvark", "capybara", "ibis", "kookaburra", "tamarin", "mandrill", "raccoon", "kestrel", "marten"},
    t.BO: {"bandicoot", "dormouse", "jackdaw", "lemming", "salamander", "wolverine", "quokka", "axolotl", "marten"},
}
# Questions without the words that are looked for: an error may say again what was asked.
QUESTIONS = ("Osk", "Bea", "Ada asked Osk", "Bo asked Bea", "promised", "rope", "boat cage", "cellar bath", "harbour")


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> App:
    app = t.begun(tmp_path_factory.mktemp("table"))
    t.plant(app)
    t.play(app)
    return app


def words_in(text: str) -> set[str]:
    folded = text.casefold()
    return {word for word in t.WORDS if word in folded}


def known_to(who: str) -> set[str]:
    return {word for word, knowers in t.WORDS.items() if who in knowers}


def queried(app: App, viewer: str) -> Iterator[tuple[str, str]]:
    """What the library answers a viewer, by reader."""
    with app.campaigns.open("game") as campaign:
        yield "state", state_of(campaign, viewer).model_dump_json()
        yield "scene", scene_of(campaign, viewer).model_dump_json()
        yield "transcript", transcript_of(campaign, viewer, last=50).model_dump_json()
        if viewer in PLAYERS:
            yield "turns", json.dumps(turns_told(campaign.store, campaign.store.turns(), viewer))
            session = campaign.store.turns()[2]["session_id"]
    if viewer in PLAYERS:
        yield "recap", app.sessions.generate_recap(session, viewer)


def test_each_player_reads_what_their_persona_saw(app: App) -> None:
    seen: dict[str, set[str]] = {}
    for viewer, who in VIEWERS.items():
        found = {reader: words_in(text) for reader, text in queried(app, viewer)}
        assert {reader: words - known_to(who) for reader, words in found.items() if words - known_to(who)} == {}, viewer
        seen[viewer] = set().union(*found.values())
    assert seen["pc:bo"] == seen["pc:game:bo"] == seen["npc:bo"]
    assert seen["pc:ada"] == seen["player"]


def commands(viewer: str, folder: Path) -> Iterator[tuple[str, ...]]:
    """Every command that takes `--as`, in each of its forms."""
    eyes = ("--as", viewer)
    for question in QUESTIONS:
        for corpus in ("authored", "history", "all"):
            asks = ("--campaign", "game", "--corpus", corpus, "--limit", "50", "--budget", "20000", "--json")
            yield ("lore", "query", question, *asks, *eyes)
    for name in ("osk", "bea", "lin", "tavern", "quay"):
        yield ("lore", "entity", name, "--campaign", "game", "--json", *eyes)
    for place in ("tavern", "quay"):
        yield ("lore", "scene", place, "--with", "osk", "--with", "bea", "--campaign", "game", "--json", *eyes)
    for chunk in ("osk:knows", "osk:withholds", "quay:discoverable", "bea:knows"):
        yield ("lore", "query", "harbour", "--campaign", "game", "--why-not", f"harbour:{chunk}", *eyes)
    yield ("campaign", "log", "game", *eyes)
    yield ("campaign", "log", "game", "--json", *eyes)
    yield ("campaign", "export", "game", str(folder / "story.lorewright"), *eyes)
    yield ("campaign", "show", "game", "--json", *eyes)
    yield ("session", "recap", "game", "--session", "session_1", *eyes)
    yield ("session", "recap", "game", *eyes)
    packs = ("pack", "export", "harbour")
    yield (*packs, str(folder / "handout.md"), "--format", "player-handout", "--campaign", "game", *eyes)
    yield (*packs, str(folder / "vault"), "--format", "obsidian", "--campaign", "game", *eyes)
    yield (*packs, str(folder / "book.json"), "--format", "sillytavern", "--campaign", "game", *eyes)


def written(folder: Path) -> str:
    """The text of all files below a folder, those in archives too."""
    texts = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                texts += [archive.read(name).decode("utf-8", "replace") for name in archive.namelist()]
        elif path.is_file():
            texts.append(path.read_text(encoding="utf-8", errors="replace"))
    return "\n".join(texts)


@pytest.mark.campaign
@pytest.mark.parametrize("viewer", sorted(VIEWERS))
def test_each_command_shows_a_viewer_what_is_theirs(app: App, tmp_path: Path, viewer: str) -> None:
    environment = workspace_environment(app.workspace.root)
    seen: set[str] = set()
    for number, command in enumerate(commands(viewer, tmp_path)):
        folder = tmp_path / str(number)
        folder.mkdir()
        words = [word.replace(str(tmp_path), str(folder)) for word in command]
        done = run_command(*words, environment=environment)
        is_for_players = command[0] in ("campaign", "session", "pack")
        if is_for_players and (viewer not in PLAYERS and viewer != "pc:game:bo"):
            assert done.returncode != 0, command
        elif is_for_players:
            assert done.returncode == 0, (command, done.stderr)
        found = words_in(f"{done.stdout}\n{done.stderr}\n{written(folder)}")
        assert found <= known_to(VIEWERS[viewer]), (command, found - known_to(VIEWERS[viewer]))
        seen |= found
    assert SHOWN.get(VIEWERS[viewer], set()) <= seen


async def everything(client: Client) -> str:
    """All that a client can get out of the server by what it offers, as one text."""
    found: list[str] = []

    async def attempt(what: Any) -> None:
        try:
            found.append((await what).model_dump_json())
        except MCPError as problem:
            found.append(str(problem))

    for resource in (await client.list_resources()).resources:
        await attempt(client.read_resource(str(resource.uri)))
    for name in ("osk", "bea", "lin", "tavern", "quay"):
        await attempt(client.read_resource(f"lorewright://lore/harbour/{name}"))
        await attempt(client.call_tool("get_entity", {"entity": name}))
        await attempt(client.get_prompt("tell_me_about", {"entity": name}))
    for question in QUESTIONS:
        for corpus in ("authored", "history"):
            asks = {"text": question, "corpus": corpus, "limit": 50, "max_tokens": 20_000}
            await attempt(client.call_tool("query_lore", asks))
    for tool, arguments in (
        ("list_entities", {}),
        ("get_state", {}),
        ("get_scene", {}),
        ("get_scene", {"place": "quay"}),
        ("get_transcript", {"last": 50}),
    ):
        await attempt(client.call_tool(tool, arguments))
    for prompt in (await client.list_prompts()).prompts:
        if prompt.name != "tell_me_about":
            await attempt(client.get_prompt(prompt.name, {}))
    return "\n".join(found)


@pytest.mark.campaign
@pytest.mark.parametrize("viewer", sorted(VIEWERS))
def test_a_client_of_the_server_gets_what_is_the_viewers(app: App, viewer: str) -> None:
    found = words_in(asked(app, everything, viewer=viewer))
    who = VIEWERS[viewer]
    assert found - known_to(who) == set()
    # Of what was promised to them, characters are told in their own turns alone.
    assert viewer not in PLAYERS or known_to(who) - found == set()


@pytest.mark.campaign
def test_the_game_master_reads_every_word(app: App) -> None:
    found = asked(app, everything, viewer="gm")
    with app.campaigns.open("game") as campaign:
        parts = ("facts", "observations", "characters", "reveals")
        found += state_of(campaign, "gm", parts=parts).model_dump_json()
    assert words_in(found) == set(t.WORDS)


def test_the_sources_of_a_turn_are_for_who_played_it(app: App) -> None:
    with app.campaigns.reading("game") as store:
        (asked_by_ada,) = [turn for turn in store.turns() if turn["player_text"] == "ask Osk about the boat"]
    turn_no = asked_by_ada["turn_no"]
    with pytest.raises(NotFound, match="somebody else"):
        support_of(app.campaigns, "game", turn_no, viewer="pc:bo")
    for viewer in ("player", "pc:ada", "gm"):
        assert "kestrel" in str(support_of(app.campaigns, "game", turn_no, viewer=viewer))


def test_a_turn_is_told_to_the_other_player_without_words_thoughts_and_dice(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        turns = campaign.store.turns()
        told = turns_told(campaign.store, turns, "pc:bo")
    (whispered,) = [turn for turn in turns if turn["player_text"] == "ask about the kookaburra"]
    cut = told[whispered["turn_no"]]
    assert (cut["player_text"], cut["result"]["messages"], cut["result"]["final_text"]) == ("", [], "")
    (aloud,) = [turn for turn in turns if turn["player_text"] == "ask Osk about the weather"]
    cut = told[aloud["turn_no"]]
    assert [message["type"] for message in cut["result"]["messages"]] == ["narration"]
    assert cut["result"]["final_text"] == aloud["result"]["final_text"]
    assert [turn for turn in told if turn["player_text"]] == [
        turn for turn in turns if any(message["owner"] == c.BO for message in turn["result"]["messages"])
    ]


@pytest.mark.parametrize("viewer", ["open", "watchers", "pc", "pc:", "npc:", "pc:a:b:c", "PC:bo", "player ", ""])
def test_a_viewer_of_no_kind_is_refused_everywhere(app: App, viewer: str) -> None:
    with pytest.raises(SettingsError, match="unknown viewer"):
        Viewer(viewer)
    with app.campaigns.open("game") as campaign:
        for reads in (
            lambda: state_of(campaign, viewer),
            lambda: scene_of(campaign, viewer),
            lambda: transcript_of(campaign, viewer, last=1),
            lambda: turns_told(campaign.store, [], viewer),
        ):
            with pytest.raises(SettingsError, match="unknown viewer"):
                reads()
    with pytest.raises(SettingsError, match="unknown viewer"):
        app.lore.entities(viewer=viewer, campaign_id="game")


@pytest.mark.parametrize("viewer", ["pc:osk", "pc:nobody", "npc:nobody"])
def test_nobody_sees_with_the_eyes_of_who_is_not_there(app: App, viewer: str) -> None:
    with app.campaigns.open("game") as campaign:
        for reads in (state_of, scene_of):
            with pytest.raises(NotFound):
                reads(campaign, viewer)
        with pytest.raises(NotFound):
            turns_told(campaign.store, [], viewer)
    with pytest.raises(NotFound):
        app.lore.entities(viewer=viewer, campaign_id="game")


def test_packs_alone_have_no_personas(app: App) -> None:
    with pytest.raises(LorewrightError, match="only a campaign has a persona bo"):
        app.lore.entities(viewer="pc:bo")
