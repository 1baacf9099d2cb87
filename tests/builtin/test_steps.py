"""Several acts of one line: what is taken back, what is left undone, what hangs on what failed, what is one beat."""

from __future__ import annotations

import pytest

from lorewright.builtin.narrator import narrate
from lorewright.builtin.parser.acts.meant import acts_meant
from lorewright.builtin.parser.interpreter import interpret
from lorewright.builtin.parser.lines.rewordings import corrected
from lorewright.builtin.parser.pieces import led_on
from lorewright.builtin.parser.readings import ParseContext, Reading
from lorewright.builtin.parser.rewordings import in_second_person
from lorewright.builtin.parser.steps import STEPS
from lorewright.builtin.words.noun_phrases import nouns_of
from lorewright.builtin.words.tagging import Act
from lorewright.rules.actions import Action
from lorewright.values.records import InterpreterInput, InterpreterOutput
from lorewright.values.scenery import SceneryNoun
from support.narrator_bar import SCOPES
from support.narrator_scenes import BAR, given, outcome


def act(kind: str, words: str, **named: str) -> Act:
    return Act(kind=kind, words=words, score=0.9, **named)


def reading(*acts: Act) -> InterpreterOutput:
    text = ", ".join(said.words for said in acts)
    scope = SCOPES["bar"].model_copy(update={"scenery": ()})
    return interpret(InterpreterInput(player_text=text, scope=scope), lambda line: acts)


def types(output: InterpreterOutput) -> list[str]:
    return [action.type for action in output.proposed_actions]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("ask her about the rain, no wait, about the boat, then go", "ask her about the boat, then go"),
        ("take the knife - scratch that - take the glass", "take the glass"),
        ("wipe the lamp. no, wait, don't, just look at it", "look at the lamp"),
        ("sit down and open the map, on second thought close it", "sit down and close the map"),
        ("pick up the red cup, actually no, the blue one", "pick up the blue one"),
        ('say "take it, no wait, leave it"', 'say "take it, no wait, leave it"'),
        ("wait no longer", "wait no longer"),
    ],
)
def test_what_is_taken_back_is_not_read(typed: str, meant: str) -> None:
    assert " ".join(corrected(typed).replace(" - ", " ").split()) == meant


def test_what_is_said_not_to_be_done_is_told_and_not_done() -> None:
    output = reading(act("gesture", "shrugs"), act("drop", "doesn't drop the credstick", target="credstick"))
    assert "drop" not in types(output)
    assert output.proposed_actions[-1].deed.endswith("do not drop the credstick")


def test_whom_one_pretends_not_to_watch_one_watches() -> None:
    output = reading(act("pose", "yawns"), act("pose", "pretends not to be looking at Viktor"))
    assert [(action.type, action.target_id) for action in output.proposed_actions][-1] == ("look", "p:viktor")


def test_small_acts_that_follow_one_another_are_one_beat() -> None:
    output = reading(act("pose", "*rolls her shoulders"), act("pose", "wipes her brow"), act("pose", "sighs*"))
    assert [(action.type, action.form) for action in output.proposed_actions] == [("pose", STEPS)]
    assert output.proposed_actions[0].deed == "roll your shoulders, wipe your brow, and sigh"


def test_an_act_that_cannot_be_told_is_left_to_the_others() -> None:
    output = reading(act("pose", "*one hand on her hip*"), act("ask", "Where is Jin?", topic="Jin"))
    assert types(output) == ["ask"]


def test_that_somebody_speaks_is_no_act() -> None:
    output = reading(act("ask", "Where is Jin?", topic="Jin"), act("tell", "she asks quietly"))
    assert [action.words for action in output.proposed_actions] == ["Jin"]


def test_what_is_done_with_what_is_not_here_is_not_done() -> None:
    output = reading(
        act("take", "draw my sword", target="my sword"), act("gesture", "hold it under Viktor's nose", target="it")
    )
    assert [action.metadata.get("detail_is") for action in output.proposed_actions] == ["absent"]


def test_what_is_said_to_somebody_here_is_said_although_another_act_fails() -> None:
    output = reading(
        act("take", "grab a trumpet", target="trumpet"),
        act("ask", "ask Viktor about Jin", person="Viktor", topic="Jin"),
    )
    assert types(output)[-1] == "ask"


def test_nothing_is_done_at_the_end_of_a_way_that_is_none() -> None:
    output = reading(act("go", "go to the moon", target="moon"), act("take", "take the unit there", target="unit"))
    assert "take" not in types(output)


def test_what_is_done_after_a_walk_is_for_that_place() -> None:
    output = reading(act("go", "go to the market", target="market"), act("look", "look around"))
    assert [action.metadata.get("beyond") for action in output.proposed_actions] == [None, "p:night_market"]


def test_it_is_what_was_named_before_where_that_is_no_thing() -> None:
    output = reading(act("pose", "opens his mouth", target="mouth"), act("close", "shuts it", target="it"))
    assert types(output) == ["pose"]
    assert output.proposed_actions[0].deed == "open your mouth, and shut your mouth"


def test_an_act_on_a_condition_waits_for_it() -> None:
    output = reading(act("look", "look around"), act("take", "if there is a knife take it", target="it"))
    assert types(output) == ["look", "pose"]
    assert output.proposed_actions[-1].deed == "mean to take it if there is a knife"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            [act("thought", "If he still polishes it,"), act("ask", "ask him who he waits for.", person="him")],
            "mean to ask him who he waits for if he still polishes it",
        ),
        (
            [act("knock", "if somebody answers,"), act("tell", "say that I'm from the sale", topic="the sale")],
            "mean to say that you're from the sale if somebody answers",
        ),
        ([act("thought", "and if Viktor objects pretend to dust")], "mean to pretend to dust if Viktor objects"),
        ([act("go", "if not, go in")], "mean to go in otherwise"),
        ([act("go", "otherwise go home")], "mean to go home otherwise"),
        ([act("go", "and leave if any of them scowls")], "mean to leave if any of them scowls"),
        (
            [act("gesture", "when Viktor looks up I wave him over", person="Viktor")],
            "mean to wave him over when Viktor looks up",
        ),
        (
            [act("search", "and if I can't see it then feel along the wall")],
            "mean to feel along the wall if you can't see it",
        ),
    ],
)
def test_what_hangs_on_a_condition_is_meant_and_not_done(said: list[Act], told: str) -> None:
    output = reading(act("look", "look around"), *said)
    assert types(output) == ["look", "pose"]
    assert output.proposed_actions[-1].deed == told


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (act("opinion", "I tell myself that he is only a barman", topic="a barman"), "tell yourself that he is only"),
        (act("refuse", "and refuse to move", topic="move"), "refuse to move"),
        (act("drop", "leave the credstick where it is", target="credstick"), "leave the credstick where it is"),
        (act("go", "leave the rest", target="rest"), "leave the rest"),
        (act("go", "leaving room for two"), "leave room for two"),
        (act("wait", "hum till nine", topic="nine"), "hum till nine"),
        (act("put", "hold the credstick over the glass", target="credstick"), "hold the credstick over the glass"),
    ],
)
def test_what_changes_nothing_is_told_in_its_words(said: Act, told: str) -> None:
    output = reading(act("look", "look around"), said)
    assert types(output) == ["look", "pose"]
    assert output.proposed_actions[-1].deed.startswith(told)


def test_what_comes_after_a_way_back_is_for_where_the_line_began() -> None:
    lamp = SceneryNoun(name="lamp", head="lamp", text="A lamp smokes over the bar.", key="k:1", source="p:bar#1")
    start = ParseContext(nouns=nouns_of(SCOPES["bar"].model_copy(update={"scenery": (lamp,)})))
    places = (start.nouns.exits[0].id, start.nouns.place.id)
    there, back = (Reading(actions=(Action(actor_id="p:jo", type="go", location_id=place),)) for place in places)
    away = led_on(start, there, {}, start)
    assert not away.nouns.scenery
    assert led_on(away, back, {}, start).nouns.scenery == start.nouns.scenery


def test_who_opens_ones_mouth_closes_that() -> None:
    output = reading(act("work", "open my mouth", target="mouth"), act("close", "close it", target="it"))
    assert output.proposed_actions[-1].deed == "open your mouth, and close your mouth"


def test_whether_somebody_does_something_is_no_condition() -> None:
    output = reading(act("pose", "sit still"), act("look", "see if Viktor stirs", target="Viktor"))
    assert types(output) == ["pose", "look"]


def test_a_condition_that_is_put_to_somebody_is_said() -> None:
    output = reading(act("look", "look around"), act("ask", "if you were me, where is Jin?", topic="Jin"))
    assert types(output)[-1] in ("ask", "remark")


def test_a_verb_that_ends_like_a_participle_is_left_undone_too() -> None:
    output = reading(act("look", "look around"), act("use", "and don't ring the bell", target="bell"))
    assert output.proposed_actions[-1].deed == "do not ring the bell"


def test_who_sits_behind_something_does_not_hide() -> None:
    words = "settle down behind the bar"
    output = interpret(
        InterpreterInput(player_text=words, scope=SCOPES["bar"]), lambda line: (act("hide", words, target="bar"),)
    )
    assert "sneak" not in types(output)


def test_what_is_hidden_somewhere_is_put_there() -> None:
    words = "hide the credstick under the mat"
    output = interpret(
        InterpreterInput(player_text=words, scope=SCOPES["bar"]),
        lambda line: (act("hide", words, target="credstick", second="mat"),),
    )
    assert "sneak" not in types(output)


def test_small_acts_beside_others_are_told_without_more() -> None:
    deeds = [
        outcome("acted", type="pose", words="lean", deed="lean on the bar", form="pose"),
        outcome("acted", type="pose", words="yawn", deed="yawn at the clock", form="steps"),
    ]
    deeds = [deed.model_copy(update={"action_index": at}) for at, deed in enumerate(deeds)]
    text = narrate(given(*deeds, scene=BAR)).final_text
    assert "you lean on the bar. " in f"{text.lower()} "
    assert "nobody minds" not in text


def test_what_is_told_to_a_thing_is_told_to_nobody() -> None:
    output = reading(act("pose", "sighs"), act("request", "tells it to be quiet", topic="be quiet"))
    assert types(output) == ["pose"]
    assert output.proposed_actions[0].deed == "sigh, and tell it to be quiet"


def test_a_small_act_at_a_place_that_is_not_known_yet_is_done() -> None:
    output = reading(
        act("go", "go to the market", target="market"), act("knock", "knock on the shutter", target="shutter")
    )
    assert output.not_played == ()
    assert output.proposed_actions[-1].deed == "knock on the shutter"


def test_whose_hands_they_are_is_told_by_who_looks() -> None:
    assert in_second_person("She studies his hands while he counts") == ""
    assert in_second_person("She studies his hands") == "study his hands"
    assert in_second_person("He rubs his hands") == "rub your hands"


def test_who_does_something_on_the_way_has_stopped_there() -> None:
    way = [
        outcome("moved", type="go", location_id="p:alley"),
        outcome("looked", type="look", words="lamps"),
        outcome("moved", type="go", location_id=BAR.place_id),
    ]
    way = [step.model_copy(update={"action_index": at}) for at, step in enumerate(way)]
    text = narrate(given(*way, scene=BAR)).final_text
    assert not any(said in text for said in ("passed", "goes by", "leads by", "do not stop", "On the way"))


def test_small_acts_do_not_count_against_the_limit_of_a_line() -> None:
    small = [act("pose", f"{words}s") for words in ("shrug", "yawn", "blink")]
    output = reading(
        small[0],
        act("look", "looks around"),
        small[1],
        act("look", "looks at Viktor", target="Viktor"),
        small[2],
        act("ask", "Where is Jin?", topic="Jin"),
    )
    assert types(output)[-1] == "ask"


def test_what_is_beyond_the_limit_of_a_line_is_quoted_as_not_played() -> None:
    asked = [act("ask", f"ask Viktor about {topic}", person="Viktor", topic=topic) for topic in ("Jin", "ice", "rain")]
    output = reading(*asked, act("wait", "wait"), act("search", "search the bar", target="bar"))
    assert len(output.proposed_actions) == 4 and output.not_played == ("search the bar",)


def test_one_act_that_is_several_is_each_of_them() -> None:
    output = reading(act("pose", "sighs, leans back"), act("ask", "Where is Jin?", topic="Jin"))
    assert output.proposed_actions[0].deed == "sigh, and lean back"


def test_a_way_out_that_is_taken_is_a_way_although_the_prose_shows_it() -> None:
    output = reading(act("go", "ride the lift to the market", target="lift"), act("pose", "yawn"))
    assert output.proposed_actions[0].location_id == "p:night_market"


def test_letting_go_is_no_departure() -> None:
    output = reading(act("pose", "sigh"), act("go", "let go of it"))
    assert "go" not in types(output)


def test_what_is_looked_for_is_what_it_is() -> None:
    output = reading(
        act("search", "rummage in the drawer for a match", target="drawer", second="match"),
        act("use", "strike it", target="it"),
    )
    assert output.proposed_actions[-1].metadata["detail"] == "match"


def test_after_a_walk_one_comes_back_to_where_it_began() -> None:
    walk = act("go", "go to the market", target="market")
    scope, ahead = SCOPES["bar"], {"p:night_market": SCOPES["market"]} if "market" in SCOPES else {}
    text = "go to the market, come back"
    given_line = InterpreterInput(player_text=text, scope=scope, ahead=ahead)
    output = interpret(given_line, lambda line: (walk, act("go", "come back")))
    assert [action.location_id for action in output.proposed_actions][:1] == ["p:night_market"]


def test_what_is_missing_is_said_to_be_missing_once() -> None:
    output = reading(act("search", "search the crate", target="crate"), act("open", "open the crate", target="crate"))
    assert len(output.proposed_actions) == 1


def test_a_look_round_is_a_look() -> None:
    output = reading(act("look", "have a look round", target="round"), act("pose", "yawn"))
    assert "detail" not in output.proposed_actions[0].metadata


def test_a_posture_beside_something_that_is_not_known_is_taken_up() -> None:
    output = reading(act("pose", "slouches against the piano", target="piano"), act("pose", "yawns"))
    assert [action.metadata.get("detail_is") for action in output.proposed_actions] == [None]


def test_who_nods_at_somebody_speaks_to_them() -> None:
    output = reading(act("gesture", "nod at Viktor", person="Viktor"), act("tell", "long night", topic="long night"))
    assert output.proposed_actions[-1].target_id == "p:viktor"


def test_what_is_asked_meanwhile_is_asked() -> None:
    output = reading(
        act("pose", "lean on the bar"),
        act("ask", "and while I do, I ask Viktor about Jin", person="Viktor", topic="Jin"),
    )
    assert output.proposed_actions[-1].words == "Jin"


def test_one_of_several_is_one_of_those() -> None:
    acts = (
        act("work", "fill two mugs", target="two mugs"),
        act("put", "lay the cards on the tray", target="cards", second="tray"),
        act("take", "lift one", target="one"),
    )
    meant = acts_meant(ParseContext(nouns=nouns_of(SCOPES["bar"])), acts)
    assert meant[-1].target == "two mugs"


def test_one_of_what_was_named_is_not_all_of_it() -> None:
    acts = (act("count", "count the mugs", target="mugs"), act("give", "give Viktor one", target="one"))
    meant = acts_meant(ParseContext(nouns=nouns_of(SCOPES["bar"])), acts)
    assert meant[-1].words == "give Viktor one mug"
    assert meant[-1].target == "mug"


def test_something_that_is_not_named_is_nothing_that_is_here() -> None:
    assert types(reading(act("knock", "knock something over", target="something"))) == ["pose"]
    assert types(reading(act("break", "break something", target="something"))) == ["pose"]


def test_a_knock_on_a_place_that_is_not_near_comes_after_the_walk_there() -> None:
    scope = SCOPES["bar"]
    far = scope.topics[0].model_copy(update={"id": "p:tower", "name": "The Tower", "kind": "place"})
    output = interpret(
        InterpreterInput(player_text="knock on the Tower", scope=scope.model_copy(update={"topics": (far,)}))
    )
    assert types(output) == ["go", "knock"]


def test_what_is_done_at_a_place_that_is_not_near_is_a_walk_there() -> None:
    scope = SCOPES["bar"]
    far = scope.topics[0].model_copy(update={"id": "p:tower", "name": "The Tower", "kind": "place"})
    output = interpret(
        InterpreterInput(player_text="listen at the Tower", scope=scope.model_copy(update={"topics": (far,)})),
        lambda line: (act("listen", "listen at the Tower", target="the Tower"),),
    )
    assert types(output) != ["look"]


def test_who_walks_over_to_a_table_goes_on_from_there() -> None:
    output = reading(
        act("go", "walk over to the table", target="table"), act("ask", "ask Viktor about Jin", topic="Jin")
    )
    assert types(output)[-1] == "ask"
    assert "go" not in types(output)


def test_what_would_be_told_to_whom_one_did_not_get_to_is_not_told_to_nobody() -> None:
    scope = SCOPES["bar"].model_copy(update={"scenery": (), "people": ()})
    acts = (
        act("take", "fetch a rope", target="rope"),
        act("request", "tell her to climb", person="her", topic="climb"),
    )
    output = interpret(InterpreterInput(player_text="fetch a rope, tell her to climb", scope=scope), lambda line: acts)
    assert types(output) == ["attempt"]


def test_what_is_left_where_it_was_is_not_eaten() -> None:
    output = reading(act("take", "nick the pear", target="pear"), act("eat", "eat it", target="it"))
    assert [action.form for action in output.proposed_actions] == ["take"]


def test_a_call_that_nobody_answers_fulfils_the_condition_that_nobody_does() -> None:
    output = reading(
        act("phone", "ring Mara", person="Mara"),
        act("wait", "and if nobody answers"),
        act("look", "look around"),
    )
    assert types(output)[-1] == "look"
    assert not output.not_played


def test_what_is_put_on_the_board_after_an_order_is_nothing_one_carries() -> None:
    output = reading(
        act("order", "bring me a tea", topic="a tea"), act("put", "put it on the board", target="it", second="board")
    )
    assert not {"drop", "give", "use"} & set(types(output))


def test_feet_on_a_desk_are_no_standing_up() -> None:
    output = reading(act("stand", "rest my boots on the table", target="boots"))
    assert "stand" not in types(output)


def test_what_is_drawn_need_not_be_there() -> None:
    scope = SCOPES["bar"]
    output = interpret(
        InterpreterInput(player_text="sketch a whale on the wall", scope=scope),
        lambda line: (act("eat", "sketch a whale on the wall", target="whale"),),
    )
    assert [action.metadata.get("detail_is") for action in output.proposed_actions] == [None]
    assert output.proposed_actions[0].deed == "sketch a whale on the wall"


def test_what_is_drawn_is_not_taken() -> None:
    output = reading(act("take", "doodle a crown in the dust", target="crown"))
    assert [(action.form, action.metadata.get("detail")) for action in output.proposed_actions] == [("write", None)]


def test_a_request_beside_something_that_leads_nowhere_is_made() -> None:
    noun = SceneryNoun(name="cart", head="cart", text="A cart stands here.", key="k:4", source="p:bar#4")
    scope = SCOPES["bar"].model_copy(update={"scenery": (noun,)})
    acts = (
        act("climb", "climb onto the cart", target="cart"),
        act("ask", "and ask him about Jin", person="him", topic="Jin"),
    )
    output = interpret(
        InterpreterInput(player_text="climb onto the cart, and ask him about Jin", scope=scope), lambda line: acts
    )
    assert types(output)[-1] == "ask"


def test_who_gets_in_gets_into_what_is_there_for_it() -> None:
    noun = SceneryNoun(name="cart", head="cart", text="A cart stands here.", key="k:4", source="p:bar#4")
    scope = SCOPES["bar"].model_copy(update={"scenery": (noun,)})
    output = interpret(InterpreterInput(player_text="hop in", scope=scope), lambda line: (act("go", "hop in"),))
    assert types(output) == ["sit"]


def test_who_looks_at_tables_for_people_looks_round() -> None:
    output = reading(act("look", "check each booth to see who is there", target="booth"))
    assert [(action.type, action.metadata.get("detail")) for action in output.proposed_actions] == [("look", None)]


@pytest.mark.parametrize(
    ("words", "deed"),
    [
        ("try not to look at Viktor", "try not to look at Viktor"),
        ("pretend I was reading", "pretend you were reading"),
        ("nearly fall off the stool", "nearly fall off the stool"),
        ("if he comes back, shut the door", "mean to shut the door if he comes back"),
        ("shout for Jin", "shout for Jin"),
        ("describe it to her", "describe it to her"),
    ],
)
def test_what_is_held_back_feigned_or_meant_for_later_is_told_and_not_done(words: str, deed: str) -> None:
    output = reading(act("look", "look around"), act("go", words))
    assert types(output) == ["look", "pose"]
    assert output.proposed_actions[-1].deed == deed


@pytest.mark.parametrize(
    ("acts", "played"),
    [
        ([act("drop", "lay the credstick down with two fingers on it", target="credstick")], ["pose"]),
        ([act("attack", "slap the credstick on the bar", target="credstick", second="bar")], ["drop"]),
        ([act("go", "go pink")], ["pose"]),
        ([act("go", "come back")], ["pose"]),
    ],
)
def test_what_only_sounds_like_more_is_no_more(acts: list[Act], played: list[str]) -> None:
    assert types(reading(act("look", "look around"), *acts)) == ["look", *played]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("put on the coat she forgot, no, she took it; put on mine", "put on mine"),
        ("wave, open the left drawer - no, the wrong drawer; open the right one", "wave, open the right one"),
        ("no, she took it; put on mine", "no, she took it; put on mine"),
        ("tell her no, she took it", "tell her no, she took it"),
    ],
)
def test_what_turns_out_not_to_be_so_is_not_done(typed: str, meant: str) -> None:
    assert corrected(typed) == meant


@pytest.mark.parametrize(("words", "deed"), [("have a good cry", "have a good cry"), ("have a beer", "")])
def test_what_one_has_is_told_where_it_is_done(words: str, deed: str) -> None:
    assert in_second_person(words) == deed


@pytest.mark.parametrize(
    ("before", "after", "meant"),
    [
        (
            act("move", "shake the rain off my coat", target="rain"),
            act("put", "hang it up", target="it"),
            "hang my coat up",
        ),
        (
            act("take", "take the key off the hook", target="key"),
            act("look", "look at it", target="it"),
            "look at the key",
        ),
        (
            act("pose", "wrap both hands round the cup", target="both hands"),
            act("use", "blow on it", target="it"),
            "blow on the cup",
        ),
    ],
)
def test_it_is_the_thing_that_an_act_is_about(before: Act, after: Act, meant: str) -> None:
    assert acts_meant(ParseContext(nouns=nouns_of(SCOPES["bar"])), (before, after))[1].words == meant


def test_what_is_said_to_a_thing_is_no_word_to_somebody() -> None:
    noun = SceneryNoun(name="shelf", head="shelf", text="A shelf hangs here.", key="k:4", source="p:bar#4")
    scope = SCOPES["bar"].model_copy(update={"scenery": (noun,)})
    acts = (act("look", "look around"), act("apologise", "and say sorry to the shelf"))
    output = interpret(
        InterpreterInput(player_text="look around and say sorry to the shelf", scope=scope), lambda _: acts
    )
    assert [action.deed for action in output.proposed_actions][-1] == "say sorry to the shelf"


def test_what_was_asked_for_is_put_on_the_board_as_a_debt() -> None:
    acts = (act("take", "give me something strong"), act("put", "put it on the board", target="it", second="board"))
    assert acts_meant(ParseContext(nouns=nouns_of(SCOPES["bar"])), acts)[1].kind == "order"


def test_exits_are_counted_by_a_look_round() -> None:
    acts = (act("close", "count the exits", target="exits"),)
    assert acts_meant(ParseContext(nouns=nouns_of(SCOPES["bar"])), acts)[0].kind == "where"


def _kinds(*acts: Act) -> list[tuple[str, str]]:
    return [(each.kind, each.words) for each in acts_meant(ParseContext(nouns=nouns_of(SCOPES["bar"])), acts)]


def test_what_is_put_on_the_board_is_a_debt_however_unsure_its_kind_is() -> None:
    unsure = Act(kind="wear", words="and put it on the board, please.", target="it", second="board", score=0.3)
    output = reading(act("order", "something hot", topic="something hot"), unsure)
    assert not {"drop", "give", "use"} & set(types(output))


def test_what_is_dropped_into_ones_own_boot_stays_with_one() -> None:
    assert types(reading(act("drop", "drop the credstick down my boot", target="credstick"))) == ["pose"]
    assert types(reading(act("drop", "drop the credstick", target="credstick"))) == ["drop"]


def test_who_hides_a_hand_puts_nothing_down() -> None:
    assert types(reading(act("hide", "hide my wrist under the table", target="wrist", second="table"))) == ["pose"]


def test_what_is_forbidden_with_an_aside_between_is_not_done() -> None:
    forbids = act("request", "Do not, whatever anybody says,")
    assert _kinds(forbids, act("wear", "put it on.", target="it"))[-1][1] == "Do not put it on."
    assert _kinds(act("request", "Do not worry,"), act("wear", "put it on.", target="it"))[-1][1] == "put it on."


def test_the_pockets_of_what_was_handled_are_its_own() -> None:
    found = _kinds(
        act("smell", "smell the coat", target="coat"), act("search", "search its pockets", target="its pockets")
    )
    assert found[-1][1] == "search the pockets of the coat"


def test_who_goes_to_the_foot_of_the_stairs_stays_down_to_listen() -> None:
    walk = act("go", "tiptoe to the foot of the stair", target="foot of the stair")
    assert _kinds(walk, act("listen", "listen upward"))[0][0] == "pose"


def test_one_goes_in_where_one_knocked() -> None:
    assert _kinds(act("knock", "knock at room 7", target="room 7"), act("go", "and go in"))[-1][1] == "go to room 7"
    assert _kinds(act("knock", "knock on the door", target="door"), act("go", "and go in"))[-1][1] == "and go in"


def test_a_way_that_is_chosen_is_taken() -> None:
    way = SCOPES["bar"].exits[0].name
    assert types(reading(act("listen", f"make up my mind for the {way}", target=way))) == ["go"]


def test_what_somebody_is_told_to_take_is_given_to_them() -> None:
    assert corrected("Viktor, here, take my card and go") == "I give my card to Viktor and go"
    assert corrected("Here Viktor, take my card") == "I give my card to Viktor"
    assert corrected("Here, take my card") == "I hand over my card"
    assert corrected("take my card out of my coat") == "take my card out of my coat"


@pytest.mark.parametrize(
    ("said", "deed"),
    [
        (act("drop", "leave half of it", target="half of it"), "leave half of it"),
        (act("put", "tuck the loose one back in", target="loose one"), "tuck the loose one back in"),
    ],
)
def test_a_small_act_of_which_nothing_could_be_made_is_told(said: Act, deed: str) -> None:
    output = reading(act("gesture", "shrug"), said)
    assert deed in output.proposed_actions[-1].deed and output.not_played == ()


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        (act("attack", "swing wildly"), "You mean to swing wildly: whom?"),
    ],
)
def test_an_act_of_weight_without_its_object_is_asked_about_by_name(said: Act, asked: str) -> None:
    output = reading(said, act("take", "take the glass", target="glass"))
    assert output.rest is not None and asked in output.rest.question
    assert "Not done" not in output.rest.question


def test_what_is_lifted_to_find_something_is_lifted_and_searched() -> None:
    found = acts_meant(
        ParseContext(nouns=nouns_of(SCOPES["bar"])),
        [act("move", "lift the stool to see whether anybody left a key there", target="stool")],
    )
    assert [(part.kind, part.target) for part in found] == [("work", "stool"), ("search", "stool")]
    tilted = acts_meant(
        ParseContext(nouns=nouns_of(SCOPES["bar"])),
        [act("move", "tilt the stool to see how it stands", target="stool")],
    )
    assert len(tilted) == 1


def test_a_word_that_is_only_said_aloud_is_told() -> None:
    output = reading(act("perform", "laugh"), act("tell", 'say "well"'), act("tell", "say nothing after that"))
    assert output.proposed_actions[-1].deed == "say “well”, and say nothing after that"


def test_what_is_held_while_one_goes_in_is_no_place() -> None:
    found = acts_meant(
        ParseContext(nouns=nouns_of(SCOPES["bar"])), [act("go", "go in with my cap held high", target="cap")]
    )
    assert [(part.words, part.target) for part in found] == [("go in", "")]


def test_who_begins_to_tell_something_tells_it() -> None:
    found = acts_meant(
        ParseContext(nouns=nouns_of(SCOPES["bar"])),
        [act("pose", "sit down"), act("tell", "start telling the one about the bishop")],
    )
    assert found[-1].kind == "report"


def test_a_question_of_no_telling_word_is_about_what_was_said_before_it() -> None:
    said = act("tell", "Viktor, there is a patch on the counter.", person="Viktor")
    _, asked = reading(said, act("ask", "What is that from?")).proposed_actions
    assert asked.type == "ask"
    assert "patch on the counter" in asked.words
    assert types(reading(said, act("ask", "Where is Jin?"))) == ["remark", "ask"]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (act("look", "check the credstick's balance", target="credstick's balance"), "credstick"),
        (act("look", "check the stool's legs", target="stool's legs"), "stool's legs"),
    ],
)
def test_a_part_of_what_one_carries_that_has_no_name_is_that_thing(said: Act, meant: str) -> None:
    assert acts_meant(ParseContext(nouns=nouns_of(SCOPES["bar"])), [said])[0].target == meant


def test_words_to_nobody_beside_deeds_are_said_aloud() -> None:
    scope = SCOPES["bar"].model_copy(update={"people": ()})
    acts = (act("sit", "sit down"), act("ask", "and does nobody take milk?", topic="milk"))
    output = interpret(InterpreterInput(player_text="sit down and does nobody take milk?", scope=scope), lambda _: acts)
    assert output.rest is None and types(output) == ["sit", "remark"]


def test_why_one_is_here_is_said_and_no_way_out() -> None:
    output = reading(act("greet", "Good evening,"), act("go", "I am here for the locks."))
    assert "go" not in types(output)
    assert types(reading(act("go", "I am off to the alley", target="alley"))) == ["go"]
