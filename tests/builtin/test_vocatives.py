"""Whom a clause addresses: a name first or last, set off by a comma or not."""

from __future__ import annotations

import pytest

from lorewright.builtin.parser.readings import ParseContext
from lorewright.builtin.parser.vocatives import addressed as addressed_by
from lorewright.builtin.parser.vocatives import find_name_within, find_vocative, with_name_apart
from lorewright.builtin.words.clauses import typed, words_of
from lorewright.builtin.words.noun_phrases import nouns_of
from lorewright.builtin.words.tagging import Act
from lorewright.values.scope import Named
from support.narrator_bar import SCOPES, read

CROWD = ParseContext(nouns=nouns_of(SCOPES["crowd"]))


def addressed(text: str) -> tuple[str, str] | None:
    """Who is addressed, by ID, and what is said to them."""
    found = find_vocative(CROWD, words_of(text))
    return None if found is None else (found[0].candidate.id, typed(found[1]))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Viktor, a whisky", "a whisky"),
        ("Viktor, where is Jin", "where is Jin"),
        ("the bartender, where is Jin", "where is Jin"),
        ("where is she, Viktor", "where is she"),
        ("a whisky, Viktor", "a whisky"),
        ("viktor you ok", "you ok"),
        ("viktor where is jin", "where is jin"),
        ("viktor I need help", "I need help"),
        ("where is jin viktor", "where is jin"),
    ],
)
def test_a_name_at_either_end_is_whom_the_rest_is_said_to(text: str, said: str) -> None:
    assert addressed(text) == ("p:viktor", said)


@pytest.mark.parametrize(
    "text",
    [
        "look at viktor",
        "where is viktor",
        "who knows viktor",
        "do you know viktor",
        "give the unit to viktor",
        "tell viktor",
        "go to the market, viktor",
        "Jin, where are you",
        "the unit, where is it",
        "viktor",
        "",
    ],
)
def test_a_name_that_is_spoken_of_is_not_spoken_to(text: str) -> None:
    found = addressed(text)
    assert found is None or found[0] != "p:viktor"


def test_the_absent_whom_one_knows_can_be_called_and_are_named_as_such() -> None:
    absent = ParseContext(nouns=nouns_of(SCOPES["bar"].model_copy(update={"people": ()})))
    assert find_vocative(absent, words_of("Viktor, where is Jin")) is None


def test_a_name_between_commas_is_found() -> None:
    found = find_name_within(CROWD, words_of("sorry, Agent Chen, I was lost"))
    assert found is not None
    assert found.candidate.id == "p:agent_chen"
    assert find_name_within(CROWD, words_of("sorry, I was lost")) is None


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("viktor where is jin", "p:viktor"),
        ("where is jin, Agent Chen?", "p:agent_chen"),
        ("Agent Chen, I'm lost", "p:agent_chen"),
        ("sorry viktor", "p:viktor"),
    ],
)
def test_in_company_nobody_needs_to_be_asked_whom_a_name_means(text: str, target: str) -> None:
    output = read(text, "crowd")
    assert output.unclear is None
    assert {action.target_id for action in output.proposed_actions} == {target}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hey vik you seen jin", "you seen jin"),
        ("please viktor I'm worried", "I'm worried"),
        ("viktor mate pour me a drink", "pour me a drink"),
        ("vik where is jin", "where is jin"),
    ],
)
def test_a_name_may_be_short_and_stand_after_a_call(text: str, said: str) -> None:
    assert addressed(text) == ("p:viktor", said)


def test_a_name_that_is_called_out_is_whom_the_next_sentence_is_said_to() -> None:
    (action,) = read("Viktor! Where is Jin?").proposed_actions
    assert (action.type, action.target_id, action.words) == ("ask", "p:viktor", "Jin")


def meant(*words: str) -> list[str]:
    """Whom each of the acts of a line is for, where it is somebody whom it does not name."""
    trader = Named(id="p:marlow", name="Mr Marlow", kind="person", aliases=("the traveller in taps",), pronoun="he")
    nouns = nouns_of(SCOPES["crowd"].model_copy(update={"people": (*SCOPES["crowd"].people, trader)}))
    acts = [Act(kind="ask", words=each, score=0.9) for each in words]
    return ["" if who is None else who.name for who in addressed_by(ParseContext(nouns=nouns), acts)]


def test_words_about_somebodys_trade_are_for_them() -> None:
    assert meant("So, taps. Hot and cold?", "where is the lamp?") == ["Mr Marlow", ""]
    assert meant("who is the traveller in taps?") == [""]
    assert meant("and who's the gentleman with the taps?") == [""]


def test_a_name_that_is_called_after_a_question_is_whom_it_was_for() -> None:
    assert meant("what is that for?", "viktor you fool") == ["Viktor", "Viktor"]
    assert meant("what is that for?", "viktor knows where the unit is") == ["", ""]


def test_who_is_named_before_a_verb_is_told_to_do_it() -> None:
    told = with_name_apart(CROWD, Act(kind="listen", words="viktor turn around for real"), "")
    assert (told.kind, told.person, told.topic) == ("request", "viktor", "turn around for real")
    for words in ("viktor turns around", "turn around", "viktor love", "watch viktor turn"):
        act = Act(kind="listen", words=words)
        assert with_name_apart(CROWD, act, "") == act


@pytest.mark.parametrize(
    ("typed", "person", "words"),
    [
        ("What was she like, Miss Orme?", "", "What was Miss Orme like?"),
        ("Did he say so, your brother?", "", "Did your brother say so?"),
        ("What did she want, Agent Chen?", "Agent Chen", "What did she want, Agent Chen?"),
        ("What are you doing, Miss Orme?", "Miss Orme", "What are you doing, Miss Orme?"),
    ],
)
def test_a_name_after_a_question_about_her_is_who_that_is(typed: str, person: str, words: str) -> None:
    called = typed.rpartition(", ")[2].rstrip("?")
    act = with_name_apart(CROWD, Act(kind="ask", words=typed, person=called, score=0.9), "")
    assert (act.person, act.words) == (person, words)


def test_what_is_told_on_the_way_to_somebody_by_name_is_told_to_them() -> None:
    nouns = nouns_of(SCOPES["crowd"])
    told, asked = Act(kind="tell", words="so it was a crate", score=0.9), Act(kind="ask", words="Viktor, where is Jin?")
    thanks = Act(kind="thank", words="thank you", score=0.9)
    context = ParseContext(nouns=nouns)
    assert [who and who.name for who in addressed_by(context, [told, asked])] == ["Viktor", "Viktor"]
    assert [who and who.name for who in addressed_by(context, [thanks, asked])] == [None, "Viktor"]


@pytest.mark.parametrize("text", ["come on Viktor, where is Jin", "all right viktor, where is Jin"])
def test_a_call_of_several_words_is_no_part_of_what_is_said(text: str) -> None:
    assert addressed(text) == ("p:viktor", "where is Jin")


@pytest.mark.parametrize(
    "words",
    [
        "what about you, Viktor?",
        "and you, Viktor?",
        "Viktor, what about you?",
        "I ask Viktor the same thing",
        "ask viktor about that too",
        "same question to Viktor",
    ],
)
def test_somebody_else_is_asked_what_another_was_asked_before(words: str) -> None:
    act = Act(kind="ask_self", words=words, score=0.9)
    asked = with_name_apart(ParseContext(nouns=nouns_of(SCOPES["crowd"]), topic="Jin"), act, "")
    assert (asked.kind, asked.person, asked.topic) == ("ask", "Viktor", "Jin")


@pytest.mark.parametrize("words", ["what about Viktor?", "you idiot Viktor", "what about you?", "ask Viktor about Jin"])
def test_a_question_of_its_own_is_not_what_another_was_asked(words: str) -> None:
    act = Act(kind="ask", words=words, score=0.9)
    assert with_name_apart(ParseContext(nouns=nouns_of(SCOPES["crowd"]), topic="the tide"), act, "") == act


def test_without_anything_asked_before_nothing_is_asked_again() -> None:
    act = Act(kind="ask", words="what about you, Viktor?", score=0.9)
    assert with_name_apart(ParseContext(nouns=nouns_of(SCOPES["crowd"])), act, "") == act


def test_a_form_of_address_after_a_name_is_no_part_of_it() -> None:
    assert addressed("Viktor my dude, where is Jin") == ("p:viktor", "where is Jin")
    assert meant("Mr Marlow, sir, where is it?", "mister, nice taps") == ["Mr Marlow", "Mr Marlow"]


def test_who_is_called_by_a_name_without_its_article_is_told_what_to_do() -> None:
    meant = with_name_apart(CROWD, Act(kind="sit", words="bartender sit down"), "")
    assert (meant.person, meant.topic) == ("bartender", "sit down")
