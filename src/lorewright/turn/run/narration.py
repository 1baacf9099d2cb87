"""The telling of a turn, and what it adds to the world: narrate, extract, accept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lorewright.ids import canonical_json
from lorewright.index.generation import Generation
from lorewright.rules.outcomes import EngineEvent
from lorewright.rules.rulesets import CampaignRules
from lorewright.turn.checks.accepting import Acceptance, accept
from lorewright.turn.checks.extraction import contradicted, extractor_input
from lorewright.turn.run.beside import Beside, Written
from lorewright.turn.run.prose_checks import Leak, ProseChecks
from lorewright.turn.stages.extract.stage import Extract
from lorewright.turn.stages.narrate.stage import Narrate
from lorewright.turn.views.draft import Recorder
from lorewright.values.kept import LorebookEntry, Review, Summary
from lorewright.values.listener import Listener
from lorewright.values.records import NarratorInput, NarratorOutput
from lorewright.values.side_by_side import side_by_side
from lorewright.world.apply import apply
from lorewright.world.ops import StateOp
from lorewright.world.state import WorldState


@dataclass(frozen=True, slots=True)
class Told:
    """What was told, the state with what it and what was thought beside it added, and that as ops, events and what the
    turn keeps."""

    output: NarratorOutput
    state: WorldState
    ops: tuple[StateOp, ...] = ()
    events: tuple[EngineEvent, ...] = ()
    lorebook: tuple[LorebookEntry, ...] = ()
    reviews: tuple[Review, ...] = ()
    summary: Summary | None = None


class Telling:
    """The narrations of one turn."""

    def __init__(
        self,
        narrate: Narrate,
        extract: Extract,
        recorder: Recorder,
        listener: Listener,
        *,
        rules: CampaignRules,
        generations: Sequence[Generation],
        campaign_id: str,
        turn_no: int,
    ) -> None:
        self._narrate = narrate
        self._extract = extract
        self._recorder = recorder
        self._listener = listener
        self._rules = rules
        self._generations = generations
        self._campaign_id = campaign_id
        self._turn_no = turn_no

    async def tell(self, given: NarratorInput, state: WorldState, *, leak: Leak, beside: Sequence[Beside] = ()) -> Told:
        """Narrate what led to a state, and take up what the narration adds to it. What is thought `beside` it is
        written once it has been told.

        A narration that speaks against what is established, or names somebody of whom nothing was taken up, is written
        once more. A built-in one adds nothing.

        Raises:
            OutputRejected: an output stayed invalid.
            ProviderError: a model could not be asked.
        """
        reads = not (self._narrate.is_builtin or self._extract.is_builtin)
        checks = ProseChecks(given, state, leak, may_introduce=reads and self._may_introduce())
        told, written = await self._narrated_beside(given, checks, beside)
        state, ops = _with_written(state, written)
        reviews = tuple(review for one in written for review in one.reviews)
        summary = next((one.summary for one in written if one.summary is not None), None)
        if not reads:
            return Told(told, state, ops, reviews=reviews, summary=summary)
        acceptance = await self._accepted(told, given, state, leak)
        problem = contradicted(acceptance.record, state) or checks.unknown_in(told.final_text, acceptance.record)
        if problem is not None:
            self._listener.not_so(problem)
            # The second time nobody new is brought in: a third narration there is not.
            checks.may_introduce = False
            told = await self._narrated(given, (told.final_text, problem), checks, self._recorder)
            acceptance = await self._accepted(told, given, state, leak)
        record = acceptance.record
        return Told(
            told,
            acceptance.state,
            (*ops, *record.accepted),
            acceptance.events,
            lorebook=record.lorebook,
            reviews=(*reviews, *record.waiting),
            summary=summary,
        )

    async def _narrated_beside(
        self, given: NarratorInput, checks: ProseChecks, beside: Sequence[Beside]
    ) -> tuple[NarratorOutput, list[Written]]:
        """The narration, and what was thought side by side with it; recorded in this order, whichever ended first."""
        recorders = [Recorder() for _ in (None, *beside)]
        try:
            told, *written = await side_by_side(
                self._narrated(given, None, checks, recorders[0]),
                *(job(recorder) for job, recorder in zip(beside, recorders[1:], strict=True)),
            )
        finally:
            self._recorder.records += [record for recorder in recorders for record in recorder.records]
        return told, written

    async def _narrated(
        self, given: NarratorInput, rejected: tuple[str, str] | None, checks: ProseChecks, recorder: Recorder
    ) -> NarratorOutput:
        return await self._narrate.run(
            given,
            recorder,
            check=checks.wrong_with,
            listener=self._listener,
            rejected=rejected,
        )

    async def _accepted(self, told: NarratorOutput, given: NarratorInput, state: WorldState, leak: Leak) -> Acceptance:
        proposed = await self._extract.run(
            extractor_input(told.final_text, given, state), self._recorder, listener=self._listener
        )
        acceptance = accept(
            proposed,
            state,
            self._rules.ruleset,
            campaign_id=self._campaign_id,
            turn_no=self._turn_no,
            quotes_secret=leak,
            known_names=lambda name: self._is_somebody(name, state),
            ruled_threads=self._ruled_threads(state),
        )
        self._recorder.keep_code("accept", [proposed], acceptance.record)
        return acceptance

    def _may_introduce(self) -> bool:
        """Whether a narration of this ruleset's may bring in people and things."""
        return "entity_add" in self._rules.ruleset.allowed_ops.get("extract", ())

    def _is_somebody(self, name: str, state: WorldState) -> bool:
        plain = " ".join(name.lower().split()).removeprefix("the ").removeprefix("a ").removeprefix("an ")
        known = {one.lower() for entity in state.entities.values() for one in (entity.name, *entity.aliases)}
        if plain in known or f"the {plain}" in known:
            return True
        return any(generation.entities_named([plain]) for generation in self._generations)

    def _ruled_threads(self, state: WorldState) -> frozenset[str]:
        """The threads that rules or endings ask about: what becomes of them is theirs to say."""
        rules = canonical_json(self._rules.model_dump(mode="json", by_alias=True, exclude={"ruleset"}))
        return frozenset(thread for thread in state.threads if f'"thread":{canonical_json(thread)}' in rules)


def _with_written(state: WorldState, written: Sequence[Written]) -> tuple[WorldState, tuple[StateOp, ...]]:
    """A state with what was thought beside its telling, as far as it fits, and the ops that do."""
    done: list[StateOp] = []
    for op in (op for one in written for op in one.ops):
        applied = apply(state, (op,))
        if applied.refusal is None:
            state = applied.state
            done.append(op)
    return state, tuple(done)
