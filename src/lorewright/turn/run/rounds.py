"""The rounds of a turn that belong to the cast: who acts, what each intends, what the same rules make of it.

A character's intent comes from its stage; the rules judge and resolve it, as the player's. Nothing here narrates.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from lorewright.ids import holder_of
from lorewright.index.generation import Generation
from lorewright.index.keywords import words_of
from lorewright.rules.actions import Attempt, AuthoredAct, done_key, tried_key
from lorewright.rules.effects import recorded_facts
from lorewright.rules.observations import observe
from lorewright.rules.patch import Outcome, Resolution, Validation
from lorewright.rules.reach import holds
from lorewright.rules.resolve import play_out
from lorewright.rules.rulesets import CampaignRules
from lorewright.rules.validate import validate
from lorewright.scene_lore.models import LoreText, NPCBriefing, SceneItem, SceneLore, texts_for
from lorewright.turn.run.by_the_book import rule_attempts
from lorewright.turn.run.steps import Round, TurnContext, apply_fitting, gather, outcomes_seen
from lorewright.turn.stages.npc_intent.stage import Reflection
from lorewright.turn.views.circumstances import scene_in_words, situations_in_words
from lorewright.turn.views.draft import Recorder
from lorewright.turn.views.point import TurnPoint
from lorewright.turn.views.scope import scope_of
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
from lorewright.values.records import InnerState, LoreLine, Message, Premise, Recorded
from lorewright.world.changes import items_learned
from lorewright.world.ops import Recall, RevealItem, StateOp
from lorewright.world.state import OFFSTAGE, Relation, WorldState, relation_key
from lorewright.world.things import recalled

# A character's view has only what it knows: its own lore, what it was told and saw, its relations to those present.
# The number of memories that are shown, those that weigh most.
MEMORIES = 8
# The number of known items that are shown, a character's own first, then learned ones by ID: a prompt is not a pack.
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
    manner: Mapping[str, str] | None = None,
    unheard: Callable[[str], bool] = lambda text: False,
) -> NpcIntentInput:
    """Return the view of a character of the cast who is at the scene.

    `lore` is the scene's, secrets included; `messages` are (turn number, message) as the matrix lets this character
    read them, `outcomes` those of this turn that it saw, in order; `summary` are the sentences of the story before that
    it was there for, `claims` what the player claimed in this turn, checked. `manner` has the scenario's tone and
    stakes; None gives the view as it was before there was anything in words. `unheard` returns True for a text that
    names somebody of whom the player may not hear: a memory of them is not spoken of. Items that it was told by people
    of other scenes are looked up in `generations`.
    """
    place, company = state.scene.location_id, [other for other in state.present() if other != who]
    own = texts_for(lore, "npc", own_id=who).briefing(who) or NPCBriefing(npc_id=who)
    knows = tuple(_known(who, own, state, lore, generations, company))
    memories = remembered(who, state, rules.ruleset.decay_lambda, company)
    remembers = tuple(memory for memory in memories if not unheard(memory.content))
    heard_of = _absent_heard_of(who, state, [*(item.text for item in knows), *(memory.content for memory in remembers)])
    scope = scope_of(state, who, heard_of=heard_of)
    shown = [place, who, *company, *heard_of, *(way.to for way in scope.exits)]
    shown += [named.id for named in (*scope.here, *scope.carried, *scope.doors)]
    shown += [entity_id for outcome in outcomes for entity_id in _named_in(outcome)]
    return NpcIntentInput(
        me=_own_self(who, state, rules, own),
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
        verbs=tuple(sorted(rules.ruleset.kinds())),
        names={
            entity_id: state.name_of(entity_id) for entity_id in dict.fromkeys(shown) if entity_id in state.entities
        },
        scene_state={} if state.ruleset is None else state.ruleset.scene,
        scene_in_words=() if manner is None else scene_in_words(state, rules.ruleset),
        situations=() if manner is None else situations_in_words(state, rules),
        tone="" if manner is None else manner["tone"],
        stakes="" if manner is None else manner["stakes"],
        seed=seed,
        recall={key: count for key, count in sorted(state.recall.items()) if key.startswith(_key_prefixes(who))},
    )


def memory_ops(who: str, intent: NpcIntent, outcomes: Iterable[Outcome]) -> tuple[Recall, ...]:
    """Return the ops that record an intention in the branch's memory: the keys that the built-in stage used, and an
    authored act as tried, and as done unless the rules blocked it."""
    keys = [key for key in intent.recall if key.startswith(_key_prefixes(who))]
    if intent.act_id is not None:
        keys.append(tried_key(who, intent.act_id))
        if not any(outcome.code == "blocked" for outcome in outcomes):
            keys.append(done_key(who, intent.act_id))
    return tuple(Recall(key=key) for key in keys)


def _key_prefixes(who: str) -> tuple[str, ...]:
    """Return the prefixes of the memory keys that an intention of a character may use."""
    return (SHARED, own_key(who, ""), done_key(who, ""), tried_key(who, ""))


def _own_self(who: str, state: WorldState, rules: CampaignRules, own: NPCBriefing) -> OwnSelf:
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
            InnerState(name=name, value=inner.value, level=inner.level)
            for name, inner in sorted(states.items())
            if inner.is_manifest
        ),
        conditions=state.conditions_of(who),
        escalation=state.escalation.get(who, 0),
        introduction="" if character is not None and character.profile else rules.introduced(who),
    )


def _line(text: LoreText) -> LoreLine:
    return LoreLine(key=text.key, text=text.text, chunk_id=text.chunk_id)


def _known(
    who: str,
    own: NPCBriefing,
    state: WorldState,
    lore: SceneLore,
    generations: Sequence[Generation],
    company: Sequence[str],
) -> Iterator[KnownItem]:
    """Yield its own items, those it withholds, then those it was told or found; each with who of the company has it."""
    has = {other: state.learned_by(other) for other in company}
    withheld = {item.id for item in own.withholds if not state.has_learned(state.player_id, item.id)}
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
            kept_back=item.id in withheld,
            told_to=tuple(other for other in company if other == holder or item.id in has[other]),
        )


def _looked_up(item_id: str, generations: Sequence[Generation]) -> SceneItem | None:
    for generation in generations:
        item = generation.item(item_id)
        if item is not None:
            return SceneItem(id=item.id, chunk_id=item.id.partition("#")[0], name=item.name, text=item.text)
    return None


def remembered(who: str, state: WorldState, decay_lambda: float, company: Sequence[str]) -> Iterator[Remembered]:
    """Yield the memories of somebody that weigh most, with who of the company has them, too."""
    observations = state.observations.get(who, {})
    for memory in recalled(observations, minute=state.minutes, decay_lambda=decay_lambda, limit=MEMORIES):
        yield Remembered(
            content=memory.observation.content,
            priority=memory.priority,
            minute=memory.observation.minute,
            shared_with=tuple(other for other in company if memory.id in state.observations.get(other, {})),
        )


def _recorded(who: str, state: WorldState, company: Sequence[str]) -> Iterator[Recorded]:
    """Yield the promises, threats and debts between it and those who are there, in the order in which they arose."""
    for other in company:
        for by, to in ((other, who), (who, other)):
            for fact_id in recorded_facts(state, by=by, to=to):
                fact = state.facts[fact_id]
                what = str(fact.object.get("what", "")) if isinstance(fact.object, Mapping) else ""
                said = {"fact_id": fact_id, "by_id": by, "to_id": to, "predicate": fact.predicate, "what": what}
                yield Recorded.model_validate(said)


def _concerns(who: str, state: WorldState, known: Collection[str]) -> Iterator[Concern]:
    """Yield the open threads that are about it, by ID."""
    for thread_id, thread in sorted(state.threads.items()):
        if thread.status == "open" and who in thread.related_entity_ids:
            about = tuple(
                entity_id for entity_id in thread.related_entity_ids if entity_id != who and entity_id in known
            )
            yield Concern(thread_id=thread_id, title=thread.title, about=about)


def _toward(who: str, other: str, state: WorldState) -> Toward:
    relation = state.relations.get(relation_key(who, other)) or Relation(a=who, b=other)
    ties = [
        tie.rel_type if (tie.a, tie.b) == (other, who) else f"{tie.rel_type} of"
        for _, tie in sorted(state.relationships.items())
        if {tie.a, tie.b} == {who, other}
    ]
    return Toward(
        who=other, trust=relation.trust, tension=relation.tension, closeness=relation.closeness, ties=tuple(ties)
    )


def _absent_heard_of(who: str, state: WorldState, texts: Sequence[str]) -> list[str]:
    """Return the IDs of the absent entities that it knows of: it is tied to them, or what it knows and remembers names
    them. Entities whose names the player may not hear are excluded."""
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
    return [entity_id for entity_id in found if entity_id != who]


def _named_in(outcome: Outcome) -> Iterator[str]:
    yield from (
        entity_id
        for entity_id in (outcome.actor_id, outcome.target_id, outcome.location_id, outcome.item_id)
        if entity_id
    )


def _acts(who: str, state: WorldState, rules: CampaignRules) -> Iterator[AuthoredAct]:
    """Yield the authored acts whose conditions hold and that are not done, in the author's order."""
    for act in rules.of_cast(who).acts:
        is_done = act.once and done_key(who, act.id) in state.recall
        if not is_done and (act.when is None or holds(act.when, state)):
            yield _aimed_at_player(act, state)


def _aimed_at_player(act: AuthoredAct, state: WorldState) -> AuthoredAct:
    """Return an act with `you` replaced by the character whom the player plays just now."""
    if act.do.target != "you":
        return act
    return act.model_copy(update={"do": act.do.model_copy(update={"target": state.player_id})})


# The records of NPC rounds have names of their own: `validate` and `resolve` are the player's.
VALIDATE, RESOLVE, ACTIVATE = "npc_validate", "npc_resolve", "activation"


async def decide_intent(
    turn: TurnContext,
    who: str,
    scene: SceneLore,
    at: TurnPoint,
    rounds: Sequence[Round],
    *,
    premises: Sequence[Premise],
    recorder: Recorder | None = None,
) -> NpcIntent:
    """Return the intent of a character at a scene, made from what it knows and what it saw of the rounds so far. A
    model's intent that tells what the character withholds is invalid.

    Raises:
        ProviderError: the model could not be asked.
    """
    recorder = turn.recorder if recorder is None else recorder
    knows = turn.views.acquaintance(at.state)
    given = npc_intent_input(
        who,
        # The player hears what a character says.
        knows.shown,
        rules=turn.setting.rules,
        lore=scene,
        messages=at.stream.seen_by("npc_intent", own_id=who),
        outcomes=outcomes_seen(rounds, who),
        generations=turn.setting.generations,
        seed=str(turn.setting.seed),
        turn_no=turn.turn_no,
        summary=_heard_of(turn.head.summary, who),
        claims=premises if turn.submission.whisper_to in (None, who) else (),
        manner=turn.setting.manner,
        unheard=knows.says_unheard,
    )
    stage, kept_back = turn.stages.npc_intent, frozenset(item.id for item in given.knows if item.kept_back)

    def check(answer: Reflection) -> str | None:
        return turn.views.intent_leak(stage.made_of(answer, given), at, kept_back=kept_back)

    return await stage.run(given, recorder, check=check, listener=turn.listener)


async def decide_intents(
    turn: TurnContext,
    order: Sequence[str],
    scene: SceneLore,
    at: TurnPoint,
    rounds: Sequence[Round],
    *,
    premises: Sequence[Premise],
) -> list[NpcIntent]:
    """Return the intents of several characters who do not know each other's, run concurrently and recorded in their
    order.

    Raises:
        ProviderError: as `decide_intent`."""
    recorders = [Recorder() for _ in order]
    jobs = (
        decide_intent(turn, who, scene, at, rounds, premises=premises, recorder=recorder)
        for who, recorder in zip(order, recorders, strict=True)
    )
    try:
        return await gather(*jobs)
    finally:
        turn.recorder.records += [record for recorder in recorders for record in recorder.records]


def _heard_of(summary: Summary | None, who: str) -> tuple[str, ...]:
    """Return the sentences of a summary whose turns somebody was there for."""
    return tuple(sentence.text for sentence in (summary.sentences if summary else ()) if who in sentence.audience)


async def carry_out(turn: TurnContext, who: str, intent: NpcIntent, at: TurnPoint, rounds: Sequence[Round]) -> Round:
    """Judge and resolve a character's intent at a point of the turn, after some rounds; return its round. Its words,
    and the thought before them, join the stream.

    Raises:
        ProviderError: where a rulebook is applied by a model.
    """
    words, thought, felt = intent.action_text, intent.thought, turn.setting.emotion_of(who, at.state)
    stream = at.stream.with_intention(who, words, thought=thought, to=intent.whisper_to, emotion=felt)
    actions = () if intent.action is None else (intent.action,)
    attempts, at = turn.views.grounded(actions, replace(at, stream=stream), acting=who)
    shown = turn.views.acquaintance(at.state).shown
    first = sum(len(round_.actions) for round_ in rounds)
    judged = _numbered(validate(attempts, shown, turn.setting.rules, acting=who), first)
    turn.recorder.keep_code(VALIDATE, attempts, judged)
    resolution, after = await resolve_attempts(
        turn, attempts, judged, at, player_text=intent.action_text, record=RESOLVE, acting=who
    )
    to = intent.whisper_to
    audience = (who, to) if to is not None else audience_of(who, at.state, after)
    state, own = apply_fitting(after, memory_ops(who, intent, resolution.outcomes))
    state, remembered = remember(turn, resolution, at.state, after, audience, state=state)
    return Round(
        who=who,
        intention=stream.messages[-1],
        before=at.state,
        after=after,
        resolution=resolution,
        judged=judged,
        audience=audience,
        actions=actions,
        ops=(*resolution.ops, *own, *remembered),
        at=replace(at, state=state),
        intent=intent,
    )


async def resolve_attempts(
    turn: TurnContext,
    attempts: Sequence[Attempt],
    judged: Validation,
    at: TurnPoint,
    *,
    player_text: str,
    record: str,
    acting: str | None = None,
) -> tuple[Resolution, WorldState]:
    """Resolve judged attempts by the rules, and record it under a name; return the resolution and the state after it.

    Raises:
        ProviderError: where a rulebook is applied by a model.
    """
    rules = turn.setting.rules
    ruled = await rule_attempts(
        turn.stages.resolve,
        attempts,
        judged,
        at.state,
        rules,
        turn.dice,
        player_text=player_text,
        leak=lambda text: turn.views.leak(text, at),
        keeper=turn.recorder,
        listener=turn.listener,
    )
    patch = play_out(attempts, judged, at.state, rules, turn.dice, turn_no=turn.turn_no, rulings=ruled, acting=acting)
    resolution = patch.resolution()
    turn.recorder.keep_code(record, [*attempts, judged], resolution)
    return resolution, patch.state


def remember(
    turn: TurnContext,
    resolution: Resolution,
    before: WorldState,
    after: WorldState,
    audience: Sequence[str],
    *,
    state: WorldState | None = None,
) -> tuple[WorldState, tuple[StateOp, ...]]:
    """Return the state in which those who saw a round remember it, and the ops of that: also how their relation to the
    actor changes, and what they overheard of what the player was told; of a whisper others only see that there was one.

    It begins at `state`, or at the state after the round.
    """
    state = after if state is None else state
    rules = turn.setting.rules
    if rules.profile == "freeform" and not rules.ruleset.by_rulebook:
        return state, ()
    state, overheard = apply_fitting(state, _overheard_reveals(before, after, audience))
    sights = observe(resolution, before, after, ruleset=rules.ruleset, keeps_words=turn.setting.keeps_words)
    state, seen = apply_fitting(state, sights)
    return state, (*overheard, *seen)


def _overheard_reveals(before: WorldState, after: WorldState, audience: Sequence[str]) -> Iterator[RevealItem]:
    """Yield the reveals to those who overheard what the player learned. Rules do this themselves where somebody
    answers; here it is done for the scenario's own texts."""
    player = after.player_id
    if player not in audience:
        return
    for item_id in sorted(items_learned(before, after)):
        if after.reveals[player][item_id].how in ("told", "overheard"):
            for who in audience:
                if who not in (player, holder_of(item_id)) and not after.has_learned(who, item_id):
                    yield RevealItem(item_id=item_id, to=who, how="overheard")


def audience_of(who: str, before: WorldState, after: WorldState) -> tuple[str, ...]:
    """Return who saw what somebody did: those at the scene before it or after it, and the actor."""
    return tuple(dict.fromkeys((*before.present(), *after.present(), who)))


def _numbered(judged: Validation, first: int) -> Validation:
    """Return judgements with the places that their actions have in the turn."""
    results = (result.model_copy(update={"action_index": result.action_index + first}) for result in judged.results)
    return judged.model_copy(update={"results": tuple(results)})
