"""The grammar's files: merged in order, one home for a group, and an error says which file."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from typing import Any

import pytest

from lorewright.builtin.narrator.grammar import Ledger, choose, grammar, merged
from lorewright.builtin.narrator.narrate import Voice
from lorewright.builtin.narrator.scenery import SceneryMemory
from lorewright.builtin.narrator.views import Beat, Person

# Every slot filled, once with names as packs have them and once with what is hardest to put into a sentence.
SLOTS = (
    {"who": Person("p:osk", "Osk", "he"), "list": "Osk", "names": "Osk", "thing": "the coil of rope", "door": "the hatch",
     "place": "the Quay", "clock": "Dread", "topic": "Lin", "sought": "a key", "where": "under the counter",
     "detail": "the fiddle",
     "reminder": "a letter lies there", "minutes": "five minutes", "item": "the rope", "other": "Bea", "noun": "hat",
     "deed": "roll up your sleeves", "time": "20:30"},
    {"who": Person("p:ladies", "the Three Ladies of Ys", "they"), "list": "the old man, Bea and Agent Chen",
     "names": "the Watch", "thing": "Viktor's spectacles", "door": "the doors", "place": "Ys", "clock": "the tide",
     "sought": "room 12", "topic": "the Watch", "where": "in St. Anne's",
     "detail": "St. Anne's", "reminder": "“I saw her.”",
     "minutes": "an hour", "item": "St. Anne's", "other": "St. Anne", "noun": "dancing shoes",
     "deed": "put St. Anne's on your head", "time": "00:05"},
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
    for variant in {variant.when: variant for variant in grammar()[group]}.values():
        beat = Beat("outcome", group, dict(variant.when), slots, plural=plural)
        bag = next(choice for choice in choose(group, beat.facts) if variant.text in choice.texts)
        told = set()
        for _ in bag.texts:
            voice = Voice(LEDGER, SceneryMemory(()), {}, {})
            told.add(voice.say(beat, is_first=True))
        texts += sorted(told)
    return texts


LEDGER = Ledger("seed", {})


GROUPS = sorted(grammar())


@pytest.mark.parametrize("groups", [GROUPS[at::16] for at in range(16)], ids=lambda groups: groups[0])
@pytest.mark.parametrize("slots", SLOTS, ids=["plain", "hard"])
def test_every_variant_with_its_slots_filled_is_a_clean_sentence(groups: list[str], slots: dict[str, Any]) -> None:
    wrong = []
    for group, plural in itertools.product(groups, (False, True)):
        texts = _drawn(group, slots, plural=plural)
        wrong += [group] if len(texts) < len(grammar()[group]) else []
        wrong += [text for text in texts if not _is_clean(text)]
    assert wrong == []


def _is_clean(text: str) -> bool:
    """Return whether a text reads as a sentence or two of a story."""
    begins, ends = text[0].isupper() or text[0] == "“", text.rstrip("”")[-1] in ".!?:"
    return not UGLY.search(text) and begins and ends and len(text.split()) < 30


def test_every_bag_holds_enough_for_it_not_to_be_noticed() -> None:
    bags = Counter((group, variant.when) for group, variants in grammar().items() for variant in variants)
    # What one did, in one's own words and no others, is not noticed.
    del bags["form.first", ()]
    assert [bag for bag, size in bags.items() if size < 3] == []


def test_no_sentence_stands_in_the_grammar_twice() -> None:
    texts = [variant.text for variants in grammar().values() for variant in variants]
    assert sorted(texts) == sorted(set(texts))


@pytest.mark.parametrize("when", ["{mood: dark}", "{first: 1}", "{level: high}"])
def test_a_guard_that_nothing_can_meet_is_refused(when: str) -> None:
    with pytest.raises(ValueError, match=r"a\.yaml: group 'lead': .* is no guard; there are at, band"):
        merged([("a.yaml", f"lead: [{{when: {when}, text: Here.}}]")])
