"""Markdown -> the words a reader sees: no emphasis, no link targets, no HTML, no comments."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

_WIKILINK = re.compile(r"!?\[\[([^\[\]|#]{1,200})(?:#[^\[\]|]{0,200})?(?:\|([^\[\]]{1,200}))?\]\]")
_COMMENT_OPENS = re.compile(r"%%|<!--")
_COMMENT_CLOSES = {"%%": "%%", "<!--": "-->"}

# Brackets cost the parser quadratic time: a text as long as this is nobody's prose, and keeps its markup.
_MAX_MARKED_UP = 10_000


@cache
def _parser() -> MarkdownIt:
    """The one markdown parser: CommonMark, so that what an author's editor shows is what we read."""
    return MarkdownIt("commonmark")


@cache
def _block_parser() -> MarkdownIt:
    return MarkdownIt("commonmark").disable("inline")


def blocks_of(markdown: str) -> list[Token]:
    """The block tokens of a text: headings, lists, paragraphs; what stands inside a line is not taken apart."""
    return _block_parser().parse(markdown)


def comments_in(markdown: str) -> list[tuple[int, int]]:
    """Start and end of every closed `%%…%%` and `<!--…-->`, in order: what an author writes for themselves."""
    spans: list[tuple[int, int]] = []
    unclosed: set[str] = set()
    for opening in _COMMENT_OPENS.finditer(markdown):
        mark = opening.group()
        if mark in unclosed or (spans and opening.start() < spans[-1][1]):
            continue
        close = markdown.find(_COMMENT_CLOSES[mark], opening.end())
        if close < 0:
            unclosed.add(mark)
        else:
            spans.append((opening.start(), close + len(_COMMENT_CLOSES[mark])))
    return spans


def without_spans(text: str, spans: Sequence[tuple[int, int]], *, start: int = 0) -> str:
    """The text, which stands at `start` of a longer one, without the spans (in order, disjoint) of that.

    Line feeds stay, so that what follows keeps its line.
    """
    kept: list[str] = []
    done = 0
    for first, last in spans[bisect_right(spans, start, key=lambda span: span[1]) :]:
        if first >= start + len(text):
            break
        first = max(first - start, 0)
        kept.append(text[done:first])
        done = min(last - start, len(text))
        kept.append("\n" * text.count("\n", first, done))
    return "".join([*kept, text[done:]])


def plain_text(markdown: str) -> str:
    """The words on one line, whitespace folded; wikilinks as they are shown (`[[viktor|the fixer]]` -> `the fixer`)."""
    said = without_spans(markdown, comments_in(markdown))
    shown = _WIKILINK.sub(lambda link: link.group(2) or link.group(1), said)
    tokens = _parser().parse(shown) if len(shown) <= _MAX_MARKED_UP else blocks_of(shown)
    return " ".join(" ".join(_words(tokens)).split())


def _words(tokens: Iterable[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type == "inline":
            yield "".join(_inline(token.children)) if token.children else token.content
        elif token.type in ("fence", "code_block"):
            yield token.content


def _inline(tokens: Iterable[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type in ("text", "code_inline"):
            yield token.content
        elif token.type in ("softbreak", "hardbreak"):
            yield " "
        elif token.type == "image":
            yield token.content


def wikilinks(markdown: str) -> list[str]:
    """The targets of `[[…]]`, in order, as they are written."""
    return [match.group(1).strip() for match in _WIKILINK.finditer(markdown)]
