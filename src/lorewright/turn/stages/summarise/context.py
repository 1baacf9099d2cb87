"""SummariserInput -> the variables of the summariser's prompt."""

from __future__ import annotations

from typing import ClassVar

from lorewright.turn.stages.variables import NOBODY, MessageVariables, PromptContext, is_dialog
from lorewright.values.annotations import SUMMARY_TOKENS, SummariserInput
from lorewright.world.frozen import Frozen


class BeforeVariables(Frozen):
    """A sentence of the summary so far, and its turns as they are written: `3, 4`."""

    text: str
    turns: str


class SummariserContext(PromptContext):
    """Narrations that are to be told in short, and the summary so far: as one text, and sentence by sentence
    (`before`). `most_words` is the most words of the whole."""

    stable: ClassVar[tuple[str, ...]] = ("player_name", "most_words")

    player_name: str = NOBODY
    most_words: int = 0
    summary_before: str = ""
    before: tuple[BeforeVariables, ...] = ()
    msgs: tuple[MessageVariables, ...] = ()


def summariser_context(given: SummariserInput) -> SummariserContext:
    """Return the summariser's variables, from its input."""
    return SummariserContext(
        player_name=given.player_name or NOBODY,
        # A word takes four thirds of a token, and a model that is told a limit writes up to it.
        most_words=SUMMARY_TOKENS // 2,
        summary_before=" ".join(sentence.text for sentence in given.before),
        before=tuple(
            BeforeVariables(text=sentence.text, turns=", ".join(map(str, sentence.turns))) for sentence in given.before
        ),
        msgs=tuple(
            MessageVariables(character="narrator", text=turn.text, is_dialog=is_dialog(turn.text), turn_no=turn.turn_no)
            for turn in given.told
        ),
    )
