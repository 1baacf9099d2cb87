"""Stage 3: ranked hits -> those that fit. Filling stops at the first that overflows, which is cut at a sentence end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from lorewright.index.keywords import words_of
from lorewright.retrieval.ranking import Hit, with_text
from lorewright.tokens import BY_SCRIPT, count_tokens

# A chunk is not cut to fewer tokens than this.
MIN_CUT_TOKENS = 40

# Two texts that share this much of their words (Jaccard) are duplicates.
DUPLICATE_SHARE = 0.9

ExclusionReason = Literal["duplicate", "over_budget", "over_half", "below_the_cut"]
# Where a text may end: a paragraph, a sentence, a line before a list item, a table's row or a heading. Any other line
# may end in the middle of a sentence.
_ENDS = re.compile(
    r"\n\n|(?<=[.!?…][\"”’)])\s|(?<=[.!?…])\s|(?<=[\u3002\uff01\uff1f])(?=.)|\n(?=\s*(?:[-*+|>#]|\d+[.)]\s))"
)
_LINE_ENDS = re.compile(r"\n")


def fit_to_budget(
    hits: Sequence[Hit], *, budget_tokens: int, limit: int, beside: Sequence[Hit] = ()
) -> tuple[list[Hit], list[tuple[Hit, ExclusionReason]]]:
    """Return the best-ranked hits whose text fits, of at most `limit` sections; and the rest with one reason each.

    The first that overflows is cut at a paragraph's or sentence's end where that leaves something useful, and filling
    stops: so a larger budget never loses what a smaller one had. `beside` are hits in the answer already, with a budget
    and a limit of their own: what says the same is left out.

    Raises:
        ValueError: budget_tokens is negative.
    """
    if budget_tokens < 0:
        raise ValueError("budget_tokens must not be negative")
    chosen: list[Hit] = []
    left_out: list[tuple[Hit, ExclusionReason]] = []
    sections: set[str] = set()
    said = [_words_in(hit.text) for hit in beside]
    room, full = budget_tokens, False
    for hit in hits:
        if hit.chunk.section_id not in sections and len(sections) >= limit:
            left_out.append((hit, "below_the_cut"))
        elif full:
            left_out.append((hit, "over_budget"))
        elif _repeats(words := _words_in(hit.text), said):
            left_out.append((hit, "duplicate"))
        else:
            fitted = _fitted(hit, room)
            full = fitted is None or fitted.token_count < hit.token_count
            if fitted is None:
                left_out.append((hit, "over_budget"))
                continue
            chosen.append(fitted)
            sections.add(hit.chunk.section_id)
            said.append(words)
            room -= fitted.token_count
    return _parts_in_order(chosen), left_out


def _fitted(hit: Hit, room: int) -> Hit | None:
    if hit.token_count <= room:
        return hit
    cut = with_text(hit, cut_text(hit.text, max_tokens=room, reading=hit.chunk.reading))
    return cut if cut.token_count >= MIN_CUT_TOKENS else None


def cut_text(text: str, *, max_tokens: int, reading: int = BY_SCRIPT) -> str:
    """Return the longest beginning that fits and ends where a paragraph or a sentence does, else where a line does; ""
    where there is none."""
    return _cut_at(_ENDS, text, max_tokens, reading) or _cut_at(_LINE_ENDS, text, max_tokens, reading)


def _cut_at(ends: re.Pattern[str], text: str, max_tokens: int, reading: int) -> str:
    best = ""
    for end in ends.finditer(text):
        beginning = text[: end.start()].rstrip()
        if count_tokens(beginning, reading=reading) > max_tokens:
            break
        best = beginning
    return best


# The best sections of a scene are fitted again and again.
@lru_cache(maxsize=1024)
def _words_in(text: str) -> frozenset[str]:
    return frozenset(words_of(text))


def _repeats(words: frozenset[str], said: Sequence[frozenset[str]]) -> bool:
    return any(_share(words, other) >= DUPLICATE_SHARE for other in said)


def _share(a: frozenset[str], b: frozenset[str]) -> float:
    """Return the Jaccard index: common words over all words."""
    if min(len(a), len(b)) < DUPLICATE_SHARE * max(len(a), len(b)):
        return 0.0  # it cannot be more than the smaller over the larger
    both = len(a & b)
    return both / (len(a) + len(b) - both) if a or b else 1.0


def _parts_in_order(chosen: Sequence[Hit]) -> list[Hit]:
    """Return the hits with sections ordered by their best part, and parts within a section as in the file."""
    sections: dict[str, list[Hit]] = {}
    for hit in chosen:
        sections.setdefault(hit.chunk.section_id, []).append(hit)
    return [hit for parts in sections.values() for hit in sorted(parts, key=lambda hit: hit.chunk.row)]
