"""Summarise: old narrations -> the story so far in short, each sentence with the turns that it tells of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lorewright.builtin.summariser import summarise
from lorewright.errors import ProviderError
from lorewright.llm.model import Narrow
from lorewright.tokens import count_tokens
from lorewright.turn.stages.stage import Stage, one_of
from lorewright.turn.stages.summarise.context import summariser_context
from lorewright.values.annotations import SUMMARY_TOKENS, SummariserInput, SummariserOutput


class Summarise(Stage[SummariserInput, SummariserOutput, SummariserOutput]):
    """The stage that summarises the story so far."""

    name = "summariser"
    answer_type = SummariserOutput
    made_type = SummariserOutput
    builtin_version = 2
    # A summary is made beside the story: neither an invalid answer nor a model that is away costs a turn.
    falls_back_on = (ProviderError,)

    def builtin_answer(self, given: SummariserInput) -> SummariserOutput:
        """Return sentences of the narrations, as they are."""
        return summarise(given)

    def context(self, given: SummariserInput) -> Mapping[str, Any]:
        """Return the variables: the summary before and the narrations, by turn."""
        return summariser_context(given).model_dump(mode="json")

    def narrow(self, given: SummariserInput) -> Narrow:
        """Return the numbers of the turns that were shown."""
        return {"sentences.*.turns.*": one_of(sorted(given.known_turns))}

    def wrong_with(self, answer: SummariserOutput, given: SummariserInput) -> str | None:
        """Return what is wrong: turns that were not shown, or more text than a summary may hold; else None."""
        for number, sentence in enumerate(answer.sentences, start=1):
            unknown = sorted(set(sentence.turns) - given.known_turns)
            if unknown:
                return f"sentence {number} names turn {unknown[0]}, which was not shown"
            apart = sorted(set(sentence.turns) - given.covered(sentence.turns))
            if apart:
                return (
                    f"sentence {number}: turn {apart[0]} was summarised together with other turns: name those as well"
                )
        tokens = sum(count_tokens(sentence.text) for sentence in answer.sentences)
        if tokens > SUMMARY_TOKENS:
            return f"it is too long: about {tokens} tokens, and {SUMMARY_TOKENS} are kept; drop what matters least"
        return None

    def made_of(self, answer: SummariserOutput, given: SummariserInput) -> SummariserOutput:
        """Return the sentences by their first turn, each with its turns in order."""
        ordered = [
            sentence.model_copy(update={"turns": tuple(sorted(set(sentence.turns)))}) for sentence in answer.sentences
        ]
        return SummariserOutput(sentences=tuple(sorted(ordered, key=lambda sentence: sentence.turns[0])))
