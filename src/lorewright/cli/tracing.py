"""The explanation of an answer: the trace of a query as lines and bars that fit the screen."""

from __future__ import annotations

import sys
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lorewright.authoring.explanations import REASONS, cut_of, reason_in_words, told_of, why
from lorewright.cli.output import console, say, say_parts, wrapped
from lorewright.retrieval.explain import ChunkTrace, RetrievalTrace
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.ranking import PARTS
from lorewright.retrieval.why_not import WhyNot

# Bars: the parts of a score as cells, each part with its own sign and colour.


@dataclass(frozen=True, slots=True)
class Ink:
    """How a part is drawn: its sign, the letter where a stream cannot show the sign, and its colour."""

    sign: str
    letter: str
    style: str


# The signs tell the parts apart without any colour.
INKS: Mapping[str, Ink] = {
    "words": Ink("█", "W", "blue"),
    "meaning": Ink("▓", "M", "magenta"),
    "name": Ink("▒", "N", "green"),
    "filters": Ink("░", "F", "yellow"),
    "mention": Ink("▚", "S", "cyan"),
}


def bar(parts: Mapping[str, float], *, full: float, width: int) -> list[tuple[str, str]]:
    """Return (text, style) pairs of a bar that is `width` cells long for a score of `full`; together they fill the
    width."""
    cells = cells_of(parts, full=full, width=width)
    signs = has_signs()
    drawn = [(_sign(part, signs=signs) * count, INKS[part].style) for part, count in cells.items() if count]
    return [*drawn, (" " * (width - sum(cells.values())), "")]


def legend(parts: Sequence[str]) -> list[tuple[str, str]]:
    """Return (text, style) pairs that explain the signs, for the parts that occur."""
    signs = has_signs()
    shown = [part for part in PARTS if part in parts]
    return [piece for part in shown for piece in ((_sign(part, signs=signs), INKS[part].style), (f" {part}   ", "dim"))]


def cells_of(parts: Mapping[str, float], *, full: float, width: int) -> dict[str, int]:
    """Return part -> how many cells it takes. The sum is rounded as a whole, and cells that are left over go to the
    largest remainders."""
    given = {part: parts[part] for part in PARTS if parts.get(part, 0.0) > 0}
    if not given or full <= 0:
        return {}
    exact = {part: width * value / full for part, value in given.items()}
    total = min(width, max(1, round(sum(exact.values()))))
    cells = {part: int(share) for part, share in exact.items()}
    rest = sorted(exact, key=lambda part: (cells[part] - exact[part], PARTS.index(part)))
    for part in rest[: max(0, total - sum(cells.values()))]:
        cells[part] += 1
    return cells


def has_signs() -> bool:
    """Tell whether stdout's encoding has the signs of a bar and of a line."""
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    try:
        "".join((*(ink.sign for ink in INKS.values()), "─")).encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _sign(part: str, *, signs: bool) -> str:
    return INKS[part].sign if signs else INKS[part].letter


# The trace of a query, as lines and bars that fit the screen.

# At most this many chunks are shown for each reason of exclusion.
_SHOWN_PER_REASON = 4

# The columns beside name and bar, gaps included; and the width of the whole.
_NUMBERS = 32
_NARROWEST, _WIDEST = 60, 120
_WIDEST_BAR = 30
_INDENT = " " * 6


def show_trace(
    trace: RetrievalTrace, *, title: str = "why these", more: str = "--why-not CHUNK answers for any"
) -> None:
    """Print the chosen chunks by rank, the line where the answer was cut, then the best of the excluded chunks by their
    reason. `more` says how to ask for the rest."""
    chosen = [chunk for chunk in trace.chunks if chunk.reason is None]
    by_reason = _by_reason(trace)
    shown = [*chosen, *(chunk for left in by_reason.values() for chunk in left[:_SHOWN_PER_REASON])]
    page = _Page(shown)
    say(title, style="bold")
    if not shown:
        say("nothing points at anything", style="dim")
        return
    page.show_head(trace)
    so_far = 0
    for chunk in chosen:
        so_far += chunk.given
        page.show(chunk, so_far=so_far)
    page.show_cut(trace, chosen)
    for reason, left in by_reason.items():
        say(f"left out: {reason_in_words(reason)} ({REASONS[reason]})", style="bold")
        for chunk in left[:_SHOWN_PER_REASON]:
            page.show(chunk)
    rest = Counter({reason: len(left) - _SHOWN_PER_REASON for reason, left in by_reason.items()})
    if counted := ", ".join(
        f"{count} {reason_in_words(reason)}" for reason, count in sorted(rest.items()) if count > 0
    ):
        say(f"… and {counted}{more and '; '}{more}", style="dim")


class _Page:
    """Lines of one width and bars of one scale."""

    def __init__(self, shown: Sequence[ChunkTrace]) -> None:
        self._width = max(_NARROWEST, min(console().width, _WIDEST))
        self._full = max((chunk.score for chunk in shown), default=0.0)
        self._bar = min(_WIDEST_BAR, int((self._width - _NUMBERS) * 0.42))
        self._name = self._width - _NUMBERS - self._bar
        self._packs = {chunk.chunk_id.partition(":")[0] for chunk in shown}
        self._parts = list(dict.fromkeys(part for chunk in shown for part in chunk.parts))

    def show_head(self, trace: RetrievalTrace) -> None:
        """Print the legend and the weights; where all chunks are of one pack, its name is printed once."""
        weight = trace.vector_weight
        counts = f"meaning counts {weight:.0%}, words {1 - weight:.0%}" if weight else "found by words alone"
        of = f"; all of {next(iter(self._packs))}" if len(self._packs) == 1 else ""
        say_parts(*legend(self._parts))
        head = f"{counts}; names and filters come on top{of}"
        say(textwrap.fill(head, self._width), style="dim")
        if trace.synonyms:
            also = "; ".join(f"{', '.join(others)} for {word}" for word, others in trace.synonyms.items())
            say(textwrap.fill(f"looked up, too: {also}", self._width), style="dim")
        name, drawn = "section".ljust(self._name), "score".ljust(self._bar)
        say(f"rank  {name}  {drawn}         tokens   so far", style="bold")

    def show(self, chunk: ChunkTrace, *, so_far: int | None = None) -> None:
        """Print a chunk: its section and the parts of its score; then, on lines of their own, its ID and reasons."""
        tokens = f"{chunk.given:,}" if chunk.given else f"{chunk.tokens:,}"
        drawn = bar(chunk.parts, full=self._full, width=self._bar)
        say_parts(
            (f"{chunk.rank or '-':>4}  ", ""),
            (_shortened(chunk.section_path, self._name), ""),
            ("  ", ""),
            *drawn,
            (f"  {chunk.score:.3f}  {tokens:>6}", ""),
            (f"  {so_far:>7,}" if so_far is not None else "", "dim"),
        )
        cut = [f"cut from {chunk.tokens:,} tokens"] if 0 < chunk.given < chunk.tokens else []
        pieces = [self._id(chunk), *cut, *why(chunk)]
        say(_filled(" · ".join(pieces), self._width), style="dim")

    def show_cut(self, trace: RetrievalTrace, chosen: Sequence[ChunkTrace]) -> None:
        """Print the line below which nothing is in the answer."""
        what = f" {cut_of(trace, chosen)} "
        dash = "─" if has_signs() else "-"
        say(f"{dash * 4}{what}{dash * max(4, self._width - len(what) - 4)}")

    def _id(self, chunk: ChunkTrace) -> str:
        return chunk.chunk_id.partition(":")[2] if len(self._packs) == 1 else chunk.chunk_id


def _by_reason(trace: RetrievalTrace) -> dict[str, list[ChunkTrace]]:
    """Return the excluded chunks by their reason, the best of each first, the reason of the best first."""
    found: dict[str, list[ChunkTrace]] = {}
    for chunk in trace.chunks:
        if chunk.reason is not None:
            found.setdefault(chunk.reason, []).append(chunk)
    return found


def _filled(text: str, width: int) -> str:
    """Return the text on indented lines; an ID is never broken."""
    return textwrap.fill(text, width, initial_indent=_INDENT, subsequent_indent=_INDENT, break_on_hyphens=False)


def _shortened(text: str, width: int) -> str:
    """Return the text in this many cells. The middle is cut out: the beginning names the file and the end the
    section."""
    flat = " ".join(text.split())
    if len(flat) <= width:
        return flat.ljust(width)
    ahead = (width - 1) // 3
    return f"{flat[:ahead].rstrip()}…{flat[len(flat) - (width - 1 - ahead) :].lstrip()}".ljust(width)


def show_why_not(found: WhyNot, asked: LoreRetrievalQuery) -> None:
    """Print where the chunk ranks, what it lacks, and what would bring it in."""
    for number, sentence in enumerate(told_of(found, asked)):
        say(wrapped(sentence, whole_words=True), style="" if number == 0 else "dim")
