"""Someone's text stays inside the section that it was put in."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lorewright.formats.imported import contain_in_section, heading
from lorewright.packs.markdown.chunking import comments_in, split_sections

markdown_like = st.lists(
    st.sampled_from(["# a", "## b", "### c", "---", "===", "```", "~~~~", "<!--", "-->", "%%", "<pre>", "<div>", "> q"])
    | st.sampled_from(
        ["- i", "  # x", "    code", "", " ", "text", "<?", "<!X", "<![CDATA[", "1. n", "#", "\t# t", "* * *"]
    ),
    max_size=12,
).map("\n".join)


def titles(text: str) -> list[tuple[str, str]]:
    body = f"# Name\n\n{contain_in_section(text)}\n\n## Next\n\nafter\n"
    return [(section.title, section.subtitle) for section in split_sections(body)]


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


@given(st.one_of(st.text(max_size=60), markdown_like))
@example("Title\n===\n\nSub\n---\ntext")
@example("a\n===\n---\n===\n---")
@example("```\n# not a heading")
@example("<pre>\n# text")
@example("<!-- open")
@example("%%%")
def test_a_text_neither_cuts_its_section_nor_swallows_the_next(text: str) -> None:
    text = text.replace("\r", "")
    assert titles(text) == [("Name", ""), ("Name", "Next")]
    assert words(contain_in_section(text)) == words(text)


@given(markdown_like)
def test_what_is_contained_stays_as_it_is(text: str) -> None:
    once = contain_in_section(text)
    if not once.startswith(">"):
        assert contain_in_section(once) == once


@given(markdown_like, markdown_like)
def test_a_comment_never_reaches_from_one_text_into_another(one: str, other: str) -> None:
    first, second = contain_in_section(one), contain_in_section(other)
    together = comments_in(f"{first}\n\n{second}")
    assert all(end <= len(first) or start >= len(first) for start, end in together)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Top\nx\n## Below\ny", "### Top\nx\n#### Below\ny"),
        ("before\n# Mid\n", "before\n### Mid"),
        ("###### Low\n# Top", "###### Low\n### Top"),
        ("a\n---\nb", "a\n\n---\nb"),
        ("#hashtag", "#hashtag"),
        ("### fine", "### fine"),
        ("```\n# comment\n```", "```\n# comment\n```"),
        ("```\ncode", "```\ncode\n```"),
        ("100%% sure", "100%\\% sure"),
        ("plain", "plain"),
        ("<pre>\nopen", "> <pre>\n> open"),
    ],
)
def test_only_what_must_change_is_changed(text: str, expected: str) -> None:
    assert contain_in_section(text) == expected


@given(st.text(min_size=1, max_size=40).map(lambda text: " ".join(text.split())).filter(bool))
@example("C# and F #")
@example("*The* [[Dragon]] <b>bar</b> &amp; `more` \\o/")
@example("<!-- x -->")
@example("%%")
@example("#")
def test_a_heading_reads_as_the_name_to_the_letter(name: str) -> None:
    if any(not character.isprintable() for character in name):
        return
    sections = split_sections(heading(name, level=1))
    assert [section.title for section in sections] == [name]
