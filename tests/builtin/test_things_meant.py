"""What a line names is found by other names and with slips; a part is not the whole, a plain thing is not denied, and a
look answers for what is looked at."""

from __future__ import annotations

import pytest

from lorewright.builtin.narrator import narrate
from lorewright.builtin.parser.interpreter import interpret
from lorewright.builtin.words.tagging import Act
from lorewright.builtin.words.utterances import with_my
from lorewright.rules.actions import Action
from lorewright.values.records import Evidence, InterpreterInput, InterpreterOutput
from lorewright.values.scenery import SceneryNoun, SceneryView
from lorewright.values.scope import Named
from support.narrator_bar import SCOPES, read
from support.narrator_scenes import BAR, given, outcome

NOTEBOOK = Named(id="p:notebook", name="notebook", kind="thing")
ROSES = Named(id="p:roses", name="bunch of roses", aliases=("roses",), kind="thing")


def _noun(name: str, text: str) -> SceneryNoun:
    return SceneryNoun(name=name, head=name.split()[-1], text=text, key=f"k:{name}", source="p:bar#6")


def _read(text: str, kind: str, *, odd: tuple[str, ...] = (), **named: object) -> InterpreterOutput:
    roles = {key: value for key, value in named.items() if isinstance(value, str)}
    within = SCOPES["bar"].model_copy(update={key: value for key, value in named.items() if key not in roles})
    act = Act.model_validate({"kind": kind, "words": text, "score": 0.9, "odd": odd, **roles})
    return interpret(InterpreterInput(player_text=text, scope=within), lambda line: (act,))


def _action(output: InterpreterOutput) -> Action:
    assert len(output.proposed_actions) == 1, output
    return output.proposed_actions[0]


def test_a_word_that_sounds_like_what_the_prose_shows_is_that() -> None:
    scenery = (_noun("goat", "A goat is tied to the rail."),)
    output = _read("look at the gote", "look", target="gote", odd=("gote",), scenery=scenery)
    assert _action(output).metadata["detail"] == "goat"


def test_a_word_that_is_right_as_it_is_is_no_other_word() -> None:
    scenery = (_noun("road", "A road runs by."),)
    output = _read("switch on the radar", "use", target="radar", scenery=scenery)
    assert _action(output).metadata["detail_is"] == "absent"


def test_a_slip_in_another_word_for_what_is_shown_is_mended_to_it() -> None:
    scenery = (_noun("tin hen", "A tin hen ticks."),)
    assert _action(_read("x the chikcen", "look", target="chikcen", scenery=scenery)).metadata["detail"] == "hen"


def test_another_word_for_what_one_carries_is_that_thing() -> None:
    output = _read("go over my notes", "read", target="my notes", carried=(NOTEBOOK,), scenery=())
    assert _action(output).target_id == NOTEBOOK.id


@pytest.mark.parametrize("words", ["squeeze Viktor's elbow", "take hold of viktors arm", "grab his wrist"])
def test_a_part_of_somebodys_body_is_touched_with_them(words: str) -> None:
    target = " ".join(words.split()[-2:])
    action = _action(_read(words, "take", target=target, scenery=()))
    assert (action.type, action.target_id) == ("touch", "p:viktor")


def test_one_of_several_is_not_handed_over_as_all_of_them() -> None:
    output = _read("hand viktor a rose", "give", target="rose", person="viktor", carried=(ROSES,), scenery=())
    assert (_action(output).target_id, _action(output).item_id) == (None, None)
    assert _action(output).form == "part"


def test_all_of_several_is_handed_over() -> None:
    output = _read("give the roses to viktor", "give", target="roses", person="viktor", carried=(ROSES,), scenery=())
    assert (_action(output).type, _action(output).item_id) == ("give", ROSES.id)


def test_what_is_done_to_a_part_of_a_thing_is_a_deed_of_its_own() -> None:
    output = _read("undo the string of the notebook", "take", target="string of the notebook", carried=(NOTEBOOK,))
    assert _action(output).target_id is None
    assert _action(output).deed == "undo the string of the notebook"


@pytest.mark.parametrize(("words", "thing"), [("shut the curtains", "curtains"), ("put on my scarf", "scarf")])
def test_what_goes_with_the_place_or_with_anybody_is_not_denied(words: str, thing: str) -> None:
    scenery = (_noun("window", "A window gives on the yard."),)
    output = _read(words, "close", target=thing, scenery=scenery)
    assert all(action.metadata.get("detail_is") != "absent" for action in output.proposed_actions)


@pytest.mark.parametrize("thing", ["pistol", "key", "curtains"])
def test_what_could_matter_or_goes_with_nothing_here_is_denied(thing: str) -> None:
    scenery = (_noun("ledge", "A ledge runs along the wall."),)
    output = _read(f"take the {thing}", "take", target=thing, scenery=scenery)
    assert _action(output).metadata["detail_is"] == "absent"


def test_so_much_of_a_thing_is_that_thing() -> None:
    scenery = (_noun("window", "A window gives on the yard."),)
    output = _read("take a pinch of salt", "take", target="pinch of salt", scenery=scenery)
    assert _action(output).metadata["detail"] == "salt"


def test_what_somebody_here_wears_is_not_denied_and_says_nothing() -> None:
    action = _action(_read("whats on viktors sleeve", "read", target="viktors sleeve", scenery=()))
    assert (action.type, action.metadata.get("detail_is")) == ("look", None)


def test_a_hand_on_the_handle_opens_the_only_door() -> None:
    action = _action(_read("turn the handle", "use", target="handle", scenery=()))
    assert (action.type, action.target_id) == ("open", "p:steel_door")


def test_through_a_window_that_is_nowhere_one_sees_nothing() -> None:
    output = _read("look through the window", "look", target="window", scenery=())
    assert _action(output).metadata["detail_is"] == "absent"


def test_who_looks_out_of_a_window_looks_through_it() -> None:
    scenery = (_noun("window", "A window gives on the yard."),)
    output = _read("Jo gazes out of the window at the yard", "look", target="window", scenery=scenery)
    assert _action(output).metadata["detail"] == "through window"


def test_a_step_aside_goes_nowhere() -> None:
    output = _read("takes two careful steps back", "go", scenery=())
    assert all(action.location_id is None for action in output.proposed_actions)


def test_who_is_named_after_a_thing_is_no_part_of_its_name() -> None:
    scenery = (_noun("mug", "A mug stands by the tap."),)
    output = _read("reach for the mug Viktor is wiping", "take", target="mug Viktor", scenery=scenery)
    assert _action(output).metadata["detail"] == "mug"


def test_what_somebody_has_given_one_is_there_if_it_is_shown() -> None:
    scenery = (_noun("broth", "A bowl of broth steams on the bar."),)
    output = _read("eat the broth Viktor gave me", "eat", target="broth", scenery=scenery)
    assert _action(output).metadata["detail_is"] == "scenery"


def test_a_question_about_what_is_in_a_thing_is_a_look_into_it() -> None:
    scenery = (_noun("barrel", "A barrel stands by the door."),)
    output = _read("yo whats in the barrel", "ask", person="yo", topic="whats in the barrel", scenery=scenery)
    assert (_action(output).type, _action(output).words) == ("search", "in barrel")


def test_what_is_worn_is_taken_off_although_one_has_it() -> None:
    output = _read("take the notebook off my belt", "take", target="notebook", carried=(NOTEBOOK,), scenery=())
    assert (_action(output).type, _action(output).deed) == ("pose", "take the notebook off your belt")


def test_a_word_before_a_thing_is_no_owner_of_a_body() -> None:
    output = _read("read the price board", "read", target="price board", scenery=())
    assert _action(output).metadata["detail"] == "price board"


def test_one_of_several_with_a_slip_stays_one() -> None:
    scenery = (_noun("umbrellas", "Umbrellas stand in a rack."),)
    assert _action(_read("grab an umbrela", "take", target="umbrela", scenery=scenery)).deed == "grab an umbrella"


def test_a_number_of_things_stays_a_number() -> None:
    output = _read("drop 2 roses", "drop", target="2 roses", carried=(ROSES,), scenery=())
    assert (_action(output).type, _action(output).form) == ("attempt", "part")
    assert "2 roses" in str(_action(output).metadata["detail"])


def test_a_clause_after_what_is_looked_at_is_no_second_thing() -> None:
    words = "look at the knife, where viktor left it"
    assert _action(_read(words, "look", target="knife", scenery=())).target_id == "p:knife"


def test_how_much_is_on_what_one_carries_is_a_look_at_it() -> None:
    output = _read("so whats left on my credstick", "ask_price", scenery=())
    assert (_action(output).type, _action(output).target_id) == ("look", "p:credstick")


def test_what_is_put_down_before_somebody_and_pushed_over_to_them_is_given() -> None:
    text = "I lay the credstick down and push it over to viktor"
    acts = (
        Act(kind="drop", words="I lay the credstick down", target="credstick", score=0.9),
        Act(kind="give", words="and push it over to viktor", target="it", person="viktor", score=0.9),
    )
    output = interpret(InterpreterInput(player_text=text, scope=SCOPES["bar"]), lambda line: acts)
    assert [(action.type, action.item_id) for action in output.proposed_actions] == [("give", "p:credstick")]


def _found(text: str, words: str) -> str:
    item = Evidence(item_id="p:bar#9", text=text, how="found", chunk_id="p:bar#9")
    came_of = outcome("found", type="search", words=words, item_ids=("p:bar#9",))
    return narrate(given(came_of, scene=BAR, evidence=(item,))).final_text


def test_what_is_found_beside_what_was_searched_is_told_after_an_answer_about_that() -> None:
    text = _found("A coin lies under the mat.", "in the lamp")
    assert "lamp" in text.partition("A coin")[0].casefold()


def test_what_is_found_in_what_was_searched_needs_no_answer_before_it() -> None:
    assert "out of the ordinary" not in _found("A coin lies in the lamp.", "in the lamp")


LINES = (
    {"key": "k:1", "text": "A slate leans on the wall.", "chunk_id": "p:bar#1"},
    {"key": "k:2", "text": "On the slate somebody has written who owes for the ferry.", "chunk_id": "p:bar#1"},
)


def _looked(form: str, typed: str) -> str:
    shown = SceneryView.model_validate({"action_index": 0, "name": "the slate", "lines": LINES})
    came_of = outcome("looked", type="look", words="slate", form=form)
    return narrate(given(came_of, scene=BAR, scenery=(shown,), player_text=typed)).final_text


def test_what_is_read_is_what_is_written_there() -> None:
    assert "who owes for the ferry" in _looked("read", "read the slate")


def test_a_look_tells_first_what_the_other_words_are_about() -> None:
    assert "A slate leans" in _looked("look", "look at the slate")
    assert "who owes for the ferry" in _looked("look", "does the slate say anything of a ferry")


def test_a_thing_without_a_smell_is_not_described_instead() -> None:
    text = _looked("smell", "sniff the slate")
    assert "the slate" in text.casefold()
    assert "leans" not in text


def test_a_message_that_is_played_again_says_what_it_said() -> None:
    line = {"key": "told:1", "text": "The tape says two words: come home.", "chunk_id": "t/1"}
    shown = SceneryView.model_validate({"action_index": 0, "name": "the tape", "lines": (line,)})
    came_of = outcome(
        "blocked", type="attempt", words="use tape", reason="only_scenery", form="use", deed="replay the tape"
    )
    assert "come home" in narrate(given(came_of, scene=BAR, scenery=(shown,))).final_text


def test_a_deed_with_what_the_opening_shows_is_not_followed_by_another_line_about_such_things() -> None:
    told = {"key": "told:2", "text": "He polishes a glass.", "chunk_id": "t/1"}
    other = {"key": "k:9", "text": "A pane of glass costs thirty.", "chunk_id": "p:bar#1"}
    shown = SceneryView.model_validate({"action_index": 0, "name": "the glass", "lines": (told, other)})
    came_of = outcome("blocked", type="attempt", words="wipe glass", reason="only_scenery", form="work", deed="wipe it")
    assert "thirty" not in narrate(given(came_of, scene=BAR, scenery=(shown,))).final_text


def test_what_is_counted_is_counted_and_not_described() -> None:
    for line in ("count the glasses", "I count the glasses twice"):
        action = _action(_read(line, "look", target="glasses", scenery=(_noun("glasses", "Glasses stand there."),)))
        assert action.form == "count"
    assert _action(_read("count on Viktor", "look", target="Viktor", scenery=())).form != "count"


def test_a_number_that_is_known_is_told_and_another_is_not_made_up() -> None:
    line = {"key": "k:1", "text": "Nine glasses hang over the bar.", "chunk_id": "p:bar#1"}
    came_of = outcome("looked", type="look", words="glasses", form="count")
    counted = {"player_text": "count the glasses", "scene": BAR}
    shown = SceneryView.model_validate({"action_index": 0, "name": "the glasses", "lines": (line,)})
    assert "Nine glasses" in narrate(given(came_of, scenery=(shown,), **counted)).final_text
    bare = SceneryView(action_index=0, name="the glasses")
    assert "ount the glasses" in narrate(given(came_of, scenery=(bare,), **counted)).final_text


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("trail my fingers in the water", "follow"),
        ("put my hand over the bucket", "use"),
        ("hold my palm against the bucket", "show"),
    ],
)
def test_a_hand_that_is_put_somewhere_feels_what_is_there(words: str, kind: str) -> None:
    scenery = (_noun("water", "Water stands there."), _noun("bucket", "A bucket stands there."))
    action = _action(_read(words, kind, target=words.split()[-1], scenery=scenery))
    assert (action.form, action.metadata["detail_is"]) == ("touch", "scenery")
    assert action.deed.endswith(words.split()[-1])


def test_one_looks_through_what_one_puts_an_eye_to() -> None:
    scenery = (_noun("keyhole", "There is a keyhole."),)
    action = _action(_read("put my eye to the keyhole", "look", target="keyhole", scenery=scenery))
    assert action.metadata["detail"] == "through the keyhole"


def test_how_and_what_for_is_told_with_the_deed_before_it() -> None:
    scenery = (_noun("bucket", "A bucket stands there."),)
    acts = (
        Act(kind="move", words="tilt the bucket", target="bucket", score=0.9),
        Act(kind="look", words="to see how full it is", target="how full", score=0.9),
    )
    within = SCOPES["bar"].model_copy(update={"scenery": scenery})
    text = "tilt the bucket to see how full it is"
    output = interpret(InterpreterInput(player_text=text, scope=within), lambda line: acts)
    assert _action(output).deed == text


def test_how_a_thing_stands_after_it_was_moved_is_no_decree() -> None:
    scenery = (_noun("cup", "A cup stands there."),)
    words = "turn the cup so the chip faces away from me"
    output = _read(words, "move", target="cup", scenery=scenery)
    assert _action(output).deed == "turn the cup so the chip faces away from you"
    opened = _read("turn the cup so the wall opens", "move", target="cup", scenery=scenery)
    assert all("opens" not in action.deed for action in opened.proposed_actions)


def test_a_lid_that_is_lifted_shows_what_is_under_it() -> None:
    box = Named(id="p:box", name="hat box", kind="thing")
    output = _read("lift the lid of the hat box", "open", target="lid of the hat box", carried=(box,), scenery=())
    assert (_action(output).type, _action(output).target_id) == ("search", box.id)


def test_a_thing_is_not_carried_away_that_is_held_up_to_something() -> None:
    output = _read("hold the notebook up to the lamp", "move", target="notebook", carried=(NOTEBOOK,), scenery=())
    assert _action(output).location_id is None


KEY = Named(id="p:key", name="brass key", aliases=("key",), kind="thing")


def _line(*acts: Act, **within: object) -> InterpreterOutput:
    scope = SCOPES["bar"].model_copy(update=within)
    text = ", ".join(act.words for act in acts)
    return interpret(InterpreterInput(player_text=text, scope=scope), lambda line: acts)


def _act(words: str, kind: str, **named: str) -> Act:
    return Act.model_validate({"kind": kind, "words": words, "score": 0.9, **named})


@pytest.mark.parametrize(
    ("kind", "where"),
    [("put", "behind my ear"), ("drop", "down my boot"), ("hide", "in my sock"), ("move", "onto my left shoulder")],
)
def test_what_is_put_on_ones_own_body_stays_with_one(kind: str, where: str) -> None:
    words = f"put the notebook {where}"
    action = _action(_read(words, kind, target="notebook", carried=(NOTEBOOK,), scenery=()))
    assert (action.type, action.deed) == ("pose", words.replace("my", "your"))


def test_what_lies_here_is_taken_where_it_is_put_on_ones_body_and_only_moved_elsewhere() -> None:
    taken = _action(_read("put the key under my tongue", "put", target="key", here=(KEY,), scenery=()))
    assert (taken.type, taken.target_id) == ("take", KEY.id)
    moved = _action(_read("lay the key so that it points north", "put", target="key", here=(KEY,), scenery=()))
    assert moved.type == "pose"


def test_what_was_taken_is_put_down_where_it_is_put_back() -> None:
    output = _line(
        _act("take the key", "take", target="key"),
        _act("weigh it in my palm", "put", target="it", second="my palm"),
        _act("hang it back where it was", "put", target="it"),
        here=(KEY,),
        scenery=(),
    )
    assert [action.type for action in output.proposed_actions] == ["take", "pose", "drop"]
    kept = _action(_read("put the notebook back", "put", target="notebook", carried=(NOTEBOOK,), scenery=()))
    assert kept.type == "drop"


def test_another_s_thing_that_is_put_in_ones_pocket_is_put_back() -> None:
    scenery = (_noun("clock", "A clock ticks on the wall."),)
    action = _action(_read("put the clock in my pocket", "put", target="clock", second="pocket", scenery=scenery))
    assert (action.form, action.metadata["detail"]) == ("take", "clock")


def test_a_bow_or_a_sigh_is_how_something_is_done_and_no_tool() -> None:
    scenery = (_noun("chalk", "A piece of chalk lies there."),)
    output = _line(
        _act("take the chalk", "take", target="chalk"),
        _act("hand it back with a small bow", "give", target="it", second="small bow"),
        scenery=scenery,
    )
    assert output.proposed_actions[-1].deed == "hand the chalk back with a small bow"
    tool = _action(_read("wipe the bar with a cloth", "work", target="bar", second="cloth", scenery=()))
    assert tool.metadata.get("detail_is") != "scenery"


@pytest.mark.parametrize(
    ("before", "after", "deed"),
    [
        (("hang my coat over the stool", "put", "coat", "stool"), ("sit on it", "sit"), "sit on the stool"),
        (("dip my fingers in the water", "pose", "", ""), ("flick it away", "work"), "flick the water away"),
    ],
)
def test_it_is_the_seat_or_the_water(before: tuple[str, str, str, str], after: tuple[str, str], deed: str) -> None:
    scenery = (_noun("stool", "A stool stands there."), _noun("water", "Water drips."))
    words, kind, target, second = before
    output = _line(
        _act(words, kind, target=target, second=second), _act(after[0], after[1], target="it"), scenery=scenery
    )
    assert output.proposed_actions[-1].deed.endswith(deed)


def test_what_is_taken_and_handled_is_in_hand_until_then() -> None:
    scenery = (_noun("blanket", "A blanket lies there."),)
    output = _line(
        _act("take the blanket", "take", target="blanket"),
        _act("spread it over both our knees", "put", target="it"),
        scenery=scenery,
    )
    assert [action.type for action in output.proposed_actions] == ["pose", "attempt"]
    assert output.proposed_actions[-1].deed == "spread the blanket over both your knees"


def test_ones_own_hat_is_not_denied_and_anybody_else_s_is() -> None:
    mine = _action(_read("tip my hat to the room", "gesture", target="my hat", scenery=()))
    assert mine.metadata.get("detail_is") != "absent"
    other = _action(_read("put the hat on the bar", "put", target="hat", scenery=()))
    assert other.metadata["detail_is"] == "absent"


def test_something_is_handed_to_those_who_were_named_and_not_to_who_is_here() -> None:
    output = _line(
        _act("signal to the Patience", "gesture", target="Patience"),
        _act("give them the notebook", "give", target="notebook", person="them"),
        carried=(NOTEBOOK,),
        scenery=(),
    )
    assert all(action.type != "give" for action in output.proposed_actions)


def test_what_was_done_is_told_as_what_is_done() -> None:
    output = _line(
        _act("He took off his glasses", "wear", target="his glasses"),
        _act("polished them on a napkin", "work", target="them", second="napkin"),
        _act("put them back", "wear", target="them"),
        scenery=(),
    )
    told = "take off your glasses, polish your glasses on a napkin, and put your glasses back"
    assert [action.deed for action in output.proposed_actions] == [told]


def test_it_agrees_with_its_noun() -> None:
    scenery = (_noun("mat", "A mat lies there."), _noun("boards", "The boards creak."))
    output = _line(
        _act("lift a corner of the mat", "move", target="mat"),
        _act("run my hand over the boards", "touch", target="boards"),
        _act("fold it back", "work", target="it"),
        scenery=scenery,
    )
    assert output.proposed_actions[-1].deed.endswith("fold the mat back")


def test_a_thing_that_was_just_made_is_not_denied() -> None:
    output = _line(
        _act("wipe the crumbs off my sleeve", "work", target="crumbs"),
        _act("drop the crumbs on the floor", "drop", target="crumbs"),
        scenery=(),
    )
    assert all(action.metadata.get("detail_is") != "absent" for action in output.proposed_actions)
    alone = _action(_read("drop the crumbs on the floor", "drop", target="crumbs", scenery=()))
    assert alone.metadata["detail_is"] == "absent"


@pytest.mark.parametrize(
    ("words", "kind", "target"),
    [("let the rope run through my fingers", "touch", "rope run"), ("leave it there", "go", "it")],
)
def test_letting_and_leaving_are_told_and_lead_nowhere(words: str, kind: str, target: str) -> None:
    scenery = (_noun("rope", "A rope hangs there."),)
    output = _line(_act("touch the rope", "touch", target="rope"), _act(words, kind, target=target), scenery=scenery)
    assert all(action.location_id is None for action in output.proposed_actions)
    assert output.proposed_actions[-1].deed.startswith(words.split()[0])


def test_me_before_a_part_of_the_body_is_mine() -> None:
    assert with_my("put me hand on me knee") == "put my hand on my knee"
    assert with_my("give me hands a rest, tell me") == "give me hands a rest, tell me"


def test_something_put_on_the_tab_after_an_order_is_on_the_tab() -> None:
    output = _line(
        _act("I order a beer", "order", topic="a beer"), _act("put it on the board", "put", target="it", second="board")
    )
    assert "tab" in output.proposed_actions[-1].words


def test_what_one_wears_may_be_handed_to_somebody_and_what_is_of_a_thing_is_that_thing() -> None:
    given_away = _action(_read("pass Viktor my hoodie", "give", target="my hoodie", person="Viktor", scenery=()))
    assert (given_away.metadata.get("detail_is"), given_away.form) != ("absent", "give")
    egg = (_noun("egg", "An egg stands there."),)
    words = "crack the top off his egg"
    action = _action(_read(words, "break", target="top off his egg", scenery=egg))
    assert action.metadata["detail"] == "egg"


def test_what_is_slipped_off_its_hook_is_taken() -> None:
    action = _action(
        _read("slip the key off its hook", "put", target="key", second="its hook", here=(KEY,), scenery=())
    )
    assert (action.type, action.target_id) == ("take", KEY.id)


def test_what_is_carried_into_a_boat_is_put_there_and_not_the_boat() -> None:
    boat = (_noun("boat", "A boat lies there."),)
    output = _line(
        _act("lift the notebook", "move", target="notebook"),
        _act("step down into the boat", "go", target="boat"),
        _act("set it in the bow", "put", target="it", second="bow"),
        carried=(NOTEBOOK,),
        scenery=boat,
    )
    assert (output.proposed_actions[-1].type, output.proposed_actions[-1].target_id) == ("drop", NOTEBOOK.id)


def test_the_third_person_s_own_things_are_told_as_ones_own() -> None:
    output = _line(
        _act("She tucks her wet hair behind her ears", "pose"),
        _act("sips her tea", "eat", target="her tea"),
        scenery=(),
    )
    assert output.proposed_actions[0].deed.startswith("tuck your wet hair behind your ears")


@pytest.mark.parametrize(
    ("words", "kind", "target"),
    [
        ("put the notebook away", "drop", "notebook"),
        ("whisper in his ear", "listen", ""),
        ("put my hands in my pockets so I don't knock anything over", "put", ""),
    ],
)
def test_what_is_put_away_whispered_or_held_back_is_told_and_no_more(words: str, kind: str, target: str) -> None:
    action = _action(_read(words, kind, target=target, odd=("don't",), carried=(NOTEBOOK,), scenery=()))
    assert (action.type, action.deed.split()[0]) == ("pose", words.split()[0])


def test_a_cup_may_be_given_back_and_no_other_given_away() -> None:
    cup = (_noun("cup", "A cup stands there."),)
    back = _action(_read("give Viktor back the cup", "give", target="cup", person="Viktor", scenery=cup))
    away = _action(_read("give Viktor the cup", "give", target="cup", person="Viktor", scenery=cup))
    assert (back.form, away.form) == ("pose", "give")


def test_what_is_ordered_where_nobody_serves_is_taken_by_oneself() -> None:
    scenery = (_noun("coffee", "Coffee stands on the ring."),)
    output = _read("get a coffee", "order", target="coffee", scenery=scenery, people=())
    assert (_action(output).form, _action(output).metadata["detail"]) == ("eat", "coffee")


def test_what_is_asked_for_of_somebody_here_is_not_taken() -> None:
    scenery = (_noun("coffee", "Coffee stands on the ring."),)
    output = _read("can I have a coffee", "order", target="coffee", scenery=scenery)
    assert _action(output).type == "call_for"


def test_a_drink_is_put_on_a_tab_by_order_whosever_it_is() -> None:
    for tab in ("my tab", "the tab", "Lin's tab"):
        output = _read(f"put it on {tab}", "put", target="it", second=tab, scenery=())
        assert [action.type for action in output.proposed_actions] == ["call_for"]


def test_what_one_carries_goes_into_a_pocket_and_stays_with_one() -> None:
    output = _read("put the notebook in my pocket", "put", target="notebook", second="my pocket", carried=(NOTEBOOK,))
    assert _action(output).type == "pose"


def test_what_is_not_done_is_told_as_that() -> None:
    output = _read("I don't ring the bell", "refuse", scenery=(_noun("bell", "A bell stands there."),))
    assert (_action(output).type, _action(output).deed) == ("pose", "do not ring the bell")


def test_what_nobody_can_keep_is_taken_for_what_is_done_with_it() -> None:
    scenery = (_noun("hat", "A hat hangs there."),)
    acts = (
        Act(kind="take", words="take the hat", score=0.9, target="hat"),
        Act(kind="wear", words="and put it on", score=0.9, target="it"),
    )
    within = SCOPES["bar"].model_copy(update={"scenery": scenery})
    output = interpret(InterpreterInput(player_text="take the hat and put it on", scope=within), lambda line: acts)
    assert [action.form for action in output.proposed_actions] == ["wear"]


@pytest.mark.parametrize(
    ("text", "scope", "acts"),
    [
        ("radio pls", "cell", ["take"]),
        ("go see whos in the docks", "bar", ["go"]),
        ("nope nope, im outta here", "cell", ["go"]),
        ("gimme smth strong", "bar", ["call_for"]),
    ],
)
def test_what_a_chat_puts_shortly_is_done(text: str, scope: str, acts: list[str]) -> None:
    assert [action.type for action in read(text, scope).proposed_actions] == acts


def test_who_was_there_is_told_where_one_leaves_at_once() -> None:
    acts = (
        Act(kind="look", words="see who is here", score=0.9),
        Act(kind="go", words="go to the alley", target="alley", score=0.9),
    )
    found = interpret(
        InterpreterInput(player_text="see who is here, then go to the alley", scope=SCOPES["bar"]), lambda _: acts
    )
    assert "Viktor" in found.proposed_actions[0].deed


def test_reaching_past_somebody_touches_nobody() -> None:
    action = _action(_read("reach past Viktor", "touch", target="Viktor"))
    assert (action.target_id, action.deed) == (None, "reach past Viktor")
