"""What is thought beside a narration, and waits for it: how those who acted are moved by what they mean to do, and the
story so far in short. None of it learns what is being told."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from lorewright.rules.rulesets import TurnProfile
from lorewright.turn.checks.inner_writes import inner_ops
from lorewright.turn.run.at_hand import AtHand
from lorewright.turn.run.rounds import Round
from lorewright.turn.run.summaries import summarised
from lorewright.turn.views.draft import Recorder
from lorewright.turn.views.visibility import Reader
from lorewright.values.inner import inner_input
from lorewright.values.kept import Review, Summary
from lorewright.world.frozen import Frozen
from lorewright.world.ops import StateOp

WRITES = "inner_writes"
# With one round a turn nobody's inner life is moved but by the rules.
_MOVING: tuple[TurnProfile, ...] = ("stream", "ensemble")


class Written(Frozen):
    """What was thought beside a narration, for when it has been told: ops that fit or are left out."""

    ops: tuple[StateOp, ...] = ()
    reviews: tuple[Review, ...] = ()
    summary: Summary | None = None


# With a recorder of its own, so that the records of what runs side by side stand in one order.
Beside = Callable[[Recorder], Coroutine[Any, Any, Written]]


def beside(turn: AtHand, rounds: list[Round]) -> list[Beside]:
    """The jobs that run beside the narration of some rounds, in the order of their records."""
    jobs: list[Beside] = []
    if turn.setting.rules.profile in _MOVING:
        jobs += [_extraction(turn, one) for one in rounds]
    if turn.head.untold and not turn.played.told:
        jobs.append(_summary(turn))
    return jobs


def _extraction(turn: AtHand, one: Round) -> Beside:
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

    async def job(recorder: Recorder) -> Written:
        output = await stage.run(given, recorder, listener=turn.listener)
        writes = inner_ops(output, one.who, state, ruleset, stage=stage.name, leak=leak)
        recorder.keep_code(WRITES, [output], writes)
        return Written(ops=writes.ops, reviews=writes.reviews)

    return job


def _summary(turn: AtHand) -> Beside:
    state = turn.played.state

    async def job(recorder: Recorder) -> Written:
        made = await summarised(
            turn.head,
            turn.stages.summarise,
            recorder,
            generations=turn.setting.generations,
            leak=lambda text: turn.views.leak(text, state),
            listener=turn.listener,
        )
        return Written(summary=made)

    return job
