"""Beats -> the beats that are told: five sentences of ours and about 110 words; what matters least goes."""

from __future__ import annotations

from collections.abc import Sequence

from lorewright.turn.twins.narrator.authored import word_count
from lorewright.turn.twins.narrator.beats import SALIENCE, Beat

MAX_OWN_SENTENCES = 5
MAX_WORDS = 105
# A sentence of ours before it is made: longer than most, so that the estimate holds.
_OWN_WORDS = 10


def plan(beats: Sequence[Beat]) -> tuple[Beat, ...]:
    """The beats less what does not fit, in their order. Outcome, evidence, price and ending always stay.

    An ending is a paragraph of its own and takes no room from the turn.
    """
    kept = list(beats)
    while _is_too_long(kept):
        droppable = [index for index, beat in enumerate(kept) if not beat.is_kept]
        if not droppable:
            break
        # Of what matters equally little the later goes.
        del kept[min(droppable, key=lambda index: (SALIENCE[kept[index].kind], -index))]
    return tuple(kept)


def estimate(beat: Beat) -> int:
    """About how many words a beat will have."""
    lists = sum(word_count(str(beat.slots[name])) for name in ("list", "names", "reminder") if name in beat.slots)
    return word_count(beat.authored) + lists + (_OWN_WORDS if beat.group else 0)


def _is_too_long(beats: Sequence[Beat]) -> bool:
    told = [beat for beat in beats if beat.kind != "ending"]
    own = sum(1 for beat in told if beat.group)
    return own > MAX_OWN_SENTENCES or sum(map(estimate, told)) > MAX_WORDS
