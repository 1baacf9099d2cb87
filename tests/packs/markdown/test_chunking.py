"""Chunking: headings come from tokens, nothing of a text is lost, no part is longer than the limit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.packs.markdown.chunking import lines_of, split_long, split_sections
from lorewright.tokens import count_tokens

LINES = st.sampled_from(
    ["# One", "## Two", "## Two", "### Three", "text", "a b", "", " ", "===", "---", "```", "~~~", "- item", "> quote"]
    + [
        "    code",
        "<!-- note",
        "-->",
        "\t# tab",
        "#",
        "##",
        "\u2028# line separator",
        "\x0c",
        "1. first",
        "  ## two",
        "|",
    ]
)
markdown = st.one_of(st.lists(LINES, max_size=30).map("\n".join), st.text(max_size=200))


def titles(body: str) -> list[tuple[str, str]]:
    return [(section.title, section.subtitle) for section in split_sections(body)]


@given(markdown)
def test_the_sources_of_the_sections_joined_are_the_body(body: str) -> None:
    joined = "".join(section.source for section in split_sections(body))
    assert joined == (body if body.strip() else "")


@given(markdown)
def test_lines_joined_are_the_text_and_only_line_feeds_end_them(text: str) -> None:
    lines = lines_of(text)
    assert "".join(lines) == text
    assert all("\n" not in line[:-1] for line in lines)


@given(markdown.map(lambda text: text.replace("\r", "")))
def test_a_section_begins_on_the_line_that_it_names(body: str) -> None:
    lines = body.split("\n")
    before = 0
    for section in split_sections(body):
        blank = lines[before : section.line]
        assert not "".join(blank).strip()
        assert section.source.startswith("\n".join([*blank, lines[section.line]]))
        before += section.source.count("\n")


def test_a_body_of_white_space_has_no_section() -> None:
    assert split_sections("") == []
    assert split_sections(" \n\n\t\n") == []


def test_each_h2_begins_a_section_and_h3_belongs_to_it() -> None:
    body = "# Bar\nintro\n## Past\nold\n### Flood\nwet\n## Now\ndry\n"
    assert titles(body) == [("Bar", ""), ("Bar", "Past"), ("Bar", "Now")]
    assert split_sections(body)[1].text == "old\n### Flood\nwet\n"


def test_text_above_the_first_heading_is_a_section_without_titles() -> None:
    first, second = split_sections("hello\n\n# Bar\n")
    assert (first.title, first.heading, first.text) == ("", "", "hello\n\n")
    assert second.title == "Bar"


def test_blank_lines_above_the_first_heading_go_with_it() -> None:
    (section,) = split_sections("\n\n# Bar\ntext")
    assert section.heading == "\n\n# Bar\n"
    assert section.line == 2


def test_a_second_h1_is_in_force_from_there_on() -> None:
    assert titles("# A\n## One\n# B\n## Two\n") == [("A", ""), ("A", "One"), ("B", ""), ("B", "Two")]


@pytest.mark.parametrize("mark", ["===", "==========", "  ==="])
def test_a_title_underlined_with_equal_signs_is_an_h1(mark: str) -> None:
    assert titles(f"Bar\n{mark}\ntext") == [("Bar", "")]


def test_a_title_underlined_with_dashes_is_an_h2_and_a_rule_is_not() -> None:
    assert titles("# Bar\n\nPast\n---\nold\n") == [("Bar", ""), ("Bar", "Past")]
    assert titles("# Bar\n\ntext\n\n---\n\nmore\n") == [("Bar", "")]


def test_a_setext_title_of_two_lines_is_one_heading() -> None:
    (section,) = split_sections("The Neon\nDragon\n===\nbar")
    assert section.title == "The Neon Dragon"
    assert section.text == "bar"


@pytest.mark.parametrize(
    "text",
    [
        "```\n## not\n```",
        "~~~ yaml\n## not\n~~~",
        "````\n```\n## not\n````",
        "```\n## not, for the fence never closes",
        "    ## indented code",
        "> ## quoted",
        "- ## in a list",
        "1. ## in a list",
        "<div>\n## html\n</div>",
        "<!--\n## comment\n-->",
        "\\## escaped",
        "##nospace",
        "####### seven",
        "- item\n\n  ## in the item",
    ],
)
def test_what_only_looks_like_a_heading_is_text(text: str) -> None:
    (section,) = split_sections(f"# Bar\n\n{text}\n")
    assert "not" not in section.subtitle
    assert text in section.text


@pytest.mark.parametrize(
    "heading", ["## Past", "##   Past  ", "## Past ##", " ## Past", "## **Past**", "## [[past|Past]]"]
)
def test_a_heading_is_its_words(heading: str) -> None:
    assert titles(f"{heading}\n") == [("", "Past")]


@given(markdown, st.integers(min_value=1, max_value=40))
def test_parts_joined_are_the_text(text: str, limit: int) -> None:
    assert "".join(split_long(text, max_tokens=limit)) == text


words = st.lists(
    st.sampled_from(["a", "bb", "word", "一二三", "x" * 90, "\n", "\n\n", "- ", "🔥", "\u00a0"]), max_size=80
)


@given(st.one_of(markdown, words.map(" ".join), words.map("".join)), st.integers(min_value=1, max_value=30))
def test_no_part_is_longer_than_the_limit(text: str, limit: int) -> None:
    assert all(count_tokens(part) <= limit for part in split_long(text, max_tokens=limit))


def test_a_line_of_one_letter_words_is_cut_within_the_limit() -> None:
    parts = split_long("a " * 3000, max_tokens=500)
    assert max(map(count_tokens, parts)) <= 500
    assert len(parts) == 6


def test_a_long_text_is_cut_at_paragraph_ends() -> None:
    paragraphs = [f"Paragraph {number} " + "word " * 30 + "ends.\n\n" for number in range(6)]
    parts = split_long("".join(paragraphs), max_tokens=90)
    assert len(parts) > 1
    assert all(part.endswith("ends.\n\n") for part in parts)


def test_a_fence_is_not_cut_at_its_blank_lines() -> None:
    fence = "```\none\n\ntwo\n```\n\n"
    text = "word " * 20 + "\n\n" + fence + "word " * 20
    assert any(fence in part for part in split_long(text, max_tokens=30))


def test_a_long_list_is_cut_between_its_items() -> None:
    items = [f"- item {number} {'word ' * 20}\n  goes on\n  - hint: look {number}\n" for number in range(10)]
    parts = split_long("".join(items), max_tokens=100)
    assert len(parts) > 1
    assert all(part.startswith("- item") and part.count("- item") == part.count("hint:") for part in parts)
