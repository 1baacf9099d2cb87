"""The story so far: old narrations -> sentences that name their turns, held by code to what was told in them.

No turn is lost for want of a summary: it is made beside the story, and what a model cannot give in a form that holds is
taken from the narrations themselves, by the built-in stage. Both attempts stand in the turn's records.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lorewright.errors import ProviderError
from lorewright.index.generation import Generation
from lorewright.index.words import words_of
from lorewright.retrieval.gazetteer import named_entities
from lorewright.turn.checks.closed_names import unknown_names
from lorewright.turn.stages.stage import Keeper
from lorewright.turn.stages.summarise.stage import Summarise
from lorewright.turn.store.old_story import in_common
from lorewright.turn.views.draft import Head
from lorewright.values.kept import Summary, SummarySentence
from lorewright.values.listener import SILENT, Listener
from lorewright.values.summary_records import (
    SummarisedSentence,
    SummariserInput,
    SummariserOutput,
    summarised_sentences,
)
from lorewright.world.state import WorldState

_SECOND_PERSON = frozenset({"you", "your", "yours", "yourself"})

Leak = Callable[[str], str | None]


async def summarised(
    head: Head,
    stage: Summarise,
    keeper: Keeper,
    *,
    generations: Sequence[Generation] = (),
    leak: Leak = lambda _: None,
    listener: Listener = SILENT,
) -> Summary | None:
    """The story up to the oldest turns that stages are shown, where enough was told since the last summary; else None.

    `leak` says what of a text quotes what the player has not learned, or None. A model that fails, or whose answer
    stays invalid, is replaced by the built-in stage. It never raises for either.
    """
    if not head.untold:
        return None
    state, names, told_before = head.state, _Names(head.state, generations), summarised_sentences(head.summary)
    given = SummariserInput(
        player_name=state.name_of(state.player_id),
        before=told_before,
        told=head.untold,
        names=names.in_text("\n".join([one.text for one in head.untold] + [one.text for one in told_before])),
    )

    def check(answer: SummariserOutput) -> str | None:
        return _problem(answer, given, names, leak)

    try:
        made = await stage.run(given, keeper, check=check, listener=listener)
    except ProviderError:
        made = await Summarise().run(given, keeper)
    return _summary(made, head, given)


def _problem(answer: SummariserOutput, given: SummariserInput, names: _Names, leak: Leak) -> str | None:
    for number, one in enumerate(answer.sentences, start=1):
        sources = given.sources(one.turns)
        if found := names.missing(one.text, sources):
            return f"sentence {number} names {found[0]}, and what was told in its turns does not: leave it out"
        if leaked := leak(one.text):
            return f"sentence {number}: {leaked}"
    return None


def _summary(made: SummariserOutput, head: Head, given: SummariserInput) -> Summary:
    before = head.summary
    old = before.sentences if before is not None else ()
    ids = {number: turn_id for one in old for number, turn_id in zip(one.turn_nos, one.turn_ids, strict=True)}
    ids |= {one.turn_no: one.turn_id for one in given.told}
    heard: list[tuple[frozenset[int], tuple[str, ...]]] = [
        *((frozenset(one.turn_nos), one.audience) for one in old),
        *((frozenset({one.turn_no}), one.audience) for one in given.told),
    ]
    return Summary(
        from_turn_no=before.from_turn_no if before is not None else given.told[0].turn_no,
        to_turn_no=given.told[-1].turn_no,
        sentences=tuple(_sentence(one, ids, heard) for one in made.sentences),
    )


def _sentence(
    one: SummarisedSentence, ids: Mapping[int, str], heard: Sequence[tuple[frozenset[int], tuple[str, ...]]]
) -> SummarySentence:
    turns = frozenset(one.turns)
    audiences = [audience for of_turns, audience in heard if of_turns <= turns]
    return SummarySentence(
        text=one.text,
        turn_ids=tuple(ids[turn] for turn in one.turns),
        turn_nos=one.turns,
        audience=in_common(audiences),
    )


class _Names:
    """The names that there are: of whoever and whatever is in the world, and in its packs."""

    def __init__(self, state: WorldState, generations: Sequence[Generation]) -> None:
        self._generations = generations
        self._player_ids = frozenset({state.player_id, *state.personas})
        called = {one.id: (one.name, *one.aliases) for _, one in sorted(state.entities.items())}
        self._called = {one_id: tuple(map(_without_article, names)) for one_id, names in called.items()}
        self._runs = {
            one_id: tuple(run for name in names if (run := _run(name))) for one_id, names in self._called.items()
        }

    def in_text(self, text: str) -> tuple[str, ...]:
        """The names of the world's that stand in a text, each once; of whoever has several the first that does."""
        run = _run(text)
        found = (
            next((name for name in names if _run(name) and _run(name) in run), "") for names in self._called.values()
        )
        return tuple(dict.fromkeys(name for name in found if name))

    def missing(self, sentence: str, sources: str) -> list[str]:
        """What a sentence names and its sources do not, by whichever name. `You` is whom the player plays."""
        said, told = self._named(sentence), self._named(sources)
        if not _SECOND_PERSON.isdisjoint(words_of(sources)):
            told |= dict.fromkeys(self._player_ids, "")
        unnamed = [name for one_id, name in said.items() if one_id not in told]
        # Whoever is named there may be called by any of their names.
        others = "\n".join(name for one_id in told for name in self._called.get(one_id, ()))
        return unnamed or unknown_names(sentence, shown=f"{sources}\n{others}")

    def _named(self, text: str) -> dict[str, str]:
        """Entity ID -> the name that stands in a text."""
        run = _run(text)
        found = {
            one_id: self._called[one_id][0] for one_id, runs in self._runs.items() if any(name in run for name in runs)
        }
        return {**named_entities(text, self._generations), **found}


def _without_article(name: str) -> str:
    first, _, rest = name.partition(" ")
    return rest if rest and first.casefold() in ("the", "a", "an") else name


def _run(text: str) -> str:
    """Its words as one text that a run of words can be looked up in; empty where there are none."""
    words = words_of(text)
    return f" {' '.join(words)} " if words else ""
