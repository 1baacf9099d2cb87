"""The player's own round: interpret, ground, validate, plan, resolve."""

from __future__ import annotations

from collections.abc import Sequence

from lorewright.ids import canonical_json
from lorewright.rules.actions import METADATA, Action, Attempt
from lorewright.rules.clarify import come_to_the_same
from lorewright.rules.outcomes import Validation
from lorewright.rules.resolve import play_out
from lorewright.rules.validate import validate
from lorewright.turn.checks.premises import Grounds, borne_out, people_named, premises_of, text_of_item
from lorewright.turn.run.at_hand import AtHand
from lorewright.turn.run.by_the_book import rulings
from lorewright.turn.run.rounds import Round, remember, there
from lorewright.turn.views.ground import ground
from lorewright.turn.views.scope import scope_of
from lorewright.values.records import InterpreterInput, InterpreterOutput, PlannerInput, PlannerOutput, Scope


class OwnRound:
    """One player's round while it is thought: a step a method."""

    def __init__(self, turn: AtHand) -> None:
        """Begin the turn's part of the stream: what the last turn led to, the player's thought, their words."""
        self._turn = turn
        self._state = turn.played.state
        self._lore = turn.views.scene_lore(self._state)
        submission, stream = turn.submission, turn.stream
        stream.open()
        self._intention = stream.intend(
            self._state.player_id, submission.text, thought=submission.thought, to=submission.whisper_to
        )

    async def read(self) -> tuple[InterpreterOutput, list[Attempt], Validation]:
        """The player's words as actions, each with what its words point at, and judged.

        Raises:
            OutputRejected, ProviderError: as every stage.
        """
        reading = self._whispered(await self._interpret())
        self._check_claims(reading.proposed_actions)
        attempts = self._ground(reading.proposed_actions)
        return reading, attempts, self._validate(attempts, reading)

    async def _interpret(self) -> InterpreterOutput:
        turn = self._turn
        seen = turn.stream.seen_by("interpreter", own_id=self._state.player_id)
        said = [one.content for _, one in seen if one.type == "intention" and one != self._intention][-2:]
        given = InterpreterInput(
            player_text=turn.submission.text,
            scope=_within_earshot(self._scope(*said), turn.submission.whisper_to),
            options=turn.head.options,
            said_before=tuple(said),
            verbs=turn.setting.rules.ruleset.verbs(),
        )
        reading = await turn.stages.interpret.run(
            given,
            turn.recorder,
            # What is read into the player's words is seen by everybody who sees the deed.
            check=lambda answer: turn.views.leak(canonical_json(answer.model_dump(mode="json")), self._state),
            listener=turn.listener,
        )
        return self._settled(reading, given)

    def _scope(self, *said_before: str) -> Scope:
        """All that the player's words can refer to: who is here, and of the absent whom they may hear of."""
        knows = self._turn.views.acquaintance(self._state)
        words = "\n".join((*said_before, self._turn.submission.text))
        return scope_of(knows.shown, heard_of=knows.heard_of(words))

    def _settled(self, reading: InterpreterOutput, given: InterpreterInput) -> InterpreterOutput:
        """A question whose every answer comes to the same is not asked: the first answer is as good as any."""
        unclear, turn = reading.unclear, self._turn
        if unclear is None or reading.proposed_actions or len(unclear.lines) < 2:
            return reading
        asked = [given.model_copy(update={"player_text": line}) for line in unclear.lines]
        answers = [turn.stages.interpret.twin(one) for one in asked]
        if any(one.unclear is not None or not one.proposed_actions for one in answers):
            return reading
        if not come_to_the_same([one.proposed_actions for one in answers], self._state, turn.setting.rules):
            return reading
        assumed = f"{unclear.lines[0]}: any other answer would come to the same"
        settled = answers[0].model_copy(update={"assumptions": (*answers[0].assumptions, assumed)})
        turn.recorder.keep_code("settle", [reading], settled)
        return settled

    def _whispered(self, reading: InterpreterOutput) -> InterpreterOutput:
        """What is whispered to somebody is said to them alone."""
        to = self._turn.submission.whisper_to
        if to is None:
            return reading
        return reading.model_copy(
            update={"proposed_actions": tuple(_whispered(one, to) for one in reading.proposed_actions)}
        )

    def _check_claims(self, actions: Sequence[Action]) -> None:
        """Whatever the player takes for granted is checked before anybody agrees to it."""
        turn, player = self._turn, self._state.player_id
        told = [one for one in turn.stream.seen_by("player", own_id=player) if one[0] < turn.turn_no]
        grounds = Grounds(self._state, told, lambda item_id: text_of_item(item_id, turn.setting.generations))
        found = premises_of(turn.submission.text, actions, grounds, people=people_named(self._scope()))
        turn.played.premises = found
        if found:
            turn.recorder.keep_code("premises", actions, found)

    def _ground(self, actions: Sequence[Action]) -> list[Attempt]:
        turn = self._turn
        attempts = ground(
            actions, self._state, turn.views.scene_lore, turn.setting.rules.ruleset, turn.setting.generations
        )
        attempts = [borne_out(attempt, turn.played.premises, self._state) for attempt in attempts]
        turn.recorder.keep_code("ground", actions, [attempt.grounding for attempt in attempts])
        return attempts

    def _validate(self, attempts: Sequence[Attempt], reading: InterpreterOutput) -> Validation:
        # A refusal names things: only by names that the player may hear.
        shown = self._turn.views.acquaintance(self._state).shown
        validation = validate(attempts, shown, self._turn.setting.rules)
        if reading.unclear is not None:
            validation = validation.model_copy(update={"clarification": reading.unclear.question})
        self._turn.recorder.keep_code("validate", attempts, validation)
        return validation

    async def plan(self, actions: tuple[Action, ...], judged: Validation) -> PlannerOutput:
        """How the turn is to be told.

        Raises:
            OutputRejected, ProviderError: as every stage.
        """
        turn = self._turn
        packet = turn.views.packet(self._state, self._lore, "planner")
        return await turn.stages.plan.run(
            PlannerInput(packet=packet, actions=actions, results=judged.results, premises=turn.played.premises),
            turn.recorder,
            check=lambda plan: turn.views.leak(_text_of(plan), self._state),
            listener=turn.listener,
        )

    async def play(self, attempts: Sequence[Attempt], judged: Validation) -> Round:
        """What comes of it; the turn goes on from there.

        Raises:
            OutputRejected, ProviderError: where a rulebook is applied by a model.
        """
        turn, rules = self._turn, self._turn.setting.rules
        ruled = await rulings(
            turn.stages.resolve,
            attempts,
            judged,
            self._state,
            rules,
            turn.dice,
            player_text=turn.submission.text,
            leak=lambda text: turn.views.leak(text, self._state),
            keeper=turn.recorder,
            listener=turn.listener,
        )
        patch = play_out(attempts, judged, self._state, rules, turn.dice, turn_no=turn.turn_no, rulings=ruled)
        resolution = patch.resolution()
        turn.recorder.keep_code("resolve", [*attempts, judged], resolution)
        player, to = self._state.player_id, turn.submission.whisper_to
        audience = (player, to) if to is not None else there(player, self._state, patch.state)
        turn.played.actions += [attempt.action for attempt in attempts]
        turn.played.results += judged.results
        turn.played.take(resolution, patch.state, audience=audience)
        remember(turn, resolution, self._state, patch.state, audience)
        return Round(
            player,
            self._intention,
            self._state,
            patch.state,
            resolution,
            judged,
            audience,
            tuple(one.action for one in attempts),
        )


def _within_earshot(scope: Scope, to: str | None) -> Scope:
    """Who is whispered to is the only one who is spoken to; others can be spoken of."""
    if to is None:
        return scope
    others = tuple(one for one in scope.people if one.id != to)
    hearer = tuple(one for one in scope.people if one.id == to)
    return scope.model_copy(update={"people": hearer, "topics": (*scope.topics, *others)})


def _whispered(action: Action, to: str) -> Action:
    fields = METADATA[action.type].model_fields if action.type in METADATA else {}
    if "whisper" not in fields or action.target_id != to:
        return action
    return action.model_copy(update={"metadata": {**action.metadata, "whisper": True}})


def _text_of(plan: PlannerOutput) -> str:
    return "\n".join((*plan.beats, plan.tension_move, plan.clarification_question, *plan.next_suggestions))
