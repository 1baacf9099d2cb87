"""What one of the cast is shown before they act: all that they know, nothing that they do not, and what they did."""

from __future__ import annotations

from typing import Any

from lorewright.rules.actions import Action, AuthoredAct, CastRule, Deed, done_key, tried_key
from lorewright.rules.effects import record_op
from lorewright.rules.patch import Outcome
from lorewright.rules.rulesets import CampaignRules
from lorewright.scene_lore.models import LoreText, NPCBriefing, SceneItem, SceneLore
from lorewright.turn.run.rounds import KNOWN, MEMORIES, memory_ops, npc_intent_input
from lorewright.values.proposals import NpcIntent, NpcIntentInput
from lorewright.world import ops as o
from lorewright.world.apply import apply
from lorewright.world.state import Relationship, WorldState
from support import small_world as w

SECRET = "I sold her for a marmoset."


def item(item_id: str, text: str = "Jin went to Pier 9.") -> SceneItem:
    return SceneItem(id=item_id, chunk_id=item_id.partition("#")[0], name=item_id.partition("#")[2], text=text)


LORE = SceneLore(
    scene_id="scene_001",
    location_id=w.BAR,
    briefings=(
        NPCBriefing(
            npc_id=w.VIKTOR,
            disposition=(LoreText(key="glass", chunk_id="town:viktor:disposition", text="Viktor polishes a glass."),),
            knows=(item(w.PIER_9), item(w.GOSSIP, "Chen is in town.")),
            withholds=(item(w.DEBT, SECRET),),
        ),
        NPCBriefing(npc_id=w.MARA, withholds=(item("town:mara:withholds#ring", "The ring is paste."),)),
    ),
    discoverable=(item(w.LEDGER, "A ledger lies under the bar."),),
)


def view(
    who: str = w.VIKTOR, *ops: o.StateOp, rule: CastRule | None = None, rules: dict[str, Any] | None = None, **more: Any
) -> NpcIntentInput:
    state = after(*ops)
    campaign = CampaignRules(ruleset=w.ruleset()).model_copy(
        update={"cast": {who: rule or CastRule()}, **(rules or {})}
    )
    given = {"messages": (), "outcomes": (), "generations": (), "seed": "1", "turn_no": 3, **more}
    return npc_intent_input(who, state, rules=campaign, lore=LORE, **given)


def after(*ops: o.StateOp) -> WorldState:
    applied = apply(w.small_world(), ops)
    assert applied.refusal is None
    return applied.state


def test_it_knows_its_own_and_keeps_back_what_it_withholds() -> None:
    knows = {one.id: one for one in view().knows}
    assert set(knows) == {w.PIER_9, w.GOSSIP, w.DEBT}
    assert [one for one in knows if knows[one].kept_back] == [w.DEBT]
    assert {one.holder_id for one in knows.values()} == {w.VIKTOR}


def test_nothing_of_anybody_elses_and_nothing_that_lies_hidden_is_in_it() -> None:
    shown = view().model_dump_json()
    assert "paste" not in shown and "ledger" not in shown
    assert SECRET not in view(w.MARA).model_dump_json()


def test_what_a_rule_has_opened_is_kept_back_no_more() -> None:
    known = {one.id: one for one in view(w.VIKTOR, o.RevealItem(item_id=w.DEBT, to=w.JO, how="told")).knows}
    assert not known[w.DEBT].kept_back
    assert known[w.DEBT].told_to == (w.JO,)


def test_what_it_was_told_it_knows_too_with_whose_it_is() -> None:
    (told,) = [
        one
        for one in view(w.MARA, o.RevealItem(item_id=w.PIER_9, to=w.MARA, how="overheard")).knows
        if one.id == w.PIER_9
    ]
    assert (told.holder_id, told.kept_back, told.told_to) == (w.VIKTOR, False, (w.VIKTOR,))


def test_its_view_names_itself_and_everybody_else_who_is_there() -> None:
    scope = view().scope
    assert scope.player.id == w.VIKTOR
    assert [one.id for one in scope.people] == [w.JO, w.MARA]
    assert [one.id for one in scope.carried] == [w.KEY]


def test_a_door_bars_the_way_to_whoever_has_no_key() -> None:
    ways = {who: {way.to: way.barred for way in view(who).scope.exits} for who in (w.VIKTOR, w.MARA)}
    assert ways[w.VIKTOR][w.ALLEY] is False
    assert ways[w.MARA][w.ALLEY] is True


def test_of_the_absent_it_can_name_those_alone_whom_it_has_heard_of() -> None:
    assert {one.id for one in view().scope.topics} == {w.PIER}
    heard = view(w.MARA, o.Observe(who=w.MARA, content="Jo went to Pier 9.", importance=3))
    assert {one.id for one in heard.scope.topics} == {w.PIER}
    assert view(w.MARA).scope.topics == ()


def test_states_below_the_threshold_are_in_no_view() -> None:
    states = (
        o.SetCharacterState(who=w.VIKTOR, name="rage", value="canary-rage", level=5),
        o.SetCharacterState(who=w.VIKTOR, name="mood", value="wary", level=6),
    )
    given = view(w.VIKTOR, *states)
    assert [one.name for one in given.me.states] == ["mood"]
    assert "canary-rage" not in given.model_dump_json()


def test_memories_fade_and_the_weightiest_come_first_with_who_was_there() -> None:
    ruleset = w.ruleset().model_copy(update={"decay_lambda": 0.1})
    ops = [
        o.Observe(who=w.VIKTOR, content="Jo broke a glass.", importance=4),
        o.AdvanceTime(minutes=60),
        o.Observe(who=w.VIKTOR, content="Jo paid for it.", importance=2),
        o.Observe(who=w.MARA, content="Jo paid for it.", importance=2),
    ]
    remembers = view(w.VIKTOR, *ops, rules={"ruleset": ruleset}).remembers
    assert [one.content for one in remembers] == ["Jo paid for it.", "Jo broke a glass."]
    assert [one.shared_with for one in remembers] == [(w.MARA,), ()]


def test_a_long_memory_and_a_long_list_of_things_known_are_cut() -> None:
    many = [o.Observe(who=w.MARA, content=f"Jo came in for the {n}th time.", importance=2) for n in range(MEMORIES + 5)]
    assert len(view(w.MARA, *many).remembers) == MEMORIES
    own = LORE.model_copy(
        update={
            "briefings": (
                NPCBriefing(npc_id=w.MARA, knows=tuple(item(f"town:mara:knows#k{n}") for n in range(KNOWN + 5))),
            )
        }
    )
    given = npc_intent_input(
        w.MARA,
        after(),
        rules=CampaignRules(ruleset=w.ruleset()),
        lore=own,
        messages=(),
        outcomes=(),
        generations=(),
        seed="1",
        turn_no=1,
    )
    assert len(given.knows) == KNOWN


def test_how_it_stands_to_everybody_there_and_what_they_are_to_it() -> None:
    ops = (
        o.ChangeRelation(a=w.VIKTOR, b=w.JO, trust=2, tension=1),
        o.SetRelationship(relationship=Relationship(a=w.MARA, b=w.VIKTOR, rel_type="sister")),
    )
    toward = {one.who: one for one in view(w.VIKTOR, *ops).toward}
    assert (toward[w.JO].trust, toward[w.JO].tension, toward[w.JO].ties) == (2, 1, ())
    assert toward[w.MARA].ties == ("sister",)
    assert {one.who: one.ties for one in view(w.MARA, *ops).toward}[w.VIKTOR] == ("sister of",)


ACTS = (
    AuthoredAct(id="a", when={"clock": w.HEAT, "min": 1}, do=Deed(type="wait")),  # type: ignore[arg-type]
    AuthoredAct(id="b", do=Deed(type="wait"), once=True),
    AuthoredAct(id="c", do=Deed(type="wait")),
)


def test_of_the_authored_acts_those_that_hold_and_are_not_done_with_are_shown() -> None:
    rule = CastRule(acts=ACTS, goal="  Be  left alone.\n")
    assert [act.id for act in view(rule=rule).acts] == ["b", "c"]
    assert view(rule=rule).me.goal == "Be left alone."
    done = [o.Recall(key=done_key(w.VIKTOR, one)) for one in "bc"]
    later = view(w.VIKTOR, o.TickClock(clock_id=w.HEAT, delta=1), *done, rule=rule)
    assert [act.id for act in later.acts] == ["a", "c"]


def test_an_authored_act_is_done_when_the_rules_let_it_happen() -> None:
    intent = NpcIntent(action_text="Viktor goes.", act_id="a", recall=(f"npc:{w.VIKTOR}:x", "phrase:x#1"))
    moved = Outcome(action_index=0, actor_id=w.VIKTOR, type="go", code="moved")
    keys = [op.key for op in memory_ops(w.VIKTOR, intent, (moved,))]
    # The narrator's own memory is not the cast's to write.
    assert keys == [f"npc:{w.VIKTOR}:x", tried_key(w.VIKTOR, "a"), done_key(w.VIKTOR, "a")]
    blocked = moved.model_copy(update={"code": "blocked"})
    assert [op.key for op in memory_ops(w.VIKTOR, intent, (blocked,))] == keys[:2]


def test_only_its_own_memory_and_what_the_cast_shares_is_shown() -> None:
    keys = (f"npc:{w.VIKTOR}:x", f"npc:{w.MARA}:x", "cast:moment.any#1", "phrase:opening#2", done_key(w.VIKTOR, "a"))
    given = view(w.VIKTOR, *(o.Recall(key=key) for key in keys))
    assert set(given.recall) == {keys[0], keys[2], keys[4]}


def test_promises_and_open_questions_that_concern_it_are_in_its_view() -> None:
    _, op = record_op(w.small_world(), by=w.JO, to=w.VIKTOR, predicate="promised", what="to pay")
    assert op is not None
    given = view(w.VIKTOR, op)
    assert [(one.by_id, one.to_id, one.what) for one in given.recorded] == [(w.JO, w.VIKTOR, "to pay")]
    assert view(w.MARA, op).recorded == ()


def test_a_campaign_without_a_cast_shows_anybody() -> None:
    rules = CampaignRules(ruleset=w.ruleset())
    given = npc_intent_input(
        w.MARA, after(), rules=rules, lore=LORE, messages=(), outcomes=(), generations=(), seed="1", turn_no=1
    )
    assert (given.me.goal, given.acts) == ("", ())
    assert Action(actor_id=w.MARA, type="wait").type in given.verbs
