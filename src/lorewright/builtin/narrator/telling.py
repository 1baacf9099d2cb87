"""narrate(NarratorInput) -> NarratorOutput: select, plan, realise, and the paragraphs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from lorewright.builtin.narrator.authored import word_count
from lorewright.builtin.narrator.bag import Ledger
from lorewright.builtin.narrator.beats import Beat
from lorewright.builtin.narrator.memory import Memory, sentences
from lorewright.builtin.narrator.phrases import variants_of
from lorewright.builtin.narrator.plan import plan, room_for
from lorewright.builtin.narrator.realise import Voice
from lorewright.builtin.narrator.select import select
from lorewright.builtin.narrator.views import scene_facts
from lorewright.values.records import NarratorInput, NarratorOutput

MIN_WORDS = 15
# A paragraph that is this long ends before somebody speaks.
_LONG_PARAGRAPH = 35

Told = tuple[Beat, str]


def narrate(given: NarratorInput) -> NarratorOutput:
    """The turn as prose. The same input gives the same text; nothing is told that is not in the input."""
    memory = Memory(given.recent)
    selection = select(given, memory)
    ledger = Ledger(given.seed, dict(given.recall))
    people = [*(view.name for view in given.scene.people), *(act.name for act in given.acts)] if given.acts else []
    voice = Voice(ledger, memory, scene_facts(given), variants_of(given.grammar), people)
    told: list[Told] = []
    room = room_for(given)
    beats = _opened(plan(selection.beats, room), memory)
    for beat, following in zip_longest(beats, beats[1:]):
        if text := voice.say(beat, is_first=not told, before=_last(told), after=_next(beat, following)):
            told.append((beat, text))
    # What is still in the ear is left out at first; where nothing else is left, it is told all the same.
    for must in (False, True):
        for beat in selection.spare:
            if _words(told) >= MIN_WORDS or sum(1 for one, _ in told if one.group) >= room.own_sentences:
                break
            if any(one is beat for one, _ in told):
                continue
            text = voice.say(beat, is_first=not told, must=must, before=_last(told))
            if text:
                told.append((beat, text))
    return NarratorOutput(
        final_text=_paragraphs(told),
        # What was learned stands before what was only seen.
        cited=tuple(
            sorted(dict.fromkeys(cited for beat, _ in told for cited in beat.cites), key=lambda one: "#" not in one)
        ),
        recall=tuple(ledger.used),
    )


def _opened(beats: Sequence[Beat], memory: Memory) -> Sequence[Beat]:
    """The beats; where the first is authored alone and opens as the last turn did, a sentence of ours before it."""
    if beats and not beats[0].group and beats[0].kind != "ending" and memory.opens_alike(beats[0].authored):
        return (Beat("lead", "breath"), *beats)
    return beats


def _words(told: Sequence[Told]) -> int:
    return sum(word_count(text) for beat, text in told if beat.kind != "ending")


def _last(told: Sequence[Told]) -> str:
    """The last sentence that was told."""
    return sentences(told[-1][1])[-1] if told and sentences(told[-1][1]) else ""


def _next(beat: Beat, following: Beat | None) -> str:
    """The authored text that a frame will stand before; empty where that is speech, or another frame."""
    shown = beat if beat.authored else following
    if shown is None or shown.is_speech or (shown.group and shown is not beat):
        return ""
    return shown.authored


def _paragraphs(told: Sequence[Told]) -> str:
    paragraphs: list[list[str]] = [[]]
    for beat, text in told:
        length = sum(map(word_count, paragraphs[-1]))
        speaks = beat.is_speech and not beat.continues
        if paragraphs[-1] and (beat.starts_paragraph or (speaks and length >= _LONG_PARAGRAPH)):
            paragraphs.append([])
        paragraphs[-1].append(text)
    return "\n\n".join(" ".join(texts) for texts in paragraphs)
