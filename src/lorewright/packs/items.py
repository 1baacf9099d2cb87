"""A section's text -> its items, the single pieces of knowledge.

Each list item is an item, and in prose each paragraph. `{#name}` names it, `(when …)` at its start is a condition, and
in a discoverable section `search behind the bar: …` is the trigger; a nested `hint: …` may be shown before it is found.
`(2d6 charm)`, `(2d6)`, `(trust 2)` or `(ask)` at the start or end of a withheld item says what opens it in play.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate

from markdown_it.token import Token

from lorewright.ids import slug
from lorewright.packs.files import Finding, warning
from lorewright.packs.markdown.chunking import blocks_of, lines_of, plain_text
from lorewright.packs.markdown.gaps import close_gaps
from lorewright.packs.markdown.markup import apply_edits
from lorewright.packs.models import Item

_NAME = re.compile(r"\{#([A-Za-z0-9][\w-]{0,60})\}")
_WORD = re.compile(r"[^\W_]")
_MARKER = re.compile(r"^\s*(?:[-*+]|\d{1,9}[.)])\s+")
_CONDITION = re.compile(r"^\((when\s[^()]{1,200})\)\s*", re.IGNORECASE)
_WHAT_OPENS = r"\((\d{0,2}d\d{1,3}(?:[+-]\d{1,3})?(?:\s+[A-Za-z_]\w{0,40})?|trust\s+\d{1,2}|ask)\)"
_OPENING = re.compile(rf"^{_WHAT_OPENS}\s+|\s+{_WHAT_OPENS}$", re.IGNORECASE)
# What looks like such a note and is none.
_DICE_OR_TRUST = r"\d{0,2}\s?d\d|\d{1,2}\s?d\s|trust\b"
_ALMOST = re.compile(
    rf"^\((?:{_DICE_OR_TRUST}|ask\b|charm\b)[^()]{{0,60}}\)|\((?:{_DICE_OR_TRUST})[^()]{{0,60}}\)$", re.IGNORECASE
)
_HINT = re.compile(r"^\s*(?:[-*+]\s+)?hint:\s*(.+)$", re.IGNORECASE)
_TRIGGER = re.compile(r"^([^:.!?]{3,80}):\s+(\S.*)$", re.DOTALL)
# What looks like a trigger whose colon is another sign: something that is done, then the rest after a comma or a dash.
_ALMOST_A_TRIGGER = re.compile(
    r"^((?:break|check|dig|examine|feel|follow|force|inspect|lift|listen|look|move|open|pull|push|read|search|touch|turn)\b"
    r"[^:.!?,;–—]{2,60})(?:[,;]|\s[-–—])\s",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int


def read_items(text: str, *, chunk_id: str, line: int, discoverable: bool, withheld: bool = False) -> tuple[Item, ...]:
    """Return the items of a section's text, in order. An item without a name is named by its number (`1`, `2`, …).

    `line` is the file's line (from 1) on which the text begins. A repeated name gets `_2`, `_3`, ….
    """
    lines = lines_of(text)
    items: list[Item] = []
    taken: set[str] = set()
    for number, span in enumerate(_spans(blocks_of(text)), start=1):
        source = "".join(lines[span.start : span.end])
        item = _read_item(source, chunk_id, str(number), line + span.start, discoverable, taken, withheld)
        if _WORD.search(item.text):
            items.append(item)
            taken.add(item.name)
    return tuple(items)


def lint_openings(path: str, items: Iterable[Item]) -> Iterator[Finding]:
    """Yield a finding for each withheld item with a note on what opens it that cannot be read: it would be told."""
    for item in items:
        found = _ALMOST.search(item.text) if item.opened_by is None else None
        if found is not None:
            message = f"{found[0]} says nothing that opens it, and is a part of its text"
            hint = "write (2d6), (2d6 charm), (trust 2) or (ask)"
            yield warning(path, "bad-opening", message, line=item.line, hint=hint)


def lint_triggers(path: str, items: Iterable[Item]) -> Iterator[Finding]:
    """Yield a finding for each discoverable item that begins with what is done and has no colon after it, or has its
    condition after the colon."""
    for item in items:
        late = _CONDITION.match(item.text) if item.trigger is not None else None
        if late is not None:
            message = f"({late[1]}) comes after the colon, so it is a part of what is found, and no condition"
            hint = f"write it first: ({late[1]}) {item.trigger}: …"
            yield warning(path, "bad-trigger", message, line=item.line, hint=hint)
        found = _ALMOST_A_TRIGGER.match(item.text) if item.trigger is None else None
        if found is not None:
            done = found[1].strip()
            message = f"no colon comes after “{done}”, so it is no trigger: the item is found by nothing in particular"
            yield warning(path, "bad-trigger", message, line=item.line, hint=f"write {done}: …")


def lint_names(path: str, text: str, line: int) -> Iterator[Finding]:
    """Yield a finding for each name that a section's text gives to a second item. `line` is the file's line on which
    the text begins."""
    taken: set[str] = set()
    for named in _NAME.finditer(text):
        if named[1].casefold() in taken:
            message = f"a second item is named {named[1]}: a scenario that names it means the first"
            at = line + text.count("\n", 0, named.start())
            yield warning(path, "duplicate-item", message, line=at, hint="give one of the two another name")
        taken.add(named[1].casefold())


def without_items(text: str, names: Container[str], *, leaves_gaps: bool = True) -> str:
    """Return a section's text without the items in `names`, which are names as `read_items` gives them. The blank lines
    around them stay, or else none that would not be there without the items."""
    lines = lines_of(text)
    removed: list[_Span] = []
    taken: set[str] = set()
    for number, span in enumerate(_spans(blocks_of(text)), start=1):
        item = _read_item("".join(lines[span.start : span.end]), "", str(number), 0, False, taken)
        if _WORD.search(item.text):
            taken.add(item.name)
            removed += [span] if item.name in names else []
    if not leaves_gaps:
        starts = [0, *accumulate(map(len, lines))]
        cut = [(starts[span.start], starts[span.end]) for span in removed]
        return apply_edits(text, close_gaps(text, cut)).strip("\n")
    gone = {number for span in removed for number in range(span.start, span.end)}
    return "".join(line for number, line in enumerate(lines) if number not in gone).strip("\n")


def _spans(tokens: list[Token]) -> Iterator[_Span]:
    """Yield the line spans of the list items or, if the section has no list, of its paragraphs."""
    listed = [
        _Span(*token.map) for token in tokens if token.type == "list_item_open" and token.level == 1 and token.map
    ]
    if listed:
        yield from listed
        return
    for token in tokens:
        if token.type == "paragraph_open" and token.level == 0 and token.map:
            yield _Span(*token.map)


def _read_item(
    source: str, chunk_id: str, number: str, line: int, discoverable: bool, taken: set[str], withheld: bool = False
) -> Item:
    source, hint = _take_hint(_MARKER.sub("", source, count=1))
    named = _NAME.search(source)
    name = _free_name(slug(named.group(1), fallback=number).replace("-", "_") if named else number, taken)
    text = plain_text(_NAME.sub(" ", source, count=1))
    condition = _CONDITION.match(text)
    text = text[condition.end() :] if condition else text
    opening = _OPENING.search(text) if withheld else None
    text = f"{text[: opening.start()]}{text[opening.end() :]}" if opening else text
    trigger = _TRIGGER.match(text) if discoverable else None
    return Item(
        id=f"{chunk_id}#{name}",
        name=name,
        text=trigger.group(2).strip() if trigger else text,
        line=line,
        trigger=trigger.group(1).strip() if trigger else None,
        hint=hint,
        condition=condition.group(1) if condition else None,
        opened_by=(opening.group(1) or opening.group(2)).lower() if opening else None,
    )


def _take_hint(source: str) -> tuple[str, str | None]:
    kept: list[str] = []
    hint: str | None = None
    for row in source.splitlines():
        match = _HINT.match(row)
        if match and hint is None:
            hint = plain_text(match.group(1))
        else:
            kept.append(row)
    return "\n".join(kept), hint


def _free_name(name: str, taken: set[str]) -> str:
    if name not in taken:
        return name
    return next(f"{name}_{n}" for n in range(2, len(taken) + 3) if f"{name}_{n}" not in taken)
