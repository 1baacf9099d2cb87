"""Verbs of the ruleset (`mark the centre`): the longest of them, and its target -> a Reading."""

from __future__ import annotations

from collections.abc import Sequence

from lorewright.builtin.parser.clauses import Word, longest_prefix, lows
from lorewright.builtin.parser.readings import (
    ParseContext,
    PhraseKind,
    Reading,
    acting,
    bare,
    meant,
    shown,
    trimmed,
)

# Words between the verb and its target.
_LEADS = ("at", "on", "onto", "in", "into", "to", "over", "for")


def own_verbs(ctx: ParseContext) -> list[tuple[str, ...]]:
    """Return the verbs, each as its words, longest first."""
    return sorted((tuple(verb.split()) for verb in ctx.verbs), key=lambda words: (-len(words), words))


def by_own_verb(ctx: ParseContext, words: str, said: Sequence[Word]) -> Reading | None:
    """Read an action of the ruleset's own; alone it has no target. None where no such verb begins the words."""
    verb = longest_prefix(lows(said), own_verbs(ctx))
    taken = len(verb)
    if not verb:
        verb, taken = _described_verb(ctx, lows(said))
    if not verb:
        return None
    kind, rest = ctx.verbs[" ".join(verb)], trimmed(said[taken:], start=_LEADS)
    typed = " ".join(verb)
    if not bare(rest):
        return acting(ctx, kind, typed)
    nouns = ctx.nouns
    target = meant(ctx, words, rest, PhraseKind((*nouns.people, *nouns.things, *nouns.doors), pattern=f"{typed} {{}}"))
    return target if isinstance(target, Reading) else acting(ctx, kind, f"{typed} {shown(target)}", target=target)


_OWNERS = frozenset(("a", "an", "my", "the", "another", "one"))


def _described_verb(ctx: ParseContext, low: Sequence[str]) -> tuple[tuple[str, ...], int]:
    """Return the verb that begins the words with one or two words more behind its article, and how many words those
    are: `draw a small neat cross in`. Nothing where none does."""
    for verb in own_verbs(ctx):
        at = next((at for at, word in enumerate(verb) if word in ("a", "an", "my", "the")), -1)
        for more in (1, 2) if at > 0 else ():
            said = (*low[: at + 1], *low[at + 1 + more :])
            if said[: len(verb)] == verb:
                return verb, len(verb) + more
        # `draw my cross in` for `draw a cross in`.
        if (
            at > 0
            and len(low) > at
            and low[at] in _OWNERS
            and (*low[:at], verb[at], *low[at + 1 :])[: len(verb)] == verb
        ):
            return verb, len(verb)
    return (), 0
