"""Beats -> the beats that are told: five sentences of ours and about 110 words; what matters least goes. The acts of
others have room of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lorewright.builtin.narrator.authored import word_count
from lorewright.builtin.narrator.views import SALIENCE, Beat
from lorewright.values.records import NarratorInput

MAX_OWN_SENTENCES = 5
MAX_WORDS = 105
# What each act adds, and what a narration has that tells nothing but somebody's act.
_SENTENCES_OF_ACT, _WORDS_OF_ACT = 2, 35
_SENTENCES_OF_ROUND, _WORDS_OF_ROUND = 3, 60
# A sentence of ours before it is made: longer than most, so that the estimate holds.
_OWN_WORDS = 10


@dataclass(frozen=True, slots=True)
class Room:
    """How many sentences of ours a telling may have, and how many words it may come to."""

    own_sentences: int = MAX_OWN_SENTENCES
    words: int = MAX_WORDS


def room_for(given: NarratorInput) -> Room:
    """More for each act that is told; little where there is nothing else."""
    acts = len(given.acts)
    if is_round_of_another(given):
        return Room(_SENTENCES_OF_ROUND * acts, _WORDS_OF_ROUND * acts)
    return Room(MAX_OWN_SENTENCES + _SENTENCES_OF_ACT * acts, MAX_WORDS + _WORDS_OF_ACT * acts)


def is_round_of_another(given: NarratorInput) -> bool:
    """Whether nothing but others' acts is told."""
    return bool(given.acts) and not given.outcomes and not given.scene_changed


def plan(beats: Sequence[Beat], room: Room = Room()) -> tuple[Beat, ...]:
    """The beats less what does not fit, in their order. Outcome, act, evidence, price and ending always stay.

    An ending is a paragraph of its own and takes no room from the turn.
    """
    kept = list(beats)
    while _is_too_long(kept, room):
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


def _is_too_long(beats: Sequence[Beat], room: Room) -> bool:
    told = [beat for beat in beats if beat.kind != "ending"]
    own = sum(1 for beat in told if beat.group)
    return own > room.own_sentences or sum(map(estimate, told)) > room.words
