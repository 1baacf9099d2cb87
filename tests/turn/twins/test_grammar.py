"""The grammar's files: merged in order, one home for a group, and an error says which file."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest

from lorewright.builtin.narrator.bag import Ledger
from lorewright.builtin.narrator.beats import Beat, Person
from lorewright.builtin.narrator.grammar import choose, grammar, merged
from lorewright.builtin.narrator.memory import Memory
from lorewright.builtin.narrator.realise import Voice

# Every slot filled, once with names as packs have them and once with what is hardest to put into a sentence.
SLOTS = (
    {"who": Person("p:osk", "Osk", "he"), "list": "Osk", "names": "Osk", "thing": "the coil of rope", "door": "the hatch",
     "place": "the Quay", "clock": "Dread", "topic": "Lin", "where": "under the counter", "detail": "the fiddle",
     "reminder": "a letter lies there", "minutes": "five minutes", "item": "the rope", "other": "Bea"},
    {"who": Person("p:ladies", "the Three Ladies of Ys", "they"), "list": "the old man, Bea and Agent Chen",
     "names": "the Watch", "thing": "Viktor's spectacles", "door": "the doors", "place": "Ys", "clock": "the tide",
     "topic": "the Watch", "where": "in St. Anne's", "detail": "St. Anne's", "reminder": "“I saw her.”",
     "minutes": "an hour", "item": "St. Anne's", "other": "St. Anne"},
)  # fmt: skip
UGLY = re.compile(r"[*_`#{}\[\]|]|(?<!\.)\.\.(?!\.)|[?!:,;]\.|  | [.,;:?!]|“”|None|\b(?:the|a|an) (?:the|a|an)\b|”\.")


def test_groups_of_several_files_are_one_grammar() -> None:
    groups = merged([("a.yaml", "lead: [Here.]"), ("b.yaml", "moved: [{when: {first: true}, text: There.}]")])
    assert sorted(groups) == ["lead", "moved"]
    assert groups["moved"][0].when == (("first", True),)


def test_a_group_in_two_files_is_refused_with_both_names() -> None:
    with pytest.raises(ValueError, match=r"b\.yaml: group 'lead' stands in a\.yaml already"):
        merged([("a.yaml", "lead: [Here.]"), ("b.yaml", "lead: [There.]")])


@pytest.mark.parametrize("text", ["lead: Here.", "lead: []", "lead: [{text: 1}]", "lead: [{text: Here., wen: {}}]"])
def test_what_is_no_variant_is_refused_with_its_file(text: str) -> None:
    with pytest.raises(ValueError, match=r"a\.yaml: group 'lead'"):
        merged([("a.yaml", text)])


def _drawn(group: str, slots: dict[str, Any], *, plural: bool) -> list[str]:
    """Every variant of a group with its slots filled, as it would be told, in the order of the file."""
    texts = []
    for variant in grammar()[group]:
        beat = Beat("outcome", group, dict(variant.when), slots, plural=plural)
        bag = next(choice for choice in choose(group, beat.facts) if variant.text in choice.texts)
        told = set()
        for _ in bag.texts:
            voice = Voice(LEDGER, Memory(()), {}, {})
            told.add(voice.say(beat, is_first=True))
        texts += sorted(told)
    return texts


LEDGER = Ledger("seed", {})


@pytest.mark.parametrize("group", sorted(grammar()))
def test_every_variant_with_its_slots_filled_is_a_clean_sentence(group: str) -> None:
    for slots, plural in itertools.product(SLOTS, (False, True)):
        texts = _drawn(group, slots, plural=plural)
        assert len(texts) >= len(grammar()[group])
        for text in texts:
            assert not UGLY.search(text), text
            assert text[0].isupper() or text[0] == "“", text
            assert text.rstrip("”")[-1] in ".!?:", text
            assert len(text.split()) < 30, text


@pytest.mark.parametrize("group", sorted(grammar()))
def test_every_bag_holds_enough_for_it_not_to_be_noticed(group: str) -> None:
    bags: dict[tuple[Any, ...], int] = {}
    for variant in grammar()[group]:
        bags[variant.when] = bags.get(variant.when, 0) + 1
    assert min(bags.values()) >= 3


def test_no_sentence_stands_in_the_grammar_twice() -> None:
    texts = [variant.text for variants in grammar().values() for variant in variants]
    assert sorted(texts) == sorted(set(texts))


@pytest.mark.parametrize("when", ["{mood: dark}", "{first: 1}", "{level: high}"])
def test_a_guard_that_nothing_can_meet_is_refused(when: str) -> None:
    with pytest.raises(ValueError, match=r"a\.yaml: group 'lead': .* is no guard; there are at, band"):
        merged([("a.yaml", f"lead: [{{when: {when}, text: Here.}}]")])
