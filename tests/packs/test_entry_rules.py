"""`lore:` and `section_lore:`: what is read of them, which entries are meant, and what is said of the rest."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.packs.entry_rules import RULE_NAMES, from_json, read_rules, to_json
from lorewright.packs.files import Finding
from lorewright.packs.models import EntryRules
from support.pack_builder import by_id, loaded


def file_of(entity_id: str, rules: str = "", *, more: str = "", text: str = "Of it.\n") -> dict[str, str]:
    head = f"---\nid: {entity_id}\ntype: event\naliases: [the {entity_id} itself]\n{rules}---\n\n"
    return {f"events/{entity_id}.md": f"{head}# {entity_id.title()}\n\n{text}\n{more}"}


RUMOURS = "## Rumours\n\nThey say so.\n"
# Whoever reads a pack by itself says so.
_NOT_MEANT = {"missing-license"}


def told(findings: tuple[Finding, ...]) -> list[tuple[str, str, int, str]]:
    found = [one for one in findings if one.code not in _NOT_MEANT]
    return [(one.severity, one.code, one.line, one.message) for one in found]


def test_the_files_rules_hold_for_each_section_and_a_sections_go_before_them(tmp_path: Path) -> None:
    rules = "lore: {priority: 3, sticky: 2, group: Weather, probability: 0.5}\nsection_lore:\n  Rumours: {priority: 9, group: [a, B]}\n"
    pack = loaded(tmp_path, {**file_of("storm", rules, more=RUMOURS), **file_of("fog")})
    chunks = by_id(pack)
    assert chunks["storm:overview"].rules == EntryRules(
        priority=3,
        sticky=2,
        groups=("weather",),
        probability=0.5,
        group_of="town:storm",
        thrown_for="town:storm",
    )
    assert chunks["storm:rumours"].rules == EntryRules(
        priority=9,
        sticky=2,
        groups=("a", "b"),
        probability=0.5,
        group_of="town:storm:rumours",
        thrown_for="town:storm",
    )
    assert chunks["fog:overview"].rules is None


def test_what_says_only_what_is_so_anyway_is_no_rule(tmp_path: Path) -> None:
    pack = loaded(
        tmp_path, file_of("storm", "lore: {always: false, priority: 0, sticky: 0, probability: 1, cooldown: null}\n")
    )
    assert by_id(pack)["storm:overview"].rules is None
    assert told(pack.findings) == []


def test_all_parts_of_a_long_section_have_its_rules_and_an_authors_comments_none(tmp_path: Path) -> None:
    long = "\n\n".join(f"It rains on the {number}th day, and nobody goes out. " * 20 for number in range(6))
    chunks = loaded(tmp_path, file_of("storm", "lore: {always: true}\n", text=f"{long}\n\n%%Not yet.%%\n")).chunks
    assert [chunk.rules is not None for chunk in chunks] == [True] * (len(chunks) - 1) + [False]
    assert chunks[-1].section == "Comments"
    assert len(chunks) > 2


@pytest.mark.parametrize(
    ("reference", "meant"),
    [
        ("fog", "town:fog"),
        ("Fog", "town:fog"),
        ("the fog itself", "town:fog"),
        ("[[Fog|that fog]]", "town:fog"),
        ("events/fog.md", "town:fog"),
        ("town:fog", "town:fog"),
        ("fog:Rumours", "town:fog:rumours"),
        ("town:fog:rumours", "town:fog:rumours"),
        ("isle:fog", "isle:fog"),
        ("isle:fog:rumours", "isle:fog:rumours"),
    ],
)
def test_an_entry_is_named_as_links_name_it(tmp_path: Path, reference: str, meant: str) -> None:
    rules = f'lore:\n  requires: ["{reference}"]\n'
    pack = loaded(tmp_path, {**file_of("storm", rules), **file_of("fog", more=RUMOURS)})
    found = by_id(pack)["storm:overview"].rules
    assert found is not None
    assert found.requires == (meant,)
    assert told(pack.findings) == []


def test_a_wikilink_without_quotes_is_the_link_that_was_meant(tmp_path: Path) -> None:
    pack = loaded(tmp_path, {**file_of("storm", "lore: {requires: [[[Fog]]]}\n"), **file_of("fog")})
    found = by_id(pack)["storm:overview"].rules
    assert found is not None
    assert found.requires == ("town:fog",)


@pytest.mark.parametrize("reference", ["mist", "town:mist", "fog:Weather", "town:fog:weather"])
def test_what_names_nothing_is_told_on_its_line_and_never_fulfilled(tmp_path: Path, reference: str) -> None:
    rules = f'lore:\n  priority: 1\n  requires: ["{reference}"]\n'
    pack = loaded(tmp_path, {**file_of("storm", rules), **file_of("fog", more=RUMOURS)})
    message = f"requires: nothing in the pack is named {reference}"
    assert told(pack.findings) == [("warning", "dangling-reference", 7, message)]
    found = by_id(pack)["storm:overview"].rules
    assert found is not None
    assert found.requires[0] not in {chunk.entity_id for chunk in pack.chunks} | {chunk.id for chunk in pack.chunks}


def test_an_entry_that_names_itself_is_told(tmp_path: Path) -> None:
    pack = loaded(tmp_path, {**file_of("storm", "lore: {requires: [storm], excludes: [fog]}\n"), **file_of("fog")})
    assert [one[1:3] for one in told(pack.findings)] == [("bad-entry-rule", 5)]
    found = by_id(pack)["storm:overview"].rules
    assert found is not None
    assert (found.requires, found.excludes) == ((), ("town:fog",))


def test_a_section_may_require_the_rest_of_its_file(tmp_path: Path) -> None:
    rules = "section_lore:\n  Rumours: {requires: [storm]}\n"
    pack = loaded(tmp_path, file_of("storm", rules, more=RUMOURS))
    found = by_id(pack)["storm:rumours"].rules
    assert found is not None
    assert found.requires == ("town:storm",)
    assert told(pack.findings) == []


@pytest.mark.parametrize(
    ("storm", "fog", "message"),
    [
        ("requires: [fog], excludes: [fog]", "", "it requires town:fog, which it excludes"),
        ("requires: [fog]", "excludes: [storm]", "it requires town:fog, which excludes it"),
        ("requires: [fog], group: a", "group: a", "it requires town:fog, which is in the same group"),
        ("probability: 0", "", "with probability 0 it is never there"),
    ],
)
def test_what_can_never_be_there_is_told(tmp_path: Path, storm: str, fog: str, message: str) -> None:
    files = {**file_of("storm", f"lore: {{{storm}}}\n"), **file_of("fog", f"lore: {{{fog}}}\n" if fog else "")}
    assert told(loaded(tmp_path, files).findings) == [("warning", "entry-never-there", 5, message)]


def test_a_group_of_one_is_told(tmp_path: Path) -> None:
    files = {
        **file_of("storm", "lore: {group: wether}\n"),
        **file_of("fog", "lore: {group: weather}\n"),
        **file_of("sun", "lore: {group: Weather}\n"),
    }
    assert told(loaded(tmp_path, files).findings) == [
        ("info", "lonely-group", 5, "nothing else in the pack is in the group wether")
    ]


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("lore: {priorty: 3}", "priorty is no rule of an entry; it is left out"),
        ("lore: {always: 1}", "always must be true or false; it is left out"),
        ("lore: {priority: 10001}", "priority must be a whole number from -10000 to 10000; it is left out"),
        ("lore: {sticky: 1.5}", "sticky must be a whole number of turns from 0 to 100; it is left out"),
        ("lore: {cooldown: true}", "cooldown must be a whole number of turns from 0 to 100; it is left out"),
        ("lore: {requires: [3]}", "requires must be a list of 1 to 50 names or IDs of entries; it is left out"),
        ("lore: {excludes: {fog: true}}", "excludes must be a list of 1 to 50 names or IDs of entries; it is left out"),
        (
            "lore: {group: [a, 3]}",
            "group must be a name of at most 60 characters, or a list of at most 10; it is left out",
        ),
        ("lore: {probability: 30}", "probability must be a number from 0 to 1; it is left out"),
        ("lore: always", "lore must be `rule: value` lines; no rule is read"),
        ("section_lore: [Rumours]", "section_lore must be `title: rules` lines"),
        ("section_lore: {Weather: {always: true}}", "section_lore: no section is titled weather"),
    ],
)
def test_what_cannot_be_read_is_left_out_and_told_on_its_line(tmp_path: Path, rules: str, message: str) -> None:
    pack = loaded(tmp_path, {**file_of("storm", f"{rules}\n", more=RUMOURS), **file_of("fog")})
    assert told(pack.findings) == [("warning", "bad-entry-rule", 5, message)]
    assert by_id(pack)["storm:overview"].rules is None


def test_a_lore_that_is_no_mapping_stays_a_key_of_the_authors_own(tmp_path: Path) -> None:
    entity = loaded(tmp_path, file_of("storm", "lore: told by sailors\n")).entities[0]
    assert entity.attrs == {"lore": "told by sailors"}
    assert loaded(tmp_path / "b", file_of("storm", "lore: {priority: 1}\n")).entities[0].attrs == {}


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(RULE_NAMES) | st.text(max_size=5), _VALUES, max_size=5) | _VALUES)
def test_whatever_stands_there_is_read_or_told(value: object) -> None:
    rules, wrong = read_rules(value, key="lore")
    assert rules.values.keys() <= set(RULE_NAMES)
    if isinstance(value, dict):
        assert len(rules.values) + len(wrong) == sum(
            1 for key, one in value.items() if one is not None or key not in RULE_NAMES
        )
    else:
        assert wrong and not rules


@given(
    st.builds(
        EntryRules,
        always=st.booleans(),
        priority=st.integers(-9, 9),
        requires=st.lists(st.text(max_size=4), max_size=3).map(tuple),
        groups=st.lists(st.text(max_size=4), max_size=3).map(tuple),
        probability=st.floats(0, 1),
        thrown_for=st.text(max_size=4),
    )
)
def test_rules_are_read_as_they_were_stored(rules: EntryRules) -> None:
    assert from_json(to_json(rules)) == rules
