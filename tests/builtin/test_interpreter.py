"""The interpreter: what is typed, and what it is taken to mean. `utterances.jsonl` is the table to add to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lorewright.builtin.parser.interpreter import interpret
from lorewright.values.records import InterpreterInput, InterpreterOutput
from lorewright.values.scope import Named, Scope
from support.narrator_bar import BAR, PLAYER, SCOPES, read

ROWS = [json.loads(line) for line in Path(__file__).with_name("utterances.jsonl").read_text("utf-8").splitlines()]
WORDS = st.sampled_from(
    (
        'look at ask viktor about jin take unit door and then , . ; " go to street search behind it him 2 wait the '
        "drop give use open lock unlock close attack persuade threaten promise tell sneak hide put throw show pull climb "
        "follow kiss pick lock with on past through down away all everything both me my them credstick what did i owe you"
    ).split()
)


def _shape(output: InterpreterOutput) -> list[dict[str, Any]]:
    ids = [("target", "target_id"), ("location", "location_id")]
    return [
        {
            "type": action.type,
            **{name: value for name, field in ids if (value := getattr(action, field))},
            **action.metadata,
        }
        for action in output.proposed_actions
    ]


def _ids(scope: Scope) -> set[str]:
    named = [
        scope.player,
        scope.place,
        *scope.people,
        *scope.here,
        *scope.carried,
        *scope.doors,
        *scope.topics,
    ]
    return {one.id for one in named} | {way.to for way in scope.exits}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.get('scope', 'bar')}: {row['text']}")
def test_an_utterance_is_read_as_the_table_says(row: dict[str, Any]) -> None:
    output = read(row["text"], row.get("scope", "bar"))
    assert _shape(output) == row.get("actions", [])
    assert (output.unclear is not None) == row.get("unclear", False)
    assert (None if output.aside is None else output.aside.kind) == row.get("aside")
    assert output.confidence < 0.5 if output.unclear else output.confidence == row.get("confidence", 1.0)


def test_the_table_is_long_enough_to_mean_something() -> None:
    assert len(ROWS) >= 80


@pytest.mark.parametrize("row", [row for row in ROWS if row.get("unclear")], ids=lambda row: row["text"])
def test_every_offered_line_works_when_it_is_typed(row: dict[str, Any]) -> None:
    scope = row.get("scope", "bar")
    unclear = read(row["text"], scope).unclear
    assert unclear is not None
    for line in unclear.lines:
        again = read(line, scope)
        assert again.unclear is None, line
        assert again.proposed_actions


@settings(max_examples=25)
@example("0?are", "bar")
@example("why", "bar")
@example(", , are you there", "bar")
@given(st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=20).map(" ".join)), st.sampled_from(sorted(SCOPES)))
def test_no_text_raises_or_names_anything_outside_the_scope(text: str, name: str) -> None:
    output, known = read(text, name), _ids(SCOPES[name])
    named = {action.target_id for action in output.proposed_actions}
    named |= {action.location_id for action in output.proposed_actions}
    named |= {action.item_id for action in output.proposed_actions}
    assert named - {None} <= known
    assert set(output.referenced_entities) <= known
    assert len(output.proposed_actions) <= 4
    assert output.proposed_actions or output.unclear or output.aside
    assert output.unclear is None or output.confidence < 0.5


@given(st.text(min_size=1, max_size=20), st.text(max_size=30))
def test_no_name_breaks_the_reading(name: str, text: str) -> None:
    odd = Named(id="p:odd", name=name, aliases=(text,), kind="thing")
    scope = Scope(player=PLAYER, place=BAR, here=(odd,), topics=(odd,))
    for typed in (f"take {name}", text, f"look at {name} and {text}"):
        output = interpret(InterpreterInput(player_text=typed, scope=scope))
        assert {action.target_id for action in output.proposed_actions} <= {None, "p:odd", PLAYER.id}


@pytest.mark.parametrize(
    "text", ["", "   ", "?!.", "\x00\x07", "\u202egnorw", "a" * 10_000, "and " * 2_500, '"' * 999, "🎲" * 500]
)
def test_hostile_input_is_asked_about_and_never_raises(text: str) -> None:
    output = read(text)
    assert output.unclear is not None
    assert output.unclear.question
    assert len(output.unclear.words) <= 200


def test_a_number_stands_for_the_line_that_was_offered() -> None:
    options = ("talk to Viktor", "Go to the night market (5 min)", "wait")
    assert _shape(read("2", options=options)) == [{"type": "go", "location": "p:night_market"}]
    assert read("4", options=options).unclear is not None
    assert read("2").unclear is not None


def test_a_line_that_is_itself_a_number_does_not_go_round_in_circles() -> None:
    assert read("1", options=("2", "1")).unclear is not None


def test_a_question_between_two_doors_names_both() -> None:
    unclear = read("take the door", "crowd").unclear
    assert unclear is not None
    assert unclear.question == "Which do you mean: 1 the steel door, 2 the back door?"
    assert unclear.lines == ("take steel door", "take back door")


def test_a_part_of_which_nothing_can_be_made_costs_nothing_of_the_rest() -> None:
    for text in ("take the unit and then frobnicate quietly", "Frobnicate quietly. Take the unit."):
        output = read(text)
        assert _shape(output) == [{"type": "take", "target": "p:comm_unit"}]
        assert output.unclear is None
        assert [words.lower() for words in output.not_played] == ["frobnicate quietly"]
        assert output.played.lower() == "take the unit"


def test_what_needs_an_answer_first_ends_the_line_unless_it_begins_it() -> None:
    asked_first = read("go and then look around")
    assert asked_first.unclear is not None
    assert not asked_first.proposed_actions
    asked_last = read("look around, then go, then look around")
    assert [action["type"] for action in _shape(asked_last)] == ["look"]
    assert asked_last.not_played == ("go", "look around")


def test_violence_is_flagged_and_is_an_attack() -> None:
    output = read("stab viktor")
    assert output.risk_flags == ("violence",)
    assert _shape(output) == [{"type": "attack", "target": "p:viktor"}]


def test_a_name_with_a_joining_word_in_it_is_never_cut() -> None:
    inn = Named(id="p:inn", name="Salt and Search", kind="thing")
    output = interpret(
        InterpreterInput(player_text="take salt and search", scope=Scope(player=PLAYER, place=BAR, here=(inn,)))
    )
    assert _shape(output) == [{"type": "take", "target": "p:inn"}]


def test_the_intent_says_in_plain_words_what_was_understood() -> None:
    assert read("ask vikotr about jin, then go to the market").intent == "ask Viktor about Jin; then go street"


def test_what_is_asked_about_is_referenced_where_it_is_known() -> None:
    assert read("ask viktor about jin").referenced_entities == ("p:viktor", "p:jin")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("draw the bolt", "unlock"),
        ("slide the bolt back", "unlock"),
        ("pull back the bolt", "unlock"),
        ("unbolt the door", "unlock"),
        ("push the bolt home", "lock"),
        ("shoot the bolt", "lock"),
        ("bolt the door", "lock"),
        ("pull the cellar door shut", "close"),
    ],
)
def test_a_bolt_is_drawn_and_pushed_home(text: str, kind: str) -> None:
    door = Named(id="p:cellar_door", name="cellar door", aliases=("bolt",), kind="door")
    output = interpret(InterpreterInput(player_text=text, scope=SCOPES["bar"].model_copy(update={"doors": (door,)})))
    assert [(one.type, one.target_id) for one in output.proposed_actions] == [(kind, door.id)]


def test_where_no_door_has_a_bolt_drawing_one_is_no_turn_of_a_lock() -> None:
    output = read("draw the bolt", "bar")
    assert not {"lock", "unlock"} & {one.type for one in output.proposed_actions}


@pytest.mark.parametrize(
    "text",
    [
        "By the way, where is Jin?",
        "Well, where is Jin?",
        "Sir, where is Jin?",
        "In the end, where is Jin?",
        "My friend, where is Jin?",
        "Tell me, where is Jin?",
        "Vikto, where is Jin?",
        "the bartender, where is Jin?",
        "Where is Jin, please?",
        "Where is Jin, really?",
        "Where is Jin, Viktor?",
    ],
)
def test_what_stands_before_a_comma_is_not_always_somebody(text: str) -> None:
    (action,) = read(text).proposed_actions
    assert (action.type, action.target_id) == ("ask", "p:viktor")


@pytest.mark.parametrize("text", ["Rose, where is Jin?", "Tell me, Rose, where is Jin?", "Rose: have you seen Jin?"])
@pytest.mark.parametrize("scope", ["bar", "crowd", "cell"])
def test_a_question_to_somebody_who_is_not_here_is_put_to_nobody(text: str, scope: str) -> None:
    output = read(text, scope)
    assert output.proposed_actions == ()
    assert output.unclear is not None
    assert output.unclear.question.startswith("Nobody called “Rose” is here.")


@pytest.mark.parametrize("title", ["Mr.", "Mrs.", "Dr.", "capt."])
def test_the_stop_after_a_title_ends_no_sentence(title: str) -> None:
    with_stop, without = (read(f"ask {each} Viktor about Jin, then wait.") for each in (title, title.rstrip(".")))
    assert with_stop.proposed_actions == without.proposed_actions
    assert [action.type for action in with_stop.proposed_actions] == ["ask", "wait"]
