"""Head and submission -> Draft: interpret, ground, validate, plan, resolve, narrate, apply. Writes nothing.

Each stage gets its own filtered view; what follows Resolve sees the state that it led to. The commit is another file's:
nothing here holds a transaction open while someone thinks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lorewright.errors import CampaignError
from lorewright.index.generation import Generation
from lorewright.packs.models import Item
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import retrieve
from lorewright.retrieval.view import LoreView
from lorewright.rules.actions import Action, Attempt, GroundedItem, Grounding
from lorewright.rules.dice import SeededDice
from lorewright.rules.outcomes import ActionResult, Resolution, Validation
from lorewright.rules.resolve import play_out
from lorewright.rules.rulesets import CampaignRules
from lorewright.rules.validate import validate
from lorewright.scene_lore.gather import gather
from lorewright.scene_lore.grounding import match_items, search_items
from lorewright.scene_lore.models import SceneFocus, SceneItem, SceneLore
from lorewright.turn.citations import citations
from lorewright.turn.draft import Draft, Head, Recorder, Submission, turn_id_of
from lorewright.turn.leaks import quoted_secret
from lorewright.turn.messages import Message
from lorewright.turn.packet import build_packet
from lorewright.turn.records import (
    InterpreterInput,
    InterpreterOutput,
    NarratorInput,
    NarratorOutput,
    PlannerInput,
    PlannerOutput,
)
from lorewright.turn.result import NEXT_PROMPT, TurnResult
from lorewright.turn.scope import scope_of, suggestions
from lorewright.turn.stages.interpret import Interpret, unknown_reference
from lorewright.turn.stages.narrate import Narrate
from lorewright.turn.stages.plan import Plan
from lorewright.turn.telling import narrator_input
from lorewright.turn.visibility import Reader, seen_by
from lorewright.world.apply import apply
from lorewright.world.ops import Recall
from lorewright.world.state import WorldState

# What is looked up for the player's words each turn, beside the scene's own lore.
ASKED_TOKENS = 800
ASKED_LIMIT = 4


@dataclass(frozen=True, slots=True)
class Stages:
    """The stages that a model may run."""

    interpret: Interpret
    plan: Plan
    narrate: Narrate

    @property
    def are_builtin(self) -> bool:
        """Whether a turn can be thought again at no cost."""
        return self.interpret.is_builtin and self.plan.is_builtin and self.narrate.is_builtin


@dataclass(frozen=True, slots=True)
class Setting:
    """What does not change while a campaign is played: its rules, its seed, the packs that it pins."""

    rules: CampaignRules
    seed: int
    generations: tuple[Generation, ...]


async def think(
    head: Head, submission: Submission, setting: Setting, stages: Stages, recorder: Recorder
) -> Draft:
    """Think a turn to its end. `recorder` has every stage's input and output, also where this raises.

    Raises:
        CampaignError: the story has ended.
        OutputRejected: a model's output stayed invalid.
        ProviderError: a model could not be asked.
    """
    if head.state.ended is not None:
        raise CampaignError("the story has ended", hint="begin another: lorewright campaign new SCENARIO")
    return await _Turn(head, submission, setting, stages, recorder).run()


class _Turn:
    """One turn while it is thought."""

    def __init__(
        self, head: Head, submission: Submission, setting: Setting, stages: Stages, recorder: Recorder
    ) -> None:
        self.head = head
        self.state = head.state
        self.submission = submission
        self.setting = setting
        self.stages = stages
        self.recorder = recorder
        self.turn_id = turn_id_of(head.campaign_id, head.turn_id, submission.action_id)
        self.lore = self._gather(head.state)

    async def run(self) -> Draft:
        reading = await self._interpret()
        actions = reading.proposed_actions
        attempts = [Attempt(action=action, grounding=self._ground(action)) for action in actions]
        self.recorder.keep_code("ground", actions, [attempt.grounding for attempt in attempts])
        validation = self._validate(attempts, reading)
        if validation.clarification is not None:
            return self._clarification(reading, validation)
        plan = await self._plan(actions, validation.results)
        resolution, after = self._resolve(attempts, validation)
        told, given = await self._narrate(validation, resolution, plan, after)
        return self._draft(actions, validation, resolution, after, told, given)

    # The stages, in their order.

    async def _interpret(self) -> InterpreterOutput:
        scope = scope_of(self.state)
        given = InterpreterInput(player_text=self.submission.text, scope=scope, options=self.head.options)
        run = await self.stages.interpret.run(given, check=lambda output: unknown_reference(output, scope))
        self.recorder.keep(run)
        return run.output

    def _ground(self, action: Action) -> Grounding:
        """Words -> item IDs, before the rules see the action: they read no free text."""
        generations = self.setting.generations
        if action.type == "search":
            found = search_items(action.words, self._place_names(), self.lore.discoverable, generations)
            held = [(item, "discoverable", self.state.scene.location_id) for item in found.items]
        elif action.type == "ask" and (briefing := self.lore.briefing(action.target_id or "")) is not None:
            known = set(briefing.knows)
            found = match_items(action.words, (*briefing.knows, *briefing.withholds), generations)
            kept = found.items if action.words else tuple(item for item in found.items if item in known)
            held = [(item, "knows" if item in known else "withholds", briefing.npc_id) for item in kept]
        else:
            return Grounding()
        items = [
            GroundedItem.model_validate({"id": item.id, "role": role, "holder_id": holder})
            for item, role, holder in held
        ]
        return Grounding(items=tuple(items), topics=found.topics)

    def _place_names(self) -> tuple[str, ...]:
        place = self.state.entities[self.state.scene.location_id]
        return (place.name, *place.aliases)

    def _validate(self, attempts: Sequence[Attempt], reading: InterpreterOutput) -> Validation:
        validation = validate(attempts, self.state, self.setting.rules)
        if reading.unclear is not None:
            validation = validation.model_copy(update={"clarification": reading.unclear.question})
        self.recorder.keep_code("validate", attempts, validation)
        return validation

    async def _plan(self, actions: tuple[Action, ...], results: tuple[ActionResult, ...]) -> PlannerOutput:
        packet = self._packet(self.state, self.lore, "planner")
        given = PlannerInput(packet=packet, actions=actions, results=results)
        run = await self.stages.plan.run(given, check=lambda output: self._leak(_plan_text(output), self.state))
        self.recorder.keep(run)
        return run.output

    def _resolve(self, attempts: Sequence[Attempt], validation: Validation) -> tuple[Resolution, WorldState]:
        dice = SeededDice(self.setting.seed, self.state.truth_hash(), self.submission.action_id)
        patch = play_out(attempts, validation, self.state, self.setting.rules, dice)
        resolution = patch.resolution()
        self.recorder.keep_code("resolve", [*attempts, validation], resolution)
        return resolution, patch.state

    async def _narrate(
        self, validation: Validation, resolution: Resolution, plan: PlannerOutput, after: WorldState
    ) -> tuple[NarratorOutput, NarratorInput]:
        lore = self._gather(after)
        items = {item.id: item for item in (*self.lore.items(), *lore.items())}
        items |= self._learned_elsewhere(after, items)
        self.lore_after, self.items = lore, items
        given = narrator_input(
            player_text=self.submission.text,
            before=self.state,
            after=after,
            lore=lore,
            items=list(items.values()),
            validation=validation,
            resolution=resolution,
            plan=plan,
            rules=self.setting.rules,
            packet=self._packet(after, lore, "narrator"),
            seed=str(self.setting.seed),
            turn_no=self.head.turn_no + 1,
        )
        run = await self.stages.narrate.run(given, check=lambda output: self._leak(output.final_text, after))
        self.recorder.keep(run)
        return run.output, given

    # What the stages are shown.

    def _gather(self, state: WorldState) -> SceneLore:
        focus = SceneFocus(
            scene_id=state.scene.id,
            location_id=state.scene.location_id,
            present_ids=state.present_npcs(),
            thread_ids=tuple(sorted(state.threads)),
        )
        return gather(self.setting.generations, focus)

    def _learned_elsewhere(self, after: WorldState, known: dict[str, SceneItem]) -> dict[str, SceneItem]:
        """Items that were revealed now although their holders are not here: by an effect."""
        new = after.learned_by(after.player_id) - self.state.learned_by(after.player_id)
        found = {
            item_id: item
            for item_id in sorted(new - known.keys())
            for generation in self.setting.generations
            if (item := generation.item(item_id)) is not None
        }
        return {item_id: _scene_item(item) for item_id, item in found.items()}

    def _packet(self, state: WorldState, lore: SceneLore, viewer: Reader) -> dict[str, Any]:
        assert viewer in ("planner", "narrator")
        own = state.player_id
        messages = {id(message) for message in seen_by(viewer, [m for _, m in self.head.recent], own_id=own)}
        recent = [(no, m) for no, m in self.head.recent if id(m) in messages and m.type == "narration"]
        asked = self._asked(state)
        return build_packet(state, self.setting.rules, lore, recent, viewer=viewer, asked=asked)

    def _asked(self, state: WorldState) -> list[dict[str, Any]]:
        """Lore for the player's words, with the player's eyes: no stage is told more of it than they."""
        query = LoreRetrievalQuery(
            keywords=self.submission.text[:500],
            location_id=state.scene.location_id,
            entity_ids=state.present_npcs(),
            thread_ids=tuple(sorted(state.threads)),
            corpus="authored",
            viewer="player",
            limit=ASKED_LIMIT,
            max_tokens=ASKED_TOKENS,
        )
        view = LoreView(self.setting.generations, viewer="player", revealed=state.learned_by(state.player_id))
        chunks = retrieve(view, query).result.chunks
        return [
            {"chunk_id": chunk.chunk_id, "section_path": chunk.section_path, "text": chunk.text} for chunk in chunks
        ]

    def _leak(self, text: str, state: WorldState) -> str | None:
        """Whether a model's text quotes an item that the player has not learned."""
        items = getattr(self, "items", None) or {item.id: item for item in self.lore.items()}
        hidden = [(i.id, i.text) for i in items.values() if not state.has_learned(state.player_id, i.id)]
        leaked = quoted_secret(text, hidden, said_before=self.submission.text)
        return f"it quotes what was not revealed ({leaked})" if leaked else None

    # What becomes of it.

    def _clarification(self, reading: InterpreterOutput, validation: Validation) -> Draft:
        """The question is the result; nothing is rolled, paid or changed."""
        assert reading.unclear is not None
        messages = self._messages(None, self.state)
        result = self._result(
            messages,
            final_text=reading.unclear.question,
            options=reading.unclear.lines,
            validation=validation,
            state=self.state,
        )
        return Draft(
            head=self.head,
            submission=self.submission,
            turn_id=self.turn_id,
            kind="clarification",
            ops=(),
            state=self.state,
            messages=messages,
            actions=(),
            validation=Validation(clarification=validation.clarification),
            records=tuple(self.recorder.records),
            result=result,
        )

    def _draft(
        self,
        actions: tuple[Action, ...],
        validation: Validation,
        resolution: Resolution,
        after: WorldState,
        told: NarratorOutput,
        given: NarratorInput,
    ) -> Draft:
        memory = tuple(Recall(key=key) for key in told.recall)
        remembered = apply(after, memory)
        assert remembered.refusal is None
        messages = self._messages(told.final_text, after)
        result = self._result(
            messages,
            final_text=told.final_text,
            options=suggestions(remembered.state, self._topics(remembered.state)),
            validation=validation,
            state=remembered.state,
            resolution=resolution,
            told=told,
            given=given,
        )
        return Draft(
            head=self.head,
            submission=self.submission,
            turn_id=self.turn_id,
            kind="play",
            ops=(*resolution.ops, *memory),
            state=remembered.state,
            messages=messages,
            actions=actions,
            validation=validation,
            records=tuple(self.recorder.records),
            result=result,
        )

    def _messages(self, narration: str | None, after: WorldState) -> tuple[Message, ...]:
        """The marker of the last turn's move, the player's intention, the narration."""
        own, audience = self.state.player_id, tuple(dict.fromkeys((*self.state.present(), *after.present())))
        written: list[dict[str, Any]] = []
        if self.head.moved_from is not None:
            payload = {"from": self.head.moved_from, "to": self.state.scene.location_id}
            marker = {"owner": "system", "type": "scene_marker", "content": "", "subtype": "location_change"}
            written.append({**marker, "payload": payload})
        written.append({"owner": own, "type": "intention", "content": self.submission.text})
        if narration is not None:
            told = {"owner": "narrator", "type": "narration", "content": narration, "audience": audience}
            written.append(told)
        return tuple(
            Message.model_validate({**one, "turn_id": self.turn_id, "seq": seq}) for seq, one in enumerate(written)
        )

    def _topics(self, state: WorldState) -> list[str]:
        """Names worth asking about that the player has met: in threads, and in what they have learned."""
        related = [one for thread in state.threads.values() for one in thread.related_entity_ids]
        learned = [
            topic
            for item in self.items.values()
            if state.has_learned(state.player_id, item.id)
            for topic in item.topics
        ]
        present = {state.name_of(npc) for npc in state.present()}
        names = [*(state.name_of(one) for one in related if one in state.entities), *learned]
        return [name for name in dict.fromkeys(names) if name not in present]

    def _result(
        self,
        messages: tuple[Message, ...],
        *,
        final_text: str,
        options: tuple[str, ...],
        validation: Validation,
        state: WorldState,
        resolution: Resolution | None = None,
        told: NarratorOutput | None = None,
        given: NarratorInput | None = None,
    ) -> TurnResult:
        cited = citations(told, given, self.setting.generations) if told and given else ()
        resolution = resolution or Resolution()
        return TurnResult(
            turn_no=self.head.turn_no + 1,
            turn_id=self.turn_id,
            messages=tuple(seen_by("player", messages, own_id=state.player_id)),
            final_text=final_text,
            next_prompt=NEXT_PROMPT if state.ended is None else "",
            suggested_actions=options,
            clarification_question=validation.clarification,
            citations=cited,
            engine_events=resolution.events,
            validation=validation,
            rolls=resolution.rolls,
            clocks=tuple(state.clocks[one].model_dump(include={"id", "name", "value", "max"}) for one in sorted(state.clocks)),
            tokens=self.recorder.tokens(),
        )


def _plan_text(plan: PlannerOutput) -> str:
    texts = (*plan.beats, plan.tension_move, plan.clarification_question, *plan.next_suggestions)
    return "\n".join(texts)


def _scene_item(item: Item) -> SceneItem:
    return SceneItem(
        id=item.id, chunk_id=item.id.partition("#")[0], name=item.name, text=item.text, trigger=item.trigger
    )
