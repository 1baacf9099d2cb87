"""Verb frame of taking: a thing, several, a number of them, everything -> a Reading."""

from __future__ import annotations

from collections.abc import Sequence

from lorewright.builtin.parser.clauses import Word
from lorewright.builtin.parser.frames import FRAMES, each, joined, pronoun
from lorewright.builtin.parser.lexicon import lexicon
from lorewright.builtin.parser.noun_phrases import Match, Tie, exact, resolve
from lorewright.builtin.parser.phrases import bare
from lorewright.builtin.parser.readings import Context, Reading, acting, asking, nothing_called, shown, typeable, which


def take(ctx: Context, words: str, rest: Sequence[Word]) -> Reading | None:
    """A thing; what cannot be taken is named all the same, and the rules say so."""
    rest = _particle_dropped(rest)
    quantity, rest = _quantity(rest)
    phrase = bare(rest)
    if not phrase:
        return asking(words, "Take what?", [f"take {typeable(one.name)}" for one in ctx.nouns.here])
    if tuple(phrase.lower().split()) in lexicon().everything:
        return _take_all(ctx, words)
    found = each(ctx, words, rest, take) or pronoun(ctx, phrase, "take {}") or _takeable(ctx, phrase)
    match found:
        case Reading():
            return found
        case Tie():
            return which(words, found, "take {}")
        case Match():
            metadata = {"quantity": quantity} if quantity > 1 else {}
            return acting(ctx, "take", f"take {shown(found)}", target=found, metadata=metadata)
        case None:
            if exact(phrase, ctx.nouns.exits):  # `take the street`
                return FRAMES["go"](ctx, words, rest)
            lines = [f"take {typeable(one.name)}" for one in ctx.nouns.here]
            return nothing_called(ctx, words, phrase, lines)


def _takeable(ctx: Context, phrase: str) -> Match | Tie | None:
    """What lies here before what is carried, and both before anything else that has the name."""
    nouns = ctx.nouns
    first = resolve(phrase, nouns.here) or resolve(phrase, nouns.carried)
    if isinstance(first, Match) and first.confidence < 0.95:
        first = resolve(phrase, nouns.things + nouns.doors + nouns.people, nouns.known_things)
    return first or resolve(phrase, nouns.doors + nouns.people, nouns.known_things)


def _take_all(ctx: Context, words: str) -> Reading:
    if not ctx.nouns.here:
        return asking(words, "Nothing that could be taken lies here. You can:", ["look around", "search"])
    parts = [acting(ctx, "take", "", target=Match(one, one.name, 0.95)) for one in ctx.nouns.here[:4]]
    return joined(parts, "take everything")


def _quantity(rest: Sequence[Word]) -> tuple[int, Sequence[Word]]:
    """`three coins` -> 3 and the coins; a number that belongs to the name is not told apart."""
    if len(rest) < 2:
        return 1, rest
    word = rest[0].low
    value = int(word) if word.isascii() and word.isdigit() else int(lexicon().numbers.get(word, 0))
    return (min(value, 99), rest[1:]) if value >= 1 and word not in ("a", "an") else (1, rest)


def _particle_dropped(rest: Sequence[Word]) -> Sequence[Word]:
    """`pick the unit up` -> the unit."""
    return rest[:-1] if len(rest) > 1 and rest[-1].low in ("up", "out", "off", "down") else rest
