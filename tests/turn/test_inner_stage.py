"""The extractors of inner life: what they are shown, what their built-in twin makes of a deed, what of an answer is no
answer."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given as examples
from hypothesis import strategies as st

from lorewright.llm.doubles import ScriptedModel
from lorewright.llm.prompt_library import PromptLibrary
from lorewright.rules.actions import Action
from lorewright.rules.verbs import verbs
from lorewright.turn.run.background import inner_ops
from lorewright.turn.stages.inner.stage import CharacterExtract, PersonaExtract
from lorewright.turn.views.draft import Recorder
from lorewright.values.inner import InnerInput, StateExtractorOutput, inner_input
from lorewright.values.records import Message
from lorewright.world.ops import AddFact
from lorewright.world.state import Fact, WorldState
from lorewright.world.things import CharacterState
from support import small_world as w
from support.prompt_files import SHIPPED

RULES = w.freeform_rules().ruleset
LIBRARY = PromptLibrary([SHIPPED])
STATES = {
    "morality": {"value": 5, "level": 7},
    "rage": {"value": 2, "level": 4},
    "mood": {"value": "calm", "level": 6},
    "oath": {"value": "never to lie", "level": 8},
}


def moved_world(who: str = w.JO, **states: Any) -> WorldState:
    return w.small_world(characters={who: {"profile": {"description": "A runner."}, "states": states or STATES}})


def shown(*actions: Action, who: str = w.JO, state: WorldState | None = None, **fields: Any) -> InnerInput:
    fields = {"intention": "I do it.", **fields}
    return inner_input(who, state or moved_world(who), RULES, actions=actions, **fields)


def act(kind: str, target: str | None = None, who: str = w.JO, **metadata: Any) -> Action:
    return Action(actor_id=who, type=kind, target_id=target, metadata=metadata)


def builtin_answer(*actions: Action, **fields: Any) -> dict[str, Any]:
    output = PersonaExtract().builtin_answer(shown(*actions, **fields))
    return {change.name: change.value for change in output.changes}


def ran(stage: PersonaExtract | CharacterExtract, given: InnerInput) -> tuple[StateExtractorOutput, Recorder]:
    recorder = Recorder()
    return asyncio.run(stage.run(given, recorder)), recorder


def test_whoever_attacks_pays_for_it_in_morality_and_lets_off_rage() -> None:
    assert builtin_answer(act("attack", w.VIKTOR)) == {"morality": 4, "rage": 1, "mood": "shaken"}


def test_whoever_gives_is_the_better_for_it() -> None:
    assert builtin_answer(act("give", w.VIKTOR, item_id=w.CARD)) == {"morality": 6, "mood": "lighter"}


def test_most_deeds_move_nothing() -> None:
    moving = {"attack", "threaten", "promise", "give"}
    still = {kind: builtin_answer(act(kind, w.VIKTOR)) for kind in sorted(set(verbs()) - moving)}
    assert {kind: moved for kind, moved in still.items() if moved} == {}


def test_a_deed_at_nobody_moves_nothing() -> None:
    assert builtin_answer(act("attack")) == builtin_answer(act("give", item_id=w.CARD)) == {}


@pytest.mark.parametrize(
    ("verb", "mood"), [("steal from", "tense"), ("lie to", "guarded"), ("comfort", "lighter"), ("stab", "shaken")]
)
def test_a_free_attempt_is_known_by_its_verb(verb: str, mood: str) -> None:
    assert builtin_answer(act("attempt", w.VIKTOR, verb=verb))["mood"] == mood


def test_whoever_breaks_faith_loses_more_than_by_the_deed_alone() -> None:
    bound = w.after(
        moved_world(),
        AddFact(fact=Fact(id="p", subject_id=w.JO, predicate="promised", object={"to": w.VIKTOR, "what": "peace"})),
    )
    assert builtin_answer(act("threaten", w.VIKTOR), state=bound)["morality"] == 3
    assert builtin_answer(act("threaten", w.MARA), state=bound)["morality"] == 4


def test_a_tag_of_a_characters_own_intent_counts_a_little_less_than_what_it_did() -> None:
    output = CharacterExtract().builtin_answer(shown(who=w.VIKTOR, tags=("deceit", "calm")))
    assert [(change.name, change.value, change.confidence) for change in output.changes] == [
        ("morality", 4, 0.8),
        ("mood", "guarded", 0.8),
    ]
    assert all(change.confidence >= RULES.review_below for change in output.changes)


def test_a_tag_that_says_what_the_action_is_counts_once() -> None:
    assert builtin_answer(act("threaten", w.VIKTOR), tags=("threat",))["morality"] == 4


def test_what_grows_unseen_comes_nearer_to_the_surface() -> None:
    output = PersonaExtract().builtin_answer(shown(act("threaten", w.VIKTOR)))
    rage = next(change for change in output.changes if change.name == "rage")
    assert (rage.value, rage.level) == (3, 5)


@examples(
    values=st.dictionaries(st.sampled_from(["morality", "guilt", "rage", "fear", "kindness"]), st.integers(-20, 20)),
    kinds=st.lists(st.sampled_from(["attack", "threaten", "give", "promise"]), max_size=5),
)
def test_the_twin_takes_small_steps_that_are_always_accepted(values: dict[str, int], kinds: list[str]) -> None:
    state = moved_world(**{name: {"value": value} for name, value in values.items()} or STATES)
    given = shown(*(act(kind, w.VIKTOR) for kind in kinds), state=state)
    output = PersonaExtract().builtin_answer(given)
    before = {one.name: one.value for one in given.states}
    counted = [change for change in output.changes if change.name in values]
    assert all(0 < abs(change.value - before[change.name]) <= 2 for change in counted)
    writes = inner_ops(output, w.JO, state, RULES, stage="persona_extractor", leak=lambda _: None)
    assert (len(writes.ops), writes.reviews, writes.refused) == (len(output.changes), (), ())


def test_an_extractor_is_shown_latent_states_and_its_own_words_alone() -> None:
    told = Message(owner="narrator", type="narration", turn_id="t1", seq=2, content="It rains.")
    given = shown(
        who=w.VIKTOR, intention="Viktor bolts the door.", thoughts=("Too late.",), narrations=((1, told),), tags=()
    )
    rendered = LIBRARY.prompt("character_extractor").render(CharacterExtract().context(given))
    assert "rage = 2 (level 4, latent)" in rendered.changing
    assert "mood = calm (level 6, manifest)" in rendered.changing
    assert [text in rendered.changing for text in ("Too late.", "Viktor bolts the door.", "It rains.")] == [True] * 3


def test_a_persona_is_asked_about_by_its_own_prompt() -> None:
    rendered = LIBRARY.prompt("persona_extractor").render(PersonaExtract().context(shown(intention="I steal it.")))
    assert "The player's character is Jo." in rendered.stable
    assert "<intention>I steal it.</intention>" in rendered.changing


def test_a_stat_that_an_extractor_may_write_is_shown_as_a_state() -> None:
    rules = w.freeform_rules().ruleset.model_copy(
        update={
            "character_stat_schema": {"type": "object", "properties": {"mood": {"type": "string"}, "wits": {}}},
            "owners": {"stats.mood": "extract", "stats.*": "scenario"},
            "states": {"mood": CharacterState(), "morale": CharacterState(value=5)},
        }
    )
    state = w.small_world(
        ruleset={"stat_schema": rules.character_stat_schema, "scene_schema": {}, "stats": {w.JO: {"mood": "wary"}}}
    )
    given = inner_input(w.JO, state, rules, intention="I wait.")
    assert [(one.name, one.value) for one in given.all_states] == [("morale", 5), ("mood", "wary")]


def test_a_model_is_asked_and_its_answer_kept() -> None:
    answer = {"changes": [{"name": "oath", "value": "never to lie to friends", "confidence": 0.7}]}
    output, recorder = ran(PersonaExtract(ScriptedModel([json.dumps(answer)]), LIBRARY), shown())
    assert [change.value for change in output.changes] == ["never to lie to friends"]
    assert [record.stage for record in recorder.records] == ["persona_extractor"]


def test_nobody_is_asked_about_one_who_has_no_state() -> None:
    model, rules = ScriptedModel([]), RULES.model_copy(update={"states": {}})
    output, _ = ran(
        CharacterExtract(model, LIBRARY), inner_input(w.MARA, w.small_world(), rules, intention="She sits.")
    )
    assert (output.changes, model.requests) == ((), [])


def test_a_new_state_is_an_answer_and_two_at_once_are_none() -> None:
    def asked(*changes: dict[str, Any]) -> StateExtractorOutput:
        model = ScriptedModel([json.dumps({"changes": changes})] * 4)
        return ran(PersonaExtract(model, LIBRARY), shown())[0]

    debt, shame = {"name": "debt", "value": 2}, {"name": "shame", "value": "a little"}
    assert [change.name for change in asked(debt, {"name": "morality", "value": 4}).changes] == ["debt", "morality"]
    assert asked(debt, shame).changes == ()


@pytest.mark.parametrize("change", [{"name": "wallet", "value": 100}, {"name": "morality", "value": "quite good"}])
def test_a_state_that_nobody_listed_and_another_kind_of_value_are_no_answer(change: dict[str, Any]) -> None:
    model = ScriptedModel([json.dumps({"changes": [change]})] * 4)
    assert ran(PersonaExtract(model, LIBRARY), shown())[0].changes == ()
    assert len(model.requests) == 3
