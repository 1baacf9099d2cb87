"""Verbs that a ruleset brings along (`mark the centre`): the longest of them, and what it is aimed at -> a Reading."""

from __future__ import annotations

from collections.abc import Sequence

from lorewright.builtin.parser.clauses import Word, lows
from lorewright.builtin.parser.lexicon import longest_prefix
from lorewright.builtin.parser.phrases import Wanted, bare, meant, trimmed
from lorewright.builtin.parser.readings import Context, Reading, acting, shown

# What may stand between the verb and what it is aimed at.
_LEADS = ("at", "on", "onto", "in", "into", "to", "over", "for")


def own_verbs(ctx: Context) -> list[tuple[str, ...]]:
    """The verbs, each as its words, the longest first."""
    return sorted((tuple(verb.split()) for verb in ctx.verbs), key=lambda words: (-len(words), words))


def by_own_verb(ctx: Context, words: str, said: Sequence[Word]) -> Reading | None:
    """An action of the ruleset's own; alone it is aimed at nobody. None where no verb of its begins the words."""
    verb = longest_prefix(lows(said), own_verbs(ctx))
    if not verb:
        return None
    kind, rest = ctx.verbs[" ".join(verb)], trimmed(said[len(verb) :], start=_LEADS)
    typed = " ".join(verb)
    if not bare(rest):
        return acting(ctx, kind, typed)
    nouns = ctx.nouns
    target = meant(ctx, words, rest, Wanted((*nouns.people, *nouns.things, *nouns.doors), pattern=f"{typed} {{}}"))
    return target if isinstance(target, Reading) else acting(ctx, kind, f"{typed} {shown(target)}", target=target)
