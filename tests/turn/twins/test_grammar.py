"""The grammar's files: merged in order, one home for a group, and an error says which file."""

from __future__ import annotations

import pytest

from lorewright.turn.twins.narrator.grammar import merged


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
