"""Markdown -> edits that leave only the words that a reader sees.

What an author's editor does not show (targets and titles of links, images, tags, definitions, names of footnotes and
blocks) is removed, well formed or not: anything that looks like hidden markup counts as such, in code and behind a
backslash as well. A callback gives the text of a link. The edits are positions in the text, so that a text may be cut
afterwards, even in the middle of a link.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Edit(NamedTuple):
    """A replacement: `text` instead of everything from `start` to `end`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class MarkupLink:
    """A link: its target as it is written, and its label, "" if it shows only its target. `is_path`: the target is a
    file or an address, as in `[Osk](people/osk.md)`; else a name, as in `[[Osk]]`."""

    target: str
    label: str
    is_path: bool


# Returns the replacement of a reference; None if it is to stay as it is written.
Shown = Callable[[MarkupLink], str | None]
# Returns the replacement of a word that may be a file's name (`is_file`) or an ID; None if it is an ordinary word.
Word = Callable[[str, bool], str | None]

_WEB = re.compile(r"(?:https?|mailto):", re.IGNORECASE)
_BLANK = re.compile(r"\n[ \t>]*\n")
_ESCAPED = re.compile(r"\\(?=[\[\]()<>])")
_OPENS = re.compile(r"!?\[\[|\^\[|!?\[|\]|<(?=[A-Za-z/!?.\\_#:~%])|\{\{|\{%|\{:|\{(?=[.#])|\n")
_ITEM_NAME = re.compile(r"\{#[A-Za-z0-9][\w-]{0,60}\}")
_TAG_NAME = re.compile(r"</?([A-Za-z][\w:-]{0,40})")
_IN_TAG = re.compile(r"""["'<>]""")
_VALUE = re.compile(r""""[^"]*"|'[^']*'""")
_HIDDEN = re.compile(r"\shidden(?![\w-])", re.IGNORECASE)
_NOT_DISPLAYED = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_UNSEEN_TAGS = frozenset({"script", "style", "template", "title", "head", "noscript", "object", "iframe"})
_GAP = r"[ \t]*(?:\n[ \t>]*)?"
_TITLE = r"""(?:"[^"]{0,2000}"|'[^']{0,2000}'|\([^()]{0,2000}\))"""
_TARGET = re.compile(
    rf"\({_GAP}(?P<to><[^<>\n]{{0,2000}}>|(?:[^()\s<>]|\([^()\s<>]{{0,500}}\)){{0,2000}})"
    rf"(?:[ \t\n>]+{_TITLE})?{_GAP}\)"
)
_BRACKET = re.compile(r"[\[\]]")
# In characters: how far the closing brackets of a wikilink are searched one by one.
_NEAR = 600
_FIRST_WORD = re.compile(r"\(\s*\S*")
_BLANKS = re.compile(r"\s")
_QUOTE = re.compile(r"""["'<]""")
_DEFINITION = re.compile(
    rf"^(?P<before>[ \t>]*(?:(?:[-*+]|\d{{1,9}}[.)])[ \t]+)?)\[(?P<name>(?!\^)[^\[\]]{{1,500}})\]:{_GAP}"
    rf"(?P<to><[^<>\n]{{0,2000}}>|[^\s<>]\S{{0,2000}})(?P<title>{_GAP}{_TITLE})?(?P<rest>[^\n]*)",
    re.MULTILINE,
)
_ABBREVIATION = re.compile(r"^[ \t>]*\*\[[^\[\]\n]{1,500}\]:[^\n]*", re.MULTILINE)
_FOOTNOTE = re.compile(r"\[\^[^\[\]\n]{0,200}\](?::[ \t]?)?")
_BLOCK_ID = re.compile(r"(?:^|(?<=[ \t]))\^[A-Za-z0-9_-]+[ \t]*$", re.MULTILINE)
_CALLOUT = re.compile(r"\[![^\[\]\n]{1,100}\][-+]?")
_BOX = re.compile(r"\[[ xX/-]\](?![(\[])")
_NAMED = re.compile(r"\[([^\[\]]{0,500})\]")
_ATTRIBUTES = re.compile(r"\{[^{}\n]{0,2000}\}")
_NOTE = re.compile(r"\.(?:md|markdown)$", re.IGNORECASE)
# In characters: a longer link, tag or title counts as unclosed.
_LONGEST = 3_000
_TEMPLATES = {"{{": "}}", "{%": "%}"}
# File names of a vault, addresses of programs, and IDs within the words: runs without white space.
_RUN = re.compile(r"""[^\s<>()\[\]"'|`*]+""")
_FILE = re.compile(
    r"^[a-z][a-z0-9+-]{1,20}://|"
    r"\.(?:md|markdown|canvas|excalidraw|png|jpe?g|gif|webp|svg|bmp|tiff?|pdf|mp[34]|wav|ogg|webm|mov)(?![\w])",
    re.IGNORECASE,
)
_ID = re.compile(r"(?<![\w:])(?:[^\W_][\w-]{0,80}:[^\W_][\w:-]{0,120}|[^\W_][\w-]*_[\w-]*)")


def definitions_in(text: str) -> Mapping[str, str]:
    """Return name in lower case -> target of the links that a text defines (`[it]: osk.md`)."""
    return {_key(found["name"]): found["to"].strip("<>") for found in _DEFINITION.finditer(text) if _defines(found)}


def find_reading_edits(
    text: str,
    shown: Shown,
    word: Word,
    *,
    comments: Sequence[tuple[int, int]] = (),
    cuts: Sequence[Edit] = (),
    keeps_names: bool = False,
) -> list[Edit]:
    """Return the edits that leave of a text what a reader sees, in order, without overlaps.

    `comments` (start and end of each, in order) are removed first, so that the text around them is read together, or
    `cuts` are made first in their place. With `keeps_names` the names of items (`{#name}`) stay.
    """
    notes = list(cuts) or [Edit(start, end, "\n" * text.count("\n", start, end)) for start, end in comments]
    escapes = [Edit(found.start(), found.end(), "") for found in _ESCAPED.finditer(text)]
    edits = _merged(notes, escapes)
    bare = apply_edits(text, edits)
    defined = definitions_in(bare)
    for step in (_line_edits, lambda now: _Reading(now, shown, word, defined, keeps_names).edits()):
        edits = _composed(edits, step(apply_edits(text, edits)))
    return edits


def apply_edits(text: str, edits: Sequence[Edit], *, start: int = 0) -> str:
    """Return a text, which begins at `start` of a longer one, after the edits of the longer one. The replacement of an
    edit is inserted where the edit begins."""
    kept: list[str] = []
    done = 0
    first = bisect_right(edits, start, key=lambda edit: edit.end) if start else 0
    for edit in edits[first:]:
        if edit.start >= start + len(text):
            break
        kept.append(text[done : max(edit.start - start, 0)])
        if edit.start >= start:
            kept.append(edit.text)
        done = min(edit.end - start, len(text))
    return "".join([*kept, text[done:]])


def _composed(first: Sequence[Edit], then: Sequence[Edit]) -> list[Edit]:
    """Return edits of a text and later edits of the result as edits of the original text."""
    # For each edit: the position in the second text after it, and how much further that position is in the first.
    places, offsets = [0], [0]
    for edit in first:
        offsets.append(offsets[-1] + (edit.end - edit.start) - len(edit.text))
        places.append(edit.end - offsets[-1])

    def before(position: int) -> int:
        return position + offsets[bisect_right(places, position) - 1]

    moved = [Edit(before(edit.start), before(edit.end - 1) + 1, edit.text) for edit in then]
    return _merged([*first, *moved], ())


def _line_edits(text: str) -> list[Edit]:
    """Return the edits that remove lines with no words for a reader: definitions, abbreviations, block IDs."""
    found = [
        Edit(match.start() + len(match["before"]), match.end(), "")
        for match in _DEFINITION.finditer(text)
        if _defines(match)
    ]
    for pattern in (_ABBREVIATION, _BLOCK_ID):
        found += [Edit(match.start(), match.end(), "") for match in pattern.finditer(text)]
    return _merged(found, ())


def _key(name: str) -> str:
    return " ".join(name.split()).casefold()


def _defines(found: re.Match[str]) -> bool:
    """Tell whether a line that looks like a link definition is one or names a file; else it is ordinary text."""
    to = found["to"]
    return not found["rest"].strip() or "/" in to or to[0] in "<#" or bool(_FILE.search(to))


class _Open(NamedTuple):
    """An open bracket: the offsets of the bracket and of its words, and the number of edits before it."""

    start: int
    end: int
    edits: int


class _Reading:
    """A single pass over a text, from start to end; a bracket cannot be closed beyond its paragraph."""

    def __init__(self, text: str, shown: Shown, word: Word, defined: Mapping[str, str], keeps_names: bool) -> None:
        self._text = text
        self._shown = shown
        self._word = word
        self._defined = defined
        self._keeps_names = keeps_names
        self._edits: list[Edit] = []
        self._open: list[_Open] = []
        self._ends = [found.start() for found in _BLANK.finditer(text)]

    def edits(self) -> list[Edit]:
        """Return the edits, in order, without overlaps."""
        position = 0
        while (found := _OPENS.search(self._text, position)) is not None:
            position = self._read(found)
        return _merged(self._edits, self._of_words(self._text))

    def _of_words(self, text: str) -> list[Edit]:
        edits = []
        for run in _RUN.finditer(text):
            if _WEB.match(run[0]):
                continue
            if _FILE.search(run[0]):
                said = run[0].rstrip(".,;:!?")
                edits.append(Edit(run.start(), run.start() + len(said), self._word(said, True) or ""))
                continue
            for match in _ID.finditer(run[0]):
                if (shown := self._word(match[0].rstrip(":-_"), False)) is not None:
                    edits.append(Edit(run.start() + match.start(), run.start() + match.end(), shown))
        return edits

    def _said(self, label: str) -> str:
        """Return the visible words of a label, read by itself."""
        inner = _Reading(label, self._shown, self._word, self._defined, keeps_names=False)
        return apply_edits(label, inner.edits())

    def _paragraph(self, position: int) -> int:
        return bisect_right(self._ends, position)

    def _limit(self, position: int) -> int:
        """Return the last offset that markup beginning at a position may reach."""
        place = self._paragraph(position)
        end = self._ends[place] if place < len(self._ends) else len(self._text)
        return min(end, position + _LONGEST)

    def _read(self, found: re.Match[str]) -> int:
        mark, start, end = found[0], found.start(), found.end()
        if mark == "\n":
            if self._open and self._paragraph(self._open[-1].start) != self._paragraph(start):
                self._open.clear()
            return end
        if mark.endswith("[["):
            return self._read_wikilink(start, end, is_embed=mark.startswith("!"))
        if mark.startswith("<"):
            return self._read_tag(start)
        if mark.startswith("{"):
            return self._read_braces(start, mark)
        if mark == "]":
            return self._read_closing(start)
        special = _FOOTNOTE.match(self._text, start) or _CALLOUT.match(self._text, start)
        if special is not None:
            return self._remove(start, special.end())
        if box := _BOX.match(self._text, start):
            return box.end()
        self._open.append(_Open(start, end, len(self._edits)))
        return end

    def _remove(self, start: int, end: int) -> int:
        self._edits.append(Edit(start, end, "\n" if "\n" in self._text[start:end] else ""))
        return end

    def _read_wikilink(self, start: int, end: int, *, is_embed: bool) -> int:
        limit = self._limit(start)
        close = self._text.find("]]", end, limit)
        if close >= 0 and self._text.find("[[", end, close) >= 0:
            # A link in a link: the text around the inner one is shown.
            return self._remove(start, end)
        if close < 0 and self._is_balanced(end - 2, limit):
            # Two single brackets: a link within the words of another.
            self._open += [_Open(start, end - 1, len(self._edits)), _Open(end - 1, end, len(self._edits))]
            return end
        if close < 0:
            # Unclosed: it ends before its label, or at the end of its line.
            line = self._text.find("\n", end, limit)
            bar = self._text.find("|", end, line if line >= 0 else limit)
            if bar >= 0:
                return self._remove(start, bar + 1)
            close, stop = (line if line >= 0 else limit,) * 2
        else:
            while self._text[close + 2 : close + 3] == "]" and self._has_open_bracket(end, close):
                close += 1
            stop = close + 2
        said = self._text[end:close]
        if stop > close and _BRACKET.search(said.partition("|")[0]):
            # A name has no brackets: these belong to a link within the words of another.
            self._open += [_Open(start, end - 1, len(self._edits)), _Open(end - 1, end, len(self._edits))]
            return end
        target, _, label = said.replace("\\|", "|").partition("|")
        target, _, anchor = (_one_line(part) for part in target.partition("#"))
        label = self._said(_one_line(label))
        if is_embed and (_is_file(target) or not label.strip(" 0123456789x")):
            # The size of a picture, or its alternative text.
            label = ""
        if is_embed and _is_file(target) and not _NOTE.search(target):
            shown: str | None = ""
        elif not target:
            # `[[#A heading]]` leads to a heading of the same file.
            shown = label or self._said(anchor.lstrip("#^"))
        else:
            shown = self._shown(MarkupLink(target, label, is_path=False))
        if shown is not None:
            # In a row of a table the bar before a label is escaped, and must be again.
            self._edits.append(Edit(start, stop, shown.replace("|", "\\|") if "\\|" in said else shown))
        return stop

    def _has_open_bracket(self, start: int, end: int) -> bool:
        """Tell whether a stretch of text opens more brackets than it closes."""
        return self._text.count("[", start, end) > self._text.count("]", start, end)

    def _is_balanced(self, start: int, limit: int) -> bool:
        """Tell whether the bracket at an offset is closed, and those after it."""
        depth = 0
        for found in _BRACKET.finditer(self._text, start, min(limit, start + _NEAR)):
            depth += 1 if found[0] == "[" else -1
            if depth == 0:
                return True
        return False

    def _read_closing(self, start: int) -> int:
        """Read a closing bracket and return the offset after it; the text after it decides what its words are."""
        opened = self._open.pop() if self._open else None
        words = self._text[opened.end : start] if opened else ""
        after = self._text[start + 1 : start + 2]
        if after == "(":
            return self._link(opened, start, *self._target(start + 1))
        if after == "[" and (named := _NAMED.match(self._text, start + 1)) and not named[0].startswith("[^"):
            return self._link(opened, start, named.end(), self._defined.get(_key(named[1] or words)))
        if after == "{" and (attributes := _ATTRIBUTES.match(self._text, start + 1)):
            return self._link(opened, start, attributes.end(), None)
        if opened is None and after == "]":
            # What closes here began in words that were read before: a target after it is one all the same.
            end = start + 2
            return self._remove(start, self._target(end)[0] if self._text[end : end + 1] == "(" else end)
        if opened is None:
            return start + 1
        target = self._defined.get(_key(words))
        mark = self._text[opened.start]
        return start + 1 if target is None and mark == "[" else self._link(opened, start, start + 1, target)

    def _link(self, opened: _Open | None, close: int, end: int, target: str | None) -> int:
        """Add the edit for a link whose words end at `close` and which ends at `end`, and return `end`; a picture is
        removed whole."""
        if opened is None:
            return self._remove(close, end)
        own, shift = self._edits[opened.edits :], opened.end
        inner = [Edit(edit.start - shift, edit.end - shift, edit.text) for edit in own]
        words = self._text[opened.end : close]
        label = apply_edits(words, _merged(inner, self._of_words(words)))
        shown: str | None = label
        if self._text[opened.start] == "!":
            shown = ""
        elif target is not None:
            shown = self._shown(MarkupLink(target, label, is_path=True))
        if shown is not None:
            del self._edits[opened.edits :]
            self._edits.append(Edit(opened.start, end, shown))
        return end

    def _target(self, start: int) -> tuple[int, str]:
        """Return the offset after `(target "title")`, and the target. If it is malformed, it ends at its bracket, else
        at the end of the paragraph if a title may have begun, else after the first word."""
        found = _TARGET.match(self._text, start)
        if found is not None:
            return found.end(), found["to"].strip("<>")
        limit = self._limit(start)
        close = self._text.find(")", start, limit)
        if close >= 0:
            return close + 1, self._text[start + 1 : close].strip()
        word = _FIRST_WORD.match(self._text, start)
        end = word.end() if word else start + 1
        return (limit if _QUOTE.search(self._text, start, limit) else end), self._text[start + 1 : end].strip()

    def _read_tag(self, start: int) -> int:
        limit = self._limit(start)
        end = self._end_of_tag(start, limit)
        if end < 0:
            close = self._text.find(">", start, limit)
            if close < 0:
                opens = "=" in self._text[start:limit] or not self._text[start + 1].isalpha()
                return self._remove(start, limit) if opens else start + 1
            end = close + 1
        inside = self._text[start + 1 : end - 1]
        if _WEB.match(inside):
            self._edits.append(Edit(start, end, inside))
            return end
        if _is_file(inside) and not _BLANKS.search(inside):
            self._edits.append(Edit(start, end, self._word(inside, True) or ""))
            return end
        named = _TAG_NAME.match(self._text, start)
        if named and inside[:1] != "/" and inside[-1:] != "/" and _is_unseen(named[1], inside):
            shut = re.compile(rf"</{re.escape(named[1])}\b[^<>]*>", re.IGNORECASE).search(self._text, end)
            end = shut.end() if shut else limit
        return self._remove(start, max(start + 1, end))

    def _end_of_tag(self, start: int, limit: int) -> int:
        """Return the offset after the `>` of a tag, ignoring one within quotes; -1 if there is none."""
        position = start + 1
        while (found := _IN_TAG.search(self._text, position, limit)) is not None:
            position = found.end()
            if found[0] == ">":
                return position
            if found[0] == "<":
                return -1
            if self._text[start : found.start()].rstrip()[-1:] == "=":
                close = self._text.find(found[0], position, limit)
                if close < 0:
                    return -1
                position = close + 1
        return -1

    def _read_braces(self, start: int, mark: str) -> int:
        if mark in _TEMPLATES:
            close = self._text.find(_TEMPLATES[mark], start, self._limit(start))
            return self._remove(start, close + 2) if close >= 0 else start + 2
        named = _ITEM_NAME.match(self._text, start)
        found = None if named and self._keeps_names else _ATTRIBUTES.match(self._text, start)
        return self._remove(start, found.end()) if found else start + 1


def _is_file(target: str) -> bool:
    return bool(_FILE.search(target))


def _is_unseen(name: str, tag: str) -> bool:
    """Tell whether editors hide the content of an element."""
    bare = _VALUE.sub("", tag)
    return name.casefold() in _UNSEEN_TAGS or bool(_HIDDEN.search(bare) or _NOT_DISPLAYED.search(tag))


def _one_line(text: str) -> str:
    return " ".join(text.replace("\n>", "\n").split())


def _merged(edits: Sequence[Edit], more: Sequence[Edit]) -> list[Edit]:
    """Return edits in order, without overlaps: of two that overlap, the first is extended over both; an edit of `more`
    that overlaps another is dropped."""
    taken: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: (edit.start, -edit.end)):
        if not taken or edit.start >= taken[-1].end:
            taken.append(edit)
        elif edit.end > taken[-1].end:
            taken[-1] = taken[-1]._replace(end=edit.end)
    if not more:
        return taken
    starts = [edit.start for edit in taken]
    for edit in more:
        place = bisect_right(starts, edit.start)
        meets = place and taken[place - 1].end > edit.start
        if not meets and (place == len(starts) or starts[place] >= edit.end):
            taken.append(edit)
    return sorted(taken)
