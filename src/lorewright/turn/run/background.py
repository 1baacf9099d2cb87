"""Jobs that run concurrently with a narration: how the inner states of those who acted are moved by their intentions,
and the summary of the story so far. None of them sees the narration."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

from lorewright.ids import canonical_json
from lorewright.index.generation import Generation
from lorewright.index.keywords import words_of
from lorewright.retrieval.filters import named_entities
from lorewright.rules.rulesets import Ruleset, TurnProfile
from lorewright.turn.checks import tools
from lorewright.turn.run.prose import unknown_names
from lorewright.turn.run.rounds import remembered
from lorewright.turn.run.steps import Round, TurnContext
from lorewright.turn.stages.stage import StageRecorder
from lorewright.turn.stages.summarise.stage import Summarise
from lorewright.turn.store.rows import common_audience
from lorewright.turn.views.draft import Head, Recorder
from lorewright.turn.views.point import TurnPoint
from lorewright.values.annotations import (
    Review,
    SummarisedSentence,
    SummariserInput,
    SummariserOutput,
    Summary,
    SummarySentence,
    summarised_sentences,
)
from lorewright.values.inner import (
    StateChange,
    StateExtractorOutput,
    can_be_opened,
    inner_input,
    inner_states,
    kind_of,
    states_to_open,
    writable_stats,
)
from lorewright.values.records import SILENT, TurnListener
from lorewright.visibility import MessageReader
from lorewright.world.frozen import Frozen
from lorewright.world.ops import ClearCharacterState, SetCharacterState, SetPath, StateOp
from lorewright.world.schemas import plain
from lorewright.world.state import WorldState
from lorewright.world.things import CharacterState

# Changes that an extractor of inner life proposes -> ops, reviews of changes that it is not sure of, and refusals.
# Changes are judged on the state after the turn's own ops, and touch the inner states of one character alone: existing
# named states, and stats of the ruleset that an extractor may write. So nothing more has to be asked if the attempt
# failed. Code bounds each step, so that nobody becomes another person in one turn.

KIND = "inner_state"
# The most that a number moves in one turn, or a fifth of its value where that is more.
LARGEST_STEP = 3
_SHARE = 5
# The most characters of a state in words, and of any other value as JSON.
LONGEST_TEXT = 200
_LONGEST_JSON = 400


class RefusedChange(Frozen):
    """A change that did not become true, and why."""

    name: str
    reason: str
    change: StateChange


class InnerWrites(Frozen):
    """The results of an extractor's changes, in their order."""

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

    `leak` returns what is wrong with a text that tells somebody else's secret, or None. Reasons: `unknown_state`,
    `said_twice`, `no_change`, `wrong_kind`, `too_large_a_step`, `too_long`, `quotes_what_is_hidden`, and those of
    owners and ops.
    """
    ops: list[StateOp] = []
    reviews: list[Review] = []
    refused: list[RefusedChange] = []
    seen: set[str] = set()
    for change in output.changes:
        made = "said_twice" if change.name in seen else _op_of_change(change, who, state, ruleset, leak)
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


def _op_of_change(
    change: StateChange, who: str, state: WorldState, ruleset: Ruleset, leak: Callable[[str], str | None]
) -> StateOp | str:
    """Return the op of a change, or the reason for which it is refused."""
    current = inner_states(who, state, ruleset).get(change.name)
    stats = writable_stats(who, state, ruleset)
    if current is None and change.name not in stats:
        is_stat = change.name in ruleset.character_stat_schema.get("properties", {})
        if is_stat or not states_to_open(who, state, ruleset) or not can_be_opened(change):
            return "unknown_state"
        current = CharacterState(value=None)
    was = plain(stats[change.name] if current is None else current.value)
    wrong = _wrong_with(change, was, leak)
    if wrong is not None:
        return wrong
    return _stat_op(change, who, was) if current is None else _state_op(change, who, current, ruleset)


def _wrong_with(change: StateChange, was: Any, leak: Callable[[str], str | None]) -> str | None:
    value = change.value
    if value is not None and was is not None and kind_of(value) != kind_of(was):
        return "wrong_kind"
    if kind_of(value) == "number" and was is not None and abs(value - was) > max(LARGEST_STEP, abs(was) / _SHARE):
        return "too_large_a_step"
    written = value if isinstance(value, str) else canonical_json(value)
    if len(written) > (LONGEST_TEXT if isinstance(value, str) else _LONGEST_JSON):
        return "too_long"
    # The reason is stored with the review where the change waits for one.
    return "quotes_what_is_hidden" if leak("\n".join((written, change.reason))) is not None else None


def _state_op(change: StateChange, who: str, current: CharacterState, ruleset: Ruleset) -> StateOp | str:
    if change.over and current == ruleset.states.get(change.name):
        return "no_change"
    if change.over:
        return ClearCharacterState(who=who, name=change.name)
    value = plain(current.value) if change.value is None else _tidy(change.value)
    level = current.level if change.level is None else change.level
    if _same(value, plain(current.value)) and level == current.level:
        return "no_change"
    return SetCharacterState(who=who, name=change.name, value=value, level=level)


def _stat_op(change: StateChange, who: str, was: Any) -> StateOp | str:
    """Return the op for a stat, which has no level and cannot end, or the reason for refusing it."""
    if change.over or change.value is None or _same(_tidy(change.value), was):
        return "no_change"
    return SetPath(path=change.name, of=who, value=_tidy(change.value))


def _tidy(value: Any) -> Any:
    """Return a text on one line without characters that are not printable; any other value as it is."""
    if not isinstance(value, str):
        return value
    return " ".join("".join(sign if sign.isprintable() else " " for sign in value).split())


def _same(first: Any, other: Any) -> bool:
    return canonical_json(first) == canonical_json(other)


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


# The story so far: old narrations -> sentences that name their turns, checked by code against those turns. A failing
# summary never costs a turn: it is made next to the story, and what a model cannot give in a valid form is taken from
# the narrations themselves, by the built-in stage. Both attempts stand in the turn's records.

_SECOND_PERSON = frozenset({"you", "your", "yours", "yourself"})

Leak = Callable[[str], str | None]


async def update_summary(
    head: Head,
    stage: Summarise,
    keeper: StageRecorder,
    *,
    generations: Sequence[Generation] = (),
    leak: Leak = lambda _: None,
    listener: TurnListener = SILENT,
) -> Summary | None:
    """Return the story up to the oldest turns that stages are shown, if enough was told since the last summary; else
    None.

    `leak` returns what is wrong with a text that quotes what the player has not learned, or None. Where a model fails,
    or its answer stays invalid, the stage falls back on the built-in one; neither raises.
    """
    if not head.untold:
        return None
    state, names, told_before = head.state, _Names(head.state, generations), summarised_sentences(head.summary)
    given = SummariserInput(
        player_name=state.name_of(state.player_id),
        before=told_before,
        told=head.untold,
        names=names.in_text(
            "\n".join([turn.text for turn in head.untold] + [sentence.text for sentence in told_before])
        ),
    )

    def check(answer: SummariserOutput) -> str | None:
        return _problem(answer, given, names, leak)

    made = await stage.run(given, keeper, check=check, listener=listener)
    return _next_summary(made, head, given)


def _problem(answer: SummariserOutput, given: SummariserInput, names: _Names, leak: Leak) -> str | None:
    for number, sentence in enumerate(answer.sentences, start=1):
        sources = given.sources(sentence.turns)
        if found := names.missing(sentence.text, sources):
            return f"sentence {number} names {found[0]}, which the narrations of its turns do not name: leave it out"
        if leaked := leak(sentence.text):
            return f"sentence {number}: {leaked}"
    return None


def _next_summary(made: SummariserOutput, head: Head, given: SummariserInput) -> Summary:
    before = head.summary
    old = before.sentences if before is not None else ()
    ids = {
        number: turn_id
        for sentence in old
        for number, turn_id in zip(sentence.turn_nos, sentence.turn_ids, strict=True)
    }
    ids |= {turn.turn_no: turn.turn_id for turn in given.told}
    heard: list[tuple[frozenset[int], tuple[str, ...]]] = [
        *((frozenset(sentence.turn_nos), sentence.audience) for sentence in old),
        *((frozenset({turn.turn_no}), turn.audience) for turn in given.told),
    ]
    return Summary(
        from_turn_no=before.from_turn_no if before is not None else given.told[0].turn_no,
        to_turn_no=given.told[-1].turn_no,
        sentences=tuple(_sentence(sentence, ids, heard) for sentence in made.sentences),
    )


def _sentence(
    sentence: SummarisedSentence, ids: Mapping[int, str], heard: Sequence[tuple[frozenset[int], tuple[str, ...]]]
) -> SummarySentence:
    turns = frozenset(sentence.turns)
    audiences = [audience for of_turns, audience in heard if of_turns <= turns]
    return SummarySentence(
        text=sentence.text,
        turn_ids=tuple(ids[turn] for turn in sentence.turns),
        turn_nos=sentence.turns,
        audience=common_audience(audiences),
    )


class _Names:
    """The names of all entities of the world and its packs."""

    def __init__(self, state: WorldState, generations: Sequence[Generation]) -> None:
        self._generations = generations
        self._player_ids = frozenset({state.player_id, *state.personas})
        called = {entity.id: (entity.name, *entity.aliases) for _, entity in sorted(state.entities.items())}
        self._called = {entity_id: tuple(map(_without_article, names)) for entity_id, names in called.items()}
        self._runs = {
            entity_id: tuple(run for name in names if (run := _searchable(name)))
            for entity_id, names in self._called.items()
        }

    def in_text(self, text: str) -> tuple[str, ...]:
        """Return the world's names that stand in a text, each entity once, by the first of its names that does."""
        run = _searchable(text)
        found = (
            next((name for name in names if _searchable(name) and _searchable(name) in run), "")
            for names in self._called.values()
        )
        return tuple(dict.fromkeys(name for name in found if name))

    def missing(self, sentence: str, sources: str) -> list[str]:
        """Return the names in a sentence of entities that its sources do not name, by any of their names. `You` is the
        player's character."""
        said, told = self._named(sentence), self._named(sources)
        if not _SECOND_PERSON.isdisjoint(words_of(sources)):
            told |= dict.fromkeys(self._player_ids, "")
        unnamed = [name for entity_id, name in said.items() if entity_id not in told]
        # An entity that is named there may be called by any of its names.
        others = "\n".join(name for entity_id in told for name in self._called.get(entity_id, ()))
        return unnamed or unknown_names(sentence, shown=f"{sources}\n{others}")

    def _named(self, text: str) -> dict[str, str]:
        """Return entity ID -> name of the entities named in a text."""
        run = _searchable(text)
        found = {
            entity_id: self._called[entity_id][0]
            for entity_id, runs in self._runs.items()
            if any(name in run for name in runs)
        }
        return {**named_entities(text, self._generations), **found}


def _without_article(name: str) -> str:
    first, _, rest = name.partition(" ")
    return rest if rest and first.casefold() in ("the", "a", "an") else name


def _searchable(text: str) -> str:
    """Return the words of a text with blanks around, so that a run of words can be searched for; empty where there are
    none."""
    words = words_of(text)
    return f" {' '.join(words)} " if words else ""


# The jobs that run concurrently with a narration.

WRITES = "inner_writes"
# The profiles in which inner states move; in others, with one round a turn, only the rules move them.
_MOVING: tuple[TurnProfile, ...] = ("stream", "ensemble")


class BackgroundResult(Frozen):
    """The result of a background job, applied after the narration: ops, of which those that do not fit are dropped."""

    ops: tuple[StateOp, ...] = ()
    reviews: tuple[Review, ...] = ()
    summary: Summary | None = None


# A job gets a recorder of its own, so that the records of concurrent jobs are stored in a fixed order.
BackgroundJob = Callable[[Recorder], Coroutine[Any, Any, BackgroundResult]]


def background_jobs(
    turn: TurnContext, rounds: Sequence[Round], at: TurnPoint, *, summarise: bool
) -> list[BackgroundJob]:
    """Return the jobs that run concurrently with the narration of some rounds, in the order of their records. The story
    so far is summarised once a turn, with its first narration."""
    jobs: list[BackgroundJob] = []
    if turn.setting.rules.profile in _MOVING:
        jobs += [_extraction(turn, round_, at) for round_ in rounds]
    if turn.head.untold and summarise:
        jobs.append(_summary(turn, at))
    return jobs


def _extraction(turn: TurnContext, round_: Round, at: TurnPoint) -> BackgroundJob:
    is_own = round_.intent is None
    reader: MessageReader = "persona_extractor" if is_own else "character_extractor"
    stage = turn.stages.persona_extractor if is_own else turn.stages.character_extractor
    seen = at.stream.seen_by(reader, own_id=round_.who)
    rules = turn.setting.rules
    ruleset = rules.ruleset
    unheard = turn.views.acquaintance(at.state).says_unheard
    memories = remembered(round_.who, at.state, ruleset.decay_lambda, ())
    given = inner_input(
        round_.who,
        at.state,
        ruleset,
        intention=next((message.played for _, message in seen if message.type == "intention"), ""),
        actions=round_.actions,
        tags=() if round_.intent is None else round_.intent.intent_tags,
        thoughts=[message.content for _, message in seen if message.type == "thought"],
        narrations=[(number, message) for number, message in seen if message.type == "narration"],
        introduction=rules.introduced(round_.who),
        remembers=[memory for memory in memories if not unheard(memory.content)],
    )

    def leak(text: str) -> str | None:
        return turn.views.inner_leak(text, at, round_.who)

    async def job(recorder: Recorder) -> BackgroundResult:
        output = await stage.run(given, recorder, listener=turn.listener)
        writes = inner_ops(output, round_.who, at.state, ruleset, stage=stage.name, leak=leak)
        recorder.keep_code(WRITES, [output], writes)
        return BackgroundResult(ops=writes.ops, reviews=writes.reviews)

    return job


def _summary(turn: TurnContext, at: TurnPoint) -> BackgroundJob:
    async def job(recorder: Recorder) -> BackgroundResult:
        made = await update_summary(
            turn.head,
            turn.stages.summarise,
            recorder,
            generations=turn.setting.generations,
            leak=lambda text: turn.views.leak(text, at),
            listener=turn.listener,
        )
        return BackgroundResult(summary=made)

    return job
