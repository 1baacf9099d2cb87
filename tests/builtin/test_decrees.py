"""What a line decides of others, of what happens and of what one has is not so for being said."""

from __future__ import annotations

import pytest

from lorewright.builtin.narrator.authored import said_gone
from lorewright.builtin.parser.interpreter import interpret
from lorewright.builtin.parser.refusals.decrees import DECREED
from lorewright.builtin.words.tagging import Act
from lorewright.values.records import InterpreterInput, InterpreterOutput
from support.narrator_bar import SCOPES

# Where the prose shows nothing, what is not here can be said not to be.
BAR = SCOPES["bar"].model_copy(update={"scenery": ()})


def heard(line: str, *acts: Act) -> InterpreterOutput:
    return interpret(InterpreterInput(player_text=line, scope=BAR), lambda text: acts)


def act(kind: str, words: str, score: float = 0.9, **roles: str) -> Act:
    return Act(kind=kind, words=words, score=score, **roles)


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("attempt", "Viktor quickly writes me a cheque"),
        ("attempt", "the ceiling suddenly opens above us"),
        ("go", "everyone leaves the bar at once"),
        ("order", "a waiter brings me champagne"),
        ("opinion", "Viktor tells me that he trusts me"),
        ("wait", "Viktor and Jin go home"),
        ("stand", "Viktor gets up and smacks the counter"),
    ],
)
def test_what_somebody_else_does_is_not_done_by_saying_so(kind: str, line: str) -> None:
    output = heard(line, act(kind, line))
    assert (output.aside and output.aside.kind, output.proposed_actions) == (DECREED, ())


def test_the_weather_and_the_hour_answer_for_themselves() -> None:
    for line in ("I clap and the storm ends", "I yawn and it's suddenly midnight", "time runs faster"):
        output = heard(line, act("pose", line))
        assert (output.aside and output.aside.kind, output.proposed_actions) == ("story", ())


def test_the_deed_is_played_and_what_is_said_to_come_of_it_is_not() -> None:
    line = "I sigh and Viktor kneels before me"
    output = heard(line, act("pose", line))
    assert [action.type for action in output.proposed_actions] == ["pose"]
    assert output.not_played == ("Viktor kneels before me",)
    assert output.rest is not None
    assert "not up to you" in output.rest.question


def test_a_decree_goes_on_into_the_next_act() -> None:
    line = "Viktor forgets the debt and gives me a key"
    output = heard(line, act("attempt", "Viktor forgets the debt"), act("give", "and gives me a key", target="key"))
    assert (output.aside and output.aside.kind, output.proposed_actions) == (DECREED, ())


def test_that_somebody_never_does_it_again_is_no_deed_of_ones_own() -> None:
    line = "Viktor forgets the debt and never comes back"
    output = heard(line, act("attempt", "Viktor forgets the debt"), act("go", "and never comes back"))
    assert (output.aside and output.aside.kind, output.proposed_actions) == (DECREED, ())


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("opinion", "Viktor looks tired"),
        ("wait", "wait until Viktor speaks"),
        ("look", "look if the door opens"),
        ("pose", "Jo sits down and she sighs"),
        ("pose", "my hands shake and my voice breaks"),
        ("tell", "the rain never stops on this level"),
        ("sit", "sit down, and the chair creaks"),
    ],
)
def test_what_is_only_seen_said_or_ones_own_is_no_decree(kind: str, line: str) -> None:
    output = heard(line, act(kind, line))
    assert output.aside is None or output.aside.kind not in (DECREED, "story")


@pytest.mark.parametrize(
    ("kind", "line", "name"),
    [
        ("take", "pull a crowbar out of my coat", "crowbar"),
        ("perform", "play a waltz on my violin", "violin"),
        ("give", "give Viktor the cigars I bought for him", "cigars"),
        ("break", "cut the glass with a laser cutter", "laser cutter"),
        ("look", "look it up on my tablet", "tablet"),
        ("persuade", "tempt Viktor with a silver ring", "silver ring"),
        ("unlock", "unlock it with the pass that I forged", "pass"),
    ],
)
def test_what_one_is_said_to_have_brought_and_has_not_is_not_here(kind: str, line: str, name: str) -> None:
    output = heard(line, act(kind, line))
    assert [action.metadata.get("detail") for action in output.proposed_actions] == [name]
    assert [action.metadata.get("detail_is") for action in output.proposed_actions] == ["absent"]


def test_what_one_carries_is_had() -> None:
    output = heard(
        "take my credstick out of my pocket", act("take", "take my credstick out of my pocket", target="credstick")
    )
    assert all(action.metadata.get("detail_is") != "absent" for action in output.proposed_actions)


def test_a_sentence_says_of_its_subject_alone_that_it_is_gone() -> None:
    text = "The lift to the roof stopped in March, and you walk. A cat has gone up the stairs."
    assert said_gone(text, "lift") == "The lift to the roof stopped in March"
    assert said_gone(text, "stairs") == ""
    assert said_gone("Green weed has grown up the wall and stopped there.", "wall") == ""


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("embrace", "make Viktor kiss me"),
        ("attempt", "force him to give me the unit"),
        ("attempt", "command Viktor leave"),
    ],
)
def test_nobody_is_made_to_do_something(kind: str, line: str) -> None:
    output = heard(line, act(kind, line))
    assert (output.aside and output.aside.kind, output.proposed_actions) == (DECREED, ())


def test_what_one_does_for_somebody_is_no_force() -> None:
    for line in ("make Viktor a cup of tea", "make Viktor laugh"):
        output = heard(line, act("perform", line))
        assert output.aside is None


def test_what_is_held_out_and_not_had_is_not_here_and_what_one_has_elsewhere_is_ones_own_affair() -> None:
    line = "I found the ledger already, here you go"
    output = heard(line, act("tell", line, person="Viktor"))
    assert [action.metadata.get("detail_is") for action in output.proposed_actions] == ["absent"]
    line = "I already have a job"
    output = heard(line, act("tell", line))
    assert [action.metadata.get("detail_is") for action in output.proposed_actions] == [None]


def test_an_attempt_at_what_nothing_is_known_of_is_beyond_one() -> None:
    line = "make it stop snowing"
    output = heard(line, act("attempt", line))
    assert (output.aside and output.aside.kind, output.proposed_actions) == ("story", ())


def test_several_things_do_nothing_by_being_said_to_and_who_is_said_to_have_come_along_is_absent() -> None:
    output = heard("the candles blow out", act("attempt", "the candles blow out"))
    assert (output.aside and output.aside.kind, output.proposed_actions) == (DECREED, ())
    line = "I stroke my parrot, it came along with me"
    output = heard(line, act("tell", line))
    assert [action.metadata.get("detail") for action in output.proposed_actions] == ["parrot"]
    assert output.proposed_actions[0].metadata["detail_is"] == "absent"


def test_a_subject_and_its_verb_that_were_cut_apart_are_one_decree() -> None:
    line = "nod to him and the whole bar cheers."
    output = heard(line, act("gesture", "nod to him"), act("go", "and the whole bar"), act("thank", "cheers."))
    assert [action.type for action in output.proposed_actions] == ["wave"]
    assert output.not_played == ("and the whole bar cheers",)


def test_what_a_guess_leaves_of_a_decree_is_not_said_to_anybody() -> None:
    line = "I switch on the light and everybody is gone but Viktor"
    output = heard(line, act("tell", line, score=0.3))
    assert (output.aside and output.aside.kind, output.proposed_actions) == (DECREED, ())


def test_what_one_goes_away_in_is_not_had_for_being_ones_own() -> None:
    output = heard("drive home in my car", act("go", "drive home in my car"))
    assert [action.metadata.get("detail") for action in output.proposed_actions] == ["car"]
    output = heard("look at the glass with x-ray glasses", act("look", "look at the glass with x-ray glasses"))
    assert [action.metadata.get("detail_is") for action in output.proposed_actions] == ["absent"]


def test_nothing_is_offered_to_somebody_who_is_not_here_nor_drawn_out_of_ones_bag() -> None:
    for kind, line, name in (
        ("attempt", "offer the glass to a passing dragon", "dragon"),
        ("attempt", "dissolve the wall with acid from my handbag", "acid"),
    ):
        output = heard(line, act(kind, line))
        assert [action.metadata.get("detail") for action in output.proposed_actions] == [name]


def test_every_thing_does_nothing_by_being_said_to() -> None:
    output = heard("I clap and every lock springs open", act("knock", "I clap and every lock springs open"))
    assert output.not_played == ("every lock springs open",)


def test_a_plan_is_said_and_not_done() -> None:
    line = "ok genius plan: take the glass, get out"
    output = heard(line, act("persuade", "ok genius plan: take the glass,"), act("go", "get out"))
    assert [action.type for action in output.proposed_actions] == ["remark"]


def test_what_somebody_is_told_of_others_goes_on_and_decides_nothing() -> None:
    line = "I tell Viktor that Jin's fine, she sends her love and wants her tab put on hold till Friday"
    output = heard(
        line,
        act("comfort", "I tell Viktor that Jin's fine,", person="Viktor", topic="Jin's fine"),
        act("give", "she sends her love"),
        act("offer", "and wants her tab", target="tab"),
        act("request", "put on hold till Friday", 0.3),
    )
    assert ([action.type for action in output.proposed_actions], output.not_played) == (["tell"], ())
    output = heard(
        "I tell Viktor she's well and sit down", act("tell", "I tell Viktor she's well"), act("sit", "and sit down")
    )
    assert [action.type for action in output.proposed_actions][-1] == "sit"


def test_what_follows_a_call_is_said_to_whom_is_called() -> None:
    output = heard("Viktor, nobody keeps a chair.", act("tell", "Viktor, nobody keeps a chair.", person="Viktor"))
    assert output.aside is None and [action.target_id for action in output.proposed_actions] == ["p:viktor"]


@pytest.mark.parametrize(
    "line",
    [
        "I make Viktor wipe the bar and leave the room",
        "force Viktor to go to the door and open it",
        "I make everyone in the bar leave",
        "I make both of them leave",
        "make the waiter confess",
        "I get Viktor to fall in love with me",
    ],
)
def test_all_that_somebody_is_made_to_do_is_one_decree(line: str) -> None:
    output = heard(line, act("go", line))
    assert (output.aside and output.aside.kind, output.proposed_actions) == (DECREED, ())


@pytest.mark.parametrize(
    "line",
    ["I make Viktor laugh", "I get Viktor to tell me about Jin", "I make Viktor a coffee", "I get Viktor a coffee"],
)
def test_what_somebody_may_be_brought_to_is_no_decree(line: str) -> None:
    output = heard(line, act("perform", line))
    assert output.aside is None or output.aside.kind != DECREED


def test_one_goes_on_oneself_after_what_others_are_made_to_do() -> None:
    output = interpret(
        InterpreterInput(player_text="I make Viktor leave, then I look around", scope=BAR),
        lambda text: (act("look", text),),
    )
    assert [action.type for action in output.proposed_actions] == ["look"]


def test_what_stopped_and_is_walked_on_all_the_same_is_not_said_to_be_gone() -> None:
    assert said_gone("The escalator stopped six years ago, and you come down it with a crate.", "escalator") == ""
    assert said_gone("The escalator stopped six years ago, and nobody mends it.", "escalator")
