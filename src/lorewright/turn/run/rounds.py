"""The rounds of a turn that belong to the cast: who acts, what each intends, what the same rules make of it.

A character's intent is asked for by its stage; what it may do and what comes of it the truth engine says, as of the
player's. Nothing here tells anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lorewright.errors import OutputRejected
from lorewright.ids import holder_of
from lorewright.rules.actions import Action
from lorewright.rules.activation import Activation, activate, in_order
from lorewright.rules.outcomes import Resolution, Validation
from lorewright.rules.resolve import play_out
from lorewright.rules.validate import validate
from lorewright.rules.witness import witnessed
from lorewright.turn.run.at_hand import AtHand
from lorewright.turn.run.by_the_book import rulings
from lorewright.turn.stages.npc_intent.stage import Intend, Reflection
from lorewright.turn.views.draft import Recorder
from lorewright.turn.views.ground import ground
from lorewright.turn.views.npc_view import memory_ops, npc_intent_input
from lorewright.turn.views.stream import WHISPER
from lorewright.values.intents import NpcIntent
from lorewright.values.kept import Summary
from lorewright.values.messages import Message
from lorewright.values.records import NpcAct
from lorewright.values.side_by_side import side_by_side
from lorewright.world.ops import RevealItem
from lorewright.world.state import WorldState

# What code makes of an NPC's intent is recorded under names of its own: `validate` and `resolve` are the player's.
VALIDATE, RESOLVE, ACTIVATE = "npc_validate", "npc_resolve", "activation"


@dataclass(frozen=True, slots=True)
class Round:
    """One round: who acted, with which words, what it led from and to, and who was there to see it.

    In the player's own round `intent` is None. `resolution` has what was done in it, `judged` how it was judged.
    """

    who: str
    intention: Message
    before: WorldState
    after: WorldState
    resolution: Resolution
    judged: Validation
    audience: tuple[str, ...]
    actions: tuple[Action, ...] = ()
    intent: NpcIntent | None = None

    @property
    def is_between_two(self) -> bool:
        """Whether it was whispered."""
        return self.intention.subtype == WHISPER

    @property
    def hidden(self) -> bool:
        """Whether it was whispered to somebody else than the player: they see that, and hear nothing of the words."""
        return self.is_between_two and self.after.player_id not in self.audience


def activation(turn: AtHand) -> Activation:
    """Who of those at the scene acts in a turn of the profile `stream`, by the turn's dice."""
    rules, state = turn.setting.rules, turn.played.state
    found = activate([(who, rules.of_cast(who)) for who in state.present_npcs()], turn.dice)
    turn.recorder.keep_code(ACTIVATE, [], found)
    return _no_more_than(turn.submission.npc_rounds, found)


def everybody(turn: AtHand) -> Activation:
    """All who are at the scene, in the same order: in the profile `ensemble` everybody reflects."""
    rules, state = turn.setting.rules, turn.played.state
    ranked = in_order((who, rules.of_cast(who)) for who in state.present_npcs())
    return _no_more_than(turn.submission.npc_rounds, Activation(order=tuple(who for who, _ in ranked)))


def _no_more_than(most: int | None, found: Activation) -> Activation:
    return found if most is None else found.model_copy(update={"order": found.order[:most]})


async def intended(turn: AtHand, who: str) -> NpcIntent:
    """What somebody intends just now, by what they know. Where a model goes on telling what is kept back, the built-in
    stage is asked in its place.

    Raises:
        OutputRejected: an output stayed invalid for another reason.
        ProviderError: the model could not be asked.
    """
    return await _intended(turn, who, turn.recorder)


async def all_intended(turn: AtHand, order: Sequence[str]) -> list[NpcIntent]:
    """The same for several who know nothing of each other's: side by side, recorded in their order."""
    recorders = [Recorder() for _ in order]
    try:
        return await side_by_side(
            *(_intended(turn, who, recorder) for who, recorder in zip(order, recorders, strict=True))
        )
    finally:
        turn.recorder.records += [record for recorder in recorders for record in recorder.records]


async def _intended(turn: AtHand, who: str, recorder: Recorder) -> NpcIntent:
    state, played = turn.played.state, turn.played
    knows = turn.views.acquaintance(state)
    given = npc_intent_input(
        who,
        # What one of the cast says is heard by the player.
        knows.shown,
        rules=turn.setting.rules,
        lore=turn.views.scene_lore(state),
        messages=turn.stream.seen_by("npc_intent", own_id=who),
        outcomes=played.seen_by(who),
        generations=turn.setting.generations,
        seed=str(turn.setting.seed),
        turn_no=turn.turn_no,
        summary=_heard_of(turn.head.summary, who),
        claims=played.premises if turn.submission.whisper_to in (None, who) else (),
        unheard=knows.says_unheard,
    )
    stage, kept_back = turn.stages.npc_intent, frozenset(item.id for item in given.knows if item.kept_back)
    leaks: list[str] = []

    def check(answer: Reflection) -> str | None:
        leak = turn.views.intent_leak(stage.made_of(answer, given), state, kept_back=kept_back)
        leaks.extend([leak] if leak else ())
        return leak

    try:
        return await stage.run(given, recorder, check=check, listener=turn.listener)
    except OutputRejected:
        if not leaks:
            raise
        # Whose model would not keep a secret does what the built-in stage has them do: the turn is not lost for it.
        return await Intend().run(given, recorder)


def _heard_of(summary: Summary | None, who: str) -> tuple[str, ...]:
    """The sentences of a summary that tell of what somebody was there for."""
    return tuple(one.text for one in (summary.sentences if summary else ()) if who in one.audience)


async def carried_out(turn: AtHand, who: str, intent: NpcIntent) -> Round:
    """Judge and resolve what somebody intends; the turn goes on with what came of it. Its words, and the thought before
    them, join the stream.

    Raises:
        OutputRejected, ProviderError: where a rulebook is applied by a model.
    """
    before, rules = turn.played.state, turn.setting.rules
    intention = turn.stream.intend(who, intent.action_text, thought=intent.thought, to=intent.whisper_to)
    actions = [] if intent.action is None else [intent.action]
    attempts = ground(actions, before, turn.views.scene_lore, rules.ruleset, turn.setting.generations, acting=who)
    shown = turn.views.acquaintance(before).shown
    judged = _numbered(validate(attempts, shown, rules, acting=who), len(turn.played.actions))
    turn.recorder.keep_code(VALIDATE, attempts, judged)
    ruled = await rulings(
        turn.stages.resolve,
        attempts,
        judged,
        before,
        rules,
        turn.dice,
        player_text=intent.action_text,
        leak=lambda text: turn.views.leak(text, before),
        keeper=turn.recorder,
        listener=turn.listener,
    )
    patch = play_out(attempts, judged, before, rules, turn.dice, turn_no=turn.turn_no, rulings=ruled, acting=who)
    resolution = patch.resolution()
    turn.recorder.keep_code(RESOLVE, [*attempts, judged], resolution)
    to = intent.whisper_to
    audience = (who, to) if to is not None else there(who, before, patch.state)
    turn.played.actions += [attempt.action for attempt in attempts]
    turn.played.results += judged.results
    turn.played.take(resolution, patch.state, audience=audience)
    turn.played.do(memory_ops(who, intent, resolution.outcomes))
    remember(turn, resolution, before, patch.state, audience)
    return Round(who, intention, before, patch.state, resolution, judged, audience, tuple(actions), intent)


def remember(
    turn: AtHand, resolution: Resolution, before: WorldState, after: WorldState, audience: Sequence[str]
) -> None:
    """Whoever saw what came of a round remembers it, and stands otherwise to whoever did it; of a whisper others see
    that there was one. What the player was told in it, those who heard it know as well, whoever told it."""
    if turn.setting.rules.profile == "freeform":
        return
    turn.played.do(_overheard(before, after, audience))
    turn.played.do(witnessed(resolution, before, after, ruleset=turn.setting.rules.ruleset))


def _overheard(before: WorldState, after: WorldState, audience: Sequence[str]) -> Iterator[RevealItem]:
    """The rules themselves see to it where somebody answers; here it is for what a scenario has somebody say."""
    player = after.player_id
    if player not in audience:
        return
    for item_id, one in sorted(after.reveals.get(player, {}).items()):
        if one.how in ("told", "overheard") and not before.has_learned(player, item_id):
            for who in audience:
                is_theirs = holder_of(item_id) == who
                if who != player and not is_theirs and not after.has_learned(who, item_id):
                    yield RevealItem(item_id=item_id, to=who, how="overheard")


def there(who: str, before: WorldState, after: WorldState) -> tuple[str, ...]:
    """Who saw what somebody did: those at the scene before it or after it, and whoever did it."""
    return tuple(dict.fromkeys((*before.present(), *after.present(), who)))


def act_of(one: Round) -> NpcAct:
    """A round of the cast's for its telling; of a whisper that the player does not hear nothing but that there is
    one."""
    assert one.intent is not None
    entity, intent = one.after.entities[one.who], one.intent
    named = {"who": one.who, "name": entity.name, "pronoun": entity.pronoun, "whisper_to": intent.whisper_to}
    if one.hidden:
        return NpcAct.model_validate({**named, "text": "", "hidden": True})
    return NpcAct.model_validate(
        {
            **named,
            "text": intent.action_text,
            "tags": intent.intent_tags,
            "outcomes": one.resolution.outcomes,
            "result": one.judged.results[0] if one.judged.results else None,
            "say": intent.say,
        }
    )


def _numbered(judged: Validation, first: int) -> Validation:
    """Judgements with the places that their actions have in the turn."""
    results = (one.model_copy(update={"action_index": one.action_index + first}) for one in judged.results)
    return judged.model_copy(update={"results": tuple(results)})
