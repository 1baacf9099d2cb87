"""Rounds -> narrations in the stream, and what they add to the world. One narration for each round, or one for all."""

from __future__ import annotations

from collections.abc import Sequence

from lorewright.rules.outcomes import Resolution, Validation
from lorewright.turn.run.at_hand import AtHand
from lorewright.turn.run.beside import beside
from lorewright.turn.run.narration import Telling
from lorewright.turn.run.rounds import Round, act_of
from lorewright.turn.views.stream import WHISPER
from lorewright.turn.views.telling import narrator_input
from lorewright.values.messages import Message
from lorewright.values.records import NarratorInput, PlannerOutput
from lorewright.world.ops import Recall
from lorewright.world.state import WorldState


class Tellings:
    """The narrations of one turn, in order."""

    def __init__(self, turn: AtHand) -> None:
        self._turn = turn
        self._telling = Telling(
            turn.stages.narrate,
            turn.stages.extract,
            turn.recorder,
            turn.listener,
            rules=turn.setting.rules,
            generations=turn.setting.generations,
            campaign_id=turn.head.campaign_id,
            turn_no=turn.turn_no,
        )

    async def tell(self, rounds: Sequence[Round], plan: PlannerOutput) -> None:
        """Tell rounds that follow on each other in one narration; the turn goes on with what the telling adds.

        Raises:
            OutputRejected, ProviderError: as every stage.
        """
        turn, played = self._turn, self._turn.played
        if played.told:
            turn.listener.told("\n\n")
        given = self._given(rounds, plan)
        state = played.state
        # What a model wrote for one of the cast stands before the narrator.
        told_by = [] if turn.stages.npc_intent.is_builtin else [one.who for one in rounds if one.intent is not None]
        told = await self._telling.tell(
            given,
            state,
            leak=lambda text: turn.views.leak(text, state, told_by=told_by) or turn.views.planners_own(text),
            beside=beside(turn, list(rounds)),
        )
        # What was whispered is heard by its two ends, in the words in which it was meant.
        for one in (one for one in rounds if one.hidden):
            turn.stream.add("narrator", "narration", one.intention.content, subtype=WHISPER, audience=one.audience)
        turn.stream.add("narrator", "narration", told.output.final_text, audience=_audience(rounds))
        played.state = told.state
        played.ops += told.ops
        played.events += told.events
        played.lorebook += told.lorebook
        played.reviews += told.reviews
        played.summary = played.summary or told.summary
        played.told.append((told.output, given))
        # To remember a phrase fits every state.
        played.do(Recall(key=key) for key in told.output.recall)

    def _given(self, rounds: Sequence[Round], plan: PlannerOutput) -> NarratorInput:
        turn, views = self._turn, self._turn.views
        before, after = rounds[0].before, turn.played.state
        if rounds[0].intent is None:
            # Where the player goes on as somebody who is elsewhere, the turn begins in another scene.
            before = before.with_fields(scene=turn.head.state.scene)
        player = after.player_id
        lore = views.scene_lore(after)
        views.add_learned(sorted(after.learned_by(player) - before.learned_by(player)))
        own = next((one for one in rounds if one.intent is None), None)
        resolution = _joined(rounds)
        acts = tuple(act_of(one) for one in rounds if one.intent is not None)
        outcomes = (*resolution.outcomes, *(outcome for act in acts for outcome in act.outcomes))
        return narrator_input(
            player_text=turn.submission.text if own is not None else "",
            before=views.acquaintance(before).shown,
            after=views.acquaintance(after).shown,
            lore=lore,
            items=list(views.items.values()),
            validation=own.judged if own is not None else Validation(),
            resolution=resolution,
            plan=views.for_narrator(plan),
            rules=turn.setting.rules,
            packet=views.packet(after, lore, "narrator"),
            seed=str(turn.setting.seed),
            turn_no=turn.turn_no,
            described=views.described(after, outcomes),
            recent=views.narrations(),
            acts=acts,
            quiet=self._quiet() if own is not None else (),
            markers=self._markers(after) if own is not None else (),
            premises=turn.played.premises if own is not None else (),
        )

    def _markers(self, state: WorldState) -> tuple[str, ...]:
        """What the turn began with, in words, as far as whoever tells it may see it."""
        seen = self._turn.stream.seen_by("narrator", own_id=state.player_id)
        own = [message for number, message in seen if number == self._turn.turn_no]
        return tuple(text for one in own if one.type == "scene_marker" and (text := _marker(one, state)))

    def _quiet(self) -> tuple[str, ...]:
        """Those who let the last turn pass although they could have acted."""
        silence = [one for one in self._turn.head.markers if one.subtype == "silence"]
        return tuple(str(who) for one in silence for who in one.payload["who"])


def _joined(rounds: Sequence[Round]) -> Resolution:
    """What was done in the rounds, with the player's outcomes alone; nothing of a whisper that they do not hear."""
    shown = [one for one in rounds if not one.hidden]
    return Resolution(
        outcomes=tuple(outcome for one in shown if one.intent is None for outcome in one.resolution.outcomes),
        rolls=tuple(roll for one in shown for roll in one.resolution.rolls),
        ops=tuple(op for one in shown for op in one.resolution.ops),
        events=tuple(event for one in shown for event in one.resolution.events),
    )


def _audience(rounds: Sequence[Round]) -> tuple[str, ...]:
    """Everybody who saw any of it. That somebody whispers is seen by all who are there."""
    seen = [who for one in rounds if not one.hidden for who in one.audience]
    for one in (one for one in rounds if one.hidden):
        seen += [*one.before.present(), *one.after.present()]
    return tuple(dict.fromkeys(seen))


def _marker(message: Message, state: WorldState) -> str:
    """A marker in words; of a silence more is told elsewhere."""
    match message.subtype:
        case "location_change":
            return f"They have come from {state.name_of(str(message.payload['from']))}."
        case "time_skip":
            return f"{message.payload['duration']} minutes went by before this."
        case "scene_open":
            return "A new scene opens."
        case _:
            return ""
