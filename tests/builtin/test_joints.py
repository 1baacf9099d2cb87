"""Lines are cut at the joints of their words, whatever a tagger makes of the whole."""

from __future__ import annotations

import re

import pytest

from lorewright.builtin.parser.acts.kinds import is_said, is_small
from lorewright.builtin.words.joints import acts_of, is_quoted
from lorewright.builtin.words.plain_words import in_order
from lorewright.builtin.words.tagging import Act

KINDS = {
    "ask": "ask",
    "tell": "tell",
    "say": "tell",
    "go": "go",
    "push": "use",
    "sit": "sit",
    "look": "look",
    "to": "look",
}


def tag(text: str) -> tuple[Act, ...]:
    """Tag as a simple tagger does: an act ends at a comma before a verb, and what no verb begins is said."""
    parts = re.split(
        r",? and (?=\w+ )|, (?=(?:then )?(?:ask|tell|go|push|sit|look|before|because|while|no) )| (?=to see )", text
    )
    return tuple(_act(part) for part in parts if part.strip())


def _act(words: str) -> Act:
    first = words.split()[0].casefold().strip(",.")
    return Act(kind=KINDS.get(first, "pose" if first.endswith("e") else "tell"), words=words, score=0.9)


def acts(text: str) -> list[str]:
    return [act.words for act in acts_of(text, tag, tag(text), is_said=is_said, is_small=is_small)]


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("sit down, push the door, because she asked me to", ["sit down", "push the door"]),
        ("sit down, ask her to row me over so that he has his tapers", ["sit down", "ask her to row me over"]),
        ("sit down, while she is busy", ["sit down"]),
        ("sit down, ask him to wait until only she can hear it", ["sit down", "ask him to wait"]),
        ("to ask the man, friendly as anything, if he is lost", ["ask the man if he is lost"]),
        ("ask him quietly what ice is", ["ask him what ice is"]),
        ("ask, dead casual, what he has found", ["ask what he has found"]),
        ("tell Lena in a sports commentator's voice what they fold", ["tell Lena what they fold"]),
        ("quietly, push the door, go in", ["push the door", "go in"]),
        ("sit down, before I say a word, push the door", ["sit down", "push the door"]),
        ("sit down, no hurry, and look up", ["sit down", "look up"]),
        ("having nothing to do, sit down, look up", ["sit down", "look up"]),
        ("sit down, ask him, I tell him", ["sit down", "ask him"]),
        (
            "ask Marit which boats went out, writing down their names",
            ["ask Marit which boats went out", "write down their names"],
        ),
        ("push the crate to see how it moves, go on", ["push the crate", "go on"]),
        (
            "push the crate to see what is under it, go on",
            ["push the crate to see what is under it", "go on"],
        ),
        ('sit down and say to Viktor, "Something hot," then look up', ["sit down", "Something hot", "then look up"]),
    ],
)
def test_what_only_qualifies_an_act_is_none(text: str, cut: list[str]) -> None:
    assert [words.strip(" ,") for words in acts(text)] == cut


def test_what_is_quoted_is_known_by_its_marks() -> None:
    text = 'say "the centre is yours" and mark the top right'
    assert [is_quoted(words, text) for words in ("the centre is yours", "and mark the top right")] == [True, False]


def test_the_speaker_s_frame_names_whom_a_quote_is_for() -> None:
    text = 'sit down and say to Viktor, "Something hot"'
    found = acts_of(text, tag, tag(text), is_said=is_said, is_small=is_small)
    assert found[-1].person == "Viktor"


@pytest.mark.parametrize(
    "text",
    [
        "push the door",
        "tell him that I came because of her",
        "ask him about the so-called quiet man",
        "sit down, look before nine",
        "ask her what she knows, nothing more",
    ],
)
def test_other_lines_stay_as_they_are(text: str) -> None:
    assert acts(text) == [act.words for act in tag(text)]


@pytest.mark.parametrize(
    ("typed", "ordered"),
    [
        ("I would like to go up, but first I try the door", "I try the door, then go up"),
        ("Drink the tea. No, first smell it. Then drink it.", "smell the tea. Then drink it."),
        ("I was going to ask about Jin, but instead I wait", "I wait"),
        ("I want to ask Teo to leave but I don't; I sit", "I do not ask Teo to leave; I sit"),
        ("after wiping the chair I sit down", "wipe the chair, then I sit down"),
        ("I could sit. I could leave. I wait.", "I wait."),
        ("I could use a drink. I sit", "I could use a drink. I sit"),
        ("start to climb the stairs, then stop", "nearly climb the stairs, then stop"),
        ("start to climb the stairs", "start to climb the stairs"),
        ("neither knock nor call; go in", "do not knock; do not call; go in"),
        ("i want to kiss her. i don't. i wait", "i do not kiss her. i wait"),
        ("put my hand out but don't touch her", "put my hand out; don't touch her"),
        # What is thought, put to somebody or quoted stays as it is.
        ("I sit down but don't know why", "I sit down but don't know why"),
        ("I'd go, but first you tell me the price", "I'd go, but first you tell me the price"),
        ('say "I was going to ask, but I wait"', 'say "I was going to ask, but I wait"'),
        ("I want to sit, but there is no chair", "I want to sit, but there is no chair"),
    ],
)
def test_a_line_is_put_in_the_order_in_which_its_acts_are_done(typed: str, ordered: str) -> None:
    assert in_order(typed) == ordered


def test_what_is_written_in_quotation_marks_is_no_speech() -> None:
    assert [words.strip(" ,") for words in acts('write "1. Door, say it" on the page and push it')] == [
        'write "1. Door, say it" on the page',
        "push it",
    ]


def test_an_act_without_a_verb_has_that_of_the_one_before_it() -> None:
    def tagged(text: str) -> tuple[Act, ...]:
        return tuple(act.model_copy(update={"target": act.words.split()[-1]}) for act in _parted(text))

    def _parted(text: str) -> list[Act]:
        return [_act(part) for part in re.split(r", (?=then )", text)]

    text = "look at the rain, then at the slate, then the door"
    found = acts_of(text, tagged, tagged(text), is_said=is_said, is_small=is_small)
    assert [(act.kind, act.words) for act in found] == [
        ("look", "look at the rain"),
        ("look", "look at the slate"),
        ("look", "look at the door"),
    ]


def test_what_one_forbids_oneself_beside_deeds_is_no_word_to_somebody() -> None:
    def tagged(text: str) -> tuple[Act, ...]:
        parts = re.split(r"(?<=[.]) ", text)
        return tuple(
            Act(kind="request" if part.startswith("Don't") else _act(part).kind, words=part, score=0.7)
            for part in parts
        )

    for text, kinds in (
        ("push it. Don't sit.", ["use", "work"]),
        ("push it. Don't worry.", ["use", "request"]),
        ("Don't sit.", ["request"]),
        ("push it. Don't hurt me.", ["use", "request"]),
    ):
        found = acts_of(text, tagged, tagged(text), is_said=is_said, is_small=is_small)
        assert [act.kind for act in found] == kinds, text


def test_bits_of_a_question_and_its_reason_belong_to_it() -> None:
    acts = (Act(kind="goal", words="what must I do?"), Act(kind="wait", words="sleep?"))
    found = acts_of("what must I do? sleep?", lambda text: (), acts, is_said=is_said, is_small=is_small)
    assert [act.words for act in found] == ["what must I do? sleep?"]
    acts = (Act(kind="seek", words="Is it haunted?"), Act(kind="thought", words="Because I don't do ghosts."))
    found = acts_of("", lambda text: (), acts, is_said=is_said, is_small=is_small)
    assert len(found) == 1


def test_a_step_that_was_hardly_taken_for_words_is_none() -> None:
    def tagged(text: str) -> tuple[Act, ...]:
        parts = text.split(", ")
        return tuple(Act(kind="use" if part.startswith("push") else "request", words=part, score=0.3) for part in parts)

    for text, kinds in (
        ("push it, then open the lid", ["use", "work"]),
        ("push it, open the lid", ["use", "work"]),
        ("open the lid, push it", ["request", "use"]),
        ("push it, give me the lid", ["use", "request"]),
        ("push it, ask the man", ["use", "request"]),
    ):
        found = acts_of(text, tagged, tagged(text), is_said=is_said, is_small=is_small)
        assert [act.kind for act in found] == kinds, text
