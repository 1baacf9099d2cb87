"""Premises -> lines for a prompt: what the player claims, and whether anybody may agree to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from lorewright.values.records import Premise

_CLAIMED = {
    "said": "{by} told {to}: “{what}”",
    "promised": "{by} promised {to}: “{what}”",
    "owes": "{by} owes {to}: “{what}”",
    "owns": "“{what}” is {by}'s own",
}


def claims_in_words(premises: Iterable[Premise], names: Mapping[str, str]) -> Iterator[str]:
    """A line for each; the words claimed are the player's, and nothing of what bears them out is told."""
    for one in premises:
        by, to = names.get(one.by, "somebody"), names.get(one.to or "", "somebody")
        claimed = _CLAIMED[one.kind].format(by=by, to=to, what=one.what)
        said = "That is so." if one.holds else "Nothing bears this out: nobody agrees to it or repeats it as true."
        yield f"The player claims that {claimed}. {said}"
