"""The explanation of an answer: the trace of a query as lines and bars that fit the screen."""

from __future__ import annotations

import sys
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lorewright.authoring.explanations import REASONS, cut_of, reason_in_words, ties, why
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


# The explanation of why a chunk is not in an answer, in a few sentences for its author.

# A part that gives less than this more is not named as a reason.
_TELLS = 0.01


def show_why_not(found: WhyNot, asked: LoreRetrievalQuery) -> None:
    """Print where the chunk ranks, what it lacks, and what would bring it in."""
    for number, sentence in enumerate(told_of(found, asked)):
        say(wrapped(sentence, whole_words=True), style="" if number == 0 else "dim")


def told_of(found: WhyNot, asked: LoreRetrievalQuery) -> list[str]:
    """Return the sentences of the explanation, in order."""
    chunk = found.chunk
    if chunk is None:
        unknown = f"{found.chunk_id}: there is no such chunk for {asked.viewer} in the packs that are asked."
        return [unknown, *([f"Did you mean {_listed(found.similar, 'or')}?"] if found.similar else [])]
    if chunk.reason is None:
        return list(_chosen(chunk, found))
    return [_left_out(chunk, found), *_lacks(chunk, found), *_remedy(chunk, found, asked)]


def _chosen(chunk: ChunkTrace, found: WhyNot) -> Iterator[str]:
    place = f"rank {chunk.rank} of {found.ranked}, score {chunk.score:.3f}" if chunk.rank else chunk.rule
    yield f"{chunk.chunk_id} was chosen: {place}."
    parts = [f"{part} {chunk.parts[part]:.3f}" for part in PARTS if part in chunk.parts]
    tied = ties(chunk)
    if parts:
        yield f"Of its score: {', '.join(parts)}{f' ({tied})' if tied else ''}."
    if chunk.given < chunk.tokens:
        yield f"It was cut: {chunk.given} of its {chunk.tokens} tokens are in the answer."


def _left_out(chunk: ChunkTrace, found: WhyNot) -> str:
    last = found.last
    stands = f"it stands at rank {chunk.rank} of {found.ranked} with {chunk.score:.3f}"
    last_chosen = f"; the last one chosen is {last.chunk_id} (rank {last.rank}) with {last.score:.3f}" if last else ""
    match chunk.reason:
        case "below_the_cut":
            why = f"for there are enough better sections: {stands}{last_chosen}"
        case "over_budget":
            why = f"for the budget of tokens was spent: {stands}, and has {chunk.tokens} tokens{last_chosen}"
        case "duplicate":
            why = f"for a better chunk says the same: {found.by}"
        case "overridden":
            why = f"for a later pack's section stands for it: {found.by or 'one of the same name'}"
        case "condition":
            why = f"for its condition does not hold: {found.condition or 'one that cannot be read'}"
        case "over_half":
            why = "for entries that are always there fill at most half of the budget, those of more priority first"
        case "not_rolled" | "cooldown" | "keys" | "requires" | "excluded" | "group":
            why = f"for a rule of its entry keeps it out: {chunk.rule}"
        case _:
            why = "for neither words nor names, filters, links or meaning point at it"
    return f"{chunk.chunk_id} was left out, {why}."


def _lacks(chunk: ChunkTrace, found: WhyNot) -> Iterator[str]:
    """Yield what the last chosen chunk has more of, and which of the question's words are not in the text."""
    if chunk.reason not in ("over_budget", "below_the_cut", "filtered"):
        return
    if chunk.rank and found.last is not None:
        more = [
            f"{part} give{'' if part in ('words', 'filters') else 's'} it {own:.3f} against {others:.3f}"
            for part in PARTS
            if (others := found.last.parts.get(part, 0.0)) - (own := chunk.parts.get(part, 0.0)) > _TELLS
        ]
        if more:
            yield f"What it lacks: {'; '.join(more)}."
    if found.lacks:
        holding = f"holds {_quoted(found.holds)}, not" if found.holds else "does not hold"
        yield f"Of the question's words it {holding} {_quoted(found.lacks, 'or')}."


def _remedy(chunk: ChunkTrace, found: WhyNot, asked: LoreRetrievalQuery) -> Iterator[str]:
    options = [f"--limit {found.from_limit}"] if found.from_limit else []
    options += [f"--max-tokens {found.from_tokens}"] if found.from_tokens else []
    if options:
        yield f"It is in the answer with {' '.join(options)}."
    match chunk.reason:
        case "duplicate" | "overridden":
            yield "Ask for one of them to be told otherwise: change its text, or take it out."
        case "over_half":
            yield "It is in the answer with a larger budget, or where the question names it."
        case "not_rolled" | "cooldown" | "keys" | "requires" | "excluded" | "group":
            yield "The rule stands in the frontmatter of its file."
        case "condition":
            yield "It comes in once the condition holds in the campaign."
        case _:
            written = f"its text or a heading says {_quoted(found.lacks[:3], 'or')}" if found.lacks else ""
            named = "an alias of its file is what people ask by" if not chunk.name else ""
            tied = (
                "" if asked.has_filters and chunk.filters else "it is tied to the place, the people or a tag asked by"
            )
            ways = [way for way in (written, named, tied) if way]
            if ways:
                yield f"It ranks higher where {'; or where '.join(ways)}."


def _quoted(words: Sequence[str], last: str = "and") -> str:
    return _listed([f"“{word}”" for word in words], last)


def _listed(parts: Sequence[str], last: str) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"
