"""Small talk: what it is taken for, and how it is answered: by regard, from what is openly known, and by nothing else."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from lorewright.builtin.narrator import narrate
from lorewright.builtin.narrator.grammar import grammar
from lorewright.builtin.parser.small_talk import any_subject_of, subject_of
from lorewright.rules.verbs import verb_of
from lorewright.values.leads import Lead
from lorewright.values.records import LoreLine, NarratorInput, PersonView
from support.narrator_rooms import ROOMS, read_in
from support.narrator_scenes import BAR, given, outcome, played
from support.small_talk_lines import GESTURES, SMALL_TALK, lines_for

OWNS = LoreLine(key="lore:v1", text="Viktor owns the bar and irons his own shirts.", chunk_id="p:viktor:overview")
WANTS = LoreLine(key="lore:v2", text="He wants to see the sea once more.", chunk_id="p:viktor:overview")
REGARDS = ("", "warm", "cold")


def said(kind: str, words: str, regard: Any = "", **fields: Any) -> NarratorInput:
    """The turn in which something is said to Viktor."""
    viktor = PersonView(id="p:viktor", name="Viktor", pronoun="he", regard=regard)
    scene = BAR.model_copy(update={"people": (viktor,)})
    return given(outcome("acted", type=kind, target_id="p:viktor", words=words), scene=scene, **fields)


@pytest.mark.parametrize(
    ("words", "subject"),
    [
        ("how are you?", "wellbeing"),
        ("What's your name", "name"),
        ("who are you", "name"),
        ("what do you do here", "work"),
        ("what do you want", "wish"),
        ("can you help me", "help"),
        ("a whisky please", "served"),
        ("nice bar", "praise"),
        ("you look tired", "concern"),
        ("you're a liar", "abuse"),
        ("I should go", "leaving"),
        ("I'm a cop", "claim"),
        ("Mira sent me", "claim"),
        ("my name is Jo", "introduction"),
        ("I'm Inspector Hale", "introduction"),
        ("I miss her", "feeling"),
        ("it's raining", "weather"),
        ("Well, yes", "agreement"),
        ("not really", "refusal"),
        ("I don't know", "doubt"),
        ("never mind", "dropped"),
    ],
)
def test_words_have_their_subject(words: str, subject: str) -> None:
    assert any_subject_of(words) == subject


@pytest.mark.parametrize(
    "words",
    [
        "who are you waiting for",
        "what do you want for it",
        "how are the pilots",
        "I'm going to the market",
        "I'm hiding behind the bar",
        "I'm not leaving without an answer",
        "what do you know about Jin",
        "yes, take the key",
        "drop it",
        "where is Jin",
        "nice try with the door",
    ],
)
def test_words_that_want_more_are_no_small_talk(words: str) -> None:
    assert any_subject_of(words) == ""


def test_every_subject_is_answered_in_six_ways_by_friends_strangers_and_foes() -> None:
    groups = [name for name in grammar() if name.startswith("talk.") and name != "talk.alone"]
    assert len(groups) >= 16
    for group, regard in itertools.product(groups, REGARDS):
        guards = {"regard": regard} if regard else {}
        fitting = [
            one
            for one in grammar()[group]
            if dict(one.when) == guards or dict(one.when) == {**guards, "topic": "named"}
        ]
        assert len(fitting) >= 6, (group, regard)


def test_who_somebody_is_is_their_name_and_what_is_openly_known() -> None:
    told = narrate(said("enquire", "who are you", described={"p:viktor": (OWNS, WANTS)}))
    assert "Viktor" in told.final_text and OWNS.text in told.final_text
    assert told.cited == (OWNS.chunk_id,)


def test_what_somebody_wants_is_told_only_where_it_is_openly_known() -> None:
    told = narrate(said("enquire", "what do you want", described={"p:viktor": (OWNS, WANTS)}))
    assert WANTS.text in told.final_text
    told = narrate(said("enquire", "what do you want", described={"p:viktor": (OWNS,)}))
    assert OWNS.text not in told.final_text and told.cited == ()


def test_somebody_who_dislikes_the_player_gives_no_more_than_a_name() -> None:
    told = narrate(said("enquire", "who are you", "cold", described={"p:viktor": (OWNS,)}))
    assert "Viktor" in told.final_text and OWNS.text not in told.final_text


def test_a_wound_and_a_mood_are_seen_in_the_answer() -> None:
    for attrs, word in (({"states": {"mood": "shaken"}}, "shaken"), ({"conditions": ["wounded"]}, "")):
        packet = {"entities": [{"id": "p:viktor", "attrs": attrs}]}
        told = narrate(said("enquire", "how are you", packet=packet))
        assert word in told.final_text
        assert "phrase:talk.wellbeing?kind=" in told.recall[0]


def test_a_claim_is_believed_by_a_friend_and_doubted_by_a_foe() -> None:
    bags = {regard: narrate(said("remark", "I'm a cop", regard)).recall[0] for regard in REGARDS}
    assert [bag.rpartition("#")[0] for bag in bags.values()] == [
        "phrase:talk.claim",
        "phrase:talk.claim?regard=warm",
        "phrase:talk.claim?regard=cold",
    ]


def test_whoever_is_asked_for_help_names_what_they_can_speak_of() -> None:
    lead = Lead(asked="p:viktor", holder="p:viktor", topic="Jin")
    assert "Jin" in narrate(said("enquire", "can you help me", leads=(lead,))).final_text
    assert "Jin" not in narrate(said("enquire", "can you help me", "cold", leads=(lead,))).final_text


def test_the_name_that_somebody_gives_is_taken_up_and_nothing_else_is() -> None:
    assert "Jo" in narrate(said("remark", "my name is Jo")).final_text
    assert "<b>" not in narrate(said("remark", "my name is <b>x</b>")).final_text


def test_only_a_host_serves_and_it_is_gone_when_it_has_been_had() -> None:
    packet = {"entities": [{"id": "p:viktor", "tags": ["bartender"]}]}
    assert narrate(said("call_for", "a beer", packet=packet)).recall[0].startswith("phrase:talk.served?kind=host")
    assert narrate(said("call_for", "a beer")).recall[0].startswith("phrase:talk.served#")


def test_alone_nobody_answers() -> None:
    scene = BAR.model_copy(update={"people": ()})
    told = narrate(given(outcome("acted", type="remark", words="long night"), scene=scene))
    assert told.recall[0].startswith("phrase:talk.alone")


def test_an_answer_stands_alone() -> None:
    """No gesture and no scenery beside it: those are for arrivals and pauses."""
    for kind, words in (("enquire", "how are you"), ("insult", "you liar"), ("greet", ""), ("thank", "")):
        told = narrate(given(outcome("acted", type=kind, target_id="p:viktor", words=words)))
        assert told.cited == () and len(told.recall) == 1, told.final_text


def test_ten_of_one_kind_are_answered_in_ten_ways() -> None:
    told = [one.final_text for one in played([said("enquire", "how are you")] * 6)]
    assert len(set(told)) == 6


def test_gestures_and_small_talk_are_read_as_verbs_that_nothing_is_told_for() -> None:
    chance = random.Random(1)
    people = [person.name for person in ROOMS["bar"].people]
    told = 0
    for line in itertools.islice(lines_for(people, chance), 150):
        for action in read_in("bar", line).proposed_actions:
            verb = verb_of(action.type)
            assert verb is not None and verb.reply != "answer" and verb.does is None, (line, action.type)
            told += 1
    assert told > 100


def test_all_small_talk_lines_are_small_talk() -> None:
    assert [line for line in SMALL_TALK if not any_subject_of(line)] == []
    assert GESTURES


def test_a_subject_belongs_to_its_verb() -> None:
    assert subject_of("enquire", "you liar") == "" and subject_of("insult", "you liar") == "abuse"
    assert subject_of("look", "how are you") == ""
