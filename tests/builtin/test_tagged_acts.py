"""Acts that a line is tagged with are read by the grammar where it reads them as their kind, else by the kind."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.builtin.parser.interpreter import MAX_ACTIONS, interpret
from lorewright.builtin.parser.noun_phrases import nouns_of
from lorewright.builtin.parser.tagged_acts import kinds
from lorewright.builtin.parser.tagging import Act
from lorewright.values.readings import Talk
from lorewright.values.records import InterpreterInput, InterpreterOutput
from support.narrator_bar import SCOPES

BAR = nouns_of(SCOPES["bar"])


def reading(text: str, *acts: Act, scope: str = "bar") -> InterpreterOutput:
    return interpret(InterpreterInput(player_text=text, scope=SCOPES[scope]), lambda line: tuple(acts))


def act(kind: str, words: str, **named: str) -> Act:
    return Act(kind=kind, words=words, score=0.9, **named)


def types(output: InterpreterOutput) -> list[str]:
    return [action.type for action in output.proposed_actions]


def test_an_act_that_no_grammar_reads_is_read_by_its_kind() -> None:
    words = "giv a proper goin over to the glass"
    output = reading(words, act("look", words, target="glass"))
    assert types(output) == ["look"]
    assert "look at glass" in output.assumptions[0]


def test_each_action_has_the_form_of_its_act() -> None:
    output = reading("ask viktor about jin", act("ask", "ask viktor about jin", person="viktor", topic="jin"))
    assert [action.form for action in output.proposed_actions] == ["ask"]


def test_a_guess_gives_no_form_and_leaves_the_grammar_its_reading() -> None:
    guess = Act(kind="attack", words="ask viktor about jin", target="viktor", score=0.2)
    output = reading("ask viktor about jin", guess)
    assert types(output) == ["ask"]
    assert [action.form for action in output.proposed_actions] == [""]


def test_words_to_somebody_are_put_to_them_by_the_kind_of_words() -> None:
    words = "any chance viktor knows whod want her gone"
    output = reading(words, act("ask", words, person="viktor", topic="whod want her gone"))
    assert types(output) == ["ask"]
    assert output.proposed_actions[0].target_id == next(person.id for person in BAR.people if "iktor" in person.name)


def test_what_is_asked_of_the_program_is_an_aside() -> None:
    words = "so err what was it i am after again"
    output = reading(words, act("goal", words))
    assert output.aside is not None
    assert output.aside.kind == "goal"


def test_an_act_of_the_rulesets_own_is_what_the_grammar_says() -> None:
    given_verbs = InterpreterInput(player_text="ring the glass", scope=SCOPES["bar"], verbs={"ring": "ring"})
    output = interpret(given_verbs, lambda line: (act("use", "ring the unit", target="unit"),))
    assert types(output) != ["use"]


def test_what_is_done_with_ones_own_clothes_is_no_matter_of_things() -> None:
    output = reading("i undo my coat", act("wear", "i undo my coat", target="my coat"))
    assert types(output) == ["pose"]


def test_a_slip_in_a_name_is_mended_and_said() -> None:
    words = "peer at vikktr"
    output = reading(words, Act(kind="look", words=words, target="vikktr", score=0.9, odd=("vikktr",)))
    assert types(output) == ["look"]
    assert any("iktor is meant" in said for said in output.assumptions)


def test_what_is_said_into_a_telephone_is_said_to_nobody_here() -> None:
    call = "i ring up my aunt"
    said = "and tell her to come at once"
    output = reading(f"{call} {said}", act("phone", call, person="my aunt"), act("request", said, person="her"))
    assert "persuade" not in types(output)
    assert all(action.target_id is None for action in output.proposed_actions)


def test_who_is_spoken_of_is_not_spoken_to() -> None:
    words = "you think jin is out there"
    output = reading(words, act("ask_opinion", words, person="jin", topic="is out there"))
    assert [action.target_id for action in output.proposed_actions] == ["p:viktor"]


def test_what_somebody_is_to_tell_is_asked_however_it_is_said() -> None:
    words = "go on then tell me about jin"
    output = reading(words, act("agree", words))
    assert [(action.type, action.words) for action in output.proposed_actions] == [("ask", "jin")]


def test_a_name_that_is_nobodys_is_not_taken_for_somebody_else() -> None:
    output = reading("Good evening to you, Zebulon", act("greet", "Good evening to you, Zebulon", person="Zebulon"))
    assert output.proposed_actions == ()
    assert "Zebulon" in output.unclear.question  # type: ignore[union-attr]


def test_what_is_carried_to_a_place_is_a_walk_there() -> None:
    words = "lug the credstick over to the market"
    output = reading(words, act("give", words, target="credstick", person="market"))
    assert [(action.type, action.location_id) for action in output.proposed_actions] == [("go", "p:night_market")]


def test_what_is_no_door_is_opened_to_see_what_is_in_it() -> None:
    assert types(reading("open up the unit", act("open", "open up the unit", target="unit"))) == ["search"]


def test_a_guess_throws_no_dice() -> None:
    words = "among the tables looking"
    guess = Act(kind="hide", words=words, target="tables", score=0.35)
    assert not {"sneak", "attack", "persuade"} & set(types(reading(words, guess)))


def test_a_clause_is_no_thing() -> None:
    words = "hark at what he mutters"
    assert types(reading(words, act("listen", words, target="what he mutters"))) == ["look"]
    output = reading(words, act("listen", words, target="what he mutters"))
    assert "detail" not in output.proposed_actions[0].metadata


@pytest.mark.parametrize("score", [0.1, 0.9])
@given(
    st.lists(
        st.builds(
            Act,
            kind=st.sampled_from(sorted(kinds())),
            words=st.sampled_from(
                ["look at the glass", "viktor?", "*nods* hm", "go go go", "", "and then the bucket", "12"]
            ),
            target=st.sampled_from(["", "glass", "viktor", "the moon", "street", "who"]),
            second=st.sampled_from(["", "bucket"]),
            person=st.sampled_from(["", "viktor", "her", "nobody"]),
            topic=st.sampled_from(["", "jin", "if it rains", "?"]),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_whatever_is_tagged_names_nothing_outside_the_scope(score: float, acts: Sequence[Act]) -> None:
    tagged = [act.model_copy(update={"score": score}) for act in acts]
    output = reading(". ".join(act.words for act in tagged) or "hm", *tagged)
    known = {candidate.id for candidate in (*BAR.everything(), *BAR.known_people, *BAR.known_places, BAR.player)}
    assert len(output.proposed_actions) <= MAX_ACTIONS
    for action in output.proposed_actions:
        named = {action.target_id, action.location_id, action.item_id} - {None}
        assert named <= known


def test_words_in_quotation_marks_alone_are_tagged_without_them() -> None:
    tagged = []

    def tag(line: str) -> tuple[Act, ...]:
        tagged.append(line)
        return (act("flirt", line),)

    output = interpret(InterpreterInput(player_text="“your eyes are like the tide”", scope=SCOPES["bar"]), tag)
    assert tagged == ["your eyes are like the tide"]
    assert [action.form for action in output.proposed_actions] == ["flirt"]


@pytest.mark.parametrize(
    ("words", "kind", "person", "aside"),
    [
        ("oi, Captain Drake! what was that for?", "ask", "Captain Drake", "afar"),
        ("tell the landlady that I quit", "tell", "landlady", "afar"),
        ("the bishop sent me, let me in", "request", "bishop", "alone"),
        ("hm, Mr, a word", "greet", "Mr", "alone"),
        ("I'm Kira, anybody there", "introduce", "Kira", "alone"),
        ("may I come up?", "ask_permission", "", "alone"),
    ],
)
def test_words_where_nobody_is_are_said_to_whom_they_are_meant_for(
    words: str, kind: str, person: str, aside: str
) -> None:
    output = reading(words, act(kind, words, person=person), scope="void")
    assert output.aside is not None
    assert (output.aside.kind, output.aside.words) == (aside, person if aside == "afar" else words)


def test_what_has_no_speech_is_spoken_to_and_does_not_answer() -> None:
    words = "beg the bar knife to tell what it has cut"
    output = reading(words, act("ask", words, person="bar knife"))
    assert output.aside is not None
    assert (output.aside.kind, output.aside.words) == ("mute", "bar knife")


def test_words_to_nobody_beside_a_deed_are_said_aloud() -> None:
    output = reading(
        "bang on the counter and yell come out",
        act("pose", "bang on the counter"),
        act("call", "and yell come out"),
        scope="void",
    )
    assert types(output)[-1] == "remark"


def test_a_question_in_a_talk_is_put_to_who_is_spoken_with() -> None:
    viktor = BAR.people[0].id

    def asked(words: str, **named: str) -> list[tuple[str, str | None, str]]:
        given = InterpreterInput(player_text=words, scope=SCOPES["bar"], talk=Talk(to=viktor, topic="Jin"))
        output = interpret(given, lambda line: (act("look", line, **named),))
        return [(action.type, action.target_id, action.form) for action in output.proposed_actions]

    assert asked("who pays her rent", target="rent") == [("ask", viktor, "ask")]
    assert asked("what did she wear that night", target="she wear") == [("ask", viktor, "ask")]
    assert asked("where could I meet him", target="him") == [("ask", viktor, "ask")]
    assert asked("how's the bar knife look", target="bar knife")[0][0] == "look"


def test_small_words_that_ask_for_more_are_a_question() -> None:
    viktor = BAR.people[0].id
    given = InterpreterInput(player_text="and then?", scope=SCOPES["bar"], talk=Talk(to=viktor, topic="Jin"))
    output = interpret(given, lambda line: (act("ask_more", line),))
    assert [(action.type, action.target_id) for action in output.proposed_actions] == [("ask", viktor)]


def test_a_short_form_of_a_name_is_that_name() -> None:
    words = "you got brothers, Vik?"
    output = reading(words, act("ask_self", words, person="Vik", topic="you got brothers"))
    assert {action.target_id for action in output.proposed_actions} == {BAR.people[0].id}


def test_what_somebody_is_called_is_not_mended_to_the_name_of_a_thing() -> None:
    words = "evening, leger"
    output = reading(words, Act(kind="greet", words=words, score=0.9, person="leger", odd=("leger",)), scope="bar")
    assert not any("ledger" in assumed for assumed in output.assumptions)


def test_a_question_after_somebody_alone_asks_for_no_lore() -> None:
    def asked(words: str) -> list[str]:
        return types(reading(words, act("ask_self", words, topic=words)))

    assert asked("were you ever seasick") == ["enquire"]
    assert asked("how long have you had that knee") == ["enquire"]
    assert asked("how long have you known Jin") == ["ask"]


def test_leave_that_names_nothing_and_a_bare_why_ask_for_no_lore() -> None:
    def asked(kind: str, words: str, topic: str = "") -> list[str]:
        talk = Talk(to=BAR.people[0].id, topic=topic)
        given = InterpreterInput(player_text=words, scope=SCOPES["bar"], talk=talk)
        return types(interpret(given, lambda line: (act(kind, line),)))

    assert asked("ask_permission", "may I stand over by the stove") == ["enquire"]
    assert asked("ask_permission", "may I try on the bar knife") != ["enquire"]
    assert asked("ask_more", "but why") == ["enquire"]
    assert asked("ask_more", "but why", "Jin") == ["ask"]


def test_words_to_somebody_elsewhere_are_not_put_to_who_is_here() -> None:
    jin = next(person.id for person in BAR.known_people if "Jin" in person.name)
    words = "here's your coat, Jin, dry as a bone"
    output = reading(words, act("tell", words, person="Jin"))
    assert [action.target_id for action in output.proposed_actions] == [jin]
    both = reading(
        "Jin! did you drop this", act("call", "Jin", person="Jin"), act("ask_self", "did you drop this", topic="this")
    )
    assert [action.target_id for action in both.proposed_actions] == [jin]


def test_who_is_only_asked_about_is_not_the_one_who_is_asked() -> None:
    words = "ask viktor about Jin"
    output = reading(words, act("ask", words, person="Jin", topic="Jin"))
    assert [action.target_id for action in output.proposed_actions] == [BAR.people[0].id]
