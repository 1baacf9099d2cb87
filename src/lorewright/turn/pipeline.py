"""Head and submission -> Draft: interpret, ground, validate, plan, resolve, narrate. Writes nothing.

Each stage gets its own filtered view; what follows Resolve sees the state that it led to. The commit is another file's:
nothing here holds a transaction open while someone thinks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lorewright.errors import CampaignError
from lorewright.rules.actions import Action, Attempt
from lorewright.rules.clarify import come_to_the_same
from lorewright.rules.outcomes import ActionResult, Resolution, Validation
from lorewright.rules.resolve import play_out
from lorewright.rules.validate import validate
from lorewright.turn.by_the_book import rulings
from lorewright.turn.draft import Draft, Head, Recorder, Setting, Submission
from lorewright.turn.drafting import draft_of_question, draft_of_turn
from lorewright.turn.ground import ground
from lorewright.turn.listener import SILENT, Listener
from lorewright.turn.narration import Telling, Told
from lorewright.turn.records import (
    InterpreterInput,
    InterpreterOutput,
    NarratorInput,
    PlannerInput,
    PlannerOutput,
)
from lorewright.turn.scope import scope_of
from lorewright.turn.stages.extract import Extract
from lorewright.turn.stages.interpret import Interpret
from lorewright.turn.stages.narrate import Narrate
from lorewright.turn.stages.plan import Plan
from lorewright.turn.stages.resolution import Resolve
from lorewright.turn.telling import narrator_input
from lorewright.turn.views import TurnViews
from lorewright.world.state import WorldState


@dataclass(frozen=True, slots=True)
class Stages:
    """The stages that a model may run."""

    interpret: Interpret
    plan: Plan
    resolve: Resolve
    narrate: Narrate
    extract: Extract

    @property
    def are_builtin(self) -> bool:
        """Whether a turn can be thought again at no cost."""
        return all(stage.is_builtin for stage in (self.interpret, self.plan, self.resolve, self.narrate, self.extract))


async def think(
    head: Head,
    submission: Submission,
    setting: Setting,
    stages: Stages,
    recorder: Recorder,
    listener: Listener = SILENT,
) -> Draft:
    """Think a turn to its end. `recorder` has every stage's input and output, also where this raises; `listener` hears
    how it gets on.

    Raises:
        CampaignError: the story has ended.
        OutputRejected: a model's output stayed invalid.
        ProviderError: a model could not be asked.
    """
    if head.state.ended is not None:
        raise CampaignError(
            "the story has ended", hint="take the last turn back, or begin another: lorewright campaign new SCENARIO"
        )
    with TurnViews(head, submission, setting) as views:
        return await _Turn(head, submission, setting, stages, recorder, views, listener).run()


class _Turn:
    """One turn while it is thought: a step a method, in the order of `run`."""

    def __init__(
        self,
        head: Head,
        submission: Submission,
        setting: Setting,
        stages: Stages,
        recorder: Recorder,
        views: TurnViews,
        listener: Listener,
    ) -> None:
        self._head = head
        self._state = head.state
        self._submission = submission
        self._setting = setting
        self._stages = stages
        self._recorder = recorder
        self._views = views
        self._listener = listener
        self._lore = views.scene_lore(head.state)

    async def run(self) -> Draft:
        """All steps. With a question nothing is planned, rolled, paid or changed."""
        reading = await self._interpret()
        attempts = self._ground(reading.proposed_actions)
        validation = self._validate(attempts, reading)
        if reading.unclear is not None:
            return draft_of_question(
                self._head, self._submission, self._recorder, self._views, reading.unclear, validation
            )
        plan = await self._plan(reading.proposed_actions, validation.results)
        resolution, after = await self._resolve(attempts, validation)
        told, given = await self._narrate(validation, resolution, plan, after)
        return draft_of_turn(
            self._head,
            self._submission,
            self._setting,
            self._recorder,
            self._views,
            reading.proposed_actions,
            validation,
            resolution,
            told,
            given,
        )

    async def _interpret(self) -> InterpreterOutput:
        scope = scope_of(self._state)
        said = [one.content for _, one in self._head.recent if one.type == "intention"]
        given = InterpreterInput(
            player_text=self._submission.text,
            scope=scope,
            options=self._head.options,
            said_before=tuple(said[-2:]),
            verbs=self._setting.rules.ruleset.verbs(),
        )
        reading = await self._stages.interpret.run(
            given,
            self._recorder,
            listener=self._listener,
        )
        return self._settled(reading, given)

    def _settled(self, reading: InterpreterOutput, given: InterpreterInput) -> InterpreterOutput:
        """A question whose every answer comes to the same is not asked: the first answer is as good as any."""
        unclear = reading.unclear
        if unclear is None or reading.proposed_actions or len(unclear.lines) < 2:
            return reading
        asked = [given.model_copy(update={"player_text": line}) for line in unclear.lines]
        answers = [self._stages.interpret.twin(one) for one in asked]
        if any(one.unclear is not None or not one.proposed_actions for one in answers):
            return reading
        if not come_to_the_same([one.proposed_actions for one in answers], self._state, self._setting.rules):
            return reading
        assumed = f"{unclear.lines[0]}: any other answer would come to the same"
        settled = answers[0].model_copy(update={"assumptions": (*answers[0].assumptions, assumed)})
        self._recorder.keep_code("settle", [reading], settled)
        return settled

    def _ground(self, actions: Sequence[Action]) -> list[Attempt]:
        ruleset = self._setting.rules.ruleset
        attempts = ground(actions, self._state, self._views.scene_lore, ruleset, self._setting.generations)
        self._recorder.keep_code("ground", actions, [attempt.grounding for attempt in attempts])
        return attempts

    def _validate(self, attempts: Sequence[Attempt], reading: InterpreterOutput) -> Validation:
        validation = validate(attempts, self._state, self._setting.rules)
        if reading.unclear is not None:
            validation = validation.model_copy(update={"clarification": reading.unclear.question})
        self._recorder.keep_code("validate", attempts, validation)
        return validation

    async def _plan(self, actions: tuple[Action, ...], results: tuple[ActionResult, ...]) -> PlannerOutput:
        packet = self._views.packet(self._state, self._lore, "planner")
        given = PlannerInput(packet=packet, actions=actions, results=results)
        return await self._stages.plan.run(
            given,
            self._recorder,
            check=lambda plan: self._views.leak(_text_of(plan), self._state),
            listener=self._listener,
        )

    async def _resolve(self, attempts: Sequence[Attempt], validation: Validation) -> tuple[Resolution, WorldState]:
        dice = self._setting.dice(self._setting.seed, self._state.truth_hash(), self._submission.action_id)
        turn_no, rules = self._head.turn_no + 1, self._setting.rules
        ruled = await rulings(
            self._stages.resolve,
            attempts,
            validation,
            self._state,
            rules,
            dice,
            player_text=self._submission.text,
            keeper=self._recorder,
            listener=self._listener,
        )
        patch = play_out(attempts, validation, self._state, rules, dice, turn_no=turn_no, rulings=ruled)
        resolution = patch.resolution()
        self._recorder.keep_code("resolve", [*attempts, validation], resolution)
        return resolution, patch.state

    async def _narrate(
        self, validation: Validation, resolution: Resolution, plan: PlannerOutput, after: WorldState
    ) -> tuple[Told, NarratorInput]:
        lore = self._views.scene_lore(after)
        self._views.add_learned(sorted(after.learned_by(after.player_id) - self._state.learned_by(after.player_id)))
        given = narrator_input(
            player_text=self._submission.text,
            before=self._state,
            after=after,
            lore=lore,
            items=list(self._views.items.values()),
            validation=validation,
            resolution=resolution,
            plan=self._views.for_narrator(plan),
            rules=self._setting.rules,
            packet=self._views.packet(after, lore, "narrator"),
            seed=str(self._setting.seed),
            turn_no=self._head.turn_no + 1,
            described=self._views.described(after, resolution.outcomes),
            recent=self._views.narrations(),
        )
        telling = Telling(
            self._stages.narrate,
            self._stages.extract,
            self._recorder,
            self._listener,
            rules=self._setting.rules,
            generations=self._setting.generations,
            campaign_id=self._head.campaign_id,
            turn_no=self._head.turn_no + 1,
            leak=lambda text: self._views.leak(text, after),
        )
        return await telling.tell(given, after), given


def _text_of(plan: PlannerOutput) -> str:
    return "\n".join((*plan.beats, plan.tension_move, plan.clarification_question, *plan.next_suggestions))
