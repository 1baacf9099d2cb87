"""A state and what was said in it -> one character's view of the moment at which it acts. Nothing that it does not
know: its own lore, what it was told and saw, how it stands to those who are there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from lorewright.ids import holder_of
from lorewright.index.generation import Generation
from lorewright.index.words import words_of
from lorewright.rules.cast import AuthoredAct, done_key, tried_key
from lorewright.rules.judge import holds
from lorewright.rules.outcomes import Outcome
from lorewright.rules.record import recorded
from lorewright.rules.rulesets import CampaignRules
from lorewright.scene_lore.models import Briefing, LoreText, SceneItem, SceneLore
from lorewright.turn.views.scope import scope_of
from lorewright.values.intents import (
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
from lorewright.values.messages import Message
from lorewright.values.premise import Premise
from lorewright.values.records import InnerState, LoreLine, Recorded
from lorewright.world.inner import recalled
from lorewright.world.ops import Recall
from lorewright.world.state import OFFSTAGE, Relation, WorldState, relation_key

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
    remembers = tuple(one for one in memories if not unheard(one.content))
    heard_of = _heard_of(who, state, [*(item.text for item in knows), *(one.content for one in remembers)])
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
        claims=tuple(one.shown() for one in claims),
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
            about = tuple(one for one in thread.related_entity_ids if one != who and one in known)
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


def _heard_of(who: str, state: WorldState, texts: Sequence[str]) -> list[str]:
    """The absent whom it knows of: it is tied to them, or what it knows and remembers names them. By ID. Of those whose
    names the player may not hear it does not speak."""
    tied = {other for one in state.relationships.values() for other in (one.a, one.b) if who in (one.a, one.b)}
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
