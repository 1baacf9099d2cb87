"""Keys of entries: words, and patterns that are written as JavaScript writes them, in a time that is bounded."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.packs.key_patterns import MAX_KEY_CHARS, MAX_PATTERN_SIZE, read_key
from support.pack_builder import loaded


@pytest.mark.parametrize(
    ("key", "text", "found"),
    [
        ("dragon", "a Dragon!", "dragon"),
        ("dragon", "dragons", None),
        ("光晶", "光晶石怎么充能", "光晶"),
        ("/dragons?/", "two dragons", "dragons"),
        ("/dragons?/", "Two Dragons", None),
        ("/dragons?/gi", "Two Dragons", "Dragons"),
        (r"/\bfire\b/", "campfire", None),
        ("/a.b/", "a\nb", None),
        ("/a.b/s", "a\nb", "a b"),
        ("/^b/", "a\nb", None),
        ("/^b/m", "a\nb", "b"),
        (r"/and\/or/", "this and/or that", "and/or"),
        (r"/\u9f8d|\u{9f99}/u", "一条龙", "龙"),
        (r"/x[^]y/", "x\ny", "x y"),
        (r"/\p{Han}+/u", "the 龍王 sleeps", "龍王"),
        ("/(?<beast>wyrm)/", "a wyrm", "wyrm"),
        ("/a*/", "bbb", None),
    ],
)
def test_a_key_says_what_of_a_text_it_matches(key: str, text: str, found: str | None) -> None:
    assert read_key(key).find(text) == found


@pytest.mark.parametrize(
    "key",
    ["", "…", "/(/", "/(?=a)b/", r"/(a)\1/", "/a/x", "/a/ii", "/a/b/", "/[/", r"/\u12/", "x" * (MAX_KEY_CHARS + 1)]
    + [f"/{'(' * 249}{')' * 249}", r"/(?:[\w\W]{1,1000}){9}/", "/(?:a{1,1000}){1,1000}/", "/\ud800/"],
)
def test_a_key_that_cannot_be_looked_for_is_a_value_error(key: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        read_key(key)


@given(st.text(max_size=60), st.sampled_from(["", "i", "g", "gimsuy"]), st.text(max_size=200))
def test_whatever_a_pattern_is_it_is_refused_or_answers(body: str, flags: str, text: str) -> None:
    try:
        key = read_key(f"/{body}/{flags}")
    except ValueError:
        return
    assert key.size <= MAX_PATTERN_SIZE
    assert key.find(text) is None or key.find(text)


@pytest.mark.parametrize("pattern", ["/(a+)+$/", "/(a|a)*b/", "/(.*)*x/", r"/([a-z]+)*\d/", "/(a?){300}a{300}b/"])
def test_a_pattern_that_others_hang_on_is_quick(pattern: str) -> None:
    key = read_key(pattern)
    began = time.process_time()
    assert key.find("a" * 4000 + "!") is None
    assert time.process_time() - began < 0.5


def test_a_pattern_that_cannot_be_read_is_a_finding_with_its_line(tmp_path) -> None:  # type: ignore[no-untyped-def]
    text = '---\nid: storm\ntype: event\nlore:\n  keys: [gale]\n  not any: ["/(/"]\n---\n\n# Storm\n\nIt comes.\n'
    pack = loaded(tmp_path, {"storm.md": text})
    (finding,) = (finding for finding in pack.findings if finding.code == "bad-entry-rule")
    assert (finding.file, finding.line) == ("storm.md", 6)
    assert "not any is a pattern that cannot be read (missing ): (): /(/" in finding.message
    (chunk,) = pack.chunks
    assert chunk.rules is not None
    assert (chunk.rules.keys, chunk.rules.not_any) == (("gale",), ())
