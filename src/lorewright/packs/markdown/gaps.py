"""A text and the spans that are cut out of it -> the edits after which it reads as if they had never been written.

A paragraph of its own leaves the blank lines on one side of it, an item of a list its neighbours as they stood, words
within a line one space. Only what touches a span is taken along: all else stays byte for byte.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from markdown_it.token import Token

from lorewright.packs.markdown.chunking import blocks_of, lines_of
from lorewright.packs.markdown.markup import Edit

_BLANK_LINES = re.compile(r"(?:[ \t\r]*(?:>[ \t\r]*)*\n)*")
_BLANK_LINE = re.compile(r"[ \t\r]*(?:>[ \t\r]*)*")
_BLANK_QUOTE = re.compile(r"[ \t]*(?:>[ \t\r]*)+")
# What may stand before words on their line without being any: marks of quotations and items, a box, a heading's signs.
_MARKS = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)(?:\[[ xX]\](?:[ \t]+|$))?|#{1,6}(?:[ \t]+|$))*")
_QUOTED = re.compile(r"[ \t]*>")
_INDENT = re.compile(r"[ \t]*")
_QUOTED_BELOW = re.compile(r"[ \t\r]*\n(?:[ \t\r>]*\n)*[ \t]*>[ \t>]*[^\s>]")
_NUMBER = re.compile(r"[ \t>]*(?:[-*+][ \t]+)*(\d{1,9})[.)](?=[ \t\r\n]|$)")
_NUMBERED = re.compile(r"^[ \t>]*(?:[-*+][ \t]+)*\d{1,9}[.)](?:[ \t]|$)", re.MULTILINE)
_SPACES = " \t"
# In characters: so much of what stands before a span, and after it on its line, is looked at.
_SEEN = 2_000
_CLOSING = frozenset(",.;:!?)]}»”’…，。；：！？）」』】")
_OPENING = frozenset("([{«“‘„（「『【")


def close_gaps(text: str, spans: Iterable[tuple[int, int]]) -> list[Edit]:
    """Return the edits that take spans (in order, disjoint) out of a text, in order, without overlaps: none of them
    adds anything but the numbers of the items after one that is gone."""
    output, position = _Output(text), 0
    for start, end in spans:
        first, last = _trimmed(text, start, end)
        if last > max(first, position):
            output.keep(position, first)
            position = _skip(output, text, max(first, position), last)
    output.keep(position, len(text))
    edits = output.removals()
    return sorted([*edits, *_renumbered(text, edits)]) if edits and _NUMBERED.search(text) else edits


def edits_within(edits: Sequence[Edit], start: int, end: int) -> list[Edit]:
    """Return what edits of a text do to a stretch of it, by offsets in the stretch. What is inserted is inserted where
    an edit begins."""
    first = bisect_right(edits, start, key=lambda edit: edit.end) if start else 0
    found = []
    for edit in edits[first:]:
        if edit.start >= end:
            break
        said = edit.text if edit.start >= start else ""
        found.append(Edit(max(edit.start, start) - start, min(edit.end, end) - start, said))
    return found


def lines_of_origin(text: str, edits: Sequence[Edit]) -> list[int]:
    """Return for each line of an edited text the line of the text, from 0, on which its first character stands. The
    edits insert no line feeds."""
    origins: list[int] = []
    line, done, begins = 0, 0, True
    for edit in (*edits, Edit(len(text), len(text), "")):
        for piece in lines_of(text[done : edit.start]):
            if begins:
                origins.append(line)
            begins = piece.endswith("\n")
            line += begins
        if edit.text and begins:
            origins.append(line)
            begins = False
        line += text.count("\n", edit.start, edit.end)
        done = edit.end
    return origins


class _Output:
    """The stretches of a text that are kept, from its beginning on, and as much of their end as is looked at."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._kept: list[tuple[int, int]] = []
        self._end = ""
        self._line_end = -1

    def end_of_line(self, offset: int) -> int:
        """Return where the text's line ends on which an offset stands; the offsets that are asked for only grow."""
        if self._line_end < offset:
            feed = self._text.find("\n", offset)
            self._line_end = feed if feed >= 0 else len(self._text)
        return self._line_end

    def keep(self, start: int, end: int) -> None:
        """Add a stretch of the text."""
        if end > start:
            self._kept.append((start, end))
            self._end = f"{self._end}{self._text[max(start, end - _SEEN) : end]}"[-_SEEN:]

    def drop(self, count: int) -> None:
        """Take the last characters away again."""
        self._end = self._end[: len(self._end) - count]
        while count > 0:
            start, end = self._kept.pop()
            if end - start > count:
                self._kept.append((start, end - count))
            count -= end - start

    def line(self) -> str:
        """Return what stands on the last line, or the end of it."""
        return self._end.rpartition("\n")[2]

    def blank_lines(self) -> tuple[list[str], str]:
        """Return the blank lines at the end, in order, and the line before them; "" where there is none. The last line
        must have ended."""
        lines = self._end.split("\n")[:-1]
        kept = next((n for n in range(len(lines), 0, -1) if not _BLANK_LINE.fullmatch(lines[n - 1])), 0)
        return [f"{line}\n" for line in lines[kept:]], lines[kept - 1] if kept else ""

    def removals(self) -> list[Edit]:
        """Return the edits that remove all that is not kept."""
        edits, done = [], 0
        for start, end in [*self._kept, (len(self._text), len(self._text))]:
            if start > done:
                edits.append(Edit(done, start, ""))
            done = end
        return edits


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span without the white space at its ends, and without the blank lines of a quotation that goes on."""
    said = text[start:end]
    start += len(said) - len(said.lstrip())
    end = start + len(said.strip())
    if _QUOTED_BELOW.match(text, end):
        while (line := text.rfind("\n", start, end) + 1) > start and _BLANK_QUOTE.fullmatch(text, line, end):
            end = line - 1
    return start, end


def _skip(output: _Output, text: str, start: int, end: int) -> int:
    """Mend the output for a span that is left out, and return where the text goes on."""
    line_end = output.end_of_line(end)
    before, after = output.line(), text[end : min(line_end, end + _SEEN)]
    has_no_words = _MARKS.fullmatch(before) is not None
    if not after.strip():
        if has_no_words and not _goes_on(text, line_end, before):
            output.drop(len(before))
            return _leave_one_gap(output, text, min(line_end + 1, len(text)))
        output.drop(len(before) - len(before.rstrip(_SPACES)))
        return end if after.startswith("  ") and not has_no_words else line_end
    spaces = len(after) - len(after.lstrip(_SPACES))
    if not before.strip():
        return end + spaces
    gap = len(before) - len(before.rstrip(_SPACES))
    if has_no_words and gap:
        return end + spaces
    if gap:
        is_closed = not spaces and after[0] in _CLOSING
        output.drop(gap if is_closed else gap - 1)
        return end + spaces
    return end + (spaces if before[-1] in _OPENING else max(0, spaces - 1))


def _goes_on(text: str, line_end: int, marks: str) -> bool:
    """Tell whether an item of which only the marks are left has more text on the lines below."""
    said = marks.lstrip(" \t>")
    if not said or said.startswith("#"):
        return False
    lead = marks[: len(marks) - len(said)]
    indent = lead.rpartition(">")[2]
    at = _end_of(_BLANK_LINES, text, min(line_end + 1, len(text)))
    for _ in range(lead.count(">")):
        at = _end_of(_QUOTED, text, at)
    words = _end_of(_INDENT, text, at)
    return words < len(text) and words - at > len(indent)


def _leave_one_gap(output: _Output, text: str, position: int) -> int:
    """Keep, of the blank lines before and after whole lines that are gone, those of one side; return where the text
    goes on."""
    above, previous = output.blank_lines()
    further = _end_of(_BLANK_LINES, text, position)
    below = text[position:further].splitlines(keepends=True)
    if _BLANK_LINE.fullmatch(text, further) or not previous:
        # Nothing stands on one side, so nothing is kept apart.
        output.drop(sum(map(len, above)) if previous else 0)
        return further
    is_quoted = all(_QUOTED.match(line, at) for line, at in ((previous, 0), (text, further)))
    sides = [side for side in (above, below) if side and any(">" in line for line in side) == is_quoted]
    sides = sides or [side for side in (above, below) if side and not any(">" in line for line in side)]
    kept = min(sides, key=len, default=[])
    if kept is not above:
        output.drop(sum(map(len, above)))
    return position if kept is below and kept else further


def _end_of(pattern: re.Pattern[str], text: str, position: int) -> int:
    found = pattern.match(text, position)
    return position if found is None else found.end()


def _renumbered(text: str, removals: Sequence[Edit]) -> Iterator[Edit]:
    """Yield the edits by which the numbers of a list go on without a gap where items of it are gone."""
    starts = [edit.start for edit in removals]

    def is_gone(offset: int) -> bool:
        place = bisect_right(starts, offset) - 1
        return place >= 0 and offset < removals[place].end

    for numbers in _numbered_lists(text):
        counted = [int(text[start:end]) for start, end in numbers]
        # By how much the next numbers are too high: those that count on from one that is gone.
        too_high = 0
        for index, (start, end) in enumerate(numbers):
            if index and counted[index] != counted[index - 1] + 1:
                too_high = 0
            if is_gone(start):
                too_high += 1
            elif too_high:
                yield Edit(start, end, str(counted[index] - too_high))


def _numbered_lists(text: str) -> Iterator[list[tuple[int, int]]]:
    """Yield for each numbered list of a text where the numbers of its items stand."""
    line_starts = [0, *(found.end() for found in re.finditer("\n", text))]
    lists: list[list[Token]] = []
    for token in blocks_of(text):
        if token.type == "ordered_list_open":
            lists.append([])
        elif token.type == "ordered_list_close":
            found = [_NUMBER.match(text, line_starts[item.map[0]]) for item in lists.pop() if item.map]
            spans = [match.span(1) for match in found if match]
            if spans and len(spans) == len(found) == len(set(spans)):
                yield spans
        elif token.type == "bullet_list_open":
            lists.append([])
        elif token.type == "bullet_list_close":
            lists.pop()
        elif token.type == "list_item_open" and lists:
            lists[-1].append(token)
