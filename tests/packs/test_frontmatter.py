"""A file's bytes are taken apart without an exception: frontmatter, body, and what was wrong with them."""

from __future__ import annotations

import unicodedata

import frontmatter
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lorewright.packs import bounded_yaml
from lorewright.packs.bounded_yaml import YamlProblem
from lorewright.packs.files import MAX_FRONTMATTER_BYTES
from lorewright.packs.frontmatter import BoundedYAMLHandler, SourceFile, read_source
from support.pack_builder import codes


def read(text: str | bytes) -> SourceFile:
    return read_source("a.md", text if isinstance(text, bytes) else text.encode())


pieces = st.sampled_from(
    [
        "---\n",
        "--- \n",
        "...\n",
        "id: a\n",
        "a: b: c\n",
        "[x\n",
        "text\n",
        "\n",
        "\r\n",
        "\r",
        "\0",
        "\ufeff",
        "<!-- a -->",
        "+++\n",
    ]
    + ["\x1b[31m", "# A\n", "- x\n", "id: 'x\n", '{"a": 1}\n', "***\n", " "]
)


@given(st.one_of(st.binary(max_size=80), st.lists(pieces, max_size=12).map(lambda found: "".join(found).encode())))
@example(b"---")
@example(b"---\n---")
@example(b"<!-- a -->" * 60 + b"x")
@example(b"---\n" + b"a" * 50_000 + b"\n\n---\n")
def test_any_bytes_are_read_or_skipped_with_a_finding(data: bytes) -> None:
    source = read_source("a.md", data)
    assert not source.skip or codes(source.findings)
    assert 1 <= source.body_line <= data.count(b"\n") + data.count(b"\r") + 1
    assert all(c in "\n\t" or unicodedata.category(c) != "Cc" for c in source.body)


def test_frontmatter_and_body_are_told_apart() -> None:
    source = read("---\nid: bar\ntags: [a]\n---\n\n# Bar\n")
    assert source.metadata == {"id": "bar", "tags": ["a"]}
    assert (source.body, source.body_line) == ("\n# Bar\n", 5)
    assert source.key_lines == {"id": 2, "tags": 3}
    assert source.findings == ()


@pytest.mark.parametrize("end", ["---", "---   ", "...", "---\t"])
def test_each_of_these_ends_the_frontmatter(end: str) -> None:
    assert read(f"---\nid: bar\n{end}\ntext").body == "text"


@pytest.mark.parametrize(
    "text", ["---\r\nid: bar\r\n---\r\ntext", "---\rid: bar\r---\rtext", "\ufeff---\nid: bar\n---\ntext"]
)
def test_other_line_ends_and_a_byte_order_mark_are_read_alike(text: str) -> None:
    source = read(text)
    assert (source.metadata, source.body) == ({"id": "bar"}, "text")


def test_bare_carriage_returns_are_told() -> None:
    assert "cr-only" in codes(read("---\rid: a\r---\r").findings)


def test_an_empty_frontmatter_has_no_keys() -> None:
    source = read("---\n---\ntext")
    assert (source.metadata, source.body, source.has_frontmatter) == ({}, "text", True)


@pytest.mark.parametrize(
    "text", ["# Bar\n", "text", "---\n\nA rule, then text.\n\n---\n\nMore.\n", "----\nid: a\n----\n"]
)
def test_without_frontmatter_everything_is_body(text: str) -> None:
    source = read(text)
    assert (source.metadata, source.body, source.skip) == ({}, text, False)
    assert codes(source.findings) == {"missing-frontmatter"}


@pytest.mark.parametrize("text", ["+++\nid = 'a'\n+++\n", '{"id": "a"}\ntext'])
def test_other_kinds_of_frontmatter_are_text_and_told(text: str) -> None:
    source = read(text)
    assert source.body == text
    assert codes(source.findings) == {"unsupported-frontmatter"}


@pytest.mark.parametrize("before", ["\n\n", "<!-- note -->\n", "  \n<!-- a -->\n<!-- b -->\n"])
def test_frontmatter_below_blank_lines_or_comments_is_read_and_told(before: str) -> None:
    source = read(before + "---\nid: bar\n---\ntext")
    assert source.metadata == {"id": "bar"}
    assert codes(source.findings) == {"frontmatter-not-first"}
    assert source.key_lines["id"] == before.count("\n") + 2


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("---\nid: bar\n", "unterminated-frontmatter", 1),
        ("---\nid: bar\nx: a: b\n---\n", "invalid-yaml", 3),
        ("---\nid: &a bar\n---\n", "yaml-alias-bomb", 2),
        ("---\nid: !!python/name:os.system x\n---\n", "unsafe-yaml-tag", 2),
        ("---\n- id: bar\n---\n", "frontmatter-not-mapping", 2),
        (b"\xff\xfei\0d\0", "not-utf8", 1),
        (b"# A\n\n\xe9t\xe9\n", "not-utf8", 3),
        (b"# A\n\nx\0y\n", "nul-byte", 3),
    ],
)
def test_a_file_that_cannot_be_read_as_meant_is_skipped(text: str | bytes, code: str, line: int) -> None:
    source = read(text)
    (finding,) = source.findings
    assert source.skip
    assert (finding.severity, finding.code, finding.line) == ("error", code, line)


def test_an_unquoted_colon_is_told_with_its_mending() -> None:
    (finding,) = read("---\ntitle: Bar: the end\n---\n").findings
    assert "quotes" in finding.hint
    assert finding.column == 11


def test_a_key_that_comes_twice_is_told_on_its_line() -> None:
    source = read("---\nid: a\nid: b\n---\ntext")
    (finding,) = source.findings
    assert (finding.severity, finding.code, finding.line) == ("warning", "duplicate-yaml-key", 3)
    assert source.metadata == {"id": "b"}


def test_frontmatter_over_the_limit_is_left_out_and_the_body_kept() -> None:
    source = read("---\nx: " + "a" * MAX_FRONTMATTER_BYTES + "\n---\ntext")
    assert (source.metadata, source.body) == ({}, "text")
    assert codes(source.findings) == {"frontmatter-too-large"}


def test_control_characters_are_left_out_and_told_on_their_line() -> None:
    source = read("---\nid: a\n---\nred \x1b[31malert\x9b\n")
    assert source.body == "red [31malert\n"
    assert [(finding.code, finding.line) for finding in source.findings] == [("control-chars", 4)]


def test_the_handler_reads_a_post_for_python_frontmatter_within_our_bounds() -> None:
    post = frontmatter.loads("<!-- a -->\n---\nid: bar\nopen: no\n...\n\n# Bar\n", handler=BoundedYAMLHandler())
    assert (post.metadata, post.content) == ({"id": "bar", "open": "no"}, "# Bar")
    with pytest.raises(YamlProblem):
        frontmatter.loads("---\na: &a x\nb: *a\n---\n", handler=BoundedYAMLHandler())


@pytest.mark.parametrize("text", ["", "# Bar", "Bar\nid: x\n---\n", "---\nid: bar\n", "---\nSaid.\n\nDone.\n---\n"])
def test_the_handler_splits_no_text_without_whole_frontmatter(text: str) -> None:
    with pytest.raises(ValueError, match="frontmatter"):
        BoundedYAMLHandler().split(text)
    assert frontmatter.loads(text, handler=BoundedYAMLHandler()).metadata == {}


def test_the_yaml_of_a_file_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    class Noting(bounded_yaml._Loader):
        def __init__(self, text: str, max_nodes: int) -> None:
            read.append(text)
            super().__init__(text, max_nodes)

    monkeypatch.setattr(bounded_yaml, "_Loader", Noting)
    text = "id: once_only\nlore:\n  priority: 2\n"
    assert read_source("a.md", f"---\n{text}---\n".encode()).key_lines["lore.priority"] == 4
    assert read == [text]
