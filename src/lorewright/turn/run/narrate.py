"""The narration of a turn, and what it adds to the world: narrate, extract, accept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from lorewright.ids import canonical_json
from lorewright.index.generation import Generation
from lorewright.rules.patch import EngineEvent
from lorewright.rules.rulesets import CampaignRules
from lorewright.turn.checks.accepting import Acceptance, Accepted, accept, unknown_names
from lorewright.turn.run.background import BackgroundJob, BackgroundResult
from lorewright.turn.run.progress import gather
from lorewright.turn.stages.extract.stage import Extract
from lorewright.turn.stages.narrate.stage import Narrate, Prose
from lorewright.turn.views.draft import Recorder
from lorewright.values.annotations import LorebookEntry, Review, Summary, read_marks
from lorewright.values.entries import facts_shown
from lorewright.values.proposals import ExtractorInput
from lorewright.values.records import NarratorInput, NarratorOutput, TurnListener
from lorewright.visibility import MESSAGES
from lorewright.world.apply import apply
from lorewright.world.ops import AddEntity, StateOp
from lorewright.world.state import OFFSTAGE, Fact, WorldState

# Checks of a model's prose: it quotes nothing that the player has not learned, and names nobody unknown. Known names
# are those that the narrator was shown, those of the world's people, places and things, and those that the narration
# itself brings in, where the rules accept them.

# A text -> what is wrong with it if it quotes what the player has not learned, or None.
Leak = Callable[[str], str | None]


class ProseChecks:
    """The checks of one narration. With `may_introduce` an unknown name is judged later, when it is known what the
    rules have accepted of the narration."""

    def __init__(self, given: NarratorInput, state: WorldState, leak: Leak, *, may_introduce: bool) -> None:
        self._given = given
        self._state = state
        self._leak = leak
        self.may_introduce = may_introduce

    @cached_property
    def _known(self) -> str:
        """Return the known names as text; made only when needed: a built-in narration is not checked."""
        # JSON writes a line feed as `\n`, whose letter would become part of the word after it.
        shown = canonical_json(self._given.model_dump(mode="json")).replace("\\n", " ")
        return " | ".join((shown, *_names(self._state)))

    def wrong_with(self, prose: Prose) -> str | None:
        """Return what is wrong with an answer, or None."""
        # A mark between two words must neither hide a quotation nor make a name of the word after it.
        told = read_marks(prose.final_text).text
        return self._leak(told) or (None if self.may_introduce else self.unknown_in(told))

    def unknown_in(self, told: str, record: Accepted | None = None) -> str | None:
        """Return what is wrong with a text that names an entity which is neither known nor among those accepted from
        it, or None."""
        names = unknown_names(told, shown=" | ".join((self._known, *_introduced(record))))
        return f"it names what it was not shown: {', '.join(names[:5])}; leave the name out" if names else None


def _names(state: WorldState) -> Iterator[str]:
    """Yield the names of all entities in the world, except people who have not come into it yet."""
    for _, entity in sorted(state.entities.items()):
        if state.positions.get(entity.id) != OFFSTAGE:
            yield from (entity.name, *entity.aliases)


def _introduced(record: Accepted | None) -> Iterable[str]:
    if record is None:
        return ()
    return [op.entity.name for op in record.accepted if isinstance(op, AddEntity)]


# A model's narration -> the extractor's input, and the established facts that the narration contradicts.

_FIELDS = {"subject_id", "predicate", "object"}


def extractor_input(narration: str, given: NarratorInput, state: WorldState) -> ExtractorInput:
    """Return what the player may know of the scene that the turn ended in, and nothing else."""
    place = state.scene.location_id
    things = [*state.held_by(place), *state.held_by(state.player_id)]
    ids_here = [place, *state.present(), *things]
    facts = [
        fact
        for fact in facts_shown(state, ids_here, reader="narrator", who=state.player_id)
        if fact.subject_id in ids_here
    ]
    open_threads = [thread for _, thread in sorted(state.threads.items()) if thread.status == "open"]
    return ExtractorInput(
        narration=narration if MESSAGES["lore_extractor"]["narration"] == "current" else "",
        outcomes=given.outcomes,
        place_id=place,
        player_id=state.player_id,
        present={who: state.name_of(who) for who in state.present()},
        things={thing: state.name_of(thing) for thing in things},
        facts=tuple(fact.model_dump(mode="json", include=_FIELDS) for fact in facts),
        threads=tuple({"id": thread.id, "title": thread.title, "status": thread.status} for thread in open_threads),
    )


def contradicted(record: Accepted, state: WorldState) -> str | None:
    """Return which established fact a narration contradicts, for its author; None if there is none.

    Facts that were only narrated may have changed since, so they do not count. A fact that the player does not know is
    not told: only that the narration is wrong.
    """
    for refused in record.refused:
        if refused.reason != "contradicts_fact":
            continue
        subject, predicate = str(refused.proposal["subject_id"]), str(refused.proposal["predicate"])
        known = [fact for fact in state.facts_about(subject) if _key(fact.predicate) == _key(predicate)]
        firm = [fact for fact in known if not fact.is_only_told]
        if firm:
            said = f"{predicate}: {_as_sentence(refused.proposal['detail'])}"
            return f"it says of {state.name_of(subject)}: {said} {_rather(firm[0], state.player_id)}"
    return None


def _rather(fact: Fact, player_id: str) -> str:
    return (
        f"The established fact is: {fact.predicate}: {_as_sentence(fact.object)}"
        if fact.is_shown("narrator", player_id)
        else "That is not so."
    )


def _as_sentence(said: object) -> str:
    """Return a text as a sentence, with one full stop."""
    return f"{str(said).rstrip('.')}."


def _key(predicate: str) -> str:
    return "".join(sign for sign in predicate.lower() if sign.isalnum())


# The narration, and what it adds to the world: narrate, extract, accept.


@dataclass(frozen=True, slots=True)
class NarrationResult:
    """The narration, the state with its additions and those of background jobs, and these as ops, events and
    annotations."""

    output: NarratorOutput
    state: WorldState
    ops: tuple[StateOp, ...] = ()
    events: tuple[EngineEvent, ...] = ()
    lorebook: tuple[LorebookEntry, ...] = ()
    reviews: tuple[Review, ...] = ()
    summary: Summary | None = None


class Narrating:
    """The narrations of one turn."""

    def __init__(
        self,
        narrate: Narrate,
        extract: Extract,
        recorder: Recorder,
        listener: TurnListener,
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

    async def tell(
        self,
        given: NarratorInput,
        state: WorldState,
        *,
        leak: Leak,
        audience: Sequence[str],
        beside: Sequence[BackgroundJob] = (),
    ) -> NarrationResult:
        """Narrate what led to a state to an audience, and accept what the narration adds to it. The results of
        background jobs (`beside`) are written after the narration.

        A narration that contradicts what is established, or names somebody who was not accepted, is written once more.
        A built-in one adds nothing.

        Raises:
            OutputRejected: an output stayed invalid.
            ProviderError: a model could not be asked.
        """
        reads = not (self._narrate.is_builtin or self._extract.is_builtin)
        checks = ProseChecks(given, state, leak, may_introduce=reads and self._may_introduce())
        told, written = await self._run_narrator_and_jobs(given, checks, beside)
        state, ops = _apply_results(state, written)
        reviews = tuple(review for result in written for review in result.reviews)
        summary = next((result.summary for result in written if result.summary is not None), None)
        if not reads:
            return NarrationResult(told, state, ops, reviews=reviews, summary=summary)
        acceptance = await self._extract_and_accept(told, given, state, leak, state.knowers(audience))
        problem = contradicted(acceptance.record, state) or checks.unknown_in(told.final_text, acceptance.record)
        if problem is not None:
            self._listener.not_so(problem)
            # The second narration may introduce nobody: there is no third.
            checks.may_introduce = False
            told = await self._run_narrator(given, (told.final_text, problem), checks, self._recorder)
            acceptance = await self._extract_and_accept(told, given, state, leak, state.knowers(audience))
        record = acceptance.record
        return NarrationResult(
            told,
            acceptance.state,
            (*ops, *record.accepted),
            acceptance.events,
            lorebook=record.lorebook,
            reviews=(*reviews, *record.waiting),
            summary=summary,
        )

    async def _run_narrator_and_jobs(
        self, given: NarratorInput, checks: ProseChecks, beside: Sequence[BackgroundJob]
    ) -> tuple[NarratorOutput, list[BackgroundResult]]:
        """Return the narration and the results of the background jobs that ran concurrently; recorded in this order,
        whichever ended first."""
        recorders = [Recorder() for _ in (None, *beside)]
        try:
            told, *written = await gather(
                self._run_narrator(given, None, checks, recorders[0]),
                *(job(recorder) for job, recorder in zip(beside, recorders[1:], strict=True)),
            )
        finally:
            self._recorder.records += [record for recorder in recorders for record in recorder.records]
        return told, written

    async def _run_narrator(
        self, given: NarratorInput, rejected: tuple[str, str] | None, checks: ProseChecks, recorder: Recorder
    ) -> NarratorOutput:
        return await self._narrate.run(
            given,
            recorder,
            check=checks.wrong_with,
            listener=self._listener,
            rejected=rejected,
        )

    async def _extract_and_accept(
        self,
        told: NarratorOutput,
        given: NarratorInput,
        state: WorldState,
        leak: Leak,
        known_to: tuple[str, ...],
    ) -> Acceptance:
        proposed = await self._extract.run(
            extractor_input(told.final_text, given, state), self._recorder, listener=self._listener
        )
        acceptance = accept(
            proposed,
            state,
            self._rules.ruleset,
            campaign_id=self._campaign_id,
            turn_no=self._turn_no,
            known_to=known_to,
            quotes_secret=leak,
            known_names=lambda name: self._is_known_name(name, state),
            ruled_threads=self._ruled_threads(state),
        )
        self._recorder.keep_code("accept", [proposed], acceptance.record)
        return acceptance

    def _may_introduce(self) -> bool:
        """Return True if a narration may bring in people and things by the ruleset."""
        return "entity_add" in self._rules.ruleset.allowed_ops.get("extract", ())

    def _is_known_name(self, name: str, state: WorldState) -> bool:
        plain = " ".join(name.lower().split()).removeprefix("the ").removeprefix("a ").removeprefix("an ")
        known = {alias.lower() for entity in state.entities.values() for alias in (entity.name, *entity.aliases)}
        if plain in known or f"the {plain}" in known:
            return True
        return any(generation.entities_named([plain]) for generation in self._generations)

    def _ruled_threads(self, state: WorldState) -> frozenset[str]:
        """Return the threads that rules or endings ask about: the rules alone decide their status."""
        rules = canonical_json(self._rules.model_dump(mode="json", by_alias=True, exclude={"ruleset"}))
        return frozenset(thread for thread in state.threads if f'"thread":{canonical_json(thread)}' in rules)


def _apply_results(state: WorldState, written: Sequence[BackgroundResult]) -> tuple[WorldState, tuple[StateOp, ...]]:
    """Return a state with the ops of background jobs that fit, and those ops."""
    done: list[StateOp] = []
    for op in (op for result in written for op in result.ops):
        applied = apply(state, (op,))
        if applied.refusal is None:
            state = applied.state
            done.append(op)
    return state, tuple(done)
