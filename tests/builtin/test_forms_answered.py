"""What is said is answered by its form, the kind of act that the interpreter took it for."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from lorewright.builtin.narrator import narrate
from lorewright.builtin.narrator.forms import lacks_answer, sort_of_question, word_forms
from lorewright.builtin.narrator.grammar import choose, grammar
from lorewright.builtin.parser.acts.kinds import kinds
from lorewright.rules.verbs import verbs
from lorewright.values.leads import Lead
from lorewright.values.records import Evidence, LoreLine, NarratorInput, PersonView, SceneView
from lorewright.values.scenery import SceneryView
from support.narrator_scenes import BAR, given, outcome

ANSWERS = {name: form.answer for name, form in word_forms().items()}
REGARDS = ("", "warm", "cold")
# Words of each form, and the verb that they may be read as.
SAID = [
    ("greet", "greet", "hey there"),
    ("farewell", "farewell", "see you around"),
    ("thank", "thank", "the coffee"),
    ("apologise", "apologise", "what I said"),
    ("compliment", "compliment", "that's a fine moustache"),
    ("insult", "insult", "you smell of goat"),
    ("threaten", "threaten", "or I burn it all down"),
    ("promise", "remark", "it'll be back by dawn"),
    ("comfort", "remark", "it wasn't your fault"),
    ("flirt", "compliment", "are you always this handsome"),
    ("joke", "remark", "why did the hen cross the quay"),
    ("accuse", "ask", "you moved the boat that night"),
    ("offer", "remark", "I could sweep up for you"),
    ("request", "ask", "could you close early"),
    ("order", "call_for", "the stew"),
    ("persuade", "persuade", "come on, just this once"),
    ("report", "tell", "what they are doing in there"),
    ("reproach", "remark", "you never listen to me"),
    ("tell", "remark", "nobody ever came back from there"),
    ("opinion", "remark", "nobody should have to live like that"),
    ("introduce", "remark", "Kira"),
    ("agree", "remark", "deal"),
    ("refuse", "remark", "not a chance"),
    ("call", "ask", "is anybody in"),
    ("ask", "ask", "has the boat come in"),
    ("ask_self", "ask", "were you at sea back then"),
    ("ask_name", "enquire", "who are you"),
    ("ask_wellbeing", "enquire", "how are you"),
    ("ask_want", "enquire", "what do you want"),
    ("ask_help", "enquire", "can you help me"),
    ("ask_opinion", "ask", "what do you make of all that"),
    ("ask_permission", "ask", "may I leave my bag here"),
    ("ask_way", "ask", "the chapel"),
    ("ask_price", "ask", "how much is the coat"),
    ("ask_more", "ask", "why tho"),
    ("doubt", "ask", "really"),
]


def said(form: str, kind: str, words: str, regard: Any = "", **fields: Any) -> NarratorInput:
    """The turn in which something of a form is said to Viktor."""
    viktor = PersonView(id="p:viktor", name="Viktor", pronoun="he", regard=regard)
    scene = BAR.model_copy(update={"people": (viktor,)})
    code = "does_not_know" if kind == "ask" else "acted"
    came_of = outcome(code, type=kind, target_id="p:viktor", words=words, form=form)
    return given(came_of, scene=scene, player_text=words, **fields)


def scene_of(*people: PersonView) -> SceneView:
    """The bar with these people."""
    return BAR.model_copy(update={"people": people})


def answers(group: str, **facts: str) -> list[str]:
    """Every sentence that a group has for such facts, as it is told of Viktor."""
    texts = next(iter(choose(group, facts))).texts
    return [
        text.replace("{name}", "Viktor")
        .replace("{Name}", "Viktor")
        .replace("{whose}", "his")
        .replace("{Topic}", "Kira")
        for text in texts
    ]


def told_of(form: str, kind: str, words: str, echo: str, regard: Any = "", **fields: Any) -> str:
    """What is told where the words can be repeated."""
    turn = said(form, kind, words, regard, **fields)
    came_of = turn.outcomes[0].model_copy(update={"deed": echo})
    return narrate(turn.model_copy(update={"outcomes": (came_of,)})).final_text


@pytest.mark.parametrize(
    ("form", "kind", "words", "echo"),
    [
        ("tell", "remark", "my boots let in water", "your boots let in water"),
        ("opinion", "remark", "this rain will never end", "this rain will never end"),
        ("request", "remark", "could you shut that window", "shut that window"),
        ("ask", "ask", "has the boat come in", "has the boat come in"),
        ("ask_self", "ask", "do you play the fiddle", "do I play the fiddle"),
        ("", "remark", "I owe somebody a song", "you owe somebody a song"),
    ],
)
def test_an_answer_takes_up_what_was_said(form: str, kind: str, words: str, echo: str) -> None:
    told = told_of(form, kind, words, echo)
    assert echo.casefold() in told.casefold()
    assert "Viktor" in told


@pytest.mark.parametrize(
    ("form", "echo"),
    [
        ("ask", "where'd I even find that coat"),
        ("ask_self", "what do I write in that little book"),
        ("ask", "who brought me here"),
        ("ask_self", "what happened to me"),
    ],
)
def test_nobody_claims_not_to_know_their_own_affairs(form: str, echo: str) -> None:
    told = told_of(form, "ask", echo.replace("I ", "you "), echo)
    assert echo.casefold() in told.casefold()
    assert not any(text in told for text in ("know", "told me", "guessing", "couldn't", "can't help"))


@pytest.mark.parametrize("echo", ["what did I hear about the boat", "how do I get out of here", "has the boat come in"])
def test_what_somebody_may_not_know_is_no_affair_of_their_own(echo: str) -> None:
    group = grammar()["echo.asked.own_affair"]
    told = told_of("ask", "ask", echo, echo)
    assert not any(variant.text.partition("says")[2] in told for variant in group)


def test_a_question_that_is_no_yes_or_no_has_no_answer_of_that_kind() -> None:
    told = told_of(
        "ask_self", "enquire", "what was the worst storm you ever saw", "what was the worst storm I ever saw"
    )
    assert "Once or twice" not in told
    assert "worst storm I ever saw" in told


def test_who_is_asked_where_they_are_is_here_and_not_asked_who_they_are() -> None:
    told = narrate(said("ask_self", "enquire", "where are you Viktor")).final_text
    assert any(text in told for text in answers("asked.here"))
    told = narrate(said("ask_self", "enquire", "where are you off to")).final_text
    assert not any(text in told for text in answers("asked.here"))


def test_what_another_feels_is_no_confession_of_the_player() -> None:
    told = narrate(said("opinion", "remark", "the old man must be heartbroken")).final_text
    assert not any(text in told for text in answers("talk.feeling"))


def test_what_is_not_to_be_done_is_left_and_not_refused() -> None:
    told = told_of("request", "remark", "don't look at me like that", "don't look at you like that")
    assert "No." not in told
    assert "Don't look at you like that?" in told


def test_somebody_cold_repeats_nothing() -> None:
    assert "boots" not in told_of("tell", "remark", "my boots let in water", "your boots let in water", "cold")


def test_a_topic_that_the_listener_knows_of_is_offered_after_what_was_said_of_it() -> None:
    lead = Lead(asked="p:viktor", holder="p:viktor", topic="the tide")
    told = told_of("opinion", "remark", "I fear the tide tonight", "you fear the tide tonight", leads=(lead,))
    assert told.casefold().count("the tide") > 1


def test_what_nobody_knows_is_named_before_what_else_to_ask() -> None:
    lead = Lead(asked="p:viktor", holder="p:viktor", topic="Jin")
    told = told_of("ask", "ask", "has the boat come in", "has the boat come in", leads=(lead,))
    assert "Has the boat come in?" in told
    assert "Jin" in told


@pytest.mark.parametrize(
    ("form", "words"), [("greet", "Hush, all of you"), ("comfort", "shh, everybody"), ("", "ssh, you lot")]
)
def test_all_who_are_here_can_be_told_to_be_quiet(form: str, words: str) -> None:
    two = tuple(PersonView(id=f"p:{name.lower()}", name=name, pronoun="she") for name in ("Mira", "Ottoline"))
    came_of = outcome("acted", type="remark", target_id="p:mira", words=words, form=form)
    told = narrate(given(came_of, scene=scene_of(*two), player_text=words)).final_text
    assert "Mira and Ottoline" in told


@pytest.mark.parametrize(
    ("form", "words", "answer"),
    [
        ("refuse", "long time no see", "heard.greeting"),
        ("call", "you out there, answer", "heard.called_out"),
        ("ask", "does it have to be so cold", "asked.must"),
        ("ask_help", "want a hand with that sack", "heard.proposal"),
        ("apologise", "I'm sorry for your loss", "heard.condolence"),
        ("apologise", "I'm sorry about Jin, it must be hard", "heard.condolence"),
        ("call", "whoever is in the corner, come out", "heard.at_large"),
        ("insult", "silence, voices", "heard.in_head"),
        ("greet", "Captain Lund says hello", "heard.greeting_from"),
        ("comfort", "my aunt sends her love", "heard.greeting_from"),
        ("farewell", "wish the old man good appetite", "heard.wished"),
        ("opinion", "how weird", "heard.odd"),
        ("ask_self", "you haven't changed a bit", "heard.praise"),
    ],
)
def test_words_of_one_sense_have_its_answer(form: str, words: str, answer: str) -> None:
    told = narrate(said(form, "remark", words)).final_text
    assert any(text in told for text in answers(answer))


def test_every_form_of_words_has_an_answer() -> None:
    forms = {name for name, kind in kinds().items() if kind.said}
    assert forms == set(ANSWERS)
    assert {form for form, _, _ in SAID} == forms


@pytest.mark.parametrize("form", sorted(ANSWERS))
def test_the_answers_to_a_form_are_six_and_some_for_friends_and_foes(form: str) -> None:
    group = ANSWERS[form]
    assert len(choose(group, {})[-1].texts) >= 6
    for regard in ("warm", "cold"):
        (bag,) = choose(group, {"regard": regard})
        assert f"regard={regard}" in bag.bag
        assert len(bag.texts) >= 3


@pytest.mark.parametrize("regard", REGARDS)
@pytest.mark.parametrize(("form", "kind", "words"), SAID, ids=[form for form, _, _ in SAID])
def test_what_is_said_is_answered_by_its_form(form: str, kind: str, words: str, regard: str) -> None:
    facts = {"regard": regard} if regard else {}
    facts |= {"topic": "named"} if form == "introduce" else {}
    finer = {"introduce": "talk.introduction", "ask": "asked.whether", "ask_more": "asked.why"}
    fitting = answers(finer.get(form, ANSWERS[form]), **facts)
    for turn_no in range(1, 4):
        text = narrate(said(form, kind, words, regard, turn_no=turn_no)).final_text
        assert any(sentence.replace("{topic}", "Kira") in text for sentence in fitting), text


@pytest.mark.parametrize(
    ("form", "words", "group"),
    [
        ("ask_permission", "can I sit here", "seat"),
        ("ask_permission", "may I ask you something", "question"),
        ("ask_permission", "mind if I take a look", "sight"),
    ],
)
def test_leave_for_what_is_harmless_is_given_in_its_own_words(form: str, words: str, group: str) -> None:
    text = narrate(said(form, "ask", words)).final_text
    assert any(sentence in text for sentence in answers("asked.leave", kind=group)), text


@pytest.mark.parametrize(
    ("form", "words", "group"),
    [
        ("ask", "who rowed her out", "asked.who"),
        ("ask_self", "do you have a brother", "asked.kin"),
        ("opinion", "I feel so tired", "talk.feeling"),
        ("request", "come with me to the pier", "heard.follow"),
        ("offer", "let me buy you a drink", "talk.treat"),
    ],
)
def test_the_words_may_show_a_finer_kind_of_the_form(form: str, words: str, group: str) -> None:
    text = narrate(said(form, "remark", words)).final_text
    assert any(sentence in text for sentence in answers(group)), text


ABOUT_THEM = [
    ("ask_self", "and how old might you be", "asked.age"),
    ("ask_self", "ever think of getting married yourself", "asked.kin"),
    ("ask_self", "whereabouts did you grow up", "asked.home"),
    ("ask_self", "doesn't the storm make you nervous", "asked.fear"),
    ("ask_wellbeing", "did you get any sleep", "asked.rest"),
    ("ask_self", "are you fond of him", "asked.heart"),
    ("ask_self", "what brings you down to the quay", "asked.doing"),
    ("ask_self", "how long have you kept goats", "asked.years"),
    ("ask_self", "what's your favourite song", "asked.taste"),
    ("ask_self", "so it's you, lying again", "asked.truth"),
    ("ask_self", "are you cross with us", "asked.mood"),
    ("ask", "how's trade these days", "asked.trade"),
    ("ask", "why do you keep counting the boats", "asked.reason"),
    ("ask_self", "are you always up this early", "asked.often"),
    ("ask", "do you recall the year of the eels", "asked.memory"),
    ("ask_more", "since when", "asked.when"),
    ("ask_more", "anything else", "asked.else"),
]
TO_THEM = [
    ("tell", "my gran passed away in the spring", "heard.loss"),
    ("tell", "I'm looking for a berth for two", "heard.need"),
    ("opinion", "I'm so glad the rain has stopped", "heard.joy"),
    ("opinion", "honestly I'm nervous, I don't know the way", "talk.feeling"),
    ("opinion", "you look as if you'd seen the sea serpent", "heard.of_you"),
    ("request", "row us over to the island", "heard.follow"),
    ("request", "lend us your oilskin", "heard.hand_over"),
    ("request", "whatever you do, don't tell the harbour master", "heard.secrecy"),
    ("request", "just leave me in peace", "heard.leave_be"),
]


@pytest.mark.parametrize(("form", "words", "group"), [*ABOUT_THEM, *TO_THEM])
def test_an_answer_is_about_what_the_words_are_about(form: str, words: str, group: str) -> None:
    text = narrate(said(form, "remark", words)).final_text
    assert any(sentence in text for sentence in answers(group)), text


def test_a_question_after_somebody_is_answered_by_what_is_openly_known_of_them() -> None:
    born = LoreLine(key="k1", chunk_id="c1", text="Viktor was born on a barge, in a year nobody wrote down.")
    goats = LoreLine(key="k2", chunk_id="c2", text="Viktor has kept two pigeons on the roof since the flood.")
    known = {"p:viktor": (born, goats)}
    assert born.text in narrate(said("ask_self", "ask", "where do you come from", described=known)).final_text
    assert goats.text in narrate(said("ask_self", "ask", "whose pigeons are you feeding", described=known)).final_text
    cold = narrate(said("ask_self", "ask", "where do you come from", "cold", described=known)).final_text
    assert born.text not in cold
    elsewhere = narrate(said("ask_self", "ask", "do you like herring", described=known)).final_text
    assert born.text not in elsewhere
    assert goats.text not in elsewhere


def test_what_was_told_of_somebody_lately_is_not_told_again() -> None:
    known = {"p:viktor": (LoreLine(key="k1", chunk_id="c1", text="Viktor was born on a barge."),)}
    turn = said("ask_self", "ask", "where do you come from", described=known, recent=("Viktor was born on a barge.",))
    text = narrate(turn).final_text
    assert any(sentence in text for sentence in answers("asked.home")), text


def test_who_is_asked_what_they_do_is_seen_at_it() -> None:
    wipes = LoreLine(key="k3", chunk_id="c3", text="Viktor winds a length of rope around his elbow.")
    viktor = PersonView(id="p:viktor", name="Viktor", pronoun="he", disposition=(wipes,))
    turn = said("ask_self", "ask", "what are you doing there")
    assert wipes.text in narrate(turn.model_copy(update={"scene": scene_of(viktor)})).final_text


def test_who_is_asked_for_more_names_what_else_they_could_tell_of() -> None:
    leads = (Lead(asked="p:viktor", holder="p:viktor", topic="the ferry"),)
    assert "the ferry" in narrate(said("ask_more", "ask", "what else", leads=leads)).final_text


def test_somebody_owns_to_their_name() -> None:
    text = narrate(said("ask_self", "ask", "excuse me, are you Viktor")).final_text
    assert any(sentence in text for sentence in answers("asked.is_name")), text


def test_a_question_of_which_nothing_is_about_the_person_is_one_about_the_world() -> None:
    text = narrate(said("ask_self", "ask", "is it true that the ferry is late")).final_text
    assert any(sentence in text for sentence in answers("asked.whether")), text


def test_words_that_look_like_another_kind_are_answered_by_their_form() -> None:
    text = narrate(said("joke", "remark", "I don't know why the hen is late")).final_text
    assert any(sentence in text for sentence in answers("heard.joke"))


def test_a_request_or_a_question_about_oneself_is_not_passed_on_to_somebody_else() -> None:
    leads = (Lead(asked="p:viktor", holder="p:jin", topic="the crate"),)
    names = {"p:jin": "Jin"}
    for form in ("request", "ask_self", "ask_permission", "joke"):
        assert "Jin" not in narrate(said(form, "ask", "the shutters, please", leads=leads, names=names)).final_text
    for form in ("ask", "ask_way", ""):
        assert "Jin" in narrate(said(form, "ask", "has the boat come in", leads=leads, names=names)).final_text


def test_a_form_that_is_no_kind_of_words_changes_no_answer() -> None:
    for kind in ("remark", "ask", "greet", "tell"):
        plain = narrate(said("", kind, "it is a long way to the sea"))
        assert narrate(said("climb", kind, "it is a long way to the sea")) == plain
    assert set(verbs()) >= {kind for _, kind, _ in SAID}
    assert "heard.statement" in grammar()


# Deeds.

DONE = ("work", "wear", "perform", "write", "touch", "listen", "smell", "sit", "pose", "gesture", "embrace", "read")
UNDONE = ("take", "break", "attack", "move", "open", "climb", "hide")


def tried(form: str, verb: str, noun: str, **fields: Any) -> NarratorInput:
    """The turn in which something is tried with what only the prose shows."""
    came_of = outcome(
        "blocked", type="attempt", target_id=None, reason="only_scenery", words=f"{verb} {noun}", form=form
    )
    owned = noun.startswith("your ")
    return given(came_of, scenery=(SceneryView(action_index=0, name=noun, is_owned=owned),), scene=BAR, **fields)


@pytest.mark.parametrize("form", [*DONE, *UNDONE, "put", "use", "phone", "go", "pay", "search"])
def test_a_deed_on_what_the_prose_shows_is_told_by_its_form_and_names_it(form: str) -> None:
    fitting = [text.replace("{thing}", "the hat rack") for text in choose("form.shown", {"kind": form})[0].texts]
    for turn_no in range(1, 5):
        text = narrate(tried(form, "try", "the hat rack", turn_no=turn_no)).final_text
        assert any(sentence in text for sentence in fitting), text


def test_a_meal_is_eaten_and_a_lamp_is_not() -> None:
    for noun, kind in (("the stew", "consume"), ("the cup", "sip")):
        fitting = [text.replace("{thing}", noun) for text in choose("blocked.only_scenery", thing_of(kind))[0].texts]
        assert any(text in narrate(tried("eat", "have", noun)).final_text for text in fitting)
    fitting = [text.replace("{thing}", "the lamp") for text in choose("form.shown", {"kind": "eat"})[0].texts]
    assert any(text in narrate(tried("eat", "have", "the lamp")).final_text for text in fitting)


def thing_of(kind: str) -> dict[str, Any]:
    """What holds of a thing that the prose shows and that something of a kind is tried with."""
    return {"thing": True, "kind": kind}


def test_ones_own_things_are_neither_taken_nor_broken_but_may_be_seen_to() -> None:
    keeps = narrate(tried("take", "take", "your coat")).final_text
    assert any(
        text.replace("{thing}", "your coat") in keeps
        for text in choose("blocked.only_scenery", {"carried": True})[0].texts
    )
    mends = narrate(tried("work", "mend", "your coat")).final_text
    fitting = choose("form.shown", {"kind": "work"})[0].texts
    assert any(text.replace("{thing}", "your coat") in mends for text in fitting)


@pytest.mark.parametrize("words", ["wipe", "potter about", "hum"])
def test_what_is_done_with_ones_own_body_is_told_by_its_form(words: str) -> None:
    form = "perform" if words == "hum" else "work"
    text = narrate(given(outcome("acted", type="pose", target_id=None, words=words, form=form))).final_text
    assert any(sentence in text for sentence in choose("form.body", {"kind": form})[0].texts), text


def test_a_posture_that_has_its_own_words_keeps_them() -> None:
    for form in ("", "pose", "gesture"):
        text = narrate(given(outcome("acted", type="pose", target_id=None, words="sigh", form=form))).final_text
        assert any(sentence in text for sentence in choose("gesture.pose", {"kind": "breathe"})[0].texts), text


def test_no_deed_is_told_with_the_words_that_nothing_comes_of_it() -> None:
    told = [variant.text for group in ("form.shown", "form.body") for variant in grammar()[group]]
    assert [text for text in told if "nothing comes of" in text.lower()] == []


@pytest.mark.parametrize("group", ["form.shown", "form.body"])
def test_every_kind_of_deed_has_four_sentences(group: str) -> None:
    assert min(Counter(variant.when for variant in grammar()[group]).values()) >= 4


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("Kira", "Kira"),
        ("I'm Doctor Bell", "Doctor Bell"),
        ("Father, my name is Greta Holm and I was christened here", "Greta Holm"),
        ("I'm a piano tuner", ""),
        ("hello", ""),
    ],
)
def test_a_name_that_is_given_is_repeated_and_no_other_word(words: str, name: str) -> None:
    text = narrate(said("introduce", "remark", words)).final_text
    group = "talk.introduction" if name else "heard.introduction"
    fitting = answers(group, **({"topic": "named"} if name else {}))
    assert any(sentence.replace("Kira", name or "Kira").replace("{topic}", name) in text for sentence in fitting), text


def test_what_is_done_to_a_thing_without_dice_is_told_by_its_form_too() -> None:
    came_of = outcome("acted", type="attempt", target_id="p:unit", words="polish", form="work")
    named = {"names": {"p:unit": "backup comm unit"}}
    text = narrate(given(came_of, scene=BAR, **named)).final_text
    fitting = choose("form.shown", {"kind": "work"})[0].texts
    assert any(sentence.replace("{thing}", "the backup comm unit") in text for sentence in fitting), text
    rolled = came_of.model_copy(update={"band": "success"})
    assert not any(
        sentence.replace("{thing}", "the backup comm unit") in narrate(given(rolled, scene=BAR, **named)).final_text
        for sentence in fitting
    )


@pytest.mark.parametrize(
    ("asked", "is_beside"),
    [
        ("who has a grudge against Ambrose?", True),
        ("has Ambrose got a sister?", True),
        ("what does Ambrose worry about?", False),
        ("what do you know about Ambrose and his debts?", False),
        ("who is Ambrose?", False),
        ("is there money in that lamp?", True),
        ("how many sisters has Ambrose?", True),
        ("how long has Ambrose sat with that lamp?", True),
        ("how often does Ambrose sit up with it?", False),
    ],
)
def test_what_shares_only_a_name_with_a_question_is_told_after_a_no(asked: str, is_beside: bool) -> None:
    text = "Ambrose sits up with that lamp every night and worries."
    item = Evidence(item_id="p:a#1", chunk_id="p:a", text=text, how="told", speaker_id="p:viktor")
    turn = said("ask", "ask", asked.rstrip("?"))
    came_of = turn.outcomes[0].model_copy(update={"code": "told", "item_ids": (item.item_id,)})
    told = narrate(
        turn.model_copy(update={"outcomes": (came_of,), "evidence": (item,), "player_text": asked})
    ).final_text
    assert text in told
    assert any(plain_no in told for plain_no in ("I couldn't say", "more than I know", "I don't know")) == is_beside


# Questions as they are repeated, the group that says that there is no answer of their sort, and words that are one.
SORTS = [
    ("have I seen Jin", "asked.seen", "She came in at four."),
    ("whether I have seen Jin", "asked.seen", "I saw her on the pier."),
    ("has Mira been in", "asked.seen", "She was here till one."),
    ("did anybody come by", "asked.seen", "Nobody came."),
    ("how many taps do I sell in a year", "asked.figure", "Nine a year."),
    ("how many boats are there", "asked.figure", "There are two hundred."),
    ("since when is it missing", "asked.since", "Since dusk."),
    ("how do I know everyone here", "asked.acquaintance", "We were at school together."),
    ("is everyone ok down here", "asked.wellness", "One of them is hurt."),
    ("do I like music", "asked.liking", "I would rather have the rain."),
    ("whether I like my job", "asked.liking", "I hate it."),
    ("do I want to just talk", "asked.invitation", "I want nothing else."),
    ("do I do this at every party", "asked.often", "Always."),
    ("can't they just light the boats with something else", "asked.must", "They must have that lamp."),
    ("why is there a hen", "asked.cause", "Because nobody had a clock."),
    ("what's wrong", "asked.trouble", "She is gone."),
    ("take you to the church", "heard.ride", "The ferry goes there."),
    ("who took it", "asked.anything", "It was the man with the cart."),
    ("where can you find Ambrose", "asked.whereabouts", "He sits in the chapel."),
    ("whether I still know who you are", "asked.knowing", "I know every face that came here."),
]


@pytest.mark.parametrize(("put", "reply", "answered"), SORTS)
def test_a_question_has_the_sort_that_its_answers_are_of(put: str, reply: str, answered: str) -> None:
    sort = sort_of_question(put)
    assert sort is not None
    assert sort.reply == reply
    assert f"echo.{reply}" in grammar()
    assert not lacks_answer(put, answered)
    assert lacks_answer(put, "The glass is clean.")


@pytest.mark.parametrize(
    "put",
    [
        "what is under the ice",
        "how do I know that",
        "am I all right",
        "why did I come here",
        "is it far",
    ],
)
def test_other_questions_are_of_no_sort(put: str) -> None:
    assert sort_of_question(put) is None


@pytest.mark.parametrize(("put", "reply", "_"), SORTS)
def test_what_is_told_beside_a_question_comes_after_a_reply_to_it(put: str, reply: str, _: str) -> None:
    turn = said("ask", "ask", f"{put}?")
    came_of = turn.outcomes[0].model_copy(update={"deed": put, "code": "told", "item_ids": ("p:viktor/knows#glass",)})
    told = Evidence(
        item_id="p:viktor/knows#glass",
        chunk_id="p:viktor/knows",
        text="The glass is clean.",
        how="told",
        speaker_id="p:viktor",
        known_before=False,
    )
    text = narrate(turn.model_copy(update={"outcomes": (came_of,), "evidence": (told,)})).final_text
    assert put.casefold() in text.casefold()
    assert text.casefold().index(put.casefold()) < text.index("The glass is clean.")
    assert "lets you have it" not in text
