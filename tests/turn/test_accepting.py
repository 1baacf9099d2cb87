"""What a narration adds to the world: each proposal is judged by itself, and what is not its to say is refused with the
reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App, open_app
from lorewright.campaigns.scenarios.rulesets import load_ruleset
from lorewright.llm.doubles import ScriptedModel
from lorewright.lore_bootstrap import make_empty_workspace
from lorewright.rules.conditions import FactIs
from lorewright.rules.reach import holds
from lorewright.turn.checks.accepting import Acceptance, accept
from lorewright.values.entries import lore_conditions
from lorewright.values.proposals import ExtractorOutput
from lorewright.world.ops import AddFact, ChangeRelation
from lorewright.world.state import Fact, Thread, WorldState, relation_key
from support import harbour as h
from support import parlour as p
from support import small_world as w

BOY = {"id": "new_boy", "name": "Pim", "description": "A boy with a tray."}
CUP = {"id": "new_cup", "name": "chipped cup", "location": w.BAR}
HABIT = {"subject_id": w.VIKTOR, "predicate": "habit", "detail": "He hums."}


def judged(
    state: WorldState | None = None,
    *,
    secret: str = "",
    names: tuple[str, ...] = (),
    ruled: tuple[str, ...] = (),
    turn_no: int = 3,
    rules: Any = None,
    before: WorldState | None = None,
    **proposed: list[dict[str, Any]],
) -> Acceptance:
    return accept(
        ExtractorOutput.model_validate(proposed),
        state or w.small_world(),
        rules or w.freeform_rules().ruleset,
        campaign_id="game",
        turn_no=turn_no,
        quotes_secret=lambda text: "it quotes" if secret and secret in text else None,
        known_names=lambda name: name in names,
        ruled_threads=ruled,
        before=before,
    )


def reasons(acceptance: Acceptance) -> list[tuple[str, str]]:
    return [(one.kind, one.reason) for one in acceptance.record.refused]


def established(state: WorldState, **fact: Any) -> WorldState:
    return w.after(state, AddFact(fact=Fact.model_validate({"id": "f1", "subject_id": w.VIKTOR, **fact})))


def test_people_things_facts_threads_and_memories_become_true() -> None:
    acceptance = judged(
        introduced_npcs=[BOY],
        introduced_items=[CUP],
        established_facts=[HABIT],
        thread_updates=[{"id": w.JIN, "status": "resolved"}],
        new_observations=[{"character_id": w.VIKTOR, "content": "Jo hums.", "importance": 2}],
    )
    state = acceptance.state
    assert reasons(acceptance) == []
    assert state.name_of("game:pim") == "Pim"
    assert "game:pim" in state.present()
    assert "game:chipped_cup" in state.held_by(w.BAR)
    assert [(fact.object, fact.discovered_turn) for fact in state.facts_about(w.VIKTOR)] == [("He hums.", 3)]
    assert state.threads[w.JIN].status == "resolved"
    assert [one.content for one in state.observations[w.VIKTOR].values()] == ["Jo hums."]
    assert w.after(w.small_world(), *acceptance.record.accepted) == state


def test_a_fact_about_somebody_new_is_about_whoever_was_made_of_them() -> None:
    about = {"subject_id": "new_boy", "predicate": "trade", "detail": "He sells tea."}
    state = judged(introduced_npcs=[BOY], established_facts=[about]).state
    assert [fact.object for fact in state.facts_about("game:pim")] == ["He sells tea."]


@pytest.mark.parametrize("visibility", ["player", "gm"])
def test_what_is_established_is_not_told_otherwise_whether_the_player_knows_of_it_or_not(visibility: str) -> None:
    known = established(w.small_world(), predicate="Habit", object="He whistles.", visibility=visibility)
    acceptance = judged(known, established_facts=[HABIT])
    assert reasons(acceptance) == [("established_fact", "contradicts_fact")]
    assert acceptance.state == known


def test_what_is_established_already_is_no_contradiction() -> None:
    known = established(w.small_world(), predicate="habit", object="he  HUMS")
    assert reasons(judged(known, established_facts=[HABIT])) == [("established_fact", "already_exists")]


@pytest.mark.parametrize(
    "predicate",
    [
        "location",
        "is at",
        "At",
        "now_in_possession",
        "has",
        "Carries",
        "is-dead",
        "wounded",
        "locked",
        "promised",
        "owes",
    ],
)
def test_places_possession_harm_locks_and_promises_are_the_resolvers(predicate: str) -> None:
    acceptance = judged(established_facts=[{**HABIT, "predicate": predicate}])
    assert reasons(acceptance) == [("established_fact", "the_resolvers")]


@pytest.mark.parametrize(
    ("proposed", "kind", "reason"),
    [
        ({"established_facts": [{**HABIT, "subject_id": "town:nobody"}]}, "established_fact", "unknown_entity"),
        ({"introduced_items": [{**CUP, "location": w.JO}]}, "introduced_item", "the_resolvers"),
        ({"introduced_items": [{**CUP, "location": w.PIER}]}, "introduced_item", "the_resolvers"),
        ({"introduced_npcs": [{**BOY, "type": "god"}]}, "introduced_npc", "unknown_type"),
        ({"introduced_npcs": [{**BOY, "name": "Viktor"}]}, "introduced_npc", "already_exists"),
        ({"introduced_items": [{**CUP, "name": "Viktor"}]}, "introduced_item", "already_exists"),
        ({"thread_updates": [{"id": w.JIN, "status": "open"}]}, "thread_update", "already_exists"),
        ({"thread_updates": [{"id": "nothing", "status": "failed"}]}, "thread_update", "unknown_thread"),
        ({"thread_updates": [{"id": "ruled", "status": "failed"}]}, "thread_update", "the_resolvers"),
    ],
)
def test_each_other_refusal_has_its_reason_and_changes_nothing(
    proposed: dict[str, Any], kind: str, reason: str
) -> None:
    threads = {one: Thread(id=one, title=one) for one in (w.JIN, "ruled")}
    state = w.small_world(threads=threads)
    acceptance = judged(state, names=("Viktor",), ruled=("ruled",), **proposed)
    assert reasons(acceptance) == [(kind, reason)]
    assert acceptance.state == state


@pytest.mark.parametrize(
    "proposed",
    [
        {"introduced_npcs": [{**BOY, "description": "He knows the marmoset."}]},
        {"introduced_npcs": [{**BOY, "tags": ["the marmoset"]}]},
        {"introduced_items": [{**CUP, "name": "the marmoset"}]},
        {"established_facts": [{**HABIT, "detail": "the marmoset"}]},
        {"thread_updates": [{"id": w.JIN, "status": "failed", "reason": "the marmoset"}]},
        {"new_observations": [{"character_id": w.VIKTOR, "content": "the marmoset", "importance": 1}]},
    ],
)
def test_nothing_that_quotes_a_secret_is_kept_wherever_it_stands(proposed: dict[str, Any]) -> None:
    acceptance = judged(secret="the marmoset", **proposed)
    assert [reason for _, reason in reasons(acceptance)] == ["quotes_what_is_hidden"]
    assert acceptance.state == w.small_world()


def test_two_of_one_name_are_one() -> None:
    acceptance = judged(introduced_npcs=[BOY, {**BOY, "id": "other", "name": "PIM"}])
    assert reasons(acceptance) == [("introduced_npc", "already_exists")]


def test_one_that_is_refused_does_not_take_the_others_with_it() -> None:
    acceptance = judged(established_facts=[{**HABIT, "predicate": "location"}, HABIT], introduced_items=[CUP])
    assert reasons(acceptance) == [("established_fact", "the_resolvers")]
    assert [op.op for op in acceptance.record.accepted] == ["entity_add", "fact_add"]


def test_an_id_that_was_proposed_is_never_used() -> None:
    state = judged(introduced_npcs=[{**BOY, "id": w.VIKTOR, "name": "Pim"}]).state
    assert state.entities[w.VIKTOR] == w.small_world().entities[w.VIKTOR]


def test_ops_that_the_ruleset_does_not_allow_are_refused() -> None:
    strict = w.ruleset().model_copy(update={"allowed_ops": {"extract": ("observe",)}})
    acceptance = judged(rules=strict, established_facts=[HABIT], introduced_npcs=[BOY], introduced_items=[CUP])
    assert {reason for _, reason in reasons(acceptance)} == {"op_not_allowed"}
    assert acceptance.record.accepted == ()


def test_a_name_that_a_terminal_would_obey_is_kept_as_a_line() -> None:
    state = judged(introduced_npcs=[{**BOY, "name": "\x1b[31mPim\n\x07 the \x9bBoy"}]).state
    assert [one.name for one in state.entities.values() if one.id.startswith("game:")] == ["[31mPim the Boy"]


def test_no_condition_of_rules_or_packs_goes_by_what_was_only_told() -> None:
    state = judged(established_facts=[HABIT]).state
    assert not holds(FactIs(fact="habit", subject=w.VIKTOR), state)
    assert not lore_conditions(state).facts
    ruled = established(w.small_world(), predicate="habit", object="He hums.")
    assert holds(FactIs(fact="habit", subject=w.VIKTOR), ruled)
    assert ("habit", "viktor") in lore_conditions(ruled).facts


def test_a_narration_cannot_end_the_game_by_the_fact_that_an_ending_asks_for(tmp_path: Path) -> None:
    root = tmp_path / "workspace"
    make_empty_workspace(root)
    h.write_pack(root / "content_packs" / "harbour")
    ending = "  won: {say: You win., when: {fact: habit, subject: osk}}\n  fled: {"
    (root / "scenarios" / "night_boat.yaml").write_text(h.dedent(h.SCENARIO).replace("  fled: {", ending))
    app = open_app(root)
    app.campaigns.new("night_boat", campaign_id="game", seed=1)
    told = {"established_facts": [{"subject_id": "harbour:osk", "predicate": "habit", "detail": "He hums."}]}
    models = {"narrator": ScriptedModel(lambda _: "He hums."), "lore_extractor": ScriptedModel(lambda _: told)}
    h.say(h.with_models(app, models), "look", "wait", "look")
    with app.campaigns.reading("game") as store:
        state = store.head().state
    assert [fact.object for fact in state.facts_about("harbour:osk")] == ["He hums."]
    assert state.ended is None


def test_whoever_says_nothing_of_their_confidence_is_quite_sure() -> None:
    assert judged(established_facts=[HABIT]).record.waiting == ()


def test_a_fact_that_is_established_goes_into_the_lorebook_with_its_confidence() -> None:
    acceptance = judged(established_facts=[{**HABIT, "confidence": 0.75}])
    (entry,) = acceptance.record.lorebook
    (fact,) = acceptance.state.facts_about(w.VIKTOR)
    assert (entry.subject_id, entry.predicate, entry.detail, entry.fact_id) == (w.VIKTOR, "habit", "He hums.", fact.id)
    assert entry.confidence == fact.confidence == 0.6
    assert entry.flag is None


UNSURE = {"confidence": 0.59}


@pytest.mark.parametrize(
    ("proposed", "kind", "shown"),
    [
        ({"introduced_npcs": [{**BOY, **UNSURE}]}, "introduced_npc", "somebody new at the Neon Dragon: Pim (A boy with a tray.)"),
        ({"introduced_items": [{**CUP, **UNSURE}]}, "introduced_item", "something new at the Neon Dragon: chipped cup"),
        ({"established_facts": [{**HABIT, **UNSURE}]}, "established_fact", "Viktor: habit: He hums."),
        (
            {"thread_updates": [{"id": w.JIN, "status": "resolved", **UNSURE}]},
            "thread_update",
            "the thread “Where is Jin?” becomes resolved",
        ),
        (
            {"new_observations": [{"character_id": w.VIKTOR, "content": "Jo hums.", "importance": 2, **UNSURE}]},
            "new_observation",
            "Viktor remembers: Jo hums.",
        ),
    ],
)  # fmt: skip
def test_what_the_extractor_is_not_sure_of_waits_and_changes_nothing(
    proposed: dict[str, Any], kind: str, shown: str
) -> None:
    acceptance = judged(**proposed)
    assert acceptance.state == w.small_world()
    assert (acceptance.record.accepted, acceptance.record.refused, acceptance.record.lorebook) == ((), (), ())
    (review,) = acceptance.record.waiting
    assert (review.stage, review.kind, review.shown, review.confidence) == ("lore_extractor", kind, shown, 0.59)
    assert w.after(w.small_world(), *review.ops) != w.small_world()


def test_what_is_said_of_somebody_who_waits_waits_with_them() -> None:
    about = {"subject_id": "new_boy", "predicate": "trade", "detail": "He sells tea."}
    (review,) = judged(introduced_npcs=[{**BOY, **UNSURE}], established_facts=[about]).record.waiting
    assert "Pim: trade: He sells tea." in review.shown
    state = w.after(w.small_world(), *review.ops)
    assert [fact.object for fact in state.facts_about("game:pim")] == ["He sells tea."]


def test_a_ruleset_may_let_nothing_wait() -> None:
    rules = w.freeform_rules().ruleset.model_copy(update={"review_below": 0.0})
    assert judged(rules=rules, established_facts=[{**HABIT, "confidence": 0.0}]).record.waiting == ()


def test_what_speaks_against_the_established_is_flagged_and_never_waits() -> None:
    known = established(w.small_world(), predicate="habit", object="He whistles.")
    acceptance = judged(known, established_facts=[{**HABIT, "confidence": 0.2}])
    (entry,) = acceptance.record.lorebook
    assert (entry.flag, entry.against, entry.fact_id, entry.detail) == ("contradicts", "f1", None, "He hums.")
    assert (acceptance.state, acceptance.record.waiting) == (known, ())


@pytest.mark.parametrize(
    ("detail", "reason"),
    [("His eyes are green.", "contradicts_fact"), ("Viktor has grey eyes.", "already_exists")],
)
def test_what_a_pack_says_of_somebody_in_its_frontmatter_is_canon(detail: str, reason: str) -> None:
    world = w.small_world()
    viktor = world.entities[w.VIKTOR].model_copy(update={"attrs": {"eyes": "grey", "tale": "x " * 90}})
    state = world.with_fields(entities={**world.entities, w.VIKTOR: viktor})
    acceptance = judged(state, established_facts=[{**HABIT, "predicate": "Eyes", "detail": detail}])
    assert reasons(acceptance) == [("established_fact", reason)]
    assert [entry.against for entry in acceptance.record.lorebook] == (
        [f"{w.VIKTOR}@eyes"] if reason == "contradicts_fact" else []
    )
    assert reasons(judged(state, established_facts=[{**HABIT, "predicate": "tale"}])) == []


def test_a_secret_does_not_wait_to_be_let_in() -> None:
    acceptance = judged(secret="hums", established_facts=[{**HABIT, **UNSURE}])
    assert (reasons(acceptance), acceptance.record.waiting) == ([("established_fact", "quotes_what_is_hidden")], ())


def test_what_is_sure_does_not_wait_because_something_else_of_the_same_person_does() -> None:
    unsure, sure = {**HABIT, **UNSURE}, {**HABIT, "predicate": "shoes", "detail": "Two left ones."}
    acceptance = judged(established_facts=[unsure, sure])
    assert [fact.predicate for fact in acceptance.state.facts_about(w.VIKTOR)] == ["shoes"]
    assert [review.shown for review in acceptance.record.waiting] == ["Viktor: habit: He hums."]


STEP = {"a_id": w.JO, "b_id": w.VIKTOR, "tension": 1, "reason": "He has stopped pouring."}


def felt(state: WorldState) -> tuple[int, int, int]:
    edge = state.relations.get(relation_key(w.JO, w.VIKTOR))
    return (0, 0, 0) if edge is None else (edge.trust, edge.tension, edge.closeness)


def test_what_a_narration_shows_between_two_who_are_there_moves_by_one_step() -> None:
    before = felt(w.small_world())
    assert felt(judged(relation_changes=[STEP]).state) == (before[0], before[1] + 1, before[2])
    with pytest.raises(ValueError, match="less than or equal to 1"):
        judged(relation_changes=[{**STEP, "tension": 2}])


def test_a_narration_moves_nobody_who_is_elsewhere_nothing_by_nothing_and_nothing_that_a_rule_has_moved() -> None:
    nobody = judged(relation_changes=[{**STEP, "b_id": "town:nobody"}])
    assert reasons(nobody) == [("relation_change", "not_present")]
    assert reasons(judged(relation_changes=[{**STEP, "tension": 0}])) == [("relation_change", "nothing_changes")]
    world = w.small_world()
    threatened = w.after(world, ChangeRelation(a=w.JO, b=w.VIKTOR, tension=1))
    counted = judged(threatened, before=world, relation_changes=[STEP])
    assert reasons(counted) == [("relation_change", "the_resolvers")] and counted.state == threatened


def test_a_narration_alone_makes_no_enemies() -> None:
    worst = w.after(w.small_world(), ChangeRelation(a=w.JO, b=w.VIKTOR, tension=3 - felt(w.small_world())[1]))
    assert reasons(judged(worst, relation_changes=[STEP])) == [("relation_change", "the_resolvers")]
    assert felt(judged(worst, relation_changes=[{**STEP, "tension": -1}]).state)[1] == 2


def test_an_unsure_step_waits_and_says_what_it_would_be() -> None:
    acceptance = judged(relation_changes=[{**STEP, "confidence": 0.3}])
    assert felt(acceptance.state) == felt(w.small_world())
    (review,) = acceptance.record.waiting
    assert review.shown == "between Jo and Viktor: tension +1"
    assert review.reason == STEP["reason"]


def test_a_ruleset_that_keeps_relations_to_its_rules_refuses_them() -> None:
    ruleset = w.freeform_rules().ruleset
    kept = ruleset.model_copy(update={"allowed_ops": {**ruleset.allowed_ops, "extract": ("observe",)}})
    assert reasons(judged(rules=kept, relation_changes=[STEP])) == [("relation_change", "op_not_allowed")]


SPOKEN = "Smoke hangs from the beams. Somebody has come to the foot of the stairs."


def aired(app: App, **answer: Any) -> Any:
    """The ruleset's scene after a turn whose narration was read so."""
    models = {"narrator": ScriptedModel(lambda _: SPOKEN), "lore_extractor": ScriptedModel(lambda _: answer)}
    h.say(h.with_models(app, models), "wait")
    with app.campaigns.reading("game") as store:
        return store.head().state.ruleset.scene


def test_what_is_in_the_air_is_the_narrations_to_say(tmp_path: Path) -> None:
    app = p.begun(tmp_path / "workspace", "everyday-tension")
    scene = aired(app, state_ops=[{"op": "set", "path": "pressure", "value": "steps on the stair"}])
    assert scene["pressure"] == "steps on the stair"


def test_what_the_rules_count_is_not(tmp_path: Path) -> None:
    app = p.begun(tmp_path / "workspace", "everyday-tension")
    asked = [{"state_ops": [{"op": "set", "path": "pressure_clock", "value": 6}]}, {}]
    extractor = ScriptedModel(asked)
    h.say(h.with_models(app, {"narrator": ScriptedModel(lambda _: SPOKEN), "lore_extractor": extractor}), "wait")
    assert "pressure_clock is not a narration's to change, pressure is" in extractor.requests[1].talk[-1].text
    shown = extractor.requests[0].prompt.changing
    assert "Yours to change: pressure, a string" in shown and "Relations move." in shown
    with app.campaigns.reading("game") as store:
        scene = store.head().state.ruleset.scene
    ruleset, _ = load_ruleset("everyday-tension")
    op = {"op": "set", "path": "pressure_clock", "value": 6}
    with app.campaigns.reading("game") as store:
        state = store.head().state
    assert reasons(judged(state, rules=ruleset, state_ops=[op])) == [("state_op", "not_its_path")]
    assert scene["pressure_clock"] < 6
