"""What is thought beside a narration, and waits for it: how those who acted are moved by what they mean to do, and the
story so far in short. None of it learns what is being told."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

from lorewright.errors import ProviderError
from lorewright.ids import canonical_json
from lorewright.index.generation import Generation
from lorewright.index.keywords import words_of
from lorewright.retrieval.filters import named_entities
from lorewright.rules.rulesets import Ruleset, TurnProfile
from lorewright.turn.checks import tools
from lorewright.turn.checks.accepting import unknown_names
from lorewright.turn.run.progress import TurnContext
from lorewright.turn.run.rounds import Round
from lorewright.turn.stages.stage import Keeper
from lorewright.turn.stages.summarise.stage import Summarise
from lorewright.turn.store.rows import in_common
from lorewright.turn.views.acquaintance import Reader
from lorewright.turn.views.draft import Head, Recorder
from lorewright.values.annotations import (
    Review,
    SummarisedSentence,
    SummariserInput,
    SummariserOutput,
    Summary,
    SummarySentence,
    summarised_sentences,
)
from lorewright.values.proposals import StateChange, StateExtractorOutput, inner_input, kind_of, writable_stats
from lorewright.values.records import SILENT, TurnListener
from lorewright.world.frozen import Frozen
from lorewright.world.ops import ClearCharacterState, SetCharacterState, SetPath, StateOp
from lorewright.world.schemas import plain
from lorewright.world.state import WorldState
from lorewright.world.things import CharacterState

# Changes that an extractor of inner life proposes -> ops, reviews of what it is not sure of, and refusals.
#
# They are judged on the state after the turn's own ops, and touch the inner states of one character alone: named states
# that there are, and stats of the ruleset's that are an extractor's. So nothing more has to be asked where the attempt
# failed. Code bounds each step: nobody becomes another person in one turn.

KIND = "inner_state"
# A number moves so far in one turn, or by a fifth of what it is where that is more.
LARGEST_STEP = 3
_SHARE = 5
# A state in words is a line (characters); anything else is measured as JSON.
LONGEST_TEXT = 200
_LONGEST_JSON = 400


class RefusedChange(Frozen):
    """A change that did not become true, and why."""

    name: str
    reason: str
    change: StateChange


class InnerWrites(Frozen):
    """What became of an extractor's changes, in their order."""

    ops: tuple[StateOp, ...] = ()
    reviews: tuple[Review, ...] = ()
    refused: tuple[RefusedChange, ...] = ()


def inner_ops(
    output: StateExtractorOutput,
    who: str,
    state: WorldState,
    ruleset: Ruleset,
    *,
    stage: str,
    leak: Callable[[str], str | None],
) -> InnerWrites:
    """Judge what was proposed for one character, in order, each change by itself.

    `leak` says what of a text is somebody else's secret, or None. Reasons: `unknown_state`, `said_twice`, `no_change`,
    `wrong_kind`, `too_large_a_step`, `too_long`, `quotes_what_is_hidden`, and those of owners and ops.
    """
    ops: list[StateOp] = []
    reviews: list[Review] = []
    refused: list[RefusedChange] = []
    seen: set[str] = set()
    for change in output.changes:
        made = "said_twice" if change.name in seen else _made(change, who, state, ruleset, leak)
        seen.add(change.name)
        if not isinstance(made, str):
            misfit = tools.refused(state, (*ops, made), by="extract", ruleset=ruleset)
            made = made if misfit is None else misfit.reason
        if isinstance(made, str):
            refused.append(RefusedChange(name=change.name, reason=made, change=change))
        elif change.confidence < ruleset.review_below:
            reviews.append(_review(change, made, who, state, stage))
        else:
            ops.append(made)
    return InnerWrites(ops=tuple(ops), reviews=tuple(reviews), refused=tuple(refused))


def _made(
    change: StateChange, who: str, state: WorldState, ruleset: Ruleset, leak: Callable[[str], str | None]
) -> StateOp | str:
    """The op of a change, or why it is none."""
    character = state.characters.get(who)
    held = None if character is None else character.states.get(change.name)
    stats = writable_stats(who, state, ruleset)
    if held is None and change.name not in stats:
        return "unknown_state"
    was = plain(stats[change.name] if held is None else held.value)
    wrong = _wrong_with(change, was, leak)
    if wrong is not None:
        return wrong
    return _stat_op(change, who, was) if held is None else _state_op(change, who, held)


def _wrong_with(change: StateChange, was: Any, leak: Callable[[str], str | None]) -> str | None:
    value = change.value
    if value is not None and was is not None and kind_of(value) != kind_of(was):
        return "wrong_kind"
    if kind_of(value) == "number" and was is not None and abs(value - was) > max(LARGEST_STEP, abs(was) / _SHARE):
        return "too_large_a_step"
    written = value if isinstance(value, str) else canonical_json(value)
    if len(written) > (LONGEST_TEXT if isinstance(value, str) else _LONGEST_JSON):
        return "too_long"
    # The reason is kept beside the state where the change waits to be reviewed.
    return "quotes_what_is_hidden" if leak("\n".join((written, change.reason))) is not None else None


def _state_op(change: StateChange, who: str, held: CharacterState) -> StateOp | str:
    if change.over:
        return ClearCharacterState(who=who, name=change.name)
    value = plain(held.value) if change.value is None else _tidy(change.value)
    level = held.level if change.level is None else change.level
    if _same(value, plain(held.value)) and level == held.level:
        return "no_change"
    return SetCharacterState(who=who, name=change.name, value=value, level=level)


def _stat_op(change: StateChange, who: str, was: Any) -> StateOp | str:
    """A stat has no level, and is not over."""
    if change.over or change.value is None or _same(_tidy(change.value), was):
        return "no_change"
    return SetPath(path=change.name, of=who, value=_tidy(change.value))


def _tidy(value: Any) -> Any:
    """A text on one line, without what only a terminal reads."""
    if not isinstance(value, str):
        return value
    return " ".join("".join(sign if sign.isprintable() else " " for sign in value).split())


def _same(one: Any, other: Any) -> bool:
    return canonical_json(one) == canonical_json(other)


def _review(change: StateChange, op: StateOp, who: str, state: WorldState, stage: str) -> Review:
    return Review(
        stage=stage,
        kind=KIND,
        subject_id=who,
        ops=(op,),
        shown=f"{state.name_of(who)}: {_in_words(change, op)}",
        confidence=change.confidence,
        reason=change.reason,
    )


def _in_words(change: StateChange, op: StateOp) -> str:
    match op:
        case SetCharacterState():
            return f"{op.name} becomes {_said(op.value)} (level {op.level})"
        case SetPath():
            return f"{op.path} becomes {_said(op.value)}"
        case _:
            return f"{change.name} is over"


def _said(value: Any) -> str:
    return value if isinstance(value, str) else canonical_json(plain(value))


# The story so far: old narrations -> sentences that name their turns, held by code to what was told in them.
#
# No turn is lost for want of a summary: it is made beside the story, and what a model cannot give in a form that holds
# is taken from the narrations themselves, by the built-in stage. Both attempts stand in the turn's records.

_SECOND_PERSON = frozenset({"you", "your", "yours", "yourself"})

Leak = Callable[[str], str | None]


async def summarised(
    head: Head,
    stage: Summarise,
    keeper: Keeper,
    *,
    generations: Sequence[Generation] = (),
    leak: Leak = lambda _: None,
    listener: TurnListener = SILENT,
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
    return _next_summary(made, head, given)


def _problem(answer: SummariserOutput, given: SummariserInput, names: _Names, leak: Leak) -> str | None:
    for number, one in enumerate(answer.sentences, start=1):
        sources = given.sources(one.turns)
        if found := names.missing(one.text, sources):
            return f"sentence {number} names {found[0]}, and what was told in its turns does not: leave it out"
        if leaked := leak(one.text):
            return f"sentence {number}: {leaked}"
    return None


def _next_summary(made: SummariserOutput, head: Head, given: SummariserInput) -> Summary:
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
        sentences=tuple(_sentence(sentence, ids, heard) for sentence in made.sentences),
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


WRITES = "inner_writes"
# With one round a turn nobody's inner life is moved but by the rules.
_MOVING: tuple[TurnProfile, ...] = ("stream", "ensemble")


class BackgroundResult(Frozen):
    """What was thought beside a narration, for when it has been told: ops that fit or are left out."""

    ops: tuple[StateOp, ...] = ()
    reviews: tuple[Review, ...] = ()
    summary: Summary | None = None


# With a recorder of its own, so that the records of what runs side by side stand in one order.
BackgroundJob = Callable[[Recorder], Coroutine[Any, Any, BackgroundResult]]


def background_jobs(turn: TurnContext, rounds: list[Round]) -> list[BackgroundJob]:
    """The jobs that run beside the narration of some rounds, in the order of their records."""
    jobs: list[BackgroundJob] = []
    if turn.setting.rules.profile in _MOVING:
        jobs += [_extraction(turn, one) for one in rounds]
    if turn.head.untold and not turn.played.told:
        jobs.append(_summary(turn))
    return jobs


def _extraction(turn: TurnContext, one: Round) -> BackgroundJob:
    is_own = one.intent is None
    reader: Reader = "persona_extractor" if is_own else "character_extractor"
    stage = turn.stages.persona_extractor if is_own else turn.stages.character_extractor
    seen = turn.stream.seen_by(reader, own_id=one.who)
    state, ruleset = turn.played.state, turn.setting.rules.ruleset
    given = inner_input(
        one.who,
        state,
        ruleset,
        intention=next((message.content for _, message in seen if message.type == "intention"), ""),
        actions=one.actions,
        tags=() if one.intent is None else one.intent.intent_tags,
        thoughts=[message.content for _, message in seen if message.type == "thought"],
        narrations=[(number, message) for number, message in seen if message.type == "narration"],
    )

    def leak(text: str) -> str | None:
        return turn.views.inner_leak(text, state, one.who)

    async def job(recorder: Recorder) -> BackgroundResult:
        output = await stage.run(given, recorder, listener=turn.listener)
        writes = inner_ops(output, one.who, state, ruleset, stage=stage.name, leak=leak)
        recorder.keep_code(WRITES, [output], writes)
        return BackgroundResult(ops=writes.ops, reviews=writes.reviews)

    return job


def _summary(turn: TurnContext) -> BackgroundJob:
    state = turn.played.state

    async def job(recorder: Recorder) -> BackgroundResult:
        made = await summarised(
            turn.head,
            turn.stages.summarise,
            recorder,
            generations=turn.setting.generations,
            leak=lambda text: turn.views.leak(text, state),
            listener=turn.listener,
        )
        return BackgroundResult(summary=made)

    return job
