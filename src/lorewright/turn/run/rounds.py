"""The rounds of a turn that belong to the cast: who acts, what each intends, what the same rules make of it.

A character's intent is asked for by its stage; what it may do and what comes of it the truth engine says, as of the
player's. Nothing here tells anything.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lorewright.errors import OutputRejected
from lorewright.ids import holder_of
from lorewright.index.generation import Generation
from lorewright.index.keywords import words_of
from lorewright.rules.actions import Action, AuthoredAct, done_key, tried_key
from lorewright.rules.effects import recorded
from lorewright.rules.observations import Activation, activate, in_order, observe
from lorewright.rules.patch import Outcome, Resolution, Validation
from lorewright.rules.reach import holds
from lorewright.rules.resolve import play_out
from lorewright.rules.rulesets import CampaignRules
from lorewright.rules.validate import validate
from lorewright.scene_lore.models import Briefing, LoreText, SceneItem, SceneLore
from lorewright.turn.run.by_the_book import rulings
from lorewright.turn.run.progress import TurnContext, gather
from lorewright.turn.stages.npc_intent.stage import Intend, Reflection
from lorewright.turn.views.draft import Recorder
from lorewright.turn.views.narrator_input import WHISPER
from lorewright.turn.views.scope import ground, scope_of
from lorewright.values.annotations import Summary
from lorewright.values.proposals import (
    SHARED,
    Concern,
    KnownItem,
    NpcIntent,
    NpcIntentInput,
    OwnSelf,
    Remembered,
    Toward,
    own_key,
)
from lorewright.values.records import InnerState, LoreLine, Message, NpcAct, Premise, Recorded
from lorewright.world.ops import Recall, RevealItem
from lorewright.world.state import OFFSTAGE, Relation, WorldState, relation_key
from lorewright.world.things import recalled

# A state and what was said in it -> one character's view of the moment at which it acts. Nothing that it does not
# know: its own lore, what it was told and saw, how it stands to those who are there.

# So many memories are shown, those that weigh most.
MEMORIES = 8
# And so much of what somebody knows, their own first, then what they learned last by ID: a prompt is not a pack.
KNOWN = 24


def npc_intent_input(
    who: str,
    state: WorldState,
    *,
    rules: CampaignRules,
    lore: SceneLore,
    messages: Sequence[tuple[int, Message]],
    outcomes: Sequence[Outcome],
    generations: Sequence[Generation],
    seed: str,
    turn_no: int,
    summary: Sequence[str] = (),
    claims: Sequence[Premise] = (),
    unheard: Callable[[str], bool] = lambda text: False,
) -> NpcIntentInput:
    """The view of one of the cast who is at the scene.

    `lore` is the scene's, secrets included; `messages` are (turn number, message) as the matrix lets this character
    read them, `outcomes` those of this turn that it saw, in order; `summary` are the sentences of the story before that
    it was there for, `claims` what the player claimed in this turn, checked. `unheard` says of a text whether it names
    somebody of whom the player may not hear: a memory of them is not spoken of. What it was told of by people of other
    scenes is looked up in `generations`.
    """
    place, company = state.scene.location_id, [one for one in state.present() if one != who]
    own = lore.briefing(who) or Briefing(npc_id=who)
    knows = tuple(_known(who, own, state, lore, generations, company))
    memories = _remembered(who, state, rules.ruleset.decay_lambda, company)
    remembers = tuple(memory for memory in memories if not unheard(memory.content))
    heard_of = _absent_heard_of(who, state, [*(item.text for item in knows), *(one.content for one in remembers)])
    scope = scope_of(state, who, heard_of=heard_of)
    shown = [place, who, *company, *heard_of, *(way.to for way in scope.exits)]
    shown += [one.id for one in (*scope.here, *scope.carried, *scope.doors)]
    shown += [one for outcome in outcomes for one in _named_in(outcome)]
    return NpcIntentInput(
        me=_self(who, state, rules, own),
        player_id=state.player_id,
        player_name=state.name_of(state.player_id),
        place_id=place,
        place_name=state.name_of(place),
        scope=scope,
        minutes=state.minutes,
        turn_no=turn_no,
        knows=knows,
        toward=tuple(_toward(who, other, state) for other in company),
        remembers=remembers,
        recorded=tuple(_recorded(who, state, company)),
        concerns=tuple(_concerns(who, state, {*company, *heard_of})),
        messages=tuple(messages),
        summary=tuple(summary),
        outcomes=tuple(outcomes),
        claims=tuple(claim.shown() for claim in claims),
        acts=tuple(_acts(who, state, rules)),
        verbs=tuple(sorted(rules.ruleset.actions)),
        names={one: state.name_of(one) for one in dict.fromkeys(shown) if one in state.entities},
        scene_state={} if state.ruleset is None else state.ruleset.scene,
        seed=seed,
        recall={key: count for key, count in sorted(state.recall.items()) if key.startswith(_memory(who))},
    )


def memory_ops(who: str, intent: NpcIntent, outcomes: Iterable[Outcome]) -> tuple[Recall, ...]:
    """What a branch remembers of an intention: the keys that the twin used, and an authored act as tried, and as done
    where the rules let it happen (or where it asked nothing of them)."""
    keys = [key for key in intent.recall if key.startswith(_memory(who))]
    if intent.act_id is not None:
        keys.append(tried_key(who, intent.act_id))
        if not any(outcome.code == "blocked" for outcome in outcomes):
            keys.append(done_key(who, intent.act_id))
    return tuple(Recall(key=key) for key in keys)


def _memory(who: str) -> tuple[str, ...]:
    """How the memory keys begin that an intention of one of the cast may use."""
    return (SHARED, own_key(who, ""), done_key(who, ""), tried_key(who, ""))


def _self(who: str, state: WorldState, rules: CampaignRules, own: Briefing) -> OwnSelf:
    entity, character = state.entities[who], state.characters.get(who)
    states = {} if character is None else character.states
    block = {} if state.ruleset is None else state.ruleset.stats.get(who, {})
    return OwnSelf(
        id=who,
        name=entity.name,
        pronoun=entity.pronoun,
        profile={} if character is None else character.profile,
        disposition=tuple(_line(text) for text in own.disposition),
        capabilities=tuple(text.text for text in own.capabilities),
        motivation=tuple(text.text for text in own.motivation),
        goal=" ".join(rules.of_cast(who).goal.split()),
        stat_block=block,
        states=tuple(
            InnerState(name=name, value=one.value, level=one.level)
            for name, one in sorted(states.items())
            if one.is_manifest
        ),
        conditions=state.conditions_of(who),
        escalation=state.escalation.get(who, 0),
    )


def _line(text: LoreText) -> LoreLine:
    return LoreLine(key=text.key, text=text.text, chunk_id=text.chunk_id)


def _known(
    who: str,
    own: Briefing,
    state: WorldState,
    lore: SceneLore,
    generations: Sequence[Generation],
    company: Sequence[str],
) -> Iterator[KnownItem]:
    """Its own, what it keeps back, then what it was told or found; whoever has it already beside each."""
    has = {one: state.learned_by(one) for one in company}
    kept = {item.id for item in own.withholds if not state.has_learned(state.player_id, item.id)}
    mine = [*own.knows, *own.withholds]
    ids = {item.id for item in mine}
    learned = [
        item
        for item_id in sorted(state.learned_by(who))
        if item_id not in ids and (item := lore.item(item_id) or _looked_up(item_id, generations)) is not None
    ]
    for item in [*mine, *learned][:KNOWN]:
        holder = who if item.id in ids else holder_of(item.id)
        yield KnownItem(
            id=item.id,
            name=item.name,
            text=item.text,
            topics=item.topics,
            holder_id=holder,
            kept_back=item.id in kept,
            told_to=tuple(one for one in company if one == holder or item.id in has[one]),
        )


def _looked_up(item_id: str, generations: Sequence[Generation]) -> SceneItem | None:
    for generation in generations:
        item = generation.item(item_id)
        if item is not None:
            return SceneItem(id=item.id, chunk_id=item.id.partition("#")[0], name=item.name, text=item.text)
    return None


def _remembered(who: str, state: WorldState, decay_lambda: float, company: Sequence[str]) -> Iterator[Remembered]:
    memory = state.observations.get(who, {})
    for one in recalled(memory, minute=state.minutes, decay_lambda=decay_lambda, limit=MEMORIES):
        yield Remembered(
            content=one.observation.content,
            priority=one.priority,
            minute=one.observation.minute,
            shared_with=tuple(other for other in company if one.id in state.observations.get(other, {})),
        )


def _recorded(who: str, state: WorldState, company: Sequence[str]) -> Iterator[Recorded]:
    """What was promised, threatened or is owed between it and those who are there, in the order in which it was."""
    for other in company:
        for by, to in ((other, who), (who, other)):
            for fact_id in recorded(state, by=by, to=to):
                fact = state.facts[fact_id]
                what = str(fact.object.get("what", "")) if isinstance(fact.object, Mapping) else ""
                said = {"fact_id": fact_id, "by_id": by, "to_id": to, "predicate": fact.predicate, "what": what}
                yield Recorded.model_validate(said)


def _concerns(who: str, state: WorldState, known: Collection[str]) -> Iterator[Concern]:
    """The open threads that are about it, by ID."""
    for thread_id, thread in sorted(state.threads.items()):
        if thread.status == "open" and who in thread.related_entity_ids:
            about = tuple(
                related_entity_entity_id
                for related_entity_entity_id in thread.related_entity_ids
                if related_entity_entity_id != who and related_entity_entity_id in known
            )
            yield Concern(thread_id=thread_id, title=thread.title, about=about)


def _toward(who: str, other: str, state: WorldState) -> Toward:
    relation = state.relations.get(relation_key(who, other)) or Relation(a=who, b=other)
    ties = [
        one.rel_type if (one.a, one.b) == (other, who) else f"{one.rel_type} of"
        for _, one in sorted(state.relationships.items())
        if {one.a, one.b} == {who, other}
    ]
    return Toward(
        who=other, trust=relation.trust, tension=relation.tension, closeness=relation.closeness, ties=tuple(ties)
    )


def _absent_heard_of(who: str, state: WorldState, texts: Sequence[str]) -> list[str]:
    """The absent whom it knows of: it is tied to them, or what it knows and remembers names them. By ID. Of those whose
    names the player may not hear it does not speak."""
    tied = {
        other
        for relationship in state.relationships.values()
        for other in (relationship.a, relationship.b)
        if who in (relationship.a, relationship.b)
    }
    folded = "\n".join(texts).casefold()
    said = f" {' '.join(words_of(folded))} "
    found = []
    for entity_id in sorted(state.entities):
        entity = state.entities[entity_id]
        if entity.type in ("item", "door", "player") or state.positions.get(entity_id) == OFFSTAGE or not entity.name:
            continue
        names = (name for name in (entity.name, *entity.aliases) if name.casefold() in folded)
        if entity_id in tied or any(f" {' '.join(words_of(name))} " in said for name in names):
            found.append(entity_id)
    return [one for one in found if one != who]


def _named_in(outcome: Outcome) -> Iterator[str]:
    yield from (one for one in (outcome.actor_id, outcome.target_id, outcome.location_id, outcome.item_id) if one)


def _acts(who: str, state: WorldState, rules: CampaignRules) -> Iterator[AuthoredAct]:
    """The authored acts that hold just now and are not done with, in the author's order."""
    for act in rules.of_cast(who).acts:
        is_done = act.once and done_key(who, act.id) in state.recall
        if not is_done and (act.when is None or holds(act.when, state)):
            yield _at_whoever_is_played(act, state)


def _at_whoever_is_played(act: AuthoredAct, state: WorldState) -> AuthoredAct:
    """Where the player may play several, `you` is the one whom they play."""
    if act.do.target != "you":
        return act
    return act.model_copy(update={"do": act.do.model_copy(update={"target": state.player_id})})


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


def activation(turn: TurnContext) -> Activation:
    """Who of those at the scene acts in a turn of the profile `stream`, by the turn's dice."""
    rules, state = turn.setting.rules, turn.played.state
    found = activate([(who, rules.of_cast(who)) for who in state.present_npcs()], turn.dice)
    turn.recorder.keep_code(ACTIVATE, [], found)
    return _no_more_than(turn.submission.npc_rounds, found)


def everybody(turn: TurnContext) -> Activation:
    """All who are at the scene, in the same order: in the profile `ensemble` everybody reflects."""
    rules, state = turn.setting.rules, turn.played.state
    ranked = in_order((who, rules.of_cast(who)) for who in state.present_npcs())
    return _no_more_than(turn.submission.npc_rounds, Activation(order=tuple(who for who, _ in ranked)))


def _no_more_than(most: int | None, found: Activation) -> Activation:
    return found if most is None else found.model_copy(update={"order": found.order[:most]})


async def intended(turn: TurnContext, who: str) -> NpcIntent:
    """What somebody intends just now, by what they know. Where a model goes on telling what is kept back, the built-in
    stage is asked in its place.

    Raises:
        OutputRejected: an output stayed invalid for another reason.
        ProviderError: the model could not be asked.
    """
    return await _intended(turn, who, turn.recorder)


async def all_intended(turn: TurnContext, order: Sequence[str]) -> list[NpcIntent]:
    """The same for several who know nothing of each other's: side by side, recorded in their order."""
    recorders = [Recorder() for _ in order]
    try:
        return await gather(*(_intended(turn, who, recorder) for who, recorder in zip(order, recorders, strict=True)))
    finally:
        turn.recorder.records += [record for recorder in recorders for record in recorder.records]


async def _intended(turn: TurnContext, who: str, recorder: Recorder) -> NpcIntent:
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
    return tuple(sentence.text for sentence in (summary.sentences if summary else ()) if who in sentence.audience)


async def carried_out(turn: TurnContext, who: str, intent: NpcIntent) -> Round:
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
    turn: TurnContext, resolution: Resolution, before: WorldState, after: WorldState, audience: Sequence[str]
) -> None:
    """Whoever saw what came of a round remembers it, and stands otherwise to whoever did it; of a whisper others see
    that there was one. What the player was told in it, those who heard it know as well, whoever told it."""
    if turn.setting.rules.profile == "freeform":
        return
    turn.played.do(_overheard(before, after, audience))
    turn.played.do(observe(resolution, before, after, ruleset=turn.setting.rules.ruleset))


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
    results = (result.model_copy(update={"action_index": result.action_index + first}) for result in judged.results)
    return judged.model_copy(update={"results": tuple(results)})
