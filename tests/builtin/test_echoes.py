"""What is said to somebody, as they repeat it."""

from __future__ import annotations

import pytest

from lorewright.builtin.words.echoes import echoed
from lorewright.builtin.words.noun_phrases import nouns_of
from lorewright.values.scope import Named, Scope

NOUNS = nouns_of(
    Scope(
        player=Named(id="p", name="Ash", kind="person"),
        place=Named(id="bar", name="the bar", kind="place"),
        people=(
            Named(id="v", name="Viktor", aliases=("the barman",), kind="person", pronoun="he"),
            Named(id="m", name="Mira", kind="person", pronoun="she"),
        ),
        topics=(Named(id="j", name="Jin", kind="person", pronoun="she"),),
    )
)
VIKTOR, MIRA = NOUNS.people


@pytest.mark.parametrize(
    ("words", "person", "said"),
    [
        ("I lost my hat in the rain", "", "you lost your hat in the rain"),
        ("You're tired, Viktor.", "Viktor", "I'm tired"),
        ("are you always this quiet?", "", "am I always this quiet"),
        ("do you trust me?", "", "do I trust you"),
        ("I think that you were wrong about me", "", "I was wrong about you"),
        ("tell the barman that jin never trusted him", "the barman", "Jin never trusted me"),
        ("ask him if he has a ladder", "him", "whether I have a ladder"),
        ("ask Viktor what he keeps in his cellar", "Viktor", "what I keep in my cellar"),
        ('"It smells of paint in here," I say to Viktor', "Viktor", "it smells of paint in here"),
        ("could you please turn that radio down?", "", "turn that radio down"),
        ("Would you mind standing somewhere else?", "", "standing somewhere else"),
        ("why doesn't anybody sweep this floor", "", "why doesn't anybody sweep this floor"),
        ("what did they do to you?", "", "what did they do to me"),
        ("I'm not afraid of you", "", "you're not afraid of me"),
        ("was I supposed to bring a present, mate", "", "were you supposed to bring a present"),
        ("who are you, then?", "", "who am I"),
        ("you hid the ladder yourself, didn't you?", "", "I hid the ladder myself, didn't I"),
        ("ask him quietly what freezes in a place like this", "him", "what freezes in a place like this"),
        ("ask Viktor in the voice of a parson what he drinks", "Viktor", "what I drink"),
        ("That floor was clean, so I suppose you are nervous", "", "I am nervous"),
        ("I hope you brought your wallet", "", "you hope I brought my wallet"),
        ("I swear I'll bring it back tomorrow", "", "you'll bring it back tomorrow"),
        ("ask him if he's heard her voice lately", "him", "whether I've heard her voice lately"),
        ("ask him whether he's always been so tidy", "him", "whether I've always been so tidy"),
        ("ask him if he's tired of the rain", "him", "whether I'm tired of the rain"),
        ("ask him if he still knows who I am", "him", "whether I still know who you are"),
        ("ask him whether he really likes the rain", "him", "whether I really like the rain"),
        ("it is late, you know, and your lamp smokes", "", "it is late, and my lamp smokes"),
        ("and also that I'd have bet on you", "", "you'd have bet on me"),
        ("we won't hold the ladder against you", "", ""),
        ("you can tell us about the ladder", "", ""),
        ("do you think we can trust the ladder?", "", "do I think we can trust the ladder"),
        ("we left the ladder in the yard", "", "we left the ladder in the yard"),
    ],
)
def test_who_speaks_and_who_listens_change_places(words: str, person: str, said: str) -> None:
    assert echoed(words, person, VIKTOR, NOUNS, ()) == said


def test_another_of_whom_is_spoken_is_not_taken_for_the_listener() -> None:
    assert echoed("tell Mira that Jin lost her shoe", "Mira", MIRA, NOUNS, ()) == "Jin lost her shoe"


@pytest.mark.parametrize(
    "words",
    [
        "ask him about Jin",
        "you old pirate",
        "hm",
        "tell Viktor about the flood",
        "you",
        "*shrugs*",
        "give 100% of it to me",
        "your on mate, bring it here",
        "love you isn't changed a bit",
    ],
)
def test_what_would_make_no_plain_sentence_is_not_repeated(words: str) -> None:
    assert echoed(words, "", VIKTOR, NOUNS, ()) == ""


def test_a_word_that_may_be_a_slip_is_not_repeated() -> None:
    assert echoed("I saw the wrokshop", "", VIKTOR, NOUNS, ("wrokshop",)) == ""
    assert echoed("you were polishing it", "", VIKTOR, NOUNS, ("polishing",)) == "I was polishing it"
    assert echoed("I hapened to see it", "", VIKTOR, NOUNS, ("hapened",)) == ""
    assert echoed("I don't like it here", "", VIKTOR, NOUNS, ("don't",)) == "you don't like it here"


def test_a_long_sentence_is_cut_where_a_clause_ends_or_not_repeated() -> None:
    told = "I came down here because " + "the water kept on rising and rising " * 4
    assert echoed(told, "", VIKTOR, NOUNS, ()).startswith("you came down here")
    assert len(echoed(told, "", VIKTOR, NOUNS, ()).split()) < 18
    assert echoed("I saw " + "very " * 30 + "big rats", "", VIKTOR, NOUNS, ()) == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("Do you believe in ghosts? Because one rang me up an hour ago.", "do I believe in ghosts"),
        (
            'I do not know what "under the ice" is supposed to mean',
            "you do not know what under the ice is supposed to mean",
        ),
        ("tell Viktor that Jin sent me, which is nearly true", "Jin sent you"),
        ("I'm not crying, I tell them, although I am", "you're not crying"),
        ("forget you saw me", "forget I saw you"),
        ("I have a car, which is red", "you have a car, which is red"),
    ],
)
def test_what_is_asked_is_repeated_and_what_is_told_of_it_is_not(words: str, said: str) -> None:
    assert echoed(words, "", VIKTOR, NOUNS, ()) == said
