"""What is said where nobody is goes to whom it is meant for; what is put to the voices in oneself to nobody else."""

from __future__ import annotations

import pytest

from lorewright.builtin.parser.interpreter import interpret
from lorewright.builtin.words import earshot
from lorewright.builtin.words.tagging import Act
from lorewright.scene_lore.nouns import shown_nouns
from lorewright.values.records import InterpreterInput, InterpreterOutput
from lorewright.values.scenery import TOLD, SceneryNoun
from support.narrator_bar import SCOPES

HALL = (
    "Mr Gaunt locks the front door behind you, from without.",
    "Behind the one to the kitchen a plate is put down on a plate.",
)
CRYING = "Something in you has begun to cry already, and something else remarks that the umbrellas are out of order."


def read(text: str, *acts: Act, told: tuple[str, ...] = HALL, scope: str = "void") -> InterpreterOutput:
    scenery = tuple(
        SceneryNoun(name=noun.phrase, head=noun.head, text=said, key=f"{TOLD}{at}", source="1/1")
        for at, said in enumerate(told)
        for noun in shown_nouns(said)
    )
    shown = SCOPES[scope].model_copy(update={"scenery": scenery})
    return interpret(InterpreterInput(player_text=text, scope=shown), lambda line: acts)


def said(kind: str, words: str, **named: str) -> Act:
    return Act(kind=kind, words=words, score=0.5, **named)


@pytest.mark.parametrize(
    ("text", "kind", "aside", "words"),
    [
        ("Mr Gaunt? You have locked me in.", "doubt", "afar", "Mr Gaunt"),
        ("please don't stop your supper on my account", "request", "alone", ""),
        ("who is doing the dishes at this hour", "ask", "lore", ""),
    ],
)
def test_what_is_said_where_nobody_is_goes_to_whom_it_is_meant_for(
    text: str, kind: str, aside: str, words: str
) -> None:
    output = read(text, said(kind, text, person=words))
    assert output.aside is not None
    assert output.aside.kind == aside
    assert output.aside.words == (words or text)


def test_a_thought_aloud_is_said_to_oneself() -> None:
    text = "First night on my own. I hope I don't mess it up"
    acts = (said("thought", "First night on my own."), said("opinion", "I hope I don't mess it up"))
    output = read(text, *acts)
    assert output.aside is not None and output.aside.kind == "alone"
    assert not output.not_played


@pytest.mark.parametrize("text", ["hello voices", "Shush, all of you. Who's crying?", "who's crying?"])
def test_what_is_put_to_the_voices_in_oneself_is_said_to_nobody_here(text: str) -> None:
    output = read(text, said("call", text), told=(CRYING,), scope="bar")
    assert output.aside is not None and output.aside.kind == "within"


def test_who_names_somebody_here_speaks_to_them() -> None:
    text = "tell Viktor that part of me never left"
    output = read(text, said("tell", text, person="Viktor", topic="part of me never left"), told=(CRYING,), scope="bar")
    assert output.aside is None
    assert [action.type for action in output.proposed_actions] == ["tell"]


SEEN = ("Out in the street, under the lamp, Constable Oakes is standing near something.",)


def test_who_is_called_in_the_middle_of_a_line_is_too_far_off() -> None:
    text = "Cold night for it, Constable Oakes! Can I offer you a coffee?"
    output = read(text, said("offer", text, person="Constable Oakes"), told=SEEN, scope="cell")
    assert output.aside is not None and (output.aside.kind, output.aside.words) == ("afar", "Constable Oakes")


def test_words_said_out_loud_are_put_to_no_way_out() -> None:
    text = "I say out loud that you keep a lot of company"
    output = read(text, said("tell", text), told=SEEN, scope="cell")
    assert output.aside is None or output.aside.kind != "behind"


def test_who_calls_a_place_by_its_name_speaks_to_who_may_be_there() -> None:
    acts = (said("call", "Excuse me!"), said("call", "Street!"), said("ask_want", "Do you need a hand with that?"))
    output = read("Excuse me! Street! Do you need a hand with that?", *acts, told=SEEN, scope="cell")
    assert output.aside is not None and output.aside.kind == "behind"
    assert not output.proposed_actions


def test_who_says_that_they_go_and_greet_who_is_heard_goes_there() -> None:
    text = "someone is waiting out there, I'll go and say hello"
    told = ("Out in the street somebody is waiting.",)
    acts = (said("tell", "someone is waiting out there,"), said("greet", "I'll go and say hello"))
    output = read(text, *acts, told=told, scope="cell")
    assert [action.type for action in output.proposed_actions] == ["go"]
    output = read("someone is waiting out there, hello!", said("greet", "hello!"), told=told, scope="cell")
    assert "go" not in [action.type for action in output.proposed_actions]


def test_a_deed_that_somebody_may_hear_is_done_and_not_asked() -> None:
    text = "I make a small noise with my foot so who is in the house knows I am here"
    output = read(text, said("call", text))
    assert output.aside is None
    assert [action.type for action in output.proposed_actions] == ["pose"]


def test_what_somebody_makes_to_eat_is_made_and_a_toast_to_somebody_is_none() -> None:
    made = read("I'll make some toast", said("order", "I'll make some toast", target="some toast"))
    drunk = read("I'll make a toast to Jin", said("order", "I'll make a toast to Jin", target="a toast"), scope="bar")
    assert "work" in [action.form for action in made.proposed_actions]
    assert "work" not in [action.form for action in drunk.proposed_actions]


def test_a_question_and_why_it_is_asked_are_one_line_to_nobody() -> None:
    acts = (said("seek", "Is this a haunted house?"), said("thought", "I don't do ghosts."))
    output = read("Is this a haunted house? I don't do ghosts.", *acts)
    assert output.aside is not None and not output.proposed_actions and output.rest is None


def test_what_is_concluded_aloud_is_put_beside_what_was_told() -> None:
    output = read("so somebody has a plate in there", said("opinion", "so somebody has a plate in there"))
    assert output.aside is not None and output.aside.kind == "alone"


def test_a_thing_that_is_named_and_nothing_else_is_looked_at_and_asked_about() -> None:
    seen = read("The plate.")
    assert [(action.type, action.metadata.get("detail")) for action in seen.proposed_actions] == [("look", "plate")]
    asked = read("Plate?")
    assert asked.aside is not None and asked.aside.kind == "alone"
    rung = read("rings plate", Act(kind="use", words="rings plate", target="plate", score=0.8))
    assert [action.type for action in rung.proposed_actions] != ["look"]


def test_who_may_do_something_where_nobody_forbids_it_may_try() -> None:
    may = read("can I have a nap in here", said("ask_permission", "can I have a nap in here"))
    assert may.aside is not None and may.aside.kind == "rules"
    known = read("can I see the kitchen", said("ask_permission", "can I see the kitchen"))
    assert known.aside is None or known.aside.kind != "rules"


def test_a_voice_in_oneself_is_called_by_its_name() -> None:
    output = read(
        "Volition, are you seeing this?", said("ask", "Volition, are you seeing this?"), told=(CRYING,), scope="bar"
    )
    assert output.aside is not None and output.aside.kind == "within"


def test_what_one_does_is_no_word_for_a_question_or_a_name_at_its_end() -> None:
    nap = read(
        "i sleep a little, one hour only, is quiet hotel",
        Act(kind="wait", words="i sleep a little, one hour only, is quiet hotel", score=0.96),
    )
    assert nap.aside is None
    assert [action.type for action in nap.proposed_actions] == ["wait"]
    given = read(
        "give one to the constable, and wait",
        Act(kind="give", words="give one to the constable, and wait", score=0.9, target="one"),
    )
    assert given.aside is None


def heard_as(kind: str, words: str, *likely: str, **named: str) -> Act:
    """An act that the tagger takes for a kind, with the other kinds that it may be."""
    return Act(kind=kind, words=words, score=0.9, likely=(kind, *likely), **named)


@pytest.mark.parametrize(
    ("text", "kind", "deed"),
    [
        ("order the books by size", "order", "work"),
        ("act normal", "request", "pose"),
        ("behave as if nothing had happened", "promise", "pose"),
    ],
)
def test_where_nobody_is_what_begins_with_a_verb_is_done(text: str, kind: str, deed: str) -> None:
    output = read(text, heard_as(kind, text, "ask", "go", deed))
    assert output.aside is None
    assert [action.metadata.get("form") for action in output.proposed_actions] == [deed]


@pytest.mark.parametrize(
    "text",
    [
        "please be so kind and move on",
        "let me in",
        "Do you hear me?",
        "get out of there!",
        "I hope it rains",
        "stop moving the plate",
    ],
)
def test_a_sign_of_speech_makes_words_of_it(text: str) -> None:
    output = read(text, heard_as("request", text, "work", "pose"))
    assert output.aside is not None or {action.type for action in output.proposed_actions} <= {"remark"}


def test_in_company_a_request_stays_one() -> None:
    text = "act normal"
    output = read(text, heard_as("request", text, "pose"), scope="bar")
    assert [action.type for action in output.proposed_actions] == ["remark"]


def test_what_one_says_one_will_not_do_is_left_undone_and_told_so() -> None:
    acts = (heard_as("refuse", "not ringing that plate.", "use"), Act(kind="wait", words="wait", score=0.9))
    output = read("not ringing that plate. wait", *acts)
    assert [action.deed for action in output.proposed_actions][:1] == ["do not ring that plate"]


IN_STREET = ("Out in the street, under the lamp, Constable Oakes is standing near something.",)


@pytest.mark.parametrize(
    "text", ["I take two coffees out to the street", "take a coffee to the cop", "bring the constable's cup to the cop"]
)
def test_who_takes_something_to_somebody_who_is_seen_goes_there(text: str) -> None:
    output = read(text, heard_as("order", text, "take", "eat", target="coffee"), told=IN_STREET, scope="cell")
    assert "go" in [action.type for action in output.proposed_actions]


def test_who_goes_and_says_something_goes_first() -> None:
    text = "go say hi to the cop"
    output = read(text, heard_as("greet", text, person="cop"), told=IN_STREET, scope="cell")
    assert [action.type for action in output.proposed_actions][:1] == ["go"]
    text = "say hi to the cop"
    output = read(text, heard_as("greet", text, person="cop"), told=IN_STREET, scope="cell")
    assert "go" not in [action.type for action in output.proposed_actions]


@pytest.mark.parametrize(
    "text", ["Please mister or missus, may I come in?", "Sir or madam who has the plate, I am here for the locks"]
)
def test_forms_of_address_call_who_is_heard(text: str) -> None:
    assert earshot.calls_out(text)
    output = read(text, said("tell", text, person="sir"))
    assert output.aside is not None and output.aside.kind == "alone"


def test_who_is_seen_from_here_is_meant_by_a_pronoun() -> None:
    watched = read("wave at him", heard_as("gesture", "wave at him", person="him"), told=IN_STREET, scope="cell")
    assert [action.deed for action in watched.proposed_actions] == ["wave at Constable Oakes"]
    taken = read(
        "carry the cup out to him", heard_as("give", "carry the cup out to him", "work"), told=IN_STREET, scope="cell"
    )
    assert "go" in [action.type for action in taken.proposed_actions]


RULES = ("There are three rules, Dorrie says: nobody rings the bell.", "Then her car goes off down the salt road.")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("think over the three rules", "the three rules"),
        ("go over the rules in my head", "the rules"),
        ("think about what Dorrie told me", "There are three rules, Dorrie says, nobody rings the bell."),
    ],
)
def test_what_is_thought_over_is_looked_up_in_what_was_told(text: str, words: str) -> None:
    aside = read(text, told=RULES).aside
    assert aside is not None
    assert (aside.kind, aside.words) == ("lore", words)


def test_what_is_thought_over_beside_deeds_is_told_with_them() -> None:
    found = read("sit down and think over the rules", said("sit", "sit down"), said("thought", "think over the rules"))
    assert any("think over the rules" in action.deed for action in found.proposed_actions)


def test_a_question_aloud_is_no_question_about_who_is_named_beside_it() -> None:
    words = '"Which word was the rule?" I ask, though Dorrie has gone.'
    aside = read(words, said("ask", words, topic="Which word was the rule"), told=RULES).aside
    assert aside is not None
    assert aside.kind == "alone"


def test_what_one_tells_a_part_of_oneself_nobody_else_hears() -> None:
    words = "tell my nerves to settle down"
    action = read(words, said("request", words), scope="bar").proposed_actions[0]
    assert (action.target_id, action.deed) == (None, "tell your nerves to settle down")
