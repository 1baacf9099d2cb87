"""The context packet: what is in it for whom, and what goes when it is too long."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lorewright.scene_lore.models import Briefing, LoreText, SceneItem, SceneLore
from lorewright.turn.views.packet import build_packet, fit_packet, packet_tokens
from lorewright.values.entries import Agenda
from lorewright.values.records import Message
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
        Briefing(npc_id=w.MARA),
        Briefing(npc_id=w.VIKTOR, capabilities=(line("Slow."), line("Strong.")), withholds=(item(w.DEBT),)),
    ),
    discoverable=(item(w.LEDGER), item(w.STAIN)),
)


def told(number: int, kind: str = "narration") -> tuple[int, Message]:
    return number, Message(owner="narrator", type=kind, turn_id=f"t{number}", seq=0, content=f"telling {number}")  # type: ignore[arg-type]


def packet(state: Any = None, viewer: Any = "planner", **fields: Any) -> dict[str, Any]:
    rules = fields.pop("rules", RULES)
    return build_packet(state or w.small_world(), rules, LORE, fields.pop("recent", ()), viewer=viewer, **fields)


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
        (0, 0, [("heat", 2)]),
        (2, 1, []),
        (3, 2, [("doom", 4)]),
        (4, 2, [("doom", 4), ("heat", 6)]),
        (6, 4, []),
    ],
)
def test_a_threat_is_a_clock_near_what_it_sets_off(heat: int, doom: int, expected: list[tuple[str, int]]) -> None:
    state = w.after(w.small_world(), TickClock(clock_id=w.HEAT, delta=heat), TickClock(clock_id=w.DOOM, delta=doom))
    for viewer in ("planner", "narrator"):
        threats = packet(state, viewer)["pending_threats"]
        assert [(one["clock_id"], one["at"]) for one in threats] == expected
        assert "raided" not in json.dumps(packet(state, viewer))
        assert all(set(one) == {"clock_id", "name", "value", "at", "max"} for one in threats)


def test_progress_counts_what_was_learned_and_only_the_planner_knows_of_more() -> None:
    state = w.after(
        w.small_world(),
        RevealItem(item_id=w.LEDGER, to=w.JO, how="found"),
        RevealItem(item_id="town:far:knows#x", to=w.JO, how="told"),
    )
    progress = {"learned": 2, "learned_here": 1, "threads": {w.JIN: "open"}}
    assert packet(state, "narrator")["investigation_progress"] == progress
    assert packet(state, "planner")["investigation_progress"] == {**progress, "to_find_here": 1}


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
    assert made["pending_threats"] == [{"threat_id": "gang", "name": "They are looking for you", "minutes_left": 15}]
    assert made["active_situations"] == [{"situation_id": "rain", "summary": "", "minutes_left": None}]


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
    parts = (lore["session"]["chunks"], lore["asked"], one["recent_events"], lore["scene"]["atmosphere"])
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
