"""A database of the predecessor becomes campaigns of ours, all of it or nothing; the original keeps every byte."""

from __future__ import annotations

import json
import shutil
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from lorewright.bootstrap import App, open_app
from lorewright.campaigns import exchange
from lorewright.campaigns.branches import rollback
from lorewright.campaigns.checks import check
from lorewright.campaigns.scenarios.scenario import Scenario
from lorewright.campaigns.sessions import sittings
from lorewright.contrib.import_v0.importing import V0Import, import_v0
from lorewright.errors import CampaignError, ImportRefused, LorewrightError, NotFound
from lorewright.lore_bootstrap import make_empty_workspace
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.storage.tables import read_tables
from lorewright.turn.store.turn_store import undo_played
from support import harbour as h
from support import v0_databases as v0
from support.scale import scaled


@pytest.fixture
def app(tmp_path: Path) -> App:
    make_empty_workspace(tmp_path / "workspace")
    return open_app(tmp_path / "workspace")


def bytes_below(folder: Path) -> dict[str, str]:
    return {path.name: sha256(path.read_bytes()).hexdigest() for path in folder.iterdir() if path.is_file()}


def refused(app: App, path: Path, **options: Any) -> str:
    """Why a file is refused; nothing is left of the attempt."""
    before = app.campaigns.ids()
    with pytest.raises(LorewrightError) as caught:
        import_v0(app.campaigns, path, **options)
    assert app.campaigns.ids() == before
    assert not list(app.campaigns.folder.glob(".*.building*")) if app.campaigns.folder.is_dir() else True
    assert caught.value.hint
    return caught.value.message


def tables(one: V0Import) -> dict[str, tuple[int, int, int]]:
    return {of.table: (of.v0, of.ours, of.equal) for of in one.tables}


def test_one_unnamed_campaign_comes_over_whole(app: App, tmp_path: Path) -> None:
    (one,) = import_v0(app.campaigns, v0.one_campaign(tmp_path / "v0.db"))
    assert (one.id, one.v0_id, one.turns, one.is_new, one.is_equal) == ("old", "old", 3, True, True)
    assert tables(one) == {
        "campaigns": (1, 1, 1),
        "entities": (6, 6, 6),
        "facts": (2, 2, 2),
        "scene": (1, 1, 1),
        "threads": (1, 1, 1),
        "clocks": (1, 1, 1),
        "inventory": (1, 1, 1),
        "relationships": (1, 1, 1),
        "events": (3, 3, 3),
        "summaries": (1, 1, 1),
    }
    with app.campaigns.reading("old") as store:
        state, turns = store.head().state, store.turns()
    assert (state.scene.location_id, state.player_id, state.minutes) == ("old:bar", "old:player", 1440 + 21 * 60 + 30)
    assert state.positions == {"old:player": "old:bar", "old:viktor": "old:bar", "old:mira": "offstage"}
    assert state.held_by("old:player") == {"old:crowbar": 1}
    assert (state.clocks["heat"].value, state.clocks["heat"].tags) == (3, ("cost",))
    assert state.threads["courier"].stakes == "win: she lives; lose: she does not"
    assert {one.visibility for one in state.facts.values()} == {"player", "hidden"}
    (edge,) = state.relationships.values()
    assert (edge.a, edge.b, edge.rel_type, edge.intensity) == ("old:viktor", "old:player", "owes", 2)
    assert [turn["player_text"] for turn in turns[1:]] == [values["player_input"] for _, values in v0.STORY]
    assert [turn["result"]["final_text"] for turn in turns[1:]] == [values["final_text"] for _, values in v0.STORY]
    assert check(app.campaigns.path("old"), app.campaigns.kept).clean


def test_what_v0_stored_of_a_turn_is_kept_and_stands_in_no_players_view(app: App, tmp_path: Path) -> None:
    secret = [{"type": "plan", "details": {"who": "the butler"}}]
    import_v0(
        app.campaigns, v0.one_campaign(tmp_path / "v0.db", [v0.event(1, "look", "Dark.", engine_events_json=secret)])
    )
    with app.campaigns.reading("old") as store:
        turn = store.turns()[1]
        (record,) = store.stage_records(turn["turn_id"])
    assert record["input"] == {"context_packet": {"present_entities": ["player", "viktor"]}}
    assert record["output"] == {
        "event_id": "old_event_1",
        "turn_no": 1,
        "pass_outputs": {"interpreter": {"intent": "look"}},
        "engine_events": secret,
        "state_diff": {"clocks": [{"id": "heat", "delta": 1}]},
        "prompt_versions": {"narrator": 3},
    }
    assert "butler" not in json.dumps(turn["result"])
    exchange.export(app.campaigns, "old", tmp_path / "story.zip", audience="player")
    assert b"butler" not in (tmp_path / "story.zip").read_bytes()


def test_it_is_searched_by_who_was_there_played_on_taken_back_and_exported(app: App, tmp_path: Path) -> None:
    import_v0(app.campaigns, v0.one_campaign(tmp_path / "v0.db"))

    def found(viewer: str, words: str) -> str:
        query = LoreRetrievalQuery(keywords=words, viewer=viewer, corpus="history")
        return " ".join(one.text for one in app.lore.retrieve(query, campaign_id="old").result.chunks)

    assert "she went to the pier" in found("player", "courier pier")
    assert "she went to the pier" in found("npc:old:viktor", "courier pier")
    assert found("npc:old:mira", "courier pier") == ""
    assert "Ada asked for the courier" in found("player", "courier")
    assert "Zenith" not in found("player", "Mira works for Zenith")
    assert "Zenith" in found("gm", "Mira works for Zenith")
    results = h.say(app, "look", "ask Viktor about the courier", "go to the pier", campaign="old")
    assert [one["turn_no"] for one in results] == [4, 5, 6]
    with app.campaigns.reading("old") as store:
        assert store.head().state.scene.location_id == "old:pier"
        rollback(store, to="2")
        assert undo_played(store) == (store.turns()[-1]["turn_id"], "ask Viktor about the courier")
    assert check(app.campaigns.path("old"), app.campaigns.kept).clean
    exchange.export(app.campaigns, "old", tmp_path / "old.lorewright")
    exchange.import_campaign(app.campaigns, tmp_path / "old.lorewright", campaign_id="again")
    assert check(app.campaigns.path("again"), app.campaigns.kept).clean


def test_it_is_upgraded_to_a_newer_ruleset_like_any_campaign(app: App, tmp_path: Path) -> None:
    import_v0(app.campaigns, v0.one_campaign(tmp_path / "v0.db"))
    assert app.upgrades.plan("old").remarks == ()
    v0.change(app.campaigns.path("old"), "UPDATE campaigns SET ruleset_hash = 'another'")
    assert app.upgrades.upgrade("old").turn_no == 4
    assert h.say(app, "look", campaign="old")[0]["turn_no"] == 5
    assert check(app.campaigns.path("old"), app.campaigns.kept).clean


def test_every_imported_turn_leads_to_the_one_state_that_v0_kept(app: App, tmp_path: Path) -> None:
    story = [v0.event(n, f"line {n}", f"telling {n}") for n in range(1, 61)]
    import_v0(app.campaigns, v0.one_campaign(tmp_path / "v0.db", story))
    with app.campaigns.reading("old") as store:
        hashes = {turn["state_hash"] for turn in store.turns()}
        assert hashes == {store.head().state.content_hash()}
    assert check(app.campaigns.path("old"), app.campaigns.kept).clean


def test_several_campaigns_of_a_file_come_over_with_their_sittings(app: App, tmp_path: Path) -> None:
    first, second = import_v0(app.campaigns, v0.several_campaigns(tmp_path / "v0.db"))
    assert (first.id, second.id, first.is_equal, second.is_equal) == ("old", "next", True, True)
    with app.campaigns.reading("next") as store:
        told = [(one.turn_range_start, one.turn_range_end, one.summary) for one in sittings(store)]
        jin = store.head().state.entities["neo_seattle:jin"]
        scenario = Scenario.model_validate(store.campaign().scenario)
        assert store.campaign().created_at == "2091-03-15T20:30:00.000+00:00"
        assert [turn["turn_no"] for turn in store.turns()] == [0, 1, 2, 3]
    assert told == [(1, 2, "It began.\n\nAda asked for the courier."), (3, 3, "Nothing was noted of this sitting.")]
    assert (jin.origin, jin.pack_id, jin.pack_entity_id) == ("pack", "neo_seattle", "neo_seattle:jin")
    assert scenario.system == {"dice": "2d6"}
    assert tables(second)["content_packs"] == (1, 0, 0)
    (events,) = (of for of in second.tables if of.table == "events")
    assert events.derived == ("turn_no 4 is missing: the gap is closed", "turn_no 2 to 5 are turns 1 to 3 here")
    for one in ("old", "next"):
        assert check(app.campaigns.path(one), app.campaigns.kept).clean
        assert h.say(app, "look", campaign=one)


def test_a_summary_that_could_be_anybodys_is_said_to_have_no_home(app: App, tmp_path: Path) -> None:
    path = v0.several_campaigns(tmp_path / "v0.db")
    v0.change(path, "UPDATE summaries SET scope_id = 'a place' WHERE id = 's1'")
    for one in import_v0(app.campaigns, path):
        assert tables(one)["summaries of nobody"] == (1, 0, 0)
        assert one.is_equal


def test_one_of_several_is_imported_alone_under_another_id(app: App, tmp_path: Path) -> None:
    path = v0.several_campaigns(tmp_path / "v0.db")
    assert "several campaigns (old, next)" in refused(app, path, campaign_id="saturday")
    assert "holds no campaign ghost" in refused(app, path, only="ghost")
    (one,) = import_v0(app.campaigns, path, only="next", campaign_id="saturday")
    assert (one.id, one.is_equal, app.campaigns.ids()) == ("saturday", True, ["saturday"])


@pytest.mark.parametrize("make", [v0.one_campaign, v0.several_campaigns])
def test_a_second_time_nothing_is_changed_nor_ever_the_original(app: App, tmp_path: Path, make: Any) -> None:
    folder = tmp_path / "original"
    folder.mkdir()
    path = make(folder / "v0.db")
    original = bytes_below(folder)
    first = import_v0(app.campaigns, path)
    files = {one.id: app.campaigns.path(one.id).read_bytes() for one in first}
    second = import_v0(app.campaigns, path)
    assert [one.is_new for one in second] == [False] * len(first)
    assert [one.tables for one in second] == [one.tables for one in first]
    assert {one.id: app.campaigns.path(one.id).read_bytes() for one in second} == files
    assert bytes_below(folder) == original


def test_what_was_played_since_is_no_difference(app: App, tmp_path: Path) -> None:
    path = v0.one_campaign(tmp_path / "v0.db")
    import_v0(app.campaigns, path)
    h.say(app, "go to the pier", "wait", campaign="old")
    (one,) = import_v0(app.campaigns, path)
    assert (one.is_new, one.is_equal, one.turns) == (False, True, 3)


def test_a_file_that_has_grown_is_refused_and_can_be_imported_beside_the_first(app: App, tmp_path: Path) -> None:
    path = v0.one_campaign(tmp_path / "v0.db")
    import_v0(app.campaigns, path)
    v0.change(path, "UPDATE clocks SET value = 4")
    assert "(then 3 turns, now 3); nothing was changed" in refused(app, path)
    (one,) = import_v0(app.campaigns, path, campaign_id="old_2")
    assert one.is_equal


def test_a_campaign_of_that_id_that_came_from_elsewhere_is_not_touched(app: App, tmp_path: Path) -> None:
    h.write_workspace(app.workspace.root)
    app.campaigns.new("night_boat", campaign_id="old")
    assert "did not come from 'old' of v0.db" in refused(app, v0.one_campaign(tmp_path / "v0.db"))


def test_what_differs_although_it_should_not_is_said(app: App, tmp_path: Path) -> None:
    path = v0.one_campaign(tmp_path / "v0.db")
    import_v0(app.campaigns, path)
    mended = app.campaigns.path("old")
    v0.change(mended, "UPDATE turns SET player_text = 'dance' WHERE turn_no = 1")
    (one,) = import_v0(app.campaigns, path)
    assert not one.is_equal
    assert [(of.table, of.equal, of.differs) for of in one.tables if of.differs] == [
        ("events", 2, ("events, row 1 ('old_event_1'): player_input",))
    ]


# What is done to a file, and what is said of it.
FAULTS = {
    "DROP TABLE clocks": "has no table clocks",
    "ALTER TABLE facts RENAME COLUMN confidence TO trust": "facts of v0.db has no column confidence",
    "UPDATE facts SET object_json = '{' WHERE id = 'f1'": "facts, row 1 ('f1'): object_json is no JSON",
    "UPDATE facts SET object_json = 'NaN' WHERE id = 'f1'": "NaN is no number",
    "UPDATE facts SET object_json = '1e999' WHERE id = 'f1'": "holds a number that is too large",
    "UPDATE facts SET object_json = '\"\\ud800\"' WHERE id = 'f1'": "object_json holds bytes that are no text",
    "UPDATE facts SET confidence = 7": "confidence must be a number from 0 to 1",
    "UPDATE facts SET subject_id = 'ghost' WHERE id = 'f2'": "facts, row 2 ('f2'): subject_id names 'ghost'",
    "UPDATE scene SET location_id = 'attic'": "location_id names 'attic', which is no entity",
    "UPDATE scene SET location_id = 'viktor'": "location_id 'viktor' is a npc, and no place",
    "UPDATE scene SET present_entity_ids_json = '[\"ghost\"]'": "present_entity_ids_json names 'ghost'",
    "UPDATE scene SET present_entity_ids_json = '[1]'": "must be a list of IDs",
    "DELETE FROM scene": "the campaign 'old' has 0 rows; it must have the one that is at hand",
    "UPDATE threads SET related_entity_ids_json = '[\"ghost\"]'": "related_entity_ids_json names 'ghost'",
    "UPDATE inventory SET item_id = 'ghost'": "inventory, row 1: item_id names 'ghost'",
    "UPDATE inventory SET qty = -1": "qty is -1 and must be a whole number from 0",
    "UPDATE inventory SET qty = 'many'": "qty is a text and must be a whole number",
    "UPDATE relationships SET b_id = 'ghost'": "relationships, row 1: b_id names 'ghost'",
    "UPDATE relationships SET b_id = a_id": "a_id and b_id are both 'viktor'",
    "UPDATE clocks SET value = 9": "value is 9 and must be a whole number from 0 to 6",
    "UPDATE entities SET name = 'Vik' || char(27) || '[2J' WHERE id = 'viktor'": "the control character U+001B",
    "UPDATE entities SET name = '' WHERE id = 'viktor'": "name has 0 characters",
    "UPDATE entities SET id = '../../etc' WHERE id = 'mira'": "'../../etc' cannot be an ID",
    "UPDATE entities SET type = 'player' WHERE id = 'viktor'; UPDATE entities SET id = 'ada' WHERE id = 'player'; "
    "UPDATE inventory SET owner_id = 'ada'; UPDATE relationships SET b_id = 'ada'; "
    "UPDATE scene SET present_entity_ids_json = '[]'": "there are several players (ada, viktor)",
    "UPDATE entities SET attrs_json = '[]' WHERE id = 'mira'": "attrs_json must be an object",
    "UPDATE entities SET name = CAST(X'C328' AS TEXT) WHERE id = 'mira'": "bytes that are no text in UTF-8",
    "UPDATE entities SET name = X'00' WHERE id = 'mira'": "name is raw bytes and must be a text",
    "UPDATE events SET final_text = replace(hex(zeroblob(600000)), '00', 'ab') WHERE turn_no = 2": "at most 1000000",
    "UPDATE events SET final_text = zeroblob(40000000) WHERE turn_no = 2": "events, row 2: a value of more than 32 MiB",
    "UPDATE events SET turn_no = -1 WHERE turn_no = 1": "turn_no is -1",
    "UPDATE events SET campaign_id = 'other' WHERE turn_no = 3": "campaign_id names several campaigns ('old', 'other')",
    "UPDATE events SET engine_events_json = 'none'": "engine_events_json is no JSON",
    "ALTER TABLE clocks RENAME TO c; CREATE VIEW clocks AS SELECT * FROM c": "clocks is no plain table",
    "ALTER TABLE clocks ADD COLUMN bomb AS (zeroblob(1000000000))": "clocks is no plain table",
}


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        pytest.param(*fault, marks=pytest.mark.campaign if "zeroblob(40000000)" in fault[0] else ())
        for fault in FAULTS.items()
    ],
    ids=lambda one: one[:60],
)
def test_what_cannot_be_read_is_refused_with_its_table_and_row(
    app: App, tmp_path: Path, damage: str, says: str
) -> None:
    path = v0.one_campaign(tmp_path / "v0.db")
    v0.change(path, *damage.split("; "))
    before = path.read_bytes()
    assert says in refused(app, path)
    assert path.read_bytes() == before


def test_all_that_is_wrong_is_told_at_once(app: App, tmp_path: Path) -> None:
    path = v0.one_campaign(tmp_path / "v0.db")
    v0.change(path, "UPDATE facts SET object_json = '{'", "UPDATE clocks SET max = 0")
    assert len(refused(app, path).splitlines()) == 4


def test_a_fault_in_one_campaign_of_a_file_keeps_all_of_it_out(app: App, tmp_path: Path) -> None:
    path = v0.several_campaigns(tmp_path / "v0.db")
    v0.change(path, "UPDATE facts SET subject_id = 'ghost' WHERE id = 'x_f1'")
    assert "facts, row 3 ('x_f1')" in refused(app, path)


def test_sittings_that_overlap_or_end_before_they_begin_are_refused(app: App, tmp_path: Path) -> None:
    path = v0.several_campaigns(tmp_path / "v0.db")
    v0.change(path, "UPDATE sessions SET turn_range_start = 2 WHERE id = 's2'")
    assert "sessions, row 2 ('s2'): turn_range_start to turn_range_end overlap" in refused(app, path)
    v0.change(path, "UPDATE sessions SET turn_range_start = 4, ended_at = '1999-01-01' WHERE id = 's2'")
    assert "ended_at is before started_at" in refused(app, path)


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\0" + b"\0" * 200, b"no database at all" * 100])
def test_what_is_no_database_of_v0_is_refused(app: App, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "v0.db"
    path.write_bytes(content)
    assert refused(app, path)


def test_one_of_our_own_files_is_no_v0(app: App, tmp_path: Path) -> None:
    own = h.harbour(tmp_path / "home").campaigns.path("game")
    assert "is no v0 database" in refused(app, own)
    with pytest.raises(NotFound):
        import_v0(app.campaigns, tmp_path / "nowhere.db")


def test_what_a_crash_left_beside_the_file_is_read_with_it(app: App, tmp_path: Path) -> None:
    import sqlite3

    home, copied = tmp_path / "home", tmp_path / "copied"
    home.mkdir()
    copied.mkdir()
    path = v0.one_campaign(home / "v0.db")
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("UPDATE clocks SET value = 5")
    connection.commit()
    for file in home.iterdir():
        shutil.copyfile(file, copied / file.name)
    connection.close()
    before = bytes_below(copied)
    assert "v0.db-wal" in before
    import_v0(app.campaigns, copied / "v0.db")
    with app.campaigns.reading("old") as store:
        assert store.head().state.clocks["heat"].value == 5
    assert bytes_below(copied) == before


def test_a_file_without_a_player_or_a_turn_can_be_played_too(app: App, tmp_path: Path) -> None:
    rows = [
        (table, values) for table, values in v0.rows(story=()) if table != "inventory" and values.get("id") != "player"
    ]
    path = v0.write(tmp_path / "my old game.db", v0.schema(several=False), rows)
    (one,) = import_v0(app.campaigns, path)
    assert (one.id, one.turns, one.is_equal) == ("my_old_game", 0, True)
    with app.campaigns.reading("my_old_game") as store:
        assert store.head().state.name_of("my_old_game:player") == "the traveller"
    assert h.say(app, "look", campaign="my_old_game")


def test_ways_are_those_that_places_name(app: App, tmp_path: Path) -> None:
    path = v0.one_campaign(tmp_path / "v0.db")
    v0.change(path, """UPDATE entities SET attrs_json = '{"exits": {"quay steps": "pier"}}' WHERE id = 'bar'""")
    import_v0(app.campaigns, path)
    with app.campaigns.reading("old") as store:
        exits = store.head().state.exits
    assert [(one.name, one.to) for one in exits["old:bar"]] == [("quay steps", "old:pier")]
    assert exits["old:pier"] == ()


NAMES = st.text("abcXYZ ü'\"<>|%;", min_size=1, max_size=20).filter(str.strip)


@pytest.mark.campaign
@settings(
    max_examples=scaled(5),
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    turns=st.lists(st.integers(0, 12), max_size=8),
    texts=st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=60), min_size=1, max_size=4),
    name=NAMES,
    qty=st.integers(0, 9),
    tags=st.lists(st.sampled_from(["a", "b", "c"]), max_size=3),
)
def test_whatever_is_imported_is_equal_sound_and_imported_once(
    app: App, tmp_path: Path, turns: list[int], texts: list[str], name: str, qty: int, tags: list[str]
) -> None:
    story = [v0.event(turn_no, texts[n % len(texts)], texts[-1], id=f"e{n}") for n, turn_no in enumerate(turns)]
    path = tmp_path / "any.db"
    path.unlink(missing_ok=True)
    v0.one_campaign(path, story)
    v0.change(path, f"UPDATE inventory SET qty = {qty}", f"UPDATE entities SET tags = '{json.dumps(tags)}'")
    with v0.closing(v0.sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE entities SET name = ? WHERE id = 'viktor'", (name,))
    for known in app.campaigns.ids():
        app.campaigns.path(known).unlink()
    (one,) = import_v0(app.campaigns, path, campaign_id="any")
    assert (one.turns, one.is_equal) == (len(turns), True)
    assert check(app.campaigns.path("any"), app.campaigns.kept).clean
    with app.campaigns.reading("any") as store:
        before = read_tables(store.database)
    (again,) = import_v0(app.campaigns, path, campaign_id="any")
    with app.campaigns.reading("any") as store:
        assert read_tables(store.database) == before
    assert (again.is_new, again.tables) == (False, one.tables)


def test_two_campaigns_that_would_have_one_id_are_refused(app: App, tmp_path: Path) -> None:
    path = v0.several_campaigns(tmp_path / "v0.db")
    for table in ("campaigns", *v0.OF_A_CAMPAIGN):
        column = "id" if table == "campaigns" else "campaign_id"
        v0.change(path, f"UPDATE {table} SET {column} = 'a b' WHERE {column} = 'old'")
        v0.change(path, f"UPDATE {table} SET {column} = 'a_b' WHERE {column} = 'next'")
    v0.change(path, "DELETE FROM sessions")
    assert "would have the same ID here: a_b, a_b" in refused(app, path)
    with pytest.raises((ImportRefused, CampaignError)):
        import_v0(app.campaigns, path, only="a b", campaign_id="../x")
