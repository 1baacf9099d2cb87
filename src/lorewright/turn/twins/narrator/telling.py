"""narrate(NarratorInput) -> NarratorOutput: select, plan, realise, and the paragraphs."""

from __future__ import annotations

from collections.abc import Sequence

from lorewright.turn.records import NarratorInput, NarratorOutput
from lorewright.turn.twins.narrator.authored import word_count
from lorewright.turn.twins.narrator.bag import Ledger
from lorewright.turn.twins.narrator.beats import Beat
from lorewright.turn.twins.narrator.plan import MAX_OWN_SENTENCES, plan
from lorewright.turn.twins.narrator.realise import Voice, opening
from lorewright.turn.twins.narrator.select import select

MIN_WORDS = 15
# A paragraph that is this long ends before somebody speaks.
_LONG_PARAGRAPH = 35

Told = tuple[Beat, str]


def narrate(given: NarratorInput) -> NarratorOutput:
    """The turn as prose. The same input gives the same text; nothing is told that is not in the input."""
    selection = select(given)
    ledger = Ledger(given.seed, dict(given.recall))
    voice = Voice(ledger)
    told: list[Told] = []
    for beat in plan(selection.beats):
        told.append((beat, voice.say(beat, opening(given.seed, given.turn_no, is_first=not told))))
    spare = list(selection.spare)
    while spare and _words(told) < MIN_WORDS and sum(1 for beat, _ in told if beat.group) < MAX_OWN_SENTENCES:
        beat = spare.pop(0)
        text = voice.say(beat, opening(given.seed, given.turn_no, is_first=not told))
        told.insert(_end_of_turn(told), (beat, text))
    return NarratorOutput(
        final_text=_paragraphs(told),
        cited=tuple(dict.fromkeys(cited for beat, _ in told for cited in beat.cites)),
        recall=tuple(ledger.used),
    )


def _words(told: Sequence[Told]) -> int:
    return sum(word_count(text) for beat, text in told if beat.kind != "ending")


def _end_of_turn(told: Sequence[Told]) -> int:
    """Where a filler goes: last, but before an ending."""
    return next((index for index, (beat, _) in enumerate(told) if beat.kind == "ending"), len(told))


def _paragraphs(told: Sequence[Told]) -> str:
    paragraphs: list[list[str]] = [[]]
    for beat, text in told:
        length = sum(map(word_count, paragraphs[-1]))
        if paragraphs[-1] and (beat.starts_paragraph or (beat.is_speech and length >= _LONG_PARAGRAPH)):
            paragraphs.append([])
        paragraphs[-1].append(text)
    return "\n\n".join(" ".join(texts) for texts in paragraphs)
