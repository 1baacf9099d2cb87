"""What changed between two states."""

from __future__ import annotations

from typing import Any

from lorewright.world import ops as o
from lorewright.world.changes import (
    changed_facts,
    clock_changes,
    door_changes,
    events_between,
    items_learned,
    minutes_passed,
    position_changes,
    progress_changes,
    quantity_changes,
    scene_change,
    thread_changes,
)
from lorewright.world.events import (
    Arrived,
    CampaignEnded,
    ClockTicked,
    ConditionGained,
    Departed,
    EngineEvent,
    Escalated,
    FactEstablished,
    ProgressMade,
    SceneChanged,
    SituationBegan,
    ThreadChanged,
    ThreatBegan,
    ThreatEnded,
    TurnPassed,
)
from lorewright.world.state import OFFSTAGE, Clock, Fact, WorldState
from support import small_world as w


def events(*ops: o.StateOp, before: WorldState | None = None) -> list[EngineEvent]:
    state = before or w.small_world()
    return [*events_between(state, w.after(state, *ops))]


def fact(fact_id: str, **fields: Any) -> o.AddFact:
    return o.AddFact(fact=Fact(**{"id": fact_id, "subject_id": w.VIKTOR, "predicate": "knows", **fields}))


def test_nothing_changed_makes_no_event() -> None:
    assert events() == []
    assert events(o.AdvanceTime(minutes=90), o.Recall(key="x"), o.ChangeRelation(a=w.JO, b=w.MARA, trust=1)) == []


def test_events_have_one_order_whatever_the_order_of_the_ops() -> None:
    found = events(
        o.EndCampaign(ending_id="raided"),
        o.Move(entity_id=w.CHEN, to=w.BAR),
        o.Move(entity_id=w.MARA, to=OFFSTAGE),
        o.SetTurnOrder(actors=(w.JO, w.VIKTOR)),
        o.BeginSituation(situation_id="rain"),
        o.Announce(threat_id="raid", minutes=5),
        o.Escalate(who=w.VIKTOR, to=2),
        o.AddCondition(who=w.JO, condition="wounded"),
        fact("f1"),
        o.Investigate(thread_id=w.JIN, delta=1),
        o.UpdateThread(thread_id=w.JIN, status="solved"),
        o.TickClock(clock_id=w.HEAT, delta=1),
        o.TickClock(clock_id=w.DOOM, delta=2),
    )
    assert found == [
        ClockTicked(clock=w.DOOM, before=0, after=2),
        ClockTicked(clock=w.HEAT, before=0, after=1),
        ThreadChanged(thread=w.JIN, before="open", after="solved"),
        ProgressMade(thread=w.JIN, before=0, after=1),
        FactEstablished(fact="f1", subject=w.VIKTOR, predicate="knows"),
        ConditionGained(entity=w.JO, condition="wounded"),
        Escalated(entity=w.VIKTOR, before="none", after="hard"),
        ThreatBegan(threat="raid"),
        SituationBegan(situation="rain"),
        TurnPassed(to=w.JO),
        Departed(entity=w.MARA),
        Arrived(entity=w.CHEN),
        CampaignEnded(ending="raided"),
    ]


def test_changes_that_take_each_other_back_are_none() -> None:
    up, down = (o.TickClock(clock_id=w.HEAT, delta=by) for by in (2, -2))
    assert events(up, down) == []
    assert events(o.Announce(threat_id="raid", minutes=5), o.EndThreat(threat_id="raid")) == []


def test_nobody_comes_or_goes_where_another_scene_opens() -> None:
    moved = (o.Move(entity_id=w.JO, to=w.PIER), o.OpenScene(location_id=w.PIER))
    assert events(*moved) == [SceneChanged(from_id=w.BAR, to_id=w.PIER)]
    assert events(o.OpenScene(location_id=w.BAR)) == [SceneChanged(from_id=w.BAR, to_id=w.BAR)]
    assert scene_change(w.small_world(), w.small_world()) is None


def test_what_the_player_may_not_know_makes_no_event() -> None:
    hidden = (
        fact("f1", visibility="gm"),
        fact("f2", predicate="promised", object={"to": w.MARA, "what": "silence"}),
        o.AddCondition(who=w.CHEN, condition="wounded"),
        o.RevealItem(item_id=w.PIER_9, to=w.MARA, how="told"),
        o.Move(entity_id=w.CHEN, to=w.PIER),
    )
    assert events(*hidden) == []
    # All the same it is a change, for those who judge and remember it.
    before = w.small_world()
    after = w.after(before, *hidden)
    assert changed_facts(before.facts, after.facts) == ["f1", "f2"]
    assert [(move.entity, move.from_id, move.to_id) for move in position_changes(before, after)] == [
        (w.CHEN, OFFSTAGE, w.PIER)
    ]


def test_a_fact_of_a_packs_entity_matters_beyond_the_campaign() -> None:
    entities = w.entities()
    entities[w.VIKTOR] = entities[w.VIKTOR].model_copy(update={"origin": "pack"})
    of_a_pack, own = (events(fact("f1"), before=w.small_world(entities=known))[0] for known in (entities, w.entities()))
    assert (of_a_pack.scope, own.scope) == ("world_affecting", "campaign")


def test_a_fact_that_is_written_again_as_it_was_is_no_change() -> None:
    before = w.after(w.small_world(), fact("f1", object="much"))
    after = w.after(before, o.UpdateFact(fact_id="f1", object="much"))
    assert before.facts["f1"] is not after.facts["f1"]
    assert changed_facts(before.facts, after.facts) == []
    assert changed_facts({}, after.facts) == ["f1"]


def test_a_clock_or_a_thread_that_is_new_has_not_moved() -> None:
    before = w.small_world(clocks={}, threads={})
    after = w.small_world(clocks={"tide": Clock(id="tide", name="Tide", value=2, max=4)})
    assert [*clock_changes(before, after), *thread_changes(before, after)] == []


def test_progress_is_told_apart_from_status() -> None:
    before = w.small_world()
    after = w.after(before, o.UpdateThread(thread_id=w.JIN, status="solved"), o.Investigate(thread_id=w.JIN, delta=2))
    assert progress_changes(before, after) == [ProgressMade(thread=w.JIN, before=0, after=2)]


def test_items_are_learned_in_the_order_of_their_telling_and_once() -> None:
    before = w.after(w.small_world(), o.RevealItem(item_id=w.STAIN, to=w.JO, how="found"))
    after = w.after(
        before, *(o.RevealItem(item_id=item, to=w.JO, how="told") for item in (w.PIER_9, w.STAIN, w.GOSSIP))
    )
    assert items_learned(before, after) == (w.PIER_9, w.GOSSIP)
    assert items_learned(after, before) == ()


def test_quantities_doors_and_minutes() -> None:
    before = w.small_world()
    after = w.after(
        before,
        o.TransferItem(item_id=w.COIN, from_id=w.BAR, to_id=w.JO, quantity=2),
        o.SetDoor(door_id=w.DOOR, locked=False),
        o.AdvanceTime(minutes=7),
    )
    lost = quantity_changes(before.held_by(w.BAR), after.held_by(w.BAR))
    assert [(change.item, change.before, change.after) for change in lost] == [(w.COIN, 3, 1)]
    assert [(change.door, change.before.locked, change.after.locked) for change in door_changes(before, after)] == [
        (w.DOOR, True, False)
    ]
    assert minutes_passed(before, after) == 7


def test_a_threat_that_ended_is_told() -> None:
    before = w.after(w.small_world(), o.Announce(threat_id="raid", minutes=5))
    assert events(o.EndThreat(threat_id="raid"), before=before) == [ThreatEnded(threat="raid")]
