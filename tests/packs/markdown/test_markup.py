"""Whatever is written around the words of a section, a player reads the words: no target, title, tag or file name."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lorewright.packs.markdown.chunking import comments_in
from lorewright.packs.markdown.markup import apply_edits
from lorewright.packs.models import PackEntity
from lorewright.packs.references import Links
from support.scale import scaled
from support.veiled_pack import MASK, WAYS

HIDDEN = PackEntity(f"inn:{MASK.id}", "npc", MASK.name, f"npcs/{MASK.id}.md", aliases=("the killer",))
OSK = PackEntity("inn:osk", "npc", "Osk", "npcs/osk.md", aliases=("the landlord",))
LINKS = Links("inn", [HIDDEN, OSK], hidden={HIDDEN.id}, closed=True)


def told(text: str) -> str:
    return apply_edits(text, LINKS.edits(text, "locations/inn.md", comments=comments_in(text)))


@pytest.mark.parametrize("way", WAYS)
def test_no_way_of_pointing_at_somebody_hidden_tells_who_it_is(way: str) -> None:
    text = WAYS[way].format(id=MASK.id, w=MASK.word, name=MASK.name)
    for around in ("{}", "Before.\n\n{}\n\nAfter.", "> {}", "- {}", "**x** {}"):
        read = told(around.format(text)).casefold()
        assert not [mark for mark in MASK.marks if mark in read]


@pytest.mark.parametrize("way", WAYS)
def test_a_text_that_is_cut_in_the_middle_tells_no_more(way: str) -> None:
    text = WAYS[way].format(id=MASK.id, w=MASK.word, name=MASK.name)
    edits = LINKS.edits(text, "locations/inn.md", comments=comments_in(text))
    for end in range(len(text)):
        parts = apply_edits(text[:end], edits) + apply_edits(text[end:], edits, start=end)
        assert parts == apply_edits(text, edits)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("[[osk]], [[Osk|him]], [[the landlord]] and [Osk](../npcs/osk.md)", "osk, him, the landlord and Osk"),
        ("[the web](https://example.com 'x') and <https://example.com>", "the web and https://example.com"),
        ("[[Waterdeep]] and [a place](../x/nowhere.md)", "Waterdeep and a place"),
        ("[x [1]] and [sic] and a[0] < b and c > 3 <3", "[x [1]] and [sic] and a[0] < b and c > 3 <3"),
        ("- [ ] a task\n- [x] done", "- [ ] a task\n- [x] done"),
        ("[Osk]: hello, and welcome", "[Osk]: hello, and welcome"),
        ("**bold** and *it* and `code` at 10:30, 3/4 of it", "**bold** and *it* and `code` at 10:30, 3/4 of it"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "| a | b |\n|---|---|\n| 1 | 2 |"),
        ("He said \\[nothing\\].", "He said [nothing]."),
        ("a <em>word</em> here", "a word here"),
        (f"A guest sits. ^{MASK.id}", "A guest sits. "),
    ],
)
def test_what_a_reader_is_shown_stays(text: str, read: str) -> None:
    assert told(text) == read


WORDS = st.sampled_from(["the guest", "here", "a (b) c", "x*y*", "", "two\nlines", "ä"])
SECRET = st.sampled_from([MASK.id, f"../npcs/{MASK.id}.md", f"npcs/{MASK.id}", f"inn:{MASK.id}", f"{MASK.id}.md"])
TITLE = st.sampled_from(["", f' "{MASK.word}"', f" '{MASK.word}'", f" ({MASK.word})", f'\n"{MASK.word} a\nb"'])


@st.composite
def links(draw: st.DrawFn, depth: int = 2) -> str:
    words = draw(links(depth=depth - 1)) if depth and draw(st.booleans()) else draw(WORDS)
    target, title = draw(SECRET), draw(TITLE)
    made = draw(
        st.sampled_from(
            [
                f"[{words}]({target}{title})",
                f"[{words}](<{target}>{title})",
                f"![{MASK.word}]({target}{title})",
                f"[[{target}|{words}]]",
                f"[[{target}]]",
                f"![[{target}]]",
                f'<span title="{MASK.word}" data-x={MASK.id}>{words}</span>',
                f"<!-- {MASK.word} -->{words}",
                f"%%{MASK.word}%%{words}",
                f"[{words}][{MASK.word}]",
                f"{words}[^{MASK.word}]",
            ]
        )
    )
    return draw(st.sampled_from(["{}", "*{}*", "`{}`", "> {}", "- {}", "| {} |", "x {} y", "\n\n{}\n\n"])).format(
        made.replace("{", "").replace("}", "")
    )


@settings(max_examples=scaled(15), deadline=None)
@given(st.lists(links(), min_size=1, max_size=4).map(" and ".join))
@example(f"[a [[{MASK.id}]] b](../npcs/{MASK.id}.md '{MASK.word}')")
@example(f'[[[{MASK.id}|[[{MASK.id}|the guest]]]]]({MASK.id} "{MASK.word}")')
def test_no_nest_of_links_tells_what_stands_behind_it(text: str) -> None:
    read = told(text).casefold()
    assert not [mark for mark in MASK.marks if mark in read], (text, read)


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="[]()<>!|\\`\"'=# \n^:{}%ab.m/_-", max_size=80))
def test_any_text_is_read_without_an_error_and_its_edits_are_in_order(text: str) -> None:
    edits = LINKS.edits(text, "a.md", comments=comments_in(text))
    assert all(edit.start <= edit.end for edit in edits)
    assert all(one.end <= other.start for one, other in pairwise(edits))


def test_a_text_of_brackets_takes_no_time_to_speak_of() -> None:
    for sign in ("[", "[[", "]", "<a ", "![", "](", '<a x="', "[a](", "\\[", "{{", "[^", "a_", "x.md ", "<!--", "(("):
        assert len(told(sign * (3_000 // len(sign)))) <= 10_000
