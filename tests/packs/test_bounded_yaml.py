"""YAML that strangers wrote: plain data within bounds, or one kind of error with its place."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from lorewright.ids import canonical_json
from lorewright.packs.bounded_yaml import YamlDocument, YamlProblem, load_yaml
from lorewright.packs.files import MAX_YAML_DEPTH, MAX_YAML_NODES

BOMB = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n"
MERGE_BOMB = "a: &a {x: 1}\nb: {<<: [*a, *a]}\n"

plain = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(10**17), 10**17), st.text("abc :#-?[]{}'\"\n&*!é", max_size=12)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text("abcé", max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)


def problem_of(text: str) -> YamlProblem:
    with pytest.raises(YamlProblem) as caught:
        load_yaml(text)
    return caught.value


@given(plain)
def test_what_a_yaml_writer_wrote_is_read_back(data: Any) -> None:
    text = yaml.safe_dump(data, allow_unicode=True)
    # The writer itself uses no aliases here, for nothing in the data is shared.
    assert load_yaml(text).data == data


yaml_like = st.lists(
    st.sampled_from(["a", ": ", "\n", "- ", "[", "]", "{", "}", ",", "&x ", "*x", "!!str ", "'", '"', "|\n", ">", "? "])
    | st.sampled_from(
        ["  ", "<<: ", "---\n", "...\n", "#", "%YAML", "\\ud800", "\\x00", "1e999", "\t", "\x07", "\ufffe"]
    ),
    max_size=30,
).map("".join)


@given(st.one_of(st.text(max_size=100), yaml_like))
@example("\x01")
@example("\ud800")
@example("%")
@example("{" * 5000)
@example("- " * 5000)
@example("? " * 5000)
@example('a: "' + "\\ud800" + '"')
def test_any_text_is_data_that_can_be_stored_or_a_problem_with_a_place(text: str) -> None:
    try:
        document = load_yaml(text)
    except YamlProblem as problem:
        assert problem.code in ("invalid-yaml", "yaml-alias-bomb", "unsafe-yaml-tag")
        assert problem.message
        assert problem.line >= 1
        assert problem.column >= 1
    else:
        canonical_json(document.data).encode()


def test_an_empty_text_is_nothing() -> None:
    assert load_yaml("") == YamlDocument(None)
    assert load_yaml("# only a comment\n").data is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("yes", "yes"),
        ("on", "on"),
        ("NO", "NO"),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("2087-03-01", "2087-03-01"),
        ("2087-03-01 10:00:00", "2087-03-01 10:00:00"),
        ("12:30:45", "12:30:45"),
        ("1_000", "1_000"),
        ("0x1F", "0x1F"),
        ("0o17", "0o17"),
        ("12", 12),
        ("-3", -3),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        (".inf", ".inf"),
        (".nan", ".nan"),
        ("1e999", "1e999"),
        ("9" * 400, "9" * 400),
        ("=", "="),
        ("'12'", "12"),
        ('"no"', "no"),
        ("|\n  12\n", "12\n"),
    ],
)
def test_a_scalar_is_what_yaml_1_2_says(text: str, value: object) -> None:
    read = load_yaml(f"key: {text}").data["key"]
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize("key", ["12", "true", "null", "2087-01-01", "1.5", "<<", "no"])
def test_keys_are_texts(key: str) -> None:
    assert load_yaml(f"{key}: x").data == {key: "x"}


@pytest.mark.parametrize("text", [BOMB, MERGE_BOMB, "a: &a 1", "a: *a", "&a {b: 1}", "- &a x\n- *a"])
def test_anchors_and_aliases_are_refused(text: str) -> None:
    assert problem_of(text).code == "yaml-alias-bomb"


def test_a_merge_key_without_an_alias_is_a_key_like_any_other() -> None:
    assert load_yaml("<<: {a: 1}\nb: 2").data == {"<<": {"a": 1}, "b": 2}


@pytest.mark.parametrize("tag", ["!!python/object/apply:os.system", "!!str", "!!timestamp", "!mine", "!"])
def test_tags_are_refused(tag: str) -> None:
    problem = problem_of(f"a: 1\nb: {tag} x")
    assert (problem.code, problem.line) == ("unsafe-yaml-tag", 2)


def test_nesting_is_read_to_the_limit_and_refused_beyond_it() -> None:
    deepest = MAX_YAML_DEPTH - 1
    assert load_yaml("[" * deepest + "x" + "]" * deepest).data
    assert "deeper" in problem_of("[" * (deepest + 1) + "x" + "]" * (deepest + 1)).message


@pytest.mark.campaign
def test_values_are_read_to_the_limit_and_refused_beyond_it() -> None:
    most = MAX_YAML_NODES - 1
    assert len(load_yaml("[" + "x," * most + "]").data) == most
    assert "values" in problem_of("[" + "x," * (most + 1) + "]").message


def test_a_key_that_comes_twice_is_told_and_the_last_holds() -> None:
    document = load_yaml("a: 1\nb:\n  c: 1\n  c: 2\na: 3\n")
    assert document.data == {"a": 3, "b": {"c": 2}}
    assert document.duplicates == (("c", 4), ("a", 5))


def test_the_line_of_each_key_is_known() -> None:
    assert load_yaml("a: 1\n\nb:\n  c: 2\nd: 3").key_lines == {"a": 1, "b": 3, "d": 5}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: b: c", 1),
        ("a: 1\n b: 2", 2),
        ("a: [1", 1),
        ("a: 'x", 1),
        ("? [a]\n: b", 1),
        ("a: 1\n---\nb: 2", 2),
        ("\tx: 1", 1),
    ],
)
def test_what_is_no_yaml_is_a_problem_on_its_line(text: str, line: int) -> None:
    problem = problem_of(text)
    assert (problem.code, problem.line) == ("invalid-yaml", line)


def test_escapes_bring_in_neither_controls_nor_halves_of_characters() -> None:
    document = load_yaml('"k\\x07": "a\\e[31m\\0\\ud800\\x9bb\\n\\tc"')
    assert document.data == {"k": "a[31mb\n\tc"}
    assert document.key_lines == {"k": 1}
