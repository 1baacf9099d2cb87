"""What happened in a campaign, asked beside its lore: by those who were there."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App, open_app
from lorewright.campaigns.history import history_records
from lorewright.errors import NotFound, SettingsError
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.rules.patch import Resolution
from lorewright.storage.faults import KILL_VARIABLE
from lorewright.world.ops import AddEntity, AddFact, Move, SetDoor
from lorewright.world.state import Fact
from support import harbour as h
from support import small_world as w
from support.scale import scaled

LINES = ("ask Osk about Lin", "search under the counter", "go door", "ask Bea about the cellar")


def asked(app: App, text: str = "", viewer: str = "gm", campaign: str = "game", **fields: Any) -> Any:
    query = {"keywords": text, "viewer": viewer, "corpus": "history", "limit": 50, "max_tokens": 9000, **fields}
    return app.lore.retrieve(LoreRetrievalQuery.model_validate(query), campaign_id=campaign)


def answer(app: App, *words: Any, **fields: Any) -> str:
    found = asked(app, *words, **fields)
    return str(found.result.model_dump_json() + "\n" + found.trace.model_dump_json())


def texts(found: Any) -> list[str]:
    return [chunk.text for chunk in found.result.chunks]


def say(app: App, *lines: str, campaign: str = "game") -> None:
    """Play lines under action IDs that do not depend on what else there is."""
    with app.campaigns.open(campaign) as opened:
        for line in lines:
            asyncio.run(opened.submit(line, action_id=line))


def roll_back(app: App, turn_no: int) -> None:
    with sqlite3.connect(app.workspace.campaigns / "game.db") as connection:
        connection.execute(
            """UPDATE campaigns SET revision = revision + 1, current_turn = ?1,
               head_turn_id = (SELECT turn_id FROM turns WHERE turn_no = ?1)""",
            (turn_no,),
        )
        connection.execute(
            "DELETE FROM world_states WHERE turn_id NOT IN (SELECT turn_id FROM turns WHERE turn_no = 0)"
        )
    connection.close()


def index_file(app: App) -> Path:
    return app.workspace.indexes / "history" / "game.db"


@pytest.fixture
def app(tmp_path: Path) -> App:
    app = h.harbour(tmp_path)
    say(app, *LINES)
    return app


def test_the_player_finds_what_they_did_and_were_told(app: App) -> None:
    found = texts(asked(app, "who answered about Lin and the boat", "player"))
    assert "Ada asked Osk about Lin, and was answered." in found
    assert any(h.KNOWS in text for text in found)


def test_who_was_not_there_does_not_find_it(app: App) -> None:
    assert h.KNOWS in answer(app, "Lin boat", "npc:osk")
    assert h.OTHER_KNOWS in answer(app, "cellar bath", "npc:bea")
    for viewer, word in (("npc:bea", h.KNOWS), ("npc:osk", h.OTHER_KNOWS), ("npc:lin", h.KNOWS)):
        told = answer(app, f"Lin boat cellar bath {word}", viewer, location_id="tavern", entity_ids=["osk", "bea"])
        assert word not in told.replace(f'"{word}"', "")


def test_bare_ids_mean_those_of_the_packs(app: App) -> None:
    places = asked(app, "", "player", location_id="quay").result.chunks
    assert places
    assert all("harbour:quay" in chunk.metadata["location_ids"] for chunk in places)
    people = asked(app, "", "player", entity_ids=["bea"]).result.chunks
    assert people
    assert all("harbour:bea" in chunk.metadata["entity_ids"] for chunk in people)


def test_all_has_both_and_authored_has_no_history(app: App) -> None:
    sources = {chunk.source for chunk in asked(app, "Lin", "player", corpus="all").result.chunks}
    assert sources == {"authored", "history"}
    assert {chunk.source for chunk in asked(app, "Lin", corpus="authored").result.chunks} == {"authored"}


def test_a_pack_that_is_not_asked_changes_nothing_of_history(app: App) -> None:
    query = LoreRetrievalQuery(keywords="Lin boat", corpus="history")
    of_none = app.lore.retrieve(query, packs=["nowhere"], campaign_id="game")
    assert of_none.result == asked(app, "Lin boat", limit=10, max_tokens=3000).result


def test_history_without_a_campaign_is_a_wrong_question(app: App) -> None:
    with pytest.raises(SettingsError) as caught:
        app.lore.retrieve(LoreRetrievalQuery(keywords="Lin", corpus="history"))
    assert caught.value.hint is not None
    assert "--campaign" in caught.value.hint
    with pytest.raises(NotFound):
        asked(app, "Lin", "npc:nobody")


@pytest.mark.campaign
def test_an_abandoned_branch_changes_no_byte(tmp_path: Path) -> None:
    straight, astray = (h.harbour(tmp_path / name) for name in ("straight", "astray"))
    say(straight, *LINES)
    say(astray, LINES[0], "wait", "ask Osk about debt", "take rope")
    answer(astray, "Lin")
    roll_back(astray, 1)
    say(astray, *LINES[1:])
    for viewer in ("gm", "player", "npc:osk", "npc:bea"):
        for text in ("Lin rope debt", "Osk marmoset", "turn 2"):
            assert answer(astray, text, viewer) == answer(straight, text, viewer)
            assert answer(astray, text, viewer, corpus="all") == answer(straight, text, viewer, corpus="all")


def test_another_campaign_changes_no_byte(app: App) -> None:
    before = answer(app, "Lin", "player")
    app.campaigns.new("night_boat", campaign_id="other", seed=2)
    say(app, "ask Osk about Lin", "ask Osk about debt", campaign="other")
    answer(app, "Lin", "player", campaign="other")
    assert answer(app, "Lin", "player") == before


def test_a_campaign_begun_again_under_the_same_name_has_no_memory_of_the_first(app: App, tmp_path: Path) -> None:
    answer(app, "Lin")
    (app.workspace.campaigns / "game.db").unlink()
    app.campaigns.new("night_boat", campaign_id="game", seed=9)
    say(app, "ask Osk about debt")
    other = h.harbour(tmp_path / "other", seed=9)
    say(other, "ask Osk about debt")
    assert answer(app, "Osk Lin debt") == answer(other, "Osk Lin debt")


def test_a_campaign_may_have_the_name_of_its_pack(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    app.campaigns.new("night_boat", campaign_id="harbour", seed=1)
    say(app, "ask Osk about Lin", campaign="harbour")
    found = asked(app, "Lin", "player", campaign="harbour", corpus="all").result.chunks
    assert {chunk.source for chunk in found if chunk.pack_id == "harbour"} == {"authored"}
    assert {chunk.source for chunk in found if chunk.pack_id == "harbour_history"} == {"history"}


def test_an_index_that_was_deleted_or_damaged_gives_the_same_answers(app: App) -> None:
    before = answer(app, "Lin cellar", "player")
    index_file(app).unlink()
    assert answer(app, "Lin cellar", "player") == before
    index_file(app).write_bytes(b"\x00gibberish" * 500)
    assert answer(app, "Lin cellar", "player") == before
    whole = index_file(app).read_bytes()
    index_file(app).write_bytes(whole[: len(whole) // 2])
    assert answer(app, "Lin cellar", "player") == before


def test_asking_after_every_turn_is_as_asking_at_the_end(app: App, tmp_path: Path) -> None:
    other = h.harbour(tmp_path / "other")
    for line in LINES:
        say(other, line)
        answer(other, "Lin", "player")
    assert answer(other, "Lin cellar") == answer(app, "Lin cellar")


def command(root: Path, *words: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "lorewright", "lore", "query", *words, "--campaign", "game", "--json"],
        env={**os.environ, "LOREWRIGHT_WORKSPACE": str(root), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.campaign
def test_a_kill_while_it_is_added_leaves_all_of_it_or_nothing(app: App) -> None:
    root = app.workspace.root
    before = answer(app, "Lin")
    for step in ("history:adding", "history:added"):
        index_file(app).unlink(missing_ok=True)
        killed = command(root, "Lin", "--corpus", "history", **{KILL_VARIABLE: step})
        killed.communicate()
        assert killed.returncode == -signal.SIGKILL
        assert answer(open_app(root), "Lin") == before


@pytest.mark.campaign
def test_processes_at_once_give_one_answer(app: App) -> None:
    crowd = [
        command(app.workspace.root, "Lin boat", "--corpus", "history", PYTHONHASHSEED=str(n))
        for n in range(1 + scaled(1))
    ]
    printed = [one.communicate()[0] for one in crowd]
    assert len(set(printed)) == 1
    assert json.loads(printed[0]) == asked(app, "Lin boat", limit=10, max_tokens=3000).result.model_dump(mode="json")
    chunks = json.loads(printed[0])["chunks"]
    assert chunks
    assert {chunk["source"] for chunk in chunks} == {"history"}


def test_the_trace_explains_a_happening(app: App) -> None:
    trace = asked(app, "what did Osk answer about Lin", "player").trace
    assert trace.packs == ("game",)
    first = trace.chunks[0]
    assert first.chunk_id.startswith("game:turn_1:")
    assert "osk" in first.terms
    known = LoreRetrievalQuery(keywords="Lin", corpus="history", viewer="player")
    assert app.lore.why_not(known, first.chunk_id, campaign_id="game") is not None


def test_a_turn_looks_up_what_is_no_longer_told_as_recent(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    h.say(app, "ask Osk about Lin", "wait", "wait", "wait", "ask Osk about Lin and the kestrel")
    planned = [json.loads(text)["packet"]["lore_context"]["asked"] for text in h.stage_inputs(app)["planner"]]
    happened = [[one for one in asked if one["chunk_id"].startswith("game:")] for asked in planned]
    assert happened[0] == []
    assert any(h.KNOWS in one["text"] for one in happened[4])
    assert all(len(found) <= 2 for found in happened)


@pytest.mark.campaign
def test_turns_think_of_the_same_history_in_every_process(tmp_path: Path) -> None:
    lines = [
        "ask Osk about Lin",
        "search under the counter",
        "wait",
        "go door",
        "ask Bea about the cellar",
        "go tavern",
    ]
    inputs = []
    for name in ("one", "two"):
        app = h.harbour(tmp_path / name)
        for line in lines:
            say(open_app(app.workspace.root), line)
            if name == "two":
                index_file(app).unlink(missing_ok=True)
        inputs.append(h.stage_inputs(app))
    assert inputs[0] == inputs[1]


def told(*ops: Any, state: Any = None) -> dict[str, tuple[str, ...]]:
    """What ops amount to: each sentence with who saw it."""
    before = state or w.small_world()
    records = history_records(before, w.after(before, *ops), Resolution(ops=ops), [])
    return {record.text: record.witnesses for record in records}


def test_who_stays_does_not_learn_where_somebody_goes() -> None:
    seen = told(Move(entity_id=w.MARA, to=w.PIER))
    assert seen == {
        "Mara left the Neon Dragon.": (w.JO, w.MARA, w.VIKTOR),
        "Mara came to Pier 9.": (w.MARA,),
    }


def test_a_change_is_seen_where_it_happened_and_not_where_the_turn_ended() -> None:
    opened = SetDoor(door_id=w.DOOR, locked=False)
    seen = told(Move(entity_id=w.MARA, to=w.PIER), opened)
    assert seen["The steel door was unlocked."] == (w.JO, w.VIKTOR)


def test_a_fact_is_the_players_or_the_game_masters() -> None:
    owed = Fact(id="f1", subject_id=w.VIKTOR, predicate="owes_money_to", object=w.CHEN)
    hidden = Fact(id="f2", subject_id=w.MARA, predicate="counts", object=1, visibility="gm")
    stranger = AddEntity(entity=w.person("town:kit", "Kit"), at=w.BAR)
    seen = told(AddFact(fact=owed), AddFact(fact=hidden), stranger)
    assert seen["Viktor: owes money to Agent Chen."] == (w.JO,)
    assert seen["Mara: counts 1."] == ()


def test_deeds_and_promises_are_remembered_in_plain_words(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    say(app, "promise osk a month of quiet", "use the lantern", "kiss osk", "ask osk about lin", "tell osk about lin")
    said = " ".join(texts(asked(app, "Ada Osk promised quiet lantern kiss told Lin")))
    assert "Ada promised Osk: a month of quiet." in said
    assert "Ada tried to use the lantern." in said
    assert "Ada tried to kiss Osk: " in said
    assert "Ada told Osk about lin, who knew already." in said.replace("Lin", "lin")
    assert "{" not in said
