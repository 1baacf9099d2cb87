"""Lines are cut at the joints of their words, whatever a tagger makes of the whole."""

from __future__ import annotations

import re

import pytest

from lorewright.builtin.parser.act_kinds import is_said, is_small
from lorewright.builtin.words.joints import acts_of, is_quoted
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
        r",? and (?=\w+ )|, (?=(?:then )?(?:ask|tell|go|push|sit|look|before|because|while) )| (?=to see )", text
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
        (
            "ask Marit which boats went out, writing down their names",
            ["ask Marit which boats went out", "write down their names"],
        ),
        ("push the crate to see what is under it, go on", ["push the crate", "go on"]),
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
