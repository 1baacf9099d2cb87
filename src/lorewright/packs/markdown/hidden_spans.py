"""A file's body -> the stretches of it that are no part of its sections: comments, secrets that stand within a section,
and code of plugins.

A secret within a section is a callout (`> [!secret]`), a paragraph or list item behind a bold label (`**Secret:** …`),
a heading in a quotation or list, or a folded block of HTML. It is taken out of its section and becomes a chunk of its
own.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from markdown_it.token import Token

from lorewright.packs.markdown.chunking import comments_in, lines_of, plain_text
from lorewright.packs.markdown.titles import OPEN, TitleRole, title_role

SpanKind = Literal["comment", "secret", "plugin"]

_CALLOUT = re.compile(r"^\s*\[!([^\[\]\n|]{1,60})(?:\|[^\[\]\n]*)?\]([-+]?)[ \t]*(.*)$")
_BOLD = re.compile(
    r"^\s*(?:[-*+]\s+|\d{1,3}[.)]\s+)?(?P<mark>\*\*\*|\*\*|___|__|==)"
    r"(?P<label>[^*_=\n]{1,90}?)[ \t]*(?P<inner>[:：.。—–-]?)"
    r"(?P=mark)[ \t]*(?P<outer>::?|[：。—–]|-(?=\s)|\.(?=\s))?[ \t]*(?P<rest>.*)",
    re.DOTALL,
)
_ENCLOSED = re.compile(r"^\s*[\[(【「『（〔].*[\])】」』）〕]\s*$")
_PLAIN_LABEL = re.compile(
    r"^\s*(?:[-*+]\s+)?[\[(]?(?P<label>[^\s:：|*_\[\]()][^:：|*_\n\[\]()]{1,50}?)[ \t]*(?:::?|：)(?=\s|[^\s/\x00-\x7f])"
)
_ROW = re.compile(r"^\s*\|\s*(?:\*\*|__)?([^|*_\n]{1,60}?)(?:\*\*|__)?\s*[:：]?\s*\|")
_BOLD_LINE = re.compile(r"^\s*(\*\*|__)[^*_\n]{1,90}[:：.]?\1[ \t]*[:：]?")
_DETAILS = re.compile(
    r"<details\b[^<>]{0,300}>\s{0,300}<summary[^<>]{0,300}>(.{1,300}?)</summary>", re.IGNORECASE | re.DOTALL
)
_DETAILS_END = re.compile(r"</details\s*>", re.IGNORECASE)
_ADMONITION = re.compile(r"^ad-([\w-]{1,60})")
_ADMONITION_TITLE = re.compile(r"^title:\s*(.+)$", re.MULTILINE)
_LISTS = ("bullet_list_open", "ordered_list_open")
_A_WORD = re.compile(r"[^\W_]")
_MARKS = re.compile(r"[*_=`~]+")
_TAGS = re.compile(r"<[^<>]{0,200}>")

# Fences that draw something in an editor, and the code in a line that does.
_PLUGIN_FENCE = re.compile(
    r"^(?:dataview(?:js)?|meta-bind[\w-]*|button|buttons|tasks|query|chart|charts|leaflet|js-engine|templater|tracker|kanban"
    r"|folder-overview|folder-index|gallery|img-gallery|timeline-labeled|mapview|dice|bases?|base)$",
    re.IGNORECASE,
)
_PLUGIN_CODE = re.compile(
    r"(?<!`)(`{1,2})(?!`)\s*(?:\$?=|(?:INPUT|VIEW|BUTTON)\s*\[|dv\.|dice:|button-|this\.)[^\n]{0,2000}?(?<!`)\1(?!`)"
    r"|<%[\s\S]{0,2000}?%>"
    r"|\b(?:INPUT|VIEW|BUTTON)\[[^\n`]{0,2000}\]"
)
# A comment that is never closed hides the rest; within code the same signs are code.
_CODE = re.compile(r"^(?P<fence>`{3,}|~{3,})[\s\S]*?(?:^(?P=fence)|\Z)|(?P<tick>`+)[^`\n]*(?P=tick)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class HiddenSpan:
    """A stretch of a body, by offsets. `title` and `mark` say what marks a secret; `text` is its text without the
    marks of a quotation; `closed` is False for a comment that goes on to the end."""

    start: int
    end: int
    kind: SpanKind
    title: str = ""
    mark: TitleRole = OPEN
    text: str = ""
    closed: bool = True


def find_hidden_spans(body: str, tokens: Sequence[Token], *, is_open: frozenset[str] = frozenset()) -> list[HiddenSpan]:
    """Return the spans of a body, in order; of two that overlap the one that begins first, then the longer one.

    Titles in `is_open`, in lower case, mark no secret.
    """
    lines = lines_of(body)
    # The offset of each line, and that of the end.
    starts = [0, *accumulate(map(len, lines))]
    spans = [*_comments(body), *_plugins(body, tokens, starts)]
    spans += (span for span in _secrets(body, tokens, lines, starts) if span.title.casefold() not in is_open)
    kept: list[HiddenSpan] = []
    for span in sorted(spans, key=lambda found: (found.start, -found.end)):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
        elif span.end > kept[-1].end and span.kind != "plugin":
            # A comment that begins within a secret, or a secret within a comment: nothing of either stays open.
            kept.append(HiddenSpan(kept[-1].end, span.end, "comment", closed=span.closed))
    return kept


def ranges_of(spans: Iterable[HiddenSpan], *kinds: SpanKind) -> list[tuple[int, int]]:
    """Return start and end of the spans of these kinds, or of all, in order."""
    return [(span.start, span.end) for span in spans if not kinds or span.kind in kinds]


def _comments(body: str) -> Iterator[HiddenSpan]:
    closed = comments_in(body)
    for start, end in closed:
        yield HiddenSpan(start, end, kind="comment")
    marks = [at for at in (body.rfind("%%"), body.rfind("<!--")) if at >= 0 and not _is_within(at, closed)]
    code = [found.span() for found in _CODE.finditer(body)] if marks else []
    for at in marks:
        if not _is_within(at, code):
            yield HiddenSpan(at, len(body), "comment", closed=False)


def _is_within(at: int, ranges: Iterable[tuple[int, int]]) -> bool:
    return any(start <= at < end for start, end in ranges)


def _plugins(body: str, tokens: Sequence[Token], starts: Sequence[int]) -> Iterator[HiddenSpan]:
    for token in tokens:
        words = token.info.split() if token.type == "fence" else ()
        if words and token.map and _PLUGIN_FENCE.match(words[0].strip("{}")):
            yield HiddenSpan(starts[token.map[0]], starts[token.map[1]], kind="plugin")
    for found in _PLUGIN_CODE.finditer(body):
        yield HiddenSpan(found.start(), found.end(), kind="plugin")


@dataclass(frozen=True, slots=True)
class _Block:
    """A block of a body by lines: `depth` counts the quotations that it stands in."""

    token: Token
    first: int
    last: int
    depth: int
    end_of_container: int
    text: str


def _secrets(body: str, tokens: Sequence[Token], lines: Sequence[str], starts: Sequence[int]) -> Iterator[HiddenSpan]:
    for first, last, depth, title, mark in _marked(lines, list(_blocks(tokens, len(lines)))):
        text = _without_head(_unquoted("".join(lines[first:last]), depth))
        yield HiddenSpan(starts[first], starts[last], "secret", title, mark, text)
    for found in _DETAILS.finditer(body):
        title = plain_text(_TAGS.sub("", found[1]))
        if (sure := _mark_of(title)) is not None:
            closing = _DETAILS_END.search(body, found.end())
            text = body[found.end() : closing.start() if closing else len(body)].strip("\n")
            end = closing.end() if closing else len(body)
            yield HiddenSpan(found.start(), end, "secret", title, sure, text)


def _blocks(tokens: Sequence[Token], count: int) -> Iterator[_Block]:
    """Yield quotations, list items, paragraphs, headings, lists, rules and fences, in the order of their beginnings."""
    containers: list[tuple[str, int]] = []
    for index, token in enumerate(tokens):
        if token.nesting < 0:
            if containers and token.type.endswith("_close") and token.type[:-6] == containers[-1][0]:
                containers.pop()
            continue
        if token.map is None or token.type == "inline":
            continue
        depth = sum(kind == "blockquote" for kind, _ in containers)
        end = containers[-1][1] if containers else count
        inline = tokens[index + 1] if index + 1 < len(tokens) else token
        text = inline.content if inline.type == "inline" and token.type in ("paragraph_open", "heading_open") else ""
        first, last = token.map
        yield _Block(token, first, last, depth, end, text or (token.content if token.type == "fence" else ""))
        if token.type in ("blockquote_open", "list_item_open"):
            containers.append((token.type[:-5], token.map[1]))


# First line, line after the last, number of quotation marks before each line, title and mark.
_Mark = tuple[int, int, int, str, TitleRole]


def _marked(lines: Sequence[str], blocks: Sequence[_Block]) -> Iterator[_Mark]:
    for at, block in enumerate(blocks):
        kind = block.token.type
        if kind == "blockquote_open":
            found = _CALLOUT.match(_unquoted(lines[block.first], block.depth + 1))
            if found and (marked := _secret_of(found[3], found[1])) is not None:
                yield block.first, block.last, block.depth + 1, *marked
        elif kind == "fence" and (named := _ADMONITION.match(block.token.info.strip())):
            titled = _ADMONITION_TITLE.search(block.text)
            if (marked := _secret_of(titled[1] if titled else "", named[1])) is not None:
                yield block.first, block.last, block.depth, *marked
        elif kind == "heading_open" and block.token.level:
            if (mark := _mark_of(_shown(block.text))) is not None:
                yield block.first, block.end_of_container, block.depth, _shown(block.text), mark
        elif kind == "paragraph_open":
            yield from _labelled(blocks, at)


def _secret_of(title: str, kind: str) -> tuple[str, TitleRole] | None:
    """Return the title by which a callout's secret is told, and its mark; None where the callout marks none."""
    names = [_shown(name) for name in (title, kind.replace("-", " ")) if name.strip()]
    found = [mark for name in names if (mark := _mark_of(name)) is not None]
    return (names[0], min(found, key=lambda mark: (mark.role != "secret", mark.certainty))) if found else None


def _mark_of(title: str) -> TitleRole | None:
    found = title_role(title)
    return found if found.hides else None


def _labelled(blocks: Sequence[_Block], at: int) -> Iterator[_Mark]:
    """Yield the secrets that a paragraph holds behind labels: with it the item that it begins, or what follows it."""
    block = blocks[at]
    rows = block.text.split("\n")
    number = 0
    while number < len(rows):
        label = _label_of(rows[number])
        if label is None:
            number += 1
            continue
        title, mark, is_alone = label
        first = block.first + number
        item = blocks[at - 1] if at and blocks[at - 1].token.type == "list_item_open" else None
        if rows[number].lstrip().startswith("|"):
            yield first, first + 1, block.depth, title, mark
            number += 1
            continue
        if number == 0 and item is not None and item.first == block.first:
            yield item.first, item.last, block.depth, title, mark
            return
        end = next((n for n in range(number + 1, len(rows)) if _BOLD_LINE.match(rows[n])), len(rows))
        last = block.first + end
        if end == len(rows):
            last = _what_follows(blocks, at, is_alone=is_alone and number == len(rows) - 1)
        yield first, last, block.depth, title, mark
        number = end


def _label_of(row: str) -> tuple[str, TitleRole, bool] | None:
    """Return the label at the head of a line that marks a secret, how certain it is, and whether nothing follows it."""
    found = _BOLD.match(row)
    if found:
        title = _shown(found["label"])
        rest = found["rest"].strip()
        is_label = found["inner"] or found["outer"] or not rest or _ENCLOSED.match(found["label"])
        mark = _mark_of(title) if is_label else None
        return (title, mark, not rest) if mark is not None else None
    plain = _ROW.match(row) or _PLAIN_LABEL.match(row)
    if plain is None:
        return None
    title = _shown(plain[1])
    mark = _mark_of(title)
    return (title, mark, False) if mark is not None and mark.certainty == "plain" else None


def _what_follows(blocks: Sequence[_Block], at: int, *, is_alone: bool) -> int:
    """Return the line after what belongs to a labelled paragraph: a list right below it; where the label stands alone
    everything up to the next heading, rule or label."""
    block = blocks[at]
    last = block.last
    has_colon = block.text.rstrip("*_ ").endswith((":", "："))
    for other in blocks[at + 1 :]:
        if other.first < last:
            continue
        if other.first >= block.end_of_container:
            break
        kind = other.token.type
        if is_alone and not (has_colon and kind in _LISTS):
            if kind in ("heading_open", "hr") or (kind == "paragraph_open" and _BOLD_LINE.match(other.text)):
                break
        elif not (kind in _LISTS and _belongs(block, other)):
            break
        last = other.last
        if not is_alone or (kind in _LISTS and has_colon):
            break
    return last


def _belongs(paragraph: _Block, other: _Block) -> bool:
    return other.first == paragraph.last or paragraph.text.rstrip("*_ ").endswith((":", "："))


def _without_head(text: str) -> str:
    """Return the text of a secret without the mark of a callout on its first line; the title stays."""
    head, feed, rest = text.partition("\n")
    found = _CALLOUT.match(head)
    return text if found is None else f"{found[3]}{feed}{rest}".strip("\n")


def without_plugin_code(text: str) -> str:
    """Return a line without the code of plugins in it; "" where no word is left."""
    rest = _PLUGIN_CODE.sub("", text)
    return rest if rest == text or _A_WORD.search(rest) else ""


def _shown(title: str) -> str:
    return " ".join(plain_text(_MARKS.sub("", title)).split())


def _unquoted(text: str, depth: int) -> str:
    """Return lines without the marks of the quotations that they stand in."""
    quote = re.compile(rf"^[ \t]*(?:>[ \t]?){{0,{depth}}}")
    rows = [quote.sub("", row, count=1) for row in text.split("\n")] if depth else text.split("\n")
    return textwrap.dedent("\n".join(rows)).strip("\n")
