"""Acts that a line is tagged with are read by the grammar where it reads them as their kind, else by the kind."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.builtin.narrator.hearing import is_asked_about
from lorewright.builtin.parser.acts.kinds import kinds
from lorewright.builtin.parser.handling import whole
from lorewright.builtin.parser.interpreter import interpret
from lorewright.builtin.parser.outputs import MAX_STEPS
from lorewright.builtin.words.noun_phrases import nouns_of
from lorewright.builtin.words.tagging import Act
from lorewright.rules.actions import Action, with_known_metadata
from lorewright.values.readings import Talk
from lorewright.values.records import InterpreterInput, InterpreterOutput
from lorewright.values.scope import Named
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
    words = "what does viktor know of jin"
    output = reading(words, act("ask", words, person="viktor", topic="jin"))
    assert [action.form for action in output.proposed_actions] == ["ask"]


@pytest.mark.parametrize(
    ("words", "is_tagged"),
    [
        ("ask viktor about jin", False),
        ("Look at Viktor", False),
        ("go to the street", False),
        ("look at viktor closely", True),
        ("ask viktor whether jin is well", True),
        ("take the glass off the bar", True),
    ],
)
def test_a_command_of_the_grammar_with_whole_names_is_not_tagged(words: str, is_tagged: bool) -> None:
    asked: list[str] = []

    def tag(line: str) -> tuple[Act, ...]:
        asked.append(line)
        return ()

    interpret(InterpreterInput(player_text=words, scope=SCOPES["bar"]), tag)
    assert bool(asked) == is_tagged


def test_a_guess_gives_no_form_and_leaves_the_grammar_its_reading() -> None:
    guess = Act(kind="attack", words="ask viktor about jin", target="viktor", score=0.2)
    output = reading("ask viktor about jin", guess)
    assert types(output) == ["ask"]
    assert [action.form for action in output.proposed_actions] == [""]


def test_words_to_somebody_are_put_to_them_by_the_kind_of_words() -> None:
    words = "any chance viktor knows who'd want her gone"
    output = reading(words, act("ask", words, person="viktor", topic="who'd want her gone"))
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


def test_who_is_asked_beside_a_call_is_asked() -> None:
    call, asked = "i ring up my aunt", "and ask Viktor about Jin"
    output = reading(
        f"{call} {asked}", act("phone", call, person="my aunt"), act("ask", asked, person="Viktor", topic="Jin")
    )
    assert [action.target_id for action in output.proposed_actions if action.type == "ask"] == ["p:viktor"]


def test_what_is_taken_for_another_type_of_act_leaves_a_record_that_is_read_again() -> None:
    tried = Action(
        type="attempt", actor_id="p:jo", metadata={"verb": "slip", "detail": "crowd", "detail_is": "scenery"}
    )
    for name in ("sneak", "wait", "look", "ask"):
        taken = with_known_metadata(tried.model_copy(update={"type": name}))
        assert Action.model_validate_json(taken.model_dump_json()) == taken
    assert with_known_metadata(tried) is tried


def test_all_that_is_quoted_is_said_where_anybody_hears_it() -> None:
    line = '"Nobody is in. Would you leave that room alone? Sit down."'
    acts = (
        act("opinion", "Nobody is in."),
        Act(kind="go", words="Would you leave that room alone?", score=0.3),
        act("sit", "Sit down."),
    )
    output = reading(line, *acts)
    assert {action.target_id for action in output.proposed_actions} == {"p:viktor"}
    assert all(action.location_id is None for action in output.proposed_actions)
    assert types(reading('"sit down"', act("sit", "sit down"))) == ["sit"]


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


def test_a_plain_word_that_is_asked_alone_is_no_name() -> None:
    output = reading("Superstitious?", act("ask", "Superstitious?", person="Superstitious"))
    assert output.unclear is None or "Nobody called" not in output.unclear.question
    output = reading("Zebulon?", act("ask", "Zebulon?", person="Zebulon"))
    assert output.unclear is not None
    assert "Zebulon" in output.unclear.question


def test_who_does_something_is_asked_and_not_looked_for() -> None:
    output = reading("who is doing the dishes", act("look", "who is doing the dishes", target="dishes"))
    assert [action.type for action in output.proposed_actions] == ["ask"]


def test_where_a_place_is_is_asked_beside_something_else() -> None:
    asked, said = "where's the market?", "I brought the candles"
    output = reading(f"{asked} {said}", act("seek", asked, target="market"), act("tell", said))
    assert [action.type for action in output.proposed_actions][:1] == ["ask"]


def test_to_ask_whether_something_is_so_is_no_joke() -> None:
    words = "ask if anyone's come in who laughs too loud"
    assert types(reading(words, act("joke", words))) == ["ask"]


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
    assert output.proposed_actions[0].metadata["detail"] == "sounds"


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
    assert len(output.proposed_actions) <= MAX_STEPS
    for action in output.proposed_actions:
        assert Action.model_validate_json(action.model_dump_json()) == action
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


@pytest.mark.parametrize(
    ("words", "person", "who"),
    [
        ("ask my cousin whether it is safe", "my cousin", "your cousin"),
        ("ask my mother whether it is safe", "my mother", "your mother"),
        ("ask my aunt Ida whether it is safe", "my aunt Ida", "your aunt Ida"),
        ("tell the undertaker that he can go home", "undertaker", "the undertaker"),
        ("ask Viktor's wife whether it is safe", "Viktor's wife", "Viktor's wife"),
    ],
)
def test_words_to_somebody_who_is_nobody_here_are_not_put_to_another(words: str, person: str, who: str) -> None:
    output = reading(words, act("tell", words, person=person))
    assert output.aside is not None
    assert (output.aside.kind, output.aside.words) == ("missing", who)


def test_who_is_greeted_by_a_calling_that_nobody_here_has_is_missing() -> None:
    output = reading("talk to the bouncer", act("greet", "talk to the bouncer", person="bouncer"))
    assert output.aside is not None and (output.aside.kind, output.aside.words) == ("missing", "the bouncer")


@pytest.mark.parametrize("person", ["my friend", "the barman", "my dear man"])
def test_an_endearment_or_a_calling_is_for_who_is_here(person: str) -> None:
    words = f"tell {person} that the tide is out"
    assert reading(words, act("tell", words, person=person)).aside is None


def test_words_for_those_behind_a_door_are_said_towards_it() -> None:
    scope = SCOPES["void"].model_copy(update={"doors": (Named(id="d", name="the oak door", kind="door"),)})
    words = "whoever is behind the oak door, are you hurt"
    given_line = InterpreterInput(player_text=words, scope=scope)
    output = interpret(given_line, lambda line: (act("ask_wellbeing", words, person="whoever"),))
    assert output.aside is not None
    assert (output.aside.kind, output.aside.words) == ("behind", "the oak door")


def test_what_was_said_is_carried_as_its_hearer_repeats_it() -> None:
    words = "tell Viktor that I lost my way"
    output = reading(words, act("tell", words, person="Viktor", topic="I lost my way"))
    assert [action.deed for action in output.proposed_actions] == ["you lost your way"]


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


def test_who_is_spoken_of_with_a_title_at_the_end_of_a_question_is_not_called() -> None:
    known = next(person for person in BAR.known_people if "Jin" in person.name)
    for words in (f"could you tell me more about Mr {known.name}?", f"can you tell me of Captain {known.name}?"):
        output = interpret(InterpreterInput(player_text=words, scope=SCOPES["bar"]))
        assert all(action.target_id != known.id for action in output.proposed_actions)


def test_who_was_named_in_a_remark_is_who_she_is_in_the_question_after_it() -> None:
    acts = (act("tell", "no, I meant Jin", topic="I meant Jin"), act("request", "tell me about her", person=""))
    given = InterpreterInput(player_text="no, I meant Jin. tell me about her", scope=SCOPES["bar"])
    asked = [action.words for action in interpret(given, lambda line: acts).proposed_actions if action.type == "ask"]
    assert asked == ["Jin"]


def test_who_is_only_asked_about_is_not_the_one_who_is_asked() -> None:
    words = "ask viktor about Jin"
    output = reading(words, act("ask", words, person="Jin", topic="Jin"))
    assert [action.target_id for action in output.proposed_actions] == [BAR.people[0].id]


# What an act is done with, and what is possible nowhere.


@pytest.mark.parametrize(
    ("kind", "words", "named", "wanting"),
    [
        ("attack", "shoot Viktor in the knee", {"target": "Viktor"}, "gun"),
        ("attack", "stab him with my dagger", {"target": "him", "second": "dagger"}, "dagger"),
        ("break", "smash the glass with a crowbar", {"target": "glass", "second": "crowbar"}, "crowbar"),
        ("phone", "ring my sister", {"person": "my sister"}, "telephone"),
        ("phone", "text Jin on my mobile", {"person": "Jin"}, "mobile"),
        ("perform", "play a tune on my trumpet", {"target": "tune", "second": "trumpet"}, "trumpet"),
    ],
)
def test_an_act_without_its_tool_is_refused_for_want_of_it_and_is_no_other_deed(
    kind: str, words: str, named: dict[str, str], wanting: str
) -> None:
    scope = SCOPES["bar"].model_copy(update={"scenery": ()})
    output = interpret(InterpreterInput(player_text=words, scope=scope), lambda line: (act(kind, words, **named),))
    done = [(action.type, action.target_id, action.metadata.get("detail")) for action in output.proposed_actions]
    assert done == [("attempt", None, wanting)]
    assert output.proposed_actions[0].metadata["detail_is"] == "absent"


def test_what_is_wanting_for_two_acts_is_said_to_be_wanting_once() -> None:
    scope = SCOPES["bar"].model_copy(update={"scenery": ()})
    acts = (act("take", "draw my revolver", target="revolver"), act("attack", "shoot Viktor", target="Viktor"))
    given = InterpreterInput(player_text="draw my revolver and shoot Viktor", scope=scope)
    wanting = [action.metadata["detail"] for action in interpret(given, lambda line: acts).proposed_actions]
    assert wanting == ["revolver"]
    acts = (act("use", "switch on my torch", target="torch"), act("use", "point the torch at him", target="torch"))
    given = given.model_copy(update={"player_text": "switch on my torch and point the torch at him"})
    assert len(interpret(given, lambda line: acts).proposed_actions) == 1


def test_a_tool_that_is_in_hand_is_used() -> None:
    words = "cut the rope with the bar knife"
    output = reading(words, act("break", words, target="rope", second="bar knife"))
    assert all(action.metadata.get("detail") != "bar knife" for action in output.proposed_actions)


def test_a_deed_that_is_possible_nowhere_is_refused_and_none_of_the_line_is_done() -> None:
    words = "use telepathy on Viktor"
    output = reading(words, act("attempt", words, target="telepathy"))
    assert (output.aside and output.aside.kind, output.proposed_actions) == ("story", ())


@pytest.mark.parametrize(
    ("words", "is_story"),
    [("swallow the whole sea", True), ("drain the sea", True), ("make it night", True), ("drink up the water", False)],
)
def test_what_nobody_can_do_is_told_from_what_one_does(words: str, is_story: bool) -> None:
    output = reading(words, act("work", words))
    assert (output.aside is not None and output.aside.kind == "story") == is_story


def test_a_question_that_ends_with_a_name_is_put_to_its_bearer() -> None:
    words = "where are my things viktor"
    output = reading(words, act("seek", words, target="things viktor"), scope="crowd")
    assert types(output) == ["ask"]
    assert output.proposed_actions[0].target_id == "p:viktor"


def test_somebody_who_is_not_here_is_known_by_another_word_for_their_calling() -> None:
    words = "is the copper still out there"
    scope = SCOPES["bar"].model_copy(update={"scenery": ()})
    given = InterpreterInput(player_text=words, scope=scope)
    aside = interpret(given, lambda line: (act("seek", words, target="copper"),)).aside
    assert aside is not None
    assert (aside.kind, aside.words) == ("lore", "constable")


def test_who_is_at_another_place_is_a_question_about_that_place() -> None:
    words = "whos at the market"
    aside = reading(words, act("seek", words, target="market"), scope="cell").aside
    assert aside is not None
    assert aside.kind == "company"


# Moves of the ruleset's own.

SQUARES = tuple(
    Named(id=f"b:{name.replace(' ', '_')}", name=name, aliases=aliases, kind="thing")
    for name, aliases in {
        "north gate": ("north", "corner gate"),
        "south gate": ("south", "corner gate"),
        "well": ("middle",),
    }.items()
)


def move(text: str, *acts: Act) -> InterpreterOutput:
    scope = SCOPES["void"].model_copy(update={"people": SCOPES["bar"].people, "here": SQUARES})
    given = InterpreterInput(player_text=text, scope=scope, verbs={"claim": "claim"}, options=("claim the well",))
    return interpret(given, lambda line: acts)


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("I reckon I'll have the well, Viktor", "b:well"),
        ("pop it right in the middle", "b:well"),
        ("how about north?", "b:north_gate"),
        ("gimme the south gate m8", "b:south_gate"),
    ],
)
def test_a_move_is_read_however_it_is_said(text: str, target: str) -> None:
    output = move(text, Act(kind="promise", words=text, score=0.3))
    assert [(action.type, action.target_id) for action in output.proposed_actions] == [("claim", target)]


@pytest.mark.parametrize(
    "text", ["what is in the middle?", "not the well", "tell Viktor the well is mine", "your north gate looks old"]
)
def test_what_only_speaks_of_a_target_is_no_move(text: str) -> None:
    output = move(text, Act(kind="opinion", words=text, score=0.8))
    assert all(action.type != "claim" for action in output.proposed_actions)


def test_a_move_among_other_acts_is_read_and_the_others_are_kept() -> None:
    acts = (act("greet", "bow to Viktor", person="Viktor"), act("go", "and go for the well", target="well"))
    output = move("bow to Viktor and go for the well", *acts)
    assert [action.type for action in output.proposed_actions][-1] == "claim"
    assert len(output.proposed_actions) == len(acts)


def test_several_moves_at_once_are_a_matter_of_the_rules_and_two_likely_targets_of_a_question() -> None:
    both = move("claim two squares in one go", act("write", "claim two squares in one go", target="squares"))
    assert (both.aside and both.aside.kind, both.proposed_actions) == ("rules", ())
    either = move("put mine in the corner", Act(kind="put", words="put mine in the corner", score=0.5))
    assert either.unclear is not None
    assert set(either.unclear.lines) == {"claim north gate", "claim south gate"}


@pytest.mark.parametrize("words", ["ok alley then", "right, the alley first", "so, docks next i guess"])
def test_a_way_that_is_named_in_deciding_is_taken(words: str) -> None:
    output = reading(words, act("agree", words), scope="bar")
    assert [action.type for action in output.proposed_actions][-1:] == ["go"]


def test_a_way_that_is_only_spoken_of_is_not_taken() -> None:
    words = "the alley is quiet today"
    assert "go" not in types(reading(words, act("opinion", words), scope="bar"))


def test_what_would_break_a_part_of_somebody_is_done_to_them() -> None:
    words = "snap Viktor's wrist"
    output = reading(words, act("break", words, target="Viktor's wrist"))
    assert [(action.type, action.target_id) for action in output.proposed_actions] == [("attack", "p:viktor")]
    words = "snap the knife's blade"
    assert "attack" not in types(reading(words, act("break", words, target="knife's blade")))


def test_what_only_may_be_meant_for_the_program_is_said_to_who_is_here() -> None:
    words = "are we permitted to sing"
    unsure = Act(kind="settings", words=words, score=0.5)
    assert [action.target_id for action in reading(words, unsure).proposed_actions] != []
    assert reading(words, Act(kind="settings", words=words, score=0.95)).aside is not None
    assert reading(words, unsure, scope="void").aside is not None


def test_words_that_are_hardly_praise_are_a_question_or_told() -> None:
    words = "Hot and cold, or do you specialise?"
    output = reading(words, Act(kind="flirt", words=words, score=0.5))
    assert types(output) == ["ask"]
    sure = reading("you have lovely eyes", act("flirt", "you have lovely eyes"))
    assert types(sure) == ["compliment"]


def test_a_request_to_do_something_is_not_answered_with_what_is_known() -> None:
    words = "ask viktor to carry the unit for jin"
    assert types(reading(words, act("request", words, person="viktor", topic="carry the unit for jin"))) == ["remark"]
    words = "could you tell me about jin"
    assert types(reading(words, act("request", words, topic="tell me about jin"))) == ["ask"]


def test_several_questions_of_one_act_are_asked_one_by_one() -> None:
    words = "Viktor, when was Jin here, what did Jin drink, and who paid for that?"
    output = reading(words[8:], act("ask", words[8:]))
    assert types(output) == ["ask"] * 3


def test_telling_somebody_what_one_sees_is_told_in_the_players_words() -> None:
    words = "then tell Viktor in a hushed voice what they are doing out there"
    output = reading(words, act("tell", words, person="Viktor", topic="what they are doing out there"))
    assert [(action.form, action.deed) for action in output.proposed_actions] == [
        ("report", "tell Viktor in a hushed voice what they are doing out there")
    ]


def test_a_reproach_and_a_joke_that_is_none_are_of_their_own_kind() -> None:
    words = "You never liked me, did you?"
    assert [action.form for action in reading(words, act("ask_self", words)).proposed_actions] == ["reproach"]
    words = "Funny, I was told that it had gone out for mending."
    assert [action.form for action in reading(words, act("joke", words)).proposed_actions] == ["tell"]


def test_words_that_only_fill_a_pause_or_say_who_is_meant_are_not_answered() -> None:
    acts = (act("ask", "When was she here?"), act("request", "Jin, I mean.", person="Jin"))
    assert types(reading("When was she here? Jin, I mean.", *acts)) == ["ask"]


def test_what_is_told_of_ones_own_deeds_is_told_to_the_player() -> None:
    words = "Tell Viktor how I burned my hand"
    output = reading(words, act("tell", words, person="Viktor", topic="how I burned my hand"))
    assert [action.deed for action in output.proposed_actions] == ["tell Viktor how you burned your hand"]


def test_anything_hot_is_an_order_where_somebody_serves() -> None:
    words = "anything hot that isn't soup?"
    assert [action.form for action in reading(words, act("ask", words)).proposed_actions] == ["order"]
    words = "anything to eat in here?"
    assert [action.form for action in reading(words, act("seek", words)).proposed_actions] == ["order"]
    words = "anything hot happen while I was out?"
    assert [action.form for action in reading(words, act("ask", words)).proposed_actions] == ["ask"]


def test_where_something_is_adds_nothing_to_what_is_said_and_names_nobody() -> None:
    said = Act(kind="opinion", words="You looked at something.", score=0.9)
    there = Act(kind="ask", words="Up there.", score=0.9)
    assert whole([said, there]) == [said]
    assert whole([said, there.model_copy(update={"words": "Up there?"})]) != [said]


@pytest.mark.parametrize(
    ("kind", "words", "meant"),
    [
        ("offer", "offer her one of the tapers", "give"),
        ("offer", "offer to mend the roof", ""),
        ("thank", "thank heaven for that", "opinion"),
        ("thank", "thank her for the drink", ""),
        ("farewell", "wish the old man good appetite", "comfort"),
        ("farewell", "wish her a good night", ""),
        ("look", "watch a raindrop run down the pane", "pose"),
        ("look", "watch the rain", ""),
    ],
)
def test_words_show_that_an_act_is_of_another_kind(kind: str, words: str, meant: str) -> None:
    assert next((name for name, found in kinds()[kind].turns.items() if found.search(words)), "") == meant


def test_what_was_asked_about_is_known_with_a_letter_wrong() -> None:
    assert is_asked_about("Ambrose", "where is ambros")
    assert not is_asked_about("Ambrose", "where is Marit")


def test_nobody_goes_away_by_a_guess_and_who_is_there_is_asked_before_the_game() -> None:
    words = "viktor mate wander please"
    assert "go" not in types(reading(words, Act(kind="go", words=words, person="mate", score=0.3)))
    words = "what's a guild"
    asked = reading(words, Act(kind="stats", words=words, score=0.4))
    assert types(asked) == ["ask"]
    assert reading(words, Act(kind="stats", words=words, score=0.8)).aside is not None


def test_where_a_place_is_that_no_way_leads_to_is_asked_of_who_is_there() -> None:
    far = Named(id="p:cold_store", name="The Cold Store", kind="place")
    scope = SCOPES["bar"].model_copy(update={"topics": (*SCOPES["bar"].topics, far)})
    words = "where is the cold store"
    acts = (act("seek", words, target="cold store"),)
    output = interpret(InterpreterInput(player_text=words, scope=scope), lambda line: acts)
    assert types(output) == ["ask"]


def test_a_thought_of_which_nothing_can_be_made_is_said_to_who_is_there() -> None:
    words = "crates are lumpish"
    assert types(reading(words, act("thought", words))) == ["remark"]


@pytest.mark.parametrize(
    ("words", "kind", "target"),
    [
        ("whose is the glass?", "look", "glass"),
        ("is that glass ever put down?", "look", "glass"),
        ("is there any toast?", "seek", "toast"),
        ("are we friends?", "where", ""),
        ("whose idea was this game", "goal", ""),
        ("what should I do with my arms?", "options", ""),
        ("did anybody leave a note for me", "inventory", ""),
        ("hey are there fish", "call", "fish"),
    ],
)
def test_a_question_that_looks_at_nothing_is_put_to_who_is_there(words: str, kind: str, target: str) -> None:
    doubtful = Act(kind=kind, words=words, target=target, score=0.55)
    assert types(reading(words, doubtful)) == ["ask"]


@pytest.mark.parametrize(
    ("words", "kind", "target", "scope"),
    [
        ("is there a street door here?", "seek", "street door", "bar"),
        ("what is that glass like", "look", "glass", "bar"),
        ("where are we?", "where", "", "bar"),
        ("who is here?", "look", "", "bar"),
    ],
)
def test_a_question_after_what_is_there_is_a_look(words: str, kind: str, target: str, scope: str) -> None:
    output = reading(words, Act(kind=kind, words=words, target=target, score=0.55), scope=scope)
    assert "ask" not in types(output)


@pytest.mark.parametrize(
    "words",
    [
        "your brother told me you play the cello, is that true?",
        "if I told you that I know where it is",
        "I told Viktor that Jin sent me",
    ],
)
def test_what_others_said_holds_nobody_to_anything(words: str) -> None:
    assert "recall" not in types(reading(words, act("tell", words, topic=words)))


def test_what_a_third_owes_is_asked_about_and_held_against_nobody() -> None:
    assert "recall" not in types(reading("how much does she owe", act("ask_price", "how much does she owe")))
    assert types(reading("what do I owe you", act("ask_price", "what do I owe you"))) == ["recall"]


def test_who_is_called_alone_is_asked_what_comes_next() -> None:
    output = reading(
        "Agent Chen! are you cold", act("greet", "Agent Chen!"), act("ask_self", "are you cold"), scope="crowd"
    )
    assert {action.target_id for action in output.proposed_actions} == {"p:agent_chen"}


def test_who_does_not_think_so_leaves_nothing_undone() -> None:
    words = ("I don't think I have heard of it.", "Should I have?")
    output = reading(" ".join(words), act("opinion", words[0]), act("ask_opinion", words[1]))
    assert types(output)[0] == "remark"


@pytest.mark.parametrize(
    ("words", "kind", "score", "is_said"),
    [
        ("Somebody in here is crying and I think it is me.", "thought", 0.9, True),
        ("I used to be afraid of the stairs.", "thought", 0.9, True),
        ("Your hand is shaking.", "pose", 0.35, True),
        ("I need a job.", "attempt", 0.35, True),
        ("think of my mother", "thought", 0.9, False),
        ("You sit down.", "pose", 0.9, False),
    ],
)
def test_what_is_told_of_what_is_here_is_said_to_who_is_there(
    words: str, kind: str, score: float, is_said: bool
) -> None:
    output = reading(words, Act(kind=kind, words=words, score=score))
    assert ("remark" in types(output)) == is_said


def test_who_asks_to_be_taken_somewhere_says_all_else_before() -> None:
    line = "take me to the market. I have word for Jin."
    asked, said = (
        act("request", "take me to the market."),
        act("tell", "I have word for Jin.", person="Jin", topic="word for Jin"),
    )
    read = [action.metadata.get("topic", "") for action in reading(line, asked, said).proposed_actions]
    assert "word for Jin" in str(read[0])


def test_a_question_about_the_game_is_asked_alone_where_only_guesses_stand_beside_it() -> None:
    line = "how do these numbers work, I have lost count"
    guess = Act(kind="pose", words="I have lost count", score=0.3)
    output = reading(line, act("rules", "how do these numbers work"), guess)
    assert (output.aside and output.aside.kind, output.proposed_actions) == ("rules", ())
