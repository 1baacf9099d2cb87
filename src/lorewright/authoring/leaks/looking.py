"""A text that somebody was shown -> the canaries in it that they may not know, as leaks."""

from __future__ import annotations

from dataclasses import dataclass

from lorewright.authoring.leaks.findings import Leak, Tally
from lorewright.authoring.leaks.planting import Canaries, Secret, may_know

_AROUND = 60
NOTHING: frozenset[str] = frozenset()
# Where the pack's author can do nothing about it.
OURS = "this is no fault of the pack: report it, with the pack or the smallest piece of it that shows it"


@dataclass(frozen=True, slots=True)
class Looker:
    """Holds what is shown against the canaries of all packs."""

    canaries: Canaries
    tally: Tally

    def look(
        self,
        text: str,
        *,
        viewer: str,
        channel: str,
        where: str,
        learned: frozenset[str] = NOTHING,
        own_ids: frozenset[str] = NOTHING,
        watched: bool = False,
        named: str | None = None,
    ) -> list[Secret]:
        """Every secret whose canary stands in the text; those that the viewer may not know are leaks. In the finding
        the viewer is called `named`, where that says more."""
        self.tally.looked(channel)
        found = self.canaries.found_in(text)
        for secret in found:
            if not may_know(secret, viewer, learned, own_ids=own_ids, watched=watched):
                quote = _around(text, secret, self.canaries)
                self.tally.found(
                    Leak(secret.file, secret.line, secret.id, named or viewer, channel, where, quote, OURS)
                )
        return found


def _around(text: str, secret: Secret, canaries: Canaries) -> str:
    word = next(word for word, one in canaries.words.items() if one is secret)
    at = text.casefold().find(word)
    return " ".join(text[max(at - _AROUND, 0) : at + len(word)].split())
