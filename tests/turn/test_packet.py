"""The context packet: what is in it for whom, and what goes when it is too long."""

from __future__ import annotations

import ast
import gzip
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

import lorewright
from lorewright.ids import canonical_json
from lorewright.scene_lore.models import LoreText, NPCBriefing, SceneItem, SceneLore
from lorewright.storage.database import add_functions
from lorewright.turn.views.packet import build_packet, fit_packet, packet_tokens
from lorewright.values.entries import Agenda
from lorewright.values.packet import ONLY_OF_THE_SEEDS, ContextPacket
from lorewright.values.records import Message, NarratorInput, PlannerInput
from lorewright.world.ops import (
    AddCondition,
    AddFact,
    AdvanceTime,
    Announce,
    BeginSituation,
    ChangeRelation,
    RevealItem,
    SetCharacterState,
    SetRelationship,
    SetStreak,
    TickClock,
)
from lorewright.world.state import Fact, Relationship
from support import small_world as w

# The keys of the seeds' ContextPacket.
KEYS = {
    "scene",
    "present_entities",
    "entities",
    "facts",
    "threads",
    "clocks",
    "inventory",
    "relationships",
    "summary",
    "recent_events",
    "npc_agendas",
    "npc_capabilities",
    "investigation_progress",
    "pending_threats",
    "active_situations",
    "failure_streak",
    "calibration",
    "lore_context",
}
AGENDAS = {
    w.VIKTOR: Agenda("Say  no name\nbefore dawn.", ((w.HEAT, 2), (w.HEAT, 4), (w.DOOM, 4))),
    w.MARA: Agenda("Sell the pier."),
    w.CHEN: Agenda("Find Jin first."),
}
RULES = w.campaign_rules(
    clock_effects={w.HEAT: {2: ({"arrive": w.CHEN},), 6: ({"end": "raided"},)}, w.DOOM: {4: ({"end": "over"},)}}
)


def line(text: str) -> LoreText:
    return LoreText(key=text, chunk_id="town:bar:atmosphere", text=text)


def item(item_id: str) -> SceneItem:
    return SceneItem(id=item_id, chunk_id=item_id.partition("#")[0], name="x", text=f"text of {item_id}")


LORE = SceneLore(
    scene_id="scene_001",
    location_id=w.BAR,
    atmosphere=(line("Neon hums."), line("Rain falls.")),
    briefings=(
        NPCBriefing(npc_id=w.MARA),
        NPCBriefing(npc_id=w.VIKTOR, capabilities=(line("Slow."), line("Strong.")), withholds=(item(w.DEBT),)),
    ),
    discoverable=(item(w.LEDGER), item(w.STAIN)),
)


def told(number: int, kind: str = "narration") -> tuple[int, Message]:
    return number, Message(owner="narrator", type=kind, turn_id=f"t{number}", seq=0, content=f"telling {number}")  # type: ignore[arg-type]


def packet(state: Any = None, viewer: Any = "planner", **fields: Any) -> dict[str, Any]:
    rules = fields.pop("rules", RULES)
    made = build_packet(state or w.small_world(), rules, LORE, fields.pop("recent", ()), viewer=viewer, **fields)
    return made.model_dump(mode="json")


def test_it_has_the_keys_of_the_seed() -> None:
    assert set(packet()) == KEYS
    assert set(packet()["summary"]) == {"scene", "threads"}
    assert set(packet()["lore_context"]) == {"scene", "asked", "session"}


def test_the_summary_is_of_the_record() -> None:
    state = w.small_world(minutes=12, visits={w.BAR: 2})
    assert packet(state)["summary"] == {
        "scene": "Jo is at the Neon Dragon, for 12 minutes, for the second time. With them: Mara, Viktor.",
        "threads": "Where is Jin? (open)",
    }


def test_agendas_are_the_planners_alone_and_of_those_present_alone() -> None:
    assert packet(agendas=AGENDAS)["npc_agendas"] == {
        w.MARA: {"goal": "Sell the pier."},
        w.VIKTOR: {"goal": "Say no name before dawn.", "next": {"clock_id": w.HEAT, "at": 2}},
    }
    for viewer in ("narrator", "player"):
        assert "Sell the pier" not in json.dumps(packet(viewer=viewer, agendas=AGENDAS))


@pytest.mark.parametrize(
    ("heat", "doom", "expected"),
    [(2, 0, {"clock_id": w.HEAT, "at": 4}), (2, 3, {"clock_id": w.DOOM, "at": 4}), (4, 4, None)],
)
def test_the_next_step_of_an_agenda_is_the_one_that_is_nearest(heat: int, doom: int, expected: Any) -> None:
    state = w.after(w.small_world(), TickClock(clock_id=w.HEAT, delta=heat), TickClock(clock_id=w.DOOM, delta=doom))
    assert packet(state, agendas=AGENDAS)["npc_agendas"][w.VIKTOR].get("next") == expected


def test_capabilities_are_for_the_stages_and_not_for_the_player() -> None:
    for viewer, expected in (("planner", {w.VIKTOR: "Slow. Strong."}), ("narrator", {w.VIKTOR: "Slow. Strong."})):
        assert packet(viewer=viewer)["npc_capabilities"] == expected
    assert packet(viewer="player")["npc_capabilities"] == {}


@pytest.mark.parametrize(
    ("heat", "doom", "expected"),
    [
        # At rest nothing presses.
        (0, 0, []),
        (1, 0, [("Heat", 2)]),
        (2, 1, []),
        (3, 2, [("Doom", 4)]),
        (4, 2, [("Doom", 4), ("Heat", 6)]),
        (6, 4, []),
    ],
)
def test_a_threat_is_a_clock_near_what_it_sets_off(heat: int, doom: int, expected: list[tuple[str, int]]) -> None:
    state = w.after(w.small_world(), TickClock(clock_id=w.HEAT, delta=heat), TickClock(clock_id=w.DOOM, delta=doom))
    for viewer in ("planner", "narrator"):
        threats = packet(state, viewer)["pending_threats"]
        assert [(threat["name"], threat["at"]) for threat in threats] == expected
        assert "raided" not in json.dumps(packet(state, viewer))
        assert all(set(threat) == {"name", "at", "max"} for threat in threats)


def test_a_clock_that_the_player_wants_to_fill_is_no_threat() -> None:
    state = w.after(w.small_world(), TickClock(clock_id=w.HEAT, delta=1))
    assert packet(state)["pending_threats"]
    assert packet(state, rules=w.campaign_rules(good_clocks=(w.HEAT,)))["pending_threats"] == []


def test_only_the_planner_knows_how_much_more_can_be_found() -> None:
    state = w.after(
        w.small_world(),
        RevealItem(item_id=w.LEDGER, to=w.JO, how="found"),
        RevealItem(item_id="town:far:knows#x", to=w.JO, how="told"),
    )
    assert packet(state, "narrator")["investigation_progress"] == {}
    assert packet(state, "planner")["investigation_progress"] == {"to_find_here": 1}


def test_failures_in_a_row_are_told() -> None:
    assert packet(w.after(w.small_world(), SetStreak(who=w.JO, failures=3)))["failure_streak"] == {w.JO: 3}
    assert packet()["failure_streak"] == {}


def test_what_hangs_over_the_scene_is_told_by_its_title_and_how_long_it_takes() -> None:
    gang = {"title": "They are looking for you", "effects": [{"arrive": w.CHEN}], "say": "Chen is here."}
    rules = w.campaign_rules(threats={"gang": gang})
    state = w.after(
        w.small_world(),
        Announce(threat_id="gang", minutes=20),
        BeginSituation(situation_id="rain"),
        AdvanceTime(minutes=5),
    )
    made = packet(state, rules=rules)
    assert made["pending_threats"] == [{"name": "They are looking for you", "minutes_left": 15}]
    assert made["active_situations"] == [{"summary": ""}]


def test_conditions_are_everybodys_to_see_manifest_states_the_stages_and_ties_the_planners() -> None:
    state = w.after(
        w.small_world(),
        AddCondition(who=w.VIKTOR, condition="bound"),
        SetCharacterState(who=w.VIKTOR, name="mood", value="grim", level=6),
        SetCharacterState(who=w.VIKTOR, name="curse", value="asleep", level=5),
        SetRelationship(relationship=Relationship(a=w.VIKTOR, b=w.CHEN, rel_type="informer")),
    )

    def viktor(viewer: Any) -> Any:
        return next(one for one in packet(state, viewer)["entities"] if one["id"] == w.VIKTOR)["attrs"]

    assert viktor("narrator") == {"conditions": ["bound"], "states": {"mood": "grim"}}
    assert viktor("player") == {"conditions": ["bound"]}
    tied = {
        viewer: [one["rel_type"] for one in packet(state, viewer)["relationships"]]
        for viewer in ("planner", "narrator", "player")
    }
    assert tied == {"planner": ["informer"], "narrator": [], "player": []}


def test_the_last_three_narrations_are_told_and_nothing_else_of_the_stream() -> None:
    recent = [told(1), told(2), told(3, "intention"), told(3), told(4)]
    assert [one["turn_no"] for one in packet(recent=recent)["recent_events"]] == [2, 3, 4]


def long_packet() -> dict[str, Any]:
    facts = [Fact(id=f"f{number}", subject_id=w.JO, predicate="saw", object=f"thing {number}") for number in range(3)]
    state = w.after(
        w.small_world(), *(AddFact(fact=fact) for fact in facts), ChangeRelation(a=w.JO, b=w.VIKTOR, trust=1)
    )
    chunks = [{"chunk_id": f"c{number}", "section_path": "", "text": "lore " * 20} for number in range(2)]
    return packet(
        state,
        recent=[told(1), told(2), told(3)],
        asked=[{**one, "chunk_id": f"asked{number}"} for number, one in enumerate(chunks)],
        session={"threads": [w.JIN], "chunks": chunks, "total_tokens": 40},
        agendas=AGENDAS,
    )


def sizes(one: dict[str, Any]) -> tuple[int, ...]:
    """How much is left of what may go, in the order in which it goes."""
    lore = one["lore_context"]
    parts = (lore["session"].get("chunks", ()), lore["asked"], one["recent_events"], lore["scene"]["atmosphere"])
    return tuple(len(part) for part in (*parts, one["facts"], one["relationships"]))


def test_what_fits_is_left_as_it_is() -> None:
    whole = long_packet()
    assert sizes(whole) == (2, 2, 3, 2, 3, 1)
    assert fit_packet(whole, budget_tokens=packet_tokens(whole)) == whole


def test_entries_go_one_by_one_in_a_fixed_order() -> None:
    one = long_packet()
    seen = [sizes(one)]
    while (shorter := fit_packet(one, budget_tokens=packet_tokens(one) - 1)) != one:
        one = shorter
        seen.append(sizes(one))
    left = [2, 2, 3, 2, 3, 1]
    expected = [tuple(left)]
    for place in range(len(left)):
        while left[place]:
            left[place] -= 1
            expected.append(tuple(left))
    assert seen == expected


def test_the_worst_found_and_the_oldest_told_go_first() -> None:
    whole = long_packet()
    one = whole
    while len(one["recent_events"]) == 3:
        one = fit_packet(one, budget_tokens=packet_tokens(one) - 1)
        if len(one["lore_context"]["asked"]) == 1:
            assert one["lore_context"]["asked"][0]["chunk_id"] == "asked0"
    assert [event["turn_no"] for event in one["recent_events"]] == [2, 3]


def test_what_the_turn_stands_on_stays_however_small_the_budget() -> None:
    whole = long_packet()
    least = fit_packet(whole, budget_tokens=0)
    assert sizes(least) == (0, 0, 0, 0, 0, 0)
    kept = KEYS - {"facts", "relationships", "recent_events", "lore_context"}
    assert {key: least[key] for key in kept} == {key: whole[key] for key in kept}
    assert least["lore_context"]["scene"]["npc_briefings"] == whole["lore_context"]["scene"]["npc_briefings"]
    assert sizes(whole) == (2, 2, 3, 2, 3, 1)


# The type of the packet.


def paths_in(model: type[BaseModel], at: str = "") -> Iterator[str]:
    """The paths of all fields that have no fields of their own."""
    for name, field in model.model_fields.items():
        inner = models_in(field.annotation)
        yield from [f"{at}{name}"] if inner is None else paths_in(inner, f"{at}{name}.")


def models_in(annotation: Any) -> type[BaseModel] | None:
    """The packet's part in a type, such as PacketFact in a tuple of them."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := models_in(part)) is not None), None)


# The modules that read packets.
READERS = (
    *("turn/stages/plan/context.py", "turn/stages/narrate/context.py", "turn/stages/narrate/sources.py"),
    *(
        "turn/stages/variables.py",
        "turn/stages/standing.py",
        "builtin/planner.py",
        "builtin/narrator/views.py",
        "builtin/narrator/scenery.py",
    ),
)


def test_every_field_is_read_but_those_that_only_the_seeds_name() -> None:
    source = Path(lorewright.__file__).parent
    read = {
        node.attr
        for path in READERS
        for node in ast.walk(ast.parse((source / path).read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
    }
    paths = list(paths_in(ContextPacket))
    assert len(paths) == len(set(paths)) > 50
    kept = tuple(path for path in paths if path.startswith(ONLY_OF_THE_SEEDS))
    assert [path for path in paths if path not in kept and path.rpartition(".")[2] not in read] == []
    assert all(any(path.startswith(named) for path in paths) for named in ONLY_OF_THE_SEEDS)


@pytest.mark.parametrize("viewer", ["planner", "narrator", "player"])
def test_a_packet_is_read_back_as_it_was_written(viewer: Any) -> None:
    state = w.after(
        w.small_world(),
        AddCondition(who=w.VIKTOR, condition="bound"),
        SetCharacterState(who=w.VIKTOR, name="mood", value="grim", level=6),
        ChangeRelation(a=w.JO, b=w.VIKTOR, trust=1),
        TickClock(clock_id=w.HEAT, delta=1),
        Announce(threat_id="gang", minutes=20),
        RevealItem(item_id=w.LEDGER, to=w.JO, how="found"),
    )
    made = build_packet(state, RULES, LORE, [told(1)], viewer=viewer, agendas=AGENDAS, calibration={"mood": ["x"]})
    text = canonical_json(made.model_dump(mode="json"))
    assert canonical_json(ContextPacket.model_validate_json(text).model_dump(mode="json")) == text


def test_packets_of_earlier_versions_can_be_read() -> None:
    plain = packet(asked=[{"chunk_id": "c", "text": "lore"}], session={"chunks": [{"chunk_id": "d", "text": "more"}]})
    old = json.loads(json.dumps(plain))
    old["scene"]["constraints"] = {"ruleset_id": "d20", "rulebook_summary": "Roll.", "scene_state": {"heat": 1}}
    old["investigation_progress"] = {"learned": 2, "learned_here": 1, "threads": {w.JIN: "open"}, "to_find_here": 1}
    old["pending_threats"] = [{"clock_id": w.HEAT, "name": "Heat", "value": 2, "at": 4, "max": 6}]
    old["active_situations"] = [{"situation_id": "rain", "summary": "It rains.", "minutes_left": None}]
    old["lore_context"]["asked"][0]["section_path"] = "A > B"
    old["lore_context"]["session"] |= {"threads": [w.JIN], "total_tokens": 4}
    old["lore_context"]["scene"]["discoverable"].append({"where": w.BAR, "undiscovered_count": 2})
    read = ContextPacket.model_validate(old)
    assert (read.scene.constraints.rulebook_summary, read.pending_threats[0].at) == ("Roll.", 4)
    assert (read.investigation_progress.to_find_here, read.active_situations[0].summary) == (1, "It rains.")
    assert [passage.text for passage in (*read.lore_context.asked, *read.lore_context.session.chunks)] == [
        "lore",
        "more",
    ]
    # The first versions had fewer keys.
    assert ContextPacket.model_validate({"present_entities": ["player"]}).present_entities == ("player",)


OLD_CAMPAIGNS = sorted((Path(__file__).parents[1] / "fixtures" / "campaigns").glob("*.db.gz"))


@pytest.mark.parametrize("path", OLD_CAMPAIGNS, ids=lambda path: path.name)
def test_the_packets_of_old_campaign_files_can_be_read_and_lose_only_what_nobody_reads(
    path: Path, tmp_path: Path
) -> None:
    database = tmp_path / "campaign.db"
    database.write_bytes(gzip.decompress(path.read_bytes()))
    with closing(sqlite3.connect(database)) as connection:
        add_functions(connection)
        # An earlier version has no packed texts.
        asked = "SELECT stage, text_of(input_json) FROM stage_records WHERE stage IN ('planner', 'narrator')"
        rows = [(stage, json.loads(text)) for stage, text in connection.execute(asked)]
    assert {stage for stage, _ in rows} == {"planner", "narrator"}
    for stage, given in rows:
        read = (PlannerInput if stage == "planner" else NarratorInput).model_validate(given)
        stored = given["packet"]
        kept = read.packet.model_dump(mode="json")
        cut = {"scene", "summary", "investigation_progress", "pending_threats", "active_situations", "lore_context"}
        assert {key: kept[key] for key in kept.keys() - cut} == {key: stored[key] for key in stored.keys() - cut}
        asked_texts = [passage["text"] for passage in stored["lore_context"]["asked"]]
        assert [passage.text for passage in read.packet.lore_context.asked] == asked_texts
        assert kept["lore_context"]["scene"]["npc_briefings"] == stored["lore_context"]["scene"]["npc_briefings"]
