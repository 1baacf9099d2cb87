"""Someone's text -> markdown that stays inside its section: no heading that cuts it, no fence that runs on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown_it.token import Token

from lorewright.packs.chunking import lines_of, split_sections
from lorewright.packs.plain import blocks_of, comments_in

_PROBE = "probe"
_PASSES = 3
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
_PERCENTS = re.compile(r"%(?=%)")
# Only a line that begins so can be a heading, underline one, or open what does not end by itself.
_MAY_RUN_ON = re.compile(r"^ {0,3}(?:[#=<]|`{3}|~{3}|-+[ \t]*$)", re.MULTILINE)
_HASHES = re.compile(r"( {0,3})(#{1,6})(?!#)")


def contained(text: str) -> str:
    """The text so that it is one section wherever it stands: what follows it is not part of it, nor it of that.

    Headings go down by two levels, a line of dashes below a text becomes a rule of its own, a fence left open is
    closed. What can be held in no other way becomes a quotation.
    """
    text = _without_open_comments(text).strip("\n")
    if not _MAY_RUN_ON.search(text):
        return text
    mended = _demoted(text)
    for _ in range(_PASSES):
        if _is_contained(mended):
            return mended
        mended = _closed(_demoted(mended))
    return mended if _is_contained(mended) else "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def heading(name: str, *, level: int) -> str:
    """A heading that reads as the name, to the letter: punctuation is escaped only where markdown would take it."""
    sections = split_sections(f"# {name}\n")
    if len(sections) != 1 or sections[0].title != name:
        name = _PUNCTUATION.sub(lambda mark: f"\\{mark.group()}", name)
    return f"{'#' * level} {name}\n"


def _is_contained(text: str) -> bool:
    """Whether a heading after the text is seen as one, and nothing in it is."""
    sections = split_sections(f"# {_PROBE}\n\n{text}\n\n## {_PROBE}\n")
    return [(section.title, section.subtitle) for section in sections] == [(_PROBE, ""), (_PROBE, _PROBE)]


def _demoted(text: str) -> str:
    lines = lines_of(text)
    for token in _headings(blocks_of(text)):
        first, last = token.map or (0, 0)
        if token.markup.startswith("#"):
            lines[first] = _HASHES.sub(_two_lower, lines[first], count=1)
        elif token.tag in ("h1", "h2"):
            lines[last - 1] = "\n" + lines[last - 1]
    return "".join(lines)


def _headings(tokens: list[Token]) -> Iterator[Token]:
    """The headings that would cut a section, and the lower ones, which go down with them."""
    tops = [token for token in tokens if token.type == "heading_open" and not token.level and token.map]
    return iter(tops if any(token.tag in ("h1", "h2") for token in tops) else [])


def _two_lower(marks: re.Match[str]) -> str:
    return f"{marks.group(1)}{marks.group(2)}##"[: len(marks.group(1)) + 6]


def _closed(text: str) -> str:
    """The text with its last fence closed, if that is what runs on."""
    tokens = blocks_of(text)
    last = tokens[-1] if tokens else None
    return f"{text}\n{last.markup}" if last is not None and last.type == "fence" else text


def _without_open_comments(text: str) -> str:
    """`%%` is no comment where the text comes from, and a comment that does not end would hide what follows."""
    text = _PERCENTS.sub(r"%\\", text)
    spans = comments_in(text)
    end = spans[-1][1] if spans else 0
    return text[:end] + text[end:].replace("<!--", r"<\!--")
