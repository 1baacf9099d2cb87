"""A file's body -> sections: H1 and its introduction, then each H2 with everything below it. Nothing is lost.

Headings are taken from markdown-it's tokens, never from how a line looks: `#` in a fence is text, and a title
underlined with `---` is a heading.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

from markdown_it import MarkdownIt
from markdown_it.token import Token

from lorewright.ids import slug
from lorewright.scripts import is_unspaced
from lorewright.tokens import BY_SCRIPT, count_tokens, cut_line

_WIKILINK = re.compile(r"!?\[\[([^\[\]|#]{1,200})(?:#[^\[\]|]{0,200})?(?:\|([^\[\]]{1,200}))?\]\]")
_COMMENT_OPENS = re.compile(r"%%|<!--")
_COMMENT_CLOSES = {"%%": "%%", "<!--": "-->"}

# Returns whether a heading is cut: of the titles above it and its own.
IsCut = Callable[[Sequence[str], str], bool]
# Returns a heading's text without what is no title.
Clean = Callable[[str], str]

# In characters. Brackets cost the parser quadratic time; a longer text is no prose and keeps its markup.
_MAX_MARKED_UP = 10_000


@cache
def _parser() -> MarkdownIt:
    """Return the only markdown parser: CommonMark, so that we read what an author's editor shows."""
    return MarkdownIt("commonmark")


@cache
def _block_parser() -> MarkdownIt:
    return MarkdownIt("commonmark").disable("inline")


def blocks_of(markdown: str) -> list[Token]:
    """Return the block tokens of a text: headings, lists, paragraphs; inline markup is not parsed."""
    return _block_parser().parse(markdown)


def comments_in(markdown: str) -> list[tuple[int, int]]:
    """Return start and end of every closed `%%…%%` and `<!--…-->` (the author's own comments), in order."""
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
    """Return a text, which begins at `start` of a longer one, without the spans (in order, disjoint) of the longer one.

    Line feeds stay, so that the following text keeps its line numbers.
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
    """Return the words that a reader sees, on one line, without emphasis, link targets, HTML and comments; a wikilink
    is its shown text (`[[viktor|the fixer]]` -> `the fixer`)."""
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
    """Return the targets of `[[…]]` as they are written, in order."""
    return [match.group(1).strip() for match in _WIKILINK.finditer(markdown)]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a body between headings. `line` counts from 0 in the body; `heading` is the heading's own source, maybe
    empty.

    `title` is the H1 in force, `subtitle` the section's own title below it, each "" where there is none; `above` are
    the titles between the two, outermost first.
    """

    title: str
    subtitle: str
    line: int
    heading: str
    text: str
    above: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """The section's text in the file, with its heading."""
        return self.heading + self.text


@dataclass(frozen=True, slots=True)
class _Heading:
    level: int
    title: str
    start: int
    end: int


def lines_of(text: str) -> list[str]:
    """Return the lines with their line feeds, split as CommonMark does: at line feeds only."""
    *ended, last = text.split("\n")
    return [line + "\n" for line in ended] + ([last] if last else [])


def split_sections(body: str, tokens: Sequence[Token] | None = None) -> list[Section]:
    """Return the sections of a body, cut at H1 and H2. Their sources joined are the body; an empty body has no section.

    Text above the first heading is a section without titles, if it is more than white space; else it goes with the
    first heading.
    """
    lines = lines_of(body)
    return _sections(lines, [(heading, ()) for heading in _headings(blocks_of(body) if tokens is None else tokens)])


def _headings(tokens: Sequence[Token], *, deepest: int = 2, clean: Clean = str) -> Iterator[_Heading]:
    """Yield the headings at the top level of the document; a heading in a quotation or a list is part of that."""
    for index, token in enumerate(tokens):
        if token.type != "heading_open" or token.level or not token.map or int(token.tag[1]) > deepest:
            continue
        yield _Heading(int(token.tag[1]), plain_text(clean(tokens[index + 1].content)), token.map[0], token.map[1])


@dataclass(frozen=True, slots=True)
class NoteOutline:
    """The headings of a body. All of them down to `level` cut it: the shallowest level below H1 that repeats, or the
    one that is given."""

    headings: tuple[_Heading, ...]
    level: int
    # The number of the first line with words.
    begins: int = 0

    def name(self, written: str, *, deep: bool = True) -> str:
        """Return the title that may be the note's own name: of its first heading, if that is an H1, alone at its level,
        or what is `written` elsewhere as the note's name. Where no heading cuts the note it is one with which the note
        begins, however `deep`."""
        first = next((heading for heading in self.headings if heading.level <= self.level), None)
        if first is None and deep and self.headings and self.headings[0].start == self.begins:
            first = self.headings[0]
        if first is None:
            return ""
        is_alone = sum(heading.level == first.level for heading in self.headings) == 1
        return first.title if first.level == 1 or is_alone or slug(first.title) == slug(written) else ""


def outline_of(
    body: str, tokens: Sequence[Token], hidden: Sequence[tuple[int, int]], clean: Clean, *, level: int | None = None
) -> NoteOutline:
    """Return the headings of a body but for those in the `hidden` ranges; `clean` takes from a heading what is no
    title."""
    lines = lines_of(body)
    starts = [0, *accumulate(map(len, lines))]
    found = [h for h in _headings(tokens, deepest=6, clean=clean) if not is_inside(starts[h.start], hidden)]
    levels = Counter(heading.level for heading in found if heading.level > 1)
    begins = next((number for number, line in enumerate(lines) if line.strip()), 0)
    cut_at = level or min((depth for depth, count in levels.items() if count > 1), default=2)
    return NoteOutline(tuple(found), cut_at, begins)


def cut_by_outline(body: str, outline: NoteOutline, is_cut: IsCut) -> list[Section]:
    """Return the sections of a body, cut at the outline's level and deeper down at each heading that `is_cut` wants: it
    gets the titles above a heading, outermost first, and its own. Their sources joined are the body."""
    over: list[_Heading] = []
    kept: list[tuple[_Heading, tuple[str, ...]]] = []
    deep = 0
    for heading in outline.headings:
        over = [other for other in over if other.level < heading.level]
        titles = tuple(other.title for other in over)
        # What follows a section that was cut deep down is no part of it.
        if heading.level <= max(outline.level, deep) or is_cut(titles, heading.title):
            deep = heading.level if heading.level > outline.level else 0
            kept.append((heading, tuple(other.title for other in over if other.level > 1)))
        over.append(heading)
    return _sections(lines_of(body), kept)


def _sections(lines: Sequence[str], headings: Sequence[tuple[_Heading, tuple[str, ...]]]) -> list[Section]:
    first = headings[0][0].start if headings else len(lines)
    lead = "".join(lines[:first])
    sections = [Section("", "", 0, "", lead)] if lead.strip() else []
    lead = "" if sections else lead
    title = ""
    ends = [*(heading.start for heading, _ in headings[1:]), len(lines)]
    for (heading, above), end in zip(headings, ends, strict=False):
        title = heading.title if heading.level == 1 else title
        subtitle = heading.title if heading.level > 1 else ""
        source = lead + "".join(lines[heading.start : heading.end])
        lead = ""
        text = "".join(lines[heading.end : end])
        sections.append(Section(title, subtitle, heading.start, source, text, above if subtitle else ()))
    return sections


def is_inside(position: int, ranges: Sequence[tuple[int, int]]) -> bool:
    """Return True if an offset lies in one of the ranges, which are in order."""
    at = bisect_right(ranges, position, key=lambda span: span[0]) - 1
    return at >= 0 and ranges[at][0] <= position < ranges[at][1]


def split_long(text: str, *, max_tokens: int, reading: int = BY_SCRIPT) -> list[str]:
    """Return a text cut at paragraph ends into parts of at most `max_tokens`; joined they are the text.

    A list that is too long alone is cut between its items, an item that is still too long at line ends, and a line that
    is too long alone at word ends; in scripts without spaces between words at sentence ends, from version 2 of the
    rules (`reading`) on.
    """
    if count_tokens(text, reading=reading) <= max_tokens:
        return [text]
    return _join_pieces(list(_pieces(text, max_tokens, reading)), max_tokens, reading)


def _pieces(text: str, max_tokens: int, reading: int) -> Iterator[str]:
    for block in _blocks(text):
        if count_tokens(block, reading=reading) <= max_tokens:
            yield block
            continue
        for entry in _blocks(block, items=True):
            if count_tokens(entry, reading=reading) <= max_tokens:
                yield entry
                continue
            for line in lines_of(entry):
                if count_tokens(line, reading=reading) <= max_tokens:
                    yield line
                elif reading >= BY_SCRIPT and is_unspaced(line):
                    yield from cut_line(line, max_tokens)
                else:
                    yield from _cut_words(line, max_tokens)


def _blocks(text: str, *, items: bool = False) -> Iterator[str]:
    """Yield the top-level blocks of a text (with `items` also the items of its lists), each with the blank lines after
    it."""
    lines = lines_of(text)
    tops = [token for token in blocks_of(text) if not token.level or (items and _is_item(token))]
    starts = sorted({token.map[0] for token in tops if token.map} | {0})
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield "".join(lines[start:end])


def _is_item(token: Token) -> bool:
    return token.type == "list_item_open" and token.level == 1


def _cut_words(line: str, max_tokens: int) -> Iterator[str]:
    # This many words and characters stay under the limit by either way of counting tokens.
    room = max_tokens * 2
    start = 0
    for position, character in enumerate(line):
        if (position - start >= room - 2 and character.isspace()) or position - start >= room * 2 - 1:
            yield line[start : position + 1]
            start = position + 1
    yield line[start:]


def _join_pieces(pieces: Sequence[str], max_tokens: int, reading: int) -> list[str]:
    parts: list[str] = []
    current = ""
    for piece in pieces:
        if current and count_tokens(current + piece, reading=reading) > max_tokens:
            parts.append(current)
            current = ""
        current += piece
    return [*parts, current] if current else parts
