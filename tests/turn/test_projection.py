"""The seeds' tables tell of the head's state, whatever is done; nothing in a game depends on them."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lorewright.bootstrap import App
from lorewright.campaigns.branches import branch, rollback, switch
from lorewright.campaigns.checks import check, migrate_file
from lorewright.campaigns.sessions import active_or_new_session, end
from lorewright.errors import ProviderError, StateMisfit
from lorewright.llm.doubles import ScriptedModel
from lorewright.storage.campaign_tables import CAMPAIGN_MIGRATIONS
from lorewright.storage.database import Database, add_functions, opened
from lorewright.storage.heads import head_row
from lorewright.storage.integrity import campaign_row
from lorewright.storage.projection import PROJECTED, RowChange, projected_rows, projected_turn
from lorewright.storage.tables import migrate
from lorewright.turn.store.projection import (
    TABLES,
    StateOf,
    all_rows,
    changed_rows,
    first_projection,
    projection_statements,
)
from lorewright.turn.store.store import CampaignStore
from lorewright.turn.store.turn_store import redo, undo
from lorewright.world import ops as o
from lorewright.world.apply import apply
from lorewright.world.frozen import with_entry
from lorewright.world.state import Fact, Relationship, WorldState
from support import harbour as h
from support import small_world as w
from support import state_strategies as some
from support.scale import scaled

CAMPAIGN = (
    "game", "Game", "s", "{}", "{}", "freeform", "", 1, "builtin", "builtin", "turn_0", 0, 0, "2026", "2026", "main", "{}", "[]",
)  # fmt: skip


def stored(database: Database) -> dict[str, set[tuple[object, ...]]]:
    return {table: set(projected_rows(database, table)) for table in PROJECTED}


def of_the_head(store: CampaignStore) -> bool:
    """Whether the tables are what the head's state makes of them, and say so."""
    head = head_row(store.database)
    wanted = all_rows(store.campaign_id, store.state_at(head.turn_id), campaign_row(store.database)["rules_json"])
    return projected_turn(store.database) == head.turn_id and stored(store.database) == wanted


def rows(path: Path, sql: str) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        add_functions(connection)
        return [dict(row) for row in connection.execute(sql).fetchall()]


# The mapping.


@settings(max_examples=scaled(8))
@given(some.states, some.states)
def test_what_changed_between_two_states_makes_the_rows_of_one_those_of_the_other(
    before: WorldState, after: WorldState
) -> None:
    found = {table: {row[1 : 1 + len(key)]: row for row in all_rows("game", before)[table]} for table, key in KEYS}
    for change in changed_rows(before, after):
        if change.rest is None:
            del found[change.table][change.key]
        else:
            found[change.table][change.key] = ("game", *change.key, *change.rest)
    assert {table: set(kept.values()) for table, kept in found.items()} == all_rows("game", after)


KEYS = tuple(PROJECTED.items())


@settings(max_examples=scaled(15))
@given(some.states)
def test_between_equal_states_nothing_changed_however_they_came_to_be(state: WorldState) -> None:
    read = WorldState.model_validate_json(state.to_json())
    assert list(changed_rows(state, read)) == []


def test_a_turn_in_a_world_of_many_facts_writes_the_facts_that_it_changed() -> None:
    facts = {f"f{n}": Fact(id=f"f{n}", subject_id=w.JO, predicate="owes", object=n) for n in range(2000)}
    before = w.small_world(facts=facts)
    after = w.after(
        before,
        o.UpdateFact(fact_id="f7", object=True),
        o.AddFact(fact=Fact(id="new", subject_id=w.JO, predicate="is")),
        o.TickClock(clock_id=w.HEAT, delta=1),
    )
    changes = list(changed_rows(before, after))
    assert {(one.table, one.key) for one in changes} == {
        ("established_facts", ("f7",)),
        ("established_facts", ("new",)),
        ("clocks", (w.HEAT,)),
    }


def test_what_python_takes_for_equal_and_json_does_not_is_a_change() -> None:
    before = w.after(w.small_world(), o.AddFact(fact=Fact(id="f", subject_id=w.JO, predicate="is", object=1)))
    (change,) = changed_rows(before, w.after(before, o.UpdateFact(fact_id="f", object=True)))
    assert change.rest is not None
    assert change.rest[2] == "true"


def test_what_is_within_and_between_characters_has_its_rows() -> None:
    employs = Relationship(a=w.VIKTOR, b=w.JO, rel_type="employer", intensity=2, notes={"since": "spring"})
    before = w.small_world()
    after = w.after(
        before,
        o.SetRelationship(relationship=employs),
        o.Observe(who=w.VIKTOR, content="Jo lied.", importance=4),
        o.Observe(who=w.VIKTOR, content="jo  lied.", importance=2),
        o.SetCharacterState(who=w.MARA, name="mood", value="sour", level=3),
        o.AddCondition(who=w.MARA, condition="bound"),
        o.SetStreak(who=w.JO, failures=2),
        o.Escalate(who=w.MARA, to=1),
        o.AdvanceTime(minutes=5),
        o.Announce(threat_id="police", minutes=20),
        o.BeginSituation(situation_id="blackout"),
        o.SetTurnOrder(actors=(w.JO, w.MARA)),
        o.ChangeRelation(a=w.VIKTOR, b=w.JO, tension=3),
    )
    found = {(one.table, one.key): one.rest for one in changed_rows(before, after)}
    assert found[("relationships", (w.VIKTOR, w.JO, "employer"))] == (2, '{"since":"spring"}', "campaign", None)
    assert found[("scene_relations", (f"{w.JO}|{w.VIKTOR}",))] == (w.JO, w.VIKTOR, 0, 3, 0)
    (memory,) = [rest for (table, _), rest in found.items() if table == "observations"]
    assert memory == ("Jo lied.", 4, 1, 0)
    mara = found[("characters", (w.MARA,))]
    assert mara == ("Mara", "npc", "{}", "{}", w.BAR, '{"mood":{"level":3,"value":"sour"}}', '["bound"]', 0, 1)
    assert found[("characters", (w.JO,))] == ("Jo", "user_persona", "{}", "{}", w.BAR, "{}", "[]", 2, 0)
    assert found[("pending_threats", ("police",))] == (5, 25)
    assert found[("active_situations", ("blackout",))] == (5, None)
    scene = found[("scene", ("scene_001",))]
    assert scene is not None
    assert scene[-1] == f'{{"actors":["{w.JO}","{w.MARA}"],"at":0}}'
    # And with the turns that were taken back they go.
    gone = [one for one in changed_rows(after, before) if one.rest is None]
    assert {one.table for one in gone} == {
        *("relationships", "scene_relations", "observations", "pending_threats", "active_situations"),
    }


# The map and what was told belong to no table of the seeds.
UNTOLD = {"schema_version", "exits", "doors", "reveals", "visits", "recall", "ended"}


def test_every_part_of_a_state_has_its_table_or_is_named_as_having_none() -> None:
    told = {field for table in TABLES for field in table.fields}
    assert told | UNTOLD == set(WorldState.model_fields)
    assert not told & UNTOLD
    assert [table.name for table in TABLES] == list(PROJECTED)


# In SQL.


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with opened(tmp_path_factory.mktemp("projection") / "game.db") as database:
        migrate(database, CAMPAIGN_MIGRATIONS)
        with database.transaction() as connection:
            # Its head is no turn, which only who reads a state asks about.
            connection.execute(f"INSERT INTO campaigns VALUES ({', '.join('?' * len(CAMPAIGN))})", CAMPAIGN)
        yield database


@settings(max_examples=scaled(10), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(some.turns(ops=12), st.integers(1, 4))
def test_the_tables_follow_every_state(empty: Database, begun: tuple[WorldState, list[o.StateOp]], by: int) -> None:
    start, ops = begun
    turns = [ops[at : at + by] for at in range(0, len(ops), by)]
    at = StateOf("turn_0", start)
    write(empty, first_projection("game", at))
    assert stored(empty) == all_rows("game", at.state)
    for number, ops in enumerate(turns, start=1):
        state = at.state
        for op in ops:
            state = apply(state, [op]).state
        now = StateOf(f"turn_{number}", state)
        write(empty, projection_statements(empty, "game", at, now))
        assert (projected_turn(empty), stored(empty)) == (now.turn_id, all_rows("game", state))
        at = now


def write(database: Database, statements: tuple[Any, ...]) -> None:
    with database.transaction() as connection:
        for sql, parameters in statements:
            connection.execute(sql, parameters)


def test_a_number_that_no_column_holds_does_not_stop_a_turn(empty: Database) -> None:
    rich = w.after(w.small_world(), o.ChangeInventory(owner_id=w.JO, item_id=w.COIN, delta=10**30))
    write(empty, first_projection("game", StateOf("turn_0", rich)))
    assert ("game", w.JO, w.COIN, 2**63 - 1, "{}") in stored(empty)["inventory"]


def test_a_world_of_many_facts_is_projected_in_few_statements_a_turn(empty: Database) -> None:
    facts = {f"f{n}": Fact(id=f"f{n}", subject_id=w.JO, predicate="owes", object=n) for n in range(300)}
    at = StateOf("turn_0", w.small_world(facts=facts))
    write(empty, first_projection("game", at))
    revised = at.state.facts["f3"].model_copy(update={"object": "much"})
    after = at.state.with_fields(facts=with_entry(at.state.facts, "f3", revised))
    statements = projection_statements(empty, "game", at, StateOf("turn_1", after))
    assert len(statements) == 2


# In a game.


def game(tmp_path: Path) -> App:
    return h.harbour(tmp_path, played=("look", "take rope", "ask Osk about Lin"))


def test_the_tables_go_with_the_head_wherever_it_goes(tmp_path: Path) -> None:
    app = game(tmp_path)
    path = app.campaigns.path("game")
    with app.campaigns.open("game") as campaign:
        store = campaign.store
        assert of_the_head(store)
        for line in ("go door", "frobnicate quietly", "wait"):
            asyncio.run(campaign.submit(line))
            assert of_the_head(store)
        assert rows(path, "SELECT location_id FROM scene") == [{"location_id": "harbour:quay"}]
        carried = "SELECT item_id FROM inventory WHERE owner_id = 'game:player' ORDER BY item_id"
        assert [row["item_id"] for row in rows(path, carried)] == ["game:lantern", "game:rope"]
        for move in (
            lambda: undo(store, turns=5),
            lambda: redo(store),
            lambda: undo(store),
            lambda: branch(store, turn="0", name="side"),
            lambda: switch(store, "side"),
            lambda: asyncio.run(campaign.submit("wait")),
            lambda: switch(store, "main"),
            lambda: rollback(store),
        ):
            move()
            assert of_the_head(store)
        assert [row["item_id"] for row in rows(path, carried)] == ["game:lantern"]
    assert check(path).clean


def test_another_process_finds_the_tables_where_the_head_is(tmp_path: Path) -> None:
    app = game(tmp_path)
    with app.campaigns.open("game") as first, app.campaigns.open("game") as second:
        for campaign in (first, second, second, first):
            asyncio.run(campaign.submit("wait"))
            undo(campaign.store)
            redo(campaign.store)
            assert of_the_head(first.store)


def test_nothing_in_a_game_reads_the_tables(tmp_path: Path) -> None:
    """Without them the same words give the same bytes, and what is written next fills them again."""
    app, other = game(tmp_path / "one"), game(tmp_path / "two")
    with app.campaigns.open("game") as spoilt, other.campaigns.open("game") as whole:
        for line in ("go door", "wait"):
            with spoilt.store.database.transaction() as connection:
                for table in (*PROJECTED, "projection"):
                    connection.execute(f"DELETE FROM {table}")
            assert asyncio.run(spoilt.submit(line)) == asyncio.run(whole.submit(line))
            assert of_the_head(spoilt.store)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE projection SET turn_id = 'turn_elsewhere'",
        "UPDATE projection SET format = 0",
        "DELETE FROM projection",
    ],
)
def test_a_projection_that_lags_behind_is_made_anew_when_the_file_is_opened(tmp_path: Path, damage: str) -> None:
    app = game(tmp_path)
    path = app.campaigns.path("game")
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(f"{damage}; DELETE FROM inventory")
    assert {one.code for one in check(path).findings} == {"projection-behind", "projection-differs"}
    with app.campaigns.reading("game") as store:
        assert of_the_head(store)
    assert check(path).clean


@pytest.mark.parametrize("table", PROJECTED)
def test_a_row_that_is_not_of_the_state_is_found_and_mended(tmp_path: Path, table: str) -> None:
    app = game(tmp_path)
    path = app.campaigns.path("game")
    width = len(rows(path, f"PRAGMA table_info({table})"))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"INSERT INTO {table} VALUES ('game', {', '.join(['1'] * (width - 1))})")
        connection.commit()
    (finding,) = check(path).findings
    assert (finding.code, finding.where) == ("projection-differs", table)
    assert finding.hint == "make it anew: lorewright db migrate game"
    # To open it does not mend it: the tables say that they are of the head.
    done = migrate_file(path)
    assert (done.applied, done.projected, done.problem) == ((), True, None)
    assert check(path).clean
    assert not migrate_file(path).projected


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE entities SET name = CAST(x'ff' AS TEXT)",
        "UPDATE entities SET campaign_id = 'stranger'",
        "UPDATE clocks SET value = 'none'",
        "DELETE FROM characters",
    ],
)
def test_whatever_became_of_the_tables_is_mended_and_harms_nobody(tmp_path: Path, damage: str) -> None:
    app = game(tmp_path)
    path = app.campaigns.path("game")
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(damage)
    found = check(path).findings
    assert found
    assert {one.hint for one in found} == {"make it anew: lorewright db migrate game"}
    (told,) = h.say(app, "wait")
    assert told["turn_no"] == 4
    assert migrate_file(path).projected
    assert check(path).clean


def test_a_head_that_cannot_be_read_keeps_no_file_from_opening(tmp_path: Path) -> None:
    app = game(tmp_path)
    path = app.campaigns.path("game")
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("UPDATE world_states SET state_json = '{}'; DELETE FROM projection")
    with app.campaigns.reading("game") as store:
        assert store.campaign().current_turn == 3
    assert migrate_file(path).problem is not None


def test_a_head_that_cannot_be_read_can_be_left(tmp_path: Path) -> None:
    app = game(tmp_path)
    path = app.campaigns.path("game")
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "UPDATE world_states SET state_json = '{}' WHERE turn_id = (SELECT head_turn_id FROM campaigns)"
        )
    with app.campaigns.reading("game") as store:
        with pytest.raises(StateMisfit):
            store.head()
        assert rollback(store).turn_no == 2
        assert of_the_head(store)


# What the views tell.


def test_the_views_tell_what_happened(tmp_path: Path) -> None:
    app = game(tmp_path)
    with pytest.raises(ProviderError):
        h.say(h.with_models(app, {"narrator": ScriptedModel([ProviderError("gone")])}), "wait")
    (asked,) = h.say(app, "ask Osk about debt")
    path = app.campaigns.path("game")
    with app.campaigns.reading("game") as store:
        turns = store.turns()

    events = rows(path, "SELECT * FROM events ORDER BY turn_no")
    assert [one["id"] for one in events] == [turn["turn_id"] for turn in turns]
    assert events[-1]["player_input"] == "ask Osk about debt"
    assert events[-1]["final_text"] == asked["final_text"]
    assert json.loads(events[-1]["engine_events_json"]) == asked["engine_events"]
    assert json.loads(events[-1]["context_packet_json"])["scene"]["location_id"] == "harbour:tavern"
    assert set(json.loads(events[-1]["pass_outputs_json"])) >= {"interpreter", "planner", "narrator"}
    assert json.loads(events[-1]["state_diff_json"])[0]["op"]

    inside = rows(path, f"SELECT * FROM turn_events WHERE scene_id = '{turns[-1]['turn_id']}' ORDER BY position")
    assert (inside[0]["event_type"], inside[-1]["step_name"]) == ("user_action", "engine_apply")
    assert json.loads(inside[0]["payload_json"]) == "ask Osk about debt"
    assert [json.loads(one["payload_json"]) for one in inside if one["event_type"] == "tool_call"] == asked["rolls"]
    assert {one["turn_index"] for one in inside} == {4}
    (failed,) = rows(path, "SELECT * FROM turn_events WHERE event_type = 'error'")
    assert (failed["scene_id"], failed["step_name"]) == (turns[3]["turn_id"], "provider_failed")

    scenes = rows(path, "SELECT * FROM scenes ORDER BY scene_index")
    assert [one["scene_index"] for one in scenes] == [0, 4]
    assert WorldState.model_validate_json(scenes[-1]["state_json"]).content_hash() == turns[-1]["state_hash"]

    (ruleset,) = rows(path, "SELECT * FROM rulesets")
    assert (ruleset["id"], ruleset["schema_version"]) == ("freeform", 1)
    assert ruleset["rulebook_text"]
    (scenario,) = rows(path, "SELECT * FROM scenarios")
    assert (scenario["id"], scenario["title"], scenario["ruleset_id"]) == ("night_boat", "Night Boat", "freeform")
    assert scenario["intro_seed"].startswith("The rain")
    cast = rows(path, "SELECT character_id FROM scenario_characters ORDER BY character_id")
    assert [one["character_id"] for one in cast] == ["bea", "osk", "player"]
    roles = rows(path, "SELECT character_id, role FROM session_characters ORDER BY character_id")
    assert [tuple(one.values()) for one in roles] == [
        ("game:player", "user_persona"),
        ("harbour:bea", "npc"),
        ("harbour:osk", "npc"),
    ]


def test_the_summaries_of_sittings_are_a_view(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    with app.campaigns.open("game") as campaign:
        session = active_or_new_session(campaign)
        h.say(app, "look", "take rope")
        summary = end(campaign, session).summary
    (row,) = rows(app.campaigns.path("game"), "SELECT * FROM summaries")
    assert (row["scope"], row["scope_id"], row["turn_no_range"]) == ("session", session.id, "1-2")
    assert row["text"] == summary


def test_a_change_of_a_row_says_its_key_as_the_table_has_it() -> None:
    changes = [one for one in changed_rows(None, w.small_world()) if isinstance(one, RowChange)]
    assert {one.table: len(one.key) for one in changes} == {one.table: len(PROJECTED[one.table]) for one in changes}


def test_what_was_discovered_stands_in_facts_and_reveals_with_turn_method_and_source(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    h.say(app, "look", "ask Osk about Lin", "search under the counter")
    path = app.campaigns.path("game")
    revealed = rows(path, "SELECT * FROM reveals WHERE character_id = 'game:player' ORDER BY discovered_turn")
    assert [(one["item_id"], one["discovered_turn"], one["discovery_method"]) for one in revealed] == [
        ("harbour:osk:knows#boat", 2, "told"),
        ("harbour:tavern:discoverable#letter", 3, "found"),
    ]
    facts = rows(path, "SELECT * FROM facts WHERE origin = 'pack' ORDER BY discovered_turn")
    assert [(one["subject_id"], one["predicate"], one["source_chunk_id"], one["pack_id"]) for one in facts] == [
        ("harbour:osk", "knows", "harbour:osk:knows", "harbour"),
        ("harbour:tavern", "discoverable", "harbour:tavern:discoverable", "harbour"),
    ]
    assert [(one["discovered_turn"], one["discovery_method"]) for one in facts] == [(2, "told"), (3, "found")]
    assert json.loads(facts[0]["object_json"]) == {"item": "harbour:osk:knows#boat"}
    with app.campaigns.reading("game") as store:
        rollback(store)
        known = {who: set(items) for who, items in store.head().state.reveals.items()}
    left = rows(path, "SELECT character_id, item_id FROM reveals")
    assert {(one["character_id"], one["item_id"]) for one in left} == {
        (who, item) for who, items in known.items() for item in items
    }
    assert rows(path, "SELECT 1 FROM facts WHERE discovered_turn = 3") == []


def test_a_stage_that_ran_several_times_has_an_array_and_no_key_twice(tmp_path: Path) -> None:
    app = game(tmp_path)
    path = app.campaigns.path("game")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            """INSERT INTO stage_records (campaign_id, turn_id, seq, stage, input_json, output_json, model_key, model_name,
               attempts_json, input_tokens, output_tokens, builtin_version)
               SELECT campaign_id, turn_id, 1000, stage, '{}', '"again"', 'x', 'x', '[]', 0, 0, 9 FROM stage_records
               WHERE stage = 'narrator' AND turn_id = (SELECT turn_id FROM turns WHERE turn_no = 1)"""
        )
        connection.commit()
    (event,) = rows(path, "SELECT * FROM events WHERE turn_no = 1")
    pairs = json.loads(event["pass_outputs_json"], object_pairs_hook=list)
    assert len({name for name, _ in pairs}) == len(pairs)
    assert dict(pairs)["narrator"][1] == "again"
    assert json.loads(event["builtin_versions_json"])["narrator"] == 9


def test_scenes_have_no_snapshot_that_is_missing(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    h.say(app, *["wait"] * 3)
    scenes = rows(app.campaigns.path("game"), "SELECT * FROM scenes")
    assert all(one["state_json"] for one in scenes)
    assert {one["scene_index"] for one in scenes} >= {0, 3}


def test_other_programs_read_the_tables_and_the_views_without_packed_texts(tmp_path: Path) -> None:
    app = game(tmp_path)
    with closing(sqlite3.connect(app.campaigns.path("game"))) as connection:
        names = [
            name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
        ]
        refused = set()
        for name in names:
            try:
                connection.execute(f"SELECT * FROM {name}").fetchall()
            except sqlite3.OperationalError as problem:
                assert "text_of" in str(problem)
                refused.add(name)
    assert refused == {"events", "scenes", "rulesets", "scenarios", "scenario_characters"}
