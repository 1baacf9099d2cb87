"""Markdown -> the words a reader sees: no emphasis, no link targets, no HTML, no comments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

_WIKILINK = re.compile(r"!?\[\[([^\[\]|#]{1,200})(?:#[^\[\]|]{0,200})?(?:\|([^\[\]]{1,200}))?\]\]")
_COMMENT = re.compile(r"%%.*?%%|<!--.*?-->", re.DOTALL)


@cache
def parser() -> MarkdownIt:
    """The one markdown parser: CommonMark, so that what an author's editor shows is what we read."""
    return MarkdownIt("commonmark")


def plain_text(markdown: str) -> str:
    """The words on one line, whitespace folded; wikilinks as they are shown (`[[viktor|the fixer]]` -> `the fixer`)."""
    shown = _WIKILINK.sub(lambda link: link.group(2) or link.group(1), _COMMENT.sub(" ", markdown))
    return " ".join(" ".join(_words(parser().parse(shown))).split())


def _words(tokens: Iterable[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type == "inline":
            yield "".join(_inline(token.children or ()))
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
