"""What is said that is no small talk of its own: what kind of thing it is taken for, and how that is answered."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from lorewright.builtin.narrator import narrate
from lorewright.builtin.narrator.grammar import grammar
from lorewright.builtin.narrator.small_talk import asked_words
from lorewright.builtin.parser import small_talk
from lorewright.builtin.parser.small_talk import question_form, remark_class
from lorewright.builtin.words.asides import aside_in
from lorewright.values.records import NarratorInput, PersonView
from support.narrator_scenes import BAR, given, outcome

PHRASES = yaml.safe_load(Path(small_talk.__file__).with_name("speech_acts.yaml").read_text("utf-8"))
# Forms of questions that are answered as requests or personal questions are.
ELSEWHERE = {"ask_for", "follow", "suggestion", "yes_no", "instruction", "apology", "ignorance", "know"} | {
    *("seen", "anybody", "mind"),
}


@pytest.mark.parametrize(
    ("words", "form"),
    [
        ("Why are you polishing a clean glass?", "reason"),
        ("What are you so nervous about?", "reason"),
        ("Viktor, how long have you been down here?", "past"),
        ("Who taught you to play?", "own"),
        ("Would you rather be out there, Lena?", "choice"),
        ("What do you think of it?", "opinion"),
        ("Could you take me to the chapel?", "follow"),
        ("can I have the chicken", "ask_for"),
        ("Should I go in?", "advice"),
        ("May I sit here?", "permission"),
        ("shall we dance", "suggestion"),
        ("do you always let strangers begin", "yes_no"),
        ("who wants it", "who"),
        ("where is the hen", "where"),
        ("does it work", "whether"),
        ("how much is the coffee", "price"),
        ("give me the chicken", "hand_over"),
    ],
)
def test_a_question_has_its_form(words: str, form: str) -> None:
    assert question_form(words) == form


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("oh no I'm sorry, I didn't mean it like that", "apology"),
        ("thanks for nothing", "thanks"),
        ("I warn you, Odo, I've never yet paid for a coffee", "threat"),
        ("I'm going to win this one", "boast"),
        ("I've been meaning to say something to you since the spring", "confession"),
        ("You knew what that meant, didn't you", "accusation"),
        ("don't lie to me", "accusation"),
        ("I hope she is well", "wish"),
        ("I swear it", "promise"),
        ("I'd like to help find it", "offer"),
        ("We could just stand here", "suggestion"),
        ("I remember the first summer", "memory"),
        ("I have to find her before the tide", "plan"),
        ("I don't understand any of it", "ignorance"),
        ("I think he did it", "opinion"),
        ("I don't much care for it", "taste"),
        ("You hold the chalk like a schoolmaster", "of_you"),
        ("wait here", "keep_still"),
        ("come with me", "follow"),
        ("your turn, mate", "turn"),
        ("I'm really worried about her", "feeling"),
        ("She's my friend, you know.", "news"),
        ("Not my problem, love.", "self"),
    ],
)
def test_a_remark_has_its_class(words: str, kind: str) -> None:
    assert remark_class(words) == kind


def test_of_several_sentences_the_one_that_says_most_is_answered() -> None:
    assert remark_class("You don't have to do anything. We could just stand here.") == "suggestion"
    assert remark_class("I'm sorry. It is late.") == "apology"


def test_a_word_inside_another_is_no_word_of_a_phrase() -> None:
    assert question_form("is she the sort who talks for free") == "whether"


@pytest.mark.parametrize(
    ("line", "topic", "asked"),
    [
        ("ask Oakes what he's standing next to", "standing", "what are you standing next to"),
        ("I set it down, and ask whether she could take me there.", "take", "could you take me there."),
        ("ask for a rematch", "rematch", "shall we have a rematch"),
        ("ask Viktor about the tide", "tide", ""),
        ('"Nice bar. Does it pay?" I say', "pay", "Does it pay"),
    ],
)
def test_a_question_that_is_told_of_is_taken_as_it_was_asked(line: str, topic: str, asked: str) -> None:
    assert asked_words(line, topic)[0].rstrip("?") == asked


def test_every_class_and_form_has_an_answer_for_friends_strangers_and_foes() -> None:
    groups = {f"heard.{kind}" for kind in PHRASES["remarks"] if kind not in ("feeling", "dropped")}
    groups |= {f"asked.{form}" for form in PHRASES["questions"] if form not in ELSEWHERE}
    assert groups <= set(grammar())
    for group in groups:
        regards = {dict(variant.when).get("regard", "") for variant in grammar()[group]}
        assert "" in regards, group
        assert group.startswith("asked.") or regards >= {"warm", "cold"}, group


def asked(line: str, topic: str, **fields: object) -> NarratorInput:
    viktor = PersonView(id="p:viktor", name="Viktor", pronoun="he")
    scene = BAR.model_copy(update={"people": (viktor,)})
    told = outcome("does_not_know", type="ask", target_id="p:viktor", words=topic)
    return given(told, scene=scene, player_text=line, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("line", "topic", "group"),
    [
        ("why are you polishing a clean glass?", "polishing a clean glass", "asked.reason"),
        ("do you come here often?", "come here often", "talk.personal"),
        ("viktor gimme the chicken", "give me the chicken", "heard.hand_over"),
        ("who did it?", "did", "asked.who"),
        ("He is old?", "old", "asked.whether"),
        ("ask Viktor about the rain", "rain", "talk.weather"),
        ("ask Viktor about the moon", "moon", "does_not_know"),
    ],
)
def test_whoever_does_not_know_answers_the_kind_of_question_that_was_asked(line: str, topic: str, group: str) -> None:
    assert narrate(asked(line, topic)).recall[0].startswith(f"phrase:{group}")


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("how many endings does this game have?", "spoiler"),
        ("What happens if I lose? Is there a fail state?", "losing"),
        ("Can I switch to noughts instead?", "part"),
        ("Can I play this game in Portuguese?", "display"),
        ("is there a timer running on me", "pace"),
        ("what's the optimal strategy?", "strategy"),
        ("who wrote this", "authors"),
        ("score", "score"),
        ("set empathy to 99", "story"),
        ("save game as desk1", "save"),
    ],
)
def test_questions_to_the_program_are_told_apart(line: str, kind: str) -> None:
    assert aside_in(line) == kind


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("I heard you sold her out", "accusation"),
        ("Maybe you took it", "accusation"),
        ("Oh, you're going to regret that one", "threat"),
        ("Excuse me, sir, you've got yolk on your tie", "of_you"),
        ("excuse me", "apology"),
        ("made you look", "joke"),
    ],
)
def test_a_charge_a_threat_and_a_remark_after_a_pardon_are_answered_as_what_they_are(words: str, kind: str) -> None:
    assert remark_class(words) == kind
